"""What a reader of scores over clusters should know: warnings, and refusals of odd files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tseval.core.doubtful_times import (
    run_spans,
    spans,
    years_apart,
)
from tseval.core.measure import Measure
from tseval.core.pools import MEAN
from tseval.core.wording import count, listed, none_of, warn_of_numbers
from tseval.errors import Fault, InputError, Reason
from tseval.families.clusters.files import repeated_posts
from tseval.families.clusters.grouping import ClusterIndex
from tseval.families.clusters.live import LiveIndex
from tseval.families.clusters.pushes import PushIndex
from tseval.families.clusters.tables import (
    GRADE_VALUES,
    LIVE_VALUES,
    Live,
    Posts,
    Selected,
)
from tseval.tables import ABSENT, all_names, natural_order
from tseval.tables.arrow import strings
from tseval.tables.keys import last_row_of, pair_keys, rows_by_code, unknown_by_run

if TYPE_CHECKING:
    from tseval.families.clusters.inputs import ClusterOptions, ClusterTables

    Index: TypeAlias = ClusterIndex | PushIndex | LiveIndex

DAYS_CURE = "choose the edition whose days they are (--edition)"
REMARKS_SHOWN = 5


def caveats(
    tables: ClusterTables,
    options: ClusterOptions,
    edition: str,
    indexes: Sequence[Index],
    wanted: Sequence[Measure],
) -> Iterator[str]:
    """What is not wrong, but what a reader of these scores should know."""
    by_selection = any(reads_selection(each) for each in wanted)
    remarks = () if tables.clusters is None else tables.clusters.remarks
    yield from (str(remark) for remark in remarks[:REMARKS_SHOWN])
    if len(remarks) > REMARKS_SHOWN:
        yield f"{len(remarks) - REMARKS_SHOWN} more such remarks; `tseval validate` lists all"
    if tables.grades is not None:
        yield from warn_of_numbers("qrels", "grade", tables.grades.grade, GRADE_VALUES)
    if tables.live is not None:
        yield from warn_of_numbers("live", "label", tables.live.label, LIVE_VALUES)
    yield from _years_apart(tables, indexes)
    yield from _unjudged_topics(tables, indexes)
    chosen = tables.selected is not None or options.sample is not None
    if chosen and not by_selection:
        yield "none of these measures reads which posts are selected"
    for index in indexes:
        if isinstance(index, ClusterIndex):
            yield from _unclustered(index)
            yield from _other_times(index)
            yield from _constant_confidences(options, index)
            if by_selection:
                yield from tables.unread
                yield from _in_several(index)
        elif isinstance(index, PushIndex):
            yield from _dropped(index)
            yield from _out_of_order(tables.posts, index.rules.list_order)
            yield from _outside(tables, index, edition)
            yield from _ungraded_topics(tables, index)
        else:
            yield from _without_judgments(index)


def reads_selection(measure: Measure) -> bool:
    """Whether a measure is one of the selected posts."""
    return measure.definition.reads == MEAN and not measure.has("unique")


def _in_several(index: ClusterIndex) -> Iterator[str]:
    """Selected posts that count more than once, since none of their clusters is their own."""
    times = np.bincount(index.reports.post[index.scored], minlength=len(index.posts))
    several = times > 1
    runs = index.posts.run.vocabulary()
    numbers = np.bincount(index.posts.run.codes[several], minlength=len(runs))
    for run, number in zip(runs, numbers.tolist(), strict=True):
        if number:
            verb = "is" if number == 1 else "are"
            counts = "counts" if number == 1 else "count"
            yield (
                f"run {run}: {count(number, 'selected post')} {verb} in several clusters and "
                f"{counts} once for each; a column cluster_id beside the selected posts names the "
                "one that was made for a post (--selected)"
            )


def _years_apart(tables: ClusterTables, indexes: Sequence[Index]) -> Iterator[str]:
    """Topics whose times, in the runs and in the clusters, are not of one time."""
    posts, clusters = tables.posts, tables.clusters
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
    runs = index.posts.run.vocabulary()
    numbers = np.bincount(judged, minlength=len(runs))
    for code, (run, number) in enumerate(zip(runs, numbers.tolist(), strict=True)):
        if number and code not in found:
            said = count(number, "post")
            yield Reason(f"run {run}: none of its {said} of judged topics is in any cluster")


def _unjudged_topics(tables: ClusterTables, indexes: Sequence[Index]) -> Iterator[str]:
    posts = tables.posts
    judged = strings(sorted({topic for index in indexes for topic in index.topics}))
    for run, names in unknown_by_run(posts.run, posts.topic, judged):
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


def _out_of_order(posts: Posts, by: str) -> Iterator[str]:
    """Warn of daily lists whose lines are not in the order of their ranks."""
    if posts.rank is None or posts.day is None or by != "rank":
        return
    keys = (posts.day, posts.topic.codes, posts.run.codes)
    order = np.lexsort(keys)
    same = np.all([np.diff(each[order]) == 0 for each in keys], axis=0)
    falls = int((same & (np.diff(posts.rank[order]) < 0)).sum())
    if falls:
        lines = f"daily lists: {count(falls, 'line')} out of rank order; the ranks count"
        yield f"{lines}, or pass --rule list-order=lines to keep the order of lines"


def again(number: int) -> str:
    """How many lines push a post once more, in words."""
    one = "line pushes a post" if number == 1 else "lines push posts"
    return f"{number:,} {one} that the run had pushed before within the topic"


def _outside(tables: ClusterTables, index: PushIndex, edition: str) -> Iterator[str]:
    """Posts that no day of the evaluation is the day of."""
    run, days = tables.posts.run, index.rules.period_of(edition)
    names = run.vocabulary()
    numbers = np.bincount(run.codes[index.outside], minlength=len(names))
    for name, number in zip(names, numbers.tolist(), strict=True):
        if number:
            yield f"run {name}: {count(number, 'post')} outside of {days}, dropped"


def _without_judgments(index: LiveIndex) -> Iterator[str]:
    """Runs that nobody judged: likely the judgments are of other posts."""
    for run, number in zip(index.runs, index.unmet.tolist(), strict=True):
        if number:
            said = count(number, "post")
            yield Reason(f"run {run}: none of its {said} of judged topics has a live judgment")


def _ungraded_topics(tables: ClusterTables, index: PushIndex) -> Iterator[str]:
    """Topics whose clusters count for nothing, since the qrels don't have them."""
    clusters = tables.clusters
    topics = set() if clusters is None else set(all_names(clusters.topic).to_pylist())
    lost = natural_order(topics - set(index.topics))
    if lost:
        yield f"{count(len(lost), 'topic')} of clusters not in the qrels, ignored: {listed(lost)}"


def _constant_confidences(options: ClusterOptions, index: ClusterIndex) -> Iterator[str]:
    """A sample by confidence needs confidences that differ."""
    confidence = index.posts.confidence
    if options.sample is None or options.sampling != "confidence" or confidence is None:
        return
    runs = index.posts.run.vocabulary()
    for code, rows in rows_by_code(index.posts.run.codes).items():
        own, run = confidence[rows], runs[code]
        if len(own) > 1 and (own == own[0]).all():
            yield f"run {run}: all confidences are equal; the sample takes the earliest posts"


def check_days(index: PushIndex, posts: Posts, days: str) -> None:
    """A run of which no day is one of the evaluation's is likely of another year's."""
    runs = posts.run.vocabulary()
    for code, known in rows_by_code(np.where(index.day != 0, posts.run.codes, ABSENT)).items():
        if not index.outside[known].all():
            continue
        run = runs[code]
        own = index.day[known]
        reason = (
            f'every post of judged topics of run "{run}" is outside of {days}: '
            f"its days are {own.min()} to {own.max()}"
        )
        raise InputError([posts.origin.fault(int(known[0]), reason, DAYS_CURE, "time-range")])


def check_repeats(posts: Posts) -> None:
    """A post that a push evaluation takes twice cannot be in a cluster twice."""
    repeats, originals = repeated_posts(posts)
    _raise(
        posts.origin.fault(
            row,
            f'post "{posts.post_id[row]}" stands twice within topic "{posts.topic[row]}": latency, '
            "redundancy and coverage take each post once",
            f"first at {posts.origin.place(first)}: remove one of them",
            "duplicate-id",
        )
        for row, first in zip(repeats.tolist(), originals.tolist(), strict=True)
    )


def _raise(faults: Iterable[Fault]) -> None:
    """Raise these faults, if there is any."""
    found = list(faults)
    if found:
        raise InputError(found)


def check_live(index: LiveIndex, live: Live) -> None:
    """Refuse judgments of other runs: nobody looked at any post of these."""
    unmet = int(index.unmet.sum())
    if not unmet or not (index.unmet > 0).all() or not len(live.topic):
        return
    reason = (
        f"{none_of('the', unmet, 'post', 'posts')} judged here, of all that the runs have in "
        f'judged topics: the judgments are of posts such as "{live.post_id[0]}" of topic '
        f'"{live.topic[0]}", the runs are {listed(index.runs)}'
    )
    cure = "give the judgments that assessors made of these runs, with the posts' own ids"
    raise InputError([live.origin.fault(0, reason, cure, "unrelated-inputs")])


def check_selected(index: ClusterIndex) -> None:
    """A selected post that is in no cluster has no latency: a fault of the run."""
    lost = np.flatnonzero(index.selected & ~index.clustered)
    if not len(lost):
        return
    cure = "the assessors' clusters must hold every selected post"
    posts = index.posts
    raise InputError(
        [
            posts.origin.fault(
                row,
                f'selected post "{posts.post_id[row]}" of topic "{posts.topic[row]}" '
                "is in no cluster",
                cure,
                "unknown-id",
            )
            for row in lost.tolist()
        ]
    )


def check_own(index: ClusterIndex, named: Selected) -> None:
    """A selected post is in the cluster that was made for it."""
    if named.own is None:
        return
    own, posts, clusters = named.own, index.posts, index.clusters
    told = named.posts & (own.within(strings([""])) == ABSENT)
    lost = np.flatnonzero(told & (index.own == ABSENT))
    known = pair_keys(clusters.topic, clusters.cluster_id, clusters.topic, clusters.cluster_id)
    wanted = pair_keys(posts.topic, own, clusters.topic, clusters.cluster_id)
    there = last_row_of(wanted, known) != ABSENT
    _raise(
        named.origin.fault(
            int(named.row[row]),
            f'selected post "{posts.post_id[row]}" of topic "{posts.topic[row]}" is not in its '
            f'own cluster "{own[row]}"'
            if there[row]
            else f'topic "{posts.topic[row]}" has no cluster "{own[row]}", which is said to be '
            f'that of the selected post "{posts.post_id[row]}"',
            "cluster_id names the cluster that was made for the post, and that holds it: correct "
            "one of the two files, or leave cluster_id empty where none was made",
            "conflicting-rows",
        )
        for row in lost[np.argsort(named.row[lost], kind="stable")].tolist()
    )
