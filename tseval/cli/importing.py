"""`tseval import`: files of the formats in the register, as plain tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from tseval.cli.declared_options import option_of
from tseval.cli.options import StrictCommand, debug_option, on_line, output_option, quiet_option
from tseval.cli.output import check_output, deliver, warn
from tseval.core import declared as declarations
from tseval.core import registry
from tseval.core.declared import declared
from tseval.errors import UsageError
from tseval.files.imports import Import

NO_TSV = (".gz", ".bz2", ".xz", ".zst", ".csv", ".json", ".jsonl", ".parquet")
"""Suffixes by which whoever reads the table would expect something else."""
DESCRIPTION = """\
Files of other formats as plain tables.

FORMAT says what the files are, plain or compressed:

\b
{formats}

\b
tseval import ts-run run.gz --pool updates_sampled.tsv.gz -o run.tsv
tseval import clusters clusters.json.gz --epochs epochs.txt.gz -o clusters.tsv
tseval import pool one.jsonl two.jsonl --ontology types.json -o pool.tsv
tseval import sample one.tsv two.tsv --size 50 -o sample.tsv
"""


def command_of_imports() -> click.Command:
    """The command, with the formats and options that are declared."""
    known = registry.imports()

    def run(
        form: str, files: tuple[str, ...], output: Path | None, quiet: bool, **given: Any
    ) -> None:
        check_output(output)
        if output is not None and output.suffix.lower() in NO_TSV:
            raise UsageError(f"{output}: the table is plain TSV, so name a file .tsv")
        asked = known[form]
        refuse_ineffective(asked, known)
        if len(files) > 1 and not asked.several:
            raise UsageError(f"{form} takes one file at a time")
        table = asked.made(files, declarations.build(asked.options, given))
        warn(table.warnings, quiet)
        deliver(table.tsv(), output)

    run.__doc__ = DESCRIPTION.format(formats="\n".join(described(known)))
    for decorate in reversed(parameters(known)):
        run = decorate(run)
    return click.command("import", cls=StrictCommand)(run)


def described(known: dict[str, Import]) -> list[str]:
    """A line for each format; what is longer goes on under itself."""
    width = max(map(len, known)) + 2
    lines = []
    for each in known.values():
        words = click.wrap_text(each.help, 78 - width, "", "").split("\n")
        lines += [f"{'' if at else each.name:{width}}{line}" for at, line in enumerate(words)]
    return lines


def parameters(known: dict[str, Import]) -> list[Callable[[Any], Any]]:
    """What the command takes: the options of every format, each once."""
    decorators = [
        click.argument("form", metavar="FORMAT", type=click.Choice(list(known))),
        click.argument(
            "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=str)
        ),
    ]
    seen: set[str] = set()
    for record in dict.fromkeys(each.options for each in known.values()):
        named = [(field.name, what) for field, what in declared(record) if field.name not in seen]
        for name, what in named:
            meant = ", ".join(f"`{each}`" for each in having(name, known))
            shown = replace(what, help=f"For {meant}: {what.help[0].lower()}{what.help[1:]}")
            decorators.append(option_of(name, getattr(record, name), shown))
        seen |= {name for name, _ in named}
    return [*decorators, output_option, quiet_option, debug_option]


def refuse_ineffective(asked: Import, known: dict[str, Import]) -> None:
    """Refuse options that the format does not have."""
    own = {field.name for field, _ in declared(asked.options)}
    for each in known.values():
        for field, what in declared(each.options):
            if field.name not in own and on_line(field.name):
                meant = ", ".join(having(field.name, known))
                raise UsageError(f"{what.name} has no meaning with {asked.name}: it is for {meant}")


def having(name: str, known: dict[str, Import]) -> list[str]:
    """The formats that have an option."""
    return [
        each.name
        for each in known.values()
        if name in {field.name for field, _ in declared(each.options)}
    ]


command = command_of_imports()
