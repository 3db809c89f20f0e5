"""Rows by keys: pairs of names as numbers, equal ones found by sorting, the times of groups."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from tseval.io.names import ABSENT

if TYPE_CHECKING:
    from tseval.arrays import FloatArray, IntArray
    from tseval.tables.columns import Ids


def pair_keys(topic: Ids, item: Ids, topics: Ids, items: Ids) -> IntArray:
    """One number for each (topic, item) by the vocabularies of others; `ABSENT` where unknown."""
    t = topic.codes if topic is topics else topic.within(topics.names)
    i = item.codes if item is items else item.within(items.names)
    keys = t * len(items.names)
    keys += i
    keys[(t == ABSENT) | (i == ABSENT)] = ABSENT
    return keys


def by_code(codes: IntArray) -> IntArray:
    """The rows by their codes, those of one code in their order.

    Numbers of two bytes are sorted by counting, ten times as fast as longer ones.
    """
    few = not len(codes) or (codes.min() >= ABSENT and codes.max() < np.iinfo(np.uint16).max)
    return np.argsort((codes - ABSENT).astype(np.uint16) if few else codes, kind="stable")


def rows_by_code(codes: IntArray) -> dict[int, IntArray]:
    """For each code that is there, from the smallest on, the rows that have it, in their order.

    To look for each code by itself would take as many looks at every row as there are codes.
    """
    order = by_code(codes)
    ordered = codes[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ABSENT)).tolist()
    bounds = pairwise([*starts, len(codes)])
    return {int(ordered[start]): order[start:end] for start, end in bounds}


def last_row_of(wanted: IntArray, keys: IntArray) -> IntArray:
    """The last row of keys that equals each wanted one; `ABSENT` where there is none."""
    if not len(keys):
        return np.full(len(wanted), ABSENT)
    order = np.argsort(keys, kind="stable")
    at = np.searchsorted(keys[order], wanted, "right") - 1
    row = order[np.maximum(at, 0)]
    return np.where((at >= 0) & (keys[row] == wanted) & (wanted != ABSENT), row, ABSENT)


def equal_rows(wanted: IntArray, keys: IntArray) -> tuple[IntArray, IntArray]:
    """Every (place in `wanted`, row of `keys`) whose numbers are equal, and not `ABSENT`.

    The places ascend; within a place the rows do.
    """
    if not len(keys):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    low = np.searchsorted(ordered, wanted)
    if (ordered[1:] != ordered[:-1]).all():  # as with one run: at most one row for each
        there = ordered[np.minimum(low, len(keys) - 1)] == wanted
        place = np.flatnonzero(there & (wanted != ABSENT))
        return place, order[low[place]]
    number = np.where(wanted == ABSENT, 0, np.searchsorted(ordered, wanted, "right") - low)
    place = np.repeat(np.arange(len(wanted)), number)
    within = np.arange(len(place)) - np.repeat(np.cumsum(number) - number, number)
    return place, order[low[place] + within]


def earliest(group: IntArray, time: FloatArray, groups: int) -> FloatArray:
    """The earliest time of each of so many groups; infinity for one without any."""
    times = np.full(groups, np.inf)
    np.minimum.at(times, group, time)
    return times


def latest(group: IntArray, time: FloatArray, groups: int) -> FloatArray:
    """The latest time of each of so many groups; minus infinity for one without any."""
    times = np.full(groups, -np.inf)
    np.maximum.at(times, group, time)
    return times
