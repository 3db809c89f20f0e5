"""`learned`: the probability that an assessor would call a pair a match.

A logistic model over what can be said of an update and a nugget in a few numbers. It was trained on
judgments (`bench/train_learned.py`); its coefficients lie beside this module, with what they were
made of. What is found can only raise a score, and what is missing only lower it. There are two: one
that reads words and letters, and one with a sentence model. The sentence model reads texts as they
are, words are looked for in rewritten ones.

Weights of words are counted in units of the word that one nugget of the gold has, so that a gold of
a dozen nuggets gives numbers like those of one of a thousand.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from matchers.blend import SLIGHTEST, candidates_parameter, through
from matchers.collection import DECIMALS, Collection, weight
from matchers.containment import ContainmentBlock, ContainmentGold, Fuzzy, Grams
from matchers.contract import Matcher, Progress
from matchers.encoding import PRECISIONS
from matchers.errors import MatcherError
from matchers.evidence import Evidence
from matchers.pairs import MatcherGold, Pairs
from matchers.parameters import choice, flag, free_text, hexadecimal, parameter, threshold
from matchers.sentence_models import Late, LateBlock, LateGold
from matchers.steps import ALL, rewritten
from matchers.texts import parts
from matchers.windows import WindowBlock, Windows
from matchers.words import words

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
    weights: str = parameter("", hexadecimal(), "the beginning of the hash of its coefficients")
    model: str = parameter("", free_text(), "the sentence model; none: letters only", shown=False)
    precision: str = parameter(
        "fp32", choice(PRECISIONS), "the number format of the model", shown=False
    )
    candidates: Matcher | None = candidates_parameter()
    sha256: str = parameter(
        "", hexadecimal(), "the beginning of the hash of the model's weights", shown=False
    )
    download: bool = parameter(
        False, flag(), "whether tseval may download a missing model", compare=False
    )
    settings: str = parameter(
        "", hexadecimal(), "the beginning of the hash of its other files", shown=False
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
        texts, asked = (
            self.words.contained.texts.tocsr(),
            words.contained.incidence.T.tocsr(),
        )
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

        found = [np.zeros(0, np.int64), *map(promising, parts(len(update), width))]
        pairs = np.sort(np.concatenate(found), kind="stable")
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


WINDOW = 40
"""A nugget is held against stretches of so many words."""

Numbers = dict[str, NDArray[np.float64]]
"""By its name a number of each pair, or of each nugget."""


@dataclass(frozen=True, eq=False)
class WordsGold:
    """Nuggets by words; `digits` says which words have digits, `unit` is what weights count in."""

    contained: ContainmentGold
    digits: NDArray[np.int64]
    unit: float

    @classmethod
    def of(cls, nuggets: Collection, collection: Collection) -> WordsGold:
        """Weigh the words of nuggets."""
        terms = dict.fromkeys(chain.from_iterable(nuggets.terms("words", words)))
        digits = np.array([any(map(str.isdigit, term)) for term in terms], np.int64)
        unit = weight(len(collection), min(len(collection), 1))
        return cls(Fuzzy().contained(nuggets, collection), digits, float(unit))

    def block(self, updates: list[str]) -> PairWords:
        """Read updates, window by window."""
        windows = Windows.of(updates, WINDOW)
        length = np.log1p(np.fromiter(map(len, updates), np.float64, len(updates)))
        return PairWords(self, self.contained.block(windows.texts), windows, length)

    @cached_property
    def with_digits(self) -> NDArray[np.int64]:
        """How many words with digits each nugget has."""
        count: NDArray[np.int64] = self.contained.incidence @ self.digits
        return count

    @cached_property
    def in_full(self) -> Numbers:
        """What words tell of each nugget if all of them are found."""
        nuggets = self.contained
        carried = nuggets.incidence.multiply(nuggets.weights).tocsr()
        return {
            "mass": np.log1p(nuggets.totals / self.unit),
            "found": nuggets.totals / self.unit,
            "heaviest": _row_maxima(carried) / self.unit,
            "digits": np.where(self.with_digits > 0, 1.0, -1.0),
        }

    @cached_property
    def has_words(self) -> NDArray[np.bool_]:
        """Which nuggets have words."""
        has: NDArray[np.bool_] = np.diff(self.contained.incidence.indptr) > 0
        return has


@dataclass(frozen=True, eq=False)
class PairWords:
    """Windows of updates by words."""

    gold: WordsGold
    contained: ContainmentBlock
    windows: Windows
    length: NDArray[np.float64]
    """The logarithm of 1 plus each update's characters."""

    def numbers(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> Numbers:
        """What words tell of single pairs.

        `mass` is the logarithm of 1 plus the nugget's weight. In the first window with the most
        weight found, `found` is that weight and `heaviest` its heaviest word's; `digits` the share
        of the words with digits that are found, -1 without any; `digits_missing` how many are not.
        `length` is the logarithm of 1 plus the update's characters.
        """
        gold = self.gold
        found, heaviest, digits = self._best(update, nugget)
        wanted = gold.with_digits[nugget]
        return {
            "mass": gold.in_full["mass"][nugget],
            "found": found / gold.unit,
            "heaviest": heaviest / gold.unit,
            "digits": np.where(wanted > 0, digits / np.maximum(wanted, 1), -1.0),
            "digits_missing": (wanted - digits).astype(np.float64),
            "length": self.length[update],
        }

    def have_words(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which pairs have words on both sides."""
        both: NDArray[np.bool_] = (self.windows.counts[update] > 0) & self.gold.has_words[nugget]
        return both

    def _best(
        self, update: NDArray[np.int64], nugget: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """For each pair the weight found, its heaviest word and the words with digits."""
        window, pair = self.windows.of_pairs(update)
        told = np.zeros((3, len(window)), np.int64)

        for part, shared in self.contained.shared_terms(window, nugget[pair]):
            told[0, part] = shared.sum(axis=1)
            told[1, part] = _row_maxima(shared)
            with_digits = self.gold.digits[shared.indices] * (shared.data > 0)
            ends = np.append(0, np.cumsum(with_digits))
            told[2, part] = ends[shared.indptr[1:]] - ends[shared.indptr[:-1]]
        best = np.zeros((3, len(update)), np.int64)
        several = (self.windows.counts[update] > 1)[pair]
        best[:, pair[~several]] = told[:, ~several]
        row = np.flatnonzero(several)
        order = row[np.lexsort((-row, told[0, row], pair[row]))]
        last = order[np.append(np.diff(pair[order]) != 0, True)[: len(order)]]
        best[:, pair[last]] = told[:, last]
        return best[0], best[1], best[2]


def _row_maxima(rows: sparse.csr_array) -> NDArray[np.int64]:
    """The largest number in each row, 0 without any."""
    largest = np.zeros(rows.shape[0], np.int64)
    some = np.flatnonzero(np.diff(rows.indptr))
    if len(some):
        largest[some] = np.maximum.reduceat(rows.data, rows.indptr[some])
    return largest


def neighbours(nuggets: Collection, collection: Collection) -> Numbers:
    """How alike the nuggets are that are given together, by the weight of words.

    `said_in` is the largest share of a nugget's weight that stands in one other, `said_mean` the
    mean over all others, `says` the largest share of another's weight that stands in it.
    """
    found = Fuzzy(threshold=SLIGHTEST).match(list(nuggets), list(nuggets), collection=collection)
    other = found.update != found.nugget
    says, said, share = found.update[other], found.nugget[other], found.score[other]
    largest = np.zeros((2, len(nuggets)))
    np.maximum.at(largest[0], said, share)
    np.maximum.at(largest[1], says, share)
    whole = np.zeros(len(nuggets), np.int64)
    np.add.at(whole, said, np.rint(share * 10**DECIMALS).astype(np.int64))
    mean = whole / 10**DECIMALS / max(1, len(nuggets) - 1)
    return {"said_in": largest[0], "said_mean": mean, "says": largest[1]}


WORDS = ("mass", "found", "heaviest", "digits", "digits_missing", "length")
"""What words tell of a pair (`PairWords.numbers`);"""
LEXICAL = (*WORDS, "grams")
"""without a sentence model with the best window's share of runs of three letters;"""
ALIGNED = (*WORDS, "alignment", "said_in", "said_mean", "says")
"""with one with what `late` says, and how alike the other nuggets are (`neighbours`)."""

SIGNS = {"found": 1, "heaviest": 1, "digits": 1, "grams": 1, "alignment": 1, "digits_missing": -1}
"""Which way a number may move a score; the others may move it either way."""


@dataclass(frozen=True, eq=False)
class Coefficients:
    """What each number adds to the log odds, by itself and per unit.

    `model` names the sentence model that was trained with, and its hashes.
    """

    constant: float
    each: dict[str, float]
    sha256: str = ""
    model: dict[str, str] = field(default_factory=dict)

    def log_odds(self, numbers: Numbers) -> NDArray[np.float64]:
        """The constant and what some numbers add to it, always in the same order."""
        names = [name for name in self.each if name in numbers]
        total = sum((self.each[name] * numbers[name] for name in names), np.zeros(()))
        return np.asarray(self.constant + total, np.float64)


def probability(log_odds: NDArray[np.float64], spoken: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The scores; 0 where a text has no words."""
    rounded = np.round(np.where(spoken, 1 / (1 + np.exp(-log_odds)), 0), DECIMALS)
    return rounded.astype(np.float64)


def needed(threshold: float) -> float:
    """The log odds below which no score reaches `threshold`, however it is rounded."""
    reached = threshold - 10.0**-DECIMALS
    return float(np.log(reached / (1 - reached))) - 1e-6 if reached > 0 else -np.inf


@cache
def shipped(name: str) -> Coefficients:
    """The coefficients of this name, which lie beside this module."""
    content = (Path(__file__).with_name(name)).read_bytes()
    told: dict[str, Any] = json.loads(content)
    return Coefficients(
        told["constant"],
        told["coefficients"],
        hashlib.sha256(content).hexdigest(),
        told.get("model", {}),
    )
