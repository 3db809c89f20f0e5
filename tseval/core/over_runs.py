"""Scores over runs: the best, the median and the worst value of each measure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.registry import measure
from tseval.core.scores import Overall, Scores

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, FloatArray

BEST, MEDIAN, WORST = "(best)", "(median)", "(worst)"
"""What stands in the place of a run's name."""


def over_runs(scores: Scores, family: str) -> Scores:
    """In the place of the runs the best, the median and the worst of them.

    Each value by itself: the best of one event may be another run than the best of another. Runs
    in which a value is undefined are left out of it.
    """
    names = [measure(name, family) for name in scores.measures]
    rising = np.array([each.higher_is_better for each in names])
    values, defined = _spread(scores.values, scores.defined & scores.counted[:, :, None], rising)
    means, known = _spread(scores.means, scores.mean_defined, rising)
    return replace(
        scores,
        runs=(BEST, MEDIAN, WORST),
        values=values,
        defined=defined,
        counted=np.ones(values.shape[:2], bool),
        overall=Overall(means, known, np.ones(means.shape, bool)),
        signature=f"{scores.signature}|over:{len(scores.runs)} runs",
    )


def _spread(
    values: FloatArray, defined: BoolArray, rising: BoolArray
) -> tuple[FloatArray, BoolArray]:
    """The best, the median and the worst along the first axis."""
    low = np.where(defined, values, np.inf).min(axis=0)
    high = np.where(defined, values, -np.inf).max(axis=0)
    known = defined.any(axis=0)
    middle = _medians(values, defined)
    three = np.stack([np.where(rising, high, low), middle, np.where(rising, low, high)])
    return np.where(known, three, 0.0), np.broadcast_to(known, three.shape).copy()


def _medians(values: FloatArray, defined: BoolArray) -> FloatArray:
    """The middle of the defined values, or the mean of the two middle ones."""
    ordered = np.sort(np.where(defined, values, np.inf), axis=0)
    number = defined.sum(axis=0)
    lower = np.maximum((number - 1) // 2, 0)[None]
    upper = (np.minimum(number // 2, len(values) - 1))[None]
    both = [np.take_along_axis(ordered, at, axis=0)[0] for at in (lower, upper)]
    middle: FloatArray = np.where(number > 0, (both[0] + both[1]) / 2, 0.0)
    return middle
