"""Runs held against each other by what they say of the gold: scored here, and who is earlier."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, Unpack

import numpy as np

from tseval.comparison.board import Board, build_board, scores_table
from tseval.comparison.findings import FindingRows, Findings, or_none
from tseval.comparison.plan import ALPHA, LEAD, RESAMPLES, Plan, Treatment
from tseval.comparison.runs import check_baseline, means_of_topics, signature
from tseval.core import declared, registry
from tseval.core.family import Access, Evaluation, Family, several
from tseval.core.measure import Measure
from tseval.core.naming import AS_THEY_ARE, Naming, named
from tseval.core.scoring import chosen_measures, scores_of
from tseval.core.wording import count, listed
from tseval.errors import UsageError
from tseval.io.columns import Columns, TimeWords
from tseval.io.formats import Forms
from tseval.io.times import UNITS
from tseval.parallel.sharing import Progress
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.io.given import Given, Runs

Read = TypeVar("Read")


@frozen
class ScoredRuns:
    """Runs and gold of a family, and everything by which its command would score them."""

    family: Family[Any, Any]
    inputs: Any
    options: Any
    edition: str | None = None
    """The family's first if none is named."""
    rules: Mapping[str, str] = field(default_factory=dict)
    measures: tuple[str | Measure, ...] = ()
    at: tuple[str, ...] = ()
    naming: Naming = AS_THEY_ARE
    """What the inputs call columns and runs."""
    access: Access = field(default_factory=Access)
    """The formats of the inputs, and where runs are read and matched."""

    def judgments(self) -> Any:
        """Everything read once, for scores without some of the judgments."""
        if self.family.judgments is None:
            raise UsageError(f"no judgments of {self.family.name} can be left out")
        return self._read(self.family.judgments, self.access)

    def matched(self) -> Any:
        """Everything read once, for scores by one matcher after the other."""
        if self.family.matched is None:
            raise UsageError(f"no matcher finds anything in {self.family.name}")
        return self._read(self.family.matched, self.access)

    def evaluation(self, progress: Progress | None = None) -> Evaluation:
        """The runs, read and matched."""
        return self._read(self.family.read, replace(self.access, progress=progress))

    def board_of(self, evaluation: Evaluation, treatment: Treatment) -> Board:
        """Return the board of their scores; by default what is missing follows the edition."""
        wanted = chosen_measures(evaluation, self.measures, self.at)
        scores = scores_of(evaluation, wanted, treatment.on_missing, treatment.undefined)
        # What was to be counted as 0 is a score by now; what is not there was to be skipped.
        left = replace(treatment, on_missing="skip")
        return replace(build_board(scores_table(scores), (), left), warnings=scores.warnings)

    def _read(self, reader: Callable[..., Read], access: Access) -> Read:
        edition = registry.edition(self.edition, self.family.name)
        asked = declared.rules(self.rules.items(), self.options)
        return reader(named(self.inputs, self.naming), self.options, edition, asked, access)


def runs_of_call(inputs: Mapping[str, Any], options: Mapping[str, Any], **more: Any) -> ScoredRuns:
    """Return runs with their gold as a caller gives them, by the names of inputs and options."""
    of = registry.family(registry.FIRST)
    files = {**inputs, "updates": several(inputs["updates"])}
    return ScoredRuns(
        of, declared.build(of.inputs, files), declared.build(of.options, options), **more
    )


def lead(
    updates: Runs,
    nuggets: Given,
    matches: Given | None = None,
    matcher: str | None = None,
    *,
    threshold: float | None = None,
    topics: Given | None = None,
    duplicates: Given | None = None,
    pool: Given | None = None,
    corrections: Given | None = None,
    edition: str | None = None,
    rules: Mapping[str, str] | None = None,
    baseline: str | None = None,
    interval: str = Plan.interval,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    seed: int = 0,
    input_format: Forms = None,
    columns: Columns = None,
    **timing: Unpack[TimeWords],
) -> Findings:
    """How much earlier each run says the nuggets that both of two say.

    Runs and gold are what `tseval.score` takes; the parameters of the comparison are the options of
    `tseval compare`. The part `leads` has a row for each pair.
    """
    plan = Plan(baseline=baseline, interval=interval, alpha=alpha, resamples=resamples, seed=seed)
    runs = runs_of_call(
        {
            "updates": updates,
            "nuggets": nuggets,
            "matches": matches,
            "topics": topics,
            "duplicates": duplicates,
            "pool": pool,
            "corrections": corrections,
        },
        {"matcher": matcher, "threshold": threshold},
        edition=edition,
        rules=rules or {},
        naming=Naming.of(columns, timing),
        access=Access(input_format),
    )
    return leads(runs.evaluation(), plan)


NUMBERS = 4
"""A pair's numbers of each topic: mean, median, and the shares that are earlier and later."""


class Lead(NamedTuple):
    """How far `run` is ahead of `other` on the nuggets that both said; None is undefined.

    In hours, positive where `run` is earlier. `mean`, `median` and the shares of nuggets on which
    `run` is `earlier` or `later` are taken in each topic over the nuggets shared there; what stands
    here is the mean over the topics that share any, with its interval.
    """

    run: str
    other: str
    topics: int
    nuggets: int
    mean: float | None
    mean_low: float | None
    mean_high: float | None
    median: float | None
    median_low: float | None
    median_high: float | None
    earlier: float | None
    earlier_low: float | None
    earlier_high: float | None
    later: float | None


def leads(evaluation: Evaluation, plan: Plan) -> Findings:
    """Every pair of runs, or each run with the baseline, head to head."""
    index, firsts = evaluation.index, evaluation.firsts
    topics: Sequence[str] = index.topics
    check_baseline(index.runs, plan)
    pairs: list[tuple[str, str]] = list(combinations(index.runs, 2))
    if plan.baseline is not None:
        pairs = [(run, plan.baseline) for run in index.runs if run != plan.baseline]
    run, topic = firsts.unit // len(topics), firsts.unit % len(topics)
    rows_of = {name: np.flatnonzero(run == at) for at, name in enumerate(index.runs)}
    values = np.full((len(topics), NUMBERS, len(pairs)), np.nan)
    shared = np.zeros(len(pairs), np.int64)
    for at, (ours, theirs) in enumerate(pairs):
        mine, others = rows_of[ours], rows_of[theirs]
        _, *both = np.intersect1d(
            firsts.gold[mine], firsts.gold[others], assume_unique=True, return_indices=True
        )
        mine, others = mine[both[0]], others[both[1]]
        hours, where = (firsts.time[others] - firsts.time[mine]) / UNITS["h"], topic[mine]
        shared[at] = len(hours)
        for code in np.unique(where).tolist():
            ahead = np.sort(hours[where == code])  # so that sums are the same in any order
            middle = np.median(ahead)
            values[code, :, at] = ahead.mean(), middle, (ahead > 0).mean(), (ahead < 0).mean()
    flat = values.reshape(len(topics), -1)
    known = ~np.isnan(flat)
    means = means_of_topics(np.where(known, flat, 0.0), known, topics, plan)
    numbers = np.stack(means, axis=1).reshape(NUMBERS, len(pairs), len(means)).swapaxes(0, 1)
    in_topics = known.reshape(values.shape)[:, 0].sum(axis=0).tolist()
    rows = [
        Lead(*pair, number, nuggets, *map(or_none, each.ravel()[: 3 * NUMBERS - 2]))
        for pair, number, nuggets, each in zip(
            pairs, in_topics, shared.tolist(), numbers, strict=True
        )
    ]
    used = ("baseline", "interval", "alpha", "resamples", "seed")
    traits = {name: value for name, value in plan.traits().items() if name in used}
    return Findings(
        parts={"leads": FindingRows(Lead, tuple(rows))},
        signature=signature(LEAD, {"of": f"({evaluation.signature()})"}, traits),
        inputs=evaluation.inputs,
        warnings=(*evaluation.all_warnings, *_caveats(rows)),
    )


def _caveats(rows: Sequence[Lead]) -> Iterator[str]:
    """Pairs of which nothing can be said, and runs that nothing can be held against."""
    if not rows:
        yield "there are no two runs to hold against each other"
    apart = [f"{each.run} and {each.other}" for each in rows if not each.nuggets]
    if apart:
        yield f"{count(len(apart), 'pair')} said no nugget in common: {listed(apart)}"
