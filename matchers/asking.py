"""Questions to an endpoint that speaks the protocol of OpenAI, and what came of them.

The official client does the talking; it is imported when the first question is asked. What is kept
is not asked again, the rest some at a time, within a limit. What comes out depends on the questions
alone, not on which reply comes first. Each answer is on disk before the next question of its turn
is asked, so whoever is interrupted goes on from there.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from importlib import import_module
from threading import Event, Lock
from typing import Any

from matchers.answers import (
    ANSWERED,
    Answer,
    Answers,
    Malformed,
    Question,
    labels_of,
    opened,
    schema,
)
from matchers.contract import Planned, Progress, Terms
from matchers.errors import MatcherError

BASE_URL, API_KEY = "OPENAI_BASE_URL", "OPENAI_API_KEY"
HOPELESS = {401, 403, 404}
"""Whoever answers so will say the same to every question: the key or the model is wrong."""
NO_SCHEMA = {400, 422}
"""Whoever answers so may know no JSON schema: the question is asked again without one."""
PASSING = {408, 409, 425, 429}
"""What may be otherwise in a while, as are all states from 500 on."""
SILENT = {"timed out", "error"}
"""The states of a question without an answer."""
SHOWN = 200
"""So many characters of what an endpoint says are told."""


class Failed(Exception):
    """A question that was not answered: the state, what the endpoint said, and what may help."""

    def __init__(
        self,
        state: str,
        told: str = "",
        *,
        again: bool = True,
        wait: float | None = None,
        hopeless: bool = False,
    ) -> None:
        super().__init__(told)
        self.state, self.told = state, clean(told)[:SHOWN]
        self.again, self.wait, self.hopeless = again, wait, hopeless
        self.tokens = (0, 0)
        """What it took all the same."""


class Endpoint:
    """A model that can be asked."""

    def __init__(self, way: Way) -> None:
        self._openai = _client_library()
        address = way.base_url or os.environ.get(BASE_URL) or None
        secret = os.environ.get(way.key)
        if address is None and not secret:
            raise MatcherError(
                f"llm: no endpoint to ask: set {BASE_URL} (such as http://localhost:8000/v1) or "
                f"write llm(model=NAME,base_url=URL), and set {way.key} if it wants a key"
            )
        self._client = self._openai.OpenAI(
            base_url=address, api_key=secret or "none", max_retries=0, timeout=way.timeout
        )
        url = self._client.base_url
        self.address = f"{url.scheme}://{url.netloc.decode()}{url.path.rstrip('/')}"
        """The address, without the user name and password that a URL may hold."""
        self._knows_schemas = True

    def close(self) -> None:
        """Give back what the connections hold."""
        self._client.close()

    def ask(self, question: Question) -> Answer:
        """The answer of a question; anything else is a `Failed`."""
        start = time.monotonic()
        completion = self._called(question)
        tokens = _tokens(completion, question)
        try:
            reply = _read(completion, len(question.nuggets), self.address)
        except Failed as failed:
            failed.tokens = tokens
            raise
        answered = getattr(completion, "model", None)
        named = answered if isinstance(answered, str) and answered else question.model
        seconds = time.monotonic() - start
        return Answer.of(
            question, ANSWERED, reply, answered=clean(named), tokens=tokens, seconds=seconds
        )

    def _called(self, question: Question) -> Any:
        """What the endpoint sent; where it knows no schema, to the question without one."""
        with_schema = self._knows_schemas
        try:
            return self._sent(question, with_schema=with_schema)
        except self._openai.APITimeoutError as error:
            raise Failed("timed out", f"{self.address}: no reply in time") from error
        except self._openai.APIStatusError as error:
            if with_schema and error.status_code in NO_SCHEMA:
                self._knows_schemas = False
                return self._called(question)
            told = f"{self.address}: {error}"
            raise _refused(error.status_code, told, error.response.headers) from error
        except (self._openai.OpenAIError, ValueError) as error:
            cause = f": {error.__cause__}" if error.__cause__ else ""
            raise Failed("error", f"{self.address}: {error}{cause}") from error

    def _sent(self, question: Question, *, with_schema: bool) -> Any:
        form = {
            "type": "json_schema",
            "json_schema": {
                "name": "labels",
                "strict": True,
                "schema": schema(len(question.nuggets)),
            },
        }
        return self._client.chat.completions.create(
            model=question.model,
            messages=question.prompt.messages(question.update, question.nuggets),
            temperature=0,
            **({"response_format": form} if with_schema else {}),
        )


def clean(text: str) -> str:
    """A text that any file and database can hold."""
    return text.encode("utf-8", "replace").decode()


def _client_library() -> Any:
    try:
        return import_module("openai")
    except ImportError as error:
        raise MatcherError("llm needs the extra 'llm': pip install openai") from error


def _read(completion: Any, count: int, address: str) -> str:
    """The text of a reply that answers the question; any other is a `Failed`."""
    choices: Any = getattr(completion, "choices", None)
    message: Any = getattr(choices[0], "message", None) if choices else None
    if message is None:
        raise Failed("error", f"{address}: a reply without a message")
    if getattr(message, "refusal", None) or choices[0].finish_reason == "content_filter":
        raise Failed("refused", getattr(message, "refusal", None) or "filtered", again=False)
    if choices[0].finish_reason == "length":
        raise Failed("cut off", "the reply stops before its end")
    if not isinstance(message.content, str):
        raise Failed("malformed", "a reply without a text")
    text = clean(message.content)
    try:
        labels_of(text, count)
    except Malformed as error:
        raise Failed("malformed", str(error)) from None
    return text


def _tokens(completion: Any, question: Question) -> tuple[int, int]:
    """What a reply took; where the endpoint does not say, about that."""
    usage = getattr(completion, "usage", None)
    told = [getattr(usage, name, None) for name in ("prompt_tokens", "completion_tokens")]
    counts = [
        each if isinstance(each, int) else guess
        for each, guess in zip(told, question.tokens, strict=True)
    ]
    return counts[0], counts[1]


def _refused(status: int, told: str, headers: Mapping[str, str]) -> Failed:
    """What a status other than success means."""
    again = status in PASSING or status >= 500
    asked = headers.get("retry-after", "") if again else ""
    wait = float(asked) if asked.isdecimal() else None  # seconds; a date is not waited for
    state = "error" if again else "refused"
    return Failed(state, told, again=again, wait=wait, hopeless=status in HOPELESS)


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

    base_url: str
    key: str
    """The environment variable that holds the key."""
    timeout: float
    """How many seconds a reply may take."""
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
        self._endpoint = Endpoint(way)
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
        likely = self._way.cost(*question.tokens)
        failed = Failed(NOT_ASKED)
        for attempt in range(self._way.attempts):
            if self._stop.wait(max(0.0, self._not_before - time.monotonic())):
                break
            if not self._account.take(likely):
                return Answer.of(question, NOT_ASKED, _limit(self._account))
            try:
                answer = self._endpoint.ask(question)
            except Failed as error:
                failed = error
                self._account.settle(likely, self._way.cost(*failed.tokens), failed.tokens)
                if failed.hopeless:
                    self._hopeless = failed.told
                    self._stop.set()
                if not failed.again or not self._waited(failed, attempt, chance):
                    break
            else:
                tokens = (answer.tokens_in, answer.tokens_out)
                self._account.settle(likely, self._way.cost(*tokens), tokens)
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


def _limit(account: Account) -> str:
    terms = account.terms
    if terms.max_calls and account.calls >= terms.max_calls:
        return f"the limit of {terms.max_calls} calls is reached"
    return f"the budget of {terms.budget:g} is reached"
