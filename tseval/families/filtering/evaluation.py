"""From files to everything that a measure of filtering needs: read, paired, cut, described."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tseval.core.doubtful_times import not_in_seconds, run_spans, years_apart
from tseval.core.editions import Edition
from tseval.core.family import SHORT_HASH
from tseval.core.registry import edition
from tseval.core.wording import count, listed
from tseval.errors import MissingTopics, UsageError
from tseval.families.filtering.files import read_returned, read_truth
from tseval.families.filtering.index import Constants, TrendIndex
from tseval.families.filtering.measures import FAMILY
from tseval.families.filtering.metrics import COSTS, EVEN
from tseval.families.filtering.pairs import FilterPairs, paired
from tseval.families.filtering.period import Period, seconds_of
from tseval.families.filtering.rules import FilterRules
from tseval.families.filtering.tables import Returned, Truth
from tseval.families.filtering.tally import Tally
from tseval.files.forms import Forms, check_forms, form_for
from tseval.files.frames import check_inputs
from tseval.parallel.runs import Spread
from tseval.parallel.sharing import ALONE, Sharing
from tseval.tables import InputRecord
from tseval.tables.times import written
from tseval.version import VERSION

if TYPE_CHECKING:
    import pandas as pd

    from tseval.tables.columns import BoolArray, FloatArray

    Given: TypeAlias = str | Path | pd.DataFrame

LEVELS = {"vital": 2.0, "useful": 1.0, "neutral": 0.0}
"""The rating from which on a document is positive, by its name."""
HIGHEST_CONFIDENCE = 1000.0
"""Where the scale of the track ends, whose cutoffs all editions have: none tells higher ones apart.
"""
SWEEP = "sweep"
"""What asks for every cutoff of the edition."""
DEFAULT_BATCH = "1d"
ON_MISSING = ("zero", "skip", "error")


INPUTS = ("run", "truth")
"""What the inputs are called."""


@dataclass(frozen=True)
class FilterSources:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    runs: Sequence[Given]
    truth: Given
    form: Forms = None
    """The format of all of them, or of each of `INPUTS`, where it is not to be recognised."""

    def form_of(self, name: str) -> str | None:
        """The format of one of `INPUTS`; None leaves it to its content."""
        check_forms(self.form, INPUTS)
        return form_for(self.form, name)


@dataclass(frozen=True)
class Settings:
    """What is asked for beside the rules: the parameters of `tseval.score_filtering`."""

    batches: tuple[str, ...] = (DEFAULT_BATCH,)
    start: str | None = None
    end: str | None = None
    cutoff: str = SWEEP
    cutoff_step: int | None = None
    level: str | None = None
    zeta: float = 1.0
    f_weights: tuple[float, ...] = EVEN
    costs: tuple[float, ...] = COSTS
    require_positives: int = 0
    on_missing: str | None = None

    @property
    def constants(self) -> Constants:
        """The numbers in the formulas of metrics."""
        return Constants(self.zeta, self.f_weights, self.costs)


@dataclass(frozen=True)
class FilterEvaluation:
    """Runs and truth, ready for any measure."""

    edition: Edition[FilterRules]
    index: TrendIndex
    settings: Settings
    traits: Mapping[str, str]
    inputs: tuple[InputRecord, ...]
    warnings: tuple[str, ...]

    def signature(self) -> str:
        """One line that names all that can change a number."""
        parts = {"tseval": VERSION, "edition": self.edition.name} | dict(self.traits)
        return "|".join(f"{name}:{value}" for name, value in parts.items())

    def prepared_for(self, metrics: Sequence[str], *, by_topic: bool) -> FilterEvaluation:
        """The same with an index that knows which metrics it will be asked for."""
        index = self.index
        if index.by_topic == by_topic and set(metrics) <= set(index.metrics):
            return self
        fresh = TrendIndex(index.tally, index.rules, index.constants, tuple(metrics), by_topic)
        return replace(self, index=fresh)


def read(
    sources: FilterSources,
    edition_name: str = "kenter2015",
    settings: Settings | None = None,
    given_rules: Mapping[str, str] | None = None,
    *,
    runs_needed: bool = True,
    sharing: Sharing = ALONE,
) -> FilterEvaluation:
    """Read every input; a fault in any of them is an `InputError`.

    It is the reading of the runs that is shared.
    """
    settings = _checked(settings or Settings())
    chosen = edition(edition_name, FAMILY)
    rules = rules_of(chosen).changed(given_rules or {})
    if not sources.runs and runs_needed:
        raise UsageError("no run is given: name at least one table of returned documents")
    check_inputs([*sources.runs, sources.truth])
    returned = read_returned(sources.runs, sources.form_of("run"), Spread(sharing))
    truth = read_truth(sources.truth, sources.form_of("truth"))
    level, warned = _level(truth, settings.level)
    pairs = paired(returned, truth, LEVELS[level], rules)
    tally, lost = _tally(pairs, rules, settings, chosen)
    traits = _traits(chosen, rules, settings, tally.period)
    return FilterEvaluation(
        edition=chosen,
        index=TrendIndex(tally, rules, settings.constants),
        settings=settings,
        traits=traits | {"level": level, "truth": f"sha256:{_hash(truth)}"},
        inputs=(*returned.origin.sources, *truth.origin.sources),
        warnings=(
            *warned,
            *_of_times(returned, pairs),
            *pairs.warnings,
            *lost,
            *_caveats(tally, settings),
        ),
    )


def rules_of(chosen: Edition[FilterRules]) -> FilterRules:
    """The habits of an edition of filtering."""
    return chosen.rules


def _checked(settings: Settings) -> Settings:
    """The settings, if each is one that there is."""
    if settings.level is not None and settings.level not in LEVELS:
        raise UsageError(f"level cannot be '{settings.level}': choose one of {', '.join(LEVELS)}")
    if not (np.isfinite(settings.zeta) and settings.zeta > 0):
        raise UsageError("zeta has to be above 0")
    _check_constants(settings)
    if settings.cutoff_step is not None and settings.cutoff_step < 1:
        raise UsageError("the step of cutoffs has to be 1 or more")
    if settings.on_missing not in (None, *ON_MISSING):
        known = ", ".join(ON_MISSING)
        raise UsageError(f"on_missing cannot be '{settings.on_missing}': choose one of {known}")
    if not settings.batches:
        raise UsageError("no length of batches is given")
    for length in settings.batches:
        seconds_of(length)
    return replace(settings, batches=tuple(dict.fromkeys(settings.batches)))


def _check_constants(settings: Settings) -> None:
    """Refuse weights of F and costs without a meaning."""
    weights, costs = settings.f_weights, settings.costs
    if len(weights) != len(EVEN) or not all(np.isfinite(w) and w > 0 for w in weights):
        raise UsageError("the weights of P, R and A have to be three numbers above 0: 1,1,1")
    of_no_use = not all(np.isfinite(cost) and cost > 0 for cost in costs)
    if len(costs) != len(COSTS) or of_no_use or costs[2] >= 1:
        raise UsageError(
            "the costs of a miss and a false alarm and the share of targets have to be three "
            "numbers above 0, the share below 1: 1,0.1,0.02"
        )


def _told(numbers: tuple[float, ...], default: tuple[float, ...]) -> str:
    """Numbers as a part of the signature; nothing where they are the default."""
    return "" if numbers == default else ",".join(map(written, numbers))


def _level(truth: Truth, asked: str | None) -> tuple[str, list[str]]:
    """From which rating on a document is positive.

    A plain table may say 0 and 1; then 1 is positive, and a warning says so.
    """
    if asked is not None:
        return asked, []
    if truth.official or (truth.rating >= LEVELS["vital"]).any():
        return "vital", []
    warning = "no relevance is 2 or above, so 1 is taken for positive: --level says otherwise"
    return "useful", [warning]


def cutoffs_of(rules: FilterRules, settings: Settings) -> FloatArray:
    """The cutoffs to try, ascending."""
    if settings.cutoff == SWEEP:
        step = settings.cutoff_step or rules.step
        return np.arange(rules.lowest, rules.highest + 1, step, dtype=np.float64)
    if settings.cutoff_step is not None:
        raise UsageError("a step of cutoffs has no meaning with one cutoff")
    try:
        cutoff = float(settings.cutoff)
    except ValueError:
        cutoff = np.nan
    if not np.isfinite(cutoff):
        raise UsageError(f"cutoff cannot be '{settings.cutoff}': give a number, or {SWEEP}")
    return np.array([cutoff])


def _tally(
    pairs: FilterPairs, rules: FilterRules, settings: Settings, chosen: Edition[FilterRules]
) -> tuple[Tally, list[str]]:
    """The pairs of the period, with the entities that count: those of the whole truth."""
    period = Period.of(pairs.judged.time, settings.start, settings.end)
    judged = pairs.judged.rows(period.holds(pairs.judged.time))
    kept = pairs.kept.rows(period.holds(pairs.kept.time))
    positive = np.bincount(judged.topic[judged.positive], minlength=len(judged.topics))
    wanted = positive >= settings.require_positives
    place = np.cumsum(wanted) - 1
    judged, kept = judged.rows(wanted[judged.topic]), kept.rows(wanted[kept.topic])
    topics = tuple(t for t, is_there in zip(judged.topics, wanted, strict=True) if is_there)
    judged = replace(judged, topics=topics, topic=place[judged.topic])
    kept = replace(kept, topic=place[kept.topic])
    tally = Tally(
        judged=judged,
        kept=kept,
        period=period,
        cutoffs=cutoffs_of(rules, settings),
        above=rules.kept == "above",
        taken=np.ones((len(kept.runs), len(topics)), bool),
    )
    rule = settings.on_missing or chosen.on_missing
    taken, warnings = _missing(tally, rule)
    return replace(tally, taken=taken), warnings


def _missing(tally: Tally, rule: str) -> tuple[BoolArray, list[str]]:
    """Which (run, topic) count where a run has nothing of a judged topic, and warnings."""
    runs, topics = tally.kept.runs, tally.judged.topics
    unit = tally.kept.run * len(topics) + tally.kept.topic
    present = np.bincount(unit, minlength=len(runs) * len(topics)) > 0
    present = present.reshape(len(runs), len(topics))
    present |= np.bincount(tally.judged.topic, minlength=len(topics)) == 0  # nothing to return
    how = "left out" if rule == "skip" else "counted as an empty system"
    warnings = []
    for run, there in zip(runs, present, strict=True):
        lost = [topics[at] for at in np.flatnonzero(~there).tolist()]
        said = count(len(lost), "judged topic")
        if lost and rule == "error":
            raise MissingTopics(f"run {run} has no judged documents for {said}: {listed(lost)}")
        if lost:
            warnings.append(f"run {run}: no judged documents for {said}, {how}: {listed(lost)}")
    return present if rule == "skip" else np.ones_like(present), warnings


def _traits(
    chosen: Edition[FilterRules], rules: FilterRules, settings: Settings, period: Period
) -> dict[str, str]:
    """What is not the edition's, and what was asked for."""
    changed = rules.differences(rules_of(chosen))
    required = settings.require_positives
    traits = {
        "rules": ",".join(f"{name}={value}" for name, value in changed.items()),
        "period": f"{written(period.start)}-{written(period.end)}",
        "batch": ",".join(settings.batches),
        "cutoff": settings.cutoff,
        "cutoff-step": str(settings.cutoff_step or ""),
        "zeta": "" if settings.zeta == 1 else written(settings.zeta),
        "f-weights": _told(settings.f_weights, EVEN),
        "costs": _told(settings.costs, COSTS),
        "require-positives": str(required or ""),
        "missing": settings.on_missing or chosen.on_missing,
    }
    return {name: value for name, value in traits.items() if value}


def _hash(truth: Truth) -> str:
    return truth.origin.sources[0].sha256[:SHORT_HASH]


def _of_times(returned: Returned, pairs: FilterPairs) -> Iterator[str]:
    """Whether times can hardly be seconds: then batches would be a thousand times too many."""
    latest = np.full(len(returned.run.names), -np.inf)
    np.maximum.at(latest, returned.run.codes, returned.time)
    for run, time in zip(returned.run.vocabulary(), latest.tolist(), strict=True):
        yield from not_in_seconds(f"run {run}", time)
    yield from not_in_seconds("truth", pairs.judged.time.max(initial=-np.inf))
    found = run_spans(returned.run, returned.topic, returned.time)
    yield from years_apart(found, returned.topic.vocabulary())


def _caveats(tally: Tally, settings: Settings) -> Iterator[str]:
    """What is not wrong, but what a reader of the scores should know."""
    if settings.require_positives and not tally.judged.topics:
        required = count(settings.require_positives, "positive")
        yield f"no topic has {required} or more in the period, as was required: nothing counts"
    elif not tally.judged.positive.any():
        yield "no judged document of the period is positive at this level"
    kept = tally.kept
    for code, run in enumerate(kept.runs):
        own = kept.confidence[kept.run == code]
        if len(own) > 1 and len(tally.cutoffs) > 1 and (own == own[0]).all():
            yield f"run {run}: every confidence is {own[0]:g}"
            continue
        if len(own) and (tally.passed[kept.run == code] == 0).all():
            least = tally.cutoffs[0]
            yield f"run {run}: no confidence passes the lowest cutoff, {least:g}: nothing counts"
        above = int((own > HIGHEST_CONFIDENCE).sum())
        if above and len(tally.cutoffs) > 1:
            noun = count(above, "confidence")
            yield f"run {run}: {noun} above {HIGHEST_CONFIDENCE:g}, beyond the highest cutoff"
