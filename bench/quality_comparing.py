"""How often intervals hold the true mean, and tests find a difference: tables of docs/comparing.md.

    python bench/quality_comparing.py [--samples N]

Samples are drawn from distributions with known means, of shapes that scores have; of each the
three intervals at 95 % are taken with 2000 resamples. Differences of two runs are drawn with the
mean 0, and with a mean of .8 standard deviations; each test is taken at the level .05.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

from tseval.statistics.bootstrap import INTERVALS, mean_intervals, resamples
from tseval.statistics.paired import TESTS, p_values

Sampler = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]


def many_zeros(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Scores of a run that finds nothing in four topics of ten."""
    return np.where(rng.random(shape) < 0.4, 0.0, rng.beta(1, 4, shape))


SHAPES: dict[str, tuple[Sampler, float]] = {
    "normal": (lambda rng, shape: rng.normal(0, 1, shape), 0.0),
    "skewed in [0, 1] (beta .5, 5)": (lambda rng, shape: rng.beta(0.5, 5, shape), 1 / 11),
    "40 % zeros": (many_zeros, 0.6 / 5),
    "difference of two skewed": (
        lambda rng, shape: rng.beta(0.5, 5, shape) - rng.beta(0.5, 5, shape),
        0.0,
    ),
    "long tail (lognormal)": (lambda rng, shape: rng.lognormal(0, 1, shape), float(np.exp(0.5))),
}


def coverage(shape: str, topics: int, samples: int, method: str) -> float:
    """The share of intervals that hold the mean; an undefined end holds everything."""
    sampler, truth = SHAPES[shape]
    values = sampler(np.random.default_rng(0), (topics, samples))
    low, high = mean_intervals(values, resamples(topics, 1, 2000), method)
    return float((~(low > truth) & ~(high < truth)).mean())


DIFFERENCES: dict[str, tuple[Sampler, float]] = {
    "normal": (lambda rng, shape: rng.normal(0, 1, shape), 1.0),
    "skewed scores (beta .5, 5)": (SHAPES["difference of two skewed"][0], 0.1588),
    "steps of a fifth": (lambda rng, shape: np.round(rng.normal(0, 0.3, shape) * 5) / 5, 0.3055),
}
"""How differences with the mean 0 are drawn, and their standard deviation."""


def found(shape: str, topics: int, samples: int, test: str, shift: float) -> float:
    """The share of pairs where a difference is found, moved by so many standard deviations."""
    sampler, deviation = DIFFERENCES[shape]
    values = sampler(np.random.default_rng(1), (topics, samples)) + shift * deviation
    p = p_values(values, test, np.random.SeedSequence(2), 2000)
    return float((p <= 0.05).mean())


def tests_table(samples: int) -> None:
    """Print what each test finds where there is nothing, and where there is something."""
    print("| topics | differences | mean | " + " | ".join(TESTS) + " |")
    print("| ---: | --- | ---: | " + " | ".join(["---:"] * len(TESTS)) + " |")
    for topics in (15, 50):
        for shape in DIFFERENCES:
            for shift in (0.0, 0.8 if topics == 15 else 0.4):
                each = [f"{found(shape, topics, samples, t, shift):.3f}" for t in TESTS]
                print(f"| {topics} | {shape} | {shift:g} s.d. | " + " | ".join(each) + " |")


def main() -> None:
    """Print both tables."""
    options = argparse.ArgumentParser()
    options.add_argument("--samples", type=int, default=2000)
    samples = options.parse_args().samples
    print("| topics | scores | " + " | ".join(INTERVALS) + " |")
    print("| ---: | --- | " + " | ".join(["---:"] * len(INTERVALS)) + " |")
    for topics in (9, 15, 50):
        for shape in SHAPES:
            each = [f"{coverage(shape, topics, samples, m):.3f}" for m in INTERVALS]
            print(f"| {topics} | {shape} | " + " | ".join(each) + " |")
    tests_table(samples)


if __name__ == "__main__":
    main()
