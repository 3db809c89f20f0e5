"""The families of measures. None imports another; each is one line here, and a folder."""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """Where a family is declared, and what `tseval --help` says of its command."""

    module: str
    """A module with the `Family` as `FAMILY`; it is imported when the family is asked for."""
    command: str
    summary: str


FAMILIES = {
    "temporal": Entry(
        "tseval.families.temporal.family",
        "score",
        "Temporal summarization scores of one or more runs.",
    ),
    "values": Entry(
        "tseval.families.tracking.family",
        "values",
        "Errors of values tracked over time, such as deaths, or where it happens.",
    ),
    "clusters": Entry(
        "tseval.families.clusters.family",
        "clusters",
        "Latency, redundancy and push measures over assessors' clusters.",
    ),
    "incidents": Entry(
        "tseval.families.incidents.family",
        "incidents",
        "Information types, priority and alerts of incident streams.",
    ),
    "filtering": Entry(
        "tseval.families.filtering.family",
        "filter",
        "Filtering over time: batches, trends, end points.",
    ),
    "changes": Entry(
        "tseval.families.changes.family",
        "changes",
        "Daily rankings of questions with news and of their documents.",
    ),
    "responses": Entry(
        "tseval.families.responses.family",
        "responses",
        "Graded labels of answers and reports: nuggets, rubrics, citations; over time.",
    ),
    "timelines": Entry(
        "tseval.families.timelines.family",
        "timelines",
        "Timelines: their dates, and ROUGE by days, as tilse computes them.",
    ),
    "crisisfacts": Entry(
        "tseval.families.crisisfacts.family",
        "crisisfacts",
        "Facts of a crisis day by day: CrisisFACTS 2022 and 2023.",
    ),
    "battles": Entry(
        "tseval.families.battles.family",
        "battles",
        "Ratings of runs that judges compared two by two.",
    ),
}
"""Every family by the name that its measures go by, in the order in which they are listed."""
