"""The keywords of `tseval.report` for what is given beside scores, for editors and type checkers.

Families declare what a report takes of them; a test holds these names to what they declare.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from tseval.io.columns import TimeWords

if TYPE_CHECKING:
    import pandas as pd

    Table: TypeAlias = str | Path | pd.DataFrame
    Tables: TypeAlias = Table | Sequence[Table]
    Names: TypeAlias = str | Sequence[str]


class ReportKeywords(TimeWords, total=False):
    """Runs and gold of one family, by the names of its inputs, and how they are read."""

    # Of any family.
    edition: str | None
    rules: Mapping[str, str]
    topics: Table | None
    # Updates and nuggets.
    updates: Tables
    nuggets: Table
    matches: Table | None
    duplicates: Table | None
    pool: Table | None
    corrections: Table | None
    matcher: str | None
    threshold: float | None
    ignore_unsampled: bool
    binary: bool
    matched_nuggets_only: bool
    latency_from: str | None
    # Runs of the other families; an input is named by its option, too.
    runs: Tables
    run: Tables
    clusters: Table
    # Timelines.
    system: Tables
    gold: Tables
    more_gold: Tables
    # Responses.
    file: Tables
    # Change detection.
    lenient: bool
    qrels: Table
    documents: Table
    days: Table | None
    questions: Table | None
    # Facts of CrisisFACTS.
    facts: Tables
    requests: Table | None
    # Incident streams.
    labels: Tables
    more_labels: Tables
    ontology: Table
    epochs: Table | None
    events: Names
    event: Names
    # Filtering over time.
    truth: Table
    batches: Names
    batch: Names
    cutoff: str | float
    level: str | None
    start: str | float | None
    end: str | float | None
