"""Measures as contributions, for drivers that know results by the numbers of their units."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tseval.core import kernel
from tseval.core.kernel import KEY, Contributions
from tseval.core.results import BEFORE_ALL, Changes, DatedResult, Values

if TYPE_CHECKING:
    from tseval.arrays import FloatArray
    from tseval.core.batches import Batches


@dataclass(frozen=True, eq=False)
class ContributionResult(DatedResult):
    """A measure given by its contributions."""

    contributions: Contributions
    units: pl.DataFrame
    """`run topic` of each unit, in the order of their numbers: run by run."""
    of_run: Callable[[pl.DataFrame], pl.DataFrame] | None = None
    """From the units at a time, with sums and values, to `run value`, if not a mean over topics."""
    undivided: str = ""

    def sums(self, times: FloatArray) -> Any:
        """The exact sums of what is dated before its time, by run, topic and inner keys."""
        by = [*KEY, *self.contributions.inner]
        return kernel.sums(self.contributions, by, self.limits(times)).with_columns(
            pl.col(KEY).cast(pl.String)  # whatever runs there will be
        )

    def plus(self, sums: pl.DataFrame) -> ContributionResult:
        """The same with exact sums of contributions that are no longer there, at any time."""
        types = {name: self.units.schema[name] for name in KEY}
        added = sums.cast(types).with_columns(time=pl.lit(kernel.ALWAYS))  # type: ignore[arg-type]
        tables = [*self.contributions.tables, added]
        return replace(self, contributions=replace(self.contributions, tables=tables))

    def before(self, times: FloatArray) -> Values:
        """The value of each unit from the contributions dated before its time."""
        return values_of(self.values_at(times))

    def values_at(self, times: FloatArray) -> pl.DataFrame:
        """The value of each unit and its sums, from the contributions dated before its time."""
        return kernel.value(self.contributions, self.units, self.limits(times))

    def limits(self, times: FloatArray) -> pl.DataFrame | None:
        """The times by unit, None for the end."""
        is_end = bool(np.isposinf(times).all())
        return None if is_end else self.units.select(*KEY, before=pl.Series(times))

    def of_runs(self, times: FloatArray) -> Values | None:
        """The value of each run as a whole, where that is not the mean over its topics."""
        if self.of_run is None:
            return None
        runs = self.units.select("run").unique(maintain_order=True)
        return values_of(
            runs.join(
                self.of_run(self.values_at(times)), on="run", how="left", maintain_order="left"
            )
        )

    def changes(self, starts: FloatArray) -> Changes:
        """The curve of each unit, with a row at its start in any case."""
        marks = self.units.select(*KEY, start=pl.Series(starts))
        steps = kernel.curve(self.contributions, self.units, marks)
        unit = steps["unit"].cast(pl.Int64).to_numpy()
        initial = self.before(np.full(len(starts), BEFORE_ALL))
        return Changes(unit, steps["time"].to_numpy(), values_of(steps), initial)

    def within(self, batches: Batches) -> Values:
        """The value of each unit in each batch, as (units, most); undefined past its last."""
        found = values_of(kernel.batches(self.contributions, self._limits(batches), batches.length))
        value, defined = np.zeros(batches.present.shape), np.zeros(batches.present.shape, bool)
        value[batches.present], defined[batches.present] = found.value, found.defined
        return Values(value, defined)

    def _limits(self, batches: Batches) -> pl.DataFrame:
        start, number = pl.Series(batches.start), pl.Series(batches.number)
        return self.units.select(*KEY, start=start, number=number)

    def pooled_changes(self, starts: FloatArray, topics: int) -> Changes:
        """The curve of each run over all topics together, in seconds since the topics' starts."""
        runs = self.units.select("run", topic=pl.lit("")).unique(maintain_order=True)
        together = kernel.side_by_side(
            self.contributions, self.units.select(*KEY, start=pl.Series(starts))
        )
        return ContributionResult(together, runs).changes(np.zeros(len(starts) // topics))

    def pooled_before(self, starts: FloatArray, times: FloatArray, topics: int) -> Values:  # noqa: ARG002
        """The value of each run, from what is dated before the time of each (run, topic)."""
        return values_of(kernel.pooled(self.contributions, self.units, self.limits(times)))

    def pooled_within(self, batches: Batches, topics: int) -> Values:
        """The value of each run in each batch since the topics' starts, as (runs, most)."""
        limits, shape = self._limits(batches), (len(batches.start) // topics, batches.most)
        found = values_of(kernel.batches(self.contributions, limits, batches.length, ["run"]))
        return Values(found.value.reshape(shape), found.defined.reshape(shape))

    def weights(self, times: FloatArray) -> FloatArray:
        """The sum of the amount that each unit's value is divided by."""
        weight = self.contributions.weight
        tables = [each for each in self.contributions.tables if weight in each.columns]
        names = [weight, weight + kernel.FINE]
        own = pl.selectors.by_name(names, require_all=False)
        lanes = own.name.replace(weight, "value", literal=True)
        amounts = [table.select(*KEY, "time", lanes) for table in tables]
        sums = Contributions(amounts, score=lambda sums: sums)
        return values_of(kernel.value(sums, self.units, self.limits(times))).value


def values_of(table: pl.DataFrame) -> Values:
    """Return the column `value`, undefined where it is null."""
    value = table["value"]
    defined = value.is_not_null().to_numpy()
    return Values(np.where(defined, value.cast(pl.Float64).to_numpy(), 0.0), defined)
