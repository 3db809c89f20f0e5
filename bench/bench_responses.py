"""Runs of 301 topics with 20 graded nuggets each: read, checked and scored.

    python bench/bench_responses.py [--runs N]

What people use today is a loop over the records, as nuggetizer's script has it. So it is timed
beside such: the slow twin of the tests, which reads the same files with `json`. Asserted first: all
six scores of all runs over all topics are the same. Then the two take turns, by the time of the
processor, from files to scores; and the program alone takes the scores at 24 times. The loop checks
nothing, so it is ahead here: the program is held to how far.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import tseval  # noqa: E402
from bench.rows import Row, tell  # noqa: E402
from tests.oracles import responses as slow  # noqa: E402

TOPICS, NUGGETS, TURNS, SLOWER = 301, 20, 3, 6.0
"""How many topics, nuggets of each, turns; and how many times the loop's time it may take."""
START = 1_767_225_600
LABELS = ("support", "partial_support", "not_support", "not_support")
ANSWER = "An answer of some two hundred words, which nobody looks at here. " * 20


def made(folder: Path, runs: int) -> list[Path]:
    """The assignments of each run."""
    chance = random.Random(2026)
    paths = []
    for run in range(runs):
        lines = []
        for topic in range(TOPICS):
            nuggets = [
                {
                    "text": f"nugget {at} of topic {topic}",
                    "importance": "vital" if at < NUGGETS // 2 else "okay",
                    "assignment": chance.choice(LABELS),
                }
                for at in range(NUGGETS)
            ]
            when = START + chance.randrange(86_400)
            head = {"qid": f"t{topic}", "run_id": f"run{run}", "answer_text": ANSWER}
            lines.append(json.dumps({**head, "time": when, "nuggets": nuggets}) + "\n")
        path = folder / f"run{run}.jsonl"
        path.write_text("".join(lines))
        paths.append(path)
    return paths


def program(paths: list[Path]) -> dict[tuple[str, str, str], float | None]:
    """Every score, by run, topic and measure."""
    records = tseval.score_responses(paths, slow.SIX).records()
    return {(each.run, each.topic, each.measure): each.value for each in records}


def script(paths: list[Path]) -> dict[tuple[str, str, str], float | None]:
    """The same by a loop over records."""
    found: dict[tuple[str, str, str], float | None] = {}
    for path in paths:
        for line in path.read_text().splitlines():
            record = json.loads(line)
            labels = tuple(
                slow.Label(each["text"], each["importance"], each["assignment"])
                for each in record["nuggets"]
            )
            scores = slow.over_own_list(slow.Response(None, labels), slow.Reading())
            for name, value in scores.items():
                found[record["run_id"], record["qid"], name] = value
    return found


def timed(work: Callable[[list[Path]], Any], paths: list[Path]) -> tuple[float, Any]:
    """The processor's seconds, and what came out."""
    start = time.process_time()
    result = work(paths)
    return time.process_time() - start, result


def main() -> None:
    """Compare, then time."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=10)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        paths = made(Path(folder), runs)
        mine, theirs = program(paths), script(paths)
        if len(theirs) != runs * TOPICS * len(slow.SIX) or mine | theirs != mine:
            sys.exit("the scores of the program are not those of the loop")
        turns = [(timed(program, paths)[0], timed(script, paths)[0]) for _ in range(TURNS)]
        own, plain = (min(each) for each in zip(*turns, strict=True))
        labels = runs * TOPICS * NUGGETS
        size = f"{labels:,} labels of {runs} runs"
        tell(Row("scores", size, own, instead="a loop", other=plain, times=1 / SLOWER))
        at = [f"{hour}h" for hour in range(1, 25)]
        over_time, _ = timed(lambda p: tseval.score_responses(p, slow.SIX, at=at), paths)
        tell(Row("at 24 times as well", size, over_time))


if __name__ == "__main__":
    main()
