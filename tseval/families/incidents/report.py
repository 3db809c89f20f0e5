"""The sections of a report on incident streams: how runs do type by type, and trust in alerts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tseval.core.blocks import (
    Block,
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
from tseval.families.incidents.evaluation import IncidentEvaluation
from tseval.families.incidents.explanation import confusion_table
from tseval.families.incidents.inputs import IncidentOptions
from tseval.families.incidents.picture import trust_panels

if TYPE_CHECKING:
    import pandas as pd

COUNTS, SHARES = ("TP", "FP", "FN", "TN"), ("precision", "recall", "F1")


def types(evaluation: IncidentEvaluation, setting: Setting[IncidentOptions]) -> Iterator[Block]:
    """F1 of each type by run as a map, and each run in full."""
    by_run: dict[int, list[dict[str, Any]]] = {}
    for row in _records(confusion_table(evaluation.index)):
        star = " *" if row["actionable"] == "yes" else ""
        by_run.setdefault(setting.run(row["run"]), []).append(row | {"type": row["type"] + star})
    runs = tuple(sorted(by_run))
    if not runs:
        return
    kinds = tuple(row["type"] for row in by_run[runs[0]])
    yield Note("F1 of each type against all others; a star marks the types that call for action.")
    yield Shaded(
        "F1 by information type and run",
        "type",
        kinds,
        runs,
        tuple(tuple(by_run[run][at]["F1"] for run in runs) for at in range(len(kinds))),
    )
    columns = (
        Head("type", "name"),
        *(Head(name, "count") for name in COUNTS),
        *(Head(name) for name in SHARES),
    )
    full = []
    for run, rows in by_run.items():
        name = setting.runs[run]
        cells = tuple(tuple(row[column.head] for column in columns) for row in rows)
        full.append(Rows(f"Types of {name}", columns, cells, name))
    yield Folded("Counts of every run", tuple(full))


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
        Section("types", "Information types", types),
        Section("trust", "Alerts, and trust in them", trusted),
    ),
    takes=("events",),
)
