"""What any comparison gives: rows under names, and all that says how they came about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tseval.core.wording import count
from tseval.errors import UsageError
from tseval.io.atomic_write import write_whole
from tseval.io.formulas import saved
from tseval.io.latex import LatexTable, latex_bytes
from tseval.io.markup import html_signature, html_table
from tseval.io.origin import InputRecord
from tseval.io.rows import ROW_FORMS, result_object_bytes, rows_bytes
from tseval.io.score_files import DASH, number
from tseval.records import frozen

if TYPE_CHECKING:
    import pandas as pd

LATEX = "latex"
FINDINGS_FORMS = (*ROW_FORMS, LATEX)
PART = "part"
"""The first column where several parts stand in one table."""


def or_none(value: float) -> float | None:
    """A number as rows have it: None where it is undefined (NaN)."""
    return None if isnan(value) else float(value)


@frozen(eq=False)
class FindingRows:
    """Rows of one kind, a class of named tuples; None is undefined."""

    kind: Any
    rows: tuple[Any, ...]

    def records(self) -> list[dict[str, Any]]:
        """The rows by their columns."""
        return [row._asdict() for row in self.rows]


@dataclass(frozen=True, eq=False, repr=False)
class Findings:
    """Rows by the part that they belong to."""

    parts: Mapping[str, FindingRows]
    signature: str
    inputs: tuple[InputRecord, ...]
    warnings: tuple[str, ...]

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}: {count(len(p.rows), 'row')}" for name, p in self.parts.items())
        return f"{type(self).__name__}({parts})"

    def _repr_html_(self) -> str:
        """What a notebook shows: every part as a table, and the signature."""
        shown = []
        for name, part in self.parts.items():
            rows = [[_cell(value) for value in row] for row in part.rows]
            table = html_table(part.kind._fields, rows, names=len(part.kind._fields))
            shown.append(f"<h4>{escape(name)}</h4>\n{table}")
        return "\n".join([*shown, html_signature(self.signature)])

    def __eq__(self, other: object) -> bool:
        """Whether the same was found in the same way."""
        return isinstance(other, Findings) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        rows = tuple((name, part.rows) for name, part in self.parts.items())
        return type(self).__name__, self.signature, rows

    def frame(self, part: str | None = None) -> pd.DataFrame:
        """The rows of one part; without a name all of them, one below the other.

        They then have all parts' columns after a first that names the part. An unknown part is a
        `UsageError`.
        """
        import pandas as pd

        if part is not None and part not in self.parts:
            raise UsageError(f"no part '{part}' here; there are: {', '.join(self.parts)}")
        chosen = self.parts if part is None else {part: self.parts[part]}
        records = [
            ({PART: name} if part is None else {}) | record
            for name, each in chosen.items()
            for record in each.records()
        ]
        fields = [name for each in chosen.values() for name in each.kind._fields]
        columns = list(dict.fromkeys([*([PART] if part is None else []), *fields]))
        frame = pd.DataFrame.from_records(records, columns=columns)
        return frame.astype(
            {name: _kind([record.get(name) for record in records]) for name in columns}
        )

    def save(self, path: str | Path, *, safe_csv: bool = False) -> None:
        """Write a file whole or not at all; the form follows the suffix.

        `.csv`, `.json`, `.parquet`, `.tsv`, and for runs `.tex`; anything else is a `UsageError`.
        Cells that a spreadsheet takes for formulas are a warning; `safe_csv` makes texts of them.
        """
        suffix = Path(path).suffix.lstrip(".").lower()
        content = self.in_form({"tex": LATEX}.get(suffix, suffix))
        write_whole(path, saved(content, suffix, safe=safe_csv))

    def in_form(self, form: str) -> bytes:
        """The content of a file of these findings; `FINDINGS_FORMS` has every form."""
        paper = self.latex()
        if form == LATEX and paper is not None:
            return latex_bytes(paper)
        if form not in ROW_FORMS:
            known = ", ".join(ROW_FORMS if paper is None else FINDINGS_FORMS)
            raise UsageError(f"'{form}' is none of the forms that this has: {known}")
        if form != "json":
            return rows_bytes(self.frame(), form, self.signature)
        inputs = [{"path": s.path, "sha256": s.sha256, "rows": s.rows} for s in self.inputs]
        parts = {name: part.records() for name, part in self.parts.items()}
        content = {"inputs": inputs, **self.more(), **parts, "warnings": list(self.warnings)}
        return result_object_bytes(self.signature, content)

    def latex(self) -> LatexTable | None:
        """The table for a paper; None where there is none."""
        return None

    def more(self) -> dict[str, Any]:
        """What JSON tells beside the rows."""
        return {}


def _cell(value: object) -> str:
    """A value of a row as a notebook shows it."""
    if value is None:
        return DASH
    return number(value) if isinstance(value, float) else str(value)


def _kind(values: Sequence[Any]) -> str:
    """The type of a column: whole numbers, numbers, yes or no, or texts; any may lack values."""
    kinds = {type(each) for each in values if each is not None}
    for kind, name in ((bool, "boolean"), (int, "Int64"), (str, "object")):
        if kinds == {kind}:
            return name
    return "Float64"
