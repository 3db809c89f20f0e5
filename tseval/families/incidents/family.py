"""Incident streams: what the family declares, reads and warns of."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from tseval.core.declared import CURVE, SCORES, argument, file_option, option
from tseval.core.family import Column, Family, View, Words, Writer
from tseval.core.frames import Content, FrameEvaluation, FrameGold, Request, spans
from tseval.core.input_warnings import years_apart
from tseval.core.measure import Measure
from tseval.core.registry import definitions
from tseval.core.results import Result, Values, moments
from tseval.core.scores import Scores
from tseval.core.scoring import over_runs
from tseval.core.wording import count, listed
from tseval.errors import InputError, UsageError
from tseval.families.incidents import explain, files, measures, pooling, rows, trec_is
from tseval.families.incidents.rows import Stream
from tseval.families.incidents.rules import EDITIONS, OPEN, IncidentRules
from tseval.families.incidents.rules import FAMILY as NAME
from tseval.io import PICTURES
from tseval.io.faults import FaultList
from tseval.io.formats import Format, Import
from tseval.io.forms import recognise
from tseval.io.inputs import Input
from tseval.io.schema import ALL_TOPICS, EPOCHS
from tseval.io.tables import TableReader
from tseval.io.tables import read as read_table
from tseval.io.times import written
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.arrays import FloatArray
    from tseval.core.results import Batches
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
        "The track's file of topics, with the events that count and their numbers."
    )
    epochs: str | Path | None = file_option(
        "The times of posts: post YYYYMMDD epoch.", table=EPOCHS
    )


@frozen
class IncidentOptions:
    """What is asked for beside the edition's rules, and what is shown."""

    actionable: Sequence[str] = chosen(
        "The actionable types. Default: the track's six.",
        metavar="NAME,…",
        by_commas=True,
    )
    entries: Sequence[str] = chosen(
        "Score only these types. Default: all.", metavar="NAME,…", by_commas=True
    )
    threshold: float | None = chosen(
        "The lowest priority of an alert (0.7); with `proposal`, the lowest confidence of a type "
        "(0)."
    )
    alpha: float | None = chosen("The minimum worth of a true alert (0.3).")
    lambda_: float | None = chosen("--lambda", "The weight of actionable types in it (0.75).")
    seed: int = chosen("Seed of the shuffles of --rule ties=shuffled.", default=0, at_least=0)
    roll_up: bool = chosen(
        "Count a type for its ancestors in the ontology too: --rule ancestors=rolled-up.",
        kind=bool,
        rule="ancestors=rolled-up",
    )
    order: str | None = chosen(
        "The order of posts, for counting consecutive false alerts: --rule order=VALUE.",
        choices=("time", "rank", "file"),
        rule="order",
    )
    log_base: str | None = chosen(
        "The logarithm in the cost of a false alert: --rule logarithm=VALUE.",
        choices=("10", "e"),
        rule="logarithm",
    )
    normalise: str | None = chosen(
        "Whether priorities are scaled to [0, 1]: --rule normalise=VALUE.",
        choices=("always", "auto", "never"),
        rule="normalise",
    )
    over_runs: bool = option(
        "Show the best, median and worst value over the runs instead.", kind=bool, within=(SCORES,)
    )
    events: Sequence[str] = option(
        "--event",
        f"Show this event in the picture; repeatable. Default: the {explain.EVENTS_DRAWN} longest.",
        metavar="NAME",
        several=True,
        within=PICTURES,
    )
    track_names: bool = option(
        "With -f trec-is: name the files as the track did, RUN.results.overall.txt in 2018 and "
        "2019 and RUN.results.2021a.overall.txt in 2021.",
        kind=bool,
        within=(TREC_IS,),
    )

    def rule_fields(self, rules: IncidentRules) -> dict[str, tuple[str, Any]]:
        """Return the fields of rules that these stand for: what each is called here, its value."""
        return {
            rules.threshold: ("threshold", self.threshold),
            "flat_gain": ("alpha", self.alpha),
            "actionable_weight": ("lambda", self.lambda_),
            "actionable": ("actionable", tuple(self.actionable) or None),
        }

    def apply(self, rules: IncidentRules) -> IncidentRules:
        """Return the rules with these in the place of some; a senseless number is refused."""
        given = dict[str, Any]()
        for rule, (name, value) in self.rule_fields(rules).items():
            is_free, is_number = rule == "emitted_from", isinstance(value, float | int)
            if is_number and not (math.isfinite(value) if is_free else 0 <= value <= 1):
                wanted = "a finite number" if is_free else "a number from 0 to 1"
                raise UsageError(f"{name} cannot be {value:g}: give {wanted}")
            given |= {} if value is None else {rule: value}
        return replace(rules, seed=self.seed, **given)

    def traits(self, rules: IncidentRules) -> dict[str, str]:
        """Return the parts of the signature that these make."""
        named = list(self.rule_fields(rules).values())[:-1]
        traits = {name: written(value) for name, value in named if value is not None}
        traits |= {"seed": str(self.seed)} if rules.ties == "shuffled" else {}
        return traits | {"actionable": ",".join(self.actionable), "entries": ",".join(self.entries)}


def read_by(wanted: Sequence[Measure], rules: IncidentRules) -> frozenset[str]:
    """Return what can change any of these measures by these rules.

    A measure of a plug-in that does not tell may read anything.
    """
    anything = {name for each in definitions(NAME).values() for name in each.reads}
    names = set[str]()
    for measure in wanted:
        reads = set(measure.definition.reads or anything)
        if measure.definition.parameters == measures.GROUPS and not measure.has("actionable"):
            reads -= {"actionable-mean", *([] if measure.arguments else ["actionable"])}
        names |= rules.effective(reads) | ({"epochs"} if measure.at is not None else set())
    return frozenset(names)


RUN_WARNINGS = (
    ("absent", "labelled post", "labelled posts", "missing"),
    ("repeated", "line", "lines", "repeating a post, of which the last counts"),
    ("lost", "event", "events", "without labels, ignored: {events}"),
    ("outside", "priority", "priorities", "outside of [0, 1]"),
)
"""What a run is warned of: the number, what is counted, and what is wrong with it."""


@frozen(kw_only=True)
class IncidentEvaluation(FrameEvaluation):
    """Runs and labels, ready for any measure; its edition has the rules that were asked for."""

    words: ClassVar[Words] = Words(
        "labelled posts",
        "event",
        "counted as posts that the run lacks",
        "left out",
        groups="information types",
        group_names=("Request-", "CallToAction-", "Report-", "Other-"),
    )
    readers: ClassVar[Mapping[str, TableReader]] = files.READERS
    by_name: ClassVar[tuple[str, ...]] = ("ontology", "topics", "epochs")

    frames: Stream
    asked: Mapping[str, str] = field(default_factory=dict)
    """What was asked for beside the edition's rules, and what it is called."""
    over_runs: bool = False
    """Whether the best, median and worst value over the runs are shown in their place."""

    @classmethod
    def build(cls, request: Request) -> Content:
        """Join the tables by the rules."""
        stream = rows.join_tables(request.tables, request.rules, request.options.entries)
        if ALL_TOPICS in stream.topics:
            raise UsageError(f"an event cannot be called '{ALL_TOPICS}', the name of the mean")
        for name in set(stream.topics) & set(stream.types):
            raise UsageError(f"'{name}' is both an event and a type: call one of them otherwise")
        if request.others is None:
            check_labelled(stream)
        # The ontology stands before the labels here.
        return Content(stream, (), request.options.traits(request.rules) | {"ontology": ""})

    @classmethod
    def join(cls, request: Request) -> IncidentEvaluation:
        """Return the evaluation of tables by the rules, with the options in the place of some."""
        types, base = request.tables["ontology"].frame["type"].to_list(), request.edition.rules
        options = replace(
            request.options,
            actionable=rows.resolve_types(types, request.options.actionable),
            entries=rows.resolve_types(types, request.options.entries),
        )
        applied, called = options.apply(request.rules), options.rule_fields(base)
        found = super().join(request._replace(options=options, rules=applied))
        asked = {"entries": "entries"} if options.entries else {}
        for name in (each.name for each in fields(base) if each.name != "seed"):
            if getattr(applied, name) != getattr(base, name):
                rule = name.replace("_", "-")
                asked[rule] = called[name][0] if name in called else f"rule {rule}"
        traits = {each: getattr(applied, each.replace("-", "_")) for each in OPEN}
        return replace(
            found,
            asked=asked,
            over_runs=options.over_runs,
            group_names=found.frames.types,
            traits={**traits, **found.traits},
        )

    @property
    def starts(self) -> FloatArray:
        """When each event starts: with its earliest judged post."""
        if self.index["judged"]["time"].has_nulls():
            raise UsageError("some labelled posts have no time, so no batch: give --epochs FILE")
        return super().starts

    def take(self, measure: Measure, known: dict[Measure, Result]) -> Column:  # noqa: ARG002
        """Return a measure; at a time, over the posts made before it."""
        stream, whole = self.index, measure.whole
        if measure.at is not None:
            if stream["judged"]["time"].has_nulls():
                raise UsageError(f"{measure}: some posts have no time: give --epochs FILE")
            stream = stream.before(moments(measure, self.starts))
        if "order" in read_by([whole], stream.rules):
            stream.check_times()
        found = whole.definition.account(stream, whole)
        end = np.full(stream.units, np.inf)
        return Column(self.index, found.before(end), found.of_runs(end), found.groups)

    def check_request(self, wanted: Sequence[Measure]) -> None:
        """Refuse a rule or a number that changes none of the measures, and levels nobody told."""
        names = listed([each.name for each in wanted])
        self.check_reads(read_by(wanted, self.index.rules), names)

    def check_reads(self, reads: Collection[str], what: str) -> tuple[str, ...]:
        """Refuse levels that nobody told, and what changes nothing here; return warnings."""
        if "levels" in reads and not self.index.has_levels:
            raise UsageError(
                f"the labels tell no priorities, which are needed for {what}: ask for measures of "
                "types alone, such as -m 'type.P type.R type.F1', or add to the labels a column "
                f"level with {', '.join(files.LEVELS)}"
            )
        for name, called in self.asked.items():
            if name not in reads:
                raise UsageError(f"{called} changes nothing in {what}: leave it out")
        return tuple(self.unread(reads))

    def unread(self, reads: Collection[str]) -> Iterator[str]:
        """Yield what changes nothing, but is not refused since another file could make it count."""
        if "epochs" in self.index.tables and "epochs" not in reads:
            yield "the epochs change nothing: no measure or rule uses the times of posts"
        if "emitted-from" in self.asked and not self.index.of_runs.is_weighed:
            yield "the threshold changes nothing: no type of the runs has a number"

    def prepared_for(self, wanted: Sequence[Measure], *, per_topic: bool) -> IncidentEvaluation:  # noqa: ARG002
        """Return the same, unless a rule changes nothing in what is shown."""
        if "types-of-event" in self.asked and not per_topic:
            raise UsageError(
                "rule types-of-event changes the values of single events alone: give -q"
            )
        return self

    def without_missing(self) -> IncidentEvaluation:
        """Return the same, where events that a run lacks are left out of what `all` is taken of."""
        return replace(self, frames=self.index.without_absent())

    def caveats(self, wanted: Sequence[Measure]) -> Iterator[str]:
        """Yield what a reader of these measures should know."""
        stream, topics = self.index, self.index.topics
        yield from self.label_warnings()
        yield from years_apart(spans(stream["judged"].sort("topic"), "posts"), topics)
        reads = read_by(wanted, stream.rules)
        if "order" in reads and stream.rules.order == "time":
            met = stream.outputs.filter(pl.col("time").is_null())
            if events := list(met["topic"].unique().sort()):
                why = "posts without times, taken in the order of the run's file"
                yield f"{why}: {listed(events)}"
        unknown = "types that the ontology lacks, ignored"
        for what, names_of in (
            (f"labels: {unknown}", stream.of_labels.unknown),
            (f"runs: {unknown}", stream.of_runs.unknown),
            ("runs: types by another than their full name", stream.of_runs.short),
        ):
            if names_of:
                ordered = sorted(names_of.items(), key=lambda item: (-item[1], item[0]))
                yield f"{what}: {listed([f'{name} ({number:,})' for name, number in ordered])}"
        if sizes := stream.of_runs.sizes:
            odd = ", ".join(f"{number:,} of {size}" for size, number in sizes.items())
            total = stream.tables["ontology"].frame.height
            yield f"runs: vectors that are not {total} long, read as far as they go: {odd}"
        yield from self.run_warnings()
        yield from self.unread(reads)

    def label_warnings(self) -> Iterator[str]:
        """Yield what a reader should know of the labels."""
        stream, labels = self.index, self.index.tables["labels"]
        unanswered = 0
        if "relevant" in labels.frame.columns:
            unanswered = labels.frame.filter(pl.col("relevant").is_null()).drop_nulls("type").height
        for number, noun, words in (
            (stream.unknown_levels * stream.has_levels, "label", "of unknown priority"),
            (unanswered, "row", "of a pool without an answer, left out"),
            (sum(labels.notes), "label", "of posts without an id, which no run can have"),
            (
                sum(stream.unscored.values()),
                "label",
                f"of events that are no topic, ignored: {listed(list(stream.unscored))}",
            ),
        ):
            if number:
                yield f"{count(number, noun)} {words}"
        if "asked" in stream.frames:
            asked = set(stream["asked"]["type"])
            if names := [name for name in stream.types if name not in asked]:
                yield f"types for which no post was judged, left out of means: {listed(names)}"

    def run_warnings(self) -> Iterator[str]:
        """Yield what a reader should know of each run."""
        lines, priority = self.index["lines"], pl.col("priority")
        is_lost = pl.col("topic").is_null()
        facts = lines.group_by("run").agg(
            low=priority.min(),
            high=priority.max(),
            priorities=priority.count(),
            outside=(~priority.is_between(0, 1)).cast(pl.Int64).sum(),
            events=pl.col("event").filter(is_lost).unique().cast(pl.String).sort(),
            lost=pl.col("event").filter(is_lost).n_unique(),
            repeated=pl.len().cast(pl.Int64) - pl.struct("event", "post_id").n_unique(),
        )
        absent = self.index["replies"].group_by("run").agg(absent=pl.col("i").null_count())
        for each in facts.join(absent, on="run").sort("run").iter_rows(named=True):
            run = f"run {each['run']}"
            for name, one, many, words in RUN_WARNINGS:
                if number := each[name]:
                    wrong = words.format(events=listed(each["events"]))
                    yield f"{run}: {number:,} {one if number == 1 else many} {wrong}"
            if each["priorities"] > 1 and each["low"] == each["high"]:
                yield f"{run}: every priority is {each['low']:g}"

    def finished(self, scores: Scores) -> Scores:
        """Return the scores of the runs, or in their place the best, median and worst."""
        return over_runs(scores, NAME) if self.over_runs else scores

    def in_batches(self, measure: Measure, batches: Batches) -> Values:
        """Return a measure of each (run, event) in each batch; undefined past an event's last.

        A batch holds the labelled posts that were made in it. The worth of a post depends on the
        false alerts before it, so it is worked out along the whole stream; a batch then takes the
        worth of its own posts.
        """
        stream = self.index.in_batches(batches)
        found = measure.definition.account(stream, measure).before(np.zeros(stream.size))
        shape = (self.index.units, batches.most)
        defined = found.defined.reshape(shape) & batches.present
        return Values(np.where(defined, found.value.reshape(shape), 0.0), defined)


class IncidentGold(FrameGold):
    """Labels and types, to which lines of runs are held as they come: all lines are kept."""

    evaluation = IncidentEvaluation
    has_sums = False

    def conclude(self, evaluation: Any, *, is_live: bool, to_come: bool) -> list[str]:  # noqa: ARG002
        """Refuse a run of which no line speaks of a labelled post."""
        if not to_come:
            check_labelled(evaluation.index)
        return []


def check_labelled(stream: Stream) -> None:
    """Refuse a run that has lines, but none that speaks of a labelled post: a wrong file."""
    met = stream["lines"].drop_nulls("j").select("run").unique()
    wrong = stream["lines"].join(met, on="run", how="anti", maintain_order="left")
    for row in wrong.head(1).iter_rows(named=True):
        reason = (
            f'no line of run "{row["run"]}" speaks of a labelled post: here post '
            f'"{row["post_id"]}" of event "{row["event"]}", in the labels '
            f"{listed(list(stream.topics))}"
        )
        cure = (
            "give the labels of the posts that the run speaks of, by the same ids"
            if row["event"] in stream.topics
            else "runs call events as the labels do, or by the numbers that the track's file "
            "of topics gives them (--topics FILE)"
        )
        table = stream.tables["runs"]
        place = table.frame[row["i"]].with_columns(reason=pl.lit(reason))
        table.refuse(place, "{reason}", cure, "unrelated-inputs")


# The files, for `tseval validate` and `tseval import`.


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
    return not is_other and any(track.matches(source) for track in files.RUNS.tracks)


def validate_run(source: Input, _: str | None, paths: Sequence[str]) -> Any:
    """Return a run; an error by the rules of the track is an `InputError`.

    So is a type that is not in the ontology, if one is among the files and has no fault itself.
    """
    table, faults = read_table([source], files.RUNS), FaultList(source)
    faults.extend(files.run_faults(source, table))
    sources = (each for each in map(Input, paths) if each.can_be_read_again)
    for ontology in list(filter(files.is_ontology, sources))[:1]:
        with suppress(InputError):
            types = read_table([ontology], files.ONTOLOGY).frame["type"].to_list()
            unknown = rows.find_types(table.frame, types, 0.0, renamed=True)[1].unknown
            for name, number in sorted(unknown.items()):
                times = "once" if number == 1 else f"{number:,} times"
                reason = f'type "{name}", {times}, is not in the ontology'
                faults.add(None, reason, "", "unknown-label")
    faults.check()
    return table


POOL = Import(
    "pool",
    "the posts of incident streams to which any run gives a type. Assessors write 1 or 0 into "
    "the column `relevant`; the file then has labels for `tseval incidents`",
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


FAMILY = Family(
    name=NAME,
    command="incidents",
    summary="Score information types, priorities and alerts of incident streams.",
    description="""\
\b
tseval incidents fixtures/incidents/keen.txt fixtures/incidents/labels.json \\
    --ontology fixtures/incidents/types.json -q

RUN is a run of TREC Incident Streams of any year, or a table `topic post_id priority types`;
LABELS has the labels of assessors: the track's JSON, or a table `topic post_id level types`. All
files may be compressed; `-` is standard input.
""",
    inputs=IncidentInputs,
    options=IncidentOptions,
    reporting=explain.reporting,
    definitions=measures.DEFINITIONS,
    editions=EDITIONS,
    read=IncidentEvaluation.read,
    gold=IncidentGold,
    views=(View.of(explain.alerts), View.of(explain.types)),
    writers=(
        Writer(
            (TREC_IS,),
            "the track's three files per run, into the folder -o",
            trec_is.official_files,
            counts_missing=True,
            into_folder=True,
        ),
        Writer(PICTURES, "a chart of worth and false alerts along the stream", explain.picture),
    ),
    over="incident streams",
    batches=True,
    words=IncidentEvaluation.words,
    undefined_counts=False,
    schemas=(files.LABELS.schema, files.PREDICTIONS),
    formats=FORMATS,
)
