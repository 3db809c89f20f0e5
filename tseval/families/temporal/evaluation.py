"""From files to everything a measure needs: inputs read, matched, indexed, and described.

A reader who follows a run from its file to its scores passes here: `read_tables`, then the matches,
then the earliest-match index. `TemporalEvaluation` holds them for any measure, curve or
explanation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from tseval.core.declared import argument, file_option, input_tables, option
from tseval.core.editions import Edition
from tseval.core.family import SHORT_HASH, Access, Evaluation, hashes
from tseval.core.measure import Measure
from tseval.core.wording import listed
from tseval.errors import UsageError
from tseval.families.temporal import plain_files as formats
from tseval.families.temporal.assessed import AssessedIndex
from tseval.families.temporal.assessments import (
    CanonicalUpdates,
    Found,
    GoldReading,
    assessed_index,
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
from tseval.families.temporal.draft import default_cost, leaves_cost_open
from tseval.families.temporal.jitter import MEASURES, SAMPLES, error_of
from tseval.families.temporal.rules import WEIGHING, Rules
from tseval.families.temporal.trec_files import TrackReading
from tseval.files.forms import check_forms
from tseval.files.frames import check_inputs
from tseval.files.topics import read_topics
from tseval.matching.in_units import match_in_units
from tseval.matching.matching import get_matcher
from tseval.matching.passages import Files
from tseval.parallel.runs import Spread
from tseval.parallel.sharing import ALONE, Sharing
from tseval.tables import (
    Duplicates,
    InputRecord,
    Matches,
    Nuggets,
    Origin,
    Pairs,
    Pool,
    Topics,
    Updates,
    all_names,
    natural_order,
    resolve,
)
from tseval.tables.schema import DUPLICATES, MATCHES, NUGGETS, POOL, TOPICS, UPDATES
from tseval.tables.topic_names import TopicNames, with_topics_named

if TYPE_CHECKING:
    import pandas as pd

    from tseval.tables.columns import BoolArray, FloatArray, IntArray

    Given: TypeAlias = str | Path | pd.DataFrame

Table = TypeVar("Table")

ASSESSED = "assessed"
DEFAULT_MATCHER = "fuzzy"
JITTER = "jitter"
"""The view that shows how far scores move."""


@dataclass(frozen=True)
class TemporalInputs:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    updates: Sequence[Given] = argument(
        "UPDATES", "one or more files of updates", UPDATES, several=True
    )
    nuggets: Given = argument("NUGGETS", "the file of nuggets", NUGGETS)
    matches: Given | None = file_option("--matches", "Matches that assessors made.", table=MATCHES)
    topics: Given | None = file_option(
        "--topics", "When each topic starts: a table `topic start [end]`.", table=TOPICS
    )
    duplicates: Given | None = file_option(
        "--duplicates",
        "Pairs of updates that say the same: a table `topic update_id duplicate_id`.",
        table=DUPLICATES,
    )
    pool: Given | None = file_option(
        "--pool",
        "The updates assessors saw: matches may speak of them, and runs without texts take theirs "
        "from there.",
        table=POOL,
    )

    def listed(self) -> list[Given]:
        """Every input that was given."""
        single = (self.nuggets, self.matches, self.topics, self.duplicates, self.pool)
        return [*self.updates, *(source for source in single if source is not None)]


@dataclass(frozen=True)
class TemporalOptions:
    """How updates are matched, the options that stand for rules, and what --jitter draws."""

    matcher: str | None = option(
        "--matcher", "How to find matches instead. Default: fuzzy.", metavar="NAME"
    )
    threshold: float | None = option("--threshold", "The matcher's threshold.", kind=float)
    ignore_unsampled: bool = option(
        "--ignore-unsampled",
        "Leave out updates that are not in the pool: --rule unsampled=skip.",
        kind=bool,
        rule="unsampled=skip",
    )
    binary: bool = option(
        "--binary",
        "A nugget is worth 1 if its importance is above 0, else 0: --rule reward=binary.",
        kind=bool,
        rule="reward=binary",
    )
    matched_nuggets_only: bool = option(
        "--matched-nuggets-only",
        "Leave out nuggets that no match names: --rule matched-nuggets-only=yes.",
        kind=bool,
        rule="matched-nuggets-only=yes",
    )
    latency_from: str | None = option(
        "--latency-from",
        "Since when a nugget could be known: --rule latency-from=VALUE. What `all` and `updates` "
        "give depends on all runs that are loaded.",
        choices=("nuggets", "all", "updates"),
        rule="latency-from",
    )
    jitter: str | None = option(
        "--jitter",
        "With each score the interval in which it lies if every nugget's time is wrong by up to "
        "so much, such as 1h. Default measures: Rs T.",
        metavar="TIME",
        within=("scores", JITTER),
    )
    samples: int = option(
        "--samples",
        "How often --jitter draws errors.",
        default=SAMPLES,
        metavar="N",
        kind=int,
        at_least=2,
        shows_default=True,
        within=(JITTER,),
    )
    seed: int = option(
        "--seed",
        "For the errors that --jitter draws.",
        default=0,
        kind=int,
        shows_default=True,
        within=(JITTER,),
    )


@dataclass(frozen=True)
class TemporalTables:
    """The inputs as tables."""

    updates: Updates
    nuggets: Nuggets
    matches: Matches | None
    topics: Topics | None
    duplicates: Duplicates | None
    pool: Pool | None

    @property
    def runs(self) -> list[str]:
        """The runs that have an update of any topic."""
        return natural_order(set(all_names(self.updates.run).to_pylist()))

    @property
    def origins(self) -> dict[str, Origin]:
        """Where each table that was given comes from."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: table.origin for name, table in given.items() if table is not None}

    def hashes(self) -> dict[str, str]:
        """The short hash of each input that can change a number, beside the runs themselves."""
        order = ("nuggets", "matches", "topics", "duplicates", "pool")
        return hashes({name: self.origins.get(name) for name in order})

    def records(self) -> tuple[InputRecord, ...]:
        """Every input with its hash and its number of rows."""
        return tuple(source for origin in self.origins.values() for source in origin.sources)


def read_tables(inputs: TemporalInputs, rules: Rules, access: Access) -> TemporalTables:
    """Every input that was given, read as rules have it, with one name for each topic in all.

    A fault in any of them is an `InputError`. Where nothing is left to match, it is the reading of
    the runs that is shared out.
    """
    check_inputs(inputs.listed())
    check_forms(access.forms, input_tables(TemporalInputs))
    form, reading = access.form, reading_by(rules)
    spread = Spread(ALONE if inputs.matches is None else access.sharing)
    tables = TemporalTables(
        updates=formats.read_updates(inputs.updates, form("updates"), spread),
        nuggets=formats.read_nuggets(inputs.nuggets, form("nuggets"), reading),
        matches=_read(
            inputs.matches, lambda path: formats.read_matches(path, form("matches"), reading)
        ),
        topics=_read(inputs.topics, lambda path: read_topics(path, form("topics"))),
        duplicates=_read(
            inputs.duplicates, lambda path: formats.read_duplicates(path, form("duplicates"))
        ),
        pool=_read(inputs.pool, lambda path: formats.read_pool(path, form("pool"), reading)),
    )
    rename = TopicNames(tables.nuggets.topic, rules.topic_names)
    parts = {each.name: getattr(tables, each.name) for each in fields(tables)}
    return TemporalTables(
        **{name: with_topics_named(table, rename) for name, table in parts.items()}
    )


def _read(source: Given | None, reader: Callable[[Given], Table]) -> Table | None:
    return None if source is None else reader(source)


def reading_by(rules: Rules) -> TrackReading:
    """How these rules have tables read."""
    return TrackReading(rules.encoding, rules.fields, rules.pool_header)


@dataclass(frozen=True, kw_only=True)
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

    def default_measures(self) -> Sequence[str]:
        """The edition's; with errors of times those of the draft that rest on times, if it has."""
        every = self.edition.measures
        own = [name for name in MEASURES if name in every]
        return own if own and self.options.jitter is not None else every

    def settled(self, wanted: list[Measure]) -> list[Measure]:
        """The measures as the rules asked for make them; a rule that none of them reads is refused.

        The rule reward=binary is a parameter of the draft's measures.
        """
        binary = self.asked_rules.get("reward") == "binary"
        chosen = [_binary(each) if binary else each for each in wanted]
        read = {name for each in chosen for name in each.definition.reads}
        if any(each.has("reward") for each in chosen):
            read.add("reward")
        idle = [name for name in self.asked_rules if name in WEIGHING and name not in read]
        if idle:
            names = ", ".join(each.name for each in wanted)
            raise UsageError(f"rule {idle[0]} changes nothing in {names}")
        return list(dict.fromkeys(chosen))

    def traits_of(self, wanted: Sequence[Measure]) -> Mapping[str, str]:
        """The cost that measures take which could name one and don't."""
        if not leaves_cost_open(wanted):
            return {}
        return {"cost": default_cost(self.index.updates, self.index.nuggets)}

    def caveats(self, wanted: Sequence[Measure]) -> Iterator[str]:
        """Verbosity without spans is worth a word."""
        index = self.index
        needs = any("words" in measure.definition.reads for measure in wanted)
        if index.spans is None and needs and len(index.first):
            yield "the matches have no spans: for the verbosity no word of an update says a nugget"


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
    """Read, match and index. The matcher is `assessed` if there are matches, else `fuzzy`.

    `tables` stand for what is in the inputs, if they were read before by `read_tables`.
    """
    changed = edition.rules.changed(rules)
    _check_request(inputs, options, access.sharing)
    _check_rules(edition, changed, rules, inputs)
    name = _matcher_name(options, assessed=inputs.matches is not None)
    files = _files(inputs, changed, access) if tables is None else None
    tables = read_tables(inputs, changed, access) if tables is None else tables
    case = standing(tables.updates, tables.pool, tables.duplicates, changed)
    kept = kept_nuggets(tables.nuggets, tables.matches, changed)
    nuggets = tables.nuggets.rows(kept)
    if not len(nuggets):
        raise UsageError("the rules leave no nugget to score with")
    if tables.matches is not None:
        found = _assessors_pairs(tables, case, kept)
        name = tables.matches.maker or name
    else:
        using = get_matcher(name, options.threshold)
        name = str(using)
        _check_texts(tables)
        pairs = match_in_units(using, case.updates, nuggets, access.sharing, files, access.progress)
        found = Found(pairs)
    index, pairs = _indexed(tables, case, nuggets, found, changed)
    return TemporalEvaluation(
        edition=replace(edition, rules=changed),
        assessed=index,
        pairs=pairs,
        traits={"matcher": name} | _rule_traits(edition, changed, tables) | tables.hashes(),
        inputs=tables.records(),
        warnings=(
            *of_pool_file(inputs, tables, changed),
            *of_fit(tables, case, found, kept),
            *of_evaluation(tables, case, index),
        ),
        asked_rules=rules,
        teams=_teams(tables.updates),
        options=options,
    )


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


def _check_request(inputs: TemporalInputs, options: TemporalOptions, sharing: Sharing) -> None:
    """Refuse a request without runs, one to resume what is not done, and errors that are none."""
    if options.jitter is not None:
        error_of(options.jitter)
    if not inputs.updates:
        raise UsageError("no run is given: name at least one table of updates")
    if sharing.resume and inputs.matches is not None:
        raise UsageError("where matches are given there is no matching to resume")


def _files(inputs: TemporalInputs, rules: Rules, access: Access) -> Files | None:
    """Where workers find what is matched; nowhere, if texts come from a pool or are in memory."""
    paths = [inputs.nuggets, *inputs.updates]
    if inputs.pool is not None or not all(isinstance(path, str | Path) for path in paths):
        return None
    reader = GoldReading(access.form("nuggets"), reading_by(rules), rules)
    updates = [str(path) for path in inputs.updates]
    return Files(updates, str(inputs.nuggets), reader, access.form("updates"))


def _check_rules(
    edition: Edition[Rules], rules: Rules, asked: Mapping[str, str], inputs: TemporalInputs
) -> None:
    """Refuse rules and inputs that would do nothing together."""
    if "unsampled" in asked and inputs.pool is None:
        raise UsageError("without a pool no update is known to be unsampled: give --pool FILE")
    looked_up = rules.exact_duplicates == "lookup"
    if inputs.duplicates is not None and edition.titles and not looked_up:
        raise UsageError(
            f"edition {edition.name} reads no file of duplicates, its pool declares them; "
            "--rule exact-duplicates=lookup uses one"
        )
    if inputs.duplicates is not None and looked_up and inputs.pool is None:
        raise UsageError("duplicates are looked up in the pool: give --pool FILE")
    if asked.get("exact-duplicates") == "lookup" and inputs.duplicates is None:
        raise UsageError("exact-duplicates=lookup needs a file of duplicates: --duplicates FILE")


def _check_texts(tables: TemporalTables) -> None:
    """Refuse to match runs of the track where nothing says what their updates are."""
    updates, pool = tables.updates, tables.pool
    if pool is not None and pool.text is not None:
        return
    with_text = updates.run.rows(~updates.text.blank)
    silent = natural_order(_teams(updates).keys() - set(all_names(with_text).to_pylist()))
    if silent:
        neither = "" if pool is None else ", and neither has this pool"
        raise UsageError(
            f"runs of the track have no text to match by{neither}: {listed(silent)}; "
            "give --pool FILE with the texts, or --matches FILE"
        )


def _assessors_pairs(tables: TemporalTables, case: CanonicalUpdates, kept: BoolArray) -> Found:
    """The pairs of the matches that were given, over the nuggets that count."""
    matches = tables.matches
    if matches is None:
        return Found(Pairs.none())
    refuse_foreign_matches(matches, tables.runs)
    resolved = formats.resolve_checked(matches, case.updates, tables.nuggets, tables.pool)
    pairs, counts = resolved.pairs, kept[resolved.pairs.nugget]
    renumbered = np.cumsum(kept) - 1
    pairs = Pairs(pairs.update[counts], renumbered[pairs.nugget[counts]])
    return Found(pairs, resolved.row[counts], matches)


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
    traits = {}
    changed = rules.differences(edition.rules)
    if changed:
        traits["rules"] = ",".join(f"{name}={value}" for name, value in changed.items())
    if rules.latency_from != "nuggets":
        loaded = sorted(source.sha256 for source in tables.updates.origin.sources)
        digest = hashlib.sha256(" ".join(loaded).encode()).hexdigest()[:SHORT_HASH]
        traits["latency-runs"] = f"{len(tables.updates.run.names)}:sha256:{digest}"
    return traits


def _teams(updates: Updates) -> dict[str, tuple[str, str]]:
    """For each run that has one its team, and its name without it."""
    if updates.team is None:
        return {}
    codes, first = np.unique(updates.run.codes, return_index=True)
    runs = updates.run.take_names(codes)
    teams = updates.team.rows(first).to_list()
    return {
        run: (team, run.removeprefix(f"{team}-"))
        for run, team in zip(runs, teams, strict=True)
        if run != team
    }


def _matcher_name(options: TemporalOptions, *, assessed: bool) -> str:
    """Which matcher to use; matches from a file and a matcher exclude each other."""
    matcher = options.matcher
    if assessed and (matcher not in (None, ASSESSED) or options.threshold is not None):
        raise UsageError("give matches or a matcher with its threshold, not both")
    if matcher == ASSESSED and not assessed:
        raise UsageError(
            "the matcher 'assessed' takes its matches from a file: give --matches FILE"
        )
    if matcher is not None:
        return matcher
    return ASSESSED if assessed else DEFAULT_MATCHER
