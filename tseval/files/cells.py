"""What every reader of a plain table gives: the cells of its columns, and each row's line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tseval.io.schema import Kind, Schema
from tseval.records import frozen
from tseval.tables import Texts
from tseval.tables.arrow import integers, strings

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, IntArray
    from tseval.errors import Fault
    from tseval.io.faults import FaultList


@frozen
class Cells:
    """The cells of a table as text, by the schema's names of the columns.

    A column of texts is a `Texts`; every other an Arrow array of strings.
    """

    columns: dict[str, Any]
    lines: IntArray

    @classmethod
    def empty(cls, names: Sequence[str], schema: Schema) -> Cells:
        """No rows, with these columns."""
        return cls({name: column_of([], name, schema) for name in names}, np.zeros(0, np.int64))

    @classmethod
    def join(cls, parts: Sequence[Cells]) -> Cells:
        """The rows of several parts one below the other."""
        if len(parts) == 1:
            return parts[0]
        columns = {
            name: _joined([part.columns[name] for part in parts]) for name in parts[0].columns
        }
        return cls(columns, np.concatenate([part.lines for part in parts]))

    def rows(self, chosen: BoolArray) -> Cells:
        """The chosen rows."""
        if chosen.all():
            return self
        kept = integers(np.flatnonzero(chosen))
        columns = {
            name: cells.rows(chosen) if isinstance(cells, Texts) else cells.take(kept)
            for name, cells in self.columns.items()
        }
        return Cells(columns, self.lines[chosen])


def _joined(parts: Sequence[Any]) -> Any:
    if isinstance(parts[0], Texts):
        return Texts.join(parts)
    return pa.chunked_array([c for part in parts for c in _chunks(part)], parts[0].type)


def _chunks(column: Any) -> list[Any]:
    return list(column.chunks) if isinstance(column, pa.ChunkedArray) else [column]


def column_of(cells: Sequence[str], name: str, schema: Schema) -> Any:
    """A column from a list of strings, in the form that its kind wants."""
    column = schema.find(name)
    if column is not None and column.kind is Kind.TEXT:
        return Texts.of(cells)
    return strings(cells)


def counted_on(
    blocks: Iterable[tuple[Cells, list[Fault], int]], faults: FaultList, before: int = 0
) -> Iterator[Cells]:
    """The cells of one block after the other, each read with its faults and number of lines.

    Lines are counted on from block to block, after so many lines before the first.
    """
    for cells, own, lines in blocks:
        faults.extend(replace(fault, line=(fault.line or 0) + before) for fault in own)
        yield replace(cells, lines=cells.lines + before)
        before += lines
