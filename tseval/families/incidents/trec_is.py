"""The text files that the scripts of incident streams print: overall, per type, per event.

`<run>.results.<edition>.overall.txt` has the means, `.pertopic.txt` the report of each information
type (which the scripts call a topic), `.perevent.txt` the means within each event. The track called
its files otherwise; each edition knows how.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tseval.core.registry import measures
from tseval.core.scoring import scores_of
from tseval.errors import UsageError
from tseval.families.incidents.measures import confusion
from tseval.families.incidents.rules import FAMILY
from tseval.records import frozen
from tseval.version import VERSION

if TYPE_CHECKING:
    import polars as pl

    from tseval.core.scores import Scores

Lines: TypeAlias = tuple[tuple[str, str], ...]
"""Words, and the measure whose value stands behind them."""
RULE = "-" * 50
PARTS = ("overall", "pertopic", "perevent")


@frozen
class Section:
    """A part of the overall file: its heading, and its lines as (words, measure)."""

    heading: str
    subtitle: str
    lines: Lines
    separator: str = " "


@frozen
class TrecFiles:
    """What an edition prints: the sections, the last row for a table, and the lines of an event."""

    title: str
    """The first line: which of the track's programs prints such files."""
    sections: tuple[Section, ...]
    event_lines: Lines
    row: tuple[tuple[str, float], ...] = ()
    """The measures of the row, by their names, with what each is multiplied by there."""
    averages: tuple[str, ...] = ("accuracy", "macro avg", "weighted avg")
    """The last lines of the report of a type."""
    track_name: str = ""
    """What the track's file names have for the edition; nothing in 2018 and 2019."""


def file_name(run: str, edition: str, part: str) -> str:
    """What a file is called; a run whose name cannot be a file's is refused."""
    if "/" in run or "\0" in run or run.startswith("."):
        raise UsageError(f"run '{run}' cannot name a file: call it otherwise")
    return ".".join(each for each in (run, "results", edition, part, "txt") if each)


def _heading(title: str, subtitle: str) -> list[str]:
    return [RULE, f"EVALUATON: {title}", subtitle, RULE]


def _number(scores: Scores, run: str, measure: str, topic: str = "all") -> float:
    """A value as the scripts have it, to whom nothing is undefined."""
    return scores.value(measure, topic, run) or 0.0


def _overall(scores: Scores, files: TrecFiles, run: str) -> Iterator[str]:
    for section in files.sections:
        yield from _heading(section.heading, section.subtitle)
        for words, measure in section.lines:
            yield f"> {words}:{section.separator}{_number(scores, run, measure)!r}"
        yield ""
    if files.row:
        yield from [RULE, "LATEX", RULE]
        cells = [f"{_number(scores, run, name) * factor:.4f}" for name, factor in files.row]
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
    yield from _heading(
        "Information Type Categorization (Multi-type)", "Per Information Type Performance"
    )
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
    width = max(map(len, (*rows, averages[-1])))
    yield f"{'':>{width}} " + "".join(f" {column:>9}" for column in _COLUMNS)
    yield ""
    for words, (*shares, support) in rows.items():
        yield _line(words, shares, support, width)
    yield ""
    values = np.array([row[:3] for row in rows.values()])
    weights = np.array([row[3] for row in rows.values()], np.float64)
    for words in averages:
        if words == "accuracy":
            correct = (neither + both) / max(posts, 1)
            yield f"{words:>{width}}  {'':>9} {'':>9} {correct:>9.2f} {posts:>9}"
        else:
            equal = words == "macro avg"
            means = np.average(values, axis=0) if equal else weights @ values / max(posts, 1)
            yield _line(words, means.tolist(), posts, width)


_COLUMNS = ("precision", "recall", "f1-score", "support")


def _line(name: str, shares: Sequence[float], support: int, width: int) -> str:
    cells = "".join(f" {share:>9.2f}" for share in shares)
    return f"{name:>{width}} {cells} {support:>9}"


def _shares(both: int, given: int, true: int) -> tuple[float, float, float, int]:
    """Precision, recall, F1 and the number of posts."""
    return (
        both / given if given else 0.0,
        both / true if true else 0.0,
        2 * both / (given + true) if given + true else 0.0,
        true,
    )


# What each edition prints.

_TYPE_LINES: Lines = tuple(
    (f"Information Type {words} ({kind}, multi-type, macro)", f"type.{name}")
    for words, kind, name in (
        ("Precision", "positive class", "P"),
        ("Recall", "positive class", "R"),
        ("F1", "positive class", "F1"),
        ("Accuracy", "overall", "accuracy"),
    )
)
_HIGH_LINES: Lines = tuple(
    (f"High Importance {words}", f"{name}(actionable)") for words, name in _TYPE_LINES
)
_LOW_LINES: Lines = tuple(
    (f"Low Importance {words}", f"{name}(other)") for words, name in _TYPE_LINES
)
_ALL_LINES = (*_TYPE_LINES, *_HIGH_LINES, *_LOW_LINES)
_TYPES = Section("Information Type Categorization", "Overall performance", _ALL_LINES, "\t")
_ERROR = "Priority Estimation Error{} (mean squared error, macro)"
_ALERTS = TrecFiles(
    title="",
    sections=(
        Section(
            "Alertng Performance",
            "Overall performance",
            (
                ("High Importance Alert Worth", "AAW.high"),
                ("Low Importance Alert Worth", "AAW.low"),
                ("Accumulated Alert Worth", "AAW"),
            ),
            "\t",
        ),
        _TYPES,
        Section(
            "Information Priority Level",
            "Overall Performance",
            (
                (_ERROR.format(""), "priority.MSE"),
                (_ERROR.format(" High Importance"), "priority.MSE(actionable)"),
                (_ERROR.format(" Low Importance"), "priority.MSE(other)"),
            ),
        ),
    ),
    event_lines=_ALL_LINES,
    row=(
        ("AAW.high", 1),
        ("AAW", 1),
        ("type.F1(actionable)", 1),
        ("type.F1", 1),
        ("type.accuracy", 1),
        ("priority.MSE(actionable)", 1),
        ("priority.MSE", 1),
    ),
)
_SWAPPED = {"type.P": "type.R", "type.R": "type.P"}
FILES = {
    "2018": TrecFiles(
        title="TREC-IS 2018 Notebook Evaluator v1.0",
        sections=(
            Section(
                "Information Type Categorization (Multi-type)",
                "Overall performance",
                _TYPE_LINES,
                "\t",
            ),
            Section(
                "Information Priority Level",
                "Overall Performance",
                ((_ERROR.format(""), "priority.MSE"),),
            ),
            Section(
                "Information Type Categorization (Any-type)",
                "Overall Performance (Micro Average)",
                tuple(
                    (f"Information Type {words} (any valid type, micro)", f"any.{name}")
                    for words, name in (
                        ("Precision", "P"),
                        ("Recall", "R"),
                        ("F1", "F1"),
                        ("Accuracy", "accuracy"),
                    )
                ),
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
            Section("nDCG and Priority", "Overall performance", (("nDCG", "nDCG@100"),), "\t"),
            _TYPES,
            Section(
                "Information Priority Level",
                "Overall Performance",
                (("Priority Label Prediction (F1, macro)", "priority.F1"),),
            ),
            Section(
                "Information Priority Score",
                "Correlational Performance",
                (
                    ("Priority Correlation (Pearson)", "priority.pearson"),
                    ("Priority Correlation, High (Pearson)", "priority.pearson(actionable)"),
                    ("Priority Correlation, Low (Pearson)", "priority.pearson(other)"),
                ),
            ),
        ),
        event_lines=_TYPE_LINES,
        row=(
            ("nDCG@100", 1),
            ("type.F1(actionable)", 1),
            ("type.F1", 1),
            ("type.accuracy", 1),
            ("priority.F1(actionable)", 1),
            ("priority.F1", 1),
            ("priority.pearson(actionable)", 1),
            # The row divides by 25 types what the sum of 24 is.
            ("priority.pearson", 24 / 25),
        ),
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
    names = [*(name for _, name in lines), *(name for name, _ in files.row)]
    wanted = measures(list(dict.fromkeys(names)), FAMILY)
    evaluation.check_asked(wanted)
    scores = scores_of(evaluation, wanted, on_missing)
    counts = stream.add_up(confusion, by_run=True).sort("unit", "type")
    written: dict[str, bytes] = {}
    for at, run in enumerate(stream.runs):
        texts = (
            _overall(scores, files, run),
            _per_type(counts.filter(unit=at), stream.types, files),
            _per_event(scores, files, run, stream.topics),
        )
        head = (f"{files.title} (as computed by tseval {VERSION})", f"Run: {run}", "")
        for part, each in zip(PARTS, texts, strict=True):
            name = file_name(run, files.track_name if track_names else edition, part)
            written[name] = "".join(f"{line}\n" for line in (*head, *each)).encode()
    return written, scores.warnings
