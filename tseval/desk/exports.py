"""What the desk gives to other commands: plain tables, the same bytes for the same decisions."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tseval.desk.decisions import Decision
from tseval.desk.judgments import NO, YES
from tseval.desk.outcome import judged_rows, named_pairs
from tseval.io.origin import SHORT_HASH
from tseval.io.rows import result_object_bytes
from tseval.matching.corrections import ACCEPT, REJECT
from tseval.version import VERSION

if TYPE_CHECKING:
    from tseval.desk.judgments import Gold
    from tseval.desk.state import State
    from tseval.desk.store import Settings

COLUMNS = tuple(each.name for each in fields(Decision))
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
    rows = pairs.with_columns(verdict).select(names).rows()
    lines = ["\t".join(row) for row in (names, *sorted(rows))]
    return ("\n".join(lines) + "\n").encode()


def clusters_bytes(state: State) -> bytes:
    """The table of clusters; each is called by its earliest update."""
    rows = [
        (item.topic, state.pool.items[state.cluster[at]].name, *post)
        for at in sorted(state.cluster, key=lambda each: (state.cluster[each], each))
        for item in [state.pool.items[at]]
        for post in _posts(state, at)
    ]
    return table_bytes(("topic", "cluster_id", "post_id", "time", "text"), rows)


def _posts(state: State, item: int) -> Iterator[tuple[str, float, str]]:
    """Yield the posts of an item, each id once, at its earliest."""
    posts = state.pool.frame.select("update_id", "time", "text")[list(state.pool.items[item].rows)]
    return posts.unique("update_id", keep="first", maintain_order=True).iter_rows()


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
    rows = [{name: getattr(each, name) for name in COLUMNS} for each in ordered]
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")


def signature(
    settings: Settings, matcher: str, inputs: Mapping[str, str], decisions: Sequence[Decision]
) -> str:
    """One line that names everything an export follows from; `inputs` are their hashes."""
    parts = {
        "tseval": VERSION,
        "assess": "",
        "pool": "all" if settings.depth is None else str(settings.depth),
        "fold": settings.fold,
        "matcher": matcher,
        "unjudged": settings.unjudged,
        **{name: f"sha256:{sha256[:SHORT_HASH]}" for name, sha256 in inputs.items()},
        "decisions": f"sha256:{_short(decisions_bytes(decisions))}",
        "revision": str(len(decisions)),
    }
    return "|".join(f"{name}:{value}" if value else name for name, value in parts.items())


def _short(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:SHORT_HASH]


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
