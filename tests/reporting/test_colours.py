"""A run has one colour in every picture and page of a set, also where it has nothing to draw."""

from __future__ import annotations

import re
from itertools import combinations, permutations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.program import FIXTURES, MATCHES, NUGGETS, SWIFT, THOROUGH, TOPICS
from tests.program import tseval as program
from tseval.core.panels import Axis, Dots, Panel, Picture
from tseval.core.registry import all_families
from tseval.io.times import TIME_KEYS
from tseval.reporting.api import ReportKeywords
from tseval.reporting.inputs import OF_ALL, parameters, served
from tseval.reporting.palette import COLOURS, Palette

FILTER, STREAM = FIXTURES / "filter", FIXTURES / "incidents"
SVG = "{http://www.w3.org/2000/svg}"
OF_STREAM = (
    *(STREAM / "labels.json", "--ontology", STREAM / "types.json"),
    *("--epochs", STREAM / "epochs.txt"),
)


def said(*arguments: object) -> str:
    done = program(*arguments, "--quiet")
    assert done.code == 0, done.err
    return done.out


Looks = dict[str, tuple[str, str]]
"""The classes of colour and dashes of each run."""


def in_picture(*arguments: object) -> Looks:
    """The looks of a picture's legend, which every line of every panel has too."""
    root = ElementTree.fromstring(said(*arguments, "-f", "svg"))
    keys = [each for each in root.iter(f"{SVG}line") if _classes(each)[:1] == ["line"]]
    names = [each.text or "" for each in root.iter(f"{SVG}text") if _classes(each) == ["key"]]
    looks = {
        name: (_classes(key)[2], _classes(key)[3]) for name, key in zip(names, keys, strict=True)
    }
    runs = list(looks.values())
    for each in root.iter():
        if each.get("data-run") is not None:
            own = [name for name in _classes(each) if re.fullmatch(r"[sd]\d", name)]
            assert tuple(own) == runs[int(each.get("data-run") or 0)]
    assert in_legend(said(*arguments, "-f", "html")) == looks
    return looks


def _classes(element: ElementTree.Element) -> list[str]:
    return (element.get("class") or "").split()


def in_legend(page: str) -> Looks:
    """The looks of a page's legend."""
    legend = page.partition('<ul class="legend"')[2].partition("</ul>")[0]
    keys = re.findall(r'<line class="(s\d) (d\d)".*?<bdi class="run">(.*?)</bdi>', legend)
    assert keys
    return {name: (colour, dashes) for colour, dashes, name in keys}


def in_report(*arguments: object) -> Looks:
    """The looks of a report."""
    return in_legend(said("report", *arguments))


def looks_of(*runs: str) -> Looks:
    """The looks of a set of runs."""
    palette = Palette.of(runs)
    looks = {run: palette.look(run).classes.split() for run in runs}
    return {run: (colour, dashes) for run, (colour, dashes) in looks.items()}


@pytest.fixture
def third(tmp_path: Path) -> Path:
    """A run that says something in one topic alone."""
    path = tmp_path / "meagre.tsv"
    head, *rows = Path(THOROUGH).read_text().splitlines()
    column = head.split("\t").index("topic")
    kept = [row for row in rows if row.split("\t")[column] == "flood"]
    lines = [head, *kept[:2]]
    path.write_text("\n".join(lines).replace("thorough", "meagre") + "\n")
    return path


def test_curves_batches_and_the_report_agree(third: Path, tmp_path: Path) -> None:
    runs = (SWIFT, third, THOROUGH)
    whole = in_picture("curve", *runs, NUGGETS, "--topics", TOPICS)
    expected = looks_of("swift", "meagre", "thorough")
    assert whole == expected
    for order in permutations(runs):
        assert in_picture("curve", *order, NUGGETS, "--topics", TOPICS, "-m", "P") == expected
    batches = ("--topics", TOPICS, "--batch", "2h", "--trend", "-m", "R")
    assert in_picture("curve", *runs, NUGGETS, *batches) == expected
    scores = tmp_path / "scores.json"
    said("score", *runs, NUGGETS, "-q", "-o", scores)
    assert in_report(scores) == expected
    assert in_report(scores, "-m", "T") == expected


def test_a_run_without_a_topic_keeps_its_colour_there(third: Path) -> None:
    given = (SWIFT, third, THOROUGH, NUGGETS, "--matches", MATCHES, "--on-missing", "skip")
    whole = in_picture("curve", *given)
    assert in_picture("curve", *given, "--topic", "ferry") == whole
    assert len(whole) == 3


def test_trust_in_some_events_and_the_report_agree(tmp_path: Path) -> None:
    """One run has nothing on the quake; its picture has the same legend."""
    runs = (STREAM / "keen.txt", STREAM / "shy.tsv")
    whole = in_picture("incidents", *runs, *OF_STREAM)
    assert whole == looks_of("keen", "shy")
    assert in_picture("incidents", *runs[::-1], *OF_STREAM, "--event", "quake") == whole
    scores = tmp_path / "scores.json"
    said("incidents", *runs, *OF_STREAM, "-q", "-o", scores)
    labels, *rest = OF_STREAM
    named = ("--run", runs[1], "--run", runs[0], "--labels", labels)
    assert in_report(scores, *named, *rest, "--event", "quake") == whole


def test_filtering_and_the_report_agree(tmp_path: Path) -> None:
    runs = [FILTER / f"{name}.tsv" for name in ("steady", "improving", "fading")]
    truth, scores = FILTER / "truth.tsv", tmp_path / "scores.json"
    whole = in_picture("filter", *runs, truth)
    assert whole == looks_of(*(each.stem for each in runs))
    assert in_picture("filter", *runs[::-1], truth, "--batch", "2d") == whole
    said("filter", *runs, truth, "-q", "-o", scores)
    named = [part for run in runs[::-1] for part in ("--run", run)]
    assert in_report(scores, *named, "--truth", truth) == whole


def test_measures_of_a_calibration_look_alike_whichever_matcher_is_first() -> None:
    given = ("calibrate", SWIFT, THOROUGH, NUGGETS, MATCHES)
    looks = [
        in_picture(*given, *(part for name in names for part in ("--matcher", name)))
        for names in (("fuzzy", "exact"), ("exact", "fuzzy"), ("exact",))
    ]
    assert looks == [looks[0]] * 3
    assert list(looks[0]) == ["precision", "recall", "F1", "kappa"]


def test_editors_know_what_a_report_takes_of_families() -> None:
    declared = {name for each in served() for part in parameters(each) for name in part.names}
    assert {*ReportKeywords.__annotations__, "naming"} == {*declared, *OF_ALL, *TIME_KEYS}
    assert len(list(all_families())) > len(list(served())) > 3


# What people see who lack one kind of cones (Machado, Oliveira and Fernandes 2009, in full).
SEEN = {
    "all": "1 0 0 0 1 0 0 0 1",
    "protanopia": "0.152286 1.052583 -0.204868 0.114503 0.786281 0.099216 "
    "-0.003882 -0.048116 1.051998",
    "deuteranopia": "0.367322 0.860646 -0.227968 0.280085 0.672501 0.047413 "
    "-0.01182 0.04294 0.968881",
    "tritanopia": "1.255528 -0.076749 -0.178779 -0.078411 0.930809 0.147602 "
    "0.004733 0.691367 0.3039",
}
XYZ = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.072175),
    (0.0193339, 0.119192, 0.9503041),
)
LEAST = {"all": 35, "protanopia": 14, "deuteranopia": 14, "tritanopia": 10}
"""How far apart colours are at least, in CIELAB: 2 is hardly to be seen."""
PAPER = {"light": "#fcfcfa", "dark": "#16181a"}


def linear(colour: str) -> np.ndarray:
    parts = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(light: np.ndarray) -> np.ndarray:
    scaled = np.array(XYZ) @ np.clip(light, 0, 1) / np.array([0.95047, 1, 1.08883])
    bent = np.where(scaled > 216 / 24389, np.cbrt(scaled), (24389 / 27 * scaled + 16) / 116)
    return np.array([116 * bent[1] - 16, 500 * (bent[0] - bent[1]), 200 * (bent[1] - bent[2])])


@pytest.mark.parametrize("how", ["light", "dark"])
@pytest.mark.parametrize("eyes", list(SEEN))
def test_colours_are_told_apart_by_all_eyes(eyes: str, how: str) -> None:
    cones = np.array(SEEN[eyes].split(), float).reshape(3, 3)
    seen = [lab(cones @ linear(getattr(each, how))) for each in COLOURS]
    apart = [float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2)]
    assert min(apart) >= LEAST[eyes]


@pytest.mark.parametrize("how", ["light", "dark"])
def test_colours_stand_out_from_the_page(how: str) -> None:
    """At least 3 to 1, as WCAG 2.2 asks of graphics (1.4.11)."""
    page = linear(PAPER[how]) @ XYZ[1] + 0.05
    for each in COLOURS:
        own = linear(getattr(each, how)) @ XYZ[1] + 0.05
        assert max(page, own) / min(page, own) >= 3


def test_the_ninth_run_has_other_dots_than_the_first() -> None:
    """Its colour is the same; dots have no dashes, so they have another shape."""
    looks = [Palette.of(f"run {at}" for at in range(32)).look(f"run {at}") for at in range(32)]
    assert looks[0].classes.split()[0] == looks[8].classes.split()[0]
    assert len({(each.classes.split()[0], each.symbol) for each in looks}) == 32
    runs = tuple(f"run {at}" for at in range(32))
    dots = tuple(Dots(at, (float(at),), (0.5,), (1.0,)) for at in range(32))
    panel = Panel("P", "", Axis("batch", 0.0, 32.0), (), Axis(low=0.0, high=1.0), dots=dots)
    for form in ("svg", "html"):
        drawn = Picture("", "", runs, (panel,)).draw(form).decode()
        shapes = [
            re.findall(rf'data-run="{at}"[^>]*><(?:circle|path)[^>]* (?:r|d)="([^"]*)"', drawn)
            for at in (0, 8, 16, 24)
        ]
        kinds = {re.sub(r"[\d.-]+", "", each[-1]) for each in shapes}
        assert len(kinds) == 4
