"""What stands beside scores: partners of days, ties, and how long timelines are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tseval.core.family import Asked, Shown
from tseval.core.measure import Measure
from tseval.errors import UsageError
from tseval.families.timelines.dates import seconds_of, written
from tseval.families.timelines.evaluation import TimelineEvaluation
from tseval.families.timelines.index import TimelineIndex
from tseval.families.timelines.inputs import TimelineOptions
from tseval.families.timelines.measures import metric_of, size_of, wording_of
from tseval.families.timelines.tally import ALIGNED, Tally, Timeline
from tseval.families.timelines.ties import spans
from tseval.families.timelines.words import Wording
from tseval.tables import ABSENT
from tseval.tables.times import UNITS

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

SHOWN = tuple(f"{metric}(rouge_1)" for metric in ALIGNED)
"""The measures that are explained if none is asked for."""


def _each(evaluation: TimelineEvaluation, measures: Sequence[Measure]) -> Iterator[Measure]:
    """One measure for each metric, ROUGE and size; those without an alignment are refused."""
    index = evaluation.timelines
    known = set()
    for each in measures:
        if metric_of(each) not in ALIGNED:
            raise UsageError(f"{each} aligns no days: choose among {', '.join(ALIGNED)}")
        key = metric_of(each), wording_of(each, index), size_of(each)
        if key not in known:
            known.add(key)
            yield each


def _names(measure: Measure, index: TimelineIndex) -> list[Any]:
    return [metric_of(measure), f"rouge_{size_of(measure)}", wording_of(measure, index).backend]


def partners(evaluation: TimelineEvaluation, asked: Asked[TimelineOptions]) -> Shown:
    """A row a day: its partner in the alignment, the days between, the n-grams that both share."""
    import pandas as pd

    index = evaluation.timelines
    rows: list[list[Any]] = []
    for measure in _each(evaluation, asked.measures):
        wording, size = wording_of(measure, index), size_of(measure)
        for unit, tally in enumerate(index.tallies):
            run, topic = divmod(unit, len(index.topics))
            if tally is None or not tally.has_days:
                continue
            head = [index.runs[run], index.topics[topic], *_names(measure, index)]
            found = _partners(tally, metric_of(measure), wording, size)
            rows += [[*head, *each] for each in found]
    columns = [
        "run", "topic", "measure", "rouge", "backend", "side", "date", "partner", "days_apart",
        "hits", "weight", "ngrams",
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=columns).astype({"days_apart": "Int64", "hits": "Int64"})
    return Shown(
        frame,
        (
            "precision is the sum of hits times weight over predicted days by that of ngrams, "
            "recall the same over reference days",
        ),
        for_people=(
            "run",
            "topic",
            "measure",
            "side",
            "date",
            "partner",
            "hits",
            "weight",
            "ngrams",
        ),
    )


def _partners(tally: Tally, metric: str, wording: Wording, size: int) -> Iterator[list[Any]]:
    """Both alignments, a row a day."""
    counts = tally.counts(wording, size)
    forth, back = tally.aligned(metric)
    own, other = tally.days, tally.reference_days
    for row in _of_side(own, other, forth, counts.hits, counts.predicted):
        yield ["predicted", *row]
    for row in _of_side(other, own, back, counts.hits.T, counts.reference):
        yield ["reference", *row]


def _of_side(
    days: IntArray, others: IntArray, chosen: IntArray, hits: IntArray, numbers: IntArray
) -> Iterator[list[Any]]:
    """Each day with its partner, the days between, what both share, its weight, what it has."""
    rows = zip(days.tolist(), chosen.tolist(), numbers.tolist(), strict=True)
    for at, (day, place, number) in enumerate(rows):
        if place == ABSENT:
            yield [written(day), None, None, None, 0.0, number]
            continue
        partner = int(others[place])
        apart = abs(partner - day)
        yield [written(day), written(partner), apart, int(hits[at, place]), 1 / (apart + 1), number]


def ties(evaluation: TimelineEvaluation, asked: Asked[TimelineOptions]) -> Shown:
    """A row a run and topic in which several alignments are the best: what scores they give."""
    import pandas as pd

    index = evaluation.timelines
    rows = []
    for measure in _each(evaluation, asked.measures):
        wording, size = wording_of(measure, index), size_of(measure)
        for each in spans(index, metric_of(measure), wording, size):
            if each.width > 0:
                precisions = each.precisions.low, each.precision, each.precisions.high
                recalls = each.recalls.low, each.recall, each.recalls.high
                head = [each.run, each.topic, *_names(measure, index)]
                rows.append([*head, *precisions, *recalls])
    columns = [
        "run", "topic", "measure", "rouge", "backend", "lowest_P", "P", "highest_P", "lowest_R",
        "R", "highest_R",
    ]  # fmt: skip
    return Shown(pd.DataFrame(rows, columns=columns), () if rows else ("no score depends on ties",))


def lengths(evaluation: TimelineEvaluation, _: Asked[TimelineOptions]) -> Shown:
    """A row a run and topic: how long its timeline is, and the references on average."""
    import pandas as pd

    index = evaluation.timelines
    rows = []
    for unit, tally in enumerate(index.tallies):
        run, topic = divmod(unit, len(index.topics))
        if tally is not None:
            own = _lengths(tally.predicted)
            others = [_lengths(each) for each in tally.references]
            means = [sum(each) / len(others) for each in zip(*others, strict=True)]
            rows.append([index.runs[run], index.topics[topic], *own, len(others), *means])
    sides = [
        f"{whose}{what}" for whose in ("", "reference_") for what in ("dates", "sentences", "words")
    ]
    columns = ["run", "topic", *sides[:3], "references", *sides[3:]]
    return Shown(pd.DataFrame(rows, columns=columns))


WITHIN = (*range(8), 30)
"""How many days apart dates may be in the table of tolerance."""


def tolerance(evaluation: TimelineEvaluation, _: Asked[TimelineOptions]) -> Shown:
    """A row a run, topic and number of days that two dates may be apart: how well dates do."""
    import pandas as pd

    rows = [
        [run, topic, within, *_date_scores(tally, within)]
        for run, topic, tally in _with_days(evaluation.timelines)
        for within in WITHIN
    ]
    frame = pd.DataFrame(rows, columns=["run", "topic", "within", "P", "R", "F"])
    note = "`within` is how many days two dates may be apart; each date counts once"
    return Shown(frame, (note,))


def _with_days(index: TimelineIndex) -> Iterator[tuple[str, str, Tally]]:
    """Each run and topic of which both sides have dates."""
    for unit, tally in enumerate(index.tallies):
        run, topic = divmod(unit, len(index.topics))
        if tally is not None and tally.has_days:
            yield index.runs[run], index.topics[topic], tally


def _date_scores(tally: Tally, within: int) -> tuple[float, float, float]:
    sums = tally.date_sums(within)
    both = sums.precision + sums.recall
    return sums.precision, sums.recall, 2 * sums.precision * sums.recall / both if both else 0.0


def lags(evaluation: TimelineEvaluation, asked: Asked[TimelineOptions]) -> Shown:
    """A row a run, topic and alignment: how late days are dated, and how late summaries were there.

    Positive is late. They are of the days of references that have a partner which shares a word.
    """
    import pandas as pd

    index = evaluation.timelines
    rows: list[list[Any]] = []
    for measure in _each(evaluation, asked.measures):
        metric, wording, size = metric_of(measure), wording_of(measure, index), size_of(measure)
        for run, topic, tally in _with_days(index):
            back, hits = tally.aligned(metric).back, tally.counts(wording, size).hits
            met = np.flatnonzero(back != ABSENT)
            met = met[hits[back[met], met] > 0]
            days = tally.days[back[met]] - tally.reference_days[met]
            begin = np.array([seconds_of(day) for day in tally.reference_days[met].tolist()])
            delay = (tally.times[back[met]] - begin) / UNITS["h"]
            head = [run, topic, *_names(measure, index), len(tally.reference_days), len(met)]
            shares = [_known(np.mean, each) for each in (days < 0, days == 0, days > 0)]
            rows.append([*head, *shares, _known(np.median, days), _known(np.median, delay)])
    columns = [
        "run", "topic", "measure", "rouge", "backend", "days", "met", "early", "on_time", "late",
        "median_days", "median_hours",
    ]  # fmt: skip
    notes = (
        "of the days of references that are met, the shares that are dated too early, rightly and "
        "too late; the median of days by which, and of hours from their day until they were there",
    )
    people = tuple(name for name in columns if name not in ("rouge", "backend"))
    return Shown(pd.DataFrame(rows, columns=columns), notes, for_people=people)


def _known(function: Callable[..., Any], values: IntArray | FloatArray | BoolArray) -> float | None:
    """A mean or median; None of nothing."""
    return float(function(values)) if len(values) else None


def _lengths(timeline: Timeline) -> tuple[int, int, int]:
    sentences = [each for summary in timeline.summaries for each in summary if each]
    return len(timeline.days), len(sentences), sum(len(each.split()) for each in sentences)
