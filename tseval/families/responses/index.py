"""Responses by (run, topic): graded items that change in time, and sums of dated counts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.ledgers import ALWAYS, Ledger
from tseval.errors import Fault, UsageError
from tseval.families.responses.inputs import ResponseTables
from tseval.families.responses.responses import Version, Versions, times_in, versions_of
from tseval.families.responses.rules import ResponseRules
from tseval.families.responses.tables import (
    OKAY,
    VITAL,
    Annotation,
    Cited,
    Count,
    Gold,
    Grade,
    Judged,
    Key,
    Nugget,
    Question,
    Sentence,
    Sort,
)
from tseval.files.faults import FaultList
from tseval.records import frozen
from tseval.tables.units import Units

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

ANNOTATIONS = {"none": 0, "partial": 1, "supports": 2, "contradicts": 3}
"""The grades of annotations: the highest so far counts, so a contradiction stays."""
UNLISTED_CURE = "--rule unlisted=ignored leaves such labels out; --rule nuggets=record takes them"


LISTED = (Sort.GRADES, Sort.VERDICTS)
"""The kinds of labels that can be scored over a file of nuggets or criteria."""


@dataclass
class Items:
    """What is being gathered: items with their labels, and sums."""

    cell: list[int] = field(default_factory=list)
    nugget: list[Nugget] = field(default_factory=list)
    labels: list[tuple[int, int, float, int]] = field(default_factory=list)
    """Item, version, time, grade."""
    listed: list[tuple[int, int, float]] = field(default_factory=list)
    """Item, version, time: that a version's own list has the item."""
    always: list[int] = field(default_factory=list)
    """Items of a list that does not change with the version."""
    failed: set[int] = field(default_factory=set)
    """The items for which the judge gave no answer."""
    sums: dict[str, list[tuple[int, float, float]]] = field(default_factory=dict)
    """By name the cell, the time and the amount."""

    def new(self, cell: int, nugget: Nugget) -> int:
        """One more item."""
        self.cell.append(cell)
        self.nugget.append(nugget)
        return len(self.cell) - 1

    def add(self, name: str, version: Version, time: float, amount: float, *, ends: bool) -> None:
        """An amount from a time on; where the next version replaces it, until then."""
        own = self.sums.setdefault(name, [])
        if not amount:
            return
        date = ALWAYS if math.isnan(time) else time
        own.append((version.cell, date, amount))
        if ends and version.until < math.inf:
            own.append((version.cell, max(date, version.until), -amount))


@frozen
class Steps:
    """When the grade of an item changes, from which to which."""

    item: IntArray
    date: FloatArray
    before: IntArray
    after: IntArray


@frozen
class ResponseIndex(Units):
    """What measures of responses are taken from."""

    sort: Sort
    rules: ResponseRules
    starts: FloatArray
    present: BoolArray
    timed: bool
    undated: tuple[Fault, ...]
    """The responses that say something but have no time, if others have one."""
    cell_unit: IntArray
    """The (run, topic) of each cell, which is what has a value."""
    single: bool
    """Whether each (run, topic) is one cell."""
    counts_missing: bool
    """Whether a topic that a run lacks counts as a response that scores 0."""
    cell: IntArray
    """The cell of each item."""
    nugget: tuple[Nugget, ...]
    """What each item is."""
    steps: Steps
    raised: Steps
    """The same where no grade is ever lost."""
    listed: Steps
    """When an item comes into the list that counts, and goes."""
    sums: Mapping[str, Ledger]
    unknown: tuple[str, ...]

    @cached_property
    def importance(self) -> list[str]:
        """Of each item."""
        return [each.importance for each in self.nugget]

    @cached_property
    def known(self) -> FloatArray:
        """When each item was first known; `ALWAYS` without a time."""
        times = np.array([each.time for each in self.nugget], np.float64)
        return np.where(np.isnan(times), ALWAYS, times)

    @cached_property
    def weight(self) -> FloatArray:
        """The own weight of each item; NaN without one."""
        return np.array([each.weight for each in self.nugget], np.float64)

    def without_missing(self) -> ResponseIndex:
        """The same where topics that a run lacks count for nothing."""
        there = self.present.ravel()[self.cell_unit]
        sums = {
            name: Ledger(each.unit[k], each.time[k], each.amount[k])
            for name, each in self.sums.items()
            for k in [there[each.unit]]
        }
        return replace(self, counts_missing=False, sums=sums)


def build(tables: ResponseTables, rules: ResponseRules) -> ResponseIndex:
    """Everything that was read, in its place."""
    versions, gold, sort = versions_of(tables, rules), tables.gold, tables.sort
    items = Items()
    if sort in (Sort.GRADES, Sort.VERDICTS, Sort.HITS):
        _gather_grades(items, versions, tables, rules)
    elif sort is Sort.ANNOTATIONS:
        _gather_annotations(items, versions, gold)
    else:
        _gather_sums(items, versions, rules)
        if sort is Sort.REPORT:
            _gather_nuggets(items, versions, gold, rules)
    replaces = rules.versions == "replace" and versions.single
    units = np.array([versions.cell_unit[each.cell] for each in versions.each], np.int64)
    shape = (len(versions.runs), len(versions.topics))
    there = np.bincount(units, minlength=shape[0] * shape[1]) > 0
    since = _starts_of_versions(versions) if replaces else {}
    labels = [(each[0], each[1] if replaces else 0, *each[2:]) for each in items.labels]
    dated = [(item, version, time, 1) for item, version, time in items.listed]
    if not since:
        dated = [(item, 0, ALWAYS, 1) for item in {each[0] for each in items.listed}]
    failed = items.failed - {each[0] for each in items.labels}
    always = [(item, 0, ALWAYS, 1) for item in items.always if item not in failed]
    steps = steps_of(labels, items.cell, since)
    return ResponseIndex(
        runs=versions.runs,
        topics=versions.topics,
        sort=sort,
        rules=rules,
        starts=_starts(versions, tables),
        present=there.reshape(shape),
        timed=versions.timed,
        undated=versions.undated,
        cell_unit=np.array(versions.cell_unit, np.int64),
        single=versions.single,
        counts_missing=True,
        cell=np.array(items.cell, np.int64),
        nugget=tuple(items.nugget),
        steps=steps,
        raised=steps_of([(i, 0, t, g) for i, _, t, g in items.labels], items.cell, {})
        if replaces
        else steps,
        listed=steps_of(always or dated, items.cell, {} if always else since),
        sums={name: _ledger(rows) for name, rows in items.sums.items()},
        unknown=versions.unknown,
    )


def _ledger(rows: list[tuple[int, float, float]]) -> Ledger:
    cell, time, amount = zip(*rows, strict=True) if rows else ((), (), ())
    return Ledger.of(np.array(cell, np.int64), np.array(time, np.float64), np.array(amount, float))


def _starts(versions: Versions, tables: ResponseTables) -> FloatArray:
    """When each topic starts: as is told, else with its first nugget, else its first response."""
    gold = {} if tables.gold is None else tables.gold.nuggets
    first: dict[str, float] = {}
    for version in versions.each:
        topic = version.response.topic
        times = [*times_in(version.response), version.response.time, first.get(topic, math.nan)]
        first[topic] = min((each for each in times if not math.isnan(each)), default=math.nan)
    for topic, nuggets in gold.items():
        known = [each.time for each in nuggets if not math.isnan(each.time)]
        first[topic] = min(known) if known else first.get(topic, math.nan)
    found = np.array([first.get(topic, math.nan) for topic in versions.topics], np.float64)
    earliest = np.nanmin(found) if (~np.isnan(found)).any() else 0.0
    found = np.where(np.isnan(found), earliest, found)
    if any(each.is_relative for each in tables.records()):
        found = np.zeros_like(found)
    if tables.topics is None:
        return found
    starts, _ = tables.topics.periods(versions.topics, found, found)
    return starts


def _starts_of_versions(versions: Versions) -> dict[int, list[float]]:
    """When each version of each cell starts, where there are several of any."""
    found: dict[int, list[float]] = {}
    for each in versions.each:
        found.setdefault(each.cell, []).append(each.since)
    return found if any(len(own) > 1 for own in found.values()) else {}


# Graded items.


def _gather_grades(
    items: Items, versions: Versions, tables: ResponseTables, rules: ResponseRules
) -> None:
    """The labels of nuggets, over the list of the gold or over those of the responses."""
    gold = tables.gold.nuggets if tables.gold is not None and tables.sort in LISTED else {}
    if rules.nuggets == "file" and not gold:
        raise UsageError("--rule nuggets=file needs a file of nuggets: --nuggets FILE")
    listed = bool(gold) and rules.nuggets != "record"
    places = _places(items, versions, gold) if listed else {}
    lacking: list[Version] = []
    for version in versions.each:
        before, first = len(lacking), dict[Key, Nugget]()
        for grade, time in zip(version.response.labels, times_in(version.response), strict=True):
            if not isinstance(grade, Grade):
                continue
            if grade.failed:
                items.failed.add(places.get((version.cell, grade.nugget.key), -1))
                continue
            own = _own_key(first.setdefault(grade.nugget.key, grade.nugget), rules)
            at = places.get((version.cell, grade.nugget.key if listed else own))
            if at is None and listed:
                lacking[before:] = [version]
                continue
            if at is None:
                at = places[version.cell, own] = items.new(version.cell, grade.nugget)
            date = ALWAYS if math.isnan(time) else time
            items.labels.append((at, version.number, date, grade.grade))
            if not listed:
                items.listed.append((at, version.number, version.since))
            wrong = grade.nugget.importance not in (VITAL, OKAY)
            items.add("invalid_labels", version, time, float(not grade.known), ends=False)
            items.add("invalid_importances", version, time, float(wrong), ends=False)
    if lacking and rules.unlisted == "fault":
        _refuse_unlisted(lacking, places, tables)


def _own_key(nugget: Nugget, rules: ResponseRules) -> object:
    """What makes a nugget of two versions the same; where the newest list counts, all of it."""
    if rules.versions == "replace":
        return nugget.key, nugget.importance, str(nugget.weight)
    return nugget.key


def _places(
    items: Items, versions: Versions, gold: Mapping[str, tuple[Nugget, ...]]
) -> dict[tuple[int, object], int]:
    """An item for each nugget of the gold in each cell, by its texts and by its name."""
    places: dict[tuple[int, object], int] = {}
    for cell, unit in enumerate(versions.cell_unit):
        topic = versions.topics[unit % len(versions.topics)]
        for position, nugget in enumerate(gold.get(topic, ())):
            name = (nugget.id or f"{topic}#{position}", -1)
            at = places.get((cell, nugget.key)) if nugget.key[0] else None
            if at is None:
                at = items.new(cell, nugget)
                items.always.append(at)
            if nugget.key[0]:
                places[cell, nugget.key] = at
            places[cell, name] = at
    return places


def _refuse_unlisted(
    lacking: Iterable[Version], places: Mapping[tuple[int, object], int], tables: ResponseTables
) -> None:
    """The labels of nuggets that the gold lacks, as faults of the first file that has such."""
    lines = {id(each.response.labels): each for each in lacking}
    for source, sheet in tables.labels:
        faults = FaultList(source)
        for response in sheet.responses:
            version = lines.get(id(response.labels))
            for grade in response.labels:
                if not isinstance(grade, Grade) or version is None:
                    continue
                if (version.cell, grade.nugget.key) not in places:
                    reason = f'nugget "{grade.nugget.key[0]}" is not in the file of nuggets'
                    faults.add(response.line, reason, UNLISTED_CURE, "unknown-id")
        faults.check()


def _gather_annotations(items: Items, versions: Versions, gold: Gold | None) -> None:
    """The annotations of answers, each of which counts as a part of its question."""
    if gold is None or not gold.questions:
        raise UsageError("annotations need the rubric that they are of: --nuggets FILE")
    own: dict[int, list[Version]] = {}
    for version in versions.each:
        own.setdefault(version.cell, []).append(version)
    for cell, unit in enumerate(versions.cell_unit):
        topic = versions.topics[unit % len(versions.topics)]
        of_answer: dict[str, list[tuple[int, float, int]]] = {}
        for version in own.get(cell, ()):
            times = times_in(version.response)
            for each, time in zip(version.response.labels, times, strict=True):
                if isinstance(each, Annotation):
                    date = ALWAYS if math.isnan(time) else time
                    row = (version.number, date, ANNOTATIONS[each.label])
                    of_answer.setdefault(each.answer, []).append(row)
        for question in gold.questions.get(topic, ()):
            items.sums.setdefault("weights", []).append((cell, ALWAYS, question.weight))
            labelled = sorted(question.answers & of_answer.keys())
            for answer in labelled:
                weight = question.weight / len(labelled)
                at = items.new(cell, Nugget((answer, 0), weight=weight))
                items.labels += [(at, *row) for row in of_answer[answer]]


def steps_of(
    labels: Iterable[tuple[int, int, float, int]], cell: list[int], since: Mapping[int, list[float]]
) -> Steps:
    """From labels to changes: the best so far within a version; a new version starts from none."""
    rows = list(labels)
    for at in {each[0] for each in rows} if since else ():
        starts = since.get(cell[at], [])
        rows += [(at, number, start, 0) for number, start in enumerate(starts) if number]
    table = np.array(rows, np.float64).reshape(-1, 4)
    time, (item, version, grade) = table[:, 2], table[:, [0, 1, 3]].T.astype(np.int64)
    order = np.lexsort((grade, time, version, item))
    item, version, time, grade = item[order], version[order], time[order], grade[order]
    same_item = np.append(False, item[1:] == item[:-1])[: len(item)]
    same = same_item & np.append(False, version[1:] == version[:-1])[: len(item)]
    group = np.cumsum(~same)
    most = len(ANNOTATIONS)
    after = np.maximum.accumulate(grade + group * most) - group * most
    before = np.where(same_item, np.append(0, after)[: len(item)], 0)
    changed = after != before
    return Steps(item[changed], time[changed], before[changed], after[changed])


# Sums.


def _gather_sums(items: Items, versions: Versions, rules: ResponseRules) -> None:
    """What sentences and counts add up to."""
    for version in versions.each:
        for label, time in zip(version.response.labels, times_in(version.response), strict=True):
            for name, amount in _amounts(label):
                items.add(name, version, time, amount, ends=rules.versions == "replace")


def _amounts(label: object) -> Iterator[tuple[str, float]]:
    """What one sentence, or one count, adds to which sum."""
    if isinstance(label, Cited):
        yield from _of_citations(label.labels)
    elif isinstance(label, Judged):
        yield "sentences", 1.0
        yield "character_count", float(label.characters)
        yield "citations", float(label.citations)
        yield "relevant_citations", float(label.relevant)
        yield "supporting_citations", float(label.attested)
        yield "sentences_with_citations_or_requiring_citations", float(label.counts)
        yield "correctly_cited_sentences", float(label.correct)
    elif isinstance(label, Count):
        yield label.metric, label.value
    elif isinstance(label, Sentence):
        yield "sentences", 1.0
        yield "character_count", float(len(label.text))
        yield "words", float(len(label.text.split()))
        yield "citations", float(len(label.documents))


def _of_citations(labels: tuple[int, ...]) -> Iterator[tuple[str, float]]:
    """What a sentence adds to the sums of precision and recall.

    One whose first citation is not judged is in neither, and so for all citations; one without any
    is in recall alone.
    """
    for label in (2, 1, 0, -1):
        yield f"labelled {label}", float(labels.count(label))
    yield "pairs", float(len(labels))
    judged = [each / 2 for each in labels if each >= 0]
    first = bool(labels) and labels[0] >= 0
    yield "first", max(labels[0], 0) / 2 if labels else 0.0
    yield "first_hard", float(first and labels[0] == 2)
    yield "first_cited", float(first)
    yield "first_sentences", float(first or not labels)
    yield "mean", sum(judged) / len(judged) if judged else 0.0
    yield "mean_cited", float(bool(judged))
    yield "mean_sentences", float(bool(judged) or not labels)


def _gather_nuggets(
    items: Items, versions: Versions, gold: Gold | None, rules: ResponseRules
) -> None:
    """The questions of the bank, and when a report had answered each."""
    replaces = rules.versions == "replace"
    banks = {} if gold is None else dict(gold.questions)
    reports: dict[tuple[int, int], list[Version]] = {}
    for version in versions.each:
        number = version.number if replaces else 0
        reports.setdefault((version.cell, number), []).append(version)
        if version.response.bank is not None:
            banks.setdefault(version.response.topic, version.response.bank)
    if banks:
        items.sums["nuggets"] = []
    for cell, unit in enumerate(versions.cell_unit if banks else ()):
        for question in banks.get(versions.topics[unit % len(versions.topics)], ()):
            items.sums.setdefault("nuggets", []).append((cell, ALWAYS, 1.0))
            items.sums.setdefault("nuggets_weighted", []).append((cell, ALWAYS, question.weight))
    for own in reports.values():
        said: dict[str, dict[str, float]] = {}
        for version in own:
            times = times_in(version.response)
            for label, time in zip(version.response.labels, times, strict=True):
                for asked, answer in label.answers if isinstance(label, Judged) else ():
                    found = said.setdefault(asked, {})
                    date = ALWAYS if math.isnan(time) else time
                    found[answer] = min(date, found.get(answer, math.inf))
        for question in banks.get(own[0].response.topic, ()):
            for date, amount in _answered(question, said.get(question.text, {})):
                last = own[-1]
                items.add("correct_nuggets", last, date, amount, ends=replaces)
                weighted = amount * question.weight
                items.add("correct_nuggets_weighted", last, date, weighted, ends=replaces)


def _answered(question: Question, said: Mapping[str, float]) -> Iterator[tuple[float, float]]:
    """When a question counts as answered, +1, and when no longer, -1."""
    if not said:
        return
    if not question.every:
        yield min(said.values()), 1.0
        return
    if question.answers <= said.keys():
        full = max(said[each] for each in question.answers)
        others = [time for answer, time in said.items() if answer not in question.answers]
        if full < min(others, default=math.inf):
            yield full, 1.0
            if others:
                yield min(others), -1.0
