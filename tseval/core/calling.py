"""Calls in Python: from inputs and options of any family to scores, made of its declarations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import MISSING, Field, field, fields
from functools import partial
from importlib import import_module
from inspect import Parameter, Signature
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, NamedTuple

from tseval.core import registry
from tseval.core.declared import (
    SCORES,
    UNRESUMED,
    UNSHARED,
    Declared,
    build,
    declared,
    input_name,
    option,
    rules,
)
from tseval.core.family import Access, Family, ViewRequest, as_measures, several
from tseval.core.measure import Measure
from tseval.core.naming import Naming, named
from tseval.core.rules import NoRules
from tseval.core.scores import Scores
from tseval.core.scoring import chosen_measures, missing_topics, scores_of
from tseval.errors import check_known
from tseval.io.columns import Columns, TimeWords
from tseval.io.formats import Forms
from tseval.io.schema import ALL_TOPICS, Kind
from tseval.io.times import TIME_KEYS, TIMES, early
from tseval.parallel.sharing import Sharing, shared
from tseval.records import frozen

if TYPE_CHECKING:
    import pandas as pd

    from tseval.parallel.engine import Engine


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
        "Number of worker processes. Default: 1; with --engine dask, one per core.",
        metavar="N",
        at_least=1,
    )
    engine: str | Engine = sharing(
        "Where the work runs: on this machine, or on a Dask cluster. The result is the same.",
        default="local",
        metavar="local|dask",
    )
    scheduler: str | None = sharing(
        "The address of the Dask scheduler, such as tcp://10.0.0.1:8786; tls:// encrypts. Use "
        "only a cluster that you trust: its replies can run code on this machine. Default: a "
        "temporary cluster on this machine.",
        metavar="URL",
    )
    resume: bool = option(
        "Save matches on disk as they are found, and reuse those of an earlier call.",
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
    common: CommonOptions = CommonOptions()
    where: Where = Where()


def evaluated(
    family: Family[Any, Any],
    inputs: Any,
    options: Any,
    common: CommonOptions | None = None,
    where: Where | None = None,
) -> Any:
    """The family's evaluation: inputs, read with options by an edition's rules."""
    common, where = common or CommonOptions(), where or Where()
    edition = registry.edition(common.edition, family.name)
    with where.shared() as sharing:
        access = Access(common.forms, sharing, wanted=tuple(as_measures(common.measures)))
        inputs = named(inputs, Naming.of(common.columns, common.times))
        return family.read(inputs, options, edition, rules(common.rules.items(), options), access)


def explained(asking: Asking, *, view: str) -> pd.DataFrame:
    """What a view of the family shows instead of scores; times are dates."""
    views = {each.name: each for each in asking.family.views if not each.asked_by}
    check_known("view", view, views)
    chosen, common = views[view], asking.common
    evaluation = evaluated(*asking)
    wanted: list[Measure] = []
    if chosen.takes_measures:
        named = as_measures(common.measures) or chosen.measures
        wanted = chosen_measures(evaluation, named, common.at)
    shown = chosen.rows(evaluation, ViewRequest(tuple(wanted), asking.options, per_topic=True))
    return with_dates(shown.frame)


def curved(asking: Asking) -> pd.DataFrame:
    """Each measure at every time at which it can change; of topics too if they are of interest."""
    from tseval.core.curves import curves, followed_measures, frame

    evaluation, common = evaluated(*asking), asking.common
    named = as_measures(common.measures)
    chosen = chosen_measures(evaluation, named, common.at)
    wanted = followed_measures(evaluation, chosen, named=bool(named))
    index, rule = evaluation.index, common.on_missing or evaluation.edition.on_missing
    topics = [*(index.topics if common.per_topic else ()), ALL_TOPICS]
    counted = missing_topics([index], rule, evaluation.words).counted
    as_zero = common.undefined == "zero"
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


def scored(asking: Asking) -> Scores:
    """The scores of inputs."""
    evaluation, common = evaluated(*asking), asking.common
    wanted = chosen_measures(evaluation, as_measures(common.measures), common.at)
    missing, undefined = common.on_missing, common.undefined
    return scores_of(evaluation, wanted, missing, undefined, per_topic=common.per_topic)


# Calls, made from what a family declares.


WHERE = ("jobs", "engine", "scheduler")


@frozen
class Call:
    """A call in Python over the inputs of a family; by default it gives scores."""

    family: str
    module: str = ""
    """Where the function of its name stands that answers it."""
    returns: str = "Scores"
    view: str = SCORES
    """The view whose options it takes."""
    names: Mapping[str, str] = field(default_factory=dict)
    """The parameters that are called otherwise than their options."""
    placed: Mapping[str, Any] = field(default_factory=lambda: {"measures": None})
    """The last parameters by place, with their defaults."""
    by_name: Mapping[str, Any] = field(default_factory=dict)
    """Other defaults of parameters, and more parameters."""
    without: tuple[str, ...] = ()
    """The parameters that mean nothing to it."""

    def options_of(
        self, family: Family[Any, Any], record: type
    ) -> Iterator[tuple[str, Field[Any], Declared]]:
        """Yield the inputs or options that change what it gives, with their names in Python."""
        for each, what in declared(record):
            name = each.name if record is family.inputs else input_name(what)
            name = self.names.get(name, f"{name}_" if iskeyword(name) else name)
            if what.has_meaning(self.view) and not what.is_output and name not in self.without:
                yield name, each, what

    def parameters(self, family: Family[Any, Any]) -> Iterator[Parameter]:
        """Yield its parameters: inputs, measures, then all others by name."""
        every = [*self.options_of(family, family.inputs), *self.options_of(family, family.options)]
        by_place, by_name = dict[str, Any](), dict[str, Any]()
        for name, each, what in every:
            default = each.default
            if default is MISSING:
                default = () if what.flags and not what.required else Parameter.empty
            if not what.adds_to:
                (by_name if what.flags and not what.by_place else by_place)[name] = default
        by_name |= {"at": None} if family.times else {"per_topic": True}
        if len(family.editions) > 1 or not isinstance(family.editions[0].rules, NoRules):
            by_name |= {"edition": family.editions[0].name, "rules": None}
        by_name |= {"on_missing": None} | {name: getattr(Where, name) for name in WHERE}
        by_name |= {"input_format": None, "columns": None}
        by_name |= {"undefined": "skip"} if family.undefined_counts else {}
        by_name |= {"resume": False} if family.resumes else {}
        tables = [what.table for _, _, what in every if what.table is not None]
        if any(column.kind is Kind.TIME for table in tables for column in table):
            by_name |= dict.fromkeys(TIME_KEYS)
        for name, value in (by_place | dict(self.placed)).items():
            yield Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=value)
        for name, value in (by_name | dict(self.by_name)).items():
            if name not in self.without:
                yield Parameter(name, Parameter.KEYWORD_ONLY, default=value)

    def asking(self, family: Family[Any, Any], values: Mapping[str, Any]) -> Asking:
        """Return what these values of its parameters ask for."""
        inputs = dict[str, Any]()
        for name, each, what in self.options_of(family, family.inputs):
            if what.adds_to:
                first, *others = several(values[what.adds_to])
                inputs |= {what.adds_to: first, each.name: others}
            else:
                inputs[each.name] = several(values[name]) if what.several else values[name]
        options = {
            each.name: read_option(what, values[name])
            for name, each, what in self.options_of(family, family.options)
        }
        more = {
            "rules": values.get("rules") or {},
            "forms": values["input_format"],
            "times": {key: values[key] for key in TIME_KEYS if values.get(key)},
        }
        common = build(CommonOptions, {**values, **more})
        where = build(Where, values)
        return Asking(family, family.inputs(**inputs), family.options(**options), common, where)


def read_option(what: Declared, value: Any) -> Any:
    """Return the value of an option as the command line has it."""
    if value is None:
        return None
    if what.several or what.by_commas:
        return tuple(map(what.kind, [value] if isinstance(value, str) else value))
    return what.kind(value)


def describe(family: Family[Any, Any]) -> str:
    """Return the docstring of a family's call."""
    files = [f"`{f.name}`: {what.help}" for f, what in declared(family.inputs) if not what.flags]
    return f"""{family.summary}

    {"; ".join(files)}. Each may be a path, `-`, a pandas frame or rows as dictionaries. The other
    parameters are the options of `tseval {family.command}`.

    Bad input raises an `InputError` that names the place, a wrong name a `UsageError`.
    """


def call_of(call: Call, name: str) -> Callable[..., Any]:
    """Return the function that a call is, with its signature and docstring."""
    family = registry.family(call.family)
    signature = Signature(list(call.parameters(family)))
    given_by = getattr(import_module(call.module), name) if call.module else None

    def answer(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        asking = call.asking(family, bound.arguments)
        if given_by is None:
            return scored(asking)
        return given_by(
            asking, *(bound.arguments[each] for each in call.placed if each != "measures")
        )

    answer.__name__ = answer.__qualname__ = name
    answer.__doc__ = describe(family) if given_by is None else given_by.__doc__
    answer.__signature__ = signature  # type: ignore[attr-defined]
    return answer


TYPES = {
    each.name: str(each.type) for record in (CommonOptions, Where) for each in fields(record)
} | {
    "edition": "str",
    "rules": "Mapping[str, str] | None",
    "on_missing": "OnMissing | None",
    "undefined": "Undefined",
    "input_format": "Forms",
    "time_format": "str | None",
    "time_zone": "str | None",
    "clock": 'Literal["relative"] | None',
    "what": "str",
}
"""The types of parameters that families share, where they are not those of their fields."""


def stub(call: Call, called: str) -> str:
    """Return the declaration of a call for type checkers and editors."""
    family = registry.family(call.family)
    types = {name: type(value).__name__ for name, value in call.placed.items()}
    types |= {e.name: str(e.type) for record in (CommonOptions, Where) for e in fields(record)}
    types |= TYPES
    for name, _, what in call.options_of(family, family.inputs):
        is_optional = what.flags and not what.required
        types[name] = "Runs" if what.several else "Given" + " | None" * bool(is_optional)
        types |= {what.adds_to: "Given | Sequence[Given]"}
    for name, each, what in call.options_of(family, family.options):
        kind = "str | float" if what.kind is str and not what.choices else what.kind.__name__
        if not isinstance(what.kind, type):
            written = str(each.type).split(" ")[0]
            kind = "Sequence[float]" if written.startswith("tuple") else written
        kind = "str | Sequence[str]" if what.several or what.by_commas else kind
        types[name] = kind if what.kind is bool else f"{kind} | None"
    lines, by_name = [f"def {called}("], False
    for parameter in call.parameters(family):
        if parameter.kind is Parameter.KEYWORD_ONLY and not by_name:
            lines.append("    *,")
            by_name = True
        default = "" if parameter.default is Parameter.empty else " = ..."
        lines.append(f"    {parameter.name}: {types[parameter.name]}{default},")
    return "\n".join([*lines, f") -> {call.returns}: ..."])
