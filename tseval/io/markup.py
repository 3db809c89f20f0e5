"""Tables as LaTeX, with the rules of the package booktabs, and as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from tseval.errors import visible
from tseval.records import frozen

SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "–": "--",
}
UP, DOWN = r"$\uparrow$", r"$\downarrow$"


@frozen
class LatexTable:
    """Heads and rows of cells that are LaTeX; the first column is set left, the others right."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    signature: str


def escaped(text: str) -> str:
    """A text such that LaTeX prints it as it is, in one line.

    What begins with a bracket or an asterisk would be an option of the line's end before it.
    """
    line = visible(" ".join(text.split()))
    guard = "{}" if line.startswith(("[", "*")) else ""
    return guard + "".join(SPECIAL.get(character, character) for character in line)


def latex_bytes(table: LatexTable) -> bytes:
    """One `tabular` and nothing else; the signature is a comment in it."""
    sides = "l" + "r" * (len(table.heads) - 1)
    comment = visible(table.signature.replace("\n", " "))
    lines = [rf"\begin{{tabular}}{{{sides}}}", f"% {comment}", r"\toprule"]
    lines += [_line(table.heads), r"\midrule", *map(_line, table.rows)]
    lines += [r"\bottomrule", r"\end{tabular}"]
    return ("\n".join(lines) + "\n").encode()


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


NUMBERS = 'style="text-align: right"'


def html_table(heads: Sequence[str], rows: Sequence[Sequence[str]], names: int) -> str:
    """A table; so many first columns are set left, the others right."""
    lines = [_html_row("th", heads, names), *(_html_row("td", row, names) for row in rows)]
    return "\n".join(["<table>", *lines, "</table>"])


def _html_row(tag: str, cells: Sequence[str], names: int) -> str:
    sides = ["" if at < names else f" {NUMBERS}" for at in range(len(cells))]
    shown = (
        f"<{tag}{side}>{escape(cell)}</{tag}>" for side, cell in zip(sides, cells, strict=True)
    )
    return f"<tr>{''.join(shown)}</tr>"


def html_signature(signature: str) -> str:
    """The signature below a table."""
    return f"<p><small><code>{escape(signature)}</code></small></p>"
