"""What the commands print for the shipped fixtures, form by form, against hand-made numbers."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from tests import program
from tests.oracles.fixtures import expected
from tests.program import FIXTURES, MATCHES, NUGGETS, SWIFT, THOROUGH, TOPICS
from tseval.version import VERSION

pytestmark = pytest.mark.usefixtures("here")

BOTH = ("score", SWIFT, THOROUGH, NUGGETS, "--matches", MATCHES, "--topics", TOPICS, "--quiet")
MEASURES = ("P", "R", "Rs", "T")
TOPICS_IN_ORDER = ("ferry", "flood", "mine", "all")
HAND = {(e.run, e.topic, e.measure, e.options): e.value for e in expected()}

Key = tuple[str, str, str]
Row = tuple[str, str, str, float | None]


def out(*arguments: object, stdin: bytes = b"") -> str:
    """What a command prints where all is well, and says nothing else."""
    outcome = program.tseval(*arguments, stdin=stdin)
    assert (outcome.code, outcome.err) == (0, "")
    return outcome.out


def hand(
    runs: tuple[str, ...] = ("swift", "thorough"),
    topics: tuple[str, ...] = TOPICS_IN_ORDER,
    measures: tuple[str, ...] = MEASURES,
    options: str = "-",
) -> Iterator[Row]:
    """The rows in the order in which they must stand, with the values worked out by hand."""
    for run in runs:
        for topic in topics:
            for measure in measures:
                value = HAND.get((run, topic, measure, options), HAND[run, topic, measure, "-"])
                yield run, topic, measure, None if value is None else float(value)


def agree(found: list[Row], wanted: list[Row]) -> None:
    assert [row[:3] for row in found] == [row[:3] for row in wanted]
    assert [row[3] for row in found] == [
        None if row[3] is None else pytest.approx(row[3], abs=1e-12) for row in wanted
    ]


# trec


def trec(text: str) -> list[list[str]]:
    assert text.endswith("\n")
    return [line.split("\t") for line in text[:-1].split("\n")]


def number(shown: str) -> float | None:
    return None if shown == "undefined" else float(shown)


def test_trec_of_several_runs() -> None:
    rows = trec(out(*BOTH, "-f", "trec"))
    found = [(run, topic, name, number(shown)) for run, name, topic, shown in rows]
    agree(found, list(hand(topics=("all",))))


def test_trec_by_topic_with_all_last_of_each_run() -> None:
    rows = trec(out(*BOTH, "-f", "trec", "-q"))
    found = [(run, topic, name, number(shown)) for run, name, topic, shown in rows]
    agree(found, list(hand()))
    assert ["swift", "P", "mine", "undefined"] in rows


def test_trec_of_one_run_has_three_columns() -> None:
    mine = [
        line for line in Path(MATCHES).read_text().splitlines() if not line.endswith("thorough")
    ]
    Path("m.tsv").write_text("\n".join(mine))
    rows = trec(out("score", SWIFT, NUGGETS, "--matches", "m.tsv", "-f", "trec", "-q", "--quiet"))
    found = [("swift", topic, name, number(shown)) for name, topic, shown in rows]
    agree(found, list(hand(runs=("swift",))))


# csv


def test_csv_is_tidy_and_undefined_is_empty() -> None:
    text = out(*BOTH, "-f", "csv", "-q")
    header, *rows = csv.reader(io.StringIO(text))
    assert header == ["run", "topic", "measure", "value"]
    found = [(run, topic, name, float(v) if v else None) for run, topic, name, v in rows]
    agree(found, list(hand()))
    assert "swift,mine,P,\n" in text
    assert "\r" not in text


def test_csv_has_full_precision() -> None:
    (value,) = re.findall(r"^thorough,all,P,(.*)$", out(*BOTH, "-f", "csv"), re.MULTILINE)
    assert float(value) == pytest.approx(127 / 108, abs=1e-15)
    assert len(value) >= 17


def test_names_with_commas_and_quotes_come_back_from_csv_and_json() -> None:
    header = "run\ttopic\tupdate_id\ttime\ttext\n"
    Path("run.tsv").write_text(f'{header}a, "b"\tflood\tu\t1699930000\tRiver Osk burst its banks\n')
    given = ("score", "run.tsv", NUGGETS, "-m", "R", "--quiet")
    ((run, *_),) = list(csv.reader(io.StringIO(out(*given, "-f", "csv"))))[1:]
    assert run == 'a, "b"'
    assert json.loads(out(*given, "-f", "json"))["records"][0]["run"] == 'a, "b"'


# json


def strict(text: str) -> dict[str, object]:
    """JSON that may hold neither NaN nor Infinity."""
    loaded: dict[str, object] = json.loads(text, parse_constant=pytest.fail)
    return loaded


def test_json_holds_signature_version_inputs_records_and_warnings() -> None:
    content = strict(out(*BOTH, "-f", "json", "-q"))
    assert {"signature", "version", "inputs", "records", "warnings"} <= set(content)
    assert content["version"] == VERSION
    inputs = content["inputs"]
    assert isinstance(inputs, list)
    assert [(i["path"], i["rows"]) for i in inputs] == [
        (SWIFT, 10),
        (THOROUGH, 23),
        (NUGGETS, 16),
        (MATCHES, 35),
        (TOPICS, 3),
    ]
    for each in inputs:
        assert set(each) == {"path", "sha256", "rows"}
        assert re.fullmatch(r"[0-9a-f]{64}", each["sha256"])
    records = content["records"]
    assert isinstance(records, list)
    assert all(list(record) == ["run", "topic", "measure", "value"] for record in records)
    agree([tuple(record.values()) for record in records], list(hand()))
    warnings = content["warnings"]
    assert isinstance(warnings, list)
    warned = program.tseval(*BOTH[:-1]).err.splitlines()
    assert [f"warning: {warning}" for warning in warnings] == warned
    assert warned


def test_the_signature_names_all_that_can_change_a_number() -> None:
    content = strict(out(*BOTH, "-f", "json"))
    signature = str(content["signature"])
    assert "\n" not in signature
    assert signature.split("|")[:3] == [f"tseval:{VERSION}", "edition:draft", "matcher:assessed"]
    parts = dict(part.split(":", 1) for part in signature.split("|"))
    assert (parts["missing"], parts["undefined"]) == ("zero", "skip")
    for name in ("nuggets", "matches", "topics"):
        assert re.fullmatch(r"sha256:[0-9a-f]{12}", parts[name])
    signatures = {
        str(strict(out(*BOTH, *more, "-f", "json"))["signature"])
        for more in (
            (),
            ("--on-missing", "skip"),
            ("--undefined", "zero"),
            ("--duplicates", FIXTURES / "duplicates.tsv"),
        )
    }
    assert len(signatures) == 4
    matchers = {
        str(strict(out("score", SWIFT, NUGGETS, "-f", "json", "--quiet", *more))["signature"])
        for more in ((), ("--threshold", "0.6"), ("--matcher", "exact"), ("--topics", TOPICS))
    }
    assert len(matchers) == 4


def test_json_is_finite_where_nothing_is_defined() -> None:
    Path("run.tsv").write_text("topic\tupdate_id\ttime\ttext\n")
    done = program.tseval("score", "run.tsv", NUGGETS, "-f", "json", "-q", "--at", "6h", "--quiet")
    assert "no updates for 3 judged topics" in done.err
    content = strict(done.out)
    records = content["records"]
    assert isinstance(records, list)
    assert len(records) == 4 * 8
    assert {r["value"] for r in records if r["measure"] in ("P", "T", "P@6h", "T@6h")} == {None}


# parquet


def test_parquet_is_tidy_and_undefined_is_null() -> None:
    assert program.tseval(*BOTH, "-q", "-o", "scores.parquet").code == 0
    table = pq.read_table("scores.parquet")
    assert [(field.name, str(field.type)) for field in table.schema] == [
        ("run", "string"),
        ("topic", "string"),
        ("measure", "string"),
        ("value", "double"),
    ]
    assert table.column("value").null_count == 2
    agree([tuple(row.values()) for row in table.to_pylist()], list(hand()))
    assert table.schema.metadata[b"signature"].decode().startswith(f"tseval:{VERSION}|")


# table

TABLE = """\
 run        topic        P        R       Rs     T [h]
 ─────────────────────────────────────────────────────
 swift      ferry   1.8000   0.7500   0.7500   -0.5000
 swift      flood   1.8000   0.9000   0.9000    0.6250
 swift      mine         –   0.0000   0.0000         –
 swift      all     1.8000   0.5500   0.5500    0.0625
 thorough   ferry   1.2500   0.8333   0.8333   -3.6000
 thorough   flood   1.1111   1.0000   1.0000   -4.5000
 thorough   mine    1.1667   0.8750   0.8750   -3.3333
 thorough   all     1.1759   0.9028   0.9028   -3.8111

"""


def words(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines() if line.strip(" ─")]


def test_the_table_by_topic() -> None:
    shown = words(out(*BOTH, "-q"))
    assert shown[:-1] == words(TABLE)
    assert shown[-1][0].startswith(f"tseval:{VERSION}|edition:draft|matcher:assessed|")


def test_the_table_of_means_and_of_one_run() -> None:
    header, *rows, _ = words(out(*BOTH))
    assert header == ["run", *MEASURES, "[h]"]
    assert [row[0] for row in rows] == ["swift", "thorough"]
    header, row, _ = words(out("score", SWIFT, NUGGETS, "-m", "R", "--quiet"))
    assert header == ["R"]
    assert len(row) == 1


@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}, {"NO_COLOR": ""}, {"TERM": "dumb"}])
def test_no_colour_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert "\x1b" not in out(*BOTH, "-q")


COLOURED = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize("unwanted", [False, True])
def test_a_terminal_has_styles_and_no_colour_where_it_is_unwanted(
    monkeypatch: pytest.MonkeyPatch, unwanted: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("NO_COLOR", raising=False)
    if unwanted:
        monkeypatch.setenv("NO_COLOR", "1")
    text = program.tseval(*BOTH, "-q", terminal=True).out
    styles = [int(code) for found in COLOURED.findall(text) for code in found[2:-1].split(";")]
    assert styles
    assert not unwanted or all(style < 30 for style in styles)
    assert words(COLOURED.sub("", text))[: len(words(TABLE))] == words(TABLE)


def test_a_table_in_a_file_is_the_same_and_never_coloured() -> None:
    shown = out(*BOTH, "-q")
    assert program.tseval(*BOTH, "-q", "-o", "scores.txt", terminal=True).code == 0
    assert Path("scores.txt").read_text() == shown


@pytest.mark.parametrize(
    ("measure", "shown"),
    [
        ("T", "T [h]"),
        ("T@6h", "T@6h [h]"),
        ("T(unit=min)", "T(unit=min) [min]"),
        ("T(g=identity)", "T(g=identity) [h]"),
        ("T(g=sign)", "T(g=sign)"),
        ("R", "R"),
    ],
)
def test_the_unit_stands_in_heads_for_people_alone(measure: str, shown: str) -> None:
    asked = (*BOTH, "-m", measure, "--quiet")
    assert out(*asked).splitlines()[0].split("  ")[-1].strip() == shown
    assert out(*asked, "-f", "markdown").splitlines()[0] == f"| run | {shown} |"
    assert out(*asked, "-f", "latex").splitlines()[3] == rf"run & {shown} \\"
    for form in ("csv", "trec"):
        assert "[" not in out(*asked, "-f", form)
    records = json.loads(out(*asked, "-f", "json"))["records"]
    assert {each["measure"] for each in records} == {measure}


def test_many_measures_have_a_row_each_and_every_run_a_column() -> None:
    unit = [f"T(unit={unit})@{hours}h" for unit in ("s", "min", "h", "d") for hours in range(6)]
    wide = out(*BOTH, "-m", " ".join(unit[:20])).splitlines()
    heads = [f"{name} [{name[7:].partition(')')[0]}]" for name in unit]
    assert re.split(r" {2,}", wide[0].strip()) == ["run", *heads[:20]]
    tall = out(*BOTH, "-m", " ".join(unit[:21])).splitlines()
    assert max(map(len, tall[:-2])) <= 100
    columns = [line.split() for line in wide[2:4]]
    assert tall[0].split() == ["measure", "swift", "thorough"]
    assert [re.split(r" {2,}", line.strip()) for line in tall[2:22]] == [
        list(row) for row in zip(heads[:20], *(line[1:] for line in columns), strict=True)
    ]
    by_topic = out(*BOTH, "-q", "-m", " ".join(unit[:21])).splitlines()
    assert by_topic[0].split() == ["topic", "measure", "swift", "thorough"]
    assert [line.split()[0] for line in by_topic[2:-2]] == [
        topic for topic in TOPICS_IN_ORDER for _ in unit[:21]
    ]


def test_parquet_is_not_for_a_terminal() -> None:
    outcome = program.tseval(*BOTH, "-f", "parquet", terminal=True)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "error: parquet is not for a terminal: give -o FILE.parquet\n"


# Where and in which form


@pytest.mark.parametrize("form", ["trec", "csv", "json", "parquet"])
def test_the_suffix_of_the_output_names_the_form(form: str) -> None:
    assert out(*BOTH, "-q", "-o", f"scores.{form}") == ""
    shown = program.tseval(*BOTH, "-q", "-f", form).output
    assert Path(f"scores.{form}").read_bytes() == shown


def test_a_form_goes_before_the_suffix() -> None:
    assert out(*BOTH, "-f", "json", "-o", "scores.csv") == ""
    assert strict(Path("scores.csv").read_text())["version"] == VERSION


def test_the_same_input_gives_the_same_bytes() -> None:
    for form in ("trec", "csv", "json", "parquet", "table"):
        assert program.tseval(*BOTH, "-f", form) == program.tseval(*BOTH, "-f", form)


def test_runs_stand_in_one_order_however_they_are_given() -> None:
    together = pd.concat([pd.read_csv(path, sep="\t") for path in (THOROUGH, SWIFT)])
    together.sample(frac=1, random_state=1).to_csv("both.tsv", sep="\t", index=False)
    shuffled = out("score", "both.tsv", *BOTH[3:], "-f", "csv", "-q")
    assert shuffled == out(*BOTH, "-f", "csv", "-q")


# Options


def values(*more: object, options: str = "-", **chosen: tuple[str, ...]) -> None:
    """The CSV with these options holds the hand-made numbers."""
    rows = list(csv.reader(io.StringIO(out(*BOTH, "-f", "csv", "-q", *more))))[1:]
    found = [(run, topic, name, float(v) if v else None) for run, topic, name, v in rows]
    wanted = list(hand(options=options, **chosen))
    agree([row for row in found if row[:3] in {w[:3] for w in wanted}], wanted)


def test_undefined_as_zero() -> None:
    values("--undefined", "zero", "-m", "P T", options="--undefined zero", measures=("P", "T"))


def test_at_a_time() -> None:
    names = tuple(name for m in ("P", "R", "Rs", "T") for name in (m, f"{m}@6h"))
    values("--at", "6h", measures=names)


def test_measures_in_one_string_and_repeated() -> None:
    several = out(*BOTH, "-f", "csv", "-m", "R P@6h", "-m", "T(g=sign),R")
    names = [row.split(",")[2] for row in several.splitlines()[1:]]
    assert names == ["R", "P@6h", "T(g=sign)"] * 2


def test_missing_topics_that_are_skipped() -> None:
    rows = trec(out(*BOTH, "-f", "trec", "-q", "-m", "R", "--on-missing", "skip"))
    assert [row[2] for row in rows if row[0] == "swift"] == ["ferry", "flood", "all"]
    (mean,) = [float(row[3]) for row in rows if row[::2] == ["swift", "all"]]
    assert mean == pytest.approx((0.75 + 0.9) / 2, abs=1e-12)


def test_missing_topics_warn_and_quiet_is_quiet() -> None:
    loud = program.tseval(*BOTH[:-1], "-m", "R", "-f", "csv")
    assert loud.err == (
        "warning: run swift: no updates for 1 judged topic, counted as an empty system: mine\n"
    )
    assert loud.out == out(*BOTH, "-m", "R", "-f", "csv")


# Explanations


def test_explained_nuggets() -> None:
    rows = list(csv.DictReader(io.StringIO(out(*BOTH, "--explain", "nuggets", "-f", "csv"))))
    assert len(rows) == 2 * 16
    first = rows[0]
    assert first == {
        "run": "swift",
        "topic": "ferry",
        "nugget_id": "ferry-n1",
        "time": "1700118000",
        "importance": "3",
        "status": "said",
        "update_id": "sw-ferry-1",
        "update_time": "1700118000",
        "hours_early": "0.0",
        "repeats": "0",
        "text": "The ferry Sea Heron collided with the freighter Ostrel off Port Calder",
        "update_text": "Ferry Sea Heron collided with freighter Ostrel off Port Calder",
    }
    missed = [row for row in rows if row["status"] == "missed"]
    assert {(row["run"], row["nugget_id"]) for row in missed} >= {
        ("swift", "ferry-n6"),
        ("thorough", "ferry-n6"),
        ("thorough", "mine-n3"),
    }
    assert all(row["update_id"] == row["hours_early"] == "" for row in missed)


def test_explained_updates_in_every_form() -> None:
    given = (*BOTH, "--explain", "updates")
    rows = list(csv.DictReader(io.StringIO(out(*given, "-f", "csv"))))
    assert len(rows) == 33
    by_id = {row["update_id"]: row for row in rows}
    assert by_id["sw-flood-2"]["earned"].split() == ["flood-n2", "flood-n4"]
    assert {i: by_id[i]["role"] for i in ("sw-flood-2", "sw-flood-4", "sw-flood-5")} == {
        "sw-flood-2": "earns",
        "sw-flood-4": "repeats",
        "sw-flood-5": "nothing",
    }
    as_tsv = [line.split("\t") for line in out(*given, "-f", "tsv").splitlines()]
    assert [dict(zip(as_tsv[0], row, strict=True)) for row in as_tsv[1:]] == rows
    records = strict(out(*given, "-f", "json"))["records"]
    assert isinstance(records, list)
    assert [record["update_id"] for record in records] == list(by_id)
    assert program.tseval(*given, "-o", "why.parquet").code == 0
    assert pq.read_table("why.parquet").column("text").to_pylist() == [row["text"] for row in rows]


def test_explanations_of_a_text_that_reads_like_no_number() -> None:
    Path("run.tsv").write_text("topic\tupdate_id\ttime\ttext\nflood\tu\t1699923600\tnan\n")
    rows = out("score", "run.tsv", NUGGETS, "--explain", "updates", "-f", "tsv", "--quiet")
    assert rows.splitlines()[1].endswith("\tnan\t")


def test_scores_have_no_tsv_and_explanations_no_trec() -> None:
    assert program.tseval(*BOTH, "-f", "tsv").code == 2
    assert program.tseval(*BOTH, "--explain", "updates", "-f", "trec").code == 2


# match, validate, measures


@pytest.mark.parametrize("matcher", ["fuzzy", "exact", "fuzzy(threshold=0.8)"])
def test_matches_fed_back_give_the_matcher_s_scores(matcher: str) -> None:
    runs = (SWIFT, THOROUGH, NUGGETS)
    assert out("match", *runs, "--matcher", matcher, "-o", "found.tsv", "--quiet") == ""
    columns = Path("found.tsv").read_text().splitlines()[0].split("\t")
    assert columns[:7] == ["topic", "update_id", "nugget_id", "run", "score", "start", "end"]
    form = ("-f", "csv", "-q", "--quiet", "-m", "P R Rs T P@6h")
    back = out("score", *runs, "--matches", "found.tsv", *form)
    assert back == out("score", *runs, "--matcher", matcher, *form)
    assert out("validate", *runs, "found.tsv").splitlines()[-1].startswith("found.tsv: matches, ")


def test_no_match_at_all_can_be_fed_back() -> None:
    Path("run.tsv").write_text("topic\tupdate_id\ttime\ttext\nflood\tu\t1699930000\tnothing\n")
    assert out("match", "run.tsv", NUGGETS, "-o", "found.tsv", "--quiet") == ""
    form = ("-f", "csv", "-q", "--quiet")
    back = out("score", "run.tsv", NUGGETS, "--matches", "found.tsv", *form)
    assert back == out("score", "run.tsv", NUGGETS, *form)


def test_matches_in_every_form_are_the_same() -> None:
    given = ("match", SWIFT, NUGGETS, "--quiet")
    header, *rows = (line.split("\t") for line in out(*given).splitlines())
    as_tsv = [dict(zip(header, row, strict=True)) for row in rows]
    assert list(csv.DictReader(io.StringIO(out(*given, "-f", "csv")))) == as_tsv
    records = strict(out(*given, "-f", "json"))["records"]
    assert isinstance(records, list)
    assert [record["nugget_id"] for record in records] == [row["nugget_id"] for row in as_tsv]
    for row in as_tsv:
        assert 0 <= int(row["start"]) < int(row["end"])
        assert 0 < float(row["score"]) <= 1
    assert program.tseval(*given, "-o", "found.parquet").code == 0
    back = ("score", SWIFT, NUGGETS, "-f", "csv", "-q", "--quiet")
    assert out(*back, "--matches", "found.parquet") == out(*back)


def test_several_matchers_in_one_table() -> None:
    rows = out("match", SWIFT, NUGGETS, "--matcher", "exact", "--matcher", "fuzzy", "--quiet")
    header, *body = rows.splitlines()
    assert header.split("\t")[:2] == ["matcher", "topic"]
    assert {line.split("\t")[0].partition("(")[0] for line in body} <= {"exact", "fuzzy"}
    assert any(line.startswith("fuzzy(") for line in body)


@pytest.mark.parametrize("form", ["tsv", "csv", "json"])
def test_a_matcher_that_finds_nothing_changes_no_row_of_another(form: str) -> None:
    nothing = "exact(threshold=1)"
    Path("run.tsv").write_text("topic\tupdate_id\ttime\ttext\nflood\tu\t1699930000\tthe quay\n")
    Path("gold.tsv").write_text(
        "topic\tnugget_id\ttime\ttext\nflood\tn\t1699930000\tthe quay of the town\n"
    )
    given = (
        "match",
        "run.tsv",
        "gold.tsv",
        "--quiet",
        "-f",
        form,
        "--matcher",
        "fuzzy(threshold=0.2)",
    )
    alone, beside = out(*given), out(*given, "--matcher", nothing)

    def rows(text: str) -> list[dict[str, object]]:
        if form == "json":
            return list(strict(text)["records"])  # type: ignore[arg-type]
        read = csv.DictReader(io.StringIO(text), delimiter="\t" if form == "tsv" else ",")
        return list(map(dict, read))

    assert len(rows(alone)) == 1
    assert rows(beside) == rows(alone)


def test_validate_names_each_table() -> None:
    paths = [
        SWIFT,
        NUGGETS,
        *(FIXTURES / f"{name}.tsv" for name in ("duplicates", "topics", "clusters")),
    ]
    assert out("validate", *paths).splitlines() == [
        f"{paths[0]}: updates, 10 rows, no fault",
        f"{paths[1]}: nuggets, 16 rows, no fault",
        f"{paths[2]}: duplicates, 5 rows, no fault",
        f"{paths[3]}: topics, 3 rows, no fault",
        f"{paths[4]}: clusters, 29 rows, no fault",
    ]


def test_validate_goes_on_after_a_faulty_file() -> None:
    Path("a.tsv").write_text("topic\tupdate_id\ttime\ttext\nt\tu\tx\t\n")
    Path("b.tsv").write_text("name\tage\nEve\t7\n")
    outcome = program.tseval("validate", "a.tsv", "lost.tsv", "b.tsv", NUGGETS)
    assert outcome.code == 1
    lines = outcome.out.splitlines()
    assert lines[0] == 'a.tsv:2: time "x" is neither a number nor an ISO 8601 time'
    assert lines[1] == "lost.tsv: no such file or directory"
    assert lines[2].startswith(
        "b.tsv:1: no known table; looked for updates: topic update_id time text;"
    )
    assert lines[3] == f"{NUGGETS}: nuggets, 16 rows, no fault"
    outcome = program.tseval("validate", "--table", "nuggets", SWIFT)
    assert outcome.out == f"{SWIFT}:1: no column nugget_id\n"


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_validate_knows_tables_in_every_form(form: str) -> None:
    frame = pd.read_csv(NUGGETS, sep="\t")
    path = f"gold.{form}"
    write = {
        "csv": lambda: frame.to_csv(path, index=False),
        "jsonl": lambda: frame.to_json(path, orient="records", lines=True),
        "parquet": lambda: frame.to_parquet(path),
    }
    write[form]()
    assert out("validate", path) == f"{path}: nuggets, 16 rows, no fault\n"


def test_measures_are_listed_by_family() -> None:
    listed = out("measures").splitlines()
    assert listed[0] == "temporal:"
    assert [line.split()[0] for line in listed[1:5]] == ["P", "R", "Rs", "T"]


@pytest.mark.parametrize("name", [*MEASURES, "T(unit=min)@24h"])
def test_a_measure_is_explained(name: str) -> None:
    text = out("measures", name)
    assert text.startswith(f"{name.partition('(')[0]}: ")
    for entry in ("definition", "direction", "range", "empty case", "citation"):
        assert re.search(rf"^  {entry} ", text, re.MULTILINE), entry


def test_curves_start_and_end_with_the_scores() -> None:
    rows = list(csv.DictReader(io.StringIO(out("curve", *BOTH[1:], "-q", "-m", "P R T"))))
    assert list(rows[0]) == ["run", "topic", "measure", "time", "hours", "value"]
    last = {(r["run"], r["topic"], r["measure"]): r["value"] for r in rows}
    for run, topic, name, value in hand(measures=("P", "R", "T")):
        if value is not None or (run, topic, name) in last:
            shown = last[run, topic, name]
            assert (float(shown) if shown else math.nan) == pytest.approx(
                math.nan if value is None else value, abs=1e-12, nan_ok=True
            )
