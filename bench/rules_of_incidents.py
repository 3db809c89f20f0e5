"""What each rule does to scores of incident streams: the tables of docs/incidents.md.

    python bench/rules_of_incidents.py [--data FOLDER]

FOLDER is that of incident streams in the conformance pack, by default beside this checkout. Labels
are the recovered ones of 2018 and those of 2021-A. The labels of 2018 have one entry a post, while
the track had 19,784; so seeded second opinions are added until there are as many. The run is made
up from a seed. First what is known of the labels is asserted; then each rule is switched alone.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import tseval
from tseval.core.registry import edition
from tseval.families.incidents.files import LEVELS
from tseval.families.incidents.rows import RENAMED, short_name

BESIDE = Path(__file__).parents[2] / "shared" / "conformance" / "incidents"
ENTRIES = 19_784
"""How many labels the track had in 2018."""
ALERTS = ("AAW", "AAW.high", "AAW.low")
TYPES = ("type.F1(actionable)", "type.F1", "type.accuracy")
ERRORS = ("priority.RMSE(actionable)", "priority.RMSE")
LEVELLED = ("nDCG@100", "priority.F1(actionable)", "priority.F1", "priority.pearson")
Label = dict[str, Any]


@dataclass(frozen=True)
class Year:
    """A year's labels, its types by their short names, and the run that was made up for it."""

    labels: Path
    ontology: Path
    run: Path

    def scores(
        self, name: str, measures: Sequence[str], rules: Mapping[str, str] | None = None
    ) -> tseval.Scores:
        """The scores of the run."""
        return tseval.score_incidents(
            self.run, self.labels, self.ontology, measures, edition=name, rules=rules
        )


def labels_of_2018(data: Path, random: np.random.Generator) -> list[Label]:
    """The recovered labels, then second opinions: a level beside, and one of the types."""
    path = data / "2018" / "2018-test.labels.recovered.jsonl.gz"
    labels = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    for place in sorted(random.choice(len(labels), ENTRIES - len(labels), replace=False)):
        first = labels[place]
        at = LEVELS.index(first["postPriority"]) + int(random.integers(-1, 2))
        kinds = [str(random.choice(first["postCategories"]))] if first["postCategories"] else []
        level = LEVELS[min(max(at, 1), 4)]
        labels.append(first | {"postCategories": kinds, "postPriority": level})
    return labels


def labels_of_2021(data: Path) -> list[Label]:
    """The labels of 2021-A that have a post."""
    path = data / "2021a" / "TRECIS-2021A-crisis.labels.prelim.json.gz"
    document = json.loads(gzip.decompress(path.read_bytes()))
    return [
        post | {"eventID": event["eventid"]}
        for event in document["events"]
        for post in event["tweets"]
        if post["postID"]
    ]


def made_up(labels: Sequence[Label], names: Sequence[str], seed: int) -> Iterator[list[str]]:
    """A run that knows the labels, and errs.

    It lacks a tenth of the posts and has a thirtieth twice. A priority is the assessor's, give or
    take .35, or for a sixth of the posts anything. Of the assessor's types it says three in five,
    and a wrong one every second time. It ranks by priority; its lines come in the labels' order.
    """
    random = np.random.default_rng(seed)
    lines: dict[str, list[tuple[str, float, list[str]]]] = {}
    known = [each for each in labels if each["postID"]]
    for label in {(each["eventID"], each["postID"]): each for each in known}.values():
        copies = int(random.choice([0, 1, 2], p=[0.1, 0.867, 0.033]))
        for _ in range(copies):
            true = LEVELS.index(label["postPriority"]) / 4
            near = true + random.uniform(-0.35, 0.35)
            priority = near if random.random() < 5 / 6 else random.uniform(-0.1, 1.1)
            kinds = [name for name in names if short(name) in label["postCategories"]]
            said = [name for name in kinds if random.random() < 0.6]
            said += [str(random.choice(names))] if random.random() < 0.5 else []
            lines.setdefault(label["eventID"], []).append((label["postID"], priority, said))
    for event, own in lines.items():
        ranks = np.argsort(np.argsort([-priority for _, priority, _ in own], kind="stable"))
        for (post, priority, said), rank in zip(own, ranks.tolist(), strict=True):
            kinds = json.dumps(sorted(set(said)))
            yield [event, "Q0", post, str(rank + 1), f"{priority:.4f}", kinds, "made-up"]


def short(name: str) -> str:
    """What labels call a type, which have the names since 2019."""
    return short_name(RENAMED.get(name, name))


def year(folder: Path, ontology: Path, labels: Sequence[Label], seed: int) -> Year:
    """Write the labels and the run."""
    document = json.loads(ontology.read_text())
    names = [each["id"] for each in document["informationTypes"]]
    found = Year(folder / f"{seed}.jsonl", ontology, folder / f"{seed}.run")
    found.labels.write_text("".join(f"{json.dumps(each)}\n" for each in labels))
    found.run.write_text("".join("\t".join(line) + "\n" for line in made_up(labels, names, seed)))
    return found


def shown(value: float | None) -> str:
    """A value as the tables have it."""
    return "undefined" if value is None else f"{value:.4f}"


def heading(first: str, names: Sequence[str]) -> None:
    """The first two lines of a table."""
    print(f"| {first} |", " | ".join(f"`{name}`" for name in names), "|")
    print("| --- |", " | ".join("---:" for _ in names), "|")


def editions(of: Year, names: Sequence[str], measures: Sequence[str]) -> None:
    """A line for each edition."""
    heading("edition", measures)
    for name in names:
        scores = of.scores(name, measures)
        print(f"| `{name}` |", " | ".join(shown(scores.value(m)) for m in measures), "|")
    print()


def changes(of: Year, name: str, measures: Sequence[str]) -> None:
    """A line for each other value of each rule that changes any of these measures."""
    plain = of.scores(name, measures)
    heading(f"rule ({name})", measures)
    print("| as it is |", " | ".join(shown(plain.value(m)) for m in measures), "|")
    idle = []
    habits = edition(name, "incidents").rules
    for habit in habits.each() if habits is not None else ():
        for value in habit.values:
            if value == habit.value:
                continue
            try:
                other = of.scores(name, measures, {habit.name: value})
            except tseval.UsageError:  # none of these measures reads the rule
                idle.append(f"`{habit.name}={value}`")
                continue
            moved = [(other.value(m) or 0.0) - (plain.value(m) or 0.0) for m in measures]
            cells = [f"{by:+.4f}" if abs(by) >= 0.00005 else "" for by in moved]
            if any(cells):
                print(f"| `{habit.name}={value}` |", " | ".join(cells), "|")
            else:
                idle.append(f"`{habit.name}={value}`")
    print(f"\nNo change: {', '.join(idle)}.\n")


def check(data: Path, of_2018: Year, of_2021: Year) -> None:
    """The sizes that are known, and the constant run of 2021 with its published scores."""
    silent = of_2018.scores("2019b", ["type.accuracy"])
    if silent.inputs[1].rows != ENTRIES:
        raise SystemExit(f"{silent.inputs[1].rows} labels of 2018, not {ENTRIES}")
    posts = sorted({json.loads(each)["postID"] for each in of_2021.labels.open()})
    constant = of_2021.run.with_suffix(".constant")
    lines = (f"e Q0 {post} 1 0.25 Other-Advice constant\n" for post in posts)
    constant.write_text("".join(lines))
    scores = tseval.score_incidents(
        constant, of_2021.labels, of_2021.ontology, TYPES, edition="2021"
    )
    official = json.loads((data / "2021a" / "expected.json").read_text())["C2"]["published"]
    for name, key in zip(TYPES, ("CF1_H", "CF1_A", "CAcc"), strict=True):
        value = scores.value(name)
        if value is None or round(value, 4) != official[key]:
            raise SystemExit(f"{name} of the constant run is {value}, not {official[key]}")


def main() -> None:
    """Assert, then print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=BESIDE)
    data = parser.parse_args().data
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        labels = labels_of_2018(data, np.random.default_rng(0))
        of_2018 = year(folder, data / "2018" / "ITR-H.types.v2.json", labels, 2018)
        ontology = data / "2021a" / "TRECIS-2021A-ITypes.json"
        of_2021 = year(folder, ontology, labels_of_2021(data), 2021)
        check(data, of_2018, of_2021)
        editions(of_2018, ("note", "2018v2", "2019a", "2019b"), (*ALERTS, *TYPES, *ERRORS))
        changes(of_2018, "note", (*ALERTS, *TYPES, *ERRORS))
        changes(of_2018, "2019b", (*ALERTS, *TYPES, *ERRORS))
        editions(of_2021, ("note", "2021"), (*LEVELLED, *TYPES))
        changes(of_2021, "2021", (*LEVELLED, *TYPES))


if __name__ == "__main__":
    main()
