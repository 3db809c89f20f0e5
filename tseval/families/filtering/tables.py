"""The tables of filtering: documents that runs returned for topics, and what assessors said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tseval.tables.columns import Ids
from tseval.tables.origin import Origin

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Returned:
    """What systems returned: one row a line, so a (run, topic, document) may stand more than once.

    `rating` is what a system itself thought of a document, NaN where its file doesn't say.
    """

    run: Ids
    topic: Ids
    post_id: Ids
    time: FloatArray
    confidence: FloatArray
    rating: FloatArray
    origin: Origin

    def __len__(self) -> int:
        return len(self.time)

    @classmethod
    def join(cls, parts: Sequence[Returned]) -> Returned:
        """The rows of several runs in one table; of none, no rows of no run."""
        if len(parts) == 1:
            return parts[0]
        if not parts:
            none, ids = np.zeros(0), Ids.of([])
            return cls(ids, ids, ids, none, none, none, Origin((), ids.codes, ids.codes))
        return cls(
            run=Ids.join([part.run for part in parts]),
            topic=Ids.join([part.topic for part in parts]),
            post_id=Ids.join([part.post_id for part in parts]),
            time=np.concatenate([part.time for part in parts]),
            confidence=np.concatenate([part.confidence for part in parts]),
            rating=np.concatenate([part.rating for part in parts]),
            origin=Origin.join([part.origin for part in parts]),
        )

    def rows(self, chosen: IntArray | BoolArray) -> Returned:
        """The chosen rows."""
        return Returned(
            run=self.run.rows(chosen),
            topic=self.topic.rows(chosen),
            post_id=self.post_id.rows(chosen),
            time=self.time[chosen],
            confidence=self.confidence[chosen],
            rating=self.rating[chosen],
            origin=self.origin.rows(chosen),
        )


@dataclass(frozen=True)
class Truth:
    """What assessors said: one row a judgment, so a (topic, document) may stand more than once.

    `time` is NaN where the file doesn't tell when the document came; `sure` is False where the
    assessor gave the judgment no confidence. `official` says that the
    file is the track's own, whose ratings are 2 vital, 1 useful, 0 neutral, -1 garbage.
    """

    topic: Ids
    post_id: Ids
    time: FloatArray
    rating: FloatArray
    sure: BoolArray
    origin: Origin
    official: bool

    def __len__(self) -> int:
        return len(self.time)

    def rows(self, chosen: BoolArray) -> Truth:
        """The chosen rows."""
        return Truth(
            topic=self.topic.rows(chosen),
            post_id=self.post_id.rows(chosen),
            time=self.time[chosen],
            rating=self.rating[chosen],
            sure=self.sure[chosen],
            origin=self.origin.rows(chosen),
            official=self.official,
        )
