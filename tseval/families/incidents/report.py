"""The sections of a report on incident streams: alerts, types, priorities, and trust in alerts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tseval.core.blocks import (
    Block,
    Crossed,
    Folded,
    Head,
    Note,
    Panels,
    Rows,
    Shaded,
    Warned,
)
from tseval.core.sections import Reporting, Section, Setting
from tseval.errors import UsageError
from tseval.families.incidents.alert_lists import AlertLists
from tseval.families.incidents.evaluation import IncidentEvaluation
from tseval.families.incidents.explanation import confusion_table, priority_table
from tseval.families.incidents.inputs import IncidentOptions
from tseval.families.incidents.picture import trust_panels
from tseval.families.incidents.tables import LEVELS, UNKNOWN

if TYPE_CHECKING:
    import pandas as pd

COUNTS, SHARES = ("TP", "FP", "FN", "TN"), ("precision", "recall", "F1")


def alerts(evaluation: IncidentEvaluation, setting: Setting[IncidentOptions]) -> Iterator[Block]:
    """What became of alerts: a row a run, what was missed, and what was false; searchable."""
    if not evaluation.tables.labels.has_levels:
        return
    yield Note(
        "An alert is true if assessors found the post High or Critical. Missed are such posts "
        "without an alert, those too that a run does not have."
    )
    lists = AlertLists.of(evaluation, setting)
    yield lists.of_runs()
    found = lists.lists()
    if found is not None:
        yield found


def types(evaluation: IncidentEvaluation, setting: Setting[IncidentOptions]) -> Iterator[Block]:
    """F1 of each type by run, those that call for action first; and each run in full."""
    by_run: dict[int, list[dict[str, Any]]] = {}
    for row in sorted(_records(confusion_table(evaluation.index)), key=_by_weight):
        star = " *" if row["actionable"] == "yes" else ""
        by_run.setdefault(setting.run(row["run"]), []).append(row | {"type": row["type"] + star})
    runs = tuple(sorted(by_run))
    if not runs:
        return
    yield Note(
        "F1 of each type against all others. The types that call for action come first and have a "
        "star; of these, and of the others, those that most posts have."
    )
    kinds = tuple(row["type"] for row in by_run[runs[0]])
    found = {(run, row["type"]): row for run, rows in by_run.items() for row in rows}
    yield Shaded(
        "F1 by information type and run",
        "type",
        kinds,
        runs,
        tuple(tuple(found[run, kind]["F1"] for run in runs) for kind in kinds),
        "posts",
        tuple(max(_posts(found[run, kind]) for run in runs) for kind in kinds),
    )
    yield Folded(
        "Counts of every run", tuple(_counts(setting.runs[run], by_run[run]) for run in runs)
    )


def _by_weight(row: Mapping[str, Any]) -> tuple[bool, int]:
    """What calls for action comes first, then what most posts have."""
    return row["actionable"] != "yes", -_posts(row)


def _posts(row: Mapping[str, Any]) -> int:
    """How many posts have a type, by the assessors."""
    return int(row["TP"] + row["FN"])


def _counts(name: str, rows: Sequence[Mapping[str, Any]]) -> Rows:
    """What was right and wrong of each type in one run."""
    columns = (
        Head("type", "name"),
        *(Head(each, "count") for each in COUNTS),
        *(Head(each, decimals=3) for each in SHARES),
    )
    cells = tuple(tuple(row[column.head] for column in columns) for row in rows)
    return Rows(f"Types of {name}", columns, cells, name)


def priorities(
    evaluation: IncidentEvaluation, setting: Setting[IncidentOptions]
) -> Iterator[Block]:
    """Which of the assessors' priorities each run took for which."""
    if not evaluation.tables.labels.has_levels:
        return
    yield Note(
        "How many posts of each priority, by the assessors, a run gave which one: above .75 is "
        "Critical, above .5 High, above .25 Medium. The darker, the larger the share of the row."
    )
    frame = priority_table(evaluation.index)
    said = tuple(name for name in frame.columns if name not in ("run", "level"))
    by_run = {setting.run(str(run)): rows for run, rows in frame.groupby("run", sort=False)}
    for run, rows in sorted(by_run.items()):
        name = setting.runs[run]
        counts = rows[rows["level"] != LEVELS[UNKNOWN]].iloc[::-1]
        yield Crossed(
            f"Priorities of {name}",
            name,
            "assessors",
            tuple(counts["level"]),
            said[-2::-1] + said[-1:],
            tuple(map(tuple, counts[[*said[-2::-1], said[-1]]].to_numpy().tolist())),
        )


def trusted(evaluation: IncidentEvaluation, setting: Setting[IncidentOptions]) -> Iterator[Block]:
    """Two panels an event: worth so far, and false alerts in a row; none without priorities."""
    chosen = setting.options.events
    if evaluation.tables.labels.has_levels:
        panels = trust_panels(evaluation, chosen, setting.runs)
        yield Note(
            "Along the posts of an event: the mean worth of the alerts so far, and how many false "
            "alerts there were since the last true one."
        )
        yield Panels(panels, paired=True)
    elif chosen:
        raise UsageError("the labels tell no priorities, so no event has a picture of trust")
    else:
        yield Warned("the labels tell no priorities: there is no picture of trust")


def _records(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """The rows with plain numbers; what is undefined is None."""
    for row in frame.to_dict("records"):
        yield {str(name): None if value != value else value for name, value in row.items()}


REPORT = Reporting(
    sections=(
        Section("alerts", "Alerts: missed, and false", alerts),
        Section("types", "Information types", types),
        Section("priorities", "Priorities taken for others", priorities),
        Section("trust", "Alerts, and trust in them", trusted),
    ),
    takes=("events",),
)
