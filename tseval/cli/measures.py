"""`tseval measures`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

import click

from tseval.cli.commands import StrictCommand, complete, debug_option
from tseval.core.measure import Definition, Parameter, calls, with_name
from tseval.core.registry import all_editions, editions, families, measure
from tseval.core.rules import Edition
from tseval.errors import MeasureError, UsageError

WIDTH = 88
NAME_WIDTH = 8
"""What the names of a family take at least."""


@click.command(
    "measures",
    cls=StrictCommand,
    params=[
        click.Argument(["name"], required=False, shell_complete=complete),
        click.Option(
            ["--edition", "edition_name"],
            metavar="NAME",
            help="Tell an edition's rules instead.",
            shell_complete=complete,
        ),
        debug_option,
    ],
)
def command(name: str | None, edition_name: str | None) -> None:
    """What a measure is: definition, parameters, range, the empty case, citation.

    Without NAME all measures are listed by family; NAME may have parameters and a time, as in
    `T(unit=min)@24h`, and is checked.
    """
    if edition_name is not None and name is not None:
        raise UsageError("give NAME or --edition, not both")
    lines: Iterable[str]
    if edition_name is not None:
        lines = (line for each in editions(edition_name) for line in _edition_lines(each))
    elif name is None:
        lines = _listing()
    else:
        lines = _explained(name)
    click.echo("\n".join(lines))


def _listing() -> Iterator[str]:
    for family, definitions in families().items():
        yield f"{family}:"
        width = max(NAME_WIDTH, *(len(name) + 1 for name in definitions))
        for definition in definitions.values():
            yield f"  {definition.name:<{width}}{definition.summary}"
    names = dict.fromkeys(each.name for each in all_editions())
    yield f"editions: {', '.join(names)}"
    yield "`tseval measures NAME` tells more, `tseval measures --edition NAME` an edition's rules"


def _explained(name: str) -> Iterator[str]:
    """The definition in every family that knows the name."""
    found, wrong = [], None
    for family, definitions in families().items():
        own = with_name(name, definitions)
        if not any(calls(own, each) for each in definitions):
            continue
        try:
            found.append(definitions.get(own) or measure(own, family).definition)
        except MeasureError as error:
            wrong = error
    if not found:
        raise wrong or UsageError(f"unknown measure '{name}': `tseval measures` lists all")
    for definition in found:
        yield from _definition_lines(definition)


def _definition_lines(definition: Definition) -> Iterator[str]:
    yield f"{definition.name}: {definition.summary}"
    yield from _entry("family", definition.family)
    yield from _entry("definition", definition.formula)
    yield from _entry(
        "direction", "higher is better" if definition.higher_is_better else "lower is better"
    )
    yield from _entry("range", definition.range)
    yield from _entry("empty case", definition.empty_case)
    for parameter in definition.parameters:
        yield from _entry("parameter", _parameter(definition, parameter))
    yield from _entry("citation", definition.citation)


def _parameter(definition: Definition, parameter: Parameter) -> str:
    if parameter.flag:
        return f"{definition.name}({parameter.name}): {parameter.meaning}"
    choices = "|".join(parameter.choices) + ("|…" if parameter.parse is not None else "")
    if parameter.bare:
        return f"{definition.name}({choices}): {parameter.meaning}"
    default = f"; default {parameter.default}" if parameter.default else ""
    return f"{parameter.name}={choices}: {parameter.meaning}{default}"


def _edition_lines(edition: Edition[Any]) -> Iterator[str]:
    yield f"{edition.name}: {edition.summary}"
    yield from _entry("family", edition.family)
    yield from _entry("measures", " ".join(edition.measures))
    yield from _entry("on missing", edition.on_missing)
    yield from _entry("citation", edition.citation)
    for rule in edition.rules.each():
        others = ", ".join(value for value in rule.values if value != rule.value)
        words = f"{rule.name}={rule.value}: {rule.meaning}: {rule.words} (or {others})"
        yield from _entry("rule", words)


def _entry(title: str, text: str) -> list[str]:
    label = f"  {title:<12}"
    return textwrap.wrap(text, WIDTH, initial_indent=label, subsequent_indent=" " * len(label))
