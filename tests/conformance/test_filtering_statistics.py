"""The statistics of filtering over time, against the numbers of a reference implementation.

They were cross-checked there with two packages. The expected numbers are never touched.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tseval.statistics import assumptions, ranks, trend

CLOSE = 1e-9
NOISE = 1e-15
"""What is exactly 0 here is what rounding leaves of it there."""


@cache
def oracle(pack: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((pack / "filtering" / "oracle.json").read_text())
    return told


def numbers(case: dict[str, Any]) -> tuple[dict[str, float], list[bool]]:
    """Everything that we compute of a case, by the names of the file."""
    x = case["input"]["x"]
    step = x[1] - x[0]
    values = [np.nan if y is None else y for y in case["input"]["y"]]
    told = trend.fit(values, case["input"]["w"])
    raw, weighted = assumptions.check(told), assumptions.check(told, weighted=True)
    slopes, bounds = told.slopes(step), assumptions.durbin_watson_bounds(told.number)
    found = {
        "n": told.number,
        "df": told.degrees,
        "slope": slopes.value,
        "se_slope_hc3": slopes.error,
        "intercept": told.intercept - slopes.value * x[0],
        "endpoint_last_batch": told.end,
        "se_endpoint_hc3": told.end_error,
        "t": told.t,
        "p_t_two_sided": told.p,
        "spearman_rho": raw.spearman.statistic,
        "spearman_p": raw.spearman.p,
        "dw_raw": raw.durbin_watson,
        "dw_weighted": weighted.durbin_watson,
        "ad_A2_raw": raw.normality.statistic,
        "ad_p_raw": raw.normality.p,
        "ad_A2_weighted": weighted.normality.statistic,
        "ad_p_weighted": weighted.normality.p,
        "dL": bounds.low,
        "dU": bounds.high,
        "verdict": raw.following(),
    }
    return {name: float(value[0]) for name, value in found.items()}, told.used[0].tolist()


def expected(case: dict[str, Any]) -> dict[str, float]:
    """The file's numbers; what it calls undefined is NaN."""
    told = dict(case["expect"])
    if not told["ok"]:
        return {"n": told["n"], "slope": np.nan, "t": np.nan, "endpoint_last_batch": np.nan}
    told["dL"], told["dU"] = told["dw_bounds_5pct"]
    if "dw_verdict" in told:
        told["verdict"] = assumptions.VERDICTS.index(told["dw_verdict"])
    return {name: np.nan if value is None else value for name, value in told.items()}


def test_regressions(conformance: Path) -> None:
    cases = oracle(conformance)["regression"]
    compared = set()
    for case in cases:
        ours, used = numbers(case)
        theirs = {name: value for name, value in expected(case).items() if name in ours}
        found = {name: ours[name] for name in theirs}
        assert found == pytest.approx(theirs, rel=CLOSE, abs=NOISE, nan_ok=True), case["id"]
        if case["expect"]["ok"]:
            assert np.flatnonzero(used).tolist() == case["used_idx"]
        compared |= theirs.keys()
    assert len(cases) == 9
    assert compared == set(ours)


def test_the_verdict_of_both_sides(conformance: Path) -> None:
    """By hand from the file: what is below a bound on either side; d and 4 - d change places."""
    told = {}
    for case in oracle(conformance)["regression"]:
        d = case["expect"].get("dw_raw")
        if case["expect"]["ok"] and d is not None:
            low, high = case["expect"]["dw_bounds_5pct"]
            nearer = "positive" if d < 2 else "negative"
            sure = f"{nearer}-autocorrelation" if min(d, 4 - d) < low else "inconclusive"
            told[case["id"]] = "no-evidence" if min(d, 4 - d) >= high else sure
    found = {}
    for case in oracle(conformance)["regression"]:
        values = [np.nan if y is None else y for y in case["input"]["y"]]
        (place,) = assumptions.check(trend.fit(values, case["input"]["w"])).independence()
        if place >= 0:
            found[case["id"]] = assumptions.VERDICTS[place]
    assert found == told
    assert found["epoch_seconds40"] == "negative-autocorrelation"  # 2.84, and 4 - 1.44 is 2.56
    assert found["ols10"] == "inconclusive"  # 2.92, between 2.68 and 3.12


def test_z(conformance: Path) -> None:
    for case in oracle(conformance)["ztests"]:
        one, other = (
            trend.Estimate(np.array(slope), np.array(error))
            for slope, error in (
                [(case[side]["slope"], case[side]["se"]) for side in "ab"]
                if "a" in case
                else [(case[f"slope{side}"], case[f"se{side}"]) for side in "12"]
            )
        )
        told = trend.z_test(one, other)
        assert (told.statistic, told.p) == pytest.approx(
            (case["z"], case["p_two_sided"]), rel=CLOSE
        )


def test_normality(conformance: Path) -> None:
    for case in oracle(conformance)["anderson_darling"]:
        values = np.array([case["x"]])
        told = assumptions.anderson_darling(values, np.ones(values.shape, bool))
        assert np.ravel(told) == pytest.approx([case["A2"], case["p"]], rel=CLOSE), case["id"]


@pytest.mark.parametrize("level", [0.05, 0.01])
def test_durbin_watson_bounds(conformance: Path, level: float) -> None:
    told = oracle(conformance)["dw_bounds"][f"alpha_{level}"]
    found = assumptions.durbin_watson_bounds(np.array([int(n) for n in told]), level)
    for ours, theirs in zip(found, np.array(list(told.values())).T, strict=True):
        assert ours == pytest.approx(theirs, abs=1e-6)


def test_the_exact_chance_of_durbin_watson(conformance: Path) -> None:
    """Of d under its own design, by the same integral that gives the bounds."""
    (case,) = oracle(conformance)["dw_exact"]
    away = np.arange(10) - 4.5
    left = np.eye(10) - 0.1 - np.outer(away, away) / (away**2).sum()
    steps = np.diff(np.eye(10), axis=0)
    roots = np.sort(np.linalg.eigvalsh(left @ steps.T @ steps @ left))[2:]
    # the chance of a d as small as this or smaller
    assert assumptions.positive(case["dw"] - roots) == pytest.approx(case["p_positive"], rel=CLOSE)


def test_kendall(conformance: Path) -> None:
    cases = [case for case in oracle(conformance)["kendall"] if "a" in case]
    for case in cases:
        a, b = (np.array(case[side], float) for side in "ab")
        assert ranks.kendall(a, b) == pytest.approx(case["tau_b"], rel=CLOSE)
        assert ranks.kendall_p(a, b) == pytest.approx(case["p"], rel=CLOSE), case["id"]
    assert len(cases) == 3
