"""Tables: frozen columns with integer-coded ids. Nothing here knows a file or a measure.

What has to do with columns is loaded when first used: a family on frames of polars needs no Arrow.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tseval.io.names import ABSENT, distinct, natural_order
from tseval.io.origin import InputRecord, Origin
from tseval.io.schema import (
    ALL_TOPICS,
    CLUSTERS,
    CORRECTIONS,
    DUPLICATES,
    JUDGED,
    MATCHES,
    NUGGETS,
    POOL,
    TEXTS,
    TOPICS,
    UPDATES,
    Column,
    Kind,
    Schema,
)

if TYPE_CHECKING:
    from tseval.tables.columns import (
        Ids,
        Texts,
    )
    from tseval.tables.temporal import (
        NO_DUPLICATE,
        Corrections,
        Duplicates,
        JudgedPairs,
        Matches,
        Nuggets,
        Pairs,
        Pool,
        Resolved,
        Topics,
        Updates,
        all_names,
        known_updates,
        pool_rows,
        repeated_rows,
        resolve,
    )

_COLUMNS = {"Ids", "Texts"}

__all__ = [
    "ABSENT",
    "ALL_TOPICS",
    "CLUSTERS",
    "CORRECTIONS",
    "DUPLICATES",
    "JUDGED",
    "MATCHES",
    "NO_DUPLICATE",
    "NUGGETS",
    "POOL",
    "TEXTS",
    "TOPICS",
    "UPDATES",
    "Column",
    "Corrections",
    "Duplicates",
    "Ids",
    "InputRecord",
    "JudgedPairs",
    "Kind",
    "Matches",
    "Nuggets",
    "Origin",
    "Pairs",
    "Pool",
    "Resolved",
    "Schema",
    "Texts",
    "Topics",
    "Updates",
    "all_names",
    "distinct",
    "known_updates",
    "natural_order",
    "pool_rows",
    "repeated_rows",
    "resolve",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "columns" if name in _COLUMNS else "temporal"
    return getattr(import_module(f"tseval.tables.{module}"), name)
