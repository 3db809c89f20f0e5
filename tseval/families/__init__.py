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
        "Score runs of temporal summarization.",
    ),
    "values": Entry(
        "tseval.families.tracking.family",
        "values",
        "Score values tracked over time, such as deaths or locations.",
    ),
    "clusters": Entry(
        "tseval.families.clusters.family",
        "clusters",
        "Score latency, redundancy and pushed posts against assessors' clusters.",
    ),
    "incidents": Entry(
        "tseval.families.incidents.family",
        "incidents",
        "Score information types, priorities and alerts of incident streams.",
    ),
    "filtering": Entry(
        "tseval.families.filtering.family",
        "filter",
        "Score filtering over time: batches, trends, end points.",
    ),
    "changes": Entry(
        "tseval.families.changes.family",
        "changes",
        "Score daily rankings of questions with news, and of their documents.",
    ),
    "responses": Entry(
        "tseval.families.responses.family",
        "responses",
        "Score graded labels of answers and reports: nuggets, rubrics, citations.",
    ),
    "timelines": Entry(
        "tseval.families.timelines.family",
        "timelines",
        "Score timelines by their dates and by ROUGE over days, as tilse does.",
    ),
    "crisisfacts": Entry(
        "tseval.families.crisisfacts.family",
        "crisisfacts",
        "Score daily facts about a crisis: CrisisFACTS 2022 and 2023.",
    ),
    "battles": Entry(
        "tseval.families.battles.family",
        "battles",
        "Rate runs that judges compared in pairs.",
    ),
}
"""Every family by the name that its measures go by, in the order in which they are listed."""
