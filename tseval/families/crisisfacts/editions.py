"""Whose rules the facts of CrisisFACTS are scored by."""

from __future__ import annotations

from tseval.core.editions import Edition
from tseval.families.crisisfacts.rules import CrisisRules

NAME = "crisisfacts"
NOTEBOOK = "CrisisFACTS 2023, notebook of the assessors' scores in the track's repository"
PAPER = "Buntain et al. (2023): CrisisFACTS 2022, overview of the track's manual evaluation"
CRISISFACTS_2023 = Edition(
    name="crisisfacts2023",
    family=NAME,
    summary="collapsed facts with labels: what runs say of the useful ones, and of the others",
    measures=("redundancy", "comprehensiveness", "f1"),
    leading=("f1", "comprehensiveness", "redundancy"),
    on_missing="skip",
    citation=NOTEBOOK,
    rules=CrisisRules(),
)
CRISISFACTS_2022 = Edition(
    name="crisisfacts2022",
    family=NAME,
    summary="assessed items against gold facts, as many a day as there are facts",
    measures=("comprehensiveness", "unique_per_match", "redundancy_ratio", "assessed"),
    leading=("comprehensiveness", "redundancy_ratio", "unique_per_match", "assessed"),
    on_missing="zero",
    citation=PAPER,
    rules=CrisisRules(facts="gold"),
)
EDITIONS = (CRISISFACTS_2023, CRISISFACTS_2022)
