"""`tseval compare`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import click

from tseval.cli import options
from tseval.cli.findings import MARKDOWN, deliver_findings, scored_runs
from tseval.cli.options import Request
from tseval.cli.output import checked_form, leave_if, refuse_inputs
from tseval.cli.progress import progress
from tseval.comparison import read_board
from tseval.comparison.board import Board
from tseval.comparison.findings import FINDINGS_FORMS, Comparison, Findings, unmet
from tseval.comparison.plan import AGAINST, LEAD, LEAVE_OUT, POWER, RUNS, Plan, Treatment
from tseval.comparison.runs import compare_board, correlate_boards, discriminate_board
from tseval.comparison.with_gold import LEFT_OUT, ScoredRuns, leads, leave_out
from tseval.core.declared import (
    COMPARE,
    UNCOUNTED,
    UNMEASURED,
    build,
    file_option,
    input_tables,
    option,
)
from tseval.core.requirements import requirements
from tseval.errors import UsageError
from tseval.families.temporal.evaluation import TemporalInputs, TemporalOptions
from tseval.families.temporal.family import FAMILY
from tseval.io.formats import form_for, form_named, forms_of
from tseval.io.given import check_inputs
from tseval.io.rows import ROW_FORMS
from tseval.io.schema import SCORES
from tseval.io.scores import FORMATS, provenance_of, read_teams
from tseval.records import frozen
from tseval.statistics.ranks import PERSISTENCE


@frozen
class Question:
    """What is asked instead of a comparison of runs."""

    power: bool = option(
        "Instead: how many pairs of runs each measure tells apart, and by which difference.",
        kind=bool,
    )
    against: tuple[str, ...] = option(
        "Instead: how alike these scores rank the runs; repeatable.",
        metavar="SCORES",
        several=True,
        not_within=("--against-matcher",),
    )
    against_matcher: str | None = option(
        "The same against the runs scored by this matcher, with --gold.",
        metavar="NAME",
        within=("--gold",),
    )
    against_measure: str | None = option(
        "The same against this measure: of those scores, or without them of the same.",
        metavar="NAME",
    )
    persistence: float = option(
        "How far down rank-biased overlap reads.",
        default=PERSISTENCE,
        within=(AGAINST,),
    )
    leave_out: str | None = option(
        "Instead: how scores and ranks move without the matches that a run, or a team, brought "
        "alone; with --gold and --matches.",
        choices=LEFT_OUT,
        within=("--gold",),
    )
    teams: str | None = file_option(
        "Whose each run is: a table `run team`. Default: the part of the name before its first "
        "`-`.",
        within=("--leave-out team",),
    )
    lead: bool = option(
        "Instead: how much earlier each run says the nuggets that both of two say; with --gold.",
        kind=bool,
        within=("--gold",),
    )
    gold: str | None = option(
        "The files are runs, which are scored against these nuggets first, as `tseval score` does.",
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


@frozen(kw_only=True)
class CompareRequest(Request):
    """A comparison as it was asked for."""

    question: Question
    plan: Plan
    treatment: Treatment
    runs: ScoredRuns | None = None
    """The runs with their gold; None where the files are scores."""

    def form_of(self, name: str) -> str | None:
        """The format of scores: beside runs and gold, that of all is not for them."""
        return (form_for if self.runs is None else form_named)(self.input_format, name)

    @property
    def scored(self) -> ScoredRuns:
        """The runs and how they are scored."""
        if self.runs is None:
            raise UsageError("this needs the gold to score with: give --gold NUGGETS")
        return self.runs

    @property
    def board(self) -> Board:
        """The scores that are given, or those of the runs that are."""
        if self.runs is None:
            return read_board(self.files, self.wanted, self.treatment, self.form_of("scores"))
        with progress("matching", self.quiet) as tell:
            return self.runs.board_of(self.runs.evaluation(tell), self.treatment)

    @property
    def other_board(self) -> Board:
        """The scores that are held against: of files, of another matcher, or by another measure."""
        asked, runs = self.question, self.runs
        wanted = self.wanted if asked.against_measure is None else (asked.against_measure,)
        if asked.against:
            return read_board(asked.against, wanted, self.treatment, self.form_of("against"))
        if runs is not None and asked.against_matcher is not None:
            inputs = replace(runs.inputs, matches=None)
            options = replace(runs.options, matcher=asked.against_matcher, threshold=None)
            runs = replace(runs, inputs=inputs, options=options)
        other = runs and replace(runs, measures=wanted)
        return replace(self, wanted=wanted, runs=other).board


def analyse(request: CompareRequest) -> Findings:
    """What is found by the analysis that is asked for."""
    question, plan = request.question, request.plan
    analysis = question.analysis
    if analysis == AGAINST:
        check_inputs([*request.files, *question.against])
        other, measure = request.other_board, question.against_measure
        return correlate_boards(request.board, other, plan, question.persistence, measure)
    if analysis == LEAVE_OUT:
        teams = None if question.teams is None else read_teams(question.teams)
        with progress("leaving out", request.quiet) as tell:
            how = str(question.leave_out)
            return leave_out(request.scored, how, request.treatment, teams, tell)
    if analysis == LEAD:
        with progress("matching", request.quiet) as tell:
            evaluation = request.scored.evaluation(tell)
        return leads(evaluation, plan)
    return (compare_board if analysis == RUNS else discriminate_board)(request.board, plan)


OF_RUNS = input_tables(TemporalInputs)
"""What the inputs of runs that are scored first are called, and their tables."""
INPUT_FORMS = forms_of((*FAMILY.formats, *FORMATS), (SCORES.table, *OF_RUNS.values()))


WITH_GOLD = partial(options.of_record, within=("--gold",))
"""Options that say how runs are scored, and so need the gold."""


@options.command(
    "compare",
    options.files("SCORES..."),
    options.shared("wanted", "Default: all that there are."),
    options.of_record(Plan),
    options.of_record(Question),
    options.shared(
        "edition_name",
        "Whose rules, with --gold; `tseval measures` lists them. Default: draft.",
        within=("--gold",),
    ),
    options.shared("at", "Score at this time too; repeatable.", within=("--gold",)),
    WITH_GOLD(TemporalInputs),
    WITH_GOLD(TemporalOptions, COMPARE),
    options.rule("ts2014", within=("--gold",)),
    options.shared(
        "on_missing",
        "Topics that another run has a score for and this one not. Default: zero, where that is "
        "the worst value, or what the scores or the edition say.",
    ),
    options.shared("undefined"),
    options.of_record(Treatment),
    options.result_format(
        ["table", *FINDINGS_FORMS, MARKDOWN], "table", "LaTeX is for runs alone."
    ),
    options.shared("require", within=(RUNS,)),
    options.last(
        options.input_format(INPUT_FORMS, ("scores", "against", *OF_RUNS)),
        resumes=True,
        within=("--gold",),
    ),
)
def command(**values: Any) -> None:
    """Systems side by side: intervals, tests, rank correlation.

    SCORES are what `tseval score`, or another scoring command, writes with `-q`: CSV, JSON, Parquet
    or trec, with the scores of single topics; and the tables of TREC Temporal Summarization's own
    scripts. With --gold they are runs, and scored first. `-` is standard input.

    Runs share a letter if no difference was found between them. Where so few topics cannot show a
    difference, there are no letters, and the table says so.

    \b
    tseval compare mine.csv theirs.csv -m R --baseline mine
    tseval compare mine.tsv theirs.tsv --gold nuggets.tsv --matches matches.tsv
    """
    if not values["files"]:
        raise click.UsageError("Give one or more files of scores.")
    question = build(Question, values)
    analysis = question.analysis
    limits = (UNMEASURED, UNCOUNTED) if analysis == LEAD else ()
    options.check_line(analysis, COMPARE, *limits, called=CALLED | dict.fromkeys(limits, "--lead"))
    records = {"question": question} | {
        name: build(each, values) for name, each in (("plan", Plan), ("treatment", Treatment))
    }
    request = CompareRequest.of({**values, **records})
    check_formats(request)
    wishes = requirements(request.require)
    known = FINDINGS_FORMS if analysis == RUNS else ROW_FORMS
    form = checked_form(request, ("table", *known, MARKDOWN), "table")
    with request.where.shared() as sharing:
        if question.gold is not None:
            inputs = {"updates": request.files, "nuggets": question.gold}
            request = replace(request, runs=scored_runs(request, values | inputs, sharing))
        found = analyse(request)
    refuse_inputs(request.output, _recorded(request))
    deliver_findings(found, form, request)
    leave_if(unmet(wishes, found) if isinstance(found, Comparison) else [])


def _recorded(request: CompareRequest) -> Iterator[str]:
    """The inputs that the files of scores name."""
    if request.runs is not None:
        return
    named = [(each, "scores") for each in request.files]
    named += [(each, "against") for each in request.question.against]
    for path, name in named:
        recorded = provenance_of(path, request.form_of(name))
        yield from () if recorded is None else (source.path for source in recorded.inputs)


CALLED = {name: f"--{name}" for name in (POWER, AGAINST, LEAVE_OUT, LEAD)}
"""How the analyses are asked for."""


def check_formats(request: CompareRequest) -> None:
    """Refuse a format of scores for runs and gold."""
    forms = request.input_format
    own = [forms] if isinstance(forms, str) else [*(forms or {}).values()]
    known = forms_of(FAMILY.formats, OF_RUNS.values())
    form = next((each for each in own if each not in known), None)
    if request.question.gold is not None and form is not None:
        raise UsageError(
            f"--input-format {form} is for scores; runs and gold have: {', '.join(known)}"
        )
