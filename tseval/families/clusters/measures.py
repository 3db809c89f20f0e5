"""Latency, redundancy and coverage over clusters, and the measures of the push evaluations.

McCreadie and Soboroff, TREC Incident Streams Track Proposal; Microblog 2015 and Real-Time
Summarization 2016 and 2017. `docs/clusters.md` has every rule that the proposal leaves open.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import polars as pl

from tseval.core.contributions import ContributionResult, values_of
from tseval.core.frames import FrameIndex
from tseval.core.kernel import ALWAYS, KEY, Contributions, divided, mean, quotient, ratio, total
from tseval.core.measure import Definition, Measure, Parameter
from tseval.core.pools import MEAN
from tseval.core.results import Taken, Values
from tseval.families.clusters.rows import DEPTH, NOT_RELEVANT, REDUNDANT, RELEVANT
from tseval.tables.times import UNITS

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
    """Return the mean delay of the selected posts, each counted when the run returned it."""
    above = quotient(pl.col("delay"), UNITS[str(measure.argument("unit"))])
    scored = index["reports"].filter("scored").select(*KEY, "time", above=above, below=1.0)
    return index.result(Contributions([scored], ratio(), weight="below"))


def redundancy(index: FrameIndex, measure: Measure) -> ContributionResult:
    """Return the posts that repeat, by the posts returned.

    One more post of a cluster stands beside each post selected there before; if it is selected
    itself, each that the run returned before stands beside it, too.
    """
    reports, scored, before = index["reports"], pl.col("scored"), pl.col("before")
    if measure.has("unique"):
        repeats = reports.filter(before > 0).unique("post").with_columns(above=1.0)
    else:
        earlier = scored.cast(pl.Int64).cum_sum().over("run", "cluster")
        others = pl.when("scored").then(earlier - 1 + before).otherwise(earlier)
        repeats = reports.with_columns(above=others.cast(pl.Float64))
    tables = [repeats.select(*KEY, "time", "above"), index.outputs.select(*KEY, "time", below=1.0)]
    return index.result(Contributions(tables, ratio(), weight="below"))


def coverage(index: FrameIndex, _: Measure) -> ContributionResult:
    """Return the clusters with a post of the run, by all clusters of the topic.

    For runs for whose posts they were made, clusters of the same posts count once.
    """
    is_made = pl.col("run").is_in(index["made"]["run"].to_list())
    counts = pl.col("cluster_id") == pl.col("same_as")
    clusters = index["clusters"].select("topic", "cluster", counts=counts)
    numbers = clusters.group_by("topic").agg(
        every=pl.len(), once=pl.col("counts").filter("counts").len()
    )
    number = pl.when(is_made).then("once").otherwise("every").cast(pl.Float64)
    gold = index.pairs.join(numbers, on="topic").select(*KEY, time=pl.lit(ALWAYS), below=number)
    first = index["reports"].filter(before=0).join(clusters.select("cluster", "counts"), "cluster")
    first = first.filter(~is_made | pl.col("counts")).select(*KEY, "time", above=1.0)
    return index.result(Contributions([first, gold], ratio()))


def take_days(value: Callable[[], pl.Expr], index: FrameIndex, _: Measure) -> Taken:
    """Return the mean over days."""
    return Taken(values_of(mean(index["days"].select(*KEY, value=value()), KEY)))


def take_sums(
    frame: str, value: Callable[[], pl.Expr], empty: int | None, index: FrameIndex, _: Measure
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
    """Return a value of eventful days; what silent ones are worth is the variant's."""
    worth = {
        "0": pl.lit(0.0),
        "1": (pl.col("sent") == 0).cast(pl.Float64),
        "p": 1 - quotient(pl.col(sent).cast(pl.Float64), pl.lit(float(DEPTH))),
    }
    return pl.when("eventful").then(value).otherwise(worth[variant])


def expected_gain(variant: str) -> pl.Expr:
    """Return EG: the gains by the number of posts."""
    return on_silent_days(divided("gained", "sent", 0.0), variant)


def cumulative_gain(variant: str) -> pl.Expr:
    """Return nCG: the gains by the largest possible."""
    return on_silent_days(divided("gained", "ideal", 0.0), variant)


def list_gain(variant: str) -> pl.Expr:
    """Return the gain of the daily lists by rank: nDCG at ten."""
    return on_silent_days(divided("dcg", "ideal_dcg", 0.0), variant, "least")


def gain_minus_pain(alpha: float) -> pl.Expr:
    """Return GMP: gains against posts that earn nothing."""
    return alpha * pl.col("gained") - (1 - alpha) * pl.col("pain")


def length() -> pl.Expr:
    """Return the posts of eventful days, in all."""
    return total(pl.col("sent").filter("eventful"))


def mean_delay() -> pl.Expr:
    """Return the mean delay."""
    return quotient(total(pl.col("delay")), pl.len())


def median_delay() -> pl.Expr:
    """Return the median delay."""
    return pl.col("delay").median()


def number_of(*says: str) -> pl.Expr:
    """Return the number of judgments that say one of these."""
    return pl.col("says").is_in(says).sum()


def precision(*good: str) -> pl.Expr:
    """Return the share of the judgments that are in a post's favour."""
    return divided(number_of(*good), number_of(RELEVANT, REDUNDANT, NOT_RELEVANT))


def utility(*good: str) -> pl.Expr:
    """Return the judgments in a post's favour, less those against it."""
    every = number_of(RELEVANT, REDUNDANT, NOT_RELEVANT).cast(pl.Int64)
    return 2 * number_of(*good).cast(pl.Int64) - every


def sent() -> pl.Expr:
    """Return the number of posts pushed on judged topics."""
    return pl.len()


def unjudged() -> pl.Expr:
    """Return the number of posts without a judgment."""
    return pl.col("judged").filter(~pl.col("judged")).len()


def judged_share() -> pl.Expr:
    """Return the judged posts by all."""
    return divided(pl.col("judged").filter("judged").len(), pl.len())


measure_of = partial(Definition, family=NAME)
SILENT = {
    "0": "0 on a silent day",
    "1": "on a silent day 1 if nothing was pushed, else 0",
    "p": "on a silent day 1 - n/10, with n posts pushed",
}
DAYS = "mean over days, then over topics"
EMPTY_SILENT = {
    variant: f"an empty run earns 0 on eventful days; {worth} on silent ones"
    for variant, worth in (("0", 0), ("1", 1), ("p", 1))
}
NO_POSTS = "0 with no such post"
"""Every edition has the rule `no-posts=zero`."""
OF_2015: dict[str, Any] = {
    "empty_case": EMPTY_SILENT["1"],
    "range": "0 to 1; above 1 only by posts pushed before their creation",
    "citation": OVERVIEW_2015,
    "reads": ("gain",),
}


def define_variants(
    name: str, title: str, summary: str, formula: str, value: Callable[[str], pl.Expr], top: str
) -> tuple[Definition, ...]:
    """Return the definitions of a measure of days, which differ in what silent days are worth."""
    return tuple(
        measure_of(
            name=f"{name}-{variant}",
            title=title,
            summary=f"{summary}; {silent}",
            formula=formula.format(silent=silent),
            empty_case=EMPTY_SILENT[variant],
            range=f"{top}: more than ten posts on a silent day give less than 0"
            if variant == "p" and top
            else "0 to 1",
            citation=OVERVIEW_2017 if variant == "p" else OVERVIEW_2016,
            account=partial(take_days, partial(value, variant)),
        )
        for variant, silent in SILENT.items()
    )


def define_delays(prefix: str, of: str, which: str, since: str) -> tuple[Definition, ...]:
    """Return the definitions of the mean and the median delay."""
    return tuple(
        measure_of(
            name=f"{prefix}latency-{name}",
            title=f"{of}latency, {name}",
            summary=f"the {name} time from {since} to the push",
            formula=(
                f"{name} over {which} of push time - {since}, in seconds;"
                " `all` is taken over the posts of all topics"
            ),
            empty_case=NO_POSTS,
            range="0 to infinity",
            citation=OVERVIEW_2016,
            account=partial(take_sums, "delays", value, None),
            higher_is_better=False,
            unit="s",
        )
        for name, value in (("mean", mean_delay), ("median", median_delay))
    )


def define_number(
    name: str, title: str, frame: str, value: Callable[[], pl.Expr], *, is_good: bool = False
) -> Definition:
    """Return the definition of a number of posts or judgments."""
    return measure_of(
        name=name,
        title=title,
        summary=f"how many {title} there are",
        formula=f"the number of {title}; `all` is the sum over topics",
        empty_case="0 for an empty run",
        range="0 to infinity",
        citation=OVERVIEW_2017 if name.startswith("live-") else OVERVIEW_2016,
        account=partial(take_sums, frame, value, 0),
        higher_is_better=is_good,
    )


OF_GROUPS = (
    measure_of(
        name="latency",
        title="latency",
        summary="how long after the first post of its cluster a selected post was made",
        formula=(
            "mean over selected posts of the post's time - the time of the earliest post of its"
            " own cluster, both as the clusters tell them; a post without a cluster of its own"
            " counts once for each that it is in; `all` is over the posts of all topics (rule mean)"
        ),
        empty_case="undefined with no selected post before t",
        range="0 to infinity",
        citation=PROPOSAL,
        account=latency,
        higher_is_better=False,
        unit="min",
        parameters=(UNIT,),
        reads=MEAN,
    ),
    measure_of(
        name="redundancy",
        title="redundancy",
        summary="how often what was returned had other posts of the run beside it",
        formula=(
            "sum over selected posts of the other posts of its own cluster that the run returned /"
            " posts that the run returned; a post without a cluster of its own counts once for each"
            " that it is in;"
            " redundancy(unique) = posts in a cluster that the run had reported before / posts that"
            " the run returned; `all` of either adds both sums up over topics (rule mean)"
        ),
        empty_case="undefined with no post returned before t",
        range="0 to infinity: two selected posts of a cluster count each other;"
        " redundancy(unique) 0 to 1, never 1",
        citation=PROPOSAL,
        account=redundancy,
        higher_is_better=False,
        parameters=(UNIQUE,),
        reads=MEAN,
    ),
    measure_of(
        name="coverage",
        title="coverage",
        summary="how many of the clusters the run reported at all",
        formula=(
            "clusters with at least one post that the run returned before t / clusters; those made"
            " for selected posts count once where they hold the same posts"
        ),
        empty_case="0 for an empty run; a topic without clusters has no value",
        range="0 to 1",
        citation=PROPOSAL,
        account=coverage,
    ),
)
OF_PUSHES = (
    measure_of(
        name="ELG",
        title="expected latency-discounted gain",
        summary="the gain of a post pushed, less the later it was; the measure of 2015",
        formula=(
            "as EG-1, where the first post of a cluster earns the largest gain of the cluster's"
            " posts of the day * max(0, (100 - delay) / 100), delay in whole minutes since the"
            " post's creation"
        ),
        account=partial(take_days, partial(expected_gain, "1")),
        **OF_2015,
    ),
    measure_of(
        name="nCG",
        title="normalized cumulative gain, 2015",
        summary="the discounted gain of a day by the largest undiscounted; the measure of 2015",
        formula="as nCG-1, with the gains of ELG by the undiscounted ideal",
        account=partial(take_days, partial(cumulative_gain, "1")),
        **OF_2015,
    ),
    *define_variants(
        "EG",
        "expected gain",
        "the gain of a post pushed",
        "sum of the gains of the first ten posts of the day / posts of the day; {silent}; " + DAYS,
        expected_gain,
        "below 1",
    ),
    *define_variants(
        "nCG",
        "normalized cumulative gain",
        "the gain of a day by the largest possible",
        "sum of the gains of the first ten posts of the day / the ten largest gains that the"
        " clusters of the day offer; {silent}; " + DAYS,
        cumulative_gain,
        "at most 1",
    ),
    *(
        measure_of(
            name=f"GMP{alpha:g}".replace("0.", "."),
            title="gain minus pain",
            summary=f"gains weighted by {alpha:g} against useless posts weighted by {1 - alpha:g}",
            formula=(
                f"{alpha:g} * sum of the gains of the first ten posts of the day"
                f" - {1 - alpha:g} * number of posts that earn nothing; 0 on a silent day; {DAYS}"
            ),
            empty_case="0 for an empty run",
            range="-infinity to 10 times the weight",
            citation=OVERVIEW_2016,
            account=partial(take_days, partial(gain_minus_pain, alpha)),
        )
        for alpha in (0.33, 0.5, 0.66)
    ),
    *define_delays(
        "",
        "",
        "the posts that earn something",
        "the creation of the first post of its cluster",
    ),
    define_number("length", "posts pushed on eventful days", "days", length),
)
OF_LISTS = define_variants(
    "nDCG",
    "nDCG@10",
    "the gain of a day's list by rank, by the largest possible",
    "sum over the first ten of the list of (2^gain - 1) / log2(rank + 1), by that of the"
    " best list; {silent}, no more than ten; " + DAYS,
    list_gain,
    "",
)
OF_LIVE = (
    *(
        define_number(
            f"live-{says}",
            f"judgments that say {says.replace('-', ' ')}",
            "votes",
            partial(number_of, says),
            is_good=says == RELEVANT,
        )
        for says in (RELEVANT, REDUNDANT, NOT_RELEVANT)
    ),
    define_number("live-unjudged", "posts without a judgment", "outputs", unjudged),
    define_number("live-length", "posts pushed on judged topics", "outputs", sent),
    measure_of(
        name="live-coverage",
        title="live coverage",
        summary="the share of the posts pushed that have a judgment",
        formula="judged posts / posts pushed; `all` is taken over all topics' posts",
        empty_case=NO_POSTS,
        range="0 to 1",
        citation=OVERVIEW_2017,
        account=partial(take_sums, "outputs", judged_share, None),
    ),
    *define_delays("live-", "online ", "the judged posts", "the creation of the post"),
    *(
        measure_of(
            name=f"live-P-{name}",
            title=f"{name} precision",
            summary=f"the share of judgments that say {' or '.join(good)}",
            formula=f"judgments that say {' or '.join(good)} / judgments; `all` is taken over all"
            " topics' judgments",
            empty_case="0 with no judgment",
            range="0 to 1",
            citation=OVERVIEW_2017,
            account=partial(take_sums, "votes", partial(precision, *good), None),
        )
        for name, good in (("strict", (RELEVANT,)), ("lenient", (RELEVANT, REDUNDANT)))
    ),
    *(
        measure_of(
            name=f"live-U-{name}",
            title=f"{name} utility",
            summary=f"judgments that say relevant {sign} redundant - not relevant",
            formula=f"relevant {sign} redundant - not relevant; `all` is the sum over topics",
            empty_case="0 with no judgment",
            range="-infinity to infinity",
            citation=OVERVIEW_2017,
            account=partial(take_sums, "votes", partial(utility, *good), 0),
        )
        for name, sign, good in (
            ("strict", "-", (RELEVANT,)),
            ("lenient", "+", (RELEVANT, REDUNDANT)),
        )
    ),
)
DEFINITIONS = (*OF_GROUPS, *OF_PUSHES, *OF_LISTS, *OF_LIVE)
