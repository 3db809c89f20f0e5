"""How well each matcher agrees with the assessors of TREC Temporal Summarization 2013 and 2014.

    python bench/quality_matching.py [--write] [MATCHER...]

Reads the conformance pack where it lies: in TSEVAL_CONFORMANCE, or in ../shared/conformance beside
the checkout. Every different pooled update of a topic is held against every nugget of the topic;
updates that the pool calls a repetition of another (`duplicate_id`) are left out.
AUC and AP need no threshold. F1 and kappa stand twice: with each topic judged by the threshold that
the other topics of its year chose, and with a whole year judged by the threshold that the other
year chose. `--write` puts the table into docs/matching.md. Vectors are cached as always; the first
run encodes for some minutes on two cores.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from tseval.families.temporal.matched import read_judged
from tseval.matching.calibration import Calibration, calibrate
from tseval.matching.judged_pairs import BINS, JudgedUpdates
from tseval.statistics import agreement

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "matching.md"
BEGIN, END = "<!-- quality: begin -->\n", "<!-- quality: end -->\n"
POOLS = {"2013": "updates.tsv.gz", "2014": "updates_sampled.tsv.gz"}
MATCHERS = (
    "rapidfuzz(scorer=ratio)",
    "rapidfuzz(scorer=token_set_ratio)",
    "rapidfuzz(scorer=partial_ratio)",
    "exact(contained=true)",
    "fuzzy",
    "fuzzy(window=40)",
    "fuzzy(window=40,doubt=2)",
    "grams",
    "grams(window=40)",
    "blend(fuzzy,grams)",
    "blend(fuzzy(window=40),grams(window=40))",
    "blend(fuzzy(window=40,doubt=2),grams(window=40))",
    "embedding",
    "embedding(window=16)",
    "blend(fuzzy,embedding)",
    "blend(fuzzy(window=40),grams(window=40),embedding)",
    "blend(fuzzy(window=40),grams(window=40),embedding(window=16))",
)


def judged(year: str) -> JudgedUpdates:
    """The pool, nuggets and matches of a year."""
    pack = Path(os.environ.get("TSEVAL_CONFORMANCE") or ROOT.parent / "shared" / "conformance")
    folder = pack / "temporal" / year
    paths = [folder / name for name in (POOLS[year], "nuggets.tsv.gz", "matches.tsv.gz")]
    if not all(path.is_file() for path in paths):
        raise SystemExit(f"no conformance pack at {pack} (set TSEVAL_CONFORMANCE)")
    return read_judged([paths[0]], paths[1], paths[2])


def at_other_s_threshold(mine: Calibration, other: Calibration) -> tuple[float, float]:
    """F1 and kappa of a year when the other year chose the threshold."""
    told = agreement.agreement(mine.tally.true.sum(axis=0), mine.tally.other.sum(axis=0))
    place = round(other.threshold.value * BINS)
    return float(told.f1[place]), float(told.kappa[place])


def line(name: str, years: dict[str, Calibration]) -> str:
    """A row of the table."""
    cells = [f"`{name}`"]
    for year, mine in years.items():
        other = next(found for each, found in years.items() if each != year)
        f1, kappa = at_other_s_threshold(mine, other)
        ours = mine.left_out
        cells += [
            f"{shown(mine.auc.value)} {shown(mine.average_precision.value)}",
            f"{shown(ours['F1'].value)} {shown(ours['kappa'].value)}",
            f"{shown(f1)} {shown(kappa)}",
        ]
    cells.append(" / ".join(f"{found.threshold.value:.2f}" for found in years.values()))
    return f"| {' | '.join(cells)} |"


def shown(value: float) -> str:
    """Three decimals, without the zero before the point."""
    return f"{value:.3f}".replace("0.", ".", 1)


def header() -> list[str]:
    """The table's head."""
    names = ["matcher"]
    for year in POOLS:
        names += [f"{year}: AUC AP", "F1 κ, topic left out", "F1 κ, other year's threshold"]
    names.append(f"threshold {' / '.join(POOLS)}")
    return [f"| {' | '.join(names)} |", f"|{' --- |' * len(names)}"]


def check(gold: dict[str, JudgedUpdates]) -> None:
    """Stop unless these are the judgments that the published figures were made with."""
    for year, (pairs, true) in {"2013": (1_112_099, 4_957), "2014": (1_134_053, 10_476)}.items():
        topics = list(gold[year].by_topic())
        counted = sum(t.true.size for t in topics), sum(int(np.sum(t.true)) for t in topics)
        if counted != (pairs, true):
            raise SystemExit(f"{year}: {counted} pairs and matches, not {(pairs, true)}")


def write(lines: list[str], begin: str = BEGIN, end: str = END, page: Path = PAGE) -> None:
    """Put a table between its marks on a page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    _, _, after = rest.partition(end)
    page.write_text(before + begin + "\n".join(lines) + "\n" + end + after, encoding="utf-8")


def main() -> None:
    """Check the data, measure each matcher on both years, print, and write if asked to."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--write", action="store_true", help="put the table into docs/matching.md")
    options.add_argument("matchers", nargs="*", metavar="MATCHER")
    asked = options.parse_args()
    warnings.simplefilter("ignore")  # the scorers that are no use stand here to show it
    gold = {year: judged(year) for year in POOLS}
    check(gold)
    lines = header()
    print("\n".join(lines))
    for name in asked.matchers or MATCHERS:
        started = time.perf_counter()
        lines.append(line(name, {year: calibrate(each, name) for year, each in gold.items()}))
        print(lines[-1], f"{time.perf_counter() - started:.1f} s", flush=True)
    if asked.write:
        write(lines)


if __name__ == "__main__":
    main()
