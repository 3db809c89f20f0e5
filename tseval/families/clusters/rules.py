"""Rules of measures over clusters, each by its name; those of push evaluations come on top."""

from __future__ import annotations

from dataclasses import dataclass

from tseval.core.rules import RuleSet, choice

POSTS, TOPICS = "posts", "topics"


@dataclass(frozen=True)
class ClusterRules(RuleSet):
    """RuleSet that every edition over clusters has."""

    mean: str = choice(
        POSTS,
        "`all` of latency and redundancy",
        posts="is that of the posts of all topics together: a quotient of sums over topics",
        topics="is the mean over the topics that have a value",
    )
