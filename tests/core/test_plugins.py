"""Measures that other packages bring along, and how it is told that there are none."""

from __future__ import annotations

import os
import sys
import zipfile
from collections.abc import Callable
from importlib.machinery import PathFinder
from importlib.metadata import MetadataPathFinder, entry_points
from pathlib import Path

import pytest

from tests import plugins
from tests.program import MATCHES, NUGGETS, ROOT, SWIFT, TOPICS, process
from tseval.core.plugins import may_be_named

GROUP = "tseval.measures"
SCORE = ("score", SWIFT, NUGGETS, "--matches", MATCHES, "--topics", TOPICS)
MODULE = """
from dataclasses import replace
from tests.toys.measures import TALK
RECALL = replace(TALK, name="R")
TWICE = [TALK, replace(TALK, title="Talk again")]
TEXT = "talk"
NUMBER = 7
def late():
    yield TALK
    raise ValueError("no more")
LATE = late()
def fails(index, measure):
    return 1 / 0
FAILS = replace(TALK, account=fails)
EMPTY = replace(TALK, account=lambda index, measure: None)
"""


@pytest.fixture
def install(here: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Puts a package with these entry points of a group where processes find it."""
    Path("bringing.py").write_text(MODULE)
    Path("leaving.py").write_text("raise SystemExit(3)")
    Path("wordy.py").write_text("raise ValueError('a\\nb\\nc ' * 99)")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(here), str(ROOT)]))

    def installed(points: str, group: str = GROUP) -> None:
        plugins.install(here, group, points)

    return installed


@pytest.mark.parametrize(
    ("points", "reason"),
    [
        ("mine = bringing:RECALL", "temporal has a measure R already"),
        ("mine = bringing:TWICE", "temporal has a measure talk already"),
        ("mine = absent:TALK", "mine (absent:TALK): ModuleNotFoundError: No module named 'absent'"),
        ("mine = bringing:TEXT", "it brings 't', which is not a Definition"),
        ("mine = bringing:NUMBER", "it brings 7, which is not a Definition"),
        ("mine = bringing:LATE", "mine (bringing:LATE): ValueError: no more"),
        ("mine = leaving:TALK", "mine (leaving:TALK): SystemExit: 3"),
        ("mine = wordy:TALK", "mine (wordy:TALK): ValueError: a b c"),
        ("a = absent:TALK\nb = absent:TALK", "a (absent:TALK): ModuleNotFoundError: No module"),
    ],
)
def test_a_broken_plug_in_stops_nobody_who_does_not_use_it(
    install: Callable[[str], None], points: str, reason: str
) -> None:
    plain = process(*SCORE)
    install(points)
    beside = process(*SCORE)
    assert (beside.code, beside.out) == (0, plain.out)
    told = [line for line in beside.err.splitlines() if line not in plain.err.splitlines()]
    assert len(told) == 1, "one warning for a package"
    assert told[0].startswith("warning: the plug-in of talk 1.0 is left out: ")
    assert reason in told[0]
    assert len(told[0]) <= 160
    quiet = process(*SCORE, "--quiet")
    assert (quiet.code, quiet.err) == (0, "")


@pytest.mark.parametrize("more", [(), ("--jitter", "1h")])
def test_the_signature_names_the_package_of_a_measure(
    install: Callable[[str], None], more: tuple[str, ...]
) -> None:
    install("talk = tests.toys.measures:TALK")
    assert "plugins" not in process(*SCORE, "-m", "R", "-f", "json").out
    own = process(*SCORE, "-m", "R talk", *more)
    assert (own.code, "|plugins:talk 1.0|" in own.out) == (0, True)
    curve = process("curve", *SCORE[1:], "-m", "talk", "-f", "svg")
    assert "|plugins:talk 1.0" in curve.out


@pytest.mark.parametrize(("name", "kind"), [("FAILS", "ZeroDivision"), ("EMPTY", "Type")])
def test_an_error_of_a_plug_in_is_no_fault_of_tseval(
    install: Callable[[str], None], name: str, kind: str
) -> None:
    install(f"mine = bringing:{name}")
    done = process(*SCORE, "-m", "talk")
    assert (done.code, done.out) == (1, "")
    assert done.err.splitlines()[-1].startswith(
        f"error: the plug-in of talk 1.0 fails: {kind}Error: "
    )


def test_matchers_of_plug_ins(install: Callable[[str, str], None]) -> None:
    install("broken = leaving:Matcher\nshared = tests.toys.matchers:Shared", "tseval.matchers")
    asked = (*SCORE[:3], "--matcher")
    assert process(*asked, "exact").code == 0
    assert "|matcher-package:talk 1.0|" in process(*asked, "shared").out
    broken = process(*asked, "broken")
    assert (broken.code, "'broken' (leaving:Matcher) of talk 1.0 fails" in broken.err) == (2, True)


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
