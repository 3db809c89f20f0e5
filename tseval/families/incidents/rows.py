"""From tables to rows: the labelled posts, what each run says of them, and its alerts in order.

`join_tables` returns a `Stream`. Its frames have `run`, `topic` (the event) and `type` as Enums, in
the order of the inputs, of the labels and of the ontology. A `j` is the number of a labelled post,
an `i` that of a line of the runs; `coded` has the types of a row as one text: see `files`.

`stream["judged"]`
: A row each time that a labelled post counts: `j topic post_id level own_level time name`.

`stream["truth"]`
: `j type` of the labels.

`stream["asked"]`
: `j type` for which posts were judged; it is missing where for all.

`stream["lines"]`
: Every line of the runs: `i run event topic post_id j coded rank priority scaled is_alert`.

`stream["given"]`
: `coded type` of the lines.

`stream["replies"]`
: Every run and judged post: `run j topic i coded time level own_level name scaled is_alert`. Where
  a run has a post twice, its last line counts; where it lacks it, `i` is null.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tseval.core.frames import FrameIndex
from tseval.core.kernel import FINE, KEY, add_parts, quotient
from tseval.core.measure import Measure
from tseval.errors import UsageError, check_known
from tseval.families.incidents.files import FLAG, HIGH, MARK, NUMBER, UNKNOWN
from tseval.families.incidents.rules import IncidentRules
from tseval.io.epochs import clock_of, snowflake_times
from tseval.io.tables import Table
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.arrays import FloatArray
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


def place_of(name: str) -> pl.Expr:
    """Return the place of each run or event among all."""
    return pl.col(name).to_physical().cast(pl.Int64)


def full_names(types: Sequence[str], *, renamed: bool) -> dict[str, str]:
    """Return the name of every type by its full and its short name.

    `renamed` knows the names of other years too.
    """
    own = {short_name(name): name for name in types} | {name: name for name in types}
    pairs = [*RENAMED.items(), *((new, old) for old, new in RENAMED.items())] if renamed else []
    known = {other: own[here] for other, here in pairs if here in own}
    return {short_name(other): name for other, name in known.items()} | known | own


def resolve_types(types: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the types that a user names; an unknown one is a `UsageError`."""
    known = full_names(types, renamed=False)
    for name in names:
        if name not in known:
            check_known("type", name, types)
    return list(dict.fromkeys(known[name] for name in names))


@frozen
class OddTypes:
    """What was odd about the types of a table."""

    unknown: Mapping[str, int]
    """How often each name stands there that the ontology does not know."""
    short: Mapping[str, int]
    """How often each type stands there by another than its full name."""
    sizes: Mapping[int, int]
    """How many lists of numbers have each length that is not the number of types."""
    is_weighed: bool
    """Whether numbers decide which types are given."""


def find_types(
    frame: pl.DataFrame, types: Sequence[str], least: float | None, *, renamed: bool
) -> tuple[pl.DataFrame, OddTypes]:
    """Return `coded type number` of the types that texts give, and what was odd about them.

    Of types with a number these are the ones from `least` on.
    """
    coded, number, times = pl.col("coded").cast(pl.String), pl.col("number"), pl.col("times")
    kinds = pl.Enum(types)
    is_flagged = coded.str.starts_with(FLAG)
    texts = frame.group_by("coded").agg(times=pl.len().cast(pl.Int64))
    texts = texts.with_columns(
        is_flagged=is_flagged,
        is_vector=is_flagged | coded.str.starts_with(NUMBER),
        size=coded.str.count_matches(MARK),
        each=coded.str.strip_prefix(FLAG).str.split(MARK),
    )
    parts = pl.col("each").str.splitn(NUMBER, 2).struct.rename_fields(["name", "number"])
    place = pl.int_range(pl.len()).over("coded")
    each = texts.explode("each").with_columns(parts.struct.unnest(), place=place)
    each = each.filter(pl.col("each") != "").with_columns(number.cast(pl.Float64, strict=False))
    is_weighed = each.select((number.is_not_null() & ~pl.col("is_flagged")).any()).item()
    is_given = number.is_null() | pl.col("is_flagged") | (number >= (least or 0.0))
    alphabetical = dict(enumerate(sorted(types, key=str.lower)))
    by_place = pl.col("place").replace_strict(alphabetical, default=None, return_dtype=kinds)
    names = full_names(types, renamed=renamed)
    by_name = pl.col("name").replace_strict(names, default=None, return_dtype=kinds)
    kind = pl.when("is_vector").then(by_place).otherwise(by_name)
    each = each.filter(is_given).with_columns(type=kind)
    named = (
        each.filter(~pl.col("is_vector")).group_by("name", "type").agg(times.cast(pl.Int64).sum())
    )
    counts = list(named.iter_rows())
    sizes = texts.filter(pl.col("is_vector") & (pl.col("size") != len(types)))
    odd = OddTypes(
        unknown={name: times for name, kind, times in counts if kind is None},
        short={name: times for name, kind, times in counts if kind not in (None, name)},
        sizes=dict(sizes.group_by("size").agg(times.cast(pl.Int64).sum()).sort("size").iter_rows()),
        is_weighed=is_weighed,
    )
    return each.drop_nulls("type").group_by("coded", "type").agg(number.max()), odd


def add_ancestors(rows: pl.DataFrame, ontology: pl.DataFrame) -> pl.DataFrame:
    """Return typed rows with all ancestors of their types, each with the highest number."""
    parents = dict(ontology.select("type", "parent").iter_rows())
    pairs = []
    for kind in parents:
        name = kind
        while name is not None:
            pairs.append((kind, name))
            name = parents[name]
    kinds = dict.fromkeys(("type", "above"), rows.schema["type"])
    above = pl.DataFrame(pairs, schema=kinds, orient="row")
    rolled = rows.join(above, on="type", maintain_order="left").drop("type")
    rolled = rolled.rename({"above": "type"})
    key = rows.columns[0]
    return rolled.group_by(key, "type", maintain_order=True).agg(pl.col("number").max())


@frozen
class Stream(FrameIndex):
    """Runs and labels side by side; the topics are the events, in the order of the labels."""

    tables: Mapping[str, Table]
    """The inputs."""
    of_labels: OddTypes
    of_runs: OddTypes
    unscored: Mapping[str, int]
    """How many labels each event has that is none of the topics."""
    unknown_levels: int
    """How many labels tell no priority."""
    types: tuple[str, ...]
    rules: IncidentRules
    posts: pl.DataFrame
    """The replies that count, each with its `unit`."""
    size: int
    """How many units there are."""
    shared: dict[str, pl.DataFrame] = field(default_factory=dict)
    """What is computed once for all parts of the stream."""
    sums: dict[Any, tuple[pl.DataFrame, pl.DataFrame]] = field(init=False, default_factory=dict)
    """What measures add up of the posts that count: by unit, and by run."""

    def add_up(
        self, of: Callable[[Stream, pl.DataFrame], pl.DataFrame]
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return the whole numbers that a function adds up of the posts: by unit, and by run."""
        if of not in self.sums:
            parts = (of(self, posts) for posts in self.split_runs(self.posts))
            sums = pl.concat(parts, how="diagonal")
            keys = [name for name in SUM_KEYS if name in sums.columns]
            names = [n for n in sums.columns if n not in keys and not n.endswith(FINE)]
            run = pl.col("unit").floordiv(self.size // len(self.runs))
            self.sums[of] = sums, add_parts([sums.with_columns(run)], names, keys)
        return self.sums[of]

    def split_runs(self, rows: pl.DataFrame) -> Iterator[pl.DataFrame]:
        """Yield the rows of some runs after the other, to hold what is made of few at a time."""
        rows_at_once = CELLS_AT_ONCE // max(1, len(self.types))
        runs = max(1, rows_at_once * len(self.runs) // max(1, self["replies"].height))
        for first in range(0, len(self.runs), runs):
            yield rows.filter(place_of("run").is_between(first, first + runs - 1))

    def with_posts(self, posts: pl.DataFrame) -> Stream:
        """Return the same where these replies count.

        What the runs said stays as it is: the false alerts before a post are counted as ever.
        """
        return replace(self, posts=posts.with_columns(unit=self.unit))

    @property
    def unit(self) -> pl.Expr:
        """The number of the (run, event) of a reply."""
        return place_of("run") * len(self.topics) + place_of("topic")

    def before(self, times: FloatArray) -> Stream:
        """Return the same of the posts made before the time of their event."""
        limits = pl.Series(times[: len(self.topics)])
        places = self.posts["topic"].to_physical()
        return self.with_posts(self.posts.filter(pl.col("time") < limits.gather(places)))

    def in_batches(self, batches: Batches) -> Stream:
        """Return the same where each batch of each (run, event) is a unit."""
        topics, times = self.posts.select(place_of("topic"), "time")
        place = pl.Series(batches.of(topics.to_numpy(), times.to_numpy()))
        posts = self.posts.with_columns(unit=self.unit * batches.most + place).filter(place >= 0)
        return replace(self, posts=posts, size=self.units * batches.most)

    def without_absent(self) -> Stream:
        """Return the same without the events of which a run has no post."""
        return self.with_posts(self.posts.filter(pl.col("i").is_not_null().any().over(KEY)))

    @property
    def has_levels(self) -> bool:
        """Whether any of the labels tells a priority."""
        frame = self.tables["labels"].frame
        return "level" in frame.columns and frame["level"].is_not_null().any()

    @property
    def actionable(self) -> list[str]:
        """The types that call for action."""
        names = full_names(self.types, renamed=self.rules.type_names == "renamed")
        return list({names[name] for name in self.rules.actionable if name in names})

    def members(self, measure: Measure) -> list[str]:
        """Return the types that a measure is about."""
        if measure.has("actionable"):
            return self.actionable
        others = self.actionable if measure.has("other") else []
        return [name for name in self.types if name not in others]

    def check_times(self) -> None:
        """Refuse events of whose posts some have a time, where posts are taken by time."""
        if self.rules.order != "time":
            return
        has_time = pl.col("time").is_not_null()
        by_event = self["replies"].drop_nulls("i").group_by("topic")
        events = by_event.agg(is_odd=has_time.any() & ~has_time.all()).filter("is_odd")
        for topic in events["topic"].sort()[:1]:
            raise UsageError(
                f"some posts of event {topic} have a time and others have none: give "
                "--epochs FILE, or choose --order rank or --order file"
            )

    @property
    def worth(self) -> pl.DataFrame:
        """`run j is_high worth` of every post in the alerts of every run."""
        if "worth" not in self.shared:
            parts = (each.select("run", "j", "is_high", "worth") for each in self.follow_alerts())
            self.shared["worth"] = pl.concat(parts)
        return self.shared["worth"]

    def follow_alerts(self) -> Iterator[pl.DataFrame]:
        """Yield every post in the order in which a reader of a run meets it, with its worth."""
        rules = self.rules
        by_line, over_events = rules.alert_posts == "lines", rules.delta == "run"
        by = {"file": [], "rank": ["rank"], "time": ["time"]}[rules.order]
        is_merged = over_events and not by_line and rules.order != "rank"
        order = ["run", *(["stream"] if not is_merged else []), *by, "i", "name"]
        of_line = ["i", "coded", "is_alert", "scaled"]
        lines = self["lines"].with_columns(stream=pl.col("i").min().over("run", "event"))
        for replies in self.split_runs(self["replies"]):
            rows = replies.with_columns(overlap=self.overlaps(replies), stream=place_of("topic"))
            if by_line:
                labelled = rows.drop("stream", *of_line)
                rows = lines.select("run", "j", "stream", *of_line)
                rows = rows.join(labelled, on=["run", "j"], maintain_order="left")
            rows = rows.with_columns(rank=lines["rank"].gather(rows["i"]))
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
        each = replies.select("j", "coded").with_row_index("row")
        right = self["truth"].with_columns(is_right=True)
        given = each.join(self["given"], on="coded").join(right, on=["j", "type"], how="left")
        said = {"said acts": acts, "said others": ~acts}
        said |= {"both acts": acts & is_right, "both others": ~acts & is_right}
        true = {"true acts": acts, "true others": ~acts}
        for key, rows, counts in (("row", given, said), ("j", self["truth"], true)):
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
    labels: pl.DataFrame, true: pl.DataFrame, types: pl.Enum
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return the labels with the rows of a pool about a post as one, their types, those asked for.

    A row of a pool without an answer is left out; a label of another file asks for all types.
    """
    is_pool, is_known = pl.col("type").is_not_null(), pl.col("relevant").is_not_null()
    labels = labels.filter(~is_pool | is_known)
    first = pl.col("row").first().over("file", "topic", "post_id")
    labels = labels.with_columns(first=pl.when(is_pool).then(first).otherwise("row"))
    rows = labels.select("row", "first", "relevant").join(true, on="row", maintain_order="left")
    every = pl.DataFrame({"type": types.categories}, schema={"type": types})
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
    texts, of_labels = find_types(labels, types, None, renamed=renamed)
    given, of_runs = find_types(runs, types, rules.emitted_from, renamed=renamed)
    labels, asked = labels.with_row_index("row"), None
    true = labels.select("row", "coded").join(texts, on="coded", maintain_order="left")
    true = true.drop("coded")
    if "relevant" in labels.columns:
        labels, true, asked = ask_types(labels, true, pl.Enum(types))
    if rules.ancestors == "rolled-up":
        if ontology["parent"].is_null().all():
            raise UsageError("no type of the ontology has a parent: there is nothing to roll up")
        true, given = add_ancestors(true, ontology), add_ancestors(given, ontology)
        # A post that has a type has its ancestors: so far it was judged for them too.
        asked = None if asked is None else pl.concat([asked, true.select("row", "type")]).unique()
    topics = tables["topics"].frame if "topics" in tables else None
    labels, unscored = name_events(labels, topics, rules)
    events = pl.Enum(labels["topic"].unique(maintain_order=True))
    level = pl.col("level") if "level" in labels.columns else pl.lit(None, pl.Int8)
    labels = labels.with_columns(
        pl.col("topic").cast(events),
        level=level.fill_null(UNKNOWN),
        time=find_times(tables, labels),
    )
    judged, of_row = judge_posts(labels, rules)
    chosen = resolve_types(types, entries)
    kept = pl.Enum([name for name in types if name in chosen] or types)
    kind = pl.col("type").cast(kept, strict=False)

    def of_posts(rows: pl.DataFrame) -> pl.DataFrame:
        return of_row.join(rows, on="row").select("j", kind).unique()

    frames = {"judged": judged, "truth": of_posts(true), "given": given.select("coded", kind)}
    frames |= join_runs(tables["runs"], topics, events, judged, rules)
    if asked is not None and rules.type_posts != "all":
        frames["asked"] = of_posts(asked)
    first, latest = pl.col("time").min().fill_null(math.inf), pl.col("time").max()
    if any(source.is_relative for table in tables.values() for source in table.sources):
        first = pl.lit(0.0)
    times = pl.DataFrame({"topic": events.categories}, schema={"topic": events})
    limits = {"start": first, "end": pl.lit(-math.inf), "latest": latest.fill_null(-math.inf)}
    limits = {name: limit.first() for name, limit in limits.items()}
    times = times.join(judged, on="topic", how="left").group_by("topic").agg(**limits)
    replies = frames["replies"]
    made = Stream(
        runs=tables["runs"].runs,
        topics=tuple(events.categories),
        times=times.sort("topic"),
        outputs=replies.drop_nulls("i").select(*KEY, "time"),
        frames=frames,
        tables=tables,
        of_labels=of_labels,
        of_runs=of_runs,
        unscored=unscored,
        unknown_levels=labels.filter(pl.col("level") == UNKNOWN).height,
        types=tuple(kept.categories),
        rules=rules,
        posts=replies,
        size=len(tables["runs"].runs) * len(events.categories),
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
    events: pl.Enum,
    judged: pl.DataFrame,
    rules: IncidentRules,
) -> dict[str, pl.DataFrame]:
    """Return the lines of the runs, and the replies: of every run about every judged post."""
    names = pl.Enum(runs.runs)
    numbers = {} if topics is None else dict(topics.select("number", "topic").iter_rows())
    known = {own: name for own, name in numbers.items() if name in set(events.categories)}
    rank = pl.int_range(pl.len()).over("file").cast(pl.Float64)
    rank = pl.coalesce("rank", rank) if "rank" in runs.frame.columns else rank
    lines = runs.frame.with_row_index("i").select(
        "i",
        "priority",
        "post_id",
        "coded",
        run=pl.col("run").cast(pl.String).cast(names),
        event="topic",
        topic=pl.col("topic").cast(pl.String).replace(known).cast(events, strict=False),
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
    answers = answers.select("run", "i", "coded", "scaled", "is_alert", last="j")
    every = pl.DataFrame({"run": names.categories}, schema={"run": names})
    posts = posts.select("j", "topic", "time", "level", "own_level", "name", "last")
    replies = every.join(posts, how="cross", maintain_order="left_right")
    replies = replies.join(answers, on=["run", "last"], how="left", maintain_order="left")
    replies = replies.drop("last").with_columns(
        pl.col("scaled").fill_null(rules.absent_priority), pl.col("is_alert").fill_null(False)
    )
    return {"lines": lines, "replies": replies}
