"""The kernel: exact sums, and measures of dated contributions held to the slow reference."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings

from tests import strategies as st
from tests.oracles import kernel as slow
from tests.oracles.kernel import Row
from tests.toys.contributions import digest
from tseval.core import kernel
from tseval.core.kernel import ALWAYS, KEY, Contributions
from tseval.core.results import Changes, ContributionResult, Values

UNITS = [("a", "t1"), ("a", "t2"), ("b", "t1"), ("b", "t2")]
START = dict(zip(UNITS, (0.0, 2.0, 0.0, 2.0), strict=True))
TABLE = {"run": str, "topic": str, "part": str, "time": float, "amount": float}


def rows_of(name: str, *amounts: float) -> st.Strategy:
    return st.builds(
        Row,
        st.just(name),
        *(st.sampled_from(each) for each in ("ab", ["t1", "t2", "other"], "xyz")),
        st.sampled_from([ALWAYS, 0.0, 0.5, 2.0, 2.3, 2.9, 7.0, math.inf]),
        st.sampled_from(amounts),
    )


ROWS = st.lists(
    rows_of("above", 0.1, 0.3, 1e9, 1e-18, 3e-25, -1.0) | rows_of("below", 0.1, 0.7, 2.0, 0.0),
    max_size=25,
)


def table_of(rows: Sequence[Row], name: str = "") -> pl.DataFrame:
    """The contributions of a name, in a column of that name."""
    own = [row[1:] for row in rows if row.name == name]
    return pl.DataFrame(own, TABLE, orient="row").rename({"amount": name})


def contributions(rows: Sequence[Row], *, inner: bool) -> Contributions:
    tables = [table_of(rows, name) for name in ("above", "below")]
    if inner:
        return Contributions(tables, kernel.ratio(), inner=("part",))
    return Contributions([table.drop("part") for table in tables], kernel.ratio())


def units(**columns: Sequence[float]) -> pl.DataFrame:
    return pl.DataFrame(UNITS, KEY, orient="row").with_columns(
        **{name: pl.Series(values) for name, values in columns.items()}
    )


def agree(found: Sequence[float | None], expected: Sequence[Fraction | None]) -> None:
    assert [each is None for each in found] == [each is None for each in expected]
    for fast, exact in zip(found, expected, strict=True):
        if fast is not None:
            assert math.isclose(fast, exact, rel_tol=1e-12)


class TestMeasures:
    """Values, curves and batches are those of the slow reference."""

    @given(ROWS, st.booleans(), st.sampled_from([0.5, 2.1, 7.0, math.inf]))
    def test_values(self, rows: list[Row], inner: bool, time: float) -> None:
        c, before = contributions(rows, inner=inner), {unit: time + START[unit] for unit in UNITS}
        times = units(before=list(before.values()))
        found = kernel.value(c, units(), times)
        assert found.select(*KEY).rows() == UNITS
        agree(found["value"], [slow.value(rows, u, before[u], inner=inner) for u in UNITS])
        if time == math.inf:
            at_end = [row for row in rows if row.time < math.inf]
            last = kernel.value(contributions(at_end, inner=inner), units())
            assert last["value"].equals(found["value"])
        together = kernel.pooled(c, units(), times)
        assert together["run"].to_list() == ["a", "b"]
        expected = [slow.pooled(rows, UNITS, before, run, inner=inner) for run in "ab"]
        agree(together["value"], expected)

    @given(ROWS, st.booleans())
    def test_curves(self, rows: list[Row], inner: bool) -> None:
        c = contributions(rows, inner=inner)
        found = kernel.curve(c, units(), units(start=list(START.values())))
        expected = [slow.curve(rows, unit, START[unit], inner=inner) for unit in UNITS]
        rest = found.select(*KEY, "time").rows()
        assert rest == [(*u, t) for u, own in zip(UNITS, expected, strict=True) for t, _ in own]
        assert [UNITS[at] for at in found["unit"]] == found.select(*KEY).rows()
        agree(found["value"], [each for own in expected for _, each in own])

    @given(ROWS, st.booleans(), st.sampled_from([0.1, 0.3, 2.5]))
    def test_a_curve_has_the_values_of_its_times(
        self, rows: list[Row], inner: bool, later: float
    ) -> None:
        """To the last bit."""
        c = contributions(rows, inner=inner)
        steps = kernel.curve(c, units(), units(start=list(START.values())))
        times = units(before=[START[unit] + later for unit in UNITS])
        known = steps.join(times, on=KEY).filter(pl.col("time") < pl.col("before"))
        last = known.unique("unit", keep="last", maintain_order=True)
        assert last["value"].equals(kernel.value(c, units(), times)["value"])

    @given(ROWS, st.booleans(), st.sampled_from([0.1, 0.3, 0.45, 5.0]))
    def test_batches(self, rows: list[Row], inner: bool, length: float) -> None:
        number = [3, 8, 3, 8]
        c, cut = contributions(rows, inner=inner), units(start=list(START.values()), number=number)
        found = kernel.batches(c, cut, length)
        places = zip(UNITS, number, strict=True)
        assert found.select(*KEY, "batch").rows() == [(*u, k) for u, n in places for k in range(n)]
        expected = [
            each
            for unit, most in zip(UNITS, number, strict=True)
            for each in slow.batches(rows, [unit], START, length, most, inner=inner)
        ]
        agree(found["value"], expected)

    def test_any_name_of_an_amount_but_those_of_the_keys(self) -> None:
        """None is taken for a time, a start or a number of batches."""
        table = pl.DataFrame({"run": "a", "topic": "t1", "time": [0.5, 1.5], "before": 1.0})
        table = table.with_columns(start=pl.lit(2.0), number=pl.lit(4.0))
        names = pl.sum_horizontal("before", "start", "number")
        c = Contributions([table], lambda sums: sums.with_columns(value=names))
        every = pl.DataFrame({"run": ["a"], "topic": ["t1"], "start": [0.0], "number": [3]})
        at_one = every.select(*KEY, before=1.0)
        assert kernel.value(c, every, at_one)["value"].to_list() == [7.0]
        assert kernel.curve(c, every, every)["value"].to_list() == [0.0, 7.0, 14.0]
        assert kernel.batches(c, every, 1.0)["value"].to_list() == [7.0, 7.0, 0.0]
        together = kernel.side_by_side(c, every)
        assert kernel.value(together, every.with_columns(topic=pl.lit("")))["value"].item() == 14.0

    def test_all_topics_of_a_run_by_batch(self) -> None:
        """Each topic from its own start, until its own last batch."""
        rows = [
            Row(name, "a", topic, "x", time, amount)
            for name, topic, time, amount in [
                ("above", "t1", 0.5, 3.0),
                ("above", "t2", 2.5, 5.0),
                ("above", "t1", 2.5, 7.0),
                ("above", "t2", 4.5, 11.0),
                ("below", "t1", ALWAYS, 2.0),
            ]
        ]
        cut = units(start=list(START.values()), number=[2, 3, 2, 3])
        found = kernel.batches(contributions(rows, inner=False), cut, 1.0, ["run"])
        assert found.select("run", "batch", "value").rows() == [
            *(("a", 0, 4.0), ("a", 1, 0.0), ("a", 2, 5.5)),
            *(("b", batch, None) for batch in range(3)),
        ]

    def test_batches_hold_their_beginning_whatever_the_division_rounds_to(self) -> None:
        below = 11.899999999999999
        assert (below - 2) / 0.3 == 33  # though below is before 2 + 33 * 0.3
        table = pl.DataFrame(
            {"run": "a", "topic": "t2", "time": [below, 11.9], "above": [1.0, 2.0]}
        )
        c = Contributions([table], lambda sums: sums.with_columns(value="above"))
        cut = pl.DataFrame({"run": ["a"], "topic": ["t2"], "start": [2.0], "number": [34]})
        assert kernel.batches(c, cut, 0.3)["value"].to_list()[32:] == [1.0, 2.0]


class TestExactSums:
    """Sums lose nothing, whatever the order of rows, blocks and threads."""

    @pytest.mark.parametrize("size", [1e15, 1.0, 1e-6, 1e-18, 1e-20, 1e-22, 1e-25, 1e-30])
    def test_small_amounts(self, size: float) -> None:
        amounts = (np.random.default_rng(1).random(1000) / 100 * size).tolist()
        table = pl.DataFrame({"run": "a", "topic": "t", "time": 0.0, "above": amounts})
        exact = float(sum(map(Fraction, amounts)))
        c = Contributions([table, table.head(0)], lambda sums: sums.with_columns(value="above"))
        (found,) = kernel.value(c, table.head(1))["value"]
        summed = table.select(kernel.total(pl.col("above"))).item()
        rounded = 1e-12 if size >= 1e-25 else 1e-7
        assert math.isclose(found, exact, rel_tol=rounded)
        assert summed == found
        assert size < 1 or found == math.fsum(amounts)

    @given(st.lists(st.floats(-1e9, 1e9) | st.floats(-1e-15, 1e-15), max_size=20))
    def test_the_sum_is_that_of_fractions(self, amounts: list[float]) -> None:
        table = pl.DataFrame({"amount": amounts}, {"amount": float})
        exact = float(sum(map(Fraction, amounts)))
        found = table.select(kernel.total(pl.col("amount"))).item()
        assert math.isclose(found, exact, rel_tol=1e-12, abs_tol=1e-35)
        assert table.sample(fraction=1, shuffle=True, seed=1).select(
            kernel.total(pl.col("amount"))
        ).item() == found  # fmt: skip

    def test_a_total_in_each_place_where_expressions_stand(self) -> None:
        table = pl.DataFrame({"run": ["a", "b", "a"], "amount": [0.1, 1e-20, 0.2]})
        amount = kernel.total(pl.col("amount"))
        assert table.select(amount.over("run")).to_series().to_list() == [
            0.1 + 0.2,
            1e-20,
            0.1 + 0.2,
        ]
        assert table.group_by("run").agg(amount).sort("run")["amount"].to_list() == [
            0.1 + 0.2,
            1e-20,
        ]
        assert table.select(kernel.total(pl.col("run") == "a")).item() == 2

    @given(st.lists(st.tuples(st.sampled_from("ab"), st.floats(-1e9, 1e9)), max_size=20))
    def test_a_running_total_is_the_total_until_each_row(
        self, rows: list[tuple[str, float]]
    ) -> None:
        rows.sort(key=lambda row: row[0])
        table = pl.DataFrame(rows, {"run": pl.String, "amount": pl.Float64}, orient="row")
        amount = pl.col("amount")
        found = table.select(kernel.running_total(amount, "run")).to_series().to_list()
        for at, (run, _) in enumerate(rows):
            until = table.head(at + 1).filter(pl.col("run") == run)
            assert found[at] == until.select(kernel.total(amount)).item()

    @given(ROWS.map(lambda rows: [row for row in rows if row.time < math.inf]), st.randoms())
    @settings(max_examples=40)
    def test_blocks_in_any_order(self, rows: list[Row], random: Random) -> None:
        table, names = table_of(rows, "above"), ["above"]
        whole = kernel.add_parts([kernel.part(table, names)], names).sort(KEY)
        cut = sorted(random.choices(range(len(rows) + 1), k=3))
        shuffled = table.sample(fraction=1, shuffle=True, seed=random.randrange(99))
        edges = zip([0, *cut], [*cut, len(rows)], strict=True)
        parts = [kernel.part(shuffled[low:high], names) for low, high in edges]
        random.shuffle(parts)
        earlier = kernel.add_parts(parts[:2], names)
        added = kernel.add_parts([*parts[2:], earlier], names).sort(KEY)
        assert added.select(whole.columns).equals(whole)

    def test_amounts_that_are_too_large(self) -> None:
        large = pl.DataFrame({"run": "a", "topic": "t", "time": [0.0, 1.0], "above": 2.0**53})
        half = large.head(1)
        with pytest.raises(OverflowError, match="too large to add up exactly"):
            kernel.part(large, ["above"])
        sums = kernel.part(half, ["above"])
        with pytest.raises(OverflowError, match="too large to add up exactly"):
            kernel.add_parts([sums, sums], ["above"])
        c = Contributions([half, large.tail(1)], lambda sums: sums.with_columns(value="above"))
        for function in (kernel.value, kernel.pooled):
            with pytest.raises(OverflowError, match="too large to add up exactly"):
                function(c, half)
        starts = half.with_columns(start=0.0, number=2)
        with pytest.raises(OverflowError, match="too large to add up exactly"):
            kernel.curve(c, half, starts)
        with pytest.raises(OverflowError, match="too large to add up exactly"):
            kernel.batches(c, starts, 1.0)
        for table in (large, half.with_columns(above=math.nan)):
            with pytest.raises(pl.exceptions.InvalidOperationError, match="too large to add up"):
                table.group_by("run").agg(kernel.total(pl.col("above")))
        assert half.select(kernel.total(pl.col("above"))).item() == 2.0**53

    @pytest.mark.parametrize("amount", [math.nan, math.inf, -math.inf, 1e300])
    def test_amounts_that_are_not_finite(self, amount: float) -> None:
        table = pl.DataFrame({"run": "a", "topic": "t", "time": 0.0, "above": [amount]})
        with pytest.raises(OverflowError):
            kernel.part(table, ["above"])


def test_any_number_of_threads_gives_the_same_bytes() -> None:
    """Each process has the rows in another order, too."""
    program = "from tests.toys.contributions import digest; print(digest())"
    told = [
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=Path(__file__).parents[2],
            env=os.environ | {"POLARS_MAX_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2", "5")
    ]
    assert told == [digest() + "\n"] * 3


def same(found: Values, expected: Values) -> None:
    assert found.defined.tolist() == expected.defined.tolist()
    assert found.value == pytest.approx(np.where(expected.defined, expected.value, 0), rel=1e-12)


def same_changes(found: Changes, expected: Changes) -> None:
    assert found.unit.tolist() == expected.unit.tolist()
    assert found.time.tolist() == expected.time.tolist()
    same(found.values, expected.values)
    same(found.initial, expected.initial)


def test_the_value_of_a_run_that_is_no_mean() -> None:
    """It is made from the sums and values of the units, and may be undefined."""
    rows = [Row("above", "a", "t1", "x", 0.0, 3.0), Row("below", "a", "t1", "x", 5.0, 2.0)]

    def largest(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.group_by("run").agg(pl.col("value").max())

    c = contributions(rows, inner=False)
    made = ContributionResult(c, units(), of_run=largest)
    same(made.of_runs(np.full(4, np.inf)), Values(np.array([1.5, 0.0]), np.array([True, False])))
    same(made.of_runs(np.full(4, 5.0)), Values(np.zeros(2), np.zeros(2, bool)))
    assert ContributionResult(c, units()).of_runs(np.full(4, np.inf)) is None


def test_a_score_that_is_0_where_there_is_nothing_to_divide_by() -> None:
    table = pl.DataFrame({"above": [1.0, 1.0], "below": [0.0, 4.0]})
    assert table.select(kernel.divided("above", "below")).to_series().to_list() == [None, 0.25]
    below = pl.col("below") * 2
    assert table.select(kernel.divided("above", below, 0.0)).to_series().to_list() == [0.0, 0.125]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5), st.floats(1e-3, 1e6))
def test_a_quotient_does_not_depend_on_the_number_of_rows(above: list[float], below: float) -> None:
    """Plain polars divides by what stands in all rows as by its reciprocal: 5 / 6 in two rows."""
    rows = pl.DataFrame({"key": [0] * len(above), "above": above})
    joined = rows.join(pl.DataFrame({"key": [0], "below": [below]}), on="key")
    found = joined.select(
        column=kernel.quotient(pl.col("above"), pl.col("below")),
        number=kernel.quotient(pl.col("above"), below),
        score=kernel.divided("above", "below"),
    )
    assert found.rows() == [(each / below,) * 3 for each in above]


def test_the_mean_of_what_is_defined() -> None:
    table = pl.DataFrame({"run": ["b", "a", "b", "c"], "value": [1.0, None, 2.0, None]})
    assert kernel.mean(table, ["run"]).rows() == [("b", 1.5), ("a", None), ("c", None)]


def test_the_first_row_of_each_group() -> None:
    table = pl.DataFrame({"run": ["b", "a", "b"], "time": [2.0, 1.0, 1.0], "id": ["u", "v", "w"]})
    assert kernel.first(table, ["run"], "time", "id")["id"].to_list() == ["v", "w"]


def test_names_in_natural_order() -> None:
    names = pl.Series(["t10", "t2", "a", "t2"], dtype=kernel.natural(["t10", "t2", "a", "t2"]))
    assert names.sort().to_list() == ["a", "t2", "t2", "t10"]
