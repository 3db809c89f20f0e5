"""`tseval compare` as it is run: what it prints, refuses, and what may not change a byte."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.program import MATCHES, NUGGETS, SWIFT, THOROUGH, command, process, tseval

RUNS = {
    "early": (42, 61, 35, 70, 55, 48, 66, 52),
    "late": (40, 60, 36, 66, 56, 47, 66, 51),
    "loud": (21, 35, 30, 44, 28, 25, 39, 31),
}
LINES = [
    f"{run}\tR\tt{topic}\t0.{value}\n"
    for run, values in RUNS.items()
    for topic, value in enumerate(values, start=1)
]
GOLD = (SWIFT, THOROUGH, "--gold", NUGGETS, "--matches", MATCHES)


@pytest.fixture(autouse=True)
def here(here: Path) -> Path:
    Path("s.trec").write_text("".join(LINES))
    return here


TABLE = """\
R (higher is better): 2 of 3 pairs told apart

 rank   run     mean     95 % interval      letters   topics
 ───────────────────────────────────────────────────────────
    1   early   0.5363   [0.4312, 0.6346]   a              8
    2   late    0.5275   [0.4229, 0.6177]   a              8
    3   loud    0.3162   [0.2607, 0.3932]   b              8

R, pair by pair

 run     other   difference   interval            d      g      p        corrected   better   won   tied   lost
 ──────────────────────────────────────────────────────────────────────────────────────────────────────────────
 early   late    0.0087       [-0.0031, 0.0253]   0.53   0.47   0.2656   0.2656                 5      1      2
 early   loud    0.2200       [0.0817, 0.2589]    3.01   2.67   0.0078   0.0234      early      8      0      0
 late    loud    0.2112       [0.1269, 0.2511]    3.06   2.72   0.0078   0.0234      late       8      0      0

tseval:0.1.0|compare:runs|scores:sha256:956dd8d28787|missing:zero|undefined:skip|test:randomisation|correction:holm(all)|interval:studentised|alpha:0.05|resamples:10000|seed:0
"""  # noqa: E501


def test_a_comparison_as_people_see_it() -> None:
    found = tseval("compare", "s.trec")
    assert (found.out, found.err, found.code) == (TABLE, "", 0)


def test_a_comparison_against_a_baseline() -> None:
    found = tseval("compare", "s.trec", "--baseline", "loud", "--test", "t")
    assert "R, against loud\n" in found.out
    assert "letters" not in found.out
    assert "|baseline:loud|test:t|" in found.out


def test_csv_has_both_parts_in_one_table() -> None:
    header, *rows = tseval("compare", "s.trec", "-f", "csv").out.splitlines()
    assert header == (
        "part,measure,run,rank,topics,mean,low,high,letters,other,difference,d,g,p,adjusted,"
        "different,better,wins,ties,losses"
    )
    assert [row.split(",")[0] for row in rows] == ["means"] * 3 + ["pairs"] * 3
    cells = dict(zip(header.split(","), rows[3].split(","), strict=True))
    assert (cells["run"], cells["other"], cells["p"]) == ("early", "late", "0.265625")
    assert (cells["wins"], cells["ties"], cells["losses"], cells["rank"]) == ("5", "1", "2", "")


def test_latex_is_alone_on_standard_output_and_by_suffix() -> None:
    Path("u.trec").write_text("".join(LINES).replace("\tR\t", "\tunheard\t"))
    found = tseval("compare", "u.trec", "-f", "latex")
    assert found.out.startswith("\\begin{tabular}{lrr}\n")
    assert found.out.endswith("\\end{tabular}\n")
    assert found.err.startswith("warning: unheard: no measure of this name has a known direction")
    assert tseval("compare", "u.trec", "-o", "t.tex", "--quiet").err == ""
    assert Path("t.tex").read_bytes() == found.output


def test_json_has_the_parts_and_how_they_came_about() -> None:
    content = json.loads(tseval("compare", "s.trec", "-f", "json").out)
    assert content["inputs"][0]["path"] == "s.trec"
    assert content["inputs"][0]["rows"] == 24
    assert [each["run"] for each in content["means"]] == ["early", "late", "loud"]
    assert len(content["pairs"]) == 3


@pytest.mark.parametrize("form", ["table", "csv", "latex", "tsv", "parquet"])
def test_the_order_of_lines_and_files_changes_no_byte(form: str) -> None:
    expected = tseval("compare", "s.trec", "-f", form)
    lines = LINES[:]
    random.Random(1).shuffle(lines)
    Path("a.trec").write_text("".join(lines[:7]))
    Path("b.trec").write_text("".join(lines[7:]))
    assert tseval("compare", "a.trec", "b.trec", "-f", form) == expected
    assert tseval("compare", "b.trec", "a.trec", "-f", form) == expected


def test_json_changes_by_the_names_of_its_inputs_alone() -> None:
    lines = LINES[::-1]
    Path("a.trec").write_text("".join(lines[:7]))
    Path("b.trec").write_text("".join(lines[7:]))
    one, other = (
        json.loads(tseval("compare", *files, "-f", "json").out)
        for files in (["s.trec"], ["b.trec", "a.trec"])
    )
    assert [each["path"] for each in other.pop("inputs")] == ["a.trec", "b.trec"]
    del one["inputs"]
    assert one == other


def test_the_number_of_threads_changes_no_byte() -> None:
    one, two = (
        process("compare", "s.trec", "--test", "bootstrap", "-f", "csv", OPENBLAS_NUM_THREADS=n)
        for n in ("1", "2")
    )
    assert one.code == 0
    assert one == two


def test_runs_and_gold_give_what_their_scores_do() -> None:
    tseval("score", SWIFT, THOROUGH, NUGGETS, "--matches", MATCHES, "-q", "-o", "s.json", "--quiet")
    from_scores = tseval("compare", "s.json", "-m", "R", "-f", "csv")
    from_runs = tseval("compare", *GOLD, "-m", "R", "-f", "csv", "--quiet")
    assert from_runs.out == from_scores.out
    signed = tseval("compare", *GOLD, "-m", "R", "-f", "json", "--quiet", "--at", "6h").out
    assert "|compare:runs|of:(tseval:0.1.0|edition:draft|matcher:assessed|" in signed
    assert {each["measure"] for each in json.loads(signed)["means"]} == {"R", "R@6h"}


def test_standard_input_stands_for_a_file() -> None:
    expected = tseval("compare", "s.trec", "-f", "csv")
    assert tseval("compare", "-", "-f", "csv", stdin="".join(LINES).encode()) == expected
    twice = tseval("compare", "-", "-", stdin=b"")
    assert (twice.code, twice.err) == (2, "error: standard input (-) can stand for one file only\n")


def test_the_other_questions() -> None:
    power = tseval("compare", "s.trec", "--power")
    assert power.out.startswith("Discriminative power\n")
    against = tseval("compare", "s.trec", "--against", "s.trec", "-f", "csv")
    assert against.out.splitlines()[1].startswith("correlations,R,R,run means,tau-b,3,8,1.0,")
    itself = tseval("compare", "s.trec", "--against-measure", "R", "-f", "csv")
    assert itself.out == against.out
    matchers = tseval("compare", *GOLD, "--against-matcher", "grams", "-m", "R", "--quiet")
    assert "Rank correlation" in matchers.out
    assert "matcher:grams" in matchers.out
    left = tseval("compare", *GOLD, "--leave-out", "team", "-m", "R", "-f", "json", "--quiet")
    content = json.loads(left.out)
    assert [each["left_out"] for each in content["left_out"]] == ["swift", "thorough"]
    Path("teams.tsv").write_text("run\tteam\nswift\tone\n")
    named = tseval(
        "compare", *GOLD, "--leave-out", "team", "--teams", "teams.tsv", "-f", "csv", "--quiet"
    )
    assert ",one,swift," in named.out


REFUSED = {
    "no file": ([], "Give one or more files of scores."),
    "two questions": (
        ["s.trec", "--power", "--against", "s.trec"],
        "--power and --against are two",
    ),
    "matches without gold": (
        ["s.trec", "--matches", MATCHES],
        "--matches has no meaning without --gold",
    ),
    "edition without gold": (
        ["s.trec", "--edition", "ts"],
        "--edition has no meaning without --gold",
    ),
    "rule without gold": (["s.trec", "--rule", "a=b"], "--rule has no meaning without --gold"),
    "leave out without gold": (
        ["s.trec", "--leave-out", "run"],
        "--leave-out has no meaning without --gold",
    ),
    "matcher without gold": (
        ["s.trec", "--against-matcher", "fuzzy"],
        "--against-matcher has no meaning without --gold",
    ),
    "test of ranks": (
        ["s.trec", "--against", "s.trec", "--test", "t"],
        "--test has no meaning with --against",
    ),
    "persistence of runs": (
        ["s.trec", "--persistence", "0.5"],
        "--persistence has no meaning without --against",
    ),
    "interval of power": (
        ["s.trec", "--power", "--interval", "bca"],
        "--interval has no meaning with --power",
    ),
    "teams of runs": (
        [*GOLD, "--leave-out", "run", "--teams", "s.trec"],
        "--teams has no meaning without --leave-out team",
    ),
    "two others": (
        [*GOLD, "--against", "s.trec", "--against-matcher", "fuzzy"],
        "--against has no meaning with --against-matcher",
    ),
    "latex of power": (
        ["s.trec", "--power", "-f", "latex"],
        "'latex' is none of the forms that this result has",
    ),
    "unknown baseline": (["s.trec", "--baseline", "x"], "no run 'x' here; there are: early, late"),
    "unknown measure": (["s.trec", "-m", "P"], "no measure 'P' here; there are: R"),
    "lower of no measure": (
        ["s.trec", "--lower-is-better", "x"],
        "no measure 'x' here; there are: R",
    ),
    "higher of no measure": (
        ["s.trec", "--power", "--higher-is-better", "P"],
        "no measure 'P' here; there are: R",
    ),
    "higher of no measure on both sides": (
        ["s.trec", "--against", "s.trec", "--higher-is-better", "P"],
        "no measure 'P' here; there are: R",
    ),
    "lower of no measure left out": (
        [*GOLD, "--leave-out", "run", "-m", "R", "--lower-is-better", "P"],
        "no measure 'P' here; there are: R",
    ),
    "unknown test": (["s.trec", "--test", "sign"], "Invalid value for '--test'"),
    "alpha": (["s.trec", "--alpha", "2"], "alpha has to lie between 0 and 1, and 2 does not"),
    "matches to leave out": (
        [SWIFT, THOROUGH, "--gold", NUGGETS, "--leave-out", "run"],
        "leaving runs out needs the matches of assessors: give --matches FILE",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_wrong_usage(case: str) -> None:
    arguments, message = REFUSED[case]
    found = tseval("compare", *arguments, "-o", "result.csv" if "latex" not in arguments else "-")
    assert message in found.err
    assert (found.out, found.code) == ("", 2)
    assert not Path("result.csv").exists()


def test_a_bad_line_far_down() -> None:
    lines = [f"r\tR\tt{i}\t0.5\n" for i in range(70_000)]
    lines[69_999] = "r\tR\tt\n"
    Path("long.trec").write_text("".join(lines))
    found = tseval("compare", "long.trec", "-o", "result.csv")
    assert found.codes == [("field-count", 70_000)]
    assert (found.out, found.code, Path("result.csv").exists()) == ("", 1, False)


@pytest.mark.parametrize("name", ["empty", "cut.json", "cut.csv.gz", "absent", "."])
def test_a_broken_file(name: str) -> None:
    Path("empty").write_bytes(b"")
    Path("cut.json").write_bytes(b'{"records": [{"run": "a"')
    Path("cut.csv.gz").write_bytes(bytes.fromhex("1f8b0800000000000003") + b"\x00\x01")
    found = tseval("compare", name, "-o", "result.csv")
    assert found.err.startswith(f"error: {name}")
    assert "Traceback" not in found.err
    assert (found.out, found.code, Path("result.csv").exists()) == ("", 1, False)


def test_an_output_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    found = tseval("compare", "s.trec", "-o", "nowhere/x.csv")
    assert (found.code, found.err) == (1, "error: nowhere/x.csv: there is no folder nowhere\n")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    found = tseval("compare", "s.trec", "-o", "x.csv")
    assert (found.code, found.err) == (1, "error: x.csv: permission denied\n")
    assert not Path("x.csv").exists()


def test_a_full_disk_leaves_the_earlier_result(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    Path("x.csv").write_bytes(b"earlier")
    monkeypatch.setattr("pathlib.Path.replace", full)
    found = tseval("compare", "s.trec", "-o", "x.csv")
    assert (found.code, found.err) == (1, "error: x.csv: no space left on device\n")
    assert Path("x.csv").read_bytes() == b"earlier"


def test_a_closed_pipe_is_silent() -> None:
    with subprocess.Popen(
        command("compare", "s.trec", "-f", "csv"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""


def test_an_interrupted_comparison() -> None:
    os.mkfifo("pipe")
    running = subprocess.Popen(
        command("compare", "pipe", "-o", "x.csv"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with Path("pipe").open("wb"):  # opens when the program does: it is reading by then
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err.strip()) == (130, b"", b"")
    assert not Path("x.csv").exists()


def test_help_is_quick_to_load() -> None:
    program = (
        "import sys; from tseval.__main__ import run; run(['compare', '--help']); "
        "print('pandas' in sys.modules, 'scipy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.splitlines()[-1] == "False False"
