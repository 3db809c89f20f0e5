"""The 24 official runs of TREC Temporal Summarization 2014, compared."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import tseval
from tests.program import tseval as program
from tseval.comparison import Comparison, Plan, Treatment, correlate, discriminate, read_board
from tseval.comparison.with_gold import ScoredRuns, leave_out
from tseval.families.temporal.evaluation import TemporalInputs, TemporalOptions
from tseval.families.temporal.family import FAMILY

RUNS, TOPICS = 24, 15


@pytest.fixture(scope="module")
def folder(conformance: Path) -> Path:
    return conformance / "temporal" / "2014"


@pytest.fixture(scope="module")
def values(folder: Path) -> dict[str, np.ndarray]:
    """The scores of HM by run, read by other means."""
    header, *lines = (
        line.split("\t") for line in (folder / "official.tsv").read_text().splitlines()
    )
    column = header.index("HM(nE[LG],Lat. Comp.)")
    scores: dict[str, list[float]] = {}
    for line in lines:
        if line[0].startswith("TS14.") and line[2] != "-":
            scores.setdefault(f"{line[1]}-{line[2]}", []).append(float(line[column]))
    return {run: np.array(each) for run, each in scores.items()}


@pytest.fixture(scope="module")
def found(folder: Path) -> Comparison:
    return tseval.compare(folder / "official.tsv", "HM")


def test_every_pair_is_compared(found: Comparison, values: dict[str, np.ndarray]) -> None:
    assert len(values) == RUNS
    assert len(found.contests) == RUNS * (RUNS - 1) // 2 == 276
    assert {each.topics for each in found.contests} == {TOPICS}
    assert found.warnings == ()
    assert {s.run: s.mean for s in found.standings} == pytest.approx(
        {run: each.mean() for run, each in values.items()}
    )


def test_the_means_are_the_official_averages(folder: Path) -> None:
    rows = [line.split("\t") for line in (folder / "official.tsv").read_text().splitlines()]
    averages = [row for row in rows if row[0] == "AVG" and row[2] != "-"]
    official = {f"{row[1]}-{row[2]}": [float(x) for x in row[3:]] for row in averages}
    assert len(official) == RUNS
    found = tseval.compare(folder / "official.tsv", test="t", resamples=100)
    ours: dict[str, list[float]] = {}
    for each in found.standings:
        ours.setdefault(each.run, []).append(each.mean)
    for run, means in official.items():
        # the averages were taken before the scores of single topics were rounded to four decimals
        assert ours[run] == pytest.approx(means, abs=1.01e-4)


def test_student_and_wilcoxon_are_scipy_s_on_every_pair(
    folder: Path, values: dict[str, np.ndarray]
) -> None:
    student = tseval.compare(folder / "official.tsv", "HM", test="t", resamples=100)
    for each in student.contests:
        theirs = stats.ttest_rel(values[each.run], values[each.other]).pvalue
        if np.array_equal(values[each.run], values[each.other]):
            assert each.p == 1
        else:
            assert each.p == pytest.approx(float(theirs), rel=1e-9)


def test_the_exact_test_is_scipy_s_on_some_pairs(
    found: Comparison, values: dict[str, np.ndarray]
) -> None:
    for each in found.contests[::60]:
        theirs = stats.permutation_test(
            (values[each.run] - values[each.other],),
            lambda x, axis: x.mean(axis=axis),
            permutation_type="samples",
            n_resamples=np.inf,
            vectorized=True,
        )
        assert each.p == pytest.approx(float(theirs.pvalue))


def test_letters_say_which_pairs_differ(found: Comparison) -> None:
    letters = found.letters("HM")
    for a, b in combinations(letters, 2):
        share = bool(set(letters[a] or "") & set(letters[b] or ""))
        assert share == (not found.contest("HM", a, b).different)
    assert sum(each.different for each in found.contests) == 52


def test_scores_made_here_are_those_of_the_official_table(folder: Path, tmp_path: Path) -> None:
    """`-f trec-ts` writes what is read: the two public runs, scored, are two of the 24."""
    arguments = [*sorted(folder.glob("runs/*.gz")), folder / "nuggets.tsv.gz", "--quiet"]
    arguments += ["--matches", folder / "matches.tsv.gz", "--edition", "ts2014"]
    arguments += ["--pool", folder / "updates_sampled.tsv.gz", "-f", "trec-ts"]
    done = program("score", *arguments, "-o", tmp_path / "two.tsv")
    assert done.code == 0
    official, ours = (read_board(each) for each in (folder / "official.tsv", tmp_path / "two.tsv"))
    assert ours.known.all()
    assert ours.values.shape == (2, TOPICS, 19)
    assert (ours.topics, ours.measures) == (official.topics, official.measures)
    runs = [official.runs.index(run) for run in ours.runs]
    assert official.values[runs].tolist() == ours.values.tolist()


def test_two_pools_rank_nearly_alike(folder: Path) -> None:
    plan = Plan(resamples=500)
    both = (folder / "official.tsv", folder / "official.with-dups.tsv")
    rows = correlate(*both, "HM", plan=plan).parts["correlations"].rows
    means = [
        {s.run: s.mean for s in tseval.compare(each, "HM", resamples=100).standings}
        for each in both
    ]
    first = [[each[run] for run in means[0]] for each in means]
    tau = next(r for r in rows if (r.level, r.coefficient) == ("run means", "tau-b"))
    assert tau.value == pytest.approx(float(stats.kendalltau(*np.round(first, 12)).statistic))
    assert tau.low < tau.value < 1
    itself = correlate(both[0], both[0], "HM", plan=plan).parts["correlations"].rows
    assert [row.value for row in itself] == pytest.approx([1] * 9)


def test_discriminative_power_by_hand(folder: Path, found: Comparison) -> None:
    rows = {r.measure: r for r in discriminate(folder / "official.tsv", "HM C").parts["power"].rows}
    assert rows["HM"].pairs == 276
    assert rows["HM"].found == sum((each.p or 0) <= 0.05 for each in found.contests)
    assert rows["HM"].found_corrected == sum(each.different for each in found.contests)


def test_leaving_a_public_run_out_is_scoring_without_its_matches(
    folder: Path, tmp_path: Path
) -> None:
    """The same by hand: lines of the matches and the pool whose update one run alone sent go."""
    import gzip

    runs = sorted(folder.glob("runs/*.gz"))
    sent = {}
    for run in runs:
        with gzip.open(run, "rt", encoding="latin-1") as lines:
            sent[run] = {f"TS14.{f[0]}\t{f[3]}-{f[4]}" for f in map(str.split, lines)}
    names = ("matches.tsv.gz", "updates_sampled.tsv.gz")
    with gzip.open(folder / names[1], "rt", encoding="latin-1") as lines:
        repeats = {
            f"{f[0]}\t{f[1]}": f"{f[0]}\t{f[5]}"
            for f in (line.split("\t") for line in lines)
            if f[5] != "NULL"
        }
    stands = {run: each | {repeats.get(key, key) for key in each} for run, each in sent.items()}
    alone = stands[runs[0]] - stands[runs[1]]
    for name in names:
        unpacked = gzip.decompress((folder / name).read_bytes()).splitlines(keepends=True)
        kept = [
            line
            for line in unpacked
            if "\t".join(line.decode("latin-1").split("\t")[:2]) not in alone
        ]
        (tmp_path / name.removesuffix(".gz")).write_bytes(b"".join(kept))
    expected = tseval.score(
        runs,
        folder / "nuggets.tsv.gz",
        tmp_path / "matches.tsv",
        pool=tmp_path / "updates_sampled.tsv",
        edition="ts2014",
        measures="HM C V",
    )
    gold = ScoredRuns(
        FAMILY,
        TemporalInputs(runs, folder / "nuggets.tsv.gz", folder / names[0], pool=folder / names[1]),
        TemporalOptions(),
        edition="ts2014",
        measures=("HM", "C", "V"),
    )
    moved = leave_out(gold, "run", Treatment()).parts["runs"].rows
    ours = {each.measure: each.mean_without for each in moved if each.run == "cunlp-1APSalRed"}
    assert ours == pytest.approx({m: expected.value(m, run="cunlp-1APSalRed") for m in ours})
