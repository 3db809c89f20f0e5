"""The editions of incident streams: the note of 2019, and what the track's scripts computed."""

from __future__ import annotations

from dataclasses import replace

from tseval.core.editions import Edition
from tseval.families.incidents.index import FAMILY, NOTE, NOTEBOOK_2018
from tseval.families.incidents.priorities import TRACK_2021
from tseval.families.incidents.rules import IncidentRules

PROPOSED = "McCreadie and Soboroff, TREC Incident Streams Track Proposal"
"""Where the information types of pooled posts are proposed."""
ALERT_MEASURES = (
    "AAW.high",
    "AAW",
    "type.F1(actionable)",
    "type.F1",
    "type.accuracy",
    "priority.RMSE(actionable)",
    "priority.RMSE",
)
"""The columns of the tables since the note, in their order."""
LEADING_ALERTS = (
    "AAW.high",
    "AAW",
    "type.F1(actionable)",
    "type.accuracy",
    "priority.RMSE(actionable)",
)
SCRIPT = IncidentRules(
    repeated_labels="entries",
    join="post",
    type_names="exact",
    unknown_priority="uncounted",
    actionable_mean="named",
    normalise="always",
    order="rank",
    alert_types="ignored",
    alert_posts="lines",
    error_types="all",
    rmse="square",
    any_wrong="positive",
    refusals="on",
)
"""What the scripts of 2018 and 2019 have in common."""

INCIDENT_NOTE = Edition(
    name="note",
    family=FAMILY,
    summary="the formulas of the note of 2019, and what it leaves open made plain",
    measures=("AAW", "AAW.high", "AAW.low", *ALERT_MEASURES[2:]),
    leading=("AAW", "AAW.high", "AAW.low", "type.F1(actionable)", "priority.RMSE(actionable)"),
    on_missing="zero",
    citation=NOTE,
    rules=IncidentRules(),
)
INCIDENT_2018 = Edition(
    name="2018",
    family=FAMILY,
    summary="what the script of 2018 computes: types, any type, and errors of priorities",
    measures=(
        "type.P",
        "type.R",
        "type.F1",
        "type.accuracy",
        "priority.MSE",
        "any.P",
        "any.R",
        "any.F1",
        "any.accuracy",
    ),
    leading=("type.F1", "type.P", "type.R", "any.F1", "priority.MSE"),
    on_missing="zero",
    citation=NOTEBOOK_2018,
    rules=replace(SCRIPT, parts=("S1", "S2", "S3", "S4"), any_untyped="wrong"),
)
INCIDENT_2018V2 = Edition(
    name="2018v2",
    family=FAMILY,
    summary="the runs of 2018 scored anew, as in the table of the note",
    measures=ALERT_MEASURES,
    leading=LEADING_ALERTS,
    on_missing="zero",
    citation=NOTE,
    rules=replace(SCRIPT, parts=("S1", "S2", "S3", "S4"), alert_mean="pooled"),
)
_PARTS_OF_2019 = ("A", "B", "C", "D", "E")
INCIDENT_2019A = Edition(
    name="2019a",
    family=FAMILY,
    summary="what the script of 2019-A computes: alerts by the run's own priorities",
    measures=ALERT_MEASURES,
    leading=LEADING_ALERTS,
    on_missing="zero",
    citation=NOTE,
    rules=replace(SCRIPT, parts=_PARTS_OF_2019, alert_priority="raw"),
)
INCIDENT_2019B = Edition(
    name="2019b",
    family=FAMILY,
    summary="what the script of 2019-B computes: alerts by scaled priorities",
    measures=ALERT_MEASURES,
    leading=LEADING_ALERTS,
    on_missing="zero",
    citation=NOTE,
    rules=replace(SCRIPT, parts=_PARTS_OF_2019),
)
INCIDENT_2021 = Edition(
    name="2021",
    family=FAMILY,
    summary="what the scripts of 2021 compute: types, levels, correlation and nDCG",
    measures=(
        "nDCG@100",
        "type.F1(actionable)",
        "type.F1",
        "type.accuracy",
        "priority.F1(actionable)",
        "priority.F1",
        "priority.pearson(actionable)",
        "priority.pearson",
    ),
    leading=(
        "nDCG@100",
        "type.F1(actionable)",
        "type.accuracy",
        "priority.F1(actionable)",
        "priority.pearson(actionable)",
    ),
    on_missing="zero",
    citation=TRACK_2021,
    rules=replace(
        SCRIPT,
        repeated_labels="united",
        two_events="first",
        types_of_event="labelled",
        normalise="never",
        scale_bottom="kept",
        correlation="guarded",
    ),
)
INCIDENT_PROPOSAL = Edition(
    name="proposal",
    family=FAMILY,
    summary="information types as the proposal of the track has them, over pooled posts",
    measures=("type.P", "type.R", "type.accuracy"),
    leading=("type.P", "type.R", "type.accuracy"),
    on_missing="zero",
    citation=PROPOSED,
    rules=IncidentRules(
        threshold="emitted_from", emitted_from=0.0, any_wrong="positive", refusals="on"
    ),
)
