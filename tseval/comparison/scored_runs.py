"""Runs and gold to compare by: scored here, as the command of their family would."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any, TypeVar

from tseval.comparison.board import Board, build_board
from tseval.comparison.plan import Treatment
from tseval.comparison.topic_scores import scores_table
from tseval.core import declared, registry
from tseval.core.family import Access, Evaluation, Family, Judgments, Matched
from tseval.core.measure import Measure
from tseval.core.naming import AS_THEY_ARE, Naming, named
from tseval.core.scoring import chosen_measures, scores_of
from tseval.errors import UsageError
from tseval.parallel.sharing import Progress
from tseval.records import frozen

Read = TypeVar("Read")


@frozen
class ScoredRuns:
    """Runs and gold of a family, and everything by which its command would score them."""

    family: Family[Any, Any]
    inputs: Any
    options: Any
    edition: str | None = None
    """The family's first if none is named."""
    rules: Mapping[str, str] = field(default_factory=dict)
    measures: tuple[str | Measure, ...] = ()
    at: tuple[str, ...] = ()
    naming: Naming = AS_THEY_ARE
    """What the inputs call columns and runs."""
    access: Access = field(default_factory=Access)
    """The formats of the inputs, and where runs are read and matched."""

    def judgments(self) -> Judgments:
        """Everything read once, for scores without some of the judgments."""
        if self.family.judgments is None:
            raise UsageError(f"no judgments of {self.family.name} can be left out")
        return self._read(self.family.judgments, self.access)

    def matched(self) -> Matched:
        """Everything read once, for scores by one matcher after the other."""
        if self.family.matched is None:
            raise UsageError(f"no matcher finds anything in {self.family.name}")
        return self._read(self.family.matched, self.access)

    def board(
        self, treatment: Treatment, on_missing: str | None = None, progress: Progress | None = None
    ) -> Board:
        """The board of their scores; `on_missing` defaults to the edition's rule."""
        return self.board_of(self.evaluation(progress), treatment, on_missing)

    def evaluation(self, progress: Progress | None = None) -> Evaluation:
        """The runs, read and matched."""
        return self._read(self.family.read, replace(self.access, progress=progress))

    def board_of(
        self, evaluation: Evaluation, treatment: Treatment, on_missing: str | None = None
    ) -> Board:
        """The same of what was read already."""
        wanted = chosen_measures(evaluation, self.measures, self.at)
        scores = scores_of(evaluation, wanted, on_missing, treatment.undefined)
        # What was to be counted as 0 is a score by now; what is not there was to be skipped.
        left = replace(treatment, on_missing="skip")
        return replace(build_board(scores_table(scores), (), left), warnings=scores.warnings)

    def _read(self, reader: Callable[..., Read], access: Access) -> Read:
        edition = registry.edition(self.edition, self.family.name)
        asked = declared.rules(self.rules.items(), self.options)
        return reader(named(self.inputs, self.naming), self.options, edition, asked, access)
