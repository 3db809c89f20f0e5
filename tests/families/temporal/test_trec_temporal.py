"""Edition `ts` held to the slow reference; what the files' accidents change and what they don't."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import assume, given, settings

import tseval
from tests import cases, oracles
from tests import strategies as st
from tests.oracles import trec_temporal as slow
from tests.program import tseval as program
from tseval.core.calling import CommonOptions
from tseval.core.curves import curves
from tseval.core.registry import measures
from tseval.core.scoring import scores_of
from tseval.families.temporal.evaluation import TemporalEvaluation, TemporalInputs

pytestmark = pytest.mark.small_times

PLAIN = ("EG", "nEG", "ELG", "nELG", "C", "LC", "HM", "V", "L")
NAMES = ("updates", "sampled", *PLAIN, *(f"cb{name}" for name in PLAIN))
AREAS = ("C(area)", "LC(area)")
TOPICS = ("t1", "t2")
TIMES = st.integers(0, 12).map(lambda hours: hours * 3600.0)
WORDS = ("river", "Osk", "12", "", "straße", "½ of", "naïve")


@st.composite
def collections(draw: st.DrawFn) -> slow.Collection:
    """Runs, gold, spans, and perhaps a pool with duplicates; ties are common."""
    text = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
    nuggets = [
        slow.Nugget(topic, f"n{i}", draw(TIMES), draw(text), float(draw(st.integers(0, 3))))
        for topic in sorted(draw(st.sets(st.sampled_from(TOPICS), min_size=1)))
        for i in range(draw(st.integers(1, 4)))
    ]
    updates = [
        slow.Update(topic, f"u{i}", draw(TIMES), draw(text), run, float(draw(st.integers(0, 3))))
        for run in ("b", "a")
        for topic in sorted(draw(st.sets(st.sampled_from((*TOPICS, "elsewhere")))))
        for i in range(draw(st.integers(0, 5)))
    ]
    known = sorted({(u.topic, u.update_id) for u in updates})
    pool = draw(st.none() | _pools(known, text))
    judged = {(u.topic, u.update_id) for u in updates if u.topic in {n.topic for n in nuggets}}
    pooled = {(p.topic, p.update_id) for p in pool or ()}
    assume(not judged or not pooled or judged & pooled)  # a pool of other runs is refused
    both = sorted({*known, *((p.topic, p.update_id) for p in pool or ())})
    grades = draw(st.sampled_from([st.just(1.0), st.sampled_from((0.0, 0.5, 1.0))]))
    matches = [
        slow.Match(topic, update, nugget.nugget_id, start, end, draw(grades))
        for topic, update in both
        for nugget in nuggets
        if nugget.topic == topic and draw(st.booleans())
        for start, end in [sorted(draw(st.tuples(OFFSET, OFFSET)))]
    ]
    periods = {topic: (0.0, draw(TIMES)) for topic in TOPICS}
    shuffled = draw(st.permutations(updates))
    return slow.Collection(shuffled, nuggets, draw(st.permutations(matches)), pool, periods)


OFFSET = st.integers(0, 25)


@st.composite
def _pools(draw: st.DrawFn, known: list[tuple[str, str]], text: object) -> list[slow.Pooled]:
    ids = [*known, ("t1", "p1"), ("t1", "p2"), ("t2", "p1")]
    chosen = [each for each in ids if draw(st.booleans())]
    return [
        slow.Pooled(
            topic,
            update,
            draw(text),  # type: ignore[call-overload]
            draw(st.sampled_from(["NULL", "NULL", "p1", "p2", "u0", "u1"])),
        )
        for topic, update in chosen
    ]


def evaluation(collection: slow.Collection, edition: str = "ts") -> TemporalEvaluation:
    def frame(rows: object, columns: str) -> pd.DataFrame:
        return pd.DataFrame([vars(row) for row in rows], columns=columns.split())  # type: ignore[attr-defined]

    periods = [(topic, *period) for topic, period in collection.periods.items()]
    pool = collection.pool
    return cases.read(
        TemporalInputs(
            updates=[frame(collection.updates, "topic update_id time text run confidence")],
            nuggets=frame(collection.nuggets, "topic nugget_id time text importance"),
            matches=frame(collection.matches, "topic update_id nugget_id start end grade"),
            topics=pd.DataFrame(periods, columns=["topic", "start", "end"]) if periods else None,
            pool=None if pool is None else frame(pool, "topic update_id text duplicate_id"),
        ),
        CommonOptions(edition=edition),
    )


close = partial(oracles.close, rel=1e-9)


@given(collections(), st.none() | st.integers(-1, 13).map(lambda hours: hours * 3600.0 + 1))
def test_values_equal_the_slow_ones(collection: slow.Collection, until: float | None) -> None:
    known = evaluation(collection)
    written = "" if until is None else f"@{until!r}"
    names = [*(name + written for name in NAMES), *(name + written for name in AREAS)]
    scores = scores_of(known, measures(names))
    for run in scores.runs:
        for topic in scores.topics:
            for name in (*NAMES, *AREAS):
                expected = slow.value(collection, run, topic, name, until)
                got = scores.value(name + written, topic, run)
                assert close(got, expected), (run, topic, name, got, expected)


@given(collections())
@settings(max_examples=40)
def test_curves_equal_the_values_just_after_their_times(collection: slow.Collection) -> None:
    known = evaluation(collection)
    for curve in curves(known, measures(["EG nEG C LC HM V L cbEG cbHM"]), known.index.topics):
        for at, time in enumerate(curve.time.tolist()):
            value = float(curve.values.value[at]) if curve.values.defined[at] else None
            expected = slow.value(collection, curve.run, curve.topic, curve.measure, time + 1)
            assert close(value, expected), (curve.run, curve.topic, curve.measure, time)


@given(collections())
@settings(max_examples=40)
def test_the_scripts_never_leave_a_value_undefined(collection: slow.Collection) -> None:
    if all(nugget.importance == 0 for nugget in collection.nuggets):
        return
    for edition in ("ts2013", "ts2014", "ts2015"):
        try:
            known = evaluation(collection, edition)
        except (tseval.UsageError, tseval.InputError):  # no topic has a match, or a foreign pool
            continue
        scores = scores_of(known, measures(known.edition.measures))
        assert all(record.value is not None for record in scores.records() if record.topic != "all")


# One update by hand. Two nuggets of four and two words: the mean is 3. The update has six words, of
# which `four died` says n1 and `in Osk` says n2; it comes six hours after n1 and at the time of n2.
HAND = slow.Collection(
    [slow.Update("t1", "u", 6 * 3600.0, "we hear four died in Osk")],
    [
        slow.Nugget("t1", "n1", 0.0, "four people have died", 3.0),
        slow.Nugget("t1", "n2", 6 * 3600.0, "in Osk", 2.0),
    ],
    [slow.Match("t1", "u", "n1", 8, 17), slow.Match("t1", "u", "n2", 18, 24)],
)


def test_a_case_worked_by_hand() -> None:
    scores = scores_of(evaluation(HAND), measures(NAMES))
    second = math.exp(-1)
    verbosity = 1 + (6 - 4) / 3
    gain, late = 1 + second, 0.5 + second
    harmonic = 2 * (late / verbosity) * (late / gain) / (late / verbosity + late / gain)
    expected = {
        "EG": gain / verbosity,
        "nEG": gain / verbosity / 1,
        "ELG": late / verbosity,
        "C": 1.0,
        "LC": late / gain,
        "HM": harmonic,
        "V": verbosity,
        "L": (0.5 + 1) / 2,
        "updates": 1.0,
    }
    for name, value in expected.items():
        assert scores.value(name) == pytest.approx(value, rel=1e-12), name
        assert slow.value(HAND, "run", "t1", name) == pytest.approx(value, rel=1e-12), name


# The accidents of files: a run, gold, matches and pool of the track's own form.

HEX = "0123456789abcdef" * 2
RUN = [
    f"1 team one 100-{HEX} 0 1000 2.5",
    f"1 team one 100-{HEX} 1 1000 1.5",
    f"1 team one 200-{HEX} 0 22600 0.5",
    f"2 team one 300-{HEX} 0 5000 1",
]
GOLD = [
    "query_id\tnugget_id\ttimestamp\timportance\tnugget_len\tnugget_text",
    "TS14.1\tN1\t1000\t3\t2\tfour died",
    "TS14.1\tN2\t900\t1\t3\tin the mine",
    "TS14.2\tN3\t4000\t2\t2\triver rises",
]
MATCHES = [
    "query_id\tupdate_id\tnugget_id\tmatch_start\tmatch_end\tauto_p",
    f"TS14.1\t100-{HEX}-1\tN1\t2\t11\t0",
    f"TS14.1\t200-{HEX}-0\tN2\t0\t7\t0",
    f"TS14.2\t300-{HEX}-0\tN3\t4\t9\t0",
    f"TS14.2\t300-{HEX}-0\tN9\t4\t9\t0",
]
POOL = [
    "query_id\tupdate_id\tdoc_id\tsentence_id\tupdate_len\tduplicate_id\tupdate_text",
    f"TS14.1\t100-{HEX}-0\t100-{HEX}\t0\t14\tNULL\tnothing to say",
    f"TS14.1\t100-{HEX}-1\t100-{HEX}\t1\t11\tNULL\tso four died here",
    f'TS14.1\t200-{HEX}-0\t200-{HEX}\t0\t7\tNULL\tin mine "deep" now',
    f"TS14.2\t300-{HEX}-0\t300-{HEX}\t0\t7\tNULL\tthe river comes",
]
EDITIONS = ("ts", "ts2013", "ts2014", "ts2015")


def scored(folder: Path, run: list[str], end: str = "\n", edition: str = "ts2014") -> str:
    """The official table of a run; the track's other files have the same ends of lines."""
    files = {"run.txt": run, "gold.tsv": GOLD, "matches.tsv": MATCHES, "pool.tsv": POOL}
    for name, lines in files.items():
        (folder / name).write_bytes("".join(line + end for line in lines).encode())
    outcome = program(
        *("score", folder / "run.txt", folder / "gold.tsv", "--matches", folder / "matches.tsv"),
        *("--pool", folder / "pool.tsv", "--edition", edition, "-f", "trec-ts"),
    )
    assert outcome.code == 0, outcome.err
    return outcome.out


@pytest.mark.parametrize("edition", EDITIONS)
def test_line_ends_and_white_space_and_comments_change_nothing(
    tmp_path: Path, edition: str
) -> None:
    plain = scored(tmp_path, RUN, edition=edition)
    assert scored(tmp_path, RUN, "\r\n", edition) == plain
    loose = ["# a comment", "", *(line.replace(" ", "  \t", 3) + "  " for line in RUN), "   "]
    assert scored(tmp_path, loose, edition=edition) == plain


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_order_of_lines_matters_to_places_and_ties_alone(tmp_path: Path, edition: str) -> None:
    plain, shuffled = (
        scored(tmp_path, RUN, edition=edition),
        scored(tmp_path, RUN[::-1], edition=edition),
    )
    names = plain.splitlines()[0].split("\t")
    first = names.index(next(name for name in names if "Confidence" in name))
    cut = [
        ["\t".join(row.split("\t")[:first]) for row in t.splitlines()] for t in (plain, shuffled)
    ]
    assert cut[0] == cut[1]
    assert (plain == shuffled) == (edition != "ts2014"), "2014 weighs an update by its place"


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_doubled_line_is_paid_for_and_earns_nothing(tmp_path: Path, edition: str) -> None:
    plain, doubled = (
        table(scored(tmp_path, run, edition=edition)) for run in (RUN, [*RUN, RUN[1]])
    )
    gain, whole = (
        ("Expected Gain", "Comprehensiveness")
        if edition == "ts2013"
        else ("E[Gain]", "Comprehensiveness")
    )
    topic = "1" if edition in ("ts2013", "ts2015") else "TS14.1"
    before, after = plain[topic, "team", "one"], doubled[topic, "team", "one"]
    assert float(after["# Updates"]) == float(before["# Updates"]) + 1
    assert float(after[gain]) < float(before[gain])
    assert after[whole] == before[whole]


def table(text: str) -> dict[tuple[str, ...], dict[str, str]]:
    header, *rows = (line.split("\t") for line in text.splitlines())
    return {tuple(row[:3]): dict(zip(header[3:], row[3:], strict=True)) for row in rows}


@pytest.mark.parametrize("edition", EDITIONS)
def test_unknown_topics_change_nothing(tmp_path: Path, edition: str) -> None:
    more = [*RUN, f"99 team one 100-{HEX} 0 1000 2.5"]
    assert scored(tmp_path, more, edition=edition) == scored(tmp_path, RUN, edition=edition)


def test_a_missing_topic_is_no_zero_to_the_scripts(tmp_path: Path) -> None:
    for edition in ("ts2013", "ts2014", "ts2015"):
        rows = table(scored(tmp_path, RUN[:3], edition=edition))
        topic = next(row for row in rows if row[0] in ("1", "TS14.1"))
        assert rows["AVG", "team", "one"] == rows[topic]
    rows = table(scored(tmp_path, RUN[:3], edition="ts"))
    assert rows["AVG", "team", "one"] != rows["TS14.1", "team", "one"]
    assert rows["TS14.2", "team", "one"]["# Updates"] == "0.0000"


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_team_by_another_name_has_the_same_scores(tmp_path: Path, edition: str) -> None:
    renamed = scored(
        tmp_path, [line.replace(" team ", " the-others ") for line in RUN], edition=edition
    )
    assert renamed == scored(tmp_path, RUN, edition=edition).replace("\tteam\t", "\tthe-others\t")


def test_the_pool_without_a_header_loses_its_first_row_to_the_scripts(tmp_path: Path) -> None:
    scored(tmp_path, RUN)
    bare = tmp_path / "bare.tsv"
    bare.write_text("".join(f"{line}\n" for line in POOL[1:]))
    arguments = (tmp_path / "run.txt", tmp_path / "gold.tsv", "--matches", tmp_path / "matches.tsv")
    for edition, lost in {"ts": 0, "ts2015": 1}.items():
        outcome = program(
            "score",
            *arguments,
            "--pool",
            bare,
            "--edition",
            edition,
            "-m",
            "sampled",
            "-f",
            "csv",
            "-q",
        )
        words = "its first row is lost" if lost else "it is read all the same"
        assert "warning: the pool has no header" in outcome.err
        assert words in outcome.err
        assert f",sampled,{3.0 - lost}\n" in outcome.out


def test_latency_from_all_names_the_runs_that_it_depends_on(tmp_path: Path) -> None:
    scored(tmp_path, RUN)
    other = tmp_path / "other.txt"
    other.write_text(RUN[1].replace("one", "two").replace(" 1000 ", " 500 ") + "\n")
    gold, pool = tmp_path / "gold.tsv", tmp_path / "pool.tsv"

    def of(*runs: Path) -> tseval.Scores:
        rules = {"latency-from": "all"}
        return tseval.score(
            list(runs), gold, tmp_path / "matches.tsv", pool=pool, edition="ts2015", rules=rules
        )

    alone, both = of(tmp_path / "run.txt"), of(tmp_path / "run.txt", other)
    assert "rules:latency-from=all|latency-runs:1:sha256:" in alone.signature
    assert "latency-runs:2:sha256:" in both.signature
    assert alone.value("LC", run="team-one") != both.value("LC", run="team-one")
    assert alone.value("C", run="team-one") == both.value("C", run="team-one")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--ignore-unsampled",), "needs --pool FILE"),
        (("--rule", "sound=loud"), "unknown rule 'sound'"),
        (("--rule", "unsampled=maybe"), "rule unsampled cannot be 'maybe'"),
        (("--binary", "-m", "T"), "rule reward changes nothing in T"),
        (("--rule", "weights=plain"), "rule weights changes nothing in P, R, Rs, T"),
        (("--rule", "reward=binary", "--rule", "reward=constant"), "is given twice"),
        (("-f", "trec-ts"), "edition draft has no official table"),
        (
            ("--edition", "ts", "-f", "trec-ts", "-m", "C"),
            "the measures of its edition, all and no others",
        ),
        (("-m", "EG"), "give the pool of judged updates (--pool)"),
    ],
)
def test_what_would_do_nothing_is_refused(
    tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    scored(tmp_path, RUN)
    outcome = program(
        *("score", tmp_path / "run.txt", tmp_path / "gold.tsv"),
        *("--matches", tmp_path / "matches.tsv", *options),
    )
    assert outcome.code == 2, outcome.out
    assert words in outcome.err


def test_the_draft_takes_official_files_and_the_same_options(tmp_path: Path) -> None:
    scored(tmp_path, RUN)

    def value(*options: str) -> str:
        outcome = program(
            *(
                "score",
                tmp_path / "run.txt",
                tmp_path / "gold.tsv",
                "--pool",
                tmp_path / "pool.tsv",
            ),
            *("--matches", tmp_path / "matches.tsv", "-f", "csv", "-q", *options),
        )
        assert outcome.code == 0, outcome.err
        return outcome.out

    assert "team-one,TS14.1,P,1.3333333333333333\n" in value("-m", "P")
    assert "team-one,TS14.1,P(reward=binary),0.6666666666666666\n" in value("-m", "P", "--binary")
    assert "team-one,TS14.1,T,-3.013888888888889\n" in value("-m", "T"), "a mean of 0 and 21700 s"
    late = value("-m", "T", "--latency-from", "updates")
    assert "team-one,TS14.1,T,0.0\n" in late
    assert "P(cost=words)" in value("-m", "P(cost=words)")


def test_exact_duplicates_stand_for_what_is_not_in_the_pool(tmp_path: Path) -> None:
    scored(tmp_path, RUN)
    copy = f"999-{HEX}-7"
    run, pairs = tmp_path / "copy.txt", tmp_path / "pairs.txt"
    run.write_text(f"1 team one 999-{HEX} 7 1000 1\n")
    pairs.write_text(f"{copy} 100-{HEX}-1\n100-{HEX}-1 {copy}\n")
    arguments = (
        *("score", run, tmp_path / "gold.tsv", "--matches", tmp_path / "matches.tsv"),
        *("--pool", tmp_path / "pool.tsv", "-f", "csv", "-q", "-m", "C sampled"),
    )
    plain = program(*arguments, "--edition", "ts2015")
    assert "team-one,1,C,0.0\nteam-one,1,sampled,0.0\n" in plain.out
    looked_up = program(*arguments, "--edition", "ts2015", "--duplicates", pairs)
    assert "team-one,1,sampled,1.0\n" in looked_up.out
    assert "team-one,1,C,0.0\n" not in looked_up.out
    refused = program(*arguments, "--edition", "ts2014", "--duplicates", pairs)
    assert refused.code == 2
    assert "--rule exact-duplicates=lookup" in refused.err


def test_import_and_validate(tmp_path: Path) -> None:
    scored(tmp_path, RUN)
    faulty = tmp_path / "faulty.txt"
    faulty.write_text(f"{RUN[0]}\n1 team one d1 0 1000 1\n1 team one 100-{HEX} 1\n")
    outcome = program("validate", faulty)
    assert outcome.code == 1
    assert "faulty.txt:3: 5 fields where a run has 7" in outcome.out
    faulty.write_text(f"{RUN[0]}\n1 team one d1 0 1000 1\n")
    assert 'faulty.txt:2: "d1-0" is no docid and sentence id' in program("validate", faulty).out
    files = {"ts-run": "run.txt", "ts-nuggets": "gold.tsv", "ts-pool": "pool.tsv"}
    for form, name in {**files, "ts-matches": "matches.tsv"}.items():
        pool = ("--pool", tmp_path / "pool.tsv") if form in ("ts-run", "ts-matches") else ()
        done = program("import", form, tmp_path / name, *pool, "-o", tmp_path / f"{form}.tsv")
        assert done.code == 0, done.err
    matches = tmp_path / "ts-matches.tsv"
    known = [line for line in matches.read_text().splitlines() if "\tN9\t" not in line]
    matches.write_text("".join(f"{line}\n" for line in known))
    plain = program(
        *("score", tmp_path / "ts-run.tsv", tmp_path / "ts-nuggets.tsv", "--matches", matches),
        *("--pool", tmp_path / "ts-pool.tsv", "--edition", "ts2014", "-f", "trec-ts"),
    )
    assert plain.code == 0, plain.err
    assert plain.out == scored(tmp_path, RUN)
