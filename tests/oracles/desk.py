"""What the assessors' desk says of each pair, found pair by pair from all decisions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any


def verdicts(
    items: Sequence[str], given: Sequence[str], decisions: Sequence[Any]
) -> dict[Any, int]:
    """For each item and nugget of one topic 1, 0, or -1 where nobody has judged."""
    undone = {each.value for each in decisions if each.verdict == "undo"}
    rows = [
        each
        for each in decisions
        if each.verdict != "undo" and f"{each.store}:{each.act}" not in undone
    ]
    written: list[str] = []
    dropped: set[str] = set()
    for at, each in enumerate(rows):
        if each.verdict == "write" and each.nugget not in (*given, *written):
            written.append(each.nugget)
        if each.verdict == "drop" and each.nugget in (*given, *_written(rows[:at], given)):
            dropped.add(each.nugget)
    nuggets = [each for each in (*given, *written) if each not in dropped]
    return {
        (item, nugget): _verdict(item, nugget, nugget in given, rows)
        for item in items
        for nugget in nuggets
    }


def _written(rows: Sequence[Any], given: Sequence[str]) -> list[str]:
    return [each.nugget for each in rows if each.verdict == "write" and each.nugget not in given]


def _verdict(item: str, nugget: str, given: bool, rows: Sequence[Any]) -> int:
    settled = None
    said: dict[str, bool] = {}
    implied: dict[str, bool] = {}
    for at, each in enumerate(rows):
        if each.update != item:
            continue
        if each.verdict == "done":
            shown = json.loads(each.value) if each.value else []
            implied[each.assessor] = given or nugget in shown
        if each.nugget != nugget or not (given or nugget in _written(rows[:at], [])):
            continue
        if each.verdict in ("match", "no match"):
            said[each.assessor] = each.verdict == "match"
        if each.verdict.startswith("settled"):
            settled = each.verdict == "settled: match"
    votes = {name: False for name, judged in implied.items() if judged} | said
    if settled is not None:
        return int(settled)
    if not votes:
        return -1
    yes = sum(votes.values())
    return int(yes > len(votes) - yes)
