"""Measures of what is not at its end: the sums of their ledgers, kept as more comes.

Blocks, live streams and `tseval.RunningScores` all add up here. Sums stand in arrays by ledger and
topic, so whoever has several can add them, or look at them after each of many steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, cast

import numpy as np

from tseval.core.ledgers import Account
from tseval.core.measure import Measure
from tseval.core.results import Values
from tseval.core.taking import account_in, moments
from tseval.io.units import Units

if TYPE_CHECKING:
    from tseval.arrays import FloatArray


class LedgerSums:
    """The sums of the ledgers of some measures, each measure at its time, for a run's topics."""

    def __init__(self, measures: Sequence[Measure], starts: FloatArray, gold: Units) -> None:
        """`gold` is an index without any update: by it is known how sums become values."""
        wholes = [measure.whole for measure in measures]
        self._wholes = list(dict.fromkeys(wholes))
        self._places = [self._wholes.index(whole) for whole in wholes]
        self._times = [moments(measure, starts) for measure in measures]
        self._topics = np.arange(len(starts))
        accounts = self._accounts(gold)
        self._scores = [account.score for account in accounts]
        ends = accumulate((len(account.ledgers) for account in accounts), initial=0)
        self._own = [slice(*each) for each in pairwise(ends)]
        """For each measure its ledgers among all."""

    def of(self, index: Units) -> FloatArray:
        """What an index holds, by ledger, run and topic."""
        shape = (len(index.runs), len(self._topics))
        sums = [
            ledger.before(np.tile(times, len(index.runs))).reshape(shape)
            for account, times in zip(self._accounts(index), self._times, strict=True)
            for ledger in account.ledgers
        ]
        return np.stack(sums)

    def values(self, sums: FloatArray) -> Values:
        """Every measure of such sums, by run, topic and measure."""
        found = [self.values_of(at, sums) for at in range(len(self._scores))]
        value = np.stack([each.value for each in found], axis=2)
        return Values(value, np.stack([each.defined for each in found], axis=2))

    def values_of(self, measure: int, sums: FloatArray) -> Values:
        """One of the measures, by run and topic."""
        shape = sums.shape[1:]
        topics = np.tile(self._topics, shape[0])
        own = [each.reshape(-1) for each in sums[self._own[measure]]]
        values = self._scores[measure](own, topics)
        return Values(values.value.reshape(shape), values.defined.reshape(shape))

    def _accounts(self, index: Units) -> list[Account]:
        """The account of each measure; one that is taken at several times is made once."""
        made = [account_in(whole, whole.definition.account(index, whole)) for whole in self._wholes]
        ledgers = cast("list[Account]", made)  # families of live streams have these alone
        return [ledgers[place] for place in self._places]
