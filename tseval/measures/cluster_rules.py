"""Rules of measures over clusters, each by its name; those of push evaluations come on top."""

from __future__ import annotations

from dataclasses import dataclass

from tseval.measures.habits import Habits, habit

POSTS, TOPICS = "posts", "topics"


@dataclass(frozen=True)
class ClusterRules(Habits):
    """Habits that every edition over clusters has."""

    mean: str = habit(
        POSTS,
        "`all` of latency and redundancy",
        posts="is that of the posts of all topics together: a quotient of sums over topics",
        topics="is the mean over the topics that have a value",
    )
