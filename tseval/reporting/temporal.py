"""What a report says beside the scores where runs and nuggets are there."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tseval.comparison.directions import known_measures
from tseval.comparison.plan import Plan, Treatment
from tseval.core.family import Access
from tseval.core.measure import Measure
from tseval.core.registry import edition
from tseval.core.registry import measures as listed_measures
from tseval.core.scoring import chosen_measures, missing_topics, scores_of
from tseval.errors import UsageError
from tseval.families.temporal.draft import FAMILY
from tseval.families.temporal.evaluation import (
    ASSESSED,
    TemporalEvaluation,
    TemporalInputs,
    TemporalOptions,
    read,
)
from tseval.families.temporal.explanation import explain_economy
from tseval.matching.matching import Progress, get_matcher
from tseval.parallel.sharing import ALONE, Sharing
from tseval.reporting.bands import curve_panels
from tseval.reporting.boards import Names
from tseval.reporting.content import EconomyRow, InputRow, Panel, Timeline
from tseval.reporting.recorded import NUGGETS, Recorded, input_rows
from tseval.reporting.timelines import timelines

PANELS = 6
"""So many measures have curves, the first ones, where none is chosen."""
VERBOSITY = "V"
WORDS_OF = "fuzzy"
"""Where assessors made the matches, this matcher tells which words are alike."""


@dataclass(frozen=True)
class Runs:
    """Runs and gold, and how they are matched."""

    sources: TemporalInputs
    matcher: str | None = None
    threshold: float | None = None
    edition: str = "draft"
    rules: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, found: Recorded) -> Runs:
        """Those that files of scores record."""
        gold = dict(found.gold)
        return cls(
            TemporalInputs(list(found.updates), gold.pop(NUGGETS), **gold),
            found.matcher,
            None,
            found.traits["edition"],
            found.rules,
        )

    def read(
        self, progress: Progress | None = None, sharing: Sharing = ALONE
    ) -> TemporalEvaluation:
        """Read, match and index."""
        return read(
            self.sources,
            TemporalOptions(self.matcher, self.threshold),
            edition(self.edition, FAMILY),
            self.rules,
            Access(sharing=sharing, progress=progress),
        )

    def explainer(self) -> str:
        """The matcher that tells which words of an update say a nugget."""
        has_matcher = self.sources.matches is None and self.matcher not in (None, ASSESSED)
        return self.matcher or WORDS_OF if has_matcher else WORDS_OF


@dataclass(frozen=True)
class TemporalSections:
    """What runs and gold have to tell."""

    curves: tuple[Panel, ...]
    undrawn: tuple[str, ...]
    """The measures that have a curve which is not among them."""
    timelines: tuple[Timeline, ...]
    economy: tuple[EconomyRow, ...]
    inputs: tuple[InputRow, ...]
    warnings: tuple[str, ...]


def told(
    runs: Runs,
    evaluation: TemporalEvaluation,
    measures: Sequence[str],
    names: Names,
    plan: Plan,
    treatment: Treatment,
    progress: Progress | None = None,
    chosen: str | Sequence[str] = (),
) -> TemporalSections:
    """Curves of these measures, timelines of all topics, and what each run spent.

    Of the measures the chosen ones have curves, or the first few.
    """
    rule = treatment.on_missing or evaluation.edition.on_missing
    missing = missing_topics([evaluation.index], rule, evaluation.words)
    own = curved(measures)
    drawn = _drawn(own, chosen)
    threshold = runs.threshold if runs.explainer() == runs.matcher else None
    return TemporalSections(
        curves=curve_panels(
            evaluation,
            drawn,
            missing.counted,
            names,
            plan,
            undefined_as_zero=treatment.undefined == "zero",
        ),
        undrawn=tuple(each.name for each in own if each not in drawn),
        timelines=tuple(
            timelines(evaluation, names, get_matcher(runs.explainer(), threshold), progress)
        ),
        economy=tuple(economy(evaluation, names)),
        inputs=tuple(input_rows(evaluation.signature(), evaluation.inputs)),
        warnings=(*evaluation.warnings, *missing.warnings),
    )


def curved(measures: Sequence[str]) -> list[Measure]:
    """The measures that have curves here, without their times, each once."""
    found = [known for name in measures for known in known_measures(name) if known.family == FAMILY]
    return list(dict.fromkeys(measure.whole for measure in found))


def _drawn(own: Sequence[Measure], chosen: str | Sequence[str]) -> list[Measure]:
    """The measures with curves that are drawn; one that has none here is a `UsageError`."""
    wanted = listed_measures([chosen] if isinstance(chosen, str) else chosen, FAMILY)
    for each in wanted:
        if each not in own:
            known = ", ".join(one.name for one in own) or "none"
            raise UsageError(f"no curve of {each} here; the scores have curves of: {known}")
    return wanted or list(own[:PANELS])


def economy(evaluation: TemporalEvaluation, names: Names) -> Iterator[EconomyRow]:
    """What each run spent, best run first."""
    frame = explain_economy(evaluation.index)
    verbosity = _verbosity(evaluation)
    rows = [_economy_row(row, names, verbosity) for row in frame.to_dict("records")]
    yield from sorted(rows, key=lambda row: row.run)


def _verbosity(evaluation: TemporalEvaluation) -> dict[str, float | None]:
    """The score V of each run, where matches tell which words say something; else nothing."""
    if not evaluation.index.has_texts or evaluation.index.spans is None:
        return {}
    scores = scores_of(evaluation, chosen_measures(evaluation, [VERBOSITY]))
    return {run: scores.value(VERBOSITY, run=run) for run in scores.runs}


def _economy_row(
    row: Mapping[Hashable, Any], names: Names, verbosity: Mapping[str, float | None]
) -> EconomyRow:
    words, per_nugget = (
        None if np.isnan(row[name]) else float(row[name]) for name in ("words", "words_a_nugget")
    )
    return EconomyRow(
        run=names.run(row["run"]),
        updates=row["updates"],
        earning=row["earning"],
        repeating=row["repeating"],
        idle=row["idle"],
        words=words,
        per_nugget=per_nugget,
        verbosity=verbosity.get(row["run"]),
    )
