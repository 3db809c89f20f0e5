"""What runs say of each request, counted: of collapsed facts, or of items and gold facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tseval.families.crisisfacts.rules import CrisisRules
from tseval.families.crisisfacts.tables import (
    LAGGED,
    OF_ASSESSED,
    REDUNDANT,
    UNASSESSED,
    USEFUL,
    CollapsedFacts,
    FactLabels,
    GoldFacts,
    Items,
    event_of,
)
from tseval.records import frozen
from tseval.tables import ABSENT, Ids, distinct, natural_order
from tseval.tables.arrow import strings
from tseval.tables.units import Units

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

FIRST = 64
"""How many collapsed facts of a request were looked at."""
TRACK = tuple(f"CrisisFACTS-{number:03d}" for number in range(9, 19))
"""The events of the track of 2023."""
ENOUGH = 10
"""How many gold facts a day needs to count in the paper of 2022."""


@frozen
class CrisisIndex(Units):
    """Runs by event, which is a topic; and within events by request, which is a day."""

    requests: tuple[str, ...]
    """Those that count, by events."""
    request_event: IntArray
    day: FloatArray
    """When the day of each request begins; NaN where days are not told."""
    counts: Mapping[str, FloatArray]
    """What there is, by name, of the shape (runs, requests)."""
    there: BoolArray
    """Which (run, request) have anything."""
    counts_missing: bool = True
    """Whether a request of which a run has nothing counts as one where it says nothing."""

    @property
    def present(self) -> BoolArray:
        """Which (run, event) have anything."""
        run, request = np.nonzero(self.there)
        return self.having(run * len(self.topics) + self.request_event[request])

    @cached_property
    def dated(self) -> bool:
        """Whether the day of every request is known."""
        return not np.isnan(self.day).any()

    @property
    def cell_unit(self) -> IntArray:
        """The (run, event) of each (run, request)."""
        runs = np.arange(len(self.runs))[:, None] * len(self.topics)
        return runs + self.request_event[None]

    def without_missing(self) -> CrisisIndex:
        """The same where requests of which a run has nothing are left out."""
        return replace(self, counts_missing=False)


# 2023: collapsed facts.


@frozen
class Pool:
    """The collapsed facts, each once: whether it counts, what it is worth, and who has it."""

    table: CollapsedFacts
    labels: FactLabels
    first: IntArray
    """The row in which each fact begins."""
    request: IntArray
    """The place of its request among `requests`."""
    requests: tuple[str, ...]
    rank: IntArray
    """Its place in its request, from 0."""
    counts: BoolArray
    score: FloatArray
    lagged: BoolArray
    run: IntArray
    """With `fact` each (run, fact) once, where the run has a raw fact of it."""
    fact: IntArray
    labelled: IntArray
    """The fact of each label; `ABSENT` for one that there is not."""

    @property
    def runs(self) -> tuple[str, ...]:
        """Every run that has a raw fact, in natural order."""
        return _runs(self.table.run)


def pool_of(facts: CollapsedFacts, labels: FactLabels, rules: CrisisRules) -> Pool:
    """The collapsed facts with their labels, as the rules have them."""
    codes, first, fact_of_row = np.unique(
        facts.collapsed_fact_id.codes, return_index=True, return_inverse=True
    )
    names = facts.collapsed_fact_id.take_names(codes)
    requests = _requests(facts.request)
    request = facts.request.within(strings(requests))[first]
    rank = _ranks(request, facts.importance[first], first)
    labelled = labels.collapsed_fact_id.within(strings(names))
    known = labelled != ABSENT
    weight = {USEFUL: 1.0, REDUNDANT: 0.5 if rules.redundant == ".5" else 0.0}
    worth = np.array([weight.get(name, 0.0) for name in labels.label.vocabulary()], np.float64)
    old = np.array([name == LAGGED for name in labels.label.vocabulary()], bool)
    score = np.zeros(len(names))
    lagged = np.zeros(len(names), bool)
    if known.any():
        np.maximum.at(score, labelled[known], worth[labels.label.codes[known]])
        np.logical_or.at(lagged, labelled[known], old[labels.label.codes[known]])
    run = facts.run.within(strings(_runs(facts.run)))
    said = distinct((run * len(names) + fact_of_row)[run != ABSENT])
    return Pool(
        table=facts,
        labels=labels,
        first=first,
        request=request,
        requests=requests,
        rank=rank,
        counts=(rank < FIRST) | (rules.pool == "all"),
        score=score,
        lagged=lagged,
        run=said // len(names),
        fact=said % len(names),
        labelled=labelled,
    )


def of_pool(pool: Pool, days: Mapping[str, float], rules: CrisisRules) -> CrisisIndex:
    """Runs held against collapsed facts; a request without a fact of worth does not count."""
    own = pool.counts[pool.fact]
    run, fact = pool.run[own], pool.fact[own]
    shape = (len(pool.runs), len(pool.requests))
    cell = run * shape[1] + pool.request[fact]
    positive = pool.score > 0

    def counted(weight: FloatArray | BoolArray) -> FloatArray:
        number = np.bincount(cell, weight.astype(np.float64), shape[0] * shape[1])
        return number.reshape(shape).astype(np.float64)

    gold = np.bincount(pool.request[pool.counts & positive], minlength=shape[1])
    counts = {
        "facts": counted(np.ones(len(cell))),
        "score": counted(pool.score[fact]),
        "said": counted(positive[fact]),
        "lagged": counted(pool.lagged[fact]),
        "gold": np.broadcast_to(gold.astype(np.float64), shape),
    }
    kept = (gold > 0) & _of_events(pool.requests, rules)
    return _index(pool.runs, pool.requests, counts, counts["facts"] > 0, kept, days)


# 2022: items and gold facts.


@frozen
class Judged:
    """The items of requests that have gold facts: their rank in a run's day, and what they say."""

    table: Items
    facts: GoldFacts
    runs: tuple[str, ...]
    requests: tuple[str, ...]
    row: IntArray
    """The row of each item."""
    run: IntArray
    request: IntArray
    rank: IntArray
    """Its place by importance among the items of its run and request, from 0."""
    counts: BoolArray
    """Whether it is one of as many as there are facts."""
    gold: IntArray
    """How many facts each request has."""
    item: IntArray
    """With `fact` each gold fact of the same request that an item matches, once."""
    fact: IntArray
    present: BoolArray
    """Which (run, request) have a row."""
    strange: tuple[tuple[int, str], ...]
    """Rows with a fact that no request has."""


def judged(items: Items, gold: GoldFacts) -> Judged:
    """Items beside gold facts."""
    requests, runs = _requests(gold.request), _runs(items.run)
    request = items.request.within(strings(requests))
    run = items.run.within(strings(runs))
    number = np.bincount(gold.request.within(strings(requests)), minlength=len(requests))
    known = np.flatnonzero(request != ABSENT)
    present = np.zeros((len(runs), len(requests)), bool)
    present[run[known], request[known]] = True
    filled = np.array([bool(each.strip()) for each in items.status.vocabulary()], bool)
    row = known[filled[items.status.codes[known]]]
    rank = _ranks(run[row] * len(requests) + request[row], items.importance[row], row)
    item, fact, strange = _matches(items, gold, row, request[row], requests)
    return Judged(
        table=items,
        facts=gold,
        runs=runs,
        requests=requests,
        row=row,
        run=run[row],
        request=request[row],
        rank=rank,
        counts=rank < number[request[row]],
        gold=number,
        item=item,
        fact=fact,
        present=present,
        strange=strange,
    )


def _matches(
    items: Items, gold: GoldFacts, row: IntArray, request: IntArray, requests: Sequence[str]
) -> tuple[IntArray, IntArray, tuple[tuple[int, str], ...]]:
    """Which gold facts of its own request each item matches; and what no request has."""
    listed = [items.facts[at].split() for at in row.tolist()]
    named = [name for own in listed for name in dict.fromkeys(own)]
    item = np.repeat(np.arange(len(row)), [len(dict.fromkeys(own)) for own in listed])
    fact = Ids.of(named).within(gold.fact_id.names) if named else np.zeros(0, np.int64)
    size = len(gold.fact_id.names)
    strange = tuple((int(row[item[at]]), named[at]) for at in np.flatnonzero(fact == ABSENT))
    own = gold.request.within(strings(requests)) * size + gold.fact_id.codes
    same = (fact != ABSENT) & np.isin(request[item] * size + fact, own)
    return item[same], fact[same], strange


def of_items(found: Judged, days: Mapping[str, float], rules: CrisisRules) -> CrisisIndex:
    """Runs held against gold facts, by their items of highest importance."""
    shape = (len(found.runs), len(found.requests))
    cell = found.run * shape[1] + found.request

    def counted(cells: IntArray) -> FloatArray:
        return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)

    status = np.array([each.strip() for each in found.table.status.vocabulary()], np.str_)
    own = status[found.table.status.codes[found.row]]
    seen = found.counts & (own != UNASSESSED)
    size = int(found.fact.max(initial=0)) + 1
    match = np.flatnonzero(seen[found.item])
    pairs = cell[found.item[match]] * size + found.fact[match]
    counts = {
        "items": counted(cell[found.counts]),
        "assessed": counted(cell[seen]),
        "matches": counted(cell[found.item[match]]),
        "said": counted(distinct(pairs) // size),
        "gold": np.broadcast_to(found.gold.astype(np.float64), shape),
    } | {name: counted(cell[seen & (own == name)]) for name in OF_ASSESSED}
    enough = found.gold >= (ENOUGH if rules.days == "10" else 1)
    kept = enough & _of_events(found.requests, rules)
    return _index(found.runs, found.requests, counts, found.present, kept, days)


# Both.


def _index(
    runs: tuple[str, ...],
    requests: tuple[str, ...],
    counts: Mapping[str, FloatArray],
    there: BoolArray,
    kept: BoolArray,
    days: Mapping[str, float],
) -> CrisisIndex:
    """The requests that count, by event."""
    own = np.flatnonzero(kept)
    names = tuple(requests[at] for at in own.tolist())
    events = [event_of(name) for name in names]
    topics = tuple(natural_order(set(events)))
    place = {topic: at for at, topic in enumerate(topics)}
    return CrisisIndex(
        runs=runs,
        topics=topics,
        requests=names,
        request_event=np.array([place[event] for event in events], np.int64),
        day=np.array([days.get(name, np.nan) for name in names], np.float64),
        counts={name: number[:, own] for name, number in counts.items()},
        there=there[:, own],
    )


def _ranks(group: IntArray, importance: FloatArray, place: IntArray) -> IntArray:
    """The place of each within its group, by falling importance and then as in the file."""
    order = np.lexsort((place, -importance, group))
    begins = np.flatnonzero(np.diff(group[order], prepend=-1))
    sizes = np.diff(np.append(begins, len(order)))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order)) - np.repeat(begins, sizes)
    return rank


def _runs(run: Ids) -> tuple[str, ...]:
    """The runs by name; what belongs to none is blank."""
    used = run.take_names(distinct(run.codes))
    return tuple(natural_order([name for name in used if name]))


def _requests(request: Ids) -> tuple[str, ...]:
    return tuple(natural_order(request.take_names(distinct(request.codes))))


def _of_events(requests: Sequence[str], rules: CrisisRules) -> BoolArray:
    known = [rules.events == "all" or event_of(name) in TRACK for name in requests]
    return np.array(known, bool)
