"""Samples of the posts that a run returned: those of highest confidence, or a seeded draw.

A sample is drawn of the posts that are in a cluster, or, before any cluster exists, of all.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pyarrow.compute as pc

from tseval.core.draws import SAMPLINGS
from tseval.errors import UsageError
from tseval.families.clusters.grouping import ClusterIndex
from tseval.tables import Ids
from tseval.tables.arrow import numbers

if TYPE_CHECKING:
    from tseval.families.clusters.tables import Posts
    from tseval.tables.columns import BoolArray, IntArray


class Sampled(Protocol):
    """Posts of which a sample can be drawn, each of a unit: a run and a topic."""

    @property
    def posts(self) -> Posts:
        """The posts of all runs."""

    @property
    def unit(self) -> IntArray:
        """Of each post the place of its run times the number of topics, plus its topic's."""

    @property
    def runs(self) -> Sequence[str]:
        """The names of the runs."""

    @property
    def topics(self) -> Sequence[str]:
        """The names of the topics."""


def drawn(index: ClusterIndex, size: int, sampling: str, seed: int) -> BoolArray:
    """Up to `size` posts of each run and topic, of those that are in a cluster."""
    return drawn_of(index, np.flatnonzero(index.clustered), size, sampling, seed)


def drawn_of(index: Sampled, rows: IntArray, size: int, sampling: str, seed: int) -> BoolArray:
    """Up to `size` of these rows of each run and topic.

    By confidence, ties go to the earlier post, then to the id that sorts first. At random, the
    draw depends on the seed, the run's and the topic's names and the posts' ids alone.
    """
    if sampling not in SAMPLINGS:
        raise UsageError(f"unknown sampling '{sampling}'; known: {', '.join(SAMPLINGS)}")
    if size < 1:
        raise UsageError("a sample has at least one post")
    rows = rows[_by_id(index.posts.post_id.rows(rows))]
    if sampling == "confidence":
        order = _by_confidence(index, rows)
    else:
        order = _shuffled(index, rows, seed)
    rows = rows[order]
    unit = index.unit[rows]
    rows = rows[np.argsort(unit, kind="stable")]
    unit = index.unit[rows]
    start = np.flatnonzero(np.diff(unit, prepend=-1))
    place = np.arange(len(rows)) - np.repeat(start, np.diff(np.append(start, len(rows))))
    chosen = np.zeros(len(index.posts), bool)
    chosen[rows[place < size]] = True
    return chosen


def _by_id(ids: Ids) -> IntArray:
    """The rows in the order of their ids."""
    rank = np.empty(len(ids.names), np.int64)
    rank[numbers(pc.sort_indices(ids.names))] = np.arange(len(ids.names))
    return np.argsort(rank[ids.codes], kind="stable")


def _by_confidence(index: Sampled, rows: IntArray) -> IntArray:
    if index.posts.confidence is None:
        raise UsageError("no run has a column `confidence`: draw with --sampling random")
    return np.lexsort((index.posts.time[rows], -index.posts.confidence[rows]))


def _shuffled(index: Sampled, rows: IntArray, seed: int) -> IntArray:
    """The rows, those of each unit in an order that its names and the seed decide."""
    unit = index.unit[rows]
    key = np.zeros(len(rows))
    for each in np.unique(unit).tolist():
        run, topic = divmod(each, len(index.topics))
        names = (index.runs[run], index.topics[topic])
        entropy = [abs(seed), int(seed < 0), *(zlib.crc32(name.encode()) for name in names)]
        inside = np.flatnonzero(unit == each)
        key[inside] = np.random.default_rng(entropy).permutation(len(inside))
    return np.argsort(key, kind="stable")
