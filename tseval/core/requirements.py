"""What scores are required to be, such as `R@6h>=0.5`: for pipelines that go on an exit code."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from math import ceil, isclose, isfinite
from operator import eq, ge, gt, le, lt
from typing import NamedTuple

from tseval.core.measure import Measure
from tseval.core.registry import measure as measure_of
from tseval.core.scores import Scores
from tseval.core.wording import count
from tseval.errors import NOT_MET, NOT_TOLD, MeasureError, UsageError, did_you_mean
from tseval.records import frozen

SIGNS = {">=": ge, "<=": le, "==": eq, ">": gt, "<": lt}
WRITTEN = re.compile(
    r"(.*?)(>=|<=|==|>|<)\s*([^<>=]*?)(?:\s+by\s+its\s+(lower|upper)\s+bound)?", re.DOTALL
)
BOUNDS = {"lower": ">", "upper": "<"}
"""How the signs begin that each bound of an interval has a meaning with."""
BASELINE = "baseline"
"""In the place of the number: the same measure in an earlier file of scores."""
SIDES = re.compile(r"(low|high)\((.*)\)", re.DOTALL)
"""A bound of the interval of what stands in the brackets."""
EQUAL = 1e-12
"""So close to the bound a value is the bound: the order of a sum must not fail a pipeline."""
HOW = "write MEASURE>=NUMBER, such as 'R@6h>=0.5', or RUN.MEASURE-RUN.MEASURE>=NUMBER"


class Estimate(NamedTuple):
    """A value with the interval of its mean over topics; None is undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None
    topics: int = 0


class Miss(NamedTuple):
    """A requirement that is not met, or cannot be told: its exit code, and a line that says why."""

    code: int
    line: str


@frozen
class Quantity:
    """What a requirement speaks of: a measure of a run, or what it has more than another's."""

    run: str
    measure: str
    other: tuple[str, str] | None = None
    """Another run and its measure, which are taken away."""
    side: str = ""
    """`low` or `high` for a bound of its interval."""

    def __str__(self) -> str:
        if self.other is None:
            shown = f"{self.side}({self.measure})" if self.side else self.measure
            return f"run {self.run}: {shown}"
        whole = f"{self.run}.{self.measure}-{self.other[0]}.{self.other[1]}"
        return f"{self.side}({whole})" if self.side else whole


@frozen
class Requirement:
    """One requirement as it is written."""

    text: str
    left: str
    sign: str
    bound: float
    is_by_bound: bool = False
    """Whether the interval has to lie on the right side of the bound, not the value alone."""
    has_baseline: bool = False
    """Whether it is about the difference to a baseline; the bound is then 0."""

    @property
    def needs_interval(self) -> bool:
        """Whether it is about an interval."""
        return self.is_by_bound or self.has_baseline

    @classmethod
    def of(cls, text: str) -> Requirement:
        """Read it; what is none is a `UsageError`."""
        found = WRITTEN.fullmatch(text.strip())
        if found is None or not found[1].strip():
            raise UsageError(f"--require '{text}': {HOW}")
        end, has_baseline = found[4], found[3] == BASELINE
        if end and (found[2][0] != BOUNDS[end] or SIDES.fullmatch(found[1])):
            raise UsageError(
                f"--require '{text}': write MEASURE{BOUNDS[end]}=NUMBER by its {end} bound"
            )
        if has_baseline and (found[2] == "==" or end):
            raise UsageError(f"--require '{text}': write MEASURE>=baseline, or >, <= or <")
        try:
            bound = 0.0 if has_baseline else float(found[3])
        except ValueError:
            bound = float("nan")
        if not isfinite(bound):
            raise UsageError(f"--require '{text}': '{found[3]}' is no number; {HOW}")
        return cls(text.strip(), found[1].strip(), found[2], bound, bool(end), has_baseline)

    def quantities(
        self, runs: Sequence[str], measure_named: Callable[[str], str]
    ) -> list[Quantity]:
        """What it speaks of: where no run is named, the measure of each run."""
        side = SIDES.fullmatch(self.left)
        whole = side[2] if side else self.left
        bound = side[1] if side else ""
        one = _of_run(whole, runs, measure_named)
        if one is not None:
            return [Quantity(*one, side=bound)]
        for at in (place for place, letter in enumerate(whole) if letter == "-"):
            pair = [
                _of_run(part.strip(), runs, measure_named) for part in (whole[:at], whole[at + 1 :])
            ]
            if pair[0] is not None and pair[1] is not None and not self.has_baseline:
                return [Quantity(*pair[0], other=pair[1], side=bound)]
        try:
            name = measure_named(whole)
        except MeasureError as error:
            raise UsageError(f"--require '{self.text}': {error}{_stranger(whole, runs)}") from None
        return [Quantity(run, name, side=bound) for run in runs]

    def miss(self, of: Quantity, known: Estimate) -> Miss | None:
        """Return why it is not met, or cannot be told; None if it is met."""
        name = f"{of} minus its baseline" if self.has_baseline else str(of)
        if known.value is None:
            return self.untold(f"{name} is undefined")
        if self.needs_interval:
            return self._miss_of_interval(name, known, known.value)
        if self._holds(known.value):
            return None
        return Miss(NOT_MET, f"not met: {self.text}: {of} is {known.value:.12g}")

    def untold(self, why: str) -> Miss:
        """Return that it cannot be told, and why."""
        return Miss(NOT_TOLD, f"cannot be told: {self.text}: {why}")

    def _holds(self, value: float) -> bool:
        same = isclose(value, self.bound, rel_tol=EQUAL, abs_tol=EQUAL)
        return bool(SIGNS[self.sign](self.bound if same else value, self.bound))

    def _miss_of_interval(self, name: str, known: Estimate, value: float) -> Miss | None:
        """The same by the interval.

        It is met if the end that is nearest to the wrong side is on the right one, and not met if
        both are on the wrong side. `>=baseline` and `<=baseline` are met by any end.
        """
        ends = (known.low, known.high) if self.sign.startswith(">") else (known.high, known.low)
        is_flat = known.low is not None and known.low == known.high
        if is_flat and not (self.has_baseline and value == 0):
            ends = None, None  # the same on all topics, which says nothing of others
        near, far = ends
        deciding = far if self.has_baseline and self.sign.endswith("=") else near
        if deciding is not None and self._holds(deciding):
            return None
        shown = f"{name} is {value:.4g}"
        if far is None or near is None:
            shown += f", no interval from {count(known.topics, 'topic')}"
            shown += ", all the same" if is_flat else ""
        else:
            shown += f", interval {min(near, far):.4g} to {max(near, far):.4g}"
        if far is not None and not self._holds(far):
            return Miss(NOT_MET, f"not met: {self.text}: {shown}")
        gap = abs(value - self.bound)
        if far is not None and near is not None and gap > EQUAL:
            reach = abs(value - (near if self._holds(value) else far))
            more = max(1, ceil(known.topics * (reach / gap) ** 2) - known.topics)
            shown += f"; about {count(more, 'more topic')} would decide"
        return self.untold(shown)


def _of_run(
    text: str, runs: Sequence[str], measure_named: Callable[[str], str]
) -> tuple[str, str] | None:
    """The run and the measure of `RUN.MEASURE`; None if it is none."""
    for run in sorted(runs, key=len, reverse=True):
        if text.startswith(f"{run}."):
            try:
                return run, measure_named(text.removeprefix(f"{run}."))
            except MeasureError:
                continue
    return None


def _stranger(text: str, runs: Sequence[str]) -> str:
    """The runs that there are, where another seems to be named."""
    named, divided, _ = text.partition(".")
    return f"; the runs are {', '.join(runs)}{did_you_mean(named, runs)}" if divided else ""


def requirements(texts: Sequence[str]) -> tuple[Requirement, ...]:
    """All that is required."""
    return tuple(map(Requirement.of, texts))


def required(
    wanted: Sequence[Requirement], runs: Sequence[str], family: str
) -> list[tuple[Requirement, list[Quantity]]]:
    """What each requirement speaks of, where runs are scored by a family's measures."""
    told = []
    for each in wanted:
        found = each.quantities(runs, lambda text: measure_of(text, family).name)
        if any(quantity.side for quantity in found):
            raise UsageError(f"--require '{each.text}': intervals are of `tseval compare`")
        told.append((each, found))
    return told


def measures_of(told: Sequence[tuple[Requirement, list[Quantity]]], family: str) -> list[Measure]:
    """The measures that have to be taken for them."""
    names = [
        name
        for _, found in told
        for each in found
        for name in (each.measure, *(each.other or ())[1:])
    ]
    return [measure_of(name, family) for name in dict.fromkeys(names)]


def misses(
    told: Sequence[tuple[Requirement, list[Quantity]]],
    scores: Scores,
    silent: Mapping[str, str],
    estimate: Callable[[Quantity, bool], Estimate] | None = None,
) -> list[Miss]:
    """Return what these scores do not meet, or where that cannot be told.

    `silent` are the runs without data, each with the sentence that says so; `estimate` is asked
    where an interval is needed.
    """
    found: list[Miss | None] = []
    for each, quantities in told:
        for of in quantities:
            runs = (of.run, *(of.other or ())[:1])
            empty = next((silent[run] for run in runs if run in silent), "")
            value = _value(of, scores)
            if empty or value is None:
                found.append(each.untold(empty or f"{of} is undefined"))
                continue
            known = Estimate(value)
            if estimate is not None and each.needs_interval:
                known = estimate(of, each.has_baseline)
            of_topics = value if known.value is None or each.has_baseline else known.value
            if not isclose(of_topics, value, abs_tol=EQUAL):
                found.append(each.untold(f"{of} is no mean over topics, so it has no interval"))
            else:
                found.append(each.miss(of, known))
    return [each for each in found if each is not None]


def _value(of: Quantity, scores: Scores) -> float | None:
    value = scores.value(of.measure, run=of.run)
    if of.other is None or value is None:
        return value
    less = scores.value(of.other[1], run=of.other[0])
    return None if less is None else value - less
