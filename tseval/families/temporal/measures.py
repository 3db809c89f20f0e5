"""The measures of temporal summarization: those of the draft of 2013, and those of the track.

Each is a function from an `EarliestIndex` to contributions. The rules that the draft leaves open
stand here, beside the contributions that they shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from tseval.core.kernel import (
    ALWAYS,
    CONTRIBUTED,
    KEY,
    Contributions,
    divided,
    quotient,
    ratio,
)
from tseval.core.measure import Argument, Definition, Measure, Parameter, documented
from tseval.core.results import ContributionResult
from tseval.errors import MeasureError, UsageError
from tseval.families.temporal.rows import LETTERS, EarliestIndex, count_words
from tseval.families.temporal.rules import Rules
from tseval.io.times import UNITS, NotANumber, duration, number

if TYPE_CHECKING:
    from tseval.arrays import FloatArray

FAMILY = "temporal"
CITATION = "Draft Metrics, TREC Temporal Summarization track, 22 April 2013"
OF_F = "van Rijsbergen, Information Retrieval, second edition, 1979, chapter 7"
OF_TRACK = (
    "J. Aslam, F. Diaz, M. Ekstrand-Abueg, R. McCreadie, V. Pavlu, T. Sakai: "
    "TREC Temporal Summarization overviews 2013-2015, with the metrics of 24 October 2013 and "
    "11 June 2014"
)
OF_PROGRAM = "this program"
OF_TIMES = ("Rs", "T")
"""The measures that rest on the nuggets' times."""
OF_ENDS = ("stale", "catch-up")
"""Those that rest on the ends of nuggets."""
DEFAULT_SCALE = "6h"


def read_weight(text: str) -> float:
    """Return a weight above 0; a `NotANumber` says why not."""
    with suppress(NotANumber):
        if (weight := number(text)) > 0:
            return weight
    raise NotANumber(f"'{text}' is no weight: give a number above 0")


COST = Parameter(
    "cost",
    "what a text costs: the column `cost`, 1, its words, or its characters; without it the column "
    "if updates and nuggets both have it, else 1",
    default="",
    choices=("column", "1", "words", "chars"),
)
COST_OF = Parameter(
    "cost-of",
    "whose cost an earned nugget counts with: the nugget's, or its earliest match's",
    default="nugget",
    choices=("nugget", "match"),
)
REWARD = Parameter(
    "reward",
    "what a nugget is worth: its importance, 1, e^importance / e^(the topic's largest), "
    "or 1 if its importance is above 0",
    default="importance",
    choices=("importance", "1", "exp", "binary"),
)
IN_UPDATES = Parameter(
    "updates",
    "the share, by cost, of updates that are the earliest match of any nugget: at most 1",
    default="",
    flag=True,
)
BETA = Parameter(
    "beta",
    "how many times as much recall counts as precision: a number above 0",
    default="1",
    parse=read_weight,
)
ADVANTAGE = Parameter(
    "g",
    "the worth of being early by x seconds; in Python any increasing function of an array",
    default="identity",
    choices=("identity", "sign", "logistic", "arctan"),
    nested=True,
    takes_function=True,
)
UNIT = Parameter("unit", "the unit of g=identity", default="h", choices=("s", "min", "h", "d"))
AREA = Parameter(
    "area",
    "the area under the curve over the topic's period, by the period's length: a mean over time;"
    " the period ends where the topics file says, else at the latest nugget",
    default="",
    flag=True,
)


# The draft.


def default_cost(index: EarliestIndex) -> str:
    """Return the cost where none is asked for: the column if both tables have it, else 1."""
    tables = (index.outputs, index["nuggets"])
    return "column" if all("cost" in table.columns for table in tables) else "1"


def leaves_cost_open(wanted: Iterable[Measure]) -> bool:
    """Return whether any of these measures could say what a text costs, and doesn't."""
    return any(
        "cost" in {each.name for each in measure.definition.parameters} and not measure.has("cost")
        for measure in wanted
    )


def costs(index: EarliestIndex, measure: Measure, frame: str) -> pl.Series:
    """Return C: what each update, or each nugget, costs."""
    table = index.outputs if frame == "updates" else index[frame]
    kind = str(measure.argument("cost")) or default_cost(index)
    if kind == "1":
        return pl.repeat(1.0, table.height, eager=True)
    if kind == "column":
        if "cost" not in table.columns:
            raise UsageError(f"cost=column: the {frame} have no column 'cost'")
        return table["cost"]
    texts = (index.updates if frame == "updates" else table)["text"]
    return count_words(texts, LETTERS) if kind == "words" else texts.str.len_chars().cast(float)


def reward_of(measure: Measure) -> str:
    """Return the kind of reward that a measure names."""
    return str(measure.argument("reward"))


def find_useful(index: EarliestIndex, measure: Measure) -> pl.DataFrame:
    """Return what updates cost, with the cost of those that are the earliest match of a nugget."""
    below = costs(index, measure, "updates")
    sent = index.outputs.select(*CONTRIBUTED, "update", below=below)
    is_first = pl.col("update").is_in(index["firsts"]["update"].unique().implode())
    return sent.select(*CONTRIBUTED, "below", above=pl.col("below") * is_first)


def precision(index: EarliestIndex, measure: Measure) -> ContributionResult:
    """Reward per update.

    The reward of the reported nuggets, divided by the cost of the updates; it can exceed 1.

    P(t) = sum over nuggets u with M(u).time < t of C(u) R(u) / sum over updates u with u.time < t
    of C(M(u)); P(updates) = cost of the updates before t that are the earliest match of a nugget /
    cost of the updates before t

    Undefined with no update before t, or none that costs anything.
    """
    if measure.has("updates"):
        return index.result(Contributions([find_useful(index, measure)], ratio()))
    cost = costs(index, measure, "updates")
    sent = index.outputs.select(*CONTRIBUTED, "^original$", "update", cost=cost)
    paid_for, paid = "update", sent.select("update", "cost")
    if "original" in sent.columns:
        originals = paid.rename({"update": "original"})
        sent = sent.drop("cost").join(originals, on="original", maintain_order="left")
    if measure.argument("cost-of") == "nugget":
        cost = costs(index, measure, "nuggets")
        paid_for, paid = "nugget", index["nuggets"].select("nugget", cost=cost)
    earned = index.earned(reward_of(measure)).join(paid, on=paid_for)
    earned = earned.select(*CONTRIBUTED, above=pl.col("cost") * pl.col("worth"))
    return index.result(Contributions([earned, sent.select(*CONTRIBUTED, below="cost")], ratio()))


def recall(index: EarliestIndex, measure: Measure) -> ContributionResult:
    """Recall.

    The reward of the reported nuggets, divided by that of all nuggets.

    R(t) = sum over nuggets u with M(u).time < t of R(u) / sum over nuggets of R(u)

    Undefined if the nuggets of the topic have no reward; 0 for an empty run.
    """
    said = index.earned(reward_of(measure)).select(*CONTRIBUTED, above="worth")
    gold = index.gold(reward_of(measure)).with_columns(time=pl.lit(ALWAYS))
    return index.result(Contributions([said, gold], ratio()))


def strict_recall(index: EarliestIndex, measure: Measure) -> ContributionResult:
    """Strict recall.

    Recall over the nuggets that had happened by then.

    Rs(t) = sum over nuggets u with u.time < t and M(u).time < t of R(u) / sum over nuggets u with
    u.time < t of R(u)

    Undefined before any nugget with a reward has happened.
    """
    both = pl.max_horizontal("time", "since")
    said = index.earned(reward_of(measure)).with_columns(time=both)
    said = said.select(*CONTRIBUTED, above="worth")
    return index.result(Contributions([said, index.gold(reward_of(measure))], ratio()))


def timeliness(index: EarliestIndex, measure: Measure) -> ContributionResult:
    """Timeliness.

    The mean lead of the run over the times of the nuggets that it reports; positive is early.

    T(t) = sum over nuggets u with M(u).time < t of g(u.time - M(u).time) / number of nuggets u with
    M(u).time < t

    Undefined with no nugget said before t.
    """
    firsts = index["firsts"]
    lead = (firsts["since"] - firsts["time"]).to_numpy()
    worth = pl.Series(np.asarray(advantage(measure)(lead), np.float64))
    rows = firsts.select(*CONTRIBUTED, above=worth * pl.col("rise"), below="rise")
    return index.result(Contributions([rows], ratio()))


def balance(index: EarliestIndex, measure: Measure) -> ContributionResult:
    """F measure.

    The harmonic mean of P(updates) and recall.

    F(t) = (1 + beta^2) P(updates)(t) R(t) / (beta^2 P(updates)(t) + R(t)), 0 if the denominator is
    0 or no update was sent

    Undefined if the nuggets of the topic have no reward; 0 for an empty run.
    """
    squared = read_weight(str(measure.argument("beta"))) ** 2
    useful = find_useful(index, measure).rename({"above": "useful", "below": "sent"})
    precise, complete = divided("useful", "sent", 0.0), divided("above", "below")

    def score(sums: pl.DataFrame) -> pl.DataFrame:
        above, below = (1 + squared) * precise * complete, squared * precise + complete
        value = divided(above, below, 0.0)
        return sums.with_columns(value=pl.when(complete.is_not_null()).then(value))

    return index.result(
        Contributions([useful, *recall(index, measure).contributions.tables], score)
    )


def staleness(index: EarliestIndex, _: Measure) -> ContributionResult:
    """Stale updates.

    The share of the updates that say a nugget after its end.

    stale(t) = number of updates u with u.time < t that say a nugget n with n.until < u.time /
    number of updates u with u.time < t

    Undefined with no update before t; 0 if no nugget ends.
    """
    is_stale = pl.col("update").is_in(index.stale["update"].unique().implode())
    rows = index.outputs.select(*CONTRIBUTED, above=is_stale.cast(pl.Float64), below=1.0)
    return index.result(Contributions([rows], ratio()))


def catching_up(index: EarliestIndex, _: Measure) -> ContributionResult:
    """Catch-up time.

    The mean time from a change to the first update that says the replacing nugget.

    catch-up(t) = sum over replaced nuggets n, with r the nugget that replaces n and M(r).time < t,
    of max(0, M(r).time - n.until) / number of such n

    Undefined if no replacing nugget is said before t.
    """
    replacing = index["nuggets"].select("topic", "nugget", replaced_by="nugget_id")
    ends = index["nuggets"].select("topic", "replaced_by", "until")
    changes = ends.join(replacing, on=["topic", "replaced_by"]).select("nugget", "until")
    said = index["firsts"].filter("opens").join(changes, on="nugget", maintain_order="left")
    late = (pl.col("time") - pl.col("until")).clip(0.0)
    rows = said.select(*CONTRIBUTED, above=quotient(late, UNITS["h"]), below=1.0)
    return index.result(Contributions([rows], ratio()))


def advantage(measure: Measure) -> Callable[[FloatArray], FloatArray]:
    """Return g: from how many seconds the system was ahead to what that is worth."""
    kind = measure.argument("g")
    if not isinstance(kind, str):
        return partial(increase, kind)
    name, _, inside = kind.partition("(")
    if name == "sign":
        return np.sign
    if name == "identity":
        return lambda lead: lead / UNITS[str(measure.argument("unit"))]
    scale = read_scale(inside)
    if name == "logistic":
        return lambda lead: np.exp(-np.logaddexp(0, -lead / scale))  # 1 / (1 + e^-x), stably
    return lambda lead: 1 - (2 / np.pi) * np.arctan(-lead / scale)


def read_scale(inside: str) -> float:
    """Return the scale in `logistic(scale=6h)`, 6 hours where none is given."""
    name, _, value = inside.removesuffix(")").partition("=")
    try:
        scale = duration(value if name else DEFAULT_SCALE)
    except NotANumber as error:
        raise MeasureError(f"scale: {error}") from None
    if name not in ("", "scale") or scale <= 0:
        raise MeasureError(f"g takes (scale=LENGTH OF TIME above 0), not ({inside}")
    return scale


def increase(function: Callable[..., Any], lead: FloatArray) -> FloatArray:
    """Return what a user's function gives, which may not fall and must be finite numbers."""
    met, place = np.unique(lead, return_inverse=True)
    values = np.asarray(function(met), np.float64)
    if values.shape != met.shape or not np.isfinite(values).all():
        raise UsageError(f"g={function.__name__} must give a finite number for every value")
    if (np.diff(values) < 0).any():
        raise UsageError(f"g={function.__name__} is not increasing on the values it meets")
    return values[place]


def check_precision(arguments: Mapping[str, Argument]) -> None:
    """Refuse arguments that have no meaning together."""
    if "updates" in arguments and ("cost-of" in arguments or "reward" in arguments):
        raise MeasureError("P(updates) counts updates: reward and cost-of have no meaning in it")


def check_timeliness(arguments: Mapping[str, Argument]) -> None:
    """Refuse arguments that have no meaning together."""
    kind = arguments.get("g", "identity")
    if not isinstance(kind, str):
        return
    name, bracket, inside = kind.partition("(")
    if "unit" in arguments and name != "identity":
        raise MeasureError(f"unit has no meaning with g={kind}: it belongs to g=identity")
    if bracket and name in ("identity", "sign"):
        raise MeasureError(f"g={name} takes no scale")
    if bracket:
        read_scale(inside)


# The track.


AMOUNTS = {
    "counts": ("count", "sampled", "weight"),
    "words": ("verbosity", "weighted_verbosity"),
    "gains": (
        *("found", "gain", "latency_gain", "discount"),
        *("weighted_gain", "weighted_latency_gain", "weighted_discount"),
    ),
}
"""What is added up, by the frame of the index in which it stands."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SumResult(ContributionResult):
    """A measure of sums that many measures share, which are added up once."""

    index: EarliestIndex
    frames: tuple[str, ...]
    """The frames of the index that the amounts stand in."""
    adds_up: ClassVar[bool] = False
    """The sums of a track's measure depend on all updates of a run."""

    def values_at(self, times: FloatArray) -> pl.DataFrame:
        """The value of each unit and its sums, from the contributions dated before its time."""
        sums = [self.index.sums(name, self.limits(times)) for name in self.frames]
        every = sums[0].hstack([each for rest in sums[1:] for each in rest.drop(KEY)])
        return self.contributions.score(every)


@dataclass(frozen=True)
class Totals:
    """The sums of a measure as expressions, by the rules."""

    rules: Rules
    is_biased: bool

    def amount(self, name: str) -> pl.Expr:
        """A sum, with every update by its weight in a confidence-biased measure."""
        if not self.is_biased:
            return pl.col(name)
        weighted = pl.col(f"weighted_{name}")
        return weighted if self.rules.weights == "plain" else divided(weighted, "weight", 0.0)

    def divided(self, above: pl.Expr, below: str | pl.Expr) -> pl.Expr:
        """A quotient; with nothing to divide by it is undefined, or 0, as the rules say."""
        return divided(above, below, 0.0 if self.rules.empty == "zero" else None)


def expected_gain(totals: Totals, gain: str = "gain") -> pl.Expr:
    """Expected gain.

    The reward of the reported nuggets, divided by the verbosity of the updates.

    EG = sum of R(n) over nuggets found / sum of V(u) over updates

    Undefined with no update before t; 0 with the rule empty=zero.
    """
    return totals.divided(totals.amount(gain), "verbosity")


def normalised_gain(totals: Totals, gain: str = "gain") -> pl.Expr:
    """Normalised expected gain.

    Expected gain, divided by the largest gain of as many updates.

    nEG = EG / Z, Z = mean of the k largest R(n), k = min(nuggets, updates)

    Undefined with no update before t; 0 with the rule empty=zero; undefined if no nugget has a
    reward.
    """
    return totals.divided(expected_gain(totals, gain), "best")


def expected_latency_gain(totals: Totals) -> pl.Expr:
    """Expected latency gain.

    Expected gain, with each nugget discounted by its latency.

    ELG = sum of R(n) L(n.t, u.t) over nuggets found / sum of V(u) over updates, L = 1 - (2/pi)
    arctan((u.t - n.t) / 6h)

    Undefined with no update before t; 0 with the rule empty=zero.
    """
    return expected_gain(totals, "latency_gain")


def normalised_latency_gain(totals: Totals) -> pl.Expr:
    """Normalised expected latency gain.

    Expected latency gain, divided by the largest gain of as many updates.

    nELG = ELG / Z, Z = mean of the k largest R(n), undiscounted, k = min(nuggets, updates)

    Undefined with no update before t; 0 with the rule empty=zero; undefined if no nugget has a
    reward.
    """
    return normalised_gain(totals, "latency_gain")


def comprehensiveness(totals: Totals, gain: str = "gain") -> pl.Expr:
    """Comprehensiveness.

    The reward of the reported nuggets, divided by that of all nuggets.

    C = sum of R(n) over nuggets found / sum of R(n) over all nuggets

    Undefined if the topic's nuggets have no reward; 0 for an empty run.
    """
    return totals.divided(totals.amount(gain), "rewards")


def latency_comprehensiveness(totals: Totals) -> pl.Expr:
    """Latency comprehensiveness.

    Comprehensiveness, with each nugget discounted by its latency.

    LC = sum of R(n) L(n.t, u.t) over nuggets found / sum of R(n) over all nuggets

    Undefined if the topic's nuggets have no reward; 0 for an empty run.
    """
    return comprehensiveness(totals, "latency_gain")


def harmonic_mean(totals: Totals) -> pl.Expr:
    """Harmonic mean of nELG and LC.

    The harmonic mean of nELG and LC, the track's target measure.

    HM = 2 nELG LC / (nELG + LC), 0 if the denominator is 0

    0 for an empty run; undefined if no nugget has a reward.
    """
    left = normalised_latency_gain(totals).fill_null(0.0)
    right = latency_comprehensiveness(totals)
    mean = divided(2 * left * right, left + right, 0.0)
    return pl.when(right.is_not_null()).then(mean)


def mean_verbosity(totals: Totals) -> pl.Expr:
    """Verbosity.

    The mean verbosity of the updates.

    V = mean of V(u) over updates, V(u) = 1 + (words of u - words of u in a span that matches a
    nugget which u is the first to say) / mean words of a nugget

    Undefined with no update before t; 0 with the rule empty=zero.
    """
    return totals.divided(totals.amount("verbosity"), "count")


def mean_latency(totals: Totals) -> pl.Expr:
    """Latency.

    The mean latency discount: 1 on time, above 1 early, below 1 late.

    L = sum of L(n.t, u.t) over nuggets found / their number, or with the rule latency-mean=updates
    / number of updates

    Undefined with no nugget found before t; 0 with the rule empty=zero.
    """
    rules = totals.rules
    kind = rules.cb_latency_mean if totals.is_biased else rules.latency_mean
    return totals.divided(totals.amount("discount"), "found" if kind == "matches" else "count")


def count_updates(_: Totals) -> pl.Expr:
    """Number of updates.

    The number of updates that count.

    The number of updates before t, less those that the rules leave out.

    0
    """
    return pl.col("count")


def count_sampled(_: Totals) -> pl.Expr:
    """Number of sampled updates.

    The number of updates in the pool.

    The number of updates before t that are in the pool; all without a pool.

    0
    """
    return pl.col("sampled")


def sum_up(
    formula: Callable[[Totals], pl.Expr], is_biased: bool, index: EarliestIndex, _: Measure
) -> ContributionResult:
    """Return the result of a formula over the sums that it names."""
    value = formula(Totals(index.rules, is_biased))
    needed = set(value.meta.root_names()) - {"rewards"}
    needed |= {"count"} if needed & {"best", "found"} else set()
    needed |= {"weight"} if is_biased else set()
    frames = {name: sorted(needed.intersection(amounts)) for name, amounts in AMOUNTS.items()}
    frames = {name: own for name, own in frames.items() if own}
    tables = [getattr(index, name).select(*KEY, "time", *own) for name, own in frames.items()]

    def score(sums: pl.DataFrame) -> pl.DataFrame:
        known = sums.join(index.rewards, on="topic", how="left", maintain_order="left")
        if "best" in needed:
            k = pl.min_horizontal(pl.col("count").cast(pl.UInt32), "number")
            known = known.with_columns(k=k).join(
                index.best, on=["topic", "k"], how="left", maintain_order="left"
            )
            known = known.with_columns(pl.col("best").fill_null(0.0))
        return known.with_columns(value=value)

    return SumResult(Contributions(tables, score), index.pairs, index=index, frames=tuple(frames))


def cover(
    formula: Callable[[Totals], pl.Expr], is_biased: bool, index: EarliestIndex, measure: Measure
) -> ContributionResult:
    """Return C or LC, or with `area` the area under their curve."""
    if not measure.has("area"):
        return sum_up(formula, is_biased, index, measure)
    value = formula(Totals(index.rules, is_biased))
    (gain,) = {"gain", "latency_gain"}.intersection(value.meta.root_names())
    start, end = pl.col("start"), pl.col("end")
    gains = index.gains.select(*KEY, "time", gain).join(index.times, on="topic")
    share = divided(end - pl.col("time").clip(start, end), end - start, 0.0)
    gains = gains.select(*KEY, "time", pl.col(gain) * share)
    topics = index.rewards.join(index.times, on="topic")

    def score(sums: pl.DataFrame) -> pl.DataFrame:
        known = sums.join(topics, on="topic", how="left", maintain_order="left")
        return known.with_columns(value=pl.when(end > start).then(value))

    over = "the area is that of the whole period"
    return ContributionResult(Contributions([gains], score), index.pairs, undivided=over)


GAINED, WORDED = ("reward", "empty"), ("lengths", "words")
NO_BOUND = "0 to infinity: one update may find many nuggets"


def define_track(
    name: str,
    formula: Callable[..., pl.Expr],
    span: str,
    reads: tuple[str, ...],
    *,
    is_biased: bool = False,
    take: Callable[..., ContributionResult] = sum_up,
    **more: Any,
) -> Definition:
    """Return the definition of a measure of the track, or that of its confidence-biased twin."""
    account = partial(take, formula, is_biased)
    more |= {"family": FAMILY, "citation": OF_TRACK, "account": account}
    plain = documented(formula, name=name, range=span, reads=reads, **more)
    if not is_biased:
        return plain
    biased_reads = tuple(each.replace("latency-mean", "cb-latency-mean") for each in reads)
    return replace(
        plain,
        name=f"cb{name}",
        title=f"confidence-biased {plain.title}",
        summary=f"{plain.summary}, weighted by confidence",
        formula=f"{plain.formula}, each update's share by the weight that its confidence gives it",
        range=span if name != "V" else "0 to infinity: the weights divide it",
        parameters=(),
        reads=(*biased_reads, "confidence", "weights"),
    )


def define_gains(*, is_biased: bool) -> Iterator[Definition]:
    """Yield the definitions of the track's measures, or of their confidence-biased twins."""
    define = partial(define_track, is_biased=is_biased)
    every = (*GAINED, *WORDED)
    early = "a nugget found early is worth up to twice its reward"
    yield define("EG", expected_gain, NO_BOUND, every)
    yield define("nEG", normalised_gain, NO_BOUND, every)
    yield define("ELG", expected_latency_gain, f"0 to infinity: {early}", every)
    yield define("nELG", normalised_latency_gain, f"{NO_BOUND}, and early", every)
    areas: dict[str, Any] = {"take": cover, "parameters": (AREA,)}
    yield define("C", comprehensiveness, "0 to 1", GAINED, **areas)
    yield define("LC", latency_comprehensiveness, f"0 to 2: {early}", GAINED, **areas)
    yield define("HM", harmonic_mean, "0 to 4", every)
    lower: dict[str, Any] = {"higher_is_better": False}
    yield define("V", mean_verbosity, "1 to infinity", (*WORDED, "empty"), **lower)
    span = "0 to 2; with latency-mean=updates 0 to infinity"
    yield define("L", mean_latency, span, ("latency-mean", "empty"))


define_draft = partial(documented, family=FAMILY, citation=CITATION)
DEFINITIONS = (
    define_draft(
        precision,
        name="P",
        also=("precision",),
        range="0 to infinity: one update may be the earliest match of many nuggets;"
        " P(updates) 0 to 1",
        parameters=(IN_UPDATES, COST, COST_OF, REWARD),
        check=check_precision,
    ),
    define_draft(recall, name="R", range="0 to 1", parameters=(REWARD,)),
    define_draft(strict_recall, name="Rs", range="0 to 1", parameters=(REWARD,)),
    define_draft(
        timeliness,
        name="T",
        range="-infinity to infinity with g=identity (positive is early); -1 to 1 with g=sign;"
        " 0 to 1 with g=logistic; 0 to 2 with g=arctan",
        unit="h",
        unitless_with=("g",),
        parameters=(ADVANTAGE, UNIT),
        check=check_timeliness,
    ),
    define_draft(
        balance,
        name="F",
        range="0 to 1",
        citation=OF_F,
        parameters=(BETA, COST, REWARD),
        also=("F1",),
    ),
    define_draft(
        staleness, name="stale", range="0 to 1", citation=OF_PROGRAM, higher_is_better=False
    ),
    define_draft(
        catching_up,
        name="catch-up",
        range="0 to infinity",
        unit="h",
        citation=OF_PROGRAM,
        higher_is_better=False,
    ),
    define_track("updates", count_updates, "0 to infinity", (), higher_is_better=False),
    define_track("sampled", count_sampled, "0 to infinity", ()),
    *define_gains(is_biased=False),
    *define_gains(is_biased=True),
)
"""The measures of temporal summarization."""
