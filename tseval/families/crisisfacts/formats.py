"""The files of CrisisFACTS as `tseval validate` and `tseval import` know them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from tseval.families.crisisfacts.files import (
    is_collapsed,
    is_labels,
    read_collapsed,
    read_labels,
    read_requests,
)
from tseval.families.crisisfacts.items import is_gold, is_items, read_gold, read_items
from tseval.families.crisisfacts.run_lines import is_run, read_run, remarks
from tseval.families.crisisfacts.tables import (
    COLLAPSED,
    GOLD_FACTS,
    ITEMS,
    LABELS,
    REQUESTS,
    Requests,
    RunFacts,
    event_of,
)
from tseval.files.formats import Format, Line, Rank
from tseval.files.imports import Import, Imported, NothingAsked, numbers_as_text
from tseval.files.inputs import Input

RUN = "crisisfacts run"
"""A run as it was sent in, which no score reads as it is."""


def _collapsed(paths: Sequence[str], _: NothingAsked) -> Imported:
    """Collapsed facts: a row a raw fact."""
    facts = read_collapsed(paths)
    columns: dict[str, Sequence[str]] = {
        "request": facts.request.to_list(),
        "collapsed_fact_id": facts.collapsed_fact_id.to_list(),
        "relevant_fact": facts.relevant_fact.to_list(),
        "importance": numbers_as_text(facts.importance),
    }
    if facts.fact_text is not None:
        columns["fact_text"] = list(facts.fact_text)
    return Imported(columns)


def _labels(paths: Sequence[str], _: NothingAsked) -> Imported:
    """Labels: a row each."""
    labels = read_labels(paths[0])
    columns: dict[str, Sequence[str]] = {
        "collapsed_fact_id": labels.collapsed_fact_id.to_list(),
        "label": labels.label.to_list(),
    }
    if labels.assessor is not None:
        columns["assessor"] = labels.assessor.to_list()
    return Imported(columns)


def _gold(paths: Sequence[str], _: NothingAsked) -> Imported:
    """Gold facts: a row each, called by its request and its place."""
    gold = read_gold(paths[0])
    columns: dict[str, Sequence[str]] = {
        "request": gold.request.to_list(),
        "fact_id": gold.fact_id.to_list(),
    }
    if gold.day is not None:
        columns["day"] = numbers_as_text(gold.day)
    if gold.fact is not None:
        columns["fact"] = list(gold.fact)
    return Imported(columns)


def _items(paths: Sequence[str], _: NothingAsked) -> Imported:
    """Assessed items: a row each."""
    items = read_items(paths)
    return Imported(
        {
            "run": items.run.to_list(),
            "request": items.request.to_list(),
            "importance": numbers_as_text(items.importance),
            "status": items.status.to_list(),
            "facts": items.facts.to_list(),
        }
    )


def _run(paths: Sequence[str], _: NothingAsked) -> Imported:
    """A run as updates of events, called by their request and their place in it, from 1."""
    facts = read_run(Input(paths[0]), strict=False)
    requests = facts.request.to_list()
    places = {name: count(1) for name in requests}
    told = [f"{facts.origin.sources[0].path}:{line}: {reason}" for line, reason in facts.minded]
    shown = told[:MOST_TOLD]
    rest = len(told) - len(shown)
    more = [f"{rest} more lines that the track's checker refuses"] if rest else []
    return Imported(
        {
            "run": facts.run.to_list(),
            "topic": [event_of(name) for name in requests],
            "update_id": [f"{name}-{next(places[name]):04d}" for name in requests],
            "time": numbers_as_text(facts.time),
            "text": list(facts.text),
            "confidence": numbers_as_text(facts.importance),
        },
        warnings=(*shown, *more),
    )


MOST_TOLD = 10
"""How many lines that the checker refuses an import names."""


def together(read: Sequence[Any]) -> Iterator[Line]:
    """The requests of runs that are none of those that are known."""
    known = {
        name for each in read if isinstance(each, Requests) for name in each.request.vocabulary()
    }
    for run in (each for each in read if isinstance(each, RunFacts) and known):
        for row, request in enumerate(run.request.to_list()):
            if request not in known:
                reason = f'"{request}" is no known request'
                yield str(run.origin.fault(row, reason, "leave it out", "unknown-id")), True


FORMATS = (
    Format(
        RUN,
        lambda source, _, __: read_run(source, strict=True),
        is_run,
        rank=Rank.SURE,
        reads_tables=False,
        remarks=remarks,
        imports=(Import("crisisfacts-run", "runs of CrisisFACTS, as updates of events", _run),),
    ),
    Format(
        COLLAPSED.table,
        lambda source, form, _: read_collapsed([source], form),
        is_collapsed,
        rank=Rank.SURE,
        imports=(
            Import(
                "crisisfacts-collapsed",
                "collapsed facts of CrisisFACTS 2023",
                _collapsed,
                several=True,
            ),
        ),
    ),
    Format(
        LABELS.table,
        lambda source, form, _: read_labels(source, form),
        is_labels,
        rank=Rank.SURE,
        imports=(
            Import("crisisfacts-labels", "labels of collapsed facts, a list of triples", _labels),
        ),
    ),
    Format(
        GOLD_FACTS.table,
        lambda source, form, _: read_gold(source, form),
        is_gold,
        rank=Rank.SURE,
        imports=(Import("crisisfacts-gold", "gold facts of CrisisFACTS 2022", _gold),),
    ),
    Format(
        ITEMS.table,
        lambda source, form, _: read_items([source], form),
        is_items,
        rank=Rank.SURE,
        imports=(
            Import(
                "crisisfacts-items",
                "assessed items of runs, a request a line",
                _items,
                several=True,
            ),
        ),
    ),
    Format(REQUESTS.table, lambda source, form, _: read_requests(source, form)),
)
