"""Updates and nuggets that are read once, and scored by one matcher after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tseval.core.editions import Edition
from tseval.core.family import Access
from tseval.families.temporal.evaluation import TemporalEvaluation, read
from tseval.families.temporal.inputs import (
    ASSESSED,
    TemporalInputs,
    TemporalOptions,
    TemporalTables,
    check_request,
    read_tables,
)
from tseval.families.temporal.rules import Rules
from tseval.matching.matching import get_matcher
from tseval.records import frozen


@frozen
class TemporalMatched:
    """What was read, and by which rules it is scored."""

    inputs: TemporalInputs
    options: TemporalOptions
    edition: Edition[Rules]
    rules: Mapping[str, str]
    access: Access
    tables: TemporalTables

    @property
    def given(self) -> str | None:
        """What the matches that were given are called."""
        matches = self.tables.matches
        return None if matches is None else matches.maker or ASSESSED

    def threshold(self, matcher: str) -> float | None:
        """A matcher's own threshold."""
        found: float | None = getattr(get_matcher(matcher), "threshold", None)
        return found

    def evaluation(self, matcher: str, threshold: float | None) -> TemporalEvaluation:
        """The runs by a matcher, or by the matches that were given."""
        inputs, tables, options = self.inputs, self.tables, self.options
        if matcher != self.given:
            inputs, tables = replace(inputs, matches=None), replace(tables, matches=None)
            options = replace(options, matcher=matcher, threshold=threshold)
        return read(inputs, options, self.edition, self.rules, self.access, tables)


def matched(
    inputs: TemporalInputs,
    options: TemporalOptions,
    edition: Edition[Rules],
    rules: Mapping[str, str],
    access: Access,
) -> TemporalMatched:
    """Read all inputs once."""
    check_request(inputs, options, access.sharing)
    tables = read_tables(inputs, edition.rules.changed(rules), access)
    return TemporalMatched(inputs, options, edition, rules, access, tables)
