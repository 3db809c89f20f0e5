"""The files of clusters and push tracks as `tseval validate` and `tseval import` know them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from tseval.core.declared import file_option, option
from tseval.core.draws import SAMPLING_HELP, SAMPLINGS, SEED_HELP
from tseval.core.nearest import nearest_fault
from tseval.errors import Fault, InputError, UsageError
from tseval.families.clusters import push_files
from tseval.families.clusters.assessor_sample import sampled
from tseval.families.clusters.files import (
    Clock,
    read_clusters,
    read_grades,
    read_live,
    read_posts,
    repeated_posts,
    run_clock,
)
from tseval.families.clusters.recognition import FACT, is_listing, read_listing, tells_posts
from tseval.families.clusters.tables import GRADE_VALUES, LIVE_VALUES, Clusters, Posts
from tseval.files.epochs import EPOCHS_FILE, read_epochs
from tseval.files.formats import Format, Line, Rank, unknown_numbers
from tseval.files.imports import Import, Imported, numbers_as_text
from tseval.files.inputs import Input
from tseval.files.plain import BY_KEYS, Rows, recognise
from tseval.records import frozen
from tseval.tables import InputRecord, Origin
from tseval.tables.epochs import snowflake_times

TIMES = ("epochs", "run", "snowflake")
"""Where times of posts may come from, beside the clusters' own file."""
YEAR_HELP = "The year of times such as 0729-23:17:35."


@frozen
class Helpers:
    """What clusters lack, from elsewhere."""

    epochs: str | None = file_option("--epochs", "When posts were created: post YYYYMMDD epoch.")
    times: str | None = option(
        "--times",
        "Where the times come from. Default: their file, else --epochs or --run.",
        choices=TIMES,
    )
    runs: tuple[str, ...] = file_option("--run", "A run that tells the times.", several=True)
    qrels: str | None = file_option("--qrels", "Warn of topics that are not in it.")
    topic: str | None = option(
        "--topic", "The topic of two columns. Default: the file's name.", metavar="NAME"
    )
    year: int | None = option("--year", YEAR_HELP, kind=int)


@frozen
class YearOfRun:
    """What a run lacks that does not write whole times."""

    year: int | None = option("--year", YEAR_HELP, kind=int)


@frozen
class SampleOptions:
    """What `tseval import sample` may be asked for."""

    size: int | None = option(
        "--size", "At most so many posts of each run and topic.", kind=int, metavar="N", at_least=1
    )
    sampling: str | None = option("--sampling", SAMPLING_HELP, choices=SAMPLINGS)
    seed: int = option("--seed", SEED_HELP, kind=int, default=0, shows_default=True)
    year: int | None = option("--year", YEAR_HELP, kind=int)


def imported_clusters(paths: Sequence[str], given: Helpers) -> Imported:
    """Clusters of any form as the plain table; what is odd in them is a warning."""
    if given.year is not None and not given.runs:
        raise UsageError("--year has no meaning with clusters")
    clock = _clock(given)
    replace_times = given.times is not None or bool(given.runs)
    clusters = read_clusters(paths[0], None, clock, given.topic, replace_times=replace_times)
    columns: dict[str, Sequence[str]] = {
        "topic": clusters.topic.to_list(),
        "cluster_id": clusters.cluster_id.to_list(),
        "post_id": clusters.post_id.to_list(),
        "time": numbers_as_text(clusters.time),
    }
    if clusters.text is not None:
        columns["text"] = list(clusters.text)
    remarks = (*clusters.remarks, *_unknown_topics(clusters, given.qrels))
    return Imported(columns, tuple(map(str, remarks)))


def _clock(given: Helpers) -> Clock | None:
    """Where times come from: as asked for, else from the one input that can tell them."""
    times = given.times or ("epochs" if given.epochs else "run" if given.runs else "")
    if times == "snowflake":
        return snowflake_times
    if times == "epochs":
        if given.epochs is None:
            raise UsageError("times from epochs need --epochs FILE")
        return read_epochs(given.epochs).times_of
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
            yield clusters.fault_at(row, f'topic "{name}" is not in the qrels', "", "unknown-id")


def imported_run(paths: Sequence[str], given: YearOfRun) -> Imported:
    """A run of scenario A as a table of posts."""
    (path,) = paths
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


def imported_sample(paths: Sequence[str], given: SampleOptions) -> Imported:
    """A sample of the posts of several runs."""
    if given.size is None:
        raise UsageError("sample needs to know how many posts of each run and topic: --size N")
    sampling = given.sampling or SAMPLINGS[0]
    return sampled(paths, given.size, sampling=sampling, seed=given.seed, year=given.year)


def _read_listing(source: Input, _: str | None, __: Sequence[str]) -> Rows:
    """Clusters in a form without times: what is odd in them is a fault here too."""
    listing = read_listing(source)
    if listing.remarks:
        raise InputError(listing.remarks)
    record = InputRecord(source.path, lambda: source.sha256, len(listing.posts))
    return Rows({}, Origin.single(record, np.zeros(len(listing.posts), np.int64)))


def track_table(source: Input) -> str | None:
    """Which file of the push tracks an input is: by the names of `FORMATS`."""
    fields = push_files.first_fields(source)
    if len(fields) in (3, 4) and fields[-1] in LIVE_LABELS and fields[1].isdigit():
        return "live"
    if push_files.run_layout(source) is not None:
        return "run"
    if len(fields) == 4 and fields[1] == push_files.QRELS_MARK:
        return "qrels"
    if len(fields) == 3 and fields[1].isdigit() and len(fields[1]) == 8:
        return "epochs"
    return LISTING if is_listing(source) and tells_posts(source) else None


LIVE_LABELS = ("-1", "0", "1", "2", "5")
"""What live judgments end with, where a run has its tag."""
LEAP_YEAR = 2000
"""The year in which `validate` reads times without one: it has every day there is."""
LISTING = "clusters without times"


def _is(source: Input, name: str) -> bool:
    """Whether an input is this file of the push tracks, and no JSON of a plain table's rows."""
    return not _is_of_rows(source) and track_table(source) == name


def _is_of_rows(source: Input) -> bool:
    """Whether JSON is one object a row, or an array of them, and no collapsed facts."""
    form, keys = recognise(source)
    if form not in BY_KEYS:
        return False
    return bool(keys) and FACT not in keys and nearest_fault(source, keys) is not None


def _said_of_run(posts: Posts) -> Iterator[Line]:
    path = posts.origin.sources[0].path
    yield from ((f"{path}: warning: {line}", False) for line in run_remarks(posts))


def _format(name: str, read: Callable[..., Any], **more: Any) -> Format:
    return Format(name, read, partial(_is, name=name), Rank.AFTER_TABLES, **more)


FORMATS = (
    _format(
        "live",
        lambda source, _, __: read_live(source),
        remarks=lambda live: unknown_numbers("label", live.label, live.origin, LIVE_VALUES),
        layouts=push_files.LIVE_LAYOUTS,
    ),
    _format(
        "run",
        lambda source, _, __: read_posts([source], None, LEAP_YEAR, repeats=True),
        remarks=_said_of_run,
        layouts=(push_files.RUN_A, push_files.RUN_B),
        imports=(
            Import(
                "rts-run",
                "runs of scenario A of Real-Time Summarization",
                imported_run,
                YearOfRun,
            ),
            Import(
                "sample",
                "runs as the posts whose clusters assessors are to find, which is then --selected "
                "of `tseval clusters`",
                imported_sample,
                SampleOptions,
                several=True,
            ),
        ),
    ),
    _format(
        "qrels",
        lambda source, _, __: read_grades(source),
        remarks=lambda own: unknown_numbers("grade", own.grade, own.origin, GRADE_VALUES),
        layouts=(push_files.QRELS_FILE,),
    ),
    _format("epochs", lambda source, _, __: read_epochs(source), layouts=(EPOCHS_FILE,)),
    _format(
        LISTING,
        _read_listing,
        imports=(
            Import(
                "clusters",
                "assessors' clusters in two columns, or in the JSON of Microblog 2015, RTS 2016, "
                "RTS 2017 and CrisisFACTS",
                imported_clusters,
                Helpers,
            ),
        ),
    ),
)
"""The files of the push evaluations, for `tseval validate` and `tseval import`."""
