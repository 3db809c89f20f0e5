"""Topic by topic: what happened, and which update of which run says it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.core.blocks import Nugget, Saying, Timeline, Update
from tseval.core.sections import Setting
from tseval.families.temporal.assessed import AssessedIndex
from tseval.families.temporal.earliest import EarliestIndex
from tseval.families.temporal.evaluation import TemporalEvaluation
from tseval.families.temporal.held_texts import HeldTexts, held_texts
from tseval.matching.matching import get_matcher, word_spans
from tseval.parallel.sharing import Progress
from tseval.records import frozen
from tseval.tables import ABSENT, Pairs
from tseval.tables.times import UNITS

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, IntArray

HOUR = UNITS["h"]


def timelines(
    evaluation: TemporalEvaluation,
    setting: Setting[Any],
    matcher: str,
    threshold: float | None = None,
    progress: Progress | None = None,
    held: HeldTexts | None = None,
) -> Iterator[Timeline]:
    """The topics of the gold in order. `matcher` tells which words of an update say a nugget."""
    index = evaluation.index
    pairs, first = _pairs(index, evaluation.pairs)
    using = get_matcher(matcher, threshold)
    words = list(word_spans(using, index.updates, index.nuggets, pairs, progress))
    for place, span in _marked(index, pairs):
        words[place] = (span,)
    said = _Said(pairs, first, words, held or held_texts(evaluation))
    for topic in range(len(index.topics)):
        yield _timeline(evaluation, setting, topic, said)


@frozen(eq=False)
class _Said:
    """The pairs of all topics, by nugget and time; which are a run's first; and their words."""

    pairs: Pairs
    first: BoolArray
    words: Sequence[tuple[tuple[int, int], ...]]
    held: HeldTexts

    def shown(self, row: int) -> tuple[tuple[int, int], ...]:
        """The words of a pair that stand in what the page holds of its update's text."""
        text = self.held.texts.get(int(self.pairs.update[row]), "")
        return tuple(
            (low, high) for low, high in self.words[row] if high <= min(len(text), self.held.most)
        )


def _pairs(index: EarliestIndex, pairs: Pairs) -> tuple[Pairs, BoolArray]:
    """The different pairs of judged topics by nugget, time and place; which are a run's first."""
    width = len(index.nuggets)
    keys = np.unique(pairs.update * width + pairs.nugget)
    keys = keys[index.unit[keys // width] != ABSENT]
    update, nugget = keys // width, keys % width
    order = np.lexsort((update, index.updates.time[update], nugget))
    first = np.isin(keys, index.first.update * width + index.first.nugget)
    return Pairs(update[order], nugget[order]), first[order]


def _marked(index: AssessedIndex, pairs: Pairs) -> Iterator[tuple[int, tuple[int, int]]]:
    """The stretches that assessors marked: the place of a pair, and from where to where.

    They are known of each run's first word of a nugget.
    """
    if index.spans is None:
        return
    start, end = index.spans
    known = np.flatnonzero(end > start)
    width = len(index.nuggets)
    keys = {key: at for at, key in enumerate((pairs.update * width + pairs.nugget).tolist())}
    for row in known.tolist():
        update = int(index.first.update[row])
        text = index.updates.text[update]
        span = (int(start[row]), int(end[row]))
        low, high = _characters(text, span) if index.spans_in_bytes else span
        if low < min(high, len(text)):
            yield keys[update * width + int(index.first.nugget[row])], (low, min(high, len(text)))


def _characters(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """Places counted in bytes as places counted in characters; a cut character is left out."""
    if text.isascii():
        return span
    content = text.encode("utf-8", "surrogatepass")
    low, high = (len(content[:end].decode("utf-8", "ignore")) for end in span)
    return low, high


def _timeline(
    evaluation: TemporalEvaluation, setting: Setting[Any], topic: int, said: _Said
) -> Timeline:
    index, start = evaluation.index, float(evaluation.starts[topic])
    nuggets = _nuggets_of(index, topic)
    own = np.flatnonzero(np.isin(said.pairs.nugget, nuggets))
    rows, update_place = np.unique(said.pairs.update[own], return_inverse=True)
    nugget_place = {row: at for at, row in enumerate(nuggets.tolist())}
    sayings = [
        Saying(nugget_place[nugget], update, bool(said.first[row]), said.shown(row))
        for nugget, update, row in zip(
            said.pairs.nugget[own].tolist(), update_place.tolist(), own.tolist(), strict=True
        )
    ]
    end = max((float(index.periods[1][topic]) - start) / HOUR, 0.0)
    return Timeline(
        topic=index.topics[topic],
        end=end if np.isfinite(end) else 0.0,
        nuggets=tuple(_nuggets(index, nuggets, start)),
        updates=tuple(_updates(index, setting, rows, start, said.held)),
        sayings=tuple(sorted(sayings, key=lambda each: each.nugget)),
    )


def _nuggets_of(index: EarliestIndex, topic: int) -> IntArray:
    """The rows of a topic's nuggets that count, by time and id."""
    rows = index.gold[index.nugget_topic[index.gold] == topic]
    ids = np.array(index.nuggets.nugget_id.rows(rows).to_list(), object)
    order = sorted(range(len(rows)), key=lambda at: (index.nuggets.time[rows[at]], ids[at]))
    ordered: IntArray = rows[np.array(order, np.int64)]
    return ordered


def _nuggets(index: EarliestIndex, rows: IntArray, start: float) -> Iterator[Nugget]:
    gold = index.nuggets
    for row in rows.tolist():
        hours = (float(gold.time[row]) - start) / HOUR
        yield Nugget(gold.nugget_id[row], hours, float(gold.importance[row]), gold.text[row])


def _updates(
    index: EarliestIndex, setting: Setting[Any], rows: IntArray, start: float, held: HeldTexts
) -> Iterator[Update]:
    updates = index.updates
    for row in rows.tolist():
        run = setting.run(index.runs[int(index.unit[row]) // len(index.topics)])
        hours = (float(updates.time[row]) - start) / HOUR
        yield Update(run, updates.update_id[row], hours, held.of(row))
