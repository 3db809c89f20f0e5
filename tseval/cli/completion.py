"""What a shell offers after Tab: names of measures, editions and matchers, and files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TypeAlias

import click
from click.shell_completion import CompletionItem

from tseval.families import FAMILIES

Offers: TypeAlias = Callable[[click.Context, str], list[CompletionItem]]


def with_completion(command: click.Command) -> click.Command:
    """The command with what its options and arguments offer, by what they are called."""
    for parameter in command.params:
        offers = OFFERED.get(parameter.opts[0], OFFERED.get(parameter.opts[-1]))
        if offers is None and str(parameter.metavar).startswith("FILE"):
            offers = files
        if offers is not None:
            parameter.shell_complete = partial(_offered, offers)  # type: ignore[method-assign]
    return command


def _offered(offers: Offers, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    return offers(ctx, incomplete)


def measures(context: click.Context, incomplete: str) -> list[CompletionItem]:
    """The measures of a command's family, or of all; the last of several in one word."""
    from tseval.core import registry

    before, blank, last = incomplete.rpartition(" ")
    known = registry.families()
    found = {
        name: definition.title
        for family in _families(context)
        for name, definition in known.get(family, {}).items()
    }
    return [
        CompletionItem(f"{before}{blank}{name}", help=title)
        for name, title in found.items()
        if name.startswith(last)
    ]


def editions(context: click.Context, incomplete: str) -> list[CompletionItem]:
    """The editions of a command's family, or of all."""
    from tseval.core import registry

    found = (each for family in _families(context) for each in registry.family(family).editions)
    return _beginning(((each.name, each.summary) for each in found), incomplete)


def matchers(_context: click.Context, incomplete: str) -> list[CompletionItem]:
    """Every matcher that finds matches."""
    from tseval.families.temporal.evaluation import MATCHERS

    return _beginning(((name, "") for name in MATCHERS), incomplete)


def files(_context: click.Context, incomplete: str) -> list[CompletionItem]:
    """Whatever the shell offers as files."""
    return [CompletionItem(incomplete, type="file")]


def _families(context: click.Context) -> Iterator[str]:
    """The families of a command: its own, or all."""
    own = [name for name, each in FAMILIES.items() if each.command == context.command.name]
    yield from own or FAMILIES


def _beginning(names: Iterable[tuple[str, str]], incomplete: str) -> list[CompletionItem]:
    found = dict(names)
    return [
        CompletionItem(name, help=words)
        for name, words in found.items()
        if name.startswith(incomplete)
    ]


OFFERED: Mapping[str, Offers] = {
    "--measure": measures,
    "--curve": measures,
    "name": measures,
    "--edition": editions,
    "--matcher": matchers,
}
"""What is offered behind an option, or as an argument."""
