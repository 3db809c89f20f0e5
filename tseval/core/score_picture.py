"""Scores as a picture: how every run does on every topic."""

from __future__ import annotations

from collections.abc import Sequence

from tseval.core.panels import Axis, Dots, Panel, Picture

NAMED = 24
"""So many topics are named below a panel; of more nothing."""
COLUMNS = 2
"""How many panels stand side by side."""
APART = 0.5
"""How far the runs of a topic are spread, as a share of the place that a topic has."""


def score_picture(
    signature: str,
    runs: Sequence[str],
    topics: Sequence[str],
    measures: Sequence[str],
    values: Sequence[Sequence[Sequence[float | None]]],
) -> Picture:
    """A panel for each measure, with dots for each run; values by measure, run and topic."""
    named = len(topics) <= NAMED
    ticks = tuple(float(at) for at in range(1, len(topics) + 1)) if named else ()
    names = tuple(topics) if named else ()
    x = Axis("topic", low=0.5, high=len(topics) + 0.5, ticks=ticks, names=names, is_whole=True)
    panels = []
    for measure, of_runs in zip(measures, values, strict=True):
        known = [value for own in of_runs for value in own if value is not None]
        y = Axis(low=min([0.0, *known]), high=max([0.0, *known]), is_rounded=True)
        dots = tuple(_dots(at, len(runs), own) for at, own in enumerate(of_runs))
        panels.append(Panel(measure, "", x, (), y, dots=dots))
    return Picture("Scores by topic", signature, tuple(runs), tuple(panels), COLUMNS)


def _dots(run: int, runs: int, values: Sequence[float | None]) -> Dots:
    """One run's dots, a little aside of the others'."""
    aside = APART * ((run + 0.5) / runs - 0.5)
    places = tuple(at + aside for at in range(1, len(values) + 1))
    return Dots(run, places, tuple(values), (1.0,) * len(values))
