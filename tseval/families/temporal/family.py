"""Temporal summarization: what the family declares."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tseval.core.declared import JITTER
from tseval.core.family import Family, Gold, View, Words, Writer
from tseval.families.temporal import files
from tseval.families.temporal.evaluation import (
    CORRECTED_SCORES,
    TemporalEvaluation,
    TemporalInputs,
    TemporalOptions,
    read_judgments,
    read_matched,
)
from tseval.families.temporal.measures import DEFINITIONS
from tseval.families.temporal.measures import FAMILY as NAME
from tseval.families.temporal.rules import DRAFT, TS, TS2013, TS2014, TS2015
from tseval.io import TREC_TS
from tseval.io.schema import (
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


def show(name: str, module: str = "explain") -> Callable[..., Any]:
    """Return what shows a view, of a module that is loaded then."""

    def show_lazily(*asked: Any) -> Any:
        return getattr(import_module(f"tseval.families.temporal.{module}"), name)(*asked)

    return show_lazily


def read_gold(*given: Any) -> Gold:
    """Read everything but the runs."""
    from tseval.families.temporal.gold import TemporalGold

    return TemporalGold(*given)


def reporting() -> Reporting:
    """Return what a report has of it."""
    from tseval.families.temporal.explain import REPORT

    return REPORT


FAMILY = Family(
    name=NAME,
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
    definitions=DEFINITIONS,
    editions=(DRAFT, TS, TS2013, TS2014, TS2015),
    read=TemporalEvaluation.read,
    judgments=read_judgments,
    matched=read_matched,
    gold=read_gold,
    schemas=(UPDATES, NUGGETS, MATCHES, TOPICS, DUPLICATES, POOL, CORRECTIONS, JUDGED),
    over="nuggets",
    curves=True,
    batches=True,
    views=(
        View("nuggets", "nugget by nugget what happened", show("nuggets")),
        View("updates", "update by update what happened", show("updates")),
        View(
            JITTER,
            "each score with the interval in which it lies",
            show("jitter_rows", "correcting"),
            takes_measures=True,
            asked_by="--jitter",
        ),
        View(
            CORRECTED_SCORES,
            "each score, corrected by what was judged, with its intervals",
            show("corrected_rows", "correcting"),
            takes_measures=True,
            asked_by="--judged",
        ),
    ),
    writers=(
        Writer(
            (TREC_TS,),
            "the table of the track's own script",
            show("official_table"),
            takes_measures=True,
        ),
    ),
    formats=files.FORMATS,
    check_related=files.check_related,
    words=Words(),
    work="matching",
    resumes=True,
)
