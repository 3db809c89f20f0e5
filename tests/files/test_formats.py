"""What the readers take: forms, compressions, times, names of columns and of runs."""

from __future__ import annotations

import bz2
import datetime as dt
import gzip
import hashlib
import json
import lzma
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tseval
from tests import program
from tests.program import faulty
from tests.reading import Rows, read_rows
from tseval.core.registry import schemas
from tseval.families.temporal.files import READERS
from tseval.io.atomic_write import write_file
from tseval.io.inputs import Input
from tseval.io.tables import read as read_table
from tseval.io.times import Moment, NotANumber, duration, moment, number

pytestmark = [pytest.mark.small_times, pytest.mark.usefixtures("here")]

HEADER = "topic\tupdate_id\ttime\ttext\n"
ROW = "t1\tu1\t5\tsome words\n"


def read(content: str | bytes, table: str = "updates", form: str | None = None) -> Rows:
    """Read content as a file without a suffix."""
    Path("file").write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_rows(Input("file"), schemas()[table], form)


def texts(rows: Rows) -> list[str]:
    return rows.get("text")


def ids(rows: Rows, name: str) -> list[str]:
    return rows.get(name)


# Times and numbers

SAME = 1329910380.0  # 22 February 2012, 11:33 UTC


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("1329910380", SAME),
        ("1329910380.5", SAME + 0.5),
        ("1.32991038e9", SAME),
        (" 1329910380 ", SAME),
        ("+5", 5.0),
        ("-5", -5.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("2012-02-22T11:33Z", SAME),
        ("2012-02-22T11:33", SAME),
        ("2012-02-22 11:33:00", SAME),
        ("2012-02-22T11:33:00.25Z", SAME + 0.25),
        ("2012-02-22T11:33:00,25Z", SAME + 0.25),
        ("2012-02-22T11:33:00.123456789Z", SAME + 0.123456),
        ("2012-02-22T12:33+01:00", SAME),
        ("2012-02-22T06:03-0530", SAME),
        ("20120222T113300Z", SAME),
        ("2012-W08-3T11:33Z", SAME),
        ("2012-02-22", SAME - 11.55 * 3600),
        ("1969-12-31T23:59:59Z", -1.0),
        ("0001-01-01T00:00+14:00", -62135596800.0 - 14 * 3600),
    ],
)
def test_moments(written: str, seconds: float) -> None:
    assert moment(written) == pytest.approx(seconds, abs=1e-6)


@pytest.mark.parametrize(
    "written",
    [
        *["", " ", "nan", "inf", "-Infinity", "1e999", "1e100", "1_000", "0x10", "1,5", "١٢"],
        *["soon", "1 2", "2012-02-30", "2012-13-01", "2012-02-22T25:00", "2012-02-22T11:33:61"],
        *["2012-02-22T24:00", "2012-02-22 2400"],
        *["2012-02-22_11:33", "2012-02-22T11:33Zz", "2012-02", "22/02/2012", "2012-02-22T"],
        *["T11:33", "2012-02-22T11:33+99:00"],
    ],
)
def test_what_is_no_moment(written: str) -> None:
    with pytest.raises(NotANumber):
        moment(written)


@pytest.mark.parametrize("written", ["2012-02-22", "1e400", "nan", "", "1 000", "--1"])
def test_what_is_no_number(written: str) -> None:
    with pytest.raises(NotANumber):
        number(written)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("30s", 30), ("90m", 5400), ("90min", 5400), ("6h", 21600), ("1.5h", 5400), ("2d", 172800)],
)
def test_durations(written: str, seconds: float) -> None:
    assert duration(written) == seconds
    assert Moment.parse(written) == Moment(seconds, relative=True)


@pytest.mark.parametrize("written", ["6", "h", "-6h", "6 h", "6H", "6w", "1e3s", "six hours", ""])
def test_what_is_no_duration(written: str) -> None:
    with pytest.raises(NotANumber):
        duration(written)


def test_a_moment_without_a_unit_is_absolute() -> None:
    assert Moment.parse("1329910380") == Moment(SAME, relative=False)
    assert Moment.parse("2012-02-22T11:33Z") == Moment(SAME, relative=False)


def test_a_column_may_mix_times_of_both_kinds() -> None:
    rows = read(
        HEADER + "t\ta\t1329910380\t\nt\tb\t2012-02-22T11:33Z\t\nt\tc\t2012-02-22T11:33\t\n"
    )
    assert rows.get("time") == [SAME] * 3


# Columns


def test_columns_stand_in_any_order_and_others_are_ignored() -> None:
    rows = read("text\tmood\ttime\tupdate_id\trun\ttopic\nsaid\tgood\t7\tu\tr\tt\n")
    assert sorted(rows.names) == ["run", "text", "time", "topic", "update_id"]
    assert (texts(rows), rows.get("time")) == (["said"], [7.0])
    assert [ids(rows, name) for name in ("run", "topic", "update_id")] == [["r"], ["t"], ["u"]]


def test_columns_that_are_ignored_may_hold_anything_and_stand_twice() -> None:
    rows = read("topic\tx\tupdate_id\tx\ttime\ttext\t\nt\t\tu\tnan\t1\ts\t\n")
    assert ids(rows, "update_id") == ["u"]


@pytest.mark.parametrize(
    ("table", "header", "columns"),
    [
        ("updates", "query_id update_id timestamp update_text", "topic update_id time text"),
        ("updates", "topic_id update decision_time text runtag", "topic update_id time text run"),
        (
            "nuggets",
            "query_id nugget_id timestamp importance nugget_text",
            "topic nugget_id time importance text",
        ),
        (
            "matches",
            "query_id update_id nugget_id match_start match_end auto_p",
            "topic update_id nugget_id start end auto",
        ),
        ("topics", "id start end", "topic start end"),
        ("duplicates", "query_id update_id duplicate_of", "topic update_id duplicate_id"),
        ("posts", "query_id post_id time run_id", "topic post_id time run"),
    ],
)
def test_official_names_are_other_names_of_the_columns(
    table: str, header: str, columns: str
) -> None:
    width = len(header.split())
    rows = read("\t".join(header.split()) + "\n" + "\t".join("1" * width) + "\n", table)
    assert sorted(rows.names) == sorted(columns.split())


def test_a_column_s_own_name_goes_before_other_names() -> None:
    rows = read("query_id\ttopic\tupdate_id\ttimestamp\ttime\ttext\nq\tt\tu\t1\t2\t\n")
    assert (ids(rows, "topic"), rows.get("time")) == (["t"], [2.0])


def test_a_header_with_tabs_and_spaces_mixed() -> None:
    header = "query_id      update_id       nugget_id\tmatch_start     match_end auto_p\n"
    rows = read(header + "1\tu-1\tVMTS13.01.001\t0\t12\t0\n", "matches")
    assert ids(rows, "nugget_id") == ["VMTS13.01.001"]
    assert rows.get("end") == [12.0]


def test_spaces_around_the_names_of_columns_are_ignored() -> None:
    assert ids(read(" topic\tupdate_id \ttime\ttext\r\n" + ROW), "topic") == ["t1"]


def test_optional_values_of_matches_may_be_blank() -> None:
    rows = read("topic\tupdate_id\tnugget_id\tstart\tend\nt\tu\tn\t\t3\n", "matches")
    assert rows.get("start") == [None]
    assert rows.get("end") == [3.0]


# TSV


def test_quotes_mean_nothing() -> None:
    rows = read(HEADER + 't\t"u"\t1\t"so he said\nt\tv\t2\t\'"\\t\\"\n')
    assert texts(rows) == ['"so he said', '\'"\\t\\"']
    assert ids(rows, "update_id") == ['"u"', "v"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "\n", "\n\n", "\r\n", "\n\r\n\n"])
def test_line_ends_empty_lines_and_the_last_line(end: str, last: str) -> None:
    content = HEADER.replace("\n", end) + f"t\ta\t1\tone{end}{end}{end}t\tb\t2\ttwo{last}"
    rows = read(content)
    assert texts(rows) == ["one", "two"]
    assert rows.lines == [2, 5]


def test_a_carriage_return_inside_a_line_stays() -> None:
    assert texts(read(HEADER + "t\ta\t1\tone\rtwo\r\r\n")) == ["one\rtwo\r"]


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl"])
def test_a_byte_order_mark_is_no_part_of_the_first_name(form: str) -> None:
    content = {
        "tsv": HEADER + ROW,
        "csv": (HEADER + ROW).replace("\t", ","),
        "jsonl": json.dumps({"topic": "t1", "update_id": "u1", "time": 5, "text": ""}),
    }[form]
    assert ids(read("\ufeff" + content), "topic") == ["t1"]


def test_texts_of_every_script_and_no_text_at_all() -> None:
    said = ["", "grüße", "地震", "🔥🔥", "e\u0301", "\u2028", "nul\0", "\x1f", " lead and trail "]
    rows = read(HEADER + "".join(f"t\tu{i}\t1\t{text}\n" for i, text in enumerate(said)))
    assert texts(rows) == said


def test_ids_are_taken_as_they_are_written() -> None:
    rows = read(
        HEADER + "".join(f"{name}\tu\t1\t\n" for name in ("1", "01", "1.0", "nan", "None", " 1"))
    )
    assert ids(rows, "topic") == ["1", "01", "1.0", "nan", "None", " 1"]


# CSV


def test_csv_with_quotes_commas_and_line_ends_in_a_field() -> None:
    rows = read('topic,update_id,time,text\nt,a,1,"one, ""two""\nthree"\nt,b,2,four\n')
    assert texts(rows) == ['one, "two"\nthree', "four"]
    assert rows.lines == [2, 4]


def test_csv_with_crlf_and_spaces_in_the_header() -> None:
    rows = read('topic, update_id ,"time",text\r\nt,a,1,one\r\n\r\nt,b,2,"x\r\ny"')
    assert texts(rows) == ["one", "x\r\ny"]


def test_a_tab_in_a_csv_header_is_no_csv_unless_told() -> None:
    with faulty("missing-column", 1):
        read('topic,update_id,time,text,"a\tb"\nt,u,1,x,y\n')
    assert texts(read('topic,update_id,time,text,"a\tb"\nt,u,1,x,y\n', form="csv")) == ["x"]


# JSON lines


def test_json_lines_with_numbers_strings_and_defaults() -> None:
    lines = [
        {"topic": 1, "update_id": "a", "time": 1.5, "text": "tab\tline\n", "confidence": 0.25},
        {"text": "", "time": "2012-02-22T11:33Z", "query_id": "2", "update_id": 2, "more": [{}]},
        {"topic": "3", "update_id": "c", "time": -1, "text": "é", "confidence": None},
    ]
    rows = read("\n".join(map(json.dumps, lines)) + "\n\n")
    assert ids(rows, "topic") == ["1", "2", "3"]
    assert ids(rows, "update_id") == ["a", "2", "c"]
    assert rows.get("time") == [1.5, SAME, -1.0]
    assert texts(rows) == ["tab\tline\n", "", "é"]
    assert rows.get("confidence") == [0.25, 0.0, 0.0]
    assert "cost" not in rows.names


def test_json_numbers_keep_their_digits_as_ids() -> None:
    rows = read('{"topic": 12345678901234567890123, "update_id": 1.10, "time": 1e3, "text": "x"}\n')
    assert (ids(rows, "topic"), ids(rows, "update_id")) == (["12345678901234567890123"], ["1.10"])


# Parquet


def parquet(**columns: object) -> Rows:
    given = {"topic": ["t", "t"], "update_id": ["a", "b"], "time": [1, 2], "text": ["x", "y"]}
    pq.write_table(pa.table(given | columns), "file")
    return read_rows(Input("file"), schemas()["updates"])


STAMPS = [dt.datetime(2012, 2, 22, 11, 33), dt.datetime(1969, 12, 31, 23, 59, 59, 500_000)]


@pytest.mark.parametrize(
    "times",
    [
        pa.array([SAME, -0.5]),
        pa.array(["1329910380", "-0.5"]),
        pa.array(["2012-02-22T11:33Z", "-0.5"]),
        pa.array(STAMPS, pa.timestamp("ms")),
        pa.array(STAMPS, pa.timestamp("us", tz="UTC")),
        pa.array(STAMPS, pa.timestamp("ns", tz="Asia/Kolkata")),
        pa.array([SAME, -0.5], pa.float32()).cast(pa.float64()).dictionary_encode(),
    ],
    ids=str,
)
def test_times_of_parquet(times: pa.Array) -> None:
    assert parquet(time=times).get("time") == pytest.approx([SAME, -0.5], abs=20)


def test_far_times_of_parquet() -> None:
    rows = parquet(
        time=pa.array([dt.datetime(9999, 1, 1), dt.datetime(1, 1, 1)], pa.timestamp("us"))
    )
    assert rows.get("time") == [253370764800.0, -62135596800.0]


@pytest.mark.parametrize(
    "topics",
    [
        pa.array(["1", "2"]).dictionary_encode(),
        pa.array(["1", "2"], pa.large_string()),
        pa.array(["1", "2"], pa.string_view()),
        pa.array([b"1", b"2"]),
        pa.array([1, 2], pa.int8()),
        pa.array([1, 2], pa.uint64()),
    ],
    ids=str,
)
def test_ids_of_parquet(topics: pa.Array) -> None:
    try:
        rows = parquet(topic=topics)
    except pa.ArrowNotImplementedError as cannot:
        pytest.skip(f"this pyarrow writes no such column: {cannot}")
    assert ids(rows, "topic") == ["1", "2"]


def test_nulls_of_parquet_in_optional_columns_are_the_defaults() -> None:
    rows = parquet(
        confidence=[None, 0.5], cost=[None, 3], run=pa.array(["r", "s"]).dictionary_encode()
    )
    assert rows.get("confidence") == [0.0, 0.5]
    assert rows.get("cost") == [1.0, 3.0]
    assert ids(rows, "run") == ["r", "s"]


def test_parquet_in_several_row_groups_counts_its_rows_on() -> None:
    table = pa.table(
        {"topic": ["t"] * 5, "update_id": list("abcde"), "time": list("123x5"), "text": [""] * 5}
    )
    pq.write_table(table, "file", row_group_size=2)
    with faulty("time-format", 4):
        read_rows(Input("file"), schemas()["updates"])


# Frames


def test_a_frame_is_read_as_its_file_is() -> None:
    frame = pd.read_csv(program.NUGGETS, sep="\t")
    from_frame = tseval.read_nuggets(frame)
    assert from_frame.equals(tseval.read_nuggets(program.NUGGETS))
    assert list(from_frame["text"]) == list(frame["text"])
    (source,) = read_table([frame], READERS["nuggets"]).sources
    assert source.path == "<nuggets>"


def test_a_frame_may_have_any_index_categories_and_time_stamps() -> None:
    frame = pd.DataFrame(
        {
            "topic": pd.Categorical(["t", "t"]),
            "update_id": [1, 2],
            "time": pd.to_datetime(["2012-02-22T11:33Z", "2012-02-22T11:34Z"]),
            "text": ["x", "y"],
        },
        index=[7, 7],
    )
    updates = tseval.read_updates([frame])
    assert updates["time"].tolist() == [SAME, SAME + 60]
    assert updates["update_id"].to_list() == ["1", "2"]
    assert updates["run"].to_list() == ["run", "run"]


def test_a_frame_with_huge_and_mixed_values() -> None:
    frame = pd.DataFrame({"topic": ["t"], "update_id": ["a"], "text": ["x"]})
    frame["time"], frame["cost"] = 5, pd.Series([2**70], dtype=object)
    two = pd.concat([frame, frame.assign(update_id="b", cost="5")], ignore_index=True)
    assert tseval.read_updates([two])["cost"].tolist() == [2.0**70, 5.0]


# Compression and standard input

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda content: bytes(pa.Codec("zstd").compress(content, asbytes=True)),
}


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_compressed_file_is_known_by_its_suffix(suffix: str) -> None:
    path = Path(f"run.tsv{suffix}")
    path.write_bytes(COMPRESS[suffix]((HEADER + ROW).encode()))
    updates = tseval.read_updates([path])
    assert list(updates["text"]) == ["some words"]
    assert updates["run"].to_list() == ["run"]


@pytest.mark.parametrize("suffix", COMPRESS)
def test_compressed_pieces_one_after_the_other_are_one_file(suffix: str) -> None:
    path = Path(f"run.tsv{suffix}")
    path.write_bytes(COMPRESS[suffix](HEADER.encode()) + COMPRESS[suffix](ROW.encode()))
    assert list(tseval.read_updates([path])["text"]) == ["some words"]


@pytest.mark.parametrize("suffix", ["", *COMPRESS])
def test_standard_input_plain_or_compressed(suffix: str) -> None:
    content = Path(program.SWIFT).read_bytes()
    stdin = COMPRESS[suffix](content) if suffix else content
    piped = program.tseval("score", "-", program.NUGGETS, "-f", "csv", "--quiet", stdin=stdin)
    assert (
        piped.out
        == program.tseval("score", program.SWIFT, program.NUGGETS, "-f", "csv", "--quiet").out
    )
    assert program.tseval("validate", "-", stdin=stdin).out == "-: updates, 10 rows, no fault\n"


def test_parquet_from_standard_input() -> None:
    out = pa.BufferOutputStream()
    pq.write_table(pa.table({"topic": ["t"], "update_id": ["a"], "time": ["x"], "text": [""]}), out)
    outcome = program.tseval("score", "-", program.NUGGETS, stdin=out.getvalue().to_pybytes())
    assert outcome.codes == [("time-format", 1)]
    assert "\n  | t\ta\tx\t\n" in outcome.err


# Runs


def runs(*paths: str | Path) -> list[str]:
    return list(tseval.read_updates([str(path) for path in paths])["run"])


def test_a_run_without_a_name_is_called_as_its_file() -> None:
    Path("mine.tsv").write_text(HEADER + ROW)
    assert runs("mine.tsv") == ["mine"]
    assert runs(Path.cwd() / "mine.tsv") == ["mine"]


def test_files_of_the_same_name_are_called_by_their_paths() -> None:
    for folder in ("a", "b"):
        Path(folder).mkdir()
        Path(folder, "run.tsv").write_text(HEADER + ROW)
    Path("other.tsv").write_text(HEADER + ROW)
    assert runs("a/run.tsv", "b/run.tsv", "other.tsv") == ["a/run.tsv", "b/run.tsv", "other"]


def test_a_column_run_goes_before_the_file_s_name() -> None:
    Path("many.tsv").write_text("run\t" + HEADER + "one\t" + ROW + "two\t" + ROW)
    Path("more.tsv").write_text("run\t" + HEADER + "three\t" + ROW)
    assert runs("many.tsv", "more.tsv") == ["one", "two", "three"]


def test_a_run_may_lie_in_several_files() -> None:
    Path("a.tsv").write_text("run\t" + HEADER + "one\t" + ROW)
    Path("b.tsv").write_text("run\t" + HEADER + "one\t" + ROW.replace("u1", "u2"))
    assert runs("a.tsv", "b.tsv") == ["one", "one"]


def test_a_column_that_only_some_files_have_is_filled_in() -> None:
    Path("a.tsv").write_text(HEADER + ROW)
    Path("b.tsv").write_text(HEADER.replace("\n", "\tcost\n") + ROW.replace("\n", "\t7\n"))
    cost = tseval.read_updates(["a.tsv", "b.tsv"])["cost"]
    assert np.isnan(cost[0])
    assert cost[1] == 7.0


def test_an_input_is_recorded_with_the_hash_of_its_bytes() -> None:
    Path("run.tsv").write_bytes((HEADER + ROW).encode())
    (source,) = read_table(["run.tsv"], READERS["updates"]).sources
    assert (source.path, source.rows, source.unit) == ("run.tsv", 1, "line")
    assert source.sha256 == hashlib.sha256((HEADER + ROW).encode()).hexdigest()


# Writing


def test_a_file_is_written_whole_with_the_rights_of_the_one_it_replaces() -> None:
    path = Path("result.csv")
    write_file(path, b"one")
    mask = os.umask(0)
    os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~mask
    path.chmod(0o640)
    write_file(path, b"two")
    assert path.read_bytes() == b"two"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in Path().iterdir()] == ["result.csv"]


def test_a_device_is_written_to_and_not_replaced() -> None:
    write_file(os.devnull, b"gone")
    assert not Path(os.devnull).is_file()


def test_clusters_stand_for_duplicates(tmp_path: Path) -> None:
    path = tmp_path / "clusters.tsv"
    path.write_text(
        "topic\tcluster_id\tpost_id\ttime\nt\tc\ta\t1\nt\td\tb\t1\nt\tc\tb\t2\ns\tc\tz\t1\n"
    )
    pairs = read_table([path], READERS["duplicates"]).frame
    linked = pairs.select("topic", "update_id", "duplicate_id")
    assert linked.rows() == [("t", "a", "a"), ("t", "b", "b"), ("t", "b", "a"), ("s", "z", "z")]
    lines = tmp_path / "clusters.jsonl"
    lines.write_text('{"topic": "t", "cluster_id": 1, "post_id": "a", "time": 5}\n')
    assert read_table([lines], READERS["duplicates"]).frame["update_id"].to_list() == ["a"]
