"""The sections of a report on updates and nuggets: who said what when, and what each run spent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tseval.core.blocks import Block, Head, Note, Rows, Timelines
from tseval.core.registry import measures
from tseval.core.scoring import scores_of
from tseval.core.sections import Reporting, Section, Setting, Volume
from tseval.families.temporal.evaluation import TemporalEvaluation
from tseval.families.temporal.explanation import explain_economy
from tseval.families.temporal.faults import faults
from tseval.families.temporal.held_texts import held_texts
from tseval.families.temporal.inputs import DEFAULT_MATCHER, TemporalOptions
from tseval.families.temporal.timelines import timelines

VERBOSITY = "V"
WORDS_OF = "fuzzy"
"""Where assessors made the matches, this matcher tells which words are alike."""
KINDS = {
    "earning": "first to say a nugget",
    "repeating": "repeats only",
    "idle": "matches no nugget",
    "unjudged": "not judged",
}
"""What becomes of updates, by the columns of `explain_economy`."""


def said(evaluation: TemporalEvaluation, setting: Setting[TemporalOptions]) -> Iterator[Block]:
    """Topic by topic what happened, and which update of which run says it."""
    options = setting.options
    name, threshold = (options.matcher or DEFAULT_MATCHER, options.threshold)
    if "matches" in evaluation.traits:
        name, threshold = WORDS_OF, None
    held = held_texts(evaluation)
    with setting.watched("finding words") as progress:
        topics = tuple(timelines(evaluation, setting, name, threshold, progress, held))
    if topics:
        yield Timelines(topics)
    if held.note:
        yield Note(held.note)


def economy(evaluation: TemporalEvaluation, setting: Setting[TemporalOptions]) -> Iterator[Block]:
    """What each run spent for what it said, best run first."""
    verbosity = _verbosity(evaluation)
    rows = []
    found = explain_economy(evaluation.index)
    kinds = {
        each: words for each, words in KINDS.items() if each != "unjudged" or found[each].any()
    }
    for row in found.to_dict("records"):
        parts = tuple(int(row[kind]) for kind in kinds)
        words = [_known(row[name]) for name in ("words", "words_a_nugget")]
        last = [verbosity[row["run"]]] if verbosity else []
        rows.append((setting.run(row["run"]), row["updates"], parts, *parts, *words, *last))
    columns = (
        Head("run", "run"),
        Head("updates", "count"),
        Head("what became of them", "parts", parts=tuple(kinds.values())),
        *(Head(words, "count") for words in kinds.values()),
        Head("words an update", decimals=1),
        Head("words a nugget said", decimals=1),
        *([Head(VERBOSITY, decimals=3)] if verbosity else []),
    )
    yield Rows("Redundancy and verbosity of every run", columns, tuple(sorted(rows)))


def wrong(evaluation: TemporalEvaluation, setting: Setting[TemporalOptions]) -> Iterator[Block]:
    """What was missed, late, said again, or of no use."""
    found = faults(evaluation, setting)
    yield Note("Nothing was missed, late, said again or of no use.") if found is None else found


def updates(evaluation: TemporalEvaluation) -> dict[str, int]:
    """How many updates each run sent."""
    index = evaluation.index
    run = index.unit[index.sent] // len(index.topics)
    sent = np.bincount(run, minlength=len(index.runs))
    return dict(zip(index.runs, sent.tolist(), strict=True))


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _verbosity(evaluation: TemporalEvaluation) -> dict[str, float | None]:
    """The score V of each run, where matches tell which words say something; else nothing."""
    if not evaluation.index.has_texts or evaluation.index.spans is None:
        return {}
    scores = scores_of(evaluation, measures([VERBOSITY], evaluation.edition.family))
    return {run: scores.value(VERBOSITY, run=run) for run in scores.runs}


def retold(traits: Mapping[str, str]) -> TemporalOptions:
    """The matcher that found the matches; none where they were read from a file."""
    matcher: Any = None if "matches" in traits else traits.get("matcher")
    return TemporalOptions(matcher=matcher)


REPORT = Reporting(
    sections=(
        Section(
            "timeline",
            "What was said, and when",
            said,
            "Who said what when is told from the runs and the nuggets",
        ),
        Section(
            "wrong",
            "What went wrong",
            wrong,
            "What was missed, late, said again or of no use is told from the runs and the nuggets",
        ),
        Section(
            "economy",
            "Redundancy and verbosity",
            economy,
            "Redundancy and verbosity are counted in the runs",
        ),
    ),
    takes=(
        *("matcher", "threshold"),
        *("ignore_unsampled", "binary", "matched_nuggets_only", "latency_from"),
    ),
    hint=", with --matches FILE or --matcher NAME",
    retold=retold,
    volume=Volume("updates", updates),
)
