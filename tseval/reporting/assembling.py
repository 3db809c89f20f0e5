"""From files of scores, and from what is given beside them, to a report."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tseval.comparison import Board, Comparison, Contest, Plan, Treatment, read_board
from tseval.comparison.board import known_measures, traits_of
from tseval.comparison.findings import PAIRS_SHOWN
from tseval.comparison.runs import compare_board
from tseval.comparison.with_gold import ScoredRuns
from tseval.core import registry
from tseval.core.blocks import SectionContent, Warned
from tseval.core.family import Access, Evaluation, Family
from tseval.core.measure import Measure
from tseval.core.scores import Scores
from tseval.core.scoring import apply_missing_rule, missing_topics
from tseval.core.sections import Section, Setting, Watched, unwatched
from tseval.errors import Doubt, UsageError
from tseval.io.formats import Forms, form_for
from tseval.io.rows import guarded
from tseval.io.scores import Provenance, provenance_of
from tseval.parallel.sharing import ALONE, Sharing
from tseval.records import frozen
from tseval.reporting import curves
from tseval.reporting.content import (
    LEADING,
    TOPIC,
    Download,
    InputRow,
    MeanRow,
    MeasureBoard,
    PairRow,
    Report,
    Term,
    VolumeOfRuns,
)
from tseval.reporting.inputs import (
    differences,
    input_rows,
    needed,
    parameters,
    recorded,
)

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
    beside: ScoredRuns | None = None
    """Runs and gold; None for those that the scores record, if they are still what they were."""
    curves: str | Sequence[str] = ()
    """The measures whose curves are drawn, of those of the report; the first few if none is named.
    """
    sharing: Sharing = ALONE
    """Where runs are read and matched."""


def assemble(request: Request, watched: Watched = unwatched) -> Report:
    """Read all that is asked for, and work out every number."""
    beside = request.beside
    evaluation = None if beside is None else _evaluation(beside, request, watched)
    groups = () if evaluation is None else evaluation.group_names
    board = read_board(request.scores, request.measures, request.treatment, request.form, groups)
    form = form_for(request.form, "scores")
    told = []
    scores = request.scores if isinstance(request.scores, list | tuple) else [request.scores]
    for each in scores:
        if isinstance(each, Scores):
            told.append(Provenance(each.signature, each.inputs, each.warnings))
        elif isinstance(each, str | Path) and (found := provenance_of(each, form)) is not None:
            told.append(found)
    report = _of_scores(request, board, told)
    if beside is None:
        family = _family_of(board)
        beside, trouble = recorded(told, family)
        if beside is None:
            return _without_runs(report, request, family, trouble)
    if evaluation is None:
        evaluation = _evaluation(beside, request, watched)
    return _with_sections(report, request, beside, evaluation, watched)


def _evaluation(beside: ScoredRuns, request: Request, watched: Watched) -> Evaluation:
    """What is beside the scores, read."""
    family = beside.family
    if request.curves and not family.curves:
        raise UsageError(
            f"--curve has no meaning with {needed(family)}: measures of {family.name} have no "
            "curves over time"
        )
    with watched(family.work or "reading") as progress:
        return replace(beside, access=Access(sharing=request.sharing)).evaluation(progress)


def _family_of(board: Board) -> Family[Any, Any] | None:
    """The first family of the scores that has something to show beside them."""
    for name in registry.family_names() if board.families is None else board.families:
        known = [m for each in board.measures for m in known_measures(each, (name,))]
        family = registry.family(name)
        if known and (family.curves or family.report is not None):
            return family
    return None


def _of_scores(request: Request, board: Board, told: Sequence[Provenance]) -> Report:
    """The report as far as the files of scores go."""
    found = compare_board(board, request.plan)
    signatures = tuple(dict.fromkeys(each.signature for each in told if each.signature))
    are_chosen = bool(request.measures)
    measures, leading = leading_first(board, signatures, are_chosen=are_chosen)
    ranked = [each.run for each in found.standings if each.measure == measures[0]]
    runs = tuple(dict.fromkeys([*ranked, *board.runs]))
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
    report: Report, request: Request, beside: ScoredRuns, evaluation: Evaluation, watched: Watched
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
    others = list(differences(signature, report.scored))
    doubts = [*report.doubts, *others, *missing.warnings]
    doubts += [each for each in evaluation.warnings if isinstance(each, Doubt)]
    warnings = [
        *report.warnings,
        *others,
        *evaluation.all_warnings,
        *evaluation.caveats(measures),
        *missing.warnings,
    ]
    sections = []
    shows = beside.family.report
    declared = () if shows is None else shows.sections
    if beside.family.curves:
        as_zero = treatment.undefined == "zero"
        asked = request.curves, request.plan, missing.counted
        drawn = curves.curve_blocks(evaluation, setting, *asked, as_zero=as_zero)
        over_time = Section(curves.CURVES, curves.TITLE, lambda *_: drawn, leads=True)
        declared = (over_time, *declared)
    for each in declared:
        made = list(each.blocks(evaluation, setting))
        warnings += [block.text for block in made if isinstance(block, Warned)]
        shown = tuple(block for block in made if not isinstance(block, Warned))
        lack = curves.NONE if each.name == curves.CURVES and not shown else ""
        sections.append(SectionContent(each.name, each.title, shown, lack, each.leads))
    inputs = dict.fromkeys([*report.inputs, *input_rows(signature, evaluation.inputs)])
    said = None
    if shows is not None and shows.volume is not None:
        counts = shows.volume.counted(evaluation)
        said = VolumeOfRuns(shows.volume.noun, tuple(map(counts.get, report.runs)))
    return replace(
        report,
        inputs=tuple(inputs),
        sections=tuple(sections),
        warnings=tuple(dict.fromkeys(warnings)),
        doubts=tuple(dict.fromkeys(doubts)),
        volume=said,
    )


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


# What files of scores hold.

UNBOUNDED = (-inf, inf)
SCORE_COLUMNS = ("run", "topic", "measure", "value")


def leading_first(
    board: Board, signatures: Iterable[str], *, are_chosen: bool
) -> tuple[list[str], int]:
    """The measures in a report's order, and how many of them lead it.

    Those lead that the edition of the scores names, at whatever times; of chosen measures, and
    where none of these is there, the first ones.
    """
    wanted = () if are_chosen else _leading(board, signatures)
    found = []
    for name in wanted:
        own = [each for each in board.measures if each.partition("@")[0] == name]
        # Else those that say more, such as which batches.
        found += own or [each for each in board.measures if _says_more(each, name, board)]
    leading = (found or list(board.measures))[:LEADING]
    return [*leading, *(name for name in board.measures if name not in leading)], len(leading)


def _leading(board: Board, signatures: Iterable[str]) -> tuple[str, ...]:
    """What the edition leads with that the scores name, else one of just these measures."""
    told = {traits_of(each).get("edition") for each in signatures}
    own = [each for name in board.families or () for each in registry.family(name).editions]
    named = [each for each in own if each.name in told]
    alike = (each for each in registry.all_editions() if set(each.measures) == set(board.measures))
    found = named[0] if named else next(alike, None)
    return () if found is None else found.leading


def _says_more(own: str, name: str, board: Board) -> bool:
    """Whether a measure is another one with values, and no flag, for what that leaves open."""
    known, asked = (known_measures(each, board.families) for each in (own, name))
    return any(
        each.definition is other.definition
        and {*other.arguments} <= {*each.arguments}
        and not any(
            each.definition.parameter(key).flag for key, _ in {*each.arguments} - {*other.arguments}
        )
        for each in known
        for other in asked
    )


def measure_boards(
    board: Board, found: Comparison, runs: Sequence[str], measures: Sequence[str]
) -> Iterator[MeasureBoard]:
    """Each of the measures with all that is known of it; a run is its place among the runs."""
    place = {run: at for at, run in enumerate(runs)}
    in_board = [board.runs.index(run) for run in runs]
    base = found.plan.baseline
    for measure in measures:
        contests = [each for each in found.contests if each.measure == measure]
        known = known_measures(measure, board.families) or known_measures(measure)
        higher = board.higher_is_better(measure)
        differs = {} if base is None else {each.run: each.different for each in contests}
        means = tuple(
            MeanRow(
                place[x.run], x.rank, x.topics, x.mean, x.low, x.high, x.letters, differs.get(x.run)
            )
            for x in found.standings
            if x.measure == measure
        )
        pairs = [_pair(each, place, higher) for each in contests]
        order = [each.run for each in means]
        pairs = [x if order.index(x.run) < order.index(x.other) else x.turned for x in pairs]
        cells = (each[in_board].T.tolist() for each in board.of(measure))
        yield MeasureBoard(
            name=measure,
            title=known[0].definition.summary if known else "",
            unit=known[0].unit if known else "",
            higher=higher,
            means=means,
            pairs=len(contests),
            different=sum(each.different for each in contests),
            listed=tuple(pairs) if len(pairs) <= PAIRS_SHOWN else (),
            against=tuple(_against(pairs, means, None if base is None else place[base])),
            cells=tuple(
                tuple(x if is_known else None for x, is_known in zip(*topic, strict=True))
                for topic in zip(*cells, strict=True)
            ),
            pooled=board.weighed(measure) is not None,
            cannot_tell=found.cannot_tell.get(measure, ""),
            over=_over(board, known),
            bounds=next((x.definition.bounds(x) for x in known if x.definition.bounds), UNBOUNDED),
        )


def _over(board: Board, known: Sequence[Measure]) -> str:
    """What the mean of a measure is taken over, in the words of its family."""
    nouns = set()
    for each in known:
        words = registry.family(each.family).words
        by_group = each.definition.by_group and "over" in board.traits
        nouns.add(words.groups.removesuffix("s") if by_group else words.noun)
    return nouns.pop() if len(nouns) == 1 else TOPIC


def _pair(each: Contest, place: Mapping[str, int], higher: bool) -> PairRow:
    better = None if each.better is None else place[each.better]
    ends = each.difference, each.low, each.high, each.p, each.adjusted
    pair = place[each.run], place[each.other]
    row = PairRow(*pair, each.topics, *ends, better, each.wins, each.losses)
    return row if higher else row.negated


def _against(
    pairs: Sequence[PairRow], means: Sequence[MeanRow], baseline: int | None
) -> Iterator[PairRow]:
    """The best run with each other, seen from it; or with a baseline each with that."""
    order = [each.run for each in means]
    if baseline is None:
        best = max(means, key=lambda row: row.topics).run if means else None  # of equals the first
        own = [e if e.run == best else e.turned for e in pairs if best in (e.run, e.other)]
        yield from sorted(own, key=lambda each: order.index(each.other))
        return
    seen = [each if each.other == baseline else each.turned for each in pairs]
    yield from sorted(seen, key=lambda each: order.index(each.run))


def terms(measures: Sequence[str], families: Sequence[str] | None) -> Iterator[Term]:
    """Each measure by its definition; one of several families by those of the scores."""
    for name in measures:
        own = known_measures(name, families) or known_measures(name)
        if not own:
            yield Term(name, "", (("definition", "no measure of this name is known here"),))
        for each in own:
            yield Term(name, each.definition.summary, tuple(_entries(each)))


def _entries(measure: Measure) -> Iterator[tuple[str, str]]:
    definition = measure.definition
    way = "higher is better" if definition.higher_is_better else "lower is better"
    yield "definition", definition.formula
    for name, _ in measure.arguments:
        parameter = definition.parameter(name)
        written = name if parameter.flag else f"{name}={measure.argument(name)}"
        yield "with", f"{written}: {parameter.meaning}"
    if measure.at is not None:
        yield "taken at", measure.at
    yield "direction", way
    yield "range", definition.range
    yield "empty case", definition.empty_case
    yield "citation", definition.citation


def score_downloads(board: Board, found: Comparison) -> tuple[Download, ...]:
    """The scores, the means and the pairs, in full precision."""
    scores = [
        (run, topic, measure, value if is_known else None)
        for measure in board.measures
        for run, *cells in zip(
            board.runs, *(each.tolist() for each in board.of(measure)), strict=True
        )
        for topic, value, is_known in zip(board.topics, *cells, strict=True)
    ]
    means, pairs = found.parts["means"], found.parts["pairs"]
    effects = "every pair: difference, interval, effect sizes, p values"
    return (
        _csv("scores.csv", "every score that was compared", SCORE_COLUMNS, scores),
        _csv("means.csv", "means with intervals and letters", means.kind._fields, means.rows),
        _csv("pairs.csv", effects, pairs.kind._fields, pairs.rows),
    )


def _csv(name: str, note: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Download:
    """A table for whoever reads the page: names that would be formulas there are texts."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return Download(name, note, "text/csv", guarded(text.getvalue().encode(), "csv", safe=True))
