"""Compressed bytes, read to the end of the last stream: gz, bz2, xz and zst.

A compressed file may be several streams one behind the other, as `cat a.gz b.gz` or a program that
works in parallel writes them. Python's own readers take what follows the first stream for padding
if they cannot read it, and end there without a word. Here whatever is not a whole stream, to the
last byte of the file, is refused: zeros, text, and streams that are damaged or cut off.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable
from typing import IO, Any, Protocol

PIECE = 1 << 16
"""How many compressed bytes are read at once."""
MOST = 1 << 22
"""How many bytes a decoder gives at once, at most."""
WITH_GZIP_HEADER = 31
"""What zlib wants to be told, so that it reads gzip's header and checks its sums."""
NOT_DECODED = (zlib.error, lzma.LZMAError, OSError, ValueError)


class Damaged(Exception):
    """Compressed bytes that cannot be decoded; its text says where and why."""

    def __init__(self, reason: str, *, later: bool) -> None:
        super().__init__(reason)
        self.later = later
        """Whether a whole stream lies before it."""


class Decoder(Protocol):
    """One stream's decoder, as those of bz2 and lzma are."""

    @property
    def eof(self) -> bool:
        """Whether the stream is at its end."""

    @property
    def needs_input(self) -> bool:
        """Whether it has given all that it can give of what it was given."""

    @property
    def unused_data(self) -> bytes:
        """What was given after the end of the stream."""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Some of the content."""


class _Gzip:
    """The decoder of one gzip stream, its header and its check sum."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(WITH_GZIP_HEADER)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + data, max_length)


class Streams:
    """The content of all streams of a file, which has to end with the last."""

    def __init__(self, raw: IO[bytes], decoder: Callable[[], Decoder]) -> None:
        self._raw = raw
        self._new = decoder
        self._decoder = decoder()
        self._whole = 0
        """How many streams are read to their ends."""
        self._taken = 0
        """How many bytes of the file were given to decoders, and are theirs."""
        self._start = 0
        """Where the present stream starts."""
        self._ended = False

    def read(self, size: int = -1) -> bytes:
        """So many bytes, or all; fewer only where the last stream ends."""
        parts = []
        room = size
        while room and (part := self._some(MOST if room < 0 else min(room, MOST))):
            parts.append(part)
            room -= len(part) if size >= 0 else 0
        return b"".join(parts)

    def _some(self, most: int) -> bytes:
        """At least one byte, or none at the end."""
        while not self._ended:
            given = b""
            if self._decoder.eof:
                given = self._next_stream()
            elif self._decoder.needs_input:
                given = self._raw.read(PIECE)
                if not given:
                    raise EOFError
            self._taken += len(given)
            if not self._ended and (part := self._decoded(given, most)):
                return part
        return b""

    def _next_stream(self) -> bytes:
        """The first bytes of the stream after this one, which gets a decoder of its own."""
        rest = self._decoder.unused_data
        self._taken -= len(rest)
        self._whole += 1
        self._start = self._taken
        given = rest or self._raw.read(PIECE)
        self._ended = not given
        self._decoder = self._new()
        return given

    def _decoded(self, given: bytes, most: int) -> bytes:
        try:
            return self._decoder.decompress(given, most)
        except NOT_DECODED as error:
            if not self._whole:
                raise Damaged(str(error), later=False) from error
            streams = "the first stream" if self._whole == 1 else f"{self._whole:,} whole streams"
            where = f"what follows {streams}, from byte {self._start + 1:,} on, is not another one"
            raise Damaged(f"{where}, or is damaged ({error})", later=True) from error


class _Zst:
    """The content of a zst file: Arrow refuses all damage, but for a file without any byte."""

    def __init__(self, raw: IO[bytes]) -> None:
        import pyarrow as pa  # here, because most inputs need none of it

        if not raw.read(1):
            raise EOFError
        raw.seek(0)
        self._stream = pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), "zstd")

    def read(self, size: int = -1) -> bytes:
        """So many bytes, or all."""
        try:
            return bytes(self._stream.read(size if size >= 0 else None))
        except ValueError as error:
            raise Damaged(str(error), later=False) from error


OPENERS: dict[str, Callable[[IO[bytes]], Any]] = {
    ".gz": lambda raw: Streams(raw, _Gzip),
    ".bz2": lambda raw: Streams(raw, bz2.BZ2Decompressor),
    ".xz": lambda raw: Streams(raw, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ)),
    ".zst": _Zst,
}
"""What reads a compressed file, by its suffix."""
BROKEN = (Damaged, EOFError, OSError)
"""What reading one runs into."""
