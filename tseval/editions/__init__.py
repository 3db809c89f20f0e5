"""Editions: the rules of each published evaluation, as data."""

from __future__ import annotations

from dataclasses import dataclass

from tseval.errors import UsageError


@dataclass(frozen=True)
class Edition:
    """Whose rules: the family they are for, the measures shown by default, and where they stand."""

    name: str
    family: str
    summary: str
    measures: tuple[str, ...]
    on_missing: str
    """What a judged topic without updates counts as: `zero` (an empty system), `skip`, `error`."""
    citation: str


DRAFT = Edition(
    name="draft",
    family="temporal",
    summary="the measures at time t as the draft of April 2013 writes them",
    measures=("P", "R", "Rs", "T"),
    on_missing="zero",
    citation="Draft Metrics, TREC Temporal Summarization track, 22 April 2013",
)

EDITIONS = {edition.name: edition for edition in (DRAFT,)}
"""Every edition by its name."""


def edition(name: str) -> Edition:
    """The edition of this name; a `UsageError` lists the known ones."""
    if name not in EDITIONS:
        raise UsageError(f"unknown edition '{name}'; known: {', '.join(EDITIONS)}")
    return EDITIONS[name]
