"""The files of filtering: tables of runs and of the truth, and those of TREC KBA 2012 to 2014.

    run      team system stream-id entity confidence [rating …]
    truth    team assessor stream-id entity confidence rating …

A line of these that begins with `#` is a comment; a first line may name the columns, or be JSON,
too. The time of a document is the number before the hyphen of its stream id. Of 2013 and 2014's
eleven columns only the first six matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice

import polars as pl

from tseval.io import schema, tables
from tseval.io.cells import BYTE_ORDER_MARK
from tseval.io.faults import FaultList
from tseval.io.fields import Layout, read_lines
from tseval.io.formats import Import, Line
from tseval.io.inputs import Input
from tseval.io.schema import POST_ID, TOPIC, Column, Kind, Schema

STREAM_ID = re.compile(rb"\d+-\S+")
NUMBER = re.compile(rb"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")
ASSESSORS = re.compile(rb"NIST-TREC|\S*\.nist\.gov")
"""What stands in the place of the team where a file is a truth."""
STREAM_ID_NAME = b"stream_id"
"""What a line that names the columns calls the third."""
SHORT, LONG = 5, 6
"""How many fields a line of a run of 2012 has, and of any other file at least."""
ORDER_CURE = "name the runs, then the truth"
JUDGES_CURE = (
    f"{ORDER_CURE}; each line of a truth begins with the assessors: NIST-TREC, or a host such as "
    "kba.trec.nist.gov"
)
PAIR = ("topic", "post_id")
RATINGS = (2.0, 1.0, 0.0, -1.0)
"""The ratings that an assessor can give a document."""
RETURNED = Schema(
    "posts", tuple(replace(c, required=c.required or c.name == "confidence") for c in schema.POSTS)
)
"""Posts with a confidence; a post that stands twice is no fault."""
RATING_MEANING = "2 vital, 1 useful, 0 neutral, -1 garbage"
TIME_MEANING = "the time of the document"
SURE_MEANING = "the confidence of the assessor; 0 is none"
TRUTH = Schema(
    "truth",
    (
        replace(TOPIC, aliases=(*TOPIC.aliases, *schema.ENTITIES)),
        replace(POST_ID, aliases=(*schema.UPDATE_ID.names, *schema.DOCUMENTS)),
        Column("relevance", Kind.NUMBER, aliases=("rating",), meaning=RATING_MEANING),
        schema.optional("time", Kind.TIME, aliases=("timestamp",), meaning=TIME_MEANING),
        schema.optional(
            "confidence", Kind.NUMBER, aliases=("conf",), default="1", meaning=SURE_MEANING
        ),
    ),
    row="an assessor's judgment of a document for a topic",
)
"""Judgments; a post may have several. The confidence is the assessor's own."""


def is_heading(fields: list[bytes]) -> bool:
    """Return whether a first line is JSON, or names the columns."""
    return fields[0].startswith(b"{") or (len(fields) >= SHORT and fields[2] == STREAM_ID_NAME)


def first_fields(source: Input) -> list[bytes] | None:
    """Return the fields of the first line that is no heading; None if that is no line of the track.

    A file of comments alone has no fields: it is an empty run.
    """
    lines = source.head().removeprefix(BYTE_ORDER_MARK).split(b"\n")
    filled = (line.split() for line in lines if line.lstrip()[:1] not in (b"", b"#"))
    rows = list(islice(filled, 2))
    if not rows:
        return [] if any(map(bytes.strip, lines)) else None
    fields = rows[1] if len(rows) > 1 and is_heading(rows[0]) else rows[0]
    fits = len(fields) >= SHORT and STREAM_ID.fullmatch(fields[2]) and NUMBER.fullmatch(fields[4])
    return fields if fits else None


def is_track_file(source: Input) -> bool:
    """Return whether an input is a file of the track, a run or a truth."""
    return first_fields(source) is not None


def is_truth(source: Input) -> bool:
    """Return whether an input is a truth of the track, whose lines begin with the assessors."""
    fields = first_fields(source)
    return bool(fields and ASSESSORS.fullmatch(fields[0]))


def is_run(source: Input) -> bool:
    """Return whether an input is a run of the track."""
    return is_track_file(source) and not is_truth(source)


def is_run_or_empty(source: Input) -> bool:
    """Return whether to read an input as a run of the track: one without a byte is an empty run."""
    return not source.head(1) or is_track_file(source)


def columns_of_lines() -> dict[str, pl.Expr]:
    """Return the columns that are made of a line's fields."""
    time = pl.col("post_id").str.extract("^([^-]*)")
    return {"run": pl.concat_str("team", "system", separator="-"), "time": time}


lines_of = partial(
    Layout, made=columns_of_lines, heading=is_heading, may_have_more=True, comments=True
)
DOCUMENT = (TOPIC, POST_ID, Column("time", Kind.TIME), Column("confidence", Kind.NUMBER))
RATING = Column("rating", Kind.NUMBER)
RUN_2012 = lines_of(
    Schema("posts", (Column("run", Kind.ID), *DOCUMENT)),
    "team system post_id topic confidence",
    cure="each line of a run is: team system stream-id entity confidence, divided by white space",
)
RUN = lines_of(
    Schema("posts", (*RUN_2012.schema, RATING)),
    "team system post_id topic confidence rating",
    cure="each line of a run is: team system stream-id entity confidence rating …, divided by "
    "white space",
)
TRUTH_LINES = lines_of(
    Schema("truth", (*DOCUMENT, RATING)),
    "team assessor post_id topic confidence rating",
    cure="each line of a truth is: team assessor stream-id entity confidence rating …, divided by "
    "white space",
)


def read_run(source: Input, faults: FaultList) -> tables.TrackRows:
    """Read a run of the track; `rating` is what the system itself thinks of a document."""
    if is_truth(source):
        faults.refuse(None, "a truth stands where a run is expected", ORDER_CURE, "swapped-inputs")
    fields = first_fields(source) or []
    return tables.TrackRows(read_lines(source, RUN if len(fields) >= LONG else RUN_2012)[1])


def read_truth(source: Input, faults: FaultList) -> tables.TrackRows:
    """Read a truth of the track; its `rating` is on the track's own scale."""
    if first_fields(source) and not is_truth(source):
        reason = "a run stands where the truth is expected"
        faults.refuse(None, reason, JUDGES_CURE, "swapped-inputs")
    return tables.TrackRows(read_lines(source, TRUTH_LINES)[1])


def ratings(truth: tables.Table) -> pl.Series:
    """Return the ratings of a truth, which a plain table calls its relevance."""
    return truth.frame["rating" if "rating" in truth.frame.columns else "relevance"]


def unknown_ratings(truth: tables.Table) -> Iterator[Line]:
    """Yield the ratings that no assessor can give."""
    yield from tables.unknown_numbers(truth, "rating", ratings(truth).name, RATINGS)


def plain_truth(truth: tables.Table) -> pl.DataFrame:
    """Return a truth as a plain table, whose confidence is 1 or 0."""
    sure = (pl.col("confidence") > 0).cast(pl.Float64)
    return truth.frame.with_columns(ratings(truth).alias("relevance"), confidence=sure)


RUNS = tables.TableReader(
    schema=RETURNED,
    tracks=(
        tables.TrackFile(
            recognise=is_run, applies=is_run_or_empty, read=read_run, runs_by_file=True
        ),
    ),
    once=(("run", *PAIR), 'post "{post_id}" stands in two files of run "{run}"', ""),
    imports=(
        Import(
            name="kba-run",
            help="runs of TREC KBA 2012 to 2014",
            columns=("run", "topic", "post_id", "time", "confidence"),
        ),
    ),
)
JUDGMENTS = tables.TableReader(
    schema=TRUTH,
    tracks=(tables.TrackFile(recognise=is_truth, applies=is_track_file, read=read_truth),),
    check=tables.check_topics,
    empty=("holds no judgments", "without judgments there is nothing to score"),
    remarks=unknown_ratings,
    imports=(Import(name="kba-truth", help="truths of TREC KBA 2012 to 2014", rows=plain_truth),),
)
FORMATS = (*(replace(each, reads_tables=False) for each in RUNS.formats), *JUDGMENTS.formats)
"""The kinds of files; plain tables of posts are not for filtering alone."""
