"""Compact letters: two runs share one if, and only if, no difference was found between them."""

from __future__ import annotations

import string

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]


def compact_letters(differ: Bools) -> list[str]:
    """The letters of each run, from which of them differ; the runs are given best first.

    Every letter stands for a set of runs none of which differ, and which no other run could join.
    Sets are made until each pair that doesn't differ is in one, first those of the best runs; then
    what is not needed is dropped. A run that differs from all has a letter of its own.
    """
    alike = ~differ & ~differ.T
    np.fill_diagonal(alike, True)
    groups = _needed(_groups(alike), alike)
    groups.sort(key=lambda group: np.flatnonzero(group).tolist())
    return [
        "".join(letter(place) for place, group in enumerate(groups) if group[run])
        for run in range(len(alike))
    ]


def letter(place: int) -> str:
    """The name of a group: a to z, then a', b' and so on, so that they can be put together."""
    return string.ascii_lowercase[place % 26] + "'" * (place // 26)


def _groups(alike: Bools) -> list[Bools]:
    """Sets of runs that are all alike, as large as can be, until every alike pair is in one."""
    open_pairs = alike.copy()
    groups = []
    while open_pairs.any():
        first, second = np.unravel_index(int(np.argmax(open_pairs)), alike.shape)
        group = _grown(int(first), int(second), alike)
        open_pairs[np.ix_(group, group)] = False
        groups.append(group)
    return groups


def _grown(first: int, second: int, alike: Bools) -> Bools:
    """The pair with all runs, the best first, that are alike to it and to those before."""
    group = np.zeros(len(alike), bool)
    group[[first, second]] = True
    fitting = alike[first] & alike[second] & ~group
    while fitting.any():
        joining = int(np.argmax(fitting))
        group[joining] = True
        fitting &= alike[joining]
        fitting[joining] = False
    return group


def _needed(groups: list[Bools], alike: Bools) -> list[Bools]:
    """The groups without those whose every pair is in others too, the latest dropped first."""
    covered = np.zeros(alike.shape, np.int64)
    for group in groups:
        covered[np.ix_(group, group)] += 1
    kept = []
    for group in reversed(groups):
        block = np.ix_(group, group)
        if (covered[block] > 1).all():
            covered[block] -= 1
        else:
            kept.append(group)
    return kept
