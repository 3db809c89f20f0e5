"""Charts: drawn from results that are finished; no chart computes a score.

Libraries that only a chart needs come with the extra `report` and are imported when something is
drawn, not before.
"""
