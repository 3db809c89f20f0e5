"""How much an error of the assessors' timestamps would move scores: nuggets' times drawn anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.family import Asked
from tseval.core.scores import Scores
from tseval.core.scoring import scores_of
from tseval.core.taking import evaluate
from tseval.errors import UsageError
from tseval.families.temporal.inputs import error_of
from tseval.records import frozen

if TYPE_CHECKING:
    import pandas as pd

    from tseval.families.temporal.evaluation import TemporalEvaluation
    from tseval.families.temporal.inputs import TemporalOptions
    from tseval.tables.columns import BoolArray, FloatArray

LEVEL = 0.95


@frozen
class Jitter:
    """Scores with the interval in which they lie as the nuggets' times are moved at random.

    `low` and `high` have the shape (runs, topics + 1, measures): the last topic is `all`. NaN
    stands where a value is undefined in every sample.
    """

    scores: Scores
    low: FloatArray
    high: FloatArray
    drawn: Mapping[str, str]
    """How errors were drawn: the parts of the signature that say so."""

    @property
    def signature(self) -> str:
        """One line that names all that can change a number."""
        parts = [f"{name}:{value}" for name, value in self.drawn.items()]
        return "|".join([self.scores.signature, *parts])

    @property
    def warnings(self) -> tuple[str, ...]:
        """Those of the scores."""
        return self.scores.warnings

    def frame(self, *, per_topic: bool = True) -> pd.DataFrame:
        """A tidy frame: run, topic, measure, value, low, high; what is undefined is missing."""
        import pandas as pd

        found = self.scores
        places = {name: at for at, name in enumerate((*found.topics, "all"))}
        places["all"] = len(found.topics)
        rows = []
        for record in found.records(per_topic=per_topic):
            at = (
                found.runs.index(record.run),
                places[record.topic],
                found.measures.index(record.measure),
            )
            rows.append((*record, float(self.low[at]), float(self.high[at])))
        columns = ["run", "topic", "measure", "value", "low", "high"]
        frame = pd.DataFrame.from_records(rows, columns=columns)
        return frame.astype(dict.fromkeys(("value", "low", "high"), "Float64"))


def jittered(evaluation: TemporalEvaluation, asked: Asked[TemporalOptions]) -> Jitter:
    """The scores that are asked for with their intervals. When topics start stays as it is."""
    options, wanted = asked.options, asked.measures
    within = options.jitter or ""
    largest = error_of(within)
    if options.samples < 2:
        raise UsageError("jitter: an interval needs at least two samples")
    scores = scores_of(evaluation, wanted, asked.on_missing, asked.undefined)
    index, draw = evaluation.index, np.random.default_rng(options.seed)
    shape = (len(index.runs), len(index.topics) + 1, len(wanted))
    values = np.empty((options.samples, *shape))
    for at in range(options.samples):
        time = index.nuggets.time + draw.uniform(-largest, largest, len(index.nuggets))
        shifted = replace(index, nuggets=replace(index.nuggets, time=time))
        values[at] = _with_means(scores, *evaluate(shifted, wanted, evaluation.starts))
    low, high = _quantiles(values)
    drawn = {"jitter": within, "samples": str(options.samples), "seed": str(options.seed)}
    return Jitter(scores, low, high, drawn)


def _with_means(scores: Scores, values: FloatArray, defined: BoolArray) -> FloatArray:
    """The values of a sample with their means, which count topics as those of the scores do."""
    sample = replace(scores, values=values, defined=defined)
    means = np.where(sample.mean_defined, sample.means, np.nan)
    return np.concatenate([np.where(defined, values, np.nan), means[:, None, :]], axis=1)


def _quantiles(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The middle part of the samples of each value that any sample defines."""
    flat = values.reshape(len(values), -1)
    bounds = np.full((2, flat.shape[1]), np.nan)
    known = ~np.isnan(flat).all(axis=0)
    tail = (1 - LEVEL) / 2
    bounds[:, known] = np.nanquantile(flat[:, known], (tail, 1 - tail), axis=0)
    low, high = bounds.reshape(2, *values.shape[1:])
    return low, high
