"""Measures of a live stream: totals kept as each update comes, the same values at every prefix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.ledgers import Account
from tseval.core.measure import Measure
from tseval.core.registry import measures as listed
from tseval.core.taking import account_of, moments
from tseval.errors import UsageError
from tseval.families.temporal.draft import FAMILY
from tseval.families.temporal.earliest import EarliestIndex, EarliestStream
from tseval.tables import ALL_TOPICS

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray


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
        start = stream.start()
        given = dict(zip(self.topics, start.first_nugget_times, strict=True)) | dict(starts or {})
        times = np.array([given[topic] for topic in self.topics])
        self._times = [moments(measure, times) for measure in self.measures]
        self._accounts: list[Account] = []
        self._totals: list[list[FloatArray]] = []
        for measure, until in zip(self.measures, self._times, strict=True):
            account = account_of(measure, start)
            self._accounts.append(account)
            self._totals.append([ledger.before(until) for ledger in account.ledgers])

    def add(self, step: EarliestIndex) -> None:
        """Count what one update changes."""
        for measure, times, totals in zip(self.measures, self._times, self._totals, strict=True):
            account = account_of(measure, step)
            for total, ledger in zip(totals, account.ledgers, strict=True):
                total += ledger.before(times)

    def value(self, measure: str | Measure, topic: str = ALL_TOPICS) -> float | None:
        """A measure of a topic so far, or its mean over the topics where it is defined.

        None where it is undefined; a measure or topic that is not followed is a `UsageError`.
        """
        names = [each.name for each in self.measures]
        if str(measure) not in names:
            raise UsageError(f"{measure} is not followed; these are: {', '.join(names)}")
        at = names.index(str(measure))
        values = self._accounts[at].score(self._totals[at], np.arange(len(self.topics)))
        if topic == ALL_TOPICS:
            number = int(values.defined.sum())
            return float(values.value[values.defined].sum() / number) if number else None
        if topic not in self.topics:
            raise UsageError(f"no topic '{topic}' in the gold; there are: {', '.join(self.topics)}")
        place = self.topics.index(topic)
        return float(values.value[place]) if values.defined[place] else None
