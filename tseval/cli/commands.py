"""Commands: options that stand once, help under heads, and what a shell offers after Tab."""

from __future__ import annotations

from typing import Any

import click

from tseval.families import FAMILIES

OTHERS = "Options"
STATISTICS = "Statistics"
HEADS = {
    "Input": ("--gold", "--store", "--from"),
    "Matching": ("--matcher", "--threshold"),
    "Measures": ("--measure", "--edition", "--at", "--rule", "--on-missing", "--undefined"),
    OTHERS: (),
    STATISTICS: ("--lower-is-better", "--higher-is-better"),
    "Output": (
        *("--output", "--format", "--per-topic", "--brief", "--explain", "--show", "--require"),
        "--safe-csv",
    ),
    "Columns and formats": (
        *("--input-format", "--column", "--columns", "--name", "--time-format", "--time-zone"),
        "--clock",
    ),
    "Streams": ("--every", "--on-bad-line", "--state", "--continued"),
    "Scale": ("--in-blocks", "--jobs", "--engine", "--scheduler", "--resume"),
    "General": ("--quiet", "--debug", "--help"),
}
"""The heads of the help, with the options that mean the same in all commands, in their order.

Others stand under the first if they name files of inputs, or else under `OTHERS`.
"""
ORDER = [flag for flags in HEADS.values() for flag in flags]


def head_of(option: click.Parameter) -> str:
    """The head under which the help has an option."""
    declared = getattr(option, "what", None)
    others = "Input" if declared is not None and declared.is_file else OTHERS
    found = next((head for head, flags in HEADS.items() if {*flags} & {*option.opts}), others)
    return str(getattr(option, "head", found))


def place_of(option: click.Parameter) -> int:
    """Where an option stands in the order; those that are not in it stand last."""
    return next((ORDER.index(flag) for flag in option.opts if flag in ORDER), len(ORDER))


def under(head: str, parameters: list[click.Parameter]) -> list[click.Parameter]:
    """The options, which stand under another head."""
    for each in parameters:
        vars(each)["head"] = head
    return parameters


class StrictCommand(click.Command):
    """A command that refuses a second value of an option that takes one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; refuse an option that repeats, but let a flag repeat."""
        if not ctx.resilient_parsing:  # a shell that completes the line shows no errors
            _, _, order = self.make_parser(ctx).parse_args(list(args))
            given = [each for each in order if isinstance(each, click.Option)]
            for each in dict.fromkeys(given):
                if given.count(each) > 1 and not (each.multiple or each.is_flag or each.count):
                    flag = max(each.opts, key=len)
                    raise click.UsageError(f"{flag} takes one value: give it once.", ctx)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their heads."""
        sections: dict[str, list[tuple[str, str]]] = {head: [] for head in HEADS}
        every = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        for each in sorted(every, key=place_of):
            if (record := each.get_help_record(ctx)) is not None:
                sections[head_of(each)].append(record)
        for head, records in sections.items():
            if records:
                with formatter.section(head):
                    formatter.write_dl(records)


class StrictGroup(click.Group):
    """A group whose commands are strict."""

    command_class = StrictCommand


def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[Any]:
    """What begins so behind an option, or as an argument; of several in one word the last.

    Names of measures, editions and matchers, and files; what finds them is loaded only then.
    """
    from click.shell_completion import CompletionItem

    from tseval.core import registry

    flag = parameter.opts[-1]
    of_command = [name for name, each in FAMILIES.items() if each.command == context.command.name]
    families = of_command or [*FAMILIES]
    if flag in ("--measure", "--curve", "name"):
        every = registry.families()
        known = {name: e.title for each in families for name, e in every.get(each, {}).items()}
    elif flag == "--edition":
        editions = (e for each in families for e in registry.family(each).editions)
        known = {each.name: each.summary for each in editions}
    elif flag == "--matcher":
        from tseval.families.temporal.evaluation import MATCHERS

        known = dict.fromkeys(MATCHERS, "")
    elif str(parameter.metavar).startswith("FILE"):
        return [CompletionItem(incomplete, type="file")]
    else:
        return parameter.type.shell_complete(context, parameter, incomplete)
    before, blank, last = incomplete.rpartition(" ")
    return [
        CompletionItem(f"{before}{blank}{name}", help=words)
        for name, words in known.items()
        if name.startswith(last)
    ]


debug_option = click.Option(
    ["--debug"], is_flag=True, expose_value=False, help="Show the Python traceback of an error."
)
