"""The earliest-match index with what the track's measures need beside it.

The rules have shaped it: its updates are those that count, each under the id and with the text of
the pool's update that stands for it; its nuggets are those that count, with the times since which
they could be known. What a measure adds up is worked out when one first asks, and then shared.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.ledgers import Ledger
from tseval.errors import UsageError
from tseval.families.temporal.earliest import EarliestIndex
from tseval.families.temporal.rules import Rules
from tseval.families.temporal.words import byte_offsets, marked_words, sizes_of_unions, word_counts
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

LATENCY_STEP = 6 * 3600.0
"""The seconds after which a nugget is worth half."""


@frozen
class AssessedIndex(EarliestIndex):
    """The index, and what is known of each of its updates, nuggets and topics."""

    rules: Rules
    present: BoolArray
    """Which (run, topic) have any line in the run's file, counted or not."""
    sampled: BoolArray
    """Per update whether it is in the pool; all are where there is no pool."""
    judged: BoolArray
    """For each update, whether an assessor or a matcher judged it; an unjudged one is not noise."""
    length: FloatArray | None
    """Per update the pool's length of what stands for it, where the rules go by it."""
    weight: FloatArray
    """Per update its weight in the confidence-biased measures."""
    spans: tuple[FloatArray, FloatArray] | None
    """Start and end of each of the index's first matches in its update's text."""
    spans_in_bytes: bool
    has_texts: bool
    """Whether there are texts at all: a run of the track has none without a pool."""
    periods: tuple[FloatArray, FloatArray]
    """When each topic starts and ends."""

    @classmethod
    def around(cls, index: EarliestIndex, **more: object) -> AssessedIndex:
        """An index with all that is known beside it."""
        own = {each.name: getattr(index, each.name) for each in fields(index)}
        return cls(**own, **more)  # type: ignore[arg-type]

    # Nuggets and topics.

    @cached_property
    def rewards(self) -> FloatArray:
        """R: what each nugget is worth."""
        importance = self.nuggets.importance
        if self.rules.reward == "binary":
            return (importance > 0).astype(np.float64)
        if self.rules.reward == "constant":
            constant: FloatArray = np.exp(importance) / np.exp(3.0)
            return constant
        largest = np.full(len(self.topics), -np.inf)
        np.maximum.at(largest, self.nugget_topic, importance)
        rewards: FloatArray = np.exp(importance - largest[self.nugget_topic])
        return rewards

    @cached_property
    def total_rewards(self) -> FloatArray:
        """For each topic the rewards of all its nuggets together."""
        totals = np.zeros(len(self.topics))
        order = np.lexsort((self.rewards, self.nugget_topic))
        np.add.at(totals, self.nugget_topic[order], self.rewards[order])
        return totals

    @cached_property
    def _best(self) -> tuple[FloatArray, IntArray, IntArray]:
        """Sums of each topic's rewards from the largest on; where each topic's start; how many."""
        order = np.lexsort((-self.rewards, self.nugget_topic))
        number = np.bincount(self.nugget_topic, minlength=len(self.topics))
        start = np.cumsum(number) - number
        sums = np.empty(len(order))
        for first, many in zip(start.tolist(), number.tolist(), strict=True):
            np.cumsum(self.rewards[order[first : first + many]], out=sums[first : first + many])
        return sums, start, number

    def best_mean(self, unit: IntArray, updates: FloatArray) -> FloatArray:
        """Z: the mean of the k largest rewards, k the smaller number of updates and nuggets."""
        sums, start, number = self._best
        topic = unit % len(self.topics)
        k = np.minimum(updates.astype(np.int64), number[topic])
        mean = np.zeros(len(unit))
        some = k > 0
        mean[some] = sums[start[topic[some]] + k[some] - 1] / k[some]
        return mean

    @cached_property
    def mean_length(self) -> FloatArray:
        """For each topic the mean number of words of its nuggets."""
        if self.rules.lengths == "column" and self.nuggets.length is not None:
            lengths = self.nuggets.length
        else:
            lengths = word_counts(self.nuggets.text, self.rules.words)
        number = np.bincount(self.nugget_topic, minlength=len(self.topics))
        total = np.bincount(self.nugget_topic, lengths, len(self.topics))
        return total / np.maximum(number, 1)

    # Updates.

    @cached_property
    def verbosity(self) -> FloatArray:
        """V: 1, and the words that say nothing new by the mean number of words of a nugget.

        Where no nugget of the topic has any word it is 1.
        """
        if not self.has_texts:
            raise UsageError(
                "verbosity needs the texts of the updates, which a run of the track does not hold: "
                "give the pool of judged updates (--pool)"
            )
        idle = self._words  # worked on in place: a column of a million updates is 8 MB
        idle -= self._marked
        np.maximum(idle, 0, out=idle)
        mean = self.mean_length[np.maximum(self.unit, 0) % len(self.topics)]
        idle[mean <= 0] = 0
        np.divide(idle, mean, out=idle, where=mean > 0)
        idle += 1
        return idle

    @property
    def _words(self) -> FloatArray:
        if self.length is not None:
            words = self.length.copy()
        else:
            words = word_counts(self.updates.text, self.rules.words)
        if self.rules.unsampled == "one-word":
            words[~self.sampled] = 1
        return words

    @property
    def _marked(self) -> FloatArray:
        """How many words of each update lie in spans of nuggets that it is the first to say."""
        first = self.first
        if self.spans is None:
            return np.zeros(len(self.unit))
        known = ~np.isnan(self.spans[0]) & ~np.isnan(self.spans[1])
        update = first.update[known]
        texts = self.updates.text.rows(update)
        start, end = (span[known] for span in self.spans)
        if not self.spans_in_bytes:
            start, end = byte_offsets(texts, start), byte_offsets(texts, end)
        low, high = marked_words(texts, start, end, self.rules.words)
        return sizes_of_unions(update, low, high, len(self.unit))

    # What is added up.

    @cached_property
    def _sent(self) -> tuple[IntArray, FloatArray]:
        """The unit and time of each update that was sent, for all ledgers to share."""
        return self.unit[self.sent], self.updates.time[self.sent]

    def _of_updates(self, amount: FloatArray) -> Ledger:
        return Ledger.of(*self._sent, amount[self.sent])

    def _of_firsts(self, amount: FloatArray) -> Ledger:
        first = self.first
        return Ledger.of(first.unit, self.updates.time[first.update], amount)

    @cached_property
    def _first_reward(self) -> FloatArray:
        """What each first match is worth: the nugget's reward, by how far it says more of it."""
        return self.rewards[self.first.nugget] * self.first.rise

    @cached_property
    def _first_discount(self) -> FloatArray:
        """L of each first match: how late it was, 1 on time."""
        first = self.first
        late = self.updates.time[first.update] - self.nuggets.time[first.nugget]
        discount: FloatArray = 1 - (2 / np.pi) * np.arctan(late / LATENCY_STEP)
        return discount

    @cached_property
    def _first_weight(self) -> FloatArray:
        return self.weight[self.first.update]

    @cached_property
    def ledger_count(self) -> Ledger:
        """One for every update."""
        unit, time = self._sent
        return Ledger.of(unit, time, np.broadcast_to(1.0, len(unit)))

    @cached_property
    def ledger_sampled(self) -> Ledger:
        """One for every update that is in the pool."""
        return Ledger.of(*self._sent, self.sampled[self.sent].astype(np.float64))

    @cached_property
    def ledger_verbosity(self) -> Ledger:
        """Every update's verbosity."""
        return self._of_updates(self.verbosity)

    @cached_property
    def ledger_found(self) -> Ledger:
        """One for every nugget found: of each first match how far it says more of one."""
        return self._of_firsts(self.first.rise)

    @cached_property
    def ledger_gain(self) -> Ledger:
        """The reward of every first match."""
        return self._of_firsts(self._first_reward)

    @cached_property
    def ledger_latency_gain(self) -> Ledger:
        """The discounted reward of every first match."""
        return self._of_firsts(self._first_reward * self._first_discount)

    @cached_property
    def ledger_discount(self) -> Ledger:
        """The latency discount of every first match."""
        return self._of_firsts(self._first_discount * self.first.rise)

    @cached_property
    def ledger_weight(self) -> Ledger:
        """Every update's weight."""
        return self._of_updates(self.weight)

    @cached_property
    def ledger_weighted_verbosity(self) -> Ledger:
        """Every update's verbosity by its weight."""
        weighted = self.verbosity[self.sent]
        weighted *= self.weight[self.sent]
        return Ledger.of(*self._sent, weighted)

    @cached_property
    def ledger_weighted_gain(self) -> Ledger:
        """The reward of every first match by its update's weight."""
        return self._of_firsts(self._first_reward * self._first_weight)

    @cached_property
    def ledger_weighted_latency_gain(self) -> Ledger:
        """The discounted reward of every first match by its update's weight."""
        gain = self._first_reward * self._first_discount
        return self._of_firsts(gain * self._first_weight)

    @cached_property
    def ledger_weighted_discount(self) -> Ledger:
        """The latency discount of every first match by its update's weight."""
        return self._of_firsts(self._first_discount * self.first.rise * self._first_weight)

    def area(self, *, discounted: bool) -> Ledger:
        """What each first match adds to the area under the curve over its topic's period."""
        first = self.first
        topic = first.unit % len(self.topics)
        start, end = self.periods[0][topic], self.periods[1][topic]
        said = np.clip(self.updates.time[first.update], start, end)
        length = end - start
        share = np.divide(end - said, length, out=np.zeros_like(length), where=length > 0)
        gain = self._first_reward * (self._first_discount if discounted else 1.0)
        return self._of_firsts(gain * share)
