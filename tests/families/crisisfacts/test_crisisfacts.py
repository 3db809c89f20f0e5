"""CrisisFACTS against its slow twin, a case by hand, and what must not change a number."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings

import tseval
from tests import program
from tests import strategies as st
from tests.families.crisisfacts import worlds
from tests.families.crisisfacts.worlds import FORMS, MOMENTS, Collapsed, Items
from tests.families.forms import refused, refused_text
from tests.oracles import close
from tests.oracles import crisisfacts as slow
from tests.program import faulty, warn_of
from tseval import MissingTopics, Scores, UsageError

RULES = {
    "pool": ("64", "all"),
    "redundant": (".5", "0"),
    "days": ("all", "10"),
    "events": ("all", "track"),
}
TWO = ("redundancy", "comprehensiveness")
FOLDER = program.FIXTURES / "crisisfacts"
FIXED = (FOLDER / "collapsed.jsonl", FOLDER / "labels.tsv")
OF_2022: dict[str, Any] = {"edition": "crisisfacts2022"}
ONE_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
FEWER = settings(ONE_FOLDER, max_examples=settings().max_examples // 4)


@st.composite
def readings(draw: st.DrawFn) -> slow.Reading:
    """Any value of every rule."""
    values = {name: draw(st.sampled_from(known)) for name, known in RULES.items()}
    return slow.Reading(on_missing=draw(st.sampled_from(["skip", "zero"])), **values)


def rules_of(reading: slow.Reading) -> dict[str, str]:
    return {name: getattr(reading, name) for name in RULES}


def agree(
    scores: Scores, table: dict[str, dict[str, slow.Row]], names: tuple[str, ...], at: str | None
) -> None:
    """Every value of events and of all is that of the twin."""
    events = {slow.event_of(request) for request in table}
    part = table
    if at is not None:
        over = slow.ended(worlds.DAYS, slow.moment(at))
        part = {request: rows for request, rows in table.items() if request in over}
    assert set(scores.topics) == events
    for run in scores.runs:
        for name in names:
            written = name if at is None else f"{name}@{at}"
            own = slow.of_run(part, run, name)
            assert close(scores.value(written, run=run), own), (run, written, own)
            by_event = [
                slow.event_means(part, run, each) for each in (TWO if name == "f1" else [name])
            ]
            for event in events:
                means: list[Any] = [each.get(event) for each in by_event]
                if None in means:
                    expected = None
                else:
                    expected = means[0] if name != "f1" else slow.harmonic(*means)
                assert close(scores.value(written, event, run), expected), (run, event, written)


def fault_of(requests: Any, reading: slow.Reading) -> str:
    """The fault of files of which no request counts."""
    strange = not {*map(slow.event_of, requests)} & {*slow.TRACK}
    return "unrelated-inputs" if reading.events == "track" and strange else "no-rows"


@ONE_FOLDER
@given(worlds.collapsed(), readings(), st.sampled_from([None, *MOMENTS]), st.sampled_from(FORMS))
def test_collapsed_facts_under_all_rules(
    tmp_path: Path, world: Collapsed, reading: slow.Reading, at: str | None, form: str
) -> None:
    table = slow.table_2023(world.facts, world.pairs, reading)
    knows = any(label == "LAGGED_FACT" for _, label in world.pairs)
    names = (*TWO, "f1", *(["lagged"] if knows else []))
    given = worlds.facts_in(world, tmp_path, form), worlds.labels_in(world, tmp_path, form)
    asked: dict[str, Any] = {"rules": rules_of(reading), "on_missing": reading.on_missing}
    wanted = [name if at is None else f"{name}@{at}" for name in names]
    runs = slow.runs_of(world.facts)
    if not table or not runs:
        with faulty("id-format" if table else fault_of(world.facts, reading)):
            tseval.score_crisisfacts(*given, wanted, **asked)
        return
    scores = tseval.score_crisisfacts(*given, wanted, requests=worlds.days(), **asked)
    assert list(scores.runs) == runs
    agree(scores, table, names, at)


@ONE_FOLDER
@given(worlds.items(), readings(), st.sampled_from([None, *MOMENTS]), st.sampled_from(FORMS))
def test_items_under_all_rules(
    tmp_path: Path, world: Items, reading: slow.Reading, at: str | None, form: str
) -> None:
    given = worlds.items_in(world, tmp_path, form), worlds.gold_in(world, tmp_path, form)
    table = slow.table_2022(world.gold, world.items, reading)
    rules = {name: value for name, value in rules_of(reading).items() if name in ("days", "events")}
    asked: dict[str, Any] = {"rules": rules, "on_missing": reading.on_missing, **OF_2022}
    wanted = [name if at is None else f"{name}@{at}" for name in slow.OF_2022]
    known = [q for q, own in world.gold.items() if slow.counts(q, own, reading)]
    if not known:
        with faulty(fault_of(world.gold, reading)):
            tseval.score_crisisfacts(*given, wanted, **asked)
        return
    days = None if form in worlds.DATED else worlds.days()
    scores = tseval.score_crisisfacts(*given, wanted, requests=days, **asked)
    table = {request: table.get(request, {}) for request in known}
    agree(scores, table, slow.OF_2022, at)


def rows(*arguments: object) -> list[dict[str, str]]:
    """The table that the command shows."""
    outcome = program.tseval("crisisfacts", *arguments, "-f", "csv", "--quiet")
    assert outcome.code == 0, outcome.err
    return list(csv.DictReader(io.StringIO(outcome.out)))


@FEWER
@given(worlds.collapsed(), readings())
def test_explanations_of_collapsed_facts(
    tmp_path: Path, world: Collapsed, reading: slow.Reading
) -> None:
    """Requests, their table, and the facts, as the twin has them."""
    table = slow.table_2023(world.facts, world.pairs, reading)
    if not table or not slow.runs_of(world.facts):
        return
    rules = [part for each in rules_of(reading).items() for part in ("--rule", "=".join(each))]
    given = worlds.facts_in(world, tmp_path, "tsv"), worlds.labels_in(world, tmp_path, "tsv")
    asked = (
        *given,
        *rules,
        "--on-missing",
        reading.on_missing,
        "-m",
        "f1 " + " ".join(TWO),
        "--explain",
    )
    found = {(row["run"], row["request"]): row for row in rows(*asked, "requests")}
    assert found.keys() == {(run, q) for q, own in table.items() for run in own}
    for (run, request), row in found.items():
        two = [float(row[name]) for name in TWO]
        assert all(
            close(own, table[request][run][name]) for own, name in zip(two, TWO, strict=True)
        )
        assert close(float(row["f1"]), slow.harmonic(*two))
    for row in rows(*asked, "table"):
        own = table[row["request"]]
        assert int(row["runs"]) == len(own)
        for name in TWO:
            mean = slow.mean_over_runs(own, name)
            assert close(float(row[name]) if row[name] else None, mean)
    expected = [
        (
            *(request, fact["collapsed_fact_id"], f"{rank}", fact["importance"]),
            "yes" if rank <= slow.FIRST or reading.pool == "all" else "no",
            " ".join(label for name, label in world.pairs if name == fact["collapsed_fact_id"]),
            slow.score_of(fact["collapsed_fact_id"], world.pairs, reading),
            " ".join(sorted({slow.run_of(raw, request) for raw in fact["relevant_facts"]})),
        )
        for request in worlds.REQUESTS
        for rank, fact in enumerate(slow.top(world.facts.get(request, []), 1000), start=1)
    ]
    shown = rows(*given, *rules, "--explain", "facts")
    assert expected == [
        (*part[:3], float(part[3]), *part[4:6], float(part[6]), part[7])
        for part in ([*row.values()] for row in shown)
    ]


@FEWER
@given(worlds.items())
def test_explanations_of_items(tmp_path: Path, world: Items) -> None:
    given = worlds.items_in(world, tmp_path, "tsv"), worlds.gold_in(world, tmp_path, "tsv")
    expected = [
        (run, request, rank, item["importance"], rank <= len(gold), item["status"], said)
        for run in sorted(world.items)
        for request in worlds.REQUESTS
        for gold in (world.gold.get(request, []),)
        for rank, item in enumerate(slow.top(world.items[run].get(request, []), 1000), start=1)
        for said in (" ".join(fact for fact in dict.fromkeys(item["facts"]) if fact in gold),)
        if gold
    ]
    assert expected == [
        (
            *(row["run"], row["request"], int(row["rank"]), float(row["importance"])),
            *(row["counts"] == "yes", row["status"], row["facts"]),
        )
        for row in rows(*given, "--edition", "crisisfacts2022", "--explain", "items")
    ]


# By hand: two days; `a` says two facts on the first and none on the second.

DAY = "CrisisFACTS-009-r1"
LATER = "CrisisFACTS-009-r2"
BY_HAND = pd.DataFrame(
    [
        (DAY, f"{DAY}-collapsed-0000", f"{DAY}-a-0001", 1.0),
        (DAY, f"{DAY}-collapsed-0000", f"{DAY}-a-0002", 1.0),
        (DAY, f"{DAY}-collapsed-0001", f"{DAY}-a-0003", 0.5),
        (DAY, f"{DAY}-collapsed-0001", f"{DAY}-b-c-0001", 0.5),
        (DAY, f"{DAY}-collapsed-0002", f"{DAY}-b-c-0002", 0.2),
        (LATER, f"{LATER}-collapsed-0000", f"{LATER}-b-c-0003", 1.0),
    ],
    columns=["request", "collapsed_fact_id", "relevant_fact", "importance"],
)
HAND_LABELS = pd.DataFrame(
    [
        (f"{DAY}-collapsed-0000", "USEFUL_FACT"),
        (f"{DAY}-collapsed-0000", "POOR_FACT"),
        (f"{DAY}-collapsed-0001", "REDUNDANT_FACT"),
        (f"{DAY}-collapsed-0001", "LAGGED_FACT"),
        (f"{LATER}-collapsed-0000", "USEFUL_FACT"),
    ],
    columns=["collapsed_fact_id", "label"],
)


def test_by_hand() -> None:
    """Worked out on paper.

    The facts of the first day are worth 1 (the best of two labels), .5 and 0 (no label), so two
    are there to say. `a` has the first, twice, and the second: (1 + .5) / 2 and 2 / 2; one of its
    two is old. `b-c` has the second and the third: (.5 + 0) / 2 and 1 / 2.
    On the second day `b-c` has all there is: 1 and 1, nothing old. `a` has nothing: left out, or 0.
    `b-c` over both days: (1/4 + 1) / 2 = 5/8 and (1/2 + 1) / 2 = 3/4; f1 = 2 * 15/32 / (11/8) =
    15/22.
    """
    wanted = ("redundancy", "comprehensiveness", "lagged", "f1")
    scores = tseval.score_crisisfacts(BY_HAND, HAND_LABELS, wanted)
    assert [scores.value(name, run="a") for name in wanted] == [0.75, 1, 0.5, 1.5 / 1.75]
    own = [scores.value(name, run="b-c") for name in wanted]
    assert own == pytest.approx([5 / 8, 3 / 4, 1 / 4, 15 / 22], abs=1e-15)
    zero = tseval.score_crisisfacts(BY_HAND, HAND_LABELS, wanted, on_missing="zero")
    assert [zero.value(name, run="a") for name in wanted[:3]] == [0.375, 0.5, 0.5]
    with pytest.raises(MissingTopics, match=f"run a has no facts for 1 request: {LATER}"):
        tseval.score_crisisfacts(BY_HAND, HAND_LABELS, on_missing="error")
    dropped = tseval.score_crisisfacts(BY_HAND, HAND_LABELS, wanted[:2], rules={"redundant": "0"})
    assert [dropped.value(name, run="a") for name in wanted[:2]] == [0.5, 1]


def test_what_a_run_lacks_is_told_once() -> None:
    """A request of an event that it has; of an event that it lacks the event alone."""
    other = BY_HAND.replace("CrisisFACTS-009", "CrisisFACTS-010", regex=True)
    other = other[~other["relevant_fact"].str.contains("-a-")]
    labels = HAND_LABELS.replace("CrisisFACTS-009", "CrisisFACTS-010", regex=True)
    scores = tseval.score_crisisfacts(
        pd.concat([BY_HAND, other]), pd.concat([HAND_LABELS, labels]), "redundancy"
    )
    assert warn_of(scores.warnings, "labels 2", "a 1 event CrisisFACTS-010", f"a 1 request {LATER}")


def test_what_counts_for_nothing_is_told() -> None:
    """Labels of no fact, requests without worth or gold, and those that a rule leaves out."""
    labels = HAND_LABELS.replace(f"{LATER}-collapsed-0000", "E-r1-collapsed-0000")
    scores = tseval.score_crisisfacts(BY_HAND, labels, "redundancy")
    assert warn_of(scores.warnings, "labels 1", f"1 request {LATER}")
    gold = pd.DataFrame(
        {"request": ["E-r1", *[DAY] * 10], "fact_id": [f"f{at}" for at in range(11)]}
    )
    items = pd.DataFrame(
        {"request": [DAY, LATER], "importance": 1, "status": "skipped", "facts": ""}
    )
    scores = tseval.score_crisisfacts(items, gold, "assessed", rules={"days": "10"}, **OF_2022)
    assert warn_of(scores.warnings, f"1 request gold {LATER}", "1 request rules E-r1")


def test_sixty_four_facts_count() -> None:
    """The 65th has a useful label, and counts with `pool=all` alone."""
    ids = [f"{DAY}-collapsed-{at:04d}" for at in range(65)]
    raws = [f"{DAY}-a-{at:04d}" for at in range(65)]
    facts = pd.DataFrame({"request": DAY, "collapsed_fact_id": ids, "relevant_fact": raws})
    labels = pd.DataFrame({"collapsed_fact_id": [ids[0], ids[64]], "label": "USEFUL_FACT"})
    facts["importance"] = 0.5
    scores = tseval.score_crisisfacts(facts, labels, "redundancy")
    assert scores.value("redundancy") == 1 / 64
    assert warn_of(scores.warnings, "labels 1 64")
    whole = tseval.score_crisisfacts(facts, labels, "redundancy", rules={"pool": "all"})
    assert whole.value("redundancy") == 2 / 65


# What changes no number.


@FEWER
@given(worlds.collapsed(), st.randoms(use_true_random=False))
def test_order_of_files_and_labels(tmp_path: Path, world: Collapsed, chance: Any) -> None:
    table = slow.table_2023(world.facts, world.pairs, slow.Reading())
    if not table or not slow.runs_of(world.facts):
        return
    paths = worlds.facts_in(world, tmp_path, "lists")
    labels = worlds.labels_in(world, tmp_path, "frame")
    plain = tseval.score_crisisfacts(paths, labels)
    chance.shuffle(paths)
    again = tseval.score_crisisfacts(paths, labels.sample(frac=1, random_state=1))
    assert [each.value for each in again.records()] == [each.value for each in plain.records()]


@pytest.mark.engine
def test_processes_change_nothing(here: Path) -> None:
    """Neither scores nor the faults of facts that stand in two files."""
    HAND_LABELS.to_csv("labels.tsv", sep="\t", index=False)
    for name, own in zip(
        ("one", "two", "again"), (BY_HAND[:5], BY_HAND[5:], BY_HAND[1:]), strict=True
    ):
        own.to_csv(here / f"{name}.tsv", sep="\t", index=False)
    given = ("crisisfacts", "one.tsv", "two.tsv")
    one, two = (program.tseval(*given, "labels.tsv", "-f", "json", "-j", jobs) for jobs in (1, 2))
    assert one.code == two.code == 0
    assert one.out == two.out
    for jobs in (1, 2):
        done = program.tseval(*given, "again.tsv", "labels.tsv", "-j", jobs)
        assert done.codes == [("duplicate-id", line) for line in range(2, 7)]
        assert {fault.file for fault in done.faults} == {"again.tsv"}


# Bad files: scores, an import and `validate` refuse the same place.

FACT = {
    "collapsed_fact_id": "E-1-r1-collapsed-0001",
    "relevant_facts": ["E-1-r1-a-0001"],
    "importance": 1.0,
}
WRITTEN = json.dumps(FACT)
ITEM = {"importance": 1.0, "status": "matched", "facts": ["f"]}
SAID = json.dumps({"request": "E-r1", "items": [ITEM]})


@pytest.fixture
def files(here: Path) -> Path:
    """Good files of either edition."""
    Path("facts.jsonl").write_text(WRITTEN + "\n")
    Path("labels.tsv").write_text("collapsed_fact_id\tlabel\nE-1-r1-collapsed-0001\tUSEFUL_FACT\n")
    Path("items.jsonl").write_text(SAID + "\n")
    Path("gold.tsv").write_text("request\tfact_id\nE-r1\tf\n")
    return here


def scored(kind: str, bad: Any) -> Scores:
    """The scores of the good files, but for the file of a kind."""
    given = {"collapsed": "facts.jsonl", "labels": "labels.tsv"}
    if kind in ("items", "gold"):
        given = {"items": "items.jsonl", "gold": "gold.tsv"}
    more = OF_2022 if "gold" in given else {}
    facts, gold, *days = (given | {kind: bad}).values()
    return tseval.score_crisisfacts(facts, gold, requests=days[0] if days else None, **more)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"collapsed_fact_id": 3}, "record-format"),
        ({"collapsed_fact_id": "a\tb"}, "record-format"),
        ({"collapsed_fact_id": "mine"}, "id-format"),
        ({"relevant_facts": "E-1-r1-a-0001"}, "record-format"),
        ({"relevant_facts": [" "]}, "record-format"),
        ({"relevant_facts": ["E-1-r1-0001"]}, "id-format"),
        ({"relevant_facts": ["E-2-r1-a-0001"]}, "id-format"),
        ({"importance": "1"}, "record-format"),
        ({"importance": True}, "record-format"),
        ({"importance": math.nan}, "record-format"),
        ({"fact_text": 1}, "record-format"),
    ],
)
@pytest.mark.usefixtures("files")
def test_faulty_facts(change: dict[str, Any], code: str) -> None:
    """In lines of facts, in a list over many lines, and in the line of a request."""
    both = [{**FACT, "collapsed_fact_id": "E-1-r1-collapsed-0002"}, {**FACT, **change}]
    whole = json.dumps(both, indent=0)
    texts = {
        "".join(json.dumps(each) + "\n" for each in both): 2,
        whole: whole[: whole.index("{", 5)].count("\n") + 1,
    }
    if change != {"collapsed_fact_id": "mine"}:  # whose request the line tells
        texts["\n" + json.dumps({"requestID": "E-1-r1", "facts": both})] = 2
    for text, line in texts.items():
        refused_text(partial(scored, "collapsed"), text, code, line, "crisisfacts-collapsed")


LABELLED = '[["f", "x", "USEFUL_FACT"],\n'
EVENT = '{"eventID": "E", "factsByRequest": {"E-r1": [{"fact": "a"}]}}'


@pytest.mark.parametrize(
    ("kind", "text", "line", "code"),
    [
        ("collapsed", "", None, "empty-file"),
        ("collapsed", "[\n]", None, "no-rows"),
        ("collapsed", f"[\n{WRITTEN},\n{WRITTEN[:40]}", 3, "json-syntax"),
        ("collapsed", f"[\n{WRITTEN}\n{WRITTEN}]", 3, "json-syntax"),
        ("collapsed", f"[\n{WRITTEN},\n]", 3, "json-syntax"),
        ("collapsed", f"[\n{WRITTEN}]\nmore", 3, "json-syntax"),
        ("collapsed", f"[\n{WRITTEN},\n3]", 3, "record-format"),
        ("collapsed", f"[\n{WRITTEN},\n{WRITTEN}]", 3, "duplicate-id"),
        ("collapsed", f"{WRITTEN}\n\n{WRITTEN}\n", 3, "duplicate-id"),
        ("collapsed", f"{WRITTEN}\n{WRITTEN[:-9]}\n", 2, "json-syntax"),
        ("collapsed", f'{{"facts": [{WRITTEN}]}}', 1, "record-format"),
        ("collapsed", f'{{"requestID": null, "facts": [{WRITTEN}]}}', 1, "record-format"),
        ("collapsed", f'{{"requestID": " ", "facts": [{WRITTEN}]}}', 1, "record-format"),
        ("collapsed", f'{{"requestID": "E-1-r1", "facts": {WRITTEN}}}', 1, "record-format"),
        ("collapsed", f'{{"requestID": "E-1-r1", "facts": [{WRITTEN}, 3]}}', 1, "record-format"),
        ("collapsed", f'{{"requestID": "E-1-r2", "facts": [{WRITTEN}]}}', 1, "id-format"),
        ("labels", LABELLED + '["f", "x"]]', 2, "record-format"),
        ("labels", LABELLED + '["f", "", "USEFUL_FACT"]]', 2, "record-format"),
        ("labels", LABELLED + '["f", null, "USEFUL_FACT"]]', 2, "record-format"),
        ("labels", LABELLED + '["f", "x", "USEFUL_FACT", "y"]]', 2, "record-format"),
        ("labels", LABELLED + "{}]", 2, "record-format"),
        ("labels", LABELLED + '["f", "x", "GOOD"]]', 2, "unknown-label"),
        ("labels", LABELLED + '["f"', 2, "json-syntax"),
        *(
            (
                "items",
                f'{SAID}\n{{"request": "E-r1", "items": [{{"importance": {rest}}}]}}',
                2,
                code,
            )
            for rest, code in (
                ('1, "status": "seen"', "unknown-label"),
                ('1, "status": "matched"', "conflicting-rows"),
                ('1, "status": "skipped", "facts": ["f"]', "conflicting-rows"),
                ('1, "status": "matched", "facts": ["f g"]', "record-format"),
                ('1, "status": "matched", "facts": "f"', "record-format"),
                ('1, "status": "matched", "facts": [3]', "record-format"),
                ('true, "status": "skipped"', "record-format"),
                ("1", "record-format"),
            )
        ),
        ("items", f'{SAID}\n{{"request": "E-r1", "items": [3]}}', 2, "record-format"),
        ("items", f'{SAID}\n{{"request": "E-r1", "items": {{}}}}', 2, "record-format"),
        ("items", f'{SAID}\n{{"request": "E-r1"}}', 2, "record-format"),
        ("items", f'{SAID}\n{{"request": "E-r1", "run": 3, "items": []}}', 2, "record-format"),
        ("items", f'{SAID}\n{{"request": "", "items": []}}\n', 2, "record-format"),
        ("gold", f"[{EVENT},\n3]", 2, "record-format"),
        ("gold", f'[{EVENT},\n{{"factsByRequest": 3}}]', 2, "record-format"),
        ("gold", f'{EVENT}\n{{"eventID": "F"}}\n', 2, "record-format"),
        ("gold", f'[{EVENT},\n{{"factsByRequest": {{"E-r2": {{}}}}}}]', 2, "record-format"),
        ("gold", f'[{EVENT},\n{{"factsByRequest": {{" ": []}}}}]', 2, "record-format"),
        ("gold", f'{EVENT}\n{{"factsByRequest": {{"E-r2": [3]}}}}\n', 2, "record-format"),
        ("gold", f'[{EVENT},\n{{"factsByRequest": {{"E-r2": [{{}}]}}}}]', 2, "record-format"),
        ("gold", f"[{EVENT},\n", 1, "json-syntax"),
        ("gold", EVENT.replace("}}", ', "E-r1": []}}'), 1, "duplicate-key"),
        ("gold", '[{"factsByRequest": {}}]', None, "no-rows"),
    ],
)
@pytest.mark.usefixtures("files")
def test_broken_files(kind: str, text: str, line: int | None, code: str) -> None:
    refused_text(partial(scored, kind), text, code, line, f"crisisfacts-{kind}")


def test_a_fault_in_line_70000(files: Path) -> None:
    good = "".join(WRITTEN.replace("0001", f"{at:05d}") + "\n" for at in range(69_999))
    (files / "facts.jsonl").write_text(good + '{"relevant_facts": []}\n')
    done = program.tseval("crisisfacts", "facts.jsonl", "labels.tsv")
    assert done.codes == [("record-format", 70_000)]
    assert done.faults[0].text == '{"relevant_facts": []}'


TABLES = {
    "collapsed": "request\tcollapsed_fact_id\trelevant_fact\timportance\nE-r1\tf\tE-r1-a-1\t1\n",
    "labels": "collapsed_fact_id\tlabel\nf\tUSEFUL_FACT\n",
    "requests": "request\tday\nE-1-r1\t2020-01-01\n",
    "items": "request\timportance\tstatus\tfacts\nE-r1\t1\tmatched\tf\n",
    "gold": "request\tfact_id\tday\nE-r1\tf\t2020-01-01\n",
}


@pytest.mark.parametrize(
    ("kind", "row", "code"),
    [
        ("collapsed", "E-r1\tf\tE-r1-b-1\t.5", "conflicting-rows"),
        ("collapsed", "E-r2\tf\tE-r2-b-1\t1", "conflicting-rows"),
        ("collapsed", "E-r1\tg\tE-r1-1\t1", "id-format"),
        ("collapsed", "E-r1\tg\tE-r2-a-1\t1", "id-format"),
        ("collapsed", "\tg\tE-r1-a-1\t1", "empty-value"),
        ("collapsed", "E-r1\t\tE-r1-a-1\t1", "empty-value"),
        ("collapsed", "E-r1\tg\tE-r1-a-1\tx", "number-format"),
        ("collapsed", "E-r1\tg\tE-r1-a-1\tnan", "number-format"),
        ("collapsed", "E-r1\tg\tE-r1-a-1\t1e400", "number-range"),
        ("labels", "f\tuseful_fact", "unknown-label"),
        ("labels", "\tUSEFUL_FACT", "empty-value"),
        ("labels", "f\t", "empty-value"),
        ("requests", "E-1-r2\tMonday", "date-format"),
        ("requests", "E-1-r2\t2020-02-30", "date-format"),
        ("requests", "E-1-r2\t12345", "date-format"),
        ("requests", "E-1-r2\t", "empty-value"),
        ("requests", "E-1-r1\t2020-01-02", "duplicate-id"),
        ("items", "E-r1\t1\tseen\t", "unknown-label"),
        ("items", "E-r1\t1\tmatched\t", "conflicting-rows"),
        ("items", "E-r1\t1\tskipped\tf", "conflicting-rows"),
        ("items", "E-r1\t1\t\tf", "conflicting-rows"),
        ("items", "E-r1\tx\tskipped\t", "number-format"),
        ("items", "\t1\tskipped\t", "empty-value"),
        ("gold", "E-r1\tf\t2020-01-01", "duplicate-id"),
        ("gold", "E-r1\tg h\t2020-01-01", "id-format"),
        ("gold", "E-r1\t\t2020-01-01", "empty-value"),
        ("gold", "E-r1\tg\tMonday", "time-format"),
        ("gold", "E-r1\tg\t12345", "time-range"),
    ],
)
def test_faulty_rows_of_tables(files: Path, kind: str, row: str, code: str) -> None:
    refused(partial(scored, kind), f"{TABLES[kind]}{row}\n", files, code, 2)
    assert program.tseval("validate", "bad.tsv").places == [("bad.tsv", 3)]


@pytest.mark.parametrize("kind", ["collapsed", "labels", "items", "gold"])
@pytest.mark.usefixtures("files")
def test_tables_without_rows(kind: str) -> None:
    head = TABLES[kind].partition("\n")[0]
    Path("bad.tsv").write_text(head + "\n")
    for bad in ("bad.tsv", pd.DataFrame(columns=head.split("\t"))):
        with faulty("no-rows"):
            scored(kind, bad)


def test_items_that_name_facts_of_no_request(files: Path) -> None:
    """The first file that has any is refused with all of its own."""
    for run in ("one", "two"):
        strange = SAID.replace('"f"', '"g"').replace("{", f'{{"run": "{run}", ', 1)
        (files / f"{run}.jsonl").write_text(f"{SAID}\n{strange}\n")
    given = ("two.jsonl", "one.jsonl", "gold.tsv", "--edition", "crisisfacts2022")
    done = program.tseval("crisisfacts", *given)
    assert [(f.file, f.code, f.line) for f in done.faults] == [("two.jsonl", "unknown-id", 2)]
    assert program.tseval("validate", "two.jsonl").code == 0
    named = program.tseval("crisisfacts", *given, "--name", "two.jsonl=X")
    assert named.codes == [("several-runs", None)]


def test_days_of_requests(tmp_path: Path) -> None:
    days = tmp_path / "requests.tsv"
    days.write_text(f"request\tday\n{DAY}\tSince 2019-01-01 2020-04-12\n{LATER}\t1586908800\n")
    at = ["2020-04-12T23:59:00Z", "2020-04-13", "2020-04-16"]
    scores = tseval.score_crisisfacts(BY_HAND, HAND_LABELS, "redundancy", requests=days, at=at)
    found = [scores.value(name, run="b-c") for name in scores.measures]
    assert found == [0.625, None, 0.25, 0.625]
    days.write_text(f"request\tday\n{LATER}\tA Storm 2020 2020-04-12\n")
    with pytest.raises(UsageError, match="--requests"):
        tseval.score_crisisfacts(BY_HAND, HAND_LABELS, "redundancy@2d", requests=days)
    null = tmp_path / "requests.jsonl"
    null.write_text('{"requestID": null, "day": "2020-03-01"}\n')
    with faulty("empty-value", 1):
        tseval.score_crisisfacts(BY_HAND, HAND_LABELS, requests=null)


def test_the_other_edition_and_measures() -> None:
    items = pd.DataFrame({"request": [DAY], "importance": 1.0, "status": "skipped", "facts": ""})
    gold = pd.DataFrame({"request": [DAY], "fact_id": ["f"]})
    score = tseval.score_crisisfacts
    with pytest.raises(UsageError, match="crisisfacts2022"):
        score(items, gold)
    with pytest.raises(UsageError, match="crisisfacts2023"):
        score(BY_HAND, gold, **OF_2022)
    with faulty("missing-column"):
        score(HAND_LABELS, gold, **OF_2022)
    with pytest.raises(UsageError, match="'assessed' here; there are"):
        score(BY_HAND, HAND_LABELS, "assessed")
    with pytest.raises(UsageError, match="'f1' here; there are"):
        score(items, gold, "f1", **OF_2022)
    with pytest.raises(UsageError, match="LAGGED_FACT"):
        score(BY_HAND, HAND_LABELS[HAND_LABELS["label"] != "LAGGED_FACT"], "lagged")
    with pytest.raises(UsageError, match="FACTS is missing: one or more files"):
        score([], HAND_LABELS)


@pytest.mark.usefixtures("files")
def test_explanations_of_the_other_edition_and_of_times() -> None:
    of_items = ("items.jsonl", "gold.tsv", "--edition", "crisisfacts2022")
    of_facts = ("facts.jsonl", "labels.tsv")
    for asked in ((*of_facts, "--explain", "items"), (*of_items, "--explain", "facts")):
        assert program.tseval("crisisfacts", *asked).code == 2
    Path("days.tsv").write_text("request\tday\nE-1-r1\t2020-01-01\n")
    dated = (*of_facts, "--requests", "days.tsv", "--explain", "requests")
    assert program.tseval("crisisfacts", *dated, "-m", "redundancy@2d").code == 2
    (row,) = rows(*dated, "-m", "redundancy")
    assert ",".join(row) == "run,request,day,n_facts,score,n_said,n_lagged,n_gold,redundancy"
    assert ",".join(row.values()) == "a,E-1-r1,2020-01-01,1,1.0,1,0,1,1.0"


def test_curves(tmp_path: Path) -> None:
    """They end with the value of the whole; without days it is said what lacks."""
    facts, labels, days = (tmp_path / f"{name}.tsv" for name in ("facts", "labels", "days"))
    BY_HAND.to_csv(facts, sep="\t", index=False)
    HAND_LABELS.to_csv(labels, sep="\t", index=False)
    days.write_text(f"request\tday\n{DAY}\t2020-03-01\n{LATER}\t2020-03-03\n")
    outcome = program.tseval("curve", facts, labels)
    assert (outcome.code, "--requests FILE tells them" in outcome.err) == (2, True)
    outcome = program.tseval("curve", facts, labels, "--requests", days, "-m", "f1")
    assert (outcome.code, "f1 is taken from the whole" in outcome.err) == (2, True)
    asked = ("curve", facts, labels, "--requests", days, "-f", "csv", "--quiet")
    outcome = program.tseval(*asked, "-m", "redundancy")
    assert outcome.code == 0, outcome.err
    drawn = [line.split(",") for line in outcome.out.splitlines()[1:]]
    assert [(row[0], row[5]) for row in drawn] == [
        *(("a", ""), ("a", "0.75")),
        *(("b-c", ""), ("b-c", "0.25"), ("b-c", "0.625")),
    ]
    assert [float(row[4]) for row in drawn[2:]] == [0, 24 - 1 / 3600, 72 - 1 / 3600]
    outcome = program.tseval(*asked, "-m", "redundancy", "--batch", "1d")
    assert outcome.code == 0, outcome.err
    of_days = [line.split(",")[5] for line in outcome.out.splitlines()[1:]]
    assert of_days == ["0.75", "", "", "0.25", "", "1.0"]


def test_curves_of_2022(tmp_path: Path) -> None:
    """Gold facts tell their days, so nothing else is needed."""
    items = tmp_path / "items.jsonl"
    items.write_text(SAID.replace('"f"', '"E-r1-0"'))
    gold = b'[{"factsByRequest": {"E-r1": [{"fact": "a", "dateString": "2020-03-01"}]}}]'
    asked = ("--edition", "crisisfacts2022", "-m", "comprehensiveness", "-f", "csv", "--quiet")
    outcome = program.tseval("curve", items, "-", *asked, stdin=gold)
    assert [line.split(",")[5] for line in outcome.out.splitlines()[1:]] == ["", "1.0"], outcome.err


def test_a_report_shows_requests(tmp_path: Path) -> None:
    scores, page = tmp_path / "scores.json", tmp_path / "page.html"
    assert program.tseval("crisisfacts", *FIXED, "-q", "-o", scores).code == 0
    assert program.tseval("report", scores, "-o", page).code == 0
    text = " ".join(re.sub("<[^>]*>", " ", page.read_text(encoding="utf-8")).split())
    assert "Osk-001-r1 2 0.7083 0.6667 Osk-001-r2 1 0.5000 1.0000" in text
    assert "Calder-002-r1 1.00 .50 Osk-001-r1 .67 .67 Osk-001-r2 – 1.00" in text


@pytest.mark.parametrize("name", ["collapsed.jsonl", "labels.tsv", "items.jsonl", "facts.json"])
def test_an_import_of_an_import_is_the_same(tmp_path: Path, name: str) -> None:
    """With all columns that the file has, and no others."""
    kind = {"facts": "gold"}.get(name.partition(".")[0], name.partition(".")[0])
    once = program.tseval("import", f"crisisfacts-{kind}", FOLDER / name)
    table = tmp_path / "table.tsv"
    plain = {"gold": ["request\tfact_id\nE-r1\tf\n"], "items": []}
    for text in (once.out, *plain.get(kind, [TABLES[kind]])):
        table.write_text(text)
        again = program.tseval("import", f"crisisfacts-{kind}", table, "--quiet")
        assert (once.code, again.code) == (0, 0)
        assert again.out == text
    if kind == "collapsed":
        assert "\tThe dam at Tarrin broke at two in the morning.\n" in once.out


# Run lines.

GOOD_LINE = {
    "requestID": "CrisisFACTS-001-r3",
    "factText": "The road is closed.",
    "unixTimestamp": 1512604876,
    "importance": 0.5,
    "sources": ["CrisisFACTS-001-Reddit-s1-c2-3"],
    "streamID": None,
    "informationNeeds": ["CrisisFACTS-General-q046"],
}
VALUES = (
    None, True, 0, 1, 0.0, 1.0, 1.5, -0.1, math.nan, "", "x", [], ["x"], {}, [None],
    ["CrisisFACTS-001-Twitter-1-2"], ["CrisisFACTS-001-Reddit-s1-2"], ["CrisisFACTS-Tornado-q005"],
    ["CrisisFACTS-Tornado-q006"], ["CrisisFACTS-Hurricane-q06"], "CrisisFACTS-General-q001",
)  # fmt: skip


def run_of(folder: Path, *lines: dict[str, Any]) -> Path:
    run = folder / "run.jsonl"
    run.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return run


@ONE_FOLDER
@given(st.sampled_from([*GOOD_LINE]), st.sampled_from(VALUES), st.booleans())
def test_verdicts_of_the_checker(tmp_path: Path, key: str, value: Any, without: bool) -> None:
    """What `validate` says of one line is what the checker says, whatever stands in it."""
    line: dict[str, Any] = {**GOOD_LINE, key: value}
    if without:
        del line[key]
    if key == "factText" and without:
        return  # nothing shows that it is a run
    if key == "requestID" and line.get(key) in ("", "x"):
        return  # the checker knows requests by a list that is switched off here
    outcome = program.tseval("validate", run_of(tmp_path, line))
    expected = slow.accepts(json.dumps(line))
    assert (outcome.code == 0) == expected, (line, outcome.out, outcome.err)


def test_requests_of_a_run_beside_those_known(tmp_path: Path) -> None:
    run, requests = run_of(tmp_path, GOOD_LINE), tmp_path / "requests.tsv"
    for known, places in (("CrisisFACTS-001-r4", [(str(run), 1)]), ("CrisisFACTS-001-r3", [])):
        requests.write_text(f"request\tday\n{known}\t2017-12-07\n")
        outcome = program.tseval("validate", run, requests)
        assert (outcome.code, outcome.places) == (len(places), places)


def test_texts_of_another_length_are_told(tmp_path: Path) -> None:
    texts = ["", "ä" * 200, "ä" * 201]
    run = run_of(tmp_path, *(GOOD_LINE | {"factText": text} for text in texts))
    outcome = program.tseval("validate", run)
    assert (outcome.code, outcome.places) == (0, [(str(run), 1), (str(run), 3)])


def test_an_imported_run_is_updates_of_events(tmp_path: Path) -> None:
    """What the checker refuses and can be read is told of ten lines, and then by number."""
    whole = GOOD_LINE | {"importance": 1}
    run = run_of(tmp_path, GOOD_LINE, GOOD_LINE | {"requestID": "E-r1"}, *[whole] * 12)
    outcome = program.tseval("import", "crisisfacts-run", run)
    assert outcome.code == 0
    table = list(csv.DictReader(io.StringIO(outcome.out), delimiter="\t"))
    assert [*table[1].values()] == [
        *("run", "E", "E-r1-0001", "1512604876", "The road is closed.", "0.5")
    ]
    assert [row["update_id"][-4:] for row in table] == [
        *("0001", "0001"),
        *(f"{at:04d}" for at in range(2, 14)),
    ]
    told = outcome.err.splitlines()
    assert [line.split(":")[-2] for line in told[:10]] == [f"{at}" for at in range(3, 13)]
    assert warn_of(told[10:], "2 more")


@pytest.mark.parametrize(
    "lines", [(), (GOOD_LINE, {"requestID": " "}), (GOOD_LINE, {"sources": []})]
)
def test_runs_that_are_not_imported(tmp_path: Path, lines: tuple[dict[str, Any], ...]) -> None:
    run = run_of(tmp_path, *(GOOD_LINE | each for each in lines))
    codes = program.tseval("import", "crisisfacts-run", run).codes
    assert codes == [("record-format", 2) if lines else ("no-rows", None)]
