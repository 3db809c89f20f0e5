"""`tseval report`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from tseval.cli import options
from tseval.cli.declared_options import option_of, record_options
from tseval.cli.options import chained, parted
from tseval.cli.output import check_output, deliver, refuse_inputs, warn
from tseval.cli.progress import progress
from tseval.comparison.plan import Plan, Treatment
from tseval.core import declared as declarations
from tseval.core.calling import Where
from tseval.core.declared import Declared
from tseval.core.family import Family
from tseval.core.rules import each_once
from tseval.errors import UsageError
from tseval.files.formats import forms_of
from tseval.files.score_readers import FORMATS
from tseval.reporting.assembling import TITLE, Request, assemble
from tseval.reporting.curves import PANELS
from tseval.reporting.inputs import Beside, Parameter, beside, keyword, parameters, served
from tseval.reporting.page.document import report_page

PAGES = (".html", ".htm", "")
"""The suffixes that a page may have."""
TAKEN = "tseval.report.taken"
"""Under this name a context holds what is taken of families."""


class ReportCommand(click.Command):
    """Takes what families declare of a report beside its own options.

    Families are loaded until every option on the command line is known; for help all of them are.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the families that these arguments speak of, then parse."""
        own = {flag for each in super().get_params(ctx) for flag in (*each.opts, "--help")}
        strange = {each.partition("=")[0] for each in args if each.startswith("--")} - own - {"--"}
        if not {"-h", "--help"} & set(args):
            ctx.meta[TAKEN] = taken(strange)
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Its own options, and those of families after the one for curves."""
        own = super().get_params(ctx)
        found = taken(None) if TAKEN not in ctx.meta else ctx.meta[TAKEN]
        place = [each.name for each in own].index("curves") + 1
        more = [parameter for each in found.items() for parameter in _click_option(*each)]
        return [*own[:place], *more, *own[place:]]


def taken(strange: set[str] | None) -> dict[str, list[tuple[Family[Any, Any], Parameter]]]:
    """Options of families by flag, as each declares them: of all, or until none is strange."""
    found: dict[str, list[tuple[Family[Any, Any], Parameter]]] = {}
    for family in served():
        if strange is not None and strange <= set(found):
            break
        for each in parameters(family):
            found.setdefault(each.flag, []).append((family, each))
    return found


def _click_option(
    flag: str, declared: Sequence[tuple[Family[Any, Any], Parameter]]
) -> Iterator[click.Parameter]:
    """An option of some families as click has it; one that is not given has no value."""
    what = declared[0][1].what
    several = any(each.what.several for _, each in declared)
    help_text = what.help
    if not what.flags:
        repeatable = "; repeatable" if several else ""
        help_text = f"{what.help[0].upper()}{what.help[1:]}{repeatable}."
    names = ", ".join(dict.fromkeys(family.name for family, _ in declared))
    named = Declared(
        (flag,),
        f"{help_text} [{names}]",
        "FILE" if what.is_file else what.metavar,
        what.kind,
        what.choices,
        several,
        at_least=what.at_least,
        by_commas=what.by_commas,
    )
    decorated = option_of(keyword(flag), () if several else None, named)(lambda: None)
    yield from decorated.__click_params__


def _beside(given: Mapping[str, Any], rules: Sequence[str]) -> Beside | None:
    """Runs and gold that the options name."""
    found = {name: value for name, value in given.items() if name != "edition_name"}
    return beside(found | {"edition": given["edition_name"], "rules": each_once(parted(rules))})


@click.command("report", cls=ReportCommand)
@click.argument("files", nargs=-1, metavar="SCORES...", type=click.Path(path_type=str))
@click.option("--title", default=TITLE, show_default=True, help="The title of the page.")
@options.measures_named("Default: all that there are. Runs are ordered by the first.")
@click.option(
    "--curve",
    "curves",
    multiple=True,
    metavar="NAME",
    help="A measure whose curve over time is drawn, or several in one quoted string; repeatable. "
    f"Default: the first {PANELS} that have one.",
)
@click.option("--edition", "edition_name", metavar="NAME", help="Whose rules the runs are read by.")
@options.rule_option("ts2014")
@chained(*record_options(Plan))
@options.on_missing(
    "Topics that another run has a score for and this one not; zero only where that is the "
    "worst value.",
    Treatment.on_missing,
)
@options.undefined_option
@options.output_option
@options.input_format(forms_of(FORMATS, ("scores",)), ("scores",), "the files of scores")
@options.engine_options
@options.quiet_option
@options.debug_option
def command(files: tuple[str, ...], **given: Any) -> None:
    """One self-contained page about runs and their scores.

    SCORES are what `tseval score`, or another scoring command, writes with `-q`, as for `tseval
    compare`. The page shows means with intervals and letters, and the score of each topic; with
    runs and gold also what the family of the scores has to show of them, such as curves over time,
    who said what when, redundancy and verbosity. These are given by the options below, of one
    family, or are those that scores in JSON record, if the files are still what they were. The page
    is one file that loads nothing, and can be read without scripts.

    \b
    tseval score mine.tsv theirs.tsv nuggets.tsv --matches matches.tsv -q -o scores.json
    tseval report scores.json -o report.html
    """
    output: Path | None = given["output"]
    check_output(output)
    if not files:
        raise click.UsageError("Give one or more files of scores.")
    if output is not None and output.suffix.lower() not in PAGES:
        raise UsageError(f"{output}: the page is HTML, so name a file .html")
    if output is None and sys.stdout.isatty():
        raise UsageError("a page is not for a terminal: give -o FILE.html")
    named = {keyword(flag) for flag in click.get_current_context().meta[TAKEN]} | {"edition_name"}
    request = Request(
        scores=files,
        measures=given["wanted"],
        treatment=Treatment(given["on_missing"], given["undefined"]),
        plan=declarations.build(Plan, given),
        form=given["input_format"],
        title=given["title"],
        beside=_beside({name: given[name] for name in sorted(named)}, given["rules"]),
        curves=given["curves"],
    )
    with declarations.build(Where, given).shared() as sharing:
        report = assemble(
            replace(request, sharing=sharing), lambda what: progress(what, given["quiet"])
        )
    refuse_inputs(output, [each.path for each in report.inputs])
    warn(report.warnings, given["quiet"])
    deliver(report_page(report), output)
