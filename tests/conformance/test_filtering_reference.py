"""The slow reference of filtering, on real truths: so that it may be trusted with the fast one.

The expected numbers are never touched.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.oracles import filtering as slow
from tests.oracles.filtering import Options, Run, Tally, Truth

DAY = 86400
NAMES = {"P": "P", "R": "R", "A": "A", "Fpr": "F_pr", "Fpra": "F_pra"}
TRUTHS = {"kba2012": "truth.full.tsv.gz", "kba2014": "truth.after-cutoff.tsv.gz"}
DIETZ = (1326334731, 1338508800)
WEEK = 7 * DAY


@cache
def oracle(pack: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((pack / "filtering" / "real_oracle.json").read_text())
    return told


def lines(path: Path) -> Iterator[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#") and line.strip():
                yield line.split()


@cache
def judged(pack: Path, year: str) -> list[list[str]]:
    return list(lines(pack / "filtering" / year / TRUTHS[year]))


@cache
def truth_of(pack: Path, year: str, level: str = "vital", votes: str = "all") -> Truth:
    return slow.judge(((c[2], c[3], int(c[5])) for c in judged(pack, year)), level, votes)


def chance(text: str) -> Fraction:
    return Fraction(int(hashlib.md5(text.encode()).hexdigest()[:13], 16), 16**13)


KEPT = {
    "degrading": lambda f: (Fraction(9, 10) - f * 6 / 10, Fraction(2, 100) + f / 10),
    "flat": lambda _: (Fraction(6, 10), Fraction(7, 100)),
    "perfect": lambda _: (Fraction(1), Fraction(0)),
    "silent": lambda _: (Fraction(0), Fraction(0)),
}
"""How often a positive and another pair is kept, by how far into the period it lies."""


@cache
def made_up(pack: Path, kind: str) -> Run:
    """A run of the recipe that stands beside the numbers."""
    told = oracle(pack)["kba2012"]
    found: dict[tuple[str, str], float] = {}
    start, end = told["t0"], told["t1"]
    for (document, entity), positive in truth_of(pack, "kba2012").items():
        if start <= slow.time_of(document) < end:
            far = Fraction(slow.time_of(document) - start, end - start)
            share = KEPT[kind](far)[0 if positive else 1]
            if chance(f"{kind}|{document}|{entity}") < share:
                drawn = chance(f"{kind}|c|{document}|{entity}")
                found[document, entity] = 1000 if kind == "perfect" else 1 + int(1000 * drawn)
    return found


@cache
def real(pack: Path) -> Run:
    path = pack / "filtering" / "kba2014" / "trec-kba-2014-baseline-ccr.gz"
    return slow.best((c[2], c[3], float(c[4])) for c in lines(path))


@dataclass(frozen=True)
class Asked:
    """What the batches of a row depend on."""

    pack: Path
    year: str
    run: str
    days: int
    cutoff: int
    unjudged: str

    def options(self) -> Options:
        told = oracle(self.pack)[self.year]
        unjudged = {"ignore": "ignore", "negative": "fp"}[self.unjudged]
        return Options(told["t0"], told["t1"], self.days * DAY, self.cutoff, unjudged)


@cache
def tallies(asked: Asked) -> list[Tally]:
    run = made_up(asked.pack, asked.run) if asked.year == "kba2012" else real(asked.pack)
    return slow.tallies(run, truth_of(asked.pack, asked.year), asked.options())


def found(asked: Asked, metric: str) -> dict[str, float | None]:
    """All of a row that the reference computes."""
    counted = tallies(asked)
    points = slow.series(counted, NAMES[metric], asked.options())
    sizes = [slow.support(each, NAMES[metric], asked.options()) for each in counted]
    total = {
        name: sum(getattr(each, name) for batch in counted for each in batch.values())
        for name in ("tp", "fp", "fn")
    }
    told = slow.line(points)
    assert told is not None
    used = [p.value for p in points if p.value is not None and p.weight]
    normal = slow.anderson_darling(told.residuals)
    return {
        **total,
        "batches": len(points),
        "n_undefined": sum(point.value is None for point in points),
        "n_zero_weight": sum(point.weight == 0 for point in points),
        "sum_w": sum(sizes),
        "mean_defined": sum(p.value for p in points if p.value is not None)
        / sum(p.value is not None for p in points),
        "n": told.number,
        "df": told.number - 2,
        "intercept": told.intercept,
        "slope": told.slope,
        "se": told.error,
        "t": told.t,
        "endpoint": told.end,
        "x_end": len(points) - 1,
        "ad_A2": normal[0] if normal else None,
        "ad_p": normal[1] if normal else None,
        "dw": slow.durbin_watson(told.residuals),
        "spearman": slow.spearman(used),
        "slope_per_second": told.slope / (asked.days * DAY),
    }


COMPUTED_ELSEWHERE = {"ok", "p", "spearman_p", "days", "cutoff", "metric", "unjudged"}
LOOSE = {"ad_A2", "ad_p", "dw", "spearman", "mean_defined", "t", "intercept"}


@pytest.mark.parametrize(
    ("year", "run"),
    [*(("kba2012", run) for run in KEPT), ("kba2014", "baseline-ccr")],
)
def test_rows(conformance: Path, year: str, run: str) -> None:
    wrong = []
    for row in oracle(conformance)[year]["runs"][run]["rows"]:
        asked = Asked(conformance, year, run, row["days"], row["cutoff"], row["unjudged"])
        ours = found(asked, row["metric"])
        for name in row.keys() - COMPUTED_ELSEWHERE:
            expected = None
            if row[name] is not None:
                close = 1e-7 if name in LOOSE else 1e-9
                expected = pytest.approx(row[name], rel=close, abs=1e-15)
            if ours[name] != expected:
                wrong.append(
                    (row["metric"], row["days"], row["cutoff"], name, ours[name], row[name])
                )
    assert not wrong


@pytest.mark.parametrize("run", KEPT)
def test_runs_of_the_recipe(conformance: Path, run: str) -> None:
    made, told = made_up(conformance, run), oracle(conformance)["kba2012"]["runs"][run]
    written = sorted(f"{doc} {entity} {confidence}\n" for (doc, entity), confidence in made.items())
    digest = hashlib.sha256("".join(written).encode()).hexdigest()
    assert (len(made), digest) == (told["n_pairs"], told["sha256_of_sorted_lines"])


@pytest.mark.parametrize("run", ["degrading", "flat"])
def test_sweeps(conformance: Path, run: str) -> None:
    told = oracle(conformance)["kba2012"]["runs"][run]
    asked = Asked(conformance, "kba2012", run, 1, 50, "ignore")
    for name, expected in told["sweep_endpoint"].items():
        ends = {}
        for cutoff, _ in expected:
            at = replace(asked, cutoff=cutoff)
            fitted = slow.line(slow.series(tallies(at), NAMES[name], at.options()))
            ends[cutoff] = fitted.end if fitted else math.nan
        assert ends == pytest.approx(dict(expected), rel=1e-9)
        assert told["best"][name] == [
            max(ends, key=ends.__getitem__),
            pytest.approx(max(ends.values())),
        ]


def test_z(conformance: Path) -> None:
    told = oracle(conformance)["kba2012"]["ztests_Fpra_1day_cutoff50"]["flat_vs_degrading"]
    fitted = []
    for run in ("flat", "degrading"):
        asked = Asked(conformance, "kba2012", run, 1, 50, "ignore")
        fitted.append(slow.line(slow.series(tallies(asked), "F_pra", asked.options())))
    one, other = fitted
    assert one is not None
    assert other is not None
    assert slow.z_test(one, other) == pytest.approx((told["z"], told["p"]), rel=1e-7)


def test_truths(conformance: Path) -> None:
    """The checks of loading that the pack gives."""
    pairs = truth_of(conformance, "kba2012")
    times = [slow.time_of(document) for document, _ in pairs]
    late = [positive for (doc, _), positive in pairs.items() if slow.time_of(doc) >= 1325376000]
    assert len(judged(conformance, "kba2012")) == 57755
    assert (len(pairs), sum(pairs.values())) == (52244, 7403)
    assert sum(truth_of(conformance, "kba2012", votes="any").values()) == 8230
    assert len({entity for _, entity in pairs}) == 29
    assert (min(times), max(times)) == (1317998536, 1335918120)
    assert (len(late), sum(late)) == (34336, 4732)
    pairs = truth_of(conformance, "kba2014")
    assert len(judged(conformance, "kba2014")) == 29040
    assert (len(pairs), sum(pairs.values())) == (24366, 2945)
    assert sum(truth_of(conformance, "kba2014", votes="any").values()) == 3925
    assert len({entity for _, entity in pairs}) == 109


def test_the_official_scorer(conformance: Path) -> None:
    """The published largest utility of the baseline, over the entities with a positive."""
    told = slow.official(real(conformance), truth_of(conformance, "kba2014"), require_positives=1)
    assert round(float(told.su), 4) == 0.3334


def test_the_official_f_is_from_macro_p_and_r(conformance: Path) -> None:
    """As the track's own tables show, run by run; one of them prints only nine decimals."""
    seen = 0
    for path in sorted((conformance / "filtering" / "kba2013" / "overviews").glob("*-run-*")):
        text = "\n".join(gzip.decompress(path.read_bytes()).decode().splitlines())
        rows = [row for row in csv.reader(text.split("\n")) if row]
        names = next(row for row in rows if row[0] == "team_id")
        for row in rows[rows.index(names) + 1 :]:
            told = dict(zip(names, row, strict=True))
            p, r, f = (float(told[f"macro_average_{name}"]) for name in "PRF")
            assert slow.harmonic([p, r]) == pytest.approx(f, abs=1e-7), (path.name, row[:2])
            seen += 1
    assert seen == 8 * 142


def test_batches_by_hand(conformance: Path) -> None:
    """Single batches, each with one oddity."""
    told = json.loads((conformance / "filtering" / "oracle.json").read_text())
    for case in told["batches"]:
        options = Options(0, 9, 9, zeta=case["zeta"], unjudged="fp")
        positives, kept = (
            {(f"1-{doc}", e) for doc, e in case[k]} for k in ("positives", "returned")
        )
        (counted,) = slow.tallies(
            dict.fromkeys(kept, 99.0), dict.fromkeys(positives, True), options
        )
        expected = case["expect"]
        for theirs, ours in NAMES.items():
            found = slow.METRICS[ours](counted, options)
            assert found == (None if expected[theirs] is None else pytest.approx(expected[theirs]))
        assert slow.support(counted, "F_pra", options) == expected["w"]
        assert len(slow.with_positives(counted)) == expected["gt_entities"]
        assert len(slow.positive_or_returned(counted)) == expected["all_entities"]
    for case in told["aptness"]:
        counted = {"e": slow.Counts(fp=case["fp"])}
        found = slow.aptness(counted, Options(0, 9, 9, zeta=case["zeta"]))
        assert found == pytest.approx(case["aptness"])


@pytest.mark.parametrize(
    ("name", "level", "rows"), [("central", "vital", 1720), ("central+relevant", "useful", 2541)]
)
def test_published_burst_weights(conformance: Path, name: str, level: str, rows: int) -> None:
    """To the six decimals of the files, whose times have lost their last digits."""
    confident = [c for c in judged(conformance, "kba2012") if int(c[4]) > 0]
    truth = slow.judge(((c[2], c[3], int(c[5])) for c in confident), level)
    start, end = DIETZ
    ours: dict[tuple[str, str, int], tuple[float, float]] = {}
    for slicing, length in {"day": DAY, "week": WEEK, "all": end - start}.items():
        cut = slow.batches(Options(start, end, length))
        weights = slow.burst_weights(truth, cut)
        for (entity, interval), weight in weights.items():
            ours[slicing, entity, interval[0]] = (float(weight), 0.0)
        for interval in cut:
            held = [float(w) for (_, each), w in weights.items() if each == interval]
            if held:
                middle = math.fsum(held) / len(held)
                spread = math.sqrt(math.fsum((w - middle) ** 2 for w in held) / len(held))
                ours[slicing, "all", interval[0]] = (middle, spread)
    path = conformance / "filtering" / "dietz2013" / f"weights_over_time_{name}.tsv.gz"
    theirs = {(c[7], c[0], round(float(c[1]))): (float(c[5]), float(c[6])) for c in lines(path)}
    assert len(theirs) == rows
    rounded = {(s, e, single(time)): pair for (s, e, time), pair in ours.items()}
    assert rounded.keys() == theirs.keys()
    off = {key for key in theirs if rounded[key] != pytest.approx(theirs[key], abs=2e-6)}
    assert not off


def single(time: int) -> int:
    """A time as single precision has it: to the next 128 seconds."""
    return round(time / 128) * 128
