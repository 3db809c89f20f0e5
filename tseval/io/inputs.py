"""Inputs as bytes: paths and standard input, decompressed by suffix, read in blocks of lines."""

from __future__ import annotations

import hashlib
import io
import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, TypeAlias

from tseval.errors import Fault, InputError, input_error, reason_of
from tseval.io.compressed import BROKEN, OPENERS, Damaged
from tseval.io.limits import DOCUMENT, LINE, Limit
from tseval.io.time_reading import TIME_KEYS, TimeReading

STANDARD_INPUT = "-"

Each: TypeAlias = Callable[..., Iterator[Any]]
"""`map`, or what does the same somewhere else: with the function that reads a run, with the inputs,
and with what their runs are called. The function survives pickling, and so does what it gives."""

BLOCK_BYTES = 1 * 1024 * 1024
"""How much is read at once; a block always ends at a line's end."""

SUFFIXES = (".tsv", ".csv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx")
"""What names of files end with that belongs to no name of a run."""
BUFFER_BYTES = 64 * 1024
SHOWN_BYTES = 1024
"""How much of a line that is too long is kept, to show it."""

LATER_CURE = (
    "nothing behind it would be read: copy or download the file again, or take away what is behind "
    "its streams"
)
FIRST_CURE = "copy or download the file again, or take the suffix away if it is not compressed"
_MAGIC = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst", b"BZh": ".bz2", b"\xfd7zXZ\x00": ".xz"}


Stamp: TypeAlias = tuple[int, ...]
"""What changes when a file of this machine does."""


def stamp_of(found: os.stat_result) -> Stamp:
    """A file's stamp."""
    return found.st_mtime_ns, found.st_size, found.st_ino


class _Hashed(io.RawIOBase):
    """Bytes that are read from their start on, with the hash of what was read so far."""

    def __init__(self, raw: Any) -> None:
        super().__init__()
        self._raw = raw
        self._begin()

    def _begin(self) -> None:
        self.hasher = hashlib.sha256()
        self.count = 0
        self.ended = False

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = int(self._raw.readinto(buffer))
        self.hasher.update(memoryview(buffer)[:count])
        self.count += count
        self.ended = self.ended or not count
        return count

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Only back to the start, where the hash begins anew; else it tells where it is."""
        if (offset, whence) == (0, os.SEEK_SET):
            self._raw.seek(0)
            self._begin()
        elif (offset, whence) != (0, os.SEEK_CUR):
            raise io.UnsupportedOperation("seek")
        return self.count


class LongLine(Exception):
    """A line of more bytes than a line may have."""

    def __init__(self, start: bytes) -> None:
        super().__init__()
        self.start = start


def whole_lines(read: Callable[[int], bytes], limit: int) -> Iterator[bytes]:
    """What `read` gives, cut where lines end; what is left at last has no end.

    A line is read up to so many bytes and no further: a longer one is a `LongLine`.
    """
    rest: list[bytes] = []
    length = 0
    while piece := bytes(read(min(BLOCK_BYTES, limit))):
        first = piece.find(b"\n")
        length += len(piece) if first < 0 else first
        if length > limit:
            raise LongLine(b"".join([*rest, piece][:2])[:SHOWN_BYTES])
        if first < 0:
            rest.append(piece)
            continue
        cut = piece.rfind(b"\n") + 1
        yield b"".join([*rest, memoryview(piece)[:cut]])  # copied once
        rest, length = [piece[cut:]], len(piece) - cut
    if length:
        yield b"".join(rest)


class Input:
    """One input: a file by its path, or standard input (`-`).

    What can be read only once, as standard input and pipes, is kept. `path` is what messages and
    results call it: the path, with the bytes that are not UTF-8 replaced. A file may be opened
    several times; if it was changed or replaced in between, that is an `InputError`.
    """

    unit = "line"
    columns: Mapping[str, str] = MappingProxyType({})
    """What the file calls columns of its table, by their own names, where the caller says so.

    Under `TIME_KEYS` it holds what is said of times.
    """
    run_name: str | None = None
    """What its run is called, where the caller says so: whatever a column says."""
    is_part = False
    """Whether it is a part of an input, of which the form is known."""
    before = 0
    """How many lines or rows stand before those that are read: where it is a part of an input."""
    decided: Collection[str] | None = None
    """The optional columns that rows have, where an earlier row has decided that."""
    most: int | None = None
    """How many rows are read at most, if not all."""
    _digest: str | None = None
    """The hash, as soon as all bytes were read once."""
    _stamp: Stamp | None = None
    """The file's stamp when it was first opened."""

    def __init__(self, path: str | Path) -> None:
        self.file = Path(path)
        self.path = os.fsencode(path).decode("utf-8", "replace")
        self.zones: dict[str, float] = {}
        """The offsets from UTC of the times that were read, each with the earliest such time."""

    def __str__(self) -> str:
        return self.path

    def line_numbers(self) -> Iterator[int]:
        """The number of each line."""
        return count(1)

    def where_names_stand(self) -> str:
        """Where the names of its columns were found, for people."""
        return "here"

    @property
    def is_table(self) -> bool:
        """Whether it is known to be a plain table, whatever its content looks like."""
        return not set(self.columns).issubset(TIME_KEYS)

    @property
    def times(self) -> TimeReading:
        """How it writes times."""
        return TimeReading.of(self.columns)

    @property
    def time_parser(self) -> Callable[[str], float]:
        """Reads a time as the file writes it, in seconds, or raises `NotANumber`."""
        return partial(self.times.seconds, note_zone=self.note_zone)

    def note_zone(self, offset: str, seconds: float) -> None:
        """Remember that a time has this offset from UTC; empty where it has none."""
        self.zones[offset] = min(seconds, self.zones.get(offset, seconds))

    def renamed(self, names: Sequence[str]) -> list[str]:
        """The names of its columns, with those that the caller gives a meaning under that."""
        meant: dict[str, list[str]] = {}
        for own, name in self.columns.items():
            meant.setdefault(name, []).append(own)
        left = (meant.get(n, [] if n in self.columns else [n]) for n in names)
        return [name for each in left for name in each]

    @property
    def is_standard_input(self) -> bool:
        """Whether this is standard input."""
        return self.path == STANDARD_INPUT

    @property
    def name(self) -> str:
        """What a run in it is called when it has no other name: the file's, without suffix."""
        if self.is_standard_input:
            return "stdin"
        name = Path(Path(self.path).name)
        name = name.with_suffix("") if name.suffix in OPENERS else name
        return name.stem if name.suffix.lower() in SUFFIXES else name.name

    @cached_property
    def can_be_read_again(self) -> bool:
        """Whether another `Input` of the same path would find the same bytes."""
        return not self.is_standard_input and self.file.is_file()

    @property
    def is_there(self) -> bool:
        """Whether its bytes can be had: what stands for a frame has none."""
        return self.can_be_read_again or self._kept is not None

    @cached_property
    def _kept(self) -> bytes | None:
        """The bytes of what can be read only once; None for files and what cannot be opened."""
        if self.is_standard_input:
            return all_of(sys.stdin.buffer, self.path)
        if not self.file.exists() or self.file.is_file() or self.file.is_dir():
            return None
        return all_of_file(self.file)

    @property
    def sha256(self) -> str:
        """The hash of the bytes, compressed or not: of those that were read, if any were.

        It is made while they are read, so a file that is replaced later keeps its hash here.
        """
        if self._digest is None:
            with self._raw() as raw:
                while raw.read(BLOCK_BYTES):
                    pass
        return self._digest or ""

    def check_unchanged(self, found: os.stat_result | None = None) -> None:
        """Refuse a file that is another than when it was first opened."""
        if self._kept is not None:
            return
        stamp = stamp_of(found or self.file.stat())
        if self._stamp is None:
            self._stamp = stamp
        elif self._stamp != stamp:
            reason = "was changed or replaced while it was being read"
            cure = "wait until nothing writes to it, then run again"
            raise input_error(self.path, None, reason, cure, "changed-file")

    @contextmanager
    def _raw(self) -> Iterator[Any]:
        try:
            kept = self._kept
            stream = self.file.open("rb", buffering=0) if kept is None else io.BytesIO(kept)
        except OSError as error:
            reason = reason_of(error)
            if not self.path:
                reason = "give the file's path, or leave the option out"
            name = self.path or "(no name)"
            raise input_error(name, None, reason, "", "unreadable-file") from error
        with stream:
            size = len(kept or b"")
            if kept is None:
                found = os.fstat(stream.fileno())
                self.check_unchanged(found)
                size = found.st_size
            hashed = _Hashed(stream)
            with io.BufferedReader(hashed, BUFFER_BYTES) as raw:
                yield raw
            if self._digest is None and (hashed.ended or hashed.count == size):
                self._digest = hashed.hasher.hexdigest()

    def _suffix(self) -> str:
        """Which compression it is in: by suffix; a pipe has none, so by its first bytes."""
        if self._kept is None:
            return self.file.suffix
        head = self._kept[:6]
        return next((suffix for magic, suffix in _MAGIC.items() if head.startswith(magic)), "")

    @property
    def is_compressed(self) -> bool:
        """Whether the bytes have to be decompressed before they can be read."""
        return self._suffix() in OPENERS

    @contextmanager
    def open(self) -> Iterator[Any]:
        """The decompressed bytes as a stream; broken compression is an `InputError`."""
        with self._raw() as raw:
            suffix = self._suffix()
            opener = OPENERS.get(suffix)
            try:
                yield opener(raw) if opener else raw
            except BROKEN as error:
                raise InputError([self._broken(suffix, error)]) from error

    def _broken(self, suffix: str, error: Exception) -> Fault:
        kind = suffix.lstrip(".") or "file"
        if isinstance(error, EOFError) or "truncated" in str(error).lower():
            reason = f"the {kind} stream ends too early: the file is truncated"
            return Fault(self.path, None, reason, "copy or download the file again", "damaged-file")
        cure = LATER_CURE if isinstance(error, Damaged) and error.later else FIRST_CURE
        return Fault(self.path, None, f"cannot be read as {kind}: {error}", cure, "damaged-file")

    def head(self, size: int = 65_536) -> bytes:
        """The first decompressed bytes."""
        with self.open() as stream:
            return bytes(stream.read(size))

    def first_line(self, limit: Limit = LINE) -> bytes:
        """The first decompressed line, without its end."""
        head, end, _ = self.head().partition(b"\n")
        return head if end else next(self.blocks(limit), b"").partition(b"\n")[0]

    def blocks(self, limit: Limit = LINE) -> Iterator[bytes]:
        """The decompressed bytes in blocks of whole lines; a last line without an end gets one.

        A line may be as long as the limit says: that of documents, where one may be a document.
        """
        before = 0
        try:
            with self.open() as stream:
                for block in whole_lines(stream.read, limit.most):
                    yield block if block.endswith(b"\n") else self._ended(block, first=not before)
                    before += len(block)
        except LongLine as error:
            self._check_line_ends(b"" if before else error.start)
            raise InputError([self._long_line(before, error.start, limit)]) from None

    def whole(self) -> bytes:
        """All decompressed bytes at once, for files that are one document."""
        limit, parts, size = DOCUMENT.most, list[bytes](), 0
        with self.open() as stream:
            while size <= limit and (piece := bytes(stream.read(BLOCK_BYTES))):
                parts.append(piece)
                size += len(piece)
        check_document(self.path, size)
        return b"".join(parts)

    def whole_lines(self) -> bytes:
        """The same as lines, the last of which gets an end if it has none."""
        content = self.whole()
        if not content or content.endswith(b"\n"):
            return content
        return self._ended(content, first=b"\n" not in content)

    def _ended(self, block: bytes, *, first: bool) -> bytes:
        """The last lines of the file with an end."""
        if first and b"\n" not in block:
            self._check_line_ends(block)
        return block + b"\n"

    def _long_line(self, before: int, start: bytes, limit: Limit) -> Fault:
        """The fault of a line before which so many bytes of whole lines stand."""
        line = 1
        with self.open() as stream:
            while before and (piece := bytes(stream.read(min(before, BLOCK_BYTES)))):
                line += piece.count(b"\n")
                before -= len(piece)
        text = start.decode("utf-8", "replace")
        return Fault(self.path, line, f"is {limit.reason}", limit.cure, "too-large", text)

    def _check_line_ends(self, line: bytes) -> None:
        """Refuse lines that end with carriage returns alone: they would be read as one line."""
        if b"\r" in line[:-1]:
            reason = "lines end with carriage returns alone"
            cure = "save the file with Unix line ends"
            raise input_error(self.path, 1, reason, cure, "line-ends")

    def lines(self, numbers: Collection[int]) -> dict[int, str]:
        """The lines with these numbers, decoded as well as can be: for showing faults."""
        wanted, found, first = set(numbers), dict[int, str](), 1
        for block in self.blocks(DOCUMENT):
            if not wanted:
                break
            lines = block.split(b"\n")[:-1]
            for number in [n for n in wanted if first <= n < first + len(lines)]:
                found[number] = lines[number - first].decode("utf-8", "replace").rstrip("\r")
                wanted.discard(number)
            first += len(lines)
        return found


def check_document(path: str, size: int) -> None:
    """Refuse a file of so many bytes once it is unpacked, if a document may not have them."""
    if size > DOCUMENT.most:
        raise input_error(path, None, f"is {DOCUMENT.reason}", DOCUMENT.cure, "too-large")


def all_of(stream: BinaryIO, path: str) -> bytes:
    """What a stream gives until it ends, which that of a device or a program may never do."""
    kept, size = io.BytesIO(), BLOCK_BYTES  # grows in its place, and gives without a copy
    while size == BLOCK_BYTES:  # of a terminal, what comes behind the end is not asked for
        size = kept.write(stream.read(BLOCK_BYTES))
        check_document(path, kept.tell())
    return kept.getvalue()


def all_of_file(path: str | Path) -> bytes:
    """What a file holds, as it stands there."""
    with Path(path).open("rb") as stream:
        return all_of(stream, str(path))


class RowInput(Input):
    """An input that is known to have rows and no lines, as Parquet has."""

    unit = "row"

    def __init__(self, source: Input) -> None:
        super().__init__(source.file)
        self.path = source.path
        self.columns, self.run_name = source.columns, source.run_name
        self.before, self.most = source.before, source.most
        self._kept = source._kept  # a pipe cannot be read again
