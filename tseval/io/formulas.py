"""Cells of CSV and TSV that a spreadsheet takes for formulas, told about or written as texts.

A name or a text of an input may begin as a formula does. Whoever opens the file with a spreadsheet
would run it; an apostrophe before it makes it a text.
"""

from __future__ import annotations

import csv
import io
import re
import warnings
from codecs import BOM_UTF8
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np

from tseval.errors import visible
from tseval.io import SPREADSHEET_FORMS
from tseval.io.csv_fields import long_fields

SHOWN = 40
"""Of a cell that is told about, so many characters are shown."""

_NUMBER = r"(?:[+-](?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]inf)"
_FORMULA = re.compile(rf"(?!{_NUMBER}\Z)[=+\-@\t\r](?s:.)")
"""How a cell begins that is a formula to a spreadsheet; a sign alone, or a number, is none."""
_IN_FILE = {
    "csv": re.compile(
        rf'(?:"(?!{_NUMBER}"(?:[,\r\n]|\Z))|(?!{_NUMBER}(?:[,\r\n]|\Z)))[=+\-@\t\r]'.encode()
    ),
    "tsv": re.compile(rf'"*(?!{_NUMBER}"?(?:[\t\n]|\Z))[=+\-@][^\t\n]+'.encode()),
}
"""The same where a field begins. In TSV quotes stand for themselves, but not to all programs."""
_AFTER = {"csv": b",\n\r", "tsv": b"\t\n"}
"""Behind which a field begins."""
_FIRST = b'=+-@\t\r"'
_BLOCK = 1 << 24
_ROWS = 10_000
"""So many rows are read at once, as long as Python's limit of fields is lifted."""


class Guarded(NamedTuple):
    """A file for spreadsheets, and what is to be said of formulas in it: nothing if it has none."""

    content: bytes
    warning: str


def guarded(content: bytes, form: str, *, safe: bool, option: str) -> Guarded:
    """A file for spreadsheets: if `safe`, with formulas as texts, else with a word about them.

    The word says which option makes texts of them.
    """
    cells = formulas(content, form)
    first = next(cells, None)
    if first is None:
        return Guarded(content, "")
    if safe:
        return Guarded(_quoted(content, form), "")
    first = visible(" ".join(first.split()))
    first = first if len(first) <= SHOWN else f"{first[: SHOWN - 1]}…"
    others = sum(1 for _ in cells)
    cells_begin = f"{others + 1} cells begin" if others else "1 cell begins"
    return Guarded(
        content,
        f"{cells_begin} as a formula does ({first}), which a spreadsheet would run: {option} "
        "writes an apostrophe before each",
    )


def saved(content: bytes, form: str, *, safe: bool) -> bytes:
    """What a call writes to a file: any form, with a Python warning where formulas are left."""
    if form not in SPREADSHEET_FORMS:
        return content
    found = guarded(content, form, safe=safe, option="safe_csv=True")
    if found.warning:
        warnings.warn(found.warning, stacklevel=3)
    return found.content


def text_cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def formulas(content: bytes, form: str) -> Iterator[str]:
    """Every cell that begins as a formula does."""
    found = _in_file(content, form)
    if form == "tsv":
        yield from (each[0].decode("utf-8", "replace") for each in found)
    elif next(found, None) is not None:  # a comma inside a field looks like the next field
        yield from (cell for row in _rows(content) for cell in row if _FORMULA.match(cell))


def _in_file(content: bytes, form: str) -> Iterator[re.Match[bytes]]:
    """Where fields begin as formulas do."""
    after, first = np.zeros(256, bool), np.zeros(256, bool)
    after[list(_AFTER[form])] = True
    first[list(_FIRST)] = True
    letters = np.frombuffer(content, np.uint8)
    start = len(BOM_UTF8) if content.startswith(BOM_UTF8) else 0
    begin = _IN_FILE[form].match(content, start)
    yield from [] if begin is None else [begin]
    for block in range(0, len(letters), _BLOCK):
        part = letters[block : block + _BLOCK + 1]
        for at in (np.flatnonzero(after[part[:-1]] & first[part[1:]]) + 1 + block).tolist():
            found = _IN_FILE[form].match(content, at)
            yield from [] if found is None else [found]


def _quoted(content: bytes, form: str) -> bytes:
    if form == "tsv":
        places = [0, *(each.start() for each in _in_file(content, form)), len(content)]
        return b"'".join(content[start:end] for start, end in pairwise(places))
    lines = _Lines()
    rows = ([text_cell(cell) for cell in row] for row in _rows(content))
    csv.writer(lines, lineterminator=_BOTH_ENDS).writerows(rows)
    mark = BOM_UTF8 if content.startswith(BOM_UTF8) else b""
    return mark + "".join(lines).encode()


_BOTH_ENDS = "\r\n"
"""A writer puts fields with either of its line's ends between quotes."""


class _Lines(list[str]):
    """Lines as they are written, each with a line feed alone at its end."""

    def write(self, line: str) -> None:
        self.append(line.removesuffix(_BOTH_ENDS) + "\n")


def _rows(content: bytes) -> Iterator[list[str]]:
    reader = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    while True:
        with long_fields(len(content)):
            rows = list(islice(reader, _ROWS))
        if not rows:
            return
        yield from rows
