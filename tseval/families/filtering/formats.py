"""The files of TREC KBA as `tseval validate` and `tseval import` know them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tseval.families.filtering import kba
from tseval.families.filtering.files import read_returned, read_truth
from tseval.families.filtering.tables import RATINGS
from tseval.files.formats import Format, Rank, unknown_numbers
from tseval.files.imports import Import, Imported, NothingAsked, numbers_as_text


def _run(paths: Sequence[str], _: NothingAsked) -> Imported:
    """A run of KBA; what it says twice stands twice."""
    run = read_returned(paths)
    return Imported(
        {
            "run": run.run.to_list(),
            "topic": run.topic.to_list(),
            "post_id": run.post_id.to_list(),
            "time": numbers_as_text(run.time),
            "confidence": numbers_as_text(run.confidence),
        }
    )


def _truth(paths: Sequence[str], _: NothingAsked) -> Imported:
    """A truth of KBA, one row a judgment; the confidence is 1 or 0."""
    truth = read_truth(paths[0])
    return Imported(
        {
            "topic": truth.topic.to_list(),
            "post_id": truth.post_id.to_list(),
            "relevance": numbers_as_text(truth.rating),
            "time": numbers_as_text(truth.time),
            "confidence": numbers_as_text(truth.sure.astype(np.float64)),
        }
    )


FORMATS = (
    Format(
        "posts",
        lambda source, _, __: read_returned([source]),
        lambda source: kba.table_of(source) == "posts",
        Rank.SURE,
        reads_tables=False,
        layouts=(kba.RUN_2012, kba.RUN),
        imports=(Import("kba-run", "runs of TREC KBA 2012 to 2014", _run),),
    ),
    Format(
        "truth",
        lambda source, form, _: read_truth(source, form),
        lambda source: kba.table_of(source) == "truth",
        Rank.SURE,
        remarks=lambda truth: unknown_numbers("rating", truth.rating, truth.origin, RATINGS),
        layouts=(kba.TRUTH,),
        imports=(Import("kba-truth", "truths of TREC KBA 2012 to 2014", _truth),),
    ),
)
