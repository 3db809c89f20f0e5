"""Timelines: what the family declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import polars as pl

from tseval.core import registry
from tseval.core.declared import argument, file_option, option
from tseval.core.family import Family, Words
from tseval.core.frames import Content, FrameEvaluation, Request
from tseval.core.kernel import KEY, quotient, total
from tseval.core.measure import Measure
from tseval.core.rules import Edition
from tseval.core.scores import Overall, Scores
from tseval.core.sections import Reporting, Section
from tseval.families.timelines import explain, files, measures, rows
from tseval.io.given import is_empty, run_names
from tseval.io.tables import TableReader
from tseval.records import frozen

if TYPE_CHECKING:
    from tseval.io.given import Given

EMPTY_CURE = "without a timeline there is nothing to score against"


@frozen
class TimelineInputs:
    """Where the timelines come from: paths, `-` for standard input, or pandas frames."""

    runs: Sequence[Given] = argument(
        "SYSTEM", "timelines of one or more systems", files.TIMELINES, several=True
    )
    gold: Given = argument("GOLD", "the reference timelines", files.TIMELINES)
    more_gold: Sequence[Given] = file_option(
        "--gold",
        "More references, such as another newspaper's. All timelines of a topic count; repeatable.",
        several=True,
        table=files.TIMELINES,
        adds_to="gold",
    )


@frozen
class TimelineOptions:
    """What intervals are drawn by."""

    resamples: int = option(
        "Number of times that --explain intervals draws topics.",
        default=10000,
        metavar="N",
        at_least=2,
        within=("intervals",),
    )
    seed: int = option(
        "Seed of the topics that --explain intervals draws.", default=0, within=("intervals",)
    )


@frozen(kw_only=True)
class TimelineEvaluation(FrameEvaluation):
    """Predicted timelines and references, read and indexed."""

    words: ClassVar[Words] = Words("timeline", "topic", "counted as 0")
    readers: ClassVar[Mapping[str, TableReader]] = {"runs": files.RUNS, "gold": files.GOLD}

    @classmethod
    def build(cls, request: Request) -> Content:
        """Put each timeline beside its references; an empty file is a reference without dates."""
        inputs, tables = request.inputs, request.tables
        references = [inputs.gold, *inputs.more_gold]
        if all(map(is_empty, references)):
            tables["gold"].refuse_all("is empty", EMPTY_CURE, "empty-file")
        names = {"runs": run_names(inputs.runs), "gold": run_names(references)}
        runs, gold = rows.name_topics(tables, names)
        index = rows.index_timelines(runs, gold, request.rules)
        return Content(index, explain.find_warnings(runs, gold))

    def has_times(self, measure: Measure) -> bool:
        """Return whether a measure can be taken at any time: one that goes day by day can."""
        return measure.definition.name != rows.CONCAT

    def follows(self, measure: Measure) -> bool:
        """Return whether a measure can be followed over time.

        A curve of `all` is a mean over topics, which F is by the rule AVG-F alone.
        """
        rule = self.edition.rules.average
        is_mean = rule == "AVG-F" or (rule == "AVG-PR" and measures.is_side(measure))
        return is_mean and self.has_times(measure)

    def caveats(self, wanted: Sequence[Measure]) -> Iterator[str]:
        """Yield what a reader should know of ties, and of words that do not count."""
        return explain.find_caveats(self.index, wanted)

    def sides(self, scores: Scores, wanted: Sequence[Measure]) -> Iterator[pl.DataFrame]:
        """Yield precision and recall of each measure for every run and topic; 0 if undefined."""
        index, known = self.index, pl.col("value").is_not_null() | scores.undefined_as_zero
        groups = pl.Series(np.tile(index.times["group"].to_numpy(), len(index.runs)))
        counted = pl.Series(scores.counted.ravel())
        for measure in wanted:
            sums = measures.take(index, measure.whole).values_at(self.times_of(measure, index))
            values = pl.when(pl.col("failed") == 0).then(pl.col("P", "R", "value")).otherwise(0.0)
            yield sums.select(*KEY, values, used=known & counted, group=groups)

    def finished(self, scores: Scores) -> Scores:
        """Return the scores with `all` as the rule of averages has it."""
        rule = self.edition.rules.average
        wanted = registry.measures(scores.measures, measures.FAMILY)
        if rule == "AVG-F":
            return scores
        parts = (
            each.with_columns(measure=at) for at, each in enumerate(self.sides(scores, wanted))
        )
        sides, by = pl.concat(parts).filter("used"), ["measure", "run"]
        means = {side: quotient(total(pl.col(side)), pl.len()) for side in ("P", "R")}
        for each in ([*by, "group"], by) if rule == "TOPIC-MACRO" else (by,):
            sides = sides.group_by(each).agg(**means)
        values = np.zeros((len(scores.runs), len(wanted)))
        defined = np.zeros(values.shape, bool)
        for (at,), own in sides.partition_by("measure", as_dict=True).items():
            runs = own["run"].to_physical().to_numpy()
            values[runs, at] = own.select(measures.choose(wanted[at])).to_series().to_numpy()
            defined[runs, at] = True
        return replace(scores, overall=Overall(values, defined, np.ones(values.shape, bool)))


VALUES = ("P", "R", "F")
ROUGE = product(measures.ROUGE, measures.SIZES, VALUES)
SHOWN = (
    *(f"{rows.DATES}({value})" for value in VALUES),
    *(f"{name}({size},{value})" for name, size, value in ROUGE),
)
LEADING = (
    *(f"{rows.MANY_TO_ONE}(rouge_1,F)", f"{rows.DATES}(F)", f"{rows.MANY_TO_ONE}(rouge_2,F)"),
    *("concat(rouge_1,F)", "agreement(rouge_1,F)"),
)
"""What papers report: F of the days aligned with words, then of dates."""
edition = partial(
    Edition, family=measures.FAMILY, measures=SHOWN, leading=LEADING, on_missing="zero"
)
EDITIONS = (
    edition(
        name="tilse",
        summary="as tilse scores one prediction against all references of a topic",
        citation=measures.TILSE,
        rules=rows.TimelineRules(),
    ),
    edition(
        name="news-tls",
        summary="as news-tls scores a prediction against each reference by itself",
        citation="Gholipour Ghalandari & Ifrim, Examining the State-of-the-Art in News Timeline "
        "Summarization, ACL 2020",
        rules=rows.TimelineRules(protocol="PROTOCOL-1"),
    ),
    edition(
        name="chronos",
        summary="as CHRONOS scores: a topic in which anything fails leaves the means",
        on_missing="skip",
        citation="Wu et al., Unfolding the Headline: Iterative Self-Questioning for News "
        "Retrieval and Timeline Summarization, 2025; Alibaba-NLP/CHRONOS",
        rules=rows.TimelineRules(duplicates="join", failures="topic"),
    ),
    edition(
        name="timeranker",
        summary="as TimeRanker scores: the mean of F, each reference by itself",
        citation="DaivikSojitra/Timeline-Summarization-in-the-Era-of-LLMs",
        rules=rows.TimelineRules(protocol="PROTOCOL-1", average="AVG-F"),
    ),
)
"""Every set of rules, the first the default."""


TOLD = "is told from the timelines and their references"
SECTIONS = (
    Section(
        "tolerance", "Dates some days apart", explain.report_dates, f"How near dates are {TOLD}"
    ),
    Section("met", "Days met, and how late", explain.report_matches, f"Which days are met {TOLD}"),
)


FAMILY = Family(
    name=measures.FAMILY,
    command="timelines",
    summary="Score timelines by their dates and by ROUGE over days, as tilse does.",
    description="""\
\b
tseval timelines fixtures/timelines/swift.jsonl fixtures/timelines/gold.jsonl

SYSTEM and GOLD are tables `topic date text`, one sentence per row; JSON lines as in news-tls and
CHRONOS; text with dates and dashes as in tilse; Markdown; or dates and lists.
""",
    inputs=TimelineInputs,
    options=TimelineOptions,
    definitions=measures.DEFINITIONS,
    editions=EDITIONS,
    read=TimelineEvaluation.read,
    schemas=(files.TIMELINES,),
    formats=files.FORMATS,
    over="timelines",
    views=explain.VIEWS,
    words=TimelineEvaluation.words,
    reporting=lambda: Reporting(SECTIONS, retold=lambda _: TimelineOptions()),
    curves=True,
    knows=files.RUNS.holds,
)
