"""Formats: reading into tables and writing out of them. Nothing here knows a measure."""

TREC_TS = "trec-ts"
"""The name of the forms of TREC Temporal Summarization's own files."""
INPUT_FORMS = ("tsv", "csv", "jsonl", "parquet", TREC_TS)
"""The forms that an input can have, by the names that `--input-format` takes."""
