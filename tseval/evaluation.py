"""From files to everything a measure needs: inputs read, matched, indexed, and described.

A reader who follows a run from its file to its scores passes here: `read_tables`, then the matches,
then the earliest-match index. `Evaluation` holds them for any measure, curve or explanation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from tseval.caveats import caveats
from tseval.earliest import EarliestIndex
from tseval.editions import Edition, edition
from tseval.errors import UsageError
from tseval.formats import temporal as formats
from tseval.matching import Progress, get_matcher, match
from tseval.tables import (
    Duplicates,
    Matches,
    Nuggets,
    Origin,
    Pairs,
    Pool,
    Source,
    Topics,
    Updates,
)
from tseval.version import VERSION

if TYPE_CHECKING:
    import pandas as pd

    from tseval.tables.columns import FloatArray

    Given: TypeAlias = str | Path | pd.DataFrame

ASSESSED = "assessed"
DEFAULT_MATCHER = "fuzzy"
SHORT_HASH = 12
"""How many hexadecimal digits of a hash a signature shows."""


@dataclass(frozen=True)
class Sources:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    updates: Sequence[Given]
    nuggets: Given
    matches: Given | None = None
    topics: Given | None = None
    duplicates: Given | None = None
    pool: Given | None = None
    form: str | None = None
    """The format of all of them, where it is not to be recognised."""

    def listed(self) -> list[Given]:
        """Every input that was given."""
        single = (self.nuggets, self.matches, self.topics, self.duplicates, self.pool)
        return [*self.updates, *(source for source in single if source is not None)]


@dataclass(frozen=True)
class Tables:
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

    def records(self) -> tuple[Source, ...]:
        """Every input with its hash and its number of rows."""
        tables = (self.updates, self.nuggets, self.matches, self.topics, self.duplicates, self.pool)
        origins: list[Origin] = [table.origin for table in tables if table is not None]
        return tuple(source for origin in origins for source in origin.sources)


def read_tables(sources: Sources) -> Tables:
    """Read every input that was given; a fault in any of them is an `InputError`."""
    formats.check_inputs(sources.listed())
    form = sources.form
    return Tables(
        updates=formats.read_updates(sources.updates, form),
        nuggets=formats.read_nuggets(sources.nuggets, form),
        matches=None if sources.matches is None else formats.read_matches(sources.matches, form),
        topics=None if sources.topics is None else formats.read_topics(sources.topics, form),
        duplicates=(
            None
            if sources.duplicates is None
            else formats.read_duplicates(sources.duplicates, form)
        ),
        pool=None if sources.pool is None else formats.read_pool(sources.pool, form),
    )


@dataclass(frozen=True)
class Evaluation:
    """Runs and gold, matched and indexed: ready for any measure."""

    edition: Edition
    index: EarliestIndex
    pairs: Pairs
    starts: FloatArray
    """When each topic of the index starts."""
    traits: dict[str, str]
    """What can change a number, by name: the parts of the signature."""
    inputs: tuple[Source, ...]
    warnings: tuple[str, ...]

    def signature(self, **more: str) -> str:
        """One line that names all that can change a number."""
        parts = {"tseval": VERSION, "edition": self.edition.name} | self.traits | more
        return "|".join(f"{name}:{value}" for name, value in parts.items())


def prepare(
    sources: Sources,
    matcher: str | None = None,
    threshold: float | None = None,
    edition_name: str = "draft",
    progress: Progress | None = None,
) -> Evaluation:
    """Read, match and index. The matcher is `assessed` if there are matches, else `fuzzy`."""
    rules = edition(edition_name)
    if not sources.updates:
        raise UsageError("no run is given: name at least one table of updates")
    name = _matcher_name(matcher, threshold, sources.matches is not None)
    tables = read_tables(sources)
    updates, nuggets = tables.updates, tables.nuggets
    if tables.matches is not None:
        pairs = formats.resolve_checked(tables.matches, updates, nuggets, tables.pool)
    else:
        chosen = get_matcher(name, threshold)
        name = str(chosen)
        pairs = match(chosen, updates, nuggets, progress)
    index = EarliestIndex.build(updates, nuggets, pairs, tables.duplicates)
    starts = topic_starts(index, tables.topics)
    return Evaluation(
        edition=rules,
        index=index,
        pairs=pairs,
        starts=starts,
        traits={"matcher": name} | tables.hashes(),
        inputs=tables.records(),
        warnings=tuple(caveats(index, starts, tables.topics, by_text=tables.matches is None)),
    )


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


def topic_starts(index: EarliestIndex, topics: Topics | None) -> FloatArray:
    """When each topic starts: as the topics file says, else at its earliest nugget."""
    starts = index.first_nugget_times
    if topics is not None:
        place = {name: at for at, name in enumerate(index.topics)}
        for name, start in zip(topics.topic.to_list(), topics.start, strict=True):
            if name in place:
                starts[place[name]] = start
    return starts
