"""A run has one colour in every picture and page of a set, also where it has nothing to draw."""

from __future__ import annotations

import re
from itertools import permutations
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.program import FIXTURES, MATCHES, NUGGETS, SWIFT, THOROUGH, TOPICS
from tests.program import tseval as program
from tseval.core.registry import all_families
from tseval.reporting.inputs import OF_ALL, parameters, served
from tseval.reporting.keywords import ReportKeywords
from tseval.reporting.palette import Palette

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
    keys = re.findall(r'<line class="(s\d) (d\d)".*?<bdi>(.*?)</bdi>', legend)
    assert keys
    return {name: (colour, dashes) for colour, dashes, name in keys}


def in_report(*arguments: object) -> Looks:
    """The looks of a report."""
    return in_legend(said("report", *arguments))


def looks_of(*runs: str) -> Looks:
    """The looks of a set of runs."""
    palette = Palette.of(runs)
    looks = {run: palette.classes(run).split() for run in runs}
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
    assert {*ReportKeywords.__annotations__, "naming"} == {*declared, *OF_ALL}  # as `columns`
    assert len(list(all_families())) > len(list(served())) > 3
