"""One call to an endpoint that speaks the protocol of OpenAI, and what came of it.

The official client does the talking; it is imported when the first question is asked. A reply that
does not answer the question is a `Failed` of one of a few kinds, which says whether to try again
and how long the endpoint asks to wait.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib import import_module
from typing import Any

from matchers.answers import ANSWERED, Answer
from matchers.errors import MatcherError
from matchers.questions import Malformed, Question, labels_of, schema

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
        told: str,
        *,
        again: bool,
        wait: float | None = None,
        hopeless: bool = False,
    ) -> None:
        super().__init__(told)
        self.state, self.told = state, clean(told)[:SHOWN]
        self.again, self.wait, self.hopeless = again, wait, hopeless
        self.tokens = (0, 0)
        """What it took all the same."""


@dataclass(frozen=True)
class Place:
    """Where an endpoint is, and how long a reply may take."""

    base_url: str
    key: str
    """The environment variable that holds the key."""
    timeout: float


class Endpoint:
    """A model that can be asked."""

    def __init__(self, place: Place) -> None:
        self._openai = _client_library()
        address = place.base_url or os.environ.get(BASE_URL) or None
        secret = os.environ.get(place.key)
        if address is None and not secret:
            raise MatcherError(
                f"llm: no endpoint to ask: set {BASE_URL} (such as http://localhost:8000/v1) or "
                f"write llm(model=NAME,base_url=URL), and set {place.key} if it wants a key"
            )
        self._client = self._openai.OpenAI(
            base_url=address, api_key=secret or "none", max_retries=0, timeout=place.timeout
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
        asked = datetime.now(UTC).isoformat(timespec="seconds")
        completion = self._called(question)
        tokens = _tokens(completion, question)
        try:
            reply = _read(completion, len(question.nuggets), self.address)
        except Failed as failed:
            failed.tokens = tokens
            raise
        answered = getattr(completion, "model", None)
        named = answered if isinstance(answered, str) and answered else question.model
        return Answer(
            question=question.key,
            model=question.model,
            prompt=question.prompt.sha256,
            messages=question.messages,
            parameters=question.parameters,
            answered=clean(named),
            state=ANSWERED,
            reply=reply,
            tokens_in=tokens[0],
            tokens_out=tokens[1],
            seconds=round(time.monotonic() - start, 3),
            asked=asked,
        )

    def _called(self, question: Question) -> Any:
        """What the endpoint sent; where it knows no schema, to the question without one."""
        with_schema = self._knows_schemas
        try:
            return self._sent(question, with_schema=with_schema)
        except self._openai.APITimeoutError as error:
            raise Failed("timed out", f"{self.address}: no reply in time", again=True) from error
        except self._openai.APIStatusError as error:
            if with_schema and error.status_code in NO_SCHEMA:
                self._knows_schemas = False
                return self._called(question)
            told = f"{self.address}: {error}"
            raise _refused(error.status_code, told, error.response.headers) from error
        except (self._openai.OpenAIError, ValueError) as error:
            cause = f": {error.__cause__}" if error.__cause__ else ""
            raise Failed("error", f"{self.address}: {error}{cause}", again=True) from error

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


def failure(question: Question, failed: Failed) -> Answer:
    """The row of a question that was not answered."""
    return Answer(
        question=question.key,
        model=question.model,
        prompt=question.prompt.sha256,
        messages=question.messages,
        parameters=question.parameters,
        answered="",
        state=failed.state,
        reply=failed.told,
        tokens_in=0,
        tokens_out=0,
        seconds=0.0,
        asked=datetime.now(UTC).isoformat(timespec="seconds"),
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
        raise Failed("error", f"{address}: a reply without a message", again=True)
    if getattr(message, "refusal", None) or choices[0].finish_reason == "content_filter":
        raise Failed("refused", getattr(message, "refusal", None) or "filtered", again=False)
    if choices[0].finish_reason == "length":
        raise Failed("cut off", "the reply stops before its end", again=True)
    if not isinstance(message.content, str):
        raise Failed("malformed", "a reply without a text", again=True)
    text = clean(message.content)
    try:
        labels_of(text, count)
    except Malformed as error:
        raise Failed("malformed", str(error), again=True) from None
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
    wait = _seconds(headers.get("retry-after")) if again else None
    state = "error" if again else "refused"
    return Failed(state, told, again=again, wait=wait, hopeless=status in HOPELESS)


def _seconds(told: str | None) -> float | None:
    """How long `Retry-After` asks to wait: seconds, or a date; None where it says neither."""
    if told is None:
        return None
    try:
        return max(0.0, float(told))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(told).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None
