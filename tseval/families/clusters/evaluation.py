"""From files to everything that a measure over clusters needs: read, selected, described.

`read` brings the tables together; `ClusterEvaluation` indexes them when a measure asks: the groups
for latency and redundancy, the days for the push measures, the live judgments for theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypeAlias, TypeVar

import numpy as np

from tseval.core.declared import argument, file_option, input_tables, option
from tseval.core.draws import RANDOM, SAMPLINGS
from tseval.core.editions import Edition
from tseval.core.family import SHORT_HASH, Access, Evaluation, Words, hashes
from tseval.core.measure import Measure
from tseval.core.pools import MEAN
from tseval.core.registry import family, measures
from tseval.core.wording import listed, none_of
from tseval.errors import Fault, InputError, UsageError
from tseval.families.clusters import files as formats
from tseval.families.clusters import tables
from tseval.families.clusters.caveats import caveats
from tseval.families.clusters.grouping import ClusterIndex
from tseval.families.clusters.imports import TIMES
from tseval.families.clusters.live import LiveIndex
from tseval.families.clusters.measures import FAMILY
from tseval.families.clusters.push import LISTS, LIVE, NEEDS, OF_LISTS, OF_LIVE
from tseval.families.clusters.push_rules import PushRules
from tseval.families.clusters.pushes import PushIndex
from tseval.families.clusters.rules import POSTS, ClusterRules
from tseval.families.clusters.sampling import drawn
from tseval.families.clusters.tables import Clusters, Grades, Live, Posts, Selected
from tseval.files.epochs import read_epochs
from tseval.files.forms import Forms, check_forms, form_for, form_named
from tseval.files.frames import check_inputs
from tseval.parallel.runs import Spread
from tseval.tables import ABSENT, Ids, InputRecord, Origin, schema
from tseval.tables.arrow import strings
from tseval.tables.epochs import Epochs, days_of, snowflake_times
from tseval.tables.keys import last_row_of, pair_keys

if TYPE_CHECKING:
    import pandas as pd

    from tseval.tables.columns import FloatArray, IntArray

    Given: TypeAlias = str | Path | pd.DataFrame
    Index: TypeAlias = ClusterIndex | PushIndex | LiveIndex

NO_CURVES = ("scores", "clusters")
"""Where options have a meaning: in scores and explanations; curves take all from the runs."""
REMARKS_SHOWN = 5
Table = TypeVar("Table")
DAYS_CURE = "choose the edition whose days they are (--edition)"
GROUPS = "groups"
"""What latency, redundancy and coverage are taken from."""


@dataclass(frozen=True)
class ClusterInputs:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    runs: Sequence[Given] = argument("RUN", "one or more runs", schema.POSTS, several=True)
    clusters: Given = argument("CLUSTERS", "the file of clusters", schema.CLUSTERS)
    qrels: Given | None = file_option(
        "--qrels",
        "What assessors thought of posts: topic Q0 post grade.",
        within=NO_CURVES,
        table=tables.QRELS,
    )
    epochs: Given | None = file_option(
        "--epochs",
        "When posts were created: post YYYYMMDD epoch.",
        within=NO_CURVES,
        table=schema.EPOCHS,
    )
    live: Given | None = file_option(
        "--live", "Live judgments: topic post label.", within=NO_CURVES, table=tables.LIVE
    )
    live_epochs: Given | None = file_option(
        "--live-epochs",
        "When the posts of live judgments were created. Default: as --epochs.",
        within=NO_CURVES,
        table=schema.EPOCHS,
    )
    selected: Given | None = file_option(
        "--selected",
        "The selected posts: a table `topic post_id [run] [cluster_id]`, the last the post's own "
        "cluster.",
        within=NO_CURVES,
        table=tables.SELECTED,
    )


@dataclass(frozen=True)
class ClusterOptions:
    """How clusters get their times and topic, and how posts are selected.

    Selected posts are those whose latency and redundancy count: a sample, else those that the run
    or a file says, else all.
    """

    times: str | None = option(
        "--times",
        "Where the times of clusters come from. Default: their file, else --epochs.",
        choices=TIMES,
        within=NO_CURVES,
    )
    topic: str | None = option(
        "--topic",
        "The topic of clusters in two columns. Default: the file's name.",
        metavar="NAME",
        within=NO_CURVES,
    )
    sample: int | None = option(
        "--sample",
        "Select up to N posts of each run and topic, of those in a cluster.",
        metavar="N",
        kind=int,
        at_least=1,
        within=NO_CURVES,
    )
    sampling: str = option(
        "--sampling",
        "How: those of highest confidence, or at random.",
        default=SAMPLINGS[0],
        choices=SAMPLINGS,
        shows_default=True,
        within=NO_CURVES,
    )
    seed: int = option(
        "--seed",
        "For everything random.",
        default=0,
        kind=int,
        shows_default=True,
        within=NO_CURVES,
    )


@dataclass(frozen=True)
class ClusterTables:
    """The inputs as tables."""

    posts: Posts
    clusters: Clusters | None
    """None where no measure needs them."""
    grades: Grades | None
    epochs: Epochs | None
    live: Live | None
    live_epochs: Epochs | None

    def _origins(self, *, apart: bool) -> dict[str, Origin]:
        """Where each table beside the runs comes from."""
        named = {
            "clusters": self.clusters,
            "qrels": self.grades,
            "epochs": self.epochs,
            "live": self.live,
            "live-epochs": self.live_epochs if apart else None,
        }
        given = {name: each.origin for name, each in named.items() if each is not None}
        return {name: origin for name, origin in given.items() if origin is not None}

    def hashes(self, *, apart: bool) -> dict[str, str]:
        """The short hash of each input that can change a number, beside the runs themselves."""
        return {
            name: f"sha256:{origin.sources[0].sha256[:SHORT_HASH]}"
            for name, origin in self._origins(apart=apart).items()
        }

    def records(self, *, apart: bool) -> tuple[InputRecord, ...]:
        """Every input with its hash and its number of rows; `apart`: live epochs are a file."""
        origins = [self.posts.origin, *self._origins(apart=apart).values()]
        return tuple(source for origin in origins for source in origin.sources)


@dataclass(frozen=True, kw_only=True)
class ClusterEvaluation(Evaluation):
    """Runs and clusters, ready for any measure."""

    words: ClassVar[Words] = Words("posts", pooled_by="proposal")

    rules: ClusterRules
    """The edition's rules, with those that were asked for."""
    tables: ClusterTables
    options: ClusterOptions
    named: Selected | None
    """The posts that the run or a file selects."""
    unread: tuple[str, ...]
    """Which columns of the runs are not read, and why."""

    @cached_property
    def groups(self) -> ClusterIndex:
        """What latency, redundancy and coverage need: there a post is returned once."""
        _check_repeats(self.tables.posts)
        posts, named = self.tables.posts, self.named
        index = (
            ClusterIndex.build(posts, self._clusters)
            if named is None
            else ClusterIndex.build(posts, self._clusters, named.posts, named.own)
        )
        chosen = self.options
        if chosen.sample is not None:
            taken = drawn(index, chosen.sample, chosen.sampling, chosen.seed)
            return replace(index, selected=taken)
        _check_selected(index)
        if named is not None:
            _check_own(index, named)
        return index

    @property
    def index(self) -> ClusterIndex:
        """What is followed over time."""
        return self.groups

    @property
    def starts(self) -> FloatArray:
        """When each topic starts: with the earliest post in a cluster of it."""
        return self.groups.starts

    @property
    def ends(self) -> FloatArray:
        """When each topic ends: with the latest post in a cluster of it."""
        return self.groups.ends

    @property
    def latest(self) -> FloatArray:
        """The time of each topic's latest post in a cluster, which is its end."""
        return self.groups.ends

    @property
    def sent(self) -> tuple[IntArray, FloatArray]:
        """The unit of every post of a judged topic, and when the run returned it."""
        rows = self.groups.returned
        return self.groups.unit[rows], self.groups.posts.time[rows]

    @property
    def _clusters(self) -> Clusters:
        if self.tables.clusters is None:
            raise UsageError("these measures need clusters")
        return self.tables.clusters

    @cached_property
    def pushes(self) -> PushIndex:
        """What the measures of days need."""
        rules = self._push_rules("the measures of days")
        if self.tables.grades is None:
            raise UsageError(f"edition {self.edition.name} needs the qrels: --qrels FILE")
        if self.tables.epochs is None:
            raise UsageError(
                f"edition {self.edition.name} needs to know when posts were created: "
                "--epochs FILE, or --times snowflake"
            )
        posts = self.tables.posts
        index = PushIndex.build(
            posts, self._clusters, self.tables.grades, self.tables.epochs, rules
        )
        _check_days(index, posts, self.days)
        return index

    @property
    def days(self) -> str:
        """The days of the evaluation in words."""
        days = self._push_rules("the measures of days").days
        return f"the days of edition {self.edition.name} ({days[0]} to {days[-1]})"

    @cached_property
    def judged(self) -> LiveIndex:
        """What the live measures need."""
        rules = self._push_rules("the live measures")
        if self.tables.live is None:
            raise UsageError("the live measures need live judgments: --live FILE")
        if self.tables.live_epochs is None:
            raise UsageError("the live measures need --epochs FILE, or --live-epochs FILE")
        if not rules.live_labels:
            raise UsageError(f"edition {self.edition.name} had no live judgments")
        if self.tables.posts.day is not None:
            raise UsageError("daily lists have no push times: the live measures need runs A")
        index = LiveIndex.build(self.tables.posts, self.tables.live, self.tables.live_epochs, rules)
        _check_live(index, self.tables.live)
        return index

    def _push_rules(self, what: str) -> PushRules:
        if not isinstance(self.rules, PushRules):
            raise UsageError(f"{what} need the rules of an edition: --edition {push_editions()}")
        return self.rules

    def pools(self, measure: Measure) -> bool:
        """Whether `all` of a measure is that of all topics' posts together."""
        return measure.definition.reads == MEAN and self.rules.mean == POSTS

    def index_of(self, measure: Measure) -> Index:
        """What a measure is taken from; what it lacks is a `UsageError`."""
        need = need_of(measure)
        if need == GROUPS:
            if self.tables.posts.day is not None:
                raise UsageError(f"{measure}: daily lists have no times; it needs runs A")
            return self.groups
        if measure.at is not None:
            raise UsageError(f"{measure}: a measure of whole days has no @TIME")
        if need == LIVE:
            return self.judged
        _check_kind(self.pushes, measure, need)
        return self.pushes

    def times_of(self, measure: Measure, index: Index) -> FloatArray:
        """When a measure is taken in each unit; those of days are of the whole."""
        if isinstance(index, ClusterIndex):
            return super().times_of(measure, index)
        return np.full(len(index.runs) * len(index.topics), np.inf)

    def default_measures(self) -> Sequence[str]:
        """Those that the edition has for such inputs."""
        if not isinstance(self.rules, PushRules):
            return self.edition.measures
        lists = self.tables.posts.day is not None
        batch = [each.name for each in OF_LISTS] if lists else list(self.edition.measures)
        if self.tables.live is None:
            return batch
        live = [each.name for each in OF_LIVE]
        return live if self.tables.grades is None else [*batch, *live]

    def has_times(self, measure: Measure) -> bool:
        """Measures of days, and live ones, are of the whole."""
        return need_of(measure) == GROUPS

    def follows(self, measure: Measure) -> bool:
        """Latency, redundancy and coverage have curves."""
        return need_of(measure) == GROUPS

    def caveats(self, wanted: Sequence[Measure]) -> Iterator[str]:
        """What is not wrong, but what a reader of these measures should know."""
        indexes = {id(index): index for index in map(self.index_of, wanted)}
        return caveats(self, list(indexes.values()), wanted)


def need_of(measure: Measure) -> str:
    """What a measure is taken from."""
    return NEEDS.get(measure.definition.name, GROUPS)


def push_editions() -> str:
    """The editions of push evaluations, by name."""
    return ", ".join(
        each.name for each in family(FAMILY).editions if isinstance(each.rules, PushRules)
    )


def _check_kind(index: PushIndex, measure: Measure, need: str) -> None:
    """Refuse measures of the other scenario, and those of 2015 without its gains."""
    if index.lists != (need == LISTS):
        kind, other = ("daily lists", "runs A") if index.lists else ("runs A", "daily lists")
        raise UsageError(f"{measure} is not for {kind}, but for {other}")
    if measure.definition.reads and index.rules.gain != "discounted":
        raise UsageError(f"{measure} needs the discounted gains of 2015: --rule gain=discounted")


def _check_days(index: PushIndex, posts: Posts, days: str) -> None:
    """A run of which no day is one of the evaluation's is likely of another year's."""
    for code, run in enumerate(posts.run.vocabulary()):
        known = np.flatnonzero((posts.run.codes == code) & (index.day != 0))
        if not len(known) or not index.outside[known].all():
            continue
        own = index.day[known]
        reason = (
            f'every post of judged topics of run "{run}" is outside of {days}: '
            f"its days are {own.min()} to {own.max()}"
        )
        raise InputError([posts.origin.fault(int(known[0]), reason, DAYS_CURE)])


def _check_repeats(posts: Posts) -> None:
    """A post that a push evaluation takes twice cannot be in a cluster twice."""
    repeats, originals = formats.repeated_posts(posts)
    raise_faults(
        posts.origin.fault(
            row,
            f'post "{posts.post_id[row]}" stands twice within topic "{posts.topic[row]}": latency, '
            "redundancy and coverage take each post once",
            f"first at {posts.origin.place(first)}: remove one of them",
        )
        for row, first in zip(repeats.tolist(), originals.tolist(), strict=True)
    )


def raise_faults(faults: Iterable[Fault]) -> None:
    """Raise these faults, if there is any."""
    found = list(faults)
    if found:
        raise InputError(found)


def _check_live(index: LiveIndex, live: Live) -> None:
    """Refuse judgments of other runs: nobody looked at any post of these."""
    unmet = int(index.unmet.sum())
    if not unmet or not (index.unmet > 0).all() or not len(live.topic):
        return
    reason = (
        f"{none_of('the', unmet, 'post', 'posts')} judged here, of all that the runs have in "
        f'judged topics: the judgments are of posts such as "{live.post_id[0]}" of topic '
        f'"{live.topic[0]}", the runs are {listed(index.runs)}'
    )
    cure = "give the judgments that assessors made of these runs, with the posts' own ids"
    raise InputError([live.origin.fault(0, reason, cure)])


def _check_selected(index: ClusterIndex) -> None:
    """A selected post that is in no cluster has no latency: a fault of the run."""
    lost = np.flatnonzero(index.selected & ~index.clustered)
    if not len(lost):
        return
    cure = "the assessors' clusters must hold every selected post"
    posts = index.posts
    raise InputError(
        [
            posts.origin.fault(
                row,
                f'selected post "{posts.post_id[row]}" of topic "{posts.topic[row]}" '
                "is in no cluster",
                cure,
            )
            for row in lost.tolist()
        ]
    )


def _check_own(index: ClusterIndex, named: Selected) -> None:
    """A selected post is in the cluster that was made for it."""
    if named.own is None:
        return
    own, posts, clusters = named.own, index.posts, index.clusters
    told = named.posts & (own.within(strings([""])) == ABSENT)
    lost = np.flatnonzero(told & (index.own == ABSENT))
    known = pair_keys(clusters.topic, clusters.cluster_id, clusters.topic, clusters.cluster_id)
    wanted = pair_keys(posts.topic, own, clusters.topic, clusters.cluster_id)
    there = last_row_of(wanted, known) != ABSENT
    raise_faults(
        named.origin.fault(
            int(named.row[row]),
            f'selected post "{posts.post_id[row]}" of topic "{posts.topic[row]}" is not in its '
            f'own cluster "{own[row]}"'
            if there[row]
            else f'topic "{posts.topic[row]}" has no cluster "{own[row]}", which is said to be '
            f'that of the selected post "{posts.post_id[row]}"',
            "cluster_id names the cluster that was made for the post, and that holds it: correct "
            "one of the two files, or leave cluster_id empty where none was made",
        )
        for row in lost[np.argsort(named.row[lost], kind="stable")].tolist()
    )


def read(
    inputs: ClusterInputs,
    options: ClusterOptions,
    edition: Edition[ClusterRules],
    rules: Mapping[str, str],
    access: Access,
) -> ClusterEvaluation:
    """Read every input that was given; a fault in any of them is an `InputError`.

    The live measures alone need no clusters; where there are live judgments, posts of clusters may
    lack a time, and are then left out with a warning. It is the reading of the runs that is shared.
    """
    changed = edition.rules.changed(rules)
    check_inputs(_listed(inputs))
    form = partial(_form, access.forms)
    epochs = _read(inputs.epochs, form("epochs"), read_epochs)
    push = changed if isinstance(changed, PushRules) else None
    read_posts = partial(
        formats.read_posts,
        inputs.runs,
        form("run"),
        each=Spread(access.sharing),
        repeats=push is not None and push.repeated_posts == "keep",
    )
    read_clusters = partial(_clusters, inputs, options, form("clusters"))
    needed = _needs_clusters(inputs, access.wanted)
    posts, clusters = _runs_and_clusters(
        inputs, options, push, epochs, read_posts, read_clusters if needed else None
    )
    prefix = "" if push is None else push.topic_prefix
    apart = inputs.live_epochs is not None
    tables = ClusterTables(
        posts=posts,
        clusters=clusters,
        grades=_read(inputs.qrels, form("qrels"), partial(formats.read_grades, prefix=prefix)),
        epochs=_epochs(epochs, options, posts, clusters),
        live=_read(inputs.live, form("live"), formats.read_live),
        live_epochs=_read(inputs.live_epochs, form("live_epochs"), read_epochs) or epochs,
    )
    named, how = _named(inputs, options, posts, form("selected"))
    chosen_file = None if inputs.selected is None or named is None else named.origin
    return ClusterEvaluation(
        edition=edition,
        rules=changed,
        tables=tables,
        options=options,
        named=named,
        unread=_unread(inputs, options, posts),
        traits=_traits(edition, changed, options, how)
        | tables.hashes(apart=apart)
        | hashes({"selection": chosen_file}),
        inputs=tables.records(apart=apart) + (() if chosen_file is None else chosen_file.sources),
    )


def _form(forms: Forms, name: str) -> str | None:
    """The format of one of the inputs; None leaves it to its content.

    One for all is that of runs and clusters: the other files have forms of their own.
    """
    check_forms(forms, input_tables(ClusterInputs))
    return (form_for if name in ("run", "clusters") else form_named)(forms, name)


def _needs_clusters(inputs: ClusterInputs, wanted: Sequence[str | Measure]) -> bool:
    """Whether any of these measures, or of the edition's, is not of live judgments alone."""
    if inputs.live is None:
        return True
    asked = measures(wanted, FAMILY)
    return any(need_of(each) != LIVE for each in asked) if asked else inputs.qrels is not None


def _read(source: Given | None, form: str | None, reader: Callable[..., Table]) -> Table | None:
    """A table that may not be given."""
    return None if source is None else reader(source, form=form)


def _listed(inputs: ClusterInputs) -> list[Given]:
    """Every input that was given."""
    single = (
        inputs.clusters,
        inputs.qrels,
        inputs.epochs,
        inputs.live,
        inputs.live_epochs,
        inputs.selected,
    )
    return [*inputs.runs, *(each for each in single if each is not None)]


def _runs_and_clusters(
    inputs: ClusterInputs,
    options: ClusterOptions,
    rules: PushRules | None,
    epochs: Epochs | None,
    read_posts: Callable[[int | None], Posts],
    read_clusters: Callable[[formats.Clock | None], Clusters] | None,
) -> tuple[Posts, Clusters | None]:
    """The runs, and the clusters with their times, which may come from the runs."""
    year = None if rules is None else rules.days[0] // 10_000
    if not inputs.runs:
        raise UsageError("no run is given: name at least one table of posts")
    if read_clusters is None:
        return read_posts(year), None
    if options.times == "run":
        posts = read_posts(year)
        return posts, read_clusters(formats.run_clock(posts))
    clusters = read_clusters(_clock(options, epochs))
    if year is None:
        year = int(days_of(clusters.time[:1])[0]) // 10_000
    return read_posts(year), clusters


def _clock(options: ClusterOptions, epochs: Epochs | None) -> formats.Clock | None:
    """What tells the times of clusters; None leaves it to their file."""
    if options.times == "snowflake":
        return snowflake_times
    if options.times == "epochs" and epochs is None:
        raise UsageError("times from epochs need --epochs FILE")
    if options.times not in (None, *TIMES):
        raise UsageError(f"unknown times '{options.times}'; known: {', '.join(TIMES)}")
    return None if epochs is None else epochs.times_of


def _clusters(
    inputs: ClusterInputs, options: ClusterOptions, form: str | None, clock: formats.Clock | None
) -> Clusters:
    return formats.read_clusters(
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


def _named(
    inputs: ClusterInputs, options: ClusterOptions, posts: Posts, form: str | None
) -> tuple[Selected | None, str]:
    """The posts that a file or the runs select, and how posts are selected in words."""
    if inputs.selected is not None and options.sample is not None:
        raise UsageError("give selected posts or a sample to draw, not both")
    if inputs.selected is not None:
        return formats.read_selected(inputs.selected, posts, form), "file"
    if options.sample is None and options.sampling == RANDOM:
        raise UsageError("random sampling draws nothing without a number: give --sample N")
    if options.sample is not None:
        seed = f",seed={options.seed}" if options.sampling == RANDOM else ""
        return None, f"{options.sampling}({options.sample}{seed})"
    if posts.selected is None:
        return None, "all"
    return Selected(posts.selected, posts.own, posts.origin, np.arange(len(posts))), "column"


def _traits(
    edition: Edition[ClusterRules], rules: ClusterRules, options: ClusterOptions, selected: str
) -> dict[str, str]:
    """The rules that are not the edition's, and where times come from."""
    changed = rules.differences(edition.rules)
    traits = {"rules": ",".join(f"{name}={value}" for name, value in changed.items())}
    traits["times"] = options.times or ""
    traits["selected"] = selected if not isinstance(rules, PushRules) or selected != "all" else ""
    return {name: value for name, value in traits.items() if value}
