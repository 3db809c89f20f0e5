"""The tables of runs over clusters: posts, clusters, grades, epochs, live judgments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tseval.errors import Fault
from tseval.records import frozen
from tseval.tables.base import Table, all_said, of_table, optional
from tseval.tables.columns import Ids, Texts
from tseval.tables.origin import Origin
from tseval.tables.schema import DAY, OWN_CLUSTER, POST_ID, POSTS, RUN, TOPIC, Column, Kind, Schema

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

PUSHED = replace(POSTS, key=())
"""Posts as the push evaluations take them: one that stands twice was pushed twice."""
POST_TEXTS = Schema(
    "posts",
    (
        *(column for column in POSTS.columns if column.name in ("topic", "post_id")),
        Column("text", Kind.TEXT, required=False, aliases=("update_text", "content")),
    ),
)
"""What the posts of a run say, for assessors."""
LISTS = Schema(
    "lists",
    (
        replace(DAY, kind=Kind.ID),
        TOPIC,
        POST_ID,
        Column("rank", Kind.NUMBER),
        Column("score", Kind.NUMBER, required=False, default="0"),
        RUN,
    ),
    key=("run", "topic", "day", "post_id"),
)
QRELS = Schema("qrels", (TOPIC, POST_ID, Column("grade", Kind.NUMBER)), key=("topic", "post_id"))
GRADE_VALUES = (4.0, 3.0, 2.0, 1.0, 0.0, -1.0, -2.0)
"""The grades of the qrels of all years."""
LIVE_VALUES = (5.0, 2.0, 1.0, 0.0, -1.0)
"""The labels of live judgments in all years."""
LIVE = Schema("live", (TOPIC, POST_ID, Column("label", Kind.NUMBER)))
SELECTED = Schema("selected", (TOPIC, POST_ID, RUN, OWN_CLUSTER))


@frozen
class Posts(Table):
    """What systems returned: one row a post of a run and topic, in the order of the file.

    `day` and `rank` are there if the runs are lists, one for each topic and day; `time` is then
    the midnight that begins the day.
    """

    run: Ids
    topic: Ids
    post_id: Ids
    time: FloatArray
    origin: Origin
    confidence: FloatArray | None = optional(0.0)
    selected: BoolArray | None = optional()
    day: IntArray | None = optional()
    """The day of the list as a number such as 20170729."""
    rank: FloatArray | None = optional()
    own: Ids | None = optional("")
    """The name of the cluster that was made for the post; empty where none is named."""
    unread: tuple[str, ...] = of_table((), all_said)
    """Which columns are not read, and why."""

    @classmethod
    def join(cls, parts: Sequence[Posts]) -> Posts:
        """Several runs' posts in one table; all of them pushed posts, or all of them lists."""
        joined = super().join(parts)
        return replace(joined, unread=(*joined.unread, *_unread(parts)))


def _unread(parts: Sequence[Posts]) -> Iterator[str]:
    """A word on a column `selected` that only some runs have, so that it cannot be read."""
    with_it = [part for part in parts if part.selected is not None]
    without = [part for part in parts if part.selected is None and len(part)]
    if with_it and without:
        have, lack = (_runs_of(several) for several in (with_it, without))
        yield (
            f'the column "selected" of {have} is not read, for {lack} has none: all posts that are '
            "in a cluster are selected; give every run such a column, or --selected FILE"
        )


def _runs_of(parts: Sequence[Posts]) -> str:
    names = sorted({name for part in parts for name in part.run.vocabulary()})
    return f"{'run' if len(names) == 1 else 'runs'} {', '.join(names)}"


@frozen
class Selected:
    """Which posts of the runs are selected, each with its own cluster, and where that is told."""

    posts: BoolArray
    own: Ids | None
    """Per post of the runs, as `Posts.own`."""
    origin: Origin
    row: IntArray
    """Per post of the runs the row that selects it."""


@frozen
class Clusters(Table):
    """Which posts carry the same information: one row a (cluster, post), in the file's order.

    `time` is the post's own: when it was created, not when a run returned it.
    """

    topic: Ids
    cluster_id: Ids
    post_id: Ids
    time: FloatArray
    origin: Origin
    text: Texts | None = optional()
    remarks: tuple[Fault, ...] = ()
    """What is odd in the file, but can be read: see `tseval.families.clusters.recognition`."""
    paths: Texts | None = optional()
    """The place of each row in a JSON document."""

    def fault_at(self, row: int, reason: str, cure: str, code: str) -> Fault:
        """A fault of a row, with its line, or in JSON its path."""
        if self.paths is None:
            return self.origin.fault(row, reason, cure, code)
        path = self.origin.sources[0].path
        return Fault(path, None, f"{self.paths[row]}: {reason}", cure, code)


@frozen
class Grades(Table):
    """What assessors thought of posts, as the labels of the file."""

    topic: Ids
    post_id: Ids
    grade: FloatArray
    origin: Origin


@frozen
class Live(Table):
    """What assessors said of posts as they were pushed; a post may be judged several times."""

    topic: Ids
    post_id: Ids
    label: FloatArray
    origin: Origin
