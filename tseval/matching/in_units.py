"""Matching shared out: units of updates to workers, their pairs back into one table.

Pairs may be kept on disk by what they were found in. An entry is named by the hash of everything
that its pairs depend on: the matcher with its parameters, the nuggets, the updates of the unit, the
version of tseval, and the edition of what words are. It appears whole or not at all, and holds a
hash of its name and of itself; what does not bear it out, as the content of another entry, is taken
for absent. So any number of processes may keep their pairs in one folder, and all of it may be
deleted at any time.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from functools import lru_cache
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from tseval.errors import OutputError, UsageError, reason_of
from tseval.io.atomic_write import write_file
from tseval.matching.matching import NuggetsByTopic, check_number, join_pairs, match, matcher_errors
from tseval.parallel.engine import Unit
from tseval.parallel.sharing import Progress, Sharing
from tseval.records import frozen
from tseval.version import VERSION

if TYPE_CHECKING:
    import matchers

    BlockMatcher: TypeAlias = Callable[[pl.DataFrame], pl.DataFrame]

TEXTS = ("topic", "text")
"""What a worker needs of updates and nuggets."""
TOPICS_KEPT = 8
"""A worker keeps the prepared nuggets of so many topics: the next unit is likely of one of them."""


@frozen
class Passage(Unit):
    """Some updates that follow one another."""

    texts: pl.DataFrame = field(default_factory=pl.DataFrame, compare=False)


@frozen
class MatchWork:
    """Matching a passage of updates against the nuggets of its topics."""

    matcher: matchers.Matcher
    sha256: str
    nuggets: pl.DataFrame = field(compare=False)

    def __call__(self, unit: Unit) -> pl.DataFrame:
        """Return the pairs, with updates counted from the first of the passage."""
        return prepare(self, get_ident()).match(unit.texts)  # type: ignore[attr-defined]


@lru_cache(maxsize=4)
def prepare(work: MatchWork, thread: int) -> NuggetsByTopic:  # noqa: ARG001
    """Return the nuggets of a work, one for each thread: what is prepared learns from updates."""
    return NuggetsByTopic(work.matcher, work.nuggets, kept=TOPICS_KEPT)


def hash_texts(texts: pl.DataFrame) -> str:
    """Return the hash of texts and of their topics, in their order."""
    hasher = hashlib.sha256()
    for name in TEXTS:
        column = texts[name].cast(pl.String)
        hasher.update(column.str.len_bytes().to_numpy().astype("<i8").tobytes())
        hasher.update("".join(column.to_list()).encode())
    return hasher.hexdigest()


def match_in_units(
    matcher: matchers.Matcher,
    updates: pl.DataFrame,
    nuggets: pl.DataFrame,
    sharing: Sharing,
    progress: Progress | None = None,
) -> pl.DataFrame:
    """Return the pairs that `tseval.matching.matching.match` finds, wherever the engine runs.

    A matcher that reads ahead, as `embedding` does, sees all texts at once: it works in this
    process, whatever the engine.
    """
    if sharing.is_alone or not matcher.by_blocks:
        return match(matcher, updates, nuggets, progress)
    work = MatchWork(matcher, hash_texts(nuggets), nuggets.select(TEXTS))
    return _match_passages(work, updates, sharing, progress)


def match_blocks(
    matcher: matchers.Matcher, nuggets: pl.DataFrame, sharing: Sharing
) -> BlockMatcher:
    """Return what finds the pairs of one block of updates after another."""
    if (sharing.is_in_process and not sharing.resume) or not matcher.by_blocks:
        return NuggetsByTopic(matcher, nuggets).match
    work = MatchWork(matcher, hash_texts(nuggets), nuggets.select(TEXTS))
    return lambda updates: _match_passages(work, updates, sharing)


def _match_passages(
    work: MatchWork, updates: pl.DataFrame, sharing: Sharing, progress: Progress | None = None
) -> pl.DataFrame:
    """Return the pairs of all passages as one table."""
    rows, found, held = sharing.rows_of(updates.height), [], 0
    starts, passages = range(0, updates.height, rows), []
    for start in starts:
        part = updates[start : start + rows].select(TEXTS)
        sha256 = hash_texts(part) if sharing.resume else ""
        passages.append(Passage("updates", start + 1, start + part.height, "rows", sha256, part))
    for start, pairs in zip(starts, _find_pairs(work, passages, sharing), strict=True):
        found.append(pairs.with_columns(pl.col("update") + start))
        held += pairs.height
        check_number(held, str(updates["topic"][start]))
        if progress:
            progress(min(start + rows, updates.height), updates.height)
    return join_pairs(found)


def _find_pairs(
    work: MatchWork, passages: Sequence[Passage], sharing: Sharing
) -> Iterator[pl.DataFrame]:
    """Yield the pairs of each passage: kept ones, and those of the engine, which are kept."""
    if not sharing.resume:
        yield from sharing.engine.run(work, passages)
        return
    kept = MatchCache.of(work.matcher, work.sha256)
    known = [kept.get(passage.sha256) for passage in passages]
    lacking = [each for each, pairs in zip(passages, known, strict=True) if pairs is None]
    fresh = sharing.engine.run(work, lacking)
    for passage, pairs in zip(passages, known, strict=True):
        if pairs is None:
            pairs = next(fresh)
            kept.put(passage.sha256, pairs)
        yield pairs


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
        from matchers.cache import CACHE, cache_folder
        from matchers.words import EDITION

        with matcher_errors():
            root = cache_folder()
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
            file.parent.mkdir(parents=True, exist_ok=True)
            file.unlink(missing_ok=True)  # what is not whole, or a pipe
            write_file(file, MAGIC + _digest(payload, file.name) + payload)
        except (OSError, OutputError) as error:
            why = f"{file}: {reason_of(error)}" if isinstance(error, OSError) else error
            raise OutputError(
                f"{why}: pairs cannot be kept to resume from; make room, "
                "set TSEVAL_CACHE to another folder, or leave --resume out"
            ) from error

    def _file(self, updates: str) -> Path:
        name = hashlib.sha256(f"{self.question}|{updates}".encode()).hexdigest()
        return self.folder / name[:2] / f"{name}{SUFFIX}"


def _digest(payload: bytes, name: str) -> bytes:
    return hashlib.sha256(name.encode() + payload).digest()
