"""From files to everything that a measure of CrisisFACTS needs: read, checked, counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tseval.core.editions import Edition
from tseval.core.family import Access, Evaluation, Words, hashes
from tseval.core.measure import Measure
from tseval.core.wording import listed
from tseval.errors import UsageError
from tseval.families.crisisfacts.caveats import caveats, lacking
from tseval.families.crisisfacts.files import RAW_CURE
from tseval.families.crisisfacts.index import (
    TRACK,
    CrisisIndex,
    Judged,
    Pool,
    judged,
    of_items,
    of_pool,
    pool_of,
)
from tseval.families.crisisfacts.inputs import (
    CrisisInputs,
    CrisisOptions,
    Labelled,
    read_tables,
)
from tseval.families.crisisfacts.measures import (
    DEFINITIONS,
    END_OF_DAY,
    F1,
    LAGGED_SHARE,
    needs,
)
from tseval.families.crisisfacts.rules import CrisisRules
from tseval.families.crisisfacts.tables import COLLAPSED, ITEMS, LABELS, LAGGED, event_of
from tseval.files.reading import faults_of, input_of, refuse
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray, IntArray

NO_REQUEST = (
    "a request of FACTS counts if a collapsed fact of it is worth something, of 2022 if it has "
    "gold facts"
)
DAY = 86_400.0
"""The seconds of a day."""


@frozen(kw_only=True)
class CrisisEvaluation(Evaluation):
    """Runs held against collapsed or gold facts; its edition has the rules that were asked for."""

    words: ClassVar[Words] = Words("facts", "event", "counted as saying nothing")

    crisis: CrisisIndex
    held: Pool | Judged
    """Collapsed facts with their labels, or items with gold facts."""

    @property
    def index(self) -> CrisisIndex:
        """What measures are taken from."""
        return self.crisis

    @property
    def starts(self) -> FloatArray:
        """When each event starts: with the day of its first request that counts; 0 without days."""
        return self._of_events(np.minimum, np.inf)

    @property
    def ends(self) -> FloatArray:
        """When each event ends: with the day of its last request."""
        return self._of_events(np.maximum, -np.inf) + DAY

    @property
    def latest(self) -> FloatArray:
        """When the last day begins."""
        return self._of_events(np.maximum, -np.inf)

    def _of_events(self, chosen: np.ufunc, start: float) -> FloatArray:
        index = self.index
        if not index.dated:
            return np.zeros(len(index.topics))
        found = np.full(len(index.topics), start)
        chosen.at(found, index.request_event, index.day)
        return found

    @property
    def sent(self) -> tuple[IntArray, FloatArray]:
        """The requests of which runs have anything: their (run, event), and the end of the day."""
        run, request = np.nonzero(self.index.there)
        return self.index.cell_unit[run, request], self.index.day[request] + END_OF_DAY

    def settled(self, wanted: list[Measure]) -> list[Measure]:
        """The measures asked for; those that the files cannot tell are refused."""
        known = self.index.counts.keys()
        names = [each.name for each in DEFINITIONS if needs(each.name) <= known]
        for each in wanted:
            name = each.definition.name
            if name not in names:
                what = "collapsed facts" if isinstance(self.held, Pool) else "assessed items"
                listed = ", ".join(names)
                raise UsageError(f"{each} is no measure of {what}; those are: {listed}")
            if name == LAGGED_SHARE and not self._knows_lagged():
                raise UsageError(f"{each}: no label says {LAGGED}, so nobody knows")
            if each.at is not None:
                self.has_times(each)
        return wanted

    def _knows_lagged(self) -> bool:
        return isinstance(self.held, Pool) and LAGGED in self.held.labels.label.to_list()

    def has_times(self, measure: Measure) -> bool:
        """Whether a measure can be taken at any time; without days that is refused."""
        if not self.index.dated:
            raise UsageError(
                f"{measure}: not all days of requests are known, so nothing has a value before the "
                "end: --requests FILE tells them"
            )
        return True

    def follows(self, measure: Measure) -> bool:
        """Whether a measure can be followed over time: every mean over requests that have days."""
        return self.index.dated and measure.definition.name != F1

    def without_missing(self) -> CrisisEvaluation:
        """The same, where requests of which a run has nothing are left out."""
        return replace(self, crisis=self.index.without_missing())

    def lacks(self) -> Iterator[tuple[str, str, Sequence[str]]]:
        """The requests that runs lack of events that they have."""
        return lacking(self.index)


def read(
    inputs: CrisisInputs,
    options: CrisisOptions,  # noqa: ARG001 - as of all families
    edition: Edition[CrisisRules],
    rules: Mapping[str, str],
    access: Access,
) -> CrisisEvaluation:
    """Read every input; a fault in any of them is an `InputError`."""
    applied = edition.rules.changed(rules)
    tables = read_tables(inputs, applied, access)
    held: Pool | Judged
    if isinstance(tables.held, Labelled):
        held = pool_of(*tables.held, applied)
        index = of_pool(held, tables.days, applied)
    else:
        held = judged(*tables.held)
        _refuse_strange(held, inputs)
        index = of_items(held, tables.days, applied)
    if not index.requests:
        _refuse_without_requests(held, inputs, applied)
    if not index.runs:
        refuse(input_of(inputs.runs[0], COLLAPSED), "names no run", RAW_CURE, "id-format")
    told = applied.said(edition.rules)
    return CrisisEvaluation(
        edition=replace(edition, rules=applied),
        crisis=index,
        held=held,
        traits=({"rules": told} if told else {}) | hashes(tables.origins),
        inputs=tables.records(),
        warnings=tuple(caveats(held, index, applied)),
    )


def _refuse_without_requests(held: Pool | Judged, inputs: CrisisInputs, rules: CrisisRules) -> None:
    """Refuse files of which no request counts, or a rule that takes none of their events."""
    events = dict.fromkeys(map(event_of, held.requests))
    if rules.events == "track" and events and not events.keys() & {*TRACK}:
        source = inputs.runs[0] if isinstance(held, Pool) else inputs.gold
        reason = f"does not fit the rule events=track: its events are {listed(list(events))}"
        cure = f"the rule takes {TRACK[0]} to {TRACK[-1]} alone; leave it out to take all events"
        refuse(input_of(source, COLLAPSED), reason, cure, "unrelated-inputs")
    refuse(input_of(inputs.gold, LABELS), "leaves no request that counts", NO_REQUEST)


def _refuse_strange(own: Judged, inputs: CrisisInputs) -> None:
    """Refuse items that name facts which no request has: the faults of the first such file."""
    if not own.strange:
        return
    origin = own.table.origin
    place = int(origin.source[own.strange[0][0]])
    faults = faults_of(input_of(inputs.runs[place], ITEMS), origin.sources[place])
    for row, name in own.strange:
        if origin.source[row] == place:
            reason = f'fact "{name}" is of no request'
            faults.add_row(origin, row, reason, "items name facts of GOLD", "unknown-id")
    faults.check()
