"""The desk in Chromium, by keyboard alone: from two runs without gold to scores that agree."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.axe import violations
from tests.desk.making import files
from tests.desk.serving import Served, served
from tests.program import FIXTURES, NUGGETS, SWIFT, THOROUGH, tseval
from tseval.desk.store import Store

FOCUSED = """words => document.activeElement.matches("a, button, summary")
    && document.activeElement.textContent.includes(words)"""
IDLE = """() => new Promise((done, failed) => {
  const late = performance.now() + 30000;
  const idle = () => document.querySelector("main[aria-busy=false]")?.checkVisibility();
  const soon = (next) => () => idle() ? next()
    : performance.now() > late ? failed("the desk is busy") : requestAnimationFrame(soon(next));
  soon(() => requestAnimationFrame(() => requestAnimationFrame(soon(done))))();
})"""
"""Wait until the desk is idle, and two frames later still or again; asked in the page at once."""
PAGES = ("", "nuggets", "cluster", "adjudicate", "what-if")


class Person:
    """Somebody at the desk who has no mouse."""

    def __init__(self, browser: Any, link: str, **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.told: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.told.append(message.text))
        self.page.on("pageerror", lambda error: self.told.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.address = link.partition("/enter")[0]
        self.page.goto(link)
        self.idle()

    def idle(self) -> None:
        """Wait until the desk has answered."""
        self.page.evaluate(IDLE)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.idle()

    def type(self, words: str) -> None:
        self.page.keyboard.type(words)

    def tab_to(self, words: str) -> None:
        """Press Tab until what has the focus is called so."""
        for _ in range(60):
            self.page.keyboard.press("Tab")
            if self.page.evaluate(FOCUSED, words):
                return
        raise AssertionError(f"Tab never comes to {words}")

    def go(self, title: str) -> None:
        """To another page, by its link."""
        self.tab_to(title)
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector(f"h1:text-is('{title}')")
        self.idle()

    def says(self, selector: str) -> str:
        return " ".join(self.page.locator(selector).first.inner_text().split())

    def check(self) -> None:
        """Nobody complained, and nothing but the desk was asked."""
        assert self.told == []
        assert all(each.startswith((self.address, "data:")) for each in self.asked)
        self.context.close()


def scores_shown(person: Person) -> dict[tuple[str, str], str]:
    rows = person.page.locator("#scores tbody tr")
    measures = person.page.locator("#scores .measure").all_inner_texts()
    return {
        (rows.nth(at).locator("th").inner_text(), name): value
        for at in range(rows.count())
        for name, value in zip(
            measures,
            [
                each.get_attribute("data-value")
                for each in rows.nth(at).locator("[data-value]").all()
            ],
            strict=True,
        )
    }


def scores_exported(store: Path, runs: list[str], out: Path) -> dict[tuple[str, str], str]:
    assert tseval("assess", "export", store, "-o", out).code == 0
    done = tseval(
        *("score", *runs, out / "nuggets.tsv", "--matches", out / "matches.tsv"),
        *("-f", "json", "--quiet"),
    )
    return {
        (each["run"], each["measure"]): each["value"]
        for each in json.loads(done.out)["records"]
        if each["topic"] == "all"
    }


def same(shown: dict[tuple[str, str], str], scored: dict[tuple[str, str], Any]) -> bool:
    """Whether the page has the very numbers, to the last digit."""
    return {key: float(value) if value else None for key, value in shown.items()} == scored


def test_from_two_runs_without_gold_to_scores(chromium: Any, tmp_path: Path) -> None:
    runs, _ = files(tmp_path)
    store = tmp_path / "desk.tseval"
    with served(*runs, "--store", store) as running:
        ada = Person(chromium, running.links["ada"])
        assert "No nuggets yet" in ada.says("main")
        ada.go("What if")
        assert "no nuggets yet" in ada.says("#nothing")
        ada.go("Nuggets")
        # The topic ferry: each of two updates is a nugget of its own.
        for text in ("Ferry hits freighter", "All passengers saved"):
            ada.press("w")
            ada.type(text)
            ada.press("Enter", "Enter")
        assert "Nothing is left to read here" in ada.says("#nothing")
        # The other topic, chosen by its first letters.
        ada.page.locator("#topic").focus()
        ada.type("fl")
        ada.press("Enter")
        ada.page.locator("#main").focus()
        assert "The river burst its banks" in ada.says(".now .text")
        ada.press("w")
        ada.type("River over its banks")
        ada.page.keyboard.press("Tab")
        ada.page.keyboard.press("Control+A")
        ada.type("3")
        ada.press("Enter", "Enter")
        assert "Two people drowned" in ada.says(".now .text")
        ada.press("w")
        ada.type("People drowned")
        ada.press("Enter", "Enter")
        ada.press("x", "Enter")  # officials will speak
        ada.press("Enter")  # the railway
        assert "Three people drowned" in ada.says(".now .text")
        ada.press("ArrowDown", "ArrowDown")
        assert "People drowned" in ada.says(".nuggets .current")
        ada.press("2", "Enter")
        ada.go("What if")
        shown = scores_shown(ada)
        assert len(shown) == 8
        assert same(shown, scores_exported(store, runs, tmp_path / "out"))
        ada.check()
    written = (tmp_path / "out" / "nuggets.tsv").read_text().splitlines()
    assert [line.split("\t")[2:] for line in written[1:]] == [
        ["1700002000", "Ferry hits freighter", "1"],
        ["1700002600", "All passengers saved", "1"],
        ["1700000000", "River over its banks", "3"],
        ["1700000600", "People drowned", "1"],
    ]


def test_two_disagree_a_third_settles_and_the_export_says_the_same(
    chromium: Any, tmp_path: Path
) -> None:
    runs, nuggets = files(tmp_path)
    store = tmp_path / "desk.tseval"
    people = ("ada", "ben", "cy")
    with served(*runs, nuggets, "--store", store, "--double", "1", assessors=people) as running:
        ada, ben, cy = (Person(chromium, running.links[name]) for name in people)
        for person, keys in ((ada, ("1",)), (ben, ("x",))):
            while "Nothing is left" not in person.says("main"):
                person.press(*keys, "Enter")
        for person in (ada, ben, cy):
            person.go("Adjudicate")
        assert "nothing for you to settle" in ben.says("#nothing")
        assert "a third person settles those" in ben.says("main")
        assert cy.says(".side .verdict") == "match"
        first = cy.says("#dispute-title")
        assert first == "Dispute 1 of 7"
        cy.press("j", "k", "y")
        assert cy.says("#dispute-title") == "Dispute 1 of 6"
        cy.press("x", "u", "x", "x")
        assert cy.says("#dispute-title") == "Dispute 1 of 4"
        assert "kappa" in cy.says("table")
        cy.go("What if")
        assert "4 pairs are disputed" in cy.says("main")
        assert same(scores_shown(cy), scores_exported(store, runs, tmp_path / "out"))
        for person in (ada, ben, cy):
            person.check()


KEYS = ("1", "s", "n", "/", "j", "x", "Enter", "ArrowDown", "w", "e", "y", "v", "m", "b", "o")


def test_keys_without_an_item_do_nothing_and_the_page_says_what_is_next(
    chromium: Any, tmp_path: Path
) -> None:
    runs, nuggets = files(tmp_path)
    asked = ("--store", tmp_path / "the desk.tseval", "--double", "1")
    people = ("ada", "ben", "cy")
    with served(*runs, nuggets, *asked, assessors=people) as running:
        ada, ben, cy = (Person(chromium, running.links[name]) for name in people)
        for person, keys in ((ada, ("1",)), (ben, ("x",))):
            while "Nothing is left" not in person.says("main"):
                person.press(*keys, "Enter")
            person.page.wait_for_selector("#offers")
        offers = " ".join(
            (
                "7 disputes for a third person to adjudicate",
                "to export, run in the folder of the store:",
            )
        )
        assert ben.says("#offers") == f"{offers} tseval assess export 'the desk.tseval' -o gold"
        for title, words in (
            ("Assess", "Nothing is left to read here."),
            ("Adjudicate", "There is nothing for you to settle."),
        ):
            ben.go(title) if title != "Assess" else None
            ben.page.evaluate("document.getElementById('status').textContent = 'as it was'")
            ben.press(*KEYS)
            assert ben.says("#status") == "as it was", title
            assert ben.says("#nothing") == words
        cy.go("Adjudicate")
        for number in range(7, 0, -1):
            assert cy.says("#dispute-title") == f"Dispute 1 of {number}"
            cy.press("y")
        assert "tseval assess export" in cy.says("#offers")
        for person in (ada, ben, cy):
            person.check()


def test_an_error_of_a_script_is_told_as_a_fault_of_the_page(chromium: Any, link: str) -> None:
    person = Person(chromium, link)
    for late in ("throw Error('broken')", "Promise.reject(Error('broken'))"):
        person.page.evaluate("document.getElementById('status').textContent = ''")
        person.page.evaluate(f"() => {{ setTimeout(() => {{ {late}; }}); }}")
        person.page.wait_for_selector("#status:not(:empty)")
        assert person.says("#status.trouble").startswith("this page has an error: broken. Reload")
    answer = {"status": 200, "body": '{"reading": {}, "left": 1}'}
    person.page.route("**/api/next*", lambda route: route.fulfill(**answer))
    person.press("j")
    assert person.says("#status.trouble").startswith("this page has an error: ")
    person.context.close()


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    store = tmp_path_factory.mktemp("example") / "desk.tseval"
    people = tuple(f"person{at}" for at in range(30))
    with served(SWIFT, THOROUGH, NUGGETS, "--store", store, assessors=people) as running:
        yield running


@pytest.fixture
def link(example: Served) -> str:
    """A link that nobody has used."""
    return example.links.pop(next(iter(example.links)))


def test_every_key_does_what_the_help_says(chromium: Any, link: str) -> None:
    person = Person(chromium, link)
    text = person.says(".now .text")
    person.press("j")
    assert person.says(".now .text") != text
    person.press("k")
    assert person.says(".now .text") == text
    person.press("k")
    assert "first one" in person.says("#status")
    boxes = person.page.locator(".nuggets input")
    person.press("2", "3")
    assert [boxes.nth(at).is_checked() for at in range(3)] == [False, True, True]
    person.press("j", "k")
    assert [boxes.nth(at).is_checked() for at in range(3)] == [False, True, True]
    person.press("3")
    # Words, by arrows.
    person.press("ArrowDown", "ArrowUp", "s")
    person.press("ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "Enter")
    marked = person.says(".now mark")
    assert marked == " ".join(text.split()[1:4])
    person.press("s", "Escape")
    # A note, which takes every key as a letter.
    person.press("n")
    person.type("jk?x")
    person.press("Enter")
    person.press("/")
    person.type("nothing has these words")
    assert "No nugget has these words" in person.says("main")
    person.press("Escape")
    assert boxes.count() > 2
    person.press("Enter")
    assert "saved" in person.says("#status")
    assert person.says(".now .text") != text
    person.press("k")
    assert person.page.locator("#note").input_value() == "jk?x"
    assert "you have read it" in person.says(".now time")
    assert person.says(".now mark") == marked
    person.press("u")
    assert "you have read it" not in person.says(".now time")
    person.press("?")
    help_shown = person.says("#help")
    for words in ("Save and go on", "No nugget", "Mark words", "1 – 9", "Undo", "Search"):
        assert words in help_shown
    person.press("Escape")
    # Off, keys do nothing, and buttons all.
    person.tab_to("Keys on")
    person.press("Enter")
    person.page.locator("#main").focus()
    before = person.says(".now .text")
    person.press("j", "1", "Enter")
    assert person.says(".now .text") == before
    person.tab_to("Next")
    person.press("Enter")
    assert person.says(".now .text") != before
    person.check()


def test_words_are_marked_by_selecting_them(chromium: Any, link: str) -> None:
    person = Person(chromium, link)
    person.press("1")
    person.page.evaluate(
        """() => {
            const text = document.querySelector(".now .text").firstChild;
            getSelection().setBaseAndExtent(text, 2, text, 9);
        }"""
    )
    text = person.page.locator(".now .text").inner_text()
    person.press("s")
    assert person.page.locator(".now mark").inner_text() == text[2:9]
    person.check()


def test_nuggets_are_changed_split_merged_and_dropped(chromium: Any, link: str) -> None:
    person = Person(chromium, link)
    person.go("Nuggets")
    names = person.page.locator(".nuggets label bdi")
    first = names.first.inner_text()
    person.press("ArrowDown", "e")
    person.page.keyboard.press("End")
    person.type(" today")
    person.press("Enter")
    assert names.first.inner_text() == f"{first} today"
    person.press("ArrowDown", "e")
    for _ in range(3):
        person.page.keyboard.press("Tab")
    person.type("One part\nAnother part")
    person.tab_to("Split it")
    person.press("Enter")
    assert {"One part", "Another part"} <= set(names.all_inner_texts())
    number = names.count()
    person.press("ArrowDown", "ArrowDown", "e")
    for _ in range(4):
        person.page.keyboard.press("Tab")
    person.page.keyboard.press("ArrowDown")
    person.tab_to("Merge it")
    person.press("Enter")
    assert names.count() == number - 1
    person.press("ArrowDown", "e")
    person.tab_to("Drop it")
    person.press("Enter")
    assert names.count() == number - 2
    person.press("ArrowDown", "e")
    person.tab_to("Split it")
    person.press("Enter")
    assert "two parts or more" in person.says("#status.trouble")
    assert [each for each in person.told if "422" not in each] == []
    person.told.clear()
    person.press("u", "u", "u", "u")
    assert names.first.inner_text() == first
    person.check()


def test_posts_are_put_together_by_keys_and_by_dragging(chromium: Any, link: str) -> None:
    person = Person(chromium, link)
    person.go("Cluster")
    about = person.page.locator("[aria-label='Posts in order of time'] .about")
    person.press("v", "j", "m")
    assert about.nth(0).inner_text().startswith("cluster 0, 2 posts")
    assert about.nth(1).inner_text() == "cluster 0, 2 posts"
    person.press("1")
    assert about.nth(0).inner_text().startswith("cluster 0, 3 posts")
    person.press("b")
    assert "1 post" in about.nth(1).inner_text()
    person.press("o")
    assert "selected" in about.nth(1).inner_text()
    person.press("x")
    assert about.nth(1).inner_text() == "in no cluster"
    person.press("u", "u", "u", "u", "u")
    assert about.nth(0).inner_text() == "in no cluster · marked"
    posts = person.page.locator("[aria-label='Posts in order of time'] .post")
    posts.nth(2).drag_to(posts.nth(3))
    person.idle()
    assert about.nth(3).inner_text() == "cluster 2, 2 posts"
    person.press("u")
    person.check()


HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>\u202eevil {{7*7}}"


def test_hostile_texts_are_shown_as_text(chromium: Any, tmp_path: Path) -> None:
    rows = [
        {
            "run": "<b>r</b>",
            "topic": "<i>t</i>",
            "update_id": HOSTILE,
            "time": 1.7e9,
            "text": HOSTILE,
        },
        {"run": "<b>s</b>", "topic": "<i>t</i>", "update_id": "2", "time": 1.7e9, "text": "plain"},
    ]
    run = tmp_path / "run.jsonl"
    run.write_text("".join(json.dumps(each) + "\n" for each in rows))
    gold = tmp_path / "gold.jsonl"
    gold.write_text(
        json.dumps({"topic": "<i>t</i>", "nugget_id": "<u>", "time": 1.7e9, "text": HOSTILE}) + "\n"
    )
    who = "<script>alert(3)</script>"
    with served(run, gold, "--store", tmp_path / "d.tseval", assessors=(who,)) as running:
        person = Person(chromium, running.links[who])
        person.page.on("dialog", lambda dialog: person.told.append(dialog.message))
        for title in ("Nuggets", "Cluster", "Adjudicate", "What if", "Assess"):
            person.go(title)
            assert person.page.locator("main img, main script, main b:has-text('r')").count() == 0
        assert "<img src=x" in person.says("main")
        assert who in person.says(".summary")
        person.check()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "zoom"), [(1280, 1), (640, 2), (400, 1)])
def test_it_fits_its_window(chromium: Any, link: str, scheme: str, width: int, zoom: int) -> None:
    """A window of 1280 at 200 % has room for 640, at twice as many dots each."""
    person = Person(
        chromium,
        link,
        viewport={"width": width, "height": 800},
        device_scale_factor=zoom,
        color_scheme=scheme,
    )
    for name in PAGES:
        person.page.goto(f"{person.address}/{name}")
        person.idle()
        assert person.page.evaluate("document.documentElement.scrollWidth") <= width, name
    person.check()


STATES = {
    "": ("", "1", "s", "?"),
    "nuggets": ("", "1", "e", "w"),
    "cluster": ("", "v", "1", "o"),
    "adjudicate": ("", "?"),
    "what-if": ("",),
}
"""The keys after which each page is looked at."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(chromium: Any, link: str, scheme: str) -> None:
    person = Person(chromium, link, color_scheme=scheme)
    for name in PAGES:
        person.page.goto(f"{person.address}/{name}")
        person.idle()
        for key in STATES[name]:
            person.press(*key.split())
            found = violations(person.page)
            told = [(each["id"], [node["html"] for node in each["nodes"]]) for each in found]
            assert told == [], (name, key)
            person.press("Escape")
    person.check()


def test_a_full_disk_and_a_stopped_program_are_told_and_the_choice_stays(
    chromium: Any, tmp_path: Path
) -> None:
    runs, nuggets = files(tmp_path)
    store = tmp_path / "desk.tseval"
    with served(*runs, nuggets, "--store", store) as running:
        person = Person(chromium, running.links["ada"])
        reason = f"{store} could not be written: nothing was saved: the disk is full: make room"
        answer = {"status": 507, "body": json.dumps({"error": reason})}
        person.page.route("**/api/save", lambda route: route.fulfill(**answer))
        text = person.says(".now .text")
        person.press("2", "Enter")
        assert "the disk is full" in person.says("#status.trouble")
        assert person.says(".now .text") == text
        assert person.page.locator(".nuggets input").nth(1).is_checked()
        person.page.unroute("**/api/save")
        running.process.kill()
        running.process.wait()
        person.press("Enter")
        assert "the desk does not answer: nothing was saved" in person.says("#status.trouble")
        assert person.page.locator(".nuggets input").nth(1).is_checked()
    assert Store.open(store).size() == 0


DOCS = FIXTURES.parent / "docs"


def session() -> list[tuple[str, str, str]]:
    """The session of the documentation: who does what."""
    page = (DOCS / "assessing.md").read_text(encoding="utf-8")
    block = page.partition("<!-- session -->")[2].partition("```text\n")[2].partition("```")[0]
    found = [re.fullmatch(r"(\w+) +(\w+) +(.+)", line) for line in block.splitlines()]
    return [(each[1], each[2], each[3]) for each in found if each]


def test_the_session_of_the_documentation(chromium: Any, tmp_path: Path) -> None:
    """Done as it stands there; with TSEVAL_PICTURES set it draws the page's pictures anew."""
    pictures = DOCS / "assessing" if os.environ.get("TSEVAL_PICTURES") else tmp_path
    store, runs, people = tmp_path / "desk.tseval", [SWIFT, THOROUGH], ("ada", "ben", "cy")
    steps = session()
    assert {"goes", "presses", "types", "chooses", "sees", "draws"} == {how for _, how, _ in steps}
    asked = ("--store", store, "--double", "1", "--unjudged", "no")
    with served(*runs, *asked, assessors=people) as running:
        view = {"viewport": {"width": 1080, "height": 720}}
        found = {name: Person(chromium, running.links[name], **view) for name in people}
        for name, how, what in steps:
            person = found[name]
            if how == "goes":
                person.go(what)
            elif how == "presses":
                person.press(*what.split())
            elif how == "types":
                person.type(what)
            elif how == "chooses":
                person.page.locator("#topic").focus()
                person.type(what)
                person.press("Enter")
                person.page.locator("#main").focus()
            elif how == "sees":
                assert what in person.says("body"), (name, what, person.says("body"))
            else:
                person.page.screenshot(path=str(pictures / what))
        shown = scores_shown(found["cy"])
        for person in found.values():
            person.check()
    assert same(shown, scores_exported(store, runs, tmp_path / "out"))
    page = (DOCS / "assessing.md").read_text(encoding="utf-8")
    named = re.findall(r"!\[[^\]]+\]\(assessing/([a-z-]+\.png)\)", page)
    assert sorted(named) == sorted(what for _, how, what in steps if how == "draws")
    assert all((DOCS / "assessing" / name).read_bytes()[:4] == b"\x89PNG" for name in named)
