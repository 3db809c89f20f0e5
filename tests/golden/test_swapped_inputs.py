"""Gold that stands first, and a run that stands last, are a fault where two signs tell them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import tseval
from tests import program

MORE = {
    "gold": ["importance"],
    "weighed": ["weight"],
    "bare": ["note"],
    "run": ["run"],
    "sure": ["confidence"],
    "long": ["note"],
    "valued": ["run", "importance"],
}
"""The columns of files beside topic, id, time and text."""


@pytest.fixture(autouse=True)
def _files(here: Path) -> None:  # noqa: ARG001
    for name, more in MORE.items():
        rows = [
            ["t", f"{name}{at}", "1700000000", "text", *("1" for _ in more)]
            for at in range(25 if name == "long" else 2)
        ]
        table = [["topic", "id", "time", "text", *more], *rows]
        Path(f"{name}.tsv").write_text("".join("\t".join(row) + "\n" for row in table))


@pytest.mark.parametrize("first", ["gold", "weighed"])
@pytest.mark.parametrize("last", ["run", "sure", "long"])
def test_two_signs_are_a_fault(first: str, last: str) -> None:
    done = program.tseval("score", f"{first}.tsv", f"{last}.tsv", "-m", "P")
    assert (done.code, done.out, done.codes) == (1, "", [("swapped-inputs", None)])
    assert done.faults[0].file == f"{first}.tsv"
    assert "UPDATES... NUGGETS" in done.err
    right = program.tseval("score", f"{last}.tsv", f"{first}.tsv", "-m", "P")
    assert right.code == 0, right.err


@pytest.mark.parametrize(
    ("first", "last"),
    [("gold", "bare"), ("bare", "run"), ("bare", "long"), ("valued", "long"), ("gold", "weighed")],
)
def test_one_sign_is_none(first: str, last: str) -> None:
    assert program.tseval("score", f"{first}.tsv", f"{last}.tsv", "-m", "P").code == 0


@pytest.mark.parametrize(
    "command",
    [
        ("score", program.NUGGETS, program.SWIFT),
        ("score", program.NUGGETS, program.SWIFT, "--in-blocks", "3"),
        ("curve", program.NUGGETS, program.SWIFT),
        ("match", program.NUGGETS, program.SWIFT),
        ("sweep", program.NUGGETS, program.SWIFT),
        ("sample", program.NUGGETS, program.SWIFT),
        ("calibrate", program.NUGGETS, program.SWIFT, program.MATCHES),
    ],
    ids=" ".join,
)
def test_every_command_tells_the_order(command: tuple[str, ...]) -> None:
    assert program.tseval(*command).codes == [("swapped-inputs", None)]


def test_frames_are_told_too() -> None:
    gold, run = (pd.read_csv(each, sep="\t") for each in (program.NUGGETS, program.SWIFT))
    with pytest.raises(tseval.InputError) as error:
        tseval.score(gold, run)
    assert error.value.faults[0].code == "swapped-inputs"
    assert error.value.faults[0].file == "<updates>"
