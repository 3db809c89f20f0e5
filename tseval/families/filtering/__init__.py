"""Filtering over time: batches, trends, end points."""
