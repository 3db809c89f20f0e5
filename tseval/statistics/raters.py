"""How far several people agree on the same things, beyond what chance would have them agree.

Everything is worked out from tables that add up: so a resample of the things is a weighted sum.
Leading axes are free.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def cohen_kappa(table: Floats) -> Floats:
    """Cohen's kappa of two people, from how often one said a and the other b: table[..., a, b].

    NaN where nothing was said, and where both always say the same one thing: then chance alone
    would have them agree.
    """
    total = table.sum(axis=(-2, -1))
    agreed = np.trace(table, axis1=-2, axis2=-1)
    by_chance = _ratio((table.sum(axis=-1) * table.sum(axis=-2)).sum(axis=-1), total)
    return _ratio(agreed - by_chance, total - by_chance)


def coincidences(counts: Floats) -> Floats:
    """How often two people say a and b of the same thing, from how many say each: counts[..., a].

    Each thing that n people speak of adds n, spread over their n (n - 1) ordered pairs; one that a
    single person speaks of adds nothing. The last axis but one runs over the things, and is summed.
    """
    people = counts.sum(axis=-1, keepdims=True)
    weight = np.divide(1.0, people - 1, out=np.zeros(people.shape), where=people > 1)
    pairs = np.swapaxes(counts * weight, -1, -2) @ counts
    own = (counts * weight).sum(axis=-2)
    size = counts.shape[-1]
    result: Floats = pairs - own[..., np.newaxis] * np.eye(size)
    return result


def krippendorff_alpha(table: Floats) -> Floats:
    """Krippendorff's alpha for names, from coincidences: 1 less observed by expected disagreement.

    NaN where nothing was said twice, and where only one thing was ever said.
    """
    total = table.sum(axis=(-2, -1))
    agreed = np.trace(table, axis1=-2, axis2=-1)
    each = table.sum(axis=-1)
    expected = total**2 - (each**2).sum(axis=-1)
    return 1 - _ratio((total - 1) * (total - agreed), expected)


def _ratio(above: Floats, below: Floats) -> Floats:
    above, below = np.asarray(above, np.float64), np.asarray(below, np.float64)
    nothing = np.full(np.broadcast(above, below).shape, np.nan)
    # What is 0 but for rounding is nothing to divide by.
    ratio: Floats = np.divide(above, below, out=nothing, where=np.abs(below) > 1e-9)
    return ratio
