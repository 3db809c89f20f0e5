"""Findings as a person reads them: heading by heading, with rounded numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeAlias

from tseval.comparison.contests import Comparison, Contest, RunStanding
from tseval.comparison.findings import Findings
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
Columns: TypeAlias = dict[str, tuple[Callable[..., Any], str]]
"""The heads of a table, each with how it is shown, and the fields that it is made of."""


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
    told = f"{each.told_apart} of {each.pairs}"
    return row | {"best": each.best, "tau-b with the first": _number(each.tau, 2), "apart": told}


def _of_runs(found: Comparison) -> Iterator[tuple[str, Iterator[dict[str, Any]]]]:
    level = f"{100 * found.plan.level:g} % interval"
    for name, higher in found.higher.items():
        way = "higher" if higher else "lower"
        contests = [each for each in found.contests if each.measure == name]
        yield (
            f"{name} ({way} is better){_summary(contests, found.cannot_tell.get(name))}",
            (_standing(each, level) for each in found.standings if each.measure == name),
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


def _standing(each: RunStanding, level: str) -> dict[str, Any]:
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
    for each in rows:
        yield {
            head: form(*(getattr(each, name) for name in names.split()))
            for head, (form, names) in columns.items()
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


def _text(value: int | None) -> str:
    return BLANK if value is None else str(value)


def _range(low: float | None, high: float | None) -> str:
    return BLANK if low is None and high is None else f"[{_number(low)}, {_number(high)}]"


def _chance(value: float | None) -> str:
    if value is not None and value < LEAST_P:
        return f"<{LEAST_P:g}"
    return _number(value)


def _as_it_is(value: object) -> object:
    return value


def _plain(*names: str) -> Columns:
    """Columns that are called as their fields, and shown as these are."""
    return {name: (_as_it_is, name) for name in names}


RESULT: Columns = {
    "difference": (_number, "difference"),
    "interval": (_range, "low high"),
    "d": (partial(_number, decimals=2), "d"),
    "g": (partial(_number, decimals=2), "g"),
    "p": (_chance, "p"),
    "corrected": (_chance, "adjusted"),
    "better": (lambda better: better or "", "better"),
    "won": (_as_it_is, "wins"),
    "tied": (_as_it_is, "ties"),
    "lost": (_as_it_is, "losses"),
}
CONTEST, AGAINST = _plain("run", "other") | RESULT, _plain("run") | RESULT
SWEPT = _plain("run", "other", "settings", "ahead") | {
    "told apart": (_as_it_is, "told_ahead"),
    "behind": (_as_it_is, "behind"),
    "told apart ": (_as_it_is, "told_behind"),
    "difference": (lambda *ends: " to ".join(map(_number, ends)), "least largest"),
}
POWER = _plain("measure", "pairs") | {
    "told apart": (_as_it_is, "found"),
    "share": (_share, "power"),
    "corrected": (_as_it_is, "found_corrected"),
    "its share": (_share, "power_corrected"),
    "difference needed": (_number, "needed"),
    "typically": (_number, "typical"),
}
REUSABILITY = _plain("measure", "runs") | {
    "mean change": (_signed, "bias"),
    "mean size": (_number, "change"),
    "largest": (_number, "largest_change"),
    "most ranks up": (_as_it_is, "up"),
    "most ranks down": (_as_it_is, "down"),
    "least tau-b": (_number, "least_tau_b"),
}
MOVED = _plain("measure") | {
    "left out": (_as_it_is, "left_out"),
    "run": (_as_it_is, "run"),
    "mean": (_number, "mean"),
    "without": (_number, "mean_without"),
    "change": (_signed, "change"),
    "rank": (_text, "rank"),
    "then": (_text, "rank_without"),
}
LEADS = _plain("run", "other", "topics", "nuggets") | {
    "mean lead (h)": (_between, "mean mean_low mean_high"),
    "median lead (h)": (_between, "median median_low median_high"),
    "earlier": (partial(_between, decimals=2), "earlier earlier_low earlier_high"),
    "later": (partial(_number, decimals=2), "later"),
}
CONTRIBUTION = _plain("measure") | {
    "left out": (_as_it_is, "left_out"),
    "runs": (_as_it_is, "runs"),
    "matches lost": (_as_it_is, "lost"),
    "of": (_as_it_is, "matches"),
    "nuggets": (_as_it_is, "nuggets"),
    "tau-b": (_number, "tau_b"),
    "tau-AP": (_number, "tau_ap"),
    "largest move": (_as_it_is, "largest_move"),
}
SHOWN: dict[str, tuple[str, Columns]] = {
    "power": ("Discriminative power", POWER),
    "reusability": ("How much scores and ranks move", REUSABILITY),
    "runs": ("Each run without what it, or its team, brought alone", MOVED),
    "leads": ("Leads on the nuggets that both runs say", LEADS),
    "left_out": ("What was left out, and the ranking of all runs then", CONTRIBUTION),
}
"""The heading and the columns of each part."""
