"""What a report says beside the scores where runs and labels of incident streams are there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tseval.core.family import Access
from tseval.errors import UsageError
from tseval.families.incidents.evaluation import IncidentEvaluation, read
from tseval.families.incidents.explanation import confusion_table, longest_events, trust
from tseval.families.incidents.family import FAMILY
from tseval.families.incidents.options import EVENTS_DRAWN, IncidentInputs, IncidentOptions
from tseval.parallel.sharing import ALONE, Sharing
from tseval.reporting.boards import Names
from tseval.reporting.content import Line, Panel, TypeRow

if TYPE_CHECKING:
    import pandas as pd

WORTH, DELTA = "mean worth so far", "false alerts since the last true one"


@dataclass(frozen=True)
class IncidentRuns:
    """Runs and labels, whose rules, and the events to draw."""

    inputs: IncidentInputs
    edition: str = "note"
    rules: Mapping[str, str] = field(default_factory=dict)
    events: Sequence[str] = ()

    def read(self, sharing: Sharing = ALONE) -> IncidentEvaluation:
        """Read every input; an event that is not there is a `UsageError`."""
        edition = FAMILY.edition(self.edition)
        access = Access(sharing=sharing)
        evaluation = read(self.inputs, IncidentOptions(), edition, self.rules, access)
        for event in self.events:
            if event not in evaluation.index.topics:
                known = ", ".join(evaluation.index.topics)
                raise UsageError(f"no event '{event}' in the labels: {known}")
        return evaluation


def types(evaluation: IncidentEvaluation, names: Names) -> Iterator[TypeRow]:
    """Each run on each type, as `tseval incidents --explain types` has it."""
    for row in _records(confusion_table(evaluation.index)):
        yield TypeRow(
            run=names.run(row["run"]),
            kind=row["type"],
            actionable=row["actionable"] == "yes",
            counts=(row["TP"], row["FP"], row["FN"], row["TN"]),
            precision=row["precision"],
            recall=row["recall"],
            f1=row["F1"],
        )


def warnings(evaluation: IncidentEvaluation) -> Iterator[str]:
    """What the page cannot show of these labels."""
    if not evaluation.labels.has_levels:
        yield "the labels tell no priorities: there is no picture of trust"


def trust_panels(
    runs: IncidentRuns, evaluation: IncidentEvaluation, names: Names
) -> Iterator[Panel]:
    """Two panels an event: worth so far, and false alerts in a row; none without priorities."""
    if not evaluation.labels.has_levels:
        if runs.events:
            raise UsageError("the labels tell no priorities, so no event has a picture of trust")
        return
    index = evaluation.index
    events = list(runs.events) or longest_events(index, EVENTS_DRAWN)
    frame = trust(index, evaluation.labels.post_id, events)
    for event in events:
        own = frame[frame["event"] == event]
        yield _panel(own, event, "worth", WORTH, names)
        yield _panel(own, event, "delta", DELTA, names)


def _panel(frame: pd.DataFrame, event: str, column: str, note: str, names: Names) -> Panel:
    """One line a run over the posts of an event; what a run lacks is no step of its line."""
    posts = sorted(set(frame["post"].tolist()))
    lines = []
    for run, own in frame.groupby("run", sort=False):
        known = dict(zip(own["post"].tolist(), own[column].tolist(), strict=True))
        values = tuple(_held(posts, known))
        blank = (None,) * len(posts)
        lines.append(Line(names.run(str(run)), values, blank, blank))
    return Panel(event, note, "post of the event", tuple(map(float, posts)), tuple(sorted(lines)))


def _held(posts: Sequence[int], known: dict[int, float]) -> Iterator[float | None]:
    """The value at each post: the latest known; None before the first and after the last."""
    value, last = None, max(known)
    for post in posts:
        value = float(known[post]) if post in known else value
        yield value if post <= last else None


def _records(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """The rows with plain numbers; what is undefined is None."""
    for row in frame.to_dict("records"):
        yield {str(name): None if value != value else value for name, value in row.items()}
