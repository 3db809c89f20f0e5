"""tseval: evaluate systems that summarise or filter a stream of text over time.

Everything public is named here and loaded when first used, so that `import tseval` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tseval import drawer, version

if TYPE_CHECKING:
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

__version__ = version.VERSION

_PUBLIC = {
    "EarliestIndex": "tseval.families.temporal.rows",
    "EngineError": "tseval.errors",
    "InputError": "tseval.errors",
    "LiveScores": "tseval.families.temporal.gold",
    "Measure": "tseval.measures",
    "MeasureError": "tseval.errors",
    "MissingExtra": "tseval.errors",
    "MissingTopics": "tseval.errors",
    "OutputError": "tseval.errors",
    "Scores": "tseval.core.scores",
    "TsevalError": "tseval.errors",
    "UsageError": "tseval.errors",
    "compare": "tseval.comparison",
    "curve": "tseval.families.calls",
    "explain": "tseval.families.calls",
    "jitter": "tseval.families.calls",
    "lead": "tseval.comparison.with_gold",
    "match": "tseval.families.calls",
    "measure": "tseval.measures",
    "pool_incidents": "tseval.families.incidents.pooling",
    "read_matches": "tseval.families.temporal.files",
    "read_nuggets": "tseval.families.temporal.files",
    "read_updates": "tseval.families.temporal.files",
    "report": "tseval.reporting.api",
    "sample_posts": "tseval.families.clusters.family",
    "sample": "tseval.families.calls",
    "score": "tseval.families.calls",
    "score_changes": "tseval.families.calls",
    "score_crisisfacts": "tseval.families.calls",
    "score_clusters": "tseval.families.calls",
    "score_incidents": "tseval.families.calls",
    "score_filtering": "tseval.families.calls",
    "score_responses": "tseval.families.calls",
    "score_timelines": "tseval.families.calls",
    "sweep": "tseval.comparison.sweep",
    "score_values": "tseval.families.calls",
}

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


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'tseval' has no attribute '{name}'")
    return getattr(import_module(_PUBLIC[name]), name)


def _draw(picture: Any, form: str) -> bytes:
    from tseval.reporting.charts.drawing import draw

    return draw(picture, form)


drawer.draw = _draw


def __dir__() -> list[str]:
    return sorted(__all__)
