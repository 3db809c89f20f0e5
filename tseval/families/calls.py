"""The calls of families in Python, made from their declarations; `calls.pyi` has their types.

`python -m tseval.families.calls` writes that file anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tseval.core.calls import scoring_call, stub
from tseval.core.registry import family

CALLS = {
    "score_changes": "changes",
    "score_clusters": "clusters",
    "score_crisisfacts": "crisisfacts",
    "score_filtering": "filtering",
    "score_incidents": "incidents",
    "score_responses": "responses",
    "score_timelines": "timelines",
    "score_values": "values",
}
"""The family of each call."""
IMPORTS = '''\
"""The types of the calls; written by `python -m tseval.families.calls`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from tseval.core.measure import Measure
from tseval.core.scores import Scores
from tseval.core.scoring import OnMissing, Undefined
from tseval.files.columns import Columns
from tseval.files.forms import Forms
from tseval.files.given import Given, Runs
from tseval.parallel.engine import Engine
'''


def __getattr__(name: str) -> Any:
    if name not in CALLS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return scoring_call(family(CALLS[name]), name)


def stubs() -> str:
    """Return the content of `calls.pyi`."""
    return "\n".join([IMPORTS, *(stub(family(of), name) for name, of in CALLS.items()), ""])


if __name__ == "__main__":
    Path(__file__).with_suffix(".pyi").write_text(stubs(), encoding="utf-8")
