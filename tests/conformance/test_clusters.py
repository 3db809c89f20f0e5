"""Real judgments of Microblog 2015 and Real-Time Summarization 2016 and 2017.

Every cell of what the official scripts print is compared; a failure names its cells. The expected
numbers are never touched: where the code differs, the code is wrong, or a rule is missing.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import tseval
from tseval import Scores

BATCH = {
    "EGp": "EG-p",
    "EG1": "EG-1",
    "EG0": "EG-0",
    "nCGp": "nCG-p",
    "nCG1": "nCG-1",
    "nCG0": "nCG-0",
    "GMP.33": "GMP.33",
    "GMP.50": "GMP.5",
    "GMP.66": "GMP.66",
    "mean_latency": "latency-mean",
    "median_latency": "latency-median",
    "total_length": "length",
    "ELG": "ELG",
    "nCG": "nCG",
}
MOBILE = {
    "relevant": "live-relevant",
    "redundant": "live-redundant",
    "not_relevant": "live-not-relevant",
    "unjudged": "live-unjudged",
    "total_length": "live-length",
    "coverage": "live-coverage",
    "mean_latency": "live-latency-mean",
    "median_latency": "live-latency-median",
    "strict-p": "live-P-strict",
    "lenient-p": "live-P-lenient",
    "online_utility(strict)": "live-U-strict",
    "online_utility(lenient)": "live-U-lenient",
}
FILES: dict[str, dict[str, str]] = {
    "mb2015": {
        "clusters": "clusters-2015.json.gz",
        "qrels": "qrels.txt.gz",
        "epochs": "tweet2dayepoch.txt.gz",
    },
    "rts2016": {
        "clusters": "rts2016-batch-clusters.json.gz",
        "qrels": "rts2016-batch-qrels.txt.gz",
        "epochs": "rts2016-batch-tweets2dayepoch.txt.gz",
        "live": "rts2016-mobileA-qrels.txt.gz",
        "live_epochs": "rts2016-mobileA-tweets2dayepoch.txt.gz",
    },
    "rts2017": {
        "clusters": "rts2017-batch-clusters.json.gz",
        "qrels": "rts2017-batch-qrels.txt.gz",
        "epochs": "rts2017-batch-tweets2dayepoch.txt.gz",
        "live": "rts2017-mobile-qrels.txt.gz",
        "live_epochs": "rts2017-mobile-tweets2dayepoch.txt.gz",
    },
}
RUNS = {
    "synthA15": ("mb2015", "synthA15.txt"),
    "synthA16": ("rts2016", "synthA16.txt"),
    "UDInfoBL": ("rts2017", "UDInfoBL-A.gz"),
    "UDInfoEXP": ("rts2017", "UDInfoEXP-A.gz"),
    "repeated": ("rts2017", "UDInfoEXP-A.repeated.gz"),
}


def inputs(pack: Path, edition: str, *without: str) -> dict[str, Any]:
    """The files of an edition by the names of the parameters of `score_clusters`."""
    folder = pack / "clusters" / edition
    return {name: folder / file for name, file in FILES[edition].items() if name not in without}


@cache
def scored(pack: Path, run: str) -> Scores:
    edition, file = RUNS[run]
    path = pack / "clusters" / edition / "runs" / file
    return tseval.score_clusters(path, edition=edition, **inputs(pack, edition))


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


def decimals(cell: str) -> int:
    return len(cell.partition(".")[2])


def wrong(
    scores: Scores, table: list[dict[str, str]], names: Mapping[str, str]
) -> Iterator[tuple[str, str, float | None, str]]:
    """Every cell that is not the value as printed: half a unit of its last digit away."""
    for row in table:
        topic = "all" if row["topic"] == "All" else row["topic"]
        for column, measure in names.items():
            if column not in row:
                continue
            value = scores.value(measure, topic)
            within = 0.5000001 * 10.0 ** -decimals(row[column])
            if value is None or abs(value - float(row[column])) > within:
                yield topic, column, value, row[column]


EXPECTED = [
    ("UDInfoBL", "rts2017/expected.batchA.UDInfoBL.tsv", BATCH, 98),
    ("UDInfoBL", "rts2017/expected_wide/expected.batchA.UDInfoBL.tsv", BATCH, 98),
    ("UDInfoBL", "rts2017/expected.mobile.UDInfoBL.tsv", MOBILE, 189),
    ("UDInfoBL", "rts2017/expected_wide/expected.mobile.UDInfoBL.tsv", MOBILE, 189),
    ("UDInfoEXP", "rts2017/expected.batchA.UDInfoEXP.tsv", BATCH, 98),
    ("UDInfoEXP", "rts2017/expected_wide/expected.batchA.UDInfoEXP.tsv", BATCH, 98),
    ("UDInfoEXP", "rts2017/expected.mobile.UDInfoEXP.tsv", MOBILE, 189),
    ("UDInfoEXP", "rts2017/expected_wide/expected.mobile.UDInfoEXP.tsv", MOBILE, 189),
    ("repeated", "rts2017/expected.batchA.UDInfoEXP.repeated.tsv", BATCH, 98),
    ("synthA16", "rts2016/expected.batchA.synthA16.tsv", BATCH, 57),
    ("synthA16", "rts2016/expected.mobileA.synthA16.tsv", MOBILE, 123),
    ("synthA15", "mb2015/expected.modelA.synthA15.tsv", BATCH, 52),
]


@pytest.mark.parametrize(("run", "file", "names", "size"), EXPECTED, ids=[e[1] for e in EXPECTED])
def test_every_cell_is_what_the_script_prints(
    conformance: Path, run: str, file: str, names: dict[str, str], size: int
) -> None:
    table = rows(conformance / "clusters" / file)
    assert len(table) == size
    assert list(wrong(scored(conformance, run), table, names)) == []


OVERVIEW = {
    "overview_table2_scenarioA_mobile.tsv": {
        "R": "live-relevant",
        "D": "live-redundant",
        "N": "live-not-relevant",
        "U": "live-unjudged",
        "L": "live-length",
        "C": "live-coverage",
        "mean_latency": "live-latency-mean",
        "median_latency": "live-latency-median",
        "P_strict": "live-P-strict",
        "P_lenient": "live-P-lenient",
        "Util_strict": "live-U-strict",
        "Util_lenient": "live-U-lenient",
    },
    "overview_table3_scenarioA_batch.tsv": {
        "EG-p": "EG-p",
        "EG-1": "EG-1",
        "nCG-p": "nCG-p",
        "nCG-1": "nCG-1",
        "GMP.33": "GMP.33",
        "GMP.50": "GMP.5",
        "GMP.66": "GMP.66",
        "mean": "latency-mean",
        "median": "latency-median",
        "length": "length",
    },
}
PUBLISHED = {"UDInfoBL": "UDInfoBL-run2", "UDInfoEXP": "UDInfoEXP-run3"}


@pytest.mark.parametrize("table", OVERVIEW)
@pytest.mark.parametrize("run", PUBLISHED)
def test_the_published_rows(conformance: Path, run: str, table: str) -> None:
    listed = rows(conformance / "clusters" / "rts2017" / table)
    row = next(row for row in listed if row["run"] == PUBLISHED[run])
    assert list(wrong(scored(conformance, run), [row | {"topic": "All"}], OVERVIEW[table])) == []


EMPTY = {
    "rts2017": ("EG-p", "EG-1", "nCG-p", "nCG-1"),
    "rts2016": ("EG-1", "nCG-1"),
    "mb2015": ("ELG", "nCG"),
}


@pytest.mark.parametrize("edition", EMPTY)
def test_an_empty_run(conformance: Path, tmp_path: Path, edition: str) -> None:
    expected = json.loads((conformance / "clusters" / "expected.json").read_text())[edition]
    # The qrels of 2015 have bare numbers, where runs, clusters and the script's output have MB226.
    per_topic = {
        f"MB{topic}" if topic.isdigit() else topic: share
        for topic, share in expected["per_topic"].items()
    }
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    scores = tseval.score_clusters(
        empty,
        edition=edition,
        measures=EMPTY[edition],
        **inputs(conformance, edition, "live", "live_epochs"),
    )
    assert set(scores.topics) == set(per_topic)
    for measure in EMPTY[edition]:
        value = scores.value(measure)
        assert value == pytest.approx(expected["silent_day_share"], abs=1e-9)
        assert round(value or 0, 4) == expected["printed"]
        for topic, share in per_topic.items():
            assert scores.value(measure, topic) == pytest.approx(share, abs=1e-9), (measure, topic)


def test_an_empty_run_of_lists(conformance: Path, tmp_path: Path) -> None:
    """Nobody's posts on a topic that nobody judged."""
    run = tmp_path / "lists"
    run.write_text("20170729 nowhere Q0 1 1 1.0 empty\n")
    given = inputs(conformance, "rts2017", "live", "live_epochs")
    scores = tseval.score_clusters(run, edition="rts2017", **given)
    assert scores.measures == ("nDCG-0", "nDCG-1", "nDCG-p")
    assert [round(scores.value(m) or 0, 4) for m in scores.measures] == [0, 0.1765, 0.1765]


FORMS = {"mb2015": (3100, 6191), "rts2016": (765, 3339), "rts2017": (2889, 6148)}


@pytest.mark.parametrize("edition", FORMS)
def test_every_form_becomes_the_same_plain_table_by_epochs_and_by_ids(
    conformance: Path, tmp_path: Path, edition: str
) -> None:
    from tests.program import tseval as program

    given = inputs(conformance, edition)
    plain, by_id = tmp_path / "plain.tsv", tmp_path / "by_id.tsv"
    epochs = program("import", "clusters", given["clusters"], "--epochs", given["epochs"])
    assert (epochs.code, epochs.err) == (0, "")
    plain.write_bytes(epochs.output)
    flakes = program("import", "clusters", given["clusters"], "--times", "snowflake", "-o", by_id)
    assert (flakes.code, flakes.err) == (0, "")
    table, other = rows(plain), rows(by_id)
    clusters = {(row["topic"], row["cluster_id"]) for row in table}
    assert (len(clusters), len(table)) == FORMS[edition]
    assert all(
        abs(float(a["time"]) - float(b["time"])) <= 1 for a, b in zip(table, other, strict=True)
    )


@pytest.mark.parametrize("run", RUNS)
def test_the_plain_table_scores_as_the_json_does(
    conformance: Path, tmp_path: Path, run: str
) -> None:
    from tests.program import tseval as program

    edition, file = RUNS[run]
    given = inputs(conformance, edition, "live", "live_epochs")
    plain = tmp_path / "clusters.tsv"
    args = ("import", "clusters", given["clusters"], "--epochs", given["epochs"], "-o", plain)
    assert program(*args).code == 0
    path = conformance / "clusters" / edition / "runs" / file
    scores = tseval.score_clusters(path, edition=edition, **given | {"clusters": plain})
    expected = scored(conformance, run)
    for measure in scores.measures:
        assert scores.value(measure) == expected.value(measure), measure


def test_the_official_files_hold_no_fault(conformance: Path) -> None:
    from tests.program import tseval as program

    files = [path for edition in FILES for path in inputs(conformance, edition).values()]
    runs = [conformance / "clusters" / e / "runs" / file for e, file in RUNS.values()]
    done = program("validate", *files, *runs)
    assert done.code == 0, done.out
    told = [line for line in done.out.splitlines() if ": warning: " in line]
    assert len(done.out.splitlines()) == len(files) + len(runs) + len(told)
    assert len(told) == 1
    assert "UDInfoEXP-A.repeated.gz: warning: 723 lines push posts that the run had" in told[0]


def test_compressed_or_not_makes_no_difference(conformance: Path, tmp_path: Path) -> None:
    given = inputs(conformance, "rts2017", "live", "live_epochs")
    plain = {}
    for name, path in given.items():
        plain[name] = tmp_path / path.name.removesuffix(".gz")
        plain[name].write_bytes(gzip.decompress(path.read_bytes()))
    run = conformance / "clusters" / "rts2017" / "runs" / "UDInfoBL-A.gz"
    scores = tseval.score_clusters(run, edition="rts2017", **plain)
    assert scores.value("EG-p") == scored(conformance, "UDInfoBL").value("EG-p")
