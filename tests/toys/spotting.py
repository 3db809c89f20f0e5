"""A toy family: which of the items on a list did a run spot, and when?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from tseval.core.blocks import Block, Head, Rows
from tseval.core.declared import argument, option
from tseval.core.editions import Edition
from tseval.core.family import Access, Asked, Evaluation, Family, Shown, View, Words, hashes
from tseval.core.ledgers import ALWAYS, Account, Ledger, ratio
from tseval.core.measure import Definition, Measure
from tseval.core.rules import RuleSet, choice
from tseval.core.sections import Reporting, Section, Setting
from tseval.files.inputs import Input as InputFile
from tseval.files.plain import recognise
from tseval.files.reading import read_runs, read_table
from tseval.parallel.runs import Spread
from tseval.records import frozen
from tseval.tables import ABSENT, Column, Ids, Kind, Origin, Schema, all_names, natural_order
from tseval.tables.arrow import strings
from tseval.tables.base import Table
from tseval.tables.keys import last_row_of, pair_keys
from tseval.tables.schema import RUN, TOPIC
from tseval.tables.units import Units

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

NAME = "spotting"
ITEM, TIME = Column("item", Kind.ID), Column("seen", Kind.TIME)
SIGHTINGS = Schema("sightings", (TOPIC, ITEM, TIME, RUN), ("run", "topic", "item"))
ITEMS = Schema("items", (TOPIC, ITEM, Column("since", Kind.TIME)), ("topic", "item"))


@frozen
class Sightings(Table):
    """What runs saw."""

    run: Ids
    topic: Ids
    item: Ids
    seen: FloatArray
    origin: Origin


@frozen
class Items(Table):
    """What there was to see."""

    topic: Ids
    item: Ids
    since: FloatArray
    origin: Origin


@frozen
class Inputs:
    """The files."""

    runs: Sequence[Any] = argument("RUN", "one or more runs", SIGHTINGS, several=True)
    items: Any = argument("ITEMS", "the list of items", ITEMS)


@frozen
class Options:
    """What may be asked for."""

    grace: int = option("--grace", "Seconds that count as at once.", default=0, kind=int)
    strangers: str | None = option("--strangers", "Sightings off the list.", rule="strangers")


@frozen
class Rules(RuleSet):
    """What editions do differently."""

    strangers: str = choice(
        "ignored", "sightings off the list", ignored="are left out", kept="fine"
    )


@frozen
class Index(Units):
    """Sightings by unit."""

    present: BoolArray
    unit: IntArray
    seen: FloatArray
    item_topic: IntArray
    starts: FloatArray


@frozen(kw_only=True)
class Spotting(Evaluation):
    """Runs and items, indexed."""

    words: ClassVar[Words] = Words("sightings")
    spotted: Index

    @property
    def index(self) -> Index:
        """What measures are taken from."""
        return self.spotted

    @property
    def starts(self) -> FloatArray:
        """When each topic starts."""
        return self.spotted.starts


def read(
    inputs: Inputs, options: Options, edition: Edition[Rules], rules: Mapping[str, str], how: Access
) -> Spotting:
    """Runs and items, read and indexed."""
    edition.rules.changed(rules)
    said = read_runs(inputs.runs, SIGHTINGS, Sightings, how.form("run"), Spread(how.sharing))
    items = read_table(inputs.items, ITEMS, Items, how.form("items"))
    runs = natural_order(said.run.vocabulary())
    topics = natural_order(all_names(items.topic).to_pylist())
    item_topic = items.topic.within(strings(topics))
    starts = np.full(len(topics), np.inf)
    np.minimum.at(starts, item_topic, items.since)
    wanted = pair_keys(said.topic, said.item, items.topic, items.item)
    row = last_row_of(wanted, pair_keys(items.topic, items.item, items.topic, items.item))
    there = row != ABSENT
    unit = said.run.within(strings(runs)) * len(topics) + item_topic[row]
    present = np.bincount(unit[there], minlength=len(runs) * len(topics)) > 0
    seen = np.maximum(said.seen - options.grace, items.since[row])
    index = Index(
        tuple(runs),
        tuple(topics),
        present.reshape(len(runs), len(topics)),
        unit[there],
        seen[there],
        item_topic,
        starts,
    )
    traits = {"grace": str(options.grace)} | hashes({"items": items.origin})
    inputs_read = (*said.origin.sources, *items.origin.sources)
    return Spotting(edition=edition, traits=traits, inputs=inputs_read, spotted=index)


def spotted(index: Index, _: Measure) -> Account:
    """The items spotted, by all."""
    every = np.tile(np.arange(len(index.topics)), len(index.runs))
    number = np.bincount(index.item_topic, minlength=len(index.topics)).astype(np.float64)
    ones, always = np.ones(len(index.unit)), np.full(index.units, ALWAYS)
    below = Ledger.of(np.arange(index.units), always, number[every])
    return Account((Ledger.of(index.unit, index.seen, ones), below), ratio)


def explain(evaluation: Spotting, _: Asked[Options]) -> Shown:
    """A row a sighting."""
    index = evaluation.index
    topics = [index.topics[unit % len(index.topics)] for unit in index.unit.tolist()]
    return Shown(pd.DataFrame({"topic": topics, "seen": index.seen}))


def counted(evaluation: Spotting, setting: Setting[Options]) -> Iterator[Block]:
    """How much each run saw, for a report."""
    seen = np.bincount(evaluation.index.unit, minlength=evaluation.index.units)
    by_run = seen.reshape(len(evaluation.index.runs), -1).sum(axis=1).tolist()
    rows = [(setting.run(run), n) for run, n in zip(evaluation.index.runs, by_run, strict=True)]
    heads = (Head("run", "run"), Head("sightings", "count"))
    yield Rows("Sightings of every run", heads, tuple(sorted(rows)))


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
    read=read,
    schemas=(SIGHTINGS, ITEMS),
    knows=lambda path: not ITEMS.missing(recognise(InputFile(path))[1]),
    over="items",
    curves=True,
    reporting=lambda: Reporting(
        (Section("spotted", "What was spotted", counted, "Spotting is seen in runs"),)
    ),
    views=(View("sightings", "a row a sighting", explain),),
    words=Words("sightings"),
)
