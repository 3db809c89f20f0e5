"""Forty runs of incident streams over 20,000 posts: under three seconds after reading.

    python bench/bench_incidents.py [--posts N] [--runs N]

First every measure of some of the runs is asserted against the slow reference of the tests, which
is what somebody would write by hand, in dictionaries and loops; its time for a run is told beside.
Then the time from tables to scores is taken, the best of three, for the editions `note`, `2019b`
and `2021` with all of their measures; and the time and the largest memory of the whole program,
which reads the forty files. Times are the processor's, so that other work does not change them.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.rows import Row, tell
from tests.oracles import incidents as slow
from tests.oracles import incidents_2021 as slow_2021
from tests.oracles import incidents_alerts as slow_alerts
from tseval.core.calling import CommonOptions, evaluated
from tseval.core.registry import edition
from tseval.core.scores import Scores
from tseval.core.scoring import chosen_measures, scores_of
from tseval.families.incidents.family import (
    FAMILY,
    IncidentEvaluation,
    IncidentInputs,
    IncidentOptions,
)
from tseval.families.incidents.files import LEVELS
from tseval.families.incidents.rules import ACTIONABLE

LIMIT = 3.0
EVENTS, TYPES = 20, 25
EDITIONS = ("note", "2019b", "2021")
BY_HAND = 2
"""How many runs are scored by the loops too, which take seconds for each."""
CLOSE = 1e-9


@dataclass(frozen=True)
class Files:
    """Labels, the ontology and the runs, as they were written."""

    labels: Path
    ontology: Path
    runs: tuple[Path, ...]

    def inputs(self) -> IncidentInputs:
        """What is read."""
        return IncidentInputs([str(run) for run in self.runs], self.labels, self.ontology)


def written(folder: Path, posts: int, runs: int) -> Files:
    """Made-up files: a post has one to four types; one in seven is High or Critical.

    A run has nine of ten posts in an order of its own, with a priority near the assessor's and
    types of which each second one is right.
    """
    random = np.random.default_rng(0)
    others = [f"Other-T{at:02}" for at in range(TYPES - len(ACTIONABLE))]
    names = np.array(sorted([*ACTIONABLE, *others], key=str.lower))
    files = Files(
        folder / "labels.jsonl",
        folder / "types.json",
        tuple(folder / f"run{at:02}.txt" for at in range(runs)),
    )
    types = {"informationTypes": [{"id": name} for name in names]}
    files.ontology.write_text(json.dumps(types))
    level = random.choice(4, posts, p=[0.5, 0.36, 0.11, 0.03]) + 1
    true = [random.choice(TYPES, random.integers(1, 5), replace=False) for _ in range(posts)]
    start = 1_300_000_000_000_000_000
    with files.labels.open("w") as stream:
        for post in range(posts):
            label = {
                "eventID": f"e{post % EVENTS}",
                "postID": str(start + post * 4_194_304_000),
                "postCategories": names[true[post]].tolist(),
                "postPriority": LEVELS[level[post]],
            }
            stream.write(json.dumps(label) + "\n")
    for at, path in enumerate(files.runs):
        kept = random.permutation(posts)[: posts * 9 // 10]
        priority = np.clip(level[kept] / 4 + random.normal(0, 0.2, len(kept)), 0, 1)
        with path.open("w") as stream:
            for rank, (post, said) in enumerate(zip(kept.tolist(), priority.tolist(), strict=True)):
                right = true[post][random.random(len(true[post])) < 0.5]
                kinds = np.unique(np.append(right, random.integers(TYPES)))
                listed = json.dumps(names[kinds].tolist())
                name = str(start + post * 4_194_304_000)
                stream.write(f"e{post % EVENTS} Q0 {name} {rank} {said:.4f} {listed} run{at:02}\n")
    return files


def scored(evaluation: IncidentEvaluation) -> Scores:
    """All measures of the evaluation's edition."""
    return scores_of(evaluation, chosen_measures(evaluation, []))


def evaluations(files: Files) -> dict[str, IncidentEvaluation]:
    """What each edition needs, read."""
    return {
        name: evaluated(FAMILY, files.inputs(), IncidentOptions(), CommonOptions(edition=name))
        for name in EDITIONS
    }


def without_guard(evaluation: IncidentEvaluation) -> IncidentEvaluation:
    """The same with the correlation as it is defined: the reference knows no other."""
    rules = evaluation.index.rules.changed({"correlation": "defined"})
    return replace(evaluation, stream=replace(evaluation.stream, rules=rules))


# By hand: what the scripts do, with dictionaries and loops.


def by_hand(files: Files) -> dict[str, dict[str, dict[str, float | None]]]:
    """Every measure of every edition for the first runs, in loops."""
    entries = json.loads(files.ontology.read_text())["informationTypes"]
    types = tuple(each["id"] for each in entries)
    ontology = slow.Ontology(types, frozenset(ACTIONABLE))
    labels = hand_labels(files.labels)
    times = {label.post: at for at, label in enumerate(labels)}
    found: dict[str, dict[str, dict[str, float | None]]] = {name: {} for name in EDITIONS}
    for path in files.runs[:BY_HAND]:
        lines = hand_lines(path, times)
        found["note"][path.stem] = note(labels, lines, ontology)
        found["2019b"][path.stem] = script(labels, lines, ontology)
        found["2021"][path.stem] = of_2021(labels, lines, ontology)
    return found


def hand_labels(path: Path) -> list[slow.Label]:
    """The labels as the loops have them."""
    records = map(json.loads, path.open())
    return [
        slow.Label(
            each["eventID"], each["postID"], frozenset(each["postCategories"]), each["postPriority"]
        )
        for each in records
    ]


def hand_lines(path: Path, times: Mapping[str, int]) -> list[slow.Line]:
    """A run as the loops have it."""
    lines = []
    for text in path.open():
        event, _, post, rank, importance, rest = text.split(" ", 5)
        kinds = frozenset(json.loads(rest[: rest.rindex("]") + 1]))
        lines.append(slow.Line(event, post, times[post], int(rank), float(importance), kinds))
    return lines


def note(
    labels: Sequence[slow.Label], lines: Sequence[slow.Line], ontology: slow.Ontology
) -> dict[str, float | None]:
    """Edition `note`."""
    worth = slow_alerts.aaw_note(labels, lines, ontology)
    values = {"AAW": worth.all, "AAW.high": worth.high, "AAW.low": worth.low}
    return (
        values
        | slow.types_note(labels, lines, ontology)
        | slow.priority_note(labels, lines, ontology)
    )


def script(
    labels: Sequence[slow.Label], lines: Sequence[slow.Line], ontology: slow.Ontology
) -> dict[str, float | None]:
    """Edition `2019b`."""
    worth = slow_alerts.aaw_2019b(labels, lines, "always")
    values: dict[str, float | None] = {"AAW": worth.all, "AAW.high": worth.high}
    values |= slow.types_2019b(labels, lines, ontology)
    return values | slow.priority_2019b(labels, lines, ontology, "always")


def of_2021(
    labels: Sequence[slow.Label], lines: Sequence[slow.Line], ontology: slow.Ontology
) -> dict[str, float | None]:
    """Edition `2021`."""
    values: dict[str, float | None] = {
        "nDCG@100": slow_2021.mean_over_events(slow_2021.ndcg_2021(labels, lines))
    }
    values |= slow.types_2021(labels, lines, ontology)
    values |= slow_2021.priority_f1_2021(labels, lines, ontology)
    return values | slow_2021.pearson_2021(labels, lines, ontology)


def check(
    scores: Mapping[str, Scores], hand: Mapping[str, Mapping[str, Mapping[str, float | None]]]
) -> int:
    """Every measure of the first runs against the loops; how many were the same."""
    same = 0
    for name, of in scores.items():
        for run in of.runs[:BY_HAND]:
            for measure in of.measures:
                found, expected = of.value(measure, run=run), hand[name][run][measure]
                if (
                    found is None
                    or expected is None
                    or not math.isclose(found, expected, rel_tol=CLOSE, abs_tol=CLOSE)
                ):
                    raise SystemExit(f"{name}: {measure} of {run} is {found}, not {expected}")
                same += 1
    return same


# Timing.


def seconds(evaluation: IncidentEvaluation) -> float:
    """From tables to scores: the index is made anew, so that nothing is kept."""
    fresh = replace(evaluation, stream=replace(evaluation.stream, shared={}))
    start = time.process_time()
    scored(fresh)
    return time.process_time() - start


def program(files: Files, name: str) -> tuple[float, float]:
    """The seconds and the most megabytes of a process that reads all and scores one edition."""
    command = [sys.executable, "-m", "tseval", "incidents", *map(str, files.runs)]
    command += [str(files.labels), "--ontology", str(files.ontology), "--edition", name]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"failed: {' '.join(command[:6])} …")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6


def main() -> None:
    """Assert, then time."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--posts", type=int, default=20_000)
    options.add_argument("--runs", type=int, default=40)
    given = options.parse_args()
    size = f"{given.posts:,} posts, {TYPES} types, {given.runs} runs"
    with tempfile.TemporaryDirectory() as name:
        files = written(Path(name), given.posts, given.runs)
        start = time.process_time()
        held = evaluations(files)
        reading = (time.process_time() - start) / len(held)
        start = time.process_time()
        hand = by_hand(files)
        loops = (time.process_time() - start) / min(BY_HAND, given.runs)
        same = check({each: scored(without_guard(of)) for each, of in held.items()}, hand)
        print(f"{same} values are those of the loops")
        best = {each: min(seconds(of) for _ in range(3)) for each, of in held.items()}
        whole, memory = program(files, "note")
    total = sum(best.values())
    for each, took in best.items():
        measures = len(edition(each, "incidents").measures)
        tell(Row(f"{each}, {measures} measures after reading", size, took))
    tell(Row("all three after reading", size, total, most=LIMIT))
    tell(Row("reading", size, reading))
    by_run = (total + reading) / given.runs
    tell(Row("a run, all three with reading", size, by_run, instead="loops", other=loops))
    tell(Row("the program, edition note", size, whole))
    tell(Row("the program, memory", size, memory, "MB"))


if __name__ == "__main__":
    main()
