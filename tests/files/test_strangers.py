"""Files that do not belong to the runs: an error, or a word that even the quiet hear."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import tseval
from tests import program
from tests.families.clusters.test_clusters import ID, live, pushed
from tests.program import FIXTURES, MATCHES, NUGGETS, SWIFT, THOROUGH, faulty


@pytest.fixture
def renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run that says nowhere what it is called, under another name than its matches have."""
    monkeypatch.chdir(tmp_path)
    frame = pd.read_csv(SWIFT, sep="\t", dtype=str).drop(columns="run")
    frame.to_csv("renamed.tsv", sep="\t", index=False)
    return Path("renamed.tsv")


FOREIGN = "every match is of another run: of swift, thorough; scored: renamed"


@pytest.mark.parametrize("more", [(), ("--quiet",), ("--in-blocks", "3"), ("--explain", "nuggets")])
def test_matches_of_other_runs_are_refused(renamed: Path, more: tuple[str, ...]) -> None:
    done = program.tseval("score", renamed, NUGGETS, "--matches", MATCHES, *more)
    assert (done.code, done.out) == (1, "")
    assert done.codes == [("unrelated-inputs", 2)]
    assert "give the file its old name" in done.err


def test_in_python_too(renamed: Path) -> None:
    with faulty("unrelated-inputs", 2):
        tseval.score(str(renamed), NUGGETS, MATCHES)


@pytest.mark.parametrize("more", [(), ("--in-blocks", "3")])
def test_one_of_several_runs_without_a_match_is_told_of_though_quiet(
    renamed: Path, more: tuple[str, ...]
) -> None:
    files = (renamed, THOROUGH, NUGGETS, "--matches", MATCHES)
    done = program.tseval("score", *files, "--quiet", "-m", "R", *more)
    assert (done.code, done.err) == (
        0,
        "warning: no match is of these runs, which say nothing then: renamed\n",
    )


@pytest.mark.parametrize("more", [(), ("--quiet",), ("--in-blocks", "3")])
def test_a_pool_of_other_runs_is_refused(tmp_path: Path, more: tuple[str, ...]) -> None:
    pool = tmp_path / "pool.tsv"
    pool.write_text("topic\tupdate_id\nflood\tx1\nflood\tx2\n")
    done = program.tseval("score", SWIFT, NUGGETS, "--pool", pool, *more)
    assert (done.code, done.out) == (1, "")
    reason = done.err.partition("\n")[0]
    assert reason.startswith(f"error: {pool}:2: none of the ")
    assert reason.endswith(
        " updates is in the pool, of all that the runs have in judged topics: the pool has updates "
        'such as "x1" of topic "flood", the runs are swift'
    )


def test_live_judgments_of_other_runs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(tseval.InputError) as raised:
        live(tmp_path, "rts2017", f"MB1 {ID[0]} 1\n", pushed((1, 60), (3, 60)))
    assert str(raised.value.faults[0]).startswith(
        f"{tmp_path / 'live'}:1: none of the 2 posts is judged here"
    )


def test_the_quiet_hear_why_a_score_is_0_and_nothing_else(tmp_path: Path) -> None:
    run = tmp_path / "run.tsv"
    run.write_text("topic\tupdate_id\ttime\ttext\nstorm\tu\t1699920000\tx\n")
    gold = FIXTURES / "nuggets.tsv"
    loud = program.tseval("score", run, gold, "-m", "R")
    quiet = program.tseval("score", run, gold, "-m", "R", "--quiet")
    assert "1 topic not in the gold" in loud.err
    said = "warning: run run: no updates for 3 judged topics, counted as an empty system: "
    assert quiet.err.startswith(said)
    assert len(quiet.err.splitlines()) == 1


# Whose matches a table holds.

FUZZY, LOOSE = "fuzzy(word=80,threshold=0.55)", "fuzzy(word=80,threshold=0.4)"
FORMS = ("tsv", "csv", "parquet", "jsonl", "frame")


def made(form: str, *names: str) -> pd.DataFrame | str:
    """What matchers find in a form that is read back."""
    matchers = [option for name in names for option in ("--matcher", name)]
    written = "tsv" if form in ("jsonl", "frame") else form
    path = f"made.{written}"
    done = program.tseval("match", SWIFT, NUGGETS, *matchers, "--quiet", "-o", path)
    assert done.code == 0, done.err
    if form not in ("jsonl", "frame"):
        return path
    frame = pd.read_csv(path, sep="\t")
    if form == "frame":
        return frame
    frame.to_json("made.jsonl", orient="records", lines=True)
    return "made.jsonl"


def maker(matches: pd.DataFrame | str, **more: str) -> str:
    signature = tseval.score(SWIFT, NUGGETS, matches, measures="R", **more).signature
    return signature.split("|")[2]


@pytest.mark.usefixtures("renamed")
@pytest.mark.parametrize("form", FORMS)
def test_machine_matches_keep_their_matcher(form: str) -> None:
    assert maker(made(form, "fuzzy(threshold=0.4)")) == f"matcher:{LOOSE}"
    both = made(form, "fuzzy(threshold=0.4)", "fuzzy")
    assert maker(both) == f"matcher:{LOOSE}+{FUZZY}"


@pytest.mark.usefixtures("renamed")
def test_and_in_blocks() -> None:
    path = made("tsv", "fuzzy")
    files = (SWIFT, NUGGETS, "--matches", path, "-m", "R", "-f", "json", "--quiet")
    assert f"|matcher:{FUZZY}|" in program.tseval("score", *files).out
    assert f"|matcher:{FUZZY}|" in program.tseval("score", *files, "--in-blocks", "2").out


@pytest.mark.usefixtures("renamed")
def test_edited_matches_say_so() -> None:
    frame = made("frame", "fuzzy")
    assert isinstance(frame, pd.DataFrame)
    whole, edited = f"matcher:{FUZZY}", f"matcher:{FUZZY}+edited"
    assert maker(frame.sample(frac=1, random_state=0)) == whole
    assert maker(frame.drop(columns=["score", "found", "missing"])) == whole
    assert maker(frame[1:]) == edited
    assert maker(frame.drop(columns="checksum")) == edited
    added = frame[:1].assign(nugget_id="flood-n4", matcher="", checksum="")
    assert maker(pd.concat([frame, added])) == edited
    assert maker(pd.concat([frame, frame[:1].assign(nugget_id="flood-n4")])) == edited
    assert maker(frame.assign(nugget_id=["flood-n4", *frame.nugget_id[1:]])) == edited
    assert maker(frame.assign(end=frame.end + 1)) == edited
    assert maker(frame.drop(columns=["matcher", "checksum"])) == "matcher:assessed"


@pytest.mark.usefixtures("renamed")
def test_matches_of_assessors_are_assessed_and_a_machine_that_found_none_is_one() -> None:
    assert maker(MATCHES) == "matcher:assessed"
    frame = made("frame", "fuzzy")
    assert isinstance(frame, pd.DataFrame)
    frame[:0].to_csv("none.tsv", sep="\t", index=False)
    assert maker("none.tsv") == "matcher:machine"
