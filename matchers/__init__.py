"""Which update says which nugget? Texts in, scored pairs out.

    matcher = matchers.get("fuzzy", threshold=0.55)  # or matchers.get("fuzzy(threshold=0.55)")
    pairs = matcher.match(updates, nuggets, collection=all_nuggets)
    pairs.update, pairs.nugget, pairs.score
    matcher.explain(update, nugget, collection=all_nuggets)

The package knows nothing of topics, times, runs or measures. Everything public is named here. The
classes of matchers are loaded when first used, so that a matcher loads what it needs and no more:

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

from matchers.collection import Collection
from matchers.contract import Assessed, Judgment, Lot, Matcher, Planned, PreparedNuggets, Terms
from matchers.errors import MatcherError
from matchers.evidence import Evidence, MatchedWord, MissingWord
from matchers.pairs import Block, MatcherGold, Pairs
from matchers.parameters import Form, parameter
from matchers.registry import BUILT_IN, get, names
from matchers.words import normalised, words

if TYPE_CHECKING:
    from matchers.blend import Blend, WeightedMatcher
    from matchers.containment import Fuzzy, Grams
    from matchers.learned import Learned
    from matchers.sentence_models import Embedding, Late
    from matchers.whole_texts import Exact, RapidFuzz

__all__ = [
    "Assessed",
    "Blend",
    "Block",
    "Collection",
    "Embedding",
    "Evidence",
    "Exact",
    "Form",
    "Fuzzy",
    "Grams",
    "Judgment",
    "Late",
    "Learned",
    "Lot",
    "MatchedWord",
    "Matcher",
    "MatcherError",
    "MatcherGold",
    "MissingWord",
    "Pairs",
    "Planned",
    "PreparedNuggets",
    "RapidFuzz",
    "Terms",
    "WeightedMatcher",
    "get",
    "names",
    "normalised",
    "parameter",
    "words",
]

_LAZY = {name: module for module, _, name in (each.partition(":") for each in BUILT_IN.values())}
_LAZY["WeightedMatcher"] = _LAZY["Blend"]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'matchers' has no attribute '{name}'")
    return getattr(import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return __all__
