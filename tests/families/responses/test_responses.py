"""Responses against their slow twin, cases by hand, and what must not change a number."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

import tseval
from tests import program
from tests import strategies as st
from tests.oracles import responses as slow
from tests.oracles.responses import SIX, Label, Listed, Reading, Response
from tests.program import faulty
from tseval import InputError, UsageError
from tseval.core.blocks import Rows
from tseval.core.calling import Asking, CommonOptions, curved, evaluated
from tseval.core.registry import family
from tseval.core.sections import Setting

FAMILY = family("responses")
START = 1_767_225_600
FIXTURES = program.FIXTURES / "responses"
GOLD = FIXTURES / "nuggets.jsonl"
QUICK, PATIENT = FIXTURES / "quick.jsonl", FIXTURES / "patient.jsonl"
CLOSE = 1e-12
SLOWLY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
WORDS = st.sampled_from(["a", "b", "c"])
IMPORTANCES = st.sampled_from(["vital", "okay", "vital", "okay", "Vital", "other"])
LABELS = st.sampled_from(
    ["support", "partial_support", "not_support", " Support", "failed", "partial support", None]
)
TIMES = st.integers(0, 6)
READINGS = st.builds(
    Reading,
    labels=st.sampled_from(["exact", "lenient"]),
    duplicates=st.sampled_from(["count", "merge"]),
    versions=st.sampled_from(["append", "replace"]),
    denominator=st.sampled_from(["all", "known"]),
)


def lines(path: Path, objects: Sequence[Any]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in objects))
    return path


def record(topic: str, response: Response, run: str = "r") -> dict[str, Any]:
    nuggets = [
        {"text": each.text, "importance": each.importance, "assignment": each.label}
        for each in response.labels
    ]
    time = {} if response.time is None else {"time": START + response.time}
    return {"qid": topic, "run_id": run, "nuggets": nuggets, **time}


def gold_record(topic: str, gold: Sequence[Listed]) -> dict[str, Any]:
    nuggets = [
        {
            "text": each.text,
            "importance": each.importance,
            **({} if each.time is None else {"time": START + each.time}),
        }
        for each in gold
    ]
    return {"qid": topic, "nuggets": nuggets}


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[Listed], list[Response]]:
    """A list of gold, and versions of a response that label some of it."""
    times = st.one_of(st.none(), TIMES)
    gold = draw(st.lists(st.builds(Listed, WORDS, IMPORTANCES, times), max_size=5))
    moments = draw(st.lists(TIMES, unique=True, min_size=1, max_size=3))
    responses = []
    for moment in moments:
        own = draw(st.lists(st.sampled_from(gold), max_size=4)) if gold else []
        taken: list[Label] = []
        for each in own:
            before = sum(label.text == each.text for label in taken)
            if before < sum(other.text == each.text for other in gold):
                taken.append(Label(each.text, draw(IMPORTANCES), draw(LABELS)))
        responses.append(Response(float(moment), tuple(taken)))
    return gold, responses


def rules(reading: Reading, **more: str) -> dict[str, str]:
    return {**vars(reading), **more}


@SLOWLY
@given(worlds(), READINGS, st.lists(TIMES, max_size=2, unique=True), st.randoms())
def test_versions_over_a_file_at_any_time(
    tmp_path: Path,
    world: tuple[list[Listed], list[Response]],
    reading: Reading,
    moments: list[int],
    shuffler: random.Random,
) -> None:
    gold, responses = world
    shuffled = [record("t", each) for each in responses]
    shuffler.shuffle(shuffled)
    scores = tseval.score_responses(
        lines(tmp_path / "labels.jsonl", shuffled),
        [*SIX, "lead", "lead_strict"],
        nuggets=lines(tmp_path / "gold.jsonl", [gold_record("t", gold)]),
        at=[str(START + each) for each in moments],
        rules=rules(reading),
    )
    for moment in (*moments, float("inf")):
        suffix = "" if moment == float("inf") else f"@{START + moment}"
        expected = slow.over_file(responses, gold, moment, reading)
        for name in SIX:
            found = scores.value(name + suffix, "t")
            assert found == pytest.approx(expected[name], abs=CLOSE), name + suffix
        for name, strict in (("lead", False), ("lead_strict", True)):
            found, wanted = (
                scores.value(name + suffix, "t"),
                slow.lead(responses, gold, moment, reading, strict),
            )
            assert (found is None) == (wanted is None)
            assert found is None or found == pytest.approx(wanted, abs=1e-9)


OWN = st.lists(st.builds(Label, WORDS, IMPORTANCES, LABELS), max_size=5)


@SLOWLY
@given(st.lists(OWN, min_size=1, max_size=4), READINGS, st.sampled_from(["topics", "records"]))
def test_responses_without_times_over_their_own_lists(
    tmp_path: Path, own: list[list[Label]], reading: Reading, mean: str
) -> None:
    """The first two are of one topic: their mean counts, or each of them."""
    topics = ["t0", "t0", "t1", "t2"][: len(own)]
    responses = [Response(None, tuple(each)) for each in own]
    scores = tseval.score_responses(
        lines(tmp_path / "l.jsonl", [record(t, r) for t, r in zip(topics, responses, strict=True)]),
        SIX,
        rules=rules(reading, mean=mean),
    )
    each = [slow.over_own_list(response, reading) for response in responses]
    for name in SIX:
        values = [one[name] for one in each]
        first = sum(values[:2]) / len(values[:2])
        assert scores.value(name, "t0") == pytest.approx(first, abs=CLOSE)
        counted = values if mean == "records" else [first, *values[2:]]
        assert scores.value(name) == pytest.approx(sum(counted) / len(counted), abs=CLOSE)


@SLOWLY
@given(worlds(), READINGS)
def test_at_the_end_the_newest_version_over_its_own_list(
    tmp_path: Path, world: tuple[list[Listed], list[Response]], reading: Reading
) -> None:
    _, responses = world
    scores = tseval.score_responses(
        lines(tmp_path / "l.jsonl", [record("t", each) for each in responses]),
        SIX,
        rules=rules(reading, versions="replace"),
    )
    last = max(responses, key=lambda each: each.time or 0.0)
    expected = slow.over_own_list(last, reading)
    for name in SIX:
        assert scores.value(name, "t") == pytest.approx(expected[name], abs=CLOSE)


CITED = st.lists(st.lists(st.sampled_from([2, 1, 0, -1]), max_size=3), max_size=4)


@SLOWLY
@given(CITED)
def test_support_of_citations(tmp_path: Path, sentences: list[list[int]]) -> None:
    said = {
        "topic_id": "t",
        "run_id": "r",
        "sentences": [
            {"text": "s", "citations": [{"reference": "d", "support": label} for label in each]}
            for each in sentences
        ],
    }
    expected = slow.support(sentences)
    scores = tseval.score_responses(lines(tmp_path / "s.jsonl", [said]), list(expected))
    for name, value in expected.items():
        assert scores.value(name, "t") == pytest.approx(value, abs=CLOSE)


VERDICTS = st.sampled_from(["satisfied", "partially_satisfied", "not_satisfied", "failed"])


@SLOWLY
@given(st.lists(st.tuples(st.sampled_from([5, 2, 0, -3, 0.5]), VERDICTS), max_size=5))
def test_verdicts(tmp_path: Path, criteria: list[tuple[float, str]]) -> None:
    tiers = ["mandatory" if weight == 5 else "optional" for weight, _ in criteria]
    said = [
        {"text": f"{at}", "weight": w, "verdict": v, "tier": tier}
        for at, ((w, v), tier) in enumerate(zip(criteria, tiers, strict=True))
    ]
    file = lines(tmp_path / "v.jsonl", [{"qid": "t", "run_id": "r", "criteria": said}])
    numbers = ("unsatisfied_mandatory", "unsatisfied_mandatory_binary")
    scores = tseval.score_responses(file, ["ternary", "binary", *numbers])
    tiered = [(tier, verdict) for tier, (_, verdict) in zip(tiers, criteria, strict=True)]
    for name, full_alone in zip(numbers, (False, True), strict=True):
        assert scores.value(name, "t") == slow.unsatisfied(tiered, full_alone)
    for name, full_alone in (("ternary", False), ("binary", True)):
        expected = slow.rubric(criteria, full_alone)
        found = scores.value(name, "t")
        assert (found is None) == (expected is None)
        assert found is None or found == pytest.approx(expected, abs=CLOSE)


ANSWERS = ("a1", "a2", "a3")
QUESTIONS = st.lists(
    st.tuples(st.sampled_from([4, 2, 1]), st.lists(st.sampled_from(ANSWERS), unique=True)),
    min_size=1,
    max_size=3,
)
ANNOTATED = st.lists(
    st.tuples(
        st.sampled_from(ANSWERS),
        st.sampled_from(["none", "partial", "supports", "contradicts"]),
        TIMES,
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda each: (each[0], each[2]),
)


@SLOWLY
@given(QUESTIONS, ANNOTATED, TIMES)
def test_annotations_at_any_time(
    tmp_path: Path,
    questions: list[tuple[int, list[str]]],
    labels: list[tuple[str, str, int]],
    at: int,
) -> None:
    letters = {4: "A: Have to Know", 2: "B: Good to Know", 1: "C: Nice to Know"}
    rubrics = [
        {
            "question_id": f"q{place}",
            "importance": letters[weight],
            "short_answers": [{"answer_id": each} for each in answers],
        }
        for place, (weight, answers) in enumerate(questions)
    ]
    table = tmp_path / "labels.tsv"
    rows = [f"t\tr\t{answer}\t{label}\t{START + time}" for answer, label, time in labels]
    head = "topic_id\trun_tag\tanswer_id\tauto_assessment\ttime"
    table.write_text("\n".join([head, *rows]) + "\n")
    scores = tseval.score_responses(
        table,
        nuggets=lines(tmp_path / "rubric.jsonl", [{"topic_id": "t", "rubrics": rubrics}]),
        at=str(START + at),
    )
    for moment, suffix in ((at, f"@{START + at}"), (float("inf"), "")):
        both = slow.annotated(questions, labels, moment)
        for name, value in zip(("supportive", "contradictory"), both, strict=True):
            assert scores.value(name + suffix, "t") == pytest.approx(value, abs=CLOSE)


SAID = st.lists(st.tuples(st.sampled_from(["q1", "q2"]), st.sampled_from("xyz")), max_size=2)
SENTENCES = st.lists(st.tuples(TIMES, st.lists(st.booleans(), max_size=2), SAID), max_size=3)
BANK = st.dictionaries(
    st.sampled_from(["q1", "q2"]),
    st.tuples(st.sets(st.sampled_from("xyz"), min_size=1), st.booleans(), st.booleans()),
)


def report_record(topic: str, sentences: Sequence[Any]) -> dict[str, Any]:
    def judgments(attested: list[bool], said: list[tuple[str, str]]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = [{"is_attested": each} for each in attested]
        found += [
            {"matched_nuggets": [{"question_text": q, "matched_answer": [a]}]} for q, a in said
        ]
        return [{"judgment_type_id": "J", "response": each} for each in found]

    parts = [
        {
            "text": "text",
            "time": START + time,
            "citations": [{"doc_id": "d"}] * len(attested),
            "judgments": judgments(attested, said),
        }
        for time, attested, said in sentences
    ]
    return {"report": {"metadata": {"run_id": "r", "topic_id": topic}}, "judgments": parts}


def bank_record(topic: str, bank: dict[str, tuple[set[str], bool, bool]]) -> dict[str, Any]:
    return {
        "query_id": topic,
        "nugget_bank": {
            text: {
                "answers": {each: {"references": []} for each in sorted(answers)},
                "aggregator_type": "AND" if every else "OR",
                "importance": "vital" if vital else None,
            }
            for text, (answers, every, vital) in bank.items()
        },
    }


@SLOWLY
@given(SENTENCES, SENTENCES, SENTENCES, BANK, TIMES, st.sampled_from(["append", "replace"]))
def test_reports_at_any_time(
    tmp_path: Path, one: Any, other: Any, second: Any, bank: Any, at: int, versions: str
) -> None:
    """A topic of which there may be two versions, and another."""
    first = [each for each in (one, other) if each]
    if len({min(time for time, _, _ in each) for each in first}) < len(first):
        first = first[:1]
    by_topic = {"t": first, "u": [second] if second else []}
    records = [report_record(topic, own) for topic, each in by_topic.items() for own in each]
    if not records:
        return
    gold = lines(tmp_path / "bank.jsonl", [bank_record(topic, bank) for topic in by_topic])
    names = [
        "sentence_support", "citation_support", "nugget_coverage", "nugget_coverage_weighted", "f1",
        "f1_weighted",
    ]  # fmt: skip
    scores = tseval.score_responses(
        lines(tmp_path / "reports.jsonl", records),
        [*names, *(f"{name}_micro" for name in names), *(f"{name}_macro" for name in names)],
        nuggets=gold,
        at=str(START + at),
        rules={"versions": versions},
    )
    asked = [
        slow.Asked(text, frozenset(a), every, vital) for text, (a, every, vital) in bank.items()
    ]
    for moment, suffix in ((at, f"@{START + at}"), (float("inf"), "")):
        counts = {
            topic: slow.counts(
                [[slow.Judged(t, len(c), sum(c), tuple(s)) for t, c, s in own] for own in each],
                asked,
                moment,
                versions == "replace",
            )
            for topic, each in by_topic.items()
            if each
        }
        each_topic = {topic: slow.report(own) for topic, own in counts.items()}
        summed = slow.report({key: sum(c[key] for c in counts.values()) for key in slow.COUNTED})
        for name in names:
            values = [own[name] for own in each_topic.values()]
            for topic, own in each_topic.items():
                found = scores.value(name + suffix, topic)
                assert found == pytest.approx(own[name], abs=CLOSE), (name, topic)
            mean = sum(values) / len(values)
            assert scores.value(name + suffix) == pytest.approx(mean, abs=CLOSE)
            assert scores.value(f"{name}_macro{suffix}") == pytest.approx(mean, abs=CLOSE)
            micro = scores.value(f"{name}_micro{suffix}")
            assert micro == pytest.approx(summed[name], abs=CLOSE), name


# By hand.


def test_a_case_by_hand() -> None:
    """Two versions, at 03:00 and at 07:00 of a dam that broke at 02:00: docs/responses.md."""
    scores = tseval.score_responses(
        QUICK, "vital all weighted strict_all lead lead_strict", nuggets=GOLD, at=["2h", "5h"]
    )

    def value(name: str) -> float | None:
        return scores.value(name, "dam")

    assert value("vital@2h") == 1.5 / 2  # in full that it broke, in part the villages
    assert value("vital@5h") == value("vital@2h")  # 07:00 is not before 07:00
    assert value("vital") == 1
    assert value("all") == 3 / 4
    assert value("weighted") == 2.5 / 3
    assert value("strict_all@2h") == 1 / 4
    assert value("lead") == 0  # (-1 + 0.5 * 3 - 0.5 * 1) / 2
    assert value("lead_strict") == -1  # (-1 - 1) / 2
    assert scores.value("vital") == 0.5  # the ferry: no response, so 0
    assert scores.value("lead") == 0  # undefined there, so left out


def test_two_topics_are_missing_as_is_asked() -> None:
    by_rule = {
        rule: tseval.score_responses(QUICK, "vital", nuggets=GOLD, on_missing=rule).value("vital")
        for rule in ("zero", "skip")
    }
    assert by_rule == {"zero": 0.5, "skip": 1.0}
    with pytest.raises(tseval.TsevalError, match="no responses for 1 topic: ferry"):
        tseval.score_responses(QUICK, "vital", nuggets=GOLD, on_missing="error")
    records = tseval.score_responses(
        QUICK, "vital", nuggets=GOLD, edition="nuggetizer", on_missing="zero"
    )
    assert records.value("vital") == (0.75 + 0.75 + 0) / 3  # two records, and the ferry


@pytest.mark.engine
def test_processes_change_no_byte() -> None:
    alone = program.tseval("responses", QUICK, PATIENT, "--nuggets", GOLD, "-q", "-f", "json")
    shared = program.tseval(
        "responses", QUICK, PATIENT, "--nuggets", GOLD, "-q", "-f", "json", "-j", "2"
    )
    assert (alone.code, alone.output) == (0, shared.output)


def test_the_time_of_a_response_is_that_of_its_last_sentence(tmp_path: Path) -> None:
    labels = record("t", Response(None, (Label("a", "vital", "support"),)))
    run = {
        "metadata": {"run_id": "r", "topic_id": "t", "time": START},
        "responses": [{"text": "One.", "time": START + 60}, {"text": "Two."}],
    }
    scores = tseval.score_responses(
        [lines(tmp_path / "l.jsonl", [labels]), lines(tmp_path / "run.jsonl", [run])],
        "vital",
        at=[str(START + 60), str(START + 61)],
    )
    assert scores.value(f"vital@{START + 60}") == 0
    assert scores.value(f"vital@{START + 61}") == 1


def test_a_score_at_a_time_needs_times(tmp_path: Path) -> None:
    file = lines(tmp_path / "l.jsonl", [record("t", Response(None, ()))])
    for arguments in ({"measures": "vital@6h"}, {"measures": "vital", "at": "6h"}):
        with pytest.raises(UsageError, match="the responses have no times"):
            tseval.score_responses(file, **arguments)


def curve_of(*arguments: object) -> str:
    done = program.tseval("curve", *arguments)
    assert done.code == 2
    return done.err


def test_a_curve_needs_times(tmp_path: Path) -> None:
    file = lines(tmp_path / "l.jsonl", [record("t", Response(None, ()))])
    said = "vital: the responses have no times, so nothing has a value before the end: "
    assert curve_of(file, "-m", "vital") == f"error: {said}give each its `time`\n"
    asking = Asking(FAMILY, FAMILY.inputs([str(file)]), FAMILY.options(), CommonOptions("vital"))
    with pytest.raises(UsageError, match=f"^{re.escape(said)}"):
        curved(asking)


def test_a_table_without_times_can_have_no_curve(tmp_path: Path) -> None:
    table = tmp_path / "c.tsv"
    table.write_text("run\trequest_id\tmetric\tvalue\nr\tt\tcitations\t3\n")
    said = "citations: counts of reports have no times, so nothing has a value before the end"
    assert curve_of(table, "-m", "citations") == f"error: {said}\n"


def test_nuggets_among_responses_are_told_where_they_go(tmp_path: Path) -> None:
    run, gold = lines(tmp_path / "l.jsonl", [GOOD]), tmp_path / "n.jsonl"
    lines(gold, [{"qid": "t", "nuggets": [{"text": "a", "importance": "vital"}]}])
    told = "n.jsonl:1: nuggets, and no labels of them"
    for command in ("curve", "responses"):
        done = program.tseval(command, run, gold)
        assert told in done.err
        assert done.err.endswith("\n  give them as --nuggets\n")


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ("counts", "run request_id metric value"),
        ("annotations", "topic run answer_id annotation"),
        ("hits", "turn nugget run label"),
    ],
)
def test_a_table_without_runs_says_so(table: str, columns: str, tmp_path: Path) -> None:
    names = [name for name in columns.split() if name != "run"]
    file = tmp_path / "l.tsv"
    head, values = "\t".join(names), "\t".join("1" for _ in names)
    file.write_text(f"{head}\n{values}\n")
    said = f"l.tsv:1: no column run\n  | {head}\n  {table} need the columns {columns};"
    assert said in program.tseval("responses", file).err
    file.write_text(f"system\t{head}\nr\t{values}\n")
    assert "no column" not in program.tseval("responses", file, "--column", "run=system").err


def test_labels_of_nuggets_are_meant_where_others_are_as_near(tmp_path: Path) -> None:
    file = tmp_path / "l.tsv"
    file.write_text("topic\trun\nt\tr\n")
    assert "grades need the columns topic nugget_id label" in program.tseval("responses", file).err


# Bad input.

NUGGET = {"text": "a", "importance": "vital", "assignment": "support"}
GOOD = {"qid": "t", "run_id": "r", "nuggets": [NUGGET]}
BAD = {
    "no topic": {"run_id": "r", "nuggets": [NUGGET]},
    '"qid" names nothing': {"qid": " ", "run_id": "r", "nuggets": [NUGGET]},
    '"qid" is a number': {"qid": 1.5, "run_id": "r", "nuggets": [NUGGET]},
    '"nuggets" holds a text': {"qid": "t", "run_id": "r", "nuggets": ["a"]},
    "neither labels nor a response": {"qid": "t", "run_id": "r"},
    'time "soon" is neither': {**GOOD, "time": "soon"},
    'time "[]" is neither': {**GOOD, "time": []},
    '"metadata" is a text': {**GOOD, "metadata": "m"},
    "verdicts of a rubric, where the lines above hold": {"qid": "t", "criteria": []},
}


@pytest.mark.parametrize("reason", BAD)
def test_bad_lines_are_refused_with_their_number(reason: str, tmp_path: Path) -> None:
    file = lines(tmp_path / "l.jsonl", [GOOD, BAD[reason]])
    with pytest.raises(InputError) as caught:
        tseval.score_responses(file)
    assert str(caught.value).startswith(f"{file}:2: {reason}"), caught.value


def test_json_may_stand_over_several_lines(tmp_path: Path) -> None:
    file = tmp_path / "l.json"
    for text in (json.dumps([GOOD, {**GOOD, "qid": "u"}]), json.dumps([GOOD], indent=1)):
        file.write_text(text)
        assert tseval.score_responses(file, "vital").value("vital") == 1
    file.write_text('{"qid": "t",\n "run_id": "r", "nuggets": []}')
    assert tseval.score_responses(file, "vital").value("vital") == 0
    file.write_text('{"qid": "t",\n "qid": "r"')
    with faulty("json-syntax", 2):
        tseval.score_responses(file)
    file.write_text("[{}, 3]")
    with faulty("record-format", 1):
        tseval.score_responses(file)


def test_an_answer_is_annotated_once(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("topic_id,run_tag,answer_id,annotation\n" + "t,r,a,none\n" * 2)
    with faulty("duplicate-id", 3):
        tseval.score_responses(file)
    file.write_text("topic_id,run_tag,answer_id,annotation\nt,r,a,perhaps\n")
    with faulty("unknown-label", 2):
        tseval.score_responses(file)


def test_versions_of_one_time_are_refused(tmp_path: Path) -> None:
    file = lines(tmp_path / "l.jsonl", [{**GOOD, "time": START}] * 2)
    with faulty("duplicate-id", 2):
        tseval.score_responses(file)


def test_a_table_that_tells_no_versions_says_that_nothing_is_replaced(tmp_path: Path) -> None:
    file, rows = tmp_path / "l.tsv", [("support", START, 1), ("not_support", START + 9, 2)]
    file.write_text("topic nugget_id label time\n".replace(" ", "\t"))
    for label, time, _ in rows:
        file.write_text(file.read_text() + f"t\tn\t{label}\t{time}\n")
    replacing = {"versions": "replace"}
    scores = tseval.score_responses(file, "all", rules=replacing)
    assert scores.value("all") == 1
    (warning,) = scores.warnings
    assert warning.startswith(f"{file}: without a column version all labels of a run and topic")
    assert not tseval.score_responses(file, "all").warnings
    file.write_text("topic nugget_id label time version\n".replace(" ", "\t"))
    for label, time, version in rows:
        file.write_text(file.read_text() + f"t\tn\t{label}\t{time}\t{version}\n")
    scores = tseval.score_responses(file, "all", rules=replacing)
    assert scores.value("all") == 0
    assert not scores.warnings


def test_some_times_are_not_enough(tmp_path: Path) -> None:
    file = lines(tmp_path / "l.jsonl", [{**GOOD, "time": START}, GOOD])
    with faulty("missing-time", 2):
        tseval.score_responses(file)


def test_labels_of_two_sorts_are_refused(tmp_path: Path) -> None:
    other = lines(tmp_path / "v.jsonl", [{"qid": "t", "criteria": []}])
    with pytest.raises(UsageError, match="labels of nuggets and verdicts of a rubric"):
        tseval.score_responses([lines(tmp_path / "l.jsonl", [GOOD]), other])
    with pytest.raises(UsageError, match="rubric 'vital' here; there are: binary, ternary"):
        tseval.score_responses(other, "vital")


def test_reports_without_a_bank_have_no_coverage(tmp_path: Path) -> None:
    file = lines(tmp_path / "r.jsonl", [report_record("t", [(0, [True], [("q1", "x")])])])
    scores = tseval.score_responses(file)
    assert scores.measures == ("sentence_support", "citation_support", "citation_relevance")
    for name in ("f1", "nugget_coverage_micro", "correct_nuggets"):
        with pytest.raises(UsageError, match="needs the bank of nuggets: --nuggets FILE"):
            tseval.score_responses(file, name)


def test_gold_is_needed_where_it_is() -> None:
    with pytest.raises(UsageError, match="nuggets=file needs --nuggets FILE"):
        tseval.score_responses(QUICK, rules={"nuggets": "file"})


JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-3, 3), st.text(max_size=3), st.just("support")
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(
            st.sampled_from(
                ["text", "importance", "assignment", "citations", "support", "judgments", "time",
                 "response", "matched_nuggets", "question_text", "verdict", "weight", "answers"]
            ),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=6,
)  # fmt: skip
KEYS = (
    "qid", "topic_id", "run_id", "metadata", "nuggets", "criteria", "sentences", "judgments",
    "report", "answer", "responses", "references", "nugget_bank", "rubrics", "time",
)  # fmt: skip


@SLOWLY
@given(
    st.lists(st.dictionaries(st.sampled_from(KEYS), JSON, max_size=4), max_size=3), st.booleans()
)
def test_no_file_ends_in_a_traceback(
    tmp_path: Path, objects: list[dict[str, Any]], as_gold: bool
) -> None:
    file = lines(tmp_path / "x.jsonl", [{"qid": "t", **each} for each in objects])
    files = [QUICK, "--nuggets", file] if as_gold else [file]
    outcome = program.tseval("responses", *files, "-f", "csv")
    assert outcome.code in (0, 1, 2)
    assert "Traceback" not in outcome.err
    assert "internal" not in outcome.err


def test_the_section_of_a_report(tmp_path: Path) -> None:
    """By hand: of the dam quick says 1, 1, 0, 1 at the end; the ferry is not in it."""
    scores, page = tmp_path / "s.json", tmp_path / "page.html"
    given = ["responses", PATIENT, QUICK, "--nuggets", GOLD, "-q"]
    assert program.tseval(*given, "-o", scores, "--quiet").code == 0
    files = ["--file", PATIENT, "--file", QUICK, "--nuggets", GOLD]
    told = program.tseval("report", scores, *files, "-o", page, "--quiet")
    assert told.code == 0, told.err
    assert "What responses say" in page.read_text()
    inputs = FAMILY.inputs([QUICK], [GOLD])
    evaluation = evaluated(FAMILY, inputs, FAMILY.options())
    setting = Setting(("quick",), (), FAMILY.options())
    assert FAMILY.report is not None
    (section,) = FAMILY.report.sections
    blocks = section.blocks(evaluation, setting)
    rows, few = (each for each in blocks if isinstance(each, Rows))
    assert rows.rows[0] == (0, "vital", 3, (2, 0, 1), 2, 0, 1)
    assert [row[:2] for row in rows.rows] == [(0, "vital"), (0, "okay")]
    assert few.rows[0][:2] == ("dam", "the road to the north is closed")
    verdicts = lines(
        tmp_path / "v.jsonl",
        [{"qid": "t", "run_id": "r", "criteria": [{"text": "c", "weight": 1, "verdict": "x"}]}],
    )
    assert program.tseval("responses", verdicts, "-q", "-o", scores, "--quiet").code == 0
    assert program.tseval("report", scores, "--file", verdicts, "-o", page, "--quiet").code == 0
    support = FIXTURES / "support.jsonl"
    assert program.tseval("responses", support, "-q", "-o", scores, "--quiet").code == 0
    assert program.tseval("report", scores, "--file", support, "-o", page, "--quiet").code == 0
    assert "which are not of nuggets one by one" in page.read_text()


def test_a_section_of_a_report_tells_runs_that_lack_nuggets_of_an_importance(
    tmp_path: Path,
) -> None:
    okay = {"text": "b", "importance": "okay", "assignment": "partial_support"}
    said = [{**GOOD, "nuggets": [NUGGET, okay]}, {**GOOD, "run_id": "s"}]
    file = lines(tmp_path / "l.jsonl", said)
    evaluation = evaluated(FAMILY, FAMILY.inputs([file]), FAMILY.options())
    assert FAMILY.report is not None
    (section,) = FAMILY.report.sections
    setting = Setting(("r", "s"), (), FAMILY.options())
    rows, few = (e for e in section.blocks(evaluation, setting) if isinstance(e, Rows))
    assert [row[:4] for row in rows.rows] == [
        (0, "vital", 1, (1, 0, 0)),
        (1, "vital", 1, (1, 0, 0)),
        (0, "okay", 1, (0, 1, 0)),
        (1, "okay", 0, (0, 0, 0)),
    ]
    assert few.rows[0] == ("t", "b", "okay", 1, 0.0, 1.0)


NUGGET = {"text": "a", "importance": "vital", "assignment": "support"}
ANSWER = {"run_id": "r", "nuggets": [NUGGET]}
EMPTY = {"run_id": "r", "nuggets": [{**NUGGET, "assignment": "not_support"}]}


@pytest.mark.parametrize(
    "empty", [{"run_id": "r", "nuggets": []}, EMPTY], ids=["no labels", "nothing said"]
)
def test_an_empty_answer_needs_no_time(empty: dict[str, Any], tmp_path: Path) -> None:
    records = [{**ANSWER, "qid": "t", "time": START}, {**empty, "qid": "u"}]
    done = program.tseval(
        "responses", lines(tmp_path / "l.jsonl", records), "-m", "vital", "--at", "1h", "-f", "trec"
    )
    assert (done.code, done.err) == (0, "")
    assert done.out == "vital\tall\t0.5\nvital@1h\tall\t0.5\n"


def test_an_answer_without_a_time_is_refused_where_time_is_asked_for(tmp_path: Path) -> None:
    records = [{**ANSWER, "qid": "t", "time": START}, {**ANSWER, "qid": "u"}]
    file = lines(tmp_path / "l.jsonl", records)
    done = program.tseval("responses", file, "-m", "vital", "-f", "trec")
    assert (done.code, done.out) == (0, "vital\tall\t1.0\n")
    assert done.err.startswith("warning: 1 response without a time")
    for asked in (("responses", file, "--at", "1h"), ("curve", file, "-m", "vital")):
        done = program.tseval(*asked)
        assert done.code == 1
        assert done.codes == [("missing-time", 2)]


@pytest.mark.parametrize(
    ("full", "partial", "none"),
    [("FS", "PS", "NS"), ("Full Support", "partial support", " No_Support"), ("2", "1", "0")],
)
def test_labels_of_support_have_names(full: str, partial: str, none: str, tmp_path: Path) -> None:
    cited = [[{"support": full}], [{"support": partial}], [{"support": none}]]
    sentences = [{"text": "x", "citations": each} for each in cited]
    file = lines(tmp_path / "s.jsonl", [{"topic_id": "t", "sentences": sentences}])
    expected = slow.support([[2], [1], [0]])
    scores = tseval.score_responses(file, list(expected))
    for name, value in expected.items():
        assert scores.value(name) == pytest.approx(value)


def test_a_table_may_label_nuggets_by_their_support(tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text("qid,nugget_id,label\nt,a,Full Support\nt,b,PS\nt,c,No Support\nt,d,FS\n")
    done = program.tseval("responses", file, "-m", "all", "-f", "trec")
    assert (done.code, done.out, done.err) == (0, "all\tall\t0.625\n", "")
    exact = program.tseval("responses", file, "-m", "all", "--rule", "labels=exact", "--quiet")
    assert "no label is known, so every score is 0: Full Support (1; did you mean" in exact.err


CRITERIA = [
    {"text": "c", "tier": "mandatory", "weight": 5, "verdict": "satisfied"},
    {"text": "d", "tier": "optional", "weight": 2, "status": "failed"},
    {"text": "e", "tier": "optional", "weight": 3, "verdict": "not_satisfied"},
]


def test_a_criterion_without_an_answer_is_left_out(tmp_path: Path) -> None:
    file = lines(tmp_path / "v.jsonl", [{"qid": "t", "run_id": "r", "criteria": CRITERIA}])
    done = program.tseval("responses", file, "-m", "ternary", "-f", "trec")
    assert (done.code, done.out) == (0, "ternary\tall\t0.625\n")
    assert "left out 1 failed answer of the judge" in done.err
    assert slow.rubric([(5, "satisfied"), (2, None), (3, "not_satisfied")], False) == 0.625


@pytest.mark.parametrize("run", [{}, {"run_id": "r"}])
def test_a_rubric_without_verdicts_is_refused(run: dict[str, str], tmp_path: Path) -> None:
    rubric = [{"text": "c", "weight": 5}, {"text": "d", "weight": 2}]
    file = lines(tmp_path / "v.jsonl", [{"qid": "t", **run, "criteria": rubric}])
    done = program.tseval("responses", file)
    assert done.code == 1
    assert "--nuggets" in done.err


def test_an_unknown_verdict_is_told(tmp_path: Path) -> None:
    criteria = [CRITERIA[0], {**CRITERIA[2], "verdict": "satisfed"}]
    file = lines(tmp_path / "v.jsonl", [{"qid": "t", "criteria": criteria}])
    assert "satisfed (1; did you mean satisfied?)" in program.tseval("responses", file).err
    assert program.tseval("validate", file).code == 1


@pytest.mark.parametrize("command", [("score", FIXTURES.parent / "nuggets.tsv"), ("responses",)])
def test_the_column_qid_is_the_topic(command: tuple[object, ...], tmp_path: Path) -> None:
    file = tmp_path / "u.csv"
    file.write_text("qid,docid,text\nt,d,x\n")
    done = program.tseval(command[0], file, *command[1:])
    assert done.code == 1
    assert "topic=docid" not in done.err
    assert ("--column topic=qid" in done.err) == (command[0] == "score")


def test_pooled_rates_of_support_by_hand(tmp_path: Path) -> None:
    """Topic t: three pairs, one in full, one without a judgment; u: one pair, in full."""
    cited: dict[str, list[list[Any]]] = {"t": [["FS", "NS"], [-1]], "u": [["FS"], []]}
    records = [
        {
            "topic_id": topic,
            "sentences": [{"citations": [{"support": each} for each in own]} for own in labels],
        }
        for topic, labels in cited.items()
    ]
    names = "full_support full_support_micro not_judged_micro hard_precision hard_precision_micro"
    scores = tseval.score_responses(lines(tmp_path / "s.jsonl", records), names)
    found = [scores.value(name) for name in names.split()]
    assert found == pytest.approx([(1 / 3 + 1) / 2, 2 / 4, 1 / 4, 1, 1])
    micro = tseval.score_responses(tmp_path / "s.jsonl", "hard_recall hard_recall_micro")
    assert micro.value("hard_recall") == pytest.approx((1 + 1 / 2) / 2)
    assert micro.value("hard_recall_micro") == pytest.approx(2 / 3)


RUBRIC = [
    {"qid": "t", "criteria": [{"text": "c", "tier": "mandatory", "weight": 5}]},
    {
        "qid": "u",
        "criteria": [
            {"text": "d", "tier": "mandatory", "weight": 3},
            {"text": "e", "tier": "optional", "weight": 1},
        ],
    },
]


def test_a_count_of_mandatory_criteria_says_where_there_is_none(tmp_path: Path) -> None:
    table = tmp_path / "verdicts.csv"
    table.write_text("topic,verdict,weight\nt,not_satisfied,5\n")
    name = "unsatisfied_mandatory"
    done = program.tseval("responses", table, "-m", f"binary {name}")
    warning = f"warning: no criterion is mandatory, so the score is 0: {name}"
    assert (done.code, done.err.splitlines()) == (0, [warning])


def test_a_rubric_as_nuggets_counts_topics_that_a_run_lacks(tmp_path: Path) -> None:
    gold = lines(tmp_path / "rubric.jsonl", RUBRIC)
    table = tmp_path / "verdicts.csv"
    table.write_text("qid,criterion,weight,tier,verdict\nt,c,5,mandatory,partially_satisfied\n")
    names = "ternary binary unsatisfied_mandatory unsatisfied_mandatory_binary"
    alone = program.tseval("responses", table, "-m", names, "-f", "csv")
    assert alone.code == 0
    assert alone.out.splitlines()[1:] == [
        "verdicts,all,ternary,0.5",
        "verdicts,all,binary,0.0",
        "verdicts,all,unsatisfied_mandatory,0.0",
        "verdicts,all,unsatisfied_mandatory_binary,1.0",
    ]
    scores = tseval.score_responses(table, names, nuggets=gold)
    assert [scores.value(name) for name in names.split()] == [0.25, 0, 0.5, 1]
    assert [scores.value(name, "u") for name in names.split()] == [0, 0, 1, 1]
    for path, kind in ((gold, "nugget-list"), (table, "grades")):
        done = program.tseval("validate", path)
        assert (done.code, f"{kind}, " in done.out) == (0, True)


def test_a_failed_answer_of_a_rubric_is_no_unsatisfied_criterion(tmp_path: Path) -> None:
    gold = lines(tmp_path / "rubric.jsonl", RUBRIC[1:])
    failed = [{"text": "d", "status": "failed"}, {"text": "e", "verdict": "satisfied"}]
    file = lines(tmp_path / "v.jsonl", [{"qid": "u", "run_id": "r", "criteria": failed}])
    scores = tseval.score_responses(file, "ternary unsatisfied_mandatory", nuggets=gold)
    assert scores.value("ternary", "u") == 1
    assert scores.value("unsatisfied_mandatory", "u") == 0


def test_an_unknown_tier_is_told(tmp_path: Path) -> None:
    criteria = [{**CRITERIA[0], "tier": "mandatry"}]
    file = lines(tmp_path / "v.jsonl", [{"qid": "t", "criteria": criteria}])
    assert "mandatry (1; did you mean mandatory?)" in program.tseval("responses", file).err
    done = program.tseval("validate", file)
    assert (done.code, f"{file}:1: unknown tier" in done.out) == (1, True)
