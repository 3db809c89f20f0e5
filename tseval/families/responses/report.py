"""The section of a report on responses: how far runs say nuggets, and which ones few say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tseval.core.blocks import Block, Head, Note, Rows
from tseval.core.sections import Reporting, Section, Setting
from tseval.families.responses.evaluation import ResponseEvaluation
from tseval.families.responses.index import ResponseIndex
from tseval.families.responses.inputs import ResponseOptions
from tseval.families.responses.tables import MANDATORY, OKAY, OPTIONAL, VITAL, Sort

if TYPE_CHECKING:
    from tseval.tables.columns import IntArray

PARTS = ("in full", "in part", "not at all")
FULL, IN_PART = 2, 1
KINDS, OTHER = (VITAL, OKAY), "other"
"""How important nuggets are; a word that is neither is `other`."""
FEWEST = 20
"""How many nuggets the table of those that few runs say has."""


class Said(NamedTuple):
    """A nugget of a topic, and how far each run says it at the end."""

    topic: str
    name: str
    importance: str
    grades: dict[str, int]
    """By run; of several responses the best."""

    def share(self, grade: int) -> float:
        """The share of runs that say it so far."""
        return float(np.mean([each == grade for each in self.grades.values()]))


def grades_at_the_end(index: ResponseIndex) -> IntArray:
    """The grade of each item after everything was said."""
    steps = index.steps
    order = np.argsort(steps.date, kind="stable")
    found = np.zeros(len(index.nugget), np.int64)
    found[steps.item[order]] = steps.after[order]
    return found


def nuggets_of(index: ResponseIndex) -> list[Said]:
    """Every nugget of every topic, in the order of the topics."""
    found: dict[tuple[str, object], Said] = {}
    is_graded = index.sort is Sort.GRADES
    unit = index.cell_unit[index.cell]
    rows = zip(unit.tolist(), index.nugget, grades_at_the_end(index).tolist(), strict=True)
    for at, nugget, grade in rows:
        run, topic = divmod(at, len(index.topics))
        key = index.topics[topic], nugget.key
        name = nugget.key[0] or nugget.id
        kind = nugget.importance if nugget.importance in KINDS or not is_graded else OTHER
        said = found.setdefault(key, Said(key[0], name, kind, {}))
        known = said.grades.get(index.runs[run], 0)
        said.grades[index.runs[run]] = max(known, grade)
    return list(found.values())


def labels(evaluation: ResponseEvaluation, setting: Setting[ResponseOptions]) -> Iterator[Block]:
    """How far each run says the nuggets, and which nuggets few say."""
    index = evaluation.responses
    if index.sort not in (Sort.GRADES, Sort.VERDICTS, Sort.HITS):
        yield Note(f"The files hold {index.sort.value}, which are not of nuggets one by one.")
        return
    every = nuggets_of(index)
    yield Note(
        "Each nugget is counted once for each run that was labelled on its topic, by how far the "
        "run says it at the end; of versions by the rules of the scores."
    )
    yield Rows("How far each run says the nuggets", _heads(), tuple(_of_runs(every, setting)))
    few = sorted(every, key=lambda each: (each.share(FULL), each.share(IN_PART)))[:FEWEST]
    heads = (
        Head("topic", "name"),
        Head("nugget", "name"),
        Head("importance", "text"),
        Head("runs", "count"),
        Head("in full", decimals=2),
        Head("in part", decimals=2),
    )
    rows = tuple(
        (e.topic, e.name, e.importance, len(e.grades), e.share(FULL), e.share(IN_PART)) for e in few
    )
    caption = f"Up to {FEWEST} nuggets, with the share of runs that say them."
    yield Rows("Nuggets that the fewest runs say", heads, rows, caption)


def _heads() -> tuple[Head, ...]:
    return (
        Head("run", "run"),
        Head("importance", "text"),
        Head("nuggets", "count"),
        Head("said", "parts", parts=PARTS),
        *(Head(each, "count") for each in PARTS),
    )


def _of_runs(every: list[Said], setting: Setting[ResponseOptions]) -> Iterator[tuple[object, ...]]:
    """A row for each importance and run."""
    order = (*KINDS, MANDATORY, OPTIONAL, OTHER, "")
    found = {each.importance for each in every}
    kinds = sorted(found, key=lambda each: order.index(each) if each in order else len(order))
    runs = sorted({run for each in every for run in each.grades}, key=setting.run)
    for kind in kinds:
        for run in runs:
            grades = [
                each.grades[run] for each in every if each.importance == kind and run in each.grades
            ]
            parts = tuple(grades.count(grade) for grade in (FULL, IN_PART, 0))
            yield setting.run(run), kind, len(grades), parts, *parts


REPORT = Reporting(
    (
        Section(
            "labels",
            "What responses say",
            labels,
            "How far runs say each nugget is told from their labels",
        ),
    ),
    retold=lambda _: ResponseOptions(),
)
