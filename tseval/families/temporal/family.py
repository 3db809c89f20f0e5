"""Temporal summarization: what the family declares."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from tseval.core.declared import JITTER
from tseval.core.family import Family, View, Words, Writer
from tseval.families.temporal import evaluation, files
from tseval.families.temporal.evaluation import CORRECTED_SCORES, TemporalEvaluation
from tseval.families.temporal.measures import DEFINITIONS
from tseval.families.temporal.measures import FAMILY as NAME
from tseval.families.temporal.rules import DRAFT, TS, TS2013, TS2014, TS2015
from tseval.io import TREC_TS


def load(name: str, module: str = "explain") -> Callable[..., Any]:
    """Return a function of a module that is loaded when the function is called."""
    return lambda *given: getattr(import_module(f"tseval.families.temporal.{module}"), name)(*given)


def read(*asked: Any) -> TemporalEvaluation:
    """Read, match and index; scores are corrected if a sample was judged."""
    found = TemporalEvaluation.read(*asked)
    return load("correct", "correcting")(found) if "judged" in found.request.tables else found


FAMILY = Family(
    name=NAME,
    command="score",
    summary="Score runs of temporal summarization.",
    description="""\
\b
tseval score fixtures/runs/*.tsv fixtures/nuggets.tsv -q --at 6h

UPDATES is a table `topic update_id time text`, NUGGETS a table `topic nugget_id time text`: TSV,
CSV, JSON lines or Parquet, plain or compressed; `-` is standard input. Without --matches, a
matcher finds the updates that report each nugget.
""",
    inputs=evaluation.TemporalInputs,
    options=evaluation.TemporalOptions,
    reporting=load("reporting"),
    definitions=DEFINITIONS,
    editions=(DRAFT, TS, TS2013, TS2014, TS2015),
    read=read,
    judgments=evaluation.ReadInputs.read_judgments,
    matched=evaluation.ReadInputs.read,
    gold=load("TemporalGold", "gold"),
    schemas=tuple(reader.schema for reader in files.READERS.values()),
    over="nuggets",
    curves=True,
    batches=True,
    views=(
        View("nuggets", "each nugget and the update that reports it first", load("nuggets")),
        View("updates", "each update and the nuggets that it reports", load("updates")),
        View(
            JITTER,
            "each score with the interval in which it lies",
            load("jitter_rows", "correcting"),
            takes_measures=True,
            asked_by="--jitter",
        ),
        View(
            CORRECTED_SCORES,
            "each score, corrected by what was judged, with its intervals",
            load("corrected_rows", "correcting"),
            takes_measures=True,
            asked_by="--judged",
        ),
    ),
    writers=(
        Writer(
            (TREC_TS,),
            "the table of the track's official script",
            load("official_table"),
            takes_measures=True,
        ),
    ),
    formats=files.FORMATS,
    check_related=files.check_related,
    words=Words(),
    work="matching",
    resumes=True,
)
