"""Measures as scores of sums of dated contributions.

A *contribution* is a row `run topic time` with named amounts. A measure is some tables of
contributions and a score of their sums. Its value at the end, before any time, as a curve, in
batches and over all topics together follow from these alone.

Sums are exact, so no order of rows, blocks, threads or machines changes a bit of a result, and the
sums of blocks can be added up later. An amount is a whole number of 2^-72; the bits of a small
amount below that are a whole number of 2^-140 in a column of its own, which only columns with such
amounts have. Bits below 2^-140 are lost: 1e-25 keeps all its digits, 1e-43 is 0. The magnitudes of
all amounts of a column must add up to less than 2^54, otherwise there is an `OverflowError`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import polars as pl

from tseval.io.names import natural_order

KEY = ("run", "topic")
ALWAYS = -math.inf
"""The time of a contribution that counts at every time, as the reward of all nuggets in recall."""
UNIT, FINE_UNIT = 2.0**-72, 2.0**-140
SMALL = 2.0**-20
"""Only amounts below this can have bits below `UNIT`."""
LIMIT = 2.0**54
BLOCK_ROWS = 1 << 18
"""How many contributions are made whole units at a time."""
ARRIVAL = "arrival"
"""The column of contributions that tells the row of a stream that they come from."""
CONTRIBUTED = (*KEY, "time", f"^{ARRIVAL}$")
"""The columns of contributions beside their amounts; only rows of streams have all."""
FINE = " (fine)"
"""What the column of the bits below `UNIT` has after the name of its amount."""
TOO_LARGE = "amounts too large to add up exactly"


@dataclass(frozen=True, eq=False)
class Contributions:
    """The contributions of a measure, and the score of their sums.

    Each table has the columns `run topic time`, those of `inner`, and amounts: numbers, or exact
    sums in whole units as `part` has them. `score` adds the column `value` to a frame of sums; null
    is undefined.
    """

    tables: Sequence[pl.DataFrame]
    score: Callable[[pl.DataFrame], pl.DataFrame]
    inner: tuple[str, ...] = ()
    """Further keys: a value is the mean over them, where the score of their sums is defined.

    A key counts from its first contribution on, which may be 0 and dated `ALWAYS`.
    """
    weight: str = ""
    """The amount that a value is divided by: the weight of a unit where topics are pooled."""

    @property
    def amounts(self) -> list[str]:
        """The names of all amounts."""
        names = dict.fromkeys(name for table in self.tables for name in table.columns)
        keys = (*KEY, "time", ARRIVAL, *self.inner)
        return [name for name in names if name not in keys and not name.endswith(FINE)]


def total(amount: pl.Expr) -> pl.Expr:
    """The exact sum of a group; too large amounts fail with polars' `InvalidOperationError`."""
    return _added(amount, pl.Expr.sum)


def running_total(amount: pl.Expr, group: str) -> pl.Expr:
    """The exact sums of a group until each row, where the rows of a group stand together.

    Too large amounts fail as in `total`, all groups together.
    """
    is_first = pl.col(group).ne_missing(pl.col(group).shift())

    def add(whole: pl.Expr) -> pl.Expr:
        sums = whole.cum_sum()
        return sums - pl.when(is_first).then(sums - whole).forward_fill()

    return _added(amount, add)


def _added(amount: pl.Expr, add: Callable[[pl.Expr], pl.Expr]) -> pl.Expr:
    """Exact sums; an expression cannot raise by itself, so the failing cast of a text does."""
    whole, fine = _lanes(amount)
    too_large = ~(amount.cast(pl.Float64).abs().sum() < LIMIT)
    guard = pl.when(too_large).then(pl.lit(TOO_LARGE)).cast(pl.Int128)
    return _float(add(fine), FINE_UNIT) + _float(pl.coalesce(guard, add(whole)), UNIT)


def _lanes(amount: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """An amount in whole units, and the rest of it in whole fine units."""
    scaled = amount.cast(pl.Float64) / UNIT
    whole = scaled.cast(pl.Int128)
    return whole, ((scaled - whole.cast(pl.Float64)) * (UNIT / FINE_UNIT)).cast(pl.Int128)


def _float(whole: pl.Expr, unit: float) -> pl.Expr:
    return whole.fill_null(0).cast(pl.Float64) * unit


def mean(values: pl.DataFrame, by: Sequence[str], of: str = "value") -> pl.DataFrame:
    """The exact mean of the defined values of each group, null where there are none."""
    values_mean = total(pl.col(of)) / pl.col(of).count()
    defined = pl.when(pl.col(of).count() > 0).then(values_mean)
    return values.group_by(by, maintain_order=True).agg(defined.alias(of))


def part(table: pl.DataFrame, names: Sequence[str], by: Sequence[str] = KEY) -> pl.DataFrame:
    """The exact sums of the contributions of a block, by group, in whole units."""
    units = _in_units(table, names)
    return table.group_by(by).agg(**{name: amount.sum() for name, amount in units.items()})


def _in_units(table: pl.DataFrame, names: Sequence[str]) -> dict[str, pl.Expr]:
    """The amounts of a table in whole units, and in fine units where some need them."""
    own = [name for name in names if name in table.columns]
    if own and table.schema[own[0]] == pl.Int128:
        return {name: pl.col(name) for name in _lanes_in(table, names)}
    sizes = pl.col(own).cast(pl.Float64).abs()
    is_small = (sizes > 0) & (sizes < SMALL)
    checks = table.select(sizes.sum(), is_small.any().name.suffix(FINE)).row(0, named=True)
    if any(not checks[name] < LIMIT for name in own):
        raise OverflowError(TOO_LARGE)
    lanes = {name: _lanes(pl.col(name)) for name in own}
    fine = {name + FINE: lanes[name][1] for name in own if checks[name + FINE]}
    return {name: lanes[name][0] for name in own} | fine


def add_parts(
    parts: Sequence[pl.DataFrame], names: Sequence[str], by: Sequence[str] = KEY
) -> pl.DataFrame:
    """Exact sums of exact sums, in whole units."""
    joined = _concat(parts, names)
    return joined.group_by(by).agg(pl.col(_lanes_in(joined, names)).sum())


def in_units(c: Contributions, times: pl.DataFrame | None, prefix: str) -> list[pl.DataFrame]:
    """The contributions dated before the time of their unit, with names that begin alike."""
    tables = [before(table, times) for table in c.tables]
    return [
        table.select(
            pl.col(KEY).cast(pl.String),
            f"^{ARRIVAL}$",
            **{prefix + lane: own for lane, own in _in_units(table, c.amounts).items()},
        )
        for table in tables
    ]


def add_lanes(parts: Sequence[pl.DataFrame], by: Sequence[str] = KEY) -> pl.DataFrame:
    """Exact sums of all amounts, in whole units."""
    names = {name for part in parts for name, kind in part.schema.items() if kind == pl.Int128}
    return add_parts(parts, [name for name in names if not name.endswith(FINE)], by)


def lanes_of(sums: pl.DataFrame, prefix: str, names: Sequence[str]) -> pl.DataFrame:
    """The exact sums of amounts whose names begin so, under their own names."""
    lanes = {lane: prefix + lane for name in names for lane in (name, name + FINE)}
    own = {lane: pl.col(name) for lane, name in lanes.items() if name in sums.columns}
    lacking = {name: pl.lit(0, pl.Int128) for name in names if name not in own}
    return sums.select(*KEY, **own, **lacking)


def negative(sums: pl.DataFrame) -> pl.DataFrame:
    """Exact sums with the other sign: added up with some they take these away."""
    return sums.with_columns(pl.col(pl.Int128) * pl.lit(-1, pl.Int128))


def sums(
    c: Contributions, by: Sequence[str] = KEY, times: pl.DataFrame | None = None
) -> pl.DataFrame:
    """The exact sums of all contributions, or of those before the time of their unit."""
    return _sums([before(table, times) for table in c.tables], c.amounts, by)


def _concat(parts: Sequence[pl.DataFrame], names: Sequence[str]) -> pl.DataFrame:
    """Whole units of several tables, of which any can be added up."""
    joined = pl.concat(parts, how="diagonal")
    sizes = joined.select(pl.col(_lanes_in(joined, names)).cast(pl.Float64).abs().sum()).row(0)
    if any(not size < LIMIT / UNIT for size in sizes):
        raise OverflowError(TOO_LARGE)
    return joined


def _lanes_in(sums: pl.DataFrame, names: Sequence[str]) -> list[str]:
    lanes = (lane for name in names for lane in (name, name + FINE))
    return [lane for lane in lanes if lane in sums.columns]


def _sums(tables: Iterable[pl.DataFrame], names: Sequence[str], by: Sequence[str]) -> pl.DataFrame:
    parts = [
        part(block, names, by)
        for table in tables
        for block in (table.iter_slices(BLOCK_ROWS) if table.height else [table])
    ]
    return parts[0] if len(parts) == 1 else add_parts(parts, names, by)


def _running(rows: pl.DataFrame, names: Sequence[str], by: Sequence[str]) -> pl.DataFrame:
    """The sums of whole units until just after each time, as floats, sorted by group and time."""
    ordered, keys = sort_rows(rows, *by, "time"), pl.col(*by, "time")
    sums = pl.col(_lanes_in(rows, names)).fill_null(0).cum_sum().over(by)
    is_last = pl.any_horizontal(keys.ne_missing(keys.shift(-1)))
    return sums_as_floats(ordered.with_columns(sums).filter(is_last), names)


def sums_as_floats(sums: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Exact sums in whole units as floats."""
    fine = [name + FINE for name in names if name + FINE in sums.columns]
    floats = [_float(pl.col(name), UNIT) for name in names]
    for at, name in enumerate(names):
        if name + FINE in fine:
            floats[at] += _float(pl.col(name + FINE), FINE_UNIT)
    sums = sums.with_columns(floats)
    return sums.drop(fine) if fine else sums


def _values(
    c: Contributions, sums: pl.DataFrame, every: pl.DataFrame, by: Sequence[str]
) -> pl.DataFrame:
    """The score of the sums of `every` group, or its mean over the inner keys."""
    if c.inner:
        values = mean(c.score(sums_as_floats(sums, c.amounts)), by)
        return every.join(values, on=by, how="left", maintain_order="left")
    joined = every.join(sums, on=by, how="left", maintain_order="left")
    return c.score(sums_as_floats(joined, c.amounts))


def before(table: pl.DataFrame, times: pl.DataFrame | None) -> pl.DataFrame:
    """The contributions dated strictly before the time of their unit in `run topic before`."""
    if times is None:
        return table
    joined = table.join(times.select(*KEY, pl.col("before").alias("time before")), on=KEY)
    return joined.filter(pl.col("time") < pl.col("time before")).drop("time before")


def value(c: Contributions, units: pl.DataFrame, times: pl.DataFrame | None = None) -> pl.DataFrame:
    """The measure of each unit `run topic`, at the end or before its time."""
    return _values(c, sums(c, [*KEY, *c.inner], times), units[[*KEY]], KEY)


def pooled(
    c: Contributions, units: pl.DataFrame, times: pl.DataFrame | None = None
) -> pl.DataFrame:
    """The measure of each run, of the contributions of all its units together."""
    tables = [before(table, times).join(units, on=KEY, how="semi") for table in c.tables]
    runs = units.select("run").unique(maintain_order=True)
    return _values(c, _sums(tables, c.amounts, ["run", *c.inner]), runs, ["run"])


def curve(c: Contributions, units: pl.DataFrame, starts: pl.DataFrame) -> pl.DataFrame:
    """The measure just after each time at which it can change, and after `run topic start`.

    The rows are sorted by unit and time; `unit` numbers the rows of `units`.
    """
    if c.inner:
        return curve(_means(c), units, starts)
    keys = (*KEY, "time")
    tables = [table.select(*keys, **_in_units(table, c.amounts)) for table in c.tables]
    rows = _concat([*tables, starts.select(*KEY, time="start")], c.amounts)
    rows = rows.join(units.select(KEY).with_row_index("unit"), on=KEY)
    return c.score(_running(rows, c.amounts, ["unit"]).filter(pl.col("time") != ALWAYS))


def _means(c: Contributions) -> Contributions:
    """The means over inner keys as quotients: each new value of a key replaces the one before."""
    by, value = [*KEY, *c.inner], pl.col("value")
    tables = [table.select(*by, "time", **_in_units(table, c.amounts)) for table in c.tables]
    rows = _concat(tables, c.amounts)
    steps = c.score(_running(rows, c.amounts, by))
    after = steps.select(*by, "time", above=value, below=value.is_not_null().cast(pl.Float64))
    earlier = after.with_columns(-pl.col("above", "below").shift(1).over(by))
    return Contributions([table.drop(c.inner) for table in (after, earlier)], ratio())


def side_by_side(c: Contributions, starts: pl.DataFrame) -> Contributions:
    """The contributions of runs, dated in seconds since `run topic start`; the topic is ""."""
    origin = starts.select(*KEY, pl.col("start").alias("topic start"))
    since = {"topic": pl.lit(""), "time": pl.col("time") - pl.col("topic start")}
    tables = [table.join(origin, on=KEY).with_columns(**since) for table in c.tables]
    return replace(c, tables=[table.drop("topic start") for table in tables])


def batches(
    c: Contributions, units: pl.DataFrame, length: float, by: Sequence[str] = KEY
) -> pl.DataFrame:
    """The measure of the contributions dated in each batch from its start until before its end.

    `units` has `run topic start number`. Contributions dated `ALWAYS` count in every batch. By
    `run` alone, the batches of all units of a run are pooled by their number.
    """
    start, number = pl.col("batch start"), pl.col("batch number")
    limits = units.select(*KEY, **{"batch start": "start", "batch number": "number"})
    every = limits.group_by(by, maintain_order=True).agg(number.max())
    every = every.select(*by, batch=pl.int_ranges(number)).explode("batch")
    group, time = [*by, "batch"], pl.col("time")
    parts = []
    for table in c.tables:
        inside = table.join(limits, on=KEY)
        place = ((time - start) / length).floor()
        place = place - (time < start + place * length).cast(pl.Float64)
        place = place + (time >= start + (place + 1) * length).cast(pl.Float64)
        dated = inside.filter(time.is_finite() & (place >= 0) & (place < number))
        dated = dated.with_columns(batch=place.cast(pl.Int64))
        lasting = part(inside.filter(time == ALWAYS), c.amounts, [*by, *c.inner])
        parts += [part(dated, c.amounts, [*group, *c.inner]), every.join(lasting, on=by)]
    return _values(c, add_parts(parts, c.amounts, [*group, *c.inner]), every, group)


def quotient(above: pl.Expr, below: pl.Expr | float) -> pl.Expr:
    """One finite number by another, to the last bit, however many rows there are.

    Where one number stands below in all rows, polars' own division multiplies by its reciprocal,
    but in a frame of one row. A column that is joined from one row is such a number, too.
    """
    return above / (above * 0.0 + below)


def divided(above: str | pl.Expr, below: str | pl.Expr, empty: float | None = None) -> pl.Expr:
    """One amount by another, `empty` (undefined) where there is nothing to divide by."""
    first, second = (pl.col(each) if isinstance(each, str) else each for each in (above, below))
    return pl.when(second > 0).then(quotient(first, second)).otherwise(empty)


def ratio(above: str = "above", below: str = "below") -> Callable[[pl.DataFrame], pl.DataFrame]:
    """A score: one amount by another, undefined where there is nothing to divide by."""
    return lambda sums: sums.with_columns(value=divided(above, below))


def first(rows: pl.DataFrame, by: Sequence[str], *order: str) -> pl.DataFrame:
    """The first row of each group in this order; the last of `order` breaks ties."""
    return sort_rows(rows, *order).unique(by, keep="first", maintain_order=True)


def sort_rows(rows: pl.DataFrame, *by: str) -> pl.DataFrame:
    """The rows sorted by columns, those that are equal in the order they had.

    Rows in no order are sorted four times as fast by one column after another, the last one first.
    """
    last = rows[by[-1]]
    if (last < last.shift()).sum() < rows.height / 8:
        return rows.sort(by, maintain_order=True)
    for name in reversed(by):
        if not rows[name].is_sorted():
            rows = rows.sort(name, maintain_order=True)
    return rows


def natural(names: Iterable[str]) -> pl.Enum:
    """The type of columns with these names, which sorts numbers as numbers: `t2` before `t10`."""
    return pl.Enum(natural_order(set(names)))
