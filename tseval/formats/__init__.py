"""Formats: reading into tables and writing out of them. Nothing here knows a measure."""

INPUT_FORMS = ("tsv", "csv", "jsonl", "parquet")
"""The forms that a plain table can have, by the names that `--input-format` takes."""
