"""Text that is safe on a page, and the elements of drawings.

No text can become markup: it is escaped unless it is `Markup`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import escape
from typing import TypeAlias

LONG = 24
"""A run's name of so many characters stands whole on a telephone too."""
VOID = {"path", "line", "circle", "rect"}
"""Elements that hold nothing."""
UNFIT = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufdd0-\\ufdef\\ufffe\\uffff]"
)
"""Controls, ends of lines, turns of direction, halves of characters, and no characters at all."""


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()

    def __html__(self) -> str:
        """Return what a template takes as it is."""
        return self


Child: TypeAlias = "str | Iterable[Child]"
Attributes: TypeAlias = "Mapping[str, object]"


def element(name: str, attributes: Attributes | None = None, *children: Child) -> Markup:
    """An element; an attribute that is None or False is left out, one that is True is bare."""
    opened = f"<{name}{attributes_of(attributes or {})}>"
    if name in VOID:
        return Markup(f"{opened[:-1]}/>")
    return Markup(f"{opened}{joined(children)}</{name}>")


def line(kind: str | None, start: tuple[float, float], end: tuple[float, float]) -> Markup:
    """A line of a drawing from one place to another."""
    ends = {"x1": start[0], "x2": end[0], "y1": start[1], "y2": end[1]}
    return element("line", {"class": kind, **ends})


def text(kind: str, spot: tuple[float, float], words: str, transform: str | None = None) -> Markup:
    """Words in a drawing."""
    place = {"class": kind, "x": spot[0], "y": spot[1], "transform": transform}
    return element("text", place, words)


def attributes_of(attributes: Attributes) -> str:
    """Attributes as they stand in a tag."""
    written = []
    for name, value in attributes.items():
        if value is True:
            written.append(f" {name}")
        elif value is not None and value is not False:
            written.append(f' {name}="{escape(visible_text(str(value)))}"')
    return "".join(written)


def joined(children: Iterable[Child]) -> Markup:
    """Children in their order; text among them is escaped."""
    return Markup("".join(map(_child, children)))


def _child(child: Child) -> str:
    if isinstance(child, Markup):
        return child
    return escape(visible_text(child), quote=False) if isinstance(child, str) else joined(child)


def visible_text(text: str) -> str:
    """Text without what a page can't hold or should not obey.

    Controls, lone surrogates and what turns the direction of all that follows are replaced. Each
    character stays one character, so that places in the text stay true; marks that join letters
    or belong to a script stay.
    """
    return text if text.isascii() and text.isprintable() else UNFIT.sub(_replaced, text)


def _replaced(found: re.Match[str]) -> str:
    return " " if found[0].isspace() else "\N{REPLACEMENT CHARACTER}"


def run_name(name: str) -> Markup:
    """A run's name: it breaks over lines only where it is too long to stand whole."""
    return element("bdi", {"class": "run" if len(name) <= LONG else "long run"}, name)
