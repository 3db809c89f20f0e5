"""Matches that name something unknown, found when a stream has ended."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tseval.files.reading import (
    faults_of,
)
from tseval.io.inputs import Input
from tseval.tables import (
    Matches,
    Pool,
    Resolved,
)

if TYPE_CHECKING:
    pass


def check_resolved(resolved: Resolved, matches: Matches, pool: Pool | None = None) -> None:
    """Raise the faults of matches that name something unknown."""
    lost_update = resolved.lost_update
    if matches.published or not (lost_update | resolved.lost_nugget).any():
        return
    source = Input(matches.origin.sources[0].path)
    faults = faults_of(source, matches.origin.sources[0])
    for row in np.flatnonzero(lost_update | resolved.lost_nugget).tolist():
        what, cure = _lost(matches, row, bool(resolved.lost_nugget[row]), pool is not None)
        fault = matches.origin.fault(row, what, cure, "unknown-id")
        # A frame, and what came through a pipe, cannot be read again to show the row.
        text = "" if source.can_be_read_again else _shown(matches, row)
        faults.extend([replace(fault, text=text)])
    faults.check()


def _shown(matches: Matches, row: int) -> str:
    """A row's ids, in place of the row."""
    ids = (matches.topic, matches.update_id, matches.nugget_id, matches.run)
    return "\t".join(column[row] for column in ids if column is not None)


def _lost(matches: Matches, row: int, nugget: bool, pooled: bool) -> tuple[str, str]:
    topic = matches.topic[row]
    if nugget:
        reason = f'match to the unknown nugget "{matches.nugget_id[row]}" of topic "{topic}"'
        return reason, "give the nuggets that the matches were made with, or remove the match"
    reason = f'match to the unknown update "{matches.update_id[row]}" of topic "{topic}"'
    if pooled:
        return reason, "it is in no run and not in the pool: remove the match or extend the pool"
    return (
        reason,
        "give every run that the matches speak of, or the pool of judged updates (--pool)",
    )
