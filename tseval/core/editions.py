"""What an edition is: whose rules are followed, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Generic, TypeVar

from tseval.core.rules import RuleSet
from tseval.records import frozen

Record = TypeVar("Record", bound=RuleSet, covariant=True)


@frozen
class Edition(Generic[Record]):
    """Whose rules: the family they are for, the measures shown by default, and where they stand."""

    name: str
    family: str
    summary: str
    measures: tuple[str, ...]
    on_missing: str
    """What a judged topic without updates counts as: `zero` (an empty system), `skip`, `error`."""
    citation: str
    rules: Record
    """Its rules; combined with others by `--rule`."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """The columns of the official table, by measure; none where there is no such table."""
    leading: tuple[str, ...] = ()
    """What a report leads with: the primary measure, by which a run is said to be better, and up to
    four companions, of those that were scored."""
