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
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

WITH_GZIP_HEADER = 31
"""What zlib wants to be told, so that it reads gzip's header and checks its sums."""
PIECE = 1 << 20
BROKEN = (zlib.error, lzma.LZMAError, OSError, ValueError, EOFError)
"""What reading one runs into."""


def _streams(pieces: Iterator[bytes], new: Callable[[], Any]) -> Iterator[bytes]:
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


def _zst(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the content of a zst file: Arrow refuses all damage, but for an empty file."""
    import pyarrow as pa  # here, because most inputs need none of it

    content = b"".join(pieces)
    if not content:
        raise EOFError
    with pa.CompressedInputStream(pa.BufferReader(content), "zstd") as stream:
        while piece := stream.read(PIECE):
            yield piece


READERS: dict[str, Callable[[Iterator[bytes]], Iterator[bytes]]] = {
    ".gz": partial(_streams, new=partial(zlib.decompressobj, WITH_GZIP_HEADER)),
    ".bz2": partial(_streams, new=bz2.BZ2Decompressor),
    ".xz": partial(_streams, new=lzma.LZMADecompressor),
    ".zst": _zst,
}
"""What reads the bytes of a compressed file, by its suffix."""
