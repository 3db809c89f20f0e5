"""The edges of filtering over time: what is empty, undefined, tied, cut short or mistaken."""

from __future__ import annotations

import io
from collections.abc import Hashable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tseval
from tests.program import FIXTURES, Outcome, faulty
from tests.program import tseval as program
from tseval.core.calling import evaluated
from tseval.core.family import ViewRequest
from tseval.core.panels import Point
from tseval.core.registry import measure
from tseval.core.scores import Scores
from tseval.errors import InputError, MissingTopics, UsageError
from tseval.families.filtering import explain
from tseval.families.filtering.explain import places
from tseval.families.filtering.family import FAMILY, FilterInputs, FilterOptions
from tseval.families.filtering.rows import Period
from tseval.families.filtering.trends import best

pytestmark = pytest.mark.small_times

DAY = 86400
FOLDER = FIXTURES / "filter"
TRUTH, STEADY = str(FOLDER / "truth.tsv"), str(FOLDER / "steady.tsv")


def truth(*rows: tuple[str, str, int, float]) -> pd.DataFrame:
    """Judgments: topic, document, rating, day."""
    frame = pd.DataFrame(rows, columns=["topic", "post_id", "relevance", "time"])
    return frame.assign(time=frame["time"] * DAY)


def run(*rows: tuple[str, str, float], confidence: float = 100) -> pd.DataFrame:
    """Returned documents: topic, document, day."""
    frame = pd.DataFrame(rows, columns=["topic", "post_id", "time"])
    return frame.assign(time=frame["time"] * DAY, confidence=confidence)


def scored(runs: Any, judged: Any, measures: str, **options: Any) -> Scores:
    return tseval.score_filtering(runs, judged, measures, **({"start": 0} | options))


def shown(
    view: str, runs: Sequence[pd.DataFrame], judged: pd.DataFrame, measures: str, *options: object
) -> tuple[pd.DataFrame, Outcome]:
    """What the command shows of runs, at the cutoff 50 unless asked; and how for people."""
    with TemporaryDirectory() as folder:
        returned, judgments = (str(Path(folder) / name) for name in ("run.tsv", "truth.tsv"))
        pd.concat(list(runs)).to_csv(returned, sep="\t", index=False)
        judged.to_csv(judgments, sep="\t", index=False)
        cutoff = () if "--cutoff" in options else ("--cutoff", 50)
        given = ("filter", returned, judgments, "--start", 0, *cutoff, "-m", measures)
        done = program(*given, "--show", view, *options, "-f", "csv")
        assert done.code == 0, done.err
        told = program(*given, *options)
    return pd.read_csv(io.StringIO(done.out)), told


def daily(hits: Sequence[bool]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A topic with one positive a day, and a run that returns it on some days."""
    judged = truth(*(("t", f"d{day}", 2, day) for day in range(len(hits))))
    returned = run(*(("t", f"d{day}", day) for day, hit in enumerate(hits) if hit))
    return returned, judged


# Batches


METRICS = ("P", "R", "A", "F_pr", "F_pra", "F_1", "T11U", "T11SU", "C_trk", "FPR", "FDR")


def pairs(
    topic: str, hits: int, alarms: int, quiet: int, positive: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A run and the judgments of a topic with so many pairs of each kind."""
    good = [(topic, f"p{n}", 2, 0) for n in range(positive)]
    bad = [(topic, f"n{n}", 0, 0) for n in range(alarms + quiet)]
    returned = [(topic, post, day) for _, post, _, day in (*good[:hits], *bad[:alarms])]
    return run(*returned), truth(*good, *bad)


def single(hits: int, alarms: int, quiet: int, positive: int, **options: Any) -> dict[str, Any]:
    """Every metric of one topic in one batch, the whole period; None is undefined."""
    return values(pairs("t", hits, alarms, quiet, positive), **options)


def values(*topics: tuple[pd.DataFrame, pd.DataFrame], **options: Any) -> dict[str, Any]:
    runs, judged = (pd.concat(parts) for parts in zip(*topics, strict=True))
    settings = {"cutoff": 50, "level": "vital"} | options
    scores = scored(runs, judged, " ".join(METRICS), **settings)
    return {name: scores.value(name) for name in METRICS}


def test_without_ground_truth_only_aptness_speaks() -> None:
    found = single(0, 3, 2, 0)
    for name in ("P", "R", "F_pr", "F_1", "T11U", "T11SU", "C_trk"):
        assert found[name] is None
    assert found["A"] == found["F_pra"] == 0.25
    assert (found["FPR"], found["FDR"]) == (0.6, 1.0)


def test_an_empty_batch_is_apt() -> None:
    found = single(1, 0, 0, 1, start=DAY, end=2 * DAY)
    assert found["A"] == found["F_pra"] == 1.0
    assert {name for name, value in found.items() if value is None} == {*METRICS} - {"A", "F_pra"}


def test_nothing_returned_with_ground_truth_is_zero() -> None:
    found = single(0, 0, 4, 2)
    assert (found["P"], found["R"], found["F_pr"], found["F_pra"]) == (0, 0, 0, 0)
    assert (found["A"], found["C_trk"], found["FPR"], found["FDR"]) == (1, 1, 0, None)
    assert found["T11SU"] == pytest.approx(1 / 3)


def test_more_false_positives_do_not_lower_f_pra_without_a_hit() -> None:
    found = [single(0, alarms, 9, 2) for alarms in (0, 1, 5)]
    assert [each["F_pra"] for each in found] == [0, 0, 0]
    assert found[0]["A"] == 1
    assert found[2]["A"] == pytest.approx(1 / 6)


def test_utility_has_a_floor() -> None:
    assert single(0, 2, 0, 2)["T11SU"] == 0
    assert single(0, 9, 0, 2)["T11SU"] == 0
    assert single(2, 0, 0, 2)["T11SU"] == 1


def test_utility_without_a_scale() -> None:
    """Two for a hit, one less for a false positive: no floor, and no share of the positives."""
    assert single(3, 1, 0, 4)["T11U"] == 5
    assert single(0, 9, 0, 2)["T11U"] == -9
    both = pairs("a", 1, 0, 0, 2), pairs("b", 0, 3, 0, 0)
    assert values(*both)["T11U"] == 2  # the entity without positives does not count
    assert values(*both, rules={"entities": "all"})["T11U"] == (2 - 3) / 2


def test_weights_of_the_parts_of_f() -> None:
    """P 1/4, R 1/2, A 1/4: by hand as a weighted harmonic mean."""
    told = single(1, 3, 0, 2, f_weights=(1, 2, 5))
    assert told["F_pr"] == pytest.approx(3 / (1 / 0.25 + 2 / 0.5))
    assert told["F_pra"] == pytest.approx(8 / (1 / 0.25 + 2 / 0.5 + 5 / 0.25))
    assert told["F_1"] == single(1, 3, 0, 2)["F_1"] == pytest.approx(1 / 3)
    assert single(0, 3, 2, 0, f_weights=(1, 2, 5))["F_pra"] == 0.25
    assert single(0, 3, 2, 1, f_weights=(1, 2, 5))["F_pra"] == 0


def test_costs_of_misses_and_false_alarms() -> None:
    """Half of the positives missed, a quarter of the negatives returned."""
    cheap, dear = (single(1, 1, 3, 2, costs=costs) for costs in ((1, 0.1, 0.02), (10, 1, 0.1)))
    assert cheap["C_trk"] == pytest.approx((0.02 / 2 + 0.098 / 4) / 0.02)
    assert dear["C_trk"] == pytest.approx((10 * 0.1 / 2 + 1 * 0.9 / 4) / 0.9)


# Periods and batches


def test_the_period_is_that_of_the_truth() -> None:
    period = Period.of(pl.Series([5.5, 20.0]), None, None)
    assert (period.start, period.end) == (5.5, 21)
    rows = pl.DataFrame({"time": [5.4, 5.5, 20.9, 21.0]})
    assert period.rows(rows)["time"].to_list() == [5.5, 20.9]


def test_times_from_the_start() -> None:
    period = Period.of(pl.Series([1000.0, 5000.0]), "1m", "2m")
    assert (period.start, period.end) == (1060, 1180)


@pytest.mark.parametrize(
    ("partial", "number", "ends"), [("keep", 3, [4, 8, 10]), ("drop", 2, [4, 8])]
)
def test_a_shorter_last_batch(partial: str, number: int, ends: list[int]) -> None:
    cut = Period(0, 10).cut("4s", partial)
    assert cut.number == number
    assert cut.ends.tolist() == ends
    assert cut.shorter == (partial == "keep")
    assert cut.batch(np.array([0.0, 3.9, 4.0, 8.0, 9.9, 10.0, -1.0])).tolist() == [
        *(0, 0, 1),
        *((2, 2) if partial == "keep" else (number, number)),
        *(number, number),
    ]


def test_a_whole_last_batch_is_not_shorter() -> None:
    assert not Period(0, 8).cut("4s", "keep").shorter
    assert Period(0, 8).cut("4s", "drop").number == 2


def test_lengths_that_no_float_holds() -> None:
    """0.3 / 0.1 is below 3, and 0.7 / 0.1 too: the batches are whole all the same."""
    for tenths in range(1, 60):
        cut = Period(0, tenths / 10).cut("0.1s", "keep")
        assert (cut.number, cut.shorter) == (tenths, False)
        assert cut.batch(cut.starts).tolist() == list(range(tenths))


def test_the_shorter_batch_is_told_and_dropped() -> None:
    returned, judged = daily([True, True, False, False, True])
    kept = scored(returned, judged, "batches(R) end(R)", batch="2d", end=5 * DAY)
    assert kept.value("batches(R)") == 3
    assert "batch 2d: the last of 3 is shorter than the others" in kept.warnings
    dropped = scored(
        returned, judged, "batches(R) R", batch="2d", end=5 * DAY, rules={"partial": "drop"}
    )
    assert dropped.value("batches(R)") == 2
    assert dropped.value("R") == pytest.approx(0.6)
    assert not any("is shorter" in warning for warning in dropped.warnings)


# Trends


def test_fewer_than_three_usable_batches_have_no_trend() -> None:
    returned, judged = daily([True, False])
    names = "slope(R) se(R) t(R) p(R) end(R) end-se(R) AD(R) DW(R) spearman(R) cutoff(R)"
    scores = scored(returned, judged, f"{names} batches(R)", end=9 * DAY)
    assert [scores.value(name) for name in names.split()] == [None] * 10
    assert scores.value("batches(R)") == 2
    why = "fewer than 3 usable batches; shorter ones, or a longer period, have more"
    assert f"no trend of R in batches of 1d for run: {why}" in scores.warnings
    assert not any("undefined" in warning for warning in scores.warnings)


def test_the_end_point_is_that_of_the_last_batch_even_if_that_is_unusable() -> None:
    returned, judged = daily([False, False, True, True])
    short = scored(returned, judged, "end(R) slope(R)", end=4 * DAY)
    long = scored(returned, judged, "end(R) slope(R) batches(R)", end=9 * DAY)
    assert long.value("slope(R)") == pytest.approx(short.value("slope(R)"))
    slope, end = long.value("slope(R)"), short.value("end(R)")
    assert slope is not None
    assert end is not None
    assert long.value("end(R)") == pytest.approx(end + 5 * slope)
    assert long.value("batches(R)") == 4
    assert any("outside of the metric's range" in warning for warning in long.warnings)


def test_a_line_without_residuals_is_never_significant() -> None:
    returned, judged = daily([True] * 5)
    scores = scored(returned, judged, "end(R) se(R) end-se(R) t(R) p(R)")
    assert [scores.value(name) for name in scores.measures] == [1, 0, 0, None, None]


def test_a_batch_that_weighs_nothing_is_left_out() -> None:
    """A is 1 in an empty batch, but the batch says nothing of the run."""
    returned, judged = daily([True, True, False, True])
    scores = scored(returned, judged, "batches(A) batches(F_pra) batches(R)", end=20 * DAY)
    assert [scores.value(name) for name in scores.measures] == [4, 4, 4]


def test_weights_of_their_own() -> None:
    judged = truth(
        *(("t", f"d{day}{n}", 2, day) for day in range(4) for n in range(day + 1)),
        *(("t", f"n{day}", 0, day) for day in range(4)),
    )
    returned = run(("t", "d00", 0), ("t", "n1", 1), ("t", "d20", 2), ("t", "n3", 3))
    shared, own = (
        scored(returned, judged, "slope(P)", rules={"weights": each}).value("slope(P)")
        for each in ("shared", "own")
    )
    flat = np.polyfit(range(4), [1, 0, 1, 0], 1)[0]
    assert own == pytest.approx(flat)
    weighted = np.polyfit(range(4), [1, 0, 1, 0], 1, w=np.sqrt([1, 3, 3, 5]))[0]
    assert shared == pytest.approx(weighted)
    assert abs(weighted - flat) > 0.01


def test_weights_by_documents() -> None:
    """A document of two topics is two pairs; an unjudged one counts where it is an alarm."""
    judged = truth(
        *(
            (topic, f"d{day}{n}", 2, day)
            for day in range(4)
            for n in range(day + 1)
            for topic in "ab"
        ),
        *(("a", f"e{day}", 2, day) for day in range(4)),
        *(("b", f"n{day}", 0, day) for day in range(4)),
    )
    found = ("a", "d00", 0), ("b", "d00", 0), ("b", "n1", 1), ("a", "d20", 2), ("b", "n3", 3)
    returned = run(*found, ("b", "d30", 3), ("b", "new", 3))
    own = {"t": pd.concat([returned, returned]), "low": returned.assign(confidence=20)}
    pairs, documents = [3, 6, 7, 10], [2, 4, 4, 6]
    recalls = [(1 / 2 + 1) / 2, 0, (1 / 4 + 0) / 2, (0 + 1 / 4) / 2]
    for rules, sizes in (
        ({}, pairs),
        ({"weights": "documents"}, documents),
        ({"weights": "documents", "unjudged": "fp"}, [2, 4, 4, 7]),
    ):
        runs = pd.concat([each.assign(run=name) for name, each in own.items()])
        score = scored(runs, judged, "slope(R) R", cutoff=50, rules=rules)
        line = np.polyfit(range(4), recalls, 1, w=np.sqrt(sizes))
        assert score.value("slope(R)", run="t") == pytest.approx(line[0])
        assert score.value("slope(R)", run="low") == 0
    topics = [
        scored(returned, judged, "slope(R)", rules={"weights": each}).value("slope(R)", "b")
        for each in ("shared", "documents")
    ]
    assert topics[0] == topics[1]


def test_slopes_in_other_units() -> None:
    returned, judged = daily([True, True, False, True, False, False])
    scores = scored(
        returned,
        judged,
        "slope(R) slope(R,per=batch) slope(R,per=day) slope(R,per=second) se(R) se(R,per=day)"
        " slope(R,per=hour) se(R,per=hour)",
        batch="12h",
    )
    slope, same, day, second, error, daily_error, *hourly = map(scores.value, scores.measures)
    assert slope is not None
    assert error is not None
    assert (same, day, second) == pytest.approx((slope, 2 * slope, slope / (12 * 3600)))
    assert daily_error == pytest.approx(2 * error)
    assert hourly == pytest.approx([slope / 12, error / 12])


def test_what_is_undefined_is_told_once_for_all_measures() -> None:
    returned, judged = daily([True] * 5)
    scores = scored(returned, judged, "t(R) p(R) AD(R) FDR end(R)", end=4 * DAY)
    told = [warning for warning in scores.warnings if "undefined" in warning]
    assert told == ["t(R), p(R), AD(R) are undefined for run"]


def test_rankings_without_enough_batches() -> None:
    """No sentence with a hole in it; the hint at tests stays away where there is nothing to test"""
    inputs = [str(FOLDER / f"{name}.tsv") for name in ("fading", "steady", "truth")]
    done = program("filter", *inputs, "-m", "end(R)", "--batch", "3d", "--quiet")
    (note,) = [line for line in done.out.splitlines() if line.startswith("Ranking")]
    none = "none, since no run has the 3 usable batches that a trend takes."
    assert note == f"Ranking by end(R,batch=3d): {none}"
    assert "--show tests" not in done.out


def test_rankings_with_too_few_batches_for_some() -> None:
    long, judged = daily([True, True, False, True])
    few = run(("t", "d0", 0))
    runs = [long.assign(run="long"), few.assign(run="few")]
    out = shown("ranking", runs, judged, "end(FDR)")[1].out
    (told,) = [line for line in out.splitlines() if line.startswith("Ranking")]
    assert told == (
        "Ranking by end(FDR,batch=1d): long; without a trend: few; no Kendall's tau with the"
        " ranking by F_1: fewer than two runs have both."
    )
    assert "--show tests" not in out


def test_a_topic_of_the_name_of_all(tmp_path: Path) -> None:
    path = tmp_path / "truth.tsv"
    path.write_text("topic\tpost_id\trelevance\nflood\t1-a\t2\nall\t2-b\t2\n")
    done = program("filter", STEADY, path)
    said = 'truth.tsv:3: a topic is called "all", the name of the mean over topics'
    assert said in done.err
    assert "give the topic another name" in done.err


def test_topics_that_all_have_too_few_positives() -> None:
    done = program("filter", STEADY, TRUTH, "--require-positives", "100")
    assert "no topic has 100 positives or more in the period, as was required" in done.err
    assert "at this level" not in done.err


# Cutoffs


def test_the_best_is_the_first_of_equal_ones() -> None:
    rows = np.array([[1, 3, 3 + 1e-14], [np.nan, 2, 2], [np.nan] * 3, [-5, -4, -6]])
    place, known = best(rows, lower=False)
    assert (place.tolist(), known.tolist()) == ([1, 1, 0, 1], [True, True, False, True])
    assert best(rows, lower=True)[0].tolist() == [0, 1, 0, 2]


def test_ties_go_to_the_lowest_cutoff() -> None:
    returned, judged = daily([True, False, True, True])
    scores = scored(returned.assign(confidence=730), judged, "cutoff(R) cutoff(FPR)")
    assert scores.value("cutoff(R)") == 50
    assert scored(returned, judged, "cutoff(R)", cutoff=77).value("cutoff(R)") == 77


def test_the_sweep_keeps_what_is_at_the_cutoff_and_the_official_scorer_what_is_above() -> None:
    returned, judged = daily([True] * 4)
    for edition, confidence, expected in (
        ("kenter2015", 50, 1.0),
        ("kenter2015", 49, 0.0),
        ("kba2013", 1, 1.0),
        ("kba2013", 0, 0.0),
    ):
        scores = scored(returned.assign(confidence=confidence), judged, "F_1", edition=edition)
        assert scores.value("F_1") == expected


def test_less_is_better_for_costs() -> None:
    """At the higher cutoff the wrong ones are gone."""
    judged = truth(
        *(("t", f"{kind}{day}", 2 * (kind == "d"), day) for day in range(4) for kind in "dn")
    )
    good = run(*(("t", f"d{day}", day) for day in range(4)), confidence=900)
    bad = run(*(("t", f"n{day}", day) for day in range(3)), confidence=200)
    scores = scored(pd.concat([good, bad]), judged, "cutoff(FDR) cutoff(C_trk) end(FDR) C_trk")
    assert [scores.value(name) for name in scores.measures] == [250, 250, 0, 0]


def test_a_cutoff_that_nothing_passes_is_told() -> None:
    """The trend falls below 0, and the end point of nothing is 0."""
    returned, judged = daily([True, True, True, False, False, False])
    scores = scored(returned, judged, "end(R) cutoff(R)", end=12 * DAY)
    assert [scores.value(name) for name in scores.measures] == [0, 150]
    assert "end(R,batch=1d) is best where nothing is returned: run" in scores.warnings


def test_confidences_above_every_cutoff_are_told() -> None:
    returned, judged = daily([True] * 5)

    def told(confidence: list[float], **options: Any) -> list[str]:
        warnings = scored(returned.assign(confidence=confidence), judged, "R", **options).warnings
        return [each for each in warnings if "cutoff" in each]

    said = "run run: 2 confidences above 1000, beyond the highest cutoff"
    for edition in ("kenter2015", "kba2013", "dietz2013"):
        assert told([60, 999, 1000, 1000.5, 1e9], edition=edition) == [said]
        assert told([60, 70, 998, 999, 1000], edition=edition) == []
    assert told([60, 999, 1000, 1000.5, 1e9], cutoff=500) == []


# Granularities


def test_several_lengths_of_batches_are_named() -> None:
    returned, judged = daily([True, True, False, True, False, False])
    scores = scored(returned, judged, "R end(R) slope(R,batch=3d)", batch=["1d", "2d"])
    assert scores.measures == ("R", "end(R,batch=1d)", "end(R,batch=2d)", "slope(R,batch=3d)")
    for name in ("end(R,batch=1d)", "end(R,batch=2d)"):
        length = name[-3:-1]
        alone = scored(returned, judged, "end(R)", batch=length).value("end(R)")
        assert scores.value(name) == alone


def test_topics_have_trends_of_their_own() -> None:
    one, first = daily([True, True, False, False])
    other, second = (frame.assign(topic="u") for frame in daily([False, True, True, True]))
    runs, judged = pd.concat([one, other]), pd.concat([first, second])
    scores = scored(runs, judged, "end(R) slope(R) batches(R)", cutoff=50)
    for topic, (returned, alone) in {"t": (one, first), "u": (other, second)}.items():
        single_topic = scored(returned, alone, "end(R) slope(R) batches(R)", cutoff=50)
        for name in scores.measures:
            assert scores.value(name, topic) == pytest.approx(single_topic.value(name))
    without = scored(runs, judged, "end(R) slope(R)", cutoff=50, per_topic=False)
    assert without.topics == ()
    assert without.value("end(R)") == scores.value("end(R)")


# Truth and runs


def test_assessors_that_disagree() -> None:
    judged = truth(("t", "d", 2, 0), ("t", "d", 0, 0), ("t", "e", 2, 0))
    returned = run(("t", "d", 0), ("t", "e", 0))
    assert scored(returned, judged, "P").value("P") == 0.5
    assert scored(returned, judged, "P", rules={"votes": "any"}).value("P") == 1


def test_levels() -> None:
    judged = truth(*(("t", f"d{rating}", rating, 0) for rating in (-1, 0, 1, 2)))
    returned = run(*(("t", f"d{rating}", 0) for rating in (-1, 0, 1, 2)))
    found = [scored(returned, judged, "P", level=level).value("P") for level in (None, "vital")]
    found += [
        scored(returned, judged, "P", level=each).value("P") for each in ("useful", "neutral")
    ]
    assert found == [0.25, 0.25, 0.5, 0.75]


def test_a_truth_of_zeros_and_ones() -> None:
    judged = truth(("t", "d", 1, 0), ("t", "e", 0, 0))
    scores = scored(run(("t", "d", 0)), judged, "P R")
    assert (scores.value("P"), scores.value("R")) == (1, 1)
    assert any("1 is taken for positive" in warning for warning in scores.warnings)
    assert "level:useful" in scores.signature
    scores = scored(run(("t", "d", 0)), judged, "P R", level="vital")
    assert scores.value("P") is None
    assert "no judged document of the period is positive at this level" in scores.warnings


def test_unjudged_documents() -> None:
    judged = truth(("t", "d", 2, 0))
    returned = run(("t", "d", 0), ("t", "x", 0), ("t", "y", 9))
    ignored = scored(returned, judged, "P FDR A", end=DAY)
    assert [ignored.value(name) for name in ignored.measures] == [1, 0, 1]
    counted = scored(returned, judged, "P FDR A FPR", end=DAY, rules={"unjudged": "fp"})
    assert [counted.value(name) for name in counted.measures] == [0.5, 0.5, 0.5, 1]


def test_a_repeated_document_has_its_highest_confidence() -> None:
    judged = truth(("t", "d", 2, 0))
    returned = pd.concat([run(("t", "d", 0), confidence=c) for c in (60, 300, 100)])
    assert scored(returned, judged, "R", cutoff=300).value("R") == 1
    assert scored(returned, judged, "R", cutoff=301).value("R") == 0
    warnings = scored(returned, judged, "R").warnings
    assert "run run: 2 repeated documents, the highest confidence counts" in warnings


def test_the_time_of_the_truth_counts() -> None:
    judged = truth(("t", "d", 2, 0), ("t", "e", 2, 1), ("t", "f", 2, 2))
    late = run(("t", "d", 2), ("t", "e", 2), ("t", "f", 2))
    scores = scored(late, judged, "end(R) batches(R)", cutoff=50)
    assert [scores.value(name) for name in scores.measures] == [1, 3]
    assert "2 documents with another time in the run than in the truth: the truth's counts" in (
        scores.warnings
    )


def test_times_that_look_like_milliseconds_are_told() -> None:
    returned, judged = daily([True] * 3)
    recent = 20_000 * DAY
    returned, judged = (each.assign(time=each["time"] + recent) for each in (returned, judged))

    def told(*runs: pd.DataFrame, judged: pd.DataFrame) -> list[str]:
        scores = scored(list(runs), judged, "R", start=None, batch="1000d")
        return [each for each in scores.warnings if "milliseconds" in each]

    def late(table: pd.DataFrame) -> pd.DataFrame:
        return table.assign(time=table["time"] * 1000)

    def said(what: str) -> str:
        return f"{what}: times up to 1728172800000 look like milliseconds; they are read as seconds"

    assert told(returned, judged=judged) == []
    for tables in ((late(returned), judged), (returned, late(judged))):
        with pytest.raises(InputError) as error:
            told(tables[0], judged=tables[1])
        assert {fault.code for fault in error.value.faults} == {"time-unit"}
    dated = late(judged).assign(post_id=late(judged)["time"].astype(str) + "-x")
    sent = returned.assign(post_id=dated["post_id"])
    assert told(sent, judged=dated.drop(columns="time")) == [said("truth")]


def test_times_from_ids_then_from_runs() -> None:
    dated = truth(("t", "100-a", 2, 0), ("t", "300-b", 2, 0)).drop(columns="time")
    runs = [run(("t", "100-a", 0)), run(("t", "300-b", 1))]
    scores = tseval.score_filtering(runs, dated, "R", batch="100s")
    assert "period:100-301" in scores.signature
    plain = truth(("t", "a", 2, 0), ("t", "b", 2, 0)).drop(columns="time")
    runs = [run(("t", "a", 2)), run(("t", "b", 1), ("t", "a", 1))]
    scores = tseval.score_filtering(runs, plain, "R")
    assert f"period:{DAY}-{DAY + 1}" in scores.signature
    assert any("they have the earliest of any run" in warning for warning in scores.warnings)


def test_a_positive_without_a_time_is_a_fault_and_a_negative_is_told() -> None:
    plain = truth(("t", "a", 2, 0), ("t", "b", 0, 0), ("t", "c", 2, 0)).drop(columns="time")
    with pytest.raises(InputError) as caught:
        tseval.score_filtering(run(("t", "a", 0)), plain, "R")
    assert str(caught.value).splitlines()[0] == (
        '<truth>: row 3: document "c" of topic "t" has no time'
    )
    assert "give the truth a column time" in str(caught.value)
    scores = tseval.score_filtering(run(("t", "a", 0), ("t", "c", 0)), plain, "R")
    assert "1 judged pair without a time, not positive, left out" in scores.warnings


def test_topics_that_a_run_lacks() -> None:
    judged = truth(("t", "d", 2, 0), ("u", "e", 2, 0))
    returned = run(("t", "d", 0), ("x", "z", 0))
    zero = scored(returned, judged, "R")
    assert zero.value("R") == 0.5
    assert zero.value("R", "u") == 0
    assert "run run: 1 topic not judged, ignored: x" in zero.warnings
    assert "run run: no judged documents for 1 judged topic, counted as an empty system: u" in (
        zero.warnings
    )
    skipped = scored(returned, judged, "R uniform(R)", on_missing="skip")
    assert skipped.value("R") == skipped.value("uniform(R)") == 1
    assert [record.topic for record in skipped.records() if record.measure == "R"] == ["t", "all"]
    with pytest.raises(MissingTopics):
        scored(returned, judged, "R", on_missing="error")


def test_topics_with_too_few_positives_are_left_out() -> None:
    judged = truth(("t", "d", 2, 0), ("u", "e", 0, 0), ("v", "f", 2, 0), ("v", "g", 2, 0))
    for least, topics in enumerate([("t", "u", "v"), ("t", "v"), ("v",)]):
        assert scored(run(("v", "f", 0)), judged, "R", require_positives=least).topics == topics


def test_an_empty_run(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "commented").write_text('#{"team_id": "x"}\n')
    judged = truth(*(("t", f"d{day}", 2, day) for day in range(4)))
    for name in ("empty", "commented"):
        scores = scored(tmp_path / name, judged, "P R A end(F_pra) T11SU")
        assert scores.runs == (name,)
        found = [scores.value(each) for each in scores.measures]
        assert found == [0, 0, 1, 0, pytest.approx(1 / 3)]


# Bursts


def test_bursts_by_hand() -> None:
    """Three positives on day 0 of which one is returned, one on day 2 that is."""
    judged = truth(*(("t", each, 2, 0) for each in "abc"), ("t", "d", 2, 2), ("t", "n", 0, 1))
    returned = run(("t", "a", 0), ("t", "d", 2), ("t", "n", 1))
    scores = scored(returned, judged, "uniform(R) burst(R) uniform(P) R", end=3 * DAY)
    found = [scores.value(name) for name in scores.measures]
    assert found == pytest.approx([(1 / 3 + 1) / 2, 1 / 3 * 3 / 4 + 1 / 4, 1, 1 / 2])


# Rankings


def test_places() -> None:
    values_ = np.array([0.5, np.nan, 0.7, 0.5, 0.1])
    assert places(values_).to_list() == [2, None, 1, 2, 4]
    assert places(-values_).to_list() == [2, None, 4, 2, 1]


# The files of the track

ID = "-0123456789abcdef0123456789abcdef"
A, B = f"{0}{ID}", f"{DAY}{ID}"


def written(folder: Path, name: str, *lines: str) -> str:
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines))
    return str(path)


@pytest.fixture
def official(tmp_path: Path) -> str:
    return written(
        tmp_path,
        "truth.tsv",
        '#{"run_type": "manual"}',
        f"NIST-TREC\tann1\t{A}\tEntity_1\t1000\t2\t1",
        f"NIST-TREC\tann2\t{A}\tEntity_1\t0\t1\t1",
        f"NIST-TREC\tann1\t{B}\tEntity_1\t1000\t2\t1",
    )


def test_a_run_of_five_columns_and_one_of_eleven(tmp_path: Path, official: str) -> None:
    short = written(
        tmp_path, "short", "#{}", f"team one {A} Entity_1 500", f"team one {B} Entity_1 9"
    )
    long = written(
        tmp_path,
        "long",
        '{"team_id": "team"}',
        "# a comment",
        f"team two {A} Entity_1 500 1 1 2011-10-07-14 NULL -1 0-0",
        f"team\ttwo\t{B}\tEntity_1\t500\t2\t1\t\tNULL\t-1\t0-0",
    )
    scores = tseval.score_filtering([short, long], official, "R P", cutoff=50)
    assert scores.runs == ("team-one", "team-two")
    assert [scores.value("R", run=name) for name in scores.runs] == [0, 1]
    obeyed = tseval.score_filtering(
        long, official, "R P", cutoff=50, rules={"own-rating": "obey", "votes": "any"}
    )
    assert obeyed.value("R") == 0.5
    certain = tseval.score_filtering(long, official, "R P", cutoff=50, rules={"unsure": "drop"})
    assert (certain.value("R"), certain.value("P")) == (1, 1)


@pytest.mark.parametrize("heading", ["", "#{}\n", '{"team_id": "team"}\n'])
def test_a_byte_order_mark_is_no_part_of_the_first_field(tmp_path: Path, heading: str) -> None:
    lines = {
        "run": f"team one {A} Entity_1 500\nteam one {B} Entity_1 500\n",
        "truth": f"NIST-TREC ann1 {A} Entity_1 1000 2 1\nNIST-TREC ann1 {B} Entity_1 1000 1 1\n",
    }
    for name, body in lines.items():
        (tmp_path / name).write_text("\ufeff" + heading + body, encoding="utf-8")
    own, judged = (str(tmp_path / name) for name in lines)
    scores = tseval.score_filtering(own, judged, "P R", cutoff=50)
    assert scores.runs == ("team-one",)
    assert [scores.value(name) for name in ("P", "R")] == [0.5, 1]
    with faulty("swapped-inputs", None):
        tseval.score_filtering(judged, own, "P")


def test_runs_of_one_name_are_called_as_their_files(tmp_path: Path, official: str) -> None:
    one = written(tmp_path, "one", f"t s {A} Entity_1 5")
    two = written(tmp_path, "two", f"t s {A} Entity_1 5", f"t u {A} Entity_1 5")
    scores = tseval.score_filtering([one, two], official, "R")
    assert scores.runs == ("one", "two:t-s", "two:t-u")


def test_validate_knows_what_is_what(tmp_path: Path, official: str) -> None:
    one = written(tmp_path, "one", f"t s {A} Entity_1 5", f"t s {A} Entity_1 5")
    done = program("validate", one, official, TRUTH, STEADY)
    assert [line.split(": ")[1] for line in done.out.splitlines()] == [
        "posts, 2 rows, no fault",
        "truth, 3 rows, no fault",
        "truth, 19 rows, no fault",
        "posts, 14 rows, no fault",
    ]
    bad = written(tmp_path, "bad", f"t s {A} Entity_1 5", f"t s {A} Entity_1 many", f"t s {A}")
    done = program("validate", bad)
    assert done.out.splitlines() == [
        f'{bad}:2: confidence "many" is not a number',
        f"{bad}:3: 3 fields where there should be 5 at least",
    ]


def test_import_writes_plain_tables(tmp_path: Path, official: str) -> None:
    """Scored, they give what the files of the track give."""
    own = written(tmp_path, "own", "#{}", f"t s {A} Entity_1 500 2 1", f"t s {B} Entity_1 40 2 1")
    plain = [str(tmp_path / name) for name in ("plain-run.tsv", "plain-truth.tsv")]
    assert program("import", "kba-run", own, "-o", plain[0]).code == 0
    assert program("import", "kba-truth", official, "-o", plain[1]).code == 0
    names = "R P F_pra T11SU"
    for rules in ({}, {"votes": "any"}, {"unsure": "drop"}):
        one = tseval.score_filtering(own, official, names, cutoff=50, rules=rules)
        two = tseval.score_filtering(*plain, names, cutoff=50, rules=rules)
        assert list(one.records()) == list(two.records())
    assert program("validate", *plain).code == 0


# Wrong usage


def told(*options: object) -> Outcome:
    return program("filter", STEADY, TRUTH, *options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-m", "slope"), "slope of what? write slope(P|R|A|F_pr|F_pra|F_1|T11U|T11NU|T11SU|"),
        (("-m", "slope(Q)"), "slope: there is no 'Q': choose one of P, R, A, "),
        (("-m", "end(P,batch=soon)"), 'batch: "soon" is not a length of time'),
        (("-m", "end(P)@6h"), "end(P)@6h: this measure has no @TIME"),
        (("-m", " "), "no measure is named"),
        (("-m", "end(R,)"), "end(R,): nothing stands beside a comma"),
        (("-m", "end(R)@"), "'end(R)@': after the @ a time is missing, such as end(R)@6h"),
        (("--residuals", "weighted"), "--residuals has no meaning without --show fits or --sh"),
        (("--teams", TRUTH), "--teams has no meaning without --show teams"),
        (("--show", "stability", "-q"), "-t has no meaning with --show stability"),
        (("--batch", "soon"), '--batch: "soon" is not a length of time'),
        (("--batch", "0d"), "--batch 0d: give a length longer than 0 seconds"),
        (
            ("--batch", "0.001s"),
            "--batch 0.001s: that makes 442,801,000 batches of the period; no more than ",
        ),
        (("--batch", "9d", "--partial", "drop"), "--batch 9d is longer than the period"),
        (("--cutoff", "high"), "cutoff cannot be 'high': give a number, or sweep"),
        (("--cutoff", "nan"), "cutoff cannot be 'nan'"),
        (("--cutoff", "50,high"), "cutoff cannot be '50,high': give a number, or sweep; for each"),
        (("--cutoff", "50,"), "cutoff cannot be '50,': give a number, or sweep; for each of"),
        (("--cutoff", "all"), "several cutoffs, each by itself, are for --show fits, --show stab"),
        (("--cutoff", "5,6", "-o", "a.svg"), "several cutoffs, each by itself, are for --show "),
        (("--cutoff", "5,6", "--show", "ranking"), "several cutoffs, each by itself, are for"),
        (("--cutoff", "5,6", "--show", "fits", "--cutoff-step", "5"), "a step of cutoffs has no"),
        (("--cutoff", "5", "--cutoff-step", "5"), "a step of cutoffs has no meaning with one"),
        (("--zeta", "0"), "'0' is no number above 0"),
        (("--zeta", "nan"), "'nan' is no number above 0"),
        (("--f-weights", "1,2"), "--f-weights: write three numbers above 0, such as 1,1,1"),
        (("--f-weights", "1,0,1"), "--f-weights: write three numbers above 0, such as 1,1,1"),
        (("--f-weights", "a,b,c"), "--f-weights: write three numbers above 0, such as 1,1,1; not"),
        (("--costs", "1,0.1"), "--costs: write three numbers above 0, the last below 1, such as"),
        (("--costs", "1,0.1,1"), "--costs: write three numbers above 0, the last below 1, such as"),
        (("--costs", "-1,0.1,.5"), "--costs: write three numbers above 0, the last below 1, such"),
        (("--start", "soon"), '--start: "soon" is neither a number nor an ISO 8601 time'),
        (("--start", ""), "--start: no time is given: write a time from the start, such as 6h, or"),
        (
            ("--end", "5"),
            "the period ends at 1970-01-01T00:00:05Z, which is not after its start at "
            "2023-11-14T03:00:00Z; documents are judged from 2023-11-14T03:00:00Z to "
            "2023-11-19T06:00:00Z: choose --start and --end so that some lie between them",
        ),
        (
            ("--edition", "ts2014"),
            "edition 'ts2014' is for `tseval score`; `tseval filter` has these: kenter2015, ",
        ),
        (
            ("--edition", "ts2099"),
            "unknown edition 'ts2099'; known: kenter2015, ",
        ),
        (("--rule", "kept=never"), "rule kept cannot be 'never': choose one of at-least, above"),
        (("--rule", "nothing=1"), "unknown rule 'nothing'; known: kept, own-rating, "),
        (("--rule", "votes=any", "--votes", "all"), "rule votes is given twice: any and all"),
        (("--show", "tests"), "--show tests needs two runs at least"),
        (("--show", "fits", "-q"), "-t has no meaning with --show fits"),
        (("-q", "-f", "svg"), "-t has no meaning with -f svg"),
        (("--show", "bursts"), "--show bursts looks at the truth alone: give no other file"),
        (("--show", "fits", "-o", "fits.svg"), "'svg' is none of the forms that this result has"),
        (("--series", "series.svg"), "--series series.svg: the suffix must be one of .tsv, .csv"),
    ],
)
def test_wrong_usage(options: tuple[object, ...], said: str) -> None:
    done = told(*options)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith(f"error: {said}"), done.err


def test_measures_have_no_place_beside_bursts() -> None:
    done = program("filter", TRUTH, "--show", "bursts", "-m", "end(R)")
    assert done.err.startswith("error: -m has no meaning with --show bursts")


def test_a_run_in_the_place_of_the_truth() -> None:
    done = program("filter", STEADY, STEADY.replace("steady", "fading"))
    assert "truth needs the columns topic post_id relevance; here: topic post_id time" in done.err


def test_files_that_are_missing() -> None:
    assert "Give one or more runs, then the truth." in program("filter", TRUTH).err
    assert program("filter").code == 2


@pytest.mark.parametrize(
    "settings", [{"level": "good"}, {"cutoff_step": 0}, {"on_missing": "x"}, {"batch": []}]
)
def test_wrong_usage_in_python(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        tseval.score_filtering(STEADY, TRUTH, "P", **settings)
    with pytest.raises(UsageError, match="no run is given"):
        tseval.score_filtering([], TRUTH, "P")


def test_the_names_of_measures() -> None:
    name = measure(" end( F_pra , batch=7d )", "filtering")
    assert str(name) == "end(F_pra,batch=7d)"
    assert str(measure("slope(P)", "filtering")(per="day")) == "slope(P,per=day)"
    assert measure("slope(of=P)", "filtering") == measure("slope(P)", "filtering")


def test_the_signature_names_what_can_change_a_number() -> None:
    plain = tseval.score_filtering(STEADY, TRUTH, "P").signature
    for settings in (
        {"batch": "2d"},
        {"cutoff": 50},
        {"cutoff_step": 100},
        {"level": "useful"},
        {"zeta": 2},
        {"f_weights": (1, 2, 1)},
        {"costs": (1, 0.1, 0.05)},
        {"require_positives": 1},
        {"start": "1h"},
        {"end": "3d"},
        {"on_missing": "skip"},
        {"rules": {"weights": "own"}},
        {"edition": "kba2013"},
    ):
        assert tseval.score_filtering(STEADY, TRUTH, "P", **settings).signature != plain


def test_one_run_in_two_files_is_one_run() -> None:
    judged = truth(("t", "d", 2, 0), ("t", "e", 2, 0))
    halves = [run(("t", each, 0)).assign(run="one") for each in "de"]
    scores = scored(halves, judged, "R")
    assert (scores.runs, scores.value("R")) == (("one",), 1)


def test_a_measure_of_another_is_explained_without_it() -> None:
    for name in ("slope", "slope(P)", "slope(P,batch=36h)"):
        done = program("measures", name)
        assert done.out.startswith("slope: the change of the metric over time")
    assert "batch=1d|7d|30d|…: how long a batch lasts" in program("measures", "end").out


# What the reports say


def waves(hits: Sequence[int], positives: int = 10) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A topic with so many positives a day, of which the run returns some."""
    pairs = [(f"d{day}-{n}", day, n) for day in range(len(hits)) for n in range(positives)]
    judged = truth(*(("t", name, 2, day) for name, day, _ in pairs))
    returned = run(*(("t", name, day) for name, day, n in pairs if n < hits[day]))
    return returned, judged


def fits_of(hits: Sequence[int]) -> dict[Hashable, Any]:
    returned, judged = waves(hits)
    frame, _ = shown("fits", [returned], judged, "end(R)", "--end", len(hits) * DAY)
    (row,) = frame.to_dict("records")
    return row


ONLY_0_AND_1 = "only 0 and 1: the assumption does not hold"


@pytest.mark.parametrize(
    ("hits", "verdict"),
    [
        ([round(5 + 4 * np.sin(day / 3)) for day in range(24)], "autocorrelated"),
        ([1, 1, 3, 4, 4, 5, 7, 7, 7, 9], "nothing against it"),
        ([5, 6, 5, 4, 5, 6, 4, 5, 6, 5, 4, 5], "moves no one way"),
        ([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 0], "not normal"),
        ([3, 7, 2, 8, 4, 9, 3, 8, 2, 9, 3, 7], "negatively autocorrelated"),
        ([1, 2, 3, 4], "no residuals"),
        ([1, 2], "too few batches"),
        # Half a dozen 0 and 1 pass Anderson-Darling; they are categories all the same.
        ([10, 0, 10, 10, 0, 10], f"{ONLY_0_AND_1}, moves no one way"),
        ([0] * 8 + [10] * 8, ONLY_0_AND_1),
    ],
)
def test_verdicts(hits: list[int], verdict: str) -> None:
    assert verdict in fits_of(hits)["verdict"]
    others = {
        "autocorrelated": "negative",
        "negatively autocorrelated": "nothing",
        "nothing against it": "not normal",
        ONLY_0_AND_1: "not normal",
    }
    assert others.get(verdict, "?") not in fits_of(hits)["verdict"]


def test_the_bounds_of_durbin_watson_are_those_of_the_printed_tables() -> None:
    """Savin and White, one regressor, 5 %."""
    for number, low, high in ((6, 0.610, 1.400), (10, 0.879, 1.320), (15, 1.077, 1.361)):
        row = fits_of([day * 3 % 7 for day in range(number)])
        assert (row["DW_low"], row["DW_high"]) == pytest.approx((low, high), abs=5e-4)


def test_tau_turns_costs_around() -> None:
    """The better run by F_1 has the lower cost: the two rankings agree."""
    better, judged = daily([True, True, False, True])
    worse, _ = daily([True, False, False, True])
    runs = [better.assign(run="better"), worse.assign(run="worse")]
    rows, _ = shown("ranking", runs, judged, "end(C_trk) end(R)")
    assert rows["tau"].tolist() == [1, 1, 1, 1]
    assert rows["run"].tolist() == ["better", "worse"] * 2
    assert rows["place"].tolist() == [1, 2] * 2


# Stability and teams


def test_of_how_many_fits_the_assumptions_hold() -> None:
    """Seven runs, of which the verdicts are those of `test_verdicts`: each share by counting."""
    found = [
        [1, 1, 3, 4, 4, 5, 7, 7, 7, 9, 9, 10],  # nothing
        [5, 6, 5, 4, 5, 6, 4, 5, 6, 5, 4, 5],  # moves no one way
        [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 0],  # not normal
        [3, 7, 2, 8, 4, 9, 3, 8, 2, 9, 3, 7],  # swings, and moves no one way
        [5] * 12,  # no residuals
        [0] * 3 + [10] + [0] * 2 + [10] * 6,  # only 0 and 1
    ]
    judged = waves([0] * 12)[1]
    runs = [waves(hits)[0].assign(run=f"r{at}") for at, hits in enumerate(found)]
    runs.append(pd.concat([runs[0].iloc[:0], run(("t", "d0-0", 0))]).assign(run="few"))
    end = ("--end", 12 * DAY)
    verdicts = shown("fits", runs, judged, "end(R)", *end)[0]["verdict"].tolist()
    (row,) = shown("stability", runs, judged, "end(R)", *end)[0].to_dict("records")
    tested = [each for each in verdicts if each not in ("no residuals", "too few batches")]
    assert (row["fits"], row["tested"]) == (7, len(tested))
    for column, words in (
        ("normal", ("not normal", ONLY_0_AND_1)),
        ("independent", ("autocorrelated", "Durbin-Watson")),
        ("one_way", ("moves no one way",)),
    ):
        held = [not any(word in each for word in words) for each in tested]
        assert row[column] == sum(held) / len(tested)
    assert row["all_hold"] == tested.count("nothing against it") / len(tested)
    assert 0 < row["all_hold"] < row["independent"] < 1


def test_stability_of_slopes() -> None:
    """By hand: one run rises at both lengths, one at pairs of days alone, one has no residuals."""
    rising, zigzag, flat = [0, 1, 2, 4, 5, 5], [6, 0, 6, 1, 6, 3], [3] * 6
    judged = waves([0] * 6)[1]
    runs = [
        waves(hits)[0].assign(run=name)
        for name, hits in (("rising", rising), ("zigzag", zigzag), ("flat", flat))
    ]
    options = ("--end", 6 * DAY, "--batch", "1d", "--batch", "2d")
    rows = shown("stability", runs, judged, "end(R)", *options)[0]
    (row,) = rows[rows["other"].notna()].to_dict("records")
    lines = {
        name: [np.polyfit(range(len(y)), y, 1)[0] for y in (hits, np.add(hits[::2], hits[1::2]))]
        for name, hits in (("rising", rising), ("zigzag", zigzag))
    }
    assert [np.sign(slopes).tolist() for slopes in lines.values()] == [[1, 1], [-1, 1]]
    assert (row["batch"], row["other"], row["runs"], row["tested_both"]) == ("1d", "2d", 3, 2)
    assert row["same_direction"] == pytest.approx(2 / 3)  # rising, and flat: 0 at both
    # days: zigzag < flat < rising; pairs of days: flat < zigzag < rising, so two pairs agree
    assert row["slope_tau"] == pytest.approx(1 / 3)
    # of ten positives a day: a tenth a day, and a twentieth of a pair's two days; flat has 0
    per_second = [daily / 10 / DAY - paired / 20 / (2 * DAY) for daily, paired in lines.values()]
    assert row["slope_difference"] == pytest.approx(sum(per_second) / 3)
    assert row["difference_sd"] == pytest.approx(np.std([*per_second, 0], ddof=1))


def test_stability_over_cutoffs() -> None:
    """By hand: what is returned at 100 falls, what is returned at 50 has no residuals."""
    both = [waves(hits)[0] for hits in ([6, 4, 5, 1, 2, 1], [6] * 6)]
    judged = waves([0] * 6)[1]
    runs = [both[0].assign(run="a", confidence=100), both[1].assign(run="a", confidence=60)]
    options = ("--end", 6 * DAY, "--batch", "1d", "--batch", "2d", "--cutoff")
    slope = np.polyfit(range(6), [0.6, 0.4, 0.5, 0.1, 0.2, 0.1], 1)[0]
    fits = shown("fits", runs, judged, "end(R)", *options, "50,100,200")[0]
    assert fits["cutoff"].tolist() == [50, 100, 200] * 2
    assert fits["slope"].iloc[:3].tolist() == pytest.approx([0, slope, 0])
    assert fits["verdict"].iloc[[0, 2]].tolist() == ["no residuals"] * 2
    rows, done = shown("stability", runs, judged, "end(R)", *options, "50,100,200")
    assert rows["fits"].dropna().tolist() == [3, 3]
    assert rows["tested"].dropna().tolist() == [1, 1]
    assert rows["significant"].iloc[0] == 1
    (row,) = rows[rows["other"].notna()].to_dict("records")
    pairs = np.polyfit(range(3), [0.5, 0.3, 0.15], 1)[0]
    difference = slope / DAY - pairs / (2 * DAY)
    assert row["runs"] == 3
    assert row["slope_difference"] == pytest.approx(difference / 3)
    assert row["difference_sd"] == pytest.approx(np.std([difference, 0, 0], ddof=1))
    assert done.err.startswith("error: several cutoffs, each by itself, are for")  # in scores
    every = shown("stability", runs, judged, "end(R)", *options, "all")[0]
    assert every["fits"].dropna().tolist() == [20, 20]


def test_every_batch_at_every_cutoff(tmp_path: Path) -> None:
    """No confidence is above 600: at 700 nothing is returned, and each recall is 0."""
    path = tmp_path / "series.csv"
    options = ("--start", 1699920000, "--end", "6d", "--show", "fits", "--cutoff", "700,50,50")
    done = program("filter", FOLDER / "fading.tsv", TRUTH, *options, "--series", path, "--quiet")
    assert done.code == 0, done.err
    rows = pd.read_csv(path, comment="#")
    recall = rows[rows["measure"] == "R"]
    assert recall["cutoff"].tolist() == [50] * 6 + [700] * 6
    assert recall["value"].tolist()[:5] == [1, 1, 0.5, 0.5, 0]
    assert recall["value"].tolist()[6:11] == [0] * 5


def test_stability_of_one_length_and_of_programs() -> None:
    inputs = [str(FOLDER / f"{name}.tsv") for name in ("fading", "improving", "steady", "truth")]
    options: tuple[object, ...] = ("--start", 1699920000, "--end", "6d", "--cutoff", 50)
    options = (*options, "-m", "end(R)", "--show", "stability", "--quiet")
    assert "give --batch several times" in program("filter", *inputs, *options).out
    several = program("filter", *inputs, *options, "--batch", "1d", "--batch", "36h", "-f", "csv")
    rows = pd.read_csv(io.StringIO(several.out))
    assert rows["other"].isna().tolist() == [True, True, False]
    assert several.out.splitlines()[1].startswith("R,1d,3,3,")


def test_teams_by_their_best_run(tmp_path: Path) -> None:
    """The end points are those of the documentation; the best run differs by ranking."""
    path = tmp_path / "teams.tsv"
    path.write_text("run\tteam\nfading\tone\nimproving\tone\nsteady\ttwo\n")
    inputs = [str(FOLDER / f"{name}.tsv") for name in ("fading", "improving", "steady", "truth")]
    options = ("--start", 1699920000, "--end", "6d", "--cutoff", 50, "--show", "teams")
    done = program("filter", *inputs, *options, "--teams", path, "-f", "csv", "--quiet")
    rows = pd.read_csv(io.StringIO(done.out))
    ranked, taus = rows[rows["other"].isna()], rows[rows["other"].notna()]
    told = ranked[["ranking", "place", "team", "run", "runs"]].to_numpy().tolist()
    assert told == [
        ["F_1", 1, "two", "steady", 1],
        ["F_1", 2, "one", "fading", 2],
        ["end(F_pr,batch=1d)", 1, "one", "improving", 2],
        ["end(F_pr,batch=1d)", 2, "two", "steady", 1],
        ["end(F_pra,batch=1d)", 1, "one", "improving", 2],
        ["end(F_pra,batch=1d)", 2, "two", "steady", 1],
    ]
    assert ranked["value"].iloc[:2].tolist() == pytest.approx([0.8219971, 0.75])
    assert taus["tau"].tolist() == [-1, -1, 1]
    assert taus["teams"].tolist() == [2, 2, 2]
    shown = program("filter", *inputs, *options, "--teams", path).out
    assert "|teams:one=fading,improving;two=steady" in shown


def test_teams_by_the_names_of_runs() -> None:
    """What stands before the hyphen; a team is not ranked where none of its runs has a trend."""
    better, judged = daily([True, True, False, True])
    worse, _ = daily([True, False, False, True])
    names = {"a-1": worse, "a-2": better, "b-1": worse}
    runs = [rows.assign(run=name) for name, rows in names.items()]
    few = run(("t", "d0", 0)).assign(run="c")
    rows, _ = shown("teams", [*runs, few], judged, "end(C_trk) end(FDR)")
    rows = rows[rows["other"].isna()]
    cost = rows[rows["ranking"] == "end(C_trk,batch=1d)"]
    assert cost["run"].tolist()[0] == "a-2"
    assert rows[rows["ranking"] == "end(FDR,batch=1d)"]["place"].isna().tolist() == [
        *(False, True),
        True,
    ]
    assert rows[rows["ranking"] == "F_1"]["run"].tolist() == ["a-2", "b-1", "c"]


def test_a_hyphen_in_the_name_of_a_file_ends_no_team(tmp_path: Path) -> None:
    returned = Path(STEADY).read_text().splitlines()
    for name in ("a-1", "a-2"):
        (tmp_path / f"{name}.tsv").write_text("\n".join(returned) + "\n")
        lines = [f"{line}\t{name if at else 'run'}" for at, line in enumerate(returned)]
        (tmp_path / f"{name}.named").write_text("\n".join(lines) + "\n")
    for suffix, teams in ((".tsv", {"a-1", "a-2"}), (".named", {"a"})):
        runs = [tmp_path / f"{name}{suffix}" for name in ("a-1", "a-2")]
        options = ("--show", "teams", "-f", "csv", "--input-format", "tsv")
        done = program("filter", *runs, TRUTH, *options)
        assert set(pd.read_csv(io.StringIO(done.out))["team"].dropna()) == teams
        told = "count as one team each: a-1, a-2; --teams FILE names their teams"
        assert (told in done.err) == (suffix == ".tsv")


def test_a_picture_of_teams(tmp_path: Path) -> None:
    """By hand: the end points of one are -0.15 and 1.15; in the middle its runs are at 0.6 and 0.4.

    The lines of fading and improving are 1.1 - 0.25 x and -0.1 + 0.25 x.
    """
    names = ("fading", "improving", "steady")
    asked = FilterOptions(start="1699920000", end="6d", cutoff="50", teams=str(tmp_path / "teams"))
    (tmp_path / "teams").write_text("run\tteam\nfading\tone\nimproving\tone\nsteady\ttwo\n")
    inputs = FilterInputs([str(FOLDER / f"{name}.tsv") for name in names], TRUTH)
    evaluation = evaluated(FAMILY, inputs, asked)
    drawn = explain.draw_teams(evaluation, ViewRequest((measure("end(R)", "filtering"),), asked))
    picture = drawn.picture
    assert picture is not None
    assert (picture.kind, picture.names) == ("team", ("two", "one"))
    trend, ends, usual = picture.panels
    two, one = trend.lines
    assert one.x == (0.5, 1.5, 2.5, 3.5, 4.5, 5.5)
    assert one.value == pytest.approx((0.5,) * 6)
    assert one.low == pytest.approx((-0.1, 0.15, 0.4, 0.35, 0.1, -0.15))
    assert one.high == pytest.approx((1.1, 0.85, 0.6, 0.65, 0.9, 1.15))
    assert (two.low, two.high) == ((), ())  # of one run
    assert ends.x.names == ("one", "two")  # by the best run
    assert ends.points[0] == Point(1, 1.0, *map(pytest.approx, (0.5, -0.15, 1.15)))
    assert ends.parts[0].value == pytest.approx((-0.15, 1.15))
    assert (ends.points[1].low, ends.points[1].value) == (None, pytest.approx(0.8015, abs=1e-4))
    assert usual.x.names == ("two", "one")
    assert usual.parts[1].value == pytest.approx((0.75, 4 / 7))


def test_pictures_of_teams_from_the_command(tmp_path: Path) -> None:
    inputs = [str(FOLDER / f"{name}.tsv") for name in ("fading", "improving", "steady", "truth")]
    for form in ("svg", "html"):
        path = tmp_path / f"teams.{form}"
        done = program("filter", *inputs, "--show", "teams", "-o", path)
        assert (done.code, done.out) == (0, ""), done.err
        assert "count as one team each: fading, improving, steady" in done.err
        content = path.read_text(encoding="utf-8")
        assert all(each in content for each in ("F_1 by cutoff", "end(F_pra,batch=1d)", ">team<"))
    done = program("filter", *inputs, "--show", "ranking", "-o", tmp_path / "ranking.svg")
    assert done.err.startswith("error: 'svg' is none of the forms that this result has")
    few = program("filter", *inputs, "--show", "teams", "--batch", "3d", "-f", "svg", "--quiet")
    assert few.out.count("no run has a value") >= 4


def test_teams_of_nobody(tmp_path: Path) -> None:
    path = tmp_path / "teams.tsv"
    path.write_text("run\tteam\nother\tone\n")
    done = program("filter", STEADY, TRUTH, "--show", "teams", "--teams", path)
    assert done.code == 2
    assert "names none of the runs, which are steady; it has other" in done.err


def test_topics_follow_the_cutoff_of_their_run() -> None:
    """Only what is returned above the best cutoff counts, which is not the lowest."""
    both = [(kind, day) for day in range(4) for kind in "dn"]
    judged = truth(*(("t", f"{kind}{day}", 2 * (kind == "d"), day) for kind, day in both))
    good = run(*(("t", f"d{day}", day) for day in range(4)), confidence=900)
    bad = run(*(("t", f"n{day}", day) for day in range(3)), confidence=200)
    names = "end(P) intercept(P) cutoff(P) P uniform(P) burst(P)"
    scores = scored(pd.concat([good, bad]), judged, names)
    for topic in ("t", "all"):
        assert [scores.value(name, topic) for name in scores.measures] == [1, 1, 250, 1, 1, 1]


def test_the_warning_of_ends_has_room_for_rounding() -> None:
    returned, judged = daily([True] * 7)
    scores = scored(returned, judged, "end(R) end(F_pra) end(A)", batch="1d")
    assert not any("outside" in warning for warning in scores.warnings)
