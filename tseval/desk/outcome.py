"""What the judgments come to: matches of every run's updates, and the scores that follow.

And what the desk gives to other commands: plain tables, the same bytes for the same decisions.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tseval.core.frames import Request
from tseval.core.registry import edition as edition_named
from tseval.core.scoring import chosen_measures, scores_of
from tseval.desk.decisions import Decision
from tseval.desk.judgments import NO, YES
from tseval.desk.pool import table_of
from tseval.families.temporal.evaluation import (
    TemporalEvaluation,
    TemporalInputs,
    TemporalOptions,
)
from tseval.families.temporal.files import READERS
from tseval.io.inputs import SHORT_HASH
from tseval.io.rows import result_object_bytes
from tseval.matching.corrections import ACCEPT, REJECT
from tseval.records import frozen
from tseval.statistics.ranks import kendall
from tseval.version import VERSION

if TYPE_CHECKING:
    from tseval.core.scores import Scores
    from tseval.desk.judgments import Gold
    from tseval.desk.pool import Pool
    from tseval.desk.state import State
    from tseval.desk.store import Settings

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
    def orders(self) -> dict[str, tuple[bool, float]]:
        """For each measure whether the runs have another order, and Kendall's tau of the two.

        Tau is NaN where there is no order.
        """
        found = {}
        for at, name in enumerate(self.decided.measures):
            means, order = [], []
            for each in (self.decided, self.machine):
                own = np.where(each.mean_defined[:, at], each.means[:, at], np.nan)
                filled = np.nan_to_num(own, nan=-np.inf)
                means.append(own)
                order.append(filled[:, None] > filled)
            found[name] = bool((order[0] != order[1]).any()), kendall(*means)
        return found


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


# Exports.

EXACT_BELOW = 2.0**53
DIVIDERS = re.compile(r"[\t\n\r]")

NUGGETS, MATCHES, CLUSTERS = "nuggets.tsv", "matches.tsv", "clusters.tsv"
SELECTED, CORRECTIONS = "selected.tsv", "corrections.tsv"
DECISIONS, ABOUT = "decisions.jsonl", "assess.json"


def table_bytes(names: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """Rows as a plain table."""
    lines = ["\t".join(names)]
    lines += ["\t".join(map(_cell, row)) for row in rows]
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")


def _cell(value: object) -> str:
    """A value in a line: numbers in full, whole ones without a point."""
    if value is None:
        return ""
    if isinstance(value, str):
        return " ".join(value.split()) if DIVIDERS.search(value) else value
    if isinstance(value, float):
        if np.isnan(value):
            return ""
        return str(int(value)) if value.is_integer() and abs(value) < EXACT_BELOW else repr(value)
    return str(value)


def nuggets_bytes(gold: Gold) -> bytes:
    """Return the table of nuggets."""
    columns = ("topic", "nugget_id", "time", "text", "importance")
    more = [name for name in ("cost", "length") if name in gold.frame.columns]
    names = (*columns, *more)
    return table_bytes(names, gold.frame.select(names).iter_rows())


def matches_bytes(state: State, gold: Gold, counted: pl.DataFrame) -> bytes:
    """Return the table of matches, with who says so: `assessors` or `matcher`."""
    by = pl.when("judged").then(pl.lit("assessors")).otherwise(pl.lit("matcher")).alias("by")
    table = named_pairs(state.pool, gold, counted).with_columns(by)
    names = ("topic", "update_id", "nugget_id", "run", "start", "end", "by")
    return table_bytes(names, table.select(names).iter_rows())


def corrections_bytes(state: State, gold: Gold) -> bytes:
    """Return every judged pair as a verdict to lay over what a matcher finds."""
    words = {YES: ACCEPT, NO: REJECT}
    pairs = named_pairs(state.pool, gold, judged_rows(state.pool, gold))
    verdict = pl.col("verdict").replace_strict(words, return_dtype=pl.String)
    names = ("topic", "update_id", "nugget_id", "verdict", "run")
    return table_bytes(names, sorted(pairs.with_columns(verdict).select(names).rows()))


def clusters_bytes(state: State) -> bytes:
    """The table of clusters; each is called by its earliest update."""
    rows: list[tuple[object, ...]] = []
    posts = state.pool.frame.select("update_id", "time", "text")
    for at in sorted(state.cluster, key=lambda each: (state.cluster[each], each)):
        item, cluster = state.pool.items[at], state.pool.items[state.cluster[at]]
        # Each id once, at its earliest.
        own = posts[list(item.rows)].unique("update_id", keep="first", maintain_order=True)
        rows += [(item.topic, cluster.name, *post) for post in own.iter_rows()]
    return table_bytes(("topic", "cluster_id", "post_id", "time", "text"), rows)


def selected_bytes(state: State) -> bytes:
    """The posts that clusters were made for, in every run that has them."""
    updates = state.pool.frame.select("topic", "update_id", "run")
    rows = [
        (*updates.row(row), state.pool.items[state.cluster[at]].name)
        for at in sorted(state.selected)
        for row in state.pool.items[at].rows
    ]
    return table_bytes(("topic", "post_id", "run", "cluster_id"), rows)


def decisions_bytes(decisions: Sequence[Decision]) -> bytes:
    """Every decision, one a line, in the order of their times."""
    ordered = sorted(decisions, key=lambda each: each.place)
    lines = [json.dumps(asdict(each), ensure_ascii=False) for each in ordered]
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")


def signature(
    settings: Settings, matcher: str, inputs: Mapping[str, str], decisions: Sequence[Decision]
) -> str:
    """One line that names everything an export follows from; `inputs` are their hashes."""
    digest = hashlib.sha256(decisions_bytes(decisions)).hexdigest()
    parts = {
        "tseval": VERSION,
        "assess": "",
        "pool": "all" if settings.depth is None else str(settings.depth),
        "fold": settings.fold,
        "matcher": matcher,
        "unjudged": settings.unjudged,
        **{name: f"sha256:{sha256[:SHORT_HASH]}" for name, sha256 in inputs.items()},
        "decisions": f"sha256:{digest[:SHORT_HASH]}",
        "revision": str(len(decisions)),
    }
    return "|".join(f"{name}:{value}" if value else name for name, value in parts.items())


def export_files(
    state: State, gold: Gold, counted: pl.DataFrame, decisions: Sequence[Decision], signed: str
) -> dict[str, bytes]:
    """Every file of an export by its name."""
    files = {
        NUGGETS: nuggets_bytes(gold),
        MATCHES: matches_bytes(state, gold, counted),
        CLUSTERS: clusters_bytes(state),
        SELECTED: selected_bytes(state),
        CORRECTIONS: corrections_bytes(state, gold),
        DECISIONS: decisions_bytes(decisions),
    }
    told = {
        "revision": len(decisions),
        "disputed": int(sum(own.disputed.sum() for own in gold.judged)),
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    }
    return files | {ABOUT: result_object_bytes(signed, told)}
