"""`llm`: a language model reads the update and says which nuggets it supports."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from heapq import nsmallest
from itertools import chain, pairwise
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from matchers.answers import ANSWERED, LABELS, Prompt, Question, prompt
from matchers.asking import API_KEY, Account, Way, ask_model, unfinished
from matchers.blend import SLIGHTEST, candidates_parameter, least
from matchers.collection import Collection
from matchers.contract import Judgment, Lot, Matcher, Progress, Terms
from matchers.errors import MatcherError
from matchers.evidence import Evidence, shared_words
from matchers.pairs import MatcherGold, Pairs
from matchers.parameters import (
    flag,
    free_text,
    hexadecimal,
    integer_in,
    label,
    number,
    parameter,
    threshold,
)
from matchers.texts import distinct
from matchers.words import has_words

PROMPT = "support-1"
MOST = 10
"""A call asks for at most so many nuggets."""
SHOWN = 12
"""How many digits of a hash are shown."""
AMPLE = 1 << 30
CURE = (
    "the answers that came are kept: run it again (with --resume) to ask for the others alone, or "
    "allow unjudged pairs (--allow-unjudged), which then count as no match"
)
OFFLINE = (
    "take them in from where they were given (tseval judge import), ask for them (without replay), "
    "or allow unjudged pairs (--allow-unjudged), which then count as no match"
)
Score = NDArray[np.float64]


@dataclass(frozen=True)
class Llm(Matcher):
    """What a language model says of a pair: 1 support, 0.5 partial support, 0 no support.

    A call shows a whole update and up to ten nuggets of its topic, sorted by their text. So a score
    depends on the update and the topic's nuggets. `candidates` is a cheap matcher: what does not
    reach its threshold is not asked, and scores 0. Answers are kept and asked for once. A pair
    without an answer is no match of score 0: it is an error, unless unjudged pairs are allowed.
    """

    name: ClassVar[str] = "llm"
    grades: ClassVar[dict[float, str]] = {score: label for label, score in LABELS.items()}
    model: str = parameter("", free_text(), "the model, as the endpoint calls it")
    prompt: str = parameter(PROMPT, label(), "what is asked: a name, or the path of a file")
    nuggets: int = parameter(MOST, integer_in(1, MOST), "how many nuggets a call asks for")
    candidates: Matcher | None = candidates_parameter("which pairs are asked at all; all without")
    run: int = parameter(
        1, integer_in(1, AMPLE), "which of several runs of the same questions", shown=False
    )
    threshold: float = threshold(0.5)
    sha256: str = parameter("", hexadecimal(), "what the hash of the prompt begins with")
    base_url: str = parameter("", free_text(), "where the endpoint is", compare=False)
    key: str = parameter(
        API_KEY, label(), "the environment variable that holds the key", compare=False
    )
    timeout: float = parameter(
        60.0, number(0.001, 86400), "seconds until a call has failed", compare=False
    )
    attempts: int = parameter(5, integer_in(1, 100), "how often a call is tried", compare=False)
    concurrency: int = parameter(8, integer_in(1, 256), "calls at the same time", compare=False)
    seed: int = parameter(0, integer_in(0, AMPLE), "for waits, and what is drawn", compare=False)
    left_out: int = parameter(
        100, integer_in(0, AMPLE), "pairs drawn from what candidates leave out", compare=False
    )
    input_price: float = parameter(
        0.0, number(0, AMPLE), "the price of a million tokens in", compare=False
    )
    output_price: float = parameter(
        0.0, number(0, AMPLE), "the price of a million tokens out", compare=False
    )
    budget: float = parameter(0.0, number(0, AMPLE), "the most to spend; 0: all", compare=False)
    max_calls: int = parameter(0, integer_in(0, AMPLE), "the most calls; 0: all", compare=False)
    replay: bool = parameter(
        False, flag(), "whether answers come from the cache alone", compare=False
    )
    dry_run: bool = parameter(
        False, flag(), "whether to tell what it would take, and ask nothing", compare=False
    )
    allow_unjudged: bool = parameter(
        False, flag(), "whether pairs without an answer count as no match", compare=False
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.model:
            raise MatcherError("llm needs the name of a model: llm(model=NAME)")
        if self.budget and not (self.input_price or self.output_price):
            raise MatcherError(
                "llm: what a budget pays for is known by prices of a million tokens alone: write "
                "llm(model=NAME,input_price=0.15,output_price=0.6), or limit the calls"
            )
        found = self._wording.sha256
        if not found.startswith(self.sha256):
            raise MatcherError(
                f"llm: the prompt {self.prompt!r} has the sha256 {found[:SHOWN]}, not {self.sha256}"
            )
        object.__setattr__(self, "sha256", found[:SHOWN])

    def with_threshold(self, threshold: float) -> Self:
        """The same with another threshold; what was asked so far is known to it."""
        made = super().with_threshold(threshold)
        vars(made)["_record"] = self._record
        return made

    @cached_property
    def _wording(self) -> Prompt:
        return prompt(self.prompt)

    @property
    def by_blocks(self) -> bool:
        """One process asks, and keeps to the limits."""
        return False

    def on_terms(self, terms: Terms) -> Self:
        """The same under these terms, beside its own."""
        return replace(
            self,
            replay=self.replay or terms.replay,
            dry_run=self.dry_run or terms.dry_run,
            allow_unjudged=self.allow_unjudged or terms.allow_unjudged,
            budget=terms.budget or self.budget,
            max_calls=terms.max_calls or self.max_calls,
        )

    @cached_property
    def _way(self) -> Way:
        return Way(
            self.base_url,
            self.key,
            self.timeout,
            self.concurrency,
            self.attempts,
            self.seed,
            self.input_price,
            self.output_price,
        )

    @cached_property
    def _record(self) -> _Record:
        """What this matcher asked so far."""
        terms = Terms(self.replay, self.dry_run, self.allow_unjudged, self.max_calls, self.budget)
        return _Record(Account(terms))

    @property
    def _known(self) -> dict[tuple[str, str], float]:
        return _scores_of(self.named(without="threshold"))

    def judge_ahead(
        self, lots: Sequence[Lot], collection: Collection, progress: Progress | None = None
    ) -> None:
        """Ask all questions about all topics; refuse to go on if one has no answer."""
        questions: list[Question] = []
        left_out: list[Iterator[Question]] = []
        self._record.begin()
        for lot in lots:
            gold = self.prepare(Collection.of(lot.nuggets), collection)
            updates, _ = distinct(list(lot.updates))
            asking = list(gold.asking(updates))
            questions += [each.question for each in asking]
            if self.candidates and self.left_out:
                left_out.append(self._left_out(updates, gold.spoken, asking))
        drawn = nsmallest(self.left_out, chain.from_iterable(left_out), key=self._lottery)
        self.answered(questions, progress)
        self.answered(drawn, progress, needed=False)
        self._record.estimate(self, {q.key for q in questions}, [q.key for q in drawn])

    def _left_out(
        self, updates: list[str], nuggets: list[str], asking: Sequence[Asking]
    ) -> Iterator[Question]:
        """The pairs of one topic that candidates leave out."""
        pairs = {(a.update, text) for a in asking for text in a.question.nuggets}
        spoken = [(row, text) for row, text in enumerate(updates) if has_words(text)]
        self._record.left_out += len(spoken) * len(nuggets) - len(pairs)
        for row, text in spoken:
            for nugget in nuggets:
                if (row, nugget) not in pairs:
                    yield self.question(text, (nugget,))

    def _lottery(self, question: Question) -> bytes:
        """What pairs are drawn by: the lowest numbers of all."""
        text = "\0".join((str(self.seed), question.update, *question.nuggets))
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()

    def question(self, update: str, nuggets: tuple[str, ...]) -> Question:
        """The question about an update and some nuggets."""
        known = self._record.questions
        if (update, nuggets) not in known:
            question = Question(self.model, self._wording, update, nuggets, self.run)
            known[update, nuggets] = question
        return known[update, nuggets]

    def answered(
        self,
        questions: Sequence[Question],
        progress: Progress | None = None,
        *,
        needed: bool = True,
    ) -> None:
        """Have the labels of questions; a `MatcherError` if one lacks them that are `needed`.

        One that failed before is not asked again.
        """
        labels = self._record.labels
        fresh = {q.key: q for q in questions if q.key not in labels}
        found = ask_model(list(fresh.values()), self._way, self._record.account, progress)
        for key, answer in found.items():
            labels[key] = given = answer.labels if answer.state == ANSWERED else None
            if given is not None:
                self._record.used[key] = f"{answer.answered} {' '.join(given)}"
        told = unfinished(found.values())
        if told and needed and not self.allow_unjudged:
            for key in [key for key, known in labels.items() if known is None]:
                del labels[key]
            raise MatcherError(f"llm: {told}; {OFFLINE if self.replay else CURE}")

    def judgment(self) -> Judgment:
        """What this matcher was answered so far, and what is to be told of it."""
        return self._record.judgment()

    def prepare(self, nuggets: Collection, collection: Collection) -> LlmGold:
        """Put the nuggets into lists, and prepare them for the cheap matcher."""
        cheap = (
            None
            if self.candidates is None
            else self.candidates.prepare_rewritten(nuggets, collection)
        )
        texts = list(nuggets)
        spoken = sorted({text for text in texts if has_words(text)})
        return LlmGold(self, texts, spoken, np.arange(len(texts)), cheap)

    def _explain(self, update: str, nugget: str, collection: Collection) -> Evidence:
        """The words that both have; the score is what was answered, asked for now if need be."""
        known = self._known.get((update, nugget))
        score = self._score(update, nugget, collection) if known is None else known
        return shared_words(score, update, nugget)


@lru_cache(maxsize=8)
def _scores_of(matcher: str) -> dict[tuple[str, str], float]:  # noqa: ARG001 - one a matcher
    """The scores of pairs of texts that a matcher met in this process, for who explains them."""
    return {}


class Asking(NamedTuple):
    """A question, and the update that it is about, by its row."""

    update: int
    question: Question


@dataclass(frozen=True, eq=False)
class LlmGold:
    """Nuggets in lists; `rows` are those that are still looked for."""

    matcher: Llm
    texts: list[str]
    spoken: list[str]
    """The different nuggets that have words, sorted."""
    rows: NDArray[np.int64]
    cheap: MatcherGold | None

    def block(self, texts: list[str]) -> LlmBlock:
        """Ask about some updates."""
        asking = list(self.asking(texts))
        self.matcher.answered([each.question for each in asking])
        known = self.matcher._known
        scores: defaultdict[int, dict[str, float]] = defaultdict(dict)
        for row, question in asking:
            labels = self.matcher._record.labels[question.key]
            if labels is None:
                unjudged = {(question.update, nugget) for nugget in question.nuggets}
                self.matcher._record.unjudged |= unjudged
                continue
            for nugget, given in zip(question.nuggets, labels, strict=True):
                scores[row][nugget] = known[question.update, nugget] = LABELS[given]
        return LlmBlock(len(texts), [self.texts[row] for row in self.rows], dict(scores))

    def only(self, nuggets: NDArray[np.int64]) -> LlmGold:
        """The nuggets of these rows alone; they are asked in the lists in which they were."""
        return replace(self, rows=self.rows[nuggets])

    def asking(self, texts: list[str]) -> Iterator[Asking]:
        """The questions about some updates, in their order."""
        candidates = self._candidates(texts)
        size = self.matcher.nuggets
        for row, text in enumerate(texts):
            if not has_words(text):
                continue
            asked = self.spoken if candidates is None else candidates[row]
            for start in range(0, len(asked), size):
                yield Asking(row, self.matcher.question(text, tuple(asked[start : start + size])))

    def _candidates(self, texts: list[str]) -> list[list[str]] | None:
        """For each update the different nuggets that the cheap matcher lets through."""
        if self.cheap is None or self.matcher.candidates is None:
            return None
        pairs = self.cheap.block(texts).reaching(least(self.matcher.candidates))
        ends = np.searchsorted(pairs.update, np.arange(len(texts) + 1))
        through = [
            {self.texts[nugget] for nugget in pairs.nugget[start:end].tolist()}
            for start, end in pairwise(ends.tolist())
        ]
        return [sorted(text for text in each if has_words(text)) for each in through]


@dataclass(frozen=True)
class LlmBlock:
    """Some updates, by row, with the scores of the nuggets that were asked about them."""

    updates: int
    nuggets: list[str]
    by_update: dict[int, dict[str, float]]

    def reaching(self, threshold: float) -> Pairs:
        """All pairs that reach `threshold`."""
        found = [
            (row, column, scores[text])
            for row, scores in self.by_update.items()
            for column, text in enumerate(self.nuggets)
            if scores.get(text, 0.0) >= threshold
        ]
        columns = np.array(found, np.float64).reshape(-1, 3).T
        return Pairs.of(columns[0], columns[1], columns[2])

    def scores(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> Score:
        """The scores of single pairs; what was not asked scores 0."""
        none: dict[str, float] = {}
        return np.array(
            [
                self.by_update.get(row, none).get(self.nuggets[column], 0.0)
                for row, column in zip(update.tolist(), nugget.tolist(), strict=True)
            ],
            np.float64,
        )


@dataclass
class _Record:
    """What a matcher was answered: for the signature, and for what is to be told."""

    account: Account
    questions: dict[tuple[str, tuple[str, ...]], Question] = field(default_factory=dict)
    labels: dict[str, tuple[str, ...] | None] = field(default_factory=dict)
    """The labels of each question; None where it failed."""
    used: dict[str, str] = field(default_factory=dict)
    """The answer to each question, and of which model it is."""
    unjudged: set[tuple[str, str]] = field(default_factory=set)
    left_out: int = 0
    told: list[str] = field(default_factory=list)

    def begin(self) -> None:
        """Forget what was told of other texts."""
        self.left_out, self.told = 0, []
        self.unjudged.clear()

    def estimate(self, matcher: Llm, questions: set[str], drawn: list[str]) -> None:
        """Tell what the candidates lose, by the pairs drawn from what they leave out."""
        kept, lost = self._matches(matcher, questions), self._matches(matcher, drawn)
        read = sum(self.labels[key] is not None for key in drawn)
        if not read:
            return
        share, total = lost / read, self.left_out
        low, high = share, share
        if read < total:
            from scipy.stats import binomtest  # which takes long to load

            low, high = binomtest(lost, read).proportion_ci(method="wilson")
        self.told.append(
            f"{matcher.candidates} leaves out {total:,} pairs; of {read:,} drawn from them "
            f"{lost:,} {'is a match' if lost == 1 else 'are matches'}: about {share * total:,.0f} "
            f"matches are lost (95 %: {low * total:,.0f} to {high * total:,.0f}) beside the "
            f"{kept:,} found"
        )

    def _matches(self, matcher: Llm, questions: Iterable[str]) -> int:
        """How many labels reach the matcher's threshold, and say more than nothing."""
        least = max(matcher.threshold, SLIGHTEST)
        labels = (given for key in questions for given in self.labels[key] or ())
        return sum(LABELS[given] >= least for given in labels)

    def judgment(self) -> Judgment:
        """The hash of all answers, how many pairs have none, and what is to be told."""
        lines = sorted(f"{key} {answer}" for key, answer in self.used.items())
        digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        told = list(self.told)
        if self.unjudged:
            number = len(self.unjudged)
            said = (
                "pair has no answer and counts" if number == 1 else "pairs have no answer and count"
            )
            told.append(f"{number:,} {said} as no match")
        return Judgment(digest[:SHOWN], len(self.unjudged), tuple(told))
