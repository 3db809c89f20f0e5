"""What any comparison gives: rows under names, and all that says how they came about.

A person reads them heading by heading, with rounded numbers; files and frames have all digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from html import escape
from itertools import groupby
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from tseval.comparison.plan import Plan
from tseval.core.requirements import Estimate, Miss, Quantity, Requirement
from tseval.core.wording import count
from tseval.errors import MeasureError, UsageError, check_known, did_you_mean
from tseval.io.atomic_write import write_file
from tseval.io.inputs import InputRecord
from tseval.io.rows import ROW_FORMS, guarded, result_object_bytes, rows_bytes
from tseval.io.score_files import (
    DASH,
    DOWN,
    UP,
    escaped,
    html_signature,
    html_table,
    latex_table,
    number,
)

if TYPE_CHECKING:
    import pandas as pd

LATEX = "latex"
FINDINGS_FORMS = (*ROW_FORMS, LATEX)
DECIMALS = 4
MARK = r"\textsuperscript{*}"
"""What a run has beside its mean that differs from the baseline."""
PART = "part"
"""The first column where several parts stand in one table."""
PAIRS_SHOWN = 28
"""So many pairs of a measure are listed for people, those of eight runs; of more only the letters.

Against a baseline all are."""
LEAST_P = 0.0001
BLANK = "–"
Headings: TypeAlias = Iterator[tuple[str, Iterator[dict[str, Any]]]]
"""Headings with their rows, as a person reads them."""


def or_none(value: float) -> float | None:
    """A number as rows have it: None where it is undefined (NaN)."""
    return None if isnan(value) else float(value)


class FindingRows(NamedTuple):
    """Rows of one kind, a class of named tuples; None is undefined."""

    kind: Any
    rows: tuple[Any, ...]

    def records(self) -> list[dict[str, Any]]:
        """The rows by their columns."""
        return [row._asdict() for row in self.rows]


@dataclass(frozen=True, eq=False, repr=False)
class Findings:
    """Rows by the part that they belong to."""

    parts: Mapping[str, FindingRows]
    signature: str
    inputs: tuple[InputRecord, ...]
    warnings: tuple[str, ...]

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}: {count(len(p.rows), 'row')}" for name, p in self.parts.items())
        return f"{type(self).__name__}({parts})"

    def _repr_html_(self) -> str:
        """What a notebook shows: every part as a table, and the signature."""
        shown = []
        for name, part in self.parts.items():
            rows = [
                [DASH if x is None else number(x) if isinstance(x, float) else str(x) for x in row]
                for row in part.rows
            ]
            table = html_table(part.kind._fields, rows, names=len(part.kind._fields))
            shown.append(f"<h4>{escape(name)}</h4>\n{table}")
        return "\n".join([*shown, html_signature(self.signature)])

    def __eq__(self, other: object) -> bool:
        """Whether the same was found in the same way."""
        return isinstance(other, Findings) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        rows = tuple((name, part.rows) for name, part in self.parts.items())
        return type(self).__name__, self.signature, rows

    def frame(self, part: str | None = None) -> pd.DataFrame:
        """The rows of one part; without a name all of them, one below the other.

        They then have all parts' columns after a first that names the part. An unknown part is a
        `UsageError`.
        """
        import pandas as pd

        if part is not None:
            check_known("part", part, self.parts)
        chosen = self.parts if part is None else {part: self.parts[part]}
        records = [
            ({PART: name} if part is None else {}) | record
            for name, each in chosen.items()
            for record in each.records()
        ]
        fields = [name for each in chosen.values() for name in each.kind._fields]
        columns = list(dict.fromkeys([*([PART] if part is None else []), *fields]))
        frame = pd.DataFrame.from_records(records, columns=columns)
        return frame.astype(
            {name: _kind([record.get(name) for record in records]) for name in columns}
        )

    def save(self, path: str | Path, *, safe_csv: bool = False) -> None:
        """Write the scores to a file, whole or not at all, in the format of its suffix.

        `.csv`, `.json`, `.parquet`, `.tsv`, and for runs `.tex`; anything else is a `UsageError`.
        Cells that a spreadsheet takes for formulas are a warning; `safe_csv` makes texts of them.
        """
        suffix = Path(path).suffix.lstrip(".").lower()
        content = self.in_form({"tex": LATEX}.get(suffix, suffix))
        write_file(path, guarded(content, suffix, safe=safe_csv))

    def in_form(self, form: str) -> bytes:
        """The content of a file of these findings; `FINDINGS_FORMS` has every form."""
        paper = self.latex()
        if form == LATEX and paper is not None:
            return paper
        if form not in ROW_FORMS:
            known = ", ".join(ROW_FORMS if paper is None else FINDINGS_FORMS)
            raise UsageError(f"'{form}' is none of the forms that this has: {known}")
        if form != "json":
            return rows_bytes(self.frame(), form, self.signature)
        inputs = [{"path": s.path, "sha256": s.sha256, "rows": s.rows} for s in self.inputs]
        parts = {name: part.records() for name, part in self.parts.items()}
        content = {"inputs": inputs, **self.more(), **parts, "warnings": list(self.warnings)}
        return result_object_bytes(self.signature, content)

    def latex(self) -> bytes | None:
        """The table for a paper; None where there is none."""
        return None

    def more(self) -> dict[str, Any]:
        """What JSON tells beside the rows."""
        return {}

    def headings(self) -> Headings:
        """The rows as a person reads them."""
        for name, part in self.parts.items():
            if name == "correlations":
                yield "Rank correlation, each with its interval", _correlations(part.rows)
            else:
                heading, columns = SHOWN[name]
                yield heading, format_rows(columns, part.rows)


def sections(found: Findings) -> dict[str, pd.DataFrame]:
    """What a person reads, heading by heading; a heading without rows is left out."""
    import pandas as pd

    frames = {heading: pd.DataFrame(list(rows)) for heading, rows in found.headings()}
    return {heading: frame for heading, frame in frames.items() if len(frame)}


def _kind(values: Sequence[Any]) -> str:
    """The type of a column: whole numbers, numbers, yes or no, or texts; any may lack values."""
    kinds = {type(each) for each in values if each is not None}
    for kind, name in ((bool, "boolean"), (int, "Int64"), (str, "object")):
        if kinds == {kind}:
            return name
    return "Float64"


class RunRank(NamedTuple):
    """How a run does by a measure; None is undefined.

    `rank` counts from 1, best first, and tied runs share the best of their ranks. Two runs share a
    letter if no difference was found between them; against a baseline there are no letters.
    """

    measure: str
    run: str
    rank: int
    topics: int
    mean: float
    low: float | None
    high: float | None
    letters: str | None


class Contest(NamedTuple):
    """Two runs by a measure, over the topics where both have a score; None is undefined.

    `difference` is the mean of `run` minus that of `other` there. `wins` and `losses` count topics
    where `run` is better or worse, whichever way the measure goes. `different` says whether
    `adjusted`, the corrected p value, is small enough, and `better` then which has the better mean.
    """

    measure: str
    run: str
    other: str
    topics: int
    difference: float | None
    low: float | None
    high: float | None
    d: float | None
    g: float | None
    p: float | None
    adjusted: float | None
    different: bool
    better: str | None
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Findings):
    """What a comparison of runs found: the parts `means` and `pairs`."""

    plan: Plan = field(default_factory=Plan)
    higher: Mapping[str, bool] = field(default_factory=dict)
    """For each measure whether higher is better."""
    cannot_tell: Mapping[str, str] = field(default_factory=dict)
    """Measures by which no difference can be shown, whatever the scores, each with the reason."""
    runs: tuple[str, ...] = ()
    """Every run, also those without a score of any measure."""

    @property
    def standings(self) -> tuple[RunRank, ...]:
        """How each run does, by measure, best first."""
        return self.parts["means"].rows

    @property
    def contests(self) -> tuple[Contest, ...]:
        """Every pair that was compared, by measure."""
        return self.parts["pairs"].rows

    def letters(self, measure: str) -> dict[str, str | None]:
        """The letters of each run, best first; None against a baseline and in `cannot_tell`."""
        check_known("measure", measure, self.higher)
        return {each.run: each.letters for each in self.standings if each.measure == measure}

    def contest(self, measure: str, run: str, other: str) -> Contest:
        """One pair; it may be named either way round, and comes as it was compared."""
        check_known("measure", measure, self.higher)
        for each in self.contests:
            if each.measure == measure and {each.run, each.other} == {run, other}:
                return each
        raise UsageError(f"runs '{run}' and '{other}' were not compared by {measure}")

    def headings(self) -> Headings:
        """The means of each measure, and its pairs where these are few enough to read."""
        level = f"{100 * self.plan.level:g} % interval"
        for name, higher in self.higher.items():
            contests = [each for each in self.contests if each.measure == name]
            means = [each for each in self.standings if each.measure == name]
            pairs = count(len(contests), "pair")
            different = f"{sum(each.different for each in contests)} of {pairs} told apart"
            summary = self.cannot_tell.get(name, different if contests else "")
            columns = plain("rank", "run", "mean") | {level: (_range, "low high")}
            columns |= plain("letters") if any(each.letters for each in means) else {}
            heading = f"{name} ({'higher' if higher else 'lower'} is better)"
            yield (
                ": ".join(filter(None, (heading, summary))),
                format_rows(columns | plain("topics"), means),
            )
            if self.plan.baseline is not None:
                yield f"{name}, against {self.plan.baseline}", format_rows(AGAINST, contests)
            elif len(contests) <= PAIRS_SHOWN:
                yield f"{name}, pair by pair", format_rows(CONTEST, contests)

    def latex(self) -> bytes:
        """The means with their letters, a column a measure; of one measure also the intervals.

        Runs come in the order of the first measure. The best mean of each measure is set in bold.
        Against a baseline a star marks the runs that differ from it.
        """
        arrows = {name: UP if way else DOWN for name, way in self.higher.items()}
        heads = [f"{escaped(name)} {arrow}" for name, arrow in arrows.items()]
        different = {(each.measure, each.run) for each in self.contests if each.different}
        cells = {}
        for each in self.standings:
            mean = f"{each.mean:.{DECIMALS}f}"
            best = rf"\textbf{{{mean}}}" if each.rank == 1 else mean
            mark = MARK if (each.measure, each.run) in different else ""
            if each.letters is not None:
                mark = rf"\textsuperscript{{{escaped(each.letters)}}}"
            cells[each.measure, each.run] = best + mark
        runs = list(dict.fromkeys(each.run for each in self.standings))
        rows = [[escaped(run), *(cells.get((name, run), "--") for name in arrows)] for run in runs]
        if len(arrows) == 1:
            heads.append(f"{100 * self.plan.level:g}\\,\\% interval")
            for row, each in zip(rows, self.standings, strict=True):
                has_ends = each.low is not None and each.high is not None
                row.append(
                    f"[{each.low:.{DECIMALS}f}, {each.high:.{DECIMALS}f}]" if has_ends else "--"
                )
        return latex_table(["Run", *heads], rows, self.signature)

    def more(self) -> dict[str, Any]:
        """Which way each measure goes, and why no difference can be shown where that is so."""
        return {
            "measures": [
                {"measure": name, "higher_is_better": way}
                | ({"cannot_tell": self.cannot_tell[name]} if name in self.cannot_tell else {})
                for name, way in self.higher.items()
            ]
        }


def unmet(wanted: Sequence[Requirement], found: Comparison) -> list[Miss]:
    """Return the requirements that are not met; a name that is not here is a `UsageError`."""

    def named(text: str) -> str:
        if text not in found.higher:
            known = f"there are: {', '.join(found.higher)}{did_you_mean(text, found.higher)}"
            raise MeasureError(f"no measure '{text}' here; {known}")
        return text

    if any(each.has_baseline for each in wanted):
        raise UsageError("--require: name the run, as in NEW.R-OLD.R; `baseline` is for scores")
    lines = [
        each.miss(of, estimate_of(of, found))
        for each in wanted
        for of in each.quantities(found.runs, named)
    ]
    return [line for line in lines if line is not None]


def estimate_of(of: Quantity, found: Comparison) -> Estimate:
    """Return a mean, or a difference over the topics where both have a score; or a bound of it."""
    means = {s.run: s for s in found.standings if s.measure == of.measure}
    if of.other is not None and (of.other[1] != of.measure or of.other[0] == of.run):
        raise UsageError(f"--require '{of}': a difference is of two runs by one measure")
    if not {of.run, *(of.other or ())[:1]} <= {*means}:
        return Estimate(None)
    if of.other is None:
        mean = means[of.run]
        ends, topics = [mean.low, mean.mean, mean.high], mean.topics
    else:
        contest = found.contest(of.measure, of.run, of.other[0])
        ends, topics = [contest.low, contest.difference, contest.high], contest.topics
        if contest.run != of.run:
            ends = [None if each is None else -each for each in reversed(ends)]
    return Estimate(ends[SIDES.get(of.side, 1)], ends[0], ends[2], topics)


SIDES = {"low": 0, "high": 2}
"""The places of the ends of an interval, beside what it is of."""


# Rows as a person reads them.

Columns: TypeAlias = dict[str, str | tuple[Callable[..., Any], str]]
"""The heads of a table with their fields, and how they are shown: else as text or number."""


def _correlations(rows: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """A row a level, with all coefficients beside each other."""
    for names, together in groupby(rows, lambda row: (row.measure, row.other_measure, row.level)):
        measure, other, level = names
        shown = {"measure": measure if measure == other else f"{measure} : {other}", "level": level}
        counts: dict[str, Any] = {}
        for each in together:
            shown[each.coefficient] = f"{format_number(each.value)} {_range(each.low, each.high)}"
            counts = {"runs": each.runs, "topics": each.topics}
        yield shown | counts


def format_rows(columns: Columns, rows: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """Yield rows as a person reads them; a run that is left out alone is named once."""
    cells = [
        (head, *((_text, cell) if isinstance(cell, str) else cell))
        for head, cell in columns.items()
    ]
    for each in rows:
        yield {
            head: form(*(getattr(each, name) for name in names.split()))
            for head, form, names in cells
            if head != "left out" or each.left_out != getattr(each, "run", None)
        }


def _between(
    value: float | None, low: float | None, high: float | None, decimals: int = DECIMALS
) -> str:
    """A value with its interval."""
    ends = "" if low is None and high is None else f" [{format_number(low, decimals)}, "
    return format_number(value, decimals) + (ends and f"{ends}{format_number(high, decimals)}]")


def format_number(value: float | None, decimals: int = DECIMALS) -> str:
    """A number with so many decimals; a dash where it is undefined."""
    return BLANK if value is None else f"{value:.{decimals}f}"


def _signed(value: float | None) -> str:
    return BLANK if value is None else f"{value:+.{DECIMALS}f}"


def _share(value: float | None) -> str:
    return BLANK if value is None else f"{100 * value:.1f} %"


def _text(value: object) -> object:
    return format_number(value) if value is None or isinstance(value, float) else value


def _range(low: float | None, high: float | None) -> str:
    return (
        BLANK if low is None and high is None else f"[{format_number(low)}, {format_number(high)}]"
    )


def _chance(value: float | None) -> str:
    if value is not None and value < LEAST_P:
        return f"<{LEAST_P:g}"
    return format_number(value)


def plain(*names: str) -> Columns:
    """Return columns that are called as their fields."""
    return {name: name for name in names}


RESULT: Columns = {
    "difference": "difference",
    "interval": (_range, "low high"),
    "d": (partial(format_number, decimals=2), "d"),
    "g": (partial(format_number, decimals=2), "g"),
    "p": (_chance, "p"),
    "corrected": (_chance, "adjusted"),
    "better": (lambda better: better or "", "better"),
    "won": "wins",
    "tied": "ties",
    "lost": "losses",
}
CONTEST, AGAINST = plain("run", "other") | RESULT, plain("run") | RESULT
POWER = plain("measure", "pairs") | {
    "told apart": "found",
    "share": (_share, "power"),
    "corrected": "found_corrected",
    "its share": (_share, "power_corrected"),
    "difference needed": "needed",
    "typically": "typical",
}
REUSABILITY = plain("measure", "runs") | {
    "mean change": (_signed, "bias"),
    "mean size": "change",
    "largest": "largest_change",
    "most ranks up": "up",
    "most ranks down": "down",
    "least tau-b": "least_tau_b",
}
MOVED = plain("measure") | {
    "left out": "left_out",
    "run": "run",
    "mean": "mean",
    "without": "mean_without",
    "change": (_signed, "change"),
    "rank": (partial(format_number, decimals=0), "rank"),
    "then": (partial(format_number, decimals=0), "rank_without"),
}
LEADS = plain("run", "other", "topics", "nuggets") | {
    "mean lead (h)": (_between, "mean mean_low mean_high"),
    "median lead (h)": (_between, "median median_low median_high"),
    "earlier": (partial(_between, decimals=2), "earlier earlier_low earlier_high"),
    "later": (partial(format_number, decimals=2), "later"),
}
CONTRIBUTION = plain("measure") | {
    "left out": "left_out",
    "runs": "runs",
    "matches lost": "lost",
    "of": "matches",
    "nuggets": "nuggets",
    "tau-b": "tau_b",
    "tau-AP": "tau_ap",
    "largest move": "largest_move",
}
SHOWN: dict[str, tuple[str, Columns]] = {
    "power": ("Discriminative power", POWER),
    "reusability": ("How much scores and ranks move", REUSABILITY),
    "runs": ("Each run without what it, or its team, brought alone", MOVED),
    "leads": ("Leads on the nuggets that both runs say", LEADS),
    "left_out": ("What was left out, and the ranking of all runs then", CONTRIBUTION),
}
"""The heading and the columns of each part."""
