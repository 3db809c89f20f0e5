"""The track's own files, from an evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tseval.core.registry import measures
from tseval.errors import UsageError
from tseval.families.incidents.index import FAMILY
from tseval.families.incidents.ineffective_options import check_measures
from tseval.families.incidents.information_types import confusion
from tseval.families.incidents.scoring import scores_of
from tseval.families.incidents.trec_is import FILES, Report, measures_of, trec_files

if TYPE_CHECKING:
    from tseval.families.incidents.evaluation import IncidentEvaluation
    from tseval.families.incidents.index import IncidentIndex
    from tseval.families.incidents.scoring import OnMissing


def official_files(
    evaluation: IncidentEvaluation,
    on_missing: OnMissing | None = None,
    *,
    track_names: bool = False,
) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """The files of every run by their names, and the warnings; a `UsageError` if there are none.

    `track_names` calls them as the track did.
    """
    edition = evaluation.edition.name
    if edition not in FILES:
        known = ", ".join(FILES)
        raise UsageError(f"edition {edition} has no files of the track; these have: {known}")
    files = FILES[edition]
    wanted = measures(measures_of(files), FAMILY)
    check_measures(evaluation, wanted)
    scores = scores_of(evaluation, wanted, on_missing)
    index = evaluation.index
    reports = {run: _reports(index, at) for at, run in enumerate(index.runs)}
    name = files.track_name if track_names else edition
    return trec_files(scores, files, name, reports, index.events), scores.warnings


def _reports(index: IncidentIndex, run: int) -> list[Report]:
    """The counts of each type."""
    counts = index.once(confusion).summed(axis=1)
    columns = (counts.both[run], counts.given[run], counts.true[run], counts.posts[run])
    numbers = np.column_stack(columns).astype(int).tolist()
    return [Report(name, *row) for name, row in zip(index.ontology.types, numbers, strict=True)]
