"""Toy measures: one that a plug-in brings to updates and nuggets, one of the family `spotting`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tests.toys import spotting
from tseval.core import kernel
from tseval.core.ledgers import ALWAYS, Account, Ledger, ratio
from tseval.measures import Definition, Measure

if TYPE_CHECKING:
    from tseval.core.frames import FrameIndex
    from tseval.core.results import Result
    from tseval.families.temporal.earliest import EarliestIndex


def _talk(index: EarliestIndex, _: Measure) -> Account:
    """Updates before t, by all nuggets."""
    sent, (unit, _rows) = index.sent, index.gold_units()
    said = Ledger.of(index.unit[sent], index.updates.time[sent], np.ones(len(sent)))
    return Account((said, Ledger.of(unit, np.full(len(unit), ALWAYS), np.ones(len(unit)))), ratio)


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
    seen = spotting.spotted(index, measure)
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
