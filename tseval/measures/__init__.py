"""The public face of measures, for plug-ins: definitions, values, and the table of all."""

from tseval.core.measure import Definition, Measure, Parameter
from tseval.core.registry import definitions, families, measure, measures

__all__ = ["Definition", "Measure", "Parameter", "definitions", "families", "measure", "measures"]
