"""Measures of a run as a whole: not the mean over topics, but the score of the sums over them."""

MEAN = ("mean",)
"""The rule that a measure reads of which `all` may be taken so: its definition's `reads`."""
