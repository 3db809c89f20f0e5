"""Measures that other packages bring along, and how it is told that there are none."""

from __future__ import annotations

import os
import sys
import zipfile
from collections.abc import Callable
from importlib.machinery import PathFinder
from importlib.metadata import MetadataPathFinder, entry_points
from pathlib import Path
from typing import TypeAlias

import pytest

from tests import plugins
from tests.program import MATCHES, NUGGETS, SWIFT, tseval
from tseval.core.plugins import may_be_named

Said: TypeAlias = Callable[[str], tuple[int, str]]
"""From the entry points of a plug-in to the exit code and the words of plain scoring beside it."""

GROUP = "tseval.measures"
SCORE = ("score", SWIFT, NUGGETS, "--matches", MATCHES, "--quiet")
MODULE = """
from dataclasses import replace
from tests.toys.measures import TALK
RECALL = replace(TALK, name="R")
TWICE = [TALK, replace(TALK, title="Talk again")]
TEXT = "talk"
NUMBER = 7
"""


@pytest.fixture
def said(registered: None, here: Path, monkeypatch: pytest.MonkeyPatch) -> Said:  # noqa: ARG001
    """What plain scoring says of a plug-in."""
    monkeypatch.syspath_prepend(here)
    Path("bringing.py").write_text(MODULE)
    monkeypatch.delitem(sys.modules, "bringing", raising=False)

    def score(points: str) -> tuple[int, str]:
        plugins.install(here, GROUP, points)
        done = tseval(*SCORE)
        return done.code, done.err

    return score


def test_a_plug_in_beside_what_a_family_has_changes_nothing(said: Said) -> None:
    plain = tseval(*SCORE)
    assert said("talk = tests.toys.measures:TALK") == (0, "")
    assert tseval(*SCORE).out == plain.out


def test_what_repeats_a_measure_of_a_family_is_refused(said: Said) -> None:
    assert said("mine = bringing:RECALL") == (
        2,
        "error: the plug-in mine (bringing:RECALL) brings a measure R, which temporal has already: "
        "give it another name, or uninstall the plug-in\n",
    )


def test_what_repeats_another_plug_in_is_refused(said: Said) -> None:
    code, words = said("mine = bringing:TWICE")
    assert code == 2
    assert "brings a measure talk, which temporal has already" in words


def test_what_cannot_be_loaded_is_told_with_its_name(said: Said) -> None:
    assert said("mine = absent:TALK") == (
        2,
        "error: the plug-in mine (absent:TALK) fails: No module named 'absent'\n",
    )


@pytest.mark.parametrize(("name", "shown"), [("TEXT", "'t'"), ("NUMBER", "7")])
def test_what_is_no_measure_is_told_with_its_name(said: Said, name: str, shown: str) -> None:
    assert said(f"mine = bringing:{name}") == (
        2,
        f"error: the plug-in mine (bringing:{name}) brings what is no Definition: {shown}\n",
    )


def in_archive(place: Path) -> None:
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("talk-1.0.dist-info/METADATA", "Name: talk\nVersion: 1.0\n")
        archive.writestr("talk-1.0.dist-info/entry_points.txt", f"[{GROUP}]\ntalk = a:B\n")


@pytest.fixture
def python_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages are found as Python does by itself; the backport of its finder takes its place."""
    monkeypatch.setattr(sys, "meta_path", [PathFinder])
    finding = MetadataPathFinder.find_distributions
    monkeypatch.setattr(PathFinder, "find_distributions", finding, raising=False)


@pytest.mark.usefixtures("python_alone")
@pytest.mark.parametrize("record", ["talk-1.0.dist-info", "Talk.EGG-INFO", "talk.egg/EGG-INFO"])
def test_records_of_installed_packages_are_seen(
    here: Path, monkeypatch: pytest.MonkeyPatch, record: str
) -> None:
    monkeypatch.setattr(sys, "path", ["", str(here / "absent"), str(here / record.split("/")[0])])
    assert not may_be_named(GROUP)
    plugins.install(here, GROUP, "talk = a:B", record)
    Path("old.egg-info").write_text("of one file")
    assert may_be_named(GROUP)
    assert [each.name for each in entry_points(group=GROUP)] == ["talk"]
    assert not may_be_named("tseval.matchers")


@pytest.mark.usefixtures("python_alone")
def test_an_archive_may_hold_some(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [os.fspath(here / "all.zip")])
    assert not may_be_named(GROUP)
    in_archive(here / "all.zip")
    assert may_be_named(GROUP)
    assert [each.name for each in entry_points(group=GROUP)] == ["talk"]


@pytest.mark.usefixtures("python_alone")
def test_another_finder_may_know_of_some(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(here)])
    assert not may_be_named(GROUP)
    monkeypatch.setattr(sys, "meta_path", [PathFinder(), PathFinder])
    assert may_be_named(GROUP)
