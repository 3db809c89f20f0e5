"""The labelled posts as the rules count them: once each, or as often as they were labelled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tseval.families.incidents.rules import IncidentRules
from tseval.families.incidents.tables import HIGH, Labels
from tseval.records import frozen
from tseval.tables import ABSENT, Ids, distinct
from tseval.tables.keys import last_row_of

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray


@frozen
class JudgedPosts:
    """What was judged, by the rules: one row for each time that a post counts."""

    event: IntArray
    """The place among the topics, which are the events."""
    post: IntArray
    """The post's number; equal numbers are the same post."""
    types: BoolArray
    level: IntArray
    own_level: IntArray
    """What this label itself says, where `level` is what another said of the post."""
    time: FloatArray
    """When the post was made; NaN where that is unknown."""
    order: IntArray
    """The place of the post among all, sorted by name: settles ties."""
    asked: BoolArray | None = None
    """For which types each was judged, of the shape of `types`; None where for all."""

    def __len__(self) -> int:
        return len(self.level)

    @property
    def high(self) -> BoolArray:
        """Which posts deserve an alert."""
        return self.level >= HIGH


def judged_posts(
    labels: Labels, time: FloatArray, rules: IncidentRules
) -> tuple[JudgedPosts, tuple[str, ...]]:
    """What the labels say, with the rules for posts that have several; and the events' names."""
    codes, first = np.unique(labels.event.codes, return_index=True)
    codes = codes[np.argsort(first)]
    place = np.full(len(labels.event.names), ABSENT)
    place[codes] = np.arange(len(codes))
    event, post = place[labels.event.codes], labels.post_id.codes
    if rules.two_events == "first":
        event = event[_first_rows(post)]
    key = post if rules.join == "post" else event * (int(post.max(initial=0)) + 1) + post
    types, level, asked = labels.types, labels.level, labels.asked
    if rules.type_posts == "all":
        asked = None
    if rules.repeated_labels == "entries":
        last = last_row_of(key, key)
        rows, types, level = np.arange(len(labels)), types[last], level[last]
        asked = None if asked is None else asked[last]
    else:
        asked = None if asked is None else _united(key, asked, level)[1]
        rows, types, level = _united(key, types, level)
    return (
        JudgedPosts(
            event=event[rows],
            post=post[rows],
            types=types,
            level=level,
            own_level=labels.level if rules.repeated_labels == "entries" else level,
            time=time[rows],
            order=_sorted_place(labels.post_id)[rows],
            asked=asked,
        ),
        tuple(labels.event.take_names(codes)),
    )


def _first_rows(key: IntArray) -> IntArray:
    """For each row the first row with the same key."""
    _, first, place = np.unique(key, return_index=True, return_inverse=True)
    return first[place]


def _united(
    key: IntArray, types: BoolArray, level: IntArray
) -> tuple[IntArray, BoolArray, IntArray]:
    """The first row of each key, in their order, with all types and the highest level of it."""
    first = _first_rows(key)
    rows = distinct(first)
    place = np.searchsorted(rows, first)
    every = np.zeros((len(rows), types.shape[1]), bool)
    np.logical_or.at(every, place, types)
    highest = np.zeros(len(rows), np.int64)
    np.maximum.at(highest, place, level)
    return rows, every, highest


def _sorted_place(ids: Ids) -> IntArray:
    """The place of each row's name among all, sorted."""
    order = np.argsort(np.array(ids.vocabulary()))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return place[ids.codes]
