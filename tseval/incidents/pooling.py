"""A pool for assessors: the posts to which any run gave a type, type by type."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tseval.formats.imports import Imported
from tseval.formats.incident_runs import Reading, read_predictions
from tseval.formats.ontologies import read_ontology
from tseval.tables.incidents import TypeNames

if TYPE_CHECKING:
    from tseval.tables.incidents import Predictions


def pooled(
    runs: Sequence[str], ontology: str | Path, threshold: float = 0.0, *, roll_up: bool = False
) -> Imported:
    """The union of what the runs emitted, as a table `topic type post_id runs`.

    Sorted by topic, type in the order of the ontology, and post; `runs` names those that gave the
    type, so that a judgment can be traced. Assessors' answers come back as labels.
    """
    types = TypeNames(read_ontology(ontology), renamed=True)
    said = read_predictions(runs, Reading(types, threshold))
    given = types.ontology.with_ancestors(said.types) if roll_up else said.types
    line, kind = np.nonzero(given)
    entries: dict[tuple[str, int, str], set[str]] = {}
    for at, which in zip(line.tolist(), kind.tolist(), strict=True):
        key = (said.event[at], which, said.post_id[at])
        entries.setdefault(key, set()).add(said.run[at])
    rows = sorted(entries)
    names = types.ontology.types
    return Imported(
        {
            "topic": [event for event, _, _ in rows],
            "type": [names[which] for _, which, _ in rows],
            "post_id": [post for _, _, post in rows],
            "runs": [",".join(sorted(entries[row])) for row in rows],
        },
        tuple(_warnings(said, types)),
    )


def _warnings(said: Predictions, types: TypeNames) -> list[str]:
    warnings = [] if len(said) else ["the runs are empty"]
    if types.unknown:
        warnings.append(
            f"types that the ontology lacks, ignored: {', '.join(sorted(types.unknown))}"
        )
    return warnings
