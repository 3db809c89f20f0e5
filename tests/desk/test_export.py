"""What the desk gives to other commands is what it shows, to the last digit, in the same bytes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import tseval
from tests.desk.making import files, made, read
from tests.program import tseval as program
from tseval.desk import decisions as kinds
from tseval.desk.decisions import Decision
from tseval.desk.desk import Desk
from tseval.desk.store import Settings, Store, merge_stores
from tseval.errors import UsageError

ITEMS = {
    "flood": ["a1", "a2@one", "a2@two", "a3", "a9"],
    "ferry": ["b1@one", "b1@two"],
}
NUGGETS = {"flood": ["n1", "n2", "n3", "w1", "w2"], "ferry": ["m1", "m2", "w3"]}


@some.composite
def acts(draw: some.DrawFn) -> list[tuple[str, list[Decision]]]:
    """Random acts of every kind, undoing too."""
    made: list[tuple[str, list[Decision]]] = []
    for _ in range(draw(some.integers(1, 20))):
        who = draw(some.sampled_from(["ada", "ben", "cy"]))
        topic = draw(some.sampled_from(["flood", "ferry"]))
        item, other = (draw(some.sampled_from(ITEMS[topic])) for _ in range(2))
        nugget, into = (draw(some.sampled_from(NUGGETS[topic])) for _ in range(2))
        kind = draw(some.sampled_from([*kinds.VERDICTS, "read", "read", "read"]))
        value = {
            kinds.WRITE: draw(some.sampled_from(["People drowned at a bridge", "Ferry\tsunk  ü"])),
            kinds.TEXT: "The mill bridge",
            kinds.WEIGH: str(draw(some.sampled_from([0.0, 0.1, 2.0, 1 / 3]))),
            kinds.DATE: draw(some.sampled_from(["", "1700000001.25", "1699999999"])),
            kinds.MERGE: into,
            kinds.TOGETHER: other,
        }.get(kind, "")
        if kind == "read":
            matched = draw(some.lists(some.sampled_from(NUGGETS[topic]), unique=True, max_size=2))
            made.append((who, read(who, topic, item, matched, NUGGETS[topic][-1:])))
        elif kind == kinds.DONE:
            continue
        else:
            span = draw(some.sampled_from([(None, None), (0, 5)])) if kind == kinds.MATCH else ()
            made.append((who, [Decision(who, kind, topic, item, nugget, *span, value=value)]))
    return made


def decide(desk: Desk, random: Sequence[tuple[str, list[Decision]]]) -> None:
    for who, act in random:
        if act[0].verdict == kinds.UNDO:
            desk.undo(who)
        else:
            desk.decide(*act)


def written(desk: Desk, folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    for name, content in desk.export().items():
        (folder / name).write_bytes(content)
    return folder


def rows(scores: tseval.Scores) -> list[tuple[object, ...]]:
    return [tuple(each) for each in scores.records()]


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=40)
@given(acts(), some.sampled_from(["matcher", "no"]), some.booleans())
def test_the_export_scores_as_what_if_says(
    random: list[tuple[str, list[Decision]]], unjudged: str, gold: bool
) -> None:
    with TemporaryDirectory() as folder:
        asked = Settings("fuzzy", None, "words", unjudged, 0.2)
        desk = made(Path(folder), gold=gold, settings=asked)
        decide(desk, random)
        if not desk.gold().names:
            return
        runs, _ = files(Path(folder))
        out = written(desk, Path(folder) / "out")
        standing = desk.scored_state()
        assert standing is not None
        shown = desk.what_if(standing)
        scored = tseval.score(runs, str(out / "nuggets.tsv"), str(out / "matches.tsv"))
        assert rows(shown.decided) == rows(scored)
        assert shown.decided.signature == scored.signature
        alone = tseval.score(runs, str(out / "nuggets.tsv"))
        assert rows(shown.machine) == rows(alone)
        if unjudged == "matcher":
            corrected = tseval.score(
                runs, str(out / "nuggets.tsv"), corrections=str(out / "corrections.tsv")
            )
            assert rows(corrected) == rows(scored)


@settings(max_examples=20)
@given(acts())
def test_what_is_kept_between_decisions_is_what_all_of_them_say(
    random: list[tuple[str, list[Decision]]],
) -> None:
    with TemporaryDirectory() as folder:
        desk = made(Path(folder))
        for each in random:
            decide(desk, [each])
            desk.gold()
        fresh = Desk(Store.open(desk.store.path))
        assert desk.state.assessors == fresh.state.assessors
        assert desk.state.readers.tolist() == fresh.state.readers.tolist()
        assert {who: read.tolist() for who, read in desk.state.read_by.items() if read.any()} == {
            who: read.tolist() for who, read in fresh.state.read_by.items()
        }
        assert desk.export() == fresh.export()


@settings(max_examples=20)
@given(acts(), acts())
def test_two_stores_merged_either_way_say_the_same(
    ours: list[tuple[str, list[Decision]]], theirs: list[tuple[str, list[Decision]]]
) -> None:
    with TemporaryDirectory() as folder:
        one = made(Path(folder) / "a", name="one")
        two = made(Path(folder) / "b", name="two")
        decide(one, ours)
        decide(two, theirs)
        copy = Path(folder) / "copy.tseval"
        shutil.copy(one.store.path, copy)
        shutil.copy(f"{one.store.path}-wal", f"{copy}-wal")
        before = Desk(Store.open(copy))
        assert before.export() == one.export()
        new, number = merge_stores(one.store, two.store)
        assert new == number == two.store.size()
        assert merge_stores(one.store, two.store)[0] == 0
        merge_stores(two.store, before.store)
        left, right = one.export(), two.export()
        assert left == right
        assert left == Desk(Store.open(one.store.path)).export()


def test_stores_of_other_things_do_not_merge(tmp_path: Path) -> None:
    one = made(tmp_path / "a")
    other = made(tmp_path / "b", gold=False)
    with pytest.raises(UsageError, match="made with other nuggets than"):
        merge_stores(one.store, other.store)
    shallow = made(tmp_path / "c", settings=Settings("fuzzy", 1, "words", "matcher", 0.2))
    with pytest.raises(UsageError, match=r"--pool 1, .*--pool all"):
        merge_stores(one.store, shallow.store)
    for each in (one, other, shallow):
        each.store.close()


def test_the_commands(here: Path) -> None:
    desk = made(here)
    desk.decide(*read("ada", "flood", "a3", ["n3"]))
    desk.decide(Decision("ada", kinds.TOGETHER, "flood", "a9", value="a2@one"))
    desk.decide(Decision("ada", kinds.SELECT, "flood", "a9"))
    done = program("assess", "export", "desk.tseval", "-o", "out/deep")
    assert done.code == 0, done.err
    first = {each.name: each.read_bytes() for each in Path("out/deep").iterdir()}
    assert program("assess", "export", "--store", "desk.tseval", "-o", "again").code == 0
    assert {each.name: each.read_bytes() for each in Path("again").iterdir()} == first
    assert first["clusters.tsv"].decode().splitlines()[1:] == [
        "flood\ta2@one\ta2\t1700000600\tTwo people drowned at the mill bridge",
        "flood\ta2@one\ta9\t1700001500\tThree people drowned at the mill bridge",
    ]
    assert program("assess", "export", "desk.tseval", "-o", "again").code == 0
    Path("mine").mkdir()
    Path("mine/nuggets.tsv").write_text("mine")
    foreign = program("assess", "export", "desk.tseval", "-o", "mine")
    assert (foreign.code, "export`: nuggets.tsv; name" in foreign.err) == (1, True)
    assert [each.read_text() for each in Path("mine").iterdir()] == ["mine"]
    clusters = program(
        *("clusters", "two.tsv", "again/clusters.tsv", "--selected", "again/selected.tsv"),
        *("-m", "latency redundancy", "-f", "csv"),
    )
    assert clusters.code == 0, clusters.err
    assert "two,all,latency,15.0" in clusters.out
    status = program("assess", "status", "desk.tseval", "-f", "json")
    told = json.loads(status.out)
    assert told["signature"] == json.loads(first["assess.json"])["signature"]
    assert [each["read"] for each in told["topics"]] == [0, 1]
    assert told["assessors"] == [{"assessor": "ada", "decisions": 4, "read": 1, "matches": 1}]
    table = program("assess", "status", "desk.tseval").out
    assert "assessors" in table
    assert table.splitlines()[-1] == told["signature"]
    shutil.copy("desk.tseval", "other.tseval")
    assert program("assess", "merge", "other.tseval", "desk.tseval").code == 0


def test_what_cannot_be_done_is_told(here: Path) -> None:
    assert program("assess", "status").code == 2
    assert program("assess", "status", "a", "--store", "b").code == 2
    (here / "full").write_text("")
    made(here)
    done = program("assess", "export", "desk.tseval", "-o", "full/out")
    assert (done.code, done.err) == (1, "error: full/out: not a directory\n")
