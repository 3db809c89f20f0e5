"""Samples for a judge, and scores corrected by what was judged."""

from __future__ import annotations

import itertools
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings

import matchers
import tseval
from tests import strategies as st
from tests.oracles import corrected as slow
from tests.program import FIXTURES, MATCHES, NUGGETS, SWIFT, THOROUGH, faulty
from tests.program import tseval as program
from tseval.errors import UsageError
from tseval.families.temporal.correcting import CorrectedScores

pytestmark = pytest.mark.small_times
RUNS, TOPICS, GOLD = ("a", "b"), ("t", "u"), tuple("vwxyz")
WORDS = st.lists(st.sampled_from(("flood", "fire", "dead", "rail", "40")), max_size=4).map(" ".join)


@st.composite
def tables(draw: st.DrawFn) -> tuple[pd.DataFrame, pd.DataFrame]:
    ids = list(itertools.product(RUNS, TOPICS, "1234"))
    updates = pd.DataFrame(
        [(*each, 1 + place, draw(WORDS)) for place, each in enumerate(ids)],
        columns=["run", "topic", "update_id", "time", "text"],
    )
    nuggets = pd.DataFrame(
        [
            (*each, 0, f"flood {draw(WORDS)} in {each[1]}", draw(st.sampled_from((1, 2, 3))))
            for each in itertools.product(TOPICS, GOLD)
        ],
        columns=["topic", "nugget_id", "time", "text", "importance"],
    )
    return updates, nuggets


def reads(
    updates: pd.DataFrame, nuggets: pd.DataFrame, depth: int
) -> dict[tuple[str, str, str], slow.Read]:
    """For each run, topic and nugget what is read, pair by pair."""
    learned = matchers.get("learned(threshold=0)")
    texts = list(dict.fromkeys(text for text in updates.text if text))
    pairs = learned.match(texts, list(nuggets.text))
    score = {
        (texts[update], nugget): float(score)
        for update, nugget, score in zip(pairs.update, pairs.nugget, pairs.score, strict=True)
    }
    found = {}
    for run in RUNS:
        for place, (topic, nugget) in enumerate(zip(nuggets.topic, nuggets.nugget_id, strict=True)):
            mine = set(updates.text[(updates.run == run) & (updates.topic == topic)]) - {""}
            scores = {text: score.get((text, place), 0.0) for text in mine}
            found[run, topic, nugget] = slow.read_of(scores, depth)
    return found


def by_hand(sample: pd.DataFrame, verdicts: list[str]) -> pd.DataFrame:
    return sample.assign(verdict=verdicts)


@settings(max_examples=25, deadline=None)
@given(tables(), st.integers(1, 3), st.integers(0, 3), st.integers(20, 60), st.data())
def test_scores_are_those_of_the_slow_twin(
    given_: tuple[pd.DataFrame, pd.DataFrame],
    depth: int,
    seed: int,
    pairs: int,
    data: st.DataObject,
) -> None:
    updates, nuggets = given_
    try:
        sample = tseval.sample(updates, nuggets, pairs=pairs, depth=depth, seed=seed)
    except UsageError as error:
        assert "too little" in str(error) or "nothing to read" in str(error)  # noqa: PT017
        return
    assert len(sample) <= pairs
    judged = by_hand(
        sample, [data.draw(st.sampled_from(("yes", "no"))) for _ in range(len(sample))]
    )
    scores = tseval.score(updates, nuggets, judged=judged, measures=["R", "P"])
    assert isinstance(scores, CorrectedScores)
    read = reads(updates, nuggets, depth)
    for run in RUNS:
        expected = [recall(run, topic, nuggets, judged, read) for topic in TOPICS]
        for topic, value in zip(TOPICS, expected, strict=True):
            assert scores.value("R", topic, run) == pytest.approx(value)
            importance = nuggets.importance[nuggets.topic == topic].sum()
            assert scores.value("P", topic, run) == pytest.approx(value * importance / 4)
        assert scores.value("R", run=run) == pytest.approx(sum(expected) / 2)
        frame = scores.intervals()
        row = frame[(frame.run == run) & (frame.measure == "R")].iloc[0]
        low, high = interval(run, sum(expected) / 2, nuggets, judged, read)
        assert (row.low, row.high) == pytest.approx((low, high), abs=1e-9)


def decided(judged: pd.DataFrame, topic: str, nugget: str) -> dict[str, str]:
    own = judged[(judged.topic == topic) & (judged.nugget_id == nugget)]
    return dict(zip(own.update_text, own.verdict, strict=True))


def recall(
    run: str,
    topic: str,
    nuggets: pd.DataFrame,
    judged: pd.DataFrame,
    read: dict[tuple[str, str, str], slow.Read],
) -> float:
    mine = nuggets[nuggets.topic == topic]
    worth = (mine.importance / mine.importance.sum()).tolist()
    each = [read[run, topic, name] for name in mine.nugget_id]
    known = {}
    for at, name in enumerate(mine.nugget_id):
        own = judged[(judged.topic == topic) & (judged.nugget_id == name)]
        if len(own):
            is_said = slow.said(each[at], decided(judged, topic, name))
            assert is_said is not None
            known[at] = is_said, float(own.inclusion.iloc[0])
    return slow.total(worth, [one.foretold for one in each], known)


def interval(
    run: str,
    value: float,
    nuggets: pd.DataFrame,
    judged: pd.DataFrame,
    read: dict[tuple[str, str, str], slow.Read],
) -> tuple[float, float]:
    units = []
    for (topic, name), own in judged.groupby(["topic", "nugget_id"]):
        mine = nuggets[nuggets.topic == topic].set_index("nugget_id").importance
        worth = mine[name] / mine.sum() / len(TOPICS)
        one = read[run, topic, name]
        is_said = slow.said(one, decided(judged, topic, name))
        assert is_said is not None
        foreseen = worth**2 * max(one.foretold * (1 - one.foretold), 0.05)
        place = int(own.stratum.iloc[0]), float(own.inclusion.iloc[0])
        units.append((*place, worth * (is_said - one.foretold), foreseen))
    return slow.interval(value, slow.error(units))


PAIRS = 60
"""Enough for some nuggets of the fixtures, and not for all."""


@pytest.fixture(scope="module")
def truth() -> dict[tuple[str, str, str], bool]:
    """By topic, nugget and text."""
    matches = pd.read_csv(MATCHES, sep="\t", dtype=str)
    updates = pd.concat(pd.read_csv(path, sep="\t", dtype=str) for path in (SWIFT, THOROUGH))
    text = dict(zip(zip(updates.topic, updates.update_id), updates.text))  # noqa: B905
    return {
        (topic, nugget, text[topic, update]): True
        for topic, update, nugget in zip(
            matches.topic, matches.update_id, matches.nugget_id, strict=True
        )
    }


@pytest.fixture(scope="module")
def sample() -> pd.DataFrame:
    return tseval.sample([SWIFT, THOROUGH], NUGGETS, pairs=PAIRS, depth=3)


@pytest.fixture
def judged(sample: pd.DataFrame, truth: dict[tuple[str, str, str], bool]) -> pd.DataFrame:
    names = zip(sample.topic, sample.nugget_id, sample.update_text, strict=True)
    return by_hand(sample, ["yes" if name in truth else "no" for name in names])


def saved(frame: pd.DataFrame, path: Path) -> Path:
    frame.to_csv(path, sep="\t", index=False)
    return path


def scored(path: Path | str, *more: str) -> str:
    found = program("score", SWIFT, THOROUGH, NUGGETS, "--judged", path, *more)
    assert found.code == 0, found.err
    return found.out


def test_a_sample_of_everything_gives_what_matches_give(
    truth: dict[tuple[str, str, str], bool],
) -> None:
    every = tseval.sample([SWIFT, THOROUGH], NUGGETS, pairs=1000, depth=20)
    assert (every.inclusion == "1.000000").all()
    names = zip(every.topic, every.nugget_id, every.update_text, strict=True)
    judged = by_hand(every, ["yes" if name in truth else "no" for name in names])
    corrected = tseval.score([SWIFT, THOROUGH], NUGGETS, judged=judged, measures=["R", "P", "C"])
    known = tseval.score([SWIFT, THOROUGH], NUGGETS, MATCHES, measures=["R", "P", "C"])
    for measure, run in itertools.product(("R", "P", "C"), ("swift", "thorough")):
        for topic in ("flood", "ferry", "mine", "all"):
            expected = known.value(measure, topic, run)
            assert corrected.value(measure, topic, run) == (
                None if expected is None else pytest.approx(expected)
            )
    frame = corrected.intervals()  # type: ignore[attr-defined]
    assert (frame.low - frame.value).abs().max() < 1e-9
    assert (frame.high - frame.value).abs().max() < 1e-9


def test_the_command_writes_what_the_call_gives(sample: pd.DataFrame, tmp_path: Path) -> None:
    asked = ("sample", SWIFT, THOROUGH, NUGGETS, "--pairs", PAIRS, "--depth", 3)
    for name in ("one.tsv", "two.tsv"):
        assert program(*asked, "-o", tmp_path / name).code == 0
    content = (tmp_path / "one.tsv").read_bytes()
    assert content == (tmp_path / "two.tsv").read_bytes() == program(*asked).output
    read = pd.read_csv(tmp_path / "one.tsv", sep="\t", dtype=str, keep_default_na=False)
    assert read.to_dict("records") == sample.to_dict("records")
    assert program(*asked, "-o", tmp_path / "one.csv").code == 0
    assert (tmp_path / "one.csv").read_bytes().startswith(b"\xef\xbb\xbfverdict,")


def test_the_order_of_files_and_lines_changes_no_draw(sample: pd.DataFrame, tmp_path: Path) -> None:
    rows = Path(SWIFT).read_text(encoding="utf-8").splitlines()
    other = tmp_path / "swift.tsv"
    other.write_text("\n".join([rows[0], *reversed(rows[1:])]) + "\n", encoding="utf-8")
    again = tseval.sample([THOROUGH, str(other)], NUGGETS, pairs=PAIRS, depth=3)
    assert again.to_dict("records") == sample.to_dict("records")


def test_other_seeds_draw_others(sample: pd.DataFrame) -> None:
    drawn = {
        tuple(tseval.sample([SWIFT, THOROUGH], NUGGETS, pairs=PAIRS, depth=3, seed=seed).pair)
        for seed in range(6)
    }
    assert tuple(sample.pair) in drawn
    assert len(drawn) > 3


def test_what_stands_below_the_first_yes_may_stay_blank(
    judged: pd.DataFrame, tmp_path: Path
) -> None:
    read: set[tuple[str, str, str]] = set()
    verdicts = []
    for row in judged.itertuples():
        waiting = [
            run for run in row.runs.split(", ") if (run, row.topic, row.nugget_id) not in read
        ]
        verdicts.append(row.verdict if waiting else "")
        if row.verdict == "yes":
            read |= {(run, row.topic, row.nugget_id) for run in waiting}
    assert verdicts.count("") > 5
    sparse = saved(judged.assign(verdict=verdicts), tmp_path / "sparse.tsv")
    whole = saved(judged, tmp_path / "whole.tsv")
    assert scored(sparse, "-f", "csv") == scored(whole, "-f", "csv")


def test_a_run_of_the_sample_can_be_scored_alone(judged: pd.DataFrame, tmp_path: Path) -> None:
    path = saved(judged, tmp_path / "judged.tsv")
    alone = program("score", SWIFT, NUGGETS, "--judged", path, "-f", "csv", "-q").out
    both = scored(path, "-f", "csv", "-q")
    assert set(alone.splitlines()) <= set(both.splitlines())


def test_spreadsheets_may_change_order_white_space_and_quotes(
    judged: pd.DataFrame, tmp_path: Path
) -> None:
    whole = saved(judged, tmp_path / "whole.tsv")
    other = judged.iloc[::-1].assign(
        update_text=judged.update_text.str.replace(" ", "  "),
        inclusion=judged.inclusion.astype(float),
        verdict=judged.verdict.str.upper(),
    )
    changed = saved(other, tmp_path / "changed.tsv")
    assert scored(changed, "-f", "csv") == scored(whole, "-f", "csv")


def test_compare_takes_corrected_differences(judged: pd.DataFrame, tmp_path: Path) -> None:
    path, scores = saved(judged, tmp_path / "judged.tsv"), tmp_path / "scores.csv"
    scored(path, "-m", "R", "-q", "-o", str(scores))
    listed = ("compare", scores, "-f", "json")
    direct = (
        "compare",
        SWIFT,
        THOROUGH,
        "--gold",
        NUGGETS,
        "--judged",
        path,
        "-m",
        "R",
        "-f",
        "json",
    )
    by_file, by_runs = program(*listed), program(*direct)
    assert by_file.code == by_runs.code == 0, by_runs.err
    frame = pd.read_csv(scores)
    topics = frame[frame.topic != "all"].pivot_table(index="topic", columns="run", values="value")
    difference = (topics.swift - topics.thorough).mean()
    assert f"{abs(difference):.9f}"[:10] in by_runs.out
    assert f"{abs(difference):.9f}"[:10] in by_file.out


MEASURES = ("T", "R@6h", "P(updates)", "P(cost-of=match)", "LC", "nEG")


@pytest.mark.parametrize("measure", MEASURES)
def test_what_verdicts_cannot_correct_is_refused(
    judged: pd.DataFrame, tmp_path: Path, measure: str
) -> None:
    path = saved(judged, tmp_path / "judged.tsv")
    found = program("score", SWIFT, NUGGETS, "--judged", path, "-m", measure)
    assert found.code == 2
    assert "cannot be corrected: " in found.err


def refused(path: Path, *more: str, code: int = 1) -> str:
    found = program("score", SWIFT, THOROUGH, NUGGETS, "--judged", path, *more)
    assert found.code == code
    assert not found.out
    return found.err


def test_rows_that_are_wrong_are_refused_with_their_lines(
    judged: pd.DataFrame, tmp_path: Path
) -> None:
    at = tmp_path / "judged.tsv"
    blank, maybe, likelier, other = (judged.copy() for _ in range(4))
    blank.loc[0, "verdict"] = ""
    assert f"{at}:2: has no verdict, and run thorough has no text above it" in refused(
        saved(blank, at)
    )
    maybe.loc[3, "verdict"] = "maybe"
    assert f'{at}:5: the verdict "maybe" is neither accept nor reject' in refused(saved(maybe, at))
    likelier.loc[4, "inclusion"] = "0.5"
    assert f"{at}:6: is not as it was written" in refused(saved(likelier, at))
    other.loc[5, "sample"] = "matcher:fuzzy"
    assert f"{at}:7: belongs to another sample" in refused(saved(other, at))
    twice = pd.concat([judged, judged.iloc[[7]]])
    assert f"{at}:{len(judged) + 2}: the same pair stands at line 9" in refused(saved(twice, at))
    assert f"holds {len(judged) - 1} of the {len(judged)} pairs" in refused(
        saved(judged.drop(index=2), at)
    )
    assert "holds no verdict" in refused(saved(judged.assign(verdict=""), at))
    assert "holds no pair" in refused(saved(judged.iloc[:0], at))
    with faulty("changed-rows", 5):
        tseval.score([SWIFT, THOROUGH], NUGGETS, judged=likelier)


def test_samples_of_other_gold_and_other_runs_are_refused(
    judged: pd.DataFrame, tmp_path: Path
) -> None:
    path, gold = saved(judged, tmp_path / "judged.tsv"), tmp_path / "gold.tsv"
    gold.write_text(Path(NUGGETS).read_text(encoding="utf-8").replace("400", "500"), "utf-8")
    found = program("score", SWIFT, THOROUGH, gold, "--judged", path)
    assert found.code == 1
    assert found.codes == [("unrelated-inputs", None)]
    run = tmp_path / "late.tsv"
    text = "topic\tupdate_id\ttime\ttext\nflood\tl1\t20\tMore than 400 homes under water\n"
    run.write_text(text, encoding="utf-8")
    found = program("score", run, NUGGETS, "--judged", path)
    assert found.code == 1
    assert found.codes == [("unknown-id", None)]


def test_an_edition_says_which_nuggets_can_be_drawn(tmp_path: Path) -> None:
    """One nugget of the fixtures has the importance 0, and the edition of 2014 leaves it out."""
    asked = ("sample", SWIFT, THOROUGH, NUGGETS, "--pairs", 1000, "--depth", 20)
    judged, drawn = {}, {}
    for edition in ("draft", "ts2014"):
        path = judged[edition] = tmp_path / f"{edition}.tsv"
        assert program(*asked, "--edition", edition, "-o", path).code == 0
        content = path.read_bytes()
        frame = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False)
        called = tseval.sample([SWIFT, THOROUGH], NUGGETS, pairs=1000, depth=20, edition=edition)
        assert called.to_dict("records") == frame.to_dict("records")
        drawn[edition] = set(zip(frame.topic, frame.nugget_id, strict=True))
        saved(by_hand(frame, ["yes"] * len(frame)), path)
    assert drawn["draft"] - drawn["ts2014"] == {("flood", "flood-n6")}
    assert program(*asked, "--rule", "unimportant=drop").output == content
    tables = {
        scored(path, "--edition", "ts2014", "-f", "csv", "-q").partition("#")[0]
        for path in judged.values()
    }
    assert len(tables) == 1
    assert ",C," in tables.pop()
    assert "was drawn of 15 nuggets, and by these rules 16 count" in refused(judged["ts2014"])
    assert "unknown edition" in program(*asked, "--edition", "ts2000").err


def test_samples_too_small_for_intervals_say_so(judged: pd.DataFrame, tmp_path: Path) -> None:
    path = saved(judged, tmp_path / "judged.tsv")
    sampled = len(judged[["topic", "nugget_id"]].drop_duplicates())
    assert 6 <= sampled < 18
    told = program("score", SWIFT, THOROUGH, NUGGETS, "--judged", path).err
    assert f"the sample has {sampled} nuggets: intervals hold what they say from 30 on" in told
    topics = f"the sample has {sampled} nuggets in 3 topics: intervals over topics, and those of"
    assert topics in told
    by_gold = ("--gold", NUGGETS, "--judged", path, "-m", "R")
    assert topics in program("compare", SWIFT, THOROUGH, *by_gold).err


def test_what_was_judged_before_stands_there(sample: pd.DataFrame, tmp_path: Path) -> None:
    """As the desk exports it: by ids, accepted and rejected; two opinions on a text are a fault."""
    updates = pd.read_csv(THOROUGH, sep="\t", dtype=str)
    own = sample[sample.runs == "thorough"].merge(
        updates, left_on=["topic", "update_text"], right_on=["topic", "text"]
    )
    known = own.iloc[:4].assign(verdict=["accept", "reject", "accept", ""])
    columns = ["topic", "update_id", "nugget_id", "verdict"]
    path = saved(known[columns], tmp_path / "corrections.tsv")
    filled = program(
        "sample", SWIFT, THOROUGH, NUGGETS, "--pairs", PAIRS, "--depth", 3, "--corrections", path,
        "-o", tmp_path / "to_judge.tsv",
    )  # fmt: skip
    assert filled.code == 0
    read = pd.read_csv(tmp_path / "to_judge.tsv", sep="\t", dtype=str, keep_default_na=False)
    assert read.drop(columns="verdict").equals(sample.drop(columns="verdict"))
    said = dict(zip(read.pair, read.verdict, strict=True))
    assert [said[each] for each in known.pair] == ["accept", "reject", "accept", ""]
    assert (read.verdict != "").sum() == 3
    called = tseval.sample(
        [SWIFT, THOROUGH], NUGGETS, pairs=PAIRS, depth=3, corrections=known[columns]
    )
    assert called.to_dict("records") == read.to_dict("records")
    again = updates[updates.update_id == known.update_id.iloc[0]].assign(update_id="again")
    twice = pd.concat([updates, again])
    opposed = (
        known[columns]
        .iloc[[0, 0]]
        .assign(update_id=[known.update_id.iloc[0], "again"], verdict=["accept", "reject"])
    )
    with pytest.raises(tseval.InputError) as error:
        tseval.sample(
            [
                pd.read_csv(SWIFT, sep="\t", dtype=str).assign(run="swift"),
                twice.assign(run="thorough"),
            ],
            NUGGETS, pairs=PAIRS, depth=3, corrections=opposed,
        )  # fmt: skip
    assert [(fault.code, fault.line) for fault in error.value.faults] == [("conflicting-rows", 2)]


def test_processes_draw_what_one_draws(sample: pd.DataFrame) -> None:
    asked = ("sample", SWIFT, THOROUGH, NUGGETS, "--pairs", PAIRS, "--depth", 3)
    assert program(*asked, "-j", 2).output == program(*asked).output
    shared = tseval.sample([SWIFT, THOROUGH], NUGGETS, pairs=PAIRS, depth=3, jobs=2)
    assert shared.to_dict("records") == sample.to_dict("records")


def test_what_has_no_meaning_beside_a_sample_is_refused(
    judged: pd.DataFrame, tmp_path: Path
) -> None:
    path = saved(judged, tmp_path / "judged.tsv")
    assert "--judged has no meaning with --matches" in refused(path, "--matches", MATCHES, code=2)
    assert "--matcher has no meaning with" in refused(path, "--matcher", "fuzzy", code=2)
    assert "no meaning" in refused(path, "--jitter", "1h", code=2)
    assert "no meaning" in refused(path, "--in-blocks", "5", code=2)
    assert "--judged has no meaning with --brief" in refused(path, "--brief", code=2)
    assert "sensitivity needs --specificity" in refused(path, "--sensitivity", "0.5", code=2)
    assert "add up to 1.1" in refused(path, "--sensitivity", "0.2", "--specificity", "0.9", code=2)
    assert "x<=1" in refused(path, "--sensitivity", "5", "--specificity", "0.9", code=2)
    asked = program("score", SWIFT, NUGGETS, "--sensitivity", "0.5")
    assert "no meaning without --judged" in asked.err
    few = program("sample", SWIFT, NUGGETS, "--pairs", 7).err
    assert few.startswith("error: --pairs 7 is too little to sample by: it takes ")
    least = int(few.split("it takes ")[1].split(",")[0])
    assert program("sample", SWIFT, NUGGETS, "--pairs", least - 1).code == 2
    assert program("sample", SWIFT, NUGGETS, "--pairs", least).code == 0
    assert program("sample", SWIFT, NUGGETS, "-o", tmp_path / "to_judge.xlsx").code == 2
    assert "another matcher may find" in program("sample", SWIFT, NUGGETS, "--matcher", "exact").err
    assert "--seed cannot be -1" in program("sample", SWIFT, NUGGETS, "--seed", -1).err
    with pytest.raises(UsageError, match="--seed cannot be"):
        tseval.sample(SWIFT, NUGGETS, seed=-1)


def test_a_pool_with_answers_is_never_written_over(tmp_path: Path) -> None:
    keen, types = (str(FIXTURES / "incidents" / name) for name in ("keen.txt", "types.json"))
    pool = tmp_path / "pool.tsv"
    line = ("import", "pool", keen, "--ontology", types, "-o", pool)
    assert program(*line).code == 0
    assert program(*line).code == 0  # nobody has answered yet
    rows = pd.read_csv(pool, sep="\t", dtype=str, keep_default_na=False)
    saved(rows.assign(relevant=["1", *[""] * (len(rows) - 1)]), pool)
    before = pool.read_bytes()
    assert program(*line).code == 1
    assert pool.read_bytes() == before


def test_verdicts_are_never_written_over(judged: pd.DataFrame, tmp_path: Path) -> None:
    begun = judged.assign(verdict=["yes", *[""] * (len(judged) - 1)])
    path = saved(begun, tmp_path / "to_judge.tsv")
    before = path.read_bytes()
    found = program("sample", SWIFT, THOROUGH, NUGGETS, "-o", path)
    assert found.code == 1
    assert "holds verdicts, which would be lost: name another file" in found.err
    assert path.read_bytes() == before
    saved(judged.assign(verdict=""), path)
    assert program("sample", SWIFT, THOROUGH, NUGGETS, "-o", path).code == 0
    path.write_text("notes\n", encoding="utf-8")
    assert program("sample", SWIFT, THOROUGH, NUGGETS, "-o", path).code == 0


def test_no_spreadsheet_takes_a_hash_for_a_number(sample: pd.DataFrame) -> None:
    named = [*sample.pair, *sample.checksum]
    assert len(named) > 50
    assert not any(set(each) <= set("0123456789eE+-.") for each in named)
    assert all(each[0].isalpha() and each[0] not in "eE" for each in named)


def test_rows_that_are_wrong_in_a_frame_and_from_standard_input_are_told(
    judged: pd.DataFrame,
) -> None:
    wrong = judged.assign(verdict="maybe")
    with faulty("unknown-label", 1):
        tseval.score([SWIFT, THOROUGH], NUGGETS, judged=wrong)
    found = program(
        "score", SWIFT, THOROUGH, NUGGETS, "--judged", "-",
        stdin=wrong.to_csv(sep="\t", index=False).encode(),
    )  # fmt: skip
    assert found.code == 1
    assert found.err.startswith('error: -:2: the verdict "maybe" is neither accept nor reject')


def test_a_file_to_judge_is_known_to_validate(judged: pd.DataFrame, tmp_path: Path) -> None:
    path = saved(judged, tmp_path / "judged.tsv")
    assert program("validate", path).code == 0
    bad = saved(judged.assign(verdict="perhaps"), tmp_path / "bad.tsv")
    assert (
        "neither accept nor reject" in program("validate", bad).out + program("validate", bad).err
    )


def test_a_matcher_without_probabilities_corrects_too(
    truth: dict[tuple[str, str, str], bool],
) -> None:
    sample = tseval.sample([SWIFT, THOROUGH], NUGGETS, matcher="fuzzy", pairs=PAIRS, depth=3)
    names = zip(sample.topic, sample.nugget_id, sample.update_text, strict=True)
    judged = by_hand(sample, ["yes" if name in truth else "no" for name in names])
    scores = tseval.score([SWIFT, THOROUGH], NUGGETS, judged=judged)
    frame = scores.intervals()  # type: ignore[attr-defined]
    assert "classical" not in frame
    assert scores.measures == ("P", "R", "Rs")
    assert (frame.low <= frame.value).all()
    assert "matcher:fuzzy" in scores.signature
