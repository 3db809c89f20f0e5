"""What a reader of scores of filtering should know: the warnings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tseval.core.doubtful_times import run_spans, years_apart
from tseval.core.measure import Measure
from tseval.core.registry import measures
from tseval.core.scores import Scores
from tseval.core.wording import count, listed
from tseval.families.filtering.index import TrendIndex
from tseval.families.filtering.measures import FAMILY, has_trend, metric_of
from tseval.families.filtering.metrics import BOUNDS
from tseval.families.filtering.pairs import FilterPairs
from tseval.families.filtering.tables import Returned
from tseval.families.filtering.tally import Tally
from tseval.statistics.trend import FEWEST
from tseval.tables.times import MILLISECONDS

HIGHEST_CONFIDENCE = 1000.0
"""Where the scale of the track ends, whose cutoffs all editions have: none tells higher ones apart.
"""
SLACK = 1e-9
"""So far beyond its range a metric's end point may lie by rounding."""


def caveats(returned: Returned, pairs: FilterPairs, tally: Tally, required: int) -> Iterator[str]:
    """What is to be said of the inputs, whatever is asked of them."""
    last = pairs.judged.time.max(initial=-np.inf)  # some are in ids of documents
    if last >= MILLISECONDS:
        yield f"truth: times up to {last:.0f} look like milliseconds; they are read as seconds"
    found = run_spans(returned.run, returned.topic, returned.time)
    yield from years_apart(found, returned.topic.vocabulary())
    yield from pairs.warnings
    if required and not tally.judged.topics:
        positives = count(required, "positive")
        yield f"no topic has {positives} or more in the period, as was required: nothing counts"
    elif not tally.judged.positive.any():
        yield "no judged document of the period is positive at this level"
    yield from _of_confidences(tally)


def _of_confidences(tally: Tally) -> Iterator[str]:
    """Runs whose confidences the cutoffs cannot tell apart."""
    kept = tally.kept
    for code, run in enumerate(kept.runs):
        own = kept.confidence[kept.run == code]
        if len(own) > 1 and len(tally.cutoffs) > 1 and (own == own[0]).all():
            yield f"run {run}: every confidence is {own[0]:g}"
            continue
        if len(own) and (tally.passed[kept.run == code] == 0).all():
            least = tally.cutoffs[0]
            yield f"run {run}: no confidence passes the lowest cutoff, {least:g}: nothing counts"
        above = int((own > HIGHEST_CONFIDENCE).sum())
        if above and len(tally.cutoffs) > 1:
            noun = count(above, "confidence")
            yield f"run {run}: {noun} above {HIGHEST_CONFIDENCE:g}, beyond the highest cutoff"


def trend_warnings(index: TrendIndex, trends: Sequence[tuple[str, str]]) -> Iterator[str]:
    """A shorter last batch, and end points beyond what the metric can be."""
    for length in dict.fromkeys(batch for _, batch in trends):
        cut = index.cut(length)
        if cut.shorter:
            yield f"batch {length}: the last of {cut.number} is shorter than the others"
    for metric, length in trends if index.runs else ():
        fitted = index.fitted(metric, length)
        name = f"end({metric},batch={length})"
        without = untrended(index, metric, length)
        if without:
            few = f"fewer than {FEWEST} usable batches; shorter ones, or a longer period, have more"
            yield f"no trend of {metric} in batches of {length} for {listed(without)}: {few}"
        end = fitted.trend.end
        lowest, highest = BOUNDS.get(metric, (0.0, 1.0))
        beyond = np.flatnonzero((end < lowest - SLACK) | (end > highest + SLACK))
        if len(beyond):
            names = [f"{index.runs[at]} ({end[at]:.4f})" for at in beyond.tolist()]
            yield f"{name} is outside of the metric's range: {listed(names)}"
        silent = index.silent(fitted)
        if silent:
            yield f"{name} is best where nothing is returned: {listed(silent)}"


def undefined_runs(index: TrendIndex, scores: Scores) -> Iterator[str]:
    """Where a measure of a run is undefined, and no warning has said yet that it has no trend."""
    of_runs: dict[tuple[str, ...], list[str]] = {}
    for measure in measures(scores.measures, FAMILY):
        known = _without_trend(index, measure)
        lost = [run for run in scores.runs if scores.value(measure, run=run) is None]
        names = of_runs.setdefault(tuple(run for run in lost if run not in known), [])
        names.append(str(measure))
    for runs, names in of_runs.items():
        if runs:
            verb = "is" if len(names) == 1 else "are"
            yield f"{', '.join(names)} {verb} undefined for {listed(runs)}"


def _without_trend(index: TrendIndex, measure: Measure) -> list[str]:
    """The runs of which a warning has said that they have no trend for a measure to tell of."""
    if not has_trend(measure):
        return []
    return untrended(index, metric_of(measure), index.length_of(measure))


def untrended(index: TrendIndex, metric: str, length: str) -> list[str]:
    """The runs that have too few usable batches for a trend, at any cutoff."""
    fitted = index.fitted(metric, length).trend.fitted.tolist()
    return [run for run, is_there in zip(index.runs, fitted, strict=True) if not is_there]
