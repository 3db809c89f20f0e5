"""The facts of the verdict: which run is ahead, by how much, and whether that may be chance.

And warnings as the page words them: on events and types, and what is the same of many runs once. A
page is mailed: where files lie on somebody's machine is nobody else's affair.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import fsum
from pathlib import PurePosixPath, PureWindowsPath

from tseval.records import frozen
from tseval.reporting.content import MeasureBoard, PairRow, Report
from tseval.reporting.page.markup import Child, Markup, joined, run_name

SLACK = 1e-9
TOO_FEW = re.compile("[0-9]+ topic")
"""The beginning of the reason that there are too few topics to show a difference."""


@frozen
class Duel:
    """Two runs by a measure; the one that is ahead over the topics that both have comes first."""

    board: MeasureBoard
    pair: PairRow

    @classmethod
    def of(cls, board: MeasureBoard, pair: PairRow) -> Duel:
        """Turn a pair so that the run that is ahead comes first."""
        return cls(board, pair.turned if pair.gain is not None and pair.gain < 0 else pair)

    @cached_property
    def sides(self) -> tuple[float, float]:
        """The means of both runs over the topics that both have."""
        pair, rows = self.pair, self.board.rows
        both = [rows[run] for run in (pair.run, pair.other)]
        if self.board.pooled or all(row.topics == pair.topics for row in both):
            return both[0].mean, both[1].mean
        known = [(row[pair.run], row[pair.other]) for row in self.board.cells]
        common = [(mine, theirs) for mine, theirs in known if None not in (mine, theirs)]
        mine, theirs = (fsum(side) / len(common) for side in zip(*common, strict=True))
        return mine, theirs

    @property
    def missing(self) -> int:
        """On how many topics the other run has a value and the first has none."""
        return self.board.rows[self.pair.other].topics - self.pair.topics

    @property
    def has_gaps(self) -> bool:
        """Whether one of them has values on more topics than both have."""
        rows = (self.board.rows.get(run) for run in (self.pair.run, self.pair.other))
        return {row.topics for row in rows if row is not None} != {self.pair.topics}

    @property
    def is_better(self) -> bool:
        """Whether the first is better, on all topics that the other has."""
        return self.pair.better == self.pair.run and not self.missing

    @property
    def has_too_few(self) -> bool:
        """Whether there are too few topics to show a difference."""
        return TOO_FEW.match(self.board.cannot_tell) is not None


def duel_of(report: Report) -> Duel | None:
    """The first pair by the primary measure: the best run, or the baseline, and the next."""
    board = report.measures[0]
    return Duel.of(board, board.against[0]) if board.against else None


def companions(report: Report, first: Duel) -> Iterator[tuple[Duel, bool]]:
    """Who is ahead by each other leading measure, and whether that contradicts the verdict.

    Two runs are compared with each other; of more, the best by the companion with the best of all.
    """
    primary, pair = first.board, first.pair
    is_pair = len(primary.against) == 1 or report.baseline is not None
    is_beyond = pair.gain is not None and any(is_outside(primary, each) for each in first.sides)
    for board in report.measures[1 : report.leading]:
        if not board.against or board.cells == primary.cells:
            continue
        runs = {pair.run, pair.other}
        if not is_pair:
            rival = board.against[0].other if board.best == pair.run else pair.run
            runs = {board.best, rival}
        row = next((each for each in board.against if {each.run, each.other} == runs), None)
        if row is not None and row.gain is not None:
            duel = Duel.of(board, row)
            yield duel, is_beyond and duel.pair.run != pair.run and bool(row.gain)


def is_outside(board: MeasureBoard, value: float) -> bool:
    """Whether a value is outside the range of its measure, so that it is extrapolated."""
    low, high = board.bounds
    return not low - SLACK <= value <= high + SLACK


def more_or_fewer(mine: int, others: int) -> str:
    """How much more or less that is."""
    share = abs(mine - others) / others
    if share >= 2:
        return f"{mine / others:.1f} times as many"
    return f"{100 * share:.0f} % {'fewer' if mine < others else 'more'}"


# Warnings.

ALIKE = 3
"""So many warnings that differ in the run, and in what they count, are one."""
COUNTED = re.compile(r"([\d,]+) (\w+?)(s?)( .*|)", re.DOTALL)
"""A warning on a run that begins with a number: of what, in the plural or not, and the rest."""

TOPICS = re.compile(r"([\d,]+) topic(s?)\b")
CURES = "; remedies: "


def worded(warnings: Iterable[str], report: Report) -> Iterator[Markup]:
    """Warnings of commands for readers of this page."""
    told = merged((_in_nouns(each, report) for each in warnings), report.runs)
    return (joined([each]) for each in told)


def _in_nouns(warning: str, report: Report) -> str:
    """A warning with topics called what they are, by the measures that it names, and its cures."""
    named = [
        each.over
        for each in report.measures
        if re.search(rf"(?<![\w.]){re.escape(each.name)}[,:]", warning)
    ]
    nouns = dict.fromkeys(named or [each.over for each in report.measures])
    reason, colon, cures = warning.partition(CURES)
    several = [f"\\1 {' or '.join(f'{noun}{end}' for noun in nouns)}" for end in ("", "s")]

    def called(text: str) -> str:
        return TOPICS.sub(lambda found: found.expand(several[found[2] == "s"]), text)

    return f"{called(reason)}{colon}{called(cures).replace(' | ', '; or ')}" if nouns else warning


def merged(warnings: Iterable[str], runs: Sequence[str]) -> Iterator[Child]:
    """Each warning in order; those that are alike stand where the first one did, with the runs."""
    told: dict[tuple[str, ...], list[tuple[str, str, str]]] = {}
    for warning in warnings:
        alike, run, size = _read(warning, runs)
        told.setdefault(alike, []).append((warning, run, size))
    for alike, found in told.items():
        if len(found) < ALIKE or len(alike) == 1:
            for warning, run, _ in found:
                rest = warning.removeprefix(f"run {run}")
                yield ["run ", run_name(run), rest] if run else warning
        else:
            what = alike[1] if len(alike) == 2 else f"{alike[1]}s{alike[2]}"
            named = [
                [run_name(run), size and f"\N{NO-BREAK SPACE}{size}"] for _, run, size in found
            ]
            commas = [[", " if at else "", each] for at, each in enumerate(named)]
            yield [f"{len(found)} runs: {what} (", commas, ")"]


def _read(warning: str, runs: Sequence[str]) -> tuple[tuple[str, ...], str, str]:
    """What makes a warning alike to others, the run that it is on, and the number it begins with.

    One that is on no run is alike to none but itself.
    """
    for run in runs:
        rest = warning.removeprefix(f"run {run}: ")
        if rest != warning:
            counted = COUNTED.fullmatch(rest)
            if counted is None:
                return ("run", rest), run, ""
            size, noun, _, more = counted.groups()
            return ("run", noun, more), run, size
    return (warning,), "", ""


# Paths.


def without_folders(report: Report) -> Report:
    """The report whose files, and what is said of them, go without the folders that they lie in."""
    names = short_paths(row.path for row in report.inputs)
    return replace(
        report,
        inputs=tuple(row._replace(path=names.get(row.path, row.path)) for row in report.inputs),
        warnings=tuple(_with_names(each, names) for each in report.warnings),
        doubts=tuple(_with_names(each, names) for each in report.doubts),
        sections=tuple(
            replace(each, lack=_with_names(each.lack, names)) for each in report.sections
        ),
    )


def short_paths(paths: Iterable[str]) -> dict[str, str]:
    """Each path, where it is absolute by as many of its last parts as tell it from the others."""
    absolute = {path: parts for path in paths if (parts := _parts(path))}
    names = {}
    for path, parts in absolute.items():
        others = [own for other, own in absolute.items() if other != path]
        length = 1
        while any(own[-length:] == parts[-length:] for own in others) and length < len(parts):
            length += 1
        names[path] = "/".join(parts[-length:])
    return names


def _parts(path: str) -> tuple[str, ...]:
    """The parts of an absolute path below its root; nothing for others."""
    for kind in (PurePosixPath, PureWindowsPath):
        found = kind(path)
        if found.is_absolute():
            return found.parts[1:]
    return ()


def _with_names(text: str, names: Mapping[str, str]) -> str:
    for path in sorted(names, key=len, reverse=True):
        text = text.replace(path, names[path])
    return text
