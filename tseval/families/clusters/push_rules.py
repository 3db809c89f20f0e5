"""Rules: the habits in which the push evaluations of 2015 to 2017 differ, each by its name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from tseval.core.rules import choice
from tseval.families.clusters.rules import ClusterRules
from tseval.records import frozen

RELEVANT, REDUNDANT, NOT_RELEVANT = "relevant", "redundant", "not-relevant"


@frozen(kw_only=True)
class PushRules(ClusterRules):
    """Every choice; the defaults are what all three evaluations do, or two of them."""

    days: tuple[int, ...]
    """The days of the evaluation, such as 20170729, in UTC."""
    gains: Mapping[float, float]
    """What each label of the qrels is worth; a label that is not here is worth itself by two."""
    live_labels: Mapping[float, str] = field(default_factory=dict)
    """What each label of the live judgments says; none where there were none."""
    live_other: str = ""
    """What any other label says; nothing if it earns no credit."""
    clock_offset: float = 0.0
    """The seconds that the broker's clock was behind: added to every push."""
    topic_prefix: str = ""
    """What the qrels' topics lack, where they are bare numbers."""
    depth: int = 10
    """How many posts a day a user wants: K."""

    gain: str = choice(
        "own",
        "what the first post of a cluster earns",
        own="the gain of the post itself",
        discounted="the largest gain of the cluster's posts of the day, times max(0, (100 - d)/100)"
        " with d the whole minutes between the post's creation and its push; earlier is negative",
    )
    early_posts: str = choice(
        "drop",
        "posts pushed before they were created, by the broker's clock",
        drop="are dropped: they count nowhere",
        keep="are posts as any other",
    )
    repeated_posts: str = choice(
        "keep",
        "a post that a run pushed twice or more within a topic",
        keep="is a post each time: each takes a place of the day, the first alone can earn, and the"
        " delay is that of the last line of the file",
        refuse="is a fault of the run",
    )
    two_clusters: str = choice(
        "last",
        "a post in several clusters of a topic",
        last="is in the last of them",
        first="is in the first of them",
    )
    silent: str = choice(
        "unseen",
        "a day is eventful",
        unseen="if it has a post of a cluster that the run has not retrieved on an earlier day",
        any="if it has a post of any cluster",
    )
    silent_pain: str = choice(
        "free",
        "posts pushed on a silent day",
        free="are no pain for GMP",
        counted="are pain for GMP, one each",
    )
    silent_lists: str = choice(
        "clamped",
        "nDCG-p of a silent day with a list of n posts",
        clamped="is 1 - min(n, 10) / 10",
        plain="is 1 - n / 10",
    )
    list_order: str = choice(
        "rank",
        "the posts of a daily list count",
        rank="in the order of their ranks",
        lines="in the order of their lines, as the scripts read them",
    )
    cluster_start: str = choice(
        "listed",
        "the first post of a cluster, from which latency counts",
        listed="is the one that the file lists first",
        earliest="is the earliest",
    )
    delays: str = choice(
        "clamped",
        "latencies below 0",
        clamped="are 0",
        signed="stay negative",
    )
    no_posts: str = choice(
        "zero",
        "latencies and shares of no post at all",
        zero="are 0",
        undefined="are undefined",
    )
    live_votes: str = choice(
        "assessors",
        "a post with several live judgments",
        assessors="counts once for each",
        labels="counts once for each different label",
    )
    live_early: str = choice(
        "unjudged",
        "a post with live judgments that was pushed before its creation, or has none",
        unjudged="is unjudged",
        judged="counts all the same",
    )
    live_latency: str = choice(
        "judged",
        "the online latency is taken over",
        judged="the judged posts",
        created="the posts whose creation is known, judged or not",
    )
    live_period: str = choice(
        "open",
        "posts pushed outside of the days of the evaluation, by the run's own clock",
        open="count in the live measures",
        closed="don't count in the live measures",
    )
    live_repeats: str = choice(
        "each",
        "in the live measures a post that a run pushed twice or more within a topic",
        each="counts each time, and so do its judgments",
        once="counts once, as its first line has it",
    )
    live_times: str = choice(
        "own",
        "in the live measures the push time of a post that a run pushed twice within a topic",
        own="is that of each line",
        last="is that of its last line, for every line",
    )
    live_limit: str = choice(
        "none",
        "the live measures look at",
        none="all posts pushed on a topic",
        day="the first ten of each day of the run's own clock; the others are unjudged",
    )

    def period_of(self, edition: str) -> str:
        """The days of the evaluation in words."""
        return f"the days of edition {edition} ({self.days[0]} to {self.days[-1]})"
