"""The desk itself: a store, what it holds as it stands now, and what may be decided."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tseval.core.registry import edition, measures
from tseval.desk import decisions as kinds
from tseval.desk.decisions import Decision
from tseval.desk.exports import export_files, matches_bytes, nuggets_bytes, signature
from tseval.desk.judgments import Gold, TopicJudgments, topic_judgments
from tseval.desk.outcome import MATCHER, Counted, Scoring, WhatIf, machine_alone, matches_of
from tseval.desk.pool import Pool, check_names, made_here, one_line
from tseval.desk.state import State
from tseval.desk.store import Kept, Settings, Store, StoreError
from tseval.errors import UsageError
from tseval.families.temporal.columns import read_nuggets, read_updates
from tseval.families.temporal.files import READERS
from tseval.files.inputs import Input
from tseval.matching.matching import get_matcher, match
from tseval.tables import Ids, Nuggets, Pairs, Texts, Updates

if TYPE_CHECKING:
    import matchers
    from tseval.files.given import Given

UPDATES, NUGGETS = "updates", "nuggets"
"""What a store holds."""
HALVES = re.compile("[\\ud800-\\udfff]")


def read_inputs(runs: Sequence[Given], nuggets: Given | None = None) -> dict[str, Kept]:
    """What is to be assessed, from files; what cannot be is refused."""
    updates = read_updates(runs)
    if updates.text.blank.all():
        raise UsageError("the updates have no text to read: give runs with a column text")
    for names, what in (
        (updates.topic, "topic"),
        (updates.update_id, "update id"),
        (updates.run, "run"),
    ):
        check_names(names, what)
    found = {UPDATES: _kept(updates)}
    if nuggets is not None:
        gold = read_nuggets(nuggets)
        check_names(gold.nugget_id, "nugget id")
        if gold.text.blank.any():
            name = gold.origin.sources[0].path
            raise UsageError(f"{name}: a nugget without text cannot be matched by people")
        found[NUGGETS] = _kept(replace(gold, text=one_line(gold.text)))
    return found


def runs_and_nuggets(files: Sequence[str]) -> tuple[Sequence[Input], Input | None]:
    """The files as runs and, where the last one holds nuggets, these."""
    inputs = [Input(each) for each in files]
    last = inputs[-1]
    if READERS[NUGGETS].recognises(last) and not READERS[UPDATES].recognises(last):
        if len(files) == 1:
            raise UsageError(f"{files[0]} holds nuggets: name the runs before it")
        return inputs[:-1], last
    return inputs, None


def check_same(
    store: Store, kept: Mapping[str, Kept], named: Collection[str], settings: Settings
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


def _kept(table: Updates | Nuggets) -> Kept:
    """A table as the store holds it."""
    columns: dict[str, object] = {}
    for name, column in vars(table).items():
        if isinstance(column, Ids):
            columns[name] = column.to_list()
        elif isinstance(column, Texts):
            # Half a character is no part of a word, and no table could hold it.
            columns[name] = [HALVES.sub("\N{REPLACEMENT CHARACTER}", text) for text in column]
        elif isinstance(column, np.ndarray):
            columns[name] = column
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, compression="zstd")
    sources = table.origin.sources
    hashes = sorted(each.sha256 for each in sources)
    whole = hashes[0] if len(hashes) == 1 else hashlib.sha256(" ".join(hashes).encode()).hexdigest()
    return Kept(tuple(Path(each.path).name for each in sources), whole, out.getvalue())


def _columns(kept: Kept) -> dict[str, object]:
    """The columns of a table that a store holds."""
    try:
        table = pq.read_table(io.BytesIO(kept.content))
    except pa.ArrowException as error:
        raise StoreError("a table in the store could not be read: it is damaged") from error
    found: dict[str, object] = {}
    for name in table.column_names:
        column = table.column(name)
        if name == "text":
            found[name] = Texts.of(column.to_pylist())
        elif pa.types.is_string(column.type):
            found[name] = Ids.of(column)
        else:
            found[name] = column.to_numpy()
    return found


class Standing(NamedTuple):
    """What scores start from."""

    gold: Gold
    counted: Counted
    alone: Counted
    """What the matcher says by itself."""
    hashes: tuple[str, str]
    """Of the nuggets and the matches as they would be exported."""


class Desk:
    """A store with everything that follows from it. Not for two threads at once."""

    def __init__(self, store: Store, scoring: Scoring | None = None) -> None:
        self.store = store
        self.scoring = scoring or Scoring()
        self.kept = store.inputs()
        updates = _columns(self.kept[UPDATES])
        rows = len(updates["time"])  # type: ignore[arg-type]
        table = Updates.of(updates, made_here(UPDATES, rows, self.kept[UPDATES].sha256))
        self.pool = Pool.of(table, store.settings.depth, store.settings.fold)
        self.given = None
        if NUGGETS in self.kept:
            columns = _columns(self.kept[NUGGETS])
            origin = made_here(NUGGETS, len(columns["time"]), self.kept[NUGGETS].sha256)  # type: ignore[arg-type]
            self.given = Nuggets.of(columns, origin)
        self.decisions = store.decisions()
        self._state: State | None = None
        self._gold: tuple[State, dict[str, int], Gold] | None = None
        self._machine: tuple[bytes, Pairs] | None = None

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
        if len(self.decisions) + len(fresh) != number:
            self.decisions, self._state = self.store.decisions(), None
            return
        self.decisions += fresh
        if self._state is not None:
            undone = {each.topic for each in fresh if each.verdict == kinds.UNDO}
            for each in fresh:
                if each.topic not in undone:
                    self._state.apply(each)
            for topic in undone:
                own = [each for each in self.decisions if each.topic == topic]
                self._state.replay(topic, self.given, own)

    def decide(self, *act: Decision) -> list[Decision]:
        """Put an act into the store."""
        return self.store.append(act) if act else []

    def append(self, act: Callable[[int], Sequence[Decision]]) -> list[Decision]:
        """Put an act into the store whose rows name each other: it is told its first number."""
        return self.store.append(act)

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
        if self._gold is None or self._gold[0] is not state or self._gold[1] != state.touched:
            judged = tuple(self._judged(state, topic) for topic in self.pool.of_topic)
            self._gold = state, dict(state.touched), Gold.of(state, self.given, judged)
        return self._gold[2]

    def _judged(self, state: State, topic: str) -> TopicJudgments:
        """The judgments of a topic, kept until somebody decides anything of it."""
        if self._gold is not None and self._gold[0] is state:
            touched = self._gold[1].get(topic, 0)
            if touched == state.touched.get(topic, 0):
                return next(own for own in self._gold[2].judged if own.topic == topic)
        return topic_judgments(state, topic)

    def machine(self, gold: Gold) -> Pairs:
        """The matcher's matches of all updates with these nuggets, kept until these change."""
        if not len(gold.table):
            return Pairs.none()
        texts = repr((gold.names, list(gold.table.text))).encode("utf-8", "surrogatepass")
        key = hashlib.sha256(texts).digest()
        if self._machine is None or self._machine[0] != key:
            self._machine = key, match(self.matcher, self.pool.updates, gold.table)
        return self._machine[1]

    def counted(self, gold: Gold) -> Counted:
        """The matches that count."""
        counts = self.store.settings.unjudged == MATCHER
        return matches_of(self.state, gold, self.machine(gold) if counts else Pairs.none())

    def standing(self) -> Standing | None:
        """What scores start from, as it stands; None without any nugget."""
        gold = self.gold()
        if not len(gold.table):
            return None
        counted = self.counted(gold)
        files = nuggets_bytes(gold), matches_bytes(self.state, gold, counted)
        hashes = [hashlib.sha256(content).hexdigest() for content in files]
        return Standing(gold, counted, machine_alone(self.machine(gold)), (hashes[0], hashes[1]))

    def what_if(self, standing: Standing) -> WhatIf:
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
        counted = self.counted(gold)
        return export_files(self.state, gold, counted, self.decisions, self.signature)
