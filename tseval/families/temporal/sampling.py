"""`tseval.sample`: nuggets drawn for a judge, with the texts to read for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

import numpy as np

from tseval.core import registry
from tseval.core.calling import Where
from tseval.core.editions import Edition
from tseval.core.family import Access, several
from tseval.core.naming import Naming, named
from tseval.errors import UsageError
from tseval.families.temporal.assessed import AssessedIndex
from tseval.families.temporal.correcting import likeliest_of
from tseval.families.temporal.draft import FAMILY
from tseval.families.temporal.evaluation import read
from tseval.families.temporal.inputs import TemporalInputs, TemporalOptions
from tseval.families.temporal.rules import Rules
from tseval.files.columns import Columns, TimeWords
from tseval.files.forms import Forms
from tseval.matching.sampling import COLUMNS, DEPTH, PAIRS, Design, Sample, sampled
from tseval.tables import Corrections

if TYPE_CHECKING:
    import pandas as pd

    from tseval.files.given import Given
    from tseval.parallel.engine import Engine
    from tseval.tables.columns import FloatArray, IntArray

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
    corrections: Given | None = None,
    edition: str = "draft",
    rules: Mapping[str, str] | None = None,
    jobs: int | None = None,
    engine: str | Engine = "local",
    scheduler: str | None = None,
    input_format: Forms = None,
    columns: Columns = None,
    **timing: Unpack[TimeWords],
) -> pd.DataFrame:
    """Draw nuggets, and give for each the texts to read: at most `pairs` rows to fill in.

    Of each run the `depth` texts are read that score best for the nugget, by `matcher`. Write yes
    or no into the column `verdict` and give the frame, or a file of it, to
    `tseval.score(..., judged=...)`. What `corrections` say of a pair stands there already, and
    changes no draw. The same seed draws the same nuggets. `edition` and `rules` say which updates
    and nuggets count; `jobs`, `engine` and `scheduler` where matching runs.
    """
    inputs = TemporalInputs(several(updates), nuggets, pool=pool, corrections=corrections)
    inputs = named(inputs, Naming.of(columns, timing))
    options = TemporalOptions(matcher, threshold, seed=seed)
    by = registry.edition(edition, FAMILY)
    with Where(jobs, engine, scheduler).shared() as sharing:
        access = Access(input_format, sharing)
        return frame_of(drawn_sample(inputs, options, by, rules or {}, access, pairs, depth))


def frame_of(found: Sample) -> pd.DataFrame:
    """A sample as the rows of its file."""
    import pandas as pd

    return pd.DataFrame(list(found.cells()), columns=list(COLUMNS))


def drawn_sample(
    inputs: TemporalInputs,
    options: TemporalOptions,
    edition: Edition[Rules],
    rules: Mapping[str, str],
    access: Access,
    pairs: int,
    depth: int,
) -> Sample:
    """Read runs and gold by an edition's rules, and draw."""
    if pairs < 1 or depth < 1:
        raise UsageError("a sample needs at least one pair, and a depth of at least one")
    name = options.matcher or SAMPLING_MATCHER
    evaluation = read(inputs, replace(options, matcher=name), edition, rules, access)
    index = evaluation.index
    return sampled(
        Design(evaluation.traits["matcher"], pairs, depth, options.seed),
        evaluation.traits["nuggets"],
        index.updates,
        index.nuggets,
        likeliest_of(name, options, index, depth, access),
        sizes(index.nugget_topic, index.nuggets.importance),
        known_verdicts(evaluation.corrections, index),
    )


def known_verdicts(
    corrections: Corrections | None, index: AssessedIndex
) -> dict[tuple[int, str], bool]:
    """Return the verdicts of corrections, by the row of a nugget and a text."""
    if corrections is None:
        return {}
    from tseval.matching.corrections import hold

    held = hold(corrections, index.updates, index.nuggets)
    rows = zip(held.pairs.nugget.tolist(), held.pairs.update.tolist(), strict=True)
    pairs = [(nugget, index.updates.text[update]) for nugget, update in rows]
    return dict(zip(pairs, held.accepted.tolist(), strict=True))


def sizes(topic: IntArray, importance: FloatArray) -> FloatArray:
    """What each nugget weighs: half by the importance in its topic, half as one of its nuggets.

    Topics weigh the same, as in means over topics.
    """
    number = np.bincount(topic)
    above = np.maximum(importance, 0.0)
    total = np.bincount(topic, above)[topic]
    even = 1.0 / number[topic]
    share = np.divide(above, total, out=even.copy(), where=total > 0)
    return (share + even) / 2
