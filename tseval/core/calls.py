"""Calls in Python, made from what a family declares: its inputs, its options, what all share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field
from inspect import Parameter, Signature
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, cast

from tseval.core.calling import CommonOptions, Where, scored
from tseval.core.declared import SCORES, Declared, declared, input_name
from tseval.core.family import Family, several
from tseval.core.rules import NoRules
from tseval.tables import Kind

if TYPE_CHECKING:
    from tseval.core.scores import Scores
    from tseval.files.columns import TimeWords

TIMES = ("time_format", "time_zone", "clock")
WHERE = {"jobs": None, "engine": "local", "scheduler": None}


def options_of(family: Family[Any, Any]) -> Iterator[tuple[str, Field[Any], Declared]]:
    """Yield the options that change scores, with their names in Python."""
    for field, what in declared(family.options):
        if what.has_meaning(SCORES) and not what.is_output:
            name = input_name(what)
            yield f"{name}_" if iskeyword(name) else name, field, what


def read_option(what: Declared, value: Any) -> Any:
    """Return the value of an option as the command line has it."""
    if value is None:
        return None
    if what.several or what.by_commas:
        return tuple(map(what.kind, [value] if isinstance(value, str) else value))
    return what.kind(value)


def parameters(family: Family[Any, Any]) -> Iterator[Parameter]:
    """Yield the parameters of a family's call: inputs, measures, then all others by name."""
    inputs = list(declared(family.inputs))
    required = [field.name for field, what in inputs if not what.flags or what.by_place]
    yield from (Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in required)
    yield Parameter("measures", Parameter.POSITIONAL_OR_KEYWORD, default=None)
    others = ((f, what) for f, what in inputs if f.name not in required and not what.adds_to)
    by_name = {field.name: (field, what) for field, what in others}
    by_name |= {name: (field, what) for name, field, what in options_of(family)}
    for name, (field, what) in by_name.items():
        default = Parameter.empty if what.required else field.default
        if default is MISSING:
            default = ()
        yield Parameter(name, Parameter.KEYWORD_ONLY, default=default)
    common: dict[str, Any] = {"at": None} if family.times else {}
    if len(family.editions) > 1 or not isinstance(family.editions[0].rules, NoRules):
        common |= {"edition": family.editions[0].name, "rules": None}
    common |= {"on_missing": None}
    common |= {"undefined": "skip"} if family.undefined_counts else {}
    common |= {} if family.times else {"per_topic": True}
    common |= WHERE | {"input_format": None, "columns": None}
    if any(column.kind is Kind.TIME for _, what in inputs for column in what.table or ()):
        common |= dict.fromkeys(TIMES)
    for name, value in common.items():
        yield Parameter(name, Parameter.KEYWORD_ONLY, default=value)


def describe(family: Family[Any, Any]) -> str:
    """Return the docstring of a family's call."""
    files = [f"`{f.name}`: {what.help}" for f, what in declared(family.inputs) if not what.flags]
    return f"""{family.summary}

    {"; ".join(files)}. Each may be a path, `-`, a pandas frame or rows as dictionaries. The other
    parameters are the options of `tseval {family.command}`.

    Bad input raises an `InputError` that names the place, a wrong name a `UsageError`.
    """


def scoring_call(family: Family[Any, Any], name: str) -> Callable[..., Scores]:
    """Return the function that scores the inputs of a family, with its signature and docstring."""
    signature = Signature(list(parameters(family)))

    def score(*args: Any, **kwargs: Any) -> Scores:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        values = bound.arguments
        inputs = {
            field.name: several(values[field.name]) if what.several else values[field.name]
            for field, what in declared(family.inputs)
            if field.name in values
        }
        for field, what in declared(family.inputs):
            if what.adds_to:
                first, *others = several(values[what.adds_to])
                inputs |= {what.adds_to: first, field.name: others}
        options = {
            field.name: read_option(what, values[name]) for name, field, what in options_of(family)
        }
        common = CommonOptions(
            measures=values["measures"],
            at=values.get("at"),
            edition=values.get("edition"),
            rules=values.get("rules") or {},
            on_missing=values["on_missing"],
            undefined=values.get("undefined", "skip"),
            forms=values["input_format"],
            columns=values["columns"],
            times=cast("TimeWords", {key: values[key] for key in TIMES if values.get(key)}),
            per_topic=values.get("per_topic", True),
        )
        where = Where(*(values[key] for key in WHERE))
        return scored(family, family.inputs(**inputs), family.options(**options), common, where)

    score.__name__ = score.__qualname__ = name
    score.__doc__ = describe(family)
    score.__signature__ = signature  # type: ignore[attr-defined]
    return score


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
}
"""The types of the parameters that families share."""


def stub(family: Family[Any, Any], name: str) -> str:
    """Return the declaration of a family's call for type checkers and editors."""
    types = dict(TYPES)
    for field, what in declared(family.inputs):
        is_optional = what.flags and not what.required
        types[field.name] = "Runs" if what.several else "Given" + " | None" * bool(is_optional)
        types |= {what.adds_to: "Given | Sequence[Given]"}
    for option, field, what in options_of(family):
        kind = "str | float" if what.kind is str and not what.choices else what.kind.__name__
        if not isinstance(what.kind, type):
            kind = "Sequence[float]" if str(field.type).startswith("tuple") else str(field.type)
        kind = "str | Sequence[str]" if what.several or what.by_commas else kind
        types[option] = kind if what.kind is bool else f"{kind} | None"
    lines, by_name = [f"def {name}("], False
    for each in parameters(family):
        if each.kind is Parameter.KEYWORD_ONLY and not by_name:
            lines.append("    *,")
            by_name = True
        default = "" if each.default is Parameter.empty else " = ..."
        lines.append(f"    {each.name}: {types[each.name]}{default},")
    return "\n".join([*lines, ") -> Scores: ..."])
