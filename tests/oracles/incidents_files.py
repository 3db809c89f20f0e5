"""The three text files that the evaluator of 2021 writes of a run, line by line.

Numbers are printed in full, in the report per type and in the table with 2 and 4 decimals. The
"macro" and "weighted" rows are means over the two classes. Events are in the order of the labels,
types in the order of the ontology. An exact nDCG stands where the script has a random one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tests.oracles.incidents import (
    Confusion,
    Label,
    Line,
    Ontology,
    in_first_event,
    known,
    per_type,
    predicted_types,
    types_2021,
    types_2021_events,
)
from tests.oracles.incidents_2021 import (
    mean_over_events,
    ndcg_2021,
    pearson_2021,
    priority_f1_2021,
)

RULE = "-" * 50
OTHERS = "Other Classes"
TITLES = {
    "P": "Information Type Precision (positive class, multi-type, macro)",
    "R": "Information Type Recall (positive class, multi-type, macro)",
    "F1": "Information Type F1 (positive class, multi-type, macro)",
    "accuracy": "Information Type Accuracy (overall, multi-type, macro)",
}
IMPORTANCE = {"": "", "(actionable)": "High Importance ", "(other)": "Low Importance "}


@dataclass(frozen=True)
class Heading:
    """The two lines that open each file."""

    run: str
    file: str
    edition: str = "2021a"
    version: str = "2.8"

    def lines(self) -> list[str]:
        return [
            f"TREC-IS {self.edition} Notebook Evaluator v{self.version}",
            f"Run: {self.run} ({self.file})",
        ]


def section(*titles: str) -> list[str]:
    return ["", RULE, *titles, RULE]


def text_of(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def overall(
    heading: Heading, labels: Sequence[Label], lines: Sequence[Line], ontology: Ontology
) -> str:
    """The file of means; its last line is a row of a LaTeX table.

    The row's columns: nDCG, actionable F1, F1, accuracy, actionable priority F1, priority F1,
    actionable r, r. Its last r is divided by all types, that of the line above it is not.
    """
    types = types_2021(labels, lines, ontology)
    ndcg = mean_over_events(ndcg_2021(labels, lines))
    priority = priority_f1_2021(labels, lines, ontology)
    pearson = pearson_2021(labels, lines, ontology)
    result = heading.lines()
    result += section("EVALUATON: nDCG and Priority", "Overall performance")
    result += [f"> nDCG:\t{ndcg}"]
    result += section("EVALUATON: Information Type Categorization", "Overall performance")
    for group, importance in IMPORTANCE.items():
        for measure, title in TITLES.items():
            result.append(f"> {importance}{title}:\t{types[f'type.{measure}{group}']}")
    result += section("EVALUATON: Information Priority Level", "Overall Performance")
    result += [f"> Priority Label Prediction (F1, macro): {priority['priority.F1']}"]
    result += section("EVALUATON: Information Priority Score", "Correlational Performance")
    for group, name in {"": "", "(actionable)": ", High", "(other)": ", Low"}.items():
        result.append(
            f"> Priority Correlation{name} (Pearson): {pearson[f'priority.pearson{group}']}"
        )
    cells = [
        ndcg,
        types["type.F1(actionable)"],
        types["type.F1"],
        types["type.accuracy"],
        priority["priority.F1(actionable)"],
        priority["priority.F1"],
        pearson["priority.pearson(actionable)"],
        pearson["priority.pearson(table)"],
    ]
    result += section("LATEX")
    result.append(" & ".join([heading.run, *(f"{cell:.4f}" for cell in cells)]) + " \\\\")
    return text_of(result)


def pertopic(
    heading: Heading, labels: Sequence[Label], lines: Sequence[Line], ontology: Ontology
) -> str:
    """The file of reports, one for each information type."""
    title = "EVALUATON: Information Type Categorization (Multi-type)"
    result = heading.lines() + section(title, "Per Information Type Performance")
    positions = in_first_event(known(labels, ontology))
    counts = per_type(predicted_types(positions, lines, anywhere=True), ontology)
    for name in ontology.types:
        result += [name, *report(name, counts[name]), "", ""]
    return text_of([*result, ""])


def report(name: str, own: Confusion) -> list[str]:
    """Precision, recall, F1 and support of a type and of all others, then their means."""
    rest = Confusion(own.tn, own.fn, own.fp, own.tp)
    supports = (own.tn + own.fp, own.tp + own.fn)
    number = sum(supports)
    width = max(len(name), len(OTHERS))
    head = " ".join(f"{column:>9}" for column in ("precision", "recall", "f1-score", "support"))

    def row(title: str, cells: Sequence[float | None], support: int) -> str:
        printed = " ".join(f"{'' if c is None else format(c, '.2f'):>9}" for c in cells)
        return f"{title:>{width}}  {printed} {support:>9}"

    def averaged(mean: Callable[[float, float], float]) -> list[float]:
        return [mean(a, b) for a, b in zip(three(rest), three(own), strict=True)]

    weighted = averaged(lambda a, b: (a * supports[0] + b * supports[1]) / number)
    return [
        f"{'':>{width}}  {head}",
        "",
        row(OTHERS, three(rest), supports[0]),
        row(name, three(own), supports[1]),
        "",
        row("accuracy", [None, None, own.accuracy], number),
        row("macro avg", averaged(lambda a, b: (a + b) / 2), number),
        row("weighted avg", weighted, number),
    ]


def three(counts: Confusion) -> list[float]:
    return [counts.precision, counts.recall, counts.f1]


def perevent(
    heading: Heading, labels: Sequence[Label], lines: Sequence[Line], ontology: Ontology
) -> str:
    """The file of means over types for each event."""
    title = "EVALUATON: Information Type Categorization (Multi-type)"
    result = heading.lines() + section(title, "Per Event Performance")
    values: Mapping[str, Mapping[str, float]] = types_2021_events(labels, lines, ontology)
    for event, own in values.items():
        result.append(event)
        result += [f"  {title}: {own[f'type.{measure}']}" for measure, title in TITLES.items()]
        result.append("")
    return text_of([*result, ""])
