"""Teams by their best run, in the usual ranking and in those by end points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from tseval.families.filtering.index import USUAL, TrendIndex
from tseval.families.filtering.metrics import LOWER_IS_BETTER
from tseval.families.filtering.trend_tables import places, usual_scores
from tseval.records import frozen
from tseval.statistics.ranks import kendall, kendall_p

if TYPE_CHECKING:
    import pandas as pd

    from tseval.tables.columns import FloatArray

    Asked = Sequence[tuple[str, str]]

MEASURES = ("end(F_pr)", "end(F_pra)")
"""The end points by which teams are ranked beside the usual ranking, unless others are asked for.
"""
READING = (
    "A team stands at the place of its best run, which may be another in each ranking. The second "
    "table: Kendall's tau of each two rankings of the teams, over those that have a place in both."
)


@frozen
class Ranking:
    """The runs by one score, and at which cutoff each has it; NaN is no score."""

    name: str
    value: FloatArray
    cutoff: FloatArray
    lower: bool

    @property
    def worth(self) -> FloatArray:
        """The score turned so that more is better."""
        return -self.value if self.lower else self.value


@frozen
class Teams:
    """The rankings of runs, and which runs are each team's."""

    runs: tuple[str, ...]
    rankings: tuple[Ranking, ...]
    members: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, index: TrendIndex, asked: Asked, named: Mapping[str, str]) -> Teams:
        """The team of a run is as named, else what stands before the first hyphen of its name."""
        members: dict[str, list[int]] = {}
        for at, run in enumerate(index.runs):
            members.setdefault(named.get(run, run.partition("-")[0]), []).append(at)
        ends = (_by_end(index, metric, length) for metric, length in asked)
        return cls(index.runs, (_usual(index), *ends), members)

    def best(self, ranking: Ranking) -> list[int | None]:
        """The best run of each team; of equal ones the first. None for a team without a score."""
        found: list[int | None] = []
        for runs in self.members.values():
            known = [run for run in runs if np.isfinite(ranking.worth[run])]
            found.append(max(known, key=lambda run: ranking.worth[run]) if known else None)
        return found

    def scores(self, ranking: Ranking) -> FloatArray:
        """The score of each team's best run."""
        best = self.best(ranking)
        return np.array([np.nan if run is None else ranking.value[run] for run in best], np.float64)

    def places(self) -> pd.DataFrame:
        """Every ranking of the teams, best first."""
        import pandas as pd

        parts = []
        for ranking in self.rankings:
            best, value = self.best(ranking), self.scores(ranking)
            part = pd.DataFrame(
                {
                    "ranking": ranking.name,
                    "place": pd.array(places(value, lower=ranking.lower), "Int64"),
                    "team": list(self.members),
                    "run": [None if run is None else self.runs[run] for run in best],
                    "value": value,
                    "cutoff": [np.nan if run is None else ranking.cutoff[run] for run in best],
                    "runs": pd.array([len(runs) for runs in self.members.values()], "Int64"),
                }
            )
            parts.append(part.sort_values("place", kind="stable"))
        return pd.concat(parts, ignore_index=True)

    def agreement(self) -> pd.DataFrame:
        """Kendall's tau of each two rankings."""
        import pandas as pd

        rows = []
        for one, other in combinations(self.rankings, 2):
            pair = [
                -self.scores(each) if each.lower else self.scores(each) for each in (one, other)
            ]
            common = int(np.isfinite(pair).all(axis=0).sum())
            taus = {"tau": kendall(*pair), "tau_p": kendall_p(*pair)}
            rows.append({"ranking": one.name, "other": other.name, "teams": common} | taus)
        found = pd.DataFrame(rows, columns=["ranking", "other", "teams", "tau", "tau_p"])
        return found.astype({"teams": "Int64"})


def _usual(index: TrendIndex) -> Ranking:
    value = usual_scores(index)
    cutoff = index.tally.cutoffs[index.whole_cutoff(USUAL)]
    return Ranking(USUAL, value, np.where(np.isfinite(value), cutoff, np.nan), lower=False)


def _by_end(index: TrendIndex, metric: str, length: str) -> Ranking:
    fitted = index.fitted(metric, length)
    return Ranking(
        f"end({metric},batch={length})",
        fitted.trend.end,
        np.where(fitted.known, index.tally.cutoffs[fitted.cutoff], np.nan),
        lower=metric in LOWER_IS_BETTER,
    )
