"""Plain tables: a caption, heads, rows; wide ones scroll in a frame."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from tseval.reporting.page.markup import Child, Markup, element

NUMBER = {"class": "number"}
"""The attributes of a cell that holds a number."""


def listing(
    label: str,
    heads: Sequence[str],
    rows: Iterable[Iterable[Markup]],
    *,
    numbers: Collection[str] = (),
    caption: Child | None = None,
    kind: str | None = None,
) -> Markup:
    """A table in its frame; without a caption to show, the label is for those who can't see it.

    Heads that are among `numbers` stand at the right, as the numbers below them do.
    """
    named = [
        element("th", {"scope": "col", "class": "number" if head in numbers else None}, head)
        for head in heads
    ]
    title = (
        element("caption", {"class": "unseen"}, label)
        if caption is None
        else element("caption", None, caption)
    )
    table = element(
        "table",
        {"class": kind},
        title,
        element("thead", None, element("tr", None, named)),
        element("tbody", None, [element("tr", None, row) for row in rows]),
    )
    return scrolled(table, label)


def scrolled(content: Markup, label: str) -> Markup:
    """A wide thing in a frame that scrolls, by the keyboard too."""
    frame = {"class": "scroll", "tabindex": 0, "role": "region", "aria-label": label}
    return element("div", frame, content)
