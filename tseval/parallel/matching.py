"""Matching shared out: passages to workers, their pairs back into one table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tseval.matching.matching import Progress, match, sorted_pairs
from tseval.parallel.match_cache import MatchCache
from tseval.parallel.passages import Files, Shares, shared_out
from tseval.parallel.sharing import Sharing
from tseval.parallel.work import MatchWork
from tseval.tables import Nuggets, Pairs, Updates

if TYPE_CHECKING:
    import matchers


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
    if (sharing.is_here and not sharing.resume) or not matcher.by_blocks:
        return match(matcher, updates, nuggets, progress)
    rows = sharing.rows_of(len(updates))
    with shared_out(updates, nuggets, files, sharing) as shares:
        found = []
        for start, pairs in zip(
            shares.passages.starts(), _found(matcher, shares, sharing), strict=True
        ):
            found.append(Pairs(pairs.update + start, pairs.nugget, pairs.score))
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
