"""Measures batch by batch and their lines: worked out by hand, refused, warned about, drawn."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.stats

from tests import cases
from tests.program import FIXTURES, MATCHES, NUGGETS, SWIFT, THOROUGH, TOPICS, Outcome
from tests.program import tseval as program
from tseval.core import trends
from tseval.core.panels import Line, Picture, Point
from tseval.core.registry import measures
from tseval.core.results import Batches, cover
from tseval.families.temporal.evaluation import TemporalEvaluation, TemporalInputs
from tseval.reporting.charts.curves import MeasureAxis, Words, batch_picture
from tseval.reporting.charts.drawing import draw

CLUSTERS = str(FIXTURES / "clusters.tsv")
FLOOD = (NUGGETS, "--matches", MATCHES, "--topics", TOPICS, "--topic", "flood")
START = 1699920000

Row = dict[str, str]


def told(*arguments: object) -> list[Row]:
    done = program("curve", *arguments, "--quiet")
    assert (done.code, done.err) == (0, "")
    return list(csv.DictReader(io.StringIO(done.out)))


def batches(rows: list[Row], measure: str, run: str = "swift") -> list[Row]:
    return [row for row in rows if row["measure"] == measure and row["run"] == run]


def line(rows: list[Row], measure: str, run: str = "swift") -> dict[str, float]:
    """What is told of the line through a measure, by name."""
    found = {}
    for row in rows:
        name, _, inside = row["measure"].partition("(")
        of, _, per = inside.removesuffix(")").partition(",per=")
        if (row["run"], of) == (run, measure):
            assert (row["time"], row["hours"], row["weight"]) == ("", "", "")
            found[f"{name}/{per}".rstrip("/")] = float(row["value"] or "nan")
    return found


class TestByHand:
    """*Swift* sends an update in each of the first five pairs of hours of *flood*.

    They earn 3, 2 + 1, 3, nothing and nothing. There are rewards of 10, and a day is 12 batches.
    """

    def test_batches(self) -> None:
        rows = told(SWIFT, *FLOOD, "--batch", "2h", "-m", "P R")
        for name, expected in [("P", [3, 3, 3, 0, 0]), ("R", [0.3, 0.3, 0.3, 0, 0])]:
            found = batches(rows, name)
            assert [int(row["time"]) for row in found] == [START + 7200 * i for i in range(12)]
            assert [float(row["hours"]) for row in found] == [2 * i for i in range(12)]
            assert [float(row["value"]) for row in found[:5]] == pytest.approx(expected)
            assert [float(row["weight"]) for row in found] == [0.2] * 5 + [0] * 7
            assert {row["value"] for row in found[5:]} == {"" if name == "P" else "0.0"}

    def test_the_line(self) -> None:
        found = line(told(SWIFT, *FLOOD, "--batch", "2h", "--trend", "-m", "P"), "P")
        assert found.pop("batches") == 5
        # slope -9 / 10; leverages .6 .3 .2 .3 .6; residuals -.6 .3 1.2 -.9 0
        moved = [-1.5, 3 / 7, 1.5, -9 / 7, 0]
        error = math.hypot(*(away * moved[away + 2] / 10 for away in range(-2, 3)))
        end_error = math.hypot(*((0.2 + 0.9 * away) * moved[away + 2] for away in range(-2, 3)))
        for per, batch in {"": 1, "/day": 1 / 12, "/hour": 2, "/second": 7200}.items():
            assert found.pop("slope" + per) == pytest.approx(-0.9 / batch)
            assert found.pop("se" + per) == pytest.approx(error / batch)
        assert found.pop("end") == pytest.approx(1.8 - 0.9 * 9)
        assert found.pop("end-se") == pytest.approx(end_error)
        assert found.pop("t") == pytest.approx(-0.9 / error)
        assert found.pop("DW") == pytest.approx((0.81 + 0.81 + 4.41 + 0.81) / 2.7)
        assert found.pop("spearman") == pytest.approx(-math.sqrt(3) / 2)
        assert found.keys() == {"p", "AD", "AD-p"}

    def test_the_mean_over_topics(self) -> None:
        """Each topic from its own start; *ferry* has two updates in its second pair of hours.

        They earn 5 in the first, 2 and nothing in the second.
        """
        rows = told(SWIFT, *FLOOD[:-2], "--batch", "2h", "-m", "P", "-q")
        mean = batches([row for row in rows if row["topic"] == "all"], "P")
        ferry = batches([row for row in rows if row["topic"] == "ferry"], "P")
        flood = batches([row for row in rows if row["topic"] == "flood"], "P")
        assert {row["time"] for row in mean} == {""}
        for own, other, both in zip(ferry, flood, mean, strict=True):
            known = [float(each["value"]) for each in (own, other) if each["value"]]
            expected = sum(known) / len(known) if known else None
            assert (float(both["value"]) if both["value"] else None) == (
                expected if expected is None else pytest.approx(expected)
            )
            weights = (float(each["weight"]) for each in (own, other))
            assert float(both["weight"]) == pytest.approx(sum(weights) / 2)  # five updates each

    def test_undefined_as_zero_counts_topics_while_they_last(self) -> None:
        options = (SWIFT, *FLOOD[:-2], "--batch", "2h", "-m", "P")
        plain, zero = (
            batches(told(*options, *more), "P") for more in ((), ("--undefined", "zero"))
        )
        assert float(zero[0]["value"]) == pytest.approx(2 / 3 * float(plain[0]["value"]))
        assert (plain[-1]["value"], zero[-1]["value"]) == ("", "0.0")
        skipped = batches(told(*options, "--undefined", "zero", "--on-missing", "skip"), "P")
        assert float(skipped[0]["value"]) == pytest.approx(float(plain[0]["value"]))

    def test_clusters(self) -> None:
        """Swift reports clusters of flood after 15 and 150 minutes (two at once), and 5 hours."""
        rows = told(SWIFT, CLUSTERS, "--batch", "2h", "-m", "coverage", "--topic", "flood")
        assert [float(row["value"]) for row in rows[:3]] == [0.25, 0.5, 0.25]
        assert float(rows[0]["time"]) + 15 * 60 == START + 1800
        assert sum(float(row["value"]) for row in rows) == 1
        assert [float(row["weight"]) for row in rows[:4]] == [0.2, 0.2, 0.4, 0.2]


@pytest.fixture(scope="module")
def evaluation() -> TemporalEvaluation:
    return cases.read(TemporalInputs([SWIFT, THOROUGH], NUGGETS, matches=MATCHES, topics=TOPICS))


class TestTogether:
    """Several runs and measures in one call."""

    def test_each_line_is_its_own(self, evaluation: TemporalEvaluation) -> None:
        together = trends.batch_series(evaluation, measures(["P R T"]), 7200, ["flood", "all"])
        for r, run in enumerate((SWIFT, THOROUGH)):
            own = cases.read(TemporalInputs([run], NUGGETS, matches=MATCHES, topics=TOPICS))
            for m, name in enumerate("PRT"):
                alone = trends.batch_series(own, measures([name]), 7200, ["flood", "all"])
                for one, many in zip(alone, together, strict=True):
                    ours, theirs = trends.statistics(one), trends.statistics(many)
                    assert {key: each[0] for key, each in ours.items()} == pytest.approx(
                        {key: each[r * 3 + m] for key, each in theirs.items()}, nan_ok=True
                    )

    def test_lines_are_named_as_they_are(self, evaluation: TemporalEvaluation) -> None:
        drawn = trends.batch_series(evaluation, measures(["P R"]), 7200, ["flood", "ferry"])
        table = trends.trend_frame(drawn).set_index(["run", "topic", "measure"])["value"]
        lines = trends.line_frame(drawn).set_index(["run", "topic", "measure"])
        for place, series in enumerate(drawn):
            for r, run in enumerate(("swift", "thorough")):
                for m, name in enumerate("PR"):
                    key, row = (run, ("flood", "ferry")[place], name), r * 2 + m
                    end = series.trend.end[row]
                    assert table[(*key[:2], f"end({name})")] == end
                    line = lines.loc[key]
                    assert (line["from_hours"], line["to_hours"], line["to_value"]) == (1, 23, end)
                    assert line["from_value"] == series.trend.intercept[row]
                    middle = (line["low"] + line["high"]) / 2
                    assert middle == pytest.approx(end)

    def test_topics_that_do_not_count_are_in_no_mean(self, evaluation: TemporalEvaluation) -> None:
        counted = np.array([[False, True, False]] * 2)
        options = (evaluation, measures(["P R"]), 7200)
        (mean,) = trends.batch_series(*options, counted=counted)
        (flood,) = trends.batch_series(*options, ["flood"])
        assert np.array_equal(mean.values.defined, flood.values.defined)
        assert np.array_equal(mean.values.value, flood.values.value)
        assert np.array_equal(mean.sent, flood.sent)

    def test_what_is_lost_is_told_of_its_run(self, evaluation: TemporalEvaluation) -> None:
        (drawn,) = trends.batch_series(evaluation, measures(["R"]), 7200)
        assert not list(trends.outside(evaluation, [drawn]))
        index = evaluation.index
        is_moved = (pl.col("run") == "thorough") & (pl.col("topic") == "flood")  # nine updates
        later = pl.col("time") + 1e6 * is_moved.cast(pl.Float64)
        moved = replace(index, outputs=index.outputs.with_columns(time=later))
        told = list(trends.outside(replace(evaluation, frames=moved), [drawn]))
        where = "before the first batch of the topic or after the last"
        assert told == [f"run thorough: 9 messages {where}"]


class TestWhere:
    def test_a_batch_holds_its_beginning(self) -> None:
        cut = Batches(np.array([0.0, 10.0]), 0.1, np.array([5, 2]))
        times = np.array([0.0, 0.1, 0.2, 0.3, 0.30000000000000004, 0.5, -0.01, np.inf])
        assert cut.of(np.zeros(8, int), times).tolist() == [0, 1, 2, 2, 3, -1, -1, -1]
        below, cut_there = 11.899999999999999, Batches(np.array([2.0]), 0.3, np.array([99]))
        assert (below - 2) / 0.3 == 33  # though below is before 2 + 33 * 0.3
        assert cut_there.of(np.zeros(2, int), np.array([below, 11.9])).tolist() == [32, 33]
        times = np.array([9.9, 10.0, 10.1, 10.2])
        assert cut.of(np.ones(4, int), times).tolist() == [-1, 0, 1, -1]

    @pytest.mark.parametrize(
        ("end", "latest", "number"),
        [(10, 10, 3), (10, 3, 2), (9, 9, 2), (5, 10, 3), (-9, -9, 1), (0, 0, 1), (11, 4, 3)],
    )
    def test_until_the_end_or_the_latest_of_the_gold(
        self, end: float, latest: float, number: int
    ) -> None:
        """The end belongs to no batch, what the gold has last does; batches last 5."""
        zero, last, gold = (np.array([float(each)]) for each in (0, end, latest))
        cut = cover(zero, last, gold, 5)
        assert cut.number.tolist() == [number]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--trend",), "--trend has no meaning without --batch"),
        (("--batch", "soon"), '--batch: "soon" is not a length of time: write a number and a unit'),
        (("--batch", "0h"), "--batch 0h: give a length longer than 0 seconds"),
        (("--batch", "1s"), "that makes 86,400 batches of a topic; no more than 10,000 are"),
        (("--batch", "1h", "-m", "P@6h"), "leave the @TIME out of P@6h"),
        (("--batch", "1h", "--topic", "fire"), "no topic 'fire' here"),
        (
            ("--batch", "1h", "-m", "C(area)"),
            "C(area) has no value in a batch: the area is that of the whole period",
        ),
    ],
)
def test_what_has_no_batches(options: tuple[str, ...], said: str) -> None:
    done = program("curve", SWIFT, NUGGETS, "--matches", MATCHES, "--topics", TOPICS, *options)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert said in done.err


def zigzag(folder: Path, hits: Sequence[int]) -> str:
    """What is said of an update and a nugget an hour, of which some fit together."""
    rows = [(hour, START + hour * 3600, hit) for hour, hit in enumerate(hits)]
    tables = {
        "mine.tsv": [
            "run\ttopic\tupdate_id\ttime\ttext",
            *(f"mine\tt\tu{h}\t{t}\tu" for h, t, _ in rows),
        ],
        "gold.tsv": [
            "topic\tnugget_id\ttime\timportance\ttext",
            *(f"t\tn{h}\t{t}\t1\tn" for h, t, _ in rows),
        ],
        "matches.tsv": [
            "topic\tupdate_id\tnugget_id",
            *(f"t\tu{h}\tn{h}" for h, _, hit in rows if hit),
        ],
        "topics.tsv": ["topic\tstart", f"t\t{START}"],
    }
    for name, lines in tables.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    inputs = (folder / "mine.tsv", folder / "gold.tsv", "--matches", folder / "matches.tsv")
    options = ("--topics", folder / "topics.tsv", "--topic", "t", "-m", "R")
    return program("curve", *inputs, *options, "--batch", "1h", "--trend").err


class TestWarnings:
    def run(self, *options: str) -> Outcome:
        return program("curve", SWIFT, THOROUGH, *FLOOD, "--batch", "2h", *options)

    def test_without_a_line_there_is_nothing_to_doubt(self) -> None:
        assert "end points" not in self.run().err

    def test_forecasts(self) -> None:
        said = self.run("--trend", "-m", "R").err
        assert "run swift: it sent nothing in the last 7 batches: its end points are" in said
        assert "run thorough" not in said

    def test_forecasts_of_several_topics(self) -> None:
        options = (*FLOOD[:-2], "--batch", "2h", "--trend", "-m", "R", "-q")
        said = program("curve", SWIFT, *options).err
        assert "run swift: it sent nothing in the last batches of ferry (8), flood (7), " in said
        assert "its end points there are forecasts" in said

    def test_residuals_that_swing(self, tmp_path: Path) -> None:
        """A right update in every other hour: R is 1/8, 0, 1/8 ...; d is far above 3."""
        said = zigzag(tmp_path, [1, 0] * 4)
        assert (
            "run mine: residuals that are negatively autocorrelated of R of t (DW 3.6"
        ) in said, said
        assert "errors and p of these lines cannot be trusted" in said

    def test_residuals_that_follow_one_another(self, tmp_path: Path) -> None:
        said = zigzag(tmp_path, [1] * 5 + [0] * 10 + [1] * 5)
        assert "run mine: residuals that are autocorrelated of R of t (DW 0." in said, said

    def test_residuals_of_which_nothing_is_to_be_said(self, tmp_path: Path) -> None:
        assert "residuals" not in zigzag(tmp_path, [1, 1, 0, 1, 0, 0, 1, 1, 0, 0])

    def test_no_line(self) -> None:
        said = program(
            "curve", SWIFT, THOROUGH, *FLOOD, "--batch", "10h", "--trend", "-m", "P Rs"
        ).err
        assert "run swift: no line through P, Rs of flood: it needs 3 batches with values;" in said
        rows = told(SWIFT, *FLOOD, "--batch", "10h", "--trend", "-m", "P")
        found = line(rows, "P")
        assert found == {"batches": 1}

    def test_what_lies_in_no_batch(self, tmp_path: Path) -> None:
        late = tmp_path / "late.tsv"
        rows = [("a", START - 1), ("b", START), ("c", START + 86399), ("d", START + 86400)]
        lines = [f"flood\t{name}\t{time}\ttext" for name, time in rows]
        late.write_text("\n".join(["topic\tupdate_id\ttime\ttext", *lines]) + "\n")
        done = program("curve", late, NUGGETS, "--topics", TOPICS, "--batch", "6h", "-m", "R")
        said = "run late: 2 messages before the first batch of the topic or after the last"
        assert said in done.err


def test_rows_stand_by_run_topic_and_measure_and_lines_under_batches() -> None:
    options = (*FLOOD[:-2], "--batch", "2h", "--trend", "-q", "-m", "Rs R")
    rows = told(THOROUGH, SWIFT, *options)
    assert list(rows[0]) == ["run", "topic", "measure", "time", "hours", "value", "weight"]
    keys = [(row["run"], row["topic"], row["measure"]) for row in rows]
    runs, topics = ("swift", "thorough"), ("ferry", "flood", "mine", "all")
    expected = [(r, t, m) for r in runs for t in topics for m in ("Rs", "R") for _ in range(12)]
    assert keys[: len(expected)] == expected
    lines = keys[len(expected) :]
    assert [key[2] for key in lines if key[:2] == ("thorough", "flood")][:17] == [
        *("batches(Rs)", "slope(Rs)", "se(Rs)", "slope(Rs,per=day)", "se(Rs,per=day)"),
        *("slope(Rs,per=hour)", "se(Rs,per=hour)", "slope(Rs,per=second)", "se(Rs,per=second)"),
        *("t(Rs)", "p(Rs)", "end(Rs)", "end-se(Rs)"),
        *("spearman(Rs)", "AD(Rs)", "AD-p(Rs)", "DW(Rs)"),
    ]
    assert list(dict.fromkeys(key[:2] for key in lines)) == [(r, t) for r in runs for t in topics]
    assert {len([k for k in lines if k[:2] == of]) for of in {k[:2] for k in lines}} == {2, 18, 34}


def test_the_signature_names_the_batch() -> None:
    options = (SWIFT, NUGGETS, "--matches", MATCHES, "--quiet", "-f", "html")
    page = program("curve", *options, "--batch", "2h", "--trend").out
    assert "|batch:2h<" in page
    assert "|batch:" not in program("curve", *options).out


def batch_rows(**changed: object) -> pd.DataFrame:
    nan = math.nan
    values = {"a": [0.2, 0.4, nan, 0.9], "b": [0.1, 0.1, 0.1, 0.1]}
    weights = {"a": [0.5, 0.25, 0.25, 0.0], "b": [0.25] * 4}
    frame = pd.DataFrame(
        [
            (run, "all", "R", float(hour), values[run][hour], weights[run][hour])
            for run in values
            for hour in range(4)
        ],
        columns=["run", "topic", "measure", "hours", "value", "weight"],
    )
    return frame.assign(**changed)  # type: ignore[arg-type]


def line_rows(**changed: object) -> pd.DataFrame:
    nan = math.nan
    frame = pd.DataFrame(
        [
            ("a", "all", "R", 0.5, 3.5, 1.5, 0.2, 0.7, -9.0, 9.0),
            ("b", "all", "R", 0.5, 3.5, 3.5, nan, nan, nan, nan),
        ],
        columns=[
            *("run", "topic", "measure", "from_hours", "to_hours", "until_hours"),
            *("from_value", "to_value", "low", "high"),
        ],
    )
    return frame.assign(**changed)  # type: ignore[arg-type]


WORDS = Words(
    runs=("a", "b"),
    signature="tseval:0.1.0|batch:1h",
    axes={"R": MeasureAxis("recall", higher_is_better=True)},
)


def picture(
    frame: pd.DataFrame | None = None, trend: pd.DataFrame | None = None, length: float = 1.0
) -> Picture:
    return batch_picture(batch_rows() if frame is None else frame, WORDS, length, trend)


class TestPicture:
    def test_a_dot_stands_in_the_middle_of_a_batch_that_is_defined(self) -> None:
        """One that weighs nothing is there, hollow; one that is undefined is not."""
        (panel,) = picture().panels
        assert [each.x for each in panel.dots] == [(0.5, 1.5, 3.5), (0.5, 1.5, 2.5, 3.5)]
        assert panel.dots[0].value == (0.2, 0.4, 0.9)
        assert panel.dots[0].weight == (0.5, 0.25, 0.0)

    def test_lines_and_their_end_points_end_at_the_last_batch(self) -> None:
        (panel,) = picture(trend=line_rows()).panels
        assert panel.lines == (Line(0, (0.5, 3.5), (0.2, 0.7), until=1.5),)
        assert panel.points == (Point(0, 3.5, 0.7, -9.0, 9.0),)
        assert panel.x.high == 4

    def test_a_line_that_is_fitted_to_the_last_batch_foretells_nothing(self) -> None:
        (panel,) = picture(trend=line_rows(until_hours=3.5)).panels
        assert panel.lines[0].until is None

    def test_what_a_batch_cannot_be_is_shaded_unless_one_is(self) -> None:
        axes = {"R": MeasureAxis(possible=(0.0, 1.0))}
        for value, possible in ((0.9, (0.0, 1.0)), (1.2, (0.0, None)), (-0.1, (None, 1.0))):
            words = replace(WORDS, axes=axes)
            (panel,) = batch_picture(batch_rows(value=value), words, 1.0).panels
            assert panel.possible == possible

    def test_a_line_without_an_interval_has_its_end_point(self) -> None:
        (panel,) = picture(trend=line_rows(low=math.nan)).panels
        (point,) = panel.points
        assert (point.value, point.low, point.high) == (0.7, None, None)

    def test_an_interval_does_not_dwarf_the_rest(self) -> None:
        (panel,) = picture(trend=line_rows()).panels
        assert (panel.y.low, panel.y.high) == pytest.approx((-0.45, 0.9 + 0.45))

    def test_dots_alone(self) -> None:
        (panel,) = picture().panels
        assert not panel.lines
        assert not panel.points
        assert (panel.x.high, panel.y.low, panel.y.high) == (4, 0, 0.9)

    def test_days(self) -> None:
        (panel,) = picture(length=500.0).panels
        assert panel.x.title == "days since the topic's start"
        assert panel.dots[0].x[0] == pytest.approx(250 / 24, rel=1e-5)

    @pytest.mark.parametrize("form", ["png", "svg", "html"])
    def test_the_same_bytes_again(self, form: str) -> None:
        assert draw(picture(trend=line_rows()), form) == draw(picture(trend=line_rows()), form)

    def test_words(self) -> None:
        drawn = draw(picture(trend=line_rows()), "svg")
        words = " ".join(ElementTree.fromstring(drawn).itertext())
        for word in ("recall", "higher is better", "mean over topics", "batch:1h"):
            assert word in words

    def test_the_command_draws_what_it_computes(self) -> None:
        """The picture has the values of the table: batches, and the line's ends and interval."""
        options = (THOROUGH, *FLOOD, "-m", "P", "--batch", "4h", "--quiet")
        table = program("curve", *options, "--trend").out
        rows = [line.split(",") for line in table.splitlines()[1:]]
        values = {row[2]: row[5] for row in rows}
        told = [f"{float(row[5]):.4f}" for row in rows if row[2] == "P" and row[5]]
        page = program("curve", *options, "--trend", "-f", "html").out
        cells = re.findall(r'<td class="number">([^<]*)</td>', page)
        assert cells[: len(told)] == told
        end, error = float(values["end(P)"]), float(values["end-se(P)"])
        reach = scipy.stats.t.ppf(0.975, float(values["batches(P)"]) - 2) * error
        wanted = [f"{each:.4f}".replace("-", "−") for each in (end, end - reach, end + reach)]
        assert cells[-3:] == wanted
        assert "no value can lie here" in page  # precision is never below 0
        assert "end point" not in program("curve", *options, "-f", "html").out

    def test_nothing_to_draw(self) -> None:
        (panel,) = picture(batch_rows(value=math.nan), line_rows().iloc[1:]).panels
        assert panel.notice == "no curve to draw"
        assert draw(picture(batch_rows().iloc[:0]), "svg")
