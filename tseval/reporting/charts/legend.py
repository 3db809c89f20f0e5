"""Which line is which: labels short enough for a legend, with the colours of the palette."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tseval.core.panels import Picture
from tseval.reporting.palette import Palette

LEGEND_CHARACTERS = 32
FEWEST_ROWS, ROW_HEIGHT = 10, 20
"""How many names stand below one another at least, and how many pixels each takes."""


@dataclass(frozen=True, slots=True)
class Legend:
    """The label, colour and dashes of every line; no two share all three."""

    labels: Mapping[str, str]
    columns: int
    palette: Palette
    title: str | None = "run"

    @classmethod
    def of(cls, picture: Picture) -> Legend:
        """The legend of a picture, in columns as high as the panels together."""
        names, of_runs = picture.names, picture.are_runs
        palette = Palette.of(names) if of_runs else Palette.listed(names)
        height = sum(each.size[1] for each in picture.panels[:: picture.columns])
        columns = -(-len(names) // max(FEWEST_ROWS, height // ROW_HEIGHT))
        return cls(unique_labels(names), columns, palette, "run" if of_runs else None)

    def channels(self) -> dict[str, Any]:
        """Colour and dashes, which Vega-Lite merges into one legend."""
        import altair as alt

        if not self.labels:
            return {}
        labels = list(self.labels.values())
        colours = [self.palette.colour(name) for name in self.labels]
        dashes = [self.palette.dashes(name) for name in self.labels]
        legend = alt.Legend(
            title=self.title,
            symbolLimit=0,  # none: Vega would show 30 runs and count the rest
            columns=self.columns,
            labelLimit=280,  # labels are short already; Vega would cut them at 160
            labelFontSize=11,
            symbolType="stroke",
            symbolSize=1200,  # its square root is the length of the dash
            rowPadding=-18,  # Vega makes a row as high as its symbol is long
            symbolStrokeWidth=2,
            symbolOpacity=1,  # whatever that of the marks is
        )
        return {
            "color": alt.Color(
                "label:N", scale=alt.Scale(domain=labels, range=colours), legend=legend
            ),
            "strokeDash": alt.StrokeDash(
                "label:N", scale=alt.Scale(domain=labels, range=dashes), legend=legend
            ),
        }


def unique_labels(runs: Sequence[str]) -> dict[str, str]:
    """A short label for every run; two that would read the same are numbered."""
    labels: dict[str, str] = {}
    for run in runs:
        label = shortened(printable(run)) or "(no name)"
        taken, number = set(labels.values()), 1
        candidate = label
        while candidate in taken:
            number += 1
            candidate = f"{label} #{number}"
        labels[run] = candidate
    return labels


def shortened(name: str) -> str:
    """``name``, or its two ends around an ellipsis: runs often differ in their last words."""
    if len(name) <= LEGEND_CHARACTERS:
        return name
    tail = LEGEND_CHARACTERS // 2 - 1
    return f"{name[: LEGEND_CHARACTERS - tail - 1]}…{name[-tail:]}"


def printable(text: str) -> str:
    """``text`` without what a picture can't hold: controls, lone surrogates, direction marks.

    White space of any kind becomes a space.
    """
    return "".join(
        char if char.isprintable() else " " if char.isspace() else "\N{REPLACEMENT CHARACTER}"
        for char in text
    )
