"""What scores of timelines are given: the inputs, read into tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tseval.core.declared import argument, file_option, option
from tseval.core.family import Access
from tseval.errors import InputError
from tseval.families.timelines.files import read_gold, read_runs
from tseval.families.timelines.tables import TIMELINES, UNNAMED, Timelines
from tseval.parallel.runs import Spread
from tseval.records import frozen
from tseval.tables import Ids, InputRecord, natural_order

if TYPE_CHECKING:
    from tseval.files.reading import Given

TOPIC_CURE = (
    'name its topics: {"topic": …, "timeline": …}, or `tseval import timelines FILE...`, which '
    "calls each as its file"
)


@frozen
class TimelineInputs:
    """Where the timelines come from: paths, `-` for standard input, or pandas frames."""

    runs: Sequence[Given] = argument(
        "SYSTEM", "timelines of one or more systems", TIMELINES, several=True
    )
    gold: Given = argument("GOLD", "the reference timelines", TIMELINES)
    more_gold: Sequence[Given] = file_option(
        "--gold",
        "More references, such as another newspaper's: all timelines of a topic count. Repeatable.",
        several=True,
        table=TIMELINES,
    )


INTERVALS = "intervals"
"""The view that draws topics again."""


@frozen
class TimelineOptions:
    """What intervals are drawn by."""

    resamples: int = option(
        "--resamples",
        "How often --explain intervals draws topics.",
        default=10000,
        metavar="N",
        kind=int,
        at_least=2,
        shows_default=True,
        within=(INTERVALS,),
    )
    seed: int = option(
        "--seed",
        "For the topics that --explain intervals draws.",
        default=0,
        kind=int,
        shows_default=True,
        within=(INTERVALS,),
    )


@frozen
class TimelineTables:
    """The inputs as tables."""

    runs: Timelines
    gold: Timelines

    def records(self) -> tuple[InputRecord, ...]:
        """Every input with its hash and its number of rows."""
        gold = (replace(each, runs=()) for each in self.gold.origin.sources)
        return (*self.runs.origin.sources, *gold)


def read_tables(inputs: TimelineInputs, access: Access) -> TimelineTables:
    """Every input that was given; files that name no topic are of the other side's only one."""
    access.check(inputs)
    runs = read_runs(inputs.runs, access.form("system"), Spread(access.sharing))
    gold = read_gold([inputs.gold, *inputs.more_gold], access.form("gold"))
    named = _named(gold)
    runs = _with_topic(runs, named, "the references")
    return TimelineTables(runs, _with_topic(gold, named or _named(runs), "the systems"))


def _named(table: Timelines) -> list[str]:
    """The topics that a table names."""
    return [each for each in natural_order(table.topic.vocabulary()) if each != UNNAMED]


def _with_topic(table: Timelines, known: list[str], whose: str) -> Timelines:
    """A table in which rows without a topic have the only one that there is."""
    names = table.topic.to_list()
    if UNNAMED not in names or not known:
        return table
    if len(known) > 1:
        row = names.index(UNNAMED)
        reason = f"no topic is named, and {whose} have {len(known)}"
        raise InputError([table.origin.fault(row, reason, TOPIC_CURE, "ambiguous-id")])
    return replace(table, topic=Ids.of([known[0] if n == UNNAMED else n for n in names]))
