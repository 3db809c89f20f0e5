"""What kinds of files there are: each a `Format`, declared by the family that it belongs to.

`tseval.core.registry` has the register of all, which `tseval validate` and `tseval import` ask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any, TypeAlias

from tseval.files import PLAIN_FORMS
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.files.imports import Import
    from tseval.files.inputs import Input
    from tseval.tables import Origin
    from tseval.tables.columns import FloatArray

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


def nothing_to_say(_: Any) -> Iterator[Line]:
    """What most formats say of a file that was read without a fault."""
    return iter(())


def unknown_numbers(
    what: str, numbers: FloatArray, origin: Origin, known: Sequence[float]
) -> Iterator[Line]:
    """Yield each unknown number, with its line."""
    for row, number in enumerate(numbers.tolist()):
        if number not in known:
            reason, cure = f"unknown {what} {number:g}", "write one of those that are known"
            yield str(origin.fault(row, reason, cure, code="unknown-label")), True


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
