"""Values tracked over time: what the family declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from tseval.core.declared import NoOptions, argument, file_option
from tseval.core.family import Family, Words
from tseval.core.frames import Content, FrameEvaluation, Request
from tseval.core.measure import Measure
from tseval.core.rules import Edition, NoRules
from tseval.families.tracking.files import ATTRIBUTES, GOLD, RUNS, VALUES
from tseval.families.tracking.measures import CITATION, DEFINITIONS
from tseval.families.tracking.measures import FAMILY as NAME
from tseval.families.tracking.rows import find_gaps, find_warnings, index_of, judged_topics
from tseval.io.schema import TOPICS
from tseval.io.tables import TableReader
from tseval.io.topics import TOPICS_READER, name_topics
from tseval.records import frozen
from tseval.version import VERSION

if TYPE_CHECKING:
    from tseval.io.given import Given


@frozen
class ValueInputs:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    runs: Sequence[Given] = argument("RUN", "one or more runs", VALUES, several=True)
    gold: Given = argument("GOLD", "the file of gold values", VALUES)
    topics: Given | None = file_option(
        "The start and end of each topic: a table `topic start [end]`. Default: its first and "
        "last gold value.",
        table=TOPICS,
    )


@frozen(kw_only=True)
class ValueEvaluation(FrameEvaluation):
    """Runs and gold, read and indexed."""

    words: ClassVar[Words] = Words("values")
    readers: ClassVar[Mapping[str, TableReader]] = {
        "runs": RUNS,
        "gold": GOLD,
        "topics": TOPICS_READER,
    }

    @classmethod
    def build(cls, request: Request) -> Content:
        """Join the tables, with one name for each topic in all."""
        tables = name_topics(request.tables, "gold")
        index = index_of(tables)
        return Content(index, find_warnings(tables, index))

    def resolve_measures(self, wanted: list[Measure]) -> list[Measure]:
        """The measures; one that names no attribute stands for all that the gold has."""
        present = [each for each in ATTRIBUTES if judged_topics(self.frames, each)]
        chosen = []
        for measure in wanted:
            is_open = measure.definition in DEFINITIONS and not measure.has("attribute")
            chosen += [measure(attribute=name) for name in present] if is_open else [measure]
        return chosen

    def caveats(self, wanted: Sequence[Measure]) -> Iterator[str]:
        """Attributes that runs lack."""
        asked = (each.argument("attribute") for each in wanted if each.definition in DEFINITIONS)
        for attribute in dict.fromkeys(asked):
            yield from find_gaps(self.frames, str(attribute))

    def signature(self, **more: str) -> str:
        """One line that names all that can change a number."""
        parts = {"tseval": VERSION, "family": NAME} | dict(self.traits) | more
        return "|".join(f"{name}:{value}" for name, value in parts.items())


GUIDELINES = Edition(
    name="guidelines",
    family=NAME,
    summary="the error of values over time, as the guidelines of 2013 have it",
    measures=("VT",),
    leading=("VT",),
    on_missing="zero",
    citation=CITATION,
    rules=NoRules(),
)
FAMILY = Family(
    name=NAME,
    command="values",
    summary="Score values tracked over time, such as deaths or locations.",
    description="""\
\b
tseval values fixtures/values/swift.tsv fixtures/values/gold.tsv -q

RUN is a table `topic attribute time value`, or a value tracking run of TREC Temporal
Summarization 2013; GOLD is such a table. Attributes are deaths, injuries, displaced,
financialimpact, and locations, whose values are latitude and longitude: `40.7, -74`.
""",
    inputs=ValueInputs,
    options=NoOptions,
    definitions=DEFINITIONS,
    editions=(GUIDELINES,),
    read=ValueEvaluation.read,
    schemas=(VALUES, TOPICS),
    formats=RUNS.formats,
    words=Words("values"),
)
