"""Intervals, agreement and rank correlation: pure functions over arrays of numbers."""

from tseval.statistics.agreement import (
    Agreement,
    agreement,
    auc,
    average_precision,
    best_threshold,
    judged,
    left_out,
)
from tseval.statistics.bootstrap import Interval, interval, resamples
from tseval.statistics.ranks import LEVELS, kendall, kendall_levels

__all__ = [
    "LEVELS",
    "Agreement",
    "Interval",
    "agreement",
    "auc",
    "average_precision",
    "best_threshold",
    "interval",
    "judged",
    "kendall",
    "kendall_levels",
    "left_out",
    "resamples",
]
