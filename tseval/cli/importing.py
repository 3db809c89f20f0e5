"""`tseval import`: files of the formats in the register, as plain tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from tseval.cli import options
from tseval.cli.commands import debug_option
from tseval.cli.options import Request
from tseval.cli.output import check_output, deliver, warn
from tseval.core import registry
from tseval.core.declared import Declared, build, check_values, declared
from tseval.core.naming import AS_THEY_ARE, name_imported
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

    def run(form: str, **values: Any) -> None:
        request, asked = Request.of(values), known[form]
        output, files = request.output, request.files
        check_output(output)
        if output is not None and output.suffix.lower() in NO_TSV:
            raise UsageError(f"{output}: the table is plain TSV, so name a file .tsv")
        options.check_line(form, called={each: each for each in known})
        if len(files) > 1 and not asked.several:
            raise UsageError(f"{form} takes one file at a time")
        terms, sources = build(asked.options, values), list[Any](files)
        if request.naming != AS_THEY_ARE and asked.table is not None:
            sources = [Input(path) for path in files]
            kind = asked.kind or asked.table.table
            terms = name_imported(sources, kind, asked.table, terms, request.naming)
        check_values((terms,), {})
        table = asked.made(sources, terms)
        warn(table.warnings, request.quiet)
        deliver(table.tsv(), output)

    run.__doc__ = DESCRIPTION.format(formats="\n".join(described(known)))
    with_table = tuple(each.name for each in known.values() if each.table is not None)
    return options.command(
        "import",
        click.Argument(["form"], metavar="FORMAT", type=click.Choice(list(known))),
        options.files("FILE...", required=True),
        import_options(known),
        options.column_options(within=with_table),
        options.shared("output"),
        options.shared("quiet"),
        debug_option,
    )(run)


def described(known: dict[str, Import]) -> list[str]:
    """A line for each format; what is longer goes on under itself."""
    width = max(map(len, known)) + 2
    lines = []
    for each in known.values():
        words = click.wrap_text(each.help, 78 - width, "", "").split("\n")
        lines += [f"{'' if at else each.name:{width}}{line}" for at, line in enumerate(words)]
    return lines


def import_options(known: dict[str, Import]) -> Sequence[click.Parameter]:
    """The options of every format, each once, with the formats that it is for."""
    fields: dict[str, dict[str, tuple[Declared, Any, list[str]]]] = {}
    for each in known.values():
        for field, what in declared(each.options):
            same_help = fields.setdefault(field.name, {})
            same_help.setdefault(what.help, (what, field.default, []))[2].append(each.name)
    found = []
    for name, helps in fields.items():
        words = [
            f"For {', '.join(f'`{form}`' for form in those)}: {text[0].lower()}{text[1:]}"
            for text, (*_, those) in helps.items()
        ]
        forms = tuple(form for *_, those in helps.values() for form in those)
        what, default, _ = next(iter(helps.values()))
        more = replace(what, help=" ".join(words), required=False, within=forms)
        found.append(options.option_of(name, default, more))
    return found


command = command_of_imports()
