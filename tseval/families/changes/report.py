"""The section of a report on change detection: all sets of every run side by side."""

from __future__ import annotations

from collections.abc import Iterator

from tseval.core.blocks import Block, Head, Note, Rows
from tseval.core.family import Asked
from tseval.core.sections import Reporting, Section, Setting
from tseval.families.changes.evaluation import ChangeEvaluation, ChangeOptions
from tseval.families.changes.explanation import SHOWN, sets
from tseval.families.changes.measures import UNITS


def compared(evaluation: ChangeEvaluation, setting: Setting[ChangeOptions]) -> Iterator[Block]:
    """Every measure of both levels over all units, has-answer units and nil units."""
    yield Note(
        "A unit is a question, or the ranking of a topic’s questions, on a day. On nil units there "
        "is nothing to return and silence is worth 1; a mean over all units mixes it with gains."
    )
    frame = sets(evaluation, Asked((), setting.options)).frame
    rows = [
        (setting.run(run), *rest)
        for run, *rest in frame.astype(object).where(frame.notna(), None).itertuples(index=False)
    ]
    heads = (
        Head("run", "run"),
        Head("level", "text"),
        Head("set", "text"),
        Head(UNITS, "count"),
        *(Head(name) for name in SHOWN),
    )
    order = {key: at for at, key in enumerate(dict.fromkeys((row[1], row[2]) for row in rows))}
    rows.sort(key=lambda row: (order[row[1], row[2]], row[0]))
    yield Rows("Measures of every run, level and set", heads, tuple(rows))


REPORT = Reporting(
    (Section("sets", "Has-answer and nil units", compared),),
    takes=("lenient",),
    retold=lambda traits: ChangeOptions(lenient="lenient" in traits),
)
