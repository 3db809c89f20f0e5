"""A toy format: sightings as lines of `topic item seconds`, which the toy family takes up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tests.toys import spotting
from tests.toys.spotting import SIGHTINGS, Sightings
from tseval.core.declared import option
from tseval.files.fixed_fields import Layout, Span, read_lines
from tseval.files.formats import Format
from tseval.files.imports import Import, Imported, numbers_as_text
from tseval.files.inputs import Input
from tseval.records import frozen

MARK = b"!sightings"
LINES = Layout(
    SIGHTINGS,
    {"topic": Span(0), "item": Span(1), "seen": Span(2)},
    3,
    "where a sighting has 3",
    "a line is: topic item seconds",
    heading=lambda fields: fields[0] == MARK,
)


@frozen
class Options:
    """What the import may be asked for."""

    run: str = option("--called", "What the run is called.", default="spotter")


def read(source: Input) -> Sightings:
    """The lines as the family's table."""
    rows = read_lines(source, LINES)
    return Sightings.of(rows.columns, rows.origin, source.name)


def imported(paths: Sequence[str], options: Options) -> Imported:
    """The lines as a plain table."""
    said = read(Input(paths[0]))
    return Imported(
        {
            "run": [options.run] * len(said),
            "topic": said.topic.to_list(),
            "item": said.item.to_list(),
            "seen": numbers_as_text(said.seen),
        }
    )


SIGHT_LINES = Format(
    "sightings",
    lambda source, _, __: read(source),
    lambda source: source.head().startswith(MARK),
    reads_tables=False,
    forms=("lines",),
    layouts=(LINES,),
    imports=(Import("sight-lines", "sightings as lines", imported, Options),),
)
FAMILY = replace(spotting.FAMILY, formats=(SIGHT_LINES,))
