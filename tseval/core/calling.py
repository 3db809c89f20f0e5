"""The call in Python: from inputs and options of any family to scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from tseval.core import registry
from tseval.core.declared import rules
from tseval.core.family import Access, Family, asked_for
from tseval.core.measure import Measure
from tseval.core.naming import Naming, named
from tseval.core.scores import Scores
from tseval.core.scoring import chosen_measures, scores_of
from tseval.files.columns import Columns
from tseval.files.forms import Forms
from tseval.parallel.sharing import Sharing, shared

if TYPE_CHECKING:
    from tseval.parallel.engine import Engine

Inputs = TypeVar("Inputs")
Options = TypeVar("Options")


@dataclass(frozen=True)
class CommonOptions:
    """The options of every family: measures, times, rules, and what becomes of what lacks."""

    measures: Iterable[str | Measure] | str | Measure | None = None
    at: str | Sequence[str] = ()
    edition: str | None = None
    """None for the family's first."""
    rules: Mapping[str, str] = field(default_factory=dict)
    on_missing: str | None = None
    undefined: str = "skip"
    forms: Forms = None
    """The formats of inputs, where they are not to be recognised."""
    columns: Columns = None
    """What the inputs call their columns, where they call them otherwise."""
    per_topic: bool = True
    """Whether the values of single topics are of interest."""


@dataclass(frozen=True)
class Where:
    """Where the work runs; no score depends on it."""

    jobs: int | None = None
    engine: str | Engine = "local"
    scheduler: str | None = None
    resume: bool = False
    """Whether matches are kept on disk as they are found, and those of an earlier run taken."""

    def shared(self) -> AbstractContextManager[Sharing]:
        """The work shared so, until the end of the block."""
        return shared(self.engine, self.jobs, self.scheduler, resume=self.resume)


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
        wanted = tuple(asked_for(common.measures))
        access = Access(common.forms, sharing, wanted=wanted)
        inputs = named(inputs, Naming.of(common.columns))
        return family.read(inputs, options, edition, rules(common.rules.items(), options), access)


def scored(
    family: Family[Inputs, Options],
    inputs: Inputs,
    options: Options,
    common: CommonOptions,
    where: Where,
) -> Scores:
    """The scores of inputs."""
    evaluation = evaluated(family, inputs, options, common, where)
    wanted = chosen_measures(evaluation, asked_for(common.measures), common.at)
    return scores_of(
        evaluation, wanted, common.on_missing, common.undefined, per_topic=common.per_topic
    )
