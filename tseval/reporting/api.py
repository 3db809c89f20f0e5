"""`tseval.report`: from scores, and what is given beside them, to one page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from tseval.comparison import Plan, Treatment
from tseval.comparison.plan import ALPHA, RESAMPLES
from tseval.core.measure import Measure
from tseval.core.naming import Naming
from tseval.io.columns import Columns, TimeWords
from tseval.io.formats import Forms
from tseval.io.times import TIME_KEYS
from tseval.parallel.sharing import shared
from tseval.reporting.assembling import TITLE, Request, assemble
from tseval.reporting.content import Report
from tseval.reporting.inputs import report_inputs
from tseval.reporting.page.document import report_page

if TYPE_CHECKING:
    import pandas as pd

    from tseval.comparison import Given
    from tseval.parallel.engine import Engine

    Table: TypeAlias = str | Path | pd.DataFrame
    Tables: TypeAlias = Table | Sequence[Table]
    Names: TypeAlias = str | Sequence[str]


class ReportKeywords(TimeWords, total=False):
    """Runs and gold of one family, by the names of its inputs, and how they are read.

    Families declare what a report takes of them; a test holds these names to what they declare.
    """

    # Of any family.
    edition: str | None
    rules: Mapping[str, str]
    topics: Table | None
    # Updates and nuggets.
    updates: Tables
    nuggets: Table
    matches: Table | None
    duplicates: Table | None
    pool: Table | None
    corrections: Table | None
    matcher: str | None
    threshold: float | None
    ignore_unsampled: bool
    binary: bool
    matched_nuggets_only: bool
    latency_from: str | None
    # Runs of the other families; an input is named by its option, too.
    runs: Tables
    run: Tables
    clusters: Table
    # Timelines.
    system: Tables
    gold: Tables
    more_gold: Tables
    # Responses.
    file: Tables
    # Change detection.
    lenient: bool
    qrels: Table
    documents: Table
    days: Table | None
    questions: Table | None
    # Facts of CrisisFACTS.
    facts: Tables
    requests: Table | None
    # Battles.
    judgments: Tables
    # Incident streams.
    labels: Tables
    more_labels: Tables
    ontology: Table
    epochs: Table | None
    events: Names
    event: Names
    # Filtering over time.
    truth: Table
    batches: Names
    batch: Names
    cutoff: str | float
    level: str | None
    start: str | float | None
    end: str | float | None


@dataclass(frozen=True, eq=False, repr=False)
class Page:
    """A report, and the page that shows it."""

    report: Report
    """All that the page says, as data."""

    @cached_property
    def html(self) -> bytes:
        """The page; the same report gives the same bytes."""
        return report_page(self.report)

    def __repr__(self) -> str:
        return f"Page({self.report.title!r}: {', '.join(self.report.runs)})"

    def _repr_html_(self) -> str:
        """What a notebook shows: the page in a frame of its own."""
        page = escape(self.html.decode(), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 600px; border: 0"></iframe>'

    def __eq__(self, other: object) -> bool:
        """Whether they are the same page, byte for byte."""
        return isinstance(other, Page) and self.html == other.html

    def __hash__(self) -> int:
        return hash(self.html)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was warned about; it stands on the page too."""
        return self.report.warnings

    def save(self, path: str | Path) -> None:
        """Write the page whole or not at all."""
        from tseval.io.atomic_write import write_file

        write_file(path, self.html)


def report(
    scores: Given | Sequence[Given],
    measures: Iterable[str | Measure] | str | Measure = (),
    *,
    title: str = TITLE,
    curves: str | Sequence[str] = (),
    baseline: str | None = None,
    test: str = Plan.test,
    correction: str = Plan.correction,
    family: str = Plan.family,
    interval: str = Plan.interval,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    seed: int = 0,
    on_missing: str | None = Treatment.on_missing,
    undefined: str = Treatment.undefined,
    jobs: int | None = None,
    engine: str | Engine = "local",
    scheduler: str | None = None,
    input_format: Forms = None,
    columns: Columns = None,
    **beside: Unpack[ReportKeywords],
) -> Page:
    """Build a self-contained page about runs and their scores.

    `scores` are what `tseval.compare` takes. Beside them there may be runs and gold of one family,
    by the names of its inputs: `updates` with their `nuggets`, or `runs` with `labels` and an
    `ontology`, or `runs` with a `truth`; and how they are read. The parameters are the options of
    `tseval report`.

    Bad input raises an `InputError` that names the place, a wrong name a `UsageError`.
    """
    plan = Plan(test, correction, family, interval, alpha, resamples, seed, baseline)
    treatment = Treatment(on_missing, undefined)
    named: dict[str, Any] = dict(beside)
    timing = {key: named.pop(key) for key in TIME_KEYS if key in named}
    given = report_inputs({**named, "naming": Naming.of(columns, timing)})
    with shared(engine, jobs, scheduler) as sharing:
        request = Request(
            scores, measures, treatment, plan, input_format, title, given, curves, sharing
        )
        return Page(assemble(request))
