"""What the updates of a stream are held against: the gold, and how their pairs are found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.core.declared import input_tables
from tseval.core.family import asked_for, hashes
from tseval.core.measure import Measure, with_times
from tseval.core.registry import measures
from tseval.errors import UsageError
from tseval.families.temporal.columns import (
    pairs_of,
    read_matches,
    read_nuggets,
    read_pool,
    read_topics,
    rows_of,
)
from tseval.families.temporal.evaluation import ASSESSED, DEFAULT_MATCHER, TemporalInputs
from tseval.families.temporal.rules import DRAFT
from tseval.families.temporal.streaming.assessments import CanonicalUpdates, by_scores, standing
from tseval.families.temporal.streaming.plain_files import check_resolved
from tseval.families.temporal.streaming.run_fold import Wanted, table_of
from tseval.files.reading import read_if_given
from tseval.io.formats import Forms, check_forms, form_for
from tseval.io.names import natural_order
from tseval.io.origin import Origin, origins_of
from tseval.matching.in_units import match_blocks
from tseval.matching.matching import get_matcher
from tseval.parallel.sharing import ALONE, Sharing
from tseval.records import frozen
from tseval.tables import (
    Matches,
    Nuggets,
    Pairs,
    Pool,
    Topics,
    Updates,
    all_names,
    known_updates,
    resolve,
)
from tseval.tables.arrow import strings
from tseval.tables.keys import earliest
from tseval.tables.topic_names import TopicNames, with_topics_named

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, FloatArray, IntArray


@frozen
class StreamGold:
    """What updates are held against, read whole."""

    nuggets: Nuggets
    topics: Topics | None
    matches: Matches | None
    pool: Pool | None

    def known(self, updates: Updates) -> CanonicalUpdates:
        """Updates under the gold's names of topics, and as what stands for them in the pool."""
        return standing(self.named(updates), self.pool, None, DRAFT.rules)

    def named(self, table: Any) -> Any:
        """A table under the nuggets' names of topics, which the draft keeps; None stays None."""
        return with_topics_named(table, self.names)

    @cached_property
    def names(self) -> TopicNames:
        """What gives topics the nuggets' names."""
        return TopicNames(self.nuggets.topic, DRAFT.rules.topic_names)

    def judged(self) -> tuple[str, ...]:
        """The topics of the gold, in natural order."""
        return tuple(natural_order(all_names(self.nuggets.topic).to_pylist()))

    def starts(self, judged: Sequence[str]) -> FloatArray:
        """When each topic starts: as the topics file says, else with its earliest nugget."""
        topic = self.nuggets.topic.within(strings(judged))
        start = self.nuggets.origin.starts(earliest(topic, self.nuggets.time, len(judged)))
        return start if self.topics is None else self.topics.periods(judged, start, start)[0]

    @property
    def origins(self) -> dict[str, Origin]:
        """Where each table that was given comes from, in the order of signatures."""
        order = ("nuggets", "matches", "topics", "pool")
        return origins_of({name: getattr(self, name) for name in order})

    @cached_property
    def hashes(self) -> dict[str, str]:
        """The parts of a signature that name the inputs."""
        return hashes(self.origins)


def read_gold(sources: TemporalInputs, forms: Forms = None) -> StreamGold:
    """Read everything but the runs."""
    check_forms(forms, input_tables(TemporalInputs))
    form = partial(form_for, forms)
    if sources.duplicates is not None:
        raise UsageError("--duplicates has no meaning in blocks: a duplicate may be in another")
    if sources.corrections is not None:
        raise UsageError(
            "--corrections has no meaning in blocks: leave the blocks out, or take matches that "
            "`tseval match --corrections` writes"
        )
    gold = StreamGold(
        nuggets=read_nuggets(sources.nuggets, form("nuggets")),
        topics=read_if_given(sources.topics, read_topics, form("topics")),
        matches=read_if_given(sources.matches, read_matches, form("matches")),
        pool=read_if_given(sources.pool, read_pool, form("pool")),
    )
    named = {name: gold.named(getattr(gold, name)) for name in ("topics", "matches", "pool")}
    return replace(gold, **named)


def foldable(wanted: Iterable[str | Measure] | str | Measure | None) -> tuple[Measure, ...]:
    """The measures asked for, or the draft's; one that cannot be folded is a `UsageError`."""
    chosen = measures(asked_for(wanted) or DRAFT.measures, DRAFT.family)
    for measure in chosen:
        if not measure.definition.foldable:
            raise UsageError(f"{measure} needs all updates at once: leave the blocks out")
    return tuple(chosen)


def wanted_of(
    gold: StreamGold, chosen: Sequence[Measure], at: Sequence[str], grades: tuple[float, ...]
) -> Wanted:
    """What is scored."""
    judged = gold.judged()
    dated = tuple(with_times(chosen, at))
    return Wanted(gold.nuggets, judged, dated, gold.starts(judged), grades)


@frozen
class Paired:
    """The pairs of a block, sorted by update, then nugget; with the row of matches of each."""

    pairs: Pairs
    match: IntArray | None = None


def _share(matcher: Any, nuggets: Nuggets, sharing: Sharing) -> Callable[[Updates], Pairs]:
    """What finds the pairs of a block, as work is shared."""
    found = match_blocks(matcher, rows_of(nuggets), sharing)
    return lambda updates: pairs_of(found(rows_of(updates)))


class Pairing:
    """The pairs of each block: by a matcher, or by assessors' matches."""

    def __init__(self, gold: StreamGold, matcher: str | None, threshold: float | None) -> None:
        self.gold = gold
        self.name = ASSESSED
        self.grades: tuple[float, ...] = (1.0,)
        """Every grade above 0 that a pair can have, the lowest first."""
        self._match: Callable[[Updates], Pairs] | None = None
        """What matches a block; None where assessors did."""
        self._match_shared: Callable[[Sharing], Callable[[Updates], Pairs] | None] = lambda _: None
        """The same, as work is shared."""
        if gold.matches is None:
            using = get_matcher(matcher or DEFAULT_MATCHER, threshold)
            self.name = str(using)
            self.grades = tuple(sorted(each for each in using.grades if each > 0)) or (1.0,)
            self._match_shared = partial(_share, using, gold.nuggets)
            self._match = self._match_shared(ALONE)
        elif threshold is not None or matcher not in (None, ASSESSED):
            raise UsageError("matches are given: a matcher would not be asked")
        else:
            self.name = gold.matches.maker or ASSESSED
            if gold.matches.grade is not None:
                self.grades = tuple(np.unique(gold.matches.grade).tolist())
        number = 0 if gold.matches is None else len(gold.matches)
        self._known = np.zeros(number, bool)
        self._runs: set[str] = set()

    @contextmanager
    def shared(self, sharing: Sharing) -> Iterator[None]:
        """Match as work is shared, until the end of the block."""
        self._match = self._match_shared(sharing)
        yield

    def pairs(self, updates: Updates) -> Pairs:
        """The pairs of a block, all of which is counted."""
        found = self.find(updates)
        self.note(updates, found, 0, len(updates))
        return found.pairs

    def find(self, updates: Updates) -> Paired:
        """The pairs of a block."""
        if self._match is not None:
            found_here = self._match(updates)
            return Paired(found_here if self.grades == (1.0,) else by_scores(found_here))
        found = resolve(self._matches, updates, self.gold.nuggets)
        order = np.lexsort((found.pairs.nugget, found.pairs.update))
        return Paired(found.pairs.rows(order), found.row[order])

    def note(self, updates: Updates, found: Paired, start: int, stop: int) -> None:
        """Remember the matches of these rows of a block, and their runs, as found."""
        if found.match is None:
            return
        low, high = np.searchsorted(found.pairs.update, (start, stop))
        self._known[found.match[low:high]] = True
        codes = np.unique(updates.run.codes[start:stop])
        self._runs.update(updates.run.take_names(codes))

    @property
    def _matches(self) -> Matches:
        if self.gold.matches is None:
            raise UsageError("no matches are given")
        return self.gold.matches

    @property
    def known(self) -> str:
        """Which matches speak of updates that came, as text that can be kept."""
        return np.packbits(self._known).tobytes().hex()

    def resume(self, known: str, runs: Iterable[str]) -> None:
        """Go on where `known` was kept, with the runs that there were."""
        bits = np.unpackbits(np.frombuffer(bytes.fromhex(known), np.uint8))
        self._known |= bits[: len(self._known)].astype(bool)
        self._runs.update(runs)

    def check(self, *, to_come: bool = False) -> int:
        """At the end: every match must speak of an update that there was, unless more are to come.

        How many do not.
        """
        if self._match is not None:
            return 0
        matches, pool = self._matches, self.gold.pool
        known = self._known | self._of_no_run(matches)
        if pool is not None:
            known |= known_updates(matches.topic, matches.update_id, pool)
        nothing = resolve(matches, table_of([]), self.gold.nuggets)
        lost = np.zeros_like(known) if to_come else ~known
        check_resolved(replace(nothing, lost_update=lost), matches, pool)
        return int(np.count_nonzero(~known))

    def _of_no_run(self, matches: Matches) -> BoolArray:
        """The matches that name a run which is not here."""
        if matches.run is None:
            return np.zeros(len(matches), bool)
        absent = [name not in self._runs for name in matches.run.vocabulary()]
        return np.array(absent, bool)[matches.run.codes]
