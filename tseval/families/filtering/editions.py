"""The editions of filtering: two papers on filtering over time, and the official scorer of KBA."""

from __future__ import annotations

from tseval.core.editions import Edition
from tseval.families.filtering.measures import CITATION, DIETZ, FAMILY, KBA
from tseval.families.filtering.rules import FilterRules

KENTER2015 = Edition(
    name="kenter2015",
    family=FAMILY,
    summary="batches, trends and end points, as the paper on filtering over time has them",
    measures=(
        "end(F_pra)",
        "end-se(F_pra)",
        "slope(F_pra)",
        "se(F_pra)",
        "t(F_pra)",
        "p(F_pra)",
        "cutoff(F_pra)",
        "F_1",
    ),
    leading=("end(F_pra)", "slope(F_pra)", "F_1"),
    on_missing="zero",
    citation=CITATION,
    rules=FilterRules(),
)
DIETZ2013 = Edition(
    name="dietz2013",
    family=FAMILY,
    summary="means over intervals, uniform and burst-aware",
    measures=("uniform(P)", "uniform(R)", "uniform(F_1)", "burst(P)", "burst(R)", "burst(F_1)"),
    leading=("uniform(F_1)", "burst(F_1)", "uniform(P)", "uniform(R)"),
    on_missing="zero",
    citation=DIETZ,
    rules=FilterRules(lowest=0, highest=998, kept="above", unsure="drop"),
)
KBA2013 = Edition(
    name="kba2013",
    family=FAMILY,
    summary="what the official scorer of the KBA tracks computes",
    measures=("P", "R", "F_1", "T11SU"),
    leading=("F_1", "P", "R", "T11SU"),
    on_missing="zero",
    citation=KBA,
    rules=FilterRules(lowest=0, highest=998, kept="above", own_rating="obey", entities="all"),
)
