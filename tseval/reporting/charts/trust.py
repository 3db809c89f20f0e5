"""A run's worth and the trust in it along the stream, drawn: two panels an event."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tseval.families.incidents.explanation import TrustChart
from tseval.reporting.charts.drawing import FEW_RUNS, Frame, answering, drawn, panel, rounded
from tseval.reporting.charts.legend import Legend, printable

if TYPE_CHECKING:
    import altair as alt

WIDTH, HEIGHT = 420, 170
TITLE = "Worth of alerts, and false alerts in a row, along the stream"
WORTH, DELTA = "mean worth so far", "false alerts since the last true one"
LEGEND_ROWS = 24
THICK, THIN = 1.6, 0.9


def draw(chart: TrustChart, form: str) -> bytes:
    """Draw the chart as ``form``, one of :data:`tseval.files.PICTURES`."""
    return drawn(partial(specification, chart), TITLE, chart.signature, form)


def specification(chart: TrustChart, hover: bool) -> dict[str, Any]:
    """The Vega-Lite specification of the whole chart, data included."""
    import altair as alt

    legend = Legend.of(chart.runs, rows=LEGEND_ROWS)
    panels = [
        of_event(chart, place, legend, hover, shown)
        for place in range(len(chart.events))
        for shown in (WORTH, DELTA)
    ]
    data = {
        f"event_{place}": points(chart, event, legend) for place, event in enumerate(chart.events)
    }
    frame = Frame(TITLE, chart.signature, 2 * WIDTH)
    return frame.around(alt.concat(*panels, columns=2, spacing=24), data, hover)


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


def of_event(
    chart: TrustChart, place: int, legend: Legend, hover: bool, shown: str
) -> alt.LayerChart:
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
        layers.append(answering(base, ["label:N", "post:Q", alt.Tooltip(field, format=".4~f")]))
    return panel(layers, (WIDTH, HEIGHT), printable(chart.events[place]), shown)
