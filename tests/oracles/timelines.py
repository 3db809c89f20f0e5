"""Timeline measures, slow and obvious, written from the specification.

How texts become tokens is not told here: that is held to the original's own stems and counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

Tokens: TypeAlias = list[str]
Summaries: TypeAlias = dict[int, list[str]]
"""The sentences of each day."""
Tokenise: TypeAlias = Callable[[Sequence[str]], Tokens]
PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
Alignment: TypeAlias = list[int | None]


@dataclass
class Score:
    """Precision, recall and F as fractions; None of all three where tilse raises an error."""

    precision: Fraction | None
    recall: Fraction | None

    @property
    def f(self) -> Fraction | None:
        if self.precision is None or self.recall is None:
            return None
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else Fraction(0)


ERROR = Score(None, None)


def grams(tokens: Tokens, n: int) -> dict[tuple[str, ...], int]:
    found: dict[tuple[str, ...], int] = {}
    for start in range(len(tokens) - n + 1):
        gram = tuple(tokens[start : start + n])
        found[gram] = found.get(gram, 0) + 1
    return found


def counts(summary: Tokens, references: list[Tokens], n: int) -> tuple[int, int, int]:
    """Hits, what the summary has for each reference, and what the references have."""
    own = grams(summary, n)
    hits = model = 0
    for reference in references:
        other = grams(reference, n)
        for gram, times in own.items():
            hits += min(times, other.get(gram, 0))
        model += sum(other.values())
    return hits, len(references) * sum(own.values()), model


def share(above: Fraction | int, below: int) -> Fraction:
    return Fraction(above) / below if below else Fraction(0)


def all_days(references: list[Summaries]) -> list[int]:
    return sorted({day for reference in references for day in reference})


def dates(predicted: Summaries, references: list[Summaries]) -> Score:
    own, other = set(predicted), set(all_days(references))
    if not own or not other:
        return ERROR
    both = len(own & other)
    return Score(Fraction(both, len(own)), Fraction(both, len(other)))


def concat(predicted: Summaries, references: list[Summaries], tokens: Tokenise, n: int) -> Score:
    def joined(timeline: Summaries) -> Tokens:
        return [token for day in sorted(timeline) for token in tokens(timeline[day])]

    hits, own, other = counts(joined(predicted), [joined(each) for each in references], n)
    if not own or not other:
        return ERROR
    return Score(Fraction(hits, own), Fraction(hits, other))


def of_day(
    predicted: Summaries,
    references: list[Summaries],
    days: tuple[int, int],
    tokens: Tokenise,
    n: int,
) -> tuple[int, int, int]:
    """The counts of a predicted day beside a day of the references."""
    own, other = days
    return counts(
        tokens(predicted.get(own, [])), [tokens(each.get(other, [])) for each in references], n
    )


def agreement(predicted: Summaries, references: list[Summaries], tokens: Tokenise, n: int) -> Score:
    hits = own = other = 0
    for day in sorted(set(predicted) | set(all_days(references))):
        shared, peer, model = of_day(predicted, references, (day, day), tokens, n)
        hits, own, other = hits + shared, own + peer, other + model
    return Score(share(hits, own), share(hits, other))


def closeness(predicted: Summaries, references: list[Summaries], own: int, other: int) -> float:
    def plain(sentences: Sequence[str]) -> Tokens:
        return [t for sentence in sentences for t in sentence.split() if t not in PUNCTUATION]

    hits, peer, model = of_day(predicted, references, (own, other), plain, 1)
    precision = hits / peer if peer else 0.0
    recall = hits / model if model else 0.0
    if precision + recall == 0:
        return 0.0
    return ((2 * precision) * recall) / (precision + recall)


def cost_matrix(
    predicted: Summaries, references: list[Summaries], *, with_words: bool
) -> list[list[float]]:
    matrix = []
    for own in sorted(predicted):
        row = []
        for other in all_days(references):
            cost = 1 - 1 / (abs(own - other) + 1)
            if with_words:
                cost *= 1 - closeness(predicted, references, own, other)
            row.append(cost)
        matrix.append(row)
    return matrix


def aligned(
    metric: str,
    predicted: Summaries,
    references: list[Summaries],
    tokens: Tokenise,
    n: int,
) -> Score:
    own, other = sorted(predicted), all_days(references)
    many = metric == "align_date_content_costs_many_to_one"
    if not own and not other and many:
        return Score(Fraction(0), Fraction(0))
    if not own or not other:
        return ERROR
    cost = cost_matrix(predicted, references, with_words=metric != "align_date_costs")
    solve = smallest if many else assignment
    forth, back = solve(cost), solve(turned(cost))

    def gain(i: int, j: int) -> Fraction:
        hits, _, _ = of_day(predicted, references, (own[i], other[j]), tokens, n)
        return Fraction(hits, abs(own[i] - other[j]) + 1)

    peer = sum(counts(tokens(predicted[day]), [[]], n)[1] for day in own) * len(references)
    model = sum(of_day(predicted, references, (own[0], day), tokens, n)[2] for day in other)
    precise = sum((gain(i, j) for i, j in enumerate(forth) if j is not None), Fraction(0))
    recalled = sum((gain(i, j) for j, i in enumerate(back) if i is not None), Fraction(0))
    return Score(share(precise, peer), share(recalled, model))


def turned(matrix: list[list[float]]) -> list[list[float]]:
    return [list(column) for column in zip(*matrix, strict=True)]


def smallest(cost: list[list[float]]) -> Alignment:
    return [row.index(min(row)) for row in cost]


def assignment(cost: list[list[float]]) -> Alignment:
    """The assignment that scipy takes, step by step: SOLVE-11."""
    rows, columns = len(cost), len(cost[0])
    if columns < rows:
        found: Alignment = [None] * rows
        for column, row in enumerate(assignment(turned(cost))):
            assert row is not None
            found[row] = column
        return found
    u, v = [0.0] * rows, [0.0] * columns
    column_of: Alignment = [None] * rows
    row_of: Alignment = [None] * columns
    for current in range(rows):
        shortest, path = [math.inf] * columns, [0] * columns
        left = list(reversed(range(columns)))
        marked_rows, marked_columns = {current}, set[int]()
        least, row, sink = 0.0, current, None
        while sink is None:
            marked_rows.add(row)
            place, lowest = -1, math.inf
            for at, column in enumerate(left):
                reached = ((least + cost[row][column]) - u[row]) - v[column]
                if reached < shortest[column]:
                    shortest[column], path[column] = reached, row
                better = shortest[column] < lowest
                if better or (shortest[column] == lowest and row_of[column] is None):
                    lowest, place = shortest[column], at
            least, column = lowest, left[place]
            marked_columns.add(column)
            left[place] = left[-1]
            left.pop()
            owner = row_of[column]
            if owner is None:
                sink = column
            else:
                row = owner
        for each in marked_rows:
            own = column_of[each]
            u[each] += least if own is None else least - shortest[own]
        for each in marked_columns:
            v[each] -= least - shortest[each]
        while True:
            row = path[sink]
            row_of[sink] = row
            before = column_of[row]
            column_of[row] = sink
            if row == current:
                break
            assert before is not None
            sink = before
    return column_of


def best(cost: list[list[float]]) -> list[dict[int, int]]:
    """Every assignment of the least cost, found by trying all."""
    rows, columns = len(cost), len(cost[0])
    every: list[dict[int, int]] = [{}]
    for row in range(rows):
        longer = [
            {**each, row: column}
            for each in every
            for column in range(columns)
            if column not in each.values()
        ]
        every = longer if rows <= columns else [*every, *longer]
    every = [each for each in every if len(each) == min(rows, columns)]
    totals = [sum(cost[row][column] for row, column in each.items()) for each in every]
    return [each for each, total in zip(every, totals, strict=True) if total < min(totals) + 1e-9]


def dates_within(predicted: Summaries, references: list[Summaries], within: int) -> Score:
    """Dates that may be some days apart, each once: as many pairs as can be, by trying all."""
    own, other = sorted(predicted), all_days(references)
    if not own or not other:
        return ERROR

    def most(left: list[int], right: list[int]) -> int:
        if not left:
            return 0
        taken = [
            1 + most(left[1:], [each for each in right if each != day])
            for day in right
            if abs(day - left[0]) <= within
        ]
        return max([most(left[1:], right), *taken])

    both = most(own, other)
    return Score(Fraction(both, len(own)), Fraction(both, len(other)))


def before(
    metric: str,
    predicted: Summaries,
    references: list[Summaries],
    tokens: Tokenise,
    n: int,
    there: dict[int, float],
    until: float,
) -> Score:
    """A metric of what was there before a time; days are aligned as in the whole timeline."""
    own, other = sorted(predicted), all_days(references)
    known = [day for day in own if there[day] < until]
    if metric == "dates":
        both = len(set(known) & set(other))
        return Score(share(both, len(known)), share(both, len(other)))
    pairs_forth = {day: day for day in own if day in other}
    pairs_back = dict(pairs_forth)
    if metric != "agreement":
        cost = cost_matrix(predicted, references, with_words=metric != "align_date_costs")
        solve = smallest if metric.endswith("many_to_one") else assignment
        pairs_forth = {own[i]: other[j] for i, j in enumerate(solve(cost)) if j is not None}
        pairs_back = {other[j]: own[i] for j, i in enumerate(solve(turned(cost))) if i is not None}

    def gain(day: int, reference: int) -> Fraction:
        hits, _, _ = of_day(predicted, references, (day, reference), tokens, n)
        return Fraction(hits, abs(day - reference) + 1)

    precise = sum((gain(d, pairs_forth[d]) for d in known if d in pairs_forth), Fraction(0))
    recalled = sum((gain(d, r) for r, d in pairs_back.items() if d in known), Fraction(0))
    peer = sum(counts(tokens(predicted[day]), [[]], n)[1] for day in known) * len(references)
    model = sum(of_day(predicted, references, (own[0], day), tokens, n)[2] for day in other)
    return Score(share(precise, peer), share(recalled, model))
