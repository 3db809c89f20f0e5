"""What every table can do: have rows chosen, be joined, be made of columns that were read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, field, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tseval.io.origin import Origin
from tseval.tables.columns import Ids, Texts

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, IntArray

    Self = TypeVar("Self", bound="Table")

FILL, JOINED = "fill", "joined"
"""Under these names a field's metadata holds what stands where a part or a file lacks the column,
and how what is said of whole tables is put together."""


def optional(fill: Any = None) -> Any:
    """A column that a table may lack.

    Where only some parts of a joined table have it, `fill` stands in the rows of the others: a
    value, or what gives the column from the part. Without one the whole table lacks it.
    """
    return field(default=None, metadata={FILL: fill})


def filled(fill: Any) -> Any:
    """A column that every table has, with `fill` in every row where what was read has none."""
    return field(metadata={FILL: fill})


def of_table(default: Any, joined: Callable[[Sequence[Any]], Any]) -> Any:
    """No column, but what is said of a table as a whole, put together by `joined`."""
    return field(default=default, metadata={JOINED: joined})


class Table:
    """Frozen columns of equal length. A table is a dataclass over this, with a column `origin`.

    Ids, texts, arrays and the origin are columns; any other field speaks of the table as a whole.
    """

    origin: Origin

    def __len__(self) -> int:
        return len(self.origin.line)

    @classmethod
    def of(
        cls: type[Self], columns: Mapping[str, Any], origin: Origin, run: str | None = None
    ) -> Self:
        """A table of columns by their names; `run` is what its run is called if no column says."""
        rows = len(origin.line)
        given: dict[str, Any] = {"origin": origin}
        for each in fields(cls):  # type: ignore[arg-type]
            column = columns.get(each.name)
            if each.name == "run" and run is not None and (column is None or not len(column)):
                column = Ids.constant(run, rows)
            if column is None and each.default is MISSING and FILL in each.metadata:
                column = np.full(rows, each.metadata[FILL])
            if column is not None:
                given[each.name] = column
            elif each.default is MISSING and each.name not in given:
                raise TypeError(f"{cls.__name__} needs the column {each.name}")
        return cls(**given)

    def rows(self: Self, chosen: IntArray | BoolArray) -> Self:
        """The chosen rows."""
        parts = {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]
        return replace(self, **{name: _rows(part, chosen) for name, part in parts.items()})  # type: ignore[type-var]

    @classmethod
    def join(cls: type[Self], parts: Sequence[Self]) -> Self:
        """The tables one below the other."""
        if len(parts) == 1:
            return parts[0]
        parts = [_with_runs(part) for part in parts]
        joined = {each.name: _joined(each, parts) for each in fields(cls)}  # type: ignore[arg-type]
        return replace(parts[0], **joined)  # type: ignore[type-var]


def _with_runs(part: Self) -> Self:
    """The table, whose source names the runs that it holds."""
    run, origin = getattr(part, "run", None), part.origin
    if not isinstance(run, Ids) or len(origin.sources) != 1:
        return part
    source = replace(origin.sources[0], runs=tuple(run.vocabulary()))
    return replace(part, origin=replace(origin, sources=(source,)))  # type: ignore[type-var]


def _rows(part: Any, chosen: IntArray | BoolArray) -> Any:
    if isinstance(part, Ids | Texts | Origin):
        return part.rows(chosen)
    return part[chosen] if isinstance(part, np.ndarray) else part


def _joined(each: Field[Any], parts: Sequence[Table]) -> Any:
    """One column of all parts; None if a part that has rows lacks it and nothing can stand in."""
    columns = [getattr(part, each.name) for part in parts]
    if JOINED in each.metadata:
        return each.metadata[JOINED](columns)
    like = next((column for column in columns if column is not None), None)
    if not isinstance(like, Ids | Texts | Origin | np.ndarray):
        return like
    whole = []
    for part, column in zip(parts, columns, strict=True):
        if column is None and len(part):
            column = _standing_in(each.metadata.get(FILL), part, like)
            if column is None:
                return None
        if column is not None:
            whole.append(column)
    return np.concatenate(whole) if isinstance(like, np.ndarray) else type(like).join(whole)


def _standing_in(fill: Any, part: Table, like: Any) -> Any:
    """What stands in a part in the place of a column such as another part has."""
    if fill is None or callable(fill):
        return fill and fill(part)
    if isinstance(like, Ids):
        return Ids.constant(fill, len(part))
    if isinstance(like, Texts):
        return Texts.empty(len(part))
    return np.full((len(part), *like.shape[1:]), fill, like.dtype)
