"""The measures that came in 2021, slow and obvious: nDCG@100, priority F1 and Pearson's r.

Positions are one for each post, in the first event that labels it. A run is looked up by post,
whatever the event of its line, and its priorities are taken as they are, never normalised.

A post whose priority the assessors left Unknown has no number and no level: it is in no F1 and no
correlation, and gains nothing where it is ranked.
"""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from tests.oracles.incidents import (
    GROUPS,
    LOWEST,
    PRIORITIES,
    Label,
    Line,
    Ontology,
    by_post,
    group_of,
    in_first_event,
    known,
    ratio,
)

LEVELS = ("Low", "Medium", "High", "Critical")
DEPTH = 100
UNCORRELATED = "Other-Irrelevant"
"""The one type that is left out of Pearson's r."""


def level_of(score: float) -> str:
    """A bound belongs to the level below it: 0.75 is High."""
    if score > 0.75:
        return "Critical"
    if score > 0.5:
        return "High"
    return "Medium" if score > 0.25 else "Low"


# --- nDCG -----------------------------------------------------------------------------------------


def gain_of(level: str) -> float:
    """1, 3, 7 and 15, from Low to Critical; 0 for a level that is none of these."""
    return 2.0 ** (LEVELS.index(level) + 1) - 1 if level in LEVELS else 0.0


def dcg(gains: Sequence[float]) -> float:
    """The first hundred gains, each over log2(rank + 1)."""
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains[:DEPTH], start=1))


def ideal_dcg(labels: Sequence[Label]) -> dict[str, float]:
    """The largest DCG of each event that has one: all its posts, best first."""
    gains: dict[str, list[float]] = {}
    for label in in_first_event(labels):
        gains.setdefault(label.event, []).append(gain_of(label.priority))
    ideal = {event: dcg(sorted(own, reverse=True)) for event, own in gains.items()}
    return {event: best for event, best in ideal.items() if best}


def ranked(
    labels: Sequence[Label], lines: Sequence[Line], absent: str, unlabelled: str
) -> dict[str, list[tuple[int, float]]]:
    """For each event the predicted level, as a number, and the true gain of what a run ranks.

    The text says "the system's posts". Here these are the labelled posts that the run has. With
    `absent="low"` the others are ranked too, as Low; with `unlabelled="zero"` a post without a
    label is ranked in the event of its line, and gains nothing.
    """
    said = by_post(lines)
    result: dict[str, list[tuple[int, float]]] = {}
    positions = in_first_event(labels)
    for label in positions:
        own = result.setdefault(label.event, [])
        line = said.get(label.post)
        if line is not None:
            own.append((LEVELS.index(level_of(line.importance)), gain_of(label.priority)))
        elif absent == "low":
            own.append((0, gain_of(label.priority)))
    labelled = {label.post for label in positions}
    for line in said.values():
        if unlabelled == "zero" and line.post not in labelled and line.event in result:
            result[line.event].append((LEVELS.index(level_of(line.importance)), 0.0))
    return result


def expected_dcg(posts: Sequence[tuple[int, float]]) -> float:
    """The mean of DCG over all orders of the posts within each level, computed exactly.

    Every post of a level is equally often at each of the level's ranks, so each of these ranks
    earns the level's mean gain.
    """
    expected: list[float] = []
    for number in reversed(range(len(LEVELS))):
        gains = [gain for level, gain in posts if level == number]
        expected += [ratio(sum(gains), len(gains))] * len(gains)
    return dcg(expected)


def shuffled_dcg(posts: Sequence[tuple[int, float]], times: int, seed: int) -> float:
    """The mean of DCG over some random orders of the posts within each level, as far as it sees."""
    source = random.Random(seed)
    levels = [
        [gain for level, gain in posts if level == number]
        for number in reversed(range(len(LEVELS)))
    ]
    total = 0.0
    for _ in range(times):
        order: list[float] = []
        for gains in levels:
            order += source.sample(gains, min(len(gains), DEPTH - len(order)))
        total += dcg(order)
    return total / times


def ndcg_2021(
    labels: Sequence[Label],
    lines: Sequence[Line],
    absent: str = "unranked",
    unlabelled: str = "skipped",
) -> dict[str, float]:
    """The exact nDCG@100 of each labelled event; a run that says nothing of one has 0 there."""
    ideal = ideal_dcg(labels)
    posts = ranked(labels, lines, absent, unlabelled)
    return {event: expected_dcg(posts[event]) / ideal[event] for event in ideal}


def ndcg_2021_shuffled(
    labels: Sequence[Label], lines: Sequence[Line], times: int = 100, seeds: Iterable[int] = (0,)
) -> list[dict[str, float]]:
    """An estimate of `ndcg_2021` for each seed, by shuffles as the script makes them."""
    ideal = ideal_dcg(labels)
    posts = ranked(labels, lines, "unranked", "skipped")
    return [
        {event: shuffled_dcg(posts[event], times, seed) / ideal[event] for event in ideal}
        for seed in seeds
    ]


def mean_over_events(values: Mapping[str, float]) -> float:
    return ratio(sum(values.values()), len(values))


# --- priority F1 ----------------------------------------------------------------------------------


def macro_f1(true: Sequence[str], predicted: Sequence[str]) -> float:
    """The mean F1 of the levels that occur in truth or prediction; 0 if none does."""
    scores = []
    for level in sorted({*true, *predicted}):
        both = sum(t == p == level for t, p in zip(true, predicted, strict=True))
        scores.append(ratio(2 * both, true.count(level) + predicted.count(level)))
    return ratio(sum(scores), len(scores))


def priority_f1_types(
    labels: Sequence[Label], lines: Sequence[Line], ontology: Ontology
) -> dict[str, float]:
    """The macro F1 of levels over the posts labelled with each type; posts absent are Low."""
    said = by_post(lines)
    positions = in_first_event(known(labels, ontology))
    result = {}
    for name in ontology.types:
        true, predicted = [], []
        for label in positions:
            if name in label.types and label.priority in PRIORITIES:
                line = said.get(label.post)
                true.append(label.priority)
                predicted.append(level_of(line.importance) if line else "Low")
        result[name] = macro_f1(true, predicted)
    return result


def priority_f1_2021(
    labels: Sequence[Label], lines: Sequence[Line], ontology: Ontology
) -> dict[str, float]:
    """`priority.F1`: the sum over all types / their number; `(actionable)`: theirs / 6.

    Six is the number of actionable types, also where the ontology lacks some of them. A type that
    no post has adds 0.
    """
    each = priority_f1_types(labels, lines, ontology)
    urgent = sum(each[name] for name in group_of(ontology, "(actionable)"))
    return {
        "priority.F1": ratio(sum(each.values()), len(ontology.types)),
        "priority.F1(actionable)": ratio(urgent, len(ontology.actionable)),
    }


# --- Pearson's r ----------------------------------------------------------------------------------


def pearson(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Undefined for fewer than two pairs, and where either side is constant."""
    if len(xs) < 2 or min(xs) == max(xs) or min(ys) == max(ys):
        return None
    mean_x, mean_y = math.fsum(xs) / len(xs), math.fsum(ys) / len(ys)
    both = math.fsum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    var_x = math.fsum((x - mean_x) ** 2 for x in xs)
    var_y = math.fsum((y - mean_y) ** 2 for y in ys)
    if var_x == 0 or var_y == 0:
        return None
    return both / math.sqrt(var_x) / math.sqrt(var_y)


def guarded_pearson(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """The script's r of `ys`, the run's priorities: 0 if their mean deviation is exactly 0.

    So it asks after the mean of the deviations and not after their squares; whether that is exactly
    0 depends on the rounding of the mean, so the sums are the library's that the script used. An r
    that is then no number is undefined.
    """
    if not ys:
        return None
    if float(np.mean(np.array(ys) - np.mean(ys))) == 0.0:
        return 0.0
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        r = float(np.corrcoef(xs, ys)[0, 1])
    return None if math.isnan(r) else r


def pearson_types(
    labels: Sequence[Label], lines: Sequence[Line], ontology: Ontology, guarded: bool = False
) -> dict[str, float | None]:
    """r of the assessor's and the run's priority over the posts labelled with each type.

    The run's own scores are taken, not their levels; an absent post has 0.25. `guarded` is the
    script's form; the other is the correct one.
    """
    said = by_post(lines)
    positions = in_first_event(known(labels, ontology))
    result = {}
    for name in ontology.types:
        if name == UNCORRELATED:
            continue
        own = [p for p in positions if name in p.types and p.priority in PRIORITIES]
        true = [PRIORITIES[label.priority] for label in own]
        predicted = [said[p.post].importance if p.post in said else LOWEST for p in own]
        result[name] = (guarded_pearson if guarded else pearson)(true, predicted)
    return result


def pearson_2021(
    labels: Sequence[Label], lines: Sequence[Line], ontology: Ontology
) -> dict[str, float]:
    """The sums of r over the types but Other-Irrelevant; an undefined r adds 0.

    The text does not say what divides them. The official files do: `overall` divides by the types
    that are correlated (24; actionable 6, other 18), and its table, `(table)` here, by all 25.
    """
    found = pearson_types(labels, lines, ontology, guarded=True)
    each = {name: r or 0.0 for name, r in found.items()}
    values = {}
    for group in GROUPS:
        own = [name for name in group_of(ontology, group) if name in each]
        number = len(ontology.actionable) if group == "(actionable)" else len(own)
        values[f"priority.pearson{group}"] = ratio(sum(each[name] for name in own), number)
    values["priority.pearson(table)"] = ratio(sum(each.values()), len(ontology.types))
    return values
