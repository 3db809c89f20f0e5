"""Pages of many runs and nuggets: curves with names at their ends, timelines that are searched."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.reporting.test_report_page import with_timelines
from tests.reporting.visiting import Visit
from tseval.core.blocks import Nugget, Panels, Saying, SectionContent, Timeline, Update
from tseval.core.panels import Axis, Line, Panel
from tseval.reporting.content import Report

pytestmark = pytest.mark.small_times

RUNS, LANES = 12, 30
HEIGHTS = (0.9, 0.89, 0.88, 0.6, 0.5, 0.8, 0.2, 0.3, 0.1, 0.4, 0.45, 0.7)
"""Where the curves end."""


@pytest.fixture(scope="module")
def report(small_report: Report) -> Report:
    """Twelve runs with curves, and a topic of 40 nuggets."""
    blank = (None,) * (RUNS - len(small_report.runs))
    boards = tuple(
        replace(each, cells=tuple((*row, *blank) for row in each.cells))
        for each in small_report.measures
    )
    lines = tuple(
        Line(run, (0.0, 5.0, 10.0), (0.0, end / 2, end), (None,) * 3, (None,) * 3)
        for run, end in enumerate(HEIGHTS)
    )
    curves = SectionContent("curves", "Curves", (Panels((Panel("R", "", Axis("h"), lines),)),))
    nuggets = tuple(Nugget(f"n{at}", at, at % 4 + 1, f"word{at} again") for at in range(40))
    # Run 0 says every third nugget, the later the higher its number; run 1 every second one.
    updates = tuple(Update(at % 2, f"u{at}", 2.0 * at - 3, f"word{at}") for at in range(40))
    sayings = tuple(
        Saying(at, at, True, ()) for at in range(40) if (at % 2 == 0 and at % 3 == 0) or at % 2
    )
    sections = with_timelines(small_report, (Timeline("storm", 80.0, nuggets, updates, sayings),))
    kept = tuple(each for each in sections if each.timelines)
    names = tuple(f"run-{at:02}" for at in range(RUNS))
    return replace(small_report, runs=names, measures=boards, sections=(curves, *kept))


def named(page: Any) -> list[str]:
    return page.locator(".ends text").all_text_contents()


def path_heights(page: Any) -> list[float]:
    """The heights at the right edge of the envelope: first its top, then its bottom."""
    corners = re.findall(r"([\d.]+) ([\d.]+)", page.locator(".envelope").get_attribute("d"))
    right = max(float(x) for x, _ in corners)
    return sorted(float(y) for x, y in corners if float(x) == right)


def test_lines_that_stand_out_are_named_apart_at_their_ends(chromium: Any, page_file: Path) -> None:
    visit = Visit(chromium, page_file, viewport={"width": 1600, "height": 900})
    assert named(visit.page) == [f"run-{at:02}" for at in range(5)]
    heights = [float(each.get_attribute("y")) for each in visit.page.locator(".ends text").all()]
    assert min(b - a for a, b in pairwise(heights)) >= 11.9
    assert all(0 < y < 270 for y in heights)
    visit.page.set_viewport_size({"width": 400, "height": 900})
    visit.page.locator(".ends text").first.wait_for(state="detached")
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= 400
    visit.check()


def test_the_others_are_one_envelope(chromium: Any, page_file: Path) -> None:
    visit = Visit(chromium, page_file, viewport={"width": 1600, "height": 900})
    page = visit.page
    lines = page.locator(".plot .line[data-run]")
    assert [lines.nth(at).is_visible() for at in range(RUNS)].count(True) == 5

    def end(run: int) -> float:
        drawn = page.locator(f".plot .line[data-run='{run}']").get_attribute("d")
        return float(re.findall(r"V([\d.]+)", drawn)[-1])

    assert page.locator(".envelope-note").inner_text() == (
        "The area with an edge: from the lowest to the highest of the other 7 runs."
    )
    # The last step is at the very edge: the envelope still has the value before it there.
    assert path_heights(page)[0] >= end(5) - 0.1
    before = path_heights(page)
    page.locator(".legend .key[data-run='8']").click()
    assert path_heights(page)[-1] < before[-1]
    assert "the other 6 runs" in page.locator(".envelope-note").inner_text()
    visit.check()


def test_eight_runs_stand_out_at_most(chromium: Any, page_file: Path) -> None:
    visit = Visit(chromium, page_file, viewport={"width": 1600, "height": 900})
    page = visit.page
    for run in (5, 6, 7, 8):
        page.locator(f".legend .key[data-run='{run}']").click()
    assert sorted(named(page)) == [f"run-{at:02}" for at in (0, 1, 2, 3, 5, 6, 7, 8)]
    told = page.locator(".envelope-note").inner_text()
    assert told.endswith("At most 8 stand out, so run-04 stepped back.")
    linked = Visit(chromium, page_file, url=page.evaluate("location.href"))
    assert sorted(named(linked.page)) == sorted(named(page))
    linked.check()
    runs = "&".join(f"runs=run-{at:02}" for at in range(9))
    nine = Visit(chromium, page_file, url=f"{visit.url}#curves?{runs}")
    assert len(named(nine.page)) == 8
    assert nine.page.locator(".address").inner_text().endswith("left out: runs=run-08")
    nine.check()
    visit.check()


def shown(page: Any) -> list[int]:
    """The nuggets in sight, in their order."""
    lanes = page.locator("#lanes .lane:visible").all()
    return [int(each.get_attribute("data-nugget")) for each in lanes]


def test_nuggets_are_filtered_ordered_and_searched(chromium: Any, page_file: Path) -> None:
    visit = Visit(chromium, page_file, viewport={"width": 1600, "height": 900})
    page = visit.page
    told = page.locator("#lanes-count")
    assert shown(page) == list(range(LANES))
    assert told.inner_text() == "40 of 40 nuggets, 100 of 100 by weight"
    page.get_by_role("button", name="All 40 of these nuggets").click()
    assert shown(page) == list(range(40))

    said = [at for at in range(40) if at % 6 == 0]
    page.select_option("#choose-show", label="said ones")
    assert shown(page) == said
    page.select_option("#choose-show", label="missed ones")
    assert shown(page) == [at for at in range(40) if at % 6]
    weight = sum(at % 4 + 1 for at in range(40) if at % 6)
    assert told.inner_text() == f"33 of 40 nuggets, {weight} of 100 by weight"
    page.select_option("#choose-show", label="late ones")
    assert shown(page) == [at for at in said if 2 * at - 3 > at]
    page.select_option("#choose-order", label="latest first")
    assert shown(page) == [at for at in said if 2 * at - 3 > at][::-1]

    page.select_option("#choose-show", label="all nuggets")
    page.select_option("#choose-order", label="heaviest first")
    assert shown(page) == sorted(range(40), key=lambda at: (-(at % 4), at))
    page.select_option("#choose-order", label="missed by most first")
    assert shown(page)[:3] == [2, 4, 8]
    page.get_by_label("Find").fill("again word3")
    assert sorted(shown(page)) == [3, *range(30, 40)]
    page.wait_for_url(re.compile("find="))
    linked = Visit(chromium, page_file, url=page.evaluate("location.href"))
    assert shown(linked.page) == shown(page)
    linked.check()
    visit.check()


def test_weights_are_in_sight(chromium: Any, page_file: Path) -> None:
    visit = Visit(chromium, page_file, viewport={"width": 1600, "height": 900})
    weights = visit.page.locator("#lanes .lane .weight")
    assert [weights.nth(at).inner_text().split()[-1] for at in range(4)] == ["1", "2", "3", "4"]
    bars = weights.locator("rect")
    assert [float(bars.nth(at).get_attribute("width")) for at in range(4)] == [6, 12, 18, 24]
    visit.check()


def test_a_link_leads_to_a_nugget_beyond_those_in_sight(chromium: Any, page_file: Path) -> None:
    visit = Visit(chromium, page_file, url=f"{page_file.as_uri()}#timeline?nugget=n38")
    assert shown(visit.page) == [*range(LANES), 38]
    lane = visit.page.locator("#lanes [data-nugget='38']")
    assert 0 <= lane.bounding_box()["y"] < 800
    visit.check()


def test_on_paper_every_nugget_stands(chromium: Any, page_file: Path) -> None:
    visit = Visit(chromium, page_file)
    visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert shown(visit.page) == list(range(40))
    assert visit.page.locator("#all-lanes").is_hidden()
    visit.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert visit.page.locator("#all-lanes").is_visible()
    assert shown(visit.page) == list(range(LANES))
    visit.check()
