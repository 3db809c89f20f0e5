"""What scores over clusters are given: the inputs and options, checked, and read into tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.declared import CURVE, REPORT, argument, file_option, option
from tseval.core.draws import RANDOM, SAMPLINGS
from tseval.core.family import Access
from tseval.core.measure import Measure
from tseval.core.registry import measures
from tseval.errors import UsageError
from tseval.families.clusters import files, tables
from tseval.families.clusters.formats import TIMES
from tseval.families.clusters.measures import FAMILY
from tseval.families.clusters.push import LIVE, need_of
from tseval.families.clusters.push_rules import PushRules
from tseval.families.clusters.rules import ClusterRules
from tseval.families.clusters.tables import Clusters, Grades, Live, Posts, Selected
from tseval.files.epochs import read_epochs
from tseval.files.reading import read_if_given
from tseval.parallel.runs import Spread
from tseval.records import frozen
from tseval.tables import Ids, InputRecord, Origin, schema
from tseval.tables.arrow import strings
from tseval.tables.epochs import Epochs, days_of, snowflake_times
from tseval.tables.origin import origins_of, records_of

if TYPE_CHECKING:
    from tseval.files.reading import Given


@frozen
class ClusterInputs:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    runs: Sequence[Given] = argument("RUN", "one or more runs", schema.POSTS, several=True)
    clusters: Given = argument("CLUSTERS", "the file of clusters", schema.CLUSTERS)
    qrels: Given | None = file_option(
        "--qrels",
        "What assessors thought of posts: topic Q0 post grade.",
        not_within=(CURVE, REPORT),
        table=tables.QRELS,
    )
    epochs: Given | None = file_option(
        "--epochs",
        "When posts were created: post YYYYMMDD epoch.",
        not_within=(CURVE, REPORT),
        table=schema.EPOCHS,
    )
    live: Given | None = file_option(
        "--live", "Live judgments: topic post label.", not_within=(CURVE, REPORT), table=tables.LIVE
    )
    live_epochs: Given | None = file_option(
        "--live-epochs",
        "When the posts of live judgments were created. Default: as --epochs.",
        not_within=(CURVE, REPORT),
        table=schema.EPOCHS,
    )
    selected: Given | None = file_option(
        "--selected",
        "The selected posts: a table `topic post_id [run] [cluster_id]`, the last the post's own "
        "cluster.",
        not_within=(CURVE, REPORT),
        table=tables.SELECTED,
    )


@frozen
class ClusterOptions:
    """How clusters get their times and topic, and how posts are selected.

    Selected posts are those whose latency and redundancy count: a sample, else those that the run
    or a file says, else all.
    """

    times: str | None = option(
        "--times",
        "Where the times of clusters come from. Default: their file, else --epochs.",
        choices=TIMES,
        not_within=(CURVE,),
    )
    topic: str | None = option(
        "--topic",
        "The topic of clusters in two columns. Default: the file's name.",
        metavar="NAME",
        not_within=(CURVE,),
    )
    sample: int | None = option(
        "--sample",
        "Select up to N posts of each run and topic, of those in a cluster.",
        metavar="N",
        kind=int,
        at_least=1,
        not_within=(CURVE,),
    )
    sampling: str = option(
        "--sampling",
        "How: those of highest confidence, or at random.",
        default=SAMPLINGS[0],
        choices=SAMPLINGS,
        shows_default=True,
        not_within=(CURVE,),
    )
    seed: int = option(
        "--seed",
        "For everything random.",
        default=0,
        kind=int,
        shows_default=True,
        not_within=(CURVE,),
    )


@frozen
class ClusterTables:
    """The inputs as tables."""

    posts: Posts
    clusters: Clusters | None
    """None where no measure needs them."""
    grades: Grades | None
    epochs: Epochs | None
    live: Live | None
    live_epochs: Epochs | None
    """Those of `epochs`, where no file of their own is given."""
    selected: Selected | None = None
    """The posts that the run or a file selects."""
    selection: str = "all"
    """How posts are selected, in words."""
    unread: tuple[str, ...] = ()
    """Which columns of the runs are not read, and why."""

    @property
    def own_live_epochs(self) -> Epochs | None:
        """When the posts of live judgments were created, where a file of their own says it."""
        return None if self.live_epochs is self.epochs else self.live_epochs

    @property
    def origins(self) -> dict[str, Origin]:
        """Where each table beside the runs comes from, where that is a file."""
        by_file = self.selected is not None and self.selected.origin is not self.posts.origin
        return origins_of(
            {
                "clusters": self.clusters,
                "qrels": self.grades,
                "epochs": self.epochs,
                "live": self.live,
                "live-epochs": self.own_live_epochs,
                "selection": self.selected if by_file else None,
            }
        )

    def records(self) -> tuple[InputRecord, ...]:
        """Every input with its hash and its number of rows."""
        return records_of([self.posts.origin, *self.origins.values()])


def read_tables(
    inputs: ClusterInputs, options: ClusterOptions, rules: ClusterRules, access: Access
) -> ClusterTables:
    """Every input that was given; a fault in any of them is an `InputError`.

    The live measures alone need no clusters; where there are live judgments, posts of clusters may
    lack a time, and are then left out with a warning. It is the reading of the runs that is shared.
    """
    access.check(inputs)
    # One format for all is that of runs and clusters: the other files have forms of their own.
    own = access.own_form
    epochs = read_if_given(inputs.epochs, read_epochs, own("epochs"))
    push = rules if isinstance(rules, PushRules) else None
    posts, clusters = _runs_and_clusters(inputs, options, push, epochs, access)
    prefix = "" if push is None else push.topic_prefix
    live_epochs = read_if_given(inputs.live_epochs, read_epochs, own("live_epochs"))
    selected, selection = _selected(inputs, options, posts, own("selected"))
    return ClusterTables(
        posts=posts,
        clusters=clusters,
        grades=read_if_given(inputs.qrels, files.read_grades, prefix, own("qrels")),
        epochs=_epochs(epochs, options, posts, clusters),
        live=read_if_given(inputs.live, files.read_live, own("live")),
        live_epochs=live_epochs or epochs,
        selected=selected,
        selection=selection,
        unread=_unread(inputs, options, posts),
    )


def _needs_clusters(inputs: ClusterInputs, wanted: Sequence[str | Measure]) -> bool:
    """Whether any of these measures, or of the edition's, is not of live judgments alone."""
    if inputs.live is None:
        return True
    asked = measures(wanted, FAMILY)
    return any(need_of(each) != LIVE for each in asked) if asked else inputs.qrels is not None


def _runs_and_clusters(
    inputs: ClusterInputs,
    options: ClusterOptions,
    rules: PushRules | None,
    epochs: Epochs | None,
    access: Access,
) -> tuple[Posts, Clusters | None]:
    """The runs, and the clusters with their times, which may come from the runs."""
    read_posts = partial(
        files.read_posts,
        inputs.runs,
        access.form("run"),
        each=Spread(access.sharing),
        repeats=rules is not None and rules.repeated_posts == "keep",
    )
    read_clusters = partial(_clusters, inputs, options, access.form("clusters"))
    year = None if rules is None else rules.days[0] // 10_000
    needed = _needs_clusters(inputs, access.wanted)
    if not inputs.runs:
        raise UsageError("no run is given: name at least one table of posts")
    if not needed:
        return read_posts(year), None
    if options.times == "run":
        posts = read_posts(year)
        return posts, read_clusters(files.run_clock(posts))
    clusters = read_clusters(_clock(options, epochs))
    if year is None:
        year = int(days_of(clusters.time[:1])[0]) // 10_000
    return read_posts(year), clusters


def _clock(options: ClusterOptions, epochs: Epochs | None) -> files.Clock | None:
    """What tells the times of clusters; None leaves it to their file."""
    if options.times == "snowflake":
        return snowflake_times
    if options.times == "epochs" and epochs is None:
        raise UsageError("times from epochs need --epochs FILE")
    if options.times not in (None, *TIMES):
        raise UsageError(f"unknown times '{options.times}'; known: {', '.join(TIMES)}")
    return None if epochs is None else epochs.times_of


def _clusters(
    inputs: ClusterInputs, options: ClusterOptions, form: str | None, clock: files.Clock | None
) -> Clusters:
    return files.read_clusters(
        inputs.clusters,
        form,
        clock,
        options.topic,
        replace_times=options.times is not None,
        may_lack_times=inputs.live is not None,
    )


def _epochs(
    epochs: Epochs | None, options: ClusterOptions, posts: Posts, clusters: Clusters | None
) -> Epochs | None:
    """When posts were created, by a file or by their ids."""
    if epochs is not None or options.times != "snowflake":
        return epochs
    ids = [posts.post_id] if clusters is None else [posts.post_id, clusters.post_id]
    every = Ids.of(strings(sorted({name for each in ids for name in each.vocabulary()})))
    time = snowflake_times(every)
    known = ~np.isnan(time)
    return Epochs(every.rows(known), days_of(time[known]), time[known])


def _unread(inputs: ClusterInputs, options: ClusterOptions, posts: Posts) -> tuple[str, ...]:
    """Which columns that select posts are not read, since something else selects them."""
    option = "--selected" if inputs.selected is not None else "--sample" if options.sample else ""
    if option and (posts.selected is not None or posts.unread):
        both = posts.own is not None
        columns = 'columns "selected" and "cluster_id" are' if both else 'column "selected" is'
        return (f"the runs' {columns} not read: {option} says which posts are selected",)
    return posts.unread


def _selected(
    inputs: ClusterInputs, options: ClusterOptions, posts: Posts, form: str | None
) -> tuple[Selected | None, str]:
    """The posts that a file or the runs select, and how posts are selected in words."""
    if inputs.selected is not None and options.sample is not None:
        raise UsageError("give selected posts or a sample to draw, not both")
    if inputs.selected is not None:
        return files.read_selected(inputs.selected, posts, form), "file"
    if options.sample is None and options.sampling == RANDOM:
        raise UsageError("random sampling draws nothing without a number: give --sample N")
    if options.sample is not None:
        seed = f",seed={options.seed}" if options.sampling == RANDOM else ""
        return None, f"{options.sampling}({options.sample}{seed})"
    if posts.selected is None:
        return None, "all"
    return Selected(posts.selected, posts.own, posts.origin, np.arange(len(posts))), "column"
