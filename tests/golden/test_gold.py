"""`tseval gold`: the list, the files of a collection, and a check of what was downloaded."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from string import Formatter

import pytest

from tests import program
from tseval.cli.gold import NO_ADDRESS, public_gold
from tseval.core import registry

CHANGES = program.FIXTURES / "changes"
NAMES = list(public_gold())
COLLECTIONS = {
    "ts2013": "temporal/2013",
    "ts2014": "temporal/2014",
    "mb2015": "clusters/mb2015",
    "rts2016": "clusters/rts2016",
    "rts2017": "clusters/rts2017",
    "is2021a": "incidents/2021a",
    "kba2012": "filtering/kba2012",
    "kba2014": "filtering/kba2014",
}
"""What of the conformance pack has files under their published names."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all files of `changes2026`, one of them further down."""
    monkeypatch.chdir(tmp_path)
    made = tmp_path / "mine"
    (made / "more").mkdir(parents=True)
    shutil.copy(CHANGES / "qrels.tsv", made)
    shutil.copy(CHANGES / "topics.jsonl", made)
    shutil.copy(CHANGES / "days.txt", made / "more")
    return made


def test_the_list_has_a_row_for_each_collection() -> None:
    done = program.tseval("gold")
    *rows, last = done.out.splitlines()
    assert (done.code, done.err) == (0, "")
    assert [row.split()[0] for row in rows] == NAMES
    assert rows[1] == (
        "ts2014           TREC Temporal Summarization 2014       tseval score        "
        "https://trec.nist.gov/data/tempsumm2014.html"
    )
    assert last == ("`tseval gold NAME` lists the files, `tseval gold NAME FOLDER` checks yours")


@pytest.mark.parametrize("name", NAMES)
def test_every_collection_lists_its_files_and_its_commands(name: str) -> None:
    gold = public_gold()[name]
    done = program.tseval("gold", name)
    assert (done.code, done.err) == (0, "")
    for file in gold.files:
        assert f"{file.name}: {file.address}" in done.out
        assert file.address == NO_ADDRESS or file.address.startswith("https://")
        assert re.fullmatch("(md5:[0-9a-f]{32}|sha256:[0-9a-f]{64})?", file.sum)
    formats = {each.name for each in registry.formats()} | set(registry.schemas())
    assert {file.table for file in gold.files} <= formats | {""}
    roles = {file.role for file in gold.files} | {"run"}
    used = {field for each in gold.commands for _, field, _, _ in Formatter().parse(each) if field}
    assert used <= roles
    assert len(re.findall("^  tseval ", done.out, re.MULTILINE)) == len(gold.commands)


def test_an_archive_is_to_be_unpacked() -> None:
    done = program.tseval("gold", "ts2015")
    archive = "https://trec.nist.gov/data/tempsumm/2015/ts15eval.tgz"
    assert f"  nuggets     nuggets.tsv: {archive} (unpack it first)\n" in done.out
    assert done.out.count("(unpack it first)") == 4


@pytest.mark.usefixtures("folder")
def test_a_complete_folder() -> None:
    done = program.tseval("gold", "changes2026", "mine")
    assert (done.code, done.err) == (0, "")
    days = "--days mine/more/days.txt"
    assert done.out.splitlines() == [
        "  qrels      mine/qrels.tsv: gains, 6 rows, no fault",
        "  topics     mine/topics.jsonl: questions, 3 rows, no fault",
        "  days       mine/more/days.txt: days, 3 rows, no fault",
        "  documents  missing: documents.tsv: ask the organisers, optional",
        "to score runs:",
        f"  tseval changes RUN... mine/qrels.tsv --topics mine/topics.jsonl {days}",
    ]


def test_a_folder_that_lacks_a_file(folder: Path) -> None:
    (folder / "qrels.tsv").unlink()
    done = program.tseval("gold", "changes2026", "mine")
    assert (done.code, done.err) == (1, "")
    assert "  qrels      missing: qrels.tsv: ask the organisers" in done.out.splitlines()
    assert "tseval changes" not in done.out


def test_a_file_that_is_another_table(folder: Path) -> None:
    shutil.copy(folder / "topics.jsonl", folder / "qrels.tsv")
    done = program.tseval("gold", "changes2026", "mine")
    assert (done.code, done.err) == (1, "")
    assert re.search(r"^  qrels +mine/qrels\.tsv:1: ", done.out, re.MULTILINE)


@pytest.mark.parametrize("other", [False, True])
def test_a_file_that_differs_from_its_stated_sum(folder: Path, other: bool) -> None:
    text = "11 team run 1326506940-433f8576b39b614c312c77c77f739ee3 157 1326510000 2.5\n"
    (folder / ("cunlp-1APSalRed.ssv" if other else "1APSalRed")).write_text(text)
    done = program.tseval("gold", "ts2014", "mine")
    assert done.code == 1
    assert re.search(
        r"APSalRed(\.ssv)?: md5 is [0-9a-f]{32}, but b6fec46cb9982daeaa6e011cdcb48c03 is stated; "
        r"download it again: https://trec\.nist\.gov/results/trec23/tempsumm/1APSalRed\.gz$",
        done.out,
        re.MULTILINE,
    )


def test_an_unknown_name_and_an_unknown_folder() -> None:
    done = program.tseval("gold", "rts2018")
    assert (done.code, done.out) == (2, "")
    assert done.err == "error: no public gold is called 'rts2018'; did you mean rts2017?\n"
    done = program.tseval("gold", "weather")
    assert done.err == "error: no public gold is called 'weather': `tseval gold` lists all\n"
    assert program.tseval("gold", "rts2017", "nowhere").code == 2


@pytest.mark.parametrize("name", COLLECTIONS)
def test_real_files_are_recognised(name: str, conformance: Path) -> None:
    """Two official runs of 2014 have the sums that their page states."""
    done = program.tseval("gold", name, str(conformance / COLLECTIONS[name]))
    assert (done.code, done.err) == (0, "")
    assert "missing" not in done.out
    assert "to score runs:" in done.out
