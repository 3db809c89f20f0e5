"""What a toy family gets from the kernel, with no line elsewhere but its entry."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.program import Outcome, tseval
from tseval.cli.curve import command_of_curves
from tseval.core import registry
from tseval.families import FAMILIES, Entry

START = 1_700_000_000
RUN = ("topic\titem\tseen", "t1\ta\t{0}", "t1\tb\t{60}", "t2\tz\t{0}")
ITEMS = ("topic\titem\tsince", "t1\ta\t{0}", "t1\tb\t{0}", "t1\tc\t{0}", "t2\td\t{0}")


@pytest.fixture(autouse=True)
def _family(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    entry = Entry(
        "tests.plugin_package.src.tseval_spotting.spotting",
        "spotting",
        "Which of the items on a list runs spotted.",
    )
    monkeypatch.setitem(FAMILIES, "spotting", entry)
    yield
    registry.family.cache_clear()
    registry.definitions.cache_clear()


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    paths = tmp_path / "eager.tsv", tmp_path / "items.tsv"
    for path, lines in zip(paths, (RUN, ITEMS), strict=True):
        text = "\n".join(lines).replace("{0}", str(START)).replace("{60}", str(START + 3600))
        path.write_text(text + "\n")
    return str(paths[0]), str(paths[1])


def good(*arguments: object) -> Outcome:
    outcome = tseval(*arguments)
    assert outcome.code == 0, outcome.err
    return outcome


def test_its_command_has_help() -> None:
    shown = good("spotting", "--help").out
    assert "RUN... ITEMS" in shown
    assert "--grace" in shown
    assert "spotting" in good("--help").out


def test_scores_topics_missing_ones_and_signature(files: tuple[str, str]) -> None:
    outcome = good("spotting", *files, "-q", "-f", "json", "--at", "30m")
    found = json.loads(outcome.out)
    values = {(each["topic"], each["measure"]): each["value"] for each in found["records"]}
    assert values == {
        ("t1", "spotted"): 2 / 3,
        ("t1", "spotted@30m"): 1 / 3,
        ("t2", "spotted"): 0.0,
        ("t2", "spotted@30m"): 0.0,
        ("all", "spotted"): 1 / 3,
        ("all", "spotted@30m"): 1 / 6,
    }
    assert "run eager: no sightings for 1 judged topic" in outcome.err
    assert found["signature"].startswith("tseval:")
    assert "|edition:spotting|grace:0|items:sha256:" in found["signature"]
    assert found["signature"].endswith("|missing:zero|undefined:skip")
    skipped = good("spotting", *files, "--on-missing", "skip", "-f", "trec").out
    assert skipped == f"spotted\tall\t{2 / 3!r}\n"
    assert tseval("spotting", *files, "--on-missing", "error").code == 1


def test_explanations(files: tuple[str, str]) -> None:
    shown = good("spotting", *files, "--explain", "-f", "csv").out
    assert shown.splitlines()[1:] == [f"t1,{START}.0", f"t1,{START + 3600}.0"]
    outcome = tseval("spotting", *files, "--explain", "-m", "spotted")
    assert outcome.code == 2
    assert "-m has no meaning with --explain" in outcome.err


def test_an_option_stands_for_a_rule(files: tuple[str, str]) -> None:
    assert good("spotting", *files, "--strangers", "kept", "--rule", "strangers=kept").out
    refused = tseval("spotting", *files, "--strangers", "never")
    assert "rule strangers cannot be 'never': choose one of ignored, kept" in refused.err
    twice = tseval("spotting", *files, "--strangers", "kept", "--rule", "strangers=ignored")
    assert "rule strangers is given twice: ignored and kept" in twice.err


def test_faults_have_a_line_and_a_cure(files: tuple[str, str]) -> None:
    Path(files[0]).write_text("topic\titem\tseen\nt1\ta\tsoon\n")
    outcome = tseval("spotting", *files)
    assert outcome.code == 1
    assert f"{files[0]}:2" in outcome.err


def test_curves(files: tuple[str, str]) -> None:
    runner = CliRunner().invoke(command_of_curves(), [*files, "--topic", "t1"])
    assert runner.exit_code == 0, runner.output
    rows = [line.split(",")[3:] for line in runner.stdout.splitlines()[1:]]
    assert rows == [[str(START), "0.0", str(1 / 3)], [str(START + 3600), "1.0", str(2 / 3)]]


def test_batches(files: tuple[str, str]) -> None:
    runner = CliRunner().invoke(command_of_curves(), [*files, "--topic", "t1", "--batch", "30m"])
    assert runner.exit_code == 0, runner.output
    assert runner.stdout.splitlines()[1:] == [f"eager,t1,spotted,{START},0.0,{1 / 3},1.0"]


def test_compare_and_report(files: tuple[str, str], tmp_path: Path) -> None:
    other = tmp_path / "late.tsv"
    other.write_text(Path(files[0]).read_text().replace("\tb\t", "\tq\t"))
    saved = tmp_path / "scores.json"
    good("spotting", files[0], other, files[1], "-q", "-o", saved)
    compared = json.loads(good("compare", saved, "-f", "json").out)
    assert [row["run"] for row in compared["means"]] == ["eager", "late"]
    page = tmp_path / "page.html"
    good("report", saved, "-o", page)
    assert "how many of the items a run has seen" in page.read_text()
    lacks = "Spotting is seen in runs: give them as --run FILE and --items FILE."
    assert lacks in page.read_text()


def test_its_section_of_a_report(files: tuple[str, str], tmp_path: Path) -> None:
    saved, page = tmp_path / "scores.json", tmp_path / "page.html"
    good("spotting", *files, "-q", "-o", saved)
    good("report", saved, "--run", files[0], "--items", files[1], "-o", page)
    shown = page.read_text()
    assert "Sightings of every run" in shown
    assert 'data-panel="curves-0"' in shown
    assert lines_of(shown, "spotted") == lines_of(tseval_report(saved, files), "spotted")
    outcome = tseval("report", saved, "--items", files[1])
    assert outcome.code == 2
    assert "give --run FILE and --items FILE (spotting)" in outcome.err


def tseval_report(saved: Path, files: tuple[str, str]) -> str:
    """The page by the call in Python."""
    from tseval import report

    given: dict[str, Any] = {"runs": files[0], "items": files[1]}  # of a family that is installed
    return report(saved, **given).html.decode()


def lines_of(page: str, section: str) -> str:
    """A section of a page."""
    return page.partition(f'<section id="{section}">')[2].partition("</section>")[0]


def test_workers(files: tuple[str, str]) -> None:
    alone = good("spotting", *files, "-f", "json").out
    assert good("spotting", *files, "-f", "json", "-j", "2").out == alone
