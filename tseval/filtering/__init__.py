"""Filtering over time: runs and truths cut into batches, scored, followed, compared."""
