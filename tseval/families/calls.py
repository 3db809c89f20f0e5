"""The calls of families in Python, made from their declarations; `calls.pyi` has their types.

`python -m tseval.families.calls` writes that file anew.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from tseval.core.calling import Call, call_of, stub
from tseval.core.declared import CURVE, JITTER, MATCH
from tseval.matching.sampling import DEPTH, PAIRS

OF_TEMPORAL = partial(Call, "temporal", "tseval.families.temporal.evaluation")
CALLS = {
    "score": OF_TEMPORAL(without=("jitter",)),
    "curve": OF_TEMPORAL("pd.DataFrame", CURVE, by_name={"per_topic": False}, without=("at",)),
    "explain": OF_TEMPORAL(
        "pd.DataFrame",
        "nuggets",
        placed={"what": "nuggets"},
        without=("at", "on_missing", "undefined"),
    ),
    "jitter": Call(
        "temporal",
        "tseval.families.temporal.correcting",
        "Jitter",
        JITTER,
        names={"jitter": "within"},
        by_name={"within": "1h"},
    ),
    "match": OF_TEMPORAL(
        "pd.DataFrame",
        MATCH,
        placed={},
        without=("at", "edition", "rules", "on_missing", "undefined"),
    ),
    "sample": Call(
        "temporal",
        "tseval.families.temporal.correcting",
        "pd.DataFrame",
        MATCH,
        placed={"pairs": PAIRS, "depth": DEPTH, "seed": 0},
        without=("at", "on_missing", "undefined", "resume"),
    ),
    "score_battles": Call("battles"),
    "score_changes": Call("changes"),
    "score_clusters": Call("clusters"),
    "score_crisisfacts": Call("crisisfacts"),
    "score_filtering": Call("filtering"),
    "score_incidents": Call("incidents"),
    "score_responses": Call("responses"),
    "score_timelines": Call("timelines"),
    "score_values": Call("values"),
}
"""The calls by their names."""
IMPORTS = '''\
"""The types of the calls; written by `python -m tseval.families.calls`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import pandas as pd

from tseval.core.measure import Measure
from tseval.core.scores import Scores
from tseval.core.scoring import OnMissing, Undefined
from tseval.families.temporal.correcting import Jitter
from tseval.io.columns import Columns
from tseval.io.formats import Forms
from tseval.io.given import Given, Runs
from tseval.parallel.engine import Engine
'''


def __getattr__(name: str) -> Any:
    if name not in CALLS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return call_of(CALLS[name], name)


def stubs() -> str:
    """Return the content of `calls.pyi`."""
    return "\n".join([IMPORTS, *(stub(call, name) for name, call in CALLS.items()), ""])


if __name__ == "__main__":
    Path(__file__).with_suffix(".pyi").write_text(stubs(), encoding="utf-8")
