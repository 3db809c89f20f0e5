"""Every measure there is, by family and name; plug-ins come in by the entry point below."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.metadata import entry_points

from tseval.errors import MeasureError
from tseval.measures import (
    alerts,
    clusters,
    draft,
    filtering,
    information_types,
    priorities,
    push,
    track,
    tracking,
)
from tseval.measures.measure import Definition, Measure, parse_measure, split_measures

ENTRY_POINT = "tseval.measures"
"""A plug-in names a `Definition`, or an iterable of them, under this group."""

ALL = (
    *draft.DEFINITIONS,
    *track.DEFINITIONS,
    *tracking.DEFINITIONS,
    *clusters.DEFINITIONS,
    *push.DEFINITIONS,
    *information_types.DEFINITIONS,
    *priorities.DEFINITIONS,
    *alerts.DEFINITIONS,
    *filtering.DEFINITIONS,
)


@cache
def families() -> dict[str, dict[str, Definition]]:
    """The definitions by family, then name, in the order in which they are listed."""
    listed: dict[str, dict[str, Definition]] = {}
    for definition in (*ALL, *_plugged_in()):
        names = listed.setdefault(definition.family, {})
        if definition.name in names:
            raise MeasureError(f"two definitions of {definition.family} measure {definition.name}")
        names[definition.name] = definition
    return listed


def _plugged_in() -> Iterable[Definition]:
    for point in sorted(entry_points(group=ENTRY_POINT), key=lambda point: point.name):
        loaded = point.load()
        yield from (loaded,) if isinstance(loaded, Definition) else loaded


def definitions(family: str) -> dict[str, Definition]:
    """The definitions of one family by name."""
    if family not in families():
        raise MeasureError(f"unknown family '{family}'; known: {', '.join(families())}")
    return families()[family]


def measure(text: str, family: str = draft.FAMILY) -> Measure:
    """One measure by its name, such as `T(unit=min)@24h`."""
    return parse_measure(text.strip(), definitions(family))


def measures(wanted: Iterable[str | Measure], family: str = draft.FAMILY) -> list[Measure]:
    """Measures from values and strings; a string may hold several. Repeats are dropped."""
    listed = [
        each
        for item in wanted
        for each in (
            [item]
            if isinstance(item, Measure)
            else [measure(t, family) for t in split_measures(item)]
        )
    ]
    return list(dict.fromkeys(listed))
