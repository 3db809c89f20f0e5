"""What a reader chose stands in the address: a link opens what its sender saw."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote

import pytest

from tests.reporting.test_report_page import HOSTILE, column, lanes, with_texts
from tests.reporting.visiting import Visit
from tseval.reporting.content import Report
from tseval.reporting.page.document import report_page
from tseval.reporting.page.markup import visible_text

pytestmark = pytest.mark.small_times


def state(page: Any) -> tuple[str, dict[str, list[str]]]:
    """The section and the choices of an address."""
    place, _, texts = page.evaluate("location.hash").removeprefix("#").partition("?")
    found: dict[str, list[str]] = {}
    for word, text in parse_qsl(texts, keep_blank_values=True):
        found.setdefault(word, []).append(text)
    return place, found


def opened(chromium: Any, visit: Visit) -> Visit:
    """Who opens the address of another's page."""
    receiver = Visit(chromium, Path("unread"), url=visit.page.evaluate("location.href"))
    assert receiver.page.locator(".address").is_hidden()
    assert state(receiver.page) == state(visit.page)
    return receiver


def asked(page: Any) -> str:
    """What a page says that its address asks for in vain."""
    told = page.locator(".address")
    return told.inner_text() if told.is_visible() else ""


def nugget(page: Any) -> list[str]:
    """The lanes that are open."""
    return page.locator("#lanes [aria-expanded='true'] b").all_inner_texts()


def test_a_link_opens_the_topic_run_and_nugget(chromium: Any, visit: Visit) -> None:
    page = visit.page
    assert page.evaluate("location.hash") == ""
    page.select_option("#choose-topic", label="flood")
    page.select_option("#choose-run", label="thorough")
    page.locator("#lanes .lane > button").nth(4).click()
    assert state(page) == (
        "timeline",
        {"topic": ["flood"], "run": ["thorough"], "nugget": ["flood-n5"]},
    )
    receiver = opened(chromium, visit)
    assert lanes(receiver.page) == lanes(page)
    assert nugget(receiver.page) == nugget(page) == ["flood-n5"]
    box = receiver.page.locator("#lanes [data-nugget='4']").bounding_box()
    assert 0 <= box["y"] < 800
    page.locator("#lanes .lane > button").nth(4).click()
    assert state(page)[1]["nugget"] == [""]
    closed = opened(chromium, visit)
    assert nugget(closed.page) == []
    closed.check()
    receiver.check()


def test_a_link_opens_what_a_mark_showed(chromium: Any, visit: Visit) -> None:
    lane = visit.page.locator("#lanes .lane").nth(3)
    lane.locator(".hit[data-run='1']").first.click(force=True)
    assert state(visit.page)[1] == {"nugget": ["ferry-n4"], "mark": ["thorough"]}
    receiver = opened(chromium, visit)
    chosen = receiver.page.locator("#quotes-3 li.chosen").first.inner_text()
    assert chosen == visit.page.locator("#quotes-3 li.chosen").first.inner_text()
    assert chosen.startswith("thorough")
    receiver.check()


def test_a_link_opens_the_measure_and_the_sort(chromium: Any, visit: Visit) -> None:
    visit.page.get_by_role("button", name="mean R, sort", exact=True).click()
    assert state(visit.page) == ("means", {"sort": ["R", "descending"]})
    visit.page.select_option("#heat-measure", label="T")
    assert state(visit.page) == ("heat", {"sort": ["R", "descending"], "measure": ["T"]})
    receiver = opened(chromium, visit)
    assert column(receiver.page, 0) == column(visit.page, 0) == ["thorough", "swift"]
    assert receiver.page.locator(".map.on").get_attribute("data-map") == "2"
    assert abs(receiver.page.locator("#heat").bounding_box()["y"]) < 800
    receiver.check()


def test_a_link_opens_the_runs_and_the_folds(chromium: Any, visit: Visit) -> None:
    visit.page.locator(".legend .key[data-run='0']").click()
    visit.page.locator("#curves summary").nth(1).click()
    visit.page.wait_for_url(re.compile("folds"))
    assert state(visit.page) == ("curves", {"runs": ["thorough"], "folds": ["curves.2"]})
    receiver = opened(chromium, visit)
    pressed = receiver.page.locator(".legend .key")
    assert [pressed.nth(at).get_attribute("aria-pressed") for at in range(2)] == ["false", "true"]
    folds = receiver.page.locator("#curves details")
    assert [folds.nth(at).get_attribute("open") for at in range(2)] == [None, ""]
    visit.page.locator(".legend .key[data-run='1']").click()
    assert state(visit.page)[1]["runs"] == [""]
    receiver.check()


def test_a_link_opens_the_list_its_search_and_its_filters(chromium: Any, visit: Visit) -> None:
    section = visit.page.locator("#wrong")
    section.get_by_role("button", name="Repeats").click()
    section.get_by_label("run", exact=True).select_option(label="thorough")
    section.get_by_label("words at least").fill("15")
    section.get_by_label("Search").fill("the ferry")
    visit.page.wait_for_url(re.compile("ferry"))
    assert state(visit.page) == (
        "wrong",
        {
            "wrong-run": ["thorough"],
            "wrong-words": ["15"],
            "wrong-search": ["the ferry"],
            "wrong-list": ["Repeats"],
        },
    )
    receiver = opened(chromium, visit)
    told = receiver.page.locator("#wrong output").inner_text()
    assert told == section.locator("output").inner_text() == "3 of 3 that fit"
    rows = receiver.page.locator("#wrong .place tbody tr").all_inner_texts()
    assert [text.split("\t")[:2] for text in rows] == [["thorough", "ferry"]] * 3
    receiver.check()


def test_back_and_forward_lead_through_what_was_seen(visit: Visit) -> None:
    page = visit.page
    page.select_option("#choose-topic", label="flood")
    page.locator(".map.on a[data-topic='mine']").click()
    page.locator("nav a[href='#heat']").click()
    page.wait_for_url(re.compile("topic="))
    assert state(page) == ("heat", {"topic": ["mine"]})
    seen = []
    for step in ("go_back", "go_back", "go_back", "go_forward", "go_forward", "go_forward"):
        getattr(page, step)()
        chosen = page.locator("#choose-topic option:checked").inner_text()
        assert page.locator("#lanes b").first.inner_text() == f"{chosen}-n1"
        seen.append((chosen, state(page)[0]))
    assert seen == [
        ("mine", "timeline"),
        ("flood", "timeline"),
        ("ferry", ""),
        ("flood", "timeline"),
        ("mine", "timeline"),
        ("mine", "heat"),
    ]


def test_what_is_not_there_is_left_out_in_words(chromium: Any, visit: Visit) -> None:
    url = visit.url
    cases = {
        "#timeline?topic=fire&run=thorough": "topic=fire",
        "#timeline?nugget=flood-n1": "nugget=flood-n1",
        "#curves?runs=swift&runs=quick": "runs=quick",
        "#means?sort=R&sort=upwards": "sort=R, sort=upwards",
        "#means?sort=X": "sort=X",
        "#heat?measure=T&measure=R": "measure=T, measure=R",
        "#curves?folds=curves.99&constructor=1&__proto__=x": (
            "folds=curves.99, constructor=1, __proto__=x"
        ),
        "#nowhere": "nowhere",
        "#nowhere?topic=flood": "nowhere",
        "#timeline?mark=&run=%E0%A4%A": "run=\ufffd%A, mark=",
        "#timeline?" + "&".join(f"k{at}=1" for at in range(9)): (
            "k0=1, k1=1, k2=1, k3=1, k4=1 and 4 more"
        ),
    }
    for hashed, told in cases.items():
        visit = Visit(chromium, Path("unread"), url=url + hashed)
        words = "The address asks for what this page does not have, and that is left out: "
        assert asked(visit.page) == words + told
        visit.page.select_option("#choose-topic", label="mine")
        assert asked(visit.page) == ""
        assert "quick" not in visit.page.evaluate("location.hash")
        visit.check()
    half = Visit(chromium, Path("unread"), url=url + "#timeline?topic=fire&run=thorough")
    assert half.page.locator("#choose-run option:checked").inner_text() == "thorough"
    half.page.evaluate("location.hash = '#timeline?topic=flood'")
    half.page.locator(".address").wait_for(state="hidden")
    assert lanes(half.page)[0].startswith("flood-n1")
    assert half.page.locator("#choose-run option:checked").inner_text() == "swift"
    half.check()


def test_hostile_addresses_stay_text(chromium: Any, report: Report, tmp_path: Path) -> None:
    path = tmp_path / "hostile.html"
    path.write_bytes(report_page(with_texts(report, HOSTILE)))
    for at, text in enumerate(HOSTILE):
        text = visible_text(text)
        hashed = f"#timeline?run={quote(f'{at} {text}')}&topic={quote(text)}&{quote(text)}"
        visit = Visit(chromium, path, url=path.as_uri() + hashed)
        chosen = "document.querySelector('#choose-run').selectedIndex"
        assert visit.page.evaluate(chosen) == at + 1
        assert "topic=" in asked(visit.page)
        assert visit.page.locator(".address *:not(bdi)").count() == 0
        assert visit.page.evaluate("window.hacked") is None
        visit.check()
    long = Visit(chromium, path, url=f"{path.as_uri()}#means?topic={'x' * 100_000}")
    assert len(asked(long.page)) < 200
    assert long.page.evaluate("document.documentElement.scrollWidth") <= 1280
    long.check()


def test_in_a_frame_without_an_address_all_else_works(
    chromium: Any, report: Report, tmp_path: Path
) -> None:
    """As a notebook shows it."""
    from tseval.reporting.api import Page

    path = tmp_path / "notebook.html"
    shown_in = f"<!DOCTYPE html><title>notebook</title>{Page(report)._repr_html_()}"
    path.write_text(shown_in, encoding="utf-8")
    visit = Visit(chromium, path)
    frame = visit.page.frames[1]
    frame.select_option("#choose-topic", label="flood")
    assert frame.locator("#lanes b").first.inner_text() == "flood-n1"
    assert visit.told == []
    assert visit.page.url == visit.url
    visit.close()
