"""A measure as a value: `R@6h` prints itself, parses itself, compares and hashes by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from typing import Any, TypeAlias

from tseval.core.wording import paragraphs_of
from tseval.errors import MeasureError, did_you_mean
from tseval.io.times import Moment, NotANumber
from tseval.records import frozen

Argument: TypeAlias = str | Callable[..., Any]
"""A parameter's value: as it is written, or in Python a function."""
MEAN = ("mean",)
"""What the definition of a measure `reads` whose `all` may be the score of sums over topics."""


@frozen
class Parameter:
    """A parameter of a measure: what it may be and what it means."""

    name: str
    meaning: str
    default: str
    choices: tuple[str, ...] = ()
    """The values it may take."""
    nested: bool = False
    """Whether a value may have brackets of its own, such as `logistic(scale=6h)`."""
    flag: bool = False
    """A flag is written by its name alone: `P(updates)`."""
    takes_function: bool = False
    """Whether Python may give any function instead."""
    bare: bool = False
    """A bare parameter must be given, first and without its name: `slope(F_pra)`."""
    parse: Callable[[str], object] | None = None
    """Takes any value that this reads, beside the choices; a `NotANumber` says why not."""

    def read(self, value: object) -> Argument:
        """A value as Python gives it: text, a number, a function, True for a flag."""
        if self.flag and value is True:
            return ""
        return value if isinstance(value, str) or callable(value) else str(value)

    def check(self, value: Argument, measure: str) -> None:
        """Refuse a value that this parameter of the measure cannot take."""
        if callable(value) and self.takes_function:
            return
        plain = value.partition("(")[0] if self.nested and isinstance(value, str) else value
        if plain in (("",) if self.flag else self.choices):
            return
        if self.parse is None or not isinstance(value, str):
            listed = ", ".join(self.choices) if self.choices else "its name alone"
            what = f"there is no '{value}'" if self.bare else f"{self.name} cannot be '{value}'"
            raise MeasureError(f"{measure}: {what}: choose one of {listed}")
        try:
            self.parse(value)
        except NotANumber as error:
            raise MeasureError(f"{self.name}: {error}") from None


@frozen
class Definition:
    """What a measure is, in words and as a function: a row of the registry."""

    name: str
    family: str
    title: str
    summary: str
    formula: str
    empty_case: str
    range: str
    citation: str
    account: Callable[..., Any]
    """From the index and the measure's arguments to its `Result`, which every unit has."""
    higher_is_better: bool = True
    turned_by: tuple[str, ...] = ()
    """The arguments, as they are written, with which it is the other way round: `units=nil`."""
    unit: str = ""
    """What it is counted in, unless a parameter `unit` says so; nothing for plain numbers."""
    unitless_with: tuple[str, ...] = ()
    """The parameters with another value of which than the default it is a plain number."""
    parameters: tuple[Parameter, ...] = ()
    check: Callable[[Mapping[str, Argument]], None] | None = None
    """Refuses combinations of arguments that have no meaning."""
    reads: tuple[str, ...] = ()
    """The rules of an edition that its value depends on, beside those that shape the tables."""
    bounds: Callable[[Measure], tuple[float, float]] | None = None
    """The range of the measure, for one that is extrapolated and may lie outside."""
    by_group: bool = False
    """Whether it has values of groups, such as information types, beside those of topics, and `all`
    is the mean over groups."""
    package: str = ""
    """The package that brings it, with its version; empty for those of tseval."""
    also: tuple[str, ...] = ()
    """What people call it besides its title, such as `F1`."""

    @property
    def may_pool(self) -> bool:
        """Whether the rule `mean` can have `all` pool the topics, as a quotient of sums."""
        return self.reads == MEAN

    def parameter(self, name: str) -> Parameter:
        """The parameter of this name; a `MeasureError` lists the known ones."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        known = ", ".join(parameter.name for parameter in self.parameters) or "none"
        if not name:
            raise MeasureError(f"{self.name}: a parameter has no name; it has: {known}")
        raise MeasureError(f"{self.name} has no parameter '{name}'; it has: {known}")


def documented(function: Callable[..., Any], **more: Any) -> Definition:
    """Return the definition of the measure that a function computes, with `more` of its fields.

    Its docstring has the title, the summary, the formula and the empty case, a paragraph each; the
    definition has them without a sentence's capital and period.
    """
    names = ("title", "summary", "formula", "empty_case")
    texts: dict[str, Any] = dict.fromkeys(names, "")
    texts |= zip(names, paragraphs_of(function), strict=False)
    return Definition(**{"name": function.__name__, "account": function, **texts, **more})


@frozen(eq=False)
class Measure:
    """A measure with its arguments and its time. Two are equal if they print the same."""

    definition: Definition
    arguments: tuple[tuple[str, Argument], ...] = ()
    at: str | None = None

    @classmethod
    def of(
        cls, definition: Definition, arguments: Mapping[str, Argument], at: str | None
    ) -> Measure:
        """A checked measure; arguments go in the order of the definition."""
        for name, value in arguments.items():
            definition.parameter(name).check(value, definition.name)
        for parameter in definition.parameters:
            if parameter.bare and parameter.name not in arguments:
                form = f"{definition.name}({'|'.join(parameter.choices)})"
                raise MeasureError(f"{definition.name} of what? write {form}")
        if definition.check is not None:
            definition.check(arguments)
        ordered = [p.name for p in definition.parameters if p.name in arguments]
        measure = cls(definition, tuple((name, arguments[name]) for name in ordered), at)
        _ = measure.moment
        return measure

    @cached_property
    def moment(self) -> Moment | None:
        """The time at which it is taken; None is after everything."""
        if self.at is None:
            return None
        try:
            return Moment.parse(self.at)
        except NotANumber as error:
            raise MeasureError(f"{self.definition.name}@{self.at}: {error}") from None

    @property
    def family(self) -> str:
        """The family it belongs to, which is that of the command."""
        return self.definition.family

    @property
    def higher_is_better(self) -> bool:
        """Whether higher is better with these arguments."""
        written = {self._written(name, value) for name, value in self.arguments}
        turned = not written.isdisjoint(self.definition.turned_by)
        return self.definition.higher_is_better != turned

    @cached_property
    def whole(self) -> Measure:
        """The same measure at the end of the stream."""
        return self if self.at is None else replace(self, at=None)

    def taken_at(self, moment: str) -> Measure:
        """The same measure at this time."""
        return Measure.of(self.definition, dict(self.arguments), moment)

    def __call__(self, **arguments: object) -> Measure:
        """The same measure with these parameters too: `T(g=function)`, `P(updates=True)`.

        In Python a parameter such as `cost-of` is written `cost_of`; False takes a flag away.
        """
        given = dict(self.arguments)
        for name, value in arguments.items():
            parameter = self.definition.parameter(name.replace("_", "-"))
            if parameter.flag and value is False:
                given.pop(parameter.name, None)
            else:
                given[parameter.name] = parameter.read(value)
        return Measure.of(self.definition, given, self.at)

    def argument(self, name: str) -> Argument:
        """The value of a parameter, its default if it was not given; a flag not given is empty."""
        given = dict(self.arguments)
        return given[name] if name in given else self.definition.parameter(name).default

    @property
    def unit(self) -> str:
        """What its values are counted in; nothing where they are plain numbers."""
        known = self.definition
        if any(self.argument(n) != known.parameter(n).default for n in known.unitless_with):
            return ""
        chosen = any(each.name == "unit" for each in known.parameters)
        return str(self.argument("unit")) if chosen else known.unit

    def has(self, flag: str) -> bool:
        """Whether a flag or parameter was given."""
        return any(name == flag for name, _ in self.arguments)

    @cached_property
    def name(self) -> str:
        """The measure as it is written."""
        inside = ",".join(self._written(name, value) for name, value in self.arguments)
        brackets = f"({inside})" if inside else ""
        return self.definition.name + brackets + (f"@{self.at}" if self.at is not None else "")

    def _written(self, name: str, value: Argument) -> str:
        parameter = self.definition.parameter(name)
        if parameter.flag:
            return name
        if parameter.bare:
            return str(value)
        return f"{name}={value if isinstance(value, str) else value.__name__}"

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Measure({self.name!r})"

    @cached_property
    def _key(self) -> tuple[Any, ...]:
        functions = tuple(value for _, value in self.arguments if not isinstance(value, str))
        return self.family, self.name, functions

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


def with_name(text: str, definitions: Mapping[str, Definition]) -> str:
    """Return a measure with its name in the place of its title, or of its name in another case.

    Several words may be joined by hyphens or underscores. The text stays as it is where it has the
    name of a measure already, or fits none or several.
    """
    called = text.partition("(")[0].partition("@")[0].strip()
    if called in definitions or any(calls(text, name) for name in definitions):
        return text
    found = [name for name in definitions if name.lower() == called.lower()]
    found = found or titled(called, definitions)
    return found[0] + text[len(called) :] if len(found) == 1 else text


def titled(called: str, definitions: Mapping[str, Definition]) -> list[str]:
    """Return the names of the measures with this title."""
    wanted = _plain(called)
    every = definitions.items()
    return [name for name, e in every if wanted in map(_plain, (e.title, *e.also))]


def _plain(words: str) -> str:
    return words.lower().replace("-", " ").replace("_", " ")


def parse_measure(text: str, definitions: Mapping[str, Definition]) -> Measure:
    """Read one measure; the error lists what is known."""
    name = max((n for n in definitions if calls(text, n)), key=len, default=None)
    if name is None:
        known = ", ".join(definitions)
        called = text.partition("(")[0].partition("@")[0]
        alike = " or ".join(titled(called, definitions))
        like = f"; did you mean {alike}?" if alike else did_you_mean(called, definitions)
        raise MeasureError(f"unknown measure '{text}'; known: {known}{like}")
    inside, at = _brackets(text, text[len(name) :])
    return Measure.of(definitions[name], _arguments(definitions[name], inside), at)


def calls(text: str, name: str) -> bool:
    """Whether a measure that is written so is the one of this name."""
    return text.startswith(name) and text[len(name) : len(name) + 1] in ("", "(", "@")


def _brackets(text: str, rest: str) -> tuple[str, str | None]:
    """What stands between the brackets, and after the `@`."""
    inside = ""
    if rest.startswith("("):
        depths = list(accumulate((letter == "(") - (letter == ")") for letter in rest))
        if 0 not in depths:
            raise MeasureError(f"'{text}': a bracket is not closed")
        close = depths.index(0)
        inside, rest = rest[1:close], rest[close + 1 :]
    if not rest:
        return inside, None
    if rest == "@":
        raise MeasureError(f"'{text}': after the @ a time is missing, such as {text}6h")
    if not rest.startswith("@"):
        raise MeasureError(f"'{text}': after the measure only @TIME may follow, not '{rest}'")
    return inside, rest[1:]


def _arguments(definition: Definition, inside: str) -> dict[str, Argument]:
    arguments: dict[str, Argument] = {}
    known = {each.name: each for each in definition.parameters}
    bare = [each.name for each in definition.parameters if each.bare]
    for part in map(str.strip, split_outside(inside, ",") if inside.strip() else ()):
        if not part:
            raise MeasureError(f"{definition.name}({inside}): nothing stands beside a comma")
        is_bare = bool(bare) and "=" not in part and part not in known
        name, equals, value = (f"{bare[0]}={part}" if is_bare else part).partition("=")
        parameter = definition.parameter(name.strip())
        if parameter.flag == bool(equals):
            form = parameter.name if parameter.flag else f"{parameter.name}=VALUE"
            raise MeasureError(f"{definition.name}({part}): write {form}")
        if parameter.name in arguments:
            raise MeasureError(f"{definition.name}: {parameter.name} is given twice")
        arguments[parameter.name] = value.replace(" ", "")
    return arguments


def split_outside(text: str, separators: str) -> list[str]:
    """Split where a separator stands outside of all brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character in separators and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def split_measures(text: str) -> list[str]:
    """The measures in one string, separated by spaces or commas outside of brackets."""
    return [part for part in split_outside(text, ", \t\n") if part]


def packages(measures: Iterable[Measure]) -> str:
    """The packages of plug-ins that bring these measures, for the signature."""
    return ",".join(sorted({each.definition.package for each in measures} - {""}))


def with_times(measures: Iterable[Measure], moments: Iterable[str]) -> list[Measure]:
    """Each measure, then itself at each of these times; one that has its own time keeps it."""
    times = list(moments)
    listed = [
        taken
        for measure in measures
        for taken in (measure, *(measure.taken_at(t) for t in times if measure.at is None))
    ]
    return list(dict.fromkeys(listed))
