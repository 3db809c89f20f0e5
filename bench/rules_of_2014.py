"""What each rule does to the scores of 2014: the tables of docs/trec-temporal.md.

    python bench/rules_of_2014.py [--data FOLDER]

FOLDER is the folder of 2014 in the conformance pack, by default beside this checkout. First the
scores of edition ts2014 are asserted to be the published ones. Then each rule is switched alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

import tseval
from tseval.families.temporal.rules import TS, TS2014

BESIDE = Path(__file__).parents[2] / "shared" / "conformance" / "temporal" / "2014"
MEASURES = ("EG", "nEG", "ELG", "nELG", "C", "LC", "HM", "V", "L")
BIASED = tuple(f"cb{name}" for name in MEASURES)
PUBLISHED = {"cunlp-1APSalRed": "0.0602", "cunlp-2APSal": "0.1162"}
"""HM of the two runs."""
SILENT = ("topic-names",)
"""Rules that rename rows and change no value."""


def scores(data: Path, edition: str, rules: Mapping[str, str], pool: str) -> tseval.Scores:
    """The scores of the two runs."""
    return tseval.score(
        sorted(data.glob("runs/*.gz")),
        data / "nuggets.tsv.gz",
        data / "matches.tsv.gz",
        measures=[*MEASURES, *BIASED],
        pool=data / pool,
        topics=data / "topics.xml",
        edition=edition,
        rules=rules,
    )


def mean(of: tseval.Scores, name: str) -> float:
    """A measure's mean over the runs."""
    return sum(of.value(name, run=run) or 0.0 for run in of.runs) / len(of.runs)


def changes(data: Path, pool: str, names: tuple[str, ...]) -> None:
    """A line for each other value of each rule that changes any of these measures."""
    plain = scores(data, "ts2014", {}, pool)
    print(f"| rule ({pool.removesuffix('.tsv.gz')}) |", " | ".join(names), "|")
    print("| --- |", " | ".join("---:" for _ in names), "|")
    print("| as it is |", " | ".join(f"{mean(plain, name):.4f}" for name in names), "|")
    for habit in TS2014.rules.each():
        for value in habit.values:
            # A file of exact duplicates was not published with these runs.
            if value == habit.value or habit.name in ("exact-duplicates", *SILENT):
                continue
            other = scores(data, "ts2014", {habit.name: value}, pool)
            moved = [mean(other, name) - mean(plain, name) for name in names]
            shown = [f"{by:+.4f}" if abs(by) >= 0.00005 else "" for by in moved]
            print(f"| `{habit.name}={value}` |", " | ".join(shown), "|")
    print()


def editions(data: Path, pool: str) -> None:
    """Where the formulas and the script of 2014 part."""
    print("| run | edition |", " | ".join(MEASURES), "|")
    print("| --- | --- |", " | ".join("---:" for _ in MEASURES), "|")
    by_edition = {each.name: scores(data, each.name, {}, pool) for each in (TS, TS2014)}
    for run in PUBLISHED:
        for name, found in by_edition.items():
            cells = " | ".join(f"{found.value(each, run=run):.4f}" for each in MEASURES)
            print(f"| `{run}` | `{name}` | {cells} |")
    print()


def main() -> None:
    """Assert, then print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=BESIDE)
    data = parser.parse_args().data
    pool = "updates_sampled.tsv.gz"
    official = scores(data, "ts2014", {}, pool)
    for run, hm in PUBLISHED.items():
        if f"{official.value('HM', run=run):.4f}" != hm:
            raise SystemExit(f"{run}: HM is not {hm}")
    changes(data, pool, MEASURES)
    changes(data, pool, BIASED)
    changes(data, "updates_sampled.extended.tsv.gz", MEASURES)
    editions(data, pool)


if __name__ == "__main__":
    main()
