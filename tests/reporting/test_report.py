"""What a report says: scores, curves with bands, timelines, what runs spent, and where from."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tseval
from tests import cases
from tests.program import MATCHES, NUGGETS, SWIFT, THOROUGH, TOPICS
from tseval.comparison import Plan, Treatment, compare
from tseval.core.blocks import Searched, Timeline, Timelines
from tseval.core.calling import CommonOptions, evaluated
from tseval.core.curves import change_times, curves, sampled
from tseval.families.temporal.evaluation import (
    TemporalEvaluation,
    TemporalInputs,
    TemporalOptions,
)
from tseval.families.temporal.family import FAMILY
from tseval.io.inputs import InputRecord
from tseval.io.scores import Provenance
from tseval.matching.matching import get_matcher, word_spans
from tseval.parallel.sharing import Progress
from tseval.reporting.assembling import Request, assemble
from tseval.reporting.content import Report
from tseval.reporting.curves import drawn_times
from tseval.reporting.inputs import recorded, report_inputs, role_of

pytestmark = pytest.mark.small_times

BECAME, PER_NUGGET = "what became of them", "words a nugget said"
PERCENTILE = Plan(interval="percentile", resamples=200)
"""Three topics give this interval; the studentised one asks for more."""


def unwatched(_: str) -> AbstractContextManager[Progress | None]:
    return nullcontext(None)


BOTH = [SWIFT, THOROUGH]
GOLD = {"nuggets": NUGGETS, "matches": MATCHES, "topics": TOPICS}


def evaluation() -> TemporalEvaluation:
    found: TemporalEvaluation = evaluated(
        FAMILY, TemporalInputs(BOTH, NUGGETS, MATCHES, TOPICS), TemporalOptions()
    )
    return found


def economy(report: Report) -> dict[str, dict[str, Any]]:
    """What each run spent, by what it is called."""
    table = report.section("economy").tables[0]
    heads = [each.head for each in table.heads]
    return {report.runs[row[0]]: dict(zip(heads[1:], row[1:], strict=True)) for row in table.rows}


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scores") / "scores.json"
    found = tseval.score([SWIFT, THOROUGH], NUGGETS, MATCHES, measures="P R@6h T", topics=TOPICS)
    found.save(path)
    return path


@pytest.fixture(scope="module")
def report(scores: Path) -> Report:
    return assemble(Request([str(scores)], plan=PERCENTILE), unwatched)


def timeline(report: Report, topic: str) -> Timeline:
    return next(each for each in report.timelines if each.topic == topic)


class TestScores:
    def test_runs_are_ordered_by_the_first_measure(self, report: Report, scores: Path) -> None:
        assert report.runs == ("swift", "thorough")  # by R@6h
        turned = assemble(Request([str(scores)], ["T"], plan=PERCENTILE), unwatched)
        assert [each.name for each in turned.measures] == ["T"]
        assert turned.runs == ("swift", "thorough")  # -0.27 and -3.8 hours

    def test_every_topic_has_its_score_and_none_where_it_is_undefined(self, report: Report) -> None:
        (board,) = (each for each in report.measures if each.name == "P")
        cells = dict(zip(report.topics, board.cells, strict=True))
        assert cells["ferry"] == (1.8, 1.25)
        assert cells["mine"] == (None, pytest.approx(1.1666666666666667))

    def test_means_intervals_and_letters_are_those_of_the_comparison(
        self, report: Report, scores: Path
    ) -> None:
        found = compare([str(scores)], interval="percentile", resamples=200)
        for board in report.measures:
            wanted = [each for each in found.standings if each.measure == board.name]
            assert [
                (report.runs[r.run], r.mean, r.low, r.high, r.letters) for r in board.means
            ] == [(each.run, each.mean, each.low, each.high, each.letters) for each in wanted]
        assert report.signature == found.signature

    def test_a_baseline_is_told(self, scores: Path) -> None:
        plan = replace(PERCENTILE, baseline="thorough")
        report = assemble(Request([str(scores)], plan=plan), unwatched)
        assert report.baseline == report.runs.index("thorough")
        marks = {report.runs[row.run]: row.differs for row in report.measures[0].means}
        assert marks == {"swift": False, "thorough": None}

    def test_definitions_are_those_of_the_scores_family(self, report: Report) -> None:
        # `P` is a measure of filtering too, perhaps; these are scores of the draft.
        assert [term.name for term in report.terms] == ["R@6h", "P", "T"]
        entries = dict(report.terms[0].entries)
        assert entries["taken at"] == "6h"
        assert "Draft Metrics" in entries["citation"]

    def test_downloads_hold_the_scores_in_full(self, report: Report, tmp_path: Path) -> None:
        files = {each.name: each.content for each in report.downloads}
        path = tmp_path / "scores.csv"
        path.write_bytes(files["scores.csv"])
        frame = pd.read_csv(path)
        assert list(frame) == ["run", "topic", "measure", "value"]
        assert len(frame) == 2 * 3 * 3
        assert (
            frame.query("run == 'swift' and topic == 'mine' and measure == 'P'").value.isna().all()
        )
        assert b"letters" in files["means.csv"]
        assert b"adjusted" in files["pairs.csv"]


class TestCurves:
    def test_a_value_is_that_of_the_curve_just_after_each_time(self) -> None:
        prepared = evaluation()
        wanted = [tseval.measure("P")]
        seconds = change_times(prepared, wanted)
        values, defined = sampled(prepared, wanted[0], seconds)
        for curve in curves(prepared, wanted, prepared.index.topics):
            own = (prepared.index.runs.index(curve.run), prepared.index.topics.index(curve.topic))
            places = np.searchsorted(seconds, curve.hours * 3600)
            assert np.array_equal(defined[own][places], curve.values.defined)
            there = curve.values.defined
            assert np.allclose(values[own][places][there], curve.values.value[there])

    def test_the_last_value_and_band_are_the_mean_and_its_interval(self, report: Report) -> None:
        panels = {panel.title: panel for panel in report.section("curves").panels}
        for board in report.measures:
            if "@" in board.name:
                continue
            last = {
                line.run: (line.value[-1], line.low[-1], line.high[-1])
                for line in panels[board.name].lines
            }
            for row in board.means:
                assert last[row.run] == pytest.approx((row.mean, row.low, row.high))

    @pytest.mark.parametrize("rule", ["zero", "skip"])
    def test_topics_that_a_run_lacks_count_as_in_the_table(self, tmp_path: Path, rule: str) -> None:
        path = tmp_path / "scores.json"
        runs = [SWIFT, THOROUGH]  # swift lacks one topic of three
        tseval.score(runs, NUGGETS, MATCHES, "assessed", "R", on_missing="skip").save(path)
        request = Request([str(path)], treatment=Treatment(on_missing=rule), plan=PERCENTILE)
        report = assemble(request, unwatched)
        means = {row.run: row.mean for row in report.measures[0].means}
        assert {
            line.run: line.value[-1] for line in report.section("curves").panels[0].lines
        } == pytest.approx(means)
        wanted = {"zero": 0.55, "skip": 0.825}[rule]  # (.75 + .9) by three, or by two
        assert means[report.runs.index("swift")] == pytest.approx(wanted)

    def test_bands_are_intervals_at_each_time(self, report: Report) -> None:
        prepared = evaluation()
        panel = next(panel for panel in report.section("curves").panels if panel.title == "R")
        seconds = np.array(panel.places) * 3600
        values, _ = sampled(prepared, tseval.measure("R"), seconds)
        for line in panel.lines:
            own = values[prepared.index.runs.index(report.runs[line.run])]
            for place in range(0, len(seconds), 5):
                # The same draws as for any three topics of these names.
                scores = pd.DataFrame(
                    {
                        "run": "r",
                        "topic": prepared.index.topics,
                        "measure": "R",
                        "value": own[:, place],
                    }
                )
                (wanted,) = compare(scores, interval="percentile", resamples=200).standings
                found = line.value[place], line.low[place], line.high[place]
                assert found == pytest.approx((wanted.mean, wanted.low, wanted.high))

    def test_a_measure_with_a_time_has_the_curve_of_all_times_once(self, report: Report) -> None:
        assert [panel.title for panel in report.section("curves").panels] == ["R", "P", "T"]

    def test_too_many_times_are_told_at_even_ones(self) -> None:
        seconds = np.sort(np.random.default_rng(0).uniform(0, 9000, 1000))
        told = drawn_times(seconds)
        assert len(told) == 160
        assert told[-1] == seconds[-1]
        assert np.ptp(np.diff(told)) < 1e-6
        assert np.array_equal(drawn_times(seconds[:160]), seconds[:160])


class TestTimelines:
    def test_nuggets_go_by_time_with_their_hours(self, report: Report) -> None:
        ferry = timeline(report, "ferry")
        assert [(each.name, each.hours) for each in ferry.nuggets] == [
            ("ferry-n1", 1.0),
            ("ferry-n2", 1.0),
            ("ferry-n3", 4.0),
            ("ferry-n4", 5.0),
            ("ferry-n5", 12.0),
            ("ferry-n6", 15.0),
        ]

    def test_first_and_repeated_sayings_are_told_apart(self, report: Report) -> None:
        ferry = timeline(report, "ferry")
        third = [each for each in ferry.sayings if each.nugget == 2]
        assert [(ferry.updates[each.update].name, each.first) for each in third] == [
            ("sw-ferry-4", True),
            ("sw-ferry-5", False),
            ("th-ferry-4", True),
            ("th-ferry-6", False),
            ("th-ferry-8", False),
        ]

    def test_what_nobody_says_has_no_saying(self, report: Report) -> None:
        ferry = timeline(report, "ferry")
        assert not [each for each in ferry.sayings if ferry.nuggets[each.nugget].name == "ferry-n6"]

    def test_words_are_where_the_text_has_them(self, report: Report) -> None:
        flood = timeline(report, "flood")
        said = next(
            each for each in flood.sayings if flood.updates[each.update].name == "sw-flood-1"
        )
        text = flood.updates[said.update].text
        words = " ".join(text[start:end] for start, end in said.words)
        assert words == "River Osk burst its banks in Tarrin"

    def test_stretches_that_touch_or_overlap_are_one(self) -> None:
        nuggets = pd.read_csv(NUGGETS, sep="\t")
        updates = pd.concat(pd.read_csv(run, sep="\t") for run in BOTH)
        rows = pd.read_csv(MATCHES, sep="\t").merge(updates, on=["topic", "update_id"])
        rows = rows.merge(nuggets, on=["topic", "nugget_id"], suffixes=("", "_of_nugget"))
        texts = list(zip(rows.text, rows.text_of_nugget, strict=True))
        spans = list(word_spans(get_matcher("grams"), texts, list(nuggets.text)))
        assert any(spans)
        for each in spans:
            assert all(end < start for (_, end), (start, _) in pairwise(each))
            assert all(start < end for start, end in each)

    def test_a_matcher_in_the_place_of_matches(self, scores: Path) -> None:
        given = report_inputs(
            {"updates": BOTH, "nuggets": NUGGETS, "topics": TOPICS, "matcher": "exact"}
        )
        report = assemble(Request([str(scores)], beside=given, plan=PERCENTILE), unwatched)
        assert [warning for warning in report.warnings if "matcher, matches differ" in warning]


class TestEconomy:
    def test_updates_are_counted_by_what_became_of_them(self, report: Report) -> None:
        parts = {run: (row["updates"], row[BECAME]) for run, row in economy(report).items()}
        assert parts == {"swift": (10, (7, 1, 2)), "thorough": (23, (11, 7, 5))}

    def test_words_are_those_of_the_texts(self, report: Report) -> None:
        texts = pd.read_csv(SWIFT, sep="\t").text
        words = texts.str.split().str.len().sum()
        swift = economy(report)["swift"]
        assert swift["words an update"] == pytest.approx(words / 10)
        assert swift[PER_NUGGET] == pytest.approx(words / 8)  # flood-n1 to n4, ferry-n1 to n4

    def test_what_went_wrong_has_as_many_rows_as_became_of_updates(self, report: Report) -> None:
        (block,) = report.section("wrong").blocks
        assert isinstance(block, Searched)
        totals = {each.name: each.total for each in block.lists}
        parts = [row[BECAME] for row in economy(report).values()]
        assert totals["Repeats"] == sum(part[1] for part in parts)
        assert totals["Noise"] == sum(part[2] for part in parts)
        assert (totals["Missed"], totals["Late"]) == (8, 17)
        missed = block.lists[0].table.column("runs")
        runs = [report.runs[run] for own in missed for run in own]
        assert (runs.count("swift"), runs.count("thorough")) == (8, 2)

    def test_verbosity_needs_spans(self, report: Report, tmp_path: Path, scores: Path) -> None:
        assert "V" not in economy(report)["swift"]
        matches = pd.read_csv(MATCHES, sep="\t").assign(start=0, end=5)
        path = tmp_path / "matches.tsv"
        matches.to_csv(path, sep="\t", index=False)
        found = with_runs(scores, matches=str(path))
        verbosity = tseval.score(BOTH, NUGGETS, str(path), measures="V", topics=TOPICS)
        for run, row in economy(found).items():
            assert row["V"] == verbosity.value("V", run=run)

    def test_verbosity_goes_by_the_rules_of_the_scores(self, tmp_path: Path) -> None:
        matches = pd.read_csv(MATCHES, sep="\t").assign(start=0, end=5)
        path = tmp_path / "matches.tsv"
        matches.to_csv(path, sep="\t", index=False)
        rules = {"words": "blanks", "reward": "binary"}  # V reads the first, and not the other
        scores = tseval.score(
            BOTH, NUGGETS, str(path), measures="EG V", topics=TOPICS, edition="ts", rules=rules
        )
        saved = tmp_path / "scores.json"
        scores.save(saved)
        for run, row in economy(tseval.report(saved).report).items():
            assert row["V"] == scores.value("V", run=run)

    def test_words_of_updates_without_a_text_are_not_known(
        self, tmp_path: Path, scores: Path
    ) -> None:
        updates = pd.read_csv(SWIFT, sep="\t")
        updates.loc[updates.update_id == "sw-flood-5", "text"] = ""
        path = tmp_path / "swift.tsv"
        updates.to_csv(path, sep="\t", index=False)
        swift = economy(with_runs(scores, updates=[str(path), THOROUGH]))["swift"]
        words = updates.text.str.split().str.len().sum()
        assert swift["words an update"] == pytest.approx(words / 9)
        assert swift[PER_NUGGET] is None


def with_runs(scores: Path, **other: Any) -> Report:
    """The report with runs and gold beside the scores."""
    given = report_inputs({"updates": BOTH, **GOLD, **other})
    return assemble(Request([str(scores)], beside=given, plan=PERCENTILE), unwatched)


def marked_words(tmp_path: Path, scores: Path, matches: pd.DataFrame, update: str) -> list[str]:
    """The words that are marked in an update, with these matches."""
    path = tmp_path / "matches.tsv"
    matches.to_csv(path, sep="\t", index=False)
    found = with_runs(scores, matches=str(path))
    return [
        topic.updates[each.update].text[start:end]
        for topic in found.timelines
        for each in topic.sayings
        if topic.updates[each.update].name == update
        for start, end in each.words
    ]


def test_spans_of_assessors_are_marked_as_a_whole(tmp_path: Path, scores: Path) -> None:
    matches = pd.read_csv(MATCHES, sep="\t")
    matches = matches.assign(start=4, end=22)
    assert marked_words(tmp_path, scores, matches, "sw-ferry-2") == ["Heron carried 212 "]
    # A span beyond the text ends with it; one that says nothing leaves the words to the matcher.
    beyond = matches.assign(end=999)
    assert marked_words(tmp_path, scores, beyond, "sw-ferry-2") == [
        "Heron carried 212 passengers and 18 crew"
    ]
    empty = matches.assign(end=4)
    assert marked_words(tmp_path, scores, empty, "sw-ferry-2")[:2] == ["Sea", "Heron"]


def test_places_in_bytes_are_told_in_characters(tmp_path: Path) -> None:
    text = "ä\U0001f30aöx"  # 2, 4, 2 and 1 bytes
    spans = {"a": (2, 8), "b": (0, 9), "c": (3, 9)}
    updates = pd.DataFrame([("t", name, 2e9, text) for name in spans])
    updates.columns = pd.Index(["topic", "update_id", "time", "text"])
    nuggets = pd.DataFrame([("t", name, 2e9, "nothing alike") for name in spans])
    nuggets.columns = pd.Index(["topic", "nugget_id", "time", "text"])
    matches = pd.DataFrame([("t", each, each, *span, 0) for each, span in spans.items()])
    matches.columns = pd.Index(
        ["query_id", "update_id", "nugget_id", "match_start", "match_end", "auto_p"]
    )
    matches.to_csv(tmp_path / "matches.tsv", sep="\t", index=False)
    inputs = TemporalInputs([updates], nuggets, tmp_path / "matches.tsv")
    found = cases.read(inputs, CommonOptions(edition="ts", rules={"encoding": "bytes"}))
    (block,) = cases.section(found, "timeline")
    assert isinstance(block, Timelines)
    words = [saying.words for saying in block.topics[0].sayings]
    assert words == [((1, 3),), ((0, 4),), ((1, 4),)]  # a cut character is none


class TestWhereFrom:
    def test_inputs_are_named_by_what_they_were(self, report: Report) -> None:
        named = {Path(row.path).name: row.role for row in report.inputs}
        assert named == {
            "scores.json": "scores",
            "swift.tsv": "run",
            "thorough.tsv": "run",
            "nuggets.tsv": "nuggets",
            "matches.tsv": "matches",
            "topics.tsv": "topics",
        }
        assert role_of({"nuggets": "sha256:abc", "cost": "1"}, "abcd") == "nuggets"
        assert role_of({"nuggets": "sha256:abc", "cost": "1"}, "bcd") == "run"

    def test_scores_without_a_record_lack_what_only_runs_have(self, tmp_path: Path) -> None:
        path = tmp_path / "scores.csv"
        tseval.score([SWIFT, THOROUGH], NUGGETS, MATCHES).save(path)
        report = assemble(Request([str(path)], plan=PERCENTILE), unwatched)
        assert [each.name for each in report.sections] == ["curves", "timeline", "wrong", "economy"]
        assert all("--updates" in each.lack for each in report.sections)
        assert not any(each.blocks for each in report.sections)

    @pytest.mark.parametrize(
        ("change", "said"), [("more", "has changed"), ("gone", "is not there")]
    )
    def test_recorded_files_must_be_what_they_were(
        self, tmp_path: Path, change: str, said: str
    ) -> None:
        own = tmp_path / "nuggets.tsv"
        own.write_bytes(Path(NUGGETS).read_bytes())
        path = tmp_path / "scores.json"
        tseval.score([SWIFT], str(own), MATCHES).save(path)
        if change == "gone":
            own.unlink()
        else:
            own.write_bytes(own.read_bytes() + b"mine\tmine-n5\t1700535600\tmore\t1\n")
        report = assemble(Request([str(path)], plan=PERCENTILE), unwatched)
        assert said in report.section("timeline").lack

    def test_scores_by_different_gold_have_no_timeline_in_common(self, tmp_path: Path) -> None:
        for name, run, matcher in (("a", SWIFT, "exact"), ("b", THOROUGH, "fuzzy")):
            tseval.score(run, NUGGETS, matcher=matcher).save(tmp_path / f"{name}.json")
        paths = [str(tmp_path / f"{name}.json") for name in "ab"]
        report = assemble(Request(paths, plan=PERCENTILE), unwatched)
        assert "different gold or rules" in report.section("curves").lack

    def test_scores_in_several_files_of_one_gold_do(self, tmp_path: Path) -> None:
        for name, run in (("a", SWIFT), ("b", THOROUGH)):
            tseval.score(run, NUGGETS, MATCHES).save(tmp_path / f"{name}.json")
        paths = [str(tmp_path / f"{name}.json") for name in "ab"]
        report = assemble(Request(paths, plan=PERCENTILE), unwatched)
        assert not any(each.lack for each in report.sections)
        assert {line.run for line in report.section("curves").panels[0].lines} == {0, 1}

    def test_rules_and_matcher_come_from_the_signature(self) -> None:
        signature = "tseval:0.1.0|edition:draft|matcher:fuzzy(word=80)|rules:a=b,c=d"
        traits = dict(part.split(":", 1) for part in signature.split("|"))
        assert FAMILY.report is not None
        retold = FAMILY.report.retold
        assert retold is not None
        assert retold(traits).matcher == "fuzzy(word=80)"
        assert retold({"matcher": "assessed", "matches": "sha256:ab"}).matcher is None

    def test_scores_of_another_family_record_no_timeline(self) -> None:
        told = Provenance(
            "tseval:0.1.0|edition:note|labels:sha256:ab", (InputRecord("x", lambda: "ab", 1),), ()
        )
        assert recorded([told], FAMILY) == (None, "")

    def test_a_run_of_the_updates_without_scores_is_told(self, tmp_path: Path) -> None:
        path = tmp_path / "scores.csv"
        tseval.score(SWIFT, NUGGETS, MATCHES, topics=TOPICS).save(path)
        report = with_runs(path)
        assert report.runs == ("swift", "thorough")
        assert "run thorough: it has no scores here" in report.warnings
        assert all(row[1] is None for row in report.measures[0].cells)

    def test_what_is_not_as_tseval_writes_it_is_passed_over(self, tmp_path: Path) -> None:
        path = tmp_path / "scores.json"
        record = {"run": "a", "topic": "t", "measure": "P", "value": 1}
        content = {
            "signature": 7,
            "inputs": ["x", {"path": "p"}, {"path": "p", "sha256": "ab", "rows": 3}],
            "warnings": {"not": "a list"},
            "records": [record],
        }
        path.write_text(json.dumps(content))
        report = assemble(Request([str(path)]), unwatched)
        assert (report.runs, report.scored, report.warnings) == (("a",), (), ())
        assert [(each.path, each.sha256, each.rows) for each in report.inputs[1:]] == [
            ("p", "ab", 3)
        ]

    def test_other_forms_tell_nothing(self, tmp_path: Path) -> None:
        path = tmp_path / "scores.csv"
        tseval.score(SWIFT, NUGGETS, MATCHES).save(path)
        report = assemble(Request([str(path)]), unwatched)
        assert (report.scored, [each.path for each in report.inputs]) == ((), [str(path)])


def test_means_over_types_are_the_scores_of_incidents(tmp_path: Path) -> None:
    names = ("ontology.json", "labels.tsv", "run.tsv", "other.tsv")
    ontology, labels, run, other = (tmp_path / name for name in names)
    types = ("Request-Rescue", "Report-Weather", "Other-Advice")
    ontology.write_text(
        json.dumps({"informationTypes": [{"id": n, "desc": "", "level": "x"} for n in types]})
    )
    rows = [(f"e{n % 3}", f"p{n}", n) for n in range(30)]
    levels = ("Unknown", "Low", "Medium", "High")
    labels.write_text(
        "topic\tpost_id\tlevel\ttypes\ttime\n"
        + "".join(f"{e}\t{p}\t{levels[n % 4]}\t{types[n % 3]}\t{n}\n" for e, p, n in rows)
    )
    for path, shift in ((run, 1), (other, 2)):
        path.write_text(
            "topic\tpost_id\tpriority\ttypes\n"
            + "".join(f"{e}\t{p}\t{n % 10 / 10}\t{types[n * shift // 2 % 3]}\n" for e, p, n in rows)
        )
    scores = tseval.score_incidents([str(run), str(other)], [str(labels)], str(ontology))
    scores.save(tmp_path / "scores.json")
    given = report_inputs(
        {"runs": [str(run), str(other)], "labels": str(labels), "ontology": ontology}
    )
    request = Request([str(tmp_path / "scores.json")], plan=PERCENTILE, beside=given)
    report = assemble(request, unwatched)
    by_type = [board for board in report.measures if board.name.startswith("type.")]
    assert by_type
    for board in by_type:
        for row in board.means:
            value = scores.value(board.name, run=report.runs[row.run])
            assert row.mean == pytest.approx(value), board.name
    alerts = next(board for board in report.measures if board.name == "AAW")
    assert {row.topics for row in alerts.means} == {3}
    table = report.section("types").tables[0]
    assert {kind.removesuffix(" *") for kind in table.column("type")} == set(types)


FAMILIES_LOADED = """
import sys
{call}
print({{name.split(".")[2] for name in sys.modules if name.startswith("tseval.families.")}})
"""
CALLS = (
    "import tseval; tseval.report(sys.argv[1])",
    "from tseval.cli import cli; "
    "cli(['report', sys.argv[1], '-o', sys.argv[2], '--quiet'], standalone_mode=False)",
)


@pytest.mark.parametrize("call", CALLS, ids=["Python", "command"])
def test_a_report_of_temporal_scores_loads_no_other_family(
    scores: Path, tmp_path: Path, call: str
) -> None:
    program = FAMILIES_LOADED.format(call=call)
    given = [sys.executable, "-c", program, str(scores), str(tmp_path / "report.html")]
    done = subprocess.run(given, capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == "{'temporal'}\n"
