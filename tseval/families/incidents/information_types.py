"""How well runs sort posts into information types: one against all, and any type at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.measure import Definition, Measure
from tseval.core.results import Taken, Values
from tseval.families.incidents.index import (
    FAMILY,
    GROUPS,
    IRRELEVANT,
    NOTE,
    PAGE_2018,
    UNSORTED,
    IncidentIndex,
    Reply,
    mean_of_defined,
    mean_of_types,
    one_group,
    share,
    stacked,
    taken,
)
from tseval.families.incidents.rules import LABELLING, TYPING
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray


@frozen
class Counts:
    """Posts that the run gave a type, that the assessors did, that both did, and all posts."""

    given: FloatArray
    true: FloatArray
    both: FloatArray
    posts: FloatArray
    wrong: FloatArray
    """The number of posts on which run and assessors differ."""

    def summed(self, axis: int) -> Counts:
        """The counts added up along an axis."""
        return Counts(*(part.sum(axis=axis) for part in vars(self).values()))


def confusion(index: IncidentIndex) -> Counts:
    """The counts of each (run, event, type)."""
    given, true, both, posts = [], [], [], []
    shape = (len(index.topics), len(index.ontology))
    truth, asked = index.judged.types, index.judged.asked
    for reply in index.replies:
        said = reply.types if asked is None else reply.types & asked
        given.append(_with_each_type(index, reply, said))
        true.append(_with_each_type(index, reply, truth))
        both.append(_with_each_type(index, reply, said & truth))
        if asked is not None:
            posts.append(_with_each_type(index, reply, asked))
            continue
        labels = np.bincount(index.judged.event[reply.chosen], minlength=len(index.topics))
        posts.append(np.broadcast_to(labels[:, None].astype(np.float64), shape))
    named, has, hit, number = (stacked(part, shape) for part in (given, true, both, posts))
    return Counts(named, has, hit, number, wrong=named + has - 2 * hit)


def _with_each_type(index: IncidentIndex, reply: Reply, types: BoolArray) -> FloatArray:
    """How many of the posts that count have each type, event by event.

    The types of a post are few, so they are counted one by one: a product of matrices would take
    many times as long.
    """
    events, kinds = len(index.topics), len(index.ontology)
    post, kind = np.nonzero(types & reply.chosen[:, None])
    number = np.bincount(index.judged.event[post] * kinds + kind, minlength=events * kinds)
    return number.reshape(events, kinds).astype(np.float64)


def precision(counts: Counts) -> FloatArray:
    """The share of right ones among those given the type."""
    return share(counts.both, counts.given)


def recall(counts: Counts) -> FloatArray:
    """The share found of those that have the type."""
    return share(counts.both, counts.true)


def f1(counts: Counts) -> FloatArray:
    """The harmonic mean of precision and recall."""
    return share(2 * counts.both, counts.given + counts.true)


def accuracy(counts: Counts) -> FloatArray:
    """The share of posts that both give the type, or both don't."""
    return share(counts.posts - counts.wrong, counts.posts)


def _of_types(of: Callable[[Counts], FloatArray]) -> Callable[[IncidentIndex, Measure], Taken]:
    """A measure of one type against all others, as the mean over types."""

    def account(index: IncidentIndex, measure: Measure) -> Taken:
        events, overall, types = _means(index, measure, of)
        if of is f1 and index.rules.f1_mean == "averages":
            parts = (_means(index, measure, each)[:2] for each in (precision, recall))
            events, overall = (_harmonic(*pair) for pair in zip(*parts, strict=True))
        return taken(events=events, overall=overall, types=types, members=index.members(measure))

    return account


def _means(
    index: IncidentIndex, measure: Measure, of: Callable[[Counts], FloatArray]
) -> tuple[Values, Values, Values]:
    """Return the mean over types within each event and over all events, and that of each type."""
    counts = index.once(confusion)
    within = of(counts)
    if index.rules.types_of_event == "labelled":
        within = np.where(counts.true > 0, within, 0.0)
    every = counts.summed(axis=1)
    events, types = Values(within, counts.posts > 0), Values(of(every), every.posts > 0)
    return _mean(index, events, measure), _mean(index, types, measure), types


def _harmonic(one: Values, other: Values) -> Values:
    return Values(share(2 * one.value * other.value, one.value + other.value), one.defined)


def _mean(index: IncidentIndex, values: Values, measure: Measure) -> Values:
    """The mean over types; in a judged pool over those for which any post was judged."""
    members = index.members(measure)
    own = Values(values.value[..., members], values.defined[..., members])
    if index.judged.asked is not None:
        return mean_of_defined(own)
    mean = mean_of_types(own.value, index.divisor(measure))
    return Values(mean.value, mean.defined & values.defined.any(axis=-1))


def _of_any(of: Callable[[Counts], FloatArray]) -> Callable[[IncidentIndex, Measure], Taken]:
    """A measure of posts, right if any type of the run is one of the assessors'."""

    def account(index: IncidentIndex, _: Measure) -> Taken:
        counts = index.once(any_confusion)
        every = counts.summed(axis=1)
        return taken(Values(of(counts), counts.posts > 0), Values(of(every), every.posts > 0))

    return account


def any_confusion(index: IncidentIndex) -> Counts:
    """Count hits, claims and posts to find of each (run, event), by the any-type rules.

    Without refusals every labelled post is to be found. With them a post that the run rightly
    refuses is a true negative, and a post that it wrongly refuses is a false negative.
    """
    rules = index.rules
    useless = index.ontology.chosen((IRRELEVANT, UNSORTED), renamed=False)
    columns: tuple[list[FloatArray], ...] = ([], [], [], [], [])
    for reply in index.replies:
        chosen = reply.chosen
        match = (reply.types & index.judged.types).any(axis=1)
        refused = reply.types[:, useless].any(axis=1) & (rules.refusals == "on")
        hit = match & ~refused
        claimed = ~refused & (reply.types.any(axis=1) | (rules.any_untyped == "wrong"))
        sought = hit | ~(refused & match) & (~claimed | (rules.any_wrong == "both"))
        for column, posts in zip(columns, (claimed, sought, hit, chosen, ~match), strict=True):
            column.append(index.counts(chosen & posts))
    return Counts(*(stacked(column, (len(index.topics),)) for column in columns))


READS = (*LABELLING, *TYPING, "emitted-from")
"""What the counts of posts and types depend on."""
_PARTS: tuple[tuple[str, str, str, Callable[[Counts], FloatArray]], ...] = (
    ("P", "precision", "TP / (TP + FP)", precision),
    ("R", "recall", "TP / (TP + FN)", recall),
    ("F1", "F1", "2 TP / (2 TP + FP + FN)", f1),
    ("accuracy", "accuracy", "(TP + TN) / posts", accuracy),
)
DEFINITIONS = (
    *(
        Definition(
            name=f"type.{name}",
            family=FAMILY,
            title=f"{title} of information types",
            summary=f"{title} of each type against all others, as the mean over types",
            formula=f"mean over types of {formula}, over the labelled posts of all events;"
            " within an event over its posts"
            + ("; or the F1 of mean precision and mean recall: rule f1-mean" * (of is f1)),
            empty_case="0 for a type where it would be 0/0; undefined without labelled posts, and"
            " for a type for which no post of a judged pool was judged",
            range="0 to 1",
            citation=NOTE,
            account=_of_types(of),
            parameters=GROUPS,
            by_group=True,
            check=one_group,
            reads=(*READS, "types-of-event", "type-posts", "actionable", "actionable-mean")
            + ("f1-mean",) * (of is f1),
        )
        for name, title, formula, of in _PARTS
    ),
    *(
        Definition(
            name=f"any.{name}",
            family=FAMILY,
            title=f"{title}, any type",
            summary=f"{title} over posts, right if any type of the run is one of the assessors'",
            formula=f"{formula}, with TP a labelled post with a type in common, FP one to which the"
            " run gives wrong types alone, FN any that is no TP, so that TP + FN are all labelled"
            " posts; the notebook of 2018 counts by the rules any-wrong, any-untyped, refusals",
            empty_case="0 where it would be 0/0; undefined without labelled posts",
            range="0 to 1",
            citation=PAGE_2018,
            account=_of_any(of),
            reads=(*READS, "any-untyped", "any-wrong", "refusals"),
        )
        for name, title, formula, of in _PARTS
    ),
)
