"""What a reader of scores of timelines should know: the warnings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tseval.core.measure import Measure
from tseval.core.wording import count, listed
from tseval.families.timelines.index import TimelineIndex
from tseval.families.timelines.inputs import TimelineTables
from tseval.families.timelines.measures import metric_of, size_of, wording_of
from tseval.families.timelines.tally import ALIGNED, DATES, Tally
from tseval.families.timelines.ties import spans
from tseval.families.timelines.words import ORIGINAL, REIMPL, Wording
from tseval.tables.arrow import strings
from tseval.tables.keys import unknown_by_run

SAME = 1e-12
"""Scores that differ by no more are the same."""
GLUED = (".", ",", ";", ":", '"')
"""Marks that are words of their own where spaces stand before them."""


def of_tables(tables: TimelineTables) -> Iterator[str]:
    """What is to be said of the inputs, whatever is asked of them."""
    runs = tables.runs
    yield from tables.gold.remarks
    yield from runs.remarks
    known = strings(sorted(set(tables.gold.topic.vocabulary())))
    for name, lost in unknown_by_run(runs.run, runs.topic, known):
        noun = count(len(lost), "topic")
        yield f"run {name}: {noun} not in the references, ignored: {listed(lost)}"


def of_measures(index: TimelineIndex, wanted: Sequence[Measure]) -> Iterator[str]:
    """What is to be said of these measures: of words that do not count, and of ties."""
    wordings = {wording_of(each, index) for each in wanted if metric_of(each) != DATES}
    if any(each.backend == ORIGINAL for each in wordings):
        yield from _uncountable(index)
    if any(each.backend == REIMPL for each in wordings):
        yield from _glued(index)
    yield from _ties(index, wanted)


def _texts(tally: Tally) -> Iterator[str]:
    """All sentences of both sides."""
    for timeline in (tally.predicted, *tally.references):
        for summary in timeline.summaries:
            yield from summary


def _uncountable(index: TimelineIndex) -> Iterator[str]:
    """A warning where most sentences have no letter that the original ROUGE knows."""
    plain = Wording(ORIGINAL, stems=False, drops_stop_words=False)
    for at, topic in enumerate(index.topics):
        for tally in filter(None, index.tallies[at :: len(index.topics)]):
            texts = [text for text in _texts(tally) if text]
            without = sum(not plain.tokens([text]) for text in texts)
            if without > len(texts) / 2:
                yield (
                    f"topic {topic}: {without} of {len(texts)} sentences have none of the letters "
                    "a to z, and count for nothing: use `reimpl` (--rule backend=reimpl)"
                )
                break


def _glued(index: TimelineIndex) -> Iterator[str]:
    """A warning where most sentences end in a word with a full stop or the like behind it."""
    texts = {text for tally in filter(None, index.tallies) for text in _texts(tally) if text}
    ends = [text.split()[-1] for text in texts if text.split()]
    glued = sum(len(end) > 1 and end.endswith(GLUED) for end in ends)
    if glued > len(ends) / 2:
        yield (
            f"{glued} of {len(ends)} sentences end in a word with a mark at its end, which "
            "`reimpl` takes for another word: put spaces between them"
        )


def _ties(index: TimelineIndex, wanted: Sequence[Measure]) -> Iterator[str]:
    """A warning for each run and metric whose score depends on the alignment that is taken."""
    asked = dict.fromkeys(
        (metric_of(each), wording_of(each, index), size_of(each))
        for each in wanted
        if metric_of(each) in ALIGNED
    )
    told: dict[tuple[str, str], tuple[set[str], float]] = {}
    for metric, wording, size in asked:
        for found in spans(index, metric, wording, size):
            if found.width > SAME:
                topics, most = told.get((found.run, metric), (set[str](), 0.0))
                told[found.run, metric] = topics | {found.topic}, max(most, found.width)
    for (run, metric), (topics, most) in told.items():
        noun = count(len(topics), "topic")
        yield (
            f"run {run}: {metric} depends on which of several best alignments is taken, by up to "
            f"{most:.2g}, in {noun}: {listed(sorted(topics))} (--explain ties)"
        )
