"""Vectors of texts, kept on disk by content: a text is encoded once in a machine's life.

A store is a folder of packs. A pack holds sorted keys, each the hash of a text, and their vectors;
it never changes, appears whole or not at all, and is named by its keys. So any number of processes
may read and write one store at the same time: at worst the same vector is kept twice.

A pack begins with two hashes, of its store's name with its index and of its vectors. The first is
looked at when the pack is opened, the second before a process takes the first vector from it. A
pack that is damaged, or of another model's store, is removed and said to be; what it held counts as
never encoded.
"""

from __future__ import annotations

import hashlib
import io
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from matchers.errors import MatcherError
from matchers.home import expanded

CACHE = "TSEVAL_CACHE"
"""The environment variable that names the folder of all stores; empty: nothing goes to disk."""

MAGIC = b"tseval vectors 3\n"
SUFFIX = ".vectors"
MANY, SMALL = 16, 16 << 20
"""When more than so many packs are each smaller than so many bytes, they are made into one."""

_KEY = 16  # bytes of a hash
_DIGEST = hashlib.sha256().digest_size
_LENGTH = 8  # bytes of the index's length
_HEAD = len(MAGIC) + _LENGTH + 2 * _DIGEST
Keys = NDArray[np.bytes_]
Vectors = NDArray[np.floating | np.integer]
"""One vector a row; all of a store are of one type and one length."""


class Pack(NamedTuple):
    """Sorted keys and the vectors that belong to them, one a row."""

    keys: Keys
    vectors: Vectors


def cache_folder() -> Path | None:
    """Where stores lie: as `TSEVAL_CACHE` says, else below the platform's folder for caches.

    None where nothing is to be kept, and, with a warning, where there is no home folder.
    """
    asked = os.environ.get(CACHE)
    if asked is not None:
        return _asked_for(asked)
    place = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "tseval")
    if sys.platform == "win32":
        place = Path(os.environ.get("LOCALAPPDATA", "~"), "tseval", "Cache")
    elif sys.platform == "darwin":
        place = Path("~/Library/Caches/tseval")
    try:
        return expanded(str(place))
    except MatcherError:
        _tell_no_home()
        return None


def _asked_for(folder: str) -> Path | None:
    try:
        return expanded(folder) if folder else None
    except MatcherError as error:
        raise MatcherError(f"{CACHE}={error}") from error


@cache
def _tell_no_home() -> None:
    warnings.warn(
        f"nothing is kept on disk, since no home folder is known: set {CACHE} to a folder",
        stacklevel=3,
    )


def keys_of(texts: Sequence[str]) -> Keys:
    """The key of each text; no two texts share one."""
    hashes = (
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY).digest()
        for text in texts
    )
    return np.fromiter(hashes, f"S{_KEY}", len(texts))


class Store:
    """The vectors of one model: in a folder, or in memory alone where `folder` is None.

    A folder that cannot be written to is a warning, and what is new stays in memory.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._packs: dict[str, Pack] = {}
        self._sound: set[str] = set()
        """The packs whose hash was borne out, or that this process made."""
        self._bad: set[str] = set()
        """Those that were not, and could not be removed."""

    def missing(self, keys: Keys) -> NDArray[np.bool_]:
        """Which keys have no vector here; looks at the disk when one seems to be missing."""
        lacking = self._lacking(keys)
        if lacking.any() and self._look():
            lacking = self._lacking(keys)
        return lacking

    def vectors(self, keys: Keys) -> Vectors:
        """The vector of each key; every key must be here."""
        found: Vectors | None = None
        for pack, at, here in self._holding(keys):
            if found is None:
                found = np.zeros((len(keys), pack.vectors.shape[1]), pack.vectors.dtype)
            found[here] = pack.vectors[at[here]]
        return np.zeros((len(keys), 1), np.float32) if found is None else found

    def add(self, keys: Keys, vectors: Vectors) -> None:
        """Keep vectors, on disk where there is a folder."""
        keys, first = np.unique(keys, return_index=True)
        pack = Pack(keys, np.ascontiguousarray(vectors[first]))
        name = _name(pack.keys)
        self._packs[name] = pack
        self._sound.add(name)
        if self._folder is None:
            return
        try:
            self._packs[name] = _write(self._folder / name, pack)
            self._tidy()
        except OSError as error:
            warnings.warn(
                f"vectors cannot be kept in {str(self._folder)!r}: "
                f"{(error.strerror or str(error)).lower()}; "
                f"set {CACHE} to a folder that can be written to",
                stacklevel=2,
            )
            self._folder = None

    def _lacking(self, keys: Keys) -> NDArray[np.bool_]:
        lacking = np.ones(len(keys), bool)
        for _, _, here in self._holding(keys):
            lacking &= ~here
        return lacking

    def _holding(self, keys: Keys) -> Iterator[tuple[Pack, NDArray[np.int64], NDArray[np.bool_]]]:
        """The packs that have any of these keys: each with their places, and which are there."""
        for name, pack in list(self._packs.items()):
            at, here = _places(pack, keys)
            if here.any() and self._is_sound(name):
                yield pack, at, here

    def _is_sound(self, name: str) -> bool:
        """Whether a pack is what was written; one that is not is forgotten."""
        if name in self._sound or self._folder is None:
            return True
        try:
            _check(self._folder / name)
        except FileNotFoundError:  # another process tidied it away
            del self._packs[name]
            return False
        except (OSError, ValueError) as error:
            self._give_up(name, error)
            return False
        self._sound.add(name)
        return True

    def _give_up(self, name: str, why: Exception) -> None:
        """Forget a damaged pack, on disk too, and say so."""
        if self._folder is None:
            return
        self._packs.pop(name, None)
        file = self._folder / name
        try:
            file.unlink(missing_ok=True)
        except OSError:
            self._bad.add(name)
        warnings.warn(
            f"vectors kept in {str(file)!r} are damaged ({why}): those that are needed are made "
            "anew",
            stacklevel=2,
        )

    def _look(self) -> bool:
        """Take in the packs that came to the disk since the last look; whether there are any."""
        if self._folder is None:
            return False
        known = self._packs.keys() | self._bad
        fresh = [file for file in self._folder.glob(f"*{SUFFIX}") if file.name not in known]
        for file in fresh:
            try:
                self._packs[file.name] = _read(file)
            except FileNotFoundError:  # another process tidied it away
                continue
            except (OSError, ValueError, EOFError) as error:
                self._give_up(file.name, error)
        return bool(fresh)

    def _tidy(self) -> None:
        """Make one pack of many small ones; they go only after it is there."""
        if self._folder is None:
            return
        small = [f for f in self._folder.glob(f"*{SUFFIX}") if _size(f) < SMALL]
        if len(small) <= MANY:
            return
        self._look()
        parts = {
            file: self._packs[file.name]
            for file in small
            if file.name in self._packs and self._is_sound(file.name)
        }
        if len(parts) < 2:
            return
        whole = _joined(list(parts.values()))
        name = _name(whole.keys)
        self._packs[name] = _write(self._folder / name, whole)
        self._sound.add(name)
        for file in parts:
            if file.name != name:
                del self._packs[file.name]
                file.unlink(missing_ok=True)


def _places(pack: Pack, keys: Keys) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    at = np.minimum(np.searchsorted(pack.keys, keys), len(pack.keys) - 1)
    return at, pack.keys[at] == keys


def _joined(packs: list[Pack]) -> Pack:
    keys, first = np.unique(np.concatenate([pack.keys for pack in packs]), return_index=True)
    return Pack(keys, np.concatenate([pack.vectors for pack in packs])[first])


def _name(keys: Keys) -> str:
    return hashlib.sha256(keys.tobytes()).hexdigest()[:32] + SUFFIX


def _size(file: Path) -> int:
    """The size of a pack; one that is gone counts as large, and is left alone."""
    try:
        return file.stat().st_size
    except OSError:
        return SMALL


def _write(file: Path, pack: Pack) -> Pack:
    """Write a pack beside its place, move it there, and read it back.

    Another process may have tidied it away by then: it is in a larger pack, and here in memory.
    """
    stream = io.BytesIO()
    np.save(stream, pack.keys, allow_pickle=False)
    told = np.lib.format.header_data_from_array_1_0(pack.vectors)
    np.lib.format.write_array_header_1_0(stream, told)
    index = stream.getvalue()
    vectors = pack.vectors.data.cast("B")
    hashes = [_digest(file, index), hashlib.sha256(vectors).digest()]
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent)
    try:
        with os.fdopen(handle, "wb") as written:
            written.write(MAGIC + len(index).to_bytes(_LENGTH) + b"".join(hashes) + index)
            written.write(vectors)
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    try:
        return _read(file)
    except FileNotFoundError:
        return pack


def _digest(file: Path, index: bytes) -> bytes:
    """What the hash of an index should be in this folder."""
    return hashlib.sha256(f"{file.parent.name}\n".encode("utf-8", "surrogatepass") + index).digest()


def _index(file: Path, stream: BinaryIO) -> tuple[bytes, bytes]:
    """A pack's index, and the hash that its vectors should have.

    Raises ValueError for what is no pack, or if the index is not what was written in this folder.
    """
    head = stream.read(_HEAD)
    if not head.startswith(MAGIC) or len(head) < _HEAD:
        raise ValueError("no vectors of this version")
    length = int.from_bytes(head[len(MAGIC) : len(MAGIC) + _LENGTH])
    size = os.fstat(stream.fileno()).st_size
    index = stream.read(min(length, size))
    expected, vectors = head[-2 * _DIGEST : -_DIGEST], head[-_DIGEST:]
    if _digest(file, index) != expected:
        raise ValueError("the checksum of its index is another")
    return index, vectors


def _check(file: Path) -> None:
    """Raises ValueError unless the vectors of a pack are those that were written."""
    with file.open("rb") as stream:
        _, expected = _index(file, stream)
        if hashlib.file_digest(stream, "sha256").digest() != expected:
            raise ValueError("the checksum of its vectors is another")


def _read(file: Path) -> Pack:
    """Open a pack: its keys are read, its vectors mapped. Raises ValueError for a wreck."""
    if not file.is_file() and file.exists():
        raise ValueError("it is no plain file")
    with file.open("rb") as stream:
        index = io.BytesIO(_index(file, stream)[0])
        keys = np.load(index, allow_pickle=False)
        np.lib.format.read_magic(index)
        shape, _, kind = np.lib.format.read_array_header_1_0(index)
        return Pack(keys, np.memmap(stream, kind, "r", stream.tell(), shape))
