"""What files of scores record of their inputs: what each was, and whether it is still there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from tseval.core.family import Family
from tseval.core.naming import Naming
from tseval.io.inputs import Input, InputRecord
from tseval.io.scores import Provenance
from tseval.records import frozen
from tseval.reporting.content import InputRow
from tseval.reporting.inputs import ReportInputs, built, parameters

RUN = "run"
"""What an input is that a signature doesn't name by its hash."""
HASH = "sha256:"
OF_MEANS = {"tseval", "missing", "undefined", "cost"}
"""Parts of a signature that may differ where scores and what is told beside are of one."""


def traits_of(signature: str) -> dict[str, str]:
    """The parts of a signature by their names."""
    parts = (part.partition(":") for part in signature.split("|"))
    return {name: value for name, _, value in parts}


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


@frozen
class Recorded:
    """How scores of a family came about, as far as their files tell."""

    runs: tuple[str, ...] = ()
    gold: Mapping[str, str] = field(default_factory=dict)
    """Paths by what they are, such as nuggets, matches, topics."""
    traits: Mapping[str, str] = field(default_factory=dict)
    trouble: str = ""
    """Why the recorded files can't be used; empty if they can."""

    @property
    def rules(self) -> dict[str, str]:
        """Rules that are not the edition's."""
        given = self.traits.get("rules", "")
        pairs = (part.partition("=") for part in given.split(",") if part)
        return {name: value for name, _, value in pairs}

    def report_inputs(self, family: Family[Any, Any]) -> ReportInputs | None:
        """What scores were made from, if all of it is known, and still what it was."""
        if self.trouble or family.report is None or family.report.retold is None:
            return None
        given = {**self.gold, _runs_field(family): self.runs}
        if any(each.required and not given.get(each.field) for each in parameters(family)):
            return None
        naming = Naming.recorded(self.traits.get("columns", ""), family.inputs)
        own = {"edition": self.traits["edition"], "rules": self.rules, "naming": naming}
        found = built(family, {**given, **own})
        return replace(found, options=family.report.retold(self.traits))


def recorded(told: Sequence[Provenance], family: Family[Any, Any] | None) -> Recorded:
    """What all files of a family's scores agree on; the first disagreement, or change, is told."""
    if family is None or family.report is None or family.report.retold is None:
        return Recorded()
    known = {each.name for each in family.editions}
    own = [each for each in told if each.inputs and _edition(each) in known]
    if not own:
        return Recorded()
    parts = [_of(each, family) for each in own]
    first = parts[0]
    joined = replace(first, runs=tuple(dict.fromkeys(path for part in parts for path in part.runs)))
    hashes = [_shaping(part.traits, family) for part in parts]
    if any(each != hashes[0] for each in hashes):
        return replace(joined, trouble="the files of scores come from different gold or rules")
    changed = next((path for each in own for path in _changed(each)), None)
    return joined if changed is None else replace(joined, trouble=changed)


def _edition(told: Provenance) -> str | None:
    return traits_of(told.signature).get("edition")


def _runs_field(family: Family[Any, Any]) -> str:
    """The field of the runs: the input that is not in a signature, since scores name runs."""
    return next(each.field for each in parameters(family) if each.required and each.what.several)


def _shaping(traits: Mapping[str, str], family: Family[Any, Any]) -> dict[str, str]:
    """The parts of a signature that say which gold, how it was read, and by which rules."""
    named = {"edition", "rules", *(each.field for each in parameters(family))}
    return {name: value for name, value in traits.items() if name in named}


def _of(told: Provenance, family: Family[Any, Any]) -> Recorded:
    runs = _runs_field(family)
    singles = {each.field for each in parameters(family) if each.what.is_file} - {runs}
    by_role: dict[str, str] = {}
    others = []
    for row in input_rows(told.signature, told.inputs):
        if row.role in singles and row.role not in by_role:
            by_role[row.role] = row.path
        else:
            others.append(row.path)
    return Recorded(tuple(others), by_role, traits_of(told.signature))


def _changed(told: Provenance) -> Iterator[str]:
    """For each recorded file that is gone, or isn't what it was, a sentence."""
    for each in told.inputs:
        if not Path(each.path).is_file():
            yield f"{each.path}, which the scores record, is not there"
        elif Input(each.path).sha256 != each.sha256:
            yield f"{each.path} has changed since it was scored"


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
