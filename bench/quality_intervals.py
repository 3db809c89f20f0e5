"""What corrected scores are off by, and their intervals hold, where the truth is made up.

    python bench/quality_intervals.py [simulated] [constants] [topics] [--scale X] [--write]

The tables of docs/corrected-scores.md that need no judgments: some ten minutes each on one core, or
less with a scale below 1.

Gold and runs are made up. A nugget is said by each text with a chance of its own, drawn around the
prevalence; the matcher's odds are the true ones, blurred. Every table has a seed of its own.

`simulated`: 10 topics of 60 nuggets, 40 texts each, by prevalence, matcher, depth and pairs; told
are bias and root mean square error, as bench/quality_corrected.py tells them of real judgments.

`constants`: what each constant of the design does, in 10 topics of 15 to 240 nuggets. Nothing else
chooses them: the real judgments only report.

`topics`: intervals over topics. Topics are drawn from very many, which differ in how much is said;
two runs of 25 and 40 texts share 20 of these, and are corrected by one sample. An interval is held
against what all these topics would give, if all was read to the depth: `a run` that of a run's
score, `a difference` that which `tseval compare` gives the difference of two. `these topics` is how
often the latter holds the difference of the very topics that were sampled.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from scipy.special import expit

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.quality_corrected import (
    BUDGETS,
    DEPTH,
    HEAD,
    Reading,
    Topic,
    of_runs,
    outcomes,
    put,
    reading_of,
    rms,
    samples,
    table,
)
from tseval.matching import sampling
from tseval.statistics import strata
from tseval.statistics.bootstrap import mean_intervals, resamples

BLUR = {"perfect": 0.0, "good": 1.0, "poor": 3.0, "useless": 20.0, "no probability": 1.0}
"""How far each matcher's odds are from the true ones; the last tells no more than yes or no."""


def made_up(prevalence: float, blur: float, seed: int, topics: int = 10) -> list[Topic]:
    """Topics whose pairs are true as often as said, and what a matcher makes of them."""
    draw = np.random.default_rng([seed, int(prevalence * 1e4)])
    found = []
    for _ in range(topics):
        shape = (40, 60)
        # Few nuggets are said by many texts, and most pairs are hopeless.
        odds = draw.normal(0, 1.5, shape[1])[None, :] + draw.normal(0, 2.0, shape)
        odds += centre(odds, prevalence)
        seen = expit(odds + draw.normal(0, blur, shape))
        true = draw.random(shape) < expit(odds)
        importance = draw.integers(1, 4, shape[1]).astype(float)
        found.append(Topic(seen * true.mean() / seen.mean(), true, importance))
    return found


def centre(odds: np.ndarray, prevalence: float) -> float:
    """What added to the odds gives this share of true pairs."""
    low, high = -30.0, 30.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if expit(odds + middle).mean() < prevalence else (low, middle)
    return low


def simulated(scale: float) -> Iterator[str]:
    """What samples make of runs that are made up."""
    yield from table(
        f"prevalence | matcher | depth | pairs | recall | foretold | {HEAD}", by_setting(scale)
    )


def by_setting(scale: float) -> Iterator[str]:
    """The rows of that table."""
    settings = [
        (prevalence, "good", DEPTH, pairs)
        for prevalence in (0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
        for pairs in BUDGETS
    ]
    settings += [(0.02, each, DEPTH, 300) for each in BLUR if each != "good"]
    settings += [(0.02, "good", depth, 300) for depth in (1, 3, 20)]
    for prevalence, matcher, depth, pairs in settings:
        probable, threshold = matcher != "no probability", prevalence * 5
        worlds = (made_up(prevalence, BLUR[matcher], n) for n in range(24))
        runs = [reading_of(each, depth, probable=probable, threshold=threshold) for each in worlds]
        recall = np.mean([run.worth @ run.ever[0] for run in runs])
        alone = np.mean([run.worth @ run.likeliest.predicted[0] for run in runs])
        told = f"{prevalence:g} | {matcher} | {depth} | {pairs} | {recall:.2f} | {alone:.2f}"
        yield f"{told} | {of_runs(runs, [pairs] * len(runs), round(100 * scale))}"


CONSTANTS: dict[str, tuple[tuple[Any, str, tuple[Any, ...]], ...]] = {
    "least variance of a nugget": ((sampling, "LEAST_VARIANCE", (0.01, 0.02, 0.05, 0.1, 0.25)),),
    "what is foreseen weighs as nuggets": ((strata, "PRIOR", (0.0, 1.0, 2.0, 4.0)),),
    "strata cut at": (
        (strata, "CUTS", ((0.5,), (0.5, 0.75, 0.9), (0.25, 0.5, 0.75), (0.5, 0.75, 0.9, 0.97))),
    ),
    "least of a stratum": ((strata, "LEAST", (2, 3, 4)),),
}
"""What each constant is called, where it stands, and what is tried."""
WORLDS = tuple((prevalence, n) for prevalence in (0.005, 0.01, 0.02, 0.05) for n in range(6))


def constants(scale: float) -> Iterator[str]:
    """What other constants would make of runs that are made up."""
    pairs = " | ".join(f"{each} pairs: RMSE, holds" for each in BUDGETS)
    yield from table(f"constant | value | {pairs}", by_constant(scale))


def by_constant(scale: float) -> Iterator[str]:
    """The rows of that table, with the values that the program has marked."""
    runs = [uneven(prevalence, n) for prevalence, n in WORLDS]
    for name, places in CONSTANTS.items():
        for at, value in enumerate(places[0][2]):
            own = vars(places[0][0])[places[0][1]]
            with ExitStack() as changed:
                for module, constant, values in places:
                    changed.enter_context(mock.patch.object(module, constant, values[at]))
                told = " | ".join(error_and_hold(runs, pairs, scale) for pairs in BUDGETS)
            shown = ", ".join(f"{each:g}" for each in np.atleast_1d(value))
            yield f"{name} | {f'**{shown}**' if value == own else shown} | {told}"
    for trust in (0.0, 0.5, 1.0, 1.3):
        told = " | ".join(error_and_hold(runs, pairs, scale, trust) for pairs in BUDGETS)
        yield f"λ | {'**1**' if trust == 1 else f'{trust:g}'} | {told}"


def error_and_hold(runs: list[Reading], pairs: int, scale: float, trust: float = 1.0) -> str:
    """The error against reading to the depth, and how many intervals hold what that would give."""
    draws = round(30 * scale)
    each = (outcomes(run, pairs, draws, n, trust) for n, run in enumerate(runs))
    found = list(chain.from_iterable(each))
    if not found:
        return "–"
    errors = np.array([one.error_to_depth for one in found])
    return f"{rms(errors)} {np.mean([one.holds for one in found]):.3f}"


def uneven(prevalence: float, seed: int) -> Reading:
    """A run on topics of different sizes, which differ in how much of them is said."""
    many = Many(prevalence)
    draw = np.random.default_rng([seed, int(prevalence * 1e4), 2])
    nuggets = np.rint(15 * 16 ** draw.random(10)).astype(int)
    return reading_of([many.topic(draw, 40, each) for each in nuggets], DEPTH)


class Many:
    """Very many topics, alike but for how much of each is said."""

    def __init__(self, prevalence: float) -> None:
        draw = np.random.default_rng([int(prevalence * 1e4), 3])
        self.constant = 0.0
        odds = np.concatenate([self.odds(draw, 40, 60).ravel() for _ in range(400)])
        self.constant = centre(odds, prevalence)
        odds += self.constant
        seen = expit(odds + draw.normal(0, BLUR["good"], len(odds)))
        self.factor = expit(odds).mean() / seen.mean()

    def odds(self, draw: np.random.Generator, texts: int, nuggets: int) -> np.ndarray:
        """The odds of each pair of a topic."""
        of_nuggets = draw.normal(0, 1.5, nuggets)[None, :]
        own = draw.normal(0, 0.7) + self.constant
        return own + of_nuggets + draw.normal(0, 2.0, (texts, nuggets))

    def topic(self, draw: np.random.Generator, texts: int, nuggets: int) -> Topic:
        """One of the topics."""
        odds = self.odds(draw, texts, nuggets)
        seen = expit(odds + draw.normal(0, BLUR["good"], odds.shape)) * self.factor
        true = draw.random(odds.shape) < expit(odds)
        return Topic(seen, true, draw.integers(1, 4, nuggets).astype(float))


PREVALENCE, WORLDS_OF_TOPICS = 0.02, 400
TEXTS, SENT = 45, (np.arange(25), np.arange(5, 45))
"""Of so many texts of a topic the two runs send these."""
TOPICS = (
    *((topics, 60, 300) for topics in (3, 5, 10, 20, 40)),
    *((topics, 60, 1000) for topics in (5, 10, 20, 40)),
    (20, 60, 2000),
    (40, 60, 4000),
    *((topics, 15, 300) for topics in (5, 10, 20)),
)
"""Topics, nuggets of each, and pairs."""


def topics(scale: float) -> Iterator[str]:
    """What intervals over topics hold."""
    head = "topics | nuggets of each | pairs | nuggets drawn | a run | a difference | these topics"
    yield from table(f"{head} | width of a difference", over_topics(scale))


def over_topics(scale: float) -> Iterator[str]:
    """The rows of that table."""
    many = Many(PREVALENCE)
    draw = np.random.default_rng(4)
    truth = {
        nuggets: recalls(read_twice(many, draw, 4000, nuggets)).mean(axis=1)
        for nuggets in dict.fromkeys(nuggets for _, nuggets, _ in TOPICS)
    }
    for number, nuggets, pairs in TOPICS:
        found = [
            each
            for world in range(round(WORLDS_OF_TOPICS * scale))
            for each in of_world(many, (number, nuggets, pairs, world), truth[nuggets])
        ]
        drawn, run, difference, these, width = np.array(found, float).mean(axis=0)
        cells = f"{run:.3f} | {difference:.3f} | {these:.3f} | {width:.2f}"
        if np.isnan(width):
            cells = "no interval | no interval | |"
        yield f"{number} | {nuggets} | {pairs} | {drawn:.0f} | {cells}"


def of_world(
    many: Many, setting: tuple[int, int, int, int], of_all: np.ndarray
) -> Iterator[tuple[float, ...]]:
    """What samples make of some topics: nuggets drawn, three intervals that hold, and a width."""
    number, nuggets, pairs, world = setting
    reading = read_twice(many, np.random.default_rng(setting), number, nuggets)
    own, times = recalls(reading).mean(axis=1), resamples(number, world)
    for correction in samples(reading, reading.size, pairs, 3, world):
        each = correction.nuggets(np.tile(reading.worth * number, (2, 1)))
        value = np.stack([np.bincount(reading.topic, row) for row in each])
        columns = np.stack([value[0], value[0] - value[1]], axis=1)
        low, high = mean_intervals(columns, times)
        apart, mine = of_all[0] - of_all[1], own[0] - own[1]
        yield (
            len(correction.verdicts.nugget),
            low[0] <= of_all[0] <= high[0],
            low[1] <= apart <= high[1],
            low[1] <= mine <= high[1],
            high[1] - low[1],
        )


def read_twice(many: Many, draw: np.random.Generator, number: int, nuggets: int) -> Reading:
    """Two runs on so many topics."""
    drawn = [many.topic(draw, TEXTS, nuggets) for _ in range(number)]
    return reading_of(drawn, DEPTH, sent=[[rows] * number for rows in SENT])


def recalls(reading: Reading) -> np.ndarray:
    """The recall of each run in each topic, read to the depth."""
    number = int(reading.topic[-1]) + 1
    worth = reading.worth * number
    return np.stack([np.bincount(reading.topic, worth * said, number) for said in reading.said])


TABLES = {"simulated": simulated, "constants": constants, "topics": topics}


def main() -> None:
    """Print the tables asked for, and write them if asked to."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("what", nargs="*", metavar="|".join(TABLES), help="default: all")
    options.add_argument("--scale", type=float, default=1.0, help="how much of all is drawn")
    options.add_argument("--write", action="store_true", help="put the tables into the page")
    asked = options.parse_args()
    for name in asked.what or TABLES:
        put(name, TABLES[name](asked.scale), write=asked.write)


if __name__ == "__main__":
    main()
