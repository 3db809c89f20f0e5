"""Words in a picture: how wide they are, where they break, and short names that stay apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from math import fsum

from tseval.reporting.page.markup import visible_text

LONGEST = 32
"""So many characters of a name stand in a legend."""
NARROW, BROAD = set(" .,:;|!'()[]{}/\\ijlftrI-"), set("mwMW@%—…")
"""Letters that are narrower and broader than others."""


def width_of(text: str, size: float) -> float:
    """About how many pixels a text takes in a sans serif of this size; rather too many."""
    return size * fsum(map(_ems, text))


def _ems(letter: str) -> float:
    if letter in NARROW:
        return 0.34
    if letter in BROAD or unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    return 0.72 if letter.isupper() else 0.57


def wrapped(text: str, width: float, size: float) -> list[str]:
    """A text in lines no wider than so many pixels, broken after spaces, commas and bars.

    What has none of these is broken anywhere.
    """
    lines = [""]
    for piece in re.findall(r"[^ ,|]*[ ,|]+|[^ ,|]+", text):
        if lines[-1] and width_of(lines[-1] + piece.rstrip(), size) > width:
            lines.append("")
        for letter in piece:
            if lines[-1] and width_of(lines[-1] + letter.strip(), size) > width:
                lines.append("")
            lines[-1] += letter
    return lines


def unique_labels(names: Sequence[str]) -> dict[str, str]:
    """A short label for every name; two that would read the same are numbered."""
    labels: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        label = shortened(visible_text(name)).strip() or "(no name)"
        number, candidate = 1, label
        while candidate in taken:
            number += 1
            candidate = f"{label} #{number}"
        labels[name] = candidate
        taken.add(candidate)
    return labels


def shortened(name: str, longest: int = LONGEST) -> str:
    """A name, or its two ends around an ellipsis: runs often differ in their last words."""
    if len(name) <= longest:
        return name
    tail = longest // 2 - 1
    return f"{name[: longest - tail - 1]}…{name[-tail:]}"
