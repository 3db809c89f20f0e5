"""Numbers as the page shows them, and axes that end on round ones."""

from __future__ import annotations

import math
from collections.abc import Iterable

BLANK = "–"
"""What stands for an undefined value."""
MINUS = "\N{MINUS SIGN}"
DIGITS = 4
"""How many significant digits of a score a reader gets; the downloads have all."""


def number(value: float | None, decimals: int) -> str:
    """A value with so many decimals, and a comma between thousands."""
    if value is None:
        return BLANK
    shown = f"{value:,.{decimals}f}"
    return (shown if shown.strip("-0.") else shown.lstrip("-")).replace("-", MINUS)


def signed(value: float | None, decimals: int) -> str:
    """A difference with its sign."""
    shown = number(value, decimals)
    return f"+{shown}" if value is not None and value > 0 else shown


def short(value: float) -> str:
    """Two decimals where there is room; a share goes without its 0."""
    size = abs(value)
    text = number(value, 2 if size < 10 else 1 if size < 100 else 0)
    return text.replace("0.", ".", 1) if size < 1 and "0." in text else text


def thousands(value: int) -> str:
    """A count, with a comma between thousands."""
    return f"{value:,}"


def decimals_for(values: Iterable[float | None]) -> int:
    """How many decimals a column needs: four for shares, fewer for large numbers."""
    largest = max((abs(value) for value in values if value is not None), default=0.0)
    whole = len(str(int(largest))) if largest >= 1 else 0
    return min(4, max(0, DIGITS - max(0, whole - 1))) if whole <= DIGITS else 0


def chance(value: float | None) -> str:
    """A p value with two digits that count; a very small one is a bound."""
    if value is None:
        return BLANK
    return "<0.0001" if value < 0.0001 else f"{value:.2g}"


def rounded(value: float | None) -> float | None:
    """Six digits are more than a picture can show."""
    return None if value is None else float(f"{value:.6g}")


def weight(value: float | None) -> str:
    """A nugget's weight, with as few digits as it needs."""
    return plain(rounded(value) or 0.0)


def extent(values: Iterable[float | None]) -> tuple[float, float]:
    """The lowest and the highest value; 0 to 1 where there is none."""
    known = [value for value in values if value is not None]
    return (min(known), max(known)) if known else (0.0, 1.0)


def step(low: float, high: float, wanted: int) -> float:
    """A round step that makes about so many of the range."""
    rough = (high - low) / wanted if high > low else 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    return next(each * power for each in (1, 2, 2.5, 5, 10) if each * power >= rough * 0.999)


def ticks(low: float, high: float, wanted: int) -> list[float]:
    """Round numbers from the last below the range to the first above it."""
    size = step(low, high, wanted)
    first, last = math.floor(low / size + 1e-9), math.ceil(high / size - 1e-9)
    return [float(f"{at * size:.10g}") for at in range(first, max(last, first + 1) + 1)]


def plain(value: float) -> str:
    """A tick's label: as few digits as it needs, with a comma between thousands."""
    return f"{value:,.10g}".replace("-", MINUS)
