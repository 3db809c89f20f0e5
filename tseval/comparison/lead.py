"""Who is earlier? Runs head to head, over the nuggets that both of two said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tseval.comparison.findings import FindingRows, Findings, or_none
from tseval.comparison.plan import LEAD, Plan
from tseval.comparison.runs import means_of_topics, signature
from tseval.core.wording import count, listed
from tseval.errors import UsageError
from tseval.records import frozen
from tseval.tables.times import UNITS

if TYPE_CHECKING:
    from tseval.core.family import Evaluation
    from tseval.tables.columns import FloatArray, IntArray

NUMBERS = 4
"""How many numbers a pair has of each topic: `_of_topic` makes them."""


class Lead(NamedTuple):
    """How far `run` is ahead of `other` on the nuggets that both said; None is undefined.

    In hours, positive where `run` is earlier. `mean`, `median` and the shares of nuggets on which
    `run` is `earlier` or `later` are taken in each topic over the nuggets shared there; what stands
    here is the mean over the topics that share any, with its interval.
    """

    run: str
    other: str
    topics: int
    nuggets: int
    mean: float | None
    mean_low: float | None
    mean_high: float | None
    median: float | None
    median_low: float | None
    median_high: float | None
    earlier: float | None
    earlier_low: float | None
    earlier_high: float | None
    later: float | None


@frozen
class _Said:
    """What one run said of the gold: which pieces, of which topics, and when first."""

    gold: IntArray
    topic: IntArray
    time: FloatArray


def leads(evaluation: Evaluation, plan: Plan) -> Findings:
    """Every pair of runs, or each run with the baseline, head to head."""
    index, firsts = evaluation.index, evaluation.firsts
    topics: Sequence[str] = index.topics
    pairs = list(_pairs(index.runs, plan))
    run, topic = firsts.unit // len(topics), firsts.unit % len(topics)
    said = {
        name: _Said(firsts.gold[run == at], topic[run == at], firsts.time[run == at])
        for at, name in enumerate(index.runs)
    }
    values = np.full((len(topics), NUMBERS, len(pairs)), np.nan)
    shared = np.zeros(len(pairs), np.int64)
    for at, (ours, theirs) in enumerate(pairs):
        where, ahead = _ahead(said[ours], said[theirs])
        shared[at] = len(ahead)
        for code in np.unique(where).tolist():
            values[code, :, at] = _of_topic(ahead[where == code])
    flat = values.reshape(len(topics), -1)
    known = ~np.isnan(flat)
    found = [
        each.reshape(NUMBERS, -1)
        for each in means_of_topics(np.where(known, flat, 0.0), known, topics, plan)
    ]
    there = known.reshape(values.shape)[:, 0].sum(axis=0)
    rows = [
        _lead(pair, int(there[at]), int(shared[at]), [each[:, at] for each in found])
        for at, pair in enumerate(pairs)
    ]
    own = ("baseline", "interval", "alpha", "resamples", "seed")
    traits = {name: value for name, value in plan.traits().items() if name in own}
    return Findings(
        parts={"leads": FindingRows.of(Lead, rows)},
        signature=signature(LEAD, {"of": f"({evaluation.signature()})"}, traits),
        inputs=evaluation.inputs,
        warnings=(*evaluation.told, *_caveats(rows)),
    )


def _pairs(runs: Sequence[str], plan: Plan) -> Iterator[tuple[str, str]]:
    """Every pair of runs, or each other run with the baseline."""
    if plan.baseline is None:
        yield from combinations(runs, 2)
        return
    if plan.baseline not in runs:
        raise UsageError(f"no run '{plan.baseline}' here; there are: {', '.join(runs)}")
    yield from ((run, plan.baseline) for run in runs if run != plan.baseline)


def _ahead(ours: _Said, theirs: _Said) -> tuple[IntArray, FloatArray]:
    """For each piece that both said its topic, and by how many hours the first was ahead."""
    _, mine, others = np.intersect1d(
        ours.gold, theirs.gold, assume_unique=True, return_indices=True
    )
    return ours.topic[mine], (theirs.time[others] - ours.time[mine]) / UNITS["h"]


def _of_topic(ahead: FloatArray) -> tuple[float, float, float, float]:
    """The numbers of a topic: mean, median, and the shares that are earlier and later."""
    ordered = np.sort(ahead)  # so that sums do not depend on the order of lines
    return (
        float(ordered.mean()),
        float(np.median(ordered)),
        float((ordered > 0).mean()),
        float((ordered < 0).mean()),
    )


def _lead(pair: tuple[str, str], topics: int, nuggets: int, found: Sequence[FloatArray]) -> Lead:
    mean, median, earlier, later = (
        tuple(or_none(ends[at]) for ends in found) for at in range(NUMBERS)
    )
    return Lead._make((*pair, topics, nuggets, *mean, *median, *earlier, later[0]))


def _caveats(rows: Sequence[Lead]) -> Iterator[str]:
    """Pairs of which nothing can be said, and runs that nothing can be held against."""
    if not rows:
        yield "there are no two runs to hold against each other"
    apart = [f"{each.run} and {each.other}" for each in rows if not each.nuggets]
    if apart:
        yield f"{count(len(apart), 'pair')} said no nugget in common: {listed(apart)}"
