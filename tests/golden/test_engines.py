"""The same bytes from every engine, and from units of every size, for every command."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import product
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

from tests.program import MATCHES, NUGGETS, ROOT, SWIFT, THOROUGH, Outcome, tseval
from tseval import score
from tseval.core import calling
from tseval.matching import in_units
from tseval.matching.in_units import hash_texts
from tseval.parallel.engine import Engine, Here, Result, Unit, Work
from tseval.parallel.sharing import Sharing

ENGINES = ("local", "dask")
SIZES = (1, 7, 1000)
CLUSTERS = str(ROOT / "fixtures" / "clusters.tsv")


class Counting:
    """An engine in this process that counts its units."""

    def __init__(self) -> None:
        self.done = 0
        self.stop_after: int | None = None

    def run(self, work: Work[Result], todo: Sequence[Unit]) -> Iterator[Result]:
        for unit in todo:
            if self.done == self.stop_after:
                raise KeyboardInterrupt
            self.done += 1
            yield work(unit)

    def close(self) -> None:
        pass


@cache
def alone_of(*arguments: object) -> Outcome:
    """What a command says where nothing shares its work yet: once for all engines and sizes."""
    done = tseval(*arguments)
    assert done.code == 0, done.err
    return done


START = 1_700_006_400
"""Midnight: when the tables made here start."""


@pytest.fixture
def sharing(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let the program share its work so, whatever its options say of engines."""

    def use(engine: Engine, rows: int | None = None) -> None:
        @contextmanager
        def shared(*_: object, resume: bool = False) -> Iterator[Sharing]:
            yield Sharing(engine, resume, rows)

        monkeypatch.setattr(calling, "shared", shared)

    return use


@pytest.fixture(scope="module")
def incidents(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """Three runs, each with types that nobody knows, labels, and their ontology."""
    folder = tmp_path_factory.mktemp("incidents")
    types = ["Request-GoodsServices", "Report-Weather", "Other-Advice"]
    ontology = {"informationTypes": [{"id": name} for name in types]}
    (folder / "ontology.json").write_text(json.dumps(ontology))
    posts = [f"{number}" for number in range(100, 120)]
    levels = ("Low", "Medium", "High", "Critical")
    labels = ["topic\tpost_id\tlevel\ttypes\ttime"]
    labels += [
        f"flood\t{post}\t{levels[at % 4]}\t{types[at % 3]}\t{START + at}"
        for at, post in enumerate(posts)
    ]
    (folder / "labels.tsv").write_text("\n".join(labels) + "\n")
    for run in range(3):
        lines = [
            f"flood Q0 {post} {at} {((at * 7 + run) % 10) / 10} {types[(at + run) % 3]} run{run}"
            for at, post in enumerate(posts)
        ]
        lines[run] = f"flood Q0 {posts[run]} {run} 0.5 Unknown-Type{run} run{run}"
        (folder / f"run{run}").write_text("\n".join(lines) + "\n")
    runs = [str(folder / f"run{run}") for run in range(3)]
    return (*runs, str(folder / "labels.tsv"), "--ontology", str(folder / "ontology.json"))


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    folder = tmp_path_factory.mktemp("values")
    for name, start in (("a", 1), ("b", 4), ("gold", 3)):
        rows = "".join(f"t1\tdeaths\t{START + time}\t{start * time}\n" for time in range(1, 9))
        (folder / f"{name}.tsv").write_text(f"topic\tattribute\ttime\tvalue\n{rows}")
    return tuple(str(folder / f"{name}.tsv") for name in ("a", "b", "gold"))


@pytest.fixture(scope="module")
def filtering(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    folder = tmp_path_factory.mktemp("filtering")
    for run, step in (("a", 2), ("b", 3)):
        rows = "".join(f"t1\tp{at}\t{START + at * 86400}\t{at % 7}\n" for at in range(0, 20, step))
        (folder / f"{run}.tsv").write_text(f"topic\tpost_id\ttime\tconfidence\n{rows}")
    rows = "".join(f"t1\tp{at}\t{START + at * 86400}\t{at % 3}\n" for at in range(20))
    (folder / "truth.tsv").write_text(f"topic\tpost_id\ttime\trelevance\n{rows}")
    return tuple(str(folder / f"{name}.tsv") for name in ("a", "b", "truth"))


MATCHING = {
    "match": ("match", SWIFT, THOROUGH, NUGGETS),
    "two matchers": ("match", SWIFT, THOROUGH, NUGGETS, "--matcher", "grams", "--matcher", "fuzzy"),
    "score": ("score", SWIFT, THOROUGH, NUGGETS, "-q", "--at", "6h"),
    "pool": ("score", SWIFT, NUGGETS, "--pool", "POOL", "--matcher", "fuzzy", "-q"),
    "json": ("score", SWIFT, THOROUGH, NUGGETS, "-f", "json"),
    "curve": ("curve", SWIFT, THOROUGH, NUGGETS, "--matcher", "exact"),
    "calibrate": ("calibrate", SWIFT, THOROUGH, NUGGETS, MATCHES, "-f", "json"),
    "compare": ("compare", SWIFT, THOROUGH, "--gold", NUGGETS, "-f", "json"),
    "sums": ("match", SWIFT, NUGGETS, "--matcher", "blend(fuzzy(window=4),grams)"),
    "blocks": ("score", SWIFT, THOROUGH, NUGGETS, "--in-blocks", 8, "-q", "-f", "json"),
    "blocks by grams": ("score", SWIFT, NUGGETS, "--in-blocks", 3, "--matcher", "grams"),
    "blocks of a pool": ("score", SWIFT, NUGGETS, "--pool", "POOL", "--in-blocks", 5, "-q"),
}


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A pool that has other texts than the run for some of its updates."""
    path = tmp_path_factory.mktemp("pool") / "pool.tsv"
    updates = pd.read_csv(SWIFT, sep="\t", dtype=str)[["topic", "update_id", "text"]]
    updates.loc[::2, "text"] = "River Osk burst its banks in Tarrin, 400 homes under water"
    updates.iloc[:-2].to_csv(path, sep="\t", index=False)
    return str(path)


class TestCommands:
    @pytest.mark.parametrize(
        ("at", "what", "name"), [(at, *each) for at, each in enumerate(product(MATCHING, ENGINES))]
    )
    def test_matching(
        self,
        at: int,
        what: str,
        name: str,
        engines: dict[str, Engine],
        pool: str,
        sharing: Callable[..., None],
    ) -> None:
        arguments = [pool if each == "POOL" else each for each in MATCHING[what]]
        alone = alone_of(*arguments)
        sharing(engines[name], SIZES[at % len(SIZES)])
        assert tseval(*arguments) == alone

    def test_the_rules_for_topics_and_nuggets(
        self, tmp_path: Path, engines: dict[str, Engine], sharing: Callable[..., None]
    ) -> None:
        nuggets = pd.read_csv(NUGGETS, sep="\t", dtype=str)
        nuggets["topic"] = "TS14." + nuggets["topic"].map({"flood": "1"}).fillna("2")
        nuggets["nugget_id"] = [f"n{row}" for row in range(len(nuggets))]
        nuggets["importance"] = [str(row % 3) for row in range(len(nuggets))]
        updates = pd.read_csv(SWIFT, sep="\t", dtype=str)
        updates["topic"] = updates["topic"].map({"flood": "1"}).fillna("2")
        nuggets.to_csv(tmp_path / "nuggets.tsv", sep="\t", index=False)
        updates.to_csv(tmp_path / "run.tsv", sep="\t", index=False)
        arguments = (
            *("score", tmp_path / "run.tsv", tmp_path / "nuggets.tsv", "--edition", "ts2014"),
            *("--rule", "unimportant=drop", "-q", "-f", "json"),
        )
        alone = tseval(*arguments)
        assert alone.code == 0, alone.err
        assert "left out by the rules" in alone.out
        sharing(engines["local"], 2)
        assert tseval(*arguments) == alone

    @pytest.mark.parametrize("name", ENGINES)
    @pytest.mark.parametrize(
        "what", ["clusters", "incidents", "values", "filter", "score", "curve"]
    )
    def test_reading_runs(
        self,
        what: str,
        name: str,
        engines: dict[str, Engine],
        incidents: tuple[str, ...],
        values: tuple[str, ...],
        filtering: tuple[str, ...],
        sharing: Callable[..., None],
    ) -> None:
        arguments = {
            "clusters": ("clusters", SWIFT, THOROUGH, CLUSTERS, "-q", "-f", "json"),
            "incidents": ("incidents", *incidents, "-q", "-f", "json"),
            "values": ("values", *values, "-q", "-f", "json"),
            "filter": ("filter", *filtering, "-q", "-f", "json"),
            "score": ("score", SWIFT, THOROUGH, NUGGETS, "--matches", MATCHES, "-f", "json"),
            "curve": ("curve", SWIFT, THOROUGH, CLUSTERS, "-m", "latency"),
        }[what]
        alone = alone_of(*arguments)
        sharing(engines[name])
        assert tseval(*arguments) == alone

    @pytest.mark.parametrize("what", ["updates", "recorded", "incidents", "filter"])
    def test_the_page_of_a_report(
        self,
        what: str,
        engines: dict[str, Engine],
        incidents: tuple[str, ...],
        filtering: tuple[str, ...],
        tmp_path: Path,
        sharing: Callable[..., None],
    ) -> None:
        *runs, labels, _, ontology = incidents
        scored, beside = {
            "updates": (
                ("score", SWIFT, THOROUGH, NUGGETS, "-f", "csv"),
                ("--updates", SWIFT, "--updates", THOROUGH, "--nuggets", NUGGETS),
            ),
            "recorded": (("score", SWIFT, THOROUGH, NUGGETS, "-f", "json"), ()),
            "incidents": (
                ("incidents", *incidents, "-f", "json"),
                (*(f"--run={run}" for run in runs), "--labels", labels, "--ontology", ontology),
            ),
            "filter": (
                ("filter", *filtering, "-f", "json"),
                (*(f"--run={run}" for run in filtering[:-1]), "--truth", filtering[-1]),
            ),
        }[what]
        scores = tmp_path / "scores"
        assert tseval(*scored, "-q", "-o", scores).code == 0
        alone = tseval("report", scores, *beside)
        assert alone.code == 0, alone.err
        counting = Counting()
        sharing(counting, 7)
        assert tseval("report", scores, *beside) == alone
        assert counting.done > 1
        for name in ENGINES:
            sharing(engines[name], 7)
            assert tseval("report", scores, *beside) == alone, name

    @pytest.mark.parametrize("name", ENGINES)
    def test_a_faulty_run_is_told_as_it_is_here(
        self,
        name: str,
        engines: dict[str, Engine],
        tmp_path: Path,
        sharing: Callable[..., None],
    ) -> None:
        faulty = tmp_path / "faulty.tsv"
        faulty.write_text("topic\tpost_id\ttime\nflood\tp1\tsoon\nflood\tp1\n")
        arguments = ("clusters", SWIFT, faulty, THOROUGH, CLUSTERS)
        alone = tseval(*arguments)
        assert (alone.code, alone.out) == (1, "")
        assert f"{faulty}:2" in alone.err
        sharing(engines[name])
        assert tseval(*arguments) == alone

    @pytest.mark.parametrize("name", ENGINES)
    @pytest.mark.parametrize("bad", ["t\tu\tsoon\tx", "t\tu", "t\tu3\t1700000000\tx"])
    def test_a_faulty_block_is_told_as_it_is_here(
        self,
        bad: str,
        name: str,
        engines: dict[str, Engine],
        tmp_path: Path,
        sharing: Callable[..., None],
    ) -> None:
        run = tmp_path / "run.tsv"
        lines = [f"flood\tu{at}\t{START + at}\tthe river Osk\n" for at in range(40)]
        lines.insert(29, f"{bad}\n".replace("t\t", "flood\t", 1))
        run.write_text("topic\tupdate_id\ttime\ttext\n" + "".join(lines))
        arguments = ("score", run, NUGGETS, "--in-blocks", 4)
        alone = tseval(*arguments)
        assert (alone.code, alone.out) == (1, "")
        assert f"{run}:31: " in alone.err
        sharing(engines[name], 2)
        assert tseval(*arguments) == alone

    def test_blocks_are_shared_out_one_after_the_other(self, sharing: Callable[..., None]) -> None:
        counting = Counting()
        sharing(counting, 2)
        outcome = tseval("score", SWIFT, THOROUGH, NUGGETS, "--in-blocks", 8, "-f", "json")
        read = [each["rows"] for each in json.loads(outcome.out)["inputs"]][:2]
        blocks = [min(8, rows - start) for rows in read for start in range(0, rows, 8)]
        assert counting.done == sum(-(-rows // 2) for rows in blocks)

    def test_standard_input(self, engines: dict[str, Engine], sharing: Callable[..., None]) -> None:
        content = Path(SWIFT).read_bytes()
        commands = (
            ("match", "-", THOROUGH, NUGGETS),
            ("clusters", THOROUGH, "-", CLUSTERS),
            ("calibrate", "-", NUGGETS, MATCHES),
        )
        alone = [tseval(*arguments, stdin=content) for arguments in commands]
        assert [each.code for each in alone] == [0, 0, 0]
        sharing(engines["local"], 2)
        assert [tseval(*arguments, stdin=content) for arguments in commands] == alone

    def test_standard_input_is_no_file_of_that_name(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        engines: dict[str, Engine],
        sharing: Callable[..., None],
    ) -> None:
        monkeypatch.chdir(tmp_path)
        Path("-").write_bytes(Path(THOROUGH).read_bytes())
        content = Path(SWIFT).read_bytes()
        alone = tseval("match", "-", NUGGETS, stdin=content)
        sharing(engines["local"], 2)
        assert tseval("match", "-", NUGGETS, stdin=content) == alone

    def test_every_form_of_updates(
        self, tmp_path: Path, engines: dict[str, Engine], sharing: Callable[..., None]
    ) -> None:
        updates = pd.read_csv(SWIFT, sep="\t", dtype={"run": str})
        updates["text"] = updates["text"].where(
            updates.index % 3 > 0, "two\nlines, " + updates.text
        )
        updates.to_csv(tmp_path / "run.csv", index=False)
        updates.to_json(tmp_path / "run.jsonl", orient="records", lines=True)
        updates.to_parquet(tmp_path / "run.parquet", row_group_size=3)
        plain = gzip.compress(Path(SWIFT).read_bytes().replace(b"\n", b"\r\n\r\n"))
        (tmp_path / "run.tsv.gz").write_bytes(plain)
        commands = [("match", path, NUGGETS) for path in sorted(tmp_path.glob("run.*"))]
        alone = [tseval(*arguments) for arguments in commands]
        assert [each.code for each in alone] == [0, 0, 0, 0]
        for size in (1, 2, 7):
            sharing(engines["local"], size)
            assert [tseval(*arguments) for arguments in commands] == alone


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("score", SWIFT, NUGGETS, "--matches", MATCHES, "--in-blocks", 9, "-j", 2),
            "-j has no meaning with --in-blocks and --matches",
        ),
        (
            ("score", NUGGETS, "--follow", "--engine", "dask"),
            "--engine has no meaning with --follow",
        ),
        (
            ("filter", MATCHES, "--show", "bursts", "-j", 2),
            "-j has no meaning with --show burst",
        ),
        (("curve", SWIFT, CLUSTERS, "--resume"), "--resume has no meaning with measures over"),
        (("compare", MATCHES, "--jobs", 2), "-j has no meaning without --gold"),
        (("compare", MATCHES, "--engine", "dask"), "--engine has no meaning without --gold"),
        (("match", SWIFT, NUGGETS, "--scheduler", "tcp://x:1"), "give --engine dask, too"),
    ],
    ids=[
        "in blocks by matches",
        "follow",
        "bursts",
        "clusters",
        "compare",
        "compare on dask",
        "scheduler",
    ],
)
def test_options_that_would_do_nothing_are_refused(
    arguments: tuple[object, ...], said: str
) -> None:
    outcome = tseval(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert said in outcome.err


def test_python_takes_an_engine_by_name_or_as_it_is(engines: dict[str, Engine]) -> None:
    alone = score([SWIFT, THOROUGH], NUGGETS)
    for given in ({"jobs": 2}, {"engine": engines["local"]}, {"engine": engines["dask"]}):
        assert score([SWIFT, THOROUGH], NUGGETS, **given).frame().equals(alone.frame())
    frames = [pd.read_csv(run, sep="\t") for run in (SWIFT, THOROUGH)]
    gold = pd.read_csv(NUGGETS, sep="\t")
    here, there = score(frames, gold), score(frames, gold, engine=engines["local"])
    assert (there.signature, there.warnings) == (here.signature, here.warnings)
    assert there.frame().equals(here.frame())


class Meddling:
    """Changes a file, or removes it, before the first unit is done."""

    def __init__(self, path: Path, before: bytes, after: bytes) -> None:
        self.path, self.before, self.after = path, before, after

    def run(self, work: Work[Result], todo: Sequence[Unit]) -> Iterator[Result]:
        if self.before:
            content = self.path.read_bytes()
            assert self.before in content
            self.path.write_bytes(content.replace(self.before, self.after))
        else:
            self.path.unlink()
        return map(work, todo)

    def close(self) -> None:
        pass


class TestOtherFiles:
    """A worker that is to read a file must see what this process does; texts are sent to it."""

    @pytest.mark.parametrize("before", [b"Osk", b""])
    def test_files_are_not_read_again_to_be_matched(
        self, before: bytes, tmp_path: Path, sharing: Callable[..., None]
    ) -> None:
        updates = tmp_path / Path(SWIFT).name
        updates.write_bytes(Path(SWIFT).read_bytes())
        alone = tseval("match", updates, NUGGETS)
        sharing(Meddling(updates, before, b"Esk"), 2)
        assert tseval("match", updates, NUGGETS) == alone

    @pytest.mark.parametrize("resume", [True, False])
    def test_texts_are_hashed_to_be_found_again(
        self,
        resume: bool,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        sharing: Callable[..., None],
    ) -> None:
        monkeypatch.setenv("TSEVAL_CACHE", str(tmp_path / "cache"))
        hashed: list[int] = []

        def counted(texts: pl.DataFrame) -> str:
            hashed.append(texts.height)
            return hash_texts(texts)

        monkeypatch.setattr(in_units, "hash_texts", counted)
        engine = Counting()
        sharing(engine, 2)
        assert tseval("match", SWIFT, NUGGETS, *["--resume"] * resume).code == 0
        assert len(hashed) == 1 + engine.done * resume

    def test_no_file(self, tmp_path: Path, sharing: Callable[..., None]) -> None:
        updates = tmp_path / "updates.tsv"
        updates.write_bytes(Path(SWIFT).read_bytes())
        sharing(Meddling(updates, b"", b""), 2)
        outcome = tseval("clusters", updates, CLUSTERS)
        assert (outcome.code, outcome.out) == (1, "")
        assert f"error: {updates}: not there for the worker on " in outcome.err


class TestResume:
    @pytest.fixture(autouse=True)
    def _cache(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TSEVAL_CACHE", str(tmp_path / "cache"))

    MATCH = ("match", SWIFT, THOROUGH, NUGGETS)

    def entries(self, tmp_path: Path) -> list[Path]:
        return sorted((tmp_path / "cache").rglob("*.pairs"))

    def test_what_was_found_is_not_looked_for_again(
        self, tmp_path: Path, sharing: Callable[..., None]
    ) -> None:
        alone = tseval(*self.MATCH)
        engine = Counting()
        sharing(engine, 2)
        assert tseval(*self.MATCH, "--resume") == alone
        needed = engine.done
        assert needed == len(self.entries(tmp_path)) > 5
        assert tseval(*self.MATCH, "--resume") == alone
        assert tseval("score", SWIFT, NUGGETS, "--resume").code == 0
        assert engine.done == needed

    def test_without_the_option_nothing_is_kept(
        self, tmp_path: Path, sharing: Callable[..., None]
    ) -> None:
        sharing(Counting(), 2)
        assert tseval(*self.MATCH).code == 0
        assert not (tmp_path / "cache").exists()

    def test_an_interrupted_run_goes_on_where_it_was(
        self, tmp_path: Path, sharing: Callable[..., None]
    ) -> None:
        alone = tseval(*self.MATCH)
        engine = Counting()
        engine.stop_after = 4
        sharing(engine, 2)
        assert tseval(*self.MATCH, "--resume").code == 130
        assert len(self.entries(tmp_path)) == 4
        again = Counting()
        sharing(again, 2)
        assert tseval(*self.MATCH, "--resume") == alone
        assert again.done == len(self.entries(tmp_path)) - 4

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda whole: whole[:0],
            lambda whole: whole[:-1],
            lambda whole: whole[:60] + bytes([whole[60] ^ 1]) + whole[61:],
            lambda whole: whole + b"\0",
            lambda whole: whole.replace(b"tseval", b"others"),
        ],
        ids=["empty", "short", "flipped", "long", "foreign"],
    )
    def test_what_is_not_whole_is_made_again(
        self,
        spoil: Callable[[bytes], bytes],
        tmp_path: Path,
        sharing: Callable[..., None],
    ) -> None:
        engine = Counting()
        sharing(engine, 2)
        alone = tseval(*self.MATCH, "--resume")
        entries = self.entries(tmp_path)
        whole = entries[3].read_bytes()
        entries[3].write_bytes(spoil(whole))
        again = Counting()
        sharing(again, 2)
        assert tseval(*self.MATCH, "--resume") == alone
        assert again.done == 1
        assert entries[3].read_bytes() == whole

    def test_the_content_of_another_entry_is_made_again(
        self, tmp_path: Path, sharing: Callable[..., None]
    ) -> None:
        sharing(Counting(), 2)
        alone = tseval(*self.MATCH, "--resume")
        entries = self.entries(tmp_path)
        whole = [entry.read_bytes() for entry in entries]
        for entry, content in zip(entries, [*whole[1:], whole[0]], strict=True):
            entry.write_bytes(content)
        again = Counting()
        sharing(again, 2)
        assert tseval(*self.MATCH, "--resume") == alone
        assert again.done == len(entries)
        assert [entry.read_bytes() for entry in entries] == whole

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
    def test_a_pipe_in_the_place_of_an_entry_is_not_waited_for(
        self, tmp_path: Path, sharing: Callable[..., None]
    ) -> None:
        sharing(Counting(), 2)
        alone = tseval(*self.MATCH, "--resume")
        entry = self.entries(tmp_path)[3]
        entry.unlink()
        os.mkfifo(entry)
        assert tseval(*self.MATCH, "--resume") == alone
        assert entry.is_file()

    def test_a_folder_in_the_place_of_an_entry_is_named(
        self, tmp_path: Path, sharing: Callable[..., None]
    ) -> None:
        sharing(Counting(), 2)
        tseval(*self.MATCH, "--resume")
        entry = self.entries(tmp_path)[3]
        entry.unlink()
        entry.mkdir()
        outcome = tseval(*self.MATCH, "--resume")
        assert (outcome.code, outcome.out) == (1, "")
        assert f"{entry}: is a directory: pairs cannot be kept" in outcome.err

    @pytest.mark.parametrize(
        "other",
        [("--matcher", "fuzzy(threshold=0.6)"), ("--matcher", "grams"), ("--threshold", "0.3")],
    )
    def test_another_matcher_is_another_question(
        self, other: tuple[str, ...], sharing: Callable[..., None]
    ) -> None:
        sharing(Counting(), 2)
        tseval(*self.MATCH, "--resume")
        engine = Counting()
        sharing(engine, 2)
        shared = tseval(*self.MATCH, *other, "--resume")
        assert engine.done > 5
        sharing(Here())
        assert shared == tseval(*self.MATCH, *other)

    def test_other_nuggets_are_another_question(
        self, tmp_path: Path, sharing: Callable[..., None]
    ) -> None:
        sharing(Counting(), 2)
        tseval(*self.MATCH, "--resume")
        nuggets = tmp_path / "nuggets.tsv"
        nuggets.write_bytes(Path(NUGGETS).read_bytes().replace(b"Osk", b"Esk"))
        engine = Counting()
        sharing(engine, 2)
        assert tseval("match", SWIFT, THOROUGH, nuggets, "--resume").code == 0
        assert engine.done > 5

    def test_a_full_disk_is_told_and_leaves_no_result(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("tseval.matching.in_units.os.fdopen", full)
        outcome = tseval(*self.MATCH, "--resume", "-o", tmp_path / "matches.tsv")
        assert (outcome.code, outcome.out) == (1, "")
        assert "no space left on device: pairs cannot be kept to resume from" in outcome.err
        assert "set TSEVAL_CACHE to another folder, or leave --resume out" in outcome.err
        assert not (tmp_path / "matches.tsv").exists()
        assert self.entries(tmp_path) == []

    def test_there_must_be_a_place_to_keep_them(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("TSEVAL_CACHE", "")
        outcome = tseval(*self.MATCH, "--resume")
        assert (outcome.code, outcome.err) == (
            2,
            "error: nothing can be kept to resume from: TSEVAL_CACHE is empty\n",
        )

    def test_where_nothing_is_matched_nothing_is_resumed(self) -> None:
        outcome = tseval("score", SWIFT, NUGGETS, "--matches", MATCHES, "--resume")
        assert (outcome.code, outcome.err) == (
            2,
            "error: --matches has no meaning with --resume\n",
        )
