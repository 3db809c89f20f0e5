"""What is kept on disk: where that is, and the vectors of texts, so each is encoded once.

A row is the hash of a text, its vector, and a checksum of both with the name of the database. Any
number of processes may read and write one database at the same time. What is damaged, or of another
model's database, is reported, and counts as never encoded.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from matchers.errors import MatcherError


def expanded(path: str) -> Path:
    """The path with the home folder in the place of `~`; a `MatcherError` where there is none."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        home = path.replace("\\", "/").partition("/")[0]
        raise MatcherError(
            f"{path}: no home folder is known for {home}: write the path without {home}"
        ) from error


CACHE = "TSEVAL_CACHE"
"""The environment variable that names the folder of all stores; empty: nothing goes to disk."""

WAIT = 60.0
"""So many seconds one process waits for another to finish writing."""

_KEY = 16  # bytes of a hash
Vectors = NDArray[np.floating | np.integer]
"""One vector a row; all of a store are of one type and one length."""


def cache_folder() -> Path | None:
    """Where stores lie: as `TSEVAL_CACHE` says, else below the platform's folder for caches.

    None where nothing is to be kept, and, with a warning, where there is no home folder.
    """
    asked = os.environ.get(CACHE)
    if asked is not None:
        try:
            return expanded(asked) if asked else None
        except MatcherError as error:
            raise MatcherError(f"{CACHE}={error}") from error
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


@cache
def _tell_no_home() -> None:
    warnings.warn(
        f"nothing is kept on disk, since no home folder is known: set {CACHE} to a folder",
        stacklevel=3,
    )


def keys_of(texts: Iterable[str]) -> list[bytes]:
    """The key of each text; no two texts share one."""
    return [
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY).digest()
        for text in texts
    ]


class Store:
    """The vectors of one model: in a database, or in memory alone where `file` is None.

    A database that cannot be written to is a warning, and what is new stays in memory.
    """

    def __init__(self, file: Path | None, kind: type[np.number]) -> None:
        self._file = file
        self._kind = kind
        self._memory: dict[bytes, bytes] = {}
        self._sound: set[bytes] = set()
        """The keys whose vectors were read or written by this process."""

    def missing(self, keys: Iterable[bytes]) -> set[bytes]:
        """The keys that have no vector here."""
        unknown = set(keys) - self._sound
        return unknown - {key for key, _ in self._read(unknown)}

    def vectors(self, keys: Sequence[bytes]) -> Vectors:
        """The vector of each key; every key must be here."""
        known = dict(self._read(dict.fromkeys(keys)))
        if not known.keys() >= set(keys):
            raise MatcherError(f"vectors kept in {str(self._file)!r} are gone: start again")
        rows = [np.frombuffer(known[key], self._kind) for key in keys]
        return np.stack(rows) if rows else np.zeros((0, 1), self._kind)

    def add(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """Keep vectors, on disk where there is a database."""
        rows = {key: row.tobytes() for key, row in zip(keys, vectors, strict=True)}
        self._memory |= rows
        self._sound |= rows.keys()
        if (file := self._file) is None:
            return
        with self._warning_of_faults(file):
            file.parent.mkdir(parents=True, exist_ok=True)
            with _opened(file) as database, database:
                database.executemany(
                    "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
                    ((key, row, _checksum(file, key, row)) for key, row in rows.items()),
                )
            for key in rows:
                del self._memory[key]

    def _read(self, keys: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
        """The keys that are here, with their vectors."""
        asked: list[bytes] = []
        for key in keys:
            if key in self._memory:
                yield key, self._memory[key]
            else:
                asked.append(key)
        if not asked or (file := self._file) is None or not file.exists():
            return
        with self._warning_of_faults(file), _opened(file) as database:
            query = "SELECT vector, checksum FROM vectors WHERE key = ?"
            for key in asked:
                for vector, checksum in database.execute(query, (key,)).fetchall():
                    if key not in self._sound and checksum != _checksum(file, key, vector):
                        _warn_of_damage(file, "a checksum is another")
                        continue
                    self._sound.add(key)
                    yield key, vector

    @contextmanager
    def _warning_of_faults(self, file: Path) -> Iterator[None]:
        """Warn of what goes wrong with a database: one that cannot be used is left alone."""
        try:
            yield
        except (OSError, sqlite3.OperationalError) as error:
            warnings.warn(
                f"vectors cannot be kept in {str(file)!r}: {str(error).lower()}; "
                f"set {CACHE} to a folder that can be written to",
                stacklevel=4,
            )
            self._file = None
        except sqlite3.DatabaseError as error:
            _warn_of_damage(file, str(error))
            file.unlink(missing_ok=True)


@contextmanager
def _opened(file: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(file, timeout=WAIT)) as database:
        database.execute(
            "CREATE TABLE IF NOT EXISTS vectors "
            "(key BLOB PRIMARY KEY, vector BLOB NOT NULL, checksum INTEGER NOT NULL)"
        )
        yield database


def _checksum(file: Path, key: bytes, vector: bytes) -> int:
    return crc32(vector, crc32(key + file.name.encode("utf-8", "surrogatepass")))


def _warn_of_damage(file: Path, why: str) -> None:
    warnings.warn(
        f"vectors kept in {str(file)!r} are damaged ({why}): those that are needed are made anew",
        stacklevel=5,
    )
