"""Latency, redundancy and coverage over clusters, and the measures of the push evaluations.

McCreadie and Soboroff, TREC Incident Streams Track Proposal; Microblog 2015 and Real-Time
Summarization 2016 and 2017. `docs/clusters.md` has every rule that the proposal leaves open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

import polars as pl

from tseval.core.frames import FrameIndex
from tseval.core.kernel import ALWAYS, KEY, Contributions, divided, mean, quotient, ratio, total
from tseval.core.measure import MEAN, Definition, Measure, Parameter, documented
from tseval.core.results import ContributionResult, Taken, Values, values_of
from tseval.families.clusters.rows import DEPTH, NOT_RELEVANT, REDUNDANT, RELEVANT
from tseval.io.times import UNITS

NAME = "clusters"
PROPOSAL = "McCreadie and Soboroff, TREC Incident Streams Track Proposal"
OVERVIEW_2015 = "Lin et al., Overview of the TREC-2015 Microblog Track"
OVERVIEW_2016 = "Lin et al., Overview of the TREC 2016 Real-Time Summarization Track"
OVERVIEW_2017 = "Lin et al., Overview of the TREC 2017 Real-Time Summarization Track"
UNIT = Parameter("unit", "the unit of time", default="min", choices=("s", "min", "h"))
UNIQUE = Parameter(
    "unique",
    "each post counts once: the share of posts whose information the run had returned before",
    default="",
    flag=True,
)


def latency(index: FrameIndex, measure: Measure) -> ContributionResult:
    """Latency.

    The time from the first post of a cluster to the selected post.

    Mean over selected posts of the post's time - the time of the earliest post of its own cluster,
    both as the clusters tell them; a post without a cluster of its own counts once for each that it
    is in; `all` is over the posts of all topics (rule mean).

    Undefined with no selected post before t.
    """
    above = quotient(pl.col("delay"), UNITS[str(measure.argument("unit"))])
    scored = index["reports"].filter("scored").select(*KEY, "time", above=above, below=1.0)
    return index.result(Contributions([scored], ratio(), weight="below"))


def redundancy(index: FrameIndex, measure: Measure) -> ContributionResult:
    """Redundancy.

    The other returned posts of the selected posts' clusters, per returned post.

    Sum over selected posts of the other posts of its own cluster that the run returned / posts that
    the run returned; a post without a cluster of its own counts once for each that it is in;
    redundancy(unique) = posts in a cluster that the run had reported before / posts that the run
    returned; `all` of either adds both sums up over topics (rule mean).

    Undefined with no post returned before t.
    """
    reports, before = index["reports"], pl.col("before")
    if measure.has("unique"):
        repeats = reports.filter(before > 0).unique("post").with_columns(above=1.0)
    else:
        # One more post stands beside each that was selected before; a selected one has itself each
        # that was returned before beside it.
        earlier = pl.col("scored").cast(pl.Int64).cum_sum().over("run", "cluster")
        others = pl.when("scored").then(earlier - 1 + before).otherwise(earlier)
        repeats = reports.with_columns(above=others.cast(pl.Float64))
    tables = [repeats.select(*KEY, "time", "above"), index.outputs.select(*KEY, "time", below=1.0)]
    return index.result(Contributions(tables, ratio(), weight="below"))


def coverage(index: FrameIndex, _: Measure) -> ContributionResult:
    """Coverage.

    The share of the clusters that the run reports.

    Clusters with at least one post that the run returned before t / clusters; those made for
    selected posts count once where they hold the same posts.

    0 for an empty run; a topic without clusters has no value.
    """
    is_made = pl.col("run").is_in(index["made"]["run"].to_list())
    counts = pl.col("cluster_id") == pl.col("same_as")
    clusters = index["clusters"].select("topic", "cluster", counts=counts)
    once = pl.col("counts").filter("counts").len()
    numbers = clusters.group_by("topic").agg(every=pl.len(), once=once)
    number = pl.when(is_made).then("once").otherwise("every").cast(pl.Float64)
    gold = index.pairs.join(numbers, on="topic").select(*KEY, time=pl.lit(ALWAYS), below=number)
    first = index["reports"].filter(before=0).join(clusters.select("cluster", "counts"), "cluster")
    first = first.filter(~is_made | pl.col("counts")).select(*KEY, "time", above=1.0)
    return index.result(Contributions([first, gold], ratio()))


def take_days(value: Callable[[], pl.Expr], index: FrameIndex, _: Measure) -> Taken:
    """Return the mean over days."""
    return Taken(values_of(mean(index["days"].select(*KEY, value=value()), KEY)))


def take_sums(
    frame: str, empty: int | None, value: Callable[[], pl.Expr], index: FrameIndex, _: Measure
) -> Taken:
    """Return a value of the rows of each topic, and one of those of all topics."""
    rows, found = index.outputs if frame == "outputs" else index[frame], list[Values]()
    for by in ([*KEY], ["run"]):
        values = rows.group_by(by).agg(value=value())
        every = index.pairs.select(by).unique(maintain_order=True)
        every = every.join(values, on=by, how="left", maintain_order="left")
        found.append(values_of(every.with_columns(pl.col("value").fill_null(pl.lit(empty)))))
    units, runs = found
    return Taken(units, runs)


def on_silent_days(value: pl.Expr, variant: str, sent: str = "sent") -> pl.Expr:
    """Return a value of eventful days; the variant says what silent ones are worth."""
    worth = {
        "0": pl.lit(0.0),
        "1": (pl.col("sent") == 0).cast(pl.Float64),
        "p": 1 - quotient(pl.col(sent).cast(pl.Float64), pl.lit(float(DEPTH))),
    }
    return pl.when("eventful").then(value).otherwise(worth[variant])


def expected_gain(variant: str) -> pl.Expr:
    """Expected gain.

    The gain per pushed post; {silent}.

    Sum of the gains of the first ten posts of the day / posts of the day; {silent}; mean over days,
    then over topics.

    {empty}.
    """
    return on_silent_days(divided("gained", "sent", 0.0), variant)


def cumulative_gain(variant: str) -> pl.Expr:
    """Normalized cumulative gain.

    The gain of a day, divided by the largest possible; {silent}.

    Sum of the gains of the first ten posts of the day / the ten largest gains that the clusters of
    the day offer; {silent}; mean over days, then over topics.

    {empty}.
    """
    return on_silent_days(divided("gained", "ideal", 0.0), variant)


def expected_gain_2015() -> pl.Expr:
    """Expected latency-discounted gain.

    The gain per pushed post, discounted by its delay; the measure of 2015.

    As EG-1, where the first post of a cluster earns the largest gain of the cluster's posts of the
    day * max(0, (100 - delay) / 100), delay in whole minutes since the post's creation.

    {empty}.
    """
    return expected_gain("1")


def cumulative_gain_2015() -> pl.Expr:
    """Normalized cumulative gain, 2015.

    The discounted gain of a day, divided by the largest undiscounted; the measure of 2015.

    As nCG-1, with the gains of ELG by the undiscounted ideal.

    {empty}.
    """
    return cumulative_gain("1")


def gain_minus_pain(alpha: float) -> pl.Expr:
    """Gain minus pain.

    Gains weighted by {alpha:g}, minus useless posts weighted by {pain:g}.

    {alpha:g} * sum of the gains of the first ten posts of the day - {pain:g} * number of posts that
    earn nothing; 0 on a silent day; mean over days, then over topics.

    0 for an empty run.
    """
    return alpha * pl.col("gained") - (1 - alpha) * pl.col("pain")


def list_gain(variant: str) -> pl.Expr:
    """nDCG@10.

    The gain of a day's list, divided by the largest possible; {silent}.

    Sum over the first ten of the list of (2^gain - 1) / log2(rank + 1), by that of the best list;
    {silent}, no more than ten; mean over days, then over topics.

    {empty}.
    """
    return on_silent_days(divided("dcg", "ideal_dcg", 0.0), variant, "least")


def delay(middle: str) -> pl.Expr:
    """{online}latency, {middle}.

    The {middle} time from {since} to the push.

    {middle} over {which} of push time - {since}, in seconds; `all` is taken over the posts of all
    topics.

    0 with no such post.
    """
    seconds = pl.col("delay")
    return seconds.median() if middle == "median" else quotient(total(seconds), pl.len())


def number(name: str) -> pl.Expr:
    """Number of {what}.

    The number of {what}.

    The number of {what}; `all` is the sum over topics.

    0 for an empty run.
    """
    if name == "length":
        return total(pl.col("sent").filter("eventful"))
    if name == "unjudged":
        return pl.col("judged").filter(~pl.col("judged")).len()
    return number_of(name) if name in LABELS else pl.len()


def number_of(*says: str) -> pl.Expr:
    """Return the number of judgments that say one of these."""
    return pl.col("says").is_in(says).sum().cast(pl.Int64)


def judged_share() -> pl.Expr:
    """Live coverage.

    The share of pushed posts with a judgment.

    Judged posts / posts pushed; `all` is taken over all topics' posts.

    0 with no such post.
    """
    return divided(pl.col("judged").filter("judged").len(), pl.len())


def precision(*good: str) -> pl.Expr:
    """{name} precision.

    The share of judgments that say {good}.

    Judgments that say {good} / judgments; `all` is taken over all topics' judgments.

    0 with no judgment.
    """
    return divided(number_of(*good), number_of(*LABELS))


def utility(*good: str) -> pl.Expr:
    """{name} utility.

    Judgments that say relevant {sign} redundant - not relevant.

    Relevant {sign} redundant - not relevant; `all` is the sum over topics.

    0 with no judgment.
    """
    return 2 * number_of(*good) - number_of(*LABELS)


def define(
    name: str,
    value: Callable[..., pl.Expr],
    *arguments: Any,
    take: Callable[..., Taken] = take_days,
    words: Mapping[str, Any] = MappingProxyType({}),
    **more: Any,
) -> Definition:
    """Return the definition of a push measure, with words in the places of its docstring."""
    account = partial(take, partial(value, *arguments))
    plain = documented(value, family=NAME, account=account, **more)
    texts = {each: getattr(plain, each).format(**words) for each in TEXTS}
    return replace(plain, name=name, **texts)


def define_variants(name: str, value: Callable[[str], pl.Expr], top: str) -> Iterator[Definition]:
    """Yield the definitions of a measure of days, which differ in what silent days are worth."""
    for variant, silent in SILENT.items():
        is_below = variant == "p" and top
        limits = f"{top}: more than ten posts on a silent day give less than 0"
        yield define(
            f"{name}-{variant}",
            value,
            variant,
            words={"silent": silent, "empty": EMPTY.format(0 if variant == "0" else 1)},
            range=limits if is_below else "0 to 1",
            citation=OVERVIEW_2017 if variant == "p" else OVERVIEW_2016,
        )


def define_delays(prefix: str, **words: str) -> Iterator[Definition]:
    """Yield the definitions of the mean and the median delay."""
    for middle in ("mean", "median"):
        yield define(
            f"{prefix}latency-{middle}",
            delay,
            middle,
            take=partial(take_sums, "delays", None),
            words={"middle": middle, **words},
            range="0 to infinity",
            citation=OVERVIEW_2016,
            higher_is_better=False,
            unit="s",
        )


def define_number(name: str, value: str, frame: str, what: str) -> Definition:
    """Return the definition of a number of posts or judgments."""
    return define(
        name,
        number,
        value,
        take=partial(take_sums, frame, 0),
        words={"what": what},
        range="0 to infinity",
        citation=OVERVIEW_2016 if name == "length" else OVERVIEW_2017,
        higher_is_better=value == RELEVANT,
    )


LABELS = (RELEVANT, REDUNDANT, NOT_RELEVANT)
TEXTS = ("title", "summary", "formula", "empty_case")
SILENT = {
    "0": "0 on a silent day",
    "1": "on a silent day 1 if nothing was pushed, else 0",
    "p": "on a silent day 1 - n/10, with n posts pushed",
}
EMPTY = "an empty run earns 0 on eventful days; {} on silent ones"
of_clusters = partial(documented, family=NAME, citation=PROPOSAL)
of_2015 = partial(
    define,
    words={"empty": EMPTY.format(1)},
    range="0 to 1; above 1 only by posts pushed before their creation",
    citation=OVERVIEW_2015,
    reads=("gain",),
)
of_votes = partial(define, citation=OVERVIEW_2017)
OF_GROUPS = (
    of_clusters(
        latency,
        account=latency,
        range="0 to infinity",
        higher_is_better=False,
        unit="min",
        parameters=(UNIT,),
        reads=MEAN,
    ),
    of_clusters(
        redundancy,
        account=redundancy,
        range="0 to infinity: two selected posts of a cluster count each other;"
        " redundancy(unique) 0 to 1, never 1",
        higher_is_better=False,
        parameters=(UNIQUE,),
        reads=MEAN,
    ),
    of_clusters(coverage, account=coverage, range="0 to 1"),
)
OF_PUSHES = (
    of_2015("ELG", expected_gain_2015),
    of_2015("nCG", cumulative_gain_2015),
    *define_variants("EG", expected_gain, "below 1"),
    *define_variants("nCG", cumulative_gain, "at most 1"),
    *(
        define(
            f"GMP{alpha:g}".replace("0.", "."),
            gain_minus_pain,
            alpha,
            words={"alpha": alpha, "pain": 1 - alpha},
            range="-infinity to 10 times the weight",
            citation=OVERVIEW_2016,
        )
        for alpha in (0.33, 0.5, 0.66)
    ),
    *define_delays(
        "",
        online="",
        which="the posts that earn something",
        since="the creation of the first post of its cluster",
    ),
    define_number("length", "length", "days", "posts pushed on eventful days"),
)
OF_LISTS = tuple(define_variants("nDCG", list_gain, ""))
OF_LIVE = (
    *(
        define_number(
            f"live-{label}", label, "votes", f"judgments that say {label.replace('-', ' ')}"
        )
        for label in LABELS
    ),
    define_number("live-unjudged", "unjudged", "outputs", "posts without a judgment"),
    define_number("live-length", "sent", "outputs", "posts pushed on judged topics"),
    of_votes(
        "live-coverage", judged_share, take=partial(take_sums, "outputs", None), range="0 to 1"
    ),
    *define_delays(
        "live-", online="online ", which="the judged posts", since="the creation of the post"
    ),
    *(
        of_votes(
            f"live-P-{name}",
            precision,
            *good,
            take=partial(take_sums, "votes", None),
            words={"name": name, "good": " or ".join(good)},
            range="0 to 1",
        )
        for name, good in (("strict", LABELS[:1]), ("lenient", LABELS[:2]))
    ),
    *(
        of_votes(
            f"live-U-{name}",
            utility,
            *LABELS[:good],
            take=partial(take_sums, "votes", 0),
            words={"name": name, "sign": sign},
            range="-infinity to infinity",
        )
        for name, good, sign in (("strict", 1, "-"), ("lenient", 2, "+"))
    ),
)
DEFINITIONS = (*OF_GROUPS, *OF_PUSHES, *OF_LISTS, *OF_LIVE)
