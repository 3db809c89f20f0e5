"""The command line: one file a command, loaded when it is asked for.

The table below is all that `tseval --help` needs, so that it answers at once; a test holds each
summary to the first line of its command's own help.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from tseval.cli.commands import debug_option
from tseval.core.plugins import FAMILIES as PLUGGED
from tseval.core.plugins import may_be_named
from tseval.families import FAMILIES
from tseval.version import VERSION

OTHERS = {
    "follow": "Score a live stream, and write measures as they change.",
    "curve": "Show measures as functions of time: CSV, PNG, SVG, PDF or HTML.",
    "match": "List the matches of a matcher, with their scores and evidence.",
    "calibrate": "Measure a matcher's agreement with assessors, and choose its threshold.",
    "sample": "Draw nuggets to judge by hand, in order to correct scores.",
    "assess": "Match updates to nuggets by hand, in the browser.",
    "judge": "Export, import and count stored answers of language models.",
    "import": "Convert files of other formats to plain tables.",
    "compare": "Compare systems: intervals, tests, rank correlation.",
    "sweep": "Test whether the ranking of runs depends on the matcher.",
    "report": "Write a self-contained page about runs and their scores.",
    "init": "Create a working folder from your log, or from an example.",
    "gold": "List the public judgments that tseval reads, and check downloaded files.",
    "measures": "Describe measures: definition, parameters, range, empty case, citation.",
    "validate": "List every fault of a file, as file:line: reason.",
}


PLACES = {
    "follow": "family_command.follow_command",
    "match": "matching.match",
    "calibrate": "matching.calibrate",
    "sample": "matching.sample",
    "judge": "matching.judge",
    "sweep": "compare.sweep",
    "import": "files.import_command",
    "validate": "files.validate_command",
    "measures": "files.measures",
}
"""Where commands stand that have no module of their own name: commands, or what makes them."""


def built_in() -> dict[str, str]:
    """Every command of tseval with the first line of its help: those of families first."""
    return {each.command: each.summary for each in FAMILIES.values()} | OTHERS


def summaries() -> dict[str, str]:
    """Every command with the first line of its help, those of plug-ins last."""
    known = built_in()
    more = {each.command: each.summary for each in plugged_families().values()}
    return known | {name: told for name, told in more.items() if name not in known}


def is_command(name: str) -> bool:
    """Whether there is such a command; only for an unknown one plug-ins are looked through."""
    return name in built_in() or name in summaries()


def plugged_families() -> dict[str, Any]:
    """The families that plug-ins bring."""
    if not may_be_named(PLUGGED):
        return {}
    from tseval.core import registry

    return registry.plugged_families()


class LazyGroup(click.Group):
    """A group whose commands are imported when they run, or when their own help is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of the table."""
        return list(summaries())

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import a command; None if there is none of this name."""
        return _command_named(name) if is_command(name) else None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """The commands that begin so, without importing any, and the options."""
        from click.shell_completion import CompletionItem

        found = (each for each in summaries().items() if each[0].startswith(incomplete))
        items = [CompletionItem(name, help=summary) for name, summary in found]
        return [*items, *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is named; of an unknown one, which it may have been meant to be."""
        if args and not args[0].startswith("-") and not is_command(args[0]):
            from tseval.errors import did_you_mean

            like = did_you_mean(args[0], summaries())
            ctx.fail(f"No such command '{args[0]}'{like or '.'}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(summaries().items()))


def _command_named(name: str) -> click.Command:
    if name not in OTHERS:
        from tseval.cli.family_command import command_of
        from tseval.core import registry

        every: Mapping[str, Any] = FAMILIES if name in built_in() else plugged_families()
        own = next(family for family, each in every.items() if each.command == name)
        return command_of(registry.family(own))
    module, attribute = PLACES.get(name, f"{name}.command").split(".")
    found = getattr(import_module(f"tseval.cli.{module}"), attribute)
    command: click.Command = found if isinstance(found, click.Command) else found()
    return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, "-V", "--version", prog_name="tseval")
def cli() -> None:
    """Evaluate systems that summarise or filter a stream of text over time.

    tseval measures how completely, how early and how concisely a system reported an event.
    """


cli.params.append(debug_option)
