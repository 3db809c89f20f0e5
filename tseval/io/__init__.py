"""Formats: reading into tables and writing out of them. Nothing here knows a measure."""

TREC_TS = "trec-ts"
"""The name of the forms of TREC Temporal Summarization's own files."""
PLAIN_FORMS = ("tsv", "csv", "jsonl", "json", "parquet", "xlsx")
"""The forms that a plain table can have, by the names that `--input-format` takes."""
PICTURES = ("png", "svg", "pdf", "html")
"""What a chart can be drawn as: a file's suffix without its dot."""
SPREADSHEET_FORMS = ("csv", "tsv")
"""The forms that spreadsheets open and that have no types of cells."""
TREC, JSON = "trec", "json"
"""A form that scores alone have, and one in which they are more than a table's rows."""
