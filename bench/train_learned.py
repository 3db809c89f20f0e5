"""Train the matcher `learned` on the judgments of TREC Temporal Summarization 2013 and 2014.

    python bench/train_learned.py [--model] [--write]

Reads the conformance pack as bench/quality_matching.py does. A pair is a different text of an
update and a nugget of its topic; it is true if assessors matched any update of this text, and
updates that repeat another are left out. A model is trained on every true pair, on the twentieth
that words and letters like best, and on a tenth of the others with ten times the weight: logistic
regression with an L2 penalty over standardised numbers, which are held to their signs
(`matchers.learned.SIGNS`). With `--model` it is the one with the default sentence model, which
takes an hour on two cores unless its vectors are kept already.

A year is judged by the model of the other year alone. Its threshold is chosen where it was trained,
by models that had each topic left out. `--write` puts the model of both years, which no year here
can judge, beside the matchers, with what the two models did across years.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.quality_matching import POOLS, check, judged
from matchers import Collection
from matchers.learned import (
    ALIGNED,
    LEXICAL,
    SIGNS,
    AlignedGold,
    Coefficients,
    LexicalGold,
    Numbers,
)
from matchers.sentence_models import MODEL, Late
from matchers.steps import ALL, rewritten
from matchers.texts import distinct
from tseval.matching.judged_pairs import BINS, JudgedUpdates, Tally
from tseval.statistics import agreement, bootstrap

FOLDER = Path(__file__).parents[1] / "matchers"
LIKED = 0.95
"""Above this quantile of what words and letters say, every pair is trained on,"""
TENTH = 10
"""and one of so many below it, with so much weight."""
DECIMALS = 6
"""Coefficients are rounded to so many decimals."""
STEP = 500  # texts read at once


@dataclass(frozen=True)
class Judged:
    """All pairs of a year: `features` has a column each, `topic` counts the topics.

    `liked` is the share of the nugget's weight and of its letters that are found, added up.
    """

    names: tuple[str, ...]
    features: np.ndarray
    liked: np.ndarray
    true: np.ndarray
    topic: np.ndarray
    sha256: str

    def only(self, kept: np.ndarray) -> Judged:
        """Some of the pairs."""
        columns = (self.features, self.liked, self.true, self.topic)
        return Judged(self.names, *(column[kept] for column in columns), self.sha256)


class Model(NamedTuple):
    """A constant, what each feature adds per unit, and per standard deviation."""

    constant: float
    each: np.ndarray
    standardised: np.ndarray

    def probability(self, year: Judged) -> np.ndarray:
        """What the model says of each pair."""
        return np.asarray(expit(self.constant + year.features @ self.each))


def read(gold: JudgedUpdates, late: Late | None) -> Judged:
    """The features of all pairs of a year."""
    collection = Collection(gold.nuggets["text"].to_list())
    names = ALIGNED if late else LEXICAL
    features, liked, true, topic = [], [], [], []
    for place, each in enumerate(gold.by_topic()):
        texts, number = distinct(each.texts.to_list())
        matched = np.zeros((len(texts), len(each.nuggets)), bool)
        np.logical_or.at(matched, number, each.true)
        nuggets = Collection(gold.nuggets["text"].gather(each.nuggets).to_list())
        for found, share in numbers(texts, nuggets, collection, late):
            features.append(np.stack([found[name] for name in names], axis=1))
            liked.append(share)
        true.append(matched.ravel())
        topic.append(np.full(matched.size, place))
    told = hashlib.sha256("".join(source.sha256 for source in gold.inputs).encode()).hexdigest()
    columns = (np.concatenate(column) for column in (features, liked, true, topic))
    return Judged(names, *columns, told)


def numbers(
    texts: list[str], nuggets: Collection, collection: Collection, late: Late | None
) -> Iterator[tuple[Numbers, np.ndarray]]:
    """What all pairs of some texts after others are told by, and how much words like them."""
    none = Coefficients(0, {})
    wanted, weighed = nuggets.rewritten(ALL), collection.rewritten(ALL)
    lexical = LexicalGold.of(wanted, weighed, none)
    aligned = late and AlignedGold.of(nuggets, collection, late.pieces(nuggets, collection), none)
    if late:
        late.read_ahead(texts)
    for first in range(0, len(texts), STEP):
        part = texts[first : first + STEP]
        update, nugget = np.divmod(np.arange(len(part) * len(nuggets)), len(nuggets))
        found = lexical.block([rewritten(text, ALL) for text in part]).numbers(update, nugget)
        share = found["found"] / np.maximum(np.expm1(found["mass"]), 1e-9) + found["grams"]
        if aligned:
            block = aligned.block(part)
            found = block.numbers(update, nugget, block.late.scores(update, nugget))
        yield found, share


def sample(year: Judged) -> tuple[np.ndarray, np.ndarray]:
    """The pairs to train on, and their weights."""
    chosen = year.true | (year.liked >= np.quantile(year.liked, LIKED))
    rest = ~chosen & (np.random.default_rng(0).random(len(chosen)) < 1 / TENTH)
    rows = np.flatnonzero(chosen | rest)
    return rows, np.where(rest[rows], float(TENTH), 1.0)


def train(years: list[Judged]) -> Model:
    """L2 logistic regression of what stands beside one another in these years."""
    taken = [sample(year) for year in years]
    names = years[0].names
    weight = np.concatenate([weights for _, weights in taken])
    true = np.concatenate([y.true[rows] for y, (rows, _) in zip(years, taken, strict=True)])
    raw = np.concatenate([y.features[rows] for y, (rows, _) in zip(years, taken, strict=True)])
    mean = np.average(raw, axis=0, weights=weight)
    scale = np.sqrt(np.average((raw - mean) ** 2, axis=0, weights=weight))
    numbers, target = (raw - mean) / scale, true.astype(float)

    def loss(at: np.ndarray) -> tuple[float, np.ndarray]:
        odds = at[0] + numbers @ at[1:]
        total = weight @ (np.logaddexp(0, odds) - target * odds) + (at[1:] ** 2).sum() / 2
        slope = weight * (expit(odds) - target)
        return float(total), np.append(slope.sum(), numbers.T @ slope + at[1:])

    kept = {1: (0, None), -1: (None, 0), 0: (None, None)}
    bounds = [(None, None), *(kept[SIGNS.get(name, 0)] for name in names)]
    start = np.append(-4.0, np.zeros(len(names)))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    each = found[1:] / scale
    return Model(float(found[0] - each @ mean), each, found[1:])


def by_others(year: Judged) -> np.ndarray:
    """What models say of each topic that were trained on the other topics of its year."""
    said = np.zeros(len(year.true))
    for topic in range(int(year.topic.max()) + 1):
        mine = year.topic == topic
        said[mine] = train([year.only(~mine)]).probability(year.only(mine))
    return said


def tally(year: Judged, probability: np.ndarray) -> Tally:
    """True and other pairs by bin of probability, topic by topic."""
    counted = Tally.none(int(year.topic.max()) + 1)
    for topic in range(len(counted.true)):
        mine = year.topic == topic
        counted.meet(topic, probability[mine], year.true[mine])
    return counted


def across(model: Model, trained: Judged, other: Judged) -> dict[str, float]:
    """What a model does in the year that it was not trained on, at the threshold it was good at."""
    coarse = tally(trained, by_others(trained)).coarse()
    place = int(agreement.best_threshold(coarse.true.sum(axis=0), coarse.other.sum(axis=0)))
    found = tally(other, model.probability(other))
    threshold = place * BINS // 100
    told = agreement.agreement(found.true.sum(axis=0), found.other.sum(axis=0))
    draws = bootstrap.resamples(len(found.true), 0)
    drawn = agreement.average_precision(*found.occupied().drawn(draws))
    whole = found.occupied()
    sides = whole.true.sum(axis=0), whole.other.sum(axis=0)
    low, high = np.quantile(drawn, [0.025, 0.975])
    numbers = {
        "AUC": agreement.auc(*sides),
        "AP": agreement.average_precision(*sides),
        "AP low": low,
        "AP high": high,
        "F1": told.f1[threshold],
        "kappa": told.kappa[threshold],
        "threshold": place / 100,
        "expected matches": model.probability(other).sum() / other.true.sum(),
    }
    return {name: round(float(value), 3) for name, value in numbers.items()}


def reliability(model: Model, other: Judged) -> list[str]:
    """By tenths of probability: how many pairs, what was said on average, and what was true."""
    said = model.probability(other)
    rows = []
    for tenth in range(10):
        mine = (said >= tenth / 10) & (said < (tenth + 1) / 10)
        if mine.any():
            cells = f"{mine.sum():,}", f"{said[mine].mean():.3f}", f"{other.true[mine].mean():.3f}"
            rows.append(f"| {tenth / 10:.1f}-{(tenth + 1) / 10:.1f} | {' | '.join(cells)} |")
    return rows


def main() -> None:
    """Train three models, tell what two of them do in the other year, and write the third."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--model", action="store_true", help="train the one with a sentence model")
    options.add_argument("--write", action="store_true", help="write the coefficients")
    asked = options.parse_args()
    late = Late() if asked.model else None
    gold = {year: judged(year) for year in POOLS}
    check(gold)
    years = {year: read(each, late) for year, each in gold.items()}
    names = next(iter(years.values())).names
    crossed = {}
    for year, mine in years.items():
        trained = next(each for each in years if each != year)
        model = train([years[trained]])
        crossed[year] = across(model, years[trained], mine)
        print(f"{year} by the model of {trained}:", crossed[year])
        print(dict(zip(names, model.standardised.round(2).tolist(), strict=True)))
        print("\n".join(reliability(model, mine)), flush=True)
    shipped = train(list(years.values()))
    told = {
        "trained on": {year: each.sha256 for year, each in years.items()},
        "judged by the model of the other year": crossed,
        "constant": round(shipped.constant, DECIMALS),
        "coefficients": dict(zip(names, shipped.each.round(DECIMALS).tolist(), strict=True)),
    }
    if late:
        told["model"] = {"name": MODEL, "sha256": late.sha256, "settings": late.settings}
    print(json.dumps(told, indent=2))
    if asked.write:
        file = FOLDER / ("learned-aligned.json" if late else "learned.json")
        file.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
