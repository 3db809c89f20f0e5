"""A table in every form, and the fault that each of them is refused with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.families.agreement.forms import given
from tests.families.agreement.tables import ID, Table
from tseval import InputError

FORMS = ("tsv", "csv", "jsonl", "parquet", "frame")
HEADED = ("tsv", "csv")
"""The forms whose first row is the second line."""


def table_of(text: str) -> Table:
    """The table that is written so, with tabs."""
    head, *rows = (line.split("\t") for line in text.splitlines())
    return Table(dict.fromkeys(head, ID), [dict(zip(head, row, strict=True)) for row in rows])


def refused(call: Callable[[Any], Any], text: str, folder: Path, code: str, row: int) -> None:
    """Every form of a table is refused, with one fault: with this code, file and row."""
    for form in FORMS:
        bad = given(table_of(text), folder, "bad", form)
        with pytest.raises(InputError) as caught:
            call(bad)
        (fault,) = caught.value.faults
        assert (fault.code, fault.line) == (code, row + (form in HEADED)), form
        assert fault.file == str(bad) if isinstance(bad, Path) else fault.file.startswith("<")
        assert fault.text
        assert fault.cure
