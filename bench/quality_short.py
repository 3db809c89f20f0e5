"""What matchers make of short alerts: the pairs of fixtures/short, labelled by hand.

    python bench/quality_short.py [--write] [MATCHER...]

Weights come from all 150 facts, and an event's five facts are given together. AUC and AP need no
threshold; F1 and kappa are those at the matcher's own. Then: which share of the matches is found
at that threshold, and which share of each kind of no match is taken for one. Intervals are over
resampled events. `--write` puts the table into docs/matching.md.
"""

from __future__ import annotations

import argparse
import csv
import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import matchers
from bench.quality_matching import shown, write
from tseval.statistics import agreement, bootstrap

PAIRS = Path(__file__).parents[1] / "fixtures" / "short" / "pairs.tsv"
BEGIN, END = "<!-- short: begin -->\n", "<!-- short: end -->\n"
MODEL = "all-MiniLM-L6-v2"
MATCHERS = (
    "exact(contained=true)",
    "rapidfuzz",
    "fuzzy",
    "fuzzy(steps=all)",
    "fuzzy(doubt=2)",
    "grams",
    "blend(fuzzy,grams)",
    "learned",
    "embedding",
    "blend(fuzzy,grams,embedding)",
    "late",
    f"learned(model={MODEL})",
)
KINDS = ("number", "contrary", "other")


class Pair(NamedTuple):
    """A line of the file."""

    event: str
    fact: str
    alert: str
    kind: str
    true: bool


def pairs() -> list[Pair]:
    """All pairs in their order."""
    with PAIRS.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [
            Pair(each["event"], each["fact"], each["alert"], each["kind"], each["label"] == "yes")
            for each in rows
        ]


def scores(name: str, every: list[Pair]) -> tuple[np.ndarray, float]:
    """The score of each pair, and the matcher's threshold."""
    matcher = matchers.get(name)
    gold = matchers.Collection(list(dict.fromkeys(pair.fact for pair in every)))
    found = {}
    for event in dict.fromkeys(pair.event for pair in every):
        mine = [pair for pair in every if pair.event == event]
        facts = list(dict.fromkeys(pair.fact for pair in mine))
        alerts = [pair.alert for pair in mine]
        told = matcher.with_threshold(0).match(alerts, facts, collection=gold)
        for row, column, score in zip(told.update, told.nugget, told.score, strict=True):
            found[event, alerts[row], facts[column]] = score
    threshold = float(getattr(matcher, "threshold", 0.5))
    return np.array([found[pair.event, pair.alert, pair.fact] for pair in every]), threshold


def measured(
    score: np.ndarray, threshold: float, true: np.ndarray, kind: np.ndarray, times: np.ndarray
) -> list[float]:
    """All numbers of a row; `times` says how often each pair counts."""
    levels, place = np.unique(score, return_inverse=True)
    sides = [
        np.bincount(place, weights=times * side, minlength=len(levels)) for side in (true, ~true)
    ]
    called = score >= threshold
    told = agreement.judged(
        *(times @ (called & side) for side in (true, ~true)),
        *(times @ side for side in (true, ~true)),
    )
    numbers = [agreement.auc(*sides), agreement.average_precision(*sides), told.f1, told.kappa]
    for name in ("says", *KINDS):
        mine = kind == name
        numbers.append((times @ (called & mine)) / max(1, times @ mine))
    return [float(number) for number in numbers]


def line(name: str, every: list[Pair]) -> str:
    """A row of the table."""
    score, threshold = scores(name, every)
    true = np.array([pair.true for pair in every])
    kind = np.array([pair.kind for pair in every])
    _, event = np.unique([pair.event for pair in every], return_inverse=True)
    draws = bootstrap.resamples(int(event.max()) + 1, 0)
    whole = measured(score, threshold, true, kind, np.ones(len(every)))
    drawn = np.array([measured(score, threshold, true, kind, times[event]) for times in draws])
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    cells = [
        f"{shown(each)} ({shown(a)} to {shown(b)})" if column < 4 else shown(each)
        for column, (each, a, b) in enumerate(zip(whole, low, high, strict=True))
    ]
    return f"| {' | '.join([f'`{name}`', f'{threshold:g}', *cells])} |"


def main() -> None:
    """Measure each matcher, print, and write if asked to."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--write", action="store_true", help="put the table into docs/matching.md")
    options.add_argument("matchers", nargs="*", metavar="MATCHER")
    asked = options.parse_args()
    warnings.simplefilter("ignore")
    names = ["matcher", "threshold", "AUC", "AP", "F1", "κ", "matches found"]
    names += [f"{kind} taken for one" for kind in KINDS]
    lines = [f"| {' | '.join(names)} |", f"|{' --- |' * len(names)}"]
    print("\n".join(lines))
    every = pairs()
    for name in asked.matchers or MATCHERS:
        lines.append(line(name, every))
        print(lines[-1], flush=True)
    if asked.write:
        write(lines, BEGIN, END)


if __name__ == "__main__":
    main()
