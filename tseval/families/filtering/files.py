"""Reading the runs and truths of filtering: plain tables, and the files of TREC KBA."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.input_words import shared_runs
from tseval.families.filtering import kba
from tseval.families.filtering.tables import RETURNED, TRUTH, Returned, Truth
from tseval.files.faults import FaultList
from tseval.files.fixed_fields import read_lines
from tseval.files.frames import run_names
from tseval.files.inputs import Each, Input
from tseval.files.plain import Rows
from tseval.files.reading import check_between_files, input_of, is_empty, no_rows, refuse, rows_of
from tseval.tables import ALL_TOPICS, Ids

if TYPE_CHECKING:
    from tseval.files.reading import Given

ORDER_CURE = "name the runs, then the truth"


def read_returned(given: Sequence[Given], form: str | None = None, each: Each = map) -> Returned:
    """One or more runs as one table: plain tables, or runs of KBA.

    A run of KBA is called `team-system`; where two files have a run of the same name, it is called
    as its file. A plain table without a column `run` is called as its file. A file without a byte,
    or of comments alone, is an empty run. `each` reads one run after the other, or has them read
    somewhere else.
    """
    inputs = [input_of(one, RETURNED) for one in given]
    names = run_names(inputs)
    parts = list(each(partial(_returned, form=form), inputs, names))
    official = [is_kba(source, form) for source in inputs]
    times = Counter(
        run
        for part, own in zip(parts, official, strict=True)
        for run in (part.run.vocabulary() if own else ())
    )
    returned = Returned.join(
        [
            _called(part, name) if own and _is_taken(part, times) else part
            for part, name, own in zip(parts, names, official, strict=True)
        ]
    )
    if shared_runs(returned.origin.sources):
        key = (returned.run, returned.topic, returned.post_id)
        check_between_files(
            *(returned, inputs, key),
            lambda row: f'post "{key[2][row]}" stands in two files of run "{returned.run[row]}"',
        )
    return returned


def _is_taken(part: Returned, times: Counter[str]) -> bool:
    return any(times[run] > 1 for run in part.run.vocabulary())


def _called(part: Returned, name: str) -> Returned:
    """The runs of a file under the file's name; several get their own names after it."""
    own = part.run.vocabulary()
    names = [name] if len(own) == 1 else [f"{name}:{run}" for run in own]
    renamed = Ids.of(names)
    return replace(part, run=Ids(renamed.codes[part.run.codes], renamed.names))


def is_kba(source: Input, form: str | None = None) -> bool:
    """Whether an input is a file of the track, by its content."""
    if form is not None or source.is_table:
        return False
    return kba.first_fields(source) is not None


def _returned(source: Input, name: str, form: str | None) -> Returned:
    if is_empty(source):
        rows = no_rows(source, RETURNED)
    elif is_kba(source, form):
        rows = _official_run(source)
    else:
        rows = rows_of(source, RETURNED, form)
    return Returned.of(rows.columns, rows.origin, name)


def _official_run(source: Input) -> Rows:
    if kba.table_of(source) == "truth":
        refuse(source, "a truth stands where a run is expected", ORDER_CURE, "swapped-inputs")
    return read_lines(source, kba.run_layout(source))


def _official_truth(source: Input) -> Rows:
    if kba.first_fields(source) and kba.table_of(source) != "truth":
        cure = f"{ORDER_CURE}; each line of a truth begins with who judged: {kba.JUDGES}"
        refuse(source, "a run stands where the truth is expected", cure, "swapped-inputs")
    return read_lines(source, kba.TRUTH)


def read_truth(given: Given, form: str | None = None) -> Truth:
    """The judgments; there must be one, and no topic of the name of all of them together."""
    source = input_of(given, TRUTH)
    official = is_kba(source, form)
    rows = _official_truth(source) if official else rows_of(source, TRUTH, form)
    rating = rows.get("rating" if official else "relevance")
    confidence = rows.get("confidence")
    sure = np.ones(len(rating), bool) if confidence is None else confidence > 0
    told = {"rating": rating, "sure": sure, "official": official}
    truth = Truth.of(rows.columns | told, rows.origin)
    if not len(truth):
        refuse(source, "holds no judgments", "without judgments there is nothing to score")
    named = truth.topic.vocabulary()
    if ALL_TOPICS in named:
        faults, row = FaultList(source), truth.topic.codes.tolist().index(named.index(ALL_TOPICS))
        reason = f'a topic is called "{ALL_TOPICS}", the name of the row of all topics together'
        cure = "give the topic another name, in the runs too"
        faults.add_row(truth.origin, row, reason, cure, "reserved-name")
        faults.check()
    return truth
