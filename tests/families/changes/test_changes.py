"""Change detection against its slow twin, a case by hand, and what must not change a number."""

from __future__ import annotations

import csv
import io
import json
import math
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings

import tseval
from tests import program
from tests import strategies as st
from tests.families.agreement.changes import RULES as MOST_RULES
from tests.families.changes.worlds import DAYS, TAG, World, worlds, written
from tests.families.forms import refused, refused_text
from tests.oracles import changes as slow
from tests.oracles import close
from tests.program import faulty, warn_of
from tseval import InputError, Scores

RULES = MOST_RULES | {"average": ("nested", "units")}
NAMES = ("units", *slow.MEASURES)
KEYS = [(level, units, name) for level in slow.LEVELS for units in slow.SETS for name in NAMES]
CODES = {
    "bad-runtag": "id-format",
    "no-metadata": "record-format",
    "unknown-topic": "unknown-id",
    "repeated-topic": "duplicate-id",
    "bad-day": "date-format",
    "day-outside": "time-range",
    "bad-question": "unknown-id",
    "repeated-question": "duplicate-id",
    "bad-rank": "number-format",
    "more-than-100": "too-large",
    "repeated-document": "duplicate-id",
    "unknown-document": "unknown-id",
    "wrong-day": "time-range",
    "bad-score": "number-format",
    "missing-topic": "unknown-id",
}
"""The code of each fault of the track."""
ONE_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
FEWER = settings(ONE_FOLDER, max_examples=settings().max_examples // 4)


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
    return tseval.score_changes(
        measures=measures_of(reading, at), rules=rules_of(reading), lenient=True, **given, **more
    )


def measures_of(reading: slow.Reading, at: str | None = None) -> list[str]:
    """The measures of `KEYS`."""
    p, moment = f"p={reading.p},", "" if at is None else f"@{at}"
    return [
        f"{name}({p if name == 'tRBP' else ''}level={level},units={units}){moment}"
        for level, units, name in KEYS
    ]


@ONE_FOLDER
@given(worlds(), readings(), st.sampled_from([None, *DAYS]))
def test_all_rules_at_any_time(
    tmp_path: Path, world: World, reading: slow.Reading, before: str | None
) -> None:
    run = slow.parse_run(world.lines, world.known, reading.order)
    expected = slow.table(slow.units_of(run, world.known, reading), reading, before)
    scores = scored(written(world, tmp_path), reading, before)
    for key, name in zip(KEYS, measures_of(reading, before), strict=True):
        assert close(scores.value(name), expected[key]), key


@ONE_FOLDER
@given(worlds())
def test_every_fault_is_found(tmp_path: Path, world: World) -> None:
    files = written(world, tmp_path) | {"questions": None}
    expected = [
        (int(where.split()[0]) if where else None, what.split()[0])
        for where, what in slow.parse_run(world.lines, world.known).faults
    ]
    lines = {what: {line for line, other in expected if other == what} for _, what in expected}
    assume(all(len(own) < 3 for own in lines.values()))  # what all lines have is said once
    try:
        tseval.score_changes(**files)
        found = []
    except InputError as error:
        found = [(fault.line or 0, fault.code) for fault in error.faults]
    assert sorted(found) == sorted((line or 0, CODES[what]) for line, what in expected)


@FEWER
@given(worlds(), readings())
def test_days_are_explained(tmp_path: Path, world: World, reading: slow.Reading) -> None:
    """Each unit on which there is anything to return, or anything returned, as the twin has it."""
    files = written(world, tmp_path)
    run = slow.parse_run(world.lines, world.known, reading.order)
    expected = {
        (each.topic, each.question or "(questions)", each.day): each.values
        for each in slow.units_of(run, world.known, reading)
        if each.has_answer or not each.values["silent"]
    }
    if reading.question_gain == "max":
        del files["questions"]
    given = [part for name in (*files,)[2:] for part in (f"--{name}", files[name])]
    rules = [part for rule in rules_of(reading).items() for part in ("--rule", "=".join(rule))]
    asked = (files["runs"], files["qrels"], *given, *rules, "--lenient", "--explain", "days")
    found = table_of(*asked, "-f", "csv", "--quiet")
    assert len(found) == len(expected)
    for row in found:
        own = expected[row["topic"], row["qid"], row["day"]]
        for name in ("tRR", "tNDCG", "tAP"):
            assert close(float(row[name]), own[name]), (row, name)


def table_of(*arguments: object) -> list[dict[str, str]]:
    """What the command shows."""
    outcome = program.tseval("changes", *arguments)
    assert outcome.code == 0, outcome.err
    return list(csv.DictReader(io.StringIO(outcome.out)))


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
    wanted = [tseval.measure(name, family="changes")(level="documents") for name in expected]
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
    """Neither scores nor that the first run with faults is refused, with its own alone."""
    files = example(tmp_path) | {"questions": None}
    other = tmp_path / "other.jsonl"
    lines = files["runs"].read_text()
    other.write_text(lines.replace('"mine', '"other'))
    files["runs"] = [files["runs"], other]
    one, two = (tseval.score_changes(**files, jobs=jobs) for jobs in (1, 2))
    assert list(two.records()) == list(one.records())
    other.write_text(lines.replace('"mine', '"other').replace('"d4"', '"d5"'))
    files["runs"].append(tmp_path / "third.jsonl")
    files["runs"][2].write_text(lines.replace('"mine', '"third').replace(": 1", ': ""'))
    for jobs in (1, 2):
        with pytest.raises(InputError) as caught:
            tseval.score_changes(**files, jobs=jobs)
        found = [(fault.file, fault.code, fault.line) for fault in caught.value.faults]
        assert found == [(str(other), "time-range", 3)]


def test_a_run_as_a_table_has_the_same_scores(tmp_path: Path) -> None:
    """The plain table that `tseval import` writes; so with topics and judgments."""
    files = example(tmp_path)
    before = scored(files, slow.BASE)
    for name, form in {"runs": "run", "topics": "topics", "qrels": "qrels"}.items():
        table = tmp_path / f"{name}.plain.tsv"
        assert program.tseval("import", f"changes-{form}", files[name], "-o", table).code == 0
        files[name] = table
    assert list(scored(files, slow.BASE).records()) == list(before.records())


def test_what_is_judged_and_not_asked_is_told(tmp_path: Path) -> None:
    files = example(tmp_path)
    with files["qrels"].open("a") as lines:
        lines.write("t1\tq_9\td0\t1\nt7\tq_0\td0\t1\n")
    with files["questions"].open("a") as lines:
        lines.write("t2\tq_8\t2026-01-30\t1\n")
    scores = scored(files, slow.Reading(question_gain="judged", proposed="keep"))
    told = [each for each in scores.warnings if "not in the topics" in each]
    assert warn_of(told, "qrels 2 q_9 t7", "questions 1 t2 q_8")
    files["days"].write_text(DAYS[1] + "\n")
    told = [each for each in scored(files, slow.BASE).warnings if "not in --days" in each]
    assert warn_of(told, f"qrels 1 {DAYS[0]}")


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
    assert scores.value("units(level=documents,units=overall)") == 3 * 2
    assert any("no --days: 2 days" in each for each in scores.warnings)
    files["questions"].write_text(f"topic\tqid\tday\tgain\nt1\tq_0\t{DAYS[2]}\t1\n")
    judged = scored(files, slow.Reading(question_gain="judged"))
    assert judged.value("units(level=documents,units=overall)") == 3 * 3


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
    outside = run.tail(1).assign(run="outside", day="2026-03-01", doc_id="m1")
    later = tseval.score_changes(runs=[run, outside], measures=wanted, lenient=True, **given)
    assert "1 judgment of documents that no run returns ignored" in later.warnings[0]
    assert later.value("units(level=documents,units=has-answer)", run="outside") == 1
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
    (told,) = {*with_them.warnings} - {*without.warnings}
    assert "--questions is not read" in told


def test_missing_topics(tmp_path: Path) -> None:
    files = example(tmp_path)
    lines = files["runs"].read_text().splitlines(keepends=True)
    files["runs"].write_text("".join(lines[:-1]))
    with faulty("unknown-id", None):
        tseval.score_changes(**(files | {"questions": None}))
    silent = scored(files, slow.BASE)
    zero = scored(files, slow.Reading(missing_topic="zero"))
    left_out = scored(files, slow.BASE, on_missing="skip")
    name = "tRR(level=documents,units=overall)"
    own = silent.value(name, "t1")
    assert zero.value(name, "t2") == 0
    assert silent.value(name, "t2") == 2 / 3
    assert left_out.value(name) == own


def test_wrong_usage(tmp_path: Path) -> None:
    files = example(tmp_path) | {"questions": None}
    with pytest.raises(tseval.UsageError, match="--questions FILE"):
        tseval.score_changes(rules={"question-gain": "judged"}, **files)
    with pytest.raises(tseval.UsageError, match="ties"):
        tseval.score_changes(rules={"ties": "luck"}, **files)
    with pytest.raises(tseval.UsageError, match="RUN is missing"):
        tseval.score_changes(**(files | {"runs": []}))
    lines = ({"runtag": "mine"}, *({"topic": topic, "results": {}} for topic in ("t1", "t2")))
    files["runs"].write_text("".join(json.dumps(each) + "\n" for each in lines))
    files["qrels"].write_text("topic\tqid\tdoc_id\tgain\n")
    with pytest.raises(tseval.UsageError, match="--days FILE"):
        tseval.score_changes(**(files | {"days": None}))


@pytest.mark.parametrize(
    "name",
    ["tRR(units=some)", "tRR(level=days)", "tRR(nil)", "tRBP(p=1)", "tRBP(p=x)", "tRR(ideal)"],
)
def test_wrong_measures(tmp_path: Path, name: str) -> None:
    with pytest.raises(tseval.MeasureError):
        tseval.score_changes(measures=name, **(example(tmp_path) | {"questions": None}))


# Bad files.

RANKED = "topic\tday\tqid\tquestion_rank\tdoc_id\tscore\trun\n"
GOOD = {
    "runs": f"{RANKED}t\t2026-01-30\tq\t0\ta\t1\tme\nu\t2026-01-30\tq\t0\ta\t1\tme\n",
    "qrels": "topic\tqid\tdoc_id\tgain\nt\tq\ta\t1\n",
    "topics": "topic\tqid\nt\tq\nu\tq\n",
    "documents": "doc_id\tday\na\t2026-01-30\nb\t2026-01-30\nc\t2026-01-31\n",
    "days": "day\n2026-01-30\n2026-01-31\n",
    "questions": "topic\tqid\tday\tgain\nt\tq\t2026-01-30\t5\n",
}
COLLECTION = ("topics.tsv", "documents.tsv", "days.tsv")


@pytest.fixture
def files(here: Path) -> Path:
    for name, text in GOOD.items():
        Path(f"{name}.tsv").write_text(text)
    return here


def call(name: str, bad: Any, *, lenient: bool = False) -> Scores:
    """The scores of the good files, but for one."""
    given: dict[str, Any] = {each: f"{each}.tsv" for each in GOOD} | {name: bad}
    rules = {"question-gain": "judged"} if name == "questions" else {}
    return tseval.score_changes(
        rules=rules, lenient=lenient, **given if rules else given | {"questions": None}
    )


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("x\t2026-01-30\tq\t0\ta\t1\tme", "unknown-id"),
        ("t\tFriday\tq\t0\ta\t1\tme", "date-format"),
        ("t\t2026-02-30\tq\t0\ta\t1\tme", "date-format"),
        ("t\t2026-01-29\tq\t0\ta\t1\tme", "time-range"),
        ("t\t2026-01-31\tz\t0\tc\t1\tme", "unknown-id"),
        ("t\t2026-01-31\tyou_1\t0\tc\t1\tme", "unknown-id"),
        ("t\t2026-01-30\tq\t0\tb\t1\tme", "duplicate-id"),
        ("t\t2026-01-31\tq\t-1\tc\t1\tme", "number-format"),
        ("t\t2026-01-31\tq\t1.5\tc\t1\tme", "number-format"),
        ("t\t2026-01-31\tq\t\tc\t1\tme", "number-format"),
        ("u\t2026-01-30\tq\t0\ta\t1\tme", "duplicate-id"),
        ("t\t2026-01-31\tq\t0\tlost\t1\tme", "unknown-id"),
        ("t\t2026-01-31\tq\t0\ta\t1\tme", "time-range"),
        ("t\t2026-01-31\tq\t0\tc\t\tme", "number-format"),
    ],
)
def test_rows_that_break_rules(files: Path, row: str, code: str) -> None:
    """They are let pass by `--lenient`, and told; beside the collection `validate` tells them."""
    refused(partial(call, "runs"), f"{GOOD['runs']}{row}\n", files, code, 3)
    told = [each for each in call("runs", "bad.tsv", lenient=True).warnings if "--lenient" in each]
    assert warn_of(told, "1 bad.tsv:4")
    assert program.tseval("validate", "bad.tsv", *COLLECTION).places == [("bad.tsv", 4)]


def test_the_largest_gains_are_added_up() -> None:
    docs = [f"d{at}" for at in range(1000)]
    table = pd.DataFrame({"doc_id": docs, "day": "2026-01-30"})
    run = table.head(100).assign(topic="t", qid="q", question_rank=0, score=1.0)
    scores = tseval.score_changes(
        run,
        table.drop(columns="day").assign(topic="t", qid="q", gain=1e6),
        "tRBP(p=0.5,level=documents) tAP(level=documents)",
        topics=pd.DataFrame({"topic": ["t"], "qid": ["q"]}),
        documents=table,
        rules={"ties": "expected"},
    )
    assert scores.value(scores.measures[0]) == pytest.approx(1e6)
    assert scores.value(scores.measures[1]) == pytest.approx(1e12 * 100 / 1e9, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "row", "code"),
    [
        ("runs", "t\t2026-01-31\tq\t0\tc\tx\tme", "number-format"),
        ("runs", "t\t2026-01-31\tq\t0\tc\tnan\tme", "number-format"),
        ("runs", "t\t2026-01-31\tq\t0\tc\t1e400\tme", "number-range"),
        ("runs", "t\t2026-01-31\tq\tx\tc\t1\tme", "number-format"),
        ("runs", "\t2026-01-31\tq\t0\tc\t1\tme", "empty-value"),
        ("runs", "t\t2026-01-31\tq\t0\tc\t1\t", "empty-value"),
        ("qrels", "t\tq\tb\t-1", "number-range"),
        ("qrels", "t\tq\tb\t1000001", "number-range"),
        ("qrels", "t\tq\tb\t1e99", "number-range"),
        ("qrels", "t\tq\tb\tx", "number-format"),
        ("qrels", "t\tq\tb\t", "empty-value"),
        ("qrels", "t\tq\ta\t5", "duplicate-id"),
        ("qrels", "t\t\tb\t1", "empty-value"),
        ("topics", "t\tq", "duplicate-id"),
        ("topics", "all\tq", "reserved-name"),
        ("topics", "t\t", "empty-value"),
        ("documents", "a\t2026-01-31", "duplicate-id"),
        ("documents", "d\tsoon", "date-format"),
        ("documents", "d\t", "empty-value"),
        ("days", "2026-01-30", "duplicate-id"),
        ("days", "2026-02-30", "date-format"),
        ("days", " ", "empty-value"),
        ("questions", "t\tq\t2026-01-30\t1", "duplicate-id"),
        ("questions", "t\tq\tsoon\t1", "date-format"),
        ("questions", "t\tq\t2026-01-31\t-1", "number-range"),
        ("questions", "t\tq\t2026-01-31\t1e7", "number-range"),
        ("questions", "t\tq\t2026-01-31\tx", "number-format"),
    ],
)
def test_rows_that_are_always_refused(files: Path, name: str, row: str, code: str) -> None:
    text = f"{GOOD[name]}{row}\n"
    at = GOOD[name].count("\n")
    refused(partial(call, name, lenient=True), text, files, code, at)
    assert program.tseval("validate", "bad.tsv").places == [("bad.tsv", at + 1)]


LINES = '{"runtag": "mine"}\n{"topic": "u", "results": {"2026-01-30": []}}\n'
LISTED = '{"topic": "t", "results": {"2026-01-30": [%s]}}'
TID = '{"tid": "t", "questions": [{"qid": "q"}]}\n'


@pytest.mark.parametrize(
    ("name", "text", "line", "code"),
    [
        ("runs", f"{LINES}[1]", 3, "json-type"),
        ("runs", f"{LINES}{{", 3, "json-syntax"),
        ("runs", LINES + '{"topic": "t"}', 3, "record-format"),
        ("runs", LINES + '{"topic": "t", "results": []}', 3, "record-format"),
        ("runs", LINES + '{"results": {}}', 3, "record-format"),
        ("runs", LINES + '{"topic": " ", "results": {}}', 3, "record-format"),
        ("runs", LINES + '{"runtag": "other"}', 3, "record-format"),
        ("runs", LINES + '{"topic": "t", "results": {"2026-01-30": 3}}', 3, "record-format"),
        ("runs", LINES + '{"topic": "t", "results": {"2026-01-30": {}}}', 3, "record-format"),
        ("runs", LINES + '{"topic": "t", "results": {" ": []}}', 3, "record-format"),
        ("runs", LINES + '{"topic": "t", "results": {"a": [], "a": []}}', 3, "duplicate-key"),
        *(
            ("runs", LINES + LISTED % question, 3, "record-format")
            for question in (
                *("7", "{}", '{"qid": "q"}', '{"qid": "q", "doc-ranking": [1]}'),
                '{"qid": "q", "doc-ranking": [{}]}',
                '{"qid": "q", "doc-ranking": [{"doc_id": " ", "score": 1.0}]}',
            )
        ),
        ("runs", "", None, "empty-file"),
        ("topics", TID + '{"tid": "t1"}', 2, "record-format"),
        ("topics", TID + '{"tid": 1, "questions": []}', 2, "record-format"),
        ("topics", TID + '{"tid": "u", "questions": [3]}', 2, "record-format"),
        ("topics", TID + '{"tid": "u", "questions": [{"qid": " "}]}', 2, "record-format"),
        ("topics", TID + '{"tid": "all", "questions": [{"qid": "q"}]}', 2, "reserved-name"),
        ("topics", TID + TID, 2, "duplicate-id"),
        ("topics", TID + "[]", 2, "json-type"),
        ("topics", '{"tid": "t", "questions": []}', None, "no-rows"),
        ("days", "2026-01-30\n\nsoon\n", 3, "date-format"),
        ("days", "2026-01-30\n2026-01-30\n", 2, "duplicate-id"),
        ("days", "\n", None, "no-rows"),
        ("qrels", "t q a 1\nt q b x\n", 2, "number-format"),
        ("qrels", "t q a 1\nt q b -1\n", 2, "number-range"),
        ("qrels", "t q a 1\nt q b\n", 2, "field-count"),
        ("qrels", "t q a 1\nt q a 5\n", 2, "duplicate-id"),
    ],
)
@pytest.mark.usefixtures("files")
def test_files_that_are_always_refused(name: str, text: str, line: int | None, code: str) -> None:
    kind = {"runs": "run", "topics": "topics", "qrels": "qrels"}.get(name)
    table = ("--table", "gains") if name == "qrels" else ()
    for lenient in (False, True):
        scored = partial(call, name, lenient=lenient)
        refused_text(scored, text, code, line, f"changes-{kind}" if kind else "", *table)


def test_judged_documents_have_a_day(files: Path) -> None:
    (files / "bad.tsv").write_text(GOOD["qrels"] + "t\tq\tlost\t1\n")
    with faulty("unknown-id", 3):
        call("qrels", "bad.tsv")
    (files / "bad.tsv").write_text("topic\tdoc_id\tgain\n")
    with faulty("field-count", 1):
        call("qrels", "bad.tsv")
    (files / "qrels.tsv").write_text("topic\tqid\tdoc_id\tgain\n")
    (files / "bad.tsv").write_text("doc_id\tday\n")
    with pytest.raises(InputError) as caught:
        call("documents", "bad.tsv")
    found = [(fault.code, fault.line) for fault in caught.value.faults]
    assert found == [("unknown-id", 2), ("unknown-id", 3)]


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
    with pytest.raises(InputError) as caught:
        tseval.score_changes(**files)
    found = [(fault.code, fault.line) for fault in caught.value.faults]
    assert found == [("record-format", 1), ("unknown-id", 1)]


@pytest.mark.parametrize("tag", ["ab", "a" * 20, "A-b_c.9", "_a", "9z"])
def test_good_runtags(tmp_path: Path, tag: str) -> None:
    files = example(tmp_path) | {"questions": None}
    files["runs"].write_text(files["runs"].read_text().replace('"mine', f'"{tag}'))
    assert tseval.score_changes(**files).runs == (tag,)


BAD_TAGS = ("a", "a" * 21, ".ab", "a b", "\u00e9a", "", None, 3)
BAD_SCORES = ("NaN", "Infinity", "1e999", "1" + "0" * 400, '"1"', "true", "null")


@pytest.mark.parametrize(
    ("tag", "score", "code", "line"),
    [
        *((json.dumps(tag), "1", "id-format", 1) for tag in BAD_TAGS),
        *(('"mine"', score, "number-format", 2) for score in BAD_SCORES),
    ],
)
def test_bad_runtags_and_scores(files: Path, tag: str, score: str, code: str, line: int) -> None:
    """They break a rule, and can be understood."""
    question = '{"qid": "q", "question-rank": 0, "doc-ranking": [{"doc_id": "a", "score": -}]}'
    lines = (f'{{"runtag": {tag}}}', LISTED % question.replace("-}", f"{score}}}"))
    (files / "bad").write_text("\n".join((*lines, '{"topic": "u", "results": {}}')))
    with faulty(code, line):
        call("runs", "bad")
    assert call("runs", "bad", lenient=True).topics == ("t", "u")
    assert program.tseval("import", "changes-run", "bad").code == 0
    assert program.tseval("validate", "bad").places == [("bad", line)]


# The command, and what the kernel makes of the family.

FIXTURES = program.FIXTURES / "changes"
BESIDE_RUNS = (
    *("--topics", FIXTURES / "topics.jsonl", "--documents", FIXTURES / "documents.tsv"),
    *("--days", FIXTURES / "days.txt"),
)
FILES = (FIXTURES / "terse.jsonl", FIXTURES / "chatty.jsonl", FIXTURES / "qrels.tsv", *BESIDE_RUNS)


def test_gains_that_tie_stand_in_brackets() -> None:
    for rules, gains in (((), "0 5"), (("--rule", "ties=expected"), "[0 5]")):
        days = table_of(*FILES, "--explain", "days", "-f", "csv", "--quiet", *rules)
        own = [day["gains"] for day in days if (day["run"], day["qid"]) == ("chatty", "f2")]
        assert own == ["0", gains]


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
    """Judgments tell the family, where options tell none that is its own."""
    given = ("curve", FILES[0], *FILES[2:5], "-q", "-m")
    assert program.tseval(*given, "units").code == 2
    assert program.tseval(*given, "tAP").code == 0


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
    assert (alone.code, alone.places) == (1, [(str(run), 2)] * 2)
    run.write_text(lines)
    assert program.tseval("validate", run).code == 0
    topics, others = FIXTURES / "topics.jsonl", (FIXTURES / "documents.tsv", FIXTURES / "days.txt")
    assert program.tseval("validate", run, topics, *others).places == [(str(run), 2)]
    dated = program.tseval("validate", run, topics, others[0])
    assert (dated.code, dated.places) == (1, [(str(run), 2)])
    more = tmp_path / "topics.jsonl"
    more.write_text(topics.read_text() + TID)
    assert f"\n{run}: missing-topic: " in program.tseval("validate", run, more, *others).out


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
    assert warn_of(outcome.err.splitlines()[:1], f"1 --lenient {run}:2")
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
    files = example(tmp_path) | {"questions": None, "days": tmp_path / "days.csv"}
    files["days"].write_bytes(content)
    scores = tseval.score_changes(measures="units(level=documents)", lenient=True, **files)
    assert scores.value("units(level=documents)") == 3


def rows_of(world: World) -> list[dict[str, Any]]:
    """The rows of a run as its plain table has them."""
    rows = []
    for line in world.lines[1:]:
        record = json.loads(line)
        for day, block in record["results"].items():
            for each in block["results"] if isinstance(block, dict) else block:
                rank = each.get("question-rank", each.get("question_rank"))
                ranking = each.get("doc-ranking", each.get("doc_ranking"))
                question = {"run": TAG, "topic": record["topic"], "day": day, "qid": each["qid"]}
                question["question_rank"] = rank
                docs = [(doc.get("doc_id", doc.get("docid")), doc["score"]) for doc in ranking]
                rows += [question | {"doc_id": d, "score": s} for d, s in docs or [(None, None)]]
    return rows


@given(worlds(), st.integers(1, 5), st.integers(1, 7))
@FEWER
def test_blocks_and_streams_have_the_values_of_the_whole(
    tmp_path: Path, world: World, size: int, every: int
) -> None:
    beside = written(world, tmp_path)
    rows = rows_of(world)
    numbers = [row[name] for row in rows for name in ("question_rank", "score")]
    assume(rows and all(type(each) in (int, float) or each is None for each in numbers))
    table = tmp_path / "rows.jsonl"
    table.write_text("".join(json.dumps(row) + "\n" for row in rows).replace("1e+300", "1e9"))
    files = [option for name in ("topics", "days", "documents") for option in (f"--{name}",)]
    options = [part for flag in files for part in (flag, beside[flag[2:]])]
    options += ["--lenient", "--quiet", "-m", "tNDCG", "-m", "tAP(level=documents)"]
    whole = program.tseval("changes", table, beside["qrels"], *options, "-f", "json")
    blocks = program.tseval(
        *("changes", table, beside["qrels"], *options, "-f", "json", "--in-blocks", size)
    )
    assert blocks.code == whole.code
    assume(not whole.code)
    told = {"records", "signature"}
    known, found = (json.loads(each.out) for each in (whole, blocks))
    assert {name: found[name] for name in told} == {name: known[name] for name in told}
    live = program.tseval(
        *("changes", "--follow", beside["qrels"], *options, "--every", every),
        stdin=table.read_bytes(),
    )
    last = json.loads(live.out.splitlines()[-1])
    assert last["records"] == [each for each in known["records"] if each["topic"] == "all"]


@pytest.mark.usefixtures("here")
def test_blocks_and_streams_refuse_a_topic_that_never_came() -> None:
    doc = {"day": "2026-03-02", "question_rank": 0, "score": 0.5}
    rows = [doc | {"topic": "ferry", "qid": "f1", "doc_id": "d2-1"}]
    rows += [doc | {"topic": "bridge", "qid": "b1", "doc_id": "d2-5"}]
    given = program.FIXTURES / "changes"
    options = [
        given / "qrels.tsv",
        "--topics",
        given / "topics.jsonl",
        "--days",
        given / "days.txt",
    ]
    options += ["--documents", given / "documents.tsv", "-m", "tNDCG"]
    for number, code in ((2, 0), (1, 1)):
        lines = "".join(json.dumps(row) + "\n" for row in rows[:number])
        Path("run.jsonl").write_text(lines)
        whole = program.tseval("changes", "run.jsonl", *options)
        blocks = program.tseval("changes", "run.jsonl", *options, "--in-blocks", 1)
        assert (whole.code, blocks.code) == (code, code)
        assert (blocks.out, blocks.err) == (whole.out, whole.err)
        live = program.tseval("changes", "--follow", *options, stdin=lines.encode())
        assert (live.code, live.codes) == (code, whole.codes)
