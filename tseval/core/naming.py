"""Inputs under the names that a caller gives: of their columns, and of their runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from tseval.core import registry
from tseval.core.declared import (
    FOLLOW,
    changed_values,
    declared,
    input_name,
    input_tables,
    option,
)
from tseval.core.wording import listed
from tseval.errors import Fault, InputError, UsageError, check_known, did_you_mean, nearest
from tseval.io import JSON
from tseval.io.columns import (
    CONSTANT,
    DECIMAL,
    SETTINGS,
    ColumnName,
    Columns,
    column_names,
)
from tseval.io.given import FrameInput, input_of
from tseval.io.inputs import Input
from tseval.io.json_text import holds_key
from tseval.io.schema import Kind
from tseval.io.times import RELATIVE, TIME_KEYS, TimeReading
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.io.schema import Schema

Inputs = TypeVar("Inputs")


@frozen
class Naming:
    """What a caller's files call columns, and what runs are called."""

    columns: tuple[str, ...] = option(
        "--column",
        "The name of a column in your files: text=fact for all inputs, nuggets:text=fact for one; "
        "repeatable.",
        metavar="[INPUT:]NAME=COLUMN",
        several=True,
    )
    column_file: str | None = option(
        "--columns", 'A file with such names: text = "fact".', metavar="FILE.toml"
    )
    run_names: tuple[str, ...] = option(
        "--name",
        "Name the run of a file, whatever its column says; repeatable. Default: the column `run`, "
        "else the file's name without its suffix.",
        metavar="FILE=NAME",
        several=True,
        not_within=(FOLLOW,),
    )
    time_format: str | None = option(
        'The format of times written as text, such as "%d.%m.%Y %H:%M".', metavar="FORMAT"
    )
    time_zone: str | None = option(
        "The time zone of times that state none, such as Europe/Berlin or +01:00. Default: UTC.",
        metavar="NAME",
    )
    clock: str | None = option(
        "Read times as seconds since the topic's start.", choices=(RELATIVE,)
    )

    @classmethod
    def of(cls, columns: Columns, times: Mapping[str, object] | None = None) -> Naming:
        """What is said in Python."""
        more: dict[str, Any] = dict(times or {})
        if isinstance(columns, Mapping):
            return cls(tuple(f"{key}={name}" for key, name in columns.items()), **more)
        return cls(column_file=None if columns is None else str(columns), **more)

    @property
    def names(self) -> tuple[ColumnName, ...]:
        """The names of columns and the settings for times, from options and a file."""
        times = {key: getattr(self, key) for key in TIME_KEYS}
        said = [f"{key}={value}" for key, value in times.items() if value is not None]
        return column_names((*self.columns, *said), self.column_file)

    @classmethod
    def recorded(cls, trait: str, inputs: type) -> Naming:
        """What a signature tells that columns were called, for inputs of this kind."""
        kinds: dict[str, list[str]] = {}
        for kind, table in input_tables(inputs).items():
            kinds.setdefault(table, []).append(kind)
        said = []
        for each in trait.split(",") if trait else ():
            table, _, name = each.replace("%7C", "|").replace("%2C", ",").partition(".")
            said += [f"{kind}:{name}" for kind in kinds.get(table, ())]
        return cls(tuple(said))

    @property
    def first_option(self) -> str:
        """The first option that was given; empty if none was."""
        return next((what.name for what in changed_values(self).values()), "")


AS_THEY_ARE = Naming()
"""No other names."""


@frozen
class _InputKind:
    """The inputs of one kind that were given."""

    kind: str
    schema: Schema
    several: bool
    sources: tuple[Input, ...]


def named(inputs: Inputs, naming: Naming) -> Inputs:
    """The inputs with what their columns and runs are called; a name that fits none is refused."""
    if naming == AS_THEY_ARE:
        return inputs
    given = _input_kinds(inputs)
    _name_columns(list(given.values()), naming.names)
    _name_runs([each for each in given.values() if each.several], naming.run_names)
    return _with(inputs, given)


def name_imported(
    sources: Sequence[Input], kind: str, table: Schema, options: Inputs, naming: Naming
) -> Inputs:
    """Tell files of a table, and those that options name, what their columns are called.

    Returns the options with their files.
    """
    beside = _input_kinds(options)
    _name_columns([_InputKind(kind, table, True, tuple(sources)), *beside.values()], naming.names)
    return _with(options, beside)


def _input_kinds(inputs: Any) -> dict[str, _InputKind]:
    """The inputs that may have names of their own, by their fields."""
    kinds = {}
    for field, what in declared(type(inputs)):
        if what.table is not None:
            value = getattr(inputs, field.name)
            each = () if value is None else tuple(value) if what.several else (value,)
            sources = tuple(input_of(one, what.table) for one in each)
            kinds[field.name] = _InputKind(input_name(what), what.table, what.several, sources)
    return kinds


def _with(inputs: Inputs, kinds: Mapping[str, _InputKind]) -> Inputs:
    return replace(  # type: ignore[type-var]
        inputs,
        **{
            name: each.sources if each.several else next(iter(each.sources), None)
            for name, each in kinds.items()
        },
    )


def open_inputs(inputs: Inputs) -> Inputs:
    """The inputs that are given as `Input`s, which read a stream once."""
    return _with(inputs, _input_kinds(inputs))


@frozen
class NamedStream(Generic[Inputs]):
    """A stream, of which nothing is known before it comes, and what is given beside it."""

    beside: Inputs
    """The other inputs, with what their columns are called."""
    schema: Schema
    """The stream's own columns, as it calls them."""
    times: Mapping[str, str]
    """How the stream writes times, under `SETTINGS`."""
    said: tuple[str, ...]
    """The names of columns and the settings for times, as signatures have them."""


def named_stream(inputs: Inputs, naming: Naming, field: str) -> NamedStream[Inputs]:
    """The same where the input of this field is a stream.

    What is said of no input holds for all that have the column, and in the stream for those lines.
    """
    given = _input_kinds(replace(inputs, **{field: ()}))  # type: ignore[type-var]
    stream, names = given[field], naming.names
    times = [each for each in names if each.own in SETTINGS and each.kind in ("", stream.kind)]
    names = tuple(each for each in names if each not in times or not each.kind)
    shared = [each for each in names if not each.kind and stream.schema.find(each.own)]
    own = [
        e for e in names if e.kind == stream.kind or (e in shared and e.name.startswith(CONSTANT))
    ]
    for each in own:
        if stream.schema.find(each.own) is None:
            _refuse_name(each, [stream])
    others = [each for each in given.values() if each is not stream]
    rest = [each for each in names if each not in own]
    _name_columns(others, [each for each in rest if each not in shared])
    _name_columns(others, shared, may_lack=True)
    schema = stream.schema.called({each.own: each.name for each in own})
    schema = schema.also_called({each.own: each.name for each in shared})
    sources = [(each.schema.table, one) for each in others for one in each.sources]
    told = [
        f"{stream.schema.table}.{each.own}={each.name}"
        for each in dict.fromkeys((*own, *shared, *times))
    ]
    told += [f"{t}.{own}={name}" for t, one in sources for own, name in one.columns.items()]
    beside = _with(inputs, {name: each for name, each in given.items() if name != field})
    return NamedStream(beside, schema, {each.own: each.name for each in times}, tuple(told))


def name_files(sources: Sequence[Input], naming: Naming, table: str | None) -> None:
    """Tell files what their columns are called, of which only the columns may show the table.

    Where it is known it is `table`. A file that cannot be read is left alone.
    """
    names = naming.names
    schemas = registry.schemas()
    for each in names:
        if each.kind and not each.kept:
            check_known("table", each.kind, schemas, f"--column {each}: ")
    found: set[ColumnName] = set()
    for source in sources:
        with suppress(InputError):
            here = [e for e in names if e.own in SETTINGS or _has_column(source, e.name)]
            known = [*_names(source), *(each.name for each in here)]
            called = plain = [each for each in here if not each.kind]
            for kind in (
                [table] if table else dict.fromkeys(each.kind for each in here if each.kind)
            ):
                both = [*plain, *(each for each in here if each.kind == kind)]
                schema, columns = schemas.get(kind), {each.own: each.name for each in both}
                if schema is not None and (table or not schema.called(columns).missing(known)):
                    called = both
                    break
            source.columns = {each.own: each.name for each in called}
            found.update(called)
    for each in names:
        if each not in found and not each.kept:
            _refuse_column(each, sources)


def _name_columns(
    given: Sequence[_InputKind], names: Sequence[ColumnName], *, may_lack: bool = False
) -> None:
    """Tell each input what its columns are called; what is said of one kind goes first."""
    for said in sorted(names, key=lambda each: bool(each.kind)):
        _check_kind(said, given)
        meant = [each for each in given if each.sources and said.kind in ("", each.kind)]
        if said.own in SETTINGS:
            _name_settings(said, given if said.own == "clock" else meant)
            continue
        known = [each for each in meant if each.schema.find(said.own) is not None]
        if not known and may_lack:
            continue
        if not known:
            _refuse_name(said, meant)
            continue
        named, lacking = False, list[Input]()
        for each in known:
            own = getattr(each.schema.find(said.own), "name", said.own)
            for source in each.sources:
                if _has_column(source, said.name):
                    source.columns = {**source.columns, own: said.name}
                    named = True
                else:
                    lacking.append(source)
        if lacking and said.kind:
            _refuse_column(said, lacking[:1])
        if lacking and not named and not may_lack:
            _refuse_column(said, lacking)


def _name_settings(said: ColumnName, meant: Sequence[_InputKind]) -> None:
    """Tell inputs how they write times, all by the same clock; refuse it if no input has times.

    How numbers are written is told to all.
    """
    TimeReading.of({said.own: said.name})
    names = ("time", "start") if said.own == "clock" else ()
    dated = [
        each
        for each in meant
        if said.own == DECIMAL
        or any(c.kind is Kind.TIME and c.name in (names or c.names) for c in each.schema)
    ]
    if not dated and not said.kept:
        option = said.own.replace("_", "-")
        raise UsageError(f"--{option} has no meaning here: no input has times that it applies to")
    for source in (source for each in dated for source in each.sources):
        source.columns = {**source.columns, said.own: said.name}


def _check_kind(said: ColumnName, given: Sequence[_InputKind]) -> None:
    """Refuse a kind of inputs that there is not, or of which none is given."""
    kinds = [each.kind for each in given]
    if said.kind in ("", *(each.kind for each in given if each.sources)):
        return
    if said.kept and any(said.kind in input_tables(f.inputs) for f in registry.all_families()):
        return
    check_known("input", said.kind, kinds, f"--column {said}: ")
    raise UsageError(f"--column {said}: no {said.kind} are given")


def _refuse_name(said: ColumnName, meant: Sequence[_InputKind]) -> None:
    """Refuse a column that no table has; a file may name one that only other inputs have."""
    every = {c.name for schema in registry.schemas().values() for c in schema}
    if said.kept and (not meant or said.own in every):
        return
    own = list(dict.fromkeys(column.name for each in meant for column in each.schema))
    whose = said.kind or listed([each.kind for each in meant])
    raise UsageError(
        f"--column {said}: {whose} have no column '{said.own}'; there are: {', '.join(own)}"
        f"{did_you_mean(said.own, own)}"
    )


def _refuse_column(said: ColumnName, sources: Sequence[Input]) -> None:
    """Refuse a name that stands in none of the files."""
    here = list(dict.fromkeys(name for source in sources for name in _names(source)))
    like = nearest(said.name, here)
    cure = f"--column {said.key}={like[0]} looks like it; " if like else ""
    reason = f"no column {said.name}, which --column {said} asks for"
    told = f"{cure}here: {' '.join(here)}"
    faults = [Fault(source.path, None, reason, told, "unknown-column") for source in sources]
    raise InputError(faults)


def recognise_form(source: Input) -> tuple[str | None, list[str]]:
    """Return the form of an input, and the names of its columns."""
    from tseval.io.forms import recognise  # here, because few calls name columns

    return recognise(source)


def _names(source: Input) -> list[str]:
    if isinstance(source, FrameInput):
        return [str(name) for name in source.frame.columns]
    return recognise_form(source)[1]


def _has_column(source: Input, name: str) -> bool:
    """Whether an input has a column of this name; of JSON any row may have the key."""
    if name in _names(source) or name.startswith(CONSTANT):
        return True
    return (
        not isinstance(source, FrameInput)
        and recognise_form(source)[0] in ("jsonl", JSON)
        and holds_key(source, name)
    )


def _name_runs(given: Sequence[_InputKind], names: Sequence[str]) -> None:
    """Tell each file what its run is called."""
    files = [source for each in given for source in each.sources]
    for text in names:
        meant = [each for each in files if text.startswith(f"{each.path}=")]
        if not meant:
            known = [each.path for each in files]
            file = text.rpartition("=")[0] or text
            raise UsageError(
                f"--name {text}: write FILE=NAME, with one of the runs' files: {', '.join(known)}"
                f"{did_you_mean(file, known)}"
            )
        name = text.removeprefix(f"{meant[0].path}=").strip()
        if not name or meant[0].run_name is not None:
            raise UsageError(f"--name {text}: give each run one name")
        meant[0].run_name = name
