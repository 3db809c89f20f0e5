"""Measures of incident streams batch by batch, by hand and against the whole."""

from __future__ import annotations

import csv
import io

import pytest

from tests.program import FIXTURES, tseval

FOLDER = FIXTURES / "incidents"
INPUTS = (FOLDER / "keen.txt", FOLDER / "shy.tsv", FOLDER / "labels.json")
OPTIONS = ("--ontology", FOLDER / "types.json", "--epochs", FOLDER / "epochs.txt", "--quiet")
MEASURES = "AAW AAW.high AAW.low type.F1 type.accuracy any.P priority.MSE nDCG@100"


def rows(*more: object) -> list[dict[str, str]]:
    outcome = tseval("curve", *INPUTS, *OPTIONS, "-q", *more)
    assert outcome.code == 0, outcome.err
    return list(csv.DictReader(io.StringIO(outcome.out)))


@pytest.mark.parametrize(
    ("run", "event", "batch", "value"),
    [
        # f1: .3 + .7 x .75, its actionable type right and News missed; f2: a false alert, delta 0.
        ("keen", "flood", 0, (0.825 + 0.0) / 2),
        # f3: both types right; f4: a false alert just after a true one.
        ("keen", "flood", 1, (1.0 + 0.0) / 2),
        # f5 alone deserves no alert: no half for those that do.
        ("keen", "flood", 2, None),
        # q1: missed; q2: of unknown priority, not in the run, nothing said.
        ("keen", "quake", 0, (-1.0 + 0.0) / 2),
        # q3: no post deserves an alert.
        ("keen", "quake", 1, None),
    ],
)
def test_worth_of_batches_by_hand(run: str, event: str, batch: int, value: float | None) -> None:
    own = [
        row["value"]
        for row in rows("--batch", "20m", "-m", "AAW")
        if (row["run"], row["topic"]) == (run, event)
    ]
    if value is None:
        assert own[batch] == ""
    else:
        assert float(own[batch]) == pytest.approx(value)


@pytest.mark.parametrize("edition", ["note", "2018", "2018v2", "2019a", "2019b", "2021"])
def test_one_batch_of_everything_is_the_event(edition: str) -> None:
    batches = {
        (row["run"], row["topic"], row["measure"]): row["value"]
        for row in rows("--batch", "30d", "-m", MEASURES, "--edition", edition)
    }
    outcome = tseval(
        "incidents", *INPUTS, *OPTIONS, "-q", "-f", "csv", "-m", MEASURES, "--edition", edition
    )
    events = {row["topic"] for row in csv.DictReader(io.StringIO(outcome.out))} & {"flood", "quake"}
    assert events == {"flood", "quake"}
    for row in csv.DictReader(io.StringIO(outcome.out)):
        if row["topic"] in events:
            assert batches[row["run"], row["topic"], row["measure"]] == row["value"], row


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((), "have batches and no curve: give --batch 1d"),
        (("--batch", "1d", "--matcher", "fuzzy"), "--matcher has no meaning with measures over"),
        (("--batch", "1d", "-m", "P"), "unknown measure 'P'"),
    ],
)
def test_what_has_no_meaning_is_refused(more: tuple[str, ...], said: str) -> None:
    outcome = tseval("curve", *INPUTS, *OPTIONS, *more)
    assert outcome.code == 2
    assert said in outcome.err


def test_posts_without_times_have_no_batch() -> None:
    outcome = tseval("curve", *INPUTS, *OPTIONS[:2], "--batch", "1d")
    assert outcome.code == 2
    assert "some labelled posts have no time" in outcome.err
