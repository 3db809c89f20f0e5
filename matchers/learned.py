"""`learned`: the probability that an assessor would call a pair a match.

A logistic model over what can be said of an update and a nugget in a few numbers. It was trained on
judgments (`bench/train_learned.py`); its coefficients lie beside this module, with what they were
made of. What is found can only raise a score, and what is missing only lower it. There are two: one
that reads words and letters, and one with a sentence model. The sentence model reads texts as they
are, words are looked for in rewritten ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from matchers.blend import candidates_parameter, through
from matchers.collection import Collection
from matchers.containment import ContainmentGold
from matchers.contract import Matcher, Progress
from matchers.encoding import PRECISIONS
from matchers.errors import MatcherError
from matchers.evidence import Evidence
from matchers.fuzzy import Fuzzy
from matchers.grams import Grams
from matchers.late import Late, LateBlock, LateGold
from matchers.pair_numbers import (
    WINDOW,
    Coefficients,
    Numbers,
    PairWords,
    WordsGold,
    needed,
    neighbours,
    probability,
    shipped,
)
from matchers.pairs import MatcherGold, Pairs
from matchers.parameters import choice, flag, free_text, hexadecimal, parameter, threshold
from matchers.steps import ALL, rewritten
from matchers.texts import parts, spread
from matchers.windows import WindowBlock

SHOWN = 12
"""How many digits of the hash of its coefficients stand in the matcher's name."""


@dataclass(frozen=True)
class Learned(Matcher):
    """The probability that an assessor would call the pair a match, by a model that was trained.

    It looks at the 40 words of the update in which most of the nugget's weight is found: how much
    that is, which word of it is the heaviest, whether numbers are among it, and which runs of three
    letters; and at how much there was to find. All steps of the normaliser are taken.

    It was trained on English texts. In a small measurement in seven other languages, with and
    without spaces between words, it found more matches than `fuzzy` (docs/matching.md).

    `weights` is what the hash of the coefficients begins with: it is looked up when it is not
    given, and refused when it is another. With a `model` token alignment takes the place of
    letters, as `late` has it, and how alike the nuggets are that are given together, as a topic's
    are: a score then depends on these as well. `candidates` is a cheap matcher: what does not reach
    its threshold is not read, and scores 0.
    """

    name: ClassVar[str] = "learned"
    probable: ClassVar[bool] = True
    threshold: float = threshold(0.2)
    weights: str = parameter("", hexadecimal(), "what the hash of its coefficients begins with")
    model: str = parameter("", free_text(), "the sentence model; without, letters", shown=False)
    precision: str = parameter(
        "fp32", choice(PRECISIONS), "what the model computes in", shown=False
    )
    candidates: Matcher | None = candidates_parameter()
    sha256: str = parameter(
        "", hexadecimal(), "what the hash of the model's weights begins with", shown=False
    )
    download: bool = parameter(
        False, flag(), "whether a model that is not here may be downloaded", compare=False
    )
    settings: str = parameter(
        "", hexadecimal(), "what the hash of its other files begins with", shown=False
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        found = self.coefficients
        if not found.sha256.startswith(self.weights):
            raise MatcherError(
                f"learned: the coefficients of this release have the sha256 "
                f"{found.sha256[:SHOWN]}, not {self.weights}"
            )
        object.__setattr__(self, "weights", found.sha256[:SHOWN])
        if self.model:
            self._know_the_model(found.model)
        elif (
            (self.precision, self.sha256, self.settings) != ("fp32", "", "")
            or self.candidates
            or self.download
        ):
            raise MatcherError(
                "learned: precision, candidates, sha256, download and settings mean something with "
                "a sentence model alone: learned(model=all-MiniLM-L6-v2)"
            )

    def _know_the_model(self, trained: dict[str, str]) -> None:
        """Look its hashes up, and refuse another than that which the coefficients belong to."""
        late = self.late
        object.__setattr__(self, "sha256", late.sha256)
        object.__setattr__(self, "settings", late.settings)
        if (late.sha256, late.settings) != (trained["sha256"], trained["settings"]):
            raise MatcherError(
                f"learned: its coefficients belong to {trained['name']} (sha256 "
                f"{trained['sha256']}, settings {trained['settings']}), and {self.model!r} is "
                f"another model (sha256 {late.sha256}, settings {late.settings}), whose vectors "
                "would need coefficients of their own: take late(model=...), or leave model out"
            )

    @property
    def coefficients(self) -> Coefficients:
        """Those of this release, with a sentence model or without."""
        return shipped("learned-aligned.json" if self.model else "learned.json")

    @property
    def late(self) -> Late:
        """The token alignment that is one of its numbers."""
        return Late(
            model=self.model,
            precision=self.precision,
            sha256=self.sha256,
            download=self.download,
            settings=self.settings,
        )

    @property
    def rewriting(self) -> str:
        """All steps; a sentence model reads texts as they are."""
        return "" if self.model else ALL

    @property
    def by_blocks(self) -> bool:
        """Whether nothing is read ahead, as without a sentence model."""
        return not self.model

    def read_ahead(self, texts: Iterable[str], progress: Progress | None = None) -> None:
        """Have the sentence model read all texts, unless candidates say which it has to."""
        if self.model and not self.candidates:
            self.late.read_ahead(texts, progress)

    def prepare(self, nuggets: Collection, collection: Collection) -> MatcherGold:
        """Weigh the nuggets; those for a sentence model come as they are."""
        if not self.model:
            return LexicalGold.of(nuggets, collection, self.coefficients)
        late = self.late.pieces(nuggets, collection)
        gold = AlignedGold.of(nuggets, collection, late, self.coefficients)
        return through(self.candidates, gold, nuggets, collection)

    def _explain(self, update: str, nugget: str, collection: Collection) -> Evidence:
        """The words found and missed as `fuzzy` tells them, with this matcher's score."""
        fuzzy = Fuzzy(window=WINDOW, steps=ALL if self.model else "")
        told = fuzzy.explain(update, nugget, collection=collection)
        return replace(told, score=self._score(update, nugget, collection))


_LOOKED_AT = 1 << 18  # pairs whose words and letters are looked at together


@dataclass(frozen=True, eq=False)
class LexicalGold:
    """Nuggets by words and by grams."""

    words: WordsGold
    by_grams: ContainmentGold
    model: Coefficients

    @classmethod
    def of(cls, nuggets: Collection, collection: Collection, model: Coefficients) -> LexicalGold:
        """Weigh the nuggets' words and runs of three letters."""
        by_grams = Grams(n=3).contained(nuggets, collection)
        return cls(WordsGold.of(nuggets, collection), by_grams, model)

    def block(self, texts: list[str]) -> LexicalBlock:
        """Read updates, window by window."""
        words = self.words.block(texts)
        by_grams = self.by_grams.block(words.windows.texts)
        return LexicalBlock(self, words, WindowBlock(by_grams, words.windows))

    def only(self, nuggets: NDArray[np.int64]) -> LexicalGold:
        """The nuggets of these rows alone."""
        return LexicalGold(self.words.only(nuggets), self.by_grams.only(nuggets), self.model)


@dataclass(frozen=True, eq=False)
class LexicalBlock:
    """Windows of updates by words and by grams."""

    gold: LexicalGold
    words: PairWords
    by_grams: WindowBlock

    def reaching(self, threshold: float) -> Pairs:
        """All pairs that reach `threshold`."""
        wanted = needed(threshold)
        update, nugget = self._promising(wanted)
        found = []
        for part in parts(len(update), 1, _LOOKED_AT):
            numbers = self.words.numbers(update[part], nugget[part])
            every = np.ones(len(update[part]))
            kept = self.gold.model.log_odds({**numbers, "grams": every}) >= wanted
            told = {name: number[kept] for name, number in numbers.items()}
            rows, columns = update[part][kept], nugget[part][kept]
            found.append(Pairs.of(rows, columns, self._scores(rows, columns, told), threshold))
        return Pairs.joined(found)

    def _promising(self, wanted: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The pairs with a window whose words leave room for these log odds; sorted."""
        windows, words = self.words.windows, self.gold.words
        texts, asked = self.words.contained.all_rows, words.contained.nuggets.incidence.T.tocsr()
        update = np.repeat(np.arange(len(windows.counts)), windows.counts)
        width, model = len(words.with_digits), self.gold.model
        whole = {"mass": words.in_full["mass"], "digits": words.in_full["digits"]}
        whole["grams"] = np.ones(width)
        slope = (model.each["found"] + model.each["heaviest"]) / words.unit
        lacking = wanted - 1e-6 - model.log_odds(whole)

        def promising(part: slice) -> NDArray[np.int64]:
            rows, length = windows.number[part], self.words.length[update[part]]
            weight = (texts[rows] @ asked).toarray()
            enough = lacking - model.each["length"] * length[:, None]
            window, nugget = np.nonzero(slope * weight >= enough)  # as if every digit were found
            found = weight[window, nugget] / words.unit
            numbers = {name: number[nugget] for name, number in whole.items()}
            heaviest = np.minimum(found, words.in_full["heaviest"][nugget])
            numbers |= {"found": found, "heaviest": heaviest, "length": length[window]}
            kept = model.log_odds(numbers) >= wanted
            return update[part][window[kept]] * width + nugget[kept]

        found = spread(promising, parts(len(update), width))
        pairs = np.sort(np.concatenate([np.zeros(0, np.int64), *found]), kind="stable")
        is_first = np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)]
        return np.divmod(pairs[is_first], max(1, width))

    def scores(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """The probabilities of single pairs; 0 where a text has no words."""
        return self._scores(update, nugget, self.words.numbers(update, nugget))

    def numbers(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> Numbers:
        """All that single pairs are told by."""
        return {**self.words.numbers(update, nugget), "grams": self.by_grams.scores(update, nugget)}

    def _scores(
        self, update: NDArray[np.int64], nugget: NDArray[np.int64], numbers: Numbers
    ) -> NDArray[np.float64]:
        grams = self.by_grams.scores(update, nugget)
        log_odds = self.gold.model.log_odds({**numbers, "grams": grams})
        return probability(log_odds, self.words.have_words(update, nugget))


@dataclass(frozen=True, eq=False)
class AlignedGold:
    """Nuggets by words and by word pieces; `others` has numbers of each among the others."""

    words: WordsGold
    late: LateGold
    others: Numbers
    model: Coefficients

    @classmethod
    def of(
        cls, nuggets: Collection, collection: Collection, late: LateGold, model: Coefficients
    ) -> AlignedGold:
        """The nuggets, which the sentence model has read."""
        wanted, weighed = nuggets.rewritten(ALL), collection.rewritten(ALL)
        return cls(WordsGold.of(wanted, weighed), late, neighbours(wanted, weighed), model)

    def block(self, texts: list[str]) -> AlignedBlock:
        """Read updates by words; the sentence model reads those that are asked for."""
        words = self.words.block([rewritten(text, ALL) for text in texts])
        return AlignedBlock(self, words, self.late.block(texts))

    def only(self, nuggets: NDArray[np.int64]) -> AlignedGold:
        """The nuggets of these rows alone, with the numbers that they had among all."""
        others = {name: number[nuggets] for name, number in self.others.items()}
        return AlignedGold(self.words.only(nuggets), self.late.only(nuggets), others, self.model)

    @property
    def highest(self) -> NDArray[np.float64]:
        """The log odds that each nugget can reach at most, but for alignment and length."""
        return self.model.log_odds({**self.words.in_full, **self.others})


@dataclass(frozen=True, eq=False)
class AlignedBlock:
    """Updates by words and by word pieces."""

    gold: AlignedGold
    words: PairWords
    late: LateBlock

    def reaching(self, threshold: float) -> Pairs:
        """All pairs that reach `threshold`; words are looked at where the alignment leaves room."""
        model, wanted = self.gold.model, needed(threshold)
        highest, length = self.gold.highest, model.each["length"] * self.words.length
        found = []
        for first, table in self.late.tables(np.arange(len(length))):
            rows = length[first : first + len(table), None]
            best = highest + rows + model.each["alignment"] * table
            update, nugget = np.nonzero(best >= wanted)
            score = self._scores(update + first, nugget, table[update, nugget])
            found.append(Pairs.of(update + first, nugget, score, threshold))
        return Pairs.joined(found)

    def scores(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """The probabilities of single pairs; 0 where a text has no words."""
        return self._scores(update, nugget, self.late.scores(update, nugget))

    def numbers(
        self, update: NDArray[np.int64], nugget: NDArray[np.int64], alignment: NDArray[np.float64]
    ) -> Numbers:
        """All that single pairs are told by."""
        others = {name: number[nugget] for name, number in self.gold.others.items()}
        return {**self.words.numbers(update, nugget), **others, "alignment": alignment}

    def _scores(
        self, update: NDArray[np.int64], nugget: NDArray[np.int64], alignment: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        log_odds = self.gold.model.log_odds(self.numbers(update, nugget, alignment))
        return probability(log_odds, self.words.have_words(update, nugget))
