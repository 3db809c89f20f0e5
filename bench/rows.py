"""What benchmarks measure, a row each: told on the terminal, and handed to `bench/all.py`.

A row is less where it is better: seconds, or memory. What has a rate is told as the seconds of its
size.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

HANDED = "TSEVAL_BENCH_ROWS"
"""The environment variable by which `all.py` says where rows go."""


@dataclass(frozen=True)
class Row:
    """What was measured, on what, what it took, and what it is held against."""

    what: str
    size: str
    took: float
    unit: str = "s"
    instead: str = ""
    """What a user would take in its place."""
    other: float | None = None
    """What that took."""
    most: float | None = None
    """The goal: no more of the unit than this."""
    times: float | None = None
    """The goal: so many times less than what is taken in its place."""

    @property
    def ratio(self) -> float | None:
        """How many times more the other took."""
        return None if self.other is None else self.other / max(self.took, 1e-9)

    @property
    def goal(self) -> str:
        """The goal in words, and whether it is missed; blank where there is none."""
        said, missed = [], False
        if self.most is not None:
            said.append(f"at most {self.most:g} {self.unit}")
            missed = self.took > self.most
        if self.times is not None and self.ratio is not None:
            said.append(f"at least {self.times:.3g} x")
            missed = missed or self.ratio < self.times
        return ", ".join(said) + (": missed" if missed else "")

    @property
    def beside(self) -> str:
        """What the other is and took."""
        return self.instead and f"{self.instead} {shown(self.other, self.unit)}".strip()

    @property
    def times_shown(self) -> str:
        """The ratio as it is shown."""
        return "" if self.ratio is None else f"{self.ratio:.2f} x"


def shown(value: float | None, unit: str) -> str:
    """A measured number with three digits, or all before the point; nothing of nothing."""
    if value is None:
        return ""
    return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"


def tell(row: Row) -> None:
    """Print a row, and hand it to whoever runs all benchmarks."""
    cells = (row.beside and f"({row.beside})", row.times_shown, row.goal and f"[{row.goal}]")
    more = " ".join(filter(None, cells))
    what = ", ".join(filter(None, (row.what, row.size)))
    print(f"{what}: {shown(row.took, row.unit)} {more}".rstrip(), flush=True)
    if path := os.environ.get(HANDED):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(row)) + "\n")
