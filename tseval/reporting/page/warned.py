"""Warnings as the page words them: on events and types, and what is the same of many runs once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from tseval.reporting.content import Report

ALIKE = 3
"""So many warnings that differ in the run, and in what they count, are one."""
COUNTED = re.compile(r"([\d,]+) (\w+?)(s?)( .*|)", re.DOTALL)
"""A warning on a run that begins with a number: of what, in the plural or not, and the rest."""

TOPICS = re.compile(r"([\d,]+) topic(s?)\b")
CURES = "; what would do: "


def worded(warnings: Iterable[str], report: Report) -> Iterator[str]:
    """Warnings of commands for readers of this page."""
    return merged((_in_nouns(each, report) for each in warnings), report.runs)


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


def merged(warnings: Iterable[str], runs: Sequence[str]) -> Iterator[str]:
    """Each warning in order; those that are alike stand where the first one did, with the runs."""
    told: dict[tuple[str, ...], list[tuple[str, str, str]]] = {}
    for warning in warnings:
        alike, run, size = _read(warning, runs)
        told.setdefault(alike, []).append((warning, run, size))
    for alike, found in told.items():
        if len(found) < ALIKE or len(alike) == 1:
            yield from (warning for warning, _, _ in found)
        elif len(alike) == 2:
            yield f"{len(found)} runs: {alike[1]} ({', '.join(run for _, run, _ in found)})"
        else:
            sizes = ", ".join(f"{run} {size}" for _, run, size in found)
            yield f"{len(found)} runs: {alike[1]}s{alike[2]} ({sizes})"


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
