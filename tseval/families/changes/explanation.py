"""What change detection shows beside scores: all sets side by side, questions, and single days."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.core.family import Asked, Shown
from tseval.core.registry import measure
from tseval.core.scoring import scores_of
from tseval.families.changes.evaluation import ChangeEvaluation, ChangeOptions
from tseval.families.changes.index import DOCUMENT_LEVEL, QUESTION_LEVEL, ChangeIndex, Level
from tseval.families.changes.measures import (
    FAMILY,
    HAS_ANSWER,
    LEVEL,
    NIL,
    OVERALL,
    SILENT,
    UNITS,
    values_of,
)
from tseval.tables.times import written

if TYPE_CHECKING:
    import pandas as pd

SETS = (OVERALL, HAS_ANSWER, NIL)
SHOWN = ("tRR", "tRBP", "tNDCG", "tAP", "tAP(ideal)", SILENT)
"""The measures of a unit."""
QUIET = "Days on which there was nothing to return and nothing was returned are not listed."
OF_ALL_QUESTIONS = "(questions)"
"""What stands for a qid where the questions themselves are ranked."""


def named(name: str, level: str, units: str) -> str:
    """A measure of a level and a set of units, as it is written."""
    base, _, own = name.rstrip(")").partition("(")
    where = [
        f"{LEVEL}={level}" if level != QUESTION_LEVEL else "",
        f"{UNITS}={units}" if units != OVERALL else "",
    ]
    given = [each for each in (own, *where) if each]
    return f"{base}({','.join(given)})" if given else base


def sets(evaluation: ChangeEvaluation, asked: Asked[ChangeOptions]) -> Shown:
    """Every measure of both levels over all units, has-answer units and nil units."""
    import pandas as pd

    keys = [(level, units) for level in (DOCUMENT_LEVEL, QUESTION_LEVEL) for units in SETS]
    names = {(*key, name): named(name, *key) for key in keys for name in (UNITS, *SHOWN)}
    wanted = [measure(name, FAMILY) for name in names.values()]
    scores = scores_of(evaluation, wanted, asked.on_missing, asked.undefined, per_topic=False)
    rows = []
    for run in scores.runs:
        for level, units in keys:
            values = [
                scores.value(measure(names[level, units, name], FAMILY), run=run)
                for name in (UNITS, *SHOWN)
            ]
            rows.append((run, level, units, int(values[0] or 0), *values[1:]))
    columns = ["run", "level", "set", UNITS, *SHOWN]
    return Shown(pd.DataFrame(rows, columns=columns))


def by_question(evaluation: ChangeEvaluation, _: Asked[ChangeOptions]) -> Shown:
    """Every question of every run: the means over its days."""
    import pandas as pd

    frames = [_means(evaluation.index, level) for level in (DOCUMENT_LEVEL, QUESTION_LEVEL)]
    frame = pd.concat(frames, ignore_index=True)
    runs = {run: at for at, run in enumerate(evaluation.index.runs)}
    order = frame["run"].map(runs).sort_values(kind="stable").index
    return Shown(frame.loc[order].reset_index(drop=True))


def _means(index: ChangeIndex, name: str) -> pd.DataFrame:
    """The means over days of every ranking of a level."""
    import pandas as pd

    level, days = index.levels[name], len(index.days)
    first = np.arange(0, len(level.day), days)
    frame = pd.DataFrame(_labels(index, level, first))
    frame["days"] = days
    frame["answers"] = level.ranked.has_answer.reshape(-1, days).sum(axis=1)
    for shown in SHOWN:
        values = values_of(index, measure(named(shown, name, OVERALL), FAMILY))
        frame[shown] = values.reshape(-1, days).mean(axis=1)
    return frame


def _labels(index: ChangeIndex, level: Level, units: Any) -> dict[str, list[str]]:
    """The run, topic and question of each of these units."""
    run, topic = np.divmod(level.topic_unit[units], len(index.topics))
    qids = (*index.questions, OF_ALL_QUESTIONS)
    return {
        "run": [index.runs[at] for at in run.tolist()],
        "topic": [index.topics[at] for at in topic.tolist()],
        "qid": [qids[at] for at in level.question[units].tolist()],
    }


def days(evaluation: ChangeEvaluation, _: Asked[ChangeOptions]) -> Shown:
    """Every ranking that returns anything or should have: its gains, its end, its values."""
    import pandas as pd

    index = evaluation.index
    frames = [_units(index, level) for level in (DOCUMENT_LEVEL, QUESTION_LEVEL)]
    return Shown(
        pd.concat(frames, ignore_index=True),
        notes=(QUIET,),
    )


def _units(index: ChangeIndex, name: str) -> pd.DataFrame:
    import pandas as pd

    level = index.levels[name]
    ranked = level.ranked
    units = np.flatnonzero(ranked.has_answer | ~ranked.silent)
    frame = pd.DataFrame(_labels(index, level, units))
    frame["day"] = [index.days[at] for at in level.day[units].tolist()]
    lists = dict(zip(ranked.unit.tolist(), _lists(level), strict=True))
    ends = dict(zip(ranked.unit.tolist(), ranked.ends(ranked.returned()).tolist(), strict=True))
    frame["gains"] = [lists.get(unit, "") for unit in units.tolist()]
    frame["end"] = [ends.get(unit, 0.0) for unit in units.tolist()]
    frame["total"] = ranked.total[units]
    for shown in SHOWN[:-1]:
        frame[shown] = values_of(index, measure(named(shown, name, OVERALL), FAMILY))[units]
    return frame


def _lists(level: Level) -> Iterator[str]:
    """The gains of each ranking in their order; those that tie in brackets."""
    items, groups = level.ranked.items, level.ranked.groups
    for start, length in zip(
        level.ranked.start.tolist(), level.ranked.length.tolist(), strict=True
    ):
        rows = range(start, start + length)
        yield " ".join(_written(items.gain, groups.place, groups.size, row) for row in rows)


def _written(gain: Any, place: Any, size: Any, row: int) -> str:
    alone = size[row] == 1
    opens = "" if alone or place[row] else "["
    closes = "" if alone or place[row] + 1 < size[row] else "]"
    return f"{opens}{written(gain[row])}{closes}"
