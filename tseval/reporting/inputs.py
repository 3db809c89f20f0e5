"""What is given for a report beside the scores: runs with their gold, of one family, and rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from tseval.errors import UsageError
from tseval.families.filtering.evaluation import FilterInputs, FilterOptions
from tseval.families.incidents.options import IncidentInputs
from tseval.families.temporal.evaluation import TemporalInputs
from tseval.reporting.assembling import Request
from tseval.reporting.filtering import FilterRuns
from tseval.reporting.incidents import IncidentRuns
from tseval.reporting.temporal import Runs

if TYPE_CHECKING:
    from tseval.families.temporal.evaluation import Given

FOR_UPDATES = ("matches", "matcher", "threshold", "pool", "duplicates")
FOR_INCIDENTS = ("labels", "ontology", "events")
FOR_FILTERING = ("truth", "batch", "cutoff", "level")
FOR_ANY_RUNS = ("topics", "edition", "rules")
OPTIONS = {"runs": "--run", "events": "--event", "rules": "--rule"}
"""What is called otherwise on the command line than here."""


class ReportInputFields(TypedDict, total=False):
    """The fields of `ReportInputs`, for whoever takes them as keywords."""

    updates: Given | Sequence[Given]
    nuggets: Given | None
    matches: Given | None
    matcher: str | None
    threshold: float | None
    pool: Given | None
    duplicates: Given | None
    runs: Given | Sequence[Given]
    labels: Given | Sequence[Given]
    ontology: str | Path | None
    events: str | Sequence[str]
    truth: Given | None
    batch: str | Sequence[str]
    cutoff: str | float | None
    level: str | None
    topics: Given | None
    edition: str | None
    rules: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class ReportInputs:
    """Runs and gold as they are named; what has no meaning is a `UsageError`."""

    updates: Given | Sequence[Given] = ()
    nuggets: Given | None = None
    matches: Given | None = None
    matcher: str | None = None
    threshold: float | None = None
    pool: Given | None = None
    duplicates: Given | None = None
    runs: Given | Sequence[Given] = ()
    """Runs of incident streams, or such that filter."""
    labels: Given | Sequence[Given] = ()
    ontology: str | Path | None = None
    events: str | Sequence[str] = ()
    truth: Given | None = None
    batch: str | Sequence[str] = ()
    cutoff: str | float | None = None
    level: str | None = None
    topics: Given | None = None
    edition: str | None = None
    rules: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self._has("updates") and self._has("runs"):
            raise UsageError("--updates are over nuggets, --run over labels or a truth: give one")
        if self._has("updates") != self._has("nuggets"):
            raise UsageError(
                "runs and gold belong together: give --updates FILE and --nuggets FILE"
            )
        if self._has("runs"):
            self._check_gold()
        self._refuse("--updates and --nuggets", ("updates",), FOR_UPDATES)
        self._refuse("--run", ("runs",), (*FOR_INCIDENTS, *FOR_FILTERING))
        self._refuse("--labels", ("labels",), FOR_INCIDENTS)
        self._refuse("--truth", ("truth",), FOR_FILTERING)
        self._refuse("--updates, or --run", ("updates", "runs"), FOR_ANY_RUNS)
        if self._has("truth") and self._has("topics"):
            raise UsageError("--topics has no meaning with --truth")

    def _has(self, name: str) -> bool:
        value: Any = getattr(self, name)
        return value is not None and not (isinstance(value, str | Sequence | Mapping) and not value)

    def _refuse(self, needed: str, names: Sequence[str], others: Sequence[str]) -> None:
        """Refuse what would do nothing without any of these."""
        if any(self._has(name) for name in names):
            return
        for name in others:
            if self._has(name):
                option = OPTIONS.get(name, f"--{name}")
                raise UsageError(f"{option} has no meaning without {needed}")

    def _check_gold(self) -> None:
        """A run needs labels with their types, or a truth."""
        if self._has("truth") and (self._has("labels") or self._has("ontology")):
            raise UsageError(
                "--labels are for incident streams, --truth is for filtering: give one"
            )
        if not self._has("truth") and not (self._has("labels") and self._has("ontology")):
            raise UsageError(
                "a run needs --labels FILE and --ontology FILE (incident streams), or "
                "--truth FILE (filtering)"
            )

    def added(self, request: Request) -> Request:
        """The request with all that is given."""
        return replace(
            request, runs=self.temporal, incidents=self.incidents, filtering=self.filtering
        )

    @property
    def temporal(self) -> Runs | None:
        """Updates and nuggets, if they are given."""
        if self.nuggets is None:
            return None
        return Runs(
            sources=TemporalInputs(
                _several(self.updates),
                self.nuggets,
                self.matches,
                self.topics,
                self.duplicates,
                self.pool,
            ),
            matcher=self.matcher,
            threshold=self.threshold,
            edition=self.edition or Runs.edition,
            rules=self.rules,
        )

    @property
    def incidents(self) -> IncidentRuns | None:
        """Runs of incident streams, if they are given."""
        if self.ontology is None:
            return None
        labels, *more = _several(self.labels)
        return IncidentRuns(
            inputs=IncidentInputs(
                runs=_several(self.runs),
                labels=labels,
                ontology=self.ontology,
                more_labels=more,
                topics=None if self.topics is None else str(self.topics),
            ),
            edition=self.edition or IncidentRuns.edition,
            rules=self.rules,
            events=_several(self.events),
        )

    @property
    def filtering(self) -> FilterRuns | None:
        """Runs that filter, if they are given."""
        if self.truth is None:
            return None
        given = {"batches": tuple(_several(self.batch)), "level": self.level}
        given |= {} if self.cutoff is None else {"cutoff": str(self.cutoff)}
        return FilterRuns(
            sources=FilterInputs(_several(self.runs), self.truth),
            edition=self.edition or FilterRuns.edition,
            options=FilterOptions(**{name: value for name, value in given.items() if value}),  # type: ignore[arg-type]
            rules=self.rules,
        )


def _several(given: Any) -> list[Any]:
    """One thing, or a list or tuple of such, as a list."""
    return list(given) if isinstance(given, list | tuple) else [given]
