"""How often the intervals of ratings from battles hold the true rating, by simulation.

Runs have true strengths, and each topic adds an error of its own to each run's. Two judges compare
every two runs on every topic. The true rating is that of the same runs on very many topics.

    python bench/quality_battles.py
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd

from tseval.core.family import Access
from tseval.core.registry import family, measure
from tseval.core.scoring import scores_of
from tseval.families.battles.explain import ends_of, resampled

RUNS, JUDGES, WORLDS, RESAMPLES, MANY = 6, 2, 120, 200, 4000
TRUE = np.linspace(-0.75, 0.75, RUNS)
NAMES = ("wins", "BT")
"""Elo's rating has no limit that more topics come to."""


def battles(draw: np.random.Generator, topics: int, spread: float) -> pd.DataFrame:
    """Battles of every two runs on so many topics."""
    strength = TRUE + draw.normal(0, spread, (topics, RUNS))
    rows = list(combinations(range(RUNS), 2)) * JUDGES
    one, other = np.array(rows).T
    gap = strength[:, other] - strength[:, one]
    won = draw.random(gap.shape) < 1 / (1 + np.exp(gap))
    topic = np.repeat(np.arange(topics), len(rows))
    columns = {"topic": topic, "run_a": np.tile(one, topics), "run_b": np.tile(other, topics)}
    return pd.DataFrame(columns).astype(str).assign(winner=np.where(won.ravel(), "a", "model_b"))


def evaluation(frame: pd.DataFrame) -> object:
    """The battles as the command reads them."""
    kind = family("battles")
    inputs = kind.inputs(judgments=(frame,))
    return kind.read(inputs, kind.options(), kind.editions[0], {}, Access())


def values(found: object, name: str) -> np.ndarray:
    """The value of each run."""
    wanted = measure(name, "battles")
    scores = scores_of(found, [wanted])
    return np.array([scores.value(wanted, run=run) for run in scores.runs], float)


def coverage(topics: int, spread: float) -> Iterator[tuple[str, float, float]]:
    """The share of intervals that hold the true rating, and how wide they are, by measure."""
    draw = np.random.default_rng(topics)
    true = evaluation(battles(draw, MANY, spread))
    options = SimpleNamespace(resamples=RESAMPLES, seed=0)
    truth = {name: values(true, name) for name in NAMES}
    held, width = {name: [] for name in NAMES}, {name: [] for name in NAMES}
    for _ in range(WORLDS):
        found = evaluation(battles(draw, topics, spread))
        for name in NAMES:
            low, high = ends_of(
                resampled(found, measure(name, "battles"), options), found.frames["battles"]
            ).T
            low, high = np.nan_to_num(low, nan=-np.inf), np.nan_to_num(high, nan=np.inf)
            held[name].append((low <= truth[name]) & (truth[name] <= high))
            width[name].append(high - low)
    for name in NAMES:
        yield name, float(np.mean(held[name])), float(np.median(width[name]))


if __name__ == "__main__":
    print("topics spread measure held width")
    for topics in (10, 25, 50):
        for spread in (0.0, 0.5):
            for row in coverage(topics, spread):
                print(topics, spread, *row)
