"""Commands that take each option once, and the option that all of them have."""

from __future__ import annotations

from typing import Any

import click


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


class StrictGroup(click.Group):
    """A group whose commands are strict."""

    command_class = StrictCommand


def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[Any]:
    """What a shell offers; what finds it is loaded only then."""
    from tseval.cli.completion import offer

    return offer(context, parameter, incomplete)


debug_option = click.Option(
    ["--debug"], is_flag=True, expose_value=False, help="Show the Python traceback of an error."
)
