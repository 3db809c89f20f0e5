"""The state of a live stream as a file, so that it can go on after the program was stopped.

One file of NumPy arrays, with what is no array as JSON among them; it appears whole or not at all.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.errors import input_error
from tseval.families.temporal.streaming.fold import Fold
from tseval.families.temporal.streaming.run_fold import KeptUpdate, RunFold, Seen
from tseval.io.atomic_write import write_whole
from tseval.io.inputs import all_of_file
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.io.repeats import Marks

FORMAT = 6
META = "meta"
UNREADABLE = (OSError, ValueError, KeyError, TypeError, EOFError, RecursionError)


@frozen
class Position:
    """How far a stream was read when its state was saved."""

    signature: str
    """What it was scored by; a state goes on with the same alone."""
    lines: int
    digest: str
    """The hash of these lines, by which they are known again."""
    continued: bool = False
    """Whether the stream once went on without its beginning: then it cannot start again."""
    matched: str = ""
    """Which matches speak of updates that came."""
    columns: Sequence[str] | None = None
    """The columns of the first update; None if none has come."""
    topics: Mapping[str, str] = field(default_factory=dict)
    """For each topic of the gold the name with a prefix by which updates call it."""
    bad: int = 0
    """The number of bad lines that were left out."""


def save(path: str | Path, position: Position, fold: Fold, recent: list[Marks]) -> None:
    """Write the state."""
    arrays: dict[str, Any] = {}
    runs = []
    for at, (name, run) in enumerate(sorted(fold.runs.items())):
        arrays |= {f"time{at}": run.time, f"keeper{at}": run.keeper}
        arrays |= {f"first{at}": run.span[0], f"last{at}": run.span[1]}
        arrays[f"others{at}"] = run.others
        runs.append(
            {
                "run": name,
                "kept": [[place, asdict(each)] for place, each in sorted(run.kept.items())],
                "seen": asdict(run.seen) | {"unjudged": sorted(run.seen.unjudged)},
            }
        )
    arrays |= {f"recent{at}": numbers for at, numbers in enumerate(recent)}
    meta = {
        "format": FORMAT,
        "position": asdict(position),
        "has_cost": fold.has_cost,
        "runs": runs,
        "recent": len(recent),
    }
    arrays[META] = np.frombuffer(json.dumps(meta).encode(), np.uint8)
    content = io.BytesIO()
    np.savez(content, **arrays)
    write_whole(path, content.getvalue())


def load(path: str | Path, fold: Fold) -> tuple[Position, list[Marks]]:
    """Read the state into a fold that has nothing yet; a file that is none is an `InputError`."""
    try:
        content = io.BytesIO(all_of_file(path))
        if not zipfile.is_zipfile(content):
            raise ValueError("it has another form")
        content.seek(0)
        with np.load(content, allow_pickle=False) as arrays:
            meta = json.loads(bytes(arrays[META]))
            if meta["format"] != FORMAT:
                raise ValueError(f"format {meta['format']}")
            fold.has_cost = meta["has_cost"]
            for at, each in enumerate(meta["runs"]):
                fold.runs[each["run"]] = _run(each, at, arrays, fold)
            recent = [arrays[f"recent{at}"] for at in range(meta["recent"])]
            return Position(**meta["position"]), recent
    except (*UNREADABLE, zipfile.BadZipFile, zlib.error) as error:
        cure = "name another file, or remove this one to begin anew"
        reason = f"is no saved state: {error}"
        raise input_error(str(path), None, reason, cure, "damaged-file") from error


def _run(saved: dict[str, Any], at: int, arrays: Any, fold: Fold) -> RunFold:
    run = RunFold(saved["run"], fold.wanted)
    run.time, run.keeper = arrays[f"time{at}"], arrays[f"keeper{at}"]
    run.span = arrays[f"first{at}"], arrays[f"last{at}"]
    run.kept = {place: KeptUpdate(**each) for place, each in saved["kept"]}
    seen = saved["seen"]
    confidence = None if seen["confidence"] is None else tuple(seen["confidence"])
    run.seen = Seen(**(seen | {"unjudged": set(seen["unjudged"]), "confidence": confidence}))
    run.others = arrays[f"others{at}"]
    return run
