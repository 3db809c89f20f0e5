"""Every number of the worked example on clusters, worked out by hand, equals the program's."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import pytest

import tseval
from tests.program import FIXTURES, SWIFT, THOROUGH
from tests.program import tseval as program

CLUSTERS = str(FIXTURES / "clusters.tsv")


def by_hand() -> list[dict[str, str]]:
    with Path(__file__).with_name("worked_clusters.tsv").open() as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


@pytest.fixture(scope="module")
def scores() -> tseval.Scores:
    return tseval.score_clusters([SWIFT, THOROUGH], CLUSTERS)


@pytest.mark.parametrize("row", by_hand(), ids=lambda r: f"{r['run']}-{r['topic']}-{r['measure']}")
def test_the_program_gives_the_number_worked_out_by_hand(
    row: dict[str, str], scores: tseval.Scores
) -> None:
    value = scores.value(row["measure"], row["topic"], row["run"])
    if row["value"] == "undefined":
        assert value is None
    else:
        assert value == pytest.approx(float(Fraction(row["value"])), rel=1e-12, abs=1e-12)


def test_nothing_but_these_numbers_comes_out(scores: tseval.Scores) -> None:
    written = {(row["run"], row["topic"], row["measure"]) for row in by_hand()}
    assert {record[:3] for record in scores.records()} == written


def test_trec_and_csv() -> None:
    trec = program("clusters", SWIFT, CLUSTERS, "-m", "coverage", "-q", "-f", "trec", "--quiet")
    assert trec.out.splitlines() == [
        "coverage\tferry\t0.6666666666666666",
        "coverage\tflood\t1.0",
        "coverage\tmine\t0.0",
        "coverage\tall\t0.5555555555555555",
    ]
    table = program("clusters", SWIFT, CLUSTERS, "-m", "latency", "-q", "-f", "csv", "--quiet")
    assert table.out.splitlines()[1:] == [
        "swift,ferry,latency,70.0",
        "swift,flood,latency,21.0",
        "swift,mine,latency,",
        "swift,all,latency,39.375",
    ]


def test_means_over_topics_are_a_rule() -> None:
    """Means over topics that have a value, as worked out by hand from those of the topics."""
    rules = {"mean": "topics"}
    scores = tseval.score_clusters([SWIFT, THOROUGH], CLUSTERS, rules=rules)
    assert "|rules:mean=topics|" in scores.signature
    expected = {"latency": 2495 / 7, "redundancy": 7 / 9, "redundancy(unique)": 25 / 72}
    for measure, value in expected.items():
        assert scores.value(measure, run="thorough") == pytest.approx(value)
    assert scores.value("latency", run="swift") == 45.5
    done = program("clusters", SWIFT, CLUSTERS, "--rule", "mean=topics", "-f", "csv", "--quiet")
    assert "swift,all,latency,45.5" in done.out
    told = tseval.score_clusters(SWIFT, CLUSTERS, undefined="zero").warnings
    assert any("so no topic counts as 0" in each for each in told)
    assert any("in 1 topic, adding nothing to `all`: mine" in each for each in told)


def test_all_over_time_is_that_of_all_posts() -> None:
    """The end of a curve, and one batch over all, are the scores; also by the other rule."""
    wanted = ("-m", "latency redundancy redundancy(unique) coverage")
    for options in ((), ("--rule", "mean=topics")):
        table = program("clusters", THOROUGH, CLUSTERS, *wanted, *options, "-f", "csv", "--quiet")
        values = [line.rpartition(",")[2] for line in table.out.splitlines()[1:]]
        for batch in ((), ("--batch", "100d")):
            done = program("curve", THOROUGH, CLUSTERS, *wanted, *options, *batch, "--quiet")
            assert done.code == 0, done.err
            rows = [line.split(",") for line in done.out.splitlines()[1:]]
            ends = {row[2]: row[5] for row in rows}
            assert [float(value) for value in ends.values()] == pytest.approx(
                [float(value) for value in values]
            )


def test_a_chart_says_what_all_is(tmp_path: Path) -> None:
    for wanted, options, said in (
        ("latency", (), "all topics"),
        ("latency coverage", (), "all topics, or the mean over them"),
        ("latency", ("--rule", "mean=topics"), "mean over topics"),
    ):
        page = tmp_path / "curve.html"
        done = program("curve", SWIFT, CLUSTERS, "-m", wanted, *options, "-o", page, "--quiet")
        assert done.code == 0, done.err
        assert f'<p class="summary">{said}</p>' in page.read_text()


def test_the_sample_of_highest_confidence() -> None:
    """Two a topic: of swift flood 1 and 3, ferry 1 and 4; ferry-c1 15 + 30, the others 0."""
    scores = tseval.score_clusters(SWIFT, CLUSTERS, "latency redundancy", sample=2)
    assert scores.value("latency", "flood") == 7.5  # (15 + 0) / 2
    assert scores.value("latency", "ferry") == 15  # (30 + 0) / 2
    assert scores.value("redundancy", "flood") == 1 / 5  # sw-flood-3 has sw-flood-4 beside it
    assert "|selected:confidence(2)|" in scores.signature


def test_the_explanation() -> None:
    done = program("clusters", SWIFT, CLUSTERS, "--explain", "-f", "tsv", "--quiet")
    assert done.out.splitlines()[:4] == [
        "run\ttopic\tcluster_id\tstart\tposts\treports\tfirst_report\ttime\treported\tdelays"
        "\tselected\tdelay\tothers\treturned",
        "swift\tferry\tferry-c1\t1700116200\t4\t1\tsw-ferry-1\t1700118000\tsw-ferry-1*\t30"
        "\t1\t30.0\t0\t5",
        "swift\tferry\tferry-c2\t1700127000\t5\t2\tsw-ferry-4\t1700127000\t"
        "sw-ferry-4* sw-ferry-5*\t0 180\t2\t180.0\t2\t5",
        "swift\tferry\tferry-c3\t1700164800\t1\t0\t\t\t\t\t0\t0.0\t0\t5",
    ]
