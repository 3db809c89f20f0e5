"""`tseval.sample`: nuggets drawn for a judge, with the texts to read for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tseval.core.calling import Where
from tseval.core.family import Access, several
from tseval.core.naming import Naming, named
from tseval.errors import UsageError
from tseval.families.temporal.assessed import AssessedIndex
from tseval.families.temporal.correcting import likeliest_of
from tseval.families.temporal.editions import DRAFT
from tseval.families.temporal.evaluation import read
from tseval.families.temporal.inputs import TemporalInputs, TemporalOptions
from tseval.files.columns import Columns
from tseval.files.forms import Forms
from tseval.matching.sampling import COLUMNS, DEPTH, PAIRS, Design, Sample, sampled

if TYPE_CHECKING:
    import pandas as pd

    from tseval.files.reading import Given
    from tseval.tables.columns import FloatArray

SAMPLING_MATCHER = "learned"
"""The one whose scores are probabilities."""


def sample(
    updates: Given | Sequence[Given],
    nuggets: Given,
    matcher: str = SAMPLING_MATCHER,
    pairs: int = PAIRS,
    *,
    depth: int = DEPTH,
    seed: int = 0,
    threshold: float | None = None,
    pool: Given | None = None,
    input_format: Forms = None,
    columns: Columns = None,
) -> pd.DataFrame:
    """Draw nuggets, and give for each the texts to read: at most `pairs` rows to fill in.

    Of each run the `depth` texts are read that score best for the nugget, by `matcher`. Write yes
    or no into the column `verdict` and give the frame, or a file of it, to
    `tseval.score(..., judged=...)`. The same seed draws the same nuggets.
    """
    inputs = named(TemporalInputs(several(updates), nuggets, pool=pool), Naming.of(columns))
    options = TemporalOptions(matcher, threshold, seed=seed)
    with Where().shared() as sharing:
        found = drawn_sample(inputs, options, Access(input_format, sharing), pairs, depth)
    return frame_of(found)


def frame_of(found: Sample) -> pd.DataFrame:
    """A sample as the rows of its file."""
    import pandas as pd

    return pd.DataFrame(list(found.cells()), columns=list(COLUMNS))


def drawn_sample(
    inputs: TemporalInputs,
    options: TemporalOptions,
    access: Access,
    pairs: int,
    depth: int,
) -> Sample:
    """Read runs and gold by the rules of the draft, and draw."""
    if pairs < 1 or depth < 1:
        raise UsageError("a sample needs at least one pair, and a depth of at least one")
    name = options.matcher or SAMPLING_MATCHER
    evaluation = read(inputs, replace(options, matcher=name), DRAFT, {}, access)
    index = evaluation.index
    return sampled(
        Design(evaluation.traits["matcher"], pairs, depth, options.seed),
        evaluation.traits["nuggets"],
        index.updates,
        index.nuggets,
        likeliest_of(name, options, index, depth, access),
        sizes(index),
    )


def sizes(index: AssessedIndex) -> FloatArray:
    """What each nugget weighs: half by the importance in its topic, half as one of its nuggets.

    Topics weigh the same, as in means over topics.
    """
    topic, number = index.nugget_topic, np.bincount(index.nugget_topic)
    importance = np.maximum(index.nuggets.importance, 0.0)
    total = np.bincount(topic, importance)[topic]
    even = 1.0 / number[topic]
    share = np.divide(importance, total, out=even.copy(), where=total > 0)
    return (share + even) / 2
