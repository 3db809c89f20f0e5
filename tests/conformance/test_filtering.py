"""The real truths of TREC KBA 2012 and 2014: what the program reads, scores, fits and ranks.

The expected numbers are never touched.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tseval
from tests.conformance.test_filtering_reference import KEPT, made_up, oracle
from tests.oracles import filtering as slow
from tests.program import tseval as program
from tseval.core import calling
from tseval.core.family import ViewRequest
from tseval.core.frames import to_pandas
from tseval.core.registry import measures
from tseval.families.filtering import explain
from tseval.families.filtering.family import FAMILY, FilterEvaluation, FilterInputs, FilterOptions
from tseval.families.filtering.files import JUDGMENTS, RUNS
from tseval.families.filtering.trends import METRICS, Constants, Counts, Fitted, harmonic
from tseval.io.tables import read
from tseval.statistics.ranks import kendall, kendall_p

NAMES = {"P": "P", "R": "R", "A": "A", "Fpr": "F_pr", "Fpra": "F_pra"}
TRUTHS = {"kba2012": "truth.full.tsv.gz", "kba2014": "truth.after-cutoff.tsv.gz"}
BASELINE = "trec-kba-2014-baseline-ccr.gz"
DAYS = ("1d", "7d", "30d")
CLOSE = {"slope": 1e-9, "se": 1e-9, "endpoint": 1e-9, "slope_per_second": 1e-9}
"""How close the numbers of a row have to be; 1e-7 for the others."""


def truth_path(pack: Path, year: str) -> Path:
    return pack / "filtering" / year / TRUTHS[year]


@cache
def runs_of_the_recipe(pack: Path, folder: Path) -> list[Path]:
    """The made-up runs of 2012 as files of the track."""
    paths = []
    for kind in KEPT:
        path = folder / kind
        rows = [f"t {kind} {doc} {e} {c}\n" for (doc, e), c in made_up(pack, kind).items()]
        path.write_text('#{"team_id": "t"}\n' + "".join(rows))
        paths.append(path)
    return paths


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@cache
def evaluated(pack: Path, year: str, cutoff: str, unjudged: str, folder: Path) -> FilterEvaluation:
    told = oracle(pack)[year]
    options = FilterOptions(DAYS, str(told["t0"]), str(told["t1"]), cutoff)
    real = [pack / "filtering" / year / BASELINE]
    runs = runs_of_the_recipe(pack, folder) if year == "kba2012" else real
    inputs = FilterInputs([str(run) for run in runs], str(truth_path(pack, year)))
    rules = {"unjudged": {"ignore": "ignore", "negative": "fp"}[unjudged]}
    evaluation = calling.evaluated(FAMILY, inputs, options, calling.CommonOptions(rules=rules))
    wanted = measures([f"end({metric})" for metric in NAMES.values()], FAMILY.name)
    prepared = evaluation.prepared_for(wanted, per_topic=False)
    assert isinstance(prepared, FilterEvaluation)
    return prepared


# The files


def judged_pairs(truth: str, options: FilterOptions) -> tuple[int, int]:
    """How many pairs are judged, and how many of these are positive."""
    found = calling.evaluated(FAMILY, FilterInputs([], truth), options).index["judged"]
    return found.height, found.filter("positive").height


def test_the_truths_are_read_whole(conformance: Path) -> None:
    told = {
        "kba2012": (57755, 52244, 7403, 8230, 29, 1317998536, 1335918120),
        "kba2014": (29040, 24366, 2945, 3925, 109, None, None),
    }
    for year, (rows, pairs, lowest, highest, entities, first, last) in told.items():
        path = str(truth_path(conformance, year))
        truth = read([path], JUDGMENTS).frame
        assert (truth.height, truth["topic"].n_unique()) == (rows, entities)
        assert first is None or (truth["time"].min(), truth["time"].max()) == (first, last)
        for votes, positive in (("all", lowest), ("any", highest)):
            assert judged_pairs(path, FilterOptions(votes=votes)) == (pairs, positive)


def test_the_period_of_2012(conformance: Path) -> None:
    path = str(truth_path(conformance, "kba2012"))
    assert judged_pairs(path, FilterOptions(start="1325376000")) == (34336, 4732)


def test_the_real_run_is_read_whole(conformance: Path) -> None:
    path = conformance / "filtering" / "kba2014" / BASELINE
    run = read([path], RUNS)
    told = oracle(conformance)["kba2014"]["runs"]["baseline-ccr"]["n_pairs"]
    assert (run.frame.height, run.frame.n_unique(["topic", "post_id"])) == (34120, told)
    assert run.runs == ("CompInsights-toy_1",)


def test_validate_knows_the_files(conformance: Path) -> None:
    folder = conformance / "filtering"
    done = program(
        *("validate", folder / "kba2012" / TRUTHS["kba2012"]),
        *(folder / "kba2014" / TRUTHS["kba2014"], folder / "kba2014" / BASELINE),
    )
    said = [line.rpartition(": ")[2] for line in done.out.splitlines()]
    assert said == [
        "truth, 57,755 rows, no fault",
        "truth, 29,040 rows, no fault",
        "posts, 34,120 rows, no fault",
    ]


# Rows of the reference


def counted(
    fitted: Fitted, evaluation: FilterEvaluation, run: int, cutoff: float
) -> dict[str, int]:
    """The pairs of a run at a cutoff, and what the batches weigh."""
    index = evaluation.index
    (counts,) = [each for at, each in enumerate(index.counts(fitted.cut)) if at == run]
    place = int(np.flatnonzero(index.cutoffs == cutoff)[0])
    hits, alarms = counts.hits[place].sum(), counts.alarms[place].sum()
    return {
        "tp": int(hits),
        "fp": int(alarms),
        "fn": int(counts.positive.sum() - hits),
        "sum_w": int(counts.positive.sum() + alarms),
    }


def found(evaluation: FilterEvaluation, run: int, row: dict[str, Any]) -> dict[str, Any]:
    """All of a row that the program says."""
    fitted = evaluation.index.fitted(NAMES[row["metric"]], f"{row['days']}d")
    series, trend, checked = fitted.series, fitted.trend, fitted.checked[False]
    undefined = np.isnan(series.value[run])
    return {
        **counted(fitted, evaluation, run, row["cutoff"]),
        "batches": fitted.cut.number,
        "n_undefined": int(undefined.sum()),
        "n_zero_weight": int((series.weight[run] == 0).sum()),
        "mean_defined": series.value[run][~undefined].mean(),
        "n": int(trend.number[run]),
        "df": int(trend.degrees[run]),
        "intercept": trend.intercept[run],
        "slope": trend.slope[run],
        "se": trend.slope_error[run],
        "t": trend.t[run],
        "p": trend.p[run],
        "endpoint": trend.end[run],
        "x_end": fitted.cut.number - 1,
        "ad_A2": checked.normality.statistic[run],
        "ad_p": checked.normality.p[run],
        "dw": checked.durbin_watson[run],
        "spearman": checked.spearman.statistic[run],
        "spearman_p": checked.spearman.p[run],
        "slope_per_second": trend.slopes(fitted.cut.seconds).value[run],
    }


IDENTITY = {"ok", "days", "cutoff", "metric", "unjudged"}


@pytest.mark.parametrize(
    ("year", "run"), [*(("kba2012", run) for run in KEPT), ("kba2014", "baseline-ccr")]
)
def test_rows(conformance: Path, folder: Path, year: str, run: str) -> None:
    wrong = []
    for row in oracle(conformance)[year]["runs"][run]["rows"]:
        cutoff = str(row["cutoff"])
        evaluation = evaluated(conformance, year, cutoff, row["unjudged"], folder)
        place = (
            [each.removeprefix("t-") for each in evaluation.index.runs].index(run)
            if (year == "kba2012")
            else 0
        )
        ours = found(evaluation, place, row)
        for name in row.keys() - IDENTITY:
            value = None if np.isnan(ours[name]) else ours[name]
            expected = row[name]
            if isinstance(expected, float):
                expected = pytest.approx(expected, rel=CLOSE.get(name, 1e-7), abs=1e-15)
            if value != expected:
                wrong.append((row["metric"], row["days"], cutoff, name, value, row[name]))
    assert not wrong


@pytest.mark.parametrize("metric", NAMES)
def test_how_far_slopes_differ_between_lengths(
    conformance: Path, folder: Path, metric: str
) -> None:
    """Days against weeks and months of 30 days: the slopes per second of the real truth of 2012."""
    runs, rules = oracle(conformance)["kba2012"]["runs"], "ignore"
    slopes = {
        (row["days"], run): row["slope_per_second"]
        for run in KEPT
        for row in runs[run]["rows"]
        if (row["metric"], row["cutoff"], row["unjudged"]) == (metric, 50, rules)
    }
    evaluation = evaluated(conformance, "kba2012", "50", rules, folder)
    names = [f"end({NAMES[metric]},batch={length})" for length in DAYS]
    asked = ViewRequest(tuple(measures(names, FAMILY.name)), FilterOptions())
    rows = explain.stability(evaluation, asked).sections["Stability"].to_dict("records")
    lengths = [(1, 7), (1, 30), (7, 30)]
    assert [(row["batch"], row["other"]) for row in rows] == [
        (f"{a}d", f"{b}d") for a, b in lengths
    ]
    for row, (one, other) in zip(rows, lengths, strict=True):
        pairs = [(slopes[one, run], slopes[other, run]) for run in KEPT]
        known = [(a, b) for a, b in pairs if a is not None and b is not None]
        assert row["runs"] == len(known)
        theirs = slow.differences(known)
        ours = row["slope_difference"], row["difference_sd"]
        assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-18)


@pytest.mark.parametrize("metric", ["Fpr", "Fpra"])
def test_sweeps(conformance: Path, folder: Path, metric: str) -> None:
    evaluation = evaluated(conformance, "kba2012", "sweep", "ignore", folder)
    series = evaluation.index.series(NAMES[metric], "1d")
    ends = series.trend.end.reshape(series.value.shape[:2])
    fitted = evaluation.index.fitted(NAMES[metric], "1d")
    for place, run in enumerate(KEPT):
        told = oracle(conformance)["kba2012"]["runs"][run]
        cutoffs = evaluation.index.cutoffs
        assert cutoffs.tolist() == [cutoff for cutoff, _ in told["sweep_endpoint"][metric]]
        expected = [end for _, end in told["sweep_endpoint"][metric]]
        assert ends[place] == pytest.approx(expected, rel=1e-9, abs=1e-15)
        cutoff, end = told["best"][metric]
        assert fitted.cutoff[place] == cutoff
        assert fitted.trend.end[place] == pytest.approx(end, rel=1e-9, abs=1e-15)


def test_z(conformance: Path, folder: Path) -> None:
    told = oracle(conformance)["kba2012"]["ztests_Fpra_1day_cutoff50"]["flat_vs_degrading"]
    evaluation = evaluated(conformance, "kba2012", "50", "ignore", folder)
    frame = to_pandas(explain.join(explain.test_columns, evaluation.index, [("F_pra", "1d")]))
    (row,) = frame[(frame["run"] == "t-degrading") & (frame["other"] == "t-flat")].to_dict(
        "records"
    )
    assert (-row["z"], row["z_p"]) == pytest.approx((told["z"], told["p"]), rel=1e-7)


# Single batches


def test_batches_by_hand(conformance: Path) -> None:
    told = json.loads((conformance / "filtering" / "oracle.json").read_text())
    for case in told["batches"]:
        entities = sorted({e for _, e in case["positives"] + case["returned"]})
        right = {tuple(pair) for pair in case["positives"]}
        kept = {tuple(pair) for pair in case["returned"]}
        columns = [
            np.array([[sum(pair[1] == e for pair in pairs)] for e in entities], np.float64)
            for pairs in (right & kept, kept - right, set(), right)
        ]
        counts = Counts(*columns, constants=Constants(case["zeta"]))
        for theirs, ours in NAMES.items():
            found = float(METRICS[ours](counts)[0])
            value = None if np.isnan(found) else found
            assert value == pytest.approx(case["expect"][theirs])
        assert counts.support("").tolist() == [case["expect"]["w"]]
    for case in told["aptness"]:
        none, alarms = np.zeros((1, 1)), np.full((1, 1), float(case["fp"]))
        counts = Counts(none, alarms, none, none + 1, Constants(case["zeta"]))
        assert METRICS["A"](counts)[0] == pytest.approx(case["aptness"])


def test_kendall(conformance: Path) -> None:
    told = json.loads((conformance / "filtering" / "oracle.json").read_text())
    for case in told["kendall"]:
        if "a" in case:
            a, b = (np.array(case[name], np.float64) for name in "ab")
            assert kendall(a, b) == pytest.approx(case["tau_b"], rel=1e-9)
            assert kendall_p(a, b) == pytest.approx(case["p"], rel=1e-9)


# The official scorer


def test_the_largest_utility_of_the_baseline(conformance: Path) -> None:
    path = conformance / "filtering" / "kba2014" / BASELINE
    scores = tseval.score_filtering(
        path, truth_path(conformance, "kba2014"), edition="kba2013", require_positives=1
    )
    utility = scores.value("T11SU")
    assert utility is not None
    assert round(utility, 4) == 0.3334


def test_the_official_f_is_from_macro_p_and_r(conformance: Path) -> None:
    seen = 0
    for path in sorted((conformance / "filtering" / "kba2013" / "overviews").glob("*-run-*")):
        text = gzip.decompress(path.read_bytes()).decode().replace("\r\n", "\n").replace("\r", "\n")
        table = text[text.index("team_id,") :]  # one begins with other lines
        rows = list(csv.DictReader(io.StringIO(table)))
        p, r, f = (
            np.array([float(row[f"macro_average_{name}"]) for row in rows]) for name in "PRF"
        )
        assert harmonic(p, r) == pytest.approx(f, abs=1e-7)
        seen += len(rows)
    assert seen == 8 * 142


# Bursts


@pytest.mark.parametrize(
    ("name", "level", "rows"), [("central", "vital", 1720), ("central+relevant", "useful", 2541)]
)
def test_published_burst_weights(conformance: Path, name: str, level: str, rows: int) -> None:
    done = program(
        *("filter", truth_path(conformance, "kba2012"), "--show", "bursts", "-f", "tsv"),
        *("--edition", "dietz2013", "--level", level, "--batch", "7d", "--batch", "1d"),
        *("--start", 1326334731, "--end", 1338508800),
    )
    assert done.code == 0
    slicing = {"all": "all", "7d": "week", "1d": "day"}
    ours = {
        (slicing[row["length"]], row["topic"], float(np.float32(row["start"]))): (
            float(row["weight"]),
            float(row["deviation"]),
        )
        for row in csv.DictReader(io.StringIO(done.out), delimiter="\t")
    }
    path = conformance / "filtering" / "dietz2013" / f"weights_over_time_{name}.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        cells = [line.split() for line in lines]
    theirs = {(c[7], c[0], float(np.float32(c[1]))): (float(c[5]), float(c[6])) for c in cells}
    assert (len(theirs), ours.keys()) == (rows, theirs.keys())
    off = {key for key, pair in theirs.items() if ours[key] != pytest.approx(pair, abs=2e-6)}
    assert not off
