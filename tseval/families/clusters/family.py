"""Runs over clusters: what the family declares."""

from __future__ import annotations

from tseval.core.family import Asked, Family, Shown, View
from tseval.families.clusters import measures, push
from tseval.families.clusters.editions import MB2015, PROPOSAL, RTS2016, RTS2017
from tseval.families.clusters.evaluation import ClusterEvaluation, read
from tseval.families.clusters.explanation import explain_clusters
from tseval.families.clusters.files import is_table_of_clusters
from tseval.families.clusters.formats import FORMATS
from tseval.families.clusters.inputs import ClusterInputs, ClusterOptions
from tseval.tables.schema import CLUSTERS, POSTS


def explained(evaluation: ClusterEvaluation, _: Asked[ClusterOptions]) -> Shown:
    """Cluster by cluster, who reported it."""
    return Shown(explain_clusters(evaluation.groups))


FAMILY = Family(
    name=measures.FAMILY,
    command="clusters",
    summary="Latency, redundancy and push measures over assessors' clusters.",
    description="""\
RUN is a table `topic post_id time`, a table of updates, or a run of scenario A or B of
Real-Time Summarization; CLUSTERS a table `topic cluster_id post_id time`, or any of the
forms that assessors' clusters come in: two columns, or JSON. All may be compressed; `-` is
standard input.

\b
tseval clusters mine.tsv theirs.tsv clusters.tsv -q --sample 50
""",
    inputs=ClusterInputs,
    options=ClusterOptions,
    definitions=(*measures.DEFINITIONS, *push.DEFINITIONS),
    editions=(PROPOSAL, MB2015, RTS2016, RTS2017),
    read=read,
    views=(
        View(
            "clusters",
            "cluster by cluster the first report, all reports, their delays",
            explained,
            needs=("coverage",),
        ),
    ),
    knows=is_table_of_clusters,
    over="clusters",
    curves=True,
    batches=True,
    schemas=(CLUSTERS, POSTS),
    formats=FORMATS,
    words=ClusterEvaluation.words,
)
