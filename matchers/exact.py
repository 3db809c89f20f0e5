"""`exact`: the same words in the same order."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from matchers.collection import Collection
from matchers.contract import Matcher
from matchers.pairs import Pairs
from matchers.parameters import flag, parameter, threshold
from matchers.words import normalised


@dataclass(frozen=True)
class Exact(Matcher):
    """1 if the normalised texts are equal, 0 otherwise.

    With `contained` also 1 if one of the texts is a run of whole words of the other: "4 dead" is
    in "at least 4 dead" but not in "24 dead". Texts without words match nothing.
    """

    name: ClassVar[str] = "exact"
    contained: bool = parameter(
        False, flag(), "whether a text that stands in the other one matches it"
    )
    threshold: float = threshold(1.0)

    def prepare(self, nuggets: Collection, collection: Collection) -> ExactGold:  # noqa: ARG002
        """Normalise the nuggets; no weights are needed."""
        return ExactGold([normalised(text) for text in nuggets], self.contained)


@dataclass(frozen=True, eq=False)
class ExactGold:
    """Nuggets, normalised."""

    nuggets: list[str]
    contained: bool

    def block(self, texts: list[str]) -> ExactBlock:
        """Normalise updates."""
        return ExactBlock([normalised(text) for text in texts], self)

    @cached_property
    def places(self) -> Mapping[str, list[int]]:
        """Where each different nugget with words stands; found once, however many blocks come."""
        found = defaultdict(list)
        for place, nugget in enumerate(self.nuggets):
            if nugget:
                found[nugget].append(place)
        return found

    def only(self, nuggets: NDArray[np.int64]) -> ExactGold:
        """The nuggets of these rows alone."""
        return ExactGold([self.nuggets[i] for i in nuggets], self.contained)


@dataclass(frozen=True, eq=False)
class ExactBlock:
    """Updates and nuggets, normalised."""

    updates: list[str]
    gold: ExactGold

    def reaching(self, threshold: float) -> Pairs:  # noqa: ARG002
        """The pairs that match: scores are 0 or 1, so every threshold above 0 is the same."""
        places, nuggets = self.gold.places, self.gold.nuggets
        found = {(u, n) for u, update in enumerate(self.updates) for n in places.get(update, ())}
        if self.gold.contained:
            found.update((u, n) for n, u in _contained_needles(nuggets, self.updates))
            found.update(_contained_needles(self.updates, nuggets))
        rows = np.array(list(found), np.int64).reshape(-1, 2)
        return Pairs.of(rows[:, 0], rows[:, 1], np.ones(len(rows)))

    def scores(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """1 or 0 for each pair."""
        same = [
            _same(self.updates[u], self.gold.nuggets[n], self.gold.contained)
            for u, n in zip(update, nugget, strict=True)
        ]
        return np.array(same, np.float64)


def _same(update: str, nugget: str, contained: bool) -> bool:
    if not update or not nugget:
        return False
    update, nugget = f" {update} ", f" {nugget} "
    return update == nugget or (contained and (nugget in update or update in nugget))


def _contained_needles(needles: Sequence[str], texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Which needles are a run of words of which texts; all texts are searched as one string."""
    joined = "\0".join(f" {text} " for text in texts)
    starts = list(accumulate((len(text) + 3 for text in texts), initial=0))
    for number_, needle in enumerate(needles):
        place = joined.find(f" {needle} ") if needle else -1
        while place >= 0:
            text = bisect_right(starts, place) - 1
            yield number_, text
            place = joined.find(f" {needle} ", starts[text + 1])
