"""What evaluations of CrisisFACTS may do differently, each choice by its name."""

from __future__ import annotations

from tseval.core.rules import RuleSet, choice
from tseval.records import frozen


@frozen
class CrisisRules(RuleSet):
    """Which facts, days and events count, and what a redundant fact is worth."""

    facts: str = choice(
        "collapsed",
        "what runs are held against",
        collapsed="collapsed facts with labels, which hold raw facts of runs",
        gold="gold facts, by the items of runs that assessors matched with them",
    )
    pool: str = choice(
        "64",
        "the collapsed facts of a request that count",
        **{
            "64": "the 64 of highest importance; where it is equal they stand as in the file",
            "all": "all of them",
        },
    )
    redundant: str = choice(
        ".5",
        "a collapsed fact whose best label is REDUNDANT_FACT is worth",
        **{".5": "half a useful one", "0": "nothing, as the notebook has it in a comment"},
    )
    days: str = choice(
        "all",
        "the days of gold facts that count",
        **{"all": "all that have any", "10": "those with at least ten, as in the paper of 2022"},
    )
    events: str = choice(
        "all",
        "the events that count",
        all="all of the files",
        track="CrisisFACTS-009 to CrisisFACTS-018, as in the track of 2023",
    )
