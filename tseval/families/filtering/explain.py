"""What is shown beside scores: rankings, tests, fits, stability, teams, bursts, every batch.

So are the picture of the trends, and the sections of a report.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tseval.core.blocks import Block, Head, Note, Panels, Rows
from tseval.core.family import Asked, Shown, View, Writer, Written
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
from tseval.core.scoring import counted, missing_topics
from tseval.core.sections import Setting
from tseval.core.wording import listed
from tseval.errors import UsageError
from tseval.families.filtering.trends import (
    BOUNDS,
    METRICS,
    USUAL,
    WHOLE,
    Fitted,
    TrendIndex,
)
from tseval.io import PICTURES
from tseval.io.inputs import Input
from tseval.io.rows import rows_bytes
from tseval.io.schema import ALL_TOPICS
from tseval.io.scores import read_teams
from tseval.io.times import UNITS
from tseval.records import frozen
from tseval.statistics.assumptions import DEPENDENT, VERDICTS, categorical, durbin_watson_bounds
from tseval.statistics.ranks import kendall, kendall_p
from tseval.statistics.trend import FEWEST, difference, z_test

if TYPE_CHECKING:
    import pandas as pd

    from tseval.arrays import BoolArray, FloatArray

    Trends = Sequence[tuple[str, str]]
    """Metrics, each with a length of batches."""

LEVEL = 0.05
"""Below this p a test is significant."""
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
) -> pd.DataFrame:
    """Return the columns of every trend asked for, one below the other."""
    import pandas as pd

    parts = [pd.DataFrame(columns(index.trends(*each), **more)) for each in asked]
    return pd.concat(parts, ignore_index=True)


def fit_columns(fitted: Fitted, weighted: bool = False) -> Mapping[str, object]:
    """Return the trend of each run in full, and what its test takes for granted.

    The verdict is by raw residuals, as in the paper, or by weighted ones.
    """
    trend, seconds, day = fitted.trend, fitted.cut.seconds, UNITS["d"]
    raw, other = (fitted.checked[each] for each in (False, True))
    low, high = trend.end_interval()
    bounds = durbin_watson_bounds(trend.number, LEVEL)
    independence = fitted.checked[weighted].independence(LEVEL).tolist()
    return {
        "run": list(fitted.runs),
        "metric": fitted.metric,
        "batch": fitted.cut.length,
        "cutoff": fitted.cutoff,
        "batches": fitted.cut.number,
        "usable": trend.number,
        "undefined": np.isnan(fitted.series.value).sum(axis=1),
        "weightless": (fitted.series.weight == 0).sum(axis=1),
        "intercept": trend.intercept,
        "slope": trend.slope,
        "se": trend.slope_error,
        "slope_per_day": trend.slope * day / seconds,
        "slope_per_second": trend.slope / seconds,
        "t": trend.t,
        "p": trend.p,
        "end": trend.end,
        "end_se": trend.end_error,
        "end_low": low,
        "end_high": high,
        "spearman": raw.spearman.statistic,
        "spearman_p": raw.spearman.p,
        "AD": raw.normality.statistic,
        "AD_p": raw.normality.p,
        "DW": raw.durbin_watson,
        "AD_weighted": other.normality.statistic,
        "AD_p_weighted": other.normality.p,
        "DW_weighted": other.durbin_watson,
        "DW_low": bounds.low,
        "DW_high": bounds.high,
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


def verdicts(fitted: Fitted, weighted: bool) -> Iterator[str]:
    """Yield what speaks against believing the test of each slope."""
    held, trend = assumptions(fitted, weighted), fitted.trend
    only_0_and_1 = categorical(trend)
    dependent = fitted.checked[weighted].dependent(LEVEL)
    for run, is_tested in enumerate(trend.tested.tolist()):
        normal = CATEGORICAL if only_0_and_1[run] else NOT_NORMAL
        against = {"normal": normal, "independent": DEPENDENT[dependent[run]], "one_way": UNMOVED}
        told = ", ".join(words for name, words in against.items() if not held[name][run])
        untested = EXACT if trend.slope_error[run] == 0 else CANNOT_SAY
        yield (told or FITS) if is_tested else untested


def places(values: FloatArray, *, lower: bool) -> list[int | None]:
    """Return the place of each value from 1 on, equal ones alike; None where there is no value."""
    known = np.isfinite(values)
    worth = np.where(known, values if lower else -values, np.inf)
    ahead = (worth[:, np.newaxis] > worth[np.newaxis, :]).sum(axis=1)
    return [int(p) + 1 if k else None for p, k in zip(ahead, known, strict=True)]


def rank(index: TrendIndex, asked: Trends) -> pd.DataFrame:
    """Return the runs by their end points, beside the usual ranking that is blind to time.

    Kendall's tau of the two is on every row; a metric of which less is better is turned around.
    """
    import pandas as pd

    usual, cutoffs = index.of_period(USUAL), index.cutoffs[index.whole_place(USUAL)]
    parts = []
    for each in asked:
        fitted = index.fitted(*each)
        columns = {
            "metric": fitted.metric,
            "batch": fitted.cut.length,
            "place": pd.array(places(fitted.trend.end, lower=fitted.lower), "Int64"),
            "run": list(index.runs),
            "end": fitted.trend.end,
            "end_se": fitted.trend.end_error,
            "cutoff": fitted.cutoff,
            "usual_place": pd.array(places(usual, lower=False), "Int64"),
            USUAL: usual,
            "usual_cutoff": cutoffs,
            "tau": kendall(fitted.worth, usual),
            "tau_p": kendall_p(fitted.worth, usual),
        }
        parts.append(pd.DataFrame(columns).sort_values("place", kind="stable"))
    return pd.concat(parts, ignore_index=True)


def describe_rankings(frame: pd.DataFrame, write: Callable[[float], str]) -> Iterator[str]:
    """Yield each ranking in a sentence, and how far it agrees with the usual one."""
    for (metric, length), rows in frame.groupby(["metric", "batch"], sort=False):
        name, is_placed = f"Ranking by end({metric},batch={length})", rows["place"].notna()
        ranked, without = (rows.loc[each, "run"].tolist() for each in (is_placed, ~is_placed))
        if not ranked:
            yield f"{name}: none, since no run has the {FEWEST} usable batches that a trend takes."
            continue
        last = f"; without a trend: {listed(without)}" if without else ""
        tau, p = float(rows["tau"].iloc[0]), float(rows["tau_p"].iloc[0])
        agreement = f"Kendall's tau with the ranking by {USUAL} is {write(tau)} (p {write(p)})"
        if not np.isfinite(tau):
            several = (is_placed & rows["usual_place"].notna()).sum() > 1
            why = (
                "all runs are equal in one of them" if several else "fewer than two runs have both"
            )
            agreement = f"no Kendall's tau with the ranking by {USUAL}: {why}"
        yield f"{name}: {listed(ranked)}{last}; {agreement}."


def ranking_notes(index: TrendIndex, asked: Trends) -> tuple[str, ...]:
    """Return a sentence for each ranking, and where its tests are; none for one run."""
    if len(index.runs) < 2 or not asked:
        return ()
    frame = rank(index, asked)
    several = frame.groupby(["metric", "batch"])["place"].count().max() > 1
    return (*describe_rankings(frame, "{:.4f}".format), *((MORE,) if several else ()))


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
        "run": np.repeat(np.array(fitted.runs, object), cut.number),
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


def burst_weights(index: TrendIndex, length: str) -> pd.DataFrame:
    """Return how much each interval weighs in the burst-aware mean of each entity with positives.

    The weight of an interval is its share of the entity's positives, times the number of its
    intervals that have any: 1 on average. `all` is the mean over the entities that are positive
    there, with their standard deviation and their number.
    """
    import pandas as pd

    cut = index.cut(length)
    positive, _ = index.judged_pairs(cut)
    there = positive > 0
    intervals = there.sum(axis=1, keepdims=True)
    weight = positive * intervals / np.maximum(positive.sum(axis=1, keepdims=True), 1)
    number = there.sum(axis=0)
    below = np.maximum(number, 1)
    mean = np.where(there, weight, 0.0).sum(axis=0) / below
    deviation = np.sqrt(np.where(there, (weight - mean) ** 2, 0.0).sum(axis=0) / below)
    entity, interval = np.nonzero(there)
    active = np.flatnonzero(number)
    return pd.DataFrame(
        {
            "topic": [*(index.topics[at] for at in entity), *[ALL_TOPICS] * len(active)],
            "length": cut.length,
            "start": cut.starts[np.concatenate([interval, active])],
            "positives": np.concatenate([positive[there], positive.sum(axis=0)[active]]),
            "weight": np.concatenate([weight[there], mean[active]]),
            "deviation": np.concatenate([np.zeros(len(entity)), deviation[active]]),
            "topics": np.concatenate([np.ones(len(entity), np.int64), number[active]]),
        }
    )


# Views.


@frozen
class ChosenTrends:
    """The trends that are asked for, where missing topics count as was asked for."""

    index: TrendIndex
    asked: Trends
    warnings: tuple[str, ...]
    rule: str
    """What becomes of missing topics."""

    @classmethod
    def of(cls, evaluation: Any, asked: Asked[Any], *, by_cutoff: bool = False) -> ChosenTrends:
        """Return the trends of the measures that are asked for; of each cutoff, if that can be."""
        if not by_cutoff:
            evaluation.index.refuse_several_cutoffs()
        rule = asked.on_missing or evaluation.edition.on_missing
        missing = missing_topics([evaluation.index], rule, evaluation.words)
        whole: Any = counted(evaluation, rule).prepared_for(asked.measures, per_topic=False)
        trends = whole.trends(asked.measures)
        return cls(whole.index, trends, (*missing.warnings, *whole.index.warnings(trends)), rule)

    def show(
        self,
        tables: Mapping[str, pd.DataFrame],
        *notes: str,
        for_people: tuple[str, ...] = (),
        **traits: str,
    ) -> Shown:
        """Return frames with their notes; as one for programs, of which later rows have `other`."""
        import pandas as pd

        joined = pd.concat(list(tables.values()), ignore_index=True)
        sections = tables if "" not in tables else {}
        traits = {"missing": self.rule} | traits
        return Shown(joined, notes, self.warnings, for_people, sections, traits)


def ranking(evaluation: Any, asked: Asked[Any]) -> Shown:
    """Runs by end point beside the usual score."""
    trends = ChosenTrends.of(evaluation, asked)
    return trends.show({"": rank(trends.index, trends.asked)})


@frozen
class Teams:
    """Whose the runs are, by their places in the index."""

    members: Mapping[str, list[int]]
    told: str
    """The teams that a file names, for the signature."""
    warnings: tuple[str, ...]

    @classmethod
    def of(cls, evaluation: Any, path: str | None) -> Teams:
        """Return the teams of a file; a run that it does not name is known by its own name."""
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
            told = f"runs that are named as their files, each a team by itself: {listed(alone)}"
            warnings.append(f"{told}; --teams FILE says whose they are")
        of_named, members = dict[str, list[str]](), dict[str, list[int]]()
        for run, team in named.items():
            of_named.setdefault(team, []).append(run)
        whose = named | {run: run for run in alone}
        for at, run in enumerate(runs):
            members.setdefault(whose.get(run, run.partition("-")[0]), []).append(at)
        told = ";".join(f"{team}={','.join(own)}" for team, own in of_named.items())
        return cls(members, told, tuple(warnings))


class Ranking(NamedTuple):
    """The values that runs are ranked by, each at its cutoff."""

    name: str
    value: FloatArray
    cutoff: FloatArray
    lower: bool
    fitted: Fitted | None
    """The trends whose end points they are; None of the usual score."""

    @property
    def metric(self) -> str:
        """The metric that is ranked by, or whose end points are."""
        return USUAL if self.fitted is None else self.fitted.metric

    @property
    def caption(self) -> str:
        """What changes with time, or with the cutoff."""
        return f"{USUAL} by cutoff" if self.fitted is None else self.fitted.caption

    @property
    def worth(self) -> FloatArray:
        """The values turned so that more is better."""
        return -self.value if self.lower else self.value

    def best(self, runs: Sequence[int]) -> int:
        """Return the place of the best of these runs, the first of equal ones; -1 without any."""
        known = [run for run in runs if np.isfinite(self.value[run])]
        return max(known, key=self.worth.__getitem__, default=-1)


def rankings(index: TrendIndex, asked: Trends) -> Iterator[Ranking]:
    """Yield the usual ranking of runs, then those by end points."""
    usual, cutoffs = index.of_period(USUAL), index.cutoffs[index.whole_place(USUAL)]
    yield Ranking(USUAL, usual, np.where(np.isfinite(usual), cutoffs, np.nan), False, None)
    for each in asked:
        fitted = index.fitted(*each)
        yield Ranking(fitted.name, fitted.trend.end, fitted.cutoff, fitted.lower, fitted)


def teams(evaluation: Any, asked: Asked[Any]) -> Shown:
    """Teams by their best run in each ranking, and tau of these."""
    trends, whose = ChosenTrends.of(evaluation, asked), Teams.of(evaluation, asked.options.teams)
    tables = rank_teams(trends.index, trends.asked, whose.members)
    shown = trends.show(tables, TEAMS, teams=whose.told)
    return replace(shown, warnings=(*shown.warnings, *whose.warnings))


def rank_teams(
    index: TrendIndex, asked: Trends, members: Mapping[str, list[int]]
) -> dict[str, pd.DataFrame]:
    """Return every ranking of the teams, each by its best run, and Kendall's tau of each two."""
    import pandas as pd

    parts, scores = list[Any](), dict[str, Any]()
    for each in rankings(index, asked):
        best = [each.best(runs) for runs in members.values()]
        scores[each.name] = np.append(each.worth, np.nan)[best]
        columns = {
            "ranking": each.name,
            "place": pd.array(places(scores[each.name], lower=False), "Int64"),
            "team": list(members),
            "run": [(*index.runs, None)[run] for run in best],
            "value": np.append(each.value, np.nan)[best],
            "cutoff": np.append(each.cutoff, np.nan)[best],
            "runs": pd.array([len(runs) for runs in members.values()], "Int64"),
        }
        parts.append(pd.DataFrame(columns).sort_values("place", kind="stable"))
    rows = [
        (one, other, (np.isfinite(a) & np.isfinite(b)).sum(), kendall(a, b), kendall_p(a, b))
        for (one, a), (other, b) in combinations(scores.items(), 2)
    ]
    taus = pd.DataFrame(rows, columns=["ranking", "other", "teams", "tau", "tau_p"])
    return {
        "Teams by their best run": pd.concat(parts, ignore_index=True),
        "Agreement": taus.astype({"teams": "Int64"}),
    }


def draw_teams(evaluation: Any, asked: Asked[Any]) -> Written:
    """Return the teams as a chart: their trends, or scores by cutoff, and the spread of runs."""
    trends, whose = ChosenTrends.of(evaluation, asked), Teams.of(evaluation, asked.options.teams)
    index, panels = trends.index, list[Panel]()
    ranked = list(rankings(index, trends.asked))
    names = in_order(ranked[0], whose.members)
    members = [whose.members[name] for name in names]
    for each in (*ranked[1:], ranked[0]):
        if each.fitted is not None:
            cut, values = each.fitted.cut, each.fitted.trend.line()
            x = Axis(SINCE, 0.0, cut.days)
            panels.append(course_panel(each, x, cut.middles, values, members))
        elif len(index.cutoffs) > 1:
            x, values = Axis("cutoff"), index.series(USUAL).value[..., 0]
            panels.append(course_panel(each, x, index.cutoffs, values, members))
        panels.append(spread_panel(each, names, members))
    picture = Picture(
        "Teams and the spread of their runs",
        evaluation.signature(missing=trends.rule, teams=whose.told),
        tuple(names),
        tuple(panels),
        2,
        "a team is the mean of its runs, and reaches from the lowest of them to the highest",
        "team",
    )
    warnings = (*evaluation.warnings, *trends.warnings, *whose.warnings)
    return Written(picture=picture, warnings=warnings)


def in_order(ranking: Ranking, members: Mapping[str, list[int]]) -> list[str]:
    """Return the teams from the best on, by their best runs; last those that have no value."""
    worth = np.append(np.nan_to_num(ranking.worth, nan=-np.inf), -np.inf)
    return sorted(members, key=lambda team: -worth[ranking.best(members[team])])


def course_panel(
    ranking: Ranking, x: Axis, at: FloatArray, values: FloatArray, members: Sequence[list[int]]
) -> Panel:
    """Return the mean of each team's runs along an axis, in a band that holds all of them."""
    lines, places = list[Line](), tuple(at.tolist())
    for team, runs in enumerate(members):
        own = values[runs][np.isfinite(values[runs]).all(axis=1)]
        if not len(own):
            lines.append(Line(team, (), ()))
            continue
        mean, low, high = (
            tuple(each.tolist()) for each in (own.mean(axis=0), own.min(axis=0), own.max(axis=0))
        )
        is_one = len(own) == 1
        lines.append(Line(team, places, mean, () if is_one else low, () if is_one else high))
    known = [value for line in lines for own in (line.value, line.low, line.high) for value in own]
    least, most = reached(known, (), (0.0, 1.0))
    return Panel(
        ranking.caption,
        better(lower=ranking.lower),
        x,
        tuple(lines),
        Axis(ranking.metric, least, most),
        is_stepped=False,
        keys=TEAM_KEYS,
        possible=possible(ranking.metric),
        notice="" if known else "no run has a value",
        size=(480, 300),
    )


def spread_panel(ranking: Ranking, names: Sequence[str], members: Sequence[list[int]]) -> Panel:
    """Return the runs of each team, from the team with the best run on, and their means."""
    of_teams = dict(zip(names, members, strict=True))
    parts, points, order = list[Parts](), list[Point](), list[str]()
    for team in in_order(ranking, of_teams):
        own = ranking.value[of_teams[team]]
        own = own[np.isfinite(own)]
        if not len(own):
            continue
        order.append(team)
        place, x = names.index(team), float(len(order))
        parts.append(Parts(place, (x,) * len(own), tuple(own.tolist())))
        ends = (float(own.min()), float(own.max())) if len(own) > 1 else (None, None)
        points.append(Point(place, x, float(own.mean()), *ends))
    low, high = reached((value for each in parts for value in each.value), (), (0.0, 1.0))
    ticks = tuple(each.x for each in points)
    return Panel(
        ranking.name,
        f"by best run; {better(lower=ranking.lower)}",
        Axis(low=0.5, high=len(order) + 0.5, ticks=ticks, names=tuple(order)),
        (),
        Axis("", low, high),
        is_stepped=False,
        points=tuple(points),
        parts=tuple(parts),
        keys=TEAM_KEYS,
        possible=possible(ranking.metric),
        notice="" if points else "no run has a value",
        size=(max(230, 34 * len(order)), 300),
    )


def tests(evaluation: Any, asked: Asked[Any]) -> Shown:
    """Runs against each other."""
    trends = ChosenTrends.of(evaluation, asked)
    if len(trends.index.runs) < 2:
        raise UsageError("--show tests needs two runs at least")
    frame = join(test_columns, trends.index, trends.asked)
    return trends.show({"": frame}, TRUST, DOUBT, for_people=TESTS_FOR_PEOPLE)


def fits(evaluation: Any, asked: Asked[Any]) -> Shown:
    """Each trend in full, with what it takes for granted."""
    trends = ChosenTrends.of(evaluation, asked, by_cutoff=True)
    weighted = asked.options.residuals == "weighted"
    frame = join(fit_columns, trends.index, trends.asked, weighted=weighted)
    return trends.show({"": frame}, DOUBT, for_people=FITS_FOR_PEOPLE)


def stability(evaluation: Any, asked: Asked[Any]) -> Shown:
    """For how many runs that holds, and how far slopes hang on the length of batches."""
    import pandas as pd

    trends = ChosenTrends.of(evaluation, asked, by_cutoff=True)
    weighted = asked.options.residuals == "weighted"
    fits = [trends.index.trends(*each) for each in trends.asked]
    shares = pd.DataFrame([share_held(each, weighted) for each in fits])
    tables = {"Assumptions": shares.astype({"fits": "Int64", "tested": "Int64"})}
    pairs = [pair for pair in combinations(fits, 2) if pair[0].metric == pair[1].metric]
    if pairs:
        agreements = pd.DataFrame([slope_agreement(*pair) for pair in pairs])
        tables["Stability"] = agreements.astype({"runs": "Int64", "tested_both": "Int64"})
    notes = [STABILITY, DIFFERENCE if pairs else ONE_LENGTH]
    notes += [EACH_CUTOFF] if trends.index.by_cutoff else []
    return trends.show(tables, *notes, residuals="weighted" if weighted else "")


def share_held(fitted: Fitted, weighted: bool) -> dict[str, object]:
    """Return counts of runs, and the shares of those with a test for which assumptions hold."""
    trend = fitted.trend
    masks = {"significant": trend.rise.significant(LEVEL), "rising": trend.slope > 0}
    masks |= assumptions(fitted, weighted)
    return {
        "metric": fitted.metric,
        "batch": fitted.cut.length,
        "fits": int(trend.fitted.sum()),
        "tested": int(trend.tested.sum()),
        **{name: share_of(mask, trend.tested) for name, mask in masks.items()},
    }


def slope_agreement(one: Fitted, other: Fitted) -> dict[str, object]:
    """Return how far slopes and end points by two lengths of batches agree."""
    trends = first, second = one.trend, other.trend
    less = first.slope / one.cut.seconds - second.slope / other.cut.seconds
    both, tested = first.fitted & second.fitted, first.tested & second.tested
    signs = [np.nan_to_num(np.sign(each.slope)) for each in trends]
    findings = [
        np.where(each.rise.significant(LEVEL), sign, 0.0)
        for each, sign in zip(trends, signs, strict=True)
    ]
    return {
        "metric": one.metric,
        "batch": one.cut.length,
        "other": other.cut.length,
        "runs": int(both.sum()),
        "same_direction": share_of(signs[0] == signs[1], both),
        "slope_difference": less[both].mean() if both.any() else np.nan,
        "difference_sd": less[both].std(ddof=1) if both.sum() > 1 else np.nan,
        "slope_tau": kendall(first.slope, second.slope),
        "slope_tau_p": kendall_p(first.slope, second.slope),
        "end_tau": kendall(first.end, second.end),
        "end_tau_p": kendall_p(first.end, second.end),
        "tested_both": int(tested.sum()),
        "same_finding": share_of(findings[0] == findings[1], tested),
    }


def share_of(mask: BoolArray, among: BoolArray) -> float:
    """Return the share of those among which a mask holds; NaN among none."""
    return float(mask[among].mean()) if among.any() else np.nan


def bursts(evaluation: Any, asked: Asked[Any]) -> Shown:
    """How much each interval weighs, for which no run is needed."""
    import pandas as pd

    index = evaluation.index
    lengths = dict.fromkeys((WHOLE, *asked.options.batches))
    frame = pd.concat([burst_weights(index, each) for each in lengths], ignore_index=True)
    return Shown(frame, warnings=tuple(index.warnings(evaluation.trends(()))))


VIEWS = (
    View.of(ranking, takes_measures=True, by_topic=False),
    View.of(
        teams,
        takes_measures=True,
        measures=("end(F_pr)", "end(F_pra)"),
        by_topic=False,
        draw=draw_teams,
    ),
    View.of(tests, takes_measures=True, by_topic=False),
    View.of(fits, takes_measures=True, by_topic=False),
    View.of(stability, takes_measures=True, by_topic=False),
    View.of(bursts, leaves_out=("runs",)),
)
"""What can be shown instead of scores."""


def series(evaluation: Any, asked: Asked[Any]) -> Mapping[Path, bytes]:
    """Return every batch of every metric, where a file is named for them."""
    path = asked.options.series
    if path is None:
        return {}
    if not evaluation.index.runs:
        raise UsageError("--series has no meaning without runs")
    trends = ChosenTrends.of(evaluation, asked, by_cutoff=True)
    index = replace(trends.index, metrics=tuple(METRICS))
    frame = join(
        batch_columns, index, [(metric, each) for each in index.lengths for metric in METRICS]
    )
    form = path.suffix.lstrip(".").lower() or "csv"
    return {path: rows_bytes(frame, form, evaluation.signature(missing=trends.rule))}


# The picture.


def draw(evaluation: Any, asked: Asked[Any], form: str) -> Written:  # noqa: ARG001 - all alike
    """Return the trends as a chart, of several runs beside each how two rankings differ."""
    trends = ChosenTrends.of(evaluation, asked)
    index, panels, several = trends.index, list[Panel](), len(trends.index.runs) > 1
    for each in trends.asked:
        panels.append(trend_panel(index.fitted(*each), index.runs))
        panels += [ranking_panel(rank(index, [each]), index.runs)] if several else []
    picture = Picture(
        "Filtering over time",
        evaluation.signature(missing=trends.rule),
        index.runs,
        tuple(panels),
        1 + several,
        "each batch, and the trend that is fitted to a run's batches",
    )
    return Written(picture=picture, warnings=(*evaluation.warnings, *trends.warnings))


PICTURE = Writer(
    PICTURES,
    "the trends, drawn; png and pdf need the extra `report`",
    draw,
    takes_measures=True,
    by_topic=False,
)


def trend_panel(fitted: Fitted, runs: Sequence[str]) -> Panel:
    """Return the panel of a metric and a length of batches; a run is its place in `runs`.

    The batches are dots at the day of their middle; the line of a run is drawn by its two ends.
    """
    trend, days = fitted.trend, tuple(fitted.cut.middles.tolist())
    heights, intervals = trend.line(), np.stack(trend.end_interval(), axis=1)
    lines, dots, points = list[Line](), list[Dots](), list[Point]()
    for at, run in enumerate(map(runs.index, fitted.runs)):
        series = (each[at].tolist() for each in (fitted.series.value, fitted.series.weight))
        values, weights = (tuple(map(known, each)) for each in series)
        dots.append(Dots(run, days, values, weights))
        if not trend.fitted[at]:
            lines.append(Line(run, (), ()))
            continue
        last = days[np.flatnonzero(trend.usable[at])[-1]]
        ends = (days[0], days[-1]), tuple(heights[at, [0, -1]].tolist())
        lines.append(Line(run, *ends, until=last if last < days[-1] else None))
        interval = map(known, intervals[at].tolist())
        points.append(Point(run, days[-1], float(trend.end[at]), *interval))
    drawn = [*fitted.series.value.ravel(), *heights.ravel(), *trend.end]
    low, high = reached(map(known, drawn), map(known, intervals.ravel()), (0.0, 1.0))
    without = "" if points else "fewer than 3 usable batches: no trend"
    return Panel(
        fitted.caption,
        better(lower=fitted.lower),
        Axis(SINCE, 0.0, fitted.cut.days),
        tuple(sorted(lines)),
        Axis(fitted.metric, low, high),
        is_stepped=False,
        dots=tuple(sorted(dots)),
        points=tuple(points),
        keys=BATCH_KEYS,
        possible=possible(fitted.metric),
        notice=without if trend.usable.any() else "no usable batch",
        size=(620, 300),
    )


def ranking_panel(rows: pd.DataFrame, runs: Sequence[str]) -> Panel:
    """Return the place of each run by the usual score and by its end point, joined by a line."""
    sides = (1.0, 2.0)
    both = (map(known, rows[name].astype(float).tolist()) for name in ("usual_place", "place"))
    lines = sorted(
        Line(runs.index(run), sides, pair)
        for run, pair in zip(rows["run"], zip(*both, strict=True), strict=True)
    )
    points = tuple(
        Point(line.run, side, place)
        for line in lines
        for side, place in zip(sides, line.value, strict=True)
        if place is not None
    )
    last = max((each.value for each in points), default=1.0)
    tau = float(rows["tau"].iloc[0])
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


def possible(metric: str) -> tuple[float | None, float | None]:
    """Return the least and the most that a metric can be, where there are such."""
    least, most = BOUNDS.get(metric, (0.0, 1.0))
    return least if math.isfinite(least) else None, most if math.isfinite(most) else None


def better(*, lower: bool) -> str:
    """Return which values are better, in words."""
    return "lower is better" if lower else "higher is better"


def known(value: Any) -> Any:
    """Return the value; None for one that is undefined."""
    return None if value != value else value


# A report.


def report_ranking(evaluation: Any, setting: Setting[Any]) -> Iterator[Block]:
    """Yield the runs by the end points of their trends, beside the usual ranking."""
    index, asked = evaluation.index, evaluation.trends(setting.measures)
    yield Note(
        "An end point is where the trend of a run arrives in the last batch: how it does by then. "
        "Here each batch is the mean over its topics, and has one trend; by measure above, each "
        "topic has a trend of its own, and the mean is over these."
    )
    if len(index.runs) > 1:
        sentences = describe_rankings(rank(index, asked), lambda p: f"{p:.2g}".replace("-", MINUS))
        yield from map(Note, sentences)
        yield Note(
            "The paired test looks at the difference of two runs batch by batch; its p is not "
            "corrected for their number, and takes for granted what stands below."
        )
    for each in asked:
        fitted, ranked = index.fitted(*each), list(records(rank(index, [each])))
        fits = records(join(fit_columns, index, [each]))
        ends = {row["run"]: (row["end_low"], row["end_high"]) for row in fits}
        behind = dict[str, tuple[float, float]]()
        for row in records(join(test_columns, index, [each])):
            pair, first = [row["run"], row["other"]], ranked[0]["run"]
            if first in pair and row["end_difference"] is not None:
                pair.remove(first)
                behind[pair[0]] = abs(row["end_difference"]), row["paired_end_p"]
        decimals = decimals_for(row["end_se"] for row in ranked)
        heads = (
            Head("run", "run"),
            Head("place", decimals=0),
            Head("end point", decimals=decimals),
            Head("95 % interval", "text"),
            Head("behind the first", decimals=decimals),
            Head("p of paired test", "chance"),
            Head(USUAL, decimals=3),
            Head(f"place by {USUAL}", decimals=0),
            Head("cutoff", decimals=0),
        )
        cells = tuple(
            (
                *(setting.run(row["run"]), row["place"], row["end"]),
                write_interval(*ends[row["run"]], decimals),
                *behind.get(row["run"], (None, None)),
                *(row[USUAL], row["usual_place"], row["cutoff"]),
            )
            for row in ranked
        )
        yield Rows(f"Ranking by end points of {fitted.caption}", heads, cells, fitted.caption)


def report_trends(evaluation: Any, setting: Setting[Any]) -> Iterator[Block]:
    """Yield every batch of every run with its line, its slope, and what its test assumes."""
    index, asked = evaluation.index, evaluation.trends(setting.measures)
    yield Note(
        "Each batch, and the trend that is fitted to a run’s batches; more is in the tables."
    )
    fits = [index.fitted(*each) for each in asked]
    yield Panels(tuple(trend_panel(each, setting.runs) for each in fits))
    for fitted in fits:
        trend, trends, assumed = fitted.trend, [], []
        intervals = zip(*(each.tolist() for each in trend.slope_interval()), strict=True)
        decimals = decimals_for(trend.slope_error.tolist())
        rows = records(join(fit_columns, index, [(fitted.metric, fitted.cut.length)]))
        for row, (low, high) in zip(rows, intervals, strict=True):
            run, way = setting.run(row["run"]), "cannot be said"
            if row["p"] is not None:
                way = "gets better" if (row["slope"] < 0) == fitted.lower else "gets worse"
                way = way if row["p"] < LEVEL else "none was found"
            used, interval = (
                f"{row['usable']} of {row['batches']}",
                write_interval(low, high, decimals),
            )
            trends.append((run, used, row["slope"], interval, row["p"], way))
            assumed.append((run, *describe_assumptions(row)))
        heads = (
            *(Head("run", "run"), Head("batches used", "text")),
            *(Head("slope a batch", decimals=decimals), Head("95 % interval", "text")),
            *(Head("p", "chance"), Head("trend", "text")),
        )
        label = f"Slopes of {fitted.caption}"
        yield Rows(label, heads, tuple(sorted(trends, key=itemgetter(0))), label)
        words = ("residuals are normal", "each is independent of the one before")
        told = [Head(each, "text") for each in (*words, "it moves one way", "its p")]
        label = f"What the tests of {fitted.caption} take for granted"
        cells = tuple(sorted(assumed, key=itemgetter(0)))
        yield Rows(label, (Head("run", "run"), *told), cells, label)


MINUS = "\N{MINUS SIGN}"
DEPENDENCE = dict(
    zip(
        DEPENDENT, ("no: they follow one another", "no: they swing back and forth") * 2, strict=True
    )
)
"""What residuals do that are not independent, in words."""


def describe_assumptions(row: Mapping[str, Any]) -> tuple[str, str, str, str]:
    """Return whether each assumption holds, by which statistic, and what that makes of p."""
    verdict = str(row["verdict"])
    if verdict in (CANNOT_SAY, EXACT):
        return ("cannot be said",) * 3 + (f"none: {verdict}",)
    against, fine = verdict.split(", "), "nothing against it"
    is_categorical = CATEGORICAL in against
    words = (
        "no" if is_categorical or NOT_NORMAL in against else fine,
        next((DEPENDENCE[each] for each in against if each in DEPENDENCE), fine),
        "no" if UNMOVED in against else "yes",
    )
    names = {"AD_p": "Anderson–Darling p", "DW": "Durbin–Watson", "spearman": "Spearman"}
    texts = {name: f"{words} {row[name] or 0:.3f}" for name, words in names.items()}
    numbers = [
        "" if row[name] is None else text.replace("-", MINUS) for name, text in texts.items()
    ]
    if is_categorical:
        numbers[0] = "only 0 and 1"
    normal, independent, one_way = (
        f"{word} ({number})" if number else word
        for word, number in zip(words, numbers, strict=True)
    )
    believed = "can be believed" if verdict == FITS else "not to be trusted"
    return normal, independent, one_way, believed


def records(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield rows with plain values; what is undefined is None."""
    for row in frame.astype(object).where(frame.notna(), None).to_dict("records"):
        yield {str(name): value for name, value in row.items()}


def decimals_for(errors: Iterable[float | None]) -> int:
    """Return how many decimals numbers with these errors can carry: two digits of the smallest."""
    least = min((each for each in errors if each is not None and each > 0), default=0.01)
    return min(6, max(1, 1 - math.floor(math.log10(least))))


def write_interval(low: float | None, high: float | None, decimals: int) -> str:
    """Return the two ends of an interval in words."""
    if known(low) is None or known(high) is None:
        return "–"
    return f"{low:.{decimals}f} to {high:.{decimals}f}".replace("-", MINUS)
