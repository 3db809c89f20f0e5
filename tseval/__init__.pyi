"""The types of the public names, which `__init__.py` loads when they are first used."""

from tseval.comparison import compare
from tseval.comparison.sweep import sweep
from tseval.comparison.with_gold import lead
from tseval.core.measure import Measure
from tseval.core.registry import measure
from tseval.core.scores import Scores
from tseval.errors import (
    EngineError,
    InputError,
    MeasureError,
    MissingExtra,
    MissingTopics,
    OutputError,
    TsevalError,
    UsageError,
)
from tseval.families.calls import (
    curve,
    explain,
    jitter,
    match,
    sample,
    score,
    score_battles,
    score_changes,
    score_clusters,
    score_crisisfacts,
    score_filtering,
    score_incidents,
    score_responses,
    score_timelines,
    score_values,
)
from tseval.families.clusters.family import sample_posts
from tseval.families.incidents.pooling import pool_incidents
from tseval.families.temporal.files import read_matches, read_nuggets, read_updates
from tseval.families.temporal.gold import LiveScores
from tseval.families.temporal.rows import EarliestIndex
from tseval.reporting.api import report

__version__: str

__all__ = [
    "EarliestIndex",
    "EngineError",
    "InputError",
    "LiveScores",
    "Measure",
    "MeasureError",
    "MissingExtra",
    "MissingTopics",
    "OutputError",
    "Scores",
    "TsevalError",
    "UsageError",
    "__version__",
    "compare",
    "curve",
    "explain",
    "jitter",
    "lead",
    "match",
    "measure",
    "pool_incidents",
    "read_matches",
    "read_nuggets",
    "read_updates",
    "report",
    "sample",
    "sample_posts",
    "score",
    "score_battles",
    "score_changes",
    "score_clusters",
    "score_crisisfacts",
    "score_filtering",
    "score_incidents",
    "score_responses",
    "score_timelines",
    "score_values",
    "sweep",
]
