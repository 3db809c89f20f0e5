"""Scores corrected by what somebody judged of a sample of nuggets.

Each corrected measure adds up, over the nuggets of a topic, what a nugget is worth if it is said.
Whether it is said is known of the nuggets that were sampled, and foretold of the others by a
matcher whose scores are probabilities. So the sum over what is foretold, and the difference that
the sample shows, is what judging every nugget would be expected to give. A topic's value is as
unsure as its few sampled nuggets make it, and may lie outside of the measure's range; the mean over
topics is what the sample is for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.core.family import Access
from tseval.core.measure import Measure
from tseval.core.results import Values
from tseval.core.scores import Scores
from tseval.core.wording import count, listed
from tseval.errors import UsageError
from tseval.families.temporal.assessed import AssessedIndex
from tseval.families.temporal.draft import costs, precision, recall, rewards
from tseval.matching.likeliest import Likeliest, likeliest
from tseval.matching.matching import get_matcher
from tseval.matching.sampling import LEAST_VARIANCE
from tseval.matching.verdicts import Verdicts
from tseval.records import frozen
from tseval.statistics import mean_intervals, resamples, rogan_gladen, total_intervals
from tseval.statistics.strata import WEAKEST
from tseval.tables import ALL_TOPICS
from tseval.tables.arrow import strings

if TYPE_CHECKING:
    import pandas as pd

    from tseval.families.temporal.inputs import TemporalOptions
    from tseval.tables.columns import FloatArray, IntArray

CORRECTED = ("P", "R", "Rs", "C")
"""The measures that verdicts can correct."""
SHARES = ("R", "Rs", "C")
"""Those that are shares."""
PROMISED = 30
"""From so many sampled nuggets on, intervals hold what they say (docs/corrected-scores.md)."""
EACH_TOPIC = 6
"""From so many in each topic on those over topics do, of differences too."""


def refusal(measure: Measure) -> str | None:
    """Why verdicts cannot correct a measure; None where they can."""
    name = measure.definition.name
    if name not in CORRECTED:
        why = "verdicts tell whether a nugget is said, and nothing of when, or by what"
    elif measure.at is not None:
        why = "nobody judged which update is the first to say a nugget, so leave its time out"
    elif name == "P" and (measure.has("updates") or measure.argument("cost-of") == "match"):
        why = "it depends on which update is the first to say a nugget"
    else:
        return None
    return f"{measure} cannot be corrected: {why}"


def worths(index: AssessedIndex, measure: Measure) -> FloatArray:
    """What saying a nugget adds to the value of its topic: runs x nuggets.

    It is 0 where there is nothing to divide by.
    """
    name = measure.definition.name
    if name == "C":
        amount, below = index.rewards, np.tile(index.total_rewards, len(index.runs))
    else:
        amount = rewards(measure, index)
        if name == "P":
            amount = amount * costs(index.nuggets, str(measure.argument("cost")), index)
        account = (precision if name == "P" else recall)(index, measure)
        below = account.ledgers[1].before(np.full(index.units, np.inf))
    each = below.reshape(len(index.runs), len(index.topics))[:, index.nugget_topic]
    return np.divide(amount, each, out=np.zeros(each.shape), where=each > 0)


def likeliest_of(
    name: str, options: TemporalOptions, index: AssessedIndex, depth: int, access: Access
) -> Likeliest:
    """What is read of each run by a matcher, of the updates and nuggets that count."""
    matcher = get_matcher(name, options.threshold, options.terms)
    run = index.updates.run.within(strings(list(index.runs)))
    return likeliest(matcher, index.updates, run, index.runs, index.nuggets, depth, access.progress)


@frozen(eq=False)
class Correction:
    """What is foretold of every nugget, and judged of some."""

    likeliest: Likeliest
    verdicts: Verdicts

    @cached_property
    def foretold(self) -> FloatArray:
        """Runs x nuggets; of a matcher whose scores are no probabilities nothing is foretold."""
        known = self.likeliest.predicted
        return known if self.likeliest.probable else np.zeros_like(known)

    @cached_property
    def differences(self) -> FloatArray:
        """Runs x sampled nuggets: what was judged less what was foretold."""
        return self.verdicts.said - self.foretold[:, self.verdicts.nugget]

    def nuggets(self, worth: FloatArray, *, assisted: bool = True) -> FloatArray:
        """What each nugget is estimated to add: runs x nuggets. Sums of it are unbiased.

        Without assistance by what is foretold they are the classical estimates.
        """
        sampled, inclusion = self.verdicts.nugget, self.verdicts.drawn.inclusion
        each = worth * (self.foretold if assisted else 0.0)
        known = self.differences if assisted else self.verdicts.said
        each[:, sampled] += worth[:, sampled] * known / inclusion
        return each

    def values(self, index: AssessedIndex, measure: Measure, known: Values) -> Values:
        """The corrected value of each unit, where it is defined."""
        reason = refusal(measure)
        if reason is not None:
            raise UsageError(reason)
        each = self.nuggets(worths(index, measure))
        return Values(np.where(known.defined, by_topic(index, each).ravel(), 0.0), known.defined)

    def intervals(self, worth: FloatArray, value: FloatArray, *, share: bool) -> FloatArray:
        """Low and high for each run's value, the sum of its nuggets by this worth.

        It is how far judging all nuggets could be from the estimate, for these topics and nuggets.
        """
        own, foretold = worth[:, self.verdicts.nugget], self.foretold[:, self.verdicts.nugget]
        foreseen = own**2 * np.maximum(foretold * (1 - foretold), LEAST_VARIANCE)
        error = self.verdicts.drawn.error((own * self.differences).T, foreseen.T)
        return total_intervals(value, error, share=share)

    def remarks(self, index: AssessedIndex) -> Iterator[str]:
        """What a reader of corrected scores should know."""
        sampled = len(self.verdicts.nugget)
        if sampled < PROMISED:
            yield (
                f"the sample has {count(sampled, 'nugget')}: intervals hold what they say from "
                f"{PROMISED} on"
            )
        if sampled < EACH_TOPIC * len(index.topics):
            yield (
                f"the sample has {count(sampled, 'nugget')} in "
                f"{count(len(index.topics), 'topic')}: intervals over topics, and those of "
                f"differences between runs, hold what they say from {EACH_TOPIC} in each on"
            )
        if self.likeliest.probable:
            share = 1.0 / np.bincount(index.nugget_topic, minlength=len(index.topics))
            mean = share[index.nugget_topic] / len(index.topics)
            unread = self.likeliest.unread @ mean
            if unread.max() >= 0.005:
                yield (
                    "what stands below the texts that were read counts as not said: by the matcher "
                    f"another {unread.max():.2f} of the nuggets at most"
                )
        yield (
            f"corrected are {listed(CORRECTED)} at the end; T and values at a time are not, since "
            "nobody judged which update is the first to say a nugget"
        )


def by_topic(index: AssessedIndex, each: FloatArray) -> FloatArray:
    """The sums over each topic's nuggets: runs x topics."""
    sums = np.zeros((len(each), len(index.topics)))
    np.add.at(sums.T, index.nugget_topic, each.T)
    return sums


BESIDE = (
    *("low", "high", "low_topics", "high_topics"),
    *("classical", "automatic", "rogan_gladen"),
)
"""What stands beside corrected values: two intervals, and three other estimates. By the verdicts
alone, without what a matcher foretells; what the matcher finds, uncorrected; and that corrected by
sensitivity and specificity."""


@dataclass(frozen=True)
class CorrectedScores(Scores):
    """Corrected scores, with intervals of each run's `all`, of the shape (runs, measures).

    `low` and `high` are for these topics and nuggets: they hold what judging every nugget would
    give. `low_topics` and `high_topics` are for other topics like these.
    """

    beside: Mapping[str, FloatArray] = field(default_factory=dict)
    """What stands beside the values, by the names of `BESIDE`; NaN is undefined."""

    def intervals(self, *, per_topic: bool = False) -> pd.DataFrame:
        """A tidy frame: run, topic, measure, value, and what stands beside for the topic `all`."""
        import pandas as pd

        columns = self.beside
        rows = []
        for record in self.records(per_topic=per_topic):
            row = record._asdict()
            if record.topic == ALL_TOPICS and record.value is not None:
                at = self.runs.index(record.run), self.measures.index(record.measure)
                row |= {name: float(column[at]) for name, column in columns.items()}
            rows.append(row)
        frame = pd.DataFrame(rows, columns=["run", "topic", "measure", "value", *columns])
        return frame.astype(dict.fromkeys(("value", *columns), "Float64"))


def with_intervals(
    scores: Scores,
    wanted: Sequence[Measure],
    automatic: Sequence[Values],
    correction: Correction,
    index: AssessedIndex,
    options: TemporalOptions,
) -> CorrectedScores:
    """Corrected scores with all that is known of how sure they are."""
    shape = (len(scores.runs), len(wanted))
    beside = {name: np.full(shape, np.nan) for name in BESIDE}
    draws = resamples(len(scores.topics), options.seed)
    for at, measure in enumerate(wanted):
        used = _used(scores, at)
        worth = worths(index, measure) * used[:, index.nugget_topic]
        share = measure.definition.name in SHARES
        value = scores.means[:, at]
        beside["low"][:, at], beside["high"][:, at] = correction.intervals(
            worth, value, share=share
        )
        beside["classical"][:, at] = correction.nuggets(worth, assisted=False).sum(axis=1)
        found = automatic[at].value.reshape(used.shape)
        beside["automatic"][:, at] = (found * used).sum(axis=1)
        beside["low_topics"][:, at], beside["high_topics"][:, at] = _over_topics(scores, at, draws)
        if options.sensitivity is not None and options.specificity is not None:
            whole = worth.sum(axis=1)
            part = beside["automatic"][:, at] / np.where(whole > 0, whole, np.nan)
            rates = options.sensitivity, options.specificity
            beside["rogan_gladen"][:, at] = rogan_gladen(part, *rates) * whole
    if not correction.likeliest.probable:
        del beside["classical"]
    if options.sensitivity is None:
        del beside["rogan_gladen"]
    own: dict[str, Any] = {
        each.name: getattr(scores, each.name) for each in fields(Scores) if each.init
    }
    return CorrectedScores(**own, beside=beside)


def _used(scores: Scores, at: int) -> FloatArray:
    """What each topic of a run weighs in its mean: runs x topics."""
    used = scores.defined[:, :, at] & scores.counted
    number = (scores.counted if scores.undefined_as_zero else used).sum(axis=1)
    weights: FloatArray = used / np.maximum(number, 1)[:, None]
    return weights


def _over_topics(scores: Scores, at: int, draws: IntArray) -> FloatArray:
    """The interval of each run's mean over topics such as these, as if they had been drawn."""
    ends = np.full((2, len(scores.runs)), np.nan)
    for run in range(len(scores.runs)):
        counted = scores.counted[run]
        kept = counted if scores.undefined_as_zero else counted & scores.defined[run, :, at]
        values = np.where(scores.defined[run, :, at], scores.values[run, :, at], 0.0)[kept]
        if len(values) > 1:
            times = draws if kept.all() else resamples(len(values), 0)
            ends[:, [run]] = mean_intervals(values[:, None], times)
    return ends


def check_rates(options: TemporalOptions) -> None:
    """Refuse rates that are none, that stand alone, or that say too little to correct by."""
    pair = options.sensitivity, options.specificity
    given = [each for each in pair if each is not None]
    if len(given) == 1:
        raise UsageError("sensitivity and specificity belong together: give both, or neither")
    if any(not 0 <= each <= 1 for each in given):
        raise UsageError("sensitivity and specificity are shares from 0 to 1")
    if given and sum(given) <= WEAKEST:
        raise UsageError(
            f"sensitivity {given[0]:g} and specificity {given[1]:g} add up to {sum(given):g}: at "
            f"{WEAKEST} or less the matcher says too little to correct by"
        )
