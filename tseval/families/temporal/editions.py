"""The editions of temporal summarization: the draft, the published formulas, the three scripts."""

from __future__ import annotations

from tseval.core.editions import Edition
from tseval.families.temporal.rules import Rules

TITLES_2013 = {
    "updates": "# Updates",
    "EG": "Expected Gain",
    "ELG": "Expected Latency Gain",
    "C": "Comprehensiveness",
    "LC": "Latency Comprehensiveness",
    "V": "Expected Verbosity",
    "L": "Expected Latency",
    "cbEG": "Expected Confidence-Biased Gain",
    "cbELG": "Expected Confidence-Biased Latency Gain",
    "cbC": "Confidence-Biased Comprehensiveness",
    "cbLC": "Confidence-Biased Latency Comprehensiveness",
    "cbV": "Expected Confidence-Biased Verbosity",
    "cbL": "Expected Confidence-Biased Latency",
}
TITLES_2014 = {
    "updates": "# Updates",
    "EG": "E[Gain]",
    "nEG": "nE[Gain]",
    "ELG": "E[Latency Gain]",
    "nELG": "nE[Latency Gain]",
    "C": "Comprehensiveness",
    "LC": "Latency Comp.",
    "HM": "HM(nE[LG],Lat. Comp.)",
    "V": "E[Verbosity]",
    "L": "E[Latency]",
    "cbEG": "E[Confidence-Biased Gain]",
    "cbnEG": "nE[Confidence-Biased Gain]",
    "cbELG": "E[Confidence-Biased Latency Gain]",
    "cbnELG": "nE[Confidence-Biased Latency Gain]",
    "cbC": "Confidence-Biased Comp.",
    "cbLC": "Confidence-Biased Latency Comp.",
    "cbHM": "Confidence-Biased HM(nE[LG],Lat. Comp.)",
    "cbV": "E[Confidence-Biased Verbosity]",
    "cbL": "E[Confidence-Biased Latency]",
}
TITLES_2015 = TITLES_2014 | {"sampled": "# Sampled Updates"}

DRAFT = Edition(
    name="draft",
    family="temporal",
    summary="the measures at time t as the draft of April 2013 writes them",
    measures=("P", "R", "Rs", "T"),
    leading=("F", "R", "P", "Rs", "T"),  # P has no value where a run is silent, and it would win
    on_missing="zero",
    citation="Draft Metrics, TREC Temporal Summarization track, 22 April 2013",
    rules=Rules(),
)
TS = Edition(
    name="ts",
    family="temporal",
    summary="the measures of TREC Temporal Summarization 2013-2015 by their published formulas",
    measures=tuple(TITLES_2015),
    leading=("HM", "nELG", "LC", "C", "V"),
    on_missing="zero",
    citation="TREC Temporal Summarization track, metrics of 24 October 2013 and 11 June 2014",
    rules=Rules(exact_duplicates="lookup"),
    titles=TITLES_2015,
)
TS2013 = Edition(
    name="ts2013",
    family="temporal",
    summary="what the official script of 2013 computes",
    measures=tuple(TITLES_2013),
    leading=("ELG", "LC", "EG", "C", "V"),
    on_missing="skip",
    citation="the evaluation script of the TREC 2013 Temporal Summarization track",
    rules=Rules(
        fields="blanks",
        pool_header="always",
        topic_names="bare",
        unsampled="skip",
        reward="constant",
        lengths="column",
        words="blanks",
        empty="zero",
    ),
    titles=TITLES_2013,
)
TS2014 = Edition(
    name="ts2014",
    family="temporal",
    summary="what the official script of 2014 computes",
    measures=tuple(TITLES_2014),
    leading=("HM", "nELG", "LC", "C", "V"),
    on_missing="skip",
    citation="the evaluation script of the TREC 2014 Temporal Summarization track",
    rules=Rules(
        pool_header="always",
        unsampled="one-word",
        unimportant="drop",
        reward="constant",
        words="blanks",
        latency_mean="updates",
        confidence="place",
        cb_latency_mean="updates",
        empty="zero",
    ),
    titles=TITLES_2014,
)
TS2015 = Edition(
    name="ts2015",
    family="temporal",
    summary="what the official script of 2015 computes, without its options;"
    " the official scores were made with --matched-nuggets-only --latency-from all",
    measures=tuple(TITLES_2015),
    leading=("HM", "nELG", "LC", "C", "V"),
    on_missing="skip",
    citation="the evaluation script of the TREC 2015 Temporal Summarization track",
    rules=Rules(
        fields="stripped",
        pool_header="always",
        topic_names="bare",
        unsampled="one-word",
        exact_duplicates="lookup",
        unimportant="drop",
        unmatched_topics="skip",
        reward="constant",
        words="blanks",
        confidence="min-max",
        weights="plain",
        cb_latency_mean="updates",
        empty="zero",
    ),
    titles=TITLES_2015,
)
