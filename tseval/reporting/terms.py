"""What each measure is, in the words of its definition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tseval.comparison.directions import known_measures
from tseval.core.measure import Definition, Measure
from tseval.core.registry import editions
from tseval.errors import UsageError
from tseval.reporting.content import Term
from tseval.reporting.recorded import traits_of


def terms(measures: Sequence[str], signatures: Sequence[str]) -> Iterator[Term]:
    """Each measure by its definition; one of several families by the scores' editions."""
    families = {family for each in signatures for family in _families(each)}
    for name in measures:
        known = known_measures(name)
        own = [each for each in known if each.family in families] or list(known)
        if not own:
            yield Term(name, "", (("definition", "no measure of this name is known here"),))
        for each in own:
            yield Term(name, each.definition.summary, tuple(_entries(each)))


def _families(signature: str) -> Iterator[str]:
    """The families that have the edition of a signature."""
    name = traits_of(signature).get("edition")
    if name is not None:
        try:
            yield from (each.family for each in editions(name))
        except UsageError:  # scores of another version may have an edition that is unknown here
            return


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
