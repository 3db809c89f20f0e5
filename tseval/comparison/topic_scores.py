"""Scores of single topics, from files and from memory: what runs are compared by."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tseval.io.faults import FaultList
from tseval.io.given import is_frame
from tseval.io.origin import InputRecord
from tseval.io.schema import ALL_TOPICS, SCORES
from tseval.io.scores import READER, Provenance
from tseval.io.tables import read
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.core.scores import Scores
    from tseval.io.given import Given

KEY = SCORES.key
NO_TOPICS_CURE = "runs are compared topic by topic: write the scores with -q (--per-topic)"


def single_topics(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Return the scores of single topics, of which a file needs at least one."""
    single = frame.filter(pl.col("topic") != ALL_TOPICS)
    if not single.height:
        reason = "holds means alone" if frame.height else "holds no scores"
        faults.add(None, reason, NO_TOPICS_CURE, "no-rows")
    return single


@frozen(eq=False)
class TopicScores:
    """Scores of single topics: what runs are compared by."""

    frame: pl.DataFrame
    """`run topic measure value`, where a value that is undefined is null.

    `weight`, if any file says what values weigh, is what the value was divided by where the `all`
    of a measure is a quotient of sums, else null.
    """
    sources: tuple[InputRecord, ...]
    signatures: tuple[str, ...] = ()
    """How the scores came about, as far as their files tell; each once."""
    untold: tuple[str, ...] = ()
    """The files that do not tell it."""
    types: tuple[str, ...] = ()
    """The topics that are information types of incident streams, as far as their files tell."""
    doubts: tuple[str, ...] = ()
    """Warnings of the files that scores are not comparable."""

    @classmethod
    def join(cls, parts: Sequence[TopicScores]) -> TopicScores:
        """Return the scores of all parts."""

        def every(name: str) -> tuple[Any, ...]:
            return tuple(chain.from_iterable(getattr(part, name) for part in parts))

        told = ("signatures", "untold", "types", "doubts")
        frame = pl.concat([part.frame for part in parts], how="diagonal")
        return cls(frame, every("sources"), *(tuple(dict.fromkeys(every(name))) for name in told))

    @property
    def digest(self) -> str:
        """The hash of the scores themselves: the same whatever the order of rows and files."""
        values, undefined = self.frame["value"].to_numpy(), self.frame["value"].is_null()
        shown = ["" if lacks else repr(v) for v, lacks in zip(values, undefined, strict=True)]
        columns = [*self.frame.select(KEY), pl.Series("value", shown, pl.String)]
        if "weight" in self.frame:
            weights = self.frame["weight"].fill_null(math.nan)
            columns.append(pl.Series("weight", list(map(repr, weights.to_list()))))
        lines = pl.select(pl.concat_str(columns, separator="\t")).to_series().sort()
        return hashlib.sha256(lines.str.join("\n").item().encode()).hexdigest()


def read_scores(given: Sequence[Given], form: str | None = None) -> TopicScores:
    """Read the scores of several files; any fault is an `InputError`.

    A (run, topic, measure) may stand once in all of them together. NaN in a frame is undefined.
    """
    filled = [
        each.assign(value=each["value"].astype("Float64"))
        if is_frame(each) and "value" in each and each["value"].dtype.kind == "f"
        else each
        for each in given
    ]
    table = read(filled, replace(READER, check=single_topics), form)
    notes: tuple[Provenance, ...] = table.notes
    return TopicScores(
        _weighed(table.frame, [note.weights for note in notes]).drop("line", "file"),
        table.sources,
        tuple(note.signature for note in notes if note.signature),
        tuple(s.path for s, note in zip(table.sources, notes, strict=True) if not note.signature),
        tuple(each for note in notes for each in note.types),
        tuple(each for note in notes for each in note.warnings if "not comparable" in each),
    )


def _weighed(frame: pl.DataFrame, weights: Sequence[Sequence[Any]]) -> pl.DataFrame:
    """Return scores with the weights that their files say, the last where one says several."""
    rows = []
    for file, told in enumerate(weights):
        for each in told:
            if isinstance(each, dict) and {*KEY, "weight"} <= each.keys():
                with suppress(TypeError, ValueError):
                    weight = float(each["weight"])
                    if math.isfinite(weight) and weight >= 0:
                        rows.append((file, *(str(each[name]) for name in KEY), weight))
    if not rows:
        return frame
    known = pl.DataFrame(rows, schema=["file", *KEY, "weight"], orient="row")
    known = known.cast({"file": frame.schema["file"]}).unique(["file", *KEY], keep="last")
    return frame.join(known, on=["file", *KEY], how="left", maintain_order="left")


def scores_table(scores: Scores) -> TopicScores:
    """Scores in memory as if they had been read from the file that they write."""
    there = np.broadcast_to(scores.counted[:, :, None], scores.values.shape)
    each = np.nonzero(there if scores.applies is None else there & scores.applies)
    named = zip(KEY, (scores.runs, scores.topics, scores.measures), each, strict=True)
    columns = {
        name: pl.Series(names, dtype=pl.String).gather(codes) for name, names, codes in named
    }
    known = pl.Series(scores.values[each]).zip_with(
        pl.Series(scores.defined[each]), pl.Series([None], dtype=pl.Float64)
    )
    frame = pl.DataFrame(columns | {"value": known})
    if scores.overall is not None and scores.overall.weights is not None:
        frame = frame.with_columns(weight=scores.overall.weights[each])
    return TopicScores(frame, scores.inputs, (scores.signature,), types=scores.types)
