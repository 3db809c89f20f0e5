"""Names of values that trackers of experiments take: letters, digits and underscores alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

LONGEST = 250
"""MLflow takes no longer name."""
_AT, _OTHER = re.compile(r"@"), re.compile(r"[^A-Za-z0-9_]+")


def safe_names(names: Sequence[str]) -> list[str]:
    """The names such that W&B and MLflow take them, no two alike; the same names give the same.

    W&B sorts and filters by names of letters, digits and underscores that begin with no digit;
    MLflow takes these too, up to `LONGEST` characters. A name that would be another's has a number.
    """
    taken: set[str] = set()
    return [_apart(_plain(name), taken) for name in names]


def _plain(name: str) -> str:
    plain = _OTHER.sub("_", _AT.sub("_at_", name)).strip("_") or "value"
    return (f"_{plain}" if plain[0].isdigit() else plain)[:LONGEST]


def _apart(plain: str, taken: set[str]) -> str:
    """The name, with a number behind it if it is taken; it is taken then."""
    found, number = plain, 1
    while found in taken:
        number += 1
        end = f"_{number}"
        found = plain[: LONGEST - len(end)] + end
    taken.add(found)
    return found
