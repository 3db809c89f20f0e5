"""Which way a measure goes, by its name alone: scores come from files, of whatever family."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from tseval.core.measure import Measure, parse_measure, split_measures
from tseval.core.registry import all_editions, families
from tseval.errors import MeasureError, UsageError
from tseval.tables import natural_order


@cache
def known_measures(name: str) -> tuple[Measure, ...]:
    """The measures of all families that are written like this; none if it is no measure's name."""
    found = []
    for definitions in families().values():
        try:
            found.append(parse_measure(name, definitions))
        except MeasureError:
            continue
    return tuple(found)


def higher_is_better(name: str) -> bool | None:
    """Whether higher is better by the measure's definition.

    None where no measure has the name, or two families have one that go different ways.
    """
    told = {measure.definition.higher_is_better for measure in known_measures(name)}
    return told.pop() if len(told) == 1 else None


@cache
def titles() -> dict[str, str]:
    """The measures' names by the titles that the tables of the track's scripts give them."""
    return {title: name for each in all_editions() for name, title in each.titles.items()}


def in_order(names: Iterable[str]) -> list[str]:
    """The measures in the order in which they are defined, then those that nobody knows."""
    listed = [name for definitions in families().values() for name in definitions]

    def place(name: str) -> int:
        known = known_measures(name)
        return listed.index(known[0].definition.name) if known else len(listed)

    return sorted(natural_order(names), key=place)


def wanted_measures(wanted: Sequence[str], present: Sequence[str]) -> list[str]:
    """The measures asked for, of those present, in the order asked for; all if none is named.

    A name may have blanks in brackets or stand by an official title. One that isn't there is a
    `UsageError`.
    """
    if not wanted:
        return list(present)
    found: list[str] = []
    for text in wanted:
        parts = [text.strip()] if named(text, present) else split_measures(text)
        for part in parts:
            name = named(part, present)
            if name is None:
                listed = ", ".join(present)
                raise UsageError(f"no scores of measure '{part}'; there are: {listed}")
            found.append(name)
    if not found:
        raise UsageError("no measure is named")
    return list(dict.fromkeys(found))


def named(text: str, present: Sequence[str]) -> str | None:
    """The measure that a text names, as it is written in the scores."""
    text = text.strip()
    written = {text, titles().get(text, text), *(each.name for each in known_measures(text))}
    return next((name for name in present if name in written), None)
