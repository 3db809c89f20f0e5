"""Rules: what evaluations do differently, each with a name, its values and what they mean.

A record of rules is a frozen dataclass over `RuleSet` whose fields are made by `choice`; an edition
is an instance, and the code that reads the record knows no editions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, fields, replace
from typing import Any, ClassVar, Generic, TypeVar

from tseval.errors import UsageError, check_choice, did_you_mean
from tseval.records import frozen

Record = TypeVar("Record", bound="RuleSet")
Rules = TypeVar("Rules", bound="RuleSet", covariant=True)


@frozen
class Rule:
    """One choice of an edition in words."""

    name: str
    value: str
    meaning: str
    values: Mapping[str, str]

    @property
    def words(self) -> str:
        """What the value that was chosen means."""
        return self.values[self.value]


def choice(*words: str, **values: str) -> Any:
    """A field with its meaning and its values; `_` in a value's name is written `-`.

    The default is the first value, unless another stands before the meaning.
    """
    named = {name.replace("_", "-"): said for name, said in values.items()}
    *default, meaning = words
    metadata = {"meaning": meaning, "values": named}
    return field(default=next(iter((*default, *named))), metadata=metadata)


@frozen
class RuleSet:
    """A record of choices; fields of other kinds may stand beside them."""

    always_named: ClassVar[tuple[str, ...]] = ()
    """The rules that signatures name in any case, apart from those that are changed."""

    def each(self) -> Iterator[Rule]:
        """Every choice with the value that it has here."""
        for each in fields(self):
            if "values" in each.metadata:
                name, words = each.name.replace("_", "-"), each.metadata["values"]
                yield Rule(name, getattr(self, each.name), each.metadata["meaning"], words)

    def changed(self: Record, given: Mapping[str, str]) -> Record:
        """The rules with others in the place of some; an unknown name or value is refused."""
        known = {each.name: each for each in self.each()}
        for name, value in given.items():
            if name not in known:
                like = did_you_mean(name, known)
                raise UsageError(f"unknown rule '{name}'; known: {', '.join(known)}{like}")
            check_choice(f"rule {name}", value, known[name].values)
        return replace(self, **{name.replace("-", "_"): value for name, value in given.items()})

    def rules_signature(self, base: RuleSet) -> str:
        """The rules that are others than those of an edition, as a part of the signature."""
        pairs = zip(self.each(), base.each(), strict=True)
        return ",".join(
            f"{mine.name}={mine.value}"
            for mine, theirs in pairs
            if mine.value != theirs.value and mine.name not in self.always_named
        )


def each_once(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Rules by name; one that is given two values is refused."""
    rules: dict[str, str] = {}
    for name, value in pairs:
        if rules.setdefault(name, value) != value:
            raise UsageError(f"rule {name} is given twice: {rules[name]} and {value}")
    return rules


@frozen
class NoRules(RuleSet):
    """The rules of an edition that has none to choose from."""


@frozen
class Edition(Generic[Rules]):
    """Whose rules: the family they are for, the measures shown by default, and where they stand."""

    name: str
    family: str
    summary: str
    measures: tuple[str, ...]
    on_missing: str
    """What a judged topic without updates counts as: `zero` (an empty system), `skip`, `error`."""
    citation: str
    rules: Rules
    """Its rules; combined with others by `--rule`."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """The columns of the official table, by measure; none where there is no such table."""
    leading: tuple[str, ...] = ()
    """What a report leads with: the primary measure, by which a run is said to be better, and up to
    four companions, of those that were scored."""
