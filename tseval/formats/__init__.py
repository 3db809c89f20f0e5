"""Formats: reading into tables and writing out of them. Nothing here knows a measure."""
