"""How far slopes hang on the length of batches, and how often what their tests assume holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from tseval.families.filtering.index import Fitted, TrendIndex
from tseval.families.filtering.trend_tables import LEVEL, assumed
from tseval.statistics.ranks import kendall, kendall_p

if TYPE_CHECKING:
    import pandas as pd

    from tseval.tables.columns import BoolArray, FloatArray

    Asked = Sequence[tuple[str, str]]

READING = (
    "The first table: of the runs with a trend (fits) those with a test (tested), and of these the "
    "shares with a significant slope and with each assumption unharmed; all_hold: nothing speaks "
    "against the test. The second: for two lengths of batches the runs with a trend at both, the "
    "share whose slopes have one sign, Kendall's tau of slopes and of end points, and of the runs "
    "tested at both the share with one finding: significant in one direction, or not significant."
)
ONE_LENGTH = "One length of batches alone says nothing of stability: give --batch several times."


def assumption_shares(index: TrendIndex, asked: Asked, *, weighted: bool = False) -> pd.DataFrame:
    """For each metric and length of batches, of how many runs the assumptions of the test hold."""
    import pandas as pd

    rows = [
        {"metric": metric, "batch": length} | _held(index.fitted(metric, length), weighted)
        for metric, length in asked
    ]
    return pd.DataFrame(rows).astype({"fits": "Int64", "tested": "Int64"})


def _held(fitted: Fitted, weighted: bool) -> dict[str, float]:
    """Counts, and shares of the runs that have a test; NaN where none has."""
    trend = fitted.trend
    tested = trend.tested
    found = assumed(fitted, weighted)
    masks = {
        "significant": trend.rise.significant(LEVEL),
        "rising": trend.slope > 0,
        "normal": found.normal,
        "independent": found.dependent < 0,
        "one_way": found.one_way,
        "all_hold": found.normal & (found.dependent < 0) & found.one_way,
    }
    shares = {name: _share(mask, tested) for name, mask in masks.items()}
    return {"fits": int(trend.fitted.sum()), "tested": int(tested.sum())} | shares


def slope_stability(index: TrendIndex, asked: Asked) -> pd.DataFrame:
    """For each metric and two lengths of batches, how far their slopes and end points agree."""
    import pandas as pd

    columns = ("metric", "batch", "other", "runs", "same_direction", "slope_tau", "slope_tau_p")
    more = ("end_tau", "end_tau_p", "tested_both", "same_finding")
    found = pd.DataFrame(list(_pairs(index, asked)), columns=[*columns, *more])
    return found.astype({"runs": "Int64", "tested_both": "Int64"})


def _pairs(index: TrendIndex, asked: Asked) -> Iterator[dict[str, object]]:
    for metric in dict.fromkeys(metric for metric, _ in asked):
        lengths = [length for own, length in asked if own == metric]
        for one, other in combinations(lengths, 2):
            pair = index.fitted(metric, one), index.fitted(metric, other)
            yield {"metric": metric, "batch": one, "other": other} | _agreement(*pair)


def _agreement(one: Fitted, other: Fitted) -> dict[str, object]:
    """The runs in the order of their slopes, and of their end points, by one length and another."""
    first, second = one.trend, other.trend
    both = first.fitted & second.fitted
    tested = first.tested & second.tested
    slopes, ends = (first.slope, second.slope), (first.end, second.end)
    return {
        "runs": int(both.sum()),
        "same_direction": _share(np.sign(slopes[0]) == np.sign(slopes[1]), both),
        "slope_tau": kendall(*slopes),
        "slope_tau_p": kendall_p(*slopes),
        "end_tau": kendall(*ends),
        "end_tau_p": kendall_p(*ends),
        "tested_both": int(tested.sum()),
        "same_finding": _share(_finding(one) == _finding(other), tested),
    }


def _finding(fitted: Fitted) -> FloatArray:
    """1 for a significant rise, -1 for a significant fall, 0 for neither."""
    sign = np.nan_to_num(np.sign(fitted.trend.slope))
    return np.where(fitted.trend.rise.significant(LEVEL), sign, 0.0)


def _share(mask: BoolArray, among: BoolArray) -> float:
    return float(mask[among].mean()) if among.any() else np.nan
