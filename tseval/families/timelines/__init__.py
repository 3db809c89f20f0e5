"""Timelines: dates and summaries of days beside reference timelines, as tilse scores them."""
