"""What users see: every command's output, errors and exit code, and public calls in Python.

`golden/*.jsonl` hold one case a line: a command line with what came out. The files are the list of
cases; `python -m tests.surface.record` writes them anew from `tests/surface/cases.py`.
"""
