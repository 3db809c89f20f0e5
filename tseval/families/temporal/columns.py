"""Calls that read one table alone, checked, as a pandas frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tseval.core.frames import to_pandas
from tseval.families.temporal import files
from tseval.io.tables import Table, read

if TYPE_CHECKING:
    import pandas as pd

    from tseval.io.given import Given


def read_updates(given: Sequence[Given], form: str | None = None) -> pd.DataFrame:
    """Read one or more runs as one table; a fault in any of them is an `InputError`.

    Without a column `run` a run is named after its file.
    """
    return _as_users_get_it(read(given, files.READERS["updates"], form))


def read_nuggets(given: Given, form: str | None = None) -> pd.DataFrame:
    """Read the gold nuggets; there must be at least one."""
    return _as_users_get_it(read([given], files.READERS["nuggets"], form))


def read_matches(given: Given, form: str | None = None) -> pd.DataFrame:
    """Read matches by id, those that say anything of a nugget."""
    return _as_users_get_it(files.drop_rejected(read([given], files.READERS["matches"], form)))


def _as_users_get_it(table: Table) -> pd.DataFrame:
    frame = files.join_ids(table.frame, "update_id", "duplicate_id")
    return to_pandas(frame.drop("file", "line"))
