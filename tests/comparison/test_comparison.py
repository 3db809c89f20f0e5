"""Comparisons of runs: by hand, against slow twins, and at the edges."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import tseval
from tests import strategies as st
from tests.oracles import comparison as slow
from tests.program import MATCHES, NUGGETS, SWIFT, THOROUGH
from tseval.comparison import Findings, Plan, Treatment, correlate, discriminate, read_board
from tseval.comparison.board import choose_measures, higher_is_better, in_order
from tseval.comparison.findings import sections
from tseval.comparison.runs import topic_draws
from tseval.comparison.with_gold import ScoredRuns, leave_out, teams_of
from tseval.core.registry import family
from tseval.errors import MissingTopics, UsageError
from tseval.families.temporal.evaluation import TemporalInputs, TemporalOptions
from tseval.families.temporal.family import FAMILY
from tseval.io.score_files import escaped
from tseval.statistics import bootstrap

pytestmark = pytest.mark.small_times

COLUMNS = ["run", "topic", "measure", "value"]
Row = tuple[str, str, str, float | None]


def frame(*rows: Row) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=COLUMNS)


def wide(measure: str = "R", **runs: list[float | None]) -> pd.DataFrame:
    return frame(*((r, f"t{i}", measure, x) for r, xs in runs.items() for i, x in enumerate(xs)))


ABOVE = {
    "a": [0.5, 0.7, 0.4, 0.9, 0.6, 0.8, 0.3, 0.6],
    "b": [0.1, 0.2, 0.1, 0.3, 0.2, 0.1, 0.2, 0.3],
}


# Means, pairs and letters


def test_a_clear_difference_by_hand() -> None:
    found = tseval.compare(wide(**ABOVE, c=[0.5, 0.7, 0.4, 0.9, 0.6, 0.8, 0.3, 0.5]))
    assert found.letters("R") == {"a": "a", "c": "a", "b": "b"}
    assert [(s.run, s.rank, s.topics) for s in found.standings] == [
        ("a", 1, 8),
        ("c", 2, 8),
        ("b", 3, 8),
    ]
    assert found.standings[0].mean == pytest.approx(0.6)
    pair = found.contest("R", "b", "a")
    assert (pair.run, pair.other, pair.better) == ("a", "b", "a")
    assert (pair.wins, pair.ties, pair.losses) == (8, 0, 0)
    assert pair.difference == pytest.approx(0.6 - 1.5 / 8)
    assert pair.p == 2 / 2**8
    assert pair.adjusted == pytest.approx(3 * 2 / 2**8)
    close = found.contest("R", "a", "c")
    assert (close.wins, close.ties, close.losses) == (1, 7, 0)
    assert (close.p, close.different, close.better) == (1, False, None)


@pytest.mark.parametrize("lower", [True, False])
def test_wins_and_ranks_follow_the_direction_and_differences_do_not(lower: bool) -> None:
    ways = {"lower_is_better" if lower else "higher_is_better": ["cost"]}
    found = tseval.compare(wide("cost", **ABOVE), **ways)  # type: ignore[arg-type]
    pair = found.contest("cost", "a", "b")
    assert pair.difference is not None
    assert pair.difference > 0
    assert (pair.wins, pair.better) == ((0, "b") if lower else (8, "a"))
    assert found.standings[0].run == ("b" if lower else "a")
    assert found.higher == {"cost": not lower}
    assert found.warnings == ()


def test_a_run_is_tied_where_scores_differ_by_rounding_alone() -> None:
    found = tseval.compare(wide(a=[0.1 + 0.2, 0.5], b=[0.3, 0.5]))
    assert found.contests[0].ties == 2
    assert found.contests[0].p == 1
    assert [s.rank for s in found.standings] == [1, 1]


SCORES = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, None])


@given(st.lists(st.lists(SCORES, min_size=5, max_size=5), min_size=2, max_size=4))
@settings(max_examples=40)
def test_every_pair_is_compared_over_the_topics_of_both(scores: list[list[float | None]]) -> None:
    runs = dict(zip("abcd", scores, strict=False))
    plan = Plan(resamples=100)
    found = tseval.compare(wide(**runs), undefined="skip", resamples=plan.resamples)
    for a, b in combinations(runs, 2):
        both = [(x, y) for x, y in zip(runs[a], runs[b], strict=True) if None not in (x, y)]
        taking_part = all(any(x is not None for x in runs[run]) for run in (a, b))
        if not taking_part:
            continue
        pair = found.contest("R", a, b)
        differences = [x - y for x, y in both]  # type: ignore[operator]
        assert pair.topics == len(both)
        assert pair.wins == sum(d > 0 for d in differences)
        assert pair.losses == sum(d < 0 for d in differences)
        assert pair.difference == (pytest.approx(slow.mean(differences)) if both else None)
        assert pair.p == (pytest.approx(slow.randomisation(differences)) if both else None)
    for each in found.standings:
        known = [x for x in runs[each.run] if x is not None]
        assert each.mean == pytest.approx(slow.mean(known))


def test_all_comparisons_are_one_family_unless_each_measure_is_its_own() -> None:
    two = pd.concat([wide("R", **ABOVE), wide("P", **ABOVE)])
    pair = tseval.compare(two).contest("R", "a", "b")
    assert pair.adjusted == pytest.approx(2 * 2 / 2**8)
    assert tseval.compare(two, family="measure").contest("R", "a", "b").adjusted == pair.p
    assert tseval.compare(two, "R").contest("R", "a", "b").adjusted == pair.p


def test_with_a_baseline_only_its_pairs_are_compared() -> None:
    runs = ABOVE | {"c": [0.4] * 8}
    found = tseval.compare(wide(**runs), baseline="b")
    assert [(c.run, c.other) for c in found.contests] == [("a", "b"), ("c", "b")]
    assert set(found.letters("R").values()) == {None}
    with pytest.raises(UsageError, match=r"^runs 'a' and 'c' were not compared by R"):
        found.contest("R", "a", "c")
    with pytest.raises(UsageError, match=r"^no run 'x' here; there are: a, b, c"):
        tseval.compare(wide(**runs), baseline="x")


def test_one_run_alone_has_a_mean() -> None:
    found = tseval.compare(wide(a=[0.1, 0.2, 0.4]))
    assert found.standings[0].mean == pytest.approx(0.7 / 3)
    assert found.letters("R") == {"a": "a"}
    assert found.warnings == ("R: there are no two runs to compare",)
    assert list(found.frame("pairs").columns[:3]) == ["measure", "run", "other"]
    assert len(found.frame("pairs")) == 0


CLEAR = {"a": 0.9, "b": 0.5, "c": 0.1, "d": 0.3}
"""Runs that differ on every topic."""


def clear(topics: int, runs: str = "abc", measures: str = "R") -> pd.DataFrame:
    """Scores of runs that are as far apart as scores can be."""
    return pd.concat(
        wide(name, **{run: [CLEAR[run] * (1 + 0.01 * t) for t in range(topics)] for run in runs})
        for name in measures.split()
    )


def test_few_topics_cannot_show_a_difference_and_nothing_looks_as_if() -> None:
    """Of 4 topics all signs agree by chance in 2 of 16 ways: p is .125 at the least."""
    found = tseval.compare(clear(4, measures="P R"))
    assert set(found.letters("R").values()) == {None}
    assert found.cannot_tell == dict.fromkeys("PR", "4 topics cannot show a difference at .05")
    assert found.warnings == (
        "4 topics cannot show a difference at .05, so there are no letters; remedies: "
        "8 topics | --test t, if differences are nearly normal",
    )
    assert next(iter(sections(found))) == (
        "P (higher is better): 4 topics cannot show a difference at .05"
    )
    assert "letters" not in sections(found)[next(iter(sections(found)))]
    told = json.loads(found.in_form("json"))["measures"]
    assert [each["cannot_tell"] for each in told] == [*found.cannot_tell.values()]
    assert "textsuperscript" not in found.in_form("latex").decode()
    one = tseval.compare(clear(1), test="t")
    assert one.cannot_tell == {"R": "1 topic cannot show a difference at .05"}
    apart = tseval.compare(wide(a=[0.5] * 8, b=[0.25] * 8), test="t")
    assert apart.cannot_tell == {
        "R": "differences that are the same on every topic cannot show a difference at .05 by "
        "this test"
    }
    power = discriminate(clear(4))
    assert power.warnings == (
        "4 topics cannot show a difference at .05, so the share is 0 whatever the scores",
    )
    assert discriminate(clear(6)).warnings == (
        "6 topics cannot show a difference at .05 among 3 comparisons, so the corrected share is "
        "0 whatever the scores",
    )


def test_letters_are_there_for_the_measures_that_can_have_some() -> None:
    found = tseval.compare(pd.concat([clear(9, "ab"), clear(4, "ab", "P")]), family="measure")
    assert found.letters("R") == {"a": "a", "b": "b"}
    assert found.letters("P") == {"a": None, "b": None}
    assert found.warnings[-1].startswith("P: 4 topics cannot show a difference at .05, so there")


def test_what_is_advised_helps() -> None:
    """Each cure, followed to the letter, finds differences where there were none; all are met."""
    met = set()
    for topics, runs, measures in [(4, "abc", "R"), (6, "abc", "R"), (7, "abcd", "P R V"),
                                   (8, "abcd", "P R V"), (6, "ab", "P R V")]:  # fmt: skip
        found = tseval.compare(clear(topics, runs, measures))
        assert len(found.warnings) == 1, (topics, runs, measures)
        assert not any(each.different for each in found.contests)
        for cure in found.warnings[0].partition("remedies: ")[2].split(" | "):
            given: dict[str, object] = {}
            more, names = topics, measures
            if cure.endswith(" topics"):
                more = int(cure.removesuffix(" topics"))
                fewer = tseval.compare(clear(more - 1, runs, measures))
                assert fewer.cannot_tell
            if "-m" in cure.split()[-1]:
                names = measures.split()[0]
            words = dict(zip(cure.split(), [*cure.split()[1:], ""], strict=True))
            given |= {"baseline": "a"} if "--baseline" in words else {}
            for name in ("test", "correction", "family"):
                if f"--{name}" in words:
                    given[name] = words[f"--{name}"].rstrip(",")
            after = tseval.compare(clear(more, runs, names), **given)  # type: ignore[arg-type]
            assert not after.cannot_tell, cure
            assert any(each.different for each in after.contests), cure
            met.add(cure.rstrip("0123456789").split()[-1] if "-" in cure else "topics")
    assert len(met) >= 5


def test_many_runs_are_drawn_as_often_as_the_correction_asks() -> None:
    """With 30 runs and two measures 870 pairs ask for p below .0000575: 10,000 draws can't."""
    rng = np.random.default_rng(0)
    rows = pd.concat(
        wide(name, **{f"r{r}": (0.5 * r + rng.random(25)).tolist() for r in range(30)})
        for name in ("P", "R")
    )
    found = tseval.compare(rows, alpha=0.05)
    assert not found.cannot_tell
    assert sum(each.different for each in found.contests) > 700
    assert min(each.p or 1 for each in found.contests) < 0.05 / 870
    assert len(set(found.letters("R").values())) > 10
    assert found.warnings == ()


def test_where_even_the_most_draws_are_too_few_there_are_no_letters() -> None:
    rows = clear(30, "ab")
    found = tseval.compare(rows, alpha=1e-7)
    assert found.cannot_tell == {"R": "1,000,000 draws cannot show a difference at 1e-07"}
    assert found.warnings[0].endswith(
        "no letters; remedies: --test t, if differences are nearly normal"
    )


# What is missing


def test_a_topic_without_a_score_counts_as_zero_where_zero_is_the_worst() -> None:
    rows = [("a", "t1", "R", 0.5), ("a", "t2", "R", 0.7), ("b", "t1", "R", 0.5)]
    zero = tseval.compare(frame(*rows))
    assert zero.contests[0].topics == 2
    assert zero.standings[1].mean == 0.25
    assert zero.warnings[0] == "run b: R has no score in 1 topic (t2): counted as 0"
    skip = tseval.compare(frame(*rows), on_missing="skip")
    assert skip.contests[0].topics == 1
    assert skip.warnings[0] == "run b: R has no score in 1 topic (t2): left out"
    with pytest.raises(MissingTopics, match=r"^run b: R has no score in 1 topic \(t2\)"):
        tseval.compare(frame(*rows), on_missing="error")


def test_scores_that_were_made_by_skipping_stay_so(tmp_path: Path) -> None:
    runs, gold = [SWIFT, THOROUGH], NUGGETS
    scores = tseval.score(runs, gold, measures="R", on_missing="skip")
    scores.save(tmp_path / "s.json")
    for given_scores in (scores, tmp_path / "s.json"):
        found = tseval.compare(given_scores)
        assert found.contests[0].topics == 2
        assert "|missing:skip|" in found.signature.partition(")|")[2]
        assert found.warnings[0] == "run swift: R has no score in 1 topic (mine): left out"
    assert tseval.compare(scores, on_missing="zero").contests[0].topics == 3
    scores.save(tmp_path / "s.csv")
    assert tseval.compare(tmp_path / "s.csv").contests[0].topics == 3
    assert Treatment().made_for(["a|missing:skip|b", "missing:zero"]).on_missing == "zero"


@pytest.mark.parametrize("rows", [("V", 0.5), ("T", -0.5)])
def test_elsewhere_it_is_left_out(rows: tuple[str, float]) -> None:
    name, value = rows
    given_rows = [("a", "t1", name, value), ("a", "t2", name, 0.7), ("b", "t1", name, 0.5)]
    found = tseval.compare(frame(*given_rows))
    assert found.contests[0].topics == 1
    assert found.warnings[0] == f"run b: {name} has no score in 1 topic (t2): left out"


def test_an_undefined_score_is_left_out_or_zero() -> None:
    rows = wide(a=[0.5, 0.5, 0.7], b=[0.5, 0.5, None])
    skip = tseval.compare(rows)
    assert skip.contests[0].topics == 2
    assert skip.warnings[0] == "run b: R undefined in 1 topic (t2): left out"
    zero = tseval.compare(rows, undefined="zero")
    assert zero.contests[0].topics == 3
    assert zero.warnings[0] == "run b: R undefined in 1 topic (t2): counted as 0"


def test_a_run_without_a_measure_takes_no_part_in_it() -> None:
    found = tseval.compare(frame(("a", "t", "R", 0.5), ("a", "t", "P", 1.0), ("b", "t", "R", 0.1)))
    assert [s.run for s in found.standings if s.measure == "P"] == ["a"]
    assert "run b: no scores of P, not compared by it" in found.warnings


# Measures


def test_directions_come_from_the_name_alone() -> None:
    assert higher_is_better("R@6h") is True
    assert higher_is_better("latency") is False
    assert higher_is_better("VT(attribute=deaths)") is False
    assert higher_is_better("ndcg") is None
    found = tseval.compare(wide("ndcg", **ABOVE))
    assert found.warnings == (
        "ndcg: no measure of this name has a known direction; higher is taken to be better "
        "(--lower-is-better NAME says otherwise)",
    )
    against = tseval.compare(wide("R", **ABOVE), lower_is_better=["R"])
    assert against.warnings == ("R: lower is taken to be better, against the measure's definition",)
    with pytest.raises(UsageError, match=r"^measure R cannot be better both lower and higher"):
        tseval.compare(wide(**ABOVE), lower_is_better=["R"], higher_is_better=["R"])


def test_a_direction_may_be_told_as_a_measure_may_be_named() -> None:
    """By an official title, or with blanks; of a measure that one of two boards has, or none."""
    for name, told in (("T(g=sign)", "T( g = sign )"), ("EG", "E[Gain]")):
        found = tseval.compare(wide(name, **ABOVE), lower_is_better=[told])
        assert found.higher == {name: False}, told
    one, two = wide("ndcg", **ABOVE), wide("err", **ABOVE)
    assert correlate(one, two, treatment=Treatment(lower=("ndcg",), higher=("err",)))
    with pytest.raises(UsageError, match=r"^no measure 'er' here; there are: ndcg, err"):
        correlate(one, two, treatment=Treatment(higher=("ndcg", "er")))


def test_measures_have_an_order_of_their_own() -> None:
    assert in_order(["zzz", "latency", "nEG", "R@2h", "R", "P", "m10", "m9"]) == [
        "P",
        "R",
        "R@2h",
        "nEG",
        "latency",
        "m9",
        "m10",
        "zzz",
    ]


def test_measures_are_chosen_by_name_by_spelling_and_by_title() -> None:
    present = ["T(unit=min)@6h", "nEG", "a measure"]
    assert (
        choose_measures(["T( unit = min )@6h, nE[Gain]", "a measure"], present)
        == present[:1] + present[1:]
    )
    with pytest.raises(UsageError, match=r"^no measure 'R' here; there are: T\(unit=min\)@6h,"):
        choose_measures(["R"], present)
    with pytest.raises(UsageError, match=r"^no measure is named"):
        choose_measures([" "], present)


# What may not change a thing


@given(st.permutations(range(24)), st.integers(1, 3))
@settings(max_examples=15, deadline=None)
def test_the_order_of_rows_and_files_changes_no_byte(order: list[int], files: int) -> None:
    rng = np.random.default_rng(0)
    rows = [
        (run, f"t{t}", name, float(rng.random()))
        for run in ("a", "b10", "b9")
        for t in range(4)
        for name in ("R", "latency")
    ]
    plain = tseval.compare(frame(*rows), resamples=200)
    parts = [frame(*(rows[at] for at in order[i::files])) for i in range(files)]
    shuffled = tseval.compare(parts, resamples=200)
    for form in ("csv", "latex", "tsv"):
        assert shuffled.in_form(form) == plain.in_form(form)
    assert [*sections(shuffled)] == [*sections(plain)]


@pytest.mark.parametrize("test", ["randomisation", "bootstrap", "t", "wilcoxon"])
def test_a_pair_hangs_on_no_other_run(test: str) -> None:
    rng = np.random.default_rng(1)
    runs = {name: rng.random(30).tolist() for name in "abcd"}
    alone = tseval.compare(wide(a=runs["a"], c=runs["c"]), test=test, resamples=500)
    among = tseval.compare(wide(**runs), test=test, resamples=500)
    one, other = (found.contest("R", "a", "c") for found in (alone, among))
    assert one._replace(adjusted=None) == other._replace(
        adjusted=None, different=one.different, better=one.better
    )


def test_the_draws_follow_the_names_of_the_topics() -> None:
    rng = np.random.default_rng(1)
    rows = wide(a=rng.random(30).tolist(), b=rng.random(30).tolist())
    renamed = rows.assign(topic="x" + rows["topic"])
    for test in ("randomisation", "bootstrap"):
        one, other = (tseval.compare(each, test=test).contests[0] for each in (rows, renamed))
        assert one.p != other.p
        assert (one.low, one.high) != (other.low, other.high)
        assert one.p == pytest.approx(other.p, abs=0.03)


def test_the_seed_changes_what_is_drawn() -> None:
    rng = np.random.default_rng(1)
    runs = wide(a=rng.random(30).tolist(), b=rng.random(30).tolist())
    first, again, other = (tseval.compare(runs, seed=seed, resamples=300) for seed in (0, 0, -1))
    assert first.contests == again.contests
    assert first.contests[0].p != other.contests[0].p
    assert first.signature != other.signature


def test_scores_in_memory_are_those_of_the_file(tmp_path: Path) -> None:
    scores = tseval.score(
        [SWIFT, THOROUGH],
        NUGGETS,
        matches=MATCHES,
    )
    scores.save(tmp_path / "s.json")
    held, read = tseval.compare(scores), tseval.compare(tmp_path / "s.json")
    assert held.contests == read.contests
    assert held.signature == read.signature
    assert "of:(tseval:" in held.signature


def test_scores_of_different_making_are_told(tmp_path: Path) -> None:
    for name, run, matcher in (("swift", SWIFT, "fuzzy"), ("thorough", THOROUGH, "exact")):
        tseval.score(run, NUGGETS, matcher=matcher, measures="R").save(tmp_path / f"{name}.json")
    found = tseval.compare([tmp_path / "swift.json", tmp_path / "thorough.json"])
    assert found.warnings[0] == (
        "the scores have different signatures: matcher:exact(contained=false,threshold=1), "
        "matcher:fuzzy(word=80,threshold=0.55)"
    )


def test_undefined_topics_that_the_scores_count_are_told(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    tseval.score([SWIFT, THOROUGH], NUGGETS, measures="P", undefined="zero").save(path)
    told = "the scores count topics where a measure is undefined as 0, which are left out here"
    assert told in " ".join(tseval.compare(path).warnings)
    assert told not in " ".join(tseval.compare(path, undefined="zero").warnings)
    tseval.score([SWIFT, THOROUGH], NUGGETS, measures="P").save(path)
    assert told not in " ".join(tseval.compare(path).warnings)


def test_scores_that_do_not_tell_how_they_were_made_lend_no_signature(tmp_path: Path) -> None:
    """A CSV by another matcher must not pass for one by the matcher of the JSON beside it."""
    paths = tmp_path / "swift.json", tmp_path / "thorough.csv", tmp_path / "more.csv"
    tseval.score(SWIFT, NUGGETS, measures="R").save(paths[0])
    tseval.score(THOROUGH, NUGGETS, matcher="exact", measures="R").save(paths[1], per_topic=True)
    paths[2].write_text(paths[1].read_text().replace("thorough", "more"))
    found = tseval.compare(paths)
    assert found.warnings[0] == (
        f"without a signature, so perhaps made by other rules: {paths[1]}, {paths[2]}; "
        "-o FILE.json writes one with the scores"
    )
    assert "of:" not in found.signature
    assert not any("signature" in warning for warning in tseval.compare(paths[1:]).warnings)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"test": "sign"}, "test cannot be 'sign': choose one of randomisation, bootstrap, t, wil"),
        ({"correction": "x"}, "correction cannot be 'x': choose one of holm, bonferroni, bh, none"),
        ({"family": "x"}, "family cannot be 'x'"),
        ({"interval": "x"}, "interval cannot be 'x'"),
        ({"on_missing": "x"}, "on_missing cannot be 'x'"),
        ({"undefined": "x"}, "undefined cannot be 'x'"),
        ({"alpha": 1.0}, "alpha has to lie between 0 and 1, and 1 does not"),
        ({"resamples": 99}, "resamples cannot be 99: give a number from 100 to 1000000"),
        ({"resamples": 2_000_000}, "resamples cannot be 2000000: give a number from 100 to"),
        ({"measures": "P"}, "no measure 'P' here; there are: R"),
    ],
)
def test_what_has_no_meaning_is_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        tseval.compare(wide(**ABOVE), **wrong)  # type: ignore[arg-type]
    assert message in str(caught.value)


# What is written


def test_the_forms_hold_every_part(tmp_path: Path) -> None:
    found = tseval.compare(wide(**ABOVE))
    found.save(tmp_path / "c.csv")
    read = pd.read_csv(tmp_path / "c.csv")
    assert read["part"].tolist() == ["means", "means", "pairs"]
    assert read["wins"].dropna().tolist() == [8]
    assert "8.0" not in (tmp_path / "c.csv").read_text().splitlines()[3].split(",")
    found.save(tmp_path / "c.json")
    content = json.loads((tmp_path / "c.json").read_text())
    assert list(content) == [
        "signature", "version", "inputs", "measures", "means", "pairs", "warnings",
    ]  # fmt: skip
    assert content["pairs"][0]["p"] == found.contests[0].p
    assert content["measures"] == [{"measure": "R", "higher_is_better": True}]
    found.save(tmp_path / "c.parquet")
    stored = pd.read_parquet(tmp_path / "c.parquet")
    assert stored["mean"].dropna().tolist() == [s.mean for s in found.standings]
    with pytest.raises(UsageError, match=r"^'xls' is none of the forms that this has: tsv, csv,"):
        found.save(tmp_path / "c.xls")
    with pytest.raises(UsageError, match=r"^no part 'x' here; there are: means, pairs"):
        found.frame("x")


def test_latex_has_what_it_needs_and_nothing_else() -> None:
    found = tseval.compare(pd.concat([wide("R", **ABOVE), wide("V", a_b=[1.0] * 8)]))
    text = found.in_form("latex").decode()
    first, comment, *rest = text.splitlines()
    assert first == r"\begin{tabular}{lrr}"
    assert comment == f"% {found.signature}"
    assert rest[:3] == [r"\toprule", r"Run & R $\uparrow$ & V $\downarrow$ \\", r"\midrule"]
    assert rest[3:] == [
        r"a & \textbf{0.6000}\textsuperscript{a} & -- \\",
        r"b & 0.1875\textsuperscript{b} & -- \\",
        r"a\_b & -- & \textbf{1.0000}\textsuperscript{a} \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    starred = tseval.compare(wide(**ABOVE), baseline="b").in_form("latex").decode()
    assert r"a & \textbf{0.6000}\textsuperscript{*} & [" in starred
    assert escaped(r"50% of A&B_{x}$#^~\<") == (
        r"50\% of A\&B\_\{x\}\$\#\textasciicircum{}\textasciitilde{}\textbackslash{}\textless{}"
    )
    assert escaped("[a]|*\n\n b") == "{}[a]|* b"
    assert [escaped(name) for name in ("* a", " [", "a*")] == ["{}* a", "{}[", "a*"]


def test_people_see_pairs_of_few_runs_and_letters_of_many() -> None:
    rng = np.random.default_rng(0)
    few = {f"r{i}": rng.random(6).tolist() for i in range(8)}
    shown = sections(tseval.compare(wide(**few), resamples=200))
    assert [len(part) for part in shown.values()] == [8, 28]
    shown = sections(tseval.compare(wide(**few, r8=[0.5] * 6), resamples=200))
    assert [len(part) for part in shown.values()] == [9]
    shown = sections(tseval.compare(wide(**few, r8=[0.5] * 6), baseline="r8", resamples=200))
    assert [len(part) for part in shown.values()] == [9, 8]
    assert "letters" not in next(iter(shown.values()))


# Rank correlation


def test_rank_correlations_of_two_sets_of_scores() -> None:
    ours = wide(a=[0.9, 0.1], b=[0.5, 0.4], c=[0.1, 0.3])
    theirs = wide(a=[0.8, 0.2], b=[0.6, 0.6], c=[0.2, 0.7])
    found = correlate(ours, theirs, plan=Plan(resamples=200))
    values = {(c.level, c.coefficient): c.value for c in found.parts["correlations"].rows}
    assert len(values) == 9
    assert values["run means", "tau-b"] == pytest.approx(
        slow.tau_b([0.5, 0.45, 0.2], [0.5, 0.6, 0.45])
    )
    within = [
        slow.tau_ap([0.9, 0.5, 0.1], [0.8, 0.6, 0.2]),
        slow.tau_ap([0.1, 0.4, 0.3], [0.2, 0.6, 0.7]),
    ]
    assert values["within topics", "tau-AP"] == pytest.approx(slow.mean(within))
    assert values["all pairs", "RBO"] == pytest.approx(
        slow.rank_biased_overlap(
            [0.9, 0.1, 0.5, 0.4, 0.1, 0.3], [0.8, 0.2, 0.6, 0.6, 0.2, 0.7], 0.9
        )
    )


def test_a_measure_of_which_lower_is_better_ranks_the_other_way_round() -> None:
    up, down = wide("R", a=[0.9, 0.8], b=[0.5, 0.4]), wide("latency", a=[1, 2], b=[5, 4])
    found = correlate(up, down, plan=Plan(resamples=100))
    first = found.parts["correlations"].rows[0]
    assert (first.measure, first.other_measure, first.value) == ("R", "latency", 1)
    assert "R : latency" in next(iter(sections(found).values()))["measure"].tolist()


def test_all_measures_may_be_held_against_one() -> None:
    both = pd.concat([wide("R", a=[0.9, 0.8], b=[0.5, 0.4]), wide("P", a=[0.1, 0.2], b=[0.5, 0.4])])
    found = correlate(both, both, versus="R", plan=Plan(resamples=100))
    first = [row for row in found.parts["correlations"].rows if row.level == "run means"]
    assert [(r.measure, r.other_measure, r.value) for r in first if r.coefficient == "tau-b"] == [
        ("P", "R", -1),
        ("R", "R", 1),
    ]


def test_a_score_given_twice_is_refused() -> None:
    twice = [wide("nEG", **ABOVE), wide("nE[Gain]", **ABOVE)]
    with pytest.raises(UsageError, match=r"^the score of run 'a' on topic 't0' by nEG is given tw"):
        tseval.compare(twice)
    scores = tseval.score(SWIFT, NUGGETS, measures="R")
    with pytest.raises(
        UsageError, match=r"^the score of run 'swift' on topic 'ferry' by R is give"
    ):
        tseval.compare([scores, scores])


def test_what_cannot_be_held_against_each_other_is_refused() -> None:
    both = pd.concat([wide("R", **ABOVE), wide("P", **ABOVE)])
    with pytest.raises(UsageError, match=r"^no measure is in both: one side has P, R, the other V"):
        correlate(both, wide("V", **ABOVE))
    with pytest.raises(UsageError, match=r"^both sides need two runs or more"):
        correlate(wide(a=[0.1], b=[0.2]), wide(a=[0.1], c=[0.2]))
    with pytest.raises(UsageError, match=r"^the persistence has to lie between 0 and 1, not 1"):
        correlate(wide(**ABOVE), wide(**ABOVE), persistence=1)
    told = correlate(wide(**ABOVE, x=[0.1] * 8), wide(**ABOVE), plan=Plan(resamples=100)).warnings
    assert told == ("runs only in the scores, left out: x",)


# Power


def test_power_counts_pairs_and_takes_the_largest_chance_difference() -> None:
    rng = np.random.default_rng(3)
    runs = {
        name: (rng.random(9) * 0.3 + shift).tolist()
        for name, shift in zip("abc", (0, 0.1, 0.5), strict=True)
    }
    plan = Plan(resamples=500)
    row = discriminate(wide(**runs), plan=plan).parts["power"].rows[0]
    chances = [
        slow.randomisation([x - y for x, y in zip(runs[a], runs[b], strict=True)])
        for a, b in combinations(runs, 2)
    ]
    assert row.pairs == 3
    assert row.found == sum(p <= 0.05 for p in chances)
    assert row.found_corrected == sum(p <= 0.05 for p in slow.holm(chances))
    assert row.power == row.found / 3
    assert row.needed >= row.typical > 0


def test_the_most_powerful_measure_comes_first() -> None:
    weak = wide("R", a=[0.1, 0.5, 0.2, 0.9, 0.3, 0.4], b=[0.2, 0.4, 0.3, 0.8, 0.4, 0.3])
    strong = wide("P", a=[0.1, 0.5, 0.2, 0.9, 0.3, 0.4], b=[0.6, 0.9, 0.8, 1.8, 0.9, 0.9])
    found = discriminate(pd.concat([weak, strong]), plan=Plan(resamples=100))
    assert [row.measure for row in found.parts["power"].rows] == ["P", "R"]
    with pytest.raises(UsageError, match=r"^'latex' is none of the forms that this has"):
        found.in_form("latex")


# Leaving out

GOLD = pd.DataFrame(
    [("t", "n1", 0.0, "x", 2.0), ("t", "n2", 0.0, "y", 1.0), ("t", "n3", 0.0, "z", 1.0)],
    columns=["topic", "nugget_id", "time", "text", "importance"],
)
UPDATES = pd.DataFrame(
    [
        ("red-1", "t", "u1", 1, "one"),
        ("red-1", "t", "u2", 2, "two"),
        ("red-2", "t", "u2", 1, "two"),
        ("blue", "t", "u1", 1, "one"),
        ("blue", "t", "u3", 2, "three"),
        ("blue", "t", "u4", 3, "four"),
    ],
    columns=["run", "topic", "update_id", "time", "text"],
)
SAID = pd.DataFrame(
    [("t", "u1", "n1"), ("t", "u2", "n2"), ("t", "u3", "n3"), ("t", "u4", "n3")],
    columns=["topic", "update_id", "nugget_id"],
)


def scored_runs(inputs: TemporalInputs, measures: str = "R", **more: Any) -> ScoredRuns:
    return ScoredRuns(FAMILY, inputs, TemporalOptions(), measures=(measures,), **more)


def gold(**more: Any) -> ScoredRuns:
    return scored_runs(TemporalInputs([UPDATES], GOLD, SAID), **more)


def test_what_a_run_was_not_scored_on_is_left_out_with_gold() -> None:
    extra = pd.DataFrame([("s", "m1", 0.0, "w", 1.0)], columns=GOLD.columns)
    late = pd.DataFrame([("blue", "s", "u9", 1, "nine")], columns=UPDATES.columns)
    sources = TemporalInputs([pd.concat([UPDATES, late])], pd.concat([GOLD, extra]), SAID)
    scored = scored_runs(sources)
    board = scored.board_of(scored.evaluation(), Treatment())
    assert board.known.sum(axis=1).ravel().tolist() == [2, 2, 2]
    skipping = scored.board_of(scored.evaluation(), Treatment(on_missing="skip"))
    assert skipping.known.sum(axis=1).ravel().tolist() == [2, 1, 1]


def rows(found: Findings, part: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in found.parts[part].rows]


def test_leaving_a_run_out_takes_what_it_alone_had_sent() -> None:
    found = leave_out(gold(), "run", Treatment())
    before, after = [0.75, 0.75, 0.25], [0.5, 0.75, 0.25]
    tau = pytest.approx(slow.tau_b(before, after))
    # blue alone sent u3 and u4; red-1 alone nothing, for blue sent u1 and red-2 u2
    assert rows(found, "left_out") == [
        ("R", "blue", 1, 4, 2, 1, tau, pytest.approx(slow.tau_ap(before, after)), 1),
        ("R", "red-1", 1, 4, 0, 0, 1.0, 1.0, 0),
        ("R", "red-2", 1, 4, 0, 0, 1.0, 1.0, 0),
    ]
    moved = {row[2]: row[3:] for row in rows(found, "runs")}
    assert moved["blue"] == (0.75, 0.5, -0.25, 1, 2, -1)
    assert moved["red-1"] == (0.75, 0.75, 0.0, 1, 1, 0)


def test_leaving_a_team_out_takes_what_it_alone_had_sent_together() -> None:
    found = leave_out(gold(), "team", Treatment())
    assert [row[:6] for row in rows(found, "left_out")] == [
        ("R", "blue", 1, 4, 2, 1),
        ("R", "red", 2, 4, 1, 1),
    ]
    moved = {row[2]: row[3:5] for row in rows(found, "runs")}
    assert moved == {"blue": (0.75, 0.5), "red-1": (0.75, 0.5), "red-2": (0.25, 0.0)}
    same = leave_out(gold(), "team", Treatment(), teams={"red-1": "x", "red-2": "y"})
    assert [row[1] for row in rows(same, "left_out")] == ["blue", "x", "y"]
    told = leave_out(gold(), "team", Treatment(), teams={"green": "x"}).warnings
    assert told[-1] == "teams of runs that are not here: green"


def test_a_nugget_that_nobody_else_had_said_goes_only_if_the_rule_says_so() -> None:
    found = leave_out(gold(rules={"matched-nuggets-only": "yes"}), "run", Treatment())
    moved = {row[2]: row[3:5] for row in rows(found, "runs")}
    assert moved["blue"] == (0.75, pytest.approx(2 / 3))


def test_leaving_out_is_scoring_with_the_rest_of_the_matches() -> None:
    for run in ("blue", "red-1", "red-2"):
        others = set(UPDATES.loc[UPDATES.run != run, "update_id"])
        kept = SAID[SAID.update_id.isin(others)]
        expected = tseval.score(UPDATES, GOLD, kept, measures="R").value("R", run=run)
        found = leave_out(gold(), "run", Treatment())
        assert {row[2]: row[4] for row in rows(found, "runs")}[run] == pytest.approx(expected)


def test_a_duplicate_of_the_pool_that_another_run_sent_keeps_a_match() -> None:
    pool = pd.DataFrame(
        [("t", u, "u3" if u == "u1" else "NULL", u) for u in ("u1", "u2", "u3", "u4")],
        columns=["topic", "update_id", "duplicate_id", "text"],
    )
    pooled = scored_runs(TemporalInputs([UPDATES], GOLD, SAID, pool=pool), "C", edition="ts")
    found = leave_out(pooled, "run", Treatment())
    lost = {row[1]: row[4] for row in rows(found, "left_out")}
    # u1 repeats u3, so red-1 sent u3 too; u4 is blue's alone
    assert lost == {"blue": 1, "red-1": 0, "red-2": 0}


def test_what_cannot_be_left_out_is_refused() -> None:
    with pytest.raises(UsageError, match=r"^leaving runs out needs the matches of assessors"):
        leave_out(scored_runs(TemporalInputs([UPDATES], GOLD)), "run", Treatment())
    one = UPDATES[UPDATES.run == "blue"]
    kept = SAID[SAID.update_id != "u2"]
    with pytest.raises(UsageError, match=r"^leaving a run out needs at least two of them: blue"):
        leave_out(scored_runs(TemporalInputs([one], GOLD, kept)), "run", Treatment())


def test_judgments_of_a_family_that_declares_no_reading_of_them_stay() -> None:
    clusters = replace(gold(), family=family("clusters"), edition=None)
    with pytest.raises(UsageError, match=r"^no judgments of clusters can be left out"):
        leave_out(clusters, "run", Treatment())


def test_a_team_is_what_stands_before_the_first_mark() -> None:
    assert teams_of(["a-1", "a-2-x", "b", "-c"], "team") == {
        "-c": ["-c"],
        "a": ["a-1", "a-2-x"],
        "b": ["b"],
    }
    assert teams_of(["a-1", "b"], "team", {"b": "a"}) == {"a": ["a-1", "b"]}
    assert list(teams_of(["r10", "r9"], "run")) == ["r9", "r10"]
    with pytest.raises(UsageError, match=r"^left out cannot be 'topic': choose one of run, team"):
        teams_of([], "topic")


def test_a_board_may_be_read_once_and_asked_often() -> None:
    board = read_board(wide(**ABOVE))
    assert board.runs == ("a", "b")
    assert board.known.all()
    assert math.isclose(float(board.oriented("R")[0, 1]), 0.7)
    with pytest.raises(UsageError, match=r"^no scores are given"):
        read_board([])


def test_measures_that_no_run_has_a_value_of_are_no_trouble() -> None:
    """They have no pair of runs: none of them takes away from the pairs of the others."""
    rows = [(run, topic, "R", 0.1 * at) for at, run in enumerate("abc") for topic in "tu"]
    rows += [(run, topic, name, None) for run in "abc" for topic in "tu" for name in "vwxyz"]
    scores = pd.DataFrame(rows, columns=["run", "topic", "measure", "value"])
    found = tseval.compare(scores)
    assert {row.measure for row in found.parts["means"].rows} == {"R"}


@pytest.mark.parametrize("topics", [200, 300])
def test_draws_take_no_more_room_than_they_count(topics: int) -> None:
    """A byte each: no topic is drawn 256 times."""
    names = [f"t{at}" for at in range(topics)]
    draws = topic_draws(names, Plan(resamples=100))
    assert draws.nbytes == 100 * topics
    seed = bootstrap.seeded(Plan().seed, "topics", *names)
    assert np.array_equal(draws, bootstrap.resamples(topics, seed, 100))
