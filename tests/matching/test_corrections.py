"""Verdicts laid over a matcher's pairs, and the review files that they come from."""

from __future__ import annotations

import csv
import io
import itertools
import os
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings

import tseval
from tests import strategies as st
from tests.oracles import corrections as slow
from tests.program import MATCHES, NUGGETS, SWIFT, THOROUGH, Outcome
from tests.program import tseval as program
from tseval.core.calling import evaluated
from tseval.families.temporal.evaluation import (
    TemporalEvaluation,
    TemporalInputs,
    TemporalOptions,
)
from tseval.families.temporal.family import FAMILY

pytestmark = pytest.mark.small_times
RUNS, TOPICS, UPDATES, GOLD = ("a", "b"), ("t", "u"), ("1", "2"), ("x", "y")
FUZZY = ("--matcher", "fuzzy")
CODES = {"conflicting-rows", "changed-rows", "unknown-id"}
HEADER = "topic\tupdate_id\tnugget_id\tverdict"
WORDS = st.sampled_from(
    ("", "!", "flood", "Flood!", "fire dead", "Fire, DEAD", "rail dead", "rail")
)
UPDATE = ("run", "topic", "update_id")
COLUMNS = ["run", "topic", "update_id", "nugget_id", "verdict", "update_text"]


def product(*columns: tuple[str, ...]) -> list[tuple[str, ...]]:
    return list(itertools.product(*columns))


@st.composite
def tables(draw: st.DrawFn) -> tuple[pd.DataFrame, pd.DataFrame, list[slow.Line]]:
    updates = pd.DataFrame(
        [(*ids, place, draw(WORDS)) for place, ids in enumerate(product(RUNS, TOPICS, UPDATES))],
        columns=["run", "topic", "update_id", "time", "text"],
    )
    nuggets = pd.DataFrame(
        [(*ids, 0, draw(WORDS)) for ids in product(TOPICS, GOLD)],
        columns=["topic", "nugget_id", "time", "text"],
    )
    line = st.tuples(
        st.sampled_from(("", *RUNS, "elsewhere")),
        *map(st.sampled_from, (TOPICS, (*UPDATES, "gone"), GOLD)),
        st.sampled_from(("accept", "accept", " Accept", "REJECT ", "")),
        st.sampled_from(("", "", "", "Flood", "fire dead")),
    )
    return updates, nuggets, draw(st.lists(line, max_size=6))


def evaluation(
    updates: pd.DataFrame, nuggets: pd.DataFrame, lines: list[slow.Line] | None
) -> TemporalEvaluation:
    laid = None if lines is None else pd.DataFrame(lines, columns=COLUMNS)
    inputs = TemporalInputs([updates], nuggets, corrections=laid)
    found: TemporalEvaluation = evaluated(FAMILY, inputs, TemporalOptions("fuzzy"))
    return found


def pairs(evaluation: TemporalEvaluation) -> list[tuple[slow.Pair, float]]:
    updates, nuggets = evaluation.updates, evaluation.nuggets
    said = updates.select("run", "topic", "update_id").cast(dict.fromkeys(UPDATE, pl.String))
    return [
        ((*said.row(update), nuggets["nugget_id"][nugget]), score)
        for update, nugget, score in evaluation.pairs.iter_rows()
    ]


@given(tables(), st.randoms())
@settings(max_examples=60)
def test_corrections_equal_the_slow_overlay(
    drawn: tuple[pd.DataFrame, pd.DataFrame, list[slow.Line]], random: object
) -> None:
    updates, nuggets, lines = drawn
    texts: dict[slow.Update, str] = {
        (u.run, u.topic, u.update_id): u.text for u in updates.itertuples()
    }
    if slow.refused(lines, texts, GOLD):
        with pytest.raises(tseval.InputError) as error:
            evaluation(updates, nuggets, lines)
        assert {fault.code for fault in error.value.faults} <= CODES
        return
    found = dict(pairs(evaluation(updates, nuggets, None)))
    got = pairs(evaluation(updates, nuggets, lines))
    every = [
        (run, topic, update, nugget)
        for run, topic, update, nugget in product(RUNS, TOPICS, UPDATES, GOLD)
    ]
    assert len(got) == len(dict(got))
    assert set(dict(got)) == slow.laid_over(found, every, lines, texts)
    for pair, score in got:
        assert score == found[pair] if pair in found else score is None
    shuffled = list(lines)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert str(pairs(evaluation(updates, nuggets, shuffled))) == str(got)
    matches = pd.DataFrame([pair for pair, _ in got], columns=COLUMNS[:4]).astype(str)
    laid = pd.DataFrame(lines, columns=COLUMNS)
    scored = tseval.score(updates, nuggets, None, "fuzzy", corrections=laid)
    assert scored.frame().equals(tseval.score(updates, nuggets, matches).frame())


@pytest.fixture
def review(tmp_path: Path) -> Path:
    """The fixtures' review of `fuzzy`, which errs there, filled in as their assessors matched."""
    file = tmp_path / "review.csv"
    files = (SWIFT, THOROUGH, NUGGETS, *FUZZY)
    done = program("match", *files, "--review", file, "--near", "1", "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")
    known = pd.read_csv(MATCHES, sep="\t").itertuples(index=False)
    true = {(row.topic, row.update_id, row.nugget_id) for row in known}
    rows = list(csv.DictReader(io.StringIO(file.read_text("utf-8-sig"))))
    for row in rows:
        said = (row["topic"], row["update_id"], row["nugget_id"]) in true
        if said != (row["matched"] == "yes"):
            row["verdict"] = "Accept" if said else "Reject"
    assert [row["verdict"] for row in rows if row["verdict"]].count("Accept") > 0
    with file.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), quoting=csv.QUOTE_ALL)
        writer.writeheader()
        writer.writerows(reversed(rows))
    return file


def test_a_filled_review_gives_the_assessors_scores(review: Path) -> None:
    assessed = tseval.score([SWIFT, THOROUGH], NUGGETS, MATCHES)
    corrected = tseval.score([SWIFT, THOROUGH], NUGGETS, None, "fuzzy", corrections=str(review))
    assert corrected.frame().equals(assessed.frame())
    automatic = tseval.score([SWIFT, THOROUGH], NUGGETS, matcher="fuzzy")
    assert not automatic.frame().equals(assessed.frame())
    told = [part for part in corrected.signature.split("|") if "corrections" in part]
    assert told == [part for part in told if part.startswith("corrections:sha256:")] != []


@pytest.mark.parametrize(
    "command",
    [
        ("score", SWIFT, THOROUGH, NUGGETS, "-m", "R", "-f", "csv"),
        ("curve", SWIFT, THOROUGH, NUGGETS, "-m", "R"),
        ("compare", SWIFT, THOROUGH, "--gold", NUGGETS, "-m", "R", "-f", "csv"),
    ],
    ids=lambda command: command[0],
)
def test_every_command_takes_corrections(review: Path, command: tuple[str, ...]) -> None:
    laid = program(*command, *FUZZY, "--corrections", review, "--quiet")
    assert laid.code == 0, laid.err
    assert laid.output == program(*command, "--matches", MATCHES, "--quiet").output
    assert laid.output != program(*command, *FUZZY, "--quiet").output
    two = program(*command, *FUZZY, "--corrections", review, "--quiet", "-j", "2")
    assert two.output == laid.output


def test_corrected_matches_say_so_and_give_the_same_scores(review: Path, tmp_path: Path) -> None:
    made = tmp_path / "matches.tsv"
    files = (SWIFT, THOROUGH, NUGGETS, *FUZZY, "--quiet")
    assert program("match", *files, "--corrections", review, "-o", made).code == 0
    scores = tseval.score([SWIFT, THOROUGH], NUGGETS, str(made))
    assert "+corrections(sha256:" in scores.signature
    assert "edited" not in scores.signature
    laid = tseval.score([SWIFT, THOROUGH], NUGGETS, None, "fuzzy", corrections=str(review))
    assert scores.frame().equals(laid.frame())


def test_a_second_review_holds_the_verdicts(review: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.tsv"
    files = (SWIFT, THOROUGH, NUGGETS, *FUZZY, "--quiet")
    done = program("match", *files, "--corrections", review, "--review", again, "--near", "0")
    assert done.code == 0, done.err
    second = pd.read_csv(again, sep="\t", keep_default_na=False)
    first = pd.read_csv(review, keep_default_na=False)
    key = ["topic", "update_id", "nugget_id", "run"]
    said = {tuple(row[:4]): row[4].lower() for row in first[[*key, "verdict"]].to_numpy().tolist()}
    listed = {tuple(row[:4]): row[4] for row in second[[*key, "verdict"]].to_numpy().tolist()}
    assert {pair: verdict for pair, verdict in listed.items() if verdict} == {
        pair: verdict for pair, verdict in said.items() if verdict
    }
    before = tseval.score([SWIFT, THOROUGH], NUGGETS, None, "fuzzy", corrections=str(review))
    after = tseval.score([SWIFT, THOROUGH], NUGGETS, None, "fuzzy", corrections=str(again))
    assert before.frame().equals(after.frame())


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_a_review_is_the_same_in_two_processes(tmp_path: Path, form: str) -> None:
    for jobs in ("1", "2"):
        file = tmp_path / f"{jobs}.{form}"
        assert program("match", SWIFT, NUGGETS, "--review", file, "-j", jobs, "--quiet").code == 0
    assert (tmp_path / f"1.{form}").read_bytes() == (tmp_path / f"2.{form}").read_bytes()


def test_what_looks_like_a_formula_is_none_in_a_review_and_reads_back(tmp_path: Path) -> None:
    run, gold, file = (tmp_path / name for name in ("run.jsonl", "gold.tsv", "review.csv"))
    text = '=SUM(1) \\"two\\"\\nlines said'
    run.write_text(f'{{"topic": "t", "update_id": "1", "time": 1, "text": "{text}"}}\n')
    gold.write_text("topic\tnugget_id\ttime\ttext\nt\tn\t0\t-two lines said\n")
    done = program("match", run, gold, "--review", file, "--near", "1", "--quiet")
    assert done.code == 0, done.err
    (row,) = csv.DictReader(io.StringIO(file.read_text("utf-8-sig")))
    assert row["update_text"] == '\'=SUM(1) "two" lines said'
    assert row["nugget_text"] == "'-two lines said"
    file.write_text(file.read_text("utf-8-sig").replace("\n,", "\nreject,"), "utf-8-sig")
    assert program("score", run, gold, "--corrections", file, "-m", "R").code == 0


def corrected(tmp_path: Path, *lines: str, header: str = HEADER, stdin: bool = False) -> str:
    """What is said of corrections that are wrong."""
    file = tmp_path / "corrections.tsv"
    content = "\n".join((header, *lines, ""))
    file.write_text(content)
    given_as = "-" if stdin else str(file)
    done = program(
        "score", SWIFT, NUGGETS, "--corrections", given_as, stdin=content.encode() if stdin else b""
    )
    assert done.code == 1, done.err
    return done.err.replace(str(file), "FILE")


def test_an_unknown_update_or_nugget(tmp_path: Path) -> None:
    good = "flood\tsw-flood-1\tflood-n1\treject"
    said = corrected(tmp_path, good, "flood\tsw-9\tflood-n1\taccept")
    assert 'FILE:3: a verdict on the unknown update "sw-9" of topic "flood"' in said
    assert "| flood\tsw-9\tflood-n1\taccept" in said
    assert "give every run that the corrections speak of" in said
    said = corrected(tmp_path, "flood\tsw-flood-1\tn99\taccept", stdin=True)
    assert '-:2: a verdict on the unknown nugget "n99"' in said
    assert "| flood\tsw-flood-1\tn99" in said


def test_a_verdict_that_is_none(tmp_path: Path) -> None:
    said = corrected(tmp_path, "flood\tsw-flood-1\tflood-n1\tmaybe")
    assert 'FILE:2: the verdict "maybe" is neither accept nor reject' in said
    assert "write accept or reject, or leave it blank" in said


def test_lines_that_contradict(tmp_path: Path) -> None:
    pair = "flood\tsw-flood-1\tflood-n1"
    said = corrected(tmp_path, f"{pair}\taccept", f"{pair}\taccept", f"{pair}\treject")
    assert "FILE:4: rejects the pair of update" in said
    assert "which line 2 accepts" in said
    assert said.count("FILE:") == 1
    lines = (f"{pair}\treject\tswift", f"{pair}\taccept\t")
    assert "which line 2 rejects" in corrected(tmp_path, *lines, header=f"{HEADER}\trun")


def test_a_text_that_changed(tmp_path: Path) -> None:
    header = f"{HEADER}\tupdate_text\tnugget_text"
    pair = "flood\tsw-flood-1\tflood-n1\taccept"
    same = 'River  Osk burst its banks in Tarrin\t"The river Osk burst its banks in Tarrin"'
    said = corrected(tmp_path, f"{pair}\t{same}", f"{pair}\tRiver Osk rose\t", header=header)
    assert said.count("FILE:") == 1
    assert "FILE:3: since the pair of update" in said
    assert 'the text of the update has changed: it is now "River Osk burst its banks' in said
    assert "judge the pair again" in said


def test_a_missing_column_and_an_empty_file(tmp_path: Path) -> None:
    assert "verdict" in corrected(tmp_path, "a\tb\tc", header="topic\tupdate_id\tnugget_id")
    assert "the file is empty" in program("score", SWIFT, NUGGETS, "--corrections", os.devnull).err


def test_what_changes_nothing_is_told(tmp_path: Path) -> None:
    file = tmp_path / "corrections.tsv"
    file.write_text(f"{HEADER}\nflood\tno-such\tflood-n1\t\n")
    told = "warning: corrections: no row has a verdict, so nothing changes"
    assert told in program("score", SWIFT, NUGGETS, "--corrections", file).err
    file.write_text(f"{HEADER}\trun\nflood\tsw-flood-1\tflood-n1\treject\told\n")
    told = "warning: corrections: all are of other runs, of old, so nothing changes"
    assert told in program("score", SWIFT, NUGGETS, "--corrections", file).err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--matches", MATCHES), "--corrections has no meaning with --matches"),
        (("--in-blocks", "2"), "--corrections has no meaning with --in-blocks"),
        (("--follow",), "--corrections has no meaning"),
    ],
)
def test_what_does_not_go_with_corrections(
    tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    file = tmp_path / "corrections.tsv"
    file.write_text(f"{HEADER}\nflood\tsw-flood-1\tflood-n1\treject\n")
    runs = () if "--follow" in arguments else (SWIFT,)
    done = program("score", *runs, NUGGETS, "--corrections", file, *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_verdicts_are_no_matches(review: Path) -> None:
    done = program("score", SWIFT, NUGGETS, "--matches", review)
    assert done.code == 1
    assert done.codes == [("wrong-file", None)]
    assert "--corrections" in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--review", "made.xlsx"), "call it made.csv or made.tsv"),
        (("--review", "made.csv", "--matcher", "fuzzy", "--matcher", "exact"), "of one matcher"),
        (("--review", "made.csv", "-f", "json"), "-f needs -o FILE"),
        (("--near", "0.2"), "--near has no meaning without --review"),
        (("--review", "same.csv", "-o", "same.csv"), "named for two results"),
    ],
)
def test_what_no_review_is(
    arguments: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = program("match", SWIFT, NUGGETS, *arguments)
    assert (done.code, done.out, list(tmp_path.iterdir())) == (2, "", [])
    assert said in done.err


def test_a_review_never_goes_into_its_corrections(review: Path) -> None:
    before = review.read_bytes()
    done = program("match", SWIFT, THOROUGH, NUGGETS, "--corrections", review, "--review", review)
    assert done.code == 2
    assert "is an input too" in done.err
    assert review.read_bytes() == before


def test_corrections_validate(review: Path) -> None:
    done = program("validate", SWIFT, THOROUGH, NUGGETS, review)
    assert (done.code, done.err) == (0, "")
    assert "review.csv: corrections, " in done.out
    alone = program("validate", SWIFT, NUGGETS, review)
    assert alone.code == 0, "what is of other runs is none of these runs' business"


AGENT = """run,topic,update_id,time,text
a,t,1,1700000000,Fire in a warehouse at the harbour
a,t,2,1700000060,Two people hurt
"""
OTHER = """run,topic,update_id,time,text
b,t,x,1700000000,"FIRE in a warehouse, at the harbour!"
b,t,y,1700000060,Nothing new
"""
FACTS = (
    "topic,nugget_id,time,text\nt,n1,1700000000,A store burns\nt,n2,1700000000,Injured persons\n"
)
ROWS = "verdict,topic,update_id,nugget_id,run,update_text\n"
BOTH = f"{ROWS}accept,t,1,n1,a,\naccept,t,2,n2,a,\n"


@pytest.fixture
def agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two agents that once say the same, and facts that share no word with either."""
    monkeypatch.chdir(tmp_path)
    for name, content in (("a.csv", AGENT), ("b.csv", OTHER), ("g.csv", FACTS)):
        Path(name).write_text(content)
    return tmp_path


def recall(*runs: str, corrections: str) -> dict[str, float]:
    Path("c.csv").write_text(corrections)
    scores = tseval.score(list(runs), "g.csv", measures="R", corrections="c.csv")
    return {run: float(scores.value("R", run=run) or 0) for run in scores.runs}


SAME, NEW = "fire in a WAREHOUSE at the harbour", "Nothing new"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        # Two facts of one weight: a says both, b the one whose text is that of update 1 of a.
        ("accept,t,1,n1,a,\naccept,t,2,n2,a,\n", {"a": 1.0, "b": 0.5}),
        ("accept,t,x,n1,b,\n", {"a": 0.5, "b": 0.5}),
        ("accept,t,1,n1,,\n", {"a": 0.5, "b": 0.5}),
        # A run that is not here: only what it said, where that is known, and in its topic.
        (f"accept,t,9,n1,old,{SAME}\n", {"a": 0.5, "b": 0.5}),
        ("accept,t,9,n1,old,\n", {"a": 0.0, "b": 0.0}),
        (f"accept,u,9,n1,old,{SAME}\naccept,t,9,n1,old,...\n", {"a": 0.0, "b": 0.0}),
        # An id that is there is stronger than the text of one that is not.
        (f"accept,t,9,n1,old,{SAME}\nreject,t,x,n1,b,\n", {"a": 0.0, "b": 0.0}),
        (f"accept,t,9,n2,a,{NEW}\n", {"a": 0.0, "b": 0.5}),
    ],
)
@pytest.mark.usefixtures("agents")
def test_a_verdict_holds_for_every_update_with_its_text(
    rows: str, expected: dict[str, float]
) -> None:
    if ",u," in rows:
        Path("g.csv").write_text(f"{FACTS}u,n1,1700000000,A store burns\n")
    assert recall("a.csv", "b.csv", corrections=ROWS + rows) == expected


@pytest.mark.parametrize(
    ("rows", "codes"),
    [
        ("accept,t,1,n1,a,\nreject,t,x,n1,b,\n", [("conflicting-rows", 3)]),
        ("accept,t,1,n1,a,\naccept,t,2,n1,a,\nreject,t,x,n1,,\n", [("conflicting-rows", 4)]),
        (f"accept,t,8,n1,old,{SAME}\nreject,t,9,n1,old,{SAME}\n", [("conflicting-rows", 3)]),
        (f"accept,t,1,n1,a,{NEW}\n", [("changed-rows", 2)]),
        ("accept,t,9,n1,a,Said by nobody\n", [("unknown-id", 2)]),
        (f"accept,t,9,n9,old,{SAME}\n", [("unknown-id", 2)]),
        ("maybe,t,1,n1,a,\n", [("unknown-label", 2)]),
    ],
)
@pytest.mark.usefixtures("agents")
def test_verdicts_that_cannot_hold(rows: str, codes: list[tuple[str, int]]) -> None:
    Path("c.csv").write_text(ROWS + rows)
    for command in ("score a.csv b.csv g.csv --corrections", "validate a.csv b.csv g.csv"):
        done = program(*command.split(), "c.csv")
        assert done.code == 1
        if command.startswith("score"):
            assert done.codes == codes
            assert {fault.file for fault in done.faults} == {"c.csv"}
        if codes[0][0] == "conflicting-rows":
            assert "which line 2 accepts" in done.out + done.err


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.usefixtures("agents")
def test_corrections_of_some_runs_warn_wherever_runs_are_compared(named: bool) -> None:
    Path("c.csv").write_text(BOTH + (",t,y,n1,b,\n" if named else ""))
    given = ("g.csv", "--corrections", "c.csv")
    said = [
        program("score", "a.csv", "b.csv", *given, "-q", "-f", "json", "-o", "s.json").err,
        program("compare", "a.csv", "b.csv", "--gold", *given).err,
        program("compare", "s.json").err,
        program("report", "s.json", "-o", "p.html").err,
        Path("p.html").read_text(),
    ]
    for each in said:
        assert ("corrections name no update of 1 of 2 runs" in each) is not named


@pytest.mark.usefixtures("agents")
def test_a_spreadsheet_of_verdicts_corrects() -> None:
    rows = pd.read_csv(io.StringIO(BOTH), dtype=str, keep_default_na=False)
    rows.to_excel("c.xlsx", index=False)
    done = program("score", "a.csv", "b.csv", "g.csv", "-m", "R", "--corrections", "c.xlsx")
    assert " b     0.5000" in done.out, done.err


def verdicts_of(file: str) -> dict[tuple[str, str, str], str]:
    rows = csv.DictReader(io.StringIO(Path(file).read_text("utf-8-sig")))
    return {(r["run"], r["update_id"], r["nugget_id"]): r["verdict"] for r in rows if r["verdict"]}


def review_again(*more: str) -> Outcome:
    return program("match", "a.csv", "b.csv", "g.csv", "--review", "again.csv", *more)


FIRST = {("a", "1", "n1"): "accept", ("b", "x", "n1"): "accept", ("a", "2", "n2"): "accept"}


@pytest.fixture
def filled(agents: Path) -> str:
    """A review of both agents that holds three verdicts, saved as some spreadsheets do."""
    Path("c.csv").write_text(BOTH)
    assert review_again("--corrections", "c.csv").code == 0
    rows = list(csv.reader(io.StringIO(Path("again.csv").read_text("utf-8-sig"))))
    with (agents / "again.csv").open("w", newline="") as stream:
        csv.writer(stream, delimiter=";", quoting=csv.QUOTE_ALL).writerows(rows)
    return "again.csv"


def test_a_review_over_a_review_keeps_its_verdicts(filled: str) -> None:
    for _ in range(2):
        done = review_again()
        assert (done.code, done.out) == (0, "")
        assert "again.csv: 3 verdicts carried over" in done.err
        assert verdicts_of(filled) == FIRST
    # Another version of the log: the ids are dealt out anew, and one text has other capitals.
    shifted = AGENT.replace("a,t,2,", "a,t,3,").replace("a,t,1,", "a,t,2,").replace("Two", "TWO")
    Path("a.csv").write_text(shifted)
    assert "3 verdicts carried over" in review_again().err
    moved = {("a", "2", "n1"): "accept", ("b", "x", "n1"): "accept", ("a", "3", "n2"): "accept"}
    assert verdicts_of(filled) == moved
    assert review_again("--overwrite").err.count("carried") == 0
    assert verdicts_of(filled) == {}
    assert "carried" not in review_again().err


@pytest.mark.parametrize(
    ("changed", "codes"),
    [
        ({"a.csv": AGENT.replace("Two people hurt", "Two men hurt")}, [("lost-verdict", 4)]),
        ({"g.csv": FACTS.replace("t,n2", "t,n3")}, [("lost-verdict", 4)]),
        ({"g.csv": FACTS.replace("Injured", "Poisoned")}, [("lost-verdict", 4)]),
        ({"a.csv": OTHER.replace("b,t", "a,t")}, [("lost-verdict", 4)]),
        ({"c.csv": f"{ROWS}reject,t,1,n1,a,\n"}, [("conflicting-rows", 2)]),
    ],
)
def test_a_review_that_would_lose_a_verdict_is_refused(
    filled: str, changed: dict[str, str], codes: list[tuple[str, int]]
) -> None:
    Path("c.csv").write_text(ROWS)
    for name, content in changed.items():
        Path(name).write_text(content)
    before = Path(filled).read_bytes()
    done = review_again("--corrections", "c.csv")
    assert (done.code, done.codes) == (1, codes), done.err
    assert Path(filled).read_bytes() == before
    if codes[0][0] == "lost-verdict":
        assert "--overwrite" in done.err
        assert review_again("--corrections", "c.csv", "--overwrite").code == 0


@pytest.mark.parametrize(
    ("encoding", "column", "code"),
    [("utf-16", "verdict", "encoding"), ("utf-8", "Verdict", "missing-column")],
)
def test_verdicts_that_cannot_be_read_are_not_lost(
    filled: str, encoding: str, column: str, code: str
) -> None:
    text = Path(filled).read_text("utf-8-sig").replace("verdict", column)
    Path(filled).write_text(text, encoding)
    before = Path(filled).read_bytes()
    assert review_again().codes == [(code, 1)]
    assert program("score", "a.csv", "g.csv", "-o", filled).code == 1
    assert Path(filled).read_bytes() == before


def test_no_other_result_goes_over_verdicts(filled: str) -> None:
    broken = Path(filled).read_text().replace("accept", "perhaps", 1)
    for content in (Path(filled).read_text(), broken):
        Path(filled).write_text(content)
        for command in ("match", "score", "sample"):
            done = program(command, "a.csv", "b.csv", "g.csv", "-o", filled)
            assert (done.code, "holds verdicts" in done.err) == (1, True)
        assert Path(filled).read_text() == content
    assert review_again().codes == [("unknown-label", 2)]
    assert program("match", "a.csv", "g.csv", "--overwrite").code == 2
