"""A live stream: updates as JSON lines in, the measures as they change as JSON lines out.

Lines are taken as they come, any number at once; what is written depends on the lines alone, not on
how they came. The work for each is the same at the beginning and after a month.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.doubtful_times import zone_warnings
from tseval.core.wording import count
from tseval.errors import Fault, UsageError, input_error
from tseval.families.temporal.rules import DRAFT
from tseval.families.temporal.streaming import saved
from tseval.families.temporal.streaming.fold import rows_of
from tseval.families.temporal.streaming.gold import Paired
from tseval.families.temporal.streaming.scorer import StreamScorer
from tseval.families.temporal.streaming.told import Looks, Told, line_of, told_line
from tseval.files.jsonl import cells_of, records
from tseval.files.plain import build
from tseval.files.update_marks import hashes
from tseval.io.blocks import LINE_FEED, cut
from tseval.io.faults import FaultList
from tseval.io.inputs import STANDARD_INPUT, Input
from tseval.io.limits import LINE, Limit
from tseval.io.origin import InputRecord, Known
from tseval.io.repeats import Recent
from tseval.io.schema import UPDATES, Schema
from tseval.io.score_files import ScoreRecord
from tseval.records import frozen
from tseval.tables import Updates

if TYPE_CHECKING:
    from collections.abc import Collection

    from tseval.families.temporal.streaming.assessments import CanonicalUpdates
    from tseval.io.repeats import Marks

RUN = "stdin"
"""What a run is called whose updates don't say."""
VALUES_AT_ONCE = 1 << 17
"""Updates are counted together as long as they have so many values, of topics and measures."""
SAVED_EVERY = 100_000
"""After how many updates the state is saved, at the latest."""


class Lines(Input):
    """Some lines of a stream, of which the first has this number."""

    def __init__(self, content: bytes, first: int) -> None:
        super().__init__(STANDARD_INPUT)
        self.content = content
        self.first = first

    @property
    def is_there(self) -> bool:
        """Not all of it: the rest of the stream is not waited for, which may never end."""
        return False

    def blocks(self, limit: Limit = LINE) -> Iterator[bytes]:  # noqa: ARG002 - looked at before
        """All of them."""
        yield self.content

    def lines(self, numbers: Collection[int]) -> dict[int, str]:
        """The lines with these numbers."""
        every = self.content.split(b"\n")
        return {n: every[n - self.first].decode("utf-8", "replace") for n in numbers}


@frozen
class Following:
    """How a stream is followed."""

    every: int = 1
    """After how many updates the measures are looked at."""
    per_topic: bool = False
    state: Path | None = None
    continued: bool = False
    """Whether the input goes on after the saved state, instead of starting again."""
    schema: Schema = UPDATES
    """The columns of the updates, as the stream calls them."""
    skips_bad_lines: bool = False
    """Whether bad lines are reported and left out, instead of ending the stream."""
    tell: Callable[[Fault], None] = lambda _: None
    """The function that reports the fault of each line that is left out."""
    times: Mapping[str, str] = field(default_factory=dict)
    """How the stream writes times."""
    undisturbed: Callable[[], AbstractContextManager[None]] = nullcontext
    """Makes whatever would interrupt the program wait until updates are counted and told."""


@frozen
class _Read:
    """Updates that came together."""

    updates: Updates
    marks: Marks
    """What stands for each among the last updates."""
    columns: set[str]
    """The columns of the stream's first update."""


@frozen
class _Chunk:
    """The same, with what stands for them, and with their pairs."""

    read: _Read
    known: CanonicalUpdates
    found: Paired


class Follower:
    """Takes the lines of a stream and tells what changed."""

    def __init__(self, scorer: StreamScorer, following: Following) -> None:
        self.scorer, self.following = scorer, following
        self.gold, self.pairing, self.fold = scorer.gold, scorer.pairing, scorer.fold
        self.recent = Recent()
        self.lines = 0
        self.bad = 0
        """The number of these lines that were bad and left out."""
        self.bad_ahead: list[int] = []
        """The bad lines that are reported but not counted yet."""
        self.zones: dict[str, float] = {}
        """The offsets from UTC of the stream's times, each with the first such time."""
        self.hash = hashlib.sha256()
        asked = scorer.common
        told = Told(
            self.fold,
            asked.on_missing or DRAFT.on_missing,
            asked.undefined,
            per_topic=following.per_topic,
        )
        self.looks = Looks(told, following.every)
        self.saved_at = 0
        self.saved_lines = 0
        """How many lines the state on disk holds."""
        self.skip: saved.Position | None = None
        self.continued = following.continued
        self.headed = False
        self.first: set[str] | None = None
        """The columns of the first update; None if none has come."""
        self.topics: dict[str, str] = {}
        """For each topic of the gold the name with a prefix by which updates call it."""
        self.whole = True
        """Whether all that is remembered is of the same updates; else it is no state to save."""
        if following.state is not None and following.state.exists():
            self._resume(following.state)
        self.save()  # before the first line is read: where it cannot be saved, nothing is told

    def _resume(self, path: Path) -> None:
        position, recent = saved.load(path, self.fold)
        if position.signature != self._rules():
            reason = f"was saved by other rules or inputs: {position.signature}"
            raise input_error(str(path), None, reason, "remove it to begin anew", "other-state")
        self.recent, self.bad = Recent(recent), position.bad
        self.pairing.resume(position.matched, self.fold.runs)
        self.first = None if position.columns is None else set(position.columns)
        self.topics = dict(position.topics)
        self.gold.names.written = dict(position.topics)
        self.looks.told.take_all()
        self.saved_at, self.saved_lines = self.fold.updates, position.lines
        if self.following.continued:
            self.lines = position.lines
            self.hash.update(position.digest.encode())
            return
        if position.continued:
            raise UsageError(f"{path} went on without its beginning before: give --continued again")
        self.skip = position if position.lines else None

    def _signature(self) -> str:
        """Return all that can change a number: the rules, and whether bad lines are left out."""
        skips = self.following.skips_bad_lines or self.bad
        return self._rules() + ("|bad-lines:skip" if skips else "")

    def _rules(self) -> str:
        """What must be the same when a state goes on."""
        measures, asked = self.fold.wanted.measures, self.scorer.common
        evaluation = self.scorer.evaluation()
        signature = evaluation.signature(
            **evaluation.traits_of(measures),
            missing=asked.on_missing or DRAFT.on_missing,
            undefined=asked.undefined,
        )
        return f"{signature}|measures:{' '.join(map(str, measures))}"

    def _header(self) -> Iterator[str]:
        """The first line: by what rules the others came about; the first update completes them."""
        if not self.headed:
            self.headed = True
            yield line_of({"signature": self._signature()})

    def take(self, content: bytes) -> Generator[Iterable[str]]:
        """Take whole lines; gives those to write, in parts. A faulty line is raised after them.

        The last line may have no end. Where bad lines are left out they are told, and count as
        lines without an update.

        Whoever takes a part writes all of it before the next: then no state is saved of updates
        that were not told.
        """
        is_cut = not content.endswith(b"\n")
        content = self._skipped(content + b"\n" * is_cut)
        if not content:
            return
        read, faults = self._read_good(content)
        if is_cut and self.bad_ahead[-1:] == [self.lines + content.count(b"\n")]:
            self.bad_ahead.pop()  # not counted: it is whole when the stream is given again
            content = content[: content.rfind(b"\n", 0, -1) + 1]
        yield from self._add(read, content, len(faults) > 0)
        if len(faults) or self.fold.updates - self.saved_at >= SAVED_EVERY:
            self.save()
        if len(faults):
            ending = FaultList(faults.source)
            way = "or pass --on-bad-line skip to leave bad lines out"
            ending.extend(replace(each, cure=f"{each.cure}; {way}") for each in faults.noted)
            ending.check()

    def _read_good(self, content: bytes) -> tuple[_Read, FaultList]:
        """Return the updates of whole lines; leave bad lines out, or end the stream with faults."""
        while True:
            lines = Lines(content, self.lines + 1)
            lines.columns = self.following.times
            faults = FaultList(lines)
            read = self._read(lines, faults)
            bad = {fault.line: fault for fault in reversed(faults.noted) if fault.line is not None}
            if not bad or not self.following.skips_bad_lines:
                return read, faults
            parts = content.split(b"\n")
            for line, fault in sorted(bad.items()):
                text = parts[line - lines.first].decode("utf-8", "replace")
                self.following.tell(replace(fault, text=text))
                parts[line - lines.first] = b""
            content = b"\n".join(parts)
            self.bad_ahead = sorted({*self.bad_ahead, *bad})

    def _add(self, read: _Read, content: bytes, faulty: bool) -> Iterator[Iterable[str]]:
        """Count updates, many together, and tell what changed at each look.

        With them the lines up to the last of them are counted; those after it too, if none is
        faulty.
        """
        updates, known = read.updates, self.gold.known(read.updates)
        chunk = _Chunk(read, known, self.pairing.find(known.updates))
        before, taken = self.lines, 0
        ends = np.flatnonzero(np.frombuffer(content, np.uint8) == LINE_FEED) + 1
        for start in range(0, len(updates), self.together):
            stop = min(len(updates), start + self.together)
            end = int(ends[int(updates.origin.line[stop - 1]) - before - 1])
            with self.following.undisturbed():
                self.whole = False
                looks = self._step(chunk, start, stop)
                self._count(content[taken:end])
                self.whole = True
                yield chain(self._header(), looks)
            taken = end
        if not faulty:
            with self.following.undisturbed():
                self.whole = False
                self._count(content[taken:])
                self.whole = True

    @property
    def together(self) -> int:
        """How many updates are counted together."""
        wanted = self.fold.wanted
        values = len(wanted.topics) * len(wanted.measures)
        return max(1, VALUES_AT_ONCE // max(values, 1))

    def _step(self, chunk: _Chunk, start: int, stop: int) -> Iterator[str]:
        """Count these updates in all places; what is to be told of them."""
        if self.first is None:
            self.first = chunk.read.columns
            self.fold.has_cost = "cost" in self.first
        rows = np.arange(start, stop)
        standing = chunk.known.updates.rows(rows)
        pairs = rows_of(chunk.found.pairs, start, stop)
        news = self.looks.add(standing, pairs, chunk.known.sampled[rows])
        self.pairing.note(chunk.known.updates, chunk.found, start, stop)
        self.recent.remember(chunk.read.marks[rows])
        own = chunk.read.updates.topic.rows(rows)
        self.topics = self.gold.names.with_prefix(own) | self.topics
        return news

    def _count(self, content: bytes) -> None:
        """Remember lines as taken."""
        self.hash.update(content)
        self.lines += content.count(b"\n")
        ahead = [line for line in self.bad_ahead if line > self.lines]
        self.bad, self.bad_ahead = self.bad + len(self.bad_ahead) - len(ahead), ahead

    def _skipped(self, content: bytes) -> bytes:
        """What is left of lines that the state has counted; they must be the same lines."""
        if self.skip is None:
            return content
        part, rest = cut(content, self.skip.lines - self.lines)
        self.lines += part.count(b"\n")
        self.hash.update(part)
        if self.lines == self.skip.lines:
            if self.hash.hexdigest() != self.skip.digest:
                seen = count(self.lines, "line")
                reason = f"its beginning ({seen}) is not that of the saved state"
                cure = "give the same stream from its beginning, or --continued if it goes on"
                raise input_error(STANDARD_INPUT, None, reason, cure, "other-state")
            self.skip = None
        return rest

    def _read(self, lines: Lines, faults: FaultList) -> _Read:
        """The updates before the first faulty line; faults are noted.

        Nothing is remembered of them yet.
        """
        own = FaultList(lines)
        rows = list(records(lines, self.following.schema, own))
        columns = _first_columns(lines, rows) if self.first is None else self.first
        unlike = list(_unlike_the_first(lines, rows, columns))
        own.extend(unlike)
        left_out = {fault.line for fault in unlike}
        cells = cells_of([row for row in rows if row[0] not in left_out], UPDATES)
        cells = replace(cells, lines=cells.lines + self.lines)
        moved = [replace(f, line=(f.line or 0) + self.lines) for f in own.noted]
        table = FaultList(lines)
        read = build(lines, cells, UPDATES, table)
        self.zones = lines.zones | self.zones
        updates = Updates.of(read.columns, read.origin, RUN)
        faults.extend([*moved, *table.noted])
        good = updates.rows(np.arange(_before(updates, faults)))
        marks = hashes(good)
        faults.extend(
            self._repeated(good, int(row)) for row in np.flatnonzero(self.recent.known(marks))
        )
        good = updates.rows(np.arange(_before(updates, faults)))
        faults.extend(self.gold.names.clashes(good.topic, good.origin))
        good = updates.rows(np.arange(_before(updates, faults)))
        return _Read(_with_costs(good, "cost" in columns), marks[: len(good)], columns)

    def _repeated(self, updates: Updates, row: int) -> Fault:
        reason = f'update_id "{updates.update_id[row]}" stands twice within its run and topic'
        return updates.origin.fault(row, reason, "each update comes once", "duplicate-id")

    def finish(self) -> str:
        """The last line: every measure, and the warnings; the state is saved."""
        if self.skip is not None:
            reason = f"it ends before the {self.skip.lines:,} lines of the saved state"
            cure = "give the whole stream again"
            raise input_error(STANDARD_INPUT, None, reason, cure, "other-state")
        self.save()
        lost = self.pairing.check(to_come=self.following.state is not None)
        if not self.fold.runs:
            return self._final([], ["there was no update"])
        scores = self.scorer.scores()
        records = scores.records(per_topic=self.following.per_topic)
        stream = InputRecord(RUN, Known(""), self.lines, zones=tuple(self.zones.items()))
        gold = [each for origin in self.gold.origins.values() for each in origin.sources]
        warnings = [*scores.warnings, *zone_warnings([*gold, stream])]
        if lost:
            verb = "match speaks" if lost == 1 else "matches speak"
            warnings.append(f"{lost:,} {verb} of updates that have not come yet")
        return self._final(records, warnings)

    def _final(self, records: Iterable[ScoreRecord], warnings: Sequence[str]) -> str:
        """The line that ends all."""
        fold, values = self.fold, (record._asdict() for record in records)
        skipped = [f"{count(self.bad, 'bad line')} skipped"] if self.bad else []
        more = {"final": True, "warnings": [*skipped, *warnings]}
        return told_line(fold.updates, fold.late, fold.latest, values, **more)

    def save(self) -> None:
        """Write the state, if a file is named, and if it is one that can go on."""
        if self.following.state is None or self.skip is not None or not self.whole:
            return
        position = saved.Position(
            self._rules(),
            self.lines,
            self.hash.hexdigest(),
            self.continued,
            self.pairing.known,
            None if self.first is None else sorted(self.first & {"run", "cost"}),
            self.topics,
            self.bad,
        )
        saved.save(self.following.state, position, self.fold, self.recent.columns())
        self.saved_at, self.saved_lines = self.fold.updates, self.lines


def _first_columns(lines: Lines, rows: Sequence[tuple[int, dict[str, str]]]) -> set[str]:
    """The columns of the first update that has no fault of its own."""
    for row in rows:
        faults = FaultList(lines)
        build(lines, cells_of([row], UPDATES), UPDATES, faults)
        if not faults.noted:
            return set(row[1])
    return set()


def _unlike_the_first(
    lines: Lines, rows: Sequence[tuple[int, dict[str, str]]], columns: set[str]
) -> Iterator[Fault]:
    """What the first update decides: whether updates name their runs, and have costs."""
    faults = FaultList(lines)
    for line, record in rows:
        for name in ("run", "cost"):
            if name in record and name not in columns:
                cure = f"give the first update a {name} too"
                reason = f'has a "{name}", but the first update has none'
                faults.add(line, reason, cure, "late-column")
        if "run" in columns and "run" not in record:
            faults.add(line, "empty run", "give every row its run", "empty-value")
    yield from faults.noted


def _with_costs(updates: Updates, has_cost: bool) -> Updates:
    """The updates with costs, or without."""
    if not has_cost:
        return replace(updates, cost=None)
    return updates if updates.cost is not None else replace(updates, cost=np.ones(len(updates)))


def _before(updates: Updates, faults: FaultList) -> int:
    """How many rows stand before the first faulty line."""
    lines = [fault.line for fault in faults.noted if fault.line is not None]
    if not lines:
        return len(updates)
    return int(np.searchsorted(updates.origin.line, min(lines)))
