"""Corrected scores, slow and obvious: one run, one nugget, one text at a time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Read:
    """What is read of a run for a nugget: the texts from the likeliest on."""

    texts: tuple[str, ...]
    foretold: float


def read_of(scores: Mapping[str, float], depth: int) -> Read:
    """Of a run's texts with their probabilities."""
    ranked = sorted((text for text in scores if scores[text] > 0), key=lambda t: (-scores[t], t))
    silent = 1.0
    for text in ranked[:depth]:
        silent *= 1 - scores[text]
    return Read(tuple(ranked[:depth]), 1 - silent)


def said(read: Read, verdicts: Mapping[str, str]) -> bool | None:
    """Whether a run says a nugget, by verdicts on texts; None where one that is needed is blank."""
    for text in read.texts:
        verdict = verdicts.get(text, "")
        if verdict == "yes":
            return True
        if verdict == "":
            return None
    return False


def total(
    worth: Sequence[float],
    foretold: Sequence[float],
    judged: Mapping[int, tuple[bool, float]],
) -> float:
    """The estimated sum of what is said: judged are some nuggets, with their inclusions."""
    whole = sum(w * f for w, f in zip(worth, foretold, strict=True))
    for at, (is_said, inclusion) in judged.items():
        whole += worth[at] * (is_said - foretold[at]) / inclusion
    return whole


def error(units: Iterable[tuple[int, float, float, float]]) -> float:
    """The standard error of a total, of (stratum, inclusion, value, foreseen variance)."""
    variance = 0.0
    every = list(units)
    for stratum in {unit[0] for unit in every}:
        own = [unit for unit in every if unit[0] == stratum and unit[1] < 1]
        number = len([unit for unit in every if unit[0] == stratum])
        if not own:
            continue
        weight = sum(1 - p for _, p, _, _ in own)
        mean = sum((1 - p) * value / p for _, p, value, _ in own) / weight
        spread = sum((1 - p) * (value / p - mean) ** 2 for _, p, value, _ in own) * number
        expected = sum((1 - p) * seen / p**2 for _, p, _, seen in own)
        variance += (spread + 2 * expected) / (number - 1 + 2)
    return math.sqrt(variance)


def interval(value: float, spread: float) -> tuple[float, float]:
    """The interval of a share."""
    reach = 1.959963984540054 * spread
    if not 0 < value < 1:
        return min(max(value - reach, 0), 1), min(max(value + reach, 0), 1)
    odds, away = math.log(value / (1 - value)), reach / (value * (1 - value))
    low, high = (1 / (1 + math.exp(min(-(odds + sign * away), 700))) for sign in (-1, 1))
    return low, high


def systematic(inclusion: Sequence[float], start: int) -> list[int]:
    """The units on whose stretch of the line a mark falls: one at every million from the start."""
    ends = np.cumsum([round(each * 1_000_000) for each in inclusion])
    found = []
    for at, end in enumerate(ends.tolist()):
        begin = ends[at - 1] if at else 0
        if any(begin < mark <= end for mark in range(1_000_000 - start, int(end) + 1, 1_000_000)):
            found.append(at)
    return found
