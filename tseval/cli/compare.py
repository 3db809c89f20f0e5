"""`tseval compare`, and `tseval sweep`, which compares over matchers and thresholds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import click

from tseval.cli import options
from tseval.cli.commands import STATISTICS, under
from tseval.cli.options import Call, Request
from tseval.cli.output import checked_form, deliver, leave_if, progress, refuse_inputs, warn
from tseval.cli.tables import sections_markdown, sections_table
from tseval.comparison import read_board
from tseval.comparison.board import Board
from tseval.comparison.findings import FINDINGS_FORMS, Comparison, Findings, sections, unmet
from tseval.comparison.plan import AGAINST, LEAD, LEAVE_OUT, POWER, RUNS, Plan, Treatment
from tseval.comparison.runs import compare_board, correlate_boards, discriminate_board
from tseval.comparison.sweep import Tried, sweep_runs
from tseval.comparison.with_gold import LEFT_OUT, ScoredRuns, leads, leave_out
from tseval.core.declared import (
    COMPARE,
    SWEEP,
    UNCOUNTED,
    UNMEASURED,
    build,
    file_option,
    input_tables,
    option,
)
from tseval.core.family import Access
from tseval.core.requirements import requirements
from tseval.errors import UsageError
from tseval.families.temporal.evaluation import TemporalInputs, TemporalOptions
from tseval.families.temporal.family import FAMILY
from tseval.families.temporal.rules import DRAFT
from tseval.io import PICTURES
from tseval.io.formats import form_for, form_named, forms_of
from tseval.io.given import check_inputs
from tseval.io.rows import ROW_FORMS
from tseval.io.schema import SCORES
from tseval.io.scores import FORMATS, provenance_of, read_teams
from tseval.parallel.sharing import Sharing
from tseval.records import frozen
from tseval.statistics.ranks import PERSISTENCE

MARKDOWN = "markdown"


@frozen
class Question:
    """What is asked instead of a comparison of runs."""

    power: bool = option(
        "Show instead how many pairs of runs each measure separates, and the difference it needs.",
        kind=bool,
    )
    against: tuple[str, ...] = option(
        "Show instead how similarly these scores rank the runs; repeatable.",
        metavar="SCORES",
        several=True,
        not_within=("--against-matcher",),
    )
    against_matcher: str | None = option(
        "As --against, with the runs scored by this matcher; needs --gold.",
        metavar="NAME",
        within=("--gold",),
    )
    against_measure: str | None = option(
        "As --against, with this measure, of the --against scores or else of the same scores.",
        metavar="NAME",
    )
    persistence: float = option(
        "The persistence of rank-biased overlap: higher values read further down.",
        default=PERSISTENCE,
        within=(AGAINST,),
    )
    leave_out: str | None = option(
        "Show instead how scores and ranks change without the matches that only one run, or one "
        "team, contributed; needs --gold and --matches.",
        choices=LEFT_OUT,
        within=("--gold",),
    )
    teams: str | None = file_option(
        "The team of each run: a table `run team`. Default: the part of the name before its first "
        "`-`.",
        within=("--leave-out team",),
    )
    lead: bool = option(
        "Show instead how much earlier each run of a pair reports common nuggets; needs --gold.",
        kind=bool,
        within=("--gold",),
    )
    gold: str | None = option(
        "Take the files as runs, and score them first against these nuggets.",
        metavar="NUGGETS",
    )

    @property
    def analysis(self) -> str:
        """Which analysis is asked for; two at once are refused."""
        asked = {
            POWER: self.power,
            AGAINST: bool(self.against or self.against_matcher or self.against_measure),
            LEAVE_OUT: bool(self.leave_out),
            LEAD: self.lead,
        }
        chosen = [name for name, wanted in asked.items() if wanted]
        if len(chosen) > 1:
            first, second = chosen[:2]
            raise UsageError(f"--{first} and --{second} are two questions: ask one at a time")
        return chosen[0] if chosen else RUNS


@frozen
class ComparisonRequest:
    """A comparison as it was asked for."""

    request: Request
    question: Question
    plan: Plan
    treatment: Treatment
    runs: ScoredRuns | None = None
    """The runs with their gold; None where the files are scores."""

    def form_of(self, name: str) -> str | None:
        """The format of scores: beside runs and gold, that of all is not for them."""
        return (form_for if self.runs is None else form_named)(self.request.input_format, name)

    def board(self, runs: ScoredRuns | None, wanted: Sequence[str]) -> Board:
        """The scores that are given, or those of the runs that are."""
        request = self.request
        if runs is None:
            return read_board(request.files, wanted, self.treatment, self.form_of("scores"))
        with progress("matching", request.quiet) as tell:
            return runs.board_of(runs.evaluation(tell), self.treatment)

    @property
    def other_board(self) -> Board:
        """The scores that are held against: of files, of another matcher, or by another measure."""
        asked, runs, wanted = self.question, self.runs, self.request.wanted
        wanted = wanted if asked.against_measure is None else (asked.against_measure,)
        if asked.against:
            return read_board(asked.against, wanted, self.treatment, self.form_of("against"))
        if runs is not None and asked.against_matcher is not None:
            inputs = replace(runs.inputs, matches=None)
            options = replace(runs.options, matcher=asked.against_matcher, threshold=None)
            runs = replace(runs, inputs=inputs, options=options)
        return self.board(runs and replace(runs, measures=wanted), wanted)

    def findings(self) -> Findings:
        """What is found by the analysis that is asked for."""
        question, plan, request, runs = self.question, self.plan, self.request, self.runs
        analysis = question.analysis
        if analysis == LEAVE_OUT and runs is not None:
            teams = None if question.teams is None else read_teams(question.teams)
            with progress("leaving out", request.quiet) as tell:
                return leave_out(runs, str(question.leave_out), self.treatment, teams, tell)
        if analysis == LEAD and runs is not None:
            with progress("matching", request.quiet) as tell:
                return leads(runs.evaluation(tell), plan)
        board = partial(self.board, runs, request.wanted)
        if analysis == AGAINST:
            check_inputs([*request.files, *question.against])
            other, measure = self.other_board, question.against_measure
            return correlate_boards(board(), other, plan, question.persistence, measure)
        return (compare_board if analysis == RUNS else discriminate_board)(board(), plan)

    def recorded(self) -> Iterator[str]:
        """The inputs that the files of scores name."""
        named = [(each, "scores") for each in self.request.files if self.runs is None]
        named += [(each, "against") for each in self.question.against if self.runs is None]
        for path, name in named:
            known = provenance_of(path, self.form_of(name))
            yield from () if known is None else (source.path for source in known.inputs)


def scored_runs(
    request: Request, values: Mapping[str, Any], files: Sequence[str], sharing: Sharing
) -> ScoredRuns:
    """Runs with their gold, the last of the files, and how the command line has them scored."""
    form, known = request.input_format, forms_of(FAMILY.formats, OF_RUNS.values())
    if isinstance(form, str) and form not in known:
        raise UsageError(
            f"--input-format {form} is for scores; runs and gold have: {', '.join(known)}"
        )
    call = Call.of(FAMILY, request, values)
    return ScoredRuns(
        family=FAMILY,
        inputs=call.inputs(files),
        options=call.options,
        edition=request.edition_name,
        rules=call.rules,
        measures=request.wanted,
        at=request.at,
        access=Access(request.input_format, sharing),
    )


def deliver_findings(found: Findings, form: str, request: Request) -> None:
    """Write findings in the form that is asked for; their warnings are told."""
    warn(found.warnings, request.quiet)
    if form == "table":
        to_file = request.output is not None
        content = sections_table(sections(found), found.signature, to_file=to_file)
    elif form == MARKDOWN:
        content = sections_markdown(sections(found), found.signature)
    else:
        content = found.in_form(form)
    deliver(content, request.output, form=form)


OF_RUNS = input_tables(TemporalInputs)
"""What the inputs of runs that are scored first are called, and their tables."""
INPUT_FORMS = forms_of((*FAMILY.formats, *FORMATS), (SCORES.table, *OF_RUNS.values()))


WITH_GOLD = partial(options.of_record, within=("--gold",))
"""Options that say how runs are scored, and so need the gold."""


@options.command(
    "compare",
    options.files("SCORES..."),
    options.shared("wanted", "Default: all."),
    under(STATISTICS, options.of_record(Plan)),
    options.of_record(Question),
    options.shared(
        "edition_name",
        "The edition whose rules apply, with --gold; `tseval measures` lists them. Default: draft.",
        within=("--gold",),
    ),
    options.shared("at", within=("--gold",)),
    WITH_GOLD(TemporalInputs),
    WITH_GOLD(TemporalOptions, COMPARE),
    options.rule("ts2014", within=("--gold",)),
    options.shared(
        "on_missing",
        "How to count a topic for which only other runs have a score. Default: as the scores or "
        "the edition say, else zero if that is the worst value.",
    ),
    options.shared("undefined"),
    options.of_record(Treatment),
    options.result_format(
        ["table", *FINDINGS_FORMS, MARKDOWN], "table", "LaTeX has the table of runs only."
    ),
    options.shared("require", within=(RUNS,)),
    options.last(
        options.input_format(INPUT_FORMS, ("scores", "against", *OF_RUNS)),
        resumes=True,
        within=("--gold",),
    ),
)
def command(**values: Any) -> None:
    """Compare systems: intervals, tests, rank correlation.

    \b
    tseval compare fixtures/runs/*.tsv --gold fixtures/nuggets.tsv -m R

    SCORES holds scores per topic, as `tseval score` and other scoring commands write with `-q`:
    CSV, JSON, Parquet or trec. It may be a table of TREC Temporal Summarization's own scripts. With
    --gold, give runs instead, and tseval scores them first. `-` is standard input.

    Runs share a letter if they do not differ significantly. If there are too few topics for any
    significant difference, the table has no letters and says so.
    """
    request, question = Request.of(values), build(Question, values)
    if not request.files:
        raise click.UsageError("Give one or more files of scores.")
    analysis = question.analysis
    limits = (UNMEASURED, UNCOUNTED) if analysis == LEAD else ()
    called = {name: f"--{name}" for name in (POWER, AGAINST, LEAVE_OUT, LEAD)}
    options.check_line(analysis, COMPARE, *limits, called=called | dict.fromkeys(limits, "--lead"))
    asked = ComparisonRequest(request, question, build(Plan, values), build(Treatment, values))
    wishes = requirements(request.require)
    known = FINDINGS_FORMS if analysis == RUNS else ROW_FORMS
    form = checked_form(request, ("table", *known, MARKDOWN), "table")
    with request.where.shared() as sharing:
        if question.gold is not None:
            files = (*request.files, question.gold)
            asked = replace(asked, runs=scored_runs(request, values, files, sharing))
        found = asked.findings()
    refuse_inputs(request.output, asked.recorded())
    deliver_findings(found, form, request)
    leave_if(unmet(wishes, found) if isinstance(found, Comparison) else [])


SWEEP_FORMS = ("table", *ROW_FORMS, MARKDOWN, *PICTURES)
SWEPT = ("updates", "nuggets", "matches", "topics", "duplicates", "pool", "corrections")


@options.command(
    "sweep",
    options.files("UPDATES... NUGGETS"),
    options.shared("wanted", "See `tseval measures`. Default: those of the edition."),
    options.shared("edition_name", "The edition whose rules apply.", default=DRAFT.name),
    options.shared("at"),
    options.of_record(Tried),
    options.of_record(TemporalInputs, SWEEP),
    options.of_record(TemporalOptions, SWEEP),
    options.rule("ts2014"),
    options.shared("on_missing", options.MISSING_TOPICS),
    options.shared("undefined"),
    under(STATISTICS, options.of_record(Plan, SWEEP)),
    options.result_format(SWEEP_FORMS, "table"),
    options.last(options.formats_of(FAMILY, *SWEPT)),
)
def sweep(**values: Any) -> None:
    """Test whether the ranking of runs depends on the matcher.

    \b
    tseval sweep fixtures/runs/*.tsv fixtures/nuggets.tsv -m 'R T' -o sweep.html

    tseval scores and compares the runs with every matcher at every threshold, and with --matches if
    you give it. The table shows the means and the best run at each setting. For every pair of runs
    it shows how often each is ahead, and how often they differ significantly. A warning names the
    measures whose best run depends on the matcher. -o with the suffix of a picture gives a chart.
    """
    request = Request.of(values)
    form = checked_form(request, SWEEP_FORMS, "table")
    with request.where.shared() as sharing, progress("sweeping", request.quiet) as tell:
        runs = scored_runs(request, values, request.files, sharing)
        plan, treatment = build(Plan, values), build(Treatment, values)
        found = sweep_runs(runs, build(Tried, values), plan, treatment, tell)
    deliver_findings(found, form, request)
