"""`tseval filter`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tseval.cli import options
from tseval.cli.options import check_output, deliver, form_of, parted, warn
from tseval.cli.tables import rows_table, scores_table, sections_table
from tseval.core.measure import Measure
from tseval.core.rules import each_once
from tseval.core.wording import listed
from tseval.errors import UsageError
from tseval.families.filtering import reports, stability, teams
from tseval.families.filtering.evaluation import (
    LEVELS,
    FilterEvaluation,
    FilterSources,
    Settings,
    read,
)
from tseval.families.filtering.metrics import METRICS
from tseval.families.filtering.scoring import (
    PARTS_OF_RULES,
    chosen_measures,
    is_of_batches,
    metric_of,
    scores_of,
    trend_warnings,
    trends,
)
from tseval.files import PICTURES, PLAIN_FORMS
from tseval.files.rows import ROW_FORMS, rows_bytes
from tseval.files.score_readers import read_teams
from tseval.files.score_writers import RESULT_FORMS, result_bytes
from tseval.tables.times import NotANumber, number

if TYPE_CHECKING:
    import pandas as pd

SCORES, RANKING, TEAMS, TESTS, FITS, STABILITY, BURSTS = SHOWN = (
    *("scores", "ranking", "teams", "tests", "fits", "stability", "bursts"),
)

RAW, WEIGHTED = "raw", "weighted"
"""The residuals that a verdict goes by."""
FOR_PEOPLE = {TESTS: reports.TESTS_FOR_PEOPLE, FITS: reports.FITS_FOR_PEOPLE}
"""The columns of a table, where it has no room for all."""


@click.command("filter")
@click.argument("files", nargs=-1, metavar="RUN... TRUTH", type=click.Path(path_type=str))
@options.measure_option
@click.option(
    "--edition",
    "edition_name",
    default="kenter2015",
    show_default=True,
    help="Whose rules: kenter2015, kba2013 or dietz2013.",
)
@options.rule_option("kba2013")
@click.option(
    "--batch",
    "batches",
    multiple=True,
    default=("1d",),
    show_default=True,
    metavar="LENGTH",
    help="How long a batch lasts, such as 12h or 7d; repeatable.",
)
@click.option(
    "--start",
    metavar="TIME",
    help="Where the period starts: Unix seconds, ISO 8601, or 6h, 2d from the first judged "
    "document. Default: there.",
)
@click.option(
    "--end",
    metavar="TIME",
    help="Where it ends; 30d counts from its start. Default: just after the last judged document.",
)
@click.option(
    "--cutoff",
    default="sweep",
    show_default=True,
    metavar="N|sweep",
    help="The confidence from which on a document is returned; sweep tries those of the edition "
    "and takes for each run the one with the best end point.",
)
@click.option(
    "--cutoff-step", type=click.IntRange(min=1), metavar="N", help="The step of the sweep."
)
@click.option(
    "--level",
    type=click.Choice(list(LEVELS)),
    help="What is positive: documents rated vital (2), useful (1) or neutral (0), or better. "
    "Default: vital; in a plain table without a 2, useful.",
)
@click.option(
    "--zeta", type=float, default=1.0, show_default=True, help="How slowly aptness falls."
)
@click.option(
    "--f-weights",
    default="1,1,1",
    show_default=True,
    metavar="P,R,A",
    help="How much P, R and A weigh in F_pr and F_pra.",
)
@click.option(
    "--costs",
    default="1,0.1,0.02",
    show_default=True,
    metavar="MISS,ALARM,TARGET",
    help="For C_trk: what a miss and a false alarm cost, and what share of documents are targets.",
)
@click.option(
    "--unjudged",
    type=click.Choice(["ignore", "fp"]),
    help="Returned documents that nobody judged; fp: false positives. Default: ignore.",
)
@click.option(
    "--votes",
    type=click.Choice(["all", "any"]),
    help="Whether all assessors have to find a document positive, or any. Default: all.",
)
@click.option(
    "--partial",
    type=click.Choice(["keep", "drop"]),
    help="A last batch that is shorter than the others. Default: keep, with a warning.",
)
@click.option(
    "--weights",
    type=click.Choice(["shared", "own"]),
    help="A batch weighs its share of the pairs that are positive or returned, or of what the "
    "metric itself is taken from. Default: shared.",
)
@click.option(
    "--require-positives",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Leave out topics with fewer positives than this in the period.",
)
@click.option(
    "--show",
    type=click.Choice(SHOWN),
    default=SCORES,
    show_default=True,
    help="ranking: runs by end point beside the usual score; teams: teams by their best run in "
    "each ranking, and tau of these; tests: runs against each other; fits: each trend in full, "
    "with what it takes for granted; stability: for how many runs that holds, and how far slopes "
    "hang on the length of batches; bursts: how much each interval weighs, for which no run is "
    "needed.",
)
@click.option(
    "--teams",
    metavar="FILE",
    help="For --show teams: whose each run is, a table `run team`. Default: what stands before the "
    "first hyphen of the run's name; a run that is called as its file is a team by itself.",
)
@click.option(
    "--residuals",
    type=click.Choice([RAW, WEIGHTED]),
    default=RAW,
    show_default=True,
    help="The residuals that the verdict of `--show fits`, and `--show stability`, look at.",
)
@click.option(
    "--series",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write every batch of every metric there; the suffix decides: csv, tsv, json, parquet.",
)
@options.topics_too_option
@options.missing_as_zero_option
@options.format_option(
    ["table", *RESULT_FORMS, *ROW_FORMS, *PICTURES],
    "table",
    "Scores have trec and pictures, which need the extra `report`; the others have tsv.",
)
@options.output_option
@options.input_format(PLAIN_FORMS, ("run", "truth"))
@options.engine_options
@options.quiet_option
@options.debug_option
def command(files: tuple[str, ...], **given: Any) -> None:
    """Filtering over time: batches, trends, end points.

    RUN is a table `topic post_id time confidence`, or a run of TREC KBA 2012 to 2014; TRUTH a table
    `topic post_id relevance`, with a column `time` where ids and runs don't tell it, or a truth of
    KBA. All may be compressed; `-` is standard input.

    \b
    tseval filter mine.tsv theirs.tsv truth.tsv --batch 1d --batch 7d -o trends.svg
    """
    output: Path | None = given["output"]
    for each in (output, given["series"]):
        check_output(each)
    form = form_of(given["form"], output, _known(given["show"]), "table")
    _check_shown(given)
    series_form = _series_form(given["series"])
    evaluation = prepared(files, given)
    wanted = chosen_measures(evaluation, given["wanted"])
    metrics = METRICS if given["series"] is not None else [metric_of(each) for each in wanted]
    evaluation = evaluation.prepared_for(list(metrics), by_topic=given["per_topic"])
    content = _content(evaluation, wanted, form, given)
    beside: dict[Path, bytes] = {}
    if given["series"] is not None:
        every = [(m, length) for length in evaluation.settings.batches for m in METRICS]
        frame = reports.every_batch(evaluation.index, every)
        beside[given["series"]] = rows_bytes(frame, series_form, evaluation.signature())
    deliver(content, output, beside)


def _check_shown(given: dict[str, Any]) -> None:
    """Refuse options that what is shown does not read."""
    if given["residuals"] != RAW and given["show"] not in (FITS, STABILITY):
        raise UsageError(f"--residuals has no meaning without --show {FITS} or {STABILITY}")
    if given["teams"] is not None and given["show"] != TEAMS:
        raise UsageError(f"--teams has no meaning without --show {TEAMS}")


def _known(show: str) -> tuple[str, ...]:
    """The forms that a result has."""
    return ("table", *((*RESULT_FORMS, *PICTURES) if show == SCORES else ROW_FORMS))


def _series_form(path: Path | None) -> str:
    form = "" if path is None else path.suffix.lstrip(".").lower() or "csv"
    if form and form not in ROW_FORMS:
        known = ", ".join(f".{each}" for each in ROW_FORMS)
        raise UsageError(f"--series {path}: the suffix must be one of {known}")
    return form


def _numbers(option: str, written: str, example: str) -> tuple[float, ...]:
    try:
        return tuple(map(number, written.split(",")))
    except NotANumber:
        raise UsageError(
            f"{option}: write three numbers, such as {example}; not '{written}'"
        ) from None


def prepared(files: tuple[str, ...], given: dict[str, Any]) -> FilterEvaluation:
    """Read what the options name; bursts need no run."""
    alone = given["show"] == BURSTS
    if alone and (len(files) != 1 or given["series"] is not None):
        raise UsageError("--show bursts looks at the truth alone: give that one file")
    if not alone and len(files) < 2:
        raise click.UsageError("Give one or more runs, then the truth.")
    sources = FilterSources(files[:-1], files[-1], given["input_format"])
    settings = Settings(
        batches=given["batches"],
        start=given["start"],
        end=given["end"],
        cutoff=given["cutoff"],
        cutoff_step=given["cutoff_step"],
        level=given["level"],
        zeta=given["zeta"],
        f_weights=_numbers("--f-weights", given["f_weights"], "1,1,1"),
        costs=_numbers("--costs", given["costs"], "1,0.1,0.02"),
        require_positives=given["require_positives"],
        on_missing=given["on_missing"],
    )
    asked = [(name, given[name]) for name in PARTS_OF_RULES if given[name]]
    rules = each_once([*parted(given["rules"]), *asked])
    if alone:
        options.refuse_sharing(given, "--show bursts")
    with options.shared_as(given) as sharing:
        edition = given["edition_name"]
        return read(sources, edition, settings, rules, runs_needed=not alone, sharing=sharing)


def _content(
    evaluation: FilterEvaluation, wanted: list[Measure], form: str, given: dict[str, Any]
) -> bytes:
    """What is shown, in the form asked for."""
    if given["show"] != SCORES:
        return _report(evaluation, wanted, form, given)
    if form in PICTURES:
        return _picture(evaluation, wanted, form, given)
    scores = scores_of(evaluation, wanted, per_topic=given["per_topic"])
    warn(scores.warnings, given["quiet"])
    if form == "table":
        asked = trends(evaluation, wanted) if any(map(is_of_batches, wanted)) else []
        notes = reports.ranking_notes(evaluation.index, asked)
        to_file = given["output"] is not None
        return scores_table(scores, given["per_topic"], to_file=to_file, notes=notes)
    return result_bytes(scores, form, per_topic=given["per_topic"])


def _report(
    evaluation: FilterEvaluation, wanted: list[Measure], form: str, given: dict[str, Any]
) -> bytes:
    """What `--show` asks for; options that it ignores are refused."""
    if given["per_topic"]:
        raise UsageError(f"-q has no meaning with --show {given['show']}")
    if given["show"] == BURSTS and given["wanted"]:
        raise UsageError(f"-m has no meaning with --show {BURSTS}, which shows no measures")
    asked = trends(evaluation, wanted)
    signature = evaluation.signature()
    if given["show"] in (TEAMS, STABILITY):
        if given["show"] == TEAMS and not given["wanted"]:
            asked = [(m, length) for length in evaluation.settings.batches for m in teams.METRICS]
        sections, notes = _sections(evaluation, asked, given)
        signature += _more_signed(evaluation, given)
        _warn_of_trends(evaluation, asked, given["quiet"])
        if form == "table":
            to_file = given["output"] is not None
            return sections_table(sections, signature, to_file=to_file, notes=notes)
        frame = joined(sections)
    else:
        frame, notes = _shown(evaluation, asked, given)
        _warn_of_trends(evaluation, asked, given["quiet"])
    if form == "table":
        shown = frame[list(FOR_PEOPLE.get(given["show"], frame.columns))]
        return rows_table(shown, signature, to_file=given["output"] is not None, notes=notes)
    if form != "json":
        warn(notes, given["quiet"])
    return rows_bytes(frame, form, signature, notes)


def _warn_of_trends(
    evaluation: FilterEvaluation, asked: list[tuple[str, str]], quiet: bool
) -> None:
    warn((*evaluation.warnings, *trend_warnings(evaluation, asked)), quiet)


def _shown(
    evaluation: FilterEvaluation, asked: list[tuple[str, str]], given: dict[str, Any]
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The rows that `--show` asks for, and how to read them."""
    index = evaluation.index
    if given["show"] == RANKING:
        return reports.ranking(index, asked), ()
    if given["show"] == TESTS:
        if len(index.runs) < 2:
            raise UsageError("--show tests needs two runs at least")
        return reports.comparison(index, asked), (reports.TRUST, reports.DOUBT)
    if given["show"] == FITS:
        weighted = given["residuals"] == WEIGHTED
        return reports.fits(index, asked, weighted=weighted), (reports.DOUBT,)
    cuts = [index.tally.whole, *(index.cut(length) for length in evaluation.settings.batches)]
    return reports.bursts(index.tally, cuts), ()


def _more_signed(evaluation: FilterEvaluation, given: dict[str, Any]) -> str:
    """What of the options changes these tables, and no score."""
    named = _teams(given | {"quiet": True}, evaluation.index.runs)
    members: dict[str, list[str]] = {}
    for run, team in named.items():
        members.setdefault(team, []).append(run)
    told = ";".join(f"{team}={','.join(runs)}" for team, runs in members.items())
    weighted = "|residuals:weighted" if given["residuals"] == WEIGHTED else ""
    return (f"|teams:{told}" if told else "") + weighted


def _sections(
    evaluation: FilterEvaluation, asked: list[tuple[str, str]], given: dict[str, Any]
) -> tuple[dict[str, pd.DataFrame], tuple[str, ...]]:
    """The tables that `--show teams` or `stability` asks for, and how to read them."""
    index = evaluation.index
    if given["show"] == TEAMS:
        named = _teams(given, index.runs)
        unknown = {run: run for run in _named_as_files(evaluation) if run not in named}
        if unknown:
            lost = (
                f"runs that are named as their files, each a team by itself: {listed([*unknown])}"
            )
            warn([f"{lost}; --teams FILE says whose they are"], given["quiet"])
        found = teams.Teams.of(index, asked, named | unknown)
        shown = {"Teams by their best run": found.places(), "Agreement": found.agreement()}
        return shown, (teams.READING,)
    weighted = given["residuals"] == WEIGHTED
    shares = stability.assumption_shares(index, asked, weighted=weighted)
    pairs = stability.slope_stability(index, asked)
    if not len(pairs):
        return {"Assumptions": shares}, (stability.READING, stability.ONE_LENGTH)
    return {"Assumptions": shares, "Stability": pairs}, (stability.READING,)


def _named_as_files(evaluation: FilterEvaluation) -> list[str]:
    """The runs whose names are those of their files, where a hyphen ends no name of a team."""
    paths = [str(source.path) for source in evaluation.inputs]
    files = {run: run.partition(":")[0] for run in evaluation.index.runs}
    return [run for run, name in files.items() if any(path.endswith(name) for path in paths)]


def _teams(given: dict[str, Any], runs: tuple[str, ...]) -> dict[str, str]:
    """The team of each run that `--teams` names; a file that names none of the runs is refused."""
    if given["teams"] is None:
        return {}
    named = read_teams(given["teams"])
    strangers = sorted(named.keys() - set(runs))
    if len(strangers) == len(named):
        known = f"{listed(runs)}; it has {listed(strangers)}"
        raise UsageError(f"--teams {given['teams']} names none of the runs, which are {known}")
    if strangers:
        warn([f"teams of runs that are not here: {listed(strangers)}"], given["quiet"])
    return {run: team for run, team in named.items() if run in runs}


def joined(sections: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Tables as one for programs: the rows of the second have `other`, and columns of their own."""
    import pandas as pd

    return pd.concat(list(sections.values()), ignore_index=True)


def _picture(
    evaluation: FilterEvaluation, wanted: list[Measure], form: str, given: dict[str, Any]
) -> bytes:
    """The trends as a chart."""
    from tseval.reporting.charts.filtering import FilterChart, draw_filtering

    if given["per_topic"]:
        raise UsageError("-q has no meaning for a chart")
    asked = trends(evaluation, wanted)
    _warn_of_trends(evaluation, asked, given["quiet"])
    index = evaluation.index
    chart = FilterChart(
        batches=reports.every_batch(index, asked),
        fits=reports.fits(index, asked),
        ranking=reports.ranking(index, asked),
        signature=evaluation.signature(),
    )
    return draw_filtering(chart, form)
