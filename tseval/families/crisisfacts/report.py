"""The section of a report on CrisisFACTS: how much of each day's facts every run says."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tseval.core.blocks import Block, Head, Note, Rows, Shaded
from tseval.core.sections import Reporting, Section, Setting
from tseval.families.crisisfacts.evaluation import CrisisEvaluation
from tseval.families.crisisfacts.explanation import over_runs
from tseval.families.crisisfacts.inputs import CrisisOptions
from tseval.families.crisisfacts.measures import COMPREHENSIVENESS, values_of


def by_request(evaluation: CrisisEvaluation, setting: Setting[CrisisOptions]) -> Iterator[Block]:
    """What the track prints of each request, and comprehensiveness by request and run."""
    index = evaluation.without_missing().index
    names = [name for name in evaluation.default_measures() if name != "f1"]
    yield Note(
        "A request is an event and a day. Means are over the runs that have anything on it; a run "
        "that has nothing is no 0 here. A darker cell says more of what there was to say."
    )
    means = [over_runs(index, name).tolist() for name in names]
    number = index.there.sum(axis=0).tolist()
    rows = [
        (request, runs, *(None if np.isnan(value) else value for value in own))
        for request, runs, *own in zip(index.requests, number, *means, strict=True)
    ]
    heads = (Head("request", "text"), Head("runs", "count"), *(Head(name) for name in names))
    yield Rows("Means of every request", heads, tuple(rows))
    values = values_of(index, COMPREHENSIVENESS)
    cells = [
        tuple(value if known else None for value, known in zip(own, there, strict=True))
        for own, there in zip(values.value.T.tolist(), values.defined.T.tolist(), strict=True)
    ]
    runs = tuple(setting.run(run) for run in index.runs)
    yield Shaded(
        "Comprehensiveness by request and run", "request", index.requests, runs, tuple(cells)
    )


REPORT = Reporting((Section("requests", "Requests", by_request),), retold=lambda _: CrisisOptions())
