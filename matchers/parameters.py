"""Parameters of matchers: names such as ``fuzzy(word=80,threshold=0.55)``, read and printed.

Values are read from text or Python, checked and described.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import PurePath
from typing import Any, NamedTuple

from matchers.errors import MatcherError


@dataclass(frozen=True)
class Form:
    """The form of a value: in words, and as the function that reads it.

    `read` takes a text or a Python value and returns the value kept; it raises ValueError for
    anything else.
    """

    description: str
    read: Callable[[object], Any]


def parameter(
    default: object,
    form: Form,
    meaning: str = "",
    *,
    compare: bool = True,
    shown: bool = True,
    bare: bool = False,
) -> Any:
    """A dataclass field with a default, the form of its values, and what it is for.

    One that can change no score is left out of comparisons and of the matcher's name (`compare`).
    One that came late is left out of the name while it has its default (`shown`), so that names
    stay what they were. The one that is `bare` gets the values that stand in a name without a key,
    as a tuple of texts.
    """
    told = {"form": form, "meaning": meaning, "shown": shown, "bare": bare}
    return field(default=default, compare=compare, metadata=told)


class Parameter(NamedTuple):
    """What is told of a matcher's parameter, in messages and in the documentation."""

    name: str
    default: object
    values: str
    meaning: str


def parameters_of(matcher: type) -> Iterator[Parameter]:
    """The parameters of a matcher in declared order; a plain field tells no more than its name."""
    for each in fields(matcher):
        form = each.metadata.get("form")
        values = "" if form is None else form.description
        yield Parameter(each.name, each.default, values, each.metadata.get("meaning", ""))


def threshold(default: float) -> Any:
    """The dataclass field `threshold`."""
    return parameter(default, number(0, 1), "the lowest score of a match")


def number(low: float, high: float) -> Form:
    """A number from `low` to `high`, both included; NaN is none."""

    def read(value: object) -> float:
        got = float(value) if isinstance(value, (int, float, str)) else math.nan
        if isinstance(value, bool) or not low <= got <= high:
            raise ValueError
        return got

    return Form(f"a number from {low:g} to {high:g}", read)


def integer_in(low: int, high: int) -> Form:
    """A whole number from `low` to `high`, both included."""

    def read(value: object) -> int:
        got = int(value) if isinstance(value, (int, str)) else low - 1
        if isinstance(value, bool) or not low <= got <= high:
            raise ValueError
        return got

    return Form(f"a whole number from {low} to {high}", read)


def flag() -> Form:
    """``true`` or ``false``, or Python's own."""

    def read(value: object) -> bool:
        text = str(value).lower()
        if text not in ("true", "false"):
            raise ValueError
        return text == "true"

    return Form("true or false", read)


def choice(names: Sequence[str]) -> Form:
    """One of `names`, exactly as written."""

    def read(value: object) -> str:
        if not isinstance(value, str) or value not in names:
            raise ValueError
        return value

    return Form(f"one of {', '.join(names)}", read)


def label() -> Form:
    """A name or a path: any text that could stand in a matcher's name.

    A `Path` is always a path: one of a single part is given a `./`, which text has to have.
    """

    def read(value: object) -> str:
        text = str(value) if isinstance(value, (str, PurePath)) else ""
        if isinstance(value, PurePath) and len(value.parts) == 1 and text == value.name:
            text = f"./{text}"
        if not text.strip() or set(text) & set("(),="):
            raise ValueError
        return text

    return Form("a name or a path without brackets, commas and equal signs", read)


def free_text() -> Form:
    """Any text that could stand in a matcher's name, or none."""
    named = label()
    return Form("a text", lambda value: "" if value == "" else named.read(value))


def hexadecimal() -> Form:
    """The first digits of a hash in hexadecimal, or none."""

    def read(value: object) -> str:
        if not isinstance(value, str) or not set(value.lower()) <= set("0123456789abcdef"):
            raise ValueError
        return value.lower()

    return Form("the first hexadecimal digits of a hash", read)


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
