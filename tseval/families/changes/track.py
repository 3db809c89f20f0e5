"""The rules of the track's public checker, which refuses a run before anything is scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import polars as pl

from tseval.core.wording import count, listed
from tseval.errors import Fault, InputError, UsageError, check_known
from tseval.families.changes import rows
from tseval.families.changes.files import BAD_TAG, METADATA_CURE, NO_METADATA, READERS, is_run
from tseval.io.formats import Line
from tseval.io.inputs import Input
from tseval.io.records import is_text, is_texts, wrong_in
from tseval.io.tables import Table, read

PASSED = {"repeated-question", "unknown-document", "wrong-day"}
"""The faults that the checker does not look for; it takes any rank and any score, too."""
QID_CURE = "a qid is q_ and a number, as in the topics, or begins with the runtag"


def check_as_track(
    runs: Sequence[str], topics: str, days: str, names: Sequence[str]
) -> Iterator[Line]:
    """Yield the faults of runs that must have these runtags: `RUNTAG`, or `RUN=RUNTAG`."""
    runtags = {run: name for run, _, name in (each.rpartition("=") for each in names)}
    for run in filter(None, runtags):
        check_known("run", run, runs, "--name: ")
    is_qid = pl.col("qid").str.contains(r"^q_\d+$")
    questions = read([topics], READERS["topics"]).frame
    questions = questions.with_columns(pl.when(is_qid).then("qid").alias("qid"))
    known = {"topics": questions, "days": read([days], READERS["days"]).frame}
    for run in runs:
        source = Input(run)
        if not is_run(source):
            raise UsageError(f"{run}: no run of TREC Change Detection: leave out --as track")
        try:
            table = read([source], READERS["runs"])
            faults = find_faults(table, known, runtags.get(run, runtags.get("")))
        except InputError as error:
            faults = list(error.faults)
        if not source.head().lstrip(b" \t").startswith(b"{"):
            reason = "no-metadata: the first line begins with a byte order mark, or is blank"
            cure = "save the file without it, with the metadata in the first line"
            faults.insert(0, Fault(run, 1, reason, cure, "record-format"))
        yield from ((f"{fault}; {fault.cure}", True) for fault in faults)
        if not faults:
            yield f"{run}: no fault by the rules of the track's checker", False


def find_faults(table: Table, known: Mapping[str, pl.DataFrame], name: str | None) -> list[Fault]:
    """Return the faults of a run; one whose first line is faulty is not checked any further."""
    path, frame = table.sources[0].path, table.frame
    documents = frame.select("doc_id", "day").unique("doc_id")
    frame = frame.with_columns(question_rank=pl.lit(0.0), score=pl.lit(0.0))
    valid = rows.check_runs(replace(table, frame=frame), {**known, "documents": documents})
    first = {kind: valid.faults[kind] for kind in (BAD_TAG, NO_METADATA) if kind in valid.faults}
    if first:
        return list(rows.tell_faults(table, first))
    metadata, tagged = table.notes[0]
    texts = dict.fromkeys(("description", "run_type", "extern"), is_text)
    if wrong := wrong_in(metadata, models=is_texts, **texts):
        return [Fault(path, 1, f"no-metadata: {wrong}", METADATA_CURE, "record-format")]
    if name not in (None, metadata["runtag"]):
        reason = f'other-runtag: the runtag is "{metadata["runtag"]}", not "{name}"'
        return [Fault(path, 1, reason, "write the runtag that you submit", "unknown-id")]

    found = {kind: faulty for kind, faulty in valid.faults.items() if kind not in PASSED}
    if "bad-question" in found:
        found["bad-question"] = found["bad-question"].with_columns(cure=pl.lit(QID_CURE))
    again = "metadata-again: only the first line has a runtag", "leave the runtag out"
    faults = [Fault(path, line, *again, "record-format") for line in tagged[1:]]
    faults += rows.tell_faults(table, found)
    dates = valid.present.join(known["days"].select("day"), how="cross").sort("day")
    lacking = dates.join(valid.dated, on=dates.columns, how="anti", maintain_order="left")
    lines = frame.select("topic", "line").unique("topic", keep="first", maintain_order=True)
    lacking = lines.join(lacking, on="topic", maintain_order="left_right")
    lacking = lacking.group_by("topic", "line", maintain_order=True).agg("day")
    for topic, line, days in lacking.iter_rows():
        reason = f'missing-date: topic "{topic}" lacks {count(len(days), "day")}: {listed(days)}'
        cure = f'write a day without questions as "{days[0]}": []'
        faults.append(Fault(path, line, reason, cure, "time-range"))
    return sorted(faults, key=lambda fault: (fault.line is None, fault.line or 0))
