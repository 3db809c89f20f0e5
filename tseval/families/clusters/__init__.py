"""Runs over assessors' clusters: latency, redundancy, push measures."""
