"""Temporal summarization: what the family declares."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tseval.core.family import Asked, Family, Shown, View, Words, Writer, Written
from tseval.core.scoring import scores_of
from tseval.errors import UsageError
from tseval.families.temporal import draft, track
from tseval.families.temporal.editions import DRAFT, TS, TS2013, TS2014, TS2015
from tseval.families.temporal.evaluation import TemporalEvaluation, read
from tseval.families.temporal.formats import FORMATS, together
from tseval.families.temporal.inputs import (
    CORRECTED_SCORES,
    JITTER,
    TemporalInputs,
    TemporalOptions,
)
from tseval.files import TREC_TS
from tseval.tables.schema import (
    CORRECTIONS,
    DUPLICATES,
    JUDGED,
    MATCHES,
    NUGGETS,
    POOL,
    TOPICS,
    UPDATES,
)

if TYPE_CHECKING:
    from tseval.core.sections import Reporting


def nugget_rows(evaluation: TemporalEvaluation, _: Asked[TemporalOptions]) -> Shown:
    """Nugget by nugget, who said it."""
    from tseval.families.temporal.explanation import explain_nuggets

    return Shown(explain_nuggets(evaluation.index))


def update_rows(evaluation: TemporalEvaluation, _: Asked[TemporalOptions]) -> Shown:
    """Update by update, what it was worth."""
    from tseval.families.temporal.explanation import explain_updates

    return Shown(explain_updates(evaluation.index))


def jitter_rows(evaluation: TemporalEvaluation, asked: Asked[TemporalOptions]) -> Shown:
    """Each score with the interval in which it lies."""
    from tseval.families.temporal.jitter import jittered

    found = jittered(evaluation, asked)
    rule = asked.on_missing or evaluation.edition.on_missing
    traits = {"missing": rule, "undefined": asked.undefined}
    return Shown(
        found.frame(per_topic=asked.per_topic),
        warnings=found.warnings,
        traits={**evaluation.traits_of(asked.measures), **traits, **found.drawn},
    )


def corrected_rows(evaluation: TemporalEvaluation, asked: Asked[TemporalOptions]) -> Shown:
    """Each corrected score with its intervals."""
    from tseval.families.temporal.correcting import CorrectedScores

    scores = scores_of(evaluation, asked.measures, asked.on_missing, asked.undefined)
    shown = scores.intervals if isinstance(scores, CorrectedScores) else scores.frame
    rule = asked.on_missing or evaluation.edition.on_missing
    traits = {"missing": rule, "undefined": asked.undefined, "seed": str(asked.options.seed)}
    return Shown(
        shown(per_topic=asked.per_topic),
        warnings=scores.warnings,
        traits={**evaluation.traits_of(asked.measures), **traits},
    )


def official_table(
    evaluation: TemporalEvaluation, asked: Asked[TemporalOptions], _: str
) -> Written:
    """The table as the script of the edition's year prints it."""
    from tseval.families.temporal.trec_table import trec_table_bytes

    edition = evaluation.edition
    if not edition.titles:
        raise UsageError(f"edition {edition.name} has no official table: see --edition")
    scores = scores_of(evaluation, asked.measures, asked.on_missing, asked.undefined)
    content = trec_table_bytes(scores, edition.titles, evaluation.teams)
    return Written(content, warnings=scores.warnings)


def reading(name: str) -> Callable[..., Any]:
    """What reads inputs for another command, of the module of its name, which is loaded then."""

    def read_once(*asked: Any) -> Any:
        return getattr(import_module(f"tseval.families.temporal.{name}"), name)(*asked)

    return read_once


def reporting() -> Reporting:
    """What a report has of it."""
    from tseval.families.temporal.report import REPORT

    return REPORT


FAMILY = Family(
    name=draft.FAMILY,
    command="score",
    summary="Temporal summarization scores of one or more runs.",
    description="""\
UPDATES are tables with the columns `topic update_id time text`, NUGGETS one with `topic
nugget_id time text`: TSV, CSV, JSON lines or Parquet, plain or compressed, `-` for standard
input. Without --matches the matcher decides which update says which nugget.

\b
tseval score mine.tsv theirs.tsv nuggets.tsv --matches matches.tsv -q --at 6h
""",
    inputs=TemporalInputs,
    options=TemporalOptions,
    reporting=reporting,
    definitions=(*draft.DEFINITIONS, *track.DEFINITIONS),
    editions=(DRAFT, TS, TS2013, TS2014, TS2015),
    read=read,
    judgments=reading("judgments"),
    matched=reading("matched"),
    schemas=(UPDATES, NUGGETS, MATCHES, TOPICS, DUPLICATES, POOL, CORRECTIONS, JUDGED),
    over="nuggets",
    curves=True,
    batches=True,
    views=(
        View("nuggets", "nugget by nugget what happened", nugget_rows),
        View("updates", "update by update what happened", update_rows),
        View(
            JITTER,
            "each score with the interval in which it lies",
            jitter_rows,
            takes_measures=True,
            asked_by="--jitter",
        ),
        View(
            CORRECTED_SCORES,
            "each score, corrected by what was judged, with its intervals",
            corrected_rows,
            takes_measures=True,
            asked_by="--judged",
        ),
    ),
    writers=(
        Writer(
            (TREC_TS,),
            "the table of the track's own script",
            official_table,
            takes_measures=True,
        ),
    ),
    formats=FORMATS,
    together=together,
    words=Words(),
    work="matching",
    resumes=True,
)
