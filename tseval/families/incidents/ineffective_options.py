"""What was asked for beside the edition's rules and changes nothing: refused, with the cure.

A measure says by its definition what it reads; explanations and the picture say it here. By some
rules less is read: where types are never worth anything, their weight isn't.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tseval.core.measure import Measure
from tseval.core.registry import definitions, measures
from tseval.core.wording import listed
from tseval.errors import UsageError
from tseval.families.incidents.index import ACTIONABLE, FAMILY, GROUPS
from tseval.families.incidents.rules import LABELLING, TYPING
from tseval.families.incidents.tables import LEVELS
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.families.incidents.inputs import IncidentTables
    from tseval.families.incidents.rules import IncidentRules

ALERTS_SHOW = ("levels", *LABELLING, *TYPING, "emitted-from", "normalise", "scale-bottom", "epochs")
"""What the columns of `explain_alerts` depend on beside worth: types, priorities, times."""
TYPES_SHOW = (*LABELLING, *TYPING, "emitted-from", "type-posts", "actionable")
"""What the counts of `confusion_table` depend on."""


def reads_of(measure: Measure, rules: IncidentRules) -> frozenset[str]:
    """What can change a measure's value by these rules; anything, if its definition is silent."""
    reads = set(measure.definition.reads or everything())
    if measure.definition.parameters == GROUPS and not measure.has(ACTIONABLE.name):
        reads.discard("actionable-mean")
        reads.difference_update(() if measure.arguments else ("actionable",))
    return rules.effective(reads) | ({"epochs"} if measure.at is not None else set())


def everything() -> set[str]:
    """What a measure of a plug-in may read that doesn't say."""
    return {name for each in definitions(FAMILY).values() for name in each.reads}


def read_by(wanted: Sequence[Measure], rules: IncidentRules) -> frozenset[str]:
    """What can change any of these measures."""
    return frozenset(name for each in wanted for name in reads_of(each, rules))


@frozen
class Choices:
    """What was asked for, with the rules and tables that it may change something in."""

    asked: Mapping[str, str]
    """What is not as the edition has it, as `IncidentOptions.otherwise` tells it."""
    rules: IncidentRules
    tables: IncidentTables

    def check_measures(self, wanted: Sequence[Measure]) -> None:
        """Refuse what changes none of these measures, and labels that can't answer them."""
        named = [each.name for each in wanted if "levels" in each.definition.reads]
        self._check_levels(listed(named) if named else "")
        reads = read_by(wanted, self.rules)
        names = listed([each.name for each in wanted])
        for name, called in self._idle(reads):
            cure = f"leave it out{_other_cure(self.rules, name)}"
            raise UsageError(f"{called} changes nothing in {names}: {cure}")

    def check_shown(self, reads: Collection[str], what: str) -> None:
        """Refuse what changes nothing in something else than measures, which reads this."""
        self._check_levels(what if "levels" in reads else "")
        for _, called in self._idle(reads):
            raise UsageError(f"{called} changes nothing in {what}: leave it out")

    def unread(self, reads: Collection[str]) -> Iterator[str]:
        """What is not refused, since another file could make it count; of what reads this alone."""
        if self.tables.epochs is not None and "epochs" not in reads:
            yield "the epochs change nothing: nothing here asks when a post was made"
        if "emitted-from" in self.asked and not self.tables.run_types.weighed:
            yield "the threshold changes nothing: no type of the runs has a number"

    def _check_levels(self, what: str) -> None:
        """Priorities are asked for only where the labels tell some."""
        if what and not self.tables.labels.has_levels:
            raise UsageError(
                f"the labels tell no priorities, and these need them: {what}. Ask for measures of "
                "types alone, such as -m 'type.P type.R type.F1', or add to the labels a column "
                f"level with {', '.join(LEVELS)}"
            )

    def _idle(self, reads: Collection[str]) -> Iterator[tuple[str, str]]:
        """What was asked for and isn't read: under which name, and what it is called."""
        yield from ((name, called) for name, called in self.asked.items() if name not in reads)


def _other_cure(rules: IncidentRules, name: str) -> str:
    """What else than leaving it out would help: a measure that reads it, or another rule."""
    family = definitions(FAMILY).values()
    plain = measures([each.name for each in family], FAMILY)
    some = [each(actionable=True) for each in plain if each.definition.parameters == GROUPS]
    readers = [each.name for each in plain if name in reads_of(each, rules)]
    readers = readers or [each.name for each in some if name in reads_of(each, rules)]
    if readers:
        return f", or ask for a measure that reads it: {listed(readers)}"
    read = [each.reads for each in family if name in each.reads]
    silencers = dict.fromkeys(rules.silencer(reads, name) for reads in read)
    return "".join(f", or choose another rule than {each}" for each in silencers if each)
