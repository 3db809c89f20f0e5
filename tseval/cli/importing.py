"""`tseval import`: files of the formats in the register, as plain tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from tseval.cli.declared_options import column_options, option_of
from tseval.cli.ineffective_options import refuse_options
from tseval.cli.options import StrictCommand, debug_option, output_option, quiet_option
from tseval.cli.output import check_output, deliver, warn
from tseval.core import declared as declarations
from tseval.core import registry
from tseval.core.declared import Declared, declared
from tseval.core.naming import AS_THEY_ARE, Naming, name_imported
from tseval.errors import UsageError
from tseval.io.formats import Import
from tseval.io.inputs import Input

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
        having = defaultdict[str, list[str]](list)
        for each in known.values():
            for field, _ in declared(each.options):
                having[field.name].append(each.name)
        refuse_options(
            [],
            {},
            {
                name: f"with {form}: it is for {', '.join(those)}"
                for name, those in having.items()
                if form not in those
            },
        )
        if len(files) > 1 and not asked.several:
            raise UsageError(f"{form} takes one file at a time")
        naming = declarations.build(Naming, given)
        options, sources = declarations.build(asked.options, given), list[Any](files)
        if naming != AS_THEY_ARE:
            if asked.table is None:
                raise UsageError(
                    f"{naming.first_option} has no meaning with {form}: it has its own form"
                )
            sources = [Input(path) for path in files]
            kind = asked.kind or asked.table.table
            options = name_imported(sources, kind, asked.table, options, naming)
        declarations.check_values((options,), {})
        table = asked.made(sources, options)
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
    fields: dict[str, dict[str, tuple[Declared, Any, list[str]]]] = {}
    for each in known.values():
        for field, what in declared(each.options):
            same_help = fields.setdefault(field.name, {})
            same_help.setdefault(what.help, (what, field.default, []))[2].append(f"`{each.name}`")
    for name, helps in fields.items():
        words = [
            f"For {', '.join(those)}: {h[0].lower()}{h[1:]}" for h, (*_, those) in helps.items()
        ]
        what, default, _ = next(iter(helps.values()))
        decorators.append(option_of(name, default, replace(what, help=" ".join(words))))
    return [*decorators, *column_options(), output_option, quiet_option, debug_option]


command = command_of_imports()
