"""How many matches are held has a limit; lines, fields and files may have any length."""

from __future__ import annotations

import io
import sys
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tseval
from matchers import contract
from matchers.containment import ContainmentBlock, ContainmentGold
from tests import program
from tseval.errors import InputError, TsevalError
from tseval.io.blocks import LineBlock
from tseval.io.faults import FaultList
from tseval.io.inputs import Input, complete_lines


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def limited(monkeypatch: pytest.MonkeyPatch, setting: str) -> None:
    monkeypatch.setenv("TSEVAL_LIMITS", setting)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 100])
def test_blocks_are_the_file_wherever_they_are_cut(size: int) -> None:
    content = b"\n".join(b"l" * (at % 7) for at in range(50))
    stream = io.BytesIO(content)
    blocks = list(complete_lines(iter(lambda: stream.read(size), b"")))
    assert b"".join(blocks) == content
    assert all(block.endswith(b"\n") for block in blocks[:-1])


def test_a_field_may_be_longer_than_python_takes_by_itself() -> None:
    text = "flood " * 131_072
    rows = f'topic,update_id,time,text\nflood,u1,1699920000,{text}\nflood,=u2,1699920000,"{text}"\n'
    Path("run.csv").write_text(rows)
    done = program.tseval("score", "run.csv", program.NUGGETS, "--explain", "updates", "-f", "csv")
    assert (done.code, text in done.out) == (0, True), done.err
    assert "1 cell begins as a formula does (=u2)" in done.err


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


def test_parquet_that_tells_another_number_of_rows_is_refused() -> None:
    parquet_that_tells("true.parquet", 5000, {5000: 5000})
    assert program.tseval("validate", "true.parquet", "--table", "updates").code == 0
    parquet_that_tells("run.parquet", 5000, {5000: 10_000})
    whole = "cannot be read as Parquet"
    asked = ("score", "run.parquet", program.NUGGETS, "--matcher", "exact")
    assert f"run.parquet: {whole}" in program.tseval(*asked).err
    assert f"run.parquet: {whole}" in program.tseval(*asked, "--in-blocks", "1000").err
    assert f"run.parquet: {whole}" in program.tseval("validate", "run.parquet").out


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


@pytest.mark.parametrize("setting", ["lines=3", "matches", "matches=", "matches=0", "matches=1T"])
def test_a_setting_that_says_nothing_is_refused(
    setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_text(1, 1)
    limited(monkeypatch, setting)
    done = program.tseval("score", "run.tsv", "gold.tsv")
    assert done.code == 2
    assert "by default it is: matches=64M" in done.err
