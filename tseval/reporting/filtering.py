"""What a report says beside the scores where runs and a truth of filtering are there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tseval.comparison.directions import known_measures
from tseval.core.family import Access
from tseval.families.filtering.caveats import trend_warnings
from tseval.families.filtering.evaluation import FilterEvaluation, FilterInputs, FilterOptions, read
from tseval.families.filtering.family import FAMILY as FILTERING
from tseval.families.filtering.measures import FAMILY
from tseval.families.filtering.metrics import LOWER_IS_BETTER
from tseval.families.filtering.reports import every_batch, fits
from tseval.parallel.sharing import ALONE, Sharing
from tseval.reporting.boards import Names
from tseval.reporting.content import Dots, FitRow, Line, Panel

if TYPE_CHECKING:
    import pandas as pd

    Asked = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class FilterRuns:
    """Runs and truth, whose rules, and how they are cut into batches."""

    sources: FilterInputs
    edition: str = "kenter2015"
    options: FilterOptions = field(default_factory=FilterOptions)
    rules: Mapping[str, str] = field(default_factory=dict)

    def read(self, sharing: Sharing = ALONE) -> FilterEvaluation:
        """Read every input."""
        edition = FILTERING.edition(self.edition)
        access = Access(sharing=sharing)
        return read(self.sources, self.options, edition, self.rules, access)


def asked(evaluation: FilterEvaluation, measures: Sequence[str]) -> list[tuple[str, str]]:
    """The metrics whose trends the measures are, by length of batches; F_pra's if none is."""
    own = [each for name in measures for each in known_measures(name) if each.family == FAMILY]
    return evaluation.trends(own)


def trend_panels(evaluation: FilterEvaluation, asked: Asked, names: Names) -> Iterator[Panel]:
    """For each metric and length every run's batches, and its line through them."""
    frame = every_batch(evaluation.index, asked)
    for metric, length in asked:
        own = frame[(frame["measure"] == metric) & (frame["length"] == length)]
        way = "lower is better" if metric in LOWER_IS_BETTER else "higher is better"
        runs = [(names.run(str(run)), rows) for run, rows in own.groupby("run", sort=False)]
        first = runs[0][1]
        yield Panel(
            title=metric,
            note=f"in batches of {length} ({way})",
            x_title="batch",
            x=tuple(float(batch) + 1 for batch in first["batch"]),
            lines=tuple(sorted(_line(run, rows) for run, rows in runs)),
            stepped=False,
            dots=tuple(sorted(_dots(run, rows) for run, rows in runs)),
        )


def _line(run: int, rows: pd.DataFrame) -> Line:
    blank = (None,) * len(rows)
    return Line(run, tuple(map(_known, rows["trend"].tolist())), blank, blank)


def _dots(run: int, rows: pd.DataFrame) -> Dots:
    return Dots(run, tuple(map(_known, rows["value"].tolist())), tuple(rows["weight"].tolist()))


def fit_rows(evaluation: FilterEvaluation, asked: Asked, names: Names) -> Iterator[FitRow]:
    """What the line of each run says, best run first within a metric."""
    rows: list[dict[str, Any]] = fits(evaluation.index, asked).to_dict("records")  # type: ignore[assignment]
    places = {key: at for at, key in enumerate(asked)}
    for row in sorted(rows, key=lambda r: (places[r["metric"], r["batch"]], names.run(r["run"]))):
        yield FitRow(
            run=names.run(row["run"]),
            metric=row["metric"],
            batch=row["batch"],
            slope=_known(row["slope"]),
            error=_known(row["se"]),
            p=_known(row["p"]),
            end=_known(row["end"]),
            end_error=_known(row["end_se"]),
            verdict=row["verdict"],
        )


def warnings(evaluation: FilterEvaluation, asked: Asked) -> Iterator[str]:
    """What is known of the inputs, and of the trends."""
    yield from evaluation.warnings
    yield from trend_warnings(evaluation.index, asked)


def _known(value: float) -> float | None:
    return None if value != value else float(value)
