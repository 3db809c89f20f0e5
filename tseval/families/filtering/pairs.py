"""From runs and judgments to (document, topic) pairs: each once, with its time.

The unit of filtering is the pair. Of a pair that a run returned several times the highest
confidence counts; of one that was judged several times the rule `votes` decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from tseval.core.wording import count, listed, warn_of_numbers
from tseval.errors import Fault, InputError
from tseval.families.filtering.rules import FilterRules
from tseval.families.filtering.tables import RATINGS, Returned, Truth
from tseval.records import frozen
from tseval.tables import ABSENT, all_names, natural_order
from tseval.tables.arrow import strings, truths
from tseval.tables.keys import last_row_of, pair_keys, unknown_by_run

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

DATED = r"^\d+-"
"""How a document's id begins that tells its time: `1325376000-…`."""
TIME_CURE = "give the truth a column time, or documents whose ids begin with it: 1325376000-…"


@frozen
class JudgedPairs:
    """The judged pairs, each once: its topic by number, its time, whether it is positive."""

    topics: tuple[str, ...]
    topic: IntArray
    time: FloatArray
    positive: BoolArray

    def rows(self, chosen: BoolArray) -> JudgedPairs:
        """The chosen pairs."""
        return replace(
            self,
            topic=self.topic[chosen],
            time=self.time[chosen],
            positive=self.positive[chosen],
        )


@frozen
class ReturnedPairs:
    """The pairs that runs returned, each once a run, in the order of the runs.

    Those that nobody judged are there only where they count.
    """

    runs: tuple[str, ...]
    run: IntArray
    topic: IntArray
    time: FloatArray
    confidence: FloatArray
    judged: BoolArray
    positive: BoolArray

    def rows(self, chosen: BoolArray) -> ReturnedPairs:
        """The chosen pairs."""
        return replace(
            self,
            run=self.run[chosen],
            topic=self.topic[chosen],
            time=self.time[chosen],
            confidence=self.confidence[chosen],
            judged=self.judged[chosen],
            positive=self.positive[chosen],
        )


@frozen
class FilterPairs:
    """Both, and what a reader should know of how they were found."""

    judged: JudgedPairs
    kept: ReturnedPairs
    warnings: tuple[str, ...]


@frozen
class _Votes:
    """The truth's rows grouped by pair: the rows in that order, and where each pair begins."""

    truth: Truth
    order: IntArray
    start: IntArray
    key: IntArray

    @classmethod
    def of(cls, truth: Truth) -> _Votes:
        keys = pair_keys(truth.topic, truth.post_id, truth.topic, truth.post_id)
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        start = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
        return cls(truth, order, start, ordered[start])

    @property
    def row(self) -> IntArray:
        """The first row of each pair."""
        return self.order[self.start]

    def rating(self, votes: str) -> FloatArray:
        """What assessors say of each pair together."""
        together = np.minimum if votes == "all" else np.maximum
        rating: FloatArray = together.reduceat(self.truth.rating[self.order], self.start)
        return rating

    def time(self) -> FloatArray:
        """The earliest time that a row tells of each pair; NaN where none does."""
        time: FloatArray = np.fmin.reduceat(self.truth.time[self.order], self.start)
        return time


def paired(returned: Returned, truth: Truth, level: float, rules: FilterRules) -> FilterPairs:
    """Match what runs returned with what was judged.

    The truth tells the time of a document; where it doesn't, its id; where that doesn't either,
    the runs. A positive pair without a time is a fault.
    """
    if rules.unsure == "drop":
        truth = truth.rows(truth.sure)
    votes = _Votes.of(truth)
    topics = tuple(natural_order(all_names(truth.topic).to_pylist()))
    time, timeless = _times(votes, returned)
    positive = votes.rating(rules.votes) >= level
    _check_times(votes, time, positive)
    judged = JudgedPairs(topics, truth.topic.within(strings(topics))[votes.row], time, positive)
    kept, warnings = _kept(returned, votes, judged, level, rules)
    if timeless:
        warnings = [timeless, *warnings]
    there = ~np.isnan(time)
    if not there.all():
        many = count(int((~there).sum()), "judged pair")
        warnings.append(f"{many} without a time, not positive, left out")
    return FilterPairs(judged.rows(there), kept, tuple(warnings))


def _times(votes: _Votes, returned: Returned) -> tuple[FloatArray, str]:
    """When the document of each pair came, with a warning if the runs had to tell."""
    time = votes.time()
    lost = np.isnan(time)
    if not lost.any():
        return time, ""
    posts = votes.truth.post_id
    if truths(pc.match_substring_regex(posts.names, DATED)).all():
        told = np.array([float(name.partition("-")[0]) for name in posts.vocabulary()])
        return np.where(lost, told[posts.codes[votes.row]], time), ""
    latest_first = np.argsort(-returned.time, kind="stable")
    known = returned.post_id.rows(latest_first).within(posts.names)
    earliest = np.full(len(posts.names), np.nan)
    inside = known != ABSENT
    earliest[known[inside]] = returned.time[latest_first][inside]
    warning = "the truth tells no times of some documents: they have the earliest of any run"
    return np.where(lost, earliest[posts.codes[votes.row]], time), warning


def _check_times(votes: _Votes, time: FloatArray, positive: BoolArray) -> None:
    faults: list[Fault] = []
    truth = votes.truth
    for row in np.sort(votes.row[positive & np.isnan(time)]).tolist():
        reason = f'document "{truth.post_id[row]}" of topic "{truth.topic[row]}" has no time'
        faults.append(truth.origin.fault(row, reason, TIME_CURE, "missing-time"))
    if faults:
        raise InputError(faults)


def _kept(
    returned: Returned, votes: _Votes, judged: JudgedPairs, level: float, rules: FilterRules
) -> tuple[ReturnedPairs, list[str]]:
    """The pairs that runs returned, with what happened to the others."""
    runs = tuple(returned.run.vocabulary())
    truth = votes.truth
    warnings = list(warn_of_numbers("truth", "rating", truth.rating, RATINGS))
    warnings += _unknown_topics(returned, truth)
    if rules.own_rating == "obey":
        returned = returned.rows(~(returned.rating < level))
    returned = returned.rows(returned.topic.within(truth.topic.names) != ABSENT)
    once = _once(returned)
    warnings += _repeated(returned, once)
    returned = returned.rows(once)
    keys = pair_keys(returned.topic, returned.post_id, truth.topic, truth.post_id)
    pair = last_row_of(keys, votes.key)
    known = pair != ABSENT
    told = np.where(known, judged.time[pair], returned.time)
    warnings += _other_times(returned, told)
    kept = ReturnedPairs(
        runs=runs,
        run=returned.run.codes,
        topic=returned.topic.within(strings(judged.topics)),
        time=told,
        confidence=returned.confidence,
        judged=known,
        positive=known & judged.positive[pair],
    )
    return kept.rows((known | (rules.unjudged == "fp")) & ~np.isnan(told)), warnings


def _once(returned: Returned) -> IntArray:
    """For each (run, pair) the row of highest confidence, the earliest of equal ones, by run."""
    posts = max(len(returned.post_id.names), 1)
    pair = returned.topic.codes * posts + returned.post_id.codes
    pairs = max(len(returned.topic.names), 1) * posts
    unit = returned.run.codes * pairs + pair
    order = np.argsort(unit, kind="stable")
    if not (np.diff(unit[order]) == 0).any():  # as in most runs: nothing to choose
        return order
    order = np.lexsort((returned.time, -returned.confidence, unit))
    new = np.append(True, np.diff(unit[order]) != 0)
    once: IntArray = order[new[: len(order)]]
    return once


def _repeated(returned: Returned, once: IntArray) -> Iterator[str]:
    runs = len(returned.run.names)
    lost = np.bincount(returned.run.codes, minlength=runs)
    lost -= np.bincount(returned.run.codes[once], minlength=runs)
    for name, many in zip(returned.run.vocabulary(), lost.tolist(), strict=True):
        if many:
            noun = count(many, "repeated document")
            yield f"run {name}: {noun}, the highest confidence counts"


def _unknown_topics(returned: Returned, truth: Truth) -> Iterator[str]:
    for run, names in unknown_by_run(returned.run, returned.topic, truth.topic.names):
        yield f"run {run}: {count(len(names), 'topic')} not judged, ignored: {listed(names)}"


def _other_times(returned: Returned, told: FloatArray) -> Iterator[str]:
    """The batch of a judged document is by the truth's time; say so where the run has another."""
    differ = (told != returned.time) & ~np.isnan(told)
    if differ.any():
        many = count(int(differ.sum()), "document")
        yield f"{many} with another time in the run than in the truth: the truth's counts"
