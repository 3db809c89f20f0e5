"""How a family declares what it takes: inputs and options as fields of typed, frozen records.

A record's fields are made by `argument`, `file_option` and `option`. They tell the command line its
parameters and help, the refusals which option has a meaning where, and the reader of the record
its types. So nothing passes from the command line to a family but these records.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import Field, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from tseval.core.rules import each_once
from tseval.errors import UsageError, check_choice
from tseval.io.schema import Schema
from tseval.records import frozen

Record = TypeVar("Record")
OF_FIELD = ""
"""In the place of a flag: it is the name of the field."""
KINDS: Mapping[str, Callable[[Any], Any]] = {"int": int, "float": float, "Path": Path}
"""What makes a value of its text where the type of a field begins so."""
_KNOWN: dict[type, Sequence[tuple[Field[Any], Declared]]] = {}
"""The parameters of each record that was asked for."""
DECLARED = "declared"
"""Under this name a field's metadata holds its declaration."""
SCORES = "scores"
"""The view that a family's command has unless another is asked for."""
COMPARE, CURVE, MATCH, REPORT, SWEEP = "compare", "curve", "match", "report", "sweep"
"""The views that are commands of their own."""
JITTER = "jitter"
"""The view that shows how far scores move."""
IN_BLOCKS, FOLLOW = "--in-blocks", "--follow"
STREAMS = (IN_BLOCKS, FOLLOW)
"""The options with which runs are not read whole."""
UNMEASURED, UNCOUNTED, TOPICLESS = "no measures", "no missing topics", "no single topics"
"""What views and forms have in common that take no measures, count nothing as missing, or show no
topics by themselves."""
UNSHARED, UNRESUMED = "one process", "no work to keep"
"""What ways have in common with which all work is this process's, or none can be kept on disk."""
RANDOM = "random"
SAMPLINGS = ("confidence", RANDOM)
"""The most confident posts, or a seeded draw."""
SAMPLING_HELP = (
    "How to select posts: the most confident ones, or a seeded draw. Default: confidence."
)
SEED_HELP = "Seed of --sampling random."


@frozen
class NoOptions:
    """Nothing is asked for beside what all families are asked for."""


@frozen
class Declared:
    """A parameter of a family, for whoever builds a command, a message or a page from it."""

    flags: tuple[str, ...]
    """How it is written on the command line; nothing for a positional file."""
    help: str
    metavar: str = ""
    kind: Callable[[Any], Any] = str
    """What makes a value of its text: a type, or a function whose errors are `UsageError`s."""
    choices: tuple[str, ...] = ()
    """The values that it can have; of an output the suffixes."""
    several: bool = False
    """Whether it may be given more than once."""
    is_file: bool = False
    is_output: bool = False
    """Whether it is a file that is written beside the result."""
    at_least: float | None = None
    at_most: float | None = None
    within: tuple[str, ...] = ()
    """The views, or the flags of other options, with one of which alone it has a meaning."""
    not_within: tuple[str, ...] = ()
    """The views, or the flags of other options, with which it has none."""
    needed_by: tuple[str, ...] = ()
    """The options and rules that mean nothing without it: `duplicates`, or `sampling=random`."""
    required: bool = False
    """Whether an option must be given."""
    table: Schema | None = None
    """The plain table that a file holds; None if it has a form of its own that nobody chooses."""
    by_commas: bool = False
    """Whether it is several names with commas between them."""
    rule: str = ""
    """The rule that it stands for; of a switch with the value that it gives: `reward=binary`."""
    adds_to: str = ""
    """The field of the input that its files add to: all are read as one table."""
    by_place: bool = False
    """Whether a call in Python takes it by its place, too, as it takes positional files."""
    hidden: bool = False
    """Whether help leaves it out."""

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.flags[0] if self.flags else self.metavar

    @property
    def written(self) -> str:
        """How it is written with its value: `--gold NUGGETS`."""
        return f"{self.name} {self.metavar}".strip()

    def has_meaning(self, *ways: str) -> bool:
        """Whether it changes anything in a view, a form or a command, beside these options."""
        is_within = not self.within or any(each in self.within for each in ways)
        return is_within and not any(each in self.not_within for each in ways)

    def check(self, value: Any) -> None:
        """Refuse a value that it cannot have."""
        if self.choices and not self.is_output:
            check_choice(self.name, value, self.choices)
        least, most = self.at_least, self.at_most
        if (least is not None and not value >= least) or (most is not None and not value <= most):
            known = f"{least:g} or more" if most is None else f"a number from {least} to {most}"
            raise UsageError(f"{self.name} cannot be {value}: give {known}")


def argument(
    metavar: str, words: str, table: Schema, *, several: bool = False, required: bool = True
) -> Any:
    """A positional file, what it is in words, its table; `several` for one or more, as runs are."""
    what = Declared((), words, metavar, several=several, is_file=True, table=table)
    return field(metadata={DECLARED: replace(what, required=required)})


def file_option(*words: str, **more: Any) -> Any:
    """A file that an option names, with its table if it holds a plain one; words as of `option`."""
    return _field(words, None, is_file=True, **{"metavar": "FILE", **more})


def output_option(*words: str, forms: tuple[str, ...], **more: Any) -> Any:
    """A file that is written beside the result, in the form that its suffix names."""
    what = {"metavar": "FILE", "kind": Path, "choices": forms}
    return _field(words, None, is_output=True, **{**what, **more})


def option(*words: str, default: Any = None, **more: Any) -> Any:
    """A parameter that is no file; a `kind` of `bool` is a switch.

    The words are its flag, if that is not the name of the field, and its help. A number, or a path,
    needs no `kind`: the type of the field tells it.

    One that stands for a rule (`rule="votes"`, of a switch `rule="reward=binary"`) reaches the
    family's `read` among the rules: nothing has to look at its field.
    """
    return _field(words, default, **more)


def _field(words: Sequence[str], default: Any, **more: Any) -> Any:
    *flags, told = words
    what = Declared(tuple(flags or [OF_FIELD]), told, **more)
    if what.required:
        return field(metadata={DECLARED: what})
    empty = () if what.several or what.by_commas else False if what.kind is bool else None
    return field(default=empty if default is None else default, metadata={DECLARED: what})


def declared(record: type) -> Sequence[tuple[Field[Any], Declared]]:
    """The parameters of a record, in the order of its fields."""
    if record not in _KNOWN:
        _KNOWN[record] = [_named(e) for e in fields(record) if DECLARED in e.metadata]
    return _KNOWN[record]


def _named(each: Field[Any]) -> tuple[Field[Any], Declared]:
    """A field with its declaration, which has what the field's name and type tell."""
    what: Declared = each.metadata[DECLARED]
    flags = tuple(flag or f"--{each.name.replace('_', '-')}" for flag in what.flags)
    kind = KINDS.get(str(each.type).split(" ")[0], str) if what.kind is str else what.kind
    metavar = what.metavar or ("FILE" if kind is Path else "")
    return each, replace(what, flags=flags, kind=kind, metavar=metavar)


def input_name(what: Declared) -> str:
    """What an input is called where one of several is named: `nuggets`."""
    return what.name.removeprefix("--").replace("-", "_").lower()


def input_tables(record: type, view: str = "") -> dict[str, str]:
    """What the inputs that may have a format are called, and their tables; of all, or of a view."""
    return {
        input_name(what): what.table.table
        for _, what in declared(record)
        if what.table is not None and (not view or what.has_meaning(view))
    }


def input_files(inputs: object) -> list[Any]:
    """Every input that was given, in the order in which they are declared."""
    values = [(what, getattr(inputs, each.name)) for each, what in declared(type(inputs))]
    parts = [list(value) if what.several else [value] for what, value in values]
    return [each for part in parts for each in part if each is not None]


def changed_values(record: object) -> Mapping[str, Declared]:
    """The parameters of a record that are not as they are by default, by the fields' names."""
    found = {}
    for each, what in declared(type(record)):
        value = getattr(record, each.name, each.default)
        is_several = isinstance(value, list | tuple)
        is_frame = what.is_file and not (is_several or isinstance(value, str))
        is_empty = value is None or (is_several and not value)
        if not is_empty and (is_frame or value != each.default):
            found[each.name] = what
    return found


def check_values(
    records: Sequence[object], rules: Mapping[str, str], ways: Collection[str] = ()
) -> None:
    """Refuse values out of range, and options that mean nothing beside, or without, others."""
    values = [
        (what, getattr(record, name))
        for record in records
        for name, what in changed_values(record).items()
    ]
    for record in records:
        check_record(record)
    check_meanings(values, ways)
    flags = {*ways, *(what.name for what, _ in values)}
    asked = {input_name(what): "" if what.is_file else str(value) for what, value in values}
    asked |= rules
    for record in records:
        for _, what in declared(type(record)):
            if what.required and what.name not in flags:
                raise UsageError(f"{what.name} is missing: {what.help}")
            for each in what.needed_by:
                name, _, fixed = each.partition("=")
                if what.name not in flags and name in asked and fixed in ("", asked[name]):
                    raise UsageError(f"{each} needs {what.written}")


def check_record(record: object) -> None:
    """Refuse values that options cannot have."""
    for name, what in changed_values(record).items():
        value = getattr(record, name)
        for each in value if isinstance(value, list | tuple) else (value,):
            what.check(each)


def check_meanings(
    given: Sequence[tuple[Declared, Any]],
    ways: Collection[str],
    called: Mapping[str, str] | None = None,
) -> None:
    """Refuse options that mean nothing in these ways, or beside or without each other.

    A way is a view, a form, a command, or what these have in common; `called` tells how each is
    asked for, if it is. Without `called` it is not known which views and forms there are, and only
    options are looked at.
    """
    names = called or {}
    for what, _ in given:
        beside = [(flag, value) for each, value in given if each is not what for flag in each.flags]
        others = [*ways, *(flag for flag, _ in beside)]
        others += [f"{flag} {value}" for flag, value in beside if isinstance(value, str)]
        of_options = all(each.startswith("--") for each in what.within)
        is_within = not what.within or any(each in what.within for each in others)
        is_within |= called is None and not of_options
        wrong = [each for each in others if each in what.not_within]
        if not is_within and not of_options:
            wrong += [each for each in ways if each in names]
        known = [names.get(each, each) for each in what.within if of_options or each in names]
        if wrong:
            way = wrong[0] if wrong[0].startswith("--") else names.get(wrong[0], wrong[0])
            meant = "" if is_within or not known else f": it is for {', '.join(known)}"
            raise UsageError(f"{what.name} has no meaning with {way}{meant}")
        if not is_within:
            raise UsageError(f"{what.name} has no meaning without {' or '.join(known)}")


def positive(text: str | float) -> float:
    """A number above 0."""
    with suppress(ValueError):
        if 0 < float(text) < math.inf:
            return float(text)
    raise UsageError(f"'{text}' is no number above 0")


def rules(named: Iterable[tuple[str, str]], record: object) -> dict[str, str]:
    """The rules that are named, and those that options stand for; two values of one are refused."""
    pairs = list(named)
    for each, what in declared(type(record)):
        value = getattr(record, each.name)
        if what.rule and value not in (None, False):
            name, _, fixed = what.rule.partition("=")
            pairs.append((name, fixed or str(value)))
    return each_once(pairs)


def build(record: Callable[..., Record], values: Mapping[str, Any]) -> Record:
    """A record from values by the names of its fields; those that are not there are defaults."""
    names = [each.name for each in fields(record)]  # type: ignore[arg-type]
    return record(**{name: values[name] for name in names if name in values})
