"""The text files that the scripts of incident streams print: overall, per type, per event.

`<run>.results.<edition>.overall.txt` has the means, `.pertopic.txt` the report of each information
type (which the scripts call a topic), `.perevent.txt` the means within each event. The track called
its files otherwise; each edition knows how.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tseval.core.registry import measures
from tseval.core.scoring import scores_of
from tseval.errors import UsageError
from tseval.families.incidents.measures import confusion
from tseval.families.incidents.rules import ALERT_MEASURES, FAMILY, MEASURES_OF_2021
from tseval.records import frozen
from tseval.version import VERSION

if TYPE_CHECKING:
    import polars as pl

    from tseval.core.scores import Scores

Lines: TypeAlias = tuple[tuple[str, str], ...]
"""Words, and the measure whose value stands behind them."""
RULE = "-" * 50
PARTS = ("overall", "pertopic", "perevent")
PLAIN = "Overall performance"


@frozen
class Section:
    """A part of the overall file: its heading, and its lines as (words, measure)."""

    heading: str
    lines: Lines
    subtitle: str = PLAIN


@frozen
class TrecFiles:
    """What an edition prints: the sections, the last row for a table, and the lines of an event."""

    title: str
    """The first line: which of the track's programs prints such files."""
    sections: tuple[Section, ...]
    event_lines: Lines
    row: Mapping[str, float] = field(default_factory=dict)
    """The measures of the row, by their names, with what each is multiplied by there."""
    averages: tuple[str, ...] = ("accuracy", "macro avg", "weighted avg")
    """The last lines of the report of a type."""
    track_name: str = ""
    """What the track's file names have for the edition; nothing in 2018 and 2019."""


def _heading(title: str, subtitle: str) -> list[str]:
    return [RULE, f"EVALUATON: {title}", subtitle, RULE]


def _number(scores: Scores, run: str, measure: str, topic: str = "all") -> float:
    """A value as the scripts have it, to whom nothing is undefined."""
    return scores.value(measure, topic, run) or 0.0


def _overall(scores: Scores, files: TrecFiles, run: str) -> Iterator[str]:
    for section in files.sections:
        yield from _heading(section.heading, section.subtitle)
        separator = "\t" if section.subtitle == PLAIN else " "
        for words, measure in section.lines:
            yield f"> {words}:{separator}{_number(scores, run, measure)!r}"
        yield ""
    if files.row:
        yield from [RULE, "LATEX", RULE]
        cells = [f"{_number(scores, run, name) * by:.4f}" for name, by in files.row.items()]
        yield " & ".join([run, *cells]) + " \\\\"


def _per_event(scores: Scores, files: TrecFiles, run: str, events: Sequence[str]) -> Iterator[str]:
    yield from _heading("Information Type Categorization (Multi-type)", "Per Event Performance")
    for event in events:
        yield event
        for words, measure in files.event_lines:
            yield f"  {words}: {_number(scores, run, measure, event)!r}"
        yield ""
    yield ""


def _per_type(counts: pl.DataFrame, names: Sequence[str], files: TrecFiles) -> Iterator[str]:
    title = "Per Information Type Performance"
    yield from _heading("Information Type Categorization (Multi-type)", title)
    for kind, *numbers in counts.select("type", "both", "given", "true", "posts").iter_rows():
        yield names[kind]
        yield from _report(names[kind], files.averages, *numbers)
        yield from ["", ""]
    yield ""


def _report(
    name: str, averages: Sequence[str], both: int, given: int, true: int, posts: int
) -> Iterator[str]:
    """The table of one type against all others, with its averages."""
    neither = posts - given - true + both
    rows = {
        "Other Classes": _shares(neither, posts - given, posts - true),
        name: _shares(both, given, true),
    }
    supports = {"Other Classes": posts - true, name: true}
    width = max(map(len, (*rows, averages[-1])))
    columns = ("precision", "recall", "f1-score", "support")
    yield f"{'':>{width}} " + "".join(f" {column:>9}" for column in columns)
    yield ""
    weights = np.array([*supports.values()], np.float64)
    values = np.array([*rows.values()])
    means = {"macro avg": np.average(values, axis=0).tolist()}
    others = (weights @ values / max(posts, 1)).tolist()
    for words, shares in (*rows.items(), *((each, means.get(each, others)) for each in averages)):
        if words == averages[0]:
            yield ""
        cells = "".join(f" {share:>9.2f}" for share in shares)
        if words == "accuracy":
            cells = f" {'':>9} {'':>9} {(neither + both) / max(posts, 1):>9.2f}"
        yield f"{words:>{width}} {cells} {supports.get(words, posts):>9}"


def _shares(both: int, given: int, true: int) -> tuple[float, float, float]:
    """Precision, recall and F1."""
    pairs = ((both, given), (both, true), (2 * both, given + true))
    precision, recall, f1 = (above / below if below else 0.0 for above, below in pairs)
    return precision, recall, f1


# What each edition prints.

_KINDS = {"Precision": "P", "Recall": "R", "F1": "F1", "Accuracy": "accuracy"}
_TYPE_LINES: Lines = tuple(
    (
        f"Information Type {words} "
        f"({'overall' if words == 'Accuracy' else 'positive class'}, multi-type, macro)",
        f"type.{name}",
    )
    for words, name in _KINDS.items()
)
_ALL_LINES = _TYPE_LINES + tuple(
    (f"{group} Importance {words}", f"{name}({kind})")
    for group, kind in (("High", "actionable"), ("Low", "other"))
    for words, name in _TYPE_LINES
)
_ANY_LINES: Lines = tuple(
    (f"Information Type {words} (any valid type, micro)", f"any.{name}")
    for words, name in _KINDS.items()
)
_ALERT_LINES = (
    ("High Importance Alert Worth", "AAW.high"),
    ("Low Importance Alert Worth", "AAW.low"),
    ("Accumulated Alert Worth", "AAW"),
)
_ERROR_LINES: Lines = tuple(
    (f"Priority Estimation Error{group} (mean squared error, macro)", f"priority.MSE{kind}")
    for group, kind in (
        ("", ""),
        (" High Importance", "(actionable)"),
        (" Low Importance", "(other)"),
    )
)
_LEVEL_LINES = (("Priority Label Prediction (F1, macro)", "priority.F1"),)
_PEARSON_LINES = (
    ("Priority Correlation (Pearson)", "priority.pearson"),
    ("Priority Correlation, High (Pearson)", "priority.pearson(actionable)"),
    ("Priority Correlation, Low (Pearson)", "priority.pearson(other)"),
)
_TYPES = Section("Information Type Categorization", _ALL_LINES)
_LEVEL, _OVERALL = "Information Priority Level", "Overall Performance"
_ALERTS = TrecFiles(
    title="",
    sections=(
        Section("Alertng Performance", _ALERT_LINES),
        _TYPES,
        Section(_LEVEL, _ERROR_LINES, _OVERALL),
    ),
    event_lines=_ALL_LINES,
    row={name.replace("RMSE", "MSE"): 1.0 for name in ALERT_MEASURES},
)
_SWAPPED = {"type.P": "type.R", "type.R": "type.P"}
FILES = {
    "2018": TrecFiles(
        title="TREC-IS 2018 Notebook Evaluator v1.0",
        sections=(
            Section("Information Type Categorization (Multi-type)", _TYPE_LINES),
            Section(_LEVEL, _ERROR_LINES[:1], _OVERALL),
            Section(
                "Information Type Categorization (Any-type)",
                _ANY_LINES,
                f"{_OVERALL} (Micro Average)",
            ),
        ),
        # The script has truth and prediction in each other's place here.
        event_lines=tuple((words, _SWAPPED.get(name, name)) for words, name in _TYPE_LINES),
        averages=("avg / total",),
    ),
    "2018v2": replace(_ALERTS, title="TREC-IS 2018 Notebook Evaluator v2.0"),
    "2019a": replace(_ALERTS, title="TREC-IS 2019-A Notebook Evaluator v2.0"),
    "2019b": replace(_ALERTS, title="TREC-IS 2019-B Notebook Evaluator v2.3"),
    "2021": TrecFiles(
        title="TREC-IS 2021a Notebook Evaluator v2.8",
        track_name="2021a",
        sections=(
            Section("nDCG and Priority", (("nDCG", "nDCG@100"),)),
            _TYPES,
            Section(_LEVEL, _LEVEL_LINES, _OVERALL),
            Section("Information Priority Score", _PEARSON_LINES, "Correlational Performance"),
        ),
        event_lines=_TYPE_LINES,
        # The row divides by 25 types what the sum of 24 is.
        row={**dict.fromkeys(MEASURES_OF_2021, 1.0), "priority.pearson": 24 / 25},
    ),
}
"""What the scripts of each edition print; the others had no script."""


def official_files(
    evaluation: Any, on_missing: str | None = None, *, track_names: bool = False
) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """The files of every run by their names, and the warnings; a `UsageError` if there are none.

    `track_names` calls them as the track did.
    """
    edition, stream = evaluation.edition.name, evaluation.index
    if edition not in FILES:
        known = ", ".join(FILES)
        raise UsageError(f"edition {edition} has no files of the track; these have: {known}")
    files = FILES[edition]
    lines = (*(line for each in files.sections for line in each.lines), *files.event_lines)
    names = [*(name for _, name in lines), *files.row]
    wanted = measures(list(dict.fromkeys(names)), FAMILY)
    evaluation.check_request(wanted)
    scores = scores_of(evaluation, wanted, on_missing)
    counts = stream.add_up(confusion, by_run=True).sort("unit", "type")
    written: dict[str, bytes] = {}
    for at, run in enumerate(stream.runs):
        if "/" in run or "\0" in run or run.startswith("."):
            raise UsageError(f"run '{run}' cannot name a file: call it otherwise")
        texts = (
            _overall(scores, files, run),
            _per_type(counts.filter(unit=at), stream.types, files),
            _per_event(scores, files, run, stream.topics),
        )
        head = (f"{files.title} (as computed by tseval {VERSION})", f"Run: {run}", "")
        for part, each in zip(PARTS, texts, strict=True):
            named = files.track_name if track_names else edition
            name = ".".join(filter(None, (run, "results", named, part, "txt")))
            written[name] = "".join(f"{line}\n" for line in (*head, *each)).encode()
    return written, scores.warnings
