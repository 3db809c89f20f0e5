"""Evaluations over frames: the inputs of a family read as declared, its rows, runs and topics.

What a family on the kernel declares is small: a `TableReader` for each input, a function from the
tables to a `FrameIndex`, and measures as contributions. The rest stands here once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np
import polars as pl

from tseval.core.declared import declared, input_name
from tseval.core.family import Access, Evaluation, hashes
from tseval.core.input_warnings import Span
from tseval.core.kernel import KEY
from tseval.core.naming import open_inputs
from tseval.core.results import ContributionResult
from tseval.core.wording import count, listed
from tseval.io import PLAIN_FORMS
from tseval.io.names import Units, natural_order
from tseval.io.tables import Table, TableReader, read
from tseval.parallel.runs import ParallelRunReader
from tseval.records import frozen

if TYPE_CHECKING:
    import pandas as pd

    from tseval.arrays import BoolArray, FloatArray, IntArray
    from tseval.core.kernel import Contributions
    from tseval.core.rules import Edition
    from tseval.core.sections import Setting
    from tseval.io.faults import FaultList

Made = TypeVar("Made", bound="FrameEvaluation")


def read_inputs(
    inputs: object,
    access: Access,
    readers: Mapping[str, TableReader],
    by_name: Collection[str] = (),
) -> dict[str, Table]:
    """Read every declared input that is given, by the names of its fields.

    One format for all inputs is not meant for those `by_name`, which have theirs by name alone, nor
    is a track's format for inputs that it does not have.
    """
    tables = {}
    more = {what.adds_to: getattr(inputs, field.name) for field, what in declared(type(inputs))}
    for field, what in declared(type(inputs)):
        given = getattr(inputs, field.name)
        if what.several and not what.flags and access.runs is not None:
            tables[field.name] = access.runs
            continue
        if given is None or field.name not in readers:
            continue
        name = input_name(what)
        reader, form = readers[field.name], access.form(name)
        known = (*PLAIN_FORMS, *(form for track in reader.tracks for form in track.forms))
        if field.name in by_name or form not in known:
            form = access.form_by_name(name)
        if what.several:
            tables[field.name] = read(given, reader, form, ParallelRunReader(access.sharing))
        else:
            tables[field.name] = read([given, *more.get(field.name, ())], reader, form)
    return tables


@frozen
class FrameIndex(Units):
    """The runs and topics of an evaluation, and what its rules made of the tables, by name."""

    times: pl.DataFrame
    """A row a topic: `start`, and for batches `end` and `latest`."""
    outputs: pl.DataFrame
    """`run topic time` of everything that a run returned; it says what a batch weighs."""
    frames: Mapping[str, pl.DataFrame]

    @classmethod
    def of(
        cls,
        runs: Sequence[str],
        times: pl.DataFrame,
        outputs: pl.DataFrame,
        **frames: pl.DataFrame,
    ) -> FrameIndex:
        """Return the index of these runs and the topics of `times`, in their order."""
        topics = tuple(times["topic"].cast(pl.String))
        return cls(tuple(runs), topics, times, outputs, frames)

    def __getitem__(self, name: str) -> pl.DataFrame:
        return self.frames[name]

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """Every `run topic` in the order of their units."""
        runs = pl.DataFrame({"run": pl.Series(self.runs, dtype=self.outputs.schema["run"])})
        return runs.join(self.times.select("topic"), how="cross", maintain_order="left_right")

    @cached_property
    def present(self) -> BoolArray:
        """Which (run, topic) have anything: outputs, or rows of the frame `present`."""
        return self.having(self.units_of(self.frames.get("present", self.outputs)))

    @cached_property
    def sent(self) -> tuple[IntArray, FloatArray]:
        """The unit and the time of everything that runs returned."""
        return self.units_of(self.outputs), self.outputs["time"].to_numpy()

    def units_of(self, rows: pl.DataFrame) -> IntArray:
        """The number of the (run, topic) of each of these rows."""
        pairs = self.pairs.with_row_index("unit")
        units = rows.join(pairs, on=["run", "topic"], maintain_order="left")["unit"]
        return units.cast(pl.Int64).to_numpy()

    def lacking(self, rows: pl.DataFrame) -> Iterator[tuple[str, list[str]]]:
        """Yield each run that has outputs on topics without any of these rows, and the topics."""
        returned = self.pairs.join(self.outputs, on=KEY, how="semi", maintain_order="left")
        lacking = returned.join(rows, on=KEY, how="anti", maintain_order="left")
        of_runs = lacking.group_by("run", maintain_order=True).agg("topic")
        yield from of_runs.select(
            pl.col("run").cast(pl.String), pl.col("topic").cast(pl.List(pl.String))
        ).iter_rows()

    def result(
        self,
        contributions: Contributions,
        of_run: Callable[[pl.DataFrame], pl.DataFrame] | None = None,
    ) -> ContributionResult:
        """Return the measure that these contributions are."""
        return ContributionResult(contributions, self.pairs, of_run=of_run)


class Request(NamedTuple):
    """What an evaluation is asked for, with the tables that were read."""

    inputs: Any
    options: Any
    rules: Any
    tables: Mapping[str, Table]
    edition: Edition[Any]
    readers: Mapping[str, TableReader]
    """How each input was read: the runs, then what the signature names, in its order."""
    asked: Mapping[str, str] = MappingProxyType({})
    """The rules that are asked for beside the edition's."""
    access: Access = Access()
    others: pl.DataFrame | None = None
    """The numbers of rows of runs that were read before: `run topic rows again`."""


class Content(NamedTuple):
    """What a family makes of tables."""

    frames: FrameIndex
    warnings: Iterable[str] = ()
    traits: Mapping[str, str] = MappingProxyType({})
    """The parts of the signature that stand before the hashes of inputs."""
    last_traits: Mapping[str, str] = MappingProxyType({})
    first_traits: Mapping[str, str] = MappingProxyType({})
    """Those that stand before the rules."""
    fields: Mapping[str, Any] = MappingProxyType({})
    """Further fields of the evaluation."""


@frozen(kw_only=True)
class FrameEvaluation(Evaluation):
    """Runs and gold as frames; its edition has the rules that were asked for."""

    readers: ClassVar[Mapping[str, TableReader]]
    """How each input is read: the runs, then what the signature names, in its order."""
    by_name: ClassVar[tuple[str, ...]] = ()
    """The inputs that a format for all inputs is not meant for."""
    trait_names: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """What the signature calls inputs, where not by the names of their fields."""

    frames: FrameIndex

    @classmethod
    def build(cls, request: Request) -> Content:
        """Join the tables by the rules; a fault between them is an `InputError`."""
        raise NotImplementedError

    @classmethod
    def choose_readers(cls, inputs: Any, rules: Any) -> Mapping[str, TableReader]:  # noqa: ARG003 - some choose
        """Return how the inputs are read by these rules; inputs that do not fit are refused."""
        return cls.readers

    @classmethod
    def read_tables(
        cls,
        inputs: Any,
        options: Any,  # noqa: ARG003 - some read by their options
        rules: Any,
        access: Access,
    ) -> dict[str, Table]:
        """Read every input that is given; a fault in any of them is an `InputError`."""
        return read_inputs(inputs, access, cls.choose_readers(inputs, rules), cls.by_name)

    @classmethod
    def read(
        cls: type[Made],
        inputs: Any,
        options: Any,
        edition: Edition[Any],
        rules: Mapping[str, str],
        access: Access,
    ) -> Made:
        """Read every input; a fault in any of them is an `InputError`."""
        return cls.join(cls.read_request(inputs, options, edition, rules, access))

    @classmethod
    def read_request(
        cls,
        inputs: Any,
        options: Any,
        edition: Edition[Any],
        rules: Mapping[str, str],
        access: Access,
    ) -> Request:
        """Read every input, to be joined once or more than once."""
        applied = edition.rules.changed(rules)
        access.check(inputs, options, rules)
        inputs = open_inputs(inputs)
        tables = cls.read_tables(inputs, options, applied, access)
        readers = cls.choose_readers(inputs, applied)
        return Request(inputs, options, applied, tables, edition, readers, rules, access)

    @classmethod
    def join(cls: type[Made], request: Request) -> Made:
        """Return the evaluation of tables; a fault between them is an `InputError`."""
        return cls.of(request, cls.build(request))

    @classmethod
    def of(cls: type[Made], request: Request, content: Content) -> Made:
        """Return the evaluation of what was made of tables."""
        tables, applied, edition = request.tables, request.rules, request.edition
        known = {name: tables[name].sources for name in request.readers if name in tables}
        beside = {cls.trait_names.get(name, name): tables[name] for name in list(known)[1:]}
        told = applied.rules_signature(edition.rules)
        traits = {**content.first_traits, "rules": told, **content.traits, **hashes(beside)}
        traits |= content.last_traits
        return cls(
            edition=replace(edition, rules=applied),
            frames=content.frames,
            traits={name: trait for name, trait in traits.items() if trait},
            inputs=tuple(
                replace(source, runs=source.runs if at == 0 else ())
                for at, sources in enumerate(known.values())
                for source in sources
            ),
            warnings=tuple(content.warnings),
            **content.fields,
        )


class FrameGold:
    """Everything but the runs, read once, to which rows of runs are held as they come."""

    evaluation: ClassVar[type[FrameEvaluation]]
    has_sums: ClassVar[bool] = True
    """Whether rows that are not kept contribute; else the kept ones have all that counts."""
    in_order: ClassVar[bool] = False
    """Whether what a row contributes, which then tells its arrival, depends on earlier ones alone:
    where none is older than one of its run before."""
    marks_repeats: ClassVar[bool] = False
    """Whether a row of a key that stands before is marked; else it is a fault."""
    marks: ClassVar[tuple[str, ...]] = ()
    """The columns of prepared rows that say yes or no: it is counted how many rows say yes."""
    memory: pl.DataFrame | None = None
    """What `keep` remembers of rows beside those that it keeps, if anything."""

    def __init__(
        self,
        inputs: Any,
        options: Any,
        edition: Edition[Any],
        rules: Mapping[str, str],
        access: Access,
    ) -> None:
        from tseval.io.blocks import read_nothing  # here, because few commands read in blocks

        kind, opened = self.evaluation, open_inputs(inputs)
        readers = kind.choose_readers(opened, edition.rules.changed(rules))
        self.runs, self.reader = next(iter(readers.items()))
        access = replace(access, runs=read_nothing(self.reader))
        self.request = kind.read_request(opened, options, edition, rules, access)

    @property
    def key(self) -> tuple[str, ...]:
        """The columns that together may not repeat."""
        return self.reader.schema.key

    def evaluate(self, runs: Table, others: pl.DataFrame) -> FrameEvaluation:
        """Return the evaluation of some rows; of the others there are the numbers.

        These are `run topic rows again`, and how many rows have each mark.
        """
        tables = {**self.request.tables, self.runs: runs}
        return self.evaluation.join(self.request._replace(tables=tables, others=others))

    def keep(self, rows: pl.DataFrame) -> pl.Series:
        """Return which rows can still change what later ones are worth: all, if nobody knows."""
        return rows.select(pl.repeat(value=True, n=pl.len())).to_series()

    def prepare(
        self,
        block: pl.DataFrame,
        before: pl.DataFrame | None,  # noqa: ARG002 - some look at them
        faults: FaultList,  # noqa: ARG002
    ) -> pl.DataFrame:
        """Return the rows of a block with all that is found out about each when it comes.

        `before` are the rows that are kept; a fault between them and the block is raised. Names are
        texts, since more of them will come.
        """
        return block.with_columns(pl.selectors.categorical().cast(pl.String))

    def conclude(self, evaluation: Any, *, is_live: bool, to_come: bool) -> list[str]:  # noqa: ARG002
        """Refuse gold of rows that never came; where more rows may come, only tell of it."""
        return []


def to_pandas(frame: pl.DataFrame) -> pd.DataFrame:
    """Return a frame as users get it: undefined numbers are NaN, whole ones NA, texts None."""
    import pandas as pd

    def values(column: pl.Series) -> Any:
        if column.dtype.is_integer() and column.has_nulls():
            return pd.array(column.to_list(), "Int64")
        if column.dtype.is_numeric() or column.dtype == pl.Boolean:
            return column.to_numpy()
        return np.array(column.cast(pl.String).to_list(), object)

    return pd.DataFrame({column.name: values(column) for column in frame})


def relative_start(times: pl.DataFrame, *tables: Table) -> pl.DataFrame:
    """Return the times of topics, which start at 0 where times of any table count from it."""
    is_relative = any(source.is_relative for table in tables for source in table.sources)
    return times.with_columns(start=pl.lit(0.0)) if is_relative else times


def warn_of_topics(frame: pl.DataFrame, known: Collection[str], where: str) -> Iterator[str]:
    """Yield a warning for each run with topics that are not among the known ones."""
    unknown = frame.filter(~pl.col("topic").is_in(list(known))).cast({pl.Enum: pl.String})
    of_runs = unknown.group_by("run", maintain_order=True).agg(pl.col("topic").unique())
    for run, topics in of_runs.iter_rows():
        lost = natural_order(topics)
        yield f"run {run}: {count(len(lost), 'topic')} not {where}, ignored: {listed(lost)}"


def spans(frame: pl.DataFrame, table: str = "") -> Iterator[Span]:
    """Yield the first and the last time of each topic of a table, or of each run of one."""
    by = ["topic"] if table else ["run", "topic"]
    limits = frame.group_by(by, maintain_order=True).agg(
        first=pl.col("time").min(), last=pl.col("time").max()
    )
    for *run, topic, first, last in limits.drop_nulls().iter_rows():
        yield Span(table or f"run {run[0]}", topic, first, last)


def place_runs(rows: pl.DataFrame, setting: Setting[Any]) -> pl.DataFrame:
    """Return rows with texts, and with runs by their places in a report."""
    places = {run: setting.run(run) for run in rows["run"].cast(pl.String).unique()}
    place = pl.col("run").cast(pl.String).replace_strict(places, return_dtype=pl.Int64)
    return rows.with_columns(pl.col(pl.Enum).cast(pl.String)).with_columns(place)
