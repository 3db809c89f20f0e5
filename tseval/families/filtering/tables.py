"""The tables of filtering: documents that runs returned for topics, and what assessors said."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tseval.records import frozen
from tseval.tables.base import Table, filled
from tseval.tables.columns import Ids
from tseval.tables.origin import Origin
from tseval.tables.schema import (
    DOCUMENTS,
    ENTITIES,
    POST_ID,
    POSTS,
    TOPIC,
    UPDATE_ID,
    Column,
    Kind,
    Schema,
)

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray

RETURNED = Schema(
    "posts", tuple(replace(c, required=c.required or c.name == "confidence") for c in POSTS)
)
"""Posts as filtering asks for them: with a confidence; a post that stands twice is no fault."""
RATINGS = (2.0, 1.0, 0.0, -1.0)
"""The ratings that an assessor can give a document."""
TRUTH = Schema(
    "truth",
    (
        replace(TOPIC, aliases=(*TOPIC.aliases, *ENTITIES)),
        replace(POST_ID, aliases=(*UPDATE_ID.names, *DOCUMENTS)),
        Column(
            "relevance",
            Kind.NUMBER,
            aliases=("rating",),
            meaning="2 vital, 1 useful, 0 neutral, -1 garbage",
        ),
        Column(
            "time",
            Kind.TIME,
            required=False,
            aliases=("timestamp",),
            meaning="when the document came",
        ),
        Column(
            "confidence",
            Kind.NUMBER,
            required=False,
            aliases=("conf",),
            default="1",
            meaning="how sure the assessor is; 0 is not at all",
        ),
    ),
    row="an assessor's judgment of a document for a topic",
)
"""Judgments; a post may have several. The confidence is the assessor's own."""


@frozen
class Returned(Table):
    """What systems returned: one row a line, so a (run, topic, document) may stand more than once.

    `rating` is what a system itself thought of a document, NaN where its file doesn't say.
    """

    run: Ids
    topic: Ids
    post_id: Ids
    time: FloatArray
    confidence: FloatArray
    origin: Origin
    rating: FloatArray = filled(math.nan)

    @classmethod
    def join(cls, parts: Sequence[Returned]) -> Returned:
        """The rows of several runs in one table; of none, no rows of no run."""
        if parts:
            return super().join(parts)
        none, ids = np.zeros(0), Ids.of([])
        return cls(ids, ids, ids, none, none, Origin((), ids.codes, ids.codes), none)


@frozen
class Truth(Table):
    """What assessors said: one row a judgment, so a (topic, document) may stand more than once.

    `time` is NaN where the file doesn't tell when the document came; `sure` is False where the
    assessor gave the judgment no confidence. `official` says that the
    file is the track's own, whose ratings are 2 vital, 1 useful, 0 neutral, -1 garbage.
    """

    topic: Ids
    post_id: Ids
    rating: FloatArray
    sure: BoolArray
    origin: Origin
    official: bool
    time: FloatArray = filled(math.nan)
