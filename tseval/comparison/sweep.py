"""Does it hold whatever the matcher? Runs compared by several matchers at several thresholds.

A score by a matcher rests on a matcher and a threshold that somebody chose. Here the same runs are
scored at each *setting*, which is a matcher with a threshold, and compared there: is the best run
the best at all of them, and which differences stay?
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np

from tseval.comparison.findings import (
    PAIRS_SHOWN,
    Comparison,
    Contest,
    FindingRows,
    Findings,
    Headings,
    format_number,
    format_rows,
    or_none,
    plain,
)
from tseval.comparison.plan import Plan, Treatment
from tseval.comparison.runs import by_reason, compare_board, signature
from tseval.comparison.with_gold import GoldWords, ScoredRuns, runs_of_call
from tseval.core.declared import SWEEP, option
from tseval.core.family import as_measures, several
from tseval.core.measure import Measure
from tseval.core.panels import Axis, Line, Panel, Picture
from tseval.core.wording import listed
from tseval.errors import UsageError
from tseval.io import PICTURES
from tseval.io.times import written
from tseval.records import frozen
from tseval.statistics import ranks

if TYPE_CHECKING:
    from tseval.io.given import Given, Runs
    from tseval.parallel.sharing import Progress

MATCHERS = ("learned", "fuzzy", "grams")
"""Those that are tried if none is named: they need nothing to be installed."""
STEPS = (-0.2, -0.1, 0.0, 0.1, 0.2)
"""How far from its own threshold a matcher is tried if no thresholds are named."""
RUNS_SHOWN = 8
"""The means of so many runs stand beside each setting; of more only the best."""
COLUMNS = 2
"""How many panels of a picture stand side by side."""


class Setting(NamedTuple):
    """A matcher with a threshold; matches that were given have none."""

    matcher: str
    threshold: float | None

    def __str__(self) -> str:
        at = "" if self.threshold is None else f" at {written(self.threshold)}"
        return self.matcher + at


class SweptMean(NamedTuple):
    """How a run does by a measure at a setting; tied runs share the best of their ranks."""

    measure: str
    matcher: str
    threshold: float | None
    run: str
    mean: float
    rank: int


class SweptOrder(NamedTuple):
    """The order of runs by a measure at a setting, beside that at the first setting.

    `best` are the runs with the best mean, with commas between. `tau` is Kendall's tau-b with the
    order at the first setting; None where it is undefined.
    """

    measure: str
    matcher: str
    threshold: float | None
    best: str
    tau: float | None
    short_paths: int
    """How many pairs of runs differ there, by the test and its correction."""
    pairs: int


class SweptPair(NamedTuple):
    """Two runs by a measure over all settings: who is ahead, by how much, and how surely.

    The differences are means of `run` less those of `other`; `ahead` and `behind` count the
    settings in which `run` has the better and the worse mean, `told_ahead` and `told_behind` those
    of them in which the test tells the two apart.
    """

    measure: str
    run: str
    other: str
    settings: int
    ahead: int
    behind: int
    told_ahead: int
    told_behind: int
    least: float | None
    largest: float | None


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(Findings):
    """What was found at all settings: the parts `orders`, `pairs` and `means`."""

    settings: tuple[Setting, ...] = ()

    def headings(self) -> Headings:
        """For each measure its settings with the means of the runs, then the pairs."""
        means, orders, pairs = (self.parts[part].rows for part in ("means", "orders", "pairs"))
        for name in dict.fromkeys(each.measure for each in orders):
            of = {each[1:4]: each.mean for each in means if each.measure == name}
            runs = list(dict.fromkeys(run for *_, run in of))
            rows = (
                {
                    "matcher": each.matcher,
                    "threshold": "" if each.threshold is None else f"{each.threshold:g}",
                    **{
                        run: format_number(of.get((each.matcher, each.threshold, run)))
                        for run in (runs if len(runs) <= RUNS_SHOWN else ())
                    },
                    "best": each.best,
                    "tau-b with the first": format_number(each.tau, 2),
                    "apart": f"{each.short_paths} of {each.pairs}",
                }
                for each in orders
                if each.measure == name
            )
            yield f"{name}, by matcher and threshold", rows
            contests = [each for each in pairs if each.measure == name]
            if len(contests) <= PAIRS_SHOWN:
                yield f"{name}, pair by pair over all settings", format_rows(SWEPT, contests)

    def plot(self) -> Picture:
        """The means by threshold: a panel for each measure and matcher, a line a run."""
        rows: Sequence[SweptMean] = self.parts["means"].rows
        runs = tuple(dict.fromkeys(each.run for each in rows))
        ends = [each.threshold for each in self.settings if each.threshold is not None]
        low, high = min(ends, default=0.0), max(ends, default=1.0)
        panels = []
        for measure in dict.fromkeys(each.measure for each in rows):
            own = [each for each in rows if each.measure == measure]
            values = [each.mean for each in own]
            y = Axis(low=min(0.0, *values), high=max(values), is_rounded=True)
            for matcher in dict.fromkeys(each.matcher for each in own):
                lines = [
                    (runs.index(run), [e for e in own if (e.matcher, e.run) == (matcher, run)])
                    for run in runs
                ]
                drawn = tuple(_line(place, means, (low, high)) for place, means in lines if means)
                x = Axis("threshold", low, high)
                panels.append(Panel(f"{measure} by {matcher}", "", x, drawn, y, is_stepped=False))
        title = "Scores by matcher and threshold"
        return Picture(title, self.signature, runs, tuple(panels), COLUMNS)

    def in_form(self, form: str) -> bytes:
        """The content of a file of these findings, or of their picture."""
        return self.plot().draw(form) if form in PICTURES else super().in_form(form)


@frozen
class Tried:
    """Which matchers are tried, and at which thresholds."""

    matchers: tuple[str, ...] = option(
        "--matcher",
        f"A matcher to try; repeatable. Default: {', '.join(MATCHERS)}.",
        metavar="NAME",
        several=True,
    )
    thresholds: tuple[float, ...] = option(
        "--threshold",
        "A threshold to try with each matcher; repeatable. Default: the matcher's default, and .1 "
        "and .2 below and above it.",
        kind=float,
        several=True,
    )


def settings_of(tried: Tried, matched: Any) -> tuple[Setting, ...]:
    """The settings to try: matches that are there first, then each matcher from low to high."""
    found = [] if matched.matches_name is None else [Setting(matched.matches_name, None)]
    for name in dict.fromkeys(tried.matchers or MATCHERS):
        middle = matched.threshold(name)
        if middle is None:
            found.append(Setting(name, None))
            continue
        around = [round(middle + step, 9) for step in STEPS]
        inside = [each for each in around if 0 < each < 1]
        found += [Setting(name, each) for each in sorted(set(tried.thresholds) or inside)]
    if len(found) < 2:
        raise UsageError("one setting is no sweep: name a second matcher or threshold")
    return tuple(found)


def sweep_runs(
    runs: ScoredRuns,
    tried: Tried,
    plan: Plan,
    treatment: Treatment,
    progress: Progress | None = None,
) -> Sweep:
    """Score and compare the runs at each setting; the inputs are read once."""
    matched = runs.matched()
    settings = settings_of(tried, matched)
    first = matched.evaluation(*settings[0])
    compared: list[tuple[Setting, Comparison]] = []
    for done, setting in enumerate(settings, start=1):
        evaluation = first if done == 1 else matched.evaluation(*setting)
        board = replace(runs.board_of(evaluation, treatment), warnings=())
        compared.append((setting, compare_board(board, plan)))
        if progress is not None:
            progress(done, len(settings))
    base, orders = compared[0][1], list(_orders(compared))
    means = tuple(
        SweptMean(each.measure, *setting, each.run, each.mean, each.rank)
        for setting, found in compared
        for each in found.standings
    )
    by: dict[str, list[str]] = {}
    for each in settings:
        at = [] if each.threshold is None else [written(each.threshold)]
        by.setdefault(each.matcher, []).extend(at)
    tried_ones = ";".join(f"{name}@{','.join(at)}" if at else name for name, at in by.items())
    own = ("baseline", "test", "correction", "alpha", "resamples", "seed")
    traits = {name: value for name, value in plan.traits().items() if name in own}
    missing = {"missing": treatment.on_missing or first.edition.on_missing}
    too_few = [
        f"{listed(names)}: {reason}, whatever the matcher"
        for reason, names in by_reason(base.cannot_tell).items()
    ]
    return Sweep(
        parts={
            "orders": FindingRows(SweptOrder, tuple(orders)),
            "pairs": FindingRows(SweptPair, tuple(_pairs(compared))),
            "means": FindingRows(SweptMean, means),
        },
        signature=signature(
            SWEEP,
            {"of": f"({first.signature()})", "settings": tried_ones},
            missing | {"undefined": treatment.undefined} | traits,
        ),
        inputs=first.inputs,
        warnings=(*first.all_warnings, *_changes(orders), *too_few),
        settings=settings,
    )


def sweep(
    updates: Runs,
    nuggets: Given,
    matches: Given | None = None,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    matchers: str | Sequence[str] = (),
    thresholds: float | Sequence[float] = (),
    at: str | Sequence[str] | None = None,
    on_missing: str | None = None,
    undefined: str = Treatment.undefined,
    plan: Plan | None = None,
    **gold: Unpack[GoldWords],
) -> Sweep:
    """Test whether the ranking of runs, and their differences, depend on the matcher.

    Runs and gold are what `tseval.score` takes; `matches`, if there are any, are tried first. The
    parameters are the options of `tseval sweep`, those of the comparison in a
    `tseval.comparison.Plan`. The parts are `orders`, `pairs` and `means`.
    """
    runs = runs_of_call(
        {"updates": updates, "nuggets": nuggets, "matches": matches},
        {},
        gold,
        measures=tuple(as_measures(measures)),
        at=tuple(several(at or ())),
    )
    tried = Tried(tuple(several(matchers)), tuple(several(thresholds)))
    return sweep_runs(runs, tried, plan or Plan(), Treatment(on_missing, undefined))


def _orders(compared: Sequence[tuple[Setting, Comparison]]) -> Iterator[SweptOrder]:
    """For each measure every setting, the first first."""
    base = compared[0][1]
    for measure in base.higher:
        first = {each.run: each.mean for each in base.standings if each.measure == measure}
        for setting, found in compared:
            own = [each for each in found.standings if each.measure == measure]
            contests = [each for each in found.contests if each.measure == measure]
            both = [(first[each.run], each.mean) for each in own if each.run in first]
            tau = or_none(ranks.kendall(*np.array(both).T)) if len(both) > 1 else None
            best = ", ".join(sorted(each.run for each in own if each.rank == 1))
            different = sum(each.different for each in contests)
            yield SweptOrder(measure, *setting, best, tau, different, len(contests))


def _pairs(compared: Sequence[tuple[Setting, Comparison]]) -> Iterator[SweptPair]:
    """Every pair that was compared, over all settings where both have a score."""
    together: dict[tuple[str, str, str], list[Contest]] = {}
    higher = compared[0][1].higher
    for _, found in compared:
        for each in found.contests:
            together.setdefault((each.measure, each.run, each.other), []).append(each)
    for (measure, run, other), contests in together.items():
        known = [each for each in contests if each.difference is not None]
        way = 1 if higher[measure] else -1
        signs = [way * int(np.sign(each.difference or 0)) for each in known]
        told = [sign if each.different else 0 for sign, each in zip(signs, known, strict=True)]
        differences = [each.difference or 0.0 for each in known]
        yield SweptPair(
            *(measure, run, other, len(known)),
            *(signs.count(1), signs.count(-1), told.count(1), told.count(-1)),
            least=min(differences, default=None),
            largest=max(differences, default=None),
        )


def _changes(orders: Sequence[SweptOrder]) -> Iterator[str]:
    """A warning for each measure whose best of several runs is not the same at all settings."""
    for measure in dict.fromkeys(each.measure for each in orders):
        by: dict[str, dict[str, list[float]]] = {}
        for each in orders:
            if each.measure == measure and each.pairs:
                at = [] if each.threshold is None else [each.threshold]
                by.setdefault(each.matcher, {}).setdefault(each.best, []).extend(at)
        if len({best for bests in by.values() for best in bests}) < 2:
            continue
        between = len({tuple(bests) for bests in by.values()}) > 1
        told = [
            f"{best or 'none'} by {name}"
            + (f" at {', '.join(map(written, at))}" if at and len(bests) > 1 else "")
            for name, bests in by.items()
            for best, at in bests.items()
        ]
        what = "matcher" if between else "threshold"
        yield f"{measure}: the best run depends on the {what}: {'; '.join(told)}"


def _line(run: int, means: Sequence[SweptMean], ends: tuple[float, float]) -> Line:
    """A run's means; what has no threshold is the same at all of them."""
    if means[0].threshold is None:
        return Line(run, ends, (means[0].mean, means[0].mean))
    x = tuple(each.threshold or 0.0 for each in means)
    return Line(run, x, tuple(each.mean for each in means))


SWEPT = plain("run", "other", "settings", "ahead") | {
    "told apart": "told_ahead",
    "behind": "behind",
    "told apart ": "told_behind",
    "difference": (lambda *ends: " to ".join(map(format_number, ends)), "least largest"),
}
