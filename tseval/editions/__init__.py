"""Editions: the rules of each published evaluation, as data."""

from __future__ import annotations

from tseval.editions.clusters import MB2015, PROPOSAL, RTS2016, RTS2017
from tseval.editions.edition import Edition
from tseval.editions.filtering import DIETZ2013, KBA2013, KENTER2015
from tseval.editions.incidents import (
    INCIDENT_2018,
    INCIDENT_2018V2,
    INCIDENT_2019A,
    INCIDENT_2019B,
    INCIDENT_2021,
    INCIDENT_NOTE,
    INCIDENT_PROPOSAL,
)
from tseval.editions.temporal import DRAFT, TS, TS2013, TS2014, TS2015
from tseval.errors import UsageError
from tseval.measures.habits import Habit
from tseval.measures.rules import Rules

__all__ = [
    "DIETZ2013",
    "DRAFT",
    "EDITIONS",
    "INCIDENT_2018",
    "INCIDENT_2018V2",
    "INCIDENT_2019A",
    "INCIDENT_2019B",
    "INCIDENT_2021",
    "INCIDENT_NOTE",
    "INCIDENT_PROPOSAL",
    "KBA2013",
    "KENTER2015",
    "MB2015",
    "PROPOSAL",
    "RTS2016",
    "RTS2017",
    "TS",
    "TS2013",
    "TS2014",
    "TS2015",
    "Edition",
    "Habit",
    "Rules",
    "edition",
    "editions",
]

EDITIONS = (
    DRAFT,
    TS,
    TS2013,
    TS2014,
    TS2015,
    PROPOSAL,
    MB2015,
    RTS2016,
    RTS2017,
    KENTER2015,
    DIETZ2013,
    KBA2013,
    INCIDENT_NOTE,
    INCIDENT_2018,
    INCIDENT_2018V2,
    INCIDENT_2019A,
    INCIDENT_2019B,
    INCIDENT_2021,
    INCIDENT_PROPOSAL,
)
"""Every edition; a name may stand once in a family."""


def editions(name: str) -> list[Edition]:
    """The editions of this name, one a family; a `UsageError` lists the known names."""
    found = [each for each in EDITIONS if each.name == name]
    if not found:
        known = dict.fromkeys(each.name for each in EDITIONS)
        raise UsageError(f"unknown edition '{name}'; known: {', '.join(known)}")
    return found


def edition(name: str, family: str) -> Edition:
    """A family's edition of this name; a `UsageError` lists the known."""
    known = [each.name for each in EDITIONS if each.family == family]
    if name not in {each.name for each in EDITIONS}:
        raise UsageError(f"unknown edition '{name}'; known: {', '.join(known)}")
    found = editions(name)
    for each in found:
        if each.family == family:
            return each
    listed = ", ".join(known)
    raise UsageError(f"edition {name} is for {found[0].family}; for {family} there are: {listed}")
