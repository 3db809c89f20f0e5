"""Streams in blocks, and live ones, held to the scores of the whole stream at once."""

from __future__ import annotations

import json
import random
import re
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd
import pytest
from hypothesis import given, settings

import tseval
from tests import cases
from tests import strategies as st
from tests.oracles import temporal as slow
from tests.program import FIXTURES, NUGGETS
from tests.program import tseval as program
from tseval.core.family import Access
from tseval.core.scoring import scores_of
from tseval.core.streams import Follower, Following, read_in_blocks
from tseval.errors import InputError
from tseval.families.temporal.evaluation import TemporalInputs, TemporalOptions
from tseval.families.temporal.gold import TemporalGold
from tseval.families.temporal.rules import DRAFT
from tseval.io.schema import UPDATES
from tseval.parallel.engine import Here
from tseval.parallel.sharing import ALONE, Sharing

pytestmark = pytest.mark.small_times

NAMES = (
    "P P(reward=1) P(cost=words) P(cost=chars,cost-of=match) P(updates) P(updates,cost=words) "
    "R R(reward=binary) R@3s Rs Rs@6 T T(unit=s) T(g=sign)@5s T(g=logistic(scale=1m))"
)
FORMS = st.sampled_from((".tsv", ".jsonl", ".parquet"))


@st.composite
def pooled(draw: st.DrawFn) -> tuple[slow.Collection, pd.DataFrame]:
    """A collection whose runs may call topics otherwise, and what stands for their updates."""
    plain = draw(cases.collections())
    keys = [
        key
        for key in sorted({(each.topic, each.update_id) for each in plain.updates})
        if draw(st.booleans())
    ]
    names = {topic: [name for other, name in keys if other == topic] for topic, _ in keys}
    rows = [
        (
            topic,
            name,
            draw(st.sampled_from(["NULL", *names[topic]])),
            " ".join(draw(st.lists(st.sampled_from(cases.WORDS), max_size=3))),
        )
        for topic, name in keys
    ]
    prefix = draw(st.sampled_from(("", "TS13.")))
    updates = [replace(each, topic=prefix + each.topic) for each in plain.updates]
    pool = pd.DataFrame(rows, columns=["topic", "update_id", "duplicate_id", "text"])
    return replace(plain, updates=updates), pool


class Written:
    """A collection as files."""

    def __init__(
        self,
        folder: Path,
        collection: slow.Collection,
        suffix: str,
        pool: pd.DataFrame | None = None,
        *,
        sparse: bool = False,
    ) -> None:
        self.sparse = sparse
        """Whether JSON lines leave out costs of 1."""
        tables = cases.frames(replace(collection, duplicates=()))
        del tables["duplicates"]
        if pool is not None:
            tables["pool"] = pool
        self.tables = {name: frame.astype(str) for name, frame in tables.items()}
        self.paths = {
            name: self._written(folder / f"{name}{suffix if name == 'updates' else '.tsv'}", frame)
            for name, frame in self.tables.items()
        }

    def _written(self, path: Path, frame: pd.DataFrame) -> str:
        if path.suffix == ".parquet":
            frame.to_parquet(path)
        elif path.suffix == ".jsonl":
            records = frame.to_dict("records")
            if self.sparse:
                records = [{k: v for k, v in r.items() if (k, v) != ("cost", "1")} for r in records]
            lines = [json.dumps(record) for record in records]
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        else:
            frame.to_csv(path, sep="\t", index=False, quoting=3, escapechar="\\")
        return str(path)

    def sources(self, *, matches: bool = True) -> TemporalInputs:
        return TemporalInputs(
            [self.paths["updates"]],
            self.paths["nuggets"],
            self.paths["matches"] if matches else None,
            self.paths["topics"],
            pool=self.paths.get("pool"),
        )


def scored_in_blocks(
    given: TemporalInputs,
    measures: str = "",
    rows: int = 65_536,
    sharing: Sharing = ALONE,
    undefined: str = "skip",
) -> tseval.Scores:
    access = Access(sharing=sharing)
    gold = TemporalGold(replace(given, updates=()), TemporalOptions(), DRAFT, {}, access)
    evaluation, wanted = read_in_blocks(gold, given.updates, measures.split(), size=rows)
    return scores_of(evaluation, wanted, undefined=undefined)


@settings(deadline=None, max_examples=25)
@given(cases.collections(), FORMS, st.integers(1, 7), st.sampled_from(("skip", "zero")))
def test_blocks_of_any_size_give_the_bytes_of_the_whole(
    collection: slow.Collection, suffix: str, rows: int, undefined: str
) -> None:
    with tempfile.TemporaryDirectory() as name:
        written = Written(Path(name), collection, suffix, sparse=True)
        if suffix == ".jsonl" and not collection.updates:
            return  # an empty file has no format
        sources = written.sources()
        whole = tseval.score(
            sources.updates,
            sources.nuggets,
            sources.matches,
            topics=sources.topics,
            measures=NAMES,
            undefined=undefined,  # type: ignore[arg-type]
        )
        blocks = scored_in_blocks(sources, NAMES, rows, undefined=undefined)
        for form in ("json", "csv"):
            assert blocks.in_form(form) == whole.in_form(form)


@settings(deadline=None, max_examples=20)
@given(cases.collections(), st.integers(1, 5), st.integers(1, 5), st.booleans())
def test_blocks_match_as_the_whole_does(
    collection: slow.Collection, rows: int, unit: int, hashed: bool
) -> None:
    class Elsewhere:
        """Another process, in this one."""

        near = not hashed
        run = Here().run
        close = Here().close

    with tempfile.TemporaryDirectory() as name:
        sources = Written(Path(name), collection, ".tsv").sources(matches=False)
        whole = tseval.score(sources.updates, sources.nuggets, topics=sources.topics)
        for sharing in (ALONE, Sharing(Elsewhere(), rows=unit)):
            blocks = scored_in_blocks(sources, rows=rows, sharing=sharing)
            assert list(blocks.records()) == list(whole.records())
            assert blocks.signature == whole.signature
            assert blocks.warnings == whole.warnings


@settings(deadline=None, max_examples=25)
@given(pooled(), st.integers(1, 5), st.booleans())
def test_what_stands_for_an_update_does_so_in_blocks_and_live(
    case: tuple[slow.Collection, pd.DataFrame], rows: int, matches: bool
) -> None:
    collection, pool = case
    if not collection.updates:
        return  # an empty file has no format
    with tempfile.TemporaryDirectory() as name:
        written = Written(Path(name), collection, ".jsonl", pool)
        given = written.sources(matches=matches)
        files = {"matches": given.matches, "topics": given.topics, "pool": given.pool}
        try:
            together = tseval.score(given.updates, given.nuggets, measures=NAMES, **files)
        except InputError as fault:  # a pool of other runs
            with pytest.raises(InputError, match=re.escape(str(fault))):
                scored_in_blocks(given, NAMES, rows)
            return
        blocks = scored_in_blocks(given, NAMES, rows)
        assert list(blocks.records(per_topic=True)) == list(together.records(per_topic=True))
        assert blocks.warnings == together.warnings
        lines = Path(written.paths["updates"]).read_bytes()
        live = followed(written, "--every", rows, lines=lines, matches=matches)
        assert records(live[-1]) == {each[:3]: each.value for each in together.records()}


def followed(
    written: Written, *more: object, lines: bytes, matches: bool = True
) -> list[dict[str, object]]:
    given = written.sources(matches=matches)
    files = {"--matches": given.matches, "--topics": given.topics, "--pool": given.pool}
    outcome = program(
        "score",
        "--follow",
        written.paths["nuggets"],
        *(part for option, file in files.items() if file for part in (option, file)),
        "-m",
        NAMES,
        "-q",
        *more,
        stdin=lines,
    )
    assert outcome.code == 0, outcome.err
    return [json.loads(line) for line in outcome.out.splitlines()]


def records(line: dict[str, object]) -> dict[tuple[str, ...], object]:
    found: list[dict[str, object]] = line["records"]  # type: ignore[assignment]
    return {(str(r["run"]), str(r["topic"]), str(r["measure"])): r["value"] for r in found}


@settings(deadline=None, max_examples=25)
@given(cases.collections(), st.integers(1, 4), st.data())
def test_a_live_stream_tells_what_is_known_so_far(
    collection: slow.Collection, every: int, data: st.DataObject
) -> None:
    """Whatever the order of the updates: late ones count from when they come."""
    with tempfile.TemporaryDirectory() as name:
        written = Written(Path(name), collection, ".jsonl")
        lines = Path(written.paths["updates"]).read_bytes().splitlines(keepends=True)
        missing = data.draw(st.sampled_from(("zero", "skip")))
        undefined = data.draw(st.sampled_from(("zero", "skip")))
        rules = ("--on-missing", missing, "--undefined", undefined)
        told = followed(written, "--every", every, *rules, lines=b"".join(lines))
        assert told[-1]["final"] is True
        if not lines:
            return
        assert "signature" in told[0]
        known: dict[tuple[str, ...], object] = {}
        for line in told[1:-1]:
            known |= records(line)
            seen = int(line["updates"])  # type: ignore[call-overload]
            assert seen % every == 0
            if data.draw(st.booleans()):
                assert known == whole(written, Path(name), lines[:seen], missing, undefined)
        assert records(told[-1]) == whole(written, Path(name), lines, missing, undefined)


def named(row: dict[str, str]) -> list[str]:
    """The run that a match names, if it names one."""
    return [row["run"]] if row.get("run") else []


def whole(
    written: Written, folder: Path, lines: list[bytes], missing: Any, undefined: Any
) -> dict[tuple[str, ...], object]:
    """The scores of the first lines at once; matches of later ones left out."""
    part = folder / "part.jsonl"
    part.write_bytes(b"".join(lines))
    here = {(r["run"], r["topic"], r["update_id"]) for r in map(json.loads, lines)}
    table = written.tables["matches"]
    runs = {run for run, _, _ in here}
    kept = [
        any((run, row["topic"], row["update_id"]) in here for run in named(row) or runs)
        for row in table.to_dict("records")
    ]
    matches = folder / "part.matches.tsv"
    chosen = pd.Series(kept, index=table.index, dtype=bool)
    table[chosen].to_csv(matches, sep="\t", index=False)
    scores = tseval.score(
        str(part),
        written.paths["nuggets"],
        str(matches),
        topics=written.paths["topics"],
        measures=NAMES,
        on_missing=missing,
        undefined=undefined,
    )
    return {record[:3]: record.value for record in scores.records()}


@settings(deadline=None, max_examples=25)
@given(cases.collections(), st.data())
def test_a_stream_that_was_stopped_anywhere_ends_as_one_that_was_not(
    collection: slow.Collection, data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as name:
        written = Written(Path(name), collection, ".jsonl")
        lines = Path(written.paths["updates"]).read_bytes().splitlines(keepends=True)
        # So that the first part alone names no update that is unknown, there are no matches.
        empty = written.tables["matches"][:0]
        empty.to_csv(written.paths["matches"], sep="\t", index=False)
        cut = data.draw(st.integers(0, len(lines)))
        state = Path(name) / "state"
        without = followed(written, lines=b"".join(lines))
        followed(written, "--state", state, lines=b"".join(lines[:cut]))
        again = data.draw(st.booleans())
        rest = lines if again else lines[cut:]
        more = () if again else ("--continued",)
        told = followed(written, "--state", state, *more, lines=b"".join(rest))
        assert told[-1] == without[-1]


@pytest.mark.parametrize("rows", [1, 2, 3, 100])
def test_an_update_that_stands_twice_is_found_in_any_block(rows: int, tmp_path: Path) -> None:
    path, nuggets = tmp_path / "u.tsv", tmp_path / "n.tsv"
    ids = ["a", "b", "c", "d", "b", "e"]
    body = "".join(f"t\t{name}\t{at}\tx\n" for at, name in enumerate(ids))
    path.write_text(f"topic\tupdate_id\ttime\ttext\n{body}")
    nuggets.write_text("topic\tnugget_id\ttime\ttext\nt\tn\t1\tx\n")
    with pytest.raises(tseval.InputError) as caught:
        scored_in_blocks(TemporalInputs([str(path)], str(nuggets)), rows=rows)
    assert f'{path}:6: update_id "b" stands twice' in str(caught.value)


def test_a_cost_that_only_later_lines_have_counts_from_the_first(tmp_path: Path) -> None:
    path, nuggets = tmp_path / "u.jsonl", tmp_path / "n.tsv"
    line = '{"topic": "t", "update_id": "%s", "time": %d, "text": "fire"%s}\n'
    path.write_text(line % ("a", 1, "") + line % ("b", 2, ', "cost": 3'))
    nuggets.write_text("topic\tnugget_id\ttime\ttext\tcost\nt\tn\t1\tfire\t2\n")
    whole = tseval.score(str(path), str(nuggets), measures="P")
    found = scored_in_blocks(TemporalInputs([str(path)], str(nuggets)), "P", 1)
    assert (found.value("P"), found.signature) == (whole.value("P"), whole.signature)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (("--edition", "ts2013"), "by the draft"),
        (("--rule", "reward=binary"), "without other rules"),
        (("--binary",), "without other rules"),
    ],
)
def test_what_blocks_cannot_do_is_refused(more: tuple[str, ...], reason: str) -> None:
    run = FIXTURES / "runs" / "swift.tsv"
    outcome = program("score", run, NUGGETS, "--in-blocks", 2, *more)
    assert (outcome.code, reason in outcome.err) == (2, True)


def told_by(given: TemporalInputs, measures: str, pieces: list[bytes], **more: Any) -> list[str]:
    """Every line that is told of these pieces of a stream."""
    gold = TemporalGold(replace(given, updates=()), TemporalOptions(), DRAFT, {}, Access())
    follower = Follower(gold, measures.split(), (), Following(**more), UPDATES)
    return [*lines_of(follower, pieces), follower.finish()]


def lines_of(follower: Follower, pieces: Iterable[bytes]) -> list[str]:
    """What is told of these pieces."""
    return [line for piece in pieces for part in follower.take(piece) for line in part]


@settings(deadline=None, max_examples=25)
@given(cases.collections(), st.integers(1, 4), st.integers(1, 5), st.booleans(), st.data())
def test_in_whatever_pieces_lines_come_the_same_bytes_are_told(
    collection: slow.Collection, every: int, together: int, matches: bool, data: st.DataObject
) -> None:
    """One by one, or many that are counted at once; with costs whose sums depend on their order."""
    tenths = [replace(each, cost=each.cost / 10) for each in collection.updates]
    with tempfile.TemporaryDirectory() as name:
        written = Written(Path(name), replace(collection, updates=tenths), ".jsonl")
        lines = Path(written.paths["updates"]).read_bytes().splitlines(keepends=True)
        inputs = written.sources(matches=matches)
        more: dict[str, Any] = {"every": every, "per_topic": data.draw(st.booleans())}
        more |= {"on_missing": data.draw(st.sampled_from(("zero", "skip")))}

        def told(pieces: list[bytes]) -> list[str]:
            try:
                return told_by(inputs, NAMES, pieces, **more)
            except InputError as error:  # matches of no update
                return [str(error)]

        cuts = [0, *sorted(data.draw(st.sets(st.integers(1, max(len(lines) - 1, 1)))))]
        pieces = [b"".join(lines[a:b]) for a, b in pairwise([*cuts, len(lines)])]
        singly = told(lines)
        assert told(pieces) == singly
        with (
            patch.object(Follower, "rows_per_look", together),
            patch.object(Follower, "rows_at_once", together),
        ):
            assert told(pieces) == singly
        with patch.object(TemporalGold, "in_order", new=False):
            assert told(pieces) == singly


@pytest.mark.parametrize("names", ["P(updates)", "P R T"])
@pytest.mark.parametrize("seed", range(3))
def test_means_over_many_topics_have_the_bits_of_the_whole(names: str, seed: int) -> None:
    """Of so many topics that the order in which values are added up shows in the last digits."""
    draw = random.Random(seed)
    topics = [f"t{at}" for at in range(19)]
    gold = [
        {"topic": t, "nugget_id": f"n{n}", "time": draw.randrange(99), "text": f"{t}word w{n}"}
        for t in topics
        for n in range(draw.randrange(1, 4))
    ]
    sent: list[dict[str, object]] = []
    for at in range(150):
        said = draw.choice(gold)
        text = said["text"] if draw.random() < 0.7 else "nothing"
        own = {"topic": said["topic"], "time": draw.randrange(99), "text": text}
        sent.append({"run": draw.choice("ab"), "update_id": f"u{at}"} | own)
    nuggets = pd.DataFrame(gold)
    inputs = TemporalInputs([], nuggets)
    content = "".join(json.dumps(each) + "\n" for each in sent).encode()
    told = [json.loads(line) for line in told_by(inputs, names, [content], per_topic=True)]
    known: dict[tuple[str, ...], object] = {}
    for line in told[1:-1]:
        known |= records(line)
        if line["updates"] % 10 == 0:
            part = pd.DataFrame(sent[: line["updates"]])
            whole = tseval.score(part, nuggets, measures=names)
            assert known == {record[:3]: record.value for record in whole.records()}


@pytest.mark.parametrize(("every", "told"), [(1, 1), (2, 2), (3, 1)])
def test_a_run_that_lacks_a_topic_at_a_look_is_refused_after_what_was_told_before(
    every: int, told: int, tmp_path: Path
) -> None:
    gold = tmp_path / "gold.tsv"
    gold.write_text("topic\tnugget_id\ttime\ttext\na\tn\t0\tx\nb\tn\t0\tx\n")
    sent = [("r", "a"), ("r", "b"), ("s", "a"), ("r", "a")]
    lines = [
        json.dumps({"run": run, "topic": topic, "update_id": f"u{at}", "time": at, "text": "x"})
        for at, (run, topic) in enumerate(sent)
    ]
    options = ("--on-missing", "error", "--every", every)
    given = "".join(f"{line}\n" for line in lines).encode()
    outcome = program("score", "--follow", gold, *options, stdin=given)
    lacks = "run r has no updates for 1 judged topic: b"
    missing = lacks if every == 1 else "run s has no updates for 1 judged topic: b"
    assert (outcome.code, missing in outcome.err) == (1, True)
    assert len(outcome.out.splitlines()) == told


def test_a_block_is_evaluated_once_however_many_looks_it_has(tmp_path: Path) -> None:
    gold = tmp_path / "gold.tsv"
    gold.write_text("topic\tnugget_id\ttime\ttext\nt\tn1\t0\thouse on fire\nt\tn2\t0\troad shut\n")
    texts = ["house on fire", *["something else"] * 20, "road shut", *["nothing new"] * 20]
    lines = [
        json.dumps({"topic": "t", "update_id": f"u{at}", "time": at, "text": text}).encode() + b"\n"
        for at, text in enumerate(texts)
    ]
    inputs = TemporalInputs((), str(gold))
    evaluate, numbers = TemporalGold.evaluate, set[int]()
    for more in (1, 10, len(lines)):
        held = TemporalGold(inputs, TemporalOptions(), DRAFT, {}, Access())
        follower = Follower(held, ["P", "R"], (), Following(), UPDATES)
        with patch.object(TemporalGold, "evaluate", autospec=True, side_effect=evaluate) as calls:
            told = lines_of(follower, [b"".join(lines[:more])])
            numbers.add(calls.call_count)
        assert len(told) == 1 + more  # P changes with every update
    assert len(numbers) == 1
