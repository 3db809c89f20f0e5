"""From tables to joined rows: who reported which cluster when, and what each push was worth.

A *report* is a post of a run in a cluster. The topics of reports are those of the clusters, those
of pushed posts are those of the qrels, and those of live judgments their own.

`index["reports"]`
: The reports by run, cluster, time, post: `run topic cluster post time`, where `post` is the place
  of the row among all posts of runs and `time` is that of the run; `before`, how many reports of
  the cluster the run returned earlier (0 marks its first report); `delay`, how many seconds after
  the cluster's first post the post was made, by the times of the table of clusters; `own`, whether
  the cluster was made for the post; `scored`, whether the report counts for latency and redundancy.

`index["clusters"]`
: The clusters: `cluster topic cluster_id start end posts`; `same_as`, the first cluster of the
  topic with the same posts, as which it counts in the coverage of the runs in `index["made"]`.

`index["days"]`, `index["delays"]`
: For pushed posts a row a run, topic and day with its counts and gains, and a row a push that
  earned a gain with its delay in seconds.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from datetime import datetime

import numpy as np
import polars as pl

from tseval.core.frames import Content, FrameIndex, relative_start
from tseval.core.kernel import KEY, quotient, total
from tseval.core.rules import RuleSet, choice
from tseval.core.wording import count, listed, none_of
from tseval.errors import Reason, UsageError
from tseval.families.clusters.files import again, find_repeats
from tseval.io.epochs import clock_of
from tseval.io.names import natural_order
from tseval.io.tables import Table
from tseval.records import frozen

DEPTH = 10
"""The number of posts a day that a user wants: K."""
DAY_SECONDS = 86_400
WORTH_MINUTES = 100.0
"""The minutes after which a discounted post is worth nothing."""
POST = ["topic", "post_id"]
KEY_OF_POST = ["run", *POST]
POSTS, TOPICS = "posts", "topics"


@frozen
class ClusterRules(RuleSet):
    """The rule of every edition over clusters."""

    mean: str = choice(
        "`all` of latency and redundancy",
        posts="is that of the posts of all topics together: a quotient of sums over topics",
        topics="is the mean over the topics that have a value",
    )


RELEVANT, REDUNDANT, NOT_RELEVANT = "relevant", "redundant", "not-relevant"


@frozen(kw_only=True)
class PushRules(ClusterRules):
    """The habits of push evaluations; the defaults are what all three do, or two of them."""

    days: tuple[int, ...]
    """The days of the evaluation, such as 20170729, in UTC."""
    gains: Mapping[float, float]
    """What each label of the qrels is worth; a label that is not here is worth itself by two."""
    live_labels: Mapping[float, str] = field(default_factory=dict)
    """What each label of the live judgments says; none where there were none."""
    live_other: str = ""
    """What any other label says; nothing if it earns no credit."""
    clock_offset: float = 0.0
    """The seconds that the broker's clock was behind: added to every push."""
    topic_prefix: str = ""
    """What the qrels' topics lack, where they are bare numbers."""

    gain: str = choice(
        "what the first post of a cluster earns",
        own="the gain of the post itself",
        discounted="the largest gain of the cluster's posts of the day, times max(0, (100 - d)/100)"
        " with d the whole minutes between the post's creation and its push; earlier is negative",
    )
    early_posts: str = choice(
        "posts pushed before they were created, by the broker's clock",
        drop="are dropped: they count nowhere",
        keep="are posts as any other",
    )
    repeated_posts: str = choice(
        "a post that a run pushed twice or more within a topic",
        keep="is a post each time: each takes a place of the day, the first alone can earn, and the"
        " delay is that of the last line of the file",
        refuse="is a fault of the run",
    )
    two_clusters: str = choice(
        "a post in several clusters of a topic",
        last="is in the last of them",
        first="is in the first of them",
    )
    silent: str = choice(
        "a day is eventful",
        unseen="if it has a post of a cluster that the run has not retrieved on an earlier day",
        any="if it has a post of any cluster",
    )
    silent_pain: str = choice(
        "posts pushed on a silent day",
        free="are no pain for GMP",
        counted="are pain for GMP, one each",
    )
    silent_lists: str = choice(
        "nDCG-p of a silent day with a list of n posts",
        clamped="is 1 - min(n, 10) / 10",
        plain="is 1 - n / 10",
    )
    list_order: str = choice(
        "the posts of a daily list count",
        rank="in the order of their ranks",
        lines="in the order of their lines, as the scripts read them",
    )
    cluster_start: str = choice(
        "the first post of a cluster, from which latency counts",
        listed="is the one that the file lists first",
        earliest="is the earliest",
    )
    delays: str = choice("latencies below 0", clamped="are 0", signed="stay negative")
    no_posts: str = choice(
        "latencies and shares of no post at all", zero="are 0", undefined="are undefined"
    )
    live_votes: str = choice(
        "a post with several live judgments",
        assessors="counts once for each",
        labels="counts once for each different label",
    )
    live_early: str = choice(
        "a post with live judgments that was pushed before its creation, or has none",
        unjudged="is unjudged",
        judged="counts all the same",
    )
    live_latency: str = choice(
        "the online latency is taken over",
        judged="the judged posts",
        created="the posts whose creation is known, judged or not",
    )
    live_period: str = choice(
        "posts pushed outside of the days of the evaluation, by the run's own clock",
        open="count in the live measures",
        closed="don't count in the live measures",
    )
    live_repeats: str = choice(
        "in the live measures a post that a run pushed twice or more within a topic",
        each="counts each time, and so do its judgments",
        once="counts once, as its first line has it",
    )
    live_times: str = choice(
        "in the live measures the push time of a post that a run pushed twice within a topic",
        own="is that of each line",
        last="is that of its last line, for every line",
    )
    live_limit: str = choice(
        "the live measures look at",
        none="all posts pushed on a topic",
        day="the first ten of each day of the run's own clock; the others are unjudged",
    )

    def period_of(self, edition: str) -> str:
        """Return the days of the evaluation in words."""
        return f"the days of edition {edition} ({self.days[0]} to {self.days[-1]})"


SYSTEM, BY_TOPIC = "system", "topic"


@frozen
class SampleRules(RuleSet):
    """The rule by which assessors' samples are drawn before there are clusters."""

    per: str = choice(
        "the size of a sample is a number of posts",
        system="of each run, over all its topics",
        topic="of each run and topic",
    )


def draw(
    posts: pl.DataFrame, size: int, sampling: str, seed: int, per: str = BY_TOPIC
) -> pl.DataFrame:
    """Return up to `size` of these posts of each run and topic, or of each run.

    By confidence, ties go to the earlier post, then to the id that sorts first, then to the topic.
    At random, the draw depends on the seed, the names of run and topic and the posts' ids alone.
    """
    groups = KEY if per == BY_TOPIC else ["run"]
    if sampling == "confidence":
        if "confidence" not in posts.columns:
            raise UsageError("no run has a column `confidence`: draw with --sampling random")
        by = [-pl.col("confidence"), "time", "post_id", "topic"]
        posts = posts.sort(by, maintain_order=True)
    else:
        posts, places = posts.sort(*KEY, "post_id", maintain_order=True), [np.zeros(0, np.int64)]
        for *names, number in posts.group_by(groups, maintain_order=True).len().iter_rows():
            sums = (zlib.crc32(name.encode()) for name in names)
            random = np.random.default_rng([abs(seed), int(seed < 0), *sums])
            places.append(random.permutation(number))
        posts = posts.with_columns(place=np.concatenate(places)).sort("place", maintain_order=True)
    return posts.filter(pl.int_range(pl.len()).over(groups) < size)


def select_by_file(selected: Table, posts: pl.DataFrame) -> pl.DataFrame:
    """Return the posts that a table selects, each with its own cluster and the line that says so.

    A post that no run returned is a fault, and so are two clusters of one post.
    """
    own = pl.col("cluster_id") if "cluster_id" in selected.frame.columns else pl.lit("")
    rows = selected.frame.with_row_index("place").with_columns(named=own.replace("", None))
    key = KEY_OF_POST if "run" in rows.columns else POST
    pairs = rows.join(posts.select("post", *key), on=key)
    lost = rows.join(pairs, on="place", how="anti", maintain_order="left")
    reason = 'no run returned the selected post "{post_id}" of topic "{topic}"'
    selected.refuse(lost, reason, "remove it, or give its run", "unknown-id")
    pairs = pairs.sort("post", pl.col("named").is_null(), "place")
    first = pl.col("named", "line").first().over("post").name.prefix("first ")
    wrong = pairs.with_columns(first).filter(pl.col("named") != pl.col("first named"))
    reason = (
        'selected post "{post_id}" of topic "{topic}" has the clusters "{first named}" '
        f'({selected.sources[0].unit} {{first line}}) and "{{named}}"'
    )
    cure = "one cluster was made for each selected post: keep its cluster_id alone"
    wrong = wrong.unique("place", keep="first").sort("place")
    selected.refuse(wrong, reason, cure, "conflicting-rows")
    first_rows = pairs.unique("post", keep="first", maintain_order=True)
    return first_rows.with_columns(selected=pl.lit(value=True))


def refuse_repeats(posts: Table) -> None:
    """Refuse posts that were pushed twice, of which a cluster can hold but one."""
    repeats = find_repeats(posts.frame)
    unit = pl.lit(f"first in {posts.sources[0].unit} ")
    cure = pl.concat_str(unit, "line before", pl.lit(": remove one of them"))
    reason = (
        'post "{post_id}" stands twice within topic "{topic}": latency, redundancy and coverage '
        "take each post once"
    )
    posts.refuse(repeats.with_columns(cure=cure), reason, "", "duplicate-id")


def index_reports(
    tables: Mapping[str, Table],
    sample: tuple[int, str, int] | None,
    others: pl.DataFrame | None = None,
) -> Content:
    """Return every report in the order in which the run returned it, of equal times in the file's.

    The table `selection` has `post named selected` of posts, where a file or the runs say so;
    `sample` has the other arguments of `draw`. Without these every post in a cluster is selected.
    A post is scored in its own cluster alone, or, where none is known, in each that it is in.
    """
    posts, clusters = tables["runs"], tables["clusters"]
    selection = tables["selection"].frame if "selection" in tables else None
    is_judged = pl.col("topic").is_in(clusters.frame["topic"].unique().to_list())
    returned = posts.frame.select("post", "run", *POST, "time", "^confidence$").filter(is_judged)
    members = clusters.frame.select("topic", "cluster_id", "post_id", created="time")
    groups = members.group_by("topic", "cluster_id", maintain_order=True).agg(
        start=pl.col("created").min(), end=pl.col("created").max(), posts=pl.len()
    )
    groups = groups.with_row_index("cluster")
    members = members.join(groups, on=["topic", "cluster_id"]).select(
        *(*POST, "cluster", "created"),
        delay=pl.col("created") - pl.col("start"),
        own=pl.col("cluster_id") == pl.col("post_id"),
    )
    reports = returned.select("post", "run", *POST, "time").join(members, on=POST)
    is_other = pl.col("time") != pl.col("created")
    other = reports.select(pl.col("post").filter(is_other).n_unique()).item()
    reports = reports.drop("post_id", "created").sort("run", "cluster", "time", "post")
    before = pl.int_range(pl.len()).over("run", "cluster")
    reports = reports.with_columns(before=before, scored=pl.lit(value=True))
    if sample is not None:
        drawn = draw(returned.join(reports, on="post", how="semi"), *sample)
        selection = drawn.with_columns(selected=pl.lit(value=True), named=pl.lit(None, pl.String))
    if selection is not None:
        known = selection.select("post", "named", is_selected="selected")
        reports = reports.join(known, on="post", how="left", maintain_order="left")
        name = groups["cluster_id"].gather(reports["cluster"])
        reports = reports.with_columns(
            own=(pl.col("named") == name).fill_null(pl.col("own")),
            scored=pl.col("is_selected").fill_null(value=False),
        )
    owned = reports.filter("own")
    has_none = ~pl.col("post").is_in(owned["post"].implode())
    reports = reports.with_columns(pl.col("scored") & (pl.col("own") | has_none))
    if selection is not None and sample is None:
        refuse_selection(selection, tables, reports)

    # Clusters of the same posts count once in the coverage of runs for whose posts they were made.
    groups = groups.with_columns(same_as="cluster_id")
    made = list(posts.runs) if members["own"].any() else owned["run"].unique().to_list()
    if made:
        ordered = members.sort("post_id").group_by("cluster")
        ids = ordered.agg(ids=pl.col("post_id").str.join("\n"))
        same = pl.col("cluster_id").first().over("topic", "ids")
        groups = groups.join(ids, on="cluster").sort("cluster_id").with_columns(same_as=same)
    times = groups.group_by("topic").agg(start=pl.col("start").min(), end=pl.col("end").max())
    times = relative_start(times.with_columns(latest="end").sort("topic"), clusters)
    of_made = pl.DataFrame({"run": made}, {"run": reports.schema["run"]})
    frames = {"clusters": groups.sort("cluster"), "reports": reports, "made": of_made}
    index = FrameIndex.of(natural_order(set(posts.runs)), times, returned, **frames)
    return Content(index, tuple(warn_of_reports(posts, index, other, sample, others)))


def refuse_selection(
    selection: pl.DataFrame, tables: Mapping[str, Table], reports: pl.DataFrame
) -> None:
    """Refuse selected posts that are in no cluster, or not in the one that was made for them."""
    posts = tables["runs"]
    chosen = selection.filter("selected")
    lost = chosen.join(reports, on="post", how="anti").select("post")
    reason = 'selected post "{post_id}" of topic "{topic}" is in no cluster'
    cure = "the assessors' clusters must hold every selected post"
    posts.refuse(posts.frame.join(lost, on="post", how="semi"), reason, cure, "unknown-id")
    lost = chosen.drop_nulls("named").join(reports.filter("own"), on="post", how="anti")
    lost = lost.sort("file", "line")
    reason = 'selected post "{post_id}" of topic "{topic}" is not in its own cluster "{named}"'
    cure = (
        "cluster_id names the cluster that was made for the post, and that holds it: correct "
        "one of the two files, or leave cluster_id empty where none was made"
    )
    tables.get("selected", posts).refuse(lost, reason, cure, "conflicting-rows")


def warn_of_reports(
    posts: Table,
    index: FrameIndex,
    other: int,
    sample: tuple[int, str, int] | None,
    others: pl.DataFrame | None,
) -> Iterator[str]:
    """Yield what a reader of latency, redundancy and coverage should know."""
    unmet = index.outputs.join(index["reports"], on="run", how="anti", maintain_order="left")
    for run, number in unmet.group_by("run", maintain_order=True).len().iter_rows():
        if others is not None:
            is_own = (pl.col("run") == run) & pl.col("topic").is_in(index.topics)
            number += int(others.filter(is_own).select(total(pl.col("rows"))).item())
        what = count(number, "post")
        yield Reason(f"run {run}: none of its {what} of judged topics is in any cluster")
    if other:
        what = count(other, "post")
        yield f"{what} with another time in the run than in the clusters: latency takes theirs"
    if sample is not None and sample[1] == "confidence":
        equal = pl.col("confidence").n_unique() == 1
        runs = posts.frame.group_by("run", maintain_order=True).agg(equal & (pl.len() > 1))
        for run in runs.filter("confidence")["run"]:
            yield f"run {run}: all confidences are equal; the sample takes the earliest posts"


def warn_of_several(index: FrameIndex) -> Iterator[str]:
    """Yield the selected posts that count more than once, since no cluster is known as theirs."""
    scored = index["reports"].filter("scored").select("run", "post")
    several = scored.filter(pl.col("post").is_duplicated()).unique().group_by("run").len()
    runs = index.outputs.select("run").unique(maintain_order=True)
    for run, number in runs.join(several, on="run", maintain_order="left").iter_rows():
        verb, counts = ("is", "counts") if number == 1 else ("are", "count")
        yield (
            f"run {run}: {count(number, 'selected post')} {verb} in several clusters and "
            f"{counts} once for each; a column cluster_id beside the selected posts names the "
            "one that was made for a post (--selected)"
        )


def discount(gain: pl.Expr, place: pl.Expr) -> pl.Expr:
    """Return the worth of a gain at its place in a list, from 0; that of the first ten alone."""
    worth = quotient(pl.lit(2.0).pow(gain) - 1, (place + 2).log(2))
    return pl.when(place < DEPTH).then(worth).otherwise(0.0)


def index_days(tables: Mapping[str, Table], rules: PushRules, edition: str) -> Content:
    """Return what every day of every run and topic was worth, and the delays of posts that earn.

    Posts are taken in the order of the file, or of the ranks of a list. The first post of a
    cluster *retrieves* it; a cluster stays retrieved on later days.
    """
    posts, clusters, grades = tables["runs"], tables["clusters"], tables["qrels"].frame
    topics = grades.select("topic").unique().sort("topic")
    is_judged = pl.col("topic").is_in(topics["topic"].to_list())
    day, gain, place, cell = pl.col("day"), pl.col("gain"), pl.col("place"), [*KEY, "day"]
    known = tables["epochs"].frame.unique("post_id", keep="last").with_row_index("number")
    known = known.select("number", "post_id", epoch_day="day", created="time")
    is_day = pl.col("epoch_day").is_in(rules.days)

    # The posts of clusters, once each: what they and the clusters of a day are worth.
    time, cluster = pl.col("time"), ["topic", "cluster_id"]
    start = (time.first() if rules.cluster_start == "listed" else time.min()).over(cluster)
    gold = clusters.frame.select(*POST, "cluster_id", start=start).filter(is_judged)
    keep = "last" if rules.two_clusters == "last" else "first"
    gold = gold.unique(POST, keep=keep, maintain_order=True)  # type: ignore[arg-type]
    gold = gold.join(known, on="post_id", how="left", maintain_order="left")
    gold = gold.join(grades.select(*POST, "grade"), on=POST, how="left", maintain_order="left")
    grade, labels = pl.col("grade"), rules.gains
    worth = grade.replace_strict(labels, default=grade * 0.5, return_dtype=pl.Float64)
    gold = gold.with_columns(gain=worth.fill_null(0.0), gold_day=pl.when(is_day).then("epoch_day"))
    gold = gold.with_columns(best=gain.max().over(*cluster, "gold_day"))

    # Pushed posts, or daily lists.
    are_lists = bool((posts.frame["day"] != 0).any())
    pushed = posts.frame.select(*KEY, "post_id", "time", "day", "file", "line", "^rank$")
    pushed = pushed.filter(is_judged).join(known, on="post_id", how="left", maintain_order="left")
    drops = rules.early_posts == "drop" and not are_lists
    pushed = pushed.with_columns(
        epoch_day=day if are_lists else pl.col("epoch_day"), pushed=time + rules.clock_offset
    ).with_columns(
        day=pl.when(is_day).then("epoch_day"),
        early=((pl.col("pushed") < pl.col("created")) & is_day & drops).fill_null(value=False),
    )
    refuse_other_days(pushed, posts, rules.period_of(edition))
    repeats = find_repeats(posts.frame).filter(is_judged)
    warnings = tuple(warn_of_days(posts, pushed, repeats, gold, rules, edition))
    lost = natural_order(set(clusters.frame["topic"].unique()) - set(topics["topic"]))
    if lost:
        what = f"{count(len(lost), 'topic')} of clusters not in the qrels, ignored"
        warnings += (f"{what}: {listed(lost)}",)

    pushed = pushed.filter(day.is_not_null() & ~pl.col("early"))
    if are_lists and rules.list_order == "rank":
        pushed = pushed.sort("rank", maintain_order=True)
    pushed = pushed.with_columns(place=pl.int_range(pl.len(), dtype=pl.UInt32).over(cell))
    if repeats.height:
        pushed = pushed.with_columns(pl.col("pushed").last().over(*KEY, "number"))
    offers = gold.select(*cluster, "number", "start", "best", "gain", day="gold_day")
    offers = offers.drop_nulls("day")
    sums = pushed.group_by(cell).agg(sent=pl.len())
    pushed = pushed.sort("day", maintain_order=True)
    first = pushed.join(offers, on=["topic", "number", "day"], maintain_order="left")
    first = first.unique(["run", *cluster], keep="first", maintain_order=True)
    if rules.gain == "discounted" and not are_lists:
        minutes = quotient(pl.col("pushed") - pl.col("created"), 60.0).floor()
        left = quotient(WORTH_MINUTES - minutes, WORTH_MINUTES).clip(0.0)
        first = first.with_columns(gain=pl.col("best") * left)
    gains = first.group_by(cell).agg(
        earning=(gain > 0).sum(),
        gained=total(pl.when(place < DEPTH).then("gain")),
        dcg=total(discount(gain, place)),
    )

    # What clusters of a day offer to a run that has not retrieved them before.
    offers = offers.unique([*cluster, "day"]).select(*cluster, "day", gain="best")
    retrieved = first.select("run", *cluster, retrieved="day")
    outputs = posts.frame.select(*KEY, "time").filter(is_judged)
    index = FrameIndex.of(natural_order(set(posts.runs)), topics, outputs)
    runs = index.pairs.select("run").unique(maintain_order=True)
    visible = runs.join(offers, how="cross").join(retrieved, on=["run", *cluster], how="left")
    visible = visible.filter((pl.col("retrieved") >= day).fill_null(value=True))
    visible = visible.sort(*cell, -gain).with_columns(place=pl.int_range(pl.len()).over(cell))
    best = visible.group_by(cell).agg(
        ideal=total(pl.when(place < DEPTH).then("gain")), ideal_dcg=total(discount(gain, place))
    )
    eventful = (offers if rules.silent == "any" else visible).select("topic", "day", "^run$")
    eventful = eventful.unique().with_columns(eventful=pl.lit(value=True))
    every = pl.DataFrame({"day": rules.days}, {"day": gold.schema["gold_day"]})
    days = index.pairs.join(every, how="cross", maintain_order="left_right")
    for joined in (sums, gains, best, eventful):
        on = [name for name in cell if name in joined.columns]
        days = days.join(joined, on=on, how="left", maintain_order="left")
    days = days.with_columns(pl.exclude(*cell, "eventful").fill_null(0)).with_columns(
        pl.col("eventful").fill_null(value=False)
    )
    sent, is_painful = pl.col("sent"), pl.col("eventful") | (rules.silent_pain == "counted")
    days = days.with_columns(
        pain=pl.when(is_painful).then(sent - pl.col("earning")).otherwise(0),
        least=sent.clip(0, DEPTH) if rules.silent_lists == "clamped" else sent,
    )
    delay = pl.col("pushed") - pl.col("start")
    delay = delay.clip(0.0) if rules.delays == "clamped" else delay
    delays = first.filter(gain > 0).select(*KEY, delay=delay)
    return Content(replace(index, frames={"days": days, "delays": delays}), warnings)


def refuse_other_days(pushed: pl.DataFrame, posts: Table, period: str) -> None:
    """Refuse a run of which no day is one of the evaluation's: it is likely of another year."""
    runs = pushed.drop_nulls("epoch_day").group_by("run", maintain_order=True)
    other = runs.agg(
        pl.col("file", "line").first(),
        first=pl.col("epoch_day").min(),
        last=pl.col("epoch_day").max(),
        inside=pl.col("day").is_not_null().any(),
    ).filter(~pl.col("inside"))
    reason = (
        f'every post of judged topics of run "{{run}}" is outside of {period}: '
        "its days are {first} to {last}"
    )
    cure = "choose the edition whose days they are (--edition)"
    posts.refuse(other.head(1), reason, cure, "time-range")


def warn_of_days(
    posts: Table,
    pushed: pl.DataFrame,
    repeats: pl.DataFrame,
    gold: pl.DataFrame,
    rules: PushRules,
    edition: str,
) -> Iterator[str]:
    """Yield what is dropped, counted twice or worth nothing, and what is out of order."""
    are_lists = (posts.frame["day"] != 0).any()
    is_outside = pl.col("epoch_day").is_not_null() & pl.col("day").is_null()
    unknown = pushed.filter(pl.col("created").is_null() & (not are_lists))
    for dropped, why in (
        (unknown, "not among the epochs"),
        (pushed.filter("early"), "pushed before creation"),
        (pushed.filter(is_outside), f"outside of {rules.period_of(edition)}"),
    ):
        for run, number in dropped.group_by("run").len().sort("run").iter_rows():
            yield f"run {run}: {count(number, 'post')} {why}, dropped"
    for run, number in repeats.group_by("run").len().sort("run").iter_rows():
        yield f"run {run}: {again(number)}; each push counts (rule repeated-posts=keep)"
    if gold["grade"].null_count():
        ungraded = count(gold["grade"].null_count(), "post")
        yield f"{ungraded} of clusters not in the qrels, worth nothing"
    if are_lists and rules.list_order == "rank":
        falls = posts.frame.select((pl.col("rank").diff().over(*KEY, "day") < 0).sum()).item()
        if falls:
            lines = f"daily lists: {count(falls, 'line')} out of rank order; the ranks count"
            yield f"{lines}, or pass --rule list-order=lines to keep the order of lines"


def index_live(tables: Mapping[str, Table], rules: PushRules) -> Content:
    """Return the posts that were pushed to assessors, their votes, and the delays since creation.

    Posts that are not looked at, or have no judgment, are unjudged.
    """
    posts, live = tables["runs"], tables["live"]
    topics = live.frame.select("topic").unique().sort("topic")
    judged = posts.frame.filter(pl.col("topic").is_in(topics["topic"].to_list()))
    time = pl.col("time")
    pushed = time.last().over(KEY_OF_POST) if rules.live_times == "last" else time
    created = clock_of(tables["live_epochs"].frame)(judged["post_id"])
    judged = judged.with_columns(pushed=pushed, delay=pushed + rules.clock_offset - created)
    votes = live.frame.select(*POST, "label")
    has_vote = judged.join(votes, on=POST, how="semi")["post"]
    judged = judged.with_columns(judged=pl.col("post").is_in(has_vote.implode()))

    unmet = judged.group_by("run").agg(pl.len(), met=pl.col("judged").any())
    unmet = unmet.filter(~pl.col("met")).sort("run")
    if live.frame.height and unmet.height == len(posts.runs):
        none = none_of("the", sum(unmet["len"]), "post", "posts")
        reason = (
            f"{none} judged here, of all that the runs have in judged topics: the judgments are of "
            'posts such as "{post_id}" of topic "{topic}", the runs are {runs}'
        )
        first = live.frame.head(1).with_columns(runs=pl.lit(listed([*unmet["run"]])))
        cure = "give the judgments that assessors made of these runs, with the posts' own ids"
        live.refuse(first, reason, cure, "unrelated-inputs")
    warnings = [
        Reason(f"run {run}: none of its {number} of judged topics has a live judgment")
        for run, number in zip(unmet["run"], (count(n, "post") for n in unmet["len"]), strict=True)
    ]

    if rules.live_repeats == "once":
        judged = judged.unique(KEY_OF_POST, keep="first", maintain_order=True)
    if rules.live_period == "closed":
        ends = (datetime.strptime(f"{rules.days[at]}Z", "%Y%m%d%z") for at in (0, -1))
        start, last = (day.timestamp() for day in ends)
        is_inside = pl.col("pushed").is_between(start, last + DAY_SECONDS, closed="left")
        judged = judged.filter(is_inside)
    day = quotient(pl.col("pushed"), DAY_SECONDS).floor()
    place = pl.int_range(pl.len()).over(*KEY, day)
    is_seen = place < DEPTH if rules.live_limit == "day" else pl.lit(value=True)
    is_timed = (pl.col("delay") >= 0).fill_null(value=False)
    counts = pl.col("judged") & (is_timed | (rules.live_early != "unjudged"))
    judged = judged.with_columns(judged=is_seen & counts, seen=is_seen)
    is_timely = pl.col("judged" if rules.live_latency == "judged" else "seen") & is_timed
    label = pl.col("label")
    says = label.replace_strict(rules.live_labels, default=rules.live_other, return_dtype=pl.String)
    votes = judged.filter("judged").join(votes, on=POST).select(*KEY, "post", says=says)
    if rules.live_votes == "labels":
        votes = votes.unique(["post", "says"])
    delays = judged.filter(is_timely).select(*KEY, "delay")
    outputs = judged.select(*KEY, "time", "judged")
    runs = natural_order(set(posts.runs))
    return Content(FrameIndex.of(runs, topics, outputs, votes=votes, delays=delays), warnings)
