"""The template for plug-ins is installed as a user would, and does all that CONTRIBUTING says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.program import MATCHES, NUGGETS, ROOT, SWIFT, THOROUGH, TOPICS, Outcome, process

START = 1_700_000_000
RUN = f"topic\titem\tseen\nt1\ta\t{START}\nt1\tb\t{START + 3600}\n"
ITEMS = f"topic\titem\tsince\nt1\ta\t{START}\nt1\tb\t{START}\nt1\tc\t{START}\n"
SCORE = ("score", SWIFT, THOROUGH, NUGGETS, "--matches", MATCHES, "--topics", TOPICS, "--quiet")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package, and beside it runs and a list of items."""
    folder = tmp_path_factory.mktemp("site")
    package = folder / "package"
    package.mkdir()
    source = ROOT / "tests" / "plugin_package"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    pip += ["--no-deps", "--no-index", "--no-build-isolation", "--target", str(folder)]
    for each in source.rglob("*"):
        if each.is_file() and "__pycache__" not in each.parts:
            copy = package / each.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(each.read_bytes())
    subprocess.run([*pip, str(package)], check=True)
    for name in ("eager.tsv", "keen.tsv"):
        (folder / name).write_text(RUN)
    (folder / "items.tsv").write_text(ITEMS)
    return folder


@pytest.fixture
def tseval(installed: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """Run the program where the package is installed; it has to succeed."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(installed), str(ROOT)]))
    monkeypatch.chdir(installed)

    def run(*arguments: object) -> Outcome:
        outcome = process(*arguments)
        assert outcome.code == 0, outcome.err
        return outcome

    return run


def test_a_measure_with_a_parameter_a_curve_and_a_time(tseval: Callable[..., Outcome]) -> None:
    scored = tseval(*SCORE, "-m", "ahead ahead(by=1h) ahead@6h", "-q", "-f", "json")
    found = json.loads(scored.out)
    assert "tseval-spotting 1.0" in found["signature"]
    values = {(e["run"], e["topic"], e["measure"]): e["value"] for e in found["records"]}
    # Of the six nuggets n1 is reported 30 minutes early and n4 three hours and a half.
    assert values["swift", "flood", "ahead"] == 2 / 6
    assert values["swift", "flood", "ahead(by=1h)"] == 1 / 6
    assert values["swift", "flood", "ahead@6h"] == 2 / 6
    curve = tseval("curve", *SCORE[1:], "-m", "ahead", "-f", "csv").out
    assert "swift,all,ahead,,0.5,0.05555555555555555" in curve  # one of 18 by then: n1 of flood
    assert "before they are known to happen" in tseval("measures", "ahead").out


def test_a_family_with_all_that_comes_of_its_declaration(tseval: Callable[..., Outcome]) -> None:
    assert "spotting" in tseval("--help").out
    assert "--grace" in tseval("spotting", "--help").out
    files = ("eager.tsv", "keen.tsv", "items.tsv", "--quiet")
    scored = tseval("spotting", *files, "-m", "spotted spotted@30m", "-f", "csv").out
    assert "eager,all,spotted,0.6666666666666666" in scored
    assert "eager,all,spotted@30m,0.3333333333333333" in scored
    assert "t1" in tseval("spotting", *files, "--explain").out
    tseval("spotting", *files, "-o", "scores.json")
    assert "eager" in tseval("compare", "scores.json", "--quiet").out
    tseval("report", "scores.json", "-o", "page.html", "--quiet")
    assert "spotted" in Path("page.html").read_text()
