"""Incident streams: from runs and labels to scores, explanations and the track's own files."""
