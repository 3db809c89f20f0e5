"""`tseval calibrate`: numbers that a person can check, profiles, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests import program
from tests.program import MATCHES, NUGGETS, SWIFT, THOROUGH

CALIBRATE = ("calibrate", SWIFT, THOROUGH, NUGGETS, MATCHES)

# Words without meaning, so that fuzzy scores are shares of equal weights. Assessors agree at
# n1 (score 1) and n2 (score 1/2); at n3 the matcher is wrong (score 1); n4 nobody finds.
POOL = """query_id\tupdate_id\tupdate_text
t1\tu1\tkuna lopi
t1\tu2\tkuna
t2\tu3\tbime soda
"""
GOLD = """topic\tnugget_id\ttime\ttext
t1\tn1\t1700000000\tkuna lopi
t1\tn2\t1700000000\tlopi rade
t2\tn3\t1700000000\tsoda
t2\tn4\t1700000000\tfeto
"""
SAID = """topic\tupdate_id\tnugget_id
t1\tu1\tn1
t1\tu1\tn2
t1\tunknown\tn1
"""


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    monkeypatch.chdir(tmp_path)
    for name, text in (("pool.tsv", POOL), ("nuggets.tsv", GOLD), ("matches.tsv", SAID)):
        Path(name).write_text(text)
    return "calibrate", "pool.tsv", "nuggets.tsv", "matches.tsv"


def told(*arguments: object) -> Any:
    outcome = program.tseval(*arguments, "-f", "json", "--quiet")
    assert (outcome.code, outcome.err) == (0, "")
    return json.loads(outcome.out)


REVIEW = """verdict,topic,update_id,nugget_id,update_text
accept,t1,u1,n1,kuna lopi
Yes,t1,u1,n2,kuna lopi
no,t1,u2,n1,kuna
,t2,u3,n4,bime soda
"""


class TestNumbers:
    def test_a_review_that_is_filled_in(self, small: tuple[str, ...]) -> None:
        Path("review.csv").write_text(REVIEW)
        asked = (*small[:3], "review.csv", "--matcher", "fuzzy")
        assert told(*asked)["records"] == told(*small, "--matcher", "fuzzy")["records"]
        assert "1 pair of the review without a verdict: no match" in program.tseval(*asked).err
        Path("review.csv").write_text(REVIEW.replace("accept", "maybe"))
        assert program.tseval(*asked).codes == [("unknown-label", 2)]

    def test_by_hand(self, small: tuple[str, ...]) -> None:
        (found,) = told(*small, "--matcher", "fuzzy")["records"]
        # Weights: lopi is in two of four nuggets, kuna in one. Pairs of t1: u1-n1 1 (true),
        # u1-n2 lopi of lopi rade (true), u2-n1 kuna of kuna lopi, u2-n2 0. Of t2: 1 and 0.
        lopi, rare = (math.log(5 / (1 + df)) + 1 for df in (2, 1))
        half, more = lopi / (lopi + rare), rare / (lopi + rare)
        assert found["matcher"] == "fuzzy(word=80)"
        # Of the others, one ties with the best true pair, one lies above the other true pair.
        assert half < more < 1
        assert found["AUC"]["value"] == pytest.approx((3.5 + 2) / 8)
        assert found["AP"]["value"] == pytest.approx((1 / 2 + 2 / 4) / 2)
        at = {point["threshold"]: point for point in found["curve"]}
        assert at[1.0]["precision"] == at[1.0]["recall"] == at[1.0]["F1"] == 0.5
        assert at[1.0]["kappa"] == pytest.approx(0.25)
        assert at[0.01]["F1"] == pytest.approx(2 * 2 / (2 + 4))
        assert found["threshold"]["value"] == pytest.approx(0.01)
        assert found["calibrated"] == "fuzzy(word=80,threshold=0.01)"
        assert found["nuggets"] == {"both": 2, "matcher only": 1, "assessors only": 0, "neither": 1}
        assert found["tau"] == {}
        wrong = [(p["says"], p["update_id"], p["nugget_id"]) for p in found["disagreements"]]
        assert wrong == [("matcher", "u3", "n3"), ("matcher", "u2", "n1")]
        assert found["disagreements"][0]["found"] == "soda"

    def test_unknown_updates_are_left_out_with_a_word(self, small: tuple[str, ...]) -> None:
        outcome = program.tseval(*small)
        assert outcome.code == 0
        assert outcome.err == (
            "warning: 1 row of matches with unknown updates or nuggets left out\n"
        )

    def test_updates_without_text_are_told(self, small: tuple[str, ...]) -> None:
        Path("pool.tsv").write_text(f"{POOL}t2\tu4\t\n")
        outcome = program.tseval(*small)
        assert outcome.err.endswith("warning: 1 update without text cannot be matched\n")

    def test_updates_that_repeat_another_are_left_out(self, small: tuple[str, ...]) -> None:
        expected = told(*small)["records"]
        head, *rows = POOL.splitlines()
        lines = [
            f"{head}\tduplicate_id",
            *(f"{row}\t{none}" for row, none in zip(rows, ("NULL", "", "NULL"), strict=True)),
        ]
        Path("pool.tsv").write_text("\n".join([*lines, "t1\tu4\tkuna lopi\tu1", ""]))
        with Path("matches.tsv").open("a") as said:
            said.write("t1\tu4\tn2\n")
        outcome = program.tseval(*small)
        assert outcome.err == (
            "warning: 1 row of matches with unknown updates or nuggets left out\n"
            "warning: 1 update left out that repeats another (duplicate_id): assessors judged "
            "the other\n"
        )
        assert told(*small)["records"] == expected

    def test_topics_are_the_same_without_their_prefix(self, small: tuple[str, ...]) -> None:
        expected = told(*small)
        Path("pool.tsv").write_text(POOL.replace("\nt", "\nTS13.t"))
        Path("matches.tsv").write_text(SAID.replace("\nt", "\nTS13.t"))
        assert told(*small)["records"] == expected["records"]

    def test_runs_of_the_track_have_nothing_to_match(self, small: tuple[str, ...]) -> None:
        Path("pool.tsv").write_text("t1 team one 100-a 1 100 0.5\n")
        Path("matches.tsv").write_text(SAID.replace("u1", "100-a-1"))
        outcome = program.tseval(*small)
        assert outcome.code == 2
        assert outcome.err == (
            "error: no update has a text, as in runs of the track: "
            "give the pool of updates that assessors saw\n"
        )

    def test_runs_are_ranked_at_three_levels(self) -> None:
        (found,) = told(*CALIBRATE)["records"]
        assert {level: tau["value"] for level, tau in found["tau"].items()} == {
            "run means": 1,
            "within topics": 1,
            "all pairs": 1,
        }

    def test_missed_pairs_are_told_with_their_evidence(self, small: tuple[str, ...]) -> None:
        (found,) = told(*small, "--matcher", "exact")["records"]
        missed = [pair for pair in found["disagreements"] if pair["says"] == "assessors"]
        assert [(pair["nugget_id"], pair["score"]) for pair in missed] == [("n2", 0.0)]
        assert (missed[0]["found"], missed[0]["missing"]) == ("lopi", "rade")

    def test_an_update_of_several_runs_counts_once(self, small: tuple[str, ...]) -> None:
        Path("twice.tsv").write_text(
            POOL.replace("query_id", "run\tquery_id").replace("\nt", "\na\tt")
            + POOL.partition("\n")[2].replace("t1", "b\tt1").replace("t2", "b\tt2")
        )
        (once,) = told(*small)["records"]
        (twice,) = told("calibrate", "twice.tsv", *small[2:])["records"]
        assert twice["curve"] == once["curve"]

    def test_the_same_seed_gives_the_same_bytes(self) -> None:
        outcomes = [program.tseval(*CALIBRATE, "--seed", seed).output for seed in (1, 1, 2)]
        assert outcomes[0] == outcomes[1] != outcomes[2]


class TestForms:
    def test_csv_is_tidy(self) -> None:
        outcome = program.tseval(
            *CALIBRATE, "-f", "csv", "--matcher", "exact", "--matcher", "fuzzy"
        )
        rows = list(csv.DictReader(io.StringIO(outcome.out)))
        assert list(rows[0]) == [
            "matcher",
            "statistic",
            "topic",
            "threshold",
            "value",
            "low",
            "high",
        ]
        assert {row["matcher"] for row in rows} == {"exact(contained=false)", "fuzzy(word=80)"}
        precise = [row for row in rows if row["statistic"] == "precision"]
        assert len(precise) == 2 * 101

    def test_the_table_has_every_section_and_the_signature(self) -> None:
        out = program.tseval(*CALIBRATE).out
        assert "|matcher:learned(weights=" in out
        out = program.tseval(*CALIBRATE, "--matcher", "fuzzy").out
        for heading in ("Agreement over all pairs", "By threshold", "Nuggets found", "Rank corr"):
            assert heading in out
        assert "|matcher:fuzzy(word=80)|updates:sha256:" in out
        assert out.rstrip().endswith("|seed:0")

    def test_the_chart(self, tmp_path: Path) -> None:
        pytest.importorskip("vl_convert")
        for suffix in ("svg", "html", "png"):
            file = tmp_path / f"chart.{suffix}"
            several = ("--matcher", "fuzzy", "--matcher", "grams", "--matcher", "exact")
            assert program.tseval(*CALIBRATE, *several, "-o", file).code == 0
            assert file.stat().st_size > 5000
        drawn = (tmp_path / "chart.svg").read_text()
        ElementTree.fromstring(drawn)
        for words in ("precision", "recall", "F1", "kappa", "fuzzy(word=80)", "best F1 0."):
            assert words in drawn


class TestProfiles:
    @pytest.fixture
    def profile(self, tmp_path: Path) -> Path:
        file = tmp_path / "profile.json"
        assert program.tseval(*CALIBRATE, "--matcher", "grams(n=3)", "--save", file).code == 0
        return file

    def test_other_commands_take_them(self, profile: Path) -> None:
        name = json.loads(profile.read_text())["matcher"]
        assert name.startswith("grams(n=3,threshold=0.")
        for command in ("score", "match"):
            by_profile = program.tseval(command, SWIFT, NUGGETS, "--matcher", profile, "--quiet")
            by_name = program.tseval(command, SWIFT, NUGGETS, "--matcher", name, "--quiet")
            assert by_profile.code == 0
            assert by_profile.output == by_name.output
        curve = program.tseval("curve", SWIFT, NUGGETS, "--matcher", profile, "--quiet")
        assert curve.code == 0

    def test_a_threshold_beside_it_wins(self, profile: Path) -> None:
        out = program.tseval(
            "score", SWIFT, NUGGETS, "--matcher", profile, "--threshold", "0.9", "--quiet"
        ).out
        assert "matcher:grams(n=3,threshold=0.9)" in out

    def test_the_best_of_several_is_kept(self, tmp_path: Path) -> None:
        file = tmp_path / "best.json"
        several = ("--matcher", "exact", "--matcher", "fuzzy", "--save", file)
        assert program.tseval(*CALIBRATE, *several).code == 0
        kept = json.loads(file.read_text())
        assert kept["matcher"].startswith("fuzzy(")
        assert kept["measured"]["F1"]["low"] <= kept["measured"]["F1"]["value"]

    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            ("{", "not JSON: "),
            ("[]", 'names no "matcher"'),
            ('{"matcher": 3}', 'names no "matcher"'),
            ('{"matcher": "other.json"}', 'names no "matcher"'),
            ('{"matcher": "fuzy"}', "unknown matcher 'fuzy'"),
        ],
    )
    def test_what_is_no_profile(self, content: str, reason: str, tmp_path: Path) -> None:
        (tmp_path / "p.json").write_text(content)
        outcome = program.tseval("score", SWIFT, NUGGETS, "--matcher", tmp_path / "p.json")
        assert outcome.code in (1, 2)
        assert reason in outcome.err

    def test_a_profile_that_is_not_there(self) -> None:
        outcome = program.tseval("score", SWIFT, NUGGETS, "--matcher", "none.json")
        assert outcome.code == 1
        assert "none.json: no such file" in outcome.err


class TestRefused:
    def test_too_few_files(self) -> None:
        outcome = program.tseval("calibrate", NUGGETS, MATCHES)
        assert outcome.code == 2

    def test_matches_of_other_updates(self, small: tuple[str, ...]) -> None:
        Path("matches.tsv").write_text("topic\tupdate_id\tnugget_id\nt1\tother\tn1\n")
        outcome = program.tseval(*small)
        assert outcome.code == 2
        assert "no match is left" in outcome.err

    def test_a_matcher_without_scores(self) -> None:
        outcome = program.tseval(*CALIBRATE, "--matcher", "assessed")
        assert (outcome.code, outcome.err) == (2, "error: assessed has no threshold\n")

    def test_a_profile_s_name(self) -> None:
        assert program.tseval(*CALIBRATE, "--save", "profile.txt").code == 2


@pytest.mark.parametrize("runs", [("one.csv", "two.csv"), ("two.csv", "one.csv")])
@pytest.mark.usefixtures("small")
def test_runs_that_number_their_updates_alike_are_kept_apart(runs: tuple[str, str]) -> None:
    """Update 1 of one run says n1, that of the other says nothing, in whichever order."""
    for name, text in (("one", "kuna lopi"), ("two", "bime soda")):
        Path(f"{name}.csv").write_text(f"topic,update_id,text\nt1,1,{text}\n")
    rows = "accept,t1,1,n1,one,kuna lopi\nreject,t1,1,n1,two,bime soda\n"
    Path("review.csv").write_text("verdict,topic,update_id,nugget_id,run,update_text\n" + rows)
    outcome = program.tseval("calibrate", *runs, "nuggets.tsv", "review.csv", "--matcher", "fuzzy")
    table = outcome.out.splitlines()
    (perfect,) = [line for line in table if " fuzzy(word=80)   1.000 –" in line]  # one topic
    assert perfect.count("1.000 –") >= 2


def test_a_pool_that_repeats_an_update_counts_it_once(small: tuple[str, ...]) -> None:
    (once,) = told(*small)["records"]
    Path("pool.tsv").write_text(POOL + "t1\tu1\tkuna lopi\n")
    (twice,) = told(*small)["records"]
    assert twice["curve"] == once["curve"]
