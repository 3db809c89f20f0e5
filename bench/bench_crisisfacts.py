"""The collapsed facts of a track as large as that of 2023: read, checked and scored.

    python bench/bench_crisisfacts.py [--requests N]

What people use today is a notebook: loops over the collapsed facts of a request. So it is timed
beside such, dictionaries that are filled once. Asserted first: both measures of all runs over all
events are the same, by both pools. Then the two take turns, by the time of the processor, from
files to scores; and the program alone takes the scores at the end of every day. The loop checks
nothing, so it is ahead here: the program is held to how far.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import tseval  # noqa: E402
from bench.rows import Row, tell  # noqa: E402

RUNS, FACTS, PER_EVENT, TURNS, SLOWER = 18, 512, 7, 3, 6.0
"""Runs, collapsed facts of a request, requests of an event, turns; and how many times the loop's
time it may take."""
NAMES = ("redundancy", "comprehensiveness")
WEIGHTS = {"USEFUL_FACT": 1.0, "REDUNDANT_FACT": 0.5}
LABELS = (*WEIGHTS, "POOR_FACT", "LAGGED_FACT")
Scores = dict[tuple[str, str], float]


def made(folder: Path, requests: int) -> tuple[Path, Path, Path]:
    """Collapsed facts, a request a line; labels; and the day of each request."""
    chance = random.Random(2023)
    lines, labels, days = [], ["collapsed_fact_id\tlabel\n"], ["request\tday\n"]
    for number in range(requests):
        event, day = divmod(number, PER_EVENT)
        request = f"CrisisFACTS-{event:03d}-r{day}"
        days.append(f"{request}\t{date(2020, 1, 1) + timedelta(days=number)}\n")
        facts = []
        for at in range(FACTS):
            name = f"{request}-collapsed-{at:04d}"
            runs = chance.sample(range(RUNS), chance.choice((1, 1, 1, 2, 4)))
            facts.append(
                {
                    "collapsed_fact_id": name,
                    "fact_text": "The road to the north is closed, and nobody knows for how long.",
                    "relevant_facts": [f"{request}-run-{run}-{at:04d}" for run in runs],
                    "num_relevant_facts": len(runs),
                    "importance": round(chance.random(), 2),
                }
            )
            if at % 3 == 0:
                labels.append(f"{name}\t{chance.choice(LABELS)}\n")
        lines.append(json.dumps({"requestID": request, "facts": facts}) + "\n")
    paths = folder / "collapsed.jsonl", folder / "labels.tsv", folder / "requests.tsv"
    for path, content in zip(paths, (lines, labels, days), strict=True):
        path.write_text("".join(content))
    return paths


def program(facts: Path, labels: Path, pool: str = "64") -> Scores:
    """Both measures of each run over all events."""
    scores = tseval.score_crisisfacts(facts, labels, NAMES, rules={"pool": pool})
    return {
        (run, name): scores.value(name, run=run) or 0.0 for run in scores.runs for name in NAMES
    }


def script(facts: Path, labels: Path, pool: str = "64") -> Scores:
    """The same by loops over facts."""
    best: dict[str, float] = {}
    for line in labels.read_text().splitlines()[1:]:
        name, label = line.split("\t")
        best[name] = max(best.get(name, 0.0), WEIGHTS.get(label, 0.0))
    rows: dict[tuple[str, str], dict[str, list[float]]] = {}
    for line in facts.read_text().splitlines():
        record = json.loads(line)
        request = record["requestID"]
        listed = sorted(record["facts"], key=lambda fact: -fact["importance"])
        held = listed if pool == "all" else listed[: int(pool)]
        own: dict[str, list[float]] = {}
        for fact in held:
            score = best.get(fact["collapsed_fact_id"], 0.0)
            raws = fact["relevant_facts"]
            for run in {raw.removeprefix(f"{request}-").rpartition("-")[0] for raw in raws}:
                own.setdefault(run, []).append(score)
        gold = sum(best.get(fact["collapsed_fact_id"], 0.0) > 0 for fact in held)
        for run, scores in own.items() if gold else ():
            values = (sum(scores) / len(scores), sum(score > 0 for score in scores) / gold)
            for name, value in zip(NAMES, values, strict=True):
                by_event = rows.setdefault((run, name), {})
                by_event.setdefault(request.rpartition("-")[0], []).append(value)
    return {
        key: math.fsum(math.fsum(values) / len(values) for values in by_event.values())
        / len(by_event)
        for key, by_event in rows.items()
    }


def timed(work: Callable[..., Any], *given: Any) -> tuple[float, Any]:
    """The processor's seconds, and what came out."""
    start = time.process_time()
    result = work(*given)
    return time.process_time() - start, result


def main() -> None:
    """Compare, then time."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=115)
    requests = parser.parse_args().requests
    with tempfile.TemporaryDirectory() as folder:
        facts, labels, days = made(Path(folder), requests)
        for pool in ("64", "all"):
            mine, theirs = program(facts, labels, pool), script(facts, labels, pool)
            same = all(math.isclose(mine[key], theirs[key], rel_tol=1e-12) for key in mine)
            if mine.keys() != theirs.keys() or len(mine) != RUNS * len(NAMES) or not same:
                sys.exit("the scores of the program are not those of the loop")
        turns = [
            (timed(program, facts, labels)[0], timed(script, facts, labels)[0])
            for _ in range(TURNS)
        ]
        own, plain = (min(each) for each in zip(*turns, strict=True))
        size = f"{requests * FACTS:,} collapsed facts of {requests} requests"
        tell(Row("scores", size, own, instead="a loop", other=plain, times=1 / SLOWER))
        at = [f"{day}d" for day in range(1, PER_EVENT + 1)]
        over_time, _ = timed(
            lambda: tseval.score_crisisfacts(facts, labels, NAMES, requests=days, at=at)
        )
        tell(Row(f"at the end of {PER_EVENT} days as well", size, over_time))


if __name__ == "__main__":
    main()
