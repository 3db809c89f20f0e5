"""A small folder to begin with: runs, gold, what their columns are called, and a script."""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tseval.core.guessed_columns import GuessedFile, guessed
from tseval.errors import InputError, OutputError, UsageError, reason_of
from tseval.io.atomic_write import write_files
from tseval.io.columns import ColumnName
from tseval.io.faults import FaultList
from tseval.io.inputs import STANDARD_INPUT, Input
from tseval.io.schema import NUGGETS, UPDATES
from tseval.io.times import TIME_KEYS
from tseval.records import frozen

GOLD, MAPPING, SCRIPT = "gold.csv", "mapping.toml", "score.sh"
DRAFTS = 50
"""So many events of a log have a draft in the gold."""
HEAD = ("topic", "nugget_id", "time", "text", "importance")
EARLY = (
    ("2026-03-01T06:10:00Z", "Fire in a warehouse at the harbour"),
    ("2026-03-01T07:05:00Z", "Two firefighters hurt in the warehouse fire"),
    ("2026-03-01T07:20:00Z", "The weather stays dry"),
)
LATE = (
    (
        "2026-03-01T09:30:00Z",
        "A warehouse at the harbour is on fire, two firefighters are hurt, the port is closed",
    ),
    ("2026-03-01T12:00:00Z", "The fire at the harbour is under control"),
)
FACTS = """\
topic,nugget_id,time,text,importance
harbour-fire,f1,2026-03-01T06:00:00Z,A warehouse at the harbour is on fire,3
harbour-fire,f2,2026-03-01T06:45:00Z,Two firefighters are hurt,2
harbour-fire,f3,2026-03-01T08:00:00Z,The port is closed,2
harbour-fire,f4,2026-03-01T11:30:00Z,The fire is under control,1
"""
TEMPLATE_COLUMNS = {"topic": "incident", "update_id": "seq", "time": "sent_at", "text": "says"}
SCRIPT_TEXT = """\
#!/bin/sh
# Scores every run against the gold. It ends with exit code 3 where a run misses what is required:
# that fails a pipeline. REQUIRE says something else than here, and options are passed on:
#
#   REQUIRE='R@6h>=0.3' ./{script}
#   ./{script} -q
#
# What the measures are: tseval measures R
set -eu
cd "$(dirname "$0")"
exec tseval score \\
{files} \\
    --columns {mapping} -m 'R R@6h T' --require "${{REQUIRE:-R>=0.5}}" "$@"
"""


@frozen
class WorkingFolder:
    """What a folder is to hold, and what was made of the caller's files."""

    files: Mapping[str, bytes]
    looked_at: tuple[GuessedFile, ...] = ()
    drafts: int = 0
    """How many facts of the gold are drafts, taken from the log."""

    def write(self, folder: Path) -> None:
        """Write all of it, or nothing where any of it is there already."""
        there = [name for name in self.files if os.path.lexists(folder / name)]
        if there:
            raise OutputError(
                f"{folder / there[0]} is there already, and nothing is overwritten: name another "
                "folder"
            )
        try:
            for name in self.files:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{folder}: {reason_of(error)}") from error
        write_files({folder / name: content for name, content in self.files.items()})
        script = folder / SCRIPT
        mode = script.stat().st_mode
        script.chmod(mode | mode >> 2 & 0o111)  # whoever may read it may run it


def from_templates() -> WorkingFolder:
    """An invented event, two runs, and columns that have names of their own."""
    runs = {"runs/early.jsonl": _run(EARLY), "runs/late.jsonl": _run(LATE)}
    content = {
        **runs,
        GOLD: FACTS,
        MAPPING: _mapping({"updates": TEMPLATE_COLUMNS}),
        SCRIPT: _script([*runs, GOLD]),
    }
    return WorkingFolder({name: text.encode() for name, text in content.items()})


def _run(said: Sequence[tuple[str, str]]) -> str:
    """An invented run as JSON lines, whose columns have names of their own."""
    names = [TEMPLATE_COLUMNS[own] for own in ("update_id", "topic", "time", "text")]
    rows = (
        dict(zip(names, (at, "harbour-fire", time, text), strict=True))
        for at, (time, text) in enumerate(said, start=1)
    )
    return "".join(json.dumps(row) + "\n" for row in rows)


def from_files(
    folder: Path, logs: Sequence[str], gold: str | None, said: Sequence[ColumnName]
) -> WorkingFolder:
    """A folder for one's own logs, and for one's own gold if there is any.

    The files stay where they are. Without gold the first update of each event is a draft of it.
    """
    if STANDARD_INPUT in (*logs, gold):
        raise UsageError(
            "standard input (-) is gone once it is read, and the script reads logs again: save it "
            "as a file, and name that"
        )
    first = guessed(Input(logs[0]), UPDATES, _named_columns(said, "updates", gold is None))
    if not first.rows:
        cure = "give a log with the updates of an agent"
        FaultList(first.source).refuse(None, "holds no row", cure, "no-rows")
    for each in logs[1:]:
        _check_same_columns(first, Input(each))
    tables = {"updates": {**first.columns, **first.times}}
    looked_at = [first]
    content: dict[str, str] = {}
    if gold is None:
        content[GOLD], drafts = _drafts(first)
        tables |= {"nuggets": dict(first.times)} if first.times else {}
    else:
        facts = guessed(Input(gold), NUGGETS, _named_columns(said, "nuggets", True))
        tables["nuggets"] = {**facts.columns, **facts.times}
        looked_at.append(facts)
        drafts = 0
    files = [_from(folder, each) for each in logs]
    files.append(GOLD if gold is None else _from(folder, gold))
    content |= {MAPPING: _mapping(tables), SCRIPT: _script(files)}
    written = {name: text.encode() for name, text in content.items()}
    return WorkingFolder(written, tuple(looked_at), drafts)


def _named_columns(said: Sequence[ColumnName], kind: str, alone: bool) -> dict[str, str]:
    """What is said of the columns of these inputs; what is said of no input counts where it can."""
    for each in said:
        if each.kind not in ("", "updates", "nuggets"):
            raise UsageError(f"--column {each}: the inputs here are updates and nuggets")
    schema = UPDATES if kind == "updates" else NUGGETS
    every = [each for each in said if not each.kind]
    known = [e for e in every if alone or e.own in TIME_KEYS or schema.find(e.own)]
    general = {each.own: each.name for each in known}
    return {**general, **{each.own: each.name for each in said if each.kind == kind}}


def _check_same_columns(first: GuessedFile, other: Input) -> None:
    """Refuse a log that lacks a column of the first: one mapping is for all."""
    own = {each.own: each.name for each in first.guesses} | dict(first.times)
    try:
        guessed(other, UPDATES, own)
    except InputError as error:
        cure = f"{first.source.path} has it: give logs of one kind, and make a folder for each kind"
        raise InputError([replace(f, cure=cure, text="") for f in error.faults]) from None


def _from(folder: Path, file: str) -> str:
    """A file's path as the script in the folder needs it."""
    return Path(os.path.relpath(file, folder)).as_posix()


def _script(files: Sequence[str]) -> str:
    quoted = " \\\n".join(f"    {shlex.quote(_no_option(each))}" for each in files)
    return SCRIPT_TEXT.format(script=SCRIPT, files=quoted, mapping=MAPPING)


def _no_option(path: str) -> str:
    return f"./{path}" if path.startswith("-") else path


def _mapping(tables: Mapping[str, Mapping[str, str]]) -> str:
    """What the columns are called, for `--columns`."""
    return "\n".join(_mapping_lines(tables)) + "\n"


def _mapping_lines(tables: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    yield "# What files call the columns of tseval's tables: name in the table = name in the file."
    for kind, columns in tables.items():
        yield ""
        yield f"[{kind}]"
        if not columns:
            yield "# all columns have the table's own names"
        for own, name in columns.items():
            yield f"{own} = {json.dumps(name, ensure_ascii=False)}"


def _drafts(log: GuessedFile) -> tuple[str, int]:
    """A table of gold in which the first update of each event stands as a draft, and how many."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    columns = [log.column(name) for name in ("topic", "time", "text")]
    seen: set[str] = set()
    for topic, time, text in zip(*columns, strict=True):
        if topic not in seen and len(seen) < DRAFTS:
            seen.add(topic)
            writer.writerow([topic, f"draft-{len(seen)}", time, text, 1])
    return out.getvalue(), len(seen)
