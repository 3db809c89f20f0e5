"""Slow, obvious twins of what the program does, which share no code with it."""

from __future__ import annotations

import math


def close(
    ours: float | None, theirs: float | None, rel: float = 1e-12, least: float = 1e-12
) -> bool:
    """Whether a number of the program is that of a twin, both None where undefined."""
    if ours is None or theirs is None:
        return ours is theirs
    return math.isclose(ours, float(theirs), rel_tol=rel, abs_tol=least)
