"""The measures of the draft as ledgers, which streams add up one update after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.ledgers import ALWAYS, Account, Ledger, ratio
from tseval.core.measure import Measure
from tseval.core.results import Values
from tseval.errors import UsageError
from tseval.families.temporal.measures import advantage, read_weight
from tseval.families.temporal.streaming.earliest import EarliestIndex
from tseval.families.temporal.streaming.words import LETTERS, character_counts, word_counts
from tseval.tables import Nuggets, Updates

if TYPE_CHECKING:
    from tseval.arrays import FloatArray, IntArray


def default_cost(updates: Updates, nuggets: Nuggets) -> str:
    """The cost where none is asked for: the column if both tables have it, else 1."""
    return "column" if updates.cost is not None and nuggets.cost is not None else "1"


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
    squared = read_weight(str(measure.argument("beta"))) ** 2

    def harmonic(totals: Sequence[FloatArray], unit: IntArray) -> Values:
        precise, complete = ratio(totals[:2], unit), ratio(totals[2:], unit)
        above = (1 + squared) * precise.value * complete.value
        below = squared * precise.value + complete.value
        value = np.divide(above, below, out=np.zeros_like(above), where=below > 0)
        return Values(value, complete.defined)

    return Account((useful, _sent(index, cost), *recall(index, measure).ledgers), harmonic)


LEDGERS = {
    "P": precision,
    "R": recall,
    "Rs": strict_recall,
    "T": timeliness,
    "F": balance,
}


def with_ledgers(wanted: Sequence[Measure]) -> list[Measure]:
    """Return the measures as sums of ledgers, which streams add up."""
    return [
        replace(each, definition=replace(each.definition, account=LEDGERS[each.definition.name]))
        for each in wanted
    ]
