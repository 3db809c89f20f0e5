"""Incident streams: information types, priorities, alerts."""
