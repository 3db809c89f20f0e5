"""Runs over clusters: which post of a run reports which cluster, and in what order.

A *unit* is a (run, topic); the topics are those of the clusters. Both they and the
runs are in natural order. A *report* is a (post of a run, cluster that it is in). Within a
run and cluster reports are in the order of the run's times; of equal times the first in the file
is first.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tseval.families.clusters.tables import Clusters, Posts
from tseval.records import frozen
from tseval.tables import ABSENT, Ids, all_names, natural_order
from tseval.tables.arrow import strings
from tseval.tables.keys import earliest, equal_rows, latest, pair_keys
from tseval.tables.units import Units

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray


@frozen
class Groups:
    """The clusters, numbered: a number for each row of the table, and what each number is."""

    number: IntArray
    row: IntArray
    """A row of each cluster: its first in the file."""
    topic: IntArray
    """The topic of each cluster, as its place among the topics."""
    first: FloatArray
    """The time of the earliest post of each cluster."""

    def __len__(self) -> int:
        return len(self.row)

    @classmethod
    def of(cls, clusters: Clusters, topics: Sequence[str]) -> Groups:
        """Number the clusters of a table."""
        ids = clusters.cluster_id
        keys = clusters.topic.codes * len(ids.names) + ids.codes
        _, row, number = np.unique(keys, return_index=True, return_inverse=True)
        first = earliest(number, clusters.time, len(row))
        topic = clusters.topic.rows(row).within(strings(list(topics)))
        return cls(number, row, topic, first)


@frozen
class Reports:
    """Every report, sorted by run, cluster, and then as it came."""

    post: IntArray
    """The row of the run's post."""
    member: IntArray
    """The row of the clusters' table."""
    before: IntArray
    """How many posts of the run had reported the cluster before."""

    def __len__(self) -> int:
        return len(self.post)


@frozen
class ClusterIndex(Units):
    """Everything that the measures need to know of which run reported what when."""

    posts: Posts
    clusters: Clusters
    groups: Groups
    unit: IntArray
    """Per post its (run, topic), `ABSENT` where the topic has no clusters."""
    reports: Reports
    selected: BoolArray
    """Per post whether it is one of those whose latency and redundancy count."""
    own: IntArray
    """Per post the number of the cluster that was made for it; `ABSENT` where none is known."""

    @classmethod
    def build(
        cls,
        posts: Posts,
        clusters: Clusters,
        selected: BoolArray | None = None,
        named: Ids | None = None,
    ) -> ClusterIndex:
        """Index whole runs. Without a selection every post that is in a cluster is selected.

        `named` are the names of posts' own clusters, empty where none is told.
        """
        runs = natural_order(posts.run.vocabulary())
        topics = natural_order(all_names(clusters.topic).to_pylist())
        topic = posts.topic.within(strings(topics))
        run = posts.run.within(strings(runs))
        groups = Groups.of(clusters, topics)
        reports = _reports(posts, clusters, groups, run)
        if selected is None:
            selected = np.zeros(len(posts), bool)
            selected[reports.post] = True
        return cls(
            runs=tuple(runs),
            topics=tuple(topics),
            posts=posts,
            clusters=clusters,
            groups=groups,
            unit=np.where(topic == ABSENT, ABSENT, run * len(topics) + topic),
            reports=reports,
            selected=selected,
            own=_own(posts, clusters, groups, reports, named),
        )

    @cached_property
    def scored(self) -> BoolArray:
        """Per report whether its post is selected and scored in this cluster.

        That is in its own alone, or, where none is known, in each that it is in.
        """
        post = self.reports.post
        own = self.own[post]
        scored: BoolArray = self.selected[post] & ((own == ABSENT) | (own == self.reported))
        return scored

    @cached_property
    def order(self) -> IntArray:
        """The rows of the posts by unit, then time."""
        return np.lexsort((self.posts.time, self.unit))

    @cached_property
    def came(self) -> IntArray:
        """Per post the place of its (unit, time) among all of these; equal ones share it."""
        order = self.order
        unit, time = self.unit[order], self.posts.time[order]
        new = np.ones(len(order), bool)
        new[1:] = (unit[1:] != unit[:-1]) | (time[1:] != time[:-1])
        came = np.empty(len(order), np.int64)
        came[order] = np.cumsum(new)
        return came

    @cached_property
    def made_for_posts(self) -> BoolArray:
        """Per run whether its clusters were made for selected posts.

        So it is where any cluster is called as a post in it, and where the run names posts' own.
        """
        cluster, post = self.clusters.cluster_id, self.clusters.post_id
        if (cluster.within(post.names) == post.codes).any():
            return np.ones(len(self.runs), bool)
        named = (self.own != ABSENT) & (self.unit != ABSENT)
        made = np.zeros(len(self.runs), bool)
        made[self.unit[named] // max(len(self.topics), 1)] = True
        return made

    @cached_property
    def same_as(self) -> IntArray:
        """Per cluster the first by name, itself maybe, that holds the same posts of its topic."""
        same = np.arange(len(self.groups))
        order = np.lexsort((self.clusters.post_id.codes, self.groups.number))
        ends = np.cumsum(np.bincount(self.groups.number, minlength=len(same)))
        posts = np.split(self.clusters.post_id.codes[order], ends[:-1])
        named = self.clusters.cluster_id.rows(self.groups.row).to_list()
        first: dict[tuple[int, bytes], int] = {}
        for number in sorted(range(len(same)), key=named.__getitem__):
            key = int(self.groups.topic[number]), posts[number].tobytes()
            same[number] = first.setdefault(key, number)
        return same

    @cached_property
    def counted(self) -> BoolArray:
        """Whether a cluster counts in a run's coverage, of the shape (runs, clusters).

        Two selected posts of the same information have clusters of the same posts; they count
        once, so that what was pooled with another run's changes nothing. Where clusters were not
        made for posts, assessors may have named two pieces of information that the same posts hold.
        """
        made = self.made_for_posts[:, None]
        if not made.any():
            return np.ones((len(self.runs), len(self.groups)), bool)
        counted: BoolArray = ~made | (self.same_as == np.arange(len(self.groups)))
        return counted

    @property
    def returned(self) -> IntArray:
        """The rows of the posts of judged topics."""
        return np.flatnonzero(self.unit != ABSENT)

    @property
    def present(self) -> BoolArray:
        """Which (run, topic) have posts."""
        return self.having(self.unit[self.returned])

    @property
    def starts(self) -> FloatArray:
        """For each topic the time of its earliest post in a cluster."""
        first = earliest(self.groups.topic, self.groups.first, len(self.topics))
        return self.clusters.origin.starts(first)

    @property
    def ends(self) -> FloatArray:
        """For each topic the time of its latest post in a cluster."""
        topic = self.groups.topic[self.groups.number]
        return latest(topic, self.clusters.time, len(self.topics))

    @property
    def clustered(self) -> BoolArray:
        """Per post whether it is in a cluster."""
        inside = np.zeros(len(self.posts), bool)
        inside[self.reports.post] = True
        return inside

    @property
    def reported(self) -> IntArray:
        """Per report the number of its cluster."""
        return self.groups.number[self.reports.member]


def _own(
    posts: Posts, clusters: Clusters, groups: Groups, reports: Reports, named: Ids | None
) -> IntArray:
    """The cluster that was made for each post: the one that is named, else that of its own id."""
    own = np.full(len(posts), ABSENT)
    cluster, number = clusters.cluster_id.rows(reports.member), groups.number[reports.member]
    same = cluster.within(posts.post_id.names) == posts.post_id.codes[reports.post]
    own[reports.post[same]] = number[same]
    if named is not None:
        told = named.within(strings([""])) == ABSENT
        own[told] = ABSENT
        same = told[reports.post] & (cluster.within(named.names) == named.codes[reports.post])
        own[reports.post[same]] = number[same]
    return own


def _reports(posts: Posts, clusters: Clusters, groups: Groups, run: IntArray) -> Reports:
    """Every (post, cluster), in the order of run, cluster, time and place in the file."""
    keys = pair_keys(clusters.topic, clusters.post_id, posts.topic, posts.post_id)
    wanted = pair_keys(posts.topic, posts.post_id, posts.topic, posts.post_id)
    member, post = equal_rows(keys, wanted)
    rank = np.empty(len(posts), np.int64)
    rank[np.argsort(posts.time, kind="stable")] = np.arange(len(posts))
    group = run[post] * max(len(groups), 1) + groups.number[member]
    order = np.lexsort((rank[post], group))
    group = group[order]
    new = np.append(True, np.diff(group) != 0)[: len(group)]
    place = np.arange(len(group))
    before = place - np.maximum.accumulate(np.where(new, place, 0))
    return Reports(post[order], member[order], before)
