"""What is shown beside scores: rankings, tests, fits, stability, teams, bursts, every batch.

So are the picture of the trends, and the sections of a report.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tseval.core.blocks import Block, Head, Note, Panels, Rows
from tseval.core.family import View, ViewRequest, ViewRows, Writer, Written
from tseval.core.frames import to_pandas
from tseval.core.panels import (
    BATCH_KEYS,
    Axis,
    Dots,
    Keys,
    Line,
    Panel,
    Parts,
    Picture,
    Point,
    reached,
)
from tseval.core.scoring import apply_missing_rule, missing_topics
from tseval.core.sections import Setting
from tseval.core.wording import listed
from tseval.errors import UsageError
from tseval.families.filtering.trends import (
    BOUNDS,
    COLUMNS,
    LEVEL,
    METRICS,
    USUAL,
    WHOLE,
    Fitted,
    TrendIndex,
)
from tseval.io import PICTURES
from tseval.io.inputs import Input
from tseval.io.rows import rows_bytes
from tseval.io.scores import read_teams
from tseval.statistics.assumptions import DEPENDENT, VERDICTS, categorical
from tseval.statistics.ranks import kendall, kendall_p
from tseval.statistics.trend import FEWEST, difference, z_test

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, FloatArray

    Trends = Sequence[tuple[str, str]]
    """Metrics, each with a length of batches."""

NOT_NORMAL, UNMOVED = "not normal", "moves no one way"
CATEGORICAL = "only 0 and 1: the assumption does not hold"
CANNOT_SAY, EXACT, FITS = "too few batches", "no residuals", "nothing against it"
TRUST = (
    "Trust the paired tests (paired_p, paired_end_p), where there are any: they look at the "
    "difference batch by batch. z and end_z take two runs as independent and their errors as "
    "known. But runs share their batches: where both rise and fall together, as they mostly do, z "
    "finds far too little; and with few batches it finds too much. Where two runs have fewer than "
    "3 batches in common only z is left."
)
DOUBT = (
    "p of a slope, and of a paired test, takes residuals as normal and each as independent of the "
    "one before; --show fits says where that fails. With fewer than about 10 batches the errors "
    "themselves are rough: then look at end-se before any p."
)
MORE = (
    "Whether a difference is more than chance: --show tests, where the paired test is the one to "
    "trust; z takes runs over the same batches as independent, and mostly finds too little."
)
STABILITY = (
    "The first table: of the runs with a trend (fits) those with a test (tested), and of these the "
    "shares with a significant slope and with each assumption unharmed; all_hold: nothing speaks "
    "against the test. The second: for two lengths of batches the runs with a trend at both, the "
    "share whose slopes have one sign, Kendall's tau of slopes and of end points, and of the runs "
    "tested at both the share with one finding: significant in one direction, or not significant."
)
DIFFERENCE = (
    "slope_difference is the mean of the slope at the first length less that at the other, per "
    "second, and difference_sd its standard deviation."
)
EACH_CUTOFF = "Each run counts once at every cutoff."
ONE_LENGTH = "One length of batches alone says nothing of stability: give --batch several times."
SINCE = "days since the period's start"
TEAM_KEYS: Keys = (
    ("band", "from the lowest of a team's runs to the highest"),
    ("part", "a run"),
    ("end", "the mean of a team's runs"),
    ("bar", "from the lowest of them to the highest"),
)
TEAMS = (
    "A team stands at the place of its best run, which may be another in each ranking. The second "
    "table: Kendall's tau of each two rankings of the teams, over those that have a place in both."
)
FITS_FOR_PEOPLE = (
    *("run", "metric", "batch", "cutoff", "usable", "slope", "slope_per_day", "slope_per_second"),
    *("se", "t", "p", "end", "end_se", "spearman", "AD_p", "DW", "independence", "verdict"),
)
TESTS_FOR_PEOPLE = (
    *("metric", "batch", "run", "other", "slope_difference", "z", "z_p", "paired_t", "paired_p"),
    *("end_difference", "end_z_p", "paired_end_se", "paired_end_p", "common_batches", "trust"),
)
"""The columns that a table has room for; the other forms have all."""


# Tables of trends.


def join(
    columns: Callable[..., Mapping[str, object]], index: TrendIndex, asked: Trends, **more: Any
) -> pl.DataFrame:
    """Return the columns of every trend asked for, one below the other."""
    frames = (pl.DataFrame(columns(index.trends(*each), **more)) for each in asked)
    return pl.concat(frames, how="vertical_relaxed")


def fit_columns(fitted: Fitted, weighted: bool = False) -> Mapping[str, object]:
    """Return the trend of each run in full, and what its test takes for granted.

    The verdict is by raw residuals, as in the paper, or by weighted ones.
    """
    independence = fitted.checked[weighted].independence(LEVEL).tolist()
    return {
        "run": fitted.runs,
        "metric": fitted.metric,
        "batch": fitted.cut.length,
        "cutoff": fitted.cutoff,
        "batches": fitted.cut.number,
        **{name: column(fitted) for name, column in COLUMNS.items()},
        "independence": [None if place < 0 else VERDICTS[place] for place in independence],
        "verdict": list(verdicts(fitted, weighted)),
    }


def assumptions(fitted: Fitted, weighted: bool) -> dict[str, BoolArray]:
    """Return which assumptions of the test of each slope nothing speaks against."""
    checked = fitted.checked[weighted]
    # The residuals of a series of only 0 and 1 are never normal.
    held = {
        "normal": ~(checked.normality.p < LEVEL) & ~categorical(fitted.trend),
        "independent": checked.dependent(LEVEL) < 0,
        "one_way": checked.spearman.p < LEVEL,
    }
    return held | {"all_hold": np.logical_and.reduce(list(held.values()))}


def verdicts(fitted: Fitted, weighted: bool = False) -> Iterator[str]:
    """Yield what speaks against believing the test of each slope."""
    held, only_0_and_1 = assumptions(fitted, weighted), categorical(fitted.trend)
    dependent = fitted.checked[weighted].dependent(LEVEL)
    for run, is_tested in enumerate(fitted.trend.tested.tolist()):
        normal = CATEGORICAL if only_0_and_1[run] else NOT_NORMAL
        against = {"normal": normal, "independent": DEPENDENT[dependent[run]], "one_way": UNMOVED}
        reasons = ", ".join(words for name, words in against.items() if not held[name][run])
        untested = EXACT if fitted.trend.slope_error[run] == 0 else CANNOT_SAY
        yield (reasons or FITS) if is_tested else untested


def places(worth: FloatArray) -> pl.Series:
    """Return the place of each value from 1 on, equal ones alike; none where there is none."""
    return pl.Series(worth, nan_to_null=True).rank("min", descending=True).cast(pl.Int64)


def rank(index: TrendIndex, metric: str, length: str) -> pl.DataFrame:
    """Return the runs by their end points, beside the usual ranking that is blind to time.

    Kendall's tau of the two is on every row; a metric of which less is better is turned around.
    """
    usual, fitted = index.fitted(USUAL, WHOLE), index.fitted(metric, length)
    columns = {
        "metric": metric,
        "batch": length,
        "place": places(fitted.worth),
        "run": index.runs,
        "end": fitted.value,
        "end_se": fitted.trend.end_error,
        "cutoff": fitted.cutoff,
        "usual_place": places(usual.worth),
        USUAL: usual.value,
        "usual_cutoff": usual.cutoff,
        "tau": kendall(fitted.worth, usual.worth),
        "tau_p": kendall_p(fitted.worth, usual.worth),
    }
    return pl.DataFrame(columns).sort("place", nulls_last=True, maintain_order=True)


def describe_ranking(rows: pl.DataFrame, write: Callable[[float], str]) -> str:
    """Return a ranking in a sentence, and how far it agrees with the usual one."""
    metric, length, tau, p = rows.select("metric", "batch", "tau", "tau_p").row(0)
    name, is_placed = f"Ranking by end({metric},batch={length})", rows["place"].is_not_null()
    ranked, without = (rows.filter(each)["run"].to_list() for each in (is_placed, ~is_placed))
    if not ranked:
        return f"{name}: none, since no run has the {FEWEST} usable batches that a trend takes."
    last = f"; without a trend: {listed(without)}" if without else ""
    agreement = f"Kendall's tau with the ranking by {USUAL} is {write(tau)} (p {write(p)})"
    if not np.isfinite(tau):
        several = rows.drop_nulls(["place", "usual_place"]).height > 1
        why = "all runs are equal in one of them" if several else "fewer than two runs have both"
        agreement = f"no Kendall's tau with the ranking by {USUAL}: {why}"
    return f"{name}: {listed(ranked)}{last}; {agreement}."


def ranking_notes(index: TrendIndex, asked: Trends) -> tuple[str, ...]:
    """Return a sentence for each ranking, and where its tests are; none for one run."""
    frames = [rank(index, *each) for each in asked] if len(index.runs) > 1 else []
    sentences = [describe_ranking(each, "{:.4f}".format) for each in frames]
    return (*sentences, *[MORE] * any(each["place"].count() > 1 for each in frames))


def test_columns(fitted: Fitted) -> Mapping[str, object]:
    """Return for every two runs whether their slopes differ, and whether their end points do.

    `z` and `end_z` take them as independent, as the paper does; the paired tests are those of the
    trend of their difference. `trust` names the one to believe.
    """
    pairs = np.array(list(combinations(range(len(fitted.runs)), 2)), np.int64).reshape(-1, 2)
    one, other = (fitted.trend.take(column) for column in pairs.T)
    both = difference(one, other)
    slopes, ends = z_test(one.slopes(), other.slopes()), z_test(one.ends(), other.ends())
    trusted = np.where(np.isfinite(slopes.p), "z", "neither")
    return {
        "metric": fitted.metric,
        "batch": fitted.cut.length,
        "run": [fitted.runs[at] for at in pairs[:, 0]],
        "other": [fitted.runs[at] for at in pairs[:, 1]],
        "slope_difference": one.slope - other.slope,
        "z": slopes.statistic,
        "z_p": slopes.p,
        "paired_slope": both.slope,
        "paired_se": both.slope_error,
        "paired_t": both.t,
        "paired_p": both.p,
        "end_difference": one.end - other.end,
        "end_z": ends.statistic,
        "end_z_p": ends.p,
        "paired_end": both.end,
        "paired_end_se": both.end_error,
        "paired_end_t": both.height.statistic,
        "paired_end_p": both.height.p,
        "common_batches": both.number,
        "trust": np.where(both.tested, "paired", trusted).tolist(),
    }


def batch_columns(fitted: Fitted) -> Mapping[str, object]:
    """Return a metric of every run in every batch, at its own cutoff, with trend and residuals.

    The weight is the batch's share of the run's pairs; a batch that is undefined or weighs nothing
    is not `usable`.
    """
    runs, cut, trend = len(fitted.runs), fitted.cut, fitted.trend
    return {
        "run": np.repeat(fitted.runs, cut.number),
        "length": cut.length,
        "batch": np.tile(np.arange(cut.number), runs),
        "start": np.tile(cut.starts, runs),
        "end": np.tile(cut.ends, runs),
        "measure": fitted.metric,
        "cutoff": np.repeat(fitted.cutoff, cut.number),
        "value": fitted.series.value.ravel(),
        "weight": fitted.series.weight.ravel(),
        "usable": trend.usable.ravel(),
        "trend": trend.line().ravel(),
        "residual": trend.residuals.ravel(),
        "weighted_residual": trend.weighted_residuals.ravel(),
    }


# Views.


def choose(
    evaluation: Any, asked: ViewRequest[Any], *, by_cutoff: bool = False
) -> tuple[TrendIndex, Trends, tuple[str, ...], dict[str, str]]:
    """Return the index with missing topics as asked for, its trends, warnings and traits."""
    if not by_cutoff:
        evaluation.index.refuse_several_cutoffs()
    rule = asked.on_missing or evaluation.edition.on_missing
    missing = missing_topics([evaluation.index], rule, evaluation.words)
    prepared: Any = apply_missing_rule(evaluation, rule).prepared_for(
        asked.measures, per_topic=False
    )
    index, trends = prepared.index, prepared.trends(asked.measures)
    return index, trends, (*missing.warnings, *index.warnings(trends)), {"missing": rule}


def ranking(evaluation: Any, asked: ViewRequest[Any]) -> ViewRows:
    """Runs by end point and by the usual score."""
    index, trends, warnings, traits = choose(evaluation, asked)
    frame = pl.concat(rank(index, *each) for each in trends)
    return ViewRows(to_pandas(frame), warnings=warnings, traits=traits)


def show_tables(
    tables: Mapping[str, pl.DataFrame], notes: Sequence[str], warnings: Any, traits: Any
) -> ViewRows:
    """Return tables that stand one below the other."""
    whole = to_pandas(pl.concat(tables.values(), how="diagonal_relaxed"))
    sections = {name: to_pandas(each) for name, each in tables.items()}
    return ViewRows(whole, tuple(notes), tuple(warnings), sections=sections, traits=traits)


def group_runs(
    evaluation: Any, path: str | None
) -> tuple[dict[str, list[int]], str, tuple[str, ...]]:
    """Return the places of each team's runs, the teams of a file for the signature, and warnings.

    A run that the file does not name is known by its own name.
    """
    runs, warnings = evaluation.index.runs, []
    of_file = {} if path is None else read_teams(path)
    named = {run: team for run, team in of_file.items() if run in runs}
    strangers = sorted(of_file.keys() - named.keys())
    if strangers and not named:
        known = f"{listed(runs)}; it has {listed(strangers)}"
        raise UsageError(f"--teams {path} names none of the runs, which are {known}")
    if strangers:
        warnings.append(f"teams of runs that are not here: {listed(strangers)}")
    # A hyphen in the name of a file ends no name of a team.
    paths = [str(source.path) for source in evaluation.inputs]
    files = {name for path in paths for name in (path, Input(path).name)}
    alone = [run for run in runs if run.partition(":")[0] in files and run not in named]
    if alone:
        reason = f"runs named after their files count as one team each: {listed(alone)}"
        warnings.append(f"{reason}; --teams FILE names their teams")
    whose = {run: run if run in alone else run.partition("-")[0] for run in runs} | named
    members = {
        team: [at for at, run in enumerate(runs) if whose[run] == team] for team in whose.values()
    }
    parts = {team: ",".join(run for run in named if named[run] == team) for team in named.values()}
    return members, ";".join(f"{team}={names}" for team, names in parts.items()), tuple(warnings)


def rankings(index: TrendIndex, asked: Trends) -> list[Fitted]:
    """Return the usual ranking of runs, then those by end points."""
    return [index.fitted(USUAL, WHOLE), *(index.fitted(*each) for each in asked)]


def teams(evaluation: Any, asked: ViewRequest[Any]) -> ViewRows:
    """Teams by their best run in each ranking, and Kendall's tau."""
    index, trends, warnings, traits = choose(evaluation, asked)
    members, trait, more = group_runs(evaluation, asked.options.teams)
    tables = rank_teams(rankings(index, trends), members)
    return show_tables(tables, [TEAMS], (*warnings, *more), traits | {"teams": trait})


def rank_teams(
    ranked: Iterable[Fitted], members: Mapping[str, list[int]]
) -> dict[str, pl.DataFrame]:
    """Return every ranking of the teams, each by its best run, and Kendall's tau of each two."""
    parts, scores = list[pl.DataFrame](), dict[str, Any]()
    for each in ranked:
        best = [each.best(runs) for runs in members.values()]
        scores[each.name] = each.worth[best]
        is_known = np.isfinite(each.value)
        columns = {
            "ranking": each.name,
            "place": places(each.worth[best]),
            "team": list(members),
            "run": [each.runs[run] if is_known[run] else None for run in best],
            "value": each.value[best],
            "cutoff": each.cutoff[best],
            "runs": list(map(len, members.values())),
        }
        parts.append(pl.DataFrame(columns).sort("place", nulls_last=True, maintain_order=True))
    rows = [
        (one, other, np.count_nonzero(np.isfinite(a + b)), kendall(a, b), kendall_p(a, b))
        for (one, a), (other, b) in combinations(scores.items(), 2)
    ]
    names = ["ranking", "other", "teams", "tau", "tau_p"]
    agreement = pl.DataFrame(rows, schema=names, orient="row")
    ranking = pl.concat(parts, how="vertical_relaxed")
    return {"Teams by their best run": ranking, "Agreement": agreement}


def tests(evaluation: Any, asked: ViewRequest[Any]) -> ViewRows:
    """Runs against each other."""
    index, trends, warnings, traits = choose(evaluation, asked)
    if len(index.runs) < 2:
        raise UsageError("--show tests needs two runs at least")
    frame = to_pandas(join(test_columns, index, trends))
    return ViewRows(frame, (TRUST, DOUBT), warnings, TESTS_FOR_PEOPLE, traits=traits)


def fits(evaluation: Any, asked: ViewRequest[Any]) -> ViewRows:
    """Each trend in full, with tests of its assumptions."""
    index, trends, warnings, traits = choose(evaluation, asked, by_cutoff=True)
    weighted = asked.options.residuals == "weighted"
    frame = to_pandas(join(fit_columns, index, trends, weighted=weighted))
    return ViewRows(frame, (DOUBT,), warnings, FITS_FOR_PEOPLE, traits=traits)


def stability(evaluation: Any, asked: ViewRequest[Any]) -> ViewRows:
    """The number of runs that meet the assumptions, and slopes by batch length."""
    index, trends, warnings, traits = choose(evaluation, asked, by_cutoff=True)
    weighted = asked.options.residuals == "weighted"
    fits = [index.trends(*each) for each in trends]
    pairs = [pair for pair in combinations(fits, 2) if pair[0].metric == pair[1].metric]
    tables = {"Assumptions": pl.DataFrame([matched_share(each, weighted) for each in fits])}
    if pairs:
        tables["Stability"] = pl.DataFrame([slope_agreement(*pair) for pair in pairs])
    notes = (STABILITY, DIFFERENCE if pairs else ONE_LENGTH, *[EACH_CUTOFF] * index.by_cutoff)
    traits |= {"residuals": "weighted" if weighted else ""}
    return show_tables(tables, notes, warnings, traits)


def matched_share(fitted: Fitted, weighted: bool) -> dict[str, object]:
    """Return counts of runs, and the shares of those with a test for which assumptions hold."""
    trend = fitted.trend
    masks = {"significant": trend.rise.significant(LEVEL), "rising": trend.slope > 0}
    masks |= assumptions(fitted, weighted)
    return {
        "metric": fitted.metric,
        "batch": fitted.cut.length,
        "fits": np.count_nonzero(trend.fitted),
        "tested": np.count_nonzero(trend.tested),
        **{name: share_of(mask, trend.tested) for name, mask in masks.items()},
    }


def slope_agreement(one: Fitted, other: Fitted) -> dict[str, object]:
    """Return how far slopes and end points by two lengths of batches agree."""
    first, second = one.trend, other.trend
    both, tested = first.fitted & second.fitted, first.tested & second.tested
    less = (first.slope / one.cut.seconds - second.slope / other.cut.seconds)[both]
    signs = [np.sign(each.slope) for each in (first, second)]
    found = [each.rise.significant(LEVEL) for each in (first, second)]
    return {
        "metric": one.metric,
        "batch": one.cut.length,
        "other": other.cut.length,
        "runs": len(less),
        "same_direction": share_of(signs[0] == signs[1], both),
        "slope_difference": np.average(less) if len(less) else np.nan,
        "difference_sd": less.std(ddof=1) if len(less) > 1 else np.nan,
        "slope_tau": kendall(first.slope, second.slope),
        "slope_tau_p": kendall_p(first.slope, second.slope),
        "end_tau": kendall(first.end, second.end),
        "end_tau_p": kendall_p(first.end, second.end),
        "tested_both": np.count_nonzero(tested),
        "same_finding": share_of(found[0] * signs[0] == found[1] * signs[1], tested),
    }


def share_of(mask: BoolArray, among: BoolArray) -> float:
    """Return the share of those among which a mask holds; NaN among none."""
    return float(np.average(mask[among])) if among.any() else np.nan


def bursts(evaluation: Any, asked: ViewRequest[Any]) -> ViewRows:
    """The weight of each interval, without any run."""
    index = evaluation.index
    lengths = dict.fromkeys((WHOLE, *asked.options.batches))
    frame = pl.concat(pl.DataFrame(index.burst_weights(index.cut(each))) for each in lengths)
    return ViewRows(to_pandas(frame), warnings=tuple(index.warnings(evaluation.trends(()))))


def series(evaluation: Any, asked: ViewRequest[Any]) -> Mapping[Path, bytes]:
    """Return every batch of every metric, where a file is named for them."""
    path = asked.options.series
    if path is None:
        return {}
    if not evaluation.index.runs:
        raise UsageError("--series has no meaning without runs")
    index, _, _, traits = choose(evaluation, asked, by_cutoff=True)
    index = replace(index, metrics=tuple(METRICS))
    every = [(metric, each) for each in index.lengths for metric in METRICS]
    frame, form = to_pandas(join(batch_columns, index, every)), path.suffix.lstrip(".").lower()
    return {path: rows_bytes(frame, form or "csv", evaluation.signature(**traits))}


# Pictures.


def draw(evaluation: Any, asked: ViewRequest[Any], form: str) -> Written:  # noqa: ARG001 - all alike
    """Return the trends as a chart, of several runs beside each how two rankings differ."""
    index, trends, warnings, traits = choose(evaluation, asked)
    drawn, several = list[Panel](), len(index.runs) > 1
    for each in trends:
        drawn.append(trend_panel(index.fitted(*each), index.runs))
        drawn += [ranking_panel(rank(index, *each), index.runs)] if several else []
    title, note = (
        "Filtering over time",
        "each batch, and the trend that is fitted to a run's batches",
    )
    traces = evaluation.signature(**traits), index.runs, tuple(drawn)
    picture = Picture(title, *traces, columns=1 + several, note=note)
    return Written(picture=picture, warnings=(*evaluation.warnings, *warnings))


def draw_teams(evaluation: Any, asked: ViewRequest[Any]) -> Written:
    """Return the teams as a chart: their trends, or scores by cutoff, and the spread of runs."""
    index, trends, warnings, traits = choose(evaluation, asked)
    members, trait, more = group_runs(evaluation, asked.options.teams)
    usual, *ranked = rankings(index, trends)
    members, drawn = ({name: members[name] for name in in_order(usual, members)}, list[Panel]())
    for each in (*ranked, usual):
        if each is not usual or len(index.cutoffs) > 1:
            drawn.append(course_panel(index, each, members))
        drawn.append(spread_panel(each, members))
    title = "Teams and the spread of their runs"
    note = "a team is the mean of its runs, and reaches from the lowest of them to the highest"
    traces = evaluation.signature(**traits, teams=trait), tuple(members), tuple(drawn)
    picture = Picture(title, *traces, columns=2, note=note, kind="team")
    return Written(picture=picture, warnings=(*evaluation.warnings, *warnings, *more))


def in_order(fitted: Fitted, members: Mapping[str, list[int]]) -> list[str]:
    """Return the teams from the best on, by their best runs; last those that have no value."""
    worth = np.nan_to_num(fitted.worth, nan=-np.inf)
    return sorted(members, key=lambda team: -worth[members[team]].max())


def panel(
    fitted: Fitted, title: str, x: Axis, values: Iterable[float | None], **more: Any
) -> Panel:
    """Return a panel of a metric, whose axis reaches all values, and `ends` of intervals in part.

    The axis has the name of the metric, unless that is `unit`.
    """
    low, high = reached(values, more.pop("ends", ()), (0.0, 1.0))
    least, most = (each if math.isfinite(each) else None for each in BOUNDS[fitted.metric])
    more = {"note": fitted.better, "lines": (), "size": (480, 300)} | more
    y = Axis(more.pop("unit", fitted.metric), low, high)
    return Panel(title, x=x, y=y, is_stepped=False, possible=(least, most), **more)


def course_panel(index: TrendIndex, fitted: Fitted, members: Mapping[str, list[int]]) -> Panel:
    """Return the mean of each team's runs in a band that holds them all, by time or by cutoff."""
    cut, title, x, at = fitted.cut, f"{USUAL} by cutoff", Axis("cutoff"), index.cutoffs
    values = index.series(fitted.metric, cut.length).value[..., 0]
    if cut.length != WHOLE:
        title, x, values = fitted.caption, Axis(SINCE, 0.0, cut.days), fitted.trend.line()
        # A straight line stays straight where the last batch is shorter.
        at = np.linspace(cut.middles[0], cut.middles[-1], cut.number)
    lines = list[Line]()
    for team, runs in enumerate(members.values()):
        own = values[runs][np.isfinite(values[runs]).all(axis=1)]
        mean = known(np.average(own, axis=0)) if len(own) else ()
        low, high = (own.min(axis=0), own.max(axis=0)) if len(own) > 1 else ((), ())
        lines.append(Line(team, known(at)[: len(mean)], mean, known(low), known(high)))
    drawn = [each for line in lines for each in (*line.value, *line.low, *line.high)]
    notice = "" if drawn else "no run has a value"
    return panel(fitted, title, x, drawn, lines=tuple(lines), keys=TEAM_KEYS, notice=notice)


def spread_panel(fitted: Fitted, members: Mapping[str, list[int]]) -> Panel:
    """Return the runs of each team, from the team with the best run on, and their means."""
    parts, points, names, better = list[Parts](), list[Point](), list[str](), fitted.better
    for team in in_order(fitted, members):
        own = fitted.value[members[team]]
        own = own[np.isfinite(own)]
        if not len(own):
            continue
        names.append(team)
        place, at = list(members).index(team), float(len(names))
        ends = (own.min(), own.max()) if len(own) > 1 else ()
        parts.append(Parts(place, (at,) * len(own), known(own)))
        points.append(Point(place, at, *map(float, (np.average(own), *ends))))
    ticks = tuple(each.x for each in points)
    x = Axis("", 0.5, len(names) + 0.5, ticks=ticks, names=tuple(names))
    values = [value for each in parts for value in each.value]
    more: dict[str, Any] = {"points": tuple(points), "parts": tuple(parts)}
    more |= {"keys": TEAM_KEYS, "unit": "", "size": (max(230, 34 * len(names)), 300)}
    more |= {"notice": "" if points else "no run has a value", "note": f"by best run; {better}"}
    return panel(fitted, fitted.name, x, values, **more)


def trend_panel(fitted: Fitted, runs: Sequence[str]) -> Panel:
    """Return the panel of a metric and a length of batches; a run is its place in `runs`.

    The batches are dots at the day of their middle; the line of a run is drawn by its two ends.
    """
    trend, series, days = fitted.trend, fitted.series, known(fitted.cut.middles)
    heights, intervals = trend.line()[:, [0, -1]], np.stack(trend.end_interval(), axis=1)
    lines, dots, points = list[Line](), list[Dots](), list[Point]()
    for at, run in enumerate(map(runs.index, fitted.runs)):
        dots.append(Dots(run, days, known(series.value[at]), known(series.weight[at])))
        if not trend.fitted[at]:
            lines.append(Line(run, (), ()))
            continue
        last = days[np.flatnonzero(trend.usable[at])[-1]]
        until = last if last < days[-1] else None
        lines.append(Line(run, (days[0], days[-1]), known(heights[at]), until=until))
        points.append(Point(run, days[-1], float(trend.end[at]), *known(intervals[at])))
    without = "" if points else "fewer than 3 usable batches: no trend"
    values = [*known(series.value), *known(heights), *known(trend.end)]
    more: dict[str, Any] = {"lines": tuple(sorted(lines)), "dots": tuple(sorted(dots))}
    more |= {"points": tuple(points), "ends": known(intervals), "keys": BATCH_KEYS}
    more |= {"notice": without if trend.usable.any() else "no usable batch", "size": (620, 300)}
    return panel(fitted, fitted.caption, Axis(SINCE, 0.0, fitted.cut.days), values, **more)


def ranking_panel(rows: pl.DataFrame, runs: Sequence[str]) -> Panel:
    """Return the place of each run by the usual score and by its end point, joined by a line."""
    sides, both = (1.0, 2.0), rows.select("run", pl.col("usual_place", "place").cast(float))
    lines = sorted(Line(runs.index(run), sides, tuple(pair)) for run, *pair in both.iter_rows())
    points = tuple(
        Point(line.run, side, place)
        for line in lines
        for side, place in zip(sides, line.value, strict=True)
        if place is not None
    )
    last = max((each.value for each in points), default=1.0)
    tau = rows["tau"][0]
    return Panel(
        "ranking",
        f"Kendall's tau {tau:.2f}" if tau == tau else "no Kendall's tau",
        Axis(low=0.7, high=2.3, ticks=sides, names=("usual score", "end point")),
        tuple(lines),
        Axis("place", last + 0.5, 0.5, is_whole=True, ticks=tuple(range(1, int(last) + 1))),
        is_stepped=False,
        points=points,
        keys=(("end", "the place of a run"),),
        size=(230, 300),
    )


def known(values: Any) -> tuple[Any, ...]:
    """Return values as plain numbers; None for those that are undefined."""
    return tuple(None if each != each else each for each in np.ravel(values).tolist())


# A report.


def report_ranking(evaluation: Any, setting: Setting[Any]) -> Iterator[Block]:
    """Yield the runs by the end points of their trends, beside the usual ranking."""
    index, asked = evaluation.index, evaluation.trends(setting.measures)
    yield Note(
        "An end point is where the trend of a run arrives in the last batch: how it does by then. "
        "Here each batch is the mean over its topics, and has one trend; by measure above, each "
        "topic has a trend of its own, and the mean is over these."
    )
    ranked = {each: rank(index, *each) for each in asked}
    if len(index.runs) > 1:
        for rows in ranked.values():
            yield Note(describe_ranking(rows, lambda p: f"{p:.2g}".replace("-", MINUS)))
        yield Note(
            "The paired test looks at the difference of two runs batch by batch; its p is not "
            "corrected for their number, and takes for granted what stands below."
        )
    for each, rows in ranked.items():
        fitted = index.fitted(*each)
        trend = fitted.trend.take([index.runs.index(run) for run in rows["run"]])
        first = trend.take(np.zeros(rows.height, np.int64))
        behind = np.abs(first.end - trend.end)
        behind[:1] = np.nan
        decimals = decimals_for(trend.end_error)
        columns = {
            Head("run", "run"): map(setting.run, rows["run"]),
            Head("place", decimals=0): rows["place"],
            Head("end point", decimals=decimals): trend.end,
            Head("95 % interval", "text"): write_intervals(trend.end_interval(), decimals),
            Head("behind the first", decimals=decimals): behind,
            Head("p of paired test", "chance"): difference(first, trend).height.p,
            Head(USUAL, decimals=3): rows[USUAL],
            Head(f"place by {USUAL}", decimals=0): rows["usual_place"],
            Head("cutoff", decimals=0): rows["cutoff"],
        }
        yield rows_of(f"Ranking by end points of {fitted.caption}", columns, fitted.caption)


def report_trends(evaluation: Any, setting: Setting[Any]) -> Iterator[Block]:
    """Yield every batch of every run with its line, its slope, and what its test assumes."""
    index, asked = evaluation.index, evaluation.trends(setting.measures)
    yield Note(
        "Each batch, and the trend that is fitted to a run’s batches; more is in the tables."
    )
    fits = [index.fitted(*each) for each in asked]
    yield Panels(tuple(trend_panel(each, setting.runs) for each in fits))
    order = np.argsort([setting.run(run) for run in index.runs])
    for fitted in fits:
        trend, decimals = fitted.trend, decimals_for(fitted.trend.slope_error)
        is_better = (trend.slope < 0) == fitted.lower
        ways = [np.isnan(trend.p), ~(trend.p < LEVEL), is_better]
        words = ["cannot be said", "none was found", "gets better"]
        run = {Head("run", "run"): list(map(setting.run, index.runs))}
        columns = run | {
            Head("batches used", "text"): [f"{n} of {fitted.cut.number}" for n in trend.number],
            Head("slope a batch", decimals=decimals): trend.slope,
            Head("95 % interval", "text"): write_intervals(trend.slope_interval(), decimals),
            Head("p", "chance"): trend.p,
            Head("trend", "text"): np.select(ways, words, "gets worse"),
        }
        yield rows_of(f"Slopes of {fitted.caption}", columns, order=order)
        columns = run | describe_assumptions(fitted)
        yield rows_of(f"What the tests of {fitted.caption} take for granted", columns, order=order)


MINUS = "\N{MINUS SIGN}"
NOTHING = "nothing against it"
DEPENDENCE = (*("no: they follow one another", "no: they swing back and forth") * 2, NOTHING)
"""What residuals do, in words, by the place in `DEPENDENT`."""


def describe_assumptions(fitted: Fitted) -> dict[Head, list[str]]:
    """Return whether the assumptions of each run hold, by which statistic, and what p is worth."""
    checked, held, tested = fitted.checked[False], assumptions(fitted, False), fitted.trend.tested
    only_0_and_1, normal = categorical(fitted.trend), np.where(held["normal"], NOTHING, "no")
    normal = np.where(only_0_and_1, "no (only 0 and 1)", normal)
    p = np.where(only_0_and_1, np.nan, checked.normality.p)
    dependence = np.array(DEPENDENCE)[checked.dependent(LEVEL)]
    moves, rho = np.where(held["one_way"], "yes", "no"), checked.spearman.statistic
    shown = {
        "residuals are normal": ("Anderson–Darling p", normal, p),
        "each is independent of the one before": (
            *("Durbin–Watson", dependence),
            checked.durbin_watson,
        ),
        "it moves one way": ("Spearman", moves, rho),
    }
    columns = dict[Head, list[str]]()
    for title, (name, words, values) in shown.items():
        texts = [f" ({name} {each:.3f})".replace("-", MINUS) for each in values]
        whole = np.char.add(words, np.where(np.isnan(values), "", texts))
        columns[Head(title, "text")] = np.where(tested, whole, "cannot be said").tolist()
    reasons = list(verdicts(fitted))
    believed = np.where(np.array(reasons) == FITS, "can be believed", "not to be trusted")
    untested = [f"none: {reason}" for reason in reasons]
    return columns | {Head("its p", "text"): np.where(tested, believed, untested).tolist()}


def rows_of(
    label: str, columns: Mapping[Head, Iterable[Any]], caption: str = "", order: Any = None
) -> Rows:
    """Return a table of a report; None is undefined."""
    frame = pl.DataFrame({str(at): list(each) for at, each in enumerate(columns.values())})
    rows = frame.fill_nan(None)[slice(None) if order is None else order].rows()
    return Rows(label, tuple(columns), tuple(rows), caption or label)


def decimals_for(errors: FloatArray) -> int:
    """Return how many decimals numbers with these errors can carry: two digits of the smallest."""
    least = min((each for each in errors if each > 0), default=0.01)
    return min(6, max(1, 1 - math.floor(math.log10(least))))


def write_intervals(ends: tuple[FloatArray, FloatArray], decimals: int) -> list[str]:
    """Return the two ends of each interval in words."""
    return [
        f"{low:.{decimals}f} to {high:.{decimals}f}".replace("-", MINUS) if low == low else "–"
        for low, high in zip(*ends, strict=True)
    ]


of_trends = partial(View.of, takes_measures=True, by_topic=False)
VIEWS = (
    of_trends(ranking),
    of_trends(teams, measures=("end(F_pr)", "end(F_pra)"), draw=draw_teams),
    of_trends(tests),
    of_trends(fits),
    of_trends(stability),
    View.of(bursts, leaves_out=("runs",)),
)
"""What can be shown instead of scores."""
DRAWN = "a chart of the trends; png and pdf need the extra `report`"
PICTURE = Writer(PICTURES, DRAWN, draw, takes_measures=True, by_topic=False)
