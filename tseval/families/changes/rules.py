"""What the guidelines of change detection leave open, each choice by its name."""

from __future__ import annotations

from tseval.core.rules import RuleSet, choice
from tseval.records import frozen


@frozen
class ChangeRules(RuleSet):
    """Every choice; the defaults are the plainest reading of the guidelines of 2026."""

    gains: str = choice(
        "raw",
        "a gain counts",
        raw="as it is judged: 1, 5, 10",
        scaled="divided by 10",
        binary="1 if it is above 0",
    )
    ap: str = choice(
        "paper",
        "what tAP divides by",
        paper="the sum of all relevant gains, and 1 for the end",
        ideal="what its sum is for the ideal ranking",
    )
    ties: str = choice(
        "file",
        "what ties stands",
        file="as in the file",
        id="by its id",
        expected="in all orders: the mean over them",
    )
    order: str = choice(
        "score",
        "the documents of a question stand",
        score="by falling score",
        list="as they are listed",
    )
    missing_date: str = choice(
        "silent",
        "on a day that a topic of a run lacks",
        silent="the run says nothing",
        tied="the run returns all questions, tied, without documents",
    )
    missing_topic: str = choice(
        "silent",
        "a topic that a run lacks (--on-missing zero)",
        silent="is one on which the run says nothing",
        zero="has 0 in all measures, on nil days too",
    )
    proposed: str = choice(
        "drop",
        "questions that a run proposes",
        drop="leave the ranking of the questions before it is scored",
        keep="stay there; from its first day on what one is worth is among what there is to return",
    )
    question_gain: str = choice(
        "max",
        "a question is worth on a day",
        max="as much as the best of its documents of that day",
        judged="what it is judged to be (--questions)",
    )
    average: str = choice(
        "nested",
        "a mean is taken",
        nested="over days, then questions, then topics",
        units="over all units alike",
    )
