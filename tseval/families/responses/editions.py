"""Whose rules responses are scored by."""

from __future__ import annotations

from tseval.core.editions import Edition
from tseval.families.responses.rules import ResponseRules

NAME = "responses"
SIX = ("strict_vital", "vital", "strict_all", "all", "strict_weighted", "weighted")
GRADED = Edition(
    name="graded",
    family=NAME,
    summary="graded labels, and how they come about in time: the default",
    measures=SIX,
    leading=("strict_vital", "vital", "strict_all", "all", "weighted"),
    on_missing="zero",
    citation="tseval",
    rules=ResponseRules(),
)
NUGGETIZER = Edition(
    name="nuggetizer",
    family=NAME,
    summary="as castorini's nuggetizer scores: labels as they are written, means over records",
    measures=SIX,
    leading=("strict_vital", "vital", "strict_all", "all", "weighted"),
    on_missing="skip",
    citation="Pradeep et al. (2025): the AutoNuggetizer framework of the TREC RAG track",
    rules=ResponseRules(labels="exact", nuggets="record", mean="records"),
)
EDITIONS = (GRADED, NUGGETIZER)
