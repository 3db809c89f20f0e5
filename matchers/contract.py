"""What every matcher is, and the one loop that all of them are run by.

A matcher is a value: a frozen dataclass that prints and parses itself. To match, it prepares the
nuggets once (`MatcherGold`), then reads the updates a block at a time (`Block`); a block can tell
which of its pairs reach a threshold and what any single pair scores. No block knows of another.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import ClassVar, NamedTuple, NoReturn, Protocol, Self

import numpy as np

from matchers.collection import Collection
from matchers.errors import MatcherError
from matchers.evidence import Evidence, shared_words
from matchers.pairs import MatcherGold, Pairs
from matchers.parameters import parameters_of, show
from matchers.steps import RewrittenGold, rewritten, traced
from matchers.texts import blocks, checked, distinct
from matchers.windows import best_window

ROWS = 1 << 14
"""A block has at most so many updates,"""
PAIRS = 1 << 22
"""and at most so many pairs, unless one update has more."""


class Progress(Protocol):
    """Told how far the work is."""

    def __call__(self, done: int, total: int, note: str = "", /) -> None:
        """So many texts, or calls, of so many are done; `note` says what more there is to say."""


class Lot(NamedTuple):
    """Updates and nuggets that belong together, as those of one topic do."""

    updates: Sequence[str]
    nuggets: Sequence[str]


class Judgment(NamedTuple):
    """What others answered a matcher that asks, for signatures and for people."""

    answers: str
    """The first digits of the hash of all answers."""
    unjudged: int
    """How many pairs have no answer, and count as no match."""
    told: tuple[str, ...]
    """What is to be told of it; the same whether answers were asked for or kept."""


class Planned(MatcherError):
    """What asking would take, where nothing was to be asked; its text tells it."""


@dataclass(frozen=True)
class Terms:
    """Whether a model may be asked, how much it may cost, and what is made of missing answers.

    None of them changes an answer.
    """

    replay: bool = False
    """Take answers from the cache alone."""
    dry_run: bool = False
    """Ask nothing, and tell what it would take."""
    allow_unjudged: bool = False
    """Count pairs without an answer as no match."""
    max_calls: int = 0
    """The most calls, repeated ones included; 0 for as many as it takes."""
    budget: float = 0.0
    """The most that the calls may cost; 0 for whatever it takes."""


@dataclass(frozen=True)
class PreparedNuggets:
    """Nuggets that a matcher prepared once, for updates that come in several calls."""

    gold: MatcherGold
    nuggets: int
    threshold: float

    def match(self, updates: Iterable[str], *, first_only: bool = False) -> Pairs:
        """The pairs of these updates, as `Matcher.match` gives them."""
        return Pairs.joined(self.blocks(updates, first_only=first_only))

    def blocks(self, updates: Iterable[str], *, first_only: bool = False) -> Iterator[Pairs]:
        """The same, block by block of the updates, each as soon as it is matched."""
        is_open = np.ones(self.nuggets, bool)
        rows = min(ROWS, max(1, PAIRS // max(1, self.nuggets)))
        for first, texts in blocks(updates, "update", rows):
            pairs = _block_pairs(self.gold, texts, self.nuggets, self.threshold)
            if first_only:
                pairs = pairs.first(is_open)
                is_open[pairs.nugget] = False
            yield pairs.moved(first)


@dataclass(frozen=True)
class Matcher(ABC):
    """Finds which updates say which nuggets. Subclasses are frozen dataclasses of parameters.

    Two matchers with the same parameters are equal, and ``matchers.get(str(m)) == m``. A pair's
    score depends on its two texts and the collection alone.
    """

    name: ClassVar[str]
    grades: ClassVar[Mapping[float, str]] = {}
    """What each score is called, of a matcher that knows but a few."""
    probable: ClassVar[bool] = False
    """Whether a score is the probability that assessors would call the pair a match."""

    def __post_init__(self) -> None:
        for field in fields(self):
            form, value = field.metadata.get("form"), getattr(self, field.name)
            if form is None:
                continue
            try:
                object.__setattr__(self, field.name, form.read(value))
            except MatcherError:
                raise
            except ValueError:
                raise MatcherError(
                    f"{self.name}: {field.name} is {form.description}, not {value!r}; "
                    + accepted(type(self))
                ) from None

    @property
    def signature(self) -> str:
        """Everything that can change a score, in one name: parameters in declared order."""
        return self.named()

    def __str__(self) -> str:
        return self.signature

    def named(self, *, without: str = "") -> str:
        """The signature, leaving one parameter out; what changes no score is never in it."""
        shown = {
            f.name: value
            for f in fields(self)
            if f.compare and f.name != without
            if (value := getattr(self, f.name)) != f.default or f.metadata.get("shown", True)
        }
        return show(self.name, shown)

    def with_threshold(self, threshold: float) -> Self:
        """The same matcher with another threshold; at 0 every pair of texts is a match."""
        if "threshold" not in {field.name for field in fields(self)}:
            raise MatcherError(f"{self.name} has no threshold")
        return replace(self, threshold=threshold)  # type: ignore[call-arg]

    def match(
        self,
        updates: Sequence[str],
        nuggets: Sequence[str],
        *,
        collection: Sequence[str] | None = None,
        first_only: bool = False,
    ) -> Pairs:
        """All pairs that reach the threshold, sorted by update, then nugget.

        `collection` (default: `nuggets`) is where weights come from. With `first_only` the updates
        are taken to be in time order and only the first match of every nugget is returned. Lists
        may be empty; a text without words scores 0 against everything, itself included.
        """
        prepared = self.prepared(nuggets, collection=collection)
        self.read_ahead(updates)
        if not first_only:
            weighed = nuggets if collection is None else collection
            self.judge_ahead([Lot(updates, nuggets)], Collection.of(weighed))
        return prepared.match(updates, first_only=first_only)

    def prepared(
        self, nuggets: Sequence[str], *, collection: Sequence[str] | None = None
    ) -> PreparedNuggets:
        """The nuggets, ready to be matched with updates that come in several calls."""
        gold = Collection.of(nuggets)
        weighed = gold if collection is None else Collection.of(collection)
        found = self.prepare_rewritten(gold, weighed)
        return PreparedNuggets(found, len(gold), getattr(self, "threshold", 0.0))

    def prepare_rewritten(self, nuggets: Collection, collection: Collection) -> MatcherGold:
        """The nuggets prepared for updates as they come: a matcher with `steps` has all rewritten.

        Whoever prepares nuggets for a matcher calls this; a matcher itself declares `prepare`.
        """
        steps = self.rewriting
        if not steps:
            return self.prepare(nuggets, collection)
        gold = self.prepare(nuggets.rewritten(steps), collection.rewritten(steps))
        return RewrittenGold(gold, steps)

    @property
    def rewriting(self) -> str:
        """The steps of the normaliser that every text is rewritten by before it is prepared."""
        return getattr(self, "steps", "")

    @property
    def by_blocks(self) -> bool:
        """Whether updates can be matched in any process with nothing done for all of them before.

        So it is unless a matcher reads ahead.
        """
        return type(self).read_ahead is Matcher.read_ahead

    def explain(
        self, update: str, nugget: str, *, collection: Sequence[str] | None = None
    ) -> Evidence:
        """Why the pair scores what it does; `collection` as in `match` (default: the nugget).

        Below the threshold, too. For many pairs give a `Collection`, which counts words once.
        """
        checked([update], "update")
        weighed = Collection.of([nugget] if collection is None else collection)
        steps = self.rewriting
        if not steps:
            return self._explain_window(update, nugget, weighed)
        told = traced(update, steps)
        wanted = rewritten(nugget, steps)
        return self._explain_window(told.text, wanted, weighed.rewritten(steps)).traced(told.span)

    def _explain_window(self, update: str, nugget: str, collection: Collection) -> Evidence:
        """The evidence of texts that are rewritten already, in the window that counts."""
        size = getattr(self, "window", 0)
        if not size:
            return self._explain(update, nugget, collection)
        whole = replace(self, window=0)  # type: ignore[call-arg]
        start, end = best_window(whole.prepare(Collection([nugget]), collection), update, size)
        return whole._explain(update[start:end], nugget, collection).moved(start)

    def read_ahead(  # noqa: B027 - to do nothing is what most matchers do
        self, texts: Iterable[str], progress: Progress | None = None
    ) -> None:
        """Do what is cheaper for all updates at once than for a block at a time; here nothing.

        `match` calls it for the updates of its call. Whoever is about to call `match` several times
        may call it for all of them before, and gets told how far it is.
        """

    def judge_ahead(  # noqa: B027 - to do nothing is what most matchers do
        self, lots: Sequence[Lot], collection: Collection, progress: Progress | None = None
    ) -> None:
        """Ask others about all pairs of all lots before the first is matched; here nobody."""

    def judgment(self) -> Judgment | None:
        """What others answered so far; None of a matcher that asks nobody."""
        return None

    def on_terms(self, terms: Terms) -> Self:  # noqa: ARG002
        """The same matcher, asking others on these terms; an error if it asks nobody."""
        raise MatcherError(f"{self.name} asks no model, so there is nothing to replay or to limit")

    @abstractmethod
    def prepare(self, nuggets: Collection, collection: Collection) -> MatcherGold:
        """Do once what depends on the nuggets and the collection only."""

    def _explain(self, update: str, nugget: str, collection: Collection) -> Evidence:
        """The evidence of a whole text: where no other is to be had, the words that both have."""
        return shared_words(self._score(update, nugget, collection), update, nugget)

    def _score(self, update: str, nugget: str, collection: Collection) -> float:
        """The score of one pair of texts that are rewritten already."""
        one = np.zeros(1, np.int64)
        block = self.prepare(Collection([nugget]), collection).block([update])
        return float(block.scores(one, one)[0])


def accepted(matcher: type[Matcher]) -> str:
    """The parameters that a matcher takes, each with the form of its values, as a clause."""
    known = parameters_of(matcher)
    forms = [f"{each.name}=({each.values})" if each.values else each.name for each in known]
    return f"it accepts {', '.join(forms)}" if forms else "it accepts no parameters"


def _block_pairs(gold: MatcherGold, texts: list[str], nuggets: int, threshold: float) -> Pairs:
    different, number = distinct(texts)
    block = gold.block(different)
    if threshold > 0:
        pairs = block.reaching(threshold)
    else:
        update, nugget = np.divmod(np.arange(len(different) * nuggets), max(1, nuggets))
        pairs = Pairs.of(update, nugget, block.scores(update, nugget))
    return pairs if len(different) == len(texts) else pairs.repeated(number)


@dataclass(frozen=True)
class Assessed(Matcher):
    """Stands for matches made by people and read from a file; it never looks at texts.

    Its use is the name, in options and signatures. Matching or explaining with it is a
    `MatcherError`.
    """

    name: ClassVar[str] = "assessed"

    def prepare(self, nuggets: Collection, collection: Collection) -> NoReturn:  # noqa: ARG002
        """Refuse."""
        raise MatcherError(
            "assessed matches come from a file, not from texts: "
            "give a file of matches, or another matcher such as fuzzy"
        )

    def _explain(self, update: str, nugget: str, collection: Collection) -> NoReturn:  # noqa: ARG002
        raise MatcherError("assessed matches were made by people: there is no evidence to show")
