"""Temporal summarization: what the family declares."""

from __future__ import annotations

from tseval.core.family import Family, NoInputs, NoOptions, Words, not_yet
from tseval.families.temporal import draft, track
from tseval.families.temporal.editions import DRAFT, TS, TS2013, TS2014, TS2015

FAMILY = Family(
    name="temporal",
    command="score",
    summary="Temporal summarization scores of one or more runs.",
    description="",
    inputs=NoInputs,
    options=NoOptions,
    definitions=(*draft.DEFINITIONS, *track.DEFINITIONS),
    editions=(DRAFT, TS, TS2013, TS2014, TS2015),
    read=not_yet,
    words=Words(),
)
