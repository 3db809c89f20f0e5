"""What a reader of scores of incident streams should know: warnings, and refusals of odd files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.doubtful_times import spans, years_apart
from tseval.core.wording import count, listed
from tseval.errors import Fault, InputError, UsageError
from tseval.families.incidents.index import IncidentIndex, Reply
from tseval.families.incidents.tables import UNKNOWN, TypeNames
from tseval.files.inputs import Input
from tseval.tables import ABSENT, ALL_TOPICS, Ids, distinct
from tseval.tables.arrow import strings

if TYPE_CHECKING:
    from tseval.families.incidents.inputs import IncidentTables


def caveats(
    tables: IncidentTables, index: IncidentIndex, *, in_order: bool = True
) -> Iterator[str]:
    """Every warning, those of the labels first; `in_order` says that the order of posts matters."""
    yield from _labels(tables, index)
    made = index.judged.time
    yield from years_apart(
        spans("posts", Ids(index.judged.event, strings(index.topics)), made),
        index.topics,
    )
    yield from _timeless(index) if in_order else ()
    yield from _types(tables.label_types, "labels")
    yield from _types(tables.run_types, "runs")
    for name, reply in zip(index.runs, index.replies, strict=True):
        for said in (*_posts(index, reply), *_priorities(index, reply)):
            yield f"run {name}: {said}"


def _labels(tables: IncidentTables, index: IncidentIndex) -> Iterator[str]:
    labels = tables.labels
    unknown = int((labels.level == UNKNOWN).sum())
    if unknown and labels.has_levels:
        yield f"{count(unknown, 'label')} of unknown priority"
    if labels.unanswered:
        yield f"{count(labels.unanswered, 'row')} of a pool without an answer, left out"
    asked = index.judged.asked
    if asked is not None and not asked.any(axis=0).all():
        names = np.array(index.ontology.types, object)[~asked.any(axis=0)]
        yield f"types for which no post was judged, left out of means: {listed(names.tolist())}"
    if labels.nameless:
        number = count(labels.nameless, "label")
        yield f"{number} of posts without an id, which no run can have"
    if tables.unscored:
        number = count(sum(tables.unscored.values()), "label")
        yield f"{number} of events that are no topic, ignored: {listed(list(tables.unscored))}"


def _timeless(index: IncidentIndex) -> Iterator[str]:
    if index.rules.order != "time":
        return
    timeless = distinct(index.judged.event[np.isnan(index.judged.time) & index.met])
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
    repeated = len(post) - len(distinct(event * (int(post.max(initial=0)) + 1) + post))
    if repeated:
        yield f"{count(repeated, 'line')} repeating a post, of which the last counts"
    lost = said.event.take_names(distinct(event[index.line_event[reply.lines] == ABSENT]))
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


def check_names(index: IncidentIndex) -> None:
    """Events, types and the mean stand in one column of every output."""
    if ALL_TOPICS in index.topics:
        raise UsageError(f"an event cannot be called '{ALL_TOPICS}', the name of the mean")
    for name in index.topics:
        if name in index.ontology.types:
            raise UsageError(f"'{name}' is both an event and a type: call one of them otherwise")


def check_met(index: IncidentIndex) -> None:
    """A run that has lines, but none that speaks of a labelled post, is likely a wrong file."""
    for name, reply in zip(index.runs, index.replies, strict=True):
        if len(reply.lines) and (reply.row == ABSENT).all():
            row = int(reply.lines[0])
            said = index.predictions
            event = said.event[row]
            reason = (
                f'no line of run "{name}" speaks of a labelled post: here post '
                f'"{said.post_id[row]}" of event "{event}", in the labels '
                f"{listed(list(index.topics))}"
            )
            cure = (
                "give the labels of the posts that the run speaks of, by the same ids"
                if event in index.topics
                else "runs call events as the labels do, or by the numbers that the track's file "
                "of topics gives them (--topics FILE)"
            )
            raise _quoted(said.origin.fault(row, reason, cure, "unrelated-inputs"))


def _quoted(fault: Fault) -> InputError:
    """A fault as an error, with the text of its line where that can be read again."""
    source = Input(fault.file)
    if fault.unit != "line" or not source.can_be_read_again:
        return InputError([fault])
    lines = source.lines({fault.line or 0})
    return InputError([replace(fault, text=lines.get(fault.line or 0, ""))])
