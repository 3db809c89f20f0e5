"""tseval: evaluate systems that summarise or filter a stream of text over time.

Everything public is named here and loaded when first used, so that `import tseval` is quick; the
types stand in `__init__.pyi`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tseval import drawer, version

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
    "score_battles": "tseval.families.calls",
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

__all__ = ["__version__", *_PUBLIC]


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
