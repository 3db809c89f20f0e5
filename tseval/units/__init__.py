"""Work in units: what a worker finds, does and gives back, and how the parts become one again.

A unit is a file and a range of its rows. Whoever works on it reads that range, is held to the hash
of what this process has read there, and returns pairs; they are put together in the order of the
rows. So results are the same bit for bit however many units there are, and whoever did them.
"""

from __future__ import annotations

from tseval.units.matching import match_in_units
from tseval.units.passages import Files
from tseval.units.runs import Spread
from tseval.units.sharing import ALONE, Sharing, shared

__all__ = ["ALONE", "Files", "Sharing", "Spread", "match_in_units", "shared"]
