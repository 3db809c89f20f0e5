"""Reading runs over clusters, clusters of any form, and what the push evaluations need beside."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tseval.errors import Fault, InputError, UsageError, input_error
from tseval.families.clusters import push_files
from tseval.families.clusters.recognition import is_list_of_pairs, is_listing, read_listing
from tseval.families.clusters.tables import (
    LIVE,
    PUSHED,
    QRELS,
    SELECTED,
    Clusters,
    Grades,
    Live,
    Posts,
    Selected,
)
from tseval.files.faults import FaultList
from tseval.files.frames import run_names
from tseval.files.inputs import Each, Input
from tseval.files.plain import Rows, recognise
from tseval.files.reading import (
    check_between_files,
    input_of,
    is_empty,
    no_rows,
    refuse,
    refuse_where,
    rows_of,
)
from tseval.tables import ABSENT, ALL_TOPICS, Ids, InputRecord, Origin, Texts, repeated_rows
from tseval.tables.arrow import strings
from tseval.tables.epochs import Epochs, days_of
from tseval.tables.keys import equal_rows, pair_keys
from tseval.tables.schema import CLUSTERS, POSTS

if TYPE_CHECKING:
    from tseval.files.reading import Given
    from tseval.tables.columns import FloatArray, IntArray

Clock: TypeAlias = "Callable[[Ids], FloatArray]"
"""From posts to when they were created; NaN where that isn't known."""

WITHOUT_SELECTED = (
    'the column "cluster_id" is not read: it names the cluster of a selected post, and there is no '
    'column "selected" beside it'
)
TIMES_CURE = "give --epochs FILE, or --times snowflake, or --times run"


def read_posts(
    given: Sequence[Given],
    form: str | None = None,
    year: int | None = None,
    each: Each = map,
    *,
    repeats: bool = False,
) -> Posts:
    """One or more runs as one table: plain tables, updates, or the track's runs A or B.

    Without a column `run` a run is called as its file. A file without a byte is an empty run.
    `each` reads one run after the other, or has them read somewhere else. With `repeats` a post may
    be pushed twice: see `repeated_posts`.
    """
    inputs = [input_of(one, POSTS) for one in given]
    read = partial(_posts, form=form, year=year, repeats=repeats)
    parts = list(each(read, inputs, run_names(inputs)))
    if len({part.day is not None for part in parts if len(part)}) > 1:
        raise UsageError("runs of scenario A and B cannot be scored together: name one kind")
    posts = Posts.join(parts)
    if len(inputs) > 1:
        day = [] if posts.day is None else [Ids.of([str(day) for day in posts.day.tolist()])]
        key = (posts.run, posts.topic, *day, posts.post_id)
        check_between_files(posts, inputs, key, partial(_stands_twice, posts))
    return posts


def _stands_twice(posts: Posts, row: int) -> str:
    return f'post_id "{posts.post_id[row]}" stands twice in run "{posts.run[row]}"'


def _posts(source: Input, name: str, form: str | None, year: int | None, repeats: bool) -> Posts:
    if is_empty(source):
        return _pushed(no_rows(source, POSTS), name)
    layout = None if form or source.is_table else push_files.run_layout(source)
    schema = PUSHED if repeats else POSTS
    if layout is None:
        return _pushed(rows_of(source, schema, form), name)
    if layout is push_files.RUN_B:
        return _listed(source, push_files.read_track_file(source, layout, year))
    return _pushed(push_files.read_track_file(source, layout, year, schema), name)


def _pushed(rows: Rows, name: str) -> Posts:
    selected, own = rows.get("selected"), rows.get("cluster_id")
    told: dict[str, Any] = {"selected": None if selected is None else selected != 0, "own": own}
    if own is not None and selected is None:
        path = rows.origin.sources[0].path
        told |= {"own": None, "unread": (f"{path}: {WITHOUT_SELECTED}",)}
    return Posts.of(rows.columns | told, rows.origin, name)


def _listed(source: Input, rows: Rows) -> Posts:
    day, midnight = _days(source, rows.get("day"), rows.origin)
    told = {"day": day, "time": midnight, "confidence": rows.get("score")}
    return Posts.of(rows.columns | told, rows.origin)


def _days(source: Input, named: Ids, origin: Origin) -> tuple[IntArray, FloatArray]:
    """Days such as 20170729 as numbers, and when they begin; no day of the calendar is a fault."""
    midnights = []
    for name in named.vocabulary():
        try:
            midnights.append(datetime.strptime(f"{name}Z", "%Y%m%d%z").timestamp())
        except ValueError:
            midnights.append(np.nan)
    midnight = np.array(midnights, np.float64)[named.codes]
    wrong, reason = np.isnan(midnight), '"{}" is not a date'
    refuse_where(source, origin, wrong, named, reason, "write YYYYMMDD", "date-format")
    return days_of(midnight), midnight


def repeated_posts(posts: Posts) -> tuple[IntArray, IntArray]:
    """The rows of pushed posts that stood in the same run and topic before, and where they did."""
    if posts.day is not None:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    return repeated_rows(posts.run, posts.topic, posts.post_id)


def read_clusters(
    given: Given,
    form: str | None = None,
    clock: Clock | None = None,
    topic: str | None = None,
    *,
    replace_times: bool = False,
    may_lack_times: bool = False,
) -> Clusters:
    """Clusters of any form; those that tell no times take them from the clock.

    With `replace_times` a plain table does so too. A post without a time is a fault, or with
    `may_lack_times` left out with a remark. `topic` is the topic of a list of two columns.
    """
    source = input_of(given, CLUSTERS)
    listed = not form and not source.is_table and is_listing(source)
    if topic is not None and not (listed and is_list_of_pairs(source)):
        raise UsageError(
            f"the clusters of {source.path} name their topics themselves: --topic is for clusters "
            "in two columns"
        )
    if listed:
        clusters = _listing(source, topic, clock, may_lack_times)
    else:
        clusters = _table(source, form, clock if replace_times else None, may_lack_times)
    if not len(clusters):
        refuse(source, "holds no clusters", "without clusters there is nothing to score")
    _refuse_all(clusters)
    return clusters


def is_table_of_clusters(path: str) -> bool:
    """Whether a file has the columns of clusters; standard input is not looked at."""
    source = Input(path)
    return source.can_be_read_again and not CLUSTERS.missing(recognise(source)[1])


def _table(source: Input, form: str | None, clock: Clock | None, may_lack_times: bool) -> Clusters:
    rows = rows_of(source, CLUSTERS, form)
    told = {} if clock is None else {"time": clock(rows.get("post_id"))}
    return _timed(Clusters.of(rows.columns | told, rows.origin), may_lack_times)


def _listing(
    source: Input, topic: str | None, clock: Clock | None, may_lack_times: bool
) -> Clusters:
    listing = read_listing(source, topic)
    rows = len(listing.posts)
    lines = [place if isinstance(place, int) else 0 for place in listing.places]
    record = InputRecord(source.path, lambda: source.sha256, rows)
    posts = Ids.of(listing.posts)
    clusters = Clusters(
        topic=Ids.of(listing.topics),
        cluster_id=Ids.of(listing.clusters),
        post_id=posts,
        time=np.full(rows, np.nan) if clock is None else clock(posts),
        origin=Origin.single(record, np.array(lines, np.int64)),
        text=Texts.of(listing.texts) if any(listing.texts) else None,
        remarks=tuple(listing.remarks),
        paths=Texts.of([str(place) for place in listing.places]) if not any(lines) else None,
    )
    if clock is None and rows:
        reason = "these clusters have no times"
        raise input_error(source.path, None, reason, TIMES_CURE, "missing-time")
    return _timed(clusters, may_lack_times)


def _timed(clusters: Clusters, may_lack_times: bool) -> Clusters:
    """Every post needs a time; the fault, or the remark, names its cluster."""
    missing = np.isnan(clusters.time)
    if not missing.any():
        return clusters
    faults = []
    for row in np.flatnonzero(missing).tolist():
        post, cluster = clusters.post_id[row], clusters.cluster_id[row]
        reason = f'post "{post}" of cluster "{cluster}" has no time'
        cure = "look for times elsewhere, or remove the post"
        faults.append(clusters.fault_at(row, reason, cure, "missing-time"))
    if not may_lack_times:
        raise InputError(faults)
    return replace(clusters.rows(~missing), remarks=(*clusters.remarks, *faults))


def _refuse_all(clusters: Clusters) -> None:
    """A topic may not have the name under which the mean over topics stands."""
    if ALL_TOPICS in clusters.topic.vocabulary():
        path = clusters.origin.sources[0].path
        reason = f'a topic is called "{ALL_TOPICS}", the name of the mean over topics'
        raise input_error(path, None, reason, "give the topic another name", "reserved-name")


def run_clock(posts: Posts) -> Clock:
    """Times from the runs: the earliest at which any of them has the post."""
    order = np.argsort(-posts.time, kind="stable")  # the earliest last
    ids, time = posts.post_id.rows(order), posts.time[order]
    return Epochs(ids, np.zeros(len(order), np.int64), time).times_of


def read_grades(given: Given, prefix: str = "", form: str | None = None) -> Grades:
    """What assessors thought of posts. Topics that are bare numbers get the prefix."""
    source = input_of(given, QRELS)
    rows = push_files.read_track_file(source, push_files.QRELS_FILE, form=form)
    return Grades.of(rows.columns | {"topic": _named(rows.get("topic"), prefix)}, rows.origin)


def _named(topics: Ids, prefix: str) -> Ids:
    names = [prefix + name if name.isdigit() else name for name in topics.vocabulary()]
    return Ids(topics.codes, strings(names)) if prefix else topics


def read_live(given: Given, form: str | None = None) -> Live:
    """Live judgments; each line is one assessor's."""
    source = input_of(given, LIVE)
    push_files.refuse_qrels(source)
    rows = push_files.read_track_file(source, push_files.live_layout(source), form=form)
    return Live.of(rows.columns, rows.origin)


def read_selected(given: Given, posts: Posts, form: str | None = None) -> Selected:
    """Which posts of the runs a table `topic post_id [run] [cluster_id]` names.

    A post that no run returned is a fault, and so are two clusters of one post.
    """
    source = input_of(given, SELECTED)
    rows = rows_of(source, SELECTED, form)
    topic, post, run = rows.get("topic"), rows.get("post_id"), rows.get("run")
    place, row = equal_rows(
        pair_keys(topic, post, posts.topic, posts.post_id),
        pair_keys(posts.topic, posts.post_id, posts.topic, posts.post_id),
    )
    if run is not None:
        same = run.within(posts.run.names)[place] == posts.run.codes[row]
        place, row = place[same], row[same]
    faults = FaultList(source)
    found = np.bincount(place, minlength=len(topic)) > 0
    for at in np.flatnonzero(~found).tolist():
        reason = f'no run returned the selected post "{post[at]}" of topic "{topic[at]}"'
        faults.add_row(rows.origin, at, reason, "remove it, or give its run", "unknown-id")
    told = np.full(len(posts), ABSENT)
    told[row[::-1]] = place[::-1]  # the first row that names a post
    own = rows.get("cluster_id")
    if own is not None:
        named = own.within(strings([""]))[place] == ABSENT
        place, row = place[named], row[named]
        told[row[::-1]] = place[::-1]
        faults.extend(_two_clusters(rows, own, place, told[row]))
    faults.check()
    chosen = told != ABSENT
    names = None
    if own is not None:
        blank = Ids.constant("", 1)
        names = Ids.join([own, blank]).rows(np.where(chosen, told, len(own)))
    return Selected(chosen, names, rows.origin, told)


def _two_clusters(rows: Rows, own: Ids, place: IntArray, first: IntArray) -> Iterator[Fault]:
    """Rows that name another cluster than the first row of the same post does."""
    post, topic = rows.get("post_id"), rows.get("topic")
    for at in np.unique(place[own.codes[place] != own.codes[first]]).tolist():
        other = int(first[place == at][0])
        reason = (
            f'selected post "{post[at]}" of topic "{topic[at]}" has the clusters "{own[other]}" '
            f'({rows.origin.place(other)}) and "{own[at]}"'
        )
        cure = "one cluster was made for each selected post: keep its cluster_id alone"
        yield rows.origin.fault(at, reason, cure, "conflicting-rows")
