"""Matching shared out: passages to workers, their pairs back into one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import get_ident
from typing import TYPE_CHECKING

from tseval.matching.match_cache import MatchCache
from tseval.matching.matching import NuggetsByTopic, check_held, match, sorted_pairs
from tseval.matching.passage_files import (
    TextRows,
    fingerprint,
    read_lines,
    read_parquet_rows,
    stamp,
)
from tseval.matching.passages import (
    Files,
    GoldFile,
    Passage,
    Shares,
    shared_out,
    temporary_texts,
)
from tseval.parallel.engine import Unit, check_is_there, check_same
from tseval.parallel.sharing import Progress, Sharing
from tseval.records import frozen
from tseval.tables import Ids, Nuggets, Pairs, Updates

if TYPE_CHECKING:
    import matchers

TOPICS_KEPT = 8
"""A worker keeps the prepared nuggets of so many topics: the next unit is likely of one of them."""


def match_in_units(
    matcher: matchers.Matcher,
    updates: Updates,
    nuggets: Nuggets,
    sharing: Sharing,
    files: Files | None = None,
    progress: Progress | None = None,
) -> Pairs:
    """The pairs that `tseval.matching.matching.match` finds, found wherever the engine runs.

    `files` is where the tables can be read again, if they can. A matcher that reads ahead, as
    `embedding` does, sees all texts at once: it works in this process, whatever the engine.
    """
    if sharing.is_alone or not matcher.by_blocks:
        return match(matcher, updates, nuggets, progress)
    with shared_out(updates, nuggets, files, sharing) as shares:
        return _joined(matcher, updates, shares, sharing, progress)


@contextmanager
def match_blocks(
    matcher: matchers.Matcher, nuggets: Nuggets, sharing: Sharing
) -> Iterator[Callable[[Updates], Pairs]]:
    """What finds the pairs of one block of updates after another, wherever the engine runs."""
    if (sharing.is_here and not sharing.resume) or not matcher.by_blocks:
        yield NuggetsByTopic(matcher, nuggets).match
        return

    def match_block(updates: Updates) -> Pairs:
        with texts.shares(updates, sharing) as shares:
            return _joined(matcher, updates, shares, sharing)

    with temporary_texts(nuggets) as texts:
        yield match_block


def _joined(
    matcher: matchers.Matcher,
    updates: Updates,
    shares: Shares,
    sharing: Sharing,
    progress: Progress | None = None,
) -> Pairs:
    """The pairs of all passages as one table."""
    rows = sharing.rows_of(len(updates))
    found, held = [], 0
    for start, pairs in zip(
        shares.passages.starts(), _found(matcher, shares, sharing), strict=True
    ):
        found.append(Pairs(pairs.update + start, pairs.nugget, pairs.score))
        held += len(pairs)
        check_held(held, updates.topic[start])
        if progress:
            progress(min(start + rows, len(updates)), len(updates))
    return sorted_pairs(found)


def _found(matcher: matchers.Matcher, shares: Shares, sharing: Sharing) -> Iterator[Pairs]:
    """The pairs of each passage: kept ones, and those of the engine, which are kept at once."""
    work = MatchWork(shares.gold, matcher, shares.form)
    if not sharing.resume:
        yield from sharing.engine.run(work, shares.passages)
        return
    kept = MatchCache.of(matcher, shares.gold)
    passages = list(shares.passages)
    known = [kept.get(passage) for passage in passages]
    lacking = [p for p, pairs in zip(passages, known, strict=True) if pairs is None]
    fresh = sharing.engine.run(work, lacking)
    for passage, pairs in zip(passages, known, strict=True):
        if pairs is not None:
            yield pairs
            continue
        made = next(fresh)
        kept.put(passage, made)
        yield made


@frozen
class MatchWork:
    """Matching a passage of updates against the nuggets of its topics."""

    gold: GoldFile
    matcher: matchers.Matcher
    form: str | None

    def __call__(self, unit: Unit) -> Pairs:
        """The pairs, with updates counted from the first of the passage."""
        check_is_there(self.gold.path)
        check_is_there(unit.path)
        nuggets, rename = _prepared(self.gold, self.matcher, get_ident())
        texts = self._texts(unit)
        texts = TextRows(rename(texts.topic), texts.text)
        if unit.sha256 or not isinstance(unit, Passage):
            check_same(str(unit), unit.sha256, fingerprint(texts))
        else:
            check_same(str(unit), unit.seen, stamp(unit.path))
        return nuggets.match(texts)

    def _texts(self, unit: Unit) -> TextRows:
        first = unit.first or 1
        if unit.places == "rows":
            return read_parquet_rows(unit.path, first, unit.last)
        before = unit.before if isinstance(unit, Passage) else 0
        return read_lines(unit.path, self.form, before, first, unit.last)


@lru_cache(maxsize=4)
def _prepared(
    gold: GoldFile,
    matcher: matchers.Matcher,
    thread: int,  # noqa: ARG001 - what is prepared learns while it matches: one a thread
) -> tuple[NuggetsByTopic, Callable[[Ids], Ids]]:
    texts, rename = gold.read()
    check_same(gold.path, gold.sha256, fingerprint(texts))
    return NuggetsByTopic(matcher, texts, kept=TOPICS_KEPT), rename
