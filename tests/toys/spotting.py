"""A toy family: which of the items on a list did a run spot, and when?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import polars as pl

from tseval.core.blocks import Block, Head, Rows
from tseval.core.contributions import ContributionResult
from tseval.core.declared import argument, option
from tseval.core.family import Family, View, ViewRequest, ViewRows, Words
from tseval.core.frames import Content, FrameEvaluation, FrameIndex, Request, to_pandas
from tseval.core.kernel import ALWAYS, KEY, Contributions, natural, ratio
from tseval.core.measure import Definition, Measure
from tseval.core.rules import Edition, RuleSet, choice
from tseval.core.sections import Reporting, Section, Setting
from tseval.io.schema import RUN, TOPIC, Column, Kind, Schema
from tseval.io.tables import TableReader
from tseval.records import frozen

NAME, ITEM = "spotting", Column("item", Kind.ID)
SIGHTINGS = Schema(
    "sightings", (TOPIC, ITEM, Column("seen", Kind.TIME), RUN), ("run", "topic", "item")
)
ITEMS = Schema("items", (TOPIC, ITEM, Column("since", Kind.TIME)), ("topic", "item"))
READERS = {"runs": TableReader(schema=SIGHTINGS), "items": TableReader(schema=ITEMS)}


@frozen
class Inputs:
    """The files."""

    runs: Sequence[Any] = argument("RUN", "one or more runs", SIGHTINGS, several=True)
    items: Any = argument("ITEMS", "the list of items", ITEMS)


@frozen
class Options:
    """What may be asked for."""

    grace: int = option("Seconds that count as at once.", default=0)
    strangers: str | None = option("Sightings off the list.", rule="strangers")


@frozen
class Rules(RuleSet):
    """What editions do differently."""

    strangers: str = choice("sightings off the list", ignored="left out", kept="fine")


@frozen(kw_only=True)
class Spotting(FrameEvaluation):
    """Runs and items, joined."""

    words: ClassVar[Words] = Words("sightings")
    readers: ClassVar[Mapping[str, TableReader]] = READERS

    @classmethod
    def build(cls, request: Request) -> Content:
        """Join the sightings of runs with the items on the list."""
        grace, tables, since = request.options.grace, request.tables, pl.col("since")
        items = tables["items"].frame.drop("file", "line")
        types = {"topic": natural(items["topic"]), "run": natural(tables["runs"].runs)}
        times = items.group_by("topic").agg(
            start=since.min(), end=since.max() + 1, latest=since.max()
        )
        times = times.cast({"topic": types["topic"]}).sort("topic")
        seen = tables["runs"].frame.join(items, on=["topic", "item"], maintain_order="left")
        seen = seen.cast(types).with_columns(time=pl.max_horizontal(since, pl.col("seen") - grace))
        index = FrameIndex.of(types["run"].categories, times, seen, items=items)
        return Content(index, traits={"grace": str(grace)})


def spotted(index: FrameIndex, _: Measure) -> ContributionResult:
    """Divide the items spotted by all."""
    items = index["items"].with_columns(pl.col("topic").cast(index.outputs.schema["topic"]))
    gold = index.pairs.join(items, on="topic").select(*KEY, time=pl.lit(ALWAYS), below=1.0)
    seen = index.outputs.select(*KEY, "time", above=1.0)
    return index.result(Contributions([seen, gold], ratio()))


def explain(evaluation: Spotting, _: ViewRequest[Options]) -> ViewRows:
    """Show a row a sighting."""
    return ViewRows(to_pandas(evaluation.index.outputs.select("topic", seen="time")))


def section(evaluation: Spotting, setting: Setting[Options]) -> Iterator[Block]:
    """Count the sightings of each run, for a report."""
    counts = evaluation.index.outputs.group_by(pl.col("run").cast(pl.String)).len()
    rows = sorted((setting.run(run), number) for run, number in counts.iter_rows())
    heads = (Head("run", "run"), Head("sightings", "count"))
    yield Rows("Sightings of every run", heads, tuple(rows))


SHARE = Definition(
    name="spotted",
    family=NAME,
    title="items spotted",
    summary="how many of the items a run has seen",
    formula="items seen before t / items",
    empty_case="0 for an empty run",
    range="0 to 1",
    citation="nobody",
    account=spotted,
)
PLAIN = Edition(NAME, NAME, "as it comes", ("spotted",), "zero", "nobody", Rules())
FAMILY = Family(
    name=NAME,
    command="spotting",
    summary="Which of the items on a list runs spotted.",
    description="RUN is a table `topic item seen`, ITEMS one with `topic item since`.",
    inputs=Inputs,
    options=Options,
    definitions=(SHARE,),
    editions=(PLAIN,),
    read=Spotting.read,
    schemas=(SIGHTINGS, ITEMS),
    knows=READERS["items"].holds,
    over="items",
    curves=True,
    batches=True,
    reporting=lambda: Reporting(
        (Section("spotted", "What was spotted", section, "Spotting is seen in runs"),)
    ),
    views=(View("sightings", "a row a sighting", explain),),
    words=Words("sightings"),
)
