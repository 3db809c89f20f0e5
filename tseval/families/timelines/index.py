"""Predicted timelines beside their references, by run and topic."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from tseval.errors import InputError
from tseval.families.timelines.dates import seconds_of
from tseval.families.timelines.rules import TimelineRules
from tseval.families.timelines.tables import Timelines
from tseval.families.timelines.tally import Tally, Timeline
from tseval.files.limits import DAYS, shown
from tseval.records import frozen
from tseval.tables import ABSENT, natural_order
from tseval.tables.units import Units

if TYPE_CHECKING:
    from tseval.tables.columns import BoolArray, FloatArray, IntArray

Summaries: TypeAlias = dict[int, list[str]]
SEVERAL_CURE = (
    "give one timeline a topic, or score each against the reference of its name or its place: "
    "--rule protocol=PROTOCOL-1"
)


class Key(NamedTuple):
    """Which timeline a row belongs to."""

    run: str
    topic: str
    source: int
    timeline: str


@frozen
class TimelineIndex(Units):
    """A tally of every run and topic; none where a run has no timeline of a topic."""

    tallies: tuple[Tally | None, ...]
    group: IntArray
    """The topic that each belongs to, where those here are single references of it."""
    starts: FloatArray
    """When the first day of the references of each begins."""
    rules: TimelineRules

    @property
    def present(self) -> BoolArray:
        """Which (run, topic) have a timeline."""
        there = np.array([each is not None for each in self.tallies], bool)
        return there.reshape(len(self.runs), len(self.topics))

    @classmethod
    def build(cls, runs: Timelines, gold: Timelines, rules: TimelineRules) -> TimelineIndex:
        """Every run beside the references of each topic."""
        references = _timelines(gold, rules)
        predicted = _timelines(runs, rules)
        names = tuple(runs.run.vocabulary())
        by_topic: dict[str, dict[Key, Timeline]] = {}
        for key, each in references.items():
            by_topic.setdefault(key.topic, {})[key] = each
        own: dict[tuple[str, str], dict[Key, Timeline]] = {}
        for key, each in predicted.items():
            own.setdefault((key.run, key.topic), {})[key] = each
        topics = natural_order(by_topic)
        apart = rules.protocol == "PROTOCOL-1"
        place = {topic: at for at, topic in enumerate(topics)}
        units = [
            (topic, each)
            for topic in topics
            for each in (_by_name(by_topic[topic]) if apart else [None])
        ]
        tallies = [
            _tally(own.get((run, topic), {}), by_topic[topic], each, runs)
            for run in names
            for topic, each in units
        ]
        return cls(
            runs=names,
            topics=tuple(_unit_names(units, by_topic)),
            tallies=tuple(tallies),
            group=np.array([place[topic] for topic, _ in units], np.int64),
            starts=np.array(
                [
                    _start(by_topic[topic] if each is None else {each: by_topic[topic][each]})
                    for topic, each in units
                ]
            ),
            rules=rules,
        )


def _by_name(references: Iterable[Key]) -> list[Key]:
    """References in an order that does not depend on that of the rows, nor so do sums over them."""
    place = {name: at for at, name in enumerate(natural_order({e.timeline for e in references}))}
    return sorted(references, key=lambda each: place[each.timeline])


def _start(references: Mapping[Key, Timeline]) -> float:
    """When the first day of any of them begins; 0 without days."""
    days = [each.days[0] for each in references.values() if each.days]
    return seconds_of(min(days)) if days else 0.0


def _unit_names(
    units: Iterable[tuple[str, Key | None]], by_topic: Mapping[str, Mapping[Key, Timeline]]
) -> Iterator[str]:
    """What is scored is called as its topic, or as topic and reference where it has several."""
    for topic, key in units:
        several = key is not None and len(by_topic[topic]) > 1
        yield f"{topic}/{key.timeline}" if key is not None and several else topic


def _timelines(table: Timelines, rules: TimelineRules) -> dict[Key, Timeline]:
    """Every timeline of a table, its entries put together as the rules have it."""
    named = zip(
        table.run.to_list(),
        table.topic.to_list(),
        table.origin.source.tolist(),
        table.timeline.to_list(),
        strict=True,
    )
    rows = zip(table.day.tolist(), table.entry.tolist(), table.in_list.tolist(), strict=True)
    told = None if table.published is None else table.published.tolist()
    times: dict[Key, dict[int, float]] = {}
    found: dict[Key, Summaries] = {}
    latest: dict[tuple[Key, int], int] = {}
    for at, (names, (day, entry, in_list)) in enumerate(zip(named, rows, strict=True)):
        key = Key(*names)
        summaries = found.setdefault(key, {})
        if day == ABSENT:
            continue
        if rules.duplicates == "last" and latest.setdefault((key, day), entry) != entry:
            latest[key, day] = entry
            summaries[day] = []
            times.get(key, {}).pop(day, None)
        text = table.text[at].strip()
        whole = in_list or rules.strings == "sentence"
        summaries.setdefault(day, []).extend([text] if whole else text)
        if told is not None and not math.isnan(told[at]):
            own = times.setdefault(key, {})
            own[day] = max(told[at], own.get(day, -math.inf))
    return {key: Timeline.of(each, times.get(key, {})) for key, each in found.items()}


def _tally(
    own: Mapping[Key, Timeline],
    references: Mapping[Key, Timeline],
    apart: Key | None,
    runs: Timelines,
) -> Tally | None:
    """A run's timeline of a topic beside all its references, or beside one of them."""
    if not own:
        return None
    if apart is None or len(own) == 1:
        if len(own) > 1:
            _refuse_several(list(own), runs)
        against = list(references.values()) if apart is None else [references[apart]]
        return _checked(next(iter(own.items())), against, runs)
    by_name = {key.timeline: (key, each) for key, each in own.items()}
    found = by_name.get(apart.timeline)
    if found is None and len(own) == len(references):
        found = list(own.items())[list(references).index(apart)]
    return None if found is None else _checked(found, [references[apart]], runs)


def _checked(own: tuple[Key, Timeline], references: Sequence[Timeline], runs: Timelines) -> Tally:
    """A timeline beside its references; more pairs of days than the limit are refused."""
    key, timeline = own
    tally = Tally(timeline, references)
    number = len(tally.days) * len(tally.reference_days)
    if number > DAYS.most:
        reason = (
            f'run "{key.run}" has {len(tally.days):,} days of topic "{key.topic}" and its '
            f"references {len(tally.reference_days):,}: more than {shown(DAYS.most)} pairs, "
            f"the limit '{DAYS.name}'"
        )
        raise InputError([runs.origin.fault(_first_row(key, runs), reason, DAYS.cure, "too-large")])
    return tally


def _refuse_several(keys: list[Key], runs: Timelines) -> None:
    second = keys[1]
    reason = f'run "{second.run}" has {len(keys)} timelines of topic "{second.topic}"'
    row = _first_row(second, runs)
    raise InputError([runs.origin.fault(row, reason, SEVERAL_CURE, "several-runs")])


def _first_row(key: Key, runs: Timelines) -> int:
    """Where a timeline begins."""
    columns = (runs.run.to_list(), runs.topic.to_list(), runs.timeline.to_list())
    wanted = (key.run, key.topic, key.timeline)
    return next(at for at, row in enumerate(zip(*columns, strict=True)) if row == wanted)
