"""What the numbers of a pair add up to, and the coefficients that come with the package."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matchers.collection import DECIMALS
from matchers.pair_numbers import Numbers

WORDS = ("mass", "found", "heaviest", "digits", "digits_missing", "length")
"""What words tell of a pair (`PairWords.numbers`);"""
LEXICAL = (*WORDS, "grams")
"""without a sentence model with the best window's share of runs of three letters;"""
ALIGNED = (*WORDS, "alignment", "said_in", "said_mean", "says")
"""with one with what `late` says, and how alike the other nuggets are (`neighbours`)."""

SIGNS = {"found": 1, "heaviest": 1, "digits": 1, "grams": 1, "alignment": 1, "digits_missing": -1}
"""Which way a number may move a score; the others may move it either way."""


@dataclass(frozen=True, eq=False)
class Coefficients:
    """What each number adds to the log odds, by itself and per unit.

    `model` names the sentence model that was trained with, and its hashes.
    """

    constant: float
    each: dict[str, float]
    sha256: str = ""
    model: dict[str, str] = field(default_factory=dict)

    def log_odds(self, numbers: Numbers) -> NDArray[np.float64]:
        """The constant and what some numbers add to it, always in the same order."""
        names = [name for name in self.each if name in numbers]
        total = sum((self.each[name] * numbers[name] for name in names), np.zeros(()))
        return np.asarray(self.constant + total, np.float64)


def probability(log_odds: NDArray[np.float64], spoken: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The scores; 0 where a text has no words."""
    rounded = np.round(np.where(spoken, 1 / (1 + np.exp(-log_odds)), 0), DECIMALS)
    return rounded.astype(np.float64)


def needed(threshold: float) -> float:
    """The log odds below which no score reaches `threshold`, however it is rounded."""
    reached = threshold - 10.0**-DECIMALS
    return float(np.log(reached / (1 - reached))) - 1e-6 if reached > 0 else -np.inf


@cache
def shipped(name: str) -> Coefficients:
    """The coefficients of this name, which lie beside this module."""
    content = (Path(__file__).with_name(name)).read_bytes()
    told: dict[str, Any] = json.loads(content)
    return Coefficients(
        told["constant"],
        told["coefficients"],
        hashlib.sha256(content).hexdigest(),
        told.get("model", {}),
    )
