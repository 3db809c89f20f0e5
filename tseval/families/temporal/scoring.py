"""`tseval.score`, and beside it `curve`, `explain`, `match` and `jitter`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Unpack

from tseval.core import family
from tseval.core.calling import CommonOptions, Where, curved, evaluated, explained, scored
from tseval.core.family import asked_for, several
from tseval.core.measure import Measure
from tseval.core.scores import Scores
from tseval.core.scoring import OnMissing, Undefined, chosen_measures
from tseval.families.temporal.correcting import Jitter, jittered
from tseval.families.temporal.evaluation import (
    DEFAULT_MATCHER,
    SAMPLES,
    TemporalEvaluation,
    TemporalInputs,
    TemporalOptions,
)
from tseval.families.temporal.family import FAMILY
from tseval.files.columns import Columns, TimeWords
from tseval.files.forms import Forms
from tseval.matching.found import found_frame, found_rows
from tseval.matching.matching import get_matcher

if TYPE_CHECKING:
    import pandas as pd

    from tseval.files.given import Given, Runs
    from tseval.parallel.engine import Engine


def score(
    updates: Runs,
    nuggets: Given,
    matches: Given | None = None,
    matcher: str = DEFAULT_MATCHER,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    threshold: float | None = None,
    topics: Given | None = None,
    duplicates: Given | None = None,
    pool: Given | None = None,
    corrections: Given | None = None,
    judged: Given | None = None,
    at: str | Sequence[str] | None = None,
    on_missing: OnMissing | None = None,
    undefined: Undefined = "skip",
    edition: str = "draft",
    rules: Mapping[str, str] | None = None,
    jobs: int | None = None,
    engine: str | Engine = "local",
    scheduler: str | None = None,
    resume: bool = False,
    input_format: Forms = None,
    columns: Columns = None,
    **timing: Unpack[TimeWords],
) -> Scores:
    """Score one or more runs against gold nuggets.

    Every table may be a path, `-`, or a pandas frame with the columns of the plain tables; several
    runs are a list of them, or one table with a column `run`. With `matches` these are used;
    without, `matcher` finds them (default `learned`), and verdicts in `corrections` are laid over
    them. With `judged`, a sample of `tseval.sample` with verdicts, its matcher is used, and scores
    are `CorrectedScores`, with intervals. `measures` are names or `Measure` values, the
    edition's list by default; `at` adds each of them at these times. `rules` are combined with
    those of the edition: `{"unsampled": "skip"}`. `jobs`, `engine`, `scheduler` and `resume` say
    where matching runs, and change no score. `input_format` names the format of all inputs, or of
    some: `{"nuggets": "csv"}`.

    Bad input raises an `InputError` that names the place, a wrong name a `UsageError`.
    """
    return scored(
        FAMILY,
        TemporalInputs(
            several(updates), nuggets, matches, topics, duplicates, pool, corrections, judged
        ),
        TemporalOptions(_matcher(matcher, matches, judged), threshold),
        CommonOptions(
            measures, at, edition, rules or {}, on_missing, undefined, input_format, columns, timing
        ),
        Where(jobs, engine, scheduler, resume),
    )


def jitter(
    updates: Runs,
    nuggets: Given,
    matches: Given | None = None,
    matcher: str = DEFAULT_MATCHER,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    within: str = "1h",
    samples: int = SAMPLES,
    seed: int = 0,
    threshold: float | None = None,
    topics: Given | None = None,
    duplicates: Given | None = None,
    pool: Given | None = None,
    corrections: Given | None = None,
    at: str | Sequence[str] | None = None,
    on_missing: OnMissing | None = None,
    undefined: Undefined = "skip",
    edition: str = "draft",
    rules: Mapping[str, str] | None = None,
) -> Jitter:
    """How far scores move if every nugget's time is wrong by up to `within`, such as `1h`.

    Each of the `samples` moves every nugget by an error of its own, drawn evenly from -`within` to
    +`within`; the interval holds the middle 95 % of the values. The other parameters are those of
    `score`; the default measures are `Rs` and `T`.
    """
    options = TemporalOptions(
        _matcher(matcher, matches), threshold, jitter=within, samples=samples, seed=seed
    )
    evaluation = evaluated(
        FAMILY,
        TemporalInputs(several(updates), nuggets, matches, topics, duplicates, pool, corrections),
        options,
        CommonOptions(measures, at, edition, rules or {}),
    )
    wanted = chosen_measures(evaluation, asked_for(measures), at)
    asked = family.Asked(tuple(wanted), options, on_missing=on_missing, undefined=undefined)
    return jittered(evaluation, asked)


def curve(
    updates: Runs,
    nuggets: Given,
    matches: Given | None = None,
    matcher: str = DEFAULT_MATCHER,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    per_topic: bool = False,
    threshold: float | None = None,
    topics: Given | None = None,
    duplicates: Given | None = None,
    pool: Given | None = None,
    corrections: Given | None = None,
    on_missing: OnMissing | None = None,
    undefined: Undefined = "skip",
    edition: str = "draft",
    rules: Mapping[str, str] | None = None,
    input_format: Forms = None,
    columns: Columns = None,
    **timing: Unpack[TimeWords],
) -> pd.DataFrame:
    """The measures as functions of time: a row for each time at which one can change.

    The columns are `run topic measure time hours value`: from just after `time` on, `hours` after
    the topic's start, the measure has this value, until the next row. `per_topic` has every topic
    as well as `all`. The other parameters are those of `score`.
    """
    asked = CommonOptions(
        *(measures, None, edition, rules or {}, on_missing, undefined, input_format, columns),
        times=timing,
        per_topic=per_topic,
    )
    inputs = TemporalInputs(
        several(updates), nuggets, matches, topics, duplicates, pool, corrections
    )
    return curved(FAMILY, inputs, TemporalOptions(_matcher(matcher, matches), threshold), asked)


def explain(
    updates: Runs,
    nuggets: Given,
    matches: Given | None = None,
    matcher: str = DEFAULT_MATCHER,
    what: str = "nuggets",
    *,
    threshold: float | None = None,
    topics: Given | None = None,
    duplicates: Given | None = None,
    pool: Given | None = None,
    corrections: Given | None = None,
    edition: str = "draft",
    rules: Mapping[str, str] | None = None,
    input_format: Forms = None,
    columns: Columns = None,
    **timing: Unpack[TimeWords],
) -> pd.DataFrame:
    """Why a run scored what it did: nugget by nugget, or with `what="updates"` update by update.

    The columns are those of `tseval score --explain`, with times as time stamps. The other
    parameters are those of `score`.
    """
    asked = CommonOptions(
        *(None, None, edition, rules or {}, None, "skip", input_format, columns, timing)
    )
    inputs = TemporalInputs(
        several(updates), nuggets, matches, topics, duplicates, pool, corrections
    )
    options = TemporalOptions(_matcher(matcher, matches), threshold)
    return explained(FAMILY, inputs, options, asked, what)


def match(
    updates: Runs,
    nuggets: Given,
    matcher: str = DEFAULT_MATCHER,
    *,
    threshold: float | None = None,
    pool: Given | None = None,
    corrections: Given | None = None,
    jobs: int | None = None,
    engine: str | Engine = "local",
    scheduler: str | None = None,
    resume: bool = False,
    input_format: Forms = None,
    columns: Columns = None,
    **timing: Unpack[TimeWords],
) -> pd.DataFrame:
    """The matches that a matcher finds, one a row, with score and evidence.

    The columns are those of `tseval match`; the frame can be given back as `matches`. The other
    parameters are those of `score`.
    """
    evaluation: TemporalEvaluation = evaluated(
        FAMILY,
        TemporalInputs(several(updates), nuggets, pool=pool, corrections=corrections),
        TemporalOptions(matcher, threshold),
        CommonOptions(forms=input_format, columns=columns, times=timing),
        Where(jobs, engine, scheduler, resume),
    )
    using, laid = get_matcher(matcher, threshold), evaluation.traits.get("corrections")
    rows = found_rows(using, evaluation.updates, evaluation.nuggets, evaluation.pairs, laid)
    return found_frame(list(rows), graded=bool(using.grades))


def _matcher(matcher: str, *others: Given | None) -> str | None:
    """The matcher, unless it is the default one and matches, or a sample, stand in its place."""
    known = any(each is not None for each in others)
    return None if known and matcher == DEFAULT_MATCHER else matcher
