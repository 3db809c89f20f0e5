"""What CrisisFACTS is scored from: files read into tables, and whether they fit the edition."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tseval.core.declared import argument, file_option
from tseval.core.family import Access
from tseval.core.nearest import names_in
from tseval.errors import UsageError
from tseval.families.crisisfacts.files import (
    is_collapsed,
    is_labels,
    read_collapsed,
    read_labels,
    read_requests,
)
from tseval.families.crisisfacts.items import is_gold, is_items, read_gold, read_items
from tseval.families.crisisfacts.rules import CrisisRules
from tseval.families.crisisfacts.tables import (
    COLLAPSED,
    GOLD_FACTS,
    ITEMS,
    LABELS,
    REQUESTS,
    CollapsedFacts,
    FactLabels,
    GoldFacts,
    Items,
    Requests,
)
from tseval.files.inputs import Input
from tseval.files.plain import recognise
from tseval.files.reading import input_of, names_of, read_if_given
from tseval.parallel.runs import Spread
from tseval.records import frozen
from tseval.tables import InputRecord, Origin

if TYPE_CHECKING:
    from tseval.files.reading import Given
    from tseval.tables import Schema


@frozen
class CrisisInputs:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    runs: Sequence[Given] = argument(
        "FACTS",
        "one or more files of collapsed facts (of 2022: of assessed items)",
        COLLAPSED,
        several=True,
    )
    gold: Given = argument("GOLD", "the file of their labels (of 2022: of gold facts)", LABELS)
    requests: Given | None = file_option(
        "--requests",
        "The day of each request: a table `request day`. Without it measures have no times, but of "
        "2022, where gold facts tell days.",
        table=REQUESTS,
    )


@frozen
class CrisisOptions:
    """Nothing is asked for beside what all families are asked for."""


class Labelled(NamedTuple):
    """Collapsed facts, which hold what runs say, and their labels."""

    said: CollapsedFacts
    gold: FactLabels


class Assessed(NamedTuple):
    """Items of runs, and the gold facts that they were matched with."""

    said: Items
    gold: GoldFacts


@frozen
class CrisisTables:
    """The inputs, read."""

    held: Labelled | Assessed
    requests: Requests | None

    @property
    def origins(self) -> dict[str, Origin]:
        """Where what stands beside the runs comes from."""
        days = {} if self.requests is None else {"requests": self.requests.origin}
        return {"gold": self.held.gold.origin} | days

    def records(self) -> tuple[InputRecord, ...]:
        """Every input with its hash and its number of rows."""
        origins = [self.held.said.origin, *self.origins.values()]
        return tuple(source for origin in origins for source in origin.sources)

    @cached_property
    def days(self) -> dict[str, float]:
        """When the day of each request begins, as far as it is told."""
        found: dict[str, float] = {}
        gold = self.held.gold
        if isinstance(gold, GoldFacts) and gold.day is not None:
            found = dict(zip(gold.request.to_list(), gold.day.tolist(), strict=True))
        if self.requests is not None:
            own = self.requests
            found |= dict(zip(own.request.to_list(), own.day.tolist(), strict=True))
        return found


def read_tables(inputs: CrisisInputs, rules: CrisisRules, access: Access) -> CrisisTables:
    """Every input that was given; faults are `InputError`s."""
    access.check(inputs)
    if not inputs.runs:
        raise UsageError("no file is given: name at least one of collapsed facts")
    form = access.form("facts")
    sources = [input_of(each, COLLAPSED) for each in inputs.runs]
    for source in sources:
        _check_kind(source, form, rules)
    requests = read_if_given(inputs.requests, read_requests, access.own_form("requests"))
    spread, gold_form = Spread(access.sharing), access.form("gold")
    if rules.facts == "gold":
        items = read_items(sources, form, spread)
        return CrisisTables(Assessed(items, read_gold(inputs.gold, gold_form)), requests)
    facts = read_collapsed(sources, form, spread)
    return CrisisTables(Labelled(facts, read_labels(inputs.gold, gold_form)), requests)


def _check_kind(source: Input, form: str | None, rules: CrisisRules) -> None:
    """Refuse a file of the other edition."""
    if _is_of_items(source, form) != (rules.facts == "gold"):
        collapsed = rules.facts == "gold" and _is_of_collapsed(source, form)
        if collapsed or rules.facts == "collapsed":
            what = "collapsed facts" if collapsed else "assessed items"
            edition = "crisisfacts2023" if collapsed else "crisisfacts2022"
            raise UsageError(f"{source.path} holds {what}: score them with --edition {edition}")


def _is_of_items(source: Input, form: str | None) -> bool:
    return (form is None and is_items(source)) or _fits(source, ITEMS, form)


def _is_of_collapsed(source: Input, form: str | None) -> bool:
    return (form is None and is_collapsed(source)) or _fits(source, COLLAPSED, form)


def _fits(source: Input, schema: Schema, form: str | None) -> bool:
    """Whether an input has the columns of a table."""
    names = names_of(source) if source.is_table else names_in(source, form)
    return not schema.missing(names)


def is_of_gold(path: str) -> bool:
    """Whether a file holds what runs are held against; standard input is not looked at."""
    source = Input(path)
    if not source.can_be_read_again:
        return False
    names = recognise(source)[1]
    of_table = any(names and not schema.missing(names) for schema in (LABELS, GOLD_FACTS))
    return is_labels(source) or is_gold(source) or of_table
