"""Scores of inputs that are larger than memory: read, matched and folded a block at a time.

What has to fit is one block, the gold, the matches if they are given, and eight bytes an update by
which one that stands twice is found. The scores are those of `tseval.score`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.core.doubtful_times import Span, years_apart
from tseval.core.family import SHORT_HASH, Column, Words
from tseval.core.measure import Measure, with_times
from tseval.core.registry import measures
from tseval.core.results import Values
from tseval.core.scores import Scores
from tseval.core.scoring import check_choice, missing_topics, undefined_warnings
from tseval.errors import UsageError
from tseval.families.temporal import plain_files as formats
from tseval.families.temporal.assessments import CanonicalUpdates, standing
from tseval.families.temporal.caveats import (
    Census,
    gold_spans,
    of_gold,
    of_matches,
    of_runs,
    refuse_foreign_matches,
    refuse_foreign_pool,
)
from tseval.families.temporal.editions import DRAFT
from tseval.families.temporal.evaluation import ASSESSED, DEFAULT_MATCHER, INPUTS, TemporalInputs
from tseval.files.faults import FaultList
from tseval.files.forms import Forms, check_forms, form_for
from tseval.files.frames import check_inputs, is_frame, run_names
from tseval.files.inputs import Input
from tseval.files.topics import read_topics
from tseval.matching.matching import NuggetsByTopic, get_matcher
from tseval.streaming.fold import Fold, RunFold, Wanted, table_of
from tseval.streaming.repeats import Repeats
from tseval.streaming.update_blocks import ROWS, BlockInput
from tseval.tables import (
    InputRecord,
    Matches,
    Nuggets,
    Pairs,
    Pool,
    Topics,
    Updates,
    all_names,
    known_updates,
    natural_order,
    resolve,
)
from tseval.tables.topic_names import TopicNames, with_topics_named
from tseval.tables.units import Units
from tseval.version import VERSION

if TYPE_CHECKING:
    from tseval.matching.matching import Progress
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

UNDEFINED = ("skip", "zero")


@dataclass(frozen=True)
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
        place = {name: at for at, name in enumerate(judged)}
        start = np.full(len(judged), np.inf)
        topic = [place[name] for name in self.nuggets.topic.to_list()]
        np.minimum.at(start, topic, self.nuggets.time)
        if self.topics is not None:
            for row, name in enumerate(self.topics.topic.to_list()):
                if name in place:
                    start[place[name]] = self.topics.start[row]
        return start

    @cached_property
    def hashes(self) -> dict[str, str]:
        """The short hash of each input."""
        sources = self.sources().items()
        return {name: f"sha256:{source.sha256[:SHORT_HASH]}" for name, source in sources}

    def sources(self) -> dict[str, InputRecord]:
        """Every input by its name."""
        tables = {
            "nuggets": self.nuggets,
            "matches": self.matches,
            "topics": self.topics,
            "pool": self.pool,
        }
        return {name: t.origin.sources[0] for name, t in tables.items() if t is not None}


def _read(source: Any, form: str | None, reader: Callable[..., Any]) -> Any:
    """A table that may not be given."""
    return None if source is None else reader(source, form)


def read_gold(sources: TemporalInputs, forms: Forms = None) -> StreamGold:
    """Read everything but the runs."""
    check_forms(forms, INPUTS)
    form = partial(form_for, forms)
    if sources.duplicates is not None:
        raise UsageError("--duplicates has no meaning in blocks: a duplicate may be in another")
    gold = StreamGold(
        nuggets=formats.read_nuggets(sources.nuggets, form("nuggets")),
        topics=_read(sources.topics, form("topics"), read_topics),
        matches=_read(sources.matches, form("matches"), formats.read_matches),
        pool=_read(sources.pool, form("pool"), formats.read_pool),
    )
    named = {name: gold.named(getattr(gold, name)) for name in ("topics", "matches", "pool")}
    return replace(gold, **named)


def foldable(wanted: Iterable[str | Measure] | str | Measure | None) -> tuple[Measure, ...]:
    """The measures asked for, or the draft's; one that cannot be folded is a `UsageError`."""
    given = [wanted] if isinstance(wanted, str | Measure) else list(wanted or DRAFT.measures)
    chosen = measures(given, DRAFT.family)
    for measure in chosen:
        if not measure.definition.foldable:
            raise UsageError(f"{measure} needs all updates at once: leave the blocks out")
    return tuple(chosen)


def wanted_of(gold: StreamGold, chosen: Sequence[Measure], at: Sequence[str]) -> Wanted:
    """What is scored."""
    judged = gold.judged()
    return Wanted(gold.nuggets, judged, tuple(with_times(chosen, at)), gold.starts(judged))


@dataclass(frozen=True)
class Paired:
    """The pairs of a block, sorted by update, then nugget; with the row of matches of each."""

    pairs: Pairs
    match: IntArray | None = None


class Pairing:
    """The pairs of each block: by a matcher, or by assessors' matches."""

    def __init__(self, gold: StreamGold, matcher: str | None, threshold: float | None) -> None:
        self.gold = gold
        self.name = ASSESSED
        self._sought: NuggetsByTopic | None = None
        if gold.matches is None:
            using = get_matcher(matcher or DEFAULT_MATCHER, threshold)
            self.name = str(using)
            self._sought = NuggetsByTopic(using, gold.nuggets)
        elif threshold is not None or matcher not in (None, ASSESSED):
            raise UsageError("matches are given: a matcher would not be asked")
        else:
            self.name = gold.matches.maker or ASSESSED
        number = 0 if gold.matches is None else len(gold.matches)
        self._known = np.zeros(number, bool)
        self._runs: set[str] = set()

    def pairs(self, updates: Updates) -> Pairs:
        """The pairs of a block, all of which is counted."""
        found = self.find(updates)
        self.note(updates, found, 0, len(updates))
        return found.pairs

    def find(self, updates: Updates) -> Paired:
        """The pairs of a block."""
        if self._sought is not None:
            return Paired(self._sought.match(updates))
        found = resolve(self._matches, updates, self.gold.nuggets)
        order = np.lexsort((found.pairs.nugget, found.pairs.update))
        pairs = Pairs(found.pairs.update[order], found.pairs.nugget[order])
        return Paired(pairs, found.row[order])

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
        if self._sought is not None:
            return 0
        matches, pool = self._matches, self.gold.pool
        known = self._known | self._of_no_run(matches)
        if pool is not None:
            known |= known_updates(matches.topic, matches.update_id, pool)
        nothing = resolve(matches, table_of("", []), self.gold.nuggets)
        lost = np.zeros_like(known) if to_come else ~known
        formats.check_resolved(replace(nothing, lost_update=lost), matches, pool)
        return int(np.count_nonzero(~known))

    def _of_no_run(self, matches: Matches) -> BoolArray:
        """The matches that name a run which is not here."""
        if matches.run is None:
            return np.zeros(len(matches), bool)
        absent = [name not in self._runs for name in matches.run.vocabulary()]
        return np.array(absent, bool)[matches.run.codes]


def score_in_blocks(
    sources: TemporalInputs,
    matcher: str | None = None,
    threshold: float | None = None,
    wanted: Iterable[str | Measure] | str | Measure | None = None,
    at: Sequence[str] = (),
    on_missing: str | None = None,
    undefined: str = "skip",
    rows: int = ROWS,
    progress: Progress | None = None,
    forms: Forms = None,
) -> Scores:
    """The scores of runs that need not fit into memory; the parameters are those of `score`.

    Runs are files of TSV, JSON lines or Parquet in any order; the edition is the draft. Sums of
    costs that are not whole numbers may differ from those of `score` in the last digit.
    """
    check_choice("undefined", undefined, UNDEFINED)
    chosen = foldable(wanted)
    inputs = _inputs(sources, form_for(forms, "updates"))
    gold = read_gold(sources, forms)
    target = wanted_of(gold, chosen, at)
    pairing = Pairing(gold, matcher, threshold)
    fold = Fold(target, has_cost=any(each.has_cost for each in inputs))
    for updates in _blocks(inputs, rows, fold.has_cost):
        known = gold.known(updates)
        fold.add(known.updates, pairing.pairs(known.updates), known.sampled)
        if progress:
            progress(fold.updates, fold.updates)
    _check_fit(fold, gold)
    pairing.check()
    records = [_record(each) for each in inputs]
    empty = [each.name for each in inputs if not each.rows]
    return scores_of_fold(
        fold, gold, pairing.name, [*records, *gold.sources().values()], on_missing, undefined, empty
    )


def _check_fit(fold: Fold, gold: StreamGold) -> None:
    """Refuse matches and a pool that are all of other runs."""
    runs = natural_order(fold.runs)
    if gold.matches is not None:
        refuse_foreign_matches(gold.matches, runs)
    seen = [run.seen for run in fold.runs.values()]
    if gold.pool is not None and not any(each.pooled for each in seen):
        refuse_foreign_pool(gold.pool, runs, sum(each.judged for each in seen))


def _inputs(sources: TemporalInputs, form: str | None) -> list[BlockInput]:
    """The runs, with the names that they have without a column `run`."""
    if not sources.updates:
        raise UsageError("no run is given: name at least one table of updates")
    if any(is_frame(each) for each in sources.updates):
        raise UsageError("a frame is in memory already: blocks are read from files")
    check_inputs(sources.listed())
    given = [Input(str(each)) for each in sources.updates]
    names = run_names(given)
    return [BlockInput(each, name, form) for each, name in zip(given, names, strict=True)]


def _blocks(inputs: Sequence[BlockInput], rows: int, has_cost: bool) -> Iterator[Updates]:
    """The updates of all inputs; one that stands twice in a run is a fault."""
    repeats = Repeats()
    for at, each in enumerate(inputs):
        for updates in each.blocks(rows):
            cost = np.ones(len(updates)) if updates.cost is None and has_cost else updates.cost
            suspects = repeats.suspects(updates)
            if len(suspects):
                _check_suspects(inputs[: at + 1], updates, suspects.tolist(), rows)
            yield replace(updates, cost=cost)


def _check_suspects(
    inputs: Sequence[BlockInput], updates: Updates, suspects: Sequence[int], rows: int
) -> None:
    """Look whether these rows really stood before: read again up to them."""
    wanted = {_key(updates, row): row for row in reversed(suspects)}
    faults = FaultList(inputs[-1].source)
    first: dict[tuple[str, str, str], str] = {}
    for place in _places(inputs, rows):
        key, source, line = place
        if key not in wanted:
            continue
        own = source is inputs[-1].source and line >= int(updates.origin.line[wanted[key]])
        if key not in first:
            first[key] = f"{source.path}:{line}"
        elif own:
            reason = f'update_id "{key[2]}" stands twice in run "{key[0]}"'
            cure = f"first at {first[key]}: remove one of them, or rename it"
            faults.add(line, reason, cure)
            del wanted[key]
        if not wanted:
            break
    faults.check()


def _places(
    inputs: Sequence[BlockInput], rows: int
) -> Iterator[tuple[tuple[str, str, str], Input, int]]:
    for each in inputs:
        for block in BlockInput(each.source, each.name, each.form).blocks(rows):
            for row, line in enumerate(block.origin.line.tolist()):
                yield _key(block, row), each.source, line


def _key(updates: Updates, row: int) -> tuple[str, str, str]:
    return updates.run[row], updates.topic[row], updates.update_id[row]


def _record(given: BlockInput) -> InputRecord:
    source = given.source
    return InputRecord(source.path, lambda: source.sha256, given.rows, source.unit)


def scores_of_fold(
    fold: Fold,
    gold: StreamGold,
    matcher: str,
    inputs: Sequence[InputRecord],
    on_missing: str | None,
    undefined: str,
    empty: Sequence[str] = (),
) -> Scores:
    """What a fold holds as scores; `empty` names the runs without an update."""
    wanted = fold.wanted
    runs = tuple(natural_order({*fold.runs, *empty}))
    folds = [fold.run(name) for name in runs]
    present = np.array([each.present for each in folds]).reshape(len(runs), len(wanted.topics))
    units = FoldedUnits(runs, wanted.topics, present)
    missing = missing_topics([units], on_missing or DRAFT.on_missing, Words())
    of_runs = [each.values() for each in folds]
    columns = [_column(units, [own[at] for own in of_runs]) for at in range(len(wanted.measures))]
    scores = Scores(
        runs=runs,
        topics=wanted.topics,
        measures=tuple(measure.name for measure in wanted.measures),
        values=np.stack([each.values.value.reshape(present.shape) for each in columns], axis=2),
        defined=np.stack([each.values.defined.reshape(present.shape) for each in columns], axis=2),
        counted=missing.counted,
        undefined_as_zero=undefined == "zero",
        signature=signature_of(fold, gold, matcher, missing.rule, undefined),
        inputs=tuple(inputs),
        warnings=(*_caveats(folds, gold), *missing.warnings),
    )
    undefined_somewhere = undefined_warnings(scores, columns, wanted.measures)
    return replace(scores, warnings=(*scores.warnings, *undefined_somewhere))


@dataclass(frozen=True)
class FoldedUnits(Units):
    """The units of a fold, and which of them have any update."""

    present: BoolArray


def _column(units: FoldedUnits, of_runs: Sequence[Values]) -> Column:
    """A measure of every unit, from its values by run."""
    value = np.concatenate([each.value for each in of_runs])
    return Column(units, Values(value, np.concatenate([each.defined for each in of_runs])))


def signature_of(fold: Fold, gold: StreamGold, matcher: str, missing: str, undefined: str) -> str:
    """The signature, as `tseval.score` writes it."""
    traits = {"tseval": VERSION, "edition": DRAFT.name, "matcher": matcher} | gold.hashes
    silent = any(
        parameter.name == "cost" and not measure.has("cost")
        for measure in fold.wanted.measures
        for parameter in measure.definition.parameters
    )
    if silent:
        costs = fold.has_cost and gold.nuggets.cost is not None
        traits["cost"] = "column" if costs else "1"
    traits |= {"missing": missing, "undefined": undefined}
    return "|".join(f"{name}:{value}" for name, value in traits.items())


def _caveats(folds: Sequence[RunFold], gold: StreamGold) -> Iterator[str]:
    """The warnings of `tseval.score`."""
    by_text = gold.matches is None
    if gold.matches is not None:
        applied = any(run.says_any for run in folds)
        runs = [run.run for run in folds if run.seen.updates]
        yield from of_matches(gold.matches, gold.nuggets, runs, applied=applied)
    yield from of_runs([_census(each, by_text=by_text) for each in folds])
    yield from of_gold(gold.nuggets, gold.judged(), gold.topics, by_text=by_text)
    found = [
        *gold_spans(gold.nuggets, gold.topics),
        *(span for run in folds for span in _spans(run)),
    ]
    yield from years_apart(found, gold.judged())


def _spans(run: RunFold) -> Iterator[Span]:
    """From when to when the run's times are, in each topic that it has."""
    for name, first, last in zip(run.wanted.topics, *map(np.ndarray.tolist, run.span), strict=True):
        if first <= last:
            yield Span(f"run {run.run}", name, first, last)


def _census(run: RunFold, *, by_text: bool) -> Census:
    seen = run.seen
    low, high = seen.confidence or (0.0, 1.0)
    constant = low if low == high and seen.updates > 1 else None
    silent = seen.silent if by_text else 0
    unjudged = tuple(sorted(seen.unjudged))
    outside = 0 if seen.pooled else seen.judged
    dumb = 0 < silent == seen.judged
    return Census(run.run, unjudged, seen.early, constant, silent, seen.latest, outside, dumb)
