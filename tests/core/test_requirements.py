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


def test_what_is_undefined_cannot_be_told() -> None:
    Path("run.tsv").write_text("topic\tupdate_id\ttime\ttext\nferry\tu\t1700000000\tnothing\n")
    scored = ("score", "run.tsv", program.NUGGETS, "--quiet")
    done = asked("T<=1000", of=scored)
    assert (done.code, done.err) == (4, "cannot be told: T<=1000: run run: T is undefined\n")
    assert asked("T<=1000", "R>=0.5", of=scored).code == 3
    Path("run.tsv").write_text("topic\tupdate_id\ttime\ttext\n")
    done = asked("R<=1", of=scored)
    assert (done.code, done.err.splitlines()[-1]) == (
        4,
        "cannot be told: R<=1: run run has no updates for any judged topic",
    )


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
        ("R>=1 by its upper bound", "write MEASURE<=NUMBER by its upper bound"),
        ("R==1 by its lower bound", "write MEASURE>=NUMBER by its lower bound"),
        ("low(R)>=1 by its lower bound", "write MEASURE>=NUMBER by its lower bound"),
        ("R==baseline", "write MEASURE>=baseline, or >, <= or <"),
        ("R>=baseline", "--baseline SCORES and --require 'R>=baseline' belong together"),
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
        (("--require", "R>=baseline"), "name the run, as in NEW.R-OLD.R"),
    ],
)
def test_what_a_comparison_cannot_be_required_to_find(more: tuple[str, ...], said: str) -> None:
    program.tseval(*SCORED, "-q", "-m", "P R", "-o", "scores.json")
    done = program.tseval("compare", "scores.json", *more)
    assert (done.code, said in done.err) == (2, True), done.err


FACTS = 5
SAID = (3, 5, 4, 5, 2, 5, 4, 4, 5, 3, 5, 4, 5, 4, 3, 5, 4, 5, 4, 1)
"""How many of five facts the run `new` reports, topic by topic: 80 of 100."""


def write_world() -> None:
    """Write two runs; `old` reports three facts of each topic of which `new` reports more."""
    gold, clusters, matches = [], [], []
    runs: dict[str, list[str]] = {"new": [], "old": [], "none": []}
    for topic, said in enumerate(SAID):
        for fact in range(FACTS):
            gold.append(f"t{topic}\tn{fact}\t1700000000\tfact")
            clusters.append(f"t{topic}\tn{fact}\tu{fact}\t1700000000\tfact")
        for run, number in (("new", said), ("old", min(said, 3))):
            for fact in range(number):
                runs[run].append(f"t{topic}\tu{fact}\t17000000{fact + 1:02}\tfact")
                matches.append(f"t{topic}\tu{fact}\tn{fact}\t{run}")
    heads = {
        "gold": "topic\tnugget_id\ttime\ttext",
        "clusters": "topic\tcluster_id\tpost_id\ttime\ttext",
        "matches": "topic\tupdate_id\tnugget_id\trun",
    }
    heads |= {"one": heads["clusters"], "two": heads["clusters"]}
    tables = {"gold": gold, "clusters": clusters, "matches": matches}
    tables |= {"one": clusters[FACTS : 2 * FACTS], "two": clusters[3 * FACTS : 4 * FACTS]}
    tables["two"] = tables["one"] + tables["two"]
    for name, rows in tables.items():
        Path(f"{name}.tsv").write_text("\n".join([heads[name], *rows]) + "\n")
    Path("one.csv").write_text("run,topic,measure,value\nold,t1,R,0.5\n")
    for name, rows in runs.items():
        head = "topic\tupdate_id\ttime\ttext"
        Path(f"{name}.tsv").write_text("\n".join([head, *rows]) + "\n")
        posts = [head.replace("update_id", "post_id"), *rows]
        Path(f"{name}.posts.tsv").write_text("\n".join(posts) + "\n")


SCORE = "score new.tsv gold.tsv --matches matches.tsv -m R --quiet"
SWAPPED = SCORE.replace("new.tsv", "old.tsv")
CLUSTERS = "clusters new.posts.tsv clusters.tsv -m coverage --quiet"
ONE, TWO = (CLUSTERS.replace("clusters.tsv", f"{name}.tsv") for name in ("one", "two"))
COMPARE = "compare both.json -m R --quiet"


@pytest.mark.parametrize(
    ("command", "wanted", "code", "said"),
    [
        (SCORE, "R>=.65 by its lower bound", 0, ""),
        (SCORE, "R>=.75 by its lower bound", 4, "more topics would decide"),
        (SCORE, "R>=.82 by its lower bound", 4, "more topics would decide"),
        (SCORE, "R>=.95 by its lower bound", 3, "run new: R is 0.8, interval 0."),
        (SCORE, "R<=.9 by its upper bound", 0, ""),
        (SCORE, "R<.8 by its upper bound", 4, "interval 0."),
        (SCORE, "R<=.5 by its upper bound", 3, "run new: R is 0.8, interval 0."),
        (ONE, "coverage>=.5 by its lower bound", 4, "no interval from 1 topic"),
        (TWO, "coverage>=.5 by its lower bound", 4, "no interval from 2 topics, all the same"),
        (SCORE.replace("new", "none"), "R<=.5 by its upper bound", 4, "run none has no updates"),
        (f"{SCORE} --in-blocks 7", "R>=.65 by its lower bound", 0, ""),
        (CLUSTERS, "coverage>=.65 by its lower bound", 0, ""),
        (CLUSTERS, "coverage>=.75 by its lower bound", 4, "more topics would decide"),
        (CLUSTERS, "coverage>=.95 by its lower bound", 3, "interval 0."),
        (COMPARE, "new.R>=.65 by its lower bound", 0, ""),
        (COMPARE, "new.R>=.75 by its lower bound", 4, "more topics would decide"),
        (COMPARE, "new.R-old.R>=.1 by its lower bound", 0, ""),
        (COMPARE, "old.R-new.R>=0 by its lower bound", 3, "old.R-new.R is -0."),
        (f"{COMPARE} --alpha .5", "new.R>=.75 by its lower bound", 0, ""),
        (f"{SCORE} --baseline old.json", "R>=baseline", 0, ""),
        (f"{SCORE} --baseline old.json", "R>baseline", 0, ""),
        (f"{SCORE} --baseline old.json", "R<=baseline", 3, "run new: R minus its baseline is 0.2"),
        (f"{SWAPPED} --baseline new.json", "R>=baseline", 3, "minus its baseline is -0.2"),
        (f"{SCORE} --baseline new.json", "R>=baseline", 0, ""),
        (f"{SCORE} --baseline new.json", "R>baseline", 3, "is 0, interval 0 to 0"),
        (f"{SCORE} --baseline new.json", "P>=baseline", 4, "P minus its baseline is undefined"),
        (f"{SCORE} --baseline both.json", "R>baseline", 3, "is 0, interval 0 to 0"),
        (f"{SCORE} --baseline one.csv", "R>=baseline", 4, "no interval from 1 topic"),
    ],
)
def test_by_intervals(command: str, wanted: str, code: int, said: str) -> None:
    write_world()
    for names in (("new",), ("old",), ("new", "old")):
        runs, name = [f"{each}.tsv" for each in names], "both" if len(names) == 2 else names[0]
        scored = ("score", *runs, "gold.tsv", "--matches", "matches.tsv", "-m", "R", "--quiet")
        program.tseval(*scored, "-o", f"{name}.json")
    done = asked(wanted, of=tuple(command.split()))
    assert (done.code, said in done.err) == (code, True), done.err
    assert done.out, "the result is written whatever is required"
    begins = {0: "", 3: f"not met: {wanted}: ", 4: f"cannot be told: {wanted}: "}
    assert "".join(done.err.splitlines()[-1:]).startswith(begins[code])


def test_a_gate_has_the_interval_of_a_comparison() -> None:
    write_world()
    scored = tuple(SCORE.split())
    program.tseval(*scored, "-o", "new.json")
    told = json.loads(program.tseval("compare", "new.json", "-f", "json", "--quiet").out)
    (mean,) = told["means"]
    low = mean["low"]
    assert asked(f"R>={low - 1e-9} by its lower bound", of=scored).code == 0
    assert asked(f"R>={low + 1e-9} by its lower bound", of=scored).code == 4


def test_a_comparison_says_of_a_run_without_scores_that_it_cannot_be_told() -> None:
    rows = [f"{run},t{t},R,{0.5 if run == 'a' else ''}" for run in "ab" for t in range(3)]
    Path("scores.csv").write_text("\n".join(["run,topic,measure,value", *rows]) + "\n")
    done = asked("R>=0.1", "a.R-b.R>=0", of=("compare", "scores.csv", "--quiet"))
    assert (done.code, done.err.splitlines()) == (
        4,
        [
            "cannot be told: R>=0.1: run b: R is undefined",
            "cannot be told: a.R-b.R>=0: a.R-b.R is undefined",
        ],
    )
