"""The recipe for a pipeline does what its page says, tried as shell."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "pipelines.md"
START = 1_700_000_000
FACTS = ("The river Osk burst its banks", "The bridge is closed", "Two people drowned at the mill")


def steps() -> list[str]:
    """What the workflow runs, step by step, but for installing the program."""
    recipe = re.search(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert recipe is not None
    return re.findall(r"^        run: \|\n((?:          .*\n)+)", recipe[1], re.MULTILINE)


def log(facts: tuple[str, ...], late: int) -> str:
    lines = (
        f'{{"id": "{at}", "event": "flood", "timestamp": {START + late}, "says": "{fact}"}}\n'
        for at, fact in enumerate(facts)
    )
    return "".join(lines)


@pytest.mark.parametrize(
    ("new", "late", "codes", "said"),
    [
        (FACTS, 60, [0, 0], ""),
        (FACTS, 30 * 3600, [3, 0], "not met: new.R@6h>=0.4: new.R@6h is 0"),
        (FACTS[:1], 60, [3, 3], "not met: new.R-old.R>=-0.02: new.R-old.R is -0.6666"),
    ],
)
def test_the_workflow(
    tmp_path: Path, new: tuple[str, ...], late: int, codes: list[int], said: str
) -> None:
    program = tmp_path / "tseval"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m tseval "$@"\n')
    program.chmod(0o755)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "new.jsonl").write_text(log(new, late))
    (tmp_path / "runs" / "old.jsonl").write_text(log(FACTS, 60))
    rows = (f"flood,n{at},{START},{fact}" for at, fact in enumerate(FACTS))
    (tmp_path / "gold.csv").write_text("\n".join(["event,id,timestamp,fact", *rows]) + "\n")
    (tmp_path / "mapping.toml").write_text('updates.text = "says"\n')
    found, told = [], ""
    assert len(steps()) == 2
    for step in steps():
        done = subprocess.run(
            ["bash", "-e", "-c", step],
            cwd=tmp_path,
            env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )
        found.append(done.returncode)
        told += done.stderr
    assert found == codes, told
    assert said in told
