"""Reading kept answers: 20,000 pairs of `llm` from a warm cache, and going on when interrupted.

    python bench/bench_llm.py [--updates N]

Asks a server of the tests' own on 127.0.0.1 about 2,000 made-up updates, ten nuggets a call. It is
interrupted half way and started again; asserted is that no question was put twice, that the
matches are those of the server's own rule, and that a replay, which asks nobody, gives the same to
the last bit. Then the replay is timed as a matcher that was just made, the best of five.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import NoReturn

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import matchers
from bench.bench_matching import NUGGET_WORDS, UPDATE_WORDS, texts, vocabulary
from bench.rows import Row, tell
from matchers import Pairs
from tests.endpoint import SCORES, Endpoint, label, serving

NUGGETS, TURNS = 10, 5


def fail(why: str) -> NoReturn:
    """Stop with what is wrong."""
    raise SystemExit(f"llm: {why}")


def asked(endpoint: Endpoint, updates: list[str], nuggets: list[str]) -> Pairs:
    """Have all answered, with an interruption half way, each question once."""
    matcher = matchers.get("llm(model=m)", base_url=endpoint.url)

    def stop(done: int, total: int, _note: str = "", /) -> None:
        if done == total // 2:
            raise KeyboardInterrupt

    try:
        matcher.judge_ahead([matchers.Lot(updates, nuggets)], matchers.Collection(nuggets), stop)
        fail("nobody was interrupted")
    except KeyboardInterrupt:
        before = len(endpoint.calls)
    found = matchers.get("llm(model=m)", base_url=endpoint.url).match(updates, nuggets)
    if not before < len(endpoint.calls) == len(set(updates)):
        fail(f"{len(endpoint.calls)} calls, {before} of them before the interruption")
    return found


def main() -> None:
    """Assert, time, print."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--updates", type=int, default=2_000)
    count = options.parse_args().updates
    random = np.random.default_rng(20130401)
    words = vocabulary(random)
    nuggets = texts(random, words, NUGGETS, NUGGET_WORDS)
    updates = list(dict.fromkeys(texts(random, words, count, UPDATE_WORDS)))
    with tempfile.TemporaryDirectory() as cache, serving() as endpoint:
        os.environ["TSEVAL_CACHE"] = cache
        first = asked(endpoint, updates, nuggets)
        best = float("inf")
        for _ in range(TURNS):
            started = time.perf_counter()
            found = matchers.get("llm(model=m,replay=true)").match(updates, nuggets)
            best = min(best, time.perf_counter() - started)
            if not all(
                np.array_equal(getattr(found, name), getattr(first, name))
                for name in ("update", "nugget", "score")
            ):
                fail("a replay gives other matches")
    true = {
        (u, n)
        for u, update in enumerate(updates)
        for n, nugget in enumerate(nuggets)
        if SCORES[label(update, nugget)] >= 0.5
    }
    if set(zip(found.update.tolist(), found.nugget.tolist(), strict=True)) != true:
        fail("the matches are not those of the server's rule")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    size = f"{len(updates) * NUGGETS:,} pairs, {len(updates):,} calls, {len(found):,} matches"
    tell(Row("replay", size, best))
    tell(Row("memory", size, peak, "MiB"))


if __name__ == "__main__":
    main()
