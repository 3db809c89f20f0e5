"""What stands for updates where one that stands twice is looked for."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from tseval.io.repeats import HASH_BYTES
from tseval.tables import Ids, Updates
from tseval.tables.fingerprints import fingerprints

if TYPE_CHECKING:
    from tseval.io.repeats import Marks, Words

MIX = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
"""Odd numbers: what a run, a topic and an id are multiplied with."""


def hashes(updates: Updates) -> Marks:
    """A hash of each (run, topic, id)."""
    columns = (updates.run, updates.topic, updates.update_id)
    names = zip(*(column.to_list() for column in columns), strict=True)
    found = [blake2b("\t".join(each).encode(), digest_size=HASH_BYTES).digest() for each in names]
    return np.array(found, f"S{HASH_BYTES}")


def numbers(updates: Updates) -> Words:
    """A number for each (run, topic, id); several may have the same."""
    total = np.zeros(len(updates), np.uint64)
    columns: tuple[Ids, ...] = (updates.run, updates.topic, updates.update_id)
    for column, factor in zip(columns, MIX, strict=True):
        names = fingerprints(column.names)
        total = _mixed(total + names[column.codes] * np.uint64(factor))
    return total


def _mixed(numbers: Words) -> Words:
    """Spread every bit over all others, so that similar names make unlike numbers."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Words = numbers ^ (numbers >> np.uint64(31))
    return mixed
