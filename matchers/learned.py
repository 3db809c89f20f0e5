"""`learned`: the probability that an assessor would call a pair a match.

A logistic model over what can be said of an update and a nugget in a few numbers. It was trained on
judgments (`bench/train_learned.py`); its coefficients lie beside this module, with what they were
made of. What is found can only raise a score, and what is missing only lower it. There are two: one
that reads words and letters, and one with a sentence model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from matchers.candidates import candidates_parameter, through
from matchers.coefficients import Coefficients, shipped
from matchers.collection import Collection
from matchers.contract import Matcher, Progress
from matchers.encoding import PRECISIONS
from matchers.errors import MatcherError
from matchers.evidence import Evidence
from matchers.fuzzy import Fuzzy
from matchers.late import Late
from matchers.learned_aligned import AlignedGold
from matchers.learned_lexical import LexicalGold
from matchers.pair_numbers import WINDOW
from matchers.parameters import choice, flag, free_text, hexadecimal, parameter, threshold
from matchers.prepared import MatcherGold
from matchers.steps import ALL

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

    def read_ahead(self, texts: Sequence[str], progress: Progress | None = None) -> None:
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
