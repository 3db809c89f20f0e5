"""Runs and gold to compare by: scored here, as `tseval score` would."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tseval.comparison.board import Board, build_board, scores_table
from tseval.comparison.plan import Treatment
from tseval.core.registry import edition
from tseval.families.temporal.evaluation import (
    TemporalInputs,
    TemporalTables,
    prepare,
    tables_by_rules,
)
from tseval.families.temporal.rules import Rules
from tseval.families.temporal.scoring import chosen_measures, scores_of
from tseval.matching.matching import Progress
from tseval.parallel.sharing import ALONE, Sharing


@dataclass(frozen=True)
class ScoredRuns:
    """Runs, gold, and everything by which `tseval score` would score them."""

    sources: TemporalInputs
    matcher: str | None = None
    threshold: float | None = None
    edition: str = "draft"
    rules: Mapping[str, str] = field(default_factory=dict)
    measures: tuple[str, ...] = ()
    at: tuple[str, ...] = ()
    sharing: Sharing = ALONE
    """Where runs are read and matched."""

    @property
    def all_rules(self) -> Rules:
        """The edition's rules with those asked for."""
        own: Rules = edition(self.edition, "temporal").rules
        return own.changed(dict(self.rules))

    def tables(self) -> TemporalTables:
        """Everything read."""
        return tables_by_rules(self.sources, self.all_rules, self.sharing)

    def matched_by(self, matcher: str) -> ScoredRuns:
        """The same with a matcher in the place of matches, or of another matcher."""
        sources = replace(self.sources, matches=None)
        return replace(self, sources=sources, matcher=matcher, threshold=None)

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
        evaluation = prepare(
            self.sources,
            self.matcher,
            self.threshold,
            self.edition,
            progress,
            self.rules,
            tables,
            self.sharing,
        )
        wanted = chosen_measures(evaluation, self.measures, self.at)
        scores = scores_of(evaluation, wanted, on_missing, treatment.undefined)  # type: ignore[arg-type]
        # What was to be counted as 0 is a score by now; what is not there was to be skipped.
        left = replace(treatment, on_missing="skip")
        found = build_board(scores_table(scores), (), left)
        return replace(found, warnings=scores.warnings)
