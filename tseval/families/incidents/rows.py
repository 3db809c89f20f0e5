"""From tables to rows: the labelled posts, what each run says of them, and its alerts in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tseval.core.kernel import FINE, add_parts, quotient
from tseval.core.measure import Measure
from tseval.errors import UsageError
from tseval.families.incidents.files import HIGH, MARK, UNKNOWN
from tseval.families.incidents.rules import IncidentRules
from tseval.io.epochs import clock_of, snowflake_times
from tseval.io.tables import Table
from tseval.io.units import Units
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.arrays import BoolArray, FloatArray, IntArray
    from tseval.core.batches import Batches

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
            known = ", ".join(types)
            raise UsageError(f"'{name}' is no type of the ontology, which has: {known}")
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
    lists = [name for name in ("names", "numbers", "flags") if name in frame.columns]
    frame = frame.select("file", *lists).with_row_index("row")
    has_names, has_numbers = (
        pl.col(name).is_not_null() if name in lists else pl.lit(False)
        for name in ("names", "numbers")
    )
    split = pl.col("names").cast(pl.String).str.strip_suffix(MARK).str.split(MARK)
    bare = frame.filter(has_names & ~has_numbers & (pl.col("names") != "")).select("row", "names")
    texts = bare.group_by("names", maintain_order=True).agg(times=pl.len())
    flat = texts.select(text="names", names=split, times="times").explode("names")
    none = {name: pl.lit(None, pl.List(pl.Float64)) for name in ("numbers", "flags")}
    none = {name: column for name, column in none.items() if name not in lists}
    sure = frame.filter(has_names & has_numbers & (pl.col("names") != ""))
    sure = sure.with_columns(split, **none).explode("names", "numbers")
    named = sure.select("row", "names", number="numbers")
    vectors, is_flagged = (
        frame.filter(~has_names).with_columns(**none),
        pl.col("flags").is_not_null(),
    )
    numbers, flags = (flatten(vectors, name) for name in ("numbers", "flags"))
    unflagged = numbers.join(flags, on="row", how="anti", maintain_order="left")
    is_weighed = bool(named["number"].is_not_null().any()) or not unflagged.is_empty()
    is_given = pl.col("number").is_null() | (pl.col("number") >= (least or 0.0))
    places = type_places(types, renamed=renamed)
    known = pl.DataFrame({"names": list(places), "type": list(places.values())})
    known = known.cast({"names": pl.String, "type": pl.UInt32})
    named, flat = (
        each.join(known, on="names", how="left", maintain_order="left")
        for each in (named.filter(is_given), flat)
    )
    times = pl.concat(
        [flat.select("names", "type", "times"), named.select("names", "type", times=1)],
        how="vertical_relaxed",
    )
    counts = list(
        times.group_by("names", "type").agg(pl.col("times").cast(pl.Int64).sum()).iter_rows()
    )
    once = flat.drop_nulls("type").unique(["text", "type"]).select("text", "type")
    typed = bare.select("row", text="names").join(once, on="text", maintain_order="left")
    flagged = flags.filter(pl.col("number") != 0).drop("number")
    flagged = flagged.join(numbers, on=["row", "place"], how="left", maintain_order="left")
    order = sorted(range(len(types)), key=lambda at: types[at].lower())
    alphabetical = pl.DataFrame({"place": range(len(types)), "type": order})
    listed = pl.concat([flagged, unflagged.filter(is_given)], how="diagonal").join(
        alphabetical.cast({"place": pl.Int64, "type": pl.UInt32}), on="place", maintain_order="left"
    )
    weighed = pl.concat([each.select("row", "type", "number") for each in (named, listed)])
    weighed_once = weighed.drop_nulls("type").group_by("row", "type", maintain_order=True)
    bare_rows = typed.select("row", "type", number=pl.lit(None, pl.Float64))
    rows = bare_rows
    if weighed.height:
        rows = pl.concat([bare_rows, weighed_once.agg(pl.col("number").max())])
    # Lines of fields are alike where their numbers are: each vector of a file is one.
    alike = vectors.filter(~is_flagged).unique(["file", "numbers"])
    sizes = pl.concat([vectors.filter(is_flagged), alike])
    size = pl.coalesce("flags", "numbers").list.len()
    odd = dict(sizes.group_by(size=size).len().sort("size").iter_rows())
    return TypedRows(
        rows,
        unknown={name: times for name, at, times in counts if at is None},
        short={n: times for n, at, times in counts if at is not None and n != types[at]},
        odd={long: times for long, times in odd.items() if long != len(types)},
        is_weighed=is_weighed,
    )


def flatten(vectors: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return the numbers of lists with their places."""
    rows = vectors.select("row", number=name).drop_nulls().explode("number").drop_nulls()
    return rows.with_columns(place=pl.int_range(pl.len(), dtype=pl.Int64).over("row"))


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
class Stream(Units):
    """Runs and labels side by side; the topics are the events, in the order of the labels."""

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

    def counted(self, posts: pl.DataFrame) -> Stream:
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
        return self.counted(self.posts.filter(pl.col("time") < limits.gather(self.posts["topic"])))

    def in_batches(self, batches: Batches) -> Stream:
        """Return the same where each batch of each (run, event) is a unit."""
        start = pl.Series(batches.start[: len(self.topics)]).gather(self.posts["topic"])
        number = pl.Series(batches.number[: len(self.topics)]).gather(self.posts["topic"])
        time, length, place = pl.col("time"), batches.length, pl.col("place")
        rows = self.posts.with_columns(start=start, number=number)
        rows = rows.with_columns(place=quotient(time - pl.col("start"), length).floor())
        before = time < pl.col("start") + place * length
        after = time >= pl.col("start") + (place + 1) * length
        rows = rows.with_columns(place + after.cast(pl.Float64) - before.cast(pl.Float64))
        rows = rows.filter((place >= 0) & (place < pl.col("number")))
        unit = self.unit * batches.most + place.cast(pl.Int64)
        return replace(self, posts=rows.with_columns(unit=unit), size=self.units * batches.most)

    def without_absent(self) -> Stream:
        """Return the same without the events of which a run has no post."""
        return self.counted(self.posts.filter(pl.col("i").is_not_null().any().over("run", "topic")))

    @property
    def present(self) -> BoolArray:
        """Which (run, event) have a line of any judged post."""
        there = self.replies.select("i", unit=self.unit).drop_nulls()
        return self.having(there["unit"].to_numpy())

    @property
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
        names = pl.col("type").replace_strict(
            range(len(self.types)), self.types, return_dtype=pl.String
        )
        return rows.sort(key, "type").group_by(key).agg(names.str.join(",").alias(name))

    def check_times(self) -> None:
        """Refuse events of whose posts some have a time, where posts are taken by time."""
        if self.rules.order != "time":
            return
        met = self.replies.drop_nulls("i").select("j").unique()
        has_time = pl.col("time").is_not_null()
        events = (
            self.judged.join(met, on="j")
            .group_by("topic")
            .agg(some=has_time.any(), every=has_time.all())
        )
        for topic in events.filter(pl.col("some") & ~pl.col("every")).sort("topic")["topic"][:1]:
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
        parts = zip(self.split_runs(self.lines), self.split_runs(self.replies), strict=True)
        for lines, replies in parts:
            yield self._follow_alerts(lines, replies)

    def _follow_alerts(self, lines: pl.DataFrame, replies: pl.DataFrame) -> pl.DataFrame:
        rules, overlap = self.rules, pl.col("overlap")
        replies = replies.with_columns(overlap=pl.Series(self._overlaps(replies)))
        by = [] if rules.order == "file" else ["rank"] if rules.order == "rank" else ["time"]
        if rules.alert_posts == "lines":
            first = pl.col("i").min().over("run", "event")
            overlaps = replies.select("run", "j", "overlap")
            rows = lines.with_columns(stream=first).drop_nulls("j")
            rows = rows.select("run", "stream", "i", "j", "rank", "is_alert", "scaled").join(
                self.judged.select("j", "topic", "level", "time"), on="j", maintain_order="left"
            )
            rows = rows.join(overlaps, on=["run", "j"], how="left", maintain_order="left")
            order = ["run", "stream", *by, "i"]
        else:
            rows = replies.with_columns(
                name=self.judged["post_id"].rank("dense").gather(replies["j"]), stream="topic"
            )
            if rules.order == "rank":
                rows = rows.join(
                    lines.select("i", "rank"), on="i", how="left", maintain_order="left"
                )
            first_keys = ["topic", "rank"] if rules.order == "rank" else by
            group = [] if rules.delta == "run" else ["stream"]
            order = ["run", *group, *first_keys, "i", "name"]
        rows = rows.sort(order, nulls_last=True, maintain_order=True)
        group = ["run"] if rules.delta == "run" else ["run", "stream"]
        alert, high = pl.col("is_alert"), pl.col("level") >= HIGH
        false, true = alert & ~high, alert & high
        after = false.cast(pl.Int64).cum_sum()
        last = pl.when(true).then(after).shift(1).forward_fill().fill_null(0)
        since = (after - false.cast(pl.Int64) - last).over(group)
        rows = rows.with_columns(is_high=high, delta=since)
        number = pl.col("delta") + int(rules.delta_counts == "with")
        log = (quotient(number.cast(pl.Float64), 2.0) + 1).log()
        log = log if rules.logarithm == "e" else quotient(log, float(np.log(10.0)))
        cost = pl.when(number > 0).then(pl.max_horizontal(-log, MISSED)).otherwise(0.0)
        gain = rules.flat_gain + (1 - rules.flat_gain) * overlap
        worth = pl.when(high).then(pl.when(alert).then(gain).otherwise(MISSED))
        return rows.with_columns(
            worth=worth.otherwise(pl.when(alert).then(cost).otherwise(overlap))
        )

    @cached_property
    def truth_table(self) -> BoolArray:
        """Which judged post has which type."""
        return self.table_of(self.truth)

    def table_of(self, rows: pl.DataFrame) -> BoolArray:
        """Return rows of `j type` as a table of posts and types."""
        table = np.zeros((self.judged.height, len(self.types)), bool)
        table[rows["j"].to_numpy(), rows["type"].to_numpy()] = True
        return table

    def find_said(self, posts: pl.DataFrame) -> tuple[IntArray, IntArray, IntArray]:
        """Return the types that runs give posts: the place of the reply, the post, the type."""
        each = posts.select("j", "i").with_row_index("row").drop_nulls("i")
        lines = each.select(pl.min("i"), last=pl.max("i")).row(0)
        said = each.join(self.given.filter(pl.col("i").is_between(*lines)), on="i")
        return said["row"].to_numpy(), said["j"].to_numpy(), said["type"].to_numpy()

    def _overlaps(self, replies: pl.DataFrame) -> FloatArray:
        """The part of the types of each judged post that the run has: ActC + NAct."""
        if self.rules.alert_types == "ignored":
            return np.zeros(replies.height)
        acts, parts = np.isin(np.arange(len(self.types)), self.actionable), []
        row, post, kind = self.find_said(replies)
        is_right, posts = self.truth_table[post, kind], replies["j"].to_numpy()
        for own in (acts, ~acts):
            said, both = (
                np.bincount(row[which], minlength=replies.height)
                for which in (own[kind], own[kind] & is_right)
            )
            true: IntArray = np.count_nonzero(self.truth_table[:, own], axis=1)
            either = true[posts] + said - both
            parts.append(both / np.maximum(either, 1))
        number: IntArray = np.count_nonzero(self.truth_table[:, acts], axis=1)
        weight = np.where(number[posts] > 0, self.rules.actionable_weight, 0.0)
        overlap: FloatArray = weight * parts[0] + (1 - weight) * parts[1]
        return overlap


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


@frozen
class Read:
    """The inputs as tables, and what was found in them on the way."""

    tables: Mapping[str, Table]
    labels: TypedRows
    runs: TypedRows
    unscored: Mapping[str, int]
    """How many labels each event has that is none of the topics."""
    unknown_levels: int
    """How many labels tell no priority."""

    @property
    def has_levels(self) -> bool:
        """Whether any of the labels tells a priority."""
        frame = self.tables["labels"].frame
        return "level" in frame.columns and frame["level"].is_not_null().any()


def judge_posts(
    labels: pl.DataFrame,
    types: pl.DataFrame,
    asked: pl.DataFrame | None,
    rules: IncidentRules,
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame | None]:
    """Return the labelled posts as the rules count them, their types, and those asked for.

    They count once each, or as often as they were labelled.
    """
    if rules.two_events == "first":
        labels = labels.with_columns(pl.col("topic").first().over("post_id"))
    key = ["post_id"] if rules.join == "post" else ["topic", "post_id"]
    if rules.repeated_labels == "entries":
        rows = labels.with_row_index("j").with_columns(
            own_level="level",
            row=pl.col("row").last().over(key),
            level=pl.col("level").last().over(key),
        )
        of_row = rows.select("row", "j")
    else:
        numbered = labels.with_columns(first=pl.col("row").first().over(key))
        rows = numbered.with_columns(pl.col("level").max().over(key))
        rows = rows.filter(pl.col("row") == pl.col("first")).with_row_index("j")
        rows = rows.with_columns(own_level="level")
        of_row = numbered.select("row", "first").join(rows.select("first", "j"), on="first")
        of_row = of_row.select("row", "j")

    def typed(each: pl.DataFrame) -> pl.DataFrame:
        return of_row.join(each, on="row").select("j", "type").unique()

    judged = rows.select("j", "topic", "post_id", "level", "own_level", "time")
    return judged, typed(types), None if asked is None else typed(asked)


def join_tables(
    tables: Mapping[str, Table], rules: IncidentRules, entries: Sequence[str]
) -> tuple[Stream, Read]:
    """Return runs beside labels, by the rules."""
    ontology = tables["ontology"].frame
    types, renamed = tuple(ontology["type"]), rules.type_names == "renamed"
    labels = tables["labels"].frame
    of_labels = find_types(labels, types, None, renamed=renamed)
    runs = tables["runs"].frame
    of_runs = find_types(runs, types, rules.emitted_from, renamed=renamed)
    labels, true = labels.with_row_index("row"), of_labels.rows.select("row", "type", "number")
    asked = None
    if "relevant" in labels.columns:
        is_pool, is_known = pl.col("type").is_not_null(), pl.col("relevant").is_not_null()
        labels = labels.filter(~is_pool | is_known)
        first = pl.col("row").first().over("file", "topic", "post_id")
        labels = labels.with_columns(first=pl.when(is_pool).then(first).otherwise("row"))
        rows = labels.select("row", "first", "relevant").join(true, on="row", maintain_order="left")
        every = (
            labels.filter(~is_pool)
            .select("row")
            .join(
                pl.DataFrame({"type": range(len(types))}, schema={"type": pl.UInt32}), how="cross"
            )
        )
        asked = pl.concat([rows.select(row="first", type="type"), every]).unique()
        true = rows.filter(pl.col("relevant").is_null() | (pl.col("relevant") == 1))
        true = true.select(row="first", type="type", number="number")
        labels = labels.filter(pl.col("row") == pl.col("first"))
    given = of_runs.rows.rename({"row": "i"})
    if rules.ancestors == "rolled-up":
        if ontology["parent"].is_null().all():
            raise UsageError("no type of the ontology has a parent: there is nothing to roll up")
        true = add_ancestors(true, ontology)
        # A post that has a type has its ancestors: so far it was judged for them too.
        asked = None if asked is None else pl.concat([asked, true.select("row", "type")]).unique()
        given = add_ancestors(of_runs.rows, ontology).rename({"row": "i"})
    if entries:
        kept = sorted(places_of(types, entries))
        types = tuple(types[at] for at in kept)
        new = pl.DataFrame({"type": kept, "new": range(len(kept))}).cast(pl.UInt32)

        def keep(rows: pl.DataFrame) -> pl.DataFrame:
            joined = rows.join(new, on="type", maintain_order="left")
            return joined.drop("type").rename({"new": "type"})

        true, given = keep(true), keep(given)
        asked = None if asked is None else keep(asked)
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
    asked = None if rules.type_posts == "all" else asked
    judged, truth, asked = judge_posts(labels, true, asked, rules)
    lines, replies = join_runs(tables["runs"], topics, places, judged, rules)
    made = Stream(
        runs=tables["runs"].runs,
        topics=tuple(events),
        types=types,
        rules=rules,
        judged=judged,
        truth=truth,
        asked=asked,
        lines=lines,
        given=given.select("i", "type"),
        replies=replies,
        posts=replies,
        size=len(tables["runs"].runs) * len(events),
    )
    unknown = labels.filter(pl.col("level") == UNKNOWN).height
    found = Read(tables, of_labels.without_rows, of_runs.without_rows, unscored, unknown)
    return made.counted(replies), found


def find_times(tables: Mapping[str, Table], labels: pl.DataFrame) -> pl.Series:
    """Return when each labelled post was made: by epochs, labels, runs, or by its id."""
    frame, runs = tables["labels"].frame, tables["runs"].frame
    if "epochs" in tables:
        return clock_of(tables["epochs"].frame)(labels["post_id"])
    if "time" in frame.columns:
        has_times = frame.group_by("file").agg(pl.col("time").is_not_null().any())["time"].all()
        if has_times:
            return labels["time"]
    if "time" in runs.columns:
        by_run = runs.group_by("file").agg(pl.col("time").is_not_null().any())["time"].all()
        if by_run:
            return clock_of(runs.cast({"post_id": pl.String}))(labels["post_id"])
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
    frame, post = runs.frame, pl.col("post_id").cast(pl.Categorical).to_physical()
    rank = pl.int_range(pl.len()).over("file").cast(pl.Float64)
    rank = pl.coalesce("rank", rank) if "rank" in frame.columns else rank
    lines = frame.with_row_index("i").select(
        "i",
        "priority",
        "post_id",
        run=pl.col("run")
        .cast(pl.String)
        .replace_strict({name: at for at, name in enumerate(runs.runs)}, return_dtype=pl.UInt32),
        event="topic",
        topic=pl.col("topic")
        .cast(pl.String)
        .replace_strict(known, default=None, return_dtype=pl.UInt32),
        rank=rank,
    )
    lines = scale_priorities(lines, rules)
    key = ["post_id"] if rules.join == "post" else ["topic", "post_id"]
    posts = judged.with_columns(post, last=pl.col("j").last().over(key))
    last = posts.select(*key, j="last").unique(key)
    met = lines.select(post, *key[:-1]).join(last, on=key, how="left", maintain_order="left")
    lines = lines.with_columns(met["j"])
    said = lines.drop_nulls("j")
    line = np.full((len(runs.runs), judged.height), -1)
    line[said["run"].to_numpy(), said["j"].to_numpy()] = said["i"].to_numpy()
    line = line[:, posts["last"].to_numpy()]
    own = pl.Series("i", line.ravel()).cast(pl.UInt32, strict=False)
    replies = [
        judged.select(
            "j", "topic", "time", "level", "own_level", run=pl.lit(run, pl.UInt32)
        ).with_columns(i=own[run * judged.height : (run + 1) * judged.height])
        for run in range(len(runs.runs))
    ]
    of_line = {name: lines[name].gather(own) for name in ("scaled", "is_alert")}
    return lines, pl.concat(replies).with_columns(
        of_line["scaled"].fill_null(rules.absent_priority), of_line["is_alert"].fill_null(False)
    )
