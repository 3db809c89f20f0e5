"""From files to everything a measure needs: inputs read, matched, indexed, and described.

A reader who follows a run from its file to its scores passes here: `read_tables`, then the matches,
then the earliest-match index. `Evaluation` holds them for any measure, curve or explanation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from tseval.core.editions import Edition
from tseval.core.family import SHORT_HASH
from tseval.core.registry import edition
from tseval.core.wording import count, listed
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
    caveats,
    of_duplicates,
    of_matches,
    outside_pool,
    refuse_foreign_matches,
    refuse_foreign_pool,
)
from tseval.families.temporal.rules import Rules
from tseval.families.temporal.trec_files import PLAIN, TrackReading, has_header
from tseval.files.forms import Forms, check_forms, form_for
from tseval.files.frames import check_inputs
from tseval.files.topics import read_topics
from tseval.matching.in_units import match_in_units
from tseval.matching.matching import Progress, get_matcher
from tseval.matching.passages import Files
from tseval.parallel.runs import Spread
from tseval.parallel.sharing import ALONE, Sharing
from tseval.tables import (
    ABSENT,
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
from tseval.tables.arrow import strings
from tseval.tables.topic_names import TopicNames, with_topics_named
from tseval.version import VERSION

if TYPE_CHECKING:
    import pandas as pd

    from tseval.tables.columns import BoolArray, FloatArray, IntArray

    Given: TypeAlias = str | Path | pd.DataFrame

Table = TypeVar("Table")

INPUTS = ("updates", "nuggets", "matches", "topics", "duplicates", "pool")
"""What the inputs are called."""
ASSESSED = "assessed"
DEFAULT_MATCHER = "fuzzy"


@dataclass(frozen=True)
class TemporalInputs:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    updates: Sequence[Given]
    nuggets: Given
    matches: Given | None = None
    topics: Given | None = None
    duplicates: Given | None = None
    pool: Given | None = None
    form: Forms = None
    """The format of all of them, or of each of some, where it is not to be recognised."""

    def listed(self) -> list[Given]:
        """Every input that was given."""
        single = (self.nuggets, self.matches, self.topics, self.duplicates, self.pool)
        return [*self.updates, *(source for source in single if source is not None)]

    def form_of(self, name: str) -> str | None:
        """The format of one of `INPUTS`; None leaves it to its content."""
        check_forms(self.form, INPUTS)
        return form_for(self.form, name)


@dataclass(frozen=True)
class TemporalTables:
    """The inputs as tables."""

    updates: Updates
    nuggets: Nuggets
    matches: Matches | None
    topics: Topics | None
    duplicates: Duplicates | None
    pool: Pool | None

    def hashes(self) -> dict[str, str]:
        """The short hash of each input that can change a number, beside the runs themselves."""
        named = {
            "nuggets": self.nuggets,
            "matches": self.matches,
            "topics": self.topics,
            "duplicates": self.duplicates,
            "pool": self.pool,
        }
        return {
            name: f"sha256:{table.origin.sources[0].sha256[:SHORT_HASH]}"
            for name, table in named.items()
            if table is not None
        }

    def records(self) -> tuple[InputRecord, ...]:
        """Every input with its hash and its number of rows."""
        tables = (self.updates, self.nuggets, self.matches, self.topics, self.duplicates, self.pool)
        origins: list[Origin] = [table.origin for table in tables if table is not None]
        return tuple(source for origin in origins for source in origin.sources)


def read_tables(
    sources: TemporalInputs, reading: TrackReading = PLAIN, sharing: Sharing = ALONE
) -> TemporalTables:
    """Read every input that was given; a fault in any of them is an `InputError`.

    Where nothing is left to match, it is the reading of the runs that is shared out.
    """
    check_inputs(sources.listed())
    given, form = sources, sources.form_of
    return TemporalTables(
        updates=formats.read_updates(
            given.updates, form("updates"), Spread(ALONE if given.matches is None else sharing)
        ),
        nuggets=formats.read_nuggets(given.nuggets, form("nuggets"), reading),
        matches=_read(
            given.matches, lambda path: formats.read_matches(path, form("matches"), reading)
        ),
        topics=_read(given.topics, lambda path: read_topics(path, form("topics"))),
        duplicates=_read(
            given.duplicates, lambda path: formats.read_duplicates(path, form("duplicates"))
        ),
        pool=_read(given.pool, lambda path: formats.read_pool(path, form("pool"), reading)),
    )


def _read(source: Given | None, reader: Callable[[Given], Table]) -> Table | None:
    return None if source is None else reader(source)


def with_common_topics(tables: TemporalTables, rules: Rules) -> TemporalTables:
    """The tables with one name for each topic in all of them."""
    rename = TopicNames(tables.nuggets.topic, rules.topic_names)
    parts = {each.name: getattr(tables, each.name) for each in fields(tables)}
    return TemporalTables(
        **{name: with_topics_named(table, rename) for name, table in parts.items()}
    )


@dataclass(frozen=True)
class Evaluation:
    """Runs and gold, matched and indexed: ready for any measure."""

    edition: Edition[Rules]
    index: AssessedIndex
    pairs: Pairs
    starts: FloatArray
    """When each topic of the index starts."""
    traits: dict[str, str]
    """What can change a number, by name: the parts of the signature."""
    inputs: tuple[InputRecord, ...]
    warnings: tuple[str, ...]
    given_rules: Mapping[str, str]
    """The rules that were asked for beside the edition's."""
    teams: Mapping[str, tuple[str, str]]
    """For each run of the track its team's and its own name."""

    @property
    def ends(self) -> FloatArray:
        """When each topic ends: as the topics file says, else with its latest nugget."""
        return self.index.periods[1]

    @property
    def latest(self) -> FloatArray:
        """The time of each topic's latest nugget."""
        return self.index.latest_nugget_times

    @property
    def sent(self) -> tuple[IntArray, FloatArray]:
        """The unit and the time of every update that counts."""
        return self.index.unit[self.index.sent], self.index.updates.time[self.index.sent]

    def signature(self, **more: str) -> str:
        """One line that names all that can change a number."""
        parts = {"tseval": VERSION, "edition": self.edition.name} | self.traits | more
        return "|".join(f"{name}:{value}" for name, value in parts.items())


def tables_by_rules(
    sources: TemporalInputs, rules: Rules, sharing: Sharing = ALONE
) -> TemporalTables:
    """Every input read as these rules have it, with one name for each topic in all of them."""
    return with_common_topics(read_tables(sources, reading_by(rules), sharing), rules)


def reading_by(rules: Rules) -> TrackReading:
    """How these rules have tables read."""
    return TrackReading(rules.encoding, rules.fields, rules.pool_header)


def prepare(
    sources: TemporalInputs,
    matcher: str | None = None,
    threshold: float | None = None,
    edition_name: str = "draft",
    progress: Progress | None = None,
    given_rules: Mapping[str, str] | None = None,
    tables: TemporalTables | None = None,
    sharing: Sharing = ALONE,
) -> Evaluation:
    """Read, match and index. The matcher is `assessed` if there are matches, else `fuzzy`.

    `given_rules` are combined with the edition's. Whatever `sharing` says, the result is the same.
    `tables` stand for what is in the sources, if they were read before by `tables_by_rules`.
    """
    chosen, given = edition(edition_name, "temporal"), dict(given_rules or {})
    rules = chosen.rules.changed(given)
    _check_request(sources, sharing)
    _check_rules(chosen, rules, given, sources)
    name = _matcher_name(matcher, threshold, sources.matches is not None)
    files = _files(sources, rules) if tables is None else None
    tables = tables_by_rules(sources, rules, sharing) if tables is None else tables
    case = standing(tables.updates, tables.pool, tables.duplicates, rules)
    kept = kept_nuggets(tables.nuggets, tables.matches, rules)
    nuggets = tables.nuggets.rows(kept)
    if not len(nuggets):
        raise UsageError("the rules leave no nugget to score with")
    if tables.matches is not None:
        found = _assessors_pairs(tables, case, kept)
        name = tables.matches.maker or name
    else:
        using = get_matcher(name, threshold)
        name = str(using)
        _check_texts(tables)
        found = Found(match_in_units(using, case.updates, nuggets, sharing, files, progress))
    # The duplicates of an edition that looks updates up in them have done their work by now.
    linked = None if rules.exact_duplicates == "lookup" else tables.duplicates
    index, pairs = assessed_index(
        tables.updates, case, nuggets, found, linked, tables.topics, rules
    )
    known = known_since(
        case, nuggets, _pairs_for_latency(tables, case, nuggets, found, rules), rules
    )
    index = replace(index, nuggets=replace(nuggets, time=known))
    starts = index.periods[0]
    return Evaluation(
        edition=replace(chosen, rules=rules),
        index=index,
        pairs=pairs,
        starts=starts,
        traits={"matcher": name} | _rule_traits(chosen, rules, tables) | tables.hashes(),
        inputs=tables.records(),
        warnings=(
            *_track_caveats(sources, tables, rules),
            *_fit_caveats(tables, case, found, kept),
            *_caveats(tables, case, index),
        ),
        given_rules=given,
        teams=_teams(tables.updates),
    )


def _check_request(sources: TemporalInputs, sharing: Sharing) -> None:
    """Refuse a request without runs, and one to resume what is not done."""
    if not sources.updates:
        raise UsageError("no run is given: name at least one table of updates")
    if sharing.resume and sources.matches is not None:
        raise UsageError("where matches are given there is no matching to resume")


def _files(sources: TemporalInputs, rules: Rules) -> Files | None:
    """Where workers find what is matched; nowhere, if texts come from a pool or are in memory."""
    paths = [sources.nuggets, *sources.updates]
    if sources.pool is not None or not all(isinstance(path, str | Path) for path in paths):
        return None
    form = sources.form_of
    reader = GoldReading(form("nuggets"), reading_by(rules), rules)
    updates = [str(path) for path in sources.updates]
    return Files(updates, str(sources.nuggets), reader, form("updates"))


def _check_rules(
    chosen: Edition[Rules], rules: Rules, given: Mapping[str, str], sources: TemporalInputs
) -> None:
    """Refuse rules and inputs that would do nothing together."""
    if "unsampled" in given and sources.pool is None:
        raise UsageError("without a pool no update is known to be unsampled: give --pool FILE")
    looked_up = rules.exact_duplicates == "lookup"
    if sources.duplicates is not None and chosen.titles and not looked_up:
        raise UsageError(
            f"edition {chosen.name} reads no file of duplicates, its pool declares them; "
            "--rule exact-duplicates=lookup uses one"
        )
    if sources.duplicates is not None and looked_up and sources.pool is None:
        raise UsageError("duplicates are looked up in the pool: give --pool FILE")
    if given.get("exact-duplicates") == "lookup" and sources.duplicates is None:
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
    refuse_foreign_matches(matches, _runs_of(tables))
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


def _rule_traits(chosen: Edition[Rules], rules: Rules, tables: TemporalTables) -> dict[str, str]:
    """The rules that are not the edition's; and the runs, where each depends on all of them."""
    traits = {}
    changed = rules.differences(chosen.rules)
    if changed:
        traits["rules"] = ",".join(f"{name}={value}" for name, value in changed.items())
    if rules.latency_from != "nuggets":
        loaded = sorted(source.sha256 for source in tables.updates.origin.sources)
        digest = hashlib.sha256(" ".join(loaded).encode()).hexdigest()[:SHORT_HASH]
        traits["latency-runs"] = f"{len(tables.updates.run.names)}:sha256:{digest}"
    return traits


def _track_caveats(sources: TemporalInputs, tables: TemporalTables, rules: Rules) -> Iterator[str]:
    """Warnings about the track's own files."""
    if isinstance(sources.pool, str | Path) and tables.pool is not None:
        first = tables.pool.origin.line[:1].tolist()
        if rules.pool_header == "always" and not has_header(sources.pool):
            yield "the pool has no header: its first row is lost, as it was to the script"
        elif first == [1]:
            yield "the pool has no header; it is read all the same"


def _caveats(tables: TemporalTables, case: CanonicalUpdates, index: AssessedIndex) -> Iterator[str]:
    """What the tables tell of runs and gold."""
    outside, by_text = _outside(tables, case, index), tables.matches is None
    yield from caveats(index, index.periods[0], tables.topics, outside, by_text=by_text)


def _outside(tables: TemporalTables, case: CanonicalUpdates, index: AssessedIndex) -> IntArray:
    """How many updates each run has if none is in the pool; a pool of other runs is refused."""
    outside = outside_pool(index, case.updates, case.sampled)
    if tables.pool is None or tables.updates.team is not None:
        return outside
    judged = case.updates.topic.within(strings(index.topics)) != ABSENT
    if not case.sampled[judged].any():
        refuse_foreign_pool(tables.pool, _runs_of(tables), int(judged.sum()))
    return outside


def _runs_of(tables: TemporalTables) -> list[str]:
    """The runs that have an update of any topic."""
    return natural_order(set(all_names(tables.updates.run).to_pylist()))


def _fit_caveats(
    tables: TemporalTables, case: CanonicalUpdates, found: Found, kept: BoolArray
) -> Iterator[str]:
    """Warnings about files that do not belong together."""
    matches, nuggets, duplicates = tables.matches, tables.nuggets, tables.duplicates
    if matches is not None:
        applied = len(found.pairs) or len(resolve(matches, case.updates, nuggets).pairs)
        yield from of_matches(matches, nuggets, _runs_of(tables), applied=applied > 0)
    if duplicates is not None:
        yield from of_duplicates(duplicates, tables.updates, case.updates)
    dropped = int((~kept).sum())
    if dropped:
        yield f"{count(dropped, 'nugget')} left out by the rules"


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


def _matcher_name(matcher: str | None, threshold: float | None, assessed: bool) -> str:
    """Which matcher to use; matches from a file and a matcher exclude each other."""
    if assessed and (matcher not in (None, ASSESSED) or threshold is not None):
        raise UsageError("give matches or a matcher with its threshold, not both")
    if matcher == ASSESSED and not assessed:
        raise UsageError(
            "the matcher 'assessed' takes its matches from a file: give --matches FILE"
        )
    if matcher is not None:
        return matcher
    return ASSESSED if assessed else DEFAULT_MATCHER
