"""The call in Python: from inputs and options of any family to scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from tseval.core import registry
from tseval.core.declared import UNRESUMED, UNSHARED, option, rules
from tseval.core.family import Access, Family, ViewRequest, as_measures
from tseval.core.measure import Measure
from tseval.core.naming import Naming, named
from tseval.core.scores import Scores
from tseval.core.scoring import chosen_measures, missing_topics, scores_of
from tseval.errors import check_known
from tseval.io.columns import Columns, TimeWords
from tseval.io.formats import Forms
from tseval.io.schema import ALL_TOPICS
from tseval.io.times import TIMES, early
from tseval.parallel.sharing import Sharing, shared
from tseval.records import frozen

if TYPE_CHECKING:
    import pandas as pd

    from tseval.parallel.engine import Engine

Inputs = TypeVar("Inputs")
Options = TypeVar("Options")


@frozen
class CommonOptions:
    """The options of every family: measures, times, rules, and what becomes of what lacks."""

    measures: Iterable[str | Measure] | str | Measure | None = None
    at: str | Sequence[str] | None = None
    edition: str | None = None
    """None for the family's first."""
    rules: Mapping[str, str] = field(default_factory=dict)
    on_missing: str | None = None
    undefined: str = "skip"
    forms: Forms = None
    """The formats of inputs, where they are not to be recognised."""
    columns: Columns = None
    """What the inputs call their columns, where they call them otherwise."""
    times: TimeWords = field(default_factory=TimeWords)
    """How the inputs write times: their format, zone and clock."""
    per_topic: bool = True
    """Whether the values of single topics are of interest."""


sharing = partial(option, not_within=(UNSHARED,))


@frozen
class Where:
    """Where the work runs; no score depends on it."""

    jobs: int | None = sharing(
        "-j",
        "--jobs",
        "How many processes work. Default: 1, or with --engine dask one a core.",
        metavar="N",
        at_least=1,
    )
    engine: str | Engine = sharing(
        "Where the work runs: on this machine, or on a Dask cluster. The result is the same.",
        default="local",
        metavar="local|dask",
    )
    scheduler: str | None = sharing(
        "The cluster's scheduler, such as tcp://10.0.0.1:8786; tls:// encrypts. It and its "
        "workers are trusted: what they send back may run code here. Default: a cluster on this "
        "machine, for as long as it is needed.",
        metavar="URL",
    )
    resume: bool = option(
        "Keep the matches on disk as they are found, and take those that an earlier run kept.",
        kind=bool,
        not_within=(UNSHARED, UNRESUMED),
    )

    def shared(self) -> AbstractContextManager[Sharing]:
        """The work shared so, until the end of the block."""
        return shared(self.engine, self.jobs, self.scheduler, resume=self.resume)


class Asking(NamedTuple):
    """What a call in Python asks for."""

    family: Family[Any, Any]
    inputs: Any
    options: Any
    common: CommonOptions
    where: Where


def evaluated(
    family: Family[Inputs, Options],
    inputs: Inputs,
    options: Options,
    common: CommonOptions | None = None,
    where: Where | None = None,
) -> Any:
    """The family's evaluation: inputs, read with options by an edition's rules."""
    common, where = common or CommonOptions(), where or Where()
    edition = registry.edition(common.edition, family.name)
    with where.shared() as sharing:
        wanted = tuple(as_measures(common.measures))
        access = Access(common.forms, sharing, wanted=wanted)
        inputs = named(inputs, Naming.of(common.columns, common.times))
        return family.read(inputs, options, edition, rules(common.rules.items(), options), access)


def explained(
    family: Family[Inputs, Options],
    inputs: Inputs,
    options: Options,
    asked: CommonOptions,
    where: Where | None = None,
    *,
    view: str,
) -> pd.DataFrame:
    """What a view of the family shows instead of scores; times are dates."""
    views = {each.name: each for each in family.views if not each.asked_by}
    check_known("view", view, views)
    chosen = views[view]
    evaluation = evaluated(family, inputs, options, asked, where)
    wanted: list[Measure] = []
    if chosen.takes_measures:
        wanted = chosen_measures(
            evaluation, as_measures(asked.measures) or chosen.measures, asked.at
        )
    shown = chosen.rows(evaluation, ViewRequest(tuple(wanted), options, per_topic=True))
    return with_dates(shown.frame)


def curved(
    family: Family[Inputs, Options],
    inputs: Inputs,
    options: Options,
    asked: CommonOptions,
    where: Where | None = None,
) -> pd.DataFrame:
    """Each measure at every time at which it can change; of topics too if they are of interest."""
    from tseval.core.curves import curves, followed_measures, frame

    evaluation = evaluated(family, inputs, options, asked, where)
    named = as_measures(asked.measures)
    chosen = chosen_measures(evaluation, named, asked.at)
    wanted = followed_measures(evaluation, chosen, named=bool(named))
    index, rule = evaluation.index, asked.on_missing or evaluation.edition.on_missing
    topics = [*(index.topics if asked.per_topic else ()), ALL_TOPICS]
    counted = missing_topics([index], rule, evaluation.words).counted
    as_zero = asked.undefined == "zero"
    drawn = curves(evaluation, wanted, topics, counted=counted, undefined_as_zero=as_zero)
    return with_dates(frame(list(drawn)))


def with_dates(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with its columns of Unix seconds as time stamps, but for times of another era."""
    import pandas as pd

    dated = {}
    for name in [name for name in TIMES if name in frame]:
        seconds = frame[name].astype("float64")
        if not early(seconds.dropna()).any():
            dated[name] = pd.to_datetime(seconds, unit="s", utc=True)
    return frame.assign(**dated)


def scored(
    family: Family[Inputs, Options],
    inputs: Inputs,
    options: Options,
    common: CommonOptions,
    where: Where,
) -> Scores:
    """The scores of inputs."""
    evaluation = evaluated(family, inputs, options, common, where)
    wanted = chosen_measures(evaluation, as_measures(common.measures), common.at)
    return scores_of(
        evaluation, wanted, common.on_missing, common.undefined, per_topic=common.per_topic
    )
