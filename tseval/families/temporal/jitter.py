"""How much an error of the assessors' timestamps would move scores: nuggets' times drawn anew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.measure import Measure
from tseval.core.scores import Scores
from tseval.core.taking import evaluate
from tseval.errors import UsageError
from tseval.families.temporal.evaluation import DEFAULT_MATCHER, Evaluation, TemporalInputs, prepare
from tseval.families.temporal.scoring import OnMissing, Undefined, chosen_measures, scores_of
from tseval.tables.times import NotANumber
from tseval.tables.times import duration as seconds_of

if TYPE_CHECKING:
    import pandas as pd

    from tseval.families.temporal.evaluation import Given
    from tseval.tables.columns import BoolArray, FloatArray

MEASURES = ("Rs", "T")
"""What rests on the nuggets' times, of the measures of the draft."""
SAMPLES = 1000
LEVEL = 0.95


@dataclass(frozen=True)
class Jitter:
    """Scores with the interval in which they lie as the nuggets' times are moved at random.

    `low` and `high` have the shape (runs, topics + 1, measures): the last topic is `all`. NaN
    stands where a value is undefined in every sample.
    """

    scores: Scores
    low: FloatArray
    high: FloatArray
    signature: str

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


def jitter(
    updates: Given | Sequence[Given],
    nuggets: Given,
    matches: Given | None = None,
    matcher: str = DEFAULT_MATCHER,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    within: str = "1h",
    samples: int = SAMPLES,
    seed: int = 0,
    threshold: float | None = None,
    topics: Given | None = None,
    duplicates: Given | None = None,
    pool: Given | None = None,
    at: str | Sequence[str] = (),
    on_missing: OnMissing | None = None,
    undefined: Undefined = "skip",
    edition: str = "draft",
    rules: Mapping[str, str] | None = None,
) -> Jitter:
    """How far scores move if every nugget's time is wrong by up to `within`, such as `1h`.

    Each of the `samples` moves every nugget by an error of its own, drawn evenly from -`within` to
    +`within`; the interval holds the middle 95 % of the values. The other parameters are those of
    `score`; the default measures are `Rs` and `T`.
    """
    several: Sequence[Given] = updates if isinstance(updates, list | tuple) else [updates]  # type: ignore[list-item]
    chosen = None if matches is not None and matcher == DEFAULT_MATCHER else matcher
    sources = TemporalInputs(several, nuggets, matches, topics, duplicates, pool)
    error_of(within)
    evaluation = prepare(sources, chosen, threshold, edition, given_rules=rules)
    wanted = jittered_measures(evaluation, measures, at)
    scores = scores_of(evaluation, wanted, on_missing, undefined)
    return moved(evaluation, wanted, scores, within, samples, seed)


def error_of(within: str) -> float:
    """The largest error in seconds; a `UsageError` if it is none."""
    try:
        largest = seconds_of(within)
    except NotANumber as error:
        raise UsageError(f"jitter: {error}") from None
    if largest <= 0:
        raise UsageError(f"jitter: an error of {within} moves nothing: give one such as 1h")
    return largest


def jittered_measures(
    evaluation: Evaluation,
    wanted: Iterable[str | Measure] | str | Measure | None,
    at: str | Sequence[str] = (),
) -> list[Measure]:
    """The measures asked for; else those of the draft that rest on times, or the edition's."""
    own = [name for name in MEASURES if name in map(str, evaluation.edition.measures)]
    return chosen_measures(evaluation, wanted or own or None, at)


def moved(
    evaluation: Evaluation,
    wanted: Sequence[Measure],
    scores: Scores,
    within: str,
    samples: int = SAMPLES,
    seed: int = 0,
) -> Jitter:
    """The interval of each of these scores. When topics start stays as it is."""
    largest = error_of(within)
    if samples < 2:
        raise UsageError("jitter: an interval needs at least two samples")
    index, draw = evaluation.index, np.random.default_rng(seed)
    shape = (len(index.runs), len(index.topics) + 1, len(wanted))
    values = np.empty((samples, *shape))
    for at in range(samples):
        time = index.nuggets.time + draw.uniform(-largest, largest, len(index.nuggets))
        shifted = replace(index, nuggets=replace(index.nuggets, time=time))
        values[at] = _with_means(scores, *evaluate(shifted, wanted, evaluation.starts))
    low, high = _quantiles(values)
    signature = f"{scores.signature}|jitter:{within}|samples:{samples}|seed:{seed}"
    return Jitter(scores, low, high, signature)


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
