"""The files of clusters and of push evaluations: plain tables, and the tracks' own lines.

No file of a track has a header; fields are divided by white space.

    run A    topic post time tag            time MMDD-HH:MM:SS in UTC, or Unix seconds
    run B    YYYYMMDD topic Q0 post rank score tag
    qrels    topic Q0 post grade
    epochs   post YYYYMMDD epoch
    live     topic post label               2017
             topic post epoch label         2016
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from tseval.core.declared import file_option, option
from tseval.core.draws import SAMPLING_HELP, SAMPLINGS, SEED_HELP
from tseval.errors import Fault, InputError, UsageError
from tseval.families.clusters.listings import (
    FACT,
    is_list_of_pairs,
    is_listing,
    read_listing,
    tells_posts,
)
from tseval.io import JSON
from tseval.io.cells import BYTE_ORDER_MARK
from tseval.io.epochs import EPOCHS_READER, Clock, are_epochs, clock_of, snowflake_times
from tseval.io.faults import FaultList
from tseval.io.fields import Layout
from tseval.io.formats import Format, Line, Rank, unknown_numbers
from tseval.io.forms import recognise
from tseval.io.given import input_of
from tseval.io.imports import Imported
from tseval.io.inputs import Each, Input
from tseval.io.proposed_runs import PROPOSED_RUN
from tseval.io.schema import (
    ALL_TOPICS,
    CLUSTERS,
    DAY,
    EPOCHS,
    OWN_CLUSTER,
    POST_ID,
    POSTS,
    RUN,
    TOPIC,
    Column,
    Kind,
    Schema,
)
from tseval.io.tables import (
    Table,
    TableReader,
    TrackFile,
    TrackRows,
    add_faults,
    lacks_columns,
    read,
    texts_of,
)
from tseval.io.text_lines import text_lines
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.io.given import Given

LISTS = Schema(
    "lists",
    (
        replace(DAY, kind=Kind.ID),
        TOPIC,
        POST_ID,
        Column("rank", Kind.NUMBER),
        Column("score", Kind.NUMBER, required=False, default="0"),
        RUN,
    ),
    key=("run", "topic", "day", "post_id"),
)
QRELS = Schema("qrels", (TOPIC, POST_ID, Column("grade", Kind.NUMBER)), key=("topic", "post_id"))
LIVE = Schema("live", (TOPIC, POST_ID, Column("label", Kind.NUMBER)))
SELECTED = Schema("selected", (TOPIC, POST_ID, RUN, OWN_CLUSTER))
TEXT = Column("text", Kind.TEXT, required=False, aliases=("update_text", "content"))
KNOWN_VALUES = {"grade": (4.0, 3.0, 2.0, 1.0, 0.0, -1.0, -2.0), "label": (5.0, 2.0, 1.0, 0.0, -1.0)}
"""The grades of the qrels of all years, and the labels of live judgments."""
TIMES = ("epochs", "run", "snowflake")
"""Where times of posts may come from, beside the clusters' own file."""
TIMES_CURE = "give --epochs FILE, or --times snowflake, or --times run"
QRELS_MARK = "Q0"
"""The second field of qrels."""
MONTH_DAY = "^([0-9]{2})([0-9]{2})-([0-9]{2}:[0-9]{2}:[0-9]{2})$"
LEAP_YEAR = 2000
"""The year in which `validate` reads times without one: it has every day there is."""
YEAR_CURE = "choose the edition whose year it is (--edition), or write Unix seconds"
WITHOUT_SELECTED = (
    'the column "cluster_id" is not read: it names the cluster of a selected post, and there is no '
    'column "selected" beside it'
)


def fields_of(source: Input) -> list[str]:
    """Return the fields of the first line that has any; none in an empty file, or in a frame."""
    if source.is_table:
        return []
    head = source.head().removeprefix(BYTE_ORDER_MARK).decode("utf-8", "replace")
    return next((line.split() for line in head.split("\n") if line.strip()), [])


# Runs.


def is_run(source: Input) -> bool:
    """Return whether an input is a run of scenario A, by its first line."""
    fields = fields_of(source)
    is_time = len(fields) == 4 and re.fullmatch(rf"{MONTH_DAY}|[0-9]+(\.[0-9]+)?", fields[2])
    return bool(is_time) and fields[1] != QRELS_MARK


def is_daily_list(source: Input) -> bool:
    """Return whether an input is a run of scenario B, by its first line."""
    fields = fields_of(source)
    return len(fields) == 7 and re.fullmatch("[0-9]{8}", fields[0]) is not None


def with_year(year: int | None) -> Mapping[str, pl.Expr]:
    """Return the times of a run in ISO 8601 where they have month and day alone."""
    if year is None:
        return {}
    return {"time": pl.col("time").str.replace(MONTH_DAY, f"{year}-${{1}}-${{2}}T${{3}}Z")}


def check_posts(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Read the days of daily lists as numbers such as 20170729; posts that were pushed have 0."""
    if "rank" not in frame.columns:
        return frame.with_columns(day=pl.lit(0))
    days = dict[str, tuple[int, float]]()
    for name in frame["day"].unique():
        with suppress(ValueError):
            date = datetime.strptime(f"{name}Z", "%Y%m%d%z")
            days[name] = date.year * 10_000 + date.month * 100 + date.day, date.timestamp()
    wrong = frame.filter(~pl.col("day").is_in(list(days)))
    add_faults(faults, wrong, '"{day}" is not a date', "write YYYYMMDD", "date-format")
    names = pl.Series(list(days), dtype=pl.String)
    number, midnight = (pl.Series([each[at] for each in days.values()]) for at in (0, 1))
    day = pl.col("day")
    return frame.with_columns(
        day=day.replace_strict(names, number, default=0, return_dtype=pl.Int32),
        time=day.replace_strict(names, midnight, default=0.0, return_dtype=pl.Float64),
        confidence="score",
    )


def posts_reader(
    year: int | None = None, *, repeats: bool = False, text: bool = False
) -> TableReader:
    """Return the reader of runs whose times are of this year.

    With `repeats` a post may be pushed twice; with `text` texts of posts are read too.
    """
    schema = replace(POSTS, key=() if repeats else POSTS.key)
    lines = Layout(schema, "topic post_id time run", partial(with_year, year))
    days = Layout(LISTS, f"day topic {QRELS_MARK} post_id rank score run")
    return TableReader(
        schema=replace(schema, columns=(*schema.columns, TEXT)) if text else schema,
        tracks=(
            TrackFile(recognise=is_daily_list, layout=days),
            TrackFile(recognise=is_run, layout=lines),
            PROPOSED_RUN,
        ),
        check=check_posts,
        may_be_empty=True,
        once=(LISTS.key, 'post_id "{post_id}" stands twice in run "{run}"', ""),
    )


def tell_year(fault: Fault) -> Fault:
    """Return the fault of a time that has no year with the cure for that."""
    reason = re.sub(f'(time "{MONTH_DAY[1:-1]}") [^;]*', r"\1 has no year", fault.reason)
    return fault if reason == fault.reason else replace(fault, reason=reason, cure=YEAR_CURE)


def read_posts(
    given: Sequence[Given], reader: TableReader, form: str | None = None, each: Each = map
) -> Table:
    """Read runs as one table, with remarks on columns that are not read as its notes.

    `selected` is there if all runs have it, and `named` names the clusters made for selected posts.
    """
    try:
        table = read(given, reader, form, each)
    except InputError as error:
        raise InputError([*map(tell_year, error.faults)]) from None
    return complete_posts(table)


def complete_posts(table: Table) -> Table:
    """Return the rows of runs with what their columns mean, and remarks on those not read."""
    frame = table.frame
    if frame["day"].n_unique() > 1 and 0 in frame["day"]:
        raise UsageError("runs of scenario A and B cannot be scored together: name one kind")
    notes = []
    present = set(frame.columns)
    if "confidence" in present:
        frame = frame.with_columns(pl.col("confidence").fill_null(0.0))
    if "cluster_id" in present:
        is_alone = pl.col("selected").is_null() if "selected" in present else pl.lit(value=True)
        alone = frame.filter(pl.col("cluster_id").is_not_null() & is_alone)["file"].unique()
        notes += [f"{table.sources[at].path}: {WITHOUT_SELECTED}" for at in alone.sort()]
        named = pl.when(~is_alone).then(pl.col("cluster_id").replace("", None))
        frame = frame.with_columns(named=named)
    if "selected" in present and frame["selected"].has_nulls():
        is_read = pl.col("selected").is_not_null()
        names = (frame.filter(each)["run"].unique().sort() for each in (is_read, ~is_read))
        have, lack = (f"run{'s' * (len(own) != 1)} {', '.join(own)}" for own in names)
        notes.append(
            f'the column "selected" of {have} is not read, for {lack} has none: all posts that are '
            "in a cluster are selected; give every run such a column, or --selected FILE"
        )
        frame = frame.drop("selected")
    return replace(table, frame=frame, notes=tuple(notes))


def find_repeats(posts: pl.DataFrame) -> pl.DataFrame:
    """Return the posts pushed before within the same run and topic, with the file and line."""
    key = ["run", "topic", "post_id"]
    are_lists = (posts["day"] != 0).any()
    if are_lists or posts.select(key).hash_rows().n_unique() == posts.height:
        posts = posts.clear()
    first = pl.col("file", "line").first().over(key).name.suffix(" before")
    return posts.with_columns(first).filter(~pl.struct(key).is_first_distinct())


def again(number: int) -> str:
    """Return how many lines push a post once more, in words."""
    one = "line pushes a post" if number == 1 else "lines push posts"
    return f"{number:,} {one} that the run had pushed before within the topic"


def remark_repeats(posts: Table) -> Iterator[str]:
    """Yield what a reader of a run of the push tracks should know, but is no fault there."""
    repeats = find_repeats(posts.frame)
    if repeats.height:
        first = repeats.row(0, named=True)
        unit = posts.sources[0].unit
        yield (
            f"{again(repeats.height)}; the first is {unit} {first['line']}, after {unit} "
            f"{first['line before']}. Each push counts in the editions mb2015, rts2016 and "
            "rts2017 (rule repeated-posts); latency and redundancy refuse such a run"
        )


# Clusters.


def check_clusters(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Refuse a topic of the name under which the mean over topics stands."""
    if ALL_TOPICS in frame["topic"]:
        reason = f'a topic is called "{ALL_TOPICS}", the name of the mean over topics'
        faults.add(None, reason, "give the topic another name", "reserved-name")
    return frame


CLUSTERS_READER = TableReader(schema=CLUSTERS, check=check_clusters)


def read_clusters(
    given: Given,
    form: str | None = None,
    clock: Clock | None = None,
    topic: str | None = None,
    *,
    replaces_times: bool = False,
    may_lack_times: bool = False,
) -> Table:
    """Read clusters of any form, with remarks as the notes; those without times need the clock.

    With `replaces_times` a plain table takes times from it too. A post without a time is a fault,
    or with `may_lack_times` left out with a remark. `topic` is the topic of two columns.
    """
    source = input_of(given, CLUSTERS)
    is_listed = not form and not source.is_table and is_listing(source)
    if topic is not None and not (is_listed and is_list_of_pairs(source)):
        raise UsageError(
            f"the clusters of {source.path} name their topics themselves: --topic is for clusters "
            "in two columns"
        )
    listing = TrackFile(recognise=is_listing, read=partial(read_listing, topic=topic))
    table = read([source], replace(CLUSTERS_READER, tracks=(listing,)), form)
    remarks = [remark for note in table.notes for remark in note]
    frame = table.frame
    if is_listed and frame.height and clock is None:
        table.refuse_all("these clusters have no times", TIMES_CURE, "missing-time")
    if clock is not None and (is_listed or replaces_times):
        frame = frame.with_columns(time=clock(frame["post_id"]))
    reason = 'post "{post_id}" of cluster "{cluster_id}" has no time'
    cure = "look for times elsewhere, or remove the post"
    lacking = frame.filter(pl.col("time").is_null()) if "time" in frame.columns else frame
    missing = [*faults_of(table, lacking, reason, cure, "missing-time")]
    if missing and not may_lack_times:
        raise InputError(missing)
    if len(missing) == frame.height:
        cure = "without clusters there is nothing to score"
        table.refuse_all("holds no clusters", cure, "no-rows")
    frame = frame.drop_nulls("time") if missing else frame
    return replace(table, frame=frame, notes=(*remarks, *missing))


def faults_of(
    table: Table, rows: pl.DataFrame, reason: str, cure: str, code: str
) -> Iterator[Fault]:
    """Yield a fault of each of these clusters, with its line, or in JSON its path."""
    paths = rows["path"] if "path" in rows.columns else [""] * rows.height
    for path, fault in zip(paths, table.faults(rows, reason, cure, code), strict=True):
        yield replace(fault, reason=f"{path}: {fault.reason}") if path else fault


def run_clock(posts: Table) -> Clock:
    """Return the clock of runs: the earliest time at which any of them has a post."""
    return clock_of(posts.frame.group_by("post_id").agg(pl.col("time").min()))


# Judgments.


def are_qrels(source: Input) -> bool:
    """Return whether an input is qrels, by its first line."""
    fields = fields_of(source)
    return len(fields) == 4 and fields[1] == QRELS_MARK


def is_live_of_2016(source: Input) -> bool:
    """Return whether live judgments have the time of the judgment."""
    return lacks_columns(source, LIVE) and len(fields_of(source)) == 4


LIVE_FIELDS = ("topic post_id label", "topic post_id time label")


def refuse_qrels(source: Input, faults: FaultList) -> TrackRows:
    """Refuse qrels where live judgments should be: read as these, their post would be `Q0`."""
    line = next(number for number, line in text_lines(source, faults) if line.strip())
    reason = f'these are qrels: "{QRELS_MARK}" stands where a post should'
    cure = f"give qrels as --qrels; live judgments are {', or '.join(LIVE_FIELDS)}"
    faults.refuse(line, reason, cure, "wrong-file")


QRELS_READER = TableReader(
    schema=QRELS,
    tracks=(
        TrackFile(
            recognise=are_qrels,
            applies=partial(lacks_columns, schema=QRELS),
            layout=Layout(QRELS, f"topic {QRELS_MARK} post_id grade"),
        ),
    ),
)
LIVE_READER = TableReader(
    schema=LIVE,
    tracks=(
        TrackFile(recognise=are_qrels, read=refuse_qrels),
        TrackFile(recognise=is_live_of_2016, layout=Layout(LIVE, LIVE_FIELDS[1])),
        TrackFile(
            recognise=partial(lacks_columns, schema=LIVE), layout=Layout(LIVE, LIVE_FIELDS[0])
        ),
    ),
)
READERS = {
    "epochs": EPOCHS_READER,
    "live_epochs": EPOCHS_READER,
    "selected": TableReader(schema=SELECTED),
    "qrels": QRELS_READER,
    "live": LIVE_READER,
}
"""How the files beside the runs and the clusters are read, by the names of the inputs."""


# What `tseval validate` and `tseval import` know.


@frozen
class ClusterHelpers:
    """What clusters lack, from elsewhere."""

    epochs: Given | None = file_option(
        "When posts were created: post YYYYMMDD epoch.",
        table=EPOCHS,
        needed_by=("times=epochs",),
    )
    times: str | None = option(
        "Where the times come from. Default: their file, else --epochs or --run.", choices=TIMES
    )
    runs: tuple[Given, ...] = file_option(
        "--run",
        "A run that tells the times.",
        several=True,
        table=POSTS,
        needed_by=("times=run", "year"),
    )
    qrels: Given | None = file_option("Warn of topics that are not in it.", table=QRELS)
    topic: str | None = option(
        "The topic of two columns. Default: the file's name.", metavar="NAME"
    )
    year: int | None = option("The year of times such as 0729-23:17:35.")


@frozen
class RunOptions:
    """What a run lacks that does not write whole times."""

    year: int | None = option("The year of times such as 0729-23:17:35.")


@frozen
class SampleOptions:
    """What `tseval import sample` may be asked for."""

    size: int = option("At most so many posts of each run.", metavar="N", at_least=1, required=True)
    sampling: str | None = option(SAMPLING_HELP, choices=SAMPLINGS)
    seed: int = option(SEED_HELP, default=0, shows_default=True)
    year: int | None = option("The year of times such as 0729-23:17:35.")
    rules: tuple[str, ...] = option(
        "--rule",
        "Another habit: per=topic takes the size of each run and topic.",
        metavar="NAME=VALUE",
        several=True,
    )


def import_clusters(paths: Sequence[Given], given: ClusterHelpers) -> Imported:
    """Import clusters of any form as the plain table; what is odd in them is a warning."""
    times = given.times or ("epochs" if given.epochs else "run" if given.runs else "")
    clock: Clock | None = snowflake_times if times == "snowflake" else None
    if times == "epochs" and given.epochs is not None:
        clock = clock_of(read([given.epochs], EPOCHS_READER).frame)
    elif times == "run":
        clock = run_clock(read_posts(given.runs, posts_reader(given.year, repeats=True)))
    replaces = given.times is not None or bool(given.runs)
    table = read_clusters(paths[0], None, clock, given.topic, replaces_times=replaces)
    frame, remarks = table.frame, [*table.notes]
    if given.qrels is not None:
        known = read([given.qrels], QRELS_READER).frame["topic"].unique().to_list()
        number = pl.col("topic").str.strip_chars_start(
            "".join({mark for name in frame["topic"].unique() for mark in name if mark.isalpha()})
        )
        first = frame.unique("topic", keep="first", maintain_order=True)
        lost = first.filter(~pl.col("topic").is_in(known) & ~number.is_in(known))
        remarks += faults_of(table, lost, 'topic "{topic}" is not in the qrels', "", "unknown-id")
    names = ["topic", "cluster_id", "post_id", "time"]
    names += ["text"] * ("text" in frame.columns and any(frame["text"]))
    return Imported({name: texts_of(frame[name]) for name in names}, tuple(map(str, remarks)))


def import_run(paths: Sequence[str], given: RunOptions) -> Imported:
    """Import a run of scenario A as a table of posts."""
    (path,) = paths
    if not is_run(Input(path)):
        raise UsageError(f"{path} is no run of scenario A: topic post time tag")
    posts = read_posts([path], posts_reader(given.year, repeats=True))
    names = ("run", "topic", "post_id", "time")
    columns: dict[str, Sequence[str]] = {name: texts_of(posts.frame[name]) for name in names}
    return Imported(columns, tuple(remark_repeats(posts)))


def validate_listing(source: Input, _: str | None, __: Sequence[str]) -> Table:
    """Read clusters in a form without times: what is odd in them is a fault here too."""
    listing = TrackFile(recognise=is_listing, read=read_listing)
    table = read([source], TableReader(schema=CLUSTERS, tracks=(listing,)))
    (remarks,) = table.notes
    if remarks:
        raise InputError(remarks)
    return table


def track_of(source: Input) -> str | None:
    """Return which file of the push tracks an input is, by the name of its format."""
    fields = fields_of(source)
    if len(fields) in (3, 4) and fields[-1] in LIVE_LABELS and fields[1].isdigit():
        return LIVE.table
    if is_run(source) or is_daily_list(source):
        return "run"
    if are_qrels(source) or are_epochs(source):
        return QRELS.table if are_qrels(source) else "epochs"
    return LISTING if is_listing(source) and tells_posts(source) else None


LIVE_LABELS = ("-1", "0", "1", "2", "5")
"""The ends of live judgments, where a run has its tag."""
LISTING = "clusters without times"


def is_track(source: Input, name: str) -> bool:
    """Return whether an input is this file of the push tracks, and no JSON of a table's rows."""
    from tseval.core.nearest import nearest_fault  # which loads Arrow

    form, keys = recognise(source)
    is_json = form in ("jsonl", JSON) and bool(keys) and FACT not in keys
    is_table = is_json and nearest_fault(source, keys) is not None
    return not is_table and track_of(source) == name


def format_of(name: str, read_file: Callable[..., Any], **more: Any) -> Format:
    """Return the format of a file of the push tracks."""
    return Format(name, read_file, partial(is_track, name=name), Rank.AFTER_TABLES, **more)


def tell_repeats(posts: Table) -> Iterator[Line]:
    """Yield what `tseval validate` says of a run."""
    path = posts.sources[0].path
    yield from ((f"{path}: warning: {line}", False) for line in remark_repeats(posts))


def unknown_values(name: str, table: Table) -> Iterator[Line]:
    """Yield each grade or label that no year has."""
    numbers = table.frame[name].to_numpy()
    return unknown_numbers(name, numbers, table.origin, KNOWN_VALUES[name])
