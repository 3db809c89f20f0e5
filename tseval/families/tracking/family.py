"""Values tracked over time: what the family declares."""

from __future__ import annotations

from tseval.core.editions import Edition
from tseval.core.family import Family, Words
from tseval.core.rules import NoRules
from tseval.families.tracking.evaluation import read
from tseval.families.tracking.files import FORMATS
from tseval.families.tracking.inputs import ValueInputs, ValueOptions
from tseval.families.tracking.measures import CITATION, DEFINITIONS
from tseval.families.tracking.tables import VALUES
from tseval.tables.schema import TOPICS

NAME = "values"

GUIDELINES = Edition(
    name="guidelines",
    family=NAME,
    summary="the error of values over time, as the guidelines of 2013 have it",
    measures=("VT",),
    leading=("VT",),
    on_missing="zero",
    citation=CITATION,
    rules=NoRules(),
)
FAMILY = Family(
    name=NAME,
    command="values",
    summary="Errors of values tracked over time, such as deaths, or where it happens.",
    description="""\
RUN is a table `topic attribute time value`, or a value tracking run of TREC Temporal
Summarization 2013; GOLD is such a table. Attributes are deaths, injuries, displaced,
financialimpact, and locations, whose values are latitude and longitude: `40.7, -74`.

\b
tseval values mine.tsv theirs.tsv gold.tsv --topics topics.tsv -q
""",
    inputs=ValueInputs,
    options=ValueOptions,
    definitions=DEFINITIONS,
    editions=(GUIDELINES,),
    read=read,
    schemas=(VALUES, TOPICS),
    formats=FORMATS,
    words=Words("values"),
)
