"""Incident streams: what the family declares."""

from __future__ import annotations

from tseval.core.family import Family, NoInputs, NoOptions, Words, not_yet
from tseval.families.incidents import alerts, information_types, priorities
from tseval.families.incidents.editions import (
    INCIDENT_2018,
    INCIDENT_2018V2,
    INCIDENT_2019A,
    INCIDENT_2019B,
    INCIDENT_2021,
    INCIDENT_NOTE,
    INCIDENT_PROPOSAL,
)

FAMILY = Family(
    name="incidents",
    command="incidents",
    summary="Information types, priority and alerts of incident streams.",
    description="",
    inputs=NoInputs,
    options=NoOptions,
    definitions=(
        *information_types.DEFINITIONS,
        *priorities.DEFINITIONS,
        *alerts.DEFINITIONS,
    ),
    editions=(
        INCIDENT_NOTE,
        INCIDENT_2018,
        INCIDENT_2018V2,
        INCIDENT_2019A,
        INCIDENT_2019B,
        INCIDENT_2021,
        INCIDENT_PROPOSAL,
    ),
    read=not_yet,
    words=Words("labelled posts", "event", "counted as posts that the run lacks", "left out"),
)
