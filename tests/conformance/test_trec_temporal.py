"""TREC Temporal Summarization 2013-2015, cell for cell as the official scripts printed it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

from tests import cases
from tests.program import tseval
from tseval.core.calling import CommonOptions
from tseval.core.scoring import chosen_measures, scores_of
from tseval.families.temporal import files
from tseval.families.temporal.evaluation import TemporalEvaluation, TemporalInputs
from tseval.families.temporal.explain import print_table
from tseval.families.temporal.rules import Rules
from tseval.io.faults import FaultList
from tseval.io.inputs import Input
from tseval.io.schema import Schema
from tseval.io.tables import TrackRows

Cells = dict[tuple[str, ...], dict[str, str]]
"""The cells of a table by its first three columns, then by its header."""


@dataclass(frozen=True)
class Case:
    """An expected file, and what makes it."""

    expected: str
    edition: str
    rules: tuple[tuple[str, str], ...] = ()
    pool: str = "updates_sampled.tsv.gz"

    def __str__(self) -> str:
        return self.expected


MATCHED_ONLY = ("matched-nuggets-only", "yes")
CASES_2014 = (
    Case("expected.2014.tsv", "ts2014"),
    Case("expected.2014.ignore.tsv", "ts2014", (("unsampled", "skip"),)),
    Case("expected.2014.binary.tsv", "ts2014", (("reward", "binary"),)),
    Case("expected.2014.extended.tsv", "ts2014", pool="updates_sampled.extended.tsv.gz"),
    Case("expected.2015script.noflags.tsv", "ts2015"),
    Case("expected.2015script.t.tsv", "ts2015", (MATCHED_ONLY,)),
    Case("expected.2015script.l_all.tsv", "ts2015", (("latency-from", "all"),)),
    Case("expected.2015script.t_l_all.tsv", "ts2015", (MATCHED_ONLY, ("latency-from", "all"))),
    Case("expected.2015script.l_updonly.tsv", "ts2015", (("latency-from", "updates"),)),
    Case("expected.2015script.ignore.tsv", "ts2015", (("unsampled", "skip"),)),
)
RUNS_2013 = (1, 3, 5, 9, 11, 13, 15, 17, 19, 21, 23, 25)


@pytest.fixture(scope="module", autouse=True)
def _read_once() -> Iterator[None]:
    """Let what stands beside the runs of several cases be read once by each way of reading."""
    read, known = files.read_table, dict[tuple[str, Rules, str], TrackRows]()

    def read_once(source: Input, faults: FaultList, rules: Rules, columns: Schema) -> TrackRows:
        key = source.path, rules, columns.table
        if key not in known:
            known[key] = read(source, faults, rules, columns)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "read_table", read_once)
        yield


def table(text: str) -> Cells:
    header, *rows = (line.split("\t") for line in text.splitlines())
    return {tuple(row[:3]): dict(zip(header[3:], row[3:], strict=True)) for row in rows}


def differences(got: Cells, expected: Cells, tolerance: float | None = None) -> list[str]:
    """Each cell that is not as expected, by its name; as printed unless there is a tolerance."""
    wrong = []
    for row, cells in expected.items():
        for column, cell in cells.items():
            mine = got.get(row, {}).get(column)
            if mine is None or not same(mine, cell, tolerance):
                wrong.append(f"{' '.join(row)}, {column}: {mine} instead of {cell}")
    return wrong


def same(mine: str, cell: str, tolerance: float | None) -> bool:
    if tolerance is None:
        return mine == cell
    return abs(float(mine) - float(cell)) <= tolerance


@cache
def evaluated(
    runs: tuple[Path, ...], gold: Path, pool: Path, edition: str, rules: tuple[tuple[str, str], ...]
) -> TemporalEvaluation:
    beside = gold.parent
    suffix = ".tsv.gz" if gold.name.endswith(".gz") else ".tsv"
    return cases.read(
        TemporalInputs(runs, gold, beside / f"matches{suffix}", pool=pool),
        CommonOptions(edition=edition, rules=dict(rules)),
    )


def printed(evaluation: TemporalEvaluation, decimals: int) -> Cells:
    scores = scores_of(evaluation, chosen_measures(evaluation, []))
    edition = evaluation.edition
    content = print_table(scores, edition.titles, evaluation.teams, decimals)
    return table(content.decode())


def of_2014(pack: Path, case: Case, decimals: int) -> Cells:
    folder = pack / "temporal" / "2014"
    runs = tuple(sorted(folder.glob("runs/*.gz")))
    gold, pool = folder / "nuggets.tsv.gz", folder / case.pool
    return printed(evaluated(runs, gold, pool, case.edition, case.rules), decimals)


@pytest.mark.parametrize("case", CASES_2014, ids=str)
def test_2014_every_cell_as_printed(conformance: Path, case: Case) -> None:
    expected = table((conformance / "temporal" / "2014" / case.expected).read_text())
    got = of_2014(conformance, case, 4)
    assert differences(got, expected) == []
    assert got.keys() == expected.keys()


@pytest.mark.parametrize("case", CASES_2014, ids=str)
def test_2014_every_cell_to_ten_decimals(conformance: Path, case: Case) -> None:
    folder = conformance / "temporal" / "2014" / "expected_10_decimals"
    expected = table((folder / case.expected).read_text())
    assert differences(of_2014(conformance, case, 12), expected, 1e-9) == []


@pytest.mark.parametrize(
    "case",
    [
        Case("official.tsv", "ts2014"),
        Case("official.with-dups.tsv", "ts2014", pool="updates_sampled.extended.tsv.gz"),
    ],
    ids=str,
)
def test_2014_the_two_runs_as_officially_published(conformance: Path, case: Case) -> None:
    published = table((conformance / "temporal" / "2014" / case.expected).read_text())
    runs = {("cunlp", "1APSalRed"), ("cunlp", "2APSal")}
    expected = {row: cells for row, cells in published.items() if row[1:] in runs}
    assert len(expected) == 38
    assert differences(of_2014(conformance, case, 4), expected) == []


def test_2014_the_command_prints_the_official_table(conformance: Path, tmp_path: Path) -> None:
    folder = conformance / "temporal" / "2014"
    out = tmp_path / "table.tsv"
    outcome = tseval(
        *("score", *sorted(folder.glob("runs/*.gz")), folder / "nuggets.tsv.gz"),
        *("--matches", folder / "matches.tsv.gz", "--pool", folder / "updates_sampled.tsv.gz"),
        *("--topics", folder / "topics.xml", "--edition", "ts2014", "-f", "trec-ts", "-o", out),
    )
    assert outcome.code == 0, outcome.err
    expected = (folder / "expected.2014.tsv").read_text().splitlines()
    assert out.read_text().splitlines()[0] == expected[0]
    assert sorted(out.read_text().splitlines()) == sorted(expected)


@dataclass(frozen=True)
class Year2013:
    """Single-topic runs under the script of 2013."""

    expected: str
    runs: str = "runs"
    tolerance: float | None = None
    rules: tuple[tuple[str, str], ...] = field(default=())

    def __str__(self) -> str:
        return self.expected


UTF8 = (("encoding", "utf-8"),)
CASES_2013 = (
    Year2013("expected.tsv"),
    Year2013("expected.doctime.tsv", "runs.doctime"),
    Year2013("expected.utf8.tsv", rules=UTF8),
    Year2013("expected.doctime.utf8.tsv", "runs.doctime", rules=UTF8),
    Year2013("expected_10_decimals/expected.tsv", tolerance=1e-9),
    Year2013("expected_10_decimals/expected.doctime.tsv", "runs.doctime", tolerance=1e-9),
)


def of_2013(
    pack: Path, runs: tuple[Path, ...], rules: tuple[tuple[str, str], ...]
) -> TemporalEvaluation:
    number = int(runs[0].stem.removeprefix("run-"))
    year, pool = ("2013", "updates") if number <= 9 else ("2014", "updates_sampled")
    folder = pack / "temporal" / year
    return evaluated(runs, folder / "nuggets.tsv.gz", folder / f"{pool}.tsv.gz", "ts2013", rules)


@pytest.mark.parametrize("case", CASES_2013, ids=str)
def test_2013_every_cell(conformance: Path, case: Year2013) -> None:
    folder = conformance / "temporal" / "2013"
    expected = table((folder / case.expected).read_text())
    got: Cells = {}
    for number in RUNS_2013:
        run = folder / case.runs / f"run-{number}.txt"
        cells = printed(of_2013(conformance, (run,), case.rules), 12 if case.tolerance else 4)
        got[str(number), "0", "0"] = cells[str(number), "0", "0"]
    assert len(expected) == 12
    assert differences(got, expected, case.tolerance) == []


@pytest.mark.parametrize("doctime", ["", ".doctime"])
@pytest.mark.parametrize("utf8", ["", ".utf8"])
@pytest.mark.parametrize("year", ["2013", "2014"])
def test_2013_the_whole_output(conformance: Path, doctime: str, utf8: str, year: str) -> None:
    folder = conformance / "temporal" / "2013"
    runs = tuple(
        folder / f"runs{doctime}" / f"run-{number}.txt"
        for number in RUNS_2013
        if (number <= 9) == (year == "2013")
    )
    name = f"expected{doctime}{utf8}.ts{year}.tsv"
    expected = table((folder / "full_output" / name).read_text())
    got = printed(of_2013(conformance, runs, UTF8 if utf8 else ()), 4)
    assert differences(got, expected) == []
    assert got.keys() == expected.keys()


@pytest.mark.parametrize(
    ("edition", "name"), [("ts2014", "expected.tsv"), ("ts2015", "expected.2015script.tsv")]
)
def test_the_toy_cases(conformance: Path, edition: str, name: str) -> None:
    folder = conformance / "temporal" / "toy"
    expected = table((folder / name).read_text())
    got: Cells = {}
    for case, description, flags in expected:
        rules = (("unsampled", "skip"),) if flags == "-i" else ()
        run = (folder / "runs" / f"{case}.txt",)
        gold, pool = folder / "nuggets.tsv", folder / "updates_sampled.tsv"
        cells = printed(evaluated(run, gold, pool, edition, rules), 4)
        topic = "TS14.11" if edition == "ts2014" else "11"
        got[case, description, flags] = cells[topic, "T", "R"]
    assert len(expected) == 13
    assert differences(got, expected) == []


def test_one_run_alone_has_the_same_scores(conformance: Path, tmp_path: Path) -> None:
    folder = conformance / "temporal" / "2014"
    case = CASES_2014[0]
    alone = tmp_path / "alone.gz"
    shutil.copy(folder / "runs" / "cunlp-2APSal.ssv.gz", alone)
    gold, pool = folder / "nuggets.tsv.gz", folder / case.pool
    got = printed(evaluated((alone,), gold, pool, case.edition, ()), 12)
    expected = {r: c for r, c in of_2014(conformance, case, 12).items() if r[2] == "2APSal"}
    assert differences(got, expected) == []
