"""What CrisisFACTS knows: collapsed facts with their labels (2023), assessed items (2022)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tseval.records import frozen
from tseval.tables import Column, Ids, Kind, Origin, Schema, Texts
from tseval.tables.base import Table, all_said, of_table, optional
from tseval.tables.schema import RUN

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray

REQUEST = Column(
    "request",
    Kind.ID,
    aliases=("requestID", "request_id"),
    meaning="an event and a day: `CrisisFACTS-001-r3`",
)
FACT = Column("collapsed_fact_id", Kind.ID)
IMPORTANCE = Column("importance", Kind.NUMBER)
TEXT = Column("fact_text", Kind.TEXT, required=False)
DAY = Column("day", Kind.ID, meaning="such as 2018-08-06, of UTC")

COLLAPSED = Schema(
    "collapsed facts",
    (
        REQUEST,
        FACT,
        Column(
            "relevant_fact",
            Kind.ID,
            may_be_blank=True,
            meaning="the raw fact, called request, run and number with hyphens between; blank if "
            "there is none",
        ),
        IMPORTANCE,
        TEXT,
    ),
    row="a raw fact of a run belongs to a collapsed fact",
)
"""Collapsed facts. Where their importance is equal they count in the order of the file."""
LABELS = Schema(
    "fact labels",
    (
        FACT,
        Column(
            "label",
            Kind.ID,
            meaning="`USEFUL_FACT`, `REDUNDANT_FACT`, `POOR_FACT` or `LAGGED_FACT`",
        ),
        Column("assessor", Kind.ID, required=False, may_be_blank=True),
    ),
    row="what an assessor says of a collapsed fact",
)
REQUESTS = Schema("requests", (REQUEST, DAY), key=("request",), row="the day of a request")
ITEMS = Schema(
    "assessed items",
    (
        REQUEST,
        IMPORTANCE,
        Column(
            "status",
            Kind.ID,
            may_be_blank=True,
            meaning="`matched`, `unmatched`, `irrelevant`, `skipped` or `unassessed`; blank where "
            "the run has no item of the request",
        ),
        Column(
            "facts",
            Kind.ID,
            may_be_blank=True,
            meaning="the gold facts that it matches, with spaces between",
        ),
        RUN,
    ),
    row="a fact of a run, and what assessors found that it says",
)
GOLD_FACTS = Schema(
    "gold facts",
    (
        REQUEST,
        Column("fact_id", Kind.ID),
        Column("day", Kind.TIME, required=False, meaning="that of the request"),
        Column("fact", Kind.TEXT, required=False),
    ),
    key=("request", "fact_id"),
    row="a fact of a request, as assessors wrote it",
)

USEFUL, REDUNDANT, POOR, LAGGED = "USEFUL_FACT", "REDUNDANT_FACT", "POOR_FACT", "LAGGED_FACT"
MATCHED, UNASSESSED = "matched", "unassessed"
OF_ASSESSED = (MATCHED, "unmatched", "irrelevant", "skipped")
"""What an item is that assessors looked at."""
STATUSES = (*OF_ASSESSED, UNASSESSED)


@frozen
class CollapsedFacts(Table):
    """The raw facts of each collapsed fact; a collapsed fact without any has a row with a blank."""

    request: Ids
    collapsed_fact_id: Ids
    relevant_fact: Ids
    run: Ids
    """Whose the raw fact is; blank without one."""
    importance: FloatArray
    origin: Origin
    fact_text: Texts | None = optional(lambda part: Texts.empty(len(part)))


@frozen
class FactLabels(Table):
    """What assessors said of collapsed facts."""

    collapsed_fact_id: Ids
    label: Ids
    origin: Origin
    assessor: Ids | None = None


@frozen
class Requests(Table):
    """The day of each request, as the second at which it begins."""

    request: Ids
    day: FloatArray
    origin: Origin


@frozen
class Items(Table):
    """The facts of runs as assessors matched them."""

    request: Ids
    importance: FloatArray
    status: Ids
    facts: Ids
    run: Ids
    origin: Origin


@frozen
class GoldFacts(Table):
    """The facts that assessors wrote."""

    request: Ids
    fact_id: Ids
    origin: Origin
    day: FloatArray | None = None
    fact: Texts | None = None


@frozen
class RunFacts(Table):
    """A run as it was sent in: its facts in their order, and what the track's checker minds."""

    request: Ids
    time: FloatArray
    importance: FloatArray
    text: Texts
    run: Ids
    origin: Origin
    minded: tuple[tuple[int, str], ...] = of_table((), all_said)
    """The lines with what the checker refuses there, though it can be read."""


def event_of(request: str) -> str:
    """The event of a request: what stands before the last hyphen, or all of it without one."""
    return request.rpartition("-")[0] or request
