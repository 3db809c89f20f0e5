"""What carries over when it is chosen on one year: variants of the matchers without a model.

    python bench/search_matching.py [FAMILY...]

Reads the judgments of TREC Temporal Summarization 2013 and 2014, as bench/quality_matching.py does,
and takes all pairs in the same way. A family is a list of settings, the first of which is what the
matchers do. In each year the setting with the highest average precision is chosen, with its best
threshold; then the other year is judged by both. The line of a choice says what the choosing year
gained over the first setting, and what the other year did, which is what it is worth.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.quality_matching import POOLS, check, judged
from matchers import similar, words
from matchers.containment import GramReader, WordReader, grams
from matchers.windows import windows
from tseval.matching.judged_pairs import BINS, STEP, JudgedUpdates
from tseval.statistics import agreement

ONE = 1 << 30  # a word that is quite the same, in the whole numbers of the readers
WINDOW = 40
CUTOFF = 80.0
Score = Callable[["Topic"], np.ndarray]
"""From a topic to the scores of its updates (rows) with its nuggets (columns)."""


@dataclass(frozen=True, eq=False)
class Read:
    """What the windows of a topic's updates have of its nuggets' terms."""

    column: dict[str, int]
    said: sparse.csr_array  # windows x terms: similarities from 0 to 1
    starts: np.ndarray  # the first window of each update that has any
    spoken: np.ndarray  # which updates these are
    incidence: sparse.csr_array  # nuggets x terms
    idf: np.ndarray
    digits: np.ndarray  # which terms have a digit

    def score(self, weights: np.ndarray, updates: int) -> np.ndarray:
        """The best window's weighted containment."""
        asked = self.incidence * weights
        found = (self.said @ asked.T.tocsr()).toarray()
        return self.best(found, asked.sum(axis=1), updates)

    def best(self, found: np.ndarray, total: np.ndarray, updates: int) -> np.ndarray:
        """From what windows carry, and nuggets weigh, to scores."""
        score = np.zeros((updates, len(total)))
        if len(self.starts):
            score[self.spoken] = np.maximum.reduceat(found, self.starts) / np.maximum(total, 1e-9)
        return score


@dataclass(frozen=True, eq=False)
class Topic:
    """Texts and judgments of a topic; `collection` has the nuggets of the whole year."""

    updates: list[str]
    nuggets: list[str]
    true: np.ndarray
    collection: Collection

    @cache  # noqa: B019 - topics live as long as the program
    def read(self, kind: str, n: int = 0, window: int = WINDOW) -> Read:
        """Updates read as ``words`` or as ``grams`` of `n` letters."""
        split = words if kind == "words" else partial(grams, n=n)
        terms = [list(dict.fromkeys(split(text))) for text in self.nuggets]
        column = {term: i for i, term in enumerate(dict.fromkeys(t for row in terms for t in row))}
        ones = np.full(len(column), ONE)
        reader = (
            WordReader(column, ones, CUTOFF) if kind == "words" else GramReader(column, ones, n)
        )
        texts, counts = pieces(self.updates, window)
        ends = np.cumsum([0, *map(len, terms)])
        cells = np.array([column[term] for row in terms for term in row], np.int64)
        shape = (len(terms), len(column))
        return Read(
            column,
            reader(texts).tocsr() / ONE,
            (np.cumsum(counts) - counts)[counts > 0],
            counts > 0,
            sparse.csr_array((np.ones(len(cells)), cells, ends), shape=shape),
            self.collection.idf(kind, n, list(column)),
            np.array([any(map(str.isdigit, term)) for term in column]),
        )


@dataclass(frozen=True, eq=False)
class Collection:
    """All nuggets of a year."""

    texts: list[str]

    @cache  # noqa: B019 - one a year
    def frequencies(self, kind: str, n: int) -> dict[str, int]:
        """In how many nuggets each term is."""
        split = words if kind == "words" else partial(grams, n=n)
        counts: dict[str, int] = {}
        for text in self.texts:
            for term in set(split(text)):
                counts[term] = counts.get(term, 0) + 1
        return counts

    def idf(self, kind: str, n: int, terms: list[str]) -> np.ndarray:
        """The weights of terms, as documented."""
        counts = self.frequencies(kind, n)
        return np.array([math.log((1 + len(self.texts)) / (1 + counts[t])) + 1 for t in terms])


class Year:
    """The topics of a year, and what settings score there."""

    def __init__(self, gold: JudgedUpdates) -> None:
        collection = Collection(gold.nuggets["text"].to_list())
        self.topics = [
            Topic(
                topic.texts.to_list(),
                gold.nuggets["text"].gather(topic.nuggets).to_list(),
                topic.true,
                collection,
            )
            for topic in gold.by_topic()
        ]

    def tally(self, score: Score) -> Tally:
        """How many true and other pairs lie in each bin of scores."""
        true, other = np.zeros(BINS + 1), np.zeros(BINS + 1)
        for topic in self.topics:
            bins = np.floor(np.clip(score(topic), 0, 1) * BINS + 1e-6).astype(np.int64)
            true += np.bincount(bins[topic.true], minlength=BINS + 1)
            other += np.bincount(bins[~topic.true], minlength=BINS + 1)
        return Tally(true, other)


@dataclass(frozen=True, eq=False)
class Tally:
    """True and other pairs by bin."""

    true: np.ndarray
    other: np.ndarray

    @cached_property
    def auc(self) -> float:
        """The area under the curve."""
        return float(agreement.auc(self.true, self.other))

    @cached_property
    def precision(self) -> float:
        """The average precision."""
        return float(agreement.average_precision(self.true, self.other))

    @cached_property
    def threshold(self) -> int:
        """The bin of the best threshold, in hundredths as calibration chooses it."""
        starts = np.arange(0, BINS + 1, STEP)
        sides = (np.add.reduceat(side, starts) for side in (self.true, self.other))
        return int(agreement.best_threshold(*sides)) * STEP

    def f1(self, threshold: int) -> float:
        """F1 at a threshold."""
        return float(agreement.agreement(self.true, self.other).f1[threshold])


def contained(
    topic: Topic,
    kind: str = "words",
    n: int = 0,
    *,
    window: int = WINDOW,
    power: float = 1,
    floor: float = 1,
    digits: float = 1,
    short: float = 0,
) -> np.ndarray:
    """Weighted containment.

    `floor` is what stands for the 1 in the weight, `digits` the factor for words with digits, and
    m / (m + `short`) that for a nugget of weight m.
    """
    read = topic.read(kind, n, window)
    weights = np.maximum(read.idf - 1 + floor, 0) ** power * np.where(read.digits, digits, 1)
    score = read.score(weights, len(topic.updates))
    mass = read.incidence @ read.idf
    return score * (mass / np.maximum(mass + short, 1e-9))


def blended(topic: Topic, share: float, n: int = 4, **setting: float) -> np.ndarray:
    """`share` of words, the rest of grams."""
    mine = contained(topic, **setting) if share else 0
    rest = contained(topic, "grams", n, short=setting.get("short", 0)) if share < 1 else 0
    return share * mine + (1 - share) * rest


def pieces(texts: list[str], size: int) -> tuple[list[str], np.ndarray]:
    """The windows of all texts as texts of their own, and how many each text has."""
    spans = [windows(text, size) for text in texts]
    cut = [text[a:b] for text, own in zip(texts, spans, strict=True) for a, b in own]
    return cut, np.array([len(own) for own in spans], np.int64)


def one_to_one(topic: Topic, window: int) -> np.ndarray:
    """Containment where each word of the update serves one word of the nugget at most."""
    read = topic.read("words", 0, window)
    texts, _ = pieces(topic.updates, window)
    asked = read.incidence * read.idf
    found = (read.said @ asked.T.tocsr()).toarray()
    spoken = [words(text) for text in texts]
    for nugget, term in enumerate(topic.nuggets):
        wanted = list(dict.fromkeys(words(term)))
        weights = read.idf[[read.column[word] for word in wanted]]
        rows, alike = disputed(spoken, wanted)
        for row in rows:
            found[row, nugget] = assigned(spoken[row], alike, weights)
    return read.best(found, asked.sum(axis=1), len(topic.updates))


def disputed(
    spoken: list[list[str]], wanted: list[str]
) -> tuple[Iterator[int], dict[str, np.ndarray]]:
    """The texts with a word that is like two of those wanted; and for each word how like it is."""
    loose = [word for word in wanted if similar.inexact(word)]
    every = list(dict.fromkeys(word for text in spoken for word in text))
    alike = {
        word: np.array([similar.similarity(word, each, CUTOFF) for each in wanted])
        for word in candidates(every, loose)
    }
    alike |= {word: np.eye(len(wanted))[i] for i, word in enumerate(wanted) if word not in alike}
    rivals = {word for word, row in alike.items() if np.count_nonzero(row) > 1}
    return (row for row, text in enumerate(spoken) if rivals.intersection(text)), alike


def candidates(every: list[str], loose: list[str]) -> list[str]:
    """Those of all words that are like a loose one."""
    inexact = [word for word in every if similar.inexact(word)]
    found = similar.similar_pairs(
        similar.Vocabulary.of(inexact), similar.Vocabulary.of(loose), CUTOFF
    ).left
    return [inexact[i] for i in np.unique(found)]


def assigned(text: list[str], alike: dict[str, np.ndarray], weights: np.ndarray) -> float:
    """The most weight that the words of a text can carry, each serving one wanted word."""
    gain = np.array([alike[word] for word in text if word in alike]) * weights
    return float(gain[linear_sum_assignment(gain, maximize=True)].sum())


def families() -> dict[str, dict[str, Score]]:
    """All settings by family; the first of each is what there is."""
    lengths = (0, 1, 2, 3, 5, 8)
    free = product((0.5, 0, 0.3, 0.7, 1), (0, 2, 5), (1, 0.75, 1.5), (1, 2))
    return {
        "idf to the power of": {
            f"{p:g}": partial(contained, power=p) for p in (1, 0, 0.5, 0.75, 1.25, 1.5, 2)
        },
        "idf plus": {f"{c:g}": partial(contained, floor=c) for c in (1, 0, 0.5, 2, 4)},
        "words with digits times": {
            f"{f:g}": partial(contained, digits=f) for f in (1, 0.5, 1.5, 2, 3)
        },
        "nugget length m/(m+k), k": {f"{k}": partial(contained, short=k) for k in lengths},
        "window of words": {
            f"{w}": partial(contained, window=w) for w in (0, 15, 20, 30, 40, 60, 80, 100)
        },
        "window of grams": {
            f"{w}": partial(contained, kind="grams", n=4, window=w) for w in (0, 20, 40, 80)
        },
        "grams of": {f"{n}": partial(contained, kind="grams", n=n) for n in (4, 3, 5)},
        "share of words in the blend": {
            f"{a:g}": partial(blended, share=a) for a in (0.5, 0, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 1)
        },
        "grams in the blend": {f"{n}": partial(blended, share=0.5, n=n) for n in (4, 3, 5)},
        "nugget length in the blend": {
            f"{k}": partial(blended, share=0.5, short=k) for k in lengths
        },
        "one word for one, whole text": {
            "no": partial(contained, window=0),
            "yes": partial(one_to_one, window=0),
        },
        "one word for one, windows": {
            "no": partial(contained, window=WINDOW),
            "yes": partial(one_to_one, window=WINDOW),
        },
        "all at once: share, k, power, digits": {
            f"{a:g} {k} {p:g} {d}": partial(blended, share=a, short=k, power=p, digits=d)
            for a, k, p, d in free
        },
    }


class Outcome(NamedTuple):
    """What one choice is worth in the year that made it, and in the other."""

    setting: str
    own: tuple[float, float]
    other: tuple[float, float]

    def shown(self) -> str:
        """The setting, with the gains in AP and in F1 at the carried threshold."""
        gains = " ".join(f"{gain:+.3f}" for gain in (*self.own, *self.other))
        return f"{self.setting:14} {gains}"


def outcome(own: dict[str, Tally], other: dict[str, Tally]) -> Outcome:
    """Choose a setting by average precision in one year, and report on the other."""
    first, *_ = own
    chosen = max(own, key=lambda setting: own[setting].precision)
    gains = [
        (
            year[chosen].precision - year[first].precision,
            year[chosen].f1(own[chosen].threshold) - year[first].f1(own[first].threshold),
        )
        for year in (own, other)
    ]
    return Outcome(chosen, *gains)


def main() -> None:
    """Try every setting of the families asked for on both years; print all, then the choices."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("families", nargs="*", metavar="FAMILY")
    every = families()
    asked = options.parse_args().families or list(every)
    gold = {name: judged(name) for name in POOLS}
    check(gold)
    years = {name: Year(each) for name, each in gold.items()}
    for family in asked:
        tallies = {
            name: {setting: year.tally(score) for setting, score in every[family].items()}
            for name, year in years.items()
        }
        print(family)
        for setting in every[family]:
            cells = (tallies[name][setting] for name in years)
            shown = "   ".join(f"{each.auc:.3f} {each.precision:.3f}" for each in cells)
            print(f"  {setting:14} {shown}")
        for own, other in ((a, b) for a in years for b in years if a != b):
            told = outcome(tallies[own], tallies[other])
            print(f"  chosen on {own}, then on {other}: {told.shown()}", flush=True)


if __name__ == "__main__":
    main()
