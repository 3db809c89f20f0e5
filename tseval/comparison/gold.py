"""Runs and gold to compare by: scored here, as `tseval score` would."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tseval.comparison.board import Board, build_board, scores_table
from tseval.comparison.plan import Treatment
from tseval.core import declared
from tseval.core.editions import Edition
from tseval.core.family import Access
from tseval.core.registry import edition
from tseval.core.scoring import chosen_measures, scores_of
from tseval.families.temporal.evaluation import (
    TemporalInputs,
    TemporalOptions,
    TemporalTables,
    read,
    read_tables,
)
from tseval.families.temporal.rules import Rules
from tseval.matching.matching import Progress


@dataclass(frozen=True)
class ScoredRuns:
    """Runs, gold, and everything by which `tseval score` would score them."""

    sources: TemporalInputs
    options: TemporalOptions = field(default_factory=TemporalOptions)
    edition: str = "draft"
    rules: Mapping[str, str] = field(default_factory=dict)
    measures: tuple[str, ...] = ()
    at: tuple[str, ...] = ()
    access: Access = field(default_factory=Access)
    """The formats of the inputs, and where runs are read and matched."""

    @property
    def _edition(self) -> Edition[Rules]:
        return edition(self.edition, "temporal")

    @property
    def asked_rules(self) -> dict[str, str]:
        """The rules asked for: by name, and by options that stand for them."""
        return declared.rules(self.rules.items(), self.options)

    @property
    def all_rules(self) -> Rules:
        """The edition's rules with those asked for."""
        return self._edition.rules.changed(self.asked_rules)

    def tables(self) -> TemporalTables:
        """Everything read."""
        return read_tables(self.sources, self.all_rules, self.access)

    def matched_by(self, matcher: str) -> ScoredRuns:
        """The same with a matcher in the place of matches, or of another matcher."""
        options = replace(self.options, matcher=matcher, threshold=None)
        return replace(self, sources=replace(self.sources, matches=None), options=options)

    def board(
        self,
        treatment: Treatment,
        on_missing: str | None = None,
        tables: TemporalTables | None = None,
        progress: Progress | None = None,
    ) -> Board:
        """The board of their scores; `on_missing` defaults to the edition's rule.

        `tables` stand for what is in the sources.
        """
        access = replace(self.access, progress=progress)
        evaluation = read(
            self.sources, self.options, self._edition, self.asked_rules, access, tables
        )
        wanted = chosen_measures(evaluation, self.measures, self.at)
        scores = scores_of(evaluation, wanted, on_missing, treatment.undefined)
        # What was to be counted as 0 is a score by now; what is not there was to be skipped.
        left = replace(treatment, on_missing="skip")
        found = build_board(scores_table(scores), (), left)
        return replace(found, warnings=scores.warnings)
