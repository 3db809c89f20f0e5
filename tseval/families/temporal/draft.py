"""P, R, Rs and T: the measures at time t of the 2013 draft; and F, which balances two of them.

Draft Metrics, TREC Temporal Summarization, 22 April 2013. Every rule of `docs/measures.md` that the
draft leaves open stands here, beside the ledger that it shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.core.ledgers import ALWAYS, Account, Ledger, ratio
from tseval.core.measure import Argument, Definition, Measure, Parameter
from tseval.core.results import Values
from tseval.errors import MeasureError, UsageError
from tseval.families.temporal.earliest import EarliestIndex
from tseval.families.temporal.words import LETTERS, character_counts, word_counts
from tseval.tables import Nuggets, Updates
from tseval.tables.times import UNITS, NotANumber, duration, number

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray, IntArray

FAMILY = "temporal"
CITATION = "Draft Metrics, TREC Temporal Summarization track, 22 April 2013"

OF_F = "van Rijsbergen, Information Retrieval, second edition, 1979, chapter 7"

OF_TIMES = ("Rs", "T")
"""The measures that rest on the nuggets' times."""


def _weight(text: str) -> float:
    """A weight above 0; a `NotANumber` says why not."""
    try:
        weight = number(text)
    except NotANumber:
        weight = 0.0
    if weight <= 0:
        raise NotANumber(f"'{text}' is no weight: give a number above 0")
    return weight


COST = Parameter(
    "cost",
    "what a text costs: the column `cost`, 1, its words, or its characters; without it the column "
    "if updates and nuggets both have it, else 1",
    default="",
    choices=("column", "1", "words", "chars"),
)
COST_OF = Parameter(
    "cost-of",
    "whose cost an earned nugget counts with: the nugget's, or its earliest match's",
    default="nugget",
    choices=("nugget", "match"),
)
REWARD = Parameter(
    "reward",
    "what a nugget is worth: its importance, 1, e^importance / e^(the topic's largest), "
    "or 1 if its importance is above 0",
    default="importance",
    choices=("importance", "1", "exp", "binary"),
)
IN_UPDATES = Parameter(
    "updates",
    "the share, by cost, of updates that are the earliest match of any nugget: at most 1",
    default="",
    flag=True,
)
BETA = Parameter(
    "beta",
    "how many times as much recall counts as precision: a number above 0",
    default="1",
    parse=_weight,
)
ADVANTAGE = Parameter(
    "g",
    "the worth of being early by x seconds; in Python any increasing function of an array",
    default="identity",
    choices=("identity", "sign", "logistic", "arctan"),
    nested=True,
    takes_function=True,
)
UNIT = Parameter("unit", "the unit of g=identity", default="h", choices=("s", "min", "h", "d"))


def default_cost(updates: Updates, nuggets: Nuggets) -> str:
    """The cost where none is asked for: the column if both tables have it, else 1."""
    return "column" if updates.cost is not None and nuggets.cost is not None else "1"


def leaves_cost_open(wanted: Iterable[Measure]) -> bool:
    """Whether any of these measures could say what a text costs, and doesn't."""
    return any(
        parameter.name == "cost" and not measure.has("cost")
        for measure in wanted
        for parameter in measure.definition.parameters
    )


def costs(table: Updates | Nuggets, kind: str, index: EarliestIndex) -> FloatArray:
    """C: what each update, or each nugget, costs."""
    kind = kind or default_cost(index.updates, index.nuggets)
    if kind == "1":
        return np.ones(len(table))
    if kind == "column":
        if table.cost is None:
            what = "updates" if isinstance(table, Updates) else "nuggets"
            raise UsageError(f"cost=column: the {what} have no column 'cost'")
        return table.cost
    return word_counts(table.text, LETTERS) if kind == "words" else character_counts(table.text)


def rewards(measure: Measure, index: EarliestIndex) -> FloatArray:
    """R: what each nugget is worth."""
    importance, kind = index.nuggets.importance, measure.argument("reward")
    if kind == "1":
        return np.ones(len(importance))
    if kind == "binary":
        return (importance > 0).astype(np.float64)
    if kind == "exp":
        largest = np.full(len(index.topics), -np.inf)
        np.maximum.at(largest, index.nugget_topic, importance)
        reward: FloatArray = np.exp(importance - largest[index.nugget_topic])
        return reward
    if (importance < 0).any():
        raise UsageError("reward=importance: an importance is negative; choose another reward")
    return importance


def _first_rewards(measure: Measure, index: EarliestIndex) -> FloatArray:
    """What each earliest match is worth: the nugget's reward, by how far it says more of it."""
    first = index.first
    worth: FloatArray = rewards(measure, index)[first.nugget] * first.rise
    return worth


def _first_times(index: EarliestIndex) -> FloatArray:
    """M(u).time for every nugget that has an earliest match."""
    return index.updates.time[index.first.update]


def _sent(index: EarliestIndex, cost: FloatArray) -> Ledger:
    """Every update that was sent, at its time, with this cost."""
    return Ledger.of(index.unit[index.sent], index.updates.time[index.sent], cost[index.sent])


def precision(index: EarliestIndex, measure: Measure) -> Account:
    """P: what was earned by what was sent."""
    kind = str(measure.argument("cost"))
    cost = costs(index.updates, kind, index)
    if measure.has("updates"):
        useful = index.firsts > 0
        return Account((_sent(index, np.where(useful, cost, 0.0)), _sent(index, cost)), ratio)
    first = index.first
    of_match = measure.argument("cost-of") == "match"
    paid = cost[first.update] if of_match else costs(index.nuggets, kind, index)[first.nugget]
    reward = _first_rewards(measure, index)
    earned = Ledger.of(first.unit, _first_times(index), paid * reward)
    return Account((earned, _sent(index, cost[index.original])), ratio)


def recall(index: EarliestIndex, measure: Measure) -> Account:
    """R: the reward of the nuggets said, by that of all nuggets."""
    reward = rewards(measure, index)
    found = Ledger.of(index.first.unit, _first_times(index), _first_rewards(measure, index))
    unit, nugget = index.gold_units()
    return Account((found, Ledger.of(unit, np.full(len(unit), ALWAYS), reward[nugget])), ratio)


def strict_recall(index: EarliestIndex, measure: Measure) -> Account:
    """Rs: as R, over the nuggets that had happened: dated by the later of happening and match."""
    reward, time = rewards(measure, index), index.nuggets.time
    first = index.first
    both = np.maximum(_first_times(index), time[first.nugget])
    found = Ledger.of(first.unit, both, _first_rewards(measure, index))
    unit, nugget = index.gold_units()
    return Account((found, Ledger.of(unit, time[nugget], reward[nugget])), ratio)


def timeliness(index: EarliestIndex, measure: Measure) -> Account:
    """T: the mean advantage of the nuggets said, each match by how far it says more of one."""
    first, time = index.first, _first_times(index)
    lead = index.nuggets.time[first.nugget] - time
    gained = Ledger.of(first.unit, time, advantage(measure)(lead) * first.rise)
    return Account((gained, Ledger.of(first.unit, time, first.rise)), ratio)


def balance(index: EarliestIndex, measure: Measure) -> Account:
    """F: the harmonic mean of P(updates) and R; 0 where either is 0 or nothing was sent."""
    cost = costs(index.updates, str(measure.argument("cost")), index)
    useful = _sent(index, np.where(index.firsts > 0, cost, 0.0))
    squared = _weight(str(measure.argument("beta"))) ** 2

    def harmonic(totals: Sequence[FloatArray], unit: IntArray) -> Values:
        precise, complete = ratio(totals[:2], unit), ratio(totals[2:], unit)
        above = (1 + squared) * precise.value * complete.value
        below = squared * precise.value + complete.value
        value = np.divide(above, below, out=np.zeros_like(above), where=below > 0)
        return Values(value, complete.defined)

    return Account((useful, _sent(index, cost), *recall(index, measure).ledgers), harmonic)


def advantage(measure: Measure) -> Callable[[FloatArray], FloatArray]:
    """g: from how many seconds the system was ahead to what that is worth."""
    kind = measure.argument("g")
    if not isinstance(kind, str):
        return _increasing(kind)
    name, _, inside = kind.partition("(")
    if name == "sign":
        return np.sign
    if name == "identity":
        return lambda lead: lead / UNITS[str(measure.argument("unit"))]
    scale = _scale(inside)
    if name == "logistic":
        return lambda lead: np.exp(-np.logaddexp(0, -lead / scale))  # 1 / (1 + e^-x), stably
    return lambda lead: 1 - (2 / np.pi) * np.arctan(-lead / scale)


DEFAULT_SCALE = "6h"


def _scale(inside: str) -> float:
    """The scale in `logistic(scale=6h)`, 6 hours where none is given."""
    name, _, value = inside.removesuffix(")").partition("=")
    try:
        scale = duration(value if name else DEFAULT_SCALE)
    except NotANumber as error:
        raise MeasureError(f"scale: {error}") from None
    if name not in ("", "scale") or scale <= 0:
        raise MeasureError(f"g takes (scale=LENGTH OF TIME above 0), not ({inside}")
    return scale


def _increasing(function: Callable[..., Any]) -> Callable[[FloatArray], FloatArray]:
    """A user's function, refused where it falls or is not a number on the values it meets."""

    def checked(lead: FloatArray) -> FloatArray:
        met, place = np.unique(lead, return_inverse=True)
        values = np.asarray(function(met), np.float64)
        if values.shape != met.shape or not np.isfinite(values).all():
            raise UsageError(f"g={function.__name__} must give a finite number for every value")
        if (np.diff(values) < 0).any():
            raise UsageError(f"g={function.__name__} is not increasing on the values it meets")
        return values[place]

    return checked


def _check_precision(arguments: Mapping[str, Argument]) -> None:
    if "updates" in arguments and ("cost-of" in arguments or "reward" in arguments):
        raise MeasureError("P(updates) counts updates: reward and cost-of have no meaning in it")


def _check_timeliness(arguments: Mapping[str, Argument]) -> None:
    kind = arguments.get("g", "identity")
    if not isinstance(kind, str):
        return
    name, bracket, inside = kind.partition("(")
    if "unit" in arguments and name != "identity":
        raise MeasureError(f"unit has no meaning with g={kind}: it belongs to g=identity")
    if bracket and name in ("identity", "sign"):
        raise MeasureError(f"g={name} takes no scale")
    if bracket:
        _scale(inside)


DEFINITIONS = (
    Definition(
        name="P",
        family=FAMILY,
        title="precision",
        summary="what the stream earned by what it cost",
        formula=(
            "P(t) = sum over nuggets u with M(u).time < t of C(u) R(u)"
            " / sum over updates u with u.time < t of C(M(u));"
            " P(updates) = cost of the updates before t that are the earliest match of a nugget"
            " / cost of the updates before t"
        ),
        empty_case="undefined with no update before t, or none that costs anything",
        range="0 to infinity: one update may be the earliest match of many nuggets;"
        " P(updates) 0 to 1",
        citation=CITATION,
        account=precision,
        foldable=True,
        parameters=(IN_UPDATES, COST, COST_OF, REWARD),
        check=_check_precision,
    ),
    Definition(
        name="R",
        family=FAMILY,
        title="recall",
        summary="the reward of the nuggets said so far, by that of all nuggets",
        formula="R(t) = sum over nuggets u with M(u).time < t of R(u) / sum over nuggets of R(u)",
        empty_case="undefined if the nuggets of the topic have no reward; 0 for an empty run",
        range="0 to 1",
        citation=CITATION,
        account=recall,
        foldable=True,
        parameters=(REWARD,),
    ),
    Definition(
        name="Rs",
        family=FAMILY,
        title="strict recall",
        summary="recall over the nuggets that had happened by then",
        formula=(
            "Rs(t) = sum over nuggets u with u.time < t and M(u).time < t of R(u)"
            " / sum over nuggets u with u.time < t of R(u)"
        ),
        empty_case="undefined before any nugget with a reward has happened",
        range="0 to 1",
        citation=CITATION,
        account=strict_recall,
        foldable=True,
        parameters=(REWARD,),
    ),
    Definition(
        name="T",
        family=FAMILY,
        title="timeliness",
        summary="how far the stream is ahead of the nuggets it says",
        formula=(
            "T(t) = sum over nuggets u with M(u).time < t of g(u.time - M(u).time)"
            " / number of nuggets u with M(u).time < t"
        ),
        empty_case="undefined with no nugget said before t",
        range="-infinity to infinity with g=identity (positive is early); -1 to 1 with g=sign;"
        " 0 to 1 with g=logistic; 0 to 2 with g=arctan",
        citation=CITATION,
        account=timeliness,
        foldable=True,
        unit="h",
        unitless_with=("g",),
        parameters=(ADVANTAGE, UNIT),
        check=_check_timeliness,
    ),
    Definition(
        name="F",
        family=FAMILY,
        title="F measure",
        summary="the balance of how much of the stream is of use and how much of the gold it says",
        formula=(
            "F(t) = (1 + beta^2) P(updates)(t) R(t) / (beta^2 P(updates)(t) + R(t)),"
            " 0 if the denominator is 0 or no update was sent"
        ),
        empty_case="undefined if the nuggets of the topic have no reward; 0 for an empty run",
        range="0 to 1",
        citation=OF_F,
        account=balance,
        foldable=True,
        parameters=(BETA, COST, REWARD),
    ),
)
