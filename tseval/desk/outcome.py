"""What the judgments come to: matches of every run's updates, and the scores that follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tseval.core.frames import Request
from tseval.core.registry import edition as edition_named
from tseval.core.scoring import chosen_measures, scores_of
from tseval.desk.judgments import YES
from tseval.desk.pool import table_of
from tseval.families.temporal.evaluation import (
    TemporalEvaluation,
    TemporalInputs,
    TemporalOptions,
)
from tseval.families.temporal.files import READERS
from tseval.records import frozen
from tseval.statistics.ranks import kendall

if TYPE_CHECKING:
    from tseval.arrays import FloatArray
    from tseval.core.scores import Scores
    from tseval.desk.judgments import Gold
    from tseval.desk.pool import Pool
    from tseval.desk.state import State

MATCHER, NOBODY = "matcher", "no"
"""What pairs count as that nobody judged: what the matcher says, or no match."""


def matches_of(state: State, gold: Gold, machine: pl.DataFrame) -> pl.DataFrame:
    """Return people's matches, and the machine's among the pairs that nobody judged.

    By rows of updates and nuggets; `judged` matches are people's, the others the machine's. `start`
    and `end` are null if nobody marked the words.
    """
    judged = judged_rows(state.pool, gold)
    people = judged.filter(verdict=YES)
    spans = _spans(state, gold, people)
    people = people.select("row", "nugget", judged=True).with_columns(spans)
    left = machine.join(judged, on=["row", "nugget"], how="anti")
    return pl.concat([machine_alone(left), people]).sort("row", "nugget")


def machine_alone(machine: pl.DataFrame) -> pl.DataFrame:
    """Return the matcher's matches, whatever people say."""
    none = pl.lit(None, pl.Float64)
    return machine.select("row", "nugget", judged=False, start=none, end=none)


def judged_rows(pool: Pool, gold: Gold) -> pl.DataFrame:
    """Return `row item nugget verdict` of all updates and nuggets that people judged."""
    rows = pl.DataFrame({"row": np.arange(len(pool.item)), "item": pool.item})
    return gold.verdicts.join(rows, on="item").select("row", "item", "nugget", "verdict")


def named_pairs(pool: Pool, gold: Gold, pairs: pl.DataFrame) -> pl.DataFrame:
    """Return pairs with the names of their updates and nuggets."""
    updates = pool.frame.select("topic", "update_id", "run")[pairs["row"]]
    return pairs.with_columns(*updates, nugget_id=gold.frame["nugget_id"].gather(pairs["nugget"]))


def _spans(state: State, gold: Gold, people: pl.DataFrame) -> pl.DataFrame:
    """Return the words that the first assessor by name marked, of updates with the very text."""
    spans: list[tuple[int | None, int | None]] = []
    texts = state.pool.frame["text"].gather(people["row"])
    pairs = people.select("item", "nugget").iter_rows()
    for text, (item, nugget) in zip(texts, pairs, strict=True):
        chosen, name = sorted(state.choices.get(item, {}).items()), gold.names[nugget][1]
        marked = (each[name] for _, each in chosen if name in each)
        span = next((c for c in marked if c.match and c.start is not None), None)
        if span is not None and text == state.pool.items[item].text:
            spans.append((span.start, span.end))
        else:
            spans.append((None, None))
    return pl.DataFrame(spans, {"start": pl.Float64, "end": pl.Float64}, orient="row")


@frozen
class WhatIf:
    """The scores of all runs with what people decided, and by the matcher alone."""

    decided: Scores
    machine: Scores

    @property
    def order_changes(self) -> Mapping[str, bool]:
        """For each measure whether the order of the runs is another one."""
        return {
            name: not np.array_equal(_order(self.decided, at), _order(self.machine, at))
            for at, name in enumerate(self.decided.measures)
        }

    @property
    def tau(self) -> Mapping[str, float]:
        """Kendall's tau between the two orders by each measure; NaN where there is no order."""
        return {
            name: kendall(_means(self.decided, at), _means(self.machine, at))
            for at, name in enumerate(self.decided.measures)
        }


def _means(scores: Scores, measure: int) -> FloatArray:
    means: FloatArray = np.where(scores.mean_defined[:, measure], scores.means[:, measure], np.nan)
    return means


def _order(scores: Scores, measure: int) -> FloatArray:
    """Which run is above which, for every two."""
    means = np.nan_to_num(_means(scores, measure), nan=-np.inf)
    order: FloatArray = np.sign(np.where(means[:, None] == means, 0.0, means[:, None] > means))
    return order


@frozen
class Scoring:
    """How What if scores: an edition, and measures."""

    edition: str = "draft"
    measures: tuple[str, ...] = ()

    def scores(
        self, pool: Pool, gold: Gold, counted: pl.DataFrame, digests: tuple[str, str] = ("", "")
    ) -> Scores:
        """Return what `tseval score RUNS NUGGETS --matches MATCHES` says of these.

        `digests` are the hashes of the two files, for the signature.
        """
        names = ("topic", "update_id", "run", "nugget_id", "start", "end")
        matches = named_pairs(pool, gold, counted).select(names)
        tables = {
            "updates": pool.table,
            "nuggets": table_of("nuggets", gold.frame, digests[0]),
            "matches": table_of("matches", matches, digests[1]),
        }
        inputs = TemporalInputs(("runs",), "nuggets", "matches")
        edition = edition_named(self.edition, "temporal")
        asked = (inputs, TemporalOptions(), edition.rules)
        evaluation = TemporalEvaluation.join(Request(*asked, tables, edition, READERS))
        return scores_of(evaluation, chosen_measures(evaluation, self.measures))
