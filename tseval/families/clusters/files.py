"""The files of clusters and of push evaluations: plain tables, and the tracks' own files.

No file of a track has a header; fields are divided by white space.

    run A    topic post time tag            time MMDD-HH:MM:SS in UTC, or Unix seconds
    run B    YYYYMMDD topic Q0 post rank score tag
    qrels    topic Q0 post grade
    epochs   post YYYYMMDD epoch
    live     topic post label               2017
             topic post epoch label         2016

Assessors' clusters come in these forms, too, of which none has times.

    two columns          cluster post, one pair a line, divided by white space or a comma
    Microblog 2015       {"topics": {T: {"clusters": [[post, …], …]}}}
    RTS 2016             {"topics": {T: {"clusters": {C: [post, …]}}}}
    RTS 2017             {T: {"clusters": {C: {"description": …, "tweets": [post, …]}}}}
    CrisisFACTS          [{"collapsed_fact_id": C, "fact_text": …, "relevant_facts": [post, …]}, …],
                         or one such object a line
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from tseval.core.declared import SAMPLING_HELP, SAMPLINGS, SEED_HELP, file_option, option
from tseval.errors import Fault, InputError, UsageError
from tseval.io import JSON, json_text, records, schema, tables
from tseval.io.epochs import EPOCHS_READER, Clock, clock_of, snowflake_times
from tseval.io.faults import FaultList, text_lines
from tseval.io.fields import Layout
from tseval.io.formats import Format, Import, Imported, Line, Rank
from tseval.io.forms import recognise
from tseval.io.given import input_of
from tseval.io.inputs import Each, Input, first_row
from tseval.io.proposed_runs import PROPOSED_RUN
from tseval.io.schema import CLUSTERS, EPOCHS, POST_ID, POSTS, RUN, TOPIC, Column, Kind, Schema
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.io.given import Given

LISTS = Schema(
    "lists",
    (
        replace(schema.DAY, kind=Kind.ID),
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
SELECTED = Schema("selected", (TOPIC, POST_ID, RUN, schema.OWN_CLUSTER))
TEXT = Column("text", Kind.TEXT, required=False, aliases=("update_text", "content"))
KNOWN_VALUES = {"grade": (4.0, 3.0, 2.0, 1.0, 0.0, -1.0, -2.0), "label": (5.0, 2.0, 1.0, 0.0, -1.0)}
"""The grades of the qrels of all years, and the labels of live judgments."""
TIMES = ("epochs", "run", "snowflake")
"""Where times of posts may come from, beside the clusters' own file."""
TIMES_CURE = "give --epochs FILE, or --times snowflake, or --times run"
QRELS_MARK = "Q0"
"""The second field of qrels."""
MONTH_DAY = "^([0-9]{2})([0-9]{2})-([0-9]{2}:[0-9]{2}:[0-9]{2})$"
SECONDS = r"[0-9]+(\.[0-9]+)?"
LEAP_YEAR = 2000
"""The year in which `validate` reads times without one: it has every day there is."""
YEAR_CURE = "choose the edition whose year it is (--edition), or write Unix seconds"
WITHOUT_SELECTED = (
    'the column "cluster_id" is not read: it names the cluster of a selected post, and there is no '
    'column "selected" beside it'
)


# Runs.


def is_run(source: Input) -> bool:
    """Return whether an input is a run of scenario A, by its first line."""
    fields = first_row(source).split()
    is_time = len(fields) == 4 and re.fullmatch(f"{MONTH_DAY}|{SECONDS}", fields[2].decode("latin"))
    return bool(is_time) and fields[1] != QRELS_MARK.encode()


def is_daily_list(source: Input) -> bool:
    """Return whether an input is a run of scenario B, by its first line."""
    fields = first_row(source).split()
    return len(fields) == 7 and re.fullmatch(b"[0-9]{8}", fields[0]) is not None


def is_run_or_list(source: Input) -> bool:
    """Return whether an input is a run of either scenario."""
    return is_run(source) or is_daily_list(source)


def with_year(year: int | None) -> Mapping[str, pl.Expr]:
    """Return the times of a run in ISO 8601 where they have month and day alone."""
    if year is None:
        return {}
    return {"time": pl.col("time").str.replace(MONTH_DAY, f"{year}-${{1}}-${{2}}T${{3}}Z")}


def check_posts(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Read the days of daily lists as numbers such as 20170729; posts that were pushed have 0."""
    if "rank" not in frame.columns:
        return frame.with_columns(day=pl.lit(0))
    day = pl.col("day").str.extract("^([0-9]{8})$")
    date = day.str.to_date("%Y%m%d", strict=False)
    wrong = frame.filter(date.is_null())
    tables.add_faults(faults, wrong, '"{day}" is not a date', "write YYYYMMDD", "date-format")
    midnight = date.dt.epoch("s").cast(pl.Float64)
    return frame.with_columns(day=day.cast(pl.Int32), time=midnight, confidence="score")


def posts_reader(
    year: int | None = None, *, repeats: bool = False, text: bool = False
) -> tables.TableReader:
    """Return the reader of runs whose times are of this year.

    With `repeats` a post may be pushed twice; with `text` texts of posts are read too.
    """
    posts = replace(POSTS, key=() if repeats else POSTS.key)
    lines = Layout(posts, "topic post_id time run", partial(with_year, year))
    days = Layout(LISTS, f"day topic {QRELS_MARK} post_id rank score run")
    return tables.TableReader(
        schema=replace(posts, columns=(*posts.columns, TEXT)) if text else posts,
        tracks=(
            tables.TrackFile(recognise=is_daily_list, layout=days),
            tables.TrackFile(recognise=is_run, layout=lines),
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
    given: Sequence[Given], reader: tables.TableReader, form: str | None = None, each: Each = map
) -> tables.Table:
    """Read runs as one table, with remarks on columns that are not read as its notes.

    `selected` is there if all runs have it, and `named` names the clusters made for selected posts.
    """
    try:
        table = tables.read(given, reader, form, each)
    except InputError as error:
        raise InputError([*map(tell_year, error.faults)]) from None
    return complete_posts(table)


def complete_posts(table: tables.Table) -> tables.Table:
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


def remark_repeats(posts: tables.Table) -> Iterator[str]:
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

FACT = "collapsed_fact_id"
FACT_MARK = "-collapsed-"
"""What stands in the name of a collapsed fact between its topic and its number."""
FORMS = (
    "the plain table, two columns (cluster, post), and the JSON of Microblog 2015, RTS 2016, "
    "RTS 2017 and CrisisFACTS"
)
TWO_CLUSTERS_CURE = "it counts in both for `proposal`, and in the last for the push editions"
POST_NAMES = ("post_id", "post", "update_id")
"""What the second column is called where a list of two columns has a header."""
STRING_CURE = 'write ids as strings: "891161183016820736"'
JSON_CURE = "close what is open; no comma after the last"
COLLAPSED_FACT = records.Record(
    f'a fact is {{"{FACT}": …, "relevant_facts": [POST, …]}}',
    {"fact_text": ""},
    collapsed_fact_id=records.is_name,
    relevant_facts=records.is_names,
    fact_text=records.is_text,
)


def check_clusters(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Refuse a topic of the name of the mean; rows of plain tables stand at no path."""
    tables.check_topics(frame, faults)
    return frame if "where" in frame.columns else frame.with_columns(where=pl.lit(""))


CLUSTERS_READER = tables.TableReader(schema=CLUSTERS, check=check_clusters)


def split_pair(line: str) -> list[str]:
    """Return the two fields of a line, or as many as it has."""
    fields = line.split(",") if line.count(",") == 1 else line.split()
    return [each.strip() for each in fields]


def first_pair(source: Input) -> list[str]:
    """Return the fields of the first line."""
    return split_pair(source.head().lstrip().partition(b"\n")[0].decode("utf-8", "replace"))


def is_list_of_pairs(source: Input) -> bool:
    """Return whether clusters that are no table are in two columns: then they name no topic."""
    return source.head().lstrip()[:1] not in (b"{", b"[")


def is_listing(source: Input) -> bool:
    """Return whether an input is one of these forms, and no plain table, by its first bytes."""
    form, names = recognise(source)
    if is_list_of_pairs(source):
        return form not in ("parquet", "xlsx") and len(first_pair(source)) == 2
    return (
        tables.has_missing_columns(source, CLUSTERS) if form == JSON else "cluster_id" not in names
    )


def read_listing(source: Input, faults: FaultList, topic: str | None = None) -> tables.TrackRows:
    """Read any of these forms; what can be read but is odd is the note, a list of faults.

    A list of two columns has one topic: the one given here, else the file's name up to its first
    dot. The column `where` has the path of a post in JSON and a colon; nothing where lines tell.
    """
    if is_list_of_pairs(source):
        rows = read_pairs(source, faults, topic or source.name.partition(".")[0])
    elif source.head().lstrip().startswith(b"[") or f'"{FACT}"'.encode() in source.head():
        rows = read_facts(source, faults)
    else:
        rows = read_topics(source, faults)
    frame = tables.frame_of_rows(rows, CLUSTERS, *CLUSTERS.key, "text", where=pl.String)
    ids, where, odd = pl.col(CLUSTERS.key), pl.col("where"), FaultList(source)
    is_empty = pl.col("post_id").is_null()
    empty, frame = frame.filter(is_empty), frame.filter(~is_empty)
    wrong = frame.filter(pl.any_horizontal(ids.str.strip_chars() == ""))
    reason, cure = "{where}an empty topic, cluster or post id", "give it its id, or remove it"
    tables.add_faults(faults, wrong, reason, cure, "empty-value")
    again = frame.filter(~pl.struct(ids).is_first_distinct())
    reason = '{where}post "{post_id}" stands twice in its cluster'
    tables.add_faults(faults, again, reason, "remove one of them", "duplicate-id")
    place = pl.coalesce(pl.format("line {}", "line"), where.str.strip_suffix(": "))
    first = frame.select("topic", "post_id", first="cluster_id", place=place)
    first = first.unique(["topic", "post_id"], keep="first")
    others = frame.join(first, on=["topic", "post_id"], maintain_order="left")
    others = others.filter(pl.col("cluster_id") != pl.col("first"))
    reason = '{where}post "{post_id}" is in two clusters: "{first}" ({place}) and "{cluster_id}"'
    tables.add_faults(odd, others, reason, TWO_CLUSTERS_CURE, "conflicting-rows")
    reason = '{where}cluster "{cluster_id}" has no posts'
    tables.add_faults(odd, empty, reason, "it is left out", "no-rows")
    faults.check()
    return tables.TrackRows(frame, odd.noted)


def read_pairs(source: Input, faults: FaultList, topic: str) -> Iterator[tuple[Any, ...]]:
    """Yield a cluster and a post a line."""
    for number, line in text_lines(source, faults):
        fields = split_pair(line)
        if len(fields) == 2:
            if number > 1 or fields[1] not in POST_NAMES:
                yield number, topic, *fields, "", ""
        elif any(fields):
            reason = f"{len(fields)} field{'s' * (len(fields) > 1)} where there are two"
            faults.add(number, f"{reason}: cluster post", "", "field-count")


def read_facts(source: Input, faults: FaultList) -> Iterator[tuple[Any, ...]]:
    """Yield the posts of each collapsed fact of CrisisFACTS, or None: a cluster of equal facts."""
    for line, record in records.records_in(source, faults):
        for fact in COLLAPSED_FACT.rows([record], line, faults):
            name = fact[FACT]
            topic = name.rpartition(FACT_MARK)[0] or name
            for post in fact["relevant_facts"] or [None]:
                yield line, topic, name, post, fact["fact_text"], ""


def read_topics(source: Input, faults: FaultList) -> Iterator[tuple[Any, ...]]:
    """Yield the posts of each cluster of Microblog and RTS, or None, each with its path."""
    topics, root = json_text.read_document(source, faults, JSON_CURE), ""
    if records.is_object(topics.get("topics")):
        topics, root = topics["topics"], "topics."
    if not topics:
        faults.add(None, "no topics", f"looked for {FORMS}", "no-rows")
    for topic, content in topics.items():
        clusters = content.get("clusters") if records.is_object(content) else None
        path = f"{root}{topic}"
        if records.is_list(clusters):
            steps = [(f"[{at}]", str(at + 1), posts) for at, posts in enumerate(clusters)]
        elif records.is_object(clusters):
            steps = [(f".{name}", name, posts) for name, posts in clusters.items()]
        else:
            faults.add(None, f'{path}: no "clusters"', f"looked for {FORMS}", "record-format")
            continue
        for step, name, posts in steps:
            yield from read_posts_of(posts, topic, name, f"{path}.clusters{step}", faults)


def read_posts_of(
    posts: Any, topic: str, cluster: str, path: str, faults: FaultList
) -> Iterator[tuple[Any, ...]]:
    """Yield the posts of a cluster, which RTS 2017 has beside a description; None of no posts."""
    if records.is_object(posts):
        posts, path = posts.get("tweets"), f"{path}.tweets"
    if not records.is_list(posts):
        reason = f"{path}: {records.kind_of(posts)} where a list of posts is expected"
        faults.add(None, reason, "write a list of ids", "json-type")
    elif not posts:
        yield None, topic, cluster, None, "", f"{path}: "
    else:
        for at, post in enumerate(posts):
            if records.is_text(post):
                yield None, topic, cluster, post, "", f"{path}[{at}]: "
            else:
                reason = f"{path}[{at}]: {records.kind_of(post)} where a post's id is expected"
                faults.add(None, reason, STRING_CURE, "json-type")


def read_clusters(
    given: Given,
    form: str | None = None,
    clock: Clock | None = None,
    topic: str | None = None,
    *,
    replaces_times: bool = False,
    may_lack_times: bool = False,
) -> tables.Table:
    """Read clusters of any form, with remarks as the notes; those without times need the clock.

    With `replaces_times` a plain table takes times from it too. A post without a time is a fault,
    or with `may_lack_times` left out with a remark. `topic` is the topic of two columns.
    """
    source = input_of(given, CLUSTERS)
    listing = tables.TrackFile(recognise=is_listing, read=partial(read_listing, topic=topic))
    table = tables.read([source], replace(CLUSTERS_READER, tracks=(listing,)), form)
    frame = table.frame
    is_listed = "time" not in frame.columns
    if topic is not None and not (is_listed and is_list_of_pairs(source)):
        raise UsageError(
            f"the clusters of {source.path} name their topics themselves: --topic is for clusters "
            "in two columns"
        )
    if is_listed and clock is None:
        table.refuse_all("these clusters have no times", TIMES_CURE, "missing-time")
    if clock is not None and (is_listed or replaces_times):
        frame = frame.with_columns(time=clock(frame["post_id"]))
    lacking = frame.filter(pl.col("time").is_null())
    reason = '{where}post "{post_id}" of cluster "{cluster_id}" has no time'
    cure = "look for times elsewhere, or remove the post"
    missing = [*table.faults(lacking, reason, cure, "missing-time")]
    if missing and not may_lack_times:
        raise InputError(missing)
    if lacking.height == frame.height:
        cure = "without clusters there is nothing to score"
        table.refuse_all("holds no clusters", cure, "no-rows")
    remarks = (remark for note in table.notes for remark in note)
    return replace(table, frame=frame.drop_nulls("time"), notes=(*remarks, *missing))


def choose_clock(
    times: str | None, epochs: tables.Table | None, posts: tables.Table | None
) -> Clock | None:
    """Return the clock that tells the times of clusters; None leaves it to their file.

    That of runs tells the earliest time at which any of them has a post.
    """
    if times == "snowflake":
        return snowflake_times
    if epochs is not None and times != "run":
        return clock_of(epochs.frame)
    if posts is None:
        return None
    return clock_of(posts.frame.group_by("post_id").agg(pl.col("time").min()))


# Judgments.


def are_qrels(source: Input) -> bool:
    """Return whether an input is qrels, by its first line."""
    fields = first_row(source).split()
    return len(fields) == 4 and fields[1] == QRELS_MARK.encode()


def is_live(source: Input) -> bool:
    """Return whether an input is live judgments: they end where a run has its tag."""
    fields = first_row(source).split()
    return len(fields) in (3, 4) and fields[-1] in LIVE_LABELS and fields[1].isdigit()


def is_live_of_2016(source: Input) -> bool:
    """Return whether live judgments have the time of the judgment."""
    return tables.has_missing_columns(source, LIVE) and len(first_row(source).split()) == 4


LIVE_LABELS = (b"-1", b"0", b"1", b"2", b"5")
LIVE_FIELDS = ("topic post_id label", "topic post_id time label")


def refuse_qrels(source: Input, faults: FaultList) -> tables.TrackRows:
    """Refuse qrels where live judgments should be: read as these, their post would be `Q0`."""
    line = next(number for number, line in text_lines(source, faults) if line.strip())
    reason = f'these are qrels: "{QRELS_MARK}" stands where a post should'
    cure = f"give qrels as --qrels; live judgments are {', or '.join(LIVE_FIELDS)}"
    faults.refuse(line, reason, cure, "wrong-file")


QRELS_LINES = Layout(QRELS, f"topic {QRELS_MARK} post_id grade")
LACKS_QRELS, LACKS_LIVE = (
    partial(tables.has_missing_columns, schema=schema) for schema in (QRELS, LIVE)
)
UNKNOWN_GRADES, UNKNOWN_LABELS = (
    partial(tables.unknown_numbers, what=name, column=name, known=known)
    for name, known in KNOWN_VALUES.items()
)
QRELS_READER = tables.TableReader(
    schema=QRELS,
    tracks=(tables.TrackFile(recognise=are_qrels, applies=LACKS_QRELS, layout=QRELS_LINES),),
    remarks=UNKNOWN_GRADES,
)
LIVE_READER = tables.TableReader(
    schema=LIVE,
    tracks=(
        tables.TrackFile(recognise=are_qrels, read=refuse_qrels),
        tables.TrackFile(recognise=is_live_of_2016, layout=Layout(LIVE, LIVE_FIELDS[1])),
        tables.TrackFile(recognise=LACKS_LIVE, layout=Layout(LIVE, LIVE_FIELDS[0])),
    ),
    remarks=UNKNOWN_LABELS,
)
BESIDE = {
    "qrels": QRELS_READER,
    "epochs": EPOCHS_READER,
    "live": LIVE_READER,
    "live_epochs": EPOCHS_READER,
    "selected": tables.TableReader(schema=SELECTED, names_runs=False),
}
"""How the files beside the runs and the clusters are read, by the names of the inputs."""
READERS = {"runs": posts_reader(), "clusters": CLUSTERS_READER, **BESIDE}


# What `tseval validate` and `tseval import` know.


@frozen
class ClusterHelpers:
    """What clusters lack, from elsewhere."""

    epochs: Given | None = file_option(
        "The times of posts: post YYYYMMDD epoch.",
        table=EPOCHS,
        needed_by=("times=epochs",),
    )
    times: str | None = option(
        "The source of the times. Default: their file, else --epochs or --run.", choices=TIMES
    )
    runs: tuple[Given, ...] = file_option(
        "--run",
        "A run with the times of the posts.",
        several=True,
        table=POSTS,
        needed_by=("times=run", "year"),
    )
    qrels: Given | None = file_option("Warn of topics that this file lacks.", table=QRELS)
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

    size: int = option("The most posts of each run.", metavar="N", at_least=1, required=True)
    sampling: str | None = option(SAMPLING_HELP, choices=SAMPLINGS)
    seed: int = option(SEED_HELP, default=0)
    year: int | None = option("The year of times such as 0729-23:17:35.")
    rules: tuple[str, ...] = option(
        "--rule",
        "Change a rule: per=topic applies the size to each run and topic.",
        metavar="NAME=VALUE",
        several=True,
    )


def import_clusters(paths: Sequence[Given], given: ClusterHelpers) -> Imported:
    """Import clusters of any form as the plain table; what is odd in them is a warning."""
    epochs = None if given.epochs is None else tables.read([given.epochs], EPOCHS_READER)
    reader = posts_reader(given.year, repeats=True)
    clock = choose_clock(
        given.times, epochs, read_posts(given.runs, reader) if given.runs else None
    )
    replaces = given.times is not None or bool(given.runs)
    table = read_clusters(paths[0], None, clock, given.topic, replaces_times=replaces)
    frame, remarks = table.frame, [*table.notes]
    if given.qrels is not None:
        known = tables.read([given.qrels], QRELS_READER).frame["topic"].unique().to_list()
        number = pl.col("topic").str.strip_chars_start(
            "".join({mark for name in frame["topic"].unique() for mark in name if mark.isalpha()})
        )
        first = frame.unique("topic", keep="first", maintain_order=True)
        lost = first.filter(~pl.col("topic").is_in(known) & ~number.is_in(known))
        reason = '{where}topic "{topic}" is not in the qrels'
        remarks += table.faults(lost, reason, "", "unknown-id")
    names = ["topic", "cluster_id", "post_id", "time"]
    names += ["text"] * ("text" in frame.columns and any(frame["text"]))
    return Imported(
        {name: tables.texts_of(frame[name]) for name in names}, tuple(map(str, remarks))
    )


def import_run(paths: Sequence[str], given: RunOptions) -> Imported:
    """Import a run of scenario A as a table of posts."""
    (path,) = paths
    if not is_run(Input(path)):
        raise UsageError(f"{path} is no run of scenario A: topic post time tag")
    posts = read_posts([path], posts_reader(given.year, repeats=True))
    names = ("run", "topic", "post_id", "time")
    columns: dict[str, Sequence[str]] = {name: tables.texts_of(posts.frame[name]) for name in names}
    return Imported(columns, tuple(remark_repeats(posts)))


def tell_oddities(table: tables.Table) -> Iterator[Line]:
    """Yield what is odd in clusters without times, which is a fault for `tseval validate`."""
    yield from ((str(fault), True) for note in table.notes for fault in note)


def shows_listing(source: Input) -> bool:
    """Return whether an input holds clusters, and no JSON of a table's rows.

    A list of two columns is more than any two if the second is named, or its ids have digits.
    """
    from tseval.core.validation import nearest_fault  # which loads Arrow

    form, keys = recognise(source)
    is_json = form in ("jsonl", JSON) and bool(keys) and FACT not in keys
    is_table = is_json and nearest_fault(source, keys) is not None
    post = first_pair(source)[-1:] if is_list_of_pairs(source) else []
    are_ids = all(name in POST_NAMES or any(map(str.isdigit, name)) for name in post)
    return not is_table and is_listing(source) and are_ids


def tell_repeats(posts: tables.Table) -> Iterator[Line]:
    """Yield what `tseval validate` says of a run."""
    path = posts.sources[0].path
    yield from ((f"{path}: warning: {line}", False) for line in remark_repeats(posts))


RUN_FILES = replace(posts_reader(LEAP_YEAR, repeats=True), remarks=tell_repeats)
LISTING_READER = tables.TableReader(
    schema=CLUSTERS,
    tracks=(tables.TrackFile(recognise=is_listing, read=read_listing),),
    remarks=tell_oddities,
)


def format_of(
    name: str, recognised: Callable[[Input], bool], reader: tables.TableReader, *imports: Import
) -> Format:
    """Return the format of a file of the push tracks; of several that fit the first is taken."""
    return Format(
        name,
        lambda source, _, __: tables.read([source], reader),
        recognised,
        Rank.AFTER_TABLES,
        remarks=reader.remarks,
        imports=imports,
    )
