"""The draft measures of temporal summarization, slow and obvious.

This is the yardstick for the fast program, written from the words of the specification alone:

    M(u)  = the update of S with the smallest time among those that match u
    P(t)  = sum over u in N with M(u).time < t of C(u) * R(u)  /  sum over u in S with u.time < t of C(M(u))
    R(t)  = sum over u in N with M(u).time < t of R(u)  /  sum over u in N of R(u)
    Rs(t) = sum over u in N with u.time < t and M(u).time < t of R(u)  /  sum over u in N with u.time < t of R(u)
    T(t)  = sum over u in N with M(u).time < t of g(u.time - M(u).time)  /  number of u in N with M(u).time < t

Where matches have grades, a nugget is said by several updates, each of which says more of it than any
before; each counts by how much more that is.

Everything is computed afresh for every value, with lists and for loops. Numbers stay exact
fractions as long as the measure allows it (all but `reward=exp`, `g=logistic`, `g=arctan` and
a callable that returns floats). An undefined value is `None`. A time t of `None` means: later
than every update and every nugget.

Where to begin: `Collection` holds a whole evaluation, `select` picks one run on one topic out of
it (a `Case`), and `value`, `curve`, `online`, `earliest`, `roles` ask about that case. `score`
does all topics of a run and their mean.
"""  # noqa: E501

from __future__ import annotations

import datetime as dt
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

Number = int | float | Fraction
Value = Fraction | float | None

SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86400}
SUFFIXES = {**SECONDS, "m": 60}
SIX_HOURS = 6 * 3600


@dataclass(frozen=True)
class Update:
    """One message of a run."""

    topic: str
    update_id: str
    time: Number
    text: str = ""
    run: str = "run"
    cost: Number = 1


@dataclass(frozen=True)
class Nugget:
    """One message of the gold standard."""

    topic: str
    nugget_id: str
    time: Number
    text: str = ""
    importance: Number = 1
    cost: Number = 1


@dataclass(frozen=True)
class Match:
    """An update says what a nugget says; without a run it holds for every run with that update."""

    topic: str
    update_id: str
    nugget_id: str
    run: str | None = None
    grade: Number = 1


@dataclass(frozen=True)
class Duplicate:
    """Two updates of a topic that carry the same information; the order has no meaning."""

    topic: str
    update_id: str
    duplicate_id: str


@dataclass(frozen=True)
class Collection:
    """Everything that an evaluation needs: all runs, all topics, in the order of the files."""

    updates: Sequence[Update]
    nuggets: Sequence[Nugget]
    matches: Sequence[Match]
    duplicates: Sequence[Duplicate] = ()
    starts: Mapping[str, Number] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One run on one topic. The order of `updates` is the order of the file."""

    updates: tuple[Update, ...]
    nuggets: tuple[Nugget, ...]
    matches: tuple[tuple[str, str], ...]
    duplicates: tuple[tuple[str, str], ...] = ()
    grades: tuple[Number, ...] = ()
    """Of each match; all are in full where there are none."""

    @cached_property
    def best(self) -> dict[tuple[str, str], Fraction]:
        """The highest grade of each update and nugget that a match names."""
        found: dict[tuple[str, str], Fraction] = {}
        for at, match in enumerate(self.matches):
            found[match] = max(found.get(match, Fraction(0)), self.grade_of(at))
        return found

    def grade_of(self, at: int) -> Fraction:
        """The grade of a match."""
        return Fraction(self.grades[at] if self.grades else 1)

    @cached_property
    def saying(self) -> dict[str, list[Update]]:
        """The updates that a match names with each nugget, in order of time, then of the file."""
        found: dict[str, list[Update]] = {}
        for update in sorted(self.updates, key=lambda each: each.time):
            for nugget_id in self.named.get(update.update_id, ()):
                found.setdefault(nugget_id, []).append(update)
        return found

    @cached_property
    def named(self) -> dict[str, list[str]]:
        """The nuggets that matches name with each update, each once."""
        found: dict[str, list[str]] = {}
        for update_id, nugget_id in self.best:
            found.setdefault(update_id, []).append(nugget_id)
        return found


@dataclass(frozen=True)
class Role:
    """What one update does: the nuggets that it is the first for, and those that it repeats."""

    earns: tuple[str, ...]
    repeats: tuple[str, ...]

    @property
    def kind(self) -> str:
        if self.earns:
            return "earns"
        return "repeats" if self.repeats else "nothing"


@dataclass(frozen=True)
class Measure:
    """A measure with all that can change its value.

    `g` is a name or a callable; a callable gets the lead of the system over the nugget in
    seconds (positive: the system was early). `scale` is in seconds.
    """

    name: str
    updates: bool = False
    cost_of: str = "nugget"
    cost: str = "column"
    reward: str = "importance"
    g: str | Callable[[Number], Number] = "identity"
    unit: str = "h"
    scale: Number = SIX_HOURS
    beta: Fraction = Fraction(1)
    at: str | None = None


# --- one run on one topic ---------------------------------------------------------------------


def select(collection: Collection, run: str, topic: str) -> Case:
    """Return what concerns this run and this topic; an absent topic gives an empty system."""
    updates = [u for u in collection.updates if u.run == run and u.topic == topic]
    nuggets = [n for n in collection.nuggets if n.topic == topic]
    found = [
        m for m in collection.matches if m.topic == topic and m.run in (None, run) and m.grade > 0
    ]
    matches = [(m.update_id, m.nugget_id) for m in found]
    duplicates = [(d.update_id, d.duplicate_id) for d in collection.duplicates if d.topic == topic]
    grades = tuple(m.grade for m in found)
    return Case(tuple(updates), tuple(nuggets), tuple(matches), tuple(duplicates), grades)


def before(time: Number, t: Number | None) -> bool:
    """Return whether `time` lies strictly before t."""
    return t is None or time < t


def first(updates: Iterable[Update]) -> Update | None:
    """Return the update with the smallest time; of equal ones that which stands first."""
    found: Update | None = None
    for update in updates:
        if found is None or update.time < found.time:
            found = update
    return found


def earliest(case: Case) -> dict[str, Update | None]:
    """Return M(n) for every nugget; None where nothing in the run matches it."""
    found: dict[str, Update | None] = {}
    for nugget in case.nuggets:
        found[nugget.nugget_id] = first(
            u for u in case.updates if (u.update_id, nugget.nugget_id) in case.matches
        )
    return found


def roles(case: Case) -> dict[str, Role]:
    """Return for every update the nuggets that it earns and those that it repeats."""
    earned = [(nugget.nugget_id, update) for nugget, update, _ in found_before(case, None)]
    found: dict[str, Role] = {}
    for update in case.updates:
        earns: list[str] = []
        repeats: list[str] = []
        for nugget in case.nuggets:
            if (update.update_id, nugget.nugget_id) not in case.matches:
                continue
            first = (nugget.nugget_id, update) in earned
            (earns if first else repeats).append(nugget.nugget_id)
        found[update.update_id] = Role(tuple(earns), tuple(repeats))
    return found


def same_information(case: Case, update_id: str) -> set[str]:
    """Return the ids that pairs of duplicates link with this one, directly or by way of others."""
    ids = {update_id}
    grew = True
    while grew:
        grew = False
        for left, right in case.duplicates:
            if (left in ids) != (right in ids):
                ids |= {left, right}
                grew = True
    return ids


def earliest_duplicate(case: Case, update: Update) -> Update:
    """Return M(u) of a system update: the run's earliest update with the same information."""
    ids = same_information(case, update.update_id)
    found = first(u for u in case.updates if u.update_id in ids)
    return update if found is None else found


# --- cost, reward, g --------------------------------------------------------------------------


def words(text: str) -> int:
    """Return the number of runs of word characters after NFKC."""
    return len(re.findall(r"\w+", unicodedata.normalize("NFKC", text)))


def cost(message: Update | Nugget, how: str) -> Fraction:
    """Return C of an update or a nugget."""
    costs: dict[str, Number] = {
        "column": message.cost,
        "1": 1,
        "words": words(message.text),
        "chars": len(message.text),
    }
    if costs[how] < 0:
        raise ValueError(f"negative cost: {message}")
    return Fraction(costs[how])


def reward(nugget: Nugget, nuggets: Sequence[Nugget], how: str) -> Fraction | float:
    """Return R of a nugget among the nuggets of its topic."""
    if how == "importance":
        if nugget.importance < 0:
            raise ValueError(f"negative reward: {nugget}")
        return Fraction(nugget.importance)
    if how == "1":
        return Fraction(1)
    if how == "binary":
        return Fraction(1 if nugget.importance > 0 else 0)
    if how == "exp":
        largest = max(n.importance for n in nuggets)
        return math.exp(nugget.importance - largest)
    raise ValueError(f"unknown reward: {how}")


def gain_of_lead(measure: Measure, lead: Number) -> Fraction | float:
    """Return g of the seconds by which the system is ahead of the nugget."""
    if callable(measure.g):
        result = measure.g(lead)
        return Fraction(result) if isinstance(result, int) else result
    if measure.g == "identity":
        return Fraction(lead) / SECONDS[measure.unit]
    if measure.g == "sign":
        return Fraction((lead > 0) - (lead < 0))
    if measure.g == "logistic":
        return logistic(float(lead) / float(measure.scale))
    if measure.g == "arctan":
        return 1 - (2 / math.pi) * math.atan(-float(lead) / float(measure.scale))
    raise ValueError(f"unknown g: {measure.g}")


def logistic(x: float) -> float:
    """Return 1 / (1 + exp(-x)); for x < 0 as exp(x) / (1 + exp(x)), which cannot overflow."""
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    return math.exp(x) / (1 + math.exp(x))


def check_increasing(points: Iterable[tuple[Number, Number]]) -> None:
    """Raise if a later lead got a smaller value."""
    for x, low in (ordered := sorted(points)):
        for y, high in ordered:
            if x < y and low > high:
                raise ValueError(f"g is not increasing: g({x}) = {low} > g({y}) = {high}")


# --- the measures -----------------------------------------------------------------------------


def total(numbers: Iterable[Fraction | float]) -> Fraction | float:
    """Return the sum, begun at an exact zero."""
    result: Fraction | float = Fraction(0)
    for number in numbers:
        result = result + number
    return result


def divide(top: Fraction | float, bottom: Fraction | float) -> Value:
    """Return the quotient; undefined where the denominator is zero."""
    return None if bottom == 0 else top / bottom


def grade(case: Case, update: Update, nugget: Nugget) -> Fraction:
    """Return how far an update says a nugget: 0 if nothing says that it does."""
    return case.best.get((update.update_id, nugget.nugget_id), Fraction(0))


def found_before(case: Case, t: Number | None) -> list[tuple[Nugget, Update, Fraction]]:
    """Return each update before t that says more of a nugget than any before it, and how much."""
    found = []
    for nugget in case.nuggets:
        best = Fraction(0)
        for update in case.saying.get(nugget.nugget_id, ()):
            said = grade(case, update, nugget)
            if said > best and before(update.time, t):
                found.append((nugget, update, said - best))
                best = said
    return found


def precision(case: Case, measure: Measure, t: Number | None = None) -> Value:
    """Return P(t) as drafted, or with the cost of the match in the numerator."""
    top: list[Fraction | float] = []
    for nugget, match, rise in found_before(case, t):
        paid = match if measure.cost_of == "match" else nugget
        worth = reward(nugget, case.nuggets, measure.reward)
        top.append(cost(paid, measure.cost) * worth * rise)
    bottom = [
        cost(earliest_duplicate(case, update), measure.cost)
        for update in case.updates
        if before(update.time, t)
    ]
    return divide(total(top), total(bottom))


def update_precision(case: Case, measure: Measure, t: Number | None = None) -> Value:
    """Return P(updates)(t): the share, by cost, of the updates before t that earn a nugget."""
    earning = {match.update_id for _, match, _ in found_before(case, t)}
    seen = [u for u in case.updates if before(u.time, t)]
    top = [cost(u, measure.cost) for u in seen if u.update_id in earning]
    return divide(total(top), total(cost(u, measure.cost) for u in seen))


def recall(case: Case, measure: Measure, t: Number | None = None) -> Value:
    """Return R(t)."""
    top = [reward(n, case.nuggets, measure.reward) * r for n, _, r in found_before(case, t)]
    bottom = [reward(n, case.nuggets, measure.reward) for n in case.nuggets]
    return divide(total(top), total(bottom))


def recall_so_far(case: Case, measure: Measure, t: Number | None = None) -> Value:
    """Return Rs(t): recall of the nuggets whose own time has come."""
    top = [
        reward(n, case.nuggets, measure.reward) * rise
        for n, _, rise in found_before(case, t)
        if before(n.time, t)
    ]
    bottom = [reward(n, case.nuggets, measure.reward) for n in case.nuggets if before(n.time, t)]
    return divide(total(top), total(bottom))


def balance(case: Case, measure: Measure, t: Number | None = None) -> Value:
    """Return F(t): the harmonic mean of P(updates)(t) and R(t), recall counting beta times."""
    return balanced(measure, update_precision(case, measure, t), recall(case, measure, t))


def balanced(measure: Measure, precise: Value, complete: Value) -> Value:
    """Return the harmonic mean of a precision and a recall, recall counting beta times."""
    if complete is None:
        return None
    if not precise or not complete:
        return Fraction(0)
    weight = measure.beta * measure.beta
    return (1 + weight) * precise * complete / (weight * precise + complete)


def timeliness(case: Case, measure: Measure, t: Number | None = None) -> Value:
    """Return T(t)."""
    points: list[tuple[Number, Fraction | float]] = []
    top: list[Fraction | float] = []
    rises: list[Fraction | float] = []
    for nugget, match, rise in found_before(case, t):
        lead = Fraction(nugget.time) - Fraction(match.time)
        points.append((lead, gain_of_lead(measure, lead)))
        top.append(points[-1][1] * rise)
        rises.append(rise)
    check_increasing(points)
    return divide(total(top), total(rises))


def value(case: Case, measure: Measure, t: Number | None = None) -> Value:
    """Return the measure at time t. (`measure.at` needs the topic's start: `score` reads it.)"""
    if measure.name == "P":
        return (update_precision if measure.updates else precision)(case, measure, t)
    functions = {"R": recall, "Rs": recall_so_far, "T": timeliness, "F": balance}
    return functions[measure.name](case, measure, t)


# --- over time --------------------------------------------------------------------------------


def change_points(case: Case) -> list[Number]:
    """Return all distinct times of updates and nuggets, ascending."""
    return sorted({u.time for u in case.updates} | {n.time for n in case.nuggets})


def curve(case: Case, measure: Measure) -> list[tuple[Number, Value]]:
    """Return for every change point the value just after it.

    Just after means: at any moment later than this change point and not later than the next one.
    """
    points = change_points(case)
    later: list[Number | None] = [*points[1:], None]
    return [(point, value(case, measure, t)) for point, t in zip(points, later, strict=True)]


@dataclass(frozen=True)
class Step:
    """The state after one more update has come in."""

    update: Update
    now: Value
    """The value just after the update's own time, which knows no later nugget or update."""
    end: Value
    """The value if nothing else came in any more: t is later than every update and nugget."""


def online(case: Case, measure: Measure) -> list[Step]:
    """Return the values after every prefix of the updates in time order, each from scratch.

    Updates of the same time come in the order of the file.
    """
    in_order = sorted(case.updates, key=lambda u: u.time)
    steps = []
    for count, update in enumerate(in_order, start=1):
        prefix = replace(case, updates=tuple(in_order[:count]))
        later = [point for point in change_points(prefix) if point > update.time]
        now = value(prefix, measure, later[0] if later else None)
        steps.append(Step(update, now, value(prefix, measure)))
    return steps


# --- all topics of a run ----------------------------------------------------------------------


def moment(at: str, start: Number) -> Number:
    """Return the time that `6h` (from the topic's start), `1329910380` or ISO 8601 means."""
    if relative := re.fullmatch(r"(\d+(?:\.\d+)?)(s|m|min|h|d)", at):
        return start + Fraction(relative[1]) * SUFFIXES[relative[2]]
    if re.fullmatch(r"-?\d+(?:\.\d+)?", at):
        return Fraction(at)
    when = dt.datetime.fromisoformat(at)
    when = when if when.tzinfo else when.replace(tzinfo=dt.UTC)
    return Fraction(when.timestamp())


def mean(values: Iterable[Value], undefined: str = "skip") -> Value:
    """Return the mean of the defined values, or with the undefined ones as 0."""
    numbers: list[Fraction | float] = []
    for number in values:
        if number is not None:
            numbers.append(number)
        elif undefined == "zero":
            numbers.append(Fraction(0))
    return divide(total(numbers), Fraction(len(numbers)))


def topics(collection: Collection) -> list[str]:
    """Return the topics of the gold standard in the order of the file."""
    return list(dict.fromkeys(n.topic for n in collection.nuggets))


def start(collection: Collection, topic: str) -> Number:
    """Return the topic's start as given, else the time of its earliest nugget."""
    if topic in collection.starts:
        return collection.starts[topic]
    return min(n.time for n in collection.nuggets if n.topic == topic)


def score(
    collection: Collection, run: str, measure: Measure, undefined: str = "skip"
) -> dict[str, Value]:
    """Return the measure for every topic of the gold standard, and their mean as `all`.

    With `undefined="zero"` the mean takes an undefined topic as 0; its own value stays None.
    """
    values: dict[str, Value] = {}
    for topic in topics(collection):
        t = None if measure.at is None else moment(measure.at, start(collection, topic))
        values[topic] = value(select(collection, run, topic), measure, t)
    return {**values, "all": mean(values.values(), undefined)}


def parse(text: str) -> Measure:
    """Read a measure's name, such as `P(updates,cost=words)@6h` or `T(g=arctan,scale=2h)`.

    Both `g=logistic,scale=6h` and `g=logistic(scale=6h)` are read.
    """
    name, _, at = text.partition("@")
    bare, _, inside = name.partition("(")
    measure = Measure(bare, at=at or None)
    for item in re.split(r"[(),]+", inside):
        key, _, given = item.strip().partition("=")
        if key == "updates":
            measure = replace(measure, updates=True)
        elif key == "beta":
            measure = replace(measure, beta=Fraction(given))
        elif key == "scale":
            measure = replace(measure, scale=moment(given, 0))
        elif key:
            measure = replace(measure, **{key.replace("-", "_"): given})  # type: ignore[arg-type]
    return measure
