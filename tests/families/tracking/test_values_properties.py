"""Tracked values, held to the slow reference."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import pytest
from hypothesis import example, given

import tseval
from tests import oracles
from tests import strategies as st
from tests.oracles.values import Given, error
from tests.program import tseval as program

pytestmark = pytest.mark.small_times

ATTRIBUTES = ("deaths", "injuries", "displaced", "financialimpact", "locations")
TIMES = st.integers(0, 12).map(Fraction)
"""Few different times, so that ties are common."""
NUMBERS = st.sampled_from(["0", "1", "2.5", "100", "7"])
PLACES = st.sampled_from(["0, 0", "90,0", "-90, 180", "40.7, -74.0", "0,180", "0, -180", "51.5,0"])
TOPICS = ("t1", "t2", "t10")


@st.composite
def tables(draw: st.DrawFn, runs: tuple[str, ...], least: int) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for _ in range(draw(st.integers(least, 12))):
        attribute = draw(st.sampled_from(ATTRIBUTES[-3:]))
        value = draw(PLACES if attribute == "locations" else NUMBERS)
        where = (draw(st.sampled_from(runs)), draw(st.sampled_from(TOPICS)))
        rows.append((*where, attribute, str(draw(TIMES)), value))
    return rows


def frame(rows: list[tuple[str, ...]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["run", "topic", "attribute", "time", "value"])


def as_given(rows: list[tuple[str, ...]]) -> list[Given]:
    found = []
    for run, topic, attribute, time, text in rows:
        parts = [Fraction(part.strip()) for part in text.split(",")]
        value = parts[0] if len(parts) == 1 else (parts[0], parts[1])
        found.append(Given(topic, attribute, Fraction(time), value, run))
    return found


close = partial(oracles.close, rel=1e-7, least=1e-6)


@given(
    tables(("a", "b"), 1),
    tables(("gold",), 1),
    st.booleans(),
    st.lists(st.tuples(TIMES, TIMES).map(sorted), min_size=3, max_size=3),
    st.sampled_from([None, 0, 3, 5, 20]),
)
def test_errors_equal_the_slow_ones(
    said: list[tuple[str, ...]],
    known: list[tuple[str, ...]],
    told: bool,
    periods: list[list[Fraction]],
    after: int | None,
) -> None:
    topics = pd.DataFrame(
        [(t, float(s), float(e)) for t, (s, e) in zip(TOPICS, periods, strict=True)],
        columns=["topic", "start", "end"],
    )
    at = "" if after is None else f"@{after}s"
    scores = tseval.score_values(
        frame(said),
        frame(known),
        [f"VT(attribute={name}){at}" for name in ATTRIBUTES],
        topics=topics if told else None,
    )
    gold, values = as_given(known), as_given(said)
    assert set(scores.topics) == {each.topic for each in gold}
    until = None if after is None else Fraction(after)
    for topic in scores.topics:
        start, end = periods[TOPICS.index(topic)] if told else (None, None)
        for run in scores.runs:
            own = [each for each in values if each.run == run]
            for name in ATTRIBUTES:
                expected = error(gold, own, topic, name, (start, end), until)
                fast = scores.value(f"VT(attribute={name}){at}", topic, run)
                assert close(fast, expected), (run, topic, name)


WORDS = (b"t", b"#", b"\xff", b"1", b"nan", b"inf", b"deaths", b"locations", b"1,2", b",")


@given(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=11).map(b" ".join)).map(b"\n".join),
    st.permutations([b"t", b"x", b"r", b"NULL", b"NULL", b"1", b"1", b"deaths", b"2"]),
)
def test_any_run_is_read_or_refused(content: bytes, line: list[bytes]) -> None:
    content += b"\n" + b"\t".join(line)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        path.write_bytes(content)
        done = program("import", "ts-values", path)
    cells = [cell for row in done.out.splitlines()[1:] for cell in row.split("\t")[3:]]
    assert all(math.isfinite(float(part)) for cell in cells for part in cell.split(","))
    assert done.code == bool(done.faults)
    lines = content.count(b"\n") + 1
    assert all(fault.line and fault.line <= lines and fault.cure for fault in done.faults)


@given(tables(("gold",), 1))
def test_the_gold_itself_has_no_error(known: list[tuple[str, ...]]) -> None:
    scores = tseval.score_values(frame(known), frame(known))
    assert all(record.value in (None, 0.0) for record in scores.records())


@given(tables(("a",), 1), tables(("b",), 1), tables(("gold",), 1))
@example(
    [("a", "t1", "displaced", "0", "0")],
    [("b", "t1", "displaced", "0", "0")],
    [
        ("gold", "t1", "displaced", time, value)
        for time, value in (("0", "0"), ("1", "1"), ("6", "0"))
    ],
)
def test_a_run_has_the_same_errors_whoever_is_beside_it(
    one: list[tuple[str, ...]], other: list[tuple[str, ...]], known: list[tuple[str, ...]]
) -> None:
    alone = tseval.score_values(frame(one), frame(known))
    beside = tseval.score_values([frame(other), frame(one)], frame(known))
    assert list(alone.records()) == [each for each in beside.records() if each.run == "a"]
