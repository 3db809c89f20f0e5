"""A toy format: sightings as lines of `topic item seconds`, which the toy family takes up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from tests.plugin_package.src.tseval_spotting import spotting
from tests.plugin_package.src.tseval_spotting.spotting import SIGHTINGS
from tseval.core.declared import option
from tseval.io.fields import Layout
from tseval.io.formats import Import, Imported
from tseval.io.inputs import Input
from tseval.io.tables import TableReader, TrackFile, read, texts_of
from tseval.records import frozen

MARK = b"!sightings"
LINES = Layout(
    SIGHTINGS,
    "topic item seen",
    wanted="where a sighting has 3",
    cure="a line is: topic item seconds",
    heading=lambda fields: fields[0] == MARK,
)


def is_marked(source: Input) -> bool:
    """Whether a file begins with the mark."""
    return source.head().startswith(MARK)


@frozen
class Options:
    """What the import may be asked for."""

    run: str = option("--called", "What the run is called.", default="spotter")


READER = TableReader(
    schema=SIGHTINGS,
    tracks=(TrackFile(recognise=is_marked, layout=LINES, forms=("lines",)),),
    reads_tables=False,
)


def imported(paths: Sequence[str], options: Options) -> Imported:
    """The lines as a plain table."""
    seen = read(paths, READER).frame.with_columns(run=pl.lit(options.run))
    return Imported({name: texts_of(seen[name]) for name in ("run", "topic", "item", "seen")})


SIGHT_LINES = replace(
    READER.formats[0],
    imports=(Import("sight-lines", "sightings as lines", imported, Options),),
)
FAMILY = replace(spotting.FAMILY, formats=(SIGHT_LINES,))
