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

from tseval.core.guessed_columns import (
    AS_SAID,
    BY_NUMBER,
    BY_WHAT_IT_HOLDS,
    GuessedFile,
    Undecided,
    guessed,
    with_settings,
)
from tseval.core.input_warnings import zone_warnings
from tseval.errors import Fault, InputError, OutputError, UsageError, reason_of
from tseval.io.atomic_write import write_files
from tseval.io.columns import CONSTANT, NUMBERED, SETTINGS, ColumnName
from tseval.io.faults import FaultList
from tseval.io.forms import row_input
from tseval.io.inputs import STANDARD_INPUT, Input, InputRecord
from tseval.io.schema import NUGGETS, UPDATES, Schema
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
here=$(dirname "$0")
exec tseval score \\
{parts}    --columns "$here"/{mapping} -m 'R R@6h T' --require "${{REQUIRE:-R>=0.5}}" "$@"
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


@frozen
class UserFiles:
    """A user's own files, and what is said of them."""

    logs: Sequence[str]
    gold: str | None
    names: Sequence[ColumnName]
    number: bool
    """Whether rows without ids are numbered."""

    def columns(self, schema: Schema) -> dict[str, str]:
        """What is said of the columns of a table; what is said of no input counts where it can."""
        for each in self.names:
            if each.kind not in ("", "updates", "nuggets"):
                raise UsageError(f"--column {each}: the inputs here are updates and nuggets")
        alone = schema is NUGGETS or self.gold is None
        every = [each for each in self.names if not each.kind]
        known = [e for e in every if alone or e.own in SETTINGS or schema.find(e.own)]
        own = [each for each in self.names if each.kind == schema.table]
        return {each.own: each.name for each in (*known, *own)}


def from_files(folder: Path, files: UserFiles) -> WorkingFolder:
    """A folder for one's own logs, and for one's own gold if there is any.

    The files stay where they are. Without gold the first update of each event is a draft of it.
    """
    if STANDARD_INPUT in (*files.logs, files.gold):
        raise UsageError(
            "standard input (-) is gone once it is read, and the script reads logs again: save it "
            "as a file, and name that"
        )
    said, facts, topics = files.columns(UPDATES), None, frozenset[str]()
    if files.gold is not None:
        facts = guessed(Input(files.gold), NUGGETS, files.columns(NUGGETS))
        topics = frozenset(facts.column("topic"))
    log = guessed(Input(files.logs[0]), UPDATES, said, topics)
    if not log.lines:
        cure = "give a log with the updates of an agent"
        FaultList(log.source).refuse(None, "holds no row", cure, "no-rows")
    others = [_of_one_kind(log, Input(each), said) for each in files.logs[1:]]
    log, facts = _with_topics(log, facts)
    log = with_settings(_with_ids(log, files.number, others))
    for each in others:
        each.check(log.columns)
    facts = None if facts is None else with_settings(_with_ids(facts, files.number))
    log, facts = _with_zones(log, facts, others)
    looked_at = [each for each in (log, facts) if each is not None]
    tables = {each.schema.table: each.columns for each in looked_at}
    content: dict[str, str] = {}
    drafts = 0
    if files.gold is None:
        content[GOLD], drafts = _drafts(log)
        tables["nuggets"] = {key: log.settings[key] for key in TIME_KEYS if key in log.settings}
    paths = [_from(folder, each) for each in files.logs]
    names = [Input(each).name for each in files.logs]
    options = [
        f"--name {_in_script(f'{path}={_name_apart(file, files.logs)}')}"
        for path, file, name in zip(paths, files.logs, names, strict=True)
        if names.count(name) > 1
    ]
    paths.append(GOLD if files.gold is None else _from(folder, files.gold))
    content |= {MAPPING: _mapping(tables), SCRIPT: _script(paths, options)}
    written = {name: text.encode() for name, text in content.items()}
    return WorkingFolder(written, tuple(looked_at), drafts)


def _name_apart(log: str, logs: Sequence[str]) -> str:
    """The name of a run whose file is called as another: with the folders that differ."""
    shared = os.path.commonpath([Path(each).absolute().parent for each in logs])
    return Path(os.path.relpath(log, shared)).with_name(Input(log).name).as_posix()


def _of_one_kind(first: GuessedFile, other: Input, said: Mapping[str, str]) -> GuessedFile:
    """Return a log that has the columns of the first: one mapping is for all."""
    same = {each.own: each.name for each in first.guesses if each.own != UPDATES.key[-1]}
    try:
        return guessed(other, UPDATES, {**same, **first.settings, **said})
    except InputError as error:
        cure = f"{first.source.path} has it: give logs of one kind, and make a folder for each kind"
        raise InputError([replace(f, cure=cure, text="") for f in error.faults]) from None


def _with_topics(
    log: GuessedFile, facts: GuessedFile | None
) -> tuple[GuessedFile, GuessedFile | None]:
    """Return both with topics: a file without any is about the only one of the other.

    A column of facts that was taken for topics by its content is none if no topic is in the log.
    """
    files = [each for each in (log, facts) if each is not None]
    lacking = [each for each in files if each.guess("topic") is None]
    topics = {each.source.path: set(each.column("topic")) - {""} for each in files}
    shares_none = not set.intersection(*topics.values())
    guess = None if facts is None else facts.guess("topic")
    if facts is not None and shares_none and guess and guess.reason == BY_WHAT_IT_HOLDS:
        lacking.append(facts)
    known = set[str]().union(*(topics[e.source.path] for e in files if e not in lacking))
    reason = ""
    if lacking and len(known) == 1:
        (topic,) = known
        note = f"no column of topics: all rows are about {topic}; --topic says otherwise"
        files = [
            each.with_constant("topic", f"{CONSTANT}{topic}", "inference", note)
            if each in lacking
            else each
            for each in files
        ]
    elif lacking:
        reason = "no column holds the event that a row is about"
    elif facts is not None and facts.lines and shares_none:
        lacking, reason = [facts], f"has none of the events of {log.source.path}"
    if reason:
        here = ", ".join(lacking[0].cells)
        cure = f"here: {here}; --topic NAME if all rows are about one, else --column topic=COLUMN"
        fault = Fault(lacking[0].source.path, None, reason, cure, "missing-column")
        raise Undecided([fault], "topic")
    return files[0], None if facts is None else files[1]


def _with_ids(file: GuessedFile, number: bool, others: Sequence[GuessedFile] = ()) -> GuessedFile:
    """Return a file with ids: rows are numbered where files have no column of ids."""
    own = file.schema.key[-1]
    guess = file.guess(own)
    is_known = guess is not None and file.has_ids()
    if guess is not None and guess.reason == AS_SAID:
        return file
    if is_known and all(each.guess(own) == guess and each.has_ids() for each in others):
        return file
    why = "no column of ids" if guess is None else f"{guess.name} is no id: it repeats or is blank"
    if not number:
        cure = f"here: {' '.join(file.cells)}; --number numbers the rows"
        raise InputError([Fault(file.source.path, None, why, cure, "missing-column")])
    note = f"{why}: {own} is the number of the {row_input(file.source, file.form).unit}"
    return file.with_constant(own, NUMBERED, BY_NUMBER, note)


def _with_zones(
    log: GuessedFile, facts: GuessedFile | None, others: Sequence[GuessedFile]
) -> tuple[GuessedFile, GuessedFile | None]:
    """Return both with UTC for times without a zone, where other times have one."""
    files = [each for each in (log, *others, facts) if each is not None]
    records = [
        InputRecord(each.source.path, str, 0, zones=tuple(each.source.zones.items()))
        for each in files
    ]
    notes = tuple(zone_warnings(records))
    without = {each.schema.table for each in files if "" in each.source.zones} if notes else set()

    def assume(file: GuessedFile) -> GuessedFile:
        is_without = file.schema.table in without
        zone = {"time_zone": "UTC"} if is_without else {}
        told = notes if file is log else ()
        return replace(file, settings={**file.settings, **zone}, notes=(*file.notes, *told))

    return assume(log), None if facts is None else assume(facts)


def _from(folder: Path, file: str) -> str:
    """A file's path as the script in the folder needs it."""
    return Path(os.path.relpath(file, folder)).as_posix()


def _script(files: Sequence[str], options: Sequence[str] = ()) -> str:
    lines = [*map(_in_script, files), *options]
    parts = "".join(f"    {each} \\\n" for each in lines)
    return SCRIPT_TEXT.format(script=SCRIPT, parts=parts, mapping=MAPPING)


def _in_script(path: str) -> str:
    """A path beside the script as the script writes it, wherever it is called from."""
    return f'"$here"/{shlex.quote(path)}'


def _mapping(tables: Mapping[str, Mapping[str, str]]) -> str:
    """What the columns are called, for `--columns`."""
    return "\n".join(_mapping_lines(tables)) + "\n"


def _mapping_lines(tables: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    yield "# What files call the columns of tseval's tables: name in the table = name in the file."
    yield f'# "{CONSTANT}TEXT" is the same text in every row, "{NUMBERED}" the number of the row.'
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
