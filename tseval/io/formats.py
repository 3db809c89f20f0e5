"""What kinds of files there are: each a `Format`, declared by the family that it belongs to.

`tseval.core.registry` has the register of all, which `tseval validate` and `tseval import` ask.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from operator import attrgetter, methodcaller
from typing import TYPE_CHECKING, Any, TypeAlias

from tseval.errors import check_known
from tseval.io import PLAIN_FORMS
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.io.inputs import Input
    from tseval.io.schema import Schema

Line: TypeAlias = tuple[str, bool]
"""A line to show of a file, and whether it tells a fault."""


class Rank(IntEnum):
    """How sure the content of a file tells its format: the surest are asked first."""

    SURE = 0
    """Its marks stand in no other file."""
    LIKELY = 1
    """Its fields look like this format's."""
    AFTER_TABLES = 2
    """A plain table could look like it: those are asked before."""
    LAST = 3


def nothing_to_say(_: Any) -> Any:
    """What most formats say of a file that was read without a fault."""
    return ()


@frozen
class Imported:
    """A plain table's columns by name, in the order in which they are written, and warnings."""

    columns: Mapping[str, Sequence[str]]
    warnings: tuple[str, ...] = ()

    def tsv(self) -> bytes:
        """The table as TSV; in it a space stands for each tab and line's end inside a text."""
        blank = methodcaller("translate", dict.fromkeys(map(ord, "\t\n\r"), " "))
        rows = (map(blank, row) for row in zip(*self.columns.values(), strict=True))
        return "".join("\t".join(row) + "\n" for row in [self.columns, *rows]).encode()


def no_rows(_: Sequence[Any], __: Any) -> Imported:
    """Return a table without rows."""
    return Imported({})


@frozen
class NoImportOptions:
    """The options of an import that has none."""


@frozen
class Import:
    """How files of a format become a plain table, under the name that `tseval import` knows."""

    name: str
    help: str
    """What the files are."""
    made: Callable[[Sequence[Any], Any], Imported] = no_rows
    """The table of the files at these paths, with the options; else it has their reader's rows."""
    options: type = NoImportOptions
    """A record of declared options: `tseval.core.declared`."""
    several: bool = False
    """Whether it takes more than one file at a time."""
    table: Schema | None = None
    """The plain table that a file may be, whose columns a caller may name."""
    kind: str = ""
    """What such names call the files, if not by their table."""
    columns: tuple[str, ...] = ()
    """The columns of their reader that are written; those of the schema if none are named."""
    rows: Callable[[Any], Any] = attrgetter("frame")
    """Returns the rows of their reader's table that are written."""
    warnings: Callable[[Any], Sequence[str]] = nothing_to_say
    """Returns warnings about such a table."""


@frozen
class Format:
    """One kind of file: how it is recognised, read, checked, laid out and imported."""

    name: str
    """What `tseval validate` calls it; that of a plain table if it is read into one."""
    read: Callable[[Input, str | None, Sequence[str]], Any]
    """Into a table whose `origin` tells its rows; any fault is an `InputError`. With the form that
    is asked for, and the paths of all files that are checked together."""
    recognised: Callable[[Input], bool] | None = None
    """Whether a file is one by its content; None where only its columns, or its name, tell it."""
    rank: Rank = Rank.LIKELY
    reads_tables: bool = True
    """Whether it reads the plain table of its name too."""
    forms: tuple[str, ...] = ()
    """The names by which `--input-format` asks for it; those of plain tables every table has."""
    remarks: Callable[[Any], Iterator[Line]] = nothing_to_say
    """What is said of a table that was read, beside its faults."""
    imports: tuple[Import, ...] = ()
    """The plain tables that `tseval import` makes of it."""


def forms_of(formats: Iterable[Format], tables: Iterable[str]) -> tuple[str, ...]:
    """The names that `--input-format` takes for files of these tables, of the formats there are."""
    named = set(tables)
    own = [form for each in formats if each.name in named for form in each.forms]
    return tuple(dict.fromkeys((*PLAIN_FORMS, *own)))


# The formats that are asked for: one for all inputs, or one for each of some.

Forms: TypeAlias = str | Mapping[str, str] | None
"""A format for all inputs, formats by the names of inputs, or nothing: by their content.

Under the empty name there may be one for the inputs that have none of their own.
"""
OF_THE_REST = ""


def form_for(forms: Forms, name: str) -> str | None:
    """The format of one input; None leaves it to its content."""
    if forms is None or isinstance(forms, str):
        return forms
    return forms.get(name, forms.get(OF_THE_REST))


def form_named(forms: Forms, name: str) -> str | None:
    """The same of an input that only a format by its own name is meant for."""
    return forms.get(name) if isinstance(forms, Mapping) else None


def check_forms(forms: Forms, inputs: Collection[str]) -> None:
    """Refuse a format for an input that there is not."""
    for name in forms if isinstance(forms, Mapping) else ():
        if name != OF_THE_REST:
            check_known("input", name, inputs)
