"""What the command shows beside scores, and the section of a report on requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from tseval.core.blocks import Block, Head, Note, Rows, Shaded
from tseval.core.family import Evaluation, View, ViewRequest, ViewRows
from tseval.core.frames import FrameIndex, to_pandas
from tseval.core.kernel import total
from tseval.core.scoring import apply_missing_rule
from tseval.core.sections import Setting
from tseval.errors import UsageError
from tseval.families.crisisfacts.files import OF_ASSESSED
from tseval.families.crisisfacts.measures import VALUES, comprehensiveness
from tseval.families.crisisfacts.rows import CELL, sort_naturally

COUNTS = ("facts", "score", "items", "assessed", "matches", "said", "lagged", "gold", *OF_ASSESSED)
"""The counts of a run and a request in the order in which they are shown."""
JUDGED = ("rank", "importance", "counts")


def choose(
    evaluation: Evaluation, asked: ViewRequest[Any]
) -> tuple[FrameIndex, dict[str, pl.Expr]]:
    """Return the index by the rule for missing requests, and the values asked for."""
    if any(each.at is not None for each in asked.measures):
        raise UsageError("requests have one value each: leave the @TIME out")
    names = (each.definition.name for each in asked.measures)
    return apply_missing_rule(evaluation, asked.on_missing).index, {
        name: VALUES[name]() for name in names
    }


def show(frame: pl.DataFrame, evaluation: Evaluation, asked: ViewRequest[Any]) -> ViewRows:
    """Return rows of requests, with their day if it is known."""
    rule = asked.on_missing or evaluation.edition.on_missing
    day = pl.from_epoch(pl.col("day").cast(pl.Int64)).dt.strftime("%Y-%m-%d")
    shown = frame.drop("day") if frame["day"].has_nulls() else frame.with_columns(day)
    return ViewRows(to_pandas(shown), traits={"missing": rule})


def requests(evaluation: Evaluation, asked: ViewRequest[Any]) -> ViewRows:
    """Each request of each run, with its counts and measures."""
    index, values = choose(evaluation, asked)
    known = [name for name in COUNTS if name in index["cells"].columns]
    counts = {name if name == "score" else f"n_{name}": name for name in known}
    frame = index["cells"].select(*CELL, "day", **counts, **values)
    return show(frame.cast({pl.UInt32: pl.Int64}), evaluation, asked)


def means_over_runs(index: FrameIndex, values: Mapping[str, pl.Expr]) -> pl.DataFrame:
    """Return each request with the number of runs that have a row, and their means."""
    means = {name: total(value) / value.count() for name, value in values.items()}
    of_requests = index["cells"].group_by("request").agg(runs=pl.len(), **means)
    rows = index["requests"].join(of_requests, on="request", how="left", maintain_order="left")
    whole = pl.col("runs", "gold").fill_null(0).cast(pl.Int64)
    return rows.select("request", "day", whole, *values).fill_nan(None)


def table(evaluation: Evaluation, asked: ViewRequest[Any]) -> ViewRows:
    """The mean of each request over the runs with a row, as the track prints it."""
    return show(means_over_runs(*choose(evaluation, asked)), evaluation, asked)


def show_judged(judged: pl.DataFrame, by: Sequence[str], columns: Sequence[str]) -> ViewRows:
    """Return columns of judged facts or items by their rank, with names in one text."""
    counts = pl.when("counts").then(pl.lit("yes")).otherwise(pl.lit("no"))
    rows = sort_naturally(judged.sort("rank"), *by).with_columns(counts.alias("counts"))
    lists = pl.col(pl.List(pl.String)).list.join(" ")
    frame = rows.select(columns).with_columns(lists)
    return ViewRows(to_pandas(frame.with_columns(pl.col(pl.String).fill_null(""))))


def facts(evaluation: Evaluation, _: ViewRequest[Any]) -> ViewRows:
    """Each collapsed fact: its rank, labels and score, and the runs that have it."""
    if evaluation.edition.rules.facts == "gold":
        raise UsageError("--explain facts needs collapsed facts; the input has none")
    index, names = evaluation.index, pl.List(pl.String)
    runs = pl.col("run").cast(pl.List(pl.Enum(index.runs))).list.sort().cast(names)
    judged = index["judged"].with_columns(runs=runs)
    judged = judged.rename({"collapsed_fact_id": "fact", "fact_text": "text"}, strict=False)
    columns = ["request", "fact", *JUDGED, "labels", "score", "runs", "^text$"]
    return show_judged(judged, ["request"], columns)


def items(evaluation: Evaluation, _: ViewRequest[Any]) -> ViewRows:
    """Each item of 2022: its rank, status and facts."""
    if evaluation.edition.rules.facts != "gold":
        raise UsageError("--explain items needs assessed items; the input has none")
    judged = evaluation.index["judged"].with_columns(facts="matches")
    return show_judged(judged, CELL, [*CELL, *JUDGED, "status", "facts"])


VIEWS = (
    View.of(requests, takes_measures=True, by_topic=False),
    View.of(table, takes_measures=True, by_topic=False),
    View.of(facts, by_topic=False),
    View.of(items, by_topic=False),
)


def report_requests(evaluation: Evaluation, setting: Setting[Any]) -> Iterator[Block]:
    """Yield the means of every request, and comprehensiveness by request and run."""
    index = evaluation.without_missing().index
    names = [name for name in evaluation.default_measures() if name != "f1"]
    means = means_over_runs(index, {name: VALUES[name]() for name in names}).drop("day", "gold")
    yield Note(
        "A request is an event and a day. Means are over the runs that have anything on it; a run "
        "that has nothing is no 0 here. A darker cell says more of what there was to say."
    )
    heads = (Head("request", "text"), Head("runs", "count"), *map(Head, names))
    yield Rows("Means of every request", heads, tuple(means.rows()))
    cells = index["cells"].select("request", "run", value=comprehensiveness())
    values = {(request, run): value for request, run, value in cells.iter_rows()}
    requests = tuple(means["request"])
    shares = tuple(tuple(values.get((each, run)) for run in index.runs) for each in requests)
    label, runs = "Comprehensiveness by request and run", tuple(map(setting.run, index.runs))
    yield Shaded(label, "request", requests, runs, shares)
