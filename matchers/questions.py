"""What a language model is asked, and how its replies are read.

A question shows the whole of one update and a list of nuggets, and asks for a label of each. It is
known by a hash of everything that can change the reply: the model, the prompt, the messages and
the parameters. A reply counts only if it has exactly one known label for each nugget.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from matchers.errors import MatcherError
from matchers.home import expanded

LABELS = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
"""The labels that a nugget can have, and the score of each."""

OWN_PROMPTS = Path(__file__).with_name("prompts")
SUFFIX = ".txt"
DIVIDER = "\n---\n"
"""In a prompt's file what comes before it is the system's message, what follows the user's."""
PLACES = ("update", "nuggets", "count")
"""What stands in braces where a prompt wants it filled in."""

_PLACE = re.compile("{(" + "|".join(PLACES) + ")}")
_FENCE = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL)
_LINE_END = re.compile("[\x7f-\x9f\u2028\u2029]")  # what JSON leaves as it is
_LINE = re.compile(r"\s*(\d+)\s*[:.]\s*(\w+)\s*")


class Malformed(ValueError):
    """A reply that is not one known label for each nugget; its text says what is wrong."""


class Prompt(NamedTuple):
    """What is said to a model around the texts; `sha256` is that of the file."""

    system: str
    user: str
    sha256: str

    def messages(self, update: str, nuggets: Sequence[str]) -> list[dict[str, str]]:
        """The messages of one question, texts as JSON strings, which nothing in them can leave."""
        numbered = (f"{number}: {quoted(text)}" for number, text in enumerate(nuggets, 1))
        filled = {
            "update": quoted(update),
            "nuggets": "\n".join(numbered),
            "count": str(len(nuggets)),
        }
        user = _PLACE.sub(lambda place: filled[place[1]], self.user)
        parts = [("system", self.system), ("user", user)]
        return [{"role": role, "content": text} for role, text in parts if text]


def prompt(name: str) -> Prompt:
    """The prompt of a name, or that in the file of this path; a `MatcherError` where there is none.

    A name without a separator and a suffix is one of this package.
    """
    own = OWN_PROMPTS / f"{name}{SUFFIX}"
    is_name = "/" not in name and "\\" not in name and "." not in name
    file = own if is_name else expanded(name)
    try:
        state = file.stat()
        return _read(file, (state.st_size, state.st_mtime_ns, state.st_ino))
    except (OSError, UnicodeDecodeError) as error:
        known = ", ".join(sorted(each.stem for each in OWN_PROMPTS.glob(f"*{SUFFIX}")))
        raise MatcherError(
            f"llm: the prompt {name!r} cannot be read ({error}); give the path of a file in UTF-8, "
            f"such as ./mine.txt, or one of: {known}"
        ) from error


@lru_cache(maxsize=16)
def _read(file: Path, state: tuple[int, ...]) -> Prompt:  # noqa: ARG001 - a changed file is another
    content = file.read_bytes()
    text = content.decode("utf-8").replace("\r\n", "\n").strip("\n")
    system, divided, user = text.rpartition(DIVIDER)
    for place in ("update", "nuggets"):
        if f"{{{place}}}" not in user:
            where = f"after its line {DIVIDER.strip()!r}" if divided else "anywhere"
            raise MatcherError(f"llm: the prompt {str(file)!r} has no {{{place}}} {where}")
    return Prompt(system, user, hashlib.sha256(content).hexdigest())


@dataclass(frozen=True)
class Question:
    """One call: an update, some nuggets, and what they are asked with."""

    model: str
    prompt: Prompt
    update: str
    nuggets: tuple[str, ...]
    run: int
    """Which of several runs of the same questions it belongs to."""

    @cached_property
    def messages(self) -> str:
        """The messages as JSON."""
        return canonical(self.prompt.messages(self.update, self.nuggets))

    @cached_property
    def parameters(self) -> str:
        """The parameters of the call that can change the reply, as JSON."""
        return _parameters(self.run, len(self.nuggets))

    @cached_property
    def key(self) -> str:
        """The hash of everything that can change the reply."""
        return key_of(self.model, self.prompt.sha256, self.messages, self.parameters)

    @property
    def tokens(self) -> tuple[int, int]:
        """About how many tokens go in and come out: four bytes each, and nine for each label."""
        return -(-len(self.messages.encode()) // 4) + 8, 5 + 9 * len(self.nuggets)


@lru_cache(maxsize=64)
def _parameters(run: int, count: int) -> str:
    return canonical({"run": run, "schema": schema(count), "temperature": 0})


def key_of(model: str, prompt_sha256: str, messages: str, parameters: str) -> str:
    """The name of a question in the cache, on any machine."""
    parts = canonical([model, prompt_sha256, messages, parameters])
    return hashlib.sha256(parts.encode()).hexdigest()


def canonical(value: object) -> str:
    """A value as the one JSON text that it has here."""
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))


@lru_cache(maxsize=1 << 12)
def quoted(text: str) -> str:
    """A text as a JSON string on one line; what no encoding knows becomes a question mark."""
    shown = json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False)
    return _LINE_END.sub(lambda end: f"\\u{ord(end[0]):04x}", shown)


@lru_cache(maxsize=16)
def schema(count: int) -> dict[str, Any]:
    """The JSON schema of a reply about so many nuggets."""
    numbers = [str(number) for number in range(1, count + 1)]
    return {
        "type": "object",
        "properties": {number: {"type": "string", "enum": list(LABELS)} for number in numbers},
        "required": numbers,
        "additionalProperties": False,
    }


def labels_of(reply: str, count: int) -> tuple[str, ...]:
    """The label of each nugget in their order; anything but exactly these is `Malformed`.

    A reply is a JSON object with a key for each number, a list of as many labels, or a line
    `NUMBER: LABEL` for each; it may stand in a fence.
    """
    fenced = _FENCE.fullmatch(reply)
    text = (fenced[1] if fenced else reply).strip()
    labels = _listed(text, count)
    if len(labels) != count:
        raise Malformed(f"{len(labels)} labels for {count} nuggets")
    for label in labels:
        if not isinstance(label, str) or label not in LABELS:
            raise Malformed(f"the label {str(label)[:40]!r}, which is none of {', '.join(LABELS)}")
    return tuple(labels)


def _listed(text: str, count: int) -> list[Any]:
    """What stands for labels in a reply, in order of the nuggets."""
    if text.startswith("{"):
        return _of_object(text, count)
    if text.startswith("["):
        try:
            listed = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            raise Malformed("a list that cannot be read") from None
        return listed if isinstance(listed, list) else [listed]
    found = [_LINE.fullmatch(line) for line in text.splitlines() if line.strip()]
    if not found or not all(found):
        raise Malformed("neither a JSON object nor lines of number and label")
    return _in_order([(each[1], each[2]) for each in found if each], count)


def _of_object(text: str, count: int) -> list[Any]:
    try:
        pairs = json.loads(text, object_pairs_hook=list)
    except (ValueError, RecursionError):
        raise Malformed("JSON that cannot be read") from None
    if len(pairs) == 1 and pairs[0][0] == "labels" and isinstance(pairs[0][1], list):
        inside = pairs[0][1]
        return _in_order(inside, count) if inside and isinstance(inside[0], tuple) else inside
    return _in_order(pairs, count)


def _in_order(pairs: Sequence[tuple[str, Any]], count: int) -> list[Any]:
    """The values of the numbers 1 to `count`, each of which stands there once."""
    values = dict(pairs)
    if len(values) < len(pairs):
        doubled = next(key for key in values if sum(key == other for other, _ in pairs) > 1)
        raise Malformed(f"the nugget {str(doubled)[:40]!r} twice")
    numbers = [str(number) for number in range(1, count + 1)]
    if set(values) != set(numbers):
        wrong = sorted(set(values) ^ set(numbers))[0]
        more = "a label for nugget" if wrong in values else "no label for nugget"
        raise Malformed(f"{more} {str(wrong)[:40]!r} of {count}")
    return [values[number] for number in numbers]
