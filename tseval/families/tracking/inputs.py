"""What values tracked over time are given: the inputs, read into tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tseval.core.declared import argument, file_option
from tseval.core.family import Access
from tseval.families.tracking.files import read_gold, read_values
from tseval.families.tracking.tables import VALUES, TrackedValues
from tseval.files import TREC_TS
from tseval.files.forms import Forms, form_named, form_of_the_rest
from tseval.files.reading import read_if_given
from tseval.files.topics import read_topics
from tseval.parallel.runs import Spread
from tseval.records import frozen
from tseval.tables import InputRecord, Origin, Topics
from tseval.tables.origin import origins_of, records_of
from tseval.tables.schema import TOPICS
from tseval.tables.topic_names import TopicNames, with_topics_named

if TYPE_CHECKING:
    from tseval.files.reading import Given


@frozen
class ValueInputs:
    """Where the tables come from: paths, `-` for standard input, or pandas frames."""

    runs: Sequence[Given] = argument("RUN", "one or more runs", VALUES, several=True)
    gold: Given = argument("GOLD", "the file of gold values", VALUES)
    topics: Given | None = file_option(
        "--topics",
        "When each topic starts and ends: a table `topic start [end]`. Default: with the first and "
        "the last value of its gold.",
        table=TOPICS,
    )


@frozen
class ValueOptions:
    """Nothing is asked for beside what all families are asked for."""


@frozen
class ValueTables:
    """The inputs as tables."""

    values: TrackedValues
    gold: TrackedValues
    topics: Topics | None

    @property
    def origins(self) -> dict[str, Origin]:
        """Where each table beside the runs comes from."""
        return origins_of({"gold": self.gold, "topics": self.topics})

    def records(self) -> tuple[InputRecord, ...]:
        """Every input with its hash and its number of rows."""
        return records_of([self.values.origin, *self.origins.values()])


def read_tables(inputs: ValueInputs, access: Access) -> ValueTables:
    """Every input that was given, with one name for each topic in all; faults are `InputError`s.

    The track published no gold of this kind, so its format is asked of the runs alone. It is the
    reading of the runs that is shared.
    """
    access.check(inputs)
    values = read_values(inputs.runs, access.form("run"), Spread(access.sharing))
    gold = read_gold(inputs.gold, _plain(access.forms, "gold"))
    topics = read_if_given(inputs.topics, read_topics, _plain(access.forms, "topics"))
    rename = TopicNames(gold.topic, "gold")
    return ValueTables(with_topics_named(values, rename), gold, with_topics_named(topics, rename))


def _plain(forms: Forms, name: str) -> str | None:
    """The format of an input of which the track has none; that of all is then not for it."""
    own = form_named(forms, name)
    rest = form_of_the_rest(forms)
    return own or (None if rest == TREC_TS else rest)
