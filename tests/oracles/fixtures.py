"""Read the shipped fixtures and the worked example's numbers, with nothing but `str.split`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from tests.oracles.temporal import Collection, Duplicate, Match, Nugget, Update, Value

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"
WORKED_EXAMPLE = ROOT / "tests" / "golden" / "worked_example.tsv"
RUNS = ("swift", "thorough")


def rows(path: Path) -> list[dict[str, str]]:
    """Return the lines of a tab-separated file as dictionaries."""
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    names = header.split("\t")
    return [dict(zip(names, line.split("\t"), strict=True)) for line in lines]


def updates() -> list[Update]:
    """Return the updates of both runs."""
    return [
        Update(r["topic"], r["update_id"], int(r["time"]), r["text"], run)
        for run in RUNS
        for r in rows(FIXTURES / "runs" / f"{run}.tsv")
    ]


def nuggets() -> list[Nugget]:
    """Return the nuggets of the three topics."""
    return [
        Nugget(r["topic"], r["nugget_id"], int(r["time"]), r["text"], int(r["importance"]))
        for r in rows(FIXTURES / "nuggets.tsv")
    ]


def collection(duplicates: bool = False) -> Collection:
    """Return the whole event set, with or without the pairs of duplicates."""
    pairs = rows(FIXTURES / "duplicates.tsv") if duplicates else []
    return Collection(
        updates=updates(),
        nuggets=nuggets(),
        matches=[Match(**r) for r in rows(FIXTURES / "matches.tsv")],
        duplicates=[Duplicate(**r) for r in pairs],
        starts={r["topic"]: int(r["start"]) for r in rows(FIXTURES / "topics.tsv")},
    )


@dataclass(frozen=True)
class Expected:
    """One number of the worked example; `options` is `-` or what the command line adds."""

    run: str
    topic: str
    measure: str
    value: Value
    options: str

    def __str__(self) -> str:
        return f"{self.run}-{self.topic}-{self.measure}{self.options.replace(' ', '=')}"


def expected() -> list[Expected]:
    """Return the numbers that were worked out by hand."""
    return [
        Expected(
            r["run"],
            r["topic"],
            r["measure"],
            None if r["value"] == "undefined" else Fraction(r["value"]),
            r["options"],
        )
        for r in rows(WORKED_EXAMPLE)
    ]
