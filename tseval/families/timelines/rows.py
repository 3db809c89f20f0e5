"""From tables to days: predicted ones beside those of the references, and what both share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import numpy as np
import polars as pl

from tseval.core.frames import FrameIndex
from tseval.core.kernel import ALWAYS, KEY, natural
from tseval.core.rules import RuleSet, choice
from tseval.families.timelines import alignments
from tseval.families.timelines.files import TIMELINE, UNNAMED, name_timelines
from tseval.families.timelines.words import ORIGINAL, PLAIN, Wording
from tseval.io.names import ABSENT, natural_order
from tseval.io.tables import Table
from tseval.io.times import UNITS
from tseval.records import frozen

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from tseval.arrays import BoolArray, FloatArray, IntArray

Made = TypeVar("Made", bound=Callable[..., Any])

DATES, CONCAT, AGREEMENT = "dates", "concat", "agreement"
ALIGN, ALIGN_CONTENT = "align_date_costs", "align_date_content_costs"
MANY_TO_ONE = "align_date_content_costs_many_to_one"
ALIGNED = (ALIGN, ALIGN_CONTENT, MANY_TO_ONE)
TOPIC_CURE = (
    'name its topics: {"topic": …, "timeline": …}, or `tseval import timelines FILE...`, which '
    "calls each as its file"
)
SEVERAL_CURE = (
    "give one timeline a topic, or score each against the reference of its name or its place: "
    "--rule protocol=PROTOCOL-1"
)


@frozen
class TimelineRules(RuleSet):
    """The rules of an edition."""

    backend: str = choice(
        ORIGINAL,
        "whose ROUGE counts n-grams, where a measure does not name one",
        original="ROUGE-1.5.5, as nearly all published numbers",
        reimpl="tilse's own in Python",
    )
    stem: str = choice("stemming", yes="words are stemmed", no="words are taken as they are")
    stop_words: str = choice("stop words", dropped="do not count", kept="count as other words do")
    protocol: str = choice(
        "PROTOCOL-2",
        "several reference timelines of a topic",
        PROTOCOL_1="each is scored against by itself, and is a topic of its own",
        PROTOCOL_2="all together are what a prediction is scored against",
    )
    average: str = choice(
        "what F over all topics is",
        AVG_PR="F of the mean precision and the mean recall",
        AVG_F="the mean of F",
        TOPIC_MACRO="AVG-PR, where means are taken over the references of a topic first",
    )
    duplicates: str = choice(
        "entries of one date in a timeline",
        last="the later replaces the earlier",
        join="their sentences are joined",
    )
    strings: str = choice(
        "a summary that is one string where a list of sentences belongs",
        characters="each character is a sentence, as programs in Python read it",
        sentence="it is one sentence",
    )
    failures: str = choice(
        "topics in which a measure is undefined",
        measure="each measure by itself",
        topic="no measure has a value where any has none, as scripts that catch errors do",
    )


@frozen
class Pair:
    """A timeline of a run beside its references."""

    unit: int
    rows: slice = field(compare=False)
    """The days of the timeline among all predicted days."""
    columns: slice = field(compare=False)
    """The days of its references among all reference days."""


@frozen
class TimelineIndex(FrameIndex):
    """The timelines of runs and references, with every count that was once asked for.

    `units` are the timelines of runs beside the topic that each is scored on, `references` those of
    the topics. Each day of a unit is a row of `predicted`; each day that any reference of a topic
    has is a row of `reference`, and the `answers` are their summaries there.
    """

    rules: TimelineRules
    known: dict[Any, Any] = field(default_factory=dict, compare=False)


def once(make: Made) -> Made:
    """Make something of an index once."""

    @wraps(make)
    def known(index: TimelineIndex, *args: Any, **more: Any) -> Any:
        key = (make.__name__, *args, *more.items())
        if key not in index.known:
            index.known[key] = make(index, *args, **more)
        return index.known[key]

    return cast("Made", known)


def name_topics(tables: Mapping[str, Table], files: Mapping[str, Sequence[str]]) -> list[Table]:
    """Return runs and references with names; a side without topics has the other's only one."""
    frames = [name_timelines(tables[name].frame, files[name]) for name in ("runs", "gold")]
    runs, gold = (natural_order(set(each["topic"].drop_nulls())) for each in frames)
    known, named = gold or runs, []
    reason = f"no topic is named, and the {'references' if gold else 'systems'} have {len(known)}"
    for table, frame in zip((tables["runs"], tables["gold"]), frames, strict=True):
        unnamed = frame.filter(pl.col("topic").is_null() & (len(known) > 1)).head(1)
        table.refuse(unnamed, reason, TOPIC_CURE, "ambiguous-id")
        topic = pl.col("topic").fill_null(known[0] if known else UNNAMED)
        named.append(replace(table, frame=frame.with_columns(topic)))
    return named


def index_timelines(runs: Table, gold: Table, rules: TimelineRules) -> TimelineIndex:
    """Return each timeline of a run beside the references that it is scored against."""
    sides = (table.frame.with_columns(side=pl.lit(at)) for at, table in enumerate((runs, gold)))
    rows, key = pl.concat(sides, how="diagonal"), ["side", *TIMELINE]
    timelines = rows.unique(key, keep="first", maintain_order=True).with_row_index("id")
    days = rows.drop_nulls("day").join(timelines.select("id", *key), on=key, maintain_order="left")
    days = days.select("id", "day", "entry", "text", "in_list", "published")
    if rules.duplicates == "last":
        entry, own = pl.col("entry"), ["id", "day"]
        days = days.with_columns(entry.rle_id().over(own)).filter(entry == entry.max().over(own))
    days = days.sort("id", "day", maintain_order=True)
    days = days.with_columns(
        pl.col("text").str.strip_chars(), summary=pl.struct("id", "day").rle_id()
    )
    time = pl.col("published").max().fill_null(pl.col("day").first() * UNITS["d"])
    summaries = days.group_by("summary", "id", maintain_order=True).agg(
        pl.col("day").first(), time=time
    )
    texts = days.select("id", "summary", "in_list", "text")
    if rules.strings == "characters" and not days["in_list"].all():
        characters = pl.col("text").str.split("")
        text = pl.when("in_list").then(pl.concat_list("text")).otherwise(characters)
        texts = texts.with_columns(text).explode("text")
    units, references = match_timelines(timelines, runs, rules)
    units = units.with_row_index("unit")
    predicted = units.join(summaries, on="id", maintain_order="left_right").with_row_index("row")
    answers = references.join(summaries, on="id", maintain_order="left_right")
    reference = (
        answers.select("topic", "day").unique().sort("topic", "day").with_row_index("column")
    )
    answers = answers.join(reference, on=["topic", "day"], maintain_order="left")
    start = reference.group_by("topic").agg(start=pl.col("day").min() * UNITS["d"])
    times = references.unique("topic", keep="first", maintain_order=True).select("topic", "group")
    times = times.join(start, on="topic", how="left", maintain_order="left")
    frames = {"present": units.select(KEY), "units": units, "references": references}
    frames |= {"predicted": predicted, "reference": reference, "answers": answers}
    frames |= {"summaries": summaries, "texts": texts}
    topics, outputs = tuple(times["topic"].cast(pl.String)), predicted.select(*KEY, "time")
    times = times.with_columns(pl.col("start").fill_null(0.0))
    return TimelineIndex(runs.runs, topics, times, outputs, frames, rules)


def match_timelines(
    timelines: pl.DataFrame, runs: Table, rules: TimelineRules
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return which timeline of each run is scored on each topic, and the references of topics.

    Under `PROTOCOL-1` each reference is a topic of its own. It is answered by the only timeline of
    a run on its topic, else by that of its name, else, of as many as there are references, by that
    in its place.
    """
    several, place, whole = pl.col("several"), pl.col("place"), pl.col("name")
    whose = [pl.when(side=0).then("run"), "side", "topic"]
    numbers = {"several": pl.len().over(whose), "place": pl.int_range(pl.len()).over(whose)}
    own, references = (timelines.with_columns(**numbers).filter(side=at) for at in (0, 1))
    topics = references["topic"].unique(maintain_order=True)
    order, group = (pl.col("topic").cast(each) for each in (natural(topics), pl.Enum(topics)))
    references = references.with_columns(name="topic", group=group.to_physical().cast(pl.Int64))
    if rules.protocol == "PROTOCOL-1":
        names = pl.col("timeline").cast(natural(references["timeline"]))
        references = references.sort(order, names, maintain_order=True)
        apart = pl.when(several > 1).then(pl.format("{}/{}", "topic", "timeline"))
        references = references.with_columns(name=apart.otherwise("topic"))
        numbered = pl.format("{} ({})", "name", place + 1)
        name = pl.when(whole.is_first_distinct()).then("name").otherwise(numbered)
        references = references.with_columns(name=name)
    else:
        references = references.sort(order, maintain_order=True)
    judged = references.unique("name", keep="first", maintain_order=True)
    types: dict[Any, Any] = {"run": pl.Enum(runs.runs), "name": pl.Enum(judged["name"])}
    judged = judged.select("topic", "name", other="timeline", others="several", at="place")
    pairs = own.join(judged, on="topic", maintain_order="left_right").cast(types)
    pairs, by = pairs.sort("run", "name", maintain_order=True), ["run", "name"]
    if rules.protocol != "PROTOCOL-1":
        reason = 'run "{run}" has {several} timelines of topic "{topic}"'
        runs.refuse(pairs.filter(place == 1).head(1), reason, SEVERAL_CURE, "several-runs")
    is_named = pl.col("timeline") == pl.col("other")
    is_in_place = (several == pl.col("others")) & (place == pl.col("at"))
    fits = pl.when(is_named.any().over(by)).then(is_named).otherwise(is_in_place)
    units = pairs.filter((several == 1) | fits).unique(by, keep="last", maintain_order=True)
    references = references.cast({"name": types["name"]})
    return units.select("run", "id", topic="name"), references.select("group", "id", topic="name")


@once
def slices(index: TimelineIndex, has_days: bool = True) -> list[Pair]:
    """Return the rows and columns of each unit, or of those whose sides both have days."""
    pairs = index["units"]
    for name, place, by in (("predicted", "row", "unit"), ("reference", "column", "topic")):
        ends = [pl.col(place).min().alias(f"first_{place}"), pl.col(place).max().alias(place) + 1]
        limits = index[name].group_by(by).agg(ends)
        pairs = pairs.join(limits, on=by, how="left", maintain_order="left")
    columns = pairs.select("unit", "first_row", "row", "first_column", "column")
    columns = columns.drop_nulls() if has_days else columns.fill_null(0)
    return [Pair(unit, slice(a, b), slice(c, d)) for unit, a, b, c, d in columns.iter_rows()]


class Counts(NamedTuple):
    """The n-grams of each predicted day (a row) and each reference day (a column), and shared.

    What is predicted counts as often as there are references, a reference without the day as an
    empty text: that is how ROUGE adds references up.
    """

    hits: csr_array
    predicted: IntArray
    reference: IntArray


@once
def words_of(index: TimelineIndex, wording: Wording) -> pl.DataFrame:
    """Return the words of all summaries in their order, by numbers."""
    words = index["texts"].select("summary", word=wording.split(pl.col("text")))
    words = words.explode("word").drop_nulls()
    stems = wording.count_as(words["word"].unique())
    numbers = {each: at for at, each in enumerate(set(stems.values()) - {None})}
    known = {word: numbers.get(each) for word, each in stems.items()}
    number = pl.col("word").replace_strict(known, default=None, return_dtype=pl.UInt32)
    return words.with_columns(number).drop_nulls()


@once
def count_grams(index: TimelineIndex, wording: Wording, size: int, joined: bool) -> Counts:
    """Count the n-grams of single words or pairs, by days, or of all days joined."""
    from scipy.sparse import csr_array

    words, by = words_of(index, wording), "id" if joined else "summary"
    topic = pl.col("topic").to_physical().cast(pl.UInt32)
    if joined:
        words = words.select("word", id=index["summaries"]["id"].gather(words["summary"]))
        own = index["units"].select(topic, "id", place="unit")
        others = index["references"].select(topic, "id", place=topic)
    else:
        own = index["predicted"].select(topic, "summary", place="row")
        others = index["answers"].select(topic, "summary", place="column")
    heights = own.height, len(index.topics) if joined else index["reference"].height
    if size == 2:
        word, text = pl.col("word").cast(pl.Int64), pl.col(by)
        pair = word * (word.max() + 1) + word.shift(-1)
        words = words.with_columns(word=pair).filter(text == text.shift(-1))
    # The second time that a gram stands in a text it is another column than the first. So a text is
    # a row of zeros and ones, and what two texts share, as often as both have it, is a product.
    key, time = ["topic", "word", "time"], pl.int_range(pl.len(), dtype=pl.UInt32)
    grams = words.select(by, "word", time=time.over(by, "word"))
    cells = [side.join(grams, on=by).select("place", *key) for side in (own, others)]
    every = pl.concat([each.with_columns(side=pl.lit(at)) for at, each in enumerate(cells)])
    every = every.sort(key).with_columns(code=pl.struct(key).rle_id())
    matrices, numbers = [], []
    for at, height in enumerate(heights):
        place, code = (each.to_numpy() for each in every.filter(side=at).select("place", "code"))
        ones = np.ones(len(place), np.int32)
        matrices.append(csr_array((ones, (place, code)), (height, every.height)))
        numbers.append(np.bincount(place, minlength=height))
    hits = matrices[0] @ matrices[1].T
    hits.sort_indices()
    references = np.bincount(index["references"]["topic"].to_physical().to_numpy())
    return Counts(hits, numbers[0] * references[own["topic"].to_numpy()], numbers[1])


@once
def nearness(index: TimelineIndex, pair: Pair) -> FloatArray:
    """Return how near each predicted day is to each reference day: 1 if they are the same."""
    days = index["predicted"]["day"].to_numpy()[pair.rows]
    others = index["reference"]["day"].to_numpy()[pair.columns]
    near: FloatArray = 1 / (np.abs(days[:, None] - others[None, :]) + 1)
    return near


@once
def closeness(index: TimelineIndex, pair: Pair) -> FloatArray:
    """Return the F1 of the plain words that each pair of days shares; 0 where either has none.

    The order of the operations decides between alignments that cost nearly the same.
    """
    counts = count_grams(index, Wording(PLAIN), 1, False)
    hits = counts.hits[pair.rows, pair.columns].toarray().astype(np.float64)
    own, others = counts.predicted[pair.rows, None], counts.reference[None, pair.columns]
    precision, recall = (
        alignments.divide(hits, np.broadcast_to(each, hits.shape)) for each in (own, others)
    )
    return alignments.divide(2 * precision * recall, precision + recall)


def cost_of(index: TimelineIndex, pair: Pair, metric: str) -> FloatArray:
    """Return what it costs to align each predicted day with each reference day."""
    dates: FloatArray = 1 - nearness(index, pair)
    return dates if metric == ALIGN else dates * (1 - closeness(index, pair))


@once
def align(index: TimelineIndex, pair: Pair, metric: str, within: int) -> tuple[IntArray, IntArray]:
    """Return for each predicted day its reference day, and the other way round, by their places."""
    if metric in ALIGNED:
        choose = alignments.cheapest if metric == MANY_TO_ONE else alignments.one_to_one
        cost = cost_of(index, pair, metric)
        return choose(cost), choose(cost.T)
    days = index["predicted"]["day"][pair.rows].to_list()
    others = index["reference"]["day"][pair.columns].to_list()
    forth, back, at = np.full(len(days), ABSENT), np.full(len(others), ABSENT), 0
    # As many as can be: both are gone through in order, and the earliest that fits is taken.
    for place, day in enumerate(others):
        while at < len(days) and days[at] < day - within:
            at += 1
        if at < len(days) and days[at] <= day + within:
            forth[at], back[place] = place, at
            at += 1
    return forth, back


def at(values: Any, places: IntArray) -> Any:
    """Return the values at these places, 0 where there is none."""
    return np.append(values, 0)[places]  # ABSENT is the last place


def match_days(
    index: TimelineIndex, metric: str, wording: Wording, size: int, within: int
) -> pl.DataFrame:
    """Return each day of both sides with its partner, the n-grams that both share, and its own.

    Where all days are joined, the two sides have a row each without days.
    """
    if metric == CONCAT:
        units = index["units"]["unit"].to_numpy().astype(np.int64)
        topics = index["units"]["topic"].to_physical().to_numpy().astype(np.int64)
        unit, row, column = np.tile(units, 2), np.tile(units, 2), np.tile(topics, 2)
        is_own = np.repeat([True, False], len(units))
    else:
        none = np.zeros(0, np.int64)
        parts = [(none, none, none, none == 0)]
        for pair in slices(index, metric != AGREEMENT):
            forth, back = align(index, pair, metric, within)
            first, others = pair.rows.start, pair.columns.start
            rows = np.where(back == ABSENT, ABSENT, back + first)
            columns = np.where(forth == ABSENT, ABSENT, forth + others)
            row = np.concatenate([np.arange(len(forth)) + first, rows])
            column = np.concatenate([columns, np.arange(len(back)) + others])
            own = np.arange(len(row)) < len(forth)
            parts.append((np.full(len(row), pair.unit), row, column, own))
        unit, row, column, is_own = map(np.concatenate, zip(*parts, strict=True))
    met = (row != ABSENT) & (column != ABSENT)
    hits, weight, ngrams = met.astype(np.int64), met.astype(np.float64), np.ones(len(row), np.int64)
    if metric != DATES:
        counts = count_grams(index, wording, size, metric == CONCAT)
        if met.any():  # scipy takes no empty places
            hits[met] = counts.hits[row[met], column[met]]
        ngrams = np.where(is_own, at(counts.predicted, row), at(counts.reference, column))
    day, partner, time = np.zeros(len(row)), np.zeros(len(row)), np.full(len(row), ALWAYS)
    if metric != CONCAT:
        days, times = (at(index["predicted"][name].to_numpy(), row) for name in ("day", "time"))
        others = at(index["reference"]["day"].to_numpy(), column)
        day, partner = np.where(is_own, days, others), np.where(is_own, others, days)
        time = np.where(is_own | met, times, ALWAYS)
    if metric not in (CONCAT, DATES):
        weight = met / (np.abs(day - partner) + 1)
    values = {"is_own": is_own, "day": day, "partner": partner, "time": time, "met": met}
    values |= {"hits": hits, "weight": weight, "ngrams": ngrams}
    found = index["units"].select(*KEY)[unit].with_columns(pl.DataFrame(values))
    return found.with_columns(pl.when("met").then(pl.col("partner", "hits")))


@once
def undefined(index: TimelineIndex, metric: str, wording: Wording, size: int) -> pl.DataFrame:
    """Return the `run topic` on which tilse gives an error in the place of a number."""
    predicted, reference = index["predicted"]["unit"], index["reference"]["topic"]
    own = pl.col("unit").is_in(predicted.unique().implode())
    other = pl.col("topic").is_in(reference.unique().implode())
    always = {CONCAT: pl.lit(False), AGREEMENT: pl.lit(False), MANY_TO_ONE: own ^ other}
    failed = always.get(metric, ~(own & other))
    sizes = {size} if metric == CONCAT else set()
    for each in sizes | ({2} if index.rules.failures == "topic" else set()):
        counts = count_grams(index, wording, each, True)
        topics = index["units"]["topic"].to_physical().to_numpy()
        failed |= pl.Series((counts.predicted == 0) | (counts.reference[topics] == 0))
    return index["units"].filter(failed).select(KEY)


@once
def tight_edges(index: TimelineIndex, pair: Pair, metric: str) -> tuple[BoolArray, ...]:
    """Return the edges of all alignments of the same cost, one way and back; none if it is one."""
    cost = cost_of(index, pair, metric)
    both = zip((cost, cost.T), align(index, pair, metric, 0), strict=True)
    edges = tuple(alignments.tight_edges(*each) for each in both)
    sizes = zip(edges, (cost.shape, cost.T.shape), strict=True)
    numbers = (np.count_nonzero(each[:height, :width]) for each, (height, width) in sizes)
    return () if max(numbers) == min(cost.shape) else edges


def spans(index: TimelineIndex, metric: str, wording: Wording, size: int) -> pl.DataFrame:
    """Return the least and the most hits of each unit over all alignments of the same cost."""
    counts, found = count_grams(index, wording, size, False), list[tuple[float, ...]]()
    for pair in slices(index):
        gain = counts.hits[pair.rows, pair.columns].toarray() * nearness(index, pair)
        if metric == MANY_TO_ONE:
            cost, span = cost_of(index, pair, metric), alignments.cheapest_span
            found.append((pair.unit, *span(cost, gain), *span(cost.T, gain.T)))
        elif edges := tight_edges(index, pair, metric):
            forth = alignments.tight_span(edges[0], gain)
            found.append((pair.unit, *forth, *alignments.tight_span(edges[1], gain.T)))
    names = ("unit", "low_P", "high_P", "low_R", "high_R")
    types = dict.fromkeys(names, pl.Float64) | {"unit": pl.UInt32}
    ends = pl.DataFrame(found, schema=types, orient="row")
    units = index["units"].select("unit", *KEY).join(ends, on="unit", maintain_order="left")
    return units.drop("unit")
