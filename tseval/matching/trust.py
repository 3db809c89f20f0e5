"""How far a matcher can be trusted, in a line: what was measured of it, and on which texts not."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from tseval.errors import TsevalError
from tseval.matching.matching import get_matcher
from tseval.tables import Texts

MEASURED: Mapping[str, tuple[float, float]] = {
    "rapidfuzz(scorer=ratio)": (0.040, 0.054),
    "rapidfuzz(scorer=token_set_ratio)": (0.259, 0.354),
    "rapidfuzz(scorer=partial_ratio)": (0.228, 0.290),
    "exact(contained=true)": (0.143, 0.242),
    "fuzzy": (0.294, 0.390),
    "fuzzy(window=40)": (0.345, 0.418),
    "fuzzy(window=40,doubt=2)": (0.361, 0.424),
    "grams": (0.248, 0.400),
    "grams(window=40)": (0.339, 0.409),
    "blend(fuzzy,grams)": (0.269, 0.418),
    "blend(fuzzy(window=40),grams(window=40))": (0.352, 0.417),
    "blend(fuzzy(window=40,doubt=2),grams(window=40))": (0.353, 0.422),
    "learned": (0.389, 0.444),
    "late": (0.335, 0.422),
    "learned(model=all-MiniLM-L6-v2)": (0.400, 0.446),
    "embedding": (0.152, 0.177),
    "embedding(window=16)": (0.162, 0.173),
    "blend(fuzzy,embedding)": (0.338, 0.430),
    "blend(fuzzy(window=40),grams(window=40),embedding)": (0.357, 0.430),
    "blend(fuzzy(window=40),grams(window=40),embedding(window=16))": (0.317, 0.425),
}
"""Cohen's kappa beside assessors, pair by pair, on TREC Temporal Summarization of 2013 and of 2014,
each by the threshold that was best for the other year: the tables of `docs/matching.md`."""
READER = 0.73
"""That of an attentive reader, on pairs of 2014."""
SHORT = 12
"""Texts with fewer words are shorter than those of the judgments."""
BEST_ON_SHORT = 0.31
"""The highest kappa of all matchers on the short alerts of `docs/matching.md`."""
LOOKED_AT = 500
"""So many texts of a column are looked at, evenly spread."""
MANY = 0.2
"""From this share of the texts on they count as written in a script without spaces."""
PAGE = "docs/matching.md"
UNMEASURED = "on which nothing was measured"
BEFORE = "do not rely on these scores before you have"


def trust(maker: str, updates: Texts, nuggets: Texts) -> str:
    """What a reader of scores should know whose matches a matcher found between these texts."""
    name, _, corrected = maker.partition("+corrections")
    called = name.partition("(")[0] + (" with corrections" if corrected else "")
    doubts = [_agreement(name)]
    if (few := _typical_words(updates)) < SHORT:
        doubts.append(
            f"half of the updates have {few:.0f} words or fewer, and on alerts so short no "
            f"matcher's kappa was above {BEST_ON_SHORT:.2f}: {BEFORE}"
        )
    if _unspaced(updates) or _unspaced(nuggets):
        doubts.append(f"many texts are in a script without spaces, {UNMEASURED}: {BEFORE}")
    return (
        f"{called} found these matches, not assessors: {'; '.join(doubts)} "
        f"(`tseval calibrate` measures it on your texts; {PAGE} tells more)"
    )


def _agreement(name: str) -> str:
    """How far this matcher agreed with assessors, as far as that is known."""
    found = measured(name)
    if found is None:
        return "how far it agrees with them was not measured"
    numbers = " and ".join(f"{each:.2f}" for each in found)
    return (
        f"its kappa beside them was {numbers} on TREC news of 2013 and 2014, "
        f"that of a careful reader {READER:.2f}"
    )


@cache
def measured(name: str) -> tuple[float, float] | None:
    """The kappas of a matcher whatever its threshold; None where it was not measured so."""
    wanted = _without_threshold(name)
    parts = _named(name)
    return next(
        (
            found
            for each, found in MEASURED.items()
            if _named(each) == parts and _without_threshold(each) == wanted
        ),
        None,
    )


def _named(name: str) -> set[str]:
    """The matchers that a name is made of: none of another has to be had to compare them."""
    from matchers.registry import BUILT_IN

    return set(re.findall(r"[a-z]+", name)) & set(BUILT_IN)


def _without_threshold(name: str) -> str:
    """A matcher's whole name but for its threshold; as it stands where it cannot be had here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # was said where the matcher was asked for
        try:
            return str(get_matcher(name, 0.5))
        except TsevalError:
            return name


def _some(texts: Texts) -> Sequence[str]:
    rows = np.linspace(0, max(0, len(texts) - 1), min(len(texts), LOOKED_AT)).astype(np.int64)
    return list(texts.rows(rows))


def _typical_words(texts: Texts) -> float:
    """The median number of words; infinite where there are no texts."""
    from matchers import words

    numbers = [len(words(text)) for text in _some(texts) if text.strip()]
    return float(np.median(numbers)) if numbers else np.inf


def _unspaced(texts: Texts) -> bool:
    """Whether many texts are in scripts without spaces."""
    from matchers import scripts

    letters = re.compile(f"[{''.join(map(scripts.letters_class, scripts.SIZES))}]")
    some = _some(texts)
    return sum(letters.search(text) is not None for text in some) > MANY * len(some)
