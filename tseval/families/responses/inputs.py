"""What responses are given: files of labels, of responses and of gold, read into sheets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tseval.core.declared import argument, file_option
from tseval.core.family import Access
from tseval.errors import UsageError
from tseval.families.responses.files import read_gold, read_sheets
from tseval.families.responses.rules import ResponseRules
from tseval.families.responses.tables import GRADES, NUGGETS, Gold, Sheet, Sort
from tseval.files.inputs import Input
from tseval.files.reading import input_of, read_if_given
from tseval.files.topics import read_topics
from tseval.parallel.runs import Spread
from tseval.records import frozen
from tseval.tables import InputRecord, Origin, Topics
from tseval.tables.schema import TOPICS

if TYPE_CHECKING:
    from tseval.files.reading import Given


@frozen
class ResponseInputs:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    runs: Sequence[Given] = argument(
        "FILE", "one or more files of labels or responses", GRADES, several=True
    )
    nuggets: Sequence[Given] = file_option(
        "--nuggets",
        "The nuggets, a bank of nuggets or a rubric: its topics are those that count.",
        table=NUGGETS,
        several=True,
    )
    topics: Given | None = file_option(
        "--topics",
        "When each topic starts: a table `topic start [end]`. Default: with its first nugget, or "
        "else its first response.",
        table=TOPICS,
    )


@frozen
class ResponseOptions:
    """Nothing is asked for beside what all families are asked for."""


@frozen
class ResponseTables:
    """The inputs, read."""

    labels: tuple[tuple[Input, Sheet], ...]
    """The files whose labels are scored, with the inputs that they were read from."""
    answers: tuple[Sheet, ...]
    """The responses themselves, beside labels of such: they tell times."""
    gold: Gold | None
    topics: Topics | None

    @property
    def sort(self) -> Sort:
        """What the labels are."""
        return self.labels[0][1].sort

    @property
    def origins(self) -> dict[str, Origin]:
        """Where what stands beside the runs comes from."""
        nuggets = {} if self.gold is None else {"nuggets": self.gold.origin}
        return nuggets | ({} if self.topics is None else {"topics": self.topics.origin})

    def records(self) -> tuple[InputRecord, ...]:
        """Every input with its hash and its number of rows."""
        labels = (source for _, sheet in self.labels for source in sheet.origin.sources)
        others = [*(sheet.origin for sheet in self.answers), *self.origins.values()]
        return (*labels, *(replace(each, runs=()) for own in others for each in own.sources))


def read_tables(inputs: ResponseInputs, rules: ResponseRules, access: Access) -> ResponseTables:
    """Every input that was given; faults are `InputError`s."""
    access.check(inputs)
    if not inputs.runs:
        raise UsageError("no file is given: name at least one of labels or of responses")
    sources = [input_of(each, GRADES) for each in inputs.runs]
    sheets = read_sheets(sources, rules, access.form("file"), Spread(access.sharing))
    sorts = list(dict.fromkeys(sheet.sort for sheet in sheets))
    labelled = [each for each in sorts if each is not Sort.ANSWERS] or sorts[:1]
    if len(labelled) > 1:
        found = " and ".join(each.value for each in labelled)
        raise UsageError(f"files of {found}: score each sort of labels by itself")
    form = access.own_form("nuggets")
    pairs = zip(sources, sheets, strict=True)
    return ResponseTables(
        labels=tuple(pair for pair in pairs if pair[1].sort is labelled[0]),
        answers=tuple(each for each in sheets if each.sort is not labelled[0]),
        gold=read_gold(inputs.nuggets, rules, form) if inputs.nuggets else None,
        topics=read_if_given(inputs.topics, read_topics, access.own_form("topics")),
    )
