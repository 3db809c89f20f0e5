"""A run has one colour in every picture and page of a set, also where it has nothing to draw."""

from __future__ import annotations

import json
import re
from itertools import permutations
from pathlib import Path

import pytest

from tests.program import FIXTURES, MATCHES, NUGGETS, SWIFT, THOROUGH, TOPICS
from tests.program import tseval as program
from tseval.core.registry import all_families
from tseval.reporting.inputs import OF_ALL, parameters, served
from tseval.reporting.keywords import ReportKeywords
from tseval.reporting.palette import Palette

FILTER, STREAM = FIXTURES / "filter", FIXTURES / "incidents"
OF_STREAM = (
    *(STREAM / "labels.json", "--ontology", STREAM / "types.json"),
    *("--epochs", STREAM / "epochs.txt"),
)


def said(*arguments: object) -> str:
    done = program(*arguments, "--quiet")
    assert done.code == 0, done.err
    return done.out


def in_picture(*arguments: object) -> dict[str, str]:
    """The colours of every panel's lines, which are those of its legend."""
    page = said(*arguments, "-f", "html")
    scales = re.findall(
        r'"color":\{"field":"label","legend":\{[^{}]*\},"scale":'
        r'\{"domain":(\[.*?\]),"range":(\[.*?\])\}',
        page,
    )
    (looks,) = {tuple(zip(*map(json.loads, scale), strict=True)) for scale in scales}
    return dict(looks)


def in_report(*arguments: object) -> dict[str, str]:
    """The colours of a page, by its legend and its style."""
    page = said("report", *arguments)
    (light,) = re.findall(r"^:root \{((?: --s\d: #\w+;)+) \}$", page, re.MULTILINE)
    colours = dict(re.findall(r"--(s\d): (#\w+);", light))
    legend = page.partition('<ul class="legend"')[2].partition("</ul>")[0]
    keys = re.findall(r'<line class="(s\d) d\d".*?<bdi>(.*?)</bdi>', legend)
    assert keys
    return {name: colours[place] for place, name in keys}


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
    palette = Palette.of(["thorough", "swift", "meagre"])
    expected = {run: palette.colour(run) for run in ("swift", "meagre", "thorough")}
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
    assert whole == {run: Palette.of(["keen", "shy"]).colour(run) for run in ("keen", "shy")}
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
    assert whole == {
        run.stem: Palette.of([each.stem for each in runs]).colour(run.stem) for run in runs
    }
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
