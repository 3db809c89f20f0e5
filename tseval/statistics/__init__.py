"""Intervals, tests, agreement, rank correlation and trends: pure functions over arrays."""

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
from tseval.statistics.bootstrap import (
    INTERVALS,
    Interval,
    chance_means,
    column_means,
    compact_resamples,
    interval,
    mean_intervals,
    resamples,
    seeded,
)
from tseval.statistics.corrections import CORRECTIONS, corrected
from tseval.statistics.letters import compact_letters
from tseval.statistics.paired import TESTS, Effect, effects, p_values, smallest_p
from tseval.statistics.rank_levels import COEFFICIENTS, kendall_drawn, rank_correlations
from tseval.statistics.ranks import (
    LEVELS,
    PERSISTENCE,
    kendall,
    kendall_levels,
    kendall_p,
    rank_biased_overlap,
    tau_ap,
)
from tseval.statistics.ratios import contributions, quotient_intervals, quotients
from tseval.statistics.strata import (
    Drawn,
    Population,
    rogan_gladen,
    strata_of,
    total_intervals,
)

__all__ = [
    "COEFFICIENTS",
    "CORRECTIONS",
    "INTERVALS",
    "LEVELS",
    "PERSISTENCE",
    "TESTS",
    "Agreement",
    "Drawn",
    "Effect",
    "Interval",
    "Population",
    "agreement",
    "assumptions",
    "auc",
    "average_precision",
    "best_threshold",
    "chance_means",
    "column_means",
    "compact_letters",
    "compact_resamples",
    "contributions",
    "corrected",
    "effects",
    "interval",
    "judged",
    "kendall",
    "kendall_drawn",
    "kendall_levels",
    "kendall_p",
    "left_out",
    "mean_intervals",
    "p_values",
    "quotient_intervals",
    "quotients",
    "rank_biased_overlap",
    "rank_correlations",
    "resamples",
    "rogan_gladen",
    "seeded",
    "smallest_p",
    "strata_of",
    "tau_ap",
    "total_intervals",
    "trend",
]
