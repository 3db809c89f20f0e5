"""Pairs that were found before, kept on disk by what they were found in.

An entry is named by the hash of everything that its pairs depend on: the matcher with its
parameters, the nuggets, the updates of the unit, the version of tseval, and the edition of what
words are. It appears whole or not at all, and holds a hash of its name and of itself; what does not
bear it out, as the content of another entry, is taken for absent. So any number of processes may
keep their pairs in one folder, and all of it may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tseval.errors import OutputError, UsageError, reason_of
from tseval.records import frozen
from tseval.version import VERSION

if TYPE_CHECKING:
    import matchers

MAGIC = b"tseval pairs 3\n"
SUFFIX = ".pairs"
DIGEST = hashlib.sha256().digest_size


@frozen
class MatchCache:
    """The pairs of one matcher and one set of nuggets, below a folder."""

    folder: Path
    question: str
    """What can change a pair, beside the updates."""

    @classmethod
    def of(cls, matcher: matchers.Matcher, nuggets: str) -> MatchCache:
        """Below the folder of caches; a `UsageError` where there is none."""
        from matchers.vectors import CACHE, cache_folder
        from matchers.words import EDITION

        try:
            root = cache_folder()
        except ValueError as error:
            raise UsageError(str(error)) from error
        if root is None:
            why = "is empty" if CACHE in os.environ else "is not set, and there is no home folder"
            raise UsageError(f"nothing can be kept to resume from: {CACHE} {why}")
        return cls(root / "pairs", f"{VERSION}|words {EDITION}|{matcher}|{nuggets}")

    def get(self, updates: str) -> pl.DataFrame | None:
        """Return the pairs of updates by their hash; None if they are not here, or not whole."""
        file = self._file(updates)
        try:
            content = file.read_bytes() if file.is_file() else b""
        except OSError:
            return None
        payload = content[len(MAGIC) + DIGEST :]
        is_whole = content[: len(MAGIC) + DIGEST] == MAGIC + _digest(payload, file.name)
        return pl.read_ipc(io.BytesIO(payload)) if is_whole else None

    def put(self, updates: str, pairs: pl.DataFrame) -> None:
        """Keep the pairs of updates; an `OutputError` if they cannot be."""
        file = self._file(updates)
        payload = pairs.write_ipc(None).getvalue()
        try:
            _write(file, MAGIC + _digest(payload, file.name) + payload)
        except OSError as error:
            place = file if file.is_dir() else self.folder
            raise OutputError(
                f"{place}: {reason_of(error)}: pairs cannot be kept to resume from; make room, "
                "set TSEVAL_CACHE to another folder, or leave --resume out"
            ) from error

    def _file(self, updates: str) -> Path:
        name = hashlib.sha256(f"{self.question}|{updates}".encode()).hexdigest()
        return self.folder / name[:2] / f"{name}{SUFFIX}"


def _digest(payload: bytes, name: str) -> bytes:
    return hashlib.sha256(name.encode() + payload).digest()


def _write(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
