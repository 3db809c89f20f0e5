"""Matching as the specification says it, one pair at a time: slow, and plain to see.

Nothing of `matchers` is used here. Weights are whole numbers of 1 / 2**36, as documented, so that
scores can be compared exactly.
"""

import math
import re
import unicodedata
from fractions import Fraction

from rapidfuzz import fuzz

GRAIN = 2**36


def words(text):
    return re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())


def normalised(text):
    return " ".join(words(text))


def grams(text, n):
    if not words(text):
        return []
    padded = " " + normalised(text) + " "
    return [padded[i : i + n] for i in range(len(padded) - n + 1)]


def weight(term, collection, split):
    df = 0
    for text in collection:
        if term in split(text):
            df += 1
    return round((math.log((1 + len(collection)) / (1 + df)) + 1) * GRAIN)


def similarity(a, b, cutoff):
    if a == b:
        return 1.0
    for word in (a, b):
        if len(word) < 4 or any(letter.isdigit() for letter in word):
            return 0.0
    ratio = fuzz.ratio(a, b)
    return ratio / 100 if ratio >= cutoff else 0.0


def share(found, total):
    """The score, from whole numbers. Python's division of them is correctly rounded."""
    return round(found / total, 10) if total else 0.0


def fuzzy(update, nugget, collection, cutoff=80, doubt=0):
    found = 0
    total = round(doubt * GRAIN)
    for term in set(words(nugget)):
        best = max((similarity(word, term, cutoff) for word in words(update)), default=0.0)
        total += weight(term, collection, words)
        found += round(weight(term, collection, words) * best)
    return share(found, total)


def gram(update, nugget, collection, n=4):
    def split(text):
        return grams(text, n)

    found = total = 0
    for term in set(split(nugget)):
        total += weight(term, collection, split)
        if term in split(update):
            found += weight(term, collection, split)
    return share(found, total)


def exact(update, nugget, contained=False):
    a, b = words(update), words(nugget)
    if not a or not b:
        return 0.0
    if contained:
        return float(run_of(a, b) or run_of(b, a))
    return float(a == b)


def run_of(short, long):
    return any(long[i : i + len(short)] == short for i in range(len(long) - len(short) + 1))


def scorer(name, update, nugget):
    a, b = normalised(update), normalised(nugget)
    return getattr(fuzz, name)(a, b) / 100 if a and b else 0.0


def cut(text, size):
    """Stretches of `size` words, half a stretch apart, the last one at the end."""
    every = words(text)
    if len(every) <= size:
        return [every] if every else []
    starts = []
    start = 0
    while start < len(every) - size:
        starts.append(start)
        start += max(1, size // 2)
    starts.append(len(every) - size)
    return [every[start : start + size] for start in starts]


def best_window(score, text, size):
    return max((score(" ".join(window)) for window in cut(text, size)), default=0.0)


def mean(weighted):
    return sum(weight * score for weight, score in weighted) / sum(w for w, _ in weighted)


def pairs(score, updates, nuggets, threshold):
    """All (update, nugget, score) at or above the threshold, in order."""
    found = []
    for u, update in enumerate(updates):
        for n, nugget in enumerate(nuggets):
            value = score(update, nugget)
            if value >= threshold:
                found.append((u, n, value))
    return found


def first_pairs(found):
    """The first pair of each nugget."""
    seen = set()
    first = []
    for u, n, value in found:
        if n not in seen:
            seen.add(n)
            first.append((u, n, value))
    return first


def exact_fuzzy(update, nugget, collection, cutoff=80):
    """The score in real numbers, for the size of the rounding error."""
    found = total = Fraction(0)
    for term in set(words(nugget)):
        df = sum(term in words(text) for text in collection)
        idf = Fraction(math.log((1 + len(collection)) / (1 + df)) + 1)
        total += idf
        best = max((similarity(word, term, cutoff) for word in words(update)), default=0.0)
        found += idf * Fraction(best)
    return float(found / total) if total else 0.0
