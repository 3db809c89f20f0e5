"""What bash offers after Tab, as the script that users load asks for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from matchers.registry import BUILT_IN
from tests import program
from tseval.cli import summaries
from tseval.core.registry import all_editions, families
from tseval.families.temporal.evaluation import MATCHERS


def offered(*words: str) -> list[str]:
    """What stands to choose from where the last word is to be completed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("_TSEVAL_COMPLETE", "bash_complete")
        patch.setenv("COMP_WORDS", " ".join(["tseval", *words]))
        patch.setenv("COMP_CWORD", str(len(words)))
        done = program.tseval()
    assert (done.code, done.err) == (0, "")
    return done.out.splitlines()


def plain(*words: str) -> list[str]:
    return [line.removeprefix("plain,") for line in offered(*words) if line]


def test_commands() -> None:
    assert plain("") == [*summaries()]
    assert plain("com") == ["compare"]


def test_measures_of_the_command() -> None:
    known = families()
    assert plain("score", "-m", "ELG") == [n for n in known["temporal"] if n.startswith("ELG")]
    assert plain("clusters", "--measure", "lat") == ["latency", "latency-mean", "latency-median"]
    assert "T11SU" in plain("curve", "-m", "T11")
    assert {*plain("measures", "redun")} == {
        name for names in known.values() for name in names if name.startswith("redun")
    }


def test_editions_of_the_command() -> None:
    assert plain("score", "--edition", "ts20") == ["ts2013", "ts2014", "ts2015"]
    assert plain("clusters", "--edition", "ts20") == []
    assert {*plain("measures", "--edition", "t")} == {
        each.name for each in all_editions() if each.name.startswith("t")
    }


@pytest.mark.parametrize("command", ["score", "match", "calibrate"])
def test_matchers(command: str) -> None:
    assert plain(command, "--matcher", "l") == ["learned", "late", "llm"]


def test_every_matcher_is_offered_and_stands_in_the_help() -> None:
    assert {*MATCHERS} == {*BUILT_IN} - {"assessed"}
    for command in ("score", "match", "calibrate"):
        help_text = " ".join(program.tseval(command, "--help").out.split())
        assert all(name in help_text for name in MATCHERS)


@pytest.mark.parametrize("option", ["--matches", "--columns", "-o", "--topics"])
def test_files(option: str) -> None:
    assert offered("score", option, "fix") == ["file,fix"]


def test_options() -> None:
    assert plain("score", "--per") == ["--per-topic"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_the_script_works_in_bash(tmp_path: Path) -> None:
    """Loaded as the documentation says, with the function called as bash calls it after Tab."""
    (tmp_path / "tseval").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tseval "$@"\n')
    (tmp_path / "tseval").chmod(0o755)
    script = """
    eval "$(_TSEVAL_COMPLETE=bash_source tseval)"
    COMP_WORDS=(tseval score -m nE) COMP_CWORD=3
    _tseval_completion tseval nE -m
    echo "${COMPREPLY[@]}"
    complete -p tseval
    """
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", script],
        capture_output=True, text=True, check=False, timeout=60,
        env=os.environ | {"PATH": path, "PYTHONPATH": str(program.ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    out = done.stdout.splitlines()
    assert out[0] == "nEG nELG"
    assert "_tseval_completion" in out[1]
