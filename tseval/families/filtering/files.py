"""Reading the runs and truths of filtering: plain tables, and the files of TREC KBA."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tseval.families.filtering import kba
from tseval.families.filtering.tables import Returned, Truth
from tseval.files.faults import FaultList
from tseval.files.frames import FrameInput, is_frame, read_frame, run_names
from tseval.files.inputs import Each, Input
from tseval.files.plain import Rows, read_rows
from tseval.tables import ALL_TOPICS, Ids, InputRecord, Origin, Schema
from tseval.tables.schema import RETURNED, TRUTH

if TYPE_CHECKING:
    import pandas as pd

    from tseval.tables.columns import FloatArray

    Given: TypeAlias = str | Path | Input | pd.DataFrame

ORDER_CURE = "name the runs, then the truth"


def read_returned(sources: Sequence[Given], form: str | None = None, each: Each = map) -> Returned:
    """One or more runs as one table: plain tables, or runs of KBA.

    A run of KBA is called `team-system`; where two files have a run of the same name, it is called
    as its file. A plain table without a column `run` is called as its file. A file without a byte,
    or of comments alone, is an empty run. `each` reads one run after the other, or has them read
    somewhere else.
    """
    inputs = [_input(source, RETURNED) for source in sources]
    names = run_names(inputs)
    parts = list(each(partial(_returned, form=form), inputs, names))
    official = [is_kba(source, form) for source in inputs]
    times = Counter(
        run
        for part, own in zip(parts, official, strict=True)
        for run in (part.run.vocabulary() if own else ())
    )
    return Returned.join(
        [
            _called(part, name) if own and _is_taken(part, times) else part
            for part, name, own in zip(parts, names, official, strict=True)
        ]
    )


def _is_taken(part: Returned, times: Counter[str]) -> bool:
    return any(times[run] > 1 for run in part.run.vocabulary())


def _called(part: Returned, name: str) -> Returned:
    """The runs of a file under the file's name; several get their own names after it."""
    own = part.run.vocabulary()
    names = [name] if len(own) == 1 else [f"{name}:{run}" for run in own]
    renamed = Ids.of(names)
    return replace(part, run=Ids(renamed.codes[part.run.codes], renamed.names))


def is_kba(source: Input, form: str | None = None) -> bool:
    """Whether an input is a file of the track, by its content."""
    if form is not None or isinstance(source, FrameInput):
        return False
    return kba.first_fields(source) is not None


def _returned(source: Input, name: str, form: str | None) -> Returned:
    if not isinstance(source, FrameInput) and not source.head(1):
        return _empty_run(source, name)
    if is_kba(source, form):
        return _official_run(source, name)
    rows = _rows(source, RETURNED, form)
    time, run = rows.get("time"), rows.get("run")
    return Returned(
        run=Ids.constant(name, len(time)) if run is None or not len(time) else run,
        topic=rows.get("topic"),
        post_id=rows.get("post_id"),
        time=time,
        confidence=rows.get("confidence"),
        rating=np.full(len(time), np.nan),
        origin=rows.origin,
    )


def _official_run(source: Input, name: str) -> Returned:
    if kba.table_of(source) == "truth":
        _refuse(source, "a truth stands where a run is expected", ORDER_CURE)
    rows = kba.read_kba(source, kba.run_layout(source))
    time, rating = rows.get("time"), rows.get("rating")
    return Returned(
        run=rows.get("run") if len(time) else Ids.constant(name, 0),
        topic=rows.get("topic"),
        post_id=rows.get("post_id"),
        time=time,
        confidence=rows.get("confidence"),
        rating=np.full(len(time), np.nan) if rating is None else rating,
        origin=rows.origin,
    )


def _official_truth(source: Input) -> Rows:
    if kba.first_fields(source) and kba.table_of(source) != "truth":
        cure = f"{ORDER_CURE}; each line of a truth begins with who judged: {kba.JUDGES}"
        _refuse(source, "a run stands where the truth is expected", cure)
    return kba.read_kba(source, kba.TRUTH)


def _refuse(source: Input, reason: str, cure: str) -> None:
    """Raise that a whole file stands in the wrong place."""
    faults = FaultList(source)
    faults.add(None, reason, cure)
    faults.check()


def _empty_run(source: Input, name: str) -> Returned:
    none, ids = np.zeros(0), Ids.constant("", 0)
    record = InputRecord(source.path, lambda: source.sha256, 0)
    origin = Origin.single(record, np.zeros(0, np.int64))
    return Returned(Ids.constant(name, 0), ids, ids, none, none, none, origin)


def read_truth(source: Given, form: str | None = None) -> Truth:
    """The judgments; there must be one, and no topic of the name of all of them together."""
    given = _input(source, TRUTH)
    official = is_kba(given, form)
    rows = _official_truth(given) if official else _rows(given, TRUTH, form)
    rating = rows.get("rating" if official else "relevance")
    confidence = rows.get("confidence")
    truth = Truth(
        topic=rows.get("topic"),
        post_id=rows.get("post_id"),
        time=_times(rows, len(rating)),
        rating=rating,
        sure=np.ones(len(rating), bool) if confidence is None else confidence > 0,
        origin=rows.origin,
        official=official,
    )
    faults = FaultList(given)
    if not len(truth):
        faults.add(None, "holds no judgments", "without judgments there is nothing to score")
    faults.check()
    _check_names(truth, faults)
    return truth


def _check_names(truth: Truth, faults: FaultList) -> None:
    """No topic may have the name under which all topics together stand: no mean, but one tally."""
    if ALL_TOPICS not in truth.topic.vocabulary():
        return
    named = truth.topic.codes == truth.topic.vocabulary().index(ALL_TOPICS)
    reason = f'a topic is called "{ALL_TOPICS}", the name of the row of all topics together'
    cure = "give the topic another name, in the runs too"
    faults.extend(
        truth.origin.fault(row, reason, cure) for row in np.flatnonzero(named)[:1].tolist()
    )
    faults.check()


def _times(rows: Rows, number: int) -> FloatArray:
    """When each document came; NaN where the table doesn't tell."""
    time: FloatArray | None = rows.get("time")
    return np.full(number, np.nan) if time is None else time


def _input(source: Given, schema: Schema) -> Input:
    if is_frame(source):
        return FrameInput(source, schema.table)
    return source if isinstance(source, Input) else Input(str(source))


def _rows(source: Input, schema: Schema, form: str | None) -> Rows:
    if isinstance(source, FrameInput):
        return read_frame(source, schema)
    return read_rows(source, schema, form)
