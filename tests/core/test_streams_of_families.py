"""Runs in blocks, and live streams, of families whose rows are held to a gold."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.program import Outcome
from tests.program import tseval as program

START = 1_700_000_000
MEASURES = {
    "clusters": "latency redundancy redundancy(unique) coverage coverage@1h latency@120s",
    "filter": "end(F_pra) slope(F_pra) F_1 P R T11SU",
}
SUFFIXES = (".tsv", ".jsonl", ".gz", ".parquet")
Rows = list[dict[str, Any]]


class World:
    """Gold and runs of a family, as files."""

    def __init__(self, folder: Path, command: str, seed: int) -> None:
        draw = random.Random(seed)
        self.folder, self.command = folder, command
        gold, self.rows = getattr(self, f"_{command}")(draw)
        self.gold = self._table("gold.tsv", gold)
        draw.shuffle(self.rows)

    def _clusters(self, draw: random.Random) -> tuple[Rows, Rows]:
        posts = [f"p{at}" for at in range(24)]
        gold = [
            {"topic": topic, "cluster_id": f"c{at}", "post_id": post, "time": self._time(post, 60)}
            for topic in "ab"
            for at in range(3)
            for post in draw.sample(posts, 4)
        ]
        rows = [
            {
                "run": run,
                "topic": topic,
                "post_id": post,
                "time": self._time(post, 60) + draw.choice((0, 0, 7)),
            }
            for run in ("r2", "r10")
            for topic in "abz"
            for post in draw.sample(posts, draw.randrange(1, 10))
        ]
        return gold, rows

    def _filter(self, draw: random.Random) -> tuple[Rows, Rows]:
        posts = [f"p{at}" for at in range(24)]
        gold = [
            {"topic": topic, "post_id": post, "relevance": draw.randrange(3)}
            | {"time": self._time(post, 40_000)}
            for topic in "ab"
            for post in posts[:20]
        ]
        rows = []
        for _ in range(draw.randrange(20, 40)):
            post = draw.choice(posts)
            row = {"run": draw.choice(("r2", "r10")), "topic": draw.choice("abz"), "post_id": post}
            times = {"time": self._time(post, 40_000) + draw.choice((0, 0, 7))}
            rows.append(row | times | {"confidence": draw.choice((50, 100, 300, 1000))})
        return gold, rows

    def _time(self, post: str, seconds: int) -> int:
        return START + int(post[1:]) * seconds

    def _table(self, name: str, rows: Rows) -> str:
        path = self.folder / name
        lines = ["\t".join(rows[0]), *("\t".join(map(str, row.values())) for row in rows)]
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return str(path)

    def lines(self, rows: Rows | None = None) -> bytes:
        """Rows as JSON lines."""
        return b"".join(
            json.dumps(row).encode() + b"\n" for row in (self.rows if rows is None else rows)
        )

    def run(self, suffix: str = ".tsv", rows: Rows | None = None) -> str:
        """A file of rows, which have their run each."""
        chosen = self.rows if rows is None else rows
        if suffix == ".tsv":
            return self._table("run.tsv", chosen)
        path = self.folder / f"run{suffix}"
        if suffix == ".parquet":
            pl.DataFrame(chosen).write_parquet(path)
        elif suffix == ".gz":
            path.write_bytes(gzip.compress(self.lines(chosen)))
        else:
            path.write_bytes(self.lines(chosen))
        return str(path)

    def score(self, *arguments: object, measures: str = "") -> Outcome:
        """What the command prints."""
        wanted = measures or MEASURES[self.command]
        return program(self.command, *arguments, "-m", wanted)

    def follow(
        self, *more: object, rows: Rows | None = None, stdin: bytes | None = None
    ) -> list[dict[str, Any]]:
        """What is told of a stream."""
        wanted = ("-m", MEASURES[self.command])
        given = self.lines(rows) if stdin is None else stdin
        outcome = program(self.command, "--follow", self.gold, *wanted, *more, stdin=given)
        assert outcome.code == 0, outcome.err
        return [json.loads(line) for line in outcome.out.splitlines()]


def values(records: Sequence[dict[str, Any]]) -> dict[tuple[str, ...], float | None]:
    return {(each["run"], each["topic"], each["measure"]): each["value"] for each in records}


@pytest.fixture(params=[(command, seed) for command in MEASURES for seed in range(3)])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    command, seed = request.param
    return World(tmp_path, command, seed)


@pytest.mark.parametrize(("suffix", "form"), [*zip(SUFFIXES, ("json", "table") * 2, strict=True)])
def test_blocks_of_any_size_print_what_the_whole_prints(
    world: World, suffix: str, form: str
) -> None:
    path = world.run(suffix)
    whole = world.score(path, world.gold, "-q", "-f", form)
    assert whole.code == 0, whole.err
    for rows in (1, 2, 7, 1000):
        assert world.score(path, world.gold, "-q", "-f", form, "--in-blocks", rows) == whole


def test_a_stream_tells_at_every_look_the_scores_of_the_rows_so_far(world: World) -> None:
    for every in (1, 3):
        told = world.follow("--every", every, "-q")
        known: dict[tuple[str, ...], float | None] = {}
        for line in told[1:-1]:
            assert line["updates"] % every == 0
            known |= values(line["records"])
            if line["updates"] in (3, 12, 15):
                path = world.run(".jsonl", world.rows[: line["updates"]])
                whole = world.score(path, world.gold, "-q", "-f", "json")
                assert known == values(json.loads(whole.out)["records"])
        whole = world.score(world.run(".jsonl"), world.gold, "-q", "-f", "json")
        assert told[-1]["final"] is True
        assert told[-1]["records"] == json.loads(whole.out)["records"]
        assert told[-1]["warnings"] == json.loads(whole.out)["warnings"]
        assert told[0]["signature"].startswith(json.loads(whole.out)["signature"])


def test_a_stream_that_was_stopped_goes_on_where_its_state_is(world: World) -> None:
    whole, half = world.follow("-q"), len(world.rows) // 2
    for name, more in (("again", ()), ("on", ("--continued",))):
        state = ("--state", world.folder / name)
        first = world.follow(*state, "-q", rows=world.rows[:half])
        rest = world.follow(*state, *more, "-q", rows=world.rows[half:] if more else world.rows)
        assert first[:-1] + rest[1:] == whole


def test_a_bad_line_ends_a_stream_or_is_left_out(world: World) -> None:
    whole, lines = world.follow(), world.lines().splitlines(keepends=True)
    spoilt = b"".join([*lines[:4], b'{"topic": "a"}\n', *lines[4:]])
    told = world.follow("--on-bad-line", "skip", stdin=spoilt)
    assert told[1:-1] == whole[1:-1]
    assert told[-1]["warnings"] == ["1 bad line skipped", *whole[-1]["warnings"]]
    state = world.folder / "state"
    given = (world.command, "--follow", world.gold, "-m", MEASURES[world.command])
    stopped = program(*given, "--state", state, stdin=spoilt)
    assert (stopped.code, stopped.codes) == (1, [("missing-key", 5)])
    assert [json.loads(line) for line in stopped.out.splitlines()] == whole[
        : len(stopped.out.splitlines())
    ]
    assert world.follow("--state", state)[-1] == whole[-1]


def test_a_post_that_stands_twice_is_a_fault_in_any_block(tmp_path: Path) -> None:
    world = World(tmp_path, "clusters", 0)
    path = world.run(rows=[*world.rows[:5], world.rows[1]])
    for more in ((), *(("--in-blocks", rows) for rows in (1, 2, 7))):
        assert world.score(path, world.gold, *more).codes == [("duplicate-id", 7)]
    told = program("clusters", "--follow", world.gold, stdin=world.lines([world.rows[0]] * 2))
    assert (told.code, told.codes) == (1, [("duplicate-id", 2)])


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (("--in-blocks", 2, "--sample", 3), "--sample has no meaning with --in-blocks"),
        (("--in-blocks", 2, "--explain", "clusters"), "no meaning with --in-blocks"),
        (("--every", 2), "no meaning without --follow"),
    ],
)
def test_what_blocks_cannot_do_is_refused(
    more: tuple[object, ...], reason: str, tmp_path: Path
) -> None:
    world = World(tmp_path, "clusters", 0)
    refused = program("clusters", world.run(), world.gold, *more)
    assert (refused.code, reason in refused.err) == (2, True)
