"""Scores of single topics, as scoring commands write them: what runs are compared by."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tseval.tables.columns import Ids
from tseval.tables.origin import Origin

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class TopicScores:
    """One row a (run, topic, measure); means over topics are not among them."""

    run: Ids
    topic: Ids
    measure: Ids
    value: FloatArray
    defined: BoolArray
    """Where the value is undefined, `value` is 0."""
    origin: Origin
    signatures: tuple[str, ...] = ()
    """How the scores came about, as far as their files tell; each once."""
    untold: tuple[str, ...] = ()
    """The files that do not tell it."""
    weight: FloatArray | None = None
    """Of measures whose `all` is a quotient of sums what each value was divided by, else NaN; None
    if no file tells any."""
    types: tuple[str, ...] = ()
    """The topics that are information types of incident streams, as far as their files tell."""

    def __len__(self) -> int:
        return len(self.value)

    def rows(self, chosen: IntArray | BoolArray) -> TopicScores:
        """The chosen rows."""
        return TopicScores(
            run=self.run.rows(chosen),
            topic=self.topic.rows(chosen),
            measure=self.measure.rows(chosen),
            value=self.value[chosen],
            defined=self.defined[chosen],
            origin=self.origin.rows(chosen),
            signatures=self.signatures,
            untold=self.untold,
            weight=None if self.weight is None else self.weight[chosen],
            types=self.types,
        )

    @classmethod
    def join(cls, parts: Sequence[TopicScores]) -> TopicScores:
        """The rows of several tables one below the other."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            run=Ids.join([part.run for part in parts]),
            topic=Ids.join([part.topic for part in parts]),
            measure=Ids.join([part.measure for part in parts]),
            value=np.concatenate([part.value for part in parts]),
            defined=np.concatenate([part.defined for part in parts]),
            origin=Origin.join([part.origin for part in parts]),
            signatures=tuple(dict.fromkeys(s for part in parts for s in part.signatures)),
            weight=_weights(parts),
            untold=tuple(dict.fromkeys(name for part in parts for name in part.untold)),
            types=tuple(dict.fromkeys(name for part in parts for name in part.types)),
        )

    @property
    def digest(self) -> str:
        """The hash of the scores themselves: the same whatever the order of rows and files."""
        names = (self.run.to_list(), self.topic.to_list(), self.measure.to_list())
        values = [repr(v) if d else "" for v, d in zip(self.value, self.defined, strict=True)]
        if self.weight is not None:
            values = [f"{v}\t{w!r}" for v, w in zip(values, self.weight.tolist(), strict=True)]
        lines = sorted("\t".join(row) for row in zip(*names, values, strict=True))
        return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def _weights(parts: Sequence[TopicScores]) -> FloatArray | None:
    if all(part.weight is None for part in parts):
        return None
    return np.concatenate(
        [np.full(len(p), np.nan) if p.weight is None else p.weight for p in parts]
    )
