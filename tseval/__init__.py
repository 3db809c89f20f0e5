"""tseval: evaluate systems that summarise or filter a stream of text over time.

Everything public is named here and loaded when first used, so that `import tseval` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tseval import version

if TYPE_CHECKING:
    from tseval.clusters.drawing import sample_posts
    from tseval.clusters.scoring import score_clusters
    from tseval.comparison import compare
    from tseval.earliest import EarliestIndex, EarliestStream
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
    from tseval.filtering.scoring import score_filtering
    from tseval.formats.temporal import read_matches, read_nuggets, read_updates
    from tseval.incidents.pooling import pool_incidents
    from tseval.incidents.scoring import score_incidents
    from tseval.measures import Measure, measure
    from tseval.measures.running import RunningScores
    from tseval.pages import report
    from tseval.scores import Scores
    from tseval.scoring import score
    from tseval.timestamps import jitter
    from tseval.tracking import score_values

__version__ = version.VERSION

_PUBLIC = {
    "EarliestIndex": "tseval.earliest",
    "EarliestStream": "tseval.earliest",
    "EngineError": "tseval.errors",
    "InputError": "tseval.errors",
    "Measure": "tseval.measures",
    "MeasureError": "tseval.errors",
    "MissingExtra": "tseval.errors",
    "MissingTopics": "tseval.errors",
    "OutputError": "tseval.errors",
    "RunningScores": "tseval.measures.running",
    "Scores": "tseval.scores",
    "TsevalError": "tseval.errors",
    "UsageError": "tseval.errors",
    "compare": "tseval.comparison",
    "jitter": "tseval.timestamps",
    "measure": "tseval.measures",
    "pool_incidents": "tseval.incidents.pooling",
    "read_matches": "tseval.formats.temporal",
    "read_nuggets": "tseval.formats.temporal",
    "read_updates": "tseval.formats.temporal",
    "report": "tseval.pages",
    "sample_posts": "tseval.clusters.drawing",
    "score": "tseval.scoring",
    "score_clusters": "tseval.clusters.scoring",
    "score_incidents": "tseval.incidents.scoring",
    "score_filtering": "tseval.filtering.scoring",
    "score_values": "tseval.tracking",
}

__all__ = [
    "EarliestIndex",
    "EarliestStream",
    "EngineError",
    "InputError",
    "Measure",
    "MeasureError",
    "MissingExtra",
    "MissingTopics",
    "OutputError",
    "RunningScores",
    "Scores",
    "TsevalError",
    "UsageError",
    "__version__",
    "compare",
    "jitter",
    "measure",
    "pool_incidents",
    "read_matches",
    "read_nuggets",
    "read_updates",
    "report",
    "sample_posts",
    "score",
    "score_clusters",
    "score_filtering",
    "score_incidents",
    "score_values",
]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'tseval' has no attribute '{name}'")
    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
