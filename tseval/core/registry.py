"""Every family, measure and edition there is, each loaded when it is asked for.

The families are named in `tseval.families`; plug-ins come in by the entry points below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from tseval.core.family import Family
from tseval.core.measure import Definition, Measure, parse_measure, split_measures, with_name
from tseval.core.plugins import FAMILIES, MEASURES, brought, guard, leave_out
from tseval.core.rules import Edition
from tseval.errors import MeasureError, UsageError, did_you_mean
from tseval.io.schema import Schema

if TYPE_CHECKING:
    from tseval.io.formats import Format, Import

Brought = TypeVar("Brought")
FIRST = "temporal"
"""The family whose measures are meant where none is named."""


def family_names() -> tuple[str, ...]:
    """The names of all families, in the order in which they are listed."""
    return (*import_module("tseval.families").FAMILIES, *plugged_families())


@cache
def family(name: str) -> Family[Any, Any]:
    """The family of this name; a `MeasureError` lists the known."""
    entries = import_module("tseval.families").FAMILIES
    if name in entries:
        found: Family[Any, Any] = import_module(entries[name].module).FAMILY
        return found
    if name not in plugged_families():
        raise MeasureError(f"unknown family '{name}'; known: {', '.join(family_names())}")
    return plugged_families()[name]


def _plugged(group: str, read: Callable[[Any], Iterable[Brought]]) -> dict[str, list[Brought]]:
    """What each package brings under an entry point; one that fails is left out with a warning."""
    found: dict[str, list[Brought]] = {}
    failed: dict[str, str] = {}
    for package, point in brought(group):
        try:
            found.setdefault(package, []).extend(read(point.load()))
        except (Exception, SystemExit) as error:  # a plug-in can fail in any way
            told = f"{point.name} ({point.value}): {type(error).__name__}: {error}"
            failed.setdefault(package, told)
    for package, reason in failed.items():
        leave_out(package, reason)
    return {package: own for package, own in found.items() if package not in failed}


@cache
def plugged_families() -> dict[str, Family[Any, Any]]:
    """The families that plug-ins bring."""
    taken = {*import_module("tseval.families").FAMILIES}

    def read(loaded: Any) -> Iterator[Family[Any, Any]]:
        if not isinstance(loaded, Family):
            raise TypeError(f"it brings {loaded!r}, which is not a Family")
        if loaded.name in taken:
            raise ValueError(f"tseval has a family {loaded.name} already")
        taken.add(loaded.name)
        yield loaded

    return {
        each.name: replace(
            each, definitions=tuple(_of_package(own, package) for own in each.definitions)
        )
        for package, families in _plugged(FAMILIES, read).items()
        for each in families
    }


def _of_package(definition: Definition, package: str) -> Definition:
    """Return a definition that names its package where it fails, and in signatures."""
    account = partial(guard, definition.account, package)
    return replace(definition, package=package, account=account)


def all_families() -> Iterator[Family[Any, Any]]:
    """Every family."""
    return (family(name) for name in family_names())


@cache
def definitions(name: str) -> dict[str, Definition]:
    """The definitions of one family by name, in the order in which they are listed."""
    named = {each.name: each for each in family(name).definitions}
    for definition in plugged_in():
        if definition.family != name:
            continue
        if definition.name in named:
            told = f"{name} has a measure {definition.name} already; give it another name"
            leave_out(definition.package, told)
        named.setdefault(definition.name, definition)
    return named


@cache
def plugged_in() -> tuple[Definition, ...]:
    """The definitions that plug-ins bring."""

    def read(named: Any) -> Iterator[Definition]:
        for each in named if isinstance(named, Iterable) else (named,):
            if not isinstance(each, Definition):
                raise TypeError(f"it brings {each!r}, which is not a Definition")
            yield each

    packages = _plugged(MEASURES, read).items()
    return tuple(_of_package(each, package) for package, own in packages for each in own)


def families() -> dict[str, dict[str, Definition]]:
    """The definitions of every family by its name."""
    return {name: definitions(name) for name in family_names()}


def measure(text: str, family: str = FIRST) -> Measure:
    """Return a measure by its name or title, such as `T(unit=min)@24h` or `recall`."""
    known = definitions(family)
    return parse_measure(with_name(text.strip(), known), known)


def measures(wanted: Iterable[str | Measure], family: str = FIRST) -> list[Measure]:
    """Measures from values and strings; a string may hold several. Repeats are dropped."""
    known, listed = definitions(family), list[Measure]()
    for item in wanted:
        if isinstance(item, Measure):
            listed.append(item)
        else:
            is_title = with_name(item.strip(), known) != item.strip()
            parts = [item] if is_title else split_measures(item)
            listed += [measure(part, family) for part in parts]
    return list(dict.fromkeys(listed))


def all_editions() -> Iterator[Edition[Any]]:
    """Every edition of every family; a name may stand once in a family."""
    return (edition for each in all_families() for edition in each.editions)


def editions(name: str) -> list[Edition[Any]]:
    """The editions of this name, one a family; a `UsageError` lists the known names."""
    found = [each for each in all_editions() if each.name == name]
    if not found:
        _refuse_edition(name, all_editions())
    return found


def edition(name: str | None, of: str) -> Edition[Any]:
    """A family's edition of this name, its first without one.

    A `UsageError` lists the known, and says whose the edition is if it is another family's.
    """
    mine = family(of)
    for each in mine.editions:
        if name in (None, each.name):
            return each
    others = [each for each in all_families() if name in {own.name for own in each.editions}]
    if not others:
        _refuse_edition(str(name), mine.editions)
    known = ", ".join(each.name for each in mine.editions)
    whose = " and ".join(f"`tseval {each.command}`" for each in others)
    raise UsageError(f"edition '{name}' is for {whose}; `tseval {mine.command}` has these: {known}")


def _refuse_edition(name: str, known: Iterable[Edition[Any]]) -> NoReturn:
    names = list(dict.fromkeys(each.name for each in known))
    like = did_you_mean(name, names)
    raise UsageError(f"unknown edition '{name}'; known: {', '.join(names)}{like}")


def formats() -> tuple[Format, ...]:
    """Every format of files, those first whose content tells them most surely."""
    own = [each for family in all_families() for each in family.formats]
    common = import_module("tseval.io.scores").FORMATS
    return tuple(sorted([*common, *own], key=lambda each: each.rank))


def imports() -> dict[str, Import]:
    """Everything that `tseval import` knows, by its name."""
    return {each.name: each for form in formats() for each in form.imports}


def schemas() -> dict[str, Schema]:
    """Every plain table by its name; one of several families stands with the last of them."""
    own = [schema for family in all_families() for schema in family.schemas]
    common = import_module("tseval.io.scores").SCHEMAS
    listed: dict[str, Schema] = {}
    for schema in (*own, *common):
        listed.pop(schema.table, None)
        listed[schema.table] = schema
    return listed
