"""An endpoint that speaks the protocol of OpenAI: a question to it, and what comes of it.

The official client does the talking; it is imported when the first question is asked.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from matchers.answers import ANSWERED, Answer, Malformed, Question, labels_of, schema
from matchers.errors import MatcherError

BASE_URL, API_KEY = "OPENAI_BASE_URL", "OPENAI_API_KEY"
HOPELESS = {401, 403, 404}
"""Whoever answers so will say the same to every question: the key or the model is wrong."""
NO_SCHEMA = {400, 422}
"""Whoever answers so may know no JSON schema: the question is asked again without one."""
PASSING = {408, 409, 425, 429}
"""What may be otherwise in a while, as are all states from 500 on."""
SHOWN = 200
"""So many characters of what an endpoint says are told."""


@dataclass(eq=False)
class Failed(Exception):
    """A question that was not answered: the state, what the endpoint said, and what may help."""

    state: str
    told: str = ""
    again: bool = True
    """Whether it may be answered when it is asked again."""
    wait: float | None = None
    """How many seconds the endpoint asks to wait."""
    hopeless: bool = False
    """Whether no question will be answered."""
    tokens: tuple[int, int] = (0, 0)
    """What it took all the same."""

    def __post_init__(self) -> None:
        self.told = clean(self.told)[:SHOWN]


class Endpoint:
    """A model that can be asked."""

    def __init__(self, base_url: str, key: str, timeout: float) -> None:
        try:
            self._openai: Any = import_module("openai")
        except ImportError as error:
            raise MatcherError("llm needs the extra 'llm': pip install openai") from error
        address = base_url or os.environ.get(BASE_URL) or None
        secret = os.environ.get(key)
        if address is None and not secret:
            raise MatcherError(
                f"llm: no endpoint to ask: set {BASE_URL} (such as http://localhost:8000/v1) or "
                f"write llm(model=NAME,base_url=URL), and set {key} if it wants a key"
            )
        self._client = self._openai.OpenAI(
            base_url=address, api_key=secret or "none", max_retries=0, timeout=timeout
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
        completion = self._call(question)
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

    def _call(self, question: Question) -> Any:
        """What the endpoint sent; where it knows no schema, to the question without one."""
        labels = {"name": "labels", "strict": True, "schema": schema(len(question.nuggets))}
        form = {"response_format": {"type": "json_schema", "json_schema": labels}}
        with_schema = self._knows_schemas
        try:
            return self._client.chat.completions.create(
                model=question.model,
                messages=question.prompt.messages(question.update, question.nuggets),
                temperature=0,
                **(form if with_schema else {}),
            )
        except self._openai.APITimeoutError as error:
            raise Failed("timed out", f"{self.address}: no reply in time") from error
        except self._openai.APIStatusError as error:
            status = error.status_code
            if with_schema and status in NO_SCHEMA:
                self._knows_schemas = False
                return self._call(question)
            again = status in PASSING or status >= 500
            asked = error.response.headers.get("retry-after", "") if again else ""
            wait = float(asked) if asked.isdecimal() else None  # seconds; a date is not waited for
            state, told = "error" if again else "refused", f"{self.address}: {error}"
            raise Failed(state, told, again, wait, status in HOPELESS) from error
        except (self._openai.OpenAIError, ValueError) as error:
            cause = f": {error.__cause__}" if error.__cause__ else ""
            raise Failed("error", f"{self.address}: {error}{cause}") from error


def clean(text: str) -> str:
    """A text that any file and database can hold."""
    return text.encode("utf-8", "replace").decode()


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
