"""Writing scores: for programs in full precision, and as tables for pages."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from html import escape
from itertools import groupby
from typing import Any, NamedTuple

from tseval.errors import visible
from tseval.io.inputs import InputRecord
from tseval.io.rows import result_object_bytes
from tseval.records import frozen

UNDEFINED = "undefined"
"""What stands for an undefined value in the form `trec`."""


class ScoreRecord(NamedTuple):
    """One value of a run; None is undefined."""

    run: str
    topic: str
    measure: str
    value: float | None


class Undefined(NamedTuple):
    """A measure of a run that is undefined in some topics, of those that it was taken in."""

    run: str
    measure: str
    topics: int
    of: int


@frozen
class ScoreFile:
    """What a file of scores tells; each form tells as much of it as it can."""

    runs: tuple[str, ...]
    records: Sequence[ScoreRecord]
    """By run, topic and measure; the topic `all` last of each run."""
    signature: str
    inputs: tuple[InputRecord, ...]
    warnings: tuple[str, ...]
    types: tuple[str, ...]
    """The topics that are information types."""
    undefined: Sequence[Undefined]
    weights: Sequence[ScoreRecord]
    """What values of topics weigh, where `all` is a quotient of sums."""
    units: Mapping[str, str] = field(default_factory=dict)
    """What measures are counted in, by their names, for tables that people read."""

    @property
    def groups(self) -> dict[str, Sequence[Any]]:
        """The types and the weights by their keys, where there are any."""
        keys = (*ScoreRecord._fields[:3], "weight")
        weights = [dict(zip(keys, each, strict=True)) for each in self.weights]
        return {key: each for key, each in (("types", self.types), ("weights", weights)) if each}


def trec_bytes(scores: ScoreFile) -> bytes:
    """`measure<TAB>topic<TAB>value`, the topic `all` last; several runs have a column before."""
    many = len(scores.runs) > 1
    lines = []
    for run, topic, measure, value in scores.records:
        shown = UNDEFINED if value is None else repr(value)
        lines.append("\t".join(([run] if many else []) + [measure, topic, shown]))
    return "".join(f"{line}\n" for line in lines).encode()


def csv_bytes(scores: ScoreFile) -> bytes:
    """Tidy rows; an undefined value is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([ScoreRecord._fields, *scores.records])
    return out.getvalue().encode()


def json_bytes(scores: ScoreFile) -> bytes:
    """The scores with their signature, inputs, warnings, undefined topics, types and weights."""
    content = {
        "inputs": [
            {"path": source.path, "sha256": source.sha256, "rows": source.rows}
            for source in scores.inputs
        ],
        "records": [record._asdict() for record in scores.records],
        "undefined": [each._asdict() for each in scores.undefined],
        "warnings": scores.warnings,
        **scores.groups,
    }
    return result_object_bytes(scores.signature, content)


def parquet_bytes(scores: ScoreFile) -> bytes:
    """Tidy rows; an undefined value is null; signature, types and weights are in the metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    told = {key: json.dumps(each) for key, each in scores.groups.items()}
    types = dict.fromkeys(ScoreRecord._fields, pa.string()) | {"value": pa.float64()}
    schema = pa.schema(types, {"signature": scores.signature, **told})
    out = io.BytesIO()
    rows = [record._asdict() for record in scores.records]
    pq.write_table(pa.Table.from_pylist(rows, schema), out)
    return out.getvalue()


# Scores as tables for pages: Markdown for pull requests, LaTeX for papers.

DECIMALS = 4
SMALLEST = 0.5 * 10**-DECIMALS
"""Below this, four decimals are all 0."""
DASH = "–"


def displayed(value: float | None) -> str:
    """A value for people; a dash where it is undefined."""
    return DASH if value is None else number(value)


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
        values = {record.measure: displayed(record.value) for record in group}
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
    texts = [
        [visible(" ".join(cell.split())).replace("|", "\\|") for cell in row]
        for row in (heads, sides, *rows)
    ]
    return [f"| {' | '.join(cells)} |" for cells in texts]


def latex_scores(scores: ScoreFile) -> bytes:
    """One `tabular`; a run alone has its name in the first column."""
    heads, rows, names = score_rows(scores)
    if not names:
        heads, rows = ["run", *heads], [[scores.runs[0], *row] for row in rows]
    cells = [[escaped(cell) for cell in row] for row in rows]
    return latex_table(list(map(escaped, heads)), cells, scores.signature)


# Tables as LaTeX, with the rules of the package booktabs, and as HTML for notebooks.

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


def escaped(text: str) -> str:
    """A text such that LaTeX prints it as it is, in one line.

    What begins with a bracket or an asterisk would be an option of the line's end before it.
    """
    line = visible(" ".join(text.split()))
    guard = "{}" if line.startswith(("[", "*")) else ""
    return guard + "".join(SPECIAL.get(character, character) for character in line)


def latex_table(heads: Sequence[str], rows: Sequence[Sequence[str]], signature: str) -> bytes:
    """One `tabular` and nothing else; the signature is a comment in it.

    Cells are LaTeX. The first column is set left, the others right.
    """
    sides = "l" + "r" * (len(heads) - 1)
    comment = visible(signature.replace("\n", " "))
    top, *below = [" & ".join(cells) + r" \\" for cells in (heads, *rows)]
    lines = [
        rf"\begin{{tabular}}{{{sides}}}",
        f"% {comment}",
        r"\toprule",
        top,
        r"\midrule",
        *below,
    ]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""]).encode()


def html_table(heads: Sequence[str], rows: Sequence[Sequence[str]], names: int) -> str:
    """A table; so many first columns are set left, the others right."""
    lines = ["<table>"]
    for tag, cells in [("th", heads), *(("td", row) for row in rows)]:
        sides = ["" if at < names else ' style="text-align: right"' for at in range(len(cells))]
        pairs = zip(sides, cells, strict=True)
        shown = (f"<{tag}{side}>{escape(cell)}</{tag}>" for side, cell in pairs)
        lines.append(f"<tr>{''.join(shown)}</tr>")
    return "\n".join([*lines, "</table>"])


def html_signature(signature: str) -> str:
    """The signature below a table."""
    return f"<p><small><code>{escape(signature)}</code></small></p>"


# All forms.

_WRITERS: dict[str, Callable[[ScoreFile], bytes]] = {
    "trec": trec_bytes,
    "csv": csv_bytes,
    "json": json_bytes,
    "parquet": parquet_bytes,
    "markdown": markdown_scores,
    "latex": latex_scores,
}
RESULT_FORMS = tuple(_WRITERS)
SUFFIXES = {"md": "markdown", "tex": "latex"}
"""Suffixes of files that are called otherwise than their form."""
WHOLE_FORMS = ("json", "parquet")
"""Those that always hold the values of topics, since they are kept for later questions."""


def score_file_bytes(scores: ScoreFile, form: str) -> bytes:
    """The file in one of `RESULT_FORMS`."""
    return _WRITERS[form](scores)
