"""Charts: drawn from results that are finished; no chart computes a score.

What only PNG and PDF need comes with the extra `report` and is imported when something is
drawn, not before.
"""
