"""Facts that change: by hand, by the slow twin, in every way of reading, and what is refused."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings

import tseval
from tests import strategies as st
from tests.oracles import close
from tests.oracles import stale as slow
from tests.program import FIXTURES, faulty, warn_of
from tests.program import tseval as program

pytestmark = pytest.mark.small_times

HOUR = 3600
MEASURES = "stale catch-up"
GOLD = (
    "topic,nugget_id,time,text,until,replaced_by\n"
    "quake,n1,32400,Two are hurt,,n2\n"
    "quake,n2,43200,Five are hurt,,\n"
    "quake,n3,32400,The road is closed,54000,\n"
)
RUN = (
    "topic,update_id,time,text\n"
    "quake,u1,34200,Two are hurt\n"
    "quake,u2,46800,Two are hurt\n"
    "quake,u3,52200,Five are hurt\n"
    "quake,u4,54000,The road is closed\n"
    "quake,u5,57600,The road is closed\n"
)


def table(text: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text))


def scored(nuggets: pd.DataFrame, run: str = RUN, measures: str = MEASURES) -> tseval.Scores:
    return tseval.score(table(run), nuggets, matcher="exact", measures=measures)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A run and a gold with facts that change."""
    run, gold = tmp_path / "system.tsv", tmp_path / "gold.csv"
    run.write_text(RUN.replace(",", "\t"), encoding="utf-8")
    gold.write_text(GOLD, encoding="utf-8")
    return run, gold


class TestByHand:
    """Two hurt until noon, then five; the road is closed until three."""

    def test_updates_after_the_end_are_stale(self) -> None:
        """u2 is an hour late, u5 too; u4 comes at the end itself, so 2 of 5, and 1 of 2 at 2 pm."""
        scores = scored(table(GOLD), measures="stale stale@5h stale@30m")
        values = [scores.value(name) for name in ("stale", "stale@5h", "stale@30m")]
        assert values == [0.4, 0.5, None]

    def test_a_change_is_caught_up_with(self) -> None:
        """Five are hurt at 12:00, the run says so at 14:30."""
        scores = scored(table(GOLD), measures="catch-up catch-up@5h")
        assert [scores.value(name) for name in ("catch-up", "catch-up@5h")] == [2.5, None]

    def test_the_end_that_is_given_goes_before_the_time_of_the_change(self) -> None:
        """Until 13:00: then u2 is in time, and u3 an hour and a half late."""
        gold = table(GOLD.replace("hurt,,n2", "hurt,46800,n2"))
        assert [scored(gold).value(name) for name in MEASURES.split()] == [0.2, 1.5]

    def test_a_change_that_is_said_ahead_counts_0(self) -> None:
        gold = table(GOLD.replace("hurt,,n2", "hurt,60000,n2"))
        assert scored(gold).value("catch-up") == 0

    def test_other_measures_do_not_change(self) -> None:
        others = "P R Rs T F EG C V"
        plain = scored(table(GOLD).iloc[:, :4], measures=others)
        assert scored(table(GOLD), measures=others).frame().equals(plain.frame())

    def test_explanations_name_what_is_stale(self) -> None:
        def explained(gold: pd.DataFrame, what: str) -> pd.DataFrame:
            return tseval.explain(table(RUN), gold, matcher="exact", what=what)

        ended = table(GOLD)
        updates, nuggets = (explained(ended, what) for what in ("updates", "nuggets"))
        assert updates["stale"].tolist() == ["", "n1", "", "", "n3"]
        assert dict(zip(nuggets["nugget_id"], nuggets["stale"], strict=True)) == {
            "n1": 1,
            "n2": 0,
            "n3": 1,
        }
        without = ended.iloc[:, :4]
        for what, shown in (("updates", updates), ("nuggets", nuggets)):
            assert explained(without, what).equals(shown.drop(columns="stale"))


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[slow.Update], list[slow.Nugget]]:
    """A topic with ties, chains, branches, and facts that end without a next."""
    times = [draw(st.integers(0, 6)) for _ in range(draw(st.integers(1, 5)))]
    names = [f"n{at}" for at in range(len(times))]
    nuggets = []
    for name, time in zip(names, times, strict=True):
        later = [n for n, t in zip(names, times, strict=True) if n != name and t >= time]
        until = draw(st.none() | st.integers(time, 9))
        nuggets.append(slow.Nugget(name, time, until, draw(st.sampled_from([None, *later]))))
    says = st.frozensets(st.sampled_from(names), max_size=2)
    sent = [
        slow.Update(draw(st.integers(0, 9)), draw(says)) for _ in range(draw(st.integers(0, 6)))
    ]
    return sent, nuggets


def tables(updates: list[slow.Update], nuggets: list[slow.Nugget]) -> dict[str, Any]:
    """A case as the program reads it, with another topic whose facts stay true."""
    sent = [("t", f"u{at}", each.time, "") for at, each in enumerate(updates)]
    says = [("t", f"u{at}", name) for at, each in enumerate(updates) for name in each.says]
    columns = ["topic", "update_id", "time", "text"]
    gold = pd.DataFrame(nuggets).assign(topic="t", text="")
    still = pd.DataFrame([{"topic": "other", "nugget_id": "n0", "time": 0, "text": ""}])
    return {
        "updates": pd.DataFrame([*sent, ("other", "u", 1, "")], columns=columns),
        "nuggets": pd.concat([gold, still]),
        "matches": pd.DataFrame([*says, ("other", "u", "n0")], columns=[*columns[:2], "nugget_id"]),
        "topics": pd.DataFrame([{"topic": topic, "start": 0} for topic in ("t", "other")]),
    }


@given(cases(), st.sampled_from((None, 3, 4.5, 9)))
@settings(max_examples=25)
def test_values_equal_the_slow_ones(
    case: tuple[list[slow.Update], list[slow.Nugget]], t: float | None
) -> None:
    at = "" if t is None else f"@{t}s"
    names = [f"{name}{at}" for name in MEASURES.split()]
    scores = tseval.score(**tables(*case), measures=names)
    assert close(scores.value(names[0], "t"), slow.stale(*case, t))
    assert close(scores.value(names[1], "t"), slow.catch_up(*case, t))
    assert scores.value(names[0], "other") == 0
    assert scores.value(names[1], "other") is None


@given(cases())
@settings(max_examples=10)
def test_curves_equal_the_slow_ones(case: tuple[list[slow.Update], list[slow.Nugget]]) -> None:
    curve = tseval.curve(**tables(*case), measures=MEASURES, per_topic=True)
    curve = curve[(curve["topic"] == "t") & (curve["hours"] >= 0)]
    for row in curve.itertuples():
        just_after = row.hours * HOUR + 0.5
        function = slow.stale if row.measure == "stale" else slow.catch_up
        value = None if pd.isna(row.value) else row.value
        assert close(value, function(*case, just_after)), (row.measure, just_after)


@given(cases())
@settings(max_examples=10)
def test_a_live_stream_has_the_same_values(
    case: tuple[list[slow.Update], list[slow.Nugget]],
) -> None:
    """Whatever the order in which updates come."""
    sent, nuggets = case
    inputs = tables(*case)
    live = tseval.LiveScores(inputs["nuggets"], MEASURES.split(), topics=inputs["topics"])
    for number, update in enumerate(sent, start=1):
        live.add("t", f"u{number}", update.time, sorted(update.says))
        assert close(live.value("stale", "t"), slow.stale(sent[:number], nuggets))
        assert close(live.value("catch-up", "t"), slow.catch_up(sent[:number], nuggets))


class TestWaysOfReading:
    """The same bytes, however a run is read."""

    def test_with_jobs_and_in_blocks(self, files: tuple[Path, Path]) -> None:
        asked = (*files, "--matcher", "exact", "-m", MEASURES, "--at", "5h", "-f", "json")
        whole = program("score", *asked, "--quiet")
        assert whole.code == 0, whole.err
        for way in (("-j", 2), ("--in-blocks", 1), ("--in-blocks", 2)):
            assert program("score", *asked, "--quiet", *way).out == whole.out, way

    def test_live(self, files: tuple[Path, Path]) -> None:
        rows = table(RUN).assign(run="r").to_dict("records")
        lines = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
        asked = ("follow", files[1], "--matcher", "exact", "-m", MEASURES)
        last = json.loads(program(*asked, stdin=lines).out.splitlines()[-1])
        assert [each["value"] for each in last["records"]] == [0.4, 2.5]

    def test_values_that_a_frame_lacks(self) -> None:
        nugget = {"topic": "quake", "nugget_id": "n1", "time": 32400, "text": "Two are hurt"}
        rows = [{**nugget, "until": 40000, "replaced_by": None}, {**nugget, "nugget_id": "n2"}]
        gold = pd.DataFrame(rows)
        assert scored(gold).value("stale") == 0.2


class TestWithoutEnds:
    """Nothing is stale, nothing is caught up with, and a warning says why."""

    @pytest.mark.parametrize("gold", [table(GOLD).iloc[:, :4], table(GOLD).assign(until=None)])
    def test_values(self, gold: pd.DataFrame) -> None:
        gold = gold.assign(replaced_by="") if "until" in gold else gold
        scores = scored(gold)
        assert [scores.value(name) for name in MEASURES.split()] == [0, None]
        told = [each for each in scores.warnings if "ends" in each]
        assert warn_of(told, "no nugget ends until replaced_by")

    def test_other_measures_do_not_warn(self) -> None:
        assert not any("ends" in each for each in scored(table(GOLD), measures="P R").warnings)

    def test_an_empty_run_is_undefined(self) -> None:
        run = RUN.splitlines()[0] + "\nelsewhere,u1,34200,Two are hurt\n"
        assert scored(table(GOLD), run).value("stale") is None


@pytest.mark.parametrize(
    ("before", "after", "code", "line"),
    [
        ("closed,54000,", "closed,32399,", "time-range", 4),
        ("closed,54000,", "closed,54000,n1x", "unknown-id", 4),
        ("closed,54000,", "closed,54000,n3", "unknown-id", 4),
        ("n3,32400", "n3,32401", "time-range", 4),
        ("closed,54000,", "closed,soon,", "time-format", 4),
    ],
)
def test_faults_have_a_line(
    before: str, after: str, code: str, line: int, tmp_path: Path, files: tuple[Path, Path]
) -> None:
    gold = tmp_path / "bad.csv"
    text = GOLD.replace("closed,54000,", "closed,54000,n1") if before.startswith("n3") else GOLD
    gold.write_text(text.replace(before, after), encoding="utf-8")
    with faulty(code, line):
        tseval.score(files[0], gold, matcher="exact")
    done = program("validate", gold)
    assert done.code == 1
    assert f"{gold}:{line}: " in done.out


def test_a_replacement_is_of_the_same_topic(tmp_path: Path, files: tuple[Path, Path]) -> None:
    gold = tmp_path / "two.csv"
    gold.write_text(GOLD + "fire,n9,43200,Nine are hurt,,n1\n", encoding="utf-8")
    with faulty("unknown-id", 5):
        tseval.score(files[0], gold, matcher="exact")


def test_validate_takes_the_columns(files: tuple[Path, Path]) -> None:
    done = program("validate", *files)
    assert (done.code, "no fault" in done.out) == (0, True)


def test_the_fixtures_are_as_they_were() -> None:
    """Columns that are blank change no byte of any view."""
    runs = (FIXTURES / "runs" / "swift.tsv", FIXTURES / "runs" / "thorough.tsv")
    plain = pd.read_csv(FIXTURES / "nuggets.tsv", sep="\t")
    blank = plain.assign(until=None, replaced_by="")
    for what in ("nuggets", "updates"):
        shown = [
            tseval.explain(runs, gold, matches=FIXTURES / "matches.tsv", what=what)
            for gold in (plain, blank)
        ]
        assert shown[0].equals(shown[1])
