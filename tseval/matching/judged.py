"""What a matcher is held against: updates, nuggets, and the pairs that assessors matched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tseval.core.wording import count
from tseval.errors import UsageError
from tseval.families.temporal import plain_files as formats
from tseval.files.forms import Forms, check_forms, form_for
from tseval.files.frames import check_inputs
from tseval.files.inputs import Input
from tseval.matching.matching import collection
from tseval.tables import (
    InputRecord,
    Nuggets,
    Pairs,
    Resolved,
    Updates,
    natural_order,
    repeated_rows,
    resolve,
)
from tseval.tables.topic_names import TopicNames, with_topics_named

if TYPE_CHECKING:
    import matchers
    from tseval.families.temporal.evaluation import Given
    from tseval.tables.columns import BoolArray, IntArray


class Topic(NamedTuple):
    """A topic's name, the rows of its different updates and of its nuggets, and what is true."""

    name: str
    updates: IntArray
    nuggets: IntArray
    true: BoolArray
    """Updates x nuggets: which pairs assessors matched."""


INPUTS = ("updates", "nuggets", "matches")
"""What the inputs are called."""


@dataclass(frozen=True)
class JudgedFiles:
    """The paths of what is judged."""

    updates: tuple[str, ...]
    nuggets: str
    matches: str
    form: Forms

    def listed(self) -> tuple[str, ...]:
        """Every path."""
        return (*self.updates, self.nuggets, self.matches)


@dataclass(frozen=True)
class JudgedUpdates:
    """Updates and nuggets, and the pairs of their rows that assessors matched."""

    updates: Updates
    nuggets: Nuggets
    pairs: Pairs
    inputs: tuple[InputRecord, ...]
    warnings: tuple[str, ...]
    files: JudgedFiles | None = None
    """Where all of it can be read again; None where it cannot."""

    @cached_property
    def collection(self) -> matchers.Collection:
        """The texts of all nuggets, whose words are counted once."""
        return collection(self.nuggets.text)

    @property
    def topics(self) -> list[str]:
        """The topics that have both updates and nuggets, in natural order."""
        shared = set(self.updates.topic.to_list()) & set(self.nuggets.topic.to_list())
        return natural_order(shared)

    @property
    def runs(self) -> list[str]:
        """The runs that the updates belong to."""
        return natural_order(set(self.updates.run.to_list()))

    def by_topic(self) -> Iterator[Topic]:
        """Topic by topic; an update that several runs sent counts once, as the first of them."""
        repeats, originals = repeated_rows(self.updates.topic, self.updates.update_id)
        first = np.arange(len(self.updates))
        first[repeats] = originals
        topic_of = np.array(self.updates.topic.to_list())
        gold_of = np.array(self.nuggets.topic.to_list())
        own = first == np.arange(len(first))
        for name in self.topics:
            rows, gold = np.flatnonzero((topic_of == name) & own), np.flatnonzero(gold_of == name)
            mine = gold_of[self.pairs.nugget] == name
            true = np.zeros((len(rows), len(gold)), bool)
            true[
                np.searchsorted(rows, first[self.pairs.update[mine]]),
                np.searchsorted(gold, self.pairs.nugget[mine]),
            ] = True
            yield Topic(name, rows, gold, true)


def read_judged(
    updates: Sequence[Given], nuggets: Given, matches: Given, form: Forms = None
) -> JudgedUpdates:
    """Read what matchers are to be held against; updates need no times here.

    Matches that speak of updates or nuggets that are not here are left out with a warning, since
    published files have some. Without any match that is left, and without any text, it is a
    `UsageError`.
    """
    check_inputs([*updates, nuggets, matches])
    check_forms(form, INPUTS)
    gold = formats.read_nuggets(nuggets, form_for(form, "nuggets"))
    rename = TopicNames(gold.topic, "gold")
    texts = with_topics_named(formats.read_texts(updates, form_for(form, "updates")), rename)
    said = with_topics_named(formats.read_matches(matches, form_for(form, "matches")), rename)
    resolved = resolve(said, texts, gold)
    if not len(resolved.pairs):
        raise UsageError(
            "no match is left of an update and a nugget that are both given: "
            "give the updates that assessors saw"
        )
    if texts.text.blank.all():
        raise UsageError(
            "no update has a text, as in runs of the track: give the pool of updates that "
            "assessors saw"
        )
    inputs = (*texts.origin.sources, *gold.origin.sources, *said.origin.sources)
    files = _files(updates, nuggets, matches, form)
    return JudgedUpdates(
        texts, gold, resolved.pairs, inputs, tuple(_warnings(texts, resolved)), files
    )


def _warnings(texts: Updates, resolved: Resolved) -> Iterator[str]:
    lost = int(np.count_nonzero(resolved.lost_update | resolved.lost_nugget))
    if lost:
        yield f"{count(lost, 'row')} of matches with unknown updates or nuggets left out"
    silent = int(np.count_nonzero(texts.text.blank))
    if silent:
        yield f"{count(silent, 'update')} without text cannot be matched"


def read_files(files: JudgedFiles) -> JudgedUpdates:
    """Read it again, where it can be."""
    return read_judged(files.updates, files.nuggets, files.matches, files.form)


def _files(
    updates: Sequence[Given], nuggets: Given, matches: Given, form: Forms
) -> JudgedFiles | None:
    given = [*updates, nuggets, matches]
    if not all(isinstance(each, str | Path) and Input(each).can_be_read_again for each in given):
        return None
    *runs, gold, said = (str(Path(str(each)).absolute()) for each in given)
    return JudgedFiles(tuple(runs), gold, said, form)
