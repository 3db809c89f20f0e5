"""Each year judged by what was chosen on the other: the table of docs/matching.md with all kinds.

    python bench/quality_years.py [--model] [--write]

Reads the conformance pack as bench/quality_matching.py does, every different pooled update against
every nugget of its topic. `learned` is trained on one year and judged on the other as in
bench/train_learned.py; of every other matcher the threshold alone is chosen on the other year.
Intervals are over resampled topics; those of the gains in average precision over `fuzzy` and over
the best blend without a model are over pairs of the same draws.

What that makes of recall is told by 24 simulated runs (the pools name none): run k sends of every
topic a share of the pooled updates, from 1 % to 30 %, in which updates that say a nugget have 1, 2,
4 or 8 times the chance of others. *Error* is the mean over runs of how far recall by the matcher
is from recall by the assessors, *bias* the mean of the difference. `--model` adds those that need
a sentence model. `--write` puts the table into the page.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import matchers
from bench.quality_matching import POOLS, check, judged, shown, write
from bench.train_learned import by_others, read, train
from matchers.sentence_models import Late
from matchers.texts import distinct
from tseval.matching.judged_pairs import BINS, JudgedUpdates, Tally, Topic
from tseval.matching.matching import all_scores
from tseval.statistics import agreement, bootstrap

BEGIN, END = "<!-- years: begin -->\n", "<!-- years: end -->\n"
NAMES = (
    "fuzzy",
    "fuzzy(window=40)",
    "fuzzy(window=40,doubt=2)",
    "grams(window=40)",
    "blend(fuzzy(window=40,doubt=2),grams(window=40))",
)
BLEND = NAMES[-1]
RUNS = 24


@dataclass(frozen=True)
class Year:
    """A year's topics, and the simulated runs: which updates of a topic each of them sends."""

    gold: JudgedUpdates
    topics: list[Topic]
    runs: list[list[np.ndarray]]

    @classmethod
    def of(cls, gold: JudgedUpdates) -> Year:
        """Read a year and draw its runs."""
        topics = list(gold.by_topic())
        random = np.random.default_rng(0)
        shares = np.geomspace(0.01, 0.3, RUNS)
        runs = []
        for run, share in enumerate(shares):
            sent = []
            for topic in topics:
                chance = np.where(topic.true.any(axis=1), float(2 ** (run % 4)), 1.0)
                count = max(1, round(share * len(chance)))
                sent.append(
                    random.choice(len(chance), count, replace=False, p=chance / chance.sum())
                )
            runs.append(sent)
        return cls(gold, topics, runs)

    def tally(self, scores: list[np.ndarray]) -> Tally:
        """True and other pairs by bin of score, topic by topic."""
        counted = Tally.none(len(self.topics))
        for place, (topic, score) in enumerate(zip(self.topics, scores, strict=True)):
            counted.meet(place, score, topic.true)
        return counted

    def recalls(self, called: list[np.ndarray]) -> np.ndarray:
        """The recall of each run, the mean of topics, if these pairs are the matches."""
        return np.array(
            [
                np.mean(
                    [
                        pairs[rows].any(axis=0).mean()
                        for pairs, rows in zip(called, sent, strict=True)
                    ]
                )
                for sent in self.runs
            ]
        )


@dataclass(frozen=True)
class Found:
    """The scores of a matcher in a year, and the threshold that the other year chose."""

    scores: list[np.ndarray]
    threshold: float


def by_matcher(name: str, year: Year) -> list[np.ndarray]:
    """What a matcher says of all pairs, topic by topic."""
    matcher = matchers.get(name)
    found = []
    for topic in year.topics:
        texts = topic.texts.to_list()
        nuggets = year.gold.nuggets["text"].gather(topic.nuggets).to_list()
        parts = all_scores(matcher, texts, nuggets, year.gold.collection)
        found.append(np.concatenate([score for _, score in parts]))
    return found


def chosen(tally: Tally) -> float:
    """The threshold with the best F1."""
    coarse = tally.coarse()
    return int(agreement.best_threshold(coarse.true.sum(axis=0), coarse.other.sum(axis=0))) / 100


def matched(name: str, years: list[Year]) -> list[Found]:
    """A matcher on both years, each at the threshold of the other."""
    scores = [by_matcher(name, year) for year in years]
    best = [chosen(year.tally(found)) for year, found in zip(years, scores, strict=True)]
    return [Found(found, best[1 - place]) for place, found in enumerate(scores)]


def learned(years: list[Year], late: Late | None) -> list[Found]:
    """`learned` on both years, each by the model and the threshold of the other."""
    features = [read(year.gold, late) for year in years]
    found = []
    for place, year in enumerate(years):
        other, mine = features[1 - place], features[place]
        said, start, scores = train([other]).probability(mine), 0, []
        for topic in year.topics:
            texts, number = distinct(topic.texts.to_list())
            size = len(texts) * len(topic.nuggets)
            scores.append(said[start : start + size].reshape(len(texts), -1)[number])
            start += size
        counted = Tally.none(int(other.topic.max()) + 1)
        said = by_others(other)
        for topic_place in range(len(counted.true)):
            rows = other.topic == topic_place
            counted.meet(topic_place, said[rows], other.true[rows])
        found.append(Found(scores, chosen(counted)))
    return found


def average_precisions(tally: Tally, draws: np.ndarray) -> np.ndarray:
    """Average precision, for each draw of topics."""
    occupied = tally.occupied()
    parts = np.array_split(draws, 10)
    return np.concatenate([agreement.average_precision(*occupied.drawn(part)) for part in parts])


def cells(year: Year, found: Found, base: list[np.ndarray]) -> tuple[list[str], np.ndarray]:
    """What stands in a row for a year, and the drawn average precisions."""
    tally = year.tally(found.scores)
    sides = tally.true.sum(axis=0), tally.other.sum(axis=0)
    told, place = agreement.agreement(*sides), round(found.threshold * BINS)
    drawn = average_precisions(tally, bootstrap.resamples(len(year.topics), 0))
    gains = [interval(drawn - each) for each in base]
    truth = year.recalls([topic.true for topic in year.topics])
    off = year.recalls([score >= found.threshold for score in found.scores]) - truth
    return [
        shown(float(agreement.auc(*sides))),
        f"{shown(float(agreement.average_precision(*sides)))} ({interval(drawn)})",
        " / ".join(gains),
        f"{found.threshold:.2f}",
        f"{shown(float(told.f1[place]))} {shown(float(told.kappa[place]))}",
        f"{shown(float(np.abs(off).mean()))} {off.mean():+.3f}".replace("0.", "."),
    ], drawn


def interval(drawn: np.ndarray) -> str:
    """The middle 95 %."""
    low, high = np.quantile(drawn, [0.025, 0.975])
    return f"{low:.3f} to {high:.3f}".replace("0.", ".")


def rows(years: list[Year], models: bool) -> Iterator[tuple[str, list[Found]]]:
    """All rows of the table."""
    for name in NAMES:
        yield name, matched(name, years)
    yield "learned", learned(years, None)
    if models:
        yield "late", matched("late", years)
        yield "learned(model=all-MiniLM-L6-v2)", learned(years, Late())


def main() -> None:
    """Measure, print, and write if asked to."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--model", action="store_true", help="those with a sentence model too")
    options.add_argument("--write", action="store_true", help="put the table into docs/matching.md")
    asked = options.parse_args()
    gold = {year: judged(year) for year in POOLS}
    check(gold)
    years = [Year.of(each) for each in gold.values()]
    names = ["year", "matcher", "AUC", "AP", "gain in AP over `fuzzy` / the blend", "threshold"]
    names += ["F1 κ", "recall: error, bias"]
    listed: dict[str, list[str]] = {year: [] for year in gold}
    base: list[list[np.ndarray]] = [[] for _ in years]
    for name, found in rows(years, asked.model):
        for place, label in enumerate(gold):
            told, drawn = cells(years[place], found[place], base[place])
            if name in ("fuzzy", BLEND):
                base[place].append(drawn)
            listed[label].append(f"| {' | '.join([label, f'`{name}`', *told])} |")
            print(listed[label][-1], flush=True)
    lines = [f"| {' | '.join(names)} |", f"|{' --- |' * len(names)}"]
    lines += [line for each in listed.values() for line in each]
    if asked.write:
        write(lines, BEGIN, END)
    else:
        print("\n".join(lines))


if __name__ == "__main__":
    main()
