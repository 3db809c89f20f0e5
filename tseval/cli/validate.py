"""`tseval validate`."""

from __future__ import annotations

from typing import Any

import click

from tseval.cli import options
from tseval.cli.commands import debug_option
from tseval.core import registry
from tseval.core.declared import build
from tseval.core.naming import Naming
from tseval.core.validation import validate
from tseval.io.formats import Forms, forms_of


def command_of_validation() -> click.Command:
    """The command, with the tables and formats that are declared."""
    tables = tuple(registry.schemas())
    return options.command(
        "validate",
        options.files("FILE...", required=True),
        click.Option(
            ["--table"],
            type=click.Choice(tables),
            help="What the files are. Default: by the columns that their headers name.",
        ),
        options.input_format(forms_of(registry.formats(), tables), tables),
        options.column_options(),
        debug_option,
    )(run)


def run(files: tuple[str, ...], table: str | None, input_format: Forms, **given: Any) -> None:
    """Every fault of a file, as file:line: reason.

    Each file by itself; and if there are updates, nuggets and matches among them, whether the
    matches speak of updates and nuggets that are there. The exit code is 1 if there is any fault.
    """
    faulty = False
    for line, is_fault in validate(files, table, input_format, build(Naming, given)):
        faulty |= is_fault
        click.echo(line)
    if faulty:
        raise click.exceptions.Exit(1)


command = command_of_validation()
