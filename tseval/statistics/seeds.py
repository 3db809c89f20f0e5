"""Random numbers by the name of what they are for."""

from __future__ import annotations

import hashlib

import numpy as np


def seeded(seed: int, *names: str) -> np.random.SeedSequence:
    """The seed of one unit of work, spawned from the seed of all by the unit's names.

    The same names get the same numbers whatever is computed before, beside or instead of them. Any
    whole number may be a seed.
    """
    digest = hashlib.sha256("\0".join(names).encode("utf-8", "surrogatepass")).digest()
    words = np.frombuffer(digest, "<u4").tolist()
    return np.random.SeedSequence(2 * abs(seed) + (seed < 0), spawn_key=tuple(words))
