"""M(u), the earliest-match index: which update is the first to say each nugget.

Where matches have grades, an update may say a nugget in part and a later one in full: both are
matches that count, each by how far it says more than all before it.

It is built once from (updates, nuggets, pairs) and shared by all measures. A *unit* is a (run,
topic); the topics are those of the gold, in natural order, and the runs too. `EarliestStream` is
the same index for updates that come one at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.io.names import ABSENT, distinct, natural_order
from tseval.io.origin import Origin
from tseval.io.units import Units
from tseval.records import frozen
from tseval.tables import Duplicates, Ids, Nuggets, Pairs, Texts, Updates, all_names
from tseval.tables.arrow import strings
from tseval.tables.keys import by_code, earliest, latest

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, FloatArray, IntArray


@frozen
class First:
    """The earliest matches, sorted by unit, then nugget: who says what first, and how often.

    With grades a nugget has several, in the order of time: each says more of it than those before.
    """

    unit: IntArray
    nugget: IntArray
    update: IntArray
    said: IntArray
    """How many updates of the unit say the nugget, this one included."""
    grade: FloatArray
    """How far each says its nugget: 1 without grades."""
    rise: FloatArray
    """By how much that is more than before: 1 without grades."""

    @classmethod
    def none(cls) -> First:
        """No match at all."""
        nothing, zero = np.zeros(0, np.int64), np.zeros(0)
        return cls(nothing, nothing, nothing, nothing, zero, zero)

    def __len__(self) -> int:
        return len(self.unit)

    def rows(self, chosen: IntArray) -> First:
        """The chosen ones."""
        return First(*(getattr(self, each.name)[chosen] for each in fields(self)))

    @property
    def opens(self) -> BoolArray:
        """Which are the first of their nugget: all without grades."""
        new = np.ones(len(self), bool)
        new[1:] = (np.diff(self.unit) != 0) | (np.diff(self.nugget) != 0)
        return new


@frozen
class GoldTopics:
    """The topics of some nuggets, in natural order, and which of them each nugget has."""

    names: tuple[str, ...]
    column: Any
    """The names as an Arrow array."""
    of_nuggets: IntArray

    @classmethod
    def of(cls, nuggets: Nuggets) -> GoldTopics:
        """Those of these nuggets."""
        names = tuple(natural_order(all_names(nuggets.topic).to_pylist()))
        column = strings(names)
        return cls(names, column, nuggets.topic.within(column))


@frozen
class EarliestIndex(Units):
    """Everything that the measures at time t need to know of who said what when.

    `unit[row]` of an update is its (run, topic), `ABSENT` where the topic is not in the gold.
    """

    updates: Updates
    nuggets: Nuggets
    unit: IntArray
    nugget_topic: IntArray
    sent: IntArray
    """The rows of updates that count: those of judged topics, by unit, time and place."""
    gold: IntArray
    """The rows of nuggets that count, for every run."""
    original: IntArray
    """Per update its M(u): the earliest update of the unit that says the same; mostly itself."""
    first: First
    says: IntArray
    """Per update the number of nuggets that it matches."""

    @classmethod
    def build(
        cls,
        updates: Updates,
        nuggets: Nuggets,
        pairs: Pairs,
        duplicates: Duplicates | None = None,
    ) -> EarliestIndex:
        """Index a whole stream. Equal times: the update that stands first in the file."""
        runs = natural_order(updates.run.vocabulary())
        run = updates.run.within(strings(runs))
        return cls.divided(
            run, tuple(runs), updates, nuggets, pairs, GoldTopics.of(nuggets), duplicates
        )

    @classmethod
    def divided(
        cls,
        run: IntArray,
        runs: tuple[str, ...],
        updates: Updates,
        nuggets: Nuggets,
        pairs: Pairs,
        gold: GoldTopics,
        duplicates: Duplicates | None = None,
    ) -> EarliestIndex:
        """The same for updates that stand in the runs with these numbers, whatever they say.

        `gold` are the topics of the nuggets, for whoever indexes many parts with the same.
        """
        topics = gold.names
        topic = updates.topic.within(gold.column)
        unit = np.where(topic == ABSENT, ABSENT, run * len(topics) + topic)
        order = np.argsort(updates.time, kind="stable")
        first, says = _first(pairs, unit, run, order, len(nuggets))
        return cls(
            runs=runs,
            topics=topics,
            updates=updates,
            nuggets=nuggets,
            unit=unit,
            nugget_topic=gold.of_nuggets,
            sent=_sent(unit, order),
            gold=np.arange(len(nuggets)),
            original=_originals(updates, unit, order, duplicates),
            first=first,
            says=says,
        )

    @property
    def first_nugget_times(self) -> FloatArray:
        """For each topic the time of its earliest nugget."""
        return earliest(self.nugget_topic, self.nuggets.time, len(self.topics))

    @property
    def latest_nugget_times(self) -> FloatArray:
        """For each topic the time of its latest nugget."""
        return latest(self.nugget_topic, self.nuggets.time, len(self.topics))

    @property
    def firsts(self) -> IntArray:
        """Per update the number of nuggets that it is the first to say."""
        return np.bincount(self.first.update, minlength=len(self.unit))

    def gold_units(self) -> tuple[IntArray, IntArray]:
        """Every (unit, nugget row) of the gold: each nugget once for every run."""
        starts = np.arange(len(self.runs)) * len(self.topics)
        units = (starts[:, None] + self.nugget_topic[self.gold]).ravel()
        return units, np.tile(self.gold, len(self.runs))


def _rank(order: IntArray) -> IntArray:
    """The place of each row in an order of all rows."""
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank


def _sent(unit: IntArray, order: IntArray) -> IntArray:
    """The rows of judged topics by unit, then in this order."""
    rows: IntArray = order[by_code(unit[order])]
    return rows[np.count_nonzero(unit == ABSENT) :]


def _first(
    pairs: Pairs, unit: IntArray, run: IntArray, order: IntArray, nuggets: int
) -> tuple[First, IntArray]:
    """The earliest match of each (run, nugget), and the number of nuggets each update matches.

    One sort of whole numbers does it: (run, nugget) above, the place in the updates' order below;
    repeats fall together.
    """
    updates = max(len(order), 1)
    wanted = run[pairs.update]  # one column at a time: pairs may be very many
    wanted *= nuggets
    wanted += pairs.nugget
    wanted *= updates
    wanted += _rank(order)[pairs.update]
    keys = distinct(wanted)
    group, update = keys // updates, order[keys % updates]
    start = np.flatnonzero(np.append(True, group[1:] != group[:-1])[: len(group)])
    said = np.diff(np.append(start, len(group)))
    if pairs.grade is None:
        at, grade = start, np.ones(len(start))
        rise = grade
    else:
        best = np.zeros(len(keys))
        np.maximum.at(best, np.searchsorted(keys, wanted), pairs.grade)
        at, grade, rise = _rises(best, start, said)
        said = said[np.searchsorted(start, at, "right") - 1]
    nugget = group[at] % nuggets
    place = np.lexsort((nugget, unit[update[at]]))
    update_at = update[at][place]
    first = First(unit[update_at], nugget[place], update_at, said[place], grade[place], rise[place])
    return first, np.bincount(update, minlength=len(order))


def _rises(
    grade: FloatArray, start: IntArray, number: IntArray
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Where a grade is above all before it in its group, which grade that is, and by how much.

    Groups begin at `start` and have so many rows each.
    """
    levels, place = np.unique(grade, return_inverse=True)
    base = np.repeat(np.arange(len(start)), number) * len(levels)
    best = np.maximum.accumulate(base + place) - base
    before = np.append(0, best[:-1])
    opens = np.zeros(len(grade), bool)
    opens[start] = True
    at = np.flatnonzero(opens | (best > before))
    known = np.where(opens, 0.0, levels[before] if len(levels) else 0.0)
    return at, levels[best[at]], levels[best[at]] - known[at]


def _originals(
    updates: Updates, unit: IntArray, order: IntArray, duplicates: Duplicates | None
) -> IntArray:
    """The earliest update of the same unit and the same class of duplicates."""
    rows = np.arange(len(unit))
    if duplicates is None or not len(rows):
        return rows
    label = _duplicate_classes(updates, duplicates)
    by_class = np.lexsort((_rank(order), label, unit))
    new = np.ones(len(by_class), bool)
    new[1:] = (np.diff(unit[by_class]) != 0) | (np.diff(label[by_class]) != 0)
    leader = np.maximum.accumulate(np.where(new, rows, 0))
    originals = np.empty_like(rows)
    originals[by_class] = by_class[leader]
    return originals


def _duplicate_classes(updates: Updates, duplicates: Duplicates) -> IntArray:
    """A number for each update, equal for those that the pairs link, directly or by others.

    The links go over ids, so two updates are of one class even if the one between was not sent.
    """
    from scipy.sparse import coo_array  # few need it, and it is slow to import
    from scipy.sparse.csgraph import connected_components

    ids = Ids.join([updates.update_id, duplicates.update_id, duplicates.duplicate_id])
    width = len(ids.names)
    rows, pairs = len(updates), len(duplicates.update_id)
    if duplicates.topic is None:
        node = ids.codes
    else:
        topics = Ids.join([updates.topic, duplicates.topic, duplicates.topic])
        node = topics.codes * width + ids.codes
    _, node = np.unique(node, return_inverse=True)
    ends = node[rows : rows + pairs], node[rows + pairs :]
    size = int(node.max()) + 1
    links = coo_array((np.ones(pairs, np.int8), ends), shape=(size, size))
    _, label = connected_components(links, directed=False)
    classes: IntArray = label.astype(np.int64)[node[:rows]]
    return classes


class OutOfOrder(ValueError):
    """An update that is older than one already taken."""


@dataclass
class EarliestStream:
    """The index for one run's updates that come one at a time, in the order of their times.

    `add` gives what the update changes as an index of its own: the update alone, with the nuggets
    that it is the first to say. Sums over these steps equal sums over the index of all of them.
    """

    nuggets: Nuggets
    run: str = "run"
    duplicates: dict[tuple[str, str], str] = field(default_factory=dict)
    """For (topic, update id) the name of its class of duplicates."""

    def __post_init__(self) -> None:
        topics = natural_order(all_names(self.nuggets.topic).to_pylist())
        self.topics = tuple(topics)
        self._topic = {name: code for code, name in enumerate(topics)}
        self._nugget_topic = self.nuggets.topic.within(strings(topics))
        names = zip(self.nuggets.topic.to_list(), self.nuggets.nugget_id.to_list(), strict=True)
        self._nugget = {name: row for row, name in enumerate(names)}
        self._said: dict[int, int] = {}
        self._grade: dict[int, float] = {}
        self._sent: set[tuple[str, str]] = set()
        self._original: dict[tuple[str, str], Updates] = {}
        self._latest = -np.inf

    def start(self) -> EarliestIndex:
        """The index before any update: the gold alone."""
        return self._index(_no_updates(self.run), [], {}, np.arange(len(self.nuggets)))

    def add(
        self,
        topic: str,
        update_id: str,
        time: float,
        says: Sequence[str] | Mapping[str, float] = (),
        *,
        text: str = "",
        cost: float | None = None,
    ) -> EarliestIndex:
        """Take the next update; `says` names the nuggets that it matches, perhaps with grades.

        An update older than the latest, or one sent before, is refused; unknown nuggets are a
        `KeyError`. An update of a topic that is not in the gold changes nothing.
        """
        if time < self._latest:
            raise OutOfOrder(f'update "{update_id}" at {time} comes after one at {self._latest}')
        if (topic, update_id) in self._sent:
            raise ValueError(f'update "{update_id}" of topic "{topic}" was sent before')
        grades = says if isinstance(says, Mapping) else dict.fromkeys(says, 1.0)
        told = {self._nugget[topic, name]: grade for name, grade in grades.items() if grade > 0}
        matched = sorted(told)
        self._latest = time
        self._sent.add((topic, update_id))
        new = {
            nugget: told[nugget] - self._grade.get(nugget, 0.0)
            for nugget in matched
            if told[nugget] > self._grade.get(nugget, 0.0)
        }
        for nugget in matched:
            self._said[nugget] = self._said.get(nugget, 0) + 1
        self._grade |= {nugget: told[nugget] for nugget in new}
        update = _one_update(self.run, topic, update_id, time, text, cost)
        return self._index(self._with_original(topic, update_id, update), matched, new, _NOTHING)

    def _with_original(self, topic: str, update_id: str, update: Updates) -> Updates:
        """The update, followed by the earliest of its duplicates if that is another."""
        known = self.duplicates.get((topic, update_id))
        if known is None:
            return update
        earliest = self._original.setdefault((topic, known), update)
        return update if earliest is update else Updates.join([update, earliest])

    def _index(
        self, updates: Updates, matched: Sequence[int], new: Mapping[int, float], gold: IntArray
    ) -> EarliestIndex:
        """The index of a step; `new` tells how much more of which nuggets is said now."""
        unit = np.array(
            [self._topic.get(name, ABSENT) for name in updates.topic.to_list()], np.int64
        )
        sent = np.flatnonzero(unit[:1] != ABSENT)
        nugget = np.array(list(new), np.int64)
        row = np.zeros(len(new), np.int64)
        said = np.array([self._said[each] for each in new], np.int64)
        grade = np.array([self._grade[each] for each in new], np.float64)
        rise = np.array(list(new.values()), np.float64)
        return EarliestIndex(
            runs=(self.run,),
            topics=self.topics,
            updates=updates,
            nuggets=self.nuggets,
            unit=unit,
            nugget_topic=self._nugget_topic,
            sent=sent,
            gold=gold,
            original=np.full(len(unit), len(unit) - 1),
            first=First(unit[row], nugget, row, said, grade, rise),
            says=np.array([len(matched)] + [0] * (len(unit) - 1), np.int64)[: len(unit)],
        )


_NOTHING: IntArray = np.zeros(0, np.int64)


def _no_updates(run: str) -> Updates:
    ids = Ids.constant("", 0)
    origin = Origin((), _NOTHING, _NOTHING)
    return Updates(Ids.constant(run, 0), ids, ids, Texts.empty(), origin, np.zeros(0))


def _one_update(
    run: str, topic: str, update_id: str, time: float, text: str, cost: float | None
) -> Updates:
    return Updates(
        run=Ids.constant(run, 1),
        topic=Ids.constant(topic, 1),
        update_id=Ids.constant(update_id, 1),
        time=np.array([time], np.float64),
        text=Texts.of([text]),
        confidence=None,
        cost=None if cost is None else np.array([cost], np.float64),
        origin=Origin((), np.zeros(1, np.int64), np.zeros(1, np.int64)),
    )
