"""What the calls in Python over updates and nuggets give; their parameters are declared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tseval.core.calling import Asking, curved, evaluated, explained, scored
from tseval.core.family import Asked, asked_for
from tseval.core.scores import Scores
from tseval.core.scoring import chosen_measures
from tseval.families.temporal.correcting import Jitter, jittered
from tseval.families.temporal.evaluation import DEFAULT_MATCHER, TemporalEvaluation
from tseval.matching.found import found_frame, found_rows
from tseval.matching.matching import get_matcher

if TYPE_CHECKING:
    import pandas as pd


def score(asking: Asking) -> Scores:
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
    return scored(*asking)


def jitter(asking: Asking) -> Jitter:
    """How far scores move if every nugget's time is wrong by up to `within`, such as `1h`.

    Each of the `samples` moves every nugget by an error of its own, drawn evenly from -`within` to
    +`within`; the interval holds the middle 95 % of the values. The other parameters are those of
    `score`; the default measures are `Rs` and `T`.
    """
    evaluation, (_, _, options, common, _) = evaluated(*asking), asking
    wanted = chosen_measures(evaluation, asked_for(common.measures), common.at)
    missing, undefined = common.on_missing, common.undefined
    asked = Asked(tuple(wanted), options, on_missing=missing, undefined=undefined)
    return jittered(evaluation, asked)


def curve(asking: Asking) -> pd.DataFrame:
    """The measures as functions of time: a row for each time at which one can change.

    The columns are `run topic measure time hours value`: from just after `time` on, `hours` after
    the topic's start, the measure has this value, until the next row. `per_topic` has every topic
    as well as `all`. The other parameters are those of `score`.
    """
    return curved(*asking)


def explain(asking: Asking, what: str) -> pd.DataFrame:
    """Why a run scored what it did: nugget by nugget, or with `what="updates"` update by update.

    The columns are those of `tseval score --explain`, with times as time stamps. The other
    parameters are those of `score`.
    """
    return explained(*asking, view=what)


def match(asking: Asking) -> pd.DataFrame:
    """The matches that a matcher finds, one a row, with score and evidence.

    The columns are those of `tseval match`; the frame can be given back as `matches`. The other
    parameters are those of `score`.
    """
    evaluation: TemporalEvaluation = evaluated(*asking)
    options, laid = asking.options, evaluation.traits.get("corrections")
    using = get_matcher(options.matcher or DEFAULT_MATCHER, options.threshold, options.terms)
    rows = found_rows(using, evaluation.updates, evaluation.nuggets, evaluation.pairs, laid)
    return found_frame(list(rows), graded=bool(using.grades))
