"""How often a requirement passes that should not: the table of docs/pipelines.md.

    python bench/quality_gates.py [--samples N]

Runs are drawn whose true mean over all topics is the bound itself or .05 below it: no gate should
let more than 1 in 40 of these pass. Runs .1 above the bound should pass. Each run has scores on so
many topics, and is asked `R>=bound` and `R>=bound by its lower bound`, with 2000 resamples.
"""

from __future__ import annotations

import argparse

import numpy as np

from tseval.core.requirements import Estimate, Quantity, Requirement
from tseval.errors import NOT_TOLD
from tseval.statistics.bootstrap import mean_intervals, resamples

BOUND = 0.7
OF = Quantity("a", "R")


def spread(rng: np.random.Generator, mean: float, shape: tuple[int, int]) -> np.ndarray:
    """Scores anywhere in [0, 1], as of topics with many nuggets."""
    return rng.beta(4 * mean, 4 * (1 - mean), shape)


def fifths(rng: np.random.Generator, mean: float, shape: tuple[int, int]) -> np.ndarray:
    """Scores of topics with five nuggets each."""
    return rng.binomial(5, spread(rng, mean, shape)) / 5


def yes_or_no(rng: np.random.Generator, mean: float, shape: tuple[int, int]) -> np.ndarray:
    """Scores of topics with one nugget each."""
    return rng.binomial(1, mean, shape).astype(float)


SHAPES = {"spread over 0 to 1": spread, "in fifths": fifths, "0 or 1": yes_or_no}


def outcomes(values: np.ndarray) -> tuple[float, float, float]:
    """Return the share that passes by the value, and passes and cannot be told by the bound."""
    topics, samples = values.shape
    plain = Requirement.of(f"R>={BOUND}")
    by_bound = Requirement.of(f"R>={BOUND} by its lower bound")
    ends = mean_intervals(values, resamples(topics, 1, 2000))
    passed = np.zeros(3)
    for mean, low, high in zip(values.mean(axis=0), *ends, strict=True):
        known = Estimate(mean, *(None if np.isnan(end) else end for end in (low, high)), topics)
        miss = by_bound.miss(OF, known)
        passed += (
            plain.miss(OF, known) is None,
            miss is None,
            miss is not None and miss.code == NOT_TOLD,
        )
    return tuple(passed / samples)


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser()
    options.add_argument("--samples", type=int, default=2000)
    samples = options.parse_args().samples
    print("| topics | scores | true mean | plain: met | by bound: met | by bound: cannot be told |")
    print("| ---: | --- | ---: | ---: | ---: | ---: |")
    for topics in (5, 10, 20, 50):
        for name, sampler in SHAPES.items():
            for mean in (BOUND - 0.05, BOUND, BOUND + 0.1):
                values = sampler(np.random.default_rng(0), mean, (topics, samples))
                each = " | ".join(f"{100 * share:.1f} %" for share in outcomes(values))
                print(f"| {topics} | {name} | {mean:.2f} | {each} |")


if __name__ == "__main__":
    main()
