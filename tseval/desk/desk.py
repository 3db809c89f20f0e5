"""The desk itself: a store, what it holds as it stands now, and what may be decided."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tseval.core.registry import edition, measures
from tseval.desk import decisions as kinds
from tseval.desk.decisions import Decision
from tseval.desk.judgments import Gold, TopicJudgments, topic_judgments
from tseval.desk.outcome import (
    MATCHER,
    Scoring,
    WhatIf,
    export_files,
    machine_alone,
    matches_bytes,
    matches_of,
    nuggets_bytes,
    signature,
)
from tseval.desk.pool import NUGGETS, UPDATES, Pool, frame_of
from tseval.desk.state import State
from tseval.desk.store import Settings, Store, StoredTable
from tseval.errors import UsageError
from tseval.matching.matching import get_matcher, match

if TYPE_CHECKING:
    import matchers


PAIR = {"row": pl.Int64, "nugget": pl.Int64}


def check_same(
    store: Store, kept: Mapping[str, StoredTable], named: Collection[str], settings: Settings
) -> None:
    """Refuse files that the store was not made of, and options that it was not made with."""
    for name, mine in store.inputs().items() if kept else ():
        if name not in kept or kept[name].sha256 != mine.sha256:
            raise UsageError(
                f"{store.path} was made of other {name}: {', '.join(mine.files)}; name these, or "
                "no file at all, or another store"
            )
    if more := kept.keys() - store.inputs().keys():
        raise UsageError(f"{store.path} was made without {min(more)}: name another store")
    for name in sorted(named):
        mine, asked = (getattr(each, name) for each in (store.settings, settings))
        if mine != asked:
            option = {"depth": "pool"}.get(name, name)
            raise UsageError(f"{store.path} was made with --{option} {mine or 'all'}: leave it out")


class ScoredState(NamedTuple):
    """What scores start from."""

    gold: Gold
    counted: pl.DataFrame
    alone: pl.DataFrame
    """What the matcher says by itself."""
    hashes: tuple[str, str]
    """Of the nuggets and the matches as they would be exported."""


class Desk:
    """A store with everything that follows from it. Not for two threads at once."""

    def __init__(self, store: Store, scoring: Scoring | None = None) -> None:
        self.store = store
        self.scoring = scoring or Scoring()
        self.kept = store.inputs()
        self.pool = Pool.of(self.kept[UPDATES], store.settings.depth, store.settings.fold)
        self.given = frame_of(self.kept[NUGGETS]) if NUGGETS in self.kept else None
        self.decisions = store.decisions()
        self._state: State | None = None
        self._judged: dict[str, tuple[int, TopicJudgments]] = {}
        """By topic, with the number of decisions that they rest on."""
        self._gold: Gold | None = None
        self._machine: tuple[bytes, pl.DataFrame] | None = None

    @cached_property
    def matcher(self) -> matchers.Matcher:
        """The matcher whose matches count where nobody has judged."""
        return get_matcher(self.store.settings.matcher)

    def check(self) -> None:
        """Refuse what could not be used once people are at work: a matcher, an edition, measures.

        A matcher that asks a model is refused: each page would ask it.
        """
        if self.matcher.judgment() is not None:
            raise UsageError(
                f"{self.store.settings.matcher} asks a model about each pair: choose a matcher "
                "that scores by itself"
            )
        measures(list(self.scoring.measures), "temporal")
        edition(self.scoring.edition, "temporal")

    @property
    def state(self) -> State:
        """The state as it stands, with what other processes decided since."""
        self._refresh()
        if self._state is None:
            self._state = State.of(self.pool, self.given, self.decisions)
        return self._state

    def _refresh(self) -> None:
        """Take in what was decided since; where that is not simply later, begin anew."""
        number = self.store.size()
        if number == len(self.decisions):
            return
        before = self.decisions[-1].at if self.decisions else 0
        fresh = self.store.decisions(before)
        is_undone = any(each.verdict == kinds.UNDO for each in fresh)
        if is_undone or len(self.decisions) + len(fresh) != number:
            self.decisions, self._state = self.store.decisions(), None
            self._judged, self._gold = {}, None
            return
        self.decisions += fresh
        if self._state is not None:
            for each in fresh:
                self._state.apply(each)

    def decide(self, *act: Decision) -> list[Decision]:
        """Put an act into the store."""
        return self.store.append(act) if act else []

    def undo(self, assessor: str) -> Decision | None:
        """Take back the last act of an assessor; None if there is none left."""
        self._refresh()
        last = kinds.last_act(self.decisions, assessor)
        if last is not None:
            self.decide(
                Decision(assessor, kinds.UNDO, last.topic, last.update, value=last.act_name)
            )
        return last

    def gold(self) -> Gold:
        """The nuggets and the judgments as they stand."""
        state = self.state
        for topic in self.pool.of_topic:
            number = state.touched[topic]
            if topic not in self._judged or self._judged[topic][0] != number:
                self._judged[topic] = number, topic_judgments(state, topic)
                self._gold = None
        if self._gold is None:
            judged = tuple(own for _, own in self._judged.values())
            self._gold = Gold.of(state, self.given, judged)
        return self._gold

    def machine(self, gold: Gold) -> pl.DataFrame:
        """The matcher's matches of all updates with these nuggets, kept until these change."""
        if not gold.names:
            return pl.DataFrame(schema=PAIR)
        texts = repr((gold.names, gold.frame["text"].to_list()))
        key = hashlib.sha256(texts.encode()).digest()
        if self._machine is None or self._machine[0] != key:
            pairs = match(self.matcher, self.pool.frame, gold.frame)
            self._machine = key, pairs.select(row="update", nugget="nugget")
        return self._machine[1]

    def scored_matches(self, gold: Gold) -> pl.DataFrame:
        """The matches that count."""
        counts = self.store.settings.unjudged == MATCHER
        machine = self.machine(gold) if counts else pl.DataFrame(schema=PAIR)
        return matches_of(self.state, gold, machine)

    def scored_state(self) -> ScoredState | None:
        """What scores start from, as it stands; None without any nugget."""
        gold = self.gold()
        if not gold.names:
            return None
        counted = self.scored_matches(gold)
        files = nuggets_bytes(gold), matches_bytes(self.state, gold, counted)
        hashes = [hashlib.sha256(content).hexdigest() for content in files]
        return ScoredState(gold, counted, machine_alone(self.machine(gold)), (hashes[0], hashes[1]))

    def what_if(self, standing: ScoredState) -> WhatIf:
        """All runs with what was decided, and by the matcher alone; it changes nothing here."""
        decided = self.scoring.scores(self.pool, standing.gold, standing.counted, standing.hashes)
        alone = self.scoring.scores(self.pool, standing.gold, standing.alone)
        return WhatIf(decided, alone)

    @property
    def signature(self) -> str:
        """One line that names everything that an export follows from."""
        hashes = {name: each.sha256 for name, each in self.kept.items()}
        settings = self.store.settings
        return signature(settings, str(self.matcher), hashes, self.decisions)

    def export(self) -> dict[str, bytes]:
        """Every file of an export by its name."""
        gold = self.gold()
        counted = self.scored_matches(gold)
        return export_files(self.state, gold, counted, self.decisions, self.signature)
