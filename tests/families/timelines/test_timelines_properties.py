"""Timelines, held to the slow reference."""

from __future__ import annotations

import json
import random
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tseval
from tests.oracles import timelines as oracle
from tseval.families.timelines.alignment import Ties, choices, one_to_one
from tseval.families.timelines.tally import AGREEMENT, ALIGNED, CONCAT
from tseval.families.timelines.words import ORIGINAL, REIMPL, Wording

FIRST = date(2024, 2, 27).toordinal()
WORDS = st.sampled_from(
    ["flood", "floods", "dam", "the", "city", ".", "()", "'s", "Rescue", "rescue", "two-day", "São"]
)
SENTENCE = st.lists(WORDS, max_size=5).map(" ".join)
SUMMARY = st.lists(SENTENCE, max_size=2)
TIMELINE = st.dictionaries(st.integers(0, 6), SUMMARY, max_size=4)
WORLD = st.tuples(TIMELINE, st.lists(TIMELINE, min_size=1, max_size=3))
VALUES = ("P", "R", "F")


def written(timeline: oracle.Summaries) -> list[list[object]]:
    return [[date.fromordinal(FIRST + day).isoformat(), each] for day, each in timeline.items()]


def scored(
    worlds: list[tuple[oracle.Summaries, list[oracle.Summaries]]],
    measures: list[str],
    rules: dict[str, str],
    undefined: str = "skip",
) -> tseval.Scores:
    with TemporaryDirectory() as folder:
        system, gold = Path(folder) / "system.jsonl", Path(folder) / "gold.jsonl"
        with system.open("w") as own, gold.open("w") as other:
            for number, (predicted, references) in enumerate(worlds):
                topic = f"t{number}"
                own.write(json.dumps({"topic": topic, "timeline": written(predicted)}) + "\n")
                for each in references:
                    other.write(json.dumps({"topic": topic, "timeline": written(each)}) + "\n")
        return tseval.score_timelines(system, gold, measures, rules=rules, undefined=undefined)


def expected(
    metric: str,
    predicted: oracle.Summaries,
    references: list[oracle.Summaries],
    words: Wording,
    n: int,
) -> oracle.Score:
    if metric == CONCAT:
        return oracle.concat(predicted, references, words.tokens, n)
    if metric == AGREEMENT:
        return oracle.agreement(predicted, references, words.tokens, n)
    return oracle.aligned(metric, predicted, references, words.tokens, n)


@given(st.lists(WORLD, min_size=1, max_size=3), st.sampled_from([ORIGINAL, REIMPL]), st.booleans())
def test_every_measure(
    worlds: list[tuple[oracle.Summaries, list[oracle.Summaries]]], backend: str, plain: bool
) -> None:
    rules = {"backend": backend}
    rules |= {"stem": "no", "stop-words": "kept"} if plain else {}
    metrics = (CONCAT, AGREEMENT, *ALIGNED)
    rouge = [f"{m}(rouge_{n},{v})" for m in metrics for n in (1, 2) for v in VALUES]
    scores = scored(worlds, [*(f"dates({value})" for value in VALUES), *rouge], rules)
    words = Wording(backend, not plain, not plain)
    for number, (predicted, references) in enumerate(worlds):
        topic = f"t{number}"
        wanted = {"dates({})": oracle.dates(predicted, references)} | {
            f"{metric}(rouge_{n},{{}})": expected(metric, predicted, references, words, n)
            for metric in metrics
            for n in (1, 2)
        }
        for name, score in wanted.items():
            for value, right in zip(VALUES, (score.precision, score.recall, score.f), strict=True):
                found = scores.value(name.format(value), topic)
                assert (found is None) == (right is None), (name, value)
                assert right is None or found == pytest.approx(float(right), abs=1e-12)


@given(st.lists(WORLD, min_size=1, max_size=4), st.sampled_from(["skip", "zero"]))
def test_f_over_all_topics_is_that_of_the_means(
    worlds: list[tuple[oracle.Summaries, list[oracle.Summaries]]], undefined: str
) -> None:
    every = [oracle.dates(*world) for world in worlds]
    used = [each for each in every if undefined == "zero" or each.f is not None]
    value = scored(worlds, ["dates"], {}, undefined).value("dates")
    if not used:
        assert value is None
        return
    precision = sum(float(each.precision or 0) for each in used) / len(used)
    recall = sum(float(each.recall or 0) for each in used) / len(used)
    both = precision + recall
    assert value == pytest.approx(2 * precision * recall / both if both else 0)


COSTS = st.sampled_from([0.0, 0.25, 0.5, 0.5, 2 / 3, 1.0])


@given(st.integers(1, 4), st.integers(1, 4), st.data())
def test_alignments_and_ties(rows: int, columns: int, data: st.DataObject) -> None:
    cost = [[data.draw(COSTS) for _ in range(columns)] for _ in range(rows)]
    gain = np.array([[data.draw(st.integers(0, 9)) for _ in range(columns)] for _ in range(rows)])
    found = one_to_one(np.array(cost))
    assert [None if each < 0 else each for each in found.tolist()] == oracle.assignment(cost)
    ties = Ties(np.array(cost), found)
    every = oracle.best(cost)
    assert len(every) == 1 or not ties.surely_one
    sums = [sum(int(gain[row, column]) for row, column in each.items()) for each in every]
    span = ties.range_of(gain.astype(float))
    assert (span.low, span.high) == pytest.approx((min(sums), max(sums)))
    free = [
        [g for c, g in zip(costs, gains, strict=True) if c < min(costs) + 1e-9]
        for costs, gains in zip(cost, gain.tolist(), strict=True)
    ]
    span = choices(np.array(cost), gain.astype(float))
    assert (span.low, span.high) == (sum(map(min, free)), sum(map(max, free)))


@given(WORLD, st.integers())
def test_the_order_of_entries_and_references_means_nothing(
    world: tuple[oracle.Summaries, list[oracle.Summaries]], seed: int
) -> None:
    predicted, references = world
    shuffled = list(predicted.items())
    random.Random(seed).shuffle(shuffled)
    both = [world, (dict(shuffled), references[::-1])]
    scores = scored(both, [f"{metric}(rouge_1)" for metric in (CONCAT, AGREEMENT, *ALIGNED)], {})
    for name in scores.measures:
        assert scores.value(name, "t0") == scores.value(name, "t1")
