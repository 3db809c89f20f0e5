"""Incident streams: what the family declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tseval.core.family import Asked, Family, Shown, View, Writer, Written
from tseval.families.incidents import alerts, information_types, priorities
from tseval.families.incidents.alerts import WORTH
from tseval.families.incidents.editions import (
    INCIDENT_2018,
    INCIDENT_2018V2,
    INCIDENT_2019A,
    INCIDENT_2019B,
    INCIDENT_2021,
    INCIDENT_NOTE,
    INCIDENT_PROPOSAL,
)
from tseval.families.incidents.evaluation import IncidentEvaluation, read
from tseval.families.incidents.explanation import confusion_table, explain_alerts
from tseval.families.incidents.formats import FORMATS
from tseval.families.incidents.index import FAMILY as NAME
from tseval.families.incidents.ineffective_options import (
    ALERTS_SHOW,
    TYPES_SHOW,
)
from tseval.families.incidents.inputs import (
    ALERTS,
    TREC_IS,
    TYPES,
    IncidentInputs,
    IncidentOptions,
)
from tseval.families.incidents.picture import trust_picture
from tseval.families.incidents.tables import LABELS, PREDICTIONS
from tseval.families.incidents.trec_is import official_files
from tseval.files import PICTURES

if TYPE_CHECKING:
    from tseval.core.sections import Reporting


def shown_alerts(evaluation: IncidentEvaluation, _: Asked[IncidentOptions]) -> Shown:
    """Missed and false alerts."""
    index = evaluation.index
    reads = index.rules.effective(WORTH).union(ALERTS_SHOW)
    evaluation.choices.check_shown(reads, f"--explain {ALERTS}")
    frame = explain_alerts(index, evaluation.tables.labels.post_id)
    return Shown(frame, warnings=tuple(evaluation.choices.unread(reads)))


def shown_types(evaluation: IncidentEvaluation, _: Asked[IncidentOptions]) -> Shown:
    """What was right and wrong, type by type."""
    evaluation.choices.check_shown(TYPES_SHOW, f"--explain {TYPES}")
    warnings = tuple(evaluation.choices.unread(TYPES_SHOW))
    return Shown(confusion_table(evaluation.index), warnings=warnings)


def picture(evaluation: IncidentEvaluation, asked: Asked[IncidentOptions], _: str) -> Written:
    """Worth and false alerts along the stream."""
    reads = evaluation.index.rules.effective(WORTH)
    evaluation.choices.check_shown(reads, "the picture")
    drawn = trust_picture(evaluation, asked.options.events)
    return Written(picture=drawn, warnings=tuple(evaluation.choices.unread(reads)))


def track_files(evaluation: IncidentEvaluation, asked: Asked[IncidentOptions], _: str) -> Written:
    """The track's own files."""
    files, warnings = official_files(
        evaluation, asked.on_missing, track_names=asked.options.track_names
    )
    return Written(files=files, warnings=warnings)


def reporting() -> Reporting:
    """What a report has of it."""
    from tseval.families.incidents.report import REPORT

    return REPORT


FAMILY = Family(
    name=NAME,
    command="incidents",
    summary="Information types, priority and alerts of incident streams.",
    description="""\
RUN is a run of TREC Incident Streams of any year, or a table `topic post_id priority types`;
LABELS what assessors said: the track's JSON, or a table `topic post_id level types`. All may be
compressed; `-` is standard input.

\b
tseval incidents mine.txt theirs.txt labels.json --ontology types.json -q
""",
    inputs=IncidentInputs,
    options=IncidentOptions,
    reporting=reporting,
    definitions=(
        *information_types.DEFINITIONS,
        *priorities.DEFINITIONS,
        *alerts.DEFINITIONS,
    ),
    editions=(
        INCIDENT_NOTE,
        INCIDENT_2018,
        INCIDENT_2018V2,
        INCIDENT_2019A,
        INCIDENT_2019B,
        INCIDENT_2021,
        INCIDENT_PROPOSAL,
    ),
    read=read,
    views=(
        View(ALERTS, "the missed and false alerts in order with delta and worth", shown_alerts),
        View(TYPES, "what was right and wrong of each type", shown_types),
    ),
    writers=(
        Writer(
            (TREC_IS,),
            "the track's three files a run, into the folder -o",
            track_files,
            counts_missing=True,
            into_folder=True,
        ),
        Writer(PICTURES, "worth and false alerts along the stream", picture),
    ),
    over="incident streams",
    batches=True,
    words=IncidentEvaluation.words,
    undefined_counts=False,
    schemas=(LABELS, PREDICTIONS),
    formats=FORMATS,
)
