"""`tseval.score_clusters`: from runs and clusters to scores, in one call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Unpack

from tseval.core.calling import CommonOptions, Where, scored
from tseval.core.family import several
from tseval.core.measure import Measure
from tseval.core.scores import Scores
from tseval.core.scoring import OnMissing, Undefined
from tseval.families.clusters.family import FAMILY
from tseval.families.clusters.inputs import ClusterInputs, ClusterOptions
from tseval.files.columns import Columns, TimeWords
from tseval.files.forms import Forms

if TYPE_CHECKING:
    from tseval.files.reading import Given, Runs
    from tseval.parallel.engine import Engine


def score_clusters(
    runs: Runs,
    clusters: Given,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    edition: str = "proposal",
    qrels: Given | None = None,
    epochs: Given | None = None,
    live: Given | None = None,
    live_epochs: Given | None = None,
    selected: Given | None = None,
    sample: int | None = None,
    sampling: str = "confidence",
    seed: int = 0,
    times: str | None = None,
    topic: str | None = None,
    rules: Mapping[str, str] | None = None,
    at: str | Sequence[str] | None = None,
    on_missing: OnMissing | None = None,
    undefined: Undefined = "skip",
    jobs: int | None = None,
    engine: str | Engine = "local",
    scheduler: str | None = None,
    input_format: Forms = None,
    columns: Columns = None,
    **timing: Unpack[TimeWords],
) -> Scores:
    """Score one or more runs over clusters of posts that carry the same information.

    Every table may be a path, `-`, or a pandas frame. Clusters may have any form that
    `docs/clusters.md` lists; the parameters are the options of `tseval clusters`.

    Bad input raises an `InputError` that names the place, a wrong name a `UsageError`.
    """
    return scored(
        FAMILY,
        ClusterInputs(several(runs), clusters, qrels, epochs, live, live_epochs, selected),
        ClusterOptions(times, topic, sample, sampling, seed),
        CommonOptions(
            measures, at, edition, rules or {}, on_missing, undefined, input_format, columns, timing
        ),
        Where(jobs, engine, scheduler),
    )
