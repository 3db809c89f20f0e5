"""What is shown beside scores over clusters: cluster by cluster who reported it, and how late."""

from __future__ import annotations

from typing import Any

import polars as pl

from tseval.core.family import Evaluation, ViewRequest, ViewRows
from tseval.core.frames import to_pandas
from tseval.core.kernel import quotient, total
from tseval.io.times import UNITS, written


def clusters(evaluation: Evaluation, _: ViewRequest[Any]) -> ViewRows:
    """Cluster by cluster the first report, all reports, their delays.

    A cluster that the run did not report stands there too. `delays` are those of the reports in
    their order, in minutes after the cluster's earliest post, by the posts' own times; posts that
    are selected and scored in the cluster have a `*`. `selected` counts these, `delay` adds up
    their delays and `others` the other posts beside each; `returned` is how many posts the run
    returned on the topic. So latency is the sum of `delay` by that of `selected`, and redundancy
    that of `others` by `returned`. Where clusters of the same posts count once in coverage,
    `same_as` names the one that counts. Sorted by run, topic, the cluster's start and its id.
    """
    index, scored, delay = evaluation.index, pl.col("scored"), pl.col("delay")
    posts = index.outputs.select("post", "post_id")
    reports = index["reports"].join(posts, on="post", how="left", maintain_order="left")
    reports = reports.with_columns(delay=quotient(delay, UNITS["min"]))
    texts = {each: written(each) for each in reports["delay"].unique()}
    shown = delay.replace_strict(texts, return_dtype=pl.String)
    star = pl.when(scored).then(pl.lit("*")).otherwise(pl.lit(""))
    sums = reports.group_by("run", "cluster", maintain_order=True).agg(
        pl.len().alias("reports"),
        pl.col("post_id").first().alias("first_report"),
        pl.col("time").first(),
        (pl.col("post_id") + star).str.join(" ").alias("reported"),
        shown.str.join(" ").alias("delays"),
        scored.filter(scored).len().alias("selected"),
        total(pl.when(scored).then(delay)).alias("delay"),
    )
    outputs = index.outputs.group_by("run", "topic").len("returned")
    runs = index.pairs.select("run").unique(maintain_order=True)
    frame = runs.join(index["clusters"], how="cross").join(sums, on=["run", "cluster"], how="left")
    frame = frame.join(outputs, on=["run", "topic"], how="left")
    number, selected, returned = (
        pl.col(name).fill_null(0).cast(pl.Int64) for name in ("reports", "selected", "returned")
    )
    is_made = pl.col("run").is_in(index["made"]["run"].to_list())
    is_repeat = is_made & (pl.col("same_as") != pl.col("cluster_id"))
    frame = frame.sort("run", "topic", "start", "cluster_id").select(
        *("run", "topic", "cluster_id", "start", "posts"),
        number,
        *("first_report", "time"),
        pl.col("reported", "delays").fill_null(""),
        selected,
        delay.fill_null(0.0),
        (selected * (number - 1).clip(0)).alias("others"),
        returned,
        pl.when(is_repeat).then("same_as").otherwise(pl.lit("")).alias("same_as"),
    )
    return ViewRows(to_pandas(frame if any(frame["same_as"]) else frame.drop("same_as")))
