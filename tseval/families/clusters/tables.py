"""The tables of runs over clusters: posts, clusters, grades, epochs, live judgments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.errors import Fault
from tseval.tables.columns import Ids, Texts
from tseval.tables.origin import Origin

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tseval.tables.columns import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Posts:
    """What systems returned: one row a post of a run and topic, in the order of the file.

    `day` and `rank` are there if the runs are lists, one for each topic and day; `time` is then
    the midnight that begins the day.
    """

    run: Ids
    topic: Ids
    post_id: Ids
    time: FloatArray
    confidence: FloatArray | None
    selected: BoolArray | None
    origin: Origin
    day: IntArray | None = None
    """The day of the list as a number such as 20170729."""
    rank: FloatArray | None = None
    own: Ids | None = None
    """The name of the cluster that was made for the post; empty where none is named."""
    unread: tuple[str, ...] = ()
    """Which columns are not read, and why."""

    def __len__(self) -> int:
        return len(self.time)

    @classmethod
    def join(cls, parts: Sequence[Posts]) -> Posts:
        """Several runs' posts in one table; all of them pushed posts, or all of them lists.

        A confidence that only some parts have is 0 elsewhere. `selected` stays unknown if only
        some have it.
        """
        if len(parts) == 1:
            return parts[0]
        confidence = [np.zeros(len(p)) if p.confidence is None else p.confidence for p in parts]
        rows = [len(part) for part in parts]
        return cls(
            run=Ids.join([part.run for part in parts]),
            topic=Ids.join([part.topic for part in parts]),
            post_id=Ids.join([part.post_id for part in parts]),
            time=np.concatenate([part.time for part in parts]),
            confidence=(
                None if all(p.confidence is None for p in parts) else np.concatenate(confidence)
            ),
            selected=_joined([part.selected for part in parts], rows),
            origin=Origin.join([part.origin for part in parts]),
            day=_joined([part.day for part in parts], rows),
            rank=_joined([part.rank for part in parts], rows),
            own=_own_of(parts),
            unread=(*(said for part in parts for said in part.unread), *_unread(parts)),
        )


def _own_of(parts: Sequence[Posts]) -> Ids | None:
    if all(part.own is None for part in parts):
        return None
    return Ids.join([part.own or Ids.constant("", len(part)) for part in parts])


def _unread(parts: Sequence[Posts]) -> Iterator[str]:
    """A word on a column `selected` that only some runs have, so that it cannot be read."""
    with_it = [part for part in parts if part.selected is not None]
    without = [part for part in parts if part.selected is None and len(part)]
    if with_it and without:
        have, lack = (_runs_of(several) for several in (with_it, without))
        yield (
            f'the column "selected" of {have} is not read, for {lack} has none: all posts that are '
            "in a cluster are selected; give every run such a column, or --selected FILE"
        )


def _runs_of(parts: Sequence[Posts]) -> str:
    names = sorted({name for part in parts for name in part.run.vocabulary()})
    return f"{'run' if len(names) == 1 else 'runs'} {', '.join(names)}"


def _joined(parts: Sequence[NDArray[Any] | None], rows: Sequence[int]) -> NDArray[Any] | None:
    """The columns one below the other; None if a part that has rows lacks it."""
    there = [part for part in parts if part is not None]
    lacking = any(part is None and n for part, n in zip(parts, rows, strict=True))
    return np.concatenate(there) if there and not lacking else None


@dataclass(frozen=True)
class Selected:
    """Which posts of the runs are selected, each with its own cluster, and where that is told."""

    posts: BoolArray
    own: Ids | None
    """Per post of the runs, as `Posts.own`."""
    origin: Origin
    row: IntArray
    """Per post of the runs the row that selects it."""


@dataclass(frozen=True)
class Clusters:
    """Which posts carry the same information: one row a (cluster, post), in the file's order.

    `time` is the post's own: when it was created, not when a run returned it.
    """

    topic: Ids
    cluster_id: Ids
    post_id: Ids
    time: FloatArray
    origin: Origin
    text: Texts | None = None
    remarks: tuple[Fault, ...] = ()
    """What is odd in the file, but can be read: see `tseval.families.clusters.recognition`."""
    paths: tuple[str, ...] | None = None
    """The place of each row in a JSON document."""

    def __len__(self) -> int:
        return len(self.time)

    def fault_at(self, row: int, reason: str, cure: str = "") -> Fault:
        """A fault of a row, with its line, or in JSON its path."""
        if self.paths is None:
            return self.origin.fault(row, reason, cure)
        return Fault(self.origin.sources[0].path, None, f"{self.paths[row]}: {reason}", cure)

    def rows(self, chosen: IntArray | BoolArray) -> Clusters:
        """The chosen rows."""
        paths = self.paths
        kept = np.arange(len(self))[chosen].tolist() if paths is not None else []
        return Clusters(
            topic=self.topic.rows(chosen),
            cluster_id=self.cluster_id.rows(chosen),
            post_id=self.post_id.rows(chosen),
            time=self.time[chosen],
            origin=self.origin.rows(chosen),
            text=None if self.text is None else self.text.rows(chosen),
            remarks=self.remarks,
            paths=None if paths is None else tuple(paths[row] for row in kept),
        )


@dataclass(frozen=True)
class Grades:
    """What assessors thought of posts, as the labels of the file."""

    topic: Ids
    post_id: Ids
    grade: FloatArray
    origin: Origin


@dataclass(frozen=True)
class Epochs:
    """When each post was created: its day as a number such as 20170729, and Unix seconds."""

    post_id: Ids
    day: IntArray
    time: FloatArray
    origin: Origin | None = None


@dataclass(frozen=True)
class Live:
    """What assessors said of posts as they were pushed; a post may be judged several times."""

    topic: Ids
    post_id: Ids
    label: FloatArray
    origin: Origin
