"""Pushed posts, and daily lists, day by day: what each day of a run was worth.

A *unit* is a (run, topic); the topics are those of the qrels. A *cell* is a (unit, day). Posts are
taken in the order of the file, or of the ranks of a list. The first post of a cluster *retrieves*
it; a cluster stays retrieved on later days.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tseval.families.clusters.push_rules import PushRules
from tseval.families.clusters.tables import Clusters, Grades, Posts
from tseval.records import frozen
from tseval.tables import ABSENT, all_names, natural_order, repeated_rows
from tseval.tables.arrow import strings
from tseval.tables.epochs import Epochs
from tseval.tables.keys import earliest, last_row_of, pair_keys
from tseval.tables.units import Units

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

MINUTE = 60.0
WORTH_MINUTES = 100.0
"""How many minutes a discounted post is worth anything."""
NEVER = np.iinfo(np.int64).max


@frozen
class Delays:
    """Delays in seconds, each of a unit."""

    unit: IntArray
    seconds: FloatArray


@frozen
class PushIndex(Units):
    """Every day of every unit: arrays of the shape (units, days)."""

    present: BoolArray
    """Which (run, topic) have posts, whatever they are worth."""
    lists: bool
    """Whether the runs are daily lists, not pushed posts."""
    eventful: BoolArray
    sent: IntArray
    """How many posts there are."""
    pain: IntArray
    """How many of them earn nothing."""
    gained: FloatArray
    """The gains of the first ten."""
    ideal: FloatArray
    """The ten largest gains that clusters not yet retrieved could give."""
    dcg: FloatArray
    ideal_dcg: FloatArray
    delays: Delays
    """Of each post that earns something: from the first post of its cluster to the push."""
    rules: PushRules
    ungraded: int
    """How many posts of clusters the qrels lack: they are worth nothing."""
    unknown: IntArray
    """For each run how many posts of judged topics were dropped: no epoch is known."""
    early: IntArray
    """For each run how many were dropped: they were pushed before they were created."""
    outside: BoolArray
    """Per post of the runs whether it was dropped: no day of the evaluation is its day."""
    day: IntArray
    """Per post of a judged topic its day such as 20170729; 0 if it isn't known, and for others."""
    repeated: IntArray
    """For each run how many of its lines push a post of a judged topic once more."""

    @classmethod
    def build(
        cls, posts: Posts, clusters: Clusters, grades: Grades, epochs: Epochs, rules: PushRules
    ) -> PushIndex:
        """Index whole runs."""
        runs = natural_order(posts.run.vocabulary())
        topics = natural_order(all_names(grades.topic).to_pylist())
        gold = _Gold.of(clusters, grades, epochs, topics, rules)
        pushed = _Pushed.of(posts, epochs, runs, topics, rules)
        member = pushed.member(gold)
        first = _first_of_clusters(pushed, gold, member)
        size = len(runs) * len(topics)
        retrieved = np.full((len(runs), gold.clusters), NEVER)
        retrieved[pushed.run[first], gold.cluster[member[first]]] = pushed.day[first]
        gain = _gains(pushed, gold, first, member, rules)
        best = _visible(gold, retrieved, size, len(topics), rules)
        earning = gain > 0
        return cls(
            runs=tuple(runs),
            topics=tuple(topics),
            present=_present(posts, runs, topics),
            lists=posts.day is not None,
            eventful=best.eventful,
            sent=_counted(pushed.cell, size, rules),
            pain=_counted(pushed.cell[~earning], size, rules),
            gained=_summed(pushed.cell, np.where(pushed.place < rules.depth, gain, 0), size, rules),
            ideal=best.gain,
            dcg=_summed(pushed.cell, _discounted(gain, pushed.place, rules), size, rules),
            ideal_dcg=best.dcg,
            delays=_delays(pushed, gold, earning, member, rules),
            rules=rules,
            ungraded=gold.ungraded,
            unknown=pushed.unknown,
            early=pushed.early,
            outside=(pushed.any_day != 0) & ~np.isin(pushed.any_day, rules.days),
            day=pushed.any_day,
            repeated=_repeated(posts, runs, topics),
        )


def _repeated(posts: Posts, runs: Sequence[str], topics: Sequence[str]) -> IntArray:
    if posts.day is not None:
        return np.zeros(len(runs), np.int64)
    rows, _ = repeated_rows(posts.run, posts.topic, posts.post_id)
    judged = posts.topic.rows(rows).within(strings(list(topics))) != ABSENT
    run = posts.run.rows(rows[judged]).within(strings(list(runs)))
    return np.bincount(run, minlength=len(runs))


def _present(posts: Posts, runs: Sequence[str], topics: Sequence[str]) -> BoolArray:
    topic = posts.topic.within(strings(list(topics)))
    unit = posts.run.within(strings(list(runs))) * len(topics) + topic
    return Units(tuple(runs), tuple(topics)).having(unit[topic != ABSENT])


@frozen
class _Gold:
    """Each post that is in a cluster, once: a row a (topic, post)."""

    source: Clusters
    row: IntArray
    """The row of the clusters' table, ascending."""
    topic: IntArray
    cluster: IntArray
    """The number of its cluster."""
    day: IntArray
    """Its day's place among those of the evaluation; `ABSENT` outside of them."""
    gain: FloatArray
    best: FloatArray
    """The largest gain of its cluster's posts of its day."""
    start: FloatArray
    """For each cluster when its first post was created."""
    ungraded: int

    @property
    def clusters(self) -> int:
        """How many clusters there are."""
        return len(self.start)

    @classmethod
    def of(
        cls,
        clusters: Clusters,
        grades: Grades,
        epochs: Epochs,
        topics: Sequence[str],
        rules: PushRules,
    ) -> _Gold:
        """Those of judged topics."""
        key = clusters.topic.codes * len(clusters.cluster_id.names) + clusters.cluster_id.codes
        _, listed, number = np.unique(key, return_index=True, return_inverse=True)
        row = _single(clusters, rules)
        topic = clusters.topic.rows(row).within(strings(list(topics)))
        row, topic = row[topic != ABSENT], topic[topic != ABSENT]
        post = clusters.post_id.rows(row)
        known = last_row_of(post.within(epochs.post_id.names), epochs.post_id.codes)
        day = np.where(known == ABSENT, ABSENT, _places(np.append(epochs.day, 0)[known], rules))
        gain, graded = _gains_of(clusters, row, grades, rules)
        return cls(
            source=clusters,
            row=row,
            topic=topic,
            cluster=number[row],
            day=day,
            gain=gain,
            best=_best_of_day(number[row], day, gain, rules),
            start=_starts(clusters, number, listed, rules),
            ungraded=int((~graded).sum()),
        )


def _single(clusters: Clusters, rules: PushRules) -> IntArray:
    """The row that counts for each (topic, post)."""
    key = pair_keys(clusters.topic, clusters.post_id, clusters.topic, clusters.post_id)
    if rules.two_clusters == "first":
        return np.sort(np.unique(key, return_index=True)[1])
    last = len(key) - 1 - np.unique(key[::-1], return_index=True)[1]
    return np.sort(last)


def _gains_of(
    clusters: Clusters, row: IntArray, grades: Grades, rules: PushRules
) -> tuple[FloatArray, BoolArray]:
    """What each post is worth, and whether the qrels have it; those that they lack earn nothing."""
    topic, post = clusters.topic.rows(row), clusters.post_id.rows(row)
    wanted = pair_keys(topic, post, grades.topic, grades.post_id)
    have = pair_keys(grades.topic, grades.post_id, grades.topic, grades.post_id)
    at = last_row_of(wanted, have)
    worth = np.append(grades.grade / 2, 0.0)
    for label, gain in rules.gains.items():
        worth[:-1][grades.grade == label] = gain
    return worth[at], at != ABSENT


def _best_of_day(number: IntArray, day: IntArray, gain: FloatArray, rules: PushRules) -> FloatArray:
    _, place = np.unique(number * (len(rules.days) + 1) + day + 1, return_inverse=True)
    best = np.full(len(number), -np.inf)
    np.maximum.at(best, place, gain)
    return best[place]


def _starts(clusters: Clusters, number: IntArray, listed: IntArray, rules: PushRules) -> FloatArray:
    """When the first post of each cluster was created."""
    if rules.cluster_start == "listed":
        return clusters.time[listed]
    return earliest(number, clusters.time, len(listed))


def _places(day: IntArray, rules: PushRules) -> IntArray:
    """The place of each day among those of the evaluation; `ABSENT` outside of them."""
    days = np.array(rules.days)
    at = np.minimum(np.searchsorted(days, day), len(days) - 1)
    return np.where(days[at] == day, at, ABSENT)


@frozen
class _Pushed:
    """The posts that count, sorted by unit, day and order."""

    source: Posts
    row: IntArray
    run: IntArray
    cell: IntArray
    day: IntArray
    place: IntArray
    """The place among the posts of the cell, from 0."""
    pushed: FloatArray
    """When it was pushed, by the clock of the creations; if more than once, by its last line."""
    created: FloatArray
    """When it was created; NaN where it isn't known."""
    unknown: IntArray
    early: IntArray
    any_day: IntArray
    """As `PushIndex.day`: of every post, whether it counts or not."""

    @classmethod
    def of(
        cls,
        posts: Posts,
        epochs: Epochs,
        runs: Sequence[str],
        topics: Sequence[str],
        rules: PushRules,
    ) -> _Pushed:
        """Those of judged topics and of the evaluation's days."""
        known = last_row_of(posts.post_id.within(epochs.post_id.names), epochs.post_id.codes)
        created = np.append(epochs.time, np.nan)[known]
        pushed = posts.time + rules.clock_offset
        of_day = np.append(epochs.day, 0)[known] if posts.day is None else posts.day
        day = _places(of_day, rules)
        topic = posts.topic.within(strings(list(topics)))
        counts = (topic != ABSENT) & (day != ABSENT)
        run = posts.run.within(strings(list(runs)))
        early = counts & (pushed < created)
        if posts.day is not None or rules.early_posts == "keep":
            early[:] = False
        counts &= ~early
        lost = (topic != ABSENT) & (known == ABSENT) & (posts.day is None)
        cell = (run * len(topics) + topic) * len(rules.days) + day
        rank = np.zeros(len(posts))
        if posts.rank is not None and rules.list_order == "rank":
            rank = posts.rank
        rows = np.flatnonzero(counts)
        row = rows[np.lexsort((rank[rows], cell[rows]))]
        start = np.flatnonzero(np.diff(cell[row], prepend=-1))
        size = np.diff(np.append(start, len(row)))
        last = _last_lines(cell[row], posts.post_id.codes[row])
        place = np.arange(len(row)) - np.repeat(start, size)
        return cls(
            source=posts,
            row=row,
            run=run[row],
            cell=cell[row],
            day=day[row],
            place=place,
            pushed=pushed[row[last]],
            created=created[row],
            unknown=np.bincount(run[lost], minlength=len(runs)),
            early=np.bincount(run[early], minlength=len(runs)),
            any_day=np.where(topic != ABSENT, of_day, 0),
        )

    def member(self, gold: _Gold) -> IntArray:
        """The row of gold for each post; `ABSENT` where it is in no cluster on this day."""
        topic, post = self.source.topic.rows(self.row), self.source.post_id.rows(self.row)
        names = gold.source
        have = pair_keys(names.topic, names.post_id, names.topic, names.post_id)[gold.row]
        at = last_row_of(pair_keys(topic, post, names.topic, names.post_id), have)
        day = np.append(gold.day, ABSENT)[at]
        return np.where(day == self.day, at, ABSENT)


def _last_lines(cell: IntArray, post: IntArray) -> IntArray:
    """For each pushed post the place of the last that pushes the same one, itself if it is alone.

    The posts are those of a cell in the order of the file; a post has one day, and so one cell.
    """
    key = cell * (int(post.max(initial=0)) + 1) + post
    _, first_from_behind, number = np.unique(key[::-1], return_index=True, return_inverse=True)
    last: IntArray = (len(key) - 1 - first_from_behind)[number[::-1]]
    return last


def _first_of_clusters(pushed: _Pushed, gold: _Gold, member: IntArray) -> IntArray:
    """The posts that retrieve a cluster."""
    inside = np.flatnonzero(member != ABSENT)
    key = pushed.run[inside] * max(gold.clusters, 1) + gold.cluster[member[inside]]
    # Posts are sorted by run, topic and day, so the first of a key is the first that was pushed.
    return inside[np.unique(key, return_index=True)[1]]


def _gains(
    pushed: _Pushed, gold: _Gold, first: IntArray, member: IntArray, rules: PushRules
) -> FloatArray:
    """What each post earns."""
    gain = np.zeros(len(pushed.row))
    if rules.gain == "own" or pushed.source.day is not None:
        gain[first] = gold.gain[member[first]]
    else:
        minutes = np.floor((pushed.pushed[first] - pushed.created[first]) / MINUTE)
        share = np.maximum(0.0, (WORTH_MINUTES - minutes) / WORTH_MINUTES)
        gain[first] = gold.best[member[first]] * share
    return gain


def _delays(
    pushed: _Pushed, gold: _Gold, earning: BoolArray, member: IntArray, rules: PushRules
) -> Delays:
    """How long after the first post of its cluster each earning post was pushed."""
    delay = pushed.pushed[earning] - gold.start[gold.cluster[member[earning]]]
    clamped = np.maximum(delay, 0.0) if rules.delays == "clamped" else delay
    return Delays(pushed.cell[earning] // len(rules.days), clamped)


@frozen
class _Visible:
    """What the clusters of a day offer to a run: arrays of the shape (units, days)."""

    eventful: BoolArray
    gain: FloatArray
    dcg: FloatArray


def _visible(
    gold: _Gold, retrieved: IntArray, size: int, topics: int, rules: PushRules
) -> _Visible:
    """The best gain of each cluster and day, for each run that has not retrieved it before."""
    inside = gold.day != ABSENT
    key = gold.cluster[inside] * len(rules.days) + gold.day[inside]
    _, at = np.unique(key, return_index=True)
    cluster, day = gold.cluster[inside][at], gold.day[inside][at]
    best, topic = gold.best[inside][at], gold.topic[inside][at]
    run, pair = np.nonzero(retrieved[:, cluster] >= day)
    unit = run * topics + topic[pair]
    cell, gain = unit * len(rules.days) + day[pair], best[pair]
    order = np.lexsort((-gain, cell))
    cell, gain = cell[order], gain[order]
    start = np.flatnonzero(np.diff(cell, prepend=-1))
    place = np.arange(len(cell)) - np.repeat(start, np.diff(np.append(start, len(cell))))
    held = _counted(cell, size, rules) > 0
    if rules.silent == "any":
        runs = np.arange(size // topics)[:, None] if topics else np.zeros((0, 1), np.int64)
        every = ((runs * topics + topic) * len(rules.days) + day).ravel()
        held = _counted(every, size, rules) > 0
    return _Visible(
        held,
        _summed(cell, np.where(place < rules.depth, gain, 0.0), size, rules),
        _summed(cell, _discounted(gain, place, rules), size, rules),
    )


def _discounted(gain: FloatArray, place: IntArray, rules: PushRules) -> FloatArray:
    """What gains are worth at their places of a list, the first ten alone."""
    worth: FloatArray = (np.exp2(gain) - 1) / np.log2(place + 2)
    return np.where(place < rules.depth, worth, 0.0)


def _counted(cell: IntArray, size: int, rules: PushRules) -> IntArray:
    shape = (size, len(rules.days))
    return np.bincount(cell, minlength=size * len(rules.days)).reshape(shape)


def _summed(cell: IntArray, amount: FloatArray, size: int, rules: PushRules) -> FloatArray:
    shape = (size, len(rules.days))
    sums = np.bincount(cell, amount, size * len(rules.days)).astype(np.float64)
    return sums.reshape(shape)
