"""The files of change detection: runs, topics, days and judgments, the track's own and plain."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

import polars as pl

from tseval.io import records, tables
from tseval.io.faults import FaultList, text_lines
from tseval.io.fields import Layout
from tseval.io.formats import Import, Rank
from tseval.io.forms import names_of, recognise
from tseval.io.inputs import Input, first_row
from tseval.io.json_text import objects
from tseval.io.records import is_filled, is_list, is_object, wrong_in
from tseval.io.schema import RUN, TOPIC, Column, Kind, Schema
from tseval.io.tables import TableReader, TrackFile, TrackRows

QID = Column("qid", Kind.ID, aliases=("question_id",), meaning="the question")
DAY = Column("day", Kind.ID, aliases=("date",), meaning="such as 2026-03-02")
DOC = Column("doc_id", Kind.ID, aliases=("docid",))
GAIN = Column("gain", Kind.AMOUNT, meaning="0 is as no row", most=1e6)
BLANK = "blank for none"
may_be_blank = partial(Column, kind=Kind.NUMBER, may_be_blank=True)

RANKINGS = Schema(
    "rankings",
    (
        TOPIC,
        replace(DAY, may_be_blank=True, meaning=f"{DAY.meaning}; {BLANK}"),
        replace(QID, may_be_blank=True, meaning=f"{QID.meaning}; {BLANK}"),
        may_be_blank("question_rank", meaning="whole, 0 or more; blank without a question"),
        replace(DOC, may_be_blank=True, meaning=BLANK),
        may_be_blank("score", meaning="blank without a document"),
        RUN,
    ),
    row="a document that a run returned for a question on a day",
)
GAINS = Schema(
    "gains",
    (TOPIC, QID, DOC, GAIN),
    key=("topic", "qid", "doc_id"),
    row="the gain of a document for a question",
)
QUESTION_GAINS = Schema(
    "question gains",
    (TOPIC, QID, DAY, GAIN),
    key=("topic", "qid", "day"),
    row="the gain of a question on a day",
)
DOCUMENTS = Schema("documents", (DOC, DAY), key=("doc_id",), row="the day of a document")
QUESTIONS = Schema("questions", (TOPIC, QID), key=("topic", "qid"), row="a question of a topic")
DAYS = Schema("days", (DAY,), key=("day",), row="a day of the collection")

DAY_CURE = "write a day as 2026-01-31"
METADATA_CURE = 'the first line of a run is {"runtag": …, "description": …, …}'
TOPIC_CURE = 'a line of a run is {"topic": …, "results": {"2026-01-31": [QUESTION, …], …}}'
QUESTION_CURE = (
    'a question is {"qid": …, "question-rank": 0, "doc-ranking": [{"doc_id": …, "score": 1.5}, …]}'
)
TOPICS_CURE = 'a line of topics is {"tid": …, "questions": [{"qid": …}, …]}'
RUNTAG = re.compile("[a-zA-Z0-9_-][a-zA-Z0-9_.-]{1,19}")
BAD_TAG, NO_METADATA = "bad-runtag", "no-metadata"


def is_day(text: str) -> bool:
    """Return whether this is a day of the calendar, written as the track writes it."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def real_days(days: pl.Series) -> list[str]:
    """Return the different days of a column in order, without those that are none."""
    return sorted(filter(is_day, days.drop_nulls().unique()))


# Runs.


def is_run(source: Input) -> bool:
    """Return whether an input looks like a run of the track."""
    head = source.head()
    is_object = head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and not source.is_table
    marks = (rb'"results"\s*:\s*\{', rb'"(runtag|topic)"')
    return is_object and all(re.search(mark, head) for mark in marks)


def is_json(source: Input) -> bool:
    """Return whether an input is JSON, but no plain table of one object a row."""
    form, names = recognise(source)
    return form == "jsonl" and bool(RANKINGS.missing(names))


def read_run(source: Input, faults: FaultList) -> TrackRows:
    """Read a run of the track, a row a document; `check_runs` finds what breaks its rules.

    A question without documents, a day without questions and a topic without days have a row too.
    The note is the metadata, and the lines with a runtag.
    """
    runtag, tag_fault, metadata, tagged = None, NO_METADATA, None, list[int]()
    rows: list[tuple[Any, ...]] = [(1, *[None] * 4, 1)]  # a run may have no topic
    documents, scores = list[str | None]([None]), list[float | None]([None])
    for place, (line, record) in enumerate(objects(source, faults)):
        if "runtag" in record:
            tagged.append(line)
        if place == 0 and "runtag" in record and "results" not in record:
            metadata, tag = record, source.run_name or record["runtag"]
            runtag = tag if is_filled(tag) else None
            tag_fault = "" if RUNTAG.fullmatch(runtag or "") else BAD_TAG
        elif wrong := wrong_in(record, topic=is_filled, results=is_object):
            faults.add(line, wrong, TOPIC_CURE if place else METADATA_CURE, "record-format")
        else:
            for *question, own, numbers in questions_in(record["results"], line, faults):
                rows.append((line, record["topic"], *question, len(own)))
                documents += own
                scores += numbers
    names = ("topic", "day", "qid", "question_rank")
    frame = tables.frame_of_rows(rows, RANKINGS, *names, size=pl.UInt32).with_row_index("question")
    questions = frame.select(pl.col("question").repeat_by("size").explode()).to_series()
    frame = frame.drop("size")[questions].with_columns(
        pl.Series("doc_id", documents, pl.String),
        pl.Series("score", scores, pl.Float64),
        run=pl.lit(runtag, pl.String),
        runtag=pl.lit(runtag, pl.String),
        tag_fault=pl.lit(tag_fault),
        topic_line="line",
    )
    return TrackRows(frame, (metadata, tagged), rows=frame.height - 1)


def questions_in(
    results: Mapping[str, Any], line: int, faults: FaultList
) -> Iterator[tuple[Any, ...]]:
    """Yield day, id and rank of each question of a topic, its documents, and their scores.

    Keys may have hyphens or underscores. What is not there is None: a question, a day, a document.
    """
    none = [None], [None]
    if not results:
        yield None, None, None, *none
    for day, block in results.items():
        listed = block.get("results") if is_object(block) else block
        if not day.strip() or not is_list(listed):
            reason = f'"{day}" is {records.kind_of(listed)} where a list is expected'
            faults.add(line, reason, TOPIC_CURE, "record-format")
        elif not listed:
            yield day, None, None, *none
        for each in listed if is_list(listed) else ():
            question = each if is_object(each) else dict[str, Any]()
            qid: Any = question.get("qid")
            rank: Any = question.get("question-rank", question.get("question_rank"))
            ranking: Any = question.get("doc-ranking", question.get("doc_ranking"))
            docs = ids_of(ranking)
            if docs is None or not is_filled(qid):
                known = f'{qid}: "doc-ranking" is no list of documents with ids'
                reason = known if is_filled(qid) else 'a question has no "qid"'
                faults.add(line, f"{day}, {reason}", QUESTION_CURE, "record-format")
            else:
                scores = [document.get("score") for document in ranking]
                if {*map(type, scores)} != {float}:
                    scores = [*map(float_of, scores)]
                rank = float_of(rank) if type(rank) is int else None
                yield day, qid, rank, docs or [None], scores or [None]


def ids_of(documents: Any) -> list[str] | None:
    """Return the ids of a list of documents; None if it is none, or one has no id."""
    try:
        docs = [each["doc_id" if "doc_id" in each else "docid"] for each in documents]
    except (KeyError, TypeError):
        return None
    is_good = is_list(documents) and {*map(type, docs)} <= {str} and all(map(str.strip, docs))
    return docs if is_good else None


def float_of(value: Any) -> float | None:
    """Return a number of JSON; None for any other value."""
    return float(value) if records.is_number(value) else None


def complete_rows(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Return the rows of runs with the columns that those of the track have."""
    names, rank, score = pl.col("day", "qid", "doc_id"), pl.col("question_rank"), pl.col("score")
    frame = frame.with_columns(score=pl.when(score.is_finite()).then(score))
    if "tag_fault" in frame.columns:  # a run of the track
        return frame
    has_runs = "run" in RANKINGS.placed(names_of(faults.source))
    return frame.sort("run", maintain_order=True).with_columns(
        pl.when(names.str.contains(r"\S")).then(names),
        question_rank=pl.when(rank == rank.floor()).then(rank),
        question=pl.struct("run", "topic", "day", "qid").rle_id(),
        topic_line=pl.lit(0, pl.Int64),
        runtag=pl.col("run") if has_runs else pl.lit(None, pl.String),
        tag_fault=pl.lit(""),
    )


# Topics, days, documents and judgments.


def is_topics(source: Input) -> bool:
    """Return whether an input looks like the track's topics."""
    return b'"tid"' in source.head()


def read_topics(source: Input, faults: FaultList) -> TrackRows:
    """Read the questions of the track's topics."""
    question = records.Record(TOPICS_CURE, qid=is_filled)
    topic = records.Record(TOPICS_CURE, tid=is_filled, questions=question)
    rows = [
        (line, row["tid"], row["qid"])
        for line, record in objects(source, faults)
        for row in topic.rows([record], line, faults)
        if "qid" in row
    ]
    return TrackRows(tables.frame_of_rows(rows, QUESTIONS))


def is_days(source: Input) -> bool:
    """Return whether the first line is a day."""
    return is_day(first_row(source).decode("utf-8", "replace"))


def read_days(source: Input, faults: FaultList) -> TrackRows:
    """Read the days of the collection, one a line."""
    lines = text_lines(source, faults)
    rows = ((line, text.strip()) for line, text in lines if text.strip())
    return TrackRows(tables.frame_of_rows(rows, DAYS))


def check_days(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Note what is no day, unless there are other faults."""
    wrong = frame.filter(~pl.col("day").is_in(real_days(frame["day"])))
    if not len(faults):
        tables.add_faults(faults, wrong, '"{day}" is not a date', DAY_CURE, "date-format")
    return frame


def is_qrels(source: Input) -> bool:
    """Return whether the first line has four fields, the last of them a gain of the guidelines."""
    fields = first_row(source).split()
    return len(fields) == 4 and fields[-1] in (b"0", b"1", b"5", b"10")


lacks_gains = partial(tables.has_missing_columns, schema=GAINS)
lacks_days = partial(tables.has_missing_columns, schema=DAYS)
QRELS = Layout(GAINS, "topic qid doc_id gain")
READERS = {
    "runs": TableReader(
        schema=RANKINGS,
        tracks=(TrackFile(recognise=is_run, applies=is_json, read=read_run),),
        check=complete_rows,
        imports=(
            Import(
                name="changes-run",
                help="runs of TREC Change Detection",
                columns=("run", "topic", "day", "qid", "question_rank", "doc_id", "score"),
                several=True,
                rows=lambda runs: runs.frame.drop_nulls("topic"),
            ),
        ),
    ),
    "qrels": TableReader(
        schema=GAINS,
        tracks=(TrackFile(recognise=is_qrels, applies=lacks_gains, layout=QRELS, rank=Rank.LAST),),
        imports=(
            Import(
                name="changes-qrels",
                help="judgments of TREC Change Detection in four fields: topic qid doc_id gain",
            ),
        ),
    ),
    "questions": TableReader(schema=QUESTION_GAINS, check=check_days),
    "documents": TableReader(schema=DOCUMENTS, check=check_days),
    "topics": TableReader(
        schema=QUESTIONS,
        tracks=(TrackFile(recognise=is_topics, read=read_topics),),
        check=tables.check_topics,
        empty=("holds no question", TOPICS_CURE),
        imports=(Import(name="changes-topics", help="topics of TREC Change Detection"),),
    ),
    "days": TableReader(
        schema=DAYS,
        tracks=(TrackFile(recognise=is_days, applies=lacks_days, read=read_days, rank=Rank.LAST),),
        check=check_days,
        empty=("holds no day", DAY_CURE),
    ),
}
"""The reader of each input."""
