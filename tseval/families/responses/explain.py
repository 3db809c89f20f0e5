"""What is shown beside scores: sentences, labels, and in reports what runs say of the nuggets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from tseval.core.blocks import Block, Head, Note, Rows
from tseval.core.family import Asked, Shown, View
from tseval.core.frames import FrameEvaluation, to_pandas
from tseval.core.kernel import quotient
from tseval.core.sections import Setting
from tseval.errors import UsageError
from tseval.families.responses.files import join_files
from tseval.families.responses.records import GRADED, MANDATORY, OKAY, OPTIONAL, VITAL, Sort

PARTS = ("in full", "in part", "not at all")
OTHER = "other"
"""How important nuggets are whose word is neither `vital` nor `okay`."""
FEWEST = 20
"""How many nuggets the table of those that few runs say has."""


def sentences(evaluation: FrameEvaluation, _: Asked[Any]) -> Shown:
    """The sentences of runs, with the documents that they cite."""
    rows = join_files(evaluation.index.tables.labels).drop_nulls("at")
    if "documents" not in rows or not rows.height:
        raise UsageError("--explain sentences looks at responses: these are labels")
    documents = pl.col("documents").list.join(" ")
    return Shown(
        to_pandas(
            rows.select("run", "topic", "text", documents, sentence="at").select(
                "run", "topic", "sentence", "text", "documents"
            )
        )
    )


def labels(evaluation: FrameEvaluation, _: Asked[Any]) -> Shown:
    """Each label of a nugget or a criterion, and what it counts."""
    rows = join_files(evaluation.index.tables.labels).drop_nulls("at")
    if evaluation.index.tables.sort not in GRADED or not rows.height:
        raise UsageError("--explain labels looks at labels of nuggets or criteria: here are none")
    shown = rows.select(
        "run",
        "topic",
        nugget="text",
        importance="importance",
        grade=pl.when(~pl.col("failed")).then(0.5 * pl.col("grade")),
        time=pl.coalesce("time", "whole"),
        line=pl.col("line").first().over("response"),
    )
    return Shown(to_pandas(shown))


VIEWS = (View.of(sentences), View.of(labels))


def report_labels(evaluation: FrameEvaluation, setting: Setting[Any]) -> Iterator[Block]:
    """Yield how far each run says the nuggets, and which nuggets few say."""
    index = evaluation.index
    if index.tables.sort not in GRADED:
        yield Note(
            f"The files hold {index.tables.sort.value}, which are not of nuggets one by one."
        )
        return
    yield Note(
        "Each nugget is counted once for each run that was labelled on its topic, by how far the "
        "run says it at the end; of versions by the rules of the scores."
    )
    at_end = (
        index["steps"]
        .sort("date", maintain_order=True)
        .group_by("item")
        .agg(grade=pl.col("after").last())
    )
    importance, key = pl.col("importance"), ["topic", "text", "place"]
    items = index["items"].join(at_end, on="item", how="left", maintain_order="left")
    items = items.sort("item").with_columns(
        pl.col("grade").fill_null(0),
        name=pl.when(pl.col("text") != "").then("text").otherwise("name"),
        importance=pl.when(
            (pl.lit(index.tables.sort is not Sort.GRADES)) | importance.is_in([VITAL, OKAY])
        )
        .then(importance)
        .otherwise(pl.lit(OTHER)),
    )
    items = items.with_columns(pl.col("name", "importance").first().over(key))
    said = items.group_by(*key, "run", maintain_order=True).agg(
        pl.col("name", "importance").first(), pl.col("grade").max()
    )
    counts = {
        part: (pl.col("grade") == grade).sum().cast(pl.Int64)
        for grade, part in zip((2, 1, 0), PARTS, strict=True)
    }
    kinds = (VITAL, OKAY, MANDATORY, OPTIONAL, OTHER, "")
    of_runs = said.group_by("importance", pl.col("run").cast(pl.String), maintain_order=True).agg(
        **counts
    )
    heads = (
        Head("run", "run"),
        Head("importance", "text"),
        Head("nuggets", "count"),
        Head("said", "parts", parts=PARTS),
        *(Head(each, "count") for each in PARTS),
    )
    rows = sorted(
        (
            (setting.run(run), kind, sum(numbers), tuple(numbers), *numbers)
            for kind, run, *numbers in of_runs.iter_rows()
        ),
        key=lambda row: (kinds.index(row[1]) if row[1] in kinds else len(kinds), row[0]),
    )
    yield Rows("How far each run says the nuggets", heads, tuple(rows))
    few = said.group_by(key, maintain_order=True).agg(
        pl.col("name", "importance").first(), runs=pl.len(), **counts
    )
    few = few.with_columns(quotient(pl.col(part), pl.col("runs")) for part in PARTS[:2])
    few = few.sort(*PARTS[:2], maintain_order=True).head(FEWEST)
    heads = (
        Head("topic", "name"),
        Head("nugget", "name"),
        Head("importance", "text"),
        Head("runs", "count"),
        Head("in full", decimals=2),
        Head("in part", decimals=2),
    )
    few = few.select(pl.col("topic").cast(pl.String), "name", "importance", "runs", *PARTS[:2])
    caption = f"Up to {FEWEST} nuggets, with the share of runs that say them."
    yield Rows("Nuggets that the fewest runs say", heads, tuple(few.rows()), caption)
