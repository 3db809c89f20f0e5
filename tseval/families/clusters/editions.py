"""The editions of clusters: the proposal, and the push evaluations of 2015, 2016 and 2017."""

from __future__ import annotations

from tseval.core.editions import Edition
from tseval.families.clusters.measures import CITATION, FAMILY
from tseval.families.clusters.push import OVERVIEW_2015, OVERVIEW_2016, OVERVIEW_2017
from tseval.families.clusters.push_rules import NOT_RELEVANT, REDUNDANT, RELEVANT, PushRules
from tseval.families.clusters.rules import ClusterRules

PROPOSAL = Edition(
    name="proposal",
    family=FAMILY,
    summary="latency and redundancy of selected posts, as the Incident Streams proposal has them",
    measures=("latency", "redundancy", "redundancy(unique)", "coverage"),
    leading=("latency", "redundancy", "coverage"),
    on_missing="zero",
    citation=CITATION,
    rules=ClusterRules(),
)
MB2015 = Edition(
    name="mb2015",
    family=FAMILY,
    summary="what the official script of Microblog 2015, scenario A, computes",
    measures=("ELG", "nCG", "length"),
    leading=("ELG", "nCG"),
    on_missing="zero",
    citation=OVERVIEW_2015,
    rules=PushRules(
        days=tuple(range(20150720, 20150730)),
        gains={-1: 0.0, 3: 0.5, 4: 1.0},
        topic_prefix="MB",
        gain="discounted",
        early_posts="keep",
        delays="signed",
    ),
)
RTS2016 = Edition(
    name="rts2016",
    family=FAMILY,
    summary="what the official scripts of Real-Time Summarization 2016 compute",
    measures=(
        "EG-1",
        "EG-0",
        "nCG-1",
        "nCG-0",
        "GMP.33",
        "GMP.5",
        "GMP.66",
        "latency-mean",
        "latency-median",
        "length",
    ),
    leading=("EG-1", "nCG-1", "GMP.5", "latency-mean"),
    on_missing="zero",
    citation=OVERVIEW_2016,
    rules=PushRules(
        days=tuple(range(20160802, 20160812)),
        gains={-1: 0.0, 3: 0.5, 4: 1.0},
        live_labels={2: RELEVANT, 1: REDUNDANT, -1: NOT_RELEVANT},
        live_other=NOT_RELEVANT,
        clock_offset=139.0,
        live_votes="labels",
        live_early="judged",
        live_latency="created",
        live_period="closed",
        live_limit="day",
        live_times="last",
    ),
)
RTS2017 = Edition(
    name="rts2017",
    family=FAMILY,
    summary="what the official scripts of Real-Time Summarization 2017 compute",
    measures=(
        "EG-p",
        "EG-1",
        "nCG-p",
        "nCG-1",
        "GMP.33",
        "GMP.5",
        "GMP.66",
        "latency-mean",
        "latency-median",
        "length",
    ),
    leading=("EG-p", "nCG-p", "GMP.5", "latency-mean"),
    on_missing="zero",
    citation=OVERVIEW_2017,
    rules=PushRules(
        days=(*range(20170729, 20170732), *range(20170801, 20170806)),
        gains={-2: 0.0},
        live_labels={1: RELEVANT, 2: REDUNDANT, 0: NOT_RELEVANT},
    ),
)
