"""What a reader asks beside the scores: fits, ranking, tests, every batch, bursts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tseval.core.wording import listed
from tseval.families.filtering.index import USUAL, Fitted, TrendIndex
from tseval.families.filtering.metrics import LOWER_IS_BETTER
from tseval.families.filtering.period import Cut
from tseval.families.filtering.tally import Tally
from tseval.statistics.assumptions import DEPENDENT, VERDICTS, categorical, durbin_watson_bounds
from tseval.statistics.ranks import kendall, kendall_p
from tseval.statistics.trend import FEWEST, Trend, difference, z_test
from tseval.tables import ALL_TOPICS
from tseval.tables.times import UNITS

if TYPE_CHECKING:
    import pandas as pd

    from tseval.tables.columns import BoolArray, FloatArray, IntArray

    Asked = Sequence[tuple[str, str]]

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


FITS_FOR_PEOPLE = (
    *("run", "metric", "batch", "cutoff", "usable", "slope", "slope_per_day", "slope_per_second"),
    *("se", "t", "p", "end", "end_se", "spearman", "AD_p", "DW", "independence", "verdict"),
)
"""The columns that a table has room for; the other forms have all."""


def fits(index: TrendIndex, asked: Asked, *, weighted: bool = False) -> pd.DataFrame:
    """The trend of each run in full, and what it takes for granted.

    The verdict is by raw residuals, as in the paper, or by weighted ones.
    """
    import pandas as pd

    parts = [
        pd.DataFrame(_fit_columns(index, metric, index.fitted(metric, length), weighted))
        for metric, length in asked
    ]
    return pd.concat(parts, ignore_index=True)


def _fit_columns(
    index: TrendIndex, metric: str, fitted: Fitted, weighted: bool
) -> dict[str, object]:
    trend, cut, day = fitted.trend, fitted.cut, UNITS["d"]
    series = fitted.series
    low, high = trend.end_interval()
    bounds = durbin_watson_bounds(trend.number, LEVEL)
    return {
        "run": list(index.runs),
        "metric": metric,
        "batch": cut.length,
        "cutoff": _cutoffs(index, fitted),
        "batches": cut.number,
        "usable": trend.number,
        "undefined": (~series.defined).sum(axis=1),
        "weightless": (series.weight == 0).sum(axis=1),
        "intercept": trend.intercept,
        "slope": trend.slope,
        "se": trend.slope_error,
        "slope_per_day": trend.slope * day / cut.seconds,
        "slope_per_second": trend.slope / cut.seconds,
        "t": trend.t,
        "p": trend.p,
        "end": trend.end,
        "end_se": trend.end_error,
        "end_low": low,
        "end_high": high,
        "spearman": fitted.statistic("spearman"),
        "spearman_p": fitted.statistic("spearman-p"),
        "AD": fitted.statistic("AD"),
        "AD_p": fitted.statistic("AD-p"),
        "DW": fitted.statistic("DW"),
        "AD_weighted": fitted.statistic("AD", weighted=True),
        "AD_p_weighted": fitted.statistic("AD-p", weighted=True),
        "DW_weighted": fitted.statistic("DW", weighted=True),
        "DW_low": bounds.low,
        "DW_high": bounds.high,
        "independence": _independence(fitted, weighted),
        "verdict": list(_verdicts(fitted, weighted)),
    }


def _cutoffs(index: TrendIndex, fitted: Fitted) -> FloatArray:
    return np.where(fitted.known, index.tally.cutoffs[fitted.cutoff], np.nan)


def _independence(fitted: Fitted, weighted: bool) -> list[str | None]:
    checked = fitted.checked_weighted if weighted else fitted.checked
    told = checked.independence(LEVEL).tolist()
    return [None if place < 0 else VERDICTS[place] for place in told]


class Assumed(NamedTuple):
    """Which assumptions of the test of each slope nothing speaks against.

    `dependent` is a place in `DEPENDENT`, -1 where residuals may be independent. The residuals of
    a `categorical` series are never normal.
    """

    normal: BoolArray
    categorical: BoolArray
    dependent: IntArray
    one_way: BoolArray


def assumed(fitted: Fitted, weighted: bool) -> Assumed:
    """What the tests of a metric's trends take for granted, held against the data."""
    checked = fitted.checked_weighted if weighted else fitted.checked
    only_0_and_1 = categorical(fitted.trend)
    return Assumed(
        normal=~(checked.normality.p < LEVEL) & ~only_0_and_1,
        categorical=only_0_and_1,
        dependent=checked.dependent(LEVEL),
        one_way=fitted.statistic("spearman-p") < LEVEL,
    )


def _verdicts(fitted: Fitted, weighted: bool) -> Iterator[str]:
    """What speaks against believing the test of each slope."""
    found = assumed(fitted, weighted)
    dependent = found.dependent.tolist()
    exact = (fitted.trend.slope_error == 0).tolist()
    for run, is_tested in enumerate(fitted.trend.tested.tolist()):
        against = [] if found.normal[run] else [NOT_NORMAL]
        against = [CATEGORICAL] if found.categorical[run] else against
        against += [DEPENDENT[dependent[run]]] if dependent[run] >= 0 else []
        against += [] if found.one_way[run] else [UNMOVED]
        untested = EXACT if exact[run] else CANNOT_SAY
        yield (", ".join(against) or FITS) if is_tested else untested


# Rankings.


def places(values: FloatArray, *, lower: bool) -> list[int | None]:
    """The place of each value from 1 on, equal ones alike; None where there is no value."""
    known = np.isfinite(values)
    worth = np.where(known, values if lower else -values, np.inf)
    ahead = (worth[:, np.newaxis] > worth[np.newaxis, :]).sum(axis=1)
    return [int(p) + 1 if k else None for p, k in zip(ahead, known, strict=True)]


def usual_scores(index: TrendIndex) -> FloatArray:
    """The score of each run that is blind to time; NaN where it is undefined."""
    usual = index.of_period(USUAL)
    return np.where(usual.defined, usual.value, np.nan)


def ranking(index: TrendIndex, asked: Asked) -> pd.DataFrame:
    """The runs by their end points, beside the usual ranking that is blind to time.

    Kendall's tau of the two is on every row; a metric of which less is better is turned around.
    """
    import pandas as pd

    value = usual_scores(index)
    parts = []
    for metric, length in asked:
        fitted, lower = index.fitted(metric, length), metric in LOWER_IS_BETTER
        end = fitted.trend.end
        worth = -end if lower else end
        part = pd.DataFrame(
            {
                "metric": metric,
                "batch": length,
                "place": pd.array(places(end, lower=lower), "Int64"),
                "run": list(index.runs),
                "end": end,
                "end_se": fitted.trend.end_error,
                "cutoff": _cutoffs(index, fitted),
                "usual_place": pd.array(places(value, lower=False), "Int64"),
                USUAL: value,
                "usual_cutoff": index.tally.cutoffs[index.whole_cutoff(USUAL)],
                "tau": kendall(worth, value),
                "tau_p": kendall_p(worth, value),
            }
        )
        parts.append(part.sort_values("place", kind="stable"))
    return pd.concat(parts, ignore_index=True)


def ranking_notes(index: TrendIndex, asked: Asked) -> tuple[str, ...]:
    """A sentence for each ranking, and where to look for what it is worth; none for one run."""
    if len(index.runs) < 2 or not asked:
        return ()
    frame = ranking(index, asked)
    several = frame.groupby(["metric", "batch"])["place"].count().max() > 1
    return (*rankings_told(frame), *((MORE,) if several else ()))


def _in_full(number: float) -> str:
    return f"{number:.4f}"


def rankings_told(frame: pd.DataFrame, written: Callable[[float], str] = _in_full) -> Iterator[str]:
    """Each ranking in a sentence, and how far it agrees with the usual one."""
    for (metric, length), rows in frame.groupby(["metric", "batch"], sort=False):
        name = f"Ranking by end({metric},batch={length})"
        there = rows["place"].notna()
        names = rows.loc[there, "run"].tolist()
        if not names:
            yield f"{name}: none, since no run has the {FEWEST} usable batches that a trend takes."
            continue
        without = rows.loc[~there, "run"].tolist()
        last = f"; without a trend: {listed(without)}" if without else ""
        yield f"{name}: {listed(names)}{last}; {_agreement(rows, written)}."


def _agreement(rows: pd.DataFrame, written: Callable[[float], str]) -> str:
    """How far a ranking agrees with the usual one, or why nobody can say."""
    tau, p = float(rows["tau"].iloc[0]), float(rows["tau_p"].iloc[0])
    if np.isfinite(tau):
        return f"Kendall's tau with the ranking by {USUAL} is {written(tau)} (p {written(p)})"
    common = int((rows["place"].notna() & rows["usual_place"].notna()).sum())
    why = "all runs are equal in one of them" if common > 1 else "fewer than two runs have both"
    return f"no Kendall's tau with the ranking by {USUAL}: {why}"


MORE = (
    "Whether a difference is more than chance: --show tests, where the paired test is the one to "
    "trust; z takes runs over the same batches as independent, and mostly finds too little."
)

# Tests of two runs.


TESTS_FOR_PEOPLE = (
    *("metric", "batch", "run", "other", "slope_difference", "z", "z_p", "paired_t", "paired_p"),
    *("end_difference", "end_z_p", "paired_end_se", "paired_end_p", "common_batches", "trust"),
)
"""The columns that a table has room for; the other forms have all."""


def comparison(index: TrendIndex, asked: Asked) -> pd.DataFrame:
    """For every pair of runs whether their slopes differ, and whether their end points do.

    `z` and `end_z` take them as independent, as the paper does; the paired tests are those of the
    trend of their difference. `trust` names the one to believe.
    """
    import pandas as pd

    pairs = np.array(list(combinations(range(len(index.runs)), 2)), np.int64).reshape(-1, 2)
    parts = [
        pd.DataFrame(_test_columns(index, metric, index.fitted(metric, length), pairs))
        for metric, length in asked
    ]
    return pd.concat(parts, ignore_index=True)


def _test_columns(
    index: TrendIndex, metric: str, fitted: Fitted, pairs: IntArray
) -> dict[str, object]:
    one, other = (fitted.trend.take(column) for column in pairs.T)
    both = difference(one, other)
    slopes = z_test(one.slopes(), other.slopes())
    ends = z_test(one.ends(), other.ends())
    return {
        "metric": metric,
        "batch": fitted.cut.length,
        "run": [index.runs[at] for at in pairs[:, 0]],
        "other": [index.runs[at] for at in pairs[:, 1]],
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
        "trust": _trusted(both, slopes.p),
    }


def _trusted(both: Trend, z_p: FloatArray) -> list[str]:
    """Which test of a pair to believe."""
    trusted = np.where(np.isfinite(z_p), "z", "neither")
    return list(np.where(both.tested, "paired", trusted).tolist())


# Every batch.


def every_batch(index: TrendIndex, asked: Asked) -> pd.DataFrame:
    """A metric of every run in every batch, at its own cutoff, with its trend and residuals.

    The weight is the batch's share of the run's pairs; a batch that is undefined or weighs nothing
    is not `usable`.
    """
    import pandas as pd

    parts = [
        pd.DataFrame(_batch_columns(index, metric, index.fitted(metric, length)))
        for metric, length in asked
    ]
    return pd.concat(parts, ignore_index=True)


def _batch_columns(index: TrendIndex, metric: str, fitted: Fitted) -> dict[str, object]:
    runs, cut = len(index.runs), fitted.cut
    series, trend = fitted.series, fitted.trend
    value = np.where(series.defined, series.value, np.nan)
    return {
        "run": np.repeat(np.array(index.runs, object), cut.number),
        "length": cut.length,
        "batch": np.tile(np.arange(cut.number), runs),
        "start": np.tile(cut.starts, runs),
        "end": np.tile(cut.ends, runs),
        "measure": metric,
        "cutoff": np.repeat(_cutoffs(index, fitted), cut.number),
        "value": value.ravel(),
        "weight": series.weight.ravel(),
        "usable": trend.usable.ravel(),
        "trend": trend.line().ravel(),
        "residual": trend.residuals.ravel(),
        "weighted_residual": trend.weighted_residuals.ravel(),
    }


# Bursts.


def bursts(tally: Tally, cuts: Sequence[Cut]) -> pd.DataFrame:
    """How much each interval weighs in the burst-aware mean of each entity with positives.

    The weight of an interval is its share of the entity's positives, times the number of its
    intervals that have any: 1 on average. `all` is the mean over the entities that are positive
    there, with their standard deviation and their number.
    """
    import pandas as pd

    parts = [_burst_rows(tally, cut) for cut in cuts]
    return pd.concat(parts, ignore_index=True)


def _burst_rows(tally: Tally, cut: Cut) -> pd.DataFrame:
    import pandas as pd

    judged = tally.judged
    chosen = judged.positive
    place = judged.topic[chosen] * (cut.number + 1) + cut.batch(judged.time[chosen])
    size = (len(judged.topics), cut.number + 1)
    positive = np.bincount(place, minlength=size[0] * size[1]).reshape(size)[:, :-1]
    there = positive > 0
    weight = (
        positive
        * there.sum(axis=1, keepdims=True)
        / np.maximum(positive.sum(axis=1, keepdims=True), 1)
    )
    mean, spread, number = _over_entities(weight, there)
    entity, interval = np.nonzero(there)
    active = np.flatnonzero(number)
    return pd.DataFrame(
        {
            "topic": [judged.topics[at] for at in entity.tolist()] + [ALL_TOPICS] * len(active),
            "length": cut.length,
            "start": cut.starts[np.concatenate([interval, active])],
            "positives": np.concatenate([positive[there], positive.sum(axis=0)[active]]),
            "weight": np.concatenate([weight[there], mean[active]]),
            "deviation": np.concatenate([np.zeros(len(entity)), spread[active]]),
            "topics": np.concatenate([np.ones(len(entity), np.int64), number[active]]),
        }
    )


def _over_entities(weight: FloatArray, there: BoolArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """For each interval mean and deviation over the entities there, and their number."""
    number = there.sum(axis=0)
    below = np.maximum(number, 1)
    mean = np.where(there, weight, 0.0).sum(axis=0) / below
    square = np.where(there, (weight - mean) ** 2, 0.0).sum(axis=0) / below
    return mean, np.sqrt(square), number
