"""The page of a report: whole, safe, the same twice, and alive in a browser without a network."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from tests import strategies as st
from tests.reporting.visiting import Visit
from tseval.core.blocks import (
    Nugget,
    Saying,
    SectionContent,
    Timeline,
    Timelines,
    Update,
)
from tseval.core.panels import Axis, Dots, Line, Panel
from tseval.reporting.charts.axes import Axes, Ruler
from tseval.reporting.charts.plot import HEIGHT, WIDTH, plot
from tseval.reporting.content import Report
from tseval.reporting.page.document import report_page
from tseval.reporting.page.markup import element, visible_text
from tseval.reporting.page.panels import aligned, evenly
from tseval.reporting.page.tables import decimals_for, lead, number, plain, shade, short, ticks
from tseval.reporting.palette import Look

pytestmark = pytest.mark.small_times

VOID = {"meta", "link", "br", "input", "path", "line", "circle", "rect", "wbr"}
"""Elements that hold nothing, of HTML and of SVG."""

HOSTILE = (
    "<script>window.hacked = 1</script>",
    "</script><img src=x onerror='window.hacked = 1'>",
    '" onfocus="window.hacked = 1" autofocus="',
    "'; window.hacked = 1; '",
    "<!-- --><![CDATA[",
    "&lt;b&gt; &amp;",
    "\u202eevil\u202c \u2066isolated \u200fmark",
    "half a character \ud83d alone, and \udc00 too",
    "\x00\x1b[31m\x85",
    "${window.hacked = 1} {{7*7}} \\u003cb\\u003e",
)


def with_timelines(report: Report, timelines: tuple[Timeline, ...]) -> tuple[SectionContent, ...]:
    """The report's sections with other timelines."""
    return tuple(
        replace(each, blocks=(Timelines(timelines),)) if each.timelines else each
        for each in report.sections
    )


def with_texts(report: Report, texts: tuple[str, ...]) -> Report:
    """The report with these texts wherever a file's own words stand."""
    runs = tuple(f"{at} {text}" for at, text in enumerate(texts))
    topics = tuple(f"topic {text}" for text in texts[:3])
    timelines = tuple(
        Timeline(
            topic,
            5.0,
            tuple(Nugget(f"n {text}", 1.0, 1.0, text) for text in texts),
            tuple(Update(at, f"u {text}", 2.0, f"so {text}") for at, text in enumerate(texts)),
            tuple(Saying(at, at, True, ((0, 2), (3, 5))) for at in range(len(texts))),
        )
        for topic in topics
    )
    blank = (None,) * (len(runs) - 2)
    boards = tuple(
        replace(each, cells=tuple((*row, *blank) for row in each.cells)) for each in report.measures
    )
    return replace(
        report,
        title=texts[1],
        runs=runs,
        topics=topics,
        measures=boards,
        sections=with_timelines(report, timelines),
        warnings=texts,
        inputs=tuple(row._replace(path=texts[0]) for row in report.inputs),
    )


class Reader(HTMLParser):
    """Reads a page: which elements open and close, with which attributes."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page.decode())
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in VOID
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


class TestPage:
    def test_where_topics_are_too_few_the_verdict_says_so_once(self, report: Report) -> None:
        page = report_page(report).decode()
        words = " topics cannot show a difference at .05"
        for each in report.measures:
            assert each.cannot_tell.endswith(words)
        reasons = {each.cannot_tell for each in report.measures}
        assert page.count(words) == len(reasons)
        assert page.count(f"{words}, so there are no letters; remedies: ") == len(reasons)
        assert ">letters<" not in page
        assert 'class="letters"' not in page
        assert "Pairs told apart" not in page
        assert ": too few to rule out chance." in page

    def test_the_same_report_gives_the_same_bytes(self, report: Report) -> None:
        assert report_page(report) == report_page(report)

    def test_every_element_is_closed(self, report: Report) -> None:
        for each in (report, with_texts(report, HOSTILE)):
            assert Reader(report_page(each)).open == []

    def test_sections_stand_in_their_order(self, report: Report) -> None:
        names = [
            a["id"]
            for tag, a in Reader(report_page(report)).seen
            if tag == "section" and "class" not in a
        ]
        assert names == [
            *("verdict", "means", "curves", "heat", "pair", "timeline", "wrong", "economy"),
            *("definitions", "warnings", "data", "inputs"),
        ]

    def test_ids_stand_once(self, report: Report) -> None:
        ids = [
            attributes["id"]
            for _, attributes in Reader(report_page(report)).seen
            if "id" in attributes
        ]
        assert len(ids) == len(set(ids))

    def test_the_policy_allows_this_style_and_this_script_alone(self, report: Report) -> None:
        page = report_page(report).decode()
        reader = Reader(page.encode())
        policy = next(a["content"] for _, a in reader.seen if "http-equiv" in a)
        assert policy is not None
        for name in ("style", "script"):
            content = re.search(rf"<{name}>(.*?)</{name}>", page, re.DOTALL)
            assert content is not None
            digest = base64.b64encode(hashlib.sha256(content[1].encode()).digest()).decode()
            assert f"{name}-src 'sha256-{digest}'" in policy
        assert policy.startswith("default-src 'none'; ")
        assert "unsafe" not in policy

    def test_nothing_is_loaded_and_no_attribute_is_code(self, report: Report) -> None:
        for each in (report, with_texts(report, HOSTILE)):
            for tag, attributes in Reader(report_page(each)).seen:
                assert tag not in ("img", "iframe", "object", "embed", "form", "base")
                assert not [name for name in attributes if name.startswith("on") or name == "style"]
                for name in ("src", "href", "action"):
                    assert (attributes.get(name) or "#").startswith(("#", "data:"))

    def test_scripts_of_texts_stay_texts(self, report: Report) -> None:
        page = report_page(with_texts(report, HOSTILE)).decode()
        assert page.count("<script") == 2
        assert page.count("</script") == 2
        data = json.loads(re.search(r'id="content">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
        assert data["timelines"][0]["nuggets"][0][3] == HOSTILE[0]

    def test_no_value_is_nan(self, report: Report) -> None:
        assert b"NaN" not in report_page(report).split(b"<script>")[0]

    def test_what_a_report_lacks_is_said(self, report: Report) -> None:
        lack = SectionContent("curves", "Over time", lack="give runs & gold")
        bare = replace(report, sections=(lack,))
        page = report_page(bare).decode()
        assert "give runs &amp; gold" in page
        assert 'id="timeline"' not in page


class TestMarkup:
    @given(st.text(alphabet=st.characters(codec=None)))
    def test_text_comes_back_as_it_was_shown(self, text: str) -> None:
        seen: list[str] = []

        class Texts(HTMLParser):
            def handle_starttag(self, _: str, attrs: list[tuple[str, str | None]]) -> None:
                seen.append(str(attrs[0][1]))

            def handle_data(self, data: str) -> None:
                seen.append(data)

        reader = Texts()
        reader.feed(element("p", {"title": text}, text).encode().decode())
        reader.close()
        assert seen[0] == visible_text(text)
        assert "".join(seen[1:]) == visible_text(text)

    def test_each_character_stays_one(self) -> None:
        for text in HOSTILE:
            assert len(visible_text(text)) == len(text)
        assert visible_text("a\ud83db\u202ec\td") == "a\ufffdb\ufffdc d"
        family = "\U0001f469\u200d\U0001f467 \u0645\u200f!"
        assert visible_text(family) == family

    def test_places_are_counted_as_scripts_do(self, report: Report) -> None:
        text = "\U0001f30a wave"
        timeline = Timeline(
            "t",
            1.0,
            (Nugget("n", 0, 1, "wave"),),
            (Update(0, "u", 0, text),),
            (Saying(0, 0, True, ((2, 6),)),),
        )
        page = report_page(replace(report, sections=with_timelines(report, (timeline,)))).decode()
        data = json.loads(re.search(r'id="content">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
        (saying,) = data["timelines"][0]["sayings"]
        start, end = saying[3]
        assert text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le") == "wave"


class TestNumbers:
    def test_axes_end_on_round_numbers(self) -> None:
        assert ticks(0, 0.93, 5) == [0, 0.2, 0.4, 0.6, 0.8, 1.0]
        assert ticks(-3.8, 0.6, 5) == [-4, -3, -2, -1, 0, 1]
        assert ticks(0, 0, 5) == [0, 1]

    @given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
    def test_ticks_hold_the_range(self, low: float, size: float) -> None:
        marks = ticks(low, low + size, 5)
        slack = 1e-6 * max(abs(low), size)
        assert marks[0] <= low + slack
        assert marks[-1] >= low + size - slack
        assert 2 <= len(marks) <= 12

    def test_columns_get_the_decimals_that_they_need(self) -> None:
        assert decimals_for([0.5, None]) == 4
        assert decimals_for([12.5]) == 3
        assert decimals_for([12345.5]) == 0
        assert number(-1.5, 1) == "\u22121.5"
        assert number(None, 1) == "–"

    def test_nothing_is_less_than_nothing(self) -> None:
        assert number(-0.0004, 3) == "0.000"
        assert number(-0.0006, 3) == "\u22120.001"

    def test_thousands_have_commas(self) -> None:
        assert number(-1234567.25, 1) == "\u22121,234,567.2"
        assert (plain(20000.0), plain(999.5), plain(-1e6)) == ("20,000", "999.5", "\u22121,000,000")

    def test_the_script_writes_them_as_the_page_does(
        self, chromium: Any, report: Report, tmp_path: Path
    ) -> None:
        path = tmp_path / "report.html"
        path.write_bytes(report_page(report))
        visit = Visit(chromium, path)
        values = [0.0, 7.0, -0.3, 999.96, 1000.0, -12345.678, 2_345_678.9]
        for decimals in (0, 1, 3):
            told = visit.page.evaluate(f"v => v.map((x) => page.written(x, {decimals}))", values)
            assert told == [number(value, decimals) for value in values]
        told = visit.page.evaluate("v => v.map((x) => page.written(x))", values)
        assert told == [plain(value) for value in values]
        visit.check()

    def test_late_and_early_are_words_and_short_times_minutes(self) -> None:
        told = [lead(hours) for hours in (0.0, 0.004, 0.5, -1.9, 2.0, -30.25)]
        assert told == [
            "on time",
            "on time",
            "30 min late",
            "114 min early",
            "2.0 h late",
            "30.2 h early",
        ]

    def test_the_best_is_the_darkest(self) -> None:
        assert [shade(v, (0, 1), True) for v in (0, 0.5, 1)] == [0, 4, 8]
        assert [shade(v, (0, 1), False) for v in (0, 0.5, 1)] == [8, 4, 0]
        assert shade(3, (3, 3), True) == 4

    def test_cells_are_short(self) -> None:
        assert [short(v) for v in (0.25, -0.25, 1.5, 12.34, 123.4)] == [
            *(".25", "\u2212.25", "1.50", "12.3", "123")
        ]

    def test_a_step_holds_until_the_next(self) -> None:
        line = Line(0, (0.0, 1.0, 2.0, 3.0), (1.0, 1.0, None, 2.0), (None,) * 4, (None,) * 4)
        panel = Panel("P", "", Axis("hours"), (line,))
        x, y = _axes(panel)
        assert _drawn("line", panel) == [
            f"M{x.place(0):g} {y.place(1):g}H{x.place(2):g}M{x.place(3):g} {y.place(2):g}"
        ]

    def test_lines_and_dots_get_common_places(self) -> None:
        """A step is held as far as its own line goes; a dot stands alone."""
        lines = (Line(0, (1.0, 3.0), (0.1, 0.3)), Line(1, (2.0, 4.0), (0.2, None)))
        dots = (Dots(0, (3.0,), (0.9,), (0.5,)),)
        stepped = aligned(Panel("P", "", Axis("posts"), lines, dots=dots))
        assert stepped.places == (1.0, 2.0, 3.0, 4.0)
        assert [each.value for each in stepped.lines] == [
            (0.1, 0.1, 0.3, None),
            (None, 0.2, 0.2, None),
        ]
        assert stepped.lines[0].low == (None,) * 4
        assert [tuple(each)[1:] for each in stepped.dots] == [
            (stepped.places, (None, None, 0.9, None), (0.0, 0.0, 0.5, 0.0))
        ]
        straight = aligned(Panel("P", "", Axis("posts"), lines, is_stepped=False))
        assert straight.lines[0].value == (0.1, None, 0.3, None)

    def test_a_band_stays_inside_of_the_axes(self) -> None:
        line = Line(0, (0.0, 1.0), (0.5, 0.5), (-9.0, 0.4), (9.0, 0.6))
        panel = Panel("R", "", Axis("hours"), (line,))
        _, y = _axes(panel)
        assert [at for at, _ in y.marks] == [0.0, 0.2, 0.4, 0.6]
        (band,) = _drawn("band", panel)
        heights = [float(height) for height in re.findall(r"[ML][\d.]+ ([\d.-]+)", band)]
        assert min(heights) >= y.place(0.6)
        assert max(heights) <= y.place(0.0)

    def test_columns_of_a_table_are_even(self) -> None:
        assert evenly(3, 9) == [0, 1, 2]
        assert evenly(101, 5) == [0, 25, 50, 75, 100]


def _axes(panel: Panel) -> tuple[Ruler, Ruler]:
    axes = Axes.inside(panel, WIDTH, HEIGHT)
    return axes.x, axes.y


def _drawn(kind: str, panel: Panel) -> list[str]:
    """The paths of a kind of marks of the first run."""
    pattern = rf'class="{kind}[^"]*" data-run="0" d="([^"]*)"'
    return re.findall(pattern, plot(panel, [Look("s0 d0", 0)], 1))


# In a browser.


@pytest.mark.parametrize("width", [400, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_its_window(chromium: Any, page_file: Path, width: int, scheme: str) -> None:
    size = {"width": width, "height": 900}
    visit = Visit(chromium, page_file, viewport=size, color_scheme=scheme)
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    colours = "getComputedStyle(document.body)"
    paper, ink = (
        sum(map(int, re.findall(r"\d+", visit.page.evaluate(f"{colours}.{name}"))[:3]))
        for name in ("backgroundColor", "color")
    )
    assert (paper > ink) == (scheme == "light")
    track = visit.page.locator("#lanes .lane .track").first
    assert track.is_visible()
    assert track.bounding_box()["width"] > 60
    visit.check()


def column(page: Any, place: int) -> list[str]:
    rows = page.locator("table.means tbody tr")
    return [rows.nth(at).locator("> *").nth(place).inner_text() for at in range(rows.count())]


def test_the_table_sorts_by_the_pressed_column(chromium: Any, page_file: Path) -> None:
    visit = Visit(chromium, page_file)
    assert column(visit.page, 0) == ["swift", "thorough"]

    def sorter(name: str) -> Any:
        return visit.page.get_by_role("button", name=name, exact=True)

    def ways() -> list[str]:
        heads = visit.page.locator("table.means th[aria-sort]")
        return [heads.nth(at).get_attribute("aria-sort") for at in range(heads.count())]

    assert ways() == ["none", "descending", "none", "none"]
    recall = sorter("mean R, sort")
    recall.click()
    assert column(visit.page, 0) == ["thorough", "swift"]
    assert ways() == ["none", "none", "descending", "none"]
    recall.click()
    assert column(visit.page, 0) == ["swift", "thorough"]
    assert ways() == ["none", "none", "ascending", "none"]
    recall.focus()
    visit.page.keyboard.press("Enter")
    assert column(visit.page, 0) == ["thorough", "swift"]
    sorter("run as ranked, sort").click()
    assert column(visit.page, 0) == ["swift", "thorough"]
    assert ways() == ["ascending", "none", "none", "none"]
    visit.check()


def test_the_first_press_puts_the_best_on_top_where_lower_is_better(
    chromium: Any, report: Report, tmp_path: Path
) -> None:
    turned = tuple(replace(each, higher=False) for each in report.measures)
    path = tmp_path / "lower.html"
    path.write_bytes(report_page(replace(report, measures=turned)))
    visit = Visit(chromium, path)
    recall = visit.page.get_by_role("button", name="mean R, sort", exact=True)
    recall.click()
    assert recall.locator("xpath=..").get_attribute("aria-sort") == "ascending"
    assert column(visit.page, 0) == ["swift", "thorough"]  # .55 before .9
    visit.check()


def test_targets_are_large_and_named_apart(chromium: Any, page_file: Path) -> None:
    """24 pixels either way, beside links that stand in a sentence; and no two sort by one name."""
    visit = Visit(chromium, page_file, viewport={"width": 400, "height": 900})
    targets = visit.page.locator(
        "button, select, summary, nav a, .measure a, .heat a, .downloads a"
    )
    seen = [targets.nth(at) for at in range(targets.count()) if targets.nth(at).is_visible()]
    assert len(seen) > 20
    for each in seen:
        box = each.bounding_box()
        assert min(box["width"], box["height"]) >= 24, each.inner_text()
    names = visit.page.locator("table.means .sort").all_text_contents()
    assert len(set(names)) == len(names) == 4
    visit.check()


def test_the_map_shows_one_measure(chromium: Any, page_file: Path) -> None:
    visit = Visit(chromium, page_file)
    maps = visit.page.locator(".map")
    assert [maps.nth(at).is_visible() for at in range(3)] == [True, False, False]
    visit.page.select_option("#heat-measure", label="T")
    assert [maps.nth(at).is_visible() for at in range(3)] == [False, False, True]
    visit.check()


def lanes(page: Any) -> list[str]:
    return [
        " ".join(text.split()) for text in page.locator("#lanes .lane > button").all_inner_texts()
    ]


def test_the_topic_can_be_chosen_here_and_in_the_map(chromium: Any, page_file: Path) -> None:
    visit = Visit(chromium, page_file)
    assert lanes(visit.page)[0].startswith("ferry-n1")
    visit.page.select_option("#choose-topic", label="flood")
    assert [each.split()[0] for each in lanes(visit.page)] == [f"flood-n{n}" for n in range(1, 7)]
    visit.page.locator(".map.on a[data-topic='mine']").click()
    assert visit.page.input_value("#choose-topic") == "2"
    assert [each.split()[0] for each in lanes(visit.page)] == [f"mine-n{n}" for n in range(1, 5)]
    assert all("missed" in each for each in lanes(visit.page))  # swift has nothing on it
    visit.page.select_option("#choose-run", label="thorough")
    assert lanes(visit.page)[0].endswith("4.0 h late ×2")
    visit.page.select_option("#choose-run", label="all runs")
    assert lanes(visit.page)[2].endswith("0 of 2")
    visit.check()


def test_a_nugget_shows_its_updates_with_the_matching_words(chromium: Any, page_file: Path) -> None:
    visit = Visit(chromium, page_file)
    visit.page.select_option("#choose-topic", label="ferry")
    button = visit.page.locator("#lanes .lane > button").nth(3)
    assert button.get_attribute("aria-expanded") == "false"
    button.focus()
    visit.page.keyboard.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    quote = visit.page.locator("#quotes-3 li").first
    assert quote.locator("q").inner_text() == "Lifeboats brought 224 people ashore, six people died"
    assert quote.locator("mark").all_inner_texts() == [
        "Lifeboats",
        "brought",
        "224",
        "people",
        "ashore",
    ]
    assert "swift" in quote.inner_text()
    assert visit.page.locator("#quotes-3 li").count() == 2
    visit.page.locator("#lanes .lane > button").nth(5).click()
    assert "Missed by: swift, thorough" in visit.page.locator("#quotes-5").inner_text()
    assert visit.page.locator("#quotes-3").is_hidden()
    visit.check()


def test_a_mark_shows_what_its_run_said(chromium: Any, page_file: Path) -> None:
    visit = Visit(chromium, page_file, viewport={"width": 1600, "height": 900})
    lane = visit.page.locator("#lanes .lane").nth(3)
    lane.locator(".hit[data-run='1']").first.click(force=True)
    assert "thorough" in visit.page.locator("#quotes-3 li.chosen").first.inner_text()
    visit.check()


def test_curves_stand_out_when_their_run_is_pressed(chromium: Any, page_file: Path) -> None:
    visit = Visit(chromium, page_file)
    line = visit.page.locator("figure.curve").first.locator(".line[data-run='1']")
    assert "on" in str(line.get_attribute("class")).split()
    visit.page.locator(".legend .key[data-run='1']").click()
    assert "on" not in str(line.get_attribute("class")).split()
    box = visit.page.locator("figure.curve .plot").first.bounding_box()
    visit.page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + box["height"] / 2)
    told = visit.page.locator("figure.curve .readout").first.inner_text()
    assert "swift 1.8" in told
    assert "thorough" not in told
    visit.check()


def test_the_data_can_be_taken_along(chromium: Any, page_file: Path, report: Report) -> None:
    visit = Visit(chromium, page_file)
    for name, content in {each.name: each.content for each in report.downloads}.items():
        with visit.page.expect_download() as found:
            visit.page.locator(f"a[download='{name}']").click()
        assert Path(found.value.path()).read_bytes() == content
    for name, head in (("nuggets.csv", "topic,nugget,hours,"), ("curves.csv", "panel,x_axis,run,")):
        with visit.page.expect_download() as found:
            visit.page.locator(f"button[data-make='{name}']").click()
        assert found.value.suggested_filename == name
        lines = Path(found.value.path()).read_text(encoding="utf-8").splitlines()
        assert lines[0].startswith(head)
        assert len(lines) > 30
    visit.close()


def test_it_can_be_read_without_scripts(chromium: Any, page_file: Path) -> None:
    visit = Visit(chromium, page_file, java_script_enabled=False)
    assert visit.page.locator("#choose-topic").is_hidden()
    assert visit.page.locator("#lanes").is_hidden()
    for place in range(3):
        assert visit.page.locator(".map").nth(place).is_visible()
        assert visit.page.locator(".said table").nth(place).is_visible()
    row = visit.page.locator(".said tr", has_text="ferry-n5").inner_text()
    assert "The captain of the Ostrel was arrested" in row
    assert "thorough" in row
    assert visit.page.locator("figure.curve svg").first.is_visible()
    visit.check()


def test_on_paper_there_are_no_controls(chromium: Any, page_file: Path) -> None:
    visit = Visit(chromium, page_file)
    visit.page.emulate_media(media="print")
    assert visit.page.locator("#choose-topic").is_hidden()
    assert visit.page.locator("nav").is_hidden()
    assert visit.page.locator("#shown").inner_text() == "Topic ferry, run swift"
    assert visit.page.pdf(format="A4").startswith(b"%PDF")
    visit.check()


def test_texts_cannot_become_markup_or_code(chromium: Any, report: Report, tmp_path: Path) -> None:
    path = tmp_path / "hostile.html"
    path.write_bytes(report_page(with_texts(report, HOSTILE)))
    visit = Visit(chromium, path)
    visit.page.select_option("#choose-run", value="all")
    for place, text in enumerate(HOSTILE):
        button = visit.page.locator("#lanes .lane > button").nth(place)
        if button.get_attribute("aria-expanded") == "false":
            button.click()
        said = visit.page.locator(f"#quotes-{place} q").first.text_content()
        assert said == visible_text(f"so {text}")
        assert visit.page.locator(f"#quotes-{place} q mark").count() == 2
    assert visit.page.evaluate("window.hacked") is None
    assert visit.page.locator("img, #lanes script").count() == 0
    visit.check()
