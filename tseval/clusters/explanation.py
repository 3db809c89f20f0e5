"""Cluster by cluster: when it began, which posts of a run reported it, and how late."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tseval.measures.grouping import ClusterIndex
from tseval.tables.times import UNITS, written

if TYPE_CHECKING:
    import pandas as pd

    from tseval.tables.columns import IntArray


def explain_clusters(index: ClusterIndex) -> pd.DataFrame:
    """For every run and cluster: its first post, the run's first report, all reports, delays.

    A cluster that the run did not report stands there too. `delays` are those of the reports in
    their order, in minutes after the cluster's earliest post, by the posts' own times; selected
    posts have a `*`. Sorted by run, topic, the cluster's start and its id.
    """
    import pandas as pd

    groups, runs = index.groups, len(index.runs)
    number = np.tile(np.arange(len(groups)), runs)
    run = np.repeat(np.arange(runs), len(groups))
    reports = _reports_of(index, run, number)
    reported, delays = _listed(index)
    names = index.clusters.cluster_id.rows(groups.row).to_list()
    sizes = np.bincount(index.groups.number, minlength=len(groups))
    said = reports[1] > 0
    frame = pd.DataFrame(
        {
            "run": [index.runs[at] for at in run.tolist()],
            "topic": [index.topics[at] for at in groups.topic[number].tolist()],
            "cluster_id": [names[at] for at in number.tolist()],
            "start": groups.first[number],
            "posts": sizes[number],
            "reports": reports[1],
        }
    )
    if len(index.reports):
        first = index.reports.post[np.minimum(reports[0], len(index.reports) - 1)]
        frame["first_report"] = pd.Series(index.posts.post_id.rows(first).to_list()).where(said)
        frame["time"] = pd.Series(index.posts.time[first]).where(said)
    else:
        frame[["first_report", "time"]] = pd.NA
    pairs = list(zip(run.tolist(), number.tolist(), strict=True))
    frame["reported"] = [" ".join(reported.get(pair, ())) for pair in pairs]
    frame["delays"] = [" ".join(delays.get(pair, ())) for pair in pairs]
    order = np.lexsort(
        (np.array(frame["cluster_id"], str), groups.first[number], groups.topic[number], run)
    )
    return frame.iloc[order].reset_index(drop=True)


def _keys(index: ClusterIndex, run: IntArray, number: IntArray) -> IntArray:
    return run * max(len(index.groups), 1) + number


def _reports_of(index: ClusterIndex, run: IntArray, number: IntArray) -> tuple[IntArray, IntArray]:
    """Where the reports of each (run, cluster) begin, and how many there are."""
    unit = index.unit[index.reports.post]
    have = _keys(index, unit // max(len(index.topics), 1), index.reported)
    want = _keys(index, run, number)
    low = np.searchsorted(have, want, "left")
    return low, np.searchsorted(have, want, "right") - low


def _listed(
    index: ClusterIndex,
) -> tuple[dict[tuple[int, int], list[str]], dict[tuple[int, int], list[str]]]:
    """For each (run, cluster) that is reported the ids of its posts, and their delays."""
    reports = index.reports
    run = index.unit[reports.post] // max(len(index.topics), 1)
    delay = index.clusters.time[reports.member] - index.groups.first[index.reported]
    ids = index.posts.post_id.rows(reports.post).to_list()
    chosen = index.selected[reports.post].tolist()
    reported: dict[tuple[int, int], list[str]] = {}
    delays: dict[tuple[int, int], list[str]] = {}
    pairs = zip(run.tolist(), index.reported.tolist(), strict=True)
    for pair, name, star, seconds in zip(pairs, ids, chosen, delay.tolist(), strict=True):
        reported.setdefault(pair, []).append(f"{name}*" if star else name)
        delays.setdefault(pair, []).append(written(seconds / UNITS["min"]))
    return reported, delays
