"""What no data could have shown: whether the topics, and the draws, are enough for any difference.

The smallest p value that a test can give follows from the number of topics. If even all of these
would not survive the correction, letters would be all the same by construction; so there are none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tseval import statistics
from tseval.comparison.plan import Plan
from tseval.core.wording import count, listed

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray, IntArray

MANY_TOPICS = 60
"""More topics than these are not advised: the number of draws is then the limit."""


class TestedPairs(NamedTuple):
    """The pairs of one measure: over how many topics each, the p values, and how many runs."""

    topics: IntArray
    p: FloatArray
    runs: int


def most_draws(pairs: Mapping[str, int], plan: Plan) -> dict[str, int]:
    """For each measure how many draws a p value may take, from the number of its pairs."""
    together = sum(pairs.values())
    return {
        measure: plan.most_draws(together if plan.family == "all" else own)
        for measure, own in pairs.items()
    }


def adjusted(p: Sequence[FloatArray], plan: Plan) -> list[FloatArray]:
    """The corrected p values of each measure: of all together, or measure by measure."""
    if plan.family == "measure":
        return [statistics.corrected(each, plan.correction) for each in p]
    joined = statistics.corrected(np.concatenate([np.zeros(0), *p]), plan.correction)
    return np.split(joined, np.cumsum([len(each) for each in p])[:-1])


def undetectable(pairs: Mapping[str, TestedPairs], plan: Plan) -> dict[str, str]:
    """Measures by which no difference can be shown, each with the sentence that says why."""
    least = [_least(each, _comparisons(pairs, each, plan), plan) for each in pairs.values()]
    found = adjusted([each.p for each in pairs.values()], plan)
    reached = adjusted(least, plan)
    return {
        measure: _sentence(each, _comparisons(pairs, each, plan), plan)
        for (measure, each), own, best in zip(pairs.items(), found, reached, strict=True)
        if len(own) and not ((own <= plan.alpha) | (best <= plan.alpha)).any()
    }


def _comparisons(pairs: Mapping[str, TestedPairs], own: TestedPairs, plan: Plan) -> int:
    """How many comparisons a measure's pairs are corrected among."""
    family = pairs.values() if plan.family == "all" else [own]
    return sum(int((~np.isnan(each.p)).sum()) for each in family)


def _least(each: TestedPairs, comparisons: int, plan: Plan) -> FloatArray:
    """The smallest p value of each pair; NaN where it could not be judged."""
    draws = plan.most_draws(comparisons)
    least = [statistics.smallest_p(topics, plan.test, draws) for topics in each.topics.tolist()]
    return np.where(np.isnan(each.p), np.nan, np.array(least, np.float64))


def _sentence(each: TestedPairs, comparisons: int, plan: Plan) -> str:
    """Why no difference can be shown: `4 topics cannot show a difference at .05`."""
    at = f"cannot show a difference at {short(plan.alpha)}"
    topics = int(each.topics.max())
    draws = plan.most_draws(comparisons)
    least = statistics.smallest_p(topics, plan.test, draws)
    if not topics:
        return f"runs that share no topic {at}"
    what = count(draws, "draw") if least == 1 / (draws + 1) else count(topics, "topic")
    if least > plan.alpha:
        return f"{what} {at}"
    if np.isnan(each.p).all():
        return f"differences that are the same on every topic {at} by this test"
    return f"{what} {at} among {count(comparisons, 'comparison')}"


def short(value: float) -> str:
    """A small number without its leading zero: `.05`."""
    return f"{value:.2g}".replace("0.", ".", 1) if 0 < value < 1 else f"{value:.2g}"


def causes(
    pairs: Mapping[str, TestedPairs], reasons: Mapping[str, str], plan: Plan
) -> Iterator[str]:
    """One warning for each reason: the measures that it holds for, and what would help."""
    for reason in dict.fromkeys(reasons.values()):
        measures = [name for name, own in reasons.items() if own == reason]
        where = "" if len(measures) == len(pairs) else f"{listed(measures)}: "
        marks = "letters" if plan.baseline is None else "marks"
        cures = _cures({name: pairs[name] for name in measures}, pairs, plan)
        help_ = f"; what would do: {' | '.join(cures)}" if cures else ""
        yield f"{where}{reason}, so there are no {marks}{help_}"


def _cures(
    chosen: Mapping[str, TestedPairs], pairs: Mapping[str, TestedPairs], plan: Plan
) -> list[str]:
    """What would let these measures show a difference; only what does."""
    size = max(_comparisons(pairs, each, plan) for each in chosen.values())
    topics = max(int(each.topics.max()) for each in chosen.values())
    cures = []
    needed = _topics_needed(size, plan)
    if needed is not None and needed > topics:
        cures.append(f"{needed} topics")
    own = max(_known(each) for each in chosen.values())
    runs = max(each.runs for each in chosen.values())
    if own < size and _can(topics, own, plan):
        cures.append("fewer measures (-m)")
        cures.append("--family measure")
    against = [max(each.runs - 1, 0) for each in pairs.values()]
    together = sum(against) if plan.family == "all" else runs - 1
    if plan.baseline is None and runs > 2 and _can(topics, together, plan):
        cures.append("--baseline RUN")
    elif plan.baseline is None and runs > 2 and len(pairs) > 1 and _can(topics, runs - 1, plan):
        cures.append("--baseline RUN with --family measure")
    if plan.correction in ("holm", "bonferroni") and _can(
        topics, size, replace(plan, correction="bh")
    ):
        cures.append("--correction bh, if some false differences among those found are no harm")
    if plan.test != "t" and topics > 1:
        cures.append("--test t, if differences can be taken for normal")
    return cures


def _known(each: TestedPairs) -> int:
    return int((~np.isnan(each.p)).sum())


def _can(topics: int, comparisons: int, plan: Plan) -> bool:
    """Whether so many pairs over so many topics could all be told apart."""
    if comparisons < 1:  # no pair, as of a measure that no two runs have
        return False
    least = statistics.smallest_p(topics, plan.test, plan.most_draws(comparisons))
    everywhere = statistics.corrected(np.full(comparisons, least), plan.correction)
    return not isnan(least) and bool(everywhere.min() <= plan.alpha)


def _topics_needed(comparisons: int, plan: Plan) -> int | None:
    """The smallest number of topics with which one of so many pairs could be told apart."""
    fitting = (n for n in range(2, MANY_TOPICS) if _can(n, comparisons, plan))
    return next(fitting, None)
