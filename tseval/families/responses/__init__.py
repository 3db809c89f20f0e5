"""Responses with graded labels of nuggets, verdicts, citations, and how they come about in time."""
