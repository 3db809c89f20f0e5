"""What the plain tables hold: their columns, other names for them, and what each value must be."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from functools import cached_property, partial

from tseval.io.columns import CONSTANT
from tseval.records import frozen


class Kind(Enum):
    """What a column's values are."""

    ID = "id"
    TEXT = "text"
    TIME = "time"
    NUMBER = "number"
    AMOUNT = "amount"
    """A number that may not be negative: a cost, a reward."""
    GRADE = "grade"
    """How far something is so: a number from 0 to 1, or one of three labels."""
    JSON = "json"
    """Any value of JSON, as text."""
    TYPES = "types"
    """A list of information types in JSON; as a number, the highest of their confidences."""


@frozen
class Column:
    """One column: its name, what it holds, and the names that other tracks give it."""

    name: str
    kind: Kind
    required: bool = True
    aliases: tuple[str, ...] = ()
    common: tuple[str, ...] = ()
    """Names that people's own files give it, such as `id`: understood too, and told."""
    given: str = ""
    """What it is called in the file at hand, if the caller says so: then no other name counts."""
    also: str = ""
    """What some rows of the file at hand may call it, before any other name."""
    may_be_blank: bool = False
    """Whether an empty cell means "not given"; elsewhere it is a fault (texts may be empty)."""

    default: str = ""
    """The cell that stands where a record of a format with optional keys lacks the value."""

    meaning: str = ""
    """What its values mean, where name and kind do not tell it."""

    choices: tuple[str, ...] = ()
    """The only values of an id, if there are few; families on the kernel refuse others by this."""

    most: float = math.inf
    """The largest amount; families on the kernel, whose sums are exact, refuse others by this."""

    any_time: bool = False
    """Whether a time may be ever so early, as in a track's own files; elsewhere it is a fault."""

    any_case: bool = False
    """Whether its names may be written in capitals or small letters."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every name under which it is looked for, the first first."""
        every = (self.given,) if self.given else (self.name, *self.aliases, *self.common)
        return (self.also, *every) if self.also else every

    def spelling(self, header: Collection[str]) -> str:
        """Return which name in a header is the column's; empty if none is."""
        exact = next((name for name in self.names if name in header), "")
        if exact or not self.any_case:
            return exact
        known = {each.lower() for each in self.names}
        return next((name for name in header if name.lower() in known), "")


@frozen
class Schema:
    """A plain table: its name, its columns, and the columns that together may not repeat."""

    table: str
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()
    row: str = ""
    """What a row is, in words."""
    people_make_it: bool = True
    """Whether its files are people's own, whose columns a caller may name: `--column`."""

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
        """The column that is meant by its own name, or by one that a header may have."""
        return next((c for c in self.columns if header in (c.name, *c.names)), None)

    def placed(self, header: list[str]) -> dict[str, int]:
        """Where each column of the schema stands in the header; a column's own name goes first."""
        spelt = ((column.name, column.spelling(header)) for column in self.columns)
        return {own: header.index(name) for own, name in spelt if name}

    def called(self, given: Mapping[str, str]) -> Schema:
        """The same for a file that calls columns so; what one is called is no other's alias."""

        def without(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(name for name in names if name not in given.values())

        def column(each: Column) -> Column:
            own = given.get(each.name, each.given)
            needed = each.required and not own.startswith(CONSTANT)
            left = without(each.aliases), without(each.common)
            return replace(each, aliases=left[0], common=left[1], given=own, required=needed)

        return replace(self, columns=tuple(map(column, self.columns))) if given else self

    def also_called(self, names: Mapping[str, str]) -> Schema:
        """The same where columns may be called so, too: that goes before their own names."""
        columns = (c if c.given else replace(c, also=names.get(c.name, c.also)) for c in self)
        return replace(self, columns=tuple(columns))

    def understood(self, header: Sequence[str]) -> dict[str, str]:
        """The names in a header that are common ones, each with the column that it stands for."""
        spelt = ((column, column.spelling(header)) for column in self.columns)
        return {name: column.name for column, name in spelt if name in column.common}

    def doubtful(self, header: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The columns that several names in a header could stand for, none of them its own."""
        fitting = {
            column.name: tuple(name for name in column.names if name in header)
            for column in self.columns
            if column.names[0] not in header
        }
        return {name: names for name, names in fitting.items() if len(names) > 1}

    def missing(self, header: list[str]) -> list[str]:
        """The required columns that the header lacks."""
        return [column.name for column in self.required if not column.spelling(header)]


optional = partial(Column, required=False)
blank = partial(Column, required=False, may_be_blank=True)

ALL_TOPICS = "all"
"""The name under which the mean over topics stands among the topics."""
TOPIC = Column("topic", Kind.ID, aliases=("query_id", "topic_id", "event", "event_id"))
RUN = optional(
    "run",
    Kind.ID,
    aliases=("run_id", "runtag", "run_tag"),
    meaning="the name of the run; without it that of the file",
)
COMMON_ID = ("id",)
COMMON_TEXT = ("message", "body", "content")
UPDATE_ID = Column("update_id", Kind.ID, aliases=("update",))
NUGGET_ID = Column("nugget_id", Kind.ID, aliases=("nugget",))
COST = optional("cost", Kind.AMOUNT, default="1")

UPDATES = Schema(
    "updates",
    (
        TOPIC,
        replace(UPDATE_ID, common=COMMON_ID),
        Column("time", Kind.TIME, aliases=("timestamp", "decision_time", "update_time")),
        Column("text", Kind.TEXT, aliases=("update_text",), common=COMMON_TEXT),
        RUN,
        optional("confidence", Kind.NUMBER, default="0"),
        COST,
    ),
    key=("run", "topic", "update_id"),
    row="an update of a system, with its time",
)
DUPLICATE_ID = optional(
    "duplicate_id", Kind.ID, meaning="the update that it repeats, `NULL` if none"
)
TEXTS = Schema(
    "updates",
    (
        *(replace(c, required=False, any_time=True) if c.kind is Kind.TIME else c for c in UPDATES),
        replace(DUPLICATE_ID, may_be_blank=True),
    ),
)
"""Updates whose times don't matter, as in a pool of judged ones; published pools repeat some."""
NUGGETS = Schema(
    "nuggets",
    (
        TOPIC,
        replace(NUGGET_ID, common=COMMON_ID),
        Column(
            "time",
            Kind.TIME,
            aliases=("timestamp", "nugget_time"),
            meaning="the time when the fact became known",
        ),
        Column("text", Kind.TEXT, aliases=("nugget_text",), common=("fact",)),
        optional("importance", Kind.AMOUNT, common=("weight",), default="1"),
        COST,
        optional("length", Kind.AMOUNT, aliases=("nugget_len",), default="0"),
        blank("until", Kind.TIME, meaning="until when it is true, not before its time"),
        blank(
            "replaced_by",
            Kind.ID,
            meaning="the nugget of the topic that is true instead, from `until` on or, where that "
            "is blank, from its own time on",
        ),
    ),
    key=("topic", "nugget_id"),
    row="a fact of the gold, with its time",
)
MATCHES = Schema(
    "matches",
    (
        TOPIC,
        UPDATE_ID,
        NUGGET_ID,
        replace(RUN, meaning="the run of the update; without it, the updates of every run"),
        blank("score", Kind.NUMBER),
        blank(
            "grade",
            Kind.GRADE,
            meaning="the part of the nugget that it says: 1 or `support` in full, 0.5 or "
            "`partial_support` in part, 0 or `not_support` not at all; blank is 1",
        ),
        blank(
            "start",
            Kind.NUMBER,
            aliases=("match_start",),
            meaning="the start of the match in the update's text",
        ),
        blank("end", Kind.NUMBER, aliases=("match_end",), meaning="the end of the match"),
        blank("auto", Kind.NUMBER, aliases=("auto_p",)),
        optional("matcher", Kind.TEXT, meaning="the matcher, as `tseval match` writes it"),
        optional(
            "checksum",
            Kind.TEXT,
            meaning="whether they are as they were written, as `tseval match` writes it",
        ),
    ),
    row="a match: an update that says a nugget",
)
CORRECTIONS = Schema(
    "corrections",
    (
        TOPIC,
        UPDATE_ID,
        NUGGET_ID,
        Column(
            "verdict",
            Kind.ID,
            may_be_blank=True,
            meaning="`accept` or `reject` (or `yes` and `no`), in any case; blank changes nothing",
        ),
        replace(
            RUN,
            may_be_blank=True,
            meaning="the run of the update; without it or blank, the updates of every run",
        ),
        optional(
            "update_text",
            Kind.TEXT,
            meaning="the text of the judged update; if no update has the id, the verdict holds for "
            "updates with this text",
        ),
        optional("nugget_text", Kind.TEXT, meaning="the text of the judged nugget"),
    ),
    row="a verdict on a pair of an update and a nugget",
)
JUDGED = Schema(
    "judged",
    (
        Column(
            "verdict",
            Kind.ID,
            may_be_blank=True,
            meaning="`accept` if the update says the nugget, else `reject` (or `yes` and `no`); "
            "blank if you need not read it",
        ),
        optional("nugget_text", Kind.TEXT, meaning="the text of the nugget"),
        optional("update_text", Kind.TEXT, meaning="the text of the update"),
        TOPIC,
        NUGGET_ID,
        optional("runs", Kind.TEXT, meaning="the runs that have the text"),
        Column("stratum", Kind.ID, meaning="the stratum that the nugget was drawn from"),
        Column("inclusion", Kind.NUMBER, meaning="the probability of drawing the nugget"),
        Column("pair", Kind.ID, meaning="the hash of topic, nugget and text"),
        Column("sample", Kind.ID, meaning="the settings of the draw, in one line"),
        Column("checksum", Kind.ID, meaning="whether the row is as it was written"),
    ),
    row="a text to read for a sampled nugget, as `tseval sample` writes it",
    people_make_it=False,
)
TOPICS = Schema(
    "topics",
    (
        Column("topic", Kind.ID, aliases=(*TOPIC.aliases, "id")),
        Column("start", Kind.TIME),
        blank("end", Kind.TIME, meaning="not before the start"),
    ),
    key=("topic",),
    row="the start and end of a topic",
)
DUPLICATES = Schema(
    "duplicates",
    (
        optional(
            "topic",
            Kind.ID,
            aliases=TOPIC.aliases,
            meaning="without it a pair holds in every topic",
        ),
        UPDATE_ID,
        Column("duplicate_id", Kind.ID, aliases=("duplicate_of",)),
    ),
    row="a pair of updates that say the same",
)
POOL = Schema(
    "pool",
    (
        TOPIC,
        UPDATE_ID,
        DUPLICATE_ID,
        optional("length", Kind.AMOUNT, aliases=("update_len",), default="0"),
        optional("text", Kind.TEXT, aliases=("update_text",)),
    ),
    row="an update that assessors saw",
)
POST_ID = Column("post_id", Kind.ID, common=COMMON_ID)
CLUSTERS = Schema(
    "clusters",
    (
        TOPIC,
        Column("cluster_id", Kind.ID),
        POST_ID,
        Column("time", Kind.TIME, meaning="the time of the post"),
        optional("text", Kind.TEXT),
    ),
    key=("topic", "cluster_id", "post_id"),
    row="a post belongs to a cluster of posts that say the same",
)
ENTITIES = ("entity", "target_id", "urlname")
"""What the filtering tracks call a topic."""
DOCUMENTS = ("stream_id", "doc_id", "document")
"""What they call a post."""
DAY = Column("day", Kind.NUMBER)
OWN_CLUSTER = blank("cluster_id", Kind.ID, meaning="the cluster that was made for a selected post")
POSTS = Schema(
    "posts",
    (
        replace(TOPIC, aliases=(*TOPIC.aliases, *ENTITIES)),
        replace(POST_ID, aliases=(*UPDATE_ID.names, *DOCUMENTS)),
        Column(
            "time",
            Kind.TIME,
            aliases=("timestamp", "decision_time", "update_time"),
            meaning="the time when the run returned it",
        ),
        RUN,
        optional(
            "confidence",
            Kind.NUMBER,
            aliases=("conf",),
            default="0",
            meaning="`tseval filter` needs it",
        ),
        optional("selected", Kind.NUMBER, default="0", meaning="0 is not selected"),
        OWN_CLUSTER,
    ),
    key=("run", "topic", "post_id"),
    row="a post that a run returned",
)
EPOCHS = Schema("epochs", (POST_ID, DAY, Column("time", Kind.TIME, aliases=("epoch",))))
SCORES = Schema(
    "scores",
    (
        RUN,
        replace(TOPIC, meaning="`all` is a mean and left out"),
        Column("measure", Kind.ID, aliases=("metric",)),
        Column(
            "value",
            Kind.NUMBER,
            aliases=("score",),
            may_be_blank=True,
            meaning="blank is undefined",
        ),
    ),
    key=("run", "topic", "measure"),
    row="the score of a run on a topic",
    people_make_it=False,
)
"""What scoring commands write and `tseval compare` reads; a blank value is undefined."""
TEAMS = Schema(
    "teams",
    (replace(RUN, required=True, meaning=""), Column("team", Kind.ID)),
    key=("run",),
    row="the team of a run",
    people_make_it=False,
)
