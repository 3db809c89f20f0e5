"""Change detection against its slow twin, a case by hand, and what must not change a number."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings

import tseval
from tests import program
from tests import strategies as st
from tests.families.changes.worlds import DAYS, World, worlds, written
from tests.oracles import changes as slow
from tests.program import faulty
from tseval import InputError, Scores
from tseval.core.registry import measure
from tseval.families.changes import checks
from tseval.families.changes.explanation import named
from tseval.families.changes.files import read_days
from tseval.families.changes.rules import ChangeRules
from tseval.files import faults

RULES = {rule.name: tuple(rule.values) for rule in ChangeRules().each()}
NAMES = ("units", *slow.MEASURES)
KEYS = [(level, units, name) for level in slow.LEVELS for units in slow.SETS for name in NAMES]
FEW = 2
"""How many documents count in these tests, where runs are small."""


@st.composite
def readings(draw: st.DrawFn) -> slow.Reading:
    """Any value of every rule."""
    values = {name.replace("-", "_"): draw(st.sampled_from(known)) for name, known in RULES.items()}
    return slow.Reading(p=draw(st.sampled_from([0.5, 0.8, 0.25])), **values)


def rules_of(reading: slow.Reading) -> dict[str, str]:
    return {name: getattr(reading, name.replace("-", "_")) for name in RULES}


def scored(
    files: dict[str, Any], reading: slow.Reading, at: str | None = None, **more: Any
) -> Scores:
    given = dict(files)
    if reading.question_gain == "max":
        given["questions"] = None
    wanted = [
        named(f"tRBP(p={reading.p})" if name == "tRBP" else name, level, units)
        for level, units, name in KEYS
    ]
    moments = [name if at is None else f"{name}@{at}" for name in wanted]
    return tseval.score_changes(
        measures=moments, rules=rules_of(reading), lenient=True, **given, **more
    )


def board(scores: Scores) -> dict[tuple[str, str, str], float | None]:
    values = [scores.value(name) for name in scores.measures]
    return dict(zip(KEYS, values, strict=True))


def alike(found: dict[Any, float | None], expected: dict[Any, float | None]) -> bool:
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        own = found[key]
        if value is None or own is None:
            assert own == value, key
        else:
            assert math.isclose(own, value, rel_tol=1e-12, abs_tol=1e-12), (key, own, value)
    return True


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(checks, "MOST", FEW)
    monkeypatch.setattr(slow, "MOST", FEW)
    return tmp_path


ONE_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@ONE_FOLDER
@given(worlds(), readings(), st.sampled_from([None, *DAYS]))
def test_all_rules_at_any_time(
    folder: Path, world: World, reading: slow.Reading, before: str | None
) -> None:
    run = slow.parse_run(world.lines, world.known, reading.order)
    units = slow.units_of(run, world.known, reading)
    expected = slow.table(units, reading, before)
    assert alike(board(scored(written(world, folder), reading, before)), expected)


@ONE_FOLDER
@given(worlds())
def test_every_fault_is_found(folder: Path, monkeypatch: pytest.MonkeyPatch, world: World) -> None:
    monkeypatch.setattr(faults, "SAME_FROM", 1000)  # every fault by itself
    files = written(world, folder)
    files["questions"] = None
    expected = slow.parse_run(world.lines, world.known).faults
    try:
        tseval.score_changes(**files)
        found = []
    except InputError as error:
        found = [(fault.line, fault.reason.partition(":")[0]) for fault in error.faults]
    wanted = [
        (int(where.split()[0]) if where else None, what.split()[0]) for where, what in expected
    ]

    def in_order(listed: list[tuple[int | None, str]]) -> list[tuple[int, str]]:
        return sorted((line or 0, name) for line, name in listed)

    assert in_order(found) == in_order(wanted)


@given(
    st.lists(st.lists(st.sampled_from([0.0, 1.0, 5.0, 10.0]), min_size=1, max_size=4), max_size=2),
    st.lists(st.sampled_from([1.0, 5.0]), max_size=2),
    readings(),
)
def test_closed_form_is_the_mean_over_all_orders(
    groups: list[list[float]], left: list[float], reading: slow.Reading
) -> None:
    """The slow twin's own formula, which the program is held to."""
    relevant = [gain for group in groups for gain in group if gain > 0] + left
    found = slow.unit(groups, relevant, reading)
    worth = [[slow.scaled(gain, reading) for gain in group] for group in groups]
    every = slow.over_all_orders(worth, [slow.scaled(gain, reading) for gain in relevant], reading)
    for name, value in every.items():
        assert math.isclose(found[name], value, rel_tol=1e-11)


# By hand: three days, two questions; the run is right, is noisy, misses.

BY_HAND = {
    "topics": pd.DataFrame({"topic": "t", "qid": ["a", "b"]}),
    "documents": pd.DataFrame(
        {"doc_id": ["m1", "m2", "m3", "n1", "w1"], "day": [DAYS[0]] * 3 + [DAYS[1], DAYS[2]]}
    ),
    "qrels": pd.DataFrame(
        {"topic": "t", "qid": ["a", "a", "b"], "doc_id": ["m1", "m2", "w1"], "gain": [10, 5, 1]}
    ),
    "days": pd.DataFrame({"day": DAYS}),
    "runs": pd.DataFrame(
        {
            "topic": "t",
            "day": [DAYS[0], DAYS[0], DAYS[1]],
            "qid": "a",
            "question_rank": 0,
            "doc_id": ["m3", "m2", "n1"],
            "score": [2, 1, 1],
        }
    ),
}


def test_by_hand() -> None:
    """Worked out on paper.

    Question a on day 1: R = 15. Returned: m3 and m2, gains 0 and 5; the end is 5/15 = 1/3.
      tRR   = 1/2
      tRBP  = .5 * (0 + 5/2) + 1/3 * 1/4 = 1.25 + 1/12 = 4/3
      tNDCG = (5/log2(3) + 1/3/2) / (10 + 5/log2(3) + 1/2): two relevant ones, then the end
      tAP   = (5 * 5/2 + 1/3 * (5 + 1/3)/3) / 16 = (12.5 + 16/27) / 16
      ideal: 10 * 10 + 5 * 15/2 + 1 * 16/3 is what it divides by with `ideal`
    On day 2 nothing is relevant and one document is returned: 1/2, .5, 1/log2(3), 1/2.
    On day 3 nothing is relevant, nothing returned: 1.
    Question b is silent: 1 on days 1 and 2; on day 3 w1 is missed: 0.
    """
    trr, trbp = [1 / 2, 1 / 2, 1], [4 / 3, 1 / 2, 1]
    tap = [(12.5 + 16 / 27) / 16, 1 / 2, 1]
    ndcg = (5 / math.log2(3) + 1 / 6) / (10 + 5 / math.log2(3) + 1 / 2)
    ideal = (12.5 + 16 / 27) / (100 + 37.5 + 16 / 3)
    expected = {
        "tRR": (sum(trr) / 3 + 2 / 3) / 2,
        "tRBP": (sum(trbp) / 3 + 2 / 3) / 2,
        "tAP": (sum(tap) / 3 + 2 / 3) / 2,
        "silent": (1 / 3 + 1) / 2,
        "tRR(units=nil)": (3 / 4 + 1) / 2,
        "tRR(units=has-answer)": (1 / 2 + 0) / 2,
        "tNDCG(units=has-answer)": (ndcg + 0) / 2,
        "tAP(ideal,units=has-answer)": (ideal + 0) / 2,
    }
    wanted = [measure(name, "changes")(level="documents") for name in expected]
    scores = tseval.score_changes(measures=wanted, **BY_HAND)
    assert [scores.value(name) for name in wanted] == pytest.approx([*expected.values()], abs=1e-15)


def test_a_proposed_question_counts_from_its_first_day() -> None:
    """It is worth 5 on all days, and returned on the second: 1 there, 0 on the third.

    On the first day nothing is there to return yet, and silence is worth 1.
    """
    docs = ["d0", "d1", "d2"]
    given = {
        "topics": pd.DataFrame({"topic": ["t"], "qid": ["a"]}),
        "documents": pd.DataFrame({"doc_id": docs, "day": DAYS}),
        "qrels": pd.DataFrame({"topic": "t", "qid": "mine_1", "doc_id": docs, "gain": 5}),
        "days": pd.DataFrame({"day": DAYS}),
        "runs": pd.DataFrame(
            {
                "run": ["mine"],
                "topic": "t",
                "day": DAYS[1],
                "qid": "mine_1",
                "question_rank": 0,
                "doc_id": "d1",
                "score": 1,
            }
        ),
    }
    wanted = "tRR units(units=has-answer)"
    kept = tseval.score_changes(measures=wanted, rules={"proposed": "keep"}, **given)
    assert [kept.value(name) for name in kept.measures] == [2 / 3, 2]
    left = tseval.score_changes(measures=wanted, **given)
    assert [left.value(name) for name in left.measures] == [1, 0]


@pytest.mark.parametrize(("relevant", "expected"), [(100, 1), (1, 0.01), (0, 0)])
def test_the_best_hundred_documents_count(relevant: int, expected: float) -> None:
    """The last in the file has the highest score; the first is one too many."""
    docs = [f"d{at}" for at in range(101)]
    run = {"topic": "t", "day": DAYS[0], "qid": "a", "question_rank": 0, "doc_id": docs}
    given = {
        "topics": pd.DataFrame({"topic": ["t"], "qid": ["a"]}),
        "documents": pd.DataFrame({"doc_id": docs, "day": DAYS[0]}),
        "qrels": pd.DataFrame({"topic": ["t"], "qid": "a", "doc_id": docs[relevant], "gain": 1}),
        "days": pd.DataFrame({"day": [DAYS[0]]}),
        "runs": pd.DataFrame(run | {"score": range(101)}),
    }
    with faulty("too-large", 1):
        tseval.score_changes(**given)
    scores = tseval.score_changes(measures="tRR(level=documents)", lenient=True, **given)
    (value,) = (scores.value(name) for name in scores.measures)
    assert value == pytest.approx(expected, abs=1e-15)
    given["runs"] = given["runs"].tail(100)
    again = tseval.score_changes(measures="tRR(level=documents)", **given)
    assert [each.value for each in again.records()] == [each.value for each in scores.records()]


# What changes no number.


def example(folder: Path) -> dict[str, Any]:
    """The files of a world with something of everything."""
    known = slow.Collection(
        {"t1": ["q_0", "q_1"], "t2": ["q_0"]},
        list(DAYS),
        {f"d{at}": DAYS[at % 3] for at in range(9)},
        {("t1", "q_0", DAYS[0]): {"d0": 10.0, "d3": 1.0}, ("t2", "q_0", DAYS[1]): {"d1": 5.0}},
        {("t1", "q_0", DAYS[0]): 5.0},
    )

    def asked(qid: str, rank: int, *docs: str) -> dict[str, Any]:
        listed = [{"doc_id": doc, "score": 1} for doc in docs]
        return {"qid": qid, "question-rank": rank, "doc-ranking": listed}

    one = {DAYS[0]: [asked("q_0", 0, "d3", "d6", "d0"), asked("mine_1", 1, "d0")], DAYS[1]: []}
    two = {DAYS[1]: {"results": [asked("q_0", 0, "d4", "d1")]}}
    lines = [{"runtag": "mine"}, {"topic": "t1", "results": one}, {"topic": "t2", "results": two}]
    return written(
        World(known, [("t1", "q_1", "d2")], [json.dumps(each) for each in lines]), folder
    )


def shuffled(path: Path, head: int) -> None:
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:head], *reversed(lines[head:])]))


@pytest.mark.parametrize("ties", RULES["ties"])
def test_order_of_lines_changes_nothing(tmp_path: Path, ties: str) -> None:
    files, reading = example(tmp_path), slow.Reading(ties=ties, question_gain="judged")
    before = [*scored(files, reading).records(), *scored(files, reading, "1d").records()]
    for name, head in {"runs": 1, "qrels": 1, "topics": 0, "documents": 1, "days": 0}.items():
        shuffled(files[name], head)
    after = [*scored(files, reading).records(), *scored(files, reading, "1d").records()]
    assert after == before


def test_processes_change_nothing(tmp_path: Path) -> None:
    files = example(tmp_path)
    other = tmp_path / "other.jsonl"
    other.write_text(files["runs"].read_text().replace('"mine', '"other'))
    files["runs"] = [files["runs"], other]
    assert list(scored(files, slow.BASE, jobs=2).records()) == list(
        scored(files, slow.BASE).records()
    )


def test_a_run_as_a_table_has_the_same_scores(tmp_path: Path) -> None:
    """The plain table that `tseval import` writes; so with topics and judgments."""
    from tseval.core.registry import imports

    files = example(tmp_path)
    before = scored(files, slow.BASE)
    for name, form in {"runs": "run", "topics": "topics", "qrels": "qrels"}.items():
        made = imports()[f"changes-{form}"].made([str(files[name])], None)
        files[name] = tmp_path / f"{name}.plain.tsv"
        files[name].write_bytes(made.tsv())
    assert list(scored(files, slow.BASE).records()) == list(before.records())


def test_what_is_judged_and_not_asked_is_told(tmp_path: Path) -> None:
    files = example(tmp_path)
    with files["qrels"].open("a") as lines:
        lines.write("t1\tq_9\td0\t1\nt7\tq_0\td0\t1\n")
    with files["questions"].open("a") as lines:
        lines.write("t2\tq_8\t2026-01-30\t1\n")
    scores = scored(files, slow.Reading(question_gain="judged", proposed="keep"))
    told = "not in the topics, ignored but for those that runs propose: "
    assert f"qrels: 2 questions {told}t1 q_9, t7 q_0" in scores.warnings
    assert f"questions: 1 question {told}t2 q_8" in scores.warnings


def test_a_run_from_standard_input_is_quoted() -> None:
    lines = (FIXTURES / "terse.jsonl").read_text().replace('"d2-1"', '"d3-1"')
    outcome = program.tseval("changes", "-", *FILES[2:], stdin=lines.encode())
    assert outcome.code == 1
    assert outcome.codes == [("time-range", 2)]
    assert '  | {"topic": "ferry", ' in outcome.err


def test_without_days_silent_ones_are_missing(tmp_path: Path) -> None:
    files = example(tmp_path)
    files["days"] = None
    scores = scored(files, slow.BASE)
    assert scores.value("units(level=documents)") == 3 * 2
    assert any("no --days: 2 days" in each for each in scores.warnings)


def test_without_documents_they_are_of_the_first_day_on_which_a_run_returns_them() -> None:
    """On paper: m1 and w1 are returned by nobody, so only m2 is there to return, on day 1.

    The other run returns n1 a day before, and so it is of that day: on day 2 it is of another.
    """
    run = BY_HAND["runs"]
    other = run.tail(1).assign(run="other", day=DAYS[0])
    given = {name: table for name, table in BY_HAND.items() if name not in ("documents", "runs")}
    wanted = "tRR(level=documents,units=has-answer) units(level=documents,units=has-answer)"
    scores = tseval.score_changes(runs=run, measures=wanted, **given)
    assert [scores.value(name) for name in scores.measures] == [1 / 2, 1]
    assert "|documents:runs|" in scores.signature
    told = scores.warnings[0]
    assert "no --documents" in told
    assert "2 judgments of documents that no run returns ignored" in told
    both = [run.assign(run="mine"), other]
    with faulty("time-range", 3):
        tseval.score_changes(runs=both, **given)
    noisy = tseval.score_changes(runs=both, measures="tRR(level=documents)", lenient=True, **given)
    assert noisy.value("tRR(level=documents)", run="mine") == ((1 / 2 + 1 + 1) / 3 + 1) / 2


def test_judged_questions_without_their_rule_are_told_and_change_nothing(tmp_path: Path) -> None:
    files = example(tmp_path)
    with_them = tseval.score_changes(**files, lenient=True)
    without = tseval.score_changes(**(files | {"questions": None}), lenient=True)
    assert with_them.signature == without.signature
    assert list(with_them.records()) == list(without.records())
    told = "--questions is not read: it counts with --rule question-gain=judged alone"
    assert told in with_them.warnings
    assert told not in without.warnings


def test_missing_topics(tmp_path: Path) -> None:
    files = example(tmp_path)
    lines = files["runs"].read_text().splitlines(keepends=True)
    files["runs"].write_text("".join(lines[:-1]))
    with faulty("unknown-id", None):
        tseval.score_changes(**(files | {"questions": None}))
    silent = scored(files, slow.BASE)
    zero = scored(files, slow.Reading(missing_topic="zero"))
    left_out = scored(files, slow.BASE, on_missing="skip")
    name = "tRR(level=documents)"
    own = silent.value(name, "t1")
    assert zero.value(name, "t2") == 0
    assert silent.value(name, "t2") == 2 / 3
    assert left_out.value(name) == own


Change = Callable[[dict[str, Any]], None]


@pytest.mark.parametrize(
    ("rules", "more", "told"),
    [
        ({"question-gain": "judged"}, {"questions": None}, "needs judged questions: --questions"),
        ({"ties": "luck"}, {"questions": None}, "rule ties cannot be 'luck'"),
    ],
)
def test_wrong_usage(tmp_path: Path, rules: dict[str, str], more: Any, told: str) -> None:
    with pytest.raises(tseval.UsageError, match=told):
        tseval.score_changes(rules=rules, **(example(tmp_path) | more))


@pytest.mark.parametrize(
    "name",
    ["tRR(units=some)", "tRR(level=days)", "tRR(nil)", "tRBP(p=1)", "tRBP(p=x)", "tRR(ideal)"],
)
def test_wrong_measures(tmp_path: Path, name: str) -> None:
    with pytest.raises(tseval.MeasureError):
        tseval.score_changes(measures=name, **(example(tmp_path) | {"questions": None}))


# Bad files.

BAD_LINES = [
    ("[1]", "a JSON list where an object is expected"),
    ("{", "not JSON"),
    ('{"topic": "t1"}', '"results" is missing'),
    ('{"topic": "t1", "results": []}', '"results" is a list'),
    ('{"results": {}}', 'no "topic"'),
    ('{"topic": "t1", "results": {"2026-01-30": 3}}', '"2026-01-30" is a number'),
    ('{"topic": "t1", "results": {"2026-01-30": {}}}', '"2026-01-30" is missing'),
    ('{"topic": "t1", "results": {" ": []}}', "a day is blank"),
    ('{"topic": "t1", "results": {"2026-01-30": [7]}}', "a question is a number"),
    ('{"topic": "t1", "results": {"2026-01-30": [{}]}}', 'a question has no "qid"'),
    (
        '{"topic": "t1", "results": {"2026-01-30": [{"qid": "q_0"}]}}',
        'q_0: "doc-ranking" is missing',
    ),
    (
        '{"topic": "t1", "results": {"2026-01-30": [{"qid": "q_0", "doc-ranking": [1]}]}}',
        "q_0: a document is a number",
    ),
    (
        '{"topic": "t1", "results": {"2026-01-30": [{"qid": "q_0", "doc-ranking": [{}]}]}}',
        'q_0: a document has no "doc_id"',
    ),
    ('{"topic": "t1", "results": {"2026-01-30": [], "2026-01-30": []}}', "stands twice"),
]


@pytest.mark.parametrize(("line", "reason"), BAD_LINES)
@pytest.mark.parametrize("lenient", [False, True])
def test_what_cannot_be_understood_is_always_refused(
    tmp_path: Path, line: str, reason: str, lenient: bool
) -> None:
    files = example(tmp_path) | {"questions": None}
    files["runs"].write_text('{"runtag": "mine"}\n' + line + "\n")
    with pytest.raises(InputError) as caught:
        tseval.score_changes(lenient=lenient, **files)
    (fault,) = caught.value.faults
    assert (fault.line, fault.text) == (2, line)
    assert reason in fault.reason
    assert fault.cure


BESIDE = [
    ("topics", '{"tid": "t1"}\n', 'no list of questions with a "qid"'),
    ("topics", '{"tid": 1, "questions": []}\n', 'no "tid"'),
    ("topics", '{"tid": "all", "questions": [{"qid": "q"}]}\n', 'a topic is called "all"'),
    ("topics", '{"tid": "t", "questions": [{"qid": "q"}, {"qid": "q"}]}\n', "stands twice"),
    ("topics", '{"tid": "t1", "questions": []}\n', "holds no question"),
    ("days", "2026-01-30\nsoon\n", '"soon" is not a date'),
    ("days", "2026-01-30\n2026-01-30\n", "stands twice"),
    ("days", "\n", "holds no day"),
    ("documents", "doc_id\tday\nd0\t2026-02-30\n", '"2026-02-30" is not a date'),
    ("documents", "doc_id\tday\nd0\t2026-01-30\nd0\t2026-01-31\n", "stands twice"),
    ("qrels", "topic\tqid\tdoc_id\tgain\nt1\tq_0\tlost\t1\n", 'document "lost" has no day'),
    ("qrels", "topic\tqid\tdoc_id\tgain\nt1\tq_0\td0\t-1\n", 'gain "-1" is negative'),
    ("qrels", "topic\tqid\tdoc_id\tgain\nt1\tq_0\td0\tx\n", "is not a number"),
    ("qrels", "t1 q_0 d0 1\nt1 q_0 d1 -1\n", 'gain "-1" is negative'),
    ("qrels", "topic\tdoc_id\tgain\n", "each line is: topic qid doc_id gain"),
]


@pytest.mark.parametrize(("name", "text", "reason"), BESIDE)
def test_faults_of_what_stands_beside(tmp_path: Path, name: str, text: str, reason: str) -> None:
    files = example(tmp_path) | {"questions": None}
    files[name].write_text(text)
    with pytest.raises(InputError) as caught:
        tseval.score_changes(**files)
    assert reason in str(caught.value)


@ONE_FOLDER
@given(data=st.data())
def test_no_file_ends_in_a_traceback(tmp_path: Path, data: st.DataObject) -> None:
    """Any bytes in the place of some of a file are a fault, or are read."""
    files = example(tmp_path) | {"questions": None}
    name = data.draw(st.sampled_from(["runs", "qrels", "topics", "documents", "days"]))
    content = files[name].read_bytes()
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, len(content)))
    noise = st.one_of(
        st.binary(max_size=6),
        st.sampled_from([b'""', b"null", b"1e999", b"{}", b"[]", b"\t", b"\n", b"NaN", b"-0"]),
    )
    files[name].write_bytes(content[:start] + data.draw(noise) + content[end:])
    try:
        tseval.score_changes(**files)
    except (InputError, tseval.UsageError) as error:
        assume(str(error))


def test_a_topic_with_a_runtag_is_no_metadata(tmp_path: Path) -> None:
    files = example(tmp_path) | {"questions": None}
    _, first, *rest = files["runs"].read_text().splitlines(keepends=True)
    files["runs"].write_text("".join([first.replace("{", '{"runtag": "mine", ', 1), *rest]))
    with pytest.raises(InputError, match="no-metadata: the first line has no runtag") as caught:
        tseval.score_changes(**files)
    names = [fault.reason.partition(":")[0] for fault in caught.value.faults]
    assert names == ["no-metadata", "bad-question"]


@pytest.mark.parametrize("tag", ["ab", "a" * 20, "A-b_c.9", "_a", "9z"])
def test_good_runtags(tmp_path: Path, tag: str) -> None:
    files = example(tmp_path) | {"questions": None}
    files["runs"].write_text(files["runs"].read_text().replace('"mine', f'"{tag}'))
    assert tseval.score_changes(**files).runs == (tag,)


@pytest.mark.parametrize("tag", ["a", "a" * 21, ".ab", "a b", "\u00e9a", "", None, 3])
def test_bad_runtags(tmp_path: Path, tag: object) -> None:
    files = example(tmp_path) | {"questions": None}
    lines = files["runs"].read_text().splitlines(keepends=True)
    files["runs"].write_text("".join([json.dumps({"runtag": tag}) + "\n", *lines[1:]]))
    with faulty("id-format", 1):
        tseval.score_changes(**files)


@pytest.mark.parametrize("score", ["NaN", "Infinity", "1e999", "1" + "0" * 400, '"1"', "true"])
def test_bad_scores(tmp_path: Path, score: str) -> None:
    files = example(tmp_path) | {"questions": None}
    files["runs"].write_text(files["runs"].read_text().replace('"score": 1', f'"score": {score}'))
    with faulty("number-format", 2):
        tseval.score_changes(**files)


def test_two_files_of_one_runtag_are_refused(tmp_path: Path) -> None:
    files = example(tmp_path) | {"questions": None}
    other = tmp_path / "again.jsonl"
    other.write_text(files["runs"].read_text())
    files["runs"] = [files["runs"], other]
    with faulty("duplicate-id", None):
        tseval.score_changes(**files)


# The command, and what the kernel makes of the family.

FIXTURES = program.FIXTURES / "changes"
BESIDE_RUNS = (
    *("--topics", FIXTURES / "topics.jsonl", "--documents", FIXTURES / "documents.tsv"),
    *("--days", FIXTURES / "days.txt"),
)
FILES = (FIXTURES / "terse.jsonl", FIXTURES / "chatty.jsonl", FIXTURES / "qrels.tsv", *BESIDE_RUNS)


def rows_of(out: str) -> list[list[str]]:
    return [line.split("\t") for line in out.splitlines()]


def test_explanations_agree_with_the_scores() -> None:
    """The mean of single days is that of the question, and of questions that of the set."""
    outcome = program.tseval("changes", *FILES, "--explain", "questions", "-f", "tsv")
    head, *rows = rows_of(outcome.out)
    questions = pd.DataFrame(rows, columns=head).astype({"tAP": float, "days": int})
    documents = questions[questions["qid"] != "(questions)"]
    whole = documents.groupby(["run", "topic"])["tAP"].mean().groupby("run").mean()
    outcome = program.tseval("changes", *FILES, "--explain", "sets", "-f", "tsv")
    head, *rows = rows_of(outcome.out)
    sets = pd.DataFrame(rows, columns=head).set_index(["run", "level", "set"])["tAP"].astype(float)
    for run in ("terse", "chatty"):
        assert sets[run, "documents", "overall"] == pytest.approx(whole[run], abs=1e-15)
    outcome = program.tseval("changes", *FILES, "--explain", "days", "-f", "tsv")
    head, *rows = rows_of(outcome.out)
    days = pd.DataFrame(rows, columns=head).astype({"tAP": float})
    quiet = 3 - days.groupby(["run", "topic", "qid"]).size()
    shown = (days.groupby(["run", "topic", "qid"])["tAP"].sum() + quiet) / 3
    for row in questions.itertuples():
        key = (row.run, row.topic, row.qid)
        assert row.tAP == pytest.approx(shown.get(key, 1.0), abs=1e-15)
    (tied,) = [row for row in rows if row[:4] == ["chatty", "ferry", "f2", DAYS_OF_FIXTURES[1]]]
    assert tied[head.index("gains")] == "0 5"
    more = ("--explain", "days", "-f", "tsv", "--rule", "ties=expected")
    rows = rows_of(program.tseval("changes", *FILES, *more).out)
    (tied,) = [row for row in rows if row[:4] == ["chatty", "ferry", "f2", DAYS_OF_FIXTURES[1]]]
    assert tied[head.index("gains")] == "[0 5]"


DAYS_OF_FIXTURES = ("2026-03-02", "2026-03-03", "2026-03-04")


@pytest.mark.parametrize("rules", [(), ("--rule", "average=units")])
def test_a_curve_is_the_measure_at_its_times(rules: tuple[str, ...]) -> None:
    wanted = ("-m", "tNDCG(level=documents) tAP silent(level=documents,units=nil)", *rules)
    out = program.tseval("curve", *FILES, *wanted, "-q").out
    _, *rows = csv.reader(io.StringIO(out))
    given = {"topics": FILES[4], "documents": FILES[6], "days": FILES[8]}
    for run, topic, name, _, hours, value in rows:
        at = f"{name}@{float(hours) + 1:g}h"
        scores = tseval.score_changes(
            list(FILES[:2]), FILES[2], at, rules={"average": "units"} if rules else {}, **given
        )
        found = scores.value(at, topic, run)
        assert (f"{found}" if found is not None else "") == value or float(value) == pytest.approx(
            found, abs=1e-15
        )


def test_batches_are_the_measures_of_their_days() -> None:
    wanted = ("-m", "tNDCG(level=documents) tAP silent(level=documents,units=nil)")
    out = program.tseval("curve", *FILES, *wanted, "--batch", "1d", "-q").out
    rows = pd.read_csv(io.StringIO(out)).set_index(["run", "topic", "measure", "hours"])["value"]
    for at, day in enumerate(DAYS_OF_FIXTURES):
        scores = tseval.score_changes(
            list(FILES[:2]),
            FILES[2],
            wanted[1],
            topics=FILES[4],
            documents=FILES[6],
            days=pd.DataFrame({"day": [day]}),
            lenient=True,
        )
        for run, topic, name, value in scores.records():
            own = rows[run, topic, name, 24.0 * at]
            assert (pd.isna(own) and value is None) or own == pytest.approx(value, abs=1e-15)


def test_units_have_no_curve() -> None:
    outcome = program.tseval("curve", *FILES, "-m", "units")
    assert outcome.code == 2
    assert "units is taken from the whole at once" in outcome.err


def test_two_runs_are_compared_over_topics(tmp_path: Path) -> None:
    scores = tmp_path / "scores.json"
    wanted = "tNDCG silent(units=nil) silent(units=has-answer)"
    assert program.tseval("changes", *FILES, "-q", "-m", wanted, "-o", scores).code == 0
    outcome = program.tseval("compare", scores)
    assert "silent(units=nil) (higher is better)" in outcome.out
    assert "silent(units=has-answer) (lower is better)" in outcome.out
    page = tmp_path / "page.html"
    assert program.tseval("report", scores, "-o", page).code == 0
    text = page.read_text(encoding="utf-8")
    assert "Has-answer and nil units" in text
    assert "Measures of every run, level and set" in text


def test_a_report_reads_a_faulty_run_again_as_its_scores_tell(tmp_path: Path) -> None:
    run, scores, page = (tmp_path / name for name in ("run.jsonl", "scores.json", "page.html"))
    run.write_text((FIXTURES / "terse.jsonl").read_text().replace('"d2-1"', '"d3-1"'))
    assert program.tseval("changes", run, *FILES[2:], "--lenient", "-q", "-o", scores).code == 0
    outcome = program.tseval("report", scores, "-o", page)
    assert outcome.code == 0
    assert "Measures of every run, level and set" in page.read_text(encoding="utf-8")


def test_validate_tells_faults_by_the_run_and_beside_the_collection(tmp_path: Path) -> None:
    lines = (FIXTURES / "chatty.jsonl").read_text().replace('"d2-4"', '"d3-6"')
    run = tmp_path / "run.jsonl"
    run.write_text(lines.replace('"question-rank": 1', '"question-rank": -1'))
    alone = program.tseval("validate", run)
    assert alone.code == 1
    assert alone.out.count("bad-rank") == 2
    assert "wrong-day" not in alone.out
    run.write_text(lines)
    assert program.tseval("validate", run).code == 0
    others = [FIXTURES / name for name in ("topics.jsonl", "documents.tsv", "days.txt")]
    both = program.tseval("validate", run, *others)
    assert both.code == 1
    assert 'wrong-day: 2026-03-02, f2: "d3-6" is of another day' in both.out


@pytest.mark.parametrize("rules", [{}, {"proposed": "keep"}, {"missing-date": "tied"}])
def test_runs_do_not_touch_one_another(rules: dict[str, str]) -> None:
    given = {"topics": FILES[4], "documents": FILES[6], "days": FILES[8], "rules": rules}
    both = tseval.score_changes(list(FILES[:2]), FILES[2], **given)
    for at, run in enumerate(both.runs):
        alone = tseval.score_changes(FILES[at], FILES[2], **given)
        assert list(alone.records()) == [each for each in both.records() if each.run == run]


def test_judgments_without_a_header(tmp_path: Path) -> None:
    plain = (FIXTURES / "qrels.tsv").read_text()
    bare = tmp_path / "qrels"
    bare.write_text(plain.partition("\n")[2].replace("\t", "  "))
    imported = program.tseval("import", "changes-qrels", bare)
    assert imported.out == plain
    given = {"topics": FILES[4], "documents": FILES[6], "days": FILES[8]}
    one = tseval.score_changes(FILES[0], FILES[2], "tAP", **given)
    assert tseval.score_changes(FILES[0], bare, "tAP", **given).value("tAP") == one.value("tAP")


def test_what_is_let_pass_is_told(tmp_path: Path) -> None:
    run = tmp_path / "run.jsonl"
    run.write_text((FIXTURES / "terse.jsonl").read_text().replace('"d2-1"', '"d3-1"'))
    outcome = program.tseval("changes", run, *FILES[2:], "--lenient")
    assert outcome.code == 0
    assert "1 fault let pass by --lenient; " in outcome.err
    assert 'wrong-day: 2026-03-02, f1: "d3-1" is of another day' in outcome.err
    assert "|lenient:yes|" in outcome.out
    assert "lenient" not in program.tseval("changes", *FILES).out
    lacking = program.tseval("changes", *FILES, "--rule", "missing-date=tied")
    assert lacking.code == 0


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfday\r\n2026-01-30",
        b'"day"\n"2026-01-30"\n',
        b'\xef\xbb\xbf"day"\r\n"2026-01-30"\r\n',
        b"\xef\xbb\xbf2026-01-30\r\n",
    ],
)
def test_days_are_read_as_windows_and_spreadsheets_write_them(
    content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "days.csv"
    path.write_bytes(content)
    assert read_days(path).day.to_list() == ["2026-01-30"]
