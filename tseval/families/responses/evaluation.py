"""From inputs to what the measures of responses need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from tseval.core.editions import Edition
from tseval.core.family import Access, Evaluation, Words, hashes
from tseval.core.measure import Measure
from tseval.core.wording import count, count_words, listed
from tseval.errors import InputError, Reason, UsageError
from tseval.families.responses.index import ResponseIndex, build
from tseval.families.responses.inputs import (
    ResponseInputs,
    ResponseOptions,
    ResponseTables,
    read_tables,
)
from tseval.families.responses.labels import IMPORTANCE, TIER, warn_of_unknown
from tseval.families.responses.measures import DEFAULTS, MICRO, OF_SORT
from tseval.families.responses.rules import ResponseRules
from tseval.families.responses.tables import MANDATORY, OKAY, VITAL, Count, Response, Sort
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray

OWN_TOPICS = (Sort.REPORT, Sort.COUNTS, Sort.ANNOTATIONS, Sort.HITS)
"""What is scored over the topics that a run has, as those who made it do. So is all else without a
file of nuggets, which alone tells what a run could have answered."""

TIMELESS = (Sort.COUNTS, Sort.HITS)
"""Tables without a column of times."""


@frozen(kw_only=True)
class ResponseEvaluation(Evaluation):
    """Responses and labels, read and indexed."""

    words: ClassVar[Words] = Words("responses", "topic", "counted as a response that says nothing")

    responses: ResponseIndex
    labelled: tuple[Response, ...]
    """Everything that was read, in the order of the files."""

    @property
    def index(self) -> ResponseIndex:
        """What measures are taken from."""
        return self.responses

    @property
    def starts(self) -> FloatArray:
        """When each topic starts."""
        return self.responses.starts

    def default_measures(self) -> Sequence[str]:
        """The measures that are shown of labels of this sort."""
        shown = DEFAULTS.get(self.responses.sort, self.edition.measures)
        return shown if self._has_questions else [each for each in shown if not of_questions(each)]

    @property
    def _has_questions(self) -> bool:
        """Whether a bank, or counts, tell the questions that reports should answer."""
        is_report = self.responses.sort in (Sort.REPORT, Sort.COUNTS)
        return not is_report or "nuggets" in self.responses.sums

    def settled(self, wanted: list[Measure]) -> list[Measure]:
        """The measures asked for; those of other labels, or before the end without times, raise."""
        sort = self.responses.sort
        for each in wanted:
            if each.definition.name not in OF_SORT[sort]:
                known = ", ".join(sorted(OF_SORT[sort]))
                raise UsageError(f"{each} is no measure of {sort.value}; those are: {known}")
            if not self._has_questions and of_questions(each.definition.name):
                raise UsageError(f"{each} needs the bank of nuggets: --nuggets FILE")
        for each in wanted:
            if each.at is not None:
                self.has_times(each)
        return wanted

    def has_times(self, measure: Measure) -> bool:
        """Whether a measure can be taken at any time; without times that is refused."""
        if self.responses.undated:
            raise InputError(self.responses.undated)
        if not self.responses.timed:
            sort = self.responses.sort
            cure = "" if sort in TIMELESS else ": give each its `time`"
            what = sort.value if sort in TIMELESS else "the responses"
            raise UsageError(
                f"{measure}: {what} have no times, so nothing has a value before the end{cure}"
            )
        return True

    def follows(self, measure: Measure) -> bool:  # noqa: ARG002 - all have times, or none
        """Whether a measure can be followed over time."""
        return self.responses.timed and self.responses.single

    def pools(self, measure: Measure) -> bool:
        """Whether `all` is that of all topics taken together."""
        return measure.definition.name.endswith(MICRO)

    def caveats(self, wanted: Sequence[Measure]) -> Iterator[str]:
        """Yield what a reader of these measures should know, beside `warnings`."""
        index, found = self.responses, set(self.responses.importance)
        names = dict.fromkeys(each.definition.name for each in wanted)
        for sort, words, base in (
            (Sort.GRADES, (VITAL,), "vital"),
            (Sort.GRADES, (VITAL, OKAY), "weighted"),
            (Sort.VERDICTS, (MANDATORY,), "unsatisfied_mandatory"),
        ):
            zero = [n for n in names if n.removeprefix("strict_").removesuffix("_binary") == base]
            if index.sort is sort and index.nugget and zero and found.isdisjoint(words):
                what = "no criterion" if sort is Sort.VERDICTS else "no nugget"
                yield Reason(
                    f"{what} is {' or '.join(words)}, so the score is 0: {', '.join(zero)}"
                )

    def without_missing(self) -> ResponseEvaluation:
        """The same, where topics that a run lacks are left out."""
        return replace(self, responses=self.responses.without_missing())


def of_questions(name: str) -> bool:
    """Whether a measure of reports is of the questions of a bank."""
    return "nugget" in name or name.startswith("f1")


def read(
    inputs: ResponseInputs,
    options: ResponseOptions,  # noqa: ARG001 - as of all families
    edition: Edition[ResponseRules],
    rules: Mapping[str, str],
    access: Access,
) -> ResponseEvaluation:
    """Read every input; a fault in any of them is an `InputError`."""
    kept = edition.rules.changed(rules)
    tables = read_tables(inputs, kept, access)
    index = build(tables, kept)
    if tables.gold is None or tables.sort in OWN_TOPICS:
        edition = replace(edition, on_missing="skip")
    told = kept.said(edition.rules)
    return ResponseEvaluation(
        edition=edition,
        responses=index,
        labelled=tuple(each for _, sheet in tables.labels for each in sheet.responses),
        traits=({"rules": told} if told else {}) | hashes(tables.origins),
        inputs=tables.records(),
        warnings=tuple(_warnings(tables, index)),
    )


def _warnings(tables: ResponseTables, index: ResponseIndex) -> Iterator[str]:
    """What a reader of the scores should know."""
    gold = tables.gold
    own = gold is None or not gold.nuggets or index.rules.nuggets == "record"
    for source, sheet in tables.labels:
        labels = sum(len(each.labels) for each in sheet.responses)
        unknown = [each for each in sheet.unknown if own or each.what not in (IMPORTANCE, TIER)]
        yield from warn_of_unknown(source.path, unknown, labels)
        counts = [each for one in sheet.responses for each in one.labels if isinstance(each, Count)]
        metrics = [each.metric for each in counts if each.metric not in OF_SORT[Sort.COUNTS]]
        if metrics:
            known = count_words(metrics, OF_SORT[Sort.COUNTS])
            yield f"{source.path}: {count(len(metrics), 'unknown metric')}, ignored: {known}"
    if gold is not None and not own:
        yield from warn_of_unknown("nuggets", gold.unknown, 0)
    for sheet in (*(sheet for _, sheet in tables.labels), *tables.answers):
        yield from sheet.warnings
    if index.unknown:
        noun = count(len(index.unknown), "topic")
        yield f"{noun} not in the file of nuggets, ignored: {listed(index.unknown)}"
    if index.undated:
        nouns = count(len(index.undated), "response")
        yield f"{nouns} without a time: scores at a time are not possible, and lead leaves them out"
    if not index.single and index.rules.mean == "topics":
        yield (
            "a run has several responses to a topic, and they have no times: their mean counts "
            "(--rule mean=records counts each)"
        )
