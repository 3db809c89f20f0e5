"""Requirements: exit code 3 and a line for each that is not met, with the result written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import program
from tseval.core.requirements import Requirement
from tseval.errors import MeasureError, UsageError

FIXTURES = program.FIXTURES
RUNS = (program.SWIFT, program.THOROUGH)
SCORED = ("score", *RUNS, program.NUGGETS, "--matches", program.MATCHES)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def asked(*wanted: str, of: tuple[object, ...] = SCORED) -> program.Outcome:
    return program.tseval(*of, *(part for each in wanted for part in ("--require", each)))


def values() -> dict[tuple[str, str], float]:
    done = program.tseval(*SCORED, "-m", "R R@6h P", "-f", "json")
    records = json.loads(done.out)["records"]
    return {(each["run"], each["measure"]): each["value"] for each in records}


def test_met_and_not_met() -> None:
    plain = program.tseval(*SCORED)
    low, high = sorted(values()[run, "R@6h"] for run in ("swift", "thorough"))
    assert low < high
    done = asked(f"R@6h>={low!r}", "P > 0")
    assert (done.code, done.out, done.err) == (0, plain.out, plain.err)
    done = asked(f"R@6h>={high!r}", "P<0.5", "R@6h<=2")
    assert (done.code, done.out) == (3, plain.out)
    name = next(run for run in ("swift", "thorough") if values()[run, "R@6h"] == low)
    lines = [f"not met: R@6h>={high!r}: run {name}: R@6h is {low:.12g}"]
    lines += [
        f"not met: P<0.5: run {run}: P is {values()[run, 'P']:.12g}"
        for run in ("swift", "thorough")
    ]
    assert done.err.splitlines()[-3:] == lines


def test_a_rule_may_change_what_is_required_alone_or_what_is_shown_alone() -> None:
    of = (*SCORED, "--rule", "words=blanks")
    refused = "error: rule words changes nothing in R, P\n"
    assert asked("P>=0", of=(*of, "-m", "R")).err == refused
    assert asked("V>=0", of=(*of, "-m", "R")).code == 0
    assert asked("R>=0", of=(*of, "-m", "V")).code == 0
    assert asked("R>=2", of=(*of, "-m", "V")).code == 3


def test_of_one_run_and_of_a_difference() -> None:
    known = values()
    more = known["thorough", "R"] - known["swift", "R"]
    assert asked("swift.R<=1", "thorough.R - swift.R >= -0.02", "thorough.R-swift.P<=1").code == 0
    done = asked(f"thorough.R-swift.R>{more!r}")
    assert done.code == 3
    assert done.err.splitlines()[-1:] == [
        f"not met: thorough.R-swift.R>{more!r}: thorough.R-swift.R is {more:.12g}"
    ]


def test_what_a_sum_rounds_fails_nothing() -> None:
    exact = values()["swift", "R"]
    assert exact != 0.55
    assert asked("swift.R>=0.55", "swift.R<=0.55", "swift.R==0.55").code == 0
    assert asked("swift.R>0.55").code == asked("swift.R<0.55").code == 3
    assert asked("swift.R>=0.5500001").code == 3


def test_the_result_is_written_and_the_quiet_hear_it() -> None:
    done = asked("R>=2", of=(*SCORED, "-o", "scores.json", "--quiet"))
    assert done.code == 3
    assert done.err.startswith("not met: R>=2: run swift: R is ")
    assert {each["topic"] for each in json.loads(Path("scores.json").read_text())["records"]}


def test_what_is_undefined_fails() -> None:
    Path("run.tsv").write_text("topic\tupdate_id\ttime\ttext\nferry\tu\t1700000000\tnothing\n")
    done = asked("T<=1000", of=("score", "run.tsv", program.NUGGETS, "--quiet"))
    assert (done.code, done.err) == (3, "not met: T<=1000: run run: T is undefined\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("R", "--require 'R': write MEASURE>=NUMBER, such as 'R@6h>=0.5'"),
        (">=1", "--require '>=1': write MEASURE>=NUMBER"),
        ("R>=high", "'high' is no number"),
        ("R>=nan", "'nan' is no number"),
        ("R>=", "'' is no number"),
        ("Rappel>=1", "--require 'Rappel>=1': unknown measure 'Rappel'; known: P, R"),
        ("R@6>=1", 'R@6: "6" is '),
        ("swfit.R>=1", "the runs are swift, thorough; did you mean swift?"),
        ("low(R)>=1", "intervals are of `tseval compare`"),
    ],
)
def test_what_is_no_requirement(text: str, said: str) -> None:
    done = asked(text, of=(*SCORED, "-o", "scores.csv"))
    assert (done.code, said in done.err) == (2, True), done.err
    assert not Path("scores.csv").exists()


def test_names_with_signs_in_them() -> None:
    found = Requirement.of("slope(F_pra,batch=1d)@2026-01-01<=-0.5")
    assert (found.left, found.sign, found.bound) == ("slope(F_pra,batch=1d)@2026-01-01", "<=", -0.5)

    def known(text: str) -> str:
        if text != "EG-0":
            raise MeasureError(text)
        return text

    (one,) = Requirement.of("a-b.EG-0-a.EG-0>=1e-3").quantities(["a", "a-b"], known)
    assert (one.run, one.measure, one.other) == ("a-b", "EG-0", ("a", "EG-0"))
    with pytest.raises(UsageError):
        Requirement.of("R!=1")


@pytest.mark.parametrize(
    ("command", "measure"),
    [
        (("clusters", *RUNS, FIXTURES / "clusters.tsv"), "coverage"),
        (("filter", *(FIXTURES / "filter" / f"{n}.tsv" for n in ("steady", "truth"))), "F_1"),
        ((*SCORED, "--explain", "nuggets"), "R"),
        (("score", *RUNS, program.NUGGETS, "-m", "R", "--in-blocks", "5"), "R"),
    ],
)
def test_every_scoring_command(command: tuple[object, ...], measure: str) -> None:
    plain = program.tseval(*command)
    assert plain.code == 0, plain.err
    assert asked(f"{measure}>=-99", of=command).code == 0
    done = asked(f"{measure}>=99", of=command)
    assert (done.code, done.out) == (3, plain.out)
    assert f"not met: {measure}>=99: " in done.err


def test_comparisons() -> None:
    rows = [
        f"{run},t{topic},{measure},{(topic * step) % 7 / 7 + lead}"
        for run, lead in (("new", 0.3), ("old", 0.0))
        for measure, step in (("R", 3 if run == "new" else 2), ("P", 5))
        for topic in range(30)
    ]
    Path("scores.csv").write_text("\n".join(["run,topic,measure,value", *rows]) + "\n")
    compared = ("compare", "scores.csv", "--quiet")
    told = json.loads(program.tseval(*compared, "-f", "json").out)
    pair = next(each for each in told["pairs"] if each["measure"] == "R")
    one, other = pair["run"], pair["other"]
    gap, low, high = pair["difference"], pair["low"], pair["high"]
    met = [
        f"{one}.R-{other}.R=={gap!r}",
        f"{other}.R-{one}.R=={-gap!r}",
        f"low({one}.R-{other}.R)=={low!r}",
        f"low({other}.R-{one}.R)=={-high!r}",
        f"high({one}.R - {other}.R)=={high!r}",
        "R>=0",
        f"low({one}.R)<=1",
    ]
    plain = program.tseval(*compared)
    done = asked(*met, of=compared)
    assert (done.code, done.out, done.err) == (0, plain.out, "")
    done = asked(f"low({one}.R-{other}.R)>{low!r}", "P>=99", of=compared)
    assert (done.code, done.out) == (3, plain.out)
    lines = done.err.splitlines()
    assert (
        lines[0] == f"not met: low({one}.R-{other}.R)>{low!r}: low({one}.R-{other}.R) is {low:.12g}"
    )
    assert len(lines) == 3


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--require", "Q>=1"), "no measure 'Q' here; there are: P, R"),
        (("--require", "swift.R-thorough.P>=1"), "a difference is of two runs by one measure"),
        (("--require", "R>=1", "--power"), "--require has no meaning with --power"),
    ],
)
def test_what_a_comparison_cannot_be_required_to_find(more: tuple[str, ...], said: str) -> None:
    program.tseval(*SCORED, "-q", "-m", "P R", "-o", "scores.json")
    done = program.tseval("compare", "scores.json", *more)
    assert (done.code, said in done.err) == (2, True), done.err
