"""Temporal summarization: which updates say which nuggets, how early, how completely."""
