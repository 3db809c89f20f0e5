"""Why a run has its scores: alerts in order, types and priorities; rows, a picture, and a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from tseval.core.blocks import (
    Block,
    Crossed,
    Folded,
    Head,
    Listed,
    Note,
    Panels,
    Rows,
    Searched,
    Shaded,
    Warned,
)
from tseval.core.family import ViewRequest, ViewRows, Written
from tseval.core.frames import place_runs, to_pandas
from tseval.core.kernel import quotient, running_total
from tseval.core.panels import Axis, Line, Panel, Picture
from tseval.core.sections import Reporting, Section, Setting
from tseval.core.wording import count
from tseval.errors import UsageError, check_known
from tseval.families.incidents.files import CRITICAL, HIGH, LEVELS, LOW, UNKNOWN
from tseval.families.incidents.measures import (
    F1,
    PRECISION,
    READS_TYPES,
    RECALL,
    WORTH,
    confusion,
    level_of,
)
from tseval.families.incidents.rows import Stream
from tseval.families.incidents.rules import LABELLING, TYPING
from tseval.io.times import dated

MISSED, FALSE, TRUE, QUIET = "missed", "false", "true", "quiet"
"""What becomes of a post: an alert that was due but not given, given but not due, and so on."""
BECAME = {TRUE: "true alerts", FALSE: "false alerts", MISSED: "missed"}
URGENT = (LEVELS[CRITICAL], LEVELS[HIGH])
"""The levels of posts that deserve an alert, the most urgent first."""
MOST = 10_000
"""The most rows that a list has."""
WORDLESS = " Labels with a column text would show what the posts say."
ABSENT_POST = "not in the run"
"""What stands for the priority of posts that a run lacks."""
COUNTS, SHARES = ("TP", "FP", "FN", "TN"), ("precision", "recall", "F1")
ALERTS_SHOW = ("levels", *LABELLING, *TYPING, "emitted-from", "normalise", "scale-bottom", "epochs")
"""What the columns of alerts depend on beside worth: types, priorities, times."""
TYPES_SHOW = (*READS_TYPES, "type-posts", "actionable")
"""What the counts of types depend on."""


def alert_trail(stream: Stream) -> pl.DataFrame:
    """Return every post of every run in order: what became of it, its delta and its worth."""
    stream.check_times()
    rows = pl.concat(stream.follow_alerts()).join(
        stream["judged"].select("j", "post_id"), on="j", how="left", maintain_order="left"
    )
    for name, typed, key in (("types", "truth", "j"), ("run_types", "given", "coded")):
        names = pl.col("type").cast(pl.String).str.join(",").alias(name)
        lists = stream[typed].sort("type").group_by(key).agg(names)
        rows = rows.join(lists, on=key, how="left", maintain_order="left")
    given, missing = (
        pl.when("is_high").then(pl.lit(high)).otherwise(pl.lit(low))
        for high, low in ((TRUE, FALSE), (MISSED, QUIET))
    )
    return rows.select(
        run=pl.col("run").cast(pl.String),
        event=pl.col("topic").cast(pl.String),
        post_id="post_id",
        time="time",
        level=pl.lit(pl.Series(LEVELS)).gather("level"),
        priority=pl.when(pl.col("i").is_not_null()).then("scaled"),
        outcome=pl.when("is_alert").then(given).otherwise(missing),
        delta="delta",
        worth="worth",
        types=pl.col("types").fill_null(""),
        run_types=pl.col("run_types").fill_null(""),
    )


def alerts(evaluation: Any, _: ViewRequest[Any]) -> ViewRows:
    """Missed and false alerts in order, with their delta and worth."""
    stream = evaluation.index
    reads = stream.rules.effective(WORTH).union(ALERTS_SHOW)
    warnings = evaluation.check_reads(reads, "--explain alerts")
    trail = alert_trail(stream)
    if stream.rules.delta_counts == "with":
        trail = trail.with_columns(pl.col("delta") + (pl.col("outcome") == FALSE))
    shown = trail.filter(pl.col("outcome").is_in([MISSED, FALSE]))
    return ViewRows(to_pandas(shown), warnings=warnings)


def confusion_table(stream: Stream) -> pl.DataFrame:
    """Return for every run and type its counts, precision, recall and F1."""
    both, given, true = (pl.col(name) for name in ("both", "given", "true"))
    acts = pl.col("type").is_in(stream.actionable)
    return (
        stream.add_up(confusion)[1]
        .sort("unit", "type")
        .select(
            run=pl.lit(pl.Series(stream.runs, dtype=pl.String)).gather("unit"),
            type=pl.col("type").cast(pl.String),
            actionable=pl.when(acts).then(pl.lit("yes")).otherwise(pl.lit("no")),
            TP=both,
            FP=given - both,
            FN=true - both,
            TN=pl.col("posts") - given - true + both,
            precision=PRECISION,
            recall=RECALL,
            F1=F1,
        )
    )


def types(evaluation: Any, _: ViewRequest[Any]) -> ViewRows:
    """The right and wrong decisions of each type."""
    warnings = evaluation.check_reads(TYPES_SHOW, "--explain types")
    return ViewRows(to_pandas(confusion_table(evaluation.index)), warnings=warnings)


# The picture.

EVENTS_DRAWN = 4
"""The number of events in a picture, where none is named."""
MOST_POINTS = 400
"""How many evenly chosen points a line has: as many as a panel has dots."""
DRAWN = {"worth": "mean worth so far", "delta": "false alerts since the last true one"}
HELD = 0.9
"""How far the value of the last post is drawn on, so that it has a width."""


def follow_trust(stream: Stream, events: Sequence[str]) -> pl.DataFrame:
    """Return the mean worth so far and the false alerts in a row along the posts of events.

    `post` counts the `posts` of the event, so that the lines of runs lie over one another. Posts
    that a run lacks are no step of its line. Of a long event there are evenly chosen posts, and
    those where the count of false alerts starts anew.
    """
    group, place = ["event", "run"], pl.int_range(pl.len())
    trail = alert_trail(stream).filter(pl.col("event").is_in(list(events)))
    trail = trail.cast({"event": pl.Enum(events)}).sort(group, maintain_order=True)
    trail = trail.with_columns(post=place.over(group) + 1, posts=pl.len().over(group))
    trail = trail.drop_nulls("priority").with_columns(
        met=place.over(group), line=pl.struct(group).rle_id()
    )
    falls = (pl.col("delta").diff() < 0).over(group).fill_null(False)
    step = -(-pl.len().cast(pl.Int64).over(group)).floordiv(MOST_POINTS)
    trail = trail.with_columns(
        worth=quotient(running_total(pl.col("worth"), "line"), pl.col("met") + 1),
        falls=falls,
        step=step,
    )
    is_shown = (pl.col("met").mod(pl.col("step")) == 0) | pl.col("falls")
    shown = trail.filter(is_shown | pl.col("falls").shift(-1).fill_null(True))
    return shown.select("run", pl.col("event").cast(pl.String), "post", "posts", "worth", "delta")


def trust_panels(stream: Stream, chosen: Sequence[str], runs: Sequence[str]) -> tuple[Panel, ...]:
    """Return two panels of every chosen event, or of the longest; a run is its place in `runs`."""
    for event in chosen:
        check_known("event", event, stream.topics)
    sizes = stream["judged"].group_by("topic").len()
    sizes = sizes.sort(["len", "topic"], descending=[True, False])
    events = list(chosen) or sizes["topic"][:EVENTS_DRAWN].to_list()
    frame, panels = follow_trust(stream, events), []
    for event in events:
        rows = frame.filter(event=event)
        last = float(rows["posts"].max() or 1.0)  # type: ignore[arg-type]
        posts = Axis("post of the event", 1.0, last + HELD, is_whole=True)
        highest = max([1.0, *rows["delta"]])
        axes = {"worth": Axis(low=-1.0, high=1.0), "delta": Axis("", 0.0, highest, is_whole=True)}
        for column, title in DRAWN.items():
            values = rows.group_by("run").agg(pl.col("post", column).cast(pl.Float64))
            lines = (Line(runs.index(run), tuple(x), tuple(y)) for run, x, y in values.iter_rows())
            both = title, posts, tuple(sorted(lines)), axes[column]
            panels.append(Panel(event, *both, size=(420, 170)))
    return tuple(panels)


def picture(evaluation: Any, asked: ViewRequest[Any], _: str) -> Written:
    """Worth and false alerts along the stream."""
    stream = evaluation.index
    warnings = evaluation.check_reads(stream.rules.effective(WORTH), "the picture")
    panels = trust_panels(stream, asked.options.events, stream.runs)
    title = "Worth of alerts, and false alerts in a row, along the stream"
    drawn = Picture(title, evaluation.signature(), stream.runs, panels, columns=len(DRAWN))
    return Written(picture=drawn, warnings=warnings)


# The page.


HEADS = {
    "run": Head("run", "run", is_filter=True),
    "event": Head("event", "name", is_filter=True),
    "level": Head("priority", "text", is_filter=True, choices=LEVELS[:LOW:-1]),
    "time": Head("time (UTC)", "text"),
    "missed by": Head("missed by", "count", is_filter=True),
    "runs": Head("runs", "runs", is_filter=True),
    "in a row": Head("in a row", "count", is_filter=True),
    "worth": Head("worth", decimals=2),
    "text": Head("text", "name"),
    "types": Head("types", "name"),
    "run_types": Head("types of the run", "name"),
    "post_id": Head("post", "name"),
}
"""The columns of lists of posts, in their order."""


def report_alerts(evaluation: Any, setting: Setting[Any]) -> Iterator[Block]:
    """Yield what became of alerts: a row a run, the missed and the false ones, searchable."""
    if not evaluation.index.has_levels:
        return
    yield Note(
        "An alert is true if assessors found the post High or Critical. Missed are such posts "
        "without an alert, those too that a run does not have."
    )
    trail = place_runs(alert_trail(evaluation.index), setting)
    is_missed, is_false = (pl.col("outcome") == kind for kind in (MISSED, FALSE))
    counts = {name: pl.col("outcome") == kind for kind, name in BECAME.items()}
    counts |= {f"missed, {level}": is_missed & (pl.col("level") == level) for level in URGENT}
    longest = "most false ones in a row"
    rows = trail.group_by("run").agg(
        **{name: is_counted.cast(pl.Int64).sum() for name, is_counted in counts.items()},
        **{longest: (pl.col("delta").filter(is_false).max() + 1).fill_null(0)},
    )
    parts, names = tuple(BECAME.values()), [name for name in rows.columns if name != BECAME[MISSED]]
    rows = rows.sort("run").select("run", pl.concat_list(parts).alias("parts"), *names[1:])
    heads = (
        Head("run", "run"),
        Head("what became of alerts", "parts", parts=parts),
        *(Head(name, "count") for name in names[1:]),
    )
    cells = ((run, tuple(parts), *numbers) for run, parts, *numbers in rows.iter_rows())
    yield Rows("Alerts of every run", heads, tuple(cells))
    labels = evaluation.index.tables["labels"].frame
    if "text" in labels.columns and (labels["text"] != "").any():
        texts = labels.filter(pl.col("text") != "").unique("post_id", keep="first")
        texts = texts.select("post_id", "text")
        trail = trail.join(texts, on="post_id", how="left", maintain_order="left")
        trail = trail.with_columns(pl.col("text").fill_null(""))
    lists = list_missed(trail), list_false(trail)
    if any(each.total for each in lists):
        yield Searched(lists)


def list_missed(trail: pl.DataFrame) -> Listed:
    """Return the posts that deserved an alert and got none of some run: the most urgent first."""
    lost, is_critical = trail.filter(outcome=MISSED), pl.col("level") == URGENT[0]
    posts = lost.group_by("event", "post_id", maintain_order=True).agg(
        pl.exclude("run", "run_types", "worth").first(),
        pl.len().cast(pl.Int64).alias("missed by"),
        runs=pl.col("run").sort(),
    )
    number = trail["run"].n_unique()
    by_all = f", {posts.filter(pl.col('missed by') == number).height:,} by every run"
    note = (
        f"{count(posts.height, 'post')} of priority High or Critical without an alert"
        f"{by_all if number > 1 else ''}; {posts.filter(is_critical).height:,} are Critical. These "
        "come first, then what most runs missed."
    )
    note += f" {count(lost.height, 'alert')} did not come in all." if number > 1 else ""
    posts = posts.sort(is_critical, "missed by", descending=True, maintain_order=True)
    return list_posts("Missed alerts", posts.height, trail, posts.head(MOST), note, "the worst")


def list_false(trail: pl.DataFrame) -> Listed:
    """Return the alerts for posts that deserved none, as they came; of too many the worst."""
    false = trail.with_row_index("at").filter(outcome=FALSE)
    shown = false.sort("delta", descending=True, maintain_order=True)
    if false.height > MOST:
        each = max(1, MOST // false["run"].n_unique())
        shown = shown.filter(pl.int_range(pl.len()).over("run") < each)
    is_dated = not shown["time"].has_nulls()
    shown = shown.sort(["time", "at"] if is_dated else "at")
    order = "in the order of time" if is_dated else "run by run, in the order of its posts"
    note = (
        f"{count(false.height, 'alert')} for posts that deserved none, {order}. The more came "
        "since the last true one, the less each is worth."
    )
    shown = shown.with_columns((pl.col("delta") + 1).alias("in a row"))
    return list_posts("False alerts", false.height, trail, shown, note, "the worst of each run")


def list_posts(
    name: str, total: int, trail: pl.DataFrame, shown: pl.DataFrame, note: str, worst: str
) -> Listed:
    """Return a list with what is known of every post; what is known of none has no column."""
    left = total - shown.height
    note += f" {left:,} are left out; the page holds {worst}." if left else ""
    note += "" if "text" in shown.columns else WORDLESS
    texts = {at: dated(at).replace("T", " ").removesuffix("Z") for at in shown["time"].drop_nulls()}
    time = pl.col("time").replace_strict(texts, default="", return_dtype=pl.String)
    types = pl.selectors.starts_with("types", "run_types").str.replace_all(",", ", ")
    rows = shown.with_columns(time, types)
    rows = rows if trail["time"].is_not_null().any() else rows.drop("time")
    names = [each for each in HEADS if each in rows.columns]
    events = replace(HEADS["event"], choices=tuple(trail["event"].unique(maintain_order=True)))
    heads = tuple((HEADS | {"event": events})[each] for each in names)
    cells = (
        tuple(tuple(cell) if isinstance(cell, list) else cell for cell in row)
        for row in rows.select(names).iter_rows()
    )
    return Listed(name, total, note, Rows(name, heads, tuple(cells)))


def report_types(evaluation: Any, setting: Setting[Any]) -> Iterator[Block]:
    """Yield F1 of each type by run, those that call for action first; and each run in full."""
    posts, acts = pl.col("TP") + pl.col("FN"), pl.col("actionable") == "yes"
    star = pl.when(acts).then(pl.lit(" *")).otherwise(pl.lit(""))
    table = confusion_table(evaluation.index).with_columns(posts=posts, acts=acts)
    table = table.sort(["acts", "posts"], descending=True, maintain_order=True)
    table = place_runs(table.with_columns(type=pl.col("type") + star), setting)
    runs = sorted(table["run"].unique())
    if not runs:
        return
    yield Note(
        "F1 of each type against all others. The types that call for action come first and have a "
        "star; of these, and of the others, those that most posts have."
    )
    by_type = table.group_by("type", maintain_order=True)
    kinds = by_type.agg(pl.col("posts").max(), pl.col("F1").sort_by("run"))
    yield Shaded(
        "F1 by information type and run",
        "type",
        tuple(kinds["type"]),
        tuple(runs),
        tuple(map(tuple, kinds["F1"].to_list())),
        "posts",
        tuple(kinds["posts"]),
    )
    heads = (
        Head("type", "name"),
        *(Head(each, "count") for each in COUNTS),
        *(Head(each, decimals=3) for each in SHARES),
    )
    tables = []
    for run in runs:
        name, own = setting.runs[run], table.filter(run=run).select("type", *COUNTS, *SHARES)
        tables.append(Rows(f"Types of {name}", heads, tuple(own.iter_rows()), name))
    yield Folded("Counts of every run", tuple(tables))


def report_priorities(evaluation: Any, setting: Setting[Any]) -> Iterator[Block]:
    """Yield which of the assessors' priorities each run took for which."""
    if not evaluation.index.has_levels:
        return
    yield Note(
        "How many posts of each priority, by the assessors, a run gave which one: above .75 is "
        "Critical, above .5 High, above .25 Medium. The darker, the larger the share of the row."
    )
    said = pl.when(pl.col("i").is_null()).then(UNKNOWN).otherwise(level_of(pl.col("scaled")))
    posts = place_runs(evaluation.index.posts, setting)
    counts = posts.group_by("run", "level", said=said).len()
    found = {tuple(key): number for *key, number in counts.iter_rows()}
    levels = range(CRITICAL, UNKNOWN, -1)
    names = tuple(LEVELS[level] for level in levels)
    for run in sorted(map(setting.run, evaluation.index.runs)):
        cells = (
            tuple(found.get((run, true, said), 0) for said in (*levels, UNKNOWN)) for true in levels
        )
        caption, columns = setting.runs[run], (*names, ABSENT_POST)
        label = f"Priorities of {caption}"
        yield Crossed(label, caption, "assessors", names, columns, tuple(cells))


def report_trust(evaluation: Any, setting: Setting[Any]) -> Iterator[Block]:
    """Yield two panels an event: worth so far, and false alerts in a row."""
    chosen = setting.options.events
    if evaluation.index.has_levels:
        panels = trust_panels(evaluation.index, chosen, setting.runs)
        yield Note(
            "Along the posts of an event: the mean worth of the alerts so far, and how many false "
            "alerts there were since the last true one."
        )
        yield Panels(panels, paired=True)
    elif chosen:
        raise UsageError("the labels tell no priorities, so no event has a picture of trust")
    else:
        yield Warned("the labels tell no priorities: there is no picture of trust")


def reporting() -> Reporting:
    """Return what a report has of incident streams."""
    return Reporting(
        sections=(
            Section("alerts", "Alerts: missed, and false", report_alerts),
            Section("types", "Information types", report_types),
            Section("priorities", "Priorities taken for others", report_priorities),
            Section("trust", "Alerts, and trust in them", report_trust),
        ),
        takes=("events",),
    )
