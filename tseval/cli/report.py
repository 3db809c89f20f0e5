"""`tseval report`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from tseval.cli import options
from tseval.cli.commands import STATISTICS, StrictCommand, under
from tseval.cli.options import Request
from tseval.cli.output import checked_form, deliver, progress, refuse_inputs, warn
from tseval.comparison.plan import Plan, Treatment
from tseval.core.declared import Declared, build, option
from tseval.core.rules import each_once
from tseval.io.formats import forms_of
from tseval.io.scores import FORMATS
from tseval.records import frozen
from tseval.reporting import assembling
from tseval.reporting.curves import PANELS
from tseval.reporting.inputs import keyword, parameters, report_inputs, served
from tseval.reporting.page.document import report_page

TAKEN = "tseval.report.taken"
"""Under this name a context holds what is taken of families."""


class ReportCommand(StrictCommand):
    """Takes what families declare of a report beside its own options.

    Families are loaded until every option on the command line is known; for help all of them are.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Find the families that these arguments speak of, then parse."""
        own = {flag for each in super().get_params(ctx) for flag in each.opts}
        asked = {each.partition("=")[0] for each in args if each.startswith(("--", "-h"))}
        ctx.meta[TAKEN] = taken(asked - own - {"--"})
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Its own options, and those of families after the one for curves."""
        own = super().get_params(ctx)
        found = ctx.meta[TAKEN] if TAKEN in ctx.meta else taken({"--help"})
        place = [each.name for each in own].index("curves") + 1
        more = [
            options.option_of(keyword(flag), () if what.several else None, what)
            for flag, what in found.items()
        ]
        return [*own[:place], *more, *own[place:]]


def taken(strange: set[str]) -> dict[str, Declared]:
    """Options of families by their flags, until none is strange; the help names the families."""
    found: dict[str, tuple[Declared, list[str]]] = {}
    for family in served():
        if strange <= set(found):
            break
        for each in parameters(family):
            what, names = found.setdefault(each.flag, (each.what, []))
            names += [] if family.name in names else [family.name]
            found[each.flag] = replace(what, several=what.several or each.what.several), names
    options_taken = {}
    for flag, (what, names) in found.items():
        words = what.help
        if not what.flags:
            words = f"{words[0].upper()}{words[1:]}{'; repeatable' if what.several else ''}."
        metavar, words = "FILE" if what.is_file else what.metavar, f"{words} [{', '.join(names)}]"
        more = replace(what, flags=(flag,), help=words, metavar=metavar, required=False)
        options_taken[flag] = more
    return options_taken


@frozen
class ReportOptions:
    """What the page is called, and which curves it shows."""

    title: str = option("The title of the page.", default=assembling.TITLE)
    curves: tuple[str, ...] = option(
        "--curve",
        "Draw the curve of this measure over time, or of several in one quoted string; repeatable. "
        f"Default: the first {PANELS} that have a curve.",
        metavar="NAME",
        several=True,
    )


@options.command(
    "report",
    options.files("SCORES..."),
    options.shared("wanted", "Default: all. The first measure orders the runs."),
    options.of_record(ReportOptions),
    options.shared(
        "edition_name", "The edition whose rules apply to the runs; `tseval measures` lists them."
    ),
    options.rule("ts2014"),
    under(STATISTICS, options.of_record(Plan)),
    options.shared(
        "on_missing",
        "How to count a topic for which only other runs have a score; zero only where 0 is the "
        "worst value.",
        default=Treatment.on_missing,
    ),
    options.shared("undefined"),
    options.last(
        options.input_format(forms_of(FORMATS, ("scores",)), ("scores",), "the files of scores")
    ),
    cls=ReportCommand,
)
def command(**values: Any) -> None:
    """Write a self-contained page about runs and their scores.

    \b
    tseval score fixtures/runs/*.tsv fixtures/nuggets.tsv -q -o scores.json
    tseval report scores.json -o report.html

    SCORES holds scores per topic, as for `tseval compare`. The page shows means with intervals and
    letters, and the score of each topic. With runs and gold it also shows curves over time, the
    first report of each fact, redundancy and verbosity, depending on the family. Give runs and gold
    by the options below, all of one family. Scores in JSON record them, so you can leave them out
    if the files are unchanged. The page is one file that loads nothing and needs no scripts.
    """
    request, own = Request.of(values), build(ReportOptions, values)
    checked_form(request, ("html",), "html")
    if not request.files:
        raise click.UsageError("Give one or more files of scores.")
    taken_here = map(keyword, click.get_current_context().meta[TAKEN])
    beside = {name: values[name] for name in taken_here} | {
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
    refuse_inputs(request.output, [each.path for each in report.inputs])
    warn(report.warnings, request.quiet)
    deliver(report_page(report), request.output)
