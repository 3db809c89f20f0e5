"""The topics of the gold, by whatever name other tables call them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import polars as pl

PREFIX = re.compile(r"^TS\d+\.")
YEARS_CURE = (
    "they are topics of two years: score each year with its own nuggets, or give the nuggets the "
    "names with their prefixes"
)


class GoldTopics:
    """The names of the gold's topics, so that `TS14.11` and `11` are the same topic.

    Where two topics of the gold are the same without their prefix, prefixes are kept; so they are
    where prefixes differ: `TS13.11` and `TS14.11` are topics of two years.
    """

    def __init__(self, gold: Iterable[str], rule: str) -> None:
        names = list(gold)
        self._rule = rule
        self._bare = Counter(bare(name) for name in names)
        self._unique = {bare(name): name for name in names if self._bare[bare(name)] == 1}
        self._known = set(names)

    def same(self, name: str) -> str:
        """Return the topic of the gold that this is; the name itself if it is none."""
        if name in self._known:
            return name
        same = self._unique.get(bare(name), name)
        return name if name != bare(name) and same not in (name, bare(same)) else same

    def find(self, name: str) -> str | None:
        """Return the topic of the gold that a name with a prefix stands for, if any."""
        same = self.same(name)
        return same if name != bare(name) and same in self._known else None

    def rename(self, name: str) -> str:
        """Return the name that the rule gives a topic."""
        same = self.same(name)
        apart = same not in self._known and bare(same) in self._unique
        is_bare = self._rule == "bare" and self._bare[bare(same)] <= 1 and not apart
        return bare(same) if is_bare else same

    def rename_in(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a table whose topics have the names that the rule gives them."""
        topics = frame["topic"].unique()
        names = {own: name for own in topics if (name := self.rename(own)) != own}
        return frame.with_columns(pl.col("topic").replace(names)) if names else frame


def bare(name: str) -> str:
    """Return a name without its prefix."""
    return PREFIX.sub("", name)


def clash(topic: str, first: str, other: str) -> str:
    """Return what is wrong with two names with prefixes for one topic."""
    return f'topics "{first}" and "{other}" would both be the topic "{topic}" of the nuggets'
