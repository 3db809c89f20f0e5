"""From files of scores, and from what is given beside them, to a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tseval.comparison import Board, Plan, Treatment, read_board
from tseval.comparison.board import known_measures
from tseval.comparison.runs import compare_board
from tseval.core import registry
from tseval.core.blocks import SectionContent, Warned
from tseval.core.family import Evaluation, Family
from tseval.core.measure import Measure
from tseval.core.scores import Scores
from tseval.core.scoring import apply_missing_rule, missing_topics
from tseval.core.sections import Section, Setting, Watched, unwatched
from tseval.errors import Doubt, UsageError
from tseval.io.formats import Forms, form_for
from tseval.io.scores import Provenance, provenance_of
from tseval.parallel.sharing import ALONE, Sharing
from tseval.records import frozen
from tseval.reporting import curves
from tseval.reporting.boards import (
    leading_first,
    measure_boards,
    ranked_runs,
    score_downloads,
    terms,
)
from tseval.reporting.content import InputRow, Report, VolumeOfRuns
from tseval.reporting.inputs import ReportInputs, needed, parameters
from tseval.reporting.recorded import differences, input_rows, recorded

if TYPE_CHECKING:
    from tseval.comparison import Given

TITLE = "Runs compared"


@frozen
class Request:
    """What a report is asked for."""

    scores: Given | Sequence[Given]
    measures: Iterable[str | Measure] | str | Measure = ()
    treatment: Treatment = field(default_factory=Treatment)
    plan: Plan = field(default_factory=Plan)
    form: Forms = None
    title: str = TITLE
    beside: ReportInputs | None = None
    """Runs and gold; None for those that the scores record, if they are still what they were."""
    curves: str | Sequence[str] = ()
    """The measures whose curves are drawn, of those of the report; the first few if none is named.
    """
    sharing: Sharing = ALONE
    """Where runs are read and matched."""

    @property
    def several(self) -> Sequence[Given]:
        """The scores one by one."""
        one = not isinstance(self.scores, list | tuple)
        return [self.scores] if one else self.scores  # type: ignore[list-item,return-value]


def assemble(request: Request, watched: Watched = unwatched) -> Report:
    """Read all that is asked for, and work out every number."""
    beside = request.beside
    evaluation = None if beside is None else _evaluation(beside, request, watched)
    groups = () if evaluation is None else evaluation.group_names
    board = read_board(request.scores, request.measures, request.treatment, request.form, groups)
    form = form_for(request.form, "scores")
    told = [found for each in request.several if (found := _provenance(each, form)) is not None]
    report = _of_scores(request, board, told)
    if beside is None:
        family = _family_of(board)
        record = recorded(told, family)
        beside = None if family is None else record.report_inputs(family)
        if beside is None:
            return _without_runs(report, request, family, record.trouble)
    if evaluation is None:
        evaluation = _evaluation(beside, request, watched)
    return _with_sections(report, request, beside, evaluation, watched)


def _evaluation(beside: ReportInputs, request: Request, watched: Watched) -> Evaluation:
    """What is beside the scores, read."""
    family = beside.family
    if request.curves and not family.curves:
        raise UsageError(
            f"--curve has no meaning with {needed(family)}: measures of {family.name} have no "
            "curves over time"
        )
    with watched(family.work or "reading") as progress:
        return beside.read(request.sharing, progress)


def _family_of(board: Board) -> Family[Any, Any] | None:
    """The first family of the scores that has something to show beside them."""
    for name in registry.family_names() if board.families is None else board.families:
        known = [m for each in board.measures for m in known_measures(each, (name,))]
        family = registry.family(name)
        if known and (family.curves or family.report is not None):
            return family
    return None


def _provenance(given: Given, form: str | None) -> Provenance | None:
    """How scores came about, as far as they tell."""
    if isinstance(given, Scores):
        return Provenance(given.signature, given.inputs, given.warnings)
    return provenance_of(given, form) if isinstance(given, str | Path) else None


def _of_scores(request: Request, board: Board, told: Sequence[Provenance]) -> Report:
    """The report as far as the files of scores go."""
    found = compare_board(board, request.plan)
    signatures = tuple(dict.fromkeys(each.signature for each in told if each.signature))
    are_chosen = bool(request.measures)
    measures, leading = leading_first(board, signatures, are_chosen=are_chosen)
    runs = ranked_runs(board, found, measures[0])
    recorded_inputs = [row for each in told for row in input_rows(each.signature, each.inputs)]
    known = {(row.path, row.sha256) for row in recorded_inputs}  # those of scores in memory too
    inputs = [
        InputRow("scores", each.path, each.sha256, each.rows)
        for each in board.inputs
        if (each.path, each.sha256) not in known
    ]
    told_warnings = [warning for each in told for warning in each.warnings]
    baseline = request.plan.baseline
    doubts = found.warnings if len(board.runs) > 1 else board.warnings
    return Report(
        title=request.title,
        signature=found.signature,
        scored=signatures,
        inputs=tuple(dict.fromkeys([*inputs, *recorded_inputs])),
        runs=runs,
        topics=board.topics,
        measures=tuple(measure_boards(board, found, runs, measures)),
        level=request.plan.level,
        baseline=None if baseline is None else runs.index(baseline),
        warnings=tuple(dict.fromkeys([*told_warnings, *doubts])),
        doubts=doubts,
        leading=leading,
        terms=tuple(terms(measures, board.families)),
        downloads=score_downloads(board, found),
    )


def _with_sections(
    report: Report, request: Request, beside: ReportInputs, evaluation: Evaluation, watched: Watched
) -> Report:
    """The report with curves over time, and with the sections of the family."""
    report = _with_runs(report, evaluation.index.runs)
    within = (beside.family.name,)
    measures = tuple(m for each in report.measures for m in known_measures(each.name, within))
    setting = Setting(report.runs, measures, beside.options, watched)
    treatment = request.treatment.made_for(report.scored)
    evaluation = apply_missing_rule(evaluation, treatment.on_missing).prepared_for(
        measures, per_topic=False
    )
    signature = evaluation.signature()
    rule = treatment.on_missing or "zero"
    missing = missing_topics([evaluation.index], rule, evaluation.words, evaluation.missing_parts())
    doubts = [*report.doubts, *differences(signature, report.scored), *missing.warnings]
    doubts += [each for each in evaluation.warnings if isinstance(each, Doubt)]
    warnings = [
        *report.warnings,
        *differences(signature, report.scored),
        *evaluation.all_warnings,
        *evaluation.caveats(measures),
        *missing.warnings,
    ]
    sections = []
    declared = () if beside.family.report is None else beside.family.report.sections
    if beside.family.curves:
        asked = curves.CurveOptions(request.curves, request.plan, treatment)
        drawn = curves.curve_blocks(evaluation, setting, asked)
        over_time = Section(curves.CURVES, curves.TITLE, lambda *_: drawn, leads=True)
        declared = (over_time, *declared)
    for each in declared:
        made = list(each.blocks(evaluation, setting))
        warnings += [block.text for block in made if isinstance(block, Warned)]
        shown = tuple(block for block in made if not isinstance(block, Warned))
        lack = curves.NONE if each.name == curves.CURVES and not shown else ""
        sections.append(SectionContent(each.name, each.title, shown, lack, each.leads))
    inputs = dict.fromkeys([*report.inputs, *input_rows(signature, evaluation.inputs)])
    return replace(
        report,
        inputs=tuple(inputs),
        sections=tuple(sections),
        warnings=tuple(dict.fromkeys(warnings)),
        doubts=tuple(dict.fromkeys(doubts)),
        volume=_volume(beside.family, evaluation, report.runs),
    )


def _volume(
    family: Family[Any, Any], evaluation: Evaluation, runs: Sequence[str]
) -> VolumeOfRuns | None:
    """How much each run says, where the family counts that."""
    if family.report is None or family.report.volume is None:
        return None
    counts = family.report.volume.counted(evaluation)
    return VolumeOfRuns(family.report.volume.noun, tuple(map(counts.get, runs)))


def _without_runs(
    report: Report, request: Request, family: Family[Any, Any] | None, trouble: str
) -> Report:
    """The report, with what its other sections would need; what needs runs is refused."""
    if not request.sharing.is_in_process:
        ways = "runs and gold" if family is None else needed(family)
        raise UsageError(
            f"no runs are read here, so there is no work to share: give {ways}, or leave --jobs, "
            "--engine and --scheduler out"
        )
    if family is None:
        if request.curves:
            raise UsageError("no curve here: these are scores of no known family")
        return report
    hint = "" if family.report is None else family.report.hint
    give = f"give them as {needed(family)}{hint}"
    gold = [each.what.metavar.lower() for each in parameters(family) if each.required][-1]
    over_time = f"Curves over time need the runs and the {gold}"
    if request.curves:
        raise UsageError(f"{over_time[0].lower()}{over_time[1:]}: {give}, or leave --curve out")
    lacks = [(curves.CURVES, curves.TITLE, over_time, True)] if family.curves else []
    declared = () if family.report is None else family.report.sections
    lacks += [(each.name, each.title, each.needs, each.leads) for each in declared if each.needs]
    told = f" ({trouble})" if trouble else ""
    return replace(
        report,
        sections=tuple(
            SectionContent(name, title, lack=f"{needs}: {give}{told}.", leads=leads)
            for name, title, needs, leads in lacks
        ),
    )


def _with_runs(report: Report, runs: Sequence[str]) -> Report:
    """The report with more runs after its own; the new ones have no value anywhere."""
    added = [run for run in runs if run not in report.runs]
    blank = (None,) * len(added)
    boards = (
        replace(each, cells=tuple((*row, *blank) for row in each.cells)) for each in report.measures
    )
    warnings = tuple(f"run {run}: it has no scores here" for run in added)
    return replace(
        report,
        runs=(*report.runs, *added),
        measures=tuple(boards),
        warnings=(*report.warnings, *warnings),
        doubts=(*report.doubts, *warnings),
    )
