"""`tseval follow`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from tseval.cli import family_command, streams
from tseval.cli.commands import StrictCommand
from tseval.cli.options import DeclaredOption, by_flag
from tseval.core import registry
from tseval.core.declared import FOLLOW, SCORES, UNSHARED, declared, option
from tseval.records import frozen

FAMILIES = ("temporal", "clusters", "filtering", "incidents", "changes")
"""The families whose streams can be followed."""
LEFT_OUT = ("follow", "in_blocks", "safe_csv")
"""The options of a family's command that say what this command is, or that change nothing in it."""


@frozen
class FollowOptions:
    """Which family a stream is of."""

    family: str = option(
        "What the rows of the stream are scored as.", default=FAMILIES[0], choices=FAMILIES
    )


class FollowCommand(StrictCommand):
    """The command for the stream of one family; `--family` hands over to that of another."""

    family = FAMILIES[0]

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **more: Any,
    ) -> click.Context:
        """Read the command line as the family that it names does."""
        named = family_in(args)
        if named in FAMILIES and named != self.family:
            return command_of(named).make_context(info_name, args, parent, **more)
        return super().make_context(info_name, args, parent, **more)


def family_in(args: Sequence[str]) -> str | None:
    """Return the family that a command line names."""
    for at, each in enumerate(args):
        flag, _, value = each.partition("=")
        if flag == "--family":
            return value or next(iter(args[at + 1 :]), None)
    return None


def command_of(name: str) -> FollowCommand:
    """Return the command that follows a stream of this family."""
    family = registry.family(name)
    whole = family_command.command_of(family, streams.StreamOptions, streams.streamed)
    answer: Any = whole.callback
    places = [what for _, what in declared(family.inputs) if not what.flags and not what.several]

    def run(family: str, **values: Any) -> None:  # noqa: ARG001 - the command is of this family
        answer(**values, follow=True, in_blocks=None)

    def has_meaning(each: click.Parameter) -> bool:
        own = each.what if isinstance(each, DeclaredOption) else None
        return each.name not in LEFT_OUT and (
            own is None or own.has_meaning(SCORES, FOLLOW, UNSHARED)
        )

    params = [*by_flag(FollowOptions).values(), *filter(has_meaning, whole.params)]
    for each in params:
        if isinstance(each, click.Argument):
            each.metavar = " ".join(what.metavar for what in places)
        elif isinstance(each, DeclaredOption):
            each.hidden = False
    found = FollowCommand("follow", params=params, callback=run, help=HELP)
    found.family = name
    return found


HELP = """The measures of a live stream, as they change.

Rows of runs come as JSON lines by standard input; each line of the output is JSON and has what has
changed. The options are those of the family: `tseval follow --family clusters --help`.

\b
tseval follow fixtures/nuggets.tsv -m 'P R' --every 3 < fixtures/live.jsonl
tail -f agent.jsonl | tseval follow facts.csv --state agent.state --on-bad-line skip
"""
command = command_of(FAMILIES[0])
