"""What the command shows beside scores: requests, runs' rows of them, facts, items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.core.family import Asked, Shown, View
from tseval.core.scoring import counted
from tseval.errors import UsageError
from tseval.families.crisisfacts.index import CrisisIndex, Judged, Pool
from tseval.families.crisisfacts.inputs import CrisisOptions
from tseval.families.crisisfacts.measures import DEFINITIONS, needs, values_of
from tseval.tables import ABSENT
from tseval.tables.times import dated

if TYPE_CHECKING:
    from tseval.families.crisisfacts.evaluation import CrisisEvaluation
    from tseval.tables.columns import FloatArray, IntArray


def _names(asked: Asked[CrisisOptions], index: CrisisIndex) -> list[str]:
    """The measures that were asked for, without their times."""
    names = [each.definition.name for each in asked.measures]
    if any(each.at is not None for each in asked.measures):
        raise UsageError("requests have one value each: leave the @TIME out")
    known = [each.name for each in DEFINITIONS if needs(each.name) <= index.counts.keys()]
    return [name for name in dict.fromkeys(names) if name in known]


def _days(index: CrisisIndex, request: IntArray) -> dict[str, list[str]]:
    if not index.dated:
        return {}
    return {"day": [dated(second)[:10] for second in index.day[request].tolist()]}


def rows_of_runs(evaluation: CrisisEvaluation, asked: Asked[CrisisOptions]) -> Shown:
    """A row for each run and each request that counts for it, with what there is."""
    import pandas as pd

    index = counted(evaluation, asked.on_missing).index
    run, request = np.nonzero(index.there | index.counts_missing)
    frame = pd.DataFrame(
        {
            "run": [index.runs[at] for at in run.tolist()],
            "request": [index.requests[at] for at in request.tolist()],
        }
        | _days(index, request)
    )
    for name, numbers in index.counts.items():
        own = numbers[run, request]
        frame[name if name == "score" else f"n_{name}"] = (
            own if name == "score" else own.astype(int)
        )
    for name in _names(asked, index):
        values = values_of(index, name)
        found = np.where(values.defined, values.value, np.nan)
        frame[name] = found[run, request]
    return Shown(frame, traits=_missing(evaluation, asked))


def table_of_requests(evaluation: CrisisEvaluation, asked: Asked[CrisisOptions]) -> Shown:
    """A row for each request: the mean over the runs that have a row, as the track prints it."""
    import pandas as pd

    index = counted(evaluation, asked.on_missing).index
    every = np.arange(len(index.requests))
    frame = pd.DataFrame({"request": index.requests} | _days(index, every))
    frame["runs"] = (index.there | index.counts_missing).sum(axis=0)
    frame["gold"] = index.counts["gold"][0].astype(int)
    for name in _names(asked, index):
        frame[name] = over_runs(index, name)
    return Shown(frame, traits=_missing(evaluation, asked))


def _missing(evaluation: CrisisEvaluation, asked: Asked[CrisisOptions]) -> dict[str, str]:
    """The part of the signature that says what requests count that a run lacks."""
    return {"missing": asked.on_missing or evaluation.edition.on_missing}


def over_runs(index: CrisisIndex, name: str) -> FloatArray:
    """The mean of a measure of each request over runs; NaN where it is undefined for all."""
    values = values_of(index, name)
    number = values.defined.sum(axis=0)
    total = np.where(values.defined, values.value, 0.0).sum(axis=0)
    mean: FloatArray = np.divide(total, number, out=np.full(len(number), np.nan), where=number > 0)
    return mean


def facts(evaluation: CrisisEvaluation, _: Asked[CrisisOptions]) -> Shown:
    """A row for each collapsed fact: whether it counts, its labels, what it is worth, and whose."""
    import pandas as pd

    pool = evaluation.held
    if not isinstance(pool, Pool):
        raise UsageError("--explain facts looks at collapsed facts: here are none")
    order = np.lexsort((pool.rank, pool.request))
    labels = pool.labels.label.to_list()
    given = _gathered(pool.labelled, labels, len(pool.rank))
    runs = _gathered(pool.fact, [pool.runs[at] for at in pool.run.tolist()], len(pool.rank))
    rows = pool.first[order]
    frame = pd.DataFrame(
        {
            "request": [pool.requests[at] for at in pool.request[order].tolist()],
            "fact": pool.table.collapsed_fact_id.rows(rows).to_list(),
            "rank": pool.rank[order] + 1,
            "importance": pool.table.importance[rows],
            "counts": np.where(pool.counts[order], "yes", "no"),
            "labels": [" ".join(given[at]) for at in order.tolist()],
            "score": pool.score[order],
            "runs": [" ".join(runs[at]) for at in order.tolist()],
        }
    )
    if pool.table.fact_text is not None:
        frame["text"] = list(pool.table.fact_text.rows(rows))
    return Shown(frame)


def _gathered(fact: IntArray, names: Sequence[str], number: int) -> list[list[str]]:
    """The names that belong to each fact, in their order."""
    found: list[list[str]] = [[] for _ in range(number)]
    for at, name in zip(fact.tolist(), names, strict=True):
        if at != ABSENT:
            found[at].append(name)
    return found


def items(evaluation: CrisisEvaluation, _: Asked[CrisisOptions]) -> Shown:
    """A row for each item: its rank, whether it counts, and the gold facts of its day it says."""
    import pandas as pd

    own = evaluation.held
    if not isinstance(own, Judged):
        raise UsageError("--explain items looks at assessed items: here are none")
    matched = _gathered(own.item, own.facts.fact_id.take_names(own.fact), len(own.row))
    order = np.lexsort((own.rank, own.request, own.run))
    rows = own.row[order]
    frame: dict[str, Any] = {
        "run": [own.runs[at] for at in own.run[order].tolist()],
        "request": [own.requests[at] for at in own.request[order].tolist()],
        "rank": own.rank[order] + 1,
        "importance": own.table.importance[rows],
        "counts": np.where(own.counts[order], "yes", "no"),
        "status": [each.strip() for each in own.table.status.rows(rows).to_list()],
        "facts": [" ".join(matched[at]) for at in order.tolist()],
    }
    return Shown(pd.DataFrame(frame))


VIEWS = (
    View(
        "requests",
        "each request of each run: what there is, and the measures",
        rows_of_runs,
        takes_measures=True,
        by_topic=False,
    ),
    View(
        "table",
        "each request: the mean over the runs that have a row, as the track prints it",
        table_of_requests,
        takes_measures=True,
        by_topic=False,
    ),
    View(
        "facts",
        "each collapsed fact: its rank, labels and score, and the runs that have it",
        facts,
        by_topic=False,
    ),
    View("items", "each item of 2022: its rank, status and facts", items, by_topic=False),
)
