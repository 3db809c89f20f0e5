"""Cluster by cluster: when it began, which posts of a run reported it, and how late."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tseval.families.clusters.grouping import ClusterIndex
from tseval.tables.times import UNITS, written

if TYPE_CHECKING:
    import pandas as pd

    from tseval.tables.columns import FloatArray, IntArray


def explain_clusters(index: ClusterIndex) -> pd.DataFrame:
    """For every run and cluster: its first post, the run's first report, all reports, delays.

    A cluster that the run did not report stands there too. `delays` are those of the reports in
    their order, in minutes after the cluster's earliest post, by the posts' own times; posts that
    are selected and scored in the cluster have a `*`. `selected` counts these, `delay` adds up
    their delays and `others` the other posts beside each; `returned` is how many posts the run
    returned on the topic. So latency is the sum of `delay` by that of `selected`, and redundancy
    that of `others` by `returned`. Where clusters of the same posts count once in coverage,
    `same_as` names the one that counts. Sorted by run, topic, the cluster's start and its id.
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
    frame = frame.assign(**_sums(index, run, number, reports[1]))
    counted = index.counted.ravel()
    if not counted.all():
        other = (names[at] for at in index.same_as[number].tolist())
        pairs_of = zip(other, counted.tolist(), strict=True)
        frame["same_as"] = ["" if counts else name for name, counts in pairs_of]
    order = np.lexsort(
        (np.array(frame["cluster_id"], str), groups.first[number], groups.topic[number], run)
    )
    return frame.iloc[order].reset_index(drop=True)


def _sums(
    index: ClusterIndex, run: IntArray, number: IntArray, reports: IntArray
) -> dict[str, IntArray | FloatArray]:
    """What each (run, cluster) adds to latency and redundancy, and the posts of its topic."""
    scored = index.scored
    post, member = index.reports.post[scored], index.reports.member[scored]
    own = index.groups.number[member]
    delay = (index.clusters.time[member] - index.groups.first[own]) / UNITS["min"]
    place = _keys(index, index.unit[post] // max(len(index.topics), 1), own)
    size = len(index.runs) * max(len(index.groups), 1)
    row = _keys(index, run, number)
    selected = np.bincount(place, minlength=size)[row]
    returned = np.bincount(index.unit[index.returned], minlength=index.units)
    return {
        "selected": selected,
        "delay": np.bincount(place, delay, size).astype(np.float64)[row],
        "others": selected * np.maximum(reports - 1, 0),
        "returned": returned[run * len(index.topics) + index.groups.topic[number]],
    }


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
    chosen = index.scored.tolist()
    reported: dict[tuple[int, int], list[str]] = {}
    delays: dict[tuple[int, int], list[str]] = {}
    pairs = zip(run.tolist(), index.reported.tolist(), strict=True)
    for pair, name, star, seconds in zip(pairs, ids, chosen, delay.tolist(), strict=True):
        reported.setdefault(pair, []).append(f"{name}*" if star else name)
        delays.setdefault(pair, []).append(written(seconds / UNITS["min"]))
    return reported, delays
