"""How precision, recall, F1 and kappa follow the threshold: one panel a matcher."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tseval.core.panels import Axis, Line, Panel, Picture, Rule

if TYPE_CHECKING:
    import pandas as pd

MEASURES = ("precision", "recall", "F1", "kappa")
TITLE = "Agreement with assessors by threshold"
COLUMNS = 2
SHARE = Axis(low=0.0, high=1.0)
THRESHOLD = Axis("threshold", low=0.0, high=1.0)


def calibration_picture(frame: pd.DataFrame, signature: str) -> Picture:
    """The picture of `curves`: of the columns ``matcher measure threshold value chosen``.

    NaN is undefined, and leaves a gap. ``chosen`` is the matcher's threshold, drawn as a rule.
    """
    panels = tuple(
        _of_matcher(str(name), own) for name, own in frame.groupby("matcher", sort=False)
    )
    columns = min(COLUMNS, max(1, len(panels)))
    return Picture(TITLE, signature, MEASURES, panels, columns, are_runs=False)


def _of_matcher(name: str, frame: pd.DataFrame) -> Panel:
    """One matcher: four lines, and a rule at its threshold."""
    chosen = float(frame["chosen"].iloc[0])
    lines = []
    for place, measure in enumerate(MEASURES):
        own = frame[frame["measure"] == measure]
        lines.append(Line(place, tuple(own["threshold"].tolist()), tuple(own["value"].tolist())))
    return Panel(
        name,
        "",
        THRESHOLD,
        tuple(lines),
        SHARE,
        is_stepped=False,
        rule=Rule(chosen, f"best F1: {chosen:.2f}"),
    )
