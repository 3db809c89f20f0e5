"""What every table can do: have rows chosen, be joined, be made of columns that were read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, field, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tseval.tables.columns import Ids, Texts
from tseval.tables.origin import Origin

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, IntArray

    Self = TypeVar("Self", bound="Table")

FILL = "fill"
"""Under this name a field's metadata holds what stands in rows of parts that lack the column."""


def optional(fill: Any = None) -> Any:
    """A column that a table may lack.

    Where only some parts of a joined table have it, `fill` stands in the rows of the others;
    without one the whole table lacks it.
    """
    return field(default=None, metadata={FILL: fill})


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
        given: dict[str, Any] = {"origin": origin}
        for each in fields(cls):  # type: ignore[arg-type]
            column = columns.get(each.name)
            if each.name == "run" and run is not None and (column is None or not len(column)):
                column = Ids.constant(run, len(origin.line))
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
        lengths = [len(part) for part in parts]
        joined = {
            each.name: _joined(
                [getattr(part, each.name) for part in parts], lengths, each.metadata.get(FILL)
            )
            for each in fields(cls)  # type: ignore[arg-type]
        }
        return replace(parts[0], **joined)  # type: ignore[type-var]


def _rows(part: Any, chosen: IntArray | BoolArray) -> Any:
    if isinstance(part, Ids | Texts | Origin):
        return part.rows(chosen)
    return part[chosen] if isinstance(part, np.ndarray) else part


def _joined(parts: Sequence[Any], lengths: Sequence[int], fill: Any) -> Any:
    """One column of all parts; None if a part that has rows lacks it and nothing can stand in."""
    first = next((part for part in parts if part is not None), None)
    if isinstance(first, Ids):
        return Ids.join([part for part in parts if part is not None])
    if isinstance(first, Texts):
        return Texts.join(parts)
    if isinstance(first, Origin):
        return Origin.join(parts)
    if not isinstance(first, np.ndarray):
        return first
    lacking = [part is None and rows > 0 for part, rows in zip(parts, lengths, strict=True)]
    if any(lacking) and fill is None:
        return None
    return np.concatenate(
        [
            np.full(rows, fill, first.dtype) if part is None else part
            for part, rows in zip(parts, lengths, strict=True)
            if part is not None or rows
        ]
    )
