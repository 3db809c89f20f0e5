"""No input makes the program hold or read more than its limits: counted in bytes."""

from __future__ import annotations

import csv
import gzip
import io
import sys
import tracemalloc
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tseval
from matchers import contract
from matchers.containment import ContainmentBlock, ContainmentGold
from tests import program
from tests.program import faulty
from tests.reading import read_rows
from tseval.errors import InputError, TsevalError, UsageError
from tseval.io import inputs
from tseval.io.blocks import LineBlock, blocks_of
from tseval.io.compressed import Streams
from tseval.io.faults import FaultList
from tseval.io.inputs import Input, LongLine, whole_lines
from tseval.io.limits import DOCUMENT, LIMITS, LINE, shown
from tseval.io.schema import NUGGETS
from tseval.io.text_lines import text_lines

HEAD = b"topic\tupdate_id\ttime\ttext\n"
ROW = b"t1\tu%d\t1329910380\tfour dead\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def unpacked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes each call for decompressed bytes gave."""
    given: list[int] = []
    plain = Streams.read

    def read(self: Streams, size: int = -1) -> bytes:
        content = plain(self, size)
        given.append(len(content))
        return content

    monkeypatch.setattr(Streams, "read", read)
    return given


def limited(monkeypatch: pytest.MonkeyPatch, setting: str) -> None:
    monkeypatch.setenv("TSEVAL_LIMITS", setting)


def packed(path: str, content: bytes) -> Input:
    Path(path).write_bytes(gzip.compress(content, 1))
    return Input(path)


def test_a_long_line_is_refused_after_its_limit(
    unpacked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert LINE.most == LINE.default == 16 << 20
    limited(monkeypatch, "line=1M")
    size = 64 << 20
    source = packed("run.tsv.gz", HEAD + ROW % 1 + b"t1\tu2\t1329910380\t" + b"a" * size + b"\n")
    with pytest.raises(InputError) as error:
        tseval.score(str(source), program.NUGGETS)
    (fault,) = error.value.faults
    assert (fault.place, fault.reason) == (
        "run.tsv.gz:3",
        "is a line of more than 1M, the limit 'line'",
    )
    assert "TSEVAL_LIMITS=line=4M" in fault.cure
    assert fault.text.startswith("t1\tu2\t1329910380\taaaa")
    assert len(fault.text) <= inputs.SHOWN_BYTES
    # Its name is looked for in the head, it is read up to the limit, and once more up to its line.
    assert sum(unpacked) < 4 * LINE.most


@pytest.mark.parametrize(
    ("name", "before", "form"),
    [
        ("run.tsv", HEAD, "tsv"),
        ("run.csv", HEAD.replace(b"\t", b","), "csv"),
        ("run.jsonl", b'{"topic": "t"}\n', "jsonl"),
    ],
)
def test_every_form_of_lines_refuses_it(
    name: str, before: bytes, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited(monkeypatch, "line=2K")
    Path(name).write_bytes(before + b'{"a": "' + b"x" * 3000 + b'"}\n')
    done = program.tseval("score", name, program.NUGGETS, "--input-format", form)
    assert done.code == 1
    assert done.codes == [("too-large", 2)]
    assert "TSEVAL_LIMITS=line=8K in the environment" in done.err


def test_a_line_of_just_the_limit_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    limited(monkeypatch, "line=4096")
    lines = [b"x" * 4096, b"y" * 10, b"z" * 4096]
    for end in (b"", b"\n"):
        Path("f").write_bytes(b"\n".join(lines) + end)
        assert b"".join(Input("f").blocks()) == b"\n".join(lines) + b"\n"
    Path("f").write_bytes(b"\n".join([*lines, b"w" * 4097]))
    with faulty("too-large", 4):
        list(Input("f").blocks())


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 100])
def test_blocks_are_the_file_wherever_they_are_cut(size: int) -> None:
    content = b"\n".join(b"l" * (at % 7) for at in range(50))
    stream = io.BytesIO(content)
    blocks = list(whole_lines(lambda asked: stream.read(min(size, asked)), 6))
    assert b"".join(blocks) == content
    assert all(block.endswith(b"\n") for block in blocks[:-1])
    stream = io.BytesIO(content + b"l")
    with pytest.raises(LongLine):
        list(whole_lines(lambda asked: stream.read(min(size, asked)), 5))


def test_a_quoted_field_over_lines_has_the_limit_of_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    limited(monkeypatch, "line=2K")
    rows = b'topic,update_id,time,text\nt,u,1329910380,"never closed\n' + b"more words\n" * 10_000
    Path("run.csv").write_bytes(rows)
    done = program.tseval("score", "run.csv", program.NUGGETS)
    assert done.codes == [("too-large", 2)]


def test_a_longer_field_than_python_takes_leaves_its_limit_as_it_was() -> None:
    most = csv.field_size_limit()
    text = "flood " * most
    rows = f'topic,update_id,time,text\nflood,u1,1699920000,{text}\nflood,=u2,1699920000,"{text}"\n'
    Path("run.csv").write_text(rows)
    done = program.tseval("score", "run.csv", program.NUGGETS, "--explain", "updates", "-f", "csv")
    assert (done.code, text in done.out) == (0, True), done.err
    assert "1 cell begins as a formula does (=u2)" in done.err
    assert csv.field_size_limit() == most


def test_the_limit_of_fields_is_lifted_once_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [f"t,n{at},1699920000,water" for at in range(5000)]
    Path("gold.csv").write_text("\n".join(["topic,nugget_id,time,text", *rows, ""]))
    set_to: list[int] = []
    real = csv.field_size_limit

    def counted(*limit: int) -> int:
        set_to.extend(limit)
        return real(*limit)

    monkeypatch.setattr(csv, "field_size_limit", counted)
    assert len(read_rows(Input("gold.csv"), NUGGETS, "csv").lines) == len(rows)
    assert set_to == [LINE.most, real()]


def test_threads_that_read_long_fields_leave_the_limit_as_it_was() -> None:
    most = csv.field_size_limit()
    long = "water " * most
    head = "topic,nugget_id,time,text\n"
    for name, times in (("short", 500), ("long", 3)):
        body = "".join(
            f"t,n{at},1699920000,{long if name == 'long' else name}\n" for at in range(times)
        )
        Path(f"{name}.csv").write_text(head + body)

    def read(name: str) -> int:
        return len(read_rows(Input(name), NUGGETS, "csv").lines)

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(read, ["long.csv", "short.csv"] * 8))
    assert found == [3, 500] * 8
    assert csv.field_size_limit() == most


def test_a_document_may_be_one_line_and_has_a_limit(
    monkeypatch: pytest.MonkeyPatch, unpacked: list[int]
) -> None:
    rows = [
        f'{{"topic": "t", "update_id": "{at}", "time": 1329910380, "text": "x"}}'
        for at in range(90)
    ]
    source = packed("run.json.gz", f"[{', '.join(rows)}]".encode())
    limited(monkeypatch, "line=1K document=1M")
    assert tseval.score(str(source), program.NUGGETS, on_missing="skip").inputs[0].rows == 90
    packed("run.json.gz", f"[{', '.join(rows * 2000)}]".encode())
    limited(monkeypatch, "document=1M,line=1K")
    unpacked.clear()
    with pytest.raises(InputError) as error:
        tseval.score("run.json.gz", program.NUGGETS)
    (fault,) = error.value.faults
    assert (
        fault.reason == "is a file that is read as a whole, of more than 1M, the limit 'document'"
    )
    assert "TSEVAL_LIMITS=document=4M" in fault.cure
    assert sum(unpacked) < DOCUMENT.most + 2 * inputs.BLOCK_BYTES


def test_what_never_ends_is_read_no_further_than_a_document(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limited(monkeypatch, "document=1M")
    given: list[int] = []

    class Endless(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            given.append(len(buffer))
            return len(buffer)

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Endless())))
    with faulty("too-large", None):
        tseval.score("-", program.NUGGETS)
    assert sum(given) <= DOCUMENT.most + 2 * inputs.BLOCK_BYTES


@pytest.mark.parametrize(
    "arguments",
    [
        ["validate", "/dev/zero"],
        ["score", program.SWIFT, program.NUGGETS, "--columns", "/dev/zero"],
        ["score", "--follow", program.NUGGETS, "--state", "/dev/zero"],
    ],
)
def test_a_device_that_never_ends_is_refused_by_name(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    limited(monkeypatch, "document=1M")
    result = program.tseval(*arguments)
    assert result.code == 1
    said = "/dev/zero: is a file that is read as a whole, of more than 1M, the limit 'document'"
    assert said in result.err + result.out


def test_all_that_a_pipe_gives_is_read_whatever_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "BLOCK_BYTES", 8)
    for size in (0, 1, 7, 8, 9, 16, 17):
        content = bytes(range(size))
        assert inputs.all_of(io.BytesIO(content), "-") == content


@pytest.mark.parametrize("cells", [b'<c r="XFD1048576">', b"<c  s='1' r = 'A1'/><x:c r='ZZZZZZ3'>"])
def test_a_cell_far_down_and_to_the_right_makes_no_sheet_of_all_cells_before_it(
    cells: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    calamine = pytest.importorskip("python_calamine", reason="needs the extra excel")
    monkeypatch.setattr(calamine, "CalamineWorkbook", None)  # it is never asked
    with zipfile.ZipFile("run.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", cells + b"<v>1</v></c>")
    with pytest.raises(InputError) as error:
        tseval.score("run.xlsx", program.NUGGETS)
    assert "of more than 1G, the limit 'document'" in error.value.faults[0].reason


@pytest.mark.parametrize("told", [None, 1000])
def test_a_spreadsheet_is_unpacked_no_further_than_a_document_may_go(
    told: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("python_calamine", reason="needs the extra excel")
    size = 64 << 20
    with zipfile.ZipFile("run.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", bytes(size))
    content = Path("run.xlsx").read_bytes()
    if told is not None:  # an archive whose sizes are wrong
        content = content.replace(size.to_bytes(4, "little"), told.to_bytes(4, "little"))
        Path("run.xlsx").write_bytes(content)
    assert len(content) < 100_000
    limited(monkeypatch, "document=2M")
    tracemalloc.start()
    with pytest.raises(InputError) as error:
        tseval.score("run.xlsx", program.NUGGETS)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "of more than 2M, the limit 'document'" in error.value.faults[0].reason
    assert held < size // 2


def test_parquet_that_tells_many_rows_with_few_bytes_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = 200_000
    columns = {"topic": "t", "update_id": "u", "time": "1329910380", "text": "storm"}
    alike = {name: [value] * rows for name, value in columns.items()}
    pq.write_table(pa.table(alike), "alike.parquet")
    apart = alike | {"update_id": [f"u{at}" for at in range(rows)]}
    pq.write_table(pa.table(apart), "apart.parquet")
    assert Path("alike.parquet").stat().st_size < 10_000
    limited(monkeypatch, "document=4M")
    done = program.tseval("validate", "alike.parquet", "--table", "updates")
    assert "alike.parquet: is a file that is read as a whole, of more than 4M" in done.out
    assert program.tseval("validate", "apart.parquet", "--table", "updates").code == 0
    limited(monkeypatch, "document=7M")
    done = program.tseval("validate", "alike.parquet", "--table", "updates")
    assert "stands twice" in done.out


def parquet_that_tells(name: str, rows: int, told: dict[int, int]) -> None:
    """Parquet of so many rows, in whose metadata some numbers are others."""

    def whole(number: int) -> bytes:
        left, found = number << 1, bytearray()
        while left > 127:
            found.append(left & 127 | 128)
            left >>= 7
        return bytes([*found, left])

    columns = {"topic": "t", "time": "1329910380", "text": "storm"}
    table = {each: [value] * rows for each, value in columns.items()}
    table["update_id"] = [f"u{at}" for at in range(rows)]
    pq.write_table(pa.table(table), name, compression="none")
    content = Path(name).read_bytes()
    size = int.from_bytes(content[-8:-4], "little")
    pages, metadata = content[: -8 - size], content[-8 - size : -8]
    for number, other in told.items():
        assert whole(number) in metadata
        metadata = metadata.replace(whole(number), whole(other))
    Path(name).write_bytes(pages + metadata + len(metadata).to_bytes(4, "little") + b"PAR1")


@pytest.mark.parametrize("rows", [10_000, 2_000_000_000])
def test_parquet_that_tells_other_numbers_of_rows_is_refused(rows: int) -> None:
    parquet_that_tells("true.parquet", 5000, {5000: 5000})
    assert program.tseval("validate", "true.parquet", "--table", "updates").code == 0
    parquet_that_tells("run.parquet", 5000, {5000: rows})
    limit = "is a file that is read as a whole, of more than 1G, the limit 'document'"
    whole = limit if rows > 10_000 else "cannot be read as Parquet"
    asked = ("score", "run.parquet", program.NUGGETS, "--matcher", "exact")
    assert f"run.parquet: {whole}" in program.tseval(*asked).err
    assert f"run.parquet: {whole}" in program.tseval(*asked, "--in-blocks", "1000").err
    assert f"run.parquet: {whole}" in program.tseval("validate", "run.parquet").out


def test_parquet_that_tells_large_sizes_holds_no_more_than_the_limit() -> None:
    parquet_that_tells("run.parquet", 5000, {})
    told = pq.ParquetFile("run.parquet").metadata.row_group(0).total_byte_size
    parquet_that_tells("run.parquet", 5000, {5000: 2_000_000_000, told: 10**12})
    done = program.tseval("validate", "run.parquet", "--table", "updates")
    assert "run.parquet: is a file that is read as a whole, of more than 1G" in done.out


def test_a_live_line_is_not_waited_for_beyond_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    limited(monkeypatch, "line=2K")
    taken: list[int] = []

    def endless(size: int) -> bytes:
        taken.append(min(size, 700))
        return b"a\nb\nc" if len(taken) == 1 else b"x" * taken[-1]

    blocks = blocks_of(endless)
    assert next(blocks) == b"a\nb\n"
    with faulty("too-large", 3):
        next(blocks)
    assert sum(taken) <= 2048 + 2 * 700


def test_a_live_stream_keeps_what_came_before(monkeypatch: pytest.MonkeyPatch) -> None:
    limited(monkeypatch, "line=2K")
    line = '{"topic": "flood", "update_id": "u%d", "time": 1329910380, "text": "%s"}\n'
    content = (line % (1, "x") + line % (2, "x" * 3000)).encode()
    done = program.tseval("score", "--follow", "--state", "s", program.NUGGETS, stdin=content)
    assert done.code == 1
    assert '"updates": 1' in done.out
    assert done.codes == [("too-large", 2)]
    whole = (line % (1, "x") + line % (2, "y")).encode()
    again = program.tseval("score", "--follow", "--state", "s", program.NUGGETS, stdin=whole)
    assert again.code == 0
    assert '"updates": 2' in again.out


def test_faults_of_a_live_stream_do_not_wait_for_its_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)  # whoever asks for more fails
    faults = FaultList(LineBlock(Input("-"), b"y\ny\ny\ny\n", 6))
    for line in (7, 8, 9, 10):
        faults.add(line, "not JSON", "", "json-syntax")
    with pytest.raises(InputError) as error:
        faults.check()
    assert [(each.line, each.text) for each in error.value.faults] == [
        (line, "y") for line in (7, 8, 9, 10)
    ]


def test_the_line_that_is_too_long_is_counted_over_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "BLOCK_BYTES", 64)
    limited(monkeypatch, "line=100")
    Path("f").write_bytes(b"short\n" * 1000 + b"x" * 101)
    source = Input("f")
    lines: Iterator[Any] = text_lines(source, FaultList(source))
    with faulty("too-large", 1001):
        list(lines)


def one_text(updates: int, nuggets: int) -> None:
    """Updates and nuggets that all say the same."""
    rows = [f"t\tu{at}\t{1329910380 + at}\tstorm hits the coast\n" for at in range(updates)]
    Path("run.tsv").write_text("topic\tupdate_id\ttime\ttext\n" + "".join(rows))
    rows = [f"t\tn{at}\t1329910380\tstorm hits\n" for at in range(nuggets)]
    Path("gold.tsv").write_text("topic\tnugget_id\ttime\ttext\n" + "".join(rows))


@pytest.mark.parametrize("more", [(), ("-j", "2"), ("--in-blocks", "20")])
def test_matches_are_counted_before_they_are_all_there(
    more: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    one_text(20, 50)
    limited(monkeypatch, "matches=999")
    done = program.tseval("score", "run.tsv", "gold.tsv", *more)
    assert done.code == 1
    assert (
        'topic "t" brings the matches of updates with nuggets to 1,000, which is more than 999, '
        "the limit 'matches'"
    ) in done.err
    assert "if it is meant to be so many, raise the limit: TSEVAL_LIMITS=matches=3996" in done.err
    limited(monkeypatch, "matches=1000")
    assert program.tseval("score", "run.tsv", "gold.tsv", *more).code == 0


def test_blocks_hold_fewer_matches_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    one_text(20, 50)
    limited(monkeypatch, "matches=500")
    assert program.tseval("score", "run.tsv", "gold.tsv").code == 1
    assert program.tseval("score", "run.tsv", "gold.tsv", "--in-blocks", "10").code == 0


def test_no_block_is_matched_after_the_one_that_is_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[int] = []
    plain = ContainmentGold.block

    def block(self: ContainmentGold, texts: list[str]) -> ContainmentBlock:
        read.append(len(texts))
        return plain(self, texts)

    monkeypatch.setattr(ContainmentGold, "block", block)
    monkeypatch.setattr(contract, "PAIRS", 100)
    one_text(20, 50)
    limited(monkeypatch, "matches=250")
    with pytest.raises(TsevalError, match="to 300, which is more than 250"):
        tseval.score("run.tsv", "gold.tsv", matcher="fuzzy")
    assert len(read) == 3  # each of two updates, which are of one text


def test_a_match_takes_no_more_bytes_than_before() -> None:
    one_text(100, 2000)
    tseval.score("run.tsv", "gold.tsv", matcher="exact")  # loads all but the matcher
    tracemalloc.start()
    tseval.score("run.tsv", "gold.tsv", matcher="fuzzy")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak / 200_000 < 70  # with all that a run without matches takes, too


@pytest.mark.parametrize("setting", ["lines=3", "line", "line=", "line=0", "line=1T", "line=-1"])
def test_a_setting_that_says_nothing_is_refused(
    setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited(monkeypatch, setting)
    with pytest.raises(UsageError, match="by default it is: line=16M document=1G"):
        list(Input(program.SWIFT).blocks())
    assert program.tseval("score", program.SWIFT, program.NUGGETS).code == 2


def test_limits_are_shown_as_they_are_written() -> None:
    assert [shown(size) for size in (1, 1023, 1024, 3 << 20, 1 << 30)] == [
        "1",
        "1023",
        "1K",
        "3M",
        "1G",
    ]
    assert {limit.name: limit for limit in LIMITS.values()} == LIMITS
