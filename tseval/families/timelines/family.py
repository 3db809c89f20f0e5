"""Timelines: what the family declares."""

from __future__ import annotations

from tseval.core.family import Family, View
from tseval.families.timelines.editions import EDITIONS
from tseval.families.timelines.evaluation import TimelineEvaluation, read
from tseval.families.timelines.explanation import SHOWN, lengths, partners, ties
from tseval.families.timelines.files import FORMATS
from tseval.families.timelines.inputs import TimelineInputs, TimelineOptions
from tseval.families.timelines.measures import DEFINITIONS
from tseval.families.timelines.measures import FAMILY as NAME
from tseval.families.timelines.tables import TIMELINES

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
    ),
    words=TimelineEvaluation.words,
    times=False,
)
