"""Which nuggets are sampled, and the texts that a judge reads for each, as a file to fill in.

Pairs are rarely matches, and recall asks whether *any* update says a nugget. So nuggets are drawn,
and of each the texts are read that most likely say it, from the likeliest on, until one does.
Nuggets stand in strata by how likely they are said; where that is uncertain more are drawn.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tseval.errors import UsageError
from tseval.matching.likeliest import Likeliest
from tseval.matching.review import cell_of
from tseval.records import frozen
from tseval.statistics.strata import Population, strata_of

if TYPE_CHECKING:
    from tseval.arrays import FloatArray, IntArray

PAIRS, DEPTH = 300, 10
"""How many pairs there are to judge, and how many texts of a run are read for a nugget, unless
somebody says otherwise."""
LEAST_VARIANCE = 0.05
"""However sure a matcher is of a nugget, it is taken to vary so much."""
DIGITS = 12
"""How many hexadecimal digits hashes have."""
UNIT = "\x1f"
"""Stands between the parts of what is hashed."""
YES, NO = ("yes", "accept"), ("no", "reject")
"""The words for verdicts; the first of each is written."""
COLUMNS = (
    *("verdict", "nugget_text", "update_text", "topic", "nugget_id", "runs"),
    *("stratum", "inclusion", "pair", "sample", "checksum"),
)


@frozen
class Design:
    """How a sample is drawn."""

    matcher: str
    pairs: int = PAIRS
    depth: int = DEPTH
    seed: int = 0


def hashed(*parts: str) -> str:
    """The first digits of the hash of some words, behind a letter.

    Digits alone, or with an e among them, spreadsheets would take for a number and write as one.
    """
    content = UNIT.join(parts).encode("utf-8", "surrogatepass")
    return f"h{hashlib.sha256(content).hexdigest()[:DIGITS]}"


def checksum_of(sample: str, topic: str, nugget_id: str, pair: str, place: str) -> str:
    """What changes with a row; `place` is its stratum and its inclusion."""
    return hashed(sample, topic, nugget_id, pair, place)


def place_of(stratum: str, inclusion: float) -> str:
    """Stratum and inclusion, as they are hashed."""
    return f"{stratum} {inclusion:.6f}"


def population_of(
    likeliest: Likeliest, size: FloatArray, ties: Callable[[IntArray], list[str]]
) -> tuple[Population, IntArray]:
    """The nuggets that can be drawn, in the order along which they are, and their rows.

    `size` is what a nugget weighs in scores. Nuggets for which there is nothing to read are not
    said, and nobody has to look at them. `ties` settles the order of those that are as likely.
    """
    rows = np.flatnonzero((likeliest.texts > 0) & (size > 0))
    foretold, probable = likeliest.predicted[:, rows], likeliest.probable
    likely = (foretold if probable else likeliest.best[:, rows]).mean(axis=0)
    variance = (foretold * (1 - foretold)).mean(axis=0) if probable else np.zeros(len(rows))
    order = np.lexsort((ties(rows), likely))
    rows = rows[order]
    population = Population(
        strata_of(likely[order]) if len(rows) else rows,
        size[rows],
        np.sqrt(np.maximum(variance[order], LEAST_VARIANCE)),
        likeliest.texts[rows].astype(np.float64),
    )
    return population, rows


def draw_rows(
    design: Design,
    gold: str,
    updates: pl.DataFrame,
    nuggets: pl.DataFrame,
    likeliest: Likeliest,
    size: FloatArray,
    known: pl.DataFrame,
) -> list[dict[str, str]]:
    """Draw nuggets so that there are at most as many pairs to judge as the design says.

    The rows of the file are the texts to read, nugget by nugget, of each the likeliest first.
    `gold` is the hash of the nuggets, as signatures have it; `known` is what somebody said already
    of the row of a nugget and a text: `nugget update_text accepted`.
    """

    def ties(rows: IntArray) -> list[str]:
        return [hashed(*name) for name in nuggets.select("topic", "text", "nugget_id")[rows].rows()]

    population, rows = population_of(likeliest, size, ties)
    if not len(rows):
        raise UsageError(
            "no update has anything in common with a nugget: there is nothing to read; another "
            "matcher may find something"
        )
    inclusion = population.allocated(design.pairs)
    if not len(inclusion):
        raise UsageError(
            f"--pairs {design.pairs} is too little to sample by: it takes {population.least:.0f}, "
            "for two nuggets of each of four strata with all the texts that are read for them; ask "
            "for more pairs, or read fewer texts of each nugget (--depth)"
        )
    chosen = population.draw(inclusion, design.seed)
    chosen = chosen[np.argsort(rows[chosen])]
    strata, included = population.stratum[chosen] + 1, inclusion[chosen]
    drawn = pl.DataFrame({"nugget": rows[chosen], "stratum": strata, "inclusion": included})
    read = likeliest.read.join(drawn, on="nugget").sort("nugget", "update", "run")
    read = read.with_columns(
        run=pl.Series(likeliest.runs).gather(read["run"]),
        update_text=updates["text"].gather(read["update"]),
    )
    texts = read.group_by("nugget", "update_text").agg(
        pl.col("score", "stratum", "inclusion").last(), runs=pl.col("run").str.join(", ")
    )
    texts = texts.join(known, on=["nugget", "update_text"], how="left").sort(
        "nugget", "score", "update_text", descending=[False, True, False]
    )
    parts = {
        "matcher": design.matcher,
        "pairs": design.pairs,
        "depth": design.depth,
        "seed": design.seed,
        "rows": texts.height,
        "sampled": f"{drawn.height}/{nuggets.height}",
        "nuggets": gold,
    }
    line = "|".join(f"{name}:{value}" for name, value in parts.items())
    names = nuggets.select("topic", "nugget_id", "text")
    found = []
    for row in texts.iter_rows(named=True):
        topic, nugget_id, text = names.row(row["nugget"])
        pair = hashed(topic, nugget_id, text, row["update_text"])
        place = place_of(str(row["stratum"]), row["inclusion"])
        cells = {
            "verdict": {True: YES[0], False: NO[0], None: ""}[row["accepted"]],
            "nugget_text": cell_of(text),
            "update_text": cell_of(row["update_text"]),
            "topic": topic,
            "nugget_id": nugget_id,
            "runs": row["runs"],
            "stratum": str(row["stratum"]),
            "inclusion": f"{row['inclusion']:.6f}",
            "pair": pair,
            "sample": line,
            "checksum": checksum_of(line, topic, nugget_id, pair, place),
        }
        found.append(cells)
    return found
