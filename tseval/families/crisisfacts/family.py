"""CrisisFACTS: what the family declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tseval.core.family import Family
from tseval.families.crisisfacts.editions import EDITIONS, NAME
from tseval.families.crisisfacts.evaluation import CrisisEvaluation, read
from tseval.families.crisisfacts.explanation import VIEWS
from tseval.families.crisisfacts.formats import FORMATS, together
from tseval.families.crisisfacts.inputs import CrisisInputs, CrisisOptions, is_of_gold
from tseval.families.crisisfacts.measures import DEFINITIONS
from tseval.families.crisisfacts.tables import COLLAPSED, GOLD_FACTS, ITEMS, LABELS, REQUESTS

if TYPE_CHECKING:
    from tseval.core.sections import Reporting


def reporting() -> Reporting:
    """What a report has of it."""
    from tseval.families.crisisfacts.report import REPORT

    return REPORT


FAMILY = Family(
    name=NAME,
    command="crisisfacts",
    summary="Facts of a crisis day by day: CrisisFACTS 2022 and 2023.",
    description="""\
FACTS holds collapsed facts: the original JSON list of a request, a request a line, or a table
`request collapsed_fact_id relevant_fact importance`. The runs are in the names of raw facts.
GOLD holds labels, a table `collapsed_fact_id label`. `redundancy` is a precision here: higher is
better. With --edition crisisfacts2022 FACTS holds assessed items of runs, GOLD gold facts.

\b
tseval crisisfacts Collapsed-*.json labels.tsv
tseval crisisfacts collapsed.jsonl labels.tsv --requests requests.tsv --at 3d
tseval crisisfacts --edition crisisfacts2022 matches.jsonl facts.json
""",
    inputs=CrisisInputs,
    options=CrisisOptions,
    definitions=DEFINITIONS,
    editions=EDITIONS,
    read=read,
    schemas=(COLLAPSED, LABELS, REQUESTS, ITEMS, GOLD_FACTS),
    formats=FORMATS,
    together=together,
    knows=is_of_gold,
    over="facts of crises",
    curves=True,
    batches=True,
    views=VIEWS,
    reporting=reporting,
    words=CrisisEvaluation.words,
)
