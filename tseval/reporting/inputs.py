"""What is given for a report beside the scores: inputs of one family, by what it declares.

A positional file of a family's own command, such as RUN, is an option here: `--run FILE`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, field
from typing import Any

from tseval.core import declared as declarations
from tseval.core.declared import REPORT, Declared, declared
from tseval.core.family import Access, Evaluation, Family
from tseval.core.naming import AS_THEY_ARE, Naming, named
from tseval.core.registry import all_families, edition
from tseval.errors import UsageError
from tseval.parallel.sharing import Progress, Sharing
from tseval.records import frozen

OF_ALL = ("edition", "rules", "naming")
"""What may be given with the inputs of any family."""


@frozen
class Parameter:
    """What a report takes of a family."""

    field: str
    flag: str
    what: Declared
    required: bool = False

    @property
    def names(self) -> tuple[str, str]:
        """What it is called as a keyword: by its field, or by its option."""
        return self.field, keyword(self.flag)


@frozen
class ReportInputs:
    """Runs and gold of one family, and how they are read."""

    family: Family[Any, Any]
    inputs: Any
    options: Any
    edition: str | None = None
    rules: Mapping[str, str] = field(default_factory=dict)
    naming: Naming = AS_THEY_ARE

    def read(self, sharing: Sharing, progress: Progress | None = None) -> Evaluation:
        """Read every input."""
        rules = declarations.rules(self.rules.items(), self.options)
        access = Access(sharing=sharing, progress=progress)
        chosen = edition(self.edition, self.family.name)
        inputs = named(self.inputs, self.naming)
        return self.family.read(inputs, self.options, chosen, rules, access)


def keyword(flag: str) -> str:
    """An option's name in Python."""
    return flag.removeprefix("--").replace("-", "_")


def served() -> Iterator[Family[Any, Any]]:
    """The families that have something to show beside scores, each loaded when it is asked for."""
    return (each for each in all_families() if each.curves or each.report is not None)


def parameters(family: Family[Any, Any]) -> list[Parameter]:
    """What a report takes of a family: its inputs, and the options that it names."""
    takes = () if family.report is None else family.report.takes
    found = [
        Parameter(each.name, _flag(what), what, each.default is MISSING)
        for each, what in declared(family.inputs)
        if what.has_meaning(REPORT)
    ]
    options = {each.name: what for each, what in declared(family.options)}
    return found + [Parameter(name, _flag(options[name]), options[name]) for name in takes]


def _flag(what: Declared) -> str:
    return what.flags[-1] if what.flags else f"--{what.metavar.lower()}"


def needed(family: Family[Any, Any]) -> str:
    """What a family's runs and gold are given as: `--run FILE and --truth FILE`."""
    return _all_of([each.flag for each in parameters(family) if each.required])


def report_inputs(values: Mapping[str, Any]) -> ReportInputs | None:
    """What is given, as inputs of the family that it fits; None if nothing is.

    What belongs to no one family, or does nothing there, is a `UsageError`.
    """
    given = {name: value for name, value in values.items() if _has_value(value)}
    if not given:
        return None
    for family in served():
        if _fits(family, given):
            return built(family, given)
    raise UsageError(_refusal(given))


def _has_value(value: Any) -> bool:
    empty = isinstance(value, str | Sequence | Mapping) and not value
    is_plain = isinstance(value, Naming) and value == AS_THEY_ARE
    return value is not None and value is not False and not empty and not is_plain


def _fits(family: Family[Any, Any], given: Mapping[str, Any]) -> bool:
    own = parameters(family)
    known = {*OF_ALL, *(name for each in own for name in each.names)}
    return set(given) <= known and not _lacking(family, given)


def _lacking(family: Family[Any, Any], given: Mapping[str, Any]) -> list[str]:
    """The options of required inputs that are not given."""
    own = parameters(family)
    return [each.flag for each in own if each.required and not set(each.names) & set(given)]


def built(family: Family[Any, Any], given: Mapping[str, Any]) -> ReportInputs:
    """A family's records of what is given."""
    values = dict(_by_field(parameters(family), given))
    return ReportInputs(
        family,
        declarations.build(family.inputs, values),
        declarations.build(family.options, values),
        given.get("edition"),
        given.get("rules", {}),
        given.get("naming", AS_THEY_ARE),
    )


def _by_field(own: Sequence[Parameter], given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The values by their fields. Of fields that share an option one takes the first value.

    So one of several files that an option names may be what a command takes by its place.
    """
    for flag in dict.fromkeys(each.flag for each in own):
        sharing = [each for each in own if each.flag == flag]
        named = [given[name] for each in sharing for name in each.names if name in given]
        if not named:
            continue
        if len(sharing) == 1:
            yield sharing[0].field, _shaped(named[0], sharing[0].what)
            continue
        rest = list(named[0]) if isinstance(named[0], list | tuple) else [named[0]]
        for each in sharing:
            if each.what.several:
                yield each.field, tuple(rest)
            elif rest:
                yield each.field, rest.pop(0)


def _shaped(value: Any, what: Declared) -> Any:
    """A value as records hold it: several in a tuple, and words as words."""
    if what.several:
        return tuple(value) if isinstance(value, list | tuple) else (value,)
    return str(value) if what.kind is str and not what.is_file else value


def _refusal(given: Mapping[str, Any]) -> str:
    """Why what is given makes no inputs of any family."""
    families = list(served())
    flags = {name: each.flag for f in families for each in parameters(f) for name in each.names}
    naming = given.get("naming", AS_THEY_ARE)
    flags |= {"edition": "--edition", "rules": "--rule", "naming": naming.first_option}
    unknown = next((name for name in given if name not in flags), None)
    if unknown is not None:
        return f"a report takes no '{unknown}'"
    gold = {
        flags[name]
        for name in given
        if any(name in each.names and each.required for f in families for each in parameters(f))
    }
    if not gold:
        name = next(iter(given))
        owners = [f for f in families if name in OF_ALL or _knows(f, flags[name])]
        return f"{flags[name]} has no meaning without {', or '.join(map(needed, owners))}"
    meant = [each for each in families if all(_knows(each, flag) for flag in gold)]
    told = _all_of(sorted(gold), "")
    if not meant:
        ways = ", or ".join(map(needed, families))
        return f"{told} are of different families: give one, as {ways}"
    whole = [each for each in meant if not _lacking(each, given)]
    if not whole:
        ways = ", or ".join(f"{_all_of(_lacking(each, given))} ({each.name})" for each in meant)
        return f"runs and gold belong together: with {told} give {ways}"
    strange = next(n for n in given if n not in OF_ALL and not _knows(whole[0], flags[n]))
    return f"{flags[strange]} has no meaning with {told}"


def _knows(family: Family[Any, Any], flag: str) -> bool:
    return any(each.flag == flag for each in parameters(family))


def _all_of(flags: Sequence[str], file: str = " FILE") -> str:
    """Options in words: `--run FILE, --labels FILE and --ontology FILE`."""
    named = [f"{flag}{file}" for flag in flags]
    return " and ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)
