"""From inputs to what the measures of timelines need: every prediction beside its references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tseval.core.editions import Edition
from tseval.core.family import Access, Evaluation, Words, hashes
from tseval.core.measure import Measure
from tseval.core.registry import measures
from tseval.core.scores import Overall, Scores
from tseval.errors import UsageError
from tseval.families.timelines.caveats import of_measures, of_tables
from tseval.families.timelines.index import TimelineIndex
from tseval.families.timelines.inputs import TimelineInputs, TimelineOptions, read_tables
from tseval.families.timelines.measures import (
    FAMILY,
    chosen,
    is_side,
    metric_of,
    sides_before,
)
from tseval.families.timelines.rules import TimelineRules
from tseval.families.timelines.tally import CONCAT
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray


@frozen(kw_only=True)
class TimelineEvaluation(Evaluation):
    """Predicted timelines and references, read and indexed."""

    words: ClassVar[Words] = Words("timeline", "topic", "counted as 0")

    edition: Edition[TimelineRules]
    timelines: TimelineIndex

    @property
    def index(self) -> TimelineIndex:
        """What measures are taken from."""
        return self.timelines

    @property
    def starts(self) -> FloatArray:
        """When each topic starts: with the first day of its references."""
        return self.timelines.starts

    def settled(self, wanted: list[Measure]) -> list[Measure]:
        """The measures; one of all days joined has no time."""
        for each in wanted:
            if each.at is not None and not self.has_times(each):
                raise UsageError(f"{each} joins all days: leave @{each.at} out")
        return wanted

    def has_times(self, measure: Measure) -> bool:
        """Whether a measure can be taken at any time: one that goes day by day can."""
        return metric_of(measure) != CONCAT

    def follows(self, measure: Measure) -> bool:
        """Whether a measure can be followed over time.

        A curve of `all` is a mean over topics, which F is by the rule AVG-F alone.
        """
        rule = self.timelines.rules.average
        is_mean = rule == "AVG-F" or (rule == "AVG-PR" and is_side(measure))
        return is_mean and self.has_times(measure)

    def caveats(self, wanted: Sequence[Measure]) -> Iterator[str]:
        """Ties, and words that do not count."""
        return of_measures(self.timelines, wanted)

    def finished(self, scores: Scores) -> Scores:
        """The scores with `all` as the rule of averages has it."""
        rule = self.timelines.rules.average
        if rule == "AVG-F":
            return scores
        known = scores.defined | np.full(scores.defined.shape, scores.undefined_as_zero)
        used: BoolArray = scores.counted[:, :, None] & known
        wanted = measures(scores.measures, FAMILY)
        values = np.zeros((len(scores.runs), len(wanted)))
        for at, measure in enumerate(wanted):
            precision, recall = (
                self._mean(np.where(scores.defined[:, :, at], each, 0.0), used[:, :, at])
                for each in self.sides(measure)
            )
            values[:, at] = chosen(measure, precision, recall)
        given = np.ones(values.shape, bool)
        return replace(scores, overall=Overall(values, np.asarray(used.any(axis=1)), given))

    def sides(self, measure: Measure) -> tuple[FloatArray, FloatArray]:
        """Precision and recall of each run and topic, at the measure's time."""
        times = self.times_of(measure, self.timelines)
        precision, recall = sides_before(self.timelines, measure.whole, times)
        shape = self.timelines.present.shape
        return precision.reshape(shape), recall.reshape(shape)

    def _mean(self, values: FloatArray, used: BoolArray) -> FloatArray:
        """The mean of each run over what is used, or over the means of each topic."""
        group = self.timelines.group
        if self.timelines.rules.average != "TOPIC-MACRO":
            group = np.zeros_like(group)
        number, sums = sums_by_group(group, used), sums_by_group(group, np.where(used, values, 0.0))
        means = np.divide(sums, number, out=np.zeros_like(sums), where=number > 0)
        there = np.maximum((number > 0).sum(axis=1), 1)
        result: FloatArray = means.sum(axis=1) / there
        return result


def sums_by_group(group: IntArray, values: FloatArray | BoolArray) -> FloatArray:
    """The sum of each row's values over each group of columns.

    Row by row: a product of matrices would round by how many rows there are.
    """
    places = np.unique(group, return_inverse=True)[1]
    return np.array([np.bincount(places, row, places.max(initial=-1) + 1) for row in values])


def read(
    inputs: TimelineInputs,
    options: TimelineOptions,  # noqa: ARG001 - as of all families
    edition: Edition[TimelineRules],
    rules: Mapping[str, str],
    access: Access,
) -> TimelineEvaluation:
    """Read every input; a fault in any of them is an `InputError`."""
    if not inputs.runs:
        raise UsageError("no system is given: name at least one file of timelines")
    settled = edition.rules.changed(rules)
    tables = read_tables(inputs, access)
    index = TimelineIndex.build(tables.runs, tables.gold, settled)
    return TimelineEvaluation(
        edition=edition,
        timelines=index,
        traits={"rules": settled.said(edition.rules)} | hashes({"gold": tables.gold.origin}),
        inputs=tables.records(),
        warnings=tuple(of_tables(tables)),
    )
