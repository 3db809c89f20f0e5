"""Every fault of every file, whatever it is, and whether the files fit each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tseval.core import registry
from tseval.core.input_warnings import zone_warnings
from tseval.core.naming import AS_THEY_ARE, Naming, name_files
from tseval.core.nearest import misspelt, names_in, nearest_fault
from tseval.errors import InputError, TsevalError, UsageError
from tseval.io.faults import FaultList
from tseval.io.formats import OF_THE_REST, Format, Forms, Line, Rank, form_for
from tseval.io.forms import READERS
from tseval.io.given import check_inputs
from tseval.io.inputs import Input
from tseval.io.schema import Schema
from tseval.io.tables import TableReader
from tseval.io.tables import read as read_table


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
    return next((each for each in named if each.reads_tables), Format(name, _plain(name)))


def _plain(name: str) -> Any:
    reader = TableReader(schema=registry.schemas()[name])
    return lambda source, form, _: read_table([source], reader, form)


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
    if misspelt(names, fitting) is not None:
        faults = FaultList(source)
        faults.extend(filter(None, [nearest_fault(source, names)]))
        faults.check()
    if fitting is not None:
        return fitting.table
    told = None if plain else _recognised(source, Rank.AFTER_TABLES, Rank.LAST)
    if told is None:
        raise _no_table(source, names)
    return told


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


def _no_table(source: Input, names: list[str]) -> TsevalError:
    fault = nearest_fault(source, names)
    if fault is not None:
        return InputError([fault])
    known = "; ".join(
        f"{s.table}: {' '.join(c.name for c in s.required)}" for s in registry.schemas().values()
    )
    here = f"; here: {' '.join(names)}" if names else ""
    return TsevalError(
        f"{source.path}:1: no known table; looked for {known}{here}; --table settles it"
    )
