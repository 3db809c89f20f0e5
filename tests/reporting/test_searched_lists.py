"""Lists of what went wrong in a browser: chosen, searched, filtered, and seen some at a time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.reporting.test_report_page import HOSTILE
from tests.reporting.visiting import Visit
from tseval.core.blocks import Head, Listed, Rows, Searched, SectionContent
from tseval.reporting.content import Report
from tseval.reporting.page.document import report_page
from tseval.reporting.page.markup import visible_text

pytestmark = pytest.mark.small_times

RUN = Head("run", "run", is_filter=True)
TOPIC = Head("topic", "name", is_filter=True, choices=("flood", "mine"))
WEIGHT = Head("weight", decimals=1, is_filter=True)
WORDS = Head("words", "count", is_filter=True)
TEXT = Head("text", "name")
RUNS = Head("runs", "runs", is_filter=True)


def lists() -> Searched:
    """130 rows of two runs, heaviest first; and a shorter list without weights."""
    heavy = tuple(
        (at % 2, ("flood", "mine")[at % 3 == 0], 13 - at / 10, 1000 + at, f"Of the {sea(at)} {at}")
        for at in range(130)
    )
    light = ((1, "mine", 3, "Fog"), (0, "flood", 2, "Mist of the river"))
    return Searched(
        (
            Listed("None", 0, "There are none.", Rows("None", (RUN, WEIGHT), ())),
            Listed(
                "Heavy",
                200,
                "70 are left out.",
                Rows("Heavy", (RUN, TOPIC, WEIGHT, WORDS, TEXT), heavy),
            ),
            Listed("Light", 2, "All are here.", Rows("Light", (RUN, TOPIC, WORDS, TEXT), light)),
        )
    )


def sea(at: int) -> str:
    return "river" if at < 60 else "sea"


def with_lists(report: Report, block: Searched) -> bytes:
    section = SectionContent("wrong", "What went wrong", (block,))
    return report_page(replace(report, sections=(section,)))


@pytest.fixture(scope="module")
def page_file(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "lists.html"
    path.write_bytes(with_lists(report, lists()))
    return path


class Lists:
    """What a reader does with the lists of a page, and what he sees."""

    def __init__(self, page: Any) -> None:
        self.page = page.locator("#wrong")

    def choose(self, name: str) -> None:
        self.page.get_by_role("button", name=name).click()

    def filter(self, label: str) -> Any:
        return self.page.get_by_label(label, exact=True)

    @property
    def told(self) -> str:
        return str(self.page.locator("output").inner_text())

    @property
    def rows(self) -> list[list[str]]:
        table = self.page.locator(".place tbody tr")
        return [table.nth(at).locator("> *").all_inner_texts() for at in range(table.count())]


def test_the_first_list_with_rows_is_shown_fifty_at_a_time(chromium: Any, page_file: Path) -> None:
    visit = Visit(chromium, page_file)
    seen = Lists(visit.page)
    names = seen.page.locator(".list")
    assert names.all_inner_texts() == ["None 0", "Heavy 200", "Light 2"]
    assert names.nth(1).get_attribute("aria-pressed") == "true"
    assert (len(seen.rows), seen.told) == (50, "50 of 130 that fit")
    assert seen.page.locator(".note").first.inner_text() == "70 are left out."
    assert seen.rows[0] == ["swift", "mine", "13.0", "1,000", "Of the river 0"]
    assert seen.rows[49][2] == "8.1"
    more = seen.page.get_by_role("button", name="More")
    more.focus()
    visit.page.keyboard.press("Enter")
    assert seen.told == "100 of 130 that fit"
    more.click()
    assert (len(seen.rows), more.is_visible()) == (130, False)
    seen.choose("None")
    assert (seen.rows, seen.told) == ([], "0 of 0 that fit")
    visit.check()


def test_search_and_filters_hold_together(chromium: Any, page_file: Path) -> None:
    visit = Visit(chromium, page_file)
    seen = Lists(visit.page)
    seen.filter("Search").fill("RIVER swift")
    assert seen.told == "30 of 30 that fit"
    seen.filter("topic").select_option("mine")
    assert seen.told == "10 of 10 that fit"  # 0, 6, ..., 54
    seen.filter("weight at least").fill("12.4")
    assert [row[4] for row in seen.rows] == ["Of the river 0", "Of the river 6"]
    seen.filter("words at least").fill("1006")
    assert [row[4] for row in seen.rows] == ["Of the river 6"]
    seen.filter("run").select_option("thorough")
    assert seen.told == "0 of 0 that fit"
    # The other list has no weights: their filter is away, and the others hold on.
    seen.filter("Search").fill("fog")
    seen.filter("words at least").fill("")
    seen.choose("Light")
    assert seen.filter("weight at least").is_hidden()
    assert seen.rows == [["thorough", "mine", "3", "Fog"]]
    seen.filter("Search").fill("nowhere")
    assert seen.told == "0 of 0 that fit"
    visit.check()


def test_what_several_runs_did_is_one_row_that_each_of_them_finds(
    chromium: Any, report: Report, tmp_path: Path
) -> None:
    names = tuple(f"run-{at}" for at in range(1, 6))
    every, most, few, one = (0, 1, 2, 3, 4), (0, 2, 3, 4), (1, 4), (3,)
    heads = Head("topic", "name"), RUNS, TEXT
    rows = tuple(("mine", own, str(len(own))) for own in (every, most, few, one))
    lists = Searched(
        (
            Listed("Together", 4, "", Rows("Together", heads, rows)),
            Listed("Alone", 1, "", Rows("Alone", (RUN, TEXT), ((1, "2"),))),
        )
    )
    path = tmp_path / "together.html"
    path.write_bytes(with_lists(replace(report, runs=names), lists))
    visit = Visit(chromium, path)
    seen = Lists(visit.page)
    told = {row[2]: row[1] for row in seen.rows}
    assert told == {"5": "all 5", "4": "all but run-2", "2": "run-2, run-5", "1": "run-4"}
    found = {}
    for name in names:
        seen.filter("run").select_option(name)
        found[name] = [row[2] for row in seen.rows]
    assert found == {
        "run-1": ["5", "4"],
        "run-2": ["5", "2"],
        "run-3": ["5", "4"],
        "run-4": ["5", "4", "1"],
        "run-5": ["5", "4", "2"],
    }
    seen.filter("run").select_option("all")
    seen.filter("Search").fill("RUN-4")
    assert [row[2] for row in seen.rows] == ["5", "4", "1"]
    # The filter of one run is that of the other list too.
    seen.filter("Search").fill("")
    seen.filter("run").select_option("run-1")
    seen.choose("Alone")
    assert seen.rows == []
    seen.filter("run").select_option("run-2")
    assert seen.rows == [["run-2", "2"]]
    visit.check()
    bare = Visit(chromium, path, java_script_enabled=False)
    bare.page.locator("#wrong summary").first.click()
    cells = bare.page.locator("#wrong details").first.locator("tbody tr > :nth-child(2)")
    assert cells.all_inner_texts() == list(told.values())


def test_long_names_wrap_instead_of_widening_the_list(
    chromium: Any, report: Report, tmp_path: Path
) -> None:
    event = "2020NashvilleTornadoAndTheFloodsOfTheFollowingSpring"
    kinds = "Request-GoodsServices, Report-EmergingThreats, Report-Location"
    words = "Three families wait on their roofs near the school " * 4
    first = Head("event", "name"), Head("priority", "text"), Head("time (UTC)", "text"), RUNS
    heads = (*first, TEXT, Head("types", "name"), Head("types of the run", "name"))
    row = (event, "Critical", "2020-03-03 12:00:00", (0, 1), words, kinds, kinds, "1" * 19)
    rows = Rows("Missed", (*heads, Head("post", "name")), (row,) * 3)
    path = tmp_path / "wide.html"
    path.write_bytes(with_lists(report, Searched((Listed("Missed", 3, "", rows),))))
    visit = Visit(chromium, path, viewport={"width": 1600, "height": 900})
    frame = visit.page.locator("#wrong .place .scroll")
    assert frame.evaluate("each => each.scrollWidth <= each.clientWidth")
    cells = frame.locator("tbody th, tbody td")
    assert cells.evaluate_all("all => all.every((each) => each.scrollWidth <= each.clientWidth)")
    assert cells.first.inner_text() == event
    visit.check()


@pytest.mark.parametrize("width", [400, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_its_targets_are_large_and_named(
    chromium: Any, page_file: Path, width: int, scheme: str
) -> None:
    size = {"width": width, "height": 900}
    visit = Visit(chromium, page_file, viewport=size, color_scheme=scheme)
    visit.check_width()
    assert visit.check_controls("#wrong button, #wrong select, #wrong input") == 3 + 5 + 1
    visit.check()


def test_without_scripts_the_beginnings_are_there(chromium: Any, page_file: Path) -> None:
    visit = Visit(chromium, page_file, java_script_enabled=False)
    assert visit.page.locator("#wrong input").first.is_hidden()
    folded = visit.page.locator("#wrong details")
    assert folded.count() == 3
    folded.nth(1).locator("summary").click()
    assert folded.nth(1).locator("tbody tr:visible").count() == 50
    assert "The first 50 stand here." in folded.nth(1).inner_text()
    folded.nth(2).locator("summary").click()
    assert folded.nth(2).locator("tbody tr:visible").count() == 2
    visit.check()


def test_on_paper_the_shown_rows_stand_without_controls(chromium: Any, page_file: Path) -> None:
    visit = Visit(chromium, page_file)
    visit.page.emulate_media(media="print")
    last = visit.page.locator("#wrong .place tbody tr").last.bounding_box()
    frame = visit.page.locator("#wrong .place .scroll").bounding_box()
    assert last["y"] + last["height"] <= frame["y"] + frame["height"] + 1  # nothing is cut
    assert visit.page.locator("#wrong input").first.is_hidden()
    assert visit.page.locator("#wrong details").first.is_hidden()
    told = visit.page.locator("#wrong p", has=visit.page.locator("output"))
    assert told.inner_text() == "50 of 130 that fit; the page shows all"
    visit.page.emulate_media(media="screen")
    assert told.inner_text() == "50 of 130 that fit"
    Lists(visit.page).filter("Search").fill("river swift")
    visit.page.emulate_media(media="print")
    assert told.inner_text() == "30 of 30 that fit"  # all of them
    assert visit.page.pdf(format="A4").startswith(b"%PDF")
    visit.check()


def test_the_chosen_list_is_told_apart_in_forced_colours(chromium: Any, page_file: Path) -> None:
    visit = Visit(chromium, page_file, forced_colors="active")
    colours = "e => getComputedStyle(e).backgroundColor"
    found = [each.evaluate(colours) for each in visit.page.locator("#wrong .list").all()]
    assert found[0] == found[2] != found[1]
    visit.check()


def test_texts_stay_texts(chromium: Any, report: Report, tmp_path: Path) -> None:
    rows = tuple((0, text) for text in HOSTILE)
    heads = RUN, Head("text", "name", is_filter=True, choices=HOSTILE)
    path = tmp_path / "hostile.html"
    path.write_bytes(
        with_lists(report, Searched((Listed("Bad", 10, "", Rows("Bad", heads, rows)),)))
    )
    visit = Visit(chromium, path)
    seen = visit.page.locator("#wrong .place tbody td")
    assert seen.all_text_contents() == [visible_text(text) for text in HOSTILE]
    for place in range(len(HOSTILE)):
        visit.page.get_by_label("text", exact=True).select_option(index=1 + place)
        assert seen.all_text_contents() == [visible_text(HOSTILE[place])]
    assert visit.page.evaluate("window.hacked") is None
    visit.check()
