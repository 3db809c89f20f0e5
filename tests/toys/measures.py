"""Toy measures: one that a plug-in brings to updates and nuggets, one of the family `spotting`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from tests.plugin_package.src.tseval_spotting import spotting
from tseval.core import kernel
from tseval.measures import Definition, Measure

if TYPE_CHECKING:
    from tseval.core.frames import FrameIndex
    from tseval.core.results import Result
    from tseval.families.temporal.rows import EarliestIndex


def _talk(index: EarliestIndex, _: Measure) -> Result:
    """Updates before t, by all nuggets."""
    sent = index.outputs.select(*kernel.KEY, "time", above=1.0)
    gold = index.pairs.join(index["nuggets"], on="topic")
    gold = gold.select(*kernel.KEY, time=pl.lit(kernel.ALWAYS), below=1.0)
    return index.result(kernel.Contributions([sent, gold], kernel.ratio()))


TALK = Definition(
    name="talk",
    family="temporal",
    title="updates per nugget",
    summary="how many updates a run has sent for each nugget there is",
    formula="updates before t / nuggets",
    empty_case="0 for an empty run",
    range="0 and more",
    citation="nobody",
    account=_talk,
)


def _overlooked(index: FrameIndex, measure: Measure) -> Result:
    """The items not spotted, by all."""
    seen: Any = spotting.spotted(index, measure)
    rest = (1 - kernel.divided("above", "below")).alias("value")
    return index.result(replace(seen.contributions, score=lambda sums: sums.with_columns(rest)))


OVERLOOKED = Definition(
    name="overlooked",
    family=spotting.NAME,
    title="items overlooked",
    summary="how many of the items a run has not seen",
    formula="1 - spotted",
    empty_case="1 for an empty run",
    range="0 to 1",
    citation="nobody",
    account=_overlooked,
    higher_is_better=False,
)
