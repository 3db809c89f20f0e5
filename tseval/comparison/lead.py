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
from tseval.io.times import UNITS

if TYPE_CHECKING:
    from tseval.core.family import Evaluation

NUMBERS = 4
"""A pair's numbers of each topic: mean, median, and the shares that are earlier and later."""


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


def leads(evaluation: Evaluation, plan: Plan) -> Findings:
    """Every pair of runs, or each run with the baseline, head to head."""
    index, firsts = evaluation.index, evaluation.firsts
    topics: Sequence[str] = index.topics
    pairs = list(_pairs(index.runs, plan))
    run, topic = firsts.unit // len(topics), firsts.unit % len(topics)
    rows_of = {name: np.flatnonzero(run == at) for at, name in enumerate(index.runs)}
    values = np.full((len(topics), NUMBERS, len(pairs)), np.nan)
    shared = np.zeros(len(pairs), np.int64)
    for at, (ours, theirs) in enumerate(pairs):
        mine, others = rows_of[ours], rows_of[theirs]
        _, *both = np.intersect1d(
            firsts.gold[mine], firsts.gold[others], assume_unique=True, return_indices=True
        )
        mine, others = mine[both[0]], others[both[1]]
        hours, where = (firsts.time[others] - firsts.time[mine]) / UNITS["h"], topic[mine]
        shared[at] = len(hours)
        for code in np.unique(where).tolist():
            ahead = np.sort(
                hours[where == code]
            )  # so that sums do not depend on the order of lines
            middle = np.median(ahead)
            values[code, :, at] = ahead.mean(), middle, (ahead > 0).mean(), (ahead < 0).mean()
    flat = values.reshape(len(topics), -1)
    known = ~np.isnan(flat)
    found = [
        each.reshape(NUMBERS, -1)
        for each in means_of_topics(np.where(known, flat, 0.0), known, topics, plan)
    ]
    there = known.reshape(values.shape)[:, 0].sum(axis=0)
    rows = []
    for at, pair in enumerate(pairs):
        numbers = [or_none(ends[of, at]) for of in range(NUMBERS) for ends in found]
        rows.append(Lead(*pair, int(there[at]), int(shared[at]), *numbers[: 3 * NUMBERS - 2]))
    own = ("baseline", "interval", "alpha", "resamples", "seed")
    traits = {name: value for name, value in plan.traits().items() if name in own}
    return Findings(
        parts={"leads": FindingRows(Lead, tuple(rows))},
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


def _caveats(rows: Sequence[Lead]) -> Iterator[str]:
    """Pairs of which nothing can be said, and runs that nothing can be held against."""
    if not rows:
        yield "there are no two runs to hold against each other"
    apart = [f"{each.run} and {each.other}" for each in rows if not each.nuggets]
    if apart:
        yield f"{count(len(apart), 'pair')} said no nugget in common: {listed(apart)}"
