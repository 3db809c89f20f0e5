"""Measures of a live stream: totals kept as each update comes, the same values at every prefix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from tseval.core.measure import Measure
from tseval.core.registry import measures as listed
from tseval.core.running import LedgerSums
from tseval.errors import UsageError
from tseval.families.temporal.measures import FAMILY
from tseval.families.temporal.streaming.draft import with_ledgers
from tseval.families.temporal.streaming.earliest import EarliestIndex, EarliestStream
from tseval.io.schema import ALL_TOPICS


class RunningScores:
    """The totals of some measures over the steps of an `EarliestStream`.

    Each step costs what its own update holds, whatever came before. A measure with a time counts
    what is dated before it; one without counts everything so far, and every nugget of the gold.
    `starts` gives topics their start, for times such as `6h`; the default is the earliest nugget.
    """

    def __init__(
        self,
        stream: EarliestStream,
        wanted: Iterable[str | Measure],
        starts: Mapping[str, float] | None = None,
    ) -> None:
        self.measures = listed(wanted, FAMILY)
        self.topics = stream.topics
        gold = stream.start()
        start = dict(zip(self.topics, gold.first_nugget_times, strict=True)) | dict(starts or {})
        times = np.array([start[topic] for topic in self.topics])
        self._ledgers = LedgerSums(with_ledgers(self.measures), times, gold)
        self._sums = self._ledgers.of(gold)

    def add(self, step: EarliestIndex) -> None:
        """Count what one update changes."""
        self._sums += self._ledgers.of(step)

    def value(self, measure: str | Measure, topic: str = ALL_TOPICS) -> float | None:
        """A measure of a topic so far, or its mean over the topics where it is defined.

        None where it is undefined; a measure or topic that is not followed is a `UsageError`.
        """
        names = [each.name for each in self.measures]
        if str(measure) not in names:
            raise UsageError(f"{measure} is not followed; these are: {', '.join(names)}")
        found = self._ledgers.values_of(names.index(str(measure)), self._sums)
        value, defined = found.value[0], found.defined[0]
        if topic == ALL_TOPICS:
            number = int(defined.sum())
            return float(value[defined].sum() / number) if number else None
        if topic not in self.topics:
            raise UsageError(f"no topic '{topic}' in the gold; there are: {', '.join(self.topics)}")
        place = self.topics.index(topic)
        return float(value[place]) if defined[place] else None
