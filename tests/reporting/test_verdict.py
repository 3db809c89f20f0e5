"""The verdict of a report: which run is better, in words, by the edition's primary measure."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tseval
from tests.program import FIXTURES, MATCHES, NUGGETS, SWIFT, THOROUGH, TOPICS
from tests.reporting.visiting import Visit
from tseval.comparison import Plan, compare, read_board
from tseval.core import registry
from tseval.core.measure import parse_measure
from tseval.core.registry import definitions
from tseval.reporting.assembling import Request, assemble, leading_first
from tseval.reporting.content import LEADING, InputRow, Report
from tseval.reporting.page.document import report_page, verdict_section
from tseval.reporting.page.markup import joined
from tseval.reporting.page.verdict import short_paths, without_folders, worded

PLAN = Plan(interval="percentile", resamples=200)


def scores(means: dict[str, dict[str, float]], topics: int = 20, spread: float = 0.01) -> Any:
    """Scores about these means by run and measure: topics differ, in part run by run."""
    draw = np.random.default_rng(7)
    rows = [
        (run, f"t{topic:02}", measure, mean + 0.1 * (topic % 3) + spread * draw.normal())
        for run, own in means.items()
        for measure, mean in own.items()
        for topic in range(topics)
    ]
    return pd.DataFrame(rows, columns=["run", "topic", "measure", "value"])


def report_of(frame: pd.DataFrame, *measures: str, **plan: Any) -> Report:
    return assemble(Request(frame, list(measures), plan=Plan(interval="percentile", **plan)))


def words(report: Report) -> list[str]:
    """The paragraphs of the verdict, without their markup."""
    found = re.findall(r"<p[^>]*>(.*?)</p>", verdict_section(report))
    return [re.sub(r"<[^>]*>", "", each) for each in found]


@pytest.mark.parametrize("name", registry.family_names())
def test_every_edition_names_what_leads_a_report(name: str) -> None:
    for edition in registry.family(name).editions:
        assert 1 <= len(edition.leading) <= LEADING, edition.name
        assert len(set(edition.leading)) == len(edition.leading)
        for measure in edition.leading:
            parse_measure(measure, definitions(name))  # else it is an error


class TestOrder:
    def test_the_primary_measure_comes_first_though_others_are_listed_before(self) -> None:
        measures = registry.edition("ts2014", "temporal").measures
        assert measures[0] == "updates"
        own = dict.fromkeys(measures, 0.5)
        report = report_of(scores({"a": own, "b": own | {"HM": 0.7, "updates": 0.9}}))
        names = [each.name for each in report.measures]
        assert names[:LEADING] == ["HM", "nELG", "LC", "C", "V"]
        assert set(names) == set(measures)
        assert report.leading == LEADING
        assert report.runs == ("b", "a")

    def test_measures_that_are_asked_for_lead_as_they_are_asked_for(self) -> None:
        own = dict.fromkeys(registry.edition("ts2014", "temporal").measures, 0.5)
        report = report_of(scores({"a": own, "b": own}), "V", "HM")
        assert [each.name for each in report.measures] == ["V", "HM"]

    def test_of_scores_of_no_known_edition_the_first_lead(self) -> None:
        own = {"HM": 0.5, "V": 0.5, "mine": 0.5}
        report = report_of(scores({"a": own, "b": own}))
        assert report.leading == 3
        assert report.measures[0].name == "HM"  # as they are defined

    def test_of_several_lengths_of_batches_each_is_what_the_edition_means(self) -> None:
        names = ("F_1", "slope(F_pra,batch=1d)", "end(F_pra,batch=1d)", "end(F_pra,batch=7d)")
        own = {"a": dict.fromkeys(names, 0.4), "b": dict.fromkeys(names, 0.5)}
        board = replace(read_board(scores(own)), families=("filtering",))
        path = "tseval:0.1.0|edition:kenter2015|period:0-9"
        order, leading = leading_first(board, [path], are_chosen=False)
        assert order[:leading] == ["end(F_pra,batch=1d)", "end(F_pra,batch=7d)", names[1], "F_1"]

    def test_a_flag_makes_another_measure(self) -> None:
        names = ("type.F1(actionable)", "type.P", "type.R", "any.F1", "priority.MSE")
        own = {"a": dict.fromkeys(names, 0.4), "b": dict.fromkeys(names, 0.5)}
        board = replace(read_board(scores(own)), families=("incidents",))
        order, leading = leading_first(board, ["tseval:0.1.0|edition:2018"], are_chosen=False)
        assert order[:leading] == list(names[1:])

    def test_the_rest_is_folded(self) -> None:
        own = dict.fromkeys(registry.edition("ts2014", "temporal").measures, 0.5)
        page = report_page(report_of(scores({"a": own, "b": own}))).decode()
        before, folded = page.split("<summary>14 further measures</summary>")
        assert 'href="#m-HM"' in before
        assert 'href="#m-updates"' not in before
        assert 'href="#m-updates"' in folded


class TestNouns:
    """Topics are called what their family calls them, and groups are no topics."""

    def page(self, *measures: str) -> str:
        folder = FIXTURES / "incidents"
        found = tseval.score_incidents(
            [folder / "keen.txt", folder / "shy.tsv"],
            folder / "labels.json",
            folder / "types.json",
            " ".join(measures),
            epochs=folder / "epochs.txt",
        )
        return re.sub(r"<[^>]*>", " ", report_page(report_of(found)).decode())

    def test_events(self) -> None:
        page = self.page("AAW")
        assert "2 runs, 2 events, 1 measure" in page
        assert re.search(r"better on \d of 2 events", page)
        assert "Event by event" in page
        assert "Means over events, each" in page

    def test_information_types(self) -> None:
        page = self.page("type.F1")
        assert "2 runs, 4 information types, 1 measure" in page
        assert re.search(r"(better|worse) on \d of 4 information types", page)
        assert "Information type by information type" in page

    def test_both(self) -> None:
        page = self.page("AAW", "type.F1")
        assert "2 runs, 2 events, 4 information types, 2 measures" in page
        assert "By event or information type" in page
        assert "Means over events or information types, each" in page


class TestWords:
    def test_of_two_runs_the_better_one_with_its_gain_interval_topics_and_p(self) -> None:
        frame = scores({"a": {"R": 0.3, "P": 0.3}, "b": {"R": 0.5, "P": 0.3}})
        report = report_of(frame, "R", "P")
        (found,) = (e for e in compare(frame, interval="percentile").contests if e.measure == "R")
        assert found.run == "a"  # so that its difference is that of the loser
        headline, sure, companions = words(report)
        means = {each.run: each.mean for each in report.measures[0].means}
        assert headline == f"b is better by R: {means[0]:.3f} against {means[1]:.3f}."
        assert sure == (
            f"The gain is +{-found.difference:.3f} with a 95 % interval of +{-found.high:.3f} to "
            f"+{-found.low:.3f}; better on 20 of 20 topics; p\N{NO-BREAK SPACE}{found.p:.2g}, "
            f"corrected {found.adjusted:.2g}."
        )
        assert re.fullmatch(
            r"By P [ab] is ahead of [ab], [\d.]+ against [\d.]+, not significant\.", companions
        )
        (row,) = report.measures[0].listed
        assert (row.run, row.other, row.won, row.lost) == (0, 1, 20, 0)
        assert row.gain == -found.difference

    def test_where_lower_is_better_the_gain_is_positive_too(self) -> None:
        lower = scores({"a": {"V": 3.0}, "b": {"V": 1.0}})
        headline, sure = words(report_of(lower))
        assert headline.startswith("b is better by V: 1.09")
        assert sure.startswith("The gain is +2.0")
        assert "better on 20 of 20 topics" in sure

    def test_runs_that_are_not_told_apart(self) -> None:
        frame = scores({"a": {"R": 0.3}, "b": {"R": 0.301}}, spread=0.1)
        headline, sure = words(report_of(frame))
        assert re.fullmatch(
            r"[ab] and [ab] do not differ significantly by R: [\d.]+ against [\d.]+, "
            r"not significant\.",
            headline,
        )
        assert ", worse on " in sure

    def test_one_run_is_not_better_than_anything(self) -> None:
        report = report_of(scores({"a": {"R": 0.3, "P": 0.5}}))
        page, _, _ = report_page(report).decode().partition("<script")  # which nobody reads
        for said in ("better</h2>", "two runs", "share a letter", "told apart", ">letters<"):
            assert said not in page
        assert "How the run does</h2>" in page
        headline, companions = words(report)
        assert headline.startswith("a has P 0.59")
        assert companions.startswith("R 0.39")

    def test_of_many_runs_who_is_near_the_best_is_named(self) -> None:
        means = {f"r{at:02}": {"R": 0.9 - 0.05 * max(0, at - 1)} for at in range(12)}
        report = report_of(scores(means))
        headline, _, near = words(report)
        best, second = report.runs[:2]
        assert {best, second} == {"r00", "r01"}
        assert headline.startswith(f"By R {best} is first, ")
        assert headline.endswith(
            f" of {second}, but 1 of 11 others shows no significant difference."
        )
        assert near == f"No significant difference from {best} by that measure: {second} (1 of 11)."

    def test_against_a_baseline_the_best_is_held_against_that(self) -> None:
        means = {"a": {"R": 0.3}, "b": {"R": 0.5}, "c": {"R": 0.7}}
        headline, sure, apart = words(report_of(scores(means), baseline="a"))
        assert headline.startswith("c is better by R than a: 0.7")
        assert sure.startswith("The gain over a is +0.4")
        assert apart == "All 2 others differ significantly from a."
        headline, *_ = words(report_of(scores(means), baseline="c"))
        assert headline.startswith("c is better by R than b: 0.7")

    def test_how_many_updates_it_takes_is_told(self, tmp_path: Path) -> None:
        path = tmp_path / "scores.json"
        tseval.score([SWIFT, THOROUGH], NUGGETS, MATCHES, topics=TOPICS).save(path)
        report = assemble(Request([str(path)], plan=PLAN))
        assert report.volume == ("updates", (23, 10))
        assert words(report)[-1] == "thorough says 130 % more updates: 23 against 10."
        turned = assemble(Request([str(path)], ["P"], plan=PLAN))
        assert words(turned)[-1] == "swift says 57 % fewer updates: 10 against 23."


class TestGroups:
    def test_more_than_ten_runs_have_bars_in_place_of_letters(self) -> None:
        means = {f"r{at:02}": {"R": 0.9 - 0.05 * max(0, at - 1)} for at in range(12)}
        report = report_of(scores(means))
        page = report_page(report).decode()
        assert ">letters<" not in page
        assert ">groups<" in page
        (board,) = report.measures
        best = set(board.means[0].letters or "")
        near = sum(bool(best & set(row.letters or "")) for row in board.means)
        assert page.count('aria-label="not told apart from the best"') == near == 2
        assert page.count('aria-label="told apart from the best"') == 10
        bars = near + sum(len(set(row.letters or "") - best) for row in board.means)
        assert len(re.findall(r"<rect[^>]*height=\"22\"", page)) == bars

    def test_ten_runs_have_letters(self) -> None:
        means = {f"r{at:02}": {"R": 0.9 - 0.05 * at} for at in range(10)}
        page = report_page(report_of(scores(means))).decode()
        assert ">letters<" in page
        assert ">groups<" not in page

    def test_each_difference_from_the_best_stands_with_its_interval(self) -> None:
        frame = scores({f"r{at:02}": {"R": 0.9 - 0.05 * at} for at in range(12)})
        (board,) = report_of(frame).measures
        found = {frozenset((e.run, e.other)): e for e in compare(frame).contests}
        assert [each.run for each in board.against] == [0] * 11
        assert [each.other for each in board.against] == list(range(1, 12))
        names = report_of(frame).runs
        for each in board.against:
            own = found[frozenset((names[each.run], names[each.other]))]
            assert each.gain == abs(own.difference or 0)

    @pytest.mark.parametrize(
        ("number", "others"), [(11, []), (12, ["and 1 other"]), (30, ["and 19 others"])]
    )
    def test_ten_stand_and_the_others_are_folded(self, number: int, others: list[str]) -> None:
        means = {f"r{at:02}": {"R": 0.9 - 0.02 * at} for at in range(number)}
        verdict = verdict_section(report_of(scores(means)))
        assert re.findall(r"<details><summary>(.*?)</summary>", verdict) == others
        head = re.compile(r'<th scope="row"><bdi class="run">(.*?)</bdi>')
        runs = [head.findall(part) for part in verdict.split("<details>")]
        names = [f"r{at:02}" for at in range(1, number)]
        assert runs == [names[:10], names[10:]][: 1 + len(others)]


class TestNames:
    """On a telephone a run's name stands whole, or, where it has no room, wraps late."""

    NAMES = ("team-system-with-cos-01", "b-" * 20 + "end")

    def test_names_do_not_break_where_they_fit(self, chromium: Any, tmp_path: Path) -> None:
        frame = scores({name: {"R": 0.9 - 0.1 * at} for at, name in enumerate([*self.NAMES, "c"])})
        runs = ("c", *self.NAMES)
        warnings = tuple(f"run {run}: {3 + at} updates are late" for at, run in enumerate(runs))
        path = tmp_path / "report.html"
        report = report_of(frame)
        path.write_bytes(report_page(replace(report, warnings=warnings, doubts=())))
        visit = Visit(chromium, path, viewport={"width": 400, "height": 900})
        lines = "all => all.map((each) => each.getClientRects().length)"
        short = visit.page.locator("bdi.run:not(.long):visible")
        assert set(short.evaluate_all(lines)) == {1}
        assert {self.NAMES[0], "c"} == set(short.all_inner_texts())
        wide = visit.page.locator("tbody th .long.run:visible").first.bounding_box()
        assert wide["width"] >= 160
        # What is said of three runs is one warning, whose numbers stay with their runs.
        warning = visit.page.locator("#warnings li")
        assert warning.inner_text() == (
            f"3 runs: updates are late (c\u00a03, {self.NAMES[0]}\u00a04, {self.NAMES[1]}\u00a05)"
        )
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= 400
        visit.check()


class TestWarnings:
    def test_each_stands_once_and_those_of_the_verdict_stand_there(self, tmp_path: Path) -> None:
        path = tmp_path / "scores.json"
        tseval.score([SWIFT, THOROUGH], NUGGETS, MATCHES, topics=TOPICS).save(path)
        report = assemble(Request([str(path)], plan=PLAN))
        verdict = verdict_section(report)
        page = report_page(report).decode()
        assert report.doubts
        assert set(report.doubts) <= set(report.warnings)
        doubts = [joined([each]) for each in worded(report.doubts, report)]
        for each in worded(report.warnings, report):
            shown = joined([each])
            assert page.count(f"<li>{shown}</li>") == 1
            assert (f"<li>{shown}</li>" in verdict) == (shown in doubts)


class TestFolders:
    def test_a_page_tells_no_folder_of_the_machine_it_was_made_on(self, tmp_path: Path) -> None:
        path = tmp_path / "scores.json"
        tseval.score([SWIFT, THOROUGH], NUGGETS, MATCHES, topics=TOPICS).save(path)
        report = assemble(Request([str(path)], plan=PLAN))
        assert any(Path(row.path).is_absolute() for row in report.inputs)
        page = report_page(report).decode()
        assert str(Path(SWIFT).parent) not in page
        assert str(tmp_path) not in page
        assert "<bdi>swift.tsv</bdi>" in page

    def test_files_of_one_name_are_told_apart(self) -> None:
        paths = ["/a/b/x.tsv", "/a/c/x.tsv", "/a/c/y.tsv", r"C:\\runs\\z.tsv", "runs/x.tsv"]
        assert short_paths(paths) == {
            "/a/b/x.tsv": "b/x.tsv",
            "/a/c/x.tsv": "c/x.tsv",
            "/a/c/y.tsv": "y.tsv",
            r"C:\\runs\\z.tsv": "z.tsv",
        }

    def test_warnings_name_files_as_the_table_does(self) -> None:
        report = report_of(scores({"a": {"R": 0.3}, "b": {"R": 0.5}}))
        row = InputRow("run", "/home/me/x.tsv", "0" * 64, 3)
        told = Report(**{**vars(report), "inputs": (row,), "warnings": ("/home/me/x.tsv:3: odd",)})
        shown = without_folders(told)
        assert shown.inputs[0].path == "x.tsv"
        assert shown.warnings == ("x.tsv:3: odd",)
