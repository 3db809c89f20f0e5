"""The push measures of Microblog 2015 and Real-Time Summarization 2016 and 2017.

They are taken per profile (topic) and day; a score is the mean over days, then over topics. What
counts, and what a post is worth, is said by the rules of an edition (`push_rules`) and worked out
in `pushes` and `live`; here stand the formulas.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.measure import Definition, Measure
from tseval.core.results import Taken, Values
from tseval.families.clusters.live import LiveIndex
from tseval.families.clusters.measures import FAMILY
from tseval.families.clusters.push_rules import NOT_RELEVANT, REDUNDANT, RELEVANT
from tseval.families.clusters.pushes import Delays, PushIndex

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

OVERVIEW_2015 = "Lin et al., Overview of the TREC-2015 Microblog Track"
OVERVIEW_2016 = "Lin et al., Overview of the TREC 2016 Real-Time Summarization Track"
OVERVIEW_2017 = "Lin et al., Overview of the TREC 2017 Real-Time Summarization Track"

GROUPS = "groups"
"""What latency, redundancy and coverage are taken from."""
PUSHES, LISTS, LIVE = "pushes", "lists", "live"
"""What a push measure is taken from: pushed posts, daily lists, live judgments."""


def _mean_of_days(by_day: FloatArray) -> Taken:
    return Taken(Values(by_day.mean(axis=1), np.ones(len(by_day), bool)))


def _silent(index: PushIndex, variant: str, clamped: bool = False) -> FloatArray:
    """What a silent day is worth."""
    if variant == "0":
        return np.zeros(index.sent.shape)
    if variant == "1":
        quiet: FloatArray = (index.sent == 0).astype(np.float64)
        return quiet
    depth = index.rules.depth
    sent = np.minimum(index.sent, depth) if clamped else index.sent
    worth: FloatArray = 1 - sent / depth
    return worth


def _quotient(above: FloatArray, below: FloatArray | IntArray) -> FloatArray:
    """0 where there is nothing to divide by."""
    result: FloatArray = np.divide(above, below, out=np.zeros_like(above), where=below > 0)
    return result


def expected_gain(variant: str, index: PushIndex, _: Measure) -> Taken:
    """EG: the gains by the number of posts."""
    gain = _quotient(index.gained, index.sent)
    return _mean_of_days(np.where(index.eventful, gain, _silent(index, variant)))


def cumulative_gain(variant: str, index: PushIndex, _: Measure) -> Taken:
    """nCG: the gains by the largest possible."""
    gain = _quotient(index.gained, index.ideal)
    return _mean_of_days(np.where(index.eventful, gain, _silent(index, variant)))


def gain_minus_pain(alpha: float, index: PushIndex, _: Measure) -> Taken:
    """GMP: gains against posts that earn nothing."""
    pain = -(1 - alpha) * index.pain
    silent = pain if index.rules.silent_pain == "counted" else 0.0
    return _mean_of_days(np.where(index.eventful, alpha * index.gained + pain, silent))


def list_gain(variant: str, index: PushIndex, _: Measure) -> Taken:
    """The gain of the daily lists by rank: nDCG at ten."""
    clamped = index.rules.silent_lists == "clamped"
    gain = _quotient(index.dcg, index.ideal_dcg)
    return _mean_of_days(np.where(index.eventful, gain, _silent(index, variant, clamped)))


def length(index: PushIndex, _: Measure) -> Taken:
    """The posts of eventful days, in all."""
    return _total(np.where(index.eventful, index.sent, 0).sum(axis=1), index.present)


def _total(counts: IntArray, shape: BoolArray) -> Taken:
    """Counts of units, and their sums over topics."""
    values = counts.astype(np.float64)
    sums = values.reshape(shape.shape).sum(axis=1)
    return Taken(Values(values, np.ones(len(values), bool)), Values(sums, np.ones(len(sums), bool)))


def delay(middle: Callable[..., FloatArray], index: PushIndex | LiveIndex, _: Measure) -> Taken:
    """The mean or median delay of the posts of a unit, and of all posts of a run."""
    delays, topics = index.delays, len(index.topics)
    zero = index.rules.no_posts == "zero"
    runs = Delays(delays.unit // max(topics, 1), delays.seconds)
    return Taken(
        _middles(delays, len(index.runs) * topics, middle, zero),
        _middles(runs, len(index.runs), middle, zero),
    )


def _middles(delays: Delays, size: int, middle: Callable[..., FloatArray], zero: bool) -> Values:
    order = np.lexsort((delays.seconds, delays.unit))
    bounds = np.searchsorted(delays.unit[order], np.arange(size + 1))
    parts = np.split(delays.seconds[order], bounds[1:-1]) if size else []
    values = np.array([float(middle(part)) if len(part) else 0.0 for part in parts], np.float64)
    return Values(values, np.diff(bounds) > 0 if not zero else np.ones(size, bool))


def said(what: str, index: LiveIndex, _: Measure) -> Taken:
    """How many judgments say this."""
    return _total(index.said[what], index.present)


def unjudged(index: LiveIndex, _: Measure) -> Taken:
    """How many posts have no judgment."""
    return _total(index.unjudged, index.present)


def live_length(index: LiveIndex, _: Measure) -> Taken:
    """How many posts were pushed on the topics of the judgments."""
    return _total(index.sent, index.present)


def live_coverage(index: LiveIndex, _: Measure) -> Taken:
    """The judged posts by all."""
    return _share(index.sent - index.unjudged, index.sent, index)


def live_precision(lenient: bool, index: LiveIndex, _: Measure) -> Taken:
    """The judgments in a post's favour by all."""
    good = index.said[RELEVANT] + (index.said[REDUNDANT] if lenient else 0)
    return _share(
        good, index.said[RELEVANT] + index.said[REDUNDANT] + index.said[NOT_RELEVANT], index
    )


def live_utility(lenient: bool, index: LiveIndex, _: Measure) -> Taken:
    """The judgments in a post's favour, less those against it."""
    redundant = index.said[REDUNDANT] if lenient else -index.said[REDUNDANT]
    return _total(index.said[RELEVANT] + redundant - index.said[NOT_RELEVANT], index.present)


def _share(above: IntArray, below: IntArray, index: LiveIndex) -> Taken:
    """A share for each unit, and that of the sums for each run."""
    zero = index.rules.no_posts == "zero"
    shape = index.present.shape
    sums = above.reshape(shape).sum(axis=1), below.reshape(shape).sum(axis=1)
    return Taken(_shares(above, below, zero), _shares(*sums, zero))


def _shares(above: IntArray, below: IntArray, zero: bool) -> Values:
    value = _quotient(above.astype(np.float64), below)
    return Values(value, np.ones(len(value), bool) if zero else below > 0)


SILENT = {
    "0": "0 on a silent day",
    "1": "on a silent day 1 if nothing was pushed, else 0",
    "p": "on a silent day 1 - n/10, with n posts pushed",
}
DAYS = "mean over days, then over topics"
EMPTY_DAYS = "an empty run earns 0 on eventful days; "
EMPTY_SILENT = {"0": "0 on silent ones", "1": "1 on silent ones", "p": "1 on silent ones"}
NO_POSTS = "0 with no such post"
"""Every edition has the rule `no-posts=zero`."""


def _gain_definition(variant: str) -> Definition:
    return Definition(
        name=f"EG-{variant}",
        family=FAMILY,
        title="expected gain",
        summary=f"the gain of a post pushed; {SILENT[variant]}",
        formula=(
            "sum of the gains of the first ten posts of the day / posts of the day; "
            f"{SILENT[variant]}; {DAYS}"
        ),
        empty_case=EMPTY_DAYS + EMPTY_SILENT[variant],
        range="0 to 1"
        if variant != "p"
        else "below 1: more than ten posts on a silent day give less than 0",
        citation=OVERVIEW_2017 if variant == "p" else OVERVIEW_2016,
        account=partial(expected_gain, variant),
    )


def _cumulative_definition(variant: str) -> Definition:
    return Definition(
        name=f"nCG-{variant}",
        family=FAMILY,
        title="normalized cumulative gain",
        summary=f"the gain of a day by the largest possible; {SILENT[variant]}",
        formula=(
            "sum of the gains of the first ten posts of the day / the ten largest gains that the"
            f" clusters of the day offer; {SILENT[variant]}; {DAYS}"
        ),
        empty_case=EMPTY_DAYS + EMPTY_SILENT[variant],
        range="0 to 1"
        if variant != "p"
        else "at most 1: more than ten posts on a silent day give less than 0",
        citation=OVERVIEW_2017 if variant == "p" else OVERVIEW_2016,
        account=partial(cumulative_gain, variant),
    )


def _pain_definition(alpha: float) -> Definition:
    return Definition(
        name=f"GMP{alpha:g}".replace("0.", "."),
        family=FAMILY,
        title="gain minus pain",
        summary=f"gains weighted by {alpha:g} against useless posts weighted by {1 - alpha:g}",
        formula=(
            f"{alpha:g} * sum of the gains of the first ten posts of the day"
            f" - {1 - alpha:g} * number of posts that earn nothing; 0 on a silent day; {DAYS}"
        ),
        empty_case="0 for an empty run",
        range="-infinity to 10 times the weight",
        citation=OVERVIEW_2016,
        account=partial(gain_minus_pain, alpha),
    )


def _list_definition(variant: str) -> Definition:
    return Definition(
        name=f"nDCG-{variant}",
        family=FAMILY,
        title="nDCG@10",
        summary=f"the gain of a day's list by rank, by the largest possible; {SILENT[variant]}",
        formula=(
            "sum over the first ten of the list of (2^gain - 1) / log2(rank + 1), by that of the"
            f" best list; {SILENT[variant]}, no more than ten; {DAYS}"
        ),
        empty_case=EMPTY_DAYS + EMPTY_SILENT[variant],
        range="0 to 1",
        citation=OVERVIEW_2017 if variant == "p" else OVERVIEW_2016,
        account=partial(list_gain, variant),
    )


def _delay_definition(name: str, middle: Callable[..., FloatArray], live: bool) -> Definition:
    since = "the creation of the post" if live else "the creation of the first post of its cluster"
    which = "the judged posts" if live else "the posts that earn something"
    return Definition(
        name=f"{'live-' if live else ''}latency-{name}",
        family=FAMILY,
        title=f"{'online ' if live else ''}latency, {name}",
        summary=f"the {name} time from {since} to the push",
        formula=(
            f"{name} over {which} of push time - {since}, in seconds;"
            " `all` is taken over the posts of all topics"
        ),
        empty_case=NO_POSTS,
        range="0 to infinity",
        citation=OVERVIEW_2016,
        account=partial(delay, middle),
        higher_is_better=False,
        unit="s",
    )


def _count_definition(
    name: str, title: str, account: Callable[..., Taken], *, good: bool = False
) -> Definition:
    return Definition(
        name=name,
        family=FAMILY,
        title=title,
        summary=f"how many {title} there are",
        formula=f"the number of {title}; `all` is the sum over topics",
        empty_case="0 for an empty run",
        range="0 to infinity",
        citation=OVERVIEW_2017 if name.startswith("live-") else OVERVIEW_2016,
        account=account,
        higher_is_better=good,
    )


def _precision_definition(name: str, lenient: bool) -> Definition:
    good = "relevant or redundant" if lenient else "relevant"
    return Definition(
        name=f"live-P-{name}",
        family=FAMILY,
        title=f"{name} precision",
        summary=f"the share of judgments that say {good}",
        formula=f"judgments that say {good} / judgments; `all` is taken over all topics' judgments",
        empty_case="0 with no judgment",
        range="0 to 1",
        citation=OVERVIEW_2017,
        account=partial(live_precision, lenient),
    )


def _utility_definition(name: str, lenient: bool) -> Definition:
    sign = "+" if lenient else "-"
    return Definition(
        name=f"live-U-{name}",
        family=FAMILY,
        title=f"{name} utility",
        summary=f"judgments that say relevant {sign} redundant - not relevant",
        formula=f"relevant {sign} redundant - not relevant; `all` is the sum over topics",
        empty_case="0 with no judgment",
        range="-infinity to infinity",
        citation=OVERVIEW_2017,
        account=partial(live_utility, lenient),
    )


BATCH = (
    Definition(
        name="ELG",
        family=FAMILY,
        title="expected latency-discounted gain",
        summary="the gain of a post pushed, less the later it was; the measure of 2015",
        formula=(
            "as EG-1, where the first post of a cluster earns the largest gain of the cluster's"
            " posts of the day * max(0, (100 - delay) / 100), delay in whole minutes since the"
            " post's creation"
        ),
        empty_case=EMPTY_DAYS + EMPTY_SILENT["1"],
        range="0 to 1; above 1 only by posts pushed before their creation",
        citation=OVERVIEW_2015,
        account=partial(expected_gain, "1"),
        reads=("gain",),
    ),
    Definition(
        name="nCG",
        family=FAMILY,
        title="normalized cumulative gain, 2015",
        summary="the discounted gain of a day by the largest undiscounted; the measure of 2015",
        formula="as nCG-1, with the gains of ELG by the undiscounted ideal",
        empty_case=EMPTY_DAYS + EMPTY_SILENT["1"],
        range="0 to 1; above 1 only by posts pushed before their creation",
        citation=OVERVIEW_2015,
        account=partial(cumulative_gain, "1"),
        reads=("gain",),
    ),
    *(_gain_definition(variant) for variant in SILENT),
    *(_cumulative_definition(variant) for variant in SILENT),
    *(_pain_definition(alpha) for alpha in (0.33, 0.5, 0.66)),
    _delay_definition("mean", np.mean, live=False),
    _delay_definition("median", np.median, live=False),
    _count_definition("length", "posts pushed on eventful days", length),
)
OF_LISTS = tuple(_list_definition(variant) for variant in SILENT)
OF_LIVE = (
    _count_definition(
        "live-relevant", "judgments that say relevant", partial(said, RELEVANT), good=True
    ),
    _count_definition("live-redundant", "judgments that say redundant", partial(said, REDUNDANT)),
    _count_definition(
        "live-not-relevant", "judgments that say not relevant", partial(said, NOT_RELEVANT)
    ),
    _count_definition("live-unjudged", "posts without a judgment", unjudged),
    _count_definition("live-length", "posts pushed on judged topics", live_length),
    Definition(
        name="live-coverage",
        family=FAMILY,
        title="live coverage",
        summary="the share of the posts pushed that have a judgment",
        formula="judged posts / posts pushed; `all` is taken over all topics' posts",
        empty_case=NO_POSTS,
        range="0 to 1",
        citation=OVERVIEW_2017,
        account=live_coverage,
    ),
    _delay_definition("mean", np.mean, live=True),
    _delay_definition("median", np.median, live=True),
    _precision_definition("strict", lenient=False),
    _precision_definition("lenient", lenient=True),
    _utility_definition("strict", lenient=False),
    _utility_definition("lenient", lenient=True),
)
DEFINITIONS = (*BATCH, *OF_LISTS, *OF_LIVE)
NEEDS = (
    {each.name: PUSHES for each in BATCH}
    | {each.name: LISTS for each in OF_LISTS}
    | {each.name: LIVE for each in OF_LIVE}
)
"""What each push measure is taken from, by its name."""


def need_of(measure: Measure) -> str:
    """What a measure is taken from."""
    return NEEDS.get(measure.definition.name, GROUPS)
