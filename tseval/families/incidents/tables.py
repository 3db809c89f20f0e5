"""The tables of incident streams: the ontology of information types, labels, and what runs said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tseval.records import frozen
from tseval.tables.base import Table, of_table, optional
from tseval.tables.columns import Ids, Texts
from tseval.tables.names import ABSENT
from tseval.tables.origin import Origin
from tseval.tables.schema import POST_ID, RUN, TOPIC, Column, Kind, Schema

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

EVENT = replace(TOPIC, meaning="the event")
TYPES = Column(
    "types",
    Kind.TEXT,
    required=False,
    aliases=("categories",),
    meaning="names of information types with commas between",
)
LABELS = Schema(
    "labels",
    (
        EVENT,
        replace(POST_ID, aliases=("tweet_id",)),
        Column(
            "level",
            Kind.ID,
            meaning="`Low`, `Medium`, `High`, `Critical` or `Unknown`; may be missing beside "
            "`types` if no measure asks for priorities",
        ),
        TYPES,
        Column(
            "time",
            Kind.TIME,
            required=False,
            aliases=("timestamp",),
            meaning="when the post was made",
        ),
        Column(
            "text",
            Kind.TEXT,
            required=False,
            meaning="what the post says; a report shows it, and no score asks for it",
        ),
    ),
    row="what assessors said of a post",
)
"""A post may be labelled more than once."""
TYPED_LABELS = Schema(
    LABELS.table,
    tuple(
        replace(column, required=column.required or column is TYPES)
        for column in LABELS.columns
        if column.name != "level"
    ),
)
"""Labels of types alone."""
JUDGED_POOL = Schema(
    "judged pool",
    (
        EVENT,
        Column("type", Kind.ID, meaning="an information type"),
        replace(POST_ID, aliases=("tweet_id",)),
        Column(
            "relevant",
            Kind.NUMBER,
            may_be_blank=True,
            meaning="1 if the post has the type, 0 if not; blank where nobody judged",
        ),
        Column(
            "time",
            Kind.TIME,
            required=False,
            aliases=("timestamp",),
            may_be_blank=True,
            meaning="when the post was made",
        ),
    ),
    key=("topic", "type", "post_id"),
    row="a post to judge for a type, and the answer",
)
"""What assessors said of the posts of a pool, each with one type; a blank is no answer."""
PREDICTIONS = Schema(
    "predictions",
    (
        EVENT,
        replace(POST_ID, aliases=("tweet_id",)),
        Column("priority", Kind.NUMBER),
        TYPES,
        RUN,
        Column(
            "rank",
            Kind.NUMBER,
            required=False,
            meaning="the run's own order; that of the lines without it",
        ),
        Column(
            "time",
            Kind.TIME,
            required=False,
            aliases=("timestamp",),
            meaning="when the post was made",
        ),
    ),
    row="what a run said of a post",
)
"""A run may have a post more than once."""
TOLD = Schema(PREDICTIONS.table, (*PREDICTIONS.columns, Column("text", Kind.TEXT, required=False)))
"""The same with the texts of posts, which assessors read and no score asks for."""

LEVELS = ("Unknown", "Low", "Medium", "High", "Critical")
"""What assessors say of a post's priority; a level is known by its place here."""
UNKNOWN, LOW, MEDIUM, HIGH, CRITICAL = range(5)
PRIORITIES = (np.nan, 0.25, 0.5, 0.75, 1.0)
"""What each level is as a number; none where it is unknown."""

ACTIONABLE = (
    "Request-GoodsServices",
    "Request-SearchAndRescue",
    "CallToAction-MovePeople",
    "Report-EmergingThreats",
    "Report-NewSubEvent",
    "Report-ServiceAvailable",
)
"""The types that call for action, by the track."""

RENAMED = {
    "Other-ContinuingNews": "Report-News",
    "Other-PastNews": "Other-ContextualInformation",
    "Other-KnownAlready": "Report-OriginalEvent",
    "Report-SignificantEventChange": "Report-NewSubEvent",
}
"""The types of 2018 that have another name since 2019."""


def short_name(name: str) -> str:
    """The part of a type's name after its hyphen, by which labels call it."""
    return name.partition("-")[2] or name


@frozen
class Ontology:
    """The information types, in the order of the file, each with the place of its parent."""

    types: tuple[str, ...]
    parent: tuple[int, ...]
    """`ABSENT` for a type without a parent."""
    origin: Origin

    def __len__(self) -> int:
        return len(self.types)

    @cached_property
    def _places(self) -> Mapping[str, int]:
        full = {name: at for at, name in enumerate(self.types)}
        return {short_name(name): at for name, at in full.items()} | full

    @cached_property
    def _renamed(self) -> Mapping[str, int]:
        """Where types of the other years stand here, both ways, by full and by short name."""
        pairs = [*RENAMED.items(), *((new, old) for old, new in RENAMED.items())]
        known = {other: self._places[here] for other, here in pairs if here in self._places}
        return {short_name(name): at for name, at in known.items()} | known

    def place(self, name: str, *, renamed: bool) -> int:
        """Where a type stands, by its full or short name; `ABSENT` if it is none of these.

        `renamed` finds it by the name of other years too.
        """
        at = self._places.get(name, ABSENT)
        return self._renamed.get(name, ABSENT) if at == ABSENT and renamed else at

    def chosen(self, names: Iterable[str], *, renamed: bool) -> BoolArray:
        """Which of the types have one of these names."""
        places = [self.place(name, renamed=renamed) for name in names]
        return np.isin(np.arange(len(self)), [at for at in places if at != ABSENT])

    def with_ancestors(self, types: BoolArray) -> BoolArray:
        """Rows of types, each with all ancestors of its types too."""
        rolled = types.copy()
        for at in range(len(self)):
            above = self.parent[at]
            while above != ABSENT:
                rolled[:, above] |= types[:, at]
                above = self.parent[above]
        return rolled


@frozen
class TypeNames:
    """How the types of rows are read: names to places, with a count of what has none."""

    ontology: Ontology
    renamed: bool
    unknown: dict[str, int] = field(default_factory=dict)
    """How often each name stood there that the ontology does not know."""
    short: dict[str, int] = field(default_factory=dict)
    """How often each type stood there by its short name."""
    odd: dict[int, int] = field(default_factory=dict)
    """How many vectors had each length that is not the number of types."""
    weighed: set[str] = field(default_factory=set)
    """The types that stood there with a number, which decides whether they are given."""

    def anew(self) -> TypeNames:
        """The same with nothing counted."""
        return TypeNames(self.ontology, self.renamed)

    def add(self, other: TypeNames) -> None:
        """Take in what another counted."""
        for mine, theirs in ((self.unknown, other.unknown), (self.short, other.short)):
            for name, times in theirs.items():
                mine[name] = mine.get(name, 0) + times
        for length, times in other.odd.items():
            self.odd[length] = self.odd.get(length, 0) + times
        self.weighed.update(other.weighed)

    @cached_property
    def _alphabetical(self) -> list[str]:
        """As the track has it, which puts `Report-News` before `Report-NewSubEvent`."""
        return sorted(self.ontology.types, key=str.lower)

    def of_vector(self, values: Sequence[float], least: float | None = None) -> list[str]:
        """The types that a vector gives, which has one number a type in alphabetical order.

        A type is given whose number is not 0, or at least `least`.
        """
        if len(values) != len(self.ontology):
            self.odd[len(values)] = self.odd.get(len(values), 0) + 1
        names = list(zip(self._alphabetical, values, strict=False))
        if least is None:
            return [name for name, value in names if value]
        self.weighed.update(self._alphabetical)
        return [name for name, value in names if value >= least]

    def named(self, values: Sequence[float]) -> dict[str, float]:
        """A vector's numbers by the types that they stand for."""
        return {n: float(v) for n, v in zip(self._alphabetical, values, strict=False)}

    def weights(self, rows: Sequence[Mapping[str, float]]) -> FloatArray:
        """The numbers of each row's types; NaN where a type has none."""
        weights = np.full((len(rows), len(self.ontology)), np.nan)
        for at, numbers in enumerate(rows):
            for name, number in numbers.items():
                place = self.ontology.place(name, renamed=self.renamed)
                if place != ABSENT:
                    weights[at, place] = np.fmax(weights[at, place], number)
        return weights

    def matrix(self, rows: Sequence[Iterable[str]]) -> BoolArray:
        """The types of each row as truth values."""
        types = np.zeros((len(rows), len(self.ontology)), bool)
        places: dict[str, int] = {}
        for at, names in enumerate(rows):
            for name in names:
                if name not in places:
                    places[name] = self.ontology.place(name, renamed=self.renamed)
                if places[name] == ABSENT:
                    self.unknown[name] = self.unknown.get(name, 0) + 1
                    continue
                types[at, places[name]] = True
                if name != self.ontology.types[places[name]]:
                    self.short[name] = self.short.get(name, 0) + 1
        return types


@frozen
class Labels(Table):
    """What assessors said: one row each time that a post was labelled, in the order of the files.

    A post may have several rows. Times count only where all files tell them.
    """

    event: Ids
    post_id: Ids
    types: BoolArray
    """Of the shape (rows, types of the ontology)."""
    level: IntArray
    origin: Origin
    time: FloatArray | None = optional()
    """When each post was made; None where the file tells no times."""
    nameless: int = of_table(0, sum)
    """How many labels are of posts whose ids are not known."""
    has_levels: bool = of_table(True, any)
    """Whether any of the files tells priorities; else every level is Unknown."""
    asked: BoolArray | None = optional(True)
    """For which types each post was judged, of the shape of `types`; None where for all."""
    unanswered: int = of_table(0, sum)
    """How many questions of a pool have no answer."""
    text: Texts | None = optional("")
    """What each post says, which a report shows."""


@frozen
class Predictions(Table):
    """What runs said: one row a line, in the order of the files."""

    run: Ids
    event: Ids
    post_id: Ids
    priority: FloatArray
    types: BoolArray
    """Of the shape (rows, types of the ontology)."""
    rank: FloatArray
    """The run's own order of an event's posts; the number of the line where it has none."""
    origin: Origin
    time: FloatArray | None = optional()
    """When the run says the post was made; None where it doesn't."""
    confidence: FloatArray | None = optional(np.nan)
    """The number of each type, of the shape of `types`, NaN for none; read on request alone."""
    text: Texts | None = optional("")
    """What each post says; read on request alone."""

    @classmethod
    def join(cls, parts: Sequence[Predictions], *, some_times: bool = False) -> Predictions:
        """Several runs' lines in one table; times count only where all have them.

        With `some_times` those count that there are.
        """
        if some_times and any(part.time is not None for part in parts):
            parts = [part if part.time is not None else part._timeless() for part in parts]
        return super().join(parts)

    def _timeless(self) -> Predictions:
        """The same with unknown times."""
        return replace(self, time=np.full(len(self), np.nan))
