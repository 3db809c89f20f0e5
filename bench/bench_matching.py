"""Pairs a second of the matchers, beside RapidFuzz `token_set_ratio`, on the same made-up texts.

    python bench/bench_matching.py [--small] [--large]

The texts are drawn with a seed from a vocabulary of 50,000 words by Zipf's law. First the result is
asserted: on a sample, every score must equal that of the slow reference of the tests. Then all is
timed from the texts on, normalising included, in turns, so that whatever else the machine does
falls on all alike; the best turn of each counts. Work is timed by the clock and by the seconds of
processors that it took, all threads together. RapidFuzz `cdist` has two threads, a part of the
updates, and the cutoff of the matcher beside it; `rapidfuzz` and it must find the same pairs. With
`--large` also a million updates, which is meant to stay inside 2 GiB.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rapidfuzz import fuzz, process

sys.path.insert(0, str(Path(__file__).parents[1]))

import matchers
from bench.rows import Row, tell
from matchers import texts as lists
from tests.oracles import matching as slow

VOCABULARY = 50_000
LETTER_SHARES = (
    *(8.2, 1.5, 2.8, 4.3, 12.7, 2.2, 2.0, 6.1, 7.0, 0.15, 0.8, 4.0, 2.4),
    *(6.7, 7.5, 1.9, 0.1, 6.0, 6.3, 9.1, 2.8, 1.0, 2.4, 0.15, 2.0, 0.07),
)
NUGGETS, NUGGET_WORDS, UPDATE_WORDS = 1_000, 8, 25
THREADS, PART, TURNS = 2, 2_000, 6
CDIST = f"cdist in {THREADS} threads"
GOALS = {"grams": 100.0}


def vocabulary(random: np.random.Generator) -> np.ndarray:
    """Made-up words with the letters of English, in a drawn order of frequency."""
    shares = np.array(LETTER_SHARES) / sum(LETTER_SHARES)
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        length = int(np.clip(random.normal(7.5, 2.5), 2, 16))
        words["".join(chr(97 + i) for i in random.choice(26, length, p=shares))] = None
    return np.array(list(words), dtype=object)


def texts(random: np.random.Generator, words: np.ndarray, count: int, mean: int) -> list[str]:
    """Texts of about `mean` words each; the k-th word of the vocabulary has weight 1 / k."""
    lengths = np.maximum(random.poisson(mean, count), 1)
    shares = np.cumsum(1 / np.arange(1, len(words) + 1))
    drawn = np.searchsorted(shares / shares[-1], random.random(lengths.sum()))
    ends = np.cumsum(lengths)
    return [" ".join(words[drawn[a:b]]) for a, b in zip(ends - lengths, ends, strict=True)]


def verify(name: str, updates: list[str], nuggets: list[str]) -> None:
    """Stop unless every score of a sample equals the slow reference's."""
    updates, nuggets = updates[:60], nuggets[:25]
    score = {"fuzzy": slow.fuzzy, "grams": slow.gram}[name]
    found = matchers.get(name, threshold=0).match(updates, nuggets)
    for u, n, fast in zip(found.update, found.nugget, found.score, strict=True):
        if fast != score(updates[u], nuggets[n], nuggets):
            raise SystemExit(f"{name} is wrong for update {u}, nugget {n}: {fast}")
    high = matchers.get(name, threshold=0.1).match(updates, nuggets)
    if high.score.tolist() != found.score[found.score >= 0.1].tolist():
        raise SystemExit(f"{name} loses pairs")


class Rate(NamedTuple):
    """Pairs a second by the clock and by processor seconds, and the pairs found."""

    clock: float
    processor: float
    found: int


def timed(pairs: int, work: Callable[[], int]) -> Rate:
    """The rates of one run of `work`, which says how many pairs it found."""
    clock, processor = time.perf_counter(), time.process_time()
    found = work()
    return Rate(
        pairs / (time.perf_counter() - clock), pairs / (time.process_time() - processor), found
    )


def best(turns: list[Rate]) -> Rate:
    """The best of several turns."""
    return Rate(
        max(turn.clock for turn in turns), max(turn.processor for turn in turns), turns[0].found
    )


def by_cdist(updates: list[str], nuggets: list[str]) -> int:
    """The pairs over the threshold by `cdist` alone, on normalised texts as the matcher's."""
    cutoff = 100 * matchers.get("rapidfuzz").threshold  # type: ignore[attr-defined]
    left, right = (list(map(matchers.normalised, texts)) for texts in (updates, nuggets))
    scores = process.cdist(
        left,
        right,
        scorer=fuzz.token_set_ratio,
        score_cutoff=cutoff,
        workers=THREADS,
        dtype=np.float64,
    )
    return np.count_nonzero(scores >= cutoff)


def by_matcher(name: str, updates: list[str], nuggets: list[str]) -> int:
    """The pairs that a matcher finds."""
    return len(matchers.get(name).match(updates, nuggets))


def measure(updates: list[str], nuggets: list[str], turns: int) -> dict[str, Rate]:
    """All competitors, one after another, several times."""
    lists.cores = lambda: THREADS
    part, pairs = updates[:PART], len(updates) * len(nuggets)
    parts = len(part) * len(nuggets)
    work: dict[str, Callable[[], Rate]] = {
        CDIST: lambda: timed(parts, lambda: by_cdist(part, nuggets)),
        "rapidfuzz": lambda: timed(parts, lambda: by_matcher("rapidfuzz", part, nuggets)),
    }
    for name in ("fuzzy", "grams"):
        work[name] = partial(timed, pairs, partial(by_matcher, name, updates, nuggets))
    rates: dict[str, list[Rate]] = {name: [] for name in work}
    for _ in range(turns):
        for name, once in work.items():
            rates[name].append(once())
    return {name: best(each) for name, each in rates.items()}


def peak() -> float:
    """The most memory that this process has had, texts included, in GiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def told(rates: dict[str, Rate], updates: int) -> None:
    """Seconds of all pairs by the clock and of processors, beside those of `cdist`."""
    size, pairs = f"{updates:,} x {NUGGETS:,}", updates * NUGGETS
    base = rates.pop(CDIST)
    for name, rate in rates.items():
        ours, theirs = pairs / rate.clock, pairs / base.clock
        tell(Row(name, size, ours, instead=CDIST, other=theirs, times=GOALS.get(name)))
        ours, theirs = pairs / rate.processor, pairs / base.processor
        tell(Row(f"{name}, of the processor", size, ours, instead=CDIST, other=theirs))
    tell(Row("memory until then", size, 1024 * peak(), "MiB"))


def main() -> None:
    """Assert, time, print."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--small", action="store_true", help="1,000 updates, for a quick look")
    options.add_argument("--large", action="store_true", help="a million updates as well")
    asked = options.parse_args()
    random = np.random.default_rng(20130401)
    words = vocabulary(random)
    nuggets = texts(random, words, NUGGETS, NUGGET_WORDS)
    for count in (1_000,) if asked.small else (15_000, 1_000_000) if asked.large else (15_000,):
        updates = texts(random, words, count, UPDATE_WORDS)
        for name in ("fuzzy", "grams"):
            verify(name, updates, nuggets)
        rates = measure(updates, nuggets, 1 if count > 100_000 else TURNS)
        if rates["rapidfuzz"].found != rates[CDIST].found:
            raise SystemExit("rapidfuzz loses pairs")
        told(rates, count)


if __name__ == "__main__":
    main()
