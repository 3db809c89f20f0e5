"""Many questions: what is kept is not asked again, the rest some at a time, within a limit.

What comes out depends on the questions alone, not on which reply comes first. Each answer is on
disk before the next question of its turn is asked, so whoever is interrupted goes on from there.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice
from threading import Event, Lock

from matchers.answers import ANSWERED, Answer, Answers, opened
from matchers.contract import Progress
from matchers.endpoint import SILENT, Endpoint, Failed, Place, failure
from matchers.errors import MatcherError
from matchers.questions import Question
from matchers.terms import Planned, Terms

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


@dataclass(frozen=True)
class Way:
    """How an endpoint is asked."""

    place: Place
    concurrency: int
    attempts: int
    seed: int
    input_price: float
    output_price: float
    """The prices of a million tokens that go in, or come out."""

    @property
    def has_prices(self) -> bool:
        """Whether anything is known of what tokens cost."""
        return bool(self.input_price or self.output_price)

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """What so many tokens cost."""
        return (tokens_in * self.input_price + tokens_out * self.output_price) / MILLION


@dataclass
class Account:
    """What was asked so far under one set of terms."""

    terms: Terms
    calls: int = 0
    cost: float = 0.0
    reserved: float = 0.0
    """What calls that are under way may cost."""
    tokens: tuple[int, int] = (0, 0)
    lock: Lock = field(default_factory=Lock)

    def take(self, likely: float) -> bool:
        """Whether one more call is within the limits; then it is counted."""
        with self.lock:
            if self.terms.max_calls and self.calls >= self.terms.max_calls:
                return False
            if self.terms.budget and self.cost + self.reserved + likely > self.terms.budget:
                return False
            self.calls += 1
            self.reserved += likely
            return True

    def spent(self, way: Way) -> str:
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


def ask_model(
    questions: Sequence[Question],
    way: Way,
    account: Account,
    progress: Progress | None = None,
) -> dict[str, Answer]:
    """What came of each question, by its key: its answer, or the way in which it failed.

    Of one that was never asked the `state` says why.
    """
    terms = account.terms
    different = list({question.key: question for question in questions}.values())
    with opened(reading=terms.replay or terms.dry_run) as answers:
        known = answers.get(question.key for question in different)
        lacking = [q for q in different if q.key not in known or known[q.key].state != ANSWERED]
        if terms.dry_run:
            raise Planned(_plan(different, lacking, way))
        if terms.replay:
            missing = Failed(NOT_KEPT, "", again=False)
            return {q.key: failure(q, missing) for q in lacking} | known
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


def _plan(questions: Sequence[Question], lacking: Sequence[Question], way: Way) -> str:
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
        lines.append(f"cost: about {way.cost(going_in, coming_out):.4f}")
    return "\n".join(lines)


class _Interview:
    """Some questions, asked in turn, so many at a time."""

    def __init__(self, way: Way, account: Account, answers: Answers) -> None:
        self._way, self._account, self._answers = way, account, answers
        self._endpoint = Endpoint(way.place)
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
            for answer in self._turns(pool, iter(questions)):
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
                f"name, the address and the key in {self._way.place.key}"
            )
        return found

    def _turns(self, pool: ThreadPoolExecutor, questions: Iterator[Question]) -> Iterator[Answer]:
        """Keep so many questions under way until all are done."""
        ahead: set[Future[Answer]] = set()
        while True:
            for question in islice(questions, self._way.concurrency - len(ahead)):
                ahead.add(pool.submit(self._one, question))
            if not ahead:
                return
            done, ahead = wait(ahead, return_when=FIRST_COMPLETED)
            yield from (each.result() for each in done)

    def _one(self, question: Question) -> Answer:
        """Ask until there is an answer, nothing more to be hoped for, or a limit reached."""
        chance = random.Random(f"{self._way.seed} {question.key}")
        last = Failed(NOT_ASKED, "", again=True)
        for attempt in range(self._way.attempts):
            if self._stop.wait(max(0.0, self._not_before - time.monotonic())):
                break
            likely = self._way.cost(*question.tokens)
            if not self._account.take(likely):
                return failure(question, Failed(NOT_ASKED, _limit(self._account), again=True))
            try:
                answer = self._endpoint.ask(question)
            except Failed as failed:
                self._account.settle(likely, self._way.cost(*failed.tokens), failed.tokens)
                last = failed
                if failed.hopeless:
                    self._hopeless = failed.told
                    self._stop.set()
                if not failed.again or not self._waited(failed, attempt, chance):
                    break
                continue
            tokens = (answer.tokens_in, answer.tokens_out)
            self._account.settle(likely, self._way.cost(*tokens), tokens)
            self._answers.put([answer])
            return answer
        if last.state == NOT_ASKED:
            return failure(question, last)
        self._answers.put([failure(question, last)])
        return failure(question, last)

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


def _limit(account: Account) -> str:
    terms = account.terms
    if terms.max_calls and account.calls >= terms.max_calls:
        return f"the limit of {terms.max_calls} calls is reached"
    return f"the budget of {terms.budget:g} is reached"
