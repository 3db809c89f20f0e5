"""Intervals, agreement, rank correlation and trends: pure functions over arrays of numbers."""

from tseval.statistics import assumptions, trend
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
from tseval.statistics.ranks import LEVELS, kendall, kendall_levels, kendall_p

__all__ = [
    "LEVELS",
    "Agreement",
    "Interval",
    "agreement",
    "assumptions",
    "auc",
    "average_precision",
    "best_threshold",
    "interval",
    "judged",
    "kendall",
    "kendall_levels",
    "kendall_p",
    "left_out",
    "resamples",
    "trend",
]
