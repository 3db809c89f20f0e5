"""A pool for assessors: posts to which any run gave a type, type by type.

All of them, or of each run and of each type's pool the most confident or a seeded draw. Assessors
fill in the column `relevant`, and the table comes back in the place of labels.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tseval.core.declared import file_option, option
from tseval.core.draws import SAMPLING_HELP, SAMPLINGS, SEED_HELP
from tseval.core.wording import listed
from tseval.errors import UsageError
from tseval.families.incidents.inputs import type_places
from tseval.families.incidents.ontologies import read_ontology
from tseval.families.incidents.runs import RunReading, read_predictions
from tseval.families.incidents.tables import TypeNames
from tseval.files.imports import Imported, numbers_as_text
from tseval.records import frozen

if TYPE_CHECKING:
    import pandas as pd

    from tseval.families.incidents.tables import Ontology, Predictions
    from tseval.files.given import Given
    from tseval.tables.columns import BoolArray, FloatArray

SURE = 1.0
"""The confidence of a type that a run gives without a number."""
Pool: TypeAlias = "dict[tuple[str, int], dict[str, Entry]]"
"""By event and type, and by post."""


@frozen
class Drawing:
    """Which posts assessors get; without numbers all of them."""

    size: int | None = None
    """How many posts of each event and type."""
    depth: int | None = None
    """How many of each run, event and type."""
    sampling: str | None = None
    """By `confidence`, which is the default, or at `random`."""
    seed: int = 0

    def check(self) -> None:
        """Refuse what draws nothing, or has no meaning."""
        for name, number in (("size", self.size), ("depth", self.depth)):
            if number is not None and number < 1:
                raise UsageError(f"{name} cannot be {number}: give the number of posts, at least 1")
        if self.sampling is not None and self.sampling not in SAMPLINGS:
            known = ", ".join(SAMPLINGS)
            raise UsageError(f"unknown sampling '{self.sampling}'; known: {known}")
        if self.sampling is not None and not self.draws:
            raise UsageError("sampling draws nothing without a number: give a size or a depth")

    @property
    def draws(self) -> bool:
        """Whether fewer than all posts may be taken."""
        return self.size is not None or self.depth is not None

    @property
    def by_confidence(self) -> bool:
        """Whether the most confident posts are taken."""
        return self.draws and self.sampling != "random"

    def taken(self, posts: dict[str, Entry], number: int | None, *names: str) -> Iterable[str]:
        """So many of the posts; a draw depends on the seed, these names and the posts' ids."""
        if number is None or len(posts) <= number:
            return posts
        if self.by_confidence:
            order = sorted(posts, key=lambda post: (*posts[post].rank, post))
            return order[:number]
        entropy = [abs(self.seed), int(self.seed < 0), *(zlib.crc32(n.encode()) for n in names)]
        places = np.random.default_rng(entropy).permutation(len(posts))[:number]
        order = sorted(posts)
        return [order[at] for at in places.tolist()]


@dataclass
class Entry:
    """A post of the pool of a type."""

    confidence: float
    """The highest that any run gave it."""
    time: float = math.nan
    """The earliest that any run knows."""
    text: str = ""
    runs: set[str] = field(default_factory=set)

    @property
    def rank(self) -> tuple[float, float]:
        """The most confident first, of these the earliest; without a time the last."""
        return -self.confidence, math.inf if math.isnan(self.time) else self.time

    def add(self, other: Entry) -> None:
        """What another line or run says of the same."""
        self.confidence = max(self.confidence, other.confidence)
        self.time = float(np.fmin(self.time, other.time))
        self.text = self.text or other.text
        self.runs |= other.runs


def pool_incidents(
    runs: Given | Sequence[Given],
    ontology: str | Path,
    threshold: float = 0.0,
    *,
    roll_up: bool = False,
    entries: Sequence[str] = (),
    size: int | None = None,
    depth: int | None = None,
    sampling: str | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """The posts that assessors should judge, type by type, as a frame; see `tseval import pool`.

    `score_incidents` takes it for labels once the column `relevant` is filled in.
    """
    import pandas as pd

    several: list[Given] = list(runs) if isinstance(runs, list | tuple) else [runs]  # type: ignore[list-item]
    drawing = Drawing(size, depth, sampling, seed)
    table = pooled(several, ontology, threshold, roll_up=roll_up, entries=entries, drawing=drawing)
    frame = pd.DataFrame(table.columns, dtype=str)
    for name in ("confidence", "time", "relevant"):
        if name in frame:
            frame[name] = pd.to_numeric(frame[name], errors="coerce").astype("Float64")
    return frame


def pooled(
    runs: Sequence[Given],
    ontology: str | Path,
    threshold: float = 0.0,
    *,
    roll_up: bool = False,
    entries: Sequence[str] = (),
    drawing: Drawing | None = None,
) -> Imported:
    """The union of what the runs emitted, or what is drawn of it, as a table for assessors.

    Sorted by topic, type in the order of the ontology, and post, so that no rank shows. `runs`
    names those that gave the type, so that a judgment can be traced.
    """
    drawing = drawing or Drawing()
    drawing.check()
    if not math.isfinite(threshold):
        raise UsageError(f"threshold cannot be {threshold}: give a finite number")
    types = TypeNames(read_ontology(ontology), renamed=True)
    kept = type_places(types.ontology, entries) if entries else range(len(types.ontology))
    said = read_predictions(runs, RunReading(types, threshold, details=True))
    given, confidence = _emitted(said, types.ontology, roll_up=roll_up)
    others = [at for at in range(len(types.ontology)) if at not in set(kept)]
    given[:, others] = False
    pool = _united(_of_each_run(said, given, confidence), types.ontology, drawing)
    warnings = (*_warnings(said, types), *_unsure(said, given, drawing))
    return Imported(_columns(pool, types.ontology), warnings)


@frozen
class PoolOptions:
    """What `tseval import pool` may be asked for."""

    ontology: str | None = file_option("--ontology", "The information types.")
    threshold: float | None = option(
        "--threshold", "The confidence from which on a type is taken. Default: 0.", kind=float
    )
    roll_up: bool = option("--roll-up", "A type counts for its ancestors too.", kind=bool)
    entries: tuple[str, ...] = option(
        "--entries", "Only these types. Default: all.", metavar="NAME,…", by_commas=True
    )
    size: int | None = option(
        "--size",
        "At most so many posts of each topic and type.",
        kind=int,
        metavar="N",
        at_least=1,
    )
    depth: int | None = option(
        "--depth",
        "At most so many posts of each run, topic and type.",
        kind=int,
        metavar="N",
        at_least=1,
    )
    sampling: str | None = option("--sampling", SAMPLING_HELP, choices=SAMPLINGS)
    seed: int = option("--seed", SEED_HELP, kind=int, default=0, shows_default=True)


def imported(paths: Sequence[str], options: PoolOptions) -> Imported:
    """The pool of several runs."""
    if options.ontology is None:
        raise UsageError("pool needs to know the information types: --ontology FILE")
    drawing = Drawing(options.size, options.depth, options.sampling, options.seed)
    return pooled(
        paths,
        options.ontology,
        options.threshold or 0.0,
        roll_up=options.roll_up,
        entries=options.entries,
        drawing=drawing,
    )


def _emitted(
    said: Predictions, ontology: Ontology, *, roll_up: bool
) -> tuple[BoolArray, FloatArray]:
    """Which types each line gives, and how confidently; an ancestor as its surest type."""
    given = said.types.copy()
    known = np.full(given.shape, np.nan) if said.confidence is None else said.confidence
    sure = np.where(given, np.where(np.isnan(known), SURE, known), -np.inf)
    if not roll_up:
        return given, sure
    rolled = sure.copy()
    for at, above in enumerate(ontology.parent):
        while above >= 0:
            rolled[:, above] = np.maximum(rolled[:, above], sure[:, at])
            above = ontology.parent[above]
    return ontology.with_ancestors(given), rolled


def _of_each_run(
    said: Predictions, given: BoolArray, confidence: FloatArray
) -> dict[tuple[str, str, int], dict[str, Entry]]:
    """What each run gave, by run, event and type."""
    found: dict[tuple[str, str, int], dict[str, Entry]] = {}
    line, kind = np.nonzero(given)
    runs, events, posts = said.run.to_list(), said.event.to_list(), said.post_id.to_list()
    for at, which in zip(line.tolist(), kind.tolist(), strict=True):
        run = runs[at]
        entry = Entry(
            float(confidence[at, which]),
            math.nan if said.time is None else float(said.time[at]),
            "" if said.text is None else said.text[at],
            {run},
        )
        own = found.setdefault((run, events[at], which), {})
        own.setdefault(posts[at], entry).add(entry)
    return found


def _united(
    of_runs: dict[tuple[str, str, int], dict[str, Entry]], ontology: Ontology, drawing: Drawing
) -> Pool:
    """What is taken of every run together, and of that what is taken of each event and type."""
    pool: Pool = {}
    for (run, event, which), posts in of_runs.items():
        own = pool.setdefault((event, which), {})
        for post in drawing.taken(posts, drawing.depth, run, event, ontology.types[which]):
            entry = posts[post]
            own.setdefault(post, entry).add(entry)
    return {
        (event, which): {
            post: posts[post]
            for post in drawing.taken(posts, drawing.size, event, ontology.types[which])
        }
        for (event, which), posts in pool.items()
    }


def _columns(pool: Pool, ontology: Ontology) -> dict[str, Sequence[str]]:
    """The table; times and texts where any run has them, and room for the answers."""
    rows = [(*key, post, pool[key][post]) for key in sorted(pool) for post in sorted(pool[key])]
    entries = [entry for *_, entry in rows]
    columns: dict[str, Sequence[str]] = {
        "topic": [event for event, *_ in rows],
        "type": [ontology.types[which] for _, which, *_ in rows],
        "post_id": [post for _, _, post, _ in rows],
        "runs": [",".join(sorted(entry.runs)) for entry in entries],
        "confidence": numbers_as_text(np.array([entry.confidence for entry in entries])),
    }
    if any(not math.isnan(entry.time) for entry in entries):
        columns["time"] = [
            "" if math.isnan(entry.time) else numbers_as_text(np.array([entry.time]))[0]
            for entry in entries
        ]
    if any(entry.text for entry in entries):
        columns["text"] = [entry.text for entry in entries]
    return columns | {"relevant": [""] * len(rows)}


def _warnings(said: Predictions, types: TypeNames) -> Iterator[str]:
    if not len(said):
        yield "the runs are empty"
    if types.unknown:
        yield f"types that the ontology lacks, ignored: {', '.join(sorted(types.unknown))}"


def _unsure(said: Predictions, given: BoolArray, drawing: Drawing) -> Iterator[str]:
    """A draw by confidence where runs tell none."""
    if not drawing.by_confidence or not len(said):
        return
    known = np.zeros(given.shape, bool) if said.confidence is None else ~np.isnan(said.confidence)
    lacking = (given & ~known & said.types).any(axis=1)
    names = sorted({said.run[row] for row in np.flatnonzero(lacking).tolist()})
    if names:
        yield (
            f"types without a number count as given with confidence 1: runs {listed(names)}; "
            "--sampling random does not look at confidences"
        )
