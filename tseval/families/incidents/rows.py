"""From tables to rows: the labelled posts, what each run says of them, and its alerts in order."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tseval.core.frames import FrameIndex
from tseval.core.kernel import FINE, add_parts, quotient
from tseval.core.measure import Measure
from tseval.errors import UsageError, check_known
from tseval.families.incidents.files import FLAG, HIGH, MARK, NUMBER, UNKNOWN
from tseval.families.incidents.rules import IncidentRules
from tseval.io.epochs import clock_of, snowflake_times
from tseval.io.tables import Table
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, FloatArray, IntArray
    from tseval.core.results import Batches

PRIORITIES = {1: 0.25, 2: 0.5, 3: 0.75, 4: 1.0}
"""Each level as a number; an unknown one has none."""
CELLS_AT_ONCE = 1_000_000
"""How many types of replies are looked at at a time, or those of one run."""
SUM_KEYS = ("unit", "type", "level")
"""The columns of sums that are no amounts."""
MISSED = -1.0
"""What a missed alert is worth, and the least that a false one can be."""
RENAMED = {
    "Other-ContinuingNews": "Report-News",
    "Other-PastNews": "Other-ContextualInformation",
    "Other-KnownAlready": "Report-OriginalEvent",
    "Report-SignificantEventChange": "Report-NewSubEvent",
}
"""The types of 2018 that have another name since 2019."""


def short_name(name: str) -> str:
    """Return the part of a type's name after its hyphen, by which labels call it."""
    return name.partition("-")[2] or name


def type_places(types: Sequence[str], *, renamed: bool) -> dict[str, int]:
    """Return the place of every type by its full and its short name.

    `renamed` knows the names of other years too.
    """
    full = {name: at for at, name in enumerate(types)}
    own = {short_name(name): at for name, at in full.items()} | full
    pairs = [*RENAMED.items(), *((new, old) for old, new in RENAMED.items())] if renamed else []
    known = {other: own[here] for other, here in pairs if here in own}
    return {short_name(name): at for name, at in known.items()} | known | own


def places_of(types: Sequence[str], names: Sequence[str]) -> list[int]:
    """Return the places of types that a user names; an unknown one is a `UsageError`."""
    places = type_places(types, renamed=False)
    for name in names:
        if name not in places:
            check_known("type", name, types)
    return list(dict.fromkeys(places[name] for name in names))


@frozen
class TypedRows:
    """The types of the rows of a table, a row each; and what was odd about them."""

    rows: pl.DataFrame
    """`row type number`; the number is null where there is none."""
    unknown: Mapping[str, int]
    """How often each name stands there that the ontology does not know."""
    short: Mapping[str, int]
    """How often each type stands there by another than its full name."""
    odd: Mapping[int, int]
    """How many lists of numbers have each length that is not the number of types."""
    is_weighed: bool
    """Whether numbers decide which types are given."""

    @property
    def without_rows(self) -> TypedRows:
        """Return what was odd alone."""
        return replace(self, rows=self.rows.clear())


def find_types(
    frame: pl.DataFrame, types: Sequence[str], least: float | None, *, renamed: bool
) -> TypedRows:
    """Return the types that rows give, of those with a number the ones from `least` on."""
    rows, number = frame.select("coded").with_row_index("row"), pl.col("number")
    coded, times = pl.col("coded").cast(pl.String), pl.col("times")
    texts = rows.group_by("coded").agg(times=pl.len().cast(pl.Int64))
    texts = texts.with_columns(
        is_flagged=coded.str.starts_with(FLAG),
        size=coded.str.count_matches(MARK),
        each=coded.str.strip_prefix(FLAG).str.split(MARK),
    )
    is_vector = pl.col("is_flagged") | pl.col("each").list.first().str.starts_with(NUMBER)
    texts = texts.with_columns(is_vector=is_vector)
    parts = pl.col("each").str.splitn(NUMBER, 2).struct.rename_fields(["name", "number"])
    place = pl.int_range(pl.len(), dtype=pl.Int64).over("coded")
    each = texts.explode("each").with_columns(parts.struct.unnest(), place=place)
    each = each.filter(pl.col("each") != "").with_columns(number.cast(pl.Float64, strict=False))
    is_weighed = each.select((number.is_not_null() & ~pl.col("is_flagged")).any()).item()
    is_given = number.is_null() | pl.col("is_flagged") | (number >= (least or 0.0))
    alphabetical = sorted(range(len(types)), key=lambda at: types[at].lower())
    by_place = pl.col("place").replace_strict(
        range(len(types)), alphabetical, default=None, return_dtype=pl.UInt32
    )
    by_name = pl.col("name").replace_strict(
        type_places(types, renamed=renamed), default=None, return_dtype=pl.UInt32
    )
    kind = pl.when("is_vector").then(by_place).otherwise(by_name)
    each = each.filter(is_given).with_columns(type=kind)
    named = (
        each.filter(~pl.col("is_vector")).group_by("name", "type").agg(times.cast(pl.Int64).sum())
    )
    counts = list(named.iter_rows())
    known = each.drop_nulls("type").group_by("coded", "type").agg(number.max())
    sizes = texts.filter(pl.col("is_vector") & (pl.col("size") != len(types)))
    return TypedRows(
        rows.join(known, on="coded", maintain_order="left").select("row", "type", "number"),
        unknown={name: times for name, at, times in counts if at is None},
        short={n: times for n, at, times in counts if at is not None and n != types[at]},
        odd=dict(sizes.group_by("size").agg(times.cast(pl.Int64).sum()).sort("size").iter_rows()),
        is_weighed=is_weighed,
    )


def add_ancestors(rows: pl.DataFrame, ontology: pl.DataFrame) -> pl.DataFrame:
    """Return typed rows with all ancestors of their types, each with the highest number."""
    names = ontology["type"].to_list()
    parents = dict(ontology.select("type", "parent").iter_rows())
    pairs = []
    for at, name in enumerate(names):
        while name is not None:
            pairs.append((at, names.index(name)))
            name = parents[name]
    above = pl.DataFrame(pairs, schema={"type": pl.UInt32, "above": pl.UInt32}, orient="row")
    rolled = rows.join(above, on="type", maintain_order="left").drop("type")
    rolled = rolled.rename({"above": "type"})
    return rolled.group_by("row", "type", maintain_order=True).agg(pl.col("number").max())


@frozen
class Stream(FrameIndex):
    """Runs and labels side by side; the topics are the events, in the order of the labels."""

    tables: Mapping[str, Table]
    """The inputs."""
    of_labels: TypedRows
    """What was odd about the types of labels."""
    of_runs: TypedRows
    """What was odd about the types of runs."""
    unscored: Mapping[str, int]
    """How many labels each event has that is none of the topics."""
    unknown_levels: int
    """How many labels tell no priority."""
    types: tuple[str, ...]
    rules: IncidentRules
    judged: pl.DataFrame
    """`j topic post_id level own_level time`: a row each time that a labelled post counts."""
    truth: pl.DataFrame
    """`j type` of the labels."""
    asked: pl.DataFrame | None
    """`j type` for which posts were judged; None where for all."""
    lines: pl.DataFrame
    """`i run event topic post_id j rank priority scaled is_alert` of every line of the runs."""
    given: pl.DataFrame
    """`i type` of the lines."""
    replies: pl.DataFrame
    """`run j topic i time level own_level scaled is_alert` of every run and judged post.

    Where a run has a post twice, its last line counts; where it lacks it, `i` is null.
    """
    posts: pl.DataFrame
    """The replies that count, each with its `unit`."""
    size: int
    """How many units there are."""
    shared: dict[str, Any] = field(default_factory=dict)
    """What is computed once for all parts of the stream."""
    sums: dict[Any, pl.DataFrame] = field(init=False, default_factory=dict)
    """What measures add up of the posts that count: by unit, and by run."""

    def add_up(
        self, of: Callable[[Stream, pl.DataFrame], pl.DataFrame], *, by_run: bool
    ) -> pl.DataFrame:
        """Return the whole numbers that a function adds up of the posts by unit, or by run."""
        if (of, by_run) not in self.sums:
            if by_run:
                units = self.size // len(self.runs)
                sums = self.add_up(of, by_run=False).with_columns(pl.col("unit").floordiv(units))
                keys = [name for name in SUM_KEYS if name in sums.columns]
                names = [n for n in sums.columns if n not in keys and not n.endswith(FINE)]
                sums = add_parts([sums], names, keys)
            else:
                parts = (of(self, posts) for posts in self.split_runs(self.posts))
                sums = pl.concat(parts, how="diagonal")
            self.sums[of, by_run] = sums
        return self.sums[of, by_run]

    def split_runs(self, rows: pl.DataFrame) -> Iterator[pl.DataFrame]:
        """Yield the rows of some runs after the other, to hold what is made of few at a time."""
        rows_at_once = CELLS_AT_ONCE // max(1, len(self.types))
        runs = max(1, rows_at_once * len(self.runs) // max(1, self.replies.height))
        for first in range(0, len(self.runs), runs):
            yield rows.filter(pl.col("run").is_between(first, first + runs - 1))

    def with_posts(self, posts: pl.DataFrame) -> Stream:
        """Return the same where these replies count.

        What the runs said stays as it is: the false alerts before a post are counted as ever.
        """
        return replace(self, posts=posts.with_columns(unit=self.unit))

    @property
    def unit(self) -> pl.Expr:
        """The number of the (run, event) of a reply."""
        return pl.col("run") * len(self.topics) + pl.col("topic")

    def before(self, times: FloatArray) -> Stream:
        """Return the same of the posts made before the time of their event."""
        limits = pl.Series(times[: len(self.topics)])
        return self.with_posts(
            self.posts.filter(pl.col("time") < limits.gather(self.posts["topic"]))
        )

    def in_batches(self, batches: Batches) -> Stream:
        """Return the same where each batch of each (run, event) is a unit."""
        place = pl.Series(batches.of(self.posts["topic"].to_numpy(), self.posts["time"].to_numpy()))
        posts = self.posts.with_columns(unit=self.unit * batches.most + place).filter(place >= 0)
        return replace(self, posts=posts, size=self.units * batches.most)

    def without_absent(self) -> Stream:
        """Return the same without the events of which a run has no post."""
        return self.with_posts(
            self.posts.filter(pl.col("i").is_not_null().any().over("run", "topic"))
        )

    @property
    def has_levels(self) -> bool:
        """Whether any of the labels tells a priority."""
        frame = self.tables["labels"].frame
        return "level" in frame.columns and frame["level"].is_not_null().any()

    @cached_property
    def present(self) -> BoolArray:
        """Which (run, event) have a line of any judged post."""
        there = self.replies.select("i", unit=self.unit).drop_nulls()
        return self.having(there["unit"].to_numpy())

    @cached_property
    def sent(self) -> tuple[IntArray, FloatArray]:
        """The unit and the time of every judged post that a run has."""
        there = self.replies.select("i", "time", unit=self.unit.cast(pl.Int64)).drop_nulls("i")
        return there["unit"].to_numpy(), there["time"].to_numpy()

    @property
    def actionable(self) -> list[int]:
        """The places of the types that call for action."""
        places = type_places(self.types, renamed=self.rules.type_names == "renamed")
        return sorted({places[name] for name in self.rules.actionable if name in places})

    def members(self, measure: Measure) -> list[int]:
        """Return the types that a measure is about."""
        if measure.has("actionable"):
            return self.actionable
        others = set(self.actionable) if measure.has("other") else set()
        return [at for at in range(len(self.types)) if at not in others]

    def names_of(self, rows: pl.DataFrame, key: str, name: str) -> pl.DataFrame:
        """Return the types of each row of `key type` with commas between."""
        names = pl.lit(pl.Series(self.types, dtype=pl.String)).gather("type")
        return rows.sort(key, "type").group_by(key).agg(names.str.join(",").alias(name))

    def check_times(self) -> None:
        """Refuse events of whose posts some have a time, where posts are taken by time."""
        if self.rules.order != "time":
            return
        has_time = pl.col("time").is_not_null()
        by_event = self.replies.drop_nulls("i").group_by("topic")
        events = by_event.agg(is_odd=has_time.any() & ~has_time.all()).filter("is_odd")
        for topic in events["topic"].sort()[:1]:
            raise UsageError(
                f"some posts of event {self.topics[topic]} have a time and others have none: give "
                "--epochs FILE, or choose --order rank or --order file"
            )

    @property
    def worth(self) -> pl.DataFrame:
        """`run j is_high worth` of every post in the alerts of every run."""
        if "worth" not in self.shared:
            parts = (each.select("run", "j", "is_high", "worth") for each in self.follow_alerts())
            self.shared["worth"] = pl.concat(parts)
        rows: pl.DataFrame = self.shared["worth"]
        return rows

    def follow_alerts(self) -> Iterator[pl.DataFrame]:
        """Yield every post in the order in which a reader of a run meets it, with its worth."""
        rules = self.rules
        by_line, over_events = rules.alert_posts == "lines", rules.delta == "run"
        by = {"file": [], "rank": ["rank"], "time": ["time"]}[rules.order]
        is_merged = over_events and not by_line and rules.order != "rank"
        order = ["run", *(["stream"] if not is_merged else []), *by, "i", "name"]
        lines = self.lines.with_columns(stream=pl.col("i").min().over("run", "event"))
        lines = lines.select("run", "j", "stream", "i", "is_alert", "scaled")
        for replies in self.split_runs(self.replies):
            rows = replies.with_columns(overlap=self.overlaps(replies), stream="topic")
            if by_line:
                labelled = rows.drop("stream", "i", "is_alert", "scaled")
                rows = lines.join(labelled, on=["run", "j"], maintain_order="left")
            rows = rows.with_columns(rank=self.lines["rank"].gather(rows["i"]))
            rows = rows.sort(order, nulls_last=True, maintain_order=True)
            yield self.add_worth(rows, ["run"] if over_events else ["run", "stream"])

    def add_worth(self, rows: pl.DataFrame, group: Sequence[str]) -> pl.DataFrame:
        """Return posts in order, each with the false alerts in a row before it and its worth."""
        rules, overlap = self.rules, pl.col("overlap")
        alert, high = pl.col("is_alert"), pl.col("level") >= HIGH
        false = (alert & ~high).cast(pl.Int64)
        after = (alert & ~high).cast(pl.Int64).cum_sum()
        last = pl.when(alert & high).then(after).shift(1).forward_fill().fill_null(0)
        rows = rows.with_columns(is_high=high, delta=(after - false - last).over(group))
        number = pl.col("delta") + int(rules.delta_counts == "with")
        log = (quotient(number.cast(pl.Float64), 2.0) + 1).log()
        log = log if rules.logarithm == "e" else quotient(log, float(np.log(10.0)))
        cost = pl.when(number > 0).then(pl.max_horizontal(-log, MISSED)).otherwise(0.0)
        gain = rules.flat_gain + (1 - rules.flat_gain) * overlap
        of_high = pl.when(alert).then(gain).otherwise(MISSED)
        of_low = pl.when(alert).then(cost).otherwise(overlap)
        return rows.with_columns(worth=pl.when(high).then(of_high).otherwise(of_low))

    def overlaps(self, replies: pl.DataFrame) -> pl.Series:
        """Return the part of the types of each post that its run has: ActC + NAct."""
        if self.rules.alert_types == "ignored":
            return pl.zeros(replies.height, pl.Float64, eager=True)
        acts, is_right = pl.col("type").is_in(self.actionable), pl.col("is_right").fill_null(False)
        each = replies.select("j", "i").with_row_index("row")
        right = self.truth.with_columns(is_right=True)
        given = each.join(self.given, on="i").join(right, on=["j", "type"], how="left")
        said = {"said acts": acts, "said others": ~acts}
        said |= {"both acts": acts & is_right, "both others": ~acts & is_right}
        true = {"true acts": acts, "true others": ~acts}
        for key, rows, counts in (("row", given, said), ("j", self.truth, true)):
            sums = rows.group_by(key).agg(**{n: c.cast(pl.Int64).sum() for n, c in counts.items()})
            each = each.join(sums, on=key, how="left", maintain_order="left")
        share = []
        for kind in ("acts", "others"):
            one, both, other = (pl.col(f"{name} {kind}") for name in ("said", "both", "true"))
            share.append(quotient(both, (one + other - both).clip(1)))
        weight = pl.when(pl.col("true acts") > 0).then(self.rules.actionable_weight).otherwise(0.0)
        overlap = weight * share[0] + (1 - weight) * share[1]
        return each.fill_null(0).select(overlap=overlap)["overlap"]


def name_events(
    labels: pl.DataFrame, topics: pl.DataFrame | None, rules: IncidentRules
) -> tuple[pl.DataFrame, dict[str, int]]:
    """Return the labels of the topics, with the parts of events under one name; and the others.

    The track's events end with their year. An ending that follows no digit is the name's own.
    """
    names = {}
    known = dict(topics.select("number", "topic").iter_rows()) if topics is not None else {}
    for name in labels["topic"].unique():
        cut = (name.removesuffix(part) for part in rules.parts if name.endswith(part))
        whole = next((each for each in cut if each[-1:].isdecimal()), name)
        names[name] = known.get(whole, whole)
    labels = labels.with_columns(pl.col("topic").replace(names))
    if topics is None:
        return labels, {}
    is_scored = pl.col("topic").is_in(topics["topic"].to_list())
    left = labels.filter(~is_scored).group_by("topic", maintain_order=True).len()
    labels = labels.filter(is_scored)
    if labels.is_empty():
        raise UsageError("no label is of an event of the topics: give the topics of these labels")
    return labels, dict(left.iter_rows())


def scale_priorities(lines: pl.DataFrame, rules: IncidentRules) -> pl.DataFrame:
    """Return lines with their priorities scaled by the rules, and which of them are alerts."""
    raw = pl.col("priority")
    low, high = raw.min().over("run"), raw.max().over("run")
    varied = pl.when(high > low).then(quotient(raw - low, high - low)).otherwise(0.0)
    is_scaled = pl.lit(rules.normalise == "always")
    if rules.normalise == "auto":
        is_scaled = ((low < 0) | (high > 1)).fill_null(False)
    scaled = pl.when(is_scaled).then(varied).otherwise(raw)
    if rules.scale_bottom == "clipped":
        scaled = scaled.clip(rules.absent_priority, 1.0)
    alerting = raw if rules.alert_priority == "raw" else scaled
    alerting = alerting.fill_null(rules.absent_priority)
    return lines.with_columns(
        scaled=scaled.fill_null(rules.absent_priority), is_alert=alerting >= rules.alert_from
    )


def judge_posts(labels: pl.DataFrame, rules: IncidentRules) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the labelled posts as the rules count them, and `row j` of the labels of each.

    They count once each, or as often as they were labelled.
    """
    if rules.two_events == "first":
        labels = labels.with_columns(pl.col("topic").first().over("post_id"))
    key = ["post_id"] if rules.join == "post" else ["topic", "post_id"]
    row, level = pl.col("row"), pl.col("level")
    first = row.first().over(key)
    if rules.repeated_labels == "entries":
        last = {"row": row.last().over(key), "level": level.last().over(key)}
        posts = labels.with_row_index("j").with_columns(own_level="level", **last)
        of_row = posts.select("row", "j")
    else:
        labels = labels.with_columns(first=first, level=level.max().over(key))
        posts = labels.filter(row == pl.col("first")).with_row_index("j")
        posts = posts.with_columns(own_level="level")
        of_row = labels.select("row", "first").join(posts.select("first", "j"), on="first")
    name = pl.col("post_id").rank("dense")
    return posts.select("j", "topic", "post_id", "level", "own_level", "time", name=name), of_row


def ask_types(
    labels: pl.DataFrame, true: pl.DataFrame, types: int
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return the labels with the rows of a pool about a post as one, their types, those asked for.

    A row of a pool without an answer is left out; a label of another file asks for all types.
    """
    is_pool, is_known = pl.col("type").is_not_null(), pl.col("relevant").is_not_null()
    labels = labels.filter(~is_pool | is_known)
    first = pl.col("row").first().over("file", "topic", "post_id")
    labels = labels.with_columns(first=pl.when(is_pool).then(first).otherwise("row"))
    rows = labels.select("row", "first", "relevant").join(true, on="row", maintain_order="left")
    every = pl.DataFrame({"type": range(types)}, schema={"type": pl.UInt32})
    every = labels.filter(~is_pool).select("row").join(every, how="cross")
    asked = pl.concat([rows.select(row="first", type="type"), every]).unique()
    true = rows.filter(~is_known | (pl.col("relevant") == 1))
    true = true.select(row="first", type="type", number="number")
    return labels.filter(pl.col("row") == pl.col("first")), true, asked


def join_tables(
    tables: Mapping[str, Table], rules: IncidentRules, entries: Sequence[str]
) -> Stream:
    """Return runs beside labels, by the rules."""
    ontology, labels, runs = (tables[name].frame for name in ("ontology", "labels", "runs"))
    types, renamed = tuple(ontology["type"]), rules.type_names == "renamed"
    of_labels = find_types(labels, types, None, renamed=renamed)
    of_runs = find_types(runs, types, rules.emitted_from, renamed=renamed)
    labels, asked = labels.with_row_index("row"), None
    true, given = of_labels.rows, of_runs.rows
    if "relevant" in labels.columns:
        labels, true, asked = ask_types(labels, true, len(types))
    if rules.ancestors == "rolled-up":
        if ontology["parent"].is_null().all():
            raise UsageError("no type of the ontology has a parent: there is nothing to roll up")
        true, given = add_ancestors(true, ontology), add_ancestors(given, ontology)
        # A post that has a type has its ancestors: so far it was judged for them too.
        asked = None if asked is None else pl.concat([asked, true.select("row", "type")]).unique()
    topics = tables["topics"].frame if "topics" in tables else None
    labels, unscored = name_events(labels, topics, rules)
    events = labels["topic"].unique(maintain_order=True).to_list()
    places = {name: at for at, name in enumerate(events)}
    level = pl.col("level") if "level" in labels.columns else pl.lit(None, pl.Int8)
    labels = labels.with_columns(
        topic=pl.col("topic").replace_strict(places, return_dtype=pl.UInt32),
        level=level.fill_null(UNKNOWN),
        time=find_times(tables, labels),
    )
    judged, of_row = judge_posts(labels, rules)
    kept = sorted(places_of(types, entries)) or range(len(types))
    kind = pl.col("type").replace_strict(
        kept, range(len(kept)), default=None, return_dtype=pl.UInt32
    )

    def of_posts(rows: pl.DataFrame) -> pl.DataFrame:
        return of_row.join(rows, on="row").select("j", type=kind).unique()

    lines, replies = join_runs(tables["runs"], topics, places, judged, rules)
    asked = None if rules.type_posts == "all" else asked
    first, latest = pl.col("time").min().fill_null(math.inf), pl.col("time").max()
    if any(source.is_relative for table in tables.values() for source in table.sources):
        first = pl.lit(0.0)
    times = pl.DataFrame({"topic": places.values()}, schema={"topic": pl.UInt32})
    times = (
        times.join(judged, on="topic", how="left")
        .group_by("topic")
        .agg(start=first.first(), end=pl.lit(-math.inf).first(), latest=latest.fill_null(-math.inf))
    )
    made = Stream(
        runs=tables["runs"].runs,
        topics=tuple(events),
        times=times.sort("topic"),
        outputs=replies,
        frames={},
        tables=tables,
        of_labels=of_labels.without_rows,
        of_runs=of_runs.without_rows,
        unscored=unscored,
        unknown_levels=labels.filter(pl.col("level") == UNKNOWN).height,
        types=tuple(types[at] for at in kept),
        rules=rules,
        judged=judged,
        truth=of_posts(true),
        asked=None if asked is None else of_posts(asked),
        lines=lines,
        given=given.select(i="row", type=kind),
        replies=replies,
        posts=replies,
        size=len(tables["runs"].runs) * len(events),
    )
    return made.with_posts(replies)


def find_times(tables: Mapping[str, Table], labels: pl.DataFrame) -> pl.Series:
    """Return when each labelled post was made: by epochs, labels, runs, or by its id."""
    if "epochs" in tables:
        return clock_of(tables["epochs"].frame)(labels["post_id"])
    for name in ("labels", "runs"):
        frame, has_time = tables[name].frame, pl.col("time").is_not_null().any()
        if "time" in frame.columns and frame.group_by("file").agg(has_time)["time"].all():
            if name == "labels":
                return labels["time"]
            return clock_of(frame.cast({"post_id": pl.String}))(labels["post_id"])
    return snowflake_times(labels["post_id"])


def join_runs(
    runs: Table,
    topics: pl.DataFrame | None,
    events: Mapping[str, int],
    judged: pl.DataFrame,
    rules: IncidentRules,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the lines of the runs, and the reply of every run about every judged post."""
    known = dict(events)
    if topics is not None:
        pairs = topics.select("number", "topic").iter_rows()
        known |= {each: events[name] for each, name in pairs if name in events}

    def place(name: str, places: Mapping[str, int]) -> pl.Expr:
        text = pl.col(name).cast(pl.String)
        return text.replace_strict(places, default=None, return_dtype=pl.UInt32)

    rank = pl.int_range(pl.len()).over("file").cast(pl.Float64)
    rank = pl.coalesce("rank", rank) if "rank" in runs.frame.columns else rank
    lines = runs.frame.with_row_index("i").select(
        "i",
        "priority",
        "post_id",
        run=place("run", {name: at for at, name in enumerate(runs.runs)}),
        event="topic",
        topic=place("topic", known),
        rank=rank,
    )
    lines = scale_priorities(lines, rules)
    key, post = ["post_id"], pl.col("post_id").cast(pl.Categorical).to_physical()
    key += ["topic"] if rules.join == "event" else []
    posts = judged.with_columns(post, last=pl.col("j").last().over(key))
    last = posts.select(*key, j="last").unique(key)
    met = lines.select(post, *key[1:]).join(last, on=key, how="left", maintain_order="left")
    lines = lines.with_columns(met["j"])
    answers = lines.drop_nulls("j").unique(["run", "j"], keep="last")
    answers = answers.select("run", "i", "scaled", "is_alert", last="j")
    every = pl.DataFrame({"run": range(len(runs.runs))}, schema={"run": pl.UInt32})
    posts = posts.select("j", "topic", "time", "level", "own_level", "name", "last")
    replies = every.join(posts, how="cross", maintain_order="left_right")
    replies = replies.join(answers, on=["run", "last"], how="left", maintain_order="left")
    return lines, replies.drop("last").with_columns(
        pl.col("scaled").fill_null(rules.absent_priority), pl.col("is_alert").fill_null(False)
    )
