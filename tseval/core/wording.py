"""Words that warnings and errors of all families are made of."""

from __future__ import annotations

from collections.abc import Sequence

NAMED = 5
"""How many names a warning lists before it counts the rest."""


def count(number: int, noun: str) -> str:
    """A number with its noun: `1 topic`, `3 topics`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def none_of(whose: str, number: int, noun: str, nouns: str) -> str:
    """That none is something: `none of the 3 matches is`, `the one match is not`."""
    return f"none of {whose} {number:,} {nouns} is" if number > 1 else f"{whose} one {noun} is not"


def listed(names: Sequence[str]) -> str:
    """Some names in words: all of them if they are few."""
    shown = ", ".join(names[:NAMED])
    rest = len(names) - NAMED
    return shown if rest <= 0 else f"{shown} and {rest:,} more"
