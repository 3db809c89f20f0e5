"""CrisisFACTS on the pack: every expected number, asked of the program and of the slow twin."""

from __future__ import annotations

import csv
import gzip
import io
import json
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import tseval
from tests.oracles import crisisfacts as slow
from tests.program import tseval as program

REFERENCE, PUBLISHED = 1e-12, 5e-7
TWO = ("redundancy", "comprehensiveness")
Row = dict[str, str]
Found = dict[tuple[str, str, str], float | None]
"""By run, request and measure."""


@pytest.fixture(scope="session")
def pack(conformance: Path) -> Path:
    return conformance / "crisisfacts"


@cache
def rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def differs(value: float | None, expected: str, within: float) -> bool:
    if value is None or expected in ("", "skipped"):
        return value is not None or expected not in ("", "skipped")
    return abs(value - float(expected)) > within


def asked(*arguments: object) -> list[Row]:
    """What the command gives to other programs."""
    outcome = program("crisisfacts", *arguments, "-f", "csv", "--quiet")
    assert outcome.code == 0, outcome.err
    return list(csv.DictReader(io.StringIO(outcome.out)))


def value(cell: str) -> float | None:
    return float(cell) if cell else None


def of_requests(*arguments: object) -> Found:
    """Every run's row of every request."""
    return {
        (row["run"], row["request"], name): value(row[name])
        for row in asked(*arguments, "--explain", "requests", "-m", " ".join(TWO))
        for name in TWO
    }


def of_table(*arguments: object) -> dict[tuple[str, str], float | None]:
    """The table of requests."""
    return {
        (row["request"], name): value(row[name])
        for row in asked(*arguments, "--explain", "table", "-m", " ".join(TWO))
        for name in TWO
    }


def files(pack: Path) -> tuple[Path, Path]:
    return pack / "data/2023/collapsed.jsonl.gz", pack / "data/2023/labels.tsv"


@cache
def world(pack: Path) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """The same as the slow twin has it."""
    with gzip.open(files(pack)[0], "rt", encoding="utf-8") as lines:
        facts = {each["requestID"]: each["facts"] for each in map(json.loads, lines)}
    return facts, [(row["collapsed_fact_id"], row["label"]) for row in rows(files(pack)[1])]


def test_rows_of_runs(pack: Path) -> None:
    found = of_requests(*files(pack))
    twin = slow.table_2023(*world(pack), slow.Reading())
    table = rows(pack / "expected/2023/by_request_and_run.tsv")
    assert len(table) == 994
    assert len(found) == 2 * len(table)
    published = rows(pack / "expected/2023/published_rows.tsv")
    assert len(published) == 10
    for expected, within in ((table, REFERENCE), (published, PUBLISHED)):
        for row in expected:
            for name in TWO:
                own = found[row["run"], row["request"], name]
                assert not differs(own, row[name], within), row
                assert not differs(twin[row["request"]][row["run"]][name], row[name], within), row


def test_table_that_the_notebook_printed(pack: Path) -> None:
    found = of_table(*files(pack))
    twin = slow.table_2023(*world(pack), slow.Reading())
    table = rows(pack / "expected/2023/printed_by_request.tsv")
    assert len(table) == 82
    for row in table:
        for name in TWO:
            assert not differs(found.get((row["request"], name)), row[name], PUBLISHED), row
            mean = slow.mean_over_runs(twin.get(row["request"], {}), name)
            assert not differs(mean, row[name], PUBLISHED), row


def test_runs(pack: Path) -> None:
    scores = tseval.score_crisisfacts(*files(pack))
    twin = slow.table_2023(*world(pack), slow.Reading())
    table = rows(pack / "expected/2023/by_run.tsv")
    assert [row["run"] for row in table] == list(scores.runs)
    for row in table:
        for name in (*TWO, "f1"):
            assert not differs(scores.value(name, run=row["run"]), row[name], REFERENCE), row
            assert not differs(slow.of_run(twin, row["run"], name), row[name], REFERENCE), row


def test_events_of_the_track(pack: Path) -> None:
    scores = tseval.score_crisisfacts(*files(pack), TWO, rules={"events": "track"})
    assert scores.topics == tuple(
        f"CrisisFACTS-{number:03d}" for number in (9, 10, 12, 13, 15, 16, 18)
    )
    twin = slow.table_2023(*world(pack), slow.Reading(events="track"))
    for run in scores.runs:
        for name in TWO:
            own = slow.of_run(twin, run, name)
            assert not differs(scores.value(name, run=run), repr(own) if own else "", REFERENCE)


@pytest.mark.parametrize("rule", ["redundant=0", "pool=all"])
def test_other_rules(pack: Path, rule: str) -> None:
    found = of_table(*files(pack), "--rule", rule)
    name, _, chosen = rule.partition("=")
    twin = slow.table_2023(*world(pack), slow.Reading(**{name: chosen}))
    table = [r for r in rows(pack / "expected/2023/other_rules.tsv") if r["rule"] == rule]
    assert len(table) in (77, 78)
    for row in table:
        assert row["run"] == "mean over runs"
        for measure in TWO:
            own = found.get((row["request"], measure))
            assert not differs(own, row[measure], REFERENCE), row
            mean = slow.mean_over_runs(twin.get(row["request"], {}), measure)
            assert not differs(mean, row[measure], REFERENCE), row


def test_what_the_website_shows_needs_labels_that_nobody_has(pack: Path) -> None:
    """With the whole set one request alone comes out: it has no positive fact beyond the cut."""
    found = of_table(*files(pack), "--rule", "pool=all")
    table = rows(pack / "expected/2023/website_by_request.tsv")
    fitting = [
        row["request"]
        for row in table
        if not any(differs(found.get((row["request"], n)), row[n], PUBLISHED) for n in TWO)
    ]
    assert fitting == ["CrisisFACTS-009-r0"]
    assert {"CrisisFACTS-010-r5", "CrisisFACTS-012-r0"} <= {row["request"] for row in table}


def test_both_forms_of_files(pack: Path) -> None:
    """The original lists, with texts, give what their lines without give."""
    lists = sorted((pack / "data/2023/with_text").glob("*.json"))
    labels = files(pack)[1]
    own, every = of_requests(*lists, labels), of_requests(*files(pack))
    requests = {request for _, request, _ in own}
    assert requests == {"CrisisFACTS-009-r0", "CrisisFACTS-013-r5"}
    assert own == {key: found for key, found in every.items() if key[1] in requests}


def test_toys(pack: Path, tmp_path: Path) -> None:
    expected = rows(pack / "expected/2023/toy.tsv")
    lines = (pack / "data/2023/toy.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    assert {row["case"] for row in expected} == {each["case"] for each in cases}
    for case in cases:
        facts, labels = tmp_path / f"{case['case']}.jsonl", tmp_path / "labels.json"
        facts.write_text(json.dumps(case) + "\n")
        labels.write_text(json.dumps(case["fact_list"]))
        own = [row for row in expected if row["case"] == case["case"]]
        if own[0]["redundancy"] == "skipped":
            outcome = program("crisisfacts", facts, labels)
            assert outcome.code == 1
            assert "leaves no request that counts" in outcome.err
            continue
        found = of_requests(facts, labels)
        assert len(found) == 2 * len(own)
        for row in own:
            for name in TWO:
                here = found[row["run"], case["requestID"], name]
                assert not differs(here, row[name], REFERENCE), row


def test_days(pack: Path) -> None:
    """At the end of a day counts what is of requests whose day is over; at the end everything."""
    requests = pack / "data/2023/requests.tsv"
    days = {row["request"]: row["day"][-10:] for row in rows(requests)}
    facts, labels = world(pack)
    twin = slow.table_2023(facts, labels, slow.Reading())
    moments = ("2018-08-08", "2019-10-12T23:59:59Z", "2020-04-14", "2099-01-01")
    for moment in moments:
        tau = slow.moment(moment)
        over = slow.ended(days, tau)
        part = {request: own for request, own in twin.items() if request in over}
        scores = tseval.score_crisisfacts(
            *files(pack), (*TWO, "f1"), requests=requests, at=[moment]
        )
        for run in scores.runs:
            for name in (*TWO, "f1"):
                expected = slow.of_run(part, run, name)
                found = scores.value(f"{name}@{moment}", run=run)
                assert not differs(found, "" if expected is None else repr(expected), REFERENCE)


# 2022.


def test_gold_facts_of_an_event(pack: Path) -> None:
    outcome = program("import", "crisisfacts-gold", pack / "data/2022/facts.CrisisFACTS-006.json")
    assert outcome.code == 0, outcome.err
    gold = list(csv.DictReader(io.StringIO(outcome.out), delimiter="\t", quoting=csv.QUOTE_NONE))
    expected = {
        r["request"]: int(r["facts"]) for r in rows(pack / "expected/2022/facts_per_request.tsv")
    }
    assert len(expected) == 55
    assert sum(number >= 10 for number in expected.values()) == 31
    counted = pd.Series([row["request"] for row in gold]).value_counts().to_dict()
    assert counted == {r: n for r, n in expected.items() if r.startswith("CrisisFACTS-006-")}
    text = (pack / "data/2022/facts.CrisisFACTS-006.json").read_text(encoding="utf-8")
    assert slow.facts_per_request(json.loads(text)) == counted


def test_items(pack: Path, tmp_path: Path) -> None:
    """Each case by itself, since they call different days alike."""
    expected = rows(pack / "expected/2022/scores.tsv")
    assert len(expected) == 96
    lines = (pack / "data/2022/matches.jsonl").read_text(encoding="utf-8").splitlines()
    cases: dict[str, list[dict[str, Any]]] = {}
    for each in map(json.loads, lines):
        cases.setdefault(each["case"], []).append(each)
    for case, days in cases.items():
        items, gold = tmp_path / "run.jsonl", tmp_path / "gold.tsv"
        items.write_text("".join(json.dumps(each) + "\n" for each in days))
        facts = [f"{each['request']}\t{fact}\n" for each in days for fact in each["facts"]]
        gold.write_text("request\tfact_id\n" + "".join(facts))
        edition = ("--edition", "crisisfacts2022", "-m", " ".join(slow.OF_2022))
        by_day = {
            row["request"]: row for row in asked(items, gold, *edition, "--explain", "requests")
        }
        scores = tseval.score_crisisfacts(items, gold, slow.OF_2022, edition="crisisfacts2022")
        twin = slow.table_2022(
            {each["request"]: each["facts"] for each in days},
            {"run": {each["request"]: each["items"] for each in days}},
            slow.Reading(on_missing="zero"),
        )
        for row in expected:
            name, _, day = row["case"].partition(" ")
            if name != case:
                continue
            measure = row["measure"]
            if day == "all":
                found, own = scores.value(measure), slow.of_run(twin, "run", measure)
            else:
                request = day or days[0]["request"]
                found = value(by_day[request][measure])
                own = twin[request]["run"][measure]
            assert not differs(found, row["value"], REFERENCE), row
            assert not differs(own, row["value"], REFERENCE), row


# Run lines.


def test_the_checkers_verdicts(pack: Path, tmp_path: Path) -> None:
    expected = {r["case"]: r["official checker"] for r in rows(pack / "expected/run_lines.tsv")}
    lines = (pack / "data/run_lines.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    run = tmp_path / "run.jsonl"
    run.write_text("".join(json.dumps(each["line"]) + "\n" for each in cases))
    outcome = program("validate", run)
    assert outcome.code == 1
    refused = {
        int(line.split(":")[1])
        for line in (outcome.out + outcome.err).splitlines()
        if f"{run}:" in line and "accepted, but" not in line
    }
    assert len(cases) == len(expected) == 14
    for number, case in enumerate(cases, start=1):
        verdict = "rejected" if number in refused else "accepted"
        assert verdict == expected[case["case"]], case
        assert slow.accepts(json.dumps(case["line"])) == (verdict == "accepted")


def test_a_reader_is_lenient(pack: Path, tmp_path: Path) -> None:
    lenient = ("needs-null", "needs-missing", "needs-hurricane-q006")
    lines = (pack / "data/run_lines.jsonl").read_text(encoding="utf-8").splitlines()
    cases = {each["case"]: each["line"] for each in map(json.loads, lines)}
    whole = cases["good-abstractive"] | {"importance": 1}
    kept = [*(cases[name] for name in lenient), whole, cases["good-extractive"]]
    run = tmp_path / "mine.jsonl"
    run.write_text("".join(json.dumps(each) + "\n" for each in kept))
    outcome = program("import", "crisisfacts-run", run)
    assert outcome.code == 0, outcome.err
    assert len(outcome.out.splitlines()) == len(kept) + 1
    assert [f"mine.jsonl:{line}:" in outcome.err for line in range(1, 6)] == [True] * 4 + [False]
    for name in ("importance-above-1", "time-float", "sources-empty", "request-missing"):
        run.write_text(json.dumps(cases[name]) + "\n")
        outcome = program("import", "crisisfacts-run", run)
        assert outcome.code == 1
        assert f"{run}:1:" in outcome.err
