"""A measure of `tseval score`: the share of the nuggets that a run reports early."""

from __future__ import annotations

from typing import Any

import polars as pl

from tseval.plugins import (
    ALWAYS,
    KEY,
    Contributions,
    Definition,
    Measure,
    Parameter,
    Result,
    duration,
    ratio,
)

BY = Parameter(
    "by",
    "how long before the nugget's own time an update counts as early, such as 1h",
    default="0s",
    parse=duration,
)


def ahead(index: Any, measure: Measure) -> Result:
    """Divide the nuggets whose first match is early by all nuggets."""
    lead = pl.col("since") - pl.col("time")
    early = index["firsts"].filter("opens", lead >= duration(str(measure.argument("by"))))
    early = early.select(*KEY, "time", above=1.0)
    every = index.pairs.join(index["nuggets"], on="topic")
    every = every.select(*KEY, time=pl.lit(ALWAYS), below=1.0)
    return index.result(Contributions([early, every], ratio()))


AHEAD = Definition(
    name="ahead",
    family="temporal",
    title="nuggets reported early",
    summary="the share of the nuggets that the run reports before they are known to happen",
    formula="nuggets whose first match is at least BY before their own time / nuggets",
    empty_case="0 for an empty run",
    range="0 to 1",
    citation="a template for plug-ins",
    account=ahead,
    parameters=(BY,),
)
