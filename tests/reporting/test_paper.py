"""Pages of every family on paper, for those who can't see them, and in every scheme of colours."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import tseval
from bench import bench_report
from tests.axe import violations
from tests.program import FIXTURES, MATCHES, NUGGETS, SWIFT, THOROUGH, TOPICS
from tests.reporting.visiting import Visit
from tseval.reporting.api import Page

pytestmark = pytest.mark.small_times

STREAM, FILTER = FIXTURES / "incidents", FIXTURES / "filter"
PAPER = 688
"""The pixels across of a page A4 between its margins."""
SMALL = ("fixtures", "incidents", "filtering")


def fixtures(_: Path) -> Page:
    return tseval.report(tseval.score([SWIFT, THOROUGH], NUGGETS, MATCHES, topics=TOPICS))


def incidents(_: Path) -> Page:
    given: dict[str, Any] = {"runs": [STREAM / "keen.txt", STREAM / "shy.tsv"]}
    gold: dict[str, Any] = {"labels": STREAM / "labels.json", "ontology": STREAM / "types.json"}
    gold |= {"epochs": STREAM / "epochs.txt"}
    return tseval.report(tseval.score_incidents(**given, **gold), **given, **gold)


def filtering(_: Path) -> Page:
    runs = [FILTER / f"{name}.tsv" for name in ("steady", "improving", "fading")]
    scores = tseval.score_filtering(runs, FILTER / "truth.tsv", "end(F_pra) slope(F_pra) F_1")
    return tseval.report(scores, runs=runs, truth=FILTER / "truth.tsv")


def many(folder: Path) -> Page:
    """30 runs."""
    paths = bench_report.files(folder, 30, 6, 600)
    given = {name: str(path) for name, path in paths.items()}
    scores = tseval.score(given["updates"], given["nuggets"], given["matches"])
    return tseval.report(scores, resamples=200)


def real(conformance: Path) -> Page:
    """The two runs of 2014 that can be had."""
    year = conformance / "temporal" / "2014"
    scores = tseval.score(
        sorted((year / "runs").glob("*.gz")),
        year / "nuggets.tsv.gz",
        year / "matches.tsv.gz",
        topics=year / "topics.xml",
        pool=year / "updates_sampled.tsv.gz",
        edition="ts2014",
    )
    return tseval.report(scores, resamples=1000)


KINDS = {each.__name__: each for each in (fixtures, incidents, filtering, many, real)}
MARKED = [
    pytest.param(name, marks=pytest.mark.conformance) if name == "real" else name for name in KINDS
]
MADE: dict[str, Page] = {}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Any:
    """Each page by its kind, made when it is first asked for, as a file."""
    folder = tmp_path_factory.mktemp("paper")

    def page(kind: str) -> Path:
        path = folder / f"{kind}.html"
        if kind not in MADE:
            given = request.getfixturevalue("conformance") if kind == "real" else folder
            MADE[kind] = KINDS[kind](given)
            path.write_bytes(MADE[kind].html)
        return path

    yield page
    MADE.clear()


BEYOND = """(width) => [...document.querySelectorAll("body *")]
  .filter((each) => each.checkVisibility() && !each.closest("svg, .unseen")
    && each.getBoundingClientRect().right > width + 1)
  .map((each) => [each.tagName, each.className, each.closest("section")?.id])"""


def on_paper(chromium: Any, path: Path) -> Visit:
    """The page as it is printed, with its folds open."""
    visit = Visit(chromium, path, viewport={"width": PAPER, "height": 900})
    visit.page.emulate_media(media="print")
    visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    return visit


@pytest.mark.browser
@pytest.mark.parametrize("kind", MARKED)
def test_nothing_is_cut_on_paper(chromium: Any, pages: Any, kind: str) -> None:
    visit = on_paper(chromium, pages(kind))
    assert visit.page.evaluate(BEYOND, PAPER) == []
    visit.check()


@pytest.mark.browser
@pytest.mark.parametrize("kind", MARKED)
def test_every_measure_and_run_stands_on_paper(chromium: Any, pages: Any, kind: str) -> None:
    visit = on_paper(chromium, pages(kind))
    report = MADE[kind].report
    tables = visit.page.locator("#means .paper table")
    assert tables.count() == -(-len(report.runs) // 6)
    assert visit.page.locator("table.means:visible").count() == 0
    heads = visit.page.locator("#means .paper thead th:visible").all_inner_texts()
    assert [each for each in heads if each != "measure"] == list(report.runs)
    rows = tables.first.locator("tbody tr")
    shown = [rows.nth(at).locator("th").inner_text().split(" ")[0] for at in range(rows.count())]
    assert shown == [each.name for each in report.measures]
    means = {row.run: row for row in report.measures[0].means}
    cell = rows.first.locator("td").first.inner_text()
    assert float(cell.split()[0].replace("\N{MINUS SIGN}", "-")) == pytest.approx(
        means[0].mean, abs=5e-5
    )
    assert (" to " in cell) == (means[0].low is not None)
    visit.check()


@pytest.mark.browser
def test_folds_are_open_while_the_page_is_printed(chromium: Any, pages: Any) -> None:
    visit = Visit(chromium, pages("incidents"))
    folds = visit.page.locator("#types details, #means details:has(table)")
    before = [folds.nth(at).get_attribute("open") for at in range(folds.count())]
    assert before == [None] * folds.count() != []
    visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert [folds.nth(at).get_attribute("open") for at in range(folds.count())] == [""] * len(
        before
    )
    visit.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert [folds.nth(at).get_attribute("open") for at in range(folds.count())] == before
    visit.check()


@pytest.mark.browser
@pytest.mark.parametrize("kind", ["fixtures", "incidents", "many"])
def test_topics_get_pages_of_their_own_on_demand(chromium: Any, pages: Any, kind: str) -> None:
    visit = on_paper(chromium, pages(kind))
    sheets = visit.page.locator(".sheet")
    assert sheets.count() == 0
    visit.page.locator("#on-paper").evaluate(
        "each => { each.value = '1'; each.dispatchEvent(new Event('change', {bubbles: true})); }"
    )
    report = MADE[kind].report
    names = [sheets.nth(at).locator("h2").inner_text() for at in range(sheets.count())]
    assert sorted(names) == sorted(report.topics)
    first = sheets.nth(names.index(report.topics[0]))
    shown = first.locator("table:first-of-type tbody th").all_inner_texts()
    assert shown == [
        each.name for each in report.measures if any(x is not None for x in each.cells[0])
    ]
    timed = [each.topic for each in report.timelines]
    if timed:
        sheet = sheets.nth(names.index(timed[0]))
        nuggets = report.timelines[0].nuggets
        assert sheet.locator("table").last.locator("tbody tr").count() == len(nuggets)
    assert visit.page.evaluate(BEYOND, PAPER) == []
    assert "paper=" in visit.page.evaluate("location.hash")
    pdf = visit.page.pdf(format="A4")
    assert len(re.findall(rb"/Type /Page\b", pdf)) > len(names)
    visit.close()
    again = Visit(chromium, pages(kind))
    again.page.goto(f"{again.url}#data?paper=also+every+{report.nouns[0]}%2C+on+a+page+of+its+own")
    again.page.wait_for_function("document.querySelectorAll('.sheet').length")
    assert again.page.locator(".sheet").count() == len(names)
    again.close()


THINNED = """() => document.querySelectorAll("tbody, #lanes, .legend, .parts").forEach((each) =>
  [...each.children].slice(12).forEach((row) => row.remove()))"""
"""Hundreds of rows are alike, and dots of a curve, and axe would look at each."""


@pytest.mark.browser
@pytest.mark.parametrize("kind", [pytest.param("fixtures", marks=pytest.mark.always), *MARKED[1:]])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(chromium: Any, pages: Any, kind: str, scheme: str) -> None:
    visit = Visit(chromium, pages(kind), color_scheme=scheme)
    visit.page.evaluate(THINNED)
    found = violations(visit.page)
    told = [(each["id"], each["impact"], each["nodes"][0]["html"][:200]) for each in found]
    assert told == []
    visit.check()


@pytest.mark.browser
@pytest.mark.parametrize("kind", ["incidents", "filtering", "many"])
@pytest.mark.parametrize("width", [400, 1600])
def test_pages_fit_their_windows(chromium: Any, pages: Any, kind: str, width: int) -> None:
    visit = Visit(chromium, pages(kind), viewport={"width": width, "height": 900})
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    visit.check()


# Colours.

COLOURS = """([text, back]) => {
  const made = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (colour) => {
    made.fillStyle = colour;
    made.fillRect(0, 0, 1, 1);
    return [...made.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const probe = document.createElement("td");
  probe.className = text.startsWith("h") ? text : "";
  probe.style.setProperty("color", text.startsWith("--") ? `var(${text})` : "");
  if (back.startsWith("--")) probe.style.setProperty("background", `var(${back})`);
  document.body.append(probe);
  const look = getComputedStyle(probe);
  const pair = [rgb(look.color), rgb(look.backgroundColor)];
  probe.remove();
  return pair;
}"""
PAIRS = [
    *((f"h{at}", "") for at in range(9)),
    *product(("--ink", "--soft", "--accent", "--alarm"), ("--paper", "--wash")),
    ("--mark-ink", "--mark"),
]


def contrast(one: list[int], other: list[int]) -> float:
    """How far two colours are apart, as WCAG has it."""
    light = []
    for colour in (one, other):
        parts = [each / 255 for each in colour]
        linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
        light.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    return (max(light) + 0.05) / (min(light) + 0.05)


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
def test_texts_stand_out_in_every_shade(chromium: Any, pages: Any, scheme: str) -> None:
    assert contrast([255, 255, 255], [0, 0, 0]) == pytest.approx(21)
    given = {} if scheme == "print" else {"color_scheme": scheme}
    visit = Visit(chromium, pages("fixtures"), **given)
    if scheme == "print":
        visit.page.emulate_media(media="print")
    low = {
        pair: round(found, 2)
        for pair in PAIRS
        if (found := contrast(*visit.page.evaluate(COLOURS, list(pair)))) < 4.5
    }
    assert low == {}
    visit.check()


@pytest.mark.browser
def test_marks_are_seen_where_colours_are_forced(chromium: Any, pages: Any) -> None:
    """What is known by the colour of its ground alone has a border there."""
    visit = Visit(chromium, pages("incidents"), forced_colors="active")
    keys = visit.page.locator("#alerts .mark i")
    assert keys.count() == 3
    for at in range(3):
        look = keys.nth(at).evaluate("each => getComputedStyle(each).borderTopStyle")
        assert look == "solid"
    bars = visit.page.locator("#alerts .bars rect").first
    assert bars.evaluate("each => getComputedStyle(each).stroke") != "none"
    visit.check()
