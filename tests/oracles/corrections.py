"""Corrections laid over a matcher's pairs, one pair at a time."""

from collections.abc import Iterable

Pair = tuple[str, str, str, str]
"""Run, topic, update, nugget."""
Line = tuple[str, str, str, str, str]
"""Run (nothing for every run), topic, update, nugget, verdict."""


def verdicts(pair: Pair, lines: Iterable[Line]) -> set[str]:
    run, *ids = pair
    return {
        verdict.strip().lower()
        for named, *others, verdict in lines
        if others == ids and named in ("", run) and verdict.strip()
    }


def laid_over(found: Iterable[Pair], every: Iterable[Pair], lines: list[Line]) -> set[Pair]:
    kept, matched = set(), set(found)
    for pair in every:
        said = verdicts(pair, lines)
        if said == {"accept"} or (not said and pair in matched):
            kept.add(pair)
    return kept


def contradict(lines: list[Line]) -> bool:
    return any(
        one[1:4] == other[1:4]
        and (one[0] == other[0] or "" in (one[0], other[0]))
        and {one[4].strip().lower(), other[4].strip().lower()} == {"accept", "reject"}
        for one in lines
        for other in lines
    )
