"""Assessors' clusters, and runs of the push tracks, as plain tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tseval.errors import Fault, UsageError
from tseval.families.clusters import push_files
from tseval.families.clusters.files import (
    Clock,
    epoch_clock,
    read_clusters,
    read_epochs,
    read_grades,
    read_live,
    read_posts,
    repeated_posts,
    run_clock,
    snowflake_clock,
)
from tseval.families.clusters.recognition import POST_NAMES, is_listing, read_listing
from tseval.families.clusters.tables import Clusters, Posts
from tseval.files.imports import Imported, numbers_as_text
from tseval.files.inputs import Input

TIMES = ("epochs", "run", "snowflake")
"""Where times of posts may come from, beside the clusters' own file."""
CLUSTERS, RTS_RUN = "clusters", "rts-run"
CLUSTER_IMPORTS = (CLUSTERS, RTS_RUN)


@dataclass(frozen=True)
class Helpers:
    """What a file lacks, from elsewhere."""

    epochs: str | None = None
    times: str | None = None
    runs: Sequence[str] = ()
    qrels: str | None = None
    topic: str | None = None
    year: int | None = None

    def unused(self, form: str) -> list[str]:
        """The options that have no meaning with a format."""
        given = {name for name, value in vars(self).items() if value}
        meant = {
            CLUSTERS: {"epochs", "times", "runs", "qrels", "topic"}
            | ({"year"} if self.runs else set()),
            RTS_RUN: {"year"},
        }.get(form, set())
        names = {"runs": "run"}
        return sorted(f"--{names.get(name, name)}" for name in given - meant)


def imported_clusters(path: str, given: Helpers) -> Imported:
    """Clusters of any form as the plain table; what is odd in them is a warning."""
    clock = _clock(given)
    replace_times = given.times is not None or bool(given.runs)
    source = Input(path)
    clusters = read_clusters(source, None, clock, given.topic, replace_times=replace_times)
    columns: dict[str, Sequence[str]] = {
        "topic": clusters.topic.to_list(),
        "cluster_id": clusters.cluster_id.to_list(),
        "post_id": clusters.post_id.to_list(),
        "time": numbers_as_text(clusters.time),
    }
    if clusters.text is not None:
        columns["text"] = list(clusters.text)
    remarks = (*clusters.remarks, *_unknown_topics(clusters, given.qrels))
    return Imported(columns, tuple(map(str, remarks)), clusters.time.max(initial=-np.inf))


def _clock(given: Helpers) -> Clock | None:
    """Where times come from: as asked for, else from the one input that can tell them."""
    times = given.times or ("epochs" if given.epochs else "run" if given.runs else "")
    if times == "snowflake":
        return snowflake_clock
    if times == "epochs":
        if given.epochs is None:
            raise UsageError("times from epochs need --epochs FILE")
        return epoch_clock(read_epochs(given.epochs))
    if times == "run":
        if not given.runs:
            raise UsageError("times from the run need --run FILE")
        return run_clock(read_posts(given.runs, None, given.year, repeats=True))
    return None


def _unknown_topics(clusters: Clusters, qrels: str | None) -> Iterator[Fault]:
    """Topics that the qrels don't have; where these are bare numbers, the number decides."""
    if qrels is None:
        return
    known = set(read_grades(qrels).topic.vocabulary())
    codes, first = np.unique(clusters.topic.codes, return_index=True)
    names = clusters.topic.take_names(codes)
    for name, row in zip(names, first.tolist(), strict=True):
        if name not in known and name.lstrip("".join(filter(str.isalpha, name))) not in known:
            yield clusters.fault_at(row, f'topic "{name}" is not in the qrels')


def imported_run(path: str, given: Helpers) -> Imported:
    """A run of scenario A as a table of posts."""
    if push_files.run_layout(Input(path)) is not push_files.RUN_A:
        raise UsageError(f"{path} is no run of scenario A: topic post time tag")
    posts = read_posts([path], None, given.year, repeats=True)
    return Imported(
        {
            "run": posts.run.to_list(),
            "topic": posts.topic.to_list(),
            "post_id": posts.post_id.to_list(),
            "time": numbers_as_text(posts.time),
        },
        tuple(run_remarks(posts)),
        posts.time.max(initial=-np.inf),
    )


def run_remarks(posts: Posts) -> Iterator[str]:
    """What a reader of a run of the push tracks should know, but is no fault there."""
    repeats, originals = repeated_posts(posts)
    if len(repeats):
        number = len(repeats)
        lines = "line pushes a post" if number == 1 else "lines push posts"
        again, before = (posts.origin.place(int(rows[0])) for rows in (repeats, originals))
        yield (
            f"{number:,} {lines} that the run had pushed before within the topic; the first is "
            f"{again}, after {before}. Each push counts in the editions mb2015, rts2016 and "
            "rts2017 (rule repeated-posts); latency and redundancy refuse such a run"
        )


def imported_for_clusters(form: str, path: str, given: Helpers) -> Imported:
    """A file of one of `CLUSTER_IMPORTS` as a plain table."""
    unused = given.unused(form)
    if unused:
        raise UsageError(f"{unused[0]} has no meaning with {form}")
    return imported_clusters(path, given) if form == CLUSTERS else imported_run(path, given)


def listing_faults(source: Input) -> Iterator[tuple[str, bool]]:
    """Every fault and oddity of clusters in a form without times, for `tseval validate`."""
    listing = read_listing(source)
    yield from ((str(remark), True) for remark in listing.remarks)
    if not listing.remarks:
        number = len(listing.posts)
        noun = "row" if number == 1 else "rows"
        yield f"{source.path}: clusters without times, {number:,} {noun}, no fault", False


def track_table(source: Input) -> str | None:
    """Which file of the push tracks an input is: by the names of `READERS`."""
    fields = push_files.first_fields(source)
    if len(fields) in (3, 4) and fields[-1] in LIVE_LABELS and fields[1].isdigit():
        return "live"
    if push_files.run_layout(source) is not None:
        return "run"
    if len(fields) == 4 and fields[1] == push_files.QRELS_MARK:
        return "qrels"
    if len(fields) == 3 and fields[1].isdigit() and len(fields[1]) == 8:
        return "epochs"
    of_posts = len(fields) != 2 or fields[1].isdigit() or fields[1] in POST_NAMES
    return "listing" if of_posts and is_listing(source) else None


READERS: dict[str, Callable[[Input], Any]] = {
    "run": lambda source: read_posts([source], None, LEAP_YEAR, repeats=True),
    "qrels": read_grades,
    "epochs": read_epochs,
    "live": read_live,
}
"""How `tseval validate` reads each of them, beside listings."""
LIVE_LABELS = ("-1", "0", "1", "2", "5")
"""What live judgments end with, where a run has its tag."""
LEAP_YEAR = 2000
"""The year in which `validate` reads times without one: it has every day there is."""
