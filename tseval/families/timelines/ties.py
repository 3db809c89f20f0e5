"""Where several alignments cost the same: between what they put a score."""

from __future__ import annotations

from collections.abc import Iterator

from tseval.families.timelines.alignment import Range
from tseval.families.timelines.index import TimelineIndex
from tseval.families.timelines.tally import Sums
from tseval.families.timelines.words import Wording
from tseval.records import frozen


@frozen
class Span:
    """Precision and recall of a run's topic, and the range of each over the best alignments."""

    run: str
    topic: str
    precision: float
    recall: float
    precisions: Range
    recalls: Range

    @property
    def width(self) -> float:
        """By how much precision or recall can differ."""
        return max(each.high - each.low for each in (self.precisions, self.recalls))


def spans(index: TimelineIndex, metric: str, wording: Wording, size: int) -> Iterator[Span]:
    """The range of each run and topic in which several alignments are the best."""
    for unit, tally in enumerate(index.tallies):
        if tally is None or not tally.has_days:
            continue
        found = tally.ranges(metric, wording, size)
        if found is None:
            continue
        sums = tally.sums(metric, wording, size)
        run, topic = divmod(unit, len(index.topics))
        yield Span(
            index.runs[run],
            index.topics[topic],
            sums.precision,
            sums.recall,
            *_shares(found, sums),
        )


def _shares(ranges: tuple[Range, Range], sums: Sums) -> Iterator[Range]:
    """The ranges as shares of what was predicted, and of the references."""
    for each, number in zip(ranges, (sums.predicted, sums.reference), strict=True):
        yield Range(each.low / number, each.high / number) if number else Range(0.0, 0.0)
