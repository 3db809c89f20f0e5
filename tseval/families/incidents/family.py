"""Incident streams: what the family declares, reads and warns of."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from tseval.core.declared import CURVE, SCORES, argument, file_option, option
from tseval.core.family import (
    Access,
    Asked,
    Column,
    Evaluation,
    Family,
    Gold,
    View,
    Words,
    Writer,
    Written,
    hashes,
)
from tseval.core.frames import open_inputs, read_inputs, spans
from tseval.core.input_warnings import years_apart
from tseval.core.measure import Measure
from tseval.core.over_runs import over_runs
from tseval.core.registry import definitions
from tseval.core.registry import measures as measures_named
from tseval.core.results import Result, Values
from tseval.core.rules import Edition
from tseval.core.scores import Scores
from tseval.core.taking import moments
from tseval.core.wording import count, listed
from tseval.errors import Fault, InputError, UsageError
from tseval.families.incidents import explain, files, measures, pooling, rows, trec_is
from tseval.families.incidents.rows import Stream
from tseval.families.incidents.rules import EDITIONS, IncidentRules
from tseval.families.incidents.rules import FAMILY as NAME
from tseval.io import PICTURES
from tseval.io.faults import FaultList
from tseval.io.formats import Format, Import
from tseval.io.forms import recognise
from tseval.io.inputs import Input
from tseval.io.schema import ALL_TOPICS, EPOCHS
from tseval.io.tables import Table
from tseval.io.tables import read as read_table
from tseval.io.times import written
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.arrays import FloatArray, IntArray
    from tseval.core.batches import Batches
    from tseval.io.given import Given

TREC_IS = "trec-is"
"""The form of the track's own files."""
chosen = partial(option, not_within=(CURVE,))


@frozen
class IncidentInputs:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    runs: Sequence[Given] = argument("RUN", "one or more runs", files.PREDICTIONS, several=True)
    labels: Given = argument("LABELS", "the file of labels", files.LABELS.schema)
    ontology: str | Path = file_option(
        "The information types: the track's JSON, or the proposal's.", required=True, by_place=True
    )
    more_labels: Sequence[Given] = file_option(
        "--labels",
        "More labels, such as another assessor's; they come after LABELS. Repeatable.",
        several=True,
        table=files.LABELS.schema,
        not_within=(CURVE,),
        adds_to="labels",
    )
    topics: str | None = file_option(
        "The track's file of topics: which events count, and their numbers."
    )
    epochs: str | Path | None = file_option(
        "When posts were made: post YYYYMMDD epoch.", table=EPOCHS
    )


@frozen
class IncidentOptions:
    """What is asked for beside the edition's rules, and what is shown."""

    actionable: Sequence[str] = chosen(
        "The types that call for action. Default: the track's six.",
        metavar="NAME,…",
        by_commas=True,
    )
    entries: Sequence[str] = chosen(
        "Score these types alone. Default: all.", metavar="NAME,…", by_commas=True
    )
    threshold: float | None = chosen(
        "The priority from which on a post is an alert (0.7); with `proposal` the confidence from "
        "which on a type is given (0)."
    )
    alpha: float | None = chosen("What a true alert is worth at least (0.3).")
    lambda_: float | None = chosen("--lambda", "How much the actionable types weigh in it (0.75).")
    seed: int = chosen("For the shuffles of --rule ties=shuffled.", default=0, at_least=0)
    roll_up: bool = chosen(
        "A type counts for its ancestors in the ontology too: --rule ancestors=rolled-up.",
        kind=bool,
        rule="ancestors=rolled-up",
    )
    order: str | None = chosen(
        "How posts come, for the false alerts in a row: --rule order=VALUE.",
        choices=("time", "rank", "file"),
        rule="order",
    )
    log_base: str | None = chosen(
        "The logarithm in what a false alert costs: --rule logarithm=VALUE.",
        choices=("10", "e"),
        rule="logarithm",
    )
    normalise: str | None = chosen(
        "Whether priorities are scaled to [0, 1]: --rule normalise=VALUE.",
        choices=("always", "auto", "never"),
        rule="normalise",
    )
    over_runs: bool = option(
        "The best, median and worst value over the runs instead.", kind=bool, within=(SCORES,)
    )
    events: Sequence[str] = option(
        "--event",
        "An event that the picture shows; repeatable. Default: the "
        f"{explain.EVENTS_DRAWN} longest.",
        metavar="NAME",
        several=True,
        within=PICTURES,
    )
    track_names: bool = option(
        "With -f trec-is: call the files as the track did, RUN.results.overall.txt in 2018 and "
        "2019 and RUN.results.2021a.overall.txt in 2021.",
        kind=bool,
        within=(TREC_IS,),
    )

    @property
    def numbers(self) -> dict[str, float | None]:
        """The numbers that may be asked for."""
        return {"threshold": self.threshold, "alpha": self.alpha, "lambda": self.lambda_}

    def apply(self, rules: IncidentRules) -> IncidentRules:
        """Return the rules with these in the place of some; a senseless number is refused."""
        for name, value in self.numbers.items():
            of_confidence = name == "threshold" and rules.threshold != IncidentRules.threshold
            if value is None or 0 <= value <= 1:
                continue
            if not of_confidence:
                raise UsageError(f"{name} cannot be {value:g}: give a number from 0 to 1")
            if not math.isfinite(value):
                raise UsageError(f"{name} cannot be {value:g}: give a finite number")
        changed: dict[str, object] = {
            rules.threshold: self.threshold,
            "seed": self.seed,
            "flat_gain": self.alpha,
            "actionable_weight": self.lambda_,
            "actionable": tuple(self.actionable) or None,
        }
        given = {name: value for name, value in changed.items() if value is not None}
        return replace(rules, **given)  # type: ignore[arg-type]

    def changes(self, rules: Mapping[str, str], base: IncidentRules) -> dict[str, str]:
        """Return what becomes other than the edition has it, by the names that measures read.

        With each stands what it is called where it is asked for.
        """
        names = {base.threshold: "threshold", "flat_gain": "alpha", "actionable_weight": "lambda"}
        names |= {"actionable": "actionable"}
        names |= {name.replace("-", "_"): f"rule {name}" for name in rules}
        applied = self.apply(base.changed(rules))
        asked = {
            name.replace("_", "-"): called
            for name, called in names.items()
            if getattr(applied, name) != getattr(base, name)
        }
        return asked | ({"entries": "entries"} if self.entries else {})

    def traits(self, rules: IncidentRules) -> dict[str, str]:
        """Return the parts of the signature that these make."""
        lists = {"actionable": self.actionable, "entries": self.entries}
        numbers = self.numbers.items()
        traits = {name: written(value) for name, value in numbers if value is not None}
        traits |= {"seed": str(self.seed)} if rules.ties == "shuffled" else {}
        return traits | {name: ",".join(value) for name, value in lists.items() if value}


# What a measure reads, so that a choice that changes nothing is refused.


def read_by(wanted: Sequence[Measure], rules: IncidentRules) -> frozenset[str]:
    """Return what can change any of these measures by these rules.

    A measure of a plug-in that does not tell may read anything.
    """
    anything = {name for each in definitions(NAME).values() for name in each.reads}
    found = set[str]()
    for measure in wanted:
        reads = set(measure.definition.reads or anything)
        if measure.definition.parameters == measures.GROUPS and not measure.has("actionable"):
            reads.discard("actionable-mean")
            reads.difference_update(() if measure.arguments else ("actionable",))
        found |= rules.effective(reads) | ({"epochs"} if measure.at is not None else set())
    return frozenset(found)


def find_cure(rules: IncidentRules, name: str) -> str:
    """Return what else than leaving a choice out would help: a measure or another rule."""
    family = definitions(NAME).values()
    plain = measures_named([each.name for each in family], NAME)
    some = [each(actionable=True) for each in plain if each.definition.by_group]
    for several in (plain, some):
        if readers := [each.name for each in several if name in read_by([each], rules)]:
            return f", or ask for a measure that reads it: {listed(readers)}"
    read = (each.reads for each in family if name in each.reads)
    silencers = dict.fromkeys(
        rule for reads in read for silenced, rule in rules.silences(reads) if silenced == name
    )
    return "".join(f", or choose another rule than {each}" for each in silencers)


OPEN_IN_THE_NOTE = ("logarithm", "order", "delta", "alert_posts", "repeated_labels")


@frozen(kw_only=True)
class IncidentEvaluation(Evaluation):
    """Runs and labels, ready for any measure; its edition has the rules that were asked for."""

    words: ClassVar[Words] = Words(
        "labelled posts",
        "event",
        "counted as posts that the run lacks",
        "left out",
        groups="information types",
        group_names=("Request-", "CallToAction-", "Report-", "Other-"),
    )

    stream: Stream
    found: rows.Read
    asked: Mapping[str, str]
    """What was asked for beside the edition's rules, and what it is called."""
    over_runs: bool
    """Whether the best, median and worst value over the runs are shown in their place."""
    ineffective: tuple[str, ...] = ()
    """What was asked for and changes nothing in the measures of a table."""

    @property
    def index(self) -> Stream:
        """Runs and labels side by side."""
        return self.stream

    @property
    def starts(self) -> FloatArray:
        """When each event starts: with its earliest judged post."""
        if self.index.judged["time"].has_nulls():
            raise UsageError("some labelled posts have no time, so no batch: give --epochs FILE")
        first = self.times_of_events(pl.Expr.min, np.inf)
        return np.zeros_like(first) if any(each.is_relative for each in self.inputs) else first

    def times_of_events(self, of: Any, otherwise: float) -> FloatArray:
        """Return a time of each event's labelled posts."""
        times = self.index.judged.group_by("topic").agg(of(pl.col("time")))
        found = np.full(len(self.index.topics), otherwise)
        found[times["topic"].to_numpy()] = times["time"].fill_null(otherwise).to_numpy()
        return found

    def take(self, measure: Measure, known: dict[Measure, Result]) -> Column:  # noqa: ARG002
        """Return a measure; at a time, over the posts made before it."""
        stream, whole = self.index, measure.whole
        if measure.at is not None:
            if stream.judged["time"].has_nulls():
                raise UsageError(f"{measure}: some posts have no time: give --epochs FILE")
            stream = stream.before(moments(measure, self.starts))
        if "order" in read_by([whole], stream.rules):
            stream.check_times()
        found = whole.definition.account(stream, whole)
        end = np.full(stream.units, np.inf)
        return Column(self.index, found.before(end), found.of_runs(end), found.groups)

    def check_asked(self, wanted: Sequence[Measure]) -> None:
        """Refuse a rule or a number that changes none of the measures, and levels nobody told."""
        named = [each.name for each in wanted if "levels" in each.definition.reads]
        self.check_levels(listed(named) if named else "")
        reads, names = read_by(wanted, self.index.rules), listed([each.name for each in wanted])
        for name, called in self.asked.items():
            if name not in reads:
                cure = f"leave it out{find_cure(self.index.rules, name)}"
                raise UsageError(f"{called} changes nothing in {names}: {cure}")

    def check_shown(self, reads: Collection[str], what: str) -> tuple[str, ...]:
        """Refuse what changes nothing in something else than measures; return warnings."""
        self.check_levels(what if "levels" in reads else "")
        for name, called in self.asked.items():
            if name not in reads:
                raise UsageError(f"{called} changes nothing in {what}: leave it out")
        return tuple(self.unread(reads))

    def check_levels(self, what: str) -> None:
        """Refuse what needs priorities where the labels tell none."""
        if what and not self.found.has_levels:
            raise UsageError(
                f"the labels tell no priorities, and these need them: {what}. Ask for measures of "
                "types alone, such as -m 'type.P type.R type.F1', or add to the labels a column "
                f"level with {', '.join(files.LEVELS)}"
            )

    def unread(self, reads: Collection[str]) -> Iterator[str]:
        """Yield what changes nothing, but is not refused since another file could make it count."""
        if "epochs" in self.found.tables and "epochs" not in reads:
            yield "the epochs change nothing: nothing here asks when a post was made"
        if "emitted-from" in self.asked and not self.found.runs.is_weighed:
            yield "the threshold changes nothing: no type of the runs has a number"

    def prepared_for(self, wanted: Sequence[Measure], *, per_topic: bool) -> IncidentEvaluation:
        """Return the same, knowing what changes nothing in these measures."""
        if "types-of-event" in self.asked and not per_topic:
            raise UsageError(
                "rule types-of-event changes the values of single events alone: give -q"
            )
        reads = read_by(wanted, self.index.rules)
        return replace(self, ineffective=tuple(self.unread(reads)))

    def without_missing(self) -> IncidentEvaluation:
        """Return the same, where events that a run lacks are left out of what `all` is taken of."""
        return replace(self, stream=self.stream.without_absent())

    def caveats(self, wanted: Sequence[Measure]) -> Iterator[str]:
        """Yield what a reader of these measures should know."""
        stream, found, topics = self.index, self.found, self.index.topics
        yield from self.label_warnings()
        names = pl.lit(pl.Series(topics, dtype=pl.String)).gather("topic")
        posts = stream.judged.sort("topic").with_columns(topic=names)
        yield from years_apart(spans(posts, "posts"), topics)
        if "order" in read_by(wanted, stream.rules) and stream.rules.order == "time":
            met = stream.replies.filter(pl.col("i").is_not_null() & pl.col("time").is_null())
            if events := [topics[at] for at in met["topic"].unique().sort()]:
                why = "posts without times, taken in the order of the run's file"
                yield f"{why}: {listed(events)}"
        for where, unknown in (("labels", found.labels.unknown), ("runs", found.runs.unknown)):
            if unknown:
                yield f"{where}: types that the ontology lacks, ignored: {list_counts(unknown)}"
        if short := found.runs.short:
            yield f"runs: types by another than their full name: {list_counts(short)}"
        if sizes := found.runs.odd:
            odd = ", ".join(f"{number:,} of {size}" for size, number in sizes.items())
            total = found.tables["ontology"].frame.height
            yield f"runs: vectors that are not {total} long, read as far as they go: {odd}"
        yield from self.run_warnings()
        yield from self.ineffective

    def label_warnings(self) -> Iterator[str]:
        """Yield what a reader should know of the labels."""
        labels, stream = self.found.tables["labels"], self.index
        if self.found.has_levels and (unknown := self.found.unknown_levels):
            yield f"{count(unknown, 'label')} of unknown priority"
        if "relevant" in labels.frame.columns:
            is_open = pl.col("type").is_not_null() & pl.col("relevant").is_null()
            if unanswered := labels.frame.filter(is_open).height:
                yield f"{count(unanswered, 'row')} of a pool without an answer, left out"
        if stream.asked is not None:
            asked = set(stream.asked["type"])
            names = [name for at, name in enumerate(stream.types) if at not in asked]
            if names:
                yield f"types for which no post was judged, left out of means: {listed(names)}"
        if nameless := sum(labels.notes):
            yield f"{count(nameless, 'label')} of posts without an id, which no run can have"
        if unscored := self.found.unscored:
            number = count(sum(unscored.values()), "label")
            yield f"{number} of events that are no topic, ignored: {listed(list(unscored))}"

    def run_warnings(self) -> Iterator[str]:
        """Yield what a reader should know of each run."""
        lines, priority, event = self.index.lines, pl.col("priority"), pl.col("event")
        facts = lines.group_by("run").agg(
            low=priority.min(),
            high=priority.max(),
            priorities=priority.count(),
            outside=((priority < 0) | (priority > 1)).cast(pl.Int64).sum(),
            lost=event.filter(pl.col("topic").is_null()).unique().cast(pl.String),
            repeated=pl.len(),
        )
        posts = lines.unique(["run", "event", "post_id"]).group_by("run").len("posts")
        absent = self.index.replies.group_by("run").agg(absent=pl.col("i").null_count())
        facts = facts.join(posts, on="run").join(absent, on="run").sort("run")
        facts = facts.with_columns(pl.col("repeated").cast(pl.Int64) - pl.col("posts"))
        for each in facts.iter_rows(named=True):
            run, lost = f"run {self.index.runs[each['run']]}: ", sorted(each["lost"])
            if each["absent"]:
                yield f"{run}{count(each['absent'], 'labelled post')} missing"
            if each["repeated"]:
                lines_of = count(each["repeated"], "line")
                yield f"{run}{lines_of} repeating a post, of which the last counts"
            if lost:
                yield f"{run}{count(len(lost), 'event')} without labels, ignored: {listed(lost)}"
            if each["priorities"] > 1 and each["low"] == each["high"]:
                yield f"{run}every priority is {each['low']:g}"
            if number := each["outside"]:
                noun = "priority" if number == 1 else "priorities"
                yield f"{run}{number:,} {noun} outside of [0, 1]"

    def finished(self, scores: Scores) -> Scores:
        """Return the scores of the runs, or in their place the best, median and worst."""
        return over_runs(scores, NAME) if self.over_runs else scores

    # Batches hold the labelled posts that were made in them.

    @property
    def ends(self) -> FloatArray:
        """No event has an end of its own."""
        return np.full(len(self.index.topics), -np.inf)

    @property
    def latest(self) -> FloatArray:
        """The time of each event's last labelled post."""
        return self.times_of_events(pl.Expr.max, -np.inf)

    @property
    def sent(self) -> tuple[IntArray, FloatArray]:
        """The labelled posts that each run has: their unit and time."""
        return self.index.sent

    def in_batches(self, measure: Measure, batches: Batches) -> Values:
        """Return a measure of each (run, event) in each batch; undefined past an event's last.

        The worth of a post depends on the false alerts before it, so it is worked out along the
        whole stream; a batch then takes the worth of its own posts.
        """
        stream = self.index.in_batches(batches)
        found = measure.definition.account(stream, measure).before(np.zeros(stream.size))
        shape = (self.index.units, batches.most)
        defined = found.defined.reshape(shape) & batches.there
        return Values(np.where(defined, found.value.reshape(shape), 0.0), defined)


def list_counts(names: Mapping[str, int]) -> str:
    """Return names with how often each stands there, the most frequent first."""
    ordered = sorted(names.items(), key=lambda item: (-item[1], item[0]))
    return listed([f"{name} ({number:,})" for name, number in ordered])


def read(
    inputs: IncidentInputs,
    options: IncidentOptions,
    edition: Edition[IncidentRules],
    rules: Mapping[str, str],
    access: Access,
) -> IncidentEvaluation:
    """Read every input; a fault in any of them is an `InputError`."""
    tables = read_tables(inputs, options, edition, rules, access)
    evaluation = join(options, edition, rules, tables)
    check_met(evaluation.stream, evaluation.found)
    return evaluation


def read_tables(
    inputs: IncidentInputs,
    options: IncidentOptions,
    edition: Edition[IncidentRules],
    rules: Mapping[str, str],
    access: Access,
) -> dict[str, Table]:
    """Read every input; wrong usage is told before any file is read."""
    options.apply(edition.rules.changed(rules))
    access.check(inputs, options, rules)
    return read_inputs(open_inputs(inputs), access, files.READERS, ("ontology", "topics", "epochs"))


def join(
    options: IncidentOptions,
    edition: Edition[IncidentRules],
    rules: Mapping[str, str],
    tables: Mapping[str, Table],
) -> IncidentEvaluation:
    """Return the evaluation of tables."""
    base = edition.rules
    types = tables["ontology"].frame["type"].to_list()
    actionable, entries = (
        tuple(types[at] for at in rows.places_of(types, names))
        for names in (options.actionable, options.entries)
    )
    options = replace(options, actionable=actionable, entries=entries)
    applied = options.apply(base.changed(rules))
    stream, found = rows.join_tables(tables, applied, entries)
    if ALL_TOPICS in stream.topics:
        raise UsageError(f"an event cannot be called '{ALL_TOPICS}', the name of the mean")
    for name in stream.topics:
        if name in stream.types:
            raise UsageError(f"'{name}' is both an event and a type: call one of them otherwise")
    names = {name.replace("_", "-"): getattr(applied, name) for name in OPEN_IN_THE_NOTE}
    traits = names | {"rules": applied.said(base, without=names)} | options.traits(applied)
    beside = [name for name in ("ontology", "labels", "topics", "epochs") if name in tables]
    sources = sorted(beside, key=lambda name: name != "labels")
    return IncidentEvaluation(
        edition=replace(edition, rules=applied),
        stream=stream,
        found=found,
        asked=options.changes(rules, base),
        traits=traits | hashes({name: tables[name] for name in beside}),
        over_runs=options.over_runs,
        group_names=stream.types,
        inputs=(
            *tables["runs"].sources,
            *(replace(each, runs=()) for name in sources for each in tables[name].sources),
        ),
    )


class IncidentGold(Gold):
    """Labels and types, to which lines of runs are held as they come: all lines are kept."""

    has_sums = False
    reader = files.RUNS

    def __init__(
        self,
        inputs: IncidentInputs,
        options: IncidentOptions,
        edition: Edition[IncidentRules],
        changed: Mapping[str, str],
        access: Access,
    ) -> None:
        from tseval.io.blocks import read_nothing  # here, because few commands read in blocks

        access = replace(access, runs=read_nothing(self.reader))
        self.tables = read_tables(inputs, options, edition, changed, access)
        self.call = options, edition, changed

    def evaluate(self, runs: Table, others: pl.DataFrame) -> IncidentEvaluation:  # noqa: ARG002 - none
        """Return the evaluation of some lines."""
        return join(*self.call, {**self.tables, "runs": runs})

    def prepare(
        self,
        block: pl.DataFrame,
        before: pl.DataFrame | None,  # noqa: ARG002 - lines do not depend on one another
        faults: FaultList,  # noqa: ARG002
    ) -> pl.DataFrame:
        """Return lines with names as texts, since more names will come."""
        return block.with_columns(pl.selectors.categorical().cast(pl.String))

    def keep(self, rows: pl.DataFrame) -> pl.Series:
        """Return that all lines are kept: a later one of a post takes its place."""
        return pl.repeat(value=True, n=rows.height, eager=True)

    def conclude(self, evaluation: Any, *, is_live: bool, to_come: bool) -> list[str]:  # noqa: ARG002
        """Refuse a run of which no line speaks of a labelled post."""
        if not to_come:
            check_met(evaluation.stream, evaluation.found)
        return []


def check_met(stream: Stream, found: rows.Read) -> None:
    """Refuse a run that has lines, but none that speaks of a labelled post: a wrong file."""
    met = stream.lines.drop_nulls("j").select("run").unique()
    wrong = stream.lines.join(met, on="run", how="anti", maintain_order="left")
    if wrong.height:
        table, row = found.tables["runs"], wrong.row(0, named=True)
        reason = (
            f'no line of run "{stream.runs[row["run"]]}" speaks of a labelled post: here post '
            f'"{row["post_id"]}" of event "{row["event"]}", in the labels '
            f"{listed(list(stream.topics))}"
        )
        cure = (
            "give the labels of the posts that the run speaks of, by the same ids"
            if row["event"] in stream.topics
            else "runs call events as the labels do, or by the numbers that the track's file "
            "of topics gives them (--topics FILE)"
        )
        place = table.frame[row["i"]].with_columns(reason=pl.lit(reason))
        table.refuse(place, "{reason}", cure, "unrelated-inputs")


# The files, for `tseval validate` and `tseval import`.


def types_among(paths: Sequence[str]) -> list[str] | None:
    """Return the types of the ontology among files; None without one, or with a faulty one."""
    for path in paths:
        source = Input(path)
        if source.can_be_read_again and files.is_ontology(source):
            try:
                return read_table([source], files.ONTOLOGY).frame["type"].to_list()
            except InputError:
                return None
    return None


def is_labels(source: Input) -> bool:
    """Return whether an input is labels that are no plain table of them."""
    if files.is_ontology(source) or files.is_listing(source):
        return not files.is_ontology(source)
    names = source.renamed(recognise(source)[1])
    reader = files.label_table(names)
    is_typed = reader is files.TYPED_LABELS and bool(files.PREDICTIONS.missing(names))
    return reader is files.JUDGED_POOL or is_typed


def is_run(source: Input) -> bool:
    """Return whether an input is a run in a form of the track."""
    is_other = files.is_ontology(source) or is_labels(source)
    return not is_other and files.kind_of(source) not in (None, files.PLAIN)


def validate_run(source: Input, _: str | None, paths: Sequence[str]) -> Any:
    """Return a run; an error by the rules of the track is an `InputError`."""
    table, faults = read_table([source], files.RUNS), FaultList(source)
    faults.extend(files.run_faults(source, table))
    types = types_among(paths)
    if types is not None:
        unknown = rows.find_types(table.frame, types, 0.0, renamed=True).unknown
        for name, number in sorted(unknown.items()):
            times = "once" if number == 1 else f"{number:,} times"
            reason = f'type "{name}", {times}, is not in the ontology'
            faults.extend([Fault(source.path, None, reason, "", "unknown-label")])
    faults.check()
    return table


POOL = Import(
    "pool",
    "runs of incident streams as the posts to which any gave a type, for assessors, who write 1 or "
    "0 into its column `relevant`: then it is the labels of `tseval incidents`",
    pooling.pool,
    pooling.PoolOptions,
    several=True,
    table=files.TOLD,
    kind="run",
)
FORMATS = (
    *files.TOPICS.formats,
    *files.ONTOLOGY.formats,
    Format(
        "incident labels",
        lambda source, form, _: read_table([source], files.LABELS, form),
        is_labels,
    ),
    Format("incident run", validate_run, is_run, imports=(POOL,)),
)


def track_files(evaluation: IncidentEvaluation, asked: Asked[IncidentOptions], _: str) -> Written:
    """Return the track's own files."""
    written_files, warnings = trec_is.official_files(
        evaluation, asked.on_missing, track_names=asked.options.track_names
    )
    return Written(files=written_files, warnings=warnings)


FAMILY = Family(
    name=NAME,
    command="incidents",
    summary="Information types, priority and alerts of incident streams.",
    description="""\
RUN is a run of TREC Incident Streams of any year, or a table `topic post_id priority types`;
LABELS what assessors said: the track's JSON, or a table `topic post_id level types`. All may be
compressed; `-` is standard input.

\b
tseval incidents mine.txt theirs.txt labels.json --ontology types.json -q
""",
    inputs=IncidentInputs,
    options=IncidentOptions,
    reporting=explain.reporting,
    definitions=measures.DEFINITIONS,
    editions=EDITIONS,
    read=read,
    gold=IncidentGold,
    views=(View.of(explain.alerts), View.of(explain.types)),
    writers=(
        Writer(
            (TREC_IS,),
            "the track's three files a run, into the folder -o",
            track_files,
            counts_missing=True,
            into_folder=True,
        ),
        Writer(PICTURES, "worth and false alerts along the stream", explain.picture),
    ),
    over="incident streams",
    batches=True,
    words=IncidentEvaluation.words,
    undefined_counts=False,
    schemas=(files.LABELS.schema, files.PREDICTIONS),
    formats=FORMATS,
)
