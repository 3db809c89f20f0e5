"""The language of help, warnings and pages, as far as a machine can check it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SENTENCES = ROOT / "tests" / "surface" / "sentences.txt"
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
UNNAMED_LINK = re.compile(r"(?<!!)\[\s*\]\(")
OPENING = re.compile(
    r"(?:^[-*>#\d. ]*|[.!?|] +|[.!?]\n *| {2,})"
    r"(?P<words>What is|Who|So much|So many|Such|Of which|Where there)\b",
    re.MULTILINE,
)
"""Words that begin a clause without a noun, at the beginning of a sentence, a cell or a help."""
LONGEST = 160
"""The number of characters that a warning may have."""
LONG = (
    "every run: tRR(level=documents,units=has-answer)@6h, ",
    "run swift: 1 selected post is in several clusters and counts once for each; ",
    "run swift: latency, latency@6h, redundancy, redundancy@6h, ",
    "run thorough: 1 selected post is in several clusters and counts once for each; ",
)
"""How the recorded warnings begin that are longer, by names of measures or by their cure."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_has_words(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    assert UNNAMED_LINK.findall(text) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_sentence_begins_without_a_noun(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    prose = text if page.name == "cli.md" else FENCE.sub("", text)
    assert [match["words"] for match in OPENING.finditer(prose)] == []


def test_a_banned_opening_is_found() -> None:
    for text in (
        "Who sends it.",
        "It ends. Such runs",
        "  --x FILE   What is shown.",
        "a.\n  So many",
    ):
        assert OPENING.search(text), text


def test_a_warning_is_a_short_line() -> None:
    lines = SENTENCES.read_text(encoding="utf-8").splitlines()
    warnings = {line.removeprefix("  > warning: ") for line in lines if "  > warning: " in line}
    long = sorted(each for each in warnings if len(f"warning: {each}") > LONGEST)
    assert len(long) == len(LONG)
    assert all(map(str.startswith, long, LONG))
