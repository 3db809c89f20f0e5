"""Matching as the specification says it, one pair at a time: slow, and plain to see.

Nothing of `matchers` is used here. Weights are whole numbers of 1 / 2**36, as documented, so that
scores can be compared exactly.
"""

import math
import re
import unicodedata
from fractions import Fraction
from functools import cache, lru_cache

from rapidfuzz import fuzz

GRAIN = 2**36


# Default_Ignorable_Code_Point, by the code points that begin and end each of its ranges.
IGNORED = """00AD-00AD 034F-034F 061C-061C 115F-1160 17B4-17B5 180B-180F 200B-200F 202A-202E
2060-206F 3164-3164 FE00-FE0F FEFF-FEFF FFA0-FFA0 FFF0-FFF8 1BCA0-1BCA3 1D173-1D17A E0000-E0FFF"""


@cache
def between(character, ranges):
    ends = (each.split("-") for each in ranges.split())
    return any(int(a, 16) <= ord(character) <= int(b, 16) for a, b in ends)


def folded(text):
    """Compatibility caseless matching of Unicode, without what is ignored and tells nothing."""
    kept = ""
    for character in text:
        if character == "\u200b":
            kept += " "
        elif not between(character, IGNORED):
            kept += character
    step = unicodedata.normalize("NFKD", unicodedata.normalize("NFD", kept).casefold())
    step = unicodedata.normalize("NFKD", step.casefold())
    found = ""
    above = False  # whether an i or j stands before, and no mark above it
    for character in step:
        place = unicodedata.combining(character)
        if 10 <= place <= 36 or unicodedata.category(character) == "Me":
            continue
        if character == "\u0307" and above:
            continue
        if place in (0, 230):
            above = character in "ij\u0268\u029d\u03f3\u0456\u0458\u1d96"
        found += character
    return unicodedata.normalize("NFC", found)


# Scripts without spaces, by the blocks of their letters: how many characters a word has.
TWO = """3005-3007 3021-3029 3031-3035 3038-303C 3041-3096 309D-309F 30A1-30FA 30FC-30FF 3105-312F
31A0-31BF 31F0-31FF 3400-4DBF 4E00-9FFF A000-A48C F900-FAFF 16FE0-16FE3 17000-187FF 18800-18CFF
18D00-18DFF 1AFF0-1AFFE 1B000-1B16F 1B170-1B2FF 20000-3FFFD"""
THREE = """0E00-0EFF 1000-109F 1780-17FF 1950-19DF 1A20-1AAF 1B00-1B7F A980-A9FF AA60-AADF
116D0-116FF 11700-1174F"""


@cache
def size_of(letter):
    """Of how many characters the words of this letter's script are; 0 if they have spaces."""
    if between(letter, "3400-4DBF 4E00-9FFF 17000-187FF 20000-3FFFD"):
        return 2
    if letter.isdecimal() or not letter.isalnum():
        return 0
    return 2 if between(letter, TWO) else 3 if between(letter, THREE) else 0


def words(text):
    return list(_words(text))


@lru_cache(maxsize=100_000)  # the same texts are asked for again and again
def _words(text):
    runs = []  # of (size, characters)
    open_run = False
    for character in folded(text):
        if unicodedata.category(character)[0] == "M":
            if open_run:
                runs[-1][1][-1] += character
            continue
        size = size_of(character)
        if not size and not re.match(r"\w", character):
            open_run = False
            continue
        if not (open_run and runs[-1][0] == size):
            runs.append((size, []))
        elif runs[-1][1][-1][-1] + character in ("\u0e4d\u0e32", "\u0ecd\u0eb2"):  # the vowel am
            runs[-1][1][-1] += character
            continue
        runs[-1][1].append(character)
        open_run = True
    found = []
    for size, characters in runs:
        if not size or len(characters) <= size:
            found.append("".join(characters))
        else:
            found += [
                "".join(characters[at : at + size]) for at in range(len(characters) - size + 1)
            ]
    return found


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
        if len(word) < 4 or any(letter.isdigit() for letter in word) or size_of(word[0]):
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


def told_by_words(update, nugget, collection):
    """The numbers of a pair that words tell; texts are rewritten already."""
    unit = round((math.log((1 + len(collection)) / (1 + min(1, len(collection)))) + 1) * GRAIN)
    terms = set(words(nugget))
    said = []
    for window in cut(update, 40):
        best = {t: max(similarity(w, t, 80) for w in window) for t in terms}
        said.append({t: round(weight(t, collection, words) * best[t]) for t in terms if best[t]})
    most = max(said, key=lambda found: sum(found.values()))  # of equal ones the first
    digits = [t for t in terms if any(letter.isdigit() for letter in t)]
    found = sum(t in most for t in digits)
    return {
        "mass": math.log(1 + sum(weight(t, collection, words) for t in terms) / unit),
        "found": sum(most.values()) / unit,
        "heaviest": max(most.values(), default=0) / unit,
        "digits": found / len(digits) if digits else -1,
        "digits_missing": len(digits) - found,
        "length": math.log(1 + len(update)),
    }


def learned(update, nugget, collection, constant, each):
    """The probability from the numbers of a pair; texts are rewritten already."""
    if not words(nugget) or not words(update):
        return 0.0
    grams = best_window(lambda window: gram(window, nugget, collection, 3), update, 40)
    return logistic(constant, each, told_by_words(update, nugget, collection) | {"grams": grams})


def among(nuggets, place, collection):
    """How alike a nugget is to the others, by their places."""
    others = [i for i in range(len(nuggets)) if i != place]
    said = [fuzzy(nuggets[i], nuggets[place], collection) for i in others]
    return {
        "said_in": max(said, default=0),
        "said_mean": sum(said) / max(1, len(said)),
        "says": max((fuzzy(nuggets[place], nuggets[i], collection) for i in others), default=0),
    }


def logistic(constant, each, numbers):
    odds = constant + sum(each[name] * value for name, value in numbers.items())
    return 1 / (1 + math.exp(-odds))


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def late(windows, pieces, weights, vector):
    """The best window's mean of best cosines, for windows of pieces and a nugget's pieces."""
    best = 0.0
    for window in windows:
        met = total = 0.0
        for piece in pieces:
            cosines = [
                sum(a * b for a, b in zip(vector(piece), vector(other), strict=True))
                for other in window
            ]
            met += weights[piece] * max(0.0, *cosines)
            total += weights[piece]
        if total:
            best = max(best, min(1.0, met / total))
    return best


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


def triples(pairs):
    """What a matcher found as `pairs` gives it."""
    return list(
        zip(pairs.update.tolist(), pairs.nugget.tolist(), pairs.score.tolist(), strict=True)
    )


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
