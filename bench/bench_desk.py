"""The assessors' desk with 20,000 updates and 400 nuggets: the next item, and What if.

    python bench/bench_desk.py [--updates N] [--nuggets N] [--topics N] [--read N] [--items N]

A store is made in which so many updates were read already, a fifth of them by two. Then the desk is
served by a process of its own, and asked over HTTP as the page asks: for the next item after each
save, for what comes after undoing, and for the scores, first with the matching that they need and
then without. The scores are asserted to be those of `tseval score` on the export.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.rows import Row, tell
from tests.desk.serving import Visitor, served
from tests.program import tseval
from tseval.desk import decisions as kinds
from tseval.desk.decisions import Decision
from tseval.desk.desk import Desk
from tseval.desk.pool import read_inputs
from tseval.desk.store import Settings, Store

NEXT, WHAT_IF = 0.1, 2.0
"""Seconds that were set as a goal."""
WORDS = [f"word{at}" for at in range(5000)]
WEIGHTS = [1 / (at + 1) ** 0.8 for at in range(len(WORDS))]
START = 1_700_000_000


def files(folder: Path, updates: int, nuggets: int, topics: int) -> tuple[list[str], str]:
    """Four runs and the nuggets; half of the updates hold some words of one."""
    draw = random.Random(0)
    gold = [
        (f"t{at % topics}", f"n{at}", START + at, " ".join(draw.choices(WORDS, WEIGHTS, k=10)))
        for at in range(nuggets)
    ]
    rows: list[list[tuple[object, ...]]] = [[], [], [], []]
    for at in range(updates):
        words = draw.choices(WORDS, WEIGHTS, k=20)
        words += gold[at % topics + topics * draw.randrange(nuggets // topics)][3].split()[
            : draw.randint(0, 10)
        ]
        rows[at % 4].append((f"t{at % topics}", f"u{at}", START + at, " ".join(words)))
    heads = {"n": "topic\tnugget_id\ttime\ttext\n", "u": "topic\tupdate_id\ttime\ttext\n"}

    def written(name: str, head: str, table: list[Any]) -> str:
        path = folder / f"{name}.tsv"
        path.write_text(heads[head] + "".join("\t".join(map(str, row)) + "\n" for row in table))
        return str(path)

    runs = [written(f"run{at}", "u", table) for at, table in enumerate(rows)]
    return runs, written("nuggets", "n", gold)


def prepared(folder: Path, runs: list[str], nuggets: str, read: int) -> Path:
    """A store with so many updates read, half of them matched with a nugget."""
    path = folder / "desk.tseval"
    kept = read_inputs(runs, nuggets)
    store = Store.create(path, Settings("fuzzy", None, "words", "matcher", 0.2), kept)
    desk, draw = Desk(store), random.Random(1)
    rows: list[Decision] = []
    for item in draw.sample(desk.pool.items, min(read, len(desk.pool.items))):
        nugget = draw.choice(desk.state.live(item.topic)).name
        for who in ("ada", "ben") if draw.random() < 0.2 else ("ada",):
            if draw.random() < 0.5:
                rows.append(Decision(who, kinds.MATCH, item.topic, item.name, nugget))
            rows.append(Decision(who, kinds.DONE, item.topic, item.name))
    for at in range(0, len(rows), 1000):
        store.append(rows[at : at + 1000])
    store.close()
    return path


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds, and what came of it."""
    began = time.perf_counter()
    found = work()
    return time.perf_counter() - began, found


def said(what: str, size: str, seconds: list[float], goal: float) -> None:
    """The middle and the slow ones of a measurement."""
    ordered = sorted(seconds)
    middle, slow = statistics.median(ordered), ordered[int(0.95 * (len(ordered) - 1))]
    tell(Row(f"{what}, median", size, middle, most=goal))
    tell(Row(f"{what}, 95 % within", size, slow, most=goal))


def save(visitor: Visitor, reading: Any) -> None:
    """Save what is read, with its first nugget."""
    asked = {
        "item": reading["item"],
        "chosen": [{"nugget": reading["nuggets"][0]["nugget"]}],
        "shown": [each["nugget"] for each in reading["nuggets"]],
    }
    visitor.post("/api/save", asked)


def main() -> None:
    """Make the store, serve it, ask."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, usual in (("updates", 20_000), ("nuggets", 400), ("topics", 10), ("read", 10_000)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--items", type=int, default=40)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs, nuggets = files(folder, asked.updates, asked.nuggets, asked.topics)
        store = prepared(folder, runs, nuggets, asked.read)
        size = f"{asked.updates:,} updates, {asked.nuggets} nuggets, {asked.read:,} read"
        seconds, _ = timed(lambda: Desk(Store.open(store)))
        tell(Row("opening", size, seconds))
        with served("--store", store, assessors=("cy",)) as running:
            visitor = Visitor(running.address)
            visitor.enter(running.links["cy"])
            waits = []
            for _ in range(asked.items):
                wait, told = timed(lambda: visitor.get("/api/next"))
                waits.append(wait)
                save(visitor, told["reading"])
            said("next item", size, waits, NEXT)
            undone = []
            for _ in range(3):
                visitor.post("/api/undo", {})
                undone.append(timed(lambda: visitor.get("/api/next"))[0])
            said("next item after undoing", size, undone, NEXT)
            first, _ = timed(lambda: visitor.get("/api/what-if"))
            said("What if, with matching", size, [first], WHAT_IF)
            again = []
            for _ in range(3):
                wait, told = timed(lambda: visitor.get("/api/what-if"))
                again.append(wait)
                save(visitor, visitor.get("/api/next")["reading"])
            said("What if, after a decision", size, again, WHAT_IF)
            shown = visitor.get("/api/what-if")
        check(shown, store, runs, folder / "out", size)


def check(shown: Any, store: Path, runs: list[str], out: Path, size: str) -> None:
    """The page's scores are those of the export, to the last digit."""
    seconds, done = timed(lambda: tseval("assess", "export", store, "-o", out))
    if done.code:
        raise SystemExit(done.err)
    tell(Row("export", size, seconds))
    scored = tseval(
        *("score", *runs, out / "nuggets.tsv", "--matches", out / "matches.tsv"),
        *("-f", "json", "--quiet"),
    )
    told = json.loads(scored.out)
    values = {(e["run"], e["measure"]): e["value"] for e in told["records"] if e["topic"] == "all"}
    page = {
        (run["run"], name): value["decided"]
        for run in shown["runs"]
        for name, value in zip(shown["measures"], run["values"], strict=True)
    }
    if values != page or told["signature"] != shown["signature"]:
        raise SystemExit("the export does not score what the page says")
    print("the export scores the same")


if __name__ == "__main__":
    main()
