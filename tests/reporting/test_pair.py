"""Two runs beside each other: what the page works out in a browser, held to slow counts."""

from __future__ import annotations

import itertools
import math
import random
import re
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from scipy import stats

import tseval
from tests.program import MATCHES, NUGGETS, SWIFT, THOROUGH, TOPICS
from tests.reporting.test_links import opened, state
from tests.reporting.test_report_page import HOSTILE, with_texts
from tests.reporting.visiting import Visit
from tseval.comparison import Plan, compare
from tseval.reporting.assembling import Request, assemble
from tseval.reporting.content import Report
from tseval.reporting.inputs import report_inputs
from tseval.reporting.page.document import report_page
from tseval.reporting.page.markup import visible_text
from tseval.reporting.page.panels import pair_data, quantiles

pytestmark = pytest.mark.small_times

PLAN = Plan(interval="percentile", resamples=200)
RUNS, TOPIC_COUNT, NUGGET_COUNT = ("a", "b", "c"), 9, 14
HOUR = 3600


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Three runs on nine topics, with ties, repeats, and nuggets that one, both or none say."""
    draw = random.Random(19)
    nuggets = ["topic\tnugget_id\ttime\ttext\timportance"]
    updates = ["run\ttopic\tupdate_id\ttime\ttext"]
    matches = ["topic\tupdate_id\tnugget_id\trun"]
    for t, n in itertools.product(range(TOPIC_COUNT), range(NUGGET_COUNT)):
        time = draw.randrange(12) * HOUR
        nuggets.append(f"t{t}\tn{t}-{n}\t{time}\tgold number {n} of {t}\t{draw.randrange(1, 4)}")
        for run, share in zip(RUNS, (0.6, 0.5, 0.3), strict=True):
            for again in range(2):
                if draw.random() < share:
                    name = f"{run}{t}-{n}-{again}"
                    when = time + draw.randrange(-2, 6) * HOUR
                    updates.append(f"{run}\tt{t}\t{name}\t{when}\tsaid gold number {n} of {t}")
                    matches.append(f"t{t}\t{name}\tn{t}-{n}\t{run}")
    folder = tmp_path_factory.mktemp("files")
    paths = {name: folder / f"{name}.tsv" for name in ("updates", "nuggets", "matches")}
    for path, lines in zip(paths.values(), (updates, nuggets, matches), strict=True):
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return paths


@pytest.fixture(scope="module")
def scores(files: dict[str, Path]) -> Any:
    given = [str(path) for path in files.values()]
    return tseval.score(*given, measures="R T P(updates) Rs")


@pytest.fixture(scope="module")
def report(files: dict[str, Path], scores: Any) -> Report:
    given = report_inputs({name: str(path) for name, path in files.items()})
    asked = Request(scores, ["R", "T", "P(updates)", "Rs"], beside=given, plan=PLAN)
    return assemble(asked, lambda _: nullcontext(None))


def choose(page: Any, first: str, second: str, measure: str = "R") -> None:
    page.select_option("#choose-a", label=first)
    page.select_option("#choose-b", label=second)
    page.select_option("#choose-pair-measure", label=measure)


def number(text: str) -> float:
    return float(text.replace("\N{MINUS SIGN}", "-"))


def cells(page: Any, place: str) -> list[list[str]]:
    rows = page.locator(f"{place} tbody tr")
    return [rows.nth(at).locator("> *").all_inner_texts() for at in range(rows.count())]


@pytest.mark.parametrize(("first", "second"), list(itertools.permutations(RUNS, 2)))
def test_gains_by_topic_are_those_of_the_scores(
    visit: Visit, scores: Any, first: str, second: str
) -> None:
    for measure in ("R", "T"):
        choose(visit.page, first, second, measure)
        wanted = {}
        for topic in scores.topics:
            a, b = (scores.value(measure, topic, run) for run in (first, second))
            wanted[topic] = a - b
        found = cells(visit.page, "#pair-topics")
        assert {row[0]: number(row[3]) for row in found} == pytest.approx(wanted, abs=6e-4)
        gains = [number(row[3]) for row in found]
        assert gains == sorted(gains, reverse=True)
        told = visit.page.locator("#pair-topics > p").inner_text()
        won = sum(gain > 0 for gain in wanted.values())
        lost = sum(gain < 0 for gain in wanted.values())
        assert told.startswith(
            f"{first} against {second} by {measure}: better on {won} of 9 topics"
        )
        assert f"worse on {lost}; mean gain " in told
        mean = number(re.findall(r"mean gain (\S+?)(?: h)?\.$", told)[0])
        pairs = compare(scores, [measure], resamples=200, interval="percentile").contests
        (contest,) = (each for each in pairs if {each.run, each.other} == {first, second})
        sign = 1 if contest.run == first else -1
        assert mean == pytest.approx(sign * contest.difference, abs=6e-4)


def test_bars_lie_on_the_side_of_the_better_run(visit: Visit) -> None:
    choose(visit.page, "c", "b")
    for row, texts in zip(
        visit.page.locator("#pair-topics tbody tr").all(),
        cells(visit.page, "#pair-topics"),
        strict=True,
    ):
        bar, gain = row.locator("rect"), number(texts[3])
        left, wide = (float(bar.get_attribute(name)) for name in ("x", "width"))
        if gain < 0:
            assert (bar.get_attribute("class").split()[0], left + wide) == ("behind", 110)
        elif gain > 0:
            assert (bar.get_attribute("class").split()[0], left) == ("ahead", 110)
        assert (wide > 0) == (gain != 0)


def after(curves: pd.DataFrame, run: str, topic: str, hours: float) -> float | None:
    """The value of a step function just after a time; before any update R is 0, and T undefined."""
    own = curves[(curves.run == run) & (curves.topic == topic) & (curves.hours <= hours + 1e-9)]
    if own.empty:
        return {"R": 0.0, "T": None}[curves.measure.iloc[0]]
    return None if math.isnan(own.value.iloc[-1]) else float(own.value.iloc[-1])


@pytest.mark.parametrize("measure", ["R", "T"])
def test_the_gain_over_time_has_its_student_interval(
    visit: Visit, files: dict[str, Path], measure: str
) -> None:
    topics = [f"t{at}" for at in range(TOPIC_COUNT)]
    given = [str(path) for path in files.values()]
    curves = tseval.curve(*given, measures=measure, per_topic=True)
    choose(visit.page, "a", "c", measure)
    visit.page.locator("#pair-curve summary").click()
    rows = cells(visit.page, "#pair-curve")
    assert len(rows) == 9
    for hours, gain, ends, counted in rows:
        found = [[after(curves, run, topic, number(hours)) for run in "ac"] for topic in topics]
        gains = [a - c for a, c in found if a is not None and c is not None]
        assert int(counted) == len(gains)
        if not gains:
            assert (gain, ends) == ("–", "–")
            continue
        assert number(gain) == pytest.approx(sum(gains) / len(gains), abs=6e-4)
        if len(gains) < 8:
            assert ends == "–"
            continue
        wanted = stats.ttest_1samp(gains, 0).confidence_interval(0.95)
        low, high = map(number, ends.split(" to "))
        assert (low, high) == pytest.approx((wanted.low, wanted.high), abs=6e-4)
    assert visit.page.locator("#pair-curve .gain-band").count() > 0
    label = visit.page.locator("#pair-curve svg").get_attribute("aria-label")
    assert label.startswith(f"Gain of a over c by {measure} over time; at the end {rows[-1][1]}")
    assert label.endswith(f"interval {rows[-1][2]}")


def test_a_measure_without_curves_by_topic_says_which_have_them(visit: Visit) -> None:
    choose(visit.page, "a", "b", "Rs")
    told = visit.page.locator("#pair-curve").inner_text()
    assert told.startswith("The gain over time is here for R and T: ")
    assert visit.page.locator("#pair-curve svg").count() == 0


def test_few_topics_have_no_band(chromium: Any, tmp_path: Path) -> None:
    scored = tseval.score([SWIFT, THOROUGH], NUGGETS, MATCHES, measures="R", topics=TOPICS)
    scored.save(tmp_path / "scores.json")
    page = tseval.report(str(tmp_path / "scores.json"))
    page.save(tmp_path / "few.html")
    few = Visit(chromium, tmp_path / "few.html")
    assert few.page.locator("#pair-curve .gain-line").count() > 0
    assert few.page.locator("#pair-curve .gain-band").count() == 0
    assert "There is no band with fewer than 8 topics." in few.page.locator("#pair").inner_text()
    few.check()


def kinds_slowly(files: dict[str, Path], first: str, second: str) -> dict[str, list[int]]:
    """How many nuggets fall under each kind, and what they weigh, by loops over the files."""
    updates, nuggets, matches = (
        pd.read_csv(path, sep="\t").to_dict("records") for path in files.values()
    )
    time = {(update["run"], update["update_id"]): update["time"] for update in updates}
    found = {kind: [0, 0] for kind in KINDS}
    for nugget in nuggets:
        a, b = (
            min(
                (
                    time[run, match["update_id"]]
                    for match in matches
                    if (match["run"], match["nugget_id"]) == (run, nugget["nugget_id"])
                ),
                default=None,
            )
            for run in (first, second)
        )
        if a is None or b is None:
            kind = "neither" if a is b else "only-a" if b is None else "only-b"
        else:
            kind = "a-earlier" if a < b else "b-earlier" if b < a else "at-once"
        found[kind][0] += 1
        found[kind][1] += nugget["importance"]
    return found


KINDS = ("only-a", "only-b", "a-earlier", "b-earlier", "at-once", "neither")


@pytest.mark.parametrize(("first", "second"), [("a", "b"), ("c", "a"), ("b", "c")])
def test_nuggets_by_who_said_them(
    visit: Visit, files: dict[str, Path], first: str, second: str
) -> None:
    choose(visit.page, first, second)
    wanted = kinds_slowly(files, first, second)
    assert all(number > 0 for number, _ in wanted.values())
    for kind, (number_, weight) in wanted.items():
        button = visit.page.locator(f"#pair-nuggets [data-kind='{kind}']")
        assert button.locator("span").inner_text() == f"{number_}, weight {weight}"
        button.focus()
        visit.page.keyboard.press("Enter")
        assert button.get_attribute("aria-expanded") == "true"
        rows = visit.page.locator("#pair-list li")
        assert rows.count() == min(50, number_)
        says = {"neither": 0, "only-a": 1, "only-b": 1}.get(kind, 2)
        assert rows.first.locator("q").count() == says
        assert rows.first.locator("mark").count() >= says
    button.focus()
    visit.page.keyboard.press("Enter")
    assert visit.page.locator("#pair-list li").count() == 0


def test_texts_stand_side_by_side_with_the_matched_words(visit: Visit) -> None:
    choose(visit.page, "a", "b")
    visit.page.locator("#pair-nuggets [data-kind='b-earlier']").click()
    row = visit.page.locator("#pair-list li").first
    gold = row.locator(".gold-text bdi").first.inner_text()
    sides = row.locator(".side")
    assert [sides.nth(at).locator("b").inner_text() for at in range(2)] == ["a", "b"]
    for at in range(2):
        assert sides.nth(at).locator("q").inner_text() == f"said {gold}"
        assert sides.nth(at).locator("mark").all_inner_texts() == gold.split()
    boxes = [sides.nth(at).bounding_box() for at in range(2)]
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]


def test_fifty_at_a_time(chromium: Any, small_report: Report, tmp_path: Path) -> None:
    many = with_texts(small_report, tuple(f"text {at}" for at in range(70)))
    path = tmp_path / "many.html"
    path.write_bytes(report_page(many))
    seen = Visit(chromium, path)
    button = seen.page.locator("#pair-nuggets [data-kind='neither']")
    count = int(button.locator("span").inner_text().split(",")[0])
    assert count == 3 * 68  # of 70 nuggets on 3 topics each run says one
    button.click()
    rows, more = seen.page.locator("#pair-list li"), seen.page.locator("#pair-list .more")
    assert rows.count() == 50
    for wanted in (100, 150, 200, 204):
        more.focus()
        seen.page.keyboard.press("Enter")
        assert rows.count() == wanted
    assert more.count() == 0
    seen.check()


def test_a_link_opens_the_pair_and_its_list(chromium: Any, visit: Visit) -> None:
    choose(visit.page, "b", "c", "T")
    visit.page.locator("#pair-nuggets [data-kind='only-b']").click()
    words = {"a": ["b"], "b": ["c"], "pair-measure": ["T"], "pair-nuggets": ["only-b"]}
    assert state(visit.page) == ("pair", words)
    receiver = opened(chromium, visit)
    assert receiver.page.locator("#pair").inner_text() == visit.page.locator("#pair").inner_text()
    visit.page.get_by_role("button", name="Swap").click()
    assert state(visit.page)[1]["a"] == ["c"]
    assert cells(visit.page, "#pair-topics")[0][0] == cells(receiver.page, "#pair-topics")[-1][0]
    receiver.check()


def test_a_topic_leads_to_its_timeline(visit: Visit) -> None:
    visit.page.locator("#pair-topics a", has_text="t4").click()
    assert visit.page.locator("#choose-topic option:checked").inner_text() == "t4"
    assert state(visit.page) == ("timeline", {"topic": ["t4"]})


@pytest.mark.parametrize("width", [400, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_with_large_targets_of_names(
    chromium: Any, page_file: Path, width: int, scheme: str
) -> None:
    size = {"width": width, "height": 900}
    seen = Visit(chromium, page_file, viewport=size, color_scheme=scheme)
    seen.page.locator("#pair-nuggets [data-kind='a-earlier']").click()
    seen.check_width()
    assert seen.check_controls("#pair button, #pair select, #pair summary, #pair a")
    seen.check()


def test_paper_and_no_script(chromium: Any, page_file: Path) -> None:
    paper = Visit(chromium, page_file)
    paper.page.emulate_media(media="print")
    assert paper.page.locator("#pair-shown").inner_text() == "A: a, B: b, by R"
    assert paper.page.locator("#choose-a").is_hidden()
    assert paper.page.locator("#pair-topics tbody tr").first.is_visible()
    paper.check()
    plain = Visit(chromium, page_file, java_script_enabled=False)
    assert "Where scripts run" in plain.page.locator("#pair").inner_text()
    assert plain.page.locator("#choose-a").is_hidden()
    plain.check()


def test_one_run_has_no_other_beside_it(tmp_path: Path) -> None:
    tseval.score(SWIFT, NUGGETS, MATCHES, measures="R").save(tmp_path / "one.json")
    page = tseval.report(str(tmp_path / "one.json"))
    assert b'id="pair"' not in page.html


def test_texts_stay_texts(chromium: Any, small_report: Report, tmp_path: Path) -> None:
    path = tmp_path / "hostile.html"
    path.write_bytes(report_page(with_texts(small_report, HOSTILE)))
    seen = Visit(chromium, path)
    seen.page.locator("#pair-nuggets [data-kind='only-a']").click()
    quote = seen.page.locator("#pair-list q").first
    assert quote.text_content() == visible_text(f"so {HOSTILE[0]}")
    assert seen.page.evaluate("window.hacked") is None
    assert seen.page.locator("#pair img, #pair script").count() == 0
    seen.check()


def test_the_data_of_a_pair_are_those_of_its_runs(report: Report, scores: Any) -> None:
    data = pair_data(report)
    assert [each["name"] for each in data["boards"]] == ["R", "T", "P(updates)", "Rs"]
    assert [each["name"] for each in data["traces"]] == ["R", "T"]
    last = [run[4][-1] for run in data["traces"][0]["runs"]]
    assert last == pytest.approx([scores.value("R", "t4", run) for run in report.runs], abs=1e-6)


def test_student_intervals_reach_as_far_as_tables_say() -> None:
    assert quantiles(0.95, 15)[0] == pytest.approx(12.7062, abs=1e-4)
    assert quantiles(0.95, 15)[13] == pytest.approx(2.1448, abs=1e-4)
    assert (len(quantiles(0.95, 15)), quantiles(0.95, 1)) == (14, [])
