"""From inputs to everything that a measure over clusters needs: read, indexed, described.

`ClusterEvaluation` indexes the tables when a measure asks: the groups for latency and redundancy,
the days for the push measures, the live judgments for theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, TypeAlias, TypeVar

import numpy as np

from tseval.core.editions import Edition
from tseval.core.family import Access, Evaluation, Words, hashes
from tseval.core.measure import Measure
from tseval.core.pools import MEAN
from tseval.core.registry import family
from tseval.errors import UsageError
from tseval.families.clusters.caveats import (
    caveats,
    check_days,
    check_live,
    check_own,
    check_repeats,
    check_selected,
)
from tseval.families.clusters.grouping import ClusterIndex
from tseval.families.clusters.inputs import (
    ClusterInputs,
    ClusterOptions,
    ClusterTables,
    read_tables,
)
from tseval.families.clusters.live import LiveIndex
from tseval.families.clusters.measures import FAMILY
from tseval.families.clusters.push import GROUPS, LISTS, LIVE, OF_LISTS, OF_LIVE, need_of
from tseval.families.clusters.push_rules import PushRules
from tseval.families.clusters.pushes import PushIndex
from tseval.families.clusters.rules import POSTS, ClusterRules
from tseval.families.clusters.sampling import drawn
from tseval.families.clusters.tables import Clusters
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray, IntArray

    Index: TypeAlias = ClusterIndex | PushIndex | LiveIndex

REMARKS_SHOWN = 5
Table = TypeVar("Table")


@frozen(kw_only=True)
class ClusterEvaluation(Evaluation):
    """Runs and clusters, ready for any measure."""

    words: ClassVar[Words] = Words("posts", pooled_by="proposal")

    edition: Edition[ClusterRules]
    tables: ClusterTables
    options: ClusterOptions

    @cached_property
    def groups(self) -> ClusterIndex:
        """What latency, redundancy and coverage need: there a post is returned once."""
        posts, named = self.tables.posts, self.tables.selected
        check_repeats(posts)
        index = (
            ClusterIndex.build(posts, self._clusters)
            if named is None
            else ClusterIndex.build(posts, self._clusters, named.posts, named.own)
        )
        chosen = self.options
        if chosen.sample is not None:
            taken = drawn(index, chosen.sample, chosen.sampling, chosen.seed)
            return replace(index, selected=taken)
        check_selected(index)
        if named is not None:
            check_own(index, named)
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
        check_days(index, posts, rules.period_of(self.edition.name))
        return index

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
        check_live(index, self.tables.live)
        return index

    def _push_rules(self, what: str) -> PushRules:
        rules = self.edition.rules
        if not isinstance(rules, PushRules):
            raise UsageError(f"{what} need the rules of an edition: --edition {push_editions()}")
        return rules

    def pools(self, measure: Measure) -> bool:
        """Whether `all` of a measure is that of all topics' posts together."""
        return measure.definition.reads == MEAN and self.edition.rules.mean == POSTS

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
        return np.full(index.units, np.inf)

    def default_measures(self) -> Sequence[str]:
        """Those that the edition has for such inputs."""
        if not isinstance(self.edition.rules, PushRules):
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
        given = (self.tables, self.options, self.edition.name)
        return caveats(*given, list(indexes.values()), wanted)


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


def read(
    inputs: ClusterInputs,
    options: ClusterOptions,
    edition: Edition[ClusterRules],
    rules: Mapping[str, str],
    access: Access,
) -> ClusterEvaluation:
    """Read every input that was given; a fault in any of them is an `InputError`."""
    changed = edition.rules.changed(rules)
    tables = read_tables(inputs, options, changed, access)
    by_days = isinstance(changed, PushRules) and tables.selection == "all"
    traits = {
        "rules": changed.said(edition.rules),
        "times": options.times or "",
        "selected": "" if by_days else tables.selection,
    }
    return ClusterEvaluation(
        edition=replace(edition, rules=changed),
        tables=tables,
        options=options,
        traits=traits | hashes(tables.origins),
        inputs=tables.records(),
    )
