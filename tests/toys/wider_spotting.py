"""The toy family with what `CONTRIBUTING.md` lets one add to it: a measure, an edition."""

from __future__ import annotations

from dataclasses import replace

from tests.plugin_package.src.tseval_spotting.spotting import FAMILY as SPOTTING
from tests.plugin_package.src.tseval_spotting.spotting import NAME, SHARE, Rules
from tests.toys.measures import OVERLOOKED
from tseval.core.rules import Edition

STRICT = Edition(
    name="strict",
    family=NAME,
    summary="every topic has to be there",
    measures=("spotted", "overlooked"),
    on_missing="error",
    citation="nobody",
    rules=Rules(strangers="kept"),
)
FAMILY = replace(SPOTTING, definitions=(SHARE, OVERLOOKED), editions=(*SPOTTING.editions, STRICT))
