"""From files to everything that a measure of change detection needs: read, checked, ranked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from tseval.core.declared import argument, file_option, input_tables, option
from tseval.core.editions import Edition
from tseval.core.family import Access, Evaluation, Words, hashes
from tseval.core.measure import Measure
from tseval.core.wording import count, listed
from tseval.errors import UsageError
from tseval.families.changes import tables
from tseval.families.changes.checks import Kept, dropped, refuse, sifted
from tseval.families.changes.files import (
    is_day,
    read_days,
    read_documents,
    read_gains,
    read_question_gains,
    read_questions,
    read_rankings,
)
from tseval.families.changes.index import (
    DOCUMENT_LEVEL,
    ChangeIndex,
    build_index,
    days_of,
    documents_of,
)
from tseval.families.changes.measures import UNITS
from tseval.families.changes.rules import ChangeRules
from tseval.families.changes.tables import Collection, Rankings
from tseval.files.forms import check_forms, form_named
from tseval.files.frames import check_inputs
from tseval.files.reading import input_of, refuse_where
from tseval.parallel.runs import Spread
from tseval.records import frozen
from tseval.tables.keys import pair_keys

if TYPE_CHECKING:
    from tseval.files.reading import Given
    from tseval.tables.columns import FloatArray, IntArray


DAY = 86400.0
"""The seconds of a day."""


@frozen
class ChangeInputs:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    runs: Sequence[Given] = argument("RUN", "one or more runs", tables.RANKINGS, several=True)
    qrels: Given = argument("QRELS", "the file of judged documents", tables.GAINS)
    topics: Given = file_option(
        "--topics",
        "The questions: the track's topics, or a table `topic qid`.",
        required=True,
        table=tables.QUESTIONS,
    )
    days: Given | None = file_option(
        "--days",
        "The days of the collection, one a line. Default: those of judgments and runs together.",
        table=tables.DAYS,
    )
    documents: Given | None = file_option(
        "--documents",
        "The day of each document: a table `doc_id day`. Default: the first day on which a run "
        "returns it.",
        table=tables.DOCUMENTS,
    )
    questions: Given | None = file_option(
        "--questions",
        "What questions themselves are judged to be worth: a table `topic qid day gain`, for "
        "--rule question-gain=judged.",
        table=tables.QUESTION_GAINS,
    )


@frozen
class ChangeOptions:
    """What is asked for beside what all families are asked for."""

    lenient: bool = option(
        "--lenient",
        "Score what is left of a run that breaks the track's rules. Without it such a run is "
        "refused, with every fault, its line, day and question.",
        kind=bool,
    )


@frozen(kw_only=True)
class ChangeEvaluation(Evaluation):
    """Runs and judgments, ranked day by day; its edition has the rules that were asked for."""

    words: ClassVar[Words] = Words(
        "results",
        "topic",
        "counted as --rule missing-topic says",
        over_topics="average=nested",
    )

    changes: ChangeIndex

    @property
    def index(self) -> ChangeIndex:
        """What measures are taken from."""
        return self.changes

    @property
    def starts(self) -> FloatArray:
        """When each topic starts: with the first day of the collection."""
        return np.full(len(self.index.topics), self.index.times[0])

    def pools(self, measure: Measure) -> bool:
        """Whether `all` of a measure is the mean over the units of all topics."""
        return self.index.rules.average == "units" and measure.definition.name != UNITS

    @property
    def ends(self) -> FloatArray:
        """When each topic ends: with the last day of the collection."""
        return np.full(len(self.index.topics), self.index.times[-1] + DAY)

    @property
    def latest(self) -> FloatArray:
        """When the last day begins."""
        return np.full(len(self.index.topics), self.index.times[-1])

    @property
    def sent(self) -> tuple[IntArray, FloatArray]:
        """The documents that were returned: their (run, topic), and their day."""
        level = self.index.levels[DOCUMENT_LEVEL]
        unit = level.ranked.items.unit
        return level.topic_unit[unit], self.index.times[level.day[unit]]

    def follows(self, measure: Measure) -> bool:
        """Every mean over units can be followed over time."""
        return measure.definition.name != UNITS


def read(
    inputs: ChangeInputs,
    options: ChangeOptions,
    edition: Edition[ChangeRules],
    rules: Mapping[str, str],
    access: Access,
) -> ChangeEvaluation:
    """Read every input; a fault in any of them is an `InputError`.

    It is the reading of the runs that is shared.
    """
    applied = edition.rules.changed(rules)
    _check_usage(inputs, applied)
    check_forms(access.forms, input_tables(ChangeInputs))
    runs = [input_of(each, tables.RANKINGS) for each in inputs.runs]
    said = read_rankings(runs, access.form("run"), Spread(access.sharing))
    judged = applied.question_gain == "judged"
    known = _collection(inputs if judged else replace(inputs, questions=None), said, access)
    met = [day for day in said.day.vocabulary() if is_day(day)]
    days = sorted(known.days.day.vocabulary()) if known.days else days_of(met, known)
    if not days:
        raise UsageError("no day is known: give the days of the collection, --days FILE")
    kept = sifted(said, known.questions, known.documents, days, applied.order)
    if not options.lenient:
        refuse(said, kept.found, runs)
    traits = {
        "rules": applied.said(edition.rules),
        "lenient": "yes" if options.lenient else "",
    }
    records = [said.origin, *known.origins.values()]
    return ChangeEvaluation(
        edition=replace(edition, rules=applied),
        changes=build_index(said, known, kept, applied),
        traits=traits | hashes(known.origins) | ({} if known.dated else {"documents": "runs"}),
        inputs=tuple(source for origin in records for source in origin.sources),
        warnings=(
            *_unused(inputs, applied),
            *_warnings(said, known, kept, applied, options),
        ),
    )


def _check_usage(inputs: ChangeInputs, rules: ChangeRules) -> None:
    """Tell wrong usage before any file is read."""
    if not inputs.runs:
        raise UsageError("no run is given: name at least one")
    if rules.question_gain == "judged" and inputs.questions is None:
        raise UsageError("rule question-gain=judged needs judged questions: --questions FILE")
    beside = [inputs.qrels, inputs.topics, inputs.documents, inputs.days, inputs.questions]
    check_inputs([*inputs.runs, *(each for each in beside if each is not None)])


def _collection(inputs: ChangeInputs, said: Rankings, access: Access) -> Collection:
    """What stands beside the runs; every judged document must have a day if days are given.

    One format for all inputs is that of runs and judgments: the other files have theirs by name.
    """
    form = partial(form_named, access.forms)
    days = None if inputs.days is None else read_days(inputs.days, form("days"))
    dated = inputs.documents is not None
    known = Collection(
        questions=read_questions(inputs.topics, form("topics")),
        documents=documents_of(said, days)
        if inputs.documents is None
        else read_documents(inputs.documents, form("documents")),
        dated=dated,
        gains=read_gains(inputs.qrels, access.form("qrels")),
        days=days,
        question_gains=None
        if inputs.questions is None
        else read_question_gains(inputs.questions, form("questions")),
    )
    judged = known.gains
    if dated:
        source, lost = input_of(inputs.qrels, tables.GAINS), known.undated
        reason, cure = 'document "{}" has no day', "it belongs to --documents too"
        refuse_where(source, judged.origin, lost, judged.doc_id, reason, cure, "unknown-id")
    return known


def _unused(inputs: ChangeInputs, rules: ChangeRules) -> Iterator[str]:
    """Judged questions that count for nothing: their file is not read."""
    if inputs.questions is not None and rules.question_gain != "judged":
        yield "--questions is not read: it counts with --rule question-gain=judged alone"


def _warnings(
    said: Rankings, known: Collection, kept: Kept, rules: ChangeRules, options: ChangeOptions
) -> Iterator[str]:
    """What is not wrong, but what a reader should know."""
    if not known.dated:
        lost = count(int(np.count_nonzero(known.undated)), "judgment")
        yield (
            "no --documents: a document is of the first day on which a run returns it; "
            f"{lost} of documents that no run returns ignored"
        )
    if known.days is None:
        number = count(len(kept.days), "day")
        yield f"no --days: {number} of judgments and runs count; days silent in both are missing"
    if options.lenient:
        yield from dropped(said, kept.found)
    yield from _unknown(known, rules)
    yield from _outside(known, kept)
    yield from _missing_dates(said, kept, rules)


def _unknown(known: Collection, rules: ChangeRules) -> Iterator[str]:
    """Judged questions that there are not; those that runs propose may be among them."""
    asked = known.questions
    judged = {"qrels": known.gains, "questions": known.question_gains}
    used = "" if rules.proposed == "drop" else " but for those that runs propose"
    for name, table in judged.items():
        if table is not None:
            place = pair_keys(table.topic, table.qid, asked.topic, asked.qid)
            own = pair_keys(asked.topic, asked.qid, asked.topic, asked.qid)
            rows = np.flatnonzero(~np.isin(place, own))
            topics, qids = table.topic.rows(rows).to_list(), table.qid.rows(rows).to_list()
            lost = sorted({f"{topic} {qid}" for topic, qid in zip(topics, qids, strict=True)})
            if lost:
                number = count(len(lost), "question")
                yield f"{name}: {number} not in the topics, ignored{used}: {listed(lost)}"


def _outside(known: Collection, kept: Kept) -> Iterator[str]:
    """Relevant documents of days that are not in the collection."""
    gains = known.gains
    relevant = gains.doc_id.rows(gains.gain > 0)
    days = dict(zip(known.documents.doc_id.to_list(), known.documents.day.to_list(), strict=True))
    lost = sorted({days[doc] for doc in relevant.to_list() if doc in days} - set(kept.days))
    if lost:
        yield f"qrels: relevant documents of {count(len(lost), 'day')} not in --days, ignored: " + (
            listed(lost)
        )


def _missing_dates(said: Rankings, kept: Kept, rules: ChangeRules) -> Iterator[str]:
    """Days that runs lack in topics that they have; the track asks for every day."""
    lacking = ~kept.dated & kept.present[:, :, None]
    how = {"silent": "silent", "tied": "all questions, tied"}[rules.missing_date]
    for run, own in zip(said.run.vocabulary(), lacking, strict=True):
        if own.any():
            at = np.argwhere(own)
            first = f"{kept.topics[at[0][0]]}, {kept.days[at[0][1]]}"
            days = count(len(at), "day")
            yield f"run {run}: {days} of topics not in the run, counted as {how}; first {first}"
