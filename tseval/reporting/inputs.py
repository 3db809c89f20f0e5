"""The inputs of one family beside the scores: those that are given, or that the scores record.

A positional file of a family's own command, such as RUN, is an option here: `--run FILE`. What
files of scores record of their inputs is what each was; and whether it is still there is looked up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, replace
from pathlib import Path
from typing import Any

from tseval.comparison.board import traits_of
from tseval.comparison.with_gold import ScoredRuns
from tseval.core import declared as declarations
from tseval.core.declared import REPORT, Declared, declared
from tseval.core.family import Family
from tseval.core.naming import AS_THEY_ARE, Naming
from tseval.core.registry import all_families
from tseval.errors import UsageError
from tseval.io.inputs import Input, InputRecord
from tseval.io.scores import Provenance
from tseval.records import frozen
from tseval.reporting.content import InputRow

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


def report_inputs(values: Mapping[str, Any]) -> ScoredRuns | None:
    """What is given, as inputs of the family that it fits; None if nothing is.

    What belongs to no one family, or does nothing there, is a `UsageError`.
    """
    given = {name: value for name, value in values.items() if _has_value(value)}
    if not given:
        return None
    for family in served():
        if _is_complete(family, given) and {*given} <= _names(family):
            return built(family, given)
    raise UsageError(_refusal(given))


def _has_value(value: Any) -> bool:
    empty = isinstance(value, str | Sequence | Mapping) and not value
    is_plain = isinstance(value, Naming) and value == AS_THEY_ARE
    return value is not None and value is not False and not empty and not is_plain


def _names(family: Family[Any, Any]) -> set[str]:
    """All that a report takes of a family, by its names."""
    return {*OF_ALL, *(name for each in parameters(family) for name in each.names)}


def _is_complete(family: Family[Any, Any], given: Mapping[str, Any]) -> bool:
    """Whether everything is given that a family requires."""
    needs = [{*each.names} for each in parameters(family) if each.required]
    return all(names & {*given} for names in needs)


def built(family: Family[Any, Any], given: Mapping[str, Any]) -> ScoredRuns:
    """A family's records of what is given."""
    values = dict(_by_field(parameters(family), given))
    return ScoredRuns(
        family,
        declarations.build(family.inputs, values),
        declarations.build(family.options, values),
        given.get("edition"),
        given.get("rules", {}),
        naming=given.get("naming", AS_THEY_ARE),
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
    naming = given.get("naming", AS_THEY_ARE)
    flags = {"edition": "--edition", "rules": "--rule", "naming": naming.first_option}
    meant = []
    for family in served():
        own = {name: each.flag for each in parameters(family) for name in each.names}
        flags = own | flags
        meant += [f"{needed(family)} ({family.name})"] if {*own, *OF_ALL} & {*given} else []
    unknown = next((name for name in given if name not in flags), None)
    if unknown is not None:
        return f"a report takes no '{unknown}'"
    whole = next((each for each in served() if _is_complete(each, given)), None)
    if whole is not None:
        strange = next(flags[name] for name in given if name not in _names(whole))
        return f"{strange} has no meaning with {needed(whole)}: leave it out"
    told, ways = _all_of(sorted(flags[name] for name in given), ""), ", or ".join(meant)
    rule = "beside scores a report takes all runs and gold of one family, with its own options"
    return f"{told}: {rule}; give {ways}"


def _all_of(flags: Sequence[str], file: str = " FILE") -> str:
    """Options in words: `--run FILE, --labels FILE and --ontology FILE`."""
    named = [f"{flag}{file}" for flag in flags]
    return " and ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)


# What scores record.

RUN = "run"
"""What an input is that a signature doesn't name by its hash."""
HASH = "sha256:"
OF_MEANS = {"tseval", "missing", "undefined", "cost"}
"""Parts of a signature that may differ where scores and what is told beside are of one."""


def role_of(traits: Mapping[str, str], sha256: str) -> str:
    """What an input was: what the signature names by its hash, else a run."""
    for name, value in traits.items():
        for each in value.split(","):
            digest = each.removeprefix(HASH)
            if each != digest and sha256.startswith(digest):
                return name
    return RUN


def input_rows(signature: str, inputs: Iterable[InputRecord]) -> Iterator[InputRow]:
    """Each input with what it was."""
    traits = traits_of(signature)
    for each in inputs:
        yield InputRow(role_of(traits, each.sha256), each.path, each.sha256, each.rows)


def recorded(
    told: Sequence[Provenance], family: Family[Any, Any] | None
) -> tuple[ScoredRuns | None, str]:
    """What scores of a family were made from, if their files tell all of it; else why not.

    All files have to agree, and what they name has to be there still, as it was.
    """
    if family is None or family.report is None or family.report.retold is None:
        return None, ""
    editions, own = {each.name for each in family.editions}, parameters(family)
    files = [e for e in told if e.inputs and traits_of(e.signature).get("edition") in editions]
    if not files:
        return None, ""
    traits = [traits_of(each.signature) for each in files]
    # Which gold, how it was read, and by which rules.
    names = {"edition", "rules", *(each.field for each in own)}
    if any(each.get(name) != traits[0].get(name) for each in traits for name in names):
        return None, "the files of scores come from different gold or rules"
    for row in (row for each in files for row in each.inputs):
        if not Path(row.path).is_file():
            return None, f"{row.path}, which the scores record, is not there"
        if Input(row.path).sha256 != row.sha256:
            return None, f"{row.path} has changed since it was scored"
    # The runs are the input that is not in a signature, since scores name runs.
    runs = next(each.field for each in own if each.required and each.what.several)
    singles = {each.field for each in own if each.what.is_file} - {runs}
    given: dict[str, Any] = {}
    paths = []
    for each in files:
        roles: dict[str, str] = {}
        for found in input_rows(each.signature, each.inputs):
            if found.role in singles and found.role not in roles:
                roles[found.role] = found.path
            else:
                paths.append(found.path)
        given = given or roles
    given = {**given, runs: tuple(dict.fromkeys(paths))}
    if any(each.required and not given.get(each.field) for each in own):
        return None, ""
    pairs = (part.partition("=") for part in traits[0].get("rules", "").split(",") if part)
    how = {
        "edition": traits[0]["edition"],
        "rules": {name: value for name, _, value in pairs},
        "naming": Naming.recorded(traits[0].get("columns", ""), family.inputs),
    }
    scored = built(family, given | how)
    return replace(scored, options=family.report.retold(traits[0])), ""


def differences(signature: str, scored: Sequence[str]) -> Iterator[str]:
    """A word where scores came about by other gold, matches or rules than this signature tells."""
    ours = traits_of(signature)
    for each in scored:
        theirs = traits_of(each)
        names = dict.fromkeys([*ours, *theirs])
        differing = [n for n in names if n not in OF_MEANS and ours.get(n) != theirs.get(n)]
        if differing and "edition" in theirs:
            yield (
                "the scores were made from other inputs, or by other rules, than those given "
                "beside them: "
                f"{', '.join(differing)} differ"
            )
            return
