"""Runs that are read in blocks, because they are larger than memory, or followed as they come.

Sums of contributions are exact. So of the rows read so far those are kept that can still change
what later ones are worth, and of all others the sums of what they contribute. Let F be the sums of
some rows taken by themselves, K the rows that are kept and B those that come: all rows together add
up to the sums of the others and F(K + B). If K' are kept of these, then F(K + B) - F(K') is added
to the sums of the others. No order of rows changes a bit of it.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from tseval.core import kernel
from tseval.core.family import Column, Evaluation
from tseval.core.frames import FrameGold
from tseval.core.kernel import ARRIVAL, KEY
from tseval.core.measure import Measure
from tseval.core.results import values_of
from tseval.core.scoring import chosen_measures, scores_of, signature_of
from tseval.core.wording import count
from tseval.errors import Fault, InputError, MissingTopics, UsageError, input_error
from tseval.io.atomic_write import write_file
from tseval.io.blocks import (
    HASH_BYTES,
    LINE_FEED,
    RUN,
    LineBlock,
    Recent,
    Repeats,
    columns_of,
    cut,
    read_blocks,
    read_nothing,
)
from tseval.io.cells import WORDS
from tseval.io.faults import FaultList
from tseval.io.given import FrameInput, input_of, is_frame, run_names
from tseval.io.inputs import STANDARD_INPUT, Input, InputRecord
from tseval.io.names import Units, natural_order
from tseval.io.tables import Table, read_input, track_of
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.arrays import BoolArray
    from tseval.io.blocks import Marks
    from tseval.io.schema import Schema

ROWS = 65_536
"""About how many rows are in memory at once."""
ROWS_AT_ONCE = 1 << 17
"""Looks are taken together as long as they see so many rows."""
SAVED_EVERY = 100_000
"""After how many rows the state of a stream is saved, at the latest."""
FORMAT, META, EXACT = 10, "meta", "exact "
"""The form of a saved state, where it has what is no table, and what marks exact sums in it."""
UNREADABLE = (OSError, ValueError, KeyError, TypeError, EOFError, RecursionError)
AGAIN = "again"
"""The column that marks rows of which one of the same key stands before."""


class Rows:
    """What has come of all runs: the rows that are kept, and the sums of the others."""

    def __init__(self, gold: FrameGold, wanted: Sequence[str | Measure], at: Sequence[str]) -> None:
        self.gold = gold
        self.number = 0
        self.runs: dict[str, None] = {}
        self.sources: list[InputRecord] = []
        self.kept: pl.DataFrame | None = None
        self.sums: pl.DataFrame | None = None
        """The exact sums of what all rows contribute, by run and topic, for all measures."""
        self.marks = (AGAIN, *gold.marks)
        numbers = dict.fromkeys(("rows", *self.marks), pl.Int64)
        self.counts = pl.DataFrame(schema={**dict.fromkeys(KEY, pl.String), **numbers})
        nothing = read_nothing(gold.reader)
        frame = gold.prepare(nothing.frame, None, FaultList(Input(STANDARD_INPUT)))
        self.empty = replace(nothing, frame=frame)
        evaluation = gold.evaluate(self.empty, self.counts)
        self.measures = chosen_measures(evaluation, wanted, at)
        for measure in self.measures if gold.has_sums else ():
            if not evaluation.account(measure).adds_up:
                items = evaluation.words.items
                raise UsageError(f"{measure} needs all {items} at once: leave the blocks out")

    def note(self, place: int, block: Table, source: Input) -> None:
        """Take note of the input of a block, and of its runs."""
        self.runs.update(dict.fromkeys(block.runs))
        record, known = block.sources[0], self.sources[place:]
        runs = dict.fromkeys((*(known[0].runs if known else ()), *block.runs))
        number = record.rows + (known[0].rows if known else 0)
        digest = partial(getattr, source, "sha256")
        self.sources[place:] = [replace(record, digest=digest, rows=number, runs=tuple(runs))]

    def table(self, rows: pl.DataFrame | None, runs: Sequence[str] | None = None) -> Table:
        """Return rows as a table of these runs, or of all so far."""
        frame = self.empty.frame if rows is None else rows
        known = tuple(self.runs) if runs is None else tuple(runs)
        return Table(self.empty.name, frame, tuple(self.sources), known)

    def with_block(self, block: pl.DataFrame) -> pl.DataFrame:
        """Return the rows that are kept and those of a block."""
        if self.kept is None or self.kept.schema == block.schema:
            return block if self.kept is None else self.kept.vstack(block)
        return pl.concat([self.kept, block], how="diagonal_relaxed")

    def evaluation(self) -> Evaluation:
        """Return the evaluation of all that has come."""
        found = self.gold.evaluate(self.table(self.kept), self.counts)
        return self.with_others(found)

    def with_others(self, found: Evaluation) -> Evaluation:
        """Return an evaluation of the rows that are kept with the sums of all others."""
        if self.sums is None:
            return found
        weighed = self.weigh(found)
        runs = pl.Series(found.index.runs, dtype=pl.String)
        every = self.sums.filter(pl.col("run").is_in(runs.implode()))
        own = weighed.sums.drop(ARRIVAL, strict=False).join(every, on="run", how="semi")
        others = kernel.add_lanes([every, kernel.negative(own)])
        return replace(
            found,
            others={
                measure: kernel.lanes_of(others, f"{at} ", result.contributions.amounts)
                for at, (measure, result) in enumerate(weighed.results.items())
            },
        )

    def weigh(self, found: Evaluation, *, with_gold: bool = True) -> Weighed:
        """Return the exact sums of what rows contribute, of each row if contributions tell it.

        `with_gold` also what they contribute that is of no row.
        """
        known: dict[Measure, Any] = {}
        results, parts = {}, list[pl.DataFrame]()
        for at, measure in enumerate(self.measures):
            whole, index = measure.whole, found.index_of(measure)
            known[whole] = known.get(whole) or found.account(measure)
            results[measure] = known[whole]
            before = known[whole].limits(found.times_of(measure, index))
            c = known[whole].contributions
            if not with_gold:
                c = replace(c, tables=[each for each in c.tables if ARRIVAL in each.columns])
            parts += kernel.in_units(c, before, f"{at} ")
        by = [*KEY, *[ARRIVAL] * any(ARRIVAL in part.columns for part in parts)]
        return Weighed(found, results, kernel.add_lanes(parts, by))

    def weigh_rows(
        self, rows: pl.DataFrame, runs: Sequence[str], *, with_gold: bool = True
    ) -> Weighed:
        """Return the same of rows of these runs."""
        found = self.gold.evaluate(self.table(rows, runs), self.counts.clear())
        return self.weigh(found, with_gold=with_gold)

    def late(self, block: pl.DataFrame) -> pl.Series:
        """Return which rows are older than one of their run before."""
        if "time" not in block.columns:
            return pl.repeat(False, block.height, eager=True)
        latest = pl.col("time").cum_max().over("run")
        return self.with_block(block).select(pl.col("time") < latest).to_series().tail(block.height)

    def ahead(self, block: pl.DataFrame, runs: Iterable[str] = ()) -> Ahead:
        """Return what the rows of a block contribute by themselves, of which none is late."""
        known = set() if self.kept is None else set(self.kept["run"].unique())
        runs = list(dict.fromkeys([*runs, *block["run"].unique(maintain_order=True)]))
        rows = self.with_block(block).filter(pl.col("run").is_in(runs)).with_row_index(ARRIVAL)
        weighed = self.weigh_rows(rows, runs, with_gold=not known.issuperset(runs))
        first, arrival = rows.height - block.height, pl.col(ARRIVAL).cast(pl.Int64)
        is_new = ~pl.col("run").is_in(list(known)) if known else pl.lit(value=True)
        fresh = weighed.sums.with_columns(arrival - first)
        fresh = fresh.filter(pl.when(arrival.is_null()).then(is_new).otherwise(arrival >= 0))
        return Ahead(weighed, fresh.with_columns(arrival.fill_null(-1)), first)

    def add(self, block: pl.DataFrame, ahead: Ahead | None = None) -> None:
        """Take the next rows; a fault between them and the gold is raised before they count."""
        rows = self.with_block(block)
        is_kept = self.gold.keep(rows)
        if "time" in rows.columns:  # of each run and topic something is left, and its span
            time, place = pl.col("time"), pl.int_range(pl.len())
            ends = (place == 0) | (place == time.arg_min()) | (place == time.arg_max())
            is_kept |= rows.select(ends.over(KEY)).to_series()
        if self.gold.has_sums:
            if ahead is None and self.gold.in_order and not self.late(block).any():
                ahead = self.ahead(block)
            parts = [] if self.sums is None else [self.sums]
            parts += self._moved(block) if ahead is None else [ahead.sums.drop(ARRIVAL)]
            self.sums = kernel.add_lanes(parts)
        kept, left = rows.filter(is_kept), rows.filter(~is_kept)
        if left.height:
            marks = [pl.col(mark).sum() for mark in self.marks if mark in left.columns]
            numbers = left.group_by(KEY).agg(pl.len().alias("rows"), *marks)
            joined = pl.concat([self.counts, numbers], how="diagonal_relaxed")
            of_units = joined.group_by(KEY).agg(pl.exclude(KEY).sum())
            self.counts = of_units.cast(self.counts.schema)
        self.kept, self.number = kept, self.number + block.height

    def _moved(self, block: pl.DataFrame) -> list[pl.DataFrame]:
        """Return what the sums grow by with a block in which rows may be late."""
        runs = block["run"].unique(maintain_order=True)
        of_these = pl.col("run").is_in(runs.implode())
        parts = [self.weigh_rows(self.with_block(block).filter(of_these), runs.to_list()).sums]
        if self.kept is not None:
            kept = self.kept.filter(of_these)
            known = kept["run"].unique(maintain_order=True).to_list()
            parts.append(kernel.negative(self.weigh_rows(kept, known).sums))
        return parts


class Weighed(NamedTuple):
    """What rows contribute to each measure."""

    evaluation: Evaluation
    results: Mapping[Measure, Any]
    sums: pl.DataFrame
    """Exact sums by run and topic, and by the arrival of the row where contributions tell it: those
    of the gold have none. The number of a measure stands before the names of its amounts."""


class Ahead(NamedTuple):
    """What the rows of a block contribute, each by itself."""

    weighed: Weighed
    sums: pl.DataFrame
    """Exact sums by run, topic and arrival in the block; -1 is what the gold gives a new run."""
    first: int
    """How many rows stand before those of the block in the evaluation."""


@frozen
class LookUnits(Units):
    """Runs as they are at some looks, each as a run of its own."""

    present: BoolArray


# In blocks.


def read_in_blocks(
    gold: FrameGold,
    runs: Sequence[Any],
    wanted: Sequence[str | Measure] = (),
    at: Sequence[str] = (),
    *,
    form: str | None = None,
    size: int = ROWS,
    tell: Callable[..., None] | None = None,
) -> tuple[Evaluation, list[Measure]]:
    """Return the evaluation of runs that need not fit into memory, and the measures it has."""
    table = gold.reader.schema.table
    if not runs:
        raise UsageError(f"no run is given: name at least one table of {table}")
    if any(is_frame(each) or isinstance(each, FrameInput) for each in runs):
        raise UsageError("a frame is in memory already: blocks are read from files")
    inputs = [input_of(each, gold.reader.schema) for each in runs]
    rows, seen, names = Rows(gold, wanted, at), Repeats(), run_names(inputs)
    optional = {
        each.name: pl.lit(None, pl.String if each.kind in WORDS else pl.Float64)
        for source in inputs
        for each in columns_of(source, gold.reader, form)
    }

    def blocks() -> Iterator[tuple[int, Table]]:
        for place, (source, name) in enumerate(zip(inputs, names, strict=True)):
            for block in read_blocks(source, name, gold.reader, size, form):
                yield place, replace(block, frame=block.frame.with_columns(file=pl.lit(place)))

    tracks = [track_of(source, gold.reader, form) for source in inputs]
    for place, block in blocks():
        track = tracks[place]
        if track is not None and track.runs_by_file and place >= len(rows.sources):
            for run in {*block.runs} & {*rows.runs}:
                raise UsageError(f"run {run} is in several files: name it, --name FILE=NAME")
        rows.note(place, block, inputs[place])
        frame = block.frame
        lacking = {name: none for name, none in optional.items() if name not in frame.columns}
        frame = frame.with_columns(**lacking)
        if gold.key:
            marks = frame.select(pl.col(gold.key).cast(pl.String)).hash_rows().to_numpy()
            suspects = seen.suspects(marks).tolist()
            if gold.marks_repeats:
                is_again = pl.int_range(pl.len()).is_in(suspects)
                frame = frame.with_columns(is_again.alias(AGAIN))
            elif suspects:
                refuse_repeats(gold, inputs, frame[suspects], (each for _, each in blocks()))
        rows.add(gold.prepare(frame, rows.kept, FaultList(inputs[place])))
        if tell is not None:
            tell(rows.number, rows.number)
    rows.sources = [
        replace(record, zones=tuple(source.zones.items()))
        for record, source in zip(rows.sources, inputs, strict=True)
    ]
    evaluation = rows.evaluation()
    gold.conclude(evaluation, is_live=False, to_come=False)
    return evaluation, rows.measures


def refuse_repeats(
    gold: FrameGold, inputs: Sequence[Input], suspects: pl.DataFrame, blocks: Iterable[Table]
) -> None:
    """Refuse rows of which one of the same key stands before: read again up to them."""
    key, last = list(gold.key), suspects["file"][0]
    wanted = suspects.select(key).unique()
    found = [
        each.frame.select(*key, "file", "line").join(wanted, on=key, how="semi") for each in blocks
    ]
    every = pl.concat(found).sort("file", "line", maintain_order=True)
    first = pl.col("file", "line").first().over(key).name.prefix("first ")
    again = every.with_columns(first).filter(~pl.struct(key).is_first_distinct())
    again = again.join(suspects, on=["file", "line"], how="semi", maintain_order="left")
    faults = FaultList(inputs[last])
    for row in again.iter_rows(named=True):
        path = inputs[row["first file"]].path
        reason = f'{key[-1]} "{row[key[-1]]}" stands twice in run "{row["run"]}"'
        cure = f"first at {path}:{row['first line']}: remove one of them, or rename it"
        if row["first file"] != last:
            own = f"give the files two names: --name {inputs[last].path}=NAME"
            cure = f"also at {path}:{row['first line']}: {own}"
        faults.add(row["line"], reason, cure, "duplicate-id")
    faults.check()


# A live stream.


class Following(NamedTuple):
    """How a stream is followed."""

    every: int = 1
    """After how many rows the measures are looked at."""
    per_topic: bool = False
    on_missing: str | None = None
    undefined: str = "skip"
    state: Path | None = None
    continued: bool = False
    """Whether the input goes on after the saved state, instead of starting again."""
    skips_bad_lines: bool = False
    """Whether bad lines are reported and left out, instead of ending the stream."""
    said: tuple[str, ...] = ()
    """What the caller says of columns and times, as signatures have it."""
    times: Mapping[str, str] = {}
    """How the stream writes times."""
    tell: Callable[[Fault], None] = lambda _: None
    """Reports the fault of each line that is left out."""
    undisturbed: Callable[[], AbstractContextManager[None]] = nullcontext
    """Makes whatever would interrupt the program wait until rows are counted and told."""


Values: TypeAlias = dict[tuple[str, str], float | None]
"""The values of a run by topic and measure."""
line_of = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


@dataclass
class Position:
    """How far a stream was read: what its state has beside the rows."""

    signature: str = ""
    """What it was scored by; a state goes on with the same alone."""
    lines: int = 0
    bad: int = 0
    """How many of these lines were bad and left out."""
    late: int = 0
    """Rows older than one of their run before."""
    latest: dict[str, float] = field(default_factory=dict)
    """The latest time of each run."""
    digest: str = ""
    """The hash of the lines, by which they are known again."""
    continued: bool = False
    """Whether the stream once went on without its beginning: then it cannot start again."""
    decided: list[str] | None = None
    """The columns of the first row; None if none has come."""


class Follower:
    """Takes the lines of a stream, and tells what changed.

    What is written depends on the lines alone, not on how they come.
    """

    def __init__(
        self,
        gold: FrameGold,
        wanted: Sequence[str | Measure],
        at: Sequence[str],
        asked: Following,
        schema: Schema,
    ) -> None:
        self.asked, self.gold = asked, gold
        self.rows = Rows(gold, wanted, at)
        self.rows.sources = [InputRecord(STANDARD_INPUT, str, 0, columns=asked.said)]
        self.stream = Input(STANDARD_INPUT)
        self.stream.columns = dict(asked.times)
        self.reader = replace(gold.reader, schema=replace(schema, key=()), tracks=())
        self.hash = hashlib.sha256()
        self.at = Position(continued=asked.continued)
        self.recent = Recent()
        self.decided: list[str] | None = None
        """The columns of the first row that was read, which may not be counted yet."""
        self.told: dict[str, Values] = {}
        self.topics = 0
        self.waiting: set[str] = set()
        """The runs that have had rows since the last look."""
        self.saved_rows = self.saved_lines = 0
        self.skip: Position | None = None
        self.bad_ahead: list[int] = []
        """The bad lines that are reported but not counted yet."""
        self.headed = False
        self.whole = True
        """Whether all that is remembered is of the same rows; else it is no state to save."""
        if asked.state is not None and asked.state.exists():
            self._resume(asked.state)
        self.save()  # before the first line is read: where it cannot be saved, nothing is told

    # The state.

    def save(self) -> None:
        """Write the state, if a file is named, and if it is one that can go on."""
        if self.asked.state is None or self.skip is not None or not self.whole:
            return
        rows, at = self.rows, self.at
        at.signature, at.digest = self._rules(), self.hash.hexdigest()
        tables = {"counts": rows.counts}
        tables |= {} if rows.kept is None else {"kept": rows.kept}
        tables |= {} if rows.sums is None else {"sums": rows.sums}
        tables |= {} if self.gold.memory is None else {"memory": self.gold.memory}
        marks = enumerate(self.recent.columns())
        tables |= {f"recent {number}": pl.DataFrame({"mark": each}) for number, each in marks}
        meta = {"format": FORMAT, "position": asdict(at), "runs": list(rows.runs)}
        save_state(self.asked.state, meta | {"number": rows.number}, tables)
        self.saved_rows, self.saved_lines = rows.number, at.lines

    def _resume(self, path: Path) -> None:
        rows = self.rows
        try:
            meta, tables = load_state(path)
            self.at = Position(**meta["position"])
            rows.number, rows.runs = meta["number"], dict.fromkeys(meta["runs"])
            rows.kept, rows.counts = tables.get("kept"), tables["counts"]
            rows.sums, self.gold.memory = tables.get("sums"), tables.get("memory")
            recent = [each["mark"].to_numpy() for name, each in tables.items() if "recent" in name]
            self.recent = Recent(recent)
        except (*UNREADABLE, zipfile.BadZipFile, zlib.error, pl.exceptions.PolarsError) as error:
            cure = "name another file, or remove this one to begin anew"
            reason = f"is no saved state: {error}"
            raise input_error(str(path), None, reason, cure, "damaged-file") from error
        if self.at.signature != self._rules():
            reason = f"was saved by other rules or inputs: {self.at.signature}"
            raise input_error(str(path), None, reason, "remove it to begin anew", "other-state")
        if rows.runs:
            for _ in self._look(None, [(0, run, 0) for run in rows.runs]):
                pass
        self.saved_rows, self.saved_lines = rows.number, self.at.lines
        if self.asked.continued:
            self.hash.update(self.at.digest.encode())
            self.at.continued = True
            return
        if self.at.continued:
            raise UsageError(f"{path} went on without its beginning before: give --continued again")
        if self.at.lines:
            self.skip, self.at.lines = replace(self.at), 0

    def _rules(self) -> str:
        """What must be the same when a state goes on."""
        measures, asked = self.rows.measures, self.asked
        evaluation = self.rows.evaluation()
        rule = asked.on_missing or evaluation.edition.on_missing
        signature = signature_of(evaluation, measures, rule, asked.undefined)
        return f"{signature}|measures:{' '.join(map(str, measures))}"

    # Lines.

    def take(self, content: bytes) -> Generator[Iterable[str]]:
        """Take whole lines; gives those to write, in parts. A faulty line is raised after them.

        The last line may have no end. Where bad lines are left out they are told, and count as
        lines without a row. Whoever takes a part writes all of it before the next: then no state is
        saved of rows that were not told.
        """
        is_cut = not content.endswith(b"\n")
        content = self._skipped(content + b"\n" * is_cut)
        if not content:
            return
        block, faults = self._read_good(content)
        if is_cut and self.bad_ahead[-1:] == [self.at.lines + content.count(b"\n")]:
            self.bad_ahead.pop()  # not counted: it is whole when the stream is given again
            content = content[: content.rfind(b"\n", 0, -1) + 1]
        before, taken, start = self.at.lines, 0, 0
        ends = np.flatnonzero(np.frombuffer(content, np.uint8) == LINE_FEED) + 1
        lines, late = block["line"].to_list(), self.rows.late(block).to_numpy()
        while start < block.height:
            in_order = self.gold.in_order and not late[start]
            stop = min(
                block.height, start + (self.rows_at_once if in_order else self.rows_per_look)
            )
            if in_order and late[start:stop].any():
                stop = start + int(late[start:stop].argmax())
            end = int(ends[lines[stop - 1] - before - 1])
            with self.asked.undisturbed():
                try:
                    told = self._step(block[start:stop], in_order=in_order)
                except MissingTopics:
                    yield self._header()
                    raise
                self._count(content[taken:end])
                self.whole = True
                yield chain(self._header(), told)
            start, taken = stop, end
        if not faults:
            with self.asked.undisturbed():
                self._count(content[taken:])
        if faults or self.rows.number - self.saved_rows >= SAVED_EVERY:
            self.save()
        if faults:
            way = "or pass --on-bad-line skip to leave bad lines out"
            raise InputError([replace(each, cure=f"{each.cure}; {way}") for each in faults])

    def _read_good(self, content: bytes) -> tuple[pl.DataFrame, list[Fault]]:
        """Return the rows of whole lines; leave bad lines out, or all from the first bad one on."""
        first, ending = self.at.lines + 1, list[Fault]()
        while True:
            try:
                return self._read(content), ending
            except InputError as error:
                bad = [fault for fault in error.faults if fault.line is not None]
                if not bad:
                    raise
                lines = content.split(b"\n")
                if not self.asked.skips_bad_lines:
                    least = min(fault.line or 0 for fault in bad)
                    ending = [*dict.fromkeys(fault for fault in bad if fault.line == least)]
                    content = b"".join(line + b"\n" for line in lines[: least - first])
                    continue
                of_lines = {fault.line or 0: fault for fault in reversed(bad)}
                for line, fault in sorted(of_lines.items()):
                    place = line - first
                    text = lines[place].decode("utf-8", "replace")
                    self.asked.tell(replace(fault, text=text))
                    lines[place] = b""
                    self.bad_ahead = sorted({*self.bad_ahead, place + first})
                content = b"\n".join(lines)

    def _read(self, content: bytes) -> pl.DataFrame:
        """Return the rows of lines; any fault is an `InputError`. Nothing is remembered of them."""
        lines = LineBlock(self.stream, content, self.at.lines)
        key, faults = list(self.gold.key), FaultList(lines)
        lines.decided = self.decided = self.at.decided or self._first_columns(content)
        block = read_input(lines, RUN, self.reader, "jsonl").frame
        if key:
            known = self.recent.known(marks_of(block.select(key)))
            if self.gold.marks_repeats:
                block, known = block.with_columns(pl.Series(AGAIN, known)), known[:0]
            for row in block.filter(known).iter_rows(named=True) if len(known) else ():
                within = " and ".join(key[:-1])
                reason = f'{key[-1]} "{row[key[-1]]}" stands twice within its {within}'
                faults.add(row["line"], reason, "each comes once", "duplicate-id")
            faults.check()
        return self.gold.prepare(block, self.rows.kept, faults)

    def _first_columns(self, content: bytes) -> list[str] | None:
        """Return the columns of the first row, whose faults are raised; None without a row."""
        before = self.at.lines
        for line in content.split(b"\n")[:-1]:
            part = LineBlock(self.stream, line + b"\n", before)
            if read_input(part, RUN, self.reader, "jsonl").frame.height:
                keys = json.loads(line).keys()
                return [each.name for each in self.reader.schema if not keys.isdisjoint(each.names)]
            before += 1
        return None

    def _skipped(self, content: bytes) -> bytes:
        """Return what is left of lines that the state has counted; they must be the same lines."""
        if self.skip is None:
            return content
        part, rest = cut(content, self.skip.lines - self.at.lines)
        self.at.lines += part.count(b"\n")
        self.hash.update(part)
        if self.at.lines == self.skip.lines:
            if self.hash.hexdigest() != self.skip.digest:
                seen = count(self.at.lines, "line")
                reason = f"its beginning ({seen}) is not that of the saved state"
                cure = "give the same stream from its beginning, or --continued if it goes on"
                raise input_error(STANDARD_INPUT, None, reason, cure, "other-state")
            self.skip = None
        return rest

    def _count(self, content: bytes) -> None:
        """Remember lines as taken."""
        self.hash.update(content)
        self.at.lines += content.count(b"\n")
        ahead = [line for line in self.bad_ahead if line > self.at.lines]
        self.at.bad, self.bad_ahead = self.at.bad + len(self.bad_ahead) - len(ahead), ahead

    # Rows.

    @property
    def rows_at_once(self) -> int:
        """How many rows in order are counted together: their values are no more than fit."""
        if self.asked.on_missing == "error":
            return self.rows_per_look
        self.topics = self.topics or max(len(self.rows.evaluation().index.topics), 1)
        return max(1, ROWS_AT_ONCE // (self.topics * len(self.rows.measures)))

    @property
    def rows_per_look(self) -> int:
        """How many rows are counted together: so that looks at them see no more than fit."""
        if self.asked.on_missing == "error":
            return self.asked.every - self.rows.number % self.asked.every
        every, runs = self.asked.every, max(len(self.rows.runs), 1)
        held = 0 if self.rows.kept is None else self.rows.kept.height / runs
        looks = (math.sqrt(held**2 + 4 * every * ROWS_AT_ONCE) - held) / (2 * every)
        return max(1, int(looks * every))

    def _step(self, block: pl.DataFrame, *, in_order: bool) -> list[str]:
        """Count these rows in all places; returns what is to be told of them."""
        self.whole = False
        every, before = self.asked.every, self.rows.number
        runs = block["run"].to_list()
        self.rows.runs.update(dict.fromkeys(runs))
        seen = [(before + row) // every for row in range(block.height)]
        looks = range(before // every, (before + block.height) // every)
        states = dict.fromkeys((looks[0], run) for run in sorted(self.waiting)) if looks else {}
        states |= dict.fromkeys(
            (at, run) for at, run in zip(seen, runs, strict=True) if at in looks
        )
        ends = [(at, run, (at + 1) * every - before) for at, run in states]
        late, latest = self.at.late, max(self.at.latest.values(), default=-math.inf)
        by_then = [(late, latest)]
        for run, time in zip(runs, block["time"] if "time" in block.columns else [], strict=False):
            own = self.at.latest.get(run, -math.inf)
            late, latest = late + (time < own), max(latest, time)
            self.at.latest[run] = max(own, time)
            by_then.append((late, latest))
        told, ahead = [], None
        if in_order:
            ahead = self.rows.ahead(block, [run for _, run in states])
        for at, records in self._look(block, ends, ahead) if ends else ():
            late_then, latest_then = by_then[min((at + 1) * every - before, len(by_then) - 1)]
            if records:
                told.append(self._line((at + 1) * every, late_then, latest_then, records))
        self.rows.add(block, ahead)
        self.at.decided = self.decided
        self.at.late = late
        self.waiting = set() if looks else self.waiting
        self.waiting.update(run for at, run in zip(seen, runs, strict=True) if at not in looks)
        if self.gold.key:
            self.recent.remember(marks_of(block.select(self.gold.key)))
        return told

    def _look(
        self,
        block: pl.DataFrame | None,
        states: Sequence[tuple[int, str, int]],
        ahead: Ahead | None = None,
    ) -> Iterator[tuple[int, list[dict[str, Any]]]]:
        """Yield what differs of runs at each look, of which each sees so many rows of a block.

        A run at a look is evaluated as a run of its own.
        """
        asked, place = self.asked, {run: at for at, run in enumerate(natural_order(self.rows.runs))}
        every = pl.DataFrame(
            sorted(states, key=lambda each: (each[0], place[each[1]])),
            {"look": pl.Int64, "run": pl.String, "end": pl.Int64},
            orient="row",
        )
        every = every.with_columns(pl.format("{}\0{}", "look", "run").alias("state"))
        columns = None
        if ahead is None:
            evaluation = self._copied(block, every)
        else:
            evaluation, columns = ahead.weighed.evaluation, self._columns(ahead, every)
        try:
            scores = scores_of(
                evaluation,
                self.rows.measures,
                asked.on_missing,
                asked.undefined,
                per_topic=asked.per_topic,
                is_plain=True,
                columns=columns,
            )
        except MissingTopics as error:
            raise MissingTopics(re.sub("[0-9]+\0", "", str(error))) from None
        found: dict[int, list[dict[str, Any]]] = {}
        for record in scores.records(per_topic=asked.per_topic):
            look, _, run = record.run.partition("\0")
            known, place_told = self.told.setdefault(run, {}), (record.topic, record.measure)
            if place_told not in known or known[place_told] != record.value:
                known[place_told] = record.value
                found.setdefault(int(look), []).append(record._asdict() | {"run": run})
        yield from found.items()

    def _copied(self, block: pl.DataFrame | None, every: pl.DataFrame) -> Evaluation:
        """Return the evaluation of each run at each look by copies of its rows."""
        rows, runs = self.rows, every["run"].unique(maintain_order=True)
        held = rows.empty.frame if rows.kept is None else rows.kept
        others: dict[Measure, pl.DataFrame] = {}
        if rows.sums is not None:
            own = held.filter(pl.col("run").is_in(runs.implode()))
            known = own["run"].unique(maintain_order=True).to_list()
            of_kept = rows.gold.evaluate(rows.table(own, known), rows.counts.clear())
            others = dict(rows.with_others(of_kept).others)
        first = 0 if rows.kept is None else held.height
        held = held if block is None else rows.with_block(block)
        seen = held.with_row_index("place").join(every, on="run", maintain_order="left")
        seen = seen.filter(pl.col("place") < pl.col("end") + first)
        seen = seen.drop("run", "look", "end", "place").rename({"state": "run"})
        table = rows.table(seen, every["state"].to_list())
        states = every.select("run", "state")
        return replace(
            self.gold.evaluate(table, rows.counts.clear()),
            others={
                measure: sums.join(states, on="run").drop("run").rename({"state": "run"})
                for measure, sums in others.items()
            },
        )

    def _columns(self, ahead: Ahead, every: pl.DataFrame) -> list[Column]:
        """Return the measures of each run at each look, from what its rows add one by one."""
        weighed, rows = ahead.weighed, self.rows
        index = weighed.evaluation.index
        topics = pl.DataFrame({"topic": pl.Series(index.topics, dtype=pl.String)})
        cells = every.join(topics, how="cross", maintain_order="left_right")
        parts = [ahead.sums]
        if rows.sums is not None:
            own = rows.sums.join(every, on="run", how="semi")
            parts.append(own.with_columns(pl.lit(-1, pl.Int64).alias(ARRIVAL)))
        steps = pl.concat(parts, how="diagonal").sort(ARRIVAL)
        steps = steps.with_columns(pl.col(pl.Int128).fill_null(0).cum_sum().over(KEY))
        known = {"by": [*KEY], "left_on": "end", "right_on": ARRIVAL, "check_sortedness": False}
        sums = cells.join_asof(steps, **known, allow_exact_matches=False)  # type: ignore[arg-type]
        there = index.frames.get("present", index.outputs).group_by(KEY)
        there = there.agg(since=pl.col(ARRIVAL).cast(pl.Int64).min() - ahead.first)
        there = there.with_columns(pl.col(KEY).cast(pl.String))
        since = cells.join(there, on=KEY, how="left", maintain_order="left")
        present = since.select((pl.col("since") < pl.col("end")).fill_null(value=False))
        shape = (every.height, len(index.topics))
        units = LookUnits(
            tuple(every["state"]), index.topics, present.to_series().to_numpy().reshape(shape)
        )
        columns = []
        for at, result in enumerate(weighed.results.values()):
            c = result.contributions
            own = kernel.lanes_of(sums, f"{at} ", c.amounts)
            scored = c.score(kernel.sums_as_floats(own, c.amounts))
            columns.append(Column(units, values_of(scored)))
        return columns

    # What is told.

    def _header(self) -> Iterator[str]:
        """The first line: by what rules the others came about."""
        if not self.headed:
            self.headed = True
            skips = self.asked.skips_bad_lines or self.at.bad
            yield line_of({"signature": self._rules() + "|bad-lines:skip" * bool(skips)})

    def _line(
        self, updates: int, late: int, latest: float, records: Iterable[Any], **more: object
    ) -> str:
        """The line that tells these values after so many rows."""
        time = latest if math.isfinite(latest) else None
        content = {"updates": updates, "late": late, "time": time, "records": list(records)}
        return line_of(content | more)

    def finish(self) -> str:
        """The last line: every measure, and the warnings; the state is saved."""
        if self.skip is not None:
            reason = f"it ends before the {self.skip.lines:,} lines of the saved state"
            cure = "give the whole stream again"
            raise input_error(STANDARD_INPUT, None, reason, cure, "other-state")
        self.save()
        rows, asked, at = self.rows, self.asked, self.at
        skipped = [f"{count(at.bad, 'bad line')} skipped"] if at.bad else []
        zones = tuple(self.stream.zones.items())
        rows.sources = [replace(rows.sources[0], rows=at.lines, zones=zones)]
        evaluation = rows.evaluation()
        waiting = self.gold.conclude(evaluation, is_live=True, to_come=asked.state is not None)
        records, warnings = list[Any](), ["there was no update"]
        if rows.runs:
            scores = scores_of(evaluation, rows.measures, asked.on_missing, asked.undefined)
            records = [each._asdict() for each in scores.records(per_topic=asked.per_topic)]
            warnings = [*scores.warnings, *waiting]
        latest = max(at.latest.values(), default=-math.inf)
        more = {"final": True, "warnings": [*skipped, *warnings]}
        return self._line(rows.number, at.late, latest, records, **more)


def marks_of(keys: pl.DataFrame) -> Marks:
    """Return a hash of each key."""
    texts = ("\t".join(key).encode() for key in keys.cast(pl.String).iter_rows())
    found = [blake2b(text, digest_size=HASH_BYTES).digest() for text in texts]
    return np.array(found, f"S{HASH_BYTES}")


def save_state(path: Path, meta: Mapping[str, Any], tables: Mapping[str, pl.DataFrame]) -> None:
    """Write tables, and what is none as JSON beside them, as one file: whole or not at all."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(META, json.dumps(meta))
        for name, table in tables.items():
            exact = table.with_columns(pl.col(pl.Int128).cast(pl.String))
            columns = [each for each, kind in table.schema.items() if kind == pl.Int128]
            part = io.BytesIO()
            exact.rename({each: f"{EXACT}{each}" for each in columns}).write_ipc(part)
            archive.writestr(name, part.getvalue())
    write_file(path, content.getvalue())


def load_state(path: Path) -> tuple[dict[str, Any], dict[str, pl.DataFrame]]:
    """Return what was written as a state."""
    tables = {}
    with zipfile.ZipFile(path) as archive:
        meta = json.loads(archive.read(META))
        if meta["format"] != FORMAT:
            raise ValueError(f"format {meta['format']}")
        for name in archive.namelist():
            if name != META:
                table = pl.read_ipc(io.BytesIO(archive.read(name)))
                table = table.with_columns(pl.col(f"^{EXACT}.*$").cast(pl.Int128))
                tables[name] = table.rename(lambda each: each.removeprefix(EXACT))
    return meta, tables
