"""What there is: `tseval import` and `validate` files of known formats, `tseval measures`."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from itertools import chain
from typing import Any

import click

from tseval.cli import options
from tseval.cli.commands import complete, under
from tseval.cli.options import Request
from tseval.cli.output import check_output, deliver, warn
from tseval.core import registry
from tseval.core.declared import Declared, build, check_values, declared
from tseval.core.measure import Definition, Parameter, calls, with_name
from tseval.core.naming import AS_THEY_ARE, Naming, name_imported
from tseval.core.rules import Edition
from tseval.errors import BAD_INPUT, MeasureError, UsageError
from tseval.io.formats import Forms, Import, forms_of
from tseval.io.inputs import Input

NO_TSV = (".gz", ".bz2", ".xz", ".zst", ".csv", ".json", ".jsonl", ".parquet")
"""Suffixes by which whoever reads the table would expect something else."""
DESCRIPTION = """\
Convert files of other formats to plain tables.

\b
tseval import changes-run fixtures/changes/terse.jsonl -o run.tsv

FORMAT is the format of the files, which may be compressed:

\b
{formats}
"""


def import_command() -> click.Command:
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

    described = entries(*((each.name, each.help) for each in known.values()), width=78)
    run.__doc__ = DESCRIPTION.format(formats="\n".join(described))
    with_table = tuple(each.name for each in known.values() if each.table is not None)
    return options.command(
        "import",
        click.Argument(["form"], metavar="FORMAT", type=click.Choice(list(known))),
        options.files("FILE...", required=True),
        under("Input", import_options(known)),
        options.column_options(within=with_table),
        options.shared("output"),
        options.shared("quiet"),
    )(run)


def import_options(known: dict[str, Import]) -> list[click.Parameter]:
    """The options of every format, each once, with the formats that it is for."""
    fields: dict[str, dict[str, list[str]]] = {}
    first: dict[str, tuple[Any, Declared]] = {}
    for each in known.values():
        for field, what in declared(each.options):
            fields.setdefault(field.name, {}).setdefault(what.help, []).append(each.name)
            first.setdefault(field.name, (field.default, what))
    found: list[click.Parameter] = []
    for name, helps in fields.items():
        words = [
            f"For {', '.join(f'`{form}`' for form in forms)}: {text[0].lower()}{text[1:]}"
            for text, forms in helps.items()
        ]
        default, what = first[name]
        forms = tuple(chain.from_iterable(helps.values()))
        more = replace(what, help=" ".join(words), required=False, within=forms)
        found.append(options.option_of(name, default, more))
    return found


def validate_command() -> click.Command:
    """The command, with the tables and formats that are declared."""
    tables = tuple(registry.schemas())
    return options.command(
        "validate",
        options.files("FILE...", required=True),
        click.Option(
            ["--table"],
            type=click.Choice(tables),
            help="The kind of table. Default: detected from the columns in the header.",
        ),
        options.input_format(forms_of(registry.formats(), tables), tables),
        options.column_options(),
        under("Input", track_options()),
    )(validate_files)


def track_options() -> list[click.Parameter]:
    """The options for the rules of a track's own checker."""
    return [
        click.Option(
            ["--as", "checker"],
            type=click.Choice(["track"]),
            help="Report what the public checker of TREC Change Detection refuses, and no more. "
            "FILE is a run; --topics and --days are needed.",
        ),
        click.Option(["--topics"], metavar="FILE", help="The track's topics."),
        click.Option(["--days"], metavar="FILE", help="The days of the collection, one a line."),
        click.Option(
            ["--name", "names"],
            metavar="[FILE=]RUNTAG",
            multiple=True,
            help="The runtag under which a run is submitted; repeatable. Default: any.",
        ),
    ]


def validate_files(
    files: tuple[str, ...],
    table: str | None,
    input_format: Forms,
    checker: str | None,
    topics: str | None,
    days: str | None,
    names: tuple[str, ...],
    **given: Any,
) -> None:
    """List every fault of a file, as file:line: reason.

    \b
    tseval validate fixtures/runs/*.tsv fixtures/nuggets.tsv

    tseval checks each file by itself. With updates, nuggets and matches, it also checks that the
    matches name existing updates and nuggets. The exit code is 1 if there is any fault.
    """
    from tseval.core.validation import validate
    from tseval.families.changes.track import check_as_track

    naming = build(Naming, given)
    if checker is None:
        if topics or days or names:
            raise UsageError("--topics, --days and --name have a meaning with --as track alone")
        lines = validate(files, table, input_format, naming)
    elif topics is None or days is None:
        raise UsageError("--as track needs --topics FILE and --days FILE")
    elif table or input_format or naming != AS_THEY_ARE:
        raise UsageError("--as track reads the track's files: leave out --table and formats")
    else:
        lines = check_as_track(files, topics, days, names)
    faulty = False
    for line, is_fault in lines:
        faulty |= is_fault
        click.echo(line)
    if faulty:
        raise click.exceptions.Exit(BAD_INPUT)


WIDTH = 88
NAME_WIDTH = 8
"""What the names of a family take at least."""


@options.command(
    "measures",
    click.Argument(["name"], required=False, shell_complete=complete),
    options.shared("edition_name", "Show the rules of an edition instead."),
)
def measures(name: str | None, edition_name: str | None) -> None:
    """Describe measures: definition, parameters, range, empty case, citation.

    \b
    tseval measures R

    Without NAME, tseval lists all measures by family. NAME may have parameters and a time, as in
    `T(unit=min)@24h`; tseval checks them.
    """
    if edition_name is not None and name is not None:
        raise UsageError("give NAME or --edition, not both")
    if edition_name is not None:
        found = registry.editions(edition_name)
        lines = [line for each in found for line in edition_lines(each)]
    elif name is not None:
        lines = [line for each in definitions_of(name) for line in definition_lines(each)]
    else:
        lines = []
        for family, definitions in registry.families().items():
            width = max(NAME_WIDTH, *(len(name) + 1 for name in definitions))
            lines.append(f"{family}:")
            lines += [f"  {each.name:<{width}}{each.summary}" for each in definitions.values()]
        names = dict.fromkeys(each.name for each in registry.all_editions())
        lines.append(f"editions: {', '.join(names)}")
        more = "`tseval measures --edition NAME` an edition's rules"
        lines.append(f"`tseval measures NAME` tells more, {more}")
    click.echo("\n".join(lines))


def definitions_of(name: str) -> list[Definition]:
    """The definition in every family that knows the name."""
    found, wrong = [], None
    for family, definitions in registry.families().items():
        own = with_name(name, definitions)
        if not any(calls(own, each) for each in definitions):
            continue
        try:
            found.append(definitions.get(own) or registry.measure(own, family).definition)
        except MeasureError as error:
            wrong = error
    if not found:
        raise wrong or UsageError(f"unknown measure '{name}': `tseval measures` lists all")
    return found


def definition_lines(definition: Definition) -> list[str]:
    """All about a measure."""
    better = "higher" if definition.higher_is_better else "lower"
    about = (
        ("family", definition.family),
        ("definition", definition.formula),
        ("direction", f"{better} is better"),
        ("range", definition.range),
        ("empty case", definition.empty_case),
        *(("parameter", parameter_words(definition, each)) for each in definition.parameters),
        ("citation", definition.citation),
    )
    return [f"{definition.name}: {definition.summary}", *entries(*about, indent="  ")]


def parameter_words(definition: Definition, parameter: Parameter) -> str:
    """What a parameter of a measure is, and how it is written."""
    if parameter.flag:
        return f"{definition.name}({parameter.name}): {parameter.meaning}"
    choices = "|".join(parameter.choices) + ("|…" if parameter.parse is not None else "")
    if parameter.bare:
        return f"{definition.name}({choices}): {parameter.meaning}"
    default = f"; default {parameter.default}" if parameter.default else ""
    return f"{parameter.name}={choices}: {parameter.meaning}{default}"


def edition_lines(edition: Edition[Any]) -> list[str]:
    """All about an edition."""
    about = [
        ("family", edition.family),
        ("measures", " ".join(edition.measures)),
        ("on missing", edition.on_missing),
        ("citation", edition.citation),
    ]
    for rule in edition.rules.each():
        others = ", ".join(value for value in rule.values if value != rule.value)
        words = f"{rule.name}={rule.value}: {rule.meaning}: {rule.words} (or {others})"
        about.append(("rule", words))
    return [f"{edition.name}: {edition.summary}", *entries(*about, indent="  ")]


def entries(*pairs: tuple[str, str], indent: str = "", width: int = WIDTH) -> list[str]:
    """Titles with their texts, which go on under themselves."""
    column = max(len(title) for title, _ in pairs) + 2
    lines = []
    for title, text in pairs:
        label = f"{indent}{title:{column}}"
        blank = " " * len(label)
        lines += textwrap.wrap(text, width, initial_indent=label, subsequent_indent=blank)
    return lines
