"""Corrections: somebody's verdicts on single pairs, laid over what a matcher finds.

A verdict speaks of one update and one nugget, by their ids. What is accepted is a match, with the
matcher's score if the matcher found it, else with none; what is rejected is no match. Every other
pair stays as the matcher has it, so updates that come later need no verdicts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tseval.files.reading import Wrong, input_of, refuse_rows, rows_of
from tseval.matching.matching import sorted_pairs
from tseval.tables import (
    CORRECTIONS,
    Corrections,
    Nuggets,
    Pairs,
    Pool,
    Resolved,
    Texts,
    Updates,
    distinct,
    known_updates,
    resolve,
)

if TYPE_CHECKING:
    from tseval.files.reading import Given
    from tseval.tables.columns import BoolArray, IntArray

ACCEPT, REJECT = "accept", "reject"
UNSAID = re.compile(r"[\s\"']+")
"""What spreadsheets add to a text and take from it: white space and quotes."""

VERDICT = (f"write {ACCEPT}, {REJECT}, or nothing where nothing is to change", "unknown-label")
OPPOSED_CURE = "keep one of the two, or name the run that each speaks of"
UPDATE_CURE = (
    "give every run that the corrections speak of, or remove the line; spreadsheets change ids "
    "such as 007 or 1-2: have them read columns as text"
)
NUGGET_CURE = "give the nuggets that the pair was judged with, or remove the line"
TEXT_CURE = "judge the pair again and write the text that it has now, or remove the line"


class Decided(NamedTuple):
    """The pairs of updates and nuggets that verdicts are on, by row numbers."""

    pairs: Pairs
    accepted: BoolArray


def read_corrections(given: Given, form: str | None = None) -> Corrections:
    """The rows that have a verdict; one that is none, or opposes another, is a fault."""
    rows = rows_of(input_of(given, CORRECTIONS), CORRECTIONS, form)
    verdicts = rows.get("verdict")
    said = [name.strip().casefold() for name in verdicts.vocabulary()]
    accepted = np.array([name == ACCEPT for name in said], bool)[verdicts.codes]
    every = Corrections.of(rows.columns | {"accepted": accepted}, rows.origin)
    known = np.array([name in (ACCEPT, REJECT, "") for name in said], bool)[verdicts.codes]
    wrong = [
        Wrong(row, f'the verdict "{verdicts[row]}" is neither {ACCEPT} nor {REJECT}', *VERDICT)
        for row in np.flatnonzero(~known).tolist()
    ]
    _refuse(every, wrong)
    given_one = np.array([name != "" for name in said], bool)[verdicts.codes]
    decided = every.rows(given_one)
    _refuse(decided, _opposed(decided))
    return decided


def _opposed(corrections: Corrections) -> Iterator[Wrong]:
    """Rows that contradict an earlier one, in order."""
    c, origin = corrections, corrections.origin
    key = c.topic.codes * len(c.update_id.names) + c.update_id.codes
    _, key = np.unique(key, return_inverse=True)
    _, pair = np.unique(key * len(c.nugget_id.names) + c.nugget_id.codes, return_inverse=True)
    accepted = np.bincount(pair, c.accepted) > 0
    rejected = np.bincount(pair, ~c.accepted) > 0
    before: dict[int, list[int]] = {}
    everywhere = c.of_every_run
    for row in np.flatnonzero((accepted & rejected)[pair]).tolist():
        for first in before.setdefault(int(pair[row]), []):
            alike = (
                c.run is None or everywhere[row] or everywhere[first] or c.run[row] == c.run[first]
            )
            if alike and c.accepted[row] != c.accepted[first]:
                does, did = ("accepts", "rejects") if c.accepted[row] else ("rejects", "accepts")
                reason = f"{does} {_named(c, row)}, which {origin.place(first)} {did}"
                yield Wrong(row, reason, OPPOSED_CURE, "conflicting-rows")
                break
        before[int(pair[row])].append(row)


def decided_pairs(
    corrections: Corrections, updates: Updates, nuggets: Nuggets, pool: Pool | None = None
) -> Decided:
    """The verdicts by row numbers; one on what is not there, or reads otherwise now, is a fault.

    An update that is in no run is known all the same if it is in the pool. A verdict on a run that
    is not here is none of these updates' business.
    """
    found = resolve(corrections.pairs, updates, nuggets)
    lost = found.lost_update
    if pool is not None:
        lost = lost & ~known_updates(corrections.topic, corrections.update_id, pool)
    wrong = [*_lost(corrections, lost, found.lost_nugget)]
    wrong += _changed(corrections, found, updates, nuggets)
    _refuse(corrections, wrong)
    return Decided(found.pairs, corrections.accepted[found.row])


def _lost(c: Corrections, update: BoolArray, nugget: BoolArray) -> Iterator[Wrong]:
    """Rows of unknown updates and nuggets."""
    for row in np.flatnonzero(update | nugget).tolist():
        if nugget[row]:
            name, cure = f'nugget "{c.nugget_id[row]}"', NUGGET_CURE
        else:
            name, cure = f'update "{c.update_id[row]}"', UPDATE_CURE
        reason = f'a verdict on the unknown {name} of topic "{c.topic[row]}"'
        yield Wrong(row, reason, cure, "unknown-id")


def _changed(
    c: Corrections, found: Resolved, updates: Updates, nuggets: Nuggets
) -> Iterator[Wrong]:
    """Rows of pairs that read otherwise now than when they were judged."""
    sides: list[tuple[str, Texts | None, IntArray, Texts]] = [
        ("update", c.update_text, found.pairs.update, updates.text),
        ("nugget", c.nugget_text, found.pairs.nugget, nuggets.text),
    ]
    told: set[int] = set()
    for what, judged, places, now in sides:
        if judged is None:
            continue
        for row, place in zip(found.row.tolist(), places.tolist(), strict=True):
            was = judged[row]
            if row not in told and was.strip() and _bare(was) != _bare(now[place]):
                told.add(row)
                reason = (
                    f"since {_named(c, row)} was judged, the text of the {what} has changed: it is "
                    f'now "{now[place]}"'
                )
                yield Wrong(row, reason, TEXT_CURE, "changed-rows")


def _bare(text: str) -> str:
    """A text without what spreadsheets change."""
    return UNSAID.sub("", text)


def _named(c: Corrections, row: int) -> str:
    """The pair of a row, in words."""
    return (
        f'the pair of update "{c.update_id[row]}" and nugget "{c.nugget_id[row]}" of topic '
        f'"{c.topic[row]}"'
    )


def _refuse(corrections: Corrections, wrong: Iterable[Wrong]) -> None:
    """Refuse what is wrong with rows, with the lines that they stand on."""
    refuse_rows(corrections.origin, wrong, partial(_shown, corrections))


def _shown(c: Corrections, row: int) -> str:
    """A row's ids, in place of the row."""
    return "\t".join((c.topic[row], c.update_id[row], c.nugget_id[row]))


def laid_over(pairs: Pairs, decided: Decided, nuggets: int) -> Pairs:
    """The pairs without those that are rejected, and with those that are accepted.

    `nuggets` is how many there are. What the matcher did not find has no score.
    """
    judged = decided.pairs.update * nuggets + decided.pairs.nugget
    found = pairs.update * nuggets + pairs.nugget
    kept = ~np.isin(found, judged[~decided.accepted])
    added = np.setdiff1d(distinct(judged[decided.accepted]), found)
    score = np.ones(len(pairs)) if pairs.score is None else pairs.score
    return sorted_pairs(
        [
            Pairs(pairs.update[kept], pairs.nugget[kept], score[kept]),
            Pairs(added // nuggets, added % nuggets, np.full(len(added), np.nan)),
        ]
    )
