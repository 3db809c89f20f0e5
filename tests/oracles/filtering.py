"""Filtering over time, slowly: dictionaries and loops, written from the specification alone.

It imports nothing of the program and no numerical library. Means are plain sums from left to right
over the entities in the order of their names, then one division: where two batches are tied, the
rank correlation hangs on the last bit, and the published numbers come out only so.

Where to begin: `judge` makes the truth, `best` the run; `batches` cuts the period; `tally` counts
one batch, `METRICS` turn its counts into values; `series` does so batch by batch, `line` fits the
trend, `sweep` picks the cutoff. `official` is the scorer of the track, `burst` the weights of
bursts. What the specification leaves open is decided here and marked "Reading:".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

Pair = tuple[str, str]
"""A document and an entity."""
Truth = Mapping[Pair, bool]
Run = Mapping[Pair, float]
Value = float | None
"""A metric's value; None is undefined."""

LEVELS = {"vital": 2, "useful": 1, "neutral": 0}
CUTOFFS = tuple(range(50, 1001, 50))


@dataclass(frozen=True)
class Options:
    """What may be asked for, as the specification names it."""

    start: int
    end: int
    batch: int
    cutoff: float = 50
    unjudged: str = "ignore"
    partial: str = "keep"
    weights: str = "union"
    zeta: float = 1
    f_weights: tuple[float, float, float] = (1, 1, 1)
    costs: tuple[float, float, float] = (1, 0.1, 0.02)


@cache
def time_of(document: str) -> int:
    return int(document.partition("-")[0])


def judge(rows: Iterable[tuple[str, str, int]], level: str = "vital", votes: str = "all") -> Truth:
    """From (document, entity, rating): positive if all assessors say so, or any."""
    ratings: dict[Pair, list[int]] = {}
    for document, entity, rating in rows:
        ratings.setdefault((document, entity), []).append(rating)
    decisive = min if votes == "all" else max
    return {pair: decisive(given) >= LEVELS[level] for pair, given in ratings.items()}


def best(rows: Iterable[tuple[str, str, float]]) -> Run:
    """From (document, entity, confidence): of a pair returned twice the highest confidence."""
    found: dict[Pair, float] = {}
    for document, entity, confidence in rows:
        pair = (document, entity)
        found[pair] = max(confidence, found.get(pair, confidence))
    return found


def batches(options: Options) -> list[tuple[int, int]]:
    """[start, end) of every batch; the last is as short as the period leaves it, or dropped."""
    found = []
    at = options.start
    while at < options.end:
        after = at + options.batch
        if after <= options.end:
            found.append((at, after))
        elif options.partial == "keep":
            found.append((at, options.end))
        at = after
    return found


def within(pair: Pair, start: int, end: int) -> bool:
    return start <= time_of(pair[0]) < end


def placed(pairs: Iterable[Pair], options: Options) -> list[set[Pair]]:
    """The pairs of each batch; what lies in none is left out."""
    cut = batches(options)
    found: list[set[Pair]] = [set() for _ in cut]
    for pair in pairs:
        number = (time_of(pair[0]) - options.start) // options.batch
        if 0 <= number < len(cut) and within(pair, *cut[number]):
            found[number].add(pair)
    return found


def returned(run: Run, truth: Truth, options: Options) -> set[Pair]:
    """What the run keeps at the cutoff, without what nobody judged unless that counts as wrong."""
    return {
        pair
        for pair, confidence in run.items()
        if confidence >= options.cutoff and (pair in truth or options.unjudged == "fp")
    }


@dataclass(frozen=True)
class Counts:
    """Of one entity; `tn` are the pairs judged negative that the run didn't return."""

    tp: int = 0
    fp: int = 0
    fn: int = 0
    tn: int = 0


Tally = Mapping[str, Counts]
"""Each entity that has a judged or a returned pair, and its counts."""


def tally(truth: Truth, kept: set[Pair], pairs: set[Pair]) -> Tally:
    """Of these pairs alone, each of which is judged or returned; by the entities' names."""
    outcomes: dict[str, list[tuple[bool, bool]]] = {}
    for pair in pairs:
        outcomes.setdefault(pair[1], []).append((truth.get(pair, False), pair in kept))
    return {
        entity: Counts(
            tp=own.count((True, True)),
            fp=own.count((False, True)),
            fn=own.count((True, False)),
            tn=own.count((False, False)),
        )
        for entity, own in sorted(outcomes.items())
    }


def tallies(run: Run, truth: Truth, options: Options) -> list[Tally]:
    """Batch by batch."""
    kept = returned(run, truth, options)
    return [tally(truth, kept, pairs) for pairs in placed(set(truth) | kept, options)]


def with_positives(counted: Tally) -> list[Counts]:
    """G."""
    return [counts for counts in counted.values() if counts.tp + counts.fn > 0]


def positive_or_returned(counted: Tally) -> list[Counts]:
    """U."""
    return [counts for counts in counted.values() if counts.tp + counts.fn + counts.fp > 0]


def added(values: Iterable[float]) -> float:
    """One after the other: from Python 3.12 on the built-in sum keeps more digits."""
    total = 0.0
    for value in values:
        total += value
    return total


def mean(values: list[float]) -> Value:
    return added(values) / len(values) if values else None


def over(above: float, below: float) -> float:
    """0 where there is nothing to divide by."""
    return above / below if below else 0.0


def precision(counted: Tally, _: Options) -> Value:
    return mean([over(each.tp, each.tp + each.fp) for each in with_positives(counted)])


def recall(counted: Tally, _: Options) -> Value:
    return mean([over(each.tp, each.tp + each.fn) for each in with_positives(counted)])


def aptness(counted: Tally, options: Options) -> Value:
    zeta = options.zeta
    found = mean([zeta / (zeta + each.fp) for each in positive_or_returned(counted)])
    return 1.0 if found is None else found


def harmonic(values: list[float]) -> Value:
    if not values:
        return None
    if min(values) == 0:
        return 0.0
    return len(values) / added(1 / value for value in values)


def weighted_harmonic(parts: list[tuple[float, float]]) -> Value:
    """Of values with their weights; 0 if one of them is."""
    if min(value for value, _ in parts) == 0:
        return 0.0
    return added(weight for _, weight in parts) / added(weight / value for value, weight in parts)


def f_pr(counted: Tally, options: Options) -> Value:
    p, r = precision(counted, options), recall(counted, options)
    if p is None or r is None:
        return None
    of_p, of_r, _ = options.f_weights
    return weighted_harmonic([(p, of_p), (r, of_r)])


def f_pra(counted: Tally, options: Options) -> Value:
    parts = [part(counted, options) for part in (precision, recall, aptness)]
    return weighted_harmonic(
        [(p, w) for p, w in zip(parts, options.f_weights, strict=True) if p is not None]
    )


def f_1(counted: Tally, options: Options) -> Value:
    """Reading: from macro P and macro R, as the track's; they weigh the same whatever F_pr says."""
    p, r = precision(counted, options), recall(counted, options)
    return None if p is None or r is None else harmonic([p, r])


def utility(each: Counts) -> float:
    """Scaled so that nothing returned is a third; the worst that counts is 0."""
    positives = each.tp + each.fn
    if positives == 0:
        return 0.0
    gained = (2 * each.tp - each.fp) / (2 * positives)
    return (max(gained, -0.5) + 0.5) / 1.5


def t11u(counted: Tally, _: Options) -> Value:
    """Reading: the mean over G."""
    return mean([float(2 * each.tp - each.fp) for each in with_positives(counted)])


def t11nu(counted: Tally, _: Options) -> Value:
    """Reading: the mean over G of what was gained, by what returning the positives alone gains."""
    return mean([(2 * c.tp - c.fp) / (2 * (c.tp + c.fn)) for c in with_positives(counted)])


def t11su(counted: Tally, _: Options) -> Value:
    """Reading: the mean over G."""
    return mean([utility(each) for each in with_positives(counted)])


def detection_cost(counted: Tally, options: Options) -> Value:
    """Reading: the mean over G; 1 is the cost of the better of returning all and nothing."""
    miss, false_alarm, prior = options.costs
    least = min(miss * prior, false_alarm * (1 - prior))
    costs = []
    for each in with_positives(counted):
        missed = over(each.fn, each.tp + each.fn)
        alarmed = over(each.fp, each.fp + each.tn)
        costs.append((miss * missed * prior + false_alarm * alarmed * (1 - prior)) / least)
    return mean(costs)


def false_positive_rate(counted: Tally, _: Options) -> Value:
    """Reading: the mean over the entities with a pair that isn't positive."""
    return mean([over(c.fp, c.fp + c.tn) for c in counted.values() if c.fp + c.tn])


def false_discovery_rate(counted: Tally, _: Options) -> Value:
    """Reading: the mean over the entities with a returned pair."""
    return mean([over(c.fp, c.tp + c.fp) for c in counted.values() if c.tp + c.fp])


METRICS: dict[str, Callable[[Tally, Options], Value]] = {
    "P": precision,
    "R": recall,
    "A": aptness,
    "F_pr": f_pr,
    "F_pra": f_pra,
    "F_1": f_1,
    "T11U": t11u,
    "T11NU": t11nu,
    "T11SU": t11su,
    "C_trk": detection_cost,
    "FPR": false_positive_rate,
    "FDR": false_discovery_rate,
}


def support(counted: Tally, metric: str, options: Options) -> int:
    """The pairs in run or truth; with `own` those that the metric divides by.

    Reading: P and FDR the returned, R the positive, FPR those that aren't positive, others all.
    """
    own = options.weights == "own"
    number = 0
    for each in counted.values():
        if own and metric in ("P", "FDR"):
            number += each.tp + each.fp
        elif own and metric == "R":
            number += each.tp + each.fn
        elif own and metric == "FPR":
            number += each.fp + each.tn
        else:
            number += each.tp + each.fp + each.fn
    return number


@dataclass(frozen=True)
class Point:
    """One batch of a series; the weight is its share of the period's pairs."""

    value: Value
    weight: float


def documents(run: Run, truth: Truth, options: Options) -> list[int]:
    """How many documents of each batch are positive or returned, of any entity."""
    pairs = {pair for pair, positive in truth.items() if positive} | returned(run, truth, options)
    return [len({document for document, _ in each}) for each in placed(pairs, options)]


def series(
    counted: list[Tally], metric: str, options: Options, sizes: list[int] | None = None
) -> list[Point]:
    """Weighed by the support of the metric, or by sizes such as those of `documents`."""
    if sizes is None:
        sizes = [support(each, metric, options) for each in counted]
    return [
        Point(METRICS[metric](each, options), over(size, sum(sizes)))
        for each, size in zip(counted, sizes, strict=True)
    ]


def whole(run: Run, truth: Truth, metric: str, options: Options) -> Value:
    """The period as one batch: as far as its batches reach."""
    cut = batches(options)
    reach = cut[-1][1] - options.start if cut else 1
    one = replace(options, end=options.start + reach, batch=reach)
    return METRICS[metric](tallies(run, truth, one)[0], options)


@dataclass(frozen=True)
class Line:
    """A trend; `t` is None where there is no residual."""

    number: int
    intercept: float
    slope: float
    error: float
    end: float
    end_error: float
    t: float | None
    residuals: list[float]
    weighted: list[float]


TINY = 1e-12
"""What is smaller than this share of the largest value is rounding."""


def line(points: list[Point]) -> Line | None:
    """Weighted least squares with HC3 errors; None for fewer than three usable batches."""
    used = [
        (x, point.value, point.weight)
        for x, point in enumerate(points)
        if point.value is not None and point.weight > 0
    ]
    if len(used) < 3:
        return None
    total = math.fsum(w for _, _, w in used)
    middle = math.fsum(w * x for x, _, w in used) / total
    level = math.fsum(w * y for _, y, w in used) / total
    spread = math.fsum(w * (x - middle) ** 2 for x, _, w in used)
    slope = math.fsum(w * (x - middle) * (y - level) for x, y, w in used) / spread
    last = len(points) - 1 - middle
    residuals = [y - level - slope * (x - middle) for x, y, _ in used]
    if max(map(abs, residuals)) <= TINY * max(abs(y) for _, y, _ in used):
        residuals = [0.0] * len(used)
    of_slope, of_end = [], []
    for (x, _, w), e in zip(used, residuals, strict=True):
        leverage = w * (1 / total + (x - middle) ** 2 / spread)
        moved = w * e / (1 - leverage)
        of_slope.append((moved * (x - middle) / spread) ** 2)
        of_end.append((moved * (1 / total + last * (x - middle) / spread)) ** 2)
    error = math.sqrt(math.fsum(of_slope))
    return Line(
        len(used),
        level - slope * middle,
        slope,
        error,
        level + slope * last,
        math.sqrt(math.fsum(of_end)),
        slope / error if error else None,
        residuals,
        [e * math.sqrt(w) for e, (_, _, w) in zip(residuals, used, strict=True)],
    )


def differences(pairs: list[tuple[float, float]]) -> tuple[Value, Value]:
    """The mean of the first less the second, and the standard deviation (n - 1) of that."""
    found = [one - other for one, other in pairs]
    if not found:
        return None, None
    middle = math.fsum(found) / len(found)
    if len(found) < 2:
        return middle, None
    square = math.fsum((each - middle) ** 2 for each in found)
    return middle, math.sqrt(square / (len(found) - 1))


def z_test(one: Line, other: Line) -> tuple[float, float]:
    z = (one.slope - other.slope) / math.sqrt(one.error**2 + other.error**2)
    return z, math.erfc(abs(z) / math.sqrt(2))


def sweep(
    run: Run, truth: Truth, metric: str, options: Options, cutoffs: Iterable[int] = CUTOFFS
) -> tuple[int | None, dict[int, float | None]]:
    """The cutoff with the best end point, the lowest of several; and all end points."""
    ends: dict[int, float | None] = {}
    chosen: int | None = None
    for cutoff in cutoffs:
        kept = replace(options, cutoff=cutoff)
        fitted = line(series(tallies(run, truth, kept), metric, kept))
        ends[cutoff] = found = fitted.end if fitted else None
        leader = ends[chosen] if chosen is not None else None
        if found is not None and (leader is None or found > leader):
            chosen = cutoff
    return chosen, ends


def ranks(values: list[float]) -> list[float]:
    """From 1 on; equal values share the mean of their ranks."""
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2
        for value in values
    ]


def kendall(one: list[float], other: list[float]) -> float | None:
    """Tau-b, pair by pair."""
    agree = tied = tied_other = number = 0
    for i in range(len(one)):
        for j in range(i):
            first, second = one[i] - one[j], other[i] - other[j]
            number += 1
            tied += first == 0
            tied_other += second == 0
            agree += (first * second > 0) - (first * second < 0)
    below = math.sqrt((number - tied) * (number - tied_other))
    return agree / below if below else None


def spearman(values: list[float]) -> float | None:
    """With the order in which they stand."""
    if len(values) < 3 or len(set(values)) == 1:
        return None
    ranked, middle = ranks(values), (len(values) + 1) / 2
    away = [rank - middle for rank in ranked]
    time = [place + 1 - middle for place in range(len(values))]
    both = sum(a * t for a, t in zip(away, time, strict=True))
    return both / math.sqrt(sum(a * a for a in away) * sum(t * t for t in time))


def categorical(points: list[Point]) -> bool:
    """Whether the usable batches have only values 0 and 1: their residuals cannot be normal."""
    used = [p.value for p in points if p.value is not None and p.weight > 0]
    return all(math.isclose(v, 0, abs_tol=1e-9) or math.isclose(v, 1) for v in used)


def anderson_darling(values: list[float]) -> tuple[float, float] | None:
    """A squared with mean and deviation estimated, and the p of D'Agostino and Stephens."""
    n = len(values)
    if n < 3 or len(set(values)) == 1:
        return None
    middle = math.fsum(values) / n
    deviation = math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (n - 1))
    below = sorted((value - middle) / deviation for value in values)
    total = 0.0
    for i in range(n):
        lower = math.erfc(-below[i] / math.sqrt(2)) / 2
        upper = math.erfc(below[n - 1 - i] / math.sqrt(2)) / 2
        total += (2 * i + 1) * (math.log(lower) + math.log(upper))
    squared = -n - total / n
    a = squared * (1 + 0.75 / n + 2.25 / n**2)
    if a < 0.2:
        p = 1 - math.exp(-13.436 + 101.14 * a - 223.73 * a**2)
    elif a < 0.34:
        p = 1 - math.exp(-8.318 + 42.796 * a - 59.938 * a**2)
    elif a < 0.6:
        p = math.exp(0.9177 - 4.279 * a - 1.38 * a**2)
    else:
        p = math.exp(1.2937 - 5.709 * a + 0.0186 * a**2)
    return squared, p


def durbin_watson(residuals: list[float]) -> float | None:
    below = math.fsum(e * e for e in residuals)
    steps = math.fsum((b - a) ** 2 for a, b in pairwise(residuals))
    return steps / below if below else None


@dataclass(frozen=True)
class Official:
    """What the track's scorer says of a run: two largest values, each at its own cutoff."""

    f: float
    su: float


def official(run: Run, truth: Truth, step: int = 50, require_positives: int = 0) -> Official:
    """Strictly above each cutoff; over all entities of the truth with enough positives.

    Reading: unjudged pairs are ignored, and an entity without positives has a recall of 0.
    """
    positives: dict[str, int] = {}
    for (_, entity), positive in truth.items():
        positives[entity] = positives.get(entity, 0) + positive
    entities = [entity for entity, number in positives.items() if number >= require_positives]
    largest = Official(0.0, 0.0)
    for cutoff in range(0, 1000, step):
        counts = {entity: Counts(fn=positives[entity]) for entity in entities}
        for pair, confidence in run.items():
            if pair not in truth or confidence <= cutoff or pair[1] not in counts:
                continue
            each = counts[pair[1]]
            if truth[pair]:
                counts[pair[1]] = replace(each, tp=each.tp + 1, fn=each.fn - 1)
            else:
                counts[pair[1]] = replace(each, fp=each.fp + 1)
        scored = list(counts.values())
        p = mean([over(each.tp, each.tp + each.fp) for each in scored])
        r = mean([over(each.tp, each.tp + each.fn) for each in scored])
        su = mean([utility(each) for each in scored])
        f = harmonic([p, r]) if p is not None and r is not None else None
        largest = Official(max(largest.f, f or 0.0), max(largest.su, su or 0.0))
    return largest


def burst_weights(
    truth: Truth, intervals: list[tuple[int, int]]
) -> dict[tuple[str, tuple[int, int]], float]:
    """For each entity and each of its intervals with positives: how much more it counts than even.

    The share of the entity's positives, times the number of its intervals that hold any; the mean
    over these intervals is 1.
    """
    found: dict[tuple[str, tuple[int, int]], float] = {}
    for entity in sorted({entity for _, entity in truth}):
        held = positives_by_interval(truth, entity, intervals)
        for interval, number in held.items():
            found[entity, interval] = number * len(held) / sum(held.values())
    return found


def positives_by_interval(
    truth: Truth, entity: str, intervals: list[tuple[int, int]]
) -> dict[tuple[int, int], int]:
    """Intervals without any are left out."""
    held: dict[tuple[int, int], int] = {}
    for pair, positive in truth.items():
        if positive and pair[1] == entity:
            for interval in intervals:
                if within(pair, *interval):
                    held[interval] = held.get(interval, 0) + 1
    return held


@dataclass(frozen=True)
class Burst:
    """A metric over the intervals in which something happened, each alike or each by how much."""

    uniform: Value
    weighted: Value


def burst(run: Run, truth: Truth, metric: str, options: Options) -> Burst:
    """The metric of each entity alone in each interval with positives; then over the entities."""
    kept = returned(run, truth, options)
    every = set(truth) | kept
    uniform, weighted = [], []
    for entity in sorted({entity for _, entity in truth}):
        held = positives_by_interval(truth, entity, batches(options))
        if not held:
            continue
        values = {}
        for interval in held:
            own = {p for p in every if p[1] == entity and within(p, *interval)}
            values[interval] = METRICS[metric](tally(truth, kept, own), options) or 0.0
        uniform.append(sum(values.values()) / len(held))
        all_of_it = sum(values[each] * held[each] for each in held)
        weighted.append(all_of_it / sum(held.values()))
    return Burst(mean(uniform), mean(weighted))
