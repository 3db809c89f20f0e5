"""From files to everything that a measure of filtering needs: read, paired, cut, described."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tseval.core.declared import argument, file_option, input_tables, option, output_option
from tseval.core.editions import Edition
from tseval.core.family import Access, Evaluation, Words, hashes
from tseval.core.measure import Measure
from tseval.core.scores import Scores
from tseval.errors import UsageError
from tseval.families.filtering.caveats import caveats, trend_warnings, undefined_runs
from tseval.families.filtering.files import read_returned, read_truth
from tseval.families.filtering.index import Constants, TrendIndex
from tseval.families.filtering.measures import FIRST, is_of_batches, metric_of
from tseval.families.filtering.metrics import COSTS, EVEN, METRICS
from tseval.families.filtering.pairs import FilterPairs, paired
from tseval.families.filtering.period import Period, seconds_of
from tseval.families.filtering.rules import FilterRules
from tseval.families.filtering.tables import RETURNED, TRUTH, Truth
from tseval.families.filtering.tally import Tally
from tseval.files.forms import check_forms
from tseval.files.frames import check_inputs
from tseval.files.rows import ROW_FORMS
from tseval.parallel.runs import Spread
from tseval.tables.times import NotANumber, number, written

if TYPE_CHECKING:
    from tseval.files.reading import Given
    from tseval.tables.columns import FloatArray

LEVELS = {"vital": 2.0, "useful": 1.0, "neutral": 0.0}
"""The rating from which on a document is positive, by its name."""
SWEEP = "sweep"
"""What asks for every cutoff of the edition."""
DEFAULT_BATCH = "1d"
RAW, WEIGHTED = "raw", "weighted"
"""The residuals that a verdict goes by."""
RANKING, TEAMS, TESTS, FITS, STABILITY, BURSTS = VIEWS = (
    *("ranking", "teams", "tests", "fits", "stability", "bursts"),
)
"""What can be shown instead of scores."""


def _numbers(flag: str, example: str) -> Callable[[str | tuple[float, ...]], tuple[float, ...]]:
    """What reads the numbers of an option from its text."""

    def numbers(text: str | tuple[float, ...]) -> tuple[float, ...]:
        if isinstance(text, tuple):  # the default
            return text
        try:
            return tuple(map(number, text.split(",")))
        except NotANumber:
            raise UsageError(
                f"{flag}: write three numbers, such as {example}; not '{text}'"
            ) from None

    return numbers


@dataclass(frozen=True)
class FilterInputs:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    runs: Sequence[Given] = argument("RUN", "one or more runs", RETURNED, several=True)
    truth: Given = argument("TRUTH", "the truth", TRUTH)


@dataclass(frozen=True)
class FilterOptions:
    """The period and its batches, what is returned, what is positive, and what is shown."""

    batches: tuple[str, ...] = option(
        "--batch",
        "How long a batch lasts, such as 12h or 7d; repeatable.",
        default=(DEFAULT_BATCH,),
        metavar="LENGTH",
        several=True,
        shows_default=True,
    )
    start: str | None = option(
        "--start",
        "Where the period starts: Unix seconds, ISO 8601, or 6h, 2d from the first judged "
        "document. Default: there.",
        metavar="TIME",
    )
    end: str | None = option(
        "--end",
        "Where it ends; 30d counts from its start. Default: just after the last judged document.",
        metavar="TIME",
    )
    cutoff: str = option(
        "--cutoff",
        "The confidence from which on a document is returned; sweep tries those of the edition "
        "and takes for each run the one with the best end point.",
        default=SWEEP,
        metavar="N|sweep",
        shows_default=True,
    )
    cutoff_step: int | None = option(
        "--cutoff-step", "The step of the sweep.", metavar="N", kind=int, at_least=1
    )
    level: str | None = option(
        "--level",
        "What is positive: documents rated vital (2), useful (1) or neutral (0), or better. "
        "Default: vital; in a plain table without a 2, useful.",
        choices=tuple(LEVELS),
    )
    zeta: float = option(
        "--zeta", "How slowly aptness falls.", default=1.0, kind=float, shows_default=True
    )
    f_weights: tuple[float, ...] = option(
        "--f-weights",
        "How much P, R and A weigh in F_pr and F_pra. Default: 1,1,1.",
        default=EVEN,
        metavar="P,R,A",
        kind=_numbers("--f-weights", "1,1,1"),
    )
    costs: tuple[float, ...] = option(
        "--costs",
        "For C_trk: what a miss and a false alarm cost, and what share of documents are targets. "
        "Default: 1,0.1,0.02.",
        default=COSTS,
        metavar="MISS,ALARM,TARGET",
        kind=_numbers("--costs", "1,0.1,0.02"),
    )
    unjudged: str | None = option(
        "--unjudged",
        "Returned documents that nobody judged; fp: false positives. Default: ignore.",
        choices=("ignore", "fp"),
        rule="unjudged",
    )
    votes: str | None = option(
        "--votes",
        "Whether all assessors have to find a document positive, or any. Default: all.",
        choices=("all", "any"),
        rule="votes",
    )
    partial: str | None = option(
        "--partial",
        "A last batch that is shorter than the others. Default: keep, with a warning.",
        choices=("keep", "drop"),
        rule="partial",
    )
    weights: str | None = option(
        "--weights",
        "A batch weighs its share of the pairs that are positive or returned, or of what the "
        "metric itself is taken from. Default: shared.",
        choices=("shared", "own"),
        rule="weights",
    )
    require_positives: int = option(
        "--require-positives",
        "Leave out topics with fewer positives than this in the period.",
        default=0,
        metavar="N",
        kind=int,
        at_least=0,
        shows_default=True,
    )
    teams: str | None = file_option(
        "--teams",
        "For --show teams: whose each run is, a table `run team`. Default: what stands before the "
        "first hyphen of the run's name; a run that is called as its file is a team by itself.",
        within=(TEAMS,),
    )
    residuals: str = option(
        "--residuals",
        "The residuals that the verdict of `--show fits`, and `--show stability`, look at.",
        default=RAW,
        choices=(RAW, WEIGHTED),
        shows_default=True,
        within=(FITS, STABILITY),
    )
    series: Path | None = output_option(
        "--series",
        "Write every batch of every metric there; the suffix decides: csv, tsv, json, parquet.",
        forms=ROW_FORMS,
    )

    @property
    def lengths(self) -> tuple[str, ...]:
        """The lengths of batches, each once."""
        return tuple(dict.fromkeys(self.batches))

    @property
    def constants(self) -> Constants:
        """The numbers in the formulas of metrics."""
        return Constants(self.zeta, self.f_weights, self.costs)

    @property
    def weighted(self) -> bool:
        """Whether weighted residuals are looked at."""
        return self.residuals == WEIGHTED


@dataclass(frozen=True, kw_only=True)
class FilterEvaluation(Evaluation):
    """Runs and truth, ready for any measure."""

    words: ClassVar[Words] = Words(
        "judged documents", missing_left_out="left out", undefined_topics=False
    )

    trend_index: TrendIndex
    options: FilterOptions

    @property
    def index(self) -> TrendIndex:
        """What measures are taken from."""
        return self.trend_index

    @property
    def starts(self) -> FloatArray:
        """When each topic starts: with the period."""
        tally = self.trend_index.tally
        return np.full(len(tally.judged.topics), tally.period.start)

    def times_of(self, measure: Measure, index: TrendIndex) -> FloatArray:  # noqa: ARG002 - all alike
        """Measures are of the period: none is taken before its end."""
        return np.full(len(index.runs) * len(index.topics), np.inf)

    def has_times(self, measure: Measure) -> bool:  # noqa: ARG002 - all alike
        """The period is set otherwise."""
        return False

    def follows(self, measure: Measure) -> bool:  # noqa: ARG002 - all alike
        """What is to be followed is in the batches themselves."""
        return False

    def settled(self, wanted: list[Measure]) -> list[Measure]:
        """The measures; a trend for every length of batches. With one alone it is not named."""
        if not self.trend_index.runs:
            raise UsageError("no run is given: name at least one table of returned documents")
        for each in wanted:
            if each.at is not None:
                raise UsageError(
                    f"{each}: filtering has no @TIME; --start and --end set the period"
                )
        lengths = self.options.lengths
        if len(lengths) == 1:
            return wanted
        return [
            each
            for measure in wanted
            for each in (
                [measure]
                if not is_of_batches(measure) or measure.has("batch")
                else [measure(batch=length) for length in lengths]
            )
        ]

    def prepared_for(self, wanted: Sequence[Measure], *, per_topic: bool) -> FilterEvaluation:
        """The same with an index that knows which metrics it will be asked for."""
        metrics = [metric_of(each) for each in wanted if is_of_batches(each)]
        if self.options.series is not None:
            metrics = list(METRICS)
        index = replace(self.trend_index, metrics=tuple(dict.fromkeys(metrics)), by_topic=per_topic)
        return replace(self, trend_index=index)

    def without_missing(self) -> FilterEvaluation:
        """The same, where topics of which a run has nothing are left out of its counts."""
        return self._without_missing

    @cached_property
    def _without_missing(self) -> FilterEvaluation:
        index = self.trend_index
        tally = replace(index.tally, taken=index.present)
        fresh = TrendIndex(tally, index.rules, index.constants, index.lengths)
        return replace(self, trend_index=fresh)

    def trends(self, wanted: Sequence[Measure]) -> list[tuple[str, str]]:
        """Each metric and length of batches whose trend is asked for; F_pra's if none is."""
        index = self.trend_index
        asked = [(metric_of(each), index.length_of(each)) for each in wanted if is_of_batches(each)]
        return list(dict.fromkeys(asked or [(FIRST, length) for length in index.lengths]))

    def caveats(self, wanted: Sequence[Measure]) -> Iterator[str]:
        """What a reader should know of batches and trends."""
        if any(map(is_of_batches, wanted)):
            yield from trend_warnings(self.trend_index, self.trends(wanted))

    def finished(self, scores: Scores) -> Scores:
        """The scores, of topics only if these are of interest; where `all` has none is told."""
        told = (*scores.warnings, *undefined_runs(self.trend_index, scores))
        if self.trend_index.by_topic:
            return replace(scores, warnings=told)
        return replace(
            scores,
            topics=(),
            values=scores.values[:, :0],
            defined=scores.defined[:, :0],
            counted=scores.counted[:, :0],
            warnings=told,
        )

    def notes(self, wanted: Sequence[Measure]) -> tuple[str, ...]:
        """How runs are ranked by their end points."""
        from tseval.families.filtering.reports import ranking_notes

        asked = self.trends(wanted) if any(map(is_of_batches, wanted)) else []
        return ranking_notes(self.trend_index, asked)

    def signature(self, **more: str) -> str:
        """One line that names all that can change a number; nothing counts undefined values."""
        return super().signature(**more | {"undefined": ""})


def read(
    inputs: FilterInputs,
    options: FilterOptions,
    edition: Edition[FilterRules],
    rules: Mapping[str, str],
    access: Access,
) -> FilterEvaluation:
    """Read every input; a fault in any of them is an `InputError`.

    Without runs there is a truth to look at, and nothing to score. It is the reading of the runs
    that is shared.
    """
    _check(options)
    changed = edition.rules.changed(rules)
    check_inputs([*inputs.runs, inputs.truth])
    check_forms(access.forms, input_tables(FilterInputs))
    returned = read_returned(inputs.runs, access.form("run"), Spread(access.sharing))
    truth = read_truth(inputs.truth, access.form("truth"))
    level, warned = _level(truth, options.level)
    pairs = paired(returned, truth, LEVELS[level], changed)
    tally = _tally(pairs, changed, options)
    traits = _traits(edition, changed, options, tally.period)
    return FilterEvaluation(
        edition=edition,
        trend_index=TrendIndex(tally, changed, options.constants, options.lengths),
        options=options,
        traits=traits | {"level": level} | hashes({"truth": truth.origin}),
        inputs=(*returned.origin.sources, *truth.origin.sources),
        warnings=(*warned, *caveats(returned, pairs, tally, options.require_positives)),
    )


def _check(options: FilterOptions) -> None:
    """Refuse options that have no meaning."""
    if options.level is not None and options.level not in LEVELS:
        raise UsageError(f"level cannot be '{options.level}': choose one of {', '.join(LEVELS)}")
    if not (np.isfinite(options.zeta) and options.zeta > 0):
        raise UsageError("zeta has to be above 0")
    weights, costs = options.f_weights, options.costs
    if len(weights) != len(EVEN) or not all(np.isfinite(w) and w > 0 for w in weights):
        raise UsageError("the weights of P, R and A have to be three numbers above 0: 1,1,1")
    of_no_use = not all(np.isfinite(cost) and cost > 0 for cost in costs)
    if len(costs) != len(COSTS) or of_no_use or costs[2] >= 1:
        raise UsageError(
            "the costs of a miss and a false alarm and the share of targets have to be three "
            "numbers above 0, the share below 1: 1,0.1,0.02"
        )
    if options.cutoff_step is not None and options.cutoff_step < 1:
        raise UsageError("the step of cutoffs has to be 1 or more")
    if not options.batches:
        raise UsageError("no length of batches is given")
    for length in options.batches:
        seconds_of(length)


def _level(truth: Truth, asked: str | None) -> tuple[str, list[str]]:
    """From which rating on a document is positive.

    A plain table may say 0 and 1; then 1 is positive, and a warning says so.
    """
    if asked is not None:
        return asked, []
    if truth.official or (truth.rating >= LEVELS["vital"]).any():
        return "vital", []
    warning = "no relevance is 2 or above, so 1 is taken for positive: --level says otherwise"
    return "useful", [warning]


def cutoffs_of(rules: FilterRules, options: FilterOptions) -> FloatArray:
    """The cutoffs to try, ascending."""
    if options.cutoff == SWEEP:
        step = options.cutoff_step or rules.step
        return np.arange(rules.lowest, rules.highest + 1, step, dtype=np.float64)
    if options.cutoff_step is not None:
        raise UsageError("a step of cutoffs has no meaning with one cutoff")
    try:
        cutoff = float(options.cutoff)
    except ValueError:
        cutoff = np.nan
    if not np.isfinite(cutoff):
        raise UsageError(f"cutoff cannot be '{options.cutoff}': give a number, or {SWEEP}")
    return np.array([cutoff])


def _tally(pairs: FilterPairs, rules: FilterRules, options: FilterOptions) -> Tally:
    """The pairs of the period, with the entities that count: those of the whole truth."""
    period = Period.of(pairs.judged.time, options.start, options.end)
    judged = pairs.judged.rows(period.holds(pairs.judged.time))
    kept = pairs.kept.rows(period.holds(pairs.kept.time))
    positive = np.bincount(judged.topic[judged.positive], minlength=len(judged.topics))
    wanted = positive >= options.require_positives
    place = np.cumsum(wanted) - 1
    judged, kept = judged.rows(wanted[judged.topic]), kept.rows(wanted[kept.topic])
    topics = tuple(t for t, is_there in zip(judged.topics, wanted, strict=True) if is_there)
    return Tally(
        judged=replace(judged, topics=topics, topic=place[judged.topic]),
        kept=replace(kept, topic=place[kept.topic]),
        period=period,
        cutoffs=cutoffs_of(rules, options),
        above=rules.kept == "above",
        taken=np.ones((len(kept.runs), len(topics)), bool),
    )


def _traits(
    edition: Edition[FilterRules], rules: FilterRules, options: FilterOptions, period: Period
) -> dict[str, str]:
    """What is not the edition's, and what was asked for; what becomes of missing topics."""
    return {
        "rules": rules.said(edition.rules),
        "period": f"{written(period.start)}-{written(period.end)}",
        "batch": ",".join(options.lengths),
        "cutoff": options.cutoff,
        "cutoff-step": str(options.cutoff_step or ""),
        "zeta": "" if options.zeta == 1 else written(options.zeta),
        "f-weights": _unless(EVEN, options.f_weights),
        "costs": _unless(COSTS, options.costs),
        "require-positives": str(options.require_positives or ""),
        "missing": edition.on_missing,
    }


def _unless(default: tuple[float, ...], numbers: tuple[float, ...]) -> str:
    """Numbers as a part of the signature; nothing where they are the default."""
    return "" if numbers == default else ",".join(map(written, numbers))
