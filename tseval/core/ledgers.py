"""What a plug-in's measure adds up: ledgers of dated amounts, and a score of their totals.

They become contributions of the kernel, with the numbers of units in the place of names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from tseval.core.batches import Batches
from tseval.core.contributions import ContributionResult
from tseval.core.kernel import ALWAYS, Contributions
from tseval.core.results import Changes, DatedResult, Values
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.arrays import FloatArray, IntArray

__all__ = ["ALWAYS", "Account", "Ledger", "ratio"]
Score: TypeAlias = Callable[[Sequence["FloatArray"], "IntArray"], Values]
"""From totals, and the unit that each belongs to, to values."""


@frozen
class Ledger:
    """Amounts by unit and date."""

    unit: IntArray
    time: FloatArray
    amount: FloatArray

    @classmethod
    def of(cls, unit: IntArray, time: FloatArray, amount: FloatArray) -> Ledger:
        """Return a ledger; sums are exact, so no order changes them."""
        return cls(unit, time, amount)


@frozen
class Account(DatedResult):
    """The ledgers of a measure and the score of their totals."""

    ledgers: tuple[Ledger, ...]
    score: Score
    undivided: str = ""

    def _over(self, units: int, topics: int = 1) -> ContributionResult:
        """Return the contributions to so many units, of which so many are of each run."""
        names = [f"amount {at}" for at in range(len(self.ledgers))]

        def key(unit: IntArray) -> dict[str, IntArray]:
            return {"run": unit // topics, "topic": unit % topics}

        def score(sums: pl.DataFrame) -> pl.DataFrame:
            unit = sums["run"].to_numpy()
            if "topic" in sums.columns and sums.schema["topic"] != pl.String:
                unit = unit * topics + sums["topic"].to_numpy()
            found = self.score([sums[name].to_numpy() for name in names], unit)
            value = pl.when(pl.Series(found.defined)).then(pl.Series(found.value))
            return sums.with_columns(value=value)

        tables = [
            pl.DataFrame({**key(each.unit), "time": each.time, name: each.amount})
            for name, each in zip(names, self.ledgers, strict=True)
        ]
        contributions = Contributions(tables, score, weight=names[-1])
        return ContributionResult(contributions, pl.DataFrame(key(np.arange(units))))

    def before(self, times: FloatArray) -> Values:
        """The measure of each unit at its time."""
        return self._over(len(times)).before(times)

    def changes(self, starts: FloatArray) -> Changes:
        """The whole curve of every unit."""
        return self._over(len(starts)).changes(starts)

    def within(self, batches: Batches) -> Values:
        """The measure of each unit in each batch, as (units, most); undefined past its last."""
        return self._over(len(batches.start)).within(batches)

    def pooled_changes(self, starts: FloatArray, topics: int) -> Changes:
        """The curve of each run over all topics together, in seconds since the topics' starts."""
        return self._over(len(starts), topics).pooled_changes(starts, topics)

    def pooled_before(self, starts: FloatArray, times: FloatArray, topics: int) -> Values:
        """The measure of each run, of what is dated before the time of each (run, topic)."""
        return self._over(len(times), topics).pooled_before(starts, times, topics)

    def pooled_within(self, batches: Batches, topics: int) -> Values:
        """The measure of each run in each batch since the topics' starts, as (runs, most)."""
        return self._over(len(batches.start), topics).pooled_within(batches, topics)

    def weights(self, times: FloatArray) -> FloatArray:
        """The last total: what the value of each (run, topic) is divided by."""
        return self._over(len(times)).weights(times)


def ratio(totals: Sequence[FloatArray], _: IntArray) -> Values:
    """The first total by the second; undefined where the second is 0."""
    above, below = totals
    defined = below > 0
    return Values(np.divide(above, below, out=np.zeros_like(above), where=defined), defined)
