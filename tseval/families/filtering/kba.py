"""The files of TREC KBA 2012 to 2014: runs and truths, divided by white space.

    run      team system stream-id entity confidence [rating …]
    truth    team assessor stream-id entity confidence rating …

A line that begins with `#` is a comment; a first line may name the columns, or be JSON, too. The
time of a document is the number before the hyphen of its stream id. Of 2013 and 2014's eleven
columns only the first six matter.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from tseval.files import tsv
from tseval.files.fixed_fields import Layout, Span, before_hyphen
from tseval.tables import Column, Kind, Schema
from tseval.tables.schema import POST_ID, TOPIC

if TYPE_CHECKING:
    from tseval.files.inputs import Input

STREAM_ID = re.compile(rb"\d+-\S+")
NUMBER = re.compile(rb"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")
ASSESSORS = re.compile(rb"NIST-TREC|\S*\.nist\.gov")
"""What stands in the place of the team where a file is a truth."""
JUDGES = "NIST-TREC, or a host such as kba.trec.nist.gov"
"""The same in words."""
STREAM_ID_NAME = b"stream_id"
"""What a line that names the columns calls the third."""
SHORT, LONG = 5, 6
"""How many fields a line of a run of 2012 has, and of any other file at least."""


def _layout(table: str, fields: int, words: str, *columns: Column) -> Layout:
    """Lines of at least so many fields, in these words, that make these columns."""
    return Layout(
        Schema(table, columns),
        {column.name: SPANS[column.name] for column in columns},
        fields,
        f"where there should be {fields} at least",
        f"each line of a {words}, divided by white space",
        may_have_more=True,
        comments=True,
        heading=_is_heading,
    )


def _is_heading(fields: list[bytes]) -> bool:
    """Whether a first line is JSON, or names the columns."""
    return fields[0].startswith(b"{") or (len(fields) >= SHORT and fields[2] == STREAM_ID_NAME)


SPANS = {
    "run": Span(0, 1),
    "topic": Span(3),
    "post_id": Span(2),
    "time": Span(2, made=before_hyphen),
    "confidence": Span(4),
    "rating": Span(5),
}
"""Where each column stands; a run is called `team-system`."""
_RUN = Column("run", Kind.ID)
_PAIR = (TOPIC, POST_ID, Column("time", Kind.TIME))
_CONFIDENCE, _RATING = Column("confidence", Kind.NUMBER), Column("rating", Kind.NUMBER)
RUN_2012 = _layout(
    "posts", SHORT, "run is: team system stream-id entity confidence", _RUN, *_PAIR, _CONFIDENCE
)
RUN = _layout(
    "posts",
    LONG,
    "run is: team system stream-id entity confidence rating …",
    *RUN_2012.schema,
    _RATING,
)
TRUTH = _layout(
    "truth",
    LONG,
    "truth is: team assessor stream-id entity confidence rating …",
    *_PAIR,
    _CONFIDENCE,
    _RATING,
)


def first_fields(source: Input) -> list[bytes] | None:
    """The fields of the first line that is no heading; None where that is no line of the track.

    A file of comments alone has no fields: it is an empty run.
    """
    lines = source.head().removeprefix(tsv.BYTE_ORDER_MARK).split(b"\n")
    body = (line.split() for line in lines if line.lstrip()[:1] not in (b"", b"#"))
    first = list(islice(body, 2))
    if not first:
        return [] if any(map(bytes.strip, lines)) else None
    if len(first) > 1 and _is_heading(first[0]):
        first = first[1:]
    fields = first[0]
    fits = len(fields) >= SHORT and STREAM_ID.fullmatch(fields[2]) and NUMBER.fullmatch(fields[4])
    return fields if fits else None


def table_of(source: Input) -> str | None:
    """Whether an input is a run or a truth of the track by its first line; None if it is neither.

    A truth is told by who wrote it: its lines begin with the name of the assessors.
    """
    fields = first_fields(source)
    if fields is None:
        return None
    return "truth" if fields and ASSESSORS.fullmatch(fields[0]) else "posts"


def run_layout(source: Input) -> Layout:
    """What the lines of a run are: those of 2012 have five fields."""
    fields = first_fields(source) or []
    return RUN if len(fields) >= LONG else RUN_2012
