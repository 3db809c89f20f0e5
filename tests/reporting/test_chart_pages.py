"""Pictures as pages: drawn as a report draws them, at every width, light and dark, by keyboard."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest

import tseval
from tests.program import FIXTURES, MATCHES, NUGGETS, SWIFT, THOROUGH, TOPICS
from tests.program import tseval as program
from tests.reporting.test_charts import SVG, classes, points_of
from tests.reporting.visiting import Visit
from tseval.comparison import compare

FILTER, STREAM = FIXTURES / "filter", FIXTURES / "incidents"
OVER_TIME = ("curve", SWIFT, THOROUGH, NUGGETS, "--matches", MATCHES, "--topics", TOPICS)
START = 1_700_000_000
COMMANDS: dict[str, tuple[object, ...]] = {
    "curves": OVER_TIME,
    "log": (*OVER_TIME, "--log", "--until", "12h", "-q"),
    "batches": (*OVER_TIME, "--batch", "2h", "--trend"),
    "filter": ("filter", *(FILTER / f"{x}.tsv" for x in ("steady", "improving", "truth"))),
    "calibrate": ("calibrate", SWIFT, THOROUGH, NUGGETS, MATCHES),
    "incidents": (
        *("incidents", STREAM / "keen.txt", STREAM / "shy.tsv", STREAM / "labels.json"),
        *("--ontology", STREAM / "types.json", "--epochs", STREAM / "epochs.txt"),
    ),
}


def said(*arguments: object) -> str:
    done = program(*arguments, "--quiet")
    assert done.code == 0, done.err
    return done.out


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    for name, arguments in COMMANDS.items():
        said(*arguments, "-o", folder / f"{name}.html")
    hostile = folder / "hostile.tsv"
    run = "</script><script>document.title='x'</script><b>\u202e"
    hostile.write_text(Path(SWIFT).read_text().replace("swift\t", f"{run}\t"))
    given = ("curve", hostile, NUGGETS)
    said(*given, "--title", run, "-o", folder / "hostile.html")
    return folder


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1600])
@pytest.mark.parametrize("name", [*COMMANDS, "hostile"])
def test_it_fits_and_loads_nothing(
    chromium: Any, pages: Path, name: str, width: int, scheme: str
) -> None:
    size = {"width": width, "height": 900}
    visit = Visit(chromium, pages / f"{name}.html", viewport=size, color_scheme=scheme)
    page = visit.page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 24, 26)"
    assert dark == (scheme == "dark")
    figures = page.locator("figure.curve")
    assert figures.count() == page.locator("figure.curve details").count() > 0
    for at in range(min(2, figures.count())):
        figures.nth(at).locator("summary").click()
        assert figures.nth(at).locator("table").is_visible()
        inside = figures.nth(at).locator(".plot").bounding_box()
        assert inside["x"] >= 0
        assert inside["x"] + inside["width"] <= width
    assert visit.asked == [visit.url]
    assert page.title() != "x"
    visit.check()


def test_its_lines_are_brought_forward_by_the_keyboard(chromium: Any, pages: Path) -> None:
    page = chromium.new_page()
    page.goto((pages / "curves.html").as_uri())
    line = page.locator('.plot .line[data-run="0"]').first
    assert "on" in line.get_attribute("class").split()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "swift"
    page.keyboard.press("Enter")
    assert "on" not in line.get_attribute("class").split()
    assert "runs=thorough" in page.url
    box = page.locator(".plot").nth(1).bounding_box()
    page.mouse.move(box["x"] + 0.72 * box["width"], box["y"] + box["height"] / 2)
    assert "thorough 0.9028" in page.locator(".readout").nth(1).text_content()
    page.close()


def test_the_pointer_tells_the_time_of_a_logarithmic_axis(chromium: Any, pages: Path) -> None:
    page = chromium.new_page(viewport={"width": 1600, "height": 900})
    page.goto((pages / "log.html").as_uri())
    plot = page.locator(".plot").first
    low, high, left, right = map(float, plot.get_attribute("data-x").split())
    box, wide = plot.bounding_box(), plot.evaluate("each => each.viewBox.baseVal.width")
    x = box["x"] + (left + right) / 2 * box["width"] / wide
    page.mouse.move(x, box["y"] + box["height"] / 2)
    told = float(page.locator(".readout").first.text_content().split()[0])
    assert told == pytest.approx(math.sqrt(low * high), rel=0.02)
    assert high == 12
    page.close()


def test_a_reader_of_screens_hears_what_is_drawn(pages: Path) -> None:
    page = (pages / "batches.html").read_text()
    labels = re.findall(r'role="img" aria-label="([^"]*)"', page)
    assert labels[:2] == ["P: higher is better · reward per update", "R: higher is better · recall"]
    assert "vega" not in page.lower()
    assert 'aria-label="marks"' in page


class TestCurves:
    def test_until_cuts_the_rows_and_the_axis(self) -> None:
        whole, cut = (
            list(csv.DictReader(io.StringIO(said(*OVER_TIME, *more))))
            for more in ((), ("--until", "6h"))
        )
        assert cut == [row for row in whole if float(row["hours"]) <= 6]
        assert 0 < len(cut) < len(whole)

    @pytest.mark.parametrize(
        ("more", "told"),
        [
            (("--until", "soon"), "--until"),
            (("--until", "0h"), "longer than 0 seconds"),
            (("--until", "6h", "--batch", "1h"), "--until has no meaning with --batch"),
            (("--log", "--batch", "1h"), "--log has no meaning with --batch"),
        ],
    )
    def test_what_has_no_meaning_is_refused(self, more: tuple[str, ...], told: str) -> None:
        done = program(*OVER_TIME, *more)
        assert done.code == 2
        assert told in done.err

    def test_a_curve_is_drawn_at_the_logarithm_of_its_times(self) -> None:
        """Each step of the picture is one of the table, at the logarithm of its hour."""
        rows = list(csv.DictReader(io.StringIO(said(*OVER_TIME, "-m", "R"))))
        own = [row for row in rows if row["run"] == "swift" and float(row["hours"]) > 0]
        root = ElementTree.fromstring(said(*OVER_TIME, "-m", "R", "--log", "-f", "svg"))
        marks = _at_x(root)
        steps = sorted({x for x, _ in points_of(_path(root, "line", 0))})
        changed = [own[0]]
        changed += [b for a, b in pairwise(own) if a["value"] != b["value"]]
        wanted = [_placed(marks, float(row["hours"])) for row in changed]
        for place in wanted[1:]:
            assert min(abs(place - each) for each in steps) < 0.2

    def test_few_topics_are_points_and_many_have_bands(self, tmp_path: Path) -> None:
        words = said(*OVER_TIME, "-m", "R", "-f", "svg")
        assert "a topic by itself" in words
        assert 'class="band' not in words
        root = ElementTree.fromstring(words)
        (group,) = [
            each
            for each in root.iter(f"{SVG}g")
            if "parts" in classes(each) and each.get("data-run") == "1"
        ]
        ends = {
            float(row["value"])
            for topic in ("ferry", "flood", "mine")
            for row in [_last(said(*OVER_TIME, "-m", "R", "--topic", topic))]
            if row is not None
        }
        drawn = {round(_value(root, float(each.get("cy"))), 2) for each in group}
        assert {round(end, 2) for end in ends} <= drawn

        early = ElementTree.fromstring(said(*OVER_TIME, "-m", "R", "--until", "6h", "-f", "svg"))
        times = {float(each.get("cx")) for each in early.iter(f"{SVG}circle")}
        hours = {round(_at(early, place), 1) for place in times}
        assert max(hours) == 5.0  # the last step before the sixth hour
        assert len(hours - {round(5 * at / 6, 1) for at in range(1, 7)}) <= 1  # and the key

        runs, nuggets, matches, topics = _many_topics(tmp_path)
        given = ("curve", runs, nuggets, "--matches", matches, "--topics", topics, "-m", "R")
        root = ElementTree.fromstring(said(*given, "-f", "svg"))
        scores = tseval.score(runs, nuggets, matches, measures="R", topics=topics)
        (row,) = compare(scores.frame()).standings
        corners = points_of(_path(root, "band", 0))
        heights = [_value(root, y) for x, y in corners if x == max(corners)[0]]
        assert min(heights) == pytest.approx(row.low, abs=0.01)
        assert max(heights) == pytest.approx(row.high, abs=0.01)
        assert "95 % interval of the mean over topics" in said(*given, "-f", "html")


def test_a_calibration_says_the_best_f1_and_its_threshold() -> None:
    several = ("--matcher", "fuzzy", "--matcher", "grams")
    told = json.loads(said(*COMMANDS["calibrate"], *several, "-f", "json"))["records"]
    drawn = said(*COMMANDS["calibrate"], *several, "-f", "svg")
    for each in told:
        threshold = each["threshold"]["value"]
        (best,) = [row["F1"] for row in each["curve"] if row["threshold"] == threshold]
        assert best == max(row["F1"] for row in each["curve"] if row["F1"] is not None)
        assert f">best F1 {best:.2f}, at threshold {threshold:.2f}<" in drawn
    assert drawn.count(">threshold of the matcher<") == 2
    assert drawn.count(">agreement with assessors<") == 2


def test_trust_counts_the_posts_of_the_event() -> None:
    """keen has the first and the third post of the quake, and shy one alone; all count to three."""
    root = ElementTree.fromstring(said(*COMMANDS["incidents"], "--event", "quake", "-f", "svg"))
    worth = next(each for each in root.iter(f"{SVG}g") if "plot" in classes(each))
    assert [text for text, _ in _labels(worth, "x", "x")] == [1, 2, 3]
    steps = {
        run: sorted({round(_at(worth, x), 1) for x, _ in points_of(_path(worth, "line", run))})
        for run in (0, 1)
    }
    assert steps[0] == [1, 3, 3.9]
    assert len(steps[1]) == 2  # from its post to the end, not a single place
    assert steps[1][1] == 3.9


def test_the_end_points_of_filtering_are_those_of_the_fits() -> None:
    fits = csv.DictReader(io.StringIO(said(*COMMANDS["filter"], "--show", "fits", "-f", "csv")))
    root = ElementTree.fromstring(said(*COMMANDS["filter"], "-f", "svg"))
    plot = next(each for each in root.iter(f"{SVG}g") if "plot" in classes(each))
    bars = {
        int(each.get("data-run") or 0): next(each.iter(f"{SVG}line"))
        for each in plot.iter(f"{SVG}g")
        if classes(each)[:1] == ["end"]
    }
    for at, row in enumerate(fits):
        drawn = [_value(plot, float(bars[at].get(end) or 0)) for end in ("y1", "y2")]
        assert drawn == [
            pytest.approx(float(row[end]), abs=0.01) for end in ("end_low", "end_high")
        ]
        days = _at(plot, float(bars[at].get("x1") or 0))
        assert days == pytest.approx(5.06, abs=0.07)  # the middle of the last batch, which is short
    assert any("foretold" in classes(each) for each in plot.iter(f"{SVG}path"))
    assert any("beyond" in classes(each) for each in plot.iter(f"{SVG}rect"))


def _last(table: str) -> dict[str, str] | None:
    rows = [row for row in csv.DictReader(io.StringIO(table)) if row["run"] == "thorough"]
    return rows[-1] if rows else None


def _path(root: ElementTree.Element, kind: str, run: int) -> str:
    (found,) = [
        each.get("d") or ""
        for each in root.iter(f"{SVG}path")
        if kind in classes(each) and each.get("data-run") == str(run)
    ]
    return found


def _labels(root: ElementTree.Element, kind: str, at: str) -> list[tuple[float, float]]:
    found = [each for each in root.iter(f"{SVG}text") if classes(each) == [kind]]
    return [(float((each.text or "").replace("−", "-")), float(each.get(at))) for each in found]


def _at_x(root: ElementTree.Element) -> list[tuple[float, float]]:
    return _labels(root, "x", "x")


def _placed(marks: list[tuple[float, float]], hours: float) -> float:
    (low, left), (high, right) = marks[0], marks[-1]
    share = (math.log(hours) - math.log(low)) / (math.log(high) - math.log(low))
    return left + share * (right - left)


def _at(root: ElementTree.Element, x: float) -> float:
    (low, left), (high, right) = _at_x(root)[0], _at_x(root)[-1]
    return low + (x - left) / (right - left) * (high - low)


def _value(root: ElementTree.Element, y: float) -> float:
    marks = [(value, place - 4) for value, place in _labels(root, "y", "y")]
    (v0, p0), (v1, p1) = marks[0], marks[-1]
    return v0 + (y - p0) / (p1 - p0) * (v1 - v0)


def _many_topics(folder: Path) -> tuple[Path, Path, Path, Path]:
    """A run that finds one nugget of two in every second of ten topics."""
    names = [f"t{at}" for at in range(10)]
    tables = {
        "run.tsv": [
            (t, "u", START + 3600 + 60 * at, "a word", "one") for at, t in enumerate(names)
        ],
        "nuggets.tsv": [(t, n, START, 1, "a word") for t in names for n in ("n1", "n2")],
        "matches.tsv": [(t, "u", "n1") for t in names[::2]],
        "topics.tsv": [(t, START, START + 36000) for t in names],
    }
    heads = {
        "run.tsv": ["topic", "update_id", "time", "text", "run"],
        "nuggets.tsv": ["topic", "nugget_id", "time", "importance", "text"],
        "matches.tsv": ["topic", "update_id", "nugget_id"],
        "topics.tsv": ["topic", "start", "end"],
    }
    for name, rows in tables.items():
        pd.DataFrame(rows, columns=heads[name]).to_csv(folder / name, sep="\t", index=False)
    first, second, third, fourth = (folder / name for name in tables)
    return first, second, third, fourth
