"""`tseval compare`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from tseval.cli import options
from tseval.cli.family_command import record_options
from tseval.cli.options import chained, check_output, deliver, form_of, warn
from tseval.cli.progress import progress
from tseval.cli.tables import sections_table
from tseval.comparison import read_board
from tseval.comparison.board import Board
from tseval.comparison.findings import Findings
from tseval.comparison.frames import sections
from tseval.comparison.gold import ScoredRuns
from tseval.comparison.plan import ALPHA, FAMILIES, RESAMPLES, Plan, Treatment
from tseval.comparison.power import discriminate_board
from tseval.comparison.ranking import correlate_boards
from tseval.comparison.reuse import LEFT_OUT, leave_out
from tseval.comparison.runs import compare_board
from tseval.comparison.writing import FINDINGS_FORMS, findings_bytes
from tseval.core import declared as declarations
from tseval.core.family import Access
from tseval.core.rules import each_once
from tseval.errors import UsageError
from tseval.families.temporal.evaluation import TemporalInputs, TemporalOptions
from tseval.files import SCORE_FORMS, TEMPORAL_FORMS
from tseval.files.forms import form_for, form_named
from tseval.files.frames import check_inputs
from tseval.files.provenance import provenance_of
from tseval.files.rows import ROW_FORMS
from tseval.files.score_readers import read_teams
from tseval.statistics import CORRECTIONS, INTERVALS, PERSISTENCE, TESTS

BY_GOLD = (
    "matches",
    "matcher",
    "threshold",
    "pool",
    "duplicates",
    "topics",
    "edition",
    "at",
    "rules",
    "ignore_unsampled",
    "binary",
    "matched_nuggets_only",
    "latency_from",
    "against_matcher",
    "leave_out",
    "jobs",
    "engine_name",
    "scheduler",
    "resume",
)
"""Options that say how runs are scored, and so need the gold."""
TESTING = ("baseline", "test", "correction", "family", "interval", "alpha", "resamples", "seed")
OWN_OPTIONS = {
    "runs": TESTING,
    "power": tuple(name for name in TESTING if name not in ("interval", "family")),
    "against": (
        "against",
        "against_matcher",
        "against_measure",
        "persistence",
        "alpha",
        "resamples",
        "seed",
    ),
    "leave_out": ("leave_out", "teams"),
}
"""What each analysis asks for; an option that is another's alone is refused."""

gold_options = chained(
    click.option(
        "--gold",
        metavar="NUGGETS",
        help="The files are runs, which are scored against these nuggets first, as `tseval score` "
        "does.",
    ),
    *record_options(TemporalInputs),
    click.option("--edition", help="Whose rules, with --gold. Default: draft."),
    click.option(
        "--at",
        multiple=True,
        metavar="TIME",
        help="Score at this time too; repeatable.",
    ),
    options.rule_option("ts2014"),
    *record_options(TemporalOptions, "compare"),
)
test_options = chained(
    click.option(
        "--baseline", metavar="RUN", help="Compare with this run alone. Default: every pair."
    ),
    click.option(
        "--test",
        type=click.Choice(TESTS),
        default=TESTS[0],
        show_default=True,
        help="Which test gives the p values; all are paired by topic and two-sided.",
    ),
    click.option(
        "--correction",
        type=click.Choice(list(CORRECTIONS)),
        default=next(iter(CORRECTIONS)),
        show_default=True,
        help="What is done about many comparisons: Holm, Bonferroni, Benjamini-Hochberg.",
    ),
    click.option(
        "--family",
        type=click.Choice(FAMILIES),
        default=FAMILIES[0],
        show_default=True,
        help="Which comparisons are corrected together.",
    ),
    click.option(
        "--interval",
        type=click.Choice(INTERVALS),
        default=INTERVALS[0],
        show_default=True,
        help="How intervals are made of resampled topics.",
    ),
    click.option(
        "--alpha",
        type=float,
        default=ALPHA,
        show_default=True,
        help="A corrected p value up to this is a difference; intervals hold the rest.",
    ),
    click.option(
        "--resamples",
        type=int,
        default=RESAMPLES,
        show_default=True,
        help="How many times topics are drawn. Where a correction asks for smaller p values, they "
        "are drawn further.",
    ),
    options.seed_option,
)
other_analyses = chained(
    click.option(
        "--power",
        is_flag=True,
        help="Instead: how many pairs of runs each measure tells apart, and by which difference.",
    ),
    click.option(
        "--against",
        metavar="SCORES",
        multiple=True,
        help="Instead: how alike these scores rank the runs; repeatable.",
    ),
    click.option(
        "--against-matcher",
        metavar="NAME",
        help="The same against the runs scored by this matcher, with --gold.",
    ),
    click.option(
        "--against-measure",
        metavar="NAME",
        help="The same against this measure: of those scores, or without them of the same.",
    ),
    click.option(
        "--persistence",
        type=float,
        default=PERSISTENCE,
        show_default=True,
        help="How far down rank-biased overlap reads.",
    ),
    click.option(
        "--leave-out",
        type=click.Choice(LEFT_OUT),
        help="Instead: how scores and ranks move without the matches that a run, or a team, "
        "brought alone; with --gold and --matches.",
    ),
    click.option(
        "--teams",
        metavar="FILE",
        help="Whose each run is: a table `run team`. Default: the part of the name before its "
        "first `-`.",
    ),
)


@click.command("compare")
@click.argument("files", nargs=-1, metavar="SCORES...", type=click.Path(path_type=str))
@options.measures_named("Default: all that there are.")
@test_options
@other_analyses
@gold_options
@options.on_missing(
    "Topics that another run has a score for and this one not. Default: zero, where that is "
    "the worst value, or what the scores or the edition say."
)
@options.undefined_option
@click.option(
    "--lower-is-better",
    "lower",
    multiple=True,
    metavar="NAME",
    help="Of this measure lower is better; for names that no definition knows. Repeatable.",
)
@click.option(
    "--higher-is-better", "higher", multiple=True, metavar="NAME", help="Or higher. Repeatable."
)
@options.format_option(["table", *FINDINGS_FORMS], "table", "LaTeX is for runs alone.")
@options.output_option
@options.input_format(SCORE_FORMS, ("scores", "against", *options.OF_MATCHING))
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
    analysis = _analysis(given)
    _refuse_unused(analysis, given)
    known = FINDINGS_FORMS if analysis == "runs" else ROW_FORMS
    form = form_of(given["form"], output, ("table", *known), "table")
    with options.shared_as(given) as sharing:
        found = ANALYSES[analysis](files, given | {"sharing": sharing})
    options.refuse_inputs(output, _recorded(files, given))
    warn(found.warnings, given["quiet"])
    if form == "table":
        shown = sections(found)
        deliver(sections_table(shown, found.signature, to_file=output is not None), output)
    else:
        deliver(findings_bytes(found, form), output)


def _recorded(files: tuple[str, ...], given: dict[str, Any]) -> Iterator[str]:
    """The inputs that the files of scores name."""
    if given["gold"] is not None:
        return
    for told in (
        provenance_of(each, given["input_format"]) for each in (*files, *given["against"])
    ):
        yield from () if told is None else (each.path for each in told.inputs)


def _analysis(given: dict[str, Any]) -> str:
    """Which analysis is asked for; two at once are refused."""
    asked = {
        "power": given["power"],
        "against": any(given[name] for name in ("against", "against_matcher", "against_measure")),
        "leave_out": given["leave_out"],
    }
    chosen = [name for name, wanted in asked.items() if wanted]
    if len(chosen) > 1:
        first, second = map(_option, chosen[:2])
        raise UsageError(f"{first} and {second} are two questions: ask one at a time")
    return chosen[0] if chosen else "runs"


def _option(name: str) -> str:
    plain = name.removesuffix("_name").replace("rules", "rule")
    return "--" + plain.replace("_", "-")


def _refuse_unused(analysis: str, given: dict[str, Any]) -> None:
    """An option that this analysis, or scores without gold, have no use for is refused."""
    context = click.get_current_context()
    on_line = [
        name for name in given if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
    others = {name for names in OWN_OPTIONS.values() for name in names} - set(OWN_OPTIONS[analysis])
    for name in on_line:
        if name in others:
            what = "a comparison of runs" if analysis == "runs" else _option(analysis)
            raise UsageError(f"{_option(name)} has no meaning with {what}")
        if name in BY_GOLD and given["gold"] is None:
            raise UsageError(f"{_option(name)} needs the gold to score with: give --gold NUGGETS")
    forms = given["input_format"]
    own = [forms] if isinstance(forms, str) else [*(forms or {}).values()]
    form = next((each for each in own if each not in TEMPORAL_FORMS), None)
    if given["gold"] is not None and form is not None:
        known = ", ".join(TEMPORAL_FORMS)
        raise UsageError(f"--input-format {form} is for scores; runs and gold have: {known}")
    if given["teams"] is not None and given["leave_out"] != "team":
        raise UsageError("--teams has no meaning without --leave-out team")
    if given["against"] and given["against_matcher"]:
        raise UsageError("give --against or --against-matcher, not both")


def _plan(given: dict[str, Any]) -> Plan:
    return Plan(**{name: given[name] for name in TESTING})


def _treatment(given: dict[str, Any]) -> Treatment:
    return Treatment(
        given["on_missing"],
        given["undefined"],
        given["lower"],
        given["higher"],
    )


def _gold(files: tuple[str, ...], given: dict[str, Any]) -> ScoredRuns:
    named = {"updates": files, "nuggets": given["gold"]}
    return ScoredRuns(
        sources=declarations.build(TemporalInputs, given | named),
        options=declarations.build(TemporalOptions, given),
        edition=given["edition"] or "draft",
        rules=each_once(options.parted(given["rules"])),
        measures=given["wanted"],
        at=given["at"],
        access=Access(given["input_format"], given["sharing"]),
    )


def _form(given: dict[str, Any], name: str) -> str | None:
    """The format of scores: beside runs and gold, that of all is not for them."""
    forms = given["input_format"]
    return form_for(forms, name) if given["gold"] is None else form_named(forms, name)


def _board(files: tuple[str, ...], given: dict[str, Any]) -> Board:
    """The scores that are given, or those of the runs that are."""
    if given["gold"] is None:
        return read_board(files, given["wanted"], _treatment(given), _form(given, "scores"))
    gold = _gold(files, given)
    with progress("matching", given["quiet"]) as told:
        return gold.board(_treatment(given), given["on_missing"], progress=told)


def _compared(files: tuple[str, ...], given: dict[str, Any]) -> Findings:
    return compare_board(_board(files, given), _plan(given))


def _powers(files: tuple[str, ...], given: dict[str, Any]) -> Findings:
    return discriminate_board(_board(files, given), _plan(given))


def _correlated(files: tuple[str, ...], given: dict[str, Any]) -> Findings:
    check_inputs([*files, *given["against"]])
    other = _other_board(files, given)
    versus = given["against_measure"]
    board = _board(files, given)
    return correlate_boards(board, other, _plan(given), given["persistence"], versus)


def _other_board(files: tuple[str, ...], given: dict[str, Any]) -> Board:
    """The scores that are held against: of files, of another matcher, or by another measure."""
    if given["against_measure"] is not None:
        given = given | {"wanted": (given["against_measure"],)}
    if not given["against"] and given["against_matcher"] is None:
        return _board(files, given)
    if given["against"]:
        form = _form(given, "against")
        return read_board(given["against"], given["wanted"], _treatment(given), form)
    gold = _gold(files, given).matched_by(given["against_matcher"])
    with progress("matching", given["quiet"]) as told:
        return gold.board(_treatment(given), given["on_missing"], progress=told)


def _left_out(files: tuple[str, ...], given: dict[str, Any]) -> Findings:
    teams = None if given["teams"] is None else read_teams(given["teams"])
    with progress("leaving out", given["quiet"]) as told:
        return leave_out(
            _gold(files, given),
            given["leave_out"],
            _treatment(given),
            given["on_missing"],
            teams,
            told,
        )


ANALYSES = {
    "runs": _compared,
    "power": _powers,
    "against": _correlated,
    "leave_out": _left_out,
}
