"""Timelines: numbers worked out by hand, every form of files, faults, rules and explanations."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given

import tseval
from tests import program
from tests import strategies as st
from tests.families.timelines.words import tokens
from tseval import InputError, MeasureError, UsageError
from tseval.families.timelines.words import ORIGINAL, REIMPL, Wording

FORMS = ("timeline-json", "timeline-text", "timeline-markdown", "timeline-rows")

TIMELINES = program.FIXTURES / "timelines"
SWIFT, GOLD = TIMELINES / "swift.jsonl", TIMELINES / "gold.jsonl"

# The bridge closed (1 March), Ferry sailed again (4 March); of the reference Bridge closed after
# crash (1 March), Ferry sailed again at noon (3 March). Words that count: bridg close, ferri sail;
# bridg close crash, ferri sail noon.
BY_HAND = {
    "dates(P)": 1 / 2,
    "dates(R)": 1 / 2,
    "concat(P)": 4 / 4,
    "concat(R)": 4 / 6,
    "concat(F)": 0.8,
    "concat(rouge_2,P)": 2 / 3,  # bridg close, ferri sail; close ferri runs over days
    "concat(rouge_2,R)": 2 / 5,
    "agreement(P)": 2 / 4,
    "agreement(R)": 2 / 6,
    "agree(rouge_2,P)": 1 / 2,
    "align(P)": (2 + 2 / 2) / 4,
    "align(R)": (2 + 2 / 2) / 6,
    "align(rouge_2,R)": (1 + 1 / 2) / 4,
    "align+(F)": 0.6,
    "align+m:1(P)": 3 / 4,
    "align(F,beta=2)": 5 * 0.75 * 0.5 / (4 * 0.75 + 0.5),
}


def test_by_hand() -> None:
    scores = tseval.score_timelines(SWIFT, GOLD, list(BY_HAND))
    found = {name: scores.value(name) for name in BY_HAND}
    assert found == pytest.approx(BY_HAND)


def test_tokens() -> None:
    sentence = ["The São-Paulo city.", "<b>no</b> ^ wells !"]
    original = tokens(Wording(ORIGINAL), sentence)
    assert original == ["paulo", "citi"]  # s and o are stop words; all is cut off at <
    assert tokens(Wording(REIMPL), sentence) == [
        "são-paulo",
        "city.",
        "<b>no</b>",
        "^",
        "well",
        "!",
    ]
    assert tokens(Wording(ORIGINAL, False, False), ["Wells ^"]) == ["wells", "circ"]


DAYS = [["2024-03-01", ["The bridge closed ."]], ["2024-03-04", ["Ferry sailed again ."]]]
WRITTEN = {
    "timeline-json": json.dumps(DAYS),
    "over lines": json.dumps(DAYS, indent=1),
    "objects": json.dumps([{"start": day, "summary": text[0]} for day, text in DAYS]),
    "with topic": json.dumps({"topic": "t", "timeline": DAYS}),
    "timeline-text": "".join(f"{day}\n{text[0]}\n{'-' * 32}\n" for day, text in DAYS),
    "timeline-markdown": "# A\n" + "".join(f"[{day}]\n- {text[0]}\n---\n" for day, text in DAYS),
    "timeline-rows": "date,summary\n" + "".join(f'{day},"{text}"\n' for day, text in DAYS),
    "plain": "topic\tdate\ttext\n" + "".join(f"t\t{day}\t{text[0]}\n" for day, text in DAYS),
    "hours": json.dumps([[f"{day} T00:00:00", text] for day, text in DAYS]),
}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("form", WRITTEN)
def test_every_form_is_read(form: str) -> None:
    Path("run").write_text(WRITTEN[form], encoding="utf-8")
    scores = tseval.score_timelines("run", GOLD, "dates align(P)")
    assert scores.value("dates") == 0.5
    assert scores.value("align(P)") == 0.75
    if form in FORMS:
        asked = tseval.score_timelines("run", GOLD, "align(P)", input_format={"system": form})
        assert asked.value("align(P)") == 0.75
    assert program.tseval("validate", "run").out == "run: timelines, 2 rows, no fault\n"


@pytest.mark.usefixtures("here")
def test_import_gives_a_table_of_the_same_score() -> None:
    for name, path in (("run.tsv", SWIFT), ("gold.tsv", GOLD)):
        Path("story.jsonl").write_bytes(path.read_bytes())
        done = program.tseval("import", "timelines", "story.jsonl", "-o", name)
        assert done.code == 0, done.err
    scores = tseval.score_timelines("run.tsv", "gold.tsv", "align(P)")
    assert scores.topics == ("story",)
    assert scores.value("align(P)") == 0.75


TWICE = [
    ["2024-03-01", ["nobody knows", "of it"]],
    ["2024-03-02", ["they open a bridge"]],
    ["2024-03-01", ["river flooded"]],
]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("edition", "rules", "sentences"),
    [
        ("tilse", {}, 2),
        ("tilse", {"duplicates": "join"}, 4),
        ("chronos", {}, 4),
        ("chronos", {"duplicates": "last"}, 2),
    ],
)
def test_a_date_that_stands_twice_is_the_same_after_import(
    edition: str, rules: dict[str, str], sentences: int
) -> None:
    """The later entry replaces the earlier, or is joined to it, whichever file is read."""
    Path("story.jsonl").write_text(json.dumps(TWICE), encoding="utf-8")
    done = program.tseval("import", "timelines", "story.jsonl", "-o", "story.tsv")
    assert (done.code, done.err.count("1 date more than once in a timeline")) == (0, 1)
    chosen = [f"--rule={name}={value}" for name, value in rules.items()]
    for run in ("story.jsonl", "story.tsv"):
        given = ("timelines", run, "story.jsonl", "--edition", edition, *chosen)
        shown = program.tseval(*given, "--explain", "lengths", "-f", "json")
        assert "story.jsonl: 1 date more than once in a timeline" in shown.err
        assert f"{run}: 1 date more than once in a timeline" in shown.err
        lengths = json.loads(shown.out)["records"]
        assert {row["sentences"] for row in lengths} == {sentences}
        scores = tseval.score_timelines(
            run, "story.jsonl", "concat align(P)", edition=edition, rules=rules
        )
        assert (scores.value("concat"), scores.value("align(P)")) == (1, 1)


@pytest.mark.usefixtures("here")
def test_a_timeline_without_dates_is_not_lost_in_silence() -> None:
    lines = ('{"topic": "a", "timeline": []}', '{"topic": "b", "timeline": [["2024", ["x"]]]}')
    Path("story.jsonl").write_text("\n".join(lines), encoding="utf-8")
    done = program.tseval("import", "timelines", "story.jsonl", "-o", "story.tsv")
    assert done.code == 0
    assert "story.jsonl: left out 1 timeline without dates" in done.err


FAULTS = {
    '[["2010-13-01", ["a"]]]': 'run:1: "2010-13-01" is not a date',
    '[["2010-12-01", ["a"]]]\nno': "run:2: not JSON",
    '[["2010-12-01", ["a"]]]\n[["2010"]]': 'run:2: no date with its sentences: ["2010"]',
    '[["2010-12-01", [1]]]': 'run:1: the sentences of "2010-12-01" are no strings',
    '[["2010-12-01", ["a"]]]\n{"a": 1}': "run:2: no timeline",
    '{"id": "a", "timeline": []}\n{"id": "a", "timeline": []}': 'run:2: a second timeline "a"',
    "words\n" + "-" * 32: "run:1: a block without a date",
    "[2010-02-30]\nwords": 'run:1: "2010-02-30" is not a date',
    "2010-02-03,\"['a', 3]\"": "run:1: no list of strings behind the date",
    "topic\tdate\ttext\na\tb\tc": 'run:2: "b" is not a date',
    '[["2010-12-01", ["a"]]]\n[["2010-12-02", ["a"]]]': "has 2 timelines of topic",
}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("content", FAULTS)
def test_faults_have_their_line(content: str) -> None:
    Path("run").write_text(content + "\n", encoding="utf-8")
    done = program.tseval("timelines", "run", GOLD)
    assert done.code == 1
    assert FAULTS[content] in done.err
    assert done.out == ""


@pytest.mark.usefixtures("here")
def test_all_faults_are_told() -> None:
    Path("run").write_text('[["2010-13-01", ["a"]]]\nno\n[["x", []]]\n', encoding="utf-8")
    with pytest.raises(InputError) as error:
        tseval.score_timelines("run", GOLD)
    assert [fault.line for fault in error.value.faults] == [1, 2, 3]


@given(st.binary(max_size=60), st.sampled_from(FORMS))
def test_no_bytes_break_a_reader(content: bytes, form: str) -> None:
    path = Path(program.ROOT) / ".pytest_cache" / "timeline"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    done = program.tseval("timelines", path, GOLD, "--input-format", f"system={form}")
    assert done.code in (0, 1)
    assert "fault of tseval" not in done.err


def objects(path: str, *lines: tuple[str, list[object]]) -> None:
    rows = [json.dumps({"topic": topic, "timeline": days}) for topic, days in lines]
    Path(path).write_text("\n".join(rows) + "\n", encoding="utf-8")


@pytest.mark.usefixtures("here")
def test_missing_and_undefined_topics() -> None:
    objects("run", ("a", DAYS), ("b", []), ("d", DAYS))
    objects("gold", ("a", DAYS), ("b", DAYS), ("c", DAYS))
    scores = tseval.score_timelines("run", "gold", "dates agreement")
    assert [scores.value("dates", topic) for topic in "abc"] == [1, None, 0]
    assert [scores.value("agreement", topic) for topic in "abc"] == [1, 0, 0]
    assert scores.value("dates") == pytest.approx(1 / 2)  # of a and c
    assert any("1 topic not in the references, ignored: d" in each for each in scores.warnings)
    skipped = tseval.score_timelines("run", "gold", "dates", on_missing="skip")
    assert skipped.value("dates") == 1
    zero = tseval.score_timelines("run", "gold", "dates", undefined="zero")
    assert zero.value("dates") == pytest.approx(1 / 3)
    chronos = tseval.score_timelines("run", "gold", "agreement", edition="chronos")
    assert [chronos.value("agreement", topic) for topic in "abc"] == [1, None, None]


@pytest.mark.usefixtures("here")
def test_each_reference_by_itself() -> None:
    objects("run", ("a", DAYS))
    objects("gold", ("a", DAYS), ("a", DAYS[:1]), ("b", DAYS))
    apart = tseval.score_timelines("run", "gold", "dates(P)", edition="news-tls")
    assert apart.topics == ("a/gold:1", "a/gold:2", "b")
    assert [apart.value("dates(P)", topic) for topic in apart.topics] == [1, 1 / 2, 0]
    macro = {"protocol": "PROTOCOL-1", "average": "TOPIC-MACRO"}
    found = tseval.score_timelines("run", "gold", "dates(P)", rules=macro)
    assert found.value("dates(P)") == pytest.approx((3 / 4 + 0) / 2)
    assert "rules:protocol=PROTOCOL-1,average=TOPIC-MACRO" in found.signature


RULES = [
    ("duplicates", "last", 1 / 2),
    ("duplicates", "join", 1),
    ("strings", "characters", None),
    ("strings", "sentence", 1 / 2),
]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("rule", "value", "wanted"), RULES)
def test_rules_of_entries(rule: str, value: str, wanted: float | None) -> None:
    first = ["2024-03-01", ["river flooded"]]
    given = first if rule == "duplicates" else ["2024-03-01", "river flooded"]
    last = ["2024-03-01", ["bridge closed"]]
    Path("run").write_text(json.dumps([given, last] if rule == "duplicates" else [given]), "utf-8")
    Path("gold").write_text(json.dumps([["2024-03-01", ["river flooded bridge closed"]]]), "utf-8")
    scores = tseval.score_timelines("run", "gold", "concat(R)", rules={rule: value})
    assert scores.value("concat(R)") == wanted
    assert any(f"--rule {rule}" in each for each in scores.warnings)


def test_ties_are_told_and_explained() -> None:
    undecided = TIMELINES / "undecided.jsonl"
    scores = tseval.score_timelines(undecided, GOLD, "align(P)")
    assert any("depends on which of several best alignments" in each for each in scores.warnings)
    args = ("timelines", undecided, GOLD, "-m", "align", "--explain", "ties", "-f", "json")
    (row,) = json.loads(program.tseval(*args).out)["records"]
    assert (row["lowest_P"], row["P"], row["highest_P"]) == (0, 0.5, 0.5)


def test_partners_add_up_to_the_score() -> None:
    args = ("timelines", SWIFT, GOLD, "-m", "align", "--explain", "partners", "-f", "json")
    rows = json.loads(program.tseval(*args).out)["records"]
    own = [row for row in rows if row["side"] == "predicted"]
    hits = sum(row["hits"] * row["weight"] for row in own)
    assert hits / sum(row["ngrams"] for row in own) == 0.75


# swift was there with 1 March on 1 March and with 4 March, which answers 3 March, on 4 March.
GROWING = {
    "dates(R)@1d": 1 / 2,
    "align(P)@1d": 2 / 2,
    "align(R)@1d": 2 / 6,
    "align(R)@3d": 2 / 6,
    "align(R)@4d": 3 / 6,
    "align(F)@2d": 0.5,
    "dates(within=1)": 1,
}


def test_what_was_there_before_a_time_by_hand() -> None:
    scores = tseval.score_timelines(SWIFT, GOLD, list(GROWING))
    found = {name: scores.value(name) for name in scores.measures}
    assert found == pytest.approx({str(name): value for name, value in GROWING.items()})
    drawn = program.tseval("curve", SWIFT, GOLD, "-m", "align(R)")
    rows = [line.split(",") for line in drawn.out.splitlines()[1:]]
    assert [(float(row[4]), float(row[5])) for row in rows] == [
        (0, pytest.approx(1 / 3)),
        (72, 1 / 2),
    ]
    told = program.tseval("curve", SWIFT, GOLD, "-m", "align").err
    assert "align is taken from the whole at once" in told
    mean = program.tseval("curve", SWIFT, GOLD, "-m", "align", "--rule", "average=AVG-F")
    assert mean.code == 0


def explained(view: str, *more: object) -> list[dict[str, object]]:
    args = ("timelines", SWIFT, GOLD, "--explain", view, "-f", "json", *more)
    found: list[dict[str, object]] = json.loads(program.tseval(*args).out)["records"]
    return found


def test_tolerance_and_lags_by_hand() -> None:
    rows = explained("tolerance")
    assert [row["within"] for row in rows] == [*range(8), 30]
    assert [row["F"] for row in rows] == [0.5, *[1.0] * 8]
    one, _ = explained("lags")
    shares = {name: one[name] for name in ("days", "met", "early", "on_time", "late")}
    assert shares == {"days": 2, "met": 2, "early": 0, "on_time": 0.5, "late": 0.5}
    assert (one["median_days"], one["median_hours"]) == (0.5, 12)


@pytest.mark.usefixtures("here")
def test_intervals_of_topics() -> None:
    objects("one", *((topic, DAYS) for topic in "abcd"))
    objects("two", *((topic, DAYS[:1]) for topic in "abc"), ("d", DAYS))
    objects("gold", *((topic, DAYS) for topic in "abcd"))
    args = ("timelines", "one", "two", "gold", "--explain", "intervals", "-m", "dates")
    found = json.loads(program.tseval(*args, "-f", "json").out)["records"]
    assert [(row["run"], row["value"], row["topics"]) for row in found[:2]] == [
        ("one", 1, 4),
        ("two", pytest.approx(2 * 0.625 / 1.625), 4),
    ]
    assert found[1]["low"] == pytest.approx(2 / 3)  # topics without d
    pair = found[2]
    assert (pair["run"], pair["other"]) == ("one", "two")
    assert pair["p"] == 4 / 16  # of 16 ways to swap, all three of a, b, c alike
    seeded = program.tseval(*args, "--seed", "1").out
    assert seeded != program.tseval(*args).out
    assert seeded == program.tseval(*args, "--seed", "1").out
    assert program.tseval(*args[:4], "--seed", "1").code == 2


def test_lengths() -> None:
    args = ("timelines", SWIFT, GOLD, "--explain", "lengths", "-f", "json")
    (row,) = json.loads(program.tseval(*args).out)["records"]
    assert (row["dates"], row["sentences"], row["words"], row["references"]) == (2, 2, 8, 1)


@pytest.mark.usefixtures("here")
def test_texts_that_cannot_count_are_told() -> None:
    Path("run").write_text(json.dumps([["2024-03-01", ["洪水 来 了", "大坝 决口"]]]), "utf-8")
    found = tseval.score_timelines("run", "run", "concat")
    assert any("none of the letters a to z" in each for each in found.warnings)
    assert found.value("concat") is None
    Path("run").write_text(json.dumps([["2024-03-01", ["Floods came.", "Dams broke."]]]), "utf-8")
    found = tseval.score_timelines("run", "run", "concat(reimpl)")
    assert any("put spaces between" in each for each in found.warnings)


@pytest.mark.parametrize(
    "name", ["concat@6h", "dates(within=-1)", "concat(P,R)", "align(beta=0)", "concat(R,beta=2)"]
)
def test_measures_without_meaning_are_refused(name: str) -> None:
    with pytest.raises((MeasureError, UsageError)):
        tseval.score_timelines(SWIFT, GOLD, name)


@pytest.mark.usefixtures("here")
def test_processes_and_the_order_of_lines_change_no_byte() -> None:
    table = [f"t\t{day}\t{text[0]}" for day, text in DAYS]
    for name, rows in (("one.tsv", table), ("two.tsv", table[::-1])):
        Path(name).write_text("topic\tdate\ttext\n" + "\n".join(rows) + "\n", "utf-8")
    args = ("timelines", "one.tsv", "two.tsv", GOLD, "-f", "csv")
    alone, shared = program.tseval(*args), program.tseval(*args, "-j", "2")
    assert alone.out == shared.out
    one, two = (
        [row.split(",", 2)[2] for row in alone.out.splitlines() if row.startswith(f"{name},")]
        for name in ("one", "two")
    )
    assert one
    assert one == two


@pytest.mark.parametrize("average", ["AVG-F", "AVG-PR", "TOPIC-MACRO"])
def test_a_run_scores_to_the_last_bit_what_it_scores_alone(average: str) -> None:
    """A product of matrices would round by how many runs there are, from eight topics on."""
    made = random.Random(8)
    words = [f"word{number}" for number in range(9)]

    def rows(run: str) -> list[dict[str, object]]:
        said = [
            {
                "topic": f"t{topic}",
                "date": f"2024-03-0{day}",
                "text": " ".join(made.sample(words, 5)),
            }
            for topic in range(20)
            for day, each in enumerate((made.sample(words, 5) for _ in range(3)), 1)
        ]
        return [{"run": run, **row} for row in said]

    runs, gold = [rows(run) for run in "abcde"], pd.DataFrame(rows("gold")).drop(columns="run")
    rules = {"average": average}
    together = tseval.score_timelines(pd.concat(map(pd.DataFrame, runs)), gold, rules=rules)
    for run, own in zip("abcde", runs, strict=True):
        alone = tseval.score_timelines(pd.DataFrame(own), gold, rules=rules)
        for measure in together.measures:
            assert alone.value(measure, run=run) == together.value(measure, run=run), measure


def test_the_order_of_references_in_a_file_changes_nothing() -> None:
    drawn = random.Random(7)
    named = [f"r{at}" for at in range(12)]
    gold = pd.DataFrame(
        {"topic": "t", "timeline": name, "date": f"2014-05-{drawn.randint(1, 28)}", "text": text}
        for name in named
        for text in ("dam river", "flood", "road river dam")
    )
    run = pd.DataFrame({"topic": "t", "date": ["2014-05-03", "2014-05-19"], "text": "river dam"})
    plan: dict[str, Any] = {"measures": "align(P) align align+m:1", "edition": "news-tls"}
    scores = tseval.score_timelines(run, gold, **plan)
    assert scores.topics == tuple(f"t/{name}" for name in named)
    for _ in range(5):
        order = drawn.sample(named, len(named))
        mixed = pd.concat([gold[gold.timeline == name] for name in order])
        found = tseval.score_timelines(run, mixed, **plan)
        assert found.topics == scores.topics
        assert [each.value for each in found.records()] == [each.value for each in scores.records()]
