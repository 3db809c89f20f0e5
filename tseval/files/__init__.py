"""Formats: reading into tables and writing out of them. Nothing here knows a measure."""

TREC_TS = "trec-ts"
"""The name of the forms of TREC Temporal Summarization's own files."""
PLAIN_FORMS = ("tsv", "csv", "jsonl", "parquet")
"""The forms that a plain table can have, by the names that `--input-format` takes."""
PICTURES = ("png", "svg", "pdf", "html")
"""What a chart can be drawn as: a file's suffix without its dot."""
TREC, JSON = "trec", "json"
"""The forms that scores alone have."""
