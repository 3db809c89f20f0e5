"""Every fault of every file, whatever it is, and whether the files fit each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from tseval.core import registry
from tseval.core.input_warnings import zone_warnings
from tseval.core.naming import AS_THEY_ARE, Naming, name_files
from tseval.errors import Fault, InputError, TsevalError, UsageError
from tseval.io import binary, fields
from tseval.io.formats import OF_THE_REST, Format, Forms, Line, Rank, form_for
from tseval.io.forms import READERS, recognise
from tseval.io.given import check_inputs
from tseval.io.inputs import Input
from tseval.io.schema import Schema
from tseval.io.tables import TableReader
from tseval.io.tables import read as read_table
from tseval.records import frozen

ALIKE = 0.85
"""How alike two names are, at least, of which one may be misspelt for the other."""
NAMED = 2
"""A table is near whose columns are named so often, or that lacks only one."""


def validate(
    paths: Sequence[str],
    table: str | None = None,
    forms: Forms = None,
    naming: Naming = AS_THEY_ARE,
) -> Iterator[Line]:
    """Lines to show, each with whether it tells a fault."""
    check_inputs(paths)
    sources = [Input(path) for path in paths]
    name_files(sources, naming, table)
    read: list[Any] = []
    for source in sources:
        try:
            name = (
                table
                or _form_by_columns(source, forms)
                or _table_of(source, form_for(forms, OF_THE_REST))
            )
            form = form_for(forms, name)
            found = format_of(name, source, form)
            rows = found.read(source, form, paths)
            read.append(rows)
            number = rows.sources[0].rows
            noun = "row" if number == 1 else "rows"
            own = list(found.remarks(rows))
            if not any(is_fault for _, is_fault in own):
                yield f"{source.path}: {name}, {number:,} {noun}, no fault", False
            yield from own
        except InputError as error:
            yield from ((str(fault), True) for fault in error.faults)
        except UsageError:
            raise
        except TsevalError as error:
            yield str(error), True
    for family in registry.all_families():
        yield from family.check_related(read)
    yield from ((told, False) for told in zone_warnings(s for r in read for s in r.sources))


def format_of(name: str, source: Input, form: str | None) -> Format:
    """The format of a name that an input is in: as asked for, or by its content; else plain."""
    named = [each for each in registry.formats() if each.name == name]
    for each in named if not source.is_table else ():
        if form in each.forms or (each.recognised is not None and each.recognised(source)):
            return each
    if name not in registry.schemas():
        return named[0]
    reader = TableReader(schema=registry.schemas()[name])
    plain = Format(name, lambda source, form, _: read_table([source], reader, form))
    return next((each for each in named if each.reads_tables), plain)


def _form_by_columns(source: Input, forms: Forms) -> str | None:
    """The first table with a format of its own in which the input has the table's columns."""
    for table, form in forms.items() if isinstance(forms, Mapping) else ():
        schema = registry.schemas().get(table)
        if schema is not None and form in READERS and not schema.missing(names_in(source, form)):
            return table
    return None


def _table_of(source: Input, form: str | None) -> str:
    """Which table an input is, by the columns that it names, or by its content."""
    asked = {each.name for each in registry.formats() if form in each.forms}
    if len(asked) == 1:
        return asked.pop()
    plain = form in READERS or source.is_table
    told = None if plain else _recognised(source, Rank.SURE, Rank.LIKELY)
    if told is not None:
        return told
    names = source.renamed(names_in(source, form))
    fitting = _fitting(names)
    fault = nearest_fault(source, names)
    if fault is not None and misspelt(names, fitting) is not None:
        raise InputError([fault])
    if fitting is not None:
        return fitting.table
    told = None if plain else _recognised(source, Rank.AFTER_TABLES, Rank.LAST)
    if told is not None:
        return told
    if fault is not None:
        raise InputError([fault])
    known = "; ".join(
        f"{s.table}: {' '.join(c.name for c in s.required)}" for s in registry.schemas().values()
    )
    here = f"; here: {' '.join(names)}" if names else ""
    raise TsevalError(
        f"{source.path}:1: no known table; looked for {known}{here}; --table settles it"
    )


def _recognised(source: Input, *ranks: Rank) -> str | None:
    """The first format that the content of an input shows, the surest first."""
    for each in registry.formats():
        if each.rank in ranks and each.recognised is not None and each.recognised(source):
            return each.name
    return None


def _fitting(names: list[str]) -> Schema | None:
    """The plain table that has all required columns, the most of them, and then the most of all.

    One column alone shows its table only where no other stands beside it that the table lacks.
    """
    known = (each for each in registry.schemas().values() if names and not each.missing(names))
    return max(
        (s for s in known if len(s.required) > 1 or len(s.placed(names)) == len(names)),
        key=lambda schema: (len(schema.required), len(schema.placed(names))),
        default=None,
    )


# Which table a file is meant for, where its columns fit none: each gets a score.


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
    near = [each for each in ranked(names) if each.missing]
    if not near or (near[0].known < NAMED and len(near[0].missing) > 1):
        return None
    first, *others = near
    alike = [each for each in others if each.known == first.known]
    also = "".join(f"; {each.schema.table}: {each.missing_words}" for each in alike[:2])
    spelt = "".join(f'; "{found}" looks like {name}' for name, found in first.misspelt)
    needed = " ".join(column.name for column in first.schema.required)
    reason = f"{first.missing_words}: nearest to {first.schema.table} ({needed}){spelt}{also}"
    cure = f"name the columns as the table does; here: {' '.join(names)}; --table settles it"
    return Fault(source.path, 1, reason, cure, "missing-column")
