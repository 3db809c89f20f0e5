"""What `tseval import` makes of files of other formats: plain tables, as columns by their names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.arrays import FloatArray
    from tseval.io.schema import Schema

EXACT_BELOW = 2.0**53
"""Whole numbers up to this are the same as integers."""


@frozen
class Imported:
    """A plain table's columns by name, in the order in which they are written, and warnings."""

    columns: dict[str, Sequence[str]]
    warnings: tuple[str, ...] = ()

    def tsv(self) -> bytes:
        """The table as TSV; in it a space stands for each tab and line's end inside a text."""
        rows = zip(*self.columns.values(), strict=True)
        lines = ["\t".join(self.columns), *("\t".join(map(_cell, row)) for row in rows)]
        return "".join(f"{line}\n" for line in lines).encode()


def _cell(value: str) -> str:
    return value.translate({9: " ", 10: " ", 13: " "})


def numbers_as_text(values: FloatArray) -> list[str]:
    """Numbers in full precision, whole ones without a decimal point."""
    return [
        str(int(value)) if value == int(value) and abs(value) < EXACT_BELOW else repr(value)
        for value in values.tolist()
    ]


@frozen
class NothingAsked:
    """The options of an import that has none."""


@frozen
class Import:
    """How files of a format become a plain table, under the name that `tseval import` knows."""

    name: str
    help: str
    """What the files are."""
    made: Callable[[Sequence[Any], Any], Imported]
    """The table of the files at these paths, with the options."""
    options: type = NothingAsked
    """A record of declared options: `tseval.core.declared`."""
    several: bool = False
    """Whether it takes more than one file at a time."""
    table: Schema | None = None
    """The plain table that a file may be, whose columns a caller may name."""
    kind: str = ""
    """What such names call the files, if not by their table."""
