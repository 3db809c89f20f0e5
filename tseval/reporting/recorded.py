"""What files of scores record of their inputs: what each was, and whether it is still there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tseval.core.registry import all_editions
from tseval.families.temporal.draft import FAMILY
from tseval.files.inputs import Input
from tseval.files.provenance import Provenance, RecordedInput
from tseval.reporting.content import InputRow
from tseval.tables import InputRecord

RUN, NUGGETS = "run", "nuggets"
SINGLE = (NUGGETS, "matches", "topics", "duplicates", "pool")
"""What a signature names by its hash; the inputs that it doesn't name are the runs."""
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
        digest = value.removeprefix(HASH)
        if value != digest and sha256.startswith(digest):
            return name
    return RUN


def input_rows(signature: str, inputs: Iterable[InputRecord | RecordedInput]) -> Iterator[InputRow]:
    """Each input with what it was."""
    traits = traits_of(signature)
    for each in inputs:
        yield InputRow(role_of(traits, each.sha256), each.path, each.sha256, each.rows)


@dataclass(frozen=True)
class Recorded:
    """How temporal scores came about, as far as their files tell."""

    updates: tuple[str, ...] = ()
    gold: Mapping[str, str] = field(default_factory=dict)
    """Paths by what they are: nuggets, matches, topics, duplicates, pool."""
    traits: Mapping[str, str] = field(default_factory=dict)
    trouble: str = ""
    """Why the recorded files can't be used; empty if they can."""

    @property
    def usable(self) -> bool:
        """Whether runs and gold are known, and still what they were."""
        return bool(self.updates) and NUGGETS in self.gold and not self.trouble

    @property
    def matcher(self) -> str | None:
        """The matcher that found the matches; None where they were read from a file."""
        return None if "matches" in self.traits else self.traits.get("matcher")

    @property
    def rules(self) -> dict[str, str]:
        """Rules that are not the edition's."""
        given = self.traits.get("rules", "")
        pairs = (part.partition("=") for part in given.split(",") if part)
        return {name: value for name, _, value in pairs}


def recorded(told: Sequence[Provenance]) -> Recorded:
    """What all files of scores agree on; the first disagreement, or changed file, is told."""
    own = [each for each in told if _is_temporal(each)]
    if not own:
        return Recorded()
    parts = [_of(each) for each in own]
    first = parts[0]
    joined = replace(
        first, updates=tuple(dict.fromkeys(path for part in parts for path in part.updates))
    )
    hashes = [_shaping(part.traits) for part in parts]
    if any(each != hashes[0] for each in hashes):
        return replace(joined, trouble="the files of scores come from different gold or rules")
    changed = next((path for each in own for path in _changed(each)), None)
    if changed is not None:
        return replace(joined, trouble=changed)
    return joined


def _is_temporal(told: Provenance) -> bool:
    traits = traits_of(told.signature)
    known = {each.name for each in all_editions() if each.family == FAMILY}
    return NUGGETS in traits and traits.get("edition") in known and bool(told.inputs)


def _shaping(traits: Mapping[str, str]) -> dict[str, str]:
    """The parts of a signature that say which gold, which matches and which rules."""
    return {
        name: value
        for name, value in traits.items()
        if name in {*SINGLE, "edition", "matcher", "rules"}
    }


def _of(told: Provenance) -> Recorded:
    by_role: dict[str, str] = {}
    updates = []
    for row in input_rows(told.signature, told.inputs):
        if row.role in SINGLE and row.role not in by_role:
            by_role[row.role] = row.path
        else:
            updates.append(row.path)
    return Recorded(tuple(updates), by_role, traits_of(told.signature))


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
