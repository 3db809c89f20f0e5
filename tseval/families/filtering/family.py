"""Filtering over time: what the family declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tseval.core.family import Family
from tseval.families.filtering import measures
from tseval.families.filtering.editions import DIETZ2013, KBA2013, KENTER2015
from tseval.families.filtering.evaluation import FilterEvaluation, read
from tseval.families.filtering.explanation import PICTURE, VIEWS, series
from tseval.families.filtering.formats import FORMATS
from tseval.families.filtering.inputs import FilterInputs, FilterOptions
from tseval.families.filtering.tables import TRUTH
from tseval.tables.schema import POSTS

if TYPE_CHECKING:
    from tseval.core.sections import Reporting


def reporting() -> Reporting:
    """What a report has of it."""
    from tseval.families.filtering.report import REPORT

    return REPORT


FAMILY = Family(
    name=measures.FAMILY,
    command="filter",
    summary="Filtering over time: batches, trends, end points.",
    description="""\
RUN is a table `topic post_id time confidence`, or a run of TREC KBA 2012 to 2014; TRUTH a table
`topic post_id relevance`, with a column `time` where ids and runs don't tell it, or a truth of
KBA. All may be compressed; `-` is standard input.

\b
tseval filter mine.tsv theirs.tsv truth.tsv --batch 1d --batch 7d -o trends.svg
""",
    inputs=FilterInputs,
    options=FilterOptions,
    reporting=reporting,
    definitions=measures.DEFINITIONS,
    editions=(KENTER2015, DIETZ2013, KBA2013),
    read=read,
    schemas=(TRUTH, POSTS),
    formats=FORMATS,
    over="a truth",
    views=VIEWS,
    view_option="--show",
    writers=(PICTURE,),
    beside=series,
    words=FilterEvaluation.words,
    undefined_counts=False,
    times=False,
)
