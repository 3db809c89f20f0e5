"""How many events and nuggets a score needs, and what weights and clocks change: docs/gold.md.

    python bench/quality_gold.py [--samples N]

From the judgments of TREC Temporal Summarization 2014 and two official runs of that year, which lie
in the folder that TSEVAL_CONFORMANCE names. Recall is asserted to be that of tseval first.

Gold of fewer events and nuggets is drawn from the whole: events with replacement, since they stand
for others of their kind, and nuggets of each without. What is told is half of the width of the
interval that holds 95 % of the draws.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

import tseval

EVENTS, NUGGETS = (3, 5, 8, 15, 30), (5, 10, 20, 40, 80)
RUNS = ("cunlp-1APSalRed", "cunlp-2APSal")


@dataclass(frozen=True)
class Event:
    """The nuggets of an event: what each is worth, and which run says it."""

    weight: np.ndarray
    said: np.ndarray
    """Of the shape (runs, nuggets)."""


def folder() -> Path:
    """Where the judgments lie."""
    return Path(os.environ["TSEVAL_CONFORMANCE"]) / "temporal" / "2014"


def events() -> list[Event]:
    """Every judged event."""
    plain = {"sep": "\t", "dtype": str, "quoting": 3, "keep_default_na": False}
    gold = pd.read_csv(folder() / "nuggets.tsv.gz", **plain)
    matches = pd.read_csv(folder() / "matches.tsv.gz", **plain)
    pool = pd.read_csv(folder() / "updates_sampled.tsv.gz", **plain)
    keys, others = pool.query_id + "\t" + pool.update_id, pool.query_id + "\t" + pool.duplicate_id
    there = others.isin(set(keys))
    first = dict(zip(keys[there], others[there], strict=True))
    said = []
    for name in RUNS:
        run = pd.read_csv(folder() / "runs" / f"{name}.ssv.gz", sep=r"\s+", header=None, dtype=str)
        ids = ("TS14." + run[0] + "\t" + run[3] + "-" + run[4]).map(lambda key: first.get(key, key))
        known = matches[(matches.query_id + "\t" + matches.update_id).isin(set(ids))]
        said.append(set(known.query_id + "\t" + known.nugget_id))
    found = []
    for topic, own in gold.groupby("query_id", sort=True):
        keys = [f"{topic}\t{each}" for each in own.nugget_id]
        table = np.array([[key in each for key in keys] for each in said])
        found.append(Event(own.importance.astype(float).to_numpy(), table))
    return found


def recall(event: Event, chosen: np.ndarray | slice = slice(None)) -> np.ndarray:
    """The recall of each run over some of the nuggets; 0 where they are worth nothing."""
    weight = event.weight[chosen]
    return event.said[:, chosen] @ weight / max(weight.sum(), 1e-12)


def check(found: list[Event]) -> np.ndarray:
    """The mean recall of each run, which has to be tseval's."""
    mean = np.mean([recall(each) for each in found], axis=0)
    files = [str(folder() / "runs" / f"{name}.ssv.gz") for name in RUNS]
    gold, matches = folder() / "nuggets.tsv.gz", folder() / "matches.tsv.gz"
    pool = folder() / "updates_sampled.tsv.gz"
    scores = tseval.score(files, gold, matches, pool=pool, measures="R")
    theirs = [scores.value("R", run=run) for run in scores.runs]
    if not np.allclose(mean, theirs, rtol=0, atol=1e-9):
        raise SystemExit(f"recall is {mean.tolist()} here and {theirs} by tseval")
    return mean


def half_widths(found: list[Event], number: int, nuggets: int, samples: int) -> tuple[float, float]:
    """Of a run's recall, and of the difference of both: half of what holds 95 % of the draws."""
    rng = np.random.default_rng(0)
    means = np.empty((samples, len(RUNS)))
    for at in range(samples):
        drawn = []
        for event in rng.integers(0, len(found), number):
            whole = found[event]
            size = min(nuggets, len(whole.weight))
            drawn.append(recall(whole, rng.choice(len(whole.weight), size, replace=False)))
        means[at] = np.mean(drawn, axis=0)
    low, high = np.quantile(means, [0.025, 0.975], axis=0)
    one = float(np.mean(high - low) / 2)
    low, high = np.quantile(means[:, 0] - means[:, 1], [0.025, 0.975])
    return one, float((high - low) / 2)


def main() -> None:
    """Print every table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=4000)
    samples = parser.parse_args().samples
    found = events()
    mean = check(found)
    sizes = [len(each.weight) for each in found]
    print(f"{len(found)} events, {sum(sizes)} nuggets: {min(sizes)} to {max(sizes)} an event")
    print(f"recall {', '.join(f'{value:.4f}' for value in mean)}")
    cells = {(e, n): half_widths(found, e, n, samples) for e in EVENTS for n in NUGGETS}
    for place, what in enumerate(("one run", "difference of two")):
        print(f"\n{what}: half of the interval, by events and nuggets an event")
        print("| events | " + " | ".join(str(n) for n in NUGGETS) + " |")
        for number in EVENTS:
            row = (f"{cells[number, n][place]:.3f}" for n in NUGGETS)
            print(f"| {number} | " + " | ".join(row) + " |")
    flat = [Event((each.weight > 0).astype(float), each.said) for each in found]
    even = np.mean([recall(each) for each in flat], axis=0)
    print(f"\nwithout weights {', '.join(f'{value:.4f}' for value in even)}")
    clocks()


def clocks() -> None:
    """How far errors of the nuggets' times move timeliness, and recall at a time."""
    files = [str(folder() / "runs" / f"{name}.ssv.gz") for name in RUNS]
    gold, matches = folder() / "nuggets.tsv.gz", folder() / "matches.tsv.gz"
    pool = folder() / "updates_sampled.tsv.gz"
    for within in ("30m", "1h", "6h"):
        moved = tseval.jitter(
            files, gold, matches, pool=pool, measures="R@24h Rs@24h T", within=within, samples=300
        )
        frame = moved.frame()
        whole = frame[frame.topic == "all"]
        for measure, rows in whole.groupby("measure", sort=False):
            half = ((rows.high - rows.low) / 2).mean()
            print(f"times wrong by up to {within}: {measure} moves by {half:.4f}")


if __name__ == "__main__":
    main()
