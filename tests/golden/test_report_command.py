"""`tseval report`: what it writes, what it says, and what it refuses."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.program import (
    FIXTURES,
    MATCHES,
    NUGGETS,
    SWIFT,
    THOROUGH,
    TOPICS,
    command,
    process,
    tseval,
)


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "scores.json"
    done = tseval(
        "score", SWIFT, THOROUGH, NUGGETS, "--matches", MATCHES, "-q", "-o", path, "--quiet"
    )
    assert done.code == 0, done.err
    return path


GOLD = ("--nuggets", NUGGETS, "--matches", MATCHES, "--topics", TOPICS)
RUNS = ("--updates", SWIFT, "--updates", THOROUGH)


def test_it_writes_one_page(scores: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    done = tseval("report", scores, "-o", page, "--quiet", "--title", "Flood & ferry")
    assert (done.code, done.out, done.err) == (0, "", "")
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert "<title>Flood &amp; ferry</title>" in text
    assert "The captain of the Ostrel was arrested" in text  # from the recorded runs and gold


def test_the_same_input_gives_the_same_bytes(scores: Path) -> None:
    first, second = (
        process("report", scores, "--quiet", PYTHONHASHSEED=str(seed)) for seed in (1, 2)
    )
    assert first.code == second.code == 0
    assert first.output == second.output
    assert b"</html>" in first.output


def test_warnings_go_to_standard_error_and_onto_the_page(scores: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    done = tseval("report", scores, "-o", page)
    said = "run swift: no updates for 1 judged topic, counted as an empty system: mine"
    assert f"warning: {said}" in done.err
    words = re.sub("<[^>]*>", "", page.read_text(encoding="utf-8"))
    assert said in words


def test_csv_needs_runs_and_gold_beside(tmp_path: Path) -> None:
    path, page = tmp_path / "scores.csv", tmp_path / "report.html"
    tseval("score", SWIFT, THOROUGH, NUGGETS, "--matches", MATCHES, "-q", "-o", path, "--quiet")
    assert tseval("report", path, "-o", page, "--quiet").code == 0
    assert "give them as --updates FILE and --nuggets FILE" in page.read_text(encoding="utf-8")
    done = tseval("report", path, "-o", page, *RUNS, *GOLD, "--quiet")
    assert done.code == 0, done.err
    text = page.read_text(encoding="utf-8")
    assert "give them as" not in text
    assert 'id="economy"' in text


def test_other_runs_or_gold_than_the_scores_are_told(scores: Path, tmp_path: Path) -> None:
    done = tseval(
        *(
            "report",
            scores,
            *RUNS,
            "--nuggets",
            NUGGETS,
            "--matcher",
            "exact",
            "-o",
            tmp_path / "r.html",
        )
    )
    assert "by other rules, than those given beside them: matcher, matches differ" in done.err


REFUSED = [
    ((), "Give one or more files of scores"),
    (("--matcher", "exact"), "--matcher: beside scores a report takes all runs and gold of one"),
    (("--edition", "draft"), "give --updates FILE and --nuggets FILE (temporal), or --run"),
    (
        ("--updates", SWIFT),
        "--updates: beside scores a report takes all runs and gold of one family",
    ),
    (("--nuggets", NUGGETS), "give --updates FILE and --nuggets FILE (temporal)"),
    (("--labels", NUGGETS), "give --run FILE, --labels FILE and --ontology FILE (incidents)"),
    (("--run", SWIFT), "or --run FILE and --truth FILE (filtering)"),
    (
        ("--run", SWIFT, "--truth", NUGGETS, "--labels", NUGGETS),
        "--labels has no meaning with --run FILE and --truth FILE: leave it out",
    ),
    (
        ("--run", SWIFT, "--truth", NUGGETS, "--event", "e"),
        "--event has no meaning with --run FILE and --truth FILE: leave it out",
    ),
    (
        ("--run", SWIFT, "--truth", NUGGETS, "--topics", TOPICS),
        "--topics has no meaning with --run FILE and --truth FILE: leave it out",
    ),
    (("--engine", "nobody"), "nobody"),
    (("--scheduler", "tcp://nowhere:1"), "give --engine dask, too"),
    (("--curve", "R"), "no curve of 'R' here; there are: T"),
    (("--curve", "T@6h"), "no curve of 'T@6h' here; there are: T"),
    (("--curve", "nothing"), "unknown measure 'nothing'"),
    (("--run", SWIFT, "--truth", NUGGETS, "--curve", "T"), "--curve has no meaning with --run"),
    (("--batch", "1d"), "give --run FILE and --truth FILE (filtering)"),
    (("--run", SWIFT, *RUNS), "with its own options; give --updates FILE"),
    (("-m", "nothing"), "no measure 'nothing' here"),
    (("--baseline", "nobody"), "no run 'nobody' here"),
    (("--resamples", "3"), "is not in the range"),
    ((*RUNS, "--nuggets", NUGGETS, "--edition", "nobody"), "unknown edition 'nobody'"),
]


@pytest.mark.parametrize(("given", "said"), REFUSED, ids=[said[:30] for _, said in REFUSED])
def test_what_has_no_meaning_is_refused(scores: Path, given: tuple[str, ...], said: str) -> None:
    shown = ("-m", "T") if "--curve" in given else ()
    done = tseval("report", *((scores, *shown, *given) if given else ()))
    assert done.code == 2
    assert said in done.err
    assert done.out == ""


MANY = "P R Rs T P(updates) P(cost=words) T(unit=min) P(cost=1)"


def drawn(page: str) -> list[str]:
    return re.findall(r"<figcaption><b>([^<]+)</b>", page.partition('id="curves"')[2])


def test_the_first_curves_are_drawn_and_the_others_named(tmp_path: Path) -> None:
    scores = tmp_path / "scores.json"
    given = (SWIFT, THOROUGH, NUGGETS, "--matches", MATCHES, "-m", MANY, "-q", "--quiet")
    assert tseval("score", *given, "-o", scores).code == 0
    page = tseval("report", scores, "-m", MANY, "--quiet").out
    assert drawn(page) == MANY.split()[:6]
    assert "T(unit=min), P(cost=1) have curves that are not drawn; --curve NAME chooses." in page
    chosen = tseval("report", scores, "-m", MANY, "--curve", "P(cost=1) R", "--quiet").out
    assert drawn(chosen) == ["P(cost=1)", "R"]
    assert "P, Rs, T, P(updates), P(cost=words), T(unit=min) have curves that are not" in chosen
    every = tseval("report", scores, *(f"--curve={each}" for each in MANY.split()), "--quiet").out
    assert drawn(every) == MANY.split()
    assert "not drawn" not in every
    few = tseval("report", scores, "-m", "R P", "--quiet").out
    assert "not drawn" not in few
    assert tseval("report", scores, "--curve", "R", "--quiet").output != few


def test_curves_need_runs(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    tseval("score", SWIFT, THOROUGH, NUGGETS, "--matches", MATCHES, "-q", "-o", path, "--quiet")
    done = tseval("report", path, "--curve", "R")
    assert (done.code, done.out) == (2, "")
    assert "curves over time need the runs and the nuggets: give them as --updates" in done.err


def test_no_work_is_shared_where_no_run_is_read(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    tseval("score", SWIFT, THOROUGH, NUGGETS, "--matches", MATCHES, "-q", "-o", path, "--quiet")
    done = tseval("report", path, "-j", "2")
    assert (done.code, done.out) == (2, "")
    assert "no runs are read here, so there is no work to share: give --updates FILE" in done.err


def test_processes_make_the_same_page(scores: Path) -> None:
    assert tseval("report", scores, "--quiet", "-j", "2") == tseval("report", scores, "--quiet")


def test_a_page_is_not_for_a_terminal(scores: Path) -> None:
    done = tseval("report", scores, terminal=True)
    assert done.code == 2
    assert "give -o FILE.html" in done.err


def test_bad_scores_name_their_line(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("run,topic,measure,value\na,t,P,much\n")
    done = tseval("report", path, "-o", tmp_path / "report.html")
    assert done.code == 1
    assert done.codes == [("number-format", 2)]
    assert not (tmp_path / "report.html").exists()


def test_bad_nuggets_name_their_line(scores: Path, tmp_path: Path) -> None:
    path = tmp_path / "nuggets.tsv"
    path.write_text("topic\tnugget_id\ttime\ttext\nflood\tn\tsoon\tit happened\n")
    done = tseval("report", scores, *RUNS, "--nuggets", path, "-o", tmp_path / "report.html")
    assert done.code == 1
    assert done.codes == [("time-format", 2)]
    assert not (tmp_path / "report.html").exists()


def test_means_alone_are_refused_with_the_cure(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    tseval("score", SWIFT, NUGGETS, "--matches", MATCHES, "-o", path, "--quiet")
    done = tseval("report", path, "-o", tmp_path / "report.html")
    assert done.code == 1
    assert "write the scores with -q" in done.err


def test_a_place_that_cannot_be_written_is_told(scores: Path, tmp_path: Path) -> None:
    assert tseval("report", scores, "-o", tmp_path / "no" / "report.html").code == 1
    (tmp_path / "report.html").mkdir()
    done = tseval("report", scores, "-o", tmp_path / "report.html")
    assert done.code == 2  # click's own: it is a folder
    assert "Traceback" not in done.err


def test_ctrl_c_leaves_nothing_behind(tmp_path: Path) -> None:
    path, page = tmp_path / "scores.csv", tmp_path / "report.html"
    rows = [f"r{r},t{t},P,{(r * 37 + t * 17) % 101}" for r in range(40) for t in range(50)]
    path.write_text("run,topic,measure,value\n" + "\n".join(rows) + "\n")
    running = subprocess.Popen(
        command("report", path, "-o", page, "--resamples", "200000"),
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    time.sleep(3)
    assert running.poll() is None, "it was done before it could be interrupted"
    running.send_signal(signal.SIGINT)
    _, error = running.communicate(timeout=60)
    assert running.returncode == 130
    assert b"Traceback" not in error
    assert sorted(each.name for each in tmp_path.iterdir()) == ["scores.csv"]


INCIDENT_FILES = {
    "ontology.json": json.dumps(
        {
            "informationTypes": [
                {"id": "Request-SearchAndRescue", "desc": "", "level": "Top-level Intent"},
                {"id": "Report-Weather", "desc": "", "level": "Top-level Intent"},
            ]
        }
    ),
    "labels.tsv": "topic\tpost_id\tlevel\ttypes\ttime\n"
    + "".join(
        f"storm\tp{n}\t{'Critical' if n % 3 == 0 else 'Low'}\t"
        f"{'Request-SearchAndRescue' if n % 3 == 0 else 'Report-Weather'}\t{1_700_000_000 + n}\n"
        for n in range(9)
    ),
    "run.tsv": "topic\tpost_id\tpriority\ttypes\n"
    + "".join(f"storm\tp{n}\t{0.9 if n % 2 else 0.1}\tReport-Weather\n" for n in range(9)),
}


def test_incidents_have_types_and_trust(tmp_path: Path) -> None:
    for name, content in INCIDENT_FILES.items():
        (tmp_path / name).write_text(content)
    ontology, labels, run = (tmp_path / name for name in INCIDENT_FILES)
    scores, page = tmp_path / "scores.json", tmp_path / "report.html"
    done = tseval("incidents", run, labels, "--ontology", ontology, "-q", "-o", scores, "--quiet")
    assert done.code == 0, done.err
    own = ("--run", run, "--labels", labels, "--ontology", ontology)
    done = tseval("report", scores, *own, "-o", page, "--quiet")
    assert done.code == 0, done.err
    text = page.read_text(encoding="utf-8")
    assert 'id="types"' in text
    assert "Report-Weather" in text
    assert 'data-panel="trust-1"' in text
    assert 'href="#timeline"' not in text
    assert "need the runs and the nuggets" not in text
    done = tseval("report", scores, *own, "--event", "flood", "-o", page)
    assert done.code == 2
    assert "no event 'flood' here; there are: storm" in done.err


def test_labels_without_priorities_have_no_picture_of_trust(tmp_path: Path) -> None:
    for name, content in INCIDENT_FILES.items():
        (tmp_path / name).write_text(content)
    ontology, labels, run = (tmp_path / name for name in INCIDENT_FILES)
    rows = [line.split("\t") for line in labels.read_text().splitlines()]
    labels.write_text("".join("\t".join([*row[:2], *row[3:]]) + "\n" for row in rows))
    scores, page = tmp_path / "scores.json", tmp_path / "report.html"
    given = ("incidents", run, labels, "--ontology", ontology, "-m", "type.F1", "-q", "--quiet")
    assert tseval(*given, "-o", scores).code == 0
    own = ("--run", run, "--labels", labels, "--ontology", ontology)
    done = tseval("report", scores, *own, "-o", page)
    assert done.code == 0, done.err
    assert "the labels tell no priorities: there is no picture of trust" in done.err
    text = page.read_text(encoding="utf-8")
    assert 'id="types"' in text
    assert 'data-panel="trust-1"' not in text
    assert tseval("report", scores, *own, "--event", "storm", "-o", page).code == 2


FILTER = FIXTURES / "filter"
FILTERED = [FILTER / f"{name}.tsv" for name in ("steady", "improving", "fading")]


def test_filtering_has_trends(tmp_path: Path) -> None:
    truth = FILTER / "truth.tsv"
    scores, page = tmp_path / "scores.json", tmp_path / "report.html"
    own = [part for run in FILTERED for part in ("--run", run)]
    measures = ("-m", "end(F_pra) slope(F_pra) F_1")
    done = tseval("filter", *FILTERED, truth, *measures, "-q", "-o", scores, "--quiet")
    assert done.code == 0, done.err
    done = tseval("report", scores, *own, "--truth", truth, "-o", page, "--quiet")
    assert done.code == 0, done.err
    text = page.read_text(encoding="utf-8")
    assert 'id="trends"' in text
    data = json.loads(re.search(r'id="content">(.*?)</script>', text, re.DOTALL)[1])  # type: ignore[index]
    panel = data["panels"]["trends-0"]
    runs = data["runs"]
    dots = {runs[run]: values for run, values in panel["dots"]}
    assert dots["improving"] == [0, 0, 0.6, 0.6, 1, 1]
    lines = {runs[line[0]]: line[1] for line in panel["lines"]}
    assert lines["improving"][-1] == pytest.approx(1.22)
    fit = tseval(
        *("filter", *FILTERED, truth, "--show", "fits", "-m", "end(F_pra)", "-f", "csv", "--quiet")
    )
    ends = [line.split(",") for line in fit.out.splitlines()]
    place = ends[0].index("end")
    assert {row[0]: float(row[place]) for row in ends[1:]} == pytest.approx(
        {name: values[-1] for name, values in lines.items()}
    )


def test_other_batches_than_the_scores_are_told(tmp_path: Path) -> None:
    truth, scores = FILTER / "truth.tsv", tmp_path / "scores.json"
    own = [part for run in FILTERED for part in ("--run", run)]
    tseval("filter", *FILTERED, truth, "-q", "-m", "F_1", "-o", scores, "--quiet")
    done = tseval(
        *("report", scores, *own, "--truth", truth, "--batch", "2d", "-o", tmp_path / "r.html")
    )
    assert done.code == 0, done.err
    assert "by other rules, than those given beside them: batch differ" in done.err


def test_nothing_else_lies_beside_the_page(scores: Path, tmp_path: Path) -> None:
    tseval("report", scores, "-o", tmp_path / "report.html", "--quiet")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["report.html", "scores.json"]
