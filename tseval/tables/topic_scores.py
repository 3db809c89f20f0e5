"""Scores of single topics: what runs are compared by."""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING

from tseval.records import frozen
from tseval.tables.base import Table, all_said, of_table, optional
from tseval.tables.columns import Ids
from tseval.tables.origin import Origin

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray


@frozen
class TopicScores(Table):
    """One row a (run, topic, measure); means over topics are not among them."""

    run: Ids
    topic: Ids
    measure: Ids
    value: FloatArray
    defined: BoolArray
    """Where the value is undefined, `value` is 0."""
    origin: Origin
    signatures: tuple[str, ...] = of_table((), all_said)
    """How the scores came about, as far as their files tell; each once."""
    untold: tuple[str, ...] = of_table((), all_said)
    """The files that do not tell it."""
    weight: FloatArray | None = optional(math.nan)
    """Of measures whose `all` is a quotient of sums what each value was divided by, else NaN; None
    if no file tells any."""
    types: tuple[str, ...] = of_table((), all_said)
    """The topics that are information types of incident streams, as far as their files tell."""
    doubts: tuple[str, ...] = of_table((), all_said)
    """Warnings of the files that scores are not comparable."""

    @property
    def digest(self) -> str:
        """The hash of the scores themselves: the same whatever the order of rows and files."""
        names = (self.run.to_list(), self.topic.to_list(), self.measure.to_list())
        values = [repr(v) if d else "" for v, d in zip(self.value, self.defined, strict=True)]
        if self.weight is not None:
            values = [f"{v}\t{w!r}" for v, w in zip(values, self.weight.tolist(), strict=True)]
        lines = sorted("\t".join(row) for row in zip(*names, values, strict=True))
        return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()
