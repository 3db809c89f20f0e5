"""What a comparison is required to find: means, differences, and the bounds of their intervals."""

from __future__ import annotations

from collections.abc import Sequence

from tseval.comparison.contests import Comparison
from tseval.core.requirements import Quantity, Requirement
from tseval.errors import MeasureError, UsageError, did_you_mean


def unmet(wanted: Sequence[Requirement], found: Comparison) -> list[str]:
    """A line for each requirement that is not met; a name that is not here is a `UsageError`."""
    runs = list(dict.fromkeys(each.run for each in found.standings))

    def named(text: str) -> str:
        if text not in found.higher:
            known = f"there are: {', '.join(found.higher)}{did_you_mean(text, found.higher)}"
            raise MeasureError(f"no measure '{text}' here; {known}")
        return text

    lines = [
        each.failure(of, _value(of, found))
        for each in wanted
        for of in each.quantities(runs, named)
    ]
    return [line for line in lines if line is not None]


def _value(of: Quantity, found: Comparison) -> float | None:
    """A mean, or a difference over the topics where both have a score; or a bound of it."""
    if of.other is None:
        standing = next(
            (s for s in found.standings if (s.run, s.measure) == (of.run, of.measure)), None
        )
        if standing is None:
            return None
        return {"low": standing.low, "high": standing.high}.get(of.side, standing.mean)
    other, measure = of.other
    if measure != of.measure or other == of.run:
        raise UsageError(f"--require '{of}': a difference is of two runs by one measure")
    contest = found.contest(measure, of.run, other)
    if contest.run == of.run:
        return {"low": contest.low, "high": contest.high}.get(of.side, contest.difference)
    turned = {"low": contest.high, "high": contest.low}.get(of.side, contest.difference)
    return None if turned is None else -turned
