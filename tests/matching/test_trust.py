"""The line under automatic scores: its numbers are the page's, its doubts where they belong."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

import matchers
from tests.program import MATCHES, NUGGETS, SWIFT, THOROUGH, tseval
from tseval.matching.trust import BEST_ON_SHORT, MEASURED, READER, SHORT, measured, trust
from tseval.tables import Texts

PAGE = Path(__file__).parents[2] / "docs" / "matching.md"
BY_YEARS = ("learned", "late", "learned(model=all-MiniLM-L6-v2)")
LONG = Texts.of(["word " * SHORT] * 3)


def on_the_page() -> dict[str, list[str]]:
    """The kappas by the other year's threshold of each matcher in the tables of the page."""
    found = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 8 and cells[0].startswith("`") and cells[1].startswith("."):
            found[cells[0].strip("`")] = [cells[3].split()[1], cells[6].split()[1]]
    return found


def test_the_numbers_are_those_of_the_page() -> None:
    listed = on_the_page()
    assert len(listed) == 17
    told = {name: [f"{each:.3f}"[1:] for each in MEASURED[name]] for name in listed}
    assert told == listed
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| 201[34] \| `(.*?)` \|.* (\.\d+) \| \S+ \S+ \|$", text, re.MULTILINE)
    for name in BY_YEARS:
        assert MEASURED[name] == tuple(float(kappa) for each, kappa in rows if each == name)
    assert set(MEASURED) == {*listed, *BY_YEARS}
    assert f"about .{READER * 100:.0f} against them" in text
    alerts = text.partition("<!-- short: begin -->")[2].partition("<!-- short: end -->")[0]
    kappas = [float(line.split("|")[6].split()[0]) for line in alerts.splitlines()[3:] if line]
    assert f"{max(kappas):.2f}" == f"{BEST_ON_SHORT:.2f}"


@pytest.mark.parametrize("name", [each for each in MEASURED if "embedding" not in each])
def test_a_matcher_is_known_by_all_its_names_whatever_its_threshold(name: str) -> None:
    if "late" in name or "model" in name:
        return  # its name holds the hash of a model that has to be there
    assert measured(name) == MEASURED[name]
    with warnings.catch_warnings(action="ignore"):
        matcher = matchers.get(name)
        lower = matcher.with_threshold(0.3)
    assert measured(str(matcher)) == measured(str(lower)) == MEASURED[name]


def test_one_with_other_parameters_was_not_measured() -> None:
    assert measured("fuzzy(word=70)") is None
    assert "was not measured" in trust("fuzzy(word=70,threshold=0.5)", LONG, LONG)
    assert "was not measured" in trust("somebody(size=3)", LONG, LONG)


def test_short_texts_and_scripts_without_spaces_are_told() -> None:
    plain = trust("fuzzy", LONG, LONG)
    assert plain == (
        "fuzzy found these matches, not assessors: its kappa beside them was 0.29 and 0.39 on TREC "
        "news of 2013 and 2014, that of a careful reader 0.73 (`tseval calibrate` measures it on "
        "your texts; docs/matching.md tells more)"
    )
    short = trust("fuzzy", Texts.of(["word " * (SHORT - 1)] * 3), LONG)
    assert "half of the updates have 11 words or fewer, and on alerts so short no matcher" in short
    chinese = Texts.of(["大坝决堤造成三人死亡多人失踪" * 3, LONG[0], LONG[0]])
    assert "a script without spaces" in trust("fuzzy", LONG, chinese)
    assert "a script without spaces" in trust("fuzzy", chinese, LONG)
    few = Texts.of(["大坝决堤" * 9, *[LONG[0]] * 9])
    assert "a script without spaces" not in trust("fuzzy", few, LONG)
    assert "corrections, not assessors" not in plain
    assert "fuzzy with corrections found" in trust("fuzzy+corrections(sha256:ab)", LONG, LONG)
    assert trust("fuzzy", Texts.empty(), Texts.empty()) == plain


def test_the_line_stands_beside_tables_alone_and_the_quiet_do_not_hear_it(tmp_path: Path) -> None:
    files = ("score", SWIFT, THOROUGH, NUGGETS)
    told = tseval(*files)
    assert told.err.count("note: fuzzy found these matches") == 1
    assert told.output == tseval(*files, "--quiet").output
    assert tseval(*files, "--quiet").err == ""
    for form in ("csv", "json", "trec", "markdown", "latex"):
        assert "note:" not in tseval(*files, "-f", form).err
    assert "note:" not in tseval("score", SWIFT, NUGGETS, "-m", "R", "--brief").err
    assert "found these" not in tseval(*files, "--matches", MATCHES).err
    kept = tmp_path / "found.tsv"
    assert tseval("match", SWIFT, THOROUGH, NUGGETS, "-o", kept, "--quiet").code == 0
    assert "note: fuzzy found these matches" in tseval(*files, "--matches", kept).err


def test_what_to_report_beside_a_p_above_1_is_told_to_whoever_asked_for_nothing() -> None:
    by_hand = ("score", SWIFT, THOROUGH, NUGGETS, "--matches", MATCHES)
    told = tseval(*by_hand, watched=True).err
    assert (
        "note: P exceeds 1 where one update is the first to say several nuggets; at most 1 are "
        "P(updates) and F: swift 0.7000 and 0.4981, thorough 0.4769 and 0.6226 "
        "(-m 'P P(updates) F R Rs T')\n"
    ) in told
    assert "note:" not in tseval(*by_hand).err
    assert "note:" not in tseval(*by_hand, "--quiet", watched=True).err
    assert "note:" not in tseval(*by_hand, "-f", "csv", watched=True).err
    assert "note:" not in tseval(*by_hand, "-m", "P R", watched=True).err
    assert "note:" not in tseval(*by_hand, "--edition", "ts", watched=True).err
    alone = ("score", SWIFT, NUGGETS, "--matches", MATCHES)
    assert "P(updates) and F: 0.7000 and 0.4981 (" in tseval(*alone, watched=True).err
    zero = tseval(*alone, "--undefined", "zero", watched=True).err
    assert "P(updates) and F: 0.4667 and 0.4981 (" in zero
