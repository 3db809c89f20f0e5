"""Encoding and comparing vectors, beside sentence-transformers and the bare product.

    python bench/bench_embedding.py [--texts N]

Needs the extra `embeddings` and the default model. The texts are made up like those of
bench_matching.py, a fifth of them repeated, as in real runs. First the result is asserted: on a
sample, the scores are the library's cosines, and those of the second run are those of the first.
Then, side by side, the best of three turns: `SentenceTransformer.encode` with its defaults, our
reading ahead in fp32 and bf16 into an empty cache, a second run that finds all vectors on disk, and
all pairs over the threshold beside the float32 product that any way to find them needs.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import matchers
from bench.bench_matching import UPDATE_WORDS, texts, vocabulary
from bench.rows import Row, tell
from matchers import encoding
from matchers.sentence_models import MODEL, VectorBlock

SAMPLE, TURNS, COMPARISONS = 40, 3, 15
LIBRARY = "SentenceTransformer.encode"
UPDATES, NUGGETS, DIMENSIONS = 15_000, 1_000, 384


def made_up(count: int) -> list[str]:
    """Updates of which a fifth repeat an earlier one."""
    random = np.random.default_rng(20130401)
    different = texts(random, vocabulary(random), count - count // 5, UPDATE_WORDS)
    again = [different[i] for i in random.integers(0, len(different), count // 5)]
    drawn = np.array([*different, *again], dtype=object)
    return list(drawn[random.permutation(count)])


def seconds(work: Callable[[], object]) -> float:
    """How long it takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def read_ahead(updates: list[str], precision: str = "fp32") -> float:
    """Seconds until all vectors are there, as a process that knows none of them."""
    encoding.encoder.cache_clear()
    return seconds(lambda: matchers.get("embedding", precision=precision).read_ahead(updates))


def verify(library: object, updates: list[str]) -> None:
    """Stop unless a sample's scores are the cosines that the library gives."""
    sample = updates[:SAMPLE]
    vectors = library.encode(sample, normalize_embeddings=True, show_progress_bar=False)  # type: ignore[attr-defined]
    cosines = np.clip(vectors @ vectors.T, 0, 1).ravel()
    for _ in range(2):
        encoding.encoder.cache_clear()
        found = matchers.get("embedding(threshold=0)").match(sample, sample).score
        if np.abs(found - cosines).max() > 2e-5:
            raise SystemExit("the scores are not the library's cosines")


def unit_vectors(random: np.random.Generator, count: int) -> np.ndarray:
    """Random vectors of length 1, a few of which are as alike as texts that say the same.

    They lie around 30 centres, some of them close by.
    """
    centres = np.random.default_rng(2).normal(size=(30, DIMENSIONS))
    spread = random.choice([0.8, 3.0], (count, 1), p=[0.3, 0.7])
    vectors = centres[random.integers(0, 30, count)]
    vectors += spread * random.normal(size=(count, DIMENSIONS))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def compare() -> tuple[float, float, int]:
    """Seconds for the bare products and for the pairs over the threshold, and their number.

    Both in turns, the best of each.
    """
    random = np.random.default_rng(1)
    updates, nuggets = unit_vectors(random, UPDATES), unit_vectors(random, NUGGETS)
    step = 1 << 11
    starts = range(0, UPDATES, step)
    blocks = [VectorBlock(updates[start : start + step], nuggets) for start in starts]
    threshold = matchers.get("embedding").threshold  # type: ignore[attr-defined]
    found = sum(len(block.reaching(threshold)) for block in blocks)
    bare = ours = float("inf")
    for _ in range(COMPARISONS):
        bare = min(bare, seconds(lambda: [block.updates @ nuggets.T for block in blocks]))
        ours = min(ours, seconds(lambda: [block.reaching(threshold) for block in blocks]))
    return bare, ours, found


def main() -> None:
    """Assert, time, print."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--texts", type=int, default=1_000, help="how many are encoded")
    updates = made_up(options.parse_args().texts)
    folder = str(encoding.find(MODEL).folder)
    library = import_module("sentence_transformers").SentenceTransformer(
        folder, device="cpu", local_files_only=True
    )
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TSEVAL_CACHE"] = cache
        verify(library, updates)
        matchers.get("embedding(precision=bf16)").read_ahead(updates[:1])  # loads the model
        rest = updates[SAMPLE:]
        work: dict[str, Callable[[], float]] = {
            LIBRARY: lambda: seconds(lambda: library.encode(rest, show_progress_bar=False)),
            "first run, fp32": lambda: read_ahead(rest),
            "first run, bf16": lambda: read_ahead(rest, "bf16"),
            "second run, fp32": lambda: read_ahead(rest),
        }
        times: dict[str, float] = {}
        for turn in range(TURNS):
            for what, timed in work.items():
                if what.startswith("first"):
                    os.environ["TSEVAL_CACHE"] = f"{cache}/{turn}"
                times[what] = min(timed(), times.get(what, float("inf")))
    library_took = times.pop(LIBRARY)
    for what, spent in times.items():
        tell(Row(what, f"{len(rest):,} texts", spent, instead=LIBRARY, other=library_took))
    bare, ours, found = compare()
    size = f"{UPDATES:,} x {NUGGETS:,} vectors, {found:,} pairs"
    tell(Row("pairs over the threshold", size, ours, instead="the bare product", other=bare))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    tell(Row("memory", size, peak, "MiB"))


if __name__ == "__main__":
    main()
