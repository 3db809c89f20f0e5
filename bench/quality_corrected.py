"""What judging a sample makes of scores, on real judgments: tables of docs/corrected-scores.md.

    python bench/quality_corrected.py [real] [published] [--draws N] [--write]

Both take the judgments of TREC Temporal Summarization 2013 and 2014, as bench/train_learned.py
reads them, with the probabilities of the model of the other year. A simulated run sends 5, 10, 20
or 40 different pooled texts a topic, drawn at random, those that say any nugget 1, e or e^2 times
as likely as others; two runs of each kind make 24 a year. What is true is known of each.

From each run samples are drawn again and again, and the run is corrected by each. `rows` is how
many pairs the file holds, `judged` how many verdicts it takes until each nugget's first yes. Told
are bias and root mean square error against the truth, and how many intervals hold what reading all
nuggets to the same depth would give, and the truth. `real` is about R as the draft has it.

`published` holds the design beside the one whose figures are published: as many nuggets of each
stratum, drawn alike, by Neyman's allocation. What is published of nuggets at random is the error of
a share: there every nugget of a year counts alike. So once R does here too, and runs send 8, 15, 30
or 60 texts, of which nuggets at random have about the published error. And once R is the draft's.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.quality_matching import POOLS, check, judged
from bench.train_learned import read, train
from matchers.texts import distinct
from tseval.core.wording import listed
from tseval.families.temporal.correcting import Correction, sizes
from tseval.matching.calibration import RecallError
from tseval.matching.sampling import LEAST_VARIANCE, Likeliest, Verdicts, population_of
from tseval.statistics.strata import Drawn, strata_of

PAGE = Path(__file__).parents[1] / "docs" / "corrected-scores.md"
DEPTH = 10
BUDGETS = (100, 300, 1000)


@dataclass(frozen=True, eq=False)
class Topic:
    """Texts x nuggets: what a matcher says, and what is true; the nuggets' importance."""

    score: np.ndarray
    true: np.ndarray
    importance: np.ndarray

    def sending(self, texts: np.ndarray) -> Topic:
        """What a run has of it that sends these texts."""
        return Topic(self.score[texts], self.true[texts], self.importance)


@dataclass(frozen=True, eq=False)
class Reading:
    """Runs over the same nuggets, as they are read to a depth, and as they are."""

    likeliest: Likeliest
    topic: np.ndarray
    """Of each nugget."""
    importance: np.ndarray
    said: np.ndarray
    """Runs x nuggets: whether a text that is read says it."""
    ever: np.ndarray
    """Whether any text does."""
    reads: np.ndarray
    """For each nugget how many texts are read until one of each run says it."""

    @cached_property
    def worth(self) -> np.ndarray:
        """What saying each nugget adds to R of the draft."""
        total = np.bincount(self.topic, self.importance)
        return self.importance / total[self.topic] / len(total)

    @cached_property
    def alike(self) -> np.ndarray:
        """The same if every nugget of all topics counts alike."""
        return np.full(len(self.topic), 1 / len(self.topic))

    @cached_property
    def size(self) -> np.ndarray:
        """What nuggets are drawn by."""
        return sizes(self.topic, self.importance)


def reading_of(
    topics: Sequence[Topic],
    depth: int,
    *,
    probable: bool = True,
    threshold: float = 0.5,
    sent: Sequence[Sequence[np.ndarray]] | None = None,
) -> Reading:
    """Runs by the texts that each sends on each topic; without `sent` one that sends all."""
    runs = sent or [[np.arange(len(topic.score)) for topic in topics]]
    parts: list[tuple[np.ndarray, ...]] = []
    for at, topic in enumerate(topics):
        of_runs = [_read(topic, run[at], depth, probable, threshold) for run in runs]
        foretold, best, said, ever, needed, looked_at = map(np.stack, zip(*of_runs, strict=True))
        number = len(topic.importance)
        reads, texts = needed.any(axis=0).sum(axis=0), looked_at.any(axis=0).sum(axis=0)
        place = np.full(number, at)
        parts.append((foretold.T, best.T, said.T, ever.T, reads, texts, place, topic.importance))
    foretold, best, said, ever, reads, texts, place, importance = (
        np.concatenate(each) for each in zip(*parts, strict=True)
    )
    nugget = np.repeat(np.arange(len(texts)), texts)
    update = np.arange(len(nugget)) - (np.cumsum(texts) - texts)[nugget]
    none = np.zeros(len(nugget), np.int64)
    names = tuple(f"run {number}" for number in range(len(runs)))
    columns = none, nugget, update, none * 1.0, foretold.T, np.zeros(foretold.T.shape), best.T
    known = Likeliest(names, len(texts), probable, *columns)
    return Reading(known, place, importance, said.T, ever.T, reads)


def _read(
    topic: Topic, rows: np.ndarray, depth: int, probable: bool, threshold: float
) -> tuple[np.ndarray, ...]:
    """Of one run: what is foretold, the best score, said, ever said, texts needed, texts read."""
    order = np.argsort(-topic.score[rows], axis=0, kind="stable")[:depth]
    score, true = (np.take_along_axis(each[rows], order, 0) for each in (topic.score, topic.true))
    silent = 1 - (score if probable else (score >= threshold) * 1.0)
    before = np.cumsum(true, axis=0) - true
    needed, looked_at = (np.zeros(topic.true.shape, bool) for _ in range(2))
    np.put_along_axis(needed, rows[order], before == 0, 0)
    np.put_along_axis(looked_at, rows[order], values=True, axis=0)
    ever = topic.true[rows].any(axis=0)
    return 1 - silent.prod(axis=0), score[0], true.any(axis=0), ever, needed, looked_at


@dataclass(frozen=True)
class Outcome:
    """What one sample made of one run."""

    rows: float
    judged: float
    nuggets: float
    error: float
    error_to_depth: float
    classical: float
    holds: float
    holds_truth: float
    width: float


def samples(
    reading: Reading, size: np.ndarray, pairs: int, draws: int, seed: int
) -> Iterator[Correction]:
    """Sample some runs again and again: what each sample corrects them by."""
    population, rows = population_of(reading.likeliest, size, ties)
    inclusion = population.allocated(pairs)
    for draw in range(draws if len(inclusion) else 0):
        chosen = population.draw(inclusion, np.random.SeedSequence([seed, draw]))
        nugget = rows[chosen]
        drawn = Drawn(population.stratum[chosen], inclusion[chosen])
        verdicts = Verdicts(nugget, reading.said[:, nugget], drawn, 0)
        yield Correction(reading.likeliest, verdicts, None)


def outcomes(
    reading: Reading, pairs: int, draws: int, seed: int, trust: float = 1.0
) -> Iterator[Outcome]:
    """Correct the first of some runs by sample after sample, with so much of what is foretold."""
    known = replace(reading.likeliest, predicted=reading.likeliest.predicted * trust)
    worth = reading.worth[None]
    truth, to_depth = (float(reading.worth @ each[0]) for each in (reading.ever, reading.said))
    for draw, sample in enumerate(samples(reading, reading.size, pairs, draws, seed)):
        correction = replace(sample, likeliest=known)
        value = correction.nuggets(worth).sum(axis=1)
        low, high = correction.intervals(worth, value, share=True)[:, 0]
        nugget = correction.verdicts.nugget
        yield Outcome(
            rows=float(reading.likeliest.texts[nugget].sum()),
            judged=float(reading.reads[nugget].sum()),
            nuggets=len(nugget),
            error=float(value[0] - truth),
            error_to_depth=float(value[0] - to_depth),
            classical=plain(reading, pairs, draw, seed) - truth,
            holds=low <= to_depth + 1e-12 and to_depth - 1e-12 <= high,
            holds_truth=low <= truth <= high,
            width=high - low,
        )


def ties(rows: np.ndarray) -> list[str]:
    """The order of nuggets that are as likely: as they stand."""
    return [f"{row:05d}" for row in rows]


def plain(reading: Reading, pairs: int, draw: int, seed: int) -> float:
    """The classical estimate: nuggets at random, as many as the pairs allow."""
    order = np.random.default_rng([seed, draw, 1]).permutation(len(reading.worth))
    costs = np.cumsum(reading.likeliest.texts[order])
    nugget = order[: max(2, int(np.searchsorted(costs, pairs, side="right")))]
    said = (reading.worth[nugget] * reading.said[0, nugget]).mean()
    return float(said * len(reading.worth))


def of_runs(runs: list[Reading], pairs: list[int], draws: int) -> str:
    """A row of a table: what samples make of some runs."""
    each = enumerate(zip(runs, pairs, strict=True))
    found = [list(outcomes(run, many, draws, n)) for n, (run, many) in each]
    return line(list(chain.from_iterable(found)))


def line(found: list[Outcome]) -> str:
    """The cells of a row."""
    numbers = {name: np.array([vars(each)[name] for each in found]) for name in vars(found[0])}
    error, classical = numbers["error"], numbers["classical"]
    cells = (
        *(f"{numbers[each].mean():.0f}" for each in ("rows", "judged", "nuggets")),
        f"{error.mean():+.3f} {rms(error)}",
        rms(classical),
        *(f"{numbers[each].mean():.3f}" for each in ("holds", "holds_truth")),
        f"{numbers['width'].mean():.2f}",
    )
    return " | ".join(cells)


def rms(errors: np.ndarray) -> str:
    """The root of the mean square."""
    return f"{np.sqrt((errors**2).mean()):.3f}"


HEAD = "rows | judged | nuggets | bias, RMSE | RMSE at random | holds | holds truth | width"


def table(head: str, rows: Iterator[str]) -> Iterator[str]:
    """The lines of a table."""
    yield f"| {head} |"
    yield f"|{' --- |' * len(head.split(' | '))}"
    for row in rows:
        yield f"| {row} |"


def put(name: str, lines: Iterator[str], *, write: bool) -> None:
    """Print lines as they come, and put them between their marks in the page if asked to."""
    kept = []
    for each in lines:
        kept.append(each)
        print(each, flush=True)
    if write:
        begin, end = (f"<!-- {name}: {place} -->\n" for place in ("begin", "end"))
        page = PAGE.read_text(encoding="utf-8")
        before, after = page.split(begin)[0], page.split(end)[1]
        content = "\n".join([*kept, end])
        PAGE.write_text(before + begin + content + after, encoding="utf-8")


def both_years() -> dict[str, list[Topic]]:
    """The pooled texts of each year, with the probabilities of the other year's model."""
    gold = {year: judged(year) for year in POOLS}
    check(gold)
    pairs = {year: read(each, None) for year, each in gold.items()}
    models = {year: train([each]) for year, each in pairs.items()}
    found: dict[str, list[Topic]] = {}
    for year, mine in pairs.items():
        (other,) = (models[each] for each in models if each != year)
        probability, at, found[year] = other.probability(mine), 0, []
        for each in gold[year].by_topic():
            texts, _ = distinct(each.texts.to_list())
            shape = len(texts), len(each.nuggets)
            part = slice(at, at + shape[0] * shape[1])
            said, true = (column[part].reshape(shape) for column in (probability, mine.true))
            found[year].append(
                Topic(said, true, gold[year].nuggets["importance"].to_numpy()[each.nuggets])
            )
            at = part.stop
    return found


SIZES, SIZES_AS_PUBLISHED = (5, 10, 20, 40), (8, 15, 30, 60)
PREFERENCES, TWICE = (0, 1, 2), 2
MANY = len(SIZES) * len(PREFERENCES) * TWICE


def simulated_runs(topics: list[Topic], how_many: Sequence[int]) -> list[Reading]:
    """The runs of a year, that send so many texts."""
    return [reading_of(sent(topics, number, how_many), DEPTH) for number in range(MANY)]


def sent(topics: list[Topic], number: int, how_many: Sequence[int]) -> list[Topic]:
    """What the run of this number sends."""
    size = how_many[number % 4]
    preference = PREFERENCES[number // 4 % 3]
    draw = np.random.default_rng([1, number])
    chosen = []
    for topic in topics:
        good = topic.true.any(axis=1)
        rank = draw.gumbel(size=len(good)) + preference * good
        chosen.append(topic.sending(np.sort(np.argsort(-rank)[:size])))
    return chosen


def real(years: dict[str, list[Topic]], draws: int) -> Iterator[str]:
    """What samples make of the simulated runs of both years."""
    for year, topics in years.items():
        runs = simulated_runs(topics, SIZES)
        truth = np.array([run.worth @ run.ever[0] for run in runs])
        alone = np.array([run.worth @ run.likeliest.predicted[0] for run in runs]) - truth
        yield from (
            "",
            f"**{year}**: recall from {truth.min():.2f} to {truth.max():.2f}. The prediction "
            f"alone has a bias of {alone.mean():+.3f} and an RMSE of {rms(alone)}. By nuggets "
            f"drawn by weight alone, ten verdicts each, it would be {by_weight(truth)}.",
            "",
        )
        yield from table(f"pairs | {HEAD}", _by_budget(runs, draws))
    yield ""


def by_weight(recall: np.ndarray) -> str:
    """The error after each budget that `tseval calibrate` tells of runs with these recalls."""
    known = RecallError.of(recall[:, None], recall[:, None], np.ones((1, 1), int))
    return listed([f"{known.after(budget):.3f} ({budget} verdicts)" for budget in BUDGETS])


def _by_budget(runs: list[Reading], draws: int) -> Iterator[str]:
    for budget in BUDGETS:
        yield f"{budget} | {of_runs(runs, [budget] * MANY, draws)}"
        pairs = [asking(run, budget) for run in runs]
        told = f"{np.mean(pairs):.0f}, for {budget} judged"
        yield f"{told} | {of_runs(runs, pairs, draws)}"


def asking(run: Reading, judgments: int) -> int:
    """How many pairs to ask for so that about so many verdicts are needed."""

    def judged_by(pairs: int) -> float:
        found = samples(run, run.size, pairs, 12, 99)
        return float(np.mean([run.reads[each.verdicts.nugget].sum() for each in found]))

    return settled(judged_by, judgments, judgments)


def settled(judged_by: Callable[[int], float], judgments: int, start: int) -> int:
    """What to ask for so that about so many verdicts are needed."""
    asked = start
    for _ in range(4):
        asked = max(8, round(asked * judgments / judged_by(asked)))
    return asked


Estimates = Iterator[tuple[float, float]]
"""Recalls, and how many verdicts each took."""


def at_random(run: Reading, worth: np.ndarray, number: int, draws: int, seed: int) -> Estimates:
    """By so many nuggets drawn alike, without anything foretold."""
    random = np.random.default_rng([number, seed, 1])
    for _ in range(draws):
        chosen = random.choice(len(worth), number, replace=False)
        value = (worth[chosen] * run.said[0, chosen]).mean() * len(worth)
        yield float(value), float(run.reads[chosen].sum())


def as_published(run: Reading, worth: np.ndarray, number: int, draws: int, seed: int) -> Estimates:
    """By so many nuggets, in each stratum drawn alike, with what is foretold."""
    foretold, random = run.likeliest.predicted[0], np.random.default_rng([number, seed, 2])
    stratum = strata_of(foretold)
    strata = [np.flatnonzero(stratum == each) for each in np.unique(stratum)]
    spread = np.sqrt(np.maximum(foretold * (1 - foretold), LEAST_VARIANCE))
    wanted = np.array([spread[rows].sum() for rows in strata])
    whole = np.array([len(rows) for rows in strata])
    drawn = np.minimum(whole, 2)
    while drawn.sum() < number:
        drawn[np.argmax(np.where(drawn < whole, wanted**2 / (drawn * (drawn + 1)), -1))] += 1
    for _ in range(draws):
        value, verdicts = float(worth @ foretold), 0.0
        for rows, many in zip(strata, drawn, strict=True):
            chosen = random.choice(rows, many, replace=False)
            differs = worth[chosen] * (run.said[0, chosen] - foretold[chosen])
            value += differs.mean() * len(rows)
            verdicts += run.reads[chosen].sum()
        yield value, verdicts


def as_here(run: Reading, worth: np.ndarray, pairs: int, draws: int, seed: int) -> Estimates:
    """By samples as the program draws them."""
    size = worth if worth is run.alike else run.size
    for each in samples(run, size, pairs, draws, seed):
        value = each.nuggets(worth[None]).sum()
        yield float(value), float(run.reads[each.verdicts.nugget].sum())


def errors(
    by: Callable[[Reading, np.ndarray, int, int, int], Estimates],
    run: Reading,
    worth: np.ndarray,
    budget: int,
    draws: int,
    seed: int,
) -> np.ndarray:
    """How far estimates are from the truth that take about so many verdicts."""

    def judged_by(asked: int) -> float:
        return float(np.mean([verdicts for _, verdicts in by(run, worth, asked, 12, seed)]))

    asked = settled(judged_by, budget, budget if by is as_here else budget // DEPTH)
    found = [value for value, _ in by(run, worth, asked, draws, seed)]
    return np.array(found) - worth @ run.ever[0]


def published(years: dict[str, list[Topic]], draws: int) -> Iterator[str]:
    """The design beside the published one, and beside nuggets at random."""
    head = "year | R | recall | judged | at random | the published design | this design"
    yield from table(head, beside_published(years, draws))


def beside_published(years: dict[str, list[Topic]], draws: int) -> Iterator[str]:
    """The rows of that table: bias and RMSE of each."""
    kinds = {"nuggets alike": SIZES_AS_PUBLISHED, "the draft's": SIZES}
    for (kind, how_many), (year, topics) in product(kinds.items(), years.items()):
        runs = simulated_runs(topics, how_many)
        worths = [run.worth if kind == "the draft's" else run.alike for run in runs]
        both = list(zip(runs, worths, strict=True))
        recall = np.mean([worth @ run.ever[0] for run, worth in both])
        for budget in BUDGETS:
            cells = []
            for by in (at_random, as_published, as_here):
                found = np.concatenate(
                    [errors(by, *each, budget, draws, n) for n, each in enumerate(both)]
                )
                cells.append(f"{found.mean():+.3f} {rms(found)}")
            yield f"{year} | {kind} | {recall:.2f} | {budget} | {' | '.join(cells)}"


TABLES = {"real": real, "published": published}


def main() -> None:
    """Print the tables asked for, and write them if asked to."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("what", nargs="*", metavar="|".join(TABLES), help="default: both")
    options.add_argument("--draws", type=int, default=100, help="samples of each run")
    options.add_argument("--write", action="store_true", help="put the tables into the page")
    asked = options.parse_args()
    years = both_years()
    for name in asked.what or TABLES:
        put(name, TABLES[name](years, asked.draws), write=asked.write)


if __name__ == "__main__":
    main()
