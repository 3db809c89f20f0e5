"""`tseval report`."""

from __future__ import annotations

import sys
from typing import Any

import click

from tseval.cli.commands import StrictCommand
from tseval.cli.options import (
    Request,
    declare_command,
    files,
    input_format,
    last_options,
    option_of,
    record_options,
    rule_option,
    shared,
)
from tseval.cli.output import check_output, deliver, refuse_inputs, warn
from tseval.cli.progress import progress
from tseval.comparison.plan import Plan, Treatment
from tseval.core.declared import Declared, build, option
from tseval.core.rules import each_once
from tseval.errors import UsageError
from tseval.io.formats import forms_of
from tseval.io.scores import FORMATS
from tseval.records import frozen
from tseval.reporting import assembling
from tseval.reporting.curves import PANELS
from tseval.reporting.inputs import Parameter, keyword, parameters, report_inputs, served
from tseval.reporting.page.document import report_page

PAGES = (".html", ".htm", "")
"""The suffixes that a page may have."""
TAKEN = "tseval.report.taken"
"""Under this name a context holds what is taken of families."""


@frozen
class FamilyOption:
    """An option that some families declare."""

    flag: str
    declared: tuple[Parameter, ...]
    families: tuple[str, ...]

    @property
    def keyword(self) -> str:
        """What its value is called."""
        return keyword(self.flag)

    def as_click(self) -> list[click.Parameter]:
        """The option as click has it; one that is not given has no value."""
        what = self.declared[0].what
        several = any(each.what.several for each in self.declared)
        help_text = what.help
        if not what.flags:
            repeatable = "; repeatable" if several else ""
            help_text = f"{what.help[0].upper()}{what.help[1:]}{repeatable}."
        named = Declared(
            (self.flag,),
            f"{help_text} [{', '.join(self.families)}]",
            "FILE" if what.is_file else what.metavar,
            what.kind,
            what.choices,
            several,
            at_least=what.at_least,
            by_commas=what.by_commas,
        )
        decorated = option_of(self.keyword, () if several else None, named)(lambda: None)
        return list(decorated.__click_params__)


class ReportCommand(StrictCommand):
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
        more = [parameter for each in found for parameter in each.as_click()]
        return [*own[:place], *more, *own[place:]]


def taken(strange: set[str] | None) -> tuple[FamilyOption, ...]:
    """Options of families, as each declares them: of all, or until none is strange."""
    found: dict[str, FamilyOption] = {}
    for family in served():
        if strange is not None and strange <= set(found):
            break
        for each in parameters(family):
            known = found.get(each.flag, FamilyOption(each.flag, (), ()))
            names = tuple(dict.fromkeys((*known.families, family.name)))
            found[each.flag] = FamilyOption(each.flag, (*known.declared, each), names)
    return tuple(found.values())


@frozen
class ReportOptions:
    """What the page is called, and which curves it shows."""

    title: str = option("The title of the page.", default=assembling.TITLE)
    curves: tuple[str, ...] = option(
        "--curve",
        "A measure whose curve over time is drawn, or several in one quoted string; repeatable. "
        f"Default: the first {PANELS} that have one.",
        metavar="NAME",
        several=True,
    )


@declare_command(
    "report",
    files("SCORES..."),
    shared("wanted", "Default: all that there are. Runs are ordered by the first."),
    record_options(ReportOptions),
    shared("edition_name", "Whose rules the runs are read by; `tseval measures` lists them."),
    rule_option("ts2014"),
    record_options(Plan),
    shared(
        "on_missing",
        "Topics that another run has a score for and this one not; zero only where that is the "
        "worst value.",
        default=Treatment.on_missing,
    ),
    shared("undefined"),
    shared("output"),
    last_options(input_format(forms_of(FORMATS, ("scores",)), ("scores",), "the files of scores")),
    cls=ReportCommand,
)
def command(**values: Any) -> None:
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
    request, own = Request.of(values), build(ReportOptions, values)
    output = request.output
    check_output(output)
    if not request.files:
        raise click.UsageError("Give one or more files of scores.")
    if output is not None and output.suffix.lower() not in PAGES:
        raise UsageError(f"{output}: the page is HTML, so name a file .html")
    if output is None and sys.stdout.isatty():
        raise UsageError("a page is not for a terminal: give -o FILE.html")
    taken_here: tuple[FamilyOption, ...] = click.get_current_context().meta[TAKEN]
    beside = {each.keyword: values[each.keyword] for each in taken_here} | {
        "edition": request.edition_name,
        "rules": each_once(request.named_rules),
        "naming": request.naming,
    }
    with request.where.shared() as sharing:
        asked = assembling.Request(
            scores=request.files,
            measures=request.wanted,
            treatment=build(Treatment, values),
            plan=build(Plan, values),
            form=request.input_format,
            title=own.title,
            beside=report_inputs(beside),
            curves=own.curves,
            sharing=sharing,
        )
        report = assembling.assemble(asked, lambda what: progress(what, request.quiet))
    refuse_inputs(output, [each.path for each in report.inputs])
    warn(report.warnings, request.quiet)
    deliver(report_page(report), output)
