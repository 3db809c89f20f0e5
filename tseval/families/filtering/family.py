"""Filtering over time: what the family declares."""

from __future__ import annotations

from tseval.core.family import Family, NoInputs, NoOptions, Words, not_yet
from tseval.families.filtering import measures
from tseval.families.filtering.editions import DIETZ2013, KBA2013, KENTER2015
from tseval.families.filtering.formats import FORMATS

FAMILY = Family(
    name="filtering",
    command="filter",
    summary="Filtering over time: batches, trends, end points.",
    description="",
    inputs=NoInputs,
    options=NoOptions,
    definitions=measures.DEFINITIONS,
    editions=(KENTER2015, DIETZ2013, KBA2013),
    read=not_yet,
    formats=FORMATS,
    words=Words("judged documents", missing_left_out="left out"),
)
