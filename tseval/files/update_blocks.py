"""Updates block by block, for inputs that are larger than memory: TSV, JSON lines and Parquet."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from tseval.errors import UsageError
from tseval.files import jsonl, parquet, tsv
from tseval.files.cells import Cells
from tseval.files.plain import build, check_doubts, check_header, form_of, header, record_of
from tseval.io.faults import FaultList
from tseval.io.inputs import Input
from tseval.io.schema import UPDATES
from tseval.tables import Updates

ROWS = 65_536
"""About how many updates are in memory at once."""
IN_BLOCKS = ("tsv", "jsonl", "parquet")


class BlockInput:
    """A table of updates that is read from its beginning as often as it is asked for its blocks."""

    def __init__(self, source: Input, name: str, form: str | None = None) -> None:
        self.source = source
        self.name = name
        self.schema = UPDATES.called(source.columns)
        self.form = form_of(source, self.schema, form)
        if self.form not in IN_BLOCKS:
            known = ", ".join(IN_BLOCKS)
            raise UsageError(f"{source.path} is {self.form}; what is read in blocks is: {known}")
        if self.form == "parquet":
            self.source = parquet.ParquetInput(source)
        self.runs: dict[str, None] = {}
        """The runs that its blocks have held so far."""
        self.record = record_of(self.source, self.schema, 0)
        """The file with the number of its updates, once all blocks are read."""

    @property
    def has_cost(self) -> bool:
        """Whether there is a column of costs."""
        return "cost" in self.schema.placed(self._columns())

    @cached_property
    def _present(self) -> set[str]:
        """The optional columns of JSON lines, whichever lines have them."""
        return jsonl.columns_in(self.source, self.schema)

    def _columns(self) -> list[str]:
        if self.form == "jsonl":
            return sorted(self._present)
        faults = FaultList(self.source)
        names = header(self.source, self.schema, self.form, faults)
        check_header(names, self.schema, faults)
        check_doubts(names, self.schema, faults)
        return names

    def blocks(self, rows: int = ROWS) -> Iterator[Updates]:
        """The updates in the order of the file; a block with a fault raises it."""
        self._columns()
        faults = FaultList(self.source)
        understood = self.schema.understood(header(self.source, self.schema, self.form, faults))
        number = 0
        for cells in self._cells(rows, faults):
            faults.check()
            table = build(self.source, cells, self.schema, faults, understood)
            faults.check()
            updates = Updates.of(table.columns, table.origin, self.name)
            number += len(updates)
            yield updates
        faults.check()
        self.record = record_of(self.source, self.schema, number, understood)

    def _cells(self, rows: int, faults: FaultList) -> Iterator[Cells]:
        if self.form == "tsv":
            yield from _of_size(tsv.cell_blocks(self.source, self.schema, faults), rows)
        elif self.form == "jsonl":
            yield from jsonl.cell_blocks(self.source, self.schema, faults, rows, self._present)
        else:
            yield from parquet.cell_blocks(self.source, self.schema, faults, rows)


def _of_size(blocks: Iterator[Cells], rows: int) -> Iterator[Cells]:
    """The same rows, so many in a block; the last may have fewer."""
    held: list[Cells] = []
    for cells in blocks:
        held.append(cells)
        number = sum(len(each.lines) for each in held)
        if number >= rows:
            whole, rest = Cells.join(held), number % rows
            for start in range(0, number - rest, rows):
                yield _part(whole, start, start + rows)
            held = [_part(whole, number - rest, number)] if rest else []
    if held:
        yield Cells.join(held)


def _part(cells: Cells, start: int, end: int) -> Cells:
    place = np.arange(len(cells.lines))
    return cells.rows((start <= place) & (place < end))
