"""From files to everything that a measure over clusters needs: read, selected, described.

`read` brings the tables together; `ClusterEvaluation` indexes them when a measure asks: the groups
for latency and redundancy, the days for the push measures, the live judgments for theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from tseval.caveats import listed, none_of
from tseval.editions import EDITIONS, Edition, edition
from tseval.errors import Fault, InputError, UsageError
from tseval.evaluation import SHORT_HASH
from tseval.formats import clusters as formats
from tseval.formats.cluster_imports import TIMES
from tseval.formats.forms import Forms, check_forms, form_for, form_named
from tseval.formats.temporal import check_inputs
from tseval.measures import Measure
from tseval.measures.cluster_rules import POSTS, ClusterRules
from tseval.measures.clusters import FAMILY, MEAN
from tseval.measures.grouping import ClusterIndex
from tseval.measures.live import LiveIndex
from tseval.measures.push import LISTS, LIVE, NEEDS
from tseval.measures.push_rules import PushRules
from tseval.measures.pushes import PushIndex
from tseval.measures.sampling import drawn
from tseval.tables import ABSENT, Ids, Origin, Source
from tseval.tables.arrow import strings
from tseval.tables.clusters import Clusters, Epochs, Grades, Live, Posts, Selected
from tseval.tables.keys import last_row_of, pair_keys
from tseval.units import ALONE, Sharing, Spread
from tseval.version import VERSION

if TYPE_CHECKING:
    import pandas as pd

    from tseval.tables.columns import FloatArray, IntArray

    Given: TypeAlias = str | Path | pd.DataFrame
    Index: TypeAlias = ClusterIndex | PushIndex | LiveIndex

INPUTS = ("run", "clusters", "qrels", "epochs", "live", "live_epochs", "selected")
"""What the inputs are called."""
REMARKS_SHOWN = 5
Table = TypeVar("Table")
DAYS_CURE = "choose the edition whose days they are (--edition)"
GROUPS = "groups"
"""What latency, redundancy and coverage are taken from."""


@dataclass(frozen=True)
class ClusterSources:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    runs: Sequence[Given]
    clusters: Given
    qrels: Given | None = None
    epochs: Given | None = None
    live: Given | None = None
    live_epochs: Given | None = None
    selected: Given | None = None
    times: str | None = None
    """Where the clusters' times come from, where neither their file nor the epochs are to say."""
    topic: str | None = None
    """The topic of a list of two columns."""
    form: Forms = None
    """The format of runs and clusters, or of each of `INPUTS`, where it is not to be recognised."""

    def form_of(self, name: str) -> str | None:
        """The format of one of `INPUTS`; None leaves it to its content.

        One for all is that of runs and clusters: the other files have forms of their own.
        """
        check_forms(self.form, INPUTS)
        return (form_for if name in INPUTS[:2] else form_named)(self.form, name)


@dataclass(frozen=True)
class Selection:
    """How the posts are selected whose latency and redundancy count."""

    sample: int | None = None
    """How many of each run and topic are drawn; without it the run or a file says, else all."""
    sampling: str = "confidence"
    seed: int = 0


@dataclass(frozen=True)
class Tables:
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

    def records(self, *, apart: bool) -> tuple[Source, ...]:
        """Every input with its hash and its number of rows; `apart`: live epochs are a file."""
        origins = [self.posts.origin, *self._origins(apart=apart).values()]
        return tuple(source for origin in origins for source in origin.sources)


@dataclass(frozen=True)
class ClusterEvaluation:
    """Runs and clusters, ready for any measure."""

    edition: Edition
    rules: ClusterRules
    """The edition's habits, with those that were asked for."""
    tables: Tables
    selection: Selection
    named: Selected | None
    """The posts that the run or a file selects."""
    unread: tuple[str, ...]
    """Which columns of the runs are not read, and why."""
    traits: Mapping[str, str]
    inputs: tuple[Source, ...]

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
        if self.selection.sample is not None:
            chosen = self.selection
            taken = drawn(index, chosen.sample or 0, chosen.sampling, chosen.seed)
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

    def signature(self, **more: str) -> str:
        """One line that names all that can change a number."""
        parts = {"tseval": VERSION, "edition": self.edition.name} | dict(self.traits) | more
        return "|".join(f"{name}:{value}" for name, value in parts.items())


def need_of(measure: Measure) -> str:
    """What a measure is taken from."""
    return NEEDS.get(measure.definition.name, GROUPS)


def push_editions() -> str:
    """The editions of push evaluations, by name."""
    return ", ".join(each.name for each in EDITIONS if each.push is not None)


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
    sources: ClusterSources,
    edition_name: str = "proposal",
    selection: Selection | None = None,
    given_rules: Mapping[str, str] | None = None,
    *,
    clusters_needed: bool = True,
    sharing: Sharing = ALONE,
) -> ClusterEvaluation:
    """Read every input that was given; a fault in any of them is an `InputError`.

    The live measures alone need no clusters; where there are live judgments, posts of clusters may
    lack a time, and are then left out with a warning. It is the reading of the runs that is shared.
    """
    chosen = edition(edition_name, FAMILY)
    rules = _changed(chosen, given_rules or {})
    check_inputs(_listed(sources))
    form = sources.form_of
    epochs = _read(sources.epochs, form("epochs"), formats.read_epochs)
    push = rules if isinstance(rules, PushRules) else None
    repeats = push is not None and push.repeated_posts == "keep"
    read_posts = partial(
        formats.read_posts, sources.runs, form("run"), each=Spread(sharing), repeats=repeats
    )
    posts, clusters = _runs_and_clusters(sources, push, epochs, clusters_needed, read_posts)
    prefix = "" if push is None else push.topic_prefix
    apart = sources.live_epochs is not None
    tables = Tables(
        posts=posts,
        clusters=clusters,
        grades=_read(sources.qrels, form("qrels"), partial(formats.read_grades, prefix=prefix)),
        epochs=_epochs(epochs, sources, posts, clusters),
        live=_read(sources.live, form("live"), formats.read_live),
        live_epochs=_read(sources.live_epochs, form("live_epochs"), formats.read_epochs) or epochs,
    )
    selection = selection or Selection()
    named, how = _named(sources, posts, selection)
    chosen_file = () if sources.selected is None or named is None else named.origin.sources
    return ClusterEvaluation(
        edition=chosen,
        rules=rules,
        tables=tables,
        selection=selection,
        named=named,
        unread=_unread(sources, posts, selection),
        traits=_traits(chosen, rules, sources, how)
        | tables.hashes(apart=apart)
        | ({"selection": f"sha256:{chosen_file[0].sha256[:SHORT_HASH]}"} if chosen_file else {}),
        inputs=tables.records(apart=apart) + chosen_file,
    )


def _read(source: Given | None, form: str | None, reader: Callable[..., Table]) -> Table | None:
    """A table that may not be given."""
    return None if source is None else reader(source, form=form)


def _habits(chosen: Edition) -> ClusterRules:
    return chosen.push or chosen.clusters or ClusterRules()


def _changed(chosen: Edition, given: Mapping[str, str]) -> ClusterRules:
    """The edition's habits with those that were asked for."""
    return _habits(chosen).changed(given)


def _listed(sources: ClusterSources) -> list[Given]:
    """Every input that was given."""
    single = (
        sources.clusters,
        sources.qrels,
        sources.epochs,
        sources.live,
        sources.live_epochs,
        sources.selected,
    )
    return [*sources.runs, *(source for source in single if source is not None)]


def _runs_and_clusters(
    sources: ClusterSources,
    rules: PushRules | None,
    epochs: Epochs | None,
    needed: bool,
    read_posts: Callable[[int | None], Posts],
) -> tuple[Posts, Clusters | None]:
    """The runs, and the clusters with their times, which may come from the runs."""
    year = None if rules is None else rules.days[0] // 10_000
    if not sources.runs:
        raise UsageError("no run is given: name at least one table of posts")
    if not needed or sources.times == "run":
        posts = read_posts(year)
        return posts, _clusters(sources, formats.run_clock(posts)) if needed else None
    clusters = _clusters(sources, _clock(sources, epochs))
    if year is None:
        year = int(formats.days_of(clusters.time[:1])[0]) // 10_000
    return read_posts(year), clusters


def _clock(sources: ClusterSources, epochs: Epochs | None) -> formats.Clock | None:
    """What tells the times of clusters; None leaves it to their file."""
    if sources.times == "snowflake":
        return formats.snowflake_clock
    if sources.times == "epochs" and epochs is None:
        raise UsageError("times from epochs need --epochs FILE")
    if sources.times not in (None, *TIMES):
        raise UsageError(f"unknown times '{sources.times}'; known: {', '.join(TIMES)}")
    return None if epochs is None else formats.epoch_clock(epochs)


def _clusters(sources: ClusterSources, clock: formats.Clock | None) -> Clusters:
    return formats.read_clusters(
        sources.clusters,
        sources.form_of("clusters"),
        clock,
        sources.topic,
        replace_times=sources.times is not None,
        may_lack_times=sources.live is not None,
    )


def _epochs(
    epochs: Epochs | None, sources: ClusterSources, posts: Posts, clusters: Clusters | None
) -> Epochs | None:
    """When posts were created, by a file or by their ids."""
    if epochs is not None or sources.times != "snowflake":
        return epochs
    ids = [posts.post_id] if clusters is None else [posts.post_id, clusters.post_id]
    every = Ids.of(strings(sorted({name for each in ids for name in each.vocabulary()})))
    time = formats.snowflake_clock(every)
    known = ~np.isnan(time)
    return Epochs(every.rows(known), formats.days_of(time[known]), time[known])


def _unread(sources: ClusterSources, posts: Posts, selection: Selection) -> tuple[str, ...]:
    """Which columns that select posts are not read, since something else selects them."""
    option = (
        "--selected" if sources.selected is not None else "--sample" if selection.sample else ""
    )
    if option and (posts.selected is not None or posts.unread):
        both = posts.own is not None
        columns = 'columns "selected" and "cluster_id" are' if both else 'column "selected" is'
        return (f"the runs' {columns} not read: {option} says which posts are selected",)
    return posts.unread


def _named(
    sources: ClusterSources, posts: Posts, selection: Selection
) -> tuple[Selected | None, str]:
    """The posts that a file or the runs select, and how posts are selected in words."""
    if sources.selected is not None and selection.sample is not None:
        raise UsageError("give selected posts or a sample to draw, not both")
    if sources.selected is not None:
        return formats.read_selected(sources.selected, posts, sources.form_of("selected")), "file"
    if selection.sample is not None:
        seed = f",seed={selection.seed}" if selection.sampling == "random" else ""
        return None, f"{selection.sampling}({selection.sample}{seed})"
    if posts.selected is None:
        return None, "all"
    return Selected(posts.selected, posts.own, posts.origin, np.arange(len(posts))), "column"


def _traits(
    chosen: Edition, rules: ClusterRules, sources: ClusterSources, selected: str
) -> dict[str, str]:
    """The rules that are not the edition's, and where times come from."""
    changed = rules.differences(_habits(chosen))
    traits = {"rules": ",".join(f"{name}={value}" for name, value in changed.items())}
    traits["times"] = sources.times or ""
    traits["selected"] = selected if chosen.push is None or selected != "all" else ""
    return {name: value for name, value in traits.items() if value}
