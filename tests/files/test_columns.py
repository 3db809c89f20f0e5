"""Files whose columns and runs have names of their own: said, kept, understood, refused."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd
import pytest

import tseval
from tests import program
from tseval.core import registry
from tseval.families import FAMILIES, Entry

FIXTURES = program.FIXTURES
UPDATES = {"topic": "subject", "update_id": "nr", "time": "when", "text": "said", "run": "agent"}
GOLD = {"topic": "subject", "nugget_id": "nr", "time": "known", "text": "told", "importance": "w"}
START = 1_700_000_000


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def renamed(path: Path, names: Mapping[str, str], to: str) -> str:
    """A table with other names, in the form that the suffix names."""
    frame = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False).rename(columns=names)
    if to.endswith(".jsonl"):
        lines = (json.dumps(each, ensure_ascii=False) for each in frame.to_dict("records"))
        Path(to).write_text("\n".join(lines) + "\n")
    elif to.endswith(".parquet"):
        frame.to_parquet(to)
    else:
        frame.to_csv(to, sep="," if to.endswith(".csv") else "\t", index=False)
    return to


def scores(*arguments: object) -> dict[str, object]:
    done = program.tseval(*arguments, "-f", "json", "-q", "--quiet")
    assert done.code == 0, done.err
    told: dict[str, object] = json.loads(done.out)
    return told


def options(*names: str) -> list[str]:
    return [part for name in names for part in ("--column", name)]


def of(names: Mapping[str, str], kind: str = "") -> list[str]:
    return options(*(f"{kind}{own}={name}" for own, name in names.items()))


SWIFT, NUGGETS = FIXTURES / "runs" / "swift.tsv", FIXTURES / "nuggets.tsv"


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl", "parquet"])
@pytest.mark.parametrize("more", [[], ["--jobs", "2"]])
def test_other_names_change_no_score(form: str, more: list[str]) -> None:
    run = renamed(SWIFT, UPDATES, f"run.{form}")
    gold = renamed(NUGGETS, GOLD, f"gold.{form}")
    plain = scores("score", SWIFT, NUGGETS)
    other = scores("score", run, gold, *of(UPDATES, "updates:"), *of(GOLD, "nuggets:"), *more)
    assert other["records"] == plain["records"]
    assert "columns:updates.topic=subject,updates.update_id=nr," in str(other["signature"])
    assert "nuggets.importance=w" in str(other["signature"])


def test_what_is_said_of_all_inputs_holds_where_the_column_is() -> None:
    run = renamed(SWIFT, {"topic": "subject"}, "run.tsv")
    other = scores("score", run, NUGGETS, "--column", "topic=subject")
    assert other["records"] == scores("score", SWIFT, NUGGETS)["records"]
    assert "|columns:updates.topic=subject|" in str(other["signature"])


def test_a_column_of_the_own_name_is_not_read_where_another_is_named() -> None:
    Path("gold.tsv").write_text(
        f"topic\tnugget_id\ttime\ttext\tfact\nt\tn\t{START}\tnothing here\tthe dam broke\n"
    )
    Path("run.tsv").write_text(f"topic\tupdate_id\ttime\ttext\nt\tu\t{START}\tthe dam broke\n")
    found = tseval.score("run.tsv", "gold.tsv", measures="R", columns={"nuggets:text": "fact"})
    assert found.value("R") == 1.0
    assert tseval.score("run.tsv", "gold.tsv", measures="R").value("R") == 0.0


def test_frames_and_python() -> None:
    frame = pd.read_csv(SWIFT, sep="\t").rename(columns=UPDATES)
    names = {f"updates:{own}": name for own, name in UPDATES.items()}
    found = tseval.score(frame, str(NUGGETS), columns=names)
    assert list(found.records()) == list(tseval.score(str(SWIFT), str(NUGGETS)).records())
    assert list(frame.columns)[:2] == ["agent", "subject"]


def test_names_kept_in_a_file() -> None:
    gold = renamed(NUGGETS, GOLD, "gold.csv")
    lines = [f'{own} = "{name}"' for own, name in GOLD.items()]
    Path("names.toml").write_text("\n".join(["[nuggets]", *lines, "[matches]", 'score = "p"']))
    plain = scores("score", SWIFT, NUGGETS)["records"]
    assert scores("score", SWIFT, gold, "--columns", "names.toml")["records"] == plain
    assert list(tseval.score(str(SWIFT), gold, columns="names.toml").records()) == list(
        tseval.score(str(SWIFT), str(NUGGETS)).records()
    )
    Path("wrong.toml").write_text('nuggets.text = "nowhere"\n' + "\n".join(lines[:3]))
    said = ("--columns", "wrong.toml", "--column", "nuggets:text=told", "--column", "importance=w")
    assert scores("score", SWIFT, gold, *said)["records"] == plain


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("text =", "names.toml: is not TOML"),
        ("text = 5", "names.toml: text is to be a column's name, not 5"),
        ('[nuggets]\ntext = ["a"]', "names.toml: text is to be a column's name, not ['a']"),
        ('[nugget]\ntext = "a"', "no input 'nugget' here; there are: updates, nuggets"),
        ('txet = "a"', "have no column 'txet'; there are: topic, update_id"),
    ],
)
def test_a_file_of_names_that_is_none(content: str, said: str) -> None:
    Path("names.toml").write_text(content)
    done = program.tseval("score", SWIFT, NUGGETS, "--columns", "names.toml")
    assert done.code in (1, 2)
    assert said in done.err


@pytest.mark.parametrize(
    ("names", "code", "said"),
    [
        (["nuggets:text=tetx"], 1, "no column tetx, which --column nuggets:text=tetx asks for"),
        (["nuggets:text=tetx"], 1, "--column nuggets:text=text looks like it; here: topic nugget"),
        (["text=tetx"], 1, "nuggets.tsv: no column tetx, which --column text=tetx asks for"),
        (["nugets:text=text"], 2, "no input 'nugets' here; there are: updates, nuggets, matches"),
        (["nugets:text=text"], 2, "did you mean nuggets?"),
        (["matches:score=score"], 2, "no matches are given"),
        (["nuggets:importence=text"], 2, "have no column 'importence'; there are: topic, nugget"),
        (["nuggets:importence=text"], 2, "did you mean importance?"),
        (["text"], 2, "write NAME=COLUMN, such as text=fact"),
        ([":text=a"], 2, "write NAME=COLUMN, such as text=fact"),
        (["text="], 2, "write NAME=COLUMN, such as text=fact"),
        (["text=a", "text=b"], 2, "--column text is given twice: a, b"),
    ],
)
def test_names_that_fit_nothing(names: list[str], code: int, said: str) -> None:
    done = program.tseval("score", SWIFT, NUGGETS, *options(*names))
    assert done.code == code
    assert said in done.err


def test_common_names_are_understood_and_told_once() -> None:
    for name in ("a", "b"):
        Path(f"{name}.jsonl").write_text(
            f'{{"id": "u", "event": "t", "timestamp": {START}, "message": "the dam broke"}}\n'
        )
    Path("gold.csv").write_text(f"event,id,timestamp,fact,weight\nt,n,{START},the dam broke,2\n")
    done = program.tseval("score", "a.jsonl", "b.jsonl", "gold.csv", "-m", "P", "-f", "csv")
    assert done.out == "run,topic,measure,value\na,all,P,2.0\nb,all,P,2.0\n"
    *told, caveat = done.err.splitlines()
    assert caveat.startswith("warning: Automatic matches: ")
    assert told == [
        "warning: a.jsonl, b.jsonl: read id as update_id, message as text; --column says otherwise",
        "warning: gold.csv: read id as nugget_id, fact as text, weight as importance; --column "
        "says otherwise",
    ]
    blocks = program.tseval("score", "a.jsonl", "gold.csv", "-m", "P", "--in-blocks", "1")
    assert "a.jsonl: read id as update_id" in blocks.err
    curve = program.tseval("curve", "a.jsonl", "gold.csv", "-m", "P")
    assert "gold.csv: read id as nugget_id" in curve.err
    found = program.tseval("match", "a.jsonl", "gold.csv")
    assert "gold.csv: read id as nugget_id" in found.err


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl", "parquet", "frame"])
def test_two_names_that_fit_are_never_chosen_from_in_silence(form: str) -> None:
    names = {"topic": "event", "importance": "event_id"}
    path = renamed(NUGGETS, names, f"gold.{'tsv' if form == 'frame' else form}")
    gold = pd.read_csv(path, sep="\t") if form == "frame" else path
    with pytest.raises(tseval.InputError, match="topic could be event or event_id"):
        tseval.score(str(SWIFT), gold)
    found = tseval.score(str(SWIFT), gold, measures="R", columns={"nuggets:topic": "event"})
    assert len(found.topics) == 3


def test_names_of_runs() -> None:
    rows = f"topic\tupdate_id\ttime\ttext\nt\tu\t{START}\tthe dam broke\n"
    Path("gold.tsv").write_text(f"topic\tnugget_id\ttime\ttext\nt\tn\t{START}\tthe dam broke\n")
    for folder in ("a", "b"):
        Path(folder).mkdir()
        Path(folder, "run.tsv").write_text(rows)

    def runs(*arguments: str) -> list[str]:
        done = program.tseval("score", *arguments, "gold.tsv", "-m", "R", "-f", "csv", "--quiet")
        assert done.code == 0, done.err
        return [line.split(",")[0] for line in done.out.splitlines()[1:]]

    assert runs("a/run.tsv") == ["run"]
    assert runs("a/run.tsv", "--name", "a/run.tsv=old agent") == ["old agent"]
    named = ("--name", "b/run.tsv=new", "--name", "a/run.tsv=old")
    assert runs("a/run.tsv", "b/run.tsv", *named) == ["new", "old"]
    assert runs("a/run.tsv", "b/run.tsv", *named, "--jobs", "2") == ["new", "old"]
    Path("own.tsv").write_text(rows.replace("text\nt", "text\trun\nt").replace("\n", "\tx\n", 2))
    frame = pd.read_csv("a/run.tsv", sep="\t").assign(run="said")
    frame.to_csv("own.tsv", sep="\t", index=False)
    assert runs("own.tsv") == ["said"]
    assert runs("own.tsv", "--name", "own.tsv=given") == ["given"]


def test_names_of_runs_that_fit_nothing() -> None:
    both = pd.concat([pd.read_csv(path, sep="\t") for path in (FIXTURES / "runs").glob("*.tsv")])
    both.to_csv("both.tsv", sep="\t", index=False)
    for name, code, said in (
        ("boht.tsv=x", 2, "with one of the runs' files: both.tsv; did you mean both.tsv?"),
        ("both.tsv=", 2, "give each run one name"),
        ("both.tsv=x", 1, "both.tsv: holds 2 runs, swift thorough, where one name is given"),
    ):
        done = program.tseval("score", "both.tsv", NUGGETS, "--name", name)
        assert (done.code, said in done.err) == (code, True), done.err


RUN_NAMES = {"post_id": "message_id", "time": "sent"}


def test_other_families() -> None:
    posts = renamed(FIXTURES / "filter" / "steady.tsv", RUN_NAMES, "steady.tsv")
    truth = renamed(FIXTURES / "filter" / "truth.tsv", {"relevance": "grade"}, "truth.csv")
    plain = [FIXTURES / "filter" / "steady.tsv", FIXTURES / "filter" / "truth.tsv"]
    said = [*of(RUN_NAMES, "run:"), "--column", "relevance=grade"]
    assert scores("filter", posts, truth, *said)["records"] == scores("filter", *plain)["records"]
    clusters = renamed(FIXTURES / "clusters.tsv", {"cluster_id": "group"}, "groups.jsonl")
    told = ("--column", "clusters:cluster_id=group")
    expected = scores("clusters", SWIFT, FIXTURES / "clusters.tsv")["records"]
    assert scores("clusters", SWIFT, clusters, *told)["records"] == expected
    drawn = program.tseval("curve", SWIFT, clusters, *told, "-m", "coverage")
    assert drawn.code == 0, drawn.err
    assert (
        drawn.out == program.tseval("curve", SWIFT, FIXTURES / "clusters.tsv", "-m", "coverage").out
    )
    shy = renamed(FIXTURES / "incidents" / "shy.tsv", {"types": "kinds"}, "shy.tsv")
    labels = FIXTURES / "incidents" / "labels.json"
    ontology = ("--ontology", FIXTURES / "incidents" / "types.json")
    expected = scores("incidents", FIXTURES / "incidents" / "shy.tsv", labels, *ontology)["records"]
    found = scores("incidents", shy, labels, *ontology, "--column", "run:types=kinds")["records"]
    assert found == expected


def test_compare_scores_files_of_other_names_first() -> None:
    gold = renamed(NUGGETS, {"text": "told"}, "gold.tsv")
    runs = sorted((FIXTURES / "runs").glob("*.tsv"))
    told = ("-m", "R", "-f", "csv")
    plain = program.tseval("compare", *runs, "--gold", NUGGETS, *told)
    other = program.tseval("compare", *runs, "--gold", gold, *told, "--column", "nuggets:text=told")
    assert (other.code, other.out) == (0, plain.out)
    lost = program.tseval("compare", "scores.csv", "--column", "text=told")
    assert lost.err == "error: --column has no meaning without --gold NUGGETS\n"


@pytest.fixture
def _toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    entry = Entry(
        "tests.plugin_package.src.tseval_spotting.spotting",
        "spotting",
        "Which of the items on a list runs spotted.",
    )
    monkeypatch.setitem(FAMILIES, "spotting", entry)
    yield
    registry.family.cache_clear()
    registry.definitions.cache_clear()


@pytest.mark.usefixtures("_toy")
def test_a_toy_family_has_it_for_nothing() -> None:
    Path("run.tsv").write_text(f"event\tthing\tat\nt\ta\t{START}\n")
    Path("items.tsv").write_text(f"topic\titem\tsince\nt\ta\t{START}\nt\tb\t{START}\n")
    said = options("run:item=thing", "run:seen=at")
    found = scores("spotting", "run.tsv", "items.tsv", *said, "--name", "run.tsv=eager")
    assert found["records"] == [
        {"run": "eager", "topic": topic, "measure": "spotted", "value": 0.5}
        for topic in ("t", "all")
    ]
    assert "|columns:sightings.item=thing,sightings.seen=at|" in str(found["signature"])
    lost = program.tseval("spotting", "run.tsv", "items.tsv", *options("run:itme=thing"))
    assert "did you mean item?" in lost.err
