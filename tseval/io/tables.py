"""Read inputs into tables: a polars frame by a declared schema, each row with its file and line.

A `TableReader` declares a kind of table once: its columns, the track's own files that hold the
same, and what is checked beyond the columns. Reading, validating and importing follow from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn

import polars as pl

from tseval.errors import Fault, input_error
from tseval.io.cells import BLOCK_ROWS, WORDS, PlainTable, check_key, check_one_run
from tseval.io.faults import FaultList
from tseval.io.fields import Layout, read_lines
from tseval.io.formats import (
    Format,
    Import,
    Imported,
    Line,
    Rank,
    no_rows,
    nothing_to_say,
)
from tseval.io.forms import READERS, faults_of, names_of, read_plain, recognise
from tseval.io.given import input_of, is_empty, run_names
from tseval.io.inputs import Each, Input, InputRecord
from tseval.io.records import without_collector
from tseval.io.schema import ALL_TOPICS, Column, Schema
from tseval.io.times import written
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.io.given import Given

PLACE = ("file", "line")
"""The columns that say where a row stands: its place among the sources, and its line there."""


@frozen
class Table:
    """Rows of one kind from one or more inputs, with the columns `file` and `line`."""

    name: str
    frame: pl.DataFrame
    sources: tuple[InputRecord, ...]
    runs: tuple[str, ...] = ()
    """The runs in the order of the inputs; an input without rows has a run too."""
    notes: tuple[Any, ...] = ()
    """What a track's file says beside its rows, one entry a file."""

    def place(self, row: int) -> str:
        """Return the place of a row: `line 12`, with the file where there are several."""
        file, line = self.frame.select(PLACE).row(row)
        source = self.sources[file]
        if len(self.sources) == 1:
            return f"{source.unit} {line}"
        return f"{source.path}:{line}" if source.unit == "line" else f"{source.path} row {line}"

    def faults(self, rows: pl.DataFrame, reason: str, cure: str, code: str) -> Iterator[Fault]:
        """Return a fault for each of these rows; `{column}` in the reason stands for its value.

        The columns `cure` and `code` go before those of all.
        """
        for row in rows.iter_rows(named=True):
            source = self.sources[row["file"]]
            told, mend = reason.format(**row), row.get("cure", cure)
            own = row.get("code", code)
            yield Fault(source.path, row["line"], told, mend, own, unit=source.unit)

    def refuse_all(self, reason: str, cure: str, code: str) -> NoReturn:
        """Refuse the table as a whole."""
        raise input_error(self.sources[0].path, None, reason, cure, code)

    def refuse(self, rows: pl.DataFrame, reason: str, cure: str, code: str) -> None:
        """Refuse these rows, if there are any: those of the first file that has such."""
        if rows.height:
            first = rows.filter(pl.col("file") == rows["file"].min())
            source = Input(self.sources[first["file"][0]].path)
            faults = faults_of(source, self.sources[first["file"][0]])
            own = self.faults(first, reason, cure, code)
            if not source.can_be_read_again:
                names = [name for name in first.columns if name in self.frame.columns]
                shown = first.select(names).select(pl.exclude(*PLACE).cast(pl.String)).iter_rows()
                own = (
                    replace(fault, text="\t".join(filter(None, row)))
                    for fault, row in zip(own, shown, strict=True)
                )
            faults.extend(own)
            faults.check()


def add_faults(faults: FaultList, rows: pl.DataFrame, reason: str, cure: str, code: str) -> None:
    """Note a fault for each of these rows; `{column}` in the reason stands for a row's value.

    A column `cure` goes before the cure of all.
    """
    for row in rows.iter_rows(named=True):
        faults.add(row["line"], reason.format(**row), row.get("cure", cure), code)


def unknown_numbers(table: Table, what: str, column: str, known: Sequence[float]) -> Iterator[Line]:
    """Yield a line for each unknown number."""
    rows = table.frame.filter(~pl.col(column).is_in([*map(float, known)]))
    reason, cure = f"unknown {what} {{{column}:g}}", "write one of those that are known"
    yield from ((str(each), True) for each in table.faults(rows, reason, cure, "unknown-label"))


def check_choices(frame: pl.DataFrame, column: Column, faults: FaultList) -> None:
    """Refuse values that are none of the choices of a column."""
    value, blank = pl.col(column.name).str.strip_chars(), [""] if column.may_be_blank else []
    unknown = frame.filter(~value.is_in([*column.choices, *blank]))
    reason = f'unknown {column.name} "{{{column.name}}}"'
    cure = f"the choices are {', '.join(column.choices)}"
    add_faults(faults, unknown, reason, cure, "unknown-label")


def check_topics(frame: pl.DataFrame, faults: FaultList) -> pl.DataFrame:
    """Refuse a topic of the name under which the mean over topics stands."""
    reason = 'a topic is called "{topic}", the name of the mean over topics'
    wrong = frame.filter(pl.col("topic") == ALL_TOPICS)
    add_faults(faults, wrong, reason, "give the topic another name", "reserved-name")
    return frame


@frozen(kw_only=True)
class TrackFile:
    """A file of a track's own format that holds a table."""

    recognise: Callable[[Input], bool] | None = None
    """Whether an input looks like one, by its content."""
    marks: tuple[str, ...] = ()
    """Texts, such as keys, by which it is recognised if they all stand at its beginning."""
    read: Callable[[Input, FaultList], TrackRows] | None = None
    """Reads its rows and notes its faults."""
    layout: Layout | None = None
    """The layout of its lines, where these are fixed fields: then nothing else reads it."""
    schema: Callable[[Schema, Input], Schema] | None = None
    """The table's schema as the file names columns, where it is a plain table of any form."""
    applies: Callable[[Input], bool] | None = None
    """Whether to read an input as one, where `recognise` is too narrow to tell."""
    forms: tuple[str, ...] = ()
    """The names by which `--input-format` asks for it."""
    rank: Rank = Rank.SURE
    runs_by_file: bool = False
    """Whether its runs are named after their file where another such file has one of the name."""

    def matches(self, source: Input) -> bool:
        """Return whether an input looks like one, by its content."""
        if self.recognise is not None:
            return self.recognise(source)
        return all(mark.encode() in source.head() for mark in self.marks)


@frozen
class TrackRows:
    """The rows of a track's file, with their lines, and what else it says."""

    frame: pl.DataFrame
    note: Any = None
    rows: int | None = None
    """The number of rows as `tseval validate` counts them, if not those of the frame."""


def texts_of(column: pl.Series) -> list[str]:
    """Return a column as text; what is not there is blank."""
    if not column.dtype.is_numeric():
        return column.fill_null("").to_list()
    return ["" if each is None else written(each) for each in column.cast(pl.Float64).to_list()]


def unchanged(frame: pl.DataFrame, _: FaultList) -> pl.DataFrame:
    """Check nothing."""
    return frame


@frozen(kw_only=True)
class TableReader:
    """How a kind of table is read, validated and imported."""

    schema: Schema
    tracks: tuple[TrackFile, ...] = ()
    check: Callable[[pl.DataFrame, FaultList], pl.DataFrame] = unchanged
    """Checks the rows of one input beyond the types of its columns, and may add columns."""
    empty: tuple[str, str] | None = None
    """Why an input without rows is refused, and the cure."""
    may_be_empty: bool = False
    """Whether a file without a byte is a table without rows, as that of a silent run."""
    once: tuple[tuple[str, ...], str, str] | None = None
    """Columns whose values may stand in one file alone; the reason and the cure, if not a name."""
    imports: tuple[Import, ...] = ()
    remarks: Callable[[Table], Iterator[Line]] = nothing_to_say
    """What `tseval validate` says of a table without faults."""
    reads_tables: bool = True
    """Whether the plain table can be read too."""
    note: Callable[[Input], Any] | None = None
    """Returns what a plain table says beside its rows, which are read then; it may refuse it."""
    names_runs: bool = True
    """Whether the run of a row that names none is the file's; else the row holds for every run."""
    instead: TableReader | None = None
    """How another table is read that an input may hold, by its columns."""
    choose: Callable[[Input, str | None], TableReader] | None = None
    """Returns the reader of an input in a form, where an input may hold one of several tables."""

    def recognises(self, source: Input) -> bool:
        """Return whether an input looks like this table, by its content or its columns."""
        is_track = not source.is_table and any(each.matches(source) for each in self.tracks)
        return is_track or not has_missing_columns(source, self.schema)

    def holds(self, path: str) -> bool:
        """Return whether a file holds such a table; standard input is not read to find out."""
        source = Input(path)
        return source.can_be_read_again and self.recognises(source)

    def write(self, wanted: Import, paths: Sequence[str], _: object) -> Imported:
        """Return the columns of the files at these paths as `tseval import` writes them."""
        form = next((form for track in self.tracks for form in track.forms), None)
        table = read(paths, self, form)
        frame = wanted.rows(table)
        names = wanted.columns or [column.name for column in self.schema]
        columns = {name: texts_of(frame[name]) for name in names if name in frame.columns}
        return Imported(columns, tuple(wanted.warnings(table)))

    @property
    def formats(self) -> tuple[Format, ...]:
        """The kinds of files, for `tseval validate` and `tseval import`."""
        own = [track for track in self.tracks if track.schema is None]
        imports = tuple(
            replace(each, made=partial(self.write, each)) if each.made is no_rows else each
            for each in self.imports
        )
        return tuple(
            Format(
                self.schema.table,
                lambda source, form, _: read([source], self, form),
                track.matches if track else None,
                rank=track.rank if track else Rank.LIKELY,
                reads_tables=self.reads_tables,
                forms=track.forms if track else (),
                remarks=self.remarks,
                imports=imports if at == 0 else (),
            )
            for at, track in enumerate(own or [None])
        )


def read(
    given: Sequence[Given], reader: TableReader, form: str | None = None, each: Each = map
) -> Table:
    """Read one or more inputs as one table; faults are an `InputError`.

    A run without a column `run` is named after its file. `each` reads one input after the other,
    or has workers read them.
    """
    inputs = [input_of(one, reader.schema) for one in given]
    if not inputs:
        return Table(reader.schema.table, frame_of_rows((), reader.schema, file=pl.Int64), ())
    work = partial(read_input, reader=reader, form=form)
    names = run_names(inputs)
    pl.DataFrame()  # loads polars, of which no thread that unpickles frames can load a part first
    parts: list[Table] = list(each(work, inputs, names))
    if len(parts) == 1:
        return parts[0]
    if any(track.runs_by_file for track in reader.tracks):
        tracks = [track_of(source, reader, form) for source in inputs]
        parts = _name_by_file(parts, names, [bool(each and each.runs_by_file) for each in tracks])
    frames = [part.frame.with_columns(file=pl.lit(at)) for at, part in enumerate(parts)]
    sources = tuple(replace(part.sources[0], runs=part.runs) for part in parts)
    notes = tuple(note for part in parts for note in part.notes)
    runs = tuple(dict.fromkeys(run for part in parts for run in part.runs))
    frame = pl.concat(frames, how="diagonal_relaxed")
    table = Table(reader.schema.table, frame, sources, runs, notes)
    is_shared = len(runs) < sum(len(part.runs) for part in parts)
    if reader.once is not None and (is_shared or "run" not in reader.once[0]):
        _refuse_repeats(table, *reader.once)
    return table


def _name_by_file(
    parts: Sequence[Table], names: Sequence[str], by_file: Sequence[bool]
) -> list[Table]:
    """Name the runs of a track's files after the files, where two files have runs of one name."""
    pairs = list(zip(parts, by_file, strict=True))
    files = Counter(run for part, is_track in pairs if is_track for run in part.runs)
    named = []
    for (part, is_track), name in zip(pairs, names, strict=True):
        runs = [f"{name}:{run}" for run in part.runs] if len(part.runs) > 1 else [name]
        if is_track and any(files[run] > 1 for run in part.runs):
            renamed = pl.col("run").replace(dict(zip(part.runs, runs, strict=True)))
            part = replace(part, frame=part.frame.with_columns(renamed), runs=tuple(runs))
        named.append(part)
    return named


def _refuse_repeats(table: Table, columns: Sequence[str], reason: str, cure: str) -> None:
    """Refuse rows that repeat a row of another file in these columns."""
    frame = table.frame
    if "run" in columns:
        files = Counter(run for source in table.sources for run in source.runs)
        frame = frame.filter(pl.col("run").is_in([run for run, n in files.items() if n > 1]))
    owners = frame.unique(columns, keep="first", maintain_order=True)
    owners = owners.select(*columns, owner="file", at="line")
    rows = frame.join(owners, on=columns, maintain_order="left")
    rows = rows.filter(pl.col("file") != pl.col("owner"))
    if rows.height:
        source = table.sources[int(rows["file"].to_list()[0])]
        own = f"--name {source.path}=NAME" if len(source.runs) < 2 else "in their column run"
        paths = pl.Series([each.path for each in table.sources])
        cure = cure or f"give the runs of the files two names: {own}"
        where = pl.format("also at {}:{}: {}", paths.gather(rows["owner"]), "at", pl.lit(cure))
        table.refuse(rows.with_columns(cure=where), reason, cure, "duplicate-id")


def _runs(frame: pl.DataFrame) -> tuple[str, ...]:
    has_runs = "run" in frame.columns
    return tuple(frame["run"].drop_nulls().unique(maintain_order=True)) if has_runs else ()


def read_input(source: Input, name: str, reader: TableReader, form: str | None) -> Table:
    """Read one input, as a file of a track if it is one, else as a plain table."""
    reader = reader.choose(source, form) if reader.choose is not None else reader
    notes: tuple[Any, ...] = ()
    track = track_of(source, reader, form)
    if track is None and reader.instead and not has_missing_columns(source, reader.instead.schema):
        reader = reader.instead
    schema, rows = reader.schema, None
    has_runs = reader.names_runs and schema.find("run") is not None
    if reader.may_be_empty and is_empty(source):
        track, table = None, PlainTable(source, schema)
        frame = frame_of_rows((), schema, *(column.name for column in schema.required))
    elif track is not None and track.read is not None:
        table = PlainTable(source, schema)
        with without_collector():
            found = track.read(source, table.faults)
        frame, notes, rows = found.frame, () if found.note is None else (found.note,), found.rows
        if source.run_name is not None and "run" in frame.columns:
            named = frame.with_columns(pl.col("run").fill_null(name))
            check_one_run(_runs(named), table.faults)
            frame = frame.with_columns(run=pl.lit(source.run_name))
    elif track is not None and track.layout is not None:
        table, frame = read_lines(source, track.layout)
    elif track is not None and track.schema is not None:
        table, frame = read_plain(source, track.schema(schema, source), form)
        lacking = [each for each in schema.required if each.name not in frame.columns]
        blank = {True: pl.lit(""), False: pl.lit(None, pl.Float64)}
        frame = frame.with_columns(**{each.name: blank[each.kind in WORDS] for each in lacking})
    else:
        note = None if reader.note is None else reader.note(source)
        notes = () if note is None else (note,)
        table, frame = read_plain(source, schema, form)
    record, faults = table.record(frame.height if rows is None else rows), table.faults
    if reader.empty is not None and not frame.height and not len(faults):
        faults.add(None, *reader.empty, "no-rows")
    if has_runs and ("run" not in frame.columns or frame["run"].has_nulls()):
        known = pl.col("run").fill_null(name) if "run" in frame.columns else pl.lit(name)
        frame = frame.with_columns(run=known)
    if track is not None and track.read is not None:
        check_key(schema, frame, faults)
    for column in schema:
        if column.choices and column.name in frame.columns:
            check_choices(frame, column, faults)
    frame = reader.check(frame, faults).with_columns(file=pl.lit(0))
    faults.check()
    runs = _runs(frame) if frame.height or not has_runs else (name,)
    return Table(schema.table, frame, (record,), runs, notes)


def track_of(source: Input, reader: TableReader, form: str | None) -> TrackFile | None:
    """Return how to read an input if it is a file of a track, None if it is a plain table."""
    is_plain = source.is_table or (form in READERS and recognise(source)[0] == form)
    for track in reader.tracks:
        is_renamed = track.schema is not None
        if is_plain and not is_renamed:
            continue
        if form is not None and not is_renamed:
            is_known = form in track.forms
        else:
            is_known = (track.applies or track.matches)(source) or not reader.reads_tables
        if is_known:
            return track
    return None


def has_missing_columns(source: Input, schema: Schema) -> bool:
    """Return whether an input does not name the columns of a table."""
    return bool(schema.missing(names_of(source)))


def frame_of_rows(
    rows: Iterable[Sequence[Any]], schema: Schema, *columns: str, **types: Any
) -> pl.DataFrame:
    """Return rows of a track's file as a frame: the line, then these columns of the schema.

    Without names these are all its columns. `types` are further columns, which it does not have.
    """
    kinds = {each.name: each.kind for each in schema}
    columns = columns or tuple(kinds)
    known = {name: pl.String if kinds[name] in WORDS else pl.Float64 for name in columns}
    kinds_of = {"line": pl.Int64, **known, **types}
    left = iter(rows)
    blocks = iter(lambda: list(islice(left, BLOCK_ROWS)), [])
    frames = [pl.DataFrame(block, schema=kinds_of, orient="row") for block in blocks]
    return pl.concat([pl.DataFrame(schema=kinds_of), *frames], rechunk=True)
