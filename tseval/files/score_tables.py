"""Scores as tables for pages: Markdown for pull requests, LaTeX for papers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from tseval.errors import visible
from tseval.tables.scores import ScoreFile

DECIMALS = 4
SMALLEST = 0.5 * 10**-DECIMALS
"""Below this, four decimals are all 0."""
UNDEFINED = "–"


def shown(value: float | None) -> str:
    """A value for people; a dash where it is undefined."""
    return UNDEFINED if value is None else number(value)


def number(value: float) -> str:
    """Four decimals, or three digits where four decimals would show nothing."""
    return f"{value:.3g}" if 0 < abs(value) < SMALLEST else f"{value:.{DECIMALS}f}"


def score_rows(scores: ScoreFile) -> tuple[list[str], list[list[str]], int]:
    """Heads, a row for each run and topic with a column for each measure, and how many are names.

    Runs or topics of which there is one alone have no column.
    """
    measures = list(dict.fromkeys(record.measure for record in scores.records))
    runs, topics = len(scores.runs) > 1, len({record.topic for record in scores.records}) > 1
    rows = []
    for (run, topic), group in groupby(scores.records, lambda record: record[:2]):
        values = {record.measure: shown(record.value) for record in group}
        names = [*([run] if runs else []), *([topic] if topics else [])]
        rows.append([*names, *(values.get(name, "") for name in measures)])
    heads = [*(["run"] if runs else []), *(["topic"] if topics else [])]
    return [*heads, *(head(each, scores.units) for each in measures)], rows, len(heads)


def head(measure: str, units: Mapping[str, str]) -> str:
    """What stands above a measure's values: its name, and the unit if it has one."""
    return f"{measure} [{units[measure]}]" if measure in units else measure


def markdown_scores(scores: ScoreFile) -> bytes:
    """A table of Markdown with the signature below."""
    heads, rows, names = score_rows(scores)
    return "\n".join(
        [*markdown_table(heads, rows, names), "", f"`{scores.signature}`", ""]
    ).encode()


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]], names: int) -> list[str]:
    """The lines of a table; so many first columns are set left, the others right."""
    sides = [":---" if at < names else "---:" for at in range(len(heads))]
    return [_line(each) for each in (heads, sides, *rows)]


def _line(cells: Sequence[str]) -> str:
    escaped_cells = (visible(" ".join(cell.split())).replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped_cells)} |"


def latex_scores(scores: ScoreFile) -> bytes:
    """One `tabular`; a run alone has its name in the first column."""
    from tseval.files.latex import LatexTable, escaped, latex_bytes

    heads, rows, names = score_rows(scores)
    if not names:
        heads, rows = ["run", *heads], [[scores.runs[0], *row] for row in rows]
    cells = [[escaped(cell) for cell in row] for row in rows]
    return latex_bytes(LatexTable([escaped(head) for head in heads], cells, scores.signature))
