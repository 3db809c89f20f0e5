"""How precision, recall, F1 and kappa follow the threshold: one panel a matcher."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tseval.core.panels import Axis, Line, Panel, Picture, Rule

if TYPE_CHECKING:
    import pandas as pd

MEASURES = ("precision", "recall", "F1", "kappa")
TITLE = "Agreement with assessors by threshold"
COLUMNS = 2
NEAR = 1e-9
"""Thresholds go in hundredths, so that those no farther apart are the same."""
THRESHOLD = Axis("threshold of the matcher", low=0.0, high=1.0)


def calibration_picture(frame: pd.DataFrame, signature: str) -> Picture:
    """The picture of `curves`: of the columns ``matcher measure threshold value chosen``.

    NaN is undefined, and leaves a gap. ``chosen`` is the matcher's threshold, drawn as a rule.
    """
    panels = tuple(
        _of_matcher(str(name), own) for name, own in frame.groupby("matcher", sort=False)
    )
    columns = min(COLUMNS, max(1, len(panels)))
    return Picture(TITLE, signature, MEASURES, panels, columns, kind="measure")


def _of_matcher(name: str, frame: pd.DataFrame) -> Panel:
    """One matcher: four lines, and a rule at its threshold with the F1 that it has there."""
    chosen = float(frame["chosen"].iloc[0])
    lines = []
    for place, measure in enumerate(MEASURES):
        own = frame[frame["measure"] == measure]
        values = [None if value != value else value for value in own["value"].tolist()]
        lines.append(Line(place, tuple(own["threshold"].tolist()), tuple(values)))
    best = frame[(frame["measure"] == "F1") & ((frame["threshold"] - chosen).abs() < NEAR)]
    lowest = frame["value"].min()
    return Panel(
        name,
        "",
        THRESHOLD,
        tuple(lines),
        Axis("agreement with assessors", min(0.0, lowest) if lowest == lowest else 0.0, 1.0),
        is_stepped=False,
        rule=Rule(chosen, f"best F1 {best['value'].iloc[0]:.2f}, at threshold {chosen:.2f}"),
    )
