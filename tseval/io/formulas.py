"""Cells of CSV and TSV that a spreadsheet takes for formulas, told about or written as texts.

A name or a text of an input may begin as a formula does. Whoever opens the file with a spreadsheet
would run it; an apostrophe before it makes it a text.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import partial

from tseval.errors import visible
from tseval.io import SPREADSHEET_FORMS

SHOWN = 40
"""Of a cell that is told about, so many characters are shown."""
NUMBER = r"(?:[+-](?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]inf)"
FORMULA = re.compile(rf"(?!{NUMBER}\"?\Z)[=+\-@\t\r](?s:.)")
"""How a cell begins that is a formula to a spreadsheet; a sign alone, or a number, is none."""
SUSPECT = re.compile(rf'[\n,\t"](?!{NUMBER}["\t\r\n,])[=+\-@\t\r]'.encode())
"""What stands in any file that holds one: a file without it is not divided into fields."""
FIELDS = {
    "csv": re.compile(r'(?m)(^|,)("?)((?<=")(?:[^"]|"")*|[^,\n]*)("?)'),
    "tsv": re.compile(r'(?m)(^|\t)("*)([^\t\n]*)()'),  # quotes mean nothing, but to some
}
WARN = partial(warnings.warn, stacklevel=3)


def guarded(
    content: bytes,
    form: str,
    *,
    safe: bool,
    option: str = "safe_csv=True",
    warn: Callable[[str], object] = WARN,
) -> bytes:
    """Return a file: for spreadsheets, if `safe`, with formulas as texts, else warn of them.

    The warning says which option makes texts of them.
    """
    formulas = list[str]()

    def mend(field: re.Match[str]) -> str:
        before, quotes, cell, end = field.groups()
        if not FORMULA.match(cell):
            return field[0]
        formulas.append(cell)
        return f"{before}{quotes}'{cell}{end}"

    if form not in SPREADSHEET_FORMS or not SUSPECT.search(b"\n" + content):
        return content
    mended = FIELDS[form].sub(mend, content.decode()).encode()
    if safe or not formulas:
        return mended
    first = visible(" ".join(formulas[0].split()))
    first = first if len(first) <= SHOWN else f"{first[: SHOWN - 1]}…"
    begin = f"{len(formulas)} cells begin" if len(formulas) > 1 else "1 cell begins"
    warn(
        f"{begin} as a formula does ({first}), which a spreadsheet would run: {option} "
        "writes an apostrophe before each"
    )
    return content
