"""What scores are required to be, such as `R@6h>=0.5`: for pipelines that go on an exit code."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import isclose, isfinite
from operator import eq, ge, gt, le, lt

from tseval.core.measure import Measure
from tseval.core.registry import measure as measure_of
from tseval.core.scores import Scores
from tseval.errors import MeasureError, UsageError, did_you_mean
from tseval.records import frozen

SIGNS = {">=": ge, "<=": le, "==": eq, ">": gt, "<": lt}
WRITTEN = re.compile(r"(.*?)(>=|<=|==|>|<)\s*([^<>=]*)", re.DOTALL)
SIDES = re.compile(r"(low|high)\((.*)\)", re.DOTALL)
"""A bound of the interval of what stands in the brackets."""
EQUAL = 1e-12
"""So close to the bound a value is the bound: the order of a sum must not fail a pipeline."""
HOW = "write MEASURE>=NUMBER, such as 'R@6h>=0.5', or RUN.MEASURE-RUN.MEASURE>=NUMBER"


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

    @classmethod
    def of(cls, text: str) -> Requirement:
        """Read it; what is none is a `UsageError`."""
        found = WRITTEN.fullmatch(text.strip())
        if found is None or not found[1].strip():
            raise UsageError(f"--require '{text}': {HOW}")
        try:
            bound = float(found[3])
        except ValueError:
            bound = float("nan")
        if not isfinite(bound):
            raise UsageError(f"--require '{text}': '{found[3]}' is no number; {HOW}")
        return cls(text.strip(), found[1].strip(), found[2], bound)

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
            if pair[0] is not None and pair[1] is not None:
                return [Quantity(*pair[0], other=pair[1], side=bound)]
        try:
            name = measure_named(whole)
        except MeasureError as error:
            raise UsageError(f"--require '{self.text}': {error}{_stranger(whole, runs)}") from None
        return [Quantity(run, name, side=bound) for run in runs]

    def failure(self, of: Quantity, value: float | None) -> str | None:
        """A line that says why it is not met; None if it is."""
        if value is None:
            return f"not met: {self.text}: {of} is undefined"
        same = isclose(value, self.bound, rel_tol=EQUAL, abs_tol=EQUAL)
        if SIGNS[self.sign](self.bound if same else value, self.bound):
            return None
        return f"not met: {self.text}: {of} is {value:.12g}"


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


def failures(told: Sequence[tuple[Requirement, list[Quantity]]], scores: Scores) -> list[str]:
    """A line for each requirement that these scores do not meet."""
    lines = [(each, of, _value(of, scores)) for each, found in told for of in found]
    return [line for each, of, value in lines if (line := each.failure(of, value)) is not None]


def _value(of: Quantity, scores: Scores) -> float | None:
    value = scores.value(of.measure, run=of.run)
    if of.other is None or value is None:
        return value
    less = scores.value(of.other[1], run=of.other[0])
    return None if less is None else value - less
