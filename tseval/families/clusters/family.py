"""Runs over clusters: what the family declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from tseval.core import declared
from tseval.core.family import Access, Column, Family, View, Words
from tseval.core.frames import (
    Content,
    FrameEvaluation,
    FrameGold,
    FrameIndex,
    Request,
    read_inputs,
    spans,
    warn_of_topics,
)
from tseval.core.input_warnings import years_apart
from tseval.core.kernel import natural
from tseval.core.measure import Measure
from tseval.core.registry import measures as measures_of
from tseval.core.results import Result, Values
from tseval.core.rules import Edition, each_once
from tseval.core.wording import warn_of_numbers
from tseval.errors import UsageError
from tseval.families.clusters import explain, files, measures, rows
from tseval.families.clusters.rows import NOT_RELEVANT, REDUNDANT, RELEVANT, ClusterRules, PushRules
from tseval.io import schema
from tseval.io.epochs import EPOCHS_READER, are_epochs, days_of, snowflake_times
from tseval.io.formats import Import, Imported
from tseval.io.tables import Table, TableReader, texts_of
from tseval.parallel.runs import ParallelRunReader
from tseval.records import frozen

if TYPE_CHECKING:
    import pandas as pd

    from tseval.arrays import FloatArray
    from tseval.io.given import Given

NO_CLUSTERS = "these measures need clusters"
REMARKS_SHOWN = 5
beside = partial(declared.file_option, not_within=(declared.CURVE, declared.REPORT))
chosen = partial(declared.option, not_within=(declared.CURVE,))


@frozen
class ClusterInputs:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    runs: Sequence[Given] = declared.argument("RUN", "one or more runs", schema.POSTS, several=True)
    clusters: Given = declared.argument("CLUSTERS", "the file of clusters", schema.CLUSTERS)
    qrels: Given | None = beside(
        "What assessors thought of posts: topic Q0 post grade.", table=files.QRELS
    )
    epochs: Given | None = beside(
        "The times of posts: post YYYYMMDD epoch.",
        table=schema.EPOCHS,
        needed_by=("times=epochs",),
    )
    live: Given | None = beside("Live judgments: topic post label.", table=files.LIVE)
    live_epochs: Given | None = beside(
        "The times of the posts of live judgments. Default: as --epochs.", table=schema.EPOCHS
    )
    selected: Given | None = declared.file_option(
        "The selected posts: a table `topic post_id [run] [cluster_id]`. cluster_id is the "
        "cluster of the post itself.",
        table=files.SELECTED,
        not_within=(declared.CURVE, declared.REPORT, "--sample", *declared.STREAMS),
    )


@frozen
class ClusterOptions:
    """How clusters get their times and topic, and how posts are selected.

    Selected posts are those whose latency and redundancy count: a sample, else those that the run
    or a file says, else all.
    """

    times: str | None = chosen(
        "The source of the times of clusters. Default: their file, else --epochs.",
        choices=files.TIMES,
    )
    topic: str | None = chosen(
        "The topic of clusters in two columns. Default: the file's name.", metavar="NAME"
    )
    sample: int | None = declared.option(
        "Select up to N posts per run and topic, from the posts in clusters.",
        metavar="N",
        at_least=1,
        needed_by=("sampling=random",),
        not_within=(declared.CURVE, *declared.STREAMS),
    )
    sampling: str = chosen(
        "How to select posts: by highest confidence, or at random.",
        default=declared.SAMPLINGS[0],
        choices=declared.SAMPLINGS,
    )
    seed: int = chosen("Seed of all random draws.", default=0)


GROUPS, PUSHES, LISTS, LIVE = "groups", "pushes", "lists", "live"
"""What measures are taken from: reports of clusters, pushed posts, daily lists, live judgments."""
NEEDS = (
    dict.fromkeys((each.name for each in measures.OF_PUSHES), PUSHES)
    | dict.fromkeys((each.name for each in measures.OF_LISTS), LISTS)
    | dict.fromkeys((each.name for each in measures.OF_LIVE), LIVE)
)


def need_of(measure: Measure) -> str:
    """Return what a measure is taken from."""
    return NEEDS.get(measure.definition.name, GROUPS)


def define_zeros(values: Values) -> Values:
    """Return values of which those that are undefined are 0."""
    return Values(values.value, np.ones_like(values.defined))


def year_of(rules: ClusterRules, tables: Mapping[str, Table]) -> int | None:
    """Return the year of times that have none: that of the evaluation, or of the clusters."""
    if isinstance(rules, PushRules):
        return rules.days[0] // 10_000
    if "clusters" not in tables:
        return None
    return int(days_of(tables["clusters"].frame["time"].head(1))[0]) // 10_000


def select_posts(
    options: ClusterOptions, tables: Mapping[str, Table]
) -> tuple[pl.DataFrame | None, str]:
    """Return the posts that a file or the runs select, and how posts are selected in words."""
    posts = tables["runs"].frame
    if "selected" in tables:
        return rows.select_by_file(tables["selected"], posts), "file"
    if options.sample is not None:
        seed = f",seed={options.seed}" if options.sampling == declared.RANDOM else ""
        return None, f"{options.sampling}({options.sample}{seed})"
    if "selected" not in posts.columns:
        return None, "all"
    named = pl.col("named") if "named" in posts.columns else pl.lit(None, pl.String)
    return posts.with_columns(selected=pl.col("selected") != 0, named=named), "column"


@frozen(kw_only=True)
class ClusterEvaluation(FrameEvaluation):
    """Runs and clusters; they are joined when a measure asks for it."""

    words: ClassVar[Words] = Words("posts", pooled_by="proposal")
    readers: ClassVar[Mapping[str, TableReader]] = files.READERS
    trait_names: ClassVar[Mapping[str, str]] = {"live_epochs": "live-epochs"} | {
        "selected": "selection"
    }

    frames: Any
    """The request: measures take joins of its tables, of which `selection` is one."""

    @classmethod
    def read_tables(
        cls, inputs: ClusterInputs, options: ClusterOptions, rules: ClusterRules, access: Access
    ) -> dict[str, Table]:
        """Read every input that is given; a fault in any of them is an `InputError`.

        The live measures alone need no clusters; where there are live judgments, posts of clusters
        may lack a time, and are then left out with a warning.
        """
        tables = read_inputs(inputs, access, files.BESIDE, by_name=files.BESIDE)
        needs = {need_of(each) for each in measures_of(access.wanted, measures.NAME)}
        is_needed = inputs.live is None or bool(needs - {LIVE})
        is_needed |= not needs and inputs.qrels is not None

        def read_clusters(posts: Table | None = None) -> None:
            tables["clusters"] = files.read_clusters(
                inputs.clusters,
                access.form("clusters"),
                files.choose_clock(options.times, tables.get("epochs"), posts),
                options.topic,
                replaces_times=options.times is not None,
                may_lack_times=inputs.live is not None,
            )

        if is_needed and options.times != "run":
            read_clusters()
        if access.runs is None:
            repeats = isinstance(rules, PushRules) and rules.repeated_posts == "keep"
            reader = files.posts_reader(year_of(rules, tables), repeats=repeats)
            form, spread = access.form("run"), ParallelRunReader(access.sharing)
            tables["runs"] = files.read_posts(inputs.runs, reader, form, spread)
        if is_needed and options.times == "run":
            read_clusters(tables["runs"])
        if isinstance(rules, PushRules) and rules.topic_prefix and "qrels" in tables:
            topic = pl.col("topic").str.replace("^([0-9]+)$", f"{rules.topic_prefix}${{1}}")
            frame = tables["qrels"].frame.with_columns(topic)
            tables["qrels"] = replace(tables["qrels"], frame=frame)
        return tables

    @classmethod
    def build(cls, request: Request) -> Content:
        """Give posts numbers, and runs and topics the types by which tables are joined."""
        tables, options = dict(request.tables), request.options
        posts = tables["runs"]
        tables["runs"] = replace(posts, frame=posts.frame.with_row_index("post"))
        topics = (table.frame["topic"] for name, table in tables.items() if "epochs" not in name)
        types = {"topic": natural(pl.concat([each.unique() for each in topics]))}
        types["run"] = natural(posts.runs)
        for name, table in tables.items():
            present = {each: types[each] for each in types if each in table.frame.columns}
            tables[name] = replace(table, frame=table.frame.cast(present, strict=False))  # type: ignore[arg-type]
        selection, selected = select_posts(options, tables)
        is_push = isinstance(request.rules, PushRules)
        traits = {
            "times": options.times or "",
            "selected": "" if is_push and selected == "all" else selected,
        }
        if selection is not None:
            tables["selection"] = replace(posts, frame=selection)
        joined: Any = request._replace(tables=tables)
        return Content(joined, traits=traits)

    @cached_property
    def reports(self) -> Content:
        """What latency, redundancy and coverage are taken from: there a post is returned once."""
        options = self.frames.options
        sample = (options.sample, options.sampling, options.seed) if options.sample else None
        if isinstance(self.edition.rules, PushRules):
            rows.refuse_repeats(self.frames.tables["runs"])
        self.require("clusters", NO_CLUSTERS)
        return rows.index_reports(self.frames.tables, sample, self.frames.others)

    @cached_property
    def days(self) -> Content:
        """What the measures of days are taken from."""
        rules, edition = self.push_rules("the measures of days"), self.edition.name
        self.require("qrels", f"edition {edition} needs the qrels: --qrels FILE")
        tables = dict(self.frames.tables)
        if "epochs" not in tables and self.frames.options.times == "snowflake":
            with_ids = [tables[name] for name in ("runs", "clusters") if name in tables]
            ids = pl.concat(each.frame["post_id"] for each in with_ids).unique()
            epochs = pl.DataFrame({"post_id": ids, "time": snowflake_times(ids)}).drop_nulls()
            epochs = epochs.with_columns(day=days_of(epochs["time"]))
            tables["epochs"] = replace(tables["runs"], frame=epochs)
        elif "epochs" not in tables:
            why = f"edition {edition} needs to know when posts were created"
            raise UsageError(f"{why}: --epochs FILE, or --times snowflake")
        self.require("clusters", NO_CLUSTERS)
        return rows.index_days(tables, rules, edition)

    @cached_property
    def judgments(self) -> Content:
        """What the live measures are taken from."""
        rules, tables = self.push_rules("the live measures"), self.frames.tables
        self.require("live", "the live measures need live judgments: --live FILE")
        if "live_epochs" not in tables:
            self.require("epochs", "the live measures need --epochs FILE, or --live-epochs FILE")
            tables = {**tables, "live_epochs": tables["epochs"]}
        if not rules.live_labels:
            raise UsageError(f"edition {self.edition.name} had no live judgments")
        if self.are_lists:
            raise UsageError("daily lists have no push times: the live measures need runs A")
        return rows.index_live(tables, rules)

    def require(self, name: str, refusal: str) -> None:
        """Refuse measures that need an input which is not given."""
        if name not in self.frames.tables:
            raise UsageError(refusal)

    @cached_property
    def are_lists(self) -> bool:
        """Whether the runs are daily lists."""
        return bool((self.frames.tables["runs"].frame["day"] != 0).any())

    @property
    def index(self) -> FrameIndex:
        """What is followed over time."""
        return self.reports.frames

    def push_rules(self, what: str) -> PushRules:
        """Return the rules of a push evaluation; other editions are refused."""
        if isinstance(self.edition.rules, PushRules):
            return self.edition.rules
        push = ", ".join(each.name for each in EDITIONS if isinstance(each.rules, PushRules))
        raise UsageError(f"{what} need the rules of an edition: --edition {push}")

    def pools(self, measure: Measure) -> bool:
        """Return whether `all` of a measure is that of all topics' posts together."""
        return measure.definition.may_pool and self.edition.rules.mean == rows.POSTS

    def content_of(self, measure: Measure) -> Content:
        """Return what a measure is taken from; what it lacks is a `UsageError`."""
        need = need_of(measure)
        if need == GROUPS:
            if self.are_lists:
                raise UsageError(f"{measure}: daily lists have no times; it needs runs A")
            return self.reports
        if need == LIVE:
            return self.judgments
        content = self.days
        if self.are_lists != (need == LISTS):
            kinds = ("runs A", "daily lists")
            kind, other = kinds[::-1] if self.are_lists else kinds
            raise UsageError(f"{measure} is not for {kind}, but for {other}")
        if measure.definition.reads and self.edition.rules.gain != "discounted":
            cure = "--rule gain=discounted"
            raise UsageError(f"{measure} needs the discounted gains of 2015: {cure}")
        return content

    def index_of(self, measure: Measure) -> FrameIndex:
        """Return what a measure is taken from; what it lacks is a `UsageError`."""
        return self.content_of(measure).frames

    def take(self, measure: Measure, known: dict[Measure, Result]) -> Column:
        """Return a measure at its time; latencies and shares of no post are as the rule says."""
        column = super().take(measure, known)
        if need_of(measure) == GROUPS or self.edition.rules.no_posts != "zero":
            return column
        runs = column.runs and define_zeros(column.runs)
        return replace(column, values=define_zeros(column.values), runs=runs)

    def times_of(self, measure: Measure, index: FrameIndex) -> FloatArray:
        """Return when a measure is taken in each unit; those of days are of the whole."""
        if need_of(measure) == GROUPS:
            return super().times_of(measure, index)
        return np.full(index.units, np.inf)

    def default_measures(self) -> Sequence[str]:
        """Return those that the edition has for such inputs."""
        if not isinstance(self.edition.rules, PushRules):
            return self.edition.measures
        lists = [each.name for each in measures.OF_LISTS]
        batch = lists if self.are_lists else list(self.edition.measures)
        live = [each.name for each in measures.OF_LIVE] if "live" in self.frames.tables else []
        return live if live and "qrels" not in self.frames.tables else [*batch, *live]

    def has_times(self, measure: Measure) -> bool:
        """Return whether it has a value at any time; those of days and live judgments have none."""
        return need_of(measure) == GROUPS

    follows = has_times

    def caveats(self, wanted: Sequence[Measure]) -> Iterator[str]:
        """Yield what is not wrong, but what a reader of these measures should know."""
        contents = {id(each): each for each in map(self.content_of, wanted)}.values()
        is_selective = any(m.definition.may_pool and not m.has("unique") for m in wanted)
        tables, posts = self.frames.tables, self.frames.tables["runs"]
        clusters = tables.get("clusters")
        remarks = () if clusters is None else clusters.notes
        yield from map(str, remarks[:REMARKS_SHOWN])
        if len(remarks) > REMARKS_SHOWN:
            yield f"{len(remarks) - REMARKS_SHOWN} more such remarks; `tseval validate` lists all"
        for name, what in (("qrels", "grade"), ("live", "label")):
            if name in tables:
                values, known = tables[name].frame[what].to_numpy(), files.KNOWN_VALUES[what]
                yield from warn_of_numbers(name, what, values, known)
        topics = {topic for each in contents for topic in each.frames.topics}
        if not self.are_lists:  # which have no times
            found = [] if clusters is None else spans(clusters.frame, "clusters")
            yield from years_apart([*spans(posts.frame), *found], topics)
        yield from warn_of_topics(posts.frame, topics, "judged")
        is_chosen = "selection" in tables or self.frames.options.sample is not None
        if is_chosen and not is_selective:
            yield "none of these measures reads which posts are selected"
        for content in contents:
            yield from content.warnings
            if is_selective and "reports" in content.frames.frames:
                yield from self.warn_of_columns()
                yield from rows.warn_of_several(content.frames)

    def warn_of_columns(self) -> Iterator[str]:
        """Yield the columns of the runs that are not read, and why."""
        posts = self.frames.tables["runs"]
        by = "--selected" if "selected" in self.frames.tables else "--sample"
        is_chosen = "selected" in self.frames.tables or self.frames.options.sample is not None
        if is_chosen and ("selected" in posts.frame.columns or posts.notes):
            both = "cluster_id" in posts.frame.columns and not posts.notes
            columns = 'columns "selected" and "cluster_id" are' if both else 'column "selected" is'
            yield f"the runs' {columns} not read: {by} says which posts are selected"
        else:
            yield from posts.notes


class ClusterGold(FrameGold):
    """The clusters, to which posts are held as they come: each that is in one is kept."""

    evaluation = ClusterEvaluation

    def __init__(
        self, inputs: ClusterInputs, options: ClusterOptions, *more: Any, **known: Any
    ) -> None:
        super().__init__(inputs, options, *more, **known)
        tables = self.request.tables
        if "clusters" not in tables:
            raise UsageError(NO_CLUSTERS)
        self.reader = files.posts_reader(year_of(self.request.rules, tables))
        self.members = tables["clusters"].frame.select(rows.POST).unique()

    def evaluate(self, runs: Table, others: pl.DataFrame) -> FrameEvaluation:
        """Return the evaluation of some posts."""
        if "selected" in runs.frame.columns:
            raise UsageError('a column "selected" needs all posts at once')
        return super().evaluate(files.complete_posts(runs), others)

    def keep(self, rows: pl.DataFrame) -> pl.Series:
        """Return which posts are in a cluster."""
        post = pl.struct("topic", "post_id")
        return rows.select(post.is_in(self.members.select(post).to_series().implode())).to_series()


def import_sample(runs: Sequence[Given], given: files.SampleOptions) -> Imported:
    """Import posts of each run, or of each run and topic, in the order of names and ids.

    Of several texts of a post, which any of the runs may have, the first stands.
    """
    declared.check_values((given,), {})
    named = (text.partition("=") for text in given.rules)
    rules = rows.SampleRules().changed(each_once((n.strip(), v.strip()) for n, _, v in named))
    posts = files.read_posts(runs, files.posts_reader(given.year, text=True)).frame
    if "text" in posts.columns:
        posts = posts.with_columns(pl.col("text").drop_nulls().first().over(rows.POST))
    sampling = given.sampling or declared.SAMPLINGS[0]
    drawn = rows.draw(posts, given.size, sampling, given.seed, rules.per)
    drawn = drawn.sort("run", *rows.POST).with_columns(cluster_id="post_id")
    names = ["run", "topic", "post_id", "cluster_id", "time"]
    names += [name for name in ("confidence", "text") if name in posts.columns]
    columns: dict[str, Sequence[str]] = {name: texts_of(drawn[name]) for name in names}
    return Imported(columns, () if posts.height else ("the runs are empty",))


def sample_posts(
    runs: Given | Sequence[Given],
    size: int,
    *,
    sampling: str = "confidence",
    seed: int = 0,
    year: int | None = None,
    rules: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Return posts for assessors to cluster, as a frame.

    It is what `tseval import sample` writes: `size` posts of each run, with `rules={"per":
    "topic"}` of each run and topic. `score_clusters` takes it for `selected` once there are
    clusters.
    """
    import pandas as pd

    several: Any = list(runs) if isinstance(runs, list | tuple) else [runs]
    named = tuple(f"{name}={value}" for name, value in (rules or {}).items())
    sample = import_sample(several, files.SampleOptions(size, sampling, seed, year, named))
    frame = pd.DataFrame(sample.columns, dtype=str)
    for name in ("time", "confidence"):
        if name in frame:
            frame[name] = pd.to_numeric(frame[name])
    return frame


IMPORT_RUN = Import(
    "rts-run",
    "runs of scenario A of Real-Time Summarization",
    files.import_run,
    files.RunOptions,
)
IMPORT_SAMPLE = Import(
    "sample",
    "posts of runs for assessors to cluster, and for --selected of `tseval clusters`",
    import_sample,
    files.SampleOptions,
    several=True,
    table=files.posts_reader(text=True).schema,
    kind="run",
)
IMPORT_CLUSTERS = Import(
    "clusters",
    "assessors' clusters in two columns, or in the JSON of Microblog 2015, RTS 2016, RTS 2017 and "
    "CrisisFACTS",
    files.import_clusters,
    files.ClusterHelpers,
    table=schema.CLUSTERS,
)
FORMATS = (
    files.format_of("live", files.is_live, files.LIVE_READER),
    files.format_of("run", files.is_run_or_list, files.RUN_FILES, IMPORT_RUN, IMPORT_SAMPLE),
    files.format_of("qrels", files.are_qrels, files.QRELS_READER),
    files.format_of("epochs", are_epochs, EPOCHS_READER),
    files.format_of(
        "clusters without times", files.shows_listing, files.LISTING_READER, IMPORT_CLUSTERS
    ),
)
"""The files of the push evaluations, for `tseval validate` and `tseval import`."""

edition_of = partial(Edition, family=measures.NAME, on_missing="zero")
OF_BOTH_YEARS = ("GMP.33", "GMP.5", "GMP.66", "latency-mean", "latency-median", "length")
EDITIONS = (
    edition_of(
        name="proposal",
        summary="latency and redundancy of selected posts, as the Incident Streams proposal has"
        " them",
        measures=("latency", "redundancy", "redundancy(unique)", "coverage"),
        leading=("latency", "redundancy", "coverage"),
        citation=measures.PROPOSAL,
        rules=ClusterRules(),
    ),
    edition_of(
        name="mb2015",
        summary="what the official script of Microblog 2015, scenario A, computes",
        measures=("ELG", "nCG", "length"),
        leading=("ELG", "nCG"),
        citation=measures.OVERVIEW_2015,
        rules=PushRules(
            days=tuple(range(20150720, 20150730)),
            gains={-1: 0.0, 3: 0.5, 4: 1.0},
            topic_prefix="MB",
            gain="discounted",
            early_posts="keep",
            delays="signed",
        ),
    ),
    edition_of(
        name="rts2016",
        summary="what the official scripts of Real-Time Summarization 2016 compute",
        measures=("EG-1", "EG-0", "nCG-1", "nCG-0", *OF_BOTH_YEARS),
        leading=("EG-1", "nCG-1", "GMP.5", "latency-mean"),
        citation=measures.OVERVIEW_2016,
        rules=PushRules(
            days=tuple(range(20160802, 20160812)),
            gains={-1: 0.0, 3: 0.5, 4: 1.0},
            live_labels={2: RELEVANT, 1: REDUNDANT, -1: NOT_RELEVANT},
            live_other=NOT_RELEVANT,
            clock_offset=139.0,
            live_votes="labels",
            live_early="judged",
            live_latency="created",
            live_period="closed",
            live_limit="day",
            live_times="last",
        ),
    ),
    edition_of(
        name="rts2017",
        summary="what the official scripts of Real-Time Summarization 2017 compute",
        measures=("EG-p", "EG-1", "nCG-p", "nCG-1", *OF_BOTH_YEARS),
        leading=("EG-p", "nCG-p", "GMP.5", "latency-mean"),
        citation=measures.OVERVIEW_2017,
        rules=PushRules(
            days=(*range(20170729, 20170732), *range(20170801, 20170806)),
            gains={-2: 0.0},
            live_labels={1: RELEVANT, 2: REDUNDANT, 0: NOT_RELEVANT},
        ),
    ),
)
FAMILY = Family(
    name=measures.NAME,
    command="clusters",
    summary="Score latency, redundancy and pushed posts against assessors' clusters.",
    description="""\
\b
tseval clusters fixtures/runs/*.tsv fixtures/clusters.tsv --sample 5 -q

RUN is a table `topic post_id time`, a table of updates, a run in the format of the Incident
Streams proposal, or a run of scenario A or B of Real-Time Summarization. CLUSTERS is a table
`topic cluster_id post_id time`, or assessors' clusters in two columns or in JSON. All files may
be compressed; `-` is standard input.
""",
    inputs=ClusterInputs,
    options=ClusterOptions,
    definitions=measures.DEFINITIONS,
    editions=EDITIONS,
    read=ClusterEvaluation.read,
    gold=ClusterGold,
    views=(View.of(explain.clusters, needs=("coverage",)),),
    knows=files.CLUSTERS_READER.holds,
    over="clusters",
    curves=True,
    batches=True,
    schemas=(schema.CLUSTERS, schema.POSTS),
    formats=FORMATS,
    words=ClusterEvaluation.words,
)
