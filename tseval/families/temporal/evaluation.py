"""From inputs to everything a measure needs: tables matched, indexed, and described.

A reader who follows a run from its file to its scores passes here: `read_tables`, then the matches,
then the earliest-match index. `TemporalEvaluation` holds them for any measure, curve or
explanation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.core.editions import Edition
from tseval.core.family import SHORT_HASH, Access, Asked, Column, Evaluation
from tseval.core.firsts import Firsts
from tseval.core.measure import Measure
from tseval.core.registry import measures
from tseval.core.results import Result
from tseval.core.scores import Scores
from tseval.core.scoring import scores_of
from tseval.errors import UsageError
from tseval.families.temporal import plain_files
from tseval.families.temporal.assessed import AssessedIndex
from tseval.families.temporal.assessments import (
    CanonicalUpdates,
    Found,
    GoldReading,
    assessed_index,
    counted_pairs,
    is_judged_whole,
    kept_nuggets,
    known_since,
    standing,
    standing_matches,
)
from tseval.families.temporal.caveats import (
    of_evaluation,
    of_fit,
    of_pool_file,
    refuse_foreign_matches,
)
from tseval.families.temporal.draft import OF_TIMES, default_cost, leaves_cost_open
from tseval.families.temporal.inputs import (
    TemporalInputs,
    TemporalOptions,
    TemporalTables,
    check_request,
    check_rules,
    matcher_name,
    read_tables,
    reading_by,
    sample_matcher,
)
from tseval.families.temporal.rules import WEIGHING, Rules
from tseval.files.score_files import shown
from tseval.matching.asking import answer_traits, remarks
from tseval.matching.matching import get_matcher, match
from tseval.records import frozen
from tseval.tables import Corrections, Nuggets, Pairs, Updates, resolve

if TYPE_CHECKING:
    from tseval.families.temporal.correcting import Correction
    from tseval.matching.corrections import Decisions
    from tseval.matching.passages import Files
    from tseval.tables.columns import BoolArray, FloatArray, IntArray


BOUNDED = ("P(updates)", "F")
"""What to report beside P, which may exceed 1."""
FEW = 4
"""Of so many runs these are told."""


@frozen(kw_only=True)
class TemporalEvaluation(Evaluation):
    """Runs and gold, matched and indexed: ready for any measure."""

    edition: Edition[Rules]
    assessed: AssessedIndex
    pairs: Pairs
    asked_rules: Mapping[str, str]
    """The rules that were asked for beside the edition's."""
    teams: Mapping[str, tuple[str, str]]
    """For each run of the track its team's and its own name."""
    options: TemporalOptions
    corrections: Corrections | None = None
    """The verdicts that are laid over a matcher's pairs."""
    correction: Correction | None = None
    """What scores are corrected by, if a sample was judged."""

    @property
    def index(self) -> AssessedIndex:
        """What measures are taken from."""
        return self.assessed

    @property
    def starts(self) -> FloatArray:
        """When each topic starts: as the topics file says, else with its earliest nugget."""
        return self.assessed.periods[0]

    @property
    def ends(self) -> FloatArray:
        """When each topic ends: as the topics file says, else with its latest nugget."""
        return self.assessed.periods[1]

    @property
    def latest(self) -> FloatArray:
        """The time of each topic's latest nugget."""
        return self.assessed.latest_nugget_times

    @property
    def sent(self) -> tuple[IntArray, FloatArray]:
        """The unit and the time of every update that counts."""
        index = self.assessed
        return index.unit[index.sent], index.updates.time[index.sent]

    @property
    def firsts(self) -> Firsts:
        """M(u).time: when each run first said each nugget."""
        first = self.index.first
        new = first.opens
        time = self.index.updates.time[first.update[new]]
        return Firsts(first.unit[new], first.nugget[new], time)

    def default_measures(self) -> Sequence[str]:
        """The edition's; with errors of times those of the draft that rest on times, if it has.

        Of a sample that was judged those that it can correct.
        """
        every = self.edition.measures
        if self.correction is not None:
            from tseval.families.temporal.correcting import CORRECTED

            return [name for name in every if name in CORRECTED] or ["C"]
        own = [name for name in OF_TIMES if name in every]
        return own if own and self.options.jitter is not None else every

    def check_asked(self, wanted: Sequence[Measure]) -> None:
        """Refuse a rule that none of the measures reads."""
        chosen = self.settled(list(wanted))
        read = {name for each in chosen for name in each.definition.reads}
        if any(each.has("reward") for each in chosen):
            read.add("reward")
        idle = [name for name in self.asked_rules if name in WEIGHING and name not in read]
        if idle:
            names = ", ".join(each.name for each in wanted)
            raise UsageError(f"rule {idle[0]} changes nothing in {names}")

    def settled(self, wanted: list[Measure]) -> list[Measure]:
        """The measures; the rule reward=binary is a parameter of the draft's."""
        binary = self.asked_rules.get("reward") == "binary"
        return list(dict.fromkeys(_binary(each) if binary else each for each in wanted))

    def take(self, measure: Measure, known: dict[Measure, Result]) -> Column:
        """A measure at its time; where a sample was judged, as that corrects it."""
        column = super().take(measure, known)
        if self.correction is None:
            return column
        return replace(column, values=self.correction.values(self.index, measure, column.values))

    def finished(self, scores: Scores) -> Scores:
        """With intervals, where a sample was judged."""
        if self.correction is None:
            return scores
        from tseval.families.temporal.correcting import with_intervals

        wanted = measures(scores.measures, self.edition.family)
        automatic = [super(TemporalEvaluation, self).take(each, {}).values for each in wanted]
        return with_intervals(scores, wanted, automatic, self.correction, self.index, self.options)

    def traits_of(self, wanted: Sequence[Measure]) -> dict[str, str]:
        """Also the cost that measures take which could name one and don't."""
        cost = default_cost(self.index.updates, self.index.nuggets)
        return {"cost": cost if leaves_cost_open(wanted) else "", **super().traits_of(wanted)}

    def companions(self, scores: Scores, asked: Asked[TemporalOptions]) -> Iterator[str]:
        """The bounded companions of a P that exceeds 1."""
        has_p = "P" in scores.measures
        if has_p and any((scores.value("P", run=run) or 0) > 1 for run in scores.runs):
            wanted = measures(BOUNDED, self.edition.family)
            yield _bounded(scores, scores_of(self, wanted, asked.on_missing, asked.undefined))

    def caveats(self, wanted: Sequence[Measure]) -> Iterator[str]:
        """Verbosity without spans is worth a word."""
        index = self.index
        needs = any("words" in measure.definition.reads for measure in wanted)
        if index.spans is None and needs and len(index.first):
            yield "the matches have no spans: for the verbosity no word of an update says a nugget"


def _bounded(scores: Scores, bounded: Scores) -> str:
    """What P is that exceeds 1, and what to report beside it."""
    numbers = [[shown(bounded.value(name, run=run)) for name in BOUNDED] for run in scores.runs]
    of_runs = (
        f"{'' if len(scores.runs) == 1 else f'{run} '}{' and '.join(each)}"
        for run, each in zip(scores.runs, numbers, strict=True)
    )
    told = f": {', '.join(of_runs)}" if len(scores.runs) <= FEW else ""
    return (
        "P exceeds 1 where one update is the first to say several nuggets; at most 1 are "
        f"{' and '.join(BOUNDED)}{told} (-m 'P {' '.join(BOUNDED)} R Rs T')"
    )


def _binary(measure: Measure) -> Measure:
    takes = any(parameter.name == "reward" for parameter in measure.definition.parameters)
    counts = measure.has("updates") or measure.has("reward")
    return measure(reward="binary") if takes and not counts else measure


def read(
    inputs: TemporalInputs,
    options: TemporalOptions,
    edition: Edition[Rules],
    rules: Mapping[str, str],
    access: Access,
    tables: TemporalTables | None = None,
) -> TemporalEvaluation:
    """Read, match and index. The matcher is `assessed` if there are matches, else the default one.

    `tables` stand for what is in the inputs, if they were read before by `read_tables`.
    """
    changed = edition.rules.changed(rules)
    check_request(inputs, options, access.sharing)
    check_rules(edition, changed, rules, inputs)
    name = matcher_name(options, assessed=inputs.matches is not None)
    files = _files(inputs, changed, access) if tables is None else None
    tables = read_tables(inputs, changed, access) if tables is None else tables
    name = name if tables.judged is None else sample_matcher(tables.judged, options)
    tables, case = _standing(tables, changed)
    kept = kept_nuggets(tables.nuggets, tables.matches, changed)
    nuggets = tables.nuggets.rows(kept)
    if not len(nuggets):
        raise UsageError("the rules leave no nugget to score with")
    answers, told = dict[str, str](), tuple[str, ...]()
    decided = _decisions(tables, case)
    if tables.matches is not None:
        found = _assessors_pairs(tables, case, kept)
        name = tables.matches.maker or name
    else:
        using = get_matcher(name, options.threshold, options.terms)
        name = str(using)
        tables.check_texts()
        pairs = _corrected(_matched(using, case.updates, nuggets, files, access), decided, kept)
        found = Found(counted_pairs(pairs, changed, are_graded=bool(using.grades)))
        answers, told = answer_traits(using), remarks(using)
    index, pairs = _indexed(tables, case, nuggets, found, changed)
    correction = _correction(name, tables, index, options, access)
    return TemporalEvaluation(
        edition=replace(edition, rules=changed),
        assessed=index,
        pairs=pairs,
        traits={"matcher": name}
        | answers
        | _rule_traits(edition, changed, tables)
        | tables.hashes(),
        inputs=tables.records(),
        warnings=(
            *told,
            *of_pool_file(inputs, tables, changed),
            *of_fit(tables, case, found, kept, decided),
            *of_evaluation(tables, case, index),
            *(() if correction is None else correction.remarks(index)),
        ),
        asked_rules=rules,
        teams=tables.teams,
        options=options,
        corrections=tables.corrections,
        correction=correction,
    )


def _standing(tables: TemporalTables, rules: Rules) -> tuple[TemporalTables, CanonicalUpdates]:
    """What stands for the updates; and the tables with the updates' ids coded by its names.

    It has all of theirs, so a million names need not be kept twice.
    """
    case = standing(tables.updates, tables.pool, tables.duplicates, rules)
    ids = replace(tables.updates.update_id, names=case.updates.update_id.names)
    return replace(tables, updates=replace(tables.updates, update_id=ids)), case


def _correction(
    name: str,
    tables: TemporalTables,
    index: AssessedIndex,
    options: TemporalOptions,
    access: Access,
) -> Correction | None:
    """What scores are corrected by, if a sample was judged."""
    if tables.judged is None:
        return None
    from tseval.families.temporal.correcting import Correction, check_rates, likeliest_of
    from tseval.matching.verdicts import verdicts_of

    check_rates(options)
    depth = int(tables.judged.design["depth"])
    likeliest = likeliest_of(name, options, index, depth, access)
    gold = tables.hashes()["nuggets"]
    verdicts = verdicts_of(tables.judged, gold, index.updates, index.nuggets, likeliest)
    return Correction(likeliest, verdicts)


def _matched(
    matcher: Any, updates: Updates, nuggets: Nuggets, files: Files | None, access: Access
) -> Pairs:
    """What a matcher finds, wherever the work is done."""
    if access.sharing.is_alone:
        return match(matcher, updates, nuggets, access.progress)
    from tseval.matching.in_units import match_in_units

    return match_in_units(matcher, updates, nuggets, access.sharing, files, access.progress)


def _decisions(tables: TemporalTables, case: CanonicalUpdates) -> Decisions | None:
    """Return the pairs that corrections decide, if any; their nuggets may be left out."""
    if tables.corrections is None:
        return None
    from tseval.matching.corrections import decided_pairs

    return decided_pairs(tables.corrections, case.updates, tables.nuggets, tables.pool)


def _corrected(pairs: Pairs, decided: Decisions | None, kept: BoolArray) -> Pairs:
    """Apply the corrections to a matcher's pairs."""
    if decided is None:
        return pairs
    from tseval.matching.corrections import laid_over

    counts = kept[decided.pairs.nugget]
    nugget = (np.cumsum(kept) - 1)[decided.pairs.nugget[counts]]
    counted = Pairs(decided.pairs.update[counts], nugget)
    return laid_over(pairs, counted, decided.accepted[counts], int(kept.sum()))


def _indexed(
    tables: TemporalTables, case: CanonicalUpdates, nuggets: Nuggets, found: Found, rules: Rules
) -> tuple[AssessedIndex, Pairs]:
    """The index over what counts, with the times since which nuggets could be known; its pairs."""
    # The duplicates of an edition that looks updates up in them have done their work by now.
    linked = None if rules.exact_duplicates == "lookup" else tables.duplicates
    index, pairs = assessed_index(
        tables.updates, case, nuggets, found, linked, tables.topics, rules
    )
    known = known_since(
        case, nuggets, _pairs_for_latency(tables, case, nuggets, found, rules), rules
    )
    return replace(index, nuggets=replace(nuggets, time=known)), pairs


def _files(inputs: TemporalInputs, rules: Rules, access: Access) -> Files | None:
    """Where workers find what is matched; nowhere, if texts come from a pool or are in memory."""
    paths = [inputs.nuggets, *inputs.updates]
    given = inputs.matches is not None or inputs.pool is not None
    if given or access.sharing.is_alone or not all(isinstance(path, str | Path) for path in paths):
        return None
    from tseval.matching.passages import Files

    reader = GoldReading(access.form("nuggets"), reading_by(rules), rules)
    updates = [str(path) for path in inputs.updates]
    return Files(updates, str(inputs.nuggets), reader, access.form("updates"))


def _assessors_pairs(tables: TemporalTables, case: CanonicalUpdates, kept: BoolArray) -> Found:
    """The pairs of the matches that were given, over the nuggets that count."""
    matches = tables.matches
    if matches is None:
        return Found(Pairs.none())
    refuse_foreign_matches(matches, tables.runs)
    resolved = plain_files.resolve_checked(matches, case.updates, tables.nuggets, tables.pool)
    counts = kept[resolved.pairs.nugget]
    renumbered = np.cumsum(kept) - 1
    pairs = resolved.pairs.rows(counts)
    pairs = replace(pairs, nugget=renumbered[pairs.nugget])
    if is_judged_whole(matches, tables.pool):
        return Found(pairs, resolved.row[counts], matches)
    judged = case.sampled & (tables.pool is not None)
    judged[resolved.pairs.update] = True
    return Found(pairs, resolved.row[counts], matches, judged)


def _pairs_for_latency(
    tables: TemporalTables, case: CanonicalUpdates, nuggets: Nuggets, found: Found, rules: Rules
) -> Pairs:
    """The pairs that tell since when a nugget could be known."""
    if tables.matches is None or rules.latency_from == "nuggets":
        return found.pairs
    matches = standing_matches(tables.matches, tables.pool, rules)
    return resolve(matches, case.updates, nuggets).pairs


def _rule_traits(edition: Edition[Rules], rules: Rules, tables: TemporalTables) -> dict[str, str]:
    """The rules that are not the edition's; and the runs, where each depends on all of them."""
    traits = {"rules": rules.said(edition.rules)}
    if rules.latency_from != "nuggets":
        loaded = sorted(source.sha256 for source in tables.updates.origin.sources)
        digest = hashlib.sha256(" ".join(loaded).encode()).hexdigest()[:SHORT_HASH]
        traits["latency-runs"] = f"{len(tables.updates.run.names)}:sha256:{digest}"
    return traits
