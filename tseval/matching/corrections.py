"""Corrections: somebody's verdicts on single pairs, laid over what a matcher finds.

A verdict is on one update and one nugget, by their ids. It holds for that update, and for every
update of any run with the same topic and the same words. An accepted pair is a match, with the
matcher's score if the matcher found it, else with none; a rejected pair is no match. Every other
pair stays as the matcher has it, so later updates need no verdicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tseval.files.given import input_of
from tseval.files.reading import Wrong, refuse_rows, rows_of
from tseval.matching.matching import sorted_pairs
from tseval.tables import (
    ABSENT,
    CORRECTIONS,
    Corrections,
    Nuggets,
    Pairs,
    Pool,
    Texts,
    Updates,
    all_names,
    distinct,
    known_updates,
    pool_rows,
    resolve,
)
from tseval.tables.keys import equal_rows

if TYPE_CHECKING:
    from tseval.files.given import Given
    from tseval.tables import Origin
    from tseval.tables.columns import BoolArray, IntArray

ACCEPT, REJECT = "accept", "reject"

VERDICT = (f"write {ACCEPT} or {REJECT}, or leave it blank to change nothing", "unknown-label")
OPPOSED_CURE = "keep one of the two, or give each row the run that it is about"
SAME_TEXT_CURE = "keep one of the two: a verdict holds for every update with its text"
UPDATE_CURE = (
    "give every run that the corrections speak of, or remove the line; spreadsheets change ids "
    "such as 007 or 1-2: have them read columns as text"
)
NUGGET_CURE = "give the nuggets that the pair was judged with, or remove the line"
TEXT_CURE = (
    "judge the pair again and write its present text, or remove the line; if ids have changed, "
    "`tseval match RUN... NUGGETS --review FILE` with this file carries its verdicts over"
)


class Decisions(NamedTuple):
    """The pairs that verdicts decide, and the rows that decide nothing or contradict another."""

    pairs: Pairs
    accepted: BoolArray
    idle: IntArray
    """The rows that decide no pair, and those that another row overrules."""
    lost: tuple[BoolArray, BoolArray]
    """The rows whose update is missing by id and by text; those whose nugget is missing."""
    wrong: list[Wrong]
    """The faults that texts show: changed pairs and opposite verdicts."""


def read_corrections(given: Given, form: str | None = None) -> Corrections:
    """The rows that have a verdict; one that is none, or opposes another, is a fault."""
    rows = rows_of(input_of(given, CORRECTIONS), CORRECTIONS, form)
    return corrections_from(rows.columns, rows.origin)


def corrections_from(columns: Mapping[str, Any], origin: Origin) -> Corrections:
    """Return the rows of these columns that have a verdict; faults are an `InputError`."""
    verdicts = columns["verdict"]
    said = [name.strip().casefold() for name in verdicts.vocabulary()]
    accepted = np.array([name == ACCEPT for name in said], bool)[verdicts.codes]
    every = Corrections.of({**columns, "accepted": accepted}, origin)
    known = np.array([name in (ACCEPT, REJECT, "") for name in said], bool)[verdicts.codes]
    wrong = [
        Wrong(row, f'the verdict "{verdicts[row]}" is neither {ACCEPT} nor {REJECT}', *VERDICT)
        for row in np.flatnonzero(~known).tolist()
    ]
    refuse_corrections(every, wrong)
    given_one = np.array([name != "" for name in said], bool)[verdicts.codes]
    decided = every.rows(given_one)
    pair = decided.topic.codes
    for ids in (decided.update_id, decided.nugget_id):
        _, pair = np.unique(pair * len(ids.names) + ids.codes, return_inverse=True)
    opposed = _opposed(decided, np.arange(len(decided)), pair, by_text=False)
    refuse_corrections(decided, opposed)
    return decided


def _opposed(c: Corrections, row: IntArray, key: IntArray, *, by_text: bool) -> Iterator[Wrong]:
    """Rows whose verdict an earlier one with the same key opposes; by ids, one that is of its run.

    A row may have several keys.
    """
    _, pair = np.unique(key, return_inverse=True)
    both = (np.bincount(pair, c.accepted[row]) > 0) & (np.bincount(pair, ~c.accepted[row]) > 0)
    rows = np.flatnonzero(both[pair])
    before: dict[tuple[int, bool], dict[str, int]] = {}
    everywhere, runs = c.of_every_run, c.run or ()
    for at, which in sorted(set(zip(row[rows].tolist(), pair[rows].tolist(), strict=True))):
        run, accepted = "" if by_text or everywhere[at] else runs[at], bool(c.accepted[at])
        before.setdefault((which, accepted), {}).setdefault(run, at)
        others = before.get((which, not accepted), {})
        if opposed := [own for name, own in others.items() if not (name and run) or name == run]:
            first = min(opposed)
            does, did = ("accepts", "rejects") if accepted else ("rejects", "accepts")
            of = f' for update "{c.update_id[first]}" with the same text' if by_text else ""
            reason = f"{does} {_named(c, at)}, which {c.origin.place(first)} {did}{of}"
            cure = SAME_TEXT_CURE if by_text else OPPOSED_CURE
            yield Wrong(at, reason, cure, "conflicting-rows")


def decided_pairs(
    corrections: Corrections, updates: Updates, nuggets: Nuggets, pool: Pool | None = None
) -> Decisions:
    """The verdicts by row numbers; a fault for an unknown pair, and for one that changed.

    An update that is in no run is known all the same if it is in the pool. A verdict on a run that
    is not here holds only by the text that was judged, if the corrections have it.
    """
    held = hold(corrections, updates, nuggets)
    update, nugget = held.lost
    if pool is not None:
        update = update & ~known_updates(corrections.topic, corrections.update_id, pool)
    refuse_corrections(corrections, [*_lost(corrections, update, nugget), *held.wrong])
    return held


def hold(c: Corrections, updates: Updates, nuggets: Nuggets, *, moved: bool = False) -> Decisions:
    """Find the pairs that each verdict holds for: those of its update, and those of its text.

    A row whose id is there has that update's text, else it has the text that was judged. With
    `moved` so has a row whose update reads otherwise now; and one whose nugget does holds nowhere.
    """
    found = resolve(c.pairs, updates, nuggets)
    first, judged = _same_texts(c, updates)
    row, update = found.row, found.pairs.update
    other = _differs(c.update_text, row, updates.text, update)
    wrong = [*_changed(c, "update", row[other], updates.text, update[other])]
    if moved:
        row, update = row[~other], update[~other]
    alone = np.setdiff1d(np.flatnonzero(~found.lost_nugget & (judged != ABSENT)), row)
    by_id = np.repeat([True, False], [len(row), len(alone)])
    row, text = np.append(row, alone), np.append(first[update], judged[alone])
    gold = Pool(nuggets.topic, nuggets.nugget_id, nuggets.origin)
    nugget = pool_rows(c.topic, c.nugget_id, gold)[row]
    other = _differs(c.nugget_text, row, nuggets.text, nugget)
    wrong += _changed(c, "nugget", row[other], nuggets.text, nugget[other])
    number = max(1, len(nuggets))
    row, key, by_id = row[~other], (text * number + nugget)[~other], by_id[~other]
    decides = by_id | ~np.isin(key, key[by_id])
    wrong += _opposed(c, row[decides], key[decides], by_text=True)
    pair, one = np.unique(key[decides], return_index=True)
    accepted = c.accepted[row[decides][one]]
    place, at = equal_rows(pair // number, first)
    agrees = c.accepted[row] == accepted[np.searchsorted(pair, key)]
    every = np.arange(len(c))
    return Decisions(
        Pairs(at, pair[place] % number),
        accepted[place],
        np.setdiff1d(every, row[agrees]),
        (found.lost_update & ~np.isin(every, alone), found.lost_nugget),
        wrong,
    )


def _same_texts(c: Corrections, updates: Updates) -> tuple[IntArray, IntArray]:
    """For each update the first of its topic with the same words; the same for each judged text.

    Only topics that have a verdict are read. A text without words is the same as no other.
    """
    from matchers import normalised

    first, seen = np.arange(len(updates)), dict[tuple[str, str], int]()
    rows = np.flatnonzero(updates.topic.within(all_names(c.topic)) != ABSENT)
    names = updates.topic.rows(rows).to_list()
    for row, topic, text in zip(rows.tolist(), names, updates.text.rows(rows), strict=True):
        if words := normalised(text):
            first[row] = seen.setdefault((topic, words), row)
    if c.update_text is None:
        return first, np.full(len(c), ABSENT)
    texts = zip(c.topic.to_list(), map(normalised, c.update_text), strict=True)
    return first, np.array([seen.get(each, ABSENT) for each in texts], np.int64)


def _lost(c: Corrections, update: BoolArray, nugget: BoolArray) -> Iterator[Wrong]:
    """Rows of unknown updates and nuggets."""
    for row in np.flatnonzero(update | nugget).tolist():
        if nugget[row]:
            name, cure = f'nugget "{c.nugget_id[row]}"', NUGGET_CURE
        else:
            name, cure = f'update "{c.update_id[row]}"', UPDATE_CURE
        reason = f'a verdict on the unknown {name} of topic "{c.topic[row]}"'
        yield Wrong(row, reason, cure, "unknown-id")


def _differs(judged: Texts | None, row: IntArray, now: Texts, place: IntArray) -> BoolArray:
    """Return which rows were judged with other words than those now at `place`."""
    from matchers import normalised

    if judged is None:
        return np.zeros(len(row), bool)
    texts = zip(judged.rows(row), now.rows(place), strict=True)
    differ = [was.strip() != "" and normalised(was) != normalised(text) for was, text in texts]
    return np.array(differ, bool)


def _changed(
    c: Corrections, what: str, rows: IntArray, now: Texts, places: IntArray
) -> Iterator[Wrong]:
    """Rows of pairs that read otherwise now than when they were judged."""
    for row, place in dict(zip(rows.tolist(), places.tolist(), strict=True)).items():
        reason = (
            f"since {_named(c, row)} was judged, the text of the {what} has changed: it is now "
            f'"{now[place]}"'
        )
        yield Wrong(row, reason, TEXT_CURE, "changed-rows")


def _named(c: Corrections, row: int) -> str:
    """The pair of a row, in words."""
    return (
        f'the pair of update "{c.update_id[row]}" and nugget "{c.nugget_id[row]}" of topic '
        f'"{c.topic[row]}"'
    )


def refuse_corrections(corrections: Corrections, wrong: Iterable[Wrong]) -> None:
    """Refuse what is wrong with rows, with the lines that they stand on."""
    refuse_rows(corrections.origin, wrong, partial(_shown, corrections))


def _shown(c: Corrections, row: int) -> str:
    """A row's ids, in place of the row."""
    return "\t".join((c.topic[row], c.update_id[row], c.nugget_id[row]))


def laid_over(pairs: Pairs, verdicts: Pairs, accepted: BoolArray, nuggets: int) -> Pairs:
    """The pairs without those that are rejected, and with those that are accepted.

    `nuggets` is how many there are. What the matcher did not find has no score.
    """
    judged = verdicts.update * nuggets + verdicts.nugget
    found = pairs.update * nuggets + pairs.nugget
    kept = ~np.isin(found, judged[~accepted])
    added = np.setdiff1d(distinct(judged[accepted]), found)
    score = np.ones(len(pairs)) if pairs.score is None else pairs.score
    return sorted_pairs(
        [
            Pairs(pairs.update[kept], pairs.nugget[kept], score[kept]),
            Pairs(added // nuggets, added % nuggets, np.full(len(added), np.nan)),
        ]
    )
