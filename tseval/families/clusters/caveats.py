"""What is not wrong, but what a reader of scores over clusters should know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.doubtful_times import not_in_seconds, run_spans, spans, years_apart
from tseval.core.measure import Measure
from tseval.core.pools import MEAN
from tseval.core.wording import count, listed
from tseval.errors import Reason
from tseval.families.clusters.grouping import ClusterIndex
from tseval.families.clusters.pushes import PushIndex
from tseval.tables import ABSENT, all_names, natural_order
from tseval.tables.arrow import strings

if TYPE_CHECKING:
    from tseval.families.clusters.evaluation import ClusterEvaluation, Index
    from tseval.families.clusters.live import LiveIndex

REMARKS_SHOWN = 5


def caveats(
    evaluation: ClusterEvaluation, indexes: Sequence[Index], wanted: Sequence[Measure]
) -> Iterator[str]:
    """What is not wrong, but what a reader of these scores should know."""
    by_selection = any(reads_selection(each) for each in wanted)
    clusters = evaluation.tables.clusters
    remarks = () if clusters is None else clusters.remarks
    yield from (str(remark) for remark in remarks[:REMARKS_SHOWN])
    if len(remarks) > REMARKS_SHOWN:
        yield f"{len(remarks) - REMARKS_SHOWN} more such remarks; `tseval validate` lists all"
    yield from _milliseconds(evaluation)
    yield from _years_apart(evaluation, indexes)
    yield from _unjudged_topics(evaluation, indexes)
    chosen = evaluation.named is not None or evaluation.options.sample is not None
    if chosen and not by_selection:
        yield "none of these measures reads which posts are selected"
    for index in indexes:
        if isinstance(index, ClusterIndex):
            yield from _unclustered(index)
            yield from _other_times(index)
            yield from _constant_confidences(evaluation, index)
            if by_selection:
                yield from evaluation.unread
                yield from _in_several(index)
        elif isinstance(index, PushIndex):
            yield from _dropped(index)
            yield from _outside(evaluation, index)
            yield from _ungraded_topics(evaluation, index)
        else:
            yield from _without_judgments(index)


def reads_selection(measure: Measure) -> bool:
    """Whether a measure is one of the selected posts."""
    return measure.definition.reads == MEAN and not measure.has("unique")


def _in_several(index: ClusterIndex) -> Iterator[str]:
    """Selected posts that count more than once, since none of their clusters is their own."""
    times = np.bincount(index.reports.post[index.scored], minlength=len(index.posts))
    several = times > 1
    for code, run in enumerate(index.posts.run.vocabulary()):
        number = int((several & (index.posts.run.codes == code)).sum())
        if number:
            verb = "is" if number == 1 else "are"
            counts = "counts" if number == 1 else "count"
            yield (
                f"run {run}: {count(number, 'selected post')} {verb} in several clusters and "
                f"{counts} once for each; a column cluster_id beside the selected posts names the "
                "one that was made for a post (--selected)"
            )


def _milliseconds(evaluation: ClusterEvaluation) -> Iterator[str]:
    """Times that can hardly be seconds, of the runs and of each table beside them."""
    tables = evaluation.tables
    for code, run in enumerate(tables.posts.run.vocabulary()):
        own = tables.posts.run.codes == code
        yield from not_in_seconds(f"run {run}", tables.posts.time[own].max(initial=-np.inf))
    apart = None if tables.live_epochs is tables.epochs else tables.live_epochs
    timed = {"clusters": tables.clusters, "epochs": tables.epochs, "live epochs": apart}
    for name, table in timed.items():
        if table is not None:
            yield from not_in_seconds(name, table.time.max(initial=-np.inf))


def _years_apart(evaluation: ClusterEvaluation, indexes: Sequence[Index]) -> Iterator[str]:
    """Topics whose times, in the runs and in the clusters, are not of one time."""
    posts, clusters = evaluation.tables.posts, evaluation.tables.clusters
    if posts.day is not None:  # daily lists have no times
        return
    found = [*run_spans(posts.run, posts.topic, posts.time)]
    if clusters is not None:
        found += spans("clusters", clusters.topic, clusters.time)
    yield from years_apart(found, (topic for index in indexes for topic in index.topics))


def _unclustered(index: ClusterIndex) -> Iterator[str]:
    """Runs of which no post is in a cluster: likely the clusters are of other posts."""
    judged = index.posts.run.codes[index.unit != ABSENT]
    found = set(index.posts.run.codes[index.reports.post].tolist())
    for code, run in enumerate(index.posts.run.vocabulary()):
        number = int((judged == code).sum())
        if number and code not in found:
            said = count(number, "post")
            yield Reason(f"run {run}: none of its {said} of judged topics is in any cluster")


def _unjudged_topics(evaluation: ClusterEvaluation, indexes: Sequence[Index]) -> Iterator[str]:
    posts = evaluation.tables.posts
    judged = strings(sorted({topic for index in indexes for topic in index.topics}))
    unknown = posts.topic.within(judged) == ABSENT
    for code, run in enumerate(posts.run.vocabulary()):
        lost = unknown & (posts.run.codes == code)
        if lost.any():
            names = sorted(set(posts.topic.rows(lost).to_list()))
            yield f"run {run}: {count(len(names), 'topic')} not judged, ignored: {listed(names)}"


def _other_times(index: ClusterIndex) -> Iterator[str]:
    """Latency takes the clusters' times; say so where the run has others."""
    reports = index.reports
    differ = index.posts.time[reports.post] != index.clusters.time[reports.member]
    if differ.any():
        number = count(len(np.unique(reports.post[differ])), "post")
        yield f"{number} with another time in the run than in the clusters: latency takes theirs"


def _dropped(index: PushIndex) -> Iterator[str]:
    for run, unknown, early in zip(
        index.runs, index.unknown.tolist(), index.early.tolist(), strict=True
    ):
        if unknown:
            yield f"run {run}: {count(unknown, 'post')} not among the epochs, dropped"
        if early:
            yield f"run {run}: {count(early, 'post')} pushed before creation, dropped"
    for run, number in zip(index.runs, index.repeated.tolist(), strict=True):
        if number:
            yield f"run {run}: {again(number)}; each push counts (rule repeated-posts=keep)"
    if index.ungraded:
        yield f"{count(index.ungraded, 'post')} of clusters not in the qrels, worth nothing"


def again(number: int) -> str:
    """How many lines push a post once more, in words."""
    one = "line pushes a post" if number == 1 else "lines push posts"
    return f"{number:,} {one} that the run had pushed before within the topic"


def _outside(evaluation: ClusterEvaluation, index: PushIndex) -> Iterator[str]:
    """Posts that no day of the evaluation is the day of."""
    run = evaluation.tables.posts.run
    for code, name in enumerate(run.vocabulary()):
        number = int(index.outside[run.codes == code].sum())
        if number:
            yield f"run {name}: {count(number, 'post')} outside of {evaluation.days}, dropped"


def _without_judgments(index: LiveIndex) -> Iterator[str]:
    """Runs that nobody judged: likely the judgments are of other posts."""
    for run, number in zip(index.runs, index.unmet.tolist(), strict=True):
        if number:
            said = count(number, "post")
            yield Reason(f"run {run}: none of its {said} of judged topics has a live judgment")


def _ungraded_topics(evaluation: ClusterEvaluation, index: PushIndex) -> Iterator[str]:
    """Topics whose clusters count for nothing, since the qrels don't have them."""
    clusters = evaluation.tables.clusters
    topics = set() if clusters is None else set(all_names(clusters.topic).to_pylist())
    lost = natural_order(topics - set(index.topics))
    if lost:
        yield f"{count(len(lost), 'topic')} of clusters not in the qrels, ignored: {listed(lost)}"


def _constant_confidences(evaluation: ClusterEvaluation, index: ClusterIndex) -> Iterator[str]:
    """A sample by confidence needs confidences that differ."""
    chosen, confidence = evaluation.options, index.posts.confidence
    if chosen.sample is None or chosen.sampling != "confidence" or confidence is None:
        return
    for code, run in enumerate(index.posts.run.vocabulary()):
        own = confidence[index.posts.run.codes == code]
        if len(own) > 1 and (own == own[0]).all():
            yield f"run {run}: all confidences are equal; the sample takes the earliest posts"
