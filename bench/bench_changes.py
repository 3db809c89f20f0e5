"""10 runs of change detection over a year, 20 topics of 12 questions: read, checked and scored.

    python bench/bench_changes.py [--runs N] [--days N]

Nobody has a program for it yet but the participants, so it is timed beside a plain script: the slow
twin of the tests, which reads the same files and loops over all units. Asserted first: every
measure of one run, over all sets of both levels, is that of the script to 1e-12. Then the two take
turns on that run, by the time of the processor, the program from files to all 36 values; and the
program alone takes all runs.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
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
from tests.oracles import changes as slow  # noqa: E402

TIMES, WITHIN, TURNS = 2.0, 1e-12, 3
"""How many times as fast as the script the program has to be, reading and all."""
TOPICS, QUESTIONS, DAILY = 20, 12, 100
"""How many topics, questions of each, and documents a day."""
KEYS = [
    (level, units, name)
    for level in slow.LEVELS
    for units in slow.SETS
    for name in ("units", *slow.MEASURES)
]
WANTED = [f"{name}(level={level},units={units})" for level, units, name in KEYS]


def made(folder: Path, runs: int, number_of_days: int) -> dict[str, Any]:
    """The files of a collection and of runs, by the parameters of `tseval.score_changes`."""
    chance = random.Random(2026)
    days = [f"{date(2025, 1, 1) + timedelta(day)}" for day in range(number_of_days)]
    docs = {day: [f"d{day}-{at}" for at in range(DAILY)] for day in days}
    asked = {f"t{t}": [f"q{q}" for q in range(QUESTIONS)] for t in range(TOPICS)}
    gains = {
        (topic, qid, doc): chance.choice((1, 1, 1, 5, 5, 10))
        for topic, qids in asked.items()
        for qid in qids
        for day in days
        if chance.random() < 0.1
        for doc in chance.sample(docs[day], chance.randint(1, 5))
    }
    lines = [{"tid": t, "questions": [{"qid": q} for q in qids]} for t, qids in asked.items()]
    (folder / "topics.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    (folder / "days.txt").write_text("".join(f"{day}\n" for day in days))
    rows = [f"{doc}\t{day}\n" for day, own in docs.items() for doc in own]
    (folder / "documents.tsv").write_text("doc_id\tday\n" + "".join(rows))
    rows = ["\t".join(key) + f"\t{gain}\n" for key, gain in gains.items()]
    (folder / "qrels.tsv").write_text("topic\tqid\tdoc_id\tgain\n" + "".join(rows))
    paths = []
    for run in range(runs):
        path = folder / f"run{run}.jsonl"
        said = [{"runtag": f"run{run}"}]
        said += [
            {
                "topic": topic,
                "results": {day: day_of(topic, qids, docs[day], gains, chance) for day in days},
            }
            for topic, qids in asked.items()
        ]
        path.write_text("".join(json.dumps(each) + "\n" for each in said))
        paths.append(path)
    return {
        "runs": paths,
        "qrels": folder / "qrels.tsv",
        "topics": folder / "topics.jsonl",
        "documents": folder / "documents.tsv",
        "days": folder / "days.txt",
    }


def day_of(
    topic: str,
    qids: list[str],
    docs: list[str],
    gains: dict[tuple[str, str, str], int],
    chance: random.Random,
) -> list[dict[str, Any]]:
    """What a run returns on a day: mostly where there is something, and noise besides."""
    said = []
    for qid in qids:
        found = [doc for doc in docs if (topic, qid, doc) in gains and chance.random() < 0.7]
        noise = chance.random() < 0.15
        if found or noise:
            found += chance.sample(docs, chance.randint(1, 20)) if noise or found else []
            ranked = [{"doc_id": d, "score": round(chance.random(), 2)} for d in {*found}]
            said.append({"qid": qid, "question-rank": len(said), "doc-ranking": ranked})
    return said


def program(files: dict[str, Any], runs: list[Path]) -> list[float | None]:
    """Every value of the first of these runs, from files."""
    scores = tseval.score_changes(measures=WANTED, **(files | {"runs": runs}))
    return [scores.value(name, run=scores.runs[0]) for name in WANTED]


def script(run: Path) -> list[float | None]:
    """The same by loops, from the same files."""
    world = slow.read_collection(run.parent)
    units = slow.units_of(slow.read_run(run, world), world, slow.BASE)
    board = slow.table(units, slow.BASE)
    return [board[key] for key in KEYS]


def timed(work: Any, *arguments: Any) -> float:
    """The seconds of the processor that it takes."""
    before = time.process_time()
    work(*arguments)
    return time.process_time() - before


def main() -> None:
    """Assert, then time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--days", type=int, default=365)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        files = made(Path(name), given.runs, given.days)
        first = files["runs"][0]
        fast, plain = program(files, [first]), script(first)
        for key, one, other in zip(KEYS, fast, plain, strict=True):
            if one is None or other is None or abs(one - other) > WITHIN:
                raise SystemExit(f"{key}: {one}, where the script has {other}")
        turns = [(timed(program, files, [first]), timed(script, first)) for _ in range(TURNS)]
        ours, theirs = (min(each) for each in zip(*turns, strict=True))
        units = TOPICS * QUESTIONS * given.days
        size = f"{units:,} units"
        tell(Row("one run", size, ours, instead="a plain script", other=theirs, times=TIMES))
        every = timed(program, files, files["runs"])
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        tell(Row(f"{given.runs} runs", size, every))
        tell(Row(f"memory of {given.runs} runs", size, memory, "MiB"))


if __name__ == "__main__":
    main()
