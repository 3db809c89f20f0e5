"""Measures batch by batch, held to the slow reference; and what must hold of any ledger."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings

from tests import cases
from tests import strategies as st
from tests.families.temporal.test_temporal_properties import ALL, scored
from tests.oracles import batches as slow
from tests.oracles import temporal
from tseval.core import trends
from tseval.core.kernel import ALWAYS, Contributions, ratio
from tseval.core.registry import measures
from tseval.core.results import Batches, ContributionResult, cover
from tseval.families.temporal.evaluation import TemporalEvaluation
from tseval.io.names import ABSENT
from tseval.io.schema import ALL_TOPICS

pytestmark = pytest.mark.small_times

LENGTHS = st.sampled_from([1, 2, 3, 5, 40])
TRACK = (
    *("updates", "EG", "nEG", "ELG", "nELG", "C", "LC", "HM", "V", "L"),
    *("cbEG", "cbnEG", "cbELG", "cbnELG", "cbC", "cbLC", "cbHM", "cbV", "cbL"),
)


def series(
    evaluation: TemporalEvaluation, names: list[str], length: float, undefined: str = "skip"
) -> dict[str, trends.Series]:
    """By topic, the mean too."""
    topics = [*evaluation.index.topics, ALL_TOPICS]
    zero = undefined == "zero"
    drawn = trends.batch_series(evaluation, measures(names), length, topics, undefined_as_zero=zero)
    return {each.topic: each for each in drawn}


@given(cases.collections(), LENGTHS, st.booleans(), st.sampled_from(("skip", "zero")))
def test_batches_are_the_slow_ones(
    collection: temporal.Collection, length: int, duplicates: bool, undefined: str
) -> None:
    evaluation = cases.evaluation(collection, duplicates=duplicates)
    known = collection if duplicates else replace(collection, duplicates=())
    told = series(evaluation, list(ALL), length, undefined)
    for r, run in enumerate(evaluation.index.runs):
        number: list[list[int]] = []
        for topic in evaluation.index.topics:
            case, cut = slow.of_topic(known, run, topic, length)
            number.append(slow.sent(case, cut))
            assert told[topic].start == cut[0][0]
            assert told[topic].weights[r].tolist() == pytest.approx(slow.shares(number[-1]))
            for m, name in enumerate(ALL):
                agree(told[topic], r, m, slow.series(case, temporal.parse(name), cut))
        longest = max(map(len, number))
        together = [sum(each[i] for each in number if i < len(each)) for i in range(longest)]
        assert told[ALL_TOPICS].weights[r].tolist() == pytest.approx(slow.shares(together))
        for m, name in enumerate(ALL):
            mean = slow.mean(known, run, temporal.parse(name), length, undefined)
            agree(told[ALL_TOPICS], r, m, mean)


def agree(told: trends.Series, run: int, measure: int, expected: list[temporal.Value]) -> None:
    defined, value = (getattr(told.values, name)[run, measure] for name in ("defined", "value"))
    found = np.where(defined, value, np.nan).tolist()
    assert len(found) == len(expected)
    assert all(map(slow.close, found, expected)), (told.topic, told.measures[measure])


@given(cases.collections(costs=False))
@settings(max_examples=40)
def test_one_batch_of_everything_is_the_score(collection: temporal.Collection) -> None:
    """Of all measures that a batch has a meaning for, by any rule."""
    early = replace(collection, starts=dict.fromkeys(collection.starts, 0))
    evaluation = cases.evaluation(early)
    names = [*ALL, *TRACK]
    told, scores = series(evaluation, names, 40), scored(evaluation, names)
    for topic, each in told.items():
        assert each.hours.tolist() == [0]
        for r, run in enumerate(scores.runs):
            for m, name in enumerate(names):
                expected = scores.value(name, topic, run)
                agree(each, r, m, [expected])


@given(cases.collections(), LENGTHS)
@settings(max_examples=30)
def test_a_run_is_the_same_beside_others(collection: temporal.Collection, length: int) -> None:
    together = cases.evaluation(collection)
    for r, run in enumerate(together.index.runs):
        own = [update for update in collection.updates if update.run == run]
        matched = {(update.topic, update.update_id) for update in own}
        left = [m for m in collection.matches if (m.topic, m.update_id) in matched]
        alone = cases.evaluation(replace(collection, updates=own, matches=left, duplicates=()))
        if cases.has_costs(replace(collection, updates=own)) != cases.has_costs(collection):
            continue
        here, there = (series(each, ["P", "R", "T"], length) for each in (together, alone))
        for topic in here:
            assert np.array_equal(here[topic].values.value[r], there[topic].values.value[0])
            assert np.array_equal(here[topic].weights[r], there[topic].weights[0])


TIMES = st.one_of(
    st.integers(-5, 30).map(float), st.floats(-5, 30), st.just(ALWAYS), st.just(np.inf)
)
DATED = st.lists(st.tuples(st.integers(0, 2), TIMES, st.integers(-3, 9)), max_size=30)
LONG = st.sampled_from([0.1, 0.7, 1.0, 1 / 3, 3.0, 86.4])


UNITS = pl.DataFrame({"run": np.zeros(3, int), "topic": np.arange(3)})


def amounts(rows: list[tuple[int, float, int]], name: str) -> pl.DataFrame:
    types = {"topic": pl.Int64, "time": pl.Float64, name: pl.Float64}
    return pl.DataFrame(rows, types, orient="row").with_columns(run=pl.lit(0, pl.Int64))


@given(DATED, LONG, st.lists(st.integers(1, 60), min_size=3, max_size=3), st.floats(-3, 9))
def test_batches_share_out_a_ledger(
    rows: list[tuple[int, float, int]], length: float, number: list[int], start: float
) -> None:
    """What is dated in the period is in one batch; what is not, in none; and always is in all."""
    cut = Batches(np.full(3, start), length, np.array(number))
    given_ = amounts(rows, "value")
    lasting = np.zeros(3)
    for unit, time, amount in rows:
        lasting[unit] += amount * (time == ALWAYS)
    sums = ContributionResult(Contributions([given_], lambda sums: sums), UNITS)
    dated = sums.within(cut).value - lasting[:, np.newaxis] * cut.present
    edges = start + np.arange(cut.most + 1) * length
    for unit in range(3):
        own = edges[: number[unit] + 1]
        until = [sums.before(np.full(3, edge)).value[unit] for edge in own]
        assert dated[unit, : number[unit]] == pytest.approx(np.diff(until))
        assert not dated[unit, number[unit] :].any()
        assert dated[unit].sum() == pytest.approx(until[-1] - until[0])


@given(DATED, DATED, LONG)
def test_a_part_of_the_time_is_an_account_of_its_own(
    above: list[tuple[int, float, int]], below: list[tuple[int, float, int]], length: float
) -> None:
    """The same as the whole measure of the amounts of a batch and of those that hold always."""
    cut = Batches(np.zeros(3), length, np.array([1, 7, 4]))
    both = {"above": above, "below": below}

    def share(batch: tuple[float, float] | None) -> ContributionResult:
        tables = []
        for name, rows in both.items():
            every = [(unit, time, abs(n)) for unit, time, n in rows]
            if batch is not None:
                every = [e for e in every if e[1] == ALWAYS or batch[0] <= e[1] < batch[1]]
            tables.append(amounts(every, name))
        return ContributionResult(Contributions(tables, ratio()), UNITS)

    told = share(None).within(cut)
    for batch in range(7):
        begin, end = batch * length, (batch + 1) * length
        alone = share((begin, end)).before(np.full(3, np.inf))
        here = cut.present[:, batch]
        assert (told.defined[:, batch] == (alone.defined & here)).all()
        assert told.value[here, batch] == pytest.approx(alone.value[here])


@given(st.floats(-1e9, 1e9), st.floats(0, 1e4), LONG)
def test_the_latest_of_the_gold_is_in_a_batch(start: float, lasted: float, length: float) -> None:
    starts, latest = np.array([start]), np.array([start + lasted])
    cut = cover(starts, latest, latest, length)
    assert cut.of(np.zeros(1, int), latest) != ABSENT
