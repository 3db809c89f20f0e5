"""What an edition is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tseval.measures.cluster_rules import ClusterRules
from tseval.measures.filter_rules import FilterRules
from tseval.measures.habits import Habits
from tseval.measures.incident_rules import IncidentRules
from tseval.measures.push_rules import PushRules
from tseval.measures.rules import Rules


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
    rules: Rules = field(default_factory=Rules)
    """The habits that it has; combined with others by `--rule`."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """The columns of the official table, by measure; none where there is no such table."""
    clusters: ClusterRules | None = None
    """The habits of an evaluation over clusters that is no push evaluation."""
    push: PushRules | None = None
    """The habits of a push evaluation."""
    incidents: IncidentRules | None = None
    """The habits of an evaluation of incident streams."""
    filtering: FilterRules | None = None
    """The habits of an evaluation of filtering."""

    @property
    def habits(self) -> Habits | None:
        """The record of its habits; None where it has none to choose from."""
        given = self.clusters or self.push or self.incidents or self.filtering
        return given or (self.rules if self.titles else None)
