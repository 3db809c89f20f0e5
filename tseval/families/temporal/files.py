"""The files of temporal summarization: plain tables, and those of the track of 2013 to 2015.

    READERS            the readers by the names of the inputs: updates, nuggets, matches, topics,
                       duplicates, pool, corrections, judged
    readers_by(rules)  the same where rules have the track's files read otherwise; in runs ids of
                       updates are pairs of codes: `split_ids`, `join_ids`
    TEXTS_READER       reads updates whose times do not matter

In all tables the columns `topic`, `run` and `team` are Categoricals; ids and texts are Strings.

No file of the track quotes anything. A run has seven fields divided by any white space; the tables
are tab-separated with a header, which the extended pool of 2014 lacks. What the scripts of the
three years read differently is said by the rules `encoding`, `fields` and `pool_header`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain, product
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from tseval.core.declared import file_option
from tseval.core.frames import to_pandas
from tseval.errors import Fault, InputError, UsageError, input_error
from tseval.families.temporal.rules import Rules
from tseval.io import TREC_TS, schema
from tseval.io.cells import PlainTable, check_utf8, text_frame, type_columns
from tseval.io.faults import FaultList
from tseval.io.fields import Layout, certain, mend, parse_blocks, read_tabbed
from tseval.io.formats import Format, Import, Imported, Line, Rank
from tseval.io.forms import names_of
from tseval.io.given import FrameInput, input_of
from tseval.io.inputs import Input, first_row, is_xml
from tseval.io.proposed_runs import PROPOSED_RUN
from tseval.io.schema import UPDATE_ID, Column, Kind, Schema
from tseval.io.tables import (
    Table,
    TableReader,
    TrackFile,
    TrackRows,
    add_faults,
    check_topics,
    read,
    texts_of,
)
from tseval.io.topics import PREFIX, TOPICS_READER
from tseval.records import frozen

if TYPE_CHECKING:
    import pandas as pd

    from tseval.io.given import Given

    Check: TypeAlias = Callable[[pl.DataFrame, FaultList], pl.DataFrame]

PLAIN = Rules()
"""How tables are read where no rule says otherwise."""

UPDATE, NUGGET = ("topic", "update_id"), ("topic", "nugget_id")
"""The names of an update, and of a nugget."""
DOC, PART = "doc", "part"
"""The two parts of an update's id: up to its last hyphen, and from there on."""
RUN_FIELDS = 7


NUMBERS = ("importance", "length", "start", "end", "auto", "confidence")
KINDS = {"time": Kind.TIME, "text": Kind.TEXT} | dict.fromkeys(NUMBERS, Kind.NUMBER)
"""The kinds of the track's columns; all others are names."""


def of_track(table: str, names: str, key: tuple[str, ...] = ()) -> Schema:
    """Return the columns of a file of the track, by their names with blanks between them."""
    columns = (Column(name, KINDS.get(name, Kind.ID)) for name in names.split())
    return Schema(table, tuple(columns), key)


RUN = of_track("updates", f"topic team run {DOC} {PART} time confidence")
GOLD = of_track("nuggets", "topic nugget_id time importance length text", schema.NUGGETS.key)
MATCHED = of_track("matches", "topic update_id nugget_id start end auto")
SAMPLED = of_track("pool", "topic update_id doc_id sentence_id length duplicate_id text")
HEADERS = {
    "nuggets": "query_id nugget_id timestamp importance nugget_len nugget_text",
    "matches": "query_id update_id nugget_id match_start match_end auto_p",
    "pool": "query_id update_id doc_id sentence_id update_len duplicate_id update_text",
}
BLANKS_CURE = "divide the fields by white space, and leave none out"
DIGITS = re.compile(rb"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")
SENTENCE = re.compile(rb"\d+-[0-9a-f]{32}-\d+")


def is_of_track(source: Input, table: str) -> bool:
    """Return whether an input is this table of the track, by its content."""
    return table_of(source) == table


def table_of(source: Input) -> str | None:
    """Return which table of the track an input is, by its first line; None if it is none."""
    if is_xml(source):
        return "topics"
    line = first_row(source)
    fields = line.split()
    names = " ".join(field.decode("utf-8", "replace") for field in fields)
    for table, header in HEADERS.items():
        if names == header:
            return table
    if len(fields) == RUN_FIELDS and DIGITS.fullmatch(fields[5]) and fields[4].isdigit():
        return "updates"
    tabbed = line.split(b"\t")
    if len(tabbed) == len(SAMPLED.columns) and tabbed[1] == tabbed[2] + b"-" + tabbed[3]:
        return "pool"
    if len(fields) == 2 and all(map(SENTENCE.fullmatch, fields)):
        return "duplicates"
    return None


def track_file(table: str, **more: object) -> tuple[TrackFile, ...]:
    """Return the file of the track that holds a table."""
    recognise = partial(is_of_track, table=table)
    return (TrackFile(recognise=recognise, forms=(TREC_TS,), **more),)  # type: ignore[arg-type]


def code_names(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table with its topics and runs as codes, which take less memory than texts."""
    names = [name for name in ("topic", "run", "team") if name in frame.columns]
    return frame.with_columns(pl.col(names).cast(pl.Categorical))


def check_and_code(frame: pl.DataFrame, faults: FaultList, check: Check) -> pl.DataFrame:
    """Check the rows of an input, and code its topics and runs."""
    return code_names(check(frame, faults))


def coded(reader: TableReader) -> TableReader:
    """Return a reader of which topics and runs are Categoricals."""
    return replace(reader, check=partial(check_and_code, check=reader.check))


def split_ids(frame: pl.DataFrame, *names: str) -> pl.DataFrame:
    """Return a table with ids of updates as pairs of codes, as far as it has these columns.

    A run of the track has many updates of few documents: each id would take more memory than all
    else.
    """
    for name in [name for name in names if frame.schema.get(name) == pl.String]:
        doc = frame[name].str.replace("-[^-]*$", "").alias(DOC)
        part = frame[name].str.strip_prefix(doc).fill_null("").alias(PART)
        codes = pl.DataFrame([doc.cast(pl.Categorical), part.cast(pl.Categorical)])
        frame = frame.with_columns(codes.to_struct(name))
    return frame


def join_ids(frame: pl.DataFrame, *names: str) -> pl.DataFrame:
    """Return a table with ids of updates as texts, as far as they are pairs of codes."""
    ids = [name for name in names if isinstance(frame.schema.get(name), pl.Struct)]
    return frame.with_columns(
        pl.concat_str(
            pl.col(name).struct.field(part).cast(pl.String) for part in (DOC, PART)
        ).alias(name)
        for name in ids
    )


def pack_codes(*codes: pl.Expr) -> pl.Expr:
    """Return two codes as one number, by which rows are grouped in a third of the time."""
    high, low = (code.to_physical().cast(pl.UInt64) for code in codes)
    return high * 2**32 + low


def join_updates(rows: pl.DataFrame, updates: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of a table beside the updates that they name by topic and id.

    A number in the place of an id is joined in half of the time: that of a pair of codes, or the
    hash of a text, which the text itself confirms.
    """
    key = pl.col("update_id").hash()
    if rows.schema["update_id"] != pl.String:
        key = pack_codes(*(pl.col("update_id").struct.field(part) for part in (DOC, PART)))
    joined = rows.with_columns(key=key).join(updates.with_columns(key=key), on="key")
    is_same = [pl.col(name) == pl.col(f"{name}_right") for name in UPDATE]
    return joined.filter(is_same).drop("key", "topic_right", "update_id_right")


def pair_ids(frame: pl.DataFrame, _: FaultList) -> pl.DataFrame:
    """Return updates with their ids as pairs of codes, as a run of the track has them already."""
    if DOC not in frame.columns:
        return split_ids(frame, "update_id")
    return frame.with_columns(update_id=pl.struct(DOC, PART)).drop(DOC, PART)


def ids_as_texts(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Return updates with their ids as texts."""
    return join_ids(pair_ids(frame, faults), "update_id") if DOC in frame.columns else frame


# Runs.


def tell_value_tracking(fields: list[bytes]) -> str:
    """Return the cure of a run of value tracking: an attribute and a number follow, or two."""
    more = fields[RUN_FIELDS:]
    if len(more) < 2 or not more[0].isalpha() or not DIGITS.fullmatch(more[1].partition(b",")[0]):
        return ""
    return "a run of value tracking is no run of updates: it is for tseval values"


def run_columns() -> dict[str, pl.Expr]:
    """Return the columns that are made of fields: a run is `team-run`, an update `docid-number`."""
    columns = {name: pl.col(name) for name in ("topic", "team", DOC)}
    columns["run"] = pl.concat_str("team", "name", separator="-")
    columns[PART] = pl.lit("-") + pl.col(PART)
    coded = {name: cells.cast(pl.Categorical) for name, cells in columns.items()}
    return {**coded, "confidence": certain("confidence")}


RUN_LINES = Layout(
    RUN,
    f"topic team name {DOC} {PART} time confidence",
    run_columns,
    f"where a run has {RUN_FIELDS}",
    "a run's line is: topic team run docid sentence-id decision-time confidence, divided by "
    "white space",
    stranger=tell_value_tracking,
    comments=True,
    mended=True,
)
UPDATE_PATTERN = "^[0-9]+-[0-9a-f]{32}-[0-9]+$"
NAME_PATTERN = r"^[A-Za-z0-9_.\-]{1,32}$"
DOCID_CURE = "a docid is a time, a hyphen and 32 hexadecimal digits; a sentence id a number"
NAME_CURE = "use at most 32 letters, digits, and . _ -"
MOST_SENTENCES = 1000
"""How many sentences a run may send on a topic before it is warned."""


def check_run(updates: Table) -> Iterator[Line]:
    """Yield what the track does not take of a run of its own form, and what it does not like."""
    frame = updates.frame
    if "team" not in frame.columns:
        return
    first = frame.unique("run", keep="first", maintain_order=True)
    for column, rows, pattern, what, cure in (
        ("update_id", frame, UPDATE_PATTERN, "docid and sentence id", DOCID_CURE),
        ("run", first, NAME_PATTERN, "name of a team and run", NAME_CURE),
    ):
        wrong = rows.filter(~pl.col(column).cast(pl.String).str.contains(pattern))
        reason = f'"{{{column}}}" is no {what}'
        yield from _as_lines(updates.faults(wrong, reason, cure, "id-format"))
    path = updates.sources[0].path
    of_topics = frame.group_by("run", "topic", maintain_order=True).len()
    for run, topic, number in of_topics.filter(pl.col("len") > MOST_SENTENCES).iter_rows():
        excess = f"{number:,} sentences on topic {topic}, more than {MOST_SENTENCES:,}"
        yield f"{path}: warning: run {run}: {excess}", False


TWICE = 'update_id "{}" stands twice in run "{{run}}"'
OF_RUNS, OF_GOLD = {"run", "confidence"}, {"importance"}
"""Columns that only runs have, and that only gold has."""
MANY_TIMES = 10
"""A gold with more than this many times the rows of all runs may be a run."""


def refuse_swapped(updates: Sequence[Given], nuggets: Given, times: float = 1.0) -> None:
    """Refuse a gold in the place of the first run, where the last file looks like a run.

    `times` is how many times the rows of the runs the last file has.
    """
    first, last = _columns_of(updates[0]), _columns_of(nuggets)
    signs = sorted(last & OF_RUNS) or ["more than ten times the rows"] * (times > MANY_TIMES)
    if OF_GOLD & first and not OF_RUNS & first and signs and not OF_GOLD & last:
        gold = input_of(updates[0], schema.UPDATES).path
        run = input_of(nuggets, schema.NUGGETS).path
        reason = f"looks like nuggets (importance), and {run} like a run ({', '.join(signs)})"
        cure = "the order is UPDATES... NUGGETS: name the file of nuggets last"
        raise input_error(gold, None, reason, cure, "swapped-inputs")


def _columns_of(given: Given) -> set[str]:
    """Return the columns of runs and of gold in a file; none if it can be read only once."""
    source = input_of(given, schema.UPDATES)
    with suppress(InputError):
        if isinstance(source, FrameInput) or source.can_be_read_again:
            names = names_of(source)
            return {*schema.UPDATES.placed(names), *schema.NUGGETS.placed(names)}
    return set()


# Nuggets that end.


def find_changes(nuggets: pl.DataFrame) -> pl.DataFrame:
    """Return nuggets with `until`, `replaced_by`, and `change`: the time of what replaces each."""
    blank = {"until": pl.lit(None, pl.Float64), "replaced_by": pl.lit("")}
    lacking = {name: cell for name, cell in blank.items() if name not in nuggets.columns}
    replacing = nuggets.select("topic", replaced_by="nugget_id", change="time")
    return nuggets.with_columns(**lacking).join(
        replacing.unique(["topic", "replaced_by"]),
        on=["topic", "replaced_by"],
        how="left",
        maintain_order="left",
    )


def check_nuggets(nuggets: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Check the names of topics, and the ends of nuggets."""
    changes, time, change = find_changes(nuggets), pl.col("time"), pl.col("change")
    nugget, other = pl.col("nugget_id"), pl.col("replaced_by")
    for is_wrong, reason, cure, code in (
        (
            time > pl.col("until"),
            'nugget "{nugget_id}" ends before its time',
            "give the time until when it is true, or leave until blank",
            "time-range",
        ),
        (
            nugget == other,
            'nugget "{nugget_id}" is replaced by itself',
            "name the nugget that is true after it, or leave replaced_by blank",
            "unknown-id",
        ),
        (
            (other.str.strip_chars() != "") & change.is_null(),
            'nugget "{nugget_id}" is replaced by "{replaced_by}", which topic "{topic}" lacks',
            "name a nugget of the same topic, or leave replaced_by blank",
            "unknown-id",
        ),
        (
            time > change,
            'nugget "{nugget_id}" is replaced by "{replaced_by}", whose time is earlier',
            "name a later nugget, or mend the times of the two",
            "time-range",
        ),
    ):
        add_faults(faults, changes.filter(is_wrong), reason, cure, code)
    return check_topics(nuggets, faults)


# Nuggets, matches and pools of the track.


def read_table(source: Input, _: FaultList, rules: Rules, columns: Schema) -> TrackRows:
    """Read a table of the track; its note are the rules."""
    blocks, before = source.blocks(), 0
    if columns.table != "pool" or rules.pool_header == "always" or names_columns(source):
        body = next(blocks, b"").partition(b"\n")[2]
        blocks, before = chain([body] if body else [], blocks), 1
    table = PlainTable(source, columns.of_track)
    table.heading, table.names = "the header", [column.name for column in columns]
    table.places = {name: at for at, name in enumerate(table.names)}
    blocks = chain([b""], blocks)
    if rules.fields == "blanks":
        parts = parse_blocks(partial(_blank_cells, table=table, rules=rules), blocks, before)
    else:
        blocks = map(mend, blocks) if rules.encoding == "bytes" else blocks
        parts = read_tabbed(table, blocks, before)
    if rules.fields == "stripped":
        parts = (each.with_columns(pl.nth(-1).str.strip_chars_end(" \r\v\f")) for each in parts)
    frame = type_columns(parts, table.schema, table.faults)
    table.faults.check()
    return TrackRows(frame.drop("doc_id", "sentence_id", "auto", strict=False), rules)


def _blank_cells(block: bytes, before: int, table: PlainTable, rules: Rules) -> pl.DataFrame:
    """Return the cells of lines whose fields any white space divides, of ASCII or of Unicode."""
    rows, width, faults = [], len(table.names), table.faults
    least = width - (table.schema.columns[-1].kind is Kind.TEXT)
    for number, line in enumerate(block.split(b"\n")[:-1], start=before + 1):
        if rules.encoding == "bytes":
            fields = [field.decode() for field in mend(line).split()]
        else:
            fields = line.decode().split() if check_utf8(line, number, faults) else []
        if len(fields) >= least:
            rows.append((number, *fields[: width - 1], " ".join(fields[width - 1 :])))
        elif fields:
            reason = f"{len(fields)} fields where {table.schema.table} have {width}"
            faults.add(number, reason, BLANKS_CURE, "field-count")
    return text_frame(rows, table.names)


def has_header(source: Input) -> bool:
    """Return whether the first line of a pool names its columns, or nobody can look."""
    can_look = source.can_be_read_again and is_of_track(source, "pool")
    return not can_look or names_columns(source)


def names_columns(source: Input) -> bool:
    """Return whether the first line of a pool of the track is a header."""
    return source.first_line().split()[:2] == [b"query_id", b"update_id"]


# Matches.


def refuse_corrections(source: Input) -> None:
    """Refuse corrections in the place of matches."""
    if not schema.CORRECTIONS.missing(names_of(source)):
        reason, cure = "holds verdicts on pairs, not only matches", "give it as --corrections"
        FaultList(source).refuse(None, reason, cure, "wrong-file")


def note_maker(matches: Table) -> Table:
    """Return matches that note the matcher that made them, such as `fuzzy(…)`, if one did.

    For a table that is not as it was written it is `fuzzy(…)+edited`.
    """
    frame = matches.frame
    if "matcher" not in frame.columns:
        return matches
    from tseval.io.machine_matches import EDITED, GRADE, IDS, NAMELESS, SPAN, checksum

    names = [name for name in frame["matcher"].unique(maintain_order=True) if name]
    if not names:
        return matches if frame.height else replace(matches, notes=(NAMELESS,))
    is_whole = "" not in frame["matcher"] and "checksum" in frame.columns
    for name in names if is_whole else ():
        rows = frame.filter(pl.col("matcher") == name)
        has_grades = GRADE in rows.columns and rows[GRADE].count()
        cells = [
            map(_cell, rows[each]) if each in rows.columns else [""] * rows.height
            for each in (*IDS, *SPAN, *([GRADE] if has_grades else []))
        ]
        own = checksum(name, zip(*cells, strict=True))
        is_whole = is_whole and set(rows["checksum"]) == {own}
    return replace(matches, notes=("+".join(names if is_whole else [*names, EDITED]),))


def _cell(value: str | float | None) -> str:
    """Return a value as a checksum takes it; blank where there is none."""
    return f"{value:.15g}" if isinstance(value, float) else value or ""


def maker_of(matches: Table) -> str | None:
    """Return the matcher that made matches; None for those of assessors."""
    return next((note for note in matches.notes if isinstance(note, str)), None)


def count_matches(matches: Table, rules: Rules) -> Table:
    """Return the matches that say anything of a nugget, and that count by the rule `grades`.

    They are without grades where all are in full.
    """
    frame, grade = matches.frame, pl.col("grade")
    if "grade" in frame.columns:
        frame = frame.with_columns(grade.fill_null(1.0)).filter(grade > 0)
        frame = frame if (frame["grade"] < 1).any() else frame.drop("grade")
    if rules.grades != "graded":
        if "grade" not in frame.columns:
            raise UsageError(f"rule grades={rules.grades} changes nothing: all matches are in full")
        frame = (frame.filter(grade == 1) if rules.grades == "full" else frame).drop("grade")
    return replace(matches, frame=frame)


def is_published(matches: Table) -> bool:
    """Return whether a track published matches, of which some name something unknown."""
    return any(isinstance(note, Rules) for note in matches.notes)


def are_in_bytes(matches: Table) -> bool:
    """Return whether the spans of matches count bytes, not characters."""
    return any(isinstance(note, Rules) and note.encoding == "bytes" for note in matches.notes)


PAIR_CURE = "give the nuggets that the matches were made with, or remove the match"
RUNS_CURE = "give every run that the matches speak of, or the pool of judged updates (--pool)"
POOL_CURE = "it is in no run and not in the pool: remove the match or extend the pool"


def find_unknown(tables: Mapping[str, Table], updates: pl.DataFrame) -> pl.DataFrame:
    """Return the matches, with their `row`, that name an unknown update.

    An update that is in no run is known all the same if it is in the pool.
    """
    rows, update = tables["matches"].frame.with_row_index("row"), ["topic", "update_id"]
    named, sent = rows.select("row", *update, pl.col("^run$")), updates.select(*update, of="run")
    known = join_updates(named, sent)
    if "run" in rows.columns:
        run = pl.col("run").cast(pl.String)
        of_every_run = run.str.strip_chars() == ""
        known = known.filter(of_every_run | (run == pl.col("of").cast(pl.String)))
        is_in_process = run.is_in(updates["run"].unique().cast(pl.String).implode())
        rows = rows.filter(of_every_run | is_in_process)
    unknown = rows.join(known, on="row", how="anti")
    pool = tables.get("pool")
    return unknown if pool is None else unknown.join(pool.frame, on=update, how="anti")


def refuse_unknown(tables: Mapping[str, Table], unknown: pl.DataFrame) -> None:
    """Refuse matches of unknown updates and of unknown nuggets, unless a track published them."""
    matches, nuggets = tables["matches"], tables["nuggets"].frame
    if is_published(matches):
        return
    lost = matches.frame.with_row_index("row").join(nuggets, on=NUGGET, how="anti")
    every = pl.concat(
        join_ids(rows, "update_id").with_columns(
            what=pl.format(f'{what} "{{}}"', f"{what}_id"), cure=pl.lit(cure)
        )
        for rows, what, cure in (
            (lost, "nugget", PAIR_CURE),
            (unknown, "update", POOL_CURE if "pool" in tables else RUNS_CURE),
        )
    )
    wrong = every.unique("row", keep="first").sort("row").drop("row")
    matches.refuse(wrong, 'match to the unknown {what} of topic "{topic}"', "", "unknown-id")


# Duplicates, corrections and samples.


def link_posts(frame: pl.DataFrame, _: FaultList) -> pl.DataFrame:
    """Return clusters as duplicates: each post with the first of its cluster."""
    first = pl.col("post_id").first().over("topic", "cluster_id")
    return frame.select("line", "topic", update_id="post_id", duplicate_id=first)


DUPLICATE_LINES = Layout(
    Schema("duplicates", (UPDATE_ID, Column("duplicate_id", Kind.ID))),
    "update_id duplicate_id",
    wanted="where duplicates have 2",
    cure=BLANKS_CURE,
    ends_with_text=True,
    mended=True,
)


def name_ids(table: Table) -> Table:
    """Return a table with ids of updates as texts."""
    return replace(table, frame=join_ids(table.frame, "update_id"))


def read_verdicts(source: Input, form: str | None, _: Sequence[str], *, name: str) -> Table:
    """Read corrections, or a sample, whose rows may not contradict each other."""
    from tseval.matching.corrections import check_verdicts
    from tseval.matching.sampling import check_sample

    table = read([source], READERS[name], form)
    (check_sample if name == "judged" else check_verdicts)(table)
    return table


# Tables that are given together.


def check_periods(updates: Table, topics: Table) -> Iterator[Line]:
    """Yield updates of unknown topics, and those sent outside of their topic's period."""
    bare = pl.col("topic").cast(pl.String).str.replace(PREFIX.pattern, "")
    periods = topics.frame.select("start", pl.col("^end$"), bare=bare)
    periods = periods.unique("bare", keep="last")
    rows = updates.frame.with_columns(bare=bare)
    unknown = rows.join(periods, on="bare", how="anti", maintain_order="left")
    reason = 'topic "{topic}" is not in the topics file'
    yield from _as_lines(updates.faults(unknown, reason, "", "unknown-id"))
    rows = rows.join(periods, on="bare", maintain_order="left")
    early = pl.col("time") < pl.col("start")
    when: Any = pl.when(early).then(pl.lit("before its topic starts"))
    if "end" in periods.columns:
        when = when.when(pl.col("time") > pl.col("end")).then(pl.lit("after its topic ends"))
    rows = rows.with_columns(when=when).drop_nulls("when")
    yield from _as_lines(updates.faults(rows, "the update was sent {when}", "", "time-range"))


def _as_lines(faults: Iterable[Fault]) -> Iterator[Line]:
    """Yield faults as lines of `tseval validate`."""
    yield from ((str(fault), True) for fault in faults)


def check_related(given: Sequence[object]) -> Iterator[Line]:
    """Yield the faults of matches, and of times, against the tables that are given with them."""
    tables = [each for each in given if isinstance(each, Table)]
    named = {name: [each for each in tables if each.name == name] for name in READERS}
    for topics, run in product(named["topics"], named["updates"]):
        if "team" in run.frame.columns and "start" in topics.frame.columns:
            yield from check_periods(run, topics)
    if not named["updates"] or len(named["nuggets"]) != 1:
        return
    known = {name: named[name][0] for name in ("nuggets", "pool") if named[name]}
    blank = pl.lit("").alias("text")
    updates = pl.concat(
        each.frame.select("run", *UPDATE, "text" if "text" in each.frame.columns else blank)
        for each in named["updates"]
    )
    for each in (*named["matches"], *named["corrections"]):
        try:
            beside = {**known, "matches": each}
            if each.name == "matches":
                refuse_unknown(beside, find_unknown(beside, updates))
            else:
                from tseval.matching.corrections import check_verdicts, decide_pairs

                pool = known["pool"].frame if "pool" in known else None
                decide_pairs(check_verdicts(each), updates, known["nuggets"].frame, pool)
        except InputError as error:
            yield from _as_lines(error.faults)


# Imports.


@frozen
class WithPool:
    """What a run, and matches, lack."""

    pool: str | None = file_option(
        "--pool", "The pool with the texts of updates, for a run or for the spans of matches."
    )

    def texts_of(self, rows: pl.DataFrame) -> list[str]:
        """Return the pool's text for each update; empty where it has none."""
        if self.pool is None:
            return [""] * rows.height
        pool = read([self.pool], READERS["pool"], TREC_TS).frame
        full = {name.rpartition(".")[2]: name for name in pool["topic"].unique(maintain_order=True)}
        texts = pool.unique(UPDATE, keep="last").select(*UPDATE, "text")
        named = rows.select(pl.col("topic").replace(full), "update_id")
        found = named.join(texts, on=UPDATE, how="left", maintain_order="left")
        return texts_of(found["text"])


def columns_of(frame: pl.DataFrame, *names: str) -> dict[str, Sequence[str]]:
    """Return columns as text."""
    return {name: texts_of(frame[name]) for name in names}


def import_run(paths: Sequence[str], options: WithPool) -> Imported:
    """Import a run with the texts of the pool; a line that repeats an update is left out."""
    rows = read(paths, READERS["updates"], TREC_TS).frame
    frame = rows.unique(["run", "topic", "update_id"], keep="first", maintain_order=True)
    columns = columns_of(frame, "run", "topic", "update_id", "time", "confidence")
    columns["text"] = options.texts_of(frame)
    warnings = []
    if repeated := rows.height - frame.height:
        told = "lines that repeat an update of the same run and topic are left out"
        warnings.append(f"{told}: {repeated:,}")
    if options.pool is None:
        told = "--pool FILE adds those of the updates that are in it"
        warnings.append(f"a run holds no texts: {told}")
    elif missing := sum(not text for text in columns["text"]):
        warnings.append(f"updates that are not in the pool have no text: {missing:,}")
    return Imported(columns, tuple(warnings))


def import_matches(paths: Sequence[str], options: WithPool) -> Imported:
    """Import matches; their spans count bytes, and characters where a pool has the texts."""
    frame = read(paths, READERS["matches"], TREC_TS).frame
    columns, texts = columns_of(frame, "topic", "update_id", "nugget_id"), options.texts_of(frame)
    for name in ("start", "end"):
        offsets = [
            offset
            if text.isascii()
            else float(len(text.encode()[: int(offset)].decode(errors="replace")))
            for offset, text in zip(frame[name], texts, strict=True)
        ]
        columns[name] = texts_of(pl.Series(offsets, dtype=pl.Float64))
    warning = "spans count bytes: --pool FILE has them count characters, as plain tables do"
    return Imported(columns, (warning,) if options.pool is None else ())


def import_table(paths: Sequence[str], _: object, *, name: str) -> Imported:
    """Import nuggets, whose importance is 0 or above in plain tables, a pool or topics.

    Of rows of a pool that repeat an update the last one counts.
    """
    frame, warnings = read(paths, READERS[name], TREC_TS).frame, tuple[str, ...]()
    if name == "pool":
        frame = frame.unique(UPDATE, keep="last", maintain_order=True)
    elif name == "nuggets":
        if below := frame.filter(pl.col("importance") < 0).height:
            warnings = (f"importances below 0 are written as 0: {below}",)
        frame = frame.with_columns(pl.col("importance").clip(0))
    return Imported(columns_of(frame, *COLUMNS[name]), warnings)


COLUMNS = {
    "nuggets": ("topic", "nugget_id", "time", "importance", "length", "text"),
    "pool": ("topic", "update_id", "duplicate_id", "length", "text"),
    "topics": ("topic", "start", "end"),
}
"""The columns of imported tables."""
OF_TRACK = "of TREC Temporal Summarization"
IMPORTS = {
    "updates": Import("ts-run", f"runs {OF_TRACK}", import_run, WithPool),
    "matches": Import("ts-matches", f"matches {OF_TRACK}", import_matches, WithPool),
    "nuggets": Import("ts-nuggets", f"nuggets {OF_TRACK}", partial(import_table, name="nuggets")),
    "pool": Import("ts-pool", f"pools {OF_TRACK}", partial(import_table, name="pool")),
    "topics": Import("ts-topics", f"topics {OF_TRACK}", partial(import_table, name="topics")),
}
"""What `tseval import` makes of the files of the track."""


# The readers.


def readers_by(rules: Rules) -> Mapping[str, TableReader]:
    """Return how the inputs are read by these rules: the runs, then in the signature's order."""
    read_by = partial(read_table, rules=rules)
    readers = {
        "updates": TableReader(
            schema=schema.UPDATES,
            tracks=(*track_file("updates", layout=RUN_LINES), PROPOSED_RUN),
            check=pair_ids,
            once=(schema.UPDATES.key, TWICE.format("{update_id[doc]}{update_id[part]}"), ""),
        ),
        "nuggets": TableReader(
            schema=schema.NUGGETS,
            tracks=track_file("nuggets", read=partial(read_by, columns=GOLD)),
            check=check_nuggets,
            empty=("holds no nuggets", "without nuggets there is nothing to score"),
        ),
        "matches": TableReader(
            schema=schema.MATCHES,
            tracks=track_file("matches", read=partial(read_by, columns=MATCHED)),
            note=refuse_corrections,
            names_runs=False,
        ),
        "topics": TOPICS_READER,
        "duplicates": TableReader(
            schema=schema.DUPLICATES,
            tracks=track_file("duplicates", layout=DUPLICATE_LINES),
            instead=coded(TableReader(schema=schema.CLUSTERS, check=link_posts)),
        ),
        "pool": TableReader(
            schema=schema.POOL,
            tracks=track_file("pool", read=partial(read_by, columns=SAMPLED)),
        ),
        "corrections": TableReader(schema=schema.CORRECTIONS, names_runs=False),
        "judged": TableReader(
            schema=schema.JUDGED,
            empty=("holds no pair", "give the file that `tseval sample` wrote"),
        ),
    }
    return {name: coded(reader) for name, reader in readers.items()}


NAMED_RUNS = replace(
    readers_by(PLAIN)["updates"],
    check=partial(check_and_code, check=ids_as_texts),
    once=(schema.UPDATES.key, TWICE.format("{update_id}"), ""),
    remarks=check_run,
)
READERS = {**readers_by(PLAIN), "updates": NAMED_RUNS}
"""How tables are read where no rule says otherwise, with ids of updates as texts."""
TEXTS_READER = replace(NAMED_RUNS, schema=schema.TEXTS, once=None)
"""How updates are read whose times do not matter."""


def formats() -> Iterator[Format]:
    """Yield the kinds of files as `tseval validate` and `tseval import` know them."""
    verdicts = ("corrections", "judged")
    for name in ("updates", "nuggets", "matches", "pool", *verdicts, "topics", "duplicates"):
        imports = (IMPORTS[name],) if name in IMPORTS else ()
        for each in READERS[name].formats:
            read_one = partial(read_verdicts, name=name) if name in verdicts else each.read
            yield replace(each, rank=Rank.LIKELY, imports=imports, read=read_one)


FORMATS = tuple(formats())


# Calls that read one table alone, checked, as a pandas frame.


def read_updates(given: Sequence[Given], form: str | None = None) -> pd.DataFrame:
    """Read one or more runs as one table; a fault in any of them is an `InputError`.

    Without a column `run` a run is named after its file.
    """
    return to_users(read(given, READERS["updates"], form))


def read_nuggets(given: Given, form: str | None = None) -> pd.DataFrame:
    """Read the gold nuggets; there must be at least one."""
    return to_users(read([given], READERS["nuggets"], form))


def read_matches(given: Given, form: str | None = None) -> pd.DataFrame:
    """Read matches by id; matches with a grade of 0 are left out."""
    return to_users(count_matches(read([given], READERS["matches"], form), PLAIN))


def to_users(table: Table) -> pd.DataFrame:
    """Return a table as users get it."""
    return to_pandas(table.frame.drop("file", "line"))
