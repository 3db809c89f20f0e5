"""Names with parameters: ``fuzzy(word=80,threshold=0.55)``, read and printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from matchers.errors import MatcherError

_NAME = re.compile(r"\s*([\w.-]+)\s*(?:\((.*)\)\s*)?", re.DOTALL)
_WEIGHTED = re.compile(r"\s*([\w.+-]+)\s*\*(.*)", re.DOTALL)
DEEPEST = 16
"""So many brackets may stand in one another."""
_KEY = re.compile(r"\s*(\w+)\s*=(.*)", re.DOTALL)


class Name(NamedTuple):
    """A name taken apart: what stands before the bracket, bare values, and ``key=value`` ones.

    Values are texts still; one may be a whole name with a bracket of its own.
    """

    name: str
    bare: tuple[str, ...]
    named: dict[str, str]


def parse(text: str) -> Name:
    """Take `text` apart; blanks around names, keys and values do not count.

    Raises `MatcherError` for unbalanced brackets, an empty value or a key given twice.
    """
    found = _NAME.fullmatch(text)
    if found is None:
        raise MatcherError(f"not a matcher's name: {text!r}; write it as name(key=value,...)")
    bare: list[str] = []
    named: dict[str, str] = {}
    for value in _values(found[2] or "", text):
        pair = _KEY.fullmatch(value)
        key, value = (pair[1], pair[2].strip()) if pair else ("", value.strip())
        if not value or key in named:
            raise MatcherError(f"{'no value' if not value else f'{key} twice'} in {text!r}")
        if key:
            named[key] = value
        else:
            bare.append(value)
    return Name(found[1], tuple(bare), named)


def show(name: str, parameters: dict[str, object]) -> str:
    """The name that `parse` takes apart into these parts; no brackets without parameters."""
    values = ",".join(f"{key}={show_value(value)}" for key, value in parameters.items())
    return f"{name}({values})" if values else name


def weighted(text: str) -> tuple[float, str]:
    """A value such as ``0.7*fuzzy(word=85)`` as its weight and the rest; without one it is 1.

    Raises `MatcherError` for a weight that is no number.
    """
    found = _WEIGHTED.fullmatch(text)
    if found is None:
        return 1.0, text
    try:
        return float(found[1]), found[2]
    except ValueError:
        raise MatcherError(f"a weight is a number, not {found[1]!r}, in {text!r}") from None


def show_weighted(weight: float, value: str) -> str:
    """What `weighted` takes apart; a weight of 1 is not shown."""
    return value if weight == 1 else f"{show_value(weight)}*{value}"


def show_value(value: object) -> str:
    """A value as it stands in a name: ``true``, ``80``, ``0.55``, and its own text otherwise."""
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _values(inside: str, whole: str) -> Iterator[str]:
    """Split at the commas that stand in no inner bracket."""
    if not inside.strip():
        return
    depth = start = 0
    for place, character in enumerate(inside):
        depth += (character == "(") - (character == ")")
        if depth < 0:
            break
        if depth > DEEPEST:
            raise MatcherError(f"more than {DEEPEST} brackets in one another: {whole[:80]!r} …")
        if character == "," and depth == 0:
            yield inside[start:place]
            start = place + 1
    if depth:
        raise MatcherError(f"brackets do not pair up in {whole!r}")
    yield inside[start:]
