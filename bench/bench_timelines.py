"""A timeline of 20 days beside a reference of 20 days: tseval, and tilse with Perl and without.

    python bench/bench_timelines.py [--days N] [--without-perl]

tilse 0.2.1 is not needed by tseval; `pip install tilse` brings it, and its default backend needs
Perl with XML::Parser and DB_File. The timelines are made from a fixed seed. Asserted first:
precision, recall and F of all five metrics with rouge_1 and rouge_2 are equal to 1e-9. Then both
compute all of them once, by the clock: tilse from timelines in memory, tseval from files, reading
and warnings of ties and all.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import tseval  # noqa: E402
from bench.rows import Row, tell  # noqa: E402

TIMES, WITHIN = 50, 1e-9
"""How many times as fast as the original tseval has to be."""
METRICS = {
    "concat": "evaluate_concat",
    "agreement": "evaluate_agreement",
    "align_date_costs": "evaluate_align_date_costs",
    "align_date_content_costs": "evaluate_align_date_content_costs",
    "align_date_content_costs_many_to_one": "evaluate_align_date_content_costs_many_to_one",
}
FIRST = date(2024, 1, 1)


def made(days: int, seed: int) -> dict[date, list[str]]:
    """A timeline of so many of twice as many days, of three sentences each."""
    random_words = random.Random(seed)
    words = [f"{stem}{end}" for stem in range(100, 250) for end in ("ing", "ed", "ly", "s")]
    words = ["".join(chr(97 + int(c)) if c.isdigit() else c for c in word) for word in words]
    chosen = sorted(random_words.sample(range(2 * days), days))
    return {
        FIRST + timedelta(day): [" ".join(random_words.choices(words, k=20)) for _ in range(3)]
        for day in chosen
    }


def theirs(
    own: dict[date, list[str]], other: dict[date, list[str]], backend: str
) -> dict[str, float]:
    """Every value as tilse has it."""
    rouge = importlib.import_module("tilse.evaluation.rouge")
    timelines: Any = importlib.import_module("tilse.data.timelines")
    evaluator = rouge.TimelineRougeEvaluator({"rouge_1", "rouge_2"}, backend)
    predicted, truth = timelines.Timeline(own), timelines.GroundTruth([timelines.Timeline(other)])
    found = {}
    for metric, method in METRICS.items():
        for size, values in getattr(evaluator, method)(predicted, truth).items():
            for name, key in (("P", "precision"), ("R", "recall"), ("F", "f_score")):
                found[f"{metric}({size},{name},{backend})"] = values[key]
    return found


def ours(folder: Path, names: list[str]) -> tseval.Scores:
    """The same values, from files."""
    return tseval.score_timelines(folder / "own.jsonl", folder / "other.jsonl", names)


def timed(work: Any, *given: Any) -> tuple[Any, float]:
    """What it gives, and its seconds."""
    began = time.perf_counter()
    return work(*given), time.perf_counter() - began


def main() -> None:
    """Compare, then print one line for each backend."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=20)
    parser.add_argument("--without-perl", action="store_true")
    asked = parser.parse_args()
    own, other = made(asked.days, 1), made(asked.days, 2)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for stem, timeline in (("own", own), ("other", other)):
            rows = [[day.isoformat(), texts] for day, texts in timeline.items()]
            (folder / f"{stem}.jsonl").write_text(json.dumps(rows) + "\n", encoding="utf-8")
        for backend in ("reimpl",) if asked.without_perl else ("reimpl", "original"):
            found, slow = timed(theirs, own, other, backend)
            ours(folder, list(found))
            scores, fast = timed(ours, folder, list(found))
            wrong = [n for n, value in found.items() if abs(scores.value(n) - value) > WITHIN]
            assert not wrong, wrong  # noqa: S101
            goal = TIMES if backend == "original" else None
            size = f"{asked.days} days"
            tell(Row(backend, size, fast, instead="tilse", other=slow, times=goal))


if __name__ == "__main__":
    main()
