"""How well scores tell matches from other pairs, and how far people agree beyond chance.

Of scores everything is worked out from two tallies: of the true pairs and of the others, how many
have their score in each bin, the lowest bin first. Leading axes are free, so that a thousand
resamples are one call. A score in the middle of its bin is tied with all others there.

Of people everything is worked out from tables that add up: so a resample of the things is a
weighted sum. Leading axes are free there too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Counts: TypeAlias = NDArray[np.float64]

ROUNDING = 1e-9
"""A number of pairs below this is 0."""


def auc(true: Counts, other: Counts) -> Counts:
    """The chance that a true pair scores above another one; ties count half.

    NaN where one of the two kinds is lacking.
    """
    below = np.cumsum(other, axis=-1) - other / 2
    pairs = true.sum(axis=-1) * other.sum(axis=-1)
    return _ratio((true * below).sum(axis=-1), pairs)


def average_precision(true: Counts, other: Counts) -> Counts:
    """The mean, over the true pairs, of the precision down to their score; NaN without any."""
    found = _from_top(true)
    precision = _ratio(found, found + _from_top(other), empty=0.0)
    return _ratio((true * precision).sum(axis=-1), true.sum(axis=-1))


@dataclass(frozen=True, eq=False)
class Agreement:
    """Precision, recall, F1 and Cohen's kappa when all pairs from a bin on are called matches.

    Each array has a value for each bin; what is undefined, as a precision of nothing, is NaN. F1
    is 0 where nothing is found, and undefined only if there was nothing to find either.
    """

    precision: Counts
    recall: Counts
    f1: Counts
    kappa: Counts


def agreement(true: Counts, other: Counts) -> Agreement:
    """The agreement at every threshold that a bin begins with."""
    return judged(_from_top(true), _from_top(other), true.sum(axis=-1), other.sum(axis=-1))


def judged(found: Counts, wrong: Counts, true: Counts, other: Counts) -> Agreement:
    """From the true and the other pairs that were called matches, and how many there are of each.

    The totals may lack the last axis of the first two.
    """
    true, other = (
        np.expand_dims(total, -1) if np.ndim(total) < np.ndim(found) else total
        for total in (true, other)
    )
    called, pairs = found + wrong, true + other
    agreed = found + (other - wrong)
    chance = _ratio(called * true + (pairs - called) * other, pairs)
    return Agreement(
        precision=_ratio(found, called),
        recall=_ratio(found, true + np.zeros_like(found)),
        f1=_ratio(2 * found, called + true),
        kappa=_ratio(agreed - chance, pairs - chance),
    )


def best_threshold(true: Counts, other: Counts) -> NDArray[np.int64]:
    """The bin from which on F1 is highest; of several the lowest.

    0 where F1 is undefined throughout.
    """
    f1 = np.nan_to_num(agreement(true, other).f1)
    return np.asarray(np.argmax(f1, axis=-1), np.int64)


def left_out(true: Counts, other: Counts) -> tuple[NDArray[np.int64], Agreement]:
    """For each topic (axis 0) the best threshold of the others, and the agreement that it brings.

    The agreement is that of all pairs together, each judged by a threshold that its own topic had
    no part in; a single topic has to be judged by its own.
    """
    alone = len(true) == 1
    rest = [each if alone else each.sum(axis=0) - each for each in (true, other)]
    cut = best_threshold(rest[0], rest[1])
    found, wrong = (
        np.take_along_axis(_from_top(each), cut[:, np.newaxis], axis=-1).sum()
        for each in (true, other)
    )
    return cut, judged(*map(np.asarray, (found, wrong, true.sum(), other.sum())))


def cohen_kappa(table: Counts) -> Counts:
    """Cohen's kappa of two people, from how often one said a and the other b: table[..., a, b].

    NaN where nothing was said, and where both always say the same one thing: then chance alone
    would have them agree.
    """
    total = table.sum(axis=(-2, -1))
    agreed = np.trace(table, axis1=-2, axis2=-1)
    by_chance = _ratio((table.sum(axis=-1) * table.sum(axis=-2)).sum(axis=-1), total)
    return _ratio(agreed - by_chance, total - by_chance)


def coincidences(counts: Counts) -> Counts:
    """How often two people say a and b of the same thing, from how many say each: counts[..., a].

    Each thing that n people speak of adds n, spread over their n (n - 1) ordered pairs; one that a
    single person speaks of adds nothing. The last axis but one runs over the things, and is summed.
    """
    people = counts.sum(axis=-1, keepdims=True)
    weight = np.divide(1.0, people - 1, out=np.zeros(people.shape), where=people > 1)
    pairs = np.swapaxes(counts * weight, -1, -2) @ counts
    own = (counts * weight).sum(axis=-2)
    size = counts.shape[-1]
    result: Counts = pairs - own[..., np.newaxis] * np.eye(size)
    return result


def krippendorff_alpha(table: Counts) -> Counts:
    """Krippendorff's alpha for names, from coincidences: 1 less observed by expected disagreement.

    NaN where nothing was said twice, and where only one thing was ever said.
    """
    total = table.sum(axis=(-2, -1))
    agreed = np.trace(table, axis1=-2, axis2=-1)
    each = table.sum(axis=-1)
    expected = total**2 - (each**2).sum(axis=-1)
    return 1 - _ratio((total - 1) * (total - agreed), expected)


def _from_top(counts: Counts) -> Counts:
    """How many there are from each bin on."""
    summed: Counts = np.flip(np.cumsum(np.flip(counts, -1), axis=-1), -1)
    return summed


def _ratio(above: Counts, below: Counts, empty: float = np.nan) -> Counts:
    above, below = np.asarray(above, np.float64), np.asarray(below, np.float64)
    full = np.full(np.broadcast(above, below).shape, empty)
    # What is 0 but for rounding is nothing to divide by.
    ratio: Counts = np.divide(above, below, out=full, where=np.abs(below) > ROUNDING)
    return ratio
