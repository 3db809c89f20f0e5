"""From labels to rows: which responses count, what is said of each nugget when, and sums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import polars as pl

from tseval.core.frames import FrameIndex, relative_start
from tseval.core.kernel import ALWAYS, KEY, natural, quotient
from tseval.core.wording import count, count_words, listed
from tseval.errors import Fault, InputError, UsageError
from tseval.families.responses import files, records
from tseval.families.responses.records import ResponseRules, Sort
from tseval.io.tables import Table
from tseval.records import frozen

TIMES_CURE = "give this response a time, or leave out the times of all responses"
SAME_CURE = "the times of two versions differ; --rule mean=records takes each by itself"
UNLISTED_CURE = "--rule unlisted=ignored leaves such labels out; --rule nuggets=record takes them"
CELL = (*KEY, "cell")
"""What has a value: a (run, topic), of the cell 0, or a single response."""
ANSWERED = ("nuggets", "nuggets_weighted", "correct_nuggets", "correct_nuggets_weighted")
COUNTED = (*records.JUDGED, *ANSWERED)
AMOUNTS = {
    Sort.SUPPORT: records.CITED,
    Sort.REPORT: records.JUDGED,
    Sort.COUNTS: COUNTED,
    Sort.ANSWERS: records.LENGTHS,
}
"""What the labels of a sort add to sums."""


@frozen
class ResponseTables:
    """The inputs, read."""

    labels: Table
    """The labels that are scored."""
    answers: pl.DataFrame
    """The responses themselves, beside labels of such: they tell times."""
    beside: Mapping[str, Table]
    """What stands beside the runs, by the names of the inputs."""
    rules: ResponseRules
    sort: Sort
    """What the labels are."""

    gold: Table | None
    """The nuggets, banks and rubrics."""

    def gold_of(self, *, questions: bool) -> pl.DataFrame | None:
        """Return the questions of the gold, or its nuggets; of a topic those of the last file."""
        if self.gold is None:
            return None
        rows = self.gold.frame.filter((pl.col("kind") == records.QUESTIONS) == questions)
        rows = rows.filter(pl.col("file") == pl.col("file").max().over("topic"))
        return rows if rows.height else None


@frozen
class ResponseIndex(FrameIndex):
    """Responses by (run, topic): items whose grades change in time, and sums of dated amounts.

    Frames: `cells`, each of which has a value; `items`, nuggets with labels; `steps`, the changes
    of their grades; `raised`, the same where no grade is ever lost; `nuggets` of the gold, and of
    which `number` come into the list that counts when, and go: `listed`; `sums` of amounts.
    """

    tables: ResponseTables
    has_times: bool
    undated: Sequence[Fault]
    """The responses that say something but have no time, if others have one."""
    unknown: Sequence[str]
    """The topics that the gold lacks."""
    is_single: bool
    """Whether each (run, topic) has one value, and not each of its responses."""
    counts_missing: bool = True
    """Whether a topic that a run lacks counts as a response that scores 0."""

    @property
    def has_questions(self) -> bool:
        """Whether it is known what reports should answer."""
        is_report = self.tables.sort in (Sort.REPORT, Sort.COUNTS)
        return not is_report or "nuggets" in self["sums"].columns


class Parts(NamedTuple):
    """Labels in the order of their versions, the versions, and the cells that have responses."""

    labels: pl.DataFrame
    versions: pl.DataFrame
    cells: pl.DataFrame
    newer: pl.DataFrame | None
    """The versions that replace others, None where there are none."""


def index_responses(tables: ResponseTables) -> ResponseIndex:
    """Return everything that was read, in its place.

    A label is there `when` it says itself, else with its response, whose time the run that was
    labelled may tell. An empty answer needs no time.
    """
    sort, labels, when = tables.sort, tables.labels.frame, pl.col("when")
    if tables.answers.height:
        told = (
            tables.answers.unique("response")
            .group_by(KEY)
            .agg(**{"last of run": pl.col("last").first()}, number=pl.len())
        )
        labels = labels.join(told.filter(number=1), on=KEY, how="left", maintain_order="left")
        labels = labels.with_columns(last=pl.coalesce("last", "last of run")).drop("number")
    says = pl.col("at").is_not_null()
    if sort is Sort.ANSWERS or sort in records.GRADED:
        says = pl.col("words" if sort is Sort.ANSWERS else "grade") > 0
    labels = labels.with_columns(when=pl.coalesce("time", "last"))
    responses = labels.group_by("response", maintain_order=True).agg(
        pl.col("file", "line", *KEY).first(),
        begun=when.min(),
        earliest=pl.min_horizontal(when, "last").min(),
        lacks=(says & when.is_null()).any(),
    )
    is_dated = bool(responses["earliest"].count())
    undated = responses.filter(pl.col("lacks") & is_dated)
    named = natural(responses["topic"]).categories
    topics = named if tables.gold is None else natural(tables.gold.frame["topic"]).categories
    types: Any = {"run": natural(responses["run"]), "topic": pl.Enum(topics)}
    counted = responses.cast(types, strict=False).drop_nulls("topic")
    counted = counted.sort(*KEY, maintain_order=True)
    is_single = tables.rules.mean == "topics"
    is_single &= is_dated or not counted.select(pl.struct(KEY).is_duplicated().any()).item()
    versions = counted.with_columns(number=0, cell="response", since=ALWAYS, until=-ALWAYS)
    if is_single:
        versions = order_versions(counted, tables).with_columns(cell=pl.lit(0, pl.Int64))
    index = ResponseIndex(
        tuple(types["run"].categories),
        tuple(topics),
        find_starts(versions, topics, tables).cast({"topic": types["topic"]}),
        versions.select(*KEY, time="since"),
        {"present": versions.select(KEY).unique()},
        tables,
        has_times=is_dated and not undated.height,
        undated=tell_undated(undated, tables),
        unknown=[name for name in named if name not in set(topics)],
        is_single=is_single,
    )
    cells = every = index.pairs.with_columns(cell=pl.lit(0, pl.Int64))
    if not is_single:
        cells = versions.select(CELL)
        lacking = every.join(versions, on=KEY, how="anti")
        every = pl.concat([cells, lacking.with_columns(cell=-1 - pl.int_range(pl.len()))])
    labels = labels.drop(*KEY, "file", "line", "version", "time", "last").drop_nulls("at")
    known = versions.select("response", "file", "line", *CELL, "number", "since", "until")
    labels = known.join(labels, on="response", maintain_order="left_right")
    labels = labels.with_columns(date=when.fill_null(ALWAYS))
    newer = versions.filter(pl.lit(tables.rules.versions == "replace"), pl.col("number") > 0)
    parts = Parts(labels, versions, cells, newer if newer.height else None)
    gather = grade_items if sort in records.GRADED else add_up
    gather = grade_answers if sort is Sort.ANNOTATIONS else gather
    return replace(index, frames={**index.frames, "cells": every, **gather(tables, parts)})


def tell_undated(responses: pl.DataFrame, tables: ResponseTables) -> list[Fault]:
    """Return responses without a time as faults."""
    reason = "no time, although other responses have one"
    return list(tables.labels.faults(responses, reason, TIMES_CURE, "missing-time"))


def order_versions(responses: pl.DataFrame, tables: ResponseTables) -> pl.DataFrame:
    """Return responses as versions in the order of time; two of the same time are refused.

    Each has its `number`, and from `since` until `until` it is the newest.
    """
    since = pl.col("since")
    ordered = responses.with_columns(since=pl.col("begun").fill_null(ALWAYS))
    ordered = ordered.sort(*KEY, "since", maintain_order=True).with_columns(
        number=pl.int_range(pl.len()).over(KEY),
        until=since.shift(-1).over(KEY).fill_null(-ALWAYS),
        is_lacking=pl.col("lacks") & (pl.len().over(KEY) > 1),
        is_same=(since == since.shift(1).over(KEY)).fill_null(value=False) & (since > ALWAYS),
        other=pl.col("line").shift(1).over(KEY),
        other_file=pl.col("file").shift(1).over(KEY),
    )
    lacking, same = ordered.filter("is_lacking"), ordered.filter("is_same")
    if lacking.height:
        raise InputError(tell_undated(lacking.sort("response"), tables))
    paths = pl.lit(pl.Series([each.path for each in tables.labels.sources], dtype=pl.String))
    path, other = paths.gather("file"), paths.gather("other_file")
    cure = pl.format("the other is at {}:{}: {}", other, "other", pl.lit(SAME_CURE))
    named = pl.format("{}; --name {}=NAME gives the run of this file a name of its own", cure, path)
    is_of_two = pl.col("file") != pl.col("other_file")
    same = same.with_columns(cure=pl.when(is_of_two).then(named).otherwise(cure))
    reason = "run {run} has two responses to topic {topic} at one time"
    tables.labels.refuse(same, reason, "", "duplicate-id")
    return ordered


def find_starts(versions: pl.DataFrame, topics: pl.Series, tables: ResponseTables) -> pl.DataFrame:
    """Return when each topic starts: as is told, else with its first nugget, or else response."""
    times = pl.DataFrame({"topic": topics})
    first = versions.group_by(pl.col("topic").cast(pl.String)).agg(start=pl.col("earliest").min())
    times = times.join(first, on="topic", how="left", maintain_order="left")
    gold, start = tables.gold_of(questions=False), pl.col("start")
    if gold is not None:
        known = gold.group_by("topic").agg(start=pl.col("nugget_time").min())
        times = times.update(known, on="topic")
    times = times.with_columns(start.fill_null(start.min()).fill_null(0.0))
    times = relative_start(times, tables.labels, *tables.beside.values())
    if "topics" in tables.beside:
        times = times.update(tables.beside["topics"].frame.select("topic", "start"), on="topic")
    return times


def grade_items(tables: ResponseTables, parts: Parts) -> dict[str, pl.DataFrame]:
    """Return items for the nuggets that have labels, and which nuggets count in each cell.

    These are those of the gold, as numbers of equal ones, or else those of the responses.
    """
    gold, newer = tables.gold_of(questions=False), parts.newer
    labels, nuggets, is_failed = parts.labels.with_columns(name=pl.lit("")), None, pl.col("failed")
    if gold is not None and tables.rules.nuggets != "record" and tables.sort is not Sort.HITS:
        labels, nuggets = label_gold(tables, parts, gold)
    is_strange = ~pl.col("importance").is_in([records.VITAL, records.OKAY])
    wrong = {"invalid_labels": ~pl.col("is_known"), "invalid_importances": is_strange}
    answered = labels.filter(~is_failed)
    sums = answered.select(*CELL, "date", **{n: e.cast(pl.Float64) for n, e in wrong.items()})
    if nuggets is not None:
        key, columns = [*CELL, "nugget"], set(nuggets.columns) - {"topic", "nugget"}
        labels = labels.drop(columns, strict=False)
        labels = labels.join(nuggets, on=["topic", "nugget"], maintain_order="left")
        answered = labels.filter(~is_failed)
    else:
        own = ["importance", "weight"] if tables.rules.versions == "replace" else []
        firsts = pl.col(own).first().over("response", "text", "place").name.prefix("first ")
        key = [*CELL, "text", "place", *(f"first {name}" for name in own)]
        answered = answered.with_columns(firsts)
    item = pl.col("row").first().over(key)
    answered = answered.with_row_index("row").with_columns(item=item)
    items = answered.filter(pl.col("row") == pl.col("item")).with_columns(
        pl.col("importance").cast(pl.Categorical), known=pl.col("nugget_time").fill_null(ALWAYS)
    )
    steps = find_steps(answered, newer, items)
    listed = items.with_columns(before=0, after=1, date=ALWAYS)
    if newer is not None:
        all_alike = answered.with_columns(date="since", grade=pl.lit(1, pl.Int64))
        listed = find_steps(all_alike, newer, items)
    raised = steps if newer is None else find_steps(answered, None, items)
    frames = {"items": items, "sums": sums, "steps": steps, "raised": raised}
    if nuggets is None:
        return frames | {"listed": listed.with_columns(number=1)}
    failed = labels.filter(is_failed).join(answered, on=key, how="anti").unique(key)
    counts = count_listed(tables, parts.cells, nuggets, failed)
    return frames | {"nuggets": nuggets, "listed": counts}


def count_listed(
    tables: ResponseTables, cells: pl.DataFrame, nuggets: pl.DataFrame, failed: pl.DataFrame
) -> pl.DataFrame:
    """Return how many nuggets count in each cell, and from when on: all but the failed ones."""
    is_late = tables.rules.denominator == "known"
    known = pl.col("nugget_time").fill_null(ALWAYS) if is_late else pl.lit(ALWAYS)
    columns: list[Any] = ["importance", "weight", known.alias("known")]
    equal = nuggets.group_by("topic", *columns).agg(number=pl.len().cast(pl.Int64))
    counts = cells.join(equal, on="topic")
    less = failed.select(*CELL, *columns, number=pl.lit(-1, pl.Int64))
    counts = pl.concat([counts.select(less.columns), less])
    return counts.with_columns(before=0, after=1, date=ALWAYS)


def label_gold(
    tables: ResponseTables, parts: Parts, gold: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return labels with the number of their nugget of the gold, and the nuggets of each topic."""
    gold = gold.drop_nulls("at").with_columns(name=pl.col("id").fill_null(""))
    gold = gold.cast({"topic": parts.cells.schema["topic"]})
    first, key = pl.col("at").first().over("topic", "text", "place"), ["topic", "text", "place"]
    gold = gold.with_columns(nugget=pl.when(pl.col("text") != "").then(first).otherwise("at"))
    by_text = gold.filter(pl.col("text") != "").select(*key, "nugget")
    by_name = gold.select(
        "topic", text=files.name_nuggets(), place=pl.lit(-1, pl.Int64), nugget="nugget"
    )
    names = pl.concat([by_text, by_name]).unique(key, keep="last")
    labels = parts.labels.join(names, on=key, how="left", maintain_order="left")
    is_missing = pl.col("nugget").is_null()
    if tables.rules.unlisted == "fault":
        unlisted = labels.filter(is_missing & ~pl.col("failed")).sort("response", "at")
        reason = 'nugget "{text}" is not in the file of nuggets'
        tables.labels.refuse(unlisted, reason, UNLISTED_CURE, "unknown-id")
    nuggets = gold.filter(pl.col("at") == pl.col("nugget"))
    return labels, nuggets.select(*key, "nugget", "name", "importance", "weight", "nugget_time")


def find_steps(
    labels: pl.DataFrame, newer: pl.DataFrame | None, items: pl.DataFrame
) -> pl.DataFrame:
    """Return the changes of grades: the best so far; each of newer versions starts from none.

    Each has the cell of its item, and what that weighs.
    """
    rows = labels.select("item", *CELL, "date", "grade", "number")
    if newer is None:
        rows = rows.with_columns(number=0)
    else:
        begun = newer.select(*CELL, "number", date="since", grade=pl.lit(0, pl.Int64))
        begun = rows.unique("item").select("item", *CELL).join(begun, on=CELL)
        rows = pl.concat([rows, begun.select(rows.columns)])
    rows = rows.sort("item", "number", "date", "grade")
    after = pl.col("grade").cum_max().over("item", "number")
    before = pl.col("after").shift(1, fill_value=0).over("item")
    steps = rows.select("item", "date", after=after).with_columns(before=before)
    known = items.select("item", *CELL, "importance", "weight", "known")
    return steps.filter(pl.col("before") != pl.col("after")).join(
        known, on="item", maintain_order="left"
    )


def grade_answers(tables: ResponseTables, parts: Parts) -> dict[str, pl.DataFrame]:
    """Return items for the answers that were annotated, each a part of its question."""
    questions = tables.gold_of(questions=True)
    if questions is None:
        raise UsageError("annotations need the rubric that they are of: --nuggets FILE")
    questions = questions.drop_nulls("at").cast({"topic": parts.cells.schema["topic"]})
    weights = parts.cells.join(questions.select("topic", weights="weight"), on="topic")
    answers = questions.with_row_index("question").explode("answers").rename({"answers": "answer"})
    answers = answers.select("topic", "question", "answer", "weight")
    rows = parts.labels.join(answers, on=["topic", "answer"], maintain_order="left")
    number = pl.col("answer").n_unique().over(*CELL, "question")
    rows = rows.with_row_index("row").with_columns(
        item=pl.col("row").first().over(*CELL, "question", "answer"),
        weight=quotient(pl.col("weight"), number),
        importance=pl.lit(""),
        known=ALWAYS,
    )
    items = rows.filter(pl.col("row") == pl.col("item"))
    steps = find_steps(rows, parts.newer, items)
    return {"items": items, "steps": steps, "sums": weights.with_columns(date=ALWAYS)}


def add_up(tables: ResponseTables, parts: Parts) -> dict[str, pl.DataFrame]:
    """Return what sentences and counts add to sums; where a version is replaced, until then."""
    labels, names = parts.labels, AMOUNTS[tables.sort]
    if tables.sort is Sort.COUNTS:
        names = tuple(name for name in COUNTED if name in labels["metric"])
        values = (pl.when(metric=name).then("value").otherwise(0.0).alias(name) for name in names)
        labels = labels.with_columns(values)
    questions = count_questions(tables, parts) if tables.sort is Sort.REPORT else ()
    rows = pl.concat([labels.select(*CELL, "date", "until", *names), *questions], how="diagonal")
    amounts = pl.exclude(*CELL, "date", "until")
    if tables.rules.versions == "replace":
        ended = rows.filter(pl.col("until") < -ALWAYS)
        ended = ended.with_columns(-amounts, date=pl.max_horizontal("date", "until"))
        rows = pl.concat([rows, ended])
    return {"sums": rows.select(*CELL, "date", amounts.fill_null(0.0))}


def count_questions(tables: ResponseTables, parts: Parts) -> Iterator[pl.DataFrame]:
    """Yield the number of questions of each cell, and when reports answered how many.

    The questions are those of the gold, else those that came with the first response to a topic.
    """
    labels, versions, cells, _ = parts
    columns = ("topic", "text", "weight", "every", "answers")
    order = versions.select("response").with_row_index("order")
    own = tables.labels.frame.drop_nulls("bank").join(order, on="response")
    own = own.filter(pl.col("order") == pl.col("order").min().over("topic"))
    own = own.select("topic", "bank").explode("bank").unnest("bank").select(columns)
    gold = tables.gold_of(questions=True)
    if gold is not None:
        own = pl.concat([gold.select(columns), own.join(gold, on="topic", how="anti")])
    if not own.height:
        return
    own = own.drop_nulls("text").cast({"topic": cells.schema["topic"]}).with_row_index("question")
    counts = {"nuggets": pl.lit(1.0), "nuggets_weighted": pl.col("weight")}
    yield cells.join(own, on="topic").select(*CELL, date=ALWAYS, until=-ALWAYS, **counts)
    date, is_right = pl.col("date"), pl.col("answer").is_in(pl.col("answers"))
    number = pl.col("number") if tables.rules.versions == "replace" else pl.lit(0)
    told = labels.select(*CELL, "date", "until", "questions", "answers", number=number)
    told = told.explode("questions", "answers").rename({"questions": "text", "answers": "answer"})
    told = told.group_by(*CELL, "number", "text", "answer").agg(date.min(), pl.col("until").first())
    told = (
        told.join(own, on=["topic", "text"])
        .group_by(*CELL, "number", "question")
        .agg(
            pl.col("until", "weight", "every").first(),
            first=date.min(),
            full=date.filter(is_right).max(),
            lost=date.filter(~is_right).min(),
            is_full=is_right.cast(pl.Int64).sum() == pl.col("answers").first().list.len(),
        )
    )
    full = pl.when(pl.col("every")).then(pl.when("is_full").then("full")).otherwise("first")
    lost = pl.when(pl.col("every")).then("lost")
    told = told.with_columns(date=full, lost=lost).drop_nulls("date")
    told = told.filter(pl.col("lost").is_null() | (date < pl.col("lost")))
    for dated, sign in ((told, 1.0), (told.drop_nulls("lost").with_columns(date="lost"), -1.0)):
        counts = {
            "correct_nuggets": pl.lit(sign),
            "correct_nuggets_weighted": sign * pl.col("weight"),
        }
        yield dated.select(*CELL, "date", "until", **counts)


def find_warnings(index: ResponseIndex, metrics: Sequence[str]) -> Iterator[str]:
    """Yield what a reader of the scores should know."""
    tables, rules = index.tables, index.tables.rules
    is_own = tables.gold_of(questions=False) is None or rules.nuggets == "record"
    named = [
        (tables.labels.sources[file].path, rows)
        for frame in (tables.labels.frame, tables.answers)
        for (file,), rows in frame.group_by("file", maintain_order=True)
    ]
    for path, rows in named:
        unknown = files.find_unknown_words(rows)
        if not is_own:
            unknown = unknown.filter(pl.col("what").is_in([files.LABEL, files.VERDICT]))
        yield from files.warn_of_unknown(path, unknown, rows["at"].count())
        words = rows["metric"].to_list() if tables.sort is Sort.COUNTS else []
        if strange := [word for word in words if word not in metrics]:
            noun = count(len(strange), "unknown metric")
            yield f"{path}: {noun}, ignored: {count_words(strange, metrics)}"
    if tables.gold is not None and not is_own:
        yield from files.warn_of_unknown("nuggets", files.find_unknown_words(tables.gold.frame), 0)
    for path, rows in named:
        yield from files.warn_of_labels(path, rows, rules)
    if index.unknown:
        noun = count(len(index.unknown), "topic")
        yield f"{noun} not in the file of nuggets, ignored: {listed(index.unknown)}"
    if index.undated:
        nouns = count(len(index.undated), "response")
        yield f"{nouns} without a time: scores at a time are not possible, and lead leaves them out"
    if not index.is_single and rules.mean == "topics":
        yield (
            "a run has several responses to a topic, and they have no times: their mean counts "
            "(--rule mean=records counts each)"
        )
