"""Every measure of every edition of incident streams, overall, by event and by type.

What the other modules define of one edition each is put together here by the habits of all, so
that any measure can be asked of any edition. `None` is undefined: a mean of which nothing is left,
a type that no post has in the measures of priorities, anything over no post at all.

Readings where the text is silent, beside those of `incidents`:

* means of the scripts over types are over the sum of those that are defined, and undefined if none
  is; `(other)` is divided by the types of the ontology that are not actionable
* a post without label has no worth, and an alert for it is neither true nor false
* events that were asked to be skipped, and posts made too late, are in no sum and no divisor; but
  priorities are scaled, and false alerts are counted, over the whole run
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tests.oracles import incidents_2021 as of_2021
from tests.oracles import incidents_alerts as alerts
from tests.oracles.incidents import (
    GROUPS,
    LOWEST,
    PRIORITIES,
    Confusion,
    Label,
    Line,
    Ontology,
    any_of,
    by_place,
    by_post,
    divisor_of,
    error_over_posts,
    group_of,
    in_first_event,
    is_high,
    known,
    labelled,
    normalised,
    per_type,
    ratio,
    repeated,
    squared_error,
    united,
)

ALL = "all"
Values = dict[tuple[str, str], float | None]
"""By measure, and by event, type or `ALL`."""


@dataclass(frozen=True)
class Habits:
    """In what the editions differ."""

    positions: Callable[[Sequence[Label]], list[Label]]
    anywhere: bool
    """Whether a post is known by its id alone."""
    scripted: bool
    """The divisors of the scripts, and RMSE without a root."""
    alert_rules: alerts.Rules
    raw: bool = False
    """Whether an alert is tested by the priority as the run has it."""
    pooled: bool = False
    labelled_alone: bool = False
    """Within an event, whether types that no label of it has count 0."""
    guarded: bool = False
    untyped_wrong: bool = False
    """Whether a post of which the run says no type is wrong in any-type, and not missed."""
    wrong_missed: bool = False
    """Whether a post with wrong types alone is a false negative too, in any-type."""
    refusals: bool = True
    """Whether Irrelevant and Unknown refuse a post, in any-type."""
    f1_of_means: bool = False
    """Whether type.F1 over types is that of mean precision and mean recall."""


_NOTE = Habits(united, anywhere=False, scripted=False, alert_rules=alerts.Rules())
_SCRIPT = Habits(
    repeated,
    anywhere=True,
    scripted=True,
    alert_rules=alerts.Rules(order="rank", normalise="always"),
)
EDITIONS = {
    "note": replace(_NOTE, wrong_missed=True, refusals=False),
    "proposal": _NOTE,
    "2018": replace(_SCRIPT, untyped_wrong=True),
    "2018v2": replace(_SCRIPT, pooled=True),
    "2019a": replace(_SCRIPT, raw=True),
    "2019b": _SCRIPT,
    "2021": replace(
        _SCRIPT,
        positions=in_first_event,
        alert_rules=alerts.Rules(order="rank", normalise="never", clip=False),
        labelled_alone=True,
        guarded=True,
    ),
}


@dataclass(frozen=True)
class World:
    """Labels and one run, and what was asked for."""

    edition: str
    labels: Sequence[Label]
    lines: Sequence[Line]
    ontology: Ontology
    changed: Mapping[str, object] = field(default_factory=dict)
    """The habits and alert rules that are other than the edition's."""
    until: float | None = None
    """The time before which posts count."""
    skip: bool = False
    """Whether events of which the run has nothing are left out."""

    @property
    def habits(self) -> Habits:
        own = EDITIONS[self.edition]
        of_alerts = {name for name in self.changed if hasattr(own.alert_rules, name)}
        alert_rules = {name: self.changed[name] for name in of_alerts}
        others = {name: value for name, value in self.changed.items() if name not in of_alerts}
        changed = replace(own.alert_rules, **alert_rules)  # type: ignore[arg-type]
        return replace(own, alert_rules=changed, **others)  # type: ignore[arg-type]


class Evaluation:
    """A world, put side by side."""

    def __init__(self, world: World, times: Mapping[str, float]) -> None:
        self.world, self.habits, self.ontology = world, world.habits, world.ontology
        self.labels = known(world.labels, world.ontology)
        self.events = list(dict.fromkeys(label.event for label in self.labels))
        every = self.habits.positions(self.labels)
        there = {position.event for position in every if self.line_of(position) is not None}
        self.chosen = {
            (label.event, label.post)
            for label in [*every, *self.labels]
            if (world.until is None or times[label.post] < world.until)
            and (not world.skip or label.event in there)
        }
        self.positions = [position for position in every if position.place in self.chosen]
        rules = self.habits.alert_rules
        scaled = normalised(world.lines, rules.normalise, rules.clip)
        self.scores = {self.key(line): s for line, s in zip(world.lines, scaled, strict=True)}

    def key(self, said: Line | Label) -> object:
        return said.post if self.habits.anywhere else said.place

    def line_of(self, position: Label) -> Line | None:
        lines = self.world.lines
        if self.habits.anywhere:
            return by_post(lines).get(position.post)
        return by_place(lines).get(position.place)

    def score_of(self, position: Label) -> float:
        return self.scores.get(self.key(position), LOWEST)

    def values(self) -> Values:
        """Every measure."""
        found: Values = {}
        for name, value in self.alert_values():
            found[name] = value
        for place in (ALL, *self.events):
            own = [p for p in self.positions if place in (ALL, p.event)]
            for measure, value in (*self.types_at(own, place), *self.priorities_at(own)):
                found[measure, place] = value
        for (measure, kind), value in (*self.types_of_all(), *self.priorities_of_all()):
            found[measure, kind] = value
        for name, value in self.ndcg():
            found[name] = value
        return found

    # Types.

    def pairs(self, own: Sequence[Label]) -> list[tuple[frozenset[str], frozenset[str]]]:
        said = [self.line_of(position) for position in own]
        return [
            (position.types, (line.types if line else frozenset()) & set(self.ontology.types))
            for position, line in zip(own, said, strict=True)
        ]

    def types_at(self, own: list[Label], place: str) -> Iterator[tuple[str, float | None]]:
        counts = per_type(self.pairs(own), self.ontology)
        if self.habits.labelled_alone and place != ALL:
            counts = labelled(counts)
        for group in GROUPS:
            below = divisor_of(self.ontology, group, self.habits.scripted)
            means = {}
            for measure in ("type.P", "type.R", "type.F1", "type.accuracy"):
                each = [counts[t].named("type")[measure] for t in group_of(self.ontology, group)]
                means[measure] = sum(each) / below if below else 0.0
            if self.habits.f1_of_means:
                both = means["type.P"], means["type.R"]
                means["type.F1"] = ratio(2 * both[0] * both[1], sum(both))
            for measure, value in means.items():
                yield f"{measure}{group}", value if own and below else None
        habits = self.habits
        every = any_of(self.pairs(own), habits.untyped_wrong, habits.wrong_missed, habits.refusals)
        for measure, value in every.items():
            yield measure, value if own else None

    def types_of_all(self) -> Iterator[tuple[tuple[str, str], float | None]]:
        counts: Mapping[str, Confusion] = per_type(self.pairs(self.positions), self.ontology)
        for group in GROUPS:
            for kind in group_of(self.ontology, group):
                for measure, value in counts[kind].named("type").items():
                    yield (f"{measure}{group}", kind), value if self.positions else None

    # Priorities.

    def priorities_of(self, own: Sequence[Label]) -> dict[str, dict[str, float | None]]:
        """Each measure of each type over some positions."""
        scored = [(position, self.score_of(position)) for position in own]
        found: dict[str, dict[str, float | None]] = {
            measure: {}
            for measure in ("priority.MSE", "priority.RMSE", "priority.F1", "priority.pearson")
        }
        correlate = of_2021.guarded_pearson if self.habits.guarded else of_2021.pearson
        for kind in self.ontology.types:
            error = squared_error(scored, kind)
            found["priority.MSE"][kind] = error
            root = error if error is None or self.habits.scripted else math.sqrt(error)
            found["priority.RMSE"][kind] = root
            mine = [(p, s) for p, s in scored if kind in p.types and p.priority in PRIORITIES]
            true = [PRIORITIES[p.priority] for p, _ in mine]
            said = [score for _, score in mine]
            level = [of_2021.level_of(score) for score in said]
            f1 = of_2021.macro_f1([p.priority for p, _ in mine], level)
            found["priority.F1"][kind] = f1 if mine else None
            if kind != of_2021.UNCORRELATED:
                found["priority.pearson"][kind] = correlate(true, said) if mine else None
        return found

    def priorities_at(self, own: Sequence[Label]) -> Iterator[tuple[str, float | None]]:
        scored = [(position, self.score_of(position)) for position in own]
        yield "priority.MSE_posts", error_over_posts(scored)
        for measure, each in self.priorities_of(own).items():
            for group in GROUPS:
                kinds = group_of(self.ontology, group)
                values = [v for kind in kinds if (v := each.get(kind)) is not None]
                below = len(values)
                if self.habits.scripted:
                    below = divisor_of(self.ontology, group, absent_too=True)
                    below -= sum(kind not in each for kind in kinds)
                yield f"{measure}{group}", sum(values) / below if values and below else None

    def priorities_of_all(self) -> Iterator[tuple[tuple[str, str], float | None]]:
        for measure, each in self.priorities_of(self.positions).items():
            for group in GROUPS:
                for kind in group_of(self.ontology, group):
                    if kind in each:
                        yield (f"{measure}{group}", kind), each[kind]

    def ndcg(self) -> Iterator[tuple[tuple[str, str], float | None]]:
        defined = []
        for event in self.events:
            own = [p for p in self.positions if p.event == event]
            gains = sorted((of_2021.gain_of(p.priority) for p in own), reverse=True)
            ideal = of_2021.dcg(gains)
            ranked = [
                (
                    of_2021.LEVELS.index(of_2021.level_of(self.score_of(p))),
                    of_2021.gain_of(p.priority),
                )
                for p in own
                if self.line_of(p) is not None
            ]
            value = of_2021.expected_dcg(ranked) / ideal if ideal else None
            defined += [] if value is None else [value]
            yield ("nDCG@100", event), value
        yield ("nDCG@100", ALL), ratio(sum(defined), len(defined)) if defined else None

    # Alerts.

    def steps(self) -> tuple[alerts.Step, ...]:
        rules, lines = self.habits.alert_rules, self.world.lines
        if not self.habits.scripted:
            # Where delta goes on, a reader meets the posts of all events in one order of time or
            # of the file. Ranks are of an event each: then events come in the labels' order.
            rules = replace(rules, merged=not rules.anew and rules.order != "rank")
            place = {event: at for at, event in enumerate(self.events)}
            by_label = sorted(lines, key=lambda line: place.get(line.event, len(place)))
            ordered = lines if rules.merged else by_label
            return alerts.aaw_note(self.labels, ordered, self.ontology, rules).trail
        if self.habits.raw:
            return alerts.script_sums(self.labels, lines, "never", False, rules).trail
        # Of a post the last position says what it is, as of an entry the last label.
        every = self.habits.positions(self.labels)
        return alerts.script_sums(every, lines, rules.normalise, rules.clip, rules).trail

    def alert_values(self) -> Iterator[tuple[tuple[str, str], float | None]]:
        steps = [step for step in self.steps() if (step.event, step.post) in self.chosen]
        entries = self.labels if self.habits.positions is repeated else self.positions
        entries = [entry for entry in entries if entry.place in self.chosen]
        for place in (ALL, *self.events):
            own = [step for step in steps if place in (ALL, step.event)]
            said = [entry.priority for entry in entries if place in (ALL, entry.event)]
            scored = said if not self.habits.scripted else [p for p in said if p in PRIORITIES]
            high = sum(step.worth for step in own if step.high)
            low = sum(step.worth for step in own if not step.high)
            highs = sum(map(is_high, said))
            lows = len(scored) - highs
            parts = alerts.over(high, highs), alerts.over(low, lows)
            yield ("AAW.high", place), parts[0]
            yield ("AAW.low", place), parts[1]
            whole = alerts.half(*parts)
            if self.habits.pooled:
                whole = alerts.over(high + low, 2 * (highs + lows))
            yield ("AAW", place), whole
