"""Tables as HTML, for notebooks that show a value by its `_repr_html_`."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

NUMBERS = 'style="text-align: right"'


def html_table(heads: Sequence[str], rows: Sequence[Sequence[str]], names: int) -> str:
    """A table; so many first columns are set left, the others right."""
    lines = [_row("th", heads, names), *(_row("td", row, names) for row in rows)]
    return "\n".join(["<table>", *lines, "</table>"])


def _row(tag: str, cells: Sequence[str], names: int) -> str:
    sides = ["" if at < names else f" {NUMBERS}" for at in range(len(cells))]
    shown = (
        f"<{tag}{side}>{escape(cell)}</{tag}>" for side, cell in zip(sides, cells, strict=True)
    )
    return f"<tr>{''.join(shown)}</tr>"


def html_signature(signature: str) -> str:
    """The signature below a table."""
    return f"<p><small><code>{escape(signature)}</code></small></p>"
