"""What a matcher is held against: updates, nuggets, and the pairs that assessors matched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tseval.core.registry import measure
from tseval.core.taking import evaluate
from tseval.core.wording import count
from tseval.errors import UsageError
from tseval.families.temporal import columns as formats
from tseval.families.temporal.columns import table_of
from tseval.families.temporal.files import refuse_swapped
from tseval.families.temporal.rows import Found, find_nuggets, find_standing, index_of
from tseval.families.temporal.rules import Rules
from tseval.files.forms import Forms, check_forms, form_for
from tseval.files.given import check_inputs, is_frame
from tseval.files.inputs import Input
from tseval.matching.judged_pairs import JudgedUpdates
from tseval.records import frozen
from tseval.tables import Pairs, Resolved, Updates, resolve
from tseval.tables.topic_names import TopicNames, with_topics_named

if TYPE_CHECKING:
    from tseval.files.given import Given
    from tseval.tables.columns import FloatArray

INPUTS = ("updates", "nuggets", "matches")
"""What the inputs are called."""


@frozen
class JudgedFiles:
    """The paths of what is judged."""

    updates: tuple[str, ...]
    nuggets: str
    matches: str
    form: Forms
    columns: tuple[tuple[tuple[str, str], ...], ...]
    """What each calls columns, in the order of `listed`."""
    names: tuple[str | None, ...]
    """What the run of each is called, where the caller said so."""

    def listed(self) -> tuple[str, ...]:
        """Every path."""
        return (*self.updates, self.nuggets, self.matches)

    def read(self) -> JudgedUpdates:
        """Read all of it again."""
        sources = [Input(each) for each in self.listed()]
        for source, columns, name in zip(sources, self.columns, self.names, strict=True):
            source.columns, source.run_name = dict(columns), name
        return read_judged(sources[:-2], sources[-2], sources[-1], self.form)


def read_judged(
    updates: Sequence[Given], nuggets: Given, matches: Given, form: Forms = None
) -> JudgedUpdates:
    """Read what matchers are to be held against; updates need no times here.

    Matches that speak of updates or nuggets that are not here are left out with a warning, since
    published files have some. So are updates that repeat another (`duplicate_id`): assessors
    judged the other, and most of these would count as saying nothing. A match in part, by its
    grade, is one as any other. Without any match that is left, and without any text, it is a
    `UsageError`.
    """
    check_inputs([*updates, nuggets, matches])
    check_forms(form, INPUTS)
    refuse_swapped(updates, nuggets)
    gold = formats.read_nuggets(nuggets, form_for(form, "nuggets"))
    rename = TopicNames(gold.topic, "gold")
    texts = with_topics_named(formats.read_texts(updates, form_for(form, "updates")), rename)
    known = with_topics_named(formats.read_matches(matches, form_for(form, "matches")), rename)
    known = replace(known, grade=None)
    every = texts
    lost = resolve(known, every, gold)
    texts = every.rows(~every.is_duplicate)
    resolved = resolve(known, texts, gold)
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
    inputs = (*texts.origin.sources, *gold.origin.sources, *known.origin.sources)
    return JudgedUpdates(
        updates=texts,
        nuggets=gold,
        pairs=resolved.pairs,
        inputs=inputs,
        recalls=recalls,
        warnings=tuple(_warnings(every, texts, lost)),
        source=_files(updates, nuggets, matches, form),
    )


def _warnings(every: Updates, texts: Updates, resolved: Resolved) -> Iterator[str]:
    """What is told of the updates given, of those that are left, and of the matches given."""
    lost = int(np.count_nonzero(resolved.lost_update | resolved.lost_nugget))
    if lost:
        yield f"{count(lost, 'row')} of matches with unknown updates or nuggets left out"
    repeated = len(every) - len(texts)
    if repeated:
        yield (
            f"{count(repeated, 'update')} left out that "
            f"{'repeat' if repeated > 1 else 'repeats'} another (duplicate_id): assessors judged "
            "the other"
        )
    silent = int(np.count_nonzero(texts.text.blank))
    if silent:
        yield f"{count(silent, 'update')} without text cannot be matched"


def _files(
    updates: Sequence[Given], nuggets: Given, matches: Given, form: Forms
) -> JudgedFiles | None:
    given = [*updates, nuggets, matches]
    if any(is_frame(each) for each in given):
        return None
    sources = [each if isinstance(each, Input) else Input(str(each)) for each in given]
    if not all(each.can_be_read_again for each in sources):
        return None
    *runs, gold, known = (str(each.file.absolute()) for each in sources)
    columns = tuple(tuple(each.columns.items()) for each in sources)
    names = tuple(each.run_name for each in sources)
    return JudgedFiles(tuple(runs), gold, known, form, columns, names)


def recalls(judged: JudgedUpdates, pairs: Pairs) -> FloatArray:
    """The recall of each run and topic by some pairs, NaN where it is undefined.

    Runs are ranked by it since times don't matter for it. Where nuggets have importances below 0,
    as some of the track of 2013 have, those above 0 count alike.
    """
    tables = {
        "updates": table_of(judged.updates, "updates"),
        "nuggets": table_of(judged.nuggets, "nuggets"),
    }
    rules = Rules()
    updates, nuggets = find_standing(tables, rules), find_nuggets(tables, rules)
    numbers = {"update": pairs.update, "nugget": pairs.nugget}
    found = Found(pl.DataFrame(numbers).cast(pl.UInt32))
    index = index_of(tables, updates, nuggets, found, rules)
    reward = "binary" if (judged.nuggets.importance < 0).any() else "importance"
    asked = [measure(f"R(reward={reward})")]
    values, defined = evaluate(index, asked, index.times["start"].to_numpy())
    place = {topic: at for at, topic in enumerate(index.topics)}
    kept = [place[topic] for topic in judged.topics]
    recall: FloatArray = np.where(defined, values, np.nan)[:, kept, 0]
    return recall
