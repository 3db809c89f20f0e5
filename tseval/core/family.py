"""A family of measures: what it declares, and what it makes of its inputs.

Everything that families have in common is written once, over what stands here: choosing measures,
times, scoring, missing topics, undefined values, signatures (`scoring`), curves, batches, the
command with its help, and the sections of a report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np

from tseval.core.declared import (
    TOPICLESS,
    UNCOUNTED,
    UNMEASURED,
    UNSHARED,
    check_values,
    declared,
    input_files,
    input_tables,
)
from tseval.core.input_warnings import (
    column_mapping_notes,
    columns_trait,
    shared_runs,
    zone_warnings,
)
from tseval.core.measure import Definition, Measure, packages
from tseval.core.results import Groups, Result, Values, account_of, dated_result, moments
from tseval.core.rules import Edition
from tseval.core.wording import automatic_matches, paragraphs_of
from tseval.errors import UsageError
from tseval.io.formats import Format, Forms, Line, check_forms, form_for, form_named, nothing_to_say
from tseval.io.given import Called, are_records, check_inputs
from tseval.io.inputs import SHORT_HASH, InputRecord
from tseval.io.schema import Schema
from tseval.parallel.sharing import ALONE, Progress, Sharing
from tseval.records import frozen
from tseval.version import VERSION

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    import polars as pl

    from tseval.arrays import FloatArray, IntArray
    from tseval.core.panels import Picture
    from tseval.core.results import Batches, Firsts
    from tseval.core.scores import Scores
    from tseval.core.sections import Reporting
    from tseval.io.tables import Table

Inputs = TypeVar("Inputs")
Options = TypeVar("Options")
Read = TypeVar("Read")


@frozen
class Access:
    """How inputs are read."""

    forms: Forms = None
    """Their formats, where they are not to be recognised by their content."""
    sharing: Sharing = ALONE
    """Where the reading of runs, and matching, is done."""
    progress: Progress | None = None
    """Is told how much of the work is done, and of how much."""
    wanted: tuple[str | Measure, ...] = ()
    """The measures that are asked for: some inputs are needed by some measures alone."""
    runs: Table | None = None
    """The runs, where they are read in another way: in blocks, or as they come."""

    def form(self, name: str) -> str | None:
        """The format of one input; None leaves it to its content."""
        return form_for(self.forms, name)

    def form_by_name(self, name: str) -> str | None:
        """The format of an input that only a format by its own name is meant for."""
        return form_named(self.forms, name)

    def check(self, inputs: object, options: object, rules: Mapping[str, str]) -> None:
        """Refuse standard input for several inputs, a format for none, and senseless options."""
        check_inputs(input_files(inputs))
        check_forms(self.forms, input_tables(type(inputs)))
        ways = ["--resume"] if self.sharing.resume else []
        if self.runs is not None:  # they are not among the inputs
            ways += [what.name for _, what in declared(type(inputs)) if what.several]
        check_values((inputs, options), rules, ways)


Reading: TypeAlias = Callable[[Any, Any, Edition[Any], Mapping[str, str], Access], Read]
"""From inputs with options, an edition, the rules that are asked for beside it, and how inputs are
read."""


@frozen
class Words:
    """What things are called in what is said of a family's inputs."""

    items: str = "updates"
    """What a run has, or lacks, of a topic."""
    topic: str = "judged topic"
    missing_as_zero: str = "counted as an empty system"
    missing_left_out: str = "left out of the mean"
    undefined_topics: bool = True
    """Whether it is worth a word where a measure is undefined in topics; not where `all` is taken
    from all topics together."""
    pooled_by: str = ""
    """The edition whose `all` is taken from all topics together, where another takes means."""
    over_topics: str = "mean=topics"
    """The rule with which means are over topics, in families whose measures may be of all topics
    together."""
    groups: str = ""
    """What groups are called, where measures have values of such: information types."""
    group_names: tuple[str, ...] = ()
    """What the names of groups begin with, as far as they are known."""

    @property
    def noun(self) -> str:
        """A topic in one word: `event`."""
        return self.topic.removeprefix("judged ")


@frozen
class Column:
    """A measure as it was taken: of each unit of an index, of each run, of groups."""

    index: Any
    """Its runs and topics, and which (run, topic) are `present`."""
    values: Values
    runs: Values | None = None
    groups: Groups | None = None
    weights: FloatArray | None = None
    """What the value of each unit weighs, where that of a run is a quotient of sums."""


@frozen(kw_only=True)
class Evaluation:
    """Inputs that were read by an edition's rules: ready for any measure of the family."""

    words: ClassVar[Words] = Words()

    edition: Edition[Any]
    traits: Mapping[str, str]
    """What can change a number, by name: the parts of the signature."""
    inputs: tuple[InputRecord, ...]
    warnings: tuple[str, ...] = ()
    others: Mapping[Measure, Any] = field(default_factory=dict)
    """The exact sums of rows that were read before and are not kept, for each measure."""
    group_names: tuple[str, ...] = ()
    """The groups, such as information types, of which some measures have values."""

    frames: Any
    """Its `FrameIndex`."""

    @property
    def index(self) -> Any:
        """What measures are taken from unless they say otherwise, and followed over time."""
        return self.frames

    @property
    def starts(self) -> FloatArray:
        """When each topic starts."""
        return np.asarray(self.index.times["start"].to_numpy())

    # What only some families do otherwise.

    def index_of(self, measure: Measure) -> Any:  # noqa: ARG002 - some have several
        """What a measure is taken from; what it lacks is a `UsageError`."""
        return self.index

    def account(self, measure: Measure) -> Result:
        """A measure at any time."""
        whole = measure.whole
        result: Result = whole.definition.account(self.index_of(measure), whole)
        return result

    def take(self, measure: Measure, known: dict[Measure, Result]) -> Column:
        """A measure at its time; `known` keeps what is asked for at several times."""
        index, whole = self.index_of(measure), measure.whole
        if whole not in known:
            known[whole] = self.account(measure)
        result = known[whole]
        if measure in self.others:
            result = dated_result(measure, result).plus(self.others[measure])
        times = self.times_of(measure, index)
        if self.pools(measure):
            dated = dated_result(measure, result)
            pooled = dated.pooled_before(times)
            return Column(index, dated.before(times), pooled, None, dated.weights(times))
        return Column(index, result.before(times), result.of_runs(times), result.groups)

    def times_of(self, measure: Measure, index: Any) -> FloatArray:
        """The time at which a measure is taken in each unit of an index."""
        return moments(measure, self.starts[index.unit_topic])

    def pools(self, measure: Measure) -> bool:  # noqa: ARG002 - most are means over topics
        """Whether `all` of a measure is that of all topics taken together."""
        return False

    def default_measures(self) -> Sequence[str]:
        """The measures that are shown if none is asked for."""
        return self.edition.measures

    def check_request(self, wanted: Sequence[Measure]) -> None:
        """Refuse what was asked for beside these measures and changes none of them."""

    def resolve_measures(self, wanted: list[Measure]) -> list[Measure]:
        """The measures asked for as inputs and rules make them; what cannot be told is refused."""
        return wanted

    def has_times(self, measure: Measure) -> bool:  # noqa: ARG002 - some measures have none
        """Whether a measure can be taken at any time."""
        return True

    def prepared_for(self, wanted: Sequence[Measure], *, per_topic: bool) -> Evaluation:  # noqa: ARG002
        """The same, knowing which measures it will be asked for."""
        return self

    def finished(self, scores: Scores) -> Scores:
        """The scores as they are shown."""
        return scores

    def notes(self, wanted: Sequence[Measure]) -> tuple[str, ...]:  # noqa: ARG002
        """What stands under a table of these measures."""
        return ()

    def companions(self, scores: Scores, asked: ViewRequest[Any]) -> Iterator[str]:  # noqa: ARG002
        """What to report beside scores for which no measures were named, told on a terminal."""
        return iter(())

    def follows(self, measure: Measure) -> bool:  # noqa: ARG002 - some measures are taken once
        """Whether a measure can be followed over time, as a curve or in batches."""
        return True

    def without_missing(self) -> Evaluation:
        """The same, where topics that a run lacks are left out of what `all` is taken from."""
        return self

    def missing_parts(self) -> Iterator[tuple[str, str, Sequence[str]]]:
        """What runs lack of topics that they have: the run, what it is, such as a day, and which.

        It is told as missing topics are, and refused where these are.
        """
        return iter(())

    def traits_of(self, wanted: Sequence[Measure]) -> dict[str, str]:
        """The parts of the signature that these measures add, such as packages of plug-ins."""
        return {"plugins": packages(wanted)}

    def caveats(self, wanted: Sequence[Measure]) -> Iterator[str]:  # noqa: ARG002
        """Yield what a reader of these measures should know, beside `warnings`."""
        return iter(())

    @property
    def all_warnings(self) -> tuple[str, ...]:
        """What a reader should know of the inputs: how their columns were understood, warnings."""
        inputs, caveat = self.inputs, automatic_matches(self.signature())
        told = (*column_mapping_notes(inputs), *shared_runs(inputs), *zone_warnings(inputs))
        return (*told, *caveat, *self.warnings)

    def signature(self, **more: str) -> str:
        """One line that names all that can change a number."""
        parts = {"tseval": VERSION, "edition": self.edition.name} | dict(self.traits)
        parts |= columns_trait(self.inputs) | more
        return "|".join(f"{name}:{value}" for name, value in parts.items() if value)

    # What batches need.

    @property
    def ends(self) -> FloatArray:
        """When each topic ends."""
        times: pl.DataFrame = self.index.times
        if "end" not in times.columns:
            raise UsageError(f"measures of {self.edition.family} are not taken in batches")
        return times["end"].to_numpy()

    @property
    def latest(self) -> FloatArray:
        """The time of the latest gold of each topic."""
        return np.asarray(self.index.times["latest"].to_numpy())

    @property
    def sent(self) -> tuple[IntArray, FloatArray]:
        """The unit and the time of everything that counts for how much a batch weighs."""
        sent: tuple[IntArray, FloatArray] = self.index.sent
        return sent

    def in_batches(self, measure: Measure, batches: Batches) -> Values:
        """A measure of each unit in each batch, of the shape (units, most)."""
        result = account_of(measure, self.index)
        if result.undivided:
            raise UsageError(f"{measure} has no value in a batch: {result.undivided}")
        return result.within(batches)

    # What holding runs against each other needs.

    @property
    def firsts(self) -> Firsts:
        """When each run first said each piece of gold."""
        raise UsageError(f"nothing is said first and later in {self.edition.family}")


class Lost(NamedTuple):
    """How many matches there are, how many of them go, and how many nuggets nobody then says."""

    matches: int
    lost: int
    nuggets: int


@frozen
class ViewRequest(Generic[Options]):
    """What is asked of an evaluation: measures, and the family's own options."""

    measures: tuple[Measure, ...]
    options: Options
    per_topic: bool = False
    on_missing: str | None = None
    undefined: str = "skip"


@frozen
class ViewRows:
    """Rows that are shown instead of scores, and how to read them."""

    frame: pd.DataFrame
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    for_people: tuple[str, ...] = ()
    """The columns of a table, where it has no room for all; nothing for all."""
    sections: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    """The frames, under their headings, that a table shows instead, one below the other."""
    traits: Mapping[str, str] = field(default_factory=dict)
    """The parts of the signature that these rows add."""


@frozen
class View:
    """Something else than scores that a command can show, asked for by `--explain NAME`.

    Or by an option of the family's own, which says more than that it is asked for.
    """

    name: str
    help: str
    rows: Callable[[Any, ViewRequest[Any]], ViewRows]
    takes_measures: bool = False
    """Whether it shows the measures that are asked for."""
    measures: tuple[str, ...] = ()
    """Those that it shows if none is asked for, where they are others than of the scores."""
    by_topic: bool = True
    """Whether it can show topics by themselves."""
    needs: tuple[str, ...] = ()
    """Measures that need the same inputs, where some are needed by some measures alone."""
    leaves_out: tuple[str, ...] = ()
    """The positional inputs, by the names of their fields, that it does without."""
    asked_by: str = ""
    """The option of the family that asks for it, where it is none of `--explain`."""
    draw: Callable[[Any, ViewRequest[Any]], Written] | None = None
    """The picture of it, where it can be drawn."""

    @property
    def limits(self) -> tuple[str, ...]:
        """What it lacks, by which the options are refused that are about it."""
        unmeasured = () if self.takes_measures else (UNMEASURED, UNCOUNTED)
        topicless = () if self.by_topic else (TOPICLESS,)
        return (*unmeasured, *topicless, *((UNSHARED,) if self.leaves_out else ()))

    @classmethod
    def of(cls, rows: Callable[[Any, ViewRequest[Any]], ViewRows], **more: Any) -> View:
        """Return the view that a function shows, with its name and its docstring as the help."""
        return cls(rows.__name__, paragraphs_of(rows)[0], rows, **more)


@frozen
class Writer:
    """Forms of output that only this family has: a track's own files, or pictures."""

    forms: tuple[str, ...]
    help: str
    write: Callable[[Any, ViewRequest[Any], str], Written]
    takes_measures: bool = False
    by_topic: bool = True
    """Whether it can show topics by themselves."""
    counts_missing: bool = False
    """Whether it takes measures of its own, so that `--on-missing` has a meaning."""
    into_folder: bool = False
    """Whether it writes several files, into the folder that the output names."""

    @property
    def limits(self) -> tuple[str, ...]:
        """What it lacks, by which the options are refused that are about it."""
        unmeasured = () if self.takes_measures else (UNMEASURED,)
        uncounted = () if self.takes_measures or self.counts_missing else (UNCOUNTED,)
        return (*unmeasured, *uncounted, *(() if self.by_topic else (TOPICLESS,)))


@frozen
class Written:
    """What a writer made: an output, a picture to draw, or files by their names; with warnings."""

    content: bytes = b""
    picture: Picture | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@frozen
class Family(Generic[Inputs, Options]):
    """What a family declares; `tseval.families` has the list of all."""

    name: str
    command: str
    summary: str
    """The first line of the command's help."""
    description: str
    """The rest of it: what the files are, and an example."""
    inputs: type[Inputs]
    options: type[Options]
    definitions: tuple[Definition, ...]
    editions: tuple[Edition[Any], ...]
    """The first is the default."""
    read: Reading[Evaluation]
    """From inputs to an evaluation."""
    judgments: Reading[Any] | None = None
    """To inputs that are scored with all judgments, by `evaluation()`, and `without` those that
    some runs alone contributed: `tseval compare --leave-out`."""
    matched: Reading[Any] | None = None
    """To inputs whose `evaluation` is by any matcher at any threshold: `tseval sweep`."""
    gold: Reading[Any] | None = None
    """To the `FrameGold` alone, where runs can be read in blocks and followed as they come."""
    schemas: tuple[Schema, ...] = ()
    """The plain tables that it reads; one that another family reads too is declared by both."""
    formats: tuple[Format, ...] = ()
    """The kinds of files that only it reads, for `tseval validate` and `tseval import`."""
    check_related: Callable[[Sequence[Any]], Iterator[Line]] = nothing_to_say
    """What `tseval validate` says of tables that do not fit each other."""
    knows: Callable[[str], bool] | None = None
    """Whether a file is gold of this family, for commands that serve several."""
    over: str = "this"
    """What its measures are over, in messages: nuggets, clusters."""
    curves: bool = False
    """Whether its measures are followed over time."""
    batches: bool = False
    """Whether they are taken in batches."""
    views: tuple[View, ...] = ()
    view_option: str = "--explain"
    """The option that asks for one of them."""
    writers: tuple[Writer, ...] = ()
    beside: Callable[[Any, ViewRequest[Any]], Mapping[Path, bytes]] | None = None
    """Files that are written beside the output, if an option asks for such."""
    reporting: Callable[[], Reporting] | None = None
    """Gives what a report has of it, beside curves over time where its measures have such; what
    that needs is imported when a report is made."""
    words: Words = Words()
    work: str = ""
    """What takes time before there are scores, in a word: `matching`."""
    resumes: bool = False
    """Whether that work can be kept on disk, to go on with: `--resume`."""
    undefined_counts: bool = True
    """Whether a topic where a measure is undefined may count as 0: `--undefined`."""
    times: bool = True
    """Whether measures can be taken at a time: `--at`."""

    @property
    def report(self) -> Reporting | None:
        """What a report has of it; None if nothing."""
        return None if self.reporting is None else self.reporting()


def hashes(tables: Mapping[str, Table]) -> dict[str, str]:
    """The parts of a signature that name inputs by their short hashes; those not given have none.

    An input of several files has the hash of each.
    """
    return {
        name: ",".join(f"sha256:{each.sha256[:SHORT_HASH]}" for each in table.sources)
        for name, table in tables.items()
    }


def several(given: Any) -> Sequence[Any]:
    """One input, or several, as several: a list of them, or what each is called and is."""
    if isinstance(given, Mapping):
        return [Called(str(name), each) for name, each in given.items()]
    return given if isinstance(given, list | tuple) and not are_records(given) else [given]


def as_measures(wanted: Iterable[str | Measure] | str | Measure | None) -> list[str | Measure]:
    """Measures as a caller names them: one, several, or none."""
    return [wanted] if isinstance(wanted, str | Measure) else list(wanted or ())
