"""Which matcher without a model is better in which language: the pairs of fixtures/languages.

    python bench/quality_languages.py [--write] [MATCHER...]

In each language every update of an event is paired with every fact of the event. An update says
the fact of its row and no other. AUC and AP need no threshold. F1, kappa, the share of the matches
found and the share of the other pairs taken for a match are those at the matcher's own threshold.
`--write` puts the table into docs/matching.md.
"""

from __future__ import annotations

import argparse
import csv
import sys
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.quality_matching import shown, write
from bench.quality_short import Pair, measured, scores

PAIRS = Path(__file__).parents[1] / "fixtures" / "languages" / "pairs.tsv"
BEGIN, END = "<!-- languages: begin -->\n", "<!-- languages: end -->\n"
MATCHERS = ("learned", "fuzzy")
NAMES = ("language", "matcher", "AUC", "AP", "F1", "κ", "matches found", "other pairs matched")


def pairs() -> dict[str, list[Pair]]:
    """Every update of an event with every fact of it, by language."""
    with PAIRS.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    found: dict[str, list[Pair]] = {}
    for fact, update in product(rows, rows):
        if (fact["language"], fact["event"]) == (update["language"], update["event"]):
            kind = "says" if fact is update else "other"
            pair = Pair(fact["event"], fact["fact"], update["update"], kind, fact is update)
            found.setdefault(fact["language"], []).append(pair)
    return found


def line(language: str, name: str, every: list[Pair]) -> str:
    """A row of the table."""
    score, threshold = scores(name, every)
    true = np.array([pair.true for pair in every])
    kind = np.array([pair.kind for pair in every])
    auc, ap, f1, kappa, says, _, _, other = measured(
        score, threshold, true, kind, np.ones(len(every))
    )
    cells = [shown(each) for each in (auc, ap, f1, kappa, says, other)]
    return f"| {' | '.join([language, f'`{name}`', *cells])} |"


def main() -> None:
    """Measure each matcher in each language, print, and write if asked to."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--write", action="store_true", help="put the table into docs/matching.md")
    options.add_argument("matchers", nargs="*", metavar="MATCHER")
    asked = options.parse_args()
    lines = [f"| {' | '.join(NAMES)} |", f"|{' --- |' * len(NAMES)}"]
    for language, every in pairs().items():
        lines += [line(language, name, every) for name in asked.matchers or MATCHERS]
    print("\n".join(lines))
    if asked.write:
        write(lines, BEGIN, END)


if __name__ == "__main__":
    main()
