"""What the desk gives to other commands: plain tables, the same bytes for the same decisions."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

from tseval.desk.decisions import Decision
from tseval.desk.judgments import NO, YES
from tseval.desk.outcome import Counted, judged_rows
from tseval.files.rows import result_object_bytes
from tseval.matching.corrections import ACCEPT, REJECT
from tseval.version import VERSION

if TYPE_CHECKING:
    from tseval.desk.judgments import Gold
    from tseval.desk.state import State
    from tseval.desk.store import Settings

COLUMNS = tuple(each.name for each in fields(Decision))
EXACT_BELOW = 2.0**53
SHORT_HASH = 12
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
    if isinstance(value, str):
        return " ".join(value.split()) if DIVIDERS.search(value) else value
    if isinstance(value, float):
        if np.isnan(value):
            return ""
        return str(int(value)) if value.is_integer() and abs(value) < EXACT_BELOW else repr(value)
    return str(value)


def nuggets_bytes(gold: Gold) -> bytes:
    """The table of nuggets."""
    table = gold.table
    columns: dict[str, Sequence[object]] = {
        "topic": table.topic.to_list(),
        "nugget_id": table.nugget_id.to_list(),
        "time": table.time.tolist(),
        "text": table.text,
        "importance": table.importance.tolist(),
    }
    more = {"cost": table.cost, "length": table.length}
    columns |= {name: column.tolist() for name, column in more.items() if column is not None}
    return table_bytes(tuple(columns), zip(*columns.values(), strict=True))


def matches_bytes(state: State, gold: Gold, counted: Counted) -> bytes:
    """The table of matches, with who says so: `assessors` or `matcher`."""
    updates, pairs = state.pool.updates, counted.pairs
    rows = zip(
        updates.topic.rows(pairs.update).to_list(),
        updates.update_id.rows(pairs.update).to_list(),
        gold.table.nugget_id.rows(pairs.nugget).to_list(),
        updates.run.rows(pairs.update).to_list(),
        counted.start.tolist(),
        counted.end.tolist(),
        np.where(counted.judged, "assessors", "matcher").tolist(),
        strict=True,
    )
    names = ("topic", "update_id", "nugget_id", "run", "start", "end", "by")
    return table_bytes(names, rows)


def corrections_bytes(state: State, gold: Gold) -> bytes:
    """Every judged pair as a verdict to lay over what a matcher finds."""
    updates = state.pool.updates
    rows: list[tuple[str, ...]] = []
    for said, word in VERDICTS:
        update, nugget = judged_rows(state.pool, gold, said)
        columns = (
            updates.topic.take_names(updates.topic.codes[update]),
            updates.update_id.take_names(updates.update_id.codes[update]),
            gold.table.nugget_id.take_names(gold.table.nugget_id.codes[nugget]),
            [word] * len(update),
            updates.run.take_names(updates.run.codes[update]),
        )
        rows += zip(*columns, strict=True)
    head = ("topic", "update_id", "nugget_id", "verdict", "run")
    lines = ["\t".join(row) for row in (head, *sorted(rows))]
    return ("\n".join(lines) + "\n").encode()


VERDICTS = ((YES, ACCEPT), (NO, REJECT))


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
    """The posts of an item, each id once, at its earliest."""
    updates, told = state.pool.updates, set()
    for row in state.pool.items[item].rows:
        name = updates.update_id[row]
        if name not in told:
            told.add(name)
            yield name, float(updates.time[row]), updates.text[row]


def selected_bytes(state: State) -> bytes:
    """The posts that clusters were made for, in every run that has them."""
    updates = state.pool.updates
    rows = [
        (updates.topic[row], updates.update_id[row], updates.run[row], name)
        for at in sorted(state.selected)
        for name in [state.pool.items[state.cluster[at]].name]
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
    state: State, gold: Gold, counted: Counted, decisions: Sequence[Decision], signed: str
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
