"""Measures of a live stream: totals kept as each update comes, the same values at every prefix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tseval.earliest import EarliestIndex
from tseval.measures.accounts import Account, Values
from tseval.measures.draft import FAMILY
from tseval.measures.measure import Measure
from tseval.measures.registry import measures as listed
from tseval.measures.values import moments

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray


class RunningScores:
    """The totals of some measures over the steps of an `EarliestStream`.

    Each step costs what its own update holds, whatever came before. A measure with a time counts
    the amounts dated before it; the others count everything so far, and every nugget.
    """

    def __init__(
        self, start: EarliestIndex, wanted: Sequence[str | Measure], starts: FloatArray
    ) -> None:
        self.measures = listed(wanted, FAMILY)
        self._times = [moments(measure, starts) for measure in self.measures]
        self._accounts: list[Account] = []
        self._totals: list[list[FloatArray]] = []
        self._open(start)

    def _open(self, start: EarliestIndex) -> None:
        for measure, times in zip(self.measures, self._times, strict=True):
            account = measure.definition.account(start, measure)
            self._accounts.append(account)
            self._totals.append([ledger.before(times) for ledger in account.ledgers])

    def add(self, step: EarliestIndex) -> None:
        """Count what one update changes."""
        for measure, times, totals in zip(self.measures, self._times, self._totals, strict=True):
            account = measure.definition.account(step, measure)
            for total, ledger in zip(totals, account.ledgers, strict=True):
                total += ledger.before(times)

    def values(self) -> list[Values]:
        """For each measure its value in every topic so far."""
        return [a.score(totals) for a, totals in zip(self._accounts, self._totals, strict=True)]

    def value(self, measure: str, topic: int = 0) -> float | None:
        """One measure of one topic, by its place; None where it is undefined."""
        at = [each.name for each in self.measures].index(measure)
        values = self._accounts[at].score(self._totals[at])
        return float(values.value[topic]) if np.asarray(values.defined)[topic] else None
