"""A table in every form, and the fault that each of them is refused with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.families.agreement.forms import given
from tests.families.agreement.tables import ID, Table
from tests.program import tseval
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


def refused_text(
    call: Callable[[Any], Any], text: str, code: str, line: int | None, kind: str, *table: str
) -> None:
    """A text is refused as a file, by an import too, and by `validate` where there is a line."""
    bad = Path("bad")
    bad.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        call(bad)
    imported = tseval("import", kind, bad).faults if kind else caught.value.faults
    for faults in (caught.value.faults, imported):
        assert [(f.code, f.file, f.line) for f in faults] == [(code, str(bad), line)]
        assert bool(faults[0].text) == (line is not None)
        assert faults[0].cure
    if line is not None:
        assert tseval("validate", bad, *table).places == [(str(bad), line)]
