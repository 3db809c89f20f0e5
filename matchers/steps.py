"""Steps of the normaliser that a matcher may be asked for: what people write in several ways.

Each step rewrites a text before its words are looked for. The steps asked for are part of a
matcher's name, and taken in the order of `STEPS`, whatever the order in which they are named.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from matchers.pairs import Block, MatcherGold
from matchers.parameters import Form, parameter


class Step(NamedTuple):
    """What is looked for in a text, and what is written in its place."""

    pattern: re.Pattern[str]
    written: Callable[[re.Match[str]], str]
    meaning: str


_MAGNITUDES = {"k": "thousand", "m": "million", "b": "billion", "t": "trillion"}
_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
_UNITS += " fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_VALUES = {word: value for value, word in enumerate(_UNITS.split())}
_VALUES |= {word: 10 * value for value, word in enumerate(_TENS.split(), start=2)}
_COUNTED = sorted(_VALUES.keys() - {"zero", "one"})
_UP_TO_NINE = "|".join(_UNITS.split()[1:10])


def _amount(found: re.Match[str]) -> str:
    return f"{found[1]}{found[2]} {_MAGNITUDES[found[3][0].lower()]}"


def _decimal(found: re.Match[str]) -> str:
    return re.sub(r",(?=\d{3})", "", found[0]).replace(".", "_").replace(",", " ")


def _numeral(found: re.Match[str]) -> str:
    return str(sum(_VALUES[word] for word in re.findall("[a-z]+", found[0].lower())))


def _numerals() -> str:
    """A pattern of numbers in words; it begins with their first letters, which is quick."""
    rest: dict[str, list[str]] = {first: [] for first in "efnst"}
    for word in _COUNTED:
        joined = rf"(?:[- ](?:{_UP_TO_NINE}))?" if word in _TENS.split() else ""
        rest[word[0]].append(word[1:] + joined + r"\b")
    ends = "|".join(f"(?<={first})(?:{'|'.join(sorted(each))})" for first, each in rest.items())
    return rf"[efnst](?<!\w\w)(?:{ends})"


STEPS = {
    "amounts": Step(
        re.compile(r"([$€£¥])\s?(\d+(?:[.,]\d+)*)\s?(k|mn|mln|m|bn|b|trn|tn)\b", re.IGNORECASE),
        _amount,
        "$15m is $15 million",
    ),
    "decimals": Step(
        re.compile(
            r"\d(?<![\d.,]\d)(?:\d{0,2}(?:,\d{3})+(?:\.\d+)?|\d*\.\d+)(?![.,]?\d)", re.ASCII
        ),
        _decimal,
        "1,200 is 1200, and 2.3 is one word, 2_3",
    ),
    "percent": Step(
        re.compile(r"[%p](?:(?<=%)|(?<!\w\w)(?:er\s+cent|ct)\b)", re.IGNORECASE),
        lambda _: " percent ",
        "% is percent, and so is per cent",
    ),
    "contractions": Step(
        re.compile(r"['’](?<=n.)(?=t\b)", re.IGNORECASE),
        lambda _: "",
        "don't is dont",
    ),
    "numerals": Step(
        re.compile(_numerals(), re.IGNORECASE),
        _numeral,
        "two to ninety-nine are numbers; one is not, since it is a pronoun as well",
    ),
}
"""The steps by their names, in the order in which they are taken."""

ALL = "+".join(STEPS)
"""All steps, as a matcher's name has them."""


def steps_parameter() -> Any:
    """The dataclass field `steps`: none, which a name need not show."""
    known = ", ".join(STEPS)
    form = Form(f"steps of the normaliser with + between, of {known}; or all", _read)
    meaning = "the rewriting steps before words are compared, such as for numbers"
    return parameter("", form, meaning, shown=False)


def _read(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError
    asked = set(STEPS if value == "all" else filter(None, value.split("+")))
    if not asked <= STEPS.keys():
        raise ValueError
    return "+".join(name for name in STEPS if name in asked)


@cache
def _chosen(steps: str) -> tuple[Step, ...]:
    return tuple(STEPS[name] for name in steps.split("+") if name)


def rewritten(text: str, steps: str) -> str:
    """The text after these steps."""
    for step in _chosen(steps):
        text = step.pattern.sub(step.written, text)
    return text


class Traced(NamedTuple):
    """A rewritten text, and for each of its characters the stretch of the original it is from."""

    text: str
    origins: list[tuple[int, int]]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the original that a stretch of the rewritten text comes from."""
        starts, ends = zip(*self.origins[start:end], strict=True)
        return min(starts), max(ends)


def traced(text: str, steps: str) -> Traced:
    """The text after these steps, with origins; slower than `rewritten`, which gives the same."""
    now = Traced(text, [(place, place + 1) for place in range(len(text))])
    for step in _chosen(steps):
        parts: list[str] = []
        origins: list[tuple[int, int]] = []
        done = 0
        for found in step.pattern.finditer(now.text):
            first, last = found.span()
            new = step.written(found)
            parts += [now.text[done:first], new]
            origins += [*now.origins[done:first], *[now.span(first, last)] * len(new)]
            done = last
        text = "".join([*parts, now.text[done:]])
        now = Traced(text, [*origins, *now.origins[done:]])
    return now


@dataclass(frozen=True, eq=False)
class RewrittenGold:
    """Nuggets that were rewritten, against which updates are held that are rewritten too."""

    gold: MatcherGold
    steps: str

    def block(self, texts: list[str]) -> Block:
        """Rewrite updates and read them."""
        return self.gold.block([rewritten(text, self.steps) for text in texts])
