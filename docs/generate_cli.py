"""Write docs/cli.md: the help of every command as the program prints it, and what matchers take.

Run without arguments to write the page, with `--check` to fail if it isn't current.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

PAGE = Path(__file__).with_name("cli.md")
WIDTH = 80  # fixed, whatever the terminal of whoever runs this
HEAD = """\
# Command line

The program's own help, written here by `docs/generate_cli.py`; `make format` brings it up to date.
"""


def sections(command: click.Command, context: click.Context) -> Iterator[str]:
    """A command's section and those of its subcommands, in the order in which help lists them."""
    shown = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
    heading = "##" if context.parent is None else "###"
    yield f"{heading} {context.command_path}\n\n```text\n{shown}\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is not None and not child.hidden:
                yield from sections(child, narrow(child, name, context))


def narrow(command: click.Command, name: str, parent: click.Context | None) -> click.Context:
    """The context in which a command prints its help, at our width."""
    return click.Context(
        command, info_name=name, parent=parent, terminal_width=WIDTH, max_content_width=WIDTH
    )


def matcher_table() -> Iterator[str]:
    """The section on what `--matcher` takes: every matcher that comes along, by its parameters."""
    from matchers.parameters import parameters_of, show_value
    from matchers.registry import BUILT_IN, find

    yield "## Matchers\n\n`--matcher` takes these. [Matching](matching.md) says when to use each.\n"
    yield "| matcher | parameter | default | values | meaning |"
    yield "| --- | --- | --- | --- | --- |"
    for name in BUILT_IN:
        shown = f"`{name}`"
        for each in [*parameters_of(find(name))] or [None]:
            told = (
                ("", "", "", "")
                if each is None
                else (
                    f"`{each.name}`",
                    "" if each.default in ("", ()) else f"`{show_value(each.default)}`",
                    each.values,
                    each.meaning,
                )
            )
            yield f"| {' | '.join((shown, *told))} |"
            shown = ""


def reference() -> str:
    """The whole page."""
    from tseval.cli import cli

    table = "\n".join(matcher_table())
    return "\n".join([HEAD, *sections(cli, narrow(cli, "tseval", None)), table, ""])


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; fail if the page isn't current.")
def main(check: bool) -> None:
    """Write docs/cli.md, the reference of the command line."""
    page = reference()
    if not check:
        PAGE.write_text(page, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page:
        click.echo("docs/cli.md is not current: run `make format`", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
