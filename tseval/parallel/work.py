"""What a worker does: read the nuggets once, read a range of updates, match these."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING

import numpy as np

from tseval.errors import EngineError
from tseval.families.temporal.assessments import kept_nuggets
from tseval.families.temporal.plain_files import read_nuggets
from tseval.families.temporal.rules import Rules
from tseval.families.temporal.trec_files import TrackReading
from tseval.files.inputs import Stamp
from tseval.matching.matching import NuggetsByTopic
from tseval.parallel.engine import Unit
from tseval.parallel.passage_files import Said, read_lines, read_parquet_rows, stamp
from tseval.tables import Ids, Pairs
from tseval.tables.topic_names import TopicNames, with_topics_named

if TYPE_CHECKING:
    import matchers

TOPICS_KEPT = 8
"""A worker keeps the prepared nuggets of so many topics: the next unit is likely of one of them."""
CURE = (
    "every worker needs the same files under the same paths, and they may not change meanwhile; "
    "temporary ones lie where TMPDIR says"
)


@dataclass(frozen=True)
class Passage(Unit):
    """A range of a table of updates; the first `before` lines are its header.

    A passage without a hash is known by the stamp of its file.
    """

    before: int = 0
    seen: Stamp = ()


@dataclass(frozen=True)
class GoldReading:
    """How the nuggets are read, and what the rules make of them."""

    form: str | None
    """The format of the nuggets."""
    reading: TrackReading
    rules: Rules
    of_updates: str | None = None
    """The format of the updates, where it is not to be recognised."""


@dataclass(frozen=True)
class GoldFile:
    """Where the nuggets are; without habits it is Parquet that holds them as they count."""

    path: str
    habits: GoldReading | None
    sha256: str

    def read(self) -> tuple[Said, Callable[[Ids], Ids]]:
        """The nuggets that count, and what renames topics as theirs are."""
        if self.habits is None:
            return read_parquet_rows(self.path, 1, None), lambda topic: topic
        habits = self.habits
        nuggets = read_nuggets(self.path, habits.form, habits.reading)
        rename = TopicNames(nuggets.topic, habits.rules.topic_names)
        nuggets = with_topics_named(nuggets, rename)
        nuggets = nuggets.rows(kept_nuggets(nuggets, None, habits.rules))
        return Said(nuggets.topic, nuggets.text), rename


@dataclass(frozen=True)
class MatchWork:
    """Matching a passage of updates against the nuggets of its topics."""

    gold: GoldFile
    matcher: matchers.Matcher
    form: str | None

    def __call__(self, unit: Unit) -> Pairs:
        """The pairs, with updates counted from the first of the passage."""
        check_is_there(self.gold.path)
        check_is_there(unit.path)
        sought, rename = _sought(self.gold, self.matcher, get_ident())
        said = self._said(unit)
        said = Said(rename(said.topic), said.text)
        if unit.sha256 or not isinstance(unit, Passage):
            check_same(str(unit), unit.sha256, fingerprint(said))
        else:
            check_same(str(unit), unit.seen, stamp(unit.path))
        return sought.match(said)

    def _said(self, unit: Unit) -> Said:
        first = unit.first or 1
        if unit.places == "rows":
            return read_parquet_rows(unit.path, first, unit.last)
        before = unit.before if isinstance(unit, Passage) else 0
        return read_lines(unit.path, self.form, before, first, unit.last)


@lru_cache(maxsize=4)
def _sought(
    gold: GoldFile,
    matcher: matchers.Matcher,
    thread: int,  # noqa: ARG001 - what is prepared learns while it matches: one a thread
) -> tuple[NuggetsByTopic, Callable[[Ids], Ids]]:
    said, rename = gold.read()
    check_same(gold.path, gold.sha256, fingerprint(said))
    return NuggetsByTopic(matcher, said, kept=TOPICS_KEPT), rename


def check_is_there(path: str) -> None:
    """Refuse a file that this worker cannot see, though whoever sent the work could."""
    if not Path(path).is_file():
        raise EngineError(f"{path}: not there for the worker on {platform.node()}; {CURE}")


def check_same(what: str, expected: object, found: object) -> None:
    """Refuse a file that holds something else than it did for whoever sent the work."""
    if expected != found:
        raise EngineError(f"{what}: the worker on {platform.node()} reads other rows there; {CURE}")


def fingerprint(said: Said) -> str:
    """The hash of texts and of their topics' names, in their order."""
    used, code = np.unique(said.topic.codes, return_inverse=True)
    names = said.topic.take_names(used)
    order = sorted(range(len(names)), key=names.__getitem__)
    place = np.argsort(np.array(order, np.int64))
    hasher = hashlib.sha256(place[code].astype("<i8").tobytes())
    for pieces in ([names[at].encode() for at in order], said.text.encoded()):
        lengths = np.fromiter(map(len, pieces), "<i8", len(pieces))
        hasher.update(np.append(len(pieces), lengths).astype("<i8").tobytes())
        hasher.update(b"".join(pieces))
    return hasher.hexdigest()
