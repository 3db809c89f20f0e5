"""What change detection shows beside scores: all sets side by side, questions, and single days."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import polars as pl

from tseval.core.blocks import Block, Head, Note, Rows
from tseval.core.family import ViewRequest, ViewRows
from tseval.core.frames import FrameEvaluation, to_pandas
from tseval.core.kernel import mean
from tseval.core.registry import measure
from tseval.core.scoring import scores_of
from tseval.core.sections import Setting
from tseval.families.changes.measures import FAMILY, UNITS
from tseval.families.changes.rows import LEVELS, SETS
from tseval.io.times import written

SHOWN = ("tRR", "tRBP", "tNDCG", "tAP", "tAP(ideal)", "silent")
QUIET = "Days on which there was nothing to return and nothing was returned are not listed."


def sets_of(evaluation: FrameEvaluation, asked: ViewRequest[Any]) -> pl.DataFrame:
    """Return every measure of both levels over all units, has-answer units and nil units."""
    names, keys = (UNITS, *SHOWN), [*product(LEVELS, SETS)]
    wanted = [
        measure(name, FAMILY)(level=level, units=units) for level, units in keys for name in names
    ]
    scores = scores_of(evaluation, wanted, asked.on_missing, asked.undefined, per_topic=False)
    rows = []
    for run in scores.runs:
        values = iter([scores.value(each, run=run) for each in wanted])
        rows += [(run, *key, *(next(values) for _ in names)) for key in keys]
    types = dict.fromkeys(("run", "level", "set"), pl.String) | dict.fromkeys(names, pl.Float64)
    frame = pl.DataFrame(rows, schema=types, orient="row")
    return frame.with_columns(pl.col(UNITS).fill_null(0).cast(pl.Int64))


def sets(evaluation: FrameEvaluation, asked: ViewRequest[Any]) -> ViewRows:
    """Return every measure over all sets of units."""
    return ViewRows(to_pandas(sets_of(evaluation, asked)))


def units_of(evaluation: FrameEvaluation) -> pl.DataFrame:
    """Return all units of both levels."""
    frames = [evaluation.frames[f"{level} {kind}"] for level in LEVELS for kind in SETS[1:]]
    return pl.concat(frames).sort("unit")


def questions(evaluation: FrameEvaluation, _: ViewRequest[Any]) -> ViewRows:
    """Return the means over its days for every question of every run."""
    units, keys = units_of(evaluation), ["run", "topic", "qid"]
    answers = (pl.col("total") > 0).sum()
    means = units.group_by(keys, maintain_order=True).agg(days=pl.len(), answers=answers)
    return ViewRows(to_pandas(means.with_columns(mean(units, keys, name)[name] for name in SHOWN)))


def days(evaluation: FrameEvaluation, _: ViewRequest[Any]) -> ViewRows:
    """Return every ranking that returns anything or should have: its gains, its end, its values."""
    frames = evaluation.frames
    items = frames["items"].join(frames["gains"], on=["unit", "place"], how="left")
    items = items.sort("unit", "key", "place").with_columns(pl.col("gain").fill_null(0.0))
    texts = {gain: written(gain) for gain in items["gain"].unique()}
    gains = pl.col("gain").replace_strict(texts, return_dtype=pl.String)
    if evaluation.edition.rules.ties == "expected":
        tie = pl.struct("unit", "key").rle_id()
        is_first, is_last = (tie.ne_missing(tie.shift(by)) for by in (1, -1))
        opens = pl.when(is_first & ~is_last).then(pl.lit("["))
        ends = pl.when(is_last & ~is_first).then(pl.lit("]"))
        gains = pl.concat_str(opens, gains, ends, ignore_nulls=True)
    lists = items.with_columns(gains=gains).group_by("unit").agg(pl.col("gains").str.join(" "))
    units = units_of(evaluation).sort("level", maintain_order=True)
    units = units.filter((pl.col("total") > 0) | (pl.col("depth") > 0))
    units = units.join(lists, on="unit", how="left", maintain_order="left")
    columns = ("run", "topic", "qid", "day", "gains", "end", "total", *SHOWN[:-1])
    shown = units.with_columns(pl.col("gains").fill_null("")).select(columns)
    return ViewRows(to_pandas(shown), notes=(QUIET,))


def sections(evaluation: FrameEvaluation, setting: Setting[Any]) -> Iterator[Block]:
    """Yield every measure over all sets of units for a report."""
    yield Note(
        "A unit is a question, or the ranking of a topic’s questions, on a day. On nil units there "
        "is nothing to return and silence is worth 1; a mean over all units mixes it with gains."
    )
    frame = sets_of(evaluation, ViewRequest((), setting.options))
    rows = [(setting.run(run), *rest) for run, *rest in frame.iter_rows()]
    order = {(level, units): at for at, (_, level, units, *_) in enumerate(reversed(rows))}
    rows.sort(key=lambda row: (-order[row[1], row[2]], row[0]))
    heads = [Head("run", "run"), Head("level", "text"), Head("set", "text"), Head(UNITS, "count")]
    heads += [Head(name) for name in SHOWN]
    yield Rows("Measures of every run, level and set", tuple(heads), tuple(rows))
