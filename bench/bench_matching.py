"""Pairs a second of the matchers, beside RapidFuzz `token_set_ratio`, on the same made-up texts.

    python bench/bench_matching.py [--small] [--large]

The texts are drawn with a seed from a vocabulary of 50,000 words by Zipf's law. First the result is
asserted: on a sample, every score must equal that of the slow reference of the tests. Then all is
timed from the texts on, normalising included: the matchers in one thread, RapidFuzz in two. With
`--large` also a million updates, which is meant to stay inside 2 GiB.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from pathlib import Path

import numpy as np
from rapidfuzz import fuzz, process

sys.path.insert(0, str(Path(__file__).parents[1]))

import matchers
from tests.reference import matching as slow

VOCABULARY = 50_000
LETTER_SHARES = (
    *(8.2, 1.5, 2.8, 4.3, 12.7, 2.2, 2.0, 6.1, 7.0, 0.15, 0.8, 4.0, 2.4),
    *(6.7, 7.5, 1.9, 0.1, 6.0, 6.3, 9.1, 2.8, 1.0, 2.4, 0.15, 2.0, 0.07),
)
NUGGETS, NUGGET_WORDS, UPDATE_WORDS = 1_000, 8, 25


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


def rapidfuzz_rate(updates: list[str], nuggets: list[str]) -> float:
    """Pairs a second of `token_set_ratio` by `cdist` in two threads, on a part of the updates."""
    part = updates[:2_000]
    started = time.perf_counter()
    process.cdist(part, nuggets, scorer=fuzz.token_set_ratio, workers=2, dtype=np.uint8)
    return len(part) * len(nuggets) / (time.perf_counter() - started)


def rate(name: str, updates: list[str], nuggets: list[str], repeats: int) -> tuple[float, int]:
    """The best pairs a second of `repeats` runs, and the pairs found."""
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        found = matchers.get(name).match(updates, nuggets)
        seconds.append(time.perf_counter() - started)
    return len(updates) * len(nuggets) / min(seconds), len(found)


def peak() -> float:
    """The most memory that this process has had, texts included, in GiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def main() -> None:
    """Assert, time, print."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--small", action="store_true", help="1,000 updates, for a quick look")
    options.add_argument("--large", action="store_true", help="a million updates as well")
    asked = options.parse_args()
    random = np.random.default_rng(20130401)
    words = vocabulary(random)
    nuggets = texts(random, words, NUGGETS, NUGGET_WORDS)
    print(f"{'matcher':10} {'updates':>9} {'M pairs/s':>10} {'x cdist':>8} {'pairs':>8} {'GiB':>5}")
    for count in (1_000,) if asked.small else (15_000, 1_000_000) if asked.large else (15_000,):
        updates = texts(random, words, count, UPDATE_WORDS)
        base = rapidfuzz_rate(updates, nuggets)
        print(
            f"{'cdist':10} {min(count, 2000):9,} {base / 1e6:10.2f} {1:8.1f} {'':8} {peak():5.2f}"
        )
        for name in ("fuzzy", "grams"):
            verify(name, updates, nuggets)
            pairs, found = rate(name, updates, nuggets, 1 if count > 100_000 else 5)
            print(
                f"{name:10} {count:9,} {pairs / 1e6:10.2f} {pairs / base:8.1f} {found:8,} "
                f"{peak():5.2f}"
            )


if __name__ == "__main__":
    main()
