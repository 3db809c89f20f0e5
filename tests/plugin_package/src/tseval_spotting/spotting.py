"""A family in one file: which of the items on a list did a run spot, and when?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import polars as pl

from tseval import plugins as tp

NAME, ITEM = "spotting", tp.Column("item", tp.Kind.ID)
SIGHTINGS = tp.Schema(
    "sightings", (tp.TOPIC, ITEM, tp.Column("seen", tp.Kind.TIME), tp.RUN), ("run", "topic", "item")
)
ITEMS = tp.Schema("items", (tp.TOPIC, ITEM, tp.Column("since", tp.Kind.TIME)), ("topic", "item"))
READERS = {"runs": tp.TableReader(schema=SIGHTINGS), "items": tp.TableReader(schema=ITEMS)}


@tp.frozen
class Inputs:
    """The files."""

    runs: Sequence[Any] = tp.argument("RUN", "one or more runs", SIGHTINGS, several=True)
    items: Any = tp.argument("ITEMS", "the list of items", ITEMS)


@tp.frozen
class Options:
    """What may be asked for."""

    grace: int = tp.option("Seconds that count as at once.", default=0)
    strangers: str | None = tp.option("Sightings off the list.", rule="strangers")


@tp.frozen
class Rules(tp.RuleSet):
    """What editions do differently."""

    strangers: str = tp.choice("sightings off the list", ignored="left out", kept="fine")


@tp.frozen(kw_only=True)
class Spotting(tp.FrameEvaluation):
    """Runs and items, joined."""

    words: ClassVar[tp.Words] = tp.Words("sightings")
    readers: ClassVar[Mapping[str, tp.TableReader]] = READERS

    @classmethod
    def build(cls, request: tp.Request) -> tp.Content:
        """Join the sightings of runs with the items on the list."""
        grace, tables, since = request.options.grace, request.tables, pl.col("since")
        items = tables["items"].frame.drop("file", "line")
        types = {"topic": tp.natural(items["topic"]), "run": tp.natural(tables["runs"].runs)}
        times = items.group_by("topic").agg(
            start=since.min(), end=since.max() + 1, latest=since.max()
        )
        times = times.cast({"topic": types["topic"]}).sort("topic")
        seen = tables["runs"].frame.join(items, on=["topic", "item"], maintain_order="left")
        seen = seen.cast(types).with_columns(time=pl.max_horizontal(since, pl.col("seen") - grace))
        index = tp.FrameIndex.of(types["run"].categories, times, seen, items=items)
        return tp.Content(index, traits={"grace": str(grace)})


def spotted(index: tp.FrameIndex, _: tp.Measure) -> tp.Result:
    """Divide the items spotted by all."""
    items = index["items"].with_columns(pl.col("topic").cast(index.outputs.schema["topic"]))
    gold = index.pairs.join(items, on="topic").select(*tp.KEY, time=pl.lit(tp.ALWAYS), below=1.0)
    seen = index.outputs.select(*tp.KEY, "time", above=1.0)
    return index.result(tp.Contributions([seen, gold], tp.ratio()))


def explain(evaluation: Spotting, _: tp.ViewRequest[Options]) -> tp.ViewRows:
    """Show a row a sighting."""
    return tp.ViewRows(tp.to_pandas(evaluation.index.outputs.select("topic", seen="time")))


def section(evaluation: Spotting, setting: tp.Setting[Options]) -> Iterator[tp.Block]:
    """Count the sightings of each run, for a report."""
    counts = evaluation.index.outputs.group_by(pl.col("run").cast(pl.String)).len()
    rows = sorted((setting.run(run), number) for run, number in counts.iter_rows())
    heads = (tp.Head("run", "run"), tp.Head("sightings", "count"))
    yield tp.Rows("Sightings of every run", heads, tuple(rows))


SHARE = tp.Definition(
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
PLAIN = tp.Edition(NAME, NAME, "as it comes", ("spotted",), "zero", "nobody", Rules())
FAMILY = tp.Family(
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
    reporting=lambda: tp.Reporting(
        (tp.Section("spotted", "What was spotted", section, "Spotting is seen in runs"),)
    ),
    views=(tp.View("sightings", "a row a sighting", explain),),
    words=tp.Words("sightings"),
)
