"""`tseval compare`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from tseval.cli import options
from tseval.cli.declared_options import record_options
from tseval.cli.ineffective_options import refuse_options
from tseval.cli.output import check_output, deliver, form_of, leave_if, refuse_inputs, warn
from tseval.cli.progress import progress
from tseval.cli.tables import sections_markdown, sections_table
from tseval.comparison import read_board
from tseval.comparison.board import Board
from tseval.comparison.findings import FINDINGS_FORMS, Comparison, Findings, unmet
from tseval.comparison.frames import sections
from tseval.comparison.plan import AGAINST, LEAD, LEAVE_OUT, POWER, RUNS, Plan, Treatment
from tseval.comparison.ranking import correlate_boards
from tseval.comparison.reusability import LEFT_OUT, leave_out
from tseval.comparison.runs import compare_board, discriminate_board
from tseval.comparison.with_gold import ScoredRuns, leads
from tseval.core import declared as declarations
from tseval.core.calling import Where
from tseval.core.declared import (
    COMPARE,
    build,
    declared,
    file_option,
    input_tables,
    option,
)
from tseval.core.family import Access
from tseval.core.naming import Naming
from tseval.core.registry import family
from tseval.core.requirements import requirements
from tseval.errors import UsageError
from tseval.families.temporal.evaluation import TemporalInputs, TemporalOptions
from tseval.families.temporal.family import FAMILY
from tseval.io.formats import Forms, form_for, form_named, forms_of
from tseval.io.given import check_inputs
from tseval.io.rows import ROW_FORMS
from tseval.io.schema import SCORES
from tseval.io.scores import FORMATS, provenance_of, read_teams
from tseval.parallel.sharing import ALONE, Sharing
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
        "The same against the runs scored by this matcher, with --gold.", metavar="NAME"
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
    )
    teams: str | None = file_option(
        "Whose each run is: a table `run team`. Default: the part of the name before its first "
        "`-`.",
        within=(LEAVE_OUT,),
    )

    lead: bool = option(
        "Instead: how much earlier each run says the nuggets that both of two say; with --gold.",
        kind=bool,
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
class Gold:
    """What runs are scored against first, beside what `tseval score` declares."""

    gold: str | None = option(
        "The files are runs, which are scored against these nuggets first, as `tseval score` does.",
        metavar="NUGGETS",
    )
    edition: str | None = option(
        "Whose rules, with --gold; `tseval measures` lists them. Default: draft."
    )
    at: tuple[str, ...] = option(
        "Score at this time too; repeatable.", metavar="TIME", several=True
    )


@frozen
class Request:
    """A comparison as it was asked for."""

    files: tuple[str, ...]
    wanted: tuple[str, ...]
    question: Question
    plan: Plan
    treatment: Treatment
    gold: Gold
    inputs: TemporalInputs | None
    """The runs with their gold; None where the files are scores."""
    options: TemporalOptions
    rules: Mapping[str, str]
    forms: Forms
    naming: Naming
    quiet: bool
    sharing: Sharing = ALONE

    def form(self, name: str) -> str | None:
        """The format of scores: beside runs and gold, that of all is not for them."""
        return (form_for if self.inputs is None else form_named)(self.forms, name)

    @property
    def scored(self) -> ScoredRuns:
        """The runs and how they are scored."""
        if self.inputs is None:
            raise UsageError("this needs the gold to score with: give --gold NUGGETS")
        return ScoredRuns(
            family=family("temporal"),
            inputs=self.inputs,
            options=self.options,
            edition=self.gold.edition,
            rules=self.rules,
            measures=self.wanted,
            at=self.gold.at,
            naming=self.naming,
            access=Access(self.forms, self.sharing),
        )

    @property
    def board(self) -> Board:
        """The scores that are given, or those of the runs that are."""
        if self.inputs is None:
            return read_board(self.files, self.wanted, self.treatment, self.form("scores"))
        with progress("matching", self.quiet) as tell:
            scored = self.scored
            return scored.board_of(scored.evaluation(tell), self.treatment)

    def matched_by(self, matcher: str) -> Request:
        """The same with a matcher in the place of matches, or of another matcher."""
        inputs = self.inputs and replace(self.inputs, matches=None)
        return replace(
            self, inputs=inputs, options=replace(self.options, matcher=matcher, threshold=None)
        )

    @property
    def other_board(self) -> Board:
        """The scores that are held against: of files, of another matcher, or by another measure."""
        asked = self.question
        measure = asked.against_measure
        other = self if measure is None else replace(self, wanted=(measure,))
        if asked.against:
            return read_board(asked.against, other.wanted, self.treatment, self.form("against"))
        if asked.against_matcher is not None:
            return other.matched_by(asked.against_matcher).board
        return other.board


def compared(request: Request) -> Findings:
    """Runs side by side."""
    return compare_board(request.board, request.plan)


def powers(request: Request) -> Findings:
    """How many pairs each measure tells apart."""
    return discriminate_board(request.board, request.plan)


def correlated(request: Request) -> Findings:
    """How alike two sets of scores rank the runs."""
    asked = request.question
    check_inputs([*request.files, *asked.against])
    other, board = request.other_board, request.board
    return correlate_boards(board, other, request.plan, asked.persistence, asked.against_measure)


def left_out(request: Request) -> Findings:
    """What leaving one out changes."""
    asked = request.question
    teams = None if asked.teams is None else read_teams(asked.teams)
    with progress("leaving out", request.quiet) as tell:
        how = str(asked.leave_out)
        return leave_out(request.scored, how, request.treatment, teams, tell)


def leading(request: Request) -> Findings:
    """Runs head to head on what both of two said."""
    with progress("matching", request.quiet) as tell:
        evaluation = request.scored.evaluation(tell)
    return leads(evaluation, request.plan)


MARKDOWN = "markdown"
ANALYSES: Mapping[str, Callable[[Request], Findings]] = {
    RUNS: compared,
    POWER: powers,
    AGAINST: correlated,
    LEAVE_OUT: left_out,
    LEAD: leading,
}


OF_RUNS = input_tables(TemporalInputs)
"""What the inputs of runs that are scored first are called, and their tables."""
INPUT_FORMS = forms_of((*FAMILY.formats, *FORMATS), (SCORES.table, *OF_RUNS.values()))


@click.command("compare", cls=options.StrictCommand)
@click.argument("files", nargs=-1, metavar="SCORES...", type=click.Path(path_type=str))
@options.measures_named("Default: all that there are.")
@options.chained(*record_options(Plan))
@options.chained(*record_options(Question))
@options.chained(*record_options(Gold))
@options.chained(*record_options(TemporalInputs), *record_options(TemporalOptions, COMPARE))
@options.rule_option("ts2014")
@options.on_missing(
    "Topics that another run has a score for and this one not. Default: zero, where that is "
    "the worst value, or what the scores or the edition say."
)
@options.undefined_option
@options.chained(*record_options(Treatment))
@options.format_option(["table", *FINDINGS_FORMS, MARKDOWN], "table", "LaTeX is for runs alone.")
@options.output_option
@options.require_option
@options.input_format(INPUT_FORMS, ("scores", "against", *OF_RUNS))
@options.chained(*record_options(Naming))
@options.engine_options
@options.resume_option
@options.quiet_option
@options.debug_option
def command(files: tuple[str, ...], **given: Any) -> None:
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
    output: Path | None = given["output"]
    check_output(output)
    if not files:
        raise click.UsageError("Give one or more files of scores.")
    question, gold = build(Question, given), build(Gold, given)
    wishes = requirements(given["require"])
    forms, own = given["input_format"], build(TemporalOptions, given)
    check_options(question, gold, forms)
    known = FINDINGS_FORMS if question.analysis == RUNS else ROW_FORMS
    form = form_of(given["form"], output, ("table", *known, MARKDOWN), "table")
    named = given | {"updates": files, "nuggets": gold.gold}
    request = Request(
        files=files,
        wanted=given["wanted"],
        question=question,
        plan=build(Plan, given),
        treatment=build(Treatment, given),
        gold=gold,
        inputs=None if gold.gold is None else build(TemporalInputs, named),
        options=own,
        rules=declarations.rules(options.parted(given["rules"]), own),
        forms=forms,
        naming=build(Naming, given),
        quiet=given["quiet"],
    )
    with build(Where, given).shared() as sharing:
        found = ANALYSES[question.analysis](replace(request, sharing=sharing))
    refuse_inputs(output, _recorded(request))
    warn(found.warnings, request.quiet)
    failed = unmet(wishes, found) if isinstance(found, Comparison) else []
    if form == "table":
        shown = sections(found)
        deliver(sections_table(shown, found.signature, to_file=output is not None), output)
    elif form == MARKDOWN:
        deliver(sections_markdown(sections(found), found.signature), output)
    else:
        deliver(found.in_form(form), output, form=form)
    leave_if(failed)


def _recorded(request: Request) -> Iterator[str]:
    """The inputs that the files of scores name."""
    if request.inputs is not None:
        return
    named = [(each, "scores") for each in request.files]
    named += [(each, "against") for each in request.question.against]
    for path, name in named:
        recorded = provenance_of(path, request.form(name))
        yield from () if recorded is None else (source.path for source in recorded.inputs)


OF_SCORES = ("wanted", "at", "on_missing", "undefined", "lower", "higher", "judged")
"""Options about measures and their values, of which --lead takes none."""
FOR_GOLD = (
    *("rules", "jobs", "engine", "scheduler", "resume", "edition", "at"),
    *("against_matcher", "leave_out", "lead"),
    *(
        field.name
        for record in (TemporalInputs, TemporalOptions, Naming)
        for field, what in declared(record)
        if what.has_meaning(COMPARE)
    ),
)
"""Options that say how runs are scored, and so need the gold."""
CALLED = {name: f"--{name}" for name in (POWER, AGAINST, LEAVE_OUT, LEAD)}
"""How the analyses are asked for."""


def check_options(question: Question, gold: Gold, forms: Forms) -> None:
    """Refuse options that this analysis, or scores without gold, have no use for."""
    analysis, refused = question.analysis, dict[str, str]()
    if gold.gold is None:
        refused |= dict.fromkeys(FOR_GOLD, "without --gold NUGGETS")
    if question.leave_out != "team":
        refused |= {"teams": "without --leave-out team"}
    if analysis == LEAD:
        refused |= dict.fromkeys(OF_SCORES, "with --lead")
    if analysis != RUNS:
        refused |= {"require": f"with {CALLED[analysis]}"}
    refuse_options([analysis, COMPARE], CALLED, refused)
    own = [forms] if isinstance(forms, str) else [*(forms or {}).values()]
    known = forms_of(FAMILY.formats, OF_RUNS.values())
    form = next((each for each in own if each not in known), None)
    if gold.gold is not None and form is not None:
        raise UsageError(
            f"--input-format {form} is for scores; runs and gold have: {', '.join(known)}"
        )
