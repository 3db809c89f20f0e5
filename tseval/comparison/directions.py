"""Which way a measure goes, by its name: scores come from files, of whatever family.

A signature tells of which family; where all scores have one, no other family is looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from tseval.core import registry
from tseval.core.measure import Measure, parse_measure, split_measures, with_name
from tseval.core.registry import definitions, family_names
from tseval.errors import MeasureError, UsageError, check_known
from tseval.io.names import natural_order


@cache
def known_measures(name: str, families: tuple[str, ...] | None = None) -> tuple[Measure, ...]:
    """The measures of these families, or of all, that are written like this."""
    found = []
    for family in family_names() if families is None else families:
        try:
            found.append(parse_measure(name, definitions(family)))
        except MeasureError:
            continue
    return tuple(found)


def families_of(signatures: Sequence[str], names: Sequence[str]) -> tuple[str, ...] | None:
    """The families of scores with these signatures and measures; None where that isn't told.

    It is the first family that has the edition and all the measures: others are not loaded.
    """
    found = {}
    for signature in signatures:
        parts = (part.partition(":") for part in signature.split("|"))
        traits = {name: value for name, _, value in parts}
        family = _family_of(traits.get("family"), traits.get("edition"), tuple(names))
        if family is None:
            return None
        found[family] = True
    return tuple(found) or None


@cache
def _family_of(name: str | None, edition: str | None, names: tuple[str, ...]) -> str | None:
    for each in family_names():
        has_edition = edition in {one.name for one in registry.family(each).editions}
        is_meant = name == each or (name is None and has_edition)
        if is_meant and all(
            known_measures(titles((each,)).get(one, one), (each,)) for one in names
        ):
            return each
    return None


def higher_is_better(name: str, families: tuple[str, ...] | None = None) -> bool | None:
    """Whether higher is better by the measure's definition.

    None where no measure has the name, or two families have one that go different ways.
    """
    told = {measure.higher_is_better for measure in known_measures(name, families)}
    return told.pop() if len(told) == 1 else None


@cache
def titles(families: tuple[str, ...] | None = None) -> dict[str, str]:
    """The measures' names by the titles that the tables of the track's scripts give them."""
    names = family_names() if families is None else families
    every = (edition for name in names for edition in registry.family(name).editions)
    return {title: name for each in every for name, title in each.titles.items()}


def in_order(names: Iterable[str], families: tuple[str, ...] | None = None) -> list[str]:
    """The measures in the order in which they are defined, then those that nobody knows."""
    within = family_names() if families is None else families
    listed = [name for family in within for name in definitions(family)]

    def place(name: str) -> int:
        known = known_measures(name, families)
        return listed.index(known[0].definition.name) if known else len(listed)

    return sorted(natural_order(names), key=place)


def choose_measures(
    wanted: Sequence[str], present: Sequence[str], families: tuple[str, ...] | None = None
) -> list[str]:
    """The measures asked for, of those present, in the order asked for; all if none is named.

    A name may have blanks in brackets or stand by an official title. One that isn't there is a
    `UsageError`.
    """
    if not wanted:
        return list(present)
    found: list[str] = []
    for text in wanted:
        parts = [text.strip()] if named(text, present, families) else split_measures(text)
        for part in parts:
            name = named(part, present, families)
            check_known("measure", name or part, present)
            found.append(name or part)
    if not found:
        raise UsageError("no measure is named")
    return list(dict.fromkeys(found))


def named(text: str, present: Sequence[str], families: tuple[str, ...] | None = None) -> str | None:
    """The measure that a text names, as it is written in the scores."""
    text, within = text.strip(), family_names() if families is None else families
    texts = dict.fromkeys((text, *(with_name(text, definitions(each)) for each in within)))
    known = [each for one in texts for each in known_measures(one, families)]
    written = {text, titles(families).get(text, text), *(each.name for each in known)}
    return next((name for name in present if name in written), None)
