"""What is not wrong with runs and labels of incident streams, but what a reader should know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.doubtful_times import not_in_seconds, spans, years_apart
from tseval.core.wording import count, listed
from tseval.families.incidents.index import IncidentIndex, Reply
from tseval.families.incidents.tables import UNKNOWN, TypeNames
from tseval.tables import ABSENT, Ids
from tseval.tables.arrow import strings

if TYPE_CHECKING:
    from tseval.families.incidents.evaluation import IncidentEvaluation


def caveats(evaluation: IncidentEvaluation, *, in_order: bool = True) -> Iterator[str]:
    """Every warning, those of the labels first; `in_order` says that the order of posts matters."""
    yield from _labels(evaluation)
    made = evaluation.index.judged.time
    yield from not_in_seconds("posts", made[~np.isnan(made)].max(initial=-np.inf))
    yield from years_apart(
        spans("posts", Ids(evaluation.index.judged.event, strings(evaluation.index.topics)), made),
        evaluation.index.topics,
    )
    yield from _timeless(evaluation.index) if in_order else ()
    yield from _types(evaluation.label_types, "labels")
    yield from _types(evaluation.run_types, "runs")
    index = evaluation.index
    for name, reply in zip(index.runs, index.replies, strict=True):
        for said in (*_posts(index, reply), *_priorities(index, reply)):
            yield f"run {name}: {said}"


def _labels(evaluation: IncidentEvaluation) -> Iterator[str]:
    unknown = int((evaluation.labels.level == UNKNOWN).sum())
    if unknown and evaluation.labels.has_levels:
        yield f"{count(unknown, 'label')} of unknown priority"
    if evaluation.labels.unanswered:
        yield f"{count(evaluation.labels.unanswered, 'row')} of a pool without an answer, left out"
    asked = evaluation.index.judged.asked
    if asked is not None and not asked.any(axis=0).all():
        names = np.array(evaluation.index.ontology.types, object)[~asked.any(axis=0)]
        yield f"types for which no post was judged, left out of means: {listed(names.tolist())}"
    if evaluation.labels.nameless:
        number = count(evaluation.labels.nameless, "label")
        yield f"{number} of posts without an id, which no run can have"
    if evaluation.unscored:
        number = count(sum(evaluation.unscored.values()), "label")
        yield f"{number} of events that are no topic, ignored: {listed(list(evaluation.unscored))}"


def _timeless(index: IncidentIndex) -> Iterator[str]:
    if index.rules.order != "time":
        return
    timeless = np.unique(index.judged.event[np.isnan(index.judged.time) & index.met])
    if len(timeless):
        names = listed([index.topics[at] for at in timeless.tolist()])
        yield f"posts without times, taken in the order of the run's file: {names}"


def _types(names: TypeNames, where: str) -> Iterator[str]:
    if names.unknown:
        yield f"{where}: types that the ontology lacks, ignored: {_counted(names.unknown)}"
    if names.short and where == "runs":
        yield f"{where}: types by another than their full name: {_counted(names.short)}"
    if names.odd:
        found = ", ".join(f"{number:,} of {size}" for size, number in sorted(names.odd.items()))
        yield (
            f"{where}: vectors that are not {len(names.ontology)} long, read as far as they go: "
            f"{found}"
        )


def _counted(names: Mapping[str, int]) -> str:
    ordered = sorted(names.items(), key=lambda item: (-item[1], item[0]))
    return listed([f"{name} ({number:,})" for name, number in ordered])


def _posts(index: IncidentIndex, reply: Reply) -> Iterator[str]:
    """Posts that are missing, repeated, or of events that nobody judged."""
    absent = int((reply.row == ABSENT).sum())
    if absent and len(reply.lines):
        yield f"{count(absent, 'labelled post')} missing"
    said = index.predictions
    event, post = said.event.codes[reply.lines], said.post_id.codes[reply.lines]
    repeated = len(post) - len(np.unique(event * (int(post.max(initial=0)) + 1) + post))
    if repeated:
        yield f"{count(repeated, 'line')} repeating a post, of which the last counts"
    lost = said.event.take_names(np.unique(event[index.line_event[reply.lines] == ABSENT]))
    if lost:
        noun = "event" if len(lost) == 1 else "events"
        yield f"{len(lost)} {noun} without labels, ignored: {listed(sorted(lost))}"


def _priorities(index: IncidentIndex, reply: Reply) -> Iterator[str]:
    priority = index.predictions.priority[reply.lines]
    priority = priority[~np.isnan(priority)]
    if len(priority) > 1 and (priority == priority[0]).all():
        yield f"every priority is {priority[0]:g}"
    outside = int(((priority < 0) | (priority > 1)).sum())
    if outside:
        noun = "priority" if outside == 1 else "priorities"
        yield f"{outside:,} {noun} outside of [0, 1]"
