"""Which plain table a file is meant for, where its columns fit none: each gets a score."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from tseval.core import registry
from tseval.errors import Fault
from tseval.io import binary, fields
from tseval.io.forms import recognise
from tseval.io.schema import Schema
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.io.inputs import Input

ALIKE = 0.85
"""How alike two names are, at least, of which one may be misspelt for the other."""
NAMED = 2
"""A table is near whose columns are named so often, or that lacks only one."""


@frozen
class Near:
    """A table that a file is not, and what it would need."""

    schema: Schema
    known: int
    """How many of the file's columns it has."""
    missing: tuple[str, ...]
    misspelt: tuple[tuple[str, str], ...] = ()
    """Required columns, each with the name in the file that looks like it."""

    @property
    def missing_words(self) -> str:
        """What it needs in words: `no update_id`."""
        return f"no {', '.join(self.missing)}"


def names_in(source: Input, form: str | None) -> list[str]:
    """The names of an input's columns, read in this form, or in the one that its content shows."""
    if form is None:
        return recognise(source)[1]
    if form == "parquet":
        return binary.parquet_names(source)
    if form == "csv":
        return fields.split_commas(source.first_line())
    if form == "tsv":
        return fields.split_tabs(source.first_line(), Schema("any", ()))
    return recognise(source)[1]


def ranked(names: Sequence[str]) -> list[Near]:
    """The tables that know any of these names, the nearest first.

    That is the one that has most of the names, then the one that lacks least, then the first.
    """
    found = [
        near for schema in registry.schemas().values() if (near := _near(schema, list(names))).known
    ]
    return sorted(found, key=lambda each: (-each.known, len(each.missing)))


def _near(schema: Schema, names: list[str]) -> Near:
    places = schema.placed(names)
    strange = [name for at, name in enumerate(names) if at not in places.values()]
    misspelt = []
    for name in schema.missing(names):
        column = schema.find(name)
        like = get_close_matches(name, strange, 1, ALIKE) if column is None else [
            match
            for each in column.names
            for match in get_close_matches(each, strange, 1, ALIKE)
        ]  # fmt: skip
        misspelt += [(name, match) for match in like[:1]]
    return Near(schema, len(places) + len(misspelt), tuple(schema.missing(names)), tuple(misspelt))


def misspelt(names: Sequence[str], fitting: Schema | None) -> Near | None:
    """The table that more of the names fit than any, if some of them were spelt right."""
    best = next((each for each in ranked(names) if each.misspelt), None)
    if best is None or len(best.misspelt) < len(best.missing):
        return None
    already = 0 if fitting is None else len(fitting.placed(list(names)))
    return best if best.known > already else None


def nearest_fault(source: Input, names: Sequence[str]) -> Fault | None:
    """What is wrong with a file that is no table, by the nearest; None if none is near."""
    near = _near_ones(names)
    return Fault(source.path, 1, *_reason_and_cure(near, names), "missing-column") if near else None


def _near_ones(names: Sequence[str]) -> list[Near]:
    """The tables that lack something, the nearest first; none if it is far."""
    near = [each for each in ranked(names) if each.missing]
    far = not near or (near[0].known < NAMED and len(near[0].missing) > 1)
    return [] if far else near


def _reason_and_cure(near: Sequence[Near], names: Sequence[str]) -> tuple[str, str]:
    """The reason and the cure by the nearest tables."""
    first, *others = near
    alike = [each for each in others if each.known == first.known]
    also = "".join(f"; {each.schema.table}: {each.missing_words}" for each in alike[:2])
    spelt = "".join(f'; "{found}" looks like {name}' for name, found in first.misspelt)
    needed = " ".join(column.name for column in first.schema.required)
    reason = f"{first.missing_words}: nearest to {first.schema.table} ({needed}){spelt}{also}"
    return (
        reason,
        f"name the columns as the table does; here: {' '.join(names)}; --table settles it",
    )
