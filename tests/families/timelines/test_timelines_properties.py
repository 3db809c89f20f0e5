"""Timelines, held to the slow reference."""

from __future__ import annotations

import json
import random
from datetime import date
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import tseval
from tests import strategies as st
from tests.families.timelines.words import tokens
from tests.oracles import timelines as oracle
from tseval.core.calling import CommonOptions
from tseval.core.calling import evaluated as called
from tseval.core.registry import measures
from tseval.core.scoring import scores_of
from tseval.families.timelines.alignments import (
    cheapest_span,
    one_to_one,
    tight_edges,
    tight_span,
)
from tseval.families.timelines.explain import Draws
from tseval.families.timelines.family import (
    FAMILY,
    TimelineEvaluation,
    TimelineInputs,
    TimelineOptions,
)
from tseval.families.timelines.rows import AGREEMENT, ALIGNED, CONCAT
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
    words: oracle.Tokenise,
    n: int,
) -> oracle.Score:
    if metric == CONCAT:
        return oracle.concat(predicted, references, words, n)
    if metric == AGREEMENT:
        return oracle.agreement(predicted, references, words, n)
    return oracle.aligned(metric, predicted, references, words, n)


@given(st.lists(WORLD, min_size=1, max_size=3), st.sampled_from([ORIGINAL, REIMPL]), st.booleans())
def test_every_measure(
    worlds: list[tuple[oracle.Summaries, list[oracle.Summaries]]], backend: str, plain: bool
) -> None:
    rules = {"backend": backend}
    rules |= {"stem": "no", "stop-words": "kept"} if plain else {}
    metrics = (CONCAT, AGREEMENT, *ALIGNED)
    rouge = [f"{m}(rouge_{n},{v})" for m in metrics for n in (1, 2) for v in VALUES]
    scores = scored(worlds, [*(f"dates({value})" for value in VALUES), *rouge], rules)
    words = partial(tokens, Wording(backend, not plain, not plain))
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


@given(WORLD, st.integers(0, 4))
def test_dates_that_may_be_some_days_apart(
    world: tuple[oracle.Summaries, list[oracle.Summaries]], within: int
) -> None:
    right = oracle.dates_within(*world, within)
    names = [f"dates({value},within={within})" for value in VALUES]
    scores = scored([world], names, {})
    for name, value in zip(names, (right.precision, right.recall, right.f), strict=True):
        assert scores.value(name, "t0") == (None if value is None else pytest.approx(float(value)))


START = (FIRST - date(1970, 1, 1).toordinal()) * 86400
NONEMPTY = st.dictionaries(
    st.integers(0, 6), st.lists(SENTENCE, min_size=1, max_size=2), min_size=1
)


@given(
    NONEMPTY,
    st.lists(NONEMPTY, min_size=1, max_size=2),
    st.dictionaries(st.integers(0, 6), st.lists(st.integers(-24, 200), min_size=2, max_size=2)),
    st.integers(-30, 220),
)
def test_values_before_a_time(
    predicted: oracle.Summaries,
    references: list[oracle.Summaries],
    published: dict[int, list[int]],
    until: int,
) -> None:
    """Of each day its summary is there with its last sentence; without a time, on its day."""
    rows, there = [], {}
    for day, sentences in predicted.items():
        hours = [published[day][at] if day in published else None for at in range(len(sentences))]
        known = [START + hour * 3600 for hour in hours if hour is not None]
        there[day] = max(known, default=START + day * 86400)
        for sentence, hour in zip(sentences, hours, strict=True):
            time = None if hour is None else START + hour * 3600
            rows.append(("t", date.fromordinal(FIRST + day).isoformat(), sentence, time))
    system = pd.DataFrame(rows, columns=["topic", "date", "text", "published"])
    system["published"] = system["published"].astype("Int64")
    gold = pd.DataFrame(
        [
            ("t", date.fromordinal(FIRST + day).isoformat(), sentence, f"r{at}")
            for at, reference in enumerate(references)
            for day, sentences in reference.items()
            for sentence in sentences
        ],
        columns=["topic", "date", "text", "timeline"],
    )
    words = partial(tokens, Wording(ORIGINAL))
    metrics = ("dates", AGREEMENT, *ALIGNED)
    bare = {m: f"{m}({{}})" if m == "dates" else f"{m}(rouge_1,{{}})" for m in metrics}
    moment = START + until * 3600
    every = [name.format(value) for name in bare.values() for value in VALUES]
    scores = tseval.score_timelines(system, gold, [*every, *(f"{e}@{moment}" for e in every)])
    far = tseval.score_timelines(system, gold, [f"{each}@{START + 10**7}" for each in every])
    for metric, name in bare.items():
        given = predicted, references, words, 1, there
        right = oracle.before(metric, *given, moment)
        for value, wanted in zip(VALUES, (right.precision, right.recall, right.f), strict=True):
            assert wanted is not None
            found = scores.value(f"{name.format(value)}@{moment}", "t")
            assert found == pytest.approx(float(wanted), abs=1e-12)
            whole = scores.value(name.format(value), "t")
            assert far.value(f"{name.format(value)}@{START + 10**7}", "t") == pytest.approx(whole)


def evaluated(
    runs: list[list[oracle.Summaries]], gold: list[list[oracle.Summaries]], rules: dict[str, str]
) -> TimelineEvaluation:
    """Two systems on topics of which each has its references."""

    def rows(timelines: list[list[oracle.Summaries]]) -> pd.DataFrame:
        columns = ["topic", "timeline", "date", "text"]
        found = [
            (f"t{topic}", f"r{at}", date.fromordinal(FIRST + day).isoformat(), sentence)
            for topic, several in enumerate(timelines)
            for at, timeline in enumerate(several)
            for day, sentences in timeline.items()
            for sentence in sentences
        ]
        return pd.DataFrame(found, columns=columns)

    systems = pd.concat(
        [
            rows([[each] for each in own]).assign(run=name)
            for own, name in zip(runs, "ab", strict=True)
        ]
    )
    systems["timeline"] = "r0"
    found: TimelineEvaluation = called(
        FAMILY,
        TimelineInputs([systems], rows(gold)),
        TimelineOptions(),
        CommonOptions(rules=rules),
    )
    return found


AVERAGES = [
    {},
    {"average": "AVG-F"},
    {"protocol": "PROTOCOL-1"},
    {"protocol": "PROTOCOL-1", "average": "TOPIC-MACRO"},
]


@given(
    st.lists(
        st.tuples(NONEMPTY, NONEMPTY, st.lists(NONEMPTY, min_size=1, max_size=2)),
        min_size=2,
        max_size=3,
    ),
    st.sampled_from(AVERAGES),
    st.data(),
)
@settings(max_examples=25)
def test_a_draw_is_a_world_with_the_topics_that_were_drawn(
    worlds: list[tuple[oracle.Summaries, oracle.Summaries, list[oracle.Summaries]]],
    rules: dict[str, str],
    data: st.DataObject,
) -> None:
    """Each draw, and each way to swap two runs, is what scoring files made so gives."""
    number, names = len(worlds), ["dates", "align", "align(P)", "concat(R)"]
    wanted = tuple(measures(names, "timelines"))

    def sums(chosen: list[tuple[oracle.Summaries, oracle.Summaries, list[oracle.Summaries]]]):  # type: ignore[no-untyped-def]
        first, second, gold = zip(*chosen, strict=True)
        evaluation = evaluated([list(first), list(second)], list(gold), rules)
        scores = scores_of(evaluation, wanted, "zero")
        sides = [each.filter("used") for each in evaluation.sides(scores, wanted)]
        draws = [
            [Draws.of(evaluation, each, own.filter(run=run)) for run in "ab"]
            for each, own in zip(wanted, sides, strict=True)
        ]
        return draws, scores

    whole, scores = sums(worlds)
    drawn = data.draw(st.lists(st.integers(0, number - 1), min_size=number, max_size=number))
    again, other = sums([worlds[each] for each in drawn])
    times = np.bincount(drawn, minlength=number)[None, :]
    swap = np.array(data.draw(st.lists(st.booleans(), min_size=number, max_size=number)))
    turned = [(b, a, g) if s else (a, b, g) for s, (a, b, g) in zip(swap, worlds, strict=True)]
    swapped = sums(turned)[1]
    for at, name in enumerate(scores.measures):
        for run, code in (("a", 0), ("b", 1)):
            one = float(whole[at][code].drawn(np.ones((1, number), np.int64))[0])
            _same(one, scores.value(name, "all", run))
            _same(float(whole[at][code].drawn(times)[0]), other.value(name, "all", run))
        values = [swapped.value(name, "all", run) for run in "ab"]
        if all(scores.defined[:, :, at].ravel()):
            apart = float(whole[at][0].differ(whole[at][1], swap[None, :].astype(np.int64))[0])
            _same(apart, None if None in values else values[0] - values[1])  # type: ignore[operator]
    assert len(again) == len(names)


def _same(found: float, wanted: float | None) -> None:
    assert np.isnan(found) if wanted is None else found == pytest.approx(wanted, abs=1e-12)


COSTS = st.sampled_from([0.0, 0.25, 0.5, 0.5, 2 / 3, 1.0])


@given(st.integers(1, 4), st.integers(1, 4), st.data())
def test_alignments_and_ties(rows: int, columns: int, data: st.DataObject) -> None:
    cost = [[data.draw(COSTS) for _ in range(columns)] for _ in range(rows)]
    gain = np.array([[data.draw(st.integers(0, 9)) for _ in range(columns)] for _ in range(rows)])
    found = one_to_one(np.array(cost))
    assert [None if each < 0 else each for each in found.tolist()] == oracle.assignment(cost)
    tight = tight_edges(np.array(cost), found)
    every = oracle.best(cost)
    pairs = tight[:rows, :columns]
    assert len(every) == 1 or np.count_nonzero(pairs) > min(rows, columns)
    sums = [sum(int(gain[row, column]) for row, column in each.items()) for each in every]
    assert tight_span(tight, gain.astype(float)) == pytest.approx((min(sums), max(sums)))
    free = [
        [g for c, g in zip(costs, gains, strict=True) if c < min(costs) + 1e-9]
        for costs, gains in zip(cost, gain.tolist(), strict=True)
    ]
    span = cheapest_span(np.array(cost), gain.astype(float))
    assert span == (sum(map(min, free)), sum(map(max, free)))


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
