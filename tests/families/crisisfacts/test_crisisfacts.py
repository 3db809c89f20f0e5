"""CrisisFACTS against its slow twin, a case by hand, and what must not change a number."""

from __future__ import annotations

import json
import math
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
from tests.oracles import crisisfacts as slow
from tests.program import faulty
from tseval import InputError, MissingTopics, Scores, UsageError
from tseval.core.calling import CommonOptions, evaluated
from tseval.core.family import Asked
from tseval.families.crisisfacts import index
from tseval.families.crisisfacts.explanation import rows_of_runs, table_of_requests
from tseval.families.crisisfacts.family import FAMILY
from tseval.families.crisisfacts.inputs import CrisisInputs, CrisisOptions
from tseval.families.crisisfacts.rules import CrisisRules
from tseval.families.crisisfacts.run_lines import is_run
from tseval.files.inputs import Input

FEW = 2
"""How many collapsed facts, and gold facts of a day, are enough in these tests."""
RULES = {rule.name: tuple(rule.values) for rule in CrisisRules().each() if rule.name != "facts"}
UNCOUNTED = r"leaves no request that counts|names no run|does not fit the rule events=track"
ONE_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for module in (index, slow):
        monkeypatch.setattr(module, "FIRST", FEW)
        monkeypatch.setattr(module, "ENOUGH", FEW)
    return tmp_path


@st.composite
def readings(draw: st.DrawFn) -> slow.Reading:
    """Any value of every rule."""
    values = {name: draw(st.sampled_from(known)) for name, known in RULES.items()}
    return slow.Reading(on_missing=draw(st.sampled_from(["skip", "zero"])), **values)


def rules_of(reading: slow.Reading) -> dict[str, str]:
    return {name: getattr(reading, name) for name in RULES}


def same(found: float | None, expected: float | None) -> bool:
    if found is None or expected is None:
        return found is expected
    return math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-12)


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
            assert same(scores.value(written, run=run), own), (run, written, own)
            two = [name] if name != "f1" else ["redundancy", "comprehensiveness"]
            by_event = [slow.event_means(part, run, each) for each in two]
            for event in events:
                means: list[Any] = [each.get(event) for each in by_event]
                if None in means:
                    expected = None
                else:
                    expected = means[0] if name != "f1" else slow.harmonic(*means)
                assert same(scores.value(written, event, run), expected), (run, event, written)


@ONE_FOLDER
@given(
    worlds.collapsed(),
    readings(),
    st.sampled_from([None, *MOMENTS]),
    st.sampled_from(FORMS),
)
def test_collapsed_facts_under_all_rules(
    folder: Path, world: Collapsed, reading: slow.Reading, at: str | None, form: str
) -> None:
    table = slow.table_2023(world.facts, world.pairs, reading)
    knows = any(label == "LAGGED_FACT" for _, label in world.pairs)
    names = ("redundancy", "comprehensiveness", "f1", *(["lagged"] if knows else []))
    given = worlds.facts_in(world, folder, form), worlds.labels_in(world, folder, form)
    asked: dict[str, Any] = {"rules": rules_of(reading), "on_missing": reading.on_missing}
    wanted = [name if at is None else f"{name}@{at}" for name in names]
    runs = slow.runs_of(world.facts)
    if not table or not runs:
        with pytest.raises(InputError, match=UNCOUNTED):
            tseval.score_crisisfacts(*given, wanted, **asked)
        return
    scores = tseval.score_crisisfacts(*given, wanted, requests=worlds.days(), **asked)
    assert list(scores.runs) == runs
    agree(scores, table, names, at)


@ONE_FOLDER
@given(worlds.items(), readings(), st.sampled_from([None, *MOMENTS]), st.sampled_from(FORMS))
def test_items_under_all_rules(
    folder: Path, world: Items, reading: slow.Reading, at: str | None, form: str
) -> None:
    given = worlds.items_in(world, folder, form), worlds.gold_in(world, folder, form)
    table = slow.table_2022(world.gold, world.items, reading)
    asked: dict[str, Any] = {
        "rules": {n: v for n, v in rules_of(reading).items() if n in ("days", "events")},
        "on_missing": reading.on_missing,
        "edition": "crisisfacts2022",
    }
    wanted = [name if at is None else f"{name}@{at}" for name in slow.OF_2022]
    known = [q for q, own in world.gold.items() if slow.counts(q, own, reading)]
    if not known:
        with pytest.raises(InputError, match=UNCOUNTED):
            tseval.score_crisisfacts(*given, wanted, **asked)
        return
    # The track's own file tells days.
    days = None if form in ("lists", "facts") else worlds.days()
    scores = tseval.score_crisisfacts(*given, wanted, requests=days, **asked)
    table = {request: table.get(request, {}) for request in known}
    agree(scores, table, slow.OF_2022, at)


@ONE_FOLDER
@given(worlds.collapsed(), readings())
def test_requests_and_their_table(folder: Path, world: Collapsed, reading: slow.Reading) -> None:
    """`--explain requests` and `--explain table` against the twin's rows."""
    table = slow.table_2023(world.facts, world.pairs, reading)
    if not table or not slow.runs_of(world.facts):
        return
    inputs = CrisisInputs([worlds.as_rows(world)], worlds.labels_in(world, folder, "frame"))
    evaluation = evaluated(FAMILY, inputs, CrisisOptions(), CommonOptions(rules=rules_of(reading)))
    names = ("redundancy", "comprehensiveness")
    wanted = tuple(tseval.measure(name, family="crisisfacts") for name in names)
    asked = Asked(wanted, CrisisOptions(), on_missing=reading.on_missing)
    frame = rows_of_runs(evaluation, asked).frame
    found = {(row["run"], row["request"]): row for row in frame.to_dict("records")}
    assert len(found) == len(frame)
    assert found.keys() == {(run, q) for q, rows in table.items() for run in rows}
    for (run, request), row in found.items():
        assert all(same(row[name], table[request][run][name]) for name in names)
    for row in table_of_requests(evaluation, asked).frame.to_dict("records"):
        own = table[row["request"]]
        assert row["runs"] == len(own)
        for name in names:
            mean = slow.mean_over_runs(own, name)
            assert same(None if pd.isna(row[name]) else row[name], mean)


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
    told = [each for each in scores.warnings if each.startswith("run ")]
    assert told == [
        "run a: no facts for 1 event, left out of the mean: CrisisFACTS-010",
        f"run a: no facts for 1 request, left out of the mean: {LATER}",
    ]


def test_sixty_four_facts_count() -> None:
    """The 65th has a useful label, and counts with `pool=all` alone."""
    ids = [f"{DAY}-collapsed-{at:04d}" for at in range(65)]
    facts = pd.DataFrame(
        {
            "request": DAY,
            "collapsed_fact_id": ids,
            "relevant_fact": [f"{DAY}-a-{at:04d}" for at in range(65)],
            "importance": 0.5,
        }
    )
    labels = pd.DataFrame({"collapsed_fact_id": [ids[0], ids[64]], "label": "USEFUL_FACT"})
    scores = tseval.score_crisisfacts(facts, labels, "redundancy")
    assert scores.value("redundancy") == 1 / 64
    assert any("1 labelled fact beyond the first 64" in each for each in scores.warnings)
    whole = tseval.score_crisisfacts(facts, labels, "redundancy", rules={"pool": "all"})
    assert whole.value("redundancy") == 2 / 65


def test_ten_gold_facts_are_enough() -> None:
    """Of a day with ten facts and one with nine, the first counts with `days=10`."""
    gold = pd.DataFrame(
        {
            "request": [DAY] * 10 + [LATER] * 9,
            "fact_id": [f"f{at}" for at in range(19)],
        }
    )
    items = pd.DataFrame(
        {
            "request": [DAY, LATER],
            "importance": 1.0,
            "status": "matched",
            "facts": ["f0", "f10 f11"],
        }
    )
    asked: dict[str, Any] = {"edition": "crisisfacts2022"}
    both = tseval.score_crisisfacts(items, gold, "comprehensiveness", **asked)
    assert both.value("comprehensiveness") == pytest.approx((1 / 10 + 2 / 9) / 2, abs=1e-15)
    ten = tseval.score_crisisfacts(items, gold, "comprehensiveness", rules={"days": "10"}, **asked)
    assert ten.value("comprehensiveness") == 1 / 10


# What changes no number.


@ONE_FOLDER
@given(worlds.collapsed(), st.randoms(use_true_random=False))
def test_order_of_lines_of_different_importance(
    folder: Path, world: Collapsed, chance: Any
) -> None:
    """Files in another order, labels too, and lines in several processes: the same bytes."""
    table = slow.table_2023(world.facts, world.pairs, slow.Reading())
    if not table or not slow.runs_of(world.facts):
        return
    paths = worlds.facts_in(world, folder, "lists")
    labels = worlds.labels_in(world, folder, "frame")
    plain = tseval.score_crisisfacts(paths, labels)
    chance.shuffle(paths)
    again = tseval.score_crisisfacts(paths, labels.sample(frac=1, random_state=1))
    assert [each.value for each in again.records()] == [each.value for each in plain.records()]


@pytest.mark.engine
def test_processes_change_nothing(tmp_path: Path) -> None:
    world = {
        request: [
            {
                "collapsed_fact_id": f"{request}-collapsed-{at:04d}",
                "relevant_facts": [f"{request}-{run}-0001" for run in ("a", "b-c")[: 1 + at % 2]],
                "importance": at / 9,
            }
            for at in range(10)
        ]
        for request in worlds.REQUESTS
    }
    labels = [(f"{request}-collapsed-0003", "x", "USEFUL_FACT") for request in worlds.REQUESTS]
    paths = worlds.facts_in(Collapsed(world, labels), tmp_path, "lists")
    gold = worlds.labels_in(Collapsed(world, labels), tmp_path, "lists")
    one, two = (program.tseval("crisisfacts", *paths, gold, "-f", "json", "-j", j) for j in (1, 2))
    assert one.code == two.code == 0
    assert one.out == two.out


# Bad input.

FACT = {
    "collapsed_fact_id": "E-1-r1-collapsed-0001",
    "relevant_facts": ["E-1-r1-a-0001"],
    "importance": 1.0,
}


def refused(folder: Path, facts: str, labels: str = "", name: str = "facts.jsonl") -> InputError:
    path, gold = folder / name, folder / "labels.tsv"
    path.write_text(facts)
    default = "collapsed_fact_id\tlabel\nE-1-r1-collapsed-0001\tUSEFUL_FACT\n"
    gold.write_text(labels or default)
    with pytest.raises(InputError) as caught:
        tseval.score_crisisfacts(path, gold)
    return caught.value


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"collapsed_fact_id": 3}, 'no "collapsed_fact_id"'),
        ({"collapsed_fact_id": "mine"}, '"mine" does not tell the request'),
        ({"relevant_facts": "E-1-r1-a-0001"}, '"relevant_facts" is no list of names'),
        ({"relevant_facts": ["E-1-r1-0001"]}, 'raw fact "E-1-r1-0001" is not called'),
        ({"relevant_facts": ["E-2-r1-a-0001"]}, 'raw fact "E-2-r1-a-0001" is not called'),
        ({"importance": "1"}, '"importance" is no finite number'),
        ({"importance": math.nan}, '"importance" is no finite number'),
        ({"fact_text": 1}, '"fact_text" is no text'),
    ],
)
def test_faulty_facts(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    """With the file, the line, the line's text and a cure, in lines and in a list."""
    good = {**FACT, "collapsed_fact_id": "E-1-r1-collapsed-0002"}
    lines = "".join(json.dumps(each) + "\n" for each in (good, {**FACT, **change}))
    (fault,) = refused(tmp_path, lines).faults
    assert (fault.line, bool(fault.text), bool(fault.cure)) == (2, True, True)
    assert fault.reason.startswith(reason)
    whole = json.dumps([good, {**FACT, **change}], indent=0)
    (fault,) = refused(tmp_path, whole, name="facts.json").faults
    assert fault.line == whole[: whole.index("{", 5)].count("\n") + 1
    assert fault.reason.startswith(reason)


@pytest.mark.parametrize(
    ("written", "line", "reason"),
    [
        ("", None, "the file is empty"),
        ("[\n]", None, "holds no collapsed fact"),
        ("[\n" + json.dumps(FACT) + ",\n" + json.dumps(FACT)[:40], 3, "not JSON"),
        ("[\n" + json.dumps(FACT) + "\n" + json.dumps(FACT) + "]", 3, "not JSON"),
        ("[\n" + json.dumps(FACT) + ",\n]", 3, "not JSON"),
        ("[\n" + json.dumps(FACT) + "]\nmore", 3, "not JSON"),
        ("[\n" + json.dumps(FACT) + ",\n3]", 3, "a number where a collapsed fact is expected"),
        ("[\n" + json.dumps(FACT) + ",\n" + json.dumps(FACT) + "]", 3, 'collapsed fact "E-1-r1'),
        (json.dumps(FACT) + "\n" + json.dumps(FACT)[:-9] + "\n", 2, "not JSON"),
        (json.dumps({"facts": [FACT]}) + "\n", 1, 'no "requestID"'),
        (
            json.dumps({"requestID": None, "facts": [FACT]}) + "\n",
            1,
            '"requestID" is a null where a name is expected',
        ),
        (json.dumps({"requestID": " ", "facts": [FACT]}) + "\n", 1, '"requestID" names nothing'),
        (json.dumps({"requestID": "E-1-r1", "facts": FACT}) + "\n", 1, '"facts" is no list'),
    ],
)
def test_broken_files(tmp_path: Path, written: str, line: int | None, reason: str) -> None:
    fault = refused(tmp_path, written).faults[0]
    assert fault.line == line
    assert fault.reason.startswith(reason)


def test_a_fault_in_line_70000(tmp_path: Path) -> None:
    good = [
        {
            "collapsed_fact_id": f"E-1-r1-collapsed-{at:05d}",
            "relevant_facts": [f"E-1-r1-a-{at:05d}"],
            "importance": 0.5,
        }
        for at in range(69_999)
    ]
    lines = "".join(json.dumps(each) + "\n" for each in good)
    (fault,) = refused(tmp_path, lines + '{"relevant_facts": []}\n').faults
    assert (fault.line, fault.reason) == (70_000, 'no "collapsed_fact_id"')
    assert fault.text == '{"relevant_facts": []}'


def test_faulty_tables(tmp_path: Path) -> None:
    head = "request\tcollapsed_fact_id\trelevant_fact\timportance\n"
    (fault,) = refused(tmp_path, head + "E-r1\tf\tE-r1-a-1\t1\nE-r1\tf\tE-r1-b-1\t.5\n").faults
    assert (fault.line, fault.reason) == (3, '"f" has another importance here')
    (fault,) = refused(tmp_path, head + "E-r1\tf\tE-r1-a-1\t1\nE-r2\tf\tE-r2-b-1\t1\n").faults
    assert (fault.line, fault.reason) == (3, '"f" has another request here')
    (fault,) = refused(tmp_path, head + "E-r1\tf\tE-r1-1\t1\n").faults
    assert (fault.line, fault.reason) == (2, 'raw fact "E-r1-1" is not called E-r1-RUN-0001')
    facts = json.dumps(FACT) + "\n"
    (fault,) = refused(tmp_path, facts, "collapsed_fact_id\tlabel\nf\tGOOD\n").faults
    assert (fault.line, fault.reason) == (2, 'unknown label "GOOD"')
    (fault,) = refused(tmp_path, facts, '[\n["f", "x", "USEFUL_FACT"],\n["f", "x"]]').faults
    assert (fault.line, fault.reason) == (3, "no triple of a fact, an assessor and a label")


def test_empty_items(tmp_path: Path) -> None:
    path = tmp_path / "items.tsv"
    path.write_text("request\timportance\tstatus\tfacts\n")
    gold = pd.DataFrame({"request": [DAY], "fact_id": ["f"]})
    with faulty("no-rows", None):
        tseval.score_crisisfacts(path, gold, edition="crisisfacts2022")


def test_a_fact_in_two_files(tmp_path: Path) -> None:
    paths = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for path in paths:
        path.write_text(json.dumps(FACT) + "\n")
    with faulty("duplicate-id", 1):
        tseval.score_crisisfacts(paths, HAND_LABELS)


def test_days_that_are_none(tmp_path: Path) -> None:
    days = tmp_path / "requests.tsv"
    days.write_text(f"request\tday\n{DAY}\tMonday\n{LATER}\tA Storm 2020 2020-04-12\n")
    with pytest.raises(InputError, match="is not a date") as caught:
        tseval.score_crisisfacts(BY_HAND, HAND_LABELS, requests=days)
    assert [fault.line for fault in caught.value.faults] == [2]
    days.write_text(f"request\tday\n{DAY}\tSince 2019-01-01 2020-04-12\n{LATER}\t1586908800\n")
    at = ["2020-04-12T23:59:00Z", "2020-04-13", "2020-04-16"]
    scores = tseval.score_crisisfacts(BY_HAND, HAND_LABELS, "redundancy", requests=days, at=at)
    found = [scores.value(name, run="b-c") for name in scores.measures]
    assert found == [0.625, None, 0.25, 0.625]
    days.write_text(f"request\tday\n{LATER}\tA Storm 2020 2020-04-12\n")
    with pytest.raises(UsageError, match="not all days of requests are known"):
        tseval.score_crisisfacts(BY_HAND, HAND_LABELS, "redundancy@2d", requests=days)


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ({"importance": 1.0, "status": "seen"}, 'unknown status "seen"'),
        ({"importance": 1.0, "status": "matched"}, "a matched item names no fact"),
        ({"importance": 1.0, "status": "skipped", "facts": ["f"]}, 'an item that is "skipped"'),
        ({"importance": 1.0, "status": "matched", "facts": ["g"]}, 'fact "g" is of no request'),
        ({"importance": 1.0, "status": "matched", "facts": ["f g"]}, '"facts" is no list of'),
        ({"importance": True, "status": "skipped"}, '"importance" is no finite number'),
        ({"importance": 1.0}, 'no "status"'),
        (3, "a number where an item is expected"),
    ],
)
def test_faulty_items(tmp_path: Path, item: Any, reason: str) -> None:
    path = tmp_path / "items.jsonl"
    good = {"request": DAY, "items": [{"importance": 1.0, "status": "matched", "facts": ["f"]}]}
    path.write_text(json.dumps(good) + "\n" + json.dumps({"request": DAY, "items": [item]}) + "\n")
    gold = pd.DataFrame({"request": [DAY], "fact_id": ["f"]})
    with pytest.raises(InputError) as caught:
        tseval.score_crisisfacts(path, gold, edition="crisisfacts2022")
    (fault,) = caught.value.faults
    assert (fault.line, bool(fault.text), bool(fault.cure)) == (2, True, True)
    assert fault.reason.startswith(reason)


def test_the_other_edition_and_measures() -> None:
    items = pd.DataFrame({"request": [DAY], "importance": 1.0, "status": "skipped", "facts": ""})
    gold = pd.DataFrame({"request": [DAY], "fact_id": ["f"]})
    with pytest.raises(UsageError, match="assessed items: score them with --edition"):
        tseval.score_crisisfacts(items, gold)
    with pytest.raises(UsageError, match="collapsed facts: score them with --edition"):
        tseval.score_crisisfacts(BY_HAND, gold, edition="crisisfacts2022")
    with pytest.raises(UsageError, match="no measure of collapsed facts"):
        tseval.score_crisisfacts(BY_HAND, HAND_LABELS, "assessed")
    with pytest.raises(UsageError, match="no measure of assessed items"):
        tseval.score_crisisfacts(items, gold, "f1", edition="crisisfacts2022")
    some = HAND_LABELS[HAND_LABELS["label"] != "LAGGED_FACT"]
    with pytest.raises(UsageError, match="no label says LAGGED_FACT"):
        tseval.score_crisisfacts(BY_HAND, some, "lagged")


def test_a_rule_that_takes_no_event_of_the_files() -> None:
    folder = program.FIXTURES / "crisisfacts"
    told = program.tseval(
        "crisisfacts", folder / "collapsed.jsonl", folder / "labels.tsv", "--rule", "events=track"
    )
    assert (told.code, told.codes) == (1, [("unrelated-inputs", None)])


def test_what_is_asked_for_is_said_in_words() -> None:
    told = program.tseval("crisisfacts", "facts.jsonl")
    assert told.err.splitlines()[-1] == (
        "Error: Give one or more files of collapsed facts (of 2022: of assessed items), then the "
        "file of their labels (of 2022: of gold facts)."
    )


def test_a_null_is_called_so(tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    path.write_text('{"requestID": null, "day": "2020-03-01"}\n')
    with pytest.raises(InputError) as error:
        tseval.score_crisisfacts(BY_HAND, HAND_LABELS, requests=path)
    assert error.value.faults[0].reason == '"requestID" is null'


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


@ONE_FOLDER
@given(st.sampled_from([*GOOD_LINE]), st.sampled_from(VALUES), st.booleans())
def test_verdicts_of_the_checker(folder: Path, key: str, value: Any, without: bool) -> None:
    """What `validate` says of one line is what the checker says, whatever stands in it."""
    line: dict[str, Any] = {**GOOD_LINE, key: value}
    if without:
        del line[key]
    run = folder / "run.jsonl"
    run.write_text(json.dumps(line) + "\n")
    if not is_run(Input(run)):
        return
    expected = slow.accepts(json.dumps(line))
    outcome = program.tseval("validate", run)
    if key == "requestID" and line.get(key) in ("", "x"):
        return  # the checker knows requests by a list that is switched off here
    assert (outcome.code == 0) == expected, (line, outcome.out, outcome.err)


def test_requests_of_a_run_beside_those_known(tmp_path: Path) -> None:
    run, requests = tmp_path / "run.jsonl", tmp_path / "requests.tsv"
    run.write_text(json.dumps(GOOD_LINE) + "\n")
    requests.write_text("request\tday\nCrisisFACTS-001-r4\t2017-12-07\n")
    outcome = program.tseval("validate", run, requests)
    assert outcome.code == 1
    assert "is no known request" in outcome.out + outcome.err


def test_texts_of_another_length_are_told(tmp_path: Path) -> None:
    run = tmp_path / "run.jsonl"
    texts = ["", "ä" * 200, "ä" * 201]
    run.write_text("".join(json.dumps(GOOD_LINE | {"factText": text}) + "\n" for text in texts))
    outcome = program.tseval("validate", run)
    assert outcome.code == 0
    told = outcome.out + outcome.err
    assert f"{run}:1: factText is empty" in told
    assert f"{run}:3: factText has 201 characters" in told
    assert f"{run}:2:" not in told
