"""`tseval filter` as the shell sees it: its outputs to the byte, its faults, its pictures."""

from __future__ import annotations

import csv
import gzip
import html
import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests import program
from tests.program import FIXTURES, Outcome

pytestmark = pytest.mark.usefixtures("here")

FOLDER = FIXTURES / "filter"
TRUTH = str(FOLDER / "truth.tsv")
FADING, STEADY = (str(FOLDER / f"{name}.tsv") for name in ("fading", "steady"))
PERIOD = ("--start", "1699920000", "--end", "6d", "--cutoff", "50")
ID = "1325376000-0123456789abcdef0123456789abcdef"


def refused(message: str, *arguments: object, code: int = 1, stdin: bytes = b"") -> Outcome:
    """The command fails with this message and leaves no output behind."""
    given = ("filter", *arguments, "-o", "result.csv", "--series", "series.csv", "--quiet")
    done = program.tseval(*given, stdin=stdin)
    faults = "".join(f"error: {fault.report()}\n" for fault in done.faults)
    assert (done.err, done.out, done.code) == (message or faults, "", code)
    assert not Path("result.csv").exists()
    assert not Path("series.csv").exists()
    return done


def refused_fault(code: str, file: str, line: int | None, *arguments: object) -> None:
    """The same, with this fault."""
    (fault,) = refused("", *arguments).faults
    assert (fault.code, fault.file, fault.line) == (code, file, line)


# Outputs


def shown(*options: object) -> Outcome:
    done = program.tseval("filter", FADING, STEADY, TRUTH, *PERIOD, *options, "--quiet")
    assert (done.code, done.err) == (0, "")
    return done


def test_trec() -> None:
    alone = program.tseval("filter", FADING, TRUTH, *PERIOD, "-m", "R t(A)", "-f", "trec")
    assert alone.out == "R\tall\t0.6\nt(A)\tall\tundefined\n"
    assert shown("-m", "batches(A)", "-f", "trec").out == (
        "fading\tbatches(A)\tall\t5.0\nsteady\tbatches(A)\tall\t6.0\n"
    )


def test_csv_with_topics() -> None:
    lines = shown("-m", "R end(R)", "-f", "csv", "-q").out.splitlines()
    assert lines[0] == "run,topic,measure,value"
    assert [line.split(",")[:3] for line in lines[1:7]] == [
        ["fading", topic, name] for topic in ("dam", "ferry", "all") for name in ("R", "end(R)")
    ]


def test_json_has_null_and_no_nan() -> None:
    told = json.loads(shown("-m", "t(A) AD(A)", "-f", "json").out)
    assert [record["value"] for record in told["records"][:2]] == [None, None]
    assert [source["rows"] for source in told["inputs"]] == [10, 14, 19]
    assert told["signature"].startswith("tseval:")
    assert any("t(A), AD(A) are undefined for fading" in warning for warning in told["warnings"])


def test_the_same_input_gives_the_same_bytes(here: Path) -> None:
    for form in ("csv", "json", "parquet", "svg", "png", "html"):
        first, second = here / f"1.{form}", here / f"2.{form}"
        for path in (first, second):
            shown("-o", path, "--series", here / f"series{path.stem}.csv")
        assert first.read_bytes() == second.read_bytes()
    assert (here / "series1.csv").read_bytes() == (here / "series2.csv").read_bytes()


def test_the_order_of_lines_changes_nothing(here: Path) -> None:
    for name in (STEADY, TRUTH):
        header, *rows = Path(name).read_text().splitlines(keepends=True)
        (here / Path(name).name).write_text(header + "".join(reversed(rows)))
    form = ("-m", "end(F_pra) se(F_pra) F_1 C_trk", "-f", "csv", *PERIOD)
    ours = program.tseval("filter", STEADY, TRUTH, *form).out
    assert program.tseval("filter", "steady.tsv", "truth.tsv", *form).out == ours


# Pictures


def drawn(*options: object) -> str:
    path = Path("trends.svg")
    shown("-o", path, *options)
    return path.read_text()


def test_a_picture_shows_what_there_is() -> None:
    picture = drawn("-m", "end(R) end(F_pra)")
    for words in ("R in batches of 1d", "F_pra in batches of 1d", "fading", "usual score"):
        assert words in picture
    assert "days since the period" in picture
    assert "Kendall" in picture


def test_one_run_has_no_ranking_to_draw() -> None:
    done = program.tseval("filter", FADING, TRUTH, *PERIOD, "-o", "one.svg", "--quiet")
    assert done.code == 0
    assert "usual score" not in Path("one.svg").read_text()


def test_a_picture_of_runs_without_any_trend() -> None:
    """Two batches have no line and no end point; the batches are drawn all the same."""
    picture = drawn("--batch", "3d")
    assert "F_pra in batches of 3d" in picture
    assert "fewer than 3 usable batches: no trend" in picture


@pytest.mark.parametrize("form", ["png", "pdf", "html"])
def test_other_pictures(form: str) -> None:
    shown("-o", f"trends.{form}", "--batch", "1d", "--batch", "2d")
    content = Path(f"trends.{form}").read_bytes()
    assert content.startswith({"png": b"\x89PNG", "pdf": b"%PDF", "html": b"<!DOCTYPE"}[form])


def test_a_page_loads_nothing() -> None:
    shown("-o", "trends.html")
    page = html.unescape(Path("trends.html").read_text())
    assert "default-src 'none'" in page
    assert "edition:kenter2015" in page


# Faults


def test_an_empty_truth() -> None:
    Path("truth.tsv").write_bytes(b"")
    refused_fault("empty-file", "truth.tsv", None, STEADY, "truth.tsv")


@pytest.mark.parametrize("content", ["topic\tpost_id\trelevance\n", "#{}\n"])
def test_a_truth_without_judgments(content: str) -> None:
    Path("truth.tsv").write_text(content)
    refused_fault("no-rows", "truth.tsv", None, STEADY, "truth.tsv")


def test_a_topic_of_the_name_of_the_mean() -> None:
    Path("truth.tsv").write_text("topic\tpost_id\trelevance\ttime\nall\td\t2\t1700000000\n")
    refused_fault("reserved-name", "truth.tsv", 2, STEADY, "truth.tsv")


def test_a_truncated_run() -> None:
    lines = "".join(f"t s {ID[:-4]}{n:04x} Entity 5\n" for n in range(2000))
    whole = gzip.compress(lines.encode())
    Path("run.gz").write_bytes(whole[: len(whole) // 2])
    refused_fault("damaged-file", "run.gz", None, "run.gz", TRUTH)


def test_a_bad_line_far_down() -> None:
    good = f"team system {ID} Entity_(person) 500\n"
    bad = "team system nonsense Entity_(person) 500\n"
    Path("run").write_text("#{}\n" + good * 69_998 + bad + good)
    refused_fault("time-format", "run", 70_000, "run", TRUTH)


LINES = {
    "too few fields": (f"t s {ID} e", "field-count"),
    "one field": ("t", "field-count"),
    "no number": (f"t s {ID} e x", "number-format"),
    "not finite": (f"t s {ID} e nan", "number-format"),
    "infinite": (f"t s {ID} e -inf", "number-format"),
}


@pytest.mark.parametrize("fault", LINES)
def test_a_faulty_line_of_the_track(fault: str) -> None:
    line, code = LINES[fault]
    Path("run").write_text(f"#{{}}\n\nt s {ID} e 5\n# more\n{line}\n")
    refused_fault(code, "run", 5, "run", TRUTH)


def test_bytes_that_are_not_utf8() -> None:
    Path("run").write_bytes(f"t s {ID} e 5\nt s {ID} caf\u00e9 5\n".encode("latin-1"))
    refused_fault("encoding", "run", 2, "run", TRUTH)


def test_other_letters_are_welcome() -> None:
    Path("run").write_text(f"t s {ID} caf\u00e9 5\n")
    Path("truth").write_text(f"NIST-TREC a {ID} caf\u00e9 1000 2 1\n")
    done = program.tseval("filter", "run", "truth", "-m", "R", "-q", "--cutoff", 5, "-f", "csv")
    assert "t-s,caf\u00e9,R,1.0" in done.out


def test_a_faulty_line_of_a_truth() -> None:
    Path("truth").write_text(f"NIST-TREC a {ID} e 1000 2 1\nNIST-TREC a {ID} e 1000\n")
    refused_fault("field-count", "truth", 2, STEADY, "truth")


def test_a_plain_run_without_confidences() -> None:
    Path("run.tsv").write_text("topic\tpost_id\ttime\nt\td\t0\n")
    refused_fault("missing-column", "run.tsv", 1, "run.tsv", TRUTH)


def test_a_truth_in_the_place_of_a_run() -> None:
    Path("truth").write_text(f"NIST-TREC a {ID} e 1000 2 1\n")
    Path("run").write_text(f"t s {ID} e 5\n")
    refused_fault("swapped-inputs", "truth", None, "truth", "run")


@pytest.mark.parametrize("heading", ["", '#{"team_id": "t", "system_id": "s"}\n', "\n# by hand\n"])
@pytest.mark.parametrize("more", ["", " 2 1", " 2 1 2011-10-07-14 NULL -1 0-0"])
def test_a_run_in_the_place_of_the_truth(heading: str, more: str) -> None:
    """Even two runs of 2014, which rate what they return, are not a run and a truth."""
    Path("run").write_text(f"{heading}t s {ID} e 5{more}\n")
    Path("other").write_text(f"{heading}t other {ID} e 5{more}\n")
    refused_fault("swapped-inputs", "other", None, "run", "other")
    Path("scores.csv").write_text("run,topic,measure,value\nt-s,e,R,1\n")
    for given in (
        ("import", "kba-truth", "other"),
        ("report", "scores.csv", "--run", "run", "--truth", "other"),
    ):
        done = program.tseval(*given)
        assert (done.code, done.codes) == (1, [("swapped-inputs", None)])


def test_no_runs_at_all_that_return_something() -> None:
    """Two empty runs, or no topic that counts: nothing is undefined by accident, nothing fails."""
    for name in ("one", "two"):
        Path(name).write_bytes(b"")
    for runs, more in ((("one", "two"), ()), ((FADING, STEADY), ("--require-positives", 99))):
        for show in ("scores", "ranking", "tests", "fits"):
            done = program.tseval("filter", *runs, TRUTH, "--show", show, *more, "--quiet")
            assert done.code == 0
            assert all("no judged documents" in line for line in done.err.splitlines())
            assert "nan" not in done.out.lower().replace("tests", "")
        options = ("-o", "empty.svg", "--series", "empty.json", "--quiet")
        assert program.tseval("filter", *runs, TRUTH, *more, *options).code == 0
        assert "NaN" not in Path("empty.json").read_text()


def test_a_file_that_is_no_run() -> None:
    Path("run").write_text("hello\n")
    refused_fault("unknown-format", "run", 1, "run", TRUTH)


def test_standard_input() -> None:
    done = program.tseval(
        *("filter", "-", TRUTH, *PERIOD, "-m", "R", "-f", "csv", "--quiet"),
        stdin=Path(STEADY).read_bytes(),
    )
    assert done.out == "run,topic,measure,value\nstdin,all,R,0.8\n"
    lines = f"t s {ID} e 5\n".encode()
    Path("truth").write_text(f"NIST-TREC a {ID} e 1000 2 1\n")
    done = program.tseval(
        "filter", "-", "truth", "-m", "R", "--cutoff", 5, "-f", "csv", stdin=lines
    )
    assert done.out == "run,topic,measure,value\nt-s,all,R,1.0\n"
    refused("error: standard input (-) can stand for one file only\n", "-", "-", code=2)


@pytest.mark.parametrize("output", ["-o", "--series"])
def test_an_output_in_no_folder(output: str) -> None:
    done = program.tseval("filter", STEADY, TRUTH, output, "nowhere/x.csv")
    assert (done.code, done.err) == (1, "error: nowhere/x.csv: there is no folder nowhere\n")


def test_an_output_without_permission(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    for option in ("-o", "--series"):
        done = program.tseval("filter", STEADY, TRUTH, option, "result.csv", "--quiet")
        assert (done.code, done.out) == (1, "")
        assert done.err == "error: result.csv: permission denied\n"
    assert not list(here.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_a_closed_pipe_is_silent() -> None:
    rows = "".join(f"t{n}\td{n}\t{1_700_000_000 + n}\t100\n" for n in range(20_000))
    Path("run.tsv").write_text(f"topic\tpost_id\ttime\tconfidence\n{rows}")
    truth = "".join(f"t{n}\td{n}\t2\t{1_700_000_000 + n}\n" for n in range(20_000))
    Path("truth.tsv").write_text(f"topic\tpost_id\trelevance\ttime\n{truth}")
    arguments = ("run.tsv", "truth.tsv", "-m", "R", "-q", "-f", "csv", "--cutoff", 50)
    assert program.error_of_a_closed_pipe("filter", *arguments, "--quiet") == b""


def test_frames_that_workers_read_come_back_to_a_program_without_polars() -> None:
    arguments = ("filter", STEADY, FADING, TRUTH, *PERIOD, "-f", "csv", "--quiet")
    alone, shared = (
        subprocess.run(program.command(*arguments, *more), capture_output=True, timeout=120)
        for more in ((), ("-j", 2))
    )
    assert (alone.returncode, shared.returncode) == (0, 0), shared.stderr
    assert shared.stdout == alone.stdout


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupted_run(here: Path) -> None:
    running = subprocess.Popen(
        program.command("filter", "-", TRUTH, "-o", "result.csv", "--series", "series.csv"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPROFILEIMPORTTIME": "1"},
    )
    assert running.stdin is not None
    assert running.stderr is not None
    for line in running.stderr:  # until all is imported, and it can only be waiting for its input
        if b"tseval.families.filtering.measures" in line:
            break
    running.stdin.write(b"topic\tpost_id\ttime\tconfidence\n")
    running.stdin.flush()
    with pytest.raises(subprocess.TimeoutExpired):
        running.wait(timeout=0.6)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert (running.returncode, out) == (130, b"")
    assert b"Traceback" not in err
    assert b"KeyboardInterrupt" not in err
    assert not list(here.iterdir())


def test_scores_of_0_and_1_are_never_normal(tmp_path: Path) -> None:
    """One document a day, returned or not: nothing but the values speaks against the test."""
    days = list(enumerate((0, 0, 0, 0, 0, 0, 1, 0, 1, 1)))
    rows = [f"t\td{day}\t2\t{day * 86400 + 1700000000}\n" for day, _ in days]
    (tmp_path / "truth.tsv").write_text("topic\tpost_id\trelevance\ttime\n" + "".join(rows))
    rows = [f"t\td{day}\t{day * 86400 + 1700000000}\t100\n" for day, hit in days if hit]
    (tmp_path / "run.tsv").write_text("topic\tpost_id\ttime\tconfidence\n" + "".join(rows))
    given = ("filter", str(tmp_path / "run.tsv"), str(tmp_path / "truth.tsv"), "-f", "csv")
    asked = ("--start", "1700000000", "--end", "10d", "--cutoff", "50", "-m", "end(R)", "--quiet")

    def shown(table: str) -> dict[str, str]:
        outcome = program.tseval(*given, *asked, "--show", table)
        (row,) = csv.DictReader(outcome.out.splitlines())
        return row

    fit = shown("fits")
    assert float(fit["AD_p"]) > 0.05
    assert fit["verdict"] == "only 0 and 1: the assumption does not hold"
    share = shown("stability")
    assert (float(share["normal"]), float(share["all_hold"])) == (0, 0)
    assert (float(share["independent"]), float(share["one_way"])) == (1, 1)
    scores = tmp_path / "scores.json"
    program.tseval(*given[:3], "-o", scores, *asked)
    page = tmp_path / "page.html"
    program.tseval("report", scores, "--run", given[1], "--truth", given[2], "-o", page)
    assert "no (only 0 and 1)" in page.read_text()
