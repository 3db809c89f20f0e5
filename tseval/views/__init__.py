"""What a person looks at: charts and pages drawn from results.

A view is handed finished values and never computes a score. Libraries that only a view
needs come with the extra ``report`` and are imported when something is drawn, not before.
"""
