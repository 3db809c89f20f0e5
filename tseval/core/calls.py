"""Calls in Python, made from what a family declares: its inputs, its options, what all share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, field
from importlib import import_module
from inspect import Parameter, Signature
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, cast

from tseval.core import registry
from tseval.core.calling import Asking, CommonOptions, Where, scored
from tseval.core.declared import SCORES, Declared, build, declared, input_name
from tseval.core.family import Family, several
from tseval.core.rules import NoRules
from tseval.io.schema import Kind
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.io.columns import TimeWords

TIMES = ("time_format", "time_zone", "clock")
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
            by_name |= dict.fromkeys(TIMES)
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
        common = CommonOptions(
            measures=values.get("measures"),
            at=values.get("at"),
            edition=values.get("edition"),
            rules=values.get("rules") or {},
            on_missing=values.get("on_missing"),
            undefined=values.get("undefined", "skip"),
            forms=values["input_format"],
            columns=values["columns"],
            times=cast("TimeWords", {key: values[key] for key in TIMES if values.get(key)}),
            per_topic=values.get("per_topic", True),
        )
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
            return scored(*asking)
        return given_by(
            asking, *(bound.arguments[each] for each in call.placed if each != "measures")
        )

    answer.__name__ = answer.__qualname__ = name
    answer.__doc__ = describe(family) if given_by is None else given_by.__doc__
    answer.__signature__ = signature  # type: ignore[attr-defined]
    return answer


TYPES = {
    "measures": "Iterable[str | Measure] | str | Measure | None",
    "at": "str | Sequence[str] | None",
    "edition": "str",
    "rules": "Mapping[str, str] | None",
    "on_missing": "OnMissing | None",
    "undefined": "Undefined",
    "per_topic": "bool",
    "jobs": "int | None",
    "engine": "str | Engine",
    "scheduler": "str | None",
    "input_format": "Forms",
    "columns": "Columns",
    "time_format": "str | None",
    "time_zone": "str | None",
    "clock": 'Literal["relative"] | None',
    "resume": "bool",
    "what": "str",
}
"""The types of the parameters that families share."""


def stub(call: Call, called: str) -> str:
    """Return the declaration of a call for type checkers and editors."""
    family = registry.family(call.family)
    types = {name: type(value).__name__ for name, value in call.placed.items()} | TYPES
    for name, _, what in call.options_of(family, family.inputs):
        is_optional = what.flags and not what.required
        types[name] = "Runs" if what.several else "Given" + " | None" * bool(is_optional)
        types |= {what.adds_to: "Given | Sequence[Given]"}
    for option, each, what in call.options_of(family, family.options):
        kind = "str | float" if what.kind is str and not what.choices else what.kind.__name__
        if not isinstance(what.kind, type):
            written = str(each.type).split(" ")[0]
            kind = "Sequence[float]" if written.startswith("tuple") else written
        kind = "str | Sequence[str]" if what.several or what.by_commas else kind
        types[option] = kind if what.kind is bool else f"{kind} | None"
    lines, by_name = [f"def {called}("], False
    for parameter in call.parameters(family):
        if parameter.kind is Parameter.KEYWORD_ONLY and not by_name:
            lines.append("    *,")
            by_name = True
        default = "" if parameter.default is Parameter.empty else " = ..."
        lines.append(f"    {parameter.name}: {types[parameter.name]}{default},")
    return "\n".join([*lines, f") -> {call.returns}: ..."])
