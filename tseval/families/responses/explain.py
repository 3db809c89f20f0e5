"""What is shown beside scores: sentences, labels, and in reports what runs say of the nuggets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from tseval.core.blocks import Block, Head, Note, Rows
from tseval.core.family import View, ViewRequest, ViewRows
from tseval.core.frames import FrameEvaluation, to_pandas
from tseval.core.kernel import quotient
from tseval.core.sections import Setting
from tseval.errors import UsageError
from tseval.families.responses.records import GRADED, MANDATORY, OKAY, OPTIONAL, VITAL, Sort
from tseval.families.responses.rows import CELL

PARTS = ("in full", "in part", "not at all")
OTHER = "other"
"""How important nuggets are whose word is neither `vital` nor `okay`."""
FEWEST = 20
"""How many nuggets the table of those that few runs say has."""


def sentences(evaluation: FrameEvaluation, _: ViewRequest[Any]) -> ViewRows:
    """The sentences of runs, with the documents that they cite."""
    rows = evaluation.index.tables.labels.frame.drop_nulls("at")
    if "documents" not in rows or not rows.height:
        raise UsageError("--explain sentences needs responses; the input has labels")
    rows = rows.with_columns(pl.col("documents").list.join(" "), sentence="at")
    return ViewRows(to_pandas(rows.select("run", "topic", "sentence", "text", "documents")))


def labels(evaluation: FrameEvaluation, _: ViewRequest[Any]) -> ViewRows:
    """Each label of a nugget or a criterion, and its worth."""
    rows = evaluation.index.tables.labels.frame.drop_nulls("at")
    if evaluation.index.tables.sort not in GRADED or not rows.height:
        raise UsageError("--explain labels needs labels of nuggets or criteria; the input has none")
    rows = rows.with_columns(
        grade=pl.when(~pl.col("failed")).then(0.5 * pl.col("grade")),
        time=pl.coalesce("time", "last"),
        line=pl.col("line").first().over("response"),
    ).rename({"text": "nugget"})
    names = ("run", "topic", "nugget", "importance", "grade", "time", "line")
    return ViewRows(to_pandas(rows.select(names)))


VIEWS = (View.of(sentences), View.of(labels))


def report_labels(evaluation: FrameEvaluation, setting: Setting[Any]) -> Iterator[Block]:
    """Yield how far each run says the nuggets, and which nuggets few say."""
    index, sort = evaluation.index, evaluation.index.tables.sort
    if sort not in GRADED:
        yield Note(f"The files hold {sort.value}, which are not of nuggets one by one.")
        return
    yield Note(
        "Each nugget is counted once for each run that was labelled on its topic, by how far the "
        "run says it at the end; of versions by the rules of the scores."
    )
    importance, key, grade = pl.col("importance"), ["topic", "text", "place"], pl.col("grade")
    at_end = index["steps"].sort("date", maintain_order=True).unique("item", keep="last")
    items = index["items"]
    if "nuggets" in index.frames:
        cells = index["cells"].filter(pl.col("cell") >= 0)
        every = cells.join(index["nuggets"], on="topic", maintain_order="left_right")
        numbers = items.select(*CELL, "nugget", "item")
        items = every.join(numbers, on=[*CELL, "nugget"], how="left", maintain_order="left")
    items = items.cast({"importance": pl.String}).join(
        at_end.select("item", grade="after"), on="item", how="left", maintain_order="left"
    )
    is_other = ~importance.is_in([VITAL, OKAY]) & (sort is Sort.GRADES)
    items = items.with_columns(
        grade.fill_null(0),
        name=pl.when(pl.col("text") != "").then("text").otherwise("name"),
        importance=pl.when(is_other).then(pl.lit(OTHER)).otherwise(importance),
    )
    items = items.with_columns(pl.col("name", "importance").first().over(key))
    names = pl.col("name", "importance").first()
    said = items.group_by(*key, "run", maintain_order=True).agg(names, grade.max())
    grades = zip(PARTS, (2, 1, 0), strict=True)
    counts = {part: (grade == each).sum().cast(pl.Int64) for part, each in grades}
    of_runs = said.group_by(importance, pl.col("run").cast(pl.String)).agg(**counts)
    numbers = {(kind, setting.run(run)): tuple(parts) for kind, run, *parts in of_runs.iter_rows()}
    order = (VITAL, OKAY, MANDATORY, OPTIONAL, OTHER, "")
    rows = [
        (run, kind, sum(parts), parts, *parts)
        for kind in sorted({*of_runs["importance"]}, key=lambda e: ([*order, e].index(e), e))
        for run in sorted({run for _, run in numbers})
        for parts in [numbers.get((kind, run), (0, 0, 0))]
    ]
    heads = [Head("run", "run"), Head("importance", "text"), Head("nuggets", "count")]
    heads += [Head("said", "parts", parts=PARTS), *(Head(each, "count") for each in PARTS)]
    yield Rows("How far each run says the nuggets", tuple(heads), tuple(rows))
    few = said.group_by(key, maintain_order=True).agg(names, runs=pl.len(), **counts)
    shares = [quotient(pl.col(part), pl.col("runs")) for part in PARTS[:2]]
    few = few.select(pl.col("topic").cast(pl.String), "name", "importance", "runs", *shares)
    few = few.sort(*PARTS[:2], maintain_order=True).head(FEWEST)
    heads = [Head("topic", "name"), Head("nugget", "name"), Head("importance", "text")]
    heads += [Head("runs", "count"), *(Head(each, decimals=2) for each in PARTS[:2])]
    caption = f"Up to {FEWEST} nuggets, with the share of runs that say them."
    yield Rows("Nuggets that the fewest runs say", tuple(heads), tuple(few.rows()), caption)
