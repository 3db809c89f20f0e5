"""What stands beside scores: partners of days, ties, lengths, lags, intervals; and a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from tseval.core import registry
from tseval.core.blocks import Block, Folded, Head, Note, Panels, Rows
from tseval.core.family import Evaluation, View, ViewRequest, ViewRows
from tseval.core.frames import place_runs, to_pandas, warn_of_topics
from tseval.core.kernel import KEY, divided, quotient, total
from tseval.core.measure import Measure
from tseval.core.panels import Axis, Line, Panel
from tseval.core.scoring import scores_of
from tseval.core.sections import Setting
from tseval.core.wording import count, listed
from tseval.errors import check_known
from tseval.families.timelines.alignments import divide
from tseval.families.timelines.files import date_of, find_remarks
from tseval.families.timelines.measures import FAMILY, PAPER, Ways, choose, is_side, take, ways_of
from tseval.families.timelines.rows import ALIGNED, DATES, TimelineIndex, match_days, spans
from tseval.families.timelines.words import ORIGINAL, ORIGINAL_WORD, SPLIT, content_of
from tseval.io.tables import Table
from tseval.io.times import UNITS
from tseval.statistics.bootstrap import Interval, interval, resamples, seeded

if TYPE_CHECKING:
    from tseval.arrays import FloatArray, IntArray

SHOWN = tuple(f"{metric}(rouge_1)" for metric in ALIGNED)
"""The measures that are explained if none is asked for."""
PAPERS = ("dates", "concat", "agree", "align", "align+", "align+m:1")
"""What papers print: F of each metric for single words."""
ALIGNED_BOTH = ("align(rouge_1)", "align+m:1(rouge_1)")
"""An alignment one to one, and one in which a day may be taken twice."""
HEAD = (*KEY, "measure", "rouge", "backend")
SAME = 1e-12
"""Scores that differ by no more are the same."""
SIDES = {"P": "precision of dates", "R": "recall of dates", "F": "F of both"}
LENGTHS, SHARES = ("dates", "sentences", "words"), ("early", "on_time", "late")
HEADS = {"run": Head("run", "run"), "topic": Head("topic", "name")}
HEADS |= {"measure": Head("alignment", "text"), "within": Head("days apart", "count")}
HEADS |= {name: Head(name, "count") for name in ("days", "met")} | {n: Head(n) for n in SIDES}
HEADS |= {name: Head(name.replace("_", " "), decimals=2) for name in SHARES}
HEADS |= {f"median_{each}": Head(f"median {each}", decimals=1) for each in ("days", "hours")}
"""The heads of columns in a report; those of other columns are numbers without decimals."""
VALUES = ("run", "measure", "value", "low", "high", "topics")
DIFFERENCES = ("run", "other", "measure", "difference", "low", "high", "p", "topics")
NO_INTERVAL = Interval(np.nan, np.nan)
MOST = 7
"""The panels of a report go up to so many days."""
WITHIN = (*range(8), 30)
"""How many days apart dates may be in the table of tolerance."""


def aligned(index: TimelineIndex, measures: Sequence[Measure]) -> dict[Ways, Measure]:
    """Return a measure of each way to align days; those without an alignment are refused."""
    for each in measures:
        check_known("measure that aligns days", ways_of(each, index).metric, ALIGNED)
    return {ways_of(each, index): each for each in measures}


def with_names(rows: pl.DataFrame, ways: Ways) -> pl.DataFrame:
    """Return rows of runs and topics with the names of what was counted."""
    names = {"measure": ways.metric, "rouge": f"rouge_{ways.size}", "backend": ways.wording.backend}
    return rows.with_columns(**{name: pl.lit(value) for name, value in names.items()})


def partners(evaluation: Evaluation, asked: ViewRequest[Any]) -> ViewRows:
    """Each day with its partner, and their common words."""
    index, parts = evaluation.index, list[pl.DataFrame]()
    side = pl.when("is_own").then(pl.lit("predicted")).otherwise(pl.lit("reference"))
    apart = (pl.col("day") - pl.col("partner")).abs().cast(pl.Int64)
    for ways in aligned(index, asked.measures):
        days = with_names(match_days(index, *ways), ways)
        named: dict[str, Any] = {"side": side, "date": date_of(), "partner": date_of("partner")}
        named |= {"days_apart": apart, "hits": "hits", "weight": "weight", "ngrams": "ngrams"}
        parts.append(days.select(*HEAD, **named))
    note = (
        "precision is the sum of hits times weight over predicted days by that of ngrams, recall "
        "the same over reference days"
    )
    frame = to_pandas(pl.concat(parts))
    people = [name for name in frame.columns if name not in ("rouge", "backend", "days_apart")]
    return ViewRows(frame, (note,), for_people=tuple(people))


def ties_of(index: TimelineIndex, ways: Mapping[Ways, Measure]) -> pl.DataFrame:
    """Return precision and recall of each unit, with their ranges over alignments of one cost."""
    parts, whole = list[pl.DataFrame](), np.full(index.units, np.inf)
    for way in (each for each in ways if each.metric in ALIGNED):
        sums = take(index, ways[way].whole).values_at(whole)
        found = spans(index, *way[:-1]).join(sums, on=KEY, maintain_order="left")
        parts.append(with_names(found, way))
    ends = {
        f"{name}est_{side}": divided(f"{name}_{side}", below, empty=0.0)
        for side, below in (("P", "predicted"), ("R", "reference"))
        for name in ("low", "high")
    }
    found = pl.concat(parts).with_columns(**ends)
    widths = (pl.col(f"highest_{side}") - pl.col(f"lowest_{side}") for side in "PR")
    return found.with_columns(width=pl.max_horizontal(*widths))


def ties(evaluation: Evaluation, asked: ViewRequest[Any]) -> ViewRows:
    """The scores of other best alignments."""
    index = evaluation.index
    rows = ties_of(index, aligned(index, asked.measures)).filter(pl.col("width") > 0)
    values = [f"{name}{side}" for side in "PR" for name in ("lowest_", "", "highest_")]
    notes = () if rows.height else ("no score depends on ties",)
    return ViewRows(to_pandas(rows.select(*HEAD, *values)), notes)


def lengths_of(index: TimelineIndex) -> pl.DataFrame:
    """Return how long each timeline is, and the references that it has on average."""
    words = pl.col("text").str.extract_all(SPLIT).list.len()
    texts = index["texts"].filter(pl.col("text") != "")
    sizes = texts.group_by("id").agg(sentences=pl.len(), words=words.cast(pl.Int64).sum())
    dates = index["summaries"].group_by("id").agg(dates=pl.len())
    sides = [index["units"].select(*KEY, "id"), index["references"].select("topic", "id")]
    own, others = (
        side.join(dates, on="id", how="left", maintain_order="left")
        .join(sizes, on="id", how="left", maintain_order="left")
        .with_columns(pl.col(LENGTHS).fill_null(0).cast(pl.Int64))
        for side in sides
    )
    means = {f"reference_{n}": quotient(pl.col(n).cast(pl.Int64).sum(), pl.len()) for n in LENGTHS}
    others = others.group_by("topic").agg(references=pl.len().cast(pl.Int64), **means)
    return own.drop("id").join(others, on="topic", maintain_order="left")


def lengths(evaluation: Evaluation, _: ViewRequest[Any]) -> ViewRows:
    """The lengths of timelines and of their references."""
    return ViewRows(to_pandas(lengths_of(evaluation.index)))


def dates_within(index: TimelineIndex) -> pl.DataFrame:
    """Return how well dates do that may be some days apart, of sides that both have dates."""
    ends, parts = np.full(index.units, np.inf), list[pl.DataFrame]()
    for within in WITHIN:
        dates = registry.measure(f"dates(within={within})", FAMILY)
        scores = take(index, dates).values_at(ends).with_columns(F=choose(dates))
        scores = scores.filter((pl.col("predicted") > 0) & (pl.col("reference") > 0))
        parts.append(scores.select(*KEY, *SIDES, within=pl.lit(within)))
    rows = pl.concat(parts).sort(*KEY, "within")
    return rows.select(*KEY, "within", *SIDES)


def tolerance(evaluation: Evaluation, _: ViewRequest[Any]) -> ViewRows:
    """Scores of dates that may be some days apart."""
    note = "`within` is how many days two dates may be apart; each date counts once"
    return ViewRows(to_pandas(dates_within(evaluation.index)), (note,))


def lags_of(index: TimelineIndex, measures: Sequence[Measure]) -> pl.DataFrame:
    """Return how late days are dated, and how late summaries were there; positive is late.

    They are of the days of references that have a partner which shares a word.
    """
    met, number, parts = pl.col("hits") > 0, pl.col("met"), list[pl.DataFrame]()
    lag = (pl.col("partner") - pl.col("day")).filter(met)
    delay = (pl.col("time") - pl.col("day") * UNITS["d"]).filter(met)
    for ways in aligned(index, measures):
        days = with_names(match_days(index, *ways).filter(~pl.col("is_own")), ways)
        found = days.group_by(HEAD, maintain_order=True).agg(
            days=pl.len().cast(pl.Int64),
            met=met.eq(True).sum().cast(pl.Int64),
            early=(lag < 0).sum(),
            on_time=(lag == 0).sum(),
            late=(lag > 0).sum(),
            median_days=lag.median(),
            median_hours=quotient(delay.median(), UNITS["h"]),
        )
        shares = {name: divided(name, number) for name in ("early", "on_time", "late")}
        parts.append(found.with_columns(**shares))
    return pl.concat(parts)


def lags(evaluation: Evaluation, asked: ViewRequest[Any]) -> ViewRows:
    """The delay of dates and of summaries."""
    note = (
        "of the days of references that are met, the shares that are dated too early, rightly and "
        "too late; the median of days by which, and of hours from their day until they were there"
    )
    frame = to_pandas(lags_of(evaluation.index, asked.measures))
    people = [name for name in frame.columns if name not in ("rouge", "backend")]
    return ViewRows(frame, (note,), for_people=tuple(people))


class Draws(NamedTuple):
    """What `all` of a measure of a run is made of: sums of each topic, and how many they are of.

    `all` of F is mostly the F of mean precision and mean recall, so no mean over topics that a test
    of means could take: it is taken anew of every draw. Topics are drawn, not timelines, since
    references of one topic tell the same events.
    """

    measure: Measure
    sums: FloatArray
    """Of precision and of recall, or of values, where `all` is their mean; then their number."""

    @classmethod
    def of(cls, evaluation: Evaluation, measure: Measure, rows: pl.DataFrame) -> Draws:
        """Add up these rows of a run by topic."""
        topics = evaluation.index.times["group"].n_unique()
        rule, group = evaluation.edition.rules.average, rows["group"].to_numpy()
        names = ("value",) if rule == "AVG-F" else ("P", "R")
        amounts = [*(rows[name].to_numpy() for name in names), np.ones(rows.height)]
        sums: FloatArray = np.stack(
            [np.bincount(group, each, topics).astype(float) for each in amounts]
        )
        is_of_means = rule == "TOPIC-MACRO"
        return cls(measure, divide(sums, sums[-1:]) if is_of_means else sums)

    @property
    def topics(self) -> int:
        """How many topics have anything that counts."""
        return int(np.count_nonzero(self.sums[-1]))

    def drawn(self, times: IntArray) -> FloatArray:
        """Return `all` of each draw (row), where each topic counts so many times."""
        return self.average(self.sums @ times.T)

    def differ(self, other: Draws, swaps: IntArray) -> FloatArray:
        """Return by how much `all` exceeds another run's, if in each row the two swap topics."""
        moved = (other.sums - self.sums) @ swaps.T
        own, others = (each.sums @ np.ones((len(swaps[0]), 1)) for each in (self, other))
        return self.average(own + moved) - self.average(others - moved)

    def average(self, sums: FloatArray) -> FloatArray:
        """Return `all` of these sums; precision and recall of no topic are NaN."""
        if len(sums) == 2:
            return divide(sums[0], sums[1], np.nan)
        sides = divide(sums[:2], sums[2:], np.nan if is_side(self.measure) else 0.0)
        columns = pl.DataFrame(dict(zip("PR", sides, strict=True)))
        return columns.select(choose(self.measure)).to_series().to_numpy()


def intervals(evaluation: Any, asked: ViewRequest[Any]) -> ViewRows:
    """Scores and differences with intervals over drawn topics, and tests."""
    import pandas as pd

    options, index = asked.options, evaluation.index
    scores = scores_of(evaluation, asked.measures, asked.on_missing, asked.undefined)
    topics = index.times["group"].n_unique()
    times = resamples(topics, seeded(options.seed, "timelines"), options.resamples)
    if 2**topics <= options.resamples:
        swaps = np.arange(2**topics)[:, None] >> np.arange(topics)[None, :] & 1
    else:
        draw = np.random.default_rng(seeded(options.seed, "swaps"))
        swaps = np.zeros((options.resamples + 1, topics), np.int64)
        swaps[1:] = draw.integers(0, 2, (options.resamples, topics))
    values, differences = list[tuple[Any, ...]](), list[tuple[Any, ...]]()
    for measure, sides in zip(
        asked.measures, evaluation.sides(scores, asked.measures), strict=True
    ):
        of_runs = list(zip(index.runs, sides.partition_by("run", maintain_order=True), strict=True))
        for run, own in of_runs:
            draws = Draws.of(evaluation, measure, own.filter("used"))
            value = float(draws.drawn(np.ones((1, topics), np.int64))[0])
            ends = interval(draws.drawn(times)) if draws.topics > 1 else NO_INTERVAL
            values.append((run, measure.name, value, *ends, draws.topics))
        for (run, own), (other, others) in combinations(of_runs, 2):
            used = own["used"] & others["used"]
            draws, theirs = (Draws.of(evaluation, measure, e.filter(used)) for e in (own, others))
            drawn, apart = draws.drawn(times) - theirs.drawn(times), draws.differ(theirs, swaps)
            ends = interval(drawn) if draws.topics > 1 else NO_INTERVAL
            far = np.count_nonzero(np.abs(apart) >= np.abs(apart[0]) - SAME) / len(apart)
            chance = far if draws.topics else np.nan
            row = (run, other, measure.name, float(apart[0]), *ends, chance, draws.topics)
            differences.append(row)
    single = pd.DataFrame(values, columns=list(VALUES))
    paired = pd.DataFrame(differences, columns=list(DIFFERENCES))
    note = (
        f"95 % intervals over {count(options.resamples, 'draw')} of {count(topics, 'topic')}; "
        "p is of swapping the two runs topic by topic"
    )
    sections = {"scores": single} | ({"differences": paired} if len(paired) else {})
    rows = pd.concat([single, paired]) if len(paired) else single
    rows = rows.reindex(columns=[*VALUES[:1], "other", "measure", "value", *DIFFERENCES[3:]])
    drawn_by = {"resamples": str(options.resamples), "seed": str(options.seed)}
    return ViewRows(rows, (note,), scores.warnings, sections=sections, traits=drawn_by)


def find_warnings(runs: Table, gold: Table) -> Iterator[str]:
    """Yield what a reader should know of the inputs, whatever is asked of them."""
    yield from find_remarks(gold)
    yield from find_remarks(runs)
    yield from warn_of_topics(runs.frame, gold.frame["topic"].unique(), "in the references")


def find_caveats(index: TimelineIndex, wanted: Sequence[Measure]) -> Iterator[str]:
    """Yield what a reader should know of these measures: words that do not count, and ties."""
    ways = {ways_of(each, index): each for each in wanted}
    backends = {each.wording.backend for each in ways if each.metric != DATES}
    units = index["units"].select(*KEY, "id")
    references = units.select(KEY).join(index["references"], on="topic").select(*KEY, "id")
    texts = index["texts"].filter(pl.col("text") != "")
    scored = pl.concat([units, references])
    if ORIGINAL in backends:
        lost = ~content_of(pl.col("text")).str.contains(ORIGINAL_WORD)
        told = scored.join(texts.select("id", lost=lost), on="id").group_by(KEY)
        counts = told.agg(lost=pl.col("id").filter("lost").len(), texts=pl.len()).sort(KEY)
        many = counts.filter(pl.col("lost") > pl.col("texts") - pl.col("lost"))
        many = many.unique("topic", keep="first", maintain_order=True).sort("topic")
        for _, topic, lost, number in many.iter_rows():
            yield (
                f"topic {topic}: {lost} of {number} sentences have none of the letters a to z, and "
                "count for nothing: use `reimpl` (--rule backend=reimpl)"
            )
    if any(way.metric in ALIGNED for way in ways):
        tied = ties_of(index, ways).filter(pl.col("width") > SAME)
        topics, most = pl.col("topic").cast(pl.String).unique().sort(), pl.col("width").max()
        of_runs = tied.group_by("run", "measure", maintain_order=True).agg(topics, most)
        for run, metric, lost, width in of_runs.iter_rows():
            yield (
                f"run {run}: {metric} depends on which of several best alignments is taken, by up "
                f"to {width:.2g}, in {count(len(lost), 'topic')}: {listed(lost)} (--explain ties)"
            )


def report_dates(evaluation: Evaluation, setting: Setting[Any]) -> Iterator[Block]:
    """Show how well dates do if they may be some days apart."""
    yield Note(
        "A date of a timeline counts if the references have one at most so many days away, each "
        "date once. Where a line rises, days are dated near the right one; where it stays low, "
        "they are other days."
    )
    means = {side: quotient(total(pl.col(side)), pl.len()) for side in SIDES}
    within = dates_within(evaluation.index).group_by("run", "within", maintain_order=True)
    rows = place_runs(within.agg(**means), setting).sort("run", "within")
    axis, y = Axis("days apart", 0.0, float(MOST), is_whole=True), Axis(low=0.0, high=1.0)
    shown = rows.filter(pl.col("within") <= MOST).group_by("run", maintain_order=True).agg(pl.all())
    panels = []
    for side in ("P", "R"):
        lines = (
            Line(run, tuple(map(float, days)), tuple(values))
            for run, days, values in shown.select("run", "within", side).iter_rows()
        )
        note = "mean over topics (higher is better)"
        panels.append(Panel(SIDES[side], note, axis, tuple(lines), y, is_stepped=False))
    yield Panels(tuple(panels))
    table = table_of("Dates that may be some days apart", rows)
    yield Folded("The numbers, and those of 30 days", (table,))


def report_matches(evaluation: Evaluation, setting: Setting[Any]) -> Iterator[Block]:
    """Show how many days of the references are met, how late, and how long timelines are."""
    yield Note(
        "A day of the references is met if its partner in the alignment shares a word with it. It "
        "is early if the partner has an earlier date. A timeline has more to meet days with the "
        "longer it is."
    )
    index = evaluation.index
    wanted = [registry.measure(each, FAMILY) for each in ALIGNED_BOTH]
    lags = lags_of(index, wanted).drop("rouge", "backend")
    found = place_runs(lags, setting).with_columns(pl.col("measure").replace(PAPER))
    met = {n: total((pl.col(n) * pl.col("met")).fill_null(0.0)) for n in SHARES}
    of_runs = found.group_by("run", "measure").agg(
        pl.col("days", "met").cast(pl.Int64).sum(), **met
    )
    of_runs = of_runs.with_columns(divided(n, "met").alias(n) for n in SHARES)
    yield table_of("Days that each run meets, over all topics", of_runs.sort("measure", "run"))
    found = found.sort("topic", "measure", "run")
    long = place_runs(lengths_of(index), setting)
    long = long.sort("topic", pl.col("dates").cast(pl.String), "run")
    days = table_of("Days that are met, by topic", found)
    yield Folded("Topic by topic", (days, table_of("How long timelines are", long)))


def table_of(title: str, rows: pl.DataFrame) -> Rows:
    """Return a table of a report."""
    others = {name: Head(name.replace("_", " "), decimals=0) for name in rows.columns}
    heads = tuple((others | HEADS)[name] for name in rows.columns)
    return Rows(title, heads, tuple(rows.iter_rows()))


VIEWS = (
    View.of(partners, takes_measures=True, measures=SHOWN),
    View.of(ties, takes_measures=True, measures=SHOWN),
    View.of(lengths),
    View.of(tolerance),
    View.of(lags, takes_measures=True, measures=ALIGNED_BOTH),
    View.of(intervals, takes_measures=True, measures=PAPERS, by_topic=False),
)
