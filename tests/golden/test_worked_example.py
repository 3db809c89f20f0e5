"""Every number of the worked example, worked out by hand, equals the program's."""

from __future__ import annotations

import csv
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import pytest

import tseval

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "fixtures"
OPTIONS = {
    "-": {},
    "--duplicates": {"duplicates": FIXTURES / "duplicates.tsv"},
    "--undefined zero": {"undefined": "zero"},
}


def by_hand() -> dict[str, list[dict[str, str]]]:
    table: dict[str, list[dict[str, str]]] = defaultdict(list)
    with (ROOT / "tests/golden/worked_example.tsv").open() as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            table[row["options"]].append(row)
    return table


@pytest.mark.parametrize("options", OPTIONS)
def test_the_program_gives_the_numbers_worked_out_by_hand(options: str) -> None:
    rows = by_hand()[options]
    scores = tseval.score(
        [FIXTURES / "runs/swift.tsv", FIXTURES / "runs/thorough.tsv"],
        FIXTURES / "nuggets.tsv",
        FIXTURES / "matches.tsv",
        topics=FIXTURES / "topics.tsv",
        measures=list(dict.fromkeys(row["measure"] for row in rows)),
        **OPTIONS[options],  # type: ignore[arg-type]
    )
    for row in rows:
        value = scores.value(row["measure"], row["topic"], row["run"])
        if row["value"] == "undefined":
            assert value is None, row
        else:
            assert value == pytest.approx(float(Fraction(row["value"])), rel=1e-12, abs=1e-12), row


def test_every_option_of_the_table_is_tested() -> None:
    assert set(by_hand()) == set(OPTIONS)
