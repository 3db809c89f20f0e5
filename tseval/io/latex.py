"""Writing tables for LaTeX, with the rules of the package booktabs."""

from __future__ import annotations

from collections.abc import Sequence

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
