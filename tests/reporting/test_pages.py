"""`tseval.report`: the same page as the command's, byte for byte, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import tseval
from tests.program import FIXTURES, MATCHES, NUGGETS, SWIFT, THOROUGH, TOPICS
from tests.program import tseval as program
from tseval.reporting.api import Page
from tseval.reporting.inputs import report_inputs

pytestmark = pytest.mark.small_times

FILTER = FIXTURES / "filter"
STREAM = FIXTURES / "incidents"
RUNS = [SWIFT, THOROUGH]
TYPES = STREAM / "types.json"
LABELS = "topic\tpost_id\tlevel\ttypes\ttime\nflood\tf1\tHigh\tNews\t1\nquake\tq1\tLow\t\t2\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scores of three families."""
    made = tmp_path_factory.mktemp("pages")
    (made / "labels.tsv").write_text(LABELS)
    temporal = ("score", *RUNS, NUGGETS, "--matches", MATCHES, "-q", "--quiet")
    of_incidents = ("incidents", STREAM / "keen.txt", STREAM / "shy.tsv", made / "labels.tsv")
    filtered = (FILTER / "steady.tsv", FILTER / "improving.tsv", FILTER / "truth.tsv")
    for name, given in {
        "scores.json": temporal,
        "scores.csv": temporal,
        "incidents.json": (*of_incidents, "--ontology", TYPES, "-q", "--quiet"),
        "filter.json": ("filter", *filtered, "-m", "end(F_pra) F_1", "-q", "--quiet"),
    }.items():
        done = program(*given, "-o", made / name)
        assert done.code == 0, done.err
    return made


def of_the_command(*arguments: object) -> bytes:
    done = program("report", *arguments, "--quiet")
    assert done.code == 0, done.err
    return done.output


def test_scores_that_record_their_inputs(folder: Path) -> None:
    page = tseval.report(str(folder / "scores.json"))
    assert page.html == of_the_command(folder / "scores.json")
    assert b'id="economy"' in page.html


def test_runs_and_gold_beside(folder: Path) -> None:
    page = tseval.report(
        [folder / "scores.csv"],
        "R P",
        title="Floods",
        updates=RUNS,
        nuggets=NUGGETS,
        matches=MATCHES,
        topics=TOPICS,
        rules={"matched-nuggets-only": "yes"},
        baseline="swift",
        test="t",
        curves="P",
        seed=3,
        on_missing="skip",
    )
    options: tuple[str, ...] = (
        "--updates",
        SWIFT,
        "--updates",
        THOROUGH,
        "--nuggets",
        NUGGETS,
        "--matches",
    )
    options += (MATCHES, "--topics", TOPICS, "--matched-nuggets-only", "--baseline", "swift")
    more = (
        "--test",
        "t",
        "--seed",
        3,
        "--on-missing",
        "skip",
        "--title",
        "Floods",
        "-m",
        "R P",
        "--curve",
        "P",
    )
    assert page.html == of_the_command(folder / "scores.csv", *options, *more)


def test_incident_streams(folder: Path) -> None:
    runs, labels = [STREAM / "keen.txt", STREAM / "shy.tsv"], folder / "labels.tsv"
    given: dict[str, Any] = {"runs": runs, "labels": labels, "ontology": TYPES, "events": "flood"}
    page = tseval.report(folder / "incidents.json", **given)
    options = ("--run", runs[0], "--run", runs[1], "--labels", labels, "--ontology", TYPES)
    assert page.html == of_the_command(folder / "incidents.json", *options, "--event", "flood")
    assert b'id="types"' in page.html


def test_filtering(folder: Path) -> None:
    runs, truth = [FILTER / "steady.tsv", FILTER / "improving.tsv"], FILTER / "truth.tsv"
    page = tseval.report(folder / "filter.json", runs=runs, truth=truth, batch="2d", cutoff=100)
    options = ("--run", runs[0], "--run", runs[1], "--truth", truth, "--batch", "2d")
    assert page.html == of_the_command(folder / "filter.json", *options, "--cutoff", 100)


def test_scores_and_tables_in_memory() -> None:
    """The inputs that scores in memory record are used, and called what they are."""
    scores = tseval.score(RUNS, NUGGETS, MATCHES)
    page = tseval.report(scores)
    assert [row.role for row in page.report.inputs] == ["run", "run", "nuggets", "matches"]
    assert page.report.section("curves").panels
    swift = pd.read_csv(SWIFT, sep="\t")
    nuggets = pd.read_csv(NUGGETS, sep="\t")
    other = tseval.report(scores.frame(), updates=swift, nuggets=nuggets, matcher="exact")
    assert other.report.timelines
    assert other.report.inputs[0].path == "<scores>"


def test_processes_make_the_same_page(folder: Path) -> None:
    given: dict[str, Any] = {"updates": RUNS, "nuggets": NUGGETS}
    alone, shared = (tseval.report(folder / "scores.csv", **given, jobs=n) for n in (None, 2))
    assert alone.html == shared.html


def test_it_is_saved_whole_or_not_at_all(folder: Path, tmp_path: Path) -> None:
    page = tseval.report(folder / "scores.json")
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_bytes() == page.html
    with pytest.raises(tseval.TsevalError):
        page.save(tmp_path / "no" / "page.html")
    assert "run swift: no updates for 1 judged topic, counted as an empty system: mine" in set(
        page.warnings
    )


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"updates": SWIFT}, "--updates: beside scores a report takes all runs and gold of one family"),
    ({"matcher": "exact"}, "give --updates FILE and --nuggets FILE (temporal)"),
    ({"rules": {"reward": "binary"}}, "--rule: beside scores"),
    ({"run": SWIFT}, "or --run FILE and --truth FILE (filtering)"),
    ({"weather": "fine"}, "a report takes no 'weather'"),
    ({"batch": "1d"}, "--batch: beside scores a report takes all runs and gold"),
    (
        {"updates": SWIFT, "nuggets": NUGGETS, "run": SWIFT},
        "--run has no meaning with --updates FILE and --nuggets FILE",
    ),
    ({"measures": "nothing"}, "no measure 'nothing' here"),
    ({"on_missing": "maybe"}, "maybe"),
]


@pytest.mark.parametrize(("given", "said"), REFUSED, ids=[said[:30] for _, said in REFUSED])
def test_what_has_no_meaning_is_refused(folder: Path, given: dict[str, Any], said: str) -> None:
    with pytest.raises(tseval.UsageError) as refused:
        tseval.report(folder / "scores.json", **given)
    assert said in str(refused.value)


def test_bad_scores_name_their_line(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps({"records": [{"topic": "t"}]}))
    with pytest.raises(tseval.InputError, match=r"s\.json:1: "):
        tseval.report(tmp_path / "s.json")


def test_curves_end_where_the_means_are_whatever_becomes_of_missing_topics() -> None:
    """swift has nothing of a topic, which the scores leave out: so do the curves."""
    scores = tseval.score(
        RUNS, NUGGETS, matches=MATCHES, measures="R", on_missing="skip", topics=TOPICS
    )
    page = tseval.report(scores, updates=RUNS, nuggets=NUGGETS, matches=MATCHES, topics=TOPICS)
    (panel,) = page.report.section("curves").panels
    ends = {line.run: line.value[-1] for line in panel.lines}
    assert ends == {page.report.runs.index(run): scores.value("R", run=run) for run in scores.runs}


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"rules": {"repeated-labels": "entries"}}, "repeated-labels"),
        ({"threshold": 0.9}, "threshold"),
    ],
)
def test_incidents_by_other_rules_than_the_scores_are_told(
    options: dict[str, Any], named: str
) -> None:
    runs = [STREAM / "keen.txt", STREAM / "shy.tsv"]
    gold = {"labels": STREAM / "labels.json", "ontology": TYPES}
    scores = tseval.score_incidents(
        runs, gold["labels"], gold["ontology"], "AAW type.F1", **options
    )
    assert _differing(tseval.report(scores, runs=runs, **gold)) == [f"{named} differ"]
    plain = tseval.score_incidents(runs, gold["labels"], gold["ontology"], "AAW type.F1")
    assert _differing(tseval.report(plain, runs=runs, **gold)) == []


def test_filtering_by_other_rules_than_the_scores_is_told() -> None:
    runs, truth = [FILTER / "steady.tsv"], FILTER / "truth.tsv"
    scores = tseval.score_filtering(runs, truth, "end(F_pra)", cutoff=50, zeta=0.1)
    page = tseval.report(scores, runs=runs, truth=truth, cutoff=50)
    assert _differing(page) == ["zeta differ"]


def _differing(page: Page) -> list[str]:
    start = (
        "the scores were made from other inputs, or by other rules, than those given beside them: "
    )
    return [each.removeprefix(start) for each in page.warnings if each.startswith(start)]


def test_several_files_of_labels_are_the_first_and_more() -> None:
    given = report_inputs(
        {"runs": "run.txt", "labels": ["one.json", "two.json"], "ontology": TYPES}
    )
    assert given is not None
    assert given.inputs.labels == "one.json"
    assert given.inputs.more_labels == ("two.json",)
