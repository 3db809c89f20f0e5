"""Rules of measures over clusters, each by its name; those of push evaluations come on top."""

from __future__ import annotations

from tseval.core.rules import RuleSet, choice
from tseval.records import frozen

POSTS, TOPICS = "posts", "topics"


@frozen
class ClusterRules(RuleSet):
    """RuleSet that every edition over clusters has."""

    mean: str = choice(
        POSTS,
        "`all` of latency and redundancy",
        posts="is that of the posts of all topics together: a quotient of sums over topics",
        topics="is the mean over the topics that have a value",
    )
