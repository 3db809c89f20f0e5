"""Why a run has its scores: alerts in order, types and priorities; rows, a picture, and a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from tseval.core.family import Asked, Shown, Written
from tseval.core.frames import to_pandas
from tseval.core.kernel import quotient, running_total
from tseval.core.panels import Axis, Line, Panel, Picture
from tseval.core.sections import Reporting, Section, Setting
from tseval.core.wording import count
from tseval.errors import UsageError
from tseval.families.incidents.files import CRITICAL, HIGH, LEVELS, LOW, UNKNOWN
from tseval.families.incidents.measures import (
    READS_TYPES,
    WORTH,
    confusion,
    f1,
    level_of,
    precision,
    recall,
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
    rows = pl.concat(stream.follow_alerts()).with_columns(pl.col("i").cast(pl.UInt32))
    beside = (
        (stream.judged.select("j", "post_id"), "j"),
        (stream.names_of(stream.truth, "j", "types"), "j"),
        (stream.names_of(stream.given, "i", "run_types"), "i"),
    )
    for names, key in beside:
        rows = rows.join(names, on=key, how="left", maintain_order="left")
    alert, high = pl.col("is_alert"), pl.col("is_high")
    given = pl.when(high).then(pl.lit(TRUE)).otherwise(pl.lit(FALSE))
    missing = pl.when(high).then(pl.lit(MISSED)).otherwise(pl.lit(QUIET))
    return rows.select(
        run=pl.lit(pl.Series(stream.runs, dtype=pl.String)).gather("run"),
        event=pl.lit(pl.Series(stream.topics, dtype=pl.String)).gather("topic"),
        post_id="post_id",
        time="time",
        level=pl.lit(pl.Series(LEVELS)).gather("level"),
        priority=pl.when(pl.col("i").is_not_null()).then("scaled"),
        outcome=pl.when(alert).then(given).otherwise(missing),
        delta="delta",
        worth="worth",
        types=pl.col("types").fill_null(""),
        run_types=pl.col("run_types").fill_null(""),
    )


def alerts(evaluation: Any, _: Asked[Any]) -> Shown:
    """The missed and false alerts in order with delta and worth."""
    stream = evaluation.index
    reads = stream.rules.effective(WORTH).union(ALERTS_SHOW)
    warnings = evaluation.check_shown(reads, "--explain alerts")
    trail = alert_trail(stream)
    if stream.rules.delta_counts == "with":
        trail = trail.with_columns(pl.col("delta") + (pl.col("outcome") == FALSE))
    shown = trail.filter(pl.col("outcome").is_in([MISSED, FALSE]))
    return Shown(to_pandas(shown), warnings=warnings)


def confusion_table(stream: Stream) -> pl.DataFrame:
    """Return for every run and type its counts, precision, recall and F1."""
    both, given, true = (pl.col(name) for name in ("both", "given", "true"))
    acts = pl.col("type").is_in(stream.actionable)
    return (
        stream.add_up(confusion, by_run=True)
        .sort("unit", "type")
        .select(
            run=pl.lit(pl.Series(stream.runs, dtype=pl.String)).gather("unit"),
            type=pl.lit(pl.Series(stream.types, dtype=pl.String)).gather("type"),
            actionable=pl.when(acts).then(pl.lit("yes")).otherwise(pl.lit("no")),
            TP=both,
            FP=given - both,
            FN=true - both,
            TN=pl.col("posts") - given - true + both,
            precision=precision(),
            recall=recall(),
            F1=f1(),
        )
    )


def types(evaluation: Any, _: Asked[Any]) -> Shown:
    """What was right and wrong of each type."""
    warnings = evaluation.check_shown(TYPES_SHOW, "--explain types")
    return Shown(to_pandas(confusion_table(evaluation.index)), warnings=warnings)


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
        if event not in stream.topics:
            raise UsageError(f"no event '{event}' in the labels: {', '.join(stream.topics)}")
    sizes = stream.judged.group_by("topic").len().sort(["len", "topic"], descending=[True, False])
    longest = [stream.topics[at] for at in sizes["topic"][:EVENTS_DRAWN]]
    events = list(chosen) or longest
    frame, panels = follow_trust(stream, events), []
    for event in events:
        own = frame.filter(event=event)
        last = float(own["posts"].max() or 1.0)  # type: ignore[arg-type]
        posts = Axis("post of the event", 1.0, last + HELD, is_whole=True)
        highest = max([1.0, *own["delta"]])
        axes = {"worth": Axis(low=-1.0, high=1.0), "delta": Axis("", 0.0, highest, is_whole=True)}
        for column, title in DRAWN.items():
            lines = sorted(
                Line(
                    runs.index(run),
                    tuple(map(float, rows["post"])),
                    tuple(map(float, rows[column])),
                )
                for (run,), rows in own.group_by("run", maintain_order=True)
            )
            panels.append(Panel(event, title, posts, tuple(lines), axes[column], size=(420, 170)))
    return tuple(panels)


def picture(evaluation: Any, asked: Asked[Any], _: str) -> Written:
    """Worth and false alerts along the stream."""
    stream = evaluation.index
    warnings = evaluation.check_shown(stream.rules.effective(WORTH), "the picture")
    panels = trust_panels(stream, asked.options.events, stream.runs)
    title = "Worth of alerts, and false alerts in a row, along the stream"
    drawn = Picture(title, evaluation.signature(), stream.runs, panels, columns=len(DRAWN))
    return Written(picture=drawn, warnings=warnings)


# The page.


def report_alerts(evaluation: Any, setting: Setting[Any]) -> Iterator[Block]:
    """Yield what became of alerts: a row a run, the missed and the false ones, searchable."""
    if not evaluation.found.has_levels:
        return
    yield Note(
        "An alert is true if assessors found the post High or Critical. Missed are such posts "
        "without an alert, those too that a run does not have."
    )
    trail, outcome, rows = alert_trail(evaluation.index), pl.col("outcome"), []
    places = {name: setting.run(name) for name in evaluation.index.runs}
    trail = trail.with_columns(pl.col("run").replace_strict(places, return_dtype=pl.Int64))
    for (run,), own in trail.group_by("run"):
        parts = tuple((own["outcome"] == kind).sum() for kind in BECAME)
        missed = own.filter(outcome == MISSED)["level"]
        levels = ((missed == level).sum() for level in URGENT)
        false = own.filter(outcome == FALSE)["delta"]
        longest = int(false.max()) + 1 if len(false) else 0  # type: ignore[arg-type]
        rows.append((run, parts, *parts[:2], *levels, longest))
    heads = (
        Head("run", "run"),
        Head("what became of alerts", "parts", parts=tuple(BECAME.values())),
        *(Head(BECAME[kind], "count") for kind in (TRUE, FALSE)),
        *(Head(f"missed, {level}", "count") for level in URGENT),
        Head("most false ones in a row", "count"),
    )
    yield Rows("Alerts of every run", heads, tuple(sorted(rows)))
    texts: dict[str, str] = {}
    labels = evaluation.found.tables["labels"].frame
    if "text" in labels.columns:
        told = labels.filter(pl.col("text") != "").unique("post_id", keep="first")
        texts = dict(told.select("post_id", "text").iter_rows())
    lists = list_missed(trail, texts), list_false(trail, texts)
    if any(each.total for each in lists):
        yield Searched(lists)


def list_missed(trail: pl.DataFrame, texts: Mapping[str, str]) -> Listed:
    """Return the posts that deserved an alert and got none of some run: the most urgent first."""
    lost = trail.filter(pl.col("outcome") == MISSED)
    posts = lost.group_by("event", "post_id", maintain_order=True).agg(
        pl.exclude("run").first(), runs=pl.col("run").sort(), by=pl.len()
    )
    number = trail["run"].n_unique()
    by_all = f", {(posts['by'] == number).sum():,} by every run" if number > 1 else ""
    times = f" {count(lost.height, 'alert')} did not come in all." if number > 1 else ""
    note = (
        f"{count(posts.height, 'post')} of priority High or Critical without an alert{by_all}; "
        f"{(posts['level'] == URGENT[0]).sum():,} are Critical. These come first, then what "
        f"most runs missed.{times}"
    )
    is_critical = pl.col("level") == URGENT[0]
    order = [is_critical, pl.col("by")]
    shown = posts.sort(order, descending=True, maintain_order=True).head(MOST)
    sizes = {
        Head("missed by", "count", is_filter=True): shown["by"].to_list(),
        Head("runs", "runs", is_filter=True): [tuple(runs) for runs in shown["runs"]],
    }
    return list_posts("Missed alerts", posts.height, note, trail, shown, sizes, texts)


def list_false(trail: pl.DataFrame, texts: Mapping[str, str]) -> Listed:
    """Return the alerts for posts that deserved none, as they came; of too many the worst."""
    false = trail.with_row_index("at").filter(pl.col("outcome") == FALSE)
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
    sizes = {
        Head("in a row", "count", is_filter=True): (shown["delta"] + 1).to_list(),
        Head("worth", decimals=2): shown["worth"].to_list(),
    }
    return list_posts("False alerts", false.height, note, trail, shown, sizes, texts)


def list_posts(
    name: str,
    total: int,
    note: str,
    trail: pl.DataFrame,
    shown: pl.DataFrame,
    sizes: Mapping[Head, list[Any]],
    texts: Mapping[str, str],
) -> Listed:
    """Return a list with what is known of every post; what is known of none has no column."""
    is_of_run, events = "run" in shown.columns, tuple(trail["event"].unique(maintain_order=True))
    columns: dict[Head, list[Any]] = {}
    if is_of_run:
        columns[Head("run", "run", is_filter=True)] = shown["run"].to_list()
    levels = LEVELS[:LOW:-1]
    columns |= {
        Head("event", "name", is_filter=True, choices=events): shown["event"].to_list(),
        Head("priority", "text", is_filter=True, choices=levels): shown["level"].to_list(),
    }
    if trail["time"].is_not_null().any():
        columns[Head("time (UTC)", "text")] = [
            "" if time is None else dated(time).replace("T", " ").removesuffix("Z")
            for time in shown["time"]
        ]
    columns |= sizes
    if texts:
        columns[Head("text", "name")] = [texts.get(post, "") for post in shown["post_id"]]
    of_run = [("types of the run", "run_types")] if is_of_run else []
    for head, of in (("types", "types"), *of_run, ("post", "post_id")):
        columns[Head(head, "name")] = [each.replace(",", ", ") for each in shown[of]]
    left = total - shown.height
    worst = "the worst of each run" if is_of_run else "the worst"
    cut = f" {left:,} are left out; the page holds {worst}." if left else ""
    rows = tuple(zip(*columns.values(), strict=True))
    told = note + cut + ("" if texts else WORDLESS)
    return Listed(name, total, told, Rows(name, tuple(columns), rows))


def report_types(evaluation: Any, setting: Setting[Any]) -> Iterator[Block]:
    """Yield F1 of each type by run, those that call for action first; and each run in full."""
    posts, acts = pl.col("TP") + pl.col("FN"), pl.col("actionable") == "yes"
    star = pl.when(acts).then(pl.lit(" *")).otherwise(pl.lit(""))
    table = confusion_table(evaluation.index).with_columns(posts=posts, acts=acts)
    table = table.sort(["acts", "posts"], descending=True, maintain_order=True)
    table = table.with_columns(type=pl.col("type") + star)
    by_run = {
        setting.run(str(run)): own for (run,), own in table.group_by("run", maintain_order=True)
    }
    if not by_run:
        return
    yield Note(
        "F1 of each type against all others. The types that call for action come first and have a "
        "star; of these, and of the others, those that most posts have."
    )
    runs = tuple(sorted(by_run))
    kinds = tuple(by_run[runs[0]]["type"])
    values = {run: dict(own.select("type", "F1").iter_rows()) for run, own in by_run.items()}
    most = dict(table.group_by("type").agg(pl.col("posts").max()).iter_rows())
    yield Shaded(
        "F1 by information type and run",
        "type",
        kinds,
        runs,
        tuple(tuple(values[run][kind] for run in runs) for kind in kinds),
        "posts",
        tuple(most[kind] for kind in kinds),
    )
    heads = (
        Head("type", "name"),
        *(Head(each, "count") for each in COUNTS),
        *(Head(each, decimals=3) for each in SHARES),
    )
    names = [head.head for head in heads]
    tables = (
        Rows(f"Types of {name}", heads, tuple(by_run[run].select(names).iter_rows()), name)
        for run in runs
        for name in (setting.runs[run],)
    )
    yield Folded("Counts of every run", tuple(tables))


def report_priorities(evaluation: Any, setting: Setting[Any]) -> Iterator[Block]:
    """Yield which of the assessors' priorities each run took for which."""
    if not evaluation.found.has_levels:
        return
    yield Note(
        "How many posts of each priority, by the assessors, a run gave which one: above .75 is "
        "Critical, above .5 High, above .25 Medium. The darker, the larger the share of the row."
    )
    stream = evaluation.index
    said = pl.when(pl.col("i").is_null()).then(UNKNOWN).otherwise(level_of(pl.col("scaled")))
    counts = stream.posts.group_by("run", "level", said=said).len()
    found = {tuple(key): number for *key, number in counts.iter_rows()}
    levels = range(CRITICAL, UNKNOWN, -1)
    for at in sorted(range(len(stream.runs)), key=lambda at: setting.run(stream.runs[at])):
        name = setting.runs[setting.run(stream.runs[at])]
        yield Crossed(
            f"Priorities of {name}",
            name,
            "assessors",
            tuple(LEVELS[level] for level in levels),
            (*(LEVELS[level] for level in levels), ABSENT_POST),
            tuple(
                tuple(found.get((at, true, said), 0) for said in (*levels, UNKNOWN))
                for true in levels
            ),
        )


def report_trust(evaluation: Any, setting: Setting[Any]) -> Iterator[Block]:
    """Yield two panels an event: worth so far, and false alerts in a row."""
    chosen = setting.options.events
    if evaluation.found.has_levels:
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
