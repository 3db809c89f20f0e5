"""Who draws pictures: the package says so here, since charts rest on pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

draw: Callable[[Any, str], bytes]
"""Draws a `tseval.core.panels.Picture` in a form; `tseval` sets it before anything else."""
