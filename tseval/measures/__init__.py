"""Measures: values that name them, and pure functions over tables and the index."""

from tseval.measures.measure import Definition, Measure, Parameter
from tseval.measures.registry import definitions, families, measure, measures

__all__ = ["Definition", "Measure", "Parameter", "definitions", "families", "measure", "measures"]
