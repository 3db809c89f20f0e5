"""An id that stands twice is found in blocks and in live streams."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests import program
from tseval.io.blocks import HASH_BYTES, Repeats, twice

TIME = 1_699_920_000


PAIR = ("one", "other")


def rows(ids: tuple[str, ...]) -> list[dict[str, object]]:
    return [
        {"topic": "flood", "update_id": name, "time": TIME + at, "text": f"River {at}"}
        for at, name in enumerate(ids)
    ]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("number", [1, 2, 50])
def test_blocks_look_again(number: int) -> None:
    Path("run.jsonl").write_text("".join(json.dumps(each) + "\n" for each in rows(PAIR)))
    asked = ("score", "run.jsonl", program.NUGGETS, "-f", "json")
    whole, blocks = program.tseval(*asked), program.tseval(*asked, "--in-blocks", number)
    assert (whole.code, blocks) == (0, whole)
    twice_there = rows((*PAIR, PAIR[1]))
    Path("run.jsonl").write_text("".join(json.dumps(each) + "\n" for each in twice_there))
    refused = program.tseval(*asked, "--in-blocks", number)
    assert refused.codes == [("duplicate-id", 3)]
    assert "first at run.jsonl:2" in refused.err or "first in line 2" in refused.err


def test_a_live_stream_takes_both_and_neither_twice() -> None:
    asked = ("score", "--follow", program.NUGGETS, "--state", "state")
    content = "".join(json.dumps(each) + "\n" for each in rows(PAIR))
    done = program.tseval(*asked, stdin=content.encode())
    assert done.code == 0, done.err
    assert json.loads(done.out.splitlines()[-1])["updates"] == 2
    more = json.dumps(rows((*PAIR, PAIR[0]))[2]) + "\n"
    again = program.tseval(*asked, stdin=(content + more).encode())
    assert again.code == 1
    assert again.codes == [("duplicate-id", 3)]


def test_hashes_that_end_with_zeros_stay_what_they_are() -> None:
    whole = [b"\x01" * (HASH_BYTES - 1) + bytes([end]) for end in (0, 1, 2)]
    marks = np.array(whole, f"S{HASH_BYTES}")
    kept = Repeats()
    kept.remember(marks[:1])
    assert kept.known(marks).tolist() == [True, False, False]
    assert twice(np.concatenate([marks, marks[1:2]])).tolist() == [False, False, False, True]
