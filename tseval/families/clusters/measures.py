"""Latency, redundancy and coverage over clusters of posts that carry the same information.

McCreadie and Soboroff, TREC Incident Streams Track Proposal. Every rule that the proposal leaves
open stands here, beside the ledger that it shapes; `docs/clusters.md` tells them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tseval.core.ledgers import ALWAYS, Account, Ledger, ratio
from tseval.core.measure import Definition, Measure, Parameter
from tseval.core.pools import MEAN
from tseval.families.clusters.grouping import ClusterIndex
from tseval.tables.times import UNITS

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray, IntArray

FAMILY = "clusters"
CITATION = "McCreadie and Soboroff, TREC Incident Streams Track Proposal"

UNIT = Parameter("unit", "the unit of time", default="min", choices=("s", "min", "h"))
UNIQUE = Parameter(
    "unique",
    "each post counts once: the share of posts whose information the run had returned before",
    default="",
    flag=True,
)


def latency(index: ClusterIndex, measure: Measure) -> Account:
    """The mean delay of the selected posts, each in its own cluster, or in each that it is in.

    A post's time is the clusters' own. It counts from when the run returned it.
    """
    chosen = index.scored
    member = index.reports.member[chosen]
    delay = index.clusters.time[member] - index.groups.first[index.groups.number[member]]
    delay /= UNITS[str(measure.argument("unit"))]
    post = index.reports.post[chosen]
    return Account((_dated(index, post, delay), _dated(index, post, np.ones(len(post)))), ratio)


def redundancy(index: ClusterIndex, measure: Measure) -> Account:
    """The posts that repeat, by the posts returned."""
    returned = index.returned
    below = _dated(index, returned, np.ones(len(returned)))
    if measure.has("unique"):
        repeated = np.zeros(len(index.posts), bool)
        repeated[index.reports.post[index.reports.before > 0]] = True
        repeats = np.flatnonzero(repeated)
        return Account((_dated(index, repeats, np.ones(len(repeats))), below), ratio)
    reports = index.reports
    chosen = index.scored
    added = _selected_before(index) + np.where(chosen, reports.before, 0)
    return Account((_dated(index, reports.post, added.astype(np.float64)), below), ratio)


def _selected_before(index: ClusterIndex) -> IntArray:
    """Per report how many posts that are scored in the cluster had reported it before.

    With n posts of a cluster, s of them selected, the sum is s (n - 1). One more post adds s, and
    if it is selected n too.
    """
    chosen = index.scored
    sums: IntArray = np.cumsum(chosen) - chosen
    start = np.arange(len(chosen)) - index.reports.before
    before: IntArray = sums - sums[start]
    return before


def coverage(index: ClusterIndex, _: Measure) -> Account:
    """The clusters with a post of the run, by all clusters of the topic."""
    counted, topics = index.counted, max(len(index.topics), 1)
    run = index.unit[index.reports.post] // topics
    first = index.reports.post[(index.reports.before == 0) & counted[run, index.reported]]
    runs = np.arange(len(index.runs)) * topics
    unit = (runs[:, None] + index.groups.topic)[counted]
    every = Ledger.of(unit, np.full(len(unit), ALWAYS), np.ones(len(unit)))
    return Account((_dated(index, first, np.ones(len(first))), every), ratio)


def _dated(index: ClusterIndex, post: IntArray, amount: FloatArray) -> Ledger:
    """Amounts of posts, dated by when the run returned them.

    The index knows the order of posts, so that three columns need not be sorted for each ledger.
    """
    if len(amount) and (amount != amount[0]).any():
        order = np.lexsort((amount, index.came[post]))
        post, amount = post[order], amount[order]
    else:
        post = np.repeat(index.order, np.bincount(post, minlength=len(index.posts))[index.order])
    return Ledger(index.unit[post], index.posts.time[post], amount)


DEFINITIONS = (
    Definition(
        name="latency",
        family=FAMILY,
        title="latency",
        summary="how long after the first post of its cluster a selected post was made",
        formula=(
            "mean over selected posts of the post's time - the time of the earliest post of its"
            " own cluster, both as the clusters tell them; a post without a cluster of its own"
            " counts once for each that it is in; `all` is over the posts of all topics (rule mean)"
        ),
        empty_case="undefined with no selected post before t",
        range="0 to infinity",
        citation=CITATION,
        account=latency,
        higher_is_better=False,
        unit="min",
        parameters=(UNIT,),
        reads=MEAN,
    ),
    Definition(
        name="redundancy",
        family=FAMILY,
        title="redundancy",
        summary="how often what was returned had other posts of the run beside it",
        formula=(
            "sum over selected posts of the other posts of its own cluster that the run returned /"
            " posts that the run returned; a post without a cluster of its own counts once for each"
            " that it is in;"
            " redundancy(unique) = posts in a cluster that the run had reported before / posts that"
            " the run returned; `all` of either adds both sums up over topics (rule mean)"
        ),
        empty_case="undefined with no post returned before t",
        range="0 to infinity: two selected posts of a cluster count each other;"
        " redundancy(unique) 0 to 1, never 1",
        citation=CITATION,
        account=redundancy,
        higher_is_better=False,
        parameters=(UNIQUE,),
        reads=MEAN,
    ),
    Definition(
        name="coverage",
        family=FAMILY,
        title="coverage",
        summary="how many of the clusters the run reported at all",
        formula=(
            "clusters with at least one post that the run returned before t / clusters; those made"
            " for selected posts count once where they hold the same posts"
        ),
        empty_case="0 for an empty run; a topic without clusters has no value",
        range="0 to 1",
        citation=CITATION,
        account=coverage,
    ),
)
