"""Between tables and matchers: each topic's updates against its nuggets.

Updates and nuggets are frames with the columns `topic` and `text`. Pairs are frames of numbers of
rows, `update nugget score`, sorted by update, then nugget. A profile is a matcher with the
threshold that `tseval calibrate` chose for it, as a JSON file.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tseval.errors import DryRun, TsevalError, UsageError
from tseval.io import json_text
from tseval.io.faults import FaultList
from tseval.io.inputs import Input
from tseval.parallel.sharing import Progress
from tseval.version import VERSION

if TYPE_CHECKING:
    import matchers
    from tseval.arrays import FloatArray, IntArray

SUFFIX = ".json"
"""A matcher's name that ends like this is the path of a profile."""

KEY = "matcher"
CURE = "a profile is what `tseval calibrate --save FILE.json` writes"


def profile_bytes(matcher: str, measured: dict[str, Any]) -> bytes:
    """A profile: the matcher's full name, threshold included, and what was measured of it."""
    content = {"tseval": VERSION, KEY: matcher, "measured": measured}
    return (json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def read_profile(path: str) -> str:
    """The name of the matcher in a profile; anything else is an `InputError`."""
    faults = FaultList(Input(path))
    content = json_text.read_document(faults.source, faults, CURE)
    name = content.get(KEY) if isinstance(content, dict) else None
    if not isinstance(name, str) or name.lower().endswith(SUFFIX):
        faults.refuse(None, f'names no "{KEY}"', CURE, "missing-key")
    return name


def get_matcher(
    name: str, threshold: float | None = None, terms: matchers.Terms | None = None
) -> matchers.Matcher:
    """A matcher by its name or its profile, with another threshold if one is given.

    With `terms` it is one that asks a model, on these.
    """
    from matchers import get

    with matcher_errors():
        matcher = get(read_profile(name) if name.lower().endswith(SUFFIX) else name)
        matcher = matcher if threshold is None else matcher.with_threshold(threshold)
        return matcher if terms is None else matcher.on_terms(terms)


@contextmanager
def matcher_errors(kind: type[TsevalError] = UsageError) -> Iterator[None]:
    """Turn what a matcher refuses into an error of this kind, and what it plans into a `DryRun`."""
    from matchers import MatcherError, Planned  # here, since that takes a while

    try:
        yield
    except Planned as plan:
        raise DryRun(str(plan)) from plan
    except MatcherError as error:
        raise kind(str(error)) from error


def collection(nuggets: Iterable[str]) -> matchers.Collection:
    """The texts of all nuggets of all topics, from which words have their weights."""
    from matchers import Collection

    return Collection(nuggets)


def match(
    matcher: matchers.Matcher,
    updates: pl.DataFrame,
    nuggets: pl.DataFrame,
    progress: Progress | None = None,
) -> pl.DataFrame:
    """Return every pair of an update and a nugget of its topic that the matcher accepts.

    Word weights come from all nuggets of all topics.
    """
    by_topic = NuggetsByTopic(matcher, nuggets, kept=1)
    by_topic.look_ahead(updates, progress)
    return by_topic.match(updates, progress)


def rows_by_topic(texts: pl.DataFrame, topics: Sequence[str]) -> dict[int, IntArray]:
    """Return the rows of each of these topics that is there, by the topic's place among them."""
    place = texts["topic"].cast(pl.String).cast(pl.Enum(topics), strict=False).to_physical()
    rows = pl.DataFrame({"place": place}).with_row_index("row").drop_nulls()
    grouped = rows.group_by("place").agg(pl.col("row").cast(pl.Int64)).sort("place")
    found = zip(grouped["place"].to_list(), grouped["row"], strict=True)
    return {at: own.to_numpy() for at, own in found}


class NuggetsByTopic:
    """The nuggets of all topics, for updates that come block by block.

    A topic's are prepared when the first update of it comes. They stay, or with `kept` those of so
    many topics do: the last ones that were prepared.
    """

    def __init__(
        self, matcher: matchers.Matcher, nuggets: pl.DataFrame, kept: int | None = None
    ) -> None:
        self._matcher, self._text = matcher, nuggets["text"]
        self.topics = nuggets["topic"].cast(pl.String).unique(maintain_order=True).to_list()
        self.collection = collection(self._text)
        self._gold = rows_by_topic(nuggets, self.topics)
        self._kept = kept or len(self.topics)
        self._prepared: dict[int, matchers.PreparedNuggets] = {}

    def look_ahead(self, updates: pl.DataFrame, progress: Progress | None) -> None:
        """Let the matcher read all updates, and ask about all topics, before any is matched."""
        known = updates.select(pl.col("topic").cast(pl.String).is_in(self.topics)).to_series()
        rows_of = rows_by_topic(updates, self.topics) if self._matcher.judgment() else {}
        lots = [
            (updates["text"].gather(rows), self._text.gather(self._gold[at]))
            for at, rows in rows_of.items()
        ]
        look_ahead(self._matcher, updates["text"].filter(known), lots, self.collection, progress)

    def match(self, updates: pl.DataFrame, progress: Progress | None = None) -> pl.DataFrame:
        """Return the pairs of a block, as `match` has them for all updates at once."""
        found: list[pl.DataFrame] = []
        rows_of = rows_by_topic(updates, self.topics)
        held, done = 0, updates.height - sum(map(len, rows_of.values()))
        for at, rows in rows_of.items():
            texts, gold = updates["text"].gather(rows), self._gold[at]
            with matcher_errors():
                for pairs in self._prepare(at).blocks(texts):
                    found.append(pairs_of(rows[pairs.update], gold[pairs.nugget], pairs.score))
                    held += len(pairs)
                    check_number(held, self.topics[at])
            done += len(rows)
            if progress:
                progress(done, updates.height)
        return join_pairs(found)

    def _prepare(self, at: int) -> matchers.PreparedNuggets:
        """Return the nuggets of a topic, prepared; the one that was first makes room for it."""
        if at not in self._prepared:
            while len(self._prepared) >= self._kept:
                del self._prepared[next(iter(self._prepared))]
            texts = self._text.gather(self._gold[at]).to_list()
            self._prepared[at] = self._matcher.prepared(texts, collection=self.collection)
        return self._prepared[at]


LIMIT, MOST_MATCHES = "TSEVAL_LIMITS", 64 << 20
"""How the environment raises the number of matches held, such as `matches=256M`; each takes about
a hundred bytes until it is scored."""
SIZE = re.compile(r"matches=([1-9]\d{0,14})([KMG]?)", re.IGNORECASE | re.ASCII)
SUFFIXES = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


def check_number(number: int, topic: str) -> None:
    """Refuse to hold so many matches, of which the last are of this topic."""
    setting = os.environ.get(LIMIT, f"matches={MOST_MATCHES}")
    size = SIZE.fullmatch(setting)
    if size is None:
        raise UsageError(f"{LIMIT} has '{setting}'; by default it is: matches=64M")
    most = int(size[1]) * SUFFIXES[size[2].upper()]
    if number > most:
        raise TsevalError(
            f'topic "{topic}" brings the matches of updates with nuggets to {number:,}, which is '
            f"more than {most:,}, the limit 'matches'; where nuggets have the "
            "same text, leave one of them, else take a matcher or a threshold that accepts less, "
            "or score --in-blocks; if it is meant to be so many, raise the limit: "
            f"{LIMIT}=matches={4 * most} in the environment"
        )


def look_ahead(
    matcher: matchers.Matcher,
    texts: Iterable[str],
    topics: Iterable[tuple[pl.Series, pl.Series]],
    weighed: matchers.Collection,
    progress: Progress | None,
) -> None:
    """Let the matcher see all texts once, and ask about the updates and nuggets of all topics."""
    from matchers import Lot

    with matcher_errors():
        matcher.read_ahead(texts, progress)
    with matcher_errors(TsevalError):
        lots = [Lot(updates.to_list(), nuggets.to_list()) for updates, nuggets in topics]
        matcher.judge_ahead(lots, weighed, progress)


SCORED_AT_ONCE = 1 << 20
"""Pairs; what is dense is never larger, unless one update has more."""


def all_scores(
    matcher: matchers.Matcher,
    updates: Sequence[str] | pl.Series,
    nuggets: Sequence[str],
    weighed: Sequence[str],
) -> Iterator[tuple[slice, FloatArray]]:
    """The scores of all pairs, thresholds aside: some updates after others, each x nuggets.

    `weighed` are the nuggets that words have their weights from.
    """
    from matchers import Collection

    rows = max(1, SCORED_AT_ONCE // max(1, len(nuggets)))
    with matcher_errors():
        gold = matcher.prepare_rewritten(Collection.of(nuggets), Collection.of(weighed))
        for start in range(0, len(updates), rows):
            texts = list(updates[start : start + rows])
            update, nugget = np.divmod(np.arange(len(texts) * len(nuggets)), len(nuggets))
            scores = gold.block(texts).scores(update, nugget)
            yield slice(start, start + len(texts)), scores.reshape(len(texts), len(nuggets))


def pairs_of(update: IntArray, nugget: IntArray, score: FloatArray) -> pl.DataFrame:
    """Return pairs of numbers of rows, in their order."""
    return pl.DataFrame({"update": update, "nugget": nugget, "score": score}, schema=PAIRS)


PAIRS = {"update": pl.Int64, "nugget": pl.Int64, "score": pl.Float64}
"""The columns of pairs; a pair that no matcher found has no score."""


def join_pairs(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return pairs of several parts as one table."""
    return pl.concat([pl.DataFrame(schema=PAIRS), *parts]).sort("update", "nugget")


EVIDENCE = (
    *("topic", "update_id", "nugget_id", "run", "score", "start", "end"),
    *("found", "missing", "found_weight", "missing_weight"),
)
"""The columns of a match with its evidence."""
WEIGHT_DECIMALS = 6


def evidence(
    matcher: matchers.Matcher, updates: pl.DataFrame, nuggets: pl.DataFrame, pairs: pl.DataFrame
) -> Iterator[dict[str, Any]]:
    """Yield for each pair a row of the plain table of matches, with what the score rests on."""
    every = collection(nuggets["text"])
    names = ["topic", "update_id", "run", "text"]
    said = updates.select(pl.col(names).gather(pairs["update"]).cast(pl.String))
    gold = nuggets.select(pl.col("nugget_id", "text").gather(pairs["nugget"]))
    for (topic, update, run, text), (nugget, asked), score in zip(
        said.iter_rows(), gold.iter_rows(), pairs["score"], strict=True
    ):
        found = matcher.explain(text, asked, collection=every)
        span = found.span or (None, None)
        # A blank inside a word, as grams have it, is shown as `_`.
        words = (
            " ".join(word.nugget_word.replace(" ", "_") for word in side)
            for side in (found.matched, found.missing)
        )
        weights = (round(weight, WEIGHT_DECIMALS) for weight in (found.found, found.lacking))
        row = (topic, update, nugget, run, score, *span, *words, *weights)
        yield dict(zip(EVIDENCE, row, strict=True))


def word_spans(
    matcher: matchers.Matcher,
    pairs: Sequence[tuple[str, str]],
    nuggets: Sequence[str],
    progress: Progress | None = None,
) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield for each pair of texts the stretches of the update that say the nugget, apart.

    Word weights come from all nuggets.
    """
    gold = collection(nuggets)
    for done, (text, said) in enumerate(pairs, start=1):
        found = matcher.explain(text, said, collection=gold)
        if progress:
            progress(done, len(pairs))
        yield _apart(sorted(word.span for word in found.matched))


def _apart(spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Ascending stretches with those that overlap, or touch, made one."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)
