"""The rows of a plain table, for tests of what files of all forms hold."""

from __future__ import annotations

from typing import Any

from tseval.io.forms import read_plain
from tseval.io.inputs import Input
from tseval.io.schema import Schema


class Rows:
    """A table that was read."""

    def __init__(self, source: Input, schema: Schema, form: str | None = None) -> None:
        table, self.frame = read_plain(source, schema, form)
        self.record = table.record(self.frame.height)

    @property
    def names(self) -> list[str]:
        """The columns of the table that the file has."""
        return [name for name in self.frame.columns if name != "line"]

    @property
    def lines(self) -> list[int]:
        """The line of each row."""
        return self.frame["line"].to_list()

    def get(self, name: str) -> list[Any]:
        """A column."""
        return self.frame[name].to_list()


def read_rows(source: Input, schema: Schema, form: str | None = None) -> Rows:
    """Read a plain table; a fault is an `InputError`."""
    return Rows(source, schema, form)
