"""Findings as a person reads them: heading by heading, with rounded numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from tseval.comparison.contests import Comparison, Contest, RunStanding
from tseval.comparison.findings import Findings
from tseval.comparison.lead import Lead
from tseval.comparison.power import Power
from tseval.comparison.ranking import Correlation
from tseval.comparison.reusability import Contribution, Moved, Reusability
from tseval.comparison.sweep import Sweep, SweptOrder, SweptPair
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
SHARE_DECIMALS = 2
BLANK = "–"


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
            yield f"{name}, pair by pair over all settings", map(_swept, contests)


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


def _swept(each: SweptPair) -> dict[str, Any]:
    return {
        "run": each.run,
        "other": each.other,
        "settings": each.settings,
        "ahead": each.ahead,
        "told apart": each.told_ahead,
        "behind": each.behind,
        "told apart ": each.told_behind,
        "difference": f"{_number(each.least)} to {_number(each.largest)}",
    }


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
            yield f"{name}, against {found.plan.baseline}", map(_against, contests)
        elif len(contests) <= PAIRS_SHOWN:
            yield f"{name}, pair by pair", map(_contest, contests)


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


def _contest(each: Contest) -> dict[str, Any]:
    return {"run": each.run, "other": each.other} | _result(each)


def _against(each: Contest) -> dict[str, Any]:
    return {"run": each.run} | _result(each)


def _result(each: Contest) -> dict[str, Any]:
    return {
        "difference": _number(each.difference),
        "interval": _range(each.low, each.high),
        "d": _number(each.d, 2),
        "g": _number(each.g, 2),
        "p": _chance(each.p),
        "corrected": _chance(each.adjusted),
        "better": each.better or "",
        "won": each.wins,
        "tied": each.ties,
        "lost": each.losses,
    }


def _of_others(found: Findings) -> Iterator[tuple[str, Iterator[dict[str, Any]]]]:
    for name, part in found.parts.items():
        if name == "correlations":
            yield "Rank correlation, each with its interval", _correlations(part.rows)
        else:
            heading, row = SHOWN[name]
            yield heading, map(row, part.rows)


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


def _power(each: Power) -> dict[str, Any]:
    return {
        "measure": each.measure,
        "pairs": each.pairs,
        "told apart": each.found,
        "share": _share(each.power),
        "corrected": each.found_corrected,
        "its share": _share(each.power_corrected),
        "difference needed": _number(each.needed),
        "typically": _number(each.typical),
    }


def _reusability(each: Reusability) -> dict[str, Any]:
    return {
        "measure": each.measure,
        "runs": each.runs,
        "mean change": _signed(each.bias),
        "mean size": _number(each.change),
        "largest": _number(each.largest_change),
        "most ranks up": each.up,
        "most ranks down": each.down,
        "least tau-b": _number(each.least_tau_b),
    }


def _moved(each: Moved) -> dict[str, Any]:
    left = {} if each.left_out == each.run else {"left out": each.left_out}
    return (
        {"measure": each.measure}
        | left
        | {
            "run": each.run,
            "mean": _number(each.mean),
            "without": _number(each.mean_without),
            "change": _signed(each.change),
            "rank": _text(each.rank),
            "then": _text(each.rank_without),
        }
    )


def _contribution(each: Contribution) -> dict[str, Any]:
    return {
        "measure": each.measure,
        "left out": each.left_out,
        "runs": each.runs,
        "matches lost": each.lost,
        "of": each.matches,
        "nuggets": each.nuggets,
        "tau-b": _number(each.tau_b),
        "tau-AP": _number(each.tau_ap),
        "largest move": each.largest_move,
    }


def _lead(each: Lead) -> dict[str, Any]:
    return {
        "run": each.run,
        "other": each.other,
        "topics": each.topics,
        "nuggets": each.nuggets,
        "mean lead (h)": _between(each.mean, each.mean_low, each.mean_high),
        "median lead (h)": _between(each.median, each.median_low, each.median_high),
        "earlier": _between(each.earlier, each.earlier_low, each.earlier_high, SHARE_DECIMALS),
        "later": _number(each.later, SHARE_DECIMALS),
    }


def _between(
    value: float | None, low: float | None, high: float | None, decimals: int = DECIMALS
) -> str:
    """A value with its interval."""
    ends = "" if low is None and high is None else f" [{_number(low, decimals)}, "
    return _number(value, decimals) + (ends and f"{ends}{_number(high, decimals)}]")


SHOWN: dict[str, tuple[str, Callable[[Any], dict[str, Any]]]] = {
    "power": ("Discriminative power", _power),
    "reusability": ("How much scores and ranks move", _reusability),
    "runs": ("Each run without what it, or its team, brought alone", _moved),
    "leads": ("Leads on the nuggets that both runs say", _lead),
    "left_out": ("What was left out, and the ranking of all runs then", _contribution),
}
"""The heading and the columns of each part."""


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
