"""Inputs as bytes: paths and standard input, decompressed by suffix, read in blocks of lines."""

from __future__ import annotations

import bz2
import csv
import hashlib
import lzma
import os
import sys
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

from tseval.errors import input_error, reason_of
from tseval.io.columns import SETTINGS
from tseval.io.times import TimeReading
from tseval.records import frozen

STANDARD_INPUT = "-"

Each: TypeAlias = Callable[..., Iterator[Any]]
"""`map`, or what does the same somewhere else: with the function that reads a run, with the inputs,
and with what their runs are called. The function survives pickling, and so does what it gives."""

BLOCK_BYTES = 4 * 1024 * 1024
"""How much is read at once; a block always ends at a line's end."""
HEAD_BYTES = 64 * 1024
"""How much is read to recognise a form."""

SUFFIXES = (".tsv", ".csv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".xlsx")
"""What names of files end with that belongs to no name of a run."""
BROKEN_CURE = "copy or download the file again, or take the suffix away if it is not compressed"
_MAGIC = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst", b"BZh": ".bz2", b"\xfd7zXZ\x00": ".xz"}

csv.field_size_limit(2**31 - 1)  # Python refuses longer fields than 128 KiB, which texts may have


def complete_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield pieces cut where lines end; the last may have no end."""
    rest: list[bytes] = []
    for piece in pieces:
        cut = piece.rfind(b"\n") + 1
        if cut:
            yield b"".join([*rest, memoryview(piece)[:cut]])  # copied once
            rest.clear()
        rest.append(piece[cut:])
    if any(rest):
        yield b"".join(rest)


# Compressed bytes, read to the end of the last stream. A compressed file may be several streams one
# behind the other, as `cat a.gz b.gz` or a program that works in parallel writes them. Python's own
# readers take what follows the first stream for padding if they cannot read it, and end there
# without a word. Here whatever is not a whole stream, to the last byte of the file, is refused:
# zeros, text, and streams that are damaged or cut off.

WITH_GZIP_HEADER = 31
"""What zlib wants to be told, so that it reads gzip's header and checks its sums."""
BROKEN = (zlib.error, lzma.LZMAError, OSError, ValueError, EOFError)
"""What reading one runs into."""


def decompress_streams(pieces: Iterator[bytes], new: Callable[[], Any]) -> Iterator[bytes]:
    """Yield the content of all streams, each of which gets a decoder of its own."""
    decoder = new()
    for given in pieces:
        rest = given
        while rest:
            decoder = new() if decoder.eof else decoder
            yield decoder.decompress(rest)
            rest = decoder.unused_data
    if not decoder.eof:
        raise EOFError


def decompress_zst(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the content of a zst file: Arrow refuses all damage, but for an empty file."""
    import pyarrow as pa  # here, because most inputs need none of it

    content = b"".join(pieces)
    if not content:
        raise EOFError
    with pa.CompressedInputStream(pa.BufferReader(content), "zstd") as stream:
        while piece := stream.read(BLOCK_BYTES):
            yield piece


DECOMPRESSORS: dict[str, Callable[[Iterator[bytes]], Iterator[bytes]]] = {
    ".gz": partial(decompress_streams, new=partial(zlib.decompressobj, WITH_GZIP_HEADER)),
    ".bz2": partial(decompress_streams, new=bz2.BZ2Decompressor),
    ".xz": partial(decompress_streams, new=lzma.LZMADecompressor),
    ".zst": decompress_zst,
}
"""What reads the bytes of a compressed file, by its suffix."""


class Input:
    """One input: a file by its path, or standard input (`-`).

    What can be read only once, as standard input and pipes, is kept. `path` is what messages and
    results call it: the path, with the bytes that are not UTF-8 replaced. A file may be opened
    several times; if it was changed or replaced in between, that is an `InputError`.
    """

    unit = "line"
    columns: Mapping[str, str] = MappingProxyType({})
    """What the file calls columns of its table, by their own names, where the caller says so.

    Under `SETTINGS` it holds what is said of times and numbers.
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
    show_rows: Callable[[Input, Collection[int]], dict[int, str]] | None = None
    """Returns rows by their numbers, where the form has rows and no lines."""
    _digest = ""
    """The hash, as soon as all bytes were read once."""
    _stamp: tuple[int, ...] | None = None
    """What changes when the file does, as it was when the file was first opened."""

    def __init__(self, path: str | Path) -> None:
        self.file = Path(path)
        self.path = os.fsencode(path).decode("utf-8", "replace")
        self.zones: dict[str, float] = {}
        """The offsets from UTC of the times that were read, each with the earliest such time."""

    def __str__(self) -> str:
        return self.path

    @property
    def is_table(self) -> bool:
        """Whether it is known to be a plain table, whatever its content looks like."""
        return not set(self.columns).issubset(SETTINGS)

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
        left = [meant.pop(n, [] if n in self.columns else [n]) for n in names]
        left += meant.values()  # constants, and paths into objects
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
        name = name.with_suffix("") if name.suffix in DECOMPRESSORS else name
        return name.stem if name.suffix.lower() in SUFFIXES else name.name

    @cached_property
    def can_be_read_again(self) -> bool:
        """Whether another `Input` of the same path would find the same bytes."""
        return not self.is_standard_input and self.file.is_file()

    @property
    def has_bytes(self) -> bool:
        """Whether its bytes can be had: what stands for a frame has none."""
        return self.can_be_read_again or self._read_once is not None

    @cached_property
    def _read_once(self) -> bytes | None:
        """The bytes of what can be read only once; None for files and what cannot be opened."""
        if self.is_standard_input:
            return sys.stdin.buffer.read()
        if not self.file.exists() or self.file.is_file() or self.file.is_dir():
            return None
        return self.file.read_bytes()

    @property
    def sha256(self) -> str:
        """The hash of the bytes, compressed or not: of those that were read, if any were.

        It is made while they are read, so a file that is replaced later keeps its hash here.
        """
        if not self._digest:
            for _ in self._raw(BLOCK_BYTES):
                pass
        return self._digest

    def check_unchanged(self) -> None:
        """Refuse a file that is another than when it was first opened."""
        status = self.file.stat()
        stamp = status.st_mtime_ns, status.st_size, status.st_ino
        self._stamp = self._stamp or stamp
        if self._stamp != stamp:
            reason = "was changed or replaced while it was being read"
            cure = "wait until nothing writes to it, then run again"
            raise input_error(self.path, None, reason, cure, "changed-file")

    def _raw(self, size: int) -> Iterator[bytes]:
        """Yield the bytes as they are, so many at a time; all of them give the hash."""
        digest = hashlib.sha256()
        try:
            if self._read_once is not None:
                digest.update(self._read_once)
                yield self._read_once
            else:
                with self.file.open("rb", buffering=0) as stream:
                    self.check_unchanged()
                    while piece := stream.read(size):
                        digest.update(piece)
                        yield piece
        except OSError as error:
            reason = reason_of(error)
            if not self.path:
                reason = "give the file's path, or leave the option out"
            name = self.path or "(no name)"
            raise input_error(name, None, reason, "", "unreadable-file") from error
        self._digest = self._digest or digest.hexdigest()

    @property
    def compression(self) -> str:
        """How the bytes are compressed, if they are: by suffix; of a pipe by its first bytes."""
        if self._read_once is None:
            return self.file.suffix if self.file.suffix in DECOMPRESSORS else ""
        head = self._read_once[:6]
        return next((suffix for magic, suffix in _MAGIC.items() if head.startswith(magic)), "")

    def pieces(self, size: int = BLOCK_BYTES) -> Iterator[bytes]:
        """Yield the decompressed bytes; broken compression is an `InputError`."""
        if not self.compression:
            yield from self._raw(size)
            return
        try:
            yield from DECOMPRESSORS[self.compression](self._raw(HEAD_BYTES))
        except BROKEN as error:
            kind, cure = self.compression.lstrip("."), BROKEN_CURE
            reason = f"cannot be read as {kind}: {error}"
            if isinstance(error, EOFError) or "truncated" in str(error).lower():
                reason = f"the {kind} stream ends too early: the file is truncated"
                cure = cure.partition(",")[0]
            raise input_error(self.path, None, reason, cure, "damaged-file") from error

    @cached_property
    def _head(self) -> bytes:
        head = b""
        for piece in self.pieces(HEAD_BYTES):
            head += piece
            if len(head) >= HEAD_BYTES:
                break
        return head[:HEAD_BYTES]

    def head(self, size: int = HEAD_BYTES) -> bytes:
        """The first decompressed bytes."""
        return self._head[:size]

    def first_line(self) -> bytes:
        """The first decompressed line, without its end."""
        head, end, _ = self.head().partition(b"\n")
        return head if end else next(self.blocks(), b"").partition(b"\n")[0]

    def blocks(self) -> Iterator[bytes]:
        """The decompressed bytes in blocks of whole lines; a last line without an end gets one."""
        is_first = True
        for block in complete_lines(self.pieces()):
            if is_first and b"\n" not in block and b"\r" in block[:-1]:
                reason = "lines end with carriage returns alone"
                cure = "save the file with Unix line ends"
                raise input_error(self.path, 1, reason, cure, "line-ends")
            yield block if block.endswith(b"\n") else block + b"\n"
            is_first = False

    def all_bytes(self) -> bytes:
        """All decompressed bytes at once, for files that are one document."""
        return b"".join(self.pieces())

    def complete_lines(self) -> bytes:
        """The same as lines, the last of which gets an end if it has none."""
        return b"".join(self.blocks())

    def lines(self, numbers: Collection[int]) -> dict[int, str]:
        """The lines or rows of these numbers, decoded as well as can be: for showing faults."""
        if self.show_rows is not None:
            return self.show_rows(self, numbers)
        wanted, found, first = set(numbers), dict[int, str](), 1
        for block in self.blocks():
            if not wanted:
                break
            lines = block.split(b"\n")[:-1]
            for number in [n for n in wanted if first <= n < first + len(lines)]:
                found[number] = lines[number - first].decode("utf-8", "replace").rstrip("\r")
                wanted.discard(number)
            first += len(lines)
        return found


SHORT_HASH = 12
"""How many hexadecimal digits of a hash a signature shows."""


@frozen
class InputRecord:
    """One input as it goes into the record of a result: its name, its hash, its number of rows."""

    path: str
    digest: Callable[[], str]
    """Gives the hash of what was read; that of a frame is not made before it is asked for."""
    rows: int
    unit: str = "line"
    """What its places are called: "line", or "row" for inputs without lines."""
    columns: tuple[str, ...] = ()
    """What it calls columns by the caller's word: `nuggets.text=fact`."""
    understood: tuple[str, ...] = ()
    """Which of its names were taken for columns by common sense: `fact as text`."""
    runs: tuple[str, ...] = ()
    """The runs that it holds, where it is one of several files of runs."""
    zones: tuple[tuple[str, float], ...] = ()
    """The offsets from UTC of its times, empty where they have none, with the earliest of each."""

    @property
    def sha256(self) -> str:
        """The hash of the input's bytes."""
        return self.digest()

    @property
    def is_relative(self) -> bool:
        """Whether times are seconds since the topic's start: `--clock relative`."""
        return any(each.endswith(".clock=relative") for each in self.columns)

    def __reduce__(self) -> tuple[Callable[[], InputRecord], tuple[()]]:
        known = {**vars(self), "digest": partial(str, self.sha256)}
        return partial(InputRecord, **known), ()


UTF8_CURE = "save the file in the encoding UTF-8"


def not_utf8(content: bytes) -> str:
    """Return the reason why bytes are not UTF-8, empty if they are."""
    try:
        content.decode()
    except UnicodeDecodeError as error:
        return f"byte 0x{content[error.start]:02x} is not UTF-8"
    return ""


def first_row(source: Input) -> bytes:
    """The first line of a file that is neither empty nor a comment, as far as its head goes."""
    lines = (line.strip() for line in source.head().lstrip(b"\xef\xbb\xbf").split(b"\n")[:1000])
    return next((line for line in lines if line and not line.startswith(b"#")), b"")


def is_xml(source: Input) -> bool:
    """Return whether a file looks like XML, as the topics of the track do."""
    return source.head().lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
