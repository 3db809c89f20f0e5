"""What a matcher makes of texts before it scores them: nuggets once, updates a block at a time."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from matchers.pairs import Pairs


class Block(Protocol):
    """Some updates, read and ready to be scored against the nuggets."""

    def reaching(self, threshold: float) -> Pairs:
        """All pairs that score `threshold` (above 0) or more, rows counted from 0."""

    def scores(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """The score of each pair (update[i], nugget[i]), however low."""


class MatcherGold(Protocol):
    """The nuggets of one call, prepared."""

    def block(self, texts: list[str]) -> Block:
        """Read updates; a text occurs once among them."""

    def only(self, nuggets: NDArray[np.int64]) -> MatcherGold:
        """The same for the nuggets of these rows alone, in this order."""
