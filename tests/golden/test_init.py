"""`tseval init`: what it makes, what it guesses, and that it touches nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pytest

from tests import program
from tests.golden.test_engineers_folder import FACTS, LOG

FIXTURES = program.FIXTURES


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run_script(folder: str, *more: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The script with the program of this Python first on the path."""
    place = Path("bin").absolute()
    place.mkdir(exist_ok=True)
    (place / "tseval").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tseval "$@"\n')
    (place / "tseval").chmod(0o755)
    path = os.pathsep.join([str(place), os.environ["PATH"]])
    own = os.environ | {"PATH": path, "PYTHONPATH": str(program.ROOT)} | environment
    return subprocess.run(
        ["sh", f"{folder}/score.sh", *more],
        capture_output=True, text=True, env=own, check=False, timeout=120,
    )  # fmt: skip


def test_the_example_passes_and_fails() -> None:
    done = program.tseval("init", "try")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "made in try:",
        "  runs/early.jsonl  a run: what an agent said",
        "  runs/late.jsonl   a run: what an agent said",
        "  gold.csv          what there was to say",
        "  mapping.toml      what the columns are called",
        "  score.sh          scores the runs, and fails where too little is said",
        "next: sh try/score.sh",
    ]
    passed = run_script("try", "-f", "csv")
    assert passed.returncode == 0, passed.stderr
    assert "early,all,R,0.625" in passed.stdout
    failed = run_script("try", REQUIRE="R>=0.9")
    assert failed.returncode == 3
    assert failed.stderr.splitlines()[-1] == "not met: R>=0.9: run early: R is 0.625"
    assert os.access("try/score.sh", os.X_OK)


def test_what_comes_next_can_be_pasted() -> None:
    done = program.tseval("init", "my try; no")
    assert done.out.splitlines()[-1] == "next: sh 'my try; no/score.sh'"
    assert run_script("my try; no").returncode == 0


def test_nothing_is_overwritten() -> None:
    program.tseval("init", "try")
    Path("try/mapping.toml").write_text("mine")
    before = {path: path.read_bytes() for path in Path("try").rglob("*") if path.is_file()}
    done = program.tseval("init", "try")
    assert (done.code, done.out) == (1, "")
    assert "is there already, and nothing is overwritten" in done.err
    assert {path: path.read_bytes() for path in before} == before
    Path("beside").mkdir()
    Path("beside/notes.txt").write_text("mine")
    assert program.tseval("init", "beside").code == 0
    assert Path("beside/notes.txt").read_text() == "mine"


def test_a_link_that_leads_nowhere_is_not_replaced() -> None:
    Path("try").mkdir()
    Path("try/gold.csv").symlink_to("nowhere")
    assert "try/gold.csv is there already" in program.tseval("init", "try").err
    assert [each.name for each in Path("try").iterdir()] == ["gold.csv"]


def engineers_files() -> None:
    Path("logs").mkdir()
    Path("logs/agent v2.jsonl").write_bytes(b"\xef\xbb\xbf" + LOG.replace("\n", "\r\n").encode())
    Path("logs/agent.v1.jsonl").write_bytes(LOG.splitlines()[0].encode())
    Path("facts.csv").write_bytes(b"\xef\xbb\xbf" + FACTS.replace("\n", "\r\n").encode())


def test_an_engineers_files_are_scored_without_a_word_more() -> None:
    engineers_files()
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    logs = ("--from", "logs/agent v2.jsonl", "--from", "logs/agent.v1.jsonl")
    done = program.tseval("init", "work", *logs, "--gold", "facts.csv")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[:5] == [
        "logs/agent v2.jsonl as updates (jsonl, 3 rows):",
        "  event      topic       by its name       Sel 🌊",
        "  id         update_id   by its name       1",
        "  timestamp  time        by its name       2026-03-01T09:00:00+03:00",
        "  says       text        by a like name    İstanbul'da köprü kapandı",
    ]
    assert tomllib.loads(Path("work/mapping.toml").read_text("utf-8")) == {
        "updates": {"topic": "event", "update_id": "id", "time": "timestamp", "text": "says"},
        "nuggets": {
            "topic": "Olay", "nugget_id": "No", "time": "bekannt", "text": "fact",
            "importance": "weight",
        },
    }  # fmt: skip
    failed = run_script("work", "-f", "csv", "--quiet")
    assert failed.returncode == 3
    assert "agent v2,all,R,0.75" in failed.stdout
    assert failed.stderr.splitlines()[-1] == "not met: R>=0.5: run agent.v1: R is 0.2"
    passed = run_script("work", "--quiet", REQUIRE="agent v2.R>=0.5")
    assert (passed.returncode, passed.stderr) == (0, "")
    assert {path: path.read_bytes() for path in before} == before


def test_without_gold_there_are_drafts_that_say_what_they_are() -> None:
    engineers_files()
    done = program.tseval("init", "work", "--from", "logs/agent v2.jsonl")
    told = "2 drafts, the first update of each event: write facts in their place"
    assert told in done.out
    assert Path("work/gold.csv").read_text("utf-8").splitlines() == [
        "topic,nugget_id,time,text,importance",
        "Sel 🌊,draft-1,2026-03-01T09:00:00+03:00,İstanbul'da köprü kapandı,1",
        "洪水,draft-2,2026-03-01T15:00:00+08:00,大桥已经关闭,1",
    ]
    assert run_script("work").returncode == 0


UNNAMED = {name: f"x{at}" for at, name in enumerate(["run", "topic", "update_id", "time", "text"])}


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl", "json", "parquet"])
def test_names_that_say_nothing_are_told_by_what_they_hold(form: str) -> None:
    frame = pd.read_csv(FIXTURES / "runs" / "thorough.tsv", sep="\t").rename(columns=UNNAMED)
    frame["active"], frame["more"] = True, pd.Series([{"a": 1}] * len(frame))
    log = Path(f"log.{form}")
    if form == "parquet":
        frame.drop(columns="more").to_parquet(log)
    elif form in ("jsonl", "json"):
        frame.to_json(log, orient="records", lines=form == "jsonl")
    else:
        frame.to_csv(log, sep="\t" if form == "tsv" else ",", index=False)
    done = program.tseval("init", "work", "--from", log)
    assert done.code == 0, done.err
    found = tomllib.loads(Path("work/mapping.toml").read_text())["updates"]
    wanted = {own: name for own, name in UNNAMED.items() if own != "run"}
    assert found == wanted


def refused(*arguments: object) -> str:
    done = program.tseval("init", "work", *arguments)
    assert done.code in (1, 2)
    assert not Path("work").exists()
    return done.err


def log_of(*rows: Mapping[str, object]) -> str:
    Path("log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return "log.jsonl"


ROW = {"id": "a", "event": "flood", "at": "2026-03-01", "says": "water everywhere"}


@pytest.mark.parametrize(
    ("lacking", "said", "cure"),
    [
        ("at", "no column holds a time", "--column time=COLUMN"),
        ("says", "no column holds a text", "--column text=COLUMN"),
        ("id", "no column of ids", "--number numbers the rows"),
        ("event", "no column holds the event that a row is about", "--topic NAME"),
    ],
)
def test_what_is_missing_is_told_with_the_cure(lacking: str, said: str, cure: str) -> None:
    rows = [ROW, ROW] if lacking == "id" else [ROW]
    left = [{name: value for name, value in row.items() if name != lacking} for row in rows]
    error = refused("--from", log_of(*left), *["--no-number"] * (lacking == "id"))
    assert f"log.jsonl: {said}" in error
    assert cure in error


def test_what_is_said_goes_before_guesses() -> None:
    rows = [{**ROW, "id": name, "note": f"note {name}"} for name in "ab"]
    log = log_of(*rows)
    program.tseval("init", "work", "--from", log, "--column", "text=note")
    found = tomllib.loads(Path("work/mapping.toml").read_text())["updates"]
    assert found == {"topic": "event", "update_id": "id", "time": "at", "text": "note"}
    shutil.rmtree("work")
    told = refused("--from", log, "--column", "text=nowhere")
    assert "no column nowhere, which --column text=nowhere asks for" in told
    assert "the inputs here are updates and nuggets" in refused(
        "--from", log, "--column", "clusters:text=note"
    )


HEAD = '{"at": "2026-02-10T05:10:00+01:00", '
NESTED = (
    HEAD + '"event": {"name": "fire"}, "out": {"parts": [{"text": "Fire"}, {"text": "here"}]}}\n'
)
UGLY: dict[str, tuple[dict[str, str], str, dict[str, dict[str, str]]]] = {
    "no ids, one event": (
        {"log.jsonl": '{"at": 1770696600, "says": "Fire here"}\n'},
        "--topic fire",
        {"updates": {"topic": "=fire", "update_id": "=#", "time": "at", "text": "says"}},
    ),
    "the gold's only event": (
        {"log.csv": "time;text;n\n2026-02-10;Fire here;7\n", "gold.csv": "event,id,time,fact\n"
            "fire,f,2026-02-10,Fire here\n"},
        "",
        {"updates": {"topic": "=fire", "update_id": "n"},
         "nuggets": {"topic": "event", "nugget_id": "id", "text": "fact"}},
    ),
    "the log's only event, beside a column of words that repeat": (
        {"log.csv": "event,id,time,text\nfire,a,2026-02-10,Fire here\n",
         "gold.csv": "Fact;Known at;How important\n"
            "Fire here;2026-02-10;high\nIt is out;2026-02-11;high\nAll is well;2026-02-12;low\n"},
        "",
        {"nuggets": {"topic": "=fire", "nugget_id": "=#", "time": "Known at", "text": "Fact"}},
    ),
    "semicolons, decimal commas, days first, no zone beside one": (
        {"log.jsonl": NESTED, "gold.csv": "\ufeffWann;Fakt;weight;event\r\n"
            "13.02.2026 04:00;Fire here;1,5;fire\r\n14.02.2026 04:00;It is out;2;fire\r\n"},
        "",
        {"updates": {"topic": "event.name", "update_id": "=#", "time": "at",
                     "text": "out.parts.*.text"},
         "nuggets": {"topic": "event", "nugget_id": "=#", "time": "Wann", "text": "Fakt",
                     "importance": "weight", "time_format": "%d.%m.%Y %H:%M", "decimal": ",",
                     "time_zone": "UTC"}},
    ),
    "milliseconds, texts in a list": (
        {"log.jsonl": '{"ts": 1770696600000, "event": "fire", "id": "a", "says": ["Fire", "on"]}'},
        "",
        {"updates": {"topic": "event", "update_id": "id", "time": "ts", "text": "says.*",
                     "time_format": "milliseconds"},
         "nuggets": {"time_format": "milliseconds"}},
    ),
    "an id that repeats, a confidence in words": (
        {"log.csv": "event,id,time,text,confidence\n" + 2 * "fire,s,2026-02-10,Fire here,high\n"},
        "",
        {"updates": {"topic": "event", "update_id": "=#", "confidence": "=0"}},
    ),
    "a text of several lines": (
        {"log.csv": 'Date,Content,event\n2026-02-10T04:00:00.0000000+00:00,"Fire\nhere",fire\n'},
        "",
        {"updates": {"topic": "event", "update_id": "=#", "time": "Date", "text": "Content"}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", UGLY)
def test_ugly_files_are_scored_as_they_are(case: str) -> None:
    files, options, mapping = UGLY[case]
    for name, content in files.items():
        Path(name).write_text(content, newline="")
    log, *gold = files
    given = ["--from", log, *(["--gold", *gold] if gold else [])]
    done = program.tseval("init", "work", *given, *options.split())
    assert (done.code, done.err) == (0, "")
    found = tomllib.loads(Path("work/mapping.toml").read_text("utf-8"))
    assert {name: found[name] for name in mapping} == mapping
    paths = (log, *(gold or ["work/gold.csv"]), "--columns", "work/mapping.toml")
    scored = program.tseval("score", *paths, "-m", "R", "-f", "csv")
    assert scored.code == 0, scored.err
    assert float(scored.out.splitlines()[1].rpartition(",")[2]) > 0
    assert "zone" not in scored.err
    assert program.tseval("score", *paths, "-m", "R", "--in-blocks", "1").code in (0, 2)
    assert "no fault" in program.tseval("validate", *paths).out
    if log.endswith(".jsonl"):
        lines = Path(log).read_bytes()
        followed = program.tseval("follow", *paths[1:], "-m", "R", stdin=lines)
        assert followed.code == 0, followed.err
        last = json.loads(followed.out.splitlines()[-1])["records"][0]["value"]
        assert scored.out.splitlines()[1] == f"log,all,R,{last}"


def test_versions_of_one_agent_are_runs_of_their_own() -> None:
    for version, rows in (("v1", 1), ("v2", 2)):
        Path(version).mkdir()
        Path(version, "log.jsonl").write_text("".join([NESTED] * rows))
    logs = ("--from", "v1/log.jsonl", "--from", "v2/log.jsonl")
    assert program.tseval("init", "work", *logs).code == 0
    done = run_script("work", "-f", "csv", "-o", "scores.csv", "--quiet")
    assert done.returncode == 0, done.stderr
    runs = {line.split(",")[0] for line in Path("scores.csv").read_text().splitlines()[1:]}
    assert runs == {"v1/log", "v2/log"}


def test_a_terminal_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    log = log_of(
        {"at": "02/03/2026 04:00", "says": "water"}, {"at": "02/03/2026 05:00", "says": "x"}
    )
    monkeypatch.setattr("tseval.cli.init.is_terminal", lambda: True)
    done = program.tseval("init", "work", "--from", log, stdin=b"flood\n%d/%m/%Y %H:%M\n")
    assert done.code == 0, done.err
    found = tomllib.loads(Path("work/mapping.toml").read_text())["updates"]
    assert (found["topic"], found["time_format"]) == ("=flood", "%d/%m/%Y %H:%M")


def test_logs_of_two_kinds_are_refused() -> None:
    log = log_of({**ROW})
    Path("other.jsonl").write_text(json.dumps({**ROW, "said": "x"}).replace('"says"', '"words"'))
    told = refused("--from", log, "--from", "other.jsonl")
    assert "other.jsonl: no column says" in told
    assert "log.jsonl has it: give logs of one kind" in told


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--gold", "facts.csv"), "--gold has no meaning without --from LOG"),
        (("--column", "a=b"), "--column has no meaning without --from LOG"),
        (("--from", "nowhere.jsonl"), "nowhere.jsonl: no such file or directory"),
        (("--from", "prose.txt"), "prose.txt:1: the format is not recognised"),
        (("--from", "empty.jsonl"), "empty.jsonl: the file is empty"),
        (("--from", "head.csv"), "head.csv: holds no row"),
        (("--from", "-"), "standard input (-) is gone once it is read"),
        (("--from", "log.csv", "--gold", "-"), "standard input (-) is gone once it is read"),
    ],
)
def test_what_cannot_be_is_refused(arguments: tuple[str, ...], said: str) -> None:
    Path("prose.txt").write_text("Dear all\n")
    Path("empty.jsonl").touch()
    Path("head.csv").write_text("topic,update_id,time,text\n")
    assert said in refused(*arguments)


def test_a_folder_that_cannot_be_made_is_told() -> None:
    Path("file").touch()
    done = program.tseval("init", "file/work")
    assert (done.code, done.err) == (1, "error: file/work: not a directory\n")
