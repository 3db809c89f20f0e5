"""Tables for people: aligned columns, colour on a terminal alone, the signature underneath.

A number is never shortened: where a terminal is too narrow, the measures go into several tables one
below the other, and long texts are cut. Measures that are too many to stand side by side have a row
each.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tseval.errors import visible
from tseval.io.score_files import DASH, displayed, head, markdown_table, number
from tseval.io.times import TIMES, dated, early

if TYPE_CHECKING:
    import pandas as pd

    from tseval.core.scores import Scores

UNLIMITED = 100_000
"""The width where no terminal sets one: nothing is wrapped."""
GAP = 3
"""What a column takes beside its content."""
PAGE = 100
"""What a reader sees at once where no terminal sets a width."""
SIDE_BY_SIDE = 20
"""As many measures have a column each, however wide the table is."""
LONG = ("text", "update_text", "earned_text", "types", "run_types")
"""The columns that hold long texts."""
LONGEST_TEXT, SHORTEST_TEXT = 60, 20
"""Texts are cut to the first, on a narrow terminal to the second at worst."""
BOLD, FAINT = 1, 2
"""How a terminal is told to show a line."""
PLAIN_TERMINALS = ("dumb", "unknown")
"""What TERM says of those that cannot be told anything."""


class Line(NamedTuple):
    """A line to show, and how a terminal shows it; 0 is as it is."""

    text: str
    style: int = 0


def scores_table(
    scores: Scores, per_topic: bool, *, to_file: bool, notes: Sequence[str] = ()
) -> bytes:
    """Scores with a row for each run (and topic), a column for each measure, and notes below.

    Measures that are too many for that have a row each, and the runs a column.
    """
    several, measures, room = len(scores.runs) > 1, scores.measures, _room(to_file)
    records = list(scores.records(per_topic=per_topic))
    values = {record[:3]: displayed(record.value) for record in records}
    rows = list(dict.fromkeys(record[:2] for record in records))
    names = {name: head(name, scores.units) for name in measures}

    def label(run: str, topic: str) -> list[str]:
        return [*([visible(run)] if several else []), *([visible(topic)] if per_topic else [])]

    heads, labels = label("run", "topic"), [label(*row) for row in rows]
    columns = [[names[m], *(values.get((*row, m), "") for row in rows)] for m in measures]
    width = sum(map(_width, [*zip(heads, *labels, strict=True), *columns]))
    if len(measures) > SIDE_BY_SIDE and width > min(PAGE, room):
        cells = [(t, m) for t in dict.fromkeys(topic for _, topic in rows) for m in measures]
        heads = [*(["topic"] if per_topic else []), "measure"]
        labels = [[*([visible(topic)] if per_topic else []), names[m]] for topic, m in cells]
        columns = [
            [visible(run) if several else "value", *(values.get((run, *c), "") for c in cells)]
            for run in scores.runs
        ]
    taken = sum(map(_width, zip(heads, *labels, strict=True)))
    tables = [
        _table(
            [(head, "left") for head in heads] + [(column[0], "right") for column in part],
            [label + [c[i] for c in part] for i, label in enumerate(labels, start=1)],
        )
        for part in _fitting(columns, room - taken)
    ]
    return rendered([*tables, _lines(notes)], scores.signature, to_file=to_file)


def rows_table(
    frame: pd.DataFrame, signature: str, *, to_file: bool, notes: Sequence[str] = ()
) -> bytes:
    """Any frame as a table with notes below; times are dates, long texts are cut to what fits."""
    heads, sides, rows = _cells_of(with_dates(frame))
    long = [heads.index(name) for name in LONG if name in heads]
    if long:
        columns = enumerate(zip(heads, *rows, strict=True))
        others = sum(_width(column) for i, column in columns if i not in long)
        room = (_room(to_file) - others) // len(long) - GAP
        longest = min(LONGEST_TEXT, max(SHORTEST_TEXT, room))
        for row in rows:
            for at in long:
                row[at] = row[at] if len(row[at]) <= longest else row[at][: longest - 1] + "…"
    table = _table(list(zip(heads, sides, strict=True)), rows)
    return rendered([table, _lines(notes)], signature, to_file=to_file)


def _cells_of(frame: pd.DataFrame) -> tuple[list[str], list[str], list[list[str]]]:
    """The heads of a frame, the side to which each column is set, and the rows as texts."""
    heads = [visible(str(name)) for name in frame.columns]
    sides = ["right" if column.dtype.kind in "iuf" else "left" for _, column in frame.items()]
    rows = [[_cell(value) for value in row] for row in frame.itertuples(index=False, name=None)]
    return heads, sides, rows


def with_dates(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with its columns of times as people write times, if none is of another era."""
    shown = {}
    for name in [name for name in TIMES if name in frame]:
        seconds = frame[name].dropna().astype(float)
        if len(seconds) and not early(seconds).any():
            shown[name] = frame[name].map(dated, na_action="ignore")
    return frame.assign(**shown)


def sections_table(
    sections: Mapping[str, pd.DataFrame],
    signature: str,
    *,
    to_file: bool,
    notes: Sequence[str] = (),
) -> bytes:
    """Several frames one below the other, each under its heading, and notes below."""
    parts: list[list[Line]] = []
    for heading, frame in sections.items():
        heads, sides, rows = _cells_of(frame)
        parts += [_lines([heading], BOLD), _table(list(zip(heads, sides, strict=True)), rows)]
    return rendered([*parts, _lines(notes)], signature, to_file=to_file)


def sections_markdown(sections: Mapping[str, pd.DataFrame], signature: str) -> bytes:
    """The same for a pull request."""
    lines: list[str] = []
    for heading, frame in sections.items():
        heads, sides, rows = _cells_of(frame)
        lines += [f"**{heading}**", "", *markdown_table(heads, rows, sides.count("left")), ""]
    return "\n".join([*lines, f"`{signature}`", ""]).encode()


def _cell(value: object) -> str:
    if value is None or str(value) in ("nan", "<NA>", "NaT"):
        return ""
    if isinstance(value, float):
        return f"{value:.0f}" if value == int(value) else number(value)
    return visible(" ".join(str(value).split()))


def _lines(texts: Sequence[str], style: int = 0) -> list[Line]:
    return [Line(line, style) for text in texts for line in visible(text).splitlines()]


def _width(column: Sequence[str]) -> int:
    return max(map(_cells, column)) + GAP


def _cells(text: str) -> int:
    """How many cells of a terminal a text takes."""
    if text.isascii() or text == DASH:
        return len(text)
    from rich.cells import cell_len  # letters of some scripts are twice as wide, some have no width

    return cell_len(text)


def _fitting(columns: list[list[str]], room: int) -> list[list[list[str]]]:
    """The columns in parts that fit into the room, at least one in each."""
    parts: list[list[list[str]]] = [[]]
    for column in columns:
        if parts[-1] and sum(map(_width, [*parts[-1], column])) > room:
            parts.append([])
        parts[-1].append(column)
    return parts


def _room(to_file: bool) -> int:
    return shutil.get_terminal_size().columns if on_terminal(to_file) else UNLIMITED


def on_terminal(to_file: bool) -> bool:
    """Whether the output is looked at as it comes."""
    return sys.stdout.isatty() and not to_file


def _table(heads: list[tuple[str, str]], rows: list[list[str]]) -> list[Line]:
    """The lines of a table: heads, a rule, the rows, with a blank line before and after."""
    columns = [list(column) for column in zip([name for name, _ in heads], *rows, strict=True)]
    widths = [_width(column) - GAP for column in columns]

    def line(cells: Sequence[str]) -> str:
        parts = []
        for cell, width, (_, side) in zip(cells, widths, heads, strict=True):
            blank = " " * (width - _cells(cell))
            parts.append(blank + cell if side == "right" else cell + blank)
        return f" {(' ' * GAP).join(parts)}"

    rule = "─" * (sum(widths) + GAP * (len(widths) - 1))
    return [
        Line(""),
        Line(line([name for name, _ in heads]), BOLD),
        Line(f" {rule}"),
        *(Line(line(row), BOLD if "all" in row[:2] else 0) for row in rows),
        Line(""),
    ]


def rendered(parts: Sequence[Sequence[Line]], signature: str, *, to_file: bool) -> bytes:
    """Tables, texts and the signature as they are to be written."""
    styled = on_terminal(to_file) and os.environ.get("TERM", "").lower() not in PLAIN_TERMINALS
    shown = []
    for text, style in [*(each for part in parts for each in part), *_lines([signature], FAINT)]:
        line = text.rstrip()
        shown.append(f"\x1b[{style}m{line}\x1b[0m" if styled and style and line else line)
    return ("\n".join(shown).strip("\n") + "\n").encode()
