"""What `CONTRIBUTING.md` says of additions is all that one needs."""

from __future__ import annotations

import json
import re
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest

import matchers
from matchers.registry import BUILT_IN
from tests import plugins
from tests.program import MATCHES, NUGGETS, SWIFT, TOPICS, tseval
from tseval.families import FAMILIES, Entry

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
START = 1_700_000_000


@pytest.fixture
def wider(registered: None, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001
    entry = Entry("tests.toys.wider_spotting", "spotting", "Which of the items runs spotted.")
    monkeypatch.setitem(FAMILIES, "spotting", entry)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    run, items = tmp_path / "eager.tsv", tmp_path / "items.tsv"
    run.write_text(f"topic\titem\tseen\nt1\ta\t{START}\n")
    rows = [f"t1\t{item}\t{START}\n" for item in "ab"]
    items.write_text("".join(["topic\titem\tsince\n", *rows]))
    return str(run), str(items)


@pytest.mark.usefixtures("registered")
def test_a_measure_of_a_plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plugins.install(tmp_path, "tseval.measures", "talk = tests.toys.measures:TALK")
    monkeypatch.syspath_prepend(tmp_path)
    inputs = (SWIFT, NUGGETS, "--matches", MATCHES, "--topics", TOPICS, "--quiet")
    scored = tseval("score", *inputs, "-m", "talk talk@6h", "-q", "-f", "json")
    assert scored.code == 0, scored.err
    records = json.loads(scored.out)["records"]
    values = {(each["topic"], each["measure"]): each["value"] for each in records}
    assert values["flood", "talk"] == 5 / 6
    assert values["flood", "talk@6h"] < values["flood", "talk"]
    assert "how many updates a run has sent" in tseval("measures", "talk").out


@pytest.mark.usefixtures("wider")
def test_a_measure_of_a_family(files: tuple[str, str]) -> None:
    scored = tseval("spotting", *files, "-m", "spotted overlooked@1s", "-f", "trec")
    assert (scored.code, scored.err) == (0, "")
    assert scored.out == "spotted\tall\t0.5\noverlooked@1s\tall\t0.5\n"
    assert "overlooked" in tseval("measures").out
    assert "1 - spotted" in tseval("measures", "overlooked").out


@pytest.mark.usefixtures("wider")
def test_an_edition(files: tuple[str, str]) -> None:
    scored = tseval("spotting", *files, "--edition", "strict", "-f", "json")
    assert scored.code == 0, scored.err
    found = json.loads(scored.out)
    assert {each["measure"] for each in found["records"]} == {"spotted", "overlooked"}
    assert "|edition:strict|" in found["signature"]
    assert found["signature"].endswith("|missing:error|undefined:skip")
    told = tseval("measures", "--edition", "strict").out
    assert "every topic has to be there" in told
    assert "strangers" in told
    assert "strict" in tseval("spotting", "--help").out


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BUILT_IN, "shared", "tests.toys.matchers:Shared")


@pytest.mark.usefixtures("shared")
def test_a_matcher() -> None:
    told = tseval(
        "score", SWIFT, NUGGETS, "--matcher", "shared(letters=4)", "-m", "R", "-f", "json"
    )
    assert told.code == 0, told.err
    assert "|matcher:shared(letters=4,threshold=0.5)|" in json.loads(told.out)["signature"]
    found = matchers.get("shared").match(["A train crashed", "no news"], ["train crash", "news"])
    assert list(zip(found.update, found.nugget, found.score, strict=True)) == [
        (0, 0, 0.5),
        (1, 1, 1.0),
    ]
    assert len(matchers.get("shared", letters=5).match(["A train crashed"], ["train crash"])) == 1
    evidence = matchers.get("shared").explain("A train crashed", "train crash")
    assert (evidence.score, [word.nugget_word for word in evidence.missing]) == (0.5, ["crash"])
    assert str(matchers.get("blend(shared,fuzzy)")).startswith("blend(shared(letters=0),fuzzy(")
    wrong = tseval("score", SWIFT, NUGGETS, "--matcher", "shared(letters=99)")
    assert "shared: letters is a whole number from 0 to 50, not '99'; it accepts " in wrong.err


@pytest.mark.usefixtures("shared")
def test_a_matcher_is_listed_by_its_parameters() -> None:
    page = runpy.run_path(str(ROOT / "docs" / "generate_cli.py"))["reference"]()
    what = "a whole number from 0 to 50 | how many letters of a word count; 0 for all |"
    assert f"| `shared` | `letters` | `0` | {what}" in page


def named_files() -> Iterator[str]:
    """Every path that the guide names; FAMILY stands for a family's folder."""
    for found in re.finditer(r"`([\w./-]+/[\w./-]*|[\w-]+\.(?:md|cff|toml))`", GUIDE):
        yield found[1]


@pytest.mark.parametrize("path", sorted(set(named_files())))
def test_the_guide_names_files_that_are_there(path: str) -> None:
    folders = [p.name for p in (ROOT / "tseval" / "families").iterdir() if p.is_dir()]
    meant = [path.replace("FAMILY", each) for each in folders] if "FAMILY" in path else [path]
    meant = [each.replace("NAME", "learned") for each in meant]
    assert any((ROOT / each).exists() for each in meant)
