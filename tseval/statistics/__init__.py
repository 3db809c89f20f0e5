"""Intervals, tests, agreement, rank correlation and trends: pure functions over arrays."""
