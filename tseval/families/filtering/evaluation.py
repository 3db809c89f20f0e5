"""From inputs to everything that a measure of filtering needs: paired, cut, described."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tseval.core.editions import Edition
from tseval.core.family import Access, Evaluation, Words, hashes
from tseval.core.measure import Measure
from tseval.core.scores import Scores
from tseval.errors import UsageError
from tseval.families.filtering.caveats import caveats, trend_warnings, undefined_runs
from tseval.families.filtering.index import TrendIndex
from tseval.families.filtering.inputs import (
    LEVELS,
    FilterInputs,
    FilterOptions,
    check_options,
    cutoffs_of,
    level_of,
    read_tables,
)
from tseval.families.filtering.measures import FIRST, is_of_batches, metric_of
from tseval.families.filtering.metrics import COSTS, EVEN, METRICS
from tseval.families.filtering.pairs import FilterPairs, paired
from tseval.families.filtering.period import Period
from tseval.families.filtering.rules import FilterRules
from tseval.families.filtering.tally import Tally
from tseval.records import frozen
from tseval.tables.times import written

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray


@frozen(kw_only=True)
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
        from tseval.families.filtering.trend_tables import ranking_notes

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

    Without runs there is a truth to look at, and nothing to score.
    """
    check_options(options)
    changed = edition.rules.changed(rules)
    tables = read_tables(inputs, access)
    level, warned = level_of(tables.truth, options.level)
    pairs = paired(tables.returned, tables.truth, LEVELS[level], changed)
    relative = any(each.is_relative for each in tables.records())
    tally = _tally(pairs, changed, options, relative=relative)
    traits = _traits(edition, changed, options, tally.period)
    return FilterEvaluation(
        edition=edition,
        trend_index=TrendIndex(tally, changed, options.constants, options.lengths),
        options=options,
        traits=traits | {"level": level} | hashes({"truth": tables.truth.origin}),
        inputs=tables.records(),
        warnings=(*warned, *caveats(tables.returned, pairs, tally, options.require_positives)),
    )


def _tally(
    pairs: FilterPairs, rules: FilterRules, options: FilterOptions, *, relative: bool
) -> Tally:
    """The pairs of the period, with the entities that count: those of the whole truth."""
    period = Period.of(pairs.judged.time, options.start, options.end, relative=relative)
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
