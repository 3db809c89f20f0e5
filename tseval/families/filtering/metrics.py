"""What is measured in a batch: macro averages over entities, from counts by entity and batch.

Kenter, Balog and de Rijke, Evaluating document filtering systems over time, 2015. The last two axes
of every array of counts are entities and batches; those before them are free, so that all cutoffs
of a run are one call. Results lack the axis of entities.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.results import Values
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray

ENTITIES = -2
"""The axis of entities."""
EVEN = (1.0, 1.0, 1.0)
"""The weights of P, R and A in F_pr and F_pra."""
COSTS = (1.0, 0.1, 0.02)
"""What C_trk takes a miss and a false alarm to cost, and how likely a target is."""
LOWEST_UTILITY = -0.5
"""Below this no utility falls in T11SU."""


@frozen
class Counts:
    """How many pairs of each kind there are, by entity and batch.

    `positive` are those of the truth; of these `hits` were returned, beside `alarms` that are not
    positive. `quiet` are the judged pairs, not positive, that were not returned.
    """

    hits: FloatArray
    alarms: FloatArray
    quiet: FloatArray
    positive: FloatArray


@frozen
class Batches:
    """The metrics of every batch, computed when they are asked for."""

    counts: Counts
    zeta: float = 1.0
    """How slowly aptness falls: with so many false positives it is one half."""
    everyone: bool = False
    """Whether P, R and T11SU are taken over all entities, with 0 for those without positives.

    So is T11U, where these have what their false positives cost.
    """
    f_weights: tuple[float, ...] = EVEN
    """How much P, R and A weigh in F_pr and F_pra."""
    costs: tuple[float, ...] = COSTS
    """The costs of a miss and of a false alarm in C_trk, and the share of targets."""

    @cached_property
    def returned(self) -> FloatArray:
        """The pairs that were returned."""
        return self.counts.hits + self.counts.alarms

    @cached_property
    def among(self) -> BoolArray:
        """The entities that count in P and R: those with a positive, or all."""
        positive: BoolArray = self.counts.positive > 0
        return np.ones_like(positive) if self.everyone else positive

    @cached_property
    def size(self) -> FloatArray:
        """The pairs of a batch that are positive or returned."""
        size: FloatArray = (self.counts.positive + self.counts.alarms).sum(ENTITIES)
        return size

    @cached_property
    def precision(self) -> Values:
        """Macro precision; 0 for an entity of which nothing was returned."""
        return self._macro(_ratio(self.counts.hits, self.returned))

    @cached_property
    def recall(self) -> Values:
        """Macro recall."""
        return self._macro(_ratio(self.counts.hits, self.counts.positive))

    @cached_property
    def aptness(self) -> Values:
        """Macro aptness over the entities that are positive or returned; 1 without any."""
        there = (self.counts.positive > 0) | (self.returned > 0)
        each = np.where(there, self.zeta / (self.zeta + self.counts.alarms), 0.0)
        number = there.sum(ENTITIES)
        value = np.where(number > 0, each.sum(ENTITIES) / np.maximum(number, 1), 1.0)
        return Values(value, np.ones(value.shape, bool))

    @cached_property
    def harmonic_two(self) -> Values:
        """F_pr: the weighted harmonic mean of P and R; 0 if either is 0."""
        value = harmonic(self.precision.value, self.recall.value, weights=self.f_weights[:2])
        return Values(value, self.precision.defined)

    @cached_property
    def usual(self) -> Values:
        """F_1: the harmonic mean of P and R, whatever they weigh in F_pr."""
        value = harmonic(self.precision.value, self.recall.value)
        return Values(value, self.precision.defined)

    @cached_property
    def harmonic_three(self) -> Values:
        """F_pra: the weighted harmonic mean of P, R and A; A alone without ground truth."""
        apt = self.aptness.value
        all_three = harmonic(self.precision.value, self.recall.value, apt, weights=self.f_weights)
        value = np.where(self.precision.defined, all_three, apt)
        return Values(value, np.ones(value.shape, bool))

    @cached_property
    def plain_utility(self) -> Values:
        """T11U: the linear utility 2 TP - FP, neither scaled nor bounded."""
        return self._macro(2 * self.counts.hits - self.counts.alarms)

    @cached_property
    def utility(self) -> Values:
        """T11SU: the linear utility 2 TP - FP by its maximum, scaled from [-0.5, 1] to [0, 1]."""
        positive = self.counts.positive
        each = _ratio(2 * self.counts.hits - self.counts.alarms, 2 * positive)
        scaled = (np.maximum(each, LOWEST_UTILITY) - LOWEST_UTILITY) / (1 - LOWEST_UTILITY)
        return self._macro(np.where(positive > 0, scaled, 0.0))

    @cached_property
    def cost(self) -> Values:
        """C_trk: the cost of misses and false alarms, by that of the better of two trivial systems.

        An entity without any negative can give no false alarm.
        """
        positive, negative = self.counts.positive, self.counts.alarms + self.counts.quiet
        miss = _ratio(positive - self.counts.hits, positive)
        alarm = _ratio(self.counts.alarms, negative)
        of_miss, of_alarm, target = self.costs
        each = of_miss * target * miss + of_alarm * (1 - target) * alarm
        least = min(of_miss * target, of_alarm * (1 - target))
        return _mean(each / least, positive > 0)

    @cached_property
    def false_positive_rate(self) -> Values:
        """FPR: false positives by negatives, over the entities that have negatives."""
        negative = self.counts.alarms + self.counts.quiet
        return _mean(_ratio(self.counts.alarms, negative), negative > 0)

    @cached_property
    def false_discovery_rate(self) -> Values:
        """FDR: false positives by returned, over the entities of which something was returned."""
        return _mean(_ratio(self.counts.alarms, self.returned), self.returned > 0)

    def _macro(self, each: FloatArray) -> Values:
        return _mean(each, self.among)


def _mean(each: FloatArray, among: BoolArray) -> Values:
    """The mean over the entities that count; undefined without any."""
    number = among.sum(ENTITIES)
    total = np.where(among, each, 0.0).sum(ENTITIES)
    number, total = np.broadcast_arrays(number, total)
    defined: BoolArray = number > 0
    return Values(np.divide(total, number, out=np.zeros_like(total), where=defined), defined)


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """The quotient, 0 where there is nothing to divide by."""
    above, below = np.broadcast_arrays(above, below)
    ratio: FloatArray = np.divide(above, below, out=np.zeros(above.shape), where=below > 0)
    return ratio


def harmonic(*parts: FloatArray, weights: Sequence[float] = EVEN) -> FloatArray:
    """The weighted harmonic mean; 0 where any part is 0."""
    weighed = list(zip(parts, weights, strict=False))
    good = np.logical_and.reduce([part > 0 for part in parts])
    inverse = sum((np.where(good, w / np.where(good, part, 1.0), 0.0) for part, w in weighed), 0.0)
    total = math.fsum(w for _, w in weighed)  # as any Python adds them up, and `sum` does not
    mean: FloatArray = np.where(good, total / np.where(good, inverse, 1.0), 0.0)
    return mean


METRICS: Mapping[str, Callable[[Batches], Values]] = {
    "P": lambda batches: batches.precision,
    "R": lambda batches: batches.recall,
    "A": lambda batches: batches.aptness,
    "F_pr": lambda batches: batches.harmonic_two,
    "F_pra": lambda batches: batches.harmonic_three,
    "F_1": lambda batches: batches.usual,
    "T11U": lambda batches: batches.plain_utility,
    "T11SU": lambda batches: batches.utility,
    "C_trk": lambda batches: batches.cost,
    "FPR": lambda batches: batches.false_positive_rate,
    "FDR": lambda batches: batches.false_discovery_rate,
}
"""Every metric of a batch by its name."""
BOUNDS: Mapping[str, tuple[float, float]] = {"T11U": (-np.inf, np.inf), "C_trk": (0.0, np.inf)}
"""Between which values those metrics lie that do not lie between 0 and 1."""
LOWER_IS_BETTER = frozenset({"C_trk", "FPR", "FDR"})


def _negative(batches: Batches) -> FloatArray:
    return batches.counts.alarms + batches.counts.quiet


_SUPPORTS: Mapping[str, Callable[[Batches], FloatArray]] = {
    "P": lambda batches: batches.returned,
    "FDR": lambda batches: batches.returned,
    "R": lambda batches: batches.counts.positive + np.zeros_like(batches.returned),
    "FPR": _negative,
}


def support(batches: Batches, metric: str) -> FloatArray:
    """How many pairs of each batch a metric is taken from."""
    if metric not in _SUPPORTS:
        return batches.size
    pairs: FloatArray = _SUPPORTS[metric](batches).sum(ENTITIES)
    return pairs
