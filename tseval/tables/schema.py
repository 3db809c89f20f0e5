"""What the plain tables hold: their columns, other names for them, and what each value must be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum


class Kind(Enum):
    """What a column's values are."""

    ID = "id"
    TEXT = "text"
    TIME = "time"
    NUMBER = "number"
    AMOUNT = "amount"
    """A number that may not be negative: a cost, a reward."""


@dataclass(frozen=True)
class Column:
    """One column: its name, what it holds, and the names that other tracks give it."""

    name: str
    kind: Kind
    required: bool = True
    aliases: tuple[str, ...] = ()
    may_be_blank: bool = False
    """Whether an empty cell means "not given"; elsewhere it is a fault (texts may be empty)."""

    default: str = ""
    """The cell that stands where a record of a format with optional keys lacks the value."""

    any_time: bool = False
    """Whether a time may be ever so early, as in a track's own files; elsewhere it is a fault."""

    @property
    def names(self) -> tuple[str, ...]:
        """Its own name, then the aliases."""
        return (self.name, *self.aliases)


@dataclass(frozen=True)
class Schema:
    """A plain table: its name, its columns, and the columns that together may not repeat."""

    table: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    @property
    def required(self) -> tuple[Column, ...]:
        """The columns that must be there."""
        return tuple(column for column in self.columns if column.required)

    @property
    def of_track(self) -> Schema:
        """The same for a file in a track's own format, whose times are what they are."""
        return replace(self, columns=tuple(replace(c, any_time=True) for c in self.columns))

    def find(self, header: str) -> Column | None:
        """The column that a header names, by its own name or an alias."""
        return next((column for column in self.columns if header in column.names), None)

    def placed(self, header: list[str]) -> dict[str, int]:
        """Where each column of the schema stands in the header; a column's own name goes first."""
        places: dict[str, int] = {}
        for column in self.columns:
            at = next((header.index(name) for name in column.names if name in header), None)
            if at is not None:
                places[column.name] = at
        return places

    def missing(self, header: list[str]) -> list[str]:
        """The required columns that the header lacks."""
        places = self.placed(header)
        return [column.name for column in self.required if column.name not in places]


ALL_TOPICS = "all"
"""The name under which the mean over topics stands among the topics."""
TOPIC = Column("topic", Kind.ID, aliases=("query_id", "topic_id", "event", "event_id"))
RUN = Column("run", Kind.ID, required=False, aliases=("run_id", "runtag", "run_tag"))
UPDATE_ID = Column("update_id", Kind.ID, aliases=("update",))
NUGGET_ID = Column("nugget_id", Kind.ID, aliases=("nugget",))
COST = Column("cost", Kind.AMOUNT, required=False, default="1")

UPDATES = Schema(
    "updates",
    (
        TOPIC,
        UPDATE_ID,
        Column("time", Kind.TIME, aliases=("timestamp", "decision_time", "update_time")),
        Column("text", Kind.TEXT, aliases=("update_text",)),
        RUN,
        Column("confidence", Kind.NUMBER, required=False, default="0"),
        COST,
    ),
    key=("run", "topic", "update_id"),
)
TEXTS = Schema(
    "texts",
    tuple(replace(c, required=False, any_time=True) if c.kind is Kind.TIME else c for c in UPDATES),
)
"""Updates whose times don't matter, as in a pool of judged ones; published pools repeat some."""
NUGGETS = Schema(
    "nuggets",
    (
        TOPIC,
        NUGGET_ID,
        Column("time", Kind.TIME, aliases=("timestamp", "nugget_time")),
        Column("text", Kind.TEXT, aliases=("nugget_text",)),
        Column("importance", Kind.AMOUNT, required=False, default="1"),
        COST,
        Column("length", Kind.AMOUNT, required=False, aliases=("nugget_len",), default="0"),
    ),
    key=("topic", "nugget_id"),
)
MATCHES = Schema(
    "matches",
    (
        TOPIC,
        UPDATE_ID,
        NUGGET_ID,
        RUN,
        Column("score", Kind.NUMBER, required=False, may_be_blank=True),
        Column("start", Kind.NUMBER, required=False, aliases=("match_start",), may_be_blank=True),
        Column("end", Kind.NUMBER, required=False, aliases=("match_end",), may_be_blank=True),
        Column("auto", Kind.NUMBER, required=False, aliases=("auto_p",), may_be_blank=True),
        Column("matcher", Kind.TEXT, required=False),
        Column("checksum", Kind.TEXT, required=False),
    ),
)
TOPICS = Schema(
    "topics",
    (
        Column("topic", Kind.ID, aliases=(*TOPIC.aliases, "id")),
        Column("start", Kind.TIME),
        Column("end", Kind.TIME, required=False, may_be_blank=True),
    ),
    key=("topic",),
)
DUPLICATES = Schema(
    "duplicates",
    (
        Column("topic", Kind.ID, required=False, aliases=TOPIC.aliases),
        UPDATE_ID,
        Column("duplicate_id", Kind.ID, aliases=("duplicate_of",)),
    ),
)
POOL = Schema(
    "pool",
    (
        TOPIC,
        UPDATE_ID,
        Column("duplicate_id", Kind.ID, required=False),
        Column("length", Kind.AMOUNT, required=False, aliases=("update_len",), default="0"),
        Column("text", Kind.TEXT, required=False, aliases=("update_text",)),
    ),
)
CLUSTERS = Schema(
    "clusters",
    (
        TOPIC,
        Column("cluster_id", Kind.ID),
        Column("post_id", Kind.ID),
        Column("time", Kind.TIME),
        Column("text", Kind.TEXT, required=False),
    ),
    key=("topic", "cluster_id", "post_id"),
)
POST_ID = Column("post_id", Kind.ID)
ENTITIES = ("entity", "target_id", "urlname")
"""What the filtering tracks call a topic."""
DOCUMENTS = ("stream_id", "doc_id", "document")
"""What they call a post."""
DAY = Column("day", Kind.NUMBER)
OWN_CLUSTER = Column("cluster_id", Kind.ID, required=False, may_be_blank=True)
"""The cluster that was made for a selected post; blank where none was named."""
POSTS = Schema(
    "posts",
    (
        replace(TOPIC, aliases=(*TOPIC.aliases, *ENTITIES)),
        replace(POST_ID, aliases=(*UPDATE_ID.names, *DOCUMENTS)),
        Column("time", Kind.TIME, aliases=("timestamp", "decision_time", "update_time")),
        RUN,
        Column("confidence", Kind.NUMBER, required=False, aliases=("conf",), default="0"),
        Column("selected", Kind.NUMBER, required=False, default="0"),
        OWN_CLUSTER,
    ),
    key=("run", "topic", "post_id"),
)
EPOCHS = Schema("epochs", (POST_ID, DAY, Column("time", Kind.TIME, aliases=("epoch",))))
SCORES = Schema(
    "scores",
    (
        RUN,
        TOPIC,
        Column("measure", Kind.ID, aliases=("metric",)),
        Column("value", Kind.NUMBER, aliases=("score",), may_be_blank=True),
    ),
    key=("run", "topic", "measure"),
)
"""What scoring commands write and `tseval compare` reads; a blank value is undefined."""
TEAMS = Schema("teams", (replace(RUN, required=True), Column("team", Kind.ID)), key=("run",))
