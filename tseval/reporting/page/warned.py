"""Warnings as the page words them: on events and types, and what is the same of many runs once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from tseval.reporting.content import Report
from tseval.reporting.page.markup import Child, Markup, joined, run_name

ALIKE = 3
"""So many warnings that differ in the run, and in what they count, are one."""
COUNTED = re.compile(r"([\d,]+) (\w+?)(s?)( .*|)", re.DOTALL)
"""A warning on a run that begins with a number: of what, in the plural or not, and the rest."""

TOPICS = re.compile(r"([\d,]+) topic(s?)\b")
CURES = "; what would do: "


def worded(warnings: Iterable[str], report: Report) -> Iterator[Markup]:
    """Warnings of commands for readers of this page."""
    told = merged((_in_nouns(each, report) for each in warnings), report.runs)
    return (joined([each]) for each in told)


def _in_nouns(warning: str, report: Report) -> str:
    """A warning with topics called what they are, by the measures that it names, and its cures."""
    named = [each.over for each in report.measures if _names(warning, each.name)]
    nouns = dict.fromkeys(named or [each.over for each in report.measures])
    reason, colon, cures = warning.partition(CURES)
    several = [f"\\1 {' or '.join(f'{noun}{end}' for noun in nouns)}" for end in ("", "s")]

    def called(text: str) -> str:
        return TOPICS.sub(lambda found: found.expand(several[found[2] == "s"]), text)

    return f"{called(reason)}{colon}{called(cures).replace(' | ', '; or ')}" if nouns else warning


def _names(warning: str, measure: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(measure)}[,:]", warning) is not None


def merged(warnings: Iterable[str], runs: Sequence[str]) -> Iterator[Child]:
    """Each warning in order; those that are alike stand where the first one did, with the runs."""
    told: dict[tuple[str, ...], list[tuple[str, str, str]]] = {}
    for warning in warnings:
        alike, run, size = _read(warning, runs)
        told.setdefault(alike, []).append((warning, run, size))
    for alike, found in told.items():
        if len(found) < ALIKE or len(alike) == 1:
            yield from (_of_one(warning, run) for warning, run, _ in found)
        else:
            what = alike[1] if len(alike) == 2 else f"{alike[1]}s{alike[2]}"
            named = [
                [run_name(run), size and f"\N{NO-BREAK SPACE}{size}"] for _, run, size in found
            ]
            commas = [[", " if at else "", each] for at, each in enumerate(named)]
            yield [f"{len(found)} runs: {what} (", commas, ")"]


def _of_one(warning: str, run: str) -> Child:
    """A warning that stands by itself; the run that it is on is named as runs are."""
    if not run:
        return warning
    return ["run ", run_name(run), warning.removeprefix(f"run {run}")]


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
