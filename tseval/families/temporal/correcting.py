"""What draws and judged samples tell of scores: samples for a judge, corrections by them, jitter.

Each corrected measure adds up, over the nuggets of a topic, what a nugget is worth if it is said.
Whether it is said is known of the nuggets that were sampled, and foretold of the others by a
matcher whose scores are probabilities. So the sum over what is foretold, and the difference that
the sample shows, is what judging every nugget would be expected to give. A topic's value is as
unsure as its few sampled nuggets make it, and may lie outside of the measure's range; the mean over
topics is what the sample is for.

`jitter` tells how much an error of the assessors' timestamps would move scores: it draws the times
of nuggets anew.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tseval.core import registry
from tseval.core.calling import Asking, evaluated
from tseval.core.family import Column, ViewRequest, ViewRows, as_measures
from tseval.core.measure import Measure
from tseval.core.results import Result, Values, evaluate
from tseval.core.scores import Scores, over_topics
from tseval.core.scoring import chosen_measures, scores_of
from tseval.core.wording import count, listed
from tseval.errors import UsageError
from tseval.families.temporal.evaluation import (
    TemporalEvaluation,
    TemporalOptions,
)
from tseval.families.temporal.measures import costs
from tseval.families.temporal.rows import EarliestIndex, weigh_nuggets
from tseval.io.schema import ALL_TOPICS
from tseval.io.times import length_of
from tseval.matching import sampling
from tseval.matching.corrections import hold
from tseval.matching.matching import get_matcher
from tseval.matching.sampling import Likeliest, Verdicts, design_of, find_verdicts, likeliest
from tseval.records import frozen
from tseval.statistics.bootstrap import mean_intervals, resamples
from tseval.statistics.strata import WEAKEST, rogan_gladen, total_intervals

if TYPE_CHECKING:
    import pandas as pd

    from tseval.arrays import FloatArray, IntArray
    from tseval.parallel.sharing import Progress

SAMPLING_MATCHER = "learned"
"""The one whose scores are probabilities."""
CORRECTED = ("P", "R", "Rs", "C")
"""The measures that verdicts can correct."""
SHARES = ("R", "Rs", "C")
"""Those that are shares."""
PROMISED = 30
"""From so many sampled nuggets on, intervals hold what they say (docs/corrected-scores.md)."""
EACH_TOPIC = 6
"""From so many in each topic on those over topics do, of differences too."""
LEVEL = 0.95
"""The part of the samples of jitter that an interval holds."""
AT_ONCE = 1 << 18
"""The rows of samples that are scored together, unless one sample has more."""


def check_measure(measure: Measure) -> None:
    """Refuse a measure that verdicts cannot correct."""
    name = measure.definition.name
    if name not in CORRECTED:
        why = "verdicts tell whether a nugget is said, and nothing of when, or by what"
    elif measure.at is not None:
        why = "nobody judged which update is the first to say a nugget, so leave its time out"
    elif name == "P" and (measure.has("updates") or measure.argument("cost-of") == "match"):
        why = "it depends on which update is the first to say a nugget"
    else:
        return
    raise UsageError(f"{measure} cannot be corrected: {why}")


def topics_of(nuggets: pl.DataFrame) -> IntArray:
    """Return the topic of each nugget, as its place among the topics."""
    return nuggets["topic"].to_physical().cast(pl.Int64).to_numpy()


def read_likeliest(
    evaluation: TemporalEvaluation, name: str, depth: int, progress: Progress | None = None
) -> Likeliest:
    """Return what is read of each run by a matcher, of the updates and nuggets that count."""
    options, runs = evaluation.request.options, evaluation.frames.runs
    matcher = get_matcher(name, options.threshold, options.terms)
    return likeliest(matcher, evaluation.updates, runs, evaluation.nuggets, depth, progress)


def correct(evaluation: TemporalEvaluation) -> CorrectedEvaluation:
    """Return an evaluation whose scores a sample corrects that was judged."""
    request, traits = evaluation.request, evaluation.traits
    rates = request.options.sensitivity, request.options.specificity
    if None not in rates and sum(rates) <= WEAKEST:
        raise UsageError(
            f"sensitivity {rates[0]:g} and specificity {rates[1]:g} add up to {sum(rates):g}: at "
            f"{WEAKEST} or less the matcher says too little to correct by"
        )
    judged, texts = request.tables["judged"], (evaluation.updates, evaluation.nuggets)
    depth = int(design_of(judged)["depth"])
    read = read_likeliest(evaluation, traits["matcher"], depth, request.access.progress)
    verdicts = find_verdicts(judged, traits["nuggets"], *texts, read)
    correction = Correction(read, verdicts, evaluation.frames)
    known = fields_of(evaluation)
    known["warnings"] = (*evaluation.warnings, *correction.remarks())
    return CorrectedEvaluation(**known, correction=correction)


def fields_of(record: Any) -> dict[str, Any]:
    """Return the values of a record by the names of its fields."""
    return {each.name: getattr(record, each.name) for each in fields(record) if each.init}


@frozen(eq=False)
class Correction:
    """What is foretold of every nugget, and judged of some."""

    likeliest: Likeliest
    verdicts: Verdicts
    index: EarliestIndex

    @cached_property
    def topic(self) -> IntArray:
        """The topic of each nugget, as its place among the topics."""
        return topics_of(self.index["nuggets"])

    @cached_property
    def predicted(self) -> FloatArray:
        """Runs x nuggets; of a matcher whose scores are no probabilities nothing is foretold."""
        known = self.likeliest.predicted
        return known if self.likeliest.probable else np.zeros_like(known)

    @cached_property
    def differences(self) -> FloatArray:
        """Runs x sampled nuggets: what was judged less what was foretold."""
        return self.verdicts.said - self.predicted[:, self.verdicts.nugget]

    def worth(self, measure: Measure) -> FloatArray:
        """What saying a nugget adds to the value of its topic: runs x nuggets.

        It is 0 where there is nothing to divide by.
        """
        index, name = self.index, measure.definition.name
        kind = index.rules.reward if name == "C" else str(measure.argument("reward"))
        amount = weigh_nuggets(index["nuggets"], kind)["reward"]
        if name == "P":
            amount *= costs(index, measure, "nuggets")
        found: Any = measure.definition.account(index, measure.whole)
        sums = found.values_at(np.full(index.units, np.inf))
        below = sums["rewards" if name == "C" else "below"].to_numpy()
        each = below.reshape(len(index.runs), len(index.topics))[:, self.topic]
        worth: FloatArray = np.divide(
            amount.to_numpy(), each, out=np.zeros(each.shape), where=each > 0
        )
        return worth

    def nuggets(self, worth: FloatArray, *, assisted: bool = True) -> FloatArray:
        """What each nugget is estimated to add: runs x nuggets. Sums of it are unbiased.

        Without assistance by what is foretold they are the classical estimates.
        """
        sampled, inclusion = self.verdicts.nugget, self.verdicts.drawn.inclusion
        each = worth * (self.predicted if assisted else 0.0)
        known = self.differences if assisted else self.verdicts.said
        each[:, sampled] += worth[:, sampled] * known / inclusion
        return each

    def values(self, measure: Measure, known: Values) -> Values:
        """Return the corrected value of each unit, where it is defined."""
        check_measure(measure)
        sums = np.zeros((len(self.index.runs), len(self.index.topics)))
        np.add.at(sums.T, self.topic, self.nuggets(self.worth(measure)).T)
        return Values(np.where(known.defined, sums.ravel(), 0.0), known.defined)

    def intervals(self, worth: FloatArray, value: FloatArray, *, share: bool) -> FloatArray:
        """Low and high for each run's value, the sum of its nuggets by this worth.

        It is how far judging all nuggets could be from the estimate, for these topics and nuggets.
        """
        own, foretold = worth[:, self.verdicts.nugget], self.predicted[:, self.verdicts.nugget]
        foreseen = own**2 * np.maximum(foretold * (1 - foretold), sampling.LEAST_VARIANCE)
        error = self.verdicts.drawn.error((own * self.differences).T, foreseen.T)
        return total_intervals(value, error, share=share)

    def remarks(self) -> Iterator[str]:
        """What a reader of corrected scores should know."""
        nuggets, topics = len(self.verdicts.nugget), len(self.index.topics)
        holds = f"the sample has {count(nuggets, 'nugget')}"
        if nuggets < PROMISED:
            yield f"{holds}: intervals hold what they say from {PROMISED} on"
        if nuggets < EACH_TOPIC * topics:
            yield (
                f"{holds} in {count(topics, 'topic')}: intervals over topics, and those of "
                f"differences between runs, hold what they say from {EACH_TOPIC} in each on"
            )
        if self.likeliest.probable:
            share = 1.0 / np.bincount(self.topic, minlength=topics)
            unread = self.likeliest.unread @ (share[self.topic] / topics)
            if unread.max() >= 0.005:
                yield (
                    "what stands below the texts that were read counts as not said: by the matcher "
                    f"another {unread.max():.2f} of the nuggets at most"
                )
        yield (
            f"corrected are {listed(CORRECTED)} at the end; T and values at a time are not, since "
            "nobody judged which update is the first to say a nugget"
        )

    def other_estimates(
        self, scores: Scores, at: int, measure: Measure, uncorrected: FloatArray, options: Any
    ) -> dict[str, FloatArray]:
        """What stands beside the corrected values of a measure: two intervals, other estimates.

        These are by the verdicts alone, without what a matcher foretells; what the matcher finds,
        uncorrected; and that corrected by sensitivity and specificity.
        """
        defined = scores.defined[:, :, at]
        counted = scores.counted if scores.undefined_as_zero else scores.counted & defined
        used = (defined & counted) / np.maximum(np.count_nonzero(counted, axis=1), 1)[:, None]
        worth = self.worth(measure) * used[:, self.topic]
        is_share = measure.definition.name in SHARES
        low, high = self.intervals(worth, scores.means[:, at], share=is_share)
        draws = resamples(len(scores.topics), options.seed)
        over_topics = np.full((2, len(scores.runs)), np.nan)
        values = np.where(defined, scores.values[:, :, at], 0.0)
        for run, kept in enumerate(counted):
            number = int(np.count_nonzero(kept))
            if number > 1:  # as if its topics had been drawn
                times = draws if kept.all() else resamples(number, 0)
                over_topics[:, run] = mean_intervals(values[run, kept][:, None], times)[:, 0]
        beside = {"low": low, "high": high}
        beside |= {"low_topics": over_topics[0], "high_topics": over_topics[1]}
        if self.likeliest.probable:
            beside["classical"] = add_rows(self.nuggets(worth, assisted=False))
        beside["automatic"] = add_rows(uncorrected.reshape(used.shape) * used)
        if options.sensitivity is not None:
            whole = add_rows(worth)
            part = beside["automatic"] / np.where(whole > 0, whole, np.nan)
            found = rogan_gladen(part, options.sensitivity, options.specificity)
            beside["rogan_gladen"] = found * whole
        return beside


@frozen(kw_only=True)
class CorrectedEvaluation(TemporalEvaluation):
    """Runs and gold whose scores are corrected."""

    correction: Correction

    def default_measures(self) -> Sequence[str]:
        """The edition's that a sample can correct."""
        return [name for name in self.edition.measures if name in CORRECTED] or ["C"]

    def take(self, measure: Measure, known: dict[Measure, Result]) -> Column:
        """A measure as the sample corrects it."""
        column = super().take(measure, known)
        return replace(column, values=self.correction.values(measure, column.values))

    def finished(self, scores: Scores) -> Scores:
        """With intervals."""
        estimate, options = self.correction.other_estimates, self.request.options
        parts = []
        for at, measure in enumerate(registry.measures(scores.measures, self.edition.family)):
            automatic = super().take(measure, {}).values.value
            parts.append(estimate(scores, at, measure, automatic, options))
        beside = {name: np.column_stack([part[name] for part in parts]) for name in parts[0]}
        return CorrectedScores(**fields_of(scores), beside=beside)


@dataclass(frozen=True)
class CorrectedScores(Scores):
    """Corrected scores, with intervals of each run's `all`, of the shape (runs, measures).

    `low` and `high` are for these topics and nuggets: they hold what judging every nugget would
    give. `low_topics` and `high_topics` are for other topics like these.
    """

    beside: Mapping[str, FloatArray] = field(default_factory=dict)
    """What stands beside the values, by the names of `Correction.beside`; NaN is undefined."""

    def intervals(self, *, per_topic: bool = False) -> pd.DataFrame:
        """A tidy frame: run, topic, measure, value, and what stands beside for the topic `all`."""
        import pandas as pd

        frame = self.frame(per_topic=per_topic)
        rows = frame.index[frame.topic == ALL_TOPICS]
        for name, column in self.beside.items():
            known = pd.Series(column.ravel(), rows, dtype="Float64")
            frame[name] = known.where(frame.value.loc[rows].notna()).reindex(frame.index)
        return frame


def add_rows(amounts: FloatArray) -> FloatArray:
    """Return the exact sum of each row."""
    return np.array([math.fsum(row) for row in amounts.tolist()], np.float64)


def corrected_rows(evaluation: TemporalEvaluation, asked: ViewRequest[TemporalOptions]) -> ViewRows:
    """Show each corrected score with its intervals."""
    scores: Any = scores_of(evaluation, asked.measures, asked.on_missing, asked.undefined)
    traits = traits_of(evaluation, asked, {"seed": str(asked.options.seed)})
    frame = scores.intervals(per_topic=asked.per_topic)
    return ViewRows(frame, warnings=scores.warnings, traits=traits)


def traits_of(
    evaluation: TemporalEvaluation, asked: ViewRequest[TemporalOptions], drawn: Mapping[str, str]
) -> dict[str, str]:
    """Return the parts of the signature that rows add: how scores were taken, and what drawn."""
    rule = asked.on_missing or evaluation.edition.on_missing
    taken = {"missing": rule, "undefined": asked.undefined}
    return {**evaluation.traits_of(asked.measures), **taken, **drawn}


# Samples.


def sample(asking: Asking, pairs: int, depth: int, seed: int) -> pd.DataFrame:
    """Draw nuggets to judge, with the texts to read: at most `pairs` rows to fill in.

    Of each run the `depth` texts are read that score best for the nugget, by `matcher`. Write
    `accept` or `reject` into the column `verdict` and give the frame, or a file of it, to
    `tseval.score(..., judged=...)`. What `corrections` say of a pair stands there already, and
    changes no draw. The same seed draws the same nuggets. `edition` and `rules` say which updates
    and nuggets count; `jobs`, `engine` and `scheduler` where matching runs.
    """
    asking = asking._replace(options=replace(asking.options, seed=seed))
    return draw_sample(evaluated(*asking), pairs, depth)


def draw_sample(
    evaluation: TemporalEvaluation, pairs: int, depth: int, progress: Progress | None = None
) -> pd.DataFrame:
    """Draw from the nuggets that count, and return the rows of the file."""
    import pandas as pd

    if pairs < 1 or depth < 1:
        raise UsageError("a sample needs at least one pair, and a depth of at least one")
    traits, gold, updates = evaluation.traits, evaluation.frames["nuggets"], evaluation.updates
    options = evaluation.request.options
    kinds = {"nugget": pl.Int64, "update_text": pl.String, "accepted": pl.Boolean}
    known = pl.DataFrame(schema=kinds)
    if evaluation.corrections is not None:
        held = hold(evaluation.corrections, updates, evaluation.nuggets).pairs
        known = held.with_columns(update_text=updates["text"].gather(held["update"]))
        known = known.select(list(kinds)).unique(["nugget", "update_text"], keep="last")
    found = sampling.draw_rows(
        sampling.Design(traits["matcher"], pairs, depth, options.seed),
        traits["nuggets"],
        updates,
        evaluation.nuggets,
        read_likeliest(evaluation, options.matcher or SAMPLING_MATCHER, depth, progress),
        sizes(topics_of(gold), gold["importance"].to_numpy()),
        known,
    )
    return pd.DataFrame(found, columns=list(sampling.COLUMNS))


def sizes(topic: IntArray, importance: FloatArray) -> FloatArray:
    """What each nugget weighs: half by the importance in its topic, half as one of its nuggets.

    Topics weigh the same, as in means over topics.
    """
    number = np.bincount(topic)
    above = np.maximum(importance, 0.0)
    total = np.bincount(topic, above)[topic]
    even = 1.0 / number[topic]
    share = np.divide(above, total, out=even.copy(), where=total > 0)
    return (share + even) / 2


# Jitter.


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

        counted = self.scores.counted & per_topic
        shown = np.hstack([counted, np.ones((len(counted), 1), bool)])
        frame = self.scores.frame(per_topic=per_topic)
        for name, ends in (("low", self.low), ("high", self.high)):
            frame[name] = pd.Series(ends[shown].ravel(), frame.index, dtype="Float64")
        return frame


def jitter(asking: Asking) -> Jitter:
    """Measure how much scores change if nugget times are wrong by up to `within`, such as `1h`.

    Each of the `samples` moves every nugget by an error of its own, drawn evenly from -`within` to
    +`within`; the interval holds the middle 95 % of the values. The other parameters are those of
    `score`; the default measures are `Rs` and `T`.
    """
    evaluation, common = evaluated(*asking), asking.common
    wanted = chosen_measures(evaluation, as_measures(common.measures), common.at)
    missing, undefined = common.on_missing, common.undefined
    asked = ViewRequest(tuple(wanted), asking.options, on_missing=missing, undefined=undefined)
    return jittered(evaluation, asked)


def jittered(evaluation: TemporalEvaluation, asked: ViewRequest[TemporalOptions]) -> Jitter:
    """Return the scores that are asked for with their intervals; topics start as they did."""
    options, wanted, index = asked.options, asked.measures, evaluation.frames
    within, samples = options.jitter or "", options.samples
    largest = length_of("jitter", within)
    scores = scores_of(evaluation, wanted, asked.on_missing, asked.undefined)
    draw, known = np.random.default_rng(options.seed), index["nuggets"]["time"].to_numpy()
    rows = index.outputs.height + len(index.runs) * len(known)
    together = max(1, AT_ONCE // max(rows, 1))
    parts: list[FloatArray] = []
    for at in range(0, samples, together):
        size = (min(together, samples - at), len(known))
        shifted = repeat(index, known + draw.uniform(-largest, largest, size))
        value, defined = evaluate(shifted, wanted, np.tile(evaluation.starts, size[0]))
        parts.append(np.where(defined, value, np.nan))
    runs, topics, number = len(index.runs), len(index.topics), len(wanted)
    values = np.concatenate(parts, axis=1).reshape(runs * samples, topics, number)
    means = over_topics(
        Values(np.nan_to_num(values), ~np.isnan(values)),
        np.repeat(scores.counted, samples, axis=0)[:, :, None],
        undefined_as_zero=scores.undefined_as_zero,
    )
    mean = np.where(means.defined, means.value, np.nan)[:, None]
    every = np.concatenate([values, mean], axis=1).reshape(runs, samples, topics + 1, number)
    every, tail = every.swapaxes(0, 1), (1 - LEVEL) / 2
    ends, some = np.full((2, *every.shape[1:]), np.nan), ~np.isnan(every).all(axis=0)
    ends[:, some] = np.nanquantile(every[:, some], (tail, 1 - tail), axis=0)
    drawn = {"jitter": within, "samples": str(samples), "seed": str(options.seed)}
    return Jitter(scores, ends[0], ends[1], drawn)


def repeat(index: EarliestIndex, times: FloatArray) -> EarliestIndex:
    """Return the index with topics of its own for each sample of the nuggets' times."""
    names = [f"{sample} {topic}" for sample in range(len(times)) for topic in index.topics]
    sample = pl.DataFrame({"sample": np.arange(len(times), dtype=np.uint64)})
    sizes = dict.fromkeys(("update", "original", "nugget"), 2**32) | {"topic": len(index.topics)}

    def repeat_rows(rows: pl.DataFrame) -> pl.DataFrame:
        own = [name for name in sizes if name in rows.columns]
        codes = rows.with_columns(pl.col(own).to_physical().cast(pl.UInt64))
        codes = sample.join(codes, how="cross", maintain_order="left_right").with_columns(
            pl.col(name) + pl.col("sample") * sizes[name] for name in own
        )
        topic = pl.col("topic").cast(pl.UInt32).cat.to(pl.Enum(names))
        return codes.with_columns(topic).drop("sample")

    frames = {
        name: rows if name == "pool" else repeat_rows(rows) for name, rows in index.frames.items()
    }
    nuggets = frames["nuggets"].with_columns(time=pl.Series(times.ravel()))
    since = nuggets.select("nugget", since="time")
    firsts = frames["firsts"].drop("since").join(since, on="nugget", maintain_order="left")
    frames |= {"nuggets": nuggets, "firsts": firsts}
    limits, outputs = (repeat_rows(rows) for rows in (index.times, index.outputs))
    own: dict[str, Any] = {"times": limits, "outputs": outputs, "frames": frames}
    return replace(index, topics=tuple(names), **own)


def jitter_rows(evaluation: TemporalEvaluation, asked: ViewRequest[TemporalOptions]) -> ViewRows:
    """Show each score with the interval in which it lies."""
    found = jittered(evaluation, asked)
    traits = traits_of(evaluation, asked, found.drawn)
    return ViewRows(found.frame(per_topic=asked.per_topic), warnings=found.warnings, traits=traits)
