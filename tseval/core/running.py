"""Measures of what is not at its end: the sums of their ledgers, kept as more comes.

Blocks, live streams and `tseval.RunningScores` all add up here. What has come stays added. What may
still change, as an update that a later one may yet turn out to be earlier than, is given each time
that values are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.ledgers import Account, Score
from tseval.core.measure import Measure
from tseval.core.results import Values
from tseval.core.taking import account_in, moments
from tseval.tables.units import Units

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray


@dataclass(frozen=True)
class Held:
    """What may still change, as it is now: for each measure its score, and its ledgers' sums."""

    scores: list[Score]
    of_ledgers: list[list[FloatArray]]


class RunningSums:
    """The sums of the ledgers of some measures, each measure at its time, for a run's topics."""

    def __init__(self, measures: Sequence[Measure], starts: FloatArray) -> None:
        self.measures = tuple(measures)
        self._topics = np.arange(len(starts))
        wholes = [measure.whole for measure in measures]
        self._wholes = list(dict.fromkeys(wholes))
        self._places = [self._wholes.index(whole) for whole in wholes]
        self._times = [moments(measure, starts) for measure in measures]
        self._scores: list[Score] = []
        """How sums become values, as what was added first has it."""
        self.of_ledgers: list[list[FloatArray]] = [[] for _ in measures]
        """For each measure the sums of each of its ledgers; none before anything is added."""

    def add(self, index: Units) -> None:
        """Count all that an index holds: one update or a block."""
        accounts = self._of(index)
        self._scores = self._scores or [each.score for each in accounts]
        for sums, own in zip(self.of_ledgers, self._before(accounts), strict=True):
            sums[:] = sums or [np.zeros_like(each) for each in own]
            for total, more in zip(sums, own, strict=True):
                total += more

    def values(self, measure: Measure) -> Values:
        """One of the measures in each topic, of all that was added."""
        at = self.measures.index(measure)
        return self._scores[at](self.of_ledgers[at], self._topics)

    def held(self, index: Units) -> Held:
        """What an index holds that is not added: it serves until that changes."""
        accounts = self._of(index)
        return Held([each.score for each in accounts], list(self._before(accounts)))

    def values_with(self, held: Held) -> list[Values]:
        """Each measure in each topic, of all that was added, and of what is held beside it."""
        both = [
            [mine + total for mine, total in zip(own, sums, strict=True)] if sums else own
            for own, sums in zip(held.of_ledgers, self.of_ledgers, strict=True)
        ]
        return [score(sums, self._topics) for score, sums in zip(held.scores, both, strict=True)]

    def _of(self, index: Units) -> list[Account]:
        """The account of each measure; one that is taken at several times is made once."""
        made = [account_in(whole, whole.definition.account(index, whole)) for whole in self._wholes]
        return [made[place] for place in self._places]

    def _before(self, accounts: Sequence[Account]) -> Iterator[list[FloatArray]]:
        """For each measure the sum of each ledger before its time."""
        for account, times in zip(accounts, self._times, strict=True):
            yield [ledger.before(times) for ledger in account.ledgers]
