"""A step function as the fewest points that draw the same.

A measure can change with each of 50,000 updates, and a panel is some hundred dots wide.
In each column of dots a line shows where it enters, where it leaves and how far it reaches
up and down; so four points a column draw every line. (This is the M4 aggregation of Jugel,
Jerzak, Hackenbroich and Markl, "M4: A Visualization-Oriented Time Series Data Aggregation",
VLDB 2014.) An undefined stretch narrower than a column may close; wider ones stay open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]


def step_points(
    hours: Floats, values: Floats, span: tuple[float, float], columns: int
) -> tuple[Floats, Floats]:
    """The points of a step-after line over ``span``, thinned to ``columns`` of dots.

    ``hours`` ascends; a value holds until the next hour and the last one to the span's end.
    What is not finite is undefined and comes back as NaN, where the line breaks. Without
    rows there are no points.
    """
    hours, values = thinned(*changes(hours, values), span, columns)
    return to_the_end(*closed(hours, values), span[1])


def changes(hours: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Only the rows at which the value, or whether there is one, changes."""
    import numpy as np

    values = np.where(np.isfinite(values), values, np.nan)
    before, after = values[:-1], values[1:]
    same = (before == after) | (np.isnan(before) & np.isnan(after))
    kept = np.concatenate([np.ones(min(1, len(values)), dtype=bool), ~same])
    return hours[kept], values[kept]


def thinned(
    hours: Floats, values: Floats, span: tuple[float, float], columns: int
) -> tuple[Floats, Floats]:
    """The first, last, lowest and highest row of every column of dots, in order.

    A curve with no more than four rows a column on average is left as it is.
    """
    import numpy as np

    if len(hours) <= 4 * columns:
        return hours, values
    start, end = span
    column = ((hours - start) / (end - start) * columns).astype(np.int64)
    first = np.flatnonzero(np.diff(column, prepend=-1))
    last = np.append(first[1:], len(column)) - 1
    lowest = np.lexsort((np.where(np.isnan(values), np.inf, values), column))[first]
    highest = np.lexsort((np.where(np.isnan(values), np.inf, -values), column))[first]
    kept = np.unique(np.concatenate([first, last, lowest, highest]))
    return hours[kept], values[kept]


def closed(hours: Floats, values: Floats) -> tuple[Floats, Floats]:
    """The rows, with the value before an undefined stretch held until the stretch begins.

    A drawn line breaks at the last defined point, not where the next one would have been.
    """
    import numpy as np

    undefined = np.isnan(values)
    ends = np.flatnonzero(undefined[1:] & ~undefined[:-1]) + 1
    return np.insert(hours, ends, hours[ends]), np.insert(values, ends, values[ends - 1])


def to_the_end(hours: Floats, values: Floats, end: float) -> tuple[Floats, Floats]:
    """The rows, with the last value held until ``end``; no rows stay none."""
    import numpy as np

    return np.append(hours, [end] * len(hours[-1:])), np.append(values, values[-1:])
