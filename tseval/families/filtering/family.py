"""Filtering over time: what the family declares."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from tseval.core.declared import (
    STREAMS,
    argument,
    file_option,
    option,
    output_option,
    positive,
)
from tseval.core.family import Family, Words
from tseval.core.frames import Content, FrameEvaluation, FrameGold, Request
from tseval.core.measure import Measure
from tseval.core.registry import measures as parse_measures
from tseval.core.rules import Edition
from tseval.core.scores import Scores
from tseval.core.sections import Reporting, Section
from tseval.core.wording import listed
from tseval.errors import UsageError
from tseval.families.filtering import explain, files, measures, rows
from tseval.families.filtering.trends import COSTS, EVEN, USUAL, Constants, TrendIndex
from tseval.io.rows import ROW_FORMS
from tseval.io.schema import POSTS
from tseval.io.tables import Table, TableReader
from tseval.io.times import NotANumber, length_of, number, written
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.arrays import FloatArray
    from tseval.io.given import Given

LEVELS = {"vital": 2.0, "useful": 1.0, "neutral": 0.0}
"""The rating from which on a document is positive, by its name."""
ON_MISSING = "zero"
"""How topics count that a run lacks, in every edition."""
SWEEP, ALL = "sweep", "all"
"""What asks for every cutoff of the edition: for the best of each run, or for each by itself."""


def numbers(flag: str, example: str, last_below: float = np.inf) -> Callable[[Any], Any]:
    """Return what reads the three numbers of an option from its text."""

    def read(text: str | Sequence[float]) -> tuple[float, ...]:
        with suppress(NotANumber):
            texts = text.split(",") if isinstance(text, str) else map(str, text)
            values = tuple(map(number, texts))
            are_positive = all(0 < each < np.inf for each in values)
            if len(values) == 3 and are_positive and values[2] < last_below:
                return values
        below = f", the last below {last_below:g}" if last_below < np.inf else ""
        reason = f"{flag}: write three numbers above 0{below}, such as {example}; not '{text}'"
        raise UsageError(reason)

    return read


@frozen
class FilterInputs:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    runs: Sequence[Given] = argument(
        "RUN", "one or more runs", files.RETURNED, several=True, required=False
    )
    """Without runs there is a truth to look at, and nothing to score."""
    truth: Given = argument("TRUTH", "the truth", files.TRUTH)


@frozen
class FilterOptions:
    """The period and its batches, what is returned, what is positive, and what is shown."""

    batches: tuple[str, ...] = option(
        "--batch",
        "The length of a batch, such as 12h or 7d; repeatable.",
        default=("1d",),
        metavar="LENGTH",
        several=True,
    )
    start: str | None = option(
        "The start of the period: Unix seconds, ISO 8601, or 6h or 2d after the first judged "
        "document. Default: the first judged document.",
        metavar="TIME",
    )
    end: str | None = option(
        "The end; 30d counts from the start. Default: just after the last judged document.",
        metavar="TIME",
    )
    cutoff: str = option(
        "The lowest confidence of a returned document. sweep tries the edition's cutoffs and uses "
        "the one with the best end point of each run. --show fits, --show stability and --series "
        "take several, separated by commas, or all.",
        default=SWEEP,
        metavar="N,...|sweep|all",
    )
    cutoff_step: int | None = option("The step of the sweep.", metavar="N", at_least=1)
    level: str | None = option(
        "The lowest rating of a positive document: vital (2), useful (1) or neutral (0). Default: "
        "vital; in a plain table without a 2, useful.",
        choices=tuple(LEVELS),
    )
    zeta: float = option("The scale of aptness.", default=1.0, metavar="FLOAT", kind=positive)
    f_weights: tuple[float, ...] = option(
        "The weights of P, R and A in F_pr and F_pra. Default: 1,1,1.",
        default=EVEN,
        metavar="P,R,A",
        kind=numbers("--f-weights", "1,1,1"),
    )
    costs: tuple[float, ...] = option(
        "For C_trk: the cost of a miss, the cost of a false alarm, and the share of targets among "
        "documents. Default: 1,0.1,0.02.",
        default=COSTS,
        metavar="MISS,ALARM,TARGET",
        kind=numbers("--costs", "1,0.1,0.02", last_below=1),
    )
    unjudged: str | None = option(
        "Returned documents without a judgment; fp: false positives. Default: ignore.",
        choices=("ignore", "fp"),
        rule="unjudged",
    )
    votes: str | None = option(
        "Whether all assessors must rate a document positive, or any one. Default: all.",
        choices=("all", "any"),
        rule="votes",
    )
    partial: str | None = option(
        "Keep or drop a last batch that is shorter than the others. Default: keep, with a warning.",
        choices=("keep", "drop"),
        rule="partial",
    )
    weights: str | None = option(
        "The weight of a batch: its share of the pairs that are positive or returned, of the "
        "pairs that the metric itself uses, or of the documents of these pairs. Default: shared.",
        choices=("shared", "own", "documents"),
        rule="weights",
    )
    require_positives: int = option(
        "Leave out topics with fewer positives in the period.",
        default=0,
        metavar="N",
        at_least=0,
    )
    teams: str | None = file_option(
        "For --show teams: the team of each run, a table `run team`. Default: the part of the "
        "run's name before the first hyphen. A run named after its file is its own team.",
        within=("teams",),
    )
    residuals: str = option(
        "The residuals that `--show stability` and the verdict of `--show fits` use.",
        default="raw",
        choices=("raw", "weighted"),
        within=("fits", "stability"),
    )
    series: Path | None = output_option(
        "Write every batch of every metric to this file: csv, tsv, json or parquet by its suffix.",
        forms=ROW_FORMS,
        not_within=STREAMS,
    )


def level_of(truth: Table, asked: str | None) -> tuple[str, list[str]]:
    """Return from which rating on a document is positive, with a warning if that is a guess.

    A plain table may say 0 and 1; then 1 is positive.
    """
    is_official = "rating" in truth.frame.columns
    if asked is not None or is_official or (files.ratings(truth) >= LEVELS["vital"]).any():
        return asked or "vital", []
    return "useful", [
        "no relevance is 2 or above, so 1 is taken for positive: --level says otherwise"
    ]


def cutoffs_of(rules: rows.FilterRules, options: FilterOptions) -> FloatArray:
    """Return the cutoffs to try, in ascending order."""
    if options.cutoff in (SWEEP, ALL):
        step = options.cutoff_step or rules.step
        return np.arange(rules.lowest, rules.highest + 1, step, dtype=np.float64)
    if options.cutoff_step is not None:
        raise UsageError("a step of cutoffs has no meaning with one cutoff, or with a list of them")
    try:
        cutoffs = np.unique(np.array(options.cutoff.split(","), np.float64))
    except ValueError:
        cutoffs = np.array([np.nan])
    if not np.isfinite(cutoffs).all():
        raise UsageError(
            f"cutoff cannot be '{options.cutoff}': give a number, or {SWEEP}; for each of several "
            f"by itself numbers with commas between them, or {ALL}"
        )
    return cutoffs


def changed(values: Sequence[float], default: Sequence[float]) -> str:
    """Return numbers for a signature; nothing if they are those of the papers."""
    return "" if values == default else ",".join(map(written, values))


@frozen(kw_only=True)
class FilterEvaluation(FrameEvaluation):
    """Runs and truth, ready for any measure."""

    words: ClassVar[Words] = Words(
        "judged documents", missing_left_out="left out", undefined_topics=False
    )
    readers: ClassVar[Mapping[str, TableReader]] = {"runs": files.RUNS, "truth": files.JUDGMENTS}

    frames: TrendIndex

    @classmethod
    def build(cls, request: Request) -> Content:
        """Match the pairs, restrict them to the period, and choose the cutoffs."""
        _, options, rules, tables, *_ = request
        if not options.batches:
            raise UsageError("no length of batches is given")
        for length in options.batches:
            length_of("--batch", length)
        level, warnings = level_of(tables["truth"], options.level)
        pairs = rows.pair(tables, LEVELS[level], rules, request.others)
        is_relative = any(each.is_relative for table in tables.values() for each in table.sources)
        dates, limits = pairs.judged["time"], (options.start, options.end)
        period = rows.Period.of(dates, *limits, relative=is_relative)
        counted = rows.restrict(pairs, period, options.require_positives)
        topics, cutoffs = tuple(counted.topics), cutoffs_of(rules, options)
        times = pl.DataFrame({"topic": topics}, {"topic": pl.Enum(topics)})
        index = TrendIndex(
            runs=tables["runs"].runs,
            topics=topics,
            times=times.with_columns(start=pl.lit(period.start)),
            outputs=counted.returned,
            frames={"judged": counted.judged, "returned": counted.returned},
            rules=rules,
            constants=Constants(options.zeta, options.f_weights, options.costs),
            lengths=tuple(dict.fromkeys(options.batches)),
            period=period,
            cutoffs=cutoffs,
            by_cutoff=options.cutoff == ALL or "," in options.cutoff,
            counting=np.ones((len(tables["runs"].runs), len(topics)), bool),
        )
        required = options.require_positives
        found = rows.find_warnings(tables["runs"], pairs, counted, cutoffs, rules, required)
        traits = {
            "period": f"{written(period.start)}-{written(period.end)}",
            "batch": ",".join(index.lengths),
            "cutoff": options.cutoff,
            "cutoff-step": str(options.cutoff_step or ""),
            "zeta": changed([options.zeta], [1.0]),
            "f-weights": changed(options.f_weights, EVEN),
            "costs": changed(options.costs, COSTS),
            "require-positives": str(required or ""),
            "missing": ON_MISSING,
            "level": level,
        }
        return Content(index, (*warnings, *found), traits)

    def resolve_measures(self, wanted: list[Measure]) -> list[Measure]:
        """Return the measures, a trend for every length of batches; a single one is not named."""
        if not self.frames.runs:
            raise UsageError("no run is given: name at least one table of returned documents")
        lengths, chosen = self.frames.lengths, list[Measure]()
        for each in wanted:
            is_open = measures.is_of_batches(each) and not each.has("batch") and len(lengths) > 1
            chosen += [each(batch=length) for length in lengths] if is_open else [each]
        return chosen

    def has_times(self, measure: Measure) -> bool:  # noqa: ARG002 - all alike
        """Return that no measure has times, nor a curve: the period is set otherwise."""
        return False

    follows = has_times

    def prepared_for(self, wanted: Sequence[Measure], *, per_topic: bool) -> FilterEvaluation:
        """Return the same with an index that knows which metrics it will be asked for."""
        metrics = tuple(dict.fromkeys(map(measures.metric_of, wanted)))
        return replace(self, frames=replace(self.frames, metrics=metrics, by_topic=per_topic))

    def without_missing(self) -> FilterEvaluation:
        """Return the same, where topics of which a run has nothing are left out of its counts."""
        index = replace(self.frames, counting=self.frames.present, known={})
        return replace(self, frames=index)

    def trends(self, wanted: Sequence[Measure]) -> list[tuple[str, str]]:
        """Return each metric and length of batches that is asked for; of F_pra without any."""
        index = self.frames
        of_batches = filter(measures.is_of_batches, wanted)
        asked = [measures.trend_of(each, index) for each in of_batches]
        return list(dict.fromkeys(asked or [(measures.FIRST, each) for each in index.lengths]))

    def caveats(self, wanted: Sequence[Measure]) -> Iterator[str]:
        """Yield what a reader should know of batches and trends."""
        if any(map(measures.is_of_batches, wanted)):
            yield from self.frames.warnings(self.trends(wanted))

    def finished(self, scores: Scores) -> Scores:
        """Return the scores, with topics only if these are of interest.

        A warning names the measures that are undefined for a run, unless another has told that it
        has no trend.
        """
        index, of_runs = self.frames, dict[tuple[str, ...], list[str]]()
        index.refuse_several_cutoffs()
        for measure in parse_measures(scores.measures, measures.FAMILY):
            trend = measures.trend_of(measure, index)
            has_trend = measure.definition.name in measures.STATISTICS
            without = index.without_trend(*trend) if has_trend else []
            others = (run for run in scores.runs if run not in without)
            runs = tuple(run for run in others if scores.value(measure, run=run) is None)
            of_runs.setdefault(runs, []).append(str(measure))
        of_runs.pop((), None)
        warnings = tuple(
            f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} undefined for {listed(runs)}"
            for runs, names in of_runs.items()
        )
        scores = replace(scores, warnings=(*scores.warnings, *warnings))
        if index.by_topic:
            return scores
        parts = {name: getattr(scores, name)[:, :0] for name in ("values", "defined", "counted")}
        return replace(scores, topics=(), **parts)

    def notes(self, wanted: Sequence[Measure]) -> tuple[str, ...]:
        """Return how runs are ranked by their end points."""
        has_batches = any(map(measures.is_of_batches, wanted))
        return explain.ranking_notes(self.frames, self.trends(wanted)) if has_batches else ()


class FilterGold(FrameGold):
    """The truth, to which documents are held as they come: of each pair that counts one is kept."""

    evaluation = FilterEvaluation
    has_sums = False
    marks_repeats = True
    key = ("run", *files.PAIR)

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.truth, rules = self.request.tables["truth"], self.request.rules
        level = LEVELS[level_of(self.truth, self.request.options.level)[0]]
        self.pairs = self.truth.frame.select(files.PAIR).unique()
        topics = self.pairs["topic"].unique().to_list()
        if rules.own_rating == "obey":  # what a run itself rates lower is not returned
            self.reader = replace(
                self.reader, check=partial(rows.drop_rated, level, topics, self.reader.check)
            )

    def keep(self, rows_read: pl.DataFrame) -> pl.Series:
        """Return the best of each pair, and the earliest where these tell the times."""
        ignores = self.request.rules.unjudged == "ignore"
        return rows.keep_best(rows_read, self.truth, self.pairs if ignores else None)


SECTIONS = (
    Section("ranking", "Ranked by end points", explain.report_ranking, leads=True),
    Section("trends", "Trends over batches", explain.report_trends, leads=True),
)
TAKEN = ("batches", "cutoff", "level", "start", "end")
"""The options that a report takes."""
SHOWN = ("end", "end-se", "slope", "se", "t", "p", "cutoff")
"""The statistics that are shown of a trend if none is asked for."""
edition_of = partial(Edition, family=measures.FAMILY, on_missing=ON_MISSING)
KENTER2015 = edition_of(
    name="kenter2015",
    summary="batches, trends and end points, as the paper on filtering over time has them",
    measures=(*(f"{name}(F_pra)" for name in SHOWN), USUAL),
    leading=("end(F_pra)", "slope(F_pra)", "F_1"),
    citation=measures.CITATION,
    rules=rows.FilterRules(),
)
DIETZ2013 = edition_of(
    name="dietz2013",
    summary="means over intervals, uniform and burst-aware",
    measures=("uniform(P)", "uniform(R)", "uniform(F_1)", "burst(P)", "burst(R)", "burst(F_1)"),
    leading=("uniform(F_1)", "burst(F_1)", "uniform(P)", "uniform(R)"),
    citation=measures.DIETZ,
    rules=rows.FilterRules(lowest=0, highest=998, kept="above", unsure="drop"),
)
KBA2013 = edition_of(
    name="kba2013",
    summary="what the official scorer of the KBA tracks computes",
    measures=("P", "R", "F_1", "T11SU"),
    leading=("F_1", "P", "R", "T11SU"),
    citation=measures.KBA,
    rules=rows.FilterRules(lowest=0, highest=998, kept="above", own_rating="obey", entities="all"),
)
FAMILY = Family(
    name=measures.FAMILY,
    command="filter",
    summary="Score filtering over time: batches, trends, end points.",
    description="""\
\b
tseval filter fixtures/filter/fading.tsv fixtures/filter/steady.tsv \\
    fixtures/filter/truth.tsv --batch 1d --batch 3d

RUN is a table `topic post_id time confidence`, or a run of TREC KBA 2012 to 2014. TRUTH is a table
`topic post_id relevance`, or a truth of KBA. It needs a column `time` if neither ids nor runs have
the times. All files may be compressed; `-` is standard input.
""",
    inputs=FilterInputs,
    options=FilterOptions,
    reporting=lambda: Reporting(SECTIONS, TAKEN),
    definitions=measures.DEFINITIONS,
    editions=(KENTER2015, DIETZ2013, KBA2013),
    read=FilterEvaluation.read,
    gold=FilterGold,
    schemas=(files.TRUTH, POSTS),
    formats=files.FORMATS,
    over="a truth",
    views=explain.VIEWS,
    view_option="--show",
    writers=(explain.PICTURE,),
    beside=explain.series,
    words=FilterEvaluation.words,
    undefined_counts=False,
    times=False,
)
