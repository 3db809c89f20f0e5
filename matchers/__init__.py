"""Which update says which nugget? Texts in, scored pairs out.

    matcher = matchers.get("fuzzy", threshold=0.55)  # or matchers.get("fuzzy(threshold=0.55)")
    pairs = matcher.match(updates, nuggets, collection=all_nuggets)
    pairs.update, pairs.nugget, pairs.score
    matcher.explain(update, nugget, collection=all_nuggets)

The package knows nothing of topics, times, runs or measures. Everything public is named here, and
loaded when first used, so that a matcher loads what it needs and no more:

* `get`, `names`: matchers by name; `Exact`, `Fuzzy`, `Grams`, `RapidFuzz`, `Embedding`, `Late`,
  `Learned`, `Blend` (of `WeightedMatcher`) and `Assessed` are their classes.
* `Pairs`: the result. `Evidence`, `MatchedWord`, `MissingWord`: why a pair has its score.
* `Collection`: the gold texts that weights come from, counted once for many calls.
* `words`, `normalised`: the normaliser.
* `Matcher`, with `MatcherGold`, `Block`, `Form` and `parameter`: what a plug-in is made of.
* `Terms`, `Planned`: how a matcher may ask a model, and what that would take; `Lot`, `Judgment`:
  what it asks about at once, and what it was answered.
* `MatcherError`: the only exception, a ValueError.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from matchers.words import normalised as normalised
from matchers.words import words as words

if TYPE_CHECKING:
    from matchers.assessed import Assessed as Assessed
    from matchers.blend import Blend as Blend
    from matchers.blend import WeightedMatcher as WeightedMatcher
    from matchers.collection import Collection as Collection
    from matchers.contract import (
        Judgment as Judgment,
    )
    from matchers.contract import (
        Lot as Lot,
    )
    from matchers.contract import (
        Matcher as Matcher,
    )
    from matchers.contract import (
        PreparedNuggets as PreparedNuggets,
    )
    from matchers.embedding import Embedding as Embedding
    from matchers.errors import MatcherError as MatcherError
    from matchers.evidence import (
        Evidence as Evidence,
    )
    from matchers.evidence import (
        MatchedWord as MatchedWord,
    )
    from matchers.evidence import (
        MissingWord as MissingWord,
    )
    from matchers.exact import Exact as Exact
    from matchers.fuzzy import Fuzzy as Fuzzy
    from matchers.grams import Grams as Grams
    from matchers.late import Late as Late
    from matchers.learned import Learned as Learned
    from matchers.pairs import Pairs as Pairs
    from matchers.parameters import Form as Form
    from matchers.parameters import parameter as parameter
    from matchers.prepared import Block as Block
    from matchers.prepared import MatcherGold as MatcherGold
    from matchers.registry import get as get
    from matchers.registry import names as names
    from matchers.sentence import RapidFuzz as RapidFuzz
    from matchers.terms import Planned as Planned
    from matchers.terms import Terms as Terms

_PUBLIC = {
    "Assessed": "matchers.assessed",
    "Blend": "matchers.blend",
    "Block": "matchers.prepared",
    "Collection": "matchers.collection",
    "Embedding": "matchers.embedding",
    "Evidence": "matchers.evidence",
    "Exact": "matchers.exact",
    "Form": "matchers.parameters",
    "Fuzzy": "matchers.fuzzy",
    "Grams": "matchers.grams",
    "Judgment": "matchers.contract",
    "Late": "matchers.late",
    "Learned": "matchers.learned",
    "Lot": "matchers.contract",
    "MatchedWord": "matchers.evidence",
    "Matcher": "matchers.contract",
    "MatcherError": "matchers.errors",
    "MatcherGold": "matchers.prepared",
    "MissingWord": "matchers.evidence",
    "Pairs": "matchers.pairs",
    "Planned": "matchers.terms",
    "PreparedNuggets": "matchers.contract",
    "RapidFuzz": "matchers.sentence",
    "Terms": "matchers.terms",
    "WeightedMatcher": "matchers.blend",
    "get": "matchers.registry",
    "names": "matchers.registry",
    "parameter": "matchers.parameters",
}


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'matchers' has no attribute '{name}'")
    return getattr(import_module(_PUBLIC[name]), name)


__all__ = sorted([*_PUBLIC, "normalised", "words"])


def __dir__() -> list[str]:
    return __all__
