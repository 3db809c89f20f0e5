"""Change detection: the paper's table, invented rankings, small runs, and months of three runs.

Every expected number is asked of the program, and of the slow twin. The expected numbers are never
touched: where either differs, it is wrong.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

import tseval
from tests import program
from tests.oracles import changes as slow
from tseval import InputError, Scores

WITHIN = 1e-12
PRINTED = 0.0005
"""Table 1 has three decimals."""
LEVELS, SETS = slow.LEVELS, slow.SETS
NAMES = ("units", *slow.MEASURES)
KEYS = [(level, units, name) for level in LEVELS for units in SETS for name in NAMES]
RUNS = ("careful", "eager", "patchy")

PASSED_BY_CHECKER = {"none", "wrong-day", "repeated-question", "bad-rank"}
LACK_DATES = {"missing-day", "missing-day-nil", "wrong-day"}
"""Cases in which a topic lacks a date, which only the track's checker refuses."""

Row = dict[str, str]


@pytest.fixture(scope="session")
def pack(conformance: Path) -> Path:
    return conformance / "changes"


@cache
def rows(path: Path) -> list[Row]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def differs(value: float | None, expected: str, within: float = WITHIN) -> bool:
    if value is None or expected == "undefined":
        return value is not None or expected != "undefined"
    return abs(value - float(expected)) > within


def as_measures(rule: str) -> dict[str, str]:
    """The rules of the program that a change against the base stands for."""
    name, _, value = rule.partition("=")
    given = {} if name in ("base", "p") else {name: value}
    return given | ({"ties": "expected"} if name == "missing-date" else {})


def measures_of(rule: str, at: str = "") -> list[str]:
    """The measures of `KEYS`, with all that the interface lets stand in their brackets."""
    p = "p=.8," if rule == "p=0.8" else ""
    return [
        f"{name}({p if name == 'tRBP' else ''}level={level},units={units}){at}"
        for level, units, name in KEYS
    ]


def files_of(folder: Path) -> dict[str, Path | None]:
    judged = folder / "questions.tsv"
    return {
        "topics": folder / "topics.jsonl",
        "days": folder / "days.txt",
        "documents": next(folder.glob("documents.tsv*")),
        "questions": judged if judged.exists() else None,
    }


def board(
    folder: Path, run: str, rule: str, at: str = ""
) -> dict[tuple[str, str, str], float | None]:
    """Every value of `all`, by level, set and name, as the command gives it to other programs."""
    rules = [("--rule", f"{name}={value}") for name, value in as_measures(rule).items()]
    told = command(
        folder,
        run,
        *("--lenient", "-m", " ".join(measures_of(rule, at))),
        *(part for option in rules for part in option),
        *("-f", "json"),
    )
    records = json.loads(told)["records"]
    values = {each["measure"]: each["value"] for each in records if each["topic"] == "all"}
    return {key: values[name] for key, name in zip(KEYS, measures_of(rule, at), strict=True)}


def command(folder: Path, run: str, *more: str) -> str:
    """What the command writes of a run of a folder."""
    files = {f"--{name}": path for name, path in files_of(folder).items() if path is not None}
    beside = [part for option in files.items() for part in option]
    outcome = program.tseval("changes", folder / run, folder / "qrels.tsv", *beside, *more)
    assert outcome.code == 0, outcome.err
    return outcome.out


def wrong(table: list[Row], board: dict[tuple[str, str, str], float | None]) -> Iterator[Row]:
    for row in table:
        if differs(board[row["level"], row["units"], row["measure"]], row["value"]):
            yield row


# Rankings: each is a topic of one question and one day.


def of_rankings(lists: dict[str, tuple[list[float], list[float]]], rules: dict[str, str]) -> Scores:
    """Scores of rankings: of the gains in their order, and of all that there were to return."""
    run, qrels, days, topics = [], [], [], []
    for topic, (gains, relevant) in lists.items():
        topics.append((topic, "q"))
        left = list(relevant)
        if not gains:
            run.append((topic, "2026-01-01", "", None, "", None))
        for place, gain in enumerate(gains):
            doc = f"{topic}-{place}"
            run.append((topic, "2026-01-01", "q", 0, doc, -place))
            days.append((doc, "2026-01-01"))
            if gain > 0:
                qrels.append((topic, "q", doc, gain))
                left.remove(gain)
        for place, gain in enumerate(left):
            qrels.append((topic, "q", f"{topic}-left-{place}", gain))
            days.append((f"{topic}-left-{place}", "2026-01-01"))
    columns = ["topic", "day", "qid", "question_rank", "doc_id", "score"]
    return tseval.score_changes(
        pd.DataFrame(run, columns=columns).convert_dtypes(),
        pd.DataFrame(qrels, columns=["topic", "qid", "doc_id", "gain"]),
        [f"{name}(level=documents)" for name in slow.MEASURES[:4]],
        topics=pd.DataFrame(topics, columns=["topic", "qid"]),
        documents=pd.DataFrame(days, columns=["doc_id", "day"]),
        days=pd.DataFrame({"day": ["2026-01-01"]}),
        rules=rules,
    )


def test_table_1_of_the_paper(pack: Path) -> None:
    table = rows(pack / "expected/table1.tsv")
    lists = {
        row["ranking"] + "R" + row["R"]: ([float(c) for c in row["ranking"]], [1.0] * int(row["R"]))
        for row in table
    }
    scores = of_rankings(lists, {})
    for row in table:
        own, found = lists[row["ranking"] + "R" + row["R"]], row["ranking"] + "R" + row["R"]
        by_hand = slow.measures_of(*own, slow.BASE)
        for name in slow.MEASURES[:4]:
            value = scores.value(f"{name}(level=documents)", found)
            assert not differs(value, row[name], PRINTED)
            assert not differs(by_hand[name], row[name], PRINTED)


def test_rankings(pack: Path) -> None:
    table = rows(pack / "expected/rankings.tsv")
    lines = (pack / "data/rankings.jsonl").read_text(encoding="utf-8").splitlines()
    cases = {each["case"]: each for each in map(json.loads, lines)}
    lists = {name: (each["gains"], each["relevant"]) for name, each in cases.items()}
    found = {}
    for gains, ap in {(row["gains"], row["ap"]) for row in table}:
        found[gains, ap] = of_rankings(lists, {"gains": gains, "ap": ap})
    assert len(table) == 480
    for row in table:
        name = f"{row['measure']}(level=documents)"
        value = found[row["gains"], row["ap"]].value(name, row["case"])
        assert not differs(value, row["value"]), row
        groups = [[float(gain)] for gain in lists[row["case"]][0]]
        relevant = [float(gain) for gain in lists[row["case"]][1]]
        twin = slow.unit(groups, relevant, slow.Reading(gains=row["gains"], ap=row["ap"]))
        assert not differs(twin[row["measure"]], row["value"]), row


# Small runs, each for a rule.


def by_case(pack: Path, table: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows(pack / "expected" / table):
        found.setdefault(row["case"], []).append(row)
    return found


def test_all_cases_under_all_rules(pack: Path) -> None:
    number = 0
    for case, table in by_case(pack, "cases.tsv.gz").items():
        folder = pack / "data/cases" / case
        world = slow.read_collection(folder)
        for rule in dict.fromkeys(row["rule"] for row in table):
            own = [row for row in table if row["rule"] == rule]
            number += len(own)
            assert not list(wrong(own, board(folder, "run.jsonl", rule)))
            reading = slow.reading(rule)
            run = slow.read_run(folder / "run.jsonl", world, reading.order)
            assert not list(wrong(own, slow.table(slow.units_of(run, world, reading), reading)))
    assert number == 14292


def test_strict_reader_refuses_faults(pack: Path) -> None:
    """It names the fault with its line, day and question; a right run is not refused."""
    for case, table in by_case(pack, "faults.tsv").items():
        folder = pack / "data/cases" / case
        expected = [(row["where"] or "", row["fault"]) for row in table if row["fault"] != "none"]
        assert slow.read_run(folder / "run.jsonl", slow.read_collection(folder)).faults == expected
        files = files_of(folder)
        if not expected:
            tseval.score_changes(folder / "run.jsonl", folder / "qrels.tsv", **files)
            continue
        with pytest.raises(InputError) as caught:
            tseval.score_changes(folder / "run.jsonl", folder / "qrels.tsv", **files)
        faults = caught.value.faults
        assert len(faults) == len(expected)
        for fault, (where, name) in zip(faults, expected, strict=True):
            line, _, place = where.partition(" ")
            kind, _, lost = name.partition(" ")
            assert fault.line == (int(line) if line else None)
            assert fault.reason.startswith(f"{kind}: ")
            day, _, qid = place.rpartition(" ") if " q_" in place else (place, "", "")
            assert all(part in fault.reason for part in (day, qid, lost))
            assert bool(fault.text) == bool(line)
            assert fault.cure


def as_track(folder: Path, run: str) -> program.Outcome:
    beside = ("--topics", folder / "topics.jsonl", "--days", folder / "days.txt")
    return program.tseval("validate", "--as", "track", folder / run, *beside)


def test_the_rules_of_the_checker(pack: Path) -> None:
    for case, table in by_case(pack, "faults.tsv").items():
        expected = {row["fault"].partition(" ")[0] for row in table} - PASSED_BY_CHECKER
        expected |= {"missing-date"} if case in LACK_DATES else set()
        done = as_track(pack / "data/cases" / case, "run.jsonl")
        faults = {line.split(": ")[1] for line in done.out.splitlines()} if done.code else set()
        assert (faults, done.code) == (expected, int(bool(expected))), case


@pytest.mark.parametrize(("run", "code"), [("careful", 0), ("eager", 0), ("patchy", 1)])
def test_the_rules_of_the_checker_over_months(pack: Path, run: str, code: int) -> None:
    done = as_track(pack / "data/months", f"{run}.jsonl.gz")
    assert done.code == code
    assert done.out.count("missing-date") == done.out.count("\n") - (not code)


# Three runs over months.


@pytest.mark.parametrize("run", RUNS)
def test_months(pack: Path, run: str) -> None:
    folder = pack / "data/months"
    table = [row for row in rows(pack / "expected/months.tsv") if row["run"] == run]
    assert len(table) == 468
    for rule in dict.fromkeys(row["rule"] for row in table):
        own = [row for row in table if row["rule"] == rule]
        assert not list(wrong(own, board(folder, f"{run}.jsonl.gz", rule))), rule


def test_months_as_the_slow_twin_has_them(pack: Path) -> None:
    folder, number = pack / "data/months", 0
    world = slow.read_collection(folder)
    for run in RUNS:
        said = slow.read_run(folder / f"{run}.jsonl.gz", world)
        units = slow.units_of(said, world, slow.BASE)
        own = [
            r for r in rows(pack / "expected/months.tsv") if (r["run"], r["rule"]) == (run, "base")
        ]
        assert not list(wrong(own, slow.table(units, slow.BASE)))
        curve = [row for row in rows(pack / "expected/months.curve.tsv") if row["run"] == run]
        for before in dict.fromkeys(row["before"] for row in curve):
            part = [row for row in curve if row["before"] == before]
            number += len(part)
            until = None if before == "inf" else before
            assert not list(wrong(part, slow.table(units, slow.BASE, until)))
    assert number == 1080


def test_questions_of_months(pack: Path) -> None:
    folder = pack / "data/months"
    more = ("--explain", "questions", "-f", "csv", "--quiet")
    found = {
        (each["run"], each["topic"], each["qid"]): each
        for run in RUNS
        for each in csv.DictReader(io.StringIO(command(folder, f"{run}.jsonl.gz", *more)))
    }
    table = rows(pack / "expected/months.by_question.tsv")
    assert len(table) == 390
    for row in table:
        value = found[row["run"], row["topic"], row["qid"]][row["measure"]]
        assert not differs(float(value), row["value"]), row


@pytest.mark.parametrize("run", RUNS)
def test_months_at_any_time(pack: Path, run: str) -> None:
    """The measures before a day; at infinity they are those of the whole."""
    folder = pack / "data/months"
    curve = [row for row in rows(pack / "expected/months.curve.tsv") if row["run"] == run]
    assert len(curve) == 360
    for before in dict.fromkeys(row["before"] for row in curve):
        part = [row for row in curve if row["before"] == before]
        at = "" if before == "inf" else f"@{before}"
        found = board(folder, f"{run}.jsonl.gz", "base", at)
        assert not list(wrong(part, found)), before
