"""Between the tables and the matching layer: each topic's updates against its nuggets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tseval.errors import DryRun, TsevalError, UsageError
from tseval.files.limits import MATCHES, shown
from tseval.matching.profiles import is_profile, read_profile
from tseval.parallel.sharing import Progress
from tseval.tables import ABSENT, Ids, Nuggets, Pairs, Texts, Updates
from tseval.tables.keys import rows_by_code

if TYPE_CHECKING:
    import matchers
    from tseval.tables.columns import FloatArray, IntArray


def get_matcher(
    name: str, threshold: float | None = None, terms: matchers.Terms | None = None
) -> matchers.Matcher:
    """A matcher by its name or its profile, with another threshold if one is given.

    With `terms` it is one that asks a model, on these.
    """
    layer = _own_matchers()
    try:
        matcher: matchers.Matcher = layer.get(read_profile(name) if is_profile(name) else name)
        matcher = matcher if threshold is None else matcher.with_threshold(threshold)
        return matcher if terms is None else matcher.on_terms(terms)
    except layer.MatcherError as error:
        raise UsageError(str(error)) from error


def _own_matchers() -> ModuleType:
    """The matching layer; it is imported when a matcher is asked for, since that takes a while.

    `matchers` is another distribution's name too: one that isn't ours is refused with the cure.
    """
    layer = import_module("matchers")
    if not hasattr(layer, "MatcherError"):
        raise TsevalError(
            f"the package 'matchers' at {layer.__file__} is not tseval's: another distribution of "
            "that name hides it; run `pip uninstall matchers` and install tseval again"
        )
    return layer


def collection(nuggets: Sequence[str]) -> matchers.Collection:
    """The texts of all nuggets of all topics, from which words have their weights."""
    found: matchers.Collection = _own_matchers().Collection(list(nuggets))
    return found


def match(
    matcher: matchers.Matcher, updates: Updates, nuggets: Nuggets, progress: Progress | None = None
) -> Pairs:
    """Every pair of an update and a nugget of its topic that the matcher accepts.

    Word weights come from all nuggets of all topics. Sorted by update, then nugget.
    """
    by_topic = NuggetsByTopic(matcher, nuggets, kept=1)
    known = updates.topic.within(nuggets.topic.names) != ABSENT
    read_ahead(matcher, updates.text.rows(known), progress)
    judge_ahead(matcher, by_topic.lots(updates), by_topic.collection, progress)
    return by_topic.match(updates, progress)


class TopicTexts(Protocol):
    """Texts with their topics: updates, nuggets, or no more than that."""

    @property
    def topic(self) -> Ids:
        """The topic of each."""

    @property
    def text(self) -> Texts:
        """The texts."""


class NuggetsByTopic:
    """The nuggets of all topics, for updates that come block by block.

    A topic's are prepared when the first update of it comes. They stay, or with `kept` those of so
    many topics do: the last ones that were prepared.
    """

    def __init__(
        self, matcher: matchers.Matcher, nuggets: TopicTexts, kept: int | None = None
    ) -> None:
        self._matcher = matcher
        self._topic, self._text = nuggets.topic, nuggets.text
        self.collection = collection(self._text)
        self._kept = kept or len(self._topic.names)
        self._prepared: dict[int, matchers.PreparedNuggets] = {}

    def lots(self, updates: TopicTexts) -> list[matchers.Lot]:
        """The updates and nuggets of each topic, for a matcher that asks about all at once."""
        if self._matcher.judgment() is None:
            return []
        return [
            _own_matchers().Lot(
                list(updates.text.rows(rows)), list(self._text.rows(self._gold.get(code, rows[:0])))
            )
            for code, rows in self._rows_of(updates).items()
        ]

    @cached_property
    def _gold(self) -> dict[int, IntArray]:
        """The nuggets of each topic."""
        return rows_by_code(self._topic.codes)

    def _rows_of(self, updates: TopicTexts) -> dict[int, IntArray]:
        """The updates of each topic that has nuggets."""
        return rows_by_code(updates.topic.within(self._topic.names))

    def match(self, updates: TopicTexts, progress: Progress | None = None) -> Pairs:
        """The pairs of a block, as `match` has them for all updates at once."""
        found: list[Pairs] = []
        rows_of = {c: rows for c, rows in self._rows_of(updates).items() if c in self._gold}
        held, done = 0, len(updates.text) - sum(map(len, rows_of.values()))
        for codes in self._together(rows_of):
            for pairs in self._match_topics(codes, updates.text, rows_of):
                found.append(pairs)
                held += len(pairs)
                check_held(held, self._topic.names[codes[-1]].as_py())
            done += sum(len(rows_of[code]) for code in codes)
            if progress:
                progress(done, len(updates.text))
        return sorted_pairs(found)

    def _together(self, rows_of: Mapping[int, IntArray]) -> Iterator[list[int]]:
        """The topics in lots: several small ones, where the matcher can take them together.

        Where all topics stay prepared each is by itself.
        """
        shared = self._matcher.across_topics and self._kept < len(self._topic.names)
        most = PAIRS_TOGETHER if shared else 0
        codes: list[int] = []
        said = wanted = 0
        for code, rows in rows_of.items():
            said, wanted = said + len(rows), wanted + len(self._gold[code])
            if codes and said * wanted > most:
                yield codes
                codes, said, wanted = [], len(rows), len(self._gold[code])
            codes.append(code)
        if codes:
            yield codes

    def _match_topics(
        self, codes: list[int], text: Texts, rows_of: Mapping[int, IntArray]
    ) -> Iterator[Pairs]:
        """The pairs of some topics; those that a matcher finds across topics are none."""
        rows, topic = _one_below_the_other(rows_of, codes)
        gold, gold_topic = _one_below_the_other(self._gold, codes)
        try:
            for found in self._of_topics(codes, gold).blocks(text.rows(rows)):
                pairs = Pairs(found.update, found.nugget, np.asarray(found.score, np.float64))
                if len(codes) > 1:
                    pairs = pairs.rows(topic[pairs.update] == gold_topic[pairs.nugget])
                yield replace(pairs, update=rows[pairs.update], nugget=gold[pairs.nugget])
        except _own_matchers().MatcherError as error:
            raise UsageError(str(error)) from error

    def _of_topics(self, codes: list[int], gold: IntArray) -> matchers.PreparedNuggets:
        """The nuggets of some topics, prepared; those of a single one make room for another's."""
        if len(codes) > 1:
            return self._prepare(gold)
        code = codes[0]
        if code not in self._prepared:
            while len(self._prepared) >= self._kept:
                del self._prepared[next(iter(self._prepared))]
            self._prepared[code] = self._prepare(gold)
        return self._prepared[code]

    def _prepare(self, gold: IntArray) -> matchers.PreparedNuggets:
        return self._matcher.prepared(list(self._text.rows(gold)), collection=self.collection)


def _one_below_the_other(
    rows_of: Mapping[int, IntArray], codes: Sequence[int]
) -> tuple[IntArray, IntArray]:
    """The rows of some topics, and the topic of each."""
    parts = [rows_of[code] for code in codes]
    return np.concatenate(parts), np.repeat(codes, [len(part) for part in parts])


PAIRS_TOGETHER = 1 << 14
"""So many pairs, those across topics included, take a matcher hardly longer than a few do."""


def check_held(number: int, topic: str) -> None:
    """Refuse to hold so many matches, of which the last are of this topic."""
    if number > MATCHES.most:
        raise TsevalError(
            f'topic "{topic}" brings the matches of updates with nuggets to {number:,}, which is '
            f"more than {shown(MATCHES.most)}, the limit '{MATCHES.name}'; where nuggets have the "
            "same text, leave one of them, else take a matcher or a threshold that accepts less, "
            f"or score --in-blocks; {MATCHES.cure}"
        )


def read_ahead(matcher: matchers.Matcher, texts: Texts, progress: Progress | None) -> None:
    """Let the matcher see all texts of all topics once, where that saves it work."""
    try:
        matcher.read_ahead(texts, progress)
    except _own_matchers().MatcherError as error:
        raise UsageError(str(error)) from error


def judge_ahead(
    matcher: matchers.Matcher,
    lots: Sequence[matchers.Lot],
    weighed: matchers.Collection,
    progress: Progress | None,
) -> None:
    """Let the matcher ask about all topics at once, if it asks; a `DryRun` where it only plans."""
    layer = _own_matchers()
    try:
        matcher.judge_ahead(lots, weighed, progress)
    except layer.Planned as plan:
        raise DryRun(str(plan)) from plan
    except layer.MatcherError as error:
        raise TsevalError(str(error)) from error


SCORED_AT_ONCE = 1 << 20
"""Pairs; what is dense is never larger, unless one update has more."""


def every_score(
    matcher: matchers.Matcher, updates: Texts, nuggets: Sequence[str], weighed: Sequence[str]
) -> Iterator[tuple[slice, FloatArray]]:
    """The scores of all pairs, thresholds aside: some updates after others, each x nuggets.

    `weighed` are the nuggets that words have their weights from.
    """
    layer = _own_matchers()
    rows = max(1, SCORED_AT_ONCE // max(1, len(nuggets)))
    try:
        gold = matcher.prepare_rewritten(layer.Collection.of(nuggets), layer.Collection.of(weighed))
        for start in range(0, len(updates), rows):
            texts = updates[start : start + rows]
            update, nugget = np.divmod(np.arange(len(texts) * len(nuggets)), len(nuggets))
            scores = gold.block(texts).scores(update, nugget)
            yield slice(start, start + len(texts)), scores.reshape(len(texts), len(nuggets))
    except layer.MatcherError as error:
        raise UsageError(str(error)) from error


def sorted_pairs(parts: Sequence[Pairs]) -> Pairs:
    """Pairs of several parts as one table, sorted by update, then nugget."""
    if not parts:
        return Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    update = np.concatenate([part.update for part in parts])
    nugget = np.concatenate([part.nugget for part in parts])
    score = np.concatenate([part.score for part in parts if part.score is not None])
    later = (update[1:] > update[:-1]) | ((update[1:] == update[:-1]) & (nugget[1:] > nugget[:-1]))
    if later.all():  # as the pairs of one topic, or of some passages one after the other, are
        return Pairs(update, nugget, score)
    order = np.lexsort((nugget, update))
    return Pairs(update[order], nugget[order], score[order])


EVIDENCE = (
    "topic",
    "update_id",
    "nugget_id",
    "run",
    "score",
    "start",
    "end",
    "found",
    "missing",
    "found_weight",
    "missing_weight",
)
"""The columns of a match with its evidence."""


def evidence(
    matcher: matchers.Matcher, updates: Updates, nuggets: Nuggets, pairs: Pairs
) -> Iterator[dict[str, str | float | int | None]]:
    """For each pair a row of the plain table of matches, with what the score rests on."""
    scores = np.ones(len(pairs)) if pairs.score is None else pairs.score
    for update, nugget, score, found in zip(
        pairs.update.tolist(),
        pairs.nugget.tolist(),
        scores.tolist(),
        _explained(matcher, updates, nuggets, pairs),
        strict=True,
    ):
        start, end = found.span or (None, None)
        yield {
            "topic": updates.topic[update],
            "update_id": updates.update_id[update],
            "nugget_id": nuggets.nugget_id[nugget],
            "run": updates.run[update],
            "score": score,
            "start": start,
            "end": end,
            "found": _words(word.nugget_word for word in found.matched),
            "missing": _words(word.nugget_word for word in found.missing),
            "found_weight": round(found.found, WEIGHT_DECIMALS),
            "missing_weight": round(found.lacking, WEIGHT_DECIMALS),
        }


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


def _explained(
    matcher: matchers.Matcher, updates: Updates, nuggets: Nuggets, pairs: Pairs
) -> Iterator[matchers.Evidence]:
    """Why each pair has its score; word weights come from all nuggets."""
    gold = collection(nuggets.text)
    for update, nugget in zip(pairs.update.tolist(), pairs.nugget.tolist(), strict=True):
        text, said = updates.text[update], nuggets.text[nugget]
        yield matcher.explain(text, said, collection=gold)


WEIGHT_DECIMALS = 6


def _words(words: Iterable[str]) -> str:
    """Words in one field; a blank inside one, as grams have it, is shown as `_`."""
    return " ".join(word.replace(" ", "_") for word in words)
