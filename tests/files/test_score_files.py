"""Files of scores: every form read back as it was written, and every fault with its line."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import tseval
from tests import strategies as st
from tests.program import MATCHES, NUGGETS, SWIFT, THOROUGH, faulty
from tests.program import tseval as program
from tseval.comparison import Board, Treatment, read_board
from tseval.core.scores import Scores
from tseval.core.validation import validate
from tseval.errors import InputError, TsevalError, UsageError

pytestmark = pytest.mark.usefixtures("here")

ROWS = [
    ("b", "t1", "P", 0.25),
    ("b", "t2", "P", None),
    ("b", "t1", "T(unit=min)@6h", -1.5),
    ("b", "t2", "T(unit=min)@6h", 1e-17),
    ("a", "t1", "P", 1.0),
    ("a", "t2", "P", 1 / 3),
    ("a", "t1", "T(unit=min)@6h", 0.0),
    ("a", "t2", "T(unit=min)@6h", 2e9),
]
NAMES = ("run", "topic", "measure", "value")
MEANS = [(run, "all", "P", 0.5) for run in "ab"]


def rows(board: Board) -> list[tuple[str, str, str, float | None]]:
    """The scores of a board; None where there is none, or it is undefined."""
    places = ((r, t, m) for r, t, m in np.ndindex(board.values.shape))
    found = [
        (
            board.runs[r],
            board.topics[t],
            board.measures[m],
            float(board.values[r, t, m]) if board.known[r, t, m] else None,
        )
        for r, t, m in places
    ]
    return sorted(found, key=str)


def read(*paths: object, form: str | None = None) -> Board:
    """The board of files, frames or calls, where nothing that is missing is counted as 0."""
    return read_board(list(paths), treatment=Treatment(on_missing="skip"), form=form)  # type: ignore[arg-type]


def written(form: str) -> bytes:
    """The rows, with means among them, in one of the forms."""
    table = [*ROWS, *MEANS]
    cells = [(*row[:3], "" if row[3] is None else repr(row[3])) for row in table]
    if form == "json":
        records = [
            dict(zip(("run", "topic", "measure", "value"), row, strict=True)) for row in table
        ]
        return json.dumps({"signature": "s", "records": records, "warnings": []}, indent=1).encode()
    if form == "jsonl":
        records = [
            dict(zip(("run", "topic", "measure", "value"), row, strict=True)) for row in table
        ]
        return "".join(json.dumps(record) + "\n" for record in records).encode()
    if form == "parquet":
        return PARQUET
    if form == "trec":
        lines = [(run, name, topic, value or "undefined") for run, topic, name, value in cells]
        return "".join("\t".join(line) + "\n" for line in lines).encode()
    mark = "," if form == "csv" else "\t"
    return "".join(
        mark.join(line) + "\n" for line in [("run", "topic", "measure", "value"), *cells]
    ).encode()


@pytest.mark.parametrize("form", ["csv", "tsv", "json", "jsonl", "parquet", "trec"])
@pytest.mark.parametrize("named", [True, False])
def test_every_form_is_recognised_and_read(form: str, named: bool) -> None:
    Path("scores").write_bytes(written(form))
    assert rows(read("scores", form=form if named else None)) == sorted(ROWS, key=str)


@pytest.mark.parametrize("form", ["csv", "json", "trec"])
def test_compressed_files_are_read(form: str) -> None:
    Path("scores.gz").write_bytes(gzip.compress(written(form)))
    assert rows(read("scores.gz")) == sorted(ROWS, key=str)


@st.composite
def results(draw: st.DrawFn) -> Scores:
    name = st.text("ab ü\"',0", min_size=1, max_size=4).filter(lambda text: text.strip() == text)
    names = [tuple(sorted(draw(st.sets(name, min_size=1, max_size=3)))) for _ in range(2)]
    measures = tuple(sorted(draw(st.sets(st.sampled_from(["P", "R@6h", "E[x y]"]), min_size=1))))
    shape = (len(names[0]), len(names[1]), len(measures))
    size = int(np.prod(shape))
    numbers = st.floats(allow_nan=False, allow_infinity=False, width=32)
    values = draw(st.lists(numbers, min_size=size, max_size=size))
    defined = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    runs, topics = names
    return Scores(
        runs,
        topics,
        measures,
        np.array(values).reshape(shape),
        np.array(defined).reshape(shape),
        np.ones(shape[:2], bool),
        undefined_as_zero=False,
        signature="tseval:0|x",
        inputs=(),
    )


@given(results(), st.sampled_from(["trec", "csv", "json", "parquet"]))
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, scores: Scores, form: str
) -> None:
    folder = tmp_path_factory.mktemp("scores")
    path = folder / scores.runs[0].replace("/", "_")
    path.write_bytes(scores.in_form(form))
    found, expected = read(path, form=form), read(scores)
    assert rows(found) == rows(expected)
    assert found.traits["scores"] == expected.traits["scores"]
    assert found.traits.get("of") == ("(tseval:0|x)" if form in ("json", "parquet") else None)


def test_a_file_without_runs_is_called_by_its_name() -> None:
    Path("mine.trec").write_text("P\tt1\t0.5\nP\tall\t0.5\n")
    Path("theirs.csv").write_text("topic,measure,value\nt1,P,0.25\n")
    assert rows(read("mine.trec", "theirs.csv")) == [
        ("mine.trec", "t1", "P", 0.5),
        ("theirs", "t1", "P", 0.25),
    ]


def test_files_of_trec_eval_are_read_with_the_name_that_they_tell() -> None:
    Path("x").write_text(
        "runid                 \tall\tbm25\nmap                   \t301\t0.2500\n"
        "map                   \t302\t0.5\nmap                   \tall\t0.375\n"
    )
    assert rows(read("x")) == [("bm25", "301", "map", 0.25), ("bm25", "302", "map", 0.5)]


def test_a_byte_order_mark_is_no_part_of_a_name() -> None:
    Path("scores.trec").write_bytes("\ufeffa\tP\tt1\t0.5\na\tP\tt2\t1\n".encode())
    assert rows(read("scores.trec")) == [("a", "t1", "P", 0.5), ("a", "t2", "P", 1.0)]


def parquet_bytes() -> bytes:
    out = io.BytesIO()
    pd.DataFrame([*ROWS, *MEANS], columns=NAMES).to_parquet(out, index=False)
    return out.getvalue()


PARQUET = parquet_bytes()
TRACK = (
    "QueryID\tTeamID\tRunID\tE[Gain]\tnE[Gain]\n"
    "TS14.11\tcunlp\t1AP\t0.5000\t0.2500\n"
    "TS14.11\tBJUT\t-\t0.1\t0.2\n"
    "TS14.11\tAVG\t-\t0.3\t0.2\n"
    "AVG\tcunlp\t1AP\t0.5\t0.25\n"
    "AVG\tALL\t-\t0.3\t0.2\n"
)


def test_the_table_of_the_track_s_scripts_is_read() -> None:
    Path("official.tsv").write_text(TRACK)
    assert rows(read("official.tsv")) == [
        ("BJUT", "TS14.11", "EG", 0.1),
        ("BJUT", "TS14.11", "nEG", 0.2),
        ("cunlp-1AP", "TS14.11", "EG", 0.5),
        ("cunlp-1AP", "TS14.11", "nEG", 0.25),
    ]


def test_frames_are_read_and_nan_is_undefined() -> None:
    frame = pd.DataFrame(ROWS, columns=["run", "topic", "measure", "value"])
    assert rows(read(frame)) == sorted(ROWS, key=str)
    assert rows(read(frame.astype({"value": "Float64"}))) == sorted(ROWS, key=str)


def test_the_digest_follows_the_scores_alone() -> None:
    Path("a.csv").write_bytes(written("csv"))
    header, *body = written("csv").splitlines(keepends=True)
    Path("b.csv").write_bytes(b"".join([header, *reversed(body)]))
    Path("c.csv").write_bytes(written("csv").replace(b"0.25", b"0.26"))
    first, second, third = (read(f"{name}.csv").traits["scores"] for name in "abc")
    assert first == second != third


FAULTS: dict[str, tuple[bytes, str, int | None]] = {
    "empty": (b"", "empty-file", None),
    "other table": (b"topic\tupdate_id\nx\ty\n", "missing-column", 1),
    "prose": (b"hello world\n", "unknown-format", 1),
    "means alone": (b"run,topic,measure,value\na,all,P,1\n", "no-rows", None),
    "header alone": (b"run,topic,measure,value\n", "no-rows", None),
    "csv word": (b"run,topic,measure,value\na,t,P,high\n", "number-format", 2),
    "csv nan": (b"run,topic,measure,value\na,t,P,nan\n", "number-format", 2),
    "csv short": (b"run,topic,measure,value\na,t,P\n", "field-count", 2),
    "csv twice": (b"run,topic,measure,value\na,t,P,1\na,t,P,2\n", "duplicate-id", 3),
    "csv no topic": (b"run,topic,measure,value\na,,P,1\n", "empty-value", 2),
    "trec cut": (b"P\tt1\t0.5\nP\tt2\n", "field-count", 2),
    "trec word": (b"P\tt1\t0.5\nP\tt2\tx\n", "number-format", 2),
    "trec empty value": (b"P\tt1\t0.5\nP\tt2\t\n", "empty-value", 2),
    "trec infinite": (b"P\tt1\tinf\n", "number-format", 1),
    "json cut": (b'{\n "records": [\n  {"run": "a", "topic": "t",', "json-syntax", 3),
    "json comma": (b'{"records": [{"run": "a"} {}]}\n', "json-syntax", 1),
    "json no measure": (
        b'{"records": [\n{"run": "a", "topic": "t", "value": 1}]}\n',
        "missing-key",
        2,
    ),
    "json list for a value": (
        b'{"records": [\n\n{"run": "a", "topic": "t", "measure": "P", "value": [1]}]}\n',
        "json-type",
        3,
    ),
    "json NaN": (
        b'{"records": [\n{"run": "a", "topic": "t", "measure": "P", "value": NaN}]}\n',
        "number-format",
        2,
    ),
    "json half a character": (
        b'{"records": [\n{"run": "\\ud800", "topic": "t", "measure": "P", "value": 1}]}\n',
        "encoding",
        None,
    ),
    "json number for a record": (b'{"records": [\n7]}\n', "json-type", 2),
    "json not utf-8": (b'{"records": [\n{"run": "\xff"}]}\n', "encoding", 2),
    "json without records": (b'{\n"signature": "x"\n}\n', "no-rows", None),
    "json behind the end": (b'{"records": []}\n}\n', "json-syntax", 2),
    "track word": (TRACK.replace("0.2500", "?").encode(), "number-format", 2),
    "track twice": ((TRACK + "TS14.11\tcunlp\t1AP\t1\t1\n").encode(), "duplicate-id", 7),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_has_its_code_its_line_and_the_line_itself(fault: str) -> None:
    content, code, line = FAULTS[fault]
    Path("s").write_bytes(content)
    with pytest.raises(InputError) as caught:
        read("s")
    (found,) = caught.value.faults
    assert (found.code, found.file, found.line) == (code, "s", line)
    assert found.cure
    if line is not None:
        assert found.text == content.decode("utf-8", "replace").split("\n")[line - 1]


def test_a_bad_line_far_down_a_large_file() -> None:
    lines = [f"r,t{i},P,0.5\n" for i in range(70_000)]
    lines[69_998] = "r,t,P,0.5,\n"
    Path("s").write_text("run,topic,measure,value\n" + "".join(lines))
    with faulty("field-count", 70_000):
        read("s")


def test_one_score_in_two_files_is_told_at_the_later_one() -> None:
    Path("a.csv").write_bytes(written("csv"))
    Path("b.trec").write_text("b\tP\tt1\t0.25\n")
    with pytest.raises(InputError) as caught:
        read("a.csv", "b.trec")
    assert str(caught.value) == (
        'b.trec:1: measure "P" of topic "t1" stands twice for run "b"\n  | b\tP\tt1\t0.25\n'
        "  also at a.csv:2: give each run a name of its own"
    )


def test_a_null_in_an_id_of_parquet_is_a_fault_and_in_a_value_is_undefined() -> None:
    frame = pd.DataFrame(
        {"run": ["a", "a"], "topic": ["t", None], "measure": "P", "value": [None, 1.0]}
    )
    frame.to_parquet("s.parquet", index=False)
    with faulty("empty-value", 2):
        read("s.parquet")
    frame.iloc[:1].to_parquet("s.parquet", index=False)
    assert rows(read("s.parquet")) == [("a", "t", "P", None)]


def test_json_lines_may_have_a_null_value_but_need_the_key() -> None:
    Path("s").write_text('{"topic": "t", "measure": "P", "value": null}\n')
    assert rows(read("s")) == [("s", "t", "P", None)]
    Path("s").write_text('{"topic": "t", "measure": "P"}\n')
    with faulty("missing-key", 1):
        read("s")


def test_an_unknown_form_is_refused() -> None:
    Path("s").write_bytes(written("csv"))
    with pytest.raises(UsageError, match=r"'xml'.*: tsv, csv, jsonl"):
        tseval.compare("s", input_format="xml")


def test_teams_are_read() -> None:
    asked = ("compare", SWIFT, THOROUGH, "--gold", NUGGETS, "--matches", MATCHES)
    teams = ("--leave-out", "team", "--teams", "teams.tsv", "-f", "csv", "--quiet")
    Path("teams.tsv").write_text("team\trun\nred\tswift\nblue\tthorough\n")
    done = program(*asked, *teams)
    assert done.code == 0, done.err
    assert "red" in done.out
    assert "blue" in done.out
    Path("teams.tsv").write_text("team\trun\nred\tswift\nblue\tswift\n")
    assert program(*asked, *teams).codes == [("duplicate-id", 3)]
    assert program("validate", "teams.tsv").places == [("teams.tsv", 3)]


@pytest.mark.parametrize("form", ["csv", "tsv", "json", "parquet", "trec"])
def test_scores_of_every_form_are_validated(form: str) -> None:
    Path("s").write_bytes(written(form))
    assert list(validate(["s"])) == [("s: scores, 10 rows, no fault", False)]
    bad = b"b\tP\tt9\n" if form == "trec" else b"?\n"
    if form in ("csv", "tsv", "trec"):
        Path("s").write_bytes(written(form) + bad)
        (line,) = list(validate(["s"]))
        assert line[0].startswith(f"s:{11 + (form != 'trec')}: ")
    Path("t").write_text(TRACK)
    assert list(validate(["t"])) == [("t: scores, 5 rows, no fault", False)]


@given(st.sampled_from(["csv", "tsv", "json", "jsonl", "parquet", "trec"]), st.data())
def test_whatever_the_bytes_are_nothing_but_a_fault_comes_of_it(
    tmp_path_factory: pytest.TempPathFactory, form: str, data: st.DataObject
) -> None:
    content = bytearray(written(form))
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=3))
    path = tmp_path_factory.mktemp("fuzz") / "s"
    path.write_bytes(bytes(content))
    for given_form in (None, form):
        try:
            scores = read(path, form=given_form)
        except TsevalError:
            continue
        else:
            assert np.isfinite(scores.values).all()
