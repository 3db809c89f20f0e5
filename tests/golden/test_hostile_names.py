"""Names and texts that try to be something else, in every output: they stay what they are.

Each name is a run, a topic, an update, a nugget and a part of every text. The files are made once.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest

from tests import program
from tseval.errors import visible
from tseval.io.score_files import SPECIAL
from tseval.reporting.page.markup import visible_text

HOSTILE = {
    "escape sequence": "a\x1b[31mred\x9b2J\x07",
    "bidi": "a\u202eevil\u202c\u2066x\u2069",
    "tag": '<b onclick="x">bold</b><img src=x onerror=alert(1)>',
    "script": "</script><script>alert(1)</script>",
    "entity": "fish &amp; chips &lt;",
    "mathtext": r"$\frac{1}{0}$ $x_1$",
    "lines": "one\ntwo\r\nthree\tfour",
    "long": "long " * 99 + "end",
    "empty-looking": "\u200b\u2060\u3164",
    "combining": "e\u0301" + "\u0338" * 40 + "x",
    "emoji": "🚒👩\u200d🚒🏳\ufe0f\u200d🌈",
    "right to left": "سيول عمان",
    "quotes": "a\"b'c`d''e,\"",
    "backslashes": "[*]\\[a\\\\b\\n\\",
    "formula": "=cmd|' /C calc'!A0",
    "null": "a\x00b",
    "path": "../../etc/passwd",
    "pipe": "| a | b |\\|",
}
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
TEXT = {characters: letter for letter, characters in SPECIAL.items()}


def name_of(hostile: str) -> str:
    """The name as results have it: no table could hold a line's end or a tab."""
    return re.sub(r"[\t\r\n]", " ", hostile)


NAMES = [name_of(each) for each in HOSTILE.values()]


def lines(path: Path, key: str, time: int) -> str:
    records = [
        {"topic": name, key: name, "time": time, "text": f"banks {at} burst {hostile}"}
        for at, (name, hostile) in enumerate(zip(NAMES, HOSTILE.values(), strict=True))
    ]
    path.write_text("".join(f"{json.dumps(each)}\n" for each in records))
    return str(path)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], bytes]:
    """Makes an output, or takes it as it was made."""
    folder = tmp_path_factory.mktemp("hostile")
    runs = [lines(folder / f"{at}.jsonl", "update_id", 1710000000) for at in range(len(HOSTILE))]
    gold = lines(folder / "gold.jsonl", "nugget_id", 1710000000)
    named = [f"--name={run}={name}" for run, name in zip(runs, HOSTILE.values(), strict=True)]
    asked: dict[str, tuple[object, ...]] = {
        "table": ("score", *runs, gold, *named, "-q"),
        "markdown": ("score", *runs, gold, *named, "-q", "-f", "markdown"),
        "latex": ("score", *runs, gold, *named, "-q", "-f", "latex"),
        "csv": ("score", *runs, gold, *named, "-q", "-f", "csv"),
        "safe csv": ("score", *runs, gold, *named, "-q", "-f", "csv", "--safe-csv"),
        "trec": ("score", *runs, gold, *named, "-q", "-f", "trec"),
        "tsv": ("score", *runs, gold, *named, "--explain", "updates", "-f", "tsv"),
        "json": ("score", *runs, gold, *named, "-q", "-f", "json"),
        "parquet": ("score", *runs, gold, *named, "-q", "-f", "parquet"),
        "jsonl": ("score", "--follow", gold, "-m", "R", "-q"),
        "svg": ("curve", *runs, gold, *named, "-m", "R", "-f", "svg"),
        "png": ("curve", *runs, gold, *named, "-m", "R", "-f", "png"),
        "chart": ("curve", *runs, gold, *named, "-m", "R", "-f", "html"),
        "page": ("report", folder / "scores.json", "-m", "R"),
    }
    kept: dict[str, bytes] = {}

    def output(which: str) -> bytes:
        if which not in kept:
            if which == "page":
                (folder / "scores.json").write_bytes(output("json"))
            stdin = Path(runs[0]).read_bytes() if which == "jsonl" else b""
            outcome = program.tseval(*asked[which], stdin=stdin)
            assert outcome.code == 0, outcome.err
            assert not STEERS.search(outcome.err.replace("\r", ""))
            kept[which] = outcome.output
        return kept[which]

    return output


def in_table(content: bytes, name: str) -> None:
    text = content.decode()
    assert STEERS.search(text) is None
    rows = [
        line
        for line in text.splitlines()
        if " ".join(visible(name).split()) in " ".join(line.split())
    ]
    assert len(rows) >= len(NAMES)


def in_markdown(content: bytes, name: str) -> None:
    rows = [
        re.split(r"(?<!\\)\|", line) for line in content.decode().split("\n") if line[:1] == "|"
    ]
    assert {len(row) for row in rows} == {len(rows[0])}
    assert STEERS.search(content.decode()) is None
    cell = " ".join(visible(name).split()).replace("|", r"\|")
    assert sum(row[1].strip() == cell for row in rows) == len(NAMES) + 1  # and `all`


def in_latex(content: bytes, name: str) -> None:
    """Every line of the table, read as LaTeX would, has the name; nothing in it is a command."""
    text = content.decode()
    body = text[text.index(r"\midrule") + 9 : text.index(r"\bottomrule")]
    rows = [re.split(r"(?<!\\)&", line.removesuffix(r" \\")) for line in body.splitlines()]
    assert {len(row) for row in rows} == {len(rows[0])}
    assert not any(row[0].startswith(("[", "*")) for row in rows)
    written = "|".join(map(re.escape, sorted(TEXT, key=len, reverse=True)))
    cells = [re.sub(written, lambda each: TEXT[each[0]], row[0].strip()) for row in rows]
    guard = "{}" if name.startswith("[") else ""
    assert cells.count(guard + " ".join(visible(name).split())) == len(NAMES) + 1
    for row in rows:
        left = re.sub(rf"{written}|\A{{}}", "", row[0])
        assert not set(left) & set("\\&%$#_{}~^"), row


def in_csv(content: bytes, name: str) -> None:
    rows = list(csv.reader(io.StringIO(content.decode(), newline="")))
    assert {len(row) for row in rows} == {4}
    assert {row[1] for row in rows if row[0] == name} == {*NAMES, "all"}


def in_safe_csv(content: bytes, name: str) -> None:
    rows = list(csv.reader(io.StringIO(content.decode(), newline="")))
    assert not any(cell.startswith(("=", "+", "@")) for row in rows for cell in row)
    assert (f"'{name}" if name.startswith("=") else name) in {row[0] for row in rows}


def in_trec(content: bytes, name: str) -> None:
    rows = [line.split("\t") for line in content.decode().removesuffix("\n").split("\n")]
    assert {len(row) for row in rows} == {4}
    assert {row[2] for row in rows if row[0] == name} == {*NAMES, "all"}


def in_tsv(content: bytes, name: str) -> None:
    head, *rows = [line.split("\t") for line in content.decode().removesuffix("\n").split("\n")]
    assert {len(row) for row in rows} == {len(head)}
    assert [(row[0], row[1], row[2]) for row in rows if row[1] == name] == [
        (run, name, name) for run in sorted(NAMES, key=[row[0] for row in rows].index)
    ]


def in_json(content: bytes, name: str) -> None:
    records = json.loads(content)["records"]
    assert {each["topic"] for each in records if each["run"] == name} == {*NAMES, "all"}


def in_parquet(content: bytes, name: str) -> None:
    records = pq.read_table(io.BytesIO(content)).to_pylist()
    assert {each["topic"] for each in records if each["run"] == name} == {*NAMES, "all"}


def in_jsonl(content: bytes, name: str) -> None:
    records = [json.loads(line) for line in content.decode().removesuffix("\n").split("\n")]
    assert any(name in (each["topic"] for each in record.get("records", [])) for record in records)


def in_svg(content: bytes, name: str) -> None:
    """The drawing is well-formed, has only what drawings consist of, and the name's beginning."""
    tree = ElementTree.fromstring(content)
    tags = {each.tag.rpartition("}")[2] for each in tree.iter()}
    assert tags <= {
        "svg",
        "g",
        "path",
        "text",
        "defs",
        "clipPath",
        "rect",
        "title",
        "desc",
        "style",
        "line",
    }
    words = " ".join(tree.itertext())
    assert STEERS.search(words) is None
    assert visible_text(name)[:12] in words


def in_png(content: bytes, _: str) -> None:
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert content.endswith(b"IEND\xaeB`\x82")


class Parsed(HTMLParser):
    """The tags of a page, and the text outside of scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.handlers: list[str] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.handlers += [name for name, _ in attrs if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def in_page(content: bytes, name: str) -> None:
    page = Parsed(content.decode())
    assert not page.handlers
    assert not {"img", "iframe"} & set(page.tags)
    assert not any(text.strip() == "alert(1)" for text in page.texts)
    assert STEERS.search(content.decode()) is None
    assert visible_text(name) in "\n".join(page.texts)


OUTPUTS: dict[str, Callable[[bytes, str], None]] = {
    "table": in_table,
    "markdown": in_markdown,
    "latex": in_latex,
    "csv": in_csv,
    "safe csv": in_safe_csv,
    "trec": in_trec,
    "tsv": in_tsv,
    "json": in_json,
    "parquet": in_parquet,
    "jsonl": in_jsonl,
    "svg": in_svg,
    "png": in_png,
    "chart": in_page,
    "page": in_page,
}


@pytest.mark.parametrize("output", OUTPUTS)
def test_a_name_stays_a_name(output: str, made: Callable[[str], bytes]) -> None:
    for name in NAMES:
        OUTPUTS[output](made(output), name)
