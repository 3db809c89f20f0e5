"""Which nuggets are sampled, and the texts that a judge reads for each, as a file to fill in.

Pairs are rarely matches, and recall asks whether *any* update says a nugget. So nuggets are drawn,
and of each the texts are read that most likely say it, from the likeliest on, until one does.
Nuggets stand in strata by how likely they are said; where that is uncertain more are drawn.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tseval.errors import UsageError
from tseval.matching.likeliest import Likeliest
from tseval.matching.review import cell_of
from tseval.records import frozen
from tseval.statistics import Population, strata_of
from tseval.tables import Nuggets, Updates

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray, IntArray

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
SAID = {True: YES[0], False: NO[0], None: ""}
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


@frozen
class SampleRow:
    """A text to be read for a nugget."""

    topic: str
    nugget_id: str
    nugget_text: str
    update_text: str
    runs: str
    stratum: str
    inclusion: float
    verdict: str

    @property
    def pair(self) -> str:
        """What names the nugget and the text together."""
        return hashed(self.topic, self.nugget_id, self.nugget_text, self.update_text)


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


@frozen(eq=False)
class Sample:
    """The nuggets that were drawn, and what is read for each."""

    design: Design
    gold: str
    """The hash of the nuggets, as signatures have it."""
    updates: Updates
    nuggets: Nuggets
    likeliest: Likeliest
    drawn: IntArray
    """The rows of the nuggets that were drawn."""
    stratum: IntArray
    inclusion: FloatArray
    """Stratum and probability of inclusion of each of them."""
    known: Mapping[tuple[int, str], bool] = field(default_factory=dict)
    """What somebody said already of the row of a nugget and a text."""

    @cached_property
    def rows(self) -> list[SampleRow]:
        """The texts to read, nugget by nugget, of each the likeliest first."""
        owners: dict[tuple[int, int], list[int]] = {}
        scores: dict[tuple[int, int], float] = {}
        known = self.likeliest
        for run, nugget, update, score in zip(
            known.run.tolist(),
            known.nugget.tolist(),
            known.update.tolist(),
            known.score.tolist(),
            strict=True,
        ):
            owners.setdefault((nugget, update), []).append(run)
            scores[nugget, update] = score
        place = {nugget: at for at, nugget in enumerate(self.drawn.tolist())}
        chosen = [key for key in owners if key[0] in place]
        chosen.sort(key=lambda key: (place[key[0]], -scores[key], self.updates.text[key[1]]))
        return [
            self._row(nugget, update, owners[nugget, update], place[nugget])
            for nugget, update in chosen
        ]

    def _row(self, nugget: int, update: int, runs: list[int], place: int) -> SampleRow:
        return SampleRow(
            topic=self.nuggets.topic[nugget],
            nugget_id=self.nuggets.nugget_id[nugget],
            nugget_text=self.nuggets.text[nugget],
            update_text=self.updates.text[update],
            runs=", ".join(self.likeliest.runs[run] for run in runs),
            stratum=str(int(self.stratum[place]) + 1),
            inclusion=float(self.inclusion[place]),
            verdict=SAID[self.known.get((nugget, self.updates.text[update]))],
        )

    @property
    def line(self) -> str:
        """How the sample was drawn, in one line, which stands in every row."""
        design = self.design
        parts = {
            "matcher": design.matcher,
            "pairs": design.pairs,
            "depth": design.depth,
            "seed": design.seed,
            "rows": len(self.rows),
            "sampled": f"{len(self.drawn)}/{len(self.nuggets)}",
            "nuggets": self.gold,
        }
        return "|".join(f"{name}:{value}" for name, value in parts.items())

    def cells(self) -> Iterator[dict[str, str]]:
        """The rows of the file."""
        line = self.line
        for row in self.rows:
            place = place_of(row.stratum, row.inclusion)
            yield {
                "verdict": row.verdict,
                "nugget_text": cell_of(row.nugget_text),
                "update_text": cell_of(row.update_text),
                "topic": row.topic,
                "nugget_id": row.nugget_id,
                "runs": row.runs,
                "stratum": row.stratum,
                "inclusion": f"{row.inclusion:.6f}",
                "pair": row.pair,
                "sample": line,
                "checksum": checksum_of(line, row.topic, row.nugget_id, row.pair, place),
            }


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


def sampled(
    design: Design,
    gold: str,
    updates: Updates,
    nuggets: Nuggets,
    likeliest: Likeliest,
    size: FloatArray,
    known: Mapping[tuple[int, str], bool],
) -> Sample:
    """Draw nuggets so that there are at most as many pairs to judge as the design says."""

    def ties(rows: IntArray) -> list[str]:
        names = ((nuggets.topic[n], nuggets.text[n], nuggets.nugget_id[n]) for n in rows.tolist())
        return [hashed(*name) for name in names]

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
    return Sample(
        design,
        gold,
        updates,
        nuggets,
        likeliest,
        rows[chosen],
        population.stratum[chosen],
        inclusion[chosen],
        known,
    )
