"""Results that would take the place of an input, or carry a name that promises something else."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.program import FIXTURES, command
from tests.program import tseval as program

KEPT = ("runs/swift.tsv", "nuggets.tsv", "matches.tsv", "clusters.tsv", "incidents/types.json")


@pytest.fixture(autouse=True)
def _inputs(here: Path) -> None:
    for name in KEPT:
        shutil.copy(FIXTURES / name, here)
    for name in ("steady.tsv", "truth.tsv"):
        shutil.copy(FIXTURES / "filter" / name, here)
    for name in ("shy.tsv", "labels.json"):
        shutil.copy(FIXTURES / "incidents" / name, here)
    shutil.copy("nuggets.tsv", "gold.csv")
    shutil.copy("truth.tsv", "truth.csv")
    Path("scores.csv").write_text("run,topic,measure,value\na,t,R,0.5\nb,t,R,0.25\n")


@pytest.mark.parametrize(
    "arguments",
    [
        "score swift.tsv gold.csv -o gold.csv",
        "score swift.tsv nuggets.tsv --matches matches.tsv -f csv -o ./matches.tsv",
        "curve swift.tsv gold.csv -o gold.csv",
        "match swift.tsv nuggets.tsv -o nuggets.tsv",
        "calibrate swift.tsv gold.csv matches.tsv -o gold.csv",
        "filter steady.tsv truth.csv -o truth.csv",
        "filter steady.tsv truth.tsv --series truth.tsv",
        "clusters swift.tsv clusters.tsv --explain -o clusters.tsv",
        "incidents shy.tsv labels.json --ontology types.json -o types.json",
        "compare scores.csv -o scores.csv",
        "report scores.csv -o scores.csv",
        "import ts-nuggets nuggets.tsv -o nuggets.tsv",
        "score --follow nuggets.tsv --state nuggets.tsv",
    ],
)
def test_an_input_is_not_written_over(arguments: str) -> None:
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    outcome = program(*arguments.split(), stdin=b"")
    name = arguments.split()[-1].removeprefix("./")
    assert outcome.code == 2
    assert outcome.err.endswith(f"{name} is an input too: name another file for the result\n")
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_a_link_to_an_input_is_the_input() -> None:
    Path("link.csv").symlink_to("gold.csv")
    outcome = program("score", "swift.tsv", "gold.csv", "-o", "link.csv")
    assert (outcome.code, "link.csv is an input too" in outcome.err) == (2, True)


def test_a_second_name_of_an_input_is_the_input() -> None:
    Path("other.csv").hardlink_to("gold.csv")
    outcome = program("score", "swift.tsv", "gold.csv", "-o", "other.csv")
    assert (outcome.code, "other.csv is an input too" in outcome.err) == (2, True)


# What lies behind the descriptors of the process.

TOO = b"is an input too: name another file for the result\n"
DESCRIPTORS = {
    "score swift.tsv - -o nuggets.tsv < nuggets.tsv": b"nuggets.tsv " + TOO,
    "score swift.tsv - -o link.tsv < nuggets.tsv": b"link.tsv " + TOO,
    "score swift.tsv /dev/stdin -o nuggets.tsv < nuggets.tsv": b"nuggets.tsv " + TOO,
    "score swift.tsv /dev/fd/3 -o nuggets.tsv 3< nuggets.tsv": b"nuggets.tsv " + TOO,
    "score --follow gold.tsv --state live.jsonl < live.jsonl": b"live.jsonl " + TOO,
    "calibrate swift.tsv gold.tsv - --save matches.json < matches.json": b"matches.json " + TOO,
    "import ts-nuggets - -o nuggets.tsv < nuggets.tsv": b"nuggets.tsv " + TOO,
}


@pytest.mark.parametrize("line", DESCRIPTORS)
def test_files_behind_descriptors_are_inputs(line: str) -> None:
    Path("gold.tsv").write_bytes(Path("nuggets.tsv").read_bytes())
    Path("matches.json").write_bytes(Path("matches.tsv").read_bytes())
    Path("link.tsv").symlink_to("nuggets.tsv")
    shutil.copy(FIXTURES / "live.jsonl", "live.jsonl")
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    done = shell(line)
    assert (done.returncode, done.stderr) == (2, b"error: " + DESCRIPTORS[line])
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def shell(line: str) -> subprocess.CompletedProcess[bytes]:
    """A command line with what a shell makes of it."""
    whole = f"{shlex.join(command())} {line}"
    return subprocess.run(whole, shell=True, capture_output=True, check=False)


def test_other_files_behind_descriptors_are_written() -> None:
    given = "score swift.tsv - < nuggets.tsv -f csv"
    wanted = shell(given).stdout
    assert wanted.startswith(b"run,topic,measure,value\n")
    assert shell(f"{given} > shown.csv").returncode == 0
    assert shell(f"{given} -o /dev/stdout > told.csv").returncode == 0
    Path("more.csv").write_bytes(b"before\n")
    assert shell(f"{given} >> more.csv").returncode == 0
    assert Path("shown.csv").read_bytes() == wanted
    assert Path("told.csv").read_bytes() == wanted
    assert Path("more.csv").read_bytes() == b"before\n" + wanted
    assert Path("/dev/stdout").is_symlink()


# Files that scores name as what they came from.


@pytest.mark.parametrize("name", ["swift", "gold", "matches.html"])
@pytest.mark.parametrize("what", ["report", "compare"])
def test_what_scores_record_is_an_input_too(what: str, name: str) -> None:
    for new, old in (
        ("swift", "swift.tsv"),
        ("gold", "nuggets.tsv"),
        ("matches.html", "matches.tsv"),
    ):
        shutil.copy(old, new)
    lines = Path("matches.html").read_text(encoding="utf-8").splitlines(keepends=True)
    Path("matches.html").write_text("".join(line for line in lines if "thorough" not in line))
    given = ("score", "swift", "gold", "--matches", "matches.html", "-q", "-o", "scores.json")
    assert program(*given).code == 0
    before = Path(name).read_bytes()
    form = () if what == "report" else ("-f", "csv")
    outcome = program(what, "scores.json", "-o", name, *form, "--quiet")
    assert outcome.code == 2
    assert outcome.err.endswith(
        f"error: {name} is an input too: name another file for the result\n"
    )
    assert Path(name).read_bytes() == before


# Links.


def test_a_result_is_written_where_a_link_points() -> None:
    Path("folder").mkdir()
    Path("folder/out.csv").write_text("old")
    Path("link.csv").symlink_to("folder/out.csv")
    Path("second.csv").symlink_to("link.csv")
    Path("new.csv").symlink_to("folder/new.csv")
    for name, target in (
        ("second.csv", "out.csv"),
        ("link.csv", "out.csv"),
        ("new.csv", "new.csv"),
    ):
        assert program("score", "swift.tsv", "nuggets.tsv", "-o", name).code == 0
        assert Path(name).is_symlink()
        assert Path("folder", target).read_text().startswith("run,topic,measure,value\n")
    assert sorted(path.name for path in Path("folder").iterdir()) == ["new.csv", "out.csv"]


def test_a_link_that_points_nowhere() -> None:
    Path("lost.csv").symlink_to("no/folder/out.csv")
    outcome = program("score", "swift.tsv", "nuggets.tsv", "-o", "lost.csv")
    assert outcome.code == 1
    reason = f"nothing can be written into {Path('no/folder').resolve()}: no such file"
    assert outcome.err.splitlines()[-1].startswith(f"error: lost.csv: {reason}")
    assert Path("lost.csv").is_symlink()


def test_a_state_is_saved_where_a_link_points() -> None:
    Path("link").symlink_to("state")
    live = (FIXTURES / "live.jsonl").read_bytes()
    whole = program("score", "--follow", "nuggets.tsv", "--state", "link", stdin=live)
    again = program("score", "--follow", "nuggets.tsv", "--state", "link", stdin=live)
    assert Path("link").is_symlink()
    assert Path("state").is_file()
    assert whole.out.splitlines()[-1] == again.out.splitlines()[-1]


def test_two_results_are_not_one_file_by_a_link() -> None:
    Path("link.csv").symlink_to("out.csv")
    given = ("filter", "steady.tsv", "truth.tsv", "-o", "out.csv", "--series")
    for name in ("link.csv", "./out.csv"):
        outcome = program(*given, name)
        assert outcome.code == 2
        assert "out.csv is named for two results: give each a file of its own" in outcome.err
    assert not Path("out.csv").exists()


def test_a_result_of_before_is_written_over() -> None:
    for _ in range(2):
        assert program("score", "swift.tsv", "nuggets.tsv", "-o", "out.csv").code == 0


@pytest.mark.parametrize("name", ["x.tsv.gz", "x.csv", "x.parquet"])
def test_an_imported_table_has_no_other_name(name: str) -> None:
    outcome = program("import", "ts-nuggets", "nuggets.tsv", "-o", name)
    assert outcome.code == 2
    assert outcome.err == f"error: {name}: the table is plain TSV, so name a file .tsv\n"


def test_a_page_has_no_other_name() -> None:
    outcome = program("report", "scores.csv", "-o", "page.pdf")
    assert outcome.code == 2
    assert outcome.err == "error: 'pdf' is none of the forms that this result has: html\n"


@pytest.mark.parametrize(
    ("command", "name", "gold"),
    [
        ("score", "swift.tsv", "nuggets.tsv"),
        ("clusters", "swift.tsv", "clusters.tsv"),
        ("filter", "steady.tsv", "truth.tsv"),
        ("validate", "swift.tsv", "nuggets.tsv"),
    ],
)
def test_lines_that_end_with_carriage_returns_alone(command: str, name: str, gold: str) -> None:
    """They would be one line, the header, and the run empty."""
    content = Path(name).read_bytes()
    Path(name).write_bytes(content.replace(b"\n", b"\r"))
    outcome = program(command, name, gold)
    assert outcome.code == 1
    assert f"{name}:1: lines end with carriage returns alone" in outcome.err + outcome.out


def test_any_whole_number_is_a_seed() -> None:
    given = ("calibrate", "swift.tsv", "nuggets.tsv", "matches.tsv", "--quiet", "--seed")
    assert program(*given, "-1").code == 0
    assert program(*given, "-1").out != program(*given, "1").out
