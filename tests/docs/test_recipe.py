"""The recipe for a pipeline does what its page says, tried as shell."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "pipelines.md"
START = 1_700_000_000
FACTS = ("The river Osk burst its banks", "The bridge is closed", "Two people drowned at the mill")


def steps() -> list[str]:
    """What the workflow runs, step by step; the first installs the program."""
    recipe = re.search(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert recipe is not None
    return re.findall(r"^        run: \|\n((?:          .*\n)+)", recipe[1], re.MULTILINE)


def log(facts: tuple[str, ...], late: int) -> str:
    lines = (
        f'{{"id": "{at}", "event": "flood", "timestamp": {START + late}, "says": "{fact}"}}\n'
        for at, fact in enumerate(facts)
    )
    return "".join(lines)


def run_steps(folder: Path, texts: list[str], **environment: str) -> tuple[list[int], str]:
    """The exit codes of steps, and what they said."""
    codes, told = [], ""
    for step in texts:
        done = subprocess.run(
            ["bash", "-e", "-c", step],
            cwd=folder, env=os.environ | environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        codes.append(done.returncode)
        told += done.stderr
    return codes, told


def users_folder(folder: Path, new: tuple[str, ...], late: int) -> Path:
    """What the page asks for: logs, facts, and the folder that `tseval init` makes of them."""
    (folder / "runs").mkdir(parents=True)
    (folder / "runs" / "new.jsonl").write_text(log(new, late))
    (folder / "runs" / "old.jsonl").write_text(log(FACTS, 60))
    rows = (f"flood,n{at},{START},{fact}" for at, fact in enumerate(FACTS))
    (folder / "gold.csv").write_text("\n".join(["event,id,timestamp,fact", *rows]) + "\n")
    (made,) = re.findall(r"^tseval (init work .*)$", PAGE.read_text("utf-8"), re.MULTILINE)
    command = [sys.executable, "-m", "tseval", *made.split()]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder


def test_the_workflow_installs_the_program_in_a_clean_folder(tmp_path: Path) -> None:
    """The wheel stands for the package of the address, and its dependencies are here already."""
    if not (ROOT / ".git").exists():
        pytest.skip("no checkout to build a wheel from")
    subprocess.run([ROOT / ".ci" / "build.sh", sys.executable, tmp_path / "dist"], check=True)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    install, *others = steps()
    assert "'git+URL'" in install
    site = tmp_path / "site"
    codes, told = run_steps(
        users_folder(tmp_path / "clean", FACTS, 60),
        [install.replace("'git+URL'", str(wheel)), *others],
        PATH=f"{site}/bin:{Path(sys.executable).parent}:{os.environ['PATH']}",
        PYTHONPATH=str(site),
        PIP_TARGET=str(site),
        PIP_NO_DEPS="1",
    )
    assert codes == [0, 0, 0], told
    assert (site / "tseval").is_dir()


@pytest.mark.parametrize(
    ("new", "late", "codes", "said"),
    [
        (FACTS, 60, [0, 0], ""),
        (FACTS, 30 * 3600, [3, 0], "not met: new.R@6h>=0.4: run new: R@6h is 0"),
        (FACTS[:1], 60, [3, 3], "not met: new.R-old.R>=-0.02: new.R-old.R is -0.6666"),
    ],
)
def test_the_workflow(
    tmp_path: Path, new: tuple[str, ...], late: int, codes: list[int], said: str
) -> None:
    program = tmp_path / "tseval"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m tseval "$@"\n')
    program.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    found, told = run_steps(users_folder(tmp_path / "clean", new, late), steps()[1:], PATH=path)
    assert found == codes, told
    assert said in told
