"""Charts of measures over time: steps, words, bytes that don't change, pages that load nothing."""

from __future__ import annotations

import builtins
import json
import pickle
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from itertools import permutations
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tseval.core.panels import (
    Axis,
    Dots,
    Line,
    Panel,
    Picture,
    Point,
    Rule,
    aside,
    reached,
    round_ticks,
    with_room,
)
from tseval.errors import MissingExtra
from tseval.reporting.charts.curves import MeasureAxis, Words, curve_picture, span_of
from tseval.reporting.charts.drawing import broken, draw, specification
from tseval.reporting.charts.legend import LEGEND_CHARACTERS, Legend, printable, unique_labels
from tseval.reporting.charts.panels import FEW_RUNS, LINE, THIN, in_lines
from tseval.reporting.charts.steps import step_points
from tseval.reporting.palette import Palette, style

SIGNATURE = "tseval:0.1.0|edition:draft|matcher:given|nuggets:sha256:ab12"


def curve_frame(
    curves: Mapping[tuple[str, str, str], list[tuple[float, float]]],
) -> pd.DataFrame:
    rows = [
        (run, topic, measure, hours, value)
        for (run, topic, measure), steps in curves.items()
        for hours, value in steps
    ]
    frame = pd.DataFrame(rows, columns=["run", "topic", "measure", "hours", "value"])
    return frame.astype({"hours": "float64", "value": "float64"})


def chart(
    curves: Mapping[tuple[str, str, str], list[tuple[float, float]]],
    axes: Mapping[str, MeasureAxis] | None = None,
) -> Picture:
    runs = tuple(dict.fromkeys(run for run, _, _ in curves))
    words = Words(runs=runs, signature=SIGNATURE, axes=axes or {})
    return curve_picture(curve_frame(curves), words)


TWO_CURVES: Mapping[tuple[str, str, str], list[tuple[float, float]]] = {
    ("early", "all", "R"): [(0, 0.0), (2, 0.5), (9, 1.0)],
    ("late", "all", "R"): [(0, 0.0), (7, 0.25)],
    ("early", "all", "T"): [(0, np.nan), (2, 1.5), (9, -0.5)],
    ("late", "all", "T"): [(0, np.nan), (7, -3.0)],
}
AXES = {"T": MeasureAxis("lead", "h", higher_is_better=True)}
TWO_RUNS = chart(TWO_CURVES, AXES)


def colours(picture: Picture) -> dict[str, str]:
    """The colour of each name of a picture, as its specification has it."""
    panel = specification(picture, hover=False)["vconcat"][0]["concat"][0]
    drawn = panel["layer"][0]["encoding"]["color"]["scale"]
    return dict(zip(drawn["domain"], drawn["range"], strict=True))


def value_at(hours: np.ndarray, values: np.ndarray, time: float) -> float:
    """What a step-after line shows just before ``time``, by a loop."""
    shown = np.nan
    for hour, value in zip(hours, values, strict=True):
        if hour < time:
            shown = value
    return float(shown)


class TestSteps:
    def test_the_last_value_holds_to_the_end(self) -> None:
        hours, values = step_points(np.array([1.0]), np.array([0.5]), (0.0, 4.0), 100)
        assert hours.tolist() == [1.0, 4.0]
        assert values.tolist() == [0.5, 0.5]

    def test_no_rows_give_no_points(self) -> None:
        hours, values = step_points(np.array([]), np.array([]), (0.0, 1.0), 100)
        assert len(hours) == len(values) == 0

    def test_a_value_holds_until_the_undefined_stretch_begins(self) -> None:
        hours, values = step_points(
            np.array([0.0, 2.0, 5.0]), np.array([0.5, np.nan, 0.75]), (0.0, 6.0), 100
        )
        assert hours.tolist() == [0.0, 2.0, 2.0, 5.0, 6.0]
        np.testing.assert_array_equal(values, [0.5, 0.5, np.nan, 0.75, 0.75])

    def test_infinity_counts_as_undefined(self) -> None:
        _, values = step_points(np.array([0.0]), np.array([np.inf]), (0.0, 1.0), 10)
        assert np.isnan(values).all()

    def test_rows_that_change_nothing_are_left_out(self) -> None:
        rows = np.arange(1000.0)
        hours, _ = step_points(rows, np.ones(1000), (0.0, 1000.0), 100)
        assert hours.tolist() == [0.0, 1000.0]

    @given(
        st.lists(
            st.tuples(st.floats(0, 99), st.one_of(st.floats(-1, 1), st.just(np.nan))),
            min_size=1,
            max_size=80,
        )
    )
    def test_unthinned_steps_show_the_same_at_every_time(
        self, rows: list[tuple[float, float]]
    ) -> None:
        given_hours, given_values = map(
            np.array, zip(*sorted(rows, key=lambda row: row[0]), strict=True)
        )
        hours, values = step_points(given_hours, given_values, (0.0, 100.0), 1000)
        for time in (*given_hours, 99.5):
            np.testing.assert_array_equal(  # which takes -0 for 0
                value_at(hours, values, time), value_at(given_hours, given_values, time)
            )

    def test_thinning_keeps_every_column_s_entry_exit_and_extremes(self) -> None:
        generator = np.random.default_rng(0)
        given_hours = np.sort(generator.uniform(0, 100, 50_000))
        given_values = generator.normal(size=50_000)
        given_values[generator.integers(0, 50_000, 500)] = np.nan
        hours, values = step_points(given_hours, given_values, (0.0, 100.0), 200)
        assert len(hours) < 4 * 200 * 1.2
        for left in np.arange(0, 100, 0.5):
            before = (given_hours >= left) & (given_hours < left + 0.5)
            after = (hours >= left) & (hours < left + 0.5)
            assert np.nanmin(values[after]) == np.nanmin(given_values[before])
            assert np.nanmax(values[after]) == np.nanmax(given_values[before])
            np.testing.assert_equal(values[after][0], given_values[before][0])
            np.testing.assert_equal(values[after][-1], given_values[before][-1])

    def test_a_wide_undefined_stretch_survives_thinning(self) -> None:
        given_hours = np.linspace(0, 100, 20_000)
        given_values = np.sin(given_hours)
        given_values[(given_hours > 40) & (given_hours < 45)] = np.nan
        hours, values = step_points(given_hours, given_values, (0.0, 101.0), 200)
        assert np.isnan(value_at(hours, values, 42.5))
        assert not np.isnan(value_at(hours, values, 39.0))


class TestSpan:
    def test_starts_at_the_topic_s_start(self) -> None:
        start, end = span_of(curve_frame({("a", "all", "R"): [(5, 0.1), (10, 0.2)]}))
        assert start == 0
        assert end > 10

    def test_starts_earlier_where_a_value_does(self) -> None:
        assert span_of(curve_frame({("a", "all", "R"): [(-30, 0.1), (10, 0.2)]}))[0] == -30

    def test_one_point_has_an_hour(self) -> None:
        assert span_of(curve_frame({("a", "all", "R"): [(0, 0.1)]})) == (0, 1)

    @pytest.mark.parametrize(("last", "days"), [(2000, True), (300, False)])
    def test_a_long_span_is_read_in_days(self, last: float, days: bool) -> None:
        (panel,) = chart({("a", "all", "R"): [(0, 0.1), (last, 0.2)]}).panels
        assert panel.x.title == f"{'days' if days else 'hours'} since the topic's start"
        assert panel.lines[0].x[1] == pytest.approx(last / (24 if days else 1))


class TestAxes:
    def panel_values(self, curves: Picture) -> dict[str, tuple[float | None, float | None]]:
        return {each.title: (each.y.low, each.y.high) for each in curves.panels}

    def test_shares_reach_from_0_to_1(self) -> None:
        values = self.panel_values(
            chart({("a", "all", "R"): [(0, 0.2)], ("a", "all", "Rs(reward=1)"): [(0, 0.3)]})
        )
        assert values == {"R": (0, 1), "Rs(reward=1)": (0, 1)}

    def test_precision_reaches_1_or_higher(self) -> None:
        low = chart({("a", "all", "P"): [(0, 0.2)]})
        high = chart({("a", "all", "P"): [(0, 1.75)]})
        assert self.panel_values(low) == {"P": (0, 1)}
        assert self.panel_values(high) == {"P": (0, 1.75)}

    def test_others_cover_their_values_and_0(self) -> None:
        assert self.panel_values(TWO_RUNS)["T"] == (-3, 1.5)

    def test_undefined_throughout_still_has_an_axis(self) -> None:
        assert self.panel_values(chart({("a", "all", "T"): [(0, np.nan)]})) == {"T": (0, 1)}

    def test_unit_and_direction_are_written(self) -> None:
        words = json.dumps(specification(TWO_RUNS, hover=False))
        assert "T [h]" in words
        assert "higher is better" in words

    def test_the_mean_stands_last(self) -> None:
        curves = chart({("a", topic, "R"): [(0, 0.2)] for topic in ("all", "t2", "t1")})
        titles = [each.title for each in curves.panels]
        assert titles == ["topic t2 · R", "topic t1 · R", "mean over topics · R"]


class TestLegend:
    def test_long_names_keep_both_ends(self) -> None:
        name = "university-of-somewhere-with-a-long-name-run-7"
        label = unique_labels([name])[name]
        assert len(label) == LEGEND_CHARACTERS
        assert label.startswith("university-of")
        assert label.endswith("run-7")

    def test_names_that_shorten_alike_are_numbered(self) -> None:
        names = [f"a-common-beginning-{middle}-and-a-common-ending" for middle in "xyz"]
        assert len(set(unique_labels(names).values())) == 3

    @given(st.lists(st.text(), unique=True, max_size=20))
    def test_labels_are_unique_and_printable(self, names: list[str]) -> None:
        labels = unique_labels(names)
        assert list(labels) == names
        assert len(set(labels.values())) == len(names)
        assert all(label.isprintable() for label in labels.values())

    def test_56_runs_look_different(self) -> None:
        names = tuple(f"run {number}" for number in range(56))
        channels = Legend.of(Picture("", "", names, ())).channels()
        colours = channels["color"].to_dict()["scale"]["range"]
        dashes = channels["strokeDash"].to_dict()["scale"]["range"]
        assert len({(colour, *dash) for colour, dash in zip(colours, dashes, strict=True)}) == 56


class TestPalette:
    def test_a_run_looks_the_same_however_runs_are_listed(self) -> None:
        runs = ["run 10", "run 9", "b", "a"]
        looks = {tuple(sorted(_looks(order).items())) for order in permutations(runs)}
        assert len(looks) == 1
        assert len(set(_looks(runs).values())) == len(runs)

    def test_pictures_and_pages_draw_it_alike(self) -> None:
        palette = Palette.of(["late", "early"])
        assert colours(TWO_RUNS) == {run: palette.colour(run) for run in ("early", "late")}
        (place,) = re.findall(r"s(\d)", palette.classes("late"))
        assert f"--s{place}: {palette.colour('late')};" in style()


def _looks(runs: Sequence[str]) -> dict[str, str]:
    palette = Palette.of(runs)
    return {run: palette.classes(run) for run in runs}


def rows(picture: Picture, kind: str) -> list[dict[str, object]]:
    """What the first panel draws of a kind of marks."""
    found: list[dict[str, object]] = specification(picture, hover=True)["datasets"][f"{kind}_0"]
    return found


def layers(picture: Picture) -> list[dict[str, object]]:
    """The marks of the first panel, in the order in which they are drawn."""
    panel = specification(picture, hover=False)["vconcat"][0]["concat"][0]
    return [each["mark"] for each in panel["layer"]]


def one_panel(**marks: object) -> Picture:
    given = {"lines": (), "y": Axis(low=0.0, high=1.0)} | marks
    panel = Panel("P", "", Axis("hours", 0.0, 4.0), **given)  # type: ignore[arg-type]
    return Picture("title", SIGNATURE, ("a", "b"), (panel,))


class TestMarks:
    """The vocabulary that every picture is made of."""

    def test_lines_are_stepped_or_straight(self) -> None:
        line = Line(0, (0.0, 1.0), (0.5, None))
        (stepped,) = layers(one_panel(lines=(line,)))
        (straight,) = layers(one_panel(lines=(line,), is_stepped=False))
        assert stepped["interpolate"] == "step-after"
        assert "interpolate" not in straight
        assert [row["value"] for row in rows(one_panel(lines=(line,)), "lines")] == [0.5, None]

    def test_many_lines_are_thin(self) -> None:
        few, many = (tuple(f"r{at}" for at in range(FEW_RUNS + more)) for more in (0, 1))
        panel = one_panel(lines=(Line(0, (0.0,), (0.5,)),)).panels
        assert layers(Picture("", "", few, panel))[0]["strokeWidth"] == LINE
        assert layers(Picture("", "", many, panel))[0]["strokeWidth"] == THIN

    def test_undefined_dots_are_not_drawn(self) -> None:
        picture = one_panel(dots=(Dots(1, (1.0, 2.0), (None, 0.5), (0.25, 0.75)),))
        assert [(row["run"], row["x"], row["weight"]) for row in rows(picture, "dots")] == [
            ("b", 2.0, 0.75)
        ]

    def test_an_interval_that_is_cut_off_says_so(self) -> None:
        whole, cut = Point(0, 3.0, 0.5, 0.25, 0.75), Point(1, 3.5, 0.5, -9.0, 9.0)
        found = rows(one_panel(points=(whole, cut)), "points")
        assert (found[0]["low"], found[0]["high"]) == (0.25, 0.75)
        assert not {"above", "below"} & set(found[0])
        assert (found[1]["below"], found[1]["above"]) == (0.0, 1.0)
        shapes = [each.get("shape") for each in layers(one_panel(points=(whole, cut)))]
        assert shapes[-2:] == ["triangle-up", "triangle-down"]
        assert "triangle-up" not in [m.get("shape") for m in layers(one_panel(points=(whole,)))]

    def test_a_point_without_an_interval(self) -> None:
        assert set(rows(one_panel(points=(Point(0, 1.0, 0.5),)), "points")[0]) == {
            *("label", "run", "x", "value")
        }

    def test_a_rule_has_its_words_where_there_is_room(self) -> None:
        for at, align in ((1.0, "left"), (3.5, "right")):
            text = layers(one_panel(rule=Rule(at, "here")))[-1]
            assert (text["text"], text["align"]) == ("here", align)

    def test_names_stand_in_the_place_of_numbers(self) -> None:
        panel = Panel("", "", Axis("", 0.5, 2.5, ticks=(1.0, 2.0), names=("one", "two")), ())
        assert {"one", "two"} <= set(svg_words(Picture("", "", ("a",), (panel,))).split())

    def test_whole_things_have_whole_numbers(self) -> None:
        panel = Panel("", "", Axis("", 1.0, 2.0, is_whole=True), (Line(0, (1.0, 2.0), (0.0, 1.0)),))
        drawn = specification(Picture("", "", ("a",), (panel,)), hover=False)
        (layer,) = drawn["vconcat"][0]["concat"][0]["layer"]
        assert layer["encoding"]["x"]["axis"]["values"] == [0, 1, 2]

    def test_long_titles_break_after_commas(self) -> None:
        assert in_lines("blend(fuzzy(word=80),grams(n=4))", 24) == [
            "blend(fuzzy(word=80),",
            "grams(n=4))",
        ]
        assert in_lines("a name without any", 5) == ["a name without any"]


class TestAxisOfTrends:
    def test_end_points_stand_apart_behind_the_last_batch(self) -> None:
        for number in (1, 2, 60):
            places = [aside(10.0, run, number) for run in range(number)]
            assert places == sorted(places)
            assert places[0] > 10
            assert places[-1] < with_room(10.0, number) <= 10 * 1.4

    def test_an_interval_does_not_dwarf_the_rest(self) -> None:
        assert reached([0.2, None, 0.9], [-9.0, 9.0], (0.0, 0.0)) == pytest.approx((-0.45, 1.35))
        assert reached([0.2], [0.1, 0.3], (0.0, 1.0)) == (0.0, 1.0)

    def test_round_numbers(self) -> None:
        assert round_ticks(122) == (0, 20, 40, 60, 80, 100, 120)
        assert round_ticks(6)[:3] == (0, 0.5, 1)
        assert round_ticks(0.02)[-1] == 0.02
        assert max(len(round_ticks(days / 7)) for days in range(1, 5000)) <= 13


class TestWords:
    @given(st.text(alphabet="ab|", max_size=300), st.integers(5, 40))
    def test_broken_lines_lose_nothing_and_fit(self, text: str, width: int) -> None:
        lines = broken(text, width)
        assert "".join(lines) == text
        assert all(len(line) <= width for line in lines)

    def test_lines_break_after_a_bar(self) -> None:
        assert broken("one:1|two:2|three:3", 12) == ["one:1|two:2|", "three:3"]

    @pytest.mark.parametrize("text", ["a\x00b", "a\ud800b", "a\u202eb"])
    def test_what_no_picture_can_hold_is_replaced(self, text: str) -> None:
        assert printable(text) == "a�b"


class Page(HTMLParser):
    """What a page asks to load, and its text outside scripts."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.words = ""
        self.feed(page.decode())
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, text: str) -> None:
        if self.cdata_elem == "script":
            self.scripts[-1] += text
        else:
            self.words += text


HOSTILE = "</script><script>alert(1)</script><b>&\x00\n"


class TestPage:
    def test_loads_nothing(self) -> None:
        page = Page(draw(TWO_RUNS, "html"))
        attributes = {name for _, found in page.tags for name in found}
        assert attributes.isdisjoint({"src", "href", "srcset", "data", "action", "background"})
        assert {tag for tag, _ in page.tags}.isdisjoint({"link", "iframe", "img", "object", "base"})
        assert "url(" not in page.words
        assert "@import" not in page.words

    def test_its_policy_forbids_loading(self) -> None:
        tags = Page(draw(TWO_RUNS, "html")).tags
        policies = [
            found["content"]
            for tag, found in tags
            if tag == "meta" and found.get("http-equiv") == "Content-Security-Policy"
        ]
        assert policies
        assert policies[0] is not None
        assert policies[0].startswith("default-src 'none';")
        assert "http" not in policies[0]

    def test_holds_the_libraries_and_the_signature(self) -> None:
        page = Page(draw(TWO_RUNS, "html"))
        assert "window.vegaEmbed=" in page.scripts[0]
        assert SIGNATURE in page.words

    def test_hostile_names_stay_text(self) -> None:
        frame = curve_frame({(HOSTILE, "all", "R"): [(0, 0.5), (3, 1.0)]})
        curves = curve_picture(frame, Words(runs=(HOSTILE,), signature=HOSTILE, title=HOSTILE))
        page = Page(draw(curves, "html"))
        assert [tag for tag, _ in page.tags].count("script") == 2
        assert "b" not in [tag for tag, _ in page.tags]
        assert "alert(1)" in page.scripts[1]
        assert page.scripts[1].strip().endswith("});")

    def test_the_tooltip_has_the_full_name(self) -> None:
        name = "university-of-somewhere-with-a-long-name-run-7"
        curves = chart({(name, "all", "R"): [(0, 0.5)]})
        assert name in json.dumps(specification(curves, hover=True))
        assert name not in json.dumps(specification(curves, hover=False))


def svg_words(curves: Picture) -> str:
    """All text of the drawing, which has to be well-formed."""
    return " ".join(ElementTree.fromstring(draw(curves, "svg")).itertext())


class TestPicture:
    @pytest.mark.parametrize(
        ("form", "start"),
        [("png", b"\x89PNG"), ("svg", b"<svg"), ("pdf", b"%PDF"), ("html", b"<!DOCTYPE html>")],
    )
    def test_every_form(self, form: str, start: bytes) -> None:
        assert draw(TWO_RUNS, form).startswith(start)

    @pytest.mark.parametrize("form", ["svg", "html", "png"])
    def test_the_same_bytes_twice(self, form: str) -> None:
        assert draw(TWO_RUNS, form) == draw(chart(TWO_CURVES, AXES), form)

    def test_the_same_bytes_in_another_process(self) -> None:
        program = (
            "import hashlib, pickle, sys; from tseval.reporting.charts.drawing import draw;"
            "page = draw(pickle.load(sys.stdin.buffer), 'html');"
            "sys.stdout.write(hashlib.sha256(page).hexdigest())"
        )
        digests = {
            subprocess.run(
                [sys.executable, "-c", program],
                input=pickle.dumps(TWO_RUNS),
                env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])},
                check=True,
                capture_output=True,
                timeout=120,
            ).stdout
            for seed in ("1", "2")
        }
        assert len(digests) == 1
        assert b"" not in digests

    def test_it_carries_the_signature(self) -> None:
        assert SIGNATURE in svg_words(TWO_RUNS)

    def test_no_rows_say_so(self) -> None:
        assert "no curve to draw" in svg_words(chart({}))

    def test_undefined_throughout_says_so(self) -> None:
        words = svg_words(chart({("a", "all", "R"): [(0, np.nan)]}))
        assert "undefined at every time" in words

    def test_one_point(self) -> None:
        assert "undefined" not in svg_words(chart({("a", "all", "R"): [(0, 0.5)]}))

    def test_hostile_names(self) -> None:
        assert "<b>&� " in svg_words(chart({(HOSTILE, "all", "R"): [(0, 0.5)]}))

    def test_every_topic_has_a_row(self) -> None:
        words = svg_words(
            chart({("a", topic, "R"): [(0, 0.5), (3, 1)] for topic in ("t1", "t2", "all")})
        )
        assert all(name in words for name in ("topic t1", "topic t2", "mean over topics"))

    def test_fifty_thousand_steps_make_a_small_picture(self) -> None:
        generator = np.random.default_rng(0)
        steps = list(zip(generator.uniform(0, 99, 50_000), generator.random(50_000), strict=True))
        curves = chart({("a", "all", "P"): steps})
        assert len(draw(curves, "svg")) < 500_000

    def test_an_unknown_form_is_refused(self) -> None:
        with pytest.raises(ValueError, match="png, svg, pdf, html"):
            draw(TWO_RUNS, "gif")

    def test_a_missing_extra_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        real = builtins.__import__

        def without_altair(name: str, *rest: object, **words: object) -> ModuleType:
            if name == "altair":
                raise ImportError(name)
            return real(name, *rest, **words)  # type: ignore[arg-type]

        monkeypatch.setattr(builtins, "__import__", without_altair)
        with pytest.raises(MissingExtra, match="report"):
            draw(TWO_RUNS, "svg")


def test_importing_the_module_loads_nothing_heavy() -> None:
    program = (
        "import sys, tseval.reporting.charts.curves, tseval.reporting.charts.drawing;"
        "sys.exit(bool({'altair', 'pandas', 'numpy', 'vl_convert'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
