"""Where work runs: in this process, in its processes, or on a Dask cluster.

Work is a function of a `Unit`, which is a path and a range of rows there. An engine gives the
results in the order of the units; so whoever reduces them gets the same bits from any engine. What
only some engines need is imported by these alone, and not before they have something to do.
"""

from __future__ import annotations

from tseval.engine.choice import GROUP, choose
from tseval.engine.contract import Engine, Here, Unit, Work

__all__ = ["GROUP", "Engine", "Here", "Unit", "Work", "choose"]
