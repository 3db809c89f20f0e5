"""`--input-format` offers what a command reads, and nothing else."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path

import click
import pandas as pd
import pytest

import tseval
from tests import program
from tests.program import faulty
from tseval.cli import cli, summaries
from tseval.io import PLAIN_FORMS
from tseval.io.forms import READERS

pytestmark = pytest.mark.small_times

TEMPORAL_FORMS = (*PLAIN_FORMS, "trec-ts")
TIMELINE_FORMS = ("timeline-json", "timeline-text", "timeline-markdown", "timeline-rows")
SCORE_FORMS = (*TEMPORAL_FORMS, "trec")
OFFERED = {
    **dict.fromkeys(("score", "match", "calibrate", "values", "sweep", "sample"), TEMPORAL_FORMS),
    **dict.fromkeys(("clusters", "incidents", "filter", "changes", "responses"), PLAIN_FORMS),
    **dict.fromkeys(("crisisfacts", "battles"), PLAIN_FORMS),
    "curve": (*TEMPORAL_FORMS, *TIMELINE_FORMS),
    "timelines": (*PLAIN_FORMS, *TIMELINE_FORMS),
    **dict.fromkeys(("compare", "report"), SCORE_FORMS),
    "validate": (*TEMPORAL_FORMS, *TIMELINE_FORMS, "trec"),
}
LABELS = pd.DataFrame(
    [("flood", "f1", "High", "Report-News", 1), ("flood", "f2", "Low", "", 2)],
    columns=["topic", "post_id", "level", "types", "time"],
)
CLUSTERS = pd.read_csv(program.FIXTURES / "clusters.tsv", sep="\t", dtype=str)
SCORES = pd.DataFrame({"run": "r", "topic": ["a", "b"], "measure": "P", "value": [0.5, 1.0]})
DAYS = pd.DataFrame({"topic": "a", "date": ["2024-03-01", "2024-03-02"], "text": "a flood"})
VALUES = pd.DataFrame({"topic": "a", "attribute": "deaths", "time": [1, 5], "value": [2, 3]})


def table(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False)


TEMPORAL = (table(program.FIXTURES / "runs" / "swift.tsv"), table(Path(program.NUGGETS)))
FILTERED = tuple(table(program.FIXTURES / "filter" / name) for name in ("steady.tsv", "truth.tsv"))
SHY = table(program.FIXTURES / "incidents" / "shy.tsv")
TYPES = ("--ontology", program.FIXTURES / "incidents" / "types.json")
CHANGES = program.FIXTURES / "changes"
COLLECTION = ("--topics", CHANGES / "topics.jsonl", "--documents", CHANGES / "documents.tsv")
RANKED = pd.DataFrame(
    [("ferry", "2026-03-02", "f1", 0, "d2-1", 1.5), ("bridge", "2026-03-04", "b1", 1, "d4-1", 2)],
    columns=["topic", "day", "qid", "question_rank", "doc_id", "score"],
)
GRADES = pd.DataFrame(
    [("dam", "n1", "support", "vital"), ("dam", "n2", "partial_support", "okay")],
    columns=["topic", "nugget_id", "label", "importance"],
)
READ = {
    "score": (TEMPORAL, ()),
    "curve": (TEMPORAL, ()),
    "match": (TEMPORAL, ()),
    "calibrate": ((*TEMPORAL, table(Path(program.MATCHES))), ()),
    "values": ((VALUES, VALUES), ()),
    "clusters": ((CLUSTERS[["topic", "post_id", "time"]].drop_duplicates(), CLUSTERS), ()),
    "incidents": ((SHY, LABELS), TYPES),
    "filter": (FILTERED, ()),
    "timelines": ((DAYS, DAYS), ()),
    "changes": ((RANKED, table(CHANGES / "qrels.tsv")), COLLECTION),
    "responses": ((GRADES,), ()),
    "compare": ((SCORES,), ()),
    "validate": ((SCORES,), ()),
}
"""Tables that each command takes, and what it needs beside."""


def write(frame: pd.DataFrame, path: Path, form: str) -> None:
    if form == "parquet":
        frame.to_parquet(path)
    elif form in ("jsonl", "json"):
        frame.to_json(path, orient="records", lines=form == "jsonl")
    elif form == "xlsx":
        pytest.importorskip("python_calamine", reason="needs the extra excel")
        frame.to_excel(path.with_suffix(".xlsx"), index=False)
        path.with_suffix(".xlsx").rename(path)
    else:
        frame.to_csv(path, sep="\t" if form == "tsv" else ",", index=False)


@pytest.mark.parametrize("name", OFFERED)
def test_what_is_offered(name: str) -> None:
    command = cli.commands.get(name) or cli.get_command(click.Context(cli), name)
    assert command is not None
    offered = [each for each in command.params if each.name == "input_format"]
    assert [tuple(each.type.choices) for each in offered] == [tuple(OFFERED[name])]  # type: ignore[attr-defined]


def test_every_command_that_has_the_option_is_listed() -> None:
    context = click.Context(cli)
    commands = {name: cli.get_command(context, name) for name in summaries()}
    having = {
        name
        for name, command in commands.items()
        if command is not None and any(each.name == "input_format" for each in command.params)
    }
    assert having == set(OFFERED)
    assert tuple(READERS) == PLAIN_FORMS


@pytest.mark.parametrize(("name", "form"), [*zip(READ, cycle(PLAIN_FORMS))])
def test_every_plain_form_that_is_offered_is_read(name: str, form: str, tmp_path: Path) -> None:
    """Under names that say nothing of the form."""
    tables, more = READ[name]
    files = [tmp_path / f"{at}" for at in range(len(tables))]
    for frame, file in zip(tables, files, strict=True):
        write(frame, file, form)
    outcome = program.tseval(name, *files, *more, "--input-format", form)
    assert outcome.code == 0, outcome.err
    assert outcome.out
    by_content = program.tseval(name, *files, *more)
    assert (by_content.code, by_content.out) == (0, outcome.out), by_content.err


@pytest.mark.parametrize(
    "name", ["clusters", "incidents", "filter", "changes", "responses", "timelines"]
)
def test_the_files_of_another_track_are_not_offered(name: str) -> None:
    outcome = program.tseval(name, "a", "b", "--input-format", "trec-ts")
    assert outcome.code == 2
    assert "'trec-ts' is not one of 'tsv', 'csv', 'jsonl', 'json', 'parquet', 'xlsx'" in outcome.err


def test_curves_over_clusters_have_plain_forms_alone(tmp_path: Path) -> None:
    for file in ("run.tsv", "gold.tsv"):
        write(CLUSTERS, tmp_path / file, "tsv")
    files = (tmp_path / "run.tsv", tmp_path / "gold.tsv")
    outcome = program.tseval("curve", *files, "--input-format", "trec-ts")
    assert outcome.code == 2
    assert "'trec-ts' is no input format of clusters; there are: tsv, csv, " in outcome.err


def test_runs_to_compare_have_no_form_of_scores() -> None:
    given = (program.SWIFT, "--gold", program.NUGGETS, "--input-format", "trec")
    outcome = program.tseval("compare", *given)
    assert outcome.code == 2
    assert "--input-format trec is for scores; runs and gold have: tsv, csv, jsonl" in outcome.err


INPUTS = {
    "score": ("updates", "nuggets"),
    "curve": ("updates", "nuggets"),
    "match": ("updates", "nuggets"),
    "calibrate": ("updates", "nuggets", "matches"),
    "values": ("run", "gold"),
    "clusters": ("run", "clusters"),
    "incidents": ("run", "labels"),
    "filter": ("run", "truth"),
    "timelines": ("system", "gold"),
    "changes": ("run", "qrels"),
    "responses": ("file",),
    "compare": ("scores",),
    "validate": ("scores",),
}
"""What the tables of `READ` are called."""


@pytest.mark.parametrize("name", READ)
def test_each_input_may_have_a_form_of_its_own(name: str, tmp_path: Path) -> None:
    """The last one as CSV under a header with a tab, which its content would make a TSV."""
    tables, more = READ[name]
    files = [tmp_path / f"{at}" for at in range(len(tables))]
    for frame, file in zip(tables, files, strict=True):
        write(frame, file, "jsonl")
    files[-1].write_bytes(b"note\there," + tables[-1].to_csv(index=False).encode())
    lines = files[-1].read_bytes().splitlines()
    files[-1].write_bytes(b"\n".join([lines[0], *(b"a\tb," + line for line in lines[1:])]))
    own = f"{INPUTS[name][-1]}=csv"
    if name != "validate":
        assert program.tseval(name, *files, *more).code == 1
    outcome = program.tseval(name, *files, *more, "--input-format", own)
    assert outcome.code == 0, outcome.err
    outcome = program.tseval(name, *files, *more, "--input-format", "jsonl", "--input-format", own)
    assert outcome.code == 0, outcome.err
    outcome = program.tseval(name, *files, *more, "--input-format", "chair=csv")
    assert outcome.code == 2
    assert "no input 'chair' here; there are: " in outcome.err
    twice = ("--input-format", own, "--input-format", own.replace("csv", "tsv"))
    assert "is given twice" in program.tseval(name, *files, *more, *twice).err


def test_python_has_them_too(tmp_path: Path) -> None:
    """A CSV of nuggets with a tab in its header beside a TSV of updates."""
    gold = tmp_path / "gold"
    frame = table(Path(program.NUGGETS)).assign(**{"a\tb": "x"})
    gold.write_text(frame[["a\tb", *frame.columns[:-1]]].to_csv(index=False))
    expected = tseval.score(program.SWIFT, program.NUGGETS, program.MATCHES, measures="R")
    given: dict[str, str] = {"nuggets": "csv"}
    found = tseval.score(program.SWIFT, gold, program.MATCHES, measures="R", input_format=given)
    assert found.value("R") == expected.value("R")
    with faulty("missing-column", 1):
        tseval.score(program.SWIFT, gold, program.MATCHES, measures="R")
    with pytest.raises(tseval.UsageError, match=r"^no input 'gold' here; there are: updates, nu"):
        tseval.score(program.SWIFT, gold, measures="R", input_format={"gold": "csv"})
    many = tseval.score(program.SWIFT, gold, measures="R", input_format=given, jobs=2)
    assert many.value("R") == tseval.score(program.SWIFT, program.NUGGETS, measures="R").value("R")
