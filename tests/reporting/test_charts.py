"""Charts of measures over time: steps, words, bytes that don't change, pages that load nothing."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from itertools import permutations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from tests import strategies as st
from tseval.core.panels import (
    BATCH_KEYS,
    Axis,
    Dots,
    Line,
    Panel,
    Parts,
    Picture,
    Point,
    Rule,
    reached,
)
from tseval.errors import MissingExtra
from tseval.reporting.charts.axes import LONGEST, Axes, unique_labels, width_of, wrapped
from tseval.reporting.charts.curves import MeasureAxis, Words, curve_picture, span_of, step_points
from tseval.reporting.charts.drawing import MANY, draw
from tseval.reporting.page.markup import UNFIT
from tseval.reporting.palette import COLOURS, Palette, style

SVG = "{http://www.w3.org/2000/svg}"
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


def drawn(picture: Picture) -> ElementTree.Element:
    """The picture as its file has it."""
    return ElementTree.fromstring(draw(picture, "svg"))


def plots(picture: Picture) -> list[ElementTree.Element]:
    """What is drawn of each panel."""
    return [each for each in drawn(picture).iter(f"{SVG}g") if "plot" in classes(each)]


def classes(each: ElementTree.Element) -> list[str]:
    return (each.get("class") or "").split()


def marks(picture: Picture, kind: str, run: int | None = None) -> list[ElementTree.Element]:
    """The marks of a kind in the first panel, of a run if one is named."""
    found = [each for each in plots(picture)[0].iter() if kind in classes(each)]
    return found if run is None else [each for each in found if each.get("data-run") == str(run)]


def looks(picture: Picture) -> dict[str, tuple[str, ...]]:
    """The classes of colour and dashes of each name in the legend."""
    lines = [each for each in drawn(picture).iter(f"{SVG}line") if "on" in classes(each)]
    names = [each.text for each in drawn(picture).iter(f"{SVG}text") if "key" in classes(each)]
    return dict(zip(names, (tuple(classes(each)[2:]) for each in lines), strict=True))


def points_of(path: str) -> list[tuple[float, float]]:
    """The corners of a path of M, L, H and V."""
    x = y = 0.0
    found = []
    for command, numbers in re.findall(r"([MLHV])([^MLHVZ]*)", path):
        values = [float(each) for each in numbers.split()]
        x, y = {"H": (values[0], y), "V": (x, values[0])}.get(command, (values[0], values[-1]))
        found.append((x, y))
    return found


def read(picture: Picture, spots: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Places in the first panel as values, by two numbers at each of its axes."""
    labels = list(plots(picture)[0].iter(f"{SVG}text"))
    along = {
        kind: [
            (float(each.text.replace("−", "-").replace(",", "")), float(each.get(at)))
            for each in labels
            if classes(each) == [kind]
        ]
        for kind, at in (("x", "x"), ("y", "y"))
    }
    along["y"] = [(value, place - 4) for value, place in along["y"]]

    def value(kind: str, place: float) -> float:
        (v0, p0), (v1, p1) = along[kind][0], along[kind][-1]
        return v0 + (place - p0) / (p1 - p0) * (v1 - v0)

    return [(value("x", x), value("y", y)) for x, y in spots]


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
        words = svg_words(TWO_RUNS)
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
        assert len(label) == LONGEST
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
        assert not any(UNFIT.search(label) for label in labels.values())

    def test_56_runs_look_different(self) -> None:
        names = tuple(f"run {number}" for number in range(56))
        found = looks(Picture("", "", names, (Panel("", "", Axis(), ()),)))
        assert set(found) == set(names)
        assert len(set(found.values())) == 56


class TestPalette:
    def test_a_run_looks_the_same_however_runs_are_listed(self) -> None:
        runs = ["run 10", "run 9", "b", "a"]
        looks = {tuple(sorted(_looks(order).items())) for order in permutations(runs)}
        assert len(looks) == 1
        assert len(set(_looks(runs).values())) == len(runs)

    def test_pictures_and_pages_draw_it_alike(self) -> None:
        palette = Palette.of(["late", "early"])
        found = looks(TWO_RUNS)
        assert found == {run: tuple(palette.look(run).classes.split()) for run in ("early", "late")}
        place = int(found["late"][0].removeprefix("s"))
        assert f"--s{place}: {COLOURS[place].light};" in style()
        assert f".line.on.s{place}, " in draw(TWO_RUNS, "svg").decode()
        assert f"stroke: {COLOURS[place].light};" in draw(TWO_RUNS, "svg").decode()


def _looks(runs: Sequence[str]) -> dict[str, str]:
    palette = Palette.of(runs)
    return {run: palette.look(run).classes for run in runs}


def one_panel(**marks: object) -> Picture:
    given = {"lines": (), "y": Axis(low=0.0, high=1.0)} | marks
    panel = Panel("P", "", Axis("hours", 0.0, 4.0), **given)  # type: ignore[arg-type]
    return Picture("title", SIGNATURE, ("a", "b"), (panel,))


class TestMarks:
    """The vocabulary that every picture is made of."""

    def test_numbers_at_axes_have_commas_between_thousands(self) -> None:
        line = Line(0, (0.0, 4.0), (0.0, -24_000.0))
        picture = one_panel(lines=(line,), y=Axis())
        labels = [
            each.text for each in plots(picture)[0].iter(f"{SVG}text") if "y" in classes(each)
        ]
        assert labels == ["−25,000", "−20,000", "−15,000", "−10,000", "−5,000", "0"]

    def test_a_line_is_drawn_where_its_values_are(self) -> None:
        line = Line(0, (0.0, 1.0, 3.0), (0.5, 0.25, None))
        straight = one_panel(lines=(line,), is_stepped=False)
        (path,) = marks(straight, "line", 0)
        near = pytest.approx
        assert read(straight, points_of(path.get("d"))) == [
            near((0, 0.5), abs=0.01),
            near((1, 0.25), abs=0.01),
        ]
        stepped = one_panel(lines=(line,))
        (path,) = marks(stepped, "line", 0)
        found = read(stepped, points_of(path.get("d")))
        assert found == [
            near(each, abs=0.01) for each in ((0, 0.5), (1, 0.5), (1, 0.25), (3, 0.25))
        ]

    def test_a_single_step_is_seen_to_the_end_of_the_axis(self) -> None:
        """A run with one alert has one value, which holds for the rest of the event."""
        picture = one_panel(lines=(Line(1, (3.0,), (0.5,)),))
        (path,) = marks(picture, "line", 1)
        assert read(picture, points_of(path.get("d"))) == [
            pytest.approx((3, 0.5), abs=0.01),
            pytest.approx((4, 0.5), abs=0.01),
        ]

    def test_many_lines_are_thin(self) -> None:
        few, many = (tuple(f"r{at}" for at in range(MANY + more)) for more in (0, 1))
        panel = one_panel(lines=(Line(0, (0.0,), (0.5,)),)).panels
        assert "many" not in classes(plots(Picture("", "", few, panel))[0])
        assert "many" in classes(plots(Picture("", "", many, panel))[0])

    def test_a_trend_is_foretold_after_the_last_batch_that_it_is_fitted_to(self) -> None:
        line = Line(0, (0.0, 4.0), (0.0, 0.8), until=3.0)
        picture = one_panel(lines=(line,), is_stepped=False, keys=BATCH_KEYS)
        fitted, foretold = (
            read(picture, points_of(each.get("d"))) for each in marks(picture, "line", 0)
        )
        assert fitted == [pytest.approx((0, 0), abs=0.01), pytest.approx((3, 0.6), abs=0.01)]
        assert foretold == [pytest.approx((3, 0.6), abs=0.01), pytest.approx((4, 0.8), abs=0.01)]
        assert "foretold" in svg_words(picture)
        whole = one_panel(lines=(line._replace(until=None),), is_stepped=False, keys=BATCH_KEYS)
        assert len(marks(whole, "line", 0)) == 1
        assert "foretold" not in svg_words(whole)

    def test_undefined_dots_are_not_drawn(self) -> None:
        picture = one_panel(dots=(Dots(1, (1.0, 2.0), (None, 0.5), (0.25, 0.75)),))
        (dots,) = marks(picture, "dots", 1)
        (circle,) = dots
        at = float(circle.get("cx")), float(circle.get("cy"))
        assert read(picture, [at]) == [pytest.approx((2, 0.5), abs=0.01)]

    def test_what_weighs_nothing_is_hollow_and_said(self) -> None:
        dots = Dots(1, (1.0, 2.0, 3.0), (0.5, 0.5, 0.5), (0.25, 0.0, 0.75))
        picture = one_panel(dots=(dots,), keys=BATCH_KEYS)
        (group,) = marks(picture, "dots", 1)
        assert [classes(each) for each in group] == [[], ["hollow"], []]
        sizes = [float(each.get("r")) for each in group]
        share = (sizes[0] - 1.5) / (sizes[2] - 1.5)
        assert share == pytest.approx((0.25 / 0.75) ** 0.5, abs=0.01)  # the area is the weight
        assert "a batch that weighs nothing" in svg_words(picture)
        full = one_panel(dots=(dots._replace(weight=(0.2, 0.2, 0.6)),), keys=BATCH_KEYS)
        assert "a batch that weighs nothing" not in svg_words(full)

    def test_intervals_stand_at_their_place_beside_those_of_others(self) -> None:
        points = tuple(Point(run, 3.0, 0.5, 0.25, 0.75) for run in range(2))
        picture = one_panel(points=points, keys=BATCH_KEYS)
        bars = [next(iter(each)) for each in marks(picture, "end")]
        middle = sum(float(each.get("x1")) for each in bars) / 2
        assert abs(float(bars[0].get("x1")) - float(bars[1].get("x1"))) == pytest.approx(7)
        ends = [(middle, float(bars[0].get(at))) for at in ("y1", "y2")]
        assert read(picture, ends) == [pytest.approx((3, at), abs=0.01) for at in (0.25, 0.75)]
        assert {"its 95 % interval", "the end point"} <= set(
            re.split(r"  |: ", svg_words(picture, "  "))
        )

    def test_an_interval_that_is_cut_off_says_so(self) -> None:
        whole, cut = Point(0, 2.0, 0.5, 0.25, 0.75), Point(1, 3.5, 0.5, -9.0, 9.0)
        picture = one_panel(points=(whole, cut), keys=BATCH_KEYS)
        assert [len(list(each.iter(f"{SVG}path"))) for each in marks(picture, "end")] == [3, 1]
        assert "the interval goes on" in svg_words(picture)
        assert "the interval goes on" not in svg_words(one_panel(points=(whole,), keys=BATCH_KEYS))

    def test_a_point_without_an_interval(self) -> None:
        (end,) = marks(one_panel(points=(Point(0, 1.0, 0.5),)), "end")
        assert [each.tag for each in end] == [f"{SVG}path"]

    def test_what_no_value_can_be_is_shaded(self) -> None:
        axis = Axis(low=-0.5, high=1.5)
        picture = one_panel(y=axis, possible=(0.0, 1.0), keys=BATCH_KEYS)
        below, above = marks(picture, "beyond")
        heights = [
            (0.0, float(each.get("y")) + more * float(each.get("height")))
            for each in (below, above)
            for more in (0, 1)
        ]
        found = [y for _, y in read(picture, heights)]
        assert found == [pytest.approx(at, abs=0.01) for at in (0, -0.5, 1.5, 1)]
        assert "no value can lie here" in svg_words(picture)
        assert not marks(one_panel(possible=(0.0, 1.0)), "beyond")

    def test_bands_or_the_values_that_a_mean_is_of(self) -> None:
        line = Line(0, (0.0, 4.0), (0.5, 0.5), (0.25, 0.25), (0.75, 0.75))
        told = (("band", "an interval"), ("part", "a topic"))
        banded = one_panel(lines=(line,), keys=told)
        (band,) = marks(banded, "band", 0)
        heights = {y for _, y in points_of(band.get("d"))}
        assert sorted(y for _, y in read(banded, [(0, at) for at in heights])) == [
            pytest.approx(at, abs=0.01) for at in (0.25, 0.75)
        ]
        parts = Parts(0, (2.0, 2.0), (0.4, 0.6))
        parted = one_panel(lines=(line,), parts=(parts,), keys=told)
        assert not marks(parted, "band")
        (group,) = marks(parted, "parts", 0)
        spots = [(float(each.get("cx")), float(each.get("cy"))) for each in group]
        assert read(parted, spots) == [pytest.approx((2, at), abs=0.01) for at in (0.4, 0.6)]
        assert "an interval" in svg_words(banded)
        assert "an interval" not in svg_words(parted)
        assert "a topic" in svg_words(parted)

    def test_a_rule_has_its_words_where_there_is_room(self) -> None:
        for at, kinds in ((1.0, ["words", "first"]), (3.5, ["words"])):
            (text,) = marks(one_panel(rule=Rule(at, "here")), "words")
            assert (text.text, classes(text)) == ("here", kinds)

    def test_names_stand_in_the_place_of_numbers(self) -> None:
        panel = Panel("", "", Axis("", 0.5, 2.5, ticks=(1.0, 2.0), names=("one", "two")), ())
        picture = Picture("", "", ("a",), (panel,))
        assert [each.text for each in marks(picture, "x")] == ["one", "two"]
        long = tuple(f"a topic with a long name, the {at}th" for at in range(12))
        crowded = Axis("", 0.5, 12.5, ticks=tuple(map(float, range(1, 13))), names=long)
        slanted = [
            each
            for each in marks(Picture("", "", ("a",), (Panel("", "", crowded, ()),)), "y")
            if each.get("transform")
        ]
        assert len(slanted) == 12

    def test_whole_things_have_whole_numbers(self) -> None:
        def numbers(low: float, high: float) -> list[str | None]:
            axis = Axis("", low, high, is_whole=True)
            picture = Picture("", "", ("a",), (Panel("", "", axis, ()),))
            return [each.text for each in marks(picture, "x")]

        assert numbers(1.0, 2.9) == ["1", "2"]
        assert numbers(0.0, 1.0) == ["0", "1"]
        assert numbers(1.0, 31.0) == ["1", "5", "10", "15", "20", "25", "30"]

    @given(st.floats(1e-3, 1e3), st.floats(1.1, 1e6))
    def test_a_logarithmic_axis_has_equal_factors(self, low: float, times: float) -> None:
        axis = Axis("", low, low * times, is_log=True)
        ruler = Axes.inside(Panel("", "", axis, ()), 440, 270).x
        left, right = ruler.pixels
        assert ruler.place(low * times**0.5) == pytest.approx((left + right) / 2, abs=0.1)
        assert ruler.place(0.0) == left
        places = [ruler.place(at) for at, _ in ruler.marks]
        assert places == sorted(places)
        assert len(places) <= 24


class TestAxisOfTrends:
    def test_an_interval_does_not_dwarf_the_rest(self) -> None:
        assert reached([0.2, None, 0.9], [-9.0, 9.0], (0.0, 0.0)) == pytest.approx((-0.45, 1.35))
        assert reached([0.2], [0.1, 0.3], (0.0, 1.0)) == (0.0, 1.0)


class TestWords:
    @given(st.text(alphabet="ab|, Wi", max_size=300), st.integers(30, 300))
    def test_lines_lose_nothing_and_fit(self, text: str, width: int) -> None:
        lines = wrapped(text, width, 12)
        assert "".join(lines) == text
        assert all(width_of(line.rstrip(" ,|"), 12) <= width for line in lines)

    def test_lines_break_after_bars_commas_and_spaces(self) -> None:
        assert wrapped("one:1|two:2|three:3", 75, 12) == ["one:1|two:2|", "three:3"]
        assert wrapped("blend(fuzzy(word=80),grams(n=4))", 160, 13) == [
            "blend(fuzzy(word=80),",
            "grams(n=4))",
        ]

    @pytest.mark.parametrize("text", ["a\x00b", "a\ud800b", "a\u202eb"])
    def test_what_no_picture_can_hold_is_replaced(self, text: str) -> None:
        assert list(unique_labels([text]).values()) == ["a�b"]


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
        assert attributes.isdisjoint({"src", "srcset", "data", "action", "background"})
        assert [found["href"] for _, found in page.tags if "href" in found] == ["data:,"]
        assert {tag for tag, _ in page.tags}.isdisjoint({"iframe", "img", "object", "base"})
        assert "url(" not in page.words
        assert "@import" not in page.words

    def test_its_policy_forbids_loading(self) -> None:
        tags = Page(draw(TWO_RUNS, "html")).tags
        (policy,) = [
            found["content"]
            for tag, found in tags
            if tag == "meta" and found.get("http-equiv") == "Content-Security-Policy"
        ]
        assert policy.startswith("default-src 'none';")
        assert "unsafe" not in policy
        assert "http" not in policy

    def test_it_has_what_a_report_has_of_a_panel(self) -> None:
        page = Page(draw(TWO_RUNS, "html"))
        tags = [tag for tag, _ in page.tags]
        assert [tags.count(each) for each in ("h1", "figure", "table")] == [1, 2, 2]
        assert SIGNATURE in page.words
        labels = [found["aria-label"] for _, found in page.tags if found.get("role") == "img"]
        assert labels == ["R", "T: higher is better · lead"]
        assert "early0.00000.50000.50001.00001.0000" in page.words  # the table of R

    def test_hostile_names_stay_text(self) -> None:
        frame = curve_frame({(HOSTILE, HOSTILE, HOSTILE): [(0, 0.5), (3, 1.0)]})
        curves = curve_picture(frame, Words(runs=(HOSTILE,), signature=HOSTILE, title=HOSTILE))
        page = Page(draw(curves, "html"))
        plain = Page(draw(TWO_RUNS, "html"))
        assert {tag for tag, _ in page.tags} <= {tag for tag, _ in plain.tags}
        assert page.scripts[1:] == plain.scripts[1:]
        assert json.loads(page.scripts[0])["runs"] == [
            "</script><script>alert(1)</script><b>&\ufffd "
        ]

    def test_a_legend_is_short_and_the_rest_says_the_full_name(self) -> None:
        name = "university-of-somewhere-with-a-long-name-run-7"
        curves = chart({(name, "all", "R"): [(0, 0.5)]})
        assert name in draw(curves, "html").decode()
        assert name not in [each.text for each in drawn(curves).iter(f"{SVG}text")]
        assert name in drawn(curves).findtext(f"{SVG}desc")


def svg_words(curves: Picture, between: str = " ") -> str:
    """All text that is drawn, in a file that has to be well-formed."""
    return between.join(each.text or "" for each in drawn(curves).iter(f"{SVG}text"))


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
        assert "<b>&�" in svg_words(chart({(HOSTILE, "all", "R"): [(0, 0.5)]}))

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

    def test_it_has_a_title_and_a_description(self) -> None:
        root = drawn(TWO_RUNS)
        assert root.get("role") == "img"
        assert root.findtext(f"{SVG}title") == "Measures over time"
        told = root.findtext(f"{SVG}desc")
        for word in ("mean over topics", "higher is better", "runs: early, late", "T [h] by hours"):
            assert word in told

    def test_all_is_inside_of_the_picture(self) -> None:
        root = drawn(TWO_RUNS)
        width = float(root.get("width"))
        for text in root.iter(f"{SVG}text"):
            if not {"x", "y", "words"} & set(classes(text)):
                size = {"h1": 16, "h2": 13, "print": 9}.get(classes(text)[0], 12)
                assert float(text.get("x")) + width_of(text.text, size) <= width

    def test_plots_below_one_another_begin_at_one_place(self) -> None:
        short = Panel("", "", Axis(), (Line(0, (0.0, 1.0), (0.0, 1.0)),))
        long = Panel("", "", Axis(), (Line(0, (0.0, 1.0), (0.0, 1e6)),))
        lefts = {
            next(each.get("x1") for each in plot.iter(f"{SVG}line") if "rule" in classes(each))
            for plot in plots(Picture("", "", ("a",), (short, long)))
        }
        assert len(lefts) == 1

    @pytest.mark.parametrize("form", ["png", "pdf"])
    def test_a_missing_extra_is_named(self, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
        monkeypatch.setitem(sys.modules, "vl_convert", None)
        with pytest.raises(MissingExtra, match="report"):
            draw(TWO_RUNS, form)
        assert draw(TWO_RUNS, "svg")
        assert draw(TWO_RUNS, "html")


def test_importing_the_module_loads_nothing_heavy() -> None:
    program = (
        "import sys, tseval.reporting.charts.curves, tseval.reporting.charts.drawing;"
        "sys.exit(bool({'pandas', 'numpy', 'vl_convert'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
