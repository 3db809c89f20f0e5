"""The measures of TREC Incident Streams, slow and obvious: information types and priorities.

Written from the words of the definitions alone, with dictionaries and loops; it imports nothing of
the program. Alerts are in `incidents_alerts`, the measures of 2021 in `incidents_2021` and the
track's first proposal in `incidents_proposal`. `None` is undefined.

An edition first makes *positions* of the label entries, the places where truth and run are
compared. A position is itself a `Label`:

    note            one per event and post; types united, the higher priority   `united`
    2018            one per entry, each with the last entry's labels            `repeated`
    2021            one per post, in the first event that labels it; united     `in_first_event`

Editions 2018v2, 2019a and 2019b say nothing of positions for types; they are read as 2018 is.

Readings where the text is silent: the scripts know a post by its id alone, whatever the event of a
line, as if a post were of one event; a post whose priority the assessors left Unknown has no number
and is in no error; scaled priorities end at 1 as they begin at 0.25. `incidents_values` has every
measure of every edition by event and by type.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

PRIORITIES = {"Low": 0.25, "Medium": 0.5, "High": 0.75, "Critical": 1.0}
"""The number of each priority; any other word, such as Unknown, has none."""
LOWEST = 0.25
"""The least priority that a run can give, and the priority of a post that it does not return."""
NEGATIVE = frozenset({"Other-Irrelevant", "Other-Unknown"})
"""The types by which a run of 2018 says that a post carries no information."""
GROUPS = ("", "(actionable)", "(other)")


@dataclass(frozen=True)
class Label:
    """What an assessor said of a post; one post may have several, in the order of the files."""

    event: str
    post: str
    types: frozenset[str]
    priority: str

    @property
    def place(self) -> tuple[str, str]:
        return self.event, self.post


@dataclass(frozen=True)
class Line:
    """What a run said of a post, in the order of its file."""

    event: str
    post: str
    time: float
    rank: int
    importance: float
    types: frozenset[str]
    scores: tuple[float, ...] | None = None

    @property
    def place(self) -> tuple[str, str]:
        return self.event, self.post


@dataclass(frozen=True)
class Ontology:
    """The information types, and those that call for action, which need not all be among them."""

    types: tuple[str, ...]
    actionable: frozenset[str]


# --- positions ------------------------------------------------------------------------------------


def higher(one: str, other: str) -> str:
    """The higher of two priorities; any that is known is higher than one that is not."""
    return other if PRIORITIES.get(other, 0.0) > PRIORITIES.get(one, 0.0) else one


def is_high(priority: str) -> bool:
    return priority in {"High", "Critical"}


def united(labels: Iterable[Label]) -> list[Label]:
    """One position for each event and post, in the order in which they first occur."""
    found: dict[tuple[str, str], Label] = {}
    for label in labels:
        before = found.get(label.place, label)
        found[label.place] = Label(
            label.event,
            label.post,
            before.types | label.types,
            higher(before.priority, label.priority),
        )
    return list(found.values())


def repeated(labels: Sequence[Label]) -> list[Label]:
    """One position for each entry, in its event; all of a post carry what its last one says."""
    last = {label.post: label for label in labels}
    return [
        Label(label.event, label.post, last[label.post].types, last[label.post].priority)
        for label in labels
    ]


def in_first_event(labels: Iterable[Label]) -> list[Label]:
    """One position for each post, which lies in the first event that labels it."""
    events: dict[str, str] = {}
    moved = []
    for label in labels:
        event = events.setdefault(label.post, label.event)
        moved.append(Label(event, label.post, label.types, label.priority))
    return united(moved)


def known(labels: Iterable[Label], ontology: Ontology) -> list[Label]:
    """The labels without the types that the ontology does not have."""
    types = frozenset(ontology.types)
    return [Label(label.event, label.post, label.types & types, label.priority) for label in labels]


def by_place(lines: Iterable[Line]) -> dict[tuple[str, str], Line]:
    """The line of each event and post; of several, the last counts (the text does not say)."""
    return {line.place: line for line in lines}


def by_post(lines: Iterable[Line]) -> dict[str, Line]:
    """The line of each post in whatever event; of several, the last counts."""
    return {line.post: line for line in lines}


# --- information types ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Confusion:
    """One class against all others; 0/0 is 0 in each of its values."""

    tp: int = 0
    fp: int = 0
    fn: int = 0
    tn: int = 0

    @property
    def precision(self) -> float:
        return ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        return ratio(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float:
        return ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def accuracy(self) -> float:
        return ratio(self.tp + self.tn, self.tp + self.fp + self.fn + self.tn)

    @property
    def swapped(self) -> Confusion:
        """Truth and prediction in each other's place."""
        return Confusion(self.tp, self.fn, self.fp, self.tn)

    def named(self, prefix: str) -> dict[str, float]:
        return {
            f"{prefix}.P": self.precision,
            f"{prefix}.R": self.recall,
            f"{prefix}.F1": self.f1,
            f"{prefix}.accuracy": self.accuracy,
        }


def ratio(above: float, below: float) -> float:
    return above / below if below else 0.0


def confusion(pairs: Iterable[tuple[bool, bool]]) -> Confusion:
    """The counts of (true, predicted) pairs."""
    tp = fp = fn = tn = 0
    for true, predicted in pairs:
        if true and predicted:
            tp += 1
        elif predicted:
            fp += 1
        elif true:
            fn += 1
        else:
            tn += 1
    return Confusion(tp, fp, fn, tn)


def predicted_types(
    positions: Iterable[Label], lines: Iterable[Line], anywhere: bool = False
) -> list[tuple[frozenset[str], frozenset[str]]]:
    """The true and the predicted types at each position; a post absent from the run has none."""
    lines = list(lines)
    placed, posts = by_place(lines), by_post(lines)
    pairs = []
    for position in positions:
        line = posts.get(position.post) if anywhere else placed.get(position.place)
        pairs.append((position.types, line.types if line else frozenset()))
    return pairs


def per_type(
    pairs: Sequence[tuple[frozenset[str], frozenset[str]]], ontology: Ontology
) -> dict[str, Confusion]:
    return {
        name: confusion((name in true, name in predicted) for true, predicted in pairs)
        for name in ontology.types
    }


def group_of(ontology: Ontology, group: str) -> list[str]:
    """The types of the ontology in a group of `GROUPS`."""
    if group == "(actionable)":
        return [name for name in ontology.types if name in ontology.actionable]
    if group == "(other)":
        return [name for name in ontology.types if name not in ontology.actionable]
    return list(ontology.types)


def divisor_of(ontology: Ontology, group: str, absent_too: bool) -> int:
    """By what a group's sum is divided.

    The scripts divide (`absent_too`) by the number of the actionable types also where the ontology
    does not have them all; otherwise a mean is over the types that exist.
    """
    if group == "(actionable)" and absent_too:
        return len(ontology.actionable)
    return len(group_of(ontology, group))


def type_values(
    counts: Mapping[str, Confusion], ontology: Ontology, absent_too: bool
) -> dict[str, float]:
    """`type.P`, `type.R`, `type.F1` and `type.accuracy` in all three groups: means over types."""
    values = {}
    for group in GROUPS:
        below = divisor_of(ontology, group, absent_too)
        for measure in ("P", "R", "F1", "accuracy"):
            each = [counts[t].named("type")[f"type.{measure}"] for t in group_of(ontology, group)]
            values[f"type.{measure}{group}"] = ratio(sum(each), below)
    return values


def types_note(
    labels: Sequence[Label], lines: Sequence[Line], ontology: Ontology
) -> dict[str, float]:
    """Means over the types that exist, one position for each event and post."""
    pairs = predicted_types(united(labels), lines)
    return type_values(per_type(pairs, ontology), ontology, absent_too=False)


def types_2018(
    labels: Sequence[Label], lines: Sequence[Line], ontology: Ontology
) -> dict[str, float]:
    """Repeated positions; the mean is over the ontology's types, not over events."""
    pairs = predicted_types(repeated(labels), lines, anywhere=True)
    return type_values(per_type(pairs, ontology), ontology, absent_too=True)


types_2018v2 = types_2019a = types_2019b = types_2018
"""The text gives them no rule of their own."""


def types_2018_event_file(
    labels: Sequence[Label], lines: Sequence[Line], ontology: Ontology
) -> dict[str, dict[str, float]]:
    """What the file per event of 2018 holds: truth and prediction are in each other's place."""
    values = {}
    positions = repeated(labels)
    for event in dict.fromkeys(p.event for p in positions):
        pairs = predicted_types([p for p in positions if p.event == event], lines, anywhere=True)
        counts = {name: c.swapped for name, c in per_type(pairs, ontology).items()}
        values[event] = type_values(counts, ontology, absent_too=True)
    return values


def types_2021(
    labels: Sequence[Label], lines: Sequence[Line], ontology: Ontology
) -> dict[str, float]:
    """One position for each post; labels unknown to the ontology are dropped."""
    pairs = predicted_types(in_first_event(known(labels, ontology)), lines, anywhere=True)
    return type_values(per_type(pairs, ontology), ontology, absent_too=True)


def types_2021_events(
    labels: Sequence[Label], lines: Sequence[Line], ontology: Ontology
) -> dict[str, dict[str, float]]:
    """The same over the posts of each event; a type that no label of it has counts 0 in all."""
    values = {}
    positions = in_first_event(known(labels, ontology))
    for event in dict.fromkeys(p.event for p in positions):
        pairs = predicted_types([p for p in positions if p.event == event], lines, anywhere=True)
        values[event] = type_values(labelled(per_type(pairs, ontology)), ontology, absent_too=True)
    return values


def labelled(counts: Mapping[str, Confusion]) -> dict[str, Confusion]:
    """The counts of the types that a label has; those of the others are all 0, and so their values.

    The script skips such types where it adds up, and divides by all the same.
    """
    return {name: own if own.tp + own.fn else Confusion() for name, own in counts.items()}


def any_2018(labels: Sequence[Label], lines: Sequence[Line]) -> dict[str, float]:
    """Any-type over the entries: full credit if the run's type is one of the assessor's."""
    pairs = predicted_types(repeated(labels), lines, anywhere=True)
    return any_of(pairs, untyped_wrong=True, wrong_missed=False, refusals=True)


def any_of(
    pairs: Iterable[tuple[frozenset[str], frozenset[str]]],
    untyped_wrong: bool,
    wrong_missed: bool,
    refusals: bool,
) -> dict[str, float]:
    """The any-type measures of true and predicted types, over all labelled posts.

    By the page of 2018 a post is right if any predicted type is a true one. Recall is over all
    labelled posts: a post with wrong types alone is a false positive and a miss (`wrong_missed`).
    The notebook of 2018 has it among the false positives alone. There Irrelevant and Unknown refuse
    a post (`refusals`): rightly, a true negative, or wrongly, a miss. A post of which the run says
    no type, or nothing at all, was missed; the notebook (`untyped_wrong`) takes it for wrong.
    """
    tp = tn = fn = fp = posts = 0
    for true, predicted in pairs:
        posts += 1
        right, refused = bool(true & predicted), refusals and bool(predicted & NEGATIVE)
        if right and refused:
            tn += 1
        elif right:
            tp += 1
        elif refused or not (predicted or untyped_wrong):
            fn += 1
        else:
            fp += 1
            fn += wrong_missed
    return {
        "any.P": ratio(tp, tp + fp),
        "any.R": ratio(tp, tp + fn),
        "any.F1": ratio(2 * tp, 2 * tp + fp + fn),
        "any.accuracy": ratio(tp + tn, posts),
    }


# --- priorities -----------------------------------------------------------------------------------


def normalised(lines: Sequence[Line], when: str = "auto", clip: bool = True) -> list[float]:
    """The priority of each line: min-max over the whole run, then from 0.25 to 1.

    `when` is "always", "auto" (only where a score leaves [0, 1]) or "never". A constant run
    becomes 0 by min-max; one that needs none, say all 0.9 under "auto", stays. The text says "then
    clipped": it is read to follow in all three, as the priority scale begins at 0.25. That it ends
    at 1, as in the scripts, shows only under "never".
    """
    scores = [line.importance for line in lines]
    outside = any(score < 0 or score > 1 for score in scores)
    if scores and (when == "always" or (when == "auto" and outside)):
        low, high = min(scores), max(scores)
        scores = [ratio(score - low, high - low) for score in scores]
    return [min(max(score, LOWEST), 1.0) for score in scores] if clip else scores


def squared_errors(
    positions: Sequence[Label],
    lines: Sequence[Line],
    ontology: Ontology,
    when: str,
    clip: bool,
    anywhere: bool = False,
) -> dict[str, float | None]:
    """The mean squared error over the positions that carry each type; None if none carries it."""
    scored = list(zip(lines, normalised(lines, when, clip), strict=True))
    placed = {line.place: score for line, score in scored}
    posts = {line.post: score for line, score in scored}
    said = [
        (p, posts.get(p.post, LOWEST) if anywhere else placed.get(p.place, LOWEST))
        for p in positions
    ]
    return {name: squared_error(said, name) for name in ontology.types}


def squared_error(said: Iterable[tuple[Label, float]], name: str) -> float | None:
    """Over the posts of a type whose priority is known; None if there are none."""
    squares = [
        (PRIORITIES[label.priority] - score) ** 2
        for label, score in said
        if name in label.types and label.priority in PRIORITIES
    ]
    return sum(squares) / len(squares) if squares else None


def error_over_posts(said: Iterable[tuple[Label, float]]) -> float | None:
    """The mean squared error of the posts whose priority is known, each once; None without any."""
    squares = [
        (PRIORITIES[label.priority] - score) ** 2
        for label, score in said
        if label.priority in PRIORITIES
    ]
    return sum(squares) / len(squares) if squares else None


def priority_note(
    labels: Sequence[Label],
    lines: Sequence[Line],
    ontology: Ontology,
    when: str = "auto",
    clip: bool = True,
) -> dict[str, float | None]:
    """`priority.MSE` and `priority.RMSE`, both `(actionable)` too, and `priority.MSE_posts`.

    A reading, for the text has no formula: as in the scripts the error is of each type, over the
    posts that an assessor gave this type, then a mean over types. Types that no post has are left
    out of the mean, which is None if there are no others. RMSE takes the root of each type's MSE,
    before the mean.
    """
    positions = united(labels)
    errors = squared_errors(positions, lines, ontology, when, clip)
    scored = zip(lines, normalised(lines, when, clip), strict=True)
    placed = {line.place: score for line, score in scored}
    said = [(each, placed.get(each.place, LOWEST)) for each in positions]
    values: dict[str, float | None] = {"priority.MSE_posts": error_over_posts(said)}
    for group in GROUPS[:2]:
        found = [e for name in group_of(ontology, group) if (e := errors[name]) is not None]
        roots = [e**0.5 for e in found]
        values[f"priority.MSE{group}"] = sum(found) / len(found) if found else None
        values[f"priority.RMSE{group}"] = sum(roots) / len(roots) if roots else None
    return values


def priority_2018(
    labels: Sequence[Label],
    lines: Sequence[Line],
    ontology: Ontology,
    when: str = "auto",
    clip: bool = True,
) -> dict[str, float]:
    """The scripts' error at repeated positions: an MSE, also where it is called RMSE.

    A type that no post carries adds 0 and is counted in the divisor.
    """
    errors = squared_errors(repeated(labels), lines, ontology, when, clip, anywhere=True)
    values = {}
    for group in GROUPS[:2]:
        total = sum(errors[name] or 0.0 for name in group_of(ontology, group))
        values[f"priority.MSE{group}"] = ratio(total, divisor_of(ontology, group, absent_too=True))
        values[f"priority.RMSE{group}"] = values[f"priority.MSE{group}"]
    return values


priority_2018v2 = priority_2019a = priority_2019b = priority_2018
