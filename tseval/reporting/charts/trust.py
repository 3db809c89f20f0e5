"""A run's worth and the trust in it along the stream, drawn: two panels an event."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from tseval.reporting.charts.curves import rounded
from tseval.reporting.charts.drawing import GREY, drawn, small_print, styled
from tseval.reporting.charts.legend import Legend, printable

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

WIDTH, HEIGHT = 420, 170
TITLE = "Worth of alerts, and false alerts in a row, along the stream"
WORTH, DELTA = "mean worth so far", "false alerts since the last true one"
LEGEND_ROWS = 24
THICK, THIN = 1.6, 0.9
FEW_RUNS = 8
"""Up to how many lines a panel has room for thick ones."""


@dataclass(frozen=True, eq=False)
class TrustChart:
    """The columns ``run event post worth delta``, and the signature.

    ``post`` counts the posts of an event from 1; ``worth`` is the mean so far.
    """

    frame: pd.DataFrame
    signature: str

    @property
    def events(self) -> list[str]:
        """A row of panels each, in this order."""
        return [str(name) for name in self.frame["event"].unique()]

    @property
    def runs(self) -> list[str]:
        """A line each."""
        return [str(name) for name in self.frame["run"].unique()]


def draw_trust(chart: TrustChart, form: str) -> bytes:
    """Draw the chart as ``form``, one of :data:`tseval.reporting.charts.drawing.FORMS`."""
    return drawn(partial(specification, chart), TITLE, chart.signature, form)


def specification(chart: TrustChart, hover: bool) -> dict[str, Any]:
    """The Vega-Lite specification of the whole chart, data included."""
    import altair as alt

    legend = Legend.of(chart.runs, rows=LEGEND_ROWS)
    panels = [
        drawn_panel
        for place in range(len(chart.events))
        for drawn_panel in event_panels(chart, place, legend, hover)
    ]
    heading = alt.Title(TITLE, frame="bounds", fontSize=16, offset=14)
    whole = alt.vconcat(alt.concat(*panels, columns=2, spacing=24, title=heading))
    if not hover:  # a page has the signature as text below the chart
        whole = whole.properties(title=small_print(chart.signature, 2 * WIDTH))
    datasets = {
        f"event_{place}": points(chart, event, legend) for place, event in enumerate(chart.events)
    }
    return styled(whole).to_dict() | {"datasets": datasets}


def points(chart: TrustChart, event: str, legend: Legend) -> list[dict[str, Any]]:
    """An event's points; six digits are more than a picture can show."""
    own = chart.frame[chart.frame["event"] == event]
    return [
        {
            "label": legend.labels[str(run)],
            "post": int(post),
            "worth": rounded(float(worth)),
            "delta": int(delta),
        }
        for run, post, worth, delta in zip(
            own["run"], own["post"], own["worth"], own["delta"], strict=True
        )
    ]


def event_panels(
    chart: TrustChart, place: int, legend: Legend, hover: bool
) -> tuple[alt.LayerChart, alt.LayerChart]:
    """The two panels of an event."""
    name = printable(chart.events[place])
    return (
        panel(place, legend, hover, name, WORTH),
        panel(place, legend, hover, name, DELTA),
    )


def panel(place: int, legend: Legend, hover: bool, event: str, shown: str) -> alt.LayerChart:
    """One line a run, of one of the two: worth from -1 to 1, or whole numbers of false alerts."""
    import altair as alt

    worth = shown == WORTH
    field = "worth:Q" if worth else "delta:Q"
    scale = alt.Scale(domain=[-1.0, 1.0]) if worth else alt.Scale(zero=True, nice=True)
    whole = alt.Axis() if worth else alt.Axis(tickMinStep=1)
    base = alt.Chart(alt.NamedData(f"event_{place}")).encode(
        x=alt.X("post:Q", title="post of the event", axis=alt.Axis(tickMinStep=1, tickCount=8)),
        y=alt.Y(field, title=None, scale=scale, axis=whole),
        **legend.channels(),
    )
    width = THICK if len(legend.labels) <= FEW_RUNS else THIN
    layers: list[alt.Chart] = [base.mark_line(interpolate="step-after", strokeWidth=width)]
    if hover:
        tips = ["label:N", "post:Q", alt.Tooltip(field, format=".4~f")]
        layers.append(base.mark_point(size=60, opacity=0, filled=True).encode(tooltip=tips))
    heading = alt.Title(event, subtitle=shown, limit=WIDTH, subtitleColor=GREY)
    return alt.LayerChart(layer=layers).properties(width=WIDTH, height=HEIGHT, title=heading)
