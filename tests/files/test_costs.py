"""What reading costs grows with the input and no faster: in calls and bytes looked at.

Where the work is done inside a single call, the time of the processor is bounded: by far less than
the quadratic way would take, and far more than the linear one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tseval
from tests import program
from tseval.core.guessed_columns import guessed
from tseval.errors import InputError
from tseval.families.temporal.files import READERS
from tseval.io import json_text
from tseval.io.inputs import Input
from tseval.io.schema import UPDATES
from tseval.io.tables import read

HEAD = "topic\tupdate_id\ttime\ttext\n"
TIME = 1329910380


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_all_rows_that_stand_twice_are_named() -> None:
    number = 3000
    lines = [f"t\tu{at}\t{TIME}\tx\n" for at in range(number)]
    Path("run.tsv").write_text(HEAD + "".join(lines * 2))
    with pytest.raises(InputError) as error:
        tseval.score("run.tsv", program.NUGGETS)
    assert len(error.value.faults) == number
    assert error.value.faults[7].reason == 'update_id "u7" stands twice within its topic'


class Counted(bytes):
    """Bytes that count how many of them are looked at for a line's number."""

    looks = 0

    def count(self, *given: Any) -> int:
        start, end = (*given[1:], 0, len(self))[:2] if len(given) < 3 else given[1:3]
        Counted.looks += end - start
        return super().count(*given)


def test_an_event_costs_as_much_as_the_one_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Input.complete_lines
    monkeypatch.setattr(Input, "complete_lines", lambda self: Counted(plain(self)))
    event = "<event><id>%d</id><start>%d</start><end>%d</end></event>\n"
    Path("topics.xml").write_text(
        "<events>\n" + "".join(event % (at, TIME, TIME + 9) for at in range(2000)) + "</events>"
    )
    topics = read(["topics.xml"], READERS["topics"]).frame
    assert topics["line"].to_list() == list(range(2, 2002))
    assert Counted.looks <= 5 * Path("topics.xml").stat().st_size


def test_events_are_those_of_the_document() -> None:
    Path("topics.xml").write_text(
        "<!-- <event><id>no</id></event>\n -->\n<events>\n<event>\n"
        "<title><id>inner</id></title><id> 1 </id><id>9</id>"
        "<start><![CDATA[1329910380]]></start><end>1329910390</end></event>\n"
        "<event><id>&#50;&amp;</id><start>1329910380</start><end>1329910390</end></event>\n</events>"
    )
    topics = read(["topics.xml"], READERS["topics"]).frame
    assert topics["topic"].to_list() == ["1", "2&"]
    assert topics["line"].to_list() == [4, 6]


BOUNDED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
from tseval.io.times import Moment, NotANumber, moment, duration
from tseval.families.temporal.files import READERS
from tseval.io.tables import read as read_table
from tseval.core.guessed_columns import guessed
from tseval.errors import InputError
from tseval.io import json_text
for read, text in (
    (moment, "1" * 300_000 + "x"), (duration, "1" * 300_000 + "x"), (Moment.parse, "." * 300_000),
):
    try:
        read(text)
    except NotANumber:
        print("refused")
try:
    read_table(["comments.xml"], READERS["topics"])
except InputError as error:
    print(error.faults[0].reason)
"""


def test_long_cells_and_open_comments_are_refused_in_no_time() -> None:
    """Each took over an hour: the processor's time is bounded at half a minute."""
    Path("comments.xml").write_text("<events>\n" + "<!--" * 500_000 + "</events>\n")
    done = subprocess.run([sys.executable, "-c", BOUNDED], capture_output=True, text=True)
    assert done.stdout.splitlines() == ["refused"] * 3 + ["is not well-formed XML"], done.stderr


def test_topics_are_divided_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each update is compared with no topic but its own."""
    from tseval.matching import matching

    sizes: list[int] = []
    plain = matching.rows_by_topic

    def counted(texts: pl.DataFrame, topics: Sequence[str]) -> dict[int, Any]:
        sizes.append(texts.height)
        return plain(texts, topics)

    monkeypatch.setattr(matching, "rows_by_topic", counted)
    Path("run.tsv").write_text(HEAD + "".join(f"t{at}\tu\t{TIME}\tx{at}\n" for at in range(60)))
    gold = (HEAD + "".join(f"t{at}\tn\t{TIME}\tx{at}\n" for at in range(60))).replace(
        "update_id", "nugget_id"
    )
    Path("gold.tsv").write_text(gold)
    assert tseval.score("run.tsv", "gold.tsv", matcher="exact", measures="R").value("R") == 1.0
    assert sum(sizes) == 120


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_columns_are_guessed_by_reading_a_log_as_often_whatever_their_number(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    plain = json_text.load

    def load(text: str | bytes, **more: Any) -> Any:
        read.append(len(text))
        return plain(text, **more)

    monkeypatch.setattr(json_text, "load", load)
    often = []
    for columns in (5, 50):
        read.clear()
        row = {"event": "e", "id": "u", "when": TIME, "message": "storm hits", "null": None}
        row |= {f"c{at}": {"in": at} if at % 2 else at for at in range(columns)}
        records = [row | {"id": f"u{at}"} for at in range(20)]
        records[7]["c1"] = "x"
        rows = list(map(json.dumps, records))
        Path("log").write_text(f"[{', '.join(rows)}]" if form == "json" else "\n".join(rows))
        found = guessed(Input("log"), UPDATES, {"text": "message"})
        names = (f"c{at}.in" if at % 2 else f"c{at}" for at in range(columns))
        kept = {"event", "id", "when", "message", "c1", *names}
        assert found.cells.keys() == kept
        often.append(len(read))
    assert often[0] == often[1] <= 20 * 2
