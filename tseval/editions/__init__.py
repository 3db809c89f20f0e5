"""Editions: the rules of each published evaluation, as data."""

from __future__ import annotations

from tseval.editions.clusters import MB2015, PROPOSAL, RTS2016, RTS2017
from tseval.editions.edition import Edition
from tseval.editions.temporal import DRAFT, TS, TS2013, TS2014, TS2015
from tseval.errors import UsageError
from tseval.measures.habits import Habit
from tseval.measures.rules import Rules

__all__ = [
    "DRAFT",
    "EDITIONS",
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
]

_ALL = (DRAFT, TS, TS2013, TS2014, TS2015, PROPOSAL, MB2015, RTS2016, RTS2017)
EDITIONS = {edition.name: edition for edition in _ALL}
"""Every edition by its name."""


def edition(name: str, family: str | None = None) -> Edition:
    """The edition of this name, of a family if one is named; a `UsageError` lists the known."""
    known = [each.name for each in EDITIONS.values() if family in (None, each.family)]
    if name not in EDITIONS:
        raise UsageError(f"unknown edition '{name}'; known: {', '.join(known)}")
    chosen = EDITIONS[name]
    if name not in known:
        listed = ", ".join(known)
        raise UsageError(f"edition {name} is for {chosen.family}; for {family} there are: {listed}")
    return chosen
