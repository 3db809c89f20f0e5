"""For each run and nugget the few updates that most likely say it: those that a judge would read.

An update counts by its text: what a run says twice is read once, and what two runs say alike is
one text of both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tseval.matching.matching import (
    NuggetsByTopic,
    TextColumn,
    every_score,
    judge_ahead,
    read_ahead,
    rows_by_topic,
)
from tseval.parallel.sharing import Progress
from tseval.records import frozen

if TYPE_CHECKING:
    import matchers
    from tseval.arrays import FloatArray, IntArray

SCORED_AT_ONCE = 1 << 24
"""Pairs whose scores are held at the same time, unless one nugget has more."""
READ = {"run": pl.Int64, "nugget": pl.Int64, "update": pl.Int64, "score": pl.Float64}


@frozen(eq=False)
class Likeliest:
    """Which texts are read, for each run and nugget from the likeliest on."""

    runs: tuple[str, ...]
    probable: bool
    """Whether scores are probabilities that assessors would call a pair a match."""
    read: pl.DataFrame
    """`run nugget update score` by run, nugget and rank: the place of the run, and the row of the
    first update of any run that has the text. Texts that score 0 are not read."""
    predicted: FloatArray
    """Per run and nugget, of the shape (runs, nuggets), the probability that a text that is read
    says it; of a matcher whose scores are none, 1 where one reaches the threshold, else 0."""
    unread: FloatArray
    """In the same way, the probability that one says it that is not read, and none that is."""
    best: FloatArray
    """The best score."""

    @property
    def texts(self) -> IntArray:
        """For each nugget how many texts are read for any run."""
        different = self.read.select("nugget", "update").unique()["nugget"].to_numpy()
        return np.bincount(different, minlength=self.best.shape[1])


def likeliest(
    matcher: matchers.Matcher,
    updates: pl.DataFrame,
    runs: tuple[str, ...],
    nuggets: pl.DataFrame,
    depth: int,
    progress: Progress | None = None,
) -> Likeliest:
    """Return the `depth` texts of each run that score best for each nugget of their topic.

    Of equal scores the text that comes first in the order of texts is read first, whatever the
    order of files.
    """
    by_topic = NuggetsByTopic(matcher, nuggets)
    rows_of = rows_by_topic(updates, by_topic.topics)
    known = np.sort(np.concatenate([np.zeros(0, np.int64), *rows_of.values()]))
    read_ahead(matcher, TextColumn(updates["text"].gather(known)), progress)
    judge_ahead(matcher, by_topic.lots(updates), by_topic.collection, progress)
    place = updates["run"].cast(pl.String).cast(pl.Enum(runs)).to_physical()
    said = updates.select("text", run=place).with_row_index("row")
    said = said.with_columns(is_blank=~pl.col("text").str.contains(r"[^\s\x1c-\x1f]"))
    predicted, unread, best = (np.zeros((len(runs), nuggets.height)) for _ in range(3))
    parts, done = [pl.DataFrame(schema=READ)], 0
    gold_of = rows_by_topic(nuggets, by_topic.topics)
    for topic, rows in rows_of.items():
        own = said[rows].filter(~pl.col("is_blank"))
        texts = own.group_by("text").agg(pl.col("row").min(), pl.col("run").unique()).sort("text")
        owners = texts.with_row_index("at").explode("run")
        asked = nuggets["text"].gather(gold_of[topic])
        step = max(1, SCORED_AT_ONCE // max(1, texts.height))
        for start in range(0, len(asked) if texts.height else 0, step):
            gold = gold_of[topic][start : start + step]
            wanted, every = asked[start : start + step].to_list(), TextColumn(texts["text"])
            found = every_score(matcher, every, wanted, by_topic.collection)
            score = np.concatenate([scores for _, scores in found])
            says = score if matcher.probable else (score >= threshold_of(matcher)) * 1.0
            for (run,), mine in owners.group_by("run"):
                at = np.sort(mine["at"].to_numpy())
                order = np.argsort(-score[at], axis=0, kind="stable")
                ordered = np.take_along_axis(score[at], order, 0)
                is_read = (np.arange(len(at))[:, None] < depth) & (ordered > 0)
                silent = 1 - np.take_along_axis(says[at], order, 0)
                not_read = np.where(is_read, silent, 1.0).prod(axis=0)
                predicted[run, gold] = 1 - not_read
                unread[run, gold] = not_read - silent.prod(axis=0)
                best[run, gold] = ordered[0]
                nugget, rank = np.nonzero(is_read.T)
                update = texts["row"].to_numpy()[at[order[rank, nugget]]]
                of = {"run": np.full(len(rank), run), "nugget": gold[nugget], "update": update}
                parts.append(pl.DataFrame({**of, "score": ordered[rank, nugget]}, schema=READ))
        done += len(rows)
        if progress:
            progress(done, updates.height)
    read = pl.concat(parts).sort("run", "nugget", maintain_order=True)
    return Likeliest(runs, matcher.probable, read, predicted, unread, best)


def threshold_of(matcher: matchers.Matcher) -> float:
    """Return from which score on a matcher calls a pair a match."""
    found: float = getattr(matcher, "threshold", 0.5)
    return found
