"""`llm`: a language model reads the update and says which nuggets it supports.

What is kept is not asked again, the rest some at a time, within a limit. What comes out depends on
the questions alone, not on which reply comes first. Each answer is on disk before the next question
of its turn is asked, so whoever is interrupted goes on from there.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache, partial
from heapq import nsmallest
from threading import Event, Lock
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from matchers.answers import ANSWERED, LABELS, Answer, Answers, Prompt, Question, opened, prompt
from matchers.asking import API_KEY, Endpoint, Failed
from matchers.blend import SLIGHTEST, candidates_parameter, least
from matchers.collection import Collection
from matchers.contract import Judgment, Lot, Matcher, Planned, Progress, Terms
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


setting = partial(parameter, compare=False)
"""The field of a parameter that changes no answer."""


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
    model: str = parameter("", free_text(), "the endpoint's name of the model")
    prompt: str = parameter(PROMPT, label(), "the prompt: a name, or the path of a file")
    nuggets: int = parameter(MOST, integer_in(1, MOST), "the number of nuggets per call")
    candidates: Matcher | None = candidates_parameter()
    run: int = parameter(
        1, integer_in(1, AMPLE), "the number of the run of these questions", shown=False
    )
    threshold: float = threshold(0.5)
    sha256: str = parameter("", hexadecimal(), "the beginning of the hash of the prompt")
    base_url: str = setting("", free_text(), "the address of the endpoint")
    key: str = setting(API_KEY, label(), "the environment variable that holds the key")
    timeout: float = setting(60.0, number(0.001, 86400), "seconds after which a call fails")
    attempts: int = setting(5, integer_in(1, 100), "the maximum number of attempts of a call")
    concurrency: int = setting(8, integer_in(1, 256), "the number of simultaneous calls")
    seed: int = setting(0, integer_in(0, AMPLE), "the seed of waits and draws")
    left_out: int = setting(100, integer_in(0, AMPLE), "pairs drawn from those not selected")
    input_price: float = setting(0.0, number(0, AMPLE), "the price of a million input tokens")
    output_price: float = setting(0.0, number(0, AMPLE), "the price of a million output tokens")
    budget: float = setting(0.0, number(0, AMPLE), "the most to spend; 0: no limit")
    max_calls: int = setting(0, integer_in(0, AMPLE), "the most calls; 0: no limit")
    replay: bool = setting(False, flag(), "whether to use only stored answers")
    dry_run: bool = setting(False, flag(), "whether to estimate the cost and ask nothing")
    allow_unjudged: bool = setting(
        False, flag(), "whether pairs without an answer count as no match"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.model:
            raise MatcherError("llm needs the name of a model: llm(model=NAME)")
        if self.budget and not self.has_prices:
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

    @property
    def has_prices(self) -> bool:
        """Whether anything is known of what tokens cost."""
        return bool(self.input_price or self.output_price)

    def on_terms(self, terms: Terms) -> Self:
        """The same under these terms, beside its own."""
        limits = {each.name: getattr(terms, each.name) for each in fields(terms)}
        return replace(self, **{name: value for name, value in limits.items() if value})

    @cached_property
    def _record(self) -> _Record:
        """What this matcher asked so far."""
        return _Record()

    @property
    def _known(self) -> dict[tuple[str, str], float]:
        return _scores_of(self.named(without="threshold"))

    def judge_ahead(
        self, lots: Sequence[Lot], collection: Collection, progress: Progress | None = None
    ) -> None:
        """Ask all questions about all topics; refuse to go on if one has no answer."""
        questions: list[Question] = []
        left_out: list[Question] = []
        self._record.begin()
        for lot in lots:
            gold = self.prepare(Collection.of(lot.nuggets), collection)
            updates, _ = distinct(list(lot.updates))
            asking = list(gold.asking(updates))
            questions += [question for _, question in asking]
            if self.candidates and self.left_out:
                asked = {(row, text) for row, question in asking for text in question.nuggets}
                left_out += [
                    self.question(text, (nugget,))
                    for row, text in enumerate(updates)
                    if has_words(text)
                    for nugget in gold.spoken
                    if (row, nugget) not in asked
                ]
        self._record.left_out = len(left_out)
        drawn = nsmallest(self.left_out, left_out, key=self._lottery)
        self.answered(questions, progress)
        self.answered(drawn, progress, needed=False)
        self._record.estimate(self, {q.key for q in questions}, [q.key for q in drawn])

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
        found = ask_model(list(fresh.values()), self, self._record.account, progress)
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
        cheap = self.candidates
        gold = None if cheap is None else cheap.prepare_rewritten(nuggets, collection)
        texts = list(nuggets)
        return LlmGold(self, texts, sorted({text for text in texts if has_words(text)}), gold)

    def _explain(self, update: str, nugget: str, collection: Collection) -> Evidence:
        """The words that both have; the score is what was answered, asked for now if need be."""
        known = self._known.get((update, nugget))
        score = self._score(update, nugget, collection) if known is None else known
        return shared_words(score, update, nugget)


@lru_cache(maxsize=8)
def _scores_of(matcher: str) -> dict[tuple[str, str], float]:  # noqa: ARG001 - one a matcher
    """The scores of pairs of texts that a matcher met in this process, for who explains them."""
    return {}


@dataclass(frozen=True, eq=False)
class LlmGold:
    """Nuggets in lists."""

    matcher: Llm
    texts: list[str]
    spoken: list[str]
    """The different nuggets that have words, sorted."""
    cheap: MatcherGold | None

    def block(self, texts: list[str]) -> LlmBlock:
        """Ask about some updates."""
        asking = list(self.asking(texts))
        self.matcher.answered([question for _, question in asking])
        known, record = self.matcher._known, self.matcher._record
        columns: defaultdict[str, list[int]] = defaultdict(list)
        for column, text in enumerate(self.texts):
            columns[text].append(column)
        score = np.zeros((len(texts), len(self.texts)))
        for row, question in asking:
            labels = record.labels[question.key]
            if labels is None:
                record.unjudged |= {(question.update, nugget) for nugget in question.nuggets}
                continue
            for nugget, grade in zip(question.nuggets, labels, strict=True):
                known[question.update, nugget] = LABELS[grade]
                score[row, columns[nugget]] = LABELS[grade]
        return LlmBlock(score)

    def asking(self, texts: list[str]) -> Iterator[tuple[int, Question]]:
        """The questions about some updates, in their order, each with the row of its update."""
        candidates = self._candidates(texts)
        size = self.matcher.nuggets
        for row, text in enumerate(texts):
            asked = candidates[row] if has_words(text) else []
            for start in range(0, len(asked), size):
                yield row, self.matcher.question(text, tuple(asked[start : start + size]))

    def _candidates(self, texts: list[str]) -> list[list[str]]:
        """For each update the different nuggets that the cheap matcher lets through; or all."""
        if self.cheap is None or self.matcher.candidates is None:
            return [self.spoken] * len(texts)
        pairs = self.cheap.block(texts).reaching(least(self.matcher.candidates))
        through: list[set[str]] = [set() for _ in texts]
        for row, column in zip(pairs.update.tolist(), pairs.nugget.tolist(), strict=True):
            through[row].add(self.texts[column])
        return [sorted(each.intersection(self.spoken)) for each in through]


@dataclass(frozen=True)
class LlmBlock:
    """The scores of some updates (rows) and nuggets (columns); what was not asked scores 0."""

    score: NDArray[np.float64]

    def reaching(self, threshold: float) -> Pairs:
        """All pairs that reach `threshold`."""
        update, nugget = np.nonzero(self.score >= threshold)
        return Pairs.of(update, nugget, self.score[update, nugget])

    def scores(self, update: NDArray[np.int64], nugget: NDArray[np.int64]) -> NDArray[np.float64]:
        """The scores of single pairs."""
        found: NDArray[np.float64] = self.score[update, nugget]
        return found


@dataclass
class Account:
    """What a matcher asked so far."""

    calls: int = 0
    cost: float = 0.0
    reserved: float = 0.0
    """What calls that are under way may cost."""
    tokens: tuple[int, int] = (0, 0)
    lock: Lock = field(default_factory=Lock)

    def take(self, way: Llm, likely: float) -> bool:
        """Whether one more call is within the limits; then it is counted."""
        with self.lock:
            if way.max_calls and self.calls >= way.max_calls:
                return False
            if way.budget and self.cost + self.reserved + likely > way.budget:
                return False
            self.calls += 1
            self.reserved += likely
            return True

    def spent(self, way: Llm) -> str:
        """What the calls so far took, as a clause."""
        with self.lock:
            cost = f", cost {self.cost:.4f}" if way.has_prices else ""
            return f"{self.tokens[0]:,} tokens in, {self.tokens[1]:,} out{cost}"

    def settle(self, likely: float, cost: float, tokens: tuple[int, int]) -> None:
        """Write down what a call took in the place of what it was likely to."""
        with self.lock:
            self.reserved -= likely
            self.cost += cost
            self.tokens = (self.tokens[0] + tokens[0], self.tokens[1] + tokens[1])


@dataclass
class _Record:
    """What a matcher was answered: for the signature, and for what is to be told."""

    account: Account = field(default_factory=Account)
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


SILENT = {"timed out", "error"}
"""The states of a question without an answer."""
BACK_OFF = 0.5
"""The first wait after a failure is about so many seconds; each further one is twice as long."""
LONGEST = 60.0
"""No wait of our own is longer than so many seconds."""
PATIENCE = 600.0
"""An endpoint that asks to wait longer than so many seconds is not waited for."""
LEAST_ROUND = 4
"""The least number of questions in a row without an answer after which an endpoint is given up."""
NOT_KEPT = "not in the cache"
NOT_ASKED = "not asked"
"""The states of a question that this run did not ask: without an endpoint, and past a limit."""
MILLION = 1_000_000


def cost_of(way: Llm, tokens: tuple[int, int]) -> float:
    """What so many tokens cost that go in and come out."""
    return (tokens[0] * way.input_price + tokens[1] * way.output_price) / MILLION


def ask_model(
    questions: Sequence[Question],
    way: Llm,
    account: Account,
    progress: Progress | None = None,
) -> dict[str, Answer]:
    """What came of each question, by its key: its answer, or the way in which it failed.

    Of one that was never asked the `state` says why.
    """
    different = list({question.key: question for question in questions}.values())
    with opened(reading=way.replay or way.dry_run) as answers:
        known = answers.get(question.key for question in different)
        lacking = [q for q in different if q.key not in known or known[q.key].state != ANSWERED]
        if way.dry_run:
            raise Planned(_plan(different, lacking, way))
        if way.replay:
            return {q.key: Answer.of(q, NOT_KEPT, "") for q in lacking} | known
        if lacking:
            known |= _Interview(way, account, answers).interview(lacking, progress)
    return known


def unfinished(found: Iterable[Answer]) -> str:
    """How many calls have no answer, and why, as a clause; empty where all have one."""
    listed = list(found)
    failed = [answer for answer in listed if answer.state != ANSWERED]
    if not failed:
        return ""
    states = Counter(answer.state for answer in failed)
    counted = ", ".join(f"{number} {state}" for state, number in sorted(states.items()))
    told = sorted({answer.reply for answer in failed if answer.reply})
    example = f"; one says: {told[0]}" if told else ""
    return f"{len(failed)} of {len(listed)} calls have no answer ({counted}{example})"


def _plan(questions: Sequence[Question], lacking: Sequence[Question], way: Llm) -> str:
    """What asking would take, as lines."""
    tokens = [question.tokens for question in lacking]
    going_in, coming_out = sum(each[0] for each in tokens), sum(each[1] for each in tokens)
    pairs = sum(len(question.nuggets) for question in lacking)
    lines = [
        f"calls: {len(lacking):,} to make for {pairs:,} pairs, "
        f"{len(questions) - len(lacking):,} answered already",
        f"tokens: about {going_in:,} in, {coming_out:,} out",
    ]
    if way.has_prices:
        lines.append(f"cost: about {cost_of(way, (going_in, coming_out)):.4f}")
    return "\n".join(lines)


class _Interview:
    """Some questions, asked in turn, so many at a time."""

    def __init__(self, way: Llm, account: Account, answers: Answers) -> None:
        self._way, self._account, self._answers = way, account, answers
        self._endpoint = Endpoint(way.base_url, way.key, way.timeout)
        self._stop = Event()
        self._not_before = 0.0
        self._hopeless = ""

    def interview(
        self, questions: Sequence[Question], progress: Progress | None
    ) -> dict[str, Answer]:
        """What came of each question.

        It stops asking after a whole round of questions in which nobody answers. Who interrupts it
        waits for the replies that are under way: they are paid for.
        """
        found: dict[str, Answer] = {}
        silent = 0
        pool = ThreadPoolExecutor(self._way.concurrency, "asking")
        try:
            for future in as_completed([pool.submit(self._one, each) for each in questions]):
                answer = future.result()
                found[answer.question] = answer
                if answer.state != NOT_ASKED:
                    silent = silent + 1 if answer.state in SILENT else 0
                if silent >= max(self._way.concurrency, LEAST_ROUND):
                    self._stop.set()
                if progress:
                    progress(len(found), len(questions), self._account.spent(self._way))
        finally:
            self._stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            self._endpoint.close()
        if self._hopeless:
            raise MatcherError(
                f"llm: the endpoint refuses every question: {self._hopeless}; check the model's "
                f"name, the address and the key in {self._way.key}"
            )
        return found

    def _one(self, question: Question) -> Answer:
        """Ask until there is an answer, nothing more to be hoped for, or a limit reached."""
        chance = random.Random(f"{self._way.seed} {question.key}")
        likely = cost_of(self._way, question.tokens)
        failed = Failed(NOT_ASKED)
        for attempt in range(self._way.attempts):
            if self._stop.wait(max(0.0, self._not_before - time.monotonic())):
                break
            if not self._account.take(self._way, likely):
                return Answer.of(question, NOT_ASKED, self._limit())
            try:
                answer = self._endpoint.ask(question)
            except Failed as error:
                failed = error
                cost = cost_of(self._way, failed.tokens)
                self._account.settle(likely, cost, failed.tokens)
                if failed.hopeless:
                    self._hopeless = failed.told
                    self._stop.set()
                if not failed.again or not self._waited(failed, attempt, chance):
                    break
            else:
                tokens = (answer.tokens_in, answer.tokens_out)
                self._account.settle(likely, cost_of(self._way, tokens), tokens)
                self._answers.put([answer])
                return answer
        answer = Answer.of(question, failed.state, failed.told)
        if failed.state != NOT_ASKED:
            self._answers.put([answer])
        return answer

    def _waited(self, failed: Failed, attempt: int, chance: random.Random) -> bool:
        """Wait before another attempt; False where there is none, or nobody waits any more.

        When the endpoint says how long, every question waits that long.
        """
        pause = min(LONGEST, BACK_OFF * 2**attempt) * chance.uniform(0.5, 1)
        if attempt + 1 >= self._way.attempts or (failed.wait or 0) > PATIENCE:
            return False
        if failed.wait is not None:
            self._not_before = max(self._not_before, time.monotonic() + failed.wait)
            return not self._stop.is_set()
        return not self._stop.wait(pause)

    def _limit(self) -> str:
        if self._way.max_calls and self._account.calls >= self._way.max_calls:
            return f"the limit of {self._way.max_calls} calls is reached"
        return f"the budget of {self._way.budget:g} is reached"
