"""A run's worth and the trust in it along the stream: two panels an event, for page and picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tseval.core.panels import Axis, Line, Panel, Picture
from tseval.errors import UsageError
from tseval.families.incidents.evaluation import IncidentEvaluation
from tseval.families.incidents.explanation import longest_events, trust
from tseval.families.incidents.inputs import EVENTS_DRAWN

if TYPE_CHECKING:
    import pandas as pd

TITLE = "Worth of alerts, and false alerts in a row, along the stream"
SHOWN = {"worth": "mean worth so far", "delta": "false alerts since the last true one"}
"""The columns of `trust` that have a panel each, in words."""
WORTH = Axis(low=-1.0, high=1.0)
HELD = 0.9
"""So far what the last post comes to is drawn on, lest it have no width."""
SIZE = (420, 170)


def trust_picture(evaluation: IncidentEvaluation, chosen: Sequence[str]) -> Picture:
    """The picture of some events."""
    runs = evaluation.index.runs
    panels = trust_panels(evaluation, chosen, runs)
    return Picture(TITLE, evaluation.signature(), runs, panels, columns=len(SHOWN))


def trust_panels(
    evaluation: IncidentEvaluation, chosen: Sequence[str], runs: Sequence[str]
) -> tuple[Panel, ...]:
    """The panels of the events that are chosen, or of the longest; a run is its place in `runs`."""
    index = evaluation.index
    for event in chosen:
        if event not in index.topics:
            raise UsageError(f"no event '{event}' in the labels: {', '.join(index.topics)}")
    events = list(chosen) or longest_events(index, EVENTS_DRAWN)
    frame = trust(index, evaluation.tables.labels.post_id, events)
    return tuple(
        _panel(frame[frame["event"] == event], event, column, runs)
        for event in events
        for column in SHOWN
    )


def _panel(frame: pd.DataFrame, event: str, column: str, runs: Sequence[str]) -> Panel:
    """One line a run over the posts of an event; posts that a run lacks are no step of its line."""
    last = float(frame["posts"].max()) if len(frame) else 1.0
    posts = Axis("post of the event", 1.0, last + HELD, is_whole=True)
    alerts = Axis("", 0.0, max([1.0, *frame["delta"]]), is_whole=True)
    lines = [
        Line(
            runs.index(str(run)),
            tuple(map(float, own["post"].tolist())),
            tuple(map(float, own[column].tolist())),
        )
        for run, own in frame.groupby("run", sort=False)
    ]
    axis = alerts if column == "delta" else WORTH
    return Panel(event, SHOWN[column], posts, tuple(sorted(lines)), axis, size=SIZE)
