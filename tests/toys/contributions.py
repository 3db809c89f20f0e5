"""Many contributions, to see that nothing but their amounts has a part in results."""

from __future__ import annotations

import hashlib

import numpy as np
import polars as pl

from tseval.core import kernel
from tseval.core.kernel import ALWAYS, KEY, Contributions


def digest() -> str:
    """The bytes of all that the kernel makes of many rows, in an order of their own."""
    rng = np.random.default_rng(7)
    number, order = 20_000, np.random.default_rng().permutation(20_000)
    amounts = rng.random(number) * 10.0 ** rng.integers(-24, 6, number)
    table = pl.DataFrame(
        {
            "run": rng.choice(["a", "b", "c"], number)[order],
            "topic": rng.choice(["t1", "t2"], number)[order],
            "part": rng.choice(["x", "y", "z"], number)[order],
            "time": rng.choice([ALWAYS, *np.arange(50.0)], number)[order],
            "above": amounts[order],
            "below": rng.random(number)[order],
        }
    )
    every = pl.DataFrame([(run, t, 0.5, 6) for run in "abc" for t in ("t1", "t2")], orient="row")
    every.columns = [*KEY, "start", "number"]
    bytes_of = hashlib.sha256()
    for c in (
        Contributions([table.drop("part")], kernel.ratio()),
        Contributions([table.drop("below"), table.drop("above")], kernel.ratio(), ("part",)),
    ):
        for made in (
            kernel.value(c, every),
            kernel.value(c, every, every.select(*KEY, before="number")),
            kernel.pooled(c, every),
            kernel.curve(c, every, every),
            kernel.batches(c, every, 7.0),
            kernel.batches(c, every, 7.0, ["run"]),
        ):
            bytes_of.update(made["value"].to_numpy().tobytes())
    totals = table.sort("time", "part", *KEY).with_columns(
        total=kernel.total(pl.col("above")).over("part", "topic")
    )
    bytes_of.update(totals["total"].to_numpy().tobytes())
    return bytes_of.hexdigest()
