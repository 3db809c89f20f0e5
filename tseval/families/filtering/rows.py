"""From tables to rows: judged and returned pairs of topic and document, in a period.

Of a pair that a run returned several times the highest confidence counts; of one that was judged
several times the rule `votes` decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import polars as pl

from tseval.core.frames import spans, warn_of_topics
from tseval.core.input_warnings import years_apart
from tseval.core.kernel import natural
from tseval.core.results import places
from tseval.core.rules import RuleSet, choice
from tseval.core.wording import count, warn_of_numbers
from tseval.errors import UsageError
from tseval.families.filtering.files import PAIR, RATINGS, ratings
from tseval.io.faults import FaultList
from tseval.io.tables import Table
from tseval.io.times import MILLISECONDS, UNITS, Moment, NotANumber, dated, length_of
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.arrays import FloatArray, IntArray

MOST_BATCHES = 1_000_000
"""More batches than this are a slip in a unit of time, and no memory would hold them."""
ROUNDING = 1e-12
"""A part of a batch that is smaller is what a division leaves behind, no batch."""
DATED = r"^(\d+)-"
"""How a document's id begins that has its time: `1325376000-…`."""
NO_TIME_CURE = "give the truth a column time, or documents whose ids begin with it: 1325376000-…"
HIGHEST_CONFIDENCE = 1000.0
"""The end of the track's scale: no cutoff of an edition divides higher confidences."""


@frozen
class FilterRules(RuleSet):
    """Every choice; the defaults are what the paper on filtering over time does."""

    lowest: int = 50
    """The lowest cutoff that a sweep tries."""
    highest: int = 1000
    """Above this it tries none."""
    step: int = 50
    """How far apart its cutoffs are, unless another step is asked for."""

    kept: str = choice(
        "a document is returned if its confidence is",
        at_least="at least the cutoff",
        above="above the cutoff",
    )
    own_rating: str = choice(
        "a document that the run itself rates below the level asked for (2013 and 2014)",
        ignore="is returned all the same",
        obey="is not returned",
    )
    unjudged: str = choice(
        "a returned document that nobody judged", ignore="is left out", fp="is a false positive"
    )
    votes: str = choice(
        "a document that assessors rate differently",
        all="is positive if all of them rate it so: the lowest rating wins",
        any="is positive if any of them rates it so: the highest rating wins",
    )
    unsure: str = choice(
        "a judgment in which the assessor has no confidence (0 in the truth)",
        keep="counts as any other",
        drop="is left out",
    )
    partial: str = choice(
        "a last batch that is shorter than the others",
        keep="is a batch as any other",
        drop="is left out of the batches; measures of the whole period keep it",
    )
    weights: str = choice(
        "the weight of a batch in the trend",
        shared="is its share of the pairs that are positive or returned, for every metric",
        own="is its share of what the metric is taken from: for P and FDR the pairs returned, for"
        " R the positive ones, for FPR the negative ones, for the others as shared",
        documents="is its share of the documents that are positive or returned, one of several"
        " topics once; a topic by itself has as many documents as pairs",
    )
    entities: str = choice(
        "the macro averages P, R, T11U, T11NU and T11SU are taken over",
        positive="the entities with a positive in the batch; undefined without any",
        all="all entities of the truth; one without positives counts as 0, in T11U as its false"
        " positives cost",
    )


# The period and its batches.


@frozen
class Period:
    """From `start` on, up to but without `end`, in Unix seconds."""

    start: float
    end: float

    @classmethod
    def of(
        cls, times: pl.Series, start: str | None, end: str | None, *, relative: bool = False
    ) -> Period:
        """Return the period asked for, by default from the first judged document to the last.

        A start such as `6h` counts from the first judged document, such an end from the start. An
        end that is not asked for is the first whole second after the last document. With times
        that count from the topic's start the default start is 0.
        """
        if not len(times):
            raise UsageError("no judged document has a time: there is no period to look at")
        known = times.to_numpy()
        first, last = 0.0 if relative else float(known.min()), float(known.max())
        begins = first if start is None else read_option("--start", start, first)
        ends = math.floor(last) + 1.0 if end is None else read_option("--end", end, begins)
        if ends <= begins:
            raise UsageError(
                f"the period ends at {dated(ends)}, which is not after its start at "
                f"{dated(begins)}; documents are judged from {dated(first)} to "
                f"{dated(last)}: choose --start and --end so that some lie between them"
            )
        return cls(begins, ends)

    def rows(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return the rows dated in it."""
        return frame.filter((pl.col("time") >= self.start) & (pl.col("time") < self.end))

    def cut(self, length: str, partial: str) -> Cut:
        """Return its batches of a length such as `1d`; a shorter last one is kept or dropped."""
        seconds = length_of("--batch", length)
        exact = (self.end - self.start) / seconds
        if exact > MOST_BATCHES:
            raise UsageError(
                f"--batch {length}: that makes {exact:,.0f} batches of the period; no more than "
                f"{MOST_BATCHES:,} are possible: choose longer ones"
            )
        whole = math.floor(exact + ROUNDING * max(exact, 1.0))
        number = whole if partial == "drop" or whole >= exact else whole + 1
        if not number:
            raise UsageError(f"--batch {length} is longer than the period: no batch is whole")
        return Cut(self, length, seconds, number, shorter=number > whole)

    @property
    def as_one(self) -> Cut:
        """The whole period as one batch."""
        return Cut(self, "all", self.end - self.start, 1, shorter=False)


def read_option(option: str, text: str, first: float) -> float:
    """Return the time of an option; one as `6h` counts from the first."""
    try:
        return Moment.parse(text).seconds_after(first)
    except NotANumber as error:
        raise UsageError(f"{option}: {error}") from None


@frozen
class Cut:
    """The batches of a period: `number` of them, each of `seconds`, the last perhaps shorter."""

    period: Period
    length: str
    seconds: float
    number: int
    shorter: bool

    @cached_property
    def starts(self) -> FloatArray:
        """When each batch starts."""
        return self.period.start + self.seconds * np.arange(self.number, dtype=np.float64)

    @cached_property
    def ends(self) -> FloatArray:
        """When each batch ends: the last with the period, unless the rest was dropped."""
        last = min(self.period.start + self.seconds * self.number, self.period.end)
        return np.append(self.starts[1:], last)

    @property
    def middles(self) -> FloatArray:
        """The middle of each batch, in days since the period's start."""
        return np.asarray(((self.starts + self.ends) / 2 - self.starts[0]) / UNITS["d"])

    @property
    def days(self) -> float:
        """How many days the batches last together."""
        return float((self.ends[-1] - self.starts[0]) / UNITS["d"])

    def batch(self, times: FloatArray) -> IntArray:
        """Return the number of each time's batch; `number` for a time that lies in none."""
        batch = places(np.full(len(times), self.period.start), times, self.seconds)
        inside = (times >= self.period.start) & (times < self.period.end) & (batch < self.number)
        return np.where(inside, batch, self.number).astype(np.int64)


# Pairs.


class Pairs(NamedTuple):
    """The judged pairs, and those that runs returned; each once, for a run by itself."""

    judged: pl.DataFrame
    """`topic post_id time positive`."""
    returned: pl.DataFrame
    """`run topic time confidence judged positive`; pairs that nobody judged where they count.

    With the `post_id` where batches weigh as many documents as they have."""
    topics: list[str]
    """The topics, which may have no pair in a period."""
    warnings: list[str]


def drop_rated(
    level: float,
    topics: Sequence[str],
    check: Callable[[pl.DataFrame, FaultList], pl.DataFrame],
    frame: pl.DataFrame,
    faults: FaultList,
) -> pl.DataFrame:
    """Return rows of runs without those of judged topics that the run itself rates lower."""
    frame = check(frame, faults)
    if "rating" not in frame.columns:
        return frame
    is_rated = (pl.col("rating") >= level).fill_null(value=True)
    return frame.filter(is_rated | ~pl.col("topic").is_in(topics))


def keep_best(rows: pl.DataFrame, truth: Table, pairs: pl.DataFrame | None) -> pl.Series:
    """Return which rows have the highest confidence of their pair, of these pairs or of all.

    Where the truth tells no times, the earliest row of each of its documents has one.
    """
    numbered = rows.with_row_index("place")
    best = numbered if pairs is None else numbered.join(pairs, on=PAIR, how="semi")
    best = best.sort("confidence", "time", "place", descending=[True, False, False])
    kept = [best.unique(["run", *PAIR], keep="first")["place"]]
    if "time" not in truth.frame.columns or truth.frame["time"].has_nulls():
        known = numbered.join(truth.frame, on="post_id", how="semi").sort("time", "place")
        kept.append(known.unique("post_id", keep="first")["place"])
    return rows.select(pl.int_range(pl.len()).is_in(pl.concat(kept).implode())).to_series()


def pair(
    tables: Mapping[str, Table],
    level: float,
    rules: FilterRules,
    others: pl.DataFrame | None = None,
) -> Pairs:
    """Match what runs returned with what was judged.

    The truth has the time of a document; where it has none, its id; where that has none either,
    the runs. A positive pair without a time is a fault.
    """
    truth, runs, warnings = tables["truth"], tables["runs"], list[str]()
    judgments = truth.frame.with_columns(ratings(truth).alias("rating"))
    if rules.unsure == "drop" and "confidence" in judgments.columns:
        judgments = judgments.filter(pl.col("confidence") > 0)
    if "time" not in judgments.columns:
        judgments = judgments.with_columns(time=pl.lit(None, pl.Float64))
    rating = pl.col("rating").min() if rules.votes == "all" else pl.col("rating").max()
    judged = judgments.group_by(PAIR, maintain_order=True).agg(
        pl.col("file", "line").first(), pl.col("time").min(), positive=rating >= level
    )
    if judged["time"].has_nulls() and truth.frame["post_id"].str.contains(DATED).all():
        time = pl.col("post_id").str.extract(DATED).cast(pl.Float64)
        judged = judged.with_columns(pl.col("time").fill_null(time))
    elif judged["time"].has_nulls():
        earliest = runs.frame.group_by("post_id").agg(earliest=pl.col("time").min())
        judged = judged.join(earliest, on="post_id", how="left", maintain_order="left")
        judged = judged.with_columns(pl.col("time").fill_null(pl.col("earliest")))
        what = "the truth tells no times of some documents: they have the earliest of any run"
        warnings.append(what)
    timeless = judged.filter(pl.col("time").is_null())
    reason = 'document "{post_id}" of topic "{topic}" has no time'
    truth.refuse(timeless.filter("positive"), reason, NO_TIME_CURE, "missing-time")
    warnings += warn_of_numbers("truth", "rating", judgments["rating"].to_numpy(), RATINGS)
    returned = runs.frame.cast({"run": pl.Enum(runs.runs)})
    names = truth.frame["topic"].unique()
    warnings += warn_of_topics(runs.frame, names, "judged")
    if rules.own_rating == "obey" and "rating" in returned.columns:
        returned = returned.filter((pl.col("rating") >= level).fill_null(value=True))
    topic, key = pl.col("topic").cast(natural(names), strict=False), ["run", *PAIR]
    returned = returned.select(*key, "time", "confidence", "^again$")
    returned, judged = returned.with_columns(topic).drop_nulls("topic"), judged.with_columns(topic)
    is_repeated = returned.select(key).hash_rows().is_duplicated()
    repeated = returned.filter(is_repeated)
    once = repeated.sort("confidence", "time", descending=[True, False])
    once = once.unique(key, keep="first", maintain_order=True)
    marks = [repeated.with_columns(again=~pl.struct(key).is_first_distinct())]
    if others is not None and "again" in returned.columns:  # rows that are no longer there, too
        marks = [returned, others.filter(pl.col("topic").is_in(list(names)))]
    again, of_run = pl.col("again").cast(pl.Int64), pl.col("run").cast(pl.Enum(runs.runs))
    numbers = pl.concat(each.select(of_run, again) for each in marks)
    numbers = numbers.group_by("run").agg(pl.col("again").cast(pl.Int64).sum()).filter(again > 0)
    for run, number in numbers.sort("run").iter_rows():
        noun = count(number, "repeated document")
        warnings.append(f"run {run}: {noun}, the highest confidence counts")
    once = pl.concat([returned.filter(~is_repeated), once]) if repeated.height else returned
    known = judged.select(*PAIR, "positive", told="time", judged=True)
    how: Literal["inner", "left"] = "inner" if rules.unjudged == "ignore" else "left"
    matched = once.join(known, on=PAIR, how=how).sort("run")
    if moved := matched.filter(pl.col("told") != pl.col("time")).height:
        what = "with another time in the run than in the truth: the truth's counts"
        warnings.append(f"{count(moved, 'document')} {what}")
    if lost := timeless.height:
        warnings.append(f"{count(lost, 'judged pair')} without a time, not positive, left out")
    is_judged = pl.col("judged").is_not_null()
    matched = matched.select(
        *("run", "topic", "confidence"),
        *(("post_id",) if rules.weights == "documents" else ()),
        time=pl.when(is_judged).then("told").otherwise("time"),
        judged=is_judged,
        positive=pl.col("positive").fill_null(value=False),
    )
    topics = list(judged["topic"].unique().sort().cast(pl.String))
    return Pairs(judged.drop_nulls("time"), matched.drop_nulls("time"), topics, warnings)


def restrict(pairs: Pairs, period: Period, required: int) -> Pairs:
    """Return the pairs in a period, of the topics with as many positives there as are required."""
    frames = [period.rows(each) for each in pairs[:2]]
    numbers = frames[0].filter("positive")["topic"].cast(pl.String).value_counts()
    positives = dict(numbers.iter_rows())
    topics = [each for each in pairs.topics if positives.get(each, 0) >= required]
    topic = pl.col("topic").cast(pl.Enum(topics), strict=False)
    judged, returned = (each.with_columns(topic).drop_nulls("topic") for each in frames)
    return Pairs(judged, returned, topics, pairs.warnings)


# Warnings.


def find_warnings(
    runs: Table,
    pairs: Pairs,
    counted: Pairs,
    cutoffs: FloatArray,
    rules: FilterRules,
    required: int,
) -> Iterator[str]:
    """Yield what a reader should know of the inputs, whatever is asked of them."""
    last = pairs.judged["time"].to_numpy().max(initial=-np.inf)  # some are in ids of documents
    if last >= MILLISECONDS:
        yield f"truth: times up to {last:.0f} look like milliseconds; they are read as seconds"
    yield from years_apart(spans(runs.frame), runs.frame["topic"].unique())
    yield from pairs.warnings
    if required and not counted.topics:
        positives = count(required, "positive")
        yield f"no topic has {positives} or more in the period, as was required: nothing counts"
    elif not counted.judged["positive"].any():
        yield "no judged document of the period is positive at this level"
    confidence = pl.col("confidence")
    of_runs = counted.returned.group_by("run", maintain_order=True).agg(
        pl.len(),
        low=confidence.min(),
        high=confidence.max(),
        beyond=(confidence > HIGHEST_CONFIDENCE).sum(),
    )
    for run, number, low, high, beyond in of_runs.iter_rows():
        if number > 1 and len(cutoffs) > 1 and low == high:
            yield f"run {run}: every confidence is {low:g}"
            continue
        if high < cutoffs[0] or (rules.kept == "above" and high == cutoffs[0]):
            least = f"the lowest cutoff, {cutoffs[0]:g}"
            yield f"run {run}: no confidence passes {least}: nothing counts"
        if beyond and len(cutoffs) > 1:
            noun = count(beyond, "confidence")
            yield f"run {run}: {noun} above {HIGHEST_CONFIDENCE:g}, beyond the highest cutoff"
