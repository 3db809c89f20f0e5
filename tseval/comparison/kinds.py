"""Scores of incident streams have rows of events and rows of information types: one kind is kept.

A mean over both would be none that anybody knows, and a pair of runs cannot be tested over topics
of which one holds the posts of another. The measures of types are means over types, so these are
what they are compared over, and the others over events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tseval.comparison.directions import known_measures
from tseval.core.wording import listed
from tseval.families.incidents.index import FAMILY, GROUPS
from tseval.tables.arrow import strings

if TYPE_CHECKING:
    from tseval.tables import Ids
    from tseval.tables.columns import BoolArray
    from tseval.tables.scores import TopicScores

INTENTS = ("Request-", "CallToAction-", "Report-", "Other-")
"""What the names of the track's types begin with."""


def of_one_kind(table: TopicScores) -> tuple[TopicScores, tuple[str, ...]]:
    """The scores without the events of measures that have types, and what is to be told of it."""
    names = table.measure.vocabulary()
    both = np.array([_is_of_types(name) for name in names], bool)[table.measure.codes]
    types = table.types or _likely_types(table, both)
    if types is None:
        return table, (_unsure(_names(table.measure, both)),)
    typed = table.topic.within(strings(types)) >= 0
    with_types = np.unique(table.measure.codes[both & typed])
    lost = both & ~typed & np.isin(table.measure.codes, with_types)
    if not lost.any():
        return table, ()
    told = (
        f"{listed(_names(table.measure, lost))}: compared over information types, whose mean is "
        f"the score; rows of events are left out: {listed(_names(table.topic, lost))}"
    )
    return table.rows(~lost), (told,)


def _is_of_types(name: str) -> bool:
    """Whether a measure has rows of types beside those of events."""
    return any(
        each.family == FAMILY and each.definition.parameters == GROUPS
        for each in known_measures(name)
    )


def _is_of_posts(name: str) -> bool:
    """Whether a measure of incident streams has rows of events alone."""
    return not _is_of_types(name) and any(each.family == FAMILY for each in known_measures(name))


def _likely_types(table: TopicScores, both: BoolArray) -> tuple[str, ...] | None:
    """The types where no file tells them: topics of which the measures of whole posts know nothing.

    Without such measures it is the topics that are called as the track calls types; None if none
    is, and there may be types of other names.
    """
    names = table.measure.vocabulary()
    of_posts = np.array([_is_of_posts(name) for name in names], bool)[table.measure.codes]
    events = set(_names(table.topic, of_posts))
    topics = _names(table.topic, both)
    if events or not topics:
        return tuple(name for name in topics if name not in events)
    return tuple(name for name in topics if name.startswith(INTENTS)) or None


def _unsure(names: list[str]) -> str:
    return (
        f"{listed(names)}: nothing tells here whether topics are events or information types; "
        "scores as -f json or parquet do"
    )


def _names(column: Ids, rows: BoolArray) -> list[str]:
    """The names in these rows, each once."""
    vocabulary = column.vocabulary()
    return [vocabulary[code] for code in np.unique(column.codes[rows]).tolist()]
