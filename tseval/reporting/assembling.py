"""From files of scores, and from what is given beside them, to a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tseval.comparison import Board, Plan, Treatment, read_board
from tseval.comparison.directions import known_measures
from tseval.comparison.runs import compare_board
from tseval.core.measure import Measure
from tseval.core.scores import Scores
from tseval.errors import UsageError
from tseval.families.incidents.caveats import caveats
from tseval.families.incidents.evaluation import IncidentEvaluation
from tseval.families.temporal.draft import FAMILY
from tseval.files.forms import Forms, form_for
from tseval.files.provenance import Provenance, RecordedInput, provenance_of
from tseval.parallel.sharing import ALONE, Sharing
from tseval.reporting import filtering, incidents, temporal
from tseval.reporting.boards import Names, measure_boards, score_downloads
from tseval.reporting.content import CURVES, ECONOMY, TIMELINE, InputRow, Report
from tseval.reporting.recorded import Recorded, differences, input_rows, recorded
from tseval.reporting.terms import terms

if TYPE_CHECKING:
    from tseval.comparison import Given
    from tseval.matching.matching import Progress

TITLE = "Runs compared"
GIVE = "give them as --updates FILE and --nuggets FILE, with --matches FILE or --matcher NAME"
NOTHING_SHARED = (
    "no runs are read here, so there is no work to share: give --updates FILE and --nuggets FILE, "
    "or leave --jobs, --engine and --scheduler out"
)
NEEDS = {
    CURVES: "Curves over time need the runs and the nuggets",
    TIMELINE: "Who said what when is told from the runs and the nuggets",
    ECONOMY: "Redundancy and verbosity are counted in the runs",
}


class Watched(Protocol):
    """Tells somebody how far some work is: `with watched("matching") as told`."""

    def __call__(self, what: str) -> AbstractContextManager[Progress | None]:
        """Begin to watch."""


@dataclass(frozen=True)
class Request:
    """What a report is asked for."""

    scores: Given | Sequence[Given]
    measures: Iterable[str | Measure] | str | Measure = ()
    treatment: Treatment = field(default_factory=Treatment)
    plan: Plan = field(default_factory=Plan)
    form: Forms = None
    title: str = TITLE
    runs: temporal.Runs | None = None
    """Runs and nuggets; None for those that the scores record, if they are still what they were."""
    incidents: incidents.IncidentRuns | None = None
    filtering: filtering.FilterRuns | None = None
    curves: str | Sequence[str] = ()
    """The measures whose curves are drawn, of those of the report; the first few if none is named.
    """
    sharing: Sharing = ALONE
    """Where runs are read and matched."""


def assemble(request: Request, watched: Watched = lambda _: nullcontext()) -> Report:
    """Read all that is asked for, and work out every number."""
    own = request.incidents
    if request.curves and (own is not None or request.filtering is not None):
        raise UsageError("--curve has no meaning with --run: curves over time are over nuggets")
    evaluation = None if own is None else own.read(request.sharing)
    types = () if evaluation is None else evaluation.index.ontology.types
    board = read_board(request.scores, request.measures, request.treatment, request.form, types)
    several: Sequence[Given] = (
        request.scores if isinstance(request.scores, list | tuple) else [request.scores]  # type: ignore[list-item]
    )
    told = [
        each
        for given in several
        if (each := _told(given, form_for(request.form, "scores"))) is not None
    ]
    report = _of_scores(request, board, told)
    if own is not None and evaluation is not None:
        return _with_incidents(report, own, evaluation)
    if request.filtering is not None:
        return _with_trends(report, request.filtering, request.sharing)
    return _with_runs(report, request, told, watched)


def _told(given: Given, form: str | None) -> Provenance | None:
    """How scores came about, as far as they tell."""
    if isinstance(given, Scores):
        inputs = tuple(RecordedInput(each.path, each.sha256, each.rows) for each in given.inputs)
        return Provenance(given.signature, inputs, given.warnings)
    return provenance_of(given, form) if isinstance(given, str | Path) else None


def _of_scores(request: Request, board: Board, told: Sequence[Provenance]) -> Report:
    """The report as far as the files of scores go."""
    found = compare_board(board, request.plan)
    names = Names.of(board, found)
    signatures = tuple(dict.fromkeys(each.signature for each in told if each.signature))
    recorded_inputs = [row for each in told for row in input_rows(each.signature, each.inputs)]
    known = {(row.path, row.sha256) for row in recorded_inputs}  # those of scores in memory too
    inputs = [
        InputRow("scores", each.path, each.sha256, each.rows)
        for each in board.inputs
        if (each.path, each.sha256) not in known
    ]
    told_warnings = [warning for each in told for warning in each.warnings]
    baseline = request.plan.baseline
    return Report(
        title=request.title,
        signature=found.signature,
        scored=signatures,
        inputs=tuple(dict.fromkeys([*inputs, *recorded_inputs])),
        runs=names.runs,
        topics=names.topics,
        measures=tuple(measure_boards(board, found, names)),
        level=request.plan.level,
        baseline=None if baseline is None else names.run(baseline),
        warnings=tuple(dict.fromkeys([*told_warnings, *found.warnings])),
        terms=tuple(terms(board.measures, signatures)),
        downloads=score_downloads(board, found),
    )


def _with_runs(
    report: Report, request: Request, told: Sequence[Provenance], watched: Watched
) -> Report:
    """The report with curves and timelines, or with what these would need."""
    known = recorded(told)
    runs = request.runs or (temporal.Runs.of(known) if known.usable else None)
    if runs is None:
        if not request.sharing.is_here:
            raise UsageError(NOTHING_SHARED)
        if request.curves:
            raise UsageError(f"{NEEDS[CURVES].lower()}: {GIVE}, or leave --curve out")
        return replace(report, lacks=_lacks(report, known))
    with watched("matching") as progress:
        evaluation = runs.read(progress, request.sharing)
    names = _joined(report, evaluation.index.runs)
    with watched("finding words") as progress:
        more = temporal.told(
            runs,
            evaluation,
            [each.name for each in report.measures],
            names,
            request.plan,
            request.treatment.made_for(report.scored),
            progress,
            request.curves,
        )
    other = differences(evaluation.signature(), report.scored)
    report = _with_names(report, names)
    return replace(
        report,
        inputs=tuple(dict.fromkeys([*report.inputs, *more.inputs])),
        curves=more.curves,
        undrawn=more.undrawn,
        timelines=more.timelines,
        economy=more.economy,
        warnings=tuple(dict.fromkeys([*report.warnings, *other, *more.warnings])),
        lacks={} if more.curves else {CURVES: "None of these measures has a curve over time."},
    )


def _with_incidents(
    report: Report, runs: incidents.IncidentRuns, evaluation: IncidentEvaluation
) -> Report:
    """The report with types and trust."""
    names = _joined(report, evaluation.index.runs)
    inputs = input_rows(evaluation.signature(), evaluation.inputs)
    told = [*differences(evaluation.signature(), report.scored), *caveats(evaluation)]
    report = _with_names(report, names)
    return replace(
        report,
        inputs=tuple(dict.fromkeys([*report.inputs, *inputs])),
        types=tuple(incidents.types(evaluation, names)),
        trust=tuple(incidents.trust_panels(runs, evaluation, names)),
        warnings=tuple(dict.fromkeys([*report.warnings, *told, *incidents.warnings(evaluation)])),
    )


def _with_trends(report: Report, runs: filtering.FilterRuns, sharing: Sharing) -> Report:
    """The report with batches and trends."""
    evaluation = runs.read(sharing)
    names = _joined(report, evaluation.index.runs)
    asked = filtering.asked(evaluation, [each.name for each in report.measures])
    inputs = input_rows(evaluation.signature(), evaluation.inputs)
    other = differences(evaluation.signature(), report.scored)
    told = [*other, *filtering.warnings(evaluation, asked)]
    report = _with_names(report, names)
    return replace(
        report,
        inputs=tuple(dict.fromkeys([*report.inputs, *inputs])),
        trends=tuple(filtering.trend_panels(evaluation, asked, names)),
        fits=tuple(filtering.fit_rows(evaluation, asked, names)),
        warnings=tuple(dict.fromkeys([*report.warnings, *told])),
    )


def _joined(report: Report, runs: Sequence[str]) -> Names:
    """The report's runs, then those that have no score."""
    return Names(tuple(dict.fromkeys([*report.runs, *runs])), report.topics)


def _with_names(report: Report, names: Names) -> Report:
    """The report with more runs; the new ones have no value anywhere."""
    blank = (None,) * (len(names.runs) - len(report.runs))
    boards = (
        replace(each, cells=tuple((*row, *blank) for row in each.cells)) for each in report.measures
    )
    lost = [run for run in names.runs if run not in report.runs]
    said = tuple(f"run {run}: it has no scores here" for run in lost)
    return replace(
        report, runs=names.runs, measures=tuple(boards), warnings=(*report.warnings, *said)
    )


def _lacks(report: Report, known: Recorded) -> dict[str, str]:
    """What temporal scores lack for their sections; scores of other families have none of them."""
    if not any(_is_temporal(each.name) for each in report.measures):
        return {}
    trouble = f" ({known.trouble})" if known.trouble else ""
    return {section: f"{need}: {GIVE}{trouble}." for section, need in NEEDS.items()}


def _is_temporal(measure: str) -> bool:
    return any(each.family == FAMILY for each in known_measures(measure))
