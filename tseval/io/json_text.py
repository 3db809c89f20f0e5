"""JSON of which nothing is lost: an object that has a key twice is refused.

The usual readers keep the last of the two values without a word, others the first. A key written
with escapes is the key that they stand for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from tseval.io.inputs import Input

KEY_CURE = "readers of JSON silently keep one of the two: remove the other, or rename it"
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:]', re.DOTALL)


class DoubledKey(ValueError):
    """An object with a key that stands twice."""

    def __init__(self, key: str) -> None:
        super().__init__(f'the key "{key}" stands twice in one object')


def once(members: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """The members of an object, each of which may stand once: for `json`'s `object_pairs_hook`."""
    found = dict(members)
    if len(found) < len(members):
        raise DoubledKey(doubled(members)[0])
    return found


def doubled(members: Sequence[tuple[str, Any]]) -> list[str]:
    """The keys that stand more than once, each once, in the order of the object."""
    seen: set[str] = set()
    twice: dict[str, None] = {}
    for key, _ in members:
        if key in seen:
            twice[key] = None
        seen.add(key)
    return list(twice)


# Kept, since making a decoder takes as long as reading a line with it.
_DECODER = json.JSONDecoder(object_pairs_hook=once)
_OF_TEXTS = json.JSONDecoder(object_pairs_hook=once, parse_float=str, parse_int=str)


def load(text: str | bytes, *, numbers_as_text: bool = False) -> Any:
    """What `json.loads` gives, numbers as written if asked for; a doubled key is a `DoubledKey`."""
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    elif text.startswith("\ufeff"):
        return json.loads(text)  # which refuses it
    return (_OF_TEXTS if numbers_as_text else _DECODER).decode(text)


def fault_of(text: str, error: Exception, cure: str) -> tuple[int, str, str, str]:
    """The line, the reason, the cure and the code of a document that `load` refuses."""
    if isinstance(error, DoubledKey):
        return _line_of_doubled(text), str(error), KEY_CURE, "duplicate-key"
    return getattr(error, "lineno", 1), f"not JSON: {error}", cure, "json-syntax"


def _line_of_doubled(text: str) -> int:
    """The line of the first key that stands in its object a second time."""
    levels: list[set[str]] = []
    before = ""
    for token in _TOKENS.finditer(text):
        sign = token[0]
        if sign in ("{", "["):
            levels.append(set())
        elif sign in ("}", "]"):
            levels.pop()
        elif sign == ":":
            key = json.loads(before)
            if key in levels[-1]:
                return text.count("\n", 0, token.start()) + 1
            levels[-1].add(key)
        before = sign
    return 1


def holds_key(source: Input, name: str) -> bool:
    """Whether a key of this name stands anywhere, however it is written."""
    keys = {json.dumps(name, ensure_ascii=ascii_alone).encode() for ascii_alone in (True, False)}
    return any(key in block for block in source.blocks() for key in keys)
