"""Findings as a person reads them: heading by heading, with rounded numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeAlias

from tseval.comparison.findings import Comparison, Contest, Findings, RunRank
from tseval.comparison.ranking import Correlation
from tseval.comparison.reusability import Moved
from tseval.comparison.sweep import Sweep, SweptOrder
from tseval.core.wording import count

if TYPE_CHECKING:
    import pandas as pd

PAIRS_SHOWN = 28
"""So many pairs of a measure are listed for people, those of eight runs; of more only the letters.

Against a baseline all are."""
RUNS_SHOWN = 8
"""The means of so many runs stand beside each setting of a sweep; of more only the best."""
DECIMALS = 4
LEAST_P = 0.0001
BLANK = "–"
Columns: TypeAlias = dict[str, str | tuple[Callable[..., Any], str]]
"""The heads of a table with their fields, and how they are shown: else as text or number."""


def sections(found: Findings) -> dict[str, pd.DataFrame]:
    """What a person reads, heading by heading; a heading without rows is left out."""
    import pandas as pd

    listed = _listed(found)
    frames = {heading: pd.DataFrame(list(rows)) for heading, rows in listed}
    return {heading: frame for heading, frame in frames.items() if len(frame)}


def _listed(found: Findings) -> Iterator[tuple[str, Iterator[dict[str, Any]]]]:
    if isinstance(found, Comparison):
        return _of_runs(found)
    return _of_settings(found) if isinstance(found, Sweep) else _of_others(found)


def _of_settings(found: Sweep) -> Iterator[tuple[str, Iterator[dict[str, Any]]]]:
    """For each measure its settings with the means of the runs, then the pairs."""
    means, orders, pairs = (found.parts[part].rows for part in ("means", "orders", "pairs"))
    for name in dict.fromkeys(each.measure for each in orders):
        of = {each[1:4]: each.mean for each in means if each.measure == name}
        runs = list(dict.fromkeys(each.run for each in means if each.measure == name))
        shown = runs if len(runs) <= RUNS_SHOWN else []
        yield (
            f"{name}, by matcher and threshold",
            (_setting(each, shown, of) for each in orders if each.measure == name),
        )
        contests = [each for each in pairs if each.measure == name]
        if len(contests) <= PAIRS_SHOWN:
            yield f"{name}, pair by pair over all settings", _rows(SWEPT, contests)


def _setting(
    each: SweptOrder, runs: Sequence[str], means: Mapping[tuple[Any, ...], float]
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "matcher": each.matcher,
        "threshold": "" if each.threshold is None else f"{each.threshold:g}",
    }
    row |= {run: _number(means.get((each.matcher, each.threshold, run))) for run in runs}
    told = f"{each.short_paths} of {each.pairs}"
    return row | {"best": each.best, "tau-b with the first": _number(each.tau, 2), "apart": told}


def _of_runs(found: Comparison) -> Iterator[tuple[str, Iterator[dict[str, Any]]]]:
    level = f"{100 * found.plan.level:g} % interval"
    for name, higher in found.higher.items():
        way = "higher" if higher else "lower"
        contests = [each for each in found.contests if each.measure == name]
        yield (
            f"{name} ({way} is better){_summary(contests, found.cannot_tell.get(name))}",
            (_mean_row(each, level) for each in found.standings if each.measure == name),
        )
        if found.plan.baseline is not None:
            yield f"{name}, against {found.plan.baseline}", _rows(AGAINST, contests)
        elif len(contests) <= PAIRS_SHOWN:
            yield f"{name}, pair by pair", _rows(CONTEST, contests)


def _summary(contests: Sequence[Contest], cannot_tell: str | None) -> str:
    """How many pairs were told apart, where there are any, or why none can be."""
    if cannot_tell is not None:
        return f": {cannot_tell}"
    if not contests:
        return ""
    different = sum(each.different for each in contests)
    return f": {different} of {count(len(contests), 'pair')} told apart"


def _mean_row(each: RunRank, level: str) -> dict[str, Any]:
    row = {
        "rank": each.rank,
        "run": each.run,
        "mean": _number(each.mean),
        level: _range(each.low, each.high),
    }
    letters = {} if each.letters is None else {"letters": each.letters}
    return row | letters | {"topics": each.topics}


def _of_others(found: Findings) -> Iterator[tuple[str, Iterator[dict[str, Any]]]]:
    for name, part in found.parts.items():
        if name == "correlations":
            yield "Rank correlation, each with its interval", _correlations(part.rows)
        else:
            heading, columns = SHOWN[name]
            yield heading, _rows(columns, part.rows)


def _correlations(rows: Sequence[Correlation]) -> Iterator[dict[str, Any]]:
    """A row a level, with all coefficients beside each other."""
    for names, together in groupby(rows, lambda row: (row.measure, row.other_measure, row.level)):
        measure, other, level = names
        shown = {"measure": measure if measure == other else f"{measure} : {other}", "level": level}
        counts: dict[str, Any] = {}
        for each in together:
            shown[each.coefficient] = f"{_number(each.value)} {_range(each.low, each.high)}"
            counts = {"runs": each.runs, "topics": each.topics}
        yield shown | counts


def _rows(columns: Columns, rows: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """Yield rows as a person reads them; a run that is left out alone is named once."""
    cells = [
        (head, *((_text, cell) if isinstance(cell, str) else cell))
        for head, cell in columns.items()
    ]
    for each in rows:
        yield {
            head: form(*(getattr(each, name) for name in names.split()))
            for head, form, names in cells
            if head != "left out" or not isinstance(each, Moved) or each.left_out != each.run
        }


def _between(
    value: float | None, low: float | None, high: float | None, decimals: int = DECIMALS
) -> str:
    """A value with its interval."""
    ends = "" if low is None and high is None else f" [{_number(low, decimals)}, "
    return _number(value, decimals) + (ends and f"{ends}{_number(high, decimals)}]")


def _number(value: float | None, decimals: int = DECIMALS) -> str:
    return BLANK if value is None else f"{value:.{decimals}f}"


def _signed(value: float | None) -> str:
    return BLANK if value is None else f"{value:+.{DECIMALS}f}"


def _share(value: float | None) -> str:
    return BLANK if value is None else f"{100 * value:.1f} %"


def _text(value: object) -> object:
    return _number(value) if value is None or isinstance(value, float) else value


def _range(low: float | None, high: float | None) -> str:
    return BLANK if low is None and high is None else f"[{_number(low)}, {_number(high)}]"


def _chance(value: float | None) -> str:
    if value is not None and value < LEAST_P:
        return f"<{LEAST_P:g}"
    return _number(value)


def _plain(*names: str) -> Columns:
    """Return columns that are called as their fields."""
    return {name: name for name in names}


RESULT: Columns = {
    "difference": "difference",
    "interval": (_range, "low high"),
    "d": (partial(_number, decimals=2), "d"),
    "g": (partial(_number, decimals=2), "g"),
    "p": (_chance, "p"),
    "corrected": (_chance, "adjusted"),
    "better": (lambda better: better or "", "better"),
    "won": "wins",
    "tied": "ties",
    "lost": "losses",
}
CONTEST, AGAINST = _plain("run", "other") | RESULT, _plain("run") | RESULT
SWEPT = _plain("run", "other", "settings", "ahead") | {
    "told apart": "told_ahead",
    "behind": "behind",
    "told apart ": "told_behind",
    "difference": (lambda *ends: " to ".join(map(_number, ends)), "least largest"),
}
POWER = _plain("measure", "pairs") | {
    "told apart": "found",
    "share": (_share, "power"),
    "corrected": "found_corrected",
    "its share": (_share, "power_corrected"),
    "difference needed": "needed",
    "typically": "typical",
}
REUSABILITY = _plain("measure", "runs") | {
    "mean change": (_signed, "bias"),
    "mean size": "change",
    "largest": "largest_change",
    "most ranks up": "up",
    "most ranks down": "down",
    "least tau-b": "least_tau_b",
}
MOVED = _plain("measure") | {
    "left out": "left_out",
    "run": "run",
    "mean": "mean",
    "without": "mean_without",
    "change": (_signed, "change"),
    "rank": (partial(_number, decimals=0), "rank"),
    "then": (partial(_number, decimals=0), "rank_without"),
}
LEADS = _plain("run", "other", "topics", "nuggets") | {
    "mean lead (h)": (_between, "mean mean_low mean_high"),
    "median lead (h)": (_between, "median median_low median_high"),
    "earlier": (partial(_between, decimals=2), "earlier earlier_low earlier_high"),
    "later": (partial(_number, decimals=2), "later"),
}
CONTRIBUTION = _plain("measure") | {
    "left out": "left_out",
    "runs": "runs",
    "matches lost": "lost",
    "of": "matches",
    "nuggets": "nuggets",
    "tau-b": "tau_b",
    "tau-AP": "tau_ap",
    "largest move": "largest_move",
}
SHOWN: dict[str, tuple[str, Columns]] = {
    "power": ("Discriminative power", POWER),
    "reusability": ("How much scores and ranks move", REUSABILITY),
    "runs": ("Each run without what it, or its team, brought alone", MOVED),
    "leads": ("Leads on the nuggets that both runs say", LEADS),
    "left_out": ("What was left out, and the ranking of all runs then", CONTRIBUTION),
}
"""The heading and the columns of each part."""
