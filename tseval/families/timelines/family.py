"""Timelines: what the family declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tseval.core.family import Family, View
from tseval.families.timelines.editions import EDITIONS
from tseval.families.timelines.evaluation import TimelineEvaluation, read
from tseval.families.timelines.explanation import (
    SHOWN,
    lags,
    lengths,
    partners,
    ties,
    tolerance,
)
from tseval.families.timelines.files import FORMATS, is_timeline
from tseval.families.timelines.inputs import INTERVALS, TimelineInputs, TimelineOptions
from tseval.families.timelines.intervals import intervals
from tseval.families.timelines.measures import DEFINITIONS
from tseval.families.timelines.measures import FAMILY as NAME
from tseval.families.timelines.tables import TIMELINES
from tseval.files.inputs import Input

if TYPE_CHECKING:
    from tseval.core.sections import Reporting

PAPERS = ("dates", "concat", "agree", "align", "align+", "align+m:1")
"""What papers print: F of each metric for single words."""
ALIGNED_BOTH = ("align(rouge_1)", "align+m:1(rouge_1)")
"""An alignment one to one, and one in which a day may be taken twice."""


def reporting() -> Reporting:
    """What a report has of it."""
    from tseval.families.timelines.report import REPORT

    return REPORT


FAMILY = Family(
    name=NAME,
    command="timelines",
    summary="Timelines: their dates, and ROUGE by days, as tilse computes them.",
    description="""\
SYSTEM and GOLD are tables `topic date text`, one sentence a row; JSON lines as news-tls and
CHRONOS have them; text with dates and dashes as tilse has it; Markdown; or dates and lists.

\b
tseval timelines mine.jsonl theirs.jsonl reference.jsonl --gold another.jsonl
""",
    inputs=TimelineInputs,
    options=TimelineOptions,
    definitions=DEFINITIONS,
    editions=EDITIONS,
    read=read,
    schemas=(TIMELINES,),
    formats=FORMATS,
    over="timelines",
    views=(
        View("partners", "day by day its partner, and what both share", partners, True, SHOWN),
        View("ties", "what other best alignments would give", ties, True, SHOWN),
        View("lengths", "how long timelines are beside their references", lengths),
        View("tolerance", "how well dates do that may be some days apart", tolerance),
        View("lags", "how late days are dated, and summaries were there", lags, True, ALIGNED_BOTH),
        View(
            INTERVALS,
            "scores and differences with intervals over drawn topics, and tests",
            intervals,
            takes_measures=True,
            measures=PAPERS,
            by_topic=False,
        ),
    ),
    words=TimelineEvaluation.words,
    reporting=reporting,
    curves=True,
    knows=lambda path: is_timeline(Input(path)),
)
