"""Rules: the choices in which evaluations of temporal summarization differ, and the editions.

The record knows what each choice is called, which values it takes and what they mean in words. An
edition is an instance of it; the code that reads the record knows no editions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tseval.core.rules import Edition, RuleSet, choice
from tseval.records import frozen


@frozen
class Rules(RuleSet):
    """Every choice; the defaults are the formulas as the track published them."""

    # How the files are read.

    encoding: str = choice(
        "what spans and words of the track's own files are counted in",
        bytes="bytes; a line ends at a line feed alone",
        utf_8="characters of UTF-8; with fields=blanks any white space of Unicode divides fields",
    )
    fields: str = choice(
        "how a line of nuggets, matches or pool is divided",
        tabs="at tabs; the text is left as it is",
        stripped="at tabs, after the white space at the line's ends is taken away",
        blanks="at any white space; the words of the text are joined by single blanks",
    )
    pool_header: str = choice(
        "the pool's first line",
        recognised="it is a header if it looks like one",
        always="it is dropped, whatever it holds",
    )
    topic_names: str = choice(
        "what topics are called; TS14.11 and 11 are the same topic in any case",
        gold="as the nuggets call them",
        bare="without the prefix TS and its digits",
    )

    # What counts.

    unsampled: str = choice(
        "an update that is not in the pool",
        own_words="is an update as any other, with the words of its own text",
        one_word="is counted, not relevant and one word long",
        skip="is not counted",
    )
    duplicates: str = choice(
        "an update that the pool declares a duplicate of another one in the pool",
        stand_in="the other stands for it, with its id and its text",
        ignore="is an update of its own",
    )
    exact_duplicates: str = choice(
        "none",
        "an update that is not in the pool, but a duplicate of one that is (--duplicates)",
        lookup="that one stands for it",
        none="nothing is looked up",
    )
    unimportant: str = choice(
        "nuggets of importance 0 or below",
        keep="stay, with their reward",
        drop="are left out",
    )
    matched_nuggets_only: str = choice(
        "nuggets that no match names",
        no="count in what there was to say",
        yes="are left out, of the mean length too",
    )
    unmatched_topics: str = choice(
        "topics without any match",
        zero="are scored: nothing was found",
        skip="are left out",
    )
    latency_from: str = choice(
        "since when a nugget could be known",
        nuggets="since the time that its row tells",
        updates="since the earliest sampled update of any run that says it, or a duplicate of one"
        " that does; a nugget that no run says keeps its time",
        all="since the earlier of the two",
    )

    grades: str = choice(
        "a match that says its nugget in part: one with a grade below 1",
        graded="counts by its grade, until another says more",
        any="is a match as any other",
        full="is no match",
    )

    # What it is worth.

    reward: str = choice(
        "what a nugget of importance i is worth",
        topic_max="e^i / e^m, with m the largest importance of the topic",
        constant="e^i / e^3, whatever the topic's largest importance",
        binary="1 if i > 0, else 0",
    )
    lengths: str = choice(
        "where the lengths of updates and nuggets come from",
        text="the words of the text are counted",
        column="the length column is believed",
    )
    words: str = choice(
        "what a word is, and which words a span [start, end) marks",
        tokens="a run of characters between white space; a span marks the words that it touches",
        blanks="the number of blanks and one; a span marks from the last blank at or before its"
        " start to the next at or after its end, and one word too few if that start is the text's",
    )
    latency_mean: str = choice(
        "what L divides the sum of latency discounts by",
        matches="the number of nuggets found",
        updates="the number of updates",
    )
    confidence: str = choice(
        "the weight of an update in the confidence-biased measures",
        raw="its confidence, 1000 if that is infinite",
        place="1 / (1 + its place among the lines of its run and topic)",
        min_max="its place between the least and the greatest confidence of its run and topic,"
        " 0 to 1; 0.5 if all are equal",
    )
    weights: str = choice(
        "what becomes of these weights",
        shared="they are divided by their sum",
        plain="they are taken as they are",
    )
    cb_latency_mean: str = choice(
        "what cbL divides the weighted sum of latency discounts by",
        matches="the number of nuggets found",
        updates="the number of updates",
    )
    empty: str = choice(
        "a measure with nothing to divide by",
        undefined="is undefined",
        zero="is 0",
    )


def with_biased(titles: Mapping[str, str]) -> dict[str, str]:
    """Return the titles of measures, with those of their confidence-biased twins."""
    biased = {
        f"cb{name}": re.sub(r"^(Expected |n?E\[)?", r"\1Confidence-Biased ", title, count=1)
        for name, title in titles.items()
    }
    return {"updates": "# Updates", **titles, **biased}


TITLES_2013 = with_biased(
    {
        "EG": "Expected Gain",
        "ELG": "Expected Latency Gain",
        "C": "Comprehensiveness",
        "LC": "Latency Comprehensiveness",
        "V": "Expected Verbosity",
        "L": "Expected Latency",
    }
)
TITLES_2014 = with_biased(
    {
        "EG": "E[Gain]",
        "nEG": "nE[Gain]",
        "ELG": "E[Latency Gain]",
        "nELG": "nE[Latency Gain]",
        "C": "Comprehensiveness",
        "LC": "Latency Comp.",
        "HM": "HM(nE[LG],Lat. Comp.)",
        "V": "E[Verbosity]",
        "L": "E[Latency]",
    }
) | {"cbC": "Confidence-Biased Comp."}
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
LEADING = ("HM", "nELG", "LC", "C", "V")
TS = Edition(
    name="ts",
    family="temporal",
    summary="the measures of TREC Temporal Summarization 2013-2015 by their published formulas",
    measures=tuple(TITLES_2015),
    leading=LEADING,
    on_missing="zero",
    citation="TREC Temporal Summarization track, metrics of 24 October 2013 and 11 June 2014",
    rules=Rules(exact_duplicates="lookup"),
    titles=TITLES_2015,
)


def edition_of(
    year: int,
    titles: Mapping[str, str],
    more: str = "",
    leading: Sequence[str] = LEADING,
    **rules: str,
) -> Edition[Rules]:
    """Return the edition of a year's official script, whose tables have these titles."""
    return Edition(
        name=f"ts{year}",
        family="temporal",
        summary=f"what the official script of {year} computes{more}",
        measures=tuple(titles),
        leading=tuple(leading),
        on_missing="skip",
        citation=f"the evaluation script of the TREC {year} Temporal Summarization track",
        rules=Rules(pool_header="always", reward="constant", words="blanks", empty="zero", **rules),
        titles=titles,
    )


TS2013 = edition_of(
    2013,
    TITLES_2013,
    leading=("ELG", "LC", "EG", "C", "V"),
    fields="blanks",
    topic_names="bare",
    unsampled="skip",
    lengths="column",
)
TS2014 = edition_of(
    2014,
    TITLES_2014,
    unsampled="one-word",
    unimportant="drop",
    latency_mean="updates",
    confidence="place",
    cb_latency_mean="updates",
)
TS2015 = edition_of(
    2015,
    TITLES_2015,
    ", without its options; the official scores were made with --matched-nuggets-only "
    "--latency-from all",
    fields="stripped",
    topic_names="bare",
    unsampled="one-word",
    exact_duplicates="lookup",
    unimportant="drop",
    unmatched_topics="skip",
    confidence="min-max",
    weights="plain",
    cb_latency_mean="updates",
)
