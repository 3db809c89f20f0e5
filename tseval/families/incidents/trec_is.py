"""The text files that the scripts of incident streams print: overall, per type, per event.

`<run>.results.<edition>.overall.txt` has the means, `.pertopic.txt` the report of each information
type (which the scripts call a topic), `.perevent.txt` the means within each event. The track called
its files otherwise; each edition knows how.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    from tseval.core.scores import Scores
    from tseval.families.incidents.rows import Stream

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


@frozen
class Report:
    """The counts of one information type against all others."""

    name: str
    both: int
    given: int
    true: int
    posts: int


def measures_of(files: TrecFiles) -> list[str]:
    """Every measure that the files of an edition need."""
    named = [name for section in files.sections for _, name in section.lines]
    in_row = [name for name, _ in files.row]
    return list(dict.fromkeys([*named, *in_row, *(name for _, name in files.event_lines)]))


def trec_files(
    scores: Scores,
    files: TrecFiles,
    edition: str,
    reports: Mapping[str, Sequence[Report]],
    events: Sequence[str],
) -> dict[str, bytes]:
    """The files of every run, by their names, in which the edition is called as given."""
    written: dict[str, bytes] = {}
    for run in scores.runs:
        texts = (
            _overall(scores, files, run),
            _per_type(reports[run], files),
            _per_event(scores, files, run, events),
        )
        for part, lines in zip(PARTS, texts, strict=True):
            head = [f"{files.title} (as computed by tseval {VERSION})", f"Run: {run}", ""]
            written[file_name(run, edition, part)] = "".join(
                f"{line}\n" for line in (*head, *lines)
            ).encode()
    return written


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


def _per_type(reports: Sequence[Report], files: TrecFiles) -> Iterator[str]:
    yield from _heading(
        "Information Type Categorization (Multi-type)", "Per Information Type Performance"
    )
    for report in reports:
        yield report.name
        yield from _report(report, files.averages)
        yield from ["", ""]
    yield ""


def _report(report: Report, averages: Sequence[str]) -> Iterator[str]:
    """The table of one type, with its averages."""
    rows = {
        "Other Classes": _shares(report, positive=False),
        report.name: _shares(report, positive=True),
    }
    width = max(map(len, (*rows, averages[-1])))
    yield f"{'':>{width}} " + "".join(f" {name:>9}" for name in _COLUMNS)
    yield ""
    for name, (*shares, support) in rows.items():
        yield _line(name, shares, support, width)
    yield ""
    values = np.array([row[:3] for row in rows.values()])
    weights = np.array([row[3] for row in rows.values()], np.float64)
    for name in averages:
        if name == "accuracy":
            right = report.posts - report.given - report.true + 2 * report.both
            correct = right / max(report.posts, 1)
            yield f"{name:>{width}}  {'':>9} {'':>9} {correct:>9.2f} {report.posts:>9}"
        else:
            equal = name == "macro avg"
            means = values.mean(axis=0) if equal else weights @ values / max(report.posts, 1)
            yield _line(name, means.tolist(), report.posts, width)


_COLUMNS = ("precision", "recall", "f1-score", "support")


def _line(name: str, shares: Sequence[float], support: int, width: int) -> str:
    cells = "".join(f" {share:>9.2f}" for share in shares)
    return f"{name:>{width}} {cells} {support:>9}"


def _shares(report: Report, *, positive: bool) -> tuple[float, float, float, int]:
    """Precision, recall, F1 and the number of posts of a type, or of all others."""
    given, true, both = report.given, report.true, report.both
    if not positive:
        both = report.posts - given - true + both
        given, true = report.posts - given, report.posts - true
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
    edition, index = evaluation.edition.name, evaluation.index
    if edition not in FILES:
        known = ", ".join(FILES)
        raise UsageError(f"edition {edition} has no files of the track; these have: {known}")
    files = FILES[edition]
    wanted = measures(measures_of(files), FAMILY)
    evaluation.check_asked(wanted)
    scores = scores_of(evaluation, wanted, on_missing)
    reports = _reports(index)
    name = files.track_name if track_names else edition
    return trec_files(scores, files, name, reports, index.topics), scores.warnings


def _reports(stream: Stream) -> dict[str, list[Report]]:
    """Return the counts of each type of every run."""
    counts = stream.add_up(confusion, by_run=True).sort("unit", "type")
    found: dict[str, list[Report]] = {run: [] for run in stream.runs}
    for run, at, *numbers in counts.select(
        "unit", "type", "both", "given", "true", "posts"
    ).iter_rows():
        found[stream.runs[run]].append(Report(stream.types[at], *numbers))
    return found
