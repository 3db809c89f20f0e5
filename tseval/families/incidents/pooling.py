"""A pool for assessors: posts to which any run gave a type, type by type.

All of them, or of each run and of each type's pool the most confident or a seeded draw. Assessors
fill in the column `relevant`, and the table comes back in the place of labels.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tseval.core.declared import (
    RANDOM,
    SAMPLING_HELP,
    SAMPLINGS,
    SEED_HELP,
    check_values,
    file_option,
    option,
)
from tseval.core.family import several
from tseval.core.wording import listed
from tseval.errors import UsageError
from tseval.families.incidents.files import ONTOLOGY, POOLED_RUNS
from tseval.families.incidents.rows import add_ancestors, find_types, resolve_types
from tseval.io.formats import Imported
from tseval.io.tables import read, texts_of
from tseval.records import frozen

if TYPE_CHECKING:
    import pandas as pd

    from tseval.io.given import Given

SURE = 1.0
"""The confidence of a type that a run gives without a number."""


@frozen
class PoolOptions:
    """What `tseval import pool` may be asked for; without numbers assessors get all posts."""

    ontology: str | Path = file_option("The information types.", required=True)
    threshold: float | None = option("The lowest confidence of a type. Default: 0.")
    roll_up: bool = option("Count a type for its ancestors too.", kind=bool)
    entries: tuple[str, ...] = option(
        "Use only these types. Default: all.", metavar="NAME,…", by_commas=True
    )
    size: int | None = option(
        "The maximum number of posts of each topic and type.", metavar="N", at_least=1
    )
    depth: int | None = option(
        "The maximum number of posts of each run, topic and type.", metavar="N", at_least=1
    )
    sampling: str | None = option(SAMPLING_HELP, choices=SAMPLINGS, within=("--size", "--depth"))
    seed: int = option(SEED_HELP, default=0)

    @property
    def by_confidence(self) -> bool:
        """Whether the most confident posts are taken."""
        return (self.size or self.depth) is not None and self.sampling != RANDOM

    def draw(self, posts: pl.DataFrame, number: int | None, keys: Sequence[str]) -> pl.DataFrame:
        """Return so many posts of each group.

        A random draw of a group depends on the seed, its names and the ids of its posts alone.
        """
        if number is None:
            return posts
        if self.by_confidence:
            order = posts.sort(
                pl.col("confidence"), "time", "post_id",
                descending=[True, False, False], nulls_last=True,
            )  # fmt: skip
            return order.filter(pl.int_range(pl.len()).over(keys) < number)
        parts = []
        for names, own in posts.sort("post_id").group_by(keys, maintain_order=True):
            part = own
            if own.height > number:
                crcs = (zlib.crc32(str(name).encode()) for name in names)
                random = np.random.default_rng([abs(self.seed), int(self.seed < 0), *crcs])
                part = own[random.permutation(own.height)[:number]]
            parts.append(part)
        return pl.concat(parts) if parts else posts


def pool_incidents(
    runs: Given | Sequence[Given],
    ontology: str | Path,
    threshold: float = 0.0,
    *,
    roll_up: bool = False,
    entries: Sequence[str] = (),
    size: int | None = None,
    depth: int | None = None,
    sampling: str | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Return the posts that assessors should judge, by type; see `tseval import pool`.

    `score_incidents` takes it for labels once the column `relevant` is filled in.
    """
    import pandas as pd

    options = PoolOptions(ontology, threshold, roll_up, tuple(entries), size, depth, sampling, seed)
    table = pool(several(runs), options)
    frame = pd.DataFrame(table.columns, dtype=str)
    for name in ("confidence", "time", "relevant"):
        if name in frame:
            frame[name] = pd.to_numeric(frame[name], errors="coerce").astype("Float64")
    return frame


def pool(runs: Sequence[Given], options: PoolOptions) -> Imported:
    """Return the union of what the runs gave, or a draw of it, as a table for assessors.

    Sorted by topic, type in the order of the ontology, and post, so that no rank shows. `runs`
    names those that gave the type, so that a judgment can be traced.
    """
    check_values((options,), {})
    threshold, entries = options.threshold or 0.0, options.entries
    if not math.isfinite(threshold):
        raise UsageError(f"threshold cannot be {threshold}: give a finite number")
    known = read([options.ontology], ONTOLOGY).frame
    types = known["type"].to_list()
    kept = resolve_types(types, entries) or types
    lacking = pl.DataFrame(schema={"time": pl.Float64, "text": pl.String})
    frame = pl.concat([read(runs, POOLED_RUNS).frame, lacking], how="diagonal")
    found, odd = find_types(frame, types, threshold, renamed=True)
    is_kept, text = pl.col("type").is_in(kept), pl.col("text").fill_null("")
    given = found.with_columns(pl.col("number").fill_null(SURE))
    given = add_ancestors(given, known) if options.roll_up else given
    lines = frame.select("run", "topic", "post_id", "time", "coded", text)
    rows = lines.join(given.filter(is_kept), on="coded", maintain_order="left_right")
    rows = rows.rename({"number": "confidence"})
    facts = {
        "confidence": pl.col("confidence").max(),
        "time": pl.col("time").min(),
        "text": text.filter(text != "").first(),
    }
    keys = ["topic", "type"]
    of_runs = rows.group_by("run", *keys, "post_id", maintain_order=True).agg(**facts)
    of_runs = options.draw(of_runs, options.depth, ["run", *keys])
    united = of_runs.group_by(*keys, "post_id", maintain_order=True).agg(
        **facts, runs=pl.col("run").unique().sort().str.join(",")
    )
    table = options.draw(united, options.size, keys).sort("topic", "type", "post_id")
    table = table.select("topic", pl.col("type").cast(pl.String), "post_id", "runs", *facts)
    empty = [name for name in ("time", "text") if table[name].is_null().all()]
    columns: Any = {column.name: texts_of(column) for column in table.drop(empty)}
    warnings = [] if frame.height else ["the runs are empty"]
    if odd.unknown:
        unknown = ", ".join(sorted(odd.unknown))
        warnings.append(f"types that the ontology lacks, ignored: {unknown}")
    bare = lines.join(found.filter(is_kept & pl.col("number").is_null()), on="coded")
    if options.by_confidence and bare.height:
        unsure = listed(sorted(bare["run"].unique()))
        warnings.append(
            f"types without a number count as given with confidence 1: runs {unsure}; "
            "--sampling random does not look at confidences"
        )
    return Imported(columns | {"relevant": [""] * table.height}, tuple(warnings))
