"""Accumulated alert worth, slow and obvious: by the note's formula, and as its scripts add it up.

    ActC(t) = gamma * |run's actionable types and the assessor's| / |either's|
    NAct(t) = (1 - gamma) * the same over the other types of the ontology
    gamma   = lambda if the assessor gave t an actionable type, else 0; an empty union gives 0
    High or Critical:  alert  alpha + (1 - alpha) (ActC + NAct)   no alert  -1
    other:             alert  max(-log(delta/2 + 1), -1)          no alert  ActC + NAct

`delta` counts the false alerts since the last true one, without the one that is being paid for; by
the other reading of the note's words (`present`) with it.
Posts without a label have no worth, and an alert for them is neither true nor false.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from tests.oracles.incidents import (
    Label,
    Line,
    Ontology,
    is_high,
    normalised,
    ratio,
    united,
)

NO_TYPES = Ontology((), frozenset())
"""With it every overlap is 0: types never enter the scripts' worth."""


@dataclass(frozen=True)
class Step:
    """A post on its way: what became of it, after how many false alerts."""

    event: str
    """The event of its label, in which it counts."""
    post: str
    high: bool
    alert: bool
    delta: int | None
    """None for a post that is not in the run: it has no place in the order."""
    worth: float


@dataclass(frozen=True)
class Worth:
    """The two parts and the whole, with the way that led there."""

    high: float | None
    low: float | None
    all: float | None
    trail: tuple[Step, ...]


@dataclass(frozen=True)
class Rules:
    """What the note leaves open, and its parameters."""

    base: float = 10.0
    order: str = "time"
    """"time", "rank" or "file"; ties as in the file."""
    weight: float = 0.75
    """lambda: the share of the actionable types."""
    alpha: float = 0.3
    threshold: float = 0.7
    anew: bool = True
    """Whether delta starts at 0 for each event. If not it is carried on from event to event."""
    merged: bool = False
    """Whether the posts of all events come in one order, and not event by event."""
    present: bool = False
    """Whether delta counts the false alert that is being paid for."""
    missing: bool = True
    """Whether posts absent from the run count, as posts without alert and types."""
    normalise: str = "auto"
    clip: bool = True


def overlap(ours: frozenset[str], theirs: frozenset[str]) -> float:
    return ratio(len(ours & theirs), len(ours | theirs))


@cache
def information(
    said: frozenset[str], true: frozenset[str], ontology: Ontology, weight: float
) -> float:
    """ActC + NAct; types that are neither actionable nor in the ontology are in no part."""
    urgent = ontology.actionable
    other = frozenset(ontology.types) - urgent
    gamma = weight if true & urgent else 0.0
    return gamma * overlap(said & urgent, true & urgent) + (1 - gamma) * overlap(
        said & other, true & other
    )


def cost(delta: int, base: float) -> float:
    """What a false alert is worth after `delta` others."""
    return max(-math.log(delta / 2 + 1) / math.log(base), -1.0)


def step(
    label: Label, line: Line, score: float, delta: int, ontology: Ontology, rules: Rules
) -> Step:
    high, alert = is_high(label.priority), score >= rules.threshold
    agreement = information(line.types, label.types, ontology, rules.weight)
    if high:
        worth = rules.alpha + (1 - rules.alpha) * agreement if alert else -1.0
    else:
        worth = cost(delta + rules.present, rules.base) if alert else agreement
    return Step(label.event, label.post, high, alert, delta, worth)


def in_order(
    scored: Sequence[tuple[Line, float]], order: str, merged: bool
) -> list[tuple[str, list[tuple[Line, float]]]]:
    """The lines of each event in order; the events in the order in which the run names them."""
    result = []
    for event in [""] if merged else dict.fromkeys(line.event for line, _ in scored):
        own = [pair for pair in scored if merged or pair[0].event == event]
        if order == "time":
            own.sort(key=lambda pair: pair[0].time)
        elif order == "rank":
            own.sort(key=lambda pair: pair[0].rank)
        result.append((event, own))
    return result


def trail(
    label_of: Callable[[Line], Label | None],
    scored: Sequence[tuple[Line, float]],
    ontology: Ontology,
    rules: Rules,
) -> list[Step]:
    """The steps of all lines whose post has a label."""
    steps, delta = [], 0
    for _, own in in_order(scored, rules.order, rules.merged):
        delta = 0 if rules.anew else delta
        for line, score in own:
            label = label_of(line)
            if label is None:
                continue
            taken = step(label, line, score, delta, ontology, rules)
            steps.append(taken)
            if taken.alert:
                delta = 0 if taken.high else delta + 1
    return steps


def mean(values: Iterable[float]) -> float | None:
    values = list(values)
    return sum(values) / len(values) if values else None


def half(high: float | None, low: float | None) -> float | None:
    """Undefined unless both parts are defined."""
    return None if high is None or low is None else (high + low) / 2


def aaw_note(
    labels: Sequence[Label],
    lines: Sequence[Line],
    ontology: Ontology,
    rules: Rules | None = None,
) -> Worth:
    """The note's worth: means over posts, of all events together.

    A part without posts is None, and so is then the whole. A post labelled twice has the types of
    both labels and the higher priority; Unknown is among the others. A post that a run repeats
    counts by its last line. A missing post is not alerted even if the threshold is below 0.25; it
    stands at the end of the trail.
    """
    rules = rules or Rules()
    truth = {label.place: label for label in united(labels)}
    scores = normalised(lines, rules.normalise, rules.clip)
    last = {line.place: (line, score) for line, score in zip(lines, scores, strict=True)}
    scored = [
        (line, score)
        for line, score in zip(lines, scores, strict=True)
        if last[line.place][0] is line
    ]
    steps = trail(lambda line: truth.get(line.place), scored, ontology, rules)
    if rules.missing:
        steps += [absent(label) for place, label in truth.items() if place not in last]
    high = mean(s.worth for s in steps if s.high)
    low = mean(s.worth for s in steps if not s.high)
    return Worth(high, low, half(high, low), tuple(steps))


def aaw_note_events(
    labels: Sequence[Label],
    lines: Sequence[Line],
    ontology: Ontology,
    rules: Rules | None = None,
) -> dict[str, Worth]:
    """The note's worth of each event that has labels, over its own posts.

    The trail is that of the whole run: priorities are normalised over all events.
    """
    whole = aaw_note(labels, lines, ontology, rules).trail
    result = {}
    for event in dict.fromkeys(label.event for label in labels):
        own = tuple(s for s in whole if s.event == event)
        high = mean(s.worth for s in own if s.high)
        low = mean(s.worth for s in own if not s.high)
        result[event] = Worth(high, low, half(high, low), own)
    return result


def absent(label: Label) -> Step:
    """Of a post that the run lacks: nothing said, so no overlap."""
    high = is_high(label.priority)
    return Step(label.event, label.post, high, False, None, -1.0 if high else 0.0)


# --- the scripts ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sums:
    """What the scripts have before they divide."""

    high: float
    low: float
    entries: Counter[str]
    """How many label entries there are of each priority."""
    trail: tuple[Step, ...]

    @property
    def high_entries(self) -> int:
        return self.entries["High"] + self.entries["Critical"]

    @property
    def low_entries(self) -> int:
        return self.entries["Low"] + self.entries["Medium"]


def script_sums(
    labels: Sequence[Label],
    lines: Sequence[Line],
    normalise: str,
    clip: bool = True,
    rules: Rules | None = None,
) -> Sums:
    """The worth of the run's lines in rank order; each line counts, also of a repeated post.

    Types never enter. A post labelled several times has its last label. A post that the run omits
    costs nothing. Divisors are label entries; Unknown is in none, though its lines are summed
    with the low ones. `normalise="never"` without the clip is the raw priority. The event of a line
    says where it stands in the order; its label is that of its post in whatever event.
    """
    truth = {label.post: label for label in labels}
    scored = list(zip(lines, normalised(lines, normalise, clip), strict=True))
    steps = trail(lambda line: truth.get(line.post), scored, NO_TYPES, rules or Rules(order="rank"))
    return Sums(
        sum(s.worth for s in steps if s.high),
        sum(s.worth for s in steps if not s.high),
        Counter(label.priority for label in labels),
        tuple(steps),
    )


def over(above: float, below: int) -> float | None:
    return above / below if below else None


def parts(sums: Sums) -> Worth:
    """Each sum over the entries of its priorities, and half of both."""
    high, low = over(sums.high, sums.high_entries), over(sums.low, sums.low_entries)
    return Worth(high, low, half(high, low), sums.trail)


def aaw_2018v2(labels: Sequence[Label], lines: Sequence[Line], normalise: str = "auto") -> Worth:
    """The note's Table 1: its "All" is the pooled worth over twice the number of entries.

    The text does not say whether the raw or the normalised priority is tested here. Normalised is
    the default: all eight runs of the table whose actionable priority error is that of a constant
    0.25 are silent in it.
    """
    sums = script_sums(labels, lines, normalise)
    pooled = over(sums.high + sums.low, 2 * (sums.high_entries + sums.low_entries))
    found = parts(sums)
    return Worth(found.high, found.low, pooled, found.trail)


def aaw_2019a(labels: Sequence[Label], lines: Sequence[Line]) -> Worth:
    """The raw priority is tested, whatever its range."""
    return parts(script_sums(labels, lines, "never", clip=False))


def aaw_2019b(labels: Sequence[Label], lines: Sequence[Line], normalise: str = "auto") -> Worth:
    """The normalised priority is tested."""
    return parts(script_sums(labels, lines, normalise))
