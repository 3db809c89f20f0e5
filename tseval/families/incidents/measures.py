"""The measures of incident streams: each adds up what posts come to, by unit and by type.

A unit is what posts have in common: a run and an event, a batch of these, or a run alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tseval.core.kernel import divided, mean, part, quotient, sums_as_floats, total
from tseval.core.measure import Definition, Measure, Parameter, documented
from tseval.core.results import Groups, Taken, Values, values_of
from tseval.errors import MeasureError
from tseval.families.incidents.files import CRITICAL, HIGH, LOW, UNKNOWN
from tseval.families.incidents.rows import PRIORITIES, Stream, full_names, place_of
from tseval.families.incidents.rules import (
    FAMILY,
    LABELLING,
    NOTE,
    PAGE_2018,
    TRACK_2021,
    TYPING,
)

if TYPE_CHECKING:
    from tseval.arrays import FloatArray, IntArray
    from tseval.core.measure import Argument

GROUPS = (
    Parameter("actionable", "over the types that call for action alone", "", flag=True),
    Parameter("other", "over the other types alone", "", flag=True),
)
IRRELEVANT, UNSORTED = "Other-Irrelevant", "Other-Unknown"
"""The types that say a post is of no use."""
BOUNDS = (0.25, 0.5, 0.75)
"""A priority above the first is Medium, above the second High, above the third Critical."""
SHUFFLES = 100
KEY = ("unit", "type")


def check_groups(arguments: Mapping[str, Argument]) -> None:
    """Refuse types that are both actionable and not."""
    if len(arguments) > 1:
        raise MeasureError("choose (actionable) or (other), not both")


def values_at(frame: pl.DataFrame, size: int, at: str = "unit") -> Values:
    """Return the column `value` at its places of so many; the others are undefined."""
    none, frame = pl.repeat(None, size, dtype=pl.Float64, eager=True), frame.drop_nulls(at)
    return values_of(none.scatter(frame[at], frame["value"]).to_frame("value"))


def level_of(priority: pl.Expr) -> pl.Expr:
    """Return the level that a priority stands for."""
    above = (priority > bound for bound in BOUNDS)
    return LOW + pl.sum_horizontal(each.cast(pl.Int64) for each in above)


# Types of posts.


def confusion(stream: Stream, posts: pl.DataFrame) -> pl.DataFrame:
    """Return for every unit and type the posts that have it, by the run, the labels and both."""
    truth, asked = stream["truth"], stream.frames.get("asked")
    each = posts.select("unit", "j", "coded")
    true, given = each.join(truth, on="j"), each.join(stream["given"], on="coded")
    kinds = pl.DataFrame({"type": stream.types}, schema={"type": truth.schema["type"]})
    counts = each.group_by("unit").len("posts").join(kinds, how="cross")
    rows = {"given": given, "true": true}
    if asked is not None:
        rows["given"] = given = given.join(asked, on=["j", "type"], how="semi")
        rows["posts"], counts = each.join(asked, on="j"), counts.drop("posts")
    rows["both"] = given.join(truth, on=["j", "type"], how="semi")
    for name, of in rows.items():
        counts = counts.join(of.group_by(KEY).len(name), on=KEY, how="left")
    numbers = pl.col("given", "true", "both", "posts")
    return counts.with_columns(numbers.fill_null(0).cast(pl.Int64))


PRECISION = divided("both", "given", empty=0.0)
"""TP / (TP + FP), 0 where that is 0/0."""
RECALL = divided("both", "true", empty=0.0)
"""TP / (TP + FN), 0 where that is 0/0."""
F1 = divided(2 * pl.col("both"), pl.col("given") + pl.col("true"), empty=0.0)
"""2 TP / (2 TP + FP + FN), 0 where that is 0/0."""
WRONG = pl.col("given") + pl.col("true") - 2 * pl.col("both")
ACCURACY = divided(pl.col("posts") - WRONG, pl.col("posts"), empty=0.0)
"""(TP + TN) / posts, 0 where that is 0/0."""


def mean_of_types(
    stream: Stream,
    measure: Measure,
    values: pl.DataFrame,
    *,
    of_defined: bool,
    without: str | None = None,
) -> pl.DataFrame:
    """Return the mean over the types of a measure, which leaves out what is undefined.

    Or counts it as 0: then the mean is undefined where all types are.
    """
    members = [name for name in stream.members(measure) if name != without]
    divisor = len(members)
    if measure.has("actionable") and stream.rules.actionable_mean == "named":
        divisor = len(stream.rules.actionable) - (without in stream.actionable)
    own = pl.col("value").filter(pl.col("type").is_in(members))
    among = own if of_defined or without is not None else pl.col("value")
    by = own.count().cast(pl.Float64) if of_defined else pl.lit(float(divisor)).first()
    sums = values.group_by("unit").agg(sum=total(own), by=by, number=among.count())
    is_defined = (pl.col("number") > 0) & (divisor > 0)
    return sums.select(
        "unit", value=pl.when(is_defined).then(quotient(pl.col("sum"), pl.col("by")))
    )


def account_types(of: pl.Expr, stream: Stream, measure: Measure) -> Taken:
    """Return a measure of one type against all others, as the mean over types."""
    counts = list(stream.add_up(confusion))
    if stream.rules.types_of_event == "labelled":
        # As if the run gave them to all posts: by any measure it is 0.
        given = pl.when(pl.col("true") > 0).then("given").otherwise("posts")
        counts[0] = counts[0].with_columns(given)
    is_defined, of_defined = pl.col("posts") > 0, "asked" in stream.frames

    def average(of: pl.Expr, each: pl.DataFrame) -> pl.DataFrame:
        values = each.select(*KEY, value=pl.when(is_defined).then(of))
        return mean_of_types(stream, measure, values, of_defined=of_defined)

    means = [average(of, each) for each in counts]
    if of is F1 and stream.rules.f1_mean == "averages":
        one, other = pl.col("value"), pl.col("other")
        mean = pl.when(one.is_not_null()).then(divided(2 * one * other, one + other, empty=0.0))
        for at, each in enumerate(counts):
            recall = average(RECALL, each).rename({"value": "other"})
            means[at] = average(PRECISION, each).join(recall, on="unit").select("unit", value=mean)
    types = counts[1].select(*KEY, value=pl.when(is_defined).then(of))
    return take(stream, means, types, stream.members(measure))


def take(
    stream: Stream,
    values: Iterable[pl.DataFrame],
    types: pl.DataFrame | None = None,
    members: Sequence[str] = (),
) -> Taken:
    """Return a measure by its values of units, of runs, and of the types of runs."""
    number, kinds, groups = len(stream.runs), len(stream.types), None
    units, runs = values
    if types is not None:
        at = pl.col("unit").cast(pl.Int64) * kinds + place_of("type")
        flat = values_at(types.select("value", at=at), number * kinds, "at")
        of_types = Values(flat.value.reshape(-1, kinds), flat.defined.reshape(-1, kinds))
        groups = Groups(of_types, np.isin(stream.types, members))
    return Taken(values_at(units, stream.size), values_at(runs, number), groups)


def take_score(
    stream: Stream,
    add_up: Callable[[Stream, pl.DataFrame], pl.DataFrame],
    value: pl.Expr,
    *amounts: str,
) -> Taken:
    """Return a measure that is a score of sums, by unit and by run."""
    floats = (sums_as_floats(each, amounts) for each in stream.add_up(add_up))
    return take(stream, (each.select("unit", value=value) for each in floats))


def any_confusion(stream: Stream, posts: pl.DataFrame) -> pl.DataFrame:
    """Return for every unit the posts with a hit, with a claim, and to be found, of any type.

    Without refusals every labelled post is to be found. With them a post that the run rightly
    refuses is a true negative, and a post that it wrongly refuses is a false negative.
    """
    rules, known = stream.rules, full_names(stream.types, renamed=False)
    useless = [known[name] for name in (IRRELEVANT, UNSORTED) if name in known]
    each, true = posts.select("unit", "j", "coded"), stream["truth"].with_columns(match=True)
    said = each.join(stream["given"], on="coded").join(true, on=["j", "type"], how="left")
    is_useless = pl.col("type").is_in(useless) & (rules.refusals == "on")
    said = said.group_by("unit", "j").agg(
        refused=is_useless.any(), match=pl.col("match").any(), typed=True
    )
    rows = each.join(said, on=["unit", "j"], how="left")
    refused, match, typed = (
        pl.col(name).fill_null(value=False) for name in ("refused", "match", "typed")
    )
    hit = match & ~refused
    claimed = ~refused & (typed | (rules.any_untyped == "wrong"))
    sought = hit | ~(refused & match) & (~claimed | (rules.any_wrong == "both"))
    counts = {"given": claimed, "true": sought, "both": hit, "wrong": ~match}
    sums = {name: each.cast(pl.Int64).sum() for name, each in counts.items()}
    return rows.group_by("unit").agg(**sums, posts=pl.len().cast(pl.Int64))


def account_any(of: pl.Expr, stream: Stream, _: Measure) -> Taken:
    """Return a measure of posts, right if any type of the run is one of the assessors'."""
    right = divided(pl.col("posts") - pl.col("wrong"), pl.col("posts"))
    return take_score(stream, any_confusion, right if of is ACCURACY else of)


# Priorities.


def known_posts(posts: pl.DataFrame) -> pl.DataFrame:
    """Return the posts of known priority."""
    known = posts.filter(pl.col("level") != UNKNOWN).select("unit", "j", "level", "scaled")
    truth = pl.col("level").replace_strict(PRIORITIES, return_dtype=pl.Float64)
    return known.with_columns(truth=truth, error=(truth - pl.col("scaled")) ** 2, posts=1.0)


def type_posts(stream: Stream, posts: pl.DataFrame) -> pl.DataFrame:
    """Return the posts of known priority once for each of their types, in the order of labels."""
    return known_posts(posts).join(stream["truth"], on="j", maintain_order="left")


def add_up_errors(stream: Stream, posts: pl.DataFrame) -> pl.DataFrame:
    """Return for every unit and type the squared errors of its posts and their number."""
    return part(type_posts(stream, posts), ["error", "posts"], KEY)


def add_up_post_errors(_: Stream, posts: pl.DataFrame) -> pl.DataFrame:
    """Return for every unit the squared errors of its posts of known priority and their number."""
    return part(known_posts(posts), ["error", "posts"], ["unit"])


def squared_error(stream: Stream) -> list[pl.DataFrame]:
    """Mean squared error of priorities.

    The mean squared difference between the run's and the assessors' priorities.

    Mean over types of the mean over its posts of (assessors' - run's priority)^2, with the
    assessors' Low .25, Medium .5, High .75, Critical 1.

    Undefined for a type that no labelled post has; of those, see the rule error-types.
    """
    sums = (sums_as_floats(each, ["error", "posts"]) for each in stream.add_up(add_up_errors))
    return [each.select(*KEY, value=divided("error", "posts")) for each in sums]


def post_error(stream: Stream, _: Measure) -> Taken:
    """Mean squared error of priorities over posts.

    The mean squared difference of the run's and the assessors' priorities, each post once.

    Mean over the posts of (assessors' - run's priority)^2, with the assessors' Low .25, Medium .5,
    High .75, Critical 1, whatever the types of a post.

    Undefined without labelled posts of known priority.
    """
    return take_score(stream, add_up_post_errors, divided("error", "posts"), "error", "posts")


def root_error(stream: Stream) -> list[pl.DataFrame]:
    """Root mean squared error of priorities.

    The root of the mean squared difference of the run's and the assessors' priorities.

    Mean over types of the root of the mean over its posts of (assessors' - run's priority)^2, with
    the assessors' Low .25, Medium .5, High .75, Critical 1.

    Undefined for a type that no labelled post has; of those, see the rule error-types.
    """
    squared, root = squared_error(stream), pl.col("value").sqrt()
    is_square = stream.rules.rmse == "square"
    return squared if is_square else [each.with_columns(root) for each in squared]


def add_up_levels(stream: Stream, posts: pl.DataFrame) -> pl.DataFrame:
    """Return for every unit, type and level the posts that have it, by either side or by both."""
    said = type_posts(stream, posts).with_columns(said=level_of(pl.col("scaled")))
    is_both = (pl.col("level") == pl.col("said")).cast(pl.Int64)
    sides = [
        said.select(*KEY, level=pl.col(name).cast(pl.Int64), both=is_both)
        for name in ("level", "said")
    ]
    levels = pl.concat(sides).group_by(*KEY, "level")
    return levels.agg(pl.col("both").cast(pl.Int64).sum(), either=pl.len().cast(pl.Int64))


def level_f1(stream: Stream) -> list[pl.DataFrame]:
    """F1 of priority levels.

    The mean F1 of the priority levels.

    Mean over types of the mean F1 of the levels that occur among its posts; a priority above .75
    is Critical, above .5 High, above .25 Medium, else Low.

    Undefined for a type that no labelled post has; of those, see the rule error-types.
    """
    sums = stream.add_up(add_up_levels)
    return [mean(each.select(*KEY, value=divided("both", "either")), KEY) for each in sums]


def correlation(stream: Stream) -> list[pl.DataFrame]:
    """Correlation of priorities.

    The linear correlation of the run's priorities with the assessors'.

    Mean over types, Irrelevant left out, of Pearson's correlation over its posts.

    Undefined for a type whose posts have equal priorities; see the rule correlation.
    """
    posts = stream.posts, stream.posts.with_columns(unit=place_of("run"))
    correlate = correlate_guarded if stream.rules.correlation == "guarded" else correlate_exactly
    return [correlate(type_posts(stream, each)) for each in posts]


def correlate_exactly(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the correlation of each unit and type, whatever the order of posts."""
    x, y = pl.col("truth"), pl.col("scaled")
    means = rows.group_by(KEY).agg(
        x_mean=quotient(total(x), pl.len()),
        y_mean=quotient(total(y), pl.len()),
        varied=(x.min() < x.max()) & (y.min() < y.max()),
    )
    centred = rows.join(means, on=KEY).with_columns(x - pl.col("x_mean"), y - pl.col("y_mean"))
    sums = centred.group_by(KEY).agg(
        above=total(x * y),
        below=(total(x * x) * total(y * y)).sqrt(),
        varied=pl.col("varied").first(),
    )
    value = divided("above", "below").clip(-1.0, 1.0)
    return sums.select(*KEY, value=pl.when("varied").then(value))


def correlate_guarded(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the correlations as the script has them, which asks whether the mean deviation is 0.

    The last digit of the mean depends on the order of posts. An r that is no number is undefined.
    """
    lists = rows.group_by(KEY, maintain_order=True).agg("truth", "scaled")
    values = []
    for truth, said in zip(lists["truth"], lists["scaled"], strict=True):
        with np.errstate(divide="ignore", invalid="ignore"):
            is_even = np.average(said - np.average(said)) == 0.0
            values.append(0.0 if is_even else np.corrcoef(truth, said)[0, 1])
    return lists.select(*KEY, value=pl.Series(values, dtype=pl.Float64).fill_nan(None))


def account_priorities(
    of: Callable[[Stream], list[pl.DataFrame]], stream: Stream, measure: Measure
) -> Taken:
    """Return a measure over the posts of each type, as the mean over types."""
    members, without = stream.members(measure), ""
    if of is correlation:
        without = full_names(stream.types, renamed=False).get(IRRELEVANT, "")
    members = [name for name in members if name != without]
    values, of_defined = of(stream), stream.rules.error_types == "labelled"
    average = partial(mean_of_types, stream, measure, of_defined=of_defined, without=without)
    return take(stream, map(average, values), values[1], members)


# Ranking.


def ranking(stream: Stream, _: Measure) -> Taken:
    """NDCG of priorities.

    The discounted gain of the first 100 posts by priority, divided by the largest possible.

    Mean over events of DCG / the best DCG, over the first 100 posts by the run's level, of
    (2^s - 1) / log2(rank + 1), with s = 1 for Low to 4 for Critical; over posts of equal level the
    mean of all orders.

    0 for a run without posts; undefined for an event without labelled posts.
    """
    rules, rows = stream.rules, stream.posts
    gain = pl.when(pl.col("level") == UNKNOWN).then(0.0).otherwise(2.0 ** pl.col("level") - 1)
    units = rows.group_by("unit", maintain_order=True).agg(
        pl.col("run", "topic").first(),
        gain=gain,
        said=level_of(pl.col("scaled")),
        is_there=pl.col("i").is_not_null(),
    )
    found = []
    for unit, run, topic, gains, said, is_there in units.iter_rows():
        every, there = np.array(gains), np.array(is_there)
        ideal = discounted(np.sort(every)[::-1][: rules.depth])
        ranked = every[there], np.array(said)[there], rules.depth
        if ideal > 0 and rules.ties == "shuffled":
            seed = rules.seed, number_of(run), number_of(topic)
            found.append((unit, shuffled_gain(*ranked, seed) / ideal))
        elif ideal > 0:
            found.append((unit, expected_gain(*ranked) / ideal))
    schema = {"unit": pl.Int64, "value": pl.Float64}
    values = pl.DataFrame(found, schema=schema, orient="row")
    run = pl.col("unit").floordiv(stream.size // len(stream.runs))
    return take(stream, (values, mean(values.with_columns(run), ["unit"])))


def discounts(depth: int) -> FloatArray:
    """Return what the gain at each rank is divided by."""
    return np.log2(np.arange(2, depth + 2))


def discounted(gains: FloatArray) -> float:
    """Return the discounted sum of gains in their order."""
    return float(np.cumsum(gains / discounts(len(gains)))[-1]) if len(gains) else 0.0


def expected_gain(gain: FloatArray, level: IntArray, depth: int) -> float:
    """Return the mean over all orders of the posts of equal level, the highest level first."""
    weights = np.append(0.0, np.cumsum(1 / discounts(depth)))
    value, ranked = 0.0, 0
    for each in range(CRITICAL, UNKNOWN, -1):
        own = gain[level == each]
        if len(own):
            first, last = min(ranked, depth), min(ranked + len(own), depth)
            value += float(np.average(own) * (weights[last] - weights[first]))
            ranked += len(own)
    return value


def number_of(name: str) -> int:
    """Return a number for a name, so that a draw for one does not depend on the others."""
    return int.from_bytes(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:8])


def shuffled_gain(gain: FloatArray, level: IntArray, depth: int, seed: tuple[int, ...]) -> float:
    """Return the mean over some seeded orders."""
    random, value = np.random.default_rng(seed), 0.0
    for _ in range(SHUFFLES):
        order = random.permutation(len(gain))
        order = order[np.argsort(-level[order], kind="stable")]
        value += discounted(gain[order][:depth])
    return value / SHUFFLES


# Alerts.


def add_up_worth(stream: Stream, posts: pl.DataFrame) -> pl.DataFrame:
    """Return the sums of worth of the posts that deserve an alert and of the others.

    Beside them the number of labels of each kind, by which means are divided.
    """
    own, counts = pl.col("own_level"), stream.rules.unknown_priority != "uncounted"
    is_low = (own < HIGH) & (pl.lit(counts) | (own != UNKNOWN))
    labels = posts.group_by("unit").agg(
        high_posts=(own >= HIGH).cast(pl.Int64).sum(), low_posts=is_low.cast(pl.Int64).sum()
    )
    worth, is_high = pl.col("worth"), pl.col("is_high")
    runs = stream.worth.join(posts.select("run").unique(), on="run", how="semi")
    trail = runs.join(posts.select("run", "j", "unit"), on=["run", "j"])
    trail = trail.select(
        "unit", high=pl.when(is_high).then(worth), low=pl.when(~is_high).then(worth)
    )
    return labels.join(part(trail, ["high", "low"], ["unit"]), on="unit", how="left")


def of_high(_: Stream) -> pl.Expr:
    """Worth of due alerts.

    The mean worth of the posts of priority High or Critical.

    Mean over them of alpha + (1 - alpha) (ActC + NAct) with an alert, else -1.

    Undefined without such posts.
    """
    return divided("high", "high_posts")


def of_low(_: Stream) -> pl.Expr:
    """Worth of the other posts.

    The mean worth of the posts that deserve no alert.

    Mean over them of max(-log(delta / 2 + 1), -1) with an alert, else ActC + NAct; delta counts
    the false alerts since the last true one, so the order of posts matters.

    Undefined without such posts.
    """
    return divided("low", "low_posts")


def accumulated(stream: Stream) -> pl.Expr:
    """Accumulated alert worth.

    The mean worth of a run's decisions to alert: the mean of AAW.high and AAW.low.

    (AAW.high + AAW.low) / 2; delta counts the false alerts since the last true one, so the order
    of posts matters.

    Undefined without posts of one kind; see the rule alert-mean.
    """
    high, low = of_high(stream), of_low(stream)
    if stream.rules.alert_mean == "halves":
        return (high + low) / 2
    if stream.rules.alert_mean == "sum":
        either = high.is_not_null() | low.is_not_null()
        return pl.when(either).then((high.fill_null(0.0) + low.fill_null(0.0)) / 2)
    posts = pl.col("high_posts") + pl.col("low_posts")
    return divided(pl.col("high") + pl.col("low"), 2 * posts)


def account_worth(of: Callable[[Stream], pl.Expr], stream: Stream, _: Measure) -> Taken:
    """Return a mean of the worth of posts."""
    return take_score(stream, add_up_worth, of(stream), "high", "low")


# What they are called and what they read.

READS_TYPES = (*LABELLING, *TYPING, "emitted-from")
"""What the counts of posts and types depend on."""
READS_PRIORITIES = (
    *("levels", *LABELLING, *TYPING, "normalise", "error-types", "actionable", "actionable-mean"),
)
ALERTED = (
    "levels",
    *(*LABELLING, *TYPING, "emitted-from", "actionable", "actionable-weight", "alert-types"),
    *("alert-from", "alert-priority", "alert-posts", "normalise", "scale-bottom"),
)
"""What it depends on which posts are alerts, and what their types are worth."""
TRUST = ("order", "delta", "delta-counts", "logarithm", "epochs")
"""What the cost of a false alert depends on."""
WORTH = (*ALERTED, *TRUST, "flat-gain")
"""What the worth of posts depends on."""
PARTS = (
    ("P", "precision", "TP / (TP + FP)", PRECISION),
    ("R", "recall", "TP / (TP + FN)", RECALL),
    ("F1", "F1", "2 TP / (2 TP + FP + FN)", F1),
    ("accuracy", "accuracy", "(TP + TN) / posts", ACCURACY),
)
OF_TYPES = tuple(
    Definition(
        name=f"type.{name}",
        family=FAMILY,
        title=f"{title} of information types",
        summary=f"{title} of each type against all others, as the mean over types",
        formula=f"mean over types of {formula}, over the labelled posts of all events;"
        " within an event over its posts"
        + ("; or the F1 of mean precision and mean recall: rule f1-mean" * (of is F1)),
        empty_case="0 for a type where it would be 0/0; undefined without labelled posts, and"
        " for a type for which no post of a judged pool was judged",
        range="0 to 1",
        citation=NOTE,
        account=partial(account_types, of),
        parameters=GROUPS,
        by_group=True,
        check=check_groups,
        reads=(*READS_TYPES, "types-of-event", "type-posts", "actionable", "actionable-mean")
        + ("f1-mean",) * (of is F1),
    )
    for name, title, formula, of in PARTS
)
OF_ANY = tuple(
    Definition(
        name=f"any.{name}",
        family=FAMILY,
        title=f"{title}, any type",
        summary=f"{title} over posts; one type in common with the assessors is enough",
        formula=f"{formula}, with TP a labelled post with a type in common, FP one to which the"
        " run gives wrong types alone, FN any that is no TP, so that TP + FN are all labelled"
        " posts; the notebook of 2018 counts by the rules any-wrong, any-untyped, refusals",
        empty_case="0 where it would be 0/0; undefined without labelled posts",
        range="0 to 1",
        citation=PAGE_2018,
        account=partial(account_any, of),
        reads=(*READS_TYPES, "any-untyped", "any-wrong", "refusals"),
    )
    for name, title, formula, of in PARTS
)
define = partial(documented, family=FAMILY)
PAGE = f"{PAGE_2018}; the mean over types is that of its notebook"
OF_PRIORITIES = tuple(
    define(
        of,
        name=f"priority.{name}",
        range=values,
        citation=citation,
        account=partial(account_priorities, of),
        higher_is_better=is_higher_better,
        parameters=GROUPS,
        by_group=True,
        check=check_groups,
        reads=(*READS_PRIORITIES, *reads),
    )
    for name, of, values, citation, is_higher_better, reads in (
        ("MSE", squared_error, "0 to 1", PAGE, False, ("scale-bottom",)),
        ("RMSE", root_error, "0 to 1", NOTE, False, ("scale-bottom", "rmse")),
        ("F1", level_f1, "0 to 1", TRACK_2021, True, ()),
        ("pearson", correlation, "-1 to 1", TRACK_2021, True, ("scale-bottom", "correlation")),
    )
)
OF_POSTS = define(
    post_error,
    name="priority.MSE_posts",
    range="0 to 1",
    citation=PAGE_2018,
    higher_is_better=False,
    reads=("levels", *LABELLING, "normalise", "scale-bottom"),
)
RANKING = define(
    ranking,
    name="nDCG@100",
    title="nDCG of priorities",
    range="0 to 1",
    citation=TRACK_2021,
    reads=("levels", *LABELLING, "normalise", "ties"),
)
OF_ALERTS = tuple(
    define(
        of,
        name=name,
        range="-1 to 1",
        citation=NOTE,
        account=partial(account_worth, of),
        reads=reads,
    )
    for name, of, reads in (
        ("AAW", accumulated, (*WORTH, "alert-mean", "unknown-priority")),
        ("AAW.high", of_high, (*ALERTED, "flat-gain")),
        ("AAW.low", of_low, (*ALERTED, *TRUST, "unknown-priority")),
    )
)
DEFINITIONS = (*OF_TYPES, *OF_ANY, *OF_PRIORITIES, OF_POSTS, RANKING, *OF_ALERTS)
"""The measures of incident streams."""
