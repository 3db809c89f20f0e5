"""How precision, recall, F1 and kappa follow the threshold, drawn: one panel a matcher."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from tseval.reporting.charts.drawing import (
    GREY,
    LINE,
    PIXELS_PER_CHARACTER,
    Frame,
    answering,
    broken,
    drawn,
    panel,
    rounded,
    rule,
)
from tseval.reporting.charts.legend import Legend, printable

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

MEASURES = ("precision", "recall", "F1", "kappa")
WIDTH, HEIGHT, COLUMNS = 420, 260, 2
TITLE = "Agreement with assessors by threshold"


@dataclass(frozen=True, eq=False)
class CalibrationChart:
    """The columns ``matcher measure threshold value chosen``, and the signature.

    NaN is undefined, and leaves a gap. ``chosen`` is the matcher's threshold, drawn as a rule.
    """

    frame: pd.DataFrame
    signature: str

    @property
    def matchers(self) -> list[str]:
        """A panel each, in this order."""
        return [str(name) for name in self.frame["matcher"].unique()]


def draw_calibration(chart: CalibrationChart, form: str) -> bytes:
    """Draw the chart as ``form``, one of :data:`FORMS`.

    Raises:
        MissingExtra: Altair or vl-convert isn't installed.

    """
    return drawn(partial(specification, chart), TITLE, chart.signature, form)


def specification(chart: CalibrationChart, hover: bool) -> dict[str, Any]:
    """The Vega-Lite specification of the whole chart, data included."""
    import altair as alt

    places = list(enumerate(chart.matchers))
    panels = [of_matcher(chart, place, name, hover=hover) for place, name in places]
    data = {f"panel_{place}": rows_of(chart, name) for place, name in places}
    data |= {f"chosen_{place}": [chosen_of(chart, name)] for place, name in places}
    frame = Frame(TITLE, chart.signature, min(COLUMNS, max(1, len(places))) * WIDTH)
    return frame.around(alt.concat(*panels, columns=COLUMNS, spacing=24), data, hover)


def rows_of(chart: CalibrationChart, matcher: str) -> list[dict[str, Any]]:
    """A panel's points; six digits are more than a picture can show."""
    own = chart.frame[chart.frame["matcher"] == matcher]
    columns = (own["measure"], own["threshold"], own["value"])
    return [
        {"label": measure, "threshold": threshold, "value": rounded(value)}
        for measure, threshold, value in zip(*map(list, columns), strict=True)
    ]


def chosen_of(chart: CalibrationChart, matcher: str) -> dict[str, Any]:
    """The matcher's threshold, with its words."""
    threshold = float(chart.frame.loc[chart.frame["matcher"] == matcher, "chosen"].iloc[0])
    return {"threshold": threshold, "words": f"best F1: {threshold:.2f}"}


def of_matcher(chart: CalibrationChart, place: int, matcher: str, *, hover: bool) -> alt.LayerChart:
    """One matcher: four lines, and a rule at its threshold."""
    import altair as alt

    shares = alt.Scale(domain=[0, 1])
    base = alt.Chart(alt.NamedData(f"panel_{place}")).encode(
        x=alt.X("threshold:Q", scale=shares, title="threshold"),
        y=alt.Y("value:Q", scale=shares, title=None),
        **Legend.of_lines(MEASURES).channels(),
    )
    lines = base.mark_line(strokeWidth=LINE, invalid="break-paths-show-path-domains")
    layers: list[alt.Chart] = [*threshold_rule(place, chosen_of(chart, matcher)), lines]
    if hover:
        tips = ["label:N", "threshold:Q", alt.Tooltip("value:Q", format=".4f")]
        layers.append(answering(base, tips))
    size = math.floor(WIDTH / (PIXELS_PER_CHARACTER * 1.3))
    return panel(layers, (WIDTH, HEIGHT), broken_name(printable(matcher), size))


def broken_name(name: str, width: int) -> list[str]:
    """A long name in lines, broken after commas where that is possible."""
    return [line.replace("|", ",") for line in broken(name.replace(",", "|"), width)]


def threshold_rule(place: int, chosen: dict[str, Any]) -> list[alt.Chart]:
    """A thin line at the threshold that F1 is best from, with a word beside it."""
    import altair as alt

    line = rule(f"chosen_{place}").encode(x="threshold:Q")
    left = chosen["threshold"] > 0.6  # the words stand where there is room
    text = line.mark_text(
        align="right" if left else "left", dx=-5 if left else 5, color=GREY, fontSize=11
    )
    return [line, text.encode(y=alt.value(8), text="words:N")]
