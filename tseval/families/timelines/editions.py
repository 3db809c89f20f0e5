"""Whose rules timelines were evaluated by."""

from __future__ import annotations

from tseval.core.editions import Edition
from tseval.families.timelines.measures import FAMILY, ROUGE, TILSE
from tseval.families.timelines.rules import TimelineRules
from tseval.families.timelines.tally import DATES

SIZES, VALUES = ("rouge_1", "rouge_2"), ("P", "R", "F")
SHOWN = (
    *(f"{DATES}({value})" for value in VALUES),
    *(f"{name}({size},{value})" for name in ROUGE for size in SIZES for value in VALUES),
)

MANY_TO_ONE = "align_date_content_costs_many_to_one"
LEADING = (
    f"{MANY_TO_ONE}(rouge_1,F)",
    f"{DATES}(F)",
    f"{MANY_TO_ONE}(rouge_2,F)",
    "concat(rouge_1,F)",
    "agreement(rouge_1,F)",
)
"""What papers report: F of the days aligned with words, then of dates."""

EDITIONS = (
    Edition(
        name="tilse",
        family=FAMILY,
        summary="as tilse scores one prediction against all references of a topic",
        measures=SHOWN,
        leading=LEADING,
        on_missing="zero",
        citation=TILSE,
        rules=TimelineRules(),
    ),
    Edition(
        name="news-tls",
        family=FAMILY,
        summary="as news-tls scores a prediction against each reference by itself",
        measures=SHOWN,
        leading=LEADING,
        on_missing="zero",
        citation="Gholipour Ghalandari & Ifrim, Examining the State-of-the-Art in News Timeline "
        "Summarization, ACL 2020",
        rules=TimelineRules(protocol="PROTOCOL-1"),
    ),
    Edition(
        name="chronos",
        family=FAMILY,
        summary="as CHRONOS scores: a topic in which anything fails leaves the means",
        measures=SHOWN,
        leading=LEADING,
        on_missing="skip",
        citation="Wu et al., Unfolding the Headline: Iterative Self-Questioning for News "
        "Retrieval and Timeline Summarization, 2025; Alibaba-NLP/CHRONOS",
        rules=TimelineRules(duplicates="join", failures="topic"),
    ),
    Edition(
        name="timeranker",
        family=FAMILY,
        summary="as TimeRanker scores: the mean of F, each reference by itself",
        measures=SHOWN,
        leading=LEADING,
        on_missing="zero",
        citation="DaivikSojitra/Timeline-Summarization-in-the-Era-of-LLMs",
        rules=TimelineRules(protocol="PROTOCOL-1", average="AVG-F"),
    ),
)
"""Every set of rules, the first the default."""
