"""What judging a sample of nuggets makes of scores: the tables of docs/corrected-scores.md.

    python bench/quality_corrected.py real [--draws N]
    python bench/quality_corrected.py simulated [--draws N]

`real` takes the judgments of TREC Temporal Summarization 2013 and 2014, as bench/train_learned.py
reads them, with the probabilities of the model of the other year. A simulated run sends 5, 10, 20
or 40 different pooled texts a topic, drawn at random, those that say any nugget 1, e or e^2 times
as likely as others; two runs of each kind make 24 a year. What is true is known of each: R as the
draft has it, by all of its texts.

`simulated` makes up gold and runs: 10 topics of 60 nuggets, 40 texts each; a nugget is said by each
text with a chance of its own, drawn around the prevalence; the matcher's odds are the true ones,
blurred.

From each run samples are drawn again and again, and a run is corrected by each. `rows` is how many
pairs the file holds, `judged` how many verdicts it takes until each nugget's first yes. Told are
bias and root mean square error against the truth, and how many intervals hold what reading all
nuggets to the same depth would give, and the truth.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from scipy.special import expit

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.quality_matching import POOLS, check, judged
from bench.train_learned import read, train
from matchers.texts import distinct
from tseval.families.temporal.correcting import Correction
from tseval.matching.likeliest import Likeliest
from tseval.matching.sampling import population_of
from tseval.matching.verdicts import Verdicts
from tseval.statistics import Drawn

DEPTH = 10
BUDGETS = (100, 300, 1000)


@dataclass(frozen=True, eq=False)
class Topic:
    """Texts x nuggets: what a matcher says, and what is true; the nuggets' importance."""

    score: np.ndarray
    true: np.ndarray
    importance: np.ndarray


@dataclass(frozen=True, eq=False)
class Run:
    """A run as it is read to a depth, and as it is."""

    likeliest: Likeliest
    worth: np.ndarray
    """What each nugget adds to the run's recall."""
    said: np.ndarray
    """Whether a text that is read says it."""
    ever: np.ndarray
    """Whether any text does."""
    reads: np.ndarray
    """How many texts are read until one does."""

    @property
    def truth(self) -> float:
        """The run's recall."""
        return float(self.worth @ self.ever)

    @property
    def to_depth(self) -> float:
        """What reading every nugget to the depth would give."""
        return float(self.worth @ self.said)


def run_of(topics: list[Topic], depth: int, *, probable: bool, threshold: float = 0.5) -> Run:
    """A run by the texts that it sends on each topic."""
    parts: list[tuple[np.ndarray, ...]] = []
    for topic in topics:
        order = np.argsort(-topic.score, axis=0, kind="stable")
        score = np.take_along_axis(topic.score, order, 0)
        true = np.take_along_axis(topic.true, order, 0)
        read = min(depth, len(score))
        silent = 1 - (score if probable else (score >= threshold) * 1.0)
        said = true[:read].any(axis=0)
        parts.append(
            (
                1 - silent[:read].prod(axis=0),
                score[0],
                topic.importance / topic.importance.sum() / len(topics),
                said,
                true.any(axis=0),
                np.where(said, true[:read].argmax(axis=0) + 1, read),
                np.full(len(said), read),
            )
        )
    predicted, best, worth, said, ever, reads, texts = map(np.concatenate, zip(*parts, strict=True))
    nugget = np.repeat(np.arange(len(texts)), texts)
    first = np.cumsum(texts) - texts
    update = np.arange(len(nugget)) - first[nugget]
    none = np.zeros(len(nugget), np.int64)
    known = Likeliest(
        ("run",),
        len(texts),
        probable,
        none,
        nugget,
        update,
        none * 1.0,
        predicted[None],
        np.zeros((1, len(texts))),
        best[None],
    )
    return Run(known, worth, said, ever, reads)


@dataclass(frozen=True)
class Outcome:
    """What one sample made of one run."""

    rows: float
    judged: float
    nuggets: float
    error: float
    classical: float
    holds: float
    holds_truth: float
    width: float


def outcomes(run: Run, pairs: int, draws: int, seed: int) -> Iterator[Outcome]:
    """Sample a run again and again, and correct it by each sample."""
    population, rows = population_of(run.likeliest, run.worth, ties)
    inclusion = population.allocated(pairs)
    for draw in range(draws if len(inclusion) else 0):
        chosen = population.draw(inclusion, np.random.SeedSequence([seed, draw]))
        nugget = rows[chosen]
        drawn = Drawn(population.stratum[chosen], inclusion[chosen])
        verdicts = Verdicts(nugget, run.said[None, nugget], drawn, 0)
        correction = Correction(run.likeliest, verdicts)
        worth = run.worth[None]
        value = correction.nuggets(worth).sum(axis=1)
        low, high = correction.intervals(worth, value, share=True)[:, 0]
        yield Outcome(
            rows=float(run.likeliest.texts[nugget].sum()),
            judged=float(run.reads[nugget].sum()),
            nuggets=len(nugget),
            error=float(value[0] - run.truth),
            classical=plain(run, pairs, draw, seed) - run.truth,
            holds=low <= run.to_depth + 1e-12 and run.to_depth - 1e-12 <= high,
            holds_truth=low <= run.truth <= high,
            width=high - low,
        )


def ties(rows: np.ndarray) -> list[str]:
    """The order of nuggets that are as likely: as they stand."""
    return [f"{row:05d}" for row in rows]


def plain(run: Run, pairs: int, draw: int, seed: int) -> float:
    """The classical estimate: nuggets at random, as many as the pairs allow."""
    order = np.random.default_rng([seed, draw, 1]).permutation(len(run.worth))
    costs = np.cumsum(run.likeliest.texts[order])
    nugget = order[: max(2, int(np.searchsorted(costs, pairs, side="right")))]
    return float((run.worth[nugget] * run.said[nugget]).mean() * len(run.worth))


def of_runs(runs: list[Run], pairs: list[int], draws: int) -> str:
    """A row of a table: what samples make of some runs."""
    each = enumerate(zip(runs, pairs, strict=True))
    found = [list(outcomes(run, many, draws, n)) for n, (run, many) in each]
    return line(list(chain.from_iterable(found)))


def line(found: list[Outcome]) -> str:
    """The cells of a row."""
    table = np.array([list(vars(each).values()) for each in found], float)
    rows, asked, nuggets, _, _, holds, truth, width = table.mean(axis=0)
    error, classical = table[:, 3], table[:, 4]
    cells = (
        *(f"{each:.0f}" for each in (rows, asked, nuggets)),
        f"{error.mean():+.3f} {rms(error)}",
        rms(classical),
        *(f"{each:.3f}" for each in (holds, truth)),
        f"{width:.2f}",
    )
    return " | ".join(cells)


def rms(errors: np.ndarray) -> str:
    """The root of the mean square."""
    return f"{np.sqrt((errors**2).mean()):.3f}"


HEAD = "rows | judged | nuggets | bias, RMSE | RMSE at random | holds | holds truth | width"


def of_year(year: str) -> list[Topic]:
    """The pooled texts of a year, with the probabilities of the other year's model."""
    gold = {name: judged(name) for name in POOLS}
    check(gold)
    other = next(name for name in POOLS if name != year)
    mine = read(gold[year], None)
    probability = train([read(gold[other], None)]).probability(mine)
    topics, at = [], 0
    for each in gold[year].by_topic():
        texts, _ = distinct(list(gold[year].updates.text.rows(each.updates)))
        shape = len(texts), len(each.nuggets)
        part = slice(at, at + shape[0] * shape[1])
        importance = gold[year].nuggets.importance[each.nuggets]
        topics.append(
            Topic(probability[part].reshape(shape), mine.true[part].reshape(shape), importance)
        )
        at = part.stop
    return topics


SIZES, PREFERENCES, TWICE = (5, 10, 20, 40), (0, 1, 2), 2


def sent(topics: list[Topic], number: int) -> list[Topic]:
    """What the run of this number sends."""
    size = SIZES[number % 4]
    preference = PREFERENCES[number // 4 % 3]
    draw = np.random.default_rng([1, number])
    chosen = []
    for topic in topics:
        good = topic.true.any(axis=1)
        rank = draw.gumbel(size=len(good)) + preference * good
        rows = np.sort(np.argsort(-rank)[:size])
        chosen.append(Topic(topic.score[rows], topic.true[rows], topic.importance))
    return chosen


def real(draws: int) -> None:
    """Print what samples make of the simulated runs of both years."""
    for year in POOLS:
        topics = of_year(year)
        many = len(SIZES) * len(PREFERENCES) * TWICE
        runs = [run_of(sent(topics, n), DEPTH, probable=True) for n in range(many)]
        alone = np.array([run.worth @ run.likeliest.predicted[0] - run.truth for run in runs])
        truth = [run.truth for run in runs]
        print(f"\n{year}: recall {min(truth):.2f} to {max(truth):.2f}, mean {np.mean(truth):.2f}")
        print(f"what is foretold alone: {alone.mean():+.3f} {rms(alone)}")
        print(f"| pairs | {HEAD} |")
        for budget in BUDGETS:
            print(f"| {budget} | {of_runs(runs, [budget] * many, draws)} |", flush=True)
            pairs = [asking(run, budget) for run in runs]
            told = f"{np.mean(pairs):.0f}, for {budget} judged"
            print(f"| {told} | {of_runs(runs, pairs, draws)} |", flush=True)


def asking(run: Run, judgments: int) -> int:
    """How many pairs to ask for so that about so many verdicts are needed."""
    pairs = judgments
    for _ in range(4):
        found = list(outcomes(run, pairs, 12, 99))
        pairs = round(pairs * judgments / np.mean([each.judged for each in found]))
    return pairs


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


BLUR = {"perfect": 0.0, "good": 1.0, "poor": 3.0, "useless": 20.0, "no probability": 1.0}
"""How far each matcher's odds are from the true ones; the last tells no more than yes or no."""


def simulated(draws: int) -> None:
    """Print what samples make of runs that are made up."""
    print(f"| prevalence | matcher | depth | pairs | recall | foretold | {HEAD} |")
    settings = [
        (prevalence, "good", 10, pairs)
        for prevalence in (0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
        for pairs in BUDGETS
    ]
    settings += [(0.02, each, 10, 300) for each in BLUR if each != "good"]
    settings += [(0.02, "good", depth, 300) for depth in (1, 3, 20)]
    for prevalence, matcher, depth, pairs in settings:
        probable, threshold = matcher != "no probability", prevalence * 5
        runs = [
            run_of(
                made_up(prevalence, BLUR[matcher], n),
                depth,
                probable=probable,
                threshold=threshold,
            )
            for n in range(24)
        ]
        recall = np.mean([run.truth for run in runs])
        alone = np.mean([run.worth @ run.likeliest.predicted[0] for run in runs])
        told = f"{prevalence:g} | {matcher} | {depth} | {pairs} | {recall:.2f} | {alone:.2f}"
        cells = of_runs(runs, [pairs] * len(runs), draws)
        print(f"| {told} | {cells} |", flush=True)


def main() -> None:
    """Print one of the tables."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("what", choices=["real", "simulated"])
    options.add_argument("--draws", type=int, default=100, help="samples of each run")
    asked = options.parse_args()
    {"real": real, "simulated": simulated}[asked.what](asked.draws)


if __name__ == "__main__":
    main()
