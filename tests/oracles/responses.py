"""Responses with graded labels, slow and obvious: the words of the specification.

A response is a time (None without) and a list of (text, importance, label); a list of gold is
(text, importance, time). Nothing here is shared with the program.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

WORTH = {"support": 1.0, "partial_support": 0.5}
WEIGHTS = {"vital": 1.0, "okay": 0.5}
SIX = ("strict_vital", "vital", "strict_all", "all", "strict_weighted", "weighted")


class Label(NamedTuple):
    """What a response says of a nugget."""

    text: str
    importance: str
    label: str | None


class Listed(NamedTuple):
    """A nugget of the file of nuggets."""

    text: str
    importance: str
    time: float | None


class Response(NamedTuple):
    """An answer of a run to a topic."""

    time: float | None
    labels: tuple[Label, ...]


@dataclass(frozen=True)
class Reading:
    """The rules by their names."""

    labels: str = "lenient"
    duplicates: str = "count"
    versions: str = "append"
    denominator: str = "all"


def worth(label: str | None, labels: str) -> float:
    """What a label is worth."""
    if label is None:
        return 0.0
    return WORTH.get(label.strip().lower() if labels == "lenient" else label, 0.0)


def named(texts: Sequence[str], duplicates: str) -> list[tuple[str, int]]:
    """Each text with how often it stood before."""
    return [
        (text, 0 if duplicates == "merge" else list(texts[:at]).count(text))
        for at, text in enumerate(texts)
    ]


def said(response: Response, reading: Reading) -> dict[tuple[str, int], float]:
    """What each nugget of a response is worth."""
    keys = named([each.text for each in response.labels], reading.duplicates)
    found: dict[tuple[str, int], float] = {}
    for key, each in zip(keys, response.labels, strict=True):
        found[key] = max(found.get(key, 0.0), worth(each.label, reading.labels))
    return found


def importances(pairs: Sequence[tuple[str, str]], duplicates: str) -> dict[tuple[str, int], str]:
    """The importance of each nugget of a list: that of the first of a name."""
    found: dict[tuple[str, int], str] = {}
    keys = named([text for text, _ in pairs], duplicates)
    for key, (_, importance) in zip(keys, pairs, strict=True):
        found.setdefault(key, importance)
    return found


def scored(
    values: dict[tuple[str, int], float], of: dict[tuple[str, int], str]
) -> dict[str, float]:
    """The six scores of a state: what is not said is worth 0."""
    chosen = {
        "vital": {key: 1.0 for key, word in of.items() if word == "vital"},
        "all": dict.fromkeys(of, 1.0),
        "weighted": {key: WEIGHTS[word] for key, word in of.items() if word in WEIGHTS},
    }
    scores = {}
    for name, weights in chosen.items():
        below = sum(weights.values())
        graded = sum(weight * values.get(key, 0.0) for key, weight in weights.items())
        full = sum(weight for key, weight in weights.items() if values.get(key, 0.0) == 1.0)
        scores[name] = graded / below if below else 0.0
        scores[f"strict_{name}"] = full / below if below else 0.0
    return scores


def over_own_list(response: Response, reading: Reading) -> dict[str, float]:
    """The six scores of one response over its own list."""
    pairs = [(each.text, each.importance) for each in response.labels]
    return scored(said(response, reading), importances(pairs, reading.duplicates))


def over_file(
    responses: Sequence[Response], gold: Sequence[Listed], at: float, reading: Reading
) -> dict[str, float]:
    """The six scores at a time of the versions of a response over a file of nuggets."""
    of = importances([(each.text, each.importance) for each in gold], reading.duplicates)
    times: dict[tuple[str, int], float | None] = {}
    keys = named([each.text for each in gold], reading.duplicates)
    for key, each in zip(keys, gold, strict=True):
        times.setdefault(key, each.time)
    before = sorted(
        (each for each in responses if (-math.inf if each.time is None else each.time) < at),
        key=lambda each: -math.inf if each.time is None else each.time,
    )
    if reading.versions == "replace":
        before = before[-1:]
    state: dict[tuple[str, int], float] = {}
    for response in before:
        for key, value in said(response, reading).items():
            state[key] = max(state.get(key, 0.0), value)
    if reading.denominator == "known":
        of = {key: word for key, word in of.items() if _known(times[key], at)}
    return scored(state, of)


def _known(time: float | None, at: float) -> bool:
    return time is None or time < at


def lead(
    responses: Sequence[Response], gold: Sequence[Listed], at: float, reading: Reading, strict: bool
) -> float | None:
    """How many hours before their time nuggets are said."""
    above = below = 0.0
    keys = named([each.text for each in gold], reading.duplicates)
    seen = set()
    for key, nugget in zip(keys, gold, strict=True):
        if key in seen:
            continue
        seen.add(key)
        if nugget.time is None:
            continue
        best = 0.0
        for response in sorted(responses, key=lambda each: each.time or 0.0):
            if response.time is None or response.time >= at:
                continue
            value = said(response, reading).get(key, 0.0)
            value = float(value == 1.0) if strict else value
            if value > best:
                above += (value - best) * (nugget.time - response.time) / 3600
                below += value - best
                best = value
    return above / below if below else None


# Citations.


def support(sentences: Sequence[Sequence[int]]) -> dict[str, float]:
    """The six scores of the labels of citations."""
    weight = {2: 1.0, 1: 0.5, 0: 0.0}
    first: list[float] = []
    hard: list[float] = []
    mean: list[float] = []
    uncited = sum(not each for each in sentences)
    for each in sentences:
        if each and each[0] != -1:
            first.append(weight[each[0]])
            hard.append(float(each[0] == 2))
        judged = [weight[label] for label in each if label != -1]
        if judged:
            mean.append(sum(judged) / len(judged))
    names = {
        "weighted_{}_first_citation": first,
        "weighted_{}_all_judged_citations": mean,
        "hard_{}": hard,
    }
    labels = [label for each in sentences for label in each]
    rates = {"full_support": 2, "partial_support": 1, "no_support": 0, "not_judged": -1}
    found = {
        name: labels.count(label) / len(labels) if labels else 0.0 for name, label in rates.items()
    }
    for name, values in names.items():
        found[name.format("precision")] = sum(values) / len(values) if values else 0.0
        number = len(values) + uncited
        found[name.format("recall")] = sum(values) / number if number else 0.0
    return found


# Rubrics, annotations.


def rubric(criteria: Sequence[tuple[float, str | None]], full_alone: bool) -> float | None:
    """What of the positive weights is met; None is an answer that is missing, which is left out."""
    worths = {"satisfied": 1.0, "partially_satisfied": 0.0 if full_alone else 0.5}
    answered = [(weight, verdict) for weight, verdict in criteria if verdict is not None]
    below = sum(weight for weight, _ in answered if weight > 0)
    above = sum(weight * worths.get(verdict, 0.0) for weight, verdict in answered)
    return above / below if below else None


def unsatisfied(criteria: Sequence[tuple[str, str | None]], full_alone: bool) -> int:
    """How many mandatory criteria (tier, verdict) were answered and are not satisfied."""
    met = {"satisfied"} if full_alone else {"satisfied", "partially_satisfied"}
    return sum(
        tier == "mandatory" and verdict is not None and verdict not in met
        for tier, verdict in criteria
    )


def annotated(
    questions: Sequence[tuple[float, Sequence[str]]],
    labels: Sequence[tuple[str, str, float]],
    at: float,
) -> tuple[float, float]:
    """The supportive and the contradictory score at a time, of labels (answer, label, time)."""
    order = ("none", "partial", "supports", "contradicts")
    both = [0.0, 0.0]
    for weight, answers in questions:
        labelled = [answer for answer in answers if any(answer == each[0] for each in labels)]
        for answer in labelled:
            own = [order.index(each) for a, each, time in labels if a == answer and time < at]
            best = order[max(own, default=0)]
            value = {"supports": 1.0, "partial": 0.5}.get(best, 0.0)
            both[0] += weight * value / len(labelled)
            both[1] += weight * float(best == "contradicts") / len(labelled)
    total = sum(weight for weight, _ in questions)
    return (both[0] / total, both[1] / total) if total else (0.0, 0.0)


# Reports.


class Judged(NamedTuple):
    """A sentence of a report: its time, how many citations, how many attest it, and its answers."""

    time: float
    citations: int
    attested: int
    answers: tuple[tuple[str, str], ...]


class Asked(NamedTuple):
    """A question of the bank."""

    text: str
    answers: frozenset[str]
    every: bool
    vital: bool


def counts(
    versions: Sequence[Sequence[Judged]], bank: Sequence[Asked], at: float, replace: bool
) -> dict[str, float]:
    """The counts of a report at a time, of its sentences before; or of the newest version's."""
    begun = [own for own in versions if own and min(each.time for each in own) < at]
    if replace and begun:
        begun = [max(begun, key=lambda own: min(each.time for each in own))]
    said = [each for own in begun for each in own if each.time < at]
    correct = []
    for question in bank:
        matched = {a for each in said for text, a in each.answers if text == question.text}
        if matched == question.answers if question.every else matched:
            correct.append(question)
    return {
        "sentences": len(said),
        "citations": sum(each.citations for each in said),
        "supporting_citations": sum(each.attested for each in said),
        "cited": sum(each.citations > 0 for each in said),
        "correctly": sum(0 < each.citations == each.attested for each in said),
        "nuggets": len(bank),
        "correct": len(correct),
        "nuggets_weighted": sum(2 if each.vital else 1 for each in bank),
        "correct_weighted": sum(2 if each.vital else 1 for each in correct),
    }


COUNTED = tuple(counts((), (), 0.0, replace=False))
"""What is counted."""


def report(of: dict[str, float]) -> dict[str, float]:
    """The quotients of counts, of one topic or summed over several."""
    support = of["correctly"] / of["cited"] if of["cited"] else 0.0
    found = {
        "sentence_support": support,
        "citation_support": of["supporting_citations"] / of["citations"]
        if of["citations"]
        else 0.0,
    }
    for suffix in ("", "_weighted"):
        below = of[f"nuggets{suffix}"]
        coverage = of[f"correct{suffix}"] / below if below else 0.0
        found[f"nugget_coverage{suffix}"] = coverage
        both = support + coverage
        found[f"f1{suffix}"] = 2 * support * coverage / both if both else 0.0
    return found
