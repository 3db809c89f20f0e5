"""Which update says which nugget? Texts in, scored pairs out.

    matcher = matchers.get("fuzzy", threshold=0.55)  # or matchers.get("fuzzy(threshold=0.55)")
    pairs = matcher.match(updates, nuggets, collection=all_nuggets)
    pairs.update, pairs.nugget, pairs.score
    matcher.explain(update, nugget, collection=all_nuggets)

The package knows nothing of topics, times, runs or measures. Everything public is named here:

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

from matchers.assessed import Assessed
from matchers.blend import Blend, WeightedMatcher
from matchers.collection import Collection
from matchers.contract import Judgment, Lot, Matcher, PreparedNuggets
from matchers.embedding import Embedding
from matchers.errors import MatcherError
from matchers.evidence import Evidence, MatchedWord, MissingWord
from matchers.exact import Exact
from matchers.fuzzy import Fuzzy
from matchers.grams import Grams
from matchers.late import Late
from matchers.learned import Learned
from matchers.pairs import Pairs
from matchers.parameters import Form, parameter
from matchers.prepared import Block, MatcherGold
from matchers.registry import get, names
from matchers.sentence import RapidFuzz
from matchers.terms import Planned, Terms
from matchers.words import normalised, words

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
