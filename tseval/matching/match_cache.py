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

import numpy as np

from tseval.errors import OutputError, UsageError, reason_of
from tseval.matching.passages import GoldFile
from tseval.parallel.engine import Unit
from tseval.records import frozen
from tseval.tables import Pairs
from tseval.version import VERSION

if TYPE_CHECKING:
    import matchers

MAGIC = b"tseval pairs 2\n"
SUFFIX = ".pairs"
_DIGEST = hashlib.sha256().digest_size


@frozen
class MatchCache:
    """The pairs of one matcher and one set of nuggets, below a folder."""

    folder: Path
    question: str
    """What can change a pair, beside the updates."""

    @classmethod
    def of(cls, matcher: matchers.Matcher, gold: GoldFile) -> MatchCache:
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
        return cls(root / "pairs", f"{VERSION}|words {EDITION}|{matcher}|{gold.sha256}")

    def get(self, unit: Unit) -> Pairs | None:
        """The pairs of a unit; None if they are not here, or not whole."""
        file = self._file(unit)
        try:
            return _pairs(file.read_bytes(), file.name) if file.is_file() else None
        except (OSError, ValueError, EOFError):
            return None

    def put(self, unit: Unit, pairs: Pairs) -> None:
        """Keep the pairs of a unit; an `OutputError` if they cannot be."""
        file = self._file(unit)
        try:
            _write(file, _bytes(pairs, file.name))
        except OSError as error:
            place = file if file.is_dir() else self.folder
            raise OutputError(
                f"{place}: {reason_of(error)}: pairs cannot be kept to resume from; make room, "
                "set TSEVAL_CACHE to another folder, or leave --resume out"
            ) from error

    def _file(self, unit: Unit) -> Path:
        name = hashlib.sha256(f"{self.question}|{unit.sha256}".encode()).hexdigest()
        return self.folder / name[:2] / f"{name}{SUFFIX}"


def _bytes(pairs: Pairs, name: str) -> bytes:
    stream = io.BytesIO()
    for column in (pairs.update, pairs.nugget, pairs.score):
        np.save(stream, np.asarray(column), allow_pickle=False)
    payload = stream.getvalue()
    return MAGIC + _digest(payload, name) + payload


def _digest(payload: bytes, name: str) -> bytes:
    return hashlib.sha256(name.encode() + payload).digest()


def _pairs(content: bytes, name: str) -> Pairs:
    """Raises ValueError or EOFError for anything but what `_bytes` gives for this name."""
    head, payload = content[: len(MAGIC) + _DIGEST], content[len(MAGIC) + _DIGEST :]
    if head != MAGIC + _digest(payload, name):
        raise ValueError
    stream = io.BytesIO(payload)
    return Pairs(*(np.load(stream, allow_pickle=False) for _ in range(3)))


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
