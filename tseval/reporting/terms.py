"""What each measure is, in the words of its definition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tseval.comparison.directions import known_measures
from tseval.core.measure import Definition, Measure
from tseval.reporting.content import Term


def terms(measures: Sequence[str], families: Sequence[str] | None) -> Iterator[Term]:
    """Each measure by its definition; one of several families by those of the scores."""
    for name in measures:
        own = known_measures(name, families) or known_measures(name)
        if not own:
            yield Term(name, "", (("definition", "no measure of this name is known here"),))
        for each in own:
            yield Term(name, each.definition.summary, tuple(_entries(each)))


def _entries(measure: Measure) -> Iterator[tuple[str, str]]:
    definition = measure.definition
    way = "higher is better" if definition.higher_is_better else "lower is better"
    yield "definition", definition.formula
    for name, _ in measure.arguments:
        yield "with", _with(definition, name, measure)
    if measure.at is not None:
        yield "taken at", measure.at
    yield "direction", way
    yield "range", definition.range
    yield "empty case", definition.empty_case
    yield "citation", definition.citation


def _with(definition: Definition, name: str, measure: Measure) -> str:
    parameter = definition.parameter(name)
    written = name if parameter.flag else f"{name}={measure.argument(name)}"
    return f"{written}: {parameter.meaning}"
