"""The normal forms of Unicode, in a time that grows as the text does.

To normalise, marks behind a letter are sorted by their class. Python moves each to its place one
step at a time: a letter with a million marks would take it hours.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache, partial
from typing import Literal, NamedTuple

from matchers import scripts

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
LONG = 1000
"""Shorter texts, in characters, are normalised as they are."""
MANY = 30
"""No letter of any language has so many marks."""
HALVED = "\uff9e\uff9f"
"""Letters that are marks at full width."""


class _Marks(NamedTuple):
    """The characters that are nothing but marks once they are taken apart."""

    run: re.Pattern[str]
    parts: Mapping[int, str]
    """Of what those consist that are taken apart."""


@cache
def _marks(apart: Literal["NFD", "NFKD"]) -> _Marks:
    of = {c: unicodedata.normalize(apart, c) for c in f"{scripts.marks()}{HALVED}"}
    marks = {c: parts for c, parts in of.items() if all(map(unicodedata.combining, parts))}
    return _Marks(
        re.compile(f"[{scripts.ranges(marks)}]+"),
        {ord(c): parts for c, parts in marks.items() if parts != c},
    )


def normal(form: Form, text: str) -> str:
    """What `unicodedata.normalize` gives, with the marks of each letter in their order before."""
    if len(text) > LONG:
        marks = _marks("NFKD" if "K" in form else "NFD")
        text = marks.run.sub(partial(_sorted, marks.parts), text)
    return unicodedata.normalize(form, text)


def _sorted(parts: Mapping[int, str], run: re.Match[str]) -> str:
    if run.end() - run.start() <= MANY:
        return run[0]
    return "".join(sorted(run[0].translate(parts), key=unicodedata.combining))
