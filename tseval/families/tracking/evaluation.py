"""From inputs to what the measures of tracked values need: runs beside gold, by topic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from tseval.core.editions import Edition
from tseval.core.family import Access, Evaluation, Words, hashes
from tseval.core.measure import Measure
from tseval.errors import UsageError
from tseval.families.tracking.caveats import of_tables, untold
from tseval.families.tracking.inputs import ValueInputs, ValueOptions, read_tables
from tseval.families.tracking.measures import FAMILY, ValueIndex, tells_attributes
from tseval.families.tracking.tables import ATTRIBUTES
from tseval.records import frozen
from tseval.version import VERSION

if TYPE_CHECKING:
    from tseval.tables.columns import FloatArray


@frozen(kw_only=True)
class ValueEvaluation(Evaluation):
    """Runs and gold, read and indexed."""

    words: ClassVar[Words] = Words("values")

    values: ValueIndex

    @property
    def index(self) -> ValueIndex:
        """What measures are taken from."""
        return self.values

    @property
    def starts(self) -> FloatArray:
        """When each topic's period starts."""
        return self.values.start

    def settled(self, wanted: list[Measure]) -> list[Measure]:
        """The measures; one that names no attribute stands for all that the gold has."""
        present = [each for each in ATTRIBUTES if self.values.judged(each).any()]
        return [
            each
            for measure in wanted
            for each in (
                [measure]
                if measure.has("attribute") or not tells_attributes(measure)
                else [measure(attribute=name) for name in present]
            )
        ]

    def caveats(self, wanted: Sequence[Measure]) -> Iterator[str]:
        """Attributes that runs lack."""
        return untold(self.values, wanted)

    def signature(self, **more: str) -> str:
        """One line that names all that can change a number."""
        parts = {"tseval": VERSION, "family": FAMILY} | dict(self.traits) | more
        return "|".join(f"{name}:{value}" for name, value in parts.items())


def read(
    inputs: ValueInputs,
    options: ValueOptions,  # noqa: ARG001 - as of all families
    edition: Edition[Any],
    rules: Mapping[str, str],
    access: Access,
) -> ValueEvaluation:
    """Read every input; a fault in any of them is an `InputError`."""
    edition.rules.changed(rules)
    if not inputs.runs:
        raise UsageError("no run is given: name at least one table of values")
    tables = read_tables(inputs, access)
    index = ValueIndex.build(tables.values, tables.gold, tables.topics)
    return ValueEvaluation(
        edition=edition,
        values=index,
        traits=hashes(tables.origins),
        inputs=tables.records(),
        warnings=tuple(of_tables(tables, index)),
    )
