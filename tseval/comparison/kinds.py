"""Scores may have rows of topics and rows of groups, such as information types: one kind is kept.

A mean over both would be none that anybody knows, and a pair of runs cannot be tested over topics
of which one holds the posts of another. The measures of groups are means over groups, so these are
what they are compared over, and the others over topics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tseval.comparison.directions import known_measures
from tseval.core.family import Words
from tseval.core.registry import family
from tseval.core.wording import listed
from tseval.tables.arrow import strings

if TYPE_CHECKING:
    from tseval.tables import Ids
    from tseval.tables.columns import BoolArray
    from tseval.tables.topic_scores import TopicScores

Families = tuple[str, ...] | None


def of_one_kind(
    table: TopicScores, families: Families = None
) -> tuple[TopicScores, tuple[str, ...]]:
    """The scores without the topics of measures that have groups, and what is to be told of it."""
    names = table.measure.vocabulary()
    words = {name: _words(name, families) for name in names}
    both = np.array([words[name] is not None for name in names], bool)[table.measure.codes]
    if not both.any():
        return table, ()
    said = next(each for each in words.values() if each is not None)
    groups = table.types or _likely_groups(table, both, said, families)
    if groups is None:
        told = (
            f"{listed(_names(table.measure, both))}: nothing tells here whether topics are "
            f"{said.topic}s or {said.groups}; scores as -f json or parquet do"
        )
        return table, (told,)
    grouped = table.topic.within(strings(groups)) >= 0
    with_groups = np.unique(table.measure.codes[both & grouped])
    lost = both & ~grouped & np.isin(table.measure.codes, with_groups)
    if not lost.any():
        return table, ()
    told = (
        f"{listed(_names(table.measure, lost))}: compared over {said.groups}, whose mean is "
        f"the score; rows of {said.topic}s are left out: {listed(_names(table.topic, lost))}"
    )
    return table.rows(~lost), (told,)


def _words(name: str, families: Families) -> Words | None:
    """The words of the family, for a measure that has rows of groups beside those of topics."""
    known = (each for each in known_measures(name, families) if each.definition.by_group)
    return next((family(each.family).words for each in known), None)


def _likely_groups(
    table: TopicScores, both: BoolArray, said: Words, families: Families
) -> tuple[str, ...] | None:
    """The groups where no file tells them: topics of which the family's other measures know none.

    Without such measures it is the topics that are called as groups usually are; None if none is,
    and there may be groups of other names.
    """
    names = table.measure.vocabulary()
    of_topics = np.array([_is_of_topics(name, families) for name in names], bool)
    topics = set(_names(table.topic, of_topics[table.measure.codes]))
    candidates = _names(table.topic, both)
    if topics:
        return tuple(name for name in candidates if name not in topics)
    return tuple(name for name in candidates if name.startswith(said.group_names)) or None


def _is_of_topics(name: str, families: Families) -> bool:
    """Whether a measure has rows of topics alone, in a family that has groups."""
    known = known_measures(name, families)
    return not any(each.definition.by_group for each in known) and any(
        family(each.family).words.groups for each in known
    )


def _names(column: Ids, rows: BoolArray) -> list[str]:
    """The names in these rows, each once."""
    vocabulary = column.vocabulary()
    return [vocabulary[code] for code in np.unique(column.codes[rows]).tolist()]
