"""The sections of a report on filtering: the ranking by end points, and the trends behind it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tseval.core.blocks import Block, Head, Note, Panels, Rows
from tseval.core.sections import Reporting, Section, Setting
from tseval.families.filtering.evaluation import FilterEvaluation
from tseval.families.filtering.index import USUAL, TrendIndex
from tseval.families.filtering.inputs import FilterOptions
from tseval.families.filtering.metrics import LOWER_IS_BETTER
from tseval.families.filtering.picture import trend_panels
from tseval.families.filtering.trend_tables import (
    CANNOT_SAY,
    CATEGORICAL,
    EXACT,
    FITS,
    LEVEL,
    NOT_NORMAL,
    UNMOVED,
    comparison,
    fits,
    ranking,
    rankings_told,
)
from tseval.statistics.assumptions import DEPENDENT

if TYPE_CHECKING:
    import pandas as pd

Trends = Sequence[tuple[str, str]]
Row = Mapping[str, Any]

FOLLOWING = dict(
    zip(
        DEPENDENT,
        (
            "follow one another",
            "swing back and forth",
            "follow one another",
            "swing back and forth",
        ),
        strict=True,
    )
)
"""What residuals do that are not independent, in words."""
MINUS = "\N{MINUS SIGN}"
FINE, UNTOLD = "nothing against it", "cannot be said"


def ranked(evaluation: FilterEvaluation, setting: Setting[FilterOptions]) -> Iterator[Block]:
    """The runs by the end points of their trends, beside the ranking that is blind to time."""
    index, asked = evaluation.trend_index, evaluation.trends(setting.measures)
    places = ranking(index, asked)
    yield Note(
        "An end point is where the trend of a run arrives in the last batch: how it does by then. "
        "Here each batch is the mean over its topics, and has one trend; by measure above, each "
        "topic has a trend of its own, and the mean is over these."
    )
    if len(index.runs) > 1:
        yield from (Note(each) for each in rankings_told(places, _short))
        yield Note(
            "The paired test looks at the difference of two runs batch by batch; its p is not "
            "corrected for their number, and takes for granted what stands below."
        )
    for metric, length in asked:
        own = _of(places, metric, length).merge(
            _of(fits(index, asked), metric, length)[["run", "end_low", "end_high"]], on="run"
        )
        pairs = _against(index, (metric, length), own)
        yield _ranking(own, pairs, f"{metric} in batches of {length}", setting)


def _short(number: float) -> str:
    return f"{number:.2g}".replace("-", MINUS)


def _ranking(
    rows: pd.DataFrame,
    pairs: Mapping[str, tuple[float, float]],
    caption: str,
    setting: Setting[FilterOptions],
) -> Rows:
    """Best first: the end point with its interval, how far it is behind, and the usual score."""
    decimals = carried(rows["end_se"])
    cells = [
        (
            *(setting.run(row["run"]), row["place"], row["end"]),
            interval(row["end_low"], row["end_high"], decimals),
            *pairs.get(row["run"], (None, None)),
            *(row[USUAL], row["usual_place"], row["cutoff"]),
        )
        for row in _records(rows)
    ]
    behind = (Head("behind the first", decimals=decimals), Head("p of paired test", "chance"))
    heads = (
        *(Head("run", "run"), Head("place", decimals=0), Head("end point", decimals=decimals)),
        *(Head("95 % interval", "text"), *behind, Head(USUAL, decimals=3)),
        *(Head(f"place by {USUAL}", decimals=0), Head("cutoff", decimals=0)),
    )
    return Rows(f"Ranking by end points of {caption}", heads, tuple(cells), caption)


def _against(
    index: TrendIndex, asked: tuple[str, str], rows: pd.DataFrame
) -> dict[str, tuple[float, float]]:
    """How far each run is behind the first, and the p value of the paired test of that."""
    best = rows["run"].iloc[0]
    found = {}
    for row in _records(comparison(index, [asked])):
        if best in (row["run"], row["other"]) and row["end_difference"] is not None:
            other = row["other"] if row["run"] == best else row["run"]
            found[other] = abs(row["end_difference"]), row["paired_end_p"]
    return found


def trends(evaluation: FilterEvaluation, setting: Setting[FilterOptions]) -> Iterator[Block]:
    """Every batch of every run with its line, what the lines say, and whether to believe it."""
    index, asked = evaluation.trend_index, evaluation.trends(setting.measures)
    yield Note(
        "Each batch, and the trend that is fitted to a run’s batches; more is in the tables."
    )
    yield Panels(tuple(trend_panels(evaluation.index, asked, setting.runs)))
    frame = fits(index, asked)
    for metric, length in asked:
        slopes = index.fitted(metric, length).trend.slope_interval()
        low, high = (dict(zip(index.runs, each.tolist(), strict=True)) for each in slopes)
        own = _of(frame, metric, length)
        own = own.assign(low=own["run"].map(low), high=own["run"].map(high))
        rows = sorted(_records(own), key=lambda row: setting.run(row["run"]))
        caption = f"{metric} in batches of {length}"
        yield _slopes(rows, carried(own["se"]), caption, setting)
        yield _assumptions(rows, caption, setting)


def _slopes(
    rows: Iterable[Row], decimals: int, caption: str, setting: Setting[FilterOptions]
) -> Rows:
    """The slope of each run with its interval, and whether it is a trend at all."""
    cells = [
        (
            *(setting.run(row["run"]), f"{row['usable']} of {row['batches']}", row["slope"]),
            *(interval(row["low"], row["high"], decimals), row["p"], _way(row)),
        )
        for row in rows
    ]
    heads = (
        *(Head("run", "run"), Head("batches used", "text")),
        *(Head("slope a batch", decimals=decimals), Head("95 % interval", "text")),
        *(Head("p", "chance"), Head("trend", "text")),
    )
    return Rows(f"Slopes of {caption}", heads, tuple(cells), f"Slopes of {caption}")


def _way(row: Row) -> str:
    """What a slope says in a word, if its test were to be believed."""
    if row["p"] is None:
        return UNTOLD
    if row["p"] >= LEVEL:
        return "none was found"
    lower = row["metric"] in LOWER_IS_BETTER
    return "gets better" if (row["slope"] < 0) == lower else "gets worse"


def _assumptions(rows: Iterable[Row], caption: str, setting: Setting[FilterOptions]) -> Rows:
    """What the p of each slope takes for granted, in words."""
    cells = [(setting.run(row["run"]), *_assumed(row)) for row in rows]
    heads = (
        *(Head("run", "run"), Head("residuals are normal", "text")),
        *(Head("each is independent of the one before", "text"), Head("it moves one way", "text")),
        Head("its p", "text"),
    )
    label = f"What the tests of {caption} take for granted"
    return Rows(label, heads, tuple(cells), label)


def _assumed(row: Row) -> tuple[str, str, str, str]:
    """Whether each assumption holds, by which statistic, and what that makes of p."""
    verdict = str(row["verdict"])
    if verdict in (CANNOT_SAY, EXACT):
        return UNTOLD, UNTOLD, UNTOLD, f"none: {verdict}"
    against = verdict.split(", ")
    kind = next((each for each in against if each in FOLLOWING), None)
    told = (
        "no" if {NOT_NORMAL, CATEGORICAL} & set(against) else FINE,
        FINE if kind is None else f"no: they {FOLLOWING[kind]}",
        "no" if UNMOVED in against else "yes",
    )
    numbers = (
        "only 0 and 1" if CATEGORICAL in against else _number("Anderson–Darling p", row["AD_p"]),
        _number("Durbin–Watson", row["DW"]),
        _number("Spearman", row["spearman"]),
    )
    both = [
        f"{word} ({number})" if number else word for word, number in zip(told, numbers, strict=True)
    ]
    believed = "can be believed" if verdict == FITS else "not to be trusted"
    return both[0], both[1], both[2], believed


def _number(name: str, value: float | None) -> str:
    return "" if value is None else f"{name} {value:.3f}".replace("-", MINUS)


def _of(frame: pd.DataFrame, metric: str, length: str) -> pd.DataFrame:
    """The rows of one metric and length of batches."""
    return frame[(frame["metric"] == metric) & (frame["batch"] == length)]


def _records(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """The rows with plain values; what is undefined is None."""
    for row in frame.astype(object).where(frame.notna(), None).to_dict("records"):
        yield {str(name): value for name, value in row.items()}


def carried(errors: Iterable[float]) -> int:
    """How many decimals numbers with these errors can carry: two digits of the smallest one."""
    least = min((each for each in errors if each > 0), default=0.01)
    return min(6, max(1, 1 - math.floor(math.log10(least))))


def interval(low: float | None, high: float | None, decimals: int) -> str:
    """Two ends in words."""
    if low is None or high is None:
        return "–"
    return f"{low:.{decimals}f} to {high:.{decimals}f}".replace("-", MINUS)


REPORT = Reporting(
    sections=(
        Section("ranking", "Ranked by end points", ranked, leads=True),
        Section("trends", "Trends over batches", trends, leads=True),
    ),
    takes=("batches", "cutoff", "level", "start", "end"),
)
